package blitz41

import (
	"slices"
	"strings"

	"pbemd/engine"
	"pbemd/engine/board"
	"pbemd/engine/hex"
)

// mostAward stands for the most that a unit's class, supply and weather allow:
// after a DX and after a probe.
const mostAward = 99

// advanceMPs is what a unit may use in an advance at all; 0 is the vacated hex
// only.
//
// Rule B41-14.23.A, B41-14.23.B, B41-14.24, B41-14.25.A, B41-14.25.B, B41-14.25.C, B41-14.25.D, B41-14.26, B41-14.27.A, B41-14.27.B, B41-14.27.C,
// B41-4.5.1.4.F, B41-9.6, B41-14.29.B, B41-A65, B41-A124.
func (p *Position) advanceMPs(u int, full bool, w Weather) int {
	v := p.unit(u)
	row := [2]int{} // in full supply, with less
	switch {
	case v.RIH():
	case v.Side == soviet && v.Mech():
		row = [2]int{2, 0}
	case v.German() && v.Mech():
		row = [...][2]int{Dry: {4, 2}, Mud: {0, 0}, Frost: {4, 0}}[w]
	case v.German():
		row = [...][2]int{Dry: {2, 0}, Mud: {0, 0}, Frost: {0, 0}}[w]
	}
	if full {
		return row[0]
	}
	return row[1]
}

// advanceCost is what an advance pays to enter a hex when it is reckoned in a
// weather.
//
// Rule B41-14.22.B, B41-9.7, B41-9.13.A, B41-A64.
func (p *Position) advanceCost(u, from, to int, w Weather) int {
	v, t := p.unit(u), p.board().Terrain(to)
	if int(t) >= len(p.d.Terrain) {
		t = Clear
	}
	n := p.d.Terrain[t][w].Leg
	switch {
	case v.Mech():
		n = p.d.Terrain[t][w].Mech
	case v.Side == soviet && p.d.SovietLegMP[w] > 0:
		n = p.d.SovietLegMP[w]
	}
	s := p.board().Between(from, to)
	if s&SivashSide != 0 {
		return n + p.d.Major[Mud].MP
	}
	if s&LakeSide != 0 {
		n += p.d.LakeCross[w].MP
	}
	switch {
	case s&(MajorRiver|KerchSide) != 0:
		n += p.d.Major[w].MP
	case s&MinorRiver != 0:
		n += p.d.Minor[w].MP
	}
	return n
}

// mayAdvance reports whether a unit may enter a hex in an advance, as its first
// hex or later.
//
// Rule B41-14.28.A, B41-9.12.A, B41-9.14, B41-A66, B41-A85.
func (p *Position) mayAdvance(u, from, to int, first bool, w Weather) bool {
	if to == board.None || p.holds(enemyOf(p.unit(u).Side), to) {
		return false
	}
	if !first && p.board().Between(from, to)&KerchSide != 0 && w != Frost {
		return false
	}
	ok, _, _ := p.passable(p.unit(u).Side, u, from, to)
	return ok
}

// staysHome are units that fight but never leave their hex to advance or to
// occupy another.
//
// Rule B41-5.12.I, B41-6.21.B, B41-A42.
func (p *Position) staysHome(u int) bool {
	switch p.unit(u).ID {
	case "MSU", "PART":
		return true
	case "4ABN":
		return p.waitsInMoscow()
	}
	return false
}

// goal is one way forward.
type goal struct{ path []int }

func (w goal) end() int { return w.path[len(w.path)-1] }

// forward prices a path for a unit: how many of its hexes it can go. Where the
// path crosses the weather line, the weather that is better for it counts
// throughout.
//
// Rule B41-14.22.B, B41-14.28.A, B41-14.28.B, B41-9.7, B41-A67.
func (b *battle) forward(u int, path []int) int {
	from := b.hexOfFighter(u)
	best := b.forwardIn(u, from, path, b.p.weather(path[0]), false)
	for _, w := range []Weather{b.p.d.Turns[b.p.turn].North, b.p.d.Turns[b.p.turn].South} {
		best = max(best, b.forwardIn(u, from, path, w, true))
	}
	return best
}

