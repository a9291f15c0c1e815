package pbem_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pbemd/engine"
	"pbemd/pbem"
	"pbemd/pbem/pbemtest"
	"pbemd/store"
)

// put delivers a raw mail and has it taken.
func put(w *pbemtest.World, raw []byte) {
	w.T.Helper()
	w.Box.Put(raw, w.Now())
	w.Drain()
}

func TestWrongTokenChangesNothingAndIsReported(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	axis := w.As("axis")
	wrong := "gm+g1-22222222@pbem.example"
	for i := range 3 {
		put(w, pbemtest.Compose(axis.Address, wrong, "orders", fmt.Sprintf("<x%d@y.example>", i), "", w.Now(), "GAME 1", "STEP 3", "END"))
	}
	w.None("axis")
	w.None("soviet")
	if n := len(w.Box.Filed[pbem.Quarantine]); n != 3 {
		t.Errorf("%d mails in quarantine, want 3", n)
	}
	l := axis.Sheet("STATUS")
	says(t, l, "YOUR TURN", "place 0", "3 mails with a wrong key arrived")
	lacks(t, axis.Sheet("STATUS"), "wrong key")
	if log := w.Log.String(); strings.Contains(log, "22222222") || strings.Contains(log, axis.Address) {
		t.Errorf("the log holds a token or an address:\n%s", log)
	}
}

func TestTokenOfOneSeatIsNoTokenOfTheOther(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	axis, soviet := w.As("axis"), w.As("soviet")
	// Axis's key from another address plays Axis, and is answered to Axis.
	put(w, pbemtest.Compose("axis@work.example", axis.Last().ReplyTo, "x", "<a@y.example>", "", w.Now(), "GAME 1", "STEP 1", "END"))
	says(t, axis.Next(), "ACCEPTED", "place 1", "came with your key from axis@work.example")
	// From Soviet's it does not, and Axis is told with its next mail.
	put(w, pbemtest.Compose(soviet.Address, axis.Last().ReplyTo, "x", "<b@y.example>", "", w.Now(), "GAME 1", "STEP 1", "END"))
	w.None("axis")
	w.None("soviet")
	if n := len(w.Box.Filed[pbem.Quarantine]); n != 1 {
		t.Errorf("%d mails in quarantine, want 1", n)
	}
	says(t, axis.Sheet("STATUS"), "", "place 1", "from the address of the other seat")
	lacks(t, axis.Sheet("STATUS"), "other seat of this game")
	if a, s := axis.Last().ReplyTo, soviet.Last().ReplyTo; a == s {
		t.Errorf("both seats have the key %s", a)
	}
}

func TestManyGuessesShutTheDoorForGuessesAlone(t *testing.T) {
	w := toy(t, func(w *pbemtest.World) { w.Config.Caps.BadKeysPerDay = 5 }, pbem.Terms{})
	for i := range 5 {
		put(w, pbemtest.Compose("eve@evil.example", fmt.Sprintf("gm+g1-2222222%d@pbem.example", i+2), "x", fmt.Sprintf("<e%d@y.example>", i), "", w.Now(), "GAME 1", "STEP 1", "END"))
	}
	axis := w.As("axis")
	put(w, pbemtest.Compose("eve@evil.example", axis.Last().ReplyTo+", gm+g1-33333333@pbem.example", "x", "<z@y.example>", "", w.Now(), "GAME 1", "STEP 1", "END"))
	w.None("axis") // a good key among guesses is a guess
	put(w, pbemtest.Compose("axis@work.example", axis.Last().ReplyTo, "x", "<w@y.example>", "", w.Now(), "GAME 1", "STEP 1", "END"))
	says(t, axis.Next(), "ACCEPTED", "place 1") // the player isn't locked out
	says(t, axis.Sheet("STEP 2"), "ACCEPTED", "place 3")
	if !strings.Contains(w.Log.String(), "somebody may be guessing") {
		t.Error("the operator isn't told")
	}
}

