package pbem_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"pbemd/engine"
	"pbemd/engine/dice"
	"pbemd/pbem"
	"pbemd/pbem/pbemtest"
)

// rolls are the rolls of all step records a player was mailed, by step, the
// first and the latest record of each.
func rolls(t testing.TB, p *pbemtest.Player) (first, last map[int]dice.Step) {
	t.Helper()
	first, last = map[int]dice.Step{}, map[int]dice.Step{}
	var pile dice.Pile
	for _, l := range p.Got {
		pile.Add(l.ID, l.Text)
	}
	for _, e := range dice.Check(pile, dice.Options{})[0].Chain {
		if s, ok := e.Record.Body.(dice.Step); ok {
			if _, known := first[s.Step]; !known {
				first[s.Step] = s
			}
			last[s.Step] = s
		}
	}
	return first, last
}

// A fault of the rules is mended: the game is played again from before the step,
// from the same close records. Outcomes change, dice don't, both are told, and
// the proof holds.
func TestRollback(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	axis, soviet := w.As("axis"), w.As("soviet")
	soviet.Sheet("STANDING ASK D04 D09")
	axis.Sheet("STEP 3")
	axis.Sheet("UNDO")
	axis.Sheet("STEP 1", "PHASE FIGHT", "FLAG 1 NOW")
	axis.Sheet("UNDO")
	axis.Sheet("FIGHT", "END TURN")
	says(t, soviet.Sheet("ANSWER Q1 A"), "ACCEPTED")
	soviet.Sheet("STEP 2", "PHASE FIGHT", "FIGHT", "END TURN")
	before, err := w.Office.Look(context.Background(), 1)
	if err != nil || before.Game.Step != 3 {
		t.Fatalf("%v, step %d", err, before.Game.Step)
	}
	w.Config.Rules = []pbem.Rules{pbemtest.MendedToyRules()}
	w.Restart()
	if _, err := w.Office.Rollback(context.Background(), 1, 2, " "); err == nil {
		t.Error("rolled back without a reason")
	}
	for _, step := range []int{0, 4, -1} {
		if _, err := w.Office.Rollback(context.Background(), 1, step, "why"); err == nil {
			t.Errorf("rolled back to before step %d", step)
		}
	}
	done, err := w.Office.Rollback(context.Background(), 1, 2, "a fight counts double")
	if err != nil {
		t.Fatal(err)
	}
	// The second question of step 2 was never asked by the old rules.
	if done.Steps != 2 || done.Sheets != 0 || done.Asked != 1 {
		t.Errorf("%+v", done)
	}
	w.Flush()
	for _, p := range []*pbemtest.Player{axis, soviet} {
		says(t, p.Last(), map[engine.Side]string{"axis": "YOUR TURN", "soviet": "WAITING"}[p.Side],
			"rolled the game back to before step 2", "version 2", "a fight counts double", "axis fights with", "soviet fights with", "what: rollback", "pbem-record v1 step")
		first, last := rolls(t, p)
		for n := 1; n <= 3; n++ {
			a, b := first[n], last[n]
			if a.Dice != b.Dice || len(a.Rolls) != len(b.Rolls) || n > 1 && b.Rules != 2 || n == 1 && b.Rules != 1 {
				t.Errorf("step %d: %+v, then %+v", n, a, b)
				continue
			}
			for i := range a.Rolls {
				if a.Rolls[i].Label != b.Rolls[i].Label || a.Rolls[i].Values[0] != b.Rolls[i].Values[0] {
					t.Errorf("step %d: the roll %v became %v", n, a.Rolls[i], b.Rolls[i])
				}
			}
		}
	}
	checkProofs(t, w)
	after, err := w.Office.Look(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	die := map[string]int{}
	_, last := rolls(t, axis)
	for _, s := range last {
		for _, r := range s.Rolls {
			die[strings.Split(r.Label, "/")[1]] = r.Values[0]
		}
	}
	for side, want := range map[string]int{"axis": 2 * die["axis-fight"], "soviet": 2 * die["soviet-fight"]} {
		if got := status(after, side); !strings.Contains(got, "score "+strconv.Itoa(want)+",") {
			t.Errorf("%s: %s, want a score of %d", side, got, want)
		}
	}
	if got := status(after, "axis"); !strings.Contains(got, "place 1,") || !strings.Contains(got, "flag 0") {
		t.Errorf("what was taken back came again: %s", got)
	}
	// The game goes on, can be opened anew, and is whole.
	w.Restart()
	says(t, axis.Sheet("PHASE FIGHT", "FIGHT", "END TURN"), "ACCEPTED", "is awaited")
	says(t, soviet.Last(), "QUESTION")
	if r, err := w.Office.Replay(context.Background(), 1, nil); err != nil || r.Differs != 0 || r.Bursts < 2 {
		t.Errorf("replay: %+v, %v", r, err)
	}
	if _, err := w.Office.Rollback(context.Background(), 1, 2, "again"); err == nil || !strings.Contains(err.Error(), "under way") {
		t.Errorf("rolled back in the middle of a step: %v", err)
	}
}

func status(l pbem.Looked, side string) string {
	for _, s := range l.Play.View(l.Position, "").Status {
		if s.Label.Args["s"] == side {
			return s.Value.Args["s"].(string)
		}
	}
	return ""
}

// A rollback by the same rules changes nothing but the proof, from whatever step
// on, dice and all; and a transcript tells and verifies it.
func TestRollbackBySameRules(t *testing.T) {
	for _, beacon := range []bool{false, true} {
		missing := false
		var w *pbemtest.World
		if beacon {
			w = beaconTable(t, &missing)
		} else {
			w = table(t, nil, pbem.Terms{NoJoin: true})
		}
		pass := func() {
			if beacon {
				w.Wait(dice.BeaconDelay + 60e9)
			}
		}
		for _, label := range []string{"A", "B", "A", "C"} {
			w.As("white").Sheet("ROLL 3D6 FOR " + label)
			pass()
		}
		w.As("black").Sheet("SHUFFLE 300 FOR D")
		pass()
		look, err := w.Office.Look(context.Background(), w.Game)
		if err != nil {
			t.Fatal(err)
		}
		want := look.Play.FormatState(look.Position)
		for step := 5; step > 0; step-- {
			done, err := w.Office.Rollback(context.Background(), w.Game, step, "a drill")
			if err != nil || done.Steps != 6-step || done.Before != done.After || done.Asked != 0 {
				t.Fatalf("beacon %v, to before step %d: %+v, %v", beacon, step, done, err)
			}
			w.Flush()
			if look, err = w.Office.Look(context.Background(), w.Game); err != nil || look.Play.FormatState(look.Position) != want {
				t.Fatalf("beacon %v, to before step %d: %v\n%s, want\n%s", beacon, step, err, look.Play.FormatState(look.Position), want)
			}
			w.Restart()
		}
		if r, err := w.Office.Replay(context.Background(), w.Game, nil); err != nil || r.Differs != 0 || r.Bursts != 6 {
			t.Errorf("replay: %+v, %v", r, err)
		}
		l := w.As("black").Sheet("LEAVE")
		says(t, w.As("black").Sheet("LEAVE CONFIRM "+between(l.Text, "LEAVE CONFIRM ", ".")), "GAME OVER")
		for s, r := range checkTable(t, w) {
			if r.Steps != 5 || beacon && r.Beacon != 5 {
				t.Errorf("%s: %v", s, r)
			}
		}
		if _, v := verified(t, w); v.Fault != nil || v.Steps != 5 || v.Bursts != 7 {
			t.Errorf("beacon %v: %v", beacon, v)
		}
		if _, err := w.Office.Rollback(context.Background(), w.Game, 2, "too late"); err == nil {
			t.Error("rolled back after the end")
		}
	}
}
