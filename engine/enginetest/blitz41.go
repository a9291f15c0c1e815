package enginetest

import (
	"errors"
	"fmt"

	"pbemd/engine"
	"pbemd/engine/blitz41"
	"pbemd/engine/force"
	"pbemd/engine/hex"
	lang "pbemd/orders/blitz41"
)

// B41 plays Blitzkrieg '41 at random. It knows from the rules only what makes
// its proposals worth trying; the dry run says which of them are legal.
type B41 struct {
	d *blitz41.Data
	r Random

	queue  []engine.Command // what it means to do next
	hand   []int            // units of the stack in hand
	places []int            // hexes with a name
	drives [3]bool          // by side: goes for places and good odds
	lazy   [3]int           // by side: chance to close a phase early
	moved  map[engine.UnitID]bool
	fair   bool // nothing befalls
	serial int
	mend   int // a hex that keeps the phase open, -1
}

// B41Options are the options of the game with a seed: most games have none, the
// others play Leningrad by its alternate VPs, and rulings by their other
// reading.
func B41Options(seed uint64) blitz41.Options {
	r := Random(seed ^ 0x0b710)
	var opt blitz41.Options
	if seed%4 != 0 {
		return opt
	}
	opt.Open, opt.Heights, opt.Leningrad = r.Chance(30), r.Chance(30), r.Chance(50)
	for _, x := range blitz41.Readings {
		if r.Chance(40) {
			opt.Other = append(opt.Other, x.ID)
		}
	}
	return opt
}

// NewB41 makes a random player of both sides. The seed decides their tempers
// too: wild play alone never takes Moscow.
func NewB41(d *blitz41.Data, seed uint64) *B41 {
	b := &B41{d: d, r: Random(seed), lazy: [3]int{0, 3, 3}, mend: -1}
	switch seed % 5 {
	case 0:
		b.fair = true
	case 1:
		b.drives[1], b.lazy = true, [3]int{0, 0, 40}
	case 2:
		b.drives[1], b.lazy[1] = true, 0
	case 3:
		b.drives[1], b.drives[2], b.lazy = true, true, [3]int{0, 0, 12}
	case 4:
		b.drives[1], b.lazy = true, [3]int{0, 1, 20}
	}
	for _, s := range d.Sites {
		b.places = append(b.places, s.Hex)
	}
	return b
}

func sideNumber(s engine.Side) uint8 {
	switch s {
	case blitz41.Axis:
		return 1
	case blitz41.Soviet:
		return 2
	}
	return 0
}

// order makes a line of a command.
func (b *B41) order(p engine.Position, c engine.Command) engine.Order {
	o := engine.Order{Line: 1, Side: p.State().Side, Command: c}
	if s, ok := c.(blitz41.Standing); ok {
		s.Text = lang.Format(c)
		o.Command = s
	}
	o.Text = lang.FormatOrder(o)
	return o
}

// Close implements [Proposer].
func (b *B41) Close(p engine.Position) engine.Order {
	b.queue, b.hand = nil, nil
	return b.order(p, engine.EndPhase{})
}

// Told implements [Proposer].
func (b *B41) Told(o engine.Order, events []engine.Event, no *engine.Refusal) {
	if _, ok := o.Command.(engine.EndPhase); ok {
		b.mend = -1
		if no != nil { // a hex that must not be left as it is
			if at, ok := no.Text.Args["hex"].(string); ok {
				b.mend = b.d.Board.Index(hex.MustParse(at))
			}
		}
	}
	for _, e := range events {
		if m, ok := e.Fact.(blitz41.UnitMoved); ok {
			b.moved[m.Unit] = true
		}
	}
	if _, ok := o.Command.(blitz41.Stack); ok && events == nil {
		b.hand = nil
	}
}

// Orders gives up to n orders that pass a dry run.
func (b *B41) Orders(g engine.Game, p engine.Position, n int) []engine.Order {
	var out []engine.Order
	for tries := 0; len(out) < n && tries < 200*n; tries++ {
		b.queue, b.hand = nil, nil
		o := b.Propose(p)
		if _, _, err := engine.Do(g, p, 0, o, engine.Env{}, nil); err == nil || engine.Dicey(err) {
			out = append(out, o)
		}
	}
	return out
}

// Propose implements [Proposer].
func (b *B41) Propose(pos engine.Position) engine.Order {
	p := pos.(*blitz41.Position)
	if len(b.queue) > 0 {
		c := b.queue[0]
		b.queue = b.queue[1:]
		return b.order(pos, c)
	}
	return b.order(pos, b.command(p))
}

func (b *B41) command(p *blitz41.Position) engine.Command {
	side := sideNumber(p.State().Side)
	if s := p.State().Serial; s != b.serial {
		b.serial, b.moved, b.mend = s, map[engine.UnitID]bool{}, -1
	}
	if side == 1 && b.r.Chance(2) {
		return b.declare(p)
	}
	switch p.State().Phase {
	case "supply":
		return b.supply(p, side)
	case "newunits":
		return b.newUnits(p, side)
	case "move":
		return b.move(p, side)
	case "assault":
		return b.assault(p, side)
	}
	return engine.EndPhase{}
}

