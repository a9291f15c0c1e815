package blitz41

import (
	"slices"

	"pbemd/engine"
	"pbemd/engine/board"
	"pbemd/engine/hex"
)

// linkUp ends the Partisans when a Soviet combat unit other than 4ABN comes to
// them, and credits their steps.
//
// Rule B41-6.21.E.
func (g *play) linkUp(h int) {
	p := g.p
	part := p.special("PART")
	if p.At(part) != h {
		return
	}
	for _, u := range p.unitsIn(h, soviet) {
		if !p.linksUp(u) {
			continue
		}
		steps := p.Steps(part)
		g.remove(part, Gone, "B41-6.21.E", "linkup")
		g.emit("B41-6.21.E", StepsCredited{PoolSoviet, steps, "linkup"})
		return
	}
}

// linksUp reports whether the Partisans end when a unit comes to them.
//
// Rule B41-6.21.E.
func (p *Position) linksUp(u int) bool {
	return p.unit(u).Side == soviet && p.unit(u).Class != "none" && u != p.d.index.part && u != p.d.index.abn
}

// mayHoldMSU reports whether the MSU can be put into a hex: Soviet-controlled
// land without Axis units from which it can trace to the edge at once.
//
// Rule B41-5.12.C, B41-5.12.F, B41-5.12.J.
func (p *Position) mayHoldMSU(h int) bool {
	t := p.d.Board.Terrain(h)
	return t != Sea && t != Lake && p.Owner(h) == soviet && !p.holds(axis, h) && p.reachesEdge(h)
}

// displaceMSU moves the MSU out of the way when an Axis unit has come to it
// alone or when it is cut off from the edge: along its row to the east, else to
// the nearest hex; into the Box if there is none (B41-A37, B41-A38). Its owner
// may steer between hexes as far away.
//
// Rule B41-5.12.C, B41-5.12.D.
func (g *play) displaceMSU() {
	p := g.p
	m := p.special("MSU")
	if !p.onMap(m) {
		return
	}
	h := p.At(m)
	alone := !p.holds(soviet, h)
	if !(alone && p.holds(axis, h)) && p.Owner(h) == soviet && p.reachesEdge(h) {
		return
	}
	ends := p.msuRefuges(h)
	if len(ends) == 0 {
		g.remove(m, Box, "B41-5.12.D", "msu")
		return
	}
	q := engine.Question{Decision: "D08", Side: Soviet, Rule: "B41-5.12.C", Text: engine.T("b41.question.msu", "hex", p.name(h))}
	for _, e := range ends {
		q.Options = append(q.Options, engine.Option{Clause: "TOWARD " + p.name(e), Text: engine.T("b41.option.msu", "hex", p.name(e))})
	}
	to := ends[g.x.Ask(q, func(x *engine.Exec) (int, string, string) { return p.msuWish(x, ends) })]
	g.emit("B41-5.12.C", UnitMoved{"MSU", []hex.Coord{p.d.Board.At(to)}, "displaced"})
}

// msuRefuges lists where a displaced MSU can go, the default first: due east,
// else the nearest, the more northern first; then the other hexes to the east no
// further away, in board order.
//
// Rule B41-5.12.C.
func (p *Position) msuRefuges(h int) []int {
	b := p.d.Board
	first := board.None
	for j := b.Next(h, hex.E); j != board.None; j = b.Next(j, hex.E) {
		if p.mayHoldMSU(j) {
			first = j
			break
		}
	}
	if first == board.None {
		for j := 0; j < b.Len(); j++ {
			if j != h && p.mayHoldMSU(j) && (first == board.None || b.Distance(h, j) < b.Distance(h, first)) {
				first = j
			}
		}
	}
	if first == board.None {
		return nil
	}
	east := func(j int) bool {
		x, _ := b.Grid.Centre(b.At(h))
		to, _ := b.Grid.Centre(b.At(j))
		return to > x
	}
	ends, far := []int{first}, b.Distance(h, first)
	for j := 0; j < b.Len(); j++ {
		if j != h && j != first && b.Distance(h, j) <= far && (east(j) || !east(first)) && p.mayHoldMSU(j) {
			ends = append(ends, j)
		}
	}
	return ends
}

// msuWish is what the standing orders want of a displaced MSU: the latest line
// counts.
func (p *Position) msuWish(x *engine.Exec, ends []int) (int, string, string) {
	lines := x.Lines(Soviet)
	for i := len(lines) - 1; i >= 0; i-- {
		s, ok := lines[i].Command.(Standing)
		if !ok || s.Policy.MSU == "" || s.From > p.turn || (s.Until > 0 && s.Until < p.turn) {
			continue
		}
		best := 0
		if t := p.d.Board.Index(s.Policy.MSUToward); s.Policy.MSU == "TOWARD" && t != board.None {
			for k, e := range ends {
				if p.d.Board.Distance(e, t) < p.d.Board.Distance(ends[best], t) {
					best = k
				}
			}
		}
		return best, "standing", s.Text
	}
	return 0, "", ""
}

