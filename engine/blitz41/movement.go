package blitz41

import (
	"slices"

	"pbemd/engine"
	"pbemd/engine/board"
	"pbemd/engine/hex"
	"pbemd/engine/trace"
)

// still is why a unit can't move now.
type still uint8

const (
	moves still = iota
	offMap
	isPart
	waitsForDrop
	hasDropped
	isFrozen
	isSealed
	isDone
	msuWasLast
)

// stands finds why a unit can't move now. The MSU moves last on the turn it is
// placed, so the stack it stands with may be finished (B41-A139).
//
// Rule B41-5.12.L, B41-6.20.B, B41-6.21.B, B41-12.6, B41-12.8, B41-14.39.7.A, B41-A42.
func (p *Position) stands(u int) still {
	x := p.d.index
	switch {
	case !p.onMap(u):
		return offMap
	case u == x.part:
		return isPart
	case u == x.abn && p.waitsInMoscow():
		return waitsForDrop
	case p.has(u, Frozen) && u == x.abn:
		return hasDropped
	case p.has(u, Frozen):
		return isFrozen
	case len(p.move.sealed) > 0 && slices.Contains(p.move.sealed, p.home(u)) && !(u == x.msu && p.msuPlaced()):
		return isSealed
	case p.has(u, Done):
		return isDone
	case p.move.msu && u != x.msu:
		return msuWasLast
	}
	return moves
}

// waitsInMoscow reports whether the 4th Airborne is in Moscow with its drop
// before it. Who was driven out comes back as a unit like any other.
//
// Rule B41-14.39.7.A, B41-A42.
func (p *Position) waitsInMoscow() bool {
	u := p.d.index.abn
	return p.At(u) == p.d.index.k5 && p.flags[u]&(Dropped|Driven) == 0
}

// mayMove says why a unit can't move now; nil if it can.
//
// Rule B41-5.12.L, B41-6.20.B, B41-6.21.B, B41-12.6, B41-12.8, B41-14.39.7.A, B41-A42.
func (p *Position) mayMove(u int) *engine.Refusal {
	why := p.stands(u)
	if why == moves {
		return nil
	}
	switch id := p.id(u); why {
	case offMap:
		return engine.Refuse("B41-12.2.A", "b41.move.offmap", "unit", id)
	case isPart:
		return engine.Refuse("B41-6.21.B", "b41.move.part", "unit", id)
	case waitsForDrop:
		return engine.Refuse("B41-14.39.7.A", "b41.move.abn", "unit", id).Hint("b41.move.hint.airdrop")
	case hasDropped:
		return engine.Refuse("B41-A42", "b41.move.dropped", "unit", id)
	case isFrozen:
		return engine.Refuse("B41-6.20.B", "b41.move.frozen", "unit", id)
	case isSealed:
		return engine.Refuse("B41-12.8", "b41.move.sealed", "unit", id, "hex", p.homeName(u), "now", p.stackName(p.move.parent))
	case isDone:
		return engine.Refuse("B41-12.8", "b41.move.done", "unit", id, "hex", p.name(p.At(u)))
	}
	return engine.Refuse("B41-5.12.L", "b41.move.msulast", "unit", p.id(u))
}

// allowance is what a unit has to spend with a supply status: movement points,
// or a single hex.
//
// Rule B41-2.10, B41-5.5.A, B41-5.5.B, B41-5.5.B.ex, B41-5.5.C, B41-5.11.B, B41-5.12.J, B41-5.18.C, B41-5.19.D, B41-12.1.A, B41-A20, B41-A95.
func (p *Position) allowance(u int, s Status) (mp int, single bool) {
	v := p.unit(u)
	switch {
	case v.Class == "none":
		return 1, true
	case v.Side == axis && p.consolidating() && !p.has(u, Consolidated):
		return 1, true
	}
	mp = p.face(u)[2]
	if mp == 0 {
		return 0, false
	}
	mp = max(1, mp-s.Loss)
	if v.Mech() && p.has(u, SeaSupplied) {
		mp = min(5, mp)
	}
	return mp, false
}

