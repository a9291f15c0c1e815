package blitz41

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pbemd/engine"
	"pbemd/engine/hex"
)

// moving is a game in a Movement Phase, given orders one by one.
type moving struct {
	t    testing.TB
	r    *Rules
	p    engine.Position
	side engine.Side
	die  int
	hold bool // the other side stands at all costs
	log  []engine.Event
}

// movingAt reads a position; its first line says turn and side.
func movingAt(t testing.TB, state string) *moving {
	t.Helper()
	r := New(shipped(t), Options{})
	p, err := r.ParseState(state)
	if err != nil {
		t.Fatal(err)
	}
	return &moving{t: t, r: r, p: p, side: p.State().Side, die: 6}
}

// always is a die that falls the same way.
type always int

func (d always) Roll(label string, sides, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = int(d)
	}
	return out
}

func (m *moving) pos() *Position { return m.p.(*Position) }

func (m *moving) order(c engine.Command) engine.Order {
	return engine.Order{Line: 1, Text: c.Verb(), Side: m.side, Command: c}
}

// try gives an order and returns what is wrong with it.
func (m *moving) try(c engine.Command) error { return m.tryOrder(m.order(c)) }

// env has a die that falls the same way and, if so wanted, a defender who stands.
func (m *moving) env() engine.Env {
	e := engine.Env{Dice: always(m.die)}
	if m.hold {
		other := sideOf(enemyOf(number(m.side)))
		e.Standing = map[engine.Side][]engine.Order{other: {{Side: other, Command: Standing{Scope: Scope{Kind: "DEFAULT"}, Policy: Policy{Stance: "HOLD", N: -1}}}}}
	}
	return e
}

func (m *moving) tryOrder(o engine.Order) error {
	m.t.Helper()
	next, events, err := engine.Do(m.r, m.p, len(m.log), o, m.env(), nil)
	if err != nil {
		return err
	}
	m.p = next
	m.log = append(m.log, events...)
	for _, e := range events {
		if !slices.ContainsFunc(moveFacts, func(f engine.Fact) bool { return f.Kind() == e.Fact.Kind() }) {
			continue
		}
		rec, err := m.r.Codec().Encode(e)
		if err != nil {
			m.t.Fatal(err)
		}
		back, err := m.r.Codec().Decode(rec)
		if err != nil {
			m.t.Fatal(err)
		}
		if _, same := engine.SameEvents([]engine.Event{e}, []engine.Event{back}); !same {
			m.t.Errorf("event %+v came back as %+v", e, back)
		}
	}
	return nil
}

// do gives orders that must be legal.
func (m *moving) do(cmds ...engine.Command) {
	m.t.Helper()
	for _, c := range cmds {
		if err := m.try(c); err != nil {
			m.t.Fatalf("%s %+v: %v", c.Verb(), c, err)
		}
	}
}

// bad gives an order that must be refused by a rule.
func (m *moving) bad(rule engine.RuleID, c engine.Command) *engine.Refusal {
	m.t.Helper()
	return m.badOrder(rule, m.order(c))
}

func (m *moving) badOrder(rule engine.RuleID, o engine.Order) *engine.Refusal {
	m.t.Helper()
	err := m.tryOrder(o)
	r, ok := err.(*engine.Refusal)
	if !ok {
		m.t.Fatalf("%s %+v: got %v, want a refusal by %s", o.Command.Verb(), o.Command, err, rule)
	}
	if r.Rule != rule {
		m.t.Errorf("%s %+v: refused by %s (%v), want %s", o.Command.Verb(), o.Command, r.Rule, r, rule)
	}
	return r
}

// at checks where units are: "H16" or "" for off the map.
func (m *moving) at(want ...string) {
	m.t.Helper()
	for i := 0; i+1 < len(want); i += 2 {
		u := m.pos().d.Unit(engine.UnitID(want[i]))
		got := m.pos().d.Board.At(m.pos().At(u)).String()
		if got == "-" {
			got = ""
		}
		if got != want[i+1] {
			m.t.Errorf("%s is in %q, want %q", want[i], got, want[i+1])
		}
	}
}

// mp checks what a unit has left.
func (m *moving) mp(unit string, want int) {
	m.t.Helper()
	r := m.pos().move.run(m.pos().d.Unit(engine.UnitID(unit)))
	if r == nil {
		m.t.Fatalf("%s has not begun to move", unit)
	}
	if r.mp != want {
		m.t.Errorf("%s has %d MP left, want %d", unit, r.mp, want)
	}
}

