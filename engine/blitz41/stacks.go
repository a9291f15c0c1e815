package blitz41

import (
	"slices"

	"pbemd/engine"
	"pbemd/engine/board"
	"pbemd/engine/hex"
)

// run is the movement of one unit in this phase.
type run struct {
	u       int
	home    int    // parent stack: the hex where it began the phase
	start   int    // where its land movement began
	mp      int    // movement points left
	sup     Status // when it began to move; fixed for the phase
	single  bool   // one hex, whatever it costs (5.12.J, 5.19.D)
	stirred bool   // has made an MA or has been at sea
	trail   []int16
	last    int // order of its last arrival
}

// party is a part of a stack that was split off under a name.
type party struct {
	name  string
	units []int
}

// moveState is the movement of the phase under way. Its slices are replaced and
// never written to, so that copies share them; the same goes for runs.
type moveState struct {
	runs   []*run  // of the units that have begun, in that order
	slot   []uint8 // by unit: its place in runs, from 1; nil for nobody
	count  int     // arrivals so far
	parent int     // parent stack that moves now, none before the first
	sealed []int   // parent stacks that are finished (12.8)
	land   bool    // land movement has begun
	sea    bool    // the Coastal Army has been at sea
	evac   [2]int
	msu    bool // the MSU has made the last move of the phase

	open  bool
	at    int // hex in which the stack was taken up
	stack []int
	hand  []int
	held  []int // units of an MA that left the defenders in place, until the player takes note
	named []party
	left  []int

	launch, target int // of the last MA of the group in hand
	engaged        bool
	heldAt, heldBy int // hex that was held, and the launch hex of those who attacked it
}

func (s *moveState) begin(p *Position) {
	*s = moveState{parent: board.None, at: board.None, launch: board.None, target: board.None, evac: [2]int{board.None, board.None}}
}

// run finds the movement of a unit, nil if it hasn't begun. It must not be
// changed.
func (s *moveState) run(u int) *run {
	if s.slot == nil || s.slot[u] == 0 {
		return nil
	}
	return s.runs[s.slot[u]-1]
}

// add puts the movement of a unit at the end of the runs, instead of one that
// it may have had.
func (s *moveState) add(p *Position, r *run) {
	var runs []*run
	for _, x := range s.runs {
		if x.u != r.u {
			runs = append(runs, x)
		}
	}
	s.runs = append(runs, r)
	s.slot = make([]uint8, len(p.d.Units))
	for i, x := range s.runs {
		s.slot[x.u] = uint8(i + 1)
	}
}

// change gives runs of units to be changed.
func (s *moveState) change(units []int, f func(i int, r *run)) {
	if len(units) == 0 {
		return
	}
	s.runs = slices.Clone(s.runs)
	copies := make([]run, len(units))
	for i, u := range units {
		at := s.slot[u] - 1
		copies[i] = *s.runs[at]
		s.runs[at] = &copies[i]
		f(i, &copies[i])
	}
}

// home is the parent stack of a unit: the hex where it began the phase. Who
// has not moved stands there still.
func (p *Position) home(u int) int {
	if r := p.move.run(u); r != nil {
		return r.home
	}
	return p.At(u)
}

// homeName names the parent stack of a unit.
func (p *Position) homeName(u int) string { return p.stackName(p.home(u)) }

// stackName names a parent stack: by its hex, or by its unit if that has come
// from the sea.
func (p *Position) stackName(home int) string {
	if n := p.d.Board.Len(); home >= n {
		return p.id(home - n)
	}
	return p.name(home)
}

var moveFacts = []engine.Fact{
	StackOpened{}, StackClosed{}, GroupNamed{}, GroupTaken{}, UnitsLeft{}, DroppedOff{}, MoveBegun{}, GroupMoved{}, AssaultLaunched{},
	AssaultSettled{}, ReturnTaken{}, SeaMoved{}, Evacuated{}, AirDropped{}, PushedBack{}, MSUClosed{},
}

// StackOpened takes up units of a hex as a parent stack.
type StackOpened struct {
	At    hex.Coord       `json:"at"`
	Units []engine.UnitID `json:"units"`
}

// StackClosed puts it down.
type StackClosed struct{}

