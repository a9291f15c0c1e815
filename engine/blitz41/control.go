package blitz41

import (
	"slices"

	"pbemd/engine"
	"pbemd/engine/force"
)

// arrived runs what follows when units of a side have come into a hex: control,
// fort, partisans, MSU, ports, VPs, sudden death, the automatic win, hedgehogs.
// Nothing follows while both sides share the hex. The MSU alone takes nothing,
// and nobody controls a lake.
//
// Rule B41-3.0.C, B41-3.0.D, B41-5.12.G, B41-12.4, B41-12.9.B.
func (g *play) arrived(h int, side uint8) {
	p := g.p
	if p.ended != nil || !p.holds(side, h) || p.holds(enemyOf(side), h) {
		return
	}
	if p.Owner(h) != side && p.d.Board.Terrain(h) != Lake {
		g.take(h, side, "B41-3.0.D")
		return
	}
	g.linkUp(h)
	g.displaceMSU()
}

// take gives a hex to a side, with all that hangs on it.
//
// Rule B41-3.0.D, B41-3.0.E, B41-15.6.
func (g *play) take(h int, side uint8, rule engine.RuleID) {
	p := g.p
	g.emit(rule, HexTaken{p.d.Board.At(h), sideOf(side)})
	g.wreck(h, side)
	g.linkUp(h)
	g.displaceMSU()
	g.portsLost(h)
	g.score(h, side)
	g.suddenDeath(h)
	g.sovietWin()
	// Rule B41-14.39.8.G.
	if side == soviet && p.hedgehog(h) {
		g.emit("B41-14.39.8.G", HedgehogGone{p.d.Board.At(h), "captured"})
	}
}

// wreck ends the fort of a hex that the Axis has taken, occupied or not; it is
// never rebuilt. A hex of a line that is not yet real is remembered by its
// having been Axis-controlled.
//
// Rule B41-9.19, B41-9.22.A, B41-9.22.B, B41-9.22.C, B41-14.14.C.
func (g *play) wreck(h int, side uint8) {
	if side != axis {
		return
	}
	if _, ok := g.p.intact(h); ok {
		g.emit("B41-9.22.A", FortWrecked{g.p.d.Board.At(h)})
	}
}

// turnForts makes the lines of the turn real, those that no Axis unit has
// touched.
//
// Rule B41-9.20, B41-9.20.A, B41-9.20.B, B41-9.20.C, B41-9.20.D, B41-9.21.A, B41-9.21.B.
func (g *play) turnForts() {
	p := g.p
	for _, l := range p.d.Lines {
		if l.Kind == "stalin" || l.Turn != p.turn {
			continue
		}
		touched := slices.ContainsFunc(l.Hexes, func(h int) bool { return p.everAxis[h] })
		g.emit("B41-9.21.A", LineSettled{l.Name, !touched})
	}
}

// lose takes steps from a unit and removes it with the last.
//
// Rule B41-2.2.B, B41-6.12, B41-15.5.
func (g *play) lose(u, n int, rule engine.RuleID, why string) {
	p := g.p
	if n <= 0 || p.Steps(u) == 0 {
		return
	}
	if n >= p.Steps(u) {
		g.eliminate(u, rule, why, p.unsupplied(u))
		return
	}
	g.emit(rule, StepsSet{p.unit(u).ID, p.Steps(u) - n, why})
	g.romanians(u, n)
}

// unsupplied reports whether an Axis corps would count as unsupplied if it died
// now (B41-A75).
//
// Rule B41-15.5.
func (p *Position) unsupplied(u int) bool {
	return p.unit(u).Side == axis && p.onMap(u) && (p.status(u).None || p.hedgehog(p.At(u)))
}

// eliminate removes a unit that has lost its last step.
//
// Rule B41-5.3.B, B41-5.12.D, B41-6.10.A, B41-6.10.B, B41-6.11.A, B41-6.12, B41-6.20.D, B41-14.39.7.D.
func (g *play) eliminate(u int, rule engine.RuleID, why string, unsupplied bool) {
	p := g.p
	if p.unit(u).Class == "none" {
		return
	}
	steps := p.Steps(u)
	to := Gone
	if p.unit(u).Side == soviet && p.mayBeRebuilt(u) {
		to = Dead
	}
	if why != "supply" && why != "pocket" {
		why = "combat"
	}
	g.remove(u, to, rule, why)
	g.romanians(u, steps)
	g.deduct(u, unsupplied)
}

// remove takes a unit off the map, or to another place beside it. Who leaves
// through a ZOMO hex is kept with the country he comes back through.
//
// Rule B41-14.11.B.2.
func (g *play) remove(u int, to Where, rule engine.RuleID, why string) {
	p := g.p
	if to == Waiting && p.onMap(u) {
		g.emit(rule, LeftMap{p.unit(u).ID, p.country(p.At(u))})
	}
	g.emit(rule, UnitRemoved{p.unit(u).ID, to, why})
}

// country is the country of a ZOMO hex: germany, hungary, romania, "" elsewhere.
//
// Rule B41-5.15.A, B41-5.15.B.
func (p *Position) country(h int) string {
	switch b := p.d.Board; {
	case h == force.Off:
		return ""
	case b.Is(h, ZomoGermany):
		return "germany"
	case b.Is(h, ZomoHungary):
		return "hungary"
	case b.Is(h, ZomoRomania):
		return "romania"
	}
	return ""
}
