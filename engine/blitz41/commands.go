package blitz41

import (
	"pbemd/engine"
	"pbemd/engine/chart"
	"pbemd/engine/hex"
)

// phased is a command that belongs to a phase, of one side if it says so.
type phased interface {
	belongs() (Phase, uint8)
}

// named is a command that names own units and hexes.
type named interface {
	units() []engine.UnitID
	hexes() []hex.Coord
}

// anyTime is a command that may be given at any time, by either side if it
// says so.
type anyTime interface{ anyTime() bool }

// Units is a list of units as ordered: names, or list words that stand for the
// units of the hex in question.
type Units struct {
	IDs    []engine.UnitID
	Word   string          // ALL, MECH, LEG, REST; "" for names only
	Except []engine.UnitID // ALL-13G
}

// Step is one step of a path: a hex, a direction repeated, or the cheapest way
// to a hex.
type Step struct {
	Hex   hex.Coord
	Dir   hex.Direction
	Count int       // of Dir
	To    hex.Coord // cheapest legal way
}

// Compare is a comparison with a number.
type Compare struct {
	Op string // = < > <= >=
	N  int
}

// Holds reports whether n compares so.
func (c Compare) Holds(n int) bool {
	switch c.Op {
	case "=":
		return n == c.N
	case "<":
		return n < c.N
	case ">":
		return n > c.N
	case "<=":
		return n <= c.N
	case ">=":
		return n >= c.N
	}
	return false
}

// OddsIf is a comparison with an odds column; the zero OddsIf always holds.
type OddsIf struct {
	Op   string
	Odds chart.Odds
}

// Holds reports whether odds compare so.
func (c OddsIf) Holds(o chart.Odds) bool {
	return c.Op == "" || Compare{c.Op, int(c.Odds)}.Holds(int(o))
}

// LossPolicy says how the acting side takes its own result: as steps or as a
// retreat, and whose steps.
type LossPolicy struct {
	Steps, Retreat bool // LOSS STEPS, LOSS RETREAT
	IfWon          bool // the choice above holds if the defender left …
	ElseSteps      bool // … and this one otherwise
	Spare, Lose    []engine.UnitID
	NoKill         bool
}

// RetreatPolicy says where to retreat.
type RetreatPolicy struct {
	Words  []string // PREFER NORTH, PREFER SOUTH, SUPPLY, TOWN, FORT, ALONE, JOIN, EXIT FINLAND, EXIT ZOMO, NOEXIT, SEA: in order
	Toward []hex.Coord
	Away   []hex.Coord
	Avoid  []hex.Coord
	Sea    hex.Coord
	Split  []SplitRetreat
}

// SplitRetreat sends named units another way.
type SplitRetreat struct {
	Units []engine.UnitID
	Way   string // NORTH or SOUTH, or
	To    hex.Coord
}

// AdvanceClause says how far units go after a won assault.
type AdvanceClause struct {
	Units  Units
	Occupy bool
	Path   []Step
	Toward hex.Coord
	Max    int // MPs or hexes toward; 0 = as far as allowed
	IfDX   bool
	Award  *Compare
}

// Advance says who goes where; None forbids it. A nil *Advance says nothing.
type Advance struct {
	None    bool
	Clauses []AdvanceClause
}

// BattleOptions are the clauses of an assault.
type BattleOptions struct {
	Air       int // own air points
	AirIf     OddsIf
	AllOut    engine.UnitID
	AllOutIf  OddsIf
	Cavalry   bool
	CavalryIf *Compare // enemy steps
	AirSupply bool
	SupplyIf  *Compare // penalty in per cent
	Loss      *LossPolicy
	Retreat   *RetreatPolicy
	Advance   *Advance
}

// Supply Phase and air supply.
type (
	// Consolidate declares or ends supply consolidation (5.19).
	Consolidate struct {
		Corps []engine.UnitID
		Off   bool
	}
	// SeaSupply feeds the stack of a coastal hex by sea (5.18).
	SeaSupply struct {
		Baltic bool // else Black Sea
		At     hex.Coord
		None   bool
	}
	// AirSupply feeds units of a hex by air (5.17).
	AirSupply struct {
		At    hex.Coord
		Units Units // zero: all
		Now   bool
	}
	// Hedgehog makes a hedgehog of a town, or removes it (14.39.8).
	Hedgehog struct {
		At     hex.Coord
		Now    bool
		Remove bool
	}
	// MSU places, removes or holds the Mobile Supply Unit (5.12).
	MSU struct {
		Place  hex.Coord
		Remove bool
		Hold   bool
	}
	// LeningradSupply turns the supply of 5.21 on or off.
	LeningradSupply struct{ On bool }
)

