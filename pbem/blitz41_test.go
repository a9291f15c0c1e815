package pbem_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"pbemd/engine"
	"pbemd/engine/blitz41"
	"pbemd/engine/enginetest"
	"pbemd/pbem"
	"pbemd/pbem/pbemtest"
)

// blitz opens a world with a game of Blitzkrieg '41 that has begun.
func blitz(t testing.TB, change func(*pbemtest.World)) *pbemtest.World {
	t.Helper()
	w := pbemtest.NewWorld(t, change, pbem.Games()...)
	w.Found("blitz41", pbem.Terms{NoJoin: true})
	w.Next("axis")
	w.Next("soviet")
	return w
}

func TestBlitzkriegTurnOneAndTwo(t *testing.T) {
	w := blitz(t, nil)
	axis := w.As("axis")
	t.Log(axis.Last().Text[:min(3000, len(axis.Last().Text))])
	l := axis.Sheet("END TURN")
	says(t, l, "ACCEPTED")
	for range 3 {
		for _, s := range []engine.Side{"soviet", "axis"} {
			l := w.As(s).Sheet("END TURN")
			says(t, l, "ACCEPTED")
			if t.Failed() {
				t.FailNow()
			}
		}
	}
	checkProofs(t, w)
}

// TestBlitzkriegHidesWhatIsHidden compares what both sides are mailed.
func TestBlitzkriegAddressesStayHidden(t *testing.T) {
	w := blitz(t, nil)
	w.As("axis").Sheet("END TURN")
	for _, s := range w.Post.All {
		for _, other := range []engine.Side{"axis", "soviet"} {
			if a := w.As(other).Address; a != s.To && strings.Contains(string(s.Message), a) {
				t.Errorf("a mail to %s holds the address of %s", s.To, other)
			}
		}
	}
}

func TestBlitzkriegHelpByMail(t *testing.T) {
	w := blitz(t, nil)
	says(t, w.As("axis").Sheet("HELP"), "YOUR TURN", "ATTACK", "STANDING")
	says(t, w.As("axis").Sheet("HELP MOVE"), "YOUR TURN", "MOVE")
	says(t, w.As("axis").Sheet("HELP dice"), "YOUR TURN", "dicecheck")
	says(t, w.As("axis").Sheet("HELP RULE 14.7.C"), "YOUR TURN", "14.7.C")
}

// TestBlitzkriegWholeGameByMail has two players order at random, by mail alone,
// from the first day to the end: whatever is accepted is executed, questions are
// answered by letters, and at the end the dice and every event are checked.
func TestBlitzkriegWholeGameByMail(t *testing.T) {
	w := blitz(t, func(w *pbemtest.World) { w.Config.Caps = pbem.Caps{MailsPerHour: 1 << 30, SentPerHour: 1 << 30} })
	data, err := blitz41.Load(blitz41.DataFiles())
	if err != nil {
		t.Fatal(err)
	}
	who := enginetest.NewB41(data, 10)
	says(t, w.As("soviet").Sheet("STANDING ASK D04"), "ACCEPTED")
	open := regexp.MustCompile(`QUESTION Q(\d+)`)
	ctx := context.Background()
	mails, asked, steps := 0, 0, 0
	for sheets := 0; ; {
		look, err := w.Office.Look(ctx, w.Game)
		if err != nil {
			t.Fatal(err)
		}
		steps = look.Game.Step
		if look.Game.Stage == pbem.Over {
			break
		}
		if mails++; mails > 3000 {
			t.Fatal("the game doesn't end")
		}
		if p := look.Game.Pending; p != nil {
			m := open.FindStringSubmatch(w.As(p.Question.Side).Last().Subject)
			if m == nil {
				t.Fatalf("asked by %q", w.As(p.Question.Side).Last().Subject)
			}
			asked++
			w.As(p.Question.Side).Sheet("ANSWER Q" + m[1] + " " + pbem.OptionLetter(mails%len(p.Question.Options)))
			continue
		}
		side := look.Game.State.Side
		var orders []engine.Order
		for _, o := range who.Orders(look.Play.Game, look.Position, 4) {
			if !strings.HasPrefix(o.Text, "END") {
				orders = append(orders, o)
			}
		}
		env := engine.Env{}
		var lines []string
		for i := range orders {
			orders[i].Line = i + 2
			dry := engine.Rehearse(look.Play.Game, look.Position, look.Game.Seq, append(orders[:i:i], orders[i]), env, false)
			if !dry.Clean || strings.HasPrefix(orders[i].Text, "STACK") {
				break
			}
			lines = append(lines, orders[i].Text)
		}
		if sheets++; sheets%3 == 0 || len(lines) == 0 {
			lines = append(lines, "END PHASE")
		}
		l := w.As(side).Sheet(append(lines, "AGAIN")...)
		if strings.Contains(l.Subject, "NOT ACCEPTED") && len(lines) > 1 {
			// What one line did may bar the next, or the end of the phase.
			l = w.As(side).Sheet(lines[0], "AGAIN")
		}
	}
	r, err := w.Office.Replay(ctx, w.Game, nil)
	if err != nil || r.Differs != 0 {
		t.Errorf("replay: %+v, %v", r, err)
	}
	for _, s := range []engine.Side{"axis", "soviet"} {
		says(t, w.As(s).Last(), "GAME OVER", "pbem-record v1 end")
	}
	checkProofs(t, w)
	if steps < 20 || asked == 0 || mails < 80 {
		t.Errorf("a poor game: %d mails, %d steps, %d questions", mails, steps, asked)
	}
	t.Logf("%d mails, %d steps, %d questions, %d events", mails, steps, asked, r.Events)
}