func (m *moving) owner(at string, want engine.Side) {
	m.t.Helper()
	if got := sideOf(m.pos().Owner(m.pos().named(at))); got != want {
		m.t.Errorf("%s belongs to %s, want %s", at, got, want)
	}
}

// way reads a path: H18 a hex, E*2 a direction, >H14 the cheapest way.
func pathOf(s string) []Step {
	var out []Step
	for _, w := range strings.Fields(s) {
		name, n, _ := strings.Cut(w, "*")
		if d, ok := hex.ParseDirection(name); ok {
			count, _ := strconv.Atoi(n)
			out = append(out, Step{Dir: d, Count: max(1, count)})
			continue
		}
		if to, ok := strings.CutPrefix(w, ">"); ok {
			out = append(out, Step{To: hex.MustParse(to)})
			continue
		}
		out = append(out, Step{Hex: hex.MustParse(w)})
	}
	return out
}

func unitList(s string) []engine.UnitID {
	var out []engine.UnitID
	for _, w := range strings.Fields(s) {
		out = append(out, engine.UnitID(w))
	}
	return out
}

func stackOf(at, units string) Stack { return Stack{hex.MustParse(at), Units{IDs: unitList(units)}} }
func goAlong(path string) Go         { return Go{Path: pathOf(path)} }
func moveOf(units, path string) Move { return Move{Units: unitList(units), Path: pathOf(path)} }
func assaultOn(at string) MobileAssault {
	return MobileAssault{At: hex.MustParse(at)}
}

// Costs, drop-offs, first hexes: what a move costs by class, weather, hexside.
func TestMovementCosts(t *testing.T) {
	t.Run("B41-X206", func(t *testing.T) {
		m := movingAt(t, "turn 2 axis move\nH19 56PZ 4\nH19 13G 4")
		m.do(stackOf("H19", "56PZ 13G"), goAlong("H18 H17 H16 H15 H14"))
		m.at("56PZ", "H14", "13G", "H16")
		m.mp("56PZ", 2)
		m.owner("H15", Axis)
		dropped := 0
		for _, e := range m.log {
			if f, ok := e.Fact.(DroppedOff); ok {
				dropped++
				if f.At.String() != "H16" || f.Cost[0] != 2 || f.Left[0] != 1 {
					t.Errorf("dropped off as %+v", f)
				}
			}
		}
		if dropped != 1 {
			t.Errorf("%d notes of units dropped off", dropped)
		}
		m.bad("B41-12.8", moveOf("13G", "H15"))
	})
	t.Run("B41-X107", func(t *testing.T) {
		// Far beyond full supply one MP of five is left, and the Oka costs two.
		m := movingAt(t, "turn 2 axis move\nM5 13G 1")
		m.bad("B41-12.1.A", moveOf("13G", "M4 M3"))
		m.do(stackOf("M5", "13G"), goAlong("M4"))
		m.mp("13G", 0)
		m.bad("B41-12.1.A", goAlong("M3"))
		// With MPs spent it is no first hex.
		m = movingAt(t, "turn 2 axis move\nN18 56PZ 1")
		m.do(stackOf("N18", "56PZ"), goAlong("N17"))
		m.mp("56PZ", 2)
		m.bad("B41-12.1.A", goAlong("N18"))
	})
	t.Run("B41-X108", func(t *testing.T) {
		m := movingAt(t, "turn 2 soviet move\nI18 24A 2")
		m.do(moveOf("24A", "J17"))
		m.mp("24A", m.sum("24A")-2)
		// In mud it costs 3 + 2 = 5 and is the guaranteed hex only.
		m = movingAt(t, "turn 6 soviet move\nI18 24A 2")
		m.do(moveOf("24A", "J17"))
		m.mp("24A", 0)
	})
	t.Run("B41-X105", func(t *testing.T) {
		m := movingAt(t, "turn 3 axis move\nZ13 56PZ 4\nZ13 13G 4")
		for _, u := range []engine.UnitID{"56PZ", "13G"} {
			c, ok, why := m.pos().enterCost(m.pos().d.Unit(u), m.pos().named("Z13"), m.pos().named("AA14"))
			if !ok || c != 4 {
				t.Errorf("%s: Sivash costs %d, %s", u, c, why)
			}
		}
	})
	t.Run("B41-X106", func(t *testing.T) {
		m := movingAt(t, "turn 8 axis move\nvp 40\nG9 56PZ 4\nG9 13G 4\nB9 46PZ 4\nB9 42G 4")
		m.costs("G9", "G8", map[engine.UnitID]int{"56PZ": 4, "13G": 3})
		m.costs("B9", "B8", map[engine.UnitID]int{"56PZ": 3, "13G": 3})
		m.costs("B8", "B7", map[engine.UnitID]int{"56PZ": 4, "13G": 3})
		m.bad("B41-9.24.C", moveOf("46PZ", "B8"))
		m.do(moveOf("46PZ", "B8 B7"))
		m.mp("46PZ", 2)
		if r := m.bad("B41-12.1.A", moveOf("42G", "B8 B7")); len(r.Hints) > 0 {
			t.Errorf("B8 is no end: %v", r)
		}
		s := movingAt(t, "turn 8 soviet move\nvp 40\nG9 24A 2\nB9 34A 2")
		s.costs("G9", "G8", map[engine.UnitID]int{"24A": 2})
		s.do(moveOf("34A", "B8 B7"))
		s.mp("34A", s.sum("34A")-4)
		// Unfrozen, nothing crosses.
		d := movingAt(t, "turn 4 soviet move\nG9 24A 2\nB9 34A 2")
		d.bad("B41-9.24.B", moveOf("24A", "G8"))
		d.bad("B41-9.24.C", moveOf("34A", "B8 B7"))
	})
	t.Run("B41-9.14", func(t *testing.T) {
		m := movingAt(t, "turn 4 soviet move\nD15 24A 2")
		m.bad("B41-9.14", moveOf("24A", "D16"))
	})
	t.Run("kerch is a major river", func(t *testing.T) {
		m := movingAt(t, "turn 4 soviet move\nCC12 24A 2\nCC12 3MC 1")
		m.costs("CC12", "CC11", map[engine.UnitID]int{"24A": 3, "3MC": 3})
		m.do(moveOf("24A", "CC11"))
	})
}

