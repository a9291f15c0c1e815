package pbemtest

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"pbemd/engine"
	"pbemd/pbem"
)

// noon is when suites begin.
var noon = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// TestArchive runs what every Archive must keep. The archive that open returns
// is empty; reopen, if not nil, closes it and opens it again as after a restart.
func TestArchive(t *testing.T, open func(t *testing.T) pbem.Archive, reopen func(t *testing.T, a pbem.Archive) pbem.Archive) {
	if reopen == nil {
		reopen = func(_ *testing.T, a pbem.Archive) pbem.Archive { return a }
	}
	for _, c := range []struct {
		name string
		run  func(t *testing.T, a pbem.Archive, again func() pbem.Archive)
	}{
		{"what is not there is ErrNotFound", archiveNothing},
		{"a game comes back as it was", archiveGame},
		{"a game that has moved refuses the whole change", archiveMoved},
		{"game numbers are never used again", archiveNumbers},
		{"logs records and bursts are read from a number on", archiveLog},
		{"seats are found by address while they have it", archiveSeats},
		{"timers run out in order and are forgotten with the game's", archiveTimers},
		{"incoming mails are found by key and listed latest first", archiveMails},
		{"attempts count until they are done", archiveAttempts},
		{"outgoing mails are frozen and found by state and time", archiveOutbox},
		{"large bytes come back", archiveLarge},
		{"what was read belongs to the reader", archiveOwn},
		{"data sets are kept by digest", archiveData},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
			a := open(t)
			c.run(t, a, func() pbem.Archive { return reopen(t, a) })
		})
	}
	t.Run("random-changes-read-as-in-the-plain-model", func(t *testing.T) {
		rapid.Check(t, func(r *rapid.T) { archiveModel(r, open(t)) })
	})
}

func commit(t testing.TB, a pbem.Archive, c pbem.Change) {
	t.Helper()
	if err := a.Commit(c); err != nil {
		t.Fatalf("commit: %v", err)
	}
}

func sample(id pbem.GameID, rev int) pbem.Game {
	return pbem.Game{
		ID: id, Rev: rev, Rules: "toy", Stage: pbem.Playing, Created: noon,
		Seats: []pbem.Seat{
			{Side: "axis", Name: "Anna", Address: "Anna@players.example", Standing: []string{"DEFAULT YIELD"}, Tokens: []int{3, 4}},
			{Side: "soviet", Name: "Boris", Address: "boris@players.example", Notices: []engine.Text{engine.T("mail.bad-keys", "n", "3")}},
		},
		Chains: pbem.Secrets{Dice: []byte{1}, Seal: []byte{2}, Hidden: []byte{3}, Links: 8},
		Pending: &pbem.Pending{Burst: 2, No: 1, Asked: noon, Deadline: noon.Add(time.Hour),
			Question: &engine.Question{Decision: "D04", Side: "soviet", Options: []engine.Option{{Clause: "HOLD"}, {Clause: "YIELD"}}}},
		Timers: []pbem.Timer{{Kind: "answer", Side: "soviet", At: noon.Add(time.Hour)}},
	}
}

func wantErr(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: error %v, want %v", what, err, want)
	}
}

func archiveNothing(t *testing.T, a pbem.Archive, _ func() pbem.Archive) {
	_, err := a.Game(7)
	wantErr(t, "game", err, pbem.ErrNotFound)
	_, err = a.Burst(7, 1)
	wantErr(t, "burst", err, pbem.ErrNotFound)
	_, err = a.Mail("x")
	wantErr(t, "mail", err, pbem.ErrNotFound)
	_, err = a.Outgoing("x")
	wantErr(t, "outgoing", err, pbem.ErrNotFound)
	_, err = a.Data("x")
	wantErr(t, "data", err, pbem.ErrNotFound)
	if log, err := a.Log(7, 0); len(log) != 0 || err != nil {
		t.Errorf("log of no game: %v, %v", log, err)
	}
	if acc, err := a.Account("x@y.example"); acc.Address != "x@y.example" || acc.Received != 0 || err != nil {
		t.Errorf("account of nobody: %+v, %v", acc, err)
	}
	if id, err := a.NextGame(); id != 1 || err != nil {
		t.Errorf("first game is %v, %v", id, err)
	}
}

