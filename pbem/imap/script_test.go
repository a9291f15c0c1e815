package imap_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pbemd/pbem"
	"pbemd/pbem/imap"
)

// script is an IMAP server that does exactly what a test wants. For each
// command line it calls answer with the tag, the command in upper case, and the
// whole line; what answer returns goes out as it is. The return "mute" says
// nothing, "cut" closes.
type script struct {
	t      *testing.T
	addr   string
	caps   string
	answer func(tag, cmd, line string) string
	conns  atomic.Int32

	mu  sync.Mutex
	log []string
}

const mute, cut = "mute", "cut"

func play(t *testing.T, caps string, answer func(tag, cmd, line string) string) *script {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &script{t: t, addr: l.Addr().String(), caps: strings.TrimSpace("IMAP4rev1 " + caps), answer: answer}
	var all sync.WaitGroup
	t.Cleanup(func() { l.Close(); all.Wait() })
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.conns.Add(1)
			all.Go(func() { s.serve(c) })
		}
	})
	return s
}

func (s *script) serve(c net.Conn) {
	defer c.Close()
	c.SetDeadline(time.Now().Add(20 * time.Second))
	fmt.Fprintf(c, "* OK [CAPABILITY %s] ready\r\n", s.caps)
	r := bufio.NewReader(c)
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimRight(line, "\r\n")
		s.mu.Lock()
		s.log = append(s.log, line)
		s.mu.Unlock()
		tag, rest, _ := strings.Cut(line, " ")
		words := strings.Fields(strings.ToUpper(rest))
		cmd := ""
		if len(words) > 0 {
			cmd = words[0]
		}
		if cmd == "UID" && len(words) > 1 {
			cmd = "UID " + words[1]
		}
		out := s.answer(tag, cmd, line)
		if out == "" {
			out = s.usual(tag, cmd)
		}
		switch out {
		case mute:
		case cut:
			return
		default:
			fmt.Fprint(c, out)
		}
	}
}

// usual is a good server with one message, number 7.
func (s *script) usual(tag, cmd string) string {
	switch cmd {
	case "CAPABILITY":
		return "* CAPABILITY " + s.caps + "\r\n" + tag + " OK done\r\n"
	case "SELECT":
		return "* 1 EXISTS\r\n* OK [UIDVALIDITY 44] ok\r\n" + tag + " OK [READ-WRITE] done\r\n"
	case "LIST":
		return "* LIST () \"/\" Processed\r\n" + tag + " OK done\r\n"
	case "UID SEARCH":
		return "* SEARCH 7\r\n" + tag + " OK done\r\n"
	case "UID FETCH":
		return "* 1 FETCH (UID 7 RFC822.SIZE 5 INTERNALDATE \"04-Dec-2026 20:00:00 +0000\" FLAGS () BODY[] {5}\r\nhello)\r\n" + tag + " OK done\r\n"
	case "LOGOUT":
		return "* BYE bye\r\n" + tag + " OK done\r\n"
	}
	return tag + " OK done\r\n"
}

// asked counts the commands that contain a text.
func (s *script) asked(text string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, l := range s.log {
		if strings.Contains(strings.ReplaceAll(strings.ToUpper(l), "\"", ""), text) {
			n++
		}
	}
	return n
}

const brief = 300 * time.Millisecond

func (s *script) config() imap.Config {
	return imap.Config{
		Addr: s.addr, Security: imap.None, User: "gm", Password: "hush",
		Poll: 10 * time.Second, Limit: brief, Backoff: soon,
	}
}

func (s *script) inbox() *imap.Inbox {
	in := imap.New(s.config())
	s.t.Cleanup(func() { in.Close() })
	return in
}

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	t.Cleanup(cancel)
	return ctx
}

var seven = pbem.Ref{UIDValidity: 44, UID: 7, Size: 5}

// quickly fails if f takes longer than a few limits: nothing may hang.
func quickly(t *testing.T, f func() error) error {
	t.Helper()
	began := time.Now()
	err := f()
	if took := time.Since(began); took > 20*brief {
		t.Errorf("took %v", took)
	}
	return err
}

func never(string, string, string) string { return "" }

