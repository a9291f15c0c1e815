package blitz41

import (
	"slices"
	"strconv"
	"strings"

	"pbemd/engine"
	"pbemd/engine/board"
)

// airMost is how many points a side may put into a battle from its hexes: its
// pool, for the Axis two, and one where only the Finnish bases are in reach.
//
// Rule B41-14.39.2.B, B41-14.39.2.C, B41-14.39.2.E, B41-14.39.2.F, B41-12.13, B41-A46, B41-A47, B41-A48, B41-A128.
func (p *Position) airMost(side uint8, hexes, units []int) int {
	most := p.air[side]
	if side == axis {
		most = min(most, 2)
	}
	if most == 0 || p.airInRange(side, hexes) {
		return max(most, 0)
	}
	for _, u := range units {
		if p.unit(u).German() && slices.ContainsFunc(hexes, p.finnishBases) {
			return min(most, 1)
		}
	}
	return 0
}

// airInRange reports whether a fully supplied friendly hex lies within three of
// one of the hexes.
//
// Rule B41-14.39.2.E.
func (p *Position) airInRange(side uint8, hexes []int) bool {
	for j := 0; j < p.board().Len(); j++ {
		if p.Owner(j) != side {
			continue
		}
		for _, h := range hexes {
			if p.board().Distance(h, j) <= 3 && p.fullHex(side, j) {
				return true
			}
		}
	}
	return false
}

// finnishBases reports whether a hex lies within three of the north edge in or
// west of Leningrad.
//
// Rule B41-14.39.2.F, B41-A46.
func (p *Position) finnishBases(h int) bool {
	c, l := p.board().At(h), p.board().At(p.named("B9"))
	switch {
	case h == p.named("B9"):
		return true
	case c.Row > 3:
		return false
	}
	return c.Num > l.Num
}

// attackersAir asks the attacker for air points and an All-Out Panzer Assault.
//
// Rule B41-14.39.2.D, B41-14.39.5.A, B41-14.39.5.B, B41-14.39.5.D, B41-A49, B41-A50.
func (b *battle) attackersAir() {
	most := b.p.airMost(b.side, b.airHexes(), b.attackers)
	corps := []int{-1}
	if b.side == axis && b.p.allOutGround(b.at) == nil {
		for _, u := range b.attackers {
			if b.p.allOutUnit(u) {
				corps = append(corps, u)
			}
		}
	}
	type bid struct{ air, corps int }
	var bids []bid
	q := engine.Question{Decision: "E01", Side: sideOf(b.side), Rule: "B41-14.39.2.D", Text: engine.T("b41.ask.air.attack", "battle", b.title())}
	for _, u := range corps {
		for n := 0; n <= most; n++ {
			var words []string
			if n > 0 {
				words = append(words, "AIR "+strconv.Itoa(n))
			}
			id := ""
			if u >= 0 {
				id = string(b.p.unit(u).ID)
				words = append(words, "ALLOUT "+id)
			}
			if words == nil {
				words = []string{"NONE"}
			}
			bids = append(bids, bid{n, u})
			q.Options = append(q.Options, engine.Option{Clause: strings.Join(words, " "), Text: engine.T("b41.option.air", "n", n, "corps", id)})
		}
	}
	c := bids[b.ask(q, func(*engine.Exec) (int, string, string) {
		var want bid
		want.corps = -1
		if b.opt.AirIf.Holds(b.odds) {
			want.air = min(b.opt.Air, most)
		}
		if u := b.p.d.Unit(b.opt.AllOut); b.opt.AllOut != "" && b.opt.AllOutIf.Holds(b.odds) && slices.Contains(corps, u) {
			want.corps = u
		}
		if b.opt.Air == 0 && b.opt.AllOut == "" {
			return 0, "", ""
		}
		return slices.Index(bids, want), "order", b.order.Text
	})]
	b.air[0], b.allout = c.air, c.corps
	if c.air > 0 {
		b.emit("B41-14.39.2.D", AirSpent{sideOf(b.side), c.air, b.p.board().At(b.at[0])})
	}
	if c.corps >= 0 {
		b.lost[b.side]++
		b.lose(c.corps, 1, "B41-14.39.5.A", "allout")
	}
}

