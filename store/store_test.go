package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"pbemd/pbem"
	"pbemd/pbem/pbemtest"
)

func open(t testing.TB, path string, o Options) *Store {
	t.Helper()
	s, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func fresh(t testing.TB) *Store {
	dir, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	return open(t, filepath.Join(dir, "pbem.db"), Options{})
}

func TestStoreKeepsWhatAnArchiveMust(t *testing.T) {
	pbemtest.TestArchive(t,
		func(t *testing.T) pbem.Archive { return fresh(t) },
		func(t *testing.T, a pbem.Archive) pbem.Archive {
			s := a.(*Store)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			n := open(t, s.path, Options{})
			*s = *n
			return s
		})
}

func TestSecondProcessIsTurnedAway(t *testing.T) {
	s := fresh(t)
	_, err := Open(s.Path(), Options{Timeout: 50 * time.Millisecond})
	if !errors.Is(err, ErrLocked) {
		t.Errorf("second open: %v, want ErrLocked", err)
	}
}

func TestNewerDatabaseIsRefused(t *testing.T) {
	s := fresh(t)
	err := s.db.Update(func(tx *bbolt.Tx) error { return put(tx, bMeta, []byte("schema"), schema+1) })
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	_, err = Open(s.path, Options{})
	var newer ErrNewer
	if !errors.As(err, &newer) || newer.Has != schema+1 {
		t.Errorf("a database of version %d opened with %v", schema+1, err)
	}
}

func TestMigrationIsAllOrNothing(t *testing.T) {
	s := fresh(t)
	commit(t, s, pbem.Change{Games: []pbem.Game{{ID: 1, Rev: 1}}})
	s.Close()
	defer func(old []func(*bbolt.Tx) error) { migrations, schema = old, len(old) }(migrations)
	fail := true
	migrations = append(migrations[:len(migrations):len(migrations)], func(tx *bbolt.Tx) error {
		if err := tx.Bucket(bMeta).Put([]byte("half"), []byte("done")); err != nil || !fail {
			return err
		}
		return errors.New("power cut")
	})
	schema = len(migrations)
	if _, err := Open(s.path, Options{}); err == nil || !strings.Contains(err.Error(), "power cut") {
		t.Fatalf("a failing migration opened with %v", err)
	}
	fail = false
	n := open(t, s.path, Options{})
	if v, _ := n.Version(); v != schema {
		t.Errorf("version is %d after the migration, want %d", v, schema)
	}
	if _, err := n.Game(1); err != nil {
		t.Errorf("the game after the migration: %v", err)
	}
}

func TestDamageIsFoundAtTheStart(t *testing.T) {
	s := fresh(t)
	for i := range 200 {
		commit(t, s, pbem.Change{Games: []pbem.Game{{ID: pbem.GameID(i + 1), Rev: 1, Rules: strings.Repeat("x", 200)}}})
	}
	s.Close()
	b, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	for page := 2; page < len(b)/4096; page++ {
		copy(b[page*4096:], bytes.Repeat([]byte{0xA5}, 64))
	}
	if err := os.WriteFile(s.path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("opening a damaged database panics: %v", r)
		}
	}()
	if n, err := Open(s.path, Options{}); err == nil {
		n.Close()
		t.Error("a damaged database was opened")
	}
}

func commit(t testing.TB, s *Store, c pbem.Change) {
	t.Helper()
	if err := s.Commit(c); err != nil {
		t.Fatal(err)
	}
}

func large(n byte) []byte { return bytes.Repeat([]byte{n, 'x'}, Large) }