// left is the least number of movement points in a group.
func (p *Position) left(units []int) int {
	least := -1
	for _, u := range units {
		mp := 0
		if r := p.move.run(u); r != nil && r.mp >= 0 {
			mp = r.mp
		} else {
			mp, _ = p.allowance(u, p.status(u))
		}
		if least < 0 || mp < least {
			least = mp
		}
	}
	return max(0, least)
}

// begin fixes supply and movement points of units that have not moved yet, all
// at the same instant.
//
// Rule B41-5.1.B, B41-5.5.A, B41-5.5.pn, B41-5.16.D, B41-12.6, B41-A20, B41-A91, B41-A114.
func (g *play) begin(units []int) error {
	p := g.p
	facts := p.beginnings(units)
	mended := p.mendedBefore(facts)
	for _, f := range facts {
		g.emit("B41-5.5.A", f)
	}
	for _, h := range mended {
		if !p.mendable(h, p.side) {
			r := p.stackRefusal(h, p.side, nil, nil)
			return r.Hint("b41.move.hint.stackfirst", "hex", p.name(h))
		}
	}
	return nil
}

// beginnings are the facts of units that begin to move now, without those that
// have begun.
func (p *Position) beginnings(units []int) []MoveBegun {
	var facts []MoveBegun
	for _, u := range units {
		if r := p.move.run(u); r != nil && r.mp >= 0 {
			continue
		}
		s := p.status(u)
		mp, single := p.allowance(u, s)
		facts = append(facts, MoveBegun{
			Unit: p.unit(u).ID, At: p.d.Board.At(p.At(u)), Loss: s.Loss, Line: s.Line, Over: s.Over, From: p.d.Board.At(s.From),
			How: s.words(), MP: mp, Single: single,
		})
	}
	return facts
}

// mendedBefore lists the hexes that can be put in order before units of another
// parent stack begin to move, and perhaps not afterwards.
func (p *Position) mendedBefore(begin []MoveBegun) []int {
	if p.move.parent == board.None || len(begin) == 0 || p.home(p.d.byID[begin[0].Unit]) == p.move.parent {
		return nil
	}
	var out []int
	for _, h := range p.overstacked(p.side) {
		if p.mendable(h, p.side) {
			out = append(out, h)
		}
	}
	return out
}

// walk is a group on its way: where it is, and what it has done since its last
// events.
type walk struct {
	units []int
	start int
	at    int
	far   int // the last hex of the path where they could stay
	path  []int
	all   []walker
}

// walker is a unit on its way and the movement points it has left.
type walker struct{ u, mp int }

// setOut makes a walk of units that have begun to move.
func (p *Position) setOut(units []int) *walk {
	at := p.At(units[0])
	w := &walk{units: units, start: at, at: at, far: at, all: make([]walker, len(units))}
	for i, u := range units {
		w.all[i] = walker{u, p.move.run(u).mp}
	}
	return w
}

// mp gives the movement points of a unit, to be read or changed.
func (w *walk) mp(u int) *int {
	for i := range w.all {
		if w.all[i].u == u {
			return &w.all[i].mp
		}
	}
	panic("a unit that isn't of the group")
}

// goOn moves the group in hand along a path.
//
// Rule B41-12.1.A, B41-12.1.B, B41-12.3, B41-12.6, B41-3.0.D.
func (g *play) goOn(path []Step, obg engine.UnitID) error {
	p := g.p
	hand := p.inHand()
	if len(hand) == 0 {
		return engine.Refuse("B41-12.8", "b41.move.nogroup").Hint("b41.move.hint.with")
	}
	if r := p.groupRefusal(hand); r != nil {
		return r
	}
	if len(path) == 0 {
		return engine.Refuse("B41-12.6", "b41.move.nopath")
	}
	if err := g.begin(hand); err != nil {
		return err
	}
	w := p.setOut(hand)
	var ends []int
	formed := obg == ""
	for i, s := range path {
		hexes, err := p.expand(w, s, i == 0)
		if err != nil {
			return w.hint(p, err)
		}
		for _, h := range hexes {
			at := w.at
			n := len(w.units)
			if err := g.walkInto(w, h); err != nil {
				return w.hint(p, err)
			}
			if len(w.units) < n {
				ends = append(ends, at)
			}
			if p.ended != nil {
				return nil
			}
			if !formed && p.d.Board.Distance(h, p.named("B10")) <= 1 {
				g.arrive(w)
				if u := p.former(w.units, obg); u >= 0 {
					if err := g.formOBG(u); err != nil {
						return err
					}
					formed = true
				}
			}
		}
	}
	if len(w.path) == 0 && w.at == w.start {
		return engine.Refuse("B41-12.6", "b41.move.nopath")
	}
	g.arrive(w)
	if p.ended != nil {
		return nil
	}
	if !formed {
		return g.p.noOBG(hand, obg)
	}
	if slices.Contains(hand, p.special("MSU")) && p.msuPlaced() {
		g.emit("B41-5.12.L", MSUClosed{})
	}
	for _, h := range append(ends, w.at) {
		// Rule B41-9.24.C.
		if p.d.Board.Terrain(h) == Lake {
			return engine.Refuse("B41-9.24.C", "b41.move.ladoga", "hex", p.name(h))
		}
		// Rule B41-A91.
		if r := p.overfull(h); r != nil {
			return r
		}
	}
	return nil
}

