package blitz41

import (
	"slices"
	"strings"

	"pbemd/engine"
	"pbemd/engine/board"
	"pbemd/engine/hex"
)

// route is one way for a beaten group to give way: in one body, or split where
// stacking wants it.
type route struct {
	from   int
	parts  []part
	exit   string // finland, zomo, sea: where it leaves the map, or the coast
	length int    // increments that it takes
}

// part is what goes one way.
type part struct {
	units []int
	path  []int // without the hex it begins in
	from  int
}

func (s part) end() int {
	if len(s.path) == 0 {
		return s.from
	}
	return s.path[len(s.path)-1]
}

// leaves reports whether the group leaves the map.
func (w route) leaves() bool { return w.exit == "finland" || w.exit == "zomo" }

// track is a path with its turns away from home.
type track struct {
	path  []int
	bends []int
	total int
}

func (t track) end() int { return t.path[len(t.path)-1] }

func (b *battle) living(units []int) []int {
	var out []int
	for _, u := range units {
		if b.p.onMap(u) && b.p.Steps(u) > 0 {
			out = append(out, u)
		}
	}
	return out
}

// home is the direction in which a side retreats.
//
// Rule B41-14.10, B41-14.13.A.
func home(side uint8) hex.Direction {
	if side == axis {
		return hex.W
	}
	return hex.E
}

// retreatStep reports whether units may retreat from a hex into its neighbour
// as the step with the number i.
//
// Rule B41-14.12, B41-14.14.B, B41-14.14.C, B41-14.15.A, B41-14.15.B, B41-9.12.A, B41-6.21.C, B41-14.11.A, B41-A38, B41-A40, B41-A85.
func (p *Position) retreatStep(side uint8, units []int, from, to, i int) bool {
	if to == board.None || p.holds(enemyOf(side), to) {
		return false
	}
	if side == soviet && p.board().Any(to, Zomo) && p.Owner(to) != soviet {
		return false
	}
	if i > 0 && p.board().Between(from, to)&KerchSide != 0 && p.weather(to) != Frost {
		return false
	}
	for _, u := range units {
		if ok, _, _ := p.passable(side, u, from, to); !ok {
			return false
		}
	}
	return true
}

// tracks lists the paths of exactly n hexes, the straightest first: by all their
// bends, then straight as long as may be, then in board order. The Coastal Army
// alone may follow the coast either way.
//
// Rule B41-14.14.A, B41-14.16.B, B41-10.2.B, B41-9.24.C, B41-A58, B41-A121.
func (p *Position) tracks(side uint8, units []int, from, n int, never []int) []track {
	coast := len(units) == 1 && units[0] == p.special("COAST")
	var out []track
	path, bends := make([]int, 0, n), make([]int, 0, n)
	var stepOn func(at, total int)
	stepOn = func(at, total int) {
		if len(path) == n {
			if p.board().Terrain(at) != Lake {
				out = append(out, track{slices.Clone(path), slices.Clone(bends), total})
			}
			return
		}
		for d, to := range p.board().Neighbours(at) {
			if to == from || slices.Contains(path, to) || slices.Contains(never, to) || !p.retreatStep(side, units, at, to, len(path)) {
				continue
			}
			bend := home(side).Deviation(hex.Direction(d))
			if coast {
				bend = 0
			}
			path, bends = append(path, to), append(bends, bend)
			stepOn(to, total+bend)
			path, bends = path[:len(path)-1], bends[:len(bends)-1]
		}
	}
	stepOn(from, 0)
	slices.SortFunc(out, func(a, b track) int { // no two paths are the same
		if a.total != b.total {
			return a.total - b.total
		}
		if c := slices.Compare(a.bends, b.bends); c != 0 {
			return c
		}
		return slices.Compare(a.path, b.path)
	})
	return out
}

// sameBends reports whether two paths are equally straight: which is taken is
// up to the owner.
func sameBends(a, b track) bool { return slices.Equal(a.bends, b.bends) }

