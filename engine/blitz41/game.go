package blitz41

import (
	"pbemd/engine"
	"pbemd/engine/force"
)

// RulesVersion is raised whenever the outcome of an order can change.
const RulesVersion = 1

// Options are agreed before the game. The zero Options is the game as ruled.
type Options struct {
	// Open shows everything beneath the top unit (13.4).
	Open bool `json:"open,omitempty"`
	// Heights shows how many counters an enemy stack has (ruling B41-A78).
	Heights bool `json:"heights,omitempty"`
	// Leningrad plays the alternate Leningrad VPs (15.7).
	Leningrad bool `json:"leningrad,omitempty"`
	// Other lists the rulings that are played by their other reading.
	Other []engine.RuleID `json:"other,omitempty"`
}

// Rules is the game with a data set and its options. It implements
// [engine.Game].
type Rules struct {
	d   *Data
	opt Options
}

// New makes the game.
func New(d *Data, opt Options) *Rules { return &Rules{d, opt} }

// Data is the data set the game is played with.
func (r *Rules) Data() *Data { return r.d }

// ID implements [engine.Game].
func (r *Rules) ID() string { return "blitz41" }

// Version implements [engine.Game].
func (r *Rules) Version() int { return RulesVersion }

// Seats implements [engine.Game].
func (r *Rules) Seats() []engine.Side { return []engine.Side{Axis, Soviet} }

var codec = engine.NewCodec(allFacts()...)

// Codec implements [engine.Game].
func (r *Rules) Codec() engine.Codec { return codec }

// Empty implements [engine.Game].
func (r *Rules) Empty() engine.Position { return newPosition(r.d) }

// play is a run of rule code: the way to emit, roll and ask, and the position
// as changed so far.
type play struct {
	x *engine.Exec
	p *Position
}

func runOf(x *engine.Exec) *play { return &play{x, x.Position().(*Position)} }

func (g *play) emit(rule engine.RuleID, f engine.Fact) { g.x.Emit(rule, f) }

// Where a unit is that is not on the map.
type Where uint8

// The places beside the map.
const (
	OnMap   Where = iota
	Later         // not yet available, or a cadre without steps
	Box           // in the RVGK Box
	Held          // available and held off map: PART, CAV, MSU before it is placed
	Dead          // lost; Soviet units may be rebuilt
	Gone          // out of the game for good
	Waiting       // retreated off the map, comes back through a ZOMO hex (14.11.B.2)
)

var whereNames = []string{"map", "later", "box", "held", "dead", "gone", "waiting"}

func (w Where) String() string { return whereNames[w] }

// Flag is a state of a unit.
type Flag uint32

// The states of units.
const (
	OOS          Flag = 1 << iota // marked out of supply in the last own Supply Phase
	AirSupplied                   // until the next game turn begins (5.17.C)
	SeaSupplied                   // for the rest of the Axis player-turn (5.18)
	Consolidated                  // one of the five corps of 5.19
	Done                          // its movement this phase is over (12.8)
	Began                         // has moved this phase
	Assaulted                     // has made its PA or probe this phase (14.31.B)
	Retreated                     // gave way in a PA this phase (14.21)
	MadeMA                        // Soviet mech that has made its MA this phase (12.14.B)
	Entered                       // left the RVGK Box this player-turn (7.3)
	Boxed                         // entered the RVGK Box this player-turn (7.3)
	Frozen                        // may not move this player-turn: OBG, 4ABN (6.20.B, B41-A42)
	Dropped                       // 4ABN has made its drop
	WeakDrop                      // 4ABN on its weak side since its drop
	Fresh                         // a cadre newly available this turn, not yet bought (6.9)
	Played                        // has been in play before (B41-A131)
	Driven                        // 4ABN was driven out of Moscow before a drop (B41-A42)
)

// unit is the counter with number u.
func (p *Position) unit(u int) *Unit { return &p.d.Units[u] }

// face is the face in play of a unit: attack, defence, movement.
func (p *Position) face(u int) [3]int {
	s := p.Steps(u)
	if s < 1 || s > p.unit(u).Max {
		return [3]int{}
	}
	return p.unit(u).Ladder[s-1]
}

// has reports whether a unit has all of the flags.
func (p *Position) has(u int, f Flag) bool { return p.flags[u]&f == f }

// onMap reports whether a unit stands in a hex.
func (p *Position) onMap(u int) bool { return p.At(u) != force.Off }
