package blitz41

import (
	"strings"
	"testing"

	"pbemd/engine"
	"pbemd/engine/hex"
)

// told is what a side is told of facts on a position.
func told(t *testing.T, state string, side engine.Side, facts ...engine.Fact) []engine.Item {
	t.Helper()
	r := New(shipped(t), Options{})
	p, err := r.ParseState(state)
	if err != nil {
		t.Fatal(err)
	}
	var events []engine.Event
	for i, f := range facts {
		events = append(events, engine.Event{Seq: i + 1, Fact: f})
	}
	return r.Tell(p, events, side)
}

func path(names ...string) []hex.Coord {
	var out []hex.Coord
	for _, n := range names {
		out = append(out, hex.MustParse(n))
	}
	return out
}

// marched is a group on its way, as the game states it.
func marched(to []hex.Coord, units ...engine.UnitID) []engine.Fact {
	var facts []engine.Fact
	for _, u := range units {
		facts = append(facts, MoveBegun{Unit: u, MP: 9})
	}
	facts = append(facts, GroupMoved{Units: units, Path: to, Left: make([]int, len(units))})
	for _, u := range units {
		facts = append(facts, UnitMoved{u, to, "move"})
	}
	return facts
}

func words(items []engine.Item) string {
	var out []string
	for _, i := range items {
		out = append(out, i.Text.String())
	}
	return strings.Join(out, "\n")
}

// TestLegsOfAMoveAreToldAsOne.
func TestLegsOfAMoveAreToldAsOne(t *testing.T) {
	const state = "turn 3 axis move\nH19 56PZ\nH19 57PZ"
	facts := append(marched(path("H18"), "56PZ"), marched(path("H17", "H16"), "56PZ")...)
	items := told(t, state, Axis, facts...)
	if len(items) != 1 || len(items[0].Arrows) != 1 || len(items[0].Arrows[0].Path) != 4 {
		t.Errorf("two legs are told as %d items: %s", len(items), words(items))
	}
	items = told(t, state, Axis, append(marched(path("H18"), "56PZ"), marched(path("H18"), "57PZ")...)...)
	if len(items) != 2 {
		t.Errorf("two stacks are told as %d items: %s", len(items), words(items))
	}
}

// TestMovesNameOnlyWhatLiesOnTop: a corps that comes from beneath one stack and
// goes beneath another has no name for the enemy; one on top, or alone on
// arrival, has.
//
// Rule B41-13.2.
func TestMovesNameOnlyWhatLiesOnTop(t *testing.T) {
	const state = "turn 3 axis move\nH19 56PZ\nH19 26G 1\nH18 38G 1"
	for _, c := range []struct {
		unit  engine.UnitID
		to    string
		named bool
	}{
		{"56PZ", "H18", false}, // from beneath 26G to beneath 38G
		{"26G", "H18", true},   // lay on top
		{"56PZ", "G18", true},  // lies on top now
	} {
		got := words(told(t, state, Soviet, marched(path(c.to), c.unit)...))
		if strings.Contains(got, string(c.unit)) != c.named || !strings.Contains(got, "H19") {
			t.Errorf("%s to %s: the Soviets are told %s", c.unit, c.to, got)
		}
		if got := words(told(t, state, Axis, marched(path(c.to), c.unit)...)); !strings.Contains(got, string(c.unit)) {
			t.Errorf("%s to %s: the Axis is told %s", c.unit, c.to, got)
		}
	}
}

// TestProbesDiscloseNothing: who probed from beneath a stack stays hidden.
//
// Rule B41-13.2, B41-A80.
func TestProbesDiscloseNothing(t *testing.T) {
	const state = "turn 3 axis assault\nH19 56PZ\nH19 26G 1"
	probe := BattleEnded{Type: "probe", Side: Axis, At: path("H18"), Attackers: []Fighter{{Unit: "56PZ", At: hex.MustParse("H19")}}}
	if got := words(told(t, state, Soviet, probe)); strings.Contains(got, "56PZ") || !strings.Contains(got, "H19") || !strings.Contains(got, "H18") {
		t.Errorf("the Soviets are told %s", got)
	}
	if got := words(told(t, state, Axis, probe)); !strings.Contains(got, "56PZ") {
		t.Errorf("the Axis is told %s", got)
	}
}