func (b *B41) id(u int) engine.UnitID { return b.d.Units[u].ID }
func (b *B41) at(h int) hex.Coord     { return b.d.Board.At(h) }

func (b *B41) names(units []int) []engine.UnitID {
	var out []engine.UnitID
	for _, u := range units {
		out = append(out, b.id(u))
	}
	return out
}

// mine lists the units of a side in a hex.
func (b *B41) mine(p *blitz41.Position, h int, side uint8) []int {
	var out []int
	for _, u := range p.In(h) {
		if b.d.Units[u].Side == side {
			out = append(out, int(u))
		}
	}
	return out
}

// hexes lists the hexes where a side has units.
func (b *B41) hexes(p *blitz41.Position, side uint8) []int {
	var out []int
	for h := 0; h < b.d.Board.Len(); h++ {
		if len(b.mine(p, h, side)) > 0 {
			out = append(out, h)
		}
	}
	return out
}

// some takes each of a list by chance, at least one.
func some[T any](r *Random, list []T, chance int) []T {
	var out []T
	for _, x := range list {
		if r.Chance(chance) {
			out = append(out, x)
		}
	}
	if len(out) == 0 && len(list) > 0 {
		out = append(out, pick(r, list))
	}
	return out
}

// declare is what the Axis may say at any time.
func (b *B41) declare(p *blitz41.Position) engine.Command {
	at := b.hexes(p, 1)
	if len(at) == 0 {
		return engine.EndPhase{}
	}
	h := pick(&b.r, at)
	if b.r.Chance(50) {
		return blitz41.Hedgehog{At: b.at(h), Now: true}
	}
	c := blitz41.AirSupply{At: b.at(h), Now: true}
	if b.r.Chance(50) {
		c.Units.IDs = b.names(some(&b.r, b.mine(p, h, 1), 50))
	}
	return c
}

func (b *B41) supply(p *blitz41.Position, side uint8) engine.Command {
	if b.r.Chance(30) {
		return engine.EndPhase{}
	}
	own := b.hexes(p, side)
	if side == 2 {
		switch b.r.Intn(4) {
		case 0:
			return blitz41.MSU{Remove: true}
		case 1:
			return blitz41.MSU{Hold: true}
		}
		return blitz41.MSU{Place: b.at(b.anywhere(p, side))}
	}
	switch b.r.Intn(8) {
	case 0:
		if !b.r.Chance(15) {
			return engine.EndPhase{}
		}
		var corps []engine.UnitID
		for u := range b.d.Units {
			if b.d.Units[u].Panzer() && p.At(u) != force.Off && len(corps) < 5 {
				corps = append(corps, b.id(u))
			}
		}
		return blitz41.Consolidate{Corps: corps}
	case 1:
		return blitz41.Consolidate{Off: true}
	case 2, 3:
		return blitz41.SeaSupply{Baltic: b.r.Chance(50), At: b.at(pick(&b.r, own)), None: b.r.Chance(5)}
	case 4:
		return blitz41.LeningradSupply{On: b.r.Chance(70)}
	case 5:
		return blitz41.Hedgehog{At: b.at(pick(&b.r, own)), Remove: true}
	}
	return b.declare(p)
}

// anywhere is a hex where something may be placed: a place, a ZOMO hex, or
// just any hex of the side.
func (b *B41) anywhere(p *blitz41.Position, side uint8) int {
	for try := 0; try < 20; try++ {
		h := b.r.Intn(b.d.Board.Len())
		if b.r.Chance(70) {
			h = pick(&b.r, b.places)
		}
		if side == 1 && b.r.Chance(50) {
			for !b.d.Board.Any(h, blitz41.Zomo) {
				h = b.r.Intn(b.d.Board.Len())
			}
		}
		if p.Owner(h) == side {
			return h
		}
	}
	return b.r.Intn(b.d.Board.Len())
}

