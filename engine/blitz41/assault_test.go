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