// New Units Phase.
type (
	// RVGKIn lifts units into the RVGK Box.
	RVGKIn struct{ Units []engine.UnitID }
	// RVGKOut brings units from the Box to hexes.
	RVGKOut struct {
		Units []engine.UnitID
		To    []hex.Coord
	}
	// Build brings a new or rebuilt unit into play. Steps 0 is for automatic
	// arrivals, which come whole.
	Build struct {
		Unit  engine.UnitID
		Steps int
		At    hex.Coord // zero: the RVGK Box
		Pool  string    // MECH, NONMECH, ROMANIAN, SOVIET or ""
	}
	// Replace gives steps to a unit in play.
	Replace struct {
		Unit  engine.UnitID
		Steps int
		Pool  string
	}
	// Convert makes an army a Shock Army.
	Convert struct {
		From, To engine.UnitID
		Steps    int
	}
	// DisbandMech removes all mechanised corps (6.22.B).
	DisbandMech struct{}
	// PlacePart commits the Partisan unit, or holds it back.
	PlacePart struct {
		At   hex.Coord
		Hold bool
	}
	// Reenter brings back units that left through a ZOMO hex.
	Reenter struct {
		Units []engine.UnitID
		At    hex.Coord
	}
)

// Movement Phase.
type (
	// Evacuate takes units out of the game by sea (10.5).
	Evacuate struct {
		Baltic bool
		At     hex.Coord
		Units  Units // zero: all
	}
	// SeaMove takes the Coastal Army along the coast (10.1).
	SeaMove struct {
		To  hex.Coord
		Via []hex.Coord
	}
	// Airdrop drops the 4th Airborne (14.39.7).
	Airdrop struct{ To hex.Coord }
	// Stack opens a parent stack.
	Stack struct {
		At    hex.Coord
		Units Units // zero: all
	}
	// EndStack closes a parent stack.
	EndStack struct{}
	// Move is the one-line form of Stack, Go and EndStack.
	Move struct {
		Units []engine.UnitID
		From  hex.Coord // zero: where they are
		Path  []Step
		OBG   engine.UnitID // army that forms the OBG on the way
	}
	// Go moves the group in hand.
	Go struct {
		Path []Step
		OBG  engine.UnitID // "": none; the army that forms it, or "*" for any
	}
	// MobileAssault has the group in hand assault a hex.
	MobileAssault struct {
		At      hex.Coord
		Options BattleOptions
	}
	// Repeat assaults the same hex again, up to Max times.
	Repeat struct {
		Max     int
		Options BattleOptions
	}
	// Return goes back to the launch hex.
	Return struct{}
	// Split takes units of the group apart as a group with a name.
	Split struct {
		Units Units
		As    string
	}
	// With takes up a group: its name, or REST for what is left of the stack.
	With struct{ Name string }
	// Leave lets units of the group stay where they are.
	Leave struct{ Units Units }
	// FormOBG forms the Oranienbaum Bridgehead Group from a passing army.
	FormOBG struct{ By engine.UnitID }
	// Stop ends the movement of the group in hand.
	Stop struct{}
)

// Origin is a hex and the units that attack from it.
type Origin struct {
	At    hex.Coord
	Units Units // zero: all that may
}

// Prepared Assault Phase.
type (
	// Attack is a prepared assault.
	Attack struct {
		At      []hex.Coord
		From    []Origin
		Options BattleOptions
	}
	// Probe is a probing attack (14.38).
	Probe struct {
		At      hex.Coord
		From    Origin
		Advance *Advance
	}
)

// Standing is a line of standing orders. Exactly one of the policies is set.
type Standing struct {
	Scope  Scope
	In     string // MA, PA or ""
	From   int    // turn, 0: always
	Until  int    // turn, 0: for ever
	Policy Policy
	Text   string // the line, to be quoted to its owner
}

// Scope is what a standing line is about.
type Scope struct {
	Kind  string // DEFAULT, HEX, AREA, ROWS, UNIT
	Hexes []hex.Coord
	A, B  hex.Coord // corners of an AREA; rows of ROWS in Row
	Units []engine.UnitID
}

