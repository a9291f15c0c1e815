package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
)

// Dice gives the values of a roll by its label. The same label gives the same
// values in one step, however often it is asked for.
type Dice interface {
	Roll(label string, sides, n int) []int
}

// Shuffler is what dice can do beside, for games with decks: put n pieces,
// numbered from 0, into the order of a label.
type Shuffler interface {
	Shuffle(label string, n int) []int
}

// Option is one legal choice of a [Question].
type Option struct {
	Clause string `json:"clause"` // in the standing vocabulary, e.g. HOLD 2
	Text   Text   `json:"text"`
}

// Question is a decision that a player may take. Default is an index into
// Options.
type Question struct {
	Decision string   `json:"decision"` // D04
	Side     Side     `json:"side"`
	Rule     RuleID   `json:"rule"`
	Text     Text     `json:"text"`
	Options  []Option `json:"options"`
	Default  int      `json:"default"`
	Card     *Card    `json:"card,omitempty"` // what the decider may see of the battle
	// Always marks the acting side's questions that are mailed without
	// STANDING ASK when no clause and no standing order has answered them.
	Always bool `json:"always,omitempty"`
}

// Prefer finds the option that a clause on the order line (by "order") or a
// standing order (by "standing") chooses, and the line that did it. By is empty
// if neither says anything. It reads the standing orders from the Exec it is
// given each time it is called.
type Prefer func(x *Exec) (option int, by, source string)

// Answer is a recorded answer to a question of one order of a sheet. Clauses
// are standing lines that hold from then on for the rest of the step; an Answer
// with Option -1 leaves the choice to them.
type Answer struct {
	Order    int     `json:"order"` // index in the sheet
	Decision string  `json:"decision"`
	Side     Side    `json:"side"`
	Option   int     `json:"option"`
	By       string  `json:"by"`   // answer or deadline
	Text     string  `json:"text"` // verbatim
	Clauses  []Order `json:"-"`
}

// Env is everything a run depends on beside position and orders.
type Env struct {
	// Dice is nil in a dry run, which ends at the first commit or roll.
	Dice Dice
	// Standing are the standing orders in force, frozen when the step closed.
	Standing map[Side][]Order
	// Asks reports whether a seat wants a decision mailed (STANDING ASK).
	Asks func(s Side, decision string) bool
	// AskActing makes questions marked Always pause. Off, they take the default.
	AskActing bool
}

// Exec is how rule code reaches the world: it emits facts, rolls dice and asks.
// Rule code is straight-line; a question without an answer ends the run, and the
// order is run again from its start when the answer has come.
type Exec struct {
	Env
	pos     Position
	seq     int
	events  []Event
	answers []Answer
	asked   int
	extra   map[Side][]Order
}

// stop ends a run from the inside. It is the engine's one panic, recovered in
// Exec.run only.
type stop struct{ err error }

// Paused is the error of a run that waits for an answer.
type Paused struct{ Question Question }

func (p *Paused) Error() string { return "waiting for an answer to " + p.Question.Decision }

// errDice ends a dry run where dice or hidden things would decide.
var errDice = errors.New("depends on dice or on what is hidden")

// Position is the position as changed so far. Rule code reads it and never
// writes to it.
func (x *Exec) Position() Position { return x.pos }

// Dry reports whether this is a dry run.
func (x *Exec) Dry() bool { return x.Dice == nil }

// Emit states a fact and applies it.
func (x *Exec) Emit(rule RuleID, f Fact) {
	e := Event{x.seq + 1, rule, f}
	x.seq++
	x.pos.Apply(e)
	if x.events == nil {
		x.events = make([]Event, 0, 8)
	}
	x.events = append(x.events, e)
}

// Commit marks the point from which hidden things may be consulted. A dry run
// ends here.
func (x *Exec) Commit() {
	if x.Dry() {
		panic(stop{errDice})
	}
}

// Roll throws n dice for a purpose. The label is made of turn, phase, kind,
// place and the number of the attempt.
func (x *Exec) Roll(rule RuleID, kind, where string, sides, n int, what Text) []int {
	if x.Dry() {
		panic(stop{errDice})
	}
	label := x.label(kind, where)
	v := x.Dice.Roll(label, sides, n)
	x.Emit(rule, Rolled{Label: label, Sides: sides, Values: v, For: what})
	return v
}