// groupRefusal says why a group can't move as it is.
//
// Rule B41-12.5, B41-12.8, B41-5.12.L.
func (p *Position) groupRefusal(hand []int) *engine.Refusal {
	for _, u := range hand {
		if err := p.mayMove(u); err != nil {
			return err
		}
		if p.At(u) != p.At(hand[0]) {
			return engine.Refuse("B41-12.5", "b41.move.apartgroup", "unit", p.id(u), "hex", p.name(p.At(u)), "other", p.id(hand[0]))
		}
	}
	if err := p.together(hand); err != nil {
		return err
	}
	return p.msuLast(hand)
}

// hint says how far the path goes.
func (w *walk) hint(p *Position, err error) error {
	if r, ok := err.(*engine.Refusal); ok && w.far != w.start {
		return r.Hint("b41.move.hint.furthest", "hex", p.name(w.far))
	}
	return err
}

// expand turns a step of a path into hexes.
func (p *Position) expand(w *walk, s Step, first bool) ([]int, error) {
	b := p.d.Board
	switch {
	case !s.To.IsZero():
		to := b.Index(s.To)
		if to == board.None {
			return nil, engine.Refuse("B41-1.2", "b41.hex.unknown", "hex", s.To.String())
		}
		if to == w.at {
			return nil, nil
		}
		way := p.cheapest(w, to)
		if way == nil {
			return nil, p.noWay(w, to)
		}
		return way, nil
	case !s.Hex.IsZero():
		to := b.Index(s.Hex)
		if to == board.None {
			return nil, engine.Refuse("B41-1.2", "b41.hex.unknown", "hex", s.Hex.String())
		}
		if first && to == w.at {
			return nil, nil
		}
		return []int{to}, nil
	}
	var out []int
	at := w.at
	for n := 0; n < max(1, s.Count); n++ {
		next := b.Next(at, s.Dir)
		if next == board.None {
			return nil, engine.Refuse("B41-12.6", "b41.move.offedge", "dir", s.Dir.String(), "hex", p.name(at))
		}
		out = append(out, next)
		at = next
	}
	return out, nil
}

// noWay says why TO finds no way: the goal itself is barred, or nothing leads
// there.
func (p *Position) noWay(w *walk, to int) *engine.Refusal {
	if p.holds(enemyOf(p.side), to) {
		return p.occupied(w.units, to)
	}
	for _, u := range w.units {
		if ok, rule, key := p.mayEnter(u, to); !ok {
			return engine.Refuse(rule, key, "unit", p.id(u), "hex", p.name(to), "from", p.name(w.at))
		}
	}
	return engine.Refuse("B41-12.6", "b41.move.noway", "hex", p.name(to), "from", p.name(w.at))
}

