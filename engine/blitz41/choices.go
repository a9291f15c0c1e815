package blitz41

import (
	"slices"

	"pbemd/engine"
	"pbemd/engine/board"
	"pbemd/engine/hex"
)

// Choice is one legal order in short: what a client would do by a click or two.
// [Rules.Order] writes it out.
type Choice struct {
	kind choiceKind
	pool uint8 // index of poolNames, plus one; 0: none said
	unit int16 // one unit; -1: all that may
	at   int16
	to   int16
}

type choiceKind uint8

const (
	endPhase choiceKind = iota
	takeUp              // unit, at
	goTo                // to
	assaultMobile
	repeatMobile
	returnMobile
	leaveUnit // unit
	formGroup
	stopGroup
	putDown
	bySea
	dropIn
	evacuateBaltic
	evacuateBlack
	placePartisans
	holdPartisans
	attackAll // to
	attackFrom
	probeFrom
	buildUnit
	buildBox
	replaceUnit
	liftUnit
	exitUnit
	convertArmy // unit, to is the Shock Army
	disbandCorps
	reenterUnit
	msuPlace
	msuRemove
	msuHold
	consolidateCorps
	consolidateOff
	seaBaltic
	seaBlack
	seaBalticNone
	seaBlackNone
	leningradOn
	leningradOff
	feedByAir
	hedgehogMake
	hedgehogRemove
)

// Choices lists what the acting side may do next, in one order each and without
// clauses: in a Movement Phase with a stack in hand what the group may do, else
// what may be taken up; attacks of all that may, of one hex, of one unit; new
// units step by step. Not listed are what ends the game, standing orders, groups
// of some units of a hex (take them up and leave some), and orders that only
// put several others in one line. The list is legal: what forbids an order is
// asked of the rules that carry it out. It is appended to into.
func (r *Rules) Choices(pos engine.Position, into []Choice) []Choice {
	p := pos.(*Position)
	if p.ended != nil {
		return into
	}
	l := &lister{p: p, out: into}
	switch p.phase {
	case SupplyPhase:
		l.supply()
	case NewUnitsPhase:
		l.newUnits()
	case MovePhase:
		if p.move.open {
			l.inHand()
			return l.out
		}
		l.movement()
	case AssaultPhase:
		l.assaults()
	}
	l.anyTime()
	return l.out
}

// lister collects choices.
type lister struct {
	p   *Position
	out []Choice
}

func (l *lister) add(k choiceKind, unit, at, to int) {
	l.out = append(l.out, Choice{kind: k, unit: int16(unit), at: int16(at), to: int16(to)})
}

// none is the unit or the hex of a choice that has none, and all its units.
const none = -1

// anyTime: air supply and hedgehogs of the Axis in its own phases.
//
// Rule B41-5.17.C, B41-14.39.8.B, B41-14.39.8.F.
func (l *lister) anyTime() {
	p := l.p
	if p.side != axis {
		return
	}
	if p.phase == SupplyPhase {
		for _, h := range p.supply.hedgehogs {
			l.add(hedgehogRemove, none, h, none)
		}
	}
	if p.consolidating() || p.airCapacity() < 1 {
		return
	}
	hedgehogs := p.turn >= 7 && len(p.supply.hedgehogs) < 4
	for u := range p.d.Units {
		h := p.At(u)
		if h == board.None || p.unit(u).Side != axis {
			continue
		}
		if !p.has(u, AirSupplied) && p.airRefusal([]int{u}) == nil {
			l.add(feedByAir, u, h, none)
		}
		if hedgehogs && p.d.Board.Is(h, Town) && int(p.In(h)[0]) == u && p.mayHedgehog(h) == nil {
			l.add(hedgehogMake, none, h, none)
		}
	}
}