func (b *B41) newUnits(p *blitz41.Position, side uint8) engine.Command {
	var off, on, armies, shock []int
	for u := range b.d.Units {
		v := &b.d.Units[u]
		if v.Side != side {
			continue
		}
		if p.At(u) == force.Off {
			off = append(off, u)
		} else {
			on = append(on, u)
			if p.Steps(u) < v.Max {
				on = append(on, u, u, u, u)
			}
		}
		if v.NumberedArmy() && p.At(u) != force.Off {
			armies = append(armies, u)
		}
		if v.Shock() && p.At(u) == force.Off {
			shock = append(shock, u)
		}
	}
	n := 7
	if side == 2 {
		n = 12
	}
	switch k := b.r.Intn(n); {
	case k < 4 && len(off) > 0:
		u := pick(&b.r, off)
		c := blitz41.Build{Unit: b.id(u), Steps: b.r.Intn(b.d.Units[u].Max + 1), At: b.at(b.anywhere(p, side))}
		if u := b.id(u); u == "LPMA" {
			c.At, c.Steps = hex.MustParse("B9"), 0
		}
		if side == 2 && b.r.Chance(25) {
			c.At = hex.Coord{}
		}
		if side == 1 && b.r.Chance(30) {
			c.Pool = pick(&b.r, []string{"MECH", "NONMECH", "ROMANIAN"})
		}
		return c
	case k < 6 && len(on) > 0:
		c := blitz41.Replace{Unit: b.id(pick(&b.r, on)), Steps: 1 + b.r.Intn(2)}
		if side == 1 && b.r.Chance(30) {
			c.Pool = pick(&b.r, []string{"MECH", "NONMECH", "ROMANIAN"})
		}
		return c
	case k == 6:
		if side == 1 && len(off) > 0 && b.r.Chance(80) {
			return blitz41.Reenter{Units: b.names([]int{pick(&b.r, off)}), At: b.at(b.anywhere(p, side))}
		}
		return engine.EndPhase{}
	case k == 7 && len(on) > 0:
		return blitz41.RVGKIn{Units: b.names(some(&b.r, on[:1+b.r.Intn(len(on))], 2))[:1]}
	case k == 8 && len(off) > 0:
		return blitz41.RVGKOut{Units: []engine.UnitID{b.id(pick(&b.r, off))}, To: []hex.Coord{b.at(b.anywhere(p, side))}}
	case k == 9 && len(armies) > 0 && len(shock) > 0:
		return blitz41.Convert{From: b.id(pick(&b.r, armies)), To: b.id(pick(&b.r, shock)), Steps: b.r.Intn(3)}
	case k == 10:
		return b.partisans(p)
	case k == 11:
		if b.r.Chance(3) {
			return blitz41.DisbandMech{}
		}
		return blitz41.MSU{Place: b.at(b.anywhere(p, side))}
	}
	return engine.EndPhase{}
}

// near is a hex within n of a place.
func (b *B41) near(name string, n int) int {
	c, _ := b.d.Named(name)
	for {
		if h := b.r.Intn(b.d.Board.Len()); b.d.Board.Distance(c, h) <= n {
			return h
		}
	}
}

func (b *B41) partisans(p *blitz41.Position) engine.Command {
	if b.r.Chance(30) {
		return blitz41.PlacePart{Hold: true}
	}
	return blitz41.PlacePart{At: b.at(b.near(pick(&b.r, []string{"MOSCOW", "LENINGRAD"}), 4))}
}

// goal is the nearest place that the other side holds; -1 if there is none.
func (b *B41) goal(p *blitz41.Position, h int, side uint8) int {
	best, far := -1, 0
	for _, s := range b.d.Sites {
		if p.Owner(s.Hex) != 3-side || s.VP == 0 && !b.r.Chance(20) {
			continue
		}
		if n := b.d.Board.Distance(h, s.Hex) + b.r.Intn(4) - s.VP/3; best < 0 || n < far {
			best, far = s.Hex, n
		}
	}
	return best
}

// toward is a neighbour of a hex that lies nearer to a goal, if chance has it.
func (b *B41) toward(h, goal int, side uint8) int {
	if goal < 0 || b.r.Chance(20) {
		return b.step(h, side)
	}
	var nearer []int
	for _, n := range b.d.Board.Neighbours(h) {
		if n >= 0 && b.d.Board.Terrain(n) < blitz41.Sea && b.d.Board.Distance(n, goal) < b.d.Board.Distance(h, goal) {
			nearer = append(nearer, n)
		}
	}
	if len(nearer) == 0 {
		return b.step(h, side)
	}
	return pick(&b.r, nearer)
}

// aim is the goal of a side that drives.
func (b *B41) aim(p *blitz41.Position, h int, side uint8) int {
	if !b.drives[side] {
		return -1
	}
	return b.goal(p, h, side)
}

// factors adds up the attack (0) or defence (1) factors of units.
func (b *B41) factors(p *blitz41.Position, units []int, which int) int {
	n := 0
	for _, u := range units {
		if s := p.Steps(u); s > 0 {
			n += b.d.Units[u].Ladder[s-1][which]
		}
	}
	return n
}

// step is a neighbour of a hex, the Axis rather to the east.
func (b *B41) step(h int, side uint8) int {
	for {
		d := hex.Direction(b.r.Intn(6))
		if side == 1 && b.r.Chance(60) {
			d = pick(&b.r, []hex.Direction{hex.E, hex.NE, hex.SE})
		}
		if n := b.d.Board.Next(h, d); n >= 0 {
			return n
		}
	}
}

// enemies lists the neighbours of a hex where the enemy has units.
func (b *B41) enemies(p *blitz41.Position, h int, side uint8) []int {
	var out []int
	for _, n := range b.d.Board.Neighbours(h) {
		if n >= 0 && len(b.mine(p, n, 3-side)) > 0 {
			out = append(out, n)
		}
	}
	return out
}

