package blitz41

import (
	"slices"

	"pbemd/engine"
	"pbemd/engine/board"
	"pbemd/engine/force"
)

// Position is the whole state of a game. Facts change it, nothing else does.
type Position struct {
	engine.Rolls
	force.Books
	d   *Data
	opt Options

	turn   int
	side   uint8
	phase  Phase
	serial int
	ended  *GameEnded

	flags []Flag

	// What copies of the position share; replaced when it changes.
	where    []Where
	top      []int16 // by hex: unit the owner put on top, -1
	wrecked  []bool  // by hex: fort or line hex lost for good (9.22)
	lineUp   []State // by line: what became of it (9.21)
	everAxis []bool  // by hex: Axis-controlled at any time (9.21.B, 5.13.B)
	idle     []bool  // by hex: captured, not yet a source for its owner (5.20)

	vp   int    // of hexes held
	loss int    // permanent deductions, positive (15.5)
	air  [3]int // air points left, by side (14.39.2)

	supply supplyState
	new    newState
	move   moveState
	fight  fightState

	version int    // counts changes
	gen     [3]int // by side: counts what may change its supply
	cache   *supplyCache
}

// State is what became of a fortified line.
type State uint8

// The states of a line.
const (
	Asleep State = iota
	Active
	Void
)

func newPosition(d *Data) *Position {
	n, h := len(d.Units), d.Board.Len()
	p := &Position{
		Books: force.NewBooks(n, h), d: d,
		where: make([]Where, n), flags: make([]Flag, n), top: make([]int16, h),
		wrecked: make([]bool, h), lineUp: make([]State, len(d.Lines)), everAxis: make([]bool, h), idle: make([]bool, h),
	}
	for i := range p.where {
		p.where[i] = Later
	}
	for i := range p.top {
		p.top[i] = -1
	}
	return p
}

// Clone implements [engine.Position]. What is not copied here is shared, and
// replaced by who changes it.
func (p *Position) Clone() engine.Position {
	q := *p
	q.Books = p.Books.Clone()
	q.flags = slices.Clone(p.flags)
	return &q
}

// setAt changes one value of a list that copies of the position share.
func setAt[T comparable](list *[]T, i int, v T) {
	if (*list)[i] != v {
		*list = slices.Clone(*list)
		(*list)[i] = v
	}
}

// fact is a fact of this game: it knows how it changes a position.
type fact interface {
	engine.Fact
	apply(p *Position)
}

// Apply implements [engine.Position].
func (p *Position) Apply(e engine.Event) {
	p.version++
	switch f := e.Fact.(type) {
	case fact:
		f.apply(p)
	case engine.Rolled:
		p.Note(f.Label)
	}
}

// State implements [engine.Position].
func (p *Position) State() engine.State {
	return engine.State{
		Side: sideOf(p.side), Turn: p.turn, Phase: p.phase.Word(), Serial: p.serial, Over: p.ended != nil,
	}
}

// VP is the Axis total: hexes held less deductions.
func (p *Position) VP() int { return p.vp - p.loss }

// occupant is the side that has units in a hex, the MSU not counted (B41-A38);
// nobody if it is empty.
func (p *Position) occupant(h int) uint8 {
	for _, u := range p.In(h) {
		if p.unit(int(u)).Class != "none" {
			return p.unit(int(u)).Side
		}
	}
	return nobody
}

// holds reports whether a side has units in a hex.
func (p *Position) holds(s uint8, h int) bool {
	for _, u := range p.In(h) {
		if v := p.unit(int(u)); v.Side == s && v.Class != "none" {
			return true
		}
	}
	return false
}

// unitsIn lists the units of a side in a hex, the MSU included.
func (p *Position) unitsIn(h int, s uint8) []int {
	var out []int
	for _, u := range p.In(h) {
		if p.unit(int(u)).Side == s {
			out = append(out, int(u))
		}
	}
	return out
}

// weather is the weather in a hex this turn.
func (p *Position) weather(h int) Weather { return p.d.WeatherAt(p.turn, h) }

// intact reports whether a fort or line in a hex is real and not wrecked; kind
// is the feature of the terrain chart: fort, fortified or stalin.
//
// Rule B41-9.19, B41-9.21.A, B41-9.22.A.
func (p *Position) intact(h int) (kind string, ok bool) {
	b := p.d.Board
	if !b.Any(h, Fort|Fortified|Stalin) || p.wrecked[h] {
		return "", false
	}
	switch {
	case b.Is(h, Fort):
		return "fort", true
	case b.Is(h, Stalin):
		return "stalin", true
	case p.lineUp[p.d.line[h]] == Active:
		return "fortified", true
	}
	return "", false
}

// board is the map.
func (p *Position) board() *board.Board { return p.d.Board }