// cheapest is the cheapest legal way of the whole group to a hex: the cost of
// a hex is that of the unit that pays most.
func (p *Position) cheapest(w *walk, to int) []int {
	var best []int
	cost := trace.Far
	for _, near := range p.nearer(w) {
		way, c := trace.Path(p.d.Board, w.at, to, func(i, j int, d hex.Direction) (int, bool) {
			dear := 0
			for _, u := range w.units {
				if p.bars(w, u, i, j) != nil || near != nil && near[j] >= near[i] {
					return 0, false
				}
				c, ok := p.moveCost(u, i, j)
				if !ok {
					return 0, false
				}
				dear = max(dear, c)
			}
			return dear, true
		})
		if way != nil && c < cost {
			best, cost = way, c
		}
	}
	return best
}

// moveCost is what a unit that has begun pays for a hex.
//
// Rule B41-5.12.J, B41-5.19.D.
func (p *Position) moveCost(u, from, to int) (int, bool) {
	c, ok, _ := p.enterCost(u, from, to)
	if r := p.move.run(u); r != nil && r.single {
		c = 1
	}
	return c, ok
}

// occupied refuses to enter a hex that enemy units hold.
//
// Rule B41-9.8.B, B41-12.4, B41-12.9.A.
func (p *Position) occupied(units []int, to int) *engine.Refusal {
	r := engine.Refuse("B41-12.4", "b41.move.enemy", "hex", p.name(to))
	for _, u := range units {
		if p.mayAssault(u) == nil {
			return r.Hint("b41.move.hint.ma", "hex", p.name(to))
		}
	}
	return r
}

// bars says what keeps a unit from going into a hex, costs left out.
//
// Rule B41-9.8.B, B41-12.4.
func (p *Position) bars(w *walk, u, from, to int) *engine.Refusal {
	if ok, rule, key := p.passable(p.unit(u).Side, u, from, to); !ok {
		return engine.Refuse(rule, key, "unit", p.id(u), "hex", p.name(to), "from", p.name(from))
	}
	if p.holds(enemyOf(p.side), to) {
		return p.occupied(w.units, to)
	}
	if p.side == soviet {
		return p.sovietBars(w, u, to)
	}
	return p.axisBars(u, from, to)
}

// sovietBars keeps Soviet units out of hexes without supply, and the MSU out
// of enemy ground.
//
// Rule B41-5.3.C, B41-4.5.1.3.E, B41-5.12.G, B41-A84, B41-A85.
func (p *Position) sovietBars(w *walk, u, to int) *engine.Refusal {
	if p.unit(u).Class == "none" {
		escorted := slices.ContainsFunc(w.units, func(v int) bool { return p.unit(v).Class != "none" })
		if p.Owner(to) == axis && !escorted {
			return engine.Refuse("B41-5.12.G", "b41.move.msu", "unit", p.id(u), "hex", p.name(to))
		}
		return nil
	}
	if r := p.move.run(u); r != nil && r.sup.OOS {
		return nil // only ever nearer to a source: see nearer
	}
	if s := p.statusAt(u, to); s.OOS {
		return engine.Refuse("B41-5.3.C", "b41.move.oos", "unit", p.id(u), "hex", p.name(to), "between", s.Line)
	}
	return nil
}

// axisBars keeps Romanians, Italians and Hungarians within the reach of supply.
// Who has been driven beyond it may come back step by step.
//
// Rule B41-5.16.A, B41-5.16.B, B41-A85.
func (p *Position) axisBars(u, from, to int) *engine.Refusal {
	if !p.unit(u).RIH() {
		return nil
	}
	s := p.statusAt(u, to)
	if s.Air || s.Sea {
		return nil
	}
	if s.None {
		return engine.Refuse("B41-5.16.A", "b41.move.rih.none", "unit", p.id(u), "hex", p.name(to))
	}
	if s.Over > 4 {
		if now := p.statusAt(u, from); now.None || s.Over < now.Over {
			return nil
		}
		return engine.Refuse("B41-5.16.A", "b41.move.rih.far", "unit", p.id(u), "hex", p.name(to), "line", s.Line, "most", s.Line-s.Over+4)
	}
	return nil
}

