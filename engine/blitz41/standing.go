package blitz41

import (
	"slices"

	"pbemd/engine"
)

// matter is what standing lines are looked up for.
type matter struct {
	in    string // MA, PA or ""
	hexes []int
	units []int
}

// weight is how much a scope counts for a matter: a line about a unit beats one
// about a hex, that one about an area, that the default. 0: not about it.
func (p *Position) weight(s Scope, m matter) int {
	switch s.Kind {
	case "UNIT":
		for _, u := range m.units {
			if slices.Contains(s.Units, p.unit(u).ID) {
				return 4
			}
		}
	case "HEX":
		for _, h := range m.hexes {
			if slices.Contains(s.Hexes, p.board().At(h)) {
				return 3
			}
		}
	case "AREA", "ROWS":
		for _, h := range m.hexes {
			c := p.board().At(h)
			if s.Kind == "AREA" && slices.Contains(s.Hexes, c) {
				return 2
			}
			if between(s.A.Row, c.Row, s.B.Row) && (s.Kind == "ROWS" || between(s.A.Num, c.Num, s.B.Num)) {
				return 2
			}
		}
	case "DEFAULT", "":
		return 1
	}
	return 0
}

func between(a, x, b uint8) bool { return min(a, b) <= x && x <= max(a, b) }

// linesFor lists the lines of a side that are about a matter, the weightiest
// first and of equal ones the latest.
func (g *play) linesFor(x *engine.Exec, side uint8, m matter) []Standing {
	type weighed struct {
		s Standing
		w int
	}
	var found []weighed
	lines := x.Lines(sideOf(side))
	for i := len(lines) - 1; i >= 0; i-- {
		s, ok := lines[i].Command.(Standing)
		if !ok || s.In != "" && m.in != "" && s.In != m.in || s.From > g.p.turn || s.Until > 0 && s.Until < g.p.turn {
			continue
		}
		if s.Text == "" {
			s.Text = lines[i].Text
		}
		if w := g.p.weight(s.Scope, m); w > 0 {
			found = append(found, weighed{s, w})
		}
	}
	slices.SortStableFunc(found, func(a, b weighed) int { return b.w - a.w })
	out := make([]Standing, len(found))
	for i, f := range found {
		out[i] = f.s
	}
	return out
}

// matter is the battle as standing lines see it, for one side's units.
func (b *battle) matter(units []int, hexes ...int) matter {
	in := "PA"
	if b.ma() {
		in = "MA"
	}
	return matter{in, hexes, units}
}

func (f *body) hexes() []int {
	var out []int
	for _, g := range f.groups {
		out = append(out, g.from)
	}
	return out
}

// voice is who decided, and the line that did.
type voice struct{ by, line string }

// lossWish gathers what the owner wants of step losses: from the order if it is
// the acting side's, and from standing lines. Where two speak of one unit, or
// one would kill what another keeps, the weightier holds.
//
// Rule B41-14.7.B.
func (b *battle) lossWish(x *engine.Exec, f *body, units []int) (w lossWish, s voice, ok bool) {
	said := func(by, line string) {
		if s.by == "" {
			s = voice{by, line}
		}
		ok = true
	}
	if l := b.opt.Loss; l != nil && !f.defends && (len(l.Lose) > 0 || len(l.Spare) > 0 || l.NoKill) {
		if l.NoKill {
			w.keepAlive()
		}
		w.lose, w.spare = l.Lose, l.Spare
		said("order", b.order.Text)
	}
	how := false
	for _, l := range b.linesFor(x, f.side, b.matter(units, f.hexes()...)) {
		switch p := l.Policy; {
		case len(p.Lose) > 0 && w.lose == nil:
			w.lose = b.p.without(p.Lose, func(u int) bool { return w.spares(b.p, u) })
		case len(p.Spare) > 0 && w.spare == nil:
			w.spare = b.p.without(p.Spare, func(u int) bool { return slices.Contains(w.lose, b.p.unit(u).ID) })
		case p.SpareWord == "PANZERS":
			w.panzers = true
		case p.SpareWord == "SHOCK":
			w.shock = true
		case p.Losses == "NOKILL":
			w.keepAlive()
		case p.Losses != "" && !how:
			w.spread, w.concentrate = p.Losses == "SPREAD", p.Losses == "CONCENTRATE"
			how = true
		default:
			continue
		}
		said("standing", l.Text)
	}
	return w, s, ok
}