// TestDecisionsQuoteOwnLinesOnly: the line that decided is its owner's alone, and
// quoted once.
func TestDecisionsQuoteOwnLinesOnly(t *testing.T) {
	const state = "turn 3 axis assault\nH19 56PZ\nH18 11A 2"
	facts := []engine.Fact{
		BattleBegan{Type: "pa", Side: Axis, At: path("H18"), From: path("H19")},
		engine.Decided{Decision: "E01", Side: Axis, Clause: "AIR 2", By: "order", Source: "ATTACK H18 FROM H19"},
		engine.Decided{Decision: "E03", Side: Axis, Clause: "HOLD", By: "order", Source: "ATTACK H18 FROM H19"},
		engine.Decided{Decision: "D04", Side: Soviet, Clause: "YIELD", By: "standing", Source: "DEFAULT YIELD"},
		BattleEnded{Type: "pa", Side: Axis, At: path("H18"), Die: 3, Cell: "1/2", Result: "1/2", Word: "WON"},
	}
	for side, want := range map[engine.Side][2]string{Axis: {"ATTACK H18 FROM H19", "DEFAULT YIELD"}, Soviet: {"DEFAULT YIELD", "ATTACK H18"}} {
		items := told(t, state, side, facts...)
		if len(items) != 1 || items[0].Card == nil {
			t.Fatalf("%s is told %s", side, words(items))
		}
		got := ""
		for _, d := range items[0].Card.Decided {
			got += d.String() + "\n"
		}
		if strings.Count(got, want[0]) != 1 || strings.Contains(got, want[1]) {
			t.Errorf("%s reads %s", side, got)
		}
		if !strings.Contains(got, "AIR 2") || !strings.Contains(got, "YIELD") {
			t.Errorf("%s does not read what was decided: %s", side, got)
		}
	}
}

// Whoever goes by sea or by air, comes back from an assault or is pushed aside
// is told of, like any other move.
func TestEveryWayToMoveIsTold(t *testing.T) {
	for _, c := range []struct {
		name, state string
		facts       []engine.Fact
		own, enemy  string
	}{
		{"sea", "turn 5 soviet move\nY17 COAST 2", []engine.Fact{UnitMoved{"COAST", path("Z16", "AA16", "CC15"), "sea"}}, "b41.tell.moved", "b41.tell.moved.seen"},
		{"drop", "turn 5 soviet move\nK5 4ABN 2", []engine.Fact{UnitMoved{"4ABN", path("K8"), "drop"}}, "b41.tell.moved", "b41.tell.moved.seen"},
		{"return", "turn 5 axis move\nH17 56PZ 4\nH17 57PZ 4", []engine.Fact{UnitMoved{"56PZ", path("H18"), "return"}, UnitMoved{"57PZ", path("H18"), "return"}}, "b41.tell.return", "b41.tell.return"},
		{"msu alone", "turn 6 axis move\nK6 MSU 1", []engine.Fact{UnitMoved{"MSU", path("K5"), "displaced"}}, "b41.tell.displaced", "b41.tell.displaced"},
		{"msu beneath", "turn 6 axis move\nN9 MSU 1\nN9 24A 2", []engine.Fact{UnitMoved{"MSU", path("N8"), "displaced"}}, "b41.tell.displaced", ""},
	} {
		for _, s := range []engine.Side{Axis, Soviet} {
			owner := Soviet
			if c.name == "return" {
				owner = Axis
			}
			want := c.enemy
			if s == owner {
				want = c.own
			}
			items := told(t, c.state, s, c.facts...)
			switch {
			case want == "" && len(items) > 0:
				t.Errorf("%s: the %s is told %s", c.name, s, words(items))
			case want != "" && (len(items) != 1 || items[0].Text.Key != want):
				t.Errorf("%s: the %s is told %q, want one %s", c.name, s, words(items), want)
			}
		}
	}
}
