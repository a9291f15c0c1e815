package blitz41

import (
	"slices"

	"pbemd/engine"
	"pbemd/engine/board"
	"pbemd/engine/hex"
)

// AssaultLaunched says that a group has paid for a mobile assault.
type AssaultLaunched struct {
	Units []engine.UnitID `json:"units"`
	From  hex.Coord       `json:"from"`
	At    hex.Coord       `json:"at"`
	Left  []int           `json:"left"`
}

// AssaultSettled says how a mobile assault came out for the movement of its
// survivors. Ended says that it is over; Stays that they share the hex with the
// defenders still.
type AssaultSettled struct {
	Units []engine.UnitID `json:"units,omitempty"`
	At    hex.Coord       `json:"at"`
	Word  string          `json:"word"` // WON, HELD, REPULSED
	Ended bool            `json:"ended,omitempty"`
	Stays bool            `json:"stays,omitempty"`
}

// ReturnTaken says that the player has taken note of an assault that was held:
// the group goes on from its launch hex.
type ReturnTaken struct{}

// Kind implements [engine.Fact].
func (AssaultLaunched) Kind() string { return "AssaultLaunched" }

// Kind implements [engine.Fact].
func (AssaultSettled) Kind() string { return "AssaultSettled" }

// Kind implements [engine.Fact].
func (ReturnTaken) Kind() string { return "ReturnTaken" }

func (f AssaultLaunched) apply(p *Position) {
	s := &p.move
	s.change(p.numbers(f.Units), func(i int, r *run) {
		r.mp, r.stirred = f.Left[i], true
		if p.unit(r.u).Side == soviet {
			p.flags[r.u] |= MadeMA
		}
	})
	s.launch, s.target = p.d.Board.Index(f.From), p.d.Board.Index(f.At)
	s.engaged, s.held = false, nil
}

func (f AssaultSettled) apply(p *Position) {
	s, units, at := &p.move, p.numbers(f.Units), p.d.Board.Index(f.At)
	s.engaged, s.held = f.Stays, nil
	if f.Word == "HELD" && !f.Ended {
		s.held, s.heldAt, s.heldBy = units, at, s.launch
	}
	for _, u := range units {
		if f.Ended {
			p.flags[u] |= Done
		}
	}
	if f.Word != "WON" {
		return
	}
	there := slices.DeleteFunc(units, func(u int) bool { return p.At(u) != at })
	s.change(there, func(_ int, r *run) {
		s.count++
		r.trail = append(r.trail[:len(r.trail):len(r.trail)], int16(at))
		r.last = s.count
	})
}

func (f ReturnTaken) apply(p *Position) { p.move.held, p.move.engaged = nil, false }

// mayAssault says why a unit can't take part in a mobile assault; nil if it can.
//
// Rule B41-4.5.1.3.B, B41-4.5.2.3.C, B41-5.12.B, B41-5.12.I, B41-5.18.C, B41-5.19.D, B41-11.5, B41-12.9.A, B41-12.14.B, B41-A86.
func (p *Position) mayAssault(u int) *engine.Refusal {
	v, id := p.unit(u), p.id(u)
	switch {
	case v.RIH() && v.Mech():
		return engine.Refuse("B41-11.5", "b41.ma.rih", "unit", id).Hint("b41.ma.hint.leave", "unit", id)
	case !v.Mech():
		return engine.Refuse("B41-12.9.A", "b41.ma.mech", "unit", id).Hint("b41.ma.hint.leave", "unit", id)
	case v.Side == axis && p.consolidating() && !p.has(u, Consolidated):
		return engine.Refuse("B41-5.19.D", "b41.ma.consolidated", "unit", id)
	case p.has(u, SeaSupplied):
		return engine.Refuse("B41-5.18.C", "b41.ma.seasupplied", "unit", id).Hint("b41.ma.hint.leave", "unit", id)
	case v.Side == soviet && p.has(u, MadeMA):
		return engine.Refuse("B41-12.14.B", "b41.ma.once", "unit", id)
	}
	return nil
}