func TestTheScriptedServerIsGoodByItself(t *testing.T) {
	s := play(t, "MOVE UIDPLUS", never)
	in, ctx := s.inbox(), within(t)
	refs, err := in.List(ctx)
	if err != nil || len(refs) != 1 || refs[0].UID != 7 || refs[0].UIDValidity != 44 || refs[0].Size != 5 {
		t.Fatalf("list: %v, %v", refs, err)
	}
	if raw, err := in.Fetch(ctx, refs[0]); err != nil || string(raw) != "hello" {
		t.Errorf("fetch: %q, %v", raw, err)
	}
	if err := in.File(ctx, refs[0], pbem.Processed); err != nil || s.asked("UID MOVE 7 PROCESSED") != 1 {
		t.Errorf("file: %v, %d moves", err, s.asked("UID MOVE"))
	}
}

func TestMuteServerIsGivenUp(t *testing.T) {
	for _, where := range []string{"greeting", "LOGIN", "SELECT", "UID SEARCH", "UID FETCH"} {
		t.Run(where, func(t *testing.T) {
			s := play(t, "MOVE", func(_, cmd, _ string) string {
				if cmd == where {
					return mute
				}
				return ""
			})
			c := s.config()
			if where == "greeting" {
				l, err := net.Listen("tcp", "127.0.0.1:0") // connects, never greets
				if err != nil {
					t.Fatal(err)
				}
				defer l.Close()
				c.Addr = l.Addr().String()
			}
			in := imap.New(c)
			defer in.Close()
			if err := quickly(t, func() error { _, err := in.List(within(t)); return err }); err == nil {
				t.Error("no error")
			}
		})
	}
}

func TestHalfALineIsGivenUp(t *testing.T) {
	var once atomic.Bool
	s := play(t, "MOVE", func(tag, cmd, _ string) string {
		if cmd == "UID FETCH" && once.CompareAndSwap(false, true) {
			return "* 1 FETCH (UID 7 BODY[] {5}\r\nhel"
		}
		return ""
	})
	in, ctx := s.inbox(), within(t)
	if _, err := in.Fetch(ctx, seven); err == nil {
		t.Error("half an answer: no error")
	}
	if raw, err := in.Fetch(ctx, seven); err != nil || string(raw) != "hello" {
		t.Errorf("the next time: %q, %v", raw, err)
	}
}

func TestAnUnknownResponseCostsOnlyTheSession(t *testing.T) {
	var once atomic.Bool
	s := play(t, "MOVE", func(tag, cmd, _ string) string {
		if cmd == "NOOP" && once.CompareAndSwap(false, true) {
			return "* VANISHED 3:5\r\n" + tag + " OK done\r\n"
		}
		return ""
	})
	in, ctx := s.inbox(), within(t)
	if _, err := in.Fetch(ctx, seven); err != nil { // so that the session is an old one
		t.Fatal(err)
	}
	if refs, err := in.List(ctx); err != nil || len(refs) != 1 {
		t.Errorf("list: %v, %v; want a retry on a new session", refs, err)
	}
	if n := s.conns.Load(); n != 2 {
		t.Errorf("%d connections, want 2", n)
	}
}

// An unasked FLAGS update takes the place of the answer in the library, and NIL
// is an answer without a text: neither is an empty mail.
func TestNoTextIsNotAnEmptyMail(t *testing.T) {
	for name, first := range map[string]string{
		"stolen": "* 1 FETCH (UID 7 FLAGS (\\Seen))\r\n* 1 FETCH (UID 7 BODY[] {5}\r\nhello)\r\n",
		"nil":    "* 1 FETCH (UID 7 BODY[] NIL)\r\n",
		"none":   "",
	} {
		t.Run(name, func(t *testing.T) {
			var n atomic.Int32
			s := play(t, "MOVE", func(tag, cmd, _ string) string {
				if cmd == "UID FETCH" && n.Add(1) <= 2 {
					return first + tag + " OK done\r\n"
				}
				return ""
			})
			if raw, err := s.inbox().Fetch(within(t), seven); err != nil || string(raw) != "hello" {
				t.Errorf("fetch: %q, %v", raw, err)
			}
			n.Store(-100)
			if raw, err := s.inbox().Fetch(within(t), seven); err == nil || errors.Is(err, pbem.ErrGone) || raw != nil {
				t.Errorf("never a text: %q, %v; want an error that isn't ErrGone", raw, err)
			}
		})
	}
}