// Shuffle puts n pieces, numbered from 0, into a new order. The label is made as
// that of [Exec.Roll]. The dice of the game must be able to shuffle.
func (x *Exec) Shuffle(rule RuleID, kind, where string, n int, what Text) []int {
	if x.Dry() {
		panic(stop{errDice})
	}
	label := x.label(kind, where)
	v := x.Dice.(Shuffler).Shuffle(label, n)
	x.Emit(rule, Rolled{Label: label, Sides: n, Values: v, For: what, Deck: true})
	return v
}

func (x *Exec) label(kind, where string) string {
	s := x.pos.State()
	if where == "" {
		where = "-"
	}
	prefix := "T" + strconv.Itoa(s.Turn) + "/" + s.Label() + "/" + kind + "/" + where
	return prefix + "/" + strconv.Itoa(x.pos.Earlier(prefix)+1)
}

// Lines are the standing orders of a side in force at this instant, the latest
// last.
func (x *Exec) Lines(s Side) []Order {
	if extra := x.extra[s]; len(extra) > 0 {
		return append(x.Standing[s][:len(x.Standing[s]):len(x.Standing[s])], extra...)
	}
	return x.Standing[s]
}

// Ask puts a question and returns the index of the chosen option. A question
// with one option is not asked. It is answered by the first of: a clause on the
// line, the standing orders, the record, the player by mail, the default.
func (x *Exec) Ask(q Question, prefer Prefer) int {
	if len(q.Options) == 0 {
		panic(q.Decision + " asked without options")
	}
	if len(q.Options) == 1 {
		return 0
	}
	choose := func(i int, by, source string) int {
		x.Emit(q.Rule, Decided{q.Decision, q.Side, i, q.Options[i].Clause, by, source})
		return i
	}
	preferred := func() (int, string, string) {
		if prefer == nil {
			return 0, "", ""
		}
		return prefer(x)
	}
	if i, by, source := preferred(); by != "" {
		return choose(i, by, source)
	}
	if !(q.Always && x.AskActing) && (x.Asks == nil || !x.Asks(q.Side, q.Decision)) {
		return choose(q.Default, "default", "")
	}
	if x.asked == len(x.answers) {
		panic(stop{&Paused{q}})
	}
	a := x.answers[x.asked]
	x.asked++
	if a.Decision != "" && a.Decision != q.Decision {
		a.Option = -1 // it was given to another question, by other rules
	}
	if x.extra == nil {
		x.extra = map[Side][]Order{}
	}
	x.extra[a.Side] = append(x.extra[a.Side], a.Clauses...)
	if a.Option >= 0 && a.Option < len(q.Options) {
		return choose(a.Option, a.By, a.Text)
	}
	if i, by, _ := preferred(); by != "" {
		return choose(i, a.By, a.Text)
	}
	return choose(q.Default, a.By, a.Text)
}

func (x *Exec) run(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			s, ok := r.(stop)
			if !ok {
				panic(r)
			}
			err = s.err
		}
	}()
	return f()
}

// Do carries out one order on a copy of p. It returns the new position and the
// events, or a *[Refusal], a *[Paused] with the events so far, or an error that
// [Dicey] recognises when a dry run can go no further. seq is the number of the
// last event before.
func Do(g Game, p Position, seq int, o Order, env Env, answers []Answer) (Position, []Event, error) {
	x := &Exec{Env: env, pos: p.Clone(), seq: seq, answers: answers}
	err := x.run(func() error { return g.Do(x, o) })
	return x.pos, x.events, err
}

// Begin runs the start of a game.
func Begin(g Game, env Env) (Position, []Event, error) {
	x := &Exec{Env: env, pos: g.Empty()}
	err := x.run(func() error { g.Begin(x); return nil })
	return x.pos, x.events, err
}

// Dicey reports whether a dry run ended where dice or hidden things decide.
func Dicey(err error) bool { return errors.Is(err, errDice) }

// Replay applies events to an empty position.
func Replay(g Game, events []Event) Position {
	p := g.Empty()
	for _, e := range events {
		p.Apply(e)
	}
	return p
}

// SameEvents reports whether two runs came out the same, and the first place
// where they did not. What counts is how events are recorded.
func SameEvents(a, b []Event) (int, bool) {
	for i := range a {
		if i >= len(b) || !sameEvent(a[i], b[i]) {
			return i, false
		}
	}
	return len(a), len(a) == len(b)
}

func sameEvent(a, b Event) bool {
	if reflect.DeepEqual(a, b) {
		return true
	}
	if a.Seq != b.Seq || a.Rule != b.Rule || a.Fact.Kind() != b.Fact.Kind() {
		return false
	}
	x, err := json.Marshal(a.Fact)
	if err != nil {
		return false
	}
	y, err := json.Marshal(b.Fact)
	return err == nil && bytes.Equal(x, y)
}