// land lists the routes over land of the greatest length that can be had, at
// most n hexes. They are equally straight; stacks are split only where stacking
// in the last hex wants it.
//
// Rule B41-14.16.A, B41-14.16.B, B41-A58, B41-A60.
func (p *Position) land(side uint8, units []int, from, n int, never []int) []route {
	for ; n > 0; n-- {
		tracks := p.tracks(side, units, from, n, never)
		if len(tracks) == 0 {
			continue
		}
		var out []route
		for _, parts := range p.divide(side, units, from, tracks, units, nil) {
			out = append(out, route{from: from, parts: parts, length: n})
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// divide finds ends for units along the tracks: all together on the straightest
// that has room, else as many as may be there and the rest on the next.
func (p *Position) divide(side uint8, units []int, from int, tracks []track, all []int, taken []part) [][]part {
	fits := func(us []int, t track) bool {
		add := slices.Clone(us)
		for _, s := range taken {
			if s.end() == t.end() {
				add = append(add, s.units...)
			}
		}
		return p.stackRefusal(t.end(), side, add, all) == nil
	}
	with := func(us []int, t track) []part {
		return append(slices.Clone(taken), part{us, t.path, from})
	}
	for i := 0; i < len(tracks); {
		j := i
		for j < len(tracks) && sameBends(tracks[i], tracks[j]) {
			j++
		}
		var out [][]part
		for _, t := range tracks[i:j] {
			if len(out) < mostOptions && fits(units, t) {
				out = append(out, with(units, t))
			}
		}
		if len(out) > 0 {
			return out
		}
		for size := len(units) - 1; size > 0; size-- {
			for _, t := range tracks[i:j] {
				for _, some := range subsets(units, size) {
					if len(out) >= mostOptions || !fits(some, t) {
						continue
					}
					rest := slices.DeleteFunc(slices.Clone(units), func(u int) bool { return slices.Contains(some, u) })
					for _, parts := range p.divide(side, rest, from, tracks[i:], all, with(some, t)) {
						if len(out) < mostOptions {
							out = append(out, parts)
						}
					}
				}
			}
			if len(out) > 0 {
				return out
			}
		}
		i = j
	}
	return nil
}

// subsets lists the subsets of a size, in order.
func subsets(units []int, size int) [][]int {
	var out [][]int
	var pick func(i int, got []int)
	pick = func(i int, got []int) {
		if len(got) == size {
			out = append(out, slices.Clone(got))
			return
		}
		if i == len(units) || len(got)+len(units)-i < size {
			return
		}
		pick(i+1, append(got, units[i]))
		pick(i+1, got)
	}
	pick(0, nil)
	return out
}

// offMap lists the ways off the map for a group that has n hexes to go: each
// takes all increments that remain.
//
// Rule B41-14.11.B, B41-14.11.B.1, B41-14.11.B.2, B41-A61.
func (p *Position) offMap(side uint8, units []int, from, n int, never []int) []route {
	if side != axis {
		return nil
	}
	germans := !slices.ContainsFunc(units, func(u int) bool { return !p.unit(u).German() })
	var out []route
	try := func(at int, path []int) {
		if len(path) > 0 && p.holds(soviet, at) {
			return
		}
		s := []part{{units, path, from}}
		if p.board().Any(at, Zomo) && p.board().Next(at, hex.W) == board.None {
			out = append(out, route{from, s, "zomo", n})
		}
		if germans && slices.Contains(p.d.finland, at) {
			out = append(out, route{from, s, "finland", n})
		}
	}
	try(from, nil)
	for i := 1; i < min(n, 4) && len(out) == 0; i++ {
		tracks := p.tracks(side, units, from, i, never)
		for _, t := range tracks {
			if sameBends(t, tracks[0]) {
				try(t.end(), t.path)
			}
		}
	}
	return out
}

// toSea lists the ports that the Coastal Army may reach by sea; the way takes
// one increment.
//
// Rule B41-10.2.B, B41-14.13.B, B41-A104.
func (p *Position) toSea(units []int, from int) []route {
	if len(units) != 1 || units[0] != p.special("COAST") {
		return nil
	}
	var out []route
	for h := 0; h < p.board().Len(); h++ {
		if h == from || !p.board().Is(h, Port) || p.Owner(h) != soviet || p.holds(axis, h) || p.stackRefusal(h, soviet, units, nil) != nil {
			continue
		}
		if p.shipped(from, h, 6) {
			out = append(out, route{from, []part{{units, []int{h}, from}}, "sea", 1})
		}
	}
	return out
}

// shipped reports whether the Coastal Army can go by sea from a hex to another
// in at most n hexes: over sea hexes, all-sea hexsides, and through the strait
// if both of its banks are Soviet.
//
// Rule B41-10.2.B, B41-10.4, B41-A103.
func (p *Position) shipped(from, to, n int) bool {
	bd := p.board()
	east, west := p.named("CC11"), p.named("CC12")
	open := p.Owner(east) == soviet && p.Owner(west) == soviet && !p.holds(axis, east) && !p.holds(axis, west)
	passage := func(h int) bool {
		return bd.Any(h, SeaBlack) || bd.Any(h, SeaAzov) && open || open && (h == east || h == west)
	}
	seen := map[int]bool{from: true}
	edge := []int{from}
	for ; n > 0; n-- {
		var next []int
		for _, h := range edge {
			for d, j := range bd.Neighbours(h) {
				if j == board.None || seen[j] {
					continue
				}
				side := bd.Side(h, hex.Direction(d))
				wet := side&AllSea != 0 || bd.Terrain(h) == Sea || bd.Terrain(j) == Sea || open && side&KerchSide != 0
				switch {
				case !wet:
					continue
				case j == to:
					return true
				case !passage(j):
					continue
				}
				seen[j] = true
				next = append(next, j)
			}
		}
		edge = next
	}
	return false
}

// ways lists the routes of a group that has n hexes to go: those that take them
// all, or, if there are none, the longest.
func (b *battle) ways(f *body, g group, n int) []route {
	units := b.living(g.units)
	if len(units) == 0 || g.hold {
		return nil
	}
	most := min(n, f.limit)
	land := b.p.land(f.side, units, g.from, most, b.never(f))
	var out []route
	for _, w := range land {
		if w.length == n {
			out = append(out, w)
		}
	}
	out = append(out, b.p.offMap(f.side, units, g.from, n, b.never(f))...)
	if n == 1 {
		out = append(out, b.p.toSea(units, g.from)...)
	}
	if len(out) == 0 {
		return land
	}
	return out
}

// never are hexes that a force may not retreat into: a beaten attacker does not
// fall back into the hexes that he attacked.
func (b *battle) never(f *body) []int {
	if f.defends {
		return nil
	}
	return b.at
}

// landReach is how many of n hexes the force can go over land: the best of its
// groups, as each pays for itself what it can't go (B41-A62).
func (b *battle) landReach(f *body, n int) int {
	best := 0
	for _, g := range f.groups {
		units := b.living(g.units)
		if len(units) == 0 || g.hold {
			continue
		}
		if w := b.p.land(f.side, units, g.from, min(n, f.limit), b.never(f)); len(w) > 0 {
			best = max(best, w[0].length)
		}
	}
	return best
}

// reach is how many of n increments the force can retreat, ways off the map and
// to the sea included.
//
// Rule B41-14.17, B41-14.30.A.
func (b *battle) reach(f *body, n int) int {
	if b.exits(f, "zomo", n) || b.exits(f, "finland", n) {
		return n
	}
	r := b.landReach(f, n)
	if r == 0 && b.coastAlone(f) && b.bySea(f) {
		return 1
	}
	return r
}

// exits reports whether a group of the force can leave the map that way before
// it has gone its hexes.
func (b *battle) exits(f *body, where string, n int) bool {
	for _, g := range f.groups {
		units := b.living(g.units)
		if len(units) == 0 || g.hold {
			continue
		}
		for _, w := range b.p.offMap(f.side, units, g.from, n, b.never(f)) {
			if w.exit == where {
				return true
			}
		}
	}
	return false
}

func (b *battle) coastAlone(f *body) bool {
	u := b.alive(f)
	return len(u) == 1 && u[0] == b.p.special("COAST")
}

func (b *battle) bySea(f *body) bool {
	for _, g := range f.groups {
		if len(b.p.toSea(b.living(g.units), g.from)) > 0 {
			return true
		}
	}
	return false
}

// retreat has every group of a force give way n hexes. A group that can't go
// them all pays for the rest with steps of its own.
//
// Rule B41-14.9.A, B41-14.9.B, B41-14.16.A, B41-14.20, B41-A59, B41-A60, B41-A62.
func (b *battle) retreat(f *body, n int) {
	for _, g := range f.groups {
		g.units = b.living(g.units)
		if len(g.units) == 0 {
			continue
		}
		ways := b.ways(f, g, n)
		length := 0
		if len(ways) > 0 {
			length = ways[0].length
		}
		if length < n {
			own := *f
			own.groups = []group{g}
			b.pay(&own, n-length, "loss", "B41-14.20")
			if b.p.ended != nil {
				return
			}
			if g.units = b.living(g.units); len(g.units) == 0 || length == 0 {
				continue
			}
			ways = b.ways(f, g, length)
		}
		if len(ways) == 0 {
			continue
		}
		b.giveWay(f, g, ways[b.askWay(f, g, ways)])
		if b.p.ended != nil {
			return
		}
	}
}

// askWay lets the owner choose among equally straight ways, and ways out.
func (b *battle) askWay(f *body, g group, ways []route) int {
	q := engine.Question{Decision: f.way, Side: sideOf(f.side), Rule: "B41-14.14.A",
		Text: engine.T("b41.ask.retreat", "hex", b.p.name(g.from), "n", ways[0].length, "units", sortedIDs(b.p.ids(g.units)))}
	for _, w := range ways {
		q.Options = append(q.Options, b.wayOption(w))
	}
	q.Default = b.bestWay(f, g, ways, nil)
	return b.ask(q, func(x *engine.Exec) (int, string, string) {
		if !f.defends && b.opt.Retreat != nil {
			return b.bestWay(f, g, ways, b.opt.Retreat), "order", b.order.Text
		}
		if pol, text, ok := b.retreatWish(x, f, g); ok {
			return b.bestWay(f, g, ways, pol), "standing", text
		}
		return 0, "", ""
	})
}

func (b *battle) wayOption(w route) engine.Option {
	if w.exit == "sea" {
		at := b.p.name(w.parts[0].end())
		return engine.Option{Clause: "RETREAT SEA " + at, Text: engine.T("b41.option.sea", "hex", at)}
	}
	if w.leaves() {
		return engine.Option{Clause: "RETREAT EXIT " + strings.ToUpper(w.exit),
			Text: engine.T("b41.option.exit."+w.exit, "path", b.p.names(w.parts[0].path))}
	}
	if len(w.parts) == 1 {
		p := b.p.names(w.parts[0].path)
		return engine.Option{Clause: "RETREAT TOWARD " + p[len(p)-1], Text: engine.T("b41.option.retreat", "path", p)}
	}
	var list, clause []string
	for _, s := range w.parts {
		path := b.p.names(s.path)
		list = append(list, strings.Join(sortedIDs(b.p.ids(s.units)), " ")+": "+strings.Join(path, " "))
		clause = append(clause, "SPLIT "+strings.Join(sortedIDs(b.p.ids(s.units)), " ")+" "+path[len(path)-1])
	}
	return engine.Option{Clause: "RETREAT " + strings.Join(clause, " "), Text: engine.T("b41.option.parts", "list", list)}
}

func (p *Position) names(path []int) []string {
	out := make([]string, len(path))
	for i, h := range path {
		out[i] = p.name(h)
	}
	return out
}

func (p *Position) coords(path []int) []hex.Coord {
	out := make([]hex.Coord, len(path))
	for i, h := range path {
		out[i] = p.board().At(h)
	}
	return out
}

// giveWay moves a group along its route, hex by hex, so that control flips and
// forts fall on the way. An MSU goes along.
//
// Rule B41-5.12.I, B41-14.14.C, B41-3.0.D, B41-14.21.A.
func (b *battle) giveWay(f *body, g group, w route) {
	msu := b.p.special("MSU")
	if f.side == soviet && b.p.At(msu) == g.from && w.exit == "" {
		w.parts = slices.Clone(w.parts)
		w.parts[0].units = append(slices.Clone(w.parts[0].units), msu)
	}
	// Rule B41-12.15, B41-12.19.
	if !f.defends && b.ma() {
		b.goHome("B41-12.19")
	}
	how := "retreat"
	if w.exit == "sea" {
		how = "sea"
	}
	for _, s := range w.parts {
		way := Way{Units: b.p.ids(s.units), From: b.p.board().At(s.from), Path: b.p.coords(s.path), Exit: w.exit}
		b.retreats = append(b.retreats, way)
		for _, h := range s.path {
			moved := false
			for _, u := range s.units {
				if b.p.onMap(u) {
					b.emit("B41-14.10", UnitMoved{b.p.unit(u).ID, []hex.Coord{b.p.board().At(h)}, how})
					moved = true
				}
			}
			if moved {
				b.arrived(h, f.side)
			}
			if b.p.ended != nil {
				return
			}
		}
	}
	if f.defends && !b.ma() {
		var on []int
		for _, u := range g.units {
			if b.p.onMap(u) {
				on = append(on, u)
			}
		}
		b.flag("B41-14.21.A", on, Retreated, 0)
	}
	switch w.exit {
	case "zomo":
		for _, u := range w.parts[0].units {
			b.remove(u, Waiting, "B41-14.11.B.2", "zomo")
		}
	case "finland":
		for _, u := range w.parts[0].units {
			b.remove(u, Gone, "B41-14.11.B.1", "finland")
		}
	}
	if f.defends {
		n := w.length
		if w.leaves() {
			n = len(w.parts[0].path) + 1
		}
		b.award = max(b.award, n)
	}
	b.gaveWay[f.side] = true
}

// bestWay chooses among routes: what a policy wants, in its order, then by
// default supply, a fort or town, nobody there (14.21), the north. Ways off the
// map come last unless they are asked for.
//
// Rule B41-14.16.A.
func (b *battle) bestWay(f *body, g group, ways []route, pol *RetreatPolicy) int {
	var best []int
	choice := 0
	for i, w := range ways {
		s := b.wayScore(f, g, w, ways, pol)
		if best == nil || slices.Compare(s, best) > 0 {
			best, choice = s, i
		}
	}
	return choice
}

func (b *battle) wayScore(f *body, g group, w route, ways []route, pol *RetreatPolicy) []int {
	p := b.p
	yes := func(is bool) int {
		if is {
			return 1
		}
		return 0
	}
	ends := func(count func(s part) int) int {
		n := 0
		for _, s := range w.parts {
			n += count(s)
		}
		return n
	}
	near := func(c hex.Coord) int {
		t := p.board().Index(c)
		if t == board.None {
			return 0
		}
		return ends(func(s part) int { return p.board().Distance(s.end(), t) })
	}
	supply := ends(func(s part) int {
		n := 0
		for _, u := range s.units {
			if st := p.statusAt(u, s.end()); st.OOS || st.None {
				n -= 100
			} else {
				n -= st.Loss
			}
		}
		return n
	})
	place := func(s part) int { return yes(p.board().Any(s.end(), Place)) }
	fort := func(s part) int { _, ok := p.intact(s.end()); return yes(ok && f.side == soviet) }
	alone := func(s part) int { return -yes(b.company(f.side, g, s.end())) }
	north := func(s part) int { return -int(p.board().At(s.end()).Row) }
	score := func(word string) int {
		switch word {
		case "SUPPLY":
			return supply
		case "TOWN":
			return ends(place)
		case "FORT":
			return ends(fort)
		case "ALONE":
			return ends(alone)
		case "JOIN":
			return -ends(alone)
		case "PREFER NORTH":
			return ends(north)
		case "PREFER SOUTH":
			return -ends(north)
		case "EXIT FINLAND":
			return yes(w.exit == "finland")
		case "EXIT ZOMO":
			return yes(w.exit == "zomo")
		case "NOEXIT":
			return -yes(w.leaves())
		case "SEA":
			return yes(w.exit == "sea")
		}
		return 0
	}
	var s []int
	if pol != nil {
		for _, sp := range pol.Split {
			s = append(s, b.splitScore(w, sp))
		}
		for _, c := range pol.Avoid {
			s = append(s, -ends(func(x part) int { return yes(slices.Contains(x.path, p.board().Index(c))) }))
		}
		if !pol.Sea.IsZero() {
			s = append(s, yes(w.exit == "sea" && w.parts[0].end() == p.board().Index(pol.Sea)))
		}
		leave := slices.Contains(pol.Words, "EXIT FINLAND") || slices.Contains(pol.Words, "EXIT ZOMO")
		if !leave {
			s = append(s, -yes(w.leaves()))
		}
		for _, word := range pol.Words {
			s = append(s, score(word))
		}
		for _, c := range pol.Toward {
			s = append(s, -near(c))
		}
		for _, c := range pol.Away {
			s = append(s, near(c))
		}
	}
	s = append(s, -yes(w.leaves()), -yes(w.exit == "finland"), -yes(w.exit == "sea"))
	return append(s, supply, ends(fort)+ends(place), ends(alone), ends(north))
}

// company reports whether other friends stand in a hex.
func (b *battle) company(side uint8, g group, h int) bool {
	for _, u := range b.p.unitsIn(h, side) {
		if b.p.unit(u).Class != "none" && !slices.Contains(g.units, u) {
			return true
		}
	}
	return false
}

// splitScore is how well a route sends named units the way they shall go.
func (b *battle) splitScore(w route, sp SplitRetreat) int {
	n := 0
	for _, s := range w.parts {
		for _, u := range s.units {
			if !slices.Contains(sp.Units, b.p.unit(u).ID) {
				continue
			}
			switch row := int(b.p.board().At(s.end()).Row); {
			case sp.Way == "NORTH":
				n -= row
			case sp.Way == "SOUTH":
				n += row
			case !sp.To.IsZero():
				n -= b.p.board().Distance(s.end(), b.p.board().Index(sp.To))
			}
		}
	}
	return n
}