func TestAutomaticAndStrangeMailGetsNoAnswer(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	to := w.As("axis").Last().ReplyTo
	sheet := []string{"GAME 1", "STEP 1", "END"}
	auto := bytes.Replace(pbemtest.Compose(w.As("axis").Address, to, "x", "<a@y.example>", "", w.Now(), sheet...), []byte("Subject:"), []byte("Auto-Submitted: auto-replied\r\nSubject:"), 1)
	put(w, auto)
	put(w, pbemtest.Compose("stranger@other.example", "gm@pbem.example", "hello", "<b@y.example>", "", w.Now(), sheet...))
	put(w, pbemtest.Compose(w.As("axis").Address, "gm@pbem.example", "no key", "<c@y.example>", "", w.Now(), sheet...))
	w.None("axis")
	w.None("soviet")
	if n := len(w.Post.All); n != 2 {
		t.Errorf("%d mails were sent, want the two openings", n)
	}
}

// proven has the office's own mail server vouch for senders.
func proven(w *pbemtest.World) { w.Config.Authserv = "mx.pbem.example" }

func vouched(raw []byte, domain string) []byte {
	return append([]byte("Authentication-Results: mx.pbem.example; dmarc=pass header.from="+domain+"\r\n"), raw...)
}

func TestProvenSenderNeedsNoToken(t *testing.T) {
	w := toy(t, proven, pbem.Terms{})
	axis := w.As("axis")
	raw := func(id string, lines ...string) []byte {
		return vouched(pbemtest.Compose(axis.Address, "gm@pbem.example", "x", id, "", w.Now(), lines...), "players.example")
	}
	put(w, raw("<a@y.example>", "GAME 1", "STEP 1", "END"))
	says(t, axis.Next(), "NOT ACCEPTED", "doesn't say which phase")
	put(w, raw("<b@y.example>", "GAME 1 TURN 1 PHASE MARCH", "STEP 1", "END"))
	says(t, axis.Next(), "ACCEPTED", "place 1")
	put(w, raw("<c@y.example>", "just words"))
	says(t, axis.Next(), "NOT ACCEPTED", "No orders were found", "MESSAGE")
}

func TestProvenStrangerGetsOneGuideADay(t *testing.T) {
	w := toy(t, proven, pbem.Terms{})
	for i := range 3 {
		put(w, vouched(pbemtest.Compose("new@other.example", "gm@pbem.example", "hello", fmt.Sprintf("<n%d@y.example>", i), "", w.Now(), "how do I join?"), "other.example"))
	}
	var to int
	for _, s := range w.Post.All {
		if s.To == "new@other.example" {
			to++
		}
	}
	if to != 1 {
		t.Errorf("the stranger got %d mails, want 1", to)
	}
}

func TestTwoGamesInOneMail(t *testing.T) {
	w := toy(t, proven, pbem.Terms{})
	first := *w.As("axis")
	w.Found("toy", pbem.Terms{NoJoin: true, Seed: "other"}) // game 2, the same addresses
	axis := w.As("axis")
	axis.Next()
	_ = first
	raw := vouched(pbemtest.Compose(axis.Address, "gm@pbem.example", "x", "<a@y.example>", "", w.Now(),
		"GAME 1 TURN 1 PHASE MARCH", "STEP 1", "END", "GAME 2 TURN 1 PHASE MARCH", "STEP 9", "END"), "players.example")
	put(w, raw)
	says(t, axis.Next(), "ACCEPTED", "place 1")
	says(t, axis.Next(), "NOT ACCEPTED", "nobody goes 9 places")
	put(w, raw)
	w.None("axis")
}

func TestMailWithoutSheetGetsItsNotice(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	axis := w.As("axis")
	says(t, axis.Send("GAME 1", "STEP 1"), "NOT ACCEPTED", "has no END")
	says(t, axis.Send("hello"), "NOT ACCEPTED", "No orders were found", "GAME 1 TURN 1 PHASE MARCH")
	says(t, axis.Send("> GAME 1", "> STEP 3", "> END"), "NOT ACCEPTED", "Lines found in quoted text only", "STEP 3")
	says(t, axis.Send("GAME 2", "STEP 1", "END"), "NOT ACCEPTED", "none of yours")
	says(t, axis.Send("GAME 1", "STEP 1", "END", "GAME 1", "STEP 2", "END"), "NOT ACCEPTED", "two different sets")
	says(t, axis.Sheet("STATUS"), "YOUR TURN", "place 0")
}