// Policy is what a standing line wants.
type Policy struct {
	Stance    string   // HOLD STAND KEEP BALANCE YIELD AUTO
	N         int      // of HOLD and KEEP; HOLD without a number has -1
	Unless    []string // RETREAT OOS, RETREAT LOST, RETREAT ALONE
	If        []string // VP CITY TOWN FORT
	IfOdds    *OddsIf
	Lose      []engine.UnitID
	Spare     []engine.UnitID
	SpareWord string // PANZERS, SHOCK
	Losses    string // SPREAD, CONCENTRATE, NOKILL
	Retreat   *RetreatPolicy
	Counter   *CounterAdvance
	Air       *AirPolicy
	AirSupply *AirSupplyPolicy
	Hedgehog  *HedgehogPolicy
	MSU       string // EAST, TOWARD, BOX
	MSUToward hex.Coord
	Top       engine.UnitID
}

// CounterAdvance is the policy for abandoned assault hexes (14.8.C).
type CounterAdvance struct {
	When  string // ALWAYS NEVER VP TOWN
	With  []engine.UnitID
	Leave int
}

// AirPolicy is the policy for defensive air points.
type AirPolicy struct {
	Never   bool
	N       int // fixed number
	Match   bool
	Net     int // NET+n
	IsNet   bool
	Max     int // 0: no limit
	IfOdds  OddsIf
	AtVP    bool
	AtCity  bool
	At      []hex.Coord
	Reserve int // AIR RESERVE n; -1: not said
}

// AirSupplyPolicy is the policy for air supply in battles.
type AirSupplyPolicy struct {
	Never    bool
	Auto     bool
	Priority []hex.Coord
	WhenOOS  bool
	When     *Compare // penalty in per cent
	Reserve  int      // AIRSUPPLY RESERVE n; -1: not said
}

// HedgehogPolicy is the policy for hedgehogs before odds.
type HedgehogPolicy struct {
	Never      bool
	IfAttacked []hex.Coord
	Priority   []hex.Coord
	IfSteps    *Compare
}

// Resign gives the game up.
type Resign struct{}

// AgreeDraw ends the game as a draw both want.
type AgreeDraw struct{}

// Conditions of IF lines.
type (
	// And holds if all of its tests do.
	And struct{ Tests []engine.Condition }
	// Or holds if one of its tests does.
	Or struct{ Tests []engine.Condition }
	// Not turns a test round.
	Not struct{ Test engine.Condition }
	// LastIs tests the last assault of the side: WON, HELD, REPULSED.
	LastIs struct{ Word string }
	// HexIs tests a hex: EMPTY, OURS, ENEMY, HELD, CONTROLLED.
	HexIs struct {
		At   hex.Coord
		Word string
	}
	// Number tests MP (of the group in hand), LOST (steps in the last assault),
	// APLEFT.
	Number struct {
		Of string
		Is Compare
	}
	// StepsOf tests the steps of a unit.
	StepsOf struct {
		Unit engine.UnitID
		Is   Compare
	}
	// UnitIs tests a unit: ALIVE, DEAD, AT, SUPPLIED, FULL.
	UnitIs struct {
		Unit engine.UnitID
		Word string
		At   hex.Coord
	}
	// BattleIs tests the battle fought on a hex in this phase: WON, LOST, DX.
	BattleIs struct {
		At   hex.Coord
		Word string
	}
)

// Verb implements [engine.Command].
func (Consolidate) Verb() string { return "CONSOLIDATE" }

// Verb implements [engine.Command].
func (SeaSupply) Verb() string { return "SEASUPPLY" }

// Verb implements [engine.Command].
func (AirSupply) Verb() string { return "AIRSUPPLY" }

// Verb implements [engine.Command].
func (Hedgehog) Verb() string { return "HEDGEHOG" }

// Verb implements [engine.Command].
func (MSU) Verb() string { return "MSU" }

// Verb implements [engine.Command].
func (LeningradSupply) Verb() string { return "LENINGRAD" }

// Verb implements [engine.Command].
func (RVGKIn) Verb() string { return "RVGK" }

// Verb implements [engine.Command].
func (RVGKOut) Verb() string { return "RVGK" }

// Verb implements [engine.Command].
func (Build) Verb() string { return "BUILD" }

// Verb implements [engine.Command].
func (Replace) Verb() string { return "REPLACE" }

// Verb implements [engine.Command].
func (Convert) Verb() string { return "CONVERT" }

