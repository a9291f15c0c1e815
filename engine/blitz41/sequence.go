package blitz41

import "pbemd/engine"

// Phase is a phase of a player-turn.
type Phase uint8

// The phases in which orders are given, and the Victory Check Phase.
const (
	NoPhase Phase = iota
	SupplyPhase
	NewUnitsPhase
	MovePhase
	AssaultPhase
	VictoryPhase
)

var phaseWords = []string{"", "supply", "newunits", "move", "assault", "victory"}

// Word is the phase word of the order grammar in lower case.
func (f Phase) Word() string { return phaseWords[f] }

// MarshalText implements encoding.TextMarshaler.
func (f Phase) MarshalText() ([]byte, error) { return []byte(f.Word()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (f *Phase) UnmarshalText(b []byte) error {
	p, _ := ParsePhase(string(b))
	*f = p
	return nil
}

// ParsePhase reads a phase word in lower case.
func ParsePhase(w string) (Phase, bool) {
	for i, n := range phaseWords {
		if n == w {
			return Phase(i), true
		}
	}
	return NoPhase, false
}

// Rolls of this game, the third part of their labels (B41 2.1(5)).
const (
	RollMA        = "ma"
	RollPA        = "pa"
	RollLeningrad = "leningrad"
)

// RollKinds lists the kinds of rolls.
var RollKinds = []string{RollMA, RollPA, RollLeningrad}

// row is a phase in the sequence of play: what happens by itself on entry, what
// happens when it is closed, and which orders it takes.
type row struct {
	side  uint8
	phase Phase
	rule  engine.RuleID
	enter func(g *play)
	leave func(g *play) error // a refusal keeps the phase open
	do    func(g *play, o engine.Order) (bool, error)
	// idle reports that there is nothing to order: the phase runs by itself.
	idle func(p *Position) bool
}

// sequence is the sequence of play of a game turn.
//
// Rule B41-4.1, B41-4.2.A, B41-4.3.A, B41-4.3.A.3, B41-4.3.B, B41-4.3.B.3.
var sequence []row

func init() {
	sequence = []row{
		{soviet, SupplyPhase, "B41-4.3.A.1", (*play).enterSovietSupply, (*play).leaveSovietSupply, (*play).doSupply, (*Position).noSovietSupplyOrders},
		{soviet, NewUnitsPhase, "B41-4.3.A.2", (*play).enterNewUnits, (*play).leaveNewUnits, (*play).doNewUnits, nil},
		{soviet, MovePhase, "B41-4.3.A.3", (*play).enterMove, (*play).leaveMove, (*play).doMove, nil},
		{soviet, AssaultPhase, "B41-4.3.A.4", (*play).enterAssault, (*play).leaveAssault, (*play).doAssault, nil},
		{soviet, VictoryPhase, "B41-4.3.A.5", (*play).victoryCheck, nil, nil, func(*Position) bool { return true }},
		{axis, SupplyPhase, "B41-4.3.B.1", (*play).enterAxisSupply, (*play).leaveAxisSupply, (*play).doSupply, nil},
		{axis, NewUnitsPhase, "B41-4.3.B.2", (*play).enterNewUnits, (*play).leaveNewUnits, (*play).doNewUnits, nil},
		{axis, MovePhase, "B41-4.3.B.3", (*play).enterMove, (*play).leaveMove, (*play).doMove, nil},
		{axis, AssaultPhase, "B41-4.3.B.4", (*play).enterAssault, (*play).leaveAssault, (*play).doAssault, nil},
	}
}

// now is the place of the position in the sequence.
func (p *Position) now() int {
	for i, r := range sequence {
		if r.side == p.side && r.phase == p.phase {
			return i
		}
	}
	return -1
}

// Begin implements [engine.Game].
//
// Rule B41-3.0.B, B41-4.4.B, B41-2.8.A, B41-2.8.D.
func (r *Rules) Begin(x *engine.Exec) {
	g := runOf(x)
	g.emit("B41-3.0.A", GameBegan{r.opt})
	for u := range r.d.Units {
		if v := &r.d.Units[u]; v.Start > 0 {
			g.emit("B41-3.0.B", UnitPlaced{v.ID, v.Home, v.Start, "setup"})
		}
	}
	g.beginTurn(1)
	g.open(len(sequence) - 1) // Turn 1 is the Axis Prepared Assault Phase alone
}

// open enters the phase in a row of the sequence, and goes on through those
// that have nothing to order.
func (g *play) open(i int) {
	for {
		r := &sequence[i]
		g.emit(r.rule, PhaseBegan{sideOf(r.side), r.phase})
		if r.enter != nil {
			r.enter(g)
		}
		if g.p.ended != nil || r.idle == nil || !r.idle(g.p) {
			return
		}
		if r.leave != nil {
			if err := r.leave(g); err != nil {
				return
			}
		}
		if g.p.ended != nil {
			return
		}
		i = g.after(i)
	}
}

// after is the row that follows; it begins the next turn when there is none.
func (g *play) after(i int) int {
	if i+1 < len(sequence) {
		return i + 1
	}
	g.beginTurn(g.p.turn + 1)
	return 0
}

// close ends the phase under way and enters the next.
//
// Rule B41-4.1.
func (g *play) close() error {
	i := g.p.now()
	if r := &sequence[i]; r.leave != nil {
		if err := r.leave(g); err != nil {
			return err
		}
	}
	if g.p.ended != nil {
		return nil
	}
	i = g.after(i)
	if g.p.ended == nil {
		g.open(i)
	}
	return nil
}

// Do implements [engine.Game].
func (r *Rules) Do(x *engine.Exec, o engine.Order) error {
	g := runOf(x)
	if err := g.p.mayOrder(o); err != nil {
		return err
	}
	if err := r.Sane(g.p, o); err != nil {
		return err
	}
	switch c := o.Command.(type) {
	case engine.Continue:
		return nil
	case engine.EndPhase:
		return g.close()
	case engine.EndTurn:
		for s, t := g.p.side, g.p.turn; g.p.ended == nil && g.p.side == s && g.p.turn == t; {
			if err := g.close(); err != nil {
				return err
			}
		}
		return nil
	case engine.ToPhase:
		return g.toPhase(c)
	}
	may := []func(*play, engine.Order) (bool, error){(*play).doAnyTime}
	if i := g.p.now(); i >= 0 && sequence[i].do != nil { // none before the set-up, whose step may wait for its beacon
		may = append(may, sequence[i].do)
	}
	for _, do := range may {
		if done, err := do(g, o); done || err != nil {
			return err
		}
	}
	return wrongPhase(g.p, o)
}

func (g *play) toPhase(c engine.ToPhase) error {
	want, ok := ParsePhase(c.Phase)
	if !ok || want == NoPhase || want == VictoryPhase {
		return engine.Refuse("B41-4.3.A", "b41.phase.unknown", "phase", c.Phase)
	}
	if want <= g.p.phase {
		return engine.Refuse("B41-4.1", "b41.phase.closed", "phase", c.Phase, "now", g.p.phase.Word())
	}
	for side := g.p.side; g.p.phase < want; {
		if err := g.close(); err != nil {
			return err
		}
		if g.p.ended != nil || g.p.side != side {
			return engine.Refuse("B41-4.1", "b41.phase.closed", "phase", c.Phase, "now", g.p.phase.Word())
		}
	}
	return nil
}

// mayOrder refuses orders of the side that isn't acting; what either side may
// say at any time is let through.
func (p *Position) mayOrder(o engine.Order) error {
	if p.ended != nil {
		return engine.Refuse("B41-15.0.dn1", "b41.over")
	}
	if number(o.Side) == p.side {
		return nil
	}
	if c, ok := o.Command.(anyTime); ok && c.anyTime() {
		return nil
	}
	return engine.Refuse("B41-4.3.A", "b41.notyourturn", "verb", o.Command.Verb(), "side", string(sideOf(p.side)), "phase", p.phase.Word())
}

// wrongPhase says which phase an order belongs to.
//
// Rule B41-4.1.
func wrongPhase(p *Position, o engine.Order) *engine.Refusal {
	c, ok := o.Command.(phased)
	if !ok {
		return engine.Refuse("B41-4.1", "b41.phase.never", "verb", o.Command.Verb(), "now", p.phase.Word())
	}
	phase, side := c.belongs()
	if side != nobody && side != p.side {
		return engine.Refuse("B41-4.3.A", "b41.phase.otherside", "verb", o.Command.Verb(), "side", string(sideOf(side)))
	}
	r := engine.Refuse("B41-4.1", "b41.phase.wrong", "verb", o.Command.Verb(), "phase", phase.Word(), "now", p.phase.Word())
	if phase > p.phase {
		r.Hint("b41.phase.hint", "phase", phase.Word())
	}
	return r
}

// Sane implements [engine.Game].
func (r *Rules) Sane(pos engine.Position, o engine.Order) error {
	p := pos.(*Position)
	if c, ok := o.Command.(named); ok {
		for _, id := range c.units() {
			u := p.d.Unit(id)
			if u < 0 {
				return engine.Refuse("B41-2.6.B", "b41.unit.unknown", "unit", string(id))
			}
			if p.unit(u).Side != number(o.Side) {
				return engine.Refuse("B41-2.6.B", "b41.unit.enemy", "unit", string(id))
			}
		}
		for _, h := range c.hexes() {
			if !p.d.Board.Has(h) {
				return engine.Refuse("B41-1.2", "b41.hex.unknown", "hex", h.String())
			}
		}
	}
	if c, ok := o.Command.(phased); ok {
		if _, side := c.belongs(); side != nobody && side != number(o.Side) {
			return engine.Refuse("B41-4.3.A", "b41.phase.otherside", "verb", o.Command.Verb(), "side", string(sideOf(side)))
		}
	}
	return nil
}

// beginTurn opens a game turn.
//
// Rule B41-4.1, B41-9.2, B41-14.39.2.A, B41-14.39.2.B.
func (g *play) beginTurn(n int) {
	g.emit("B41-4.1", TurnBegan{n})
	g.turnSupply()
	g.turnForts()
	g.turnVictory()
}
