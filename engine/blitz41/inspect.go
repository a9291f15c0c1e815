package blitz41

import (
	"slices"

	"pbemd/engine"
	"pbemd/engine/board"
	"pbemd/engine/hex"
)

// Supply is the supply of a unit where it stands, traced now.
func (p *Position) Supply(u int) Status { return p.status(u) }

// SupplyAt is the supply a unit would have in a hex.
func (p *Position) SupplyAt(u, h int) Status { return p.statusAt(u, h) }

// SupplyLine is the overland line of a unit in a hex, from the hex to the
// source, both counted in; nil without one.
func (p *Position) SupplyLine(u, h int) []int { return p.supplyLine(p.unit(u).Side, h) }

// Source reports whether a hex feeds a side overland now.
func (p *Position) Source(side uint8, h int) bool {
	if side == soviet {
		return p.operating(h)
	}
	n := p.network(axis)
	return n.dist[0][h] == 0 || n.dist[1][h] == 0
}

// Pool is what a pool of replacement steps holds; there is none of a name that
// isn't known.
func (p *Position) Pool(name string) (int, bool) {
	if !slices.Contains(poolNames[:], name) {
		return 0, false
	}
	return p.pool(name), true
}

// Marks are the states of a unit in the words of the notation.
func (p *Position) Marks(u int) string { return flagWords(p.flags[u] &^ Played) }

// Fort is what the works of a hex are worth: intact, asleep, void, wrecked, or
// none.
func (p *Position) Fort(h int) string {
	switch _, ok := p.intact(h); {
	case ok:
		return "intact"
	case !p.board().Any(h, Fort|Fortified|Stalin):
		return "none"
	case p.wrecked[h]:
		return "wrecked"
	case p.lineUp[p.d.line[h]] == Void:
		return "void"
	}
	return "asleep"
}

// Face is the face of a unit in play: attack, defence, movement.
func (p *Position) Face(u int) string { return p.faceText(u) }

// Points are the movement points a unit has left, or would have if it began to
// move now.
func (p *Position) Points(u int) int {
	if r := p.move.run(u); r != nil && r.mp >= 0 {
		return r.mp
	}
	if p.At(u) == board.None {
		return 0
	}
	mp, _ := p.allowance(u, p.status(u))
	return mp
}

// AirCapacity is how many corps can still be supplied by air this turn.
func (p *Position) AirCapacity() int { return p.airCapacity() }

// Transits are the transits of the RVGK Box made this turn.
func (p *Position) Transits() int { return p.new.transits }

// Stacked reports whether a stack is in hand.
func (p *Position) Stacked() bool { return p.move.open }

// Hand is the group in hand.
func (p *Position) Hand() []engine.UnitID { return p.ids(p.inHand()) }

// Movable is how many units STACK takes up in a hex when it names none.
func (p *Position) Movable(at hex.Coord) int { return len(p.movable(p.d.Board.Index(at))) }

// Held reports whether a unit is available and waits beside the map.
func (p *Position) Held(id engine.UnitID) bool { return p.where[p.d.byID[id]] == Held }

// Attackers is how many units of a hex may make a PA or a probe into another.
func (p *Position) Attackers(from, to hex.Coord) int {
	n, h := 0, p.d.Board.Index(from)
	for _, u := range p.unitsIn(h, p.side) {
		if p.mayAttack(u, h, []int{p.d.Board.Index(to)}) == nil {
			n++
		}
	}
	return n
}