// forwardIn is how many hexes of a path a unit can go when all is reckoned in
// one weather; whole says that the way must cross the weather line for that.
func (b *battle) forwardIn(u, from int, path []int, w Weather, whole bool) int {
	p := b.p
	zone := p.board().Is(from, Southern)
	mp := min(b.awarded(), p.advanceMPs(u, b.full[u], w))
	left, crossed, n := mp, false, 0
	for i, to := range path {
		if !p.mayAdvance(u, from, to, i == 0, w) {
			break
		}
		crossed = crossed || p.board().Is(to, Southern) != zone
		if !whole && crossed {
			// Reckoned by the other weather or in both, see forward.
			if i == 0 {
				n = 1
			}
			break
		}
		cost := p.advanceCost(u, from, to, w)
		if i > 0 && cost > left {
			break
		}
		left -= cost
		from = to
		if !whole || crossed || i == 0 {
			n = i + 1
		}
	}
	return n
}

// awarded is the MPs that the battle gives.
//
// Rule B41-14.22.C, B41-14.29.A, B41-14.38, B41-A54.
func (b *battle) awarded() int {
	if b.dx || b.kind == "probe" {
		return mostAward
	}
	return b.award
}

// goals lists where a unit can end an advance from a vacated hex on, by the
// shortest way there.
func (b *battle) goals(u int, first int) []goal {
	p := b.p
	best := map[int]goal{}
	var order []int
	var try func(path []int, depth int)
	try = func(path []int, depth int) {
		if b.forward(u, path) < len(path) {
			return
		}
		end := path[len(path)-1]
		if old, ok := best[end]; !ok || len(path) < len(old.path) {
			if !ok {
				order = append(order, end)
			}
			best[end] = goal{path: slices.Clone(path)}
		} else if ok && len(path) > len(old.path) {
			return
		}
		if depth == 0 {
			return
		}
		for _, to := range p.board().Neighbours(end) {
			if to != board.None && !slices.Contains(path, to) && to != b.hexOfFighter(u) {
				try(append(path, to), depth-1)
			}
		}
	}
	try([]int{first}, 4)
	slices.Sort(order)
	var out []goal
	for _, h := range order {
		if p.board().Terrain(h) != Lake {
			out = append(out, best[h])
		}
	}
	return out
}

// march is a unit and the way it shall go.
type march struct {
	u    int
	path []int
}

// vacant lists the hexes of the battle that are free to be occupied.
func (b *battle) vacant() []int {
	var out []int
	for _, h := range b.at {
		if !b.p.holds(enemyOf(b.side), h) {
			out = append(out, h)
		}
	}
	return out
}

// victors lists the attackers that may advance: alive, in the hex they attacked
// from, and able to enter a vacated hex.
//
// Rule B41-14.8.B, B41-14.22.A, B41-14.6, B41-A66.
func (b *battle) victors() []int {
	var out []int
	for _, f := range b.attack {
		if b.p.At(f.u) != f.h || b.p.staysHome(f.u) || b.p.holds(enemyOf(b.side), f.h) {
			continue
		}
		for _, h := range b.vacant() {
			if b.forward(f.u, []int{h}) == 1 {
				out = append(out, f.u)
				break
			}
		}
	}
	return out
}

func (b *battle) hexOfFighter(u int) int {
	for _, f := range b.attack {
		if f.u == u {
			return f.h
		}
	}
	return b.p.At(u)
}

