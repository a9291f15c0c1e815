package blitz41

import (
	"slices"

	"pbemd/engine"
	"pbemd/engine/board"
	"pbemd/engine/hex"
)

// The pools of replacement steps, as in the clause WITH (B41-A100).
//
// Rule B41-6.4, B41-6.7, B41-6.8.
const (
	PoolMech     = "MECH"
	PoolNonMech  = "NONMECH"
	PoolRomanian = "ROMANIAN"
	PoolSoviet   = "SOVIET"
)

var poolNames = [4]string{PoolMech, PoolNonMech, PoolRomanian, PoolSoviet}

type newState struct {
	pools    [4]int // steps saved, by poolNames
	transits int    // RVGK transits used this Soviet player-turn
	closed   bool   // no more transits this phase (7.3)
	noMech   bool   // the Soviet player-turn began without a mechanised corps in play
	left     []exit // who left through the ZOMO
}

type exit struct {
	unit    int
	country string
}

// pool is the steps in a pool.
func (p *Position) pool(name string) int {
	if i := slices.Index(poolNames[:], name); i >= 0 {
		return p.new.pools[i]
	}
	return 0
}

var newFacts = []engine.Fact{SovietTurnBegan{}, StepsCredited{}, StepsSpent{}, Transited{}, TransitsClosed{}, LeftMap{}}

// SovietTurnBegan opens the Soviet player-turn: transits are counted anew.
type SovietTurnBegan struct {
	NoMech bool `json:"noMech,omitempty"` // no mechanised corps in play
}

// StepsCredited adds to a pool. Why is record, linkup or disbanded.
type StepsCredited struct {
	Pool  string `json:"pool"`
	Steps int    `json:"steps"`
	Why   string `json:"why"`
}

// StepsSpent takes from a pool for a unit.
type StepsSpent struct {
	Pool  string        `json:"pool"`
	Steps int           `json:"steps"`
	Unit  engine.UnitID `json:"unit"`
}

// Transited counts a unit against the RVGK limit.
type Transited struct {
	Unit  engine.UnitID `json:"unit"`
	Count int           `json:"count"`
}

// TransitsClosed ends the RVGK transits of the phase.
type TransitsClosed struct{}

// LeftMap says through which country's ZOMO a unit left the map.
type LeftMap struct {
	Unit    engine.UnitID `json:"unit"`
	Country string        `json:"country"`
}

// Kind implements [engine.Fact].
func (SovietTurnBegan) Kind() string { return "SovietTurnBegan" }

// Kind implements [engine.Fact].
func (StepsCredited) Kind() string { return "StepsCredited" }

// Kind implements [engine.Fact].
func (StepsSpent) Kind() string { return "StepsSpent" }

// Kind implements [engine.Fact].
func (Transited) Kind() string { return "Transited" }

// Kind implements [engine.Fact].
func (TransitsClosed) Kind() string { return "TransitsClosed" }

// Kind implements [engine.Fact].
func (LeftMap) Kind() string { return "LeftMap" }

func (f SovietTurnBegan) apply(p *Position) {
	p.new.transits, p.new.closed, p.new.noMech = 0, false, f.NoMech
	for u := range p.flags {
		p.flags[u] &^= Entered | Boxed | Frozen
	}
}

func (f StepsCredited) apply(p *Position) { p.new.pools[slices.Index(poolNames[:], f.Pool)] += f.Steps }
func (f StepsSpent) apply(p *Position)    { p.new.pools[slices.Index(poolNames[:], f.Pool)] -= f.Steps }
func (f Transited) apply(p *Position)     { p.new.transits += f.Count }
func (TransitsClosed) apply(p *Position)  { p.new.closed = true }

func (f LeftMap) apply(p *Position) {
	u := p.d.byID[f.Unit]
	left := slices.DeleteFunc(slices.Clone(p.new.left), func(e exit) bool { return e.unit == u })
	p.new.left = append(left, exit{u, f.Country})
}

// beginSovietTurn opens the Soviet player-turn.
//
// Rule B41-6.22.A, B41-7.2.B, B41-7.3.
func (g *play) beginSovietTurn() {
	g.emit("B41-4.3.A", SovietTurnBegan{!g.p.mechInPlay()})
}

// mechInPlay reports whether a Soviet mechanised corps is in play.
func (p *Position) mechInPlay() bool {
	for u := range p.d.Units {
		if p.unit(u).MechCorps() && p.onMap(u) {
			return true
		}
	}
	return false
}

// enterNewUnits credits the steps of the turn, brings what comes by itself and
// makes the cadres of the turn available.
//
// Rule B41-4.3.A.2, B41-4.3.B.2, B41-4.5.1.2.A, B41-4.5.2.2, B41-2.7, B41-6.1, B41-6.3.A, B41-6.4, B41-6.5.
func (g *play) enterNewUnits() {
	p := g.p
	t := &p.d.Turns[p.turn]
	credit := func(pool string, n int) {
		if n > 0 {
			g.emit("B41-6.4", StepsCredited{pool, n, "record"})
		}
	}
	if p.side == axis {
		credit(PoolMech, t.MechSteps)
		credit(PoolNonMech, t.LegSteps)
		credit(PoolRomanian, t.RomanianSteps)
		g.arrivals(axis)
		return
	}
	// Rule B41-14.39.7.C, B41-14.39.7.D.
	if abn := p.special("4ABN"); p.has(abn, WeakDrop) && p.onMap(abn) {
		g.emit("B41-14.39.7.C", StepsSet{"4ABN", p.unit(abn).Max, "flip"})
		g.flag("B41-14.39.7.C", []int{abn}, 0, WeakDrop)
	}
	g.arrivals(soviet)
	credit(PoolSoviet, t.SovietSteps)
	var fresh []int
	for _, id := range t.SovietCadres {
		// B41-A32: the Front Mobile Group has no place in the duty of 6.9.
		if u := p.d.byID[id]; id != "FMG" && p.where[u] == Later {
			fresh = append(fresh, u)
		}
	}
	g.flag("B41-6.9", fresh, Fresh, 0)
}