func TestNoticesAreCapped(t *testing.T) {
	w := toy(t, func(w *pbemtest.World) { w.Config.Caps.NoticesPerDay = 2 }, pbem.Terms{})
	axis := w.As("axis")
	for i := range 4 {
		put(w, axis.Mail(fmt.Sprint("words ", i)))
	}
	if n := len(axis.Got); n != 3 {
		t.Errorf("axis got %d mails, want the opening and two notices", n)
	}
	says(t, axis.Sheet("STEP 1"), "ACCEPTED") // orders are always answered
}

func TestTooManyMailsWait(t *testing.T) {
	w := toy(t, func(w *pbemtest.World) { w.Config.Caps.MailsPerHour = 3 }, pbem.Terms{})
	axis := w.As("axis")
	for range 5 {
		w.Box.Put(axis.Mail("GAME 1", "STEP 1", "AGAIN", "END"), w.Now())
	}
	w.Drain()
	if w.Box.Lying() != 2 {
		t.Errorf("%d mails wait, want 2", w.Box.Lying())
	}
	w.Drain()
	if n := strings.Count(w.Log.String(), "a mail has to wait"); n != 2 {
		t.Errorf("%d log lines about two mails that wait", n)
	}
	w.Skip(time.Hour)
	w.Drain()
	says(t, axis.Last(), "ACCEPTED", "place 5")
}

// broken is a reporter that panics.
type broken struct{}

func (broken) Report(pbem.Letter) (pbem.Parts, error) { panic("no paper") }

func TestBrokenReporterLosesNoTurn(t *testing.T) {
	w := toy(t, func(w *pbemtest.World) { w.Config.Reporter = broken{} }, pbem.Terms{})
	says(t, w.As("axis").Sheet("STEP 1"), "ACCEPTED", "place 1")
	if !strings.Contains(w.Log.String(), "the mail goes out plain") {
		t.Error("the operator isn't told")
	}
}

// explosive is the toy with an order that panics.
func explosive() pbem.Rules {
	r := pbemtest.ToyRules()
	load := r.Load
	r.Load = func(f fs.FS, o json.RawMessage) (pbem.Play, error) {
		p, err := load(f, o)
		p.Game = bomb{p.Game}
		return p, err
	}
	return r
}

type bomb struct{ engine.Game }

func (b bomb) Do(x *engine.Exec, o engine.Order) error {
	if o.Text == "STEP 3" {
		panic("three is too much")
	}
	return b.Game.Do(x, o)
}

func TestPoisonIsSetAsideAndTheNextMailIsTaken(t *testing.T) {
	w := pbemtest.NewWorld(t, nil, explosive())
	w.Found("toy", pbem.Terms{NoJoin: true})
	axis := w.As("axis")
	w.Box.Put(axis.Mail("GAME 1", "STEP 3", "END"), w.Now())
	w.Box.Put(axis.Mail("GAME 1", "STEP 2", "END"), w.Now())
	w.Drain()
	if n := len(w.Box.Filed[pbem.Quarantine]); n != 1 || w.Box.Lying() != 0 {
		t.Errorf("%d mails set aside, %d left", n, w.Box.Lying())
	}
	says(t, axis.Last(), "ACCEPTED", "place 2")
	if !strings.Contains(w.Log.String(), "three is too much") {
		t.Error("the operator isn't told")
	}
	list, err := w.Archive.Mails(0, 5)
	if err != nil {
		t.Fatal(err)
	}
	kept := false
	for _, m := range list {
		full, err := w.Archive.Mail(m.Key)
		kept = kept || err == nil && m.Outcome == pbem.Quarantined && m.Why == "panic" && len(full.Raw) > 0
	}
	if !kept {
		t.Error("the raw mail isn't kept for the operator")
	}
}