func (b *B41) move(p *blitz41.Position, side uint8) engine.Command {
	if len(b.hand) > 0 {
		return b.lead(p, side)
	}
	own := b.hexes(p, side)
	if len(own) == 0 || b.r.Chance(b.lazy[side]) {
		return engine.EndPhase{}
	}
	h := pick(&b.r, own)
	if b.mend >= 0 && len(b.mine(p, b.mend, side)) > 0 && b.r.Chance(90) {
		u := pick(&b.r, b.mine(p, b.mend, side))
		return blitz41.Move{Units: []engine.UnitID{b.id(u)}, Path: []blitz41.Step{{Hex: b.at(b.step(b.mend, 0))}}}
	}
	if b.drives[side] {
		var fresh []int
		for _, at := range own {
			for _, u := range b.mine(p, at, side) {
				if !b.moved[b.id(u)] {
					fresh = append(fresh, at)
					break
				}
			}
		}
		if len(fresh) == 0 {
			return engine.EndPhase{}
		}
		if b.r.Chance(95) {
			h = pick(&b.r, fresh)
		}
	}
	units := b.mine(p, h, side)
	aim := b.aim(p, h, side)
	switch k := b.r.Intn(20); {
	case k < 8:
		b.hand = units
		c := blitz41.Stack{At: b.at(h)}
		if b.r.Chance(60) {
			b.hand = some(&b.r, units, 60)
			c.Units.IDs = b.names(b.hand)
		} else if b.r.Chance(50) {
			c.Units.Word = pick(&b.r, []string{"ALL", "MECH", "LEG"})
		}
		return c
	case k < 16:
		c := blitz41.Move{Units: b.names(some(&b.r, units, 50))}
		if aim >= 0 {
			c.Units = b.names(some(&b.r, units, 85))
		}
		at := h
		for n := 1 + b.r.Intn(6); n > 0; n-- {
			next := b.toward(at, aim, side)
			if aim >= 0 && len(b.mine(p, next, 3-side)) > 0 {
				break
			}
			at = next
			c.Path = append(c.Path, blitz41.Step{Hex: b.at(at)})
		}
		if len(c.Path) == 0 {
			c.Path = []blitz41.Step{{Hex: b.at(b.step(h, side))}}
		}
		if b.r.Chance(25) {
			c.Path = []blitz41.Step{{To: b.at(at)}}
		}
		if b.r.Chance(50) {
			c.From = b.at(h)
		}
		return c
	case k == 16 && side == 1:
		c := blitz41.Evacuate{Baltic: b.r.Chance(50), At: b.at(h)}
		if b.r.Chance(70) {
			c.Units.IDs = b.names(some(&b.r, units, 40))
		}
		return c
	case k == 16:
		return blitz41.SeaMove{To: b.at(b.r.Intn(b.d.Board.Len()))}
	case k == 17 && side == 2:
		return blitz41.Airdrop{To: b.at(b.near("MOSCOW", 4))}
	case k == 18 && side == 2:
		return b.partisans(p)
	case k == 19 && side == 2:
		u := b.d.Unit("MSU")
		if at := p.At(u); at != force.Off {
			return blitz41.Move{Units: []engine.UnitID{"MSU"}, Path: []blitz41.Step{{Hex: b.at(b.step(at, side))}}}
		}
	}
	return b.declare(p)
}

// lead gives an order to the stack in hand.
func (b *B41) lead(p *blitz41.Position, side uint8) engine.Command {
	h := force.Off
	for _, u := range b.hand {
		if p.At(u) != force.Off && (h == force.Off || b.r.Chance(30)) {
			h = p.At(u)
		}
	}
	if h == force.Off {
		b.hand = nil
		return blitz41.EndStack{}
	}
	enemies := b.enemies(p, h, side)
	if b.drives[side] {
		enemies = b.weak(p, enemies, b.hand)
	}
	switch k := b.r.Intn(20); {
	case k < 9 && len(enemies) > 0:
		return blitz41.MobileAssault{At: b.at(pick(&b.r, enemies)), Options: b.options(p, side, h)}
	case k < 12:
		c := blitz41.Go{}
		at := h
		for n := 1 + b.r.Intn(3); n > 0; n-- {
			at = b.toward(at, b.aim(p, at, side), side)
			c.Path = append(c.Path, blitz41.Step{Hex: b.at(at)})
		}
		if side == 2 && b.r.Chance(20) {
			c.OBG = "*"
		}
		return c
	case k == 12:
		c := blitz41.Repeat{Options: b.options(p, side, h)}
		c.Max = b.r.Intn(3)
		return c
	case k == 13:
		return blitz41.Return{}
	case k == 14:
		return blitz41.Split{Units: blitz41.Units{IDs: b.names(some(&b.r, b.hand, 40))}, As: pick(&b.r, []string{"NORTH", "SOUTH", ""})}
	case k == 15:
		return blitz41.With{Name: pick(&b.r, []string{"REST", "NORTH", "SOUTH"})}
	case k == 16:
		return blitz41.Leave{Units: blitz41.Units{IDs: b.names(some(&b.r, b.hand, 30))}}
	case k == 17 && side == 2:
		return blitz41.FormOBG{}
	case k == 18:
		return blitz41.Stop{}
	}
	b.hand = nil
	return blitz41.EndStack{}
}

// weak keeps the hexes whose defenders have half the attack factors of some
// units.
func (b *B41) weak(p *blitz41.Position, hexes, units []int) []int {
	var out []int
	for _, h := range hexes {
		if len(p.In(h)) > 0 && b.factors(p, units, 0) >= 2*b.factors(p, b.mine(p, h, b.d.Units[p.In(h)[0]].Side), 1) {
			out = append(out, h)
		}
	}
	return out
}