// nearer gives for every source that the group's units out of supply may still
// be heading for the distances over land from it; a single nil if none of them
// is out of supply, nothing if there is no such source. The Coastal Army heads
// for ports that can feed it.
//
// Rule B41-5.3.C, B41-5.13.B, B41-5.13.D, B41-4.5.1.3.E, B41-A83.
func (p *Position) nearer(w *walk) [][]int16 {
	var out [][]int16
	var lost []int
	for _, u := range w.units {
		if r := p.move.run(u); r != nil && r.sup.OOS && p.side == soviet && p.unit(u).Class != "none" {
			lost = append(lost, u)
		}
	}
	if len(lost) == 0 {
		return anywhere
	}
	var sources []int
	if lost[0] == p.special("COAST") {
		for _, s := range p.d.Sites {
			if p.d.Board.Is(s.Hex, Port) && p.Owner(s.Hex) == soviet && !p.everAxis[s.Hex] {
				sources = append(sources, s.Hex)
			}
		}
	} else {
		sources = p.operatingSources()
	}
	for _, s := range sources {
		dist := p.overLand(s)
		heading := true
		for _, u := range lost {
			heading = heading && shrinks(dist, p.move.run(u), w.path)
		}
		if heading {
			out = append(out, dist)
		}
	}
	return out
}

// anywhere is the answer of nearer for units that needn't head for a source.
var anywhere = [][]int16{nil}

// overLand are the distances over land from a hex. They hang on nothing but the
// weather.
func (p *Position) overLand(s int) []int16 {
	keep := &p.d.index.land[p.turn][s]
	if d := keep.Load(); d != nil {
		return *d
	}
	dist := trace.Spread(p.d.Board, []int{s}, func(i, j int, d hex.Direction) (int, bool) {
		t := p.d.Board.Terrain(i)
		if t == Sea || t == Lake && p.weather(i) != Frost {
			return 0, false
		}
		_, ok := p.sideCost(j, i)
		return 1, ok
	}, nil)
	out := make([]int16, len(dist))
	for i, d := range dist {
		out[i] = int16(d)
	}
	keep.Store(&out)
	return out
}

// shrinks reports whether a distance has become less with every hex entered.
func shrinks(dist []int16, r *run, more []int) bool {
	at := dist[r.start]
	for _, h := range r.trail {
		if dist[h] >= at {
			return false
		}
		at = dist[h]
	}
	for _, h := range more {
		if dist[h] >= at {
			return false
		}
		at = dist[h]
	}
	return true
}

// walkInto takes the group into the next hex: what bars it, what it costs, who
// stays behind because he can't pay.
//
// Rule B41-9.8.A, B41-4.5.1.3.F, B41-12.1.B, B41-A82.
func (g *play) walkInto(w *walk, to int) error {
	p := g.p
	from := w.at
	for _, u := range w.units {
		if err := p.bars(w, u, from, to); err != nil {
			return err
		}
	}
	if err := p.heading(w, to); err != nil {
		return err
	}
	var stay, go_ []int
	cost := map[int]int{}
	for _, u := range w.units {
		c, ok := p.price(w, u, to)
		if cost[u] = c; ok {
			go_ = append(go_, u)
		} else {
			stay = append(stay, u)
		}
	}
	if len(go_) == 0 {
		u := stay[0]
		for _, v := range stay {
			if cost[v]-*w.mp(v) < cost[u]-*w.mp(u) {
				u = v
			}
		}
		if r := p.move.run(u); r.single {
			rule := engine.RuleID("B41-5.19.D")
			if p.unit(u).Class == "none" {
				rule = "B41-5.12.J"
			}
			return engine.Refuse(rule, "b41.move.single", "unit", p.id(u), "hex", p.name(to))
		}
		return engine.Refuse("B41-12.1.A", "b41.move.mp", "unit", p.id(u), "hex", p.name(to), "need", cost[u], "left", *w.mp(u))
	}
	if len(stay) > 0 {
		g.arrive(w)
		if p.ended != nil {
			return nil
		}
		f := DroppedOff{Units: p.ids(stay), At: p.d.Board.At(from), Next: p.d.Board.At(to)}
		for _, u := range stay {
			f.Left = append(f.Left, *w.mp(u))
			f.Cost = append(f.Cost, cost[u])
		}
		g.emit("B41-12.1.B", f)
		w.units = go_
		// The escort of the MSU may have gone on without it, or it without them.
		for _, u := range w.units {
			if err := p.bars(w, u, from, to); err != nil {
				return err
			}
		}
	}
	for _, u := range w.units {
		*w.mp(u) -= cost[u]
	}
	w.path = append(w.path, to)
	w.at = to
	if p.d.Board.Terrain(to) != Lake {
		w.far = to
	}
	if p.stirs(to) {
		g.arrive(w)
	}
	return nil
}