// arrivals brings the automatic reinforcements that are due. The militia enters
// Leningrad unless that was ever lost; all others wait for their owner to put
// them somewhere (B41-A129, B41-A132).
//
// Rule B41-6.2.A, B41-6.2.B, B41-6.2.C, B41-6.2.D, B41-6.19, B41-6.23, B41-5.12.A.
func (g *play) arrivals(side uint8) {
	p := g.p
	for u := range p.d.Units {
		v := p.unit(u)
		if v.Side != side || v.Kind != "automatic" || v.Turn > p.turn || p.where[u] != Later {
			continue
		}
		if v.ID != "LPMA" {
			g.remove(u, Held, "B41-6.2.A", "available")
			continue
		}
		b9 := p.d.Board.Index(leningradHex)
		switch {
		case p.everAxis[b9]:
			g.remove(u, Gone, "B41-6.19", "available")
		case p.alt("B41-A132") && p.overland(soviet, b9).OOS:
		default:
			g.emit("B41-6.19", UnitPlaced{v.ID, p.d.Board.At(b9), v.Max, "automatic"})
		}
	}
}

// leaveNewUnits ends the phase: the MSU goes to the Box if it was not placed,
// and new cadres are new no longer (B41-A32, B41-A36).
//
// Rule B41-5.12.A, B41-6.9.
func (g *play) leaveNewUnits() error {
	p := g.p
	if p.side != soviet {
		return nil
	}
	if m := p.special("MSU"); p.where[m] == Held {
		g.boxMSU(m)
	}
	var fresh []int
	for u := range p.flags {
		if p.has(u, Fresh) {
			fresh = append(fresh, u)
		}
	}
	g.flag("B41-6.9", fresh, 0, Fresh)
	return nil
}

func (g *play) boxMSU(m int) {
	g.remove(m, Box, "B41-5.12.E", "rvgk")
	g.flag("B41-7.3", []int{m}, Boxed, 0)
}

// doNewUnits takes the orders of the New Units Phases. Transits come first: any
// other order ends them.
//
// Rule B41-4.5.1.2.B, B41-7.3.
func (g *play) doNewUnits(o engine.Order) (bool, error) {
	side := soviet
	var do func() error
	switch c := o.Command.(type) {
	case RVGKIn:
		do = func() error { return g.rvgkIn(c.Units) }
	case RVGKOut:
		do = func() error { return g.rvgkOut(c) }
	case Build:
		side, do = g.p.side, func() error { return g.build(c) }
	case Replace:
		side, do = g.p.side, func() error { return g.replace(c) }
	case Convert:
		do = func() error { return g.convert(c) }
	case DisbandMech:
		do = g.disband
	case PlacePart:
		do = func() error { return g.placePart(c) }
	case MSU:
		if g.p.where[g.p.special("MSU")] != Held {
			return false, nil
		}
		do = func() error { return g.firstMSU(c) }
	case Reenter:
		side, do = axis, func() error { return g.reenter(c) }
	default:
		return false, nil
	}
	if side != g.p.side {
		return true, wrongPhase(g.p, o)
	}
	switch o.Command.(type) {
	case RVGKIn, RVGKOut:
	default:
		if g.p.side == soviet && !g.p.new.closed {
			g.emit("B41-7.3", TransitsClosed{})
		}
	}
	return true, do()
}

// firstMSU places the MSU on the turn it arrives, or sends it to the Box.
//
// Rule B41-5.12.A, B41-5.12.E, B41-5.12.F, B41-5.12.L.
func (g *play) firstMSU(c MSU) error {
	m := g.p.special("MSU")
	switch {
	case c.Remove:
		g.boxMSU(m)
		return nil
	case c.Hold:
		return nil
	}
	if err := g.putMSU(c.Place); err != nil {
		return err
	}
	g.flag("B41-5.12.L", []int{m}, Entered, 0)
	return nil
}

// barredFromBox lists who never enters the Box beside the mechanised corps.
//
// Rule B41-7.7.
var barredFromBox = []engine.UnitID{"COAST", "4ABN", "PART", "CAV", "OBG", "LPMA"}

// mayBox says why a unit can't be in the Box, nil if it can.
//
// Rule B41-7.7.
func (p *Position) mayBox(u int) *engine.Refusal {
	if v := p.unit(u); v.MechCorps() || slices.Contains(barredFromBox, v.ID) {
		return engine.Refuse("B41-7.7", "b41.rvgk.never", "unit", string(v.ID))
	}
	return nil
}