// GroupNamed splits units off the group in hand under a name.
type GroupNamed struct {
	Name  string          `json:"name"`
	Units []engine.UnitID `json:"units"`
}

// GroupTaken takes up a group.
type GroupTaken struct {
	Name  string          `json:"name"`
	Units []engine.UnitID `json:"units"`
}

// UnitsLeft leaves units of the group where they are.
type UnitsLeft struct {
	Units []engine.UnitID `json:"units"`
	At    hex.Coord       `json:"at"`
}

// DroppedOff says which units had to stop because the next hex was too dear
// for them, and what it would have cost.
type DroppedOff struct {
	Units []engine.UnitID `json:"units"`
	At    hex.Coord       `json:"at"`
	Next  hex.Coord       `json:"next"`
	Left  []int           `json:"left"`
	Cost  []int           `json:"cost"`
}

// MoveBegun fixes supply and movement points of a unit for the phase.
type MoveBegun struct {
	Unit   engine.UnitID `json:"unit"`
	At     hex.Coord     `json:"at"`
	Loss   int           `json:"loss"` // MPs taken by supply
	Line   int           `json:"line"` // -1 without one
	Over   int           `json:"over,omitempty"`
	From   hex.Coord     `json:"from"`             // the source
	How    []string      `json:"how,omitempty"`    // full, none, oos, air, sea, other
	MP     int           `json:"mp"`               // to spend
	Single bool          `json:"single,omitempty"` // one hex, whatever it costs
}

// GroupMoved says where a group went and what is left of its movement points.
type GroupMoved struct {
	Units []engine.UnitID `json:"units"`
	Path  []hex.Coord     `json:"path"` // without the hex it comes from
	Left  []int           `json:"left"`
}

// Kind implements [engine.Fact].
func (StackOpened) Kind() string { return "StackOpened" }

// Kind implements [engine.Fact].
func (StackClosed) Kind() string { return "StackClosed" }

// Kind implements [engine.Fact].
func (GroupNamed) Kind() string { return "GroupNamed" }

// Kind implements [engine.Fact].
func (GroupTaken) Kind() string { return "GroupTaken" }

// Kind implements [engine.Fact].
func (UnitsLeft) Kind() string { return "UnitsLeft" }

// Kind implements [engine.Fact].
func (DroppedOff) Kind() string { return "DroppedOff" }

// Kind implements [engine.Fact].
func (MoveBegun) Kind() string { return "MoveBegun" }

// Kind implements [engine.Fact].
func (GroupMoved) Kind() string { return "GroupMoved" }

func (f StackOpened) apply(p *Position) {
	s := &p.move
	s.open, s.at = true, p.d.Board.Index(f.At)
	s.stack, s.named, s.left, s.held = p.numbers(f.Units), nil, nil, nil
	s.hand = s.stack
	s.launch, s.target, s.engaged = board.None, board.None, false
}

func (f StackClosed) apply(p *Position) {
	s := &p.move
	s.open, s.at = false, board.None
	s.stack, s.hand, s.named, s.left, s.held = nil, nil, nil, nil, nil
	s.launch, s.target, s.engaged = board.None, board.None, false
}

func (f GroupNamed) apply(p *Position) {
	s, units := &p.move, p.numbers(f.Units)
	s.hand = minus(s.hand, units)
	var named []party
	for _, n := range s.named {
		if n.units = minus(n.units, units); len(n.units) > 0 {
			named = append(named, n)
		}
	}
	s.named = append(named, party{f.Name, units})
}

func (f GroupTaken) apply(p *Position) {
	p.move.hand = p.numbers(f.Units)
	p.move.launch, p.move.target = board.None, board.None
}

func (f UnitsLeft) apply(p *Position) {
	s, units := &p.move, p.numbers(f.Units)
	s.hand = minus(s.hand, units)
	s.left = append(slices.Clip(s.left), units...)
}

func (f DroppedOff) apply(p *Position) {
	units := p.numbers(f.Units)
	p.move.hand = minus(p.move.hand, units)
	for _, u := range units {
		p.flags[u] |= Done
	}
}