// sum is the movement factor a unit's supply leaves it.
func (m *moving) sum(unit string) int {
	r := m.pos().move.run(m.pos().d.Unit(engine.UnitID(unit)))
	mp, _ := m.pos().allowance(r.u, r.sup)
	return mp
}

func (m *moving) costs(from, to string, want map[engine.UnitID]int) {
	m.t.Helper()
	for _, u := range []engine.UnitID{"56PZ", "13G", "24A", "3MC"} {
		if w, ok := want[u]; ok {
			c, _, why := m.pos().enterCost(m.pos().d.Unit(u), m.pos().named(from), m.pos().named(to))
			if c != w {
				m.t.Errorf("%s %s–%s costs %d (%s), want %d", u, from, to, c, why, w)
			}
		}
	}
}

// Supply fixes movement points when a unit begins to move.
func TestAllowanceBySupply(t *testing.T) {
	for _, c := range []struct {
		id     string
		unit   engine.UnitID
		steps  int
		loss   int
		want   int
		single bool
	}{
		{"B41-X14", "3MC", 1, 4, 3, false},
		{"B41-X15", "24A", 2, 4, 1, false},
		{"B41-X34", "56PZ", 4, 2, 7, false},
		{"B41-5.12.J", "MSU", 1, 0, 1, true},
		{"B41-6.21.B", "PART", 2, 0, 0, false},
	} {
		t.Run(c.id, func(t *testing.T) {
			m := movingAt(t, "turn 5 soviet move\nM5 "+string(c.unit)+fmt.Sprintf(" %d", c.steps))
			u := m.pos().d.Unit(c.unit)
			if mp, single := m.pos().allowance(u, Status{Loss: c.loss}); mp != c.want || single != c.single {
				t.Errorf("%d MP, single %v; want %d, %v", mp, single, c.want, c.single)
			}
		})
	}
	t.Run("supply is fixed when the unit begins, not before", func(t *testing.T) {
		// 13G moves first and opens H13, an intact hex of the Stalin Line, for 56PZ.
		m := movingAt(t, "turn 4 axis move\nH12 56PZ 4\nH14 13G 4\nH13 42G 4")
		before := m.pos().status(m.pos().d.Unit("56PZ"))
		m.do(moveOf("56PZ", "H11"))
		if r := m.pos().move.run(m.pos().d.Unit("56PZ")); r.sup.Loss != before.Loss {
			t.Errorf("loss %d, want %d", r.sup.Loss, before.Loss)
		}
	})
	t.Run("B41-X38", func(t *testing.T) {
		m := movingAt(t, "turn 4 axis move\nH14 13G 4\nG12 56PZ 4")
		m.do(moveOf("13G", "H13"))
		if !m.pos().wrecked[m.pos().named("H13")] {
			t.Error("H13 is not wrecked")
		}
		m.owner("H13", Axis)
	})
}