// price is what a unit of the group pays to go on into a hex; ok is false if it
// has not so much left. The first hex may take all it has.
//
// Rule B41-9.8.A, B41-A82.
func (p *Position) price(w *walk, u, to int) (mp int, ok bool) {
	c, _ := p.moveCost(u, w.at, to)
	r, left := p.move.run(u), *w.mp(u)
	if c <= left {
		return c, true
	}
	if fresh := len(r.trail) == 0 && len(w.path) == 0 && !r.stirred; fresh && left >= 1 {
		return left, true
	}
	return c, false
}

// heading refuses units out of supply a hex that brings them nearer to no
// source.
func (p *Position) heading(w *walk, to int) *engine.Refusal {
	for _, near := range p.nearer(w) {
		if near == nil || near[to] < near[w.at] {
			return nil
		}
	}
	return engine.Refuse("B41-5.3.C", "b41.move.nearer", "unit", p.id(w.units[0]), "hex", p.name(to), "from", p.name(w.at))
}

// stirs reports whether entering a hex may change more than the place of the
// units. It looks at what is public or the mover's own, so that the events of a
// move say nothing of hidden things.
func (p *Position) stirs(h int) bool {
	return p.Owner(h) != p.side || p.side == soviet && p.At(p.special("PART")) == h
}

// arrive states what the group has done since its last events.
func (g *play) arrive(w *walk) {
	if len(w.path) == 0 {
		return
	}
	p := g.p
	path := make([]hex.Coord, len(w.path))
	for i, h := range w.path {
		path[i] = p.d.Board.At(h)
	}
	f := GroupMoved{Units: p.ids(w.units), Path: path}
	armed := false
	for _, u := range w.units {
		f.Left = append(f.Left, *w.mp(u))
		armed = armed || p.unit(u).Class != "none"
	}
	g.emit("B41-12.1.A", f)
	for _, u := range w.units {
		g.emit("B41-12.6", UnitMoved{p.unit(u).ID, path, "move"})
	}
	w.path = nil
	if armed {
		g.arrived(w.at, p.side)
	}
}

// mendable reports whether a legal move of its units could still lighten an
// overfull hex.
//
// Rule B41-A91.
func (p *Position) mendable(h int, side uint8) bool {
	for _, u := range p.unitsIn(h, side) {
		if p.stands(u) == moves && p.canStep(u) {
			return true
		}
	}
	return false
}

// canStep reports whether a unit could go into a neighbouring hex and stay.
func (p *Position) canStep(u int) bool {
	from, r := p.At(u), p.move.run(u)
	mp, fresh := 0, true
	if r != nil {
		mp, fresh = r.mp, len(r.trail) == 0 && !r.stirred
	}
	if r == nil || r.mp < 0 { // not begun, though it may have come by sea
		mp, _ = p.allowance(u, p.status(u))
	}
	if mp == 0 {
		return false
	}
	w := &walk{units: []int{u}, start: from, at: from}
	for _, to := range p.d.Board.Neighbours(from) {
		if to == board.None || p.d.Board.Terrain(to) == Lake || p.bars(w, u, from, to) != nil || p.heading(w, to) != nil {
			continue
		}
		c, _ := p.moveCost(u, from, to)
		if (c <= mp || fresh) && p.stackRefusal(to, p.side, []int{u}, nil) == nil {
			return true
		}
	}
	return false
}

// leaveMove closes a Movement Phase. Where stacking is broken, a legal move
// that mends it comes first; if there is none, dice have done it, and the last
// to arrive go back.
//
// Rule B41-8.7, B41-12.9.B, B41-A91, B41-A94.
func (g *play) leaveMove() error {
	if err := g.closeStack(); err != nil {
		return err
	}
	p := g.p
	if h := p.unmended(); h != board.None {
		return p.stackRefusal(h, p.side, nil, nil).Hint("b41.move.hint.mend", "hex", p.name(h))
	}
	for _, h := range p.overstacked(p.side) {
		g.pushBack(h)
	}
	return nil
}