func archiveGame(t *testing.T, a pbem.Archive, again func() pbem.Archive) {
	want := sample(3, 1)
	commit(t, a, pbem.Change{Games: []pbem.Game{want}})
	a = again()
	got, err := a.Game(3)
	if err != nil || !reflect.DeepEqual(clone(got), clone(want)) {
		t.Errorf("game is\n%+v, %v; want\n%+v", got, err, want)
	}
	commit(t, a, pbem.Change{Games: []pbem.Game{sample(12, 1), sample(5, 1)}})
	list, err := a.Games(3, 10)
	if err != nil || len(list) != 2 || list[0].ID != 5 || list[1].ID != 12 {
		t.Errorf("games after 3: %v, %v", list, err)
	}
	if list, _ := a.Games(0, 1); len(list) != 1 || list[0].ID != 3 {
		t.Errorf("first game: %v", list)
	}
}

func archiveMoved(t *testing.T, a pbem.Archive, again func() pbem.Archive) {
	commit(t, a, pbem.Change{Games: []pbem.Game{sample(1, 1)}})
	for _, rev := range []int{1, 3, 0} {
		err := a.Commit(pbem.Change{
			Games: []pbem.Game{sample(2, 1), sample(1, rev)},
			Log:   []pbem.GameEntry{{Game: 1, Entry: pbem.Entry{N: 1}}},
			Mails: []pbem.Mail{{Key: "k"}}, Outgoing: []pbem.Outgoing{{ID: "o", State: pbem.OutPending, Message: []byte("x")}},
			Accounts: []pbem.Account{{Address: "x@y.example", Received: 5}},
		})
		wantErr(t, fmt.Sprintf("revision %d over 1", rev), err, pbem.ErrMoved)
	}
	a = again()
	if _, err := a.Game(2); !errors.Is(err, pbem.ErrNotFound) {
		t.Errorf("half a change was written: game 2: %v", err)
	}
	if log, _ := a.Log(1, 0); len(log) > 0 {
		t.Errorf("half a change was written: %v", log)
	}
	if _, err := a.Mail("k"); !errors.Is(err, pbem.ErrNotFound) {
		t.Errorf("half a change was written: mail: %v", err)
	}
	if due, _ := a.Due(noon, 9); len(due) > 0 {
		t.Errorf("half a change was written: %v", due)
	}
	commit(t, a, pbem.Change{Games: []pbem.Game{sample(1, 2)}})
}

func archiveNumbers(t *testing.T, a pbem.Archive, again func() pbem.Archive) {
	commit(t, a, pbem.Change{Games: []pbem.Game{sample(41, 1)}})
	commit(t, a, pbem.Change{Games: []pbem.Game{sample(40, 1)}})
	a = again()
	if id, err := a.NextGame(); id != 42 || err != nil {
		t.Errorf("next game after 41 is %v, %v", id, err)
	}
}

