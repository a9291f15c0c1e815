package blitz41

import (
	"slices"

	"pbemd/engine"
	"pbemd/engine/board"
	"pbemd/engine/hex"
	"pbemd/engine/trace"
)

// Status is how a unit is supplied at one instant. Supply is traced anew each
// time it counts: in the Supply Phase for survival, when a stack begins to move,
// and in every battle.
//
// Rule B41-5.1.A, B41-5.1.B, B41-5.4.pn.
type Status struct {
	Loss  int  // 0 to 4: MPs lost, and tens of per cent of strength
	Full  bool // full overland supply (B41-A97)
	None  bool // no line of any kind
	OOS   bool // Soviet: no line or more than four hexes between
	Air   bool // by air (5.17)
	Sea   bool // by sea (5.13, 5.18)
	Other bool // Leningrad, consolidation, Oranienbaum, 4ABN, partisans
	Line  int  // Soviet: hexes between; Axis: length; -1 without a line
	Over  int  // Axis: hexes beyond the length of full supply, not capped
	From  int  // board index of the source, board.None if by no line
}

// Percent is what supply takes from strength.
func (s Status) Percent() int { return 10 * s.Loss }

type supplyState struct {
	hedgehogs     []int // hexes, ascending
	airUsed       int   // corps supplied by air this game turn
	consolidated  bool  // 5.19 in force
	declared      bool  // something else than consolidation was declared this Axis Supply Phase
	baltic, black int   // hexes fed by sea this turn, plus one; 0: none
	leningrad     bool  // Axis-controlled when the last Axis Supply Phase began (5.21)
	leningradOff  bool  // not used, by order
	romanian      int   // Romanian steps lost so far (15.5)
	award         int   // VPs of Leningrad by the die of 15.7; 0: not rolled
}

var supplyFacts = []engine.Fact{
	SupplyTurned{}, ConsolidationDeclared{}, ConsolidationEnded{}, SeaSupplyDeclared{}, SeaSupplyEnded{}, AirSupplyDeclared{},
	HedgehogMade{}, HedgehogGone{}, LeningradHeld{}, LeningradUsed{}, RomaniansLost{}, LeningradValued{},
}

// SupplyTurned ends the air and sea supply of the game turn before.
type SupplyTurned struct{}

// ConsolidationDeclared opens supply consolidation.
type ConsolidationDeclared struct {
	Corps []engine.UnitID `json:"corps"`
}

// ConsolidationEnded closes it.
type ConsolidationEnded struct{}

// SeaSupplyDeclared feeds the units of a coastal hex by sea.
type SeaSupplyDeclared struct {
	Baltic bool            `json:"baltic,omitempty"`
	At     hex.Coord       `json:"at"`
	Units  []engine.UnitID `json:"units"`
}

// SeaSupplyEnded takes a declaration back, or ends it with its time.
type SeaSupplyEnded struct {
	Baltic bool `json:"baltic,omitempty"`
}

// AirSupplyDeclared feeds units by air until the next game turn.
type AirSupplyDeclared struct {
	At    hex.Coord       `json:"at"`
	Units []engine.UnitID `json:"units"`
	Corps int             `json:"corps"` // of capacity
}

// HedgehogMade turns a town into a hedgehog.
type HedgehogMade struct {
	At hex.Coord `json:"at"`
}

// HedgehogGone ends a hedgehog. Why is removed, captured or consolidation.
type HedgehogGone struct {
	At  hex.Coord `json:"at"`
	Why string    `json:"why"`
}

// LeningradHeld says whether Leningrad was German at the start of an Axis
// Supply Phase.
type LeningradHeld struct {
	Held bool `json:"held"`
}

// LeningradUsed turns the supply of Leningrad on or off.
type LeningradUsed struct {
	On bool `json:"on"`
}

// Kind implements [engine.Fact].
func (SupplyTurned) Kind() string { return "SupplyTurned" }

// Kind implements [engine.Fact].
func (ConsolidationDeclared) Kind() string { return "ConsolidationDeclared" }

// Kind implements [engine.Fact].
func (ConsolidationEnded) Kind() string { return "ConsolidationEnded" }

// Kind implements [engine.Fact].
func (SeaSupplyDeclared) Kind() string { return "SeaSupplyDeclared" }

// Kind implements [engine.Fact].
func (SeaSupplyEnded) Kind() string { return "SeaSupplyEnded" }

// Kind implements [engine.Fact].
func (AirSupplyDeclared) Kind() string { return "AirSupplyDeclared" }

// Kind implements [engine.Fact].
func (HedgehogMade) Kind() string { return "HedgehogMade" }

// Kind implements [engine.Fact].
func (HedgehogGone) Kind() string { return "HedgehogGone" }

// Kind implements [engine.Fact].
func (LeningradHeld) Kind() string { return "LeningradHeld" }

// Kind implements [engine.Fact].
func (LeningradUsed) Kind() string { return "LeningradUsed" }

func (f SupplyTurned) apply(p *Position) {
	p.supply.airUsed = 0
	for u := range p.flags {
		p.flags[u] &^= AirSupplied
	}
}