// without is a list without some of its units.
func (p *Position) without(ids []engine.UnitID, drop func(u int) bool) []engine.UnitID {
	out := []engine.UnitID{}
	for _, id := range ids {
		if u := p.d.Unit(id); u < 0 || !drop(u) {
			out = append(out, id)
		}
	}
	return out
}

// stance is what standing lines choose between steps and retreat.
func (b *battle) stance(x *engine.Exec, f *body, n int, options []taken, auto int) (int, string, string) {
	return b.stanceOf(x, b.linesFor(x, f.side, b.matter(b.alive(f), f.hexes()...)), f, n, options, auto)
}

// answered is what the clauses of an answer choose for the acting side: its
// standing stances are about defence and don't count here.
func (b *battle) answered(x *engine.Exec, f *body, n int, options []taken) (int, string, string) {
	all, kept := x.Lines(sideOf(f.side)), len(x.Standing[sideOf(f.side)])
	var lines []Standing
	for i := len(all) - 1; i >= kept; i-- {
		if s, ok := all[i].Command.(Standing); ok {
			lines = append(lines, s)
		}
	}
	return b.stanceOf(x, lines, f, n, options, b.ownDefault(f, n, options))
}

func (b *battle) stanceOf(x *engine.Exec, lines []Standing, f *body, n int, options []taken, auto int) (int, string, string) {
	total := b.p.steps(b.alive(f))
	for _, l := range lines {
		p := l.Policy
		if p.Stance == "" || !b.applies(f, p) {
			continue
		}
		choice := auto
		switch p.Stance {
		case "HOLD":
			if p.N < 0 {
				choice = len(options) - 1
			} else {
				choice = nearest(options, p.N)
			}
		case "STAND":
			choice = b.keeping(options, total, 1)
		case "KEEP":
			choice = b.keeping(options, total, p.N)
		case "BALANCE":
			choice = nearest(options, n/2)
		case "YIELD":
			choice = nearest(options, n-b.wished(x, f, n))
		}
		o := options[choice]
		passed := false
		for _, u := range p.Unless {
			switch u {
			case "RETREAT OOS", "OOS":
				passed = passed || b.leadsAstray(f, o.hexes)
			case "RETREAT LOST", "LOST":
				passed = passed || o.steps >= total
			case "RETREAT ALONE", "ALONE":
				passed = passed || b.endsAlone(f, o.hexes)
			}
		}
		if !passed {
			return choice, "standing", l.Text
		}
	}
	return 0, "", ""
}

// keeping is the option with the most steps that leaves so many.
func (b *battle) keeping(options []taken, total, keep int) int {
	choice := 0
	for i, o := range options {
		if total-o.steps >= keep {
			choice = i
		}
	}
	return choice
}

// wished is how far a force that yields wants to go: all the way over land or
// through a ZOMO hex, to Finland only if its owner has said so.
func (b *battle) wished(x *engine.Exec, f *body, n int) int {
	var words []string
	for _, g := range f.groups {
		if pol, _, ok := b.retreatWish(x, f, g); ok {
			words = append(words, pol.Words...)
		}
	}
	land := b.landReach(f, n)
	switch {
	case slices.Contains(words, "NOEXIT"):
		return land
	case b.exits(f, "zomo", n), slices.Contains(words, "EXIT FINLAND") && b.exits(f, "finland", n):
		return n
	case land == 0 && b.coastAlone(f) && b.bySea(f):
		return 1
	}
	return land
}

// applies reports whether the IF words of a stance hold.
func (b *battle) applies(f *body, p Policy) bool {
	if p.IfOdds != nil && !p.IfOdds.Holds(b.odds) {
		return false
	}
	if len(p.If) == 0 {
		return true
	}
	for _, h := range f.hexes() {
		for _, w := range p.If {
			if b.p.hexHas(h, w, f.side) {
				return true
			}
		}
	}
	return false
}

// hexHas reports whether a word of the standing vocabulary fits a hex.
func (p *Position) hexHas(h int, word string, side uint8) bool {
	switch word {
	case "VP":
		return p.scores(h)
	case "CITY":
		return p.board().Is(h, City)
	case "TOWN":
		return p.board().Any(h, Place)
	case "FORT":
		_, ok := p.intact(h)
		return ok && side == soviet
	}
	return false
}