// transitCost is what a unit counts against the limit, by the face in play
// (B41-A34).
//
// Rule B41-7.2.C, B41-5.12.E.
func (p *Position) transitCost(u, steps int) int {
	if v := p.unit(u); steps >= 1 && steps <= v.Max && v.Ladder[steps-1][0] >= 6 {
		return 2
	}
	return 1
}

// transit counts a unit against the limit of the turn.
//
// Rule B41-7.2.B, B41-7.2.C, B41-7.2.D.
func (g *play) transit(u int) error {
	if r := g.p.transitRefusal(u, g.p.Steps(u)); r != nil {
		return r
	}
	g.emit("B41-7.2.B", Transited{g.p.unit(u).ID, g.p.transitCost(u, g.p.Steps(u))})
	return nil
}

// transitRefusal refuses what is beyond the limit of the turn.
//
// Rule B41-7.2.B.
func (p *Position) transitRefusal(u, steps int) *engine.Refusal {
	cost, limit := p.transitCost(u, steps), p.d.Turns[p.turn].Transits
	if p.new.transits+cost > limit {
		return engine.Refuse("B41-7.2.B", "b41.rvgk.limit", "unit", string(p.unit(u).ID), "cost", cost, "used", p.new.transits, "limit", limit)
	}
	return nil
}

// notFull refuses what only a unit in full overland supply may do, and says what
// that is.
//
// Rule B41-6.16, B41-A97, B41-A98.
func (p *Position) notFull(u int, rule engine.RuleID, key string) *engine.Refusal {
	r := engine.Refuse(rule, key, "unit", p.id(u), "hex", p.name(p.At(u)))
	switch {
	case u == p.special("COAST"):
		return r.Hint("b41.new.hint.full.coast")
	case p.unit(u).Side == soviet:
		return r.Hint("b41.new.hint.full.soviet")
	}
	n := p.d.Turns[p.turn].Length
	return r.Hint("b41.new.hint.full.axis", "north", n[0], "south", n[1])
}

// transitsOpen refuses transits that come too late in the phase.
//
// Rule B41-7.3.
func (p *Position) transitsOpen() error {
	if p.new.closed {
		return engine.Refuse("B41-7.3", "b41.rvgk.late").Hint("b41.rvgk.hint.first")
	}
	return nil
}

// rvgkIn lifts units into the Box.
//
// Rule B41-7.1, B41-7.2.A, B41-7.3, B41-7.4, B41-7.7.
func (g *play) rvgkIn(units []engine.UnitID) error {
	p := g.p
	if err := p.transitsOpen(); err != nil {
		return err
	}
	for _, id := range units {
		u := p.d.Unit(id)
		if r := p.liftRefusal(u); r != nil {
			return r
		}
		if err := g.transit(u); err != nil {
			return err
		}
		g.remove(u, Box, "B41-7.4", "rvgk")
		g.flag("B41-7.3", []int{u}, Boxed, 0)
	}
	return nil
}

// liftRefusal says why a unit can't be lifted into the Box.
//
// Rule B41-7.2.A, B41-7.3, B41-7.7.
func (p *Position) liftRefusal(u int) *engine.Refusal {
	if r := p.mayBox(u); r != nil {
		return r
	}
	switch id := p.id(u); {
	case id == "MSU":
		return engine.Refuse("B41-4.5.1.1.A", "b41.rvgk.msu").Hint("b41.rvgk.hint.msu")
	case !p.onMap(u):
		return engine.Refuse("B41-7.2.A", "b41.rvgk.notonmap", "unit", id)
	case p.has(u, Entered):
		return engine.Refuse("B41-7.3", "b41.rvgk.both", "unit", id)
	case !p.status(u).Full:
		return p.notFull(u, "B41-7.2.A", "b41.rvgk.supply")
	}
	return nil
}

// rvgkOut brings units from the Box onto fully supplied towns and cities, or
// onto the MSU.
//
// Rule B41-7.3, B41-7.5, B41-7.6.
func (g *play) rvgkOut(c RVGKOut) error {
	p := g.p
	if err := p.transitsOpen(); err != nil {
		return err
	}
	for i, id := range c.Units {
		u := p.d.Unit(id)
		if i >= len(c.To) || !p.d.Board.Has(c.To[i]) {
			return engine.Refuse("B41-7.5", "b41.rvgk.nowhere", "unit", string(id))
		}
		h := p.d.Board.Index(c.To[i])
		if r := p.exitRefusal(u, h); r != nil {
			return r
		}
		if err := g.transit(u); err != nil {
			return err
		}
		if err := g.put(u, h, p.Steps(u), "B41-7.5", "rvgk"); err != nil {
			return err
		}
		g.flag("B41-7.3", []int{u}, Entered, 0)
	}
	return nil
}

// exitRefusal says why a unit can't come from the Box to a hex.
//
// Rule B41-7.3, B41-7.5, B41-7.6.
func (p *Position) exitRefusal(u, h int) *engine.Refusal {
	switch id := p.id(u); {
	case id == "MSU":
		return engine.Refuse("B41-4.5.1.1.A", "b41.rvgk.msu").Hint("b41.rvgk.hint.msu")
	case p.has(u, Boxed) && p.where[u] == Box:
		return engine.Refuse("B41-7.3", "b41.rvgk.both", "unit", id)
	case p.where[u] != Box:
		return engine.Refuse("B41-7.5", "b41.rvgk.notinbox", "unit", id)
	case !p.exit(h):
		return engine.Refuse("B41-7.5", "b41.rvgk.exit", "unit", id, "hex", p.name(h)).Hint("b41.rvgk.hint.exit")
	}
	return nil
}

