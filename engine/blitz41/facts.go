package blitz41

import (
	"slices"

	"pbemd/engine"
	"pbemd/engine/force"
	"pbemd/engine/hex"
)

// allFacts is a sample of every kind, for the codec.
func allFacts() []engine.Fact {
	var all []engine.Fact
	for _, l := range [][]engine.Fact{coreFacts, supplyFacts, newFacts, moveFacts, fightFacts} {
		all = append(all, l...)
	}
	return all
}

var coreFacts = []engine.Fact{
	GameBegan{}, TurnBegan{}, PhaseBegan{}, UnitPlaced{}, UnitMoved{}, StepsSet{}, UnitRemoved{}, HexTaken{}, FortWrecked{},
	LineSettled{}, Scored{}, Deducted{}, Flagged{}, SourceOpened{}, AirSpent{}, TopChosen{}, GameEnded{},
}

// GameBegan opens the log.
type GameBegan struct {
	Options Options `json:"options"`
}

// TurnBegan opens a game turn: new weather, air points, limits.
type TurnBegan struct {
	Turn int `json:"turn"`
}

// PhaseBegan opens a phase.
type PhaseBegan struct {
	Side  engine.Side `json:"side"`
	Phase Phase       `json:"phase"`
}

// UnitPlaced puts a unit into a hex.
type UnitPlaced struct {
	Unit  engine.UnitID `json:"unit"`
	At    hex.Coord     `json:"at"`
	Steps int           `json:"steps"`
	Why   string        `json:"why"` // setup, build, automatic, rvgk, reenter, convert, drop, obg, msu
}

// UnitMoved takes a unit from hex to hex. How is move, ma, return, retreat,
// advance, occupy, sea, drop, displaced.
type UnitMoved struct {
	Unit engine.UnitID `json:"unit"`
	Path []hex.Coord   `json:"path"` // without the hex it comes from
	How  string        `json:"how"`
}

// StepsSet changes the steps of a unit that stays in play. Why is loss, allout,
// below, replacement, drop, flip, obg.
type StepsSet struct {
	Unit  engine.UnitID `json:"unit"`
	Steps int           `json:"steps"`
	Why   string        `json:"why"`
}

// UnitRemoved takes a unit off the map, or from one place beside it to another.
// Why is combat, supply, pocket, evacuated, finland, zomo, rvgk, converted,
// disbanded, linkup, ports, available, msu.
type UnitRemoved struct {
	Unit engine.UnitID `json:"unit"`
	To   Where         `json:"to"`
	Why  string        `json:"why"`
}

// HexTaken gives control of a hex to a side.
type HexTaken struct {
	At hex.Coord   `json:"at"`
	By engine.Side `json:"by"`
}

// FortWrecked ends a fort or a hex of a line for good.
type FortWrecked struct {
	At hex.Coord `json:"at"`
}

// LineSettled says whether a fortified line becomes real.
type LineSettled struct {
	Line   string `json:"line"`
	Active bool   `json:"active"`
}

// Scored changes the VPs of hexes held.
type Scored struct {
	At     hex.Coord `json:"at"`
	Points int       `json:"points"` // negative when lost
	VP     int       `json:"vp"`     // the Axis total afterwards
}

// Deducted takes VPs for good.
type Deducted struct {
	Unit   engine.UnitID `json:"unit"`
	Points int           `json:"points"`
	Why    string        `json:"why"`
	VP     int           `json:"vp"`
}

// Flagged changes states of units.
type Flagged struct {
	Units []engine.UnitID `json:"units"`
	Set   Flag            `json:"set,omitempty"`
	Clear Flag            `json:"clear,omitempty"`
}

// SourceOpened makes captured hexes sources for their owner.
type SourceOpened struct {
	At []hex.Coord `json:"at"`
}

// AirSpent spends air points in a battle.
type AirSpent struct {
	Side   engine.Side `json:"side"`
	Points int         `json:"points"`
	At     hex.Coord   `json:"at"`
}

// TopChosen puts a unit on top of its stack.
type TopChosen struct {
	Unit engine.UnitID `json:"unit"`
	At   hex.Coord     `json:"at"`
}

// GameEnded closes the game. Points is what the Axis writes down in a series.
type GameEnded struct {
	Winner engine.Side `json:"winner"` // "" for a draw
	Why    string      `json:"why"`    // moscow, level, soviet, draw, resigned, agreed
	VP     int         `json:"vp"`
	Points int         `json:"points"`
}

// Kind implements [engine.Fact].
func (GameBegan) Kind() string { return "GameBegan" }

// Kind implements [engine.Fact].
func (TurnBegan) Kind() string { return "TurnBegan" }

// Kind implements [engine.Fact].
func (PhaseBegan) Kind() string { return "PhaseBegan" }

// Kind implements [engine.Fact].
func (UnitPlaced) Kind() string { return "UnitPlaced" }

// Kind implements [engine.Fact].
func (UnitMoved) Kind() string { return "UnitMoved" }

// Kind implements [engine.Fact].
func (StepsSet) Kind() string { return "StepsSet" }

// Kind implements [engine.Fact].
func (UnitRemoved) Kind() string { return "UnitRemoved" }

// Kind implements [engine.Fact].
func (HexTaken) Kind() string { return "HexTaken" }

// Kind implements [engine.Fact].
func (FortWrecked) Kind() string { return "FortWrecked" }