func filesOf(t *testing.T, s *Store) []string {
	t.Helper()
	var list []string
	err := s.files.disk.Walk(s.files.dir, func(p string) error {
		list = append(list, filepath.Base(p))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestOrphansAreSweptAndNothingElse(t *testing.T) {
	s := fresh(t)
	commit(t, s, pbem.Change{Mails: []pbem.Mail{{Key: "k", Raw: large(1)}}})
	if err := s.files.put(nameOf(large(2)), large(2)); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(s.files.dir, nameOf(large(1))[:2], ".new-123")
	other := filepath.Join(s.files.dir, "notes.txt")
	for _, p := range []string{left, other} {
		if err := os.WriteFile(p, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(filesOf(t, s)); n != 3 {
		t.Fatalf("%d files before the sweep", n)
	}
	s.Close()
	n := open(t, s.path, Options{})
	if list := filesOf(t, n); len(list) != 1 || list[0] != nameOf(large(1)) {
		t.Errorf("left after the sweep: %v", list)
	}
	if _, err := os.Stat(other); err != nil {
		t.Errorf("a file that isn't ours was removed: %v", err)
	}
	if m, err := n.Mail("k"); err != nil || !bytes.Equal(m.Raw, large(1)) {
		t.Errorf("the mail after the sweep: %v", err)
	}
}

// fullDisk fails to write once it has taken so many bytes.
type fullDisk struct {
	osDisk
	left int
}

var errFull = errors.New("no space left on device")

func (d *fullDisk) Write(name string, b []byte) error {
	if d.left -= len(b); d.left < 0 {
		return errFull
	}
	return d.osDisk.Write(name, b)
}

func TestFullDiskLeavesNothingOfAChange(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pbem.db")
	s := open(t, path, Options{disk: &fullDisk{left: 3 * Large}})
	commit(t, s, pbem.Change{Outgoing: []pbem.Outgoing{{ID: "a", State: pbem.OutPending, Message: large(1)}}})
	err := s.Commit(pbem.Change{
		Games:    []pbem.Game{{ID: 1, Rev: 1}},
		Outgoing: []pbem.Outgoing{{ID: "b", State: pbem.OutPending, Message: large(2)}},
	})
	if !errors.Is(err, errFull) {
		t.Errorf("commit on a full disk: %v", err)
	}
	if _, err := s.Game(1); !errors.Is(err, pbem.ErrNotFound) {
		t.Errorf("half of it was kept: %v", err)
	}
	if o, err := s.Outgoing("a"); err != nil || !bytes.Equal(o.Message, large(1)) {
		t.Errorf("the mail from before: %v", err)
	}
}

func TestDamagedFileIsNotHandedOut(t *testing.T) {
	s := fresh(t)
	commit(t, s, pbem.Change{Mails: []pbem.Mail{{Key: "k", Raw: large(1)}}})
	if err := os.WriteFile(s.files.path(nameOf(large(1))), []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Mail("k"); err == nil {
		t.Error("bytes that have changed were handed out")
	}
}

func TestBackupWhileServing(t *testing.T) {
	s := fresh(t)
	stop, done := make(chan bool), make(chan error)
	commit(t, s, pbem.Change{Games: []pbem.Game{{ID: 1, Rev: 1}}, Mails: []pbem.Mail{{Key: "k", Raw: large(7)}}})
	go func() {
		for rev := 2; ; rev++ {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			c := pbem.Change{
				Games: []pbem.Game{{ID: 1, Rev: rev, Log: rev - 1}},
				Log:   []pbem.GameEntry{{Game: 1, Entry: pbem.Entry{N: rev - 1}}},
				Mails: []pbem.Mail{{Key: fmt.Sprint(rev), Raw: large(byte(rev))}},
			}
			if err := s.Commit(c); err != nil {
				done <- err
				return
			}
		}
	}()
	for i := range 3 {
		dir := filepath.Join(t.TempDir(), fmt.Sprint("copy", i))
		path, err := s.Backup(dir)
		if err != nil {
			t.Fatal(err)
		}
		c := open(t, path, Options{})
		g, err := c.Game(1)
		if err != nil {
			t.Fatal(err)
		}
		if log, _ := c.Log(1, 0); len(log) != g.Log {
			t.Errorf("the copy has a log of %d entries and a game that knows of %d", len(log), g.Log)
		}
		list, err := c.Mails(0, 1000)
		if err != nil || len(list) != g.Log+1 {
			t.Errorf("the copy has %d mails, want %d (%v)", len(list), g.Log+1, err)
		}
		for _, m := range list {
			if _, err := c.Mail(m.Key); err != nil {
				t.Errorf("mail %s of the copy: %v", m.Key, err)
			}
		}
	}
	close(stop)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestReadOnlyStoreReadsAndRefuses(t *testing.T) {
	s := fresh(t)
	commit(t, s, pbem.Change{Games: []pbem.Game{{ID: 1, Rev: 1}}})
	s.Close()
	n := open(t, s.path, Options{ReadOnly: true})
	if _, err := n.Game(1); err != nil {
		t.Error(err)
	}
	if err := n.Commit(pbem.Change{Games: []pbem.Game{{ID: 1, Rev: 2}}}); err == nil {
		t.Error("a read-only store took a commit")
	}
}

// frozen is what the database of schema version 1 in testdata holds.
func frozen() pbem.Change {
	at := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	undo := 1
	return pbem.Change{
		Games: []pbem.Game{{ID: 7, Rev: 1, Rules: "blitz41", Stage: pbem.Playing, Created: at,
			Chains: pbem.Secrets{Dice: []byte{1, 2}, Seal: []byte{3}, Hidden: []byte{4}, Links: 4096},
			Seats: []pbem.Seat{{Side: "axis", Name: "Anna", Address: "anna@players.example", Tokens: []int{1, 2}},
				{Side: "soviet", Name: "Boris", Address: "boris@players.example"}},
			Timers: []pbem.Timer{{Kind: "days", At: at}}}},
		Log:      []pbem.GameEntry{{Game: 7, Entry: pbem.Entry{N: 1, At: at}}, {Game: 7, Entry: pbem.Entry{N: 2, At: at, Undo: &undo}}},
		Records:  []pbem.GameRecord{{Game: 7, Record: pbem.Sealed{N: 1, Kind: "start", Text: "pbem-record v1 start\n"}}},
		Bursts:   []pbem.GameBurst{{Game: 7, Burst: pbem.Burst{N: 1, At: at, Lines: []pbem.Line{{N: 3, Text: "END PHASE"}}}}},
		Data:     map[string]map[string][]byte{"d": {"map.toml": []byte("rows = 30\n")}},
		Mails:    []pbem.Mail{{Key: "k", Received: at, Handled: at, Outcome: pbem.Accepted, Raw: []byte("raw")}},
		Accounts: []pbem.Account{{Address: "anna@players.example", Hour: at, Received: 4}},
		Outgoing: []pbem.Outgoing{{ID: "g7.axis.r1", State: pbem.OutPending, Queued: at, Next: at, Message: []byte("Subject: [7]\r\n\r\n")}},
	}
}

func TestDatabaseOfVersion1(t *testing.T) {
	golden := filepath.Join("..", "testdata", "store", "v1.db")
	if os.Getenv("PBEM_FREEZE") != "" && schema == 1 { // made once; never again
		s := fresh(t)
		commit(t, s, frozen())
		if _, err := s.Attempt("1/5"); err != nil {
			t.Fatal(err)
		}
		os.Remove(golden)
		small, err := bbolt.Open(golden, 0o644, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := bbolt.Compact(small, s.db, 0); err != nil {
			t.Fatal(err)
		}
		small.Close()
	}
	b, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "v1.db")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, path, Options{})
	if v, err := s.Version(); v != schema || err != nil {
		t.Errorf("version %d, %v", v, err)
	}
	want := frozen()
	g, err := s.Game(7)
	if err != nil || !reflect.DeepEqual(g, want.Games[0]) {
		t.Errorf("game: %+v, %v", g, err)
	}
	if log, err := s.Log(7, 0); err != nil || len(log) != 2 || *log[1].Undo != 1 {
		t.Errorf("log: %v, %v", log, err)
	}
	if r, err := s.Records(7, 0); err != nil || len(r) != 1 || r[0].Kind != "start" {
		t.Errorf("records: %v, %v", r, err)
	}
	if b, err := s.Burst(7, 1); err != nil || b.Lines[0].Text != "END PHASE" {
		t.Errorf("burst: %v, %v", b, err)
	}
	if d, err := s.Data("d"); err != nil || string(d["map.toml"]) != "rows = 30\n" {
		t.Errorf("data: %v, %v", d, err)
	}
	if m, err := s.Mail("k"); err != nil || string(m.Raw) != "raw" {
		t.Errorf("mail: %+v, %v", m, err)
	}
	if a, err := s.Account("anna@players.example"); err != nil || a.Received != 4 {
		t.Errorf("account: %+v, %v", a, err)
	}
	if o, err := s.Outgoing("g7.axis.r1"); err != nil || !bytes.HasPrefix(o.Message, []byte("Subject")) {
		t.Errorf("outgoing: %+v, %v", o, err)
	}
	if n, err := s.Attempt("1/5"); n != 2 || err != nil {
		t.Errorf("attempt: %d, %v", n, err)
	}
	if refs, _ := s.Seats("anna@players.example"); len(refs) != 1 || refs[0].Game != 7 {
		t.Errorf("seats: %v", refs)
	}
	if ids, _ := s.Timers(time.Now().AddDate(10, 0, 0), 5); len(ids) != 1 {
		t.Errorf("timers: %v", ids)
	}
}

// BenchmarkCommit is one mail's commit among so many games.
func BenchmarkCommit(b *testing.B) {
	for _, games := range []int{10, 1000, 10000} {
		b.Run(fmt.Sprint(games), func(b *testing.B) {
			s := fresh(b)
			var c pbem.Change
			for i := range games {
				g := frozen().Games[0]
				g.ID = pbem.GameID(i + 1)
				c.Games = append(c.Games, g)
			}
			commit(b, s, c)
			g := c.Games[games/2]
			for i := 0; b.Loop(); i++ {
				if _, err := s.Seats("anna@players.example.none"); err != nil {
					b.Fatal(err)
				}
				g.Rev++
				commit(b, s, pbem.Change{Games: []pbem.Game{g},
					Log:      []pbem.GameEntry{{Game: g.ID, Entry: pbem.Entry{N: i + 1}}},
					Mails:    []pbem.Mail{{Key: fmt.Sprint("key", i), Raw: []byte("raw")}},
					Outgoing: []pbem.Outgoing{{ID: fmt.Sprint("out", i), State: pbem.OutPending, Message: make([]byte, 4000)}}})
			}
		})
	}
}