// Soviet units keep away from hexes without supply; those without it go only
// nearer to a source.
func TestSovietSupplyAndMovement(t *testing.T) {
	// Axis holds everything around a pocket west of Moscow.
	pocket := `turn 4 soviet move
control axis K7 J8 K9 I7 M7 N6 K11 L9 L8 K8 L10
`
	t.Run("B41-X21", func(t *testing.T) {
		m := movingAt(t, pocket+"K9 3MC 1\ncontrol axis J12 L13 H11 O14 O10 P8 R12 N4 K15 L17 I17 G14 E12 E10 R17 R15")
		r := m.bad("B41-5.3.C", moveOf("3MC", "K10 K11"))
		if r.Text.Args["hex"] != "K11" || r.Text.Args["between"] != 5 {
			t.Errorf("%v", r)
		}
		if len(r.Hints) == 0 || r.Hints[0].Key != "b41.move.hint.furthest" {
			t.Errorf("no word how far the path goes: %v", r)
		}
		far := r.Hints[0].Args["hex"].(string)
		if far != "K10" {
			t.Errorf("furthest %s", far)
		}
		m.bad("B41-12.6", moveOf("3MC", ">K11"))
		m.do(moveOf("3MC", "K10"))
	})
	t.Run("B41-X20", func(t *testing.T) {
		// Moscow is the only source left, five hexes lie between.
		m := movingAt(t, "turn 4 soviet move\nK11 24A 2"+onlyMoscow(t))
		if s := m.pos().status(m.pos().d.Unit("24A")); !s.OOS || s.Line != 5 {
			t.Fatalf("%+v", s)
		}
		r := m.bad("B41-5.3.C", moveOf("24A", "K10 J10"))
		if r.Text.Key != "b41.move.nearer" || r.Text.Args["hex"] != "J10" {
			t.Errorf("%v", r)
		}
		m.bad("B41-5.3.C", moveOf("24A", "K12"))
		m.do(stackOf("K11", "24A"), goAlong("K10"))
		m.mp("24A", 0)
	})
	t.Run("B41-X22", func(t *testing.T) {
		m := movingAt(t, "turn 4 soviet move\nK13 24A 2"+onlyMoscow(t))
		if s := m.pos().status(m.pos().d.Unit("24A")); s.Line != 7 || s.Loss != 4 {
			t.Fatalf("%+v", s)
		}
		m.bad("B41-5.3.C", moveOf("24A", "L13"))
		m.do(moveOf("24A", "K12"))
	})
	t.Run("B41-A83 no working source, no movement", func(t *testing.T) {
		m := movingAt(t, "turn 4 soviet move\nK11 24A 2\ncontrol axis K5"+onlyMoscow(t))
		m.bad("B41-5.3.C", moveOf("24A", "K10"))
		m.bad("B41-12.6", moveOf("24A", ">K9"))
	})
	t.Run("the way TO of a unit out of supply leads nearer all the time", func(t *testing.T) {
		m := movingAt(t, "turn 4 soviet move\nK12 3MC 1"+onlyMoscow(t))
		m.do(moveOf("3MC", ">K11"))
		m.at("3MC", "K11")
	})
	t.Run("B41-X109", func(t *testing.T) {
		m := movingAt(t, "turn 8 soviet move\nvp 40\nK6 24A 2\nK7 13G 4")
		m.bad("B41-12.4", moveOf("24A", "K7"))
	})
}

// onlyMoscow gives all other sources to the Axis.
func onlyMoscow(t testing.TB) string {
	d, out := shipped(t), ""
	for _, s := range d.Sites {
		if at := d.Board.At(s.Hex).String(); at != "K5" {
			out += "\ncontrol axis " + at
		}
	}
	return out
}