// moveMSU places or removes the MSU as the first act of the Supply Phase
// (B41-A36).
//
// Rule B41-4.5.1.1.A, B41-5.12.D, B41-5.12.E, B41-5.12.K, B41-5.2.E.
func (g *play) moveMSU(c MSU) error {
	p := g.p
	m := p.special("MSU")
	if r := p.msuRefusal(c); r != nil || c.Hold {
		return orNil(r)
	}
	if err := g.transit(m); err != nil {
		return err
	}
	if c.Remove {
		g.remove(m, Box, "B41-5.12.E", "rvgk")
		g.flag("B41-7.3", []int{m}, Boxed, 0)
		return nil
	}
	g.emit("B41-5.12.F", UnitPlaced{"MSU", c.Place, 1, "msu"})
	g.flag("B41-7.3", []int{m}, Entered, 0)
	return nil
}

// orNil makes an error of a refusal, none of none.
func orNil(r *engine.Refusal) error {
	if r == nil {
		return nil
	}
	return r
}

// msuRefusal says why the MSU can't be placed or removed in a Supply Phase.
//
// Rule B41-4.5.1.1.A, B41-5.12.E, B41-7.2.B.
func (p *Position) msuRefusal(c MSU) *engine.Refusal {
	m := p.special("MSU")
	switch {
	case c.Hold:
		return nil
	case c.Remove:
		switch {
		case p.has(m, Entered):
			return engine.Refuse("B41-4.5.1.1.A", "b41.msu.once")
		case !p.onMap(m):
			return engine.Refuse("B41-5.12.E", "b41.msu.offmap")
		case !p.operating(p.At(m)):
			return engine.Refuse("B41-5.12.E", "b41.msu.cut", "hex", p.name(p.At(m)))
		}
		return p.transitRefusal(m, p.Steps(m))
	case p.has(m, Boxed):
		return engine.Refuse("B41-4.5.1.1.A", "b41.msu.once")
	case p.onMap(m):
		return engine.Refuse("B41-5.12.E", "b41.msu.onmap", "hex", p.name(p.At(m)))
	}
	if r := p.transitRefusal(m, p.Steps(m)); r != nil {
		return r
	}
	return p.msuPlace(c.Place)
}

// putMSU puts the MSU on the map.
//
// Rule B41-5.12.F, B41-5.12.K.
func (g *play) putMSU(at hex.Coord) error {
	if r := g.p.msuPlace(at); r != nil {
		return r
	}
	g.emit("B41-5.12.F", UnitPlaced{"MSU", at, 1, "msu"})
	return nil
}

// msuPlace says why the MSU can't be put into a hex.
//
// Rule B41-5.12.F, B41-5.12.K.
func (p *Position) msuPlace(at hex.Coord) *engine.Refusal {
	h := p.d.Board.Index(at)
	if h == board.None {
		return engine.Refuse("B41-5.12.F", "b41.hex.unknown", "hex", at.String())
	}
	if !p.mayHoldMSU(h) {
		return engine.Refuse("B41-5.12.F", "b41.msu.place", "hex", at.String()).Hint("b41.msu.hint.place")
	}
	// B41-A36, the other reading.
	if p.alt("B41-A36") && p.phase == SupplyPhase && !(p.d.Board.Any(h, Place) && p.fullHex(soviet, h)) {
		return engine.Refuse("B41-A36", "b41.msu.place.town", "hex", at.String())
	}
	return nil
}

// portsLost removes the Coastal Army for good when the Axis holds all ports at
// one time.
//
// Rule B41-5.13.B, B41-10.3.B.
func (g *play) portsLost(h int) {
	p := g.p
	if !p.d.Board.Is(h, Port) {
		return
	}
	for _, s := range p.d.Sites {
		if p.d.Board.Is(s.Hex, Port) && p.Owner(s.Hex) != axis {
			return
		}
	}
	if coast := p.special("COAST"); p.where[coast] != Gone {
		g.remove(coast, Gone, "B41-10.3.B", "ports")
	}
}