func archiveLog(t *testing.T, a pbem.Archive, again func() pbem.Archive) {
	var c pbem.Change
	cut := 2
	for n := 1; n <= 300; n++ {
		e := pbem.Entry{N: n, At: noon, Burst: n, Event: &engine.Record{Seq: n, Kind: "Moved", Data: []byte(`{"a":1}`)}}
		if n == 4 {
			e.Event, e.Undo = nil, &cut
		}
		c.Log = append(c.Log, pbem.GameEntry{Game: 2, Entry: e}, pbem.GameEntry{Game: 3, Entry: pbem.Entry{N: n}})
		c.Records = append(c.Records, pbem.GameRecord{Game: 2, Record: pbem.Sealed{N: n, Text: fmt.Sprint("record ", n)}})
		c.Bursts = append(c.Bursts, pbem.GameBurst{Game: 2, Burst: pbem.Burst{N: n, Lines: []pbem.Line{{N: n, Text: "MOVE"}}}})
	}
	commit(t, a, c)
	a = again()
	log, err := a.Log(2, 298)
	if err != nil || len(log) != 2 || log[0].N != 299 || string(log[1].Event.Data) != `{"a":1}` {
		t.Errorf("log after 298: %v, %v", log, err)
	}
	if log, _ = a.Log(2, 0); len(log) != 300 || log[3].Undo == nil || *log[3].Undo != 2 {
		t.Errorf("whole log has %d entries", len(log))
	}
	if r, err := a.Records(2, 299); err != nil || len(r) != 1 || r[0].Text != "record 300" {
		t.Errorf("records after 299: %v, %v", r, err)
	}
	b, err := a.Burst(2, 256)
	if err != nil || b.N != 256 || len(b.Lines) != 1 {
		t.Errorf("burst 256: %+v, %v", b, err)
	}
	b.Undone = true
	commit(t, a, pbem.Change{Bursts: []pbem.GameBurst{{Game: 2, Burst: b}}})
	if b, _ := a.Burst(2, 256); !b.Undone {
		t.Error("a burst can't be marked as undone")
	}
}

func archiveSeats(t *testing.T, a pbem.Archive, again func() pbem.Archive) {
	g := sample(9, 1)
	commit(t, a, pbem.Change{Games: []pbem.Game{g, sample(300, 1)}})
	a = again()
	list, err := a.Seats("ANNA@players.example")
	if want := []pbem.SeatRef{{Game: 9, Side: "axis"}, {Game: 300, Side: "axis"}}; err != nil || !reflect.DeepEqual(list, want) {
		t.Errorf("seats of Anna: %v, %v; want %v", list, err, want)
	}
	if list, _ := a.Seats("anna@players.exampl"); len(list) > 0 {
		t.Errorf("seats of a shorter address: %v", list)
	}
	g.Rev, g.Seats[0].Address = 2, "carla@players.example"
	commit(t, a, pbem.Change{Games: []pbem.Game{g}})
	if list, _ := a.Seats("anna@players.example"); len(list) != 1 || list[0].Game != 300 {
		t.Errorf("seats of Anna after she left game 9: %v", list)
	}
	if list, _ := a.Seats("carla@players.example"); len(list) != 1 {
		t.Errorf("seats of Carla: %v", list)
	}
}

func archiveTimers(t *testing.T, a pbem.Archive, again func() pbem.Archive) {
	early, late := sample(1, 1), sample(2, 1)
	late.Timers = []pbem.Timer{{Kind: "days", At: noon.Add(3 * time.Hour)}, {Kind: "tell", At: noon.Add(2 * time.Hour)}}
	commit(t, a, pbem.Change{Games: []pbem.Game{late, early}})
	a = again()
	for _, c := range []struct {
		after time.Duration
		n     int
		want  []pbem.GameID
	}{{time.Hour - 1, 9, nil}, {time.Hour, 9, []pbem.GameID{1}}, {5 * time.Hour, 9, []pbem.GameID{1, 2}}, {5 * time.Hour, 1, []pbem.GameID{1}}} {
		if got, err := a.Timers(noon.Add(c.after), c.n); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("timers after %v: %v, %v; want %v", c.after, got, err, c.want)
		}
	}
	early.Rev, early.Timers = 2, nil
	commit(t, a, pbem.Change{Games: []pbem.Game{early}})
	if got, _ := a.Timers(noon.Add(5*time.Hour), 9); len(got) != 1 || got[0] != 2 {
		t.Errorf("timers after those of game 1 are gone: %v", got)
	}
}