// Romanians, Hungarians and Italians: rows, supply, company.
func TestAlliesOfTheGermans(t *testing.T) {
	t.Run("B41-X110", func(t *testing.T) {
		m := movingAt(t, "turn 3 axis move\nS19 3RUM 2")
		m.bad("B41-11.1.A", moveOf("3RUM", "R18"))
		m.bad("B41-11.1.A", moveOf("3RUM", ">R18"))
		m.do(moveOf("3RUM", "S18"))
	})
	t.Run("B41-11.1.B", func(t *testing.T) {
		m := movingAt(t, "turn 4 axis move\nO19 CSIR 2")
		m.bad("B41-11.1.B", moveOf("CSIR", "N18"))
	})
	t.Run("B41-X37", func(t *testing.T) {
		wrecks := ""
		d := shipped(t)
		for h := 0; h < d.Board.Len(); h++ {
			if d.Board.Is(h, Stalin) {
				wrecks += "\nwrecked " + d.Board.At(h).String()
			}
		}
		m := movingAt(t, "turn 3 axis move\nT11 3RUM 2"+wrecks)
		p, u := m.pos(), m.pos().d.Unit("3RUM")
		// Walk east along row T until the line is too long.
		edge := ""
		for n := 20; n > 3; n-- {
			h := p.named(fmt.Sprintf("T%d", n))
			if s := p.statusAt(u, h); !s.None && s.Over <= 4 {
				edge = p.name(h)
			}
		}
		last := hex.MustParse(edge)
		m = movingAt(t, "turn 3 axis move\n"+edge+" 3RUM 2"+wrecks)
		r := m.bad("B41-5.16.A", moveOf("3RUM", fmt.Sprintf("T%d", last.Num-1)))
		if r.Text.Key != "b41.move.rih.far" {
			t.Errorf("%v", r)
		}
		// Driven beyond, it may come back.
		m = movingAt(t, fmt.Sprintf("turn 3 axis move\nT%d 3RUM 2"+wrecks, last.Num-2))
		m.do(moveOf("3RUM", fmt.Sprintf("T%d", last.Num-1)))
	})
	t.Run("B41-11.4", func(t *testing.T) {
		m := movingAt(t, "turn 3 axis move\nS20 3RUM 2\nS20 SCH 2")
		m.bad("B41-11.4", moveOf("3RUM SCH", "S19"))
	})
}