// exit reports whether units can come from the Box to a hex.
//
// Rule B41-7.5, B41-7.6.
func (p *Position) exit(h int) bool {
	return h == p.At(p.special("MSU")) || p.d.Board.Any(h, Place) && p.fullHex(soviet, h)
}

// put places a unit and tests the stack, as it is then.
//
// Rule B41-6.15.A, B41-6.15.B, B41-8.3, B41-8.7.
func (g *play) put(u, h, steps int, rule engine.RuleID, why string) error {
	p := g.p
	if r := p.roomFor(u, h, steps); r != nil {
		return r
	}
	g.emit(rule, UnitPlaced{p.unit(u).ID, p.d.Board.At(h), steps, why})
	g.arrived(h, p.unit(u).Side)
	return nil
}

// build brings a new or rebuilt unit into play, or an automatic one that waits.
//
// Rule B41-6.0, B41-6.2.A, B41-6.3.A, B41-6.3.B, B41-6.10.B, B41-2.7.
func (g *play) build(c Build) error {
	p := g.p
	u := p.d.Unit(c.Unit)
	v := p.unit(u)
	if r := p.buildRefusal(u); r != nil {
		return r
	}
	if v.Kind == "automatic" {
		return g.buildAutomatic(u, c)
	}
	pool, r := p.stepsFor(u, c.Steps, c.Pool)
	if r != nil {
		return r
	}
	if c.At.IsZero() {
		return g.buildInBox(u, c.Steps, pool)
	}
	h, r := p.entry(u, c.At)
	if r != nil {
		return r
	}
	g.emit("B41-6.3.A", StepsSpent{pool, c.Steps, c.Unit})
	return g.put(u, h, c.Steps, "B41-6.3.A", "build")
}

// buildRefusal says why a unit can't be built at all now.
//
// Rule B41-5.19.F.
func (p *Position) buildRefusal(u int) *engine.Refusal {
	if p.unit(u).Side == axis && p.consolidating() {
		return engine.Refuse("B41-5.19.F", "b41.new.consolidated").Hint("b41.supply.hint.consolidated")
	}
	return p.mayBuild(u)
}

// stepsFor is the pool that pays for a unit that is built with so many steps.
//
// Rule B41-6.9, B41-6.17.
func (p *Position) stepsFor(u, steps int, asked string) (string, *engine.Refusal) {
	if steps == 0 {
		return "", engine.Refuse("B41-6.3.A", "b41.new.nosteps", "unit", p.id(u), "max", p.unit(u).Max)
	}
	if v := p.unit(u); steps < 1 || steps > v.Max {
		return "", engine.Refuse("B41-6.17", "b41.new.steps", "unit", p.id(u), "steps", steps, "max", v.Max)
	}
	pool, r := p.poolFor(u, asked, steps)
	if r != nil {
		return "", r
	}
	return pool, p.duty(u, steps)
}

// buildInBox creates a unit in the Box; that is no transit (B41-A33).
//
// Rule B41-7.2.A, B41-7.2.D, B41-6.13.
func (g *play) buildInBox(u, steps int, pool string) error {
	p := g.p
	if r := p.boxRefusal(u, steps); r != nil {
		return r
	}
	g.emit("B41-6.3.A", StepsSpent{pool, steps, p.unit(u).ID})
	g.emit("B41-6.3.A", StepsSet{p.unit(u).ID, steps, "replacement"})
	if p.alt("B41-A33") {
		if err := g.transit(u); err != nil {
			return err
		}
	}
	g.remove(u, Box, "B41-7.2.A", "rvgk")
	g.flag("B41-7.3", []int{u}, Boxed|Played, Fresh)
	return nil
}

// boxRefusal says why a unit can't be built in the Box.
//
// Rule B41-6.13, B41-6.14, B41-7.7.
func (p *Position) boxRefusal(u, steps int) *engine.Refusal {
	if p.unit(u).Side == axis {
		return engine.Refuse("B41-6.14", "b41.new.where", "unit", p.id(u))
	}
	if r := p.mayBox(u); r != nil || !p.alt("B41-A33") {
		return r
	}
	return p.transitRefusal(u, steps)
}

// buildAutomatic places an automatic reinforcement at full strength.
//
// Rule B41-6.2.A, B41-6.2.D, B41-6.14.
func (g *play) buildAutomatic(u int, c Build) error {
	p := g.p
	v := p.unit(u)
	if c.Steps != 0 && c.Steps != v.Max {
		return engine.Refuse("B41-6.2.A", "b41.new.automatic.steps", "unit", string(c.Unit), "max", v.Max)
	}
	if c.Unit == "MSU" {
		if c.At.IsZero() {
			return g.firstMSU(MSU{Remove: true})
		}
		return g.firstMSU(MSU{Place: c.At})
	}
	if c.At.IsZero() {
		return engine.Refuse("B41-6.14", "b41.new.where", "unit", string(c.Unit))
	}
	h, r := p.entry(u, c.At)
	if r != nil {
		return r
	}
	return g.put(u, h, v.Max, "B41-6.2.A", "automatic")
}

