package killtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	goimap "github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"pbemd/engine"
	"pbemd/pbem"
	"pbemd/pbem/pbemtest"
	"pbemd/pbem/smtp"
	"pbemd/store"
)

// everywhere runs a test on the hub, and on Dovecot and Postfix.
func everywhere(t *testing.T, f func(t *testing.T, w wires)) {
	t.Run("hub", func(t *testing.T) { f(t, startHub(t)) })
	t.Run("dovecot-postfix", func(t *testing.T) {
		if testing.Short() {
			t.Skip("skipped: -short")
		}
		f(t, startReal(t))
	})
}

// site is a server within the test, with a toy game on it.
type site struct {
	t      *testing.T
	w      wires
	life   life
	db     *store.Store
	office *pbem.Office
	ahead  atomic.Int64 // of the world's clock
	log    pages
	change []func(*pbem.Config)
	inbox  func(pbem.Inbox) pbem.Inbox
	end    func()
	n      int
	out    *smtp.Sender
}

// pages is a log that is read while it is written.
type pages struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (p *pages) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.b.Write(b)
}

func (p *pages) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.b.String()
}

func build(t *testing.T, w wires, terms pbem.Terms, change ...func(*pbem.Config)) *site {
	s := &site{t: t, w: w, life: life{Dir: t.TempDir(), IMAP: w.imap(), SMTP: w.smtp()}, change: change,
		out: smtp.New(smtp.Config{Addr: w.smtp(), Security: smtp.None, Limit: 10 * time.Second, Hello: "players.example"})}
	t.Cleanup(func() {
		s.stop()
		s.out.Close()
		if t.Failed() {
			log := s.log.String()
			t.Logf("the end of the server's log:\n%s", log[max(0, len(log)-5000):])
		}
	})
	s.open(store.Options{})
	s.found("toy", terms)
	return s
}

func (s *site) now() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }

// open puts an office on the store, which doesn't serve yet.
func (s *site) open(o store.Options) {
	s.t.Helper()
	set := append([]func(*pbem.Config){func(c *pbem.Config) { c.Now = s.now }}, s.change...)
	var err error
	if s.db, s.office, err = s.life.office(slog.New(slog.NewTextHandler(&s.log, nil)), o, set...); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) found(rules string, terms pbem.Terms) {
	s.t.Helper()
	terms.NoJoin = true
	f := pbem.Founding{Rules: rules, Terms: terms}
	for i, side := range []engine.Side{"axis", "soviet"} {
		f.Seats = append(f.Seats, pbem.Seat{Side: side, Name: string(side), Address: players[i]})
	}
	if _, err := s.office.NewGame(context.Background(), f); err != nil {
		s.t.Fatal(err)
	}
}

// run serves until [site.stop].
func (s *site) run() {
	ctx, cancel := context.WithCancel(context.Background())
	log := slog.New(slog.NewTextHandler(&s.log, nil))
	in, out := s.life.inbox(log), s.life.sender(log)
	var box pbem.Inbox = in
	if s.inbox != nil {
		box = s.inbox(in)
	}
	done := make(chan error, 1)
	go func() { done <- s.office.Run(ctx, box, out, pace) }()
	s.end = func() {
		cancel()
		if err := <-done; err != nil {
			s.t.Errorf("the server ended with %v", err)
		}
		in.Close()
		out.Close()
	}
}

// pause ends serving; the store stays open.
func (s *site) pause() {
	if s.end != nil {
		s.end()
		s.end = nil
	}
}

func (s *site) stop() {
	s.pause()
	if s.db != nil {
		s.db.Close()
		s.db = nil
	}
}