func (f ConsolidationDeclared) apply(p *Position) {
	p.supply.consolidated = true
	for u := range p.flags {
		p.flags[u] &^= AirSupplied | SeaSupplied | Consolidated
	}
	for _, id := range f.Corps {
		p.flags[p.d.byID[id]] |= Consolidated
	}
}

func (f ConsolidationEnded) apply(p *Position) {
	p.supply.consolidated = false
	for u := range p.flags {
		p.flags[u] &^= Consolidated
	}
}

func (f SeaSupplyDeclared) apply(p *Position) {
	p.supply.declared = true
	*p.seaDeclared(f.Baltic) = p.d.Board.Index(f.At) + 1
	for _, id := range f.Units {
		p.flags[p.d.byID[id]] |= SeaSupplied
	}
}

func (f SeaSupplyEnded) apply(p *Position) {
	*p.seaDeclared(f.Baltic) = 0
	sea := CoastBlack | CoastAzov
	if f.Baltic {
		sea = CoastBaltic
	}
	for u := range p.flags {
		if p.has(u, SeaSupplied) && (!p.onMap(u) || p.d.Board.Any(p.At(u), sea)) {
			p.flags[u] &^= SeaSupplied
		}
	}
}

func (f AirSupplyDeclared) apply(p *Position) {
	if p.side == axis && p.phase == SupplyPhase {
		p.supply.declared = true
	}
	p.supply.airUsed += f.Corps
	for _, id := range f.Units {
		p.flags[p.d.byID[id]] |= AirSupplied
	}
}

func (f HedgehogMade) apply(p *Position) {
	h := p.d.Board.Index(f.At)
	i, _ := slices.BinarySearch(p.supply.hedgehogs, h)
	p.supply.hedgehogs = slices.Insert(slices.Clone(p.supply.hedgehogs), i, h)
}

func (f HedgehogGone) apply(p *Position) {
	h := p.d.Board.Index(f.At)
	p.supply.hedgehogs = slices.DeleteFunc(slices.Clone(p.supply.hedgehogs), func(i int) bool { return i == h })
}

func (f LeningradHeld) apply(p *Position) {
	p.supply.leningrad, p.supply.leningradOff, p.supply.declared = f.Held, false, false
}

func (f LeningradUsed) apply(p *Position) {
	p.supply.declared = true
	p.supply.leningradOff = !f.On
}

// seaDeclared is the hex fed over a sea this turn, plus one.
func (p *Position) seaDeclared(baltic bool) *int {
	if baltic {
		return &p.supply.baltic
	}
	return &p.supply.black
}

// supplyCache keeps the spreads of both sides. It and what it points to are
// never changed, so that clones may share it; a position puts a new one in its
// place.
type supplyCache struct{ nets [3]*net }

// net is how far supply reaches from all the sources of a side: the lengths by
// hex, where the lines begin, and what they were found from.
type net struct {
	gen   int
	key   []uint8    // by hex: what bars, what supplies
	edge  []int16    // Soviet: way to the map edge
	dist  [2][]int16 // Axis: from Germany, and from Hungary and Romania
	start [2][]int16 // the source of the line, -1
}

// What a hex means for lines; the key of a net.
const (
	barred  uint8 = 1 << iota // no line leads through
	source                    // feeds: a Soviet place, a German ZOMO hex
	source2                   // a Hungarian or Romanian ZOMO hex
)

// network finds the net of a side, from the cache as long as nothing that
// counts has changed.
func (p *Position) network(side uint8) *net {
	var old *net
	if p.cache != nil {
		if old = p.cache.nets[side]; old != nil && old.gen == p.gen[side] {
			return old
		}
	}
	var buf [1024]uint8
	var key []uint8
	if n := p.d.Board.Len(); n <= len(buf) {
		key = buf[:n]
	} else {
		key = make([]uint8, n)
	}
	if side == soviet {
		p.sovietKey(key)
	} else {
		p.axisKey(key)
	}
	n := &net{gen: p.gen[side]}
	if old != nil && slices.Equal(old.key, key) {
		n.key, n.edge, n.dist, n.start = old.key, old.edge, old.dist, old.start
	} else {
		n.key = slices.Clone(key)
		p.spread(side, n)
	}
	c := &supplyCache{}
	if p.cache != nil {
		*c = *p.cache
	}
	c.nets[side] = n
	p.cache = c
	return n
}

// stir says that the supply of sides may have changed.
func (p *Position) stir(sides ...uint8) {
	for _, s := range sides {
		p.gen[s]++
	}
}

// Put moves a unit to a hex, or off the map. It bars the lines of the other
// side; the MSU feeds its own and bars nothing.
func (p *Position) Put(u, h int) {
	if p.At(u) == h {
		return
	}
	if p.unit(u).Class != "none" {
		p.gen[enemyOf(p.unit(u).Side)]++
	} else {
		p.gen[p.unit(u).Side]++
		if p.unit(u).Side == axis {
			p.gen[soviet]++
		}
	}
	p.Books.Put(u, h)
}

