package pbem_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"pbemd/engine"
	"pbemd/engine/dice"
	"pbemd/engine/dice/dicetest"
	"pbemd/pbem"
	"pbemd/pbem/pbemtest"
)

// toy opens a world with a toy game that has begun, both opening mails read.
func toy(t *testing.T, change func(*pbemtest.World), terms pbem.Terms) *pbemtest.World {
	t.Helper()
	w := pbemtest.NewWorld(t, change, pbemtest.ToyRules())
	terms.NoJoin = true
	w.Found("toy", terms)
	w.Next("axis")
	w.Next("soviet")
	return w
}

// says wants a mail to begin its subject with a state and to hold texts.
func says(t testing.TB, l pbemtest.Letter, word string, parts ...string) {
	t.Helper()
	subject := l.Subject
	if i := strings.Index(subject, "] "); i >= 0 {
		subject = subject[i+2:]
	}
	if !strings.HasPrefix(subject, word) {
		t.Errorf("subject is %q, want %s\n%s", l.Subject, word, l.Text)
	}
	for _, p := range parts {
		if !strings.Contains(l.Text, p) {
			t.Errorf("%q lacks %q:\n%s", l.Subject, p, l.Text)
		}
	}
}

func lacks(t testing.TB, l pbemtest.Letter, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if strings.Contains(string(l.Raw), p) || strings.Contains(l.Text, p) {
			t.Errorf("%q holds %q:\n%s", l.Subject, p, l.Text)
		}
	}
}

func TestMovesAreExecutedAndReceipted(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	l := w.As("axis").Sheet("STEP 2")
	says(t, l, "ACCEPTED, still your turn", "✓ STEP 2", "axis steps 2", "place 2", "GAME 1 TURN 1 PHASE MARCH")
	w.None("soviet") // moves without dice are reported when it must act, or after a day
	w.Wait(24 * time.Hour)
	says(t, w.Next("soviet"), "WAITING", "axis steps 2")
	w.None("axis")
}

func TestFightIsAStepWithProofsForBoth(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	l := w.As("axis").Sheet("STEP 1", "PHASE FIGHT", "FIGHT", "END PHASE")
	says(t, l, "ACCEPTED", "✓ FIGHT", "axis fights with a", "pbem-record v1 close", "pbem-record v1 step", "BEGIN PBEM ORDERS", "order: FIGHT")
	lacks(t, l, "still your turn")
	r := w.Next("soviet")
	says(t, r, "YOUR TURN", "axis steps 1", "axis fights with a", "pbem-record v1 close", "pbem-record v1 step", "GAME 1 TURN 1 PHASE MARCH")
	lacks(t, r, "order: FIGHT", w.As("axis").Address)
	checkProofs(t, w)
}

// checkProofs has the dice of the game checked from each player's mails alone.
func checkProofs(t *testing.T, w *pbemtest.World) {
	t.Helper()
	for _, p := range []*pbemtest.Player{w.As("axis"), w.As("soviet")} {
		var pile dice.Pile
		for i, l := range p.Got {
			pile.Add("mail "+string(rune('a'+i%26)), l.Text)
		}
		reports := dice.Check(pile, dice.Options{})
		if len(reports) != 1 || reports[0].Steps == 0 {
			t.Errorf("the mails of %s prove nothing: %v", p.Side, reports)
		}
		for _, r := range reports {
			if r.Fault != nil {
				t.Errorf("the mails of %s: %v", p.Side, r.Fault)
			}
		}
	}
}

func TestQuestionPausesTheStepAndItsAnswerEndsIt(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	says(t, w.As("soviet").Sheet("STANDING ASK D04"), "ACCEPTED", "D04")
	l := w.As("axis").Sheet("PHASE FIGHT", "FIGHT", "FIGHT", "END PHASE")
	says(t, l, "ACCEPTED", "? FIGHT", "A decision of the Soviet side is awaited", "proof follow")
	lacks(t, l, "pbem-record v1 step\ngame: 1\nstep: 2", "die to come")
	q := w.Next("soviet")
	says(t, q, "QUESTION Q1", "stand or yield?", "A  STAND", "B  YIELD", "without an answer B")
	w.None("axis")
	says(t, w.As("axis").Sheet("STEP 1"), "NOT ACCEPTED", "waits for an answer of the Soviet side")
	says(t, w.As("soviet").Sheet("ANSWER Q2 A"), "NOT ACCEPTED", "The open question is Q1")
	says(t, w.As("soviet").Sheet("ANSWER Q1 C"), "NOT ACCEPTED", "no option C")
	says(t, w.As("axis").Sheet("ANSWER Q1 A"), "NOT ACCEPTED", "waits for an answer")
	a := w.As("soviet").Sheet("ANSWER Q1 STAND")
	says(t, a, "ACCEPTED", "Your answer to Q1 is taken", "stood true", "answer: soviet ANSWER Q1 STAND")
	r := w.Next("axis")
	// The other side stood, so the second fight can't be: the sheet halts.
	says(t, r, "YOUR TURN", "stood true", "pbem-record v1 step")
	says(t, w.As("axis").Sheet("FIGHT"), "NOT ACCEPTED", "the other side stood")
	checkProofs(t, w)
}

