package blitz41

import (
	"slices"

	"pbemd/engine"
	"pbemd/engine/board"
	"pbemd/engine/hex"
)

// SeaMoved says which way the Coastal Army took by sea.
type SeaMoved struct {
	From hex.Coord   `json:"from"`
	Path []hex.Coord `json:"path"` // without the hex it comes from
}

// Evacuated says which hex of a sea area the evacuation of the turn is for.
type Evacuated struct {
	Baltic bool            `json:"baltic,omitempty"`
	At     hex.Coord       `json:"at"`
	Units  []engine.UnitID `json:"units"`
}

// AirDropped says that the 4th Airborne has dropped.
type AirDropped struct {
	At hex.Coord `json:"at"`
}

// Kind implements [engine.Fact].
func (SeaMoved) Kind() string { return "SeaMoved" }

// Kind implements [engine.Fact].
func (Evacuated) Kind() string { return "Evacuated" }

// Kind implements [engine.Fact].
func (AirDropped) Kind() string { return "AirDropped" }

func (f SeaMoved) apply(p *Position) {
	u := p.special("COAST")
	p.move.sea = true
	p.move.add(p, &run{u: u, home: p.d.Board.Len() + u, start: p.At(u), mp: -1, stirred: true})
}

func (f Evacuated) apply(p *Position) {
	i := 1
	if f.Baltic {
		i = 0
	}
	p.move.evac[i] = p.d.Board.Index(f.At)
}

func (f AirDropped) apply(p *Position) {
	u := p.special("4ABN")
	p.flags[u] |= Dropped
	// B41-A42, the other reading: it moves on, but began the phase with nobody
	// who stands where it came down.
	if p.alt("B41-A42") {
		p.move.add(p, &run{u: u, home: p.d.Board.Len() + u, start: p.At(u), mp: -1})
	}
}

// seaMove takes the Coastal Army by sea to another coast, before any land
// movement.
//
// Rule B41-10.1, B41-10.2.A, B41-10.3.B, B41-10.4, B41-4.5.1.3.A, B41-9.13.B, B41-9.14, B41-A103.
func (g *play) seaMove(c SeaMove) error {
	p, b := g.p, g.p.d.Board
	u, to := p.special("COAST"), p.d.Board.Index(c.To)
	if r := p.seaRefused(c); r != nil {
		return r
	}
	stops := []int{p.At(u)}
	for _, v := range c.Via {
		h := b.Index(v)
		if h == board.None {
			return engine.Refuse("B41-1.2", "b41.hex.unknown", "hex", v.String())
		}
		stops = append(stops, h)
	}
	way := p.seaWay(append(stops, to))
	if way == nil {
		r := engine.Refuse("B41-10.1", "b41.sea.noway", "hex", p.name(to))
		if !p.straits(soviet) {
			r = engine.Refuse("B41-10.4", "b41.sea.straits", "hex", p.name(to))
		}
		return r
	}
	if len(way) > 6 {
		return engine.Refuse("B41-10.1", "b41.sea.far", "hex", p.name(to), "hexes", len(way))
	}
	path := make([]hex.Coord, len(way))
	for i, h := range way {
		path[i] = b.At(h)
	}
	g.emit("B41-10.1", SeaMoved{b.At(p.At(u)), path})
	g.emit("B41-10.1", UnitMoved{p.unit(u).ID, path, "sea"})
	g.arrived(to, soviet)
	if p.ended != nil {
		return nil
	}
	return orNil(p.overfull(to))
}

// seaRefused says why the Coastal Army can't go by sea to a coast, the way left
// out.
//
// Rule B41-10.1, B41-10.3.B, B41-9.13.B.
func (p *Position) seaRefused(c SeaMove) *engine.Refusal {
	b, u, to := p.d.Board, p.special("COAST"), p.d.Board.Index(c.To)
	switch {
	case p.move.land:
		return engine.Refuse("B41-10.1", "b41.move.landbegun", "verb", c.Verb())
	case p.move.sea:
		return engine.Refuse("B41-10.1", "b41.sea.once")
	case !p.onMap(u):
		return engine.Refuse("B41-10.1", "b41.move.offmap", "unit", p.id(u))
	case to == board.None:
		return engine.Refuse("B41-1.2", "b41.hex.unknown", "hex", c.To.String())
	case !b.Any(to, CoastBlack|CoastAzov):
		rule := engine.RuleID("B41-10.1")
		if to == p.named("Z13") {
			rule = "B41-9.13.B"
		}
		return engine.Refuse(rule, "b41.sea.coast", "hex", p.name(to))
	case p.holds(axis, to):
		return engine.Refuse("B41-10.1", "b41.sea.enemy", "hex", p.name(to))
	case to == p.At(u):
		return engine.Refuse("B41-10.1", "b41.sea.there", "hex", p.name(to))
	case !p.sovietPort():
		return engine.Refuse("B41-10.3.B", "b41.sea.noport")
	}
	return nil
}