// maSite says what bars mobile assaults from a hex into its neighbour; nil if
// nothing does.
//
// Rule B41-4.5.1.3.B, B41-9.3, B41-9.12.B, B41-9.13.C, B41-9.14, B41-9.24.C, B41-12.16.A, B41-12.17, B41-A26.
func (p *Position) maSite(from, to int) *engine.Refusal {
	b := p.d.Board
	s := b.Between(from, to)
	at := p.name(to)
	switch {
	case !b.Adjacent(from, to):
		return engine.Refuse("B41-12.9.A", "b41.move.apart", "from", p.name(from), "hex", at)
	case s&AllSea != 0:
		return engine.Refuse("B41-9.14", "b41.move.sea", "from", p.name(from), "hex", at)
	case s&KerchSide != 0:
		return engine.Refuse("B41-9.12.B", "b41.ma.kerch")
	case s&SivashSide != 0:
		return engine.Refuse("B41-9.13.C", "b41.ma.sivash")
	case b.Terrain(from) == Lake || b.Terrain(to) == Lake:
		return engine.Refuse("B41-9.24.C", "b41.ma.ladoga", "hex", at)
	case p.weather(to) == Mud:
		return engine.Refuse("B41-9.3", "b41.ma.mud", "hex", at)
	case b.Is(to, Mountain):
		return engine.Refuse("B41-A26", "b41.ma.mountain", "hex", at)
	}
	return nil
}

// maCost is what a mobile assault costs a unit: three times the hex, and the
// hexside once.
//
// Rule B41-4.5.1.3.C, B41-12.9.A, B41-A24.
func (p *Position) maCost(u, from, to int) int {
	side, _ := p.sideCost(from, to)
	return 3*p.hexCost(u, to) + side
}

// relaunchCost is what it costs to assault again from within the hex.
//
// Rule B41-12.22.B, B41-A25.
func (p *Position) relaunchCost(u, from, to int) int {
	if p.alt("B41-A25") {
		return 3 * p.hexCost(u, to)
	}
	return p.maCost(u, from, to)
}

// mobileAssault has the group in hand assault a neighbouring hex.
//
// Rule B41-12.9.A, B41-12.10, B41-12.12, B41-12.21.B, B41-8.8.A, B41-A81.
func (g *play) mobileAssault(c MobileAssault, o engine.Order) error {
	p := g.p
	to := p.d.Board.Index(c.At)
	if to == board.None {
		return engine.Refuse("B41-1.2", "b41.hex.unknown", "hex", c.At.String())
	}
	if p.move.engaged && to == p.move.target {
		return g.again(c.Options, o)
	}
	if err := g.takeNote(o); err != nil {
		return err
	}
	units, err := g.assaulters()
	if err != nil {
		return err
	}
	from := p.At(units[0])
	if err := p.maSite(from, to); err != nil {
		return err
	}
	if !p.holds(enemyOf(p.side), to) {
		return engine.Refuse("B41-12.9.A", "b41.ma.empty", "hex", p.name(to)).Hint("b41.ma.hint.go", "hex", p.name(to))
	}
	if err := g.begin(units); err != nil {
		return err
	}
	if err := p.maEntry(units, from, to); err != nil {
		return err
	}
	// Rule B41-8.7, B41-8.8.A, B41-8.8.B, B41-12.10, B41-12.10.ex, B41-A94.
	if err := p.stackRefusal(from, p.side, nil, nil); err != nil {
		return err.Hint("b41.ma.hint.launch", "hex", p.name(from))
	}
	if err := p.maRefusal(units, to, c.Options); err != nil {
		return err
	}
	return g.launch(units, from, to, c.Options, o)
}