func (f MoveBegun) apply(p *Position) {
	u := p.d.byID[f.Unit]
	s := &p.move
	r := &run{u: u, home: p.At(u), start: p.At(u), mp: f.MP, single: f.Single}
	if old := s.run(u); old != nil { // the Coastal Army comes from the sea
		r.home, r.stirred, r.last = old.home, old.stirred, old.last
	}
	r.sup = Status{Loss: f.Loss, Line: f.Line, Over: f.Over, From: p.d.Board.Index(f.From)}
	for _, w := range f.How {
		r.sup.set(w)
	}
	s.add(p, r)
	p.flags[u] |= Began
	s.land = true
	// Rule B41-12.6, B41-12.8.
	if r.home != s.parent {
		if s.parent != board.None {
			s.sealed = append(slices.Clip(s.sealed), s.parent)
		}
		s.parent = r.home
	}
}

func (f GroupMoved) apply(p *Position) {
	s := &p.move
	s.change(p.numbers(f.Units), func(i int, r *run) {
		r.mp = f.Left[i]
		trail := r.trail[:len(r.trail):len(r.trail)]
		for _, c := range f.Path {
			trail = append(trail, int16(p.d.Board.Index(c)))
		}
		r.trail = trail
		s.count++
		r.last = s.count
	})
	s.launch, s.target = board.None, board.None
}

// numbers turns names into unit numbers.
func (p *Position) numbers(ids []engine.UnitID) []int {
	out := make([]int, len(ids))
	for i, id := range ids {
		out[i] = p.d.byID[id]
	}
	return out
}

// minus is a list without some of its members; a new one.
func minus(list, without []int) []int {
	var out []int
	for _, u := range list {
		if !slices.Contains(without, u) {
			out = append(out, u)
		}
	}
	return out
}

func (p *Position) id(u int) string { return string(p.unit(u).ID) }

func (p *Position) idWords(units []int) []string {
	out := make([]string, len(units))
	for i, u := range units {
		out[i] = p.id(u)
	}
	return out
}

// enterMove has nothing to do: what a phase begins with is set by PhaseBegan.
func (g *play) enterMove() {}

// doMove carries out an order of the Movement Phase.
//
// Rule B41-12.2.A, B41-12.2.B.
func (g *play) doMove(o engine.Order) (bool, error) {
	switch c := o.Command.(type) {
	case Evacuate:
		return true, g.evacuate(c)
	case SeaMove:
		return true, g.seaMove(c)
	case Airdrop:
		return true, g.airdrop(c)
	case PlacePart:
		// Rule B41-4.5.1.3.A, B41-A18.
		return true, g.placePartMoving(c)
	case Stack:
		return true, g.openStack(c.At, c.Units)
	case EndStack:
		if !g.p.move.open {
			return true, engine.Refuse("B41-12.6", "b41.move.nostack").Hint("b41.move.hint.stack")
		}
		return true, g.closeStack()
	case Move:
		return true, g.moveLine(c)
	}
	if !g.p.move.open {
		switch o.Command.(type) {
		case Go, MobileAssault, Repeat, Return, Split, With, Leave, FormOBG, Stop:
			return true, engine.Refuse("B41-12.6", "b41.move.nostack").Hint("b41.move.hint.stack")
		}
		return false, nil
	}
	switch c := o.Command.(type) {
	case Go:
		if err := g.takeNote(o); err != nil {
			return true, err
		}
		return true, g.goOn(c.Path, c.OBG)
	case MobileAssault:
		return true, g.mobileAssault(c, o)
	case Repeat:
		return true, g.repeat(c, o)
	case Return:
		return true, g.returnHome()
	case Split:
		if err := g.takeNote(o); err != nil {
			return true, err
		}
		return true, g.split(c)
	case With:
		return true, g.with(c)
	case Leave:
		if err := g.takeNote(o); err != nil {
			return true, err
		}
		return true, g.leaveUnits(c)
	case FormOBG:
		return true, g.formHere(c.By)
	case Stop:
		return true, g.stop()
	}
	return false, nil
}