// Verb implements [engine.Command].
func (DisbandMech) Verb() string { return "DISBAND" }

// Verb implements [engine.Command].
func (PlacePart) Verb() string { return "PLACE" }

// Verb implements [engine.Command].
func (Reenter) Verb() string { return "REENTER" }

// Verb implements [engine.Command].
func (Evacuate) Verb() string { return "EVACUATE" }

// Verb implements [engine.Command].
func (SeaMove) Verb() string { return "SEAMOVE" }

// Verb implements [engine.Command].
func (Airdrop) Verb() string { return "AIRDROP" }

// Verb implements [engine.Command].
func (Stack) Verb() string { return "STACK" }

// Verb implements [engine.Command].
func (EndStack) Verb() string { return "DONE" }

// Verb implements [engine.Command].
func (Move) Verb() string { return "MOVE" }

// Verb implements [engine.Command].
func (Go) Verb() string { return "GO" }

// Verb implements [engine.Command].
func (MobileAssault) Verb() string { return "MA" }

// Verb implements [engine.Command].
func (Repeat) Verb() string { return "REPEAT" }

// Verb implements [engine.Command].
func (Return) Verb() string { return "RETURN" }

// Verb implements [engine.Command].
func (Split) Verb() string { return "SPLIT" }

// Verb implements [engine.Command].
func (With) Verb() string { return "WITH" }

// Verb implements [engine.Command].
func (Leave) Verb() string { return "LEAVE" }

// Verb implements [engine.Command].
func (FormOBG) Verb() string { return "OBG" }

// Verb implements [engine.Command].
func (Stop) Verb() string { return "STOP" }

// Verb implements [engine.Command].
func (Attack) Verb() string { return "ATTACK" }

// Verb implements [engine.Command].
func (Probe) Verb() string { return "PROBE" }

// Verb implements [engine.Command].
func (Standing) Verb() string { return "STANDING" }

// Verb implements [engine.Command].
func (Resign) Verb() string { return "RESIGN" }

// Verb implements [engine.Command].
func (AgreeDraw) Verb() string { return "DRAW" }

// Condition implements [engine.Condition].
func (And) Condition() string { return "AND" }

// Condition implements [engine.Condition].
func (Or) Condition() string { return "OR" }

// Condition implements [engine.Condition].
func (Not) Condition() string { return "NOT" }

// Condition implements [engine.Condition].
func (LastIs) Condition() string { return "LAST" }

// Condition implements [engine.Condition].
func (HexIs) Condition() string { return "HEX" }

// Condition implements [engine.Condition].
func (Number) Condition() string { return "NUMBER" }

// Condition implements [engine.Condition].
func (StepsOf) Condition() string { return "STEPS" }

// Condition implements [engine.Condition].
func (UnitIs) Condition() string { return "UNIT" }

// Condition implements [engine.Condition].
func (BattleIs) Condition() string { return "BATTLE" }

func (Consolidate) belongs() (Phase, uint8)     { return SupplyPhase, axis }
func (SeaSupply) belongs() (Phase, uint8)       { return SupplyPhase, axis }
func (LeningradSupply) belongs() (Phase, uint8) { return SupplyPhase, axis }
func (MSU) belongs() (Phase, uint8)             { return SupplyPhase, soviet }
func (RVGKIn) belongs() (Phase, uint8)          { return NewUnitsPhase, soviet }
func (RVGKOut) belongs() (Phase, uint8)         { return NewUnitsPhase, soviet }
func (Build) belongs() (Phase, uint8)           { return NewUnitsPhase, nobody }
func (Replace) belongs() (Phase, uint8)         { return NewUnitsPhase, nobody }
func (Convert) belongs() (Phase, uint8)         { return NewUnitsPhase, soviet }
func (DisbandMech) belongs() (Phase, uint8)     { return NewUnitsPhase, soviet }
func (PlacePart) belongs() (Phase, uint8)       { return NewUnitsPhase, soviet }
func (Reenter) belongs() (Phase, uint8)         { return NewUnitsPhase, axis }
func (Evacuate) belongs() (Phase, uint8)        { return MovePhase, axis }
func (SeaMove) belongs() (Phase, uint8)         { return MovePhase, soviet }
func (Airdrop) belongs() (Phase, uint8)         { return MovePhase, soviet }
func (Stack) belongs() (Phase, uint8)           { return MovePhase, nobody }
func (EndStack) belongs() (Phase, uint8)        { return MovePhase, nobody }
func (Move) belongs() (Phase, uint8)            { return MovePhase, nobody }
func (Go) belongs() (Phase, uint8)              { return MovePhase, nobody }
func (MobileAssault) belongs() (Phase, uint8)   { return MovePhase, nobody }
func (Repeat) belongs() (Phase, uint8)          { return MovePhase, nobody }
func (Return) belongs() (Phase, uint8)          { return MovePhase, nobody }
func (Split) belongs() (Phase, uint8)           { return MovePhase, nobody }
func (With) belongs() (Phase, uint8)            { return MovePhase, nobody }
func (Leave) belongs() (Phase, uint8)           { return MovePhase, nobody }
func (FormOBG) belongs() (Phase, uint8)         { return MovePhase, soviet }
func (Stop) belongs() (Phase, uint8)            { return MovePhase, nobody }
func (Attack) belongs() (Phase, uint8)          { return AssaultPhase, nobody }
func (Probe) belongs() (Phase, uint8)           { return AssaultPhase, nobody }