// assaulters are the units of the group in hand, all fit for a mobile assault.
func (g *play) assaulters() ([]int, error) {
	p := g.p
	units := p.inHand()
	if len(units) == 0 {
		return nil, engine.Refuse("B41-12.8", "b41.move.nogroup").Hint("b41.move.hint.with")
	}
	if err := p.msuLast(units); err != nil {
		return nil, err
	}
	for _, u := range units {
		if err := p.mayMove(u); err != nil {
			return nil, err
		}
		if p.At(u) != p.At(units[0]) {
			return nil, engine.Refuse("B41-12.12", "b41.move.apartgroup", "unit", p.id(u), "hex", p.name(p.At(u)), "other", p.id(units[0]))
		}
		if err := p.mayAssault(u); err != nil {
			if len(units) == 1 {
				err.Hints = nil // nobody would be left
			}
			return nil, err
		}
	}
	if err := p.together(units); err != nil {
		return nil, err
	}
	return units, nil
}

// maEntry tests the entry itself: bars of terrain and supply as if the hex had
// been won, and the full price for everybody.
//
// Rule B41-5.3.C, B41-9.8.B, B41-12.11, B41-A84, B41-A85.
func (p *Position) maEntry(units []int, from, to int) *engine.Refusal {
	w := &walk{units: units, start: from, at: from}
	for _, u := range units {
		if ok, rule, key := p.passable(p.side, u, from, to); !ok {
			return engine.Refuse(rule, key, "unit", p.id(u), "hex", p.name(to), "from", p.name(from))
		}
		if p.side == soviet {
			if err := p.sovietBars(w, u, to); err != nil {
				return err
			}
		}
	}
	if err := p.heading(w, to); err != nil {
		return err
	}
	return p.maPrice(units, from, to, p.maCost)
}

// maPrice refuses a mobile assault that one of the units can't pay for.
//
// Rule B41-12.11.
func (p *Position) maPrice(units []int, from, to int, cost func(u, from, to int) int) *engine.Refusal {
	for _, u := range units {
		if need, left := cost(u, from, to), p.move.run(u).mp; need > left {
			r := engine.Refuse("B41-12.11", "b41.ma.mp", "unit", p.id(u), "hex", p.name(to), "need", need, "left", left)
			if len(units) > 1 {
				r.Hint("b41.ma.hint.leave", "unit", p.id(u))
			}
			return r
		}
	}
	return nil
}

// launch pays, enters, fights, and settles what becomes of the group.
//
// Rule B41-5.8.A, B41-12.4, B41-12.13, B41-12.14.A, B41-12.15, B41-12.18, B41-12.20.A, B41-12.20.B, B41-12.22, B41-12.22.A, B41-12.22.B, B41-14.3.C.
// Rule B41-A21, B41-A114, B41-A116, B41-A117, B41-A118, B41-A120.
func (g *play) launch(units []int, from, to int, opt BattleOptions, o engine.Order) error {
	p := g.p
	f := AssaultLaunched{Units: p.ids(units), From: p.d.Board.At(from), At: p.d.Board.At(to)}
	sup := map[int]Status{}
	for _, u := range units {
		r := p.move.run(u)
		cost := p.maCost(u, from, to)
		if p.At(u) == to {
			cost = p.relaunchCost(u, from, to)
		}
		f.Left = append(f.Left, r.mp-cost)
		sup[u] = r.sup
		if p.has(u, AirSupplied) {
			sup[u] = p.status(u)
		}
	}
	g.emit("B41-12.9.A", f)
	out := g.fightMA(units, from, to, o, opt, sup)
	if p.ended != nil {
		return nil
	}
	var alive []int
	for _, u := range units {
		if p.onMap(u) {
			alive = append(alive, u)
		}
	}
	s := AssaultSettled{At: f.At, Word: out.Word, Ended: out.Below || out.AttackersRetreated || out.Word == "REPULSED"}
	if len(alive) > 0 {
		s.Units = p.ids(alive)
	}
	held := out.Word == "HELD" && !s.Ended
	s.Stays = held && p.side == axis && len(alive) > 0 && p.At(alive[0]) == to && p.maPrice(alive, from, to, p.relaunchCost) == nil
	g.emit("B41-12.22", s)
	if out.Word == "WON" && !s.Ended && len(alive) > 0 {
		g.arrived(to, p.side)
		return nil
	}
	if !s.Stays {
		g.goHome(alive, from, to)
	}
	return nil
}