// supply: what is declared in the Supply Phases.
//
// Rule B41-4.5.1.1.A, B41-4.5.2.1.B.
func (l *lister) supply() {
	p, b := l.p, l.p.d.Board
	l.add(endPhase, none, none, none)
	if p.side == soviet {
		m := p.special("MSU")
		l.add(msuHold, none, none, none)
		if p.msuRefusal(MSU{Remove: true}) == nil {
			l.add(msuRemove, none, none, none)
		}
		if !p.has(m, Boxed) && !p.onMap(m) {
			for h := 0; h < b.Len(); h++ {
				if p.mayHoldMSU(h) && p.msuRefusal(MSU{Place: b.At(h)}) == nil {
					l.add(msuPlace, none, none, h)
				}
			}
		}
		return
	}
	if !p.supply.declared {
		l.add(consolidateOff, none, none, none)
		if p.consolidateRefusal(Consolidate{Corps: p.fiveCorps()}) == nil {
			l.add(consolidateCorps, none, none, none)
		}
	}
	for _, on := range []bool{true, false} {
		if p.leningradRefusal(LeningradSupply{on}) == nil {
			l.add(map[bool]choiceKind{true: leningradOn, false: leningradOff}[on], none, none, none)
		}
	}
	for _, sea := range []struct {
		baltic     bool
		kind, none choiceKind
		marks      board.Marks
	}{{true, seaBaltic, seaBalticNone, CoastBaltic}, {false, seaBlack, seaBlackNone, CoastBlack | CoastAzov}} {
		if p.seaRefusal(SeaSupply{Baltic: sea.baltic, None: true}) == nil {
			l.add(sea.none, none, none, none)
		}
		if *p.seaDeclared(sea.baltic) != 0 || p.consolidating() {
			continue
		}
		for h := 0; h < b.Len(); h++ {
			if b.Any(h, sea.marks) && p.Count(h) > 0 && p.seaRefusal(SeaSupply{Baltic: sea.baltic, At: b.At(h)}) == nil {
				l.add(sea.kind, none, h, none)
			}
		}
	}
}

// fiveCorps are the first panzer corps in the order of the counters that supply
// can be consolidated for.
func (p *Position) fiveCorps() []engine.UnitID {
	units := p.panzersOnMap()
	return p.ids(units[:min(5, len(units))])
}

// newUnits: one step or one unit at a time.
//
// Rule B41-4.5.1.2.B, B41-4.5.2.2.
func (l *lister) newUnits() {
	p := l.p
	l.add(endPhase, none, none, none)
	sites := p.d.index.zomo
	if p.side == soviet {
		sites = p.d.index.ports
	}
	sites = append(slices.Clip(sites), p.d.index.places...)
	if m := p.At(p.special("MSU")); p.side == soviet && m >= 0 && !slices.Contains(sites, m) {
		sites = append(sites, m)
	}
	var exits []int
	if p.side == soviet && p.transitsOpen() == nil {
		for _, h := range sites {
			if p.exit(h) {
				exits = append(exits, h)
			}
		}
	}
	for u := range p.d.Units {
		v := p.unit(u)
		if v.Side != p.side {
			continue
		}
		switch where := p.where[u]; where {
		case OnMap, Box:
			if v.Max > p.Steps(u) && v.Rebuilt && p.replaceRefusal(u, 1) == nil {
				l.replace(u)
			}
			if p.side == axis || p.new.closed {
				break
			}
			if where == OnMap && v.Class != "none" && !p.has(u, Entered) && !v.MechCorps() && p.liftRefusal(u) == nil && p.transitRefusal(u, p.Steps(u)) == nil {
				l.add(liftUnit, u, none, none)
			}
			if where == Box && !p.has(u, Boxed) && v.Class != "none" && p.transitRefusal(u, p.Steps(u)) == nil {
				for _, h := range exits {
					if p.exitRefusal(u, h) == nil && p.roomFor(u, h, p.Steps(u)) == nil {
						l.add(exitUnit, u, none, h)
					}
				}
			}
		case Waiting:
			for _, h := range p.d.index.zomo {
				if p.zomoOpen(h) && p.reenterRefusal(u, h) == nil && p.roomFor(u, h, p.Steps(u)) == nil {
					l.add(reenterUnit, u, none, h)
				}
			}
		case Later, Held, Dead:
			if v.Turn <= p.turn && p.buildRefusal(u) == nil {
				l.build(u, sites)
			}
		}
	}
	if p.side != soviet {
		return
	}
	l.partisans()
	if p.mechInPlay() {
		l.add(disbandCorps, none, none, none)
	}
	for to := range p.d.Units {
		if !p.unit(to).Shock() || p.unit(to).Turn > p.turn || p.where[to] == OnMap || p.where[to] == Box {
			continue
		}
		for from := range p.d.Units {
			if p.unit(from).NumberedArmy() && (p.onMap(from) || p.where[from] == Box) && p.convertRefusal(Convert{From: p.unit(from).ID, To: p.unit(to).ID}) == nil {
				l.add(convertArmy, from, none, to)
			}
		}
	}
}

