package pbem_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"pbemd/engine"
	"pbemd/engine/dice"
	"pbemd/engine/dice/dicetest"
	"pbemd/pbem"
	"pbemd/pbem/pbemtest"
)

func TestRefusedSheetChangesNoSetting(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	axis := w.As("axis")
	says(t, axis.Sheet("STANDING ASK D04", "DEFAULT STAND", "STEP 9"), "NOT ACCEPTED")
	says(t, axis.Sheet("STANDING SHOW"), "YOUR TURN", "You have no standing orders")
	says(t, axis.Sheet("STANDING ASK D04", "DEFAULT STAND", "STEP 1"), "ACCEPTED", "D04")
	says(t, axis.Sheet("STANDING CLEAR", "DEFAULT YIELD"), "ACCEPTED")
	l := axis.Sheet("STANDING SHOW")
	says(t, l, "YOUR TURN", "DEFAULT YIELD", "STANDING ASK D04")
	lacks(t, l, "DEFAULT STAND")
}

func TestWhatWasReadOtherwiseIsSaid(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	l := w.As("axis").Sheet("concede")
	says(t, l, "YOUR TURN", "CONCEDE read as RESIGN")
	l = w.As("axis").Sheet("•  step 1")
	says(t, l, "ACCEPTED", "Tidied up before reading", "place 1")
}

// aged is the toy by a later version of its rules.
type aged struct{ engine.Game }

func (aged) Version() int { return 2 }

func TestNewRulesAreAnnouncedInTheOpen(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	w.As("axis").Sheet("STEP 1")
	r := pbemtest.ToyRules()
	load := r.Load
	r.Load = func(f fs.FS, o json.RawMessage) (pbem.Play, error) {
		p, err := load(f, o)
		p.Game = aged{p.Game}
		return p, err
	}
	w.Config.Rules = []pbem.Rules{r}
	w.Restart()
	says(t, w.As("axis").Sheet("PHASE FIGHT", "FIGHT", "END TURN"), "ACCEPTED", "version 2 of its rules", "pbem-record v1 amend", "what: rules")
	says(t, w.Next("soviet"), "YOUR TURN", "version 2 of its rules")
	checkProofs(t, w)
	if r, err := w.Office.Replay(context.Background(), 1, nil); err != nil || r.Differs != 0 || len(r.Other) != 2 {
		t.Errorf("replay: %+v, %v; want the two bursts of version 1 left out", r, err)
	}
}

func TestReplayFindsEveryEventAgain(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	w.As("soviet").Sheet("STANDING ASK D04")
	axis := w.As("axis")
	axis.Sheet("STEP 1", "PHASE FIGHT")
	axis.Sheet("UNDO")
	axis.Sheet("STEP 2")
	axis.Sheet("STEP 1")
	axis.Sheet("UNDO")
	axis.Sheet("STEP 3", "PHASE FIGHT", "FIGHT", "END TURN")
	w.As("soviet").Sheet("ANSWER Q1 A", "DEFAULT YIELD")
	r, err := w.Office.Replay(context.Background(), 1, nil)
	if err != nil || r.Differs != 0 || r.Bursts < 2 {
		t.Errorf("replay: %+v, %v", r, err)
	}
	checkProofs(t, w)
}