// A mail during which the server goes down is tried when all others are done,
// after the server has run for a while; only at the end it is poison.
func TestMailThatCrashesTheServerIsHeldBackAndThenPoison(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	axis := w.As("axis")
	crash := func(ref pbem.Ref, times int) {
		for range times { // the process dies each time after counting
			if _, err := w.Archive.Attempt(fmt.Sprintf("%d/%d", ref.UIDValidity, ref.UID)); err != nil {
				t.Fatal(err)
			}
		}
		w.Restart()
	}
	ref := w.Box.Put(axis.Mail("GAME 1", "STEP 3", "END"), w.Now())
	crash(ref, 3)
	says(t, axis.Sheet("STEP 2"), "ACCEPTED", "axis steps 2") // the next mail is taken meanwhile
	w.Skip(time.Second)
	w.Drain()
	w.None("axis")
	w.Skip(time.Second)
	w.Drain()
	says(t, w.Next("axis"), "ACCEPTED", "axis steps 3")

	ref = w.Box.Put(axis.Mail("GAME 1", "STEP 1", "END"), w.Now())
	crash(ref, 7)
	w.Skip(31 * time.Second)
	w.Drain()
	w.None("axis")
	if w.Box.Lying() != 1 {
		t.Error("the mail doesn't lie in the mailbox")
	}
	crash(ref, 1)
	w.Drain()
	w.None("axis")
	if len(w.Box.Filed[pbem.Quarantine]) != 1 {
		t.Error("the mail isn't set aside")
	}
}

func TestFailingStoreLosesNoMail(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	axis := w.As("axis")
	m := w.Archive.(*pbemtest.Memory)
	full := errors.New("no space left on device")
	m.Fail = func(pbem.Change) error { return full }
	w.Box.Put(axis.Mail("GAME 1", "STEP 1", "END"), w.Now())
	for range 5 {
		if err := w.Office.Drain(context.Background(), w.Box); !errors.Is(err, full) {
			t.Fatalf("drain on a full disk: %v", err)
		}
	}
	if w.Box.Lying() != 1 {
		t.Fatal("the mail is gone")
	}
	m.Fail = nil
	w.Wait(0)
	// The store couldn't take the attempts back, so they were counted.
	w.Drain()
	if w.Box.Lying() != 0 {
		t.Error("the mail still lies there")
	}
}

// TestKilledBetweenAnyTwoCommits has the process die after each commit in turn,
// and before it, over a whole conversation: every sheet takes effect once and
// its answer comes, dice never change.
func TestKilledBetweenAnyTwoCommits(t *testing.T) {
	want := ""
	for kill := 0; kill < 60; kill++ {
		w := pbemtest.NewWorld(t, nil, pbemtest.ToyRules())
		m := w.Archive.(*pbemtest.Memory)
		died := errors.New("killed")
		n, armed := 0, false
		m.Fail = func(pbem.Change) error {
			if n++; armed && n == kill+1 {
				return died
			}
			return nil
		}
		// step does something that may die on the way, and again after a restart.
		step := func(f func() error) {
			for try := 0; ; try++ {
				armed = true
				err := f()
				armed = false
				if err == nil {
					return
				}
				if !errors.Is(err, died) || try > 3 {
					t.Fatalf("kill %d: %v", kill, err)
				}
				n = 1000
				w.Restart()
			}
		}
		w.Found("toy", pbem.Terms{NoJoin: true})
		n = 0
		ctx := context.Background()
		say := func(s engine.Side, lines ...string) {
			w.Box.Put(w.As(s).Mail(append(append([]string{"GAME 1"}, lines...), "END")...), w.Now())
			step(func() error { return w.Office.Drain(ctx, w.Box) })
			step(func() error { return w.Office.Flush(ctx, w.Post) })
			w.Deliver()
		}
		say("soviet", "STANDING ASK D04")
		say("axis", "STEP 2", "PHASE FIGHT", "FIGHT", "END TURN")
		say("soviet", "ANSWER Q1 A")
		say("axis", "CONTINUE", "FIGHT", "END TURN")
		say("soviet", "STEP 1", "PHASE FIGHT", "FIGHT", "END TURN")
		g, err := w.Archive.Game(1)
		if err != nil {
			t.Fatal(err)
		}
		log, _ := w.Archive.Log(1, 0)
		got := fmt.Sprintf("%d bursts, %d records, head %s, %d events, state %+v", g.Bursts, g.Records, g.Head, len(log), g.State)
		if want == "" {
			want = got
		}
		// Times don't move in this world, so that even the records are the same.
		if got != want {
			t.Errorf("killed at commit %d: %s\nwithout: %s", kill, got, want)
		}
		checkProofs(t, w)
		for _, s := range []engine.Side{"axis", "soviet"} {
			ids := map[string][]byte{}
			for _, l := range w.As(s).Got {
				if old, ok := ids[l.ID]; ok && !bytes.Equal(old, l.Raw) {
					t.Errorf("kill %d: two different mails with the id %s", kill, l.ID)
				}
				ids[l.ID] = l.Raw
			}
			if n := len(ids); n != len(wantMails[s]) && wantMails[s] != nil {
				t.Errorf("kill %d: %s got %d mails, want %d", kill, s, n, len(wantMails[s]))
			}
			if wantMails[s] == nil {
				wantMails[s] = ids
			}
		}
		if n < 1000 && n <= kill {
			t.Logf("killed at each of %d commits", kill)
			return
		}
	}
	t.Error("more commits than kills")
}