func (c Consolidate) units() []engine.UnitID { return c.Corps }
func (c Consolidate) hexes() []hex.Coord     { return nil }
func (c AirSupply) units() []engine.UnitID   { return c.Units.IDs }
func (c AirSupply) hexes() []hex.Coord       { return []hex.Coord{c.At} }
func (c RVGKIn) units() []engine.UnitID      { return c.Units }
func (c RVGKIn) hexes() []hex.Coord          { return nil }
func (c RVGKOut) units() []engine.UnitID     { return c.Units }
func (c RVGKOut) hexes() []hex.Coord         { return c.To }
func (c Build) units() []engine.UnitID       { return []engine.UnitID{c.Unit} }
func (c Build) hexes() []hex.Coord           { return some(c.At) }
func (c Replace) units() []engine.UnitID     { return []engine.UnitID{c.Unit} }
func (c Replace) hexes() []hex.Coord         { return nil }
func (c Convert) units() []engine.UnitID     { return []engine.UnitID{c.From, c.To} }
func (c Convert) hexes() []hex.Coord         { return nil }
func (c Reenter) units() []engine.UnitID     { return c.Units }
func (c Reenter) hexes() []hex.Coord         { return some(c.At) }
func (c Evacuate) units() []engine.UnitID    { return c.Units.IDs }
func (c Evacuate) hexes() []hex.Coord        { return some(c.At) }
func (c Stack) units() []engine.UnitID       { return c.Units.IDs }
func (c Stack) hexes() []hex.Coord           { return some(c.At) }
func (c Move) units() []engine.UnitID        { return c.Units }
func (c Move) hexes() []hex.Coord            { return pathHexes(c.Path, c.From) }
func (c Go) units() []engine.UnitID          { return nil }
func (c Go) hexes() []hex.Coord              { return pathHexes(c.Path, hex.Coord{}) }
func (c MobileAssault) units() []engine.UnitID {
	return c.Options.units()
}
func (c MobileAssault) hexes() []hex.Coord { return some(c.At) }
func (c Attack) units() []engine.UnitID {
	var out []engine.UnitID
	for _, o := range c.From {
		out = append(out, o.Units.IDs...)
	}
	return append(out, c.Options.units()...)
}
func (c Attack) hexes() []hex.Coord {
	out := append([]hex.Coord{}, c.At...)
	for _, o := range c.From {
		out = append(out, o.At)
	}
	return out
}
func (c Probe) units() []engine.UnitID { return c.From.Units.IDs }
func (c Probe) hexes() []hex.Coord     { return []hex.Coord{c.At, c.From.At} }

func (o BattleOptions) units() []engine.UnitID {
	if o.AllOut != "" {
		return []engine.UnitID{o.AllOut}
	}
	return nil
}

func (AirSupply) anyTime() bool { return true }
func (Hedgehog) anyTime() bool  { return true }
func (Standing) anyTime() bool  { return true }
func (Resign) anyTime() bool    { return true }
func (AgreeDraw) anyTime() bool { return true }

func some(c hex.Coord) []hex.Coord {
	if c.IsZero() {
		return nil
	}
	return []hex.Coord{c}
}

func pathHexes(path []Step, from hex.Coord) []hex.Coord {
	out := some(from)
	for _, s := range path {
		out = append(append(out, some(s.Hex)...), some(s.To)...)
	}
	return out
}
