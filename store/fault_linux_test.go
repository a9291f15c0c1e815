package store

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pbemd/pbem"
)

// The environment of a child process that writes until it is stopped.
const (
	childPath  = "PBEM_STORE_CHILD"
	childLimit = "PBEM_STORE_LIMIT" // octets that a file may have
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childPath); path != "" {
		os.Exit(child(path))
	}
	os.Exit(m.Run())
}

// child commits a mail after the other and says which are on disk.
func child(path string) int {
	if n, err := strconv.ParseUint(os.Getenv(childLimit), 10, 64); err == nil {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
			fmt.Println("limit", err)
			return 3
		}
	}
	s, err := Open(path, Options{})
	if err != nil {
		fmt.Println("open", err)
		return 3
	}
	first := 0
	if g, err := s.Game(1); err == nil {
		first = g.Rev
	}
	for rev := first + 1; ; rev++ {
		if err := s.Commit(step(rev)); err != nil {
			fmt.Println("failed", rev)
			// A full disk is no end: reading goes on, and so does writing when
			// there is room.
			if g, err := s.Game(1); err != nil || g.Rev != rev-1 {
				fmt.Println("read", g.Rev, err)
				return 3
			}
			return 2
		}
		fmt.Println("kept", rev)
	}
}

// step is a change of which every part names the revision; now and then a mail
// is large.
func step(rev int) pbem.Change {
	size := 12000
	if rev%7 == 0 {
		size = Large + 1000
	}
	return pbem.Change{
		Games:    []pbem.Game{{ID: 1, Rev: rev, Log: rev}},
		Log:      []pbem.GameEntry{{Game: 1, Entry: pbem.Entry{N: rev, Burst: rev}}},
		Mails:    []pbem.Mail{{Key: fmt.Sprint("mail", rev), Raw: bytes.Repeat([]byte{byte(rev)}, size)}},
		Outgoing: []pbem.Outgoing{{ID: fmt.Sprint("out", rev), State: pbem.OutPending, Message: bytes.Repeat([]byte{byte(rev)}, size)}},
	}
}

// whole opens the store and checks that it holds all changes up to one, each of
// them whole.
func whole(t *testing.T, path string, kept int) int {
	t.Helper()
	s := open(t, path, Options{})
	defer s.Close()
	g, err := s.Game(1)
	if errors.Is(err, pbem.ErrNotFound) && kept == 0 {
		return 0
	}
	if err != nil || g.Rev < kept || g.Rev > kept+1 {
		t.Fatalf("the store is at revision %d (%v), %d was said to be kept", g.Rev, err, kept)
	}
	log, err := s.Log(1, 0)
	if err != nil || len(log) != g.Rev {
		t.Fatalf("revision %d has a log of %d entries, %v", g.Rev, len(log), err)
	}
	for rev := 1; rev <= g.Rev; rev++ {
		want := step(rev)
		m, err := s.Mail(want.Mails[0].Key)
		if err != nil || !bytes.Equal(m.Raw, want.Mails[0].Raw) {
			t.Fatalf("mail of revision %d: %d bytes, %v", rev, len(m.Raw), err)
		}
		o, err := s.Outgoing(want.Outgoing[0].ID)
		if err != nil || !bytes.Equal(o.Message, want.Outgoing[0].Message) {
			t.Fatalf("outgoing mail of revision %d: %d bytes, %v", rev, len(o.Message), err)
		}
	}
	return g.Rev
}

func start(t *testing.T, path string, limit int) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), childPath+"="+path, childLimit+"="+fmt.Sprint(limit))
	if limit == 0 {
		c.Env[len(c.Env)-1] = childLimit + "="
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c, bufio.NewScanner(out)
}

// kept reads the child's words to their end.
func kept(s *bufio.Scanner, last int) (int, string) {
	words := ""
	for s.Scan() {
		if n, ok := strings.CutPrefix(s.Text(), "kept "); ok {
			last, _ = strconv.Atoi(n)
		} else {
			words += s.Text() + "; "
		}
	}
	return last, words
}

func TestKilledStoreHoldsWhatItSaidItKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pbem.db")
	rev := 0
	for i := range 12 {
		c, out := start(t, path, 0)
		time.AfterFunc(time.Duration(20+17*i)*time.Millisecond, func() { c.Process.Kill() })
		n, words := kept(out, rev)
		_ = c.Wait()
		if words != "" {
			t.Fatalf("the child says %s", words)
		}
		rev = whole(t, path, n)
	}
	if rev < 10 {
		t.Errorf("only %d commits in 12 lives", rev)
	}
	t.Logf("%d commits in 12 lives", rev)
}

func TestFullDiskIsAnErrorAndNoDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pbem.db")
	c, out := start(t, path, 17<<20)
	n, words := kept(out, 0)
	err := c.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.HasPrefix(words, "failed ") {
		t.Fatalf("the child ended with %v and said %s after %d commits", err, words, n)
	}
	whole(t, path, n)
	// With room again it goes on.
	s := open(t, path, Options{})
	if err := s.Commit(step(n + 1)); err != nil {
		t.Errorf("the next commit with room: %v", err)
	}
	t.Logf("the disk was full after %d commits", n)
}