// mayBuild says why a unit can't come into play by BUILD, nil if it can.
//
// Rule B41-2.7, B41-6.10.A, B41-6.10.B, B41-6.11.A, B41-6.12, B41-6.18.A, B41-6.20.A, B41-6.22.A, B41-10.3.A.
func (p *Position) mayBuild(u int) *engine.Refusal {
	v, id := p.unit(u), string(p.unit(u).ID)
	where := p.where[u]
	switch {
	case where == OnMap || where == Box:
		return engine.Refuse("B41-6.0", "b41.new.inplay", "unit", id).Hint("b41.new.hint.replace", "unit", id)
	case where == Gone:
		return engine.Refuse(p.goneRule(u), "b41.new.gone", "unit", id)
	case where == Waiting:
		return engine.Refuse("B41-14.11.B.2", "b41.new.waiting", "unit", id)
	case v.ID == "PART":
		return engine.Refuse("B41-6.21.A", "b41.new.part").Hint("b41.new.hint.part")
	case v.ID == "CAV":
		return engine.Refuse("B41-6.23", "b41.new.cav")
	case v.ID == "OBG":
		return engine.Refuse("B41-6.20.A", "b41.new.obg")
	case v.ID == "LPMA":
		return engine.Refuse("B41-6.19", "b41.new.lpma")
	case v.Kind == "automatic":
		if where != Held {
			return engine.Refuse("B41-6.2.B", "b41.new.early", "unit", id, "turn", v.Turn)
		}
		return nil
	case v.Kind == "conversion" && (!p.has(u, Played) || p.alt("B41-A131")):
		// B41-A131: first by conversion, afterwards like any army.
		return engine.Refuse("B41-6.18.A", "b41.new.shock", "unit", id).Hint("b41.new.hint.convert", "unit", id)
	case v.Turn > p.turn:
		return engine.Refuse("B41-2.7", "b41.new.early", "unit", id, "turn", v.Turn)
	case v.ID == "FMG" && !p.mobileGroupReady():
		hint := "b41.new.hint.fmg"
		if p.mechInPlay() {
			hint = "b41.new.hint.disband"
		}
		return engine.Refuse("B41-6.22.A", "b41.new.fmg").Hint(hint)
	}
	return nil
}

// goneRule is the paragraph by which a unit that is gone never returns. A
// numbered army is gone by conversion alone.
//
// Rule B41-6.10.A, B41-6.11.A, B41-6.12, B41-6.18.C, B41-6.19, B41-6.20.D, B41-10.3.B, B41-14.39.7.D.
func (p *Position) goneRule(u int) engine.RuleID {
	switch v := p.unit(u); {
	case v.Side == axis && (v.German() || v.Nation == "romanian"):
		return "B41-6.12"
	case v.Side == axis:
		return "B41-6.11.A"
	case v.NumberedArmy():
		return "B41-6.18.C"
	case v.ID == "COAST":
		return "B41-10.3.B"
	case v.ID == "LPMA" && !p.has(u, Played):
		return "B41-6.19"
	case v.ID == "OBG":
		return "B41-6.20.D"
	case v.ID == "4ABN":
		return "B41-14.39.7.D"
	}
	return "B41-6.10.A"
}

// mobileGroupReady reports whether the Front Mobile Group may come: the
// player-turn began without a mechanised corps in play (B41-A31).
//
// Rule B41-6.22.A.
func (p *Position) mobileGroupReady() bool {
	return p.new.noMech || p.alt("B41-A31") && !p.mechInPlay()
}

// poolFor is the pool that pays for steps of a unit.
//
// Rule B41-6.4, B41-6.7, B41-6.8, B41-6.11.B.
func (p *Position) poolFor(u int, asked string, steps int) (string, *engine.Refusal) {
	v := p.unit(u)
	pool := asked
	switch {
	case v.Side == soviet:
		pool = PoolSoviet
	case v.Nation == "romanian":
		pool = PoolRomanian
	case asked == "" && v.Mech():
		pool = PoolMech
	case asked == "":
		pool = PoolNonMech
	}
	if asked != "" && asked != pool || v.German() && pool != PoolMech && pool != PoolNonMech {
		return "", engine.Refuse("B41-6.7", "b41.new.pool", "unit", string(v.ID), "pool", asked)
	}
	if v.German() && v.Mech() && pool == PoolNonMech {
		return "", engine.Refuse("B41-6.7", "b41.new.pool.mech", "unit", string(v.ID))
	}
	if have := p.pool(pool); have < steps {
		r := engine.Refuse("B41-6.4", "b41.new.pool.short", "unit", string(v.ID), "pool", pool, "steps", steps, "have", have)
		if pool == PoolNonMech && p.pool(PoolMech) >= steps {
			r.Hint("b41.new.hint.mech")
		}
		return "", r
	}
	return pool, nil
}

// duty says what stands against spending steps while new cadres of the turn
// wait: each gets its first step before anything else is bought, as long as
// steps last and there is a place for it (B41-A32).
//
// Rule B41-6.9, B41-6.18.D.
func (p *Position) duty(u, steps int) *engine.Refusal {
	if p.unit(u).Side == axis {
		return nil
	}
	var wait []string
	for w := range p.flags {
		if w != u && p.has(w, Fresh) && p.where[w] == Later && (p.unit(w).ID != "COAST" || p.portFor(w)) {
			wait = append(wait, string(p.unit(w).ID))
		}
	}
	if len(wait) == 0 || p.has(u, Fresh) && (steps == 1 || p.pool(PoolSoviet)-steps >= len(wait)) {
		return nil
	}
	return engine.Refuse("B41-6.9", "b41.new.duty", "unit", string(p.unit(u).ID), "wait", wait, "n", len(wait))
}