var wantMails = map[engine.Side]map[string][]byte{}

func TestStepClosedBeforeACrashIsPlayedWithoutItsMail(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	axis := w.As("axis")
	m := w.Archive.(*pbemtest.Memory)
	died := errors.New("killed")
	n := 0
	m.Fail = func(c pbem.Change) error {
		if len(c.Games) > 0 {
			if n++; n == 2 {
				return died
			}
		}
		return nil
	}
	raw := axis.Mail("GAME 1", "PHASE FIGHT", "FIGHT", "END")
	w.Box.Put(raw, w.Now())
	if err := w.Office.Drain(context.Background(), w.Box); !errors.Is(err, died) {
		t.Fatalf("drain: %v", err)
	}
	m.Fail = nil
	w.Restart()
	held := w.Box
	w.Box = &pbemtest.Box{} // the mail is out of reach
	w.Wait(time.Minute)
	w.None("axis")
	w.Wait(2 * time.Minute)
	says(t, axis.Next(), "ACCEPTED", "✓ FIGHT", "axis fights")
	w.Box = held // and comes back
	w.Drain()
	w.None("axis")
	checkProofs(t, w)
	says(t, axis.Sheet("STATUS"), "YOUR TURN")
}

func TestOutboxRetriesParksAndNeverChangesAByte(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	axis := w.As("axis")
	var err error
	w.Post.Refuse = func(pbem.Envelope) error { return err }
	try := func(e error, after time.Duration) int {
		err = e
		w.Skip(after)
		if ferr := w.Office.Flush(context.Background(), w.Post); ferr != nil {
			t.Fatal(ferr)
		}
		w.Deliver()
		return len(axis.Got)
	}
	w.Box.Put(axis.Mail("GAME 1", "STEP 1", "END"), w.Now())
	if derr := w.Office.Drain(context.Background(), w.Box); derr != nil {
		t.Fatal(derr)
	}
	grey := &pbem.SendError{Temporary: true, Code: 451, Err: errors.New("greylisted " + axis.Address)}
	if n := try(grey, 0); n != 1 {
		t.Fatalf("%d mails", n)
	}
	if n := try(nil, 30*time.Second); n != 1 {
		t.Error("tried again before its time")
	}
	if n := try(grey, 30*time.Second); n != 1 {
		t.Fatalf("%d mails", n)
	}
	pending, _ := w.Archive.Outbox(pbem.OutPending, "", 9)
	if len(pending) != 1 || pending[0].Tries != 2 || strings.Contains(pending[0].Error, axis.Address) {
		t.Errorf("pending: %+v", pending)
	}
	if n := try(&pbem.SendError{Delivered: true, Err: errors.New("cut after the dot")}, 2*time.Minute); n != 1 {
		t.Errorf("%d mails", n)
	}
	if sent, _ := w.Archive.Outbox(pbem.OutSent, "", 9); len(sent) != 3 {
		t.Errorf("%d mails count as sent, want 3", len(sent))
	}
	// A refusal for good parks at once; the operator can have it tried again.
	w.Box.Put(axis.Mail("GAME 1", "STEP 2", "END"), w.Now())
	if derr := w.Office.Drain(context.Background(), w.Box); derr != nil {
		t.Fatal(derr)
	}
	try(&pbem.SendError{Code: 550, Err: errors.New("no such user")}, 0)
	parked, _ := w.Archive.Outbox(pbem.OutParked, "", 9)
	if len(parked) != 1 {
		t.Fatalf("parked: %v", parked)
	}
	before, _ := w.Archive.Outgoing(parked[0].ID)
	if err := w.Office.Retry(context.Background(), parked[0].ID); err != nil {
		t.Fatal(err)
	}
	if n := try(nil, 0); n != 2 {
		t.Errorf("%d mails after the retry", n)
	}
	if !bytes.Equal(before.Message, axis.Last().Raw) {
		t.Error("the bytes have changed")
	}
	if err := w.Office.Retry(context.Background(), parked[0].ID); err == nil {
		t.Error("a sent mail was retried")
	}
}