// airHexes are the hexes from which the attacker measures the range of his air
// points: where a PA comes from, where an MA goes to.
//
// Rule B41-14.39.2.E.
func (b *battle) airHexes() []int {
	if b.ma() {
		return b.at
	}
	return b.from
}

// allOutUnit reports whether a unit can make an All-Out Panzer Assault.
//
// Rule B41-14.39.5.A, B41-A50.
func (p *Position) allOutUnit(u int) bool {
	v := p.unit(u)
	return v.Panzer() && p.Steps(u) == 4
}

// allOutGround says why there can be no All-Out Panzer Assault on hexes.
//
// Rule B41-14.39.5.C.
func (p *Position) allOutGround(at []int) *engine.Refusal {
	for _, h := range at {
		if p.board().Terrain(h) == Marsh {
			return engine.Refuse("B41-14.39.5.C", "b41.battle.allout.marsh", "hex", p.name(h))
		}
		if p.weather(h) == Mud {
			return engine.Refuse("B41-14.39.5.C", "b41.battle.allout.mud", "hex", p.name(h))
		}
	}
	return nil
}

// defendersAir asks the defender for air points, whatever the attacker did.
//
// Rule B41-14.39.2.D, B41-14.39.2.E, B41-A127.
func (b *battle) defendersAir() {
	side := enemyOf(b.side)
	most := b.setOut().airMost(side, b.at, b.defenders)
	q := engine.Question{Decision: "D03", Side: sideOf(side), Rule: "B41-14.39.2.D", Text: engine.T("b41.ask.air.defend", "battle", b.title(), "enemy", b.air[0])}
	for n := 0; n <= most; n++ {
		clause := "AIR DEFEND " + strconv.Itoa(n)
		if n == 0 {
			clause = "AIR DEFEND NEVER"
		}
		q.Options = append(q.Options, engine.Option{Clause: clause, Text: engine.T("b41.option.air", "n", n, "corps", "")})
	}
	q.Default = b.airDefault(side, most)
	n := b.ask(q, func(x *engine.Exec) (int, string, string) { return b.airWish(x, side, most, q.Default) })
	if b.air[1] = n; n > 0 {
		b.emit("B41-14.39.2.D", AirSpent{sideOf(side), n, b.p.board().At(b.at[0])})
	}
}

// airDefault is the default of D03.
func (b *battle) airDefault(side uint8, most int) int {
	vp := slices.ContainsFunc(b.at, b.p.scores)
	if side == axis {
		if vp {
			return min(b.air[0], most)
		}
		return 0
	}
	strong := vp || slices.ContainsFunc(b.at, func(h int) bool { _, fort := b.p.intact(h); return fort || b.p.board().Is(h, City) })
	switch {
	case strong:
		return min(b.air[0], most)
	case b.p.d.Columns[b.odds][0] >= 2:
		return min(1, most)
	}
	return 0
}

// scores reports whether a hex has VPs.
func (p *Position) scores(h int) bool {
	s := p.d.SiteAt(h)
	return s != nil && s.VP > 0
}

// reduced lists units that supply weakens and that could be fed by air, by hex.
func (p *Position) reduced(force []strength) map[int][]int {
	out := map[int][]int{}
	for _, f := range force {
		if p.unit(f.u).Side == axis && f.st.Loss > 0 && !p.has(f.u, AirSupplied) && p.At(f.u) != board.None && p.airEligible(p.At(f.u)) {
			out[p.At(f.u)] = append(out[p.At(f.u)], f.u)
		}
	}
	return out
}

