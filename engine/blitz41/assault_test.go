package blitz41

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pbemd/engine"
	"pbemd/engine/hex"
)

// field is a battlefield: an empty map but for the lines given, the Stalin Line
// wrecked so that Axis lines are free, and a die.
type field struct {
	t        testing.TB
	r        *Rules
	p        *Position
	die      int
	standing map[engine.Side][]engine.Order
	events   []engine.Event
}

type fixedDie int

func (d fixedDie) Roll(_ string, _, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = int(d)
	}
	return out
}

func battlefield(t testing.TB, lines ...string) *field {
	t.Helper()
	r := New(battleData(t), Options{})
	pos, err := r.ParseState(strings.Join(lines, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	if pos.(*Position).turn > 6 && pos.(*Position).vp < 40 {
		pos.(*Position).vp = 40 // no automatic Soviet win
	}
	f := &field{t: t, r: r, p: pos.(*Position), die: 3, standing: map[engine.Side][]engine.Order{}}
	keep := map[string]bool{}
	for _, l := range lines {
		if w := strings.Fields(l); len(w) > 1 && w[0] == "intact" {
			for _, h := range w[1:] {
				keep[h] = true
			}
		}
	}
	for h := 0; h < f.p.board().Len(); h++ {
		if f.p.board().Is(h, Stalin) && !keep[f.p.name(h)] {
			f.p.wrecked[h] = true
		}
	}
	return f
}

var theData *Data

func battleData(t testing.TB) *Data {
	if theData == nil {
		theData = shipped(t)
	}
	return theData
}

func (f *field) u(id engine.UnitID) int {
	f.t.Helper()
	u := f.r.d.Unit(id)
	if u < 0 {
		f.t.Fatalf("no unit %s", id)
	}
	return u
}

// stand gives a side standing lines.
func (f *field) stand(s engine.Side, p Policy, sc ...Scope) {
	l := Standing{Scope: Scope{Kind: "DEFAULT"}, Policy: p, Text: "standing"}
	if len(sc) > 0 {
		l.Scope = sc[0]
	}
	f.standing[s] = append(f.standing[s], engine.Order{Side: s, Command: l, Text: "standing"})
}

func yield() Policy { return Policy{Stance: "YIELD"} }
func hold(n int) Policy {
	return Policy{Stance: "HOLD", N: n}
}

func (f *field) try(c engine.Command) ([]engine.Event, error) {
	side := sideOf(f.p.side)
	o := engine.Order{Line: 1, Text: c.Verb(), Side: side, Command: c}
	next, events, err := engine.Do(f.r, f.p, 0, o, engine.Env{Dice: fixedDie(f.die), Standing: f.standing}, nil)
	if err == nil {
		f.p, f.events = next.(*Position), events
	}
	return events, err
}

// do carries an order out and gives the battle's end.
func (f *field) do(c engine.Command) BattleEnded {
	f.t.Helper()
	events, err := f.try(c)
	if err != nil {
		f.t.Fatalf("%T: %v", c, err)
	}
	for i := len(events) - 1; i >= 0; i-- {
		if e, ok := events[i].Fact.(BattleEnded); ok {
			return e
		}
	}
	f.t.Fatalf("no battle in %v", events)
	return BattleEnded{}
}

// refused wants an order refused by a rule.
func (f *field) refused(rule string, c engine.Command) {
	f.t.Helper()
	_, err := f.try(c)
	var r *engine.Refusal
	if !errors.As(err, &r) {
		f.t.Errorf("%+v: %v, want a refusal by %s", c, err, rule)
	} else if string(r.Rule) != "B41-"+rule {
		f.t.Errorf("%+v refused by %s (%v), want %s", c, r.Rule, r, rule)
	}
}

func (f *field) at(id engine.UnitID) string { return f.p.board().At(f.p.At(f.u(id))).String() }

// where says where units are and with how many steps: 13G H13 2.
func (f *field) where(ids ...engine.UnitID) string {
	var out []string
	for _, id := range ids {
		if f.p.onMap(f.u(id)) {
			out = append(out, fmt.Sprintf("%s %s %d", id, f.at(id), f.p.Steps(f.u(id))))
		} else {
			out = append(out, fmt.Sprintf("%s %s", id, f.p.where[f.u(id)]))
		}
	}
	return strings.Join(out, ", ")
}

func (f *field) want(want string, ids ...engine.UnitID) {
	f.t.Helper()
	if got := f.where(ids...); got != want {
		f.t.Errorf("%s, want %s", got, want)
	}
}

// attack writes ATTACK K9 FROM K8: 24A 3MC AND L8: 1SH as a command.
func attack(text string, opt ...BattleOptions) Attack {
	var c Attack
	target, from, _ := strings.Cut(text, " FROM ")
	for _, h := range strings.Split(target, "+") {
		c.At = append(c.At, hex.MustParse(h))
	}
	for _, o := range strings.Split(from, " AND ") {
		c.From = append(c.From, origin(o))
	}
	if len(opt) > 0 {
		c.Options = opt[0]
	}
	return c
}

func origin(text string) Origin {
	h, units, _ := strings.Cut(text, ":")
	o := Origin{At: hex.MustParse(strings.TrimSpace(h))}
	for _, u := range strings.Fields(units) {
		o.Units.IDs = append(o.Units.IDs, engine.UnitID(u))
	}
	return o
}

func probe(target, from string, adv ...AdvanceClause) Probe {
	c := Probe{At: hex.MustParse(target), From: origin(from)}
	if len(adv) > 0 {
		c.Advance = &Advance{Clauses: adv}
	}
	return c
}

func hexes(text string) []Step {
	var out []Step
	for _, h := range strings.Fields(text) {
		out = append(out, Step{Hex: hex.MustParse(h)})
	}
	return out
}

func forwardTo(unit engine.UnitID, path string) *Advance {
	return &Advance{Clauses: []AdvanceClause{{Units: Units{IDs: []engine.UnitID{unit}}, Path: hexes(path)}}}
}

// factor finds the amount of a row.
func amount(e BattleEnded, rule string) string {
	for _, f := range e.Factors {
		if string(f.Rule) == "B41-"+rule {
			return f.Amount
		}
	}
	return ""
}

func hexList(text string) []hex.Coord {
	var out []hex.Coord
	for _, h := range strings.Fields(text) {
		out = append(out, hex.MustParse(h))
	}
	return out
}

func TestAttacksRefused(t *testing.T) {
	f := battlefield(t, "turn 3 axis assault", "S19 3RUM 2", "S19 13G 2", "S18 24A 2", "H14 56PZ 4", "H13 26A 2", "G13 16A 2", "B9 5G 3", "T18 29G 3")
	f.refused("11.2", attack("S18 FROM S19: 3RUM"))
	f.refused("14.33.B", attack("G13 FROM S19: 13G"))
	f.refused("14.1", attack("R18 FROM S19: 13G"))
	f.refused("14.1", attack("S18 FROM S19: 56PZ"))
	f.refused("14.35", attack("S18 FROM S19: 13G AND S19: 13G"))
	f.refused("14.1", attack("T18 FROM S19: 13G"))
	f.refused("14.28.B", attack("H13 FROM H14", BattleOptions{Advance: forwardTo("56PZ", "G13")}))
	f.refused("14.22.A", attack("H13 FROM H14", BattleOptions{Advance: forwardTo("13G", "H13")}))
	f.do(attack("H13 FROM H14: 56PZ"))
	f.refused("14.31.B", probe("G15", "H14: 56PZ"))
	t.Run("B41-5.17.E", func(t *testing.T) {
		f := battlefield(t, "turn 3 soviet assault", "H14 56PZ 4", "H13 26A 2")
		f.refused("5.17.E", attack("H14 FROM H13: 26A", BattleOptions{AirSupply: true}))
	})
	t.Run("B41-X53", func(t *testing.T) {
		f := battlefield(t, "turn 6 axis assault", "H14 56PZ 4 consolidated", "H14 13G 3", "H13 26A 2", "G13 16A 2")
		f.p.supply.consolidated = true
		f.refused("5.19.D", attack("H13 FROM H14: 13G"))
		f.refused("5.19.D", attack("H13 FROM H14: 56PZ 13G"))
		f.refused("5.19.D", probe("G14", "H14: 13G"))
		f.do(attack("H13 FROM H14: 56PZ"))
	})
	t.Run("coast", func(t *testing.T) {
		f := battlefield(t, "turn 3 soviet assault", "Y17 COAST 2", "X17 13G 3", "K8 PART 2", "K7 5G 3")
		f.refused("10.2.B", attack("X17 FROM Y17: COAST"))
		f.refused("6.21.B", attack("K7 FROM K8: PART"))
	})
	t.Run("lakes", func(t *testing.T) {
		f := battlefield(t, "turn 3 axis assault", "E10 13G 3", "E9 26A 2")
		f.refused("9.24.B", attack("E9 FROM E10"))
		f = battlefield(t, "turn 9 axis assault", "E10 13G 3", "E9 26A 2")
		if e := f.do(attack("E9 FROM E10")); amount(e, "9.23.A") != "-20 %" {
			t.Errorf("%+v", e.Factors)
		}
	})
}

func TestJustRetreatedUnits(t *testing.T) {
	// PA 1 drives two corps into K12; PA 2 falls on K12.
	setup := func(t *testing.T) *field {
		f := battlefield(t, "turn 5 soviet assault", "K12 42G 3", "K12 13G 2 retreated", "K12 5G 3 retreated", "K11 24A 2", "K11 26A 2", "K11 1SH 4", "K11 3MC")
		f.p.fight.attacked = make([]bool, len(f.p.d.Units))
		f.p.fight.attacked[f.u("13G")], f.p.fight.attacked[f.u("5G")] = true, true
		return f
	}
	late := func(result int, dx bool) (*field, *battle) {
		f := setup(t)
		var out *battle
		_, _, err := engine.Do(probeGame{f.r, func(g *play) {
			b := g.newBattle("pa", soviet, engine.Order{}, BattleOptions{}, []int{g.p.named("K12")}, []strength{{u: f.u("24A"), h: g.p.named("K11")}})
			b.traceDefenders()
			b.price()
			if dx {
				b.destroy()
			} else {
				b.result = Result{0, result, false}
				b.defenderTakes()
			}
			f.p, out = g.p, b
		}}, f.p, 0, engine.Order{}, engine.Env{Dice: fixedDie(1), Standing: f.standing}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return f, out
	}
	f, b := late(1, false)
	if b.sums[1] != f.p.unit(f.u("42G")).Ladder[2][1] {
		t.Errorf("B41-X156: defence %d", b.sums[1])
	}
	if f.p.onMap(f.u("13G")) || f.p.onMap(f.u("5G")) || !f.p.onMap(f.u("42G")) || f.at("42G") == "K12" && f.p.Steps(f.u("42G")) == 3 {
		t.Errorf("B41-X156, 0/1: %s", f.where("13G", "5G", "42G"))
	}
	f, _ = late(0, false)
	f.want("13G K12 2, 5G K12 3, 42G K12 3", "13G", "5G", "42G")
	f, _ = late(0, true)
	f.want("13G gone, 5G gone, 42G gone", "13G", "5G", "42G")

	// B41-X157: driven alone into an empty hex, they are left in peace.
	f = battlefield(t, "turn 5 soviet assault", "K12 13G 2", "K11 24A 2", "K11 26A 2", "K11 16A 2", "J14 13A 2", "L13 21A 2", "J13 10A 2")
	f.die = 1
	f.stand(Axis, yield())
	f.do(attack("K12 FROM K11"))
	if f.at("13G") == "K12" {
		t.Fatal("13G has not retreated")
	}
	h := f.at("13G")
	for _, from := range []string{"J13", "J14", "L13"} {
		if f.p.board().Adjacent(f.p.named(from), f.p.named(h)) {
			f.refused("14.31.C", attack(h+" FROM "+from))
			f.refused("14.38", probe(h, from))
		}
	}
}

func TestAftermath(t *testing.T) {
	t.Run("B41-X154", func(t *testing.T) {
		run := func(cell Result) *field {
			f := battlefield(t, "turn 3 axis assault", "H12 13G 2", "H11 24A 2", "H11 26A 2")
			f.stand(Soviet, Policy{Counter: &CounterAdvance{When: "ALWAYS", Leave: 1}})
			f.stand(Soviet, hold(-1))
			_, _, err := engine.Do(probeGame{f.r, func(g *play) {
				b := g.newBattle("pa", axis, engine.Order{}, BattleOptions{Loss: &LossPolicy{Retreat: true}}, []int{g.p.named("H11")}, []strength{{u: f.u("13G"), h: g.p.named("H12")}})
				b.commit()
				b.price()
				b.result = cell
				b.defenderTakes()
				b.attackerTakes()
				b.aftermath()
				b.close()
				f.p = g.p
			}}, f.p, 0, engine.Order{}, engine.Env{Dice: fixedDie(3), Standing: f.standing}, nil)
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
		f := run(Result{2, 0, false})
		if f.where("13G") != "13G H13 1" || (f.at("24A") == "H12") == (f.at("26A") == "H12") {
			t.Errorf("%s", f.where("13G", "24A", "26A"))
		}
		f = run(Result{2, 1, false})
		if f.at("24A") == "H12" || f.at("26A") == "H12" {
			t.Errorf("occupied after a split result: %s", f.where("13G", "24A", "26A"))
		}
	})
	t.Run("B41-X155", func(t *testing.T) {
		adv := func(l LossPolicy) *field {
			f := battlefield(t, "turn 3 axis assault", "H13 56PZ 4", "H13 57PZ 4", "H12 24A 2", "H12 26A 2", "H12 16A 2")
			f.die = 4
			f.stand(Soviet, yield())
			e := f.do(attack("H12 FROM H13: 56PZ 57PZ", BattleOptions{Loss: &l, Advance: forwardTo("56PZ", "H12")}))
			if r := e.Result; r[0] == '0' || r[2] == '0' {
				t.Fatalf("cell %s at %s", e.Cell, e.Odds)
			}
			return f
		}
		if f := adv(LossPolicy{Steps: true}); f.at("56PZ") != "H12" {
			t.Errorf("%s", f.where("56PZ"))
		}
		if f := adv(LossPolicy{Retreat: true}); f.at("56PZ") != "H14" {
			t.Errorf("%s", f.where("56PZ"))
		}
	})
	t.Run("B41-X214", func(t *testing.T) {
		f := battlefield(t, "turn 5 soviet assault", "K9 13G 1", "K8 1SH 4", "K8 24A 2", "J8 31A 2")
		f.die = 1
		f.stand(Axis, yield())
		f.do(attack("K9 FROM K8", BattleOptions{Advance: &Advance{None: true}}))
		if f.p.holds(axis, f.p.named("K9")) {
			t.Fatal("K9 is held")
		}
		f.refused("14.31.B", probe("K9", "K8: 24A"))
		f.do(probe("K9", "J8: 31A"))
	})
	t.Run("B41-X178", func(t *testing.T) { // below 1-3: one step, no die
		f := battlefield(t, "turn 3 axis assault", "H14 13G 2", "H13 24A 2", "H13 26A 2", "H13 16A 2", "H13 13A 2")
		e := f.do(attack("H13 FROM H14: 13G"))
		if !e.Below || e.Die != 0 || e.Lost != [2]int{1, 0} || e.Word != "REPULSED" {
			t.Errorf("%+v", e)
		}
		f.want("13G H14 1", "13G")
		f.refused("14.31.C", attack("H13 FROM H14: 13G"))
	})
}

func (f *field) mobile(from, to string, opt BattleOptions, ids ...engine.UnitID) maOutcome {
	f.t.Helper()
	var out maOutcome
	_, events, err := engine.Do(probeGame{f.r, func(g *play) {
		var units []int
		sup := map[int]Status{}
		for _, id := range ids {
			units = append(units, f.u(id))
			sup[f.u(id)] = g.p.status(f.u(id))
		}
		out = g.fightMA(units, f.p.named(from), f.p.named(to), engine.Order{Text: "MA"}, opt, sup)
		f.p = g.p
	}}, f.p, 0, engine.Order{}, engine.Env{Dice: fixedDie(f.die), Standing: f.standing}, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	f.events = events
	return out
}

func TestMobileAssaults(t *testing.T) {
	t.Run("B41-X99", func(t *testing.T) {
		f := battlefield(t, "turn 3 axis move", "H14 56PZ 1", "H13 24A 2", "H13 26A 2", "H13 16A 2")
		f.p.SetSteps(f.u("56PZ"), 2)
		out := f.mobile("H14", "H13", BattleOptions{}, "56PZ")
		if !out.Below || out.Word != "REPULSED" || out.LostSteps != 1 {
			t.Errorf("%+v", out)
		}
		f.want("56PZ H14 1", "56PZ")
	})
	t.Run("B41-X96", func(t *testing.T) {
		f := battlefield(t, "turn 3 axis move", "H12 56PZ 4", "H11 24A 2", "H11 26A 2", "H11 16A 2", "H11 13A 2")
		f.stand(Soviet, hold(-1))
		f.die = 5 // 1-2: 3/0, 1-1: 2/1
		out := f.mobile("H12", "H11", BattleOptions{Loss: &LossPolicy{Retreat: true}}, "56PZ")
		if !out.AttackersRetreated || out.Word != "REPULSED" || f.at("56PZ") != "H13" {
			t.Errorf("%+v %s", out, f.where("56PZ"))
		}
	})
	t.Run("B41-X56", func(t *testing.T) { // both hold: Germans stay in the hex, control is unchanged
		f := battlefield(t, "turn 3 axis move", "H12 56PZ 4", "H11 24A 2", "H11 26A 2", "H11 16A 2")
		f.stand(Soviet, hold(-1))
		out := f.mobile("H12", "H11", BattleOptions{Loss: &LossPolicy{Steps: true}}, "56PZ")
		if out.Word != "HELD" || f.at("56PZ") != "H11" || f.p.Owner(f.p.named("H11")) != soviet {
			t.Errorf("%+v %s", out, f.where("56PZ", "24A"))
		}
	})
	t.Run("B41-X95", func(t *testing.T) {
		f := battlefield(t, "turn 3 soviet move", "H12 13G 4", "H11 3MC", "H11 4MC")
		f.stand(Axis, hold(-1))
		f.die = 4
		out := f.mobile("H11", "H12", BattleOptions{}, "3MC", "4MC")
		if out.AttackersRetreated {
			t.Errorf("%+v", out)
		}
		for _, id := range []engine.UnitID{"3MC", "4MC"} {
			if f.p.onMap(f.u(id)) && f.at(id) != "H11" && out.Word != "WON" {
				t.Errorf("%s is in %s", id, f.at(id))
			}
		}
	})
	t.Run("B41-X98", func(t *testing.T) {
		f := battlefield(t, "turn 3 axis move", "H12 56PZ 4", "H11 24A 2", "H11 26A 2", "H11 16A 2")
		f.stand(Soviet, yield())
		out := f.mobile("H12", "H11", BattleOptions{Loss: &LossPolicy{Retreat: true}}, "56PZ")
		if !out.AttackersRetreated || f.p.Owner(f.p.named("H11")) != soviet || f.at("56PZ") != "H13" {
			t.Errorf("%+v %s", out, f.where("56PZ"))
		}
	})
	t.Run("won", func(t *testing.T) {
		f := battlefield(t, "turn 3 axis move", "H12 56PZ 4", "H12 57PZ 4", "H11 24A 1")
		out := f.mobile("H12", "H11", BattleOptions{}, "56PZ", "57PZ")
		if out.Word != "WON" || f.at("56PZ") != "H11" || f.p.Owner(f.p.named("H11")) != axis {
			t.Errorf("%+v %s", out, f.where("56PZ", "24A"))
		}
	})
	t.Run("B41-X111", func(t *testing.T) { // beaten in an MA, they count in full afterwards
		f := battlefield(t, "turn 3 axis move", "H12 56PZ 4", "H12 57PZ 4", "H11 24A 2")
		f.stand(Soviet, yield())
		f.mobile("H12", "H11", BattleOptions{}, "56PZ", "57PZ")
		if f.p.onMap(f.u("24A")) && f.p.has(f.u("24A"), Retreated) {
			t.Error("24A is marked as retreated by an MA")
		}
	})
}