// advance lets the victors go forward.
//
// Rule B41-14.9.C, B41-14.22.A, B41-14.28.A, B41-14.29.C, B41-14.38, B41-12.20.A.
func (b *battle) advance() {
	vacant, victors := b.vacant(), b.victors()
	if len(vacant) == 0 || len(victors) == 0 || b.gaveWay[b.side] && b.ma() {
		return
	}
	var plans [][]march
	q := engine.Question{Decision: "E05", Side: sideOf(b.side), Rule: "B41-14.22.A", Always: true,
		Text: engine.T("b41.ask.advance", "hexes", b.p.names(vacant), "award", b.awardWord(), "battle", b.title())}
	add := func(plan []march, clause string) int {
		for i, old := range plans {
			if sameMarch(old, plan) {
				return i
			}
		}
		plans = append(plans, plan)
		q.Options = append(q.Options, engine.Option{Clause: clause, Text: engine.T("b41.option.advance", "list", b.planWords(plan))})
		return len(plans) - 1
	}
	add(nil, "ADVANCE NONE")
	one := func(u int) int {
		i := 0
		for _, h := range vacant {
			if b.forward(u, []int{h}) == 1 && b.p.stackRefusal(h, b.side, []int{u}, nil) == nil {
				i = add([]march{{u, []int{h}}}, "ADVANCE "+string(b.p.unit(u).ID)+" OCCUPY")
			}
		}
		return i
	}
	for _, u := range victors {
		one(u)
	}
	all := b.crowd(victors, vacant)
	everybody := add(all, "ADVANCE ALL OCCUPY")
	if b.kind == "probe" {
		q.Default = everybody
	} else if slices.ContainsFunc(vacant, b.worthy) {
		strong := slices.MaxFunc(victors, func(a, c int) int { return b.p.Steps(a) - b.p.Steps(c) })
		q.Default = one(strong)
	}
	ordered := -1
	if b.opt.Advance != nil {
		ordered = add(b.compile(*b.opt.Advance, victors, vacant), "ADVANCE")
	}
	i := b.ask(q, func(*engine.Exec) (int, string, string) {
		if ordered < 0 {
			return 0, "", ""
		}
		return ordered, "order", b.order.Text
	})
	for _, m := range plans[i] {
		b.stride(m)
		if b.p.ended != nil {
			return
		}
	}
	if ordered >= 0 {
		return
	}
	for _, m := range plans[i] {
		b.further(m)
		if b.p.ended != nil {
			return
		}
	}
}

// further asks how far a unit goes on from the hex it has occupied.
func (b *battle) further(m march) {
	if b.p.At(m.u) != m.path[0] {
		return
	}
	q := engine.Question{Decision: "E05", Side: sideOf(b.side), Rule: "B41-14.28.B", Always: true,
		Text: engine.T("b41.ask.further", "unit", string(b.p.unit(m.u).ID), "hex", b.p.name(m.path[0]))}
	q.Options = []engine.Option{{Clause: "ADVANCE " + string(b.p.unit(m.u).ID) + " OCCUPY", Text: engine.T("b41.option.stop", "hex", b.p.name(m.path[0]))}}
	walks := []goal{{}}
	for _, w := range b.goals(m.u, m.path[0]) {
		if len(w.path) > 1 && b.p.stackRefusal(w.end(), b.side, []int{m.u}, nil) == nil {
			walks = append(walks, w)
			q.Options = append(q.Options, engine.Option{Clause: "ADVANCE " + string(b.p.unit(m.u).ID) + " " + strings.Join(b.p.names(w.path), " "),
				Text: engine.T("b41.option.path", "path", b.p.names(w.path))})
		}
	}
	if i := b.ask(q, nil); i > 0 {
		b.stride(march{m.u, walks[i].path[1:]})
	}
}

// worthy reports whether a hex is occupied by default.
func (b *battle) worthy(h int) bool {
	_, fort := b.p.intact(h)
	return b.p.scores(h) || b.p.board().Any(h, Place) || fort
}

// awardWord is the award as it is told: a number, or the most.
func (b *battle) awardWord() int { return min(b.awarded(), 4) }

func sameMarch(a, b []march) bool {
	return slices.EqualFunc(a, b, func(x, y march) bool { return x.u == y.u && slices.Equal(x.path, y.path) })
}

func (b *battle) planWords(plan []march) []string {
	var out []string
	for _, m := range plan {
		out = append(out, string(b.p.unit(m.u).ID)+" "+strings.Join(b.p.names(m.path), " "))
	}
	return out
}

// crowd puts as many units into the vacated hexes as may stand there, in order.
func (b *battle) crowd(units, vacant []int) []march {
	in := map[int][]int{}
	var out []march
	for _, u := range units {
		for _, h := range vacant {
			add := append(slices.Clone(in[h]), u)
			if b.forward(u, []int{h}) == 1 && b.p.stackRefusal(h, b.side, add, nil) == nil {
				in[h] = add
				out = append(out, march{u, []int{h}})
				break
			}
		}
	}
	return out
}