func TestDeadlineTakesTheDefaultAfterAReminder(t *testing.T) {
	w := toy(t, nil, pbem.Terms{AnswerHours: 48})
	w.As("soviet").Sheet("STANDING ASK D04")
	w.As("axis").Sheet("PHASE FIGHT", "FIGHT", "END PHASE")
	w.Next("soviet")
	w.Wait(23 * time.Hour)
	w.None("soviet")
	w.Wait(time.Hour)
	says(t, w.Next("soviet"), "QUESTION Q1, a reminder", "still waits")
	w.Wait(23 * time.Hour)
	w.None("soviet")
	w.None("axis")
	w.Wait(time.Hour)
	says(t, w.Next("soviet"), "YOUR TURN", "the default was taken: YIELD", "stood false")
	says(t, w.Next("axis"), "WAITING", "did not answer in time", "stood false")
	says(t, w.As("soviet").Sheet("ANSWER Q1 A"), "NOT ACCEPTED", "No question is open")
	checkProofs(t, w)
}

func TestHaltReturnsTheRestAsADraft(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	says(t, w.As("soviet").Sheet("PHASE STANDING", "DEFAULT STAND"), "ACCEPTED", "1 standing order kept", "DEFAULT STAND")
	l := w.As("axis").Sheet("PHASE FIGHT", "FIGHT", "FIGHT", "IF WON: FIGHT", "END PHASE")
	says(t, l, "ACCEPTED, still your turn", "✗ FIGHT", "the other side stood", "Execution halted there",
		"GAME 1 TURN 1 PHASE FIGHT\nFIGHT\nIF WON: FIGHT\nEND PHASE\nEND")
	l = w.As("axis").Sheet("END PHASE")
	says(t, l, "ACCEPTED")
	checkProofs(t, w)
}

func TestBadSheetExecutesNothing(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	for _, c := range []struct {
		lines []string
		want  string
	}{
		{[]string{"STEP 2", "STEP 9"}, "nobody goes 9 places"},
		{[]string{"STEP 2", "JUMP 3"}, "no verb in JUMP 3"},
		{[]string{"STEP 2", "FIGHT"}, "nobody fights now"},
		{[]string{"STEP x"}, "STEP wants a number"},
	} {
		l := w.As("axis").Sheet(c.lines...)
		says(t, l, "NOT ACCEPTED, still your turn", c.want, "Nothing was executed")
	}
	l := w.As("axis").Sheet("STATUS")
	says(t, l, "YOUR TURN", "place 0")
}

func TestSheetIsNeverTakenForAnotherPhase(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	axis := w.As("axis")
	opening := axis.Last()
	says(t, axis.Sheet("STEP 1", "END PHASE"), "ACCEPTED, still your turn")
	// The reply to the opening mail has the token of the phase before.
	w.Box.Put(axis.Reply(opening, "GAME 1", "END PHASE", "END"), w.Now())
	w.Drain()
	says(t, axis.Next(), "NOT ACCEPTED", "answers an older report", "GAME 1 TURN 1 PHASE FIGHT\nEND PHASE\nEND")
	w.Box.Put(axis.Reply(opening, "GAME 1 TURN 1 PHASE FIGHT", "END PHASE", "END"), w.Now())
	w.Drain()
	says(t, axis.Next(), "ACCEPTED")
	says(t, axis.Send("GAME 1 TURN 1 PHASE FIGHT", "FIGHT", "END"), "NOT ACCEPTED", "but the game is at Soviet march, turn 1")
	says(t, axis.Sheet("STEP 1"), "NOT ACCEPTED", "it is not your turn")
	says(t, w.As("soviet").Send("GAME 1 TURN 2", "STEP 1", "END"), "NOT ACCEPTED", "headed GAME 1 TURN 2")
	says(t, w.As("soviet").Send("GAME 1 PHASE MARCH", "STEP 1", "END"), "ACCEPTED")
}