// SetOwner gives a hex to a side.
func (p *Position) SetOwner(h int, side uint8) {
	if p.Owner(h) == side {
		return
	}
	if p.d.Board.Any(h, Place|Zomo) || h == p.At(p.d.index.msu) {
		p.stir(axis, soviet)
	}
	p.Books.SetOwner(h, side)
}

// sovietKey: lines are barred by Axis units, and by ZOMO hexes under Axis
// control; sources are towns, cities and the MSU in friendly hexes.
//
// Rule B41-5.2.A, B41-5.2.D, B41-5.2.E, B41-5.2.G, B41-5.7.C, B41-5.12.A, B41-5.20.
func (p *Position) sovietKey(key []uint8) {
	for u := range p.d.Units {
		if h := p.At(u); h >= 0 && p.unit(u).Side == axis {
			key[h] |= barred
		}
	}
	for _, h := range p.d.index.zomo {
		if p.Owner(h) != soviet {
			key[h] |= barred
		}
	}
	for _, h := range p.d.index.places {
		if p.Owner(h) == soviet && !p.idle[h] {
			key[h] |= source
		}
	}
	if m := p.At(p.special("MSU")); m >= 0 && p.Owner(m) == soviet {
		key[m] |= source
	}
}

// axisKey: lines are barred by Soviet units but for the MSU, and by intact
// forts; sources are the ZOMO hexes under Axis control, the two that protrude
// only with another beside them.
//
// Rule B41-5.2.B, B41-5.7.B, B41-5.14.A, B41-5.14.B, B41-6.21.C, B41-9.22.D.
func (p *Position) axisKey(key []uint8) {
	b := p.d.Board
	for u := range p.d.Units {
		if h := p.At(u); h >= 0 && p.unit(u).Side == soviet && p.unit(u).Class != "none" {
			key[h] |= barred
		}
	}
	for _, h := range p.d.index.works {
		if _, ok := p.intact(h); ok {
			key[h] |= barred
		}
	}
	for _, h := range p.d.index.zomo {
		if p.idle[h] || !p.zomoOpen(h) {
			continue
		}
		if b.Is(h, ZomoGermany) {
			key[h] |= source
		} else {
			key[h] |= source2
		}
	}
}

// zomoOpen reports whether a ZOMO hex can be used by the Axis.
//
// Rule B41-5.14.B, B41-6.14.
func (p *Position) zomoOpen(h int) bool {
	b := p.d.Board
	if !b.Any(h, Zomo) || p.Owner(h) != axis {
		return false
	}
	if at := b.At(h); at != protrudingNW && at != protrudingS {
		return true
	}
	for _, j := range b.Neighbours(h) {
		if j != board.None && b.Any(j, Zomo) && p.Owner(j) == axis {
			return true
		}
	}
	return false
}

// spread finds the lengths of all lines of a side. A line may end where it
// could not go on: a hex is tested when it is left.
//
// Rule B41-5.1.C, B41-5.2.D, B41-5.2.F, B41-5.14.C.
func (p *Position) spread(side uint8, n *net) {
	if side == axis {
		for i, kind := range []uint8{source, source2} {
			n.dist[i], n.start[i] = p.lengths(n.key, p.d.index.zomo, kind, nil)
		}
		return
	}
	// B41-A13: the east edge only.
	edge := p.d.index.edge
	if p.alt("B41-A13") {
		edge = p.d.index.southEdge
	}
	n.edge, _ = p.lengths(n.key, edge, 0, nil)
	from := p.d.index.places
	if m := p.At(p.d.index.msu); m >= 0 && n.key[m]&source != 0 {
		from = append(slices.Clip(from), m)
	}
	n.dist[0], n.start[0] = p.lengths(n.key, from, source, n.edge)
}

// lengths spreads from the hexes that are of a kind, reach another net and are
// not barred. Among sources equally near a line has the one it reaches by way
// of the first hexes in board order.
func (p *Position) lengths(key []uint8, from []int, kind uint8, other []int16) (dist, start []int16) {
	size := len(key)
	both := slices.Clone(p.d.index.blank)
	dist, start = both[:size:size], both[size:2*size]
	var room [2048]int16
	queue, parent := room[:0:1024], room[1024:]
	if size > 1024 {
		queue, parent = make([]int16, 0, size), make([]int16, size)
	}
	for _, h := range from {
		if k := key[h]; k&barred == 0 && k&kind == kind && (other == nil || other[h] != trace.Far) && dist[h] != 0 {
			dist[h], parent[h] = 0, int16(h)
			queue = append(queue, int16(h))
		}
	}
	for i := 0; i < len(queue); i++ {
		h := queue[i]
		next := dist[h] + 1
		if next == 1 {
			start[h] = h
		} else {
			start[h] = start[parent[h]]
		}
		if key[h]&barred != 0 {
			continue
		}
		for _, j := range &p.d.index.around[h] {
			switch {
			case j < 0:
			case dist[j] > next:
				dist[j], parent[j] = next, h
				queue = append(queue, j)
			case dist[j] == next && h < parent[j]:
				parent[j] = h
			}
		}
	}
	return dist, start
}