func archiveMails(t *testing.T, a pbem.Archive, again func() pbem.Archive) {
	for n := range 5 {
		commit(t, a, pbem.Change{Mails: []pbem.Mail{{Key: fmt.Sprint("k", 9-n), From: "a@b.example", Outcome: pbem.Accepted, Raw: []byte{byte(n)}, Games: []pbem.GameID{4}}}})
	}
	a = again()
	m, err := a.Mail("k7")
	if err != nil || m.Key != "k7" || !bytes.Equal(m.Raw, []byte{2}) || m.Outcome != pbem.Accepted || len(m.Games) != 1 {
		t.Errorf("mail k7: %+v, %v", m, err)
	}
	list, err := a.Mails(0, 2)
	if err != nil || len(list) != 2 || list[0].Key != "k5" || list[1].Key != "k6" {
		t.Fatalf("latest two: %v, %v", list, err)
	}
	if list, _ = a.Mails(list[1].Order, 9); len(list) != 3 || list[0].Key != "k7" || list[2].Key != "k9" {
		t.Errorf("those before: %v", list)
	}
	m.Outcome, m.Raw = pbem.Quarantined, nil
	commit(t, a, pbem.Change{Mails: []pbem.Mail{m}})
	if again, _ := a.Mail("k7"); again.Outcome != pbem.Quarantined || again.Order != m.Order || len(again.Raw) != 1 {
		t.Errorf("mail k7 judged again: %+v", again)
	}
}

func archiveAttempts(t *testing.T, a pbem.Archive, again func() pbem.Archive) {
	for want := 1; want <= 3; want++ {
		if n, err := a.Attempt("1/7"); n != want || err != nil {
			t.Errorf("attempt %d counted as %d, %v", want, n, err)
		}
		if n, err := a.Attempts("1/7"); n != want || err != nil {
			t.Errorf("after attempt %d there were %d, %v", want, n, err)
		}
		a = again()
	}
	if n, _ := a.Attempt("2/7"); n != 1 {
		t.Errorf("another mailbox begins with %d", n)
	}
	commit(t, a, pbem.Change{Done: []string{"1/7", "5/5"}})
	if n, err := a.Attempts("1/7"); n != 0 || err != nil {
		t.Errorf("after it was done there were %d, %v", n, err)
	}
	if n, _ := a.Attempt("1/7"); n != 1 {
		t.Errorf("after it was done: %d", n)
	}
}

func archiveOutbox(t *testing.T, a pbem.Archive, again func() pbem.Archive) {
	o := func(id string, next time.Duration) pbem.Outgoing {
		return pbem.Outgoing{ID: id, State: pbem.OutPending, Next: noon.Add(next), To: "b@c.example", Message: []byte("mail " + id)}
	}
	commit(t, a, pbem.Change{Outgoing: []pbem.Outgoing{o("a", time.Hour), o("b", 0), o("c", -time.Hour)}})
	a = again()
	due, err := a.Due(noon, 9)
	if err != nil || len(due) != 2 || due[0].ID != "c" || due[1].ID != "b" || due[0].Message != nil || due[0].Size != 6 {
		t.Fatalf("due at noon: %+v, %v", due, err)
	}
	whole, err := a.Outgoing("c")
	if err != nil || string(whole.Message) != "mail c" {
		t.Errorf("mail c: %q, %v", whole.Message, err)
	}
	if err := a.Commit(pbem.Change{Outgoing: []pbem.Outgoing{{ID: "c", State: pbem.OutPending, Message: []byte("other")}}}); err == nil {
		t.Error("frozen bytes could be replaced")
	}
	sent := due[0]
	sent.State, sent.Sent = pbem.OutSent, noon
	later := due[1]
	later.Tries, later.Next = 1, noon.Add(time.Minute)
	commit(t, a, pbem.Change{Outgoing: []pbem.Outgoing{sent, later}})
	if due, _ := a.Due(noon, 9); len(due) != 0 {
		t.Errorf("still due at noon: %v", due)
	}
	if due, _ := a.Due(noon.Add(2*time.Hour), 1); len(due) != 1 || due[0].ID != "b" || due[0].Tries != 1 {
		t.Errorf("due two hours later: %v", due)
	}
	if list, _ := a.Outbox(pbem.OutPending, "", 9); len(list) != 2 || list[0].ID != "a" || list[1].ID != "b" {
		t.Errorf("pending: %v", list)
	}
	if list, _ := a.Outbox(pbem.OutPending, "a", 9); len(list) != 1 || list[0].ID != "b" {
		t.Errorf("pending after a: %v", list)
	}
	if list, _ := a.Outbox(pbem.OutSent, "", 9); len(list) != 1 || list[0].ID != "c" || list[0].Size != 6 {
		t.Errorf("sent: %v", list)
	}
	if whole, _ := a.Outgoing("c"); string(whole.Message) != "mail c" {
		t.Errorf("bytes of the sent mail: %q", whole.Message)
	}
}