// openStack takes up units of a hex.
//
// Rule B41-12.5, B41-12.6, B41-12.7, B41-12.8, B41-12.12.
func (g *play) openStack(at hex.Coord, want Units) error {
	if err := g.closeStack(); err != nil {
		return err
	}
	p := g.p
	h := p.d.Board.Index(at)
	if h == board.None {
		return engine.Refuse("B41-1.2", "b41.hex.unknown", "hex", at.String())
	}
	here := p.unitsIn(h, p.side)
	if len(here) == 0 {
		return engine.Refuse("B41-12.5", "b41.move.nobody", "hex", at.String())
	}
	var units []int
	if len(want.IDs) == 0 {
		units = p.movable(h)
		if len(units) == 0 {
			return p.mayMove(here[0])
		}
	}
	units, err := p.pick(want, units, here, h)
	if err != nil {
		return err
	}
	for _, u := range units {
		if err := p.mayMove(u); err != nil {
			return err
		}
	}
	if err := p.together(units); err != nil {
		return err
	}
	g.emit("B41-12.6", StackOpened{at, p.ids(units)})
	return nil
}

// movable are the units that STACK means when it names none: those that began
// the phase in the hex and can move, or else those of one parent stack. The MSU
// that was placed this turn waits for the others.
func (p *Position) movable(h int) []int {
	var out []int
	for pass := 0; pass < 2 && out == nil; pass++ {
		home := h
		for _, u := range p.unitsIn(h, p.side) {
			if p.stands(u) != moves {
				continue
			}
			if pass == 1 && out == nil {
				home = p.home(u)
			}
			if p.home(u) == home {
				out = append(out, u)
			}
		}
	}
	if m := p.special("MSU"); len(out) > 1 && p.msuPlaced() {
		out = minus(out, []int{m})
	}
	return out
}

// own finds a unit of the moving side. Of others nothing is told, not even
// where they are.
//
// Rule B41-2.6.B, B41-12.2.A, B41-A81.
func (p *Position) own(id engine.UnitID) (int, error) {
	u := p.d.Unit(id)
	if u < 0 {
		return u, engine.Refuse("B41-2.6.B", "b41.unit.unknown", "unit", string(id))
	}
	if p.unit(u).Side != p.side {
		return u, engine.Refuse("B41-2.6.B", "b41.unit.enemy", "unit", string(id))
	}
	return u, nil
}

// pick chooses the units of an order: by name from here, by list word from all.
func (p *Position) pick(want Units, all, here []int, h int) ([]int, error) {
	var out []int
	if len(want.IDs) > 0 {
		for _, id := range want.IDs {
			u, err := p.own(id)
			if err != nil {
				return nil, err
			}
			if !slices.Contains(here, u) {
				where := ""
				if p.onMap(u) {
					where = p.name(p.At(u))
				}
				return nil, engine.Refuse("B41-12.5", "b41.move.notthere", "unit", string(id), "hex", p.name(h), "where", where)
			}
			if !slices.Contains(out, u) {
				out = append(out, u)
			}
		}
		return out, nil
	}
	for _, u := range all {
		v := p.unit(u)
		if want.Word == "MECH" && !v.Mech() || want.Word == "LEG" && !v.Leg() || slices.Contains(want.Except, v.ID) {
			continue
		}
		out = append(out, u)
	}
	if len(out) == 0 {
		return nil, engine.Refuse("B41-12.5", "b41.move.nounits", "hex", p.name(h))
	}
	return out, nil
}

// together refuses units that may not move as one.
//
// Rule B41-8.4.C, B41-11.4, B41-12.5, B41-12.12.
func (p *Position) together(units []int) *engine.Refusal {
	for _, u := range units[1:] {
		if p.home(u) != p.home(units[0]) {
			for _, v := range []int{u, units[0]} {
				if p.home(v) >= p.d.Board.Len() {
					return engine.Refuse("B41-12.5", "b41.move.fromsea", "unit", p.id(v))
				}
			}
			return engine.Refuse("B41-12.12", "b41.move.together", "unit", p.id(u), "hex", p.homeName(units[0]), "home", p.homeName(u), "other", p.id(units[0]))
		}
	}
	for _, u := range units {
		for _, v := range units {
			if p.unit(u).Nation == "romanian" && p.unit(v).Nation == "hungarian" {
				return engine.Refuse("B41-11.4", "b41.move.hungary", "romanian", p.id(u), "hungarian", p.id(v))
			}
		}
	}
	return nil
}