// operating reports whether a Soviet source works now.
//
// Rule B41-5.2.D, B41-5.2.E.
func (p *Position) operating(h int) bool { return p.network(soviet).dist[0][h] == 0 }

// operatingSources lists the Soviet sources that work now.
func (p *Position) operatingSources() []int {
	var out []int
	for h, d := range p.network(soviet).dist[0] {
		if d == 0 {
			out = append(out, h)
		}
	}
	return out
}

// reachesEdge reports whether a hex has a Soviet way to the edge of the map.
func (p *Position) reachesEdge(h int) bool {
	if c := p.cache; c != nil && c.nets[soviet] != nil && c.nets[soviet].gen != p.gen[soviet] && p.stillReaches(c.nets[soviet], h) {
		return true
	}
	n := p.network(soviet)
	return n.edge[h] != trace.Far && n.key[h]&barred == 0
}

// stillReaches reports whether a way to the edge that was there once is there
// still. If it isn't, there may be another.
func (p *Position) stillReaches(old *net, h int) bool {
	if old.edge[h] == trace.Far {
		return false
	}
	for {
		for _, u := range p.In(h) {
			if p.unit(int(u)).Side == axis {
				return false
			}
		}
		if p.Owner(h) != soviet && p.d.Board.Any(h, Zomo) {
			return false
		}
		if old.edge[h] == 0 {
			return true
		}
		next := -1
		for d, j := range p.d.Board.Neighbours(h) {
			if j != board.None && old.edge[j] == old.edge[h]-1 && p.d.index.around[j][hex.Direction(d).Opposite()] == int16(h) {
				next = j
				break
			}
		}
		if next < 0 {
			return false
		}
		h = next
	}
}

// overland traces a line to a hex and says how long it is.
//
// Rule B41-5.3.A, B41-5.4, B41-5.4.ex, B41-5.5.C, B41-5.9, B41-5.15.A, B41-5.15.B, B41-5.15.C, B41-5.15.D, B41-5.15.D.ex, B41-5.15.E, B41-4.5.1.3.D.
func (p *Position) overland(side uint8, h int) Status {
	n := p.network(side)
	none := Status{Loss: 4, None: true, OOS: side == soviet, Line: -1, From: board.None}
	if side == soviet {
		d := int(n.dist[0][h])
		if d == trace.Far {
			return none
		}
		between := max(0, d-1)
		return Status{Loss: min(4, between), Full: between == 0, OOS: between > 4, Line: between, Over: between, From: int(n.start[0][h])}
	}
	best, over := -1, 0
	for i := range n.dist {
		if d := int(n.dist[i][h]); d != trace.Far {
			if o := max(0, d-p.d.Turns[p.turn].Length[i]); best < 0 || o < over {
				best, over = i, o
			}
		}
	}
	if best < 0 {
		return none
	}
	return Status{Loss: min(4, over), Full: over == 0, Line: int(n.dist[best][h]), Over: over, From: int(n.start[best][h])}
}

// lineBack is the hex before h on its line, the first in board order.
func (p *Position) lineBack(n *net, kind, h int) int {
	best := board.None
	for d, j := range p.d.Board.Neighbours(h) {
		if j == board.None || n.dist[kind][j] != n.dist[kind][h]-1 || n.key[j]&barred != 0 {
			continue
		}
		if p.d.lineCrosses(j, h, hex.Direction(d).Opposite()) && (best == board.None || j < best) {
			best = j
		}
	}
	return best
}

// supplyLine is the line of a hex for a side, from the hex to the source, both
// counted in; nil without one.
func (p *Position) supplyLine(side uint8, h int) []int {
	s := p.overland(side, h)
	if s.None {
		return nil
	}
	n, kind := p.network(side), 0
	if side == axis && int(n.dist[0][h]) != s.Line {
		kind = 1
	} else if side == axis && int(n.dist[1][h]) == s.Line && p.d.Board.Any(s.From, ZomoHungary|ZomoRomania) {
		kind = 1
	}
	way := []int{h}
	for n.dist[kind][h] > 0 {
		h = p.lineBack(n, kind, h)
		way = append(way, h)
	}
	return way
}

// status is the supply of a unit where it stands, traced now. In the Box it is
// full.
//
// Rule B41-5.3.D.
func (p *Position) status(u int) Status {
	switch {
	case p.onMap(u):
		return p.statusAt(u, p.At(u))
	case p.where[u] == Box:
		return Status{Full: true, From: board.None}
	}
	return Status{Loss: 4, None: true, OOS: p.unit(u).Side == soviet, Line: -1, From: board.None}
}

// statusAt is the supply a unit would have in a hex.
//
// Rule B41-5.2.A, B41-5.10.F, B41-5.16.D.
func (p *Position) statusAt(u, h int) Status {
	if p.unit(u).Side == soviet {
		return p.sovietStatus(u, h)
	}
	return p.axisStatus(u, h)
}

// free is a status that costs nothing, by other means than a line.
func free(s Status) Status {
	s.Loss, s.None, s.OOS = 0, false, false
	return s
}