// replace lists the pools that may pay a step for a unit in play.
func (l *lister) replace(u int) {
	for _, pool := range l.p.askable(u) {
		name := ""
		if pool > 0 {
			name = poolNames[pool-1]
		}
		if _, r := l.p.fleshRefusal(u, 1, name); r == nil {
			l.add(replaceUnit, u, none, none)
			l.out[len(l.out)-1].pool = pool
		}
	}
}

// askable lists the pools that can be asked to pay for a unit: its own without
// a word, and for German leg units the other.
//
// Rule B41-6.7.
func (p *Position) askable(u int) []uint8 {
	if v := p.unit(u); v.German() && !v.Mech() {
		return []uint8{0, 1 + uint8(slices.Index(poolNames[:], PoolMech))}
	}
	return []uint8{0}
}

// build lists where a unit may come into play with a step.
func (l *lister) build(u int, sites []int) {
	p := l.p
	v := p.unit(u)
	switch {
	case v.ID == "MSU":
		l.add(buildBox, u, none, none)
		for h := 0; h < p.d.Board.Len(); h++ {
			if p.mayHoldMSU(h) && p.msuPlace(p.d.Board.At(h)) == nil {
				l.add(buildUnit, u, none, h)
			}
		}
		return
	case v.Kind == "automatic":
		for _, h := range sites {
			if p.Owner(h) == p.side && p.mayCome(u, h, v.Max) {
				l.add(buildUnit, u, none, h)
			}
		}
		return
	}
	for _, pool := range p.askable(u) {
		name := ""
		if pool > 0 {
			name = poolNames[pool-1]
		}
		if _, r := p.stepsFor(u, 1, name); r != nil {
			continue
		}
		if p.side == soviet && p.boxRefusal(u, 1) == nil {
			l.add(buildBox, u, none, none)
		}
		for _, h := range sites {
			if p.Owner(h) == p.side && p.mayCome(u, h, 1) {
				l.add(buildUnit, u, none, h)
				l.out[len(l.out)-1].pool = pool
			}
		}
	}
}

// mayCome reports whether a unit may come into play in a hex with so many steps.
func (p *Position) mayCome(u, h, steps int) bool {
	_, r := p.entry(u, p.d.Board.At(h))
	return r == nil && p.roomFor(u, h, steps) == nil
}

// partisans: where they may be committed.
//
// Rule B41-6.21.A.
func (l *lister) partisans() {
	p := l.p
	if p.where[p.special("PART")] != Held {
		return
	}
	l.add(holdPartisans, none, none, none)
	for h := 0; h < p.d.Board.Len(); h++ {
		if p.Owner(h) == axis && p.Count(h) == 0 && !p.d.Board.Any(h, Place) && p.partRefusal(PlacePart{At: p.d.Board.At(h)}) == nil {
			l.add(placePartisans, none, none, h)
		}
	}
}