func TestSameOrdersTwice(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	axis := w.As("axis")
	raw := axis.Mail("GAME 1", "STEP 1", "END")
	w.Box.Put(raw, w.Now())
	w.Drain()
	says(t, axis.Next(), "ACCEPTED")
	w.Box.Put(raw, w.Now()) // the mail server delivers it again
	w.Drain()
	w.None("axis")
	says(t, axis.Sheet("STEP 1"), "YOUR TURN", "executed already", "see report 2") // sent again by hand
	says(t, axis.Sheet("STEP 1", "AGAIN"), "ACCEPTED", "place 2")
	says(t, axis.Sheet("STEP 2", "END PHASE"), "ACCEPTED")
	says(t, axis.Send("GAME 1 TURN 1 PHASE MARCH", "STEP 2", "END PHASE", "END"), "YOUR TURN", "executed already")
}

func TestUndo(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	axis, soviet := w.As("axis"), w.As("soviet")
	says(t, axis.Sheet("UNDO"), "NOT ACCEPTED", "no orders that could be taken back")
	axis.Sheet("STEP 1")
	axis.Sheet("STEP 2")
	l := axis.Sheet("UNDO", "STEP 3")
	says(t, l, "ACCEPTED", "You have taken back your last orders: STEP 1; STEP 2.", "place 3")
	lacks(t, l, "Orders of which you had been told")
	says(t, axis.Sheet("STEP 1", "UNDO"), "NOT ACCEPTED", "must be the first order")
	says(t, axis.Sheet("UNDO"), "ACCEPTED", "place 0")
	says(t, axis.Sheet("STEP 3"), "ACCEPTED", "place 3") // what was undone isn't "done already"
	axis.Sheet("END TURN")
	says(t, w.Next("soviet"), "YOUR TURN", "axis steps 3")
	// The phase is closed, no die was thrown: the other side is asked.
	says(t, axis.Sheet("UNDO"), "ACCEPTED", "asked to agree")
	says(t, w.Next("soviet"), "QUESTION", "asks to take back", "Send AGREE or REFUSE until", "GAME 1\nAGREE\n# REFUSE\nEND")
	says(t, soviet.Sheet("REFUSE"), "ACCEPTED", "You have refused")
	says(t, w.Next("axis"), "WAITING", "was refused")
	axis.Sheet("REQUEST UNDO")
	w.Next("soviet")
	w.Wait(72 * time.Hour)
	l = w.Next("axis")
	says(t, l, "WAITING", "got no answer")
	lacks(t, l, "was refused")
	axis.Sheet("UNDO")
	w.Next("soviet")
	says(t, soviet.Sheet("AGREE"), "ACCEPTED", "taken back")
	says(t, w.Next("axis"), "YOUR TURN", "has agreed: your last orders are taken back: STEP 3; END TURN.", "place 0", "PHASE MARCH")
	axis.Sheet("PHASE FIGHT", "FIGHT")
	says(t, axis.Sheet("UNDO"), "NOT ACCEPTED", "no die is ever taken back")
	checkProofs(t, w)
}

func TestResignAndDrawAreConfirmedOnce(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	axis, soviet := w.As("axis"), w.As("soviet")
	says(t, axis.Sheet("STEP 1", "RESIGN"), "NOT ACCEPTED", "must be the only order")
	l := axis.Sheet("RESIGN")
	says(t, l, "YOUR TURN", "RESIGN CONFIRM")
	says(t, axis.Sheet("RESIGN CONFIRM XYZZY"), "YOUR TURN", "Nothing has happened yet")
	says(t, soviet.Sheet("ACCEPT DRAW"), "NOT ACCEPTED", "No draw is on offer")
	axis.Sheet("OFFER DRAW")
	says(t, w.Next("soviet"), "QUESTION", "offers a draw")
	l = soviet.Sheet("ACCEPT DRAW")
	says(t, l, "WAITING", "ACCEPT DRAW CONFIRM")
	l = soviet.Sheet(after(l.Text, "ACCEPT DRAW CONFIRM"))
	says(t, l, "GAME OVER", "the end: draw", "pbem-record v1 end")
	r := w.Next("axis")
	says(t, r, "GAME OVER", "the end: draw", "pbem-record v1 end")
	if len(r.Files["game1-transcript.txt"]) == 0 {
		t.Error("the end comes without a transcript")
	}
	says(t, axis.Sheet("STEP 1"), "GAME OVER", "The game is over")
	checkProofs(t, w)
}