// compile turns the ADVANCE clauses of an order into marches: each unit goes as
// far along its way as its MPs reach and the stacking allows.
//
// Rule B41-14.28.B, B41-14.29.B, B41-14.29.C.
func (b *battle) compile(a Advance, victors, vacant []int) []march {
	if a.None {
		return nil
	}
	in := map[int][]int{}
	var out []march
	gone := map[int]bool{}
	for _, c := range a.Clauses {
		if c.IfDX && !b.dx || c.Award != nil && !c.Award.Holds(b.awardWord()) {
			continue
		}
		for _, u := range victors {
			if gone[u] || !b.p.among(c.Units, u) {
				continue
			}
			path := b.wayForward(u, c, vacant)
			for n := b.reachOf(u, path); n > 0; n-- {
				end := path[n-1]
				add := append(slices.Clone(in[end]), u)
				if b.p.board().Terrain(end) != Lake && b.p.stackRefusal(end, b.side, add, nil) == nil {
					in[end], gone[u] = add, true
					out = append(out, march{u, slices.Clone(path[:n])})
					break
				}
			}
		}
	}
	return out
}

func (b *battle) reachOf(u int, path []int) int {
	if len(path) == 0 {
		return 0
	}
	return b.forward(u, path)
}

// among reports whether a list word or a name takes in a unit.
func (p *Position) among(l Units, u int) bool {
	v := p.unit(u)
	if slices.Contains(l.Except, v.ID) {
		return false
	}
	if slices.Contains(l.IDs, v.ID) {
		return true
	}
	switch l.Word {
	case "ALL", "REST":
		return true
	case "MECH":
		return v.Mech()
	case "LEG":
		return v.Leg()
	}
	return l.Word == "" && len(l.IDs) == 0
}

// wayForward is the path that a clause means for a unit.
func (b *battle) wayForward(u int, c AdvanceClause, vacant []int) []int {
	var first []int
	for _, h := range vacant {
		if b.forward(u, []int{h}) == 1 {
			first = append(first, h)
		}
	}
	if len(first) == 0 {
		return nil
	}
	switch {
	case len(c.Path) > 0:
		return b.p.follow(b.hexOfFighter(u), c.Path)
	case c.Toward.IsZero():
		return first[:1]
	}
	aim := b.p.board().Index(c.Toward)
	var best goal
	for _, h := range first {
		for _, w := range b.goals(u, h) {
			if c.Max > 0 && b.spent(u, w.path) > c.Max {
				continue
			}
			if best.path == nil || b.p.board().Distance(w.end(), aim) < b.p.board().Distance(best.end(), aim) ||
				b.p.board().Distance(w.end(), aim) == b.p.board().Distance(best.end(), aim) && len(w.path) < len(best.path) {
				best = w
			}
		}
	}
	if best.path == nil {
		return first[:1]
	}
	return best.path
}

// spent is what a path costs in MPs, the vacated hex included, in the weather of
// each hex.
func (b *battle) spent(u int, path []int) int {
	n, from := 0, b.hexOfFighter(u)
	for _, h := range path {
		n += b.p.advanceCost(u, from, h, b.p.weather(h))
		from = h
	}
	return n
}

// follow spells out the steps of a path from a hex, as far as they are on the
// map.
func (p *Position) follow(from int, steps []Step) []int {
	var out []int
	at := from
	for _, s := range steps {
		switch {
		case !s.Hex.IsZero() || !s.To.IsZero():
			c := s.Hex
			if c.IsZero() {
				c = s.To
			}
			h := p.board().Index(c)
			if h == board.None || h == at {
				continue
			}
			if s.Hex.IsZero() && !p.board().Adjacent(at, h) {
				for at != h { // the straight way
					next := board.None
					for _, j := range p.board().Neighbours(at) {
						if j != board.None && (next == board.None || p.board().Distance(j, h) < p.board().Distance(next, h)) {
							next = j
						}
					}
					out, at = append(out, next), next
				}
				continue
			}
			out, at = append(out, h), h
		default:
			for i := 0; i < max(s.Count, 1) && at != board.None; i++ {
				if at = p.board().Next(at, s.Dir); at != board.None {
					out = append(out, at)
				}
			}
			if at == board.None {
				return out
			}
		}
	}
	return out
}