func archiveLarge(t *testing.T, a pbem.Archive, again func() pbem.Archive) {
	for _, size := range []int{0, 1, 64 << 10, 64<<10 + 1, 300 << 10} {
		b := bytes.Repeat([]byte("large "), size/6+1)[:size]
		id := fmt.Sprint("o", size)
		commit(t, a, pbem.Change{
			Mails:    []pbem.Mail{{Key: id, Raw: b}},
			Outgoing: []pbem.Outgoing{{ID: id, State: pbem.OutPending, Message: b}},
		})
		a = again()
		o, err := a.Outgoing(id)
		if err != nil || !bytes.Equal(o.Message, b) || o.Size != size {
			t.Errorf("outgoing mail of %d bytes came back with %d, %v", size, len(o.Message), err)
		}
		m, err := a.Mail(id)
		if err != nil || !bytes.Equal(m.Raw, b) {
			t.Errorf("incoming mail of %d bytes came back with %d, %v", size, len(m.Raw), err)
		}
	}
}

func archiveOwn(t *testing.T, a pbem.Archive, _ func() pbem.Archive) {
	g := sample(1, 1)
	raw := []byte("raw")
	commit(t, a, pbem.Change{Games: []pbem.Game{g}, Mails: []pbem.Mail{{Key: "k", Raw: raw}}})
	g.Seats[0].Name, g.Pending.Question.Options[0].Clause, raw[0] = "Mallory", "X", 'X'
	got, _ := a.Game(1)
	m, _ := a.Mail("k")
	if got.Seats[0].Name != "Anna" || got.Pending.Question.Options[0].Clause != "HOLD" || string(m.Raw) != "raw" {
		t.Error("the archive shares what was committed")
	}
	got.Seats[1].Name, m.Raw[0] = "Mallory", 'X'
	got, _ = a.Game(1)
	m, _ = a.Mail("k")
	if got.Seats[1].Name != "Boris" || string(m.Raw) != "raw" {
		t.Error("the archive shares what was read")
	}
}

func archiveData(t *testing.T, a pbem.Archive, again func() pbem.Archive) {
	commit(t, a, pbem.Change{Data: map[string]map[string][]byte{"d1": {"map.toml": []byte("m"), "charts.toml": []byte("c")}, "d10": {"x": nil}}})
	a = again()
	files, err := a.Data("d1")
	if err != nil || len(files) != 2 || string(files["map.toml"]) != "m" {
		t.Errorf("data set d1: %v, %v", files, err)
	}
}