// after finds the line of a text that begins so.
func after(text, begin string) string {
	for _, l := range strings.Split(text, "\n") {
		if strings.HasPrefix(l, begin) {
			return l
		}
	}
	return begin + " nothing"
}

func TestWholeGameToItsEnd(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	for turn := range 3 {
		for _, s := range []engine.Side{"axis", "soviet"} {
			want := "ACCEPTED"
			if turn == 2 && s == "soviet" {
				want = "GAME OVER"
			}
			says(t, w.As(s).Sheet("STEP 1", "PHASE FIGHT", "FIGHT", "END TURN"), want)
		}
	}
	says(t, w.As("axis").Last(), "GAME OVER", "the end: time")
	checkProofs(t, w)
}

func TestRequestsAreDoneWhateverBecomesOfTheOrders(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	l := w.As("axis").Sheet("STEP 9", "SALT my own words", "MESSAGE", "Hello there,", "see https://example.net/?a=1", "END MESSAGE", "HELP dice", "STATUS")
	says(t, l, "NOT ACCEPTED", "nobody goes 9 places", "Your salt for the dice is: my own words", "passed on", "place 0")
	m := w.Next("soviet")
	says(t, m, "WAITING, a message", "Axis Player, Axis, writes:", "Hello there,\nsee https://example.net/?a=1")
	lacks(t, m, w.As("axis").Address, "my own words")
	w.As("axis").Sheet("PHASE FIGHT", "FIGHT")
	says(t, w.As("axis").Last(), "ACCEPTED", "salt: axis my own words")
	says(t, w.As("axis").Sheet("REPORT 1"), "YOUR TURN", "axis march of turn 1 begins", "axis fights")
	says(t, w.As("axis").Sheet("REPORT 1 FIGHT"), "YOUR TURN", "axis fights")
	says(t, w.As("axis").Sheet("REPORT 7"), "YOUR TURN", "Nothing is on record for turn 7")
}

func TestCheckShowsAndChangesNothing(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	l := w.As("axis").Sheet("CHECK", "STEP 2", "PHASE FIGHT", "FIGHT", "FIGHT")
	says(t, l, "CHECKED, still your turn", "✓ STEP 2", "a fight adds one die", "Depends on line")
	lacks(t, l, "die [")
	says(t, w.As("axis").Sheet("CHECK", "STEP 9"), "CHECKED", "✗ STEP 9", "nobody goes 9 places")
	says(t, w.As("axis").Sheet("STATUS"), "YOUR TURN", "place 0")
	w.None("soviet")
}

func TestStandingOrdersAreFrozenInTheStep(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	soviet := w.As("soviet")
	soviet.Sheet("STANDING ASK D04")
	w.As("axis").Sheet("PHASE FIGHT", "FIGHT", "END PHASE")
	w.Next("soviet")
	says(t, soviet.Sheet("PHASE STANDING", "DEFAULT STAND"), "ACCEPTED", "count from the next step")
	says(t, soviet.Sheet("STANDING SHOW"), "WAITING", "DEFAULT STAND", "STANDING ASK D04")
	says(t, soviet.Sheet("FLAG 7 NOW"), "ACCEPTED", "takes effect when it is over")
	a := soviet.Sheet("ANSWER Q1 B")
	says(t, a, "ACCEPTED", "stood false", "soviet shows flag 7", "has taken effect: FLAG 7 NOW")
	says(t, soviet.Sheet("STANDING CLEAR"), "ACCEPTED", "cleared")
	says(t, soviet.Sheet("STANDING SHOW"), "YOUR TURN", "STANDING ASK D04")
	says(t, soviet.Sheet("STANDING TZ Europe/Berlin"), "ACCEPTED", "is set")
	says(t, soviet.Sheet("STANDING TZ Europe/Nowhere"), "NOT ACCEPTED", "no time zone")
	checkProofs(t, w)
}