func TestBeaconGame(t *testing.T) {
	beacon := dicetest.NewBeacon(t)
	var missing bool
	w := pbemtest.NewWorld(t, func(w *pbemtest.World) {
		w.Config.Drand = &beacon.Drand
		w.Config.Beacon = func(_ context.Context, round uint64) ([]byte, error) {
			if missing || beacon.Time(round).After(w.Now()) {
				return nil, errors.New("not yet")
			}
			return beacon.Sign(round), nil
		}
	}, pbemtest.ToyRules())
	w.Found("toy", pbem.Terms{NoJoin: true, Beacon: true})
	axis, soviet := w.As("axis"), w.As("soviet")
	says(t, w.Next("axis"), "WAITING", "Step 1 is closed", "pbem-record v1 start", "pbem-record v1 close")
	w.Next("soviet")
	says(t, axis.Sheet("STEP 1"), "NOT ACCEPTED", "waits for round")
	w.Wait(11 * time.Minute)
	says(t, w.Next("axis"), "YOUR TURN", "grade: beacon", "GAME 1 TURN 1 PHASE MARCH")
	says(t, w.Next("soviet"), "WAITING", "grade: beacon")
	says(t, axis.Sheet("STEP 1"), "ACCEPTED", "place 1") // no die: no beacon

	says(t, axis.Sheet("PHASE FIGHT", "FIGHT", "END TURN"), "ACCEPTED", "Step 2 is closed")
	l := axis.Last()
	lacks(t, l, "axis fights")
	says(t, w.Next("soviet"), "WAITING", "Step 2 is closed")
	w.Wait(11 * time.Minute)
	says(t, w.Next("axis"), "WAITING", "axis fights", "grade: beacon")
	says(t, w.Next("soviet"), "YOUR TURN", "axis fights")

	// A close record that leaves too late lowers the grade, in words.
	w.Post.Refuse = func(pbem.Envelope) error {
		return &pbem.SendError{Temporary: true, Code: 451, Err: errors.New("later")}
	}
	w.Box.Put(soviet.Mail("GAME 1", "PHASE FIGHT", "FIGHT", "END TURN", "END"), w.Now())
	w.Drain()
	w.Post.Refuse = nil
	w.Skip(11 * time.Minute)
	w.Flush()
	w.Wait(time.Minute)
	says(t, soviet.Last(), "WAITING", "soviet fights", "grade: chain")

	// A round that never comes: both may take the step back.
	missing = true
	says(t, axis.Sheet("PHASE FIGHT", "FIGHT"), "ACCEPTED", "Step 4 is closed")
	says(t, axis.Sheet("AGREE"), "NOT ACCEPTED", "missing for 24 hours")
	w.Wait(25 * time.Hour)
	says(t, axis.Sheet("GRADE CHAIN"), "ACCEPTED", "the other side has to send")
	says(t, soviet.Sheet("GRADE CHAIN"), "ACCEPTED", "Both sides agree")
	says(t, axis.Sheet("AGREE"), "ACCEPTED", "when both sides")
	says(t, soviet.Sheet("AGREE"), "ACCEPTED", "is taken back")
	says(t, axis.Last(), "YOUR TURN")
	says(t, axis.Sheet("PHASE FIGHT", "FIGHT", "END TURN"), "ACCEPTED", "axis fights", "grade: chain")
	checkProofs(t, w)
}

// TestSecretsStaySecret looks into every mail of a whole conversation for what
// its reader may not know.
func TestSecretsStaySecret(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	w.As("soviet").Sheet("STANDING ASK D04")
	w.As("axis").Sheet("STEP 1", "SALT axis-salt-words", "MESSAGE hello", "PHASE FIGHT", "FIGHT", "END TURN")
	w.As("soviet").Sheet("PHASE STANDING", "DEFAULT STAND")
	w.As("soviet").Sheet("ANSWER Q1 B")
	w.As("soviet").Sheet("STATUS", "MAP", "STANDING SHOW", "REPORT 1")
	secret := map[engine.Side]string{}
	for _, s := range []engine.Side{"axis", "soviet"} {
		secret[s] = after(w.As(s).Got[0].Text, "secret: ")
	}
	for _, s := range []engine.Side{"axis", "soviet"} {
		other := map[engine.Side]engine.Side{"axis": "soviet", "soviet": "axis"}[s]
		for _, l := range w.As(s).Got {
			if strings.Contains(l.Text, secret[other]) && secret[other] != secret[s] {
				t.Errorf("%s is told the secret of %s in %q", s, other, l.Subject)
			}
			for _, k := range w.As(other).Got {
				if strings.Contains(string(l.Raw), k.ReplyTo) {
					t.Errorf("%s is sent a key of %s in %q", s, other, l.Subject)
				}
			}
			lacks(t, l, w.As(other).Address)
		}
	}
	for _, l := range w.As("axis").Got {
		lacks(t, l, "DEFAULT STAND")
	}
	for _, p := range []*pbemtest.Player{w.As("axis"), w.As("soviet")} {
		if strings.Contains(w.Log.String(), p.Address) {
			t.Errorf("the log holds the address of %s", p.Side)
		}
		for _, l := range p.Got {
			if key := l.ReplyTo[strings.IndexByte(l.ReplyTo, '-')+1 : strings.IndexByte(l.ReplyTo, '@')]; strings.Contains(w.Log.String(), key) {
				t.Errorf("the log holds a key of %s", p.Side)
			}
		}
	}
}