// sovietStatus: four units live by rules of their own.
func (p *Position) sovietStatus(u, h int) Status {
	switch v := p.unit(u); v.ID {
	case "PART":
		// Rule B41-6.21.B.
		return Status{Other: true, Line: -1, From: board.None}
	case "COAST":
		// Rule B41-5.13.A, B41-5.13.D.
		if port := p.seaSource(h); port != board.None {
			return Status{Sea: true, Line: -1, From: port}
		}
		return Status{Loss: 4, None: true, OOS: true, Line: -1, From: board.None}
	case "OBG":
		// Rule B41-6.20.B.
		if s := p.overland(soviet, h); s.Full || h != p.d.Board.Index(oranienbaumHex) || p.Owner(p.d.Board.Index(leningradHex)) != soviet {
			return s
		}
		return Status{Other: true, Line: -1, From: board.None}
	case "4ABN":
		// Rule B41-14.39.7.E.
		s := p.overland(soviet, h)
		if moscow := p.d.Board.Index(moscowHex); !s.Full && p.has(u, Dropped) && p.d.Board.Distance(h, moscow) <= 4 &&
			p.Owner(moscow) == soviet && !p.overland(soviet, moscow).OOS {
			s = free(s)
			s.Other = true
		}
		return s
	}
	return p.overland(soviet, h)
}

// seaSource is a port that feeds the Coastal Army in a hex, board.None if none
// does.
//
// Rule B41-5.13.A, B41-5.13.B, B41-5.13.C, B41-10.4.
func (p *Position) seaSource(h int) int {
	b := p.d.Board
	if !b.Any(h, CoastBlack) && !(b.Any(h, CoastAzov) && p.straits(soviet)) {
		return board.None
	}
	for _, s := range p.d.Sites {
		if b.Is(s.Hex, Port) && p.Owner(s.Hex) == soviet && !p.everAxis[s.Hex] {
			return s.Hex
		}
	}
	return board.None
}

// straits reports whether a side controls the Straits of Kerch (B41-A112).
//
// Rule B41-10.4, B41-5.13.C, B41-5.18.B.
func (p *Position) straits(side uint8) bool {
	return p.Owner(p.d.Board.Index(kerchEast)) == side && p.Owner(p.d.Board.Index(kerchWest)) == side
}

// Hexes that the rules name again and again.
var (
	leningradHex   = hex.MustParse("B9")
	oranienbaumHex = hex.MustParse("B10")
	moscowHex      = hex.MustParse("K5")
	kerchEast      = hex.MustParse("CC11")
	kerchWest      = hex.MustParse("CC12")
	protrudingNW   = hex.MustParse("H19")
	protrudingS    = hex.MustParse("O21")
)

// axisStatus: what has no line at all goes on at the most that can be lost.
//
// Rule B41-5.16.A, B41-5.16.B.
func (p *Position) axisStatus(u, h int) Status {
	s := p.overland(axis, h)
	switch {
	case p.has(u, AirSupplied):
		// Rule B41-5.17.A, B41-5.17.D.
		s = free(s)
		s.Air = true
	case p.has(u, SeaSupplied) && p.d.Board.Any(h, Coast):
		// Rule B41-5.18.A, B41-5.18.C.
		s = free(s)
		s.Sea = true
	case h == p.d.Board.Index(leningradHex) && p.unit(u).German() && p.leningradSupply() && !s.Full:
		// Rule B41-5.2.C, B41-5.21.
		s = free(s)
		s.Other = true
	case p.has(u, Consolidated) && !s.None && s.Loss > 0:
		// Rule B41-5.19.B.
		s = free(s)
		s.Other = true
	}
	return s
}

// leningradSupply reports whether German units in Leningrad are fed there.
// Supply by the Baltic in the same turn rules it out (B41-A123).
//
// Rule B41-5.21.
func (p *Position) leningradSupply() bool {
	return p.supply.leningrad && !p.supply.leningradOff && p.supply.baltic == 0 && !p.supply.consolidated && p.Owner(p.d.Board.Index(leningradHex)) == axis
}

// leningradInUse reports whether there are Germans in Leningrad who live on it.
func (p *Position) leningradInUse() bool {
	if !p.leningradSupply() {
		return false
	}
	for _, u := range p.unitsIn(p.d.Board.Index(leningradHex), axis) {
		if p.unit(u).German() {
			return true
		}
	}
	return false
}

// fullHex reports whether a hex is controlled by a side and in full overland
// supply (B41-A47, B41-A97).
func (p *Position) fullHex(side uint8, h int) bool {
	return p.Owner(h) == side && p.overland(side, h).Full
}

// airEligible reports whether a hex can be supplied by air (B41-A44).
//
// Rule B41-5.17.B.
func (p *Position) airEligible(h int) bool {
	for _, j := range p.d.index.near[h] {
		if p.d.Board.Is(int(j), NorthAir) || p.fullHex(axis, int(j)) {
			return true
		}
	}
	return false
}

// airCapacity is how many corps can still be supplied by air this game turn.
//
// Rule B41-5.17.B, B41-14.39.8.D, B41-2.11.
func (p *Position) airCapacity() int {
	return max(0, 4-p.supply.airUsed-len(p.supply.hedgehogs))
}