func TestNowLinesTakeEffectOnReceiptFromEitherSide(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	says(t, w.As("soviet").Sheet("PHASE STANDING", "FLAG 3 NOW"), "ACCEPTED", "soviet shows flag 3")
	// What the other side has seen isn't taken back under it.
	says(t, w.As("axis").Sheet("UNDO"), "NOT ACCEPTED")
	says(t, w.As("axis").Sheet("STATUS"), "YOUR TURN", "flag 3")
}

func TestReportsEachAndTurn(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	w.As("soviet").Sheet("STANDING REPORTS EACH")
	w.As("axis").Sheet("STEP 1")
	says(t, w.Next("soviet"), "WAITING", "axis steps 1")
	w.As("soviet").Sheet("STANDING REPORTS TURN")
	w.As("axis").Sheet("STEP 2")
	w.Wait(48 * time.Hour)
	w.None("soviet")
	w.As("axis").Sheet("END TURN")
	says(t, w.Next("soviet"), "YOUR TURN", "axis steps 2")
}

func TestJoinBeginsTheGame(t *testing.T) {
	w := pbemtest.NewWorld(t, nil, pbemtest.ToyRules())
	w.Found("toy", pbem.Terms{})
	says(t, w.Next("axis"), "WAITING, an invitation", "You are invited to game 1 of Toy, as Axis", "GAME 1\nJOIN\nEND")
	w.Next("soviet")
	says(t, w.As("axis").Sheet("STEP 1"), "NOT ACCEPTED", "has not begun")
	says(t, w.As("axis").Sheet("JOIN", "SALT pepper"), "ACCEPTED", "Your seat is taken", "pepper")
	says(t, w.As("axis").Sheet("JOIN"), "ACCEPTED", "Your seat is taken")
	says(t, w.As("soviet").Send("join"), "ACCEPTED", "the game begins") // no sheet, just the word
	l := w.Next("axis")
	says(t, l, "YOUR TURN", "pbem-record v1 start", "salt: axis pepper", "GAME 1 TURN 1 PHASE MARCH")
	says(t, w.As("soviet").Sheet("JOIN"), "ACCEPTED", "have your seat already")
	says(t, w.As("axis").Sheet("STEP 1"), "ACCEPTED")
	checkProofs(t, w)
}

func TestThreadIsOneAndIDsAreStable(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	axis := w.As("axis")
	root := axis.Last().ID
	axis.Sheet("STEP 1")
	answer := axis.Last()
	if answer.InReplyTo != "<m1@players.example>" || len(answer.References) != 2 || answer.References[0] != root {
		t.Errorf("the answer is in reply to %s, references %v", answer.InReplyTo, answer.References)
	}
	axis.Sheet("END TURN")
	w.As("soviet").Sheet("END TURN")
	report := w.Next("axis")
	if report.InReplyTo == "" || report.References[0] != root || report.References[len(report.References)-1] != report.InReplyTo {
		t.Errorf("the report is in reply to %s, references %v", report.InReplyTo, report.References)
	}
	seen := map[string]bool{}
	for _, l := range axis.Got {
		if seen[l.ID] {
			t.Errorf("two mails have the id %s", l.ID)
		}
		seen[l.ID] = true
	}
}