// archiveModel does the same random things to an archive and to the plain one.
func archiveModel(r *rapid.T, a pbem.Archive) {
	model := NewMemory()
	revs := map[pbem.GameID]int{}
	ids := rapid.SampledFrom([]string{"a", "b", "c", "d"})
	hour := func() time.Time { return noon.Add(time.Duration(rapid.IntRange(-3, 3).Draw(r, "hour")) * time.Hour) }
	both := func(c pbem.Change) error {
		e1, e2 := model.Commit(c), a.Commit(c)
		if (e1 == nil) != (e2 == nil) {
			r.Fatalf("commit of %+v: %v, the model says %v", c, e2, e1)
		}
		return e1
	}
	same := func(what string, got, want any, e1, e2 error) {
		if (e1 == nil) != (e2 == nil) || !reflect.DeepEqual(got, want) {
			r.Fatalf("%s: got\n%+v, %v; the model has\n%+v, %v", what, got, e1, want, e2)
		}
	}
	r.Repeat(map[string]func(*rapid.T){
		"game": func(r *rapid.T) {
			id := pbem.GameID(rapid.IntRange(1, 4).Draw(r, "game"))
			g := sample(id, revs[id]+1+rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(r, "jump"))
			g.Timers = nil
			for range rapid.IntRange(0, 2).Draw(r, "timers") {
				g.Timers = append(g.Timers, pbem.Timer{Kind: "t", At: hour()})
			}
			g.Seats[0].Address = rapid.SampledFrom([]string{"x@a.example", "y@a.example", ""}).Draw(r, "address")
			n := rapid.IntRange(1, 5).Draw(r, "entry")
			err := both(pbem.Change{Games: []pbem.Game{g}, Log: []pbem.GameEntry{{Game: id, Entry: pbem.Entry{N: n, Burst: g.Rev}}}})
			if err == nil {
				revs[id] = g.Rev
			}
		},
		"mail": func(r *rapid.T) {
			m := pbem.Mail{Key: ids.Draw(r, "key"), Outcome: rapid.SampledFrom([]pbem.Outcome{pbem.Accepted, pbem.Ignored}).Draw(r, "outcome")}
			m.Raw = []byte(m.Key)
			_ = both(pbem.Change{Mails: []pbem.Mail{m}, Done: []string{ids.Draw(r, "done")}})
		},
		"attempt": func(r *rapid.T) {
			ref := ids.Draw(r, "ref")
			n1, e1 := a.Attempt(ref)
			n2, e2 := model.Attempt(ref)
			same("attempt", n1, n2, e1, e2)
		},
		"outgoing": func(r *rapid.T) {
			o := pbem.Outgoing{ID: ids.Draw(r, "id"), Next: hour(),
				State: rapid.SampledFrom([]pbem.OutState{pbem.OutPending, pbem.OutSent, pbem.OutParked}).Draw(r, "state")}
			if rapid.Bool().Draw(r, "new") {
				o.Message = []byte("mail " + o.ID)
			} else if old, err := model.Outgoing(o.ID); err == nil {
				o.Size = old.Size
			}
			_ = both(pbem.Change{Outgoing: []pbem.Outgoing{o}})
		},
		"": func(r *rapid.T) {
			for id := pbem.GameID(1); id <= 4; id++ {
				g1, e1 := a.Game(id)
				g2, e2 := model.Game(id)
				same("game", g1, g2, e1, e2)
				l1, e1 := a.Log(id, 2)
				l2, e2 := model.Log(id, 2)
				same("log", l1, l2, e1, e2)
			}
			for _, addr := range []string{"x@a.example", "Y@a.example"} {
				s1, e1 := a.Seats(addr)
				s2, e2 := model.Seats(addr)
				same("seats", s1, s2, e1, e2)
			}
			t1, e1 := a.Timers(noon, 3)
			t2, e2 := model.Timers(noon, 3)
			same("timers", t1, t2, e1, e2)
			m1, e1 := a.Mails(0, 3)
			m2, e2 := model.Mails(0, 3)
			same("mails", m1, m2, e1, e2)
			d1, e1 := a.Due(noon, 3)
			d2, e2 := model.Due(noon, 3)
			same("due", d1, d2, e1, e2)
			for _, st := range []pbem.OutState{pbem.OutPending, pbem.OutSent} {
				o1, e1 := a.Outbox(st, "a", 3)
				o2, e2 := model.Outbox(st, "a", 3)
				same("outbox", o1, o2, e1, e2)
			}
			for _, id := range []string{"a", "b", "c", "d"} {
				o1, e1 := a.Outgoing(id)
				o2, e2 := model.Outgoing(id)
				same("outgoing", o1, o2, e1, e2)
			}
		},
	})
}