func TestOutboxParksAfterFiveDays(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	w.Post.Refuse = func(pbem.Envelope) error {
		return &pbem.SendError{Temporary: true, Code: 421, Err: errors.New("later")}
	}
	w.Box.Put(w.As("axis").Mail("GAME 1", "STEP 1", "END"), w.Now())
	w.Drain()
	tries := 0
	for range 5*24 + 10 {
		w.Wait(time.Hour)
		if list, _ := w.Archive.Outbox(pbem.OutParked, "", 9); len(list) > 0 {
			tries = list[0].Tries
			break
		}
	}
	if tries < 100 {
		t.Errorf("parked after %d tries", tries)
	}
}

func TestHourlyCapStopsTheOutbox(t *testing.T) {
	w := toy(t, func(w *pbemtest.World) { w.Config.Caps.SentPerHour = 4 }, pbem.Terms{})
	axis := w.As("axis")
	for range 4 {
		w.Box.Put(axis.Mail("GAME 1", "STEP 1", "AGAIN", "END"), w.Now())
	}
	w.Drain()
	if n := len(w.Post.All); n != 4 {
		t.Errorf("%d mails sent in the hour, want 4", n)
	}
	w.Wait(time.Hour)
	if n := len(w.Post.All); n != 6 {
		t.Errorf("%d mails sent an hour later, want 6", n)
	}
}

// bounceOf is the delivery report about a mail.
func bounceOf(s pbemtest.Sent, status string) []byte {
	return []byte("Return-Path: <>\r\nFrom: MAILER-DAEMON@mx.example\r\nTo: " + s.From + "\r\nSubject: Undelivered\r\nMessage-ID: <dsn" + fmt.Sprint(len(s.Message)) + status + s.From + ">\r\n" +
		"MIME-Version: 1.0\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nfailed\r\n" +
		"--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example\r\n\r\nFinal-Recipient: rfc822; " + s.To + "\r\nAction: failed\r\nStatus: " + status + "\r\n\r\n--b--\r\n")
}

func TestBouncesHoldTheOutboxUntilTheAddressWrites(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	w.As("soviet").Sheet("STANDING REPORTS EACH")
	for range 2 {
		w.As("axis").Sheet("STEP 1", "AGAIN")
		put(w, bounceOf(w.Post.All[len(w.Post.All)-1], "5.1.1"))
	}
	if !strings.Contains(w.Log.String(), "an address fails") {
		t.Fatalf("the operator isn't told:\n%s", w.Log)
	}
	n := len(w.As("soviet").Got)
	l := w.As("axis").Sheet("STEP 1", "AGAIN")
	says(t, l, "ACCEPTED", "Mail to the Soviet player comes back")
	if len(w.As("soviet").Got) != n {
		t.Error("mail went to a failing address")
	}
	if list, _ := w.Archive.Outbox(pbem.OutHeld, "", 9); len(list) != 1 {
		t.Errorf("held: %v", list)
	}
	w.Box.Put(w.As("soviet").Mail("GAME 1", "STATUS", "END"), w.Now())
	w.Drain()
	if got := len(w.As("soviet").Got); got != n+2 {
		t.Errorf("%d mails came when the address wrote again, want the one held and the answer", got-n)
	}
	lacks(t, w.As("axis").Sheet("STEP 1", "AGAIN"), "comes back")
}