// options are clauses of a battle fought by units around a hex.
func (b *B41) options(p *blitz41.Position, side uint8, h int) blitz41.BattleOptions {
	var o blitz41.BattleOptions
	r := &b.r
	units := b.mine(p, h, side)
	if r.Chance(30) {
		o.Air, o.AirIf = 1+r.Intn(2), b.oddsIf()
	}
	if side == 1 && r.Chance(25) && len(units) > 0 {
		o.AllOut, o.AllOutIf = b.id(pick(r, units)), b.oddsIf()
	}
	if side == 2 && r.Chance(15) && p.State().Phase == "assault" {
		o.Cavalry = true
	}
	if side == 1 && r.Chance(10) {
		o.AirSupply = true
		if r.Chance(50) {
			o.SupplyIf = &blitz41.Compare{Op: ">=", N: 10}
		}
	}
	if r.Chance(40) && len(units) > 0 {
		l := &blitz41.LossPolicy{Steps: r.Chance(50), NoKill: r.Chance(30)}
		l.Retreat = !l.Steps
		l.IfWon, l.ElseSteps = r.Chance(30), r.Chance(50)
		if r.Chance(20) {
			l.Spare = b.names([]int{pick(r, units)})
		}
		if r.Chance(20) {
			l.Lose = b.names([]int{pick(r, units)})
		}
		o.Loss = l
	}
	if r.Chance(20) {
		o.Retreat = b.retreat()
	}
	if p.State().Phase == "assault" && r.Chance(60) {
		o.Advance = b.advance(h)
	}
	return o
}

func (b *B41) oddsIf() blitz41.OddsIf {
	if b.r.Chance(60) {
		return blitz41.OddsIf{}
	}
	return b.odds()
}

func (b *B41) odds() blitz41.OddsIf {
	o, _ := b.d.Columns.Parse(pick(&b.r, []string{"1-2", "1-1", "2-1", "3-1", "5-1"}))
	return blitz41.OddsIf{Op: pick(&b.r, []string{">=", "<=", ">", "<", "="}), Odds: o}
}

func (b *B41) retreat() *blitz41.RetreatPolicy {
	r := &b.r
	p := &blitz41.RetreatPolicy{Words: some(r, []string{"PREFER NORTH", "PREFER SOUTH", "SUPPLY", "TOWN", "FORT", "ALONE", "JOIN", "EXIT FINLAND", "EXIT ZOMO", "NOEXIT", "SEA"}, 20)}
	if r.Chance(20) {
		p.Toward = []hex.Coord{b.at(r.Intn(b.d.Board.Len()))}
	}
	if r.Chance(20) {
		p.Avoid = []hex.Coord{b.at(r.Intn(b.d.Board.Len()))}
	}
	return p
}

// advance goes to or beyond a neighbour of a hex.
func (b *B41) advance(h int) *blitz41.Advance {
	r := &b.r
	if r.Chance(10) {
		return &blitz41.Advance{None: true}
	}
	c := blitz41.AdvanceClause{Units: blitz41.Units{Word: pick(r, []string{"ALL", "ALL", "MECH", "LEG"})}}
	switch r.Intn(3) {
	case 0:
		c.Occupy = true
	case 1:
		c.Toward, c.Max = b.at(r.Intn(b.d.Board.Len())), r.Intn(5)
	default:
		at := h
		for n := 1 + r.Intn(3); n > 0; n-- {
			at = b.step(at, 1)
			c.Path = append(c.Path, blitz41.Step{Hex: b.at(at)})
		}
	}
	if r.Chance(15) {
		c.IfDX = true
	}
	return &blitz41.Advance{Clauses: []blitz41.AdvanceClause{c}}
}

func (b *B41) assault(p *blitz41.Position, side uint8) engine.Command {
	own := b.hexes(p, side)
	if len(own) == 0 || b.r.Chance(b.lazy[side]) {
		return engine.EndPhase{}
	}
	h := pick(&b.r, own)
	enemies := b.enemies(p, h, side)
	for try := 0; b.drives[side] && len(enemies) == 0 && try < 20; try++ {
		h = pick(&b.r, own)
		enemies = b.enemies(p, h, side)
	}
	if len(enemies) == 0 || b.r.Chance(15) {
		n := b.toward(h, b.aim(p, h, side), side)
		c := blitz41.Probe{At: b.at(n), From: blitz41.Origin{At: b.at(h)}}
		if b.r.Chance(50) {
			c.From.Units.IDs = b.names(some(&b.r, b.mine(p, h, side), 50))
		}
		if b.r.Chance(70) {
			c.Advance = b.advance(h)
		}
		return c
	}
	target := pick(&b.r, enemies)
	c := blitz41.Attack{At: []hex.Coord{b.at(target)}}
	if len(enemies) > 1 && b.r.Chance(15) {
		if two := pick(&b.r, enemies); two != target {
			c.At = append(c.At, b.at(two))
		}
	}
	var all []int
	for _, n := range b.d.Board.Neighbours(target) {
		if n < 0 || n != h && !b.drives[side] && !b.r.Chance(70) {
			continue
		}
		units := b.mine(p, n, side)
		if len(units) == 0 {
			continue
		}
		all = append(all, units...)
		o := blitz41.Origin{At: b.at(n)}
		if b.r.Chance(50) {
			o.Units.IDs = b.names(some(&b.r, units, 70))
		}
		c.From = append(c.From, o)
	}
	if b.drives[side] && b.r.Chance(90) && len(b.weak(p, []int{target}, all)) == 0 {
		c.From = nil // bad odds: refused, and something else is tried
	}
	c.Options = b.options(p, side, h)
	return c
}