// overfull refuses a stack that can't be put in order any more.
//
// Rule B41-A91.
func (p *Position) overfull(h int) *engine.Refusal {
	if r := p.stackRefusal(h, p.side, nil, nil); r != nil && !p.mendable(h, p.side) {
		return r
	}
	return nil
}

// landed says why a unit can't come to a hex from the sea or the air: there is
// no room, and no way to make some.
func (p *Position) landed(u, h int) *engine.Refusal {
	if p.stackRefusal(h, p.side, []int{u}, nil) == nil {
		return nil
	}
	q := p.Clone().(*Position)
	if q.Put(u, h); u == p.d.index.abn {
		q.SetSteps(u, 1)
		q.flags[u] |= Dropped
		if !p.alt("B41-A42") {
			q.flags[u] |= Frozen
		}
	} else {
		SeaMoved{}.apply(q)
	}
	return q.overfull(h)
}

// sovietPort reports whether the Soviets control one of the ports.
//
// Rule B41-10.3.B.
func (p *Position) sovietPort() bool {
	for _, s := range p.d.Sites {
		if p.d.Board.Is(s.Hex, Port) && p.Owner(s.Hex) == soviet {
			return true
		}
	}
	return false
}

// seaWay is the shortest way by sea through the stops, the first of them left
// out; nil if there is none.
func (p *Position) seaWay(stops []int) []int {
	var way []int
	for i := 1; i < len(stops); i++ {
		leg := p.seaLeg(stops[i-1], stops[i], i == 1, i == len(stops)-1)
		if leg == nil {
			return nil
		}
		way = append(way, leg...)
	}
	return way
}

// seaLeg is the shortest way by sea between two hexes. Under way there are only
// sea hexes and the two hexes of the strait; land and ends over an all-sea
// hexside.
//
// Rule B41-10.1, B41-10.4, B41-A103.
func (p *Position) seaLeg(from, to int, first, last bool) []int {
	prev, _ := p.seaSpread(from)
	if prev[to] == board.None || from == to {
		return nil
	}
	if !last && !p.sails(to) || !first && !p.sails(from) {
		return nil
	}
	var way []int
	for h := to; h != from; h = int(prev[h]) {
		way = append([]int{h}, way...)
	}
	return way
}

// seaReach is how far every hex is by sea, 0 where no way leads.
func (p *Position) seaReach(from int) []int16 {
	_, far := p.seaSpread(from)
	return far
}

// seaSpread finds the shortest ways by sea from a hex: the hex before, and how
// many hexes it is.
//
// Rule B41-10.1, B41-10.4, B41-A103.
func (p *Position) seaSpread(from int) (prev, far []int16) {
	b := p.d.Board
	prev, far = make([]int16, b.Len()), make([]int16, b.Len())
	for i := range prev {
		prev[i] = board.None
	}
	prev[from] = int16(from)
	queue := []int{from}
	for i := 0; i < len(queue); i++ {
		h := queue[i]
		if h != from && !p.sails(h) {
			continue
		}
		order := *b.Neighbours(h)
		slices.Sort(order[:])
		for _, n := range order {
			if n == board.None || prev[n] != board.None || b.Between(h, n)&AllSea == 0 || !p.sameSea(h, n) {
				continue
			}
			prev[n], far[n] = int16(h), far[h]+1
			queue = append(queue, n)
		}
	}
	return prev, far
}

// sails reports whether the Coastal Army may pass a hex under way.
//
// Rule B41-10.4.
func (p *Position) sails(h int) bool {
	b := p.d.Board
	switch {
	case b.Is(h, SeaBlack):
		return true
	case b.Is(h, SeaAzov):
		return p.straits(soviet)
	}
	return (h == p.named("CC11") || h == p.named("CC12")) && p.straits(soviet)
}

// sameSea reports whether two neighbours lie on one sea.
func (p *Position) sameSea(a, c int) bool {
	b := p.d.Board
	return b.Any(a, SeaBlack|CoastBlack) && b.Any(c, SeaBlack|CoastBlack) || b.Any(a, SeaAzov|CoastAzov) && b.Any(c, SeaAzov|CoastAzov) && p.straits(soviet)
}

