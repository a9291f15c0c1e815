package blitz41

import (
	"pbemd/engine"
)

// RomaniansLost counts Romanian steps that were eliminated.
type RomaniansLost struct {
	Unit  engine.UnitID `json:"unit"`
	Steps int           `json:"steps"`
}

// LeningradValued fixes what Leningrad is worth by the die of 15.7.
type LeningradValued struct {
	Die int `json:"die"`
	VP  int `json:"vp"`
}

// Kind implements [engine.Fact].
func (RomaniansLost) Kind() string { return "RomaniansLost" }

// Kind implements [engine.Fact].
func (LeningradValued) Kind() string { return "LeningradValued" }

func (f RomaniansLost) apply(p *Position)   { p.supply.romanian += f.Steps }
func (f LeningradValued) apply(p *Position) { p.supply.award = f.VP }

// value is what a site is worth to the Axis if it changes hands now.
//
// Rule B41-15.2.A, B41-15.2.B.
func (p *Position) value(s *Site) int {
	if s == nil {
		return 0
	}
	return s.VP
}

// score books the VPs of a hex that has changed hands.
//
// Rule B41-15.2.A, B41-15.2.B, B41-15.6.
func (g *play) score(h int, side uint8) {
	p := g.p
	points := p.value(p.d.SiteAt(h))
	if points == 0 {
		return
	}
	if p.opt.Leningrad && h == p.d.Board.Index(leningradHex) {
		points = g.leningrad(side, points)
	}
	if side == soviet {
		points = -points
	}
	g.emit("B41-15.2.B", Scored{p.d.Board.At(h), points, p.VP() + points})
}

// leningrad is the award of the option: by a die when the city falls on the
// first four turns, once a game; in full afterwards. What was booked is what is
// lost again.
//
// Rule B41-15.7.A, B41-15.7.B.
func (g *play) leningrad(side uint8, full int) int {
	p := g.p
	if p.turn > 4 {
		return full
	}
	if side == axis && p.supply.award == 0 {
		die := g.x.Roll("B41-15.7.A", RollLeningrad, "B9", 6, 1, engine.T("b41.roll.leningrad"))[0]
		g.emit("B41-15.7.A", LeningradValued{die, max(6, 2*die)})
	}
	return p.supply.award
}

// turnVictory tops up Leningrad at the start of Turn 5 and looks for the
// automatic Soviet win.
//
// Rule B41-15.7.B, B41-15.4.B.
func (g *play) turnVictory() {
	p := g.p
	if b9 := p.d.Board.Index(leningradHex); p.turn == 5 && p.opt.Leningrad && p.Owner(b9) == axis && p.supply.award > 0 {
		if more := p.value(p.d.SiteAt(b9)) - p.supply.award; more > 0 {
			g.emit("B41-15.7.B", Scored{p.d.Board.At(b9), more, p.VP() + more})
		}
	}
	g.sovietWin()
}

// suddenDeath ends the game when Moscow falls through the end of Turn 6
// (B41-A77, B41-A105).
//
// Rule B41-15.1.A, B41-15.1.B.
func (g *play) suddenDeath(h int) {
	p := g.p
	if h == p.d.Board.Index(moscowHex) && p.turn <= 6 && p.Owner(h) == axis {
		g.end("B41-15.1.B", Axis, "moscow", 88)
	}
}

// sovietWin ends the game when the Axis has too little after Turn 7 (B41-A72).
//
// Rule B41-15.4.B, B41-4.4.A.
func (g *play) sovietWin() {
	if p := g.p; p.turn > 7 && p.VP() < 27 {
		g.end("B41-15.4.B", Soviet, "soviet", 19+p.turn)
	}
}

// levelPoints is what a win at the victory check of a turn is worth in a series.
//
// Rule B41-15.3.B.
func levelPoints(turn int) int { return max(83, 90-max(turn, 3)) }

// victoryCheck ends each Soviet player-turn from Turn 3 on, and the game on
// Turn 11 (B41-A73).
//
// Rule B41-4.3.A.5, B41-4.4.A, B41-4.4.E, B41-4.5.1.5, B41-15.3.A, B41-15.3.B, B41-15.4.A.
func (g *play) victoryCheck() {
	p := g.p
	if p.turn >= 3 {
		if level := p.d.Turns[p.turn].Level; level > 0 && p.VP() >= level {
			g.end("B41-15.3.B", Axis, "level", levelPoints(p.turn))
			return
		}
	}
	if p.turn == len(p.d.Turns)-1 {
		g.end("B41-15.4.A", "", "draw", p.VP())
	}
}

// deduct takes the VPs for a unit that was eliminated. A German mechanised corps
// that is no panzer corps counts as one (B41-A74).
//
// Rule B41-15.5.
func (g *play) deduct(u int, unsupplied bool) {
	v := g.p.unit(u)
	if v.Side != axis || v.Nation == "romanian" {
		return
	}
	panzer := v.Panzer() || v.Mech() && !g.p.alt("B41-A74")
	for _, row := range []struct {
		points int
		why    string
		holds  bool
	}{
		{2, "csir", v.Nation == "italian"},
		{1, "sch", v.Nation == "hungarian"},
		{4, "panzer.unsupplied", v.German() && panzer && unsupplied},
		{2, "panzer.supplied", v.German() && panzer && !unsupplied},
		{3, "corps.unsupplied", v.German() && !panzer && unsupplied},
		{1, "corps.supplied", v.German() && !panzer && !unsupplied},
	} {
		if row.holds {
			g.deducted(u, row.points, row.why)
		}
	}
}

// romanians counts Romanian steps lost, of which those beyond two cost VPs;
// replacements don't make them good (B41-A101).
//
// Rule B41-15.5.
func (g *play) romanians(u, steps int) {
	p := g.p
	if p.unit(u).Nation != "romanian" || steps == 0 {
		return
	}
	before := max(0, p.supply.romanian-2)
	g.emit("B41-15.5", RomaniansLost{p.unit(u).ID, steps})
	if points := max(0, p.supply.romanian-2) - before; points > 0 {
		g.deducted(u, points, "romanian")
	}
}

func (g *play) deducted(u, points int, why string) {
	g.emit("B41-15.5", Deducted{g.p.unit(u).ID, points, why, g.p.VP() - points})
	g.sovietWin()
}

// end closes the game, once.
//
// Rule B41-15.0.dn2.
func (g *play) end(rule engine.RuleID, winner engine.Side, why string, points int) {
	if g.p.ended == nil {
		g.emit(rule, GameEnded{winner, why, g.p.VP(), points})
	}
}

// resign gives the game to the other side. In a series the Axis books 27 if it
// resigns, and the next victory check if the Soviets do (B41-A133).
func (g *play) resign(side engine.Side) {
	if side == Axis {
		g.end("B41-A133", Soviet, "resigned", 27)
		return
	}
	g.end("B41-A133", Axis, "resigned", levelPoints(g.p.turn))
}