// unmended is the hex that keeps the phase open: one that the parent stack on
// its way can lighten before any other, since another stack must wait for it.
//
// Rule B41-A91.
func (p *Position) unmended() int {
	first := board.None
	for _, h := range p.overstacked(p.side) {
		if !p.mendable(h, p.side) {
			continue
		}
		if p.move.parent != board.None && slices.ContainsFunc(p.unitsIn(h, p.side), func(u int) bool {
			return p.home(u) == p.move.parent && p.stands(u) == moves && p.canStep(u)
		}) {
			return h
		}
		if first == board.None {
			first = h
		}
	}
	return first
}

// PushedBack sends a unit back along its path to a hex that has room.
type PushedBack struct {
	Unit engine.UnitID `json:"unit"`
	From hex.Coord     `json:"from"`
	To   hex.Coord     `json:"to"`
}

// Kind implements [engine.Fact].
func (PushedBack) Kind() string { return "PushedBack" }

func (f PushedBack) apply(p *Position) {
	u := p.d.byID[f.Unit]
	p.Put(u, p.d.Board.Index(f.To))
	p.flags[u] |= Done
}

// pushBack lightens an overfull hex.
//
// Rule B41-A91.
func (g *play) pushBack(h int) {
	p := g.p
	var late []*run
	for _, r := range p.move.runs {
		if p.onMap(r.u) && p.At(r.u) == h {
			late = append(late, r)
		}
	}
	slices.SortStableFunc(late, func(a, b *run) int { return b.last - a.last })
	for _, r := range late {
		if p.stackLegal(h, p.side) {
			return
		}
		to := p.wayBack(r)
		if to == board.None {
			continue
		}
		g.emit("B41-A91", PushedBack{p.unit(r.u).ID, p.d.Board.At(h), p.d.Board.At(to)})
		if p.unit(r.u).Class != "none" {
			g.arrived(to, p.side)
		}
	}
}

// wayBack is the hex a unit goes back to: the last of its path that has room
// for it, or else the nearest own hex that has, the first in board order.
//
// Rule B41-A91.
func (p *Position) wayBack(r *run) int {
	b, at := p.d.Board, p.At(r.u)
	room := func(to int) bool {
		if t := b.Terrain(to); to == at || t == Lake || t == Sea || p.holds(enemyOf(p.side), to) {
			return false
		}
		ok, _, _ := p.mayEnter(r.u, to)
		return ok && p.stackRefusal(to, p.side, []int{r.u}, nil) == nil
	}
	way := append([]int16{int16(r.start)}, r.trail...)
	for i := len(way) - 1; i >= 0; i-- {
		if room(int(way[i])) {
			return int(way[i])
		}
	}
	best := board.None
	for to := 0; to < b.Len(); to++ {
		if p.Owner(to) == p.side && (best == board.None || b.Distance(at, to) < b.Distance(at, best)) && room(to) {
			best = to
		}
	}
	return best
}

// hexCost is what a unit pays for a hex itself in the weather there.
//
// Rule B41-9.1.C, B41-9.4, B41-9.10, B41-9.11, B41-9.24.C, B41-11.5, B41-5.12.J, B41-A111.
func (p *Position) hexCost(u, to int) int {
	v, w := p.unit(u), p.weather(to)
	t := p.d.Board.Terrain(to)
	if t == Lake {
		t = Clear
	}
	switch {
	case v.Class == "none":
		return 1
	case v.Mech():
		return p.d.Terrain[t][w].Mech
	case v.Side == soviet && p.d.SovietLegMP[w] > 0:
		return p.d.SovietLegMP[w]
	}
	return p.d.Terrain[t][w].Leg
}