// airBids lists what air supply may feed in a battle: nothing, each unit alone,
// each stack, everybody, as far as the capacity goes.
//
// Rule B41-5.17.B, B41-A45.
func (p *Position) airBids(force []strength) [][]int {
	bids := [][]int{nil}
	if p.consolidating() || p.airCapacity() == 0 {
		return bids
	}
	by := p.reduced(force)
	var hexes, all []int
	for h := range by {
		hexes = append(hexes, h)
	}
	slices.Sort(hexes)
	add := func(units []int) {
		units = slices.Clone(units)
		slices.Sort(units)
		cost := 0
		for _, u := range units {
			cost += p.airCost(u)
		}
		if len(units) > 0 && cost <= p.airCapacity() && !slices.ContainsFunc(bids, func(b []int) bool { return slices.Equal(b, units) }) {
			bids = append(bids, units)
		}
	}
	for _, h := range hexes {
		all = append(all, by[h]...)
		for n := 1; n <= len(by[h]); n++ {
			for _, s := range subsets(by[h], n) {
				add(s)
			}
		}
	}
	add(all)
	// As much as fits, the most weakened first.
	worst := slices.Clone(all)
	loss := map[int]int{}
	for _, f := range force {
		loss[f.u] = f.st.Loss
	}
	slices.SortStableFunc(worst, func(a, b int) int { return loss[b] - loss[a] })
	for n := len(worst); n > 0; n-- {
		add(worst[:n])
	}
	return bids
}

// mostOf is the bid that feeds most of the units wanted and no other.
func mostOf(bids [][]int, want func(u int) bool) int {
	best := 0
	for i, b := range bids {
		if len(b) > len(bids[best]) && !slices.ContainsFunc(b, func(u int) bool { return !want(u) }) {
			best = i
		}
	}
	return best
}

// feed asks about air supply for a force and declares it.
//
// Rule B41-5.17.C, B41-5.17.D, B41-14.25.B, B41-4.5.1.4.D, B41-A114.
func (b *battle) feed(decision string, force []strength, prefer func(bids [][]int) engine.Prefer, byDefault func(bids [][]int) int) {
	bids := b.p.airBids(force)
	q := engine.Question{Decision: decision, Side: Axis, Rule: "B41-5.17.C", Text: engine.T("b41.ask.airsupply", "battle", b.title(), "left", b.p.airCapacity())}
	for _, bid := range bids {
		clause, ids := "AIRSUPPLY NEVER", sortedIDs(b.p.ids(bid))
		if len(bid) > 0 {
			clause = "AIRSUPPLY " + strings.Join(ids, " ")
		}
		q.Options = append(q.Options, engine.Option{Clause: clause, Text: engine.T("b41.option.airsupply", "units", ids)})
	}
	if byDefault != nil {
		q.Default = byDefault(bids)
	}
	if bid := bids[b.ask(q, prefer(bids))]; len(bid) > 0 {
		if err := b.airSupply(bid); err != nil {
			panic("air supply offered and refused: " + err.Error())
		}
	}
}

// fed is the bid that the AIRSUPPLY clause of an order takes.
func (o BattleOptions) fed(bids [][]int, attack []strength) int {
	loss := map[int]int{}
	for _, f := range attack {
		loss[f.u] = f.st.Percent()
	}
	return mostOf(bids, func(u int) bool { return o.SupplyIf == nil || o.SupplyIf.Holds(loss[u]) })
}

// feedAttackers is the attacker's window for air supply.
func (b *battle) feedAttackers() {
	if b.side != axis {
		return
	}
	b.feed("E02", b.attack, func(bids [][]int) engine.Prefer {
		return func(*engine.Exec) (int, string, string) {
			if !b.opt.AirSupply {
				return 0, "", ""
			}
			return b.opt.fed(bids, b.attack), "order", b.order.Text
		}
	}, nil)
}