// closeStack puts the stack in hand down; a group that still shares a hex with
// the enemy goes back first.
//
// Rule B41-12.9.B, B41-12.22.B.
func (g *play) closeStack() error {
	if !g.p.move.open {
		return nil
	}
	g.disengage()
	g.emit("B41-12.6", StackClosed{})
	return nil
}

// moveLine is STACK, GO and DONE in one line.
func (g *play) moveLine(c Move) error {
	p := g.p
	if len(c.Units) == 0 {
		return engine.Refuse("B41-12.5", "b41.move.nounits", "hex", c.From.String())
	}
	at := c.From
	if at.IsZero() {
		u, err := p.own(c.Units[0])
		if err != nil {
			return err
		}
		if !p.onMap(u) {
			return engine.Refuse("B41-12.2.A", "b41.move.offmap", "unit", string(c.Units[0]))
		}
		at = p.d.Board.At(p.At(u))
	}
	if err := g.openStack(at, Units{IDs: c.Units}); err != nil {
		return err
	}
	if err := g.goOn(c.Path, c.OBG); err != nil {
		return err
	}
	if p.ended != nil {
		return nil
	}
	return g.closeStack()
}

// split takes units of the group apart.
//
// Rule B41-12.7.
func (g *play) split(c Split) error {
	p := g.p
	hand := p.inHand()
	if len(hand) == 0 {
		return engine.Refuse("B41-12.7", "b41.move.nogroup")
	}
	units, err := p.pick(c.Units, hand, hand, p.At(hand[0]))
	if err != nil {
		return err
	}
	name := c.As
	if name == "" {
		name = p.id(units[0])
	}
	if name == "REST" || p.groupNamed(name) != nil {
		return engine.Refuse("B41-12.7", "b41.move.nametaken", "name", name)
	}
	g.emit("B41-12.7", GroupNamed{name, p.ids(units)})
	return nil
}

// with takes up a group.
//
// Rule B41-12.7.
func (g *play) with(c With) error {
	p := g.p
	g.disengage()
	var units []int
	if c.Name == "REST" {
		units = minus(p.move.stack, p.move.left)
		for _, n := range p.move.named {
			units = minus(units, n.units)
		}
	} else {
		n := p.groupNamed(c.Name)
		if n == nil {
			var names []string
			for _, n := range p.move.named {
				names = append(names, n.name)
			}
			return engine.Refuse("B41-12.7", "b41.move.noname", "name", c.Name).Hint("b41.move.hint.names", "names", append(names, "REST"))
		}
		units = n.units
	}
	units = p.able(units)
	if len(units) == 0 {
		return engine.Refuse("B41-12.7", "b41.move.groupgone", "name", c.Name)
	}
	g.emit("B41-12.7", GroupTaken{c.Name, p.ids(units)})
	return nil
}

// leaveUnits leaves units of the group where they are.
//
// Rule B41-12.7.
func (g *play) leaveUnits(c Leave) error {
	p := g.p
	hand := p.inHand()
	if len(hand) == 0 {
		return engine.Refuse("B41-12.7", "b41.move.nogroup")
	}
	h := p.At(hand[0])
	units, err := p.pick(c.Units, hand, hand, h)
	if err != nil {
		return err
	}
	g.emit("B41-12.7", UnitsLeft{p.ids(units), p.d.Board.At(h)})
	return nil
}

// stop ends the movement of the group in hand.
func (g *play) stop() error {
	g.disengage()
	g.flag("B41-12.8", g.p.inHand(), Done, 0)
	return nil
}

func (p *Position) groupNamed(name string) *party {
	for i := range p.move.named {
		if p.move.named[i].name == name {
			return &p.move.named[i]
		}
	}
	return nil
}

// able are the units of a list that stand on the map and have not finished.
func (p *Position) able(units []int) []int {
	var out []int
	for _, u := range units {
		if p.onMap(u) && !p.has(u, Done) {
			out = append(out, u)
		}
	}
	return out
}

// inHand is the group in hand.
func (p *Position) inHand() []int { return p.able(p.move.hand) }
