package blitz41

import (
	"errors"
	"slices"
	"testing"

	"pbemd/engine"
	"pbemd/engine/hex"
)

// ground is a position in the making: an empty map on some turn, to which
// units and control are added by facts.
type ground struct {
	t    testing.TB
	r    *Rules
	p    *Position
	log  []engine.Event
	dice []int
	std  map[engine.Side][]engine.Order
}

// bare is the empty map at the opening of a phase, lines and air points as they
// are on that turn.
func bare(t testing.TB, turn int, side engine.Side, phase Phase, opt ...Options) *ground {
	t.Helper()
	g := &ground{t: t}
	o := Options{}
	if len(opt) > 0 {
		o = opt[0]
	}
	g.r = New(shipped(t), o)
	g.p = newPosition(g.r.d)
	g.say(GameBegan{o})
	for n := 1; n <= turn; n++ {
		g.say(TurnBegan{n})
		for _, l := range g.r.d.Lines {
			if l.Turn == n {
				g.say(LineSettled{l.Name, true})
			}
		}
	}
	g.say(PhaseBegan{side, phase})
	return g
}

// fork is another game from here on.
func (g *ground) fork() *ground {
	h := *g
	h.p = g.p.Clone().(*Position)
	return &h
}

func (g *ground) say(facts ...engine.Fact) {
	for _, f := range facts {
		g.p.Apply(engine.Event{Fact: f})
	}
}

func at(s string) hex.Coord { return hex.MustParse(s) }

func (g *ground) hex(s string) int { return g.p.d.Board.Index(at(s)) }
func (g *ground) unit(id engine.UnitID) int {
	u := g.p.d.Unit(id)
	if u < 0 {
		g.t.Fatalf("no unit %s", id)
	}
	return u
}

// put places a unit, which takes the hex without being a source there.
func (g *ground) put(id engine.UnitID, where string, steps int) *ground {
	u := g.unit(id)
	g.say(UnitPlaced{id, at(where), steps, "setup"})
	if s := g.p.unit(u).Side; g.p.Owner(g.hex(where)) != s && g.p.unit(u).Class != "none" {
		g.take(sideOf(s), where)
	}
	return g
}

// take gives hexes to a side; their forts fall with the Axis, and as sources
// they are idle.
func (g *ground) take(s engine.Side, hexes ...string) *ground {
	for _, h := range hexes {
		if _, ok := g.p.intact(g.hex(h)); ok && s == Axis {
			g.say(FortWrecked{at(h)})
		}
		g.say(HexTaken{at(h), s})
	}
	return g
}

// open makes hexes work as sources.
func (g *ground) open(hexes ...string) *ground {
	for _, h := range hexes {
		g.say(SourceOpened{[]hex.Coord{at(h)}})
	}
	return g
}

// only leaves the Soviets the sources named.
func (g *ground) only(hexes ...string) *ground {
	for _, s := range g.p.d.Sites {
		if n := g.p.name(s.Hex); !slices.Contains(hexes, n) {
			g.take(Axis, n)
		}
	}
	return g
}

// rich gives the Axis enough VPs for the game to go on.
func (g *ground) rich() *ground {
	g.say(Scored{at("K5"), 40, 40})
	return g
}

// guards are Axis corps to stand about.
var guards = []engine.UnitID{"1G", "26G", "38G", "10G", "28G", "2G", "23G", "5G", "6G", "7G", "8G", "9G", "12G", "13G", "20G"}

// ring puts an Axis corps on each land hex beside a hex.
func (g *ground) ring(where string) *ground {
	for _, j := range g.p.d.Board.Neighbours(g.hex(where)) {
		if j < 0 || g.p.d.Board.Terrain(j) == Sea || len(g.p.In(j)) > 0 {
			continue
		}
		for _, id := range guards {
			if g.p.d.Unit(id) >= 0 && !g.p.onMap(g.unit(id)) {
				g.put(id, g.p.name(j), 1)
				break
			}
		}
	}
	return g
}

// hook is a game whose orders run a piece of rule code.
type hook struct {
	*Rules
	f func(*play) error
}

func (h hook) Do(x *engine.Exec, _ engine.Order) error { return h.f(runOf(x)) }

type fixed []int

func (f fixed) Roll(string, int, int) []int {
	if len(f) == 0 {
		return []int{1}
	}
	return f[:1]
}

func (g *ground) env() engine.Env { return engine.Env{Dice: fixed(g.dice), Standing: g.std} }

func (g *ground) keep(p engine.Position, events []engine.Event, err error) error {
	if err == nil {
		g.p = p.(*Position)
		g.log = events
	}
	return err
}

// run runs rule code on the position.
func (g *ground) run(f func(*play)) *ground {
	g.t.Helper()
	if err := g.try(func(r *play) error { f(r); return nil }); err != nil {
		g.t.Fatal(err)
	}
	return g
}

func (g *ground) try(f func(*play) error) error {
	return g.keep(engine.Do(hook{g.r, f}, g.p, 0, engine.Order{}, g.env(), nil))
}