// mayOBG says why an army can't form the Oranienbaum Bridgehead Group where it
// stands on its way, nil if it can (B41-A39).
//
// Rule B41-6.20.A, B41-6.20.B.
func (p *Position) mayOBG(u int) *engine.Refusal {
	b10, id := p.d.Board.Index(oranienbaumHex), string(p.unit(u).ID)
	switch {
	case p.where[p.special("OBG")] != Later || p.has(p.special("OBG"), Played):
		return engine.Refuse("B41-6.20.D", "b41.obg.once")
	case p.unit(u).Side != soviet || p.unit(u).Size != "XXXX":
		return engine.Refuse("B41-6.20.B", "b41.obg.army", "unit", id)
	case p.Steps(u) < 2:
		return engine.Refuse("B41-6.20.B", "b41.obg.steps", "unit", id)
	case !p.onMap(u) || p.d.Board.Distance(p.At(u), b10) > 1:
		return engine.Refuse("B41-6.20.B", "b41.obg.where", "unit", id)
	case p.Owner(b10) != soviet || p.holds(axis, b10):
		return engine.Refuse("B41-6.20.B", "b41.obg.held")
	}
	return nil
}

// formOBG has an army that is passing B10 form the OBG there, for one of its
// steps. The OBG doesn't move this player-turn. The caller has moved the army.
//
// Rule B41-6.20.A, B41-6.20.B.
func (g *play) formOBG(u int) error {
	if err := g.p.mayOBG(u); err != nil {
		return err
	}
	g.emit("B41-6.20.B", StepsSet{g.p.unit(u).ID, g.p.Steps(u) - 1, "obg"})
	b10 := g.p.d.Board.Index(oranienbaumHex)
	g.emit("B41-6.20.B", UnitPlaced{"OBG", g.p.d.Board.At(b10), 1, "obg"})
	if err := g.p.stackRefusal(b10, soviet, nil, nil); err != nil {
		return err
	}
	g.flag("B41-6.20.B", []int{g.p.special("OBG")}, Frozen, 0)
	return nil
}

// hedgehog reports whether there is a hedgehog in a hex.
//
// Rule B41-14.39.8.E.
func (p *Position) hedgehog(h int) bool { return slices.Contains(p.supply.hedgehogs, h) }

// mayHedgehog says why no hedgehog can be made in a hex, nil if one can
// (B41-A89).
//
// Rule B41-14.39.8.A, B41-14.39.8.B, B41-14.39.8.D, B41-14.39.8.E, B41-14.39.8.G, B41-5.19.C.
func (p *Position) mayHedgehog(h int) *engine.Refusal {
	b, at := p.d.Board, p.name(h)
	if p.consolidating() {
		return engine.Refuse("B41-5.19.C", "b41.hedgehog.consolidated")
	}
	german, other := 0, false
	for _, u := range p.unitsIn(h, axis) {
		if p.unit(u).German() {
			german += p.Steps(u)
		} else {
			other = true
		}
	}
	switch {
	case p.turn < 7:
		return engine.Refuse("B41-14.39.8.A", "b41.hedgehog.early", "turn", p.turn)
	case !b.Is(h, Town):
		return engine.Refuse("B41-14.39.8.A", "b41.hedgehog.town", "hex", at)
	case p.Owner(h) != axis:
		return engine.Refuse("B41-14.39.8.A", "b41.hedgehog.control", "hex", at)
	case p.hedgehog(h):
		return engine.Refuse("B41-14.39.8.A", "b41.hedgehog.twice", "hex", at)
	case len(p.supply.hedgehogs) >= 4:
		return engine.Refuse("B41-14.39.8.A", "b41.hedgehog.four")
	case p.weather(h) != Frost:
		return engine.Refuse("B41-14.39.8.G", "b41.hedgehog.frost", "hex", at, "weather", p.weather(h).String())
	case german == 0:
		return engine.Refuse("B41-14.39.8.E", "b41.hedgehog.empty", "hex", at)
	case german > 6:
		return engine.Refuse("B41-14.39.8.E", "b41.hedgehog.steps", "hex", at, "steps", german)
	case other:
		return engine.Refuse("B41-14.39.8.E", "b41.hedgehog.allies", "hex", at)
	case p.airCapacity() < 1:
		return engine.Refuse("B41-14.39.8.D", "b41.hedgehog.capacity")
	case !p.airEligible(h):
		return engine.Refuse("B41-14.39.8.A", "b41.hedgehog.far", "hex", at)
	}
	return nil
}

// makeHedgehog turns a town into a hedgehog.
//
// Rule B41-14.39.8.A, B41-14.39.8.B, B41-14.39.8.C, B41-14.39.8.F.
func (g *play) makeHedgehog(h int) error {
	if err := g.p.mayHedgehog(h); err != nil {
		return err
	}
	g.emit("B41-14.39.8.A", HedgehogMade{g.p.d.Board.At(h)})
	return nil
}