// movement: what may be taken up, and what comes before land movement.
//
// Rule B41-4.5.1.3.A, B41-12.5, B41-12.6, B41-12.8, B41-10.1, B41-10.5.B, B41-14.39.7.B.
func (l *lister) movement() {
	p, b := l.p, l.p.d.Board
	if p.unmended() == board.None {
		l.add(endPhase, none, none, none)
	}
	for u := range p.d.Units {
		h := p.At(u)
		if h == board.None || p.unit(u).Side != p.side {
			continue
		}
		if p.stands(u) == moves {
			l.add(takeUp, u, h, none)
		}
		if int(p.In(h)[0]) == u && p.Count(h) > 1 {
			if all := p.movable(h); len(all) > 1 && p.together(all) == nil {
				l.add(takeUp, none, h, none)
			}
		}
	}
	if p.move.land {
		return
	}
	if p.side == axis {
		for h := 0; h < b.Len(); h++ {
			if !b.Any(h, Coast) || p.Count(h) == 0 || !p.holds(axis, h) {
				continue
			}
			for _, baltic := range []bool{true, false} {
				if p.evacuateRefusal(Evacuate{Baltic: baltic, At: b.At(h)}) != nil {
					continue
				}
				kind := evacuateBlack
				if baltic {
					kind = evacuateBaltic
				}
				here := p.unitsIn(h, axis)
				for _, u := range here {
					l.add(kind, u, h, none)
				}
				if len(here) > 1 {
					l.add(kind, none, h, none)
				}
			}
		}
		return
	}
	if p.partLate() == nil {
		l.partisans()
	}
	if u := p.special("COAST"); p.onMap(u) && !p.move.sea {
		far := p.seaReach(p.At(u))
		for h, n := range far {
			if n > 0 && n <= 6 && b.Any(h, CoastBlack|CoastAzov) && !p.holds(axis, h) && p.seaRefused(SeaMove{To: b.At(h)}) == nil && p.landed(u, h) == nil {
				l.add(bySea, none, none, h)
			}
		}
	}
	if u := p.special("4ABN"); p.turn >= 5 && p.waitsInMoscow() {
		for h := 0; h < b.Len(); h++ {
			if b.Distance(h, p.d.index.k5) <= 4 && p.dropRefusal(Airdrop{To: b.At(h)}) == nil && p.landed(u, h) == nil {
				l.add(dropIn, none, none, h)
			}
		}
	}
}

// inHand: what the group in hand may do.
//
// Rule B41-12.1.A, B41-12.7, B41-12.8, B41-12.9.A, B41-12.22.B, B41-6.20.B.
func (l *lister) inHand() {
	p := l.p
	l.add(putDown, none, none, none)
	l.add(stopGroup, none, none, none)
	hand := p.inHand()
	if len(p.move.held) > 0 {
		l.add(returnMobile, none, none, none)
	}
	if len(hand) == 0 {
		return
	}
	if p.move.engaged && p.againRefusal(hand) == nil {
		l.add(repeatMobile, none, none, none)
		l.add(assaultMobile, none, none, p.move.target)
	}
	if p.mustNote() {
		return
	}
	if len(hand) > 1 {
		for _, u := range hand {
			l.add(leaveUnit, u, none, none)
		}
	}
	if p.former(p.movedOf(hand), "*") >= 0 && p.roomFor(p.special("OBG"), p.d.index.b10, 1) == nil {
		l.add(formGroup, none, none, none)
	}
	if p.groupRefusal(hand) != nil {
		return
	}
	// The group sets out, on a copy.
	q := p
	if begin := p.beginnings(hand); len(begin) > 0 {
		mended := p.mendedBefore(begin)
		q = p.Clone().(*Position)
		for _, f := range begin {
			f.apply(q)
		}
		if slices.ContainsFunc(mended, func(h int) bool { return !q.mendable(h, p.side) }) {
			return
		}
	}
	from := p.At(hand[0])
	w := q.setOut(hand)
	mobile := !slices.ContainsFunc(hand, func(u int) bool { return !p.unit(u).Mech() || p.mayAssault(u) != nil })
	for _, to := range p.d.Board.Neighbours(from) {
		switch {
		case to == board.None:
		case p.holds(enemyOf(p.side), to):
			if mobile && q.maSite(from, to) == nil && q.maEntry(hand, from, to) == nil && q.stackRefusal(from, p.side, nil, nil) == nil {
				l.add(assaultMobile, none, none, to)
			}
		case q.mayStep(w, to):
			l.add(goTo, none, none, to)
		}
	}
}