// endsAlone reports whether the force would find no friends wherever it went.
func (b *battle) endsAlone(f *body, hexes int) bool {
	if hexes == 0 {
		return false
	}
	for _, g := range f.groups {
		for _, w := range b.ways(f, g, hexes) {
			for _, s := range w.parts {
				if !w.leaves() && b.company(f.side, g, s.end()) {
					return false
				}
			}
		}
	}
	return true
}

// retreatWish is the standing RETREAT line for a group.
func (b *battle) retreatWish(x *engine.Exec, f *body, g group) (*RetreatPolicy, string, bool) {
	for _, l := range b.linesFor(x, f.side, b.matter(b.living(g.units), g.from)) {
		if l.Policy.Retreat != nil {
			return l.Policy.Retreat, l.Text, true
		}
	}
	return nil, "", false
}

// airWish is what standing lines put up against an attack from the air.
func (b *battle) airWish(x *engine.Exec, side uint8, most, byDefault int) (int, string, string) {
	lines := b.linesFor(x, side, b.matter(b.defenders, b.at...))
	reserve, text := 0, ""
	for _, l := range lines {
		if a := l.Policy.Air; a != nil && a.Reserve >= 0 {
			reserve, text = a.Reserve, l.Text
			break
		}
	}
	most = max(0, min(most, b.p.air[side]-reserve))
	for _, l := range lines {
		a := l.Policy.Air
		if a == nil || a.Reserve >= 0 || !b.airAt(a, side) {
			continue
		}
		n := a.N
		switch {
		case a.Never:
			n = 0
		case a.Match:
			n = b.air[0]
		case a.IsNet:
			n = b.air[0] + a.Net
		}
		if a.Max > 0 {
			n = min(n, a.Max)
		}
		return min(n, most), "standing", l.Text
	}
	if text != "" {
		return min(byDefault, most), "standing", text
	}
	return 0, "", ""
}

func (b *battle) airAt(a *AirPolicy, side uint8) bool {
	if !a.IfOdds.Holds(b.odds) {
		return false
	}
	if !a.AtVP && !a.AtCity && len(a.At) == 0 {
		return true
	}
	for _, h := range b.at {
		if a.AtVP && b.p.scores(h) || a.AtCity && b.p.board().Is(h, City) || slices.Contains(a.At, b.p.board().At(h)) {
			return true
		}
	}
	return false
}

// airSupplyWish is what standing lines feed in a battle.
func (b *battle) airSupplyWish(bids [][]int) engine.Prefer {
	return func(x *engine.Exec) (int, string, string) {
		lines := b.linesFor(x, axis, b.matter(b.defenders, b.at...))
		reserve := 0
		for _, l := range lines {
			if a := l.Policy.AirSupply; a != nil && a.Reserve >= 0 && !a.Auto && !a.Never {
				reserve = a.Reserve
				break
			}
		}
		state := map[int]strength{}
		for _, f := range b.defend {
			state[f.u] = f
		}
		for _, l := range lines {
			a := l.Policy.AirSupply
			if a == nil || !a.Auto && !a.Never {
				continue
			}
			if a.Never {
				return 0, "standing", l.Text
			}
			i := mostOf(bids, func(u int) bool {
				f := state[u]
				return (len(a.Priority) == 0 || slices.Contains(a.Priority, b.p.board().At(f.h))) &&
					(!a.WhenOOS || f.st.None) && (a.When == nil || a.When.Holds(f.st.Percent()))
			})
			for i > 0 && b.p.airLeft(bids[i]) < reserve {
				smaller := mostOf(bids, func(u int) bool { return slices.Contains(bids[i], u) && u != bids[i][len(bids[i])-1] })
				i = smaller
			}
			return i, "standing", l.Text
		}
		return 0, "", ""
	}
}

// hedgehogWish is what standing lines want of a town under attack.
func (b *battle) hedgehogWish(x *engine.Exec, h int) (int, string, string) {
	for _, l := range b.linesFor(x, axis, b.matter(b.defenders, h)) {
		p := l.Policy.Hedgehog
		if p == nil {
			continue
		}
		if p.Never {
			return 0, "standing", l.Text
		}
		at := b.p.board().At(h)
		if !slices.Contains(p.IfAttacked, at) && !slices.Contains(p.Priority, at) {
			continue
		}
		steps := 0
		for _, u := range b.p.unitsIn(h, axis) {
			steps += b.p.Steps(u)
		}
		if p.IfSteps != nil && !p.IfSteps.Holds(steps) {
			continue
		}
		return 1, "standing", l.Text
	}
	return 0, "", ""
}