// goHome takes assaulters that still share the hex with the defenders back to
// the hex they came from.
//
// Rule B41-12.9.B, B41-12.22.A, B41-12.22.B, B41-A116.
func (g *play) goHome(units []int, launch, from int) {
	if !g.p.holds(enemyOf(g.p.side), from) {
		return
	}
	for _, u := range units {
		if g.p.onMap(u) && g.p.At(u) == from {
			g.emit("B41-12.22.B", UnitMoved{g.p.unit(u).ID, []hex.Coord{g.p.d.Board.At(launch)}, "return"})
		}
	}
}

// disengage takes a group back that stays in a hex of the enemy, when the
// player goes on to something else.
func (g *play) disengage() {
	if g.p.move.engaged {
		g.comeBack()
	}
}

// takeNote refuses an order that was written for a won assault when it was
// held. A line with a condition knows what has happened.
//
// Rule B41-12.22.B.
func (g *play) takeNote(o engine.Order) error {
	p := g.p
	if !p.mustNote() {
		return nil
	}
	if !aware(o.If) {
		launch := p.name(p.move.heldBy)
		return engine.Refuse("B41-12.22", "b41.ma.held", "hex", p.name(p.move.heldAt), "launch", launch).Hint("b41.ma.hint.return", "launch", launch)
	}
	g.comeBack()
	return nil
}

// mustNote reports whether the group in hand has been held and nobody has taken
// note of it.
func (p *Position) mustNote() bool {
	return slices.ContainsFunc(p.inHand(), func(u int) bool { return slices.Contains(p.move.held, u) })
}

// aware reports whether the condition of a line has looked at how things came
// out.
func aware(c engine.Condition) bool {
	switch c := c.(type) {
	case And:
		return slices.ContainsFunc(c.Tests, aware)
	case Or:
		return slices.ContainsFunc(c.Tests, aware)
	case Not:
		return aware(c.Test)
	case LastIs, BattleIs, HexIs:
		return true
	}
	return false
}

// comeBack takes a group whose assault was held to its launch hex, if it isn't
// there already.
func (g *play) comeBack() {
	if s := &g.p.move; s.engaged {
		g.goHome(s.hand, s.launch, s.target)
	}
	g.emit("B41-12.22.B", ReturnTaken{})
}

// returnHome takes the group back to the hex it launched its assault from, at
// no cost.
//
// Rule B41-12.22.B.
func (g *play) returnHome() error {
	p := g.p
	if len(p.move.held) == 0 {
		return engine.Refuse("B41-12.22.B", "b41.ma.noreturn")
	}
	g.comeBack()
	return nil
}

// again relaunches the assault of a group that has stayed in the hex.
//
// Rule B41-12.14.A, B41-12.22.B, B41-A25.
func (g *play) again(opt BattleOptions, o engine.Order) error {
	p := g.p
	units := p.inHand()
	if r := p.againRefusal(units); r != nil {
		return r
	}
	from, to := p.move.launch, p.move.target
	if err := p.maRefusal(units, to, opt); err != nil {
		return err
	}
	return g.launch(units, from, to, opt, o)
}

// againRefusal says why a group that shares a hex with the enemy can't assault
// it again.
//
// Rule B41-12.11, B41-12.14.B, B41-12.22.B.
func (p *Position) againRefusal(units []int) *engine.Refusal {
	for _, u := range units {
		if r := p.mayAssault(u); r != nil {
			return r
		}
	}
	return p.maPrice(units, p.move.launch, p.move.target, p.relaunchCost)
}