func TestForgedBounceCountsForNothing(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	for i := range 4 {
		s := pbemtest.Sent{Envelope: pbem.Envelope{From: "gm+b-g1.soviet.r1-0000000000@pbem.example", To: w.As("soviet").Address}, Message: make([]byte, i)}
		put(w, bounceOf(s, "5.1.1"))
	}
	if strings.Contains(w.Log.String(), "an address fails") {
		t.Error("somebody else could hold a player's mail")
	}
}

func TestAddressChangesWhenBothHaveHadTheirSay(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	axis := w.As("axis")
	says(t, axis.Sheet("ADDRESS "+pbemtest.MailboxAddress), "NOT ACCEPTED", "can't be your address")
	says(t, axis.Sheet("ADDRESS new@home.example"), "ACCEPTED", "new@home.example")
	asked := w.Post.All[len(w.Post.All)-1]
	if asked.To != "new@home.example" {
		asked = w.Post.All[len(w.Post.All)-2]
	}
	l, err := pbemtest.ReadLetter(asked.Message)
	if err != nil || asked.To != "new@home.example" {
		t.Fatalf("no mail to the new address: %v", err)
	}
	if l.ReplyTo == axis.Last().ReplyTo {
		t.Fatal("an unconfirmed address was sent the key of the seat")
	}
	// The key of the confirmation plays nothing.
	put(w, pbemtest.Compose("new@home.example", l.ReplyTo, "x", "<n1@h.example>", "", w.Now(), "GAME 1", "STEP 1", "END"))
	if g, _ := w.Archive.Game(1); g.Seats[0].Address != axis.Address || g.Bursts != 1 {
		t.Errorf("changed at once: %s, %d bursts", g.Seats[0].Address, g.Bursts)
	}
	w.Wait(24 * time.Hour)
	if g, _ := w.Archive.Game(1); g.Seats[0].Address != "new@home.example" {
		t.Errorf("not changed after a day: %s", g.Seats[0].Address)
	}
	old := axis.Last()
	put(w, axis.Reply(old, "GAME 1 TURN 1 PHASE MARCH", "STEP 1", "END"))
	if g, _ := w.Archive.Game(1); g.Bursts != 1 {
		t.Error("a key mailed to the old address is still good")
	}
}

func TestOldAddressRefusesTheNewOne(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	axis := w.As("axis")
	axis.Sheet("ADDRESS thief@evil.example")
	says(t, axis.Sheet("REFUSE"), "ACCEPTED", "is off")
	w.Wait(48 * time.Hour)
	if g, _ := w.Archive.Game(1); g.Seats[0].Address != axis.Address || g.Seats[0].Moving != nil {
		t.Errorf("changed all the same: %+v", g.Seats[0])
	}
}

func TestOperatorHoldsReleasesReseatsAndCloses(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	ctx := context.Background()
	axis := w.As("axis")
	old := axis.Last()
	for _, c := range []struct {
		do   func() error
		want string
	}{
		{func() error { return w.Office.Hold(ctx, 1) }, "holds game 1"},
		{func() error { return w.Office.Release(ctx, 1) }, "goes on"},
		{func() error { return w.Office.Reseat(ctx, 1, "axis", "Carla", "") }, "seat of the Axis side"},
	} {
		if err := c.do(); err != nil {
			t.Fatal(err)
		}
		w.Flush()
		says(t, axis.Next(), "WAITING, a notice", c.want)
		if c.want == "holds game 1" {
			says(t, axis.Sheet("STEP 1"), "NOT ACCEPTED", "The operator holds the game")
		}
	}
	put(w, axis.Reply(old, "GAME 1 TURN 1 PHASE MARCH", "STEP 1", "END"))
	w.None("axis") // the key of before is void
	says(t, axis.Sheet("STEP 1"), "ACCEPTED")
	says(t, w.As("soviet").Last(), "WAITING", "now played by Carla")
	if err := w.Office.CloseGame(ctx, 1); err != nil {
		t.Fatal(err)
	}
	w.Flush()
	says(t, axis.Next(), "GAME OVER", "has closed game 1")
	says(t, axis.Sheet("STEP 1"), "NOT ACCEPTED", "closed by the operator")
	// What is done already, or can't be done any more, is said, and nobody gets a mail.
	for what, f := range map[string]func(context.Context, pbem.GameID) error{"hold": w.Office.Hold, "release": w.Office.Release, "close": w.Office.CloseGame} {
		if err := f(ctx, 1); err == nil || !strings.Contains(err.Error(), "game 1 is closed") {
			t.Errorf("%s of a closed game: %v", what, err)
		}
	}
	w.Found("toy", pbem.Terms{NoJoin: true})
	if err := w.Office.Release(ctx, w.Game); err == nil || !strings.Contains(err.Error(), "isn't held") {
		t.Errorf("release of a game that isn't held: %v", err)
	}
	if err := w.Office.Hold(ctx, w.Game); err != nil {
		t.Error(err)
	}
	if err := w.Office.Hold(ctx, w.Game); err == nil || !strings.Contains(err.Error(), "held already") {
		t.Errorf("hold of a held game: %v", err)
	}
	if err := w.Office.Hold(ctx, 99); !errors.Is(err, pbem.ErrNotFound) {
		t.Errorf("hold of no game: %v", err)
	}
}