// portFor reports whether the Coastal Army has a port to come to.
//
// Rule B41-10.3.A.
func (p *Position) portFor(coast int) bool {
	for _, s := range p.d.Sites {
		if p.d.Board.Is(s.Hex, Port) && p.Owner(s.Hex) == soviet && p.stackRefusal(s.Hex, soviet, []int{coast}, nil) == nil {
			return true
		}
	}
	return false
}

// entry is the hex in which a new unit comes into play, if it may.
func (p *Position) entry(u int, at hex.Coord) (int, *engine.Refusal) {
	h := p.d.Board.Index(at)
	if h == board.None {
		return h, engine.Refuse("B41-1.2", "b41.hex.unknown", "hex", at.String())
	}
	if p.unit(u).Side == axis {
		return h, p.axisEntry(u, h)
	}
	return h, p.sovietEntry(u, h)
}

// sovietEntry: a city in supply, the MSU, a fully supplied town far from the
// border; a port for the Coastal Army (B41-A96, B41-A98).
//
// Rule B41-6.13, B41-5.12.K, B41-10.3.A.
func (p *Position) sovietEntry(u, h int) *engine.Refusal {
	b, id, at := p.d.Board, string(p.unit(u).ID), p.name(h)
	if p.unit(u).ID == "COAST" {
		if b.Is(h, Port) && p.Owner(h) == soviet {
			return nil
		}
		return engine.Refuse("B41-10.3.A", "b41.new.coast", "hex", at)
	}
	if h == p.At(p.special("MSU")) {
		return nil
	}
	key := ""
	switch {
	case p.Owner(h) != soviet:
		key = "b41.new.control"
	case b.Is(h, City):
		if !p.overland(soviet, h).OOS {
			return nil
		}
		key = "b41.new.city"
	case !b.Is(h, Town):
		key = "b41.new.site"
	case !p.overland(soviet, h).Full:
		key = "b41.new.town"
	case p.fromBorder(h) < 4:
		key = "b41.new.border"
	default:
		return nil
	}
	return engine.Refuse("B41-6.13", key, "unit", id, "hex", at).Hint("b41.new.hint.site")
}

// fromBorder is the distance of a hex from the nearest ZOMO hex.
func (p *Position) fromBorder(h int) int { return int(p.d.index.border[h]) }

// axisEntry: a ZOMO hex that can be used, or a city in full overland supply,
// within the rows of the nationality (B41-A129).
//
// Rule B41-6.14, B41-5.14.B, B41-11.1.A, B41-11.1.B.
func (p *Position) axisEntry(u, h int) *engine.Refusal {
	b, id, at := p.d.Board, string(p.unit(u).ID), p.name(h)
	key := ""
	switch {
	case p.Owner(h) != axis:
		key = "b41.new.control"
	case b.Any(h, Zomo) && !p.zomoOpen(h):
		key = "b41.new.zomo"
	case !b.Any(h, Zomo|City):
		key = "b41.new.axis.site"
	case b.Is(h, City) && !p.overland(axis, h).Full:
		key = "b41.new.axis.city"
	default:
		return p.northRefusal(u, h)
	}
	return engine.Refuse("B41-6.14", key, "unit", id, "hex", at).Hint("b41.new.hint.axis")
}

// northRefusal says why a unit can't come into play so far north.
//
// Rule B41-11.1.A, B41-11.1.B.
func (p *Position) northRefusal(u, h int) *engine.Refusal {
	row, rule := p.northernRow(u), engine.RuleID("B41-11.1.A")
	if int(p.d.Board.At(h).Row) >= row {
		return nil
	}
	if p.unit(u).Nation != "romanian" {
		rule = "B41-11.1.B"
	}
	return engine.Refuse(rule, "b41.new.row", "unit", p.id(u), "hex", p.name(h), "row", hex.RowName(row))
}

// northernRow is the most northern row a unit may be in.
//
// Rule B41-11.1.A, B41-11.1.B.
func (p *Position) northernRow(u int) int {
	switch p.unit(u).Nation {
	case "romanian":
		return 'S' - 'A' + 1
	case "hungarian", "italian":
		return 'O' - 'A' + 1
	}
	return 1
}

// replace gives steps to a unit in play.
//
// Rule B41-2.8.B, B41-6.6, B41-6.7, B41-6.8, B41-6.10.A, B41-6.11.A, B41-6.11.B, B41-6.15.A, B41-6.16, B41-6.17, B41-5.19.F.
func (g *play) replace(c Replace) error {
	u := g.p.d.Unit(c.Unit)
	if r := g.p.replaceRefusal(u, c.Steps); r != nil {
		return r
	}
	return g.flesh(u, c.Steps, c.Pool)
}