// Stacks, groups, parents.
func TestStacksAndGroups(t *testing.T) {
	start := "turn 2 axis move\nH19 56PZ 4\nH19 41PZ 4\nH19 13G 4\nG20 46PZ 4\nG20 42G 4"
	t.Run("B41-X102", func(t *testing.T) {
		m := movingAt(t, start)
		m.do(moveOf("56PZ", "H18"), moveOf("41PZ", "G19"), moveOf("46PZ", "F19"))
		r := m.bad("B41-12.8", moveOf("13G", "H18"))
		if r.Text.Args["hex"] != "H19" || r.Text.Args["now"] != "G20" {
			t.Errorf("%v", r)
		}
		m.do(moveOf("42G", "F19"), moveOf("46PZ", "F18"))
	})
	t.Run("B41-12.8 before another stack has moved the first may go on", func(t *testing.T) {
		m := movingAt(t, start)
		m.do(moveOf("56PZ", "H18"), stackOf("G20", "46PZ"), EndStack{}, moveOf("13G", "H18"), moveOf("56PZ", "H17"))
	})
	t.Run("B41-X100", func(t *testing.T) {
		m := movingAt(t, "turn 2 axis move\nH18 41PZ 4\nH19 56PZ 4\nH17 5A 2")
		m.do(moveOf("56PZ", "H18"))
		m.bad("B41-12.12", stackOf("H18", "56PZ 41PZ"))
	})
	t.Run("B41-12.7 groups of a stack move one by one", func(t *testing.T) {
		m := movingAt(t, start)
		m.do(Stack{At: hex.MustParse("H19")}, goAlong("H18"), Leave{Units{IDs: unitList("13G")}}, Split{Units{IDs: unitList("41PZ")}, "NORTH"}, With{"NORTH"}, goAlong("G18 G17"), With{"REST"}, goAlong("H17 H16"))
		m.at("41PZ", "G17", "56PZ", "H16", "13G", "H18")
		m.do(With{"NORTH"}, goAlong("G16"), EndStack{})
		m.bad("B41-12.6", goAlong("G15"))
		m.bad("B41-12.6", EndStack{})
	})
	t.Run("list words", func(t *testing.T) {
		m := movingAt(t, start)
		m.do(Stack{hex.MustParse("H19"), Units{Word: "MECH"}}, goAlong("H18"))
		m.at("56PZ", "H18", "41PZ", "H18", "13G", "H19")
		m = movingAt(t, start)
		m.do(Stack{hex.MustParse("H19"), Units{Word: "ALL", Except: unitList("13G 41PZ")}}, goAlong("H18"))
		m.at("56PZ", "H18", "41PZ", "H19", "13G", "H19")
		m.bad("B41-12.7", With{"SOUTH"})
		m.bad("B41-12.5", stackOf("H18", "13G"))
	})
	t.Run("a path says how far it goes", func(t *testing.T) {
		m := movingAt(t, "turn 2 axis move\nH19 56PZ 4\nH15 5A 2")
		r := m.bad("B41-12.4", moveOf("56PZ", "H18 H17 H16 H15"))
		if r.Hints[len(r.Hints)-1].Args["hex"] != "H16" {
			t.Errorf("%v", r)
		}
		m.at("56PZ", "H19")
		r = m.bad("B41-12.1.A", moveOf("56PZ", "H18 H17 H16 I16 I15 I14 I13 I12 I11"))
		if len(r.Hints) == 0 {
			t.Errorf("%v", r)
		}
		m.bad("B41-12.6", moveOf("56PZ", "H18 H16"))
	})
	t.Run("directions and the cheapest way", func(t *testing.T) {
		m := movingAt(t, "turn 2 soviet move\nK7 24A 2")
		m.do(moveOf("24A", "E*2"))
		m.at("24A", "K5")
		m = movingAt(t, "turn 2 axis move\nH19 56PZ 4\nH18 5A 2")
		m.do(moveOf("56PZ", ">H17"))
		m.at("56PZ", "H17")
		m.bad("B41-12.4", moveOf("56PZ", ">H18"))
	})
	t.Run("B41-12.2.A", func(t *testing.T) {
		m := movingAt(t, "turn 2 soviet move\nK7 24A 2\nH19 13G 4")
		o := m.order(moveOf("13G", "H18"))
		if err := m.r.Sane(m.p, o); err == nil {
			t.Error("a Soviet order moves 13G")
		}
		// The answer is the same wherever the enemy unit is.
		far := movingAt(t, "turn 2 soviet move\nK7 24A 2\nJ12 13G 4")
		for _, c := range []engine.Command{moveOf("13G", "H18"), stackOf("K7", "13G"), stackOf("K7", "24A 13G")} {
			a, b := m.bad("B41-2.6.B", c), far.bad("B41-2.6.B", c)
			if a.Error() != b.Error() {
				t.Errorf("%v, %v", a, b)
			}
		}
	})
}