// mayStep reports whether a group that has set out may go into a neighbouring
// hex and end there.
//
// Rule B41-8.7, B41-9.24.C, B41-12.1.A, B41-12.1.B, B41-A91.
func (p *Position) mayStep(w *walk, to int) bool {
	b := p.d.Board
	if b.Terrain(to) == Lake || b.Terrain(to) == Sea {
		return false
	}
	for _, u := range w.units {
		if ok, _, _ := p.passable(p.side, u, w.at, to); !ok || p.bars(w, u, w.at, to) != nil {
			return false
		}
	}
	if p.heading(w, to) != nil {
		return false
	}
	var room [16]int
	goes, stays := room[:0:8], room[8:8]
	for _, u := range w.units {
		if _, ok := p.price(w, u, to); ok {
			goes = append(goes, u)
		} else {
			stays = append(stays, u)
		}
	}
	if len(goes) == 0 {
		return false
	}
	if len(stays) > 0 {
		// The escort of the MSU may go on without it, or it without them.
		less := *w
		less.units = goes
		for _, u := range goes {
			if p.bars(&less, u, w.at, to) != nil {
				return false
			}
		}
	}
	without := room[15:15]
	if part := p.d.index.part; p.side == soviet && p.At(part) == to {
		without = append(without, part)
	}
	here := p.stackRefusal(to, p.side, goes, without) == nil
	if here && (len(stays) == 0 || p.stackRefusal(w.at, p.side, nil, goes) == nil) {
		return true
	}
	return p.canGoOn(w, goes, stays, to, len(without) > 0)
}

// canGoOn reports whether a hex that is overfull after a step can still be put
// in order, by looking at the position as it would be.
//
// Rule B41-A91.
func (p *Position) canGoOn(w *walk, goes, stays []int, to int, linked bool) bool {
	q := p.Clone().(*Position)
	f := GroupMoved{Units: p.ids(goes), Path: []hex.Coord{p.d.Board.At(to)}}
	for _, u := range goes {
		c, _ := p.price(w, u, to)
		f.Left = append(f.Left, *w.mp(u)-c)
	}
	if len(stays) > 0 {
		DroppedOff{Units: p.ids(stays)}.apply(q)
	}
	f.apply(q)
	for _, u := range goes {
		q.Put(u, to)
	}
	if linked {
		q.Put(p.d.index.part, board.None)
	}
	if p.Owner(to) != p.side {
		HexTaken{p.d.Board.At(to), sideOf(p.side)}.apply(q)
	}
	ends := []int{to}
	if len(stays) > 0 {
		ends = append(ends, w.at)
	}
	for _, h := range ends {
		if q.stackRefusal(h, p.side, nil, nil) != nil && !q.mendable(h, p.side) {
			return false
		}
	}
	return true
}

// assaults: attacks on one hex and probes.
//
// Rule B41-14.1, B41-14.31.A, B41-14.38.
func (l *lister) assaults() {
	p, b := l.p, l.p.d.Board
	l.add(endPhase, none, none, none)
	enemy := enemyOf(p.side)
	for t := 0; t < b.Len(); t++ {
		held := p.Count(t) > 0 && p.holds(enemy, t)
		if held && (p.holds(p.side, t) || !p.fresh(t, enemy)) || !held && p.Owner(t) != enemy {
			continue
		}
		sides, units := 0, 0
		for _, h := range b.Neighbours(t) {
			if h == board.None || p.Count(h) == 0 || !p.holds(p.side, h) || p.attackSide(h, t) != nil {
				continue
			}
			n, german := 0, false
			first := len(l.out)
			for _, w := range p.In(h) {
				u := int(w)
				if p.unit(u).Side != p.side || p.has(u, Assaulted) || p.unit(u).Class == "none" || p.mayAttack(u, h, []int{t}) != nil {
					continue
				}
				if !held && (p.staysHome(u) || !p.walks(u, h, t)) {
					n = -1 << 10 // all together are refused
					continue
				}
				n++
				german = german || p.unit(u).German()
				if !p.unit(u).RIH() {
					kind := attackFrom
					if !held {
						kind = probeFrom
					}
					l.add(kind, u, h, t)
				}
			}
			if n > 1 && (german || len(l.out) > first) {
				kind := attackFrom
				if !held {
					kind = probeFrom
				}
				l.add(kind, none, h, t)
			}
			if n > 0 && len(l.out) > first {
				sides++
				units += n
			}
		}
		if held && sides > 1 {
			l.add(attackAll, none, none, t)
		}
	}
}

// walks reports whether nothing in the ground keeps a unit from a hex.
func (p *Position) walks(u, from, to int) bool {
	ok, _, _ := p.passable(p.side, u, from, to)
	return ok
}

// Order writes a choice out as an order of the acting side. Its text is left to
// the language of orders.
func (r *Rules) Order(pos engine.Position, c Choice) engine.Order {
	p := pos.(*Position)
	return engine.Order{Line: 1, Side: sideOf(p.side), Command: p.command(c)}
}