// What a side has ordered is told to that side alone, also when its sheet goes on
// by the other side's answer, by a deadline or by the beacon.
func TestOvertakenOrdersComeBackToTheirSideOnly(t *testing.T) {
	secret := []string{"Execution halted", "halted there", "IF WON", "Not carried out", "…", "IF WON: FIGHT\nEND PHASE", "order: FIGHT"}
	order := func(w *pbemtest.World) {
		t.Helper()
		w.As("soviet").Sheet("STANDING ASK D04")
		l := w.As("axis").Sheet("PHASE FIGHT", "FIGHT", "FIGHT", "IF WON: FIGHT", "END PHASE")
		says(t, l, "ACCEPTED", "? FIGHT", "? IF WON: FIGHT", "? END PHASE", "Waits for the answer; goes on by itself.")
		lacks(t, l, "GAME 1 TURN 1 PHASE FIGHT\nFIGHT", "halted")
		lacks(t, w.Next("soviet"), secret...)
	}
	back := func(w *pbemtest.World, l pbemtest.Letter) {
		t.Helper()
		says(t, l, "YOUR TURN", "line 4, FIGHT: the other side stood", "✓ FIGHT", "✗ FIGHT", "… IF WON: FIGHT",
			"GAME 1 TURN 1 PHASE FIGHT\nFIGHT\nIF WON: FIGHT\nEND PHASE\nEND")
		w.None("axis")
		says(t, w.As("axis").Sheet("END PHASE"), "ACCEPTED")
		for _, l := range w.As("soviet").Got {
			lacks(t, l, "IF WON", "halted there")
		}
		checkProofs(t, w)
	}
	t.Run("answer", func(t *testing.T) {
		w := toy(t, nil, pbem.Terms{})
		order(w)
		l := w.As("soviet").Sheet("ANSWER Q1 A")
		says(t, l, "ACCEPTED", "Your answer to Q1 is taken", "stood true")
		lacks(t, l, secret...)
		w.None("soviet")
		back(w, w.Next("axis"))
	})
	t.Run("deadline", func(t *testing.T) {
		w := toy(t, nil, pbem.Terms{AnswerHours: 48})
		w.As("soviet").Sheet("STANDING ASK D04")
		w.As("axis").Sheet("PHASE FIGHT", "FIGHT", "FIGHT", "FIGHT", "IF WON: STEP 1", "END PHASE")
		lacks(t, w.Next("soviet"), secret...)
		w.Wait(24 * time.Hour)
		lacks(t, w.Next("soviet"), secret...) // the reminder
		w.Wait(24 * time.Hour)
		l := w.Next("soviet") // the default is to yield, so the next fight is asked about
		says(t, l, "QUESTION Q2", "the default was taken")
		lacks(t, l, secret...)
		l = w.As("soviet").Sheet("ANSWER Q2 A")
		says(t, l, "ACCEPTED", "stood true")
		lacks(t, l, secret...)
		says(t, w.Next("axis"), "YOUR TURN", "line 5, FIGHT: the other side stood", "stood true",
			"GAME 1 TURN 1 PHASE FIGHT\nFIGHT\nIF WON: STEP 1\nEND PHASE\nEND")
		w.None("axis")
		checkProofs(t, w)
	})
	t.Run("beacon", func(t *testing.T) {
		b := dicetest.NewBeacon(t)
		w := toy(t, func(w *pbemtest.World) {
			w.Config.Drand = &b.Drand
			w.Config.Beacon = func(_ context.Context, round uint64) ([]byte, error) {
				if b.Time(round).After(w.Now()) {
					return nil, errors.New("not yet")
				}
				return b.Sign(round), nil
			}
		}, pbem.Terms{Beacon: true})
		w.Wait(11 * time.Minute)
		w.As("soviet").Sheet("PHASE STANDING", "DEFAULT STAND")
		says(t, w.As("axis").Sheet("PHASE FIGHT", "FIGHT", "FIGHT", "IF WON: FIGHT", "END PHASE"), "ACCEPTED", "of the beacon")
		lacks(t, w.As("soviet").Last(), secret...)
		w.Wait(11 * time.Minute)
		says(t, w.As("axis").Last(), "YOUR TURN", "line 4, FIGHT: the other side stood", "✗ FIGHT", "… IF WON: FIGHT",
			"GAME 1 TURN 1 PHASE FIGHT\nFIGHT\nIF WON: FIGHT\nEND PHASE\nEND")
		w.Wait(25 * time.Hour)
		says(t, w.As("soviet").Last(), "WAITING", "stood true")
		for _, l := range w.As("soviet").Got {
			lacks(t, l, secret...)
		}
	})
	t.Run("blitz41", func(t *testing.T) {
		const scene = "turn 3 axis assault\nvp 20\nG17 46PZ 4\nG17 47PZ 4\nG17 39PZ 4\nG16 8A 1\nH18 56PZ 4\nH18 57PZ 4\nH18 24PZ 4\nH17 9A 2\nK16 41PZ 4\nK16 3PZ 4\nK16 14PZ 4\nJ16 10A 2"
		words(t, func(word string) bool {
			w := onScene(t, word, scene)
			axis, soviet := w.As("axis"), w.As("soviet")
			says(t, soviet.Sheet("STANDING ASK D04"), "ACCEPTED")
			const again = "ATTACK H17 FROM H18 LOSS STEPS ADVANCE NONE"
			l := axis.Sheet(again, again, "ATTACK J16 FROM K16 LOSS STEPS ADVANCE NONE", "END PHASE")
			if !strings.Contains(l.Text, "A decision of the Soviet side is awaited") {
				return false
			}
			says(t, l, "ACCEPTED", "? "+again, "Waits for the answer")
			read := len(axis.Got)
			l = soviet.Sheet("ANSWER Q1 A")
			says(t, l, "ACCEPTED", "Your answer to Q1 is taken")
			says(t, axis.Got[read], "YOUR TURN", "line 3, "+again, "GAME 1 TURN 3 PHASE ASSAULT\n"+again+"\nATTACK J16 FROM K16")
			for _, l := range soviet.Got {
				lacks(t, l, "FROM K16", "FROM H18 LOSS", "halted there", "Execution halted")
			}
			return true
		})
	})
}