func TestQueriesOfAResumedStepAreAnsweredOnce(t *testing.T) {
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
	w.Box.Put(axis.Mail("GAME 1", "MESSAGE only once", "PHASE FIGHT", "FIGHT", "END"), w.Now())
	if err := w.Office.Drain(context.Background(), w.Box); !errors.Is(err, died) {
		t.Fatalf("drain: %v", err)
	}
	m.Fail = nil
	w.Restart()
	w.Wait(3 * time.Minute) // the step is ended before its mail is seen again
	says(t, axis.Next(), "ACCEPTED", "axis fights")
	w.Drain()
	w.Drain()
	says(t, axis.Next(), "YOUR TURN", "passed on")
	w.None("axis")
	said := 0
	for _, l := range w.As("soviet").Got {
		said += strings.Count(l.Text, "only once")
	}
	if said != 1 {
		t.Errorf("the message was passed on %d times", said)
	}
}

func TestSolitaireTwoSeatsOneAddress(t *testing.T) {
	w := pbemtest.NewWorld(t, proven, pbemtest.ToyRules())
	id, err := w.Office.NewGame(context.Background(), pbem.Founding{Rules: "toy", Terms: pbem.Terms{NoJoin: true, Seed: "s"}, Seats: []pbem.Seat{
		{Side: "axis", Name: "Solo", Address: "solo@players.example"}, {Side: "soviet", Name: "Solo", Address: "solo@players.example"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	w.Flush()
	keys := map[string]string{}
	for _, s := range w.Post.All {
		l, err := pbemtest.ReadLetter(s.Message)
		if err != nil {
			t.Fatal(err)
		}
		side := "soviet"
		if strings.Contains(l.Subject, "YOUR TURN") {
			side = "axis"
		}
		keys[side] = l.ReplyTo
	}
	// Without a key nobody can say which seat is meant.
	put(w, vouched(pbemtest.Compose("solo@players.example", "gm@pbem.example", "x", "<a@y.example>", "", w.Now(), "GAME 1 TURN 1 PHASE MARCH", "STEP 1", "END"), "players.example"))
	if n := len(w.Post.All); n != 2 {
		t.Errorf("%d mails", n)
	}
	put(w, vouched(pbemtest.Compose("solo@players.example", keys["axis"], "x", "<b@y.example>", "", w.Now(), "GAME 1", "STEP 1", "END TURN", "END"), "players.example"))
	g, err := w.Archive.Game(id)
	if err != nil || g.State.Side != "soviet" || len(w.Post.All) != 4 {
		t.Errorf("state %+v, %d mails, %v", g.State, len(w.Post.All), err)
	}
}

func TestDeadlineWaitsForTheMailbox(t *testing.T) {
	w := toy(t, nil, pbem.Terms{AnswerHours: 24})
	w.As("soviet").Sheet("STANDING ASK D04")
	w.As("axis").Sheet("PHASE FIGHT", "FIGHT", "END PHASE")
	w.Next("soviet")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	// The office serves a mailbox now, and has not looked into it since.
	if err := w.Office.Run(ctx, w.Box, w.Post, pbem.Pace{}); err != nil {
		t.Fatal(err)
	}
	w.Wait(25 * time.Hour)
	if n := len(w.As("axis").Got); n != 2 {
		t.Errorf("the default was taken though an answer may lie in the mailbox")
	}
	w.Drain()
	w.Wait(0)
	says(t, w.Next("soviet"), "QUESTION Q1, a reminder")
	says(t, w.Next("soviet"), "YOUR TURN", "the default was taken")
}

func TestFoundingIsChecked(t *testing.T) {
	w := pbemtest.NewWorld(t, nil, pbemtest.ToyRules())
	seat := func(side engine.Side, address string) pbem.Seat {
		return pbem.Seat{Side: side, Name: "N", Address: address}
	}
	a, s := seat("axis", "a@x.example"), seat("soviet", "s@x.example")
	for _, c := range []struct {
		f    pbem.Founding
		want string
	}{
		{pbem.Founding{Rules: "chess", Seats: []pbem.Seat{a, s}}, "no rules"},
		{pbem.Founding{Rules: "toy", Seats: []pbem.Seat{a}}, "nobody is named for the side soviet"},
		{pbem.Founding{Rules: "toy", Seats: []pbem.Seat{a, a, s}}, "given twice"},
		{pbem.Founding{Rules: "toy", Seats: []pbem.Seat{a, s, seat("finland", "f@x.example")}}, "sides"},
		{pbem.Founding{Rules: "toy", Seats: []pbem.Seat{a, seat("soviet", "s@x.example\r\nBcc: e@x.example")}}, "no mail address"},
		{pbem.Founding{Rules: "toy", Seats: []pbem.Seat{a, s}, Terms: pbem.Terms{Beacon: true}}, "no beacon"},
	} {
		if _, err := w.Office.NewGame(context.Background(), c.f); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	if list, _ := w.Archive.Games(0, 9); len(list) > 0 {
		t.Errorf("games were founded: %v", list)
	}
}

func TestStrictSeatWantsBothProofs(t *testing.T) {
	w := pbemtest.NewWorld(t, proven, pbemtest.ToyRules())
	_, err := w.Office.NewGame(context.Background(), pbem.Founding{Rules: "toy", Terms: pbem.Terms{NoJoin: true, Seed: "s"}, Seats: []pbem.Seat{
		{Side: "axis", Name: "A", Address: "axis@players.example", Strict: true}, {Side: "soviet", Name: "S", Address: "s@players.example"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	w.Flush()
	l, err := pbemtest.ReadLetter(w.Post.All[0].Message)
	if err != nil {
		t.Fatal(err)
	}
	sheet := []string{"GAME 1 TURN 1 PHASE MARCH", "STEP 1", "END"}
	put(w, pbemtest.Compose("axis@players.example", l.ReplyTo, "x", "<a@y.example>", "", w.Now(), sheet...))
	put(w, vouched(pbemtest.Compose("axis@players.example", "gm@pbem.example", "x", "<b@y.example>", "", w.Now(), sheet...), "players.example"))
	if g, _ := w.Archive.Game(1); g.Bursts != 1 {
		t.Error("one proof was enough")
	}
	put(w, vouched(pbemtest.Compose("axis@players.example", l.ReplyTo, "x", "<c@y.example>", "", w.Now(), sheet...), "players.example"))
	if g, _ := w.Archive.Game(1); g.Bursts != 2 {
		t.Error("both proofs were not enough")
	}
}

func TestPostOffSeatsPrivateRecords(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	w.As("axis").Sheet("PHASE FIGHT", "FIGHT", "END TURN")
	// Nobody can open the other side's C before the end.
	for _, l := range w.As("soviet").Got {
		var pile dice.Pile
		pile.Add("mail", l.Text)
		lacks(t, l, "BEGIN PBEM ORDERS")
	}
}

func TestKeyThatOthersCouldReadIsChanged(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	axis := w.As("axis")
	old := axis.Last()
	raw := strings.Replace(string(axis.Mail("GAME 1", "STEP 1", "END")), "Subject:", "Cc: friend@home.example\r\nSubject:", 1)
	put(w, []byte(raw))
	says(t, axis.Next(), "ACCEPTED", "place 1", "A new key comes with this mail")
	put(w, axis.Reply(old, "GAME 1 TURN 1 PHASE MARCH", "STEP 2", "END"))
	w.None("axis")
	says(t, axis.Sheet("STEP 2"), "ACCEPTED", "place 3")
}

func TestResignWhileAQuestionIsOpenEndsStepAndGame(t *testing.T) {
	for _, who := range []engine.Side{"axis", "soviet"} {
		w := toy(t, nil, pbem.Terms{})
		w.As("soviet").Sheet("STANDING ASK D04")
		w.As("axis").Sheet("PHASE FIGHT", "FIGHT", "FIGHT", "END PHASE")
		w.Next("soviet")
		l := w.As(who).Sheet("RESIGN")
		says(t, w.As(who).Sheet(after(l.Text, "RESIGN CONFIRM")), "GAME OVER", "the end: "+string(who)+" resigned", "pbem-record v1 step", "pbem-record v1 end")
		for _, s := range []engine.Side{"axis", "soviet"} {
			says(t, w.As(s).Last(), "GAME OVER")
		}
		checkProofs(t, w)
	}
}

func TestReportNumbersCanBeFound(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	axis := w.As("axis")
	says(t, axis.Sheet("STEP 1"), "ACCEPTED", "This is report 2.")
	says(t, axis.Sheet("STEP 1"), "YOUR TURN", "see report 2")
}

func TestStandingHeadingIsNoPassForOrders(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	axis, soviet := w.As("axis"), w.As("soviet")
	says(t, axis.Send("GAME 1 PHASE STANDING", "STEP 1", "END"), "NOT ACCEPTED", "headed GAME 1 PHASE STANDING")
	says(t, axis.Sheet("END PHASE"), "ACCEPTED")
	axis.Sheet("END PHASE")
	soviet.Sheet("END PHASE")
	// What is good at any time is taken with an old key and without a phase.
	put(w, axis.Reply(axis.Got[2], "GAME 1", "DEFAULT STAND", "FLAG 4 NOW", "END"))
	says(t, axis.Next(), "ACCEPTED", "axis shows flag 4")
	says(t, axis.Send("GAME 1 PHASE STANDING", "DEFAULT YIELD", "END"), "ACCEPTED", "1 standing order kept")
}

func TestSameUnprovenOctetsCountOnce(t *testing.T) {
	w := toy(t, proven, pbem.Terms{})
	axis := w.As("axis")
	wrong := pbemtest.Compose(axis.Address, "gm+g1-22222222@pbem.example", "x", "<w@y.example>", "", w.Now(), "GAME 1", "STEP 1", "END")
	strange := vouched(pbemtest.Compose("new@other.example", "gm@pbem.example", "hello", "<n@y.example>", "", w.Now(), "how?"), "other.example")
	for range 3 {
		put(w, wrong)
		put(w, strange)
		w.Skip(30 * time.Hour)
	}
	says(t, axis.Sheet("STATUS"), "YOUR TURN", "1 mail with a wrong key")
	if n := len(w.Post.All); n != 4 {
		t.Errorf("%d mails were sent, want two openings, one guide and one answer", n)
	}
}

func TestAddressThatCannotBeWrittenToIsRefused(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	for _, a := range []string{"x@-bad-.example", "x@bad..example"} {
		says(t, w.As("axis").Sheet("ADDRESS "+a), "NOT ACCEPTED", "can't be your address")
		if err := w.Office.Reseat(context.Background(), 1, "axis", "", a); err == nil {
			t.Errorf("the operator could seat %s", a)
		}
	}
	says(t, w.As("axis").Sheet("STEP 1"), "ACCEPTED")
}