// command is the order of a choice as typed value.
func (p *Position) command(c Choice) engine.Command {
	b := p.d.Board
	at, to := b.At(int(c.at)), hex.Coord{}
	if c.kind != convertArmy {
		to = b.At(int(c.to))
	}
	var ids []engine.UnitID
	var id engine.UnitID
	if c.unit >= 0 {
		id = p.unit(int(c.unit)).ID
		ids = []engine.UnitID{id}
	}
	units := Units{IDs: ids}
	pool := ""
	if c.pool > 0 {
		pool = poolNames[c.pool-1]
	}
	switch c.kind {
	case takeUp:
		return Stack{At: at, Units: units}
	case goTo:
		return Go{Path: []Step{{Hex: to}}}
	case assaultMobile:
		return MobileAssault{At: to}
	case repeatMobile:
		return Repeat{}
	case returnMobile:
		return Return{}
	case leaveUnit:
		return Leave{Units: units}
	case formGroup:
		return FormOBG{}
	case stopGroup:
		return Stop{}
	case putDown:
		return EndStack{}
	case bySea:
		return SeaMove{To: to}
	case dropIn:
		return Airdrop{To: to}
	case evacuateBaltic, evacuateBlack:
		return Evacuate{Baltic: c.kind == evacuateBaltic, At: at, Units: units}
	case placePartisans:
		return PlacePart{At: to}
	case holdPartisans:
		return PlacePart{Hold: true}
	case attackAll:
		return Attack{At: []hex.Coord{to}, From: p.origins(int(c.to))}
	case attackFrom:
		return Attack{At: []hex.Coord{to}, From: []Origin{{At: at, Units: units}}}
	case probeFrom:
		return Probe{At: to, From: Origin{At: at, Units: units}}
	case buildUnit:
		steps := 1
		if p.unit(int(c.unit)).Kind == "automatic" {
			steps = 0
		}
		return Build{Unit: id, Steps: steps, At: to, Pool: pool}
	case buildBox:
		if p.unit(int(c.unit)).Kind == "automatic" {
			return Build{Unit: id}
		}
		return Build{Unit: id, Steps: 1, Pool: pool}
	case replaceUnit:
		return Replace{Unit: id, Steps: 1, Pool: pool}
	case liftUnit:
		return RVGKIn{Units: ids}
	case exitUnit:
		return RVGKOut{Units: ids, To: []hex.Coord{to}}
	case convertArmy:
		return Convert{From: id, To: p.unit(int(c.to)).ID}
	case disbandCorps:
		return DisbandMech{}
	case reenterUnit:
		return Reenter{Units: ids, At: to}
	case msuPlace:
		return MSU{Place: to}
	case msuRemove:
		return MSU{Remove: true}
	case msuHold:
		return MSU{Hold: true}
	case consolidateCorps:
		return Consolidate{Corps: p.fiveCorps()}
	case consolidateOff:
		return Consolidate{Off: true}
	case seaBaltic, seaBlack:
		return SeaSupply{Baltic: c.kind == seaBaltic, At: at}
	case seaBalticNone, seaBlackNone:
		return SeaSupply{Baltic: c.kind == seaBalticNone, None: true}
	case leningradOn, leningradOff:
		return LeningradSupply{On: c.kind == leningradOn}
	case feedByAir:
		return AirSupply{At: at, Units: units, Now: true}
	case hedgehogMake:
		return Hedgehog{At: at, Now: true}
	case hedgehogRemove:
		return Hedgehog{At: at, Remove: true}
	}
	return engine.EndPhase{}
}

// origins are the hexes around a target from which all that may attack it do.
func (p *Position) origins(t int) []Origin {
	var out []Origin
	for _, h := range p.d.Board.Neighbours(t) {
		if h == board.None || !p.holds(p.side, h) || p.attackSide(h, t) != nil {
			continue
		}
		o := Origin{At: p.d.Board.At(h)}
		for _, u := range p.unitsIn(h, p.side) {
			if p.mayAttack(u, h, []int{t}) == nil {
				o.Units.IDs = append(o.Units.IDs, p.unit(u).ID)
			}
		}
		if units := p.numbers(o.Units.IDs); len(units) > 0 && p.withGermans(h, units) == nil {
			out = append(out, o)
		}
	}
	return out
}
