package blitz41

import (
	"slices"
	"strconv"

	"pbemd/engine"
	"pbemd/engine/board"
	"pbemd/engine/chart"
	"pbemd/engine/hex"
)

// percent writes a reduction or a bonus as it is printed: -30 %.
func percent(n int) string {
	if n < 0 {
		return "+" + strconv.Itoa(-n) + " %"
	}
	return "-" + strconv.Itoa(n) + " %"
}

// signed writes a shift as it is printed: +1, -2.
func signed(n int) string {
	if n > 0 {
		return "+" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

// strength is one unit's part in a battle, before and after its penalties.
type strength struct {
	u, h    int    // the unit and the hex it fights from
	st      Status // its supply
	factor  int    // what it brings in
	percent int    // what is taken of it in all
	late    bool   // has just retreated here: counts nothing (14.21.A)
}

// battleground is what the defenders' hexes do to a battle.
type battleground struct {
	at        []int
	terrain   int // per cent taken from the attackers
	worst     int // the hex that takes it
	city      bool
	hedgehog  bool // as a city (14.39.8.E)
	town      bool
	fort      string // fort, fortified or ""
	stalin    bool
	cityHexes []int // those that double under the other reading of B41-A55
	each      bool  // the other reading: artificial terrain counts hex by hex
}

// groundOf looks at the hexes under attack; the terrain that is best for the
// defenders counts for all of them.
//
// Rule B41-14.37, B41-6.21.D, B41-14.37.ex, B41-14.36, B41-9.5, B41-9.5.ex, B41-9.11, B41-A55, B41-A115.
func (p *Position) groundOf(at []int, defender uint8) battleground {
	g := battleground{at: at, terrain: -1, each: p.alt("B41-A55")}
	towns, forts, stalins := 0, 0, 0
	for _, h := range at {
		t := p.board().Terrain(h)
		if int(t) < len(p.d.Terrain) {
			if n := p.d.Terrain[t][p.weather(h)].Attack; n > g.terrain {
				g.terrain, g.worst = n, h
			}
		}
		hog := p.hedgehog(h)
		if hog || p.board().Is(h, City) {
			g.cityHexes = append(g.cityHexes, h)
			g.hedgehog = g.hedgehog || hog
		} else if p.board().Is(h, Town) {
			towns++
		}
		if kind, ok := p.intact(h); ok && defender == soviet {
			if kind == "stalin" {
				stalins++
			} else {
				forts++
				g.fort = kind
			}
		}
	}
	g.terrain = max(g.terrain, 0)
	n := 1
	if g.each {
		n = len(at)
	}
	g.city, g.town, g.stalin = len(g.cityHexes) >= n, towns >= n, stalins >= n
	if forts < n {
		g.fort = ""
	}
	// The city's own -1 and the town's are not added up (9.16.B).
	g.town = g.town && !g.city
	return g
}

// doubles reports whether defenders in a hex count double for the city.
func (g *battleground) doubles(h int) bool {
	if g.each {
		return slices.Contains(g.cityHexes, h)
	}
	return g.city
}

// crossing is what the water between two hexes takes from an attack, and under
// which name.
//
// Rule B41-9.12.A, B41-9.13.A, B41-9.23.A, B41-9.23.A.ex, B41-9.24.B, B41-A112.
func (p *Position) crossing(from, to int) (percent int, name string) {
	s := p.board().Between(from, to)
	w := p.weather(to)
	for _, r := range [...]struct {
		side board.Sides
		take int
		name string
	}{
		{SivashSide, p.d.Major[Mud].Attack, "sivash"},
		{KerchSide, p.d.Major[w].Attack, "kerch"},
		{MajorRiver, p.d.Major[w].Attack, "major"},
		{MinorRiver, p.d.Minor[w].Attack, "minor"},
		{LakeSide, p.d.LakeCross[w].Attack, "lake"},
	} {
		if s&r.side != 0 {
			return r.take, r.name
		}
	}
	return 0, ""
}

// attackFactor is what a unit brings into an attack.
//
// Rule B41-2.9.A, B41-9.16.D, B41-9.16.D.cl, B41-12.16.B, B41-6.20.C, B41-A106.
func (p *Position) attackFactor(u int, city bool) int {
	v := p.unit(u)
	if v.Mech() && city {
		return p.face(u)[1]
	}
	if v.ID == "OBG" && p.At(u) == p.named("B10") {
		return p.face(u)[1]
	}
	return p.face(u)[0]
}

// defenceFactor is what a unit brings into its defence in hex h.
//
// Rule B41-2.9.B, B41-6.20.C.
func (p *Position) defenceFactor(u, h int) int {
	if p.unit(u).ID == "OBG" && h != p.named("B10") {
		return p.face(u)[0]
	}
	return p.face(u)[1]
}

// pools adds up factors: those with the same percentage are added first and
// reduced once, rounded up, and no pool falls below the number of its units.
//
// Rule B41-5.10.A, B41-5.10.A.ex, B41-5.10.B, B41-5.10.C, B41-5.10.C.ex, B41-5.11.A, B41-9.23.B, B41-9.25, B41-A27, B41-A113.
func (p *Position) pools(side uint8, force []strength) (sum int, out []Pool) {
	floorAll := !p.alt("B41-A27")
	for _, f := range force {
		if f.late {
			continue
		}
		i := slices.IndexFunc(out, func(q Pool) bool { return q.Percent == f.percent })
		if i < 0 {
			out = append(out, Pool{Side: sideOf(side), Percent: f.percent})
			i = len(out) - 1
		}
		out[i].Printed += f.factor
	}
	slices.SortFunc(out, func(a, b Pool) int { return a.Percent - b.Percent })
	for i := range out {
		q := &out[i]
		q.Left = q.Printed - chart.Percent(q.Printed, q.Percent)
		least := 0
		for _, f := range force {
			if !f.late && f.percent == q.Percent && f.factor > 0 && (floorAll || f.percent == f.st.Loss*10) {
				least++
			}
		}
		q.Left = max(q.Left, least)
		sum += q.Left
	}
	return sum, out
}

// attackers prices the units of an attack: their factors and what supply,
// terrain and water take of each.
//
// Rule B41-5.9, B41-4.5.1.4.C, B41-14.3.A, B41-14.36, B41-9.4, B41-9.15.
func (p *Position) attackers(force []strength, gr battleground) (rows []engine.Factor) {
	if gr.terrain > 0 {
		rows = append(rows, engine.Factor{Rule: "B41-9.5", On: "attack", Amount: percent(gr.terrain), Text: engine.T("b41.mod.terrain",
			"hex", p.board().At(gr.worst).String(), "terrain", TerrainName(p.board().Terrain(gr.worst)), "weather", p.weather(gr.worst).String())})
	}
	for i := range force {
		f := &force[i]
		f.factor = p.attackFactor(f.u, gr.city)
		water, name, over := 0, "", 0
		for _, h := range gr.at {
			if n, what := p.crossing(f.h, h); n > water {
				water, name, over = n, what, h
			}
		}
		f.percent = f.st.Loss*10 + gr.terrain + water
		if water > 0 && (i == 0 || force[i-1].h != f.h) {
			rows = append(rows, engine.Factor{Rule: "B41-9.23.A", On: "attack", Amount: percent(water), Text: engine.T("b41.mod.water",
				"from", p.board().At(f.h).String(), "to", p.board().At(over).String(), "what", name)})
		}
	}
	rows = append(rows, p.supplyRows(force, "attack")...)
	if gr.city {
		var mech []string
		for _, f := range force {
			if p.unit(f.u).Mech() {
				mech = append(mech, string(p.unit(f.u).ID))
			}
		}
		if len(mech) > 0 {
			rows = append(rows, engine.Factor{Rule: "B41-9.16.D", On: "attack", Amount: "=", Text: engine.T("b41.mod.mech", "units", mech)})
		}
	}
	return rows
}

// supplyRows says which units of a force are reduced by their supply.
func (p *Position) supplyRows(force []strength, on string) (rows []engine.Factor) {
	for loss := 1; loss <= 4; loss++ {
		var who []string
		for _, f := range force {
			if f.st.Loss == loss && !f.late {
				who = append(who, string(p.unit(f.u).ID))
			}
		}
		if len(who) > 0 {
			rows = append(rows, engine.Factor{Rule: "B41-5.9", On: on, Amount: percent(loss * 10), Text: engine.T("b41.mod.supply", "units", who)})
		}
	}
	return rows
}

// defence prices the defenders: supply first, then the Stalin Line, then the
// doubling of a city or hedgehog, then that of Romania on turn 2.
//
// Rule B41-5.10.E, B41-5.10.F, B41-9.16.A, B41-9.17, B41-4.4.D, B41-14.21.A, B41-14.39.8.E, B41-A28, B41-A69, B41-A110.
func (p *Position) defence(force []strength, gr battleground, side uint8) (total int, pools []Pool, rows []engine.Factor) {
	type group struct{ city, romania bool }
	groups := map[group][]strength{}
	var late []string
	for i := range force {
		f := &force[i]
		f.factor = p.defenceFactor(f.u, f.h)
		f.percent = f.st.Loss * 10
		if f.late {
			late = append(late, string(p.unit(f.u).ID))
		}
		k := group{gr.doubles(f.h), p.romania(f.u, f.h)}
		groups[k] = append(groups[k], *f)
	}
	rows = p.supplyRows(force, "defence")
	doubled := map[group]bool{}
	for _, k := range []group{{false, false}, {true, false}, {false, true}, {true, true}} {
		if len(groups[k]) == 0 {
			continue
		}
		doubled[k] = true
		n, q := p.pools(side, groups[k])
		pools = append(pools, q...)
		if gr.stalin && side == soviet {
			n += chart.Percent(n, p.d.Features["stalin"].Defence-100)
		}
		if k.city {
			n = n * p.d.Features["city"].Defence / 100
		}
		if k.romania {
			n *= 2
		}
		total += n
	}
	if gr.stalin && side == soviet {
		rows = append(rows, engine.Factor{Rule: "B41-9.17", On: "defence", Amount: percent(100 - p.d.Features["stalin"].Defence), Text: engine.T("b41.mod.stalin")})
	}
	if doubled[group{true, false}] || doubled[group{true, true}] {
		key, rule := "b41.mod.city", engine.RuleID("B41-9.16.A")
		if gr.hedgehog {
			key, rule = "b41.mod.hedgehog", "B41-14.39.8.E"
		}
		rows = append(rows, engine.Factor{Rule: rule, On: "defence", Amount: "×2", Text: engine.T(key)})
	}
	if doubled[group{false, true}] || doubled[group{true, true}] {
		rows = append(rows, engine.Factor{Rule: "B41-4.4.D", On: "defence", Amount: "×2", Text: engine.T("b41.mod.romania")})
	}
	if late != nil {
		rows = append(rows, engine.Factor{Rule: "B41-14.21.A", On: "defence", Amount: "×0", Text: engine.T("b41.mod.late", "units", late)})
	}
	return total, pools, rows
}

// romania reports whether a unit defends at home on turn 2.
//
// Rule B41-4.4.D, B41-A69.
func (p *Position) romania(u, h int) bool {
	v := p.unit(u)
	return p.turn == 2 && p.side == soviet && p.board().Is(h, ZomoRomania) && (v.German() || v.Nation == "romanian")
}

// odds finds the column. No strength at all never beats anybody.
//
// Rule B41-14.3.A, B41-14.3.A.ex, B41-14.3.B, B41-14.3.C.
func (p *Position) odds(attack, defence int) chart.Odds {
	if attack <= 0 {
		return chart.Below
	}
	return p.d.Columns.Of(attack, defence)
}

// automatic reports whether a column destroys the defender without a die.
//
// Rule B41-14.29.A, B41-A23.
func (p *Position) automatic(o chart.Odds) bool { return o >= 0 && p.d.CRT[1][o].DX }

// concentric reports whether attacks from these hexes on one hex are concentric:
// from two opposite sides, or from three with empty ones between.
//
// Rule B41-14.39.1.A, B41-14.39.1.B, B41-12.21.A, B41-A51.
func (p *Position) concentric(at int, from []int) bool {
	var d [6]bool
	for _, h := range from {
		if k := p.board().Direction(at, h); k >= 0 {
			d[k] = true
		}
	}
	return d[0] && d[3] || d[1] && d[4] || d[2] && d[5] || d[0] && d[2] && d[4] || d[1] && d[3] && d[5]
}

// combinedArms reports whether every attacking hex holds an attacking army and
// an attacking mechanised corps.
//
// Rule B41-14.39.3.A, B41-2.3.A.
func (p *Position) combinedArms(force []strength) bool {
	army, corps := map[int]bool{}, map[int]bool{}
	for _, f := range force {
		v := p.unit(f.u)
		corps[f.h] = corps[f.h] || v.MechCorps()
		army[f.h] = army[f.h] || v.Size == "XXXX"
	}
	for _, f := range force {
		if !army[f.h] || !corps[f.h] {
			return false
		}
	}
	return len(force) > 0
}

// shock reports whether Shock Armies and the FMG bring half of the attack.
//
// Rule B41-14.39.4, B41-A30.
func (p *Position) shock(force []strength) bool {
	part, all := 0, 0
	for _, f := range force {
		n := f.factor * (100 - min(f.percent, 100))
		if p.alt("B41-A30") {
			n = f.factor
		}
		all += n
		if p.unit(f.u).Shock() || p.unit(f.u).ID == "FMG" {
			part += n
		}
	}
	return part > 0 && 2*part >= all
}

// shift is a row of the table of result modifiers.
type shift struct {
	rule engine.RuleID
	key  string
	on   string // attacker or defender
	by   func(b *battle) int
}

// shifts change the two numbers of a result after the roll.
//
// Rule B41-14.39, B41-9.15.ex, B41-9.18, B41-9.18.ex, B41-9.19, B41-9.20, B41-A22.
var shifts = []shift{
	// Rule B41-9.16.C.
	{"B41-9.16.C", "b41.mod.city", "attacker", func(b *battle) int { return b.when(b.gr.city, b.p.d.Features["city"].Attacker) }},
	{"B41-9.18.ex", "b41.mod.fort", "attacker", func(b *battle) int {
		return b.when(b.gr.fort != "" && !b.p.alt("B41-A22"), b.p.d.Features[b.gr.fort].Attacker)
	}},
	// Rule B41-9.16.B.
	{"B41-9.16.B", "b41.mod.city", "defender", func(b *battle) int { return b.when(b.gr.city, b.p.d.Features["city"].Defender) }},
	{"B41-9.16.B", "b41.mod.town", "defender", func(b *battle) int { return b.when(b.gr.town, b.p.d.Features["town"].Defender) }},
	{"B41-9.19", "b41.mod.fort", "defender", func(b *battle) int { return b.when(b.gr.fort != "", b.p.d.Features[b.gr.fort].Defender) }},
	// Rule B41-14.39.1.A.
	{"B41-14.39.1.A", "b41.mod.concentric", "defender", func(b *battle) int {
		return b.when(!b.ma() && len(b.at) == 1 && b.p.concentric(b.at[0], b.from), 1)
	}},
	// Rule B41-14.39.2.G, B41-14.39.2.H, B41-14.39.2.I.
	{"B41-14.39.2.H", "b41.mod.air.attack", "defender", func(b *battle) int { return max(0, b.air[0]-b.air[1]) }},
	{"B41-14.39.2.I", "b41.mod.air.defence", "defender", func(b *battle) int { return min(0, b.air[0]-b.air[1]) }},
	// Rule B41-14.39.3.B.
	{"B41-14.39.3.B", "b41.mod.combined", "defender", func(b *battle) int {
		return b.when(!b.ma() && b.side == soviet && b.p.combinedArms(b.attack), 1)
	}},
	{"B41-14.39.4", "b41.mod.shock", "defender", func(b *battle) int {
		return b.when(!b.ma() && b.side == soviet && b.p.shock(b.attack), 1)
	}},
	// Rule B41-14.39.5.A.
	{"B41-14.39.5.A", "b41.mod.allout", "defender", func(b *battle) int { return b.when(b.allout >= 0, 1) }},
}

func (b *battle) when(is bool, n int) int {
	if is {
		return n
	}
	return 0
}

// shifted applies the rows to a cell of the table. Neither number falls below 0.
func (b *battle) shifted(r Result) (Result, []engine.Factor) {
	var rows []engine.Factor
	for _, s := range shifts {
		n := s.by(b)
		if n == 0 {
			continue
		}
		rows = append(rows, engine.Factor{Rule: s.rule, On: s.on, Amount: signed(n), Text: engine.T(s.key)})
		if s.on == "attacker" {
			r.Attacker += n
		} else {
			r.Defender += n
		}
	}
	r.Attacker, r.Defender = max(r.Attacker, 0), max(r.Defender, 0)
	return r, rows
}

// oddsRange is what an assault would be worth as far as its attacker can see:
// exact where every defending stack is open to him, else between the visible
// top unit alone and that unit plus all that could be stacked with it.
type oddsRange struct {
	Kind      string // ma, pa
	At, From  []int
	Exact     bool
	Attack    int
	Defence   [2]int        // least and most
	Odds      [2]chart.Odds // for the least and for the most
	Pools     []Pool        // the attackers'
	Factors   []engine.Factor
	Results   [2][]Result // by die 1–6 (0 unused), after the modifiers known; nil below 1-3 or at DX
	Attackers []strength
	Seen      []strength // the defenders in sight
	Between   []oddsColumn
}

// oddsColumn is a column between the best and the worst, with its results.
type oddsColumn struct {
	Odds    chart.Odds
	Results []Result
}

// assaultRange prices an assault of units from hexes on hexes for CHECK, with
// the air points, the air supply, the All-Out and the cavalry of the order as
// ordered. sup is
// the supply of MA attackers since their move began; nil traces it now.
//
// Rule B41-13.2, B41-A81.
func (p *Position) assaultRange(kind string, side uint8, at []int, force []strength, opt BattleOptions, sup map[int]Status) oddsRange {
	x := oddsRange{Kind: kind, At: slices.Clone(at), Exact: true}
	slices.Sort(x.At)
	enemy := enemyOf(side)
	b := &battle{play: &play{p: p}, kind: kind, side: side, at: x.At, allout: -1, attack: slices.Clone(force)}
	for i := range b.attack {
		f := &b.attack[i]
		st, ok := sup[f.u]
		if !ok {
			st = p.status(f.u)
		}
		f.st = st
		if !slices.Contains(b.from, f.h) {
			b.from = append(b.from, f.h)
		}
	}
	slices.Sort(b.from)
	if side == axis && opt.AirSupply {
		bids := p.airBids(b.attack)
		fed := bids[opt.fed(bids, b.attack)]
		for i := range b.attack {
			if f := &b.attack[i]; slices.Contains(fed, f.u) {
				f.st = Status{Air: true, Line: f.st.Line, From: f.st.From}
			}
		}
	}
	b.gr = p.groundOf(x.At, enemy)
	rows := p.attackers(b.attack, b.gr)
	x.From, x.Attackers = b.from, b.attack
	x.Attack, x.Pools = p.pools(side, b.attack)
	var seen, most, unknown []strength
	q := p.withoutHiddenMSU(side)
	if kind == "ma" {
		q = q.before(side, unitsOf(force), b.from[0], x.At[0])
	}
	for _, h := range x.At {
		units, more := p.visible(h, enemy, side)
		var here []int
		for _, u := range units {
			if p.unit(u).Class == "none" {
				continue
			}
			here = append(here, u)
			f := strength{u: u, h: h, st: q.status(u), late: kind == "pa" && !more && p.has(u, Retreated)}
			seen = append(seen, f)
			if more {
				f.st = Status{} // fed by what can't be seen
			}
			most = append(most, f)
		}
		if more {
			x.Exact = false
			for _, u := range p.strongestWith(here, h, enemy) {
				unknown = append(unknown, strength{u: u, h: h})
			}
		}
	}
	// A raid on a condition is foreseen where the steps can be counted.
	if opt.Cavalry && (opt.CavalryIf == nil || x.Exact && opt.CavalryIf.Holds(p.steps(unitsOf(seen)))) {
		x.Attack += 3
		rows = append(rows, engine.Factor{Rule: "B41-14.39.6.C", On: "attack", Amount: "+3", Text: engine.T("b41.mod.cavalry")})
	}
	least, _, defRows := p.defence(seen, b.gr, enemy)
	x.Defence[0], x.Seen = least, seen
	x.Defence[1] = least
	if !x.Exact {
		x.Defence[1] = p.fullDefence(most, unknown, b.gr, enemy)
	}
	x.Factors = append(rows, defRows...)
	column := func(odds chart.Odds) (out []Result, shiftRows []engine.Factor) {
		if odds < 0 || p.automatic(odds) {
			return nil, nil
		}
		b.odds = odds
		if opt.AirIf.Holds(b.odds) {
			b.air[0] = opt.Air
		} else {
			b.air[0] = 0
		}
		b.allout = -1
		if opt.AllOut != "" && opt.AllOutIf.Holds(b.odds) {
			b.allout = p.d.Unit(opt.AllOut)
		}
		out = make([]Result, 7)
		for die := 1; die <= 6; die++ {
			out[die], shiftRows = b.shifted(p.d.CRT[die][b.odds])
		}
		return out, shiftRows
	}
	for i := range x.Defence {
		var shiftRows []engine.Factor
		x.Odds[i] = p.odds(x.Attack, x.Defence[i])
		x.Results[i], shiftRows = column(x.Odds[i])
		if i == 0 || x.Results[0] == nil {
			x.Factors = append(x.Factors, shiftRows...)
		}
	}
	for o := x.Odds[0] - 1; o > x.Odds[1]; o-- {
		list, _ := column(o)
		x.Between = append(x.Between, oddsColumn{o, list})
	}
	return x
}

// unitsOf are the units of a force, on either side.
func unitsOf(force []strength) []int {
	out := make([]int, len(force))
	for i, f := range force {
		out[i] = f.u
	}
	return out
}

// withoutHiddenMSU is the position as a viewer must reckon supply in it: without
// the enemy's MSU if it lies beneath other counters.
func (p *Position) withoutHiddenMSU(viewer uint8) *Position {
	m := p.special("MSU")
	if viewer == soviet || !p.onMap(m) || p.topOf(p.At(m), soviet) == m || p.sees(viewer, soviet, p.At(m)) {
		return p
	}
	q := p.Clone().(*Position)
	q.Put(m, -1)
	q.version++
	return q
}

// strongestWith is the strongest company that counters of a side could make for
// units in a hex within the stacking limit, whatever there may really be.
//
// Rule B41-8.1, B41-8.2, B41-13.2.
func (p *Position) strongestWith(units []int, h int, side uint8) []int {
	room := limit(side)
	for _, u := range units {
		room -= p.halves(u, h, p.Steps(u))
	}
	type pack struct {
		defence int
		units   []int
	}
	best := make([]pack, max(room, 0)+1)
	var corps []int
	had := 0
	for _, u := range units {
		if p.unit(u).MechCorps() {
			had++
		}
	}
	worth := func(u int) int { return p.unit(u).Ladder[p.unit(u).Max-1][1] }
	for u := range p.d.Units {
		v := &p.d.Units[u]
		if v.Side != side || v.Max == 0 || v.Turn > p.turn || v.Class == "none" || v.ID == "CAV" || v.ID == "PART" || slices.Contains(units, u) {
			continue
		}
		if ok, _, _ := p.mayEnter(u, h); !ok {
			continue
		}
		if v.MechCorps() {
			corps = append(corps, u)
			continue
		}
		n := p.halves(u, h, v.Max)
		for r := len(best) - 1; r >= n; r-- {
			if c := best[r-n].defence + worth(u); c > best[r].defence {
				best[r] = pack{c, append(slices.Clone(best[r-n].units), u)}
			}
		}
	}
	slices.SortStableFunc(corps, func(a, b int) int { return worth(b) - worth(a) })
	top := best[len(best)-1]
	for k, extra := 1, 0; k <= min(2-had, len(corps), room); k++ {
		extra += worth(corps[k-1])
		if c := best[len(best)-1-k]; c.defence+extra > top.defence {
			top = pack{c.defence + extra, append(slices.Clone(c.units), corps[:k]...)}
		}
	}
	return top.units
}

// fullDefence is the defence of units in sight and of others at full strength
// that stand for unknown ones.
func (p *Position) fullDefence(seen, unknown []strength, gr battleground, side uint8) int {
	q := p.Clone().(*Position)
	for _, f := range unknown {
		q.SetSteps(f.u, q.unit(f.u).Max)
	}
	total, _, _ := q.defence(append(slices.Clone(seen), unknown...), gr, side)
	return total
}

// attackRange is [Position.assaultRange] of an ATTACK order; ok is false if the
// order is refused.
func (p *Position) attackRange(side uint8, c Attack) (oddsRange, bool) {
	at, force, err := p.checkAttack(side, c)
	if err != nil {
		return oddsRange{}, false
	}
	return p.assaultRange("pa", side, at, force, c.Options, nil), true
}

// maRange is [Position.assaultRange] of a mobile assault from a hex.
func (p *Position) maRange(units []int, from, to int, opt BattleOptions, sup map[int]Status) oddsRange {
	var force []strength
	for _, u := range units {
		force = append(force, strength{u: u, h: from})
	}
	return p.assaultRange("ma", p.unit(units[0]).Side, []int{to}, force, opt, sup)
}

// previewBattle is what an order of assault would be worth as far as its sender
// can see; ok is false for orders that are none, or that would be refused.
func (p *Position) previewBattle(o engine.Order) (x oddsRange, ok bool) {
	switch c := o.Command.(type) {
	case Attack:
		return p.attackRange(number(o.Side), c)
	case MobileAssault:
		return p.previewMA(c.At, c.Options)
	case Repeat:
		if p.move.engaged {
			return p.previewMA(p.board().At(p.move.target), c.Options)
		}
	}
	return x, false
}

// previewMA prices a mobile assault of the group in hand.
func (p *Position) previewMA(at hex.Coord, opt BattleOptions) (x oddsRange, ok bool) {
	to, units := p.board().Index(at), p.inHand()
	if to == board.None || len(units) == 0 || !p.holds(enemyOf(p.unit(units[0]).Side), to) || p.maRefusal(units, to, opt) != nil {
		return x, false
	}
	from := p.At(units[0])
	if p.move.engaged && from == to {
		from = p.move.launch
	}
	sup := map[int]Status{}
	for _, u := range units {
		if r := p.move.run(u); r != nil && !p.has(u, AirSupplied) {
			sup[u] = r.sup
		}
	}
	return p.maRange(units, from, to, opt, sup), true
}