// replaceRefusal says why a unit can't take replacements, pools left out.
//
// Rule B41-5.19.F, B41-6.6, B41-6.10.A, B41-6.11.A, B41-6.16, B41-6.17.
func (p *Position) replaceRefusal(u, steps int) *engine.Refusal {
	v := p.unit(u)
	id := string(v.ID)
	switch {
	case v.Side == axis && p.consolidating():
		return engine.Refuse("B41-5.19.F", "b41.new.consolidated").Hint("b41.supply.hint.consolidated")
	case p.where[u] == Waiting:
		return engine.Refuse("B41-14.11.B.2", "b41.new.waiting", "unit", id)
	case p.where[u] == Gone:
		return engine.Refuse(p.goneRule(u), "b41.new.gone", "unit", id)
	case !p.onMap(u) && p.where[u] != Box:
		return engine.Refuse("B41-6.6", "b41.new.notinplay", "unit", id).Hint("b41.new.hint.build", "unit", id)
	case v.Side == soviet && !v.Rebuilt:
		return engine.Refuse("B41-6.10.A", "b41.new.never", "unit", id)
	case !v.Rebuilt:
		return engine.Refuse("B41-6.11.A", "b41.new.never", "unit", id)
	case steps < 1 || p.Steps(u)+steps > v.Max:
		return engine.Refuse("B41-6.17", "b41.new.full", "unit", id, "steps", steps, "have", p.Steps(u), "max", v.Max)
	}
	if s := p.status(u); !s.Full && !(id == "COAST" && s.Sea) {
		// B41-A98: the Coastal Army lives on the sea.
		return p.notFull(u, "B41-6.16", "b41.new.supply")
	}
	return nil
}

// flesh spends steps on a unit in play. The stack must still fit: by the face
// that comes up, and by the steps of a hedgehog (B41-A90).
//
// Rule B41-6.6, B41-8.3, B41-14.39.8.E.
func (g *play) flesh(u, steps int, asked string) error {
	p := g.p
	pool, r := p.fleshRefusal(u, steps, asked)
	if r != nil {
		return r
	}
	id := p.unit(u).ID
	g.emit("B41-6.6", StepsSpent{pool, steps, id})
	g.emit("B41-6.6", StepsSet{id, p.Steps(u) + steps, "replacement"})
	return nil
}

// fleshRefusal is the pool that pays for more steps, or says why there can't be
// more.
//
// Rule B41-6.6, B41-8.3, B41-14.39.8.E.
func (p *Position) fleshRefusal(u, steps int, asked string) (string, *engine.Refusal) {
	pool, r := p.poolFor(u, asked, steps)
	if r == nil {
		r = p.duty(u, steps)
	}
	if r == nil && p.onMap(u) {
		r = p.roomFor(u, p.At(u), p.Steps(u)+steps)
	}
	return pool, r
}

// convert makes a Shock Army of a numbered army in full overland supply, step
// for step (B41-A130).
//
// Rule B41-6.18.A, B41-6.18.B, B41-6.18.C, B41-6.18.C.ex, B41-6.18.D.
func (g *play) convert(c Convert) error {
	p := g.p
	if r := p.convertRefusal(c); r != nil {
		return r
	}
	from, to := p.d.Unit(c.From), p.d.Unit(c.To)
	steps := p.Steps(from)
	h := p.At(from)
	g.remove(from, Gone, "B41-6.18.C", "converted")
	if h == board.None {
		g.emit("B41-6.18.B", StepsSet{c.To, steps, "convert"})
		g.remove(to, Box, "B41-6.18.B", "rvgk")
		g.flag("B41-6.18.B", []int{to}, Played|Boxed, 0)
	} else {
		g.emit("B41-6.18.B", UnitPlaced{c.To, p.d.Board.At(h), steps, "convert"})
	}
	if c.Steps > 0 {
		return g.flesh(to, c.Steps, "")
	}
	return nil
}

// convertRefusal says why an army can't become a Shock Army.
//
// Rule B41-6.18.A, B41-6.18.B, B41-6.18.C.
func (p *Position) convertRefusal(c Convert) *engine.Refusal {
	from, to := p.d.Unit(c.From), p.d.Unit(c.To)
	f, t := string(c.From), string(c.To)
	steps := p.Steps(from)
	again := p.alt("B41-A131") && p.where[to] == Dead
	switch {
	case !p.unit(to).Shock():
		return engine.Refuse("B41-6.18.A", "b41.convert.to", "unit", t)
	case p.unit(to).Turn > p.turn:
		return engine.Refuse("B41-2.7", "b41.new.early", "unit", t, "turn", p.unit(to).Turn)
	case !again && (p.where[to] != Later || p.has(to, Played)):
		return engine.Refuse("B41-6.18.A", "b41.convert.once", "unit", t)
	case !p.unit(from).NumberedArmy():
		return engine.Refuse("B41-6.18.A", "b41.convert.from", "unit", f)
	case !p.onMap(from) && p.where[from] != Box:
		return engine.Refuse("B41-6.18.A", "b41.convert.offmap", "unit", f)
	case !p.status(from).Full:
		return p.notFull(from, "B41-6.18.A", "b41.convert.supply")
	case steps > p.unit(to).Max || steps+c.Steps > p.unit(to).Max:
		return engine.Refuse("B41-6.17", "b41.new.full", "unit", t, "steps", c.Steps, "have", steps, "max", p.unit(to).Max)
	}
	if p.onMap(from) {
		return p.roomInstead(to, p.At(from), steps, from)
	}
	return nil
}