func TestAStolenSlotDoesNotHideAMessageFromTheList(t *testing.T) {
	var n atomic.Int32
	s := play(t, "MOVE", func(tag, cmd, _ string) string {
		if cmd == "UID FETCH" && n.Add(1) == 1 {
			return "* 1 FETCH (UID 7 FLAGS (\\Seen))\r\n" + tag + " OK done\r\n"
		}
		return ""
	})
	if refs, err := s.inbox().List(within(t)); err != nil || len(refs) != 1 || refs[0].Size != 5 {
		t.Errorf("list: %v, %v", refs, err)
	}
}

func TestIdleRefusedMeansPolling(t *testing.T) {
	s := play(t, "MOVE IDLE", func(tag, cmd, _ string) string {
		if cmd == "IDLE" {
			return tag + " NO not here\r\n"
		}
		return ""
	})
	c := s.config()
	c.Poll = 50 * time.Millisecond
	in, ctx := imap.New(c), within(t)
	defer in.Close()
	if _, err := in.List(ctx); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		began := time.Now()
		if err := in.Wait(ctx); err != nil {
			t.Fatalf("wait: %v", err)
		}
		if time.Since(began) < c.Poll {
			t.Error("didn't wait for the poll interval")
		}
	}
	if n := s.asked("IDLE"); n != 1 {
		t.Errorf("asked for IDLE %d times, want once", n)
	}
	if n := s.conns.Load(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
}

func TestMuteIdleIsNoticedByTheWatchdog(t *testing.T) {
	s := play(t, "MOVE IDLE", func(_, cmd, _ string) string {
		if cmd == "IDLE" {
			return "+ idling\r\n"
		}
		if cmd == "" { // DONE
			return mute
		}
		return ""
	})
	c := s.config()
	c.Poll = 50 * time.Millisecond
	in, ctx := imap.New(c), within(t)
	defer in.Close()
	if _, err := in.List(ctx); err != nil {
		t.Fatal(err)
	}
	if err := quickly(t, func() error { return in.Wait(ctx) }); err != nil {
		t.Errorf("wait: %v, want a look at a new session", err)
	}
	if n := s.conns.Load(); n != 2 {
		t.Errorf("%d connections, want a second", n)
	}
}

func TestAHugeLiteralIsNotRead(t *testing.T) {
	s := play(t, "MOVE", func(tag, cmd, _ string) string {
		if cmd == "UID FETCH" {
			return "* 1 FETCH (UID 7 BODY[] {4000000000}\r\n" + strings.Repeat("x", 70000)
		}
		return ""
	})
	err := quickly(t, func() error { _, err := s.inbox().Fetch(within(t), seven); return err })
	if !errors.Is(err, pbem.ErrTooLarge) {
		t.Errorf("fetch: %v, want ErrTooLarge", err)
	}
	big := seven
	big.Size = 1 << 40
	if _, err := s.inbox().Fetch(within(t), big); !errors.Is(err, pbem.ErrTooLarge) {
		t.Errorf("fetch of a message listed as huge: %v, want ErrTooLarge", err)
	}
}