// stride moves a unit along its way.
//
// Rule B41-14.9.A, B41-3.0.D, B41-15.6.
func (b *battle) stride(m march) {
	if !b.p.onMap(m.u) || len(m.path) == 0 {
		return
	}
	from, done := b.p.At(m.u), 0
	for _, h := range m.path {
		done++
		b.emit("B41-14.22.A", UnitMoved{b.p.unit(m.u).ID, []hex.Coord{b.p.board().At(h)}, "advance"})
		b.arrived(h, b.side)
		if b.p.ended != nil || b.p.At(m.u) != h {
			break
		}
	}
	b.advances = append(b.advances, Way{Units: []engine.UnitID{b.p.unit(m.u).ID}, From: b.p.board().At(from), Path: b.p.coords(m.path[:done])})
}

// occupy lets the defenders take assault hexes that the attackers have lost or
// left, if the result left the defenders whole.
//
// Rule B41-14.8.C, B41-14.39.7.A, B41-A63, B41-A108.
func (b *battle) occupy() {
	side := enemyOf(b.side)
	for _, h := range b.from {
		if b.p.holds(b.side, h) {
			continue
		}
		var may []int
		for _, f := range b.defend {
			if b.p.At(f.u) != f.h || b.p.Steps(f.u) == 0 || b.p.staysHome(f.u) || !b.p.board().Adjacent(f.h, h) {
				continue
			}
			if ok, _, _ := b.p.passable(side, f.u, f.h, h); ok && b.p.board().Terrain(h) != Lake {
				may = append(may, f.u)
			}
		}
		b.occupyHex(h, side, may)
		if b.p.ended != nil {
			return
		}
	}
}

func (b *battle) occupyHex(h int, side uint8, may []int) {
	if len(may) == 0 {
		return
	}
	bids := [][]int{nil}
	for n := 1; n <= len(may); n++ {
		for _, s := range subsets(may, n) {
			if (len(bids) < mostOptions || n == len(may)) && b.p.stackRefusal(h, side, s, nil) == nil {
				bids = append(bids, s)
			}
		}
	}
	q := engine.Question{Decision: "D07", Side: sideOf(side), Rule: "B41-14.8.C",
		Text: engine.T("b41.ask.occupy", "hex", b.p.name(h), "battle", b.title())}
	for i, bid := range bids {
		clause, ids := "COUNTERADVANCE NEVER", sortedIDs(b.p.ids(bid))
		if i > 0 {
			clause = "COUNTERADVANCE ALWAYS WITH " + strings.Join(ids, " ")
		}
		q.Options = append(q.Options, engine.Option{Clause: clause, Text: engine.T("b41.option.occupy", "hex", b.p.name(h), "units", ids)})
	}
	if b.p.scores(h) {
		q.Default = b.bidFor(bids, nil, 1)
	}
	i := b.ask(q, func(x *engine.Exec) (int, string, string) {
		for _, l := range b.linesFor(x, side, b.matter(may, append(slices.Clone(b.at), h)...)) {
			c := l.Policy.Counter
			if c == nil {
				continue
			}
			switch {
			case c.When == "NEVER":
				return 0, "standing", l.Text
			case c.When == "VP" && !b.p.scores(h), c.When == "TOWN" && !b.p.board().Any(h, Place):
				continue
			}
			return b.bidFor(bids, c.With, c.Leave), "standing", l.Text
		}
		return 0, "", ""
	})
	if i == 0 {
		return
	}
	for _, u := range bids[i] {
		from := b.p.At(u)
		b.emit("B41-14.8.C", UnitMoved{b.p.unit(u).ID, []hex.Coord{b.p.board().At(h)}, "occupy"})
		b.occupied = append(b.occupied, Way{Units: b.p.ids([]int{u}), From: b.p.board().At(from), Path: []hex.Coord{b.p.board().At(h)}})
	}
	b.arrived(h, side)
}

// bidFor is the occupation with named units only, or with the strongest one,
// that leaves so many defenders behind.
func (b *battle) bidFor(bids [][]int, with []engine.UnitID, leave int) int {
	best, most := 0, 0
	for i, bid := range bids {
		behind := 0
		for _, u := range b.defenders {
			if b.p.onMap(u) && !slices.Contains(bid, u) {
				behind++
			}
		}
		if i == 0 || behind < leave || len(with) > 0 && slices.ContainsFunc(bid, func(u int) bool { return !slices.Contains(with, b.p.unit(u).ID) }) {
			continue
		}
		n := b.p.steps(bid)
		if len(with) == 0 && len(bid) > 1 {
			continue
		}
		if n > most {
			best, most = i, n
		}
	}
	return best
}