// Kind implements [engine.Fact].
func (LineSettled) Kind() string { return "LineSettled" }

// Kind implements [engine.Fact].
func (Scored) Kind() string { return "Scored" }

// Kind implements [engine.Fact].
func (Deducted) Kind() string { return "Deducted" }

// Kind implements [engine.Fact].
func (Flagged) Kind() string { return "Flagged" }

// Kind implements [engine.Fact].
func (SourceOpened) Kind() string { return "SourceOpened" }

// Kind implements [engine.Fact].
func (AirSpent) Kind() string { return "AirSpent" }

// Kind implements [engine.Fact].
func (TopChosen) Kind() string { return "TopChosen" }

// Kind implements [engine.Fact].
func (GameEnded) Kind() string { return "GameEnded" }

func (f GameBegan) apply(p *Position) {
	p.opt = f.Options
	p.stir(axis, soviet)
	p.everAxis = slices.Clone(p.everAxis)
	for h := 0; h < p.d.Board.Len(); h++ {
		switch {
		case p.d.Board.Terrain(h) == Sea || p.d.Board.Terrain(h) == Lake:
		case p.d.Board.Is(h, West):
			p.SetOwner(h, axis)
			p.everAxis[h] = true
		default:
			p.SetOwner(h, soviet)
		}
	}
}

func (f TurnBegan) apply(p *Position) {
	p.turn = f.Turn
	p.air = [3]int{0, p.d.Turns[f.Turn].AxisAir, p.d.Turns[f.Turn].SovietAir}
}

func (f PhaseBegan) apply(p *Position) {
	p.side, p.phase = number(f.Side), f.Phase
	p.serial++
	p.fight.begin(p)
	p.move.begin(p)
	for u := range p.flags {
		p.flags[u] &^= Done | Began | Assaulted | Retreated | MadeMA
	}
}

func (f UnitPlaced) apply(p *Position) {
	u := p.d.byID[f.Unit]
	p.Put(u, p.d.Board.Index(f.At))
	p.SetSteps(u, f.Steps)
	setAt(&p.where, u, OnMap)
	p.flags[u] |= Played
	p.flags[u] &^= Fresh
}

func (f UnitMoved) apply(p *Position) {
	u := p.d.byID[f.Unit]
	if f.How == "displaced" && len(f.Path) == 0 {
		return
	}
	// Rule B41-A42.
	if f.How == "retreat" && u == p.d.index.abn && p.waitsInMoscow() {
		p.flags[u] |= Driven
	}
	p.Put(u, p.d.Board.Index(f.Path[len(f.Path)-1]))
}

func (f StepsSet) apply(p *Position) { p.SetSteps(p.d.byID[f.Unit], f.Steps) }

func (f UnitRemoved) apply(p *Position) {
	u := p.d.byID[f.Unit]
	p.Put(u, force.Off)
	setAt(&p.where, u, f.To)
	if f.To == Dead || f.To == Gone {
		p.SetSteps(u, 0)
	}
	p.flags[u] &^= OOS | AirSupplied | SeaSupplied | Done | Began | Assaulted | Retreated | MadeMA
}

func (f HexTaken) apply(p *Position) {
	h, s := p.d.Board.Index(f.At), number(f.By)
	p.SetOwner(h, s)
	if s == axis {
		setAt(&p.everAxis, h, true)
	}
	// Rule B41-5.20.
	if p.d.Board.Any(h, Town|City|Zomo) {
		setAt(&p.idle, h, true)
		p.stir(axis, soviet)
	}
}

func (f FortWrecked) apply(p *Position) {
	setAt(&p.wrecked, p.d.Board.Index(f.At), true)
	p.stir(axis)
}

func (f LineSettled) apply(p *Position) {
	p.stir(axis)
	for i, l := range p.d.Lines {
		if l.Name == f.Line {
			setAt(&p.lineUp, i, Void)
			if f.Active {
				setAt(&p.lineUp, i, Active)
			}
		}
	}
}

func (f Scored) apply(p *Position)   { p.vp += f.Points }
func (f Deducted) apply(p *Position) { p.loss += f.Points }

func (f Flagged) apply(p *Position) {
	for _, id := range f.Units {
		u := p.d.byID[id]
		p.flags[u] = p.flags[u]&^f.Clear | f.Set
	}
}

func (f SourceOpened) apply(p *Position) {
	for _, c := range f.At {
		setAt(&p.idle, p.d.Board.Index(c), false)
	}
	p.stir(axis, soviet)
}

func (f AirSpent) apply(p *Position) { p.air[number(f.Side)] -= f.Points }

func (f TopChosen) apply(p *Position) {
	setAt(&p.top, p.d.Board.Index(f.At), int16(p.d.byID[f.Unit]))
}

func (f GameEnded) apply(p *Position) { p.ended = &f }

// ids turns unit numbers into names.
func (p *Position) ids(units []int) []engine.UnitID {
	out := make([]engine.UnitID, len(units))
	for i, u := range units {
		out[i] = p.d.Units[u].ID
	}
	return out
}

// flag sets and clears states of units; it emits nothing if nobody is meant.
func (g *play) flag(rule engine.RuleID, units []int, set, clear Flag) {
	if len(units) > 0 {
		g.emit(rule, Flagged{g.p.ids(units), set, clear})
	}
}