// until waits for something, or fails.
func (s *site) until(what string, f func() bool) {
	s.t.Helper()
	deadline := time.Now().Add(40 * time.Second)
	for !f() {
		if time.Now().After(deadline) {
			s.t.Fatalf("never: %s", what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// letters are a side's mails of a game.
func (s *site) letters(side engine.Side, game pbem.GameID) (out []pbemtest.Letter) {
	s.t.Helper()
	for _, raw := range s.w.messages(string(side)+"@players.example", "INBOX") {
		l, err := pbemtest.ReadLetter(raw)
		if err != nil {
			s.t.Fatal(err)
		}
		if strings.HasPrefix(l.Subject, "["+game.String()+"]") {
			out = append(out, l)
		}
	}
	return out
}

// compose is a player's reply to his latest mail of a game.
func (s *site) compose(side engine.Side, game pbem.GameID, lines ...string) (to, id string, raw []byte) {
	s.t.Helper()
	s.until(fmt.Sprintf("a mail of game %v to the %s", game, side), func() bool { return len(s.letters(side, game)) > 0 })
	all := s.letters(side, game)
	to = all[len(all)-1].ReplyTo
	s.n++
	id = fmt.Sprintf("<f%d@players.example>", s.n)
	raw = pbemtest.Compose(string(side)+"@players.example", to, "orders", id, "", time.Now(), append(append([]string{"GAME " + game.String()}, lines...), "END")...)
	_, raw, _ = bytes.Cut(raw, []byte("\r\n"))
	return to, id, raw
}

// send has a player send a sheet.
func (s *site) send(side engine.Side, game pbem.GameID, lines ...string) (id string) {
	s.t.Helper()
	to, id, raw := s.compose(side, game, lines...)
	if err := s.out.Send(context.Background(), pbem.Envelope{From: string(side) + "@players.example", To: to}, raw); err != nil {
		s.t.Fatal(err)
	}
	return id
}

// answers are what came in answer to a mail.
func (s *site) answers(side engine.Side, game pbem.GameID, id string) (out []pbemtest.Letter) {
	for _, l := range s.letters(side, game) {
		if l.InReplyTo == id {
			out = append(out, l)
		}
	}
	return out
}

func (s *site) answered(side engine.Side, game pbem.GameID, id string) func() bool {
	return func() bool { return len(s.answers(side, game, id)) > 0 }
}

// client is another mail program on the server's mailbox.
func (s *site) client() *imapclient.Client {
	s.t.Helper()
	c, err := imapclient.DialInsecure(s.w.imap(), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := c.Login(gm, password).Wait(); err != nil {
		s.t.Fatal(err)
	}
	if _, err := c.Select("INBOX", nil).Wait(); err != nil {
		s.t.Fatal(err)
	}
	return c
}

// places is where the Axis stands by the log: the sum of its steps.
func (s *site) places(game pbem.GameID) int {
	s.t.Helper()
	log, err := s.db.Log(game, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	sum := 0
	for _, e := range pbem.Counting(log) {
		if e.Kind == "Stepped" {
			var n int
			if _, err := fmt.Sscanf(string(e.Data[bytes.Index(e.Data, []byte(`"N":`))+4:]), "%d", &n); err != nil {
				s.t.Fatal(err)
			}
			sum += n
		}
	}
	return sum
}

// logged wants a word in the log.
func (s *site) logged(words ...string) {
	s.t.Helper()
	for _, w := range words {
		if !strings.Contains(s.log.String(), w) {
			s.t.Errorf("the log doesn't say %q", w)
		}
	}
}

// unfiled is a mailbox out of which nothing can be moved.
type unfiled struct{ pbem.Inbox }

func (unfiled) File(context.Context, pbem.Ref, pbem.Folder) error {
	return errors.New("no such folder")
}

// A mail that was done but not moved comes back under a new number.
func TestRenumberedMailboxDoesNothingTwice(t *testing.T) {
	everywhere(t, func(t *testing.T, w wires) {
		s := build(t, w, pbem.Terms{})
		s.inbox = func(in pbem.Inbox) pbem.Inbox { return unfiled{in} }
		s.run()
		var ids []string
		for range 3 {
			ids = append(ids, s.send("axis", 1, "STEP 1", "AGAIN"))
		}
		for _, id := range ids {
			s.until("the answer", s.answered("axis", 1, id))
		}
		s.pause()
		s.logged("file: no such folder")
		w.renumber()
		s.inbox = nil
		s.run()
		s.until("an empty mailbox", func() bool { return len(w.messages(gm, "INBOX")) == 0 })
		last := s.send("axis", 1, "STEP 2")
		s.until("the last answer", s.answered("axis", 1, last))
		for _, id := range ids {
			if n := len(s.answers("axis", 1, id)); n != 1 {
				t.Errorf("%d answers to %s", n, id)
			}
		}
		if n := s.places(1); n != 5 {
			t.Errorf("the Axis is at place %d, not 5", n)
		}
		if n := len(w.messages(gm, "Processed")); n != 4 {
			t.Errorf("%d mails filed, not 4", n)
		}
		s.logged("mail known already")
	})
}

// slow is a mailbox that takes its time to fetch.
type slow struct {
	pbem.Inbox
	before func()
}

func (s slow) Fetch(ctx context.Context, r pbem.Ref) ([]byte, error) {
	s.before()
	return s.Inbox.Fetch(ctx, r)
}

// Somebody empties the mailbox while it is being read: what was read counts, what
// was not is as if it had never come, and the server goes on.
func TestMailboxEmptiedUnderUs(t *testing.T) {
	everywhere(t, func(t *testing.T, w wires) {
		s := build(t, w, pbem.Terms{})
		s.run()
		s.until("the first mail", func() bool { return len(s.letters("axis", 1)) > 0 })
		s.pause()
		var ids []string
		for range 6 {
			ids = append(ids, s.send("axis", 1, "STEP 1", "AGAIN"))
		}
		s.until("six mails", func() bool { return len(w.messages(gm, "INBOX")) == 6 })
		fetched := 0
		s.inbox = func(in pbem.Inbox) pbem.Inbox {
			return slow{in, func() {
				if fetched++; fetched != 4 {
					return
				}
				c := s.client()
				defer c.Close()
				var all goimap.SeqSet
				all.AddRange(1, 0)
				if err := c.Store(all, &goimap.StoreFlags{Op: goimap.StoreFlagsAdd, Flags: []goimap.Flag{goimap.FlagDeleted}}, nil).Close(); err != nil {
					t.Error(err)
				}
				if err := c.Expunge().Close(); err != nil {
					t.Error(err)
				}
			}}
		}
		s.run()
		s.until("the mailbox emptied", func() bool { return len(w.messages(gm, "INBOX")) == 0 })
		last := s.send("axis", 1, "STEP 3")
		s.until("the answer to a mail after that", s.answered("axis", 1, last))
		if n := s.places(1); n != 3+3 {
			t.Errorf("the Axis is at place %d: three mails were read before, each goes one place", n)
		}
		n := 0
		for _, id := range ids {
			n += len(s.answers("axis", 1, id))
		}
		if n != 3 {
			t.Errorf("%d answers, not 3", n)
		}
		s.logged("gone from the mailbox")
	})
}

// The connection is cut in IDLE; the next mail is answered all the same.
func TestCutConnections(t *testing.T) {
	everywhere(t, func(t *testing.T, w wires) {
		s := build(t, w, pbem.Terms{})
		s.run()
		for i := range 4 {
			id := s.send("axis", 1, fmt.Sprint("STEP ", 1+i%3), "AGAIN")
			s.until("the answer", s.answered("axis", 1, id))
			time.Sleep(50 * time.Millisecond) // IDLE again
			w.cut()
		}
		s.logged("mailbox session lost")
		if n := s.places(1); n != 1+2+3+1 {
			t.Errorf("the Axis is at place %d", n)
		}
	})
}

// Both servers go down with answers in the outbox and come back.
func TestServersGoDownAndComeBack(t *testing.T) {
	everywhere(t, func(t *testing.T, w wires) {
		s := build(t, w, pbem.Terms{})
		s.run()
		s.until("the first mail", func() bool { return len(s.letters("axis", 1)) > 0 })
		s.pause()
		id := s.send("axis", 1, "STEP 2")
		s.until("the mail", func() bool { return len(w.messages(gm, "INBOX")) == 1 })
		s.inbox = func(in pbem.Inbox) pbem.Inbox { // they go down when the mail has been fetched
			return fetchThen{in, sync.OnceFunc(func() { w.down(true) })}
		}
		s.run()
		s.until("the mailbox out of reach", func() bool {
			return strings.Contains(s.log.String(), "mailbox out of reach") && strings.Contains(s.log.String(), "couldn't be sent for now")
		})
		if n := s.places(1); n != 2 {
			t.Errorf("the Axis is at place %d: the mail was read", n)
		}
		w.down(false)
		s.until("an empty mailbox", func() bool { return len(w.messages(gm, "INBOX")) == 0 })
		s.ahead.Add(int64(3 * time.Minute)) // past the first retry
		s.until("the answer", s.answered("axis", 1, id))
		if n := s.places(1); n != 2 {
			t.Errorf("the Axis is at place %d", n)
		}
		if n := len(s.answers("axis", 1, id)); n != 1 {
			t.Errorf("%d answers", n)
		}
	})
}

type fetchThen struct {
	pbem.Inbox
	then func()
}

func (f fetchThen) Fetch(ctx context.Context, r pbem.Ref) ([]byte, error) {
	raw, err := f.Inbox.Fetch(ctx, r)
	f.then()
	return raw, err
}

// One address is refused for now, as by a greylist, then for good; the other
// player's mail isn't kept waiting.
func TestRefusedRecipients(t *testing.T) {
	everywhere(t, func(t *testing.T, w wires) {
		s := build(t, w, pbem.Terms{})
		s.run()
		s.until("the first mails", func() bool { return len(s.letters("axis", 1)) > 0 && len(s.letters("soviet", 1)) > 0 })
		w.refuse("soviet@players.example", "451 4.7.1 greylisted, come back later")
		axis := s.send("axis", 1, "STEP 1", "END TURN") // a report to each
		s.until("the answer to the Axis", s.answered("axis", 1, axis))
		var waiting []pbem.Outgoing
		s.until("a mail that waits", func() bool {
			waiting, _ = s.db.Outbox(pbem.OutPending, "", 10)
			return len(waiting) == 1 && waiting[0].Tries == 1
		})
		if o := waiting[0]; o.Side != "soviet" || !strings.Contains(o.Error, "451") || strings.Contains(o.Error, "soviet@") {
			t.Errorf("the mail that waits: %+v", o)
		}
		s.logged("couldn't be sent for now")
		frozen, err := s.db.Outgoing(waiting[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		w.refuse("soviet@players.example", "")
		s.ahead.Add(int64(2 * time.Minute))
		s.until("the report after the greylist", func() bool { return len(s.letters("soviet", 1)) == 2 })
		if got := s.letters("soviet", 1)[1]; !bytes.HasSuffix(bytes.TrimSpace(got.Raw), bytes.TrimSpace(frozen.Message)) {
			t.Error("the second try isn't the first mail")
		}

		w.refuse("soviet@players.example", "550 5.1.1 no such user")
		soviet := s.send("soviet", 1, "STEP 1")
		var parked []pbem.Outgoing
		s.until("a parked mail", func() bool {
			parked, _ = s.db.Outbox(pbem.OutParked, "", 10)
			return len(parked) == 1
		})
		s.logged("it is parked", "code=550")
		s.ahead.Add(int64(24 * time.Hour))
		time.Sleep(700 * time.Millisecond)
		if p, _ := s.db.Outbox(pbem.OutParked, "", 10); len(p) != 1 || p[0].Tries != 1 {
			t.Errorf("a parked mail was tried again: %+v", p)
		}
		w.refuse("soviet@players.example", "")
		if err := s.office.Retry(context.Background(), parked[0].ID); err != nil {
			t.Fatal(err)
		}
		s.until("the answer after the operator's word", s.answered("soviet", 1, soviet))
	})
}

// The disk is full: nothing is half done, nothing is sent over and over, and with
// room again everything goes on.
func TestFullDisk(t *testing.T) {
	everywhere(t, func(t *testing.T, w wires) {
		s := build(t, w, pbem.Terms{})
		s.run()
		s.until("the first mails", func() bool { return len(s.letters("axis", 1)) > 0 && len(s.letters("soviet", 1)) > 0 })
		s.stop()
		full := s.life
		full.FileLimit = s.fill() / 2 // free pages in the upper half are of no use either
		p := full.start(t)
		var ids []string
		for i := range 12 { // large enough to be more than what room there is left below
			lines := []string{fmt.Sprint("STEP ", 1+i%3), "AGAIN"}
			for range 60 {
				lines = append(lines, "# "+strings.Repeat("a word on the side ", 50))
			}
			ids = append(ids, s.send("axis", 1, lines...))
		}
		w.settle()
		time.Sleep(4 * time.Second)
		left := len(w.messages(gm, "INBOX"))
		p.stop(t)
		if left == 0 {
			t.Fatal("the disk was never full")
		}
		if log := p.log.String(); !strings.Contains(log, "file too large") {
			t.Errorf("the log doesn't say what is wrong\n%s", p.tail())
		}
		before := len(s.letters("axis", 1))
		if before > 1+12 {
			t.Errorf("%d mails to the Axis while the disk was full", before)
		}
		s.open(store.Options{})
		s.run()
		for _, id := range ids {
			s.until("the answer to "+id, s.answered("axis", 1, id))
		}
		if n := s.places(1); n != 4*(1+2+3) {
			t.Errorf("the Axis is at place %d, not 24", n)
		}
		for _, id := range ids {
			if n := len(s.answers("axis", 1, id)); n > 2 {
				t.Errorf("%d copies of the answer to %s", n, id)
			}
		}
		if err := s.db.Check(); err != nil {
			t.Error(err)
		}
	})
}

// fill fills the closed store's file as far as it goes without growing, and
// gives its size.
func (s *site) fill() uint64 {
	s.t.Helper()
	// put commits mails of 60 KiB until the file has grown or there are n of them.
	put := func(path string, n int) (int, int64) {
		db, err := store.Open(path, store.Options{})
		if err != nil {
			s.t.Fatal(err)
		}
		defer db.Close()
		began := int64(-1)
		for i := 0; ; i++ {
			info, err := os.Stat(path)
			if err != nil {
				s.t.Fatal(err)
			}
			if began < 0 {
				began = info.Size()
			}
			if i == n || info.Size() != began {
				return i, info.Size()
			}
			if err := db.Commit(pbem.Change{Mails: []pbem.Mail{{Key: fmt.Sprintf("filler %020d", i), Raw: bytes.Repeat([]byte("x"), 60<<10)}}}); err != nil {
				s.t.Fatal(err)
			}
		}
	}
	b, err := os.ReadFile(s.life.database())
	if err != nil {
		s.t.Fatal(err)
	}
	another := filepath.Join(s.t.TempDir(), "copy.db")
	if err := os.WriteFile(another, b, 0o600); err != nil {
		s.t.Fatal(err)
	}
	n, _ := put(another, 10000)
	_, size := put(s.life.database(), n-2)
	return uint64(size)
}

// The store can't be written at all: mails stay where they are, what is in the
// outbox is sent once and not again and again.
func TestReadOnlyStore(t *testing.T) {
	everywhere(t, func(t *testing.T, w wires) {
		s := build(t, w, pbem.Terms{}) // its opening mails lie in the outbox
		s.stop()
		s.open(store.Options{ReadOnly: true})
		s.run()
		s.until("the first mail", func() bool { return len(s.letters("axis", 1)) > 0 })
		id := s.send("axis", 1, "STEP 2")
		s.until("the error in the log", func() bool { return strings.Contains(s.log.String(), "a mail couldn't be taken") })
		time.Sleep(2 * time.Second)
		if n := len(w.messages(gm, "INBOX")); n != 1 {
			t.Errorf("%d mails lie in the mailbox, not 1", n)
		}
		if n := len(s.letters("axis", 1)) + len(s.letters("soviet", 1)); n > 2 {
			t.Errorf("%d copies of two mails", n)
		}
		s.logged("read-only")
		s.stop()
		s.open(store.Options{})
		s.run()
		s.until("the answer", s.answered("axis", 1, id))
		if n := s.places(1); n != 2 {
			t.Errorf("the Axis is at place %d", n)
		}
	})
}

// After twelve hours the mailbox is full; a deadline passed meanwhile, and the
// answer that came in time lies behind everything else. It counts. Where none
// came the default does, but only when all mail is read.
func TestTwelveHourBacklog(t *testing.T) {
	everywhere(t, func(t *testing.T, w wires) {
		s := build(t, w, pbem.Terms{AnswerHours: 1})
		s.found("toy", pbem.Terms{AnswerHours: 1})
		s.run()
		for game := pbem.GameID(1); game <= 2; game++ {
			id := s.send("soviet", game, "STANDING ASK D04")
			s.until("the word to be asked", s.answered("soviet", game, id))
			s.send("axis", game, "PHASE FIGHT", "FIGHT", "END PHASE")
			s.until("the question", func() bool {
				all := s.letters("soviet", game)
				return strings.Contains(all[len(all)-1].Subject, "QUESTION Q1")
			})
		}
		s.until("an empty mailbox", func() bool { return len(w.messages(gm, "INBOX")) == 0 })
		s.pause()
		asked := s.now()
		c := s.client()
		defer c.Close()
		put := func(raw []byte, at time.Time) {
			a := c.Append("INBOX", int64(len(raw)), &goimap.AppendOptions{Time: at})
			if _, err := a.Write(raw); err != nil {
				t.Fatal(err)
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := a.Wait(); err != nil {
				t.Fatal(err)
			}
		}
		backlog := 150
		for i := range backlog {
			_, _, raw := s.compose("axis", 1, "PHASE STANDING", fmt.Sprintf("FLAG %d NOW", i))
			put(raw, asked.Add(time.Minute+time.Duration(i)*time.Second))
		}
		_, answer, raw := s.compose("soviet", 1, "ANSWER Q1 STAND")
		put(raw, asked.Add(50*time.Minute))
		s.ahead.Add(int64(12 * time.Hour))
		s.run()
		s.until("the answer's answer", s.answered("soviet", 1, answer))
		s.until("the default where no answer came", func() bool { return strings.Contains(s.log.String(), "the time to answer is over") })
		s.until("an empty mailbox", func() bool { return len(w.messages(gm, "INBOX")) == 0 })
		s.pause()
		if a := s.answers("soviet", 1, answer); !strings.Contains(a[0].Subject, "ACCEPTED") {
			t.Errorf("the answer that came in time: %s\n%s", a[0].Subject, a[0].Text)
		}
		for game, want := range map[pbem.GameID]string{1: `"Stood":true`, 2: `"Stood":false`} {
			log, err := s.db.Log(game, 0)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, e := range pbem.Counting(log) {
				if e.Kind == "Fought" {
					got = string(e.Data)
				}
			}
			if !strings.Contains(got, want) {
				t.Errorf("game %v: %s, want %s", game, got, want)
			}
		}
		if n := strings.Count(s.log.String(), "the time to answer is over"); n != 1 {
			t.Errorf("%d defaults were taken, not 1", n)
		}
		m, err := s.db.Mails(0, 2*backlog)
		if err != nil {
			t.Fatal(err)
		}
		if want := backlog + 1 + 4; len(m) != want {
			t.Errorf("%d mails in the store, not %d", len(m), want)
		}
		var last time.Time // the default came after all of them
		for _, x := range m {
			if x.Handled.After(last) {
				last = x.Handled
			}
		}
		b, err := s.db.Log(2, 0)
		if err != nil {
			t.Fatal(err)
		}
		if at := b[len(b)-1].At; at.Before(last) {
			t.Errorf("the default was taken at %v, before the last mail was read at %v", at, last)
		}
	})
}