// disband removes all mechanised corps for steps: one for three attack factors
// of those in full supply (B41-A99).
//
// Rule B41-6.22.B.
func (g *play) disband() error {
	p := g.p
	var corps []int
	factors := 0
	for u := range p.d.Units {
		if p.unit(u).MechCorps() && p.onMap(u) {
			corps = append(corps, u)
			if p.status(u).Full {
				factors += p.face(u)[0]
			}
		}
	}
	if len(corps) == 0 {
		return engine.Refuse("B41-6.22.B", "b41.new.nomech")
	}
	for _, u := range corps {
		g.remove(u, Gone, "B41-6.22.B", "disbanded")
	}
	g.displaceMSU()
	if factors >= 3 {
		g.emit("B41-6.22.B", StepsCredited{PoolSoviet, factors / 3, "disbanded"})
	}
	return nil
}

// placePart commits the Partisans: in an empty Axis-controlled hex near Moscow
// or Leningrad, in no town or city (B41-A41).
//
// Rule B41-6.21.A, B41-6.21.B, B41-6.21.C, B41-6.21.F.
func (g *play) placePart(c PlacePart) error {
	p := g.p
	if r := p.partRefusal(c); r != nil || c.Hold {
		return orNil(r)
	}
	part := p.special("PART")
	return g.put(part, p.d.Board.Index(c.At), p.unit(part).Max, "B41-6.21.A", "automatic")
}

// partRefusal says why the Partisans can't be committed.
//
// Rule B41-6.21.A, B41-6.21.B.
func (p *Position) partRefusal(c PlacePart) *engine.Refusal {
	part := p.special("PART")
	switch {
	case p.onMap(part):
		return engine.Refuse("B41-6.21.B", "b41.part.onmap", "hex", p.name(p.At(part)))
	case p.where[part] == Gone:
		return engine.Refuse(p.goneRule(part), "b41.new.gone", "unit", "PART")
	case p.where[part] != Held:
		return engine.Refuse("B41-6.2.B", "b41.new.early", "unit", "PART", "turn", p.unit(part).Turn)
	case c.Hold:
		return nil
	}
	h, b := p.d.Board.Index(c.At), p.d.Board
	at, key := c.At.String(), ""
	switch {
	case h == board.None:
		return engine.Refuse("B41-6.21.A", "b41.hex.unknown", "hex", at)
	case b.Any(h, Place):
		key = "b41.part.town"
	case b.Distance(h, p.d.Board.Index(moscowHex)) > 4 && b.Distance(h, p.d.Board.Index(leningradHex)) > 4:
		key = "b41.part.far"
	case p.Owner(h) != axis:
		key = "b41.part.control"
	case len(p.In(h)) > 0:
		key = "b41.part.occupied"
	default:
		return nil
	}
	return engine.Refuse("B41-6.21.A", key, "hex", at).Hint("b41.part.hint")
}

// placePartMoving commits the Partisans in the Movement Phase, before the first
// land move (B41-A18).
//
// Rule B41-4.5.1.3.A.
func (g *play) placePartMoving(c PlacePart) error {
	if r := g.p.partLate(); r != nil {
		return r
	}
	return g.placePart(c)
}

// partLate refuses to commit the Partisans once the Soviets have moved.
//
// Rule B41-4.5.1.3.A.
func (p *Position) partLate() *engine.Refusal {
	first := slices.IndexFunc(p.flags, func(f Flag) bool { return f&Began != 0 })
	for _, r := range p.move.runs { // who has moved and died since
		if first < 0 && r.mp >= 0 {
			first = r.u
		}
	}
	if first < 0 || p.unit(first).Side != soviet {
		return nil
	}
	return engine.Refuse("B41-4.5.1.3.A", "b41.part.late", "unit", p.id(first))
}

// reenter brings back units that retreated off the map, through the ZOMO of the
// country they left by; also on a consolidation turn (B41-A87).
//
// Rule B41-14.11.B.2, B41-6.14.
func (g *play) reenter(c Reenter) error {
	p := g.p
	h := p.d.Board.Index(c.At)
	if h == board.None {
		return engine.Refuse("B41-14.11.B.2", "b41.hex.unknown", "hex", c.At.String())
	}
	for _, id := range c.Units {
		u := p.d.Unit(id)
		if r := p.reenterRefusal(u, h); r != nil {
			return r
		}
		if err := g.put(u, h, p.Steps(u), "B41-14.11.B.2", "reenter"); err != nil {
			return err
		}
	}
	return nil
}

// reenterRefusal says why a unit can't come back through a hex.
//
// Rule B41-14.11.B.2, B41-11.1.A, B41-11.1.B.
func (p *Position) reenterRefusal(u, h int) *engine.Refusal {
	id, at := p.id(u), p.name(h)
	if p.where[u] != Waiting {
		return engine.Refuse("B41-14.11.B.2", "b41.reenter.waiting", "unit", id)
	}
	if country := p.leftBy(u); !p.zomoOpen(h) || p.country(h) != country {
		return engine.Refuse("B41-14.11.B.2", "b41.reenter.where", "unit", id, "hex", at, "country", country)
	}
	return p.northRefusal(u, h)
}

// leftBy is the country through which a unit left the map.
func (p *Position) leftBy(u int) string {
	for _, e := range p.new.left {
		if e.unit == u {
			return e.country
		}
	}
	return ""
}

// mayBeRebuilt reports whether a Soviet unit may come back after its last step.
//
// Rule B41-6.10.A, B41-6.10.B.
func (p *Position) mayBeRebuilt(u int) bool { return p.unit(u).Rebuilt }