// feedDefenders is the window of an Axis defender: hedgehogs, then air supply.
//
// Rule B41-5.17.A, B41-14.39.8.B, B41-14.39.8.C, B41-14.39.8.pn, B41-A89, B41-A125.
func (b *battle) feedDefenders() {
	if b.side == axis {
		return
	}
	for _, h := range b.at {
		if b.p.mayHedgehog(h) != nil {
			continue
		}
		q := engine.Question{Decision: "D01", Side: Axis, Rule: "B41-14.39.8.C", Text: engine.T("b41.ask.hedgehog", "hex", b.p.name(h), "battle", b.title()),
			Options: []engine.Option{
				{Clause: "HEDGEHOG NEVER", Text: engine.T("b41.option.hedgehog.no")},
				{Clause: "HEDGEHOG " + b.p.name(h) + " IF ATTACKED", Text: engine.T("b41.option.hedgehog.yes", "hex", b.p.name(h))},
			}}
		if b.ask(q, func(x *engine.Exec) (int, string, string) { return b.hedgehogWish(x, h) }) == 1 {
			if err := b.makeHedgehog(h); err != nil {
				panic("hedgehog offered and refused: " + err.Error())
			}
		}
	}
	b.traceDefenders()
	b.feed("D02", b.defend, b.airSupplyWish, func(bids [][]int) int {
		none := map[int]bool{}
		for _, f := range b.defend {
			none[f.u] = f.st.None
		}
		i := mostOf(bids, func(u int) bool { return none[u] })
		if b.p.airLeft(bids[i]) < 2 {
			return 0
		}
		return i
	})
}

// airLeft is the capacity that a bid leaves.
func (p *Position) airLeft(bid []int) int {
	n := p.airCapacity()
	for _, u := range bid {
		n -= p.airCost(u)
	}
	return n
}

// raid asks whether the cavalry goes in.
//
// Rule B41-14.39.6.A, B41-14.39.6.B, B41-14.39.6.C, B41-6.23, B41-A29.
func (b *battle) raid() {
	if b.ma() || b.p.cavalryRefusal(b.side, b.at, b.attackers) != nil {
		return
	}
	q := engine.Question{Decision: "E01", Side: Soviet, Rule: "B41-14.39.6.A", Text: engine.T("b41.ask.cavalry", "battle", b.title()),
		Options: []engine.Option{
			{Clause: "NONE", Text: engine.T("b41.option.cavalry.no")},
			{Clause: "CAV", Text: engine.T("b41.option.cavalry.yes")},
		}}
	if b.ask(q, func(*engine.Exec) (int, string, string) {
		switch {
		case !b.opt.Cavalry:
			return 0, "", ""
		case b.opt.CavalryIf != nil && !b.opt.CavalryIf.Holds(b.p.steps(b.defenders)):
			return 0, "order", b.order.Text
		}
		return 1, "order", b.order.Text
	}) == 1 {
		b.cavalry = true
		b.emit("B41-14.39.6.A", CavalryRode{b.p.board().At(b.at[0])})
	}
}

// cavalryRefusal says why there can be no cavalry raid.
//
// Rule B41-14.39.6.A, B41-14.39.6.B.
func (p *Position) cavalryRefusal(side uint8, at, attackers []int) *engine.Refusal {
	if side != soviet {
		return engine.Refuse("B41-14.39.6.A", "b41.battle.cavalry.soviet")
	}
	if p.where[p.special("CAV")] != Held {
		return engine.Refuse("B41-6.23", "b41.battle.cavalry.early", "turn", p.unit(p.special("CAV")).Turn)
	}
	if p.fight.cavalry {
		return engine.Refuse("B41-14.39.6.A", "b41.battle.cavalry.used")
	}
	for _, h := range at {
		if p.board().Is(h, City) || p.hedgehog(h) {
			return engine.Refuse("B41-14.39.6.B", "b41.battle.cavalry.city", "hex", p.name(h))
		}
	}
	for _, u := range attackers {
		if p.status(u).Full {
			return nil
		}
	}
	return engine.Refuse("B41-14.39.6.B", "b41.battle.cavalry.supply").Hint("b41.battle.hint.cavalry")
}