// Befall implements [Fortune]: from the end of turn 7 on, random Axis players
// would have lost at once (15.4.B). In four games of five they are given empty
// places in the hinterland, so that the last turns are played too.
func (b *B41) Befall(pos engine.Position) []engine.Fact {
	p := pos.(*blitz41.Position)
	if s := p.State(); b.fair || s.Turn < 7 || s.Turn == 7 && s.Side == blitz41.Soviet {
		return nil
	}
	var out []engine.Fact
	vp := p.VP()
	for _, s := range b.d.Sites {
		if vp >= 32 {
			break
		}
		if s.VP == 0 || p.Owner(s.Hex) != 2 || len(p.In(s.Hex)) > 0 || b.d.Board.Any(s.Hex, blitz41.Fort|blitz41.Fortified|blitz41.Stalin|blitz41.Port) {
			continue
		}
		vp += s.VP
		out = append(out, blitz41.HexTaken{At: b.at(s.Hex), By: blitz41.Axis}, blitz41.Scored{At: b.at(s.Hex), Points: s.VP, VP: vp})
	}
	return out
}

// Standing implements [Proposer].
func (b *B41) Standing(pos engine.Position, s engine.Side) []engine.Order {
	var out []engine.Order
	side := sideNumber(s)
	for n := b.r.Intn(6); n > 0; n-- {
		c := blitz41.Standing{Scope: b.scope(side), Policy: b.policy(side)}
		if b.r.Chance(20) {
			c.In = pick(&b.r, []string{"MA", "PA"})
		}
		o := b.order(pos, c)
		o.Side = s
		out = append(out, o)
	}
	return out
}

// anyUnit is a unit that standing orders may name: the Cavalry Raid is a marker
// of the phasing side and stands nowhere.
func (b *B41) anyUnit(side uint8) int {
	for {
		if u := b.r.Intn(len(b.d.Units)); b.d.Units[u].Side == side && b.id(u) != "CAV" {
			return u
		}
	}
}

func (b *B41) scope(side uint8) blitz41.Scope {
	h := func() hex.Coord { return b.at(b.r.Intn(b.d.Board.Len())) }
	switch b.r.Intn(6) {
	case 0:
		return blitz41.Scope{Kind: "HEX", Hexes: []hex.Coord{h(), b.at(pick(&b.r, b.places))}}
	case 1:
		return blitz41.Scope{Kind: "AREA", A: h(), B: h()}
	case 2:
		return blitz41.Scope{Kind: "ROWS", A: hex.Letter(1+b.r.Intn(15), 0), B: hex.Letter(16+b.r.Intn(15), 0)}
	case 3:
		return blitz41.Scope{Kind: "UNIT", Units: b.names([]int{b.anyUnit(side)})}
	}
	return blitz41.Scope{Kind: "DEFAULT"}
}

func (b *B41) policy(side uint8) blitz41.Policy {
	r := &b.r
	h := func() hex.Coord { return b.at(pick(r, b.places)) }
	switch r.Intn(12) {
	case 0:
		return blitz41.Policy{Lose: b.names([]int{b.anyUnit(side)})}
	case 1:
		return blitz41.Policy{SpareWord: pick(r, []string{"PANZERS", "SHOCK"})}
	case 2:
		return blitz41.Policy{Losses: pick(r, []string{"SPREAD", "CONCENTRATE", "NOKILL"})}
	case 3:
		return blitz41.Policy{Retreat: b.retreat()}
	case 4:
		return blitz41.Policy{Counter: &blitz41.CounterAdvance{When: pick(r, []string{"ALWAYS", "NEVER", "VP", "TOWN"}), Leave: r.Intn(2)}}
	case 5, 6:
		a := &blitz41.AirPolicy{Reserve: -1, Max: r.Intn(3), AtVP: r.Chance(20), AtCity: r.Chance(20), IfOdds: b.oddsIf()}
		switch r.Intn(5) {
		case 0:
			a = &blitz41.AirPolicy{Reserve: r.Intn(3)}
		case 1:
			a.Match = true
		case 2:
			a.IsNet, a.Net = true, r.Intn(2)
		case 3:
			a.Never = true
		default:
			a.N = r.Intn(3)
		}
		return blitz41.Policy{Air: a}
	case 7:
		if side == 2 {
			return blitz41.Policy{MSU: pick(r, []string{"EAST", "BOX"})}
		}
		a := &blitz41.AirSupplyPolicy{Reserve: -1, Auto: true, WhenOOS: r.Chance(50)}
		switch r.Intn(4) {
		case 0:
			a = &blitz41.AirSupplyPolicy{Reserve: r.Intn(4)}
		case 1:
			a = &blitz41.AirSupplyPolicy{Reserve: -1, Never: true}
		}
		return blitz41.Policy{AirSupply: a}
	case 8:
		if side == 2 {
			return blitz41.Policy{Top: b.id(b.anyUnit(side))}
		}
		return blitz41.Policy{Hedgehog: &blitz41.HedgehogPolicy{IfAttacked: []hex.Coord{h(), h(), h()}}}
	}
	p := blitz41.Policy{Stance: pick(r, []string{"HOLD", "STAND", "KEEP", "BALANCE", "YIELD", "AUTO"}), N: -1}
	switch p.Stance {
	case "KEEP":
		p.N = 1 + r.Intn(4)
	case "HOLD":
		p.N = r.Intn(4) - 1
	default:
		p.N = 0
	}
	if r.Chance(20) {
		p.Unless = []string{"RETREAT " + pick(r, []string{"OOS", "LOST", "ALONE"})}
	}
	if r.Chance(20) {
		p.If = []string{pick(r, []string{"VP", "CITY", "TOWN", "FORT"})}
	}
	if r.Chance(10) {
		o := b.odds()
		p.IfOdds = &o
	}
	return p
}

