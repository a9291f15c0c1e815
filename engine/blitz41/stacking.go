package blitz41

import (
	"slices"

	"pbemd/engine"
)

// limit is what may stand in a hex, in half units.
//
// Rule B41-8.1.
func limit(side uint8) int {
	if side == axis {
		return 10
	}
	return 8
}

// halves is what a unit with so many steps counts for stacking in a hex, in
// half units.
//
// Rule B41-8.2, B41-8.3, B41-8.4.A, B41-8.5.A, B41-8.5.B, B41-A34.
func (p *Position) halves(u, h, steps int) int {
	v := p.unit(u)
	switch {
	case v.Halves == 0 || u == p.special("MSU") || u == p.special("LPMA") || u == p.special("CAV"):
		return 0
	case u == p.special("4ABN"):
		if moscow, _ := p.d.Named("MOSCOW"); h == moscow && !p.has(u, Dropped) {
			return 0
		}
		return 2
	case v.MechCorps():
		return 1
	case v.Nation == "romanian":
		return 4
	case v.Side == soviet && steps >= 1 && steps <= v.Max && v.Ladder[steps-1][0] >= 6:
		return 4
	}
	return v.Halves
}

// stackRefusal says why a hex can't hold what stands there with some units
// added and others taken away; nil if it can. It looks at counters, not at
// markers, and counts half units exactly.
//
// Rule B41-8.1, B41-8.2, B41-8.4.B, B41-8.4.C, B41-8.6, B41-11.4, B41-A90, B41-A92.
func (p *Position) stackRefusal(h int, side uint8, add []int, without []int) *engine.Refusal {
	var units []int
	for _, w := range p.In(h) {
		u := int(w)
		if p.unit(u).Side == side && !slices.Contains(without, u) && !slices.Contains(add, u) {
			units = append(units, u)
		}
	}
	units = append(units, add...)
	total, corps, steps := 0, 0, 0
	var romanian, hungarian, foreign []int
	for _, u := range units {
		v := p.unit(u)
		total += p.halves(u, h, p.Steps(u))
		switch {
		case v.MechCorps():
			corps++
		case v.Nation == "romanian":
			romanian = append(romanian, u)
		case v.Nation == "hungarian":
			hungarian = append(hungarian, u)
		}
		if v.German() {
			steps += p.Steps(u)
		} else {
			foreign = append(foreign, u)
		}
	}
	at := p.d.Board.At(h).String()
	switch {
	case total > limit(side):
		return engine.Refuse("B41-8.1", "b41.stack.limit", "hex", at, "units", halfWord(total), "limit", limit(side)/2)
	case corps > 2:
		return engine.Refuse("B41-8.2", "b41.stack.mech", "hex", at, "corps", corps)
	case len(romanian) > 1:
		return engine.Refuse("B41-8.4.B", "b41.stack.romanians", "hex", at)
	case len(romanian) > 0 && len(hungarian) > 0:
		return engine.Refuse("B41-8.4.C", "b41.stack.hungary", "hex", at, "romanian", string(p.unit(romanian[0]).ID), "hungarian", string(p.unit(hungarian[0]).ID))
	case side == axis && p.hedgehog(h) && len(foreign) > 0:
		return engine.Refuse("B41-14.39.8.E", "b41.stack.hedgehog.german", "hex", at, "unit", string(p.unit(foreign[0]).ID))
	case side == axis && p.hedgehog(h) && steps > 6:
		return engine.Refuse("B41-14.39.8.E", "b41.stack.hedgehog.steps", "hex", at, "steps", steps)
	}
	return nil
}

// stackLegal reports whether a side's units in a hex may stay there together.
func (p *Position) stackLegal(h int, side uint8) bool {
	return p.stackRefusal(h, side, nil, nil) == nil
}

// halfWord writes half units as units: 4, 4½.
func halfWord(n int) string {
	s := ""
	if n >= 2 || n == 0 {
		s = string(rune('0' + n/2%10))
		if n >= 20 {
			s = string(rune('0'+n/20%10)) + s
		}
	}
	if n%2 == 1 {
		s += "½"
	}
	return s
}

// overstacked lists the hexes in which a side's units may not stay together,
// in board order.
//
// Rule B41-8.7.
func (p *Position) overstacked(side uint8) []int {
	var out []int
	for h := 0; h < p.d.Board.Len(); h++ {
		if p.holds(side, h) && !p.stackLegal(h, side) {
			out = append(out, h)
		}
	}
	return out
}