// airCost is what a unit takes of the air supply.
//
// Rule B41-5.17.B.
func (p *Position) airCost(u int) int {
	if p.unit(u).Nation == "romanian" {
		return 2
	}
	return 1
}

// consolidating reports whether supply consolidation is in force.
//
// Rule B41-5.19.A.
func (p *Position) consolidating() bool { return p.supply.consolidated }

// airSupply feeds units by air, wherever in the turn.
//
// Rule B41-5.17.A, B41-5.17.B, B41-5.17.C, B41-5.17.E, B41-5.19.C, B41-4.5.1.4.D.
func (g *play) airSupply(units []int) error {
	p := g.p
	if r := p.airRefusal(units); r != nil {
		return r
	}
	var at []int
	for _, u := range units {
		if !slices.Contains(at, p.At(u)) {
			at = append(at, p.At(u))
		}
	}
	for _, h := range at {
		var here []int
		corps := 0
		for _, u := range units {
			if p.At(u) == h {
				here = append(here, u)
				corps += p.airCost(u)
			}
		}
		g.emit("B41-5.17.C", AirSupplyDeclared{p.d.Board.At(h), p.ids(here), corps})
	}
	return nil
}

// airRefusal says why units can't be fed by air.
//
// Rule B41-5.17.B, B41-5.17.C, B41-5.17.E, B41-5.19.C.
func (p *Position) airRefusal(units []int) *engine.Refusal {
	if p.consolidating() {
		return engine.Refuse("B41-5.19.C", "b41.supply.consolidated.air").Hint("b41.supply.hint.consolidated")
	}
	need := 0
	for _, u := range units {
		id := string(p.unit(u).ID)
		switch {
		case p.unit(u).Side != axis:
			return engine.Refuse("B41-5.17.E", "b41.supply.air.axisonly", "unit", id)
		case !p.onMap(u):
			return engine.Refuse("B41-5.17.B", "b41.supply.air.offmap", "unit", id)
		case p.has(u, AirSupplied):
			return engine.Refuse("B41-5.17.C", "b41.supply.air.twice", "unit", id)
		case !p.airEligible(p.At(u)):
			return engine.Refuse("B41-5.17.B", "b41.supply.air.far", "unit", id, "hex", p.name(p.At(u))).Hint("b41.supply.hint.air")
		}
		need += p.airCost(u)
	}
	if left := p.airCapacity(); need > left {
		return engine.Refuse("B41-5.17.B", "b41.supply.air.capacity", "need", need, "left", left, "hedgehogs", len(p.supply.hedgehogs))
	}
	return nil
}

// name is the name of a hex.
func (p *Position) name(h int) string { return p.d.Board.At(h).String() }

// turnSupply ends what lasts for a game turn.
//
// Rule B41-5.17.C, B41-5.16.C.
func (g *play) turnSupply() {
	g.emit("B41-5.17.C", SupplyTurned{})
	// B41-A43: sea supply ends with the game turn.
	if !g.p.alt("B41-A43") {
		g.endSeaSupply()
	}
}

func (g *play) endSeaSupply() {
	for _, baltic := range []bool{true, false} {
		if *g.p.seaDeclared(baltic) != 0 {
			g.emit("B41-5.18.A", SeaSupplyEnded{baltic})
		}
	}
	var left []int
	for u := range g.p.d.Units {
		if g.p.has(u, SeaSupplied) {
			left = append(left, u)
		}
	}
	g.flag("B41-5.18.A", left, 0, SeaSupplied)
}

// openSources makes what was captured since the last check a source for its
// owner (B41-A71).
//
// Rule B41-5.20.
func (g *play) openSources(side uint8) {
	var at []hex.Coord
	for h, idle := range g.p.idle {
		if idle && g.p.Owner(h) == side {
			at = append(at, g.p.d.Board.At(h))
		}
	}
	if len(at) > 0 {
		g.emit("B41-5.20", SourceOpened{at})
	}
}

// enterSovietSupply begins the Soviet player-turn.
//
// Rule B41-4.3.A.1, B41-4.5.1.1.A, B41-5.20.
func (g *play) enterSovietSupply() {
	g.beginSovietTurn()
	g.openSources(soviet)
}

// noSovietSupplyOrders is true unless the MSU can be placed or removed: from
// the turn after its arrival.
//
// Rule B41-4.5.1.1.A.
func (p *Position) noSovietSupplyOrders() bool {
	m := p.special("MSU")
	return p.where[m] != Box && !p.onMap(m)
}

// leaveSovietSupply checks the Soviet units.
//
// Rule B41-4.5.1.1.A, B41-4.5.1.1.B, B41-4.5.1.1.C, B41-5.3.A, B41-5.3.B.
func (g *play) leaveSovietSupply() error {
	g.survival(soviet, func(s Status) bool { return s.OOS })
	return nil
}