// B41Laws are the invariants of Blitzkrieg '41, counted from the data set.
type B41Laws struct {
	d         *blitz41.Data
	opt       blitz41.Options
	pools     map[string]int
	loss      int
	scored    int
	dropped   bool // 4ABN has left Moscow
	hedgehogs map[hex.Coord]bool
	phase     string
	over      bool
}

// NewB41Laws makes the laws for one game.
func NewB41Laws(d *blitz41.Data, opt blitz41.Options) *B41Laws {
	return &B41Laws{d: d, opt: opt, pools: map[string]int{}, hedgehogs: map[hex.Coord]bool{}}
}

// Event implements [Checker].
func (l *B41Laws) Event(before, after engine.Position, e engine.Event) error {
	p, q := before.(*blitz41.Position), after.(*blitz41.Position)
	switch f := e.Fact.(type) {
	case blitz41.StepsCredited:
		l.pools[f.Pool] += f.Steps
	case blitz41.StepsSpent:
		if l.pools[f.Pool] -= f.Steps; l.pools[f.Pool] < 0 {
			return fmt.Errorf("pool %s is %d", f.Pool, l.pools[f.Pool])
		}
	case blitz41.Deducted:
		l.loss += f.Points
		if f.Points <= 0 || f.VP != q.VP() {
			return fmt.Errorf("%d points deducted make %d, the position has %d", f.Points, f.VP, q.VP())
		}
	case blitz41.Scored:
		if l.scored += f.Points; f.VP != q.VP() {
			return fmt.Errorf("%d points scored make %d, the position has %d", f.Points, f.VP, q.VP())
		}
	case blitz41.HedgehogMade:
		l.hedgehogs[f.At] = true
		if len(l.hedgehogs) > 4 {
			return fmt.Errorf("%d hedgehogs (14.39.8.A)", len(l.hedgehogs))
		}
	case blitz41.HedgehogGone:
		delete(l.hedgehogs, f.At)
	case blitz41.UnitMoved:
		if f.Unit == "4ABN" {
			l.dropped = true
		}
		if err := l.way(p, f); err != nil {
			return err
		}
	case blitz41.GameEnded:
		l.over = true
	case blitz41.AirSpent:
		if f.Points <= 0 {
			return fmt.Errorf("%d air points spent", f.Points)
		}
	case blitz41.PhaseBegan:
		if l.phase == "move" || l.phase == "assault" {
			if err := l.stacking(p); err != nil {
				return err
			}
		}
		if err := l.apart(p); err != nil {
			return err
		}
		l.phase = f.Phase.Word()
	}
	for u := range l.d.Units {
		v, s, h := &l.d.Units[u], q.Steps(u), q.At(u)
		if s < 0 || s > v.Max {
			return fmt.Errorf("%s has %d steps", v.ID, s)
		}
		if h == force.Off {
			continue
		}
		if v.Max > 0 && v.ID != "MSU" && s < 1 {
			return fmt.Errorf("%s stands in %v without steps", v.ID, l.d.Board.At(h))
		}
		if err := l.site(v, h); err != nil {
			return err
		}
	}
	return nil
}

// way checks that a unit goes from hex to hex and never over the sea.
func (l *B41Laws) way(p *blitz41.Position, f blitz41.UnitMoved) error {
	if f.How == "sea" || f.How == "drop" || f.How == "displaced" {
		return nil
	}
	at := p.At(l.d.Unit(f.Unit))
	for i, c := range f.Path {
		h := l.d.Board.Index(c)
		if h < 0 {
			return fmt.Errorf("%v is not on the map", c)
		}
		if at == h && (f.How == "return" || f.How == "retreat" || f.How == "ma") {
			continue
		}
		if !l.d.Board.Adjacent(at, h) {
			if f.How == "return" || f.How == "back" || i == 0 && f.How == "retreat" {
				at = h
				continue
			}
			return fmt.Errorf("from %v to %v isn't a step", l.d.Board.At(at), c)
		}
		if l.d.Board.Between(at, h)&blitz41.AllSea != 0 {
			return fmt.Errorf("from %v to %v is sea (9.14)", l.d.Board.At(at), c)
		}
		if f.How == "retreat" || f.How == "advance" || f.How == "move" {
			for _, u := range p.In(h) {
				if w := &l.d.Units[u]; w.Side != l.d.Units[l.d.Unit(f.Unit)].Side && w.Class != "none" {
					return fmt.Errorf("%v is held by %s", c, w.ID)
				}
			}
		}
		at = h
	}
	return nil
}