// The units with rules of their own.
func TestSpecialUnitsMove(t *testing.T) {
	t.Run("B41-X79", func(t *testing.T) {
		m := movingAt(t, "turn 3 soviet move\nC11 34A 2")
		m.do(Move{Units: unitList("34A"), Path: pathOf("C10"), OBG: "34A"})
		m.at("OBG", "B10")
		if n := m.pos().Steps(m.pos().d.Unit("34A")); n != 1 {
			t.Errorf("34A has %d steps", n)
		}
		m.bad("B41-6.20.B", moveOf("OBG", "C10"))
		m = movingAt(t, "turn 3 soviet move\nC11 34A 1")
		m.bad("B41-6.20.B", Move{Units: unitList("34A"), Path: pathOf("C10"), OBG: "34A"})
		m.do(moveOf("34A", "C10"))
		m = movingAt(t, "turn 3 soviet move\nC10 34A 2")
		m.do(stackOf("C10", "34A"))
		m.bad("B41-6.20.B", FormOBG{"34A"})
		m.do(goAlong("C11"), FormOBG{})
		m.at("OBG", "B10")
	})
	t.Run("B41-X80", func(t *testing.T) {
		m := movingAt(t, "turn 4 soviet move\nC10 OBG 1")
		m.bad("B41-6.20.C", moveOf("OBG", "D10"))
		m.do(moveOf("OBG", "B10"))
	})
	t.Run("B41-6.19", func(t *testing.T) {
		m := movingAt(t, "turn 4 soviet move\nE11 LPMA 1\nB9 24A 2")
		far := ""
		for d, h := range m.pos().d.Board.Neighbours(m.pos().named("E11")) {
			if h >= 0 && m.pos().d.Board.Distance(h, m.pos().named("B9")) > 3 {
				far = hex.Direction(d).String()
			}
		}
		m.bad("B41-6.19", moveOf("LPMA", far))
	})
	t.Run("B41-X62", func(t *testing.T) {
		m := movingAt(t, "turn 6 soviet move\nK6 MSU 1\nK6 24A 2\ncontrol axis K7")
		m.bad("B41-5.12.G", moveOf("MSU", "K7"))
		m.do(stackOf("K6", "MSU 24A"), goAlong("K7"))
		m.at("MSU", "K7", "24A", "K7")
		m.owner("K7", Soviet)
		m = movingAt(t, "turn 6 soviet move\nK6 MSU 1\nK6 24A 2\ncontrol axis K7")
		m.do(moveOf("24A", "K7"), moveOf("MSU", "K7"))
		m.at("MSU", "K7")
		m = movingAt(t, "turn 6 soviet move\nM5 MSU 1")
		m.bad("B41-5.12.J", moveOf("MSU", "E*2"))
	})
	t.Run("B41-5.12.L", func(t *testing.T) {
		m := movingAt(t, "turn 6 soviet move\nM5 MSU 1 entered\nM5 24A 2\nN5 28A 2")
		m.bad("B41-5.12.L", moveOf("MSU 24A", "M4"))
		m.do(moveOf("MSU", "M4"))
		m.bad("B41-5.12.L", moveOf("28A", "N4"))
	})
	t.Run("B41-X60", func(t *testing.T) {
		m := movingAt(t, "turn 6 axis move\nJ6 13G 4\nK6 MSU 1")
		m.do(moveOf("13G", "K6"))
		m.at("13G", "K6", "MSU", "K5")
		m.owner("K6", Axis)
	})
	t.Run("B41-X86", func(t *testing.T) {
		m := movingAt(t, "turn 4 soviet move\nK5 4ABN 2")
		m.bad("B41-14.39.7.B", Airdrop{hex.MustParse("K8")})
		m = movingAt(t, "turn 5 soviet move\nK5 4ABN 2\nK5 24A 2")
		m.bad("B41-14.39.7.A", moveOf("4ABN", "K6"))
		m.bad("B41-14.39.7.B", Airdrop{hex.MustParse("K10")})
		n := movingAt(t, "turn 5 soviet move\nK5 4ABN 2\ncontrol axis K9")
		n.do(Airdrop{hex.MustParse("K9")})
		n.owner("K9", Soviet)
		u := n.pos().d.Unit("4ABN")
		if n.pos().Steps(u) != 1 || !n.pos().has(u, Dropped|WeakDrop|Frozen) {
			t.Errorf("%d steps, states %v", n.pos().Steps(u), flagWords(n.pos().flags[u]))
		}
		n.bad("B41-14.39.7.B", Airdrop{hex.MustParse("K8")})
		m.do(moveOf("24A", "K6"))
		m.bad("B41-14.39.7.B", Airdrop{hex.MustParse("K8")})
	})
	t.Run("B41-4.3.A orders of the other side's", func(t *testing.T) {
		m := movingAt(t, "turn 5 axis move\nK5 4ABN 2\nY17 COAST 2\nH19 13G 4")
		m.bad("B41-4.3.A", Airdrop{hex.MustParse("K8")})
		m.bad("B41-4.3.A", seaTo("BB15"))
		m.bad("B41-4.1", Build{Unit: "50G", Steps: 1, At: hex.MustParse("H19")})
		n := movingAt(t, "turn 5 soviet move\nD17 13G 4")
		n.bad("B41-4.3.A", Evacuate{Baltic: true, At: hex.MustParse("D17")})
	})
	t.Run("B41-A18", func(t *testing.T) {
		m := movingAt(t, "turn 7 soviet move\nheld PART 0\nK5 24A 2\ncontrol axis K8 J9")
		m.do(PlacePart{At: hex.MustParse("K8")})
		m.at("PART", "K8")
		m.bad("B41-6.21.B", moveOf("PART", "K7"))
		m = movingAt(t, "turn 7 soviet move\nheld PART 0\nK5 24A 2\ncontrol axis K8 J9")
		m.do(moveOf("24A", "K6"))
		m.bad("B41-4.5.1.3.A", PlacePart{At: hex.MustParse("K8")})
	})
	t.Run("B41-X205", func(t *testing.T) {
		m := movingAt(t, "turn 5 soviet move\nK5 4ABN 2")
		m.do(Airdrop{hex.MustParse("K8")})
		m.bad("B41-A42", moveOf("4ABN", "K7"))
		m.do(engine.EndPhase{})
	})
	t.Run("B41-X83 link-up by movement", func(t *testing.T) {
		m := movingAt(t, "turn 7 soviet move\nK8 PART 2\nK7 24A 2")
		m.do(moveOf("24A", "K8"))
		m.at("PART", "", "24A", "K8")
	})
}