func TestSilentPlayerIsRemindedAndReported(t *testing.T) {
	w := toy(t, nil, pbem.Terms{Days: 3})
	w.Wait(71 * time.Hour)
	w.None("axis")
	w.Wait(time.Hour)
	says(t, w.Next("axis"), "YOUR TURN, a reminder", "waited 3 days", "GAME 1 TURN 1 PHASE MARCH")
	w.None("soviet")
	w.Wait(48 * time.Hour)
	says(t, w.Next("soviet"), "WAITING, a notice", "has not moved for 5 days")
	w.None("axis")
	w.Wait(300 * time.Hour)
	w.None("axis")
	w.None("soviet")
}

func TestTokensStandInSubjectsWhereTheProviderWantsIt(t *testing.T) {
	w := toy(t, func(w *pbemtest.World) { w.Config.SubjectTokens = true }, pbem.Terms{})
	l := w.As("axis").Last()
	if !strings.HasPrefix(l.Subject, "[1 #") || l.ReplyTo != pbemtest.MailboxAddress {
		t.Errorf("subject %q, reply to %s", l.Subject, l.ReplyTo)
	}
	says(t, w.As("axis").Sheet("STEP 1"), "ACCEPTED", "place 1")
	if list, _ := w.Archive.Outbox(pbem.OutSent, "", 9); strings.Contains(list[0].Subject, "#") && !strings.Contains(list[0].Subject, "#…") {
		t.Errorf("the outbox list shows a token: %s", list[0].Subject)
	}
}

// onDisk keeps the world's archive in a store.
func onDisk(w *pbemtest.World) { onDiskB(w.T, w) }

func onDiskB(t testing.TB, w *pbemtest.World) {
	s, err := store.Open(filepath.Join(t.TempDir(), "pbem.db"), store.Options{})
	if err != nil {
		w.T.Fatal(err)
	}
	w.T.Cleanup(func() { s.Close() })
	w.Archive = s
}

func TestWholeGameOnDisk(t *testing.T) {
	w := toy(t, onDisk, pbem.Terms{})
	w.As("soviet").Sheet("STANDING ASK D04")
	for turn := range 3 {
		w.As("axis").Sheet("STEP 1", "PHASE FIGHT", "FIGHT", "END TURN")
		w.Restart()
		says(t, w.As("soviet").Sheet(fmt.Sprintf("ANSWER Q%d B", turn+1)), "ACCEPTED", "stood false")
		w.Restart()
		w.As("soviet").Sheet("STEP 1", "PHASE FIGHT", "FIGHT", "END TURN")
	}
	says(t, w.As("axis").Last(), "GAME OVER", "the end: time")
	checkProofs(t, w)
}

func TestRunServesUntilItIsToldToStop(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- w.Office.Run(ctx, w.Box, w.Post, pbem.Pace{Tick: time.Millisecond, Flush: time.Millisecond, Pause: time.Millisecond})
	}()
	n := w.Post.Count()
	w.Box.Put(w.As("axis").Mail("GAME 1", "STEP 1", "END"), w.Now())
	for deadline := time.Now().Add(10 * time.Second); w.Post.Count() == n && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	w.Deliver()
	says(t, w.Next("axis"), "ACCEPTED", "place 1")
	if w.Box.Lying() != 0 {
		t.Error("the mail wasn't filed")
	}
}