// sideCost is what it costs on top to cross the side between two hexes, in the
// weather of the hex entered; ok is false if it can't be crossed at all.
//
// Rule B41-9.9, B41-9.12.A, B41-9.13.A, B41-9.14, B41-9.23.A, B41-9.24.A, B41-9.24.B, B41-9.25, B41-A112, B41-A121.
func (p *Position) sideCost(from, to int) (mp int, ok bool) {
	s, w := p.d.Board.Between(from, to), p.weather(to)
	switch {
	case s&AllSea != 0:
		return 0, false
	case s&SivashSide != 0:
		return p.d.Major[Mud].MP, true
	}
	if s&LakeSide != 0 {
		if !p.d.LakeCross[w].Enter {
			return 0, false
		}
		// B41-A121, the other reading: Ladoga costs no more than its hex.
		if p.d.Board.Terrain(to) != Lake || !p.alt("B41-A121") {
			mp += p.d.LakeCross[w].MP
		}
	}
	switch {
	case s&(MajorRiver|KerchSide) != 0:
		mp += p.d.Major[w].MP
	case s&MinorRiver != 0:
		mp += p.d.Minor[w].MP
	}
	return mp, true
}

// enterCost is what a unit pays to go from a hex into its neighbour, hexside
// included; ok is false if it may not, and why is the key of the sentence.
//
// Rule B41-9.4, B41-9.9, B41-9.25.
func (p *Position) enterCost(u, from, to int) (mp int, ok bool, why string) {
	if ok, _, key := p.passable(p.unit(u).Side, u, from, to); !ok {
		return 0, false, key
	}
	if p.unit(u).Class == "none" {
		return 1, true, ""
	}
	side, _ := p.sideCost(from, to)
	return p.hexCost(u, to) + side, true, ""
}

// passable reports whether a unit may go from a hex into its neighbour as far
// as terrain, nationality and the ranges of special units are concerned, units
// and costs left out. It binds movement, retreat and advance alike.
//
// Rule B41-5.6.B, B41-5.12.J, B41-5.13.D, B41-5.18.A, B41-6.19, B41-6.20.C, B41-6.20.E, B41-6.21.B, B41-9.13.B, B41-9.14, B41-9.24.B, B41-9.24.C.
// Rule B41-10.2.B, B41-11.1.A, B41-11.1.B, B41-A40.
func (p *Position) passable(side uint8, u int, from, to int) (ok bool, rule engine.RuleID, key string) {
	b := p.d.Board
	if to == board.None || !b.Adjacent(from, to) {
		return false, "B41-12.6", "b41.move.apart"
	}
	if b.Terrain(to) == Sea || b.Between(from, to)&AllSea != 0 {
		return false, "B41-9.14", "b41.move.sea"
	}
	if b.Terrain(to) == Lake && p.weather(to) != Frost {
		return false, "B41-9.24.C", "b41.move.lake"
	}
	if _, ok := p.sideCost(from, to); !ok {
		return false, "B41-9.24.B", "b41.move.lake"
	}
	return p.mayEnter(u, to)
}

// mayEnter is what bars a unit from a hex by its nature: rows, coasts and
// ranges.
func (p *Position) mayEnter(u, to int) (ok bool, rule engine.RuleID, key string) {
	v, b := p.unit(u), p.d.Board
	row := int(b.At(to).Row)
	if v.Side == axis {
		switch {
		case v.Nation == "romanian" && row < rowS:
			return false, "B41-11.1.A", "b41.move.rowS"
		case (v.Nation == "hungarian" || v.Nation == "italian") && row < rowO:
			return false, "B41-11.1.B", "b41.move.rowO"
		case p.has(u, SeaSupplied) && !b.Any(to, Coast):
			return false, "B41-5.18.A", "b41.move.seasupplied"
		}
		return true, "", ""
	}
	switch u {
	case p.special("COAST"):
		if !b.Any(to, CoastBlack|CoastAzov) {
			return false, "B41-10.2.B", "b41.move.coast"
		}
	case p.special("LPMA"):
		if b.Distance(to, p.named("B9")) > 3 {
			return false, "B41-6.19", "b41.move.lpma"
		}
	case p.special("OBG"):
		if b.Distance(to, p.named("B10")) > 1 {
			return false, "B41-6.20.C", "b41.move.obg"
		}
	case p.special("PART"):
		return false, "B41-6.21.B", "b41.move.part"
	}
	return true, "", ""
}

// The rows that bound Romanians, and Hungarians and Italians.
const (
	rowO = 'O' - 'A' + 1
	rowS = 'S' - 'A' + 1
)