// enterAxisSupply begins the Axis player-turn.
//
// Rule B41-4.3.B.1, B41-5.19.A, B41-5.20, B41-5.21.
func (g *play) enterAxisSupply() {
	if g.p.consolidating() {
		g.emit("B41-5.19.A", ConsolidationEnded{})
	}
	g.endSeaSupply()
	g.openSources(axis)
	g.emit("B41-5.21", LeningradHeld{g.p.Owner(g.p.d.Board.Index(leningradHex)) == axis})
}

// leaveAxisSupply checks the Axis units: only what has no line of any length
// and nothing else to live on is in danger (B41-A14).
//
// Rule B41-4.5.2.1.A, B41-5.16.D, B41-5.19.D.
func (g *play) leaveAxisSupply() error {
	g.survival(axis, func(s Status) bool { return s.None })
	return nil
}

// survival is the check of a Supply Phase: one snapshot; who was marked and is
// still out dies; then control of what they leave; then the markers (B41-A126).
//
// Rule B41-5.2.A, B41-5.3.A, B41-5.3.B, B41-5.5.A, B41-5.5.pn, B41-5.5.pn2, B41-4.5.1.1.C, B41-12.2.A.
func (g *play) survival(side uint8, out func(Status) bool) {
	p := g.p
	var dead, mark, unmark, left []int
	for u := range p.d.Units {
		if p.unit(u).Side != side || !p.onMap(u) || p.unit(u).Class == "none" {
			continue
		}
		isOut, marked := out(p.status(u)), p.has(u, OOS)
		switch {
		case isOut && marked:
			dead = append(dead, u)
			if !slices.Contains(left, p.At(u)) {
				left = append(left, p.At(u))
			}
		case isOut:
			mark = append(mark, u)
		case marked:
			unmark = append(unmark, u)
		}
	}
	for _, u := range dead {
		g.eliminate(u, "B41-5.3.B", "supply", true)
	}
	g.vacated(side, left)
	g.flag("B41-5.5.pn2", unmark, 0, OOS)
	g.flag("B41-5.3.B", mark, OOS, 0)
}

// vacated gives the hexes that the dead leave behind, in groups, to the other
// side where it holds everything around (B41-A70).
//
// Rule B41-3.0.F.
func (g *play) vacated(side uint8, hexes []int) {
	p, b := g.p, g.p.d.Board
	empty := func(h int) bool {
		return slices.Contains(hexes, h) && !p.holds(side, h) && p.Owner(h) == side
	}
	var done []int
	for _, h := range hexes {
		if !empty(h) || slices.Contains(done, h) {
			continue
		}
		group, around := []int{h}, true
		for i := 0; i < len(group); i++ {
			for d, j := range b.Neighbours(group[i]) {
				if j == board.None || slices.Contains(group, j) || b.Side(group[i], hex.Direction(d))&(AllSea|KerchSide) == AllSea || p.Owner(j) == nobody {
					continue
				}
				if empty(j) {
					group = append(group, j)
				} else if p.Owner(j) == side {
					around = false
				}
			}
		}
		done = append(done, group...)
		if !around {
			continue
		}
		slices.Sort(group)
		for _, j := range group {
			g.take(j, enemyOf(side), "B41-3.0.F")
		}
	}
}

// doSupply takes the orders of the Supply Phases.
func (g *play) doSupply(o engine.Order) (bool, error) {
	switch c := o.Command.(type) {
	case Consolidate:
		return true, g.onlyAxis(o, func() error { return g.consolidate(c) })
	case SeaSupply:
		return true, g.onlyAxis(o, func() error { return g.seaSupply(c) })
	case LeningradSupply:
		return true, g.onlyAxis(o, func() error { return g.useLeningrad(c) })
	case MSU:
		if g.p.side != soviet {
			return false, nil
		}
		return true, g.moveMSU(c)
	}
	return false, nil
}

// onlyAxis lets an order of the Axis Supply Phase through.
func (g *play) onlyAxis(o engine.Order, do func() error) error {
	if g.p.side != axis {
		return wrongPhase(g.p, o)
	}
	return do()
}

// consolidate declares supply consolidation, or takes it back at once
// (B41-A86).
//
// Rule B41-5.19.A, B41-5.19.B, B41-5.19.C, B41-5.19.E, B41-4.5.2.1.B.
func (g *play) consolidate(c Consolidate) error {
	p := g.p
	if r := p.consolidateRefusal(c); r != nil {
		return r
	}
	if c.Off {
		if p.consolidating() {
			g.emit("B41-5.19.A", ConsolidationEnded{})
		}
		return nil
	}
	for _, h := range slices.Clone(p.supply.hedgehogs) {
		g.emit("B41-5.19.C", HedgehogGone{p.d.Board.At(h), "consolidation"})
	}
	g.emit("B41-5.19.B", ConsolidationDeclared{c.Corps})
	return nil
}

// panzersOnMap lists the panzer corps that supply can be consolidated for.
//
// Rule B41-5.19.B.
func (p *Position) panzersOnMap() []int {
	var out []int
	for u := range p.d.Units {
		if p.unit(u).Panzer() && p.onMap(u) {
			out = append(out, u)
		}
	}
	return out
}

