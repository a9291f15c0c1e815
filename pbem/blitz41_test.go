package pbem_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"pbemd/engine"
	"pbemd/engine/blitz41"
	"pbemd/engine/dice"
	"pbemd/engine/dice/dicetest"
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

// Before the first round of the beacon there is no map yet; whatever is sent then
// gets its answer, and what stands for later is kept.
func TestMailsBeforeTheFirstRound(t *testing.T) {
	b := dicetest.NewBeacon(t)
	w := pbemtest.NewWorld(t, func(w *pbemtest.World) {
		w.Config.Caps = pbem.Caps{MailsPerHour: 1 << 30, SentPerHour: 1 << 30}
		w.Config.Drand = &b.Drand
		w.Config.Beacon = func(_ context.Context, round uint64) ([]byte, error) { return b.Sign(round), nil }
	}, pbem.Games()...)
	w.Found("blitz41", pbem.Terms{NoJoin: true, Beacon: true})
	axis := w.As("axis")
	w.Next("axis")
	says(t, axis.Last(), "WAITING", "Step 1 is closed")
	says(t, axis.Sheet("PHASE STANDING", "DEFAULT NOKILL", "DEFAULT AIR DEFEND MATCH MAX 2 AT VP", "HEX LENINGRAD MOSCOW HOLD"), "ACCEPTED", "DEFAULT NOKILL")
	for _, sheet := range [][]string{
		{"STATUS"}, {"MAP"}, {"MAP R15"}, {"REPORT"}, {"HELP"}, {"HELP ODDS"}, {"HELP 56PZ"}, {"MESSAGE hello"}, {"STANDING SHOW"}, {"STANDING ASK D04"}, {"SALT x"},
		{"SHOW R15"}, {"CHECK", "ATTACK M20 FROM M21: 24PZ"}, {"ATTACK M20 FROM M21: 24PZ"}, {"END TURN"}, {"PHASE ASSAULT"}, {"UNDO"}, {"PHASE STANDING", "AIRSUPPLY R15 NOW"},
		{"PHASE STANDING", "HEX R15 STAND UNTIL T5"}, {"PHASE STANDING", "56PZ HOLD"}, {"PHASE STANDING", "AIRSUPPLY Q22 52G NOW"}, {"PHASE STANDING", "HEDGEHOG R15 NOW"}, {"PHASE STANDING", "SEASUPPLY BALTIC G20"},
		{"ANSWER Q1 A"}, {"AGREE"}, {"GRADE CHAIN"}, {"OFFER DRAW"}, {"RESIGN"},
	} {
		for _, side := range []engine.Side{"axis", "soviet"} {
			before := w.As(side).Last().ID
			if l := w.As(side).Sheet(sheet...); l.ID == before {
				t.Errorf("%s: %v gets no answer", side, sheet)
			}
		}
	}
	w.Wait(dice.BeaconDelay + time.Minute)
	says(t, axis.Last(), "YOUR TURN", "grade: beacon")
	says(t, axis.Sheet("STANDING SHOW"), "YOUR TURN", "DEFAULT NOKILL")
}

// playBlitz has two players order at random, by mail alone, until the game is
// over or a turn after last begins, when the side to act resigns: whatever is
// accepted is executed, questions are answered by letters, and beacon rounds are
// waited for.
func playBlitz(t testing.TB, w *pbemtest.World, seed uint64, last int) (mails, asked int) {
	t.Helper()
	data, err := blitz41.Load(blitz41.DataFiles())
	if err != nil {
		t.Fatal(err)
	}
	who := enginetest.NewB41(data, seed)
	says(t, w.As("soviet").Sheet("STANDING ASK D04"), "ACCEPTED")
	open := regexp.MustCompile(`QUESTION Q(\d+)`)
	for sheets := 0; ; {
		look, err := w.Office.Look(context.Background(), w.Game)
		if err != nil {
			t.Fatal(err)
		}
		if look.Game.Stage == pbem.Over {
			return mails, asked
		}
		if mails++; mails > 3000 {
			t.Fatal("the game doesn't end")
		}
		if p := look.Game.Pending; p != nil && p.Question == nil {
			w.Wait(dice.BeaconDelay + time.Minute)
			continue
		} else if p != nil {
			m := open.FindStringSubmatch(w.As(p.Question.Side).Last().Subject)
			if m == nil {
				t.Fatalf("asked by %q", w.As(p.Question.Side).Last().Subject)
			}
			asked++
			w.As(p.Question.Side).Sheet("ANSWER Q" + m[1] + " " + pbem.OptionLetter(mails%len(p.Question.Options)))
			continue
		}
		side := look.Game.State.Side
		if look.Game.State.Turn > last {
			l := w.As(side).Sheet("RESIGN")
			says(t, w.As(side).Sheet("RESIGN CONFIRM "+between(l.Text, "RESIGN CONFIRM ", ".")), "GAME OVER")
			continue
		}
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
			w.As(side).Sheet(lines[0], "AGAIN")
		}
	}
}

// uncapped lifts the caps of a world.
func uncapped(w *pbemtest.World) {
	w.Config.Caps = pbem.Caps{MailsPerHour: 1 << 30, SentPerHour: 1 << 30}
}

// TestBlitzkriegWholeGameByMail plays from the first day to the end; then the
// dice and every event are checked.
func TestBlitzkriegWholeGameByMail(t *testing.T) {
	w := blitz(t, uncapped)
	mails, asked := playBlitz(t, w, 10, 99)
	r, err := w.Office.Replay(context.Background(), w.Game, nil)
	if err != nil || r.Differs != 0 {
		t.Errorf("replay: %+v, %v", r, err)
	}
	for _, s := range []engine.Side{"axis", "soviet"} {
		says(t, w.As(s).Last(), "GAME OVER", "pbem-record v1 end", "Luck, by all dice thrown", "Axis: ", "Soviet: ", "counted upside down")
	}
	checkProofs(t, w)
	look, err := w.Office.Look(context.Background(), w.Game)
	if err != nil {
		t.Fatal(err)
	}
	steps := look.Game.Step
	if steps < 20 || asked == 0 || mails < 80 {
		t.Errorf("a poor game: %d mails, %d steps, %d questions", mails, steps, asked)
	}
	t.Logf("%d mails, %d steps, %d questions, %d events", mails, steps, asked, r.Events)
}