// repeat assaults the same hex again, as long as it is held and can be paid
// for, up to the number ordered.
//
// Rule B41-12.14.A, B41-12.14.B, B41-12.22.B, B41-A25, B41-A116.
func (g *play) repeat(c Repeat, o engine.Order) error {
	p := g.p
	if units := p.inHand(); len(units) > 0 && p.side == soviet {
		if err := p.mayAssault(units[0]); err != nil {
			return err
		}
	}
	if !p.move.engaged {
		if units := p.inHand(); len(p.move.held) > 0 && len(units) > 0 {
			// Back home because the price could not be paid.
			if err := p.maPrice(units, p.move.heldBy, p.move.heldAt, p.maCost); err != nil {
				return err
			}
		}
		return engine.Refuse("B41-12.22.B", "b41.ma.norepeat")
	}
	for n := 0; n < max(1, c.Max); n++ {
		if err := g.again(c.Options, o); err != nil {
			if n > 0 { // a battle has been fought; what came of it stands
				return nil
			}
			return err
		}
		if p.ended != nil || !p.move.engaged {
			return nil
		}
	}
	return nil
}

// former is the army of a group that can form the Oranienbaum Bridgehead Group
// by the order: the one named, or the first that can; -1 if there is none.
//
// Rule B41-6.20.B, B41-A39.
func (p *Position) former(units []int, by engine.UnitID) int {
	for _, u := range units {
		if (by == "*" || p.unit(u).ID == by) && p.mayOBG(u) == nil {
			return u
		}
	}
	return -1
}

// noOBG says why no army of a group has formed the OBG.
func (p *Position) noOBG(units []int, by engine.UnitID) *engine.Refusal {
	for _, u := range units {
		if by == "*" || p.unit(u).ID == by {
			if r := p.mayOBG(u); r != nil {
				return r.Hint("b41.move.hint.obg")
			}
		}
	}
	return engine.Refuse("B41-6.20.B", "b41.move.obg.none", "army", string(by)).Hint("b41.move.hint.obg")
}

// formHere forms the OBG from an army of the group that has just moved past
// B10.
//
// Rule B41-6.20.A, B41-6.20.B, B41-A39.
func (g *play) formHere(by engine.UnitID) error {
	p := g.p
	if by == "" {
		by = "*"
	}
	hand := p.inHand()
	if len(hand) == 0 {
		return engine.Refuse("B41-12.8", "b41.move.nogroup").Hint("b41.move.hint.with")
	}
	moved := p.movedOf(hand)
	u := p.former(moved, by)
	if u < 0 {
		if len(moved) == 0 {
			return engine.Refuse("B41-6.20.B", "b41.move.obg.still").Hint("b41.move.hint.obg")
		}
		return p.noOBG(moved, by)
	}
	return g.formOBG(u)
}

// movedOf are the units of a list that have entered a hex in this phase.
func (p *Position) movedOf(units []int) []int {
	var out []int
	for _, u := range units {
		if r := p.move.run(u); r != nil && len(r.trail) > 0 {
			out = append(out, u)
		}
	}
	return out
}

// msuPlaced reports whether the MSU came onto the map this player-turn.
func (p *Position) msuPlaced() bool { return p.has(p.special("MSU"), Entered) }

// MSUClosed says that the MSU, placed this turn, has made the last move of the
// phase.
type MSUClosed struct{}

// Kind implements [engine.Fact].
func (MSUClosed) Kind() string { return "MSUClosed" }

func (f MSUClosed) apply(p *Position) { p.move.msu = true }

// msuLast has the MSU move alone and last on the turn it is placed.
//
// Rule B41-5.12.J, B41-5.12.L.
func (p *Position) msuLast(units []int) *engine.Refusal {
	if m := p.special("MSU"); slices.Contains(units, m) && p.msuPlaced() && len(units) > 1 {
		return engine.Refuse("B41-5.12.L", "b41.move.msualone", "unit", p.id(m))
	}
	return nil
}