// Consolidated and sea supply bind movement.
func TestSupplyModesBindMovement(t *testing.T) {
	t.Run("B41-X53", func(t *testing.T) {
		m := movingAt(t, "turn 6 axis supply\nK9 56PZ 4\nK9 13G 4\nL16 24PZ 4\nL16 46PZ 4\nL16 47PZ 4\nL16 57PZ 4\nL17 14PZ 4")
		m.do(Consolidate{Corps: unitList("56PZ 24PZ 46PZ 47PZ 57PZ")}, engine.ToPhase{Phase: "move"})
		m.bad("B41-5.19.D", moveOf("13G", "K10 K11"))
		m.do(moveOf("13G", "K10"))
		m.mp("13G", 0)
		m.bad("B41-10.5.E", Evacuate{Baltic: true, At: hex.MustParse("D18")})
	})
	t.Run("B41-X49", func(t *testing.T) {
		m := movingAt(t, "turn 3 axis move\nD18 56PZ 4 sea\nD18 13G 4 sea\nE18 24A 2")
		m.bad("B41-5.18.A", moveOf("56PZ", "D17 E17"))
		u := m.pos().d.Unit("56PZ")
		if mp, _ := m.pos().allowance(u, Status{Sea: true}); mp != 5 {
			t.Errorf("56PZ has %d MP", mp)
		}
		if mp, _ := m.pos().allowance(m.pos().d.Unit("13G"), Status{Sea: true}); mp != 5 {
			t.Errorf("13G has %d MP", mp)
		}
		m.do(stackOf("D18", "56PZ"))
		m.bad("B41-5.18.C", assaultOn("E18"))
	})
}

func BenchmarkThirtyMoves(b *testing.B) {
	r := New(shipped(b), Options{})
	start, events, err := engine.Begin(r, engine.Env{})
	if err != nil {
		b.Fatal(err)
	}
	m := &moving{t: b, r: r, p: start, side: Axis, log: events}
	m.do(engine.EndPhase{})
	m.side = Soviet
	m.do(engine.ToPhase{Phase: "move"})
	p := m.pos()
	var orders []engine.Order
	for u := range p.d.Units {
		if v := p.unit(u); v.Side != soviet || !p.onMap(u) || p.mayMove(u) != nil || len(orders) == 30 {
			continue
		}
		for d := hex.Direction(0); d < 6; d++ {
			o := m.order(Move{Units: []engine.UnitID{p.unit(u).ID}, Path: []Step{{Dir: d, Count: 1}}})
			if m.tryOrder(o) == nil {
				orders = append(orders, o)
				break
			}
		}
	}
	from, before := engine.Position(p), len(m.log)
	if len(orders) < 30 {
		b.Fatalf("only %d moves", len(orders))
	}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		x := engine.Execute(r, from, before, orders, 0, engine.Env{Dice: always(1)}, nil)
		if len(x.Events) == 0 {
			b.Fatal("nothing moved")
		}
	}
}

func BenchmarkCheapestWay(b *testing.B) {
	m := movingAt(b, "turn 2 soviet move\nK5 3MC 1")
	o := m.order(moveOf("3MC", ">O12"))
	env := m.env()
	b.ReportAllocs()
	for range b.N {
		if _, _, err := engine.Do(m.r, m.p, 0, o, env, nil); err == nil {
			b.Fatal("too far, yet it went")
		}
	}
}