func TestARefusedLoginPausesLongAndIsTold(t *testing.T) {
	var logged strings.Builder
	s := play(t, "MOVE", func(tag, cmd, _ string) string {
		if cmd == "LOGIN" {
			return tag + " NO [AUTHENTICATIONFAILED] no\r\n"
		}
		return ""
	})
	c := s.config()
	c.RefusedPause = time.Hour
	c.Log = slog.New(slog.NewTextHandler(&logged, nil))
	in := imap.New(c)
	defer in.Close()
	if _, err := in.List(within(t)); !errors.Is(err, imap.ErrRefused) {
		t.Fatalf("list: %v, want ErrRefused", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := in.List(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("at once again: %v, want to be made to wait", err)
	}
	if n := s.asked("LOGIN"); n != 1 {
		t.Errorf("%d logins, want one: providers lock accounts", n)
	}
	if l := logged.String(); strings.Contains(l, "hush") || !strings.Contains(l, "pause=1h0m0s") {
		t.Errorf("logged: %s", l)
	}
}

func TestAPassingRefusalIsNotAWrongPassword(t *testing.T) {
	var n atomic.Int32
	s := play(t, "MOVE", func(tag, cmd, _ string) string {
		if cmd == "LOGIN" && n.Add(1) == 1 {
			return tag + " NO [UNAVAILABLE] try later\r\n"
		}
		return ""
	})
	in := s.inbox()
	if _, err := in.List(within(t)); err == nil || errors.Is(err, imap.ErrRefused) {
		t.Errorf("list: %v, want an error that isn't ErrRefused", err)
	}
	if _, err := in.List(within(t)); err != nil {
		t.Errorf("the next time: %v", err)
	}
}

// Without MOVE a message is copied, marked, and expunged alone; never is
// anything marked before the server has confirmed the copy.
func TestFilingWithoutMove(t *testing.T) {
	copied := func(tag, cmd, _ string) string {
		if cmd == "UID COPY" {
			return tag + " OK [COPYUID 45 7 1] done\r\n"
		}
		return ""
	}
	for _, c := range []struct {
		name, caps string
		answer     func(tag, cmd, line string) string
		ok         bool
		store      int
		expunge    int
	}{
		{"with UIDPLUS", "UIDPLUS", copied, true, 1, 1},
		{"without UIDPLUS it is only marked", "", copied, true, 1, 0},
		{"copy refused", "UIDPLUS", func(tag, cmd, _ string) string {
			if cmd == "UID COPY" {
				return tag + " NO [OVERQUOTA] full\r\n"
			}
			return ""
		}, false, 0, 0},
		{"copy not confirmed", "UIDPLUS", never, false, 0, 0},
		{"cut during the copy", "UIDPLUS", func(_, cmd, _ string) string {
			if cmd == "UID COPY" {
				return cut
			}
			return ""
		}, false, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := play(t, c.caps, c.answer)
			if err := s.inbox().File(within(t), seven, pbem.Processed); (err == nil) != c.ok {
				t.Errorf("file: %v", err)
			}
			if got := [2]int{s.asked("STORE 7 +FLAGS.SILENT (\\DELETED)"), s.asked("UID EXPUNGE 7")}; got != [2]int{c.store, c.expunge} {
				t.Errorf("marked and expunged %v times, want %d and %d", got, c.store, c.expunge)
			}
			if s.asked("EXPUNGE") != s.asked("UID EXPUNGE") || s.asked("CLOSE") != 0 {
				t.Error("expunged what others had marked")
			}
			if s.asked("MOVE") != 0 {
				t.Error("asked to move a server that can't")
			}
		})
	}
}

// A server with neither MOVE nor UIDPLUS keeps filed messages, marked; they are
// not listed again, and filing once more copies nothing.
func TestMarkedMessagesAreDone(t *testing.T) {
	s := play(t, "", func(tag, cmd, line string) string {
		if cmd == "UID FETCH" {
			return "* 1 FETCH (UID 7 FLAGS (\\Deleted))\r\n" + tag + " OK done\r\n"
		}
		return ""
	})
	in := s.inbox()
	if err := in.File(within(t), seven, pbem.Processed); err != nil || s.asked("COPY") != 0 {
		t.Errorf("file: %v, %d copies, want none", err, s.asked("COPY"))
	}
	in.List(within(t))
	if s.asked("UID SEARCH UNDELETED") != 1 {
		t.Errorf("searched for others than UNDELETED: %q", s.log)
	}
}

func TestAMissingFolderIsMadeAndTriedAgain(t *testing.T) {
	var made atomic.Bool
	s := play(t, "MOVE", func(tag, cmd, _ string) string {
		switch {
		case cmd == "CREATE":
			made.Store(true)
		case cmd == "UID MOVE" && !made.Load():
			return tag + " NO [TRYCREATE] no such folder\r\n"
		}
		return ""
	})
	if err := s.inbox().File(within(t), seven, pbem.Quarantine); err != nil {
		t.Errorf("file: %v", err)
	}
	if s.asked("CREATE QUARANTINE") != 1 || s.asked("UID MOVE") != 2 {
		t.Errorf("asked %q", s.log)
	}
}

// A set goes with one command; a server that can't says so before anything is
// lost, and each is then filed by itself.
func TestASetIsMovedAtOnce(t *testing.T) {
	var made atomic.Bool
	s := play(t, "MOVE UIDPLUS", func(tag, cmd, _ string) string {
		switch {
		case cmd == "CREATE":
			made.Store(true)
		case cmd == "UID MOVE" && !made.Load():
			return tag + " NO [TRYCREATE] no such folder\r\n"
		}
		return ""
	})
	eight, nine, foreign := seven, seven, seven
	eight.UID, nine.UID, foreign.UIDValidity = 8, 9, 1
	if err := pbem.FileAll(within(t), s.inbox(), []pbem.Ref{seven, nine, foreign, eight}, pbem.Processed); err != nil {
		t.Fatal(err)
	}
	if s.asked("UID MOVE 7:9 PROCESSED") != 2 || s.asked("UID MOVE") != 2 || s.asked("CREATE PROCESSED") != 1 {
		t.Errorf("asked %q", s.log)
	}

	s = play(t, "UIDPLUS", never)
	if err := s.inbox().FileSet(within(t), []pbem.Ref{seven, eight}, pbem.Processed); err == nil || s.asked("COPY") != 0 || s.asked("MOVE") != 0 {
		t.Errorf("a set on a server without MOVE: %v, asked %q", err, s.log)
	}

	// the move is refused as a whole: one by one what can be moved is
	s = play(t, "MOVE UIDPLUS", func(tag, cmd, line string) string {
		if cmd == "UID MOVE" && strings.Contains(line, ":") {
			return tag + " NO not so many\r\n"
		}
		return ""
	})
	if err := pbem.FileAll(within(t), s.inbox(), []pbem.Ref{seven, eight}, pbem.Processed); err != nil || s.asked("UID MOVE 7 PROCESSED") != 1 || s.asked("UID MOVE 8 PROCESSED") != 1 {
		t.Errorf("a refused set: %v, asked %q", err, s.log)
	}
}

func TestFoldersStandWhereTheServerKeepsThem(t *testing.T) {
	s := play(t, "MOVE NAMESPACE", func(tag, cmd, _ string) string {
		switch cmd {
		case "NAMESPACE":
			return "* NAMESPACE ((\"INBOX.\" \".\")) NIL NIL\r\n" + tag + " OK done\r\n"
		case "LIST":
			return tag + " OK done\r\n"
		}
		return ""
	})
	if err := s.inbox().File(within(t), seven, pbem.Processed); err != nil {
		t.Fatal(err)
	}
	if s.asked("CREATE INBOX.PROCESSED") != 1 || s.asked("CREATE INBOX.QUARANTINE") != 1 || s.asked("UID MOVE 7 INBOX.PROCESSED") != 1 {
		t.Errorf("asked %q", s.log)
	}
}

// The move is done but its answer can't be read: the message is gone, and that
// is all File promises.
func TestAMoveWithAnOddAnswerIsDone(t *testing.T) {
	var moved atomic.Bool
	s := play(t, "MOVE UIDPLUS", func(tag, cmd, _ string) string {
		switch {
		case cmd == "UID MOVE":
			moved.Store(true)
			return "* OK [COPYUID 45 ] odd\r\n" + tag + " OK done\r\n"
		case cmd == "UID SEARCH" && moved.Load():
			return "* SEARCH\r\n" + tag + " OK done\r\n"
		}
		return ""
	})
	if err := s.inbox().File(within(t), seven, pbem.Processed); err != nil {
		t.Errorf("file: %v", err)
	}
}

func TestEveryFailureWaitsLonger(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close() // nobody answers there now
	var asked []int
	in := imap.New(imap.Config{Addr: l.Addr().String(), Security: imap.None, User: "gm", Password: "x",
		Backoff: func(n int) time.Duration { asked = append(asked, n); return time.Millisecond }})
	defer in.Close()
	for range 3 {
		if _, err := in.List(within(t)); err == nil {
			t.Fatal("no error")
		}
	}
	if fmt.Sprint(asked) != "[1 2 3]" {
		t.Errorf("asked for the pauses %v, want 1, 2, 3", asked)
	}
	for n, want := range map[int]time.Duration{1: time.Second, 2: 2 * time.Second, 5: 16 * time.Second, 12: 5 * time.Minute, 1000: 5 * time.Minute} {
		if d := imap.Backoff(n); d < want || d > want+want/5 {
			t.Errorf("pause after %d failures is %v, want %v and up to a fifth", n, d, want)
		}
	}
}
