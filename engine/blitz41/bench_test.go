package blitz41

import (
	"fmt"
	"strings"
	"testing"

	"pbemd/engine"
	"pbemd/engine/hex"
)

// threes is dice that always show three.
type threes struct{}

func (threes) Roll(_ string, _, n int) []int {
	v := make([]int, n)
	for i := range v {
		v[i] = 3
	}
	return v
}

// phaseOrders are 30 moves and then 10 assaults of the Axis from the start
// position, in its Turn 2: what a player would order, found by going through the
// choices in the order in which they are listed.
func phaseOrders(t testing.TB) (*Rules, *Position, []engine.Order) {
	t.Helper()
	r := New(shipped(t), Options{})
	p := begun(t)
	env := engine.Env{Dice: threes{}}
	var orders []engine.Order
	take := func(o engine.Order, keep bool) bool {
		next, _, err := engine.Do(r, p, 0, o, env, nil)
		if err != nil {
			return false
		}
		if p = next.(*Position); keep {
			orders = append(orders, o)
		}
		return true
	}
	order := func(c engine.Command) engine.Order { return engine.Order{Line: 1, Side: sideOf(p.side), Command: c} }
	for p.turn < 2 || p.side != axis || p.phase != MovePhase {
		if !take(order(engine.EndPhase{}), false) {
			t.Fatalf("%v can't be ended", p.State())
		}
	}
	start := p
	moved := map[engine.UnitID]bool{}
	for h := 0; h < p.d.Board.Len(); h++ { // stack after stack
		for _, u := range start.unitsIn(h, axis) {
			for _, d := range []hex.Direction{hex.E, hex.NE, hex.SE, hex.NW, hex.SW, hex.W} {
				next, id := p.d.Board.Next(h, d), p.unit(u).ID
				if next < 0 || len(moved) == 30 || p.stackRefusal(next, axis, []int{u}, nil) != nil {
					continue
				}
				if take(order(Move{Units: []engine.UnitID{id}, Path: []Step{{Hex: p.d.Board.At(next)}}}), true) {
					moved[id] = true
					break
				}
			}
		}
	}
	if len(moved) < 30 {
		t.Fatalf("only %d units moved", len(moved))
	}
	take(order(engine.EndPhase{}), true)
	fought := 0
	for fought < 10 {
		before := fought
		for _, c := range r.Choices(p, nil) {
			if a, ok := p.command(c).(Attack); ok && take(order(a), true) {
				fought++
				break
			}
		}
		if fought == before {
			t.Fatalf("only %d assaults", fought)
		}
	}
	return r, start, orders
}

// BenchmarkPhase carries out 30 moves and 10 assaults with dice.
func BenchmarkPhase(b *testing.B) {
	r, start, orders := phaseOrders(b)
	env := engine.Env{Dice: threes{}}
	b.ReportAllocs()
	for b.Loop() {
		var p engine.Position = start
		for _, o := range orders {
			next, _, err := engine.Do(r, p, 0, o, env, nil)
			if err != nil {
				b.Fatal(err)
			}
			p = next
		}
	}
}

// BenchmarkClone copies a position and moves a unit in the copy.
func BenchmarkClone(b *testing.B) {
	p := begun(b)
	u, h := p.d.Unit("56PZ"), p.named("K5")
	b.Run("only", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p.Clone()
		}
	})
	b.Run("and moved", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p.Clone().(*Position).Put(u, h)
		}
	})
}

// BenchmarkChoices lists what may be done.
func BenchmarkChoices(b *testing.B) {
	r, start, orders := phaseOrders(b)
	var p engine.Position = start
	seen := map[string]bool{}
	for _, o := range orders {
		at := strings.TrimSpace(fmt.Sprint(p.State().Phase))
		if !seen[at] {
			seen[at] = true
			b.Run(at, func(b *testing.B) {
				b.ReportAllocs()
				var list []Choice
				for b.Loop() {
					list = r.Choices(p, list[:0])
				}
				b.ReportMetric(float64(len(list)), "choices")
			})
		}
		p, _, _ = engine.Do(r, p, 0, o, engine.Env{Dice: threes{}}, nil)
	}
}

// Copies of a position go their own ways: nothing that is done to one shows in
// another, whatever they share.
func TestCopiesAreIndependent(t *testing.T) {
	r, p, orders := phaseOrders(t)
	env := engine.Env{Dice: threes{}}
	var at engine.Position = p
	var texts []string
	var positions []engine.Position
	for _, o := range orders {
		texts, positions = append(texts, r.FormatState(at)), append(positions, at)
		again, _, _ := engine.Do(r, at, 0, o, env, nil)
		next, _, err := engine.Do(r, at, 0, o, env, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.FormatState(again) != r.FormatState(next) {
			t.Fatalf("%v: two copies came out differently", o.Command)
		}
		at = next
	}
	for i, p := range positions {
		if r.FormatState(p) != texts[i] {
			t.Errorf("the position before order %d has changed afterwards", i+1)
		}
	}
	// and a position that has been copied can be changed itself
	before := positions[0].Clone()
	UnitRemoved{"56PZ", Dead, "combat"}.apply(positions[0].(*Position))
	HexTaken{at0("K5"), Axis}.apply(positions[0].(*Position))
	FortWrecked{at0("K5")}.apply(positions[0].(*Position))
	if r.FormatState(before) != texts[0] {
		t.Error("a copy has changed with what it was copied from")
	}
}

func at0(h string) hex.Coord { return hex.MustParse(h) }