// consolidateRefusal says why supply can't be consolidated, or no longer not.
//
// Rule B41-5.19.A, B41-5.19.B.
func (p *Position) consolidateRefusal(c Consolidate) *engine.Refusal {
	if p.supply.declared {
		return engine.Refuse("B41-5.19.A", "b41.supply.consolidate.late").Hint("b41.supply.hint.first")
	}
	if c.Off {
		return nil
	}
	panzers := p.panzersOnMap()
	want := min(5, len(panzers))
	refuse := func(key string, args ...any) *engine.Refusal {
		return engine.Refuse("B41-5.19.B", key, args...).Hint("b41.supply.hint.panzers", "units", p.idWords(panzers), "n", len(panzers))
	}
	for i, id := range c.Corps {
		u := p.d.Unit(id)
		switch {
		case !p.unit(u).Panzer():
			return refuse("b41.supply.consolidate.panzer", "unit", string(id))
		case !p.onMap(u):
			return refuse("b41.supply.consolidate.offmap", "unit", string(id))
		case slices.Contains(c.Corps[:i], id):
			return refuse("b41.supply.consolidate.twice", "unit", string(id))
		}
	}
	if len(c.Corps) != want {
		return refuse("b41.supply.consolidate.count", "named", len(c.Corps), "want", want)
	}
	return nil
}

// seaSupply declares the stack that is fed over a sea.
//
// Rule B41-5.18.A, B41-5.18.B, B41-5.19.C, B41-5.21, B41-4.5.2.1.B, B41-5.6.A, B41-5.6.C.
func (g *play) seaSupply(c SeaSupply) error {
	p := g.p
	if r := p.seaRefusal(c); r != nil {
		return r
	}
	if c.None {
		if *p.seaDeclared(c.Baltic) != 0 {
			g.emit("B41-5.18.A", SeaSupplyEnded{c.Baltic})
		}
		return nil
	}
	g.emit("B41-5.18.A", SeaSupplyDeclared{c.Baltic, c.At, p.ids(p.unitsIn(p.d.Board.Index(c.At), axis))})
	return nil
}

// seaRefusal says why a stack can't be fed over a sea.
//
// Rule B41-5.18.A, B41-5.18.B, B41-5.19.C, B41-5.21.
func (p *Position) seaRefusal(c SeaSupply) *engine.Refusal {
	sea := "black"
	if c.Baltic {
		sea = "baltic"
	}
	if p.consolidating() {
		return engine.Refuse("B41-5.19.C", "b41.supply.consolidated.sea").Hint("b41.supply.hint.consolidated")
	}
	if c.None {
		return nil
	}
	h := p.d.Board.Index(c.At)
	if h == board.None {
		return engine.Refuse("B41-5.18.A", "b41.hex.unknown", "hex", c.At.String())
	}
	if before := *p.seaDeclared(c.Baltic); before != 0 {
		return engine.Refuse("B41-5.18.A", "b41.supply.sea.taken", "sea", sea, "hex", p.name(before-1)).Hint("b41.supply.hint.sea.none", "sea", sea)
	}
	marks := CoastBlack | CoastAzov
	if c.Baltic {
		marks = CoastBaltic
	}
	switch {
	case !p.d.Board.Any(h, marks):
		return engine.Refuse("B41-5.18.A", "b41.supply.sea.coast", "hex", c.At.String(), "sea", sea)
	case !c.Baltic && !p.d.Board.Is(h, CoastBlack) && !p.straits(axis):
		return engine.Refuse("B41-5.18.B", "b41.supply.sea.kerch", "hex", c.At.String())
	case c.Baltic && p.leningradInUse():
		return engine.Refuse("B41-5.21", "b41.supply.sea.leningrad").Hint("b41.supply.hint.leningrad")
	}
	if len(p.unitsIn(h, axis)) == 0 {
		return engine.Refuse("B41-5.18.A", "b41.supply.sea.empty", "hex", c.At.String())
	}
	return nil
}

// useLeningrad turns the supply of 5.21 on or off for this turn.
//
// Rule B41-5.21.
func (g *play) useLeningrad(c LeningradSupply) error {
	if r := g.p.leningradRefusal(c); r != nil {
		return r
	}
	g.emit("B41-5.21", LeningradUsed(c))
	return nil
}

// leningradRefusal says why the supply of Leningrad can't be used.
//
// Rule B41-5.21, B41-5.19.C.
func (p *Position) leningradRefusal(c LeningradSupply) *engine.Refusal {
	switch {
	case !c.On:
	case p.consolidating():
		return engine.Refuse("B41-5.19.C", "b41.supply.consolidated.leningrad").Hint("b41.supply.hint.consolidated")
	case !p.supply.leningrad || p.Owner(p.d.Board.Index(leningradHex)) != axis:
		return engine.Refuse("B41-5.21", "b41.supply.leningrad.held")
	case p.supply.baltic != 0:
		return engine.Refuse("B41-5.21", "b41.supply.leningrad.baltic").Hint("b41.supply.hint.sea.none", "sea", "baltic")
	}
	return nil
}