// removeHedgehog takes a hedgehog away at the start of an Axis player-turn.
//
// Rule B41-14.39.8.F.
func (g *play) removeHedgehog(h int) error {
	p := g.p
	switch {
	case p.side != axis || p.phase != SupplyPhase:
		return engine.Refuse("B41-14.39.8.F", "b41.hedgehog.remove.when")
	case !p.hedgehog(h):
		return engine.Refuse("B41-14.39.8.F", "b41.hedgehog.none", "hex", p.name(h))
	}
	g.emit("B41-14.39.8.F", HedgehogGone{p.d.Board.At(h), "removed"})
	return nil
}

// doAnyTime takes what may be said at any time: air supply and hedgehogs by the
// Axis, standing orders that show on the map, the end of the game; and the
// Partisans before the first land move (B41-A18).
//
// Rule B41-5.17.C, B41-14.39.8.B, B41-4.5.1.3.A.
func (g *play) doAnyTime(o engine.Order) (bool, error) {
	p := g.p
	switch c := o.Command.(type) {
	case AirSupply:
		return true, g.orderAirSupply(o.Side, c)
	case Hedgehog:
		if o.Side != Axis {
			return true, engine.Refuse("B41-14.39.8.A", "b41.hedgehog.axisonly")
		}
		h := p.d.Board.Index(c.At)
		if h == board.None {
			return true, engine.Refuse("B41-14.39.8.A", "b41.hex.unknown", "hex", c.At.String())
		}
		if c.Remove {
			return true, g.removeHedgehog(h)
		}
		return true, g.makeHedgehog(h)
	case Standing:
		return true, g.standing(o.Side, c)
	case Resign:
		g.resign(o.Side)
		return true, nil
	case AgreeDraw:
		g.end("B41-15.4.A", "", "agreed", p.VP())
		return true, nil
	case PlacePart:
		if p.side == soviet && p.phase == MovePhase {
			return true, g.placePartMoving(c)
		}
	}
	return false, nil
}

// orderAirSupply is the order AIRSUPPLY.
//
// Rule B41-5.17.C, B41-5.17.E.
func (g *play) orderAirSupply(side engine.Side, c AirSupply) error {
	p := g.p
	if side != Axis {
		return engine.Refuse("B41-5.17.E", "b41.supply.air.soviet")
	}
	h := p.d.Board.Index(c.At)
	if h == board.None {
		return engine.Refuse("B41-5.17.B", "b41.hex.unknown", "hex", c.At.String())
	}
	here := p.unitsIn(h, axis)
	var units []int
	for _, id := range c.Units.IDs {
		u := p.d.Unit(id)
		if !slices.Contains(here, u) {
			return engine.Refuse("B41-5.17.C", "b41.supply.air.where", "unit", string(id), "hex", c.At.String())
		}
		units = append(units, u)
	}
	if len(c.Units.IDs) == 0 {
		for _, u := range here {
			v := p.unit(u)
			if slices.Contains(c.Units.Except, v.ID) || c.Units.Word == "MECH" && !v.Mech() || c.Units.Word == "LEG" && !v.Leg() {
				continue
			}
			if !p.has(u, AirSupplied) {
				units = append(units, u)
			}
		}
	}
	if len(units) == 0 {
		return engine.Refuse("B41-5.17.C", "b41.supply.air.nobody", "hex", c.At.String())
	}
	return g.airSupply(units)
}

// standing takes the one standing order that changes the map at once: which
// unit lies on top. All others only wait to be asked.
//
// Rule B41-A78.
func (g *play) standing(side engine.Side, c Standing) error {
	p := g.p
	if c.Policy.Top == "" {
		return nil
	}
	u := p.d.Unit(c.Policy.Top)
	switch {
	case u < 0:
		return engine.Refuse("B41-2.6.B", "b41.unit.unknown", "unit", string(c.Policy.Top))
	case p.unit(u).Side != number(side):
		return engine.Refuse("B41-2.6.B", "b41.unit.enemy", "unit", string(c.Policy.Top))
	case !p.onMap(u):
		return engine.Refuse("B41-A78", "b41.top.offmap", "unit", string(c.Policy.Top))
	}
	at := p.d.Board.At(p.At(u))
	if len(c.Scope.Hexes) > 0 && !slices.Contains(c.Scope.Hexes, at) {
		return engine.Refuse("B41-A78", "b41.top.where", "unit", string(c.Policy.Top), "hex", at.String())
	}
	if p.top[p.At(u)] != int16(u) {
		g.emit("B41-A78", TopChosen{c.Policy.Top, at})
	}
	return nil
}
