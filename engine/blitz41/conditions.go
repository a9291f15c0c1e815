package blitz41

import "pbemd/engine"

// Holds implements [engine.Game]. A condition reads what both sides see, what
// is the asker's own, and the results of his own assaults; what the enemy hides
// it never tells.
func (r *Rules) Holds(pos engine.Position, s engine.Side, c engine.Condition) bool {
	p, side := pos.(*Position), number(s)
	switch c := c.(type) {
	case And:
		for _, t := range c.Tests {
			if !r.Holds(pos, s, t) {
				return false
			}
		}
		return true
	case Or:
		for _, t := range c.Tests {
			if r.Holds(pos, s, t) {
				return true
			}
		}
		return false
	case Not:
		return !r.Holds(pos, s, c.Test)
	case LastIs:
		b := p.lastBattle(side)
		return b != nil && b.word == c.Word
	case HexIs:
		return p.hexIs(side, c)
	case Number:
		return p.numberIs(side, c)
	case StepsOf:
		u := p.d.Unit(c.Unit)
		return u >= 0 && p.unit(u).Side == side && c.Is.Holds(p.Steps(u))
	case UnitIs:
		return p.unitIs(side, c)
	case BattleIs:
		return p.battleIs(c)
	}
	return false
}

// hexIs tests a hex. The MSU is no occupant (B41-A38).
func (p *Position) hexIs(side uint8, c HexIs) bool {
	h := p.d.Board.Index(c.At)
	if h < 0 {
		return false
	}
	switch c.Word {
	case "EMPTY":
		return p.occupant(h) == nobody
	case "OURS":
		return p.holds(side, h)
	case "ENEMY", "HELD":
		return p.holds(enemyOf(side), h)
	case "CONTROLLED":
		return p.Owner(h) == side
	}
	return false
}

// numberIs tests a number: the fewest movement points in the group in hand, the
// steps lost in the last assault, the air points left.
func (p *Position) numberIs(side uint8, c Number) bool {
	switch c.Of {
	case "MP":
		return p.side == side && c.Is.Holds(p.left(p.inHand()))
	case "LOST":
		b := p.lastBattle(side)
		return b != nil && c.Is.Holds(b.lost[side])
	case "APLEFT":
		return c.Is.Holds(p.air[side])
	}
	return false
}

// unitIs tests an own unit.
func (p *Position) unitIs(side uint8, c UnitIs) bool {
	u := p.d.Unit(c.Unit)
	if u < 0 || p.unit(u).Side != side {
		return false
	}
	switch c.Word {
	case "ALIVE":
		return p.onMap(u) || p.where[u] == Box || p.where[u] == Held || p.where[u] == Waiting
	case "DEAD":
		return !p.onMap(u) && (p.where[u] == Dead || p.where[u] == Gone)
	case "AT":
		return p.onMap(u) && p.At(u) == p.d.Board.Index(c.At)
	case "SUPPLIED":
		s := p.status(u)
		return !s.None && !s.OOS
	case "FULL":
		return p.status(u).Loss == 0
	}
	return false
}

// battleIs tests the last battle of the phase on a hex, as the attacker sees
// it.
func (p *Position) battleIs(c BattleIs) bool {
	h := p.d.Board.Index(c.At)
	if h < 0 {
		return false
	}
	b := p.battleAt(h)
	if b == nil {
		return false
	}
	switch c.Word {
	case "WON":
		return b.word == "WON"
	case "LOST":
		return b.word != "WON"
	case "DX":
		return b.dx
	}
	return false
}