// A player who gives up during his own sheet gets no draft of it, nor does the
// other side.
func TestResigningDuringAQuestionTellsNobodyTheRest(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	w.As("soviet").Sheet("STANDING ASK D04")
	w.As("axis").Sheet("PHASE FIGHT", "FIGHT", "STEP 1", "END PHASE")
	w.Next("soviet")
	l := w.As("soviet").Sheet("RESIGN")
	l = w.As("soviet").Sheet("RESIGN CONFIRM " + between(l.Text, "RESIGN CONFIRM ", "."))
	says(t, l, "GAME OVER")
	lacks(t, l, "STEP 1", "halted")
	says(t, w.Next("axis"), "GAME OVER")
}

// A refused sheet comes back to be mended: what is wrong with a line stands above
// it, rule errors beside reading errors, and the mended draft is accepted.
func TestRefusedSheetComesBackToBeMended(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	axis := w.As("axis")
	l := axis.Sheet("STEP 2", "STEP 9", "JUMP 3", "PHASE FIGHT", "STEP 1", "END PHASE")
	says(t, l, "NOT ACCEPTED, still your turn", "Nothing was executed: 1 thing", "Of the lines that can be read, 1 can't",
		"✓ STEP 2", "✗ STEP 9", "✗ JUMP 3", "nobody goes 9 places", "no verb in JUMP 3",
		"GAME 1 TURN 1 PHASE MARCH\nSTEP 2\n# ✗ nobody goes 9 places (3)\nSTEP 9\n# ✗ no verb in JUMP 3\nJUMP 3\nPHASE FIGHT\nSTEP 1\nEND PHASE\nEND")
	lacks(t, l, "Copy these lines")
	l = axis.Send("GAME 1 TURN 1 PHASE MARCH", "STEP 2", "# ✗ nobody goes 9 places (3)", "STEP 3", "# ✗ no verb in JUMP 3", "END PHASE", "END")
	says(t, l, "ACCEPTED", "place 5")
	// Below an unreadable line only what is wrong in any case is called wrong.
	l = axis.Sheet("FHIGT", "STEP 1", "END PHASE")
	says(t, l, "NOT ACCEPTED", "✗ FHIGT", "? STEP 1", "Depends on line 2")
	l = axis.Sheet("FHIGT", "STATUS")
	says(t, l, "NOT ACCEPTED", "No order was executed: 1 thing", "What you asked for is below", "place 5")
	lacks(t, l, "Nothing was executed")
	l = axis.Sheet("STEP 1", "STATUS")
	says(t, l, "NOT ACCEPTED", "No order was executed: 1 line", "✗ STEP 1")
	l = axis.Sheet("CHECK", "STATUS", "FIGHT", "FIGTH", "STEP 7")
	says(t, l, "CHECKED", "Nothing was executed. The sheet would be refused: lines 5, 6 can't be done.", "GAME 1 TURN 1 PHASE FIGHT\nCHECK\n")
	says(t, axis.Sheet("CHECK", "FIGHT"), "CHECKED", "this is what the sheet would do")
}

// Nothing that was refused looks done.
func TestRefusedRequestsCarryNoTick(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	axis := w.As("axis")
	for _, line := range []string{"UNDO", "ANSWER Q1 A", "AGREE"} {
		l := axis.Sheet(line)
		says(t, l, "NOT ACCEPTED")
		lacks(t, l, "✓ "+line)
	}
	l := axis.Sheet("HELP BREAKFAST")
	says(t, l, "YOUR TURN", "✗ HELP BREAKFAST", "no help on")
	l = axis.Sheet("CHECK", "STEP 1", "UNDO")
	says(t, l, "CHECKED", "✓ STEP 1", "– UNDO")
}