// order gives an order of the side in turn.
func (g *ground) order(c engine.Command) error {
	return g.orderOf(sideOf(g.p.side), c)
}

func (g *ground) orderOf(s engine.Side, c engine.Command) error {
	return g.keep(engine.Do(g.r, g.p, 0, engine.Order{Side: s, Command: c}, g.env(), nil))
}

// done wants an order to be carried out.
func (g *ground) done(c engine.Command) *ground {
	g.t.Helper()
	if err := g.order(c); err != nil {
		g.t.Errorf("%s %v: %v", c.Verb(), c, err)
	}
	return g
}

// refused wants an order to be refused by a rule, and nothing to have changed.
func (g *ground) refused(rule engine.RuleID, c engine.Command) *ground {
	g.t.Helper()
	before := g.p.version
	err := g.order(c)
	var r *engine.Refusal
	if !errors.As(err, &r) {
		g.t.Errorf("%s %v: want a refusal by %s, got %v", c.Verb(), c, rule, err)
	} else if r.Rule != rule {
		g.t.Errorf("%s %v: refused by %v, want %s", c.Verb(), c, r, rule)
	}
	if g.p.version != before {
		g.t.Errorf("%s %v: refused, but the position has changed", c.Verb(), c)
	}
	return g
}

// supply is the status of a unit in short: full, 2, oos, none, air, sea, other.
func (g *ground) supply(id engine.UnitID) string {
	s := g.p.status(g.unit(id))
	switch {
	case s.Air:
		return "air"
	case s.Sea:
		return "sea"
	case s.Other && s.Loss == 0:
		return "other"
	case s.None:
		return "none"
	case s.OOS:
		return "oos"
	case s.Full:
		return "full"
	}
	return string(rune('0' + s.Loss))
}

func (g *ground) supplied(id engine.UnitID, want string) *ground {
	g.t.Helper()
	if got := g.supply(id); got != want {
		g.t.Errorf("supply of %s is %s, want %s (%+v)", id, got, want, g.p.status(g.unit(id)))
	}
	return g
}

func (g *ground) holder(where string, want engine.Side) *ground {
	g.t.Helper()
	if got := sideOf(g.p.Owner(g.hex(where))); got != want {
		g.t.Errorf("%s is held by %q, want %q", where, got, want)
	}
	return g
}

func (g *ground) where(id engine.UnitID, want string) *ground {
	g.t.Helper()
	got := g.p.where[g.unit(id)].String()
	if g.p.onMap(g.unit(id)) {
		got = g.p.name(g.p.At(g.unit(id)))
	}
	if got != want {
		g.t.Errorf("%s is at %s, want %s", id, got, want)
	}
	return g
}

func (g *ground) steps(id engine.UnitID, want int) *ground {
	g.t.Helper()
	if got := g.p.Steps(g.unit(id)); got != want {
		g.t.Errorf("%s has %d steps, want %d", id, got, want)
	}
	return g
}

func (g *ground) marked(id engine.UnitID, want bool) *ground {
	g.t.Helper()
	if got := g.p.has(g.unit(id), OOS); got != want {
		g.t.Errorf("marker on %s is %v, want %v", id, got, want)
	}
	return g
}

func (g *ground) points(want int) *ground {
	g.t.Helper()
	if got := g.p.VP(); got != want {
		g.t.Errorf("%d VPs, want %d", got, want)
	}
	return g
}

func (g *ground) over(winner engine.Side, why string, points int) *ground {
	g.t.Helper()
	e := g.p.ended
	if e == nil {
		g.t.Errorf("the game goes on, want %s by %s with %d", winner, why, points)
	} else if e.Winner != winner || e.Why != why || e.Points != points {
		g.t.Errorf("ended %+v, want %s by %s with %d", *e, winner, why, points)
	}
	return g
}

func (g *ground) goesOn() *ground {
	g.t.Helper()
	if g.p.ended != nil {
		g.t.Errorf("the game has ended: %+v", *g.p.ended)
	}
	return g
}

// move takes a unit somewhere and runs what follows.
func (g *ground) move(id engine.UnitID, where ...string) *ground {
	g.t.Helper()
	return g.run(func(r *play) {
		for _, h := range where {
			r.emit("", UnitMoved{id, []hex.Coord{at(h)}, "retreat"})
			r.arrived(g.hex(h), r.p.unit(g.unit(id)).Side)
		}
	})
}

// check runs the Supply Phase of a side on a turn, from its beginning.
func (g *ground) check(turn int, s engine.Side) *ground {
	g.t.Helper()
	if g.p.turn != turn {
		g.run(func(r *play) { r.beginTurn(turn) })
	}
	g.say(PhaseBegan{s, SupplyPhase})
	return g.run(func(r *play) {
		if s == Soviet {
			r.enterSovietSupply()
			_ = r.leaveSovietSupply()
		} else {
			r.enterAxisSupply()
			_ = r.leaveAxisSupply()
		}
	})
}