// site checks that a unit may be in a hex at all.
func (l *B41Laws) site(v *blitz41.Unit, h int) error {
	b := l.d.Board
	bad := func(rule string) error { return fmt.Errorf("%s stands in %v (%s)", v.ID, b.At(h), rule) }
	b9, b10 := b.Index(hex.MustParse("B9")), b.Index(hex.MustParse("B10"))
	switch {
	case b.Terrain(h) == blitz41.Sea:
		return bad("9.14")
	case v.ID == "COAST" && !b.Any(h, blitz41.CoastBlack|blitz41.CoastAzov):
		return bad("5.13.D")
	case v.ID == "LPMA" && b.Distance(h, b9) > 3:
		return bad("6.19")
	case v.ID == "OBG" && b.Distance(h, b10) > 1:
		return bad("6.20.C")
	case v.Nation == "romanian" && b.At(h).Row < 19:
		return bad("11.1.A")
	case (v.Nation == "italian" || v.Nation == "hungarian") && b.At(h).Row < 15:
		return bad("11.1.B")
	}
	return nil
}

// apart checks that no hex has both sides in it, that nobody rests on Lake
// Ladoga, and that who stands in a hex controls it.
func (l *B41Laws) apart(p *blitz41.Position) error {
	for h := 0; h < l.d.Board.Len(); h++ {
		var side uint8
		for _, u := range p.In(h) {
			v := &l.d.Units[u]
			if v.Class == "none" {
				continue
			}
			if side != 0 && side != v.Side {
				return fmt.Errorf("both sides stand in %v (12.9.B)", l.d.Board.At(h))
			}
			side = v.Side
		}
		if side != 0 && p.Owner(h) != side {
			return fmt.Errorf("%v is occupied by side %d and controlled by %d (3.0.C)", l.d.Board.At(h), side, p.Owner(h))
		}
		if side != 0 && l.d.Board.Terrain(h) == blitz41.Lake {
			return fmt.Errorf("somebody rests in %v (9.24.C)", l.d.Board.At(h))
		}
	}
	return nil
}

// stacking counts every hex in half units.
func (l *B41Laws) stacking(p *blitz41.Position) error {
	for h := 0; h < l.d.Board.Len(); h++ {
		halves, mech, rumanians, hungarians, germans, strangers := [3]int{}, 0, 0, 0, 0, 0
		for _, n := range p.In(h) {
			u := int(n)
			v := &l.d.Units[u]
			count := v.Halves
			s := p.Steps(u)
			if v.Side == 2 && v.Class != "none" && count > 0 && s > 0 && v.Ladder[s-1][0] >= 6 {
				count = 4
			}
			if v.ID == "4ABN" && !l.dropped {
				count = 0
			}
			halves[v.Side] += count
			if v.MechCorps() {
				mech++
			}
			switch v.Nation {
			case "romanian":
				rumanians++
			case "hungarian":
				hungarians++
			}
			if v.German() {
				germans += s
			} else if v.Side == 1 {
				strangers++
			}
		}
		at := l.d.Board.At(h)
		bad := func(format string, args ...any) error {
			text := fmt.Sprintf(format, args...) + fmt.Sprintf(" in %v:", at)
			for _, u := range p.In(h) {
				text += fmt.Sprintf(" %s/%d", l.d.Units[u].ID, p.Steps(int(u)))
			}
			return errors.New(text)
		}
		switch {
		case halves[1] > 10:
			return bad("%d half units of the Axis (8.1)", halves[1])
		case halves[2] > 8:
			return bad("%d half units of the Soviets (8.1)", halves[2])
		case mech > 2:
			return bad("%d mechanised corps (8.2)", mech)
		case rumanians > 1:
			return bad("both Romanian armies (8.4.B)")
		case rumanians > 0 && hungarians > 0:
			return bad("Romanians and Hungarians (8.4.C)")
		case l.hedgehogs[at] && (germans > 6 || strangers > 0):
			return bad("%d German steps, %d others in a hedgehog (14.39.8.E)", germans, strangers)
		}
	}
	return nil
}

// Order implements [Checker].
func (l *B41Laws) Order(pos engine.Position) error {
	p := pos.(*blitz41.Position)
	if p.VP() != l.scored-l.loss {
		return fmt.Errorf("the Axis has %d VP, %d were scored and %d deducted", p.VP(), l.scored, l.loss)
	}
	vp := -l.loss
	for _, s := range l.d.Sites {
		if p.Owner(s.Hex) == 1 {
			vp += s.VP
		}
	}
	if vp != p.VP() && !l.opt.Leningrad {
		return fmt.Errorf("the Axis has %d VP, its places less deductions make %d (15.2.B)", p.VP(), vp)
	}
	if p.State().Over != l.over {
		return fmt.Errorf("the game is over without an event")
	}
	return nil
}