// A message is passed on whole or not at all, and once.
func TestMessagesOfRefusedSheets(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	axis := w.As("axis")
	l := axis.Sheet("MESSAGE", "", "END MESSAGE", "STEP 1")
	says(t, l, "ACCEPTED", "✗ MESSAGE", "without words")
	w.None("soviet")
	l = axis.Sheet("STEP 1", "AGAIN", "MESSAGE", "Hold out,", "friend!")
	says(t, l, "NOT ACCEPTED", "that line is missing")
	w.None("soviet")
	l = axis.Sheet("STEP 2", "JUMP", "MESSAGE", "Shall we", "call it off?", "END MESSAGE")
	says(t, l, "NOT ACCEPTED", "Your message has been passed on", "MESSAGE\nShall we\ncall it off?\nEND MESSAGE")
	says(t, w.Next("soviet"), "WAITING, a message", "Shall we\ncall it off?")
	l = axis.Sheet("STEP 2", "MESSAGE", "Shall we", "call it off?", "END MESSAGE")
	says(t, l, "ACCEPTED", "it wasn't sent twice")
	w.None("soviet")
	l = axis.Sheet("MESSAGE", "Shall we", "call it off?", "END MESSAGE") // said again on purpose
	says(t, l, "YOUR TURN", "passed on")
	w.Next("soviet")
}

// A heading is proposed only to the side whose phase it is.
func TestNoHeadingForTheOtherSidesPhase(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	for _, l := range []pbemtest.Letter{
		w.As("soviet").Send("GAME 1 TURN 1 PHASE FIGHT", "FIGHT", "END"),
		w.As("soviet").Send("GAME 1 TURN 9", "STEP 1", "END"),
	} {
		says(t, l, "NOT ACCEPTED", "wait until it is your turn")
		lacks(t, l, "The heading for now is", "Put this heading")
	}
	says(t, w.As("axis").Send("GAME 1 TURN 1 PHASE FIGHT", "FIGHT", "END"), "NOT ACCEPTED", "The heading for now is: GAME 1 TURN 1 PHASE MARCH")
}

func TestStandingAskKnowsTheDecisions(t *testing.T) {
	w := blitz(t, nil)
	says(t, w.As("soviet").Sheet("STANDING ASK D04 D05"), "ACCEPTED", "will be mailed to you: D04, D05")
	l := w.As("soviet").Sheet("STANDING ASK D04 D44")
	says(t, l, "NOT ACCEPTED", "There is no decision D44", "D01, D02", "E05, E09")
	lacks(t, l, "✓ STANDING ASK")
	says(t, w.As("soviet").Sheet("STANDING SHOW"), "WAITING", "STANDING ASK D05")
	says(t, w.As("soviet").Sheet("STANDING ASK E05"), "ACCEPTED", "will be mailed to you: E05.")
}

// Who only asks for something needs no heading; who puts it beside the heading is
// shown the form.
func TestQueriesNeedNoSheet(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	axis := w.As("axis")
	says(t, axis.Send("STATUS"), "YOUR TURN", "✓ STATUS", "place 0")
	says(t, axis.Send("", "help orders", "Status", "", "-- ", "Axis Player"), "YOUR TURN", "STATUS")
	says(t, axis.Send("MAP", "", "On Saturday the Game Master wrote:", "> STEP 1", "> END PHASE"), "YOUR TURN", "✓ MAP")
	says(t, axis.Send("MAP", "", "On Sat, 28 Nov 2026 at 12:00, Game Master <gm@pbem.example>", "wrote:", "> STEP 1"), "YOUR TURN", "✓ MAP")
	for _, lines := range [][]string{{"STATUS", "STEP 1"}, {"Could you help me?"}, {"> STATUS"}, {"RESIGN"}, {"STANDING CLEAR", "HELP"}} {
		says(t, axis.Send(lines...), "NOT ACCEPTED", "No orders were found")
	}
	l := axis.Send("GAME 1 HELP")
	says(t, l, "NOT ACCEPTED", "stands alone in its line", "GAME 1\nHELP\nEND")
	says(t, axis.Send("GAME 1", "STATUS", "END"), "YOUR TURN", "place 0")
}
