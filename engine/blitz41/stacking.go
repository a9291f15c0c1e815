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
		if h == p.d.index.k5 && p.flags[u]&(Dropped|Driven) == 0 {
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
// Partisans that units added link up with are gone as those come.
//
// Rule B41-6.21.E, B41-8.1, B41-8.2, B41-8.4.B, B41-8.4.C, B41-8.6, B41-11.4, B41-A90, B41-A92.
func (p *Position) stackRefusal(h int, side uint8, add []int, without []int) *engine.Refusal {
	var s stackSum
	part := p.d.index.part
	linked := p.At(part) == h && slices.ContainsFunc(add, p.linksUp)
	for _, w := range p.In(h) {
		u := int(w)
		if p.unit(u).Side == side && !slices.Contains(without, u) && !slices.Contains(add, u) && !(linked && u == part) {
			s.count(p, h, u, p.Steps(u))
		}
	}
	for _, u := range add {
		s.count(p, h, u, p.Steps(u))
	}
	return s.refusal(p, h, side)
}

// roomFor says why a hex can't hold a unit with so many steps beside what stands
// there; nil if it can.
func (p *Position) roomFor(u, h, steps int) *engine.Refusal {
	return p.roomInstead(u, h, steps, u)
}

// roomInstead is roomFor when another unit is taken away.
func (p *Position) roomInstead(u, h, steps, other int) *engine.Refusal {
	var s stackSum
	side := p.unit(u).Side
	for _, w := range p.In(h) {
		if int(w) != u && int(w) != other && p.unit(int(w)).Side == side {
			s.count(p, h, int(w), p.Steps(int(w)))
		}
	}
	s.count(p, h, u, steps)
	return s.refusal(p, h, side)
}

// stackSum is what counts of the units of a side in a hex.
type stackSum struct {
	halves, corps, steps, romanians int
	romanian, hungarian, foreign    int // the first of each, plus one
}

// count adds a unit with so many steps.
func (s *stackSum) count(p *Position, h, u, steps int) {
	v := p.unit(u)
	s.halves += p.halves(u, h, steps)
	first := func(x *int) {
		if *x == 0 {
			*x = u + 1
		}
	}
	switch {
	case v.MechCorps():
		s.corps++
	case v.Nation == "romanian":
		s.romanians++
		first(&s.romanian)
	case v.Nation == "hungarian":
		first(&s.hungarian)
	}
	if v.German() {
		s.steps += steps
	} else {
		first(&s.foreign)
	}
}

// refusal says what is wrong with the sum, nil if nothing is.
func (s *stackSum) refusal(p *Position, h int, side uint8) *engine.Refusal {
	switch {
	case s.halves > limit(side):
		return engine.Refuse("B41-8.1", "b41.stack.limit", "hex", p.name(h), "units", halfWord(s.halves), "limit", limit(side)/2)
	case s.corps > 2:
		return engine.Refuse("B41-8.2", "b41.stack.mech", "hex", p.name(h), "corps", s.corps)
	case s.romanians > 1:
		return engine.Refuse("B41-8.4.B", "b41.stack.romanians", "hex", p.name(h))
	case s.romanian > 0 && s.hungarian > 0:
		return engine.Refuse("B41-8.4.C", "b41.stack.hungary", "hex", p.name(h), "romanian", p.id(s.romanian-1), "hungarian", p.id(s.hungarian-1))
	case side == axis && s.foreign > 0 && p.hedgehog(h):
		return engine.Refuse("B41-14.39.8.E", "b41.stack.hedgehog.german", "hex", p.name(h), "unit", p.id(s.foreign-1))
	case side == axis && s.steps > 6 && p.hedgehog(h):
		return engine.Refuse("B41-14.39.8.E", "b41.stack.hedgehog.steps", "hex", p.name(h), "steps", s.steps)
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
		if n := p.Count(h); (n > 1 || n == 1 && p.hedgehog(h)) && p.holds(side, h) && !p.stackLegal(h, side) {
			out = append(out, h)
		}
	}
	return out
}