// evacuate takes units of one coastal hex of a sea area out of the game.
//
// Rule B41-10.5.A, B41-10.5.B, B41-10.5.C, B41-10.5.D, B41-10.5.E, B41-4.5.2.3.B, B41-9.13.B, B41-A88.
func (g *play) evacuate(c Evacuate) error {
	p := g.p
	if r := p.evacuateRefusal(c); r != nil {
		return r
	}
	h := p.d.Board.Index(c.At)
	here := p.unitsIn(h, axis)
	units, err := p.pick(c.Units, here, here, h)
	if err != nil {
		return err
	}
	g.emit("B41-10.5.B", Evacuated{c.Baltic, c.At, p.ids(units)})
	for _, u := range units {
		g.remove(u, Gone, "B41-10.5.C", "evacuated")
	}
	return nil
}

// evacuateRefusal says why units of a hex can't be evacuated.
//
// Rule B41-10.5.A, B41-10.5.B, B41-10.5.C, B41-10.5.E.
func (p *Position) evacuateRefusal(c Evacuate) *engine.Refusal {
	b := p.d.Board
	h := b.Index(c.At)
	if h == board.None {
		return engine.Refuse("B41-1.2", "b41.hex.unknown", "hex", c.At.String())
	}
	marks, sea, i := CoastBlack|CoastAzov, "black", 1
	if c.Baltic {
		marks, sea, i = CoastBaltic, "baltic", 0
	}
	switch used := p.move.evac[i]; {
	case p.consolidating():
		return engine.Refuse("B41-10.5.E", "b41.sea.consolidated")
	case p.move.land:
		return engine.Refuse("B41-10.5.B", "b41.move.landbegun", "verb", c.Verb())
	case !b.Any(h, marks):
		return engine.Refuse("B41-10.5.A", "b41.sea.evac.coast", "hex", p.name(h), "sea", sea)
	case used != board.None && used != h:
		return engine.Refuse("B41-10.5.B", "b41.sea.evac.once", "hex", p.name(used), "sea", sea)
	}
	if !slices.ContainsFunc(p.In(h), func(u int16) bool { return p.unit(int(u)).Side == axis }) {
		return engine.Refuse("B41-10.5.C", "b41.move.nobody", "hex", p.name(h))
	}
	return nil
}

// airdrop drops the 4th Airborne, before any ground movement.
//
// Rule B41-4.5.1.3.A, B41-14.39.7.A, B41-14.39.7.B, B41-14.39.7.C, B41-A42.
func (g *play) airdrop(c Airdrop) error {
	p := g.p
	if r := p.dropRefusal(c); r != nil {
		return r
	}
	u, to := p.special("4ABN"), p.d.Board.Index(c.To)
	weak := p.Steps(u) > 1
	g.emit("B41-14.39.7.B", UnitMoved{p.unit(u).ID, []hex.Coord{c.To}, "drop"})
	g.emit("B41-14.39.7.B", AirDropped{c.To})
	if weak {
		g.emit("B41-14.39.7.C", StepsSet{p.unit(u).ID, 1, "drop"})
		g.flag("B41-14.39.7.C", []int{u}, WeakDrop, 0)
	}
	if !p.alt("B41-A42") {
		g.flag("B41-A42", []int{u}, Frozen, 0)
	}
	g.arrived(to, soviet)
	if p.ended != nil {
		return nil
	}
	return orNil(p.overfull(to))
}

// dropRefusal says why the 4th Airborne can't be dropped into a hex.
//
// Rule B41-4.5.1.3.A, B41-14.39.7.A, B41-14.39.7.B.
func (p *Position) dropRefusal(c Airdrop) *engine.Refusal {
	b, u, moscow := p.d.Board, p.special("4ABN"), p.named("K5")
	to := b.Index(c.To)
	switch {
	case p.turn < 5:
		return engine.Refuse("B41-14.39.7.B", "b41.drop.early", "turn", p.turn)
	case p.move.land:
		return engine.Refuse("B41-14.39.7.B", "b41.move.landbegun", "verb", c.Verb())
	case p.has(u, Dropped):
		return engine.Refuse("B41-14.39.7.B", "b41.drop.once")
	case p.has(u, Driven):
		return engine.Refuse("B41-14.39.7.A", "b41.drop.driven")
	case !p.onMap(u) || p.At(u) != moscow:
		return engine.Refuse("B41-14.39.7.A", "b41.drop.moscow")
	case to == board.None:
		return engine.Refuse("B41-1.2", "b41.hex.unknown", "hex", c.To.String())
	case to == moscow || b.Distance(to, moscow) > 4:
		return engine.Refuse("B41-14.39.7.B", "b41.drop.far", "hex", p.name(to))
	case p.holds(axis, to) || b.Terrain(to) == Sea || b.Terrain(to) == Lake:
		return engine.Refuse("B41-14.39.7.B", "b41.drop.enemy", "hex", p.name(to))
	}
	return nil
}
