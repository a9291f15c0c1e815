// Package engine is the machine that rulebooks run on: positions that change
// only by events, commands that make events, questions that may have to wait
// for an answer by mail, and the views that players get.
//
// It relies on dice given from outside and on nothing else: no clock, no
// goroutine, no order of a map. It knows no rule; a game implements [Game] and
// cites its rulebook there. A run is a pure function of position, orders, dice,
// standing orders and answers, so that it can be done again and compared.
package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"

	"pbemd/engine/force"
)

// Side and UnitID are force's.
type (
	Side   = force.Side
	UnitID = force.UnitID
)

// RuleID names a paragraph of a rulebook or a ruling: B41-14.7.C, B41-A58.
type RuleID string

// Number is the paragraph without the game's prefix, as players know it.
func (r RuleID) Number() string {
	_, n, ok := strings.Cut(string(r), "-")
	if !ok {
		return string(r)
	}
	return n
}

// Args are the named arguments of a sentence: strings, ints, bools, Texts, or
// slices of these.
type Args map[string]any

// UnmarshalJSON reads arguments back as the types they were written from.
func (a *Args) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var m map[string]any
	if err := d.Decode(&m); err != nil {
		return err
	}
	*a = readArgs(m)
	return nil
}

func readArgs(m map[string]any) Args {
	if m == nil {
		return nil
	}
	out := Args{}
	for n, v := range m {
		out[n] = readArg(v)
	}
	return out
}

func readArg(v any) any {
	switch v := v.(type) {
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return int(i)
		}
		f, _ := v.Float64()
		return f
	case map[string]any:
		key, _ := v["key"].(string)
		args, _ := v["args"].(map[string]any)
		return Text{Key: key, Args: readArgs(args)}
	case []any:
		return readList(v)
	}
	return v
}

// readList makes a list of one type of a list of any.
func readList(list []any) any {
	var words []string
	var texts []Text
	var ints []int
	for _, v := range list {
		switch v := readArg(v).(type) {
		case string:
			words = append(words, v)
		case Text:
			texts = append(texts, v)
		case int:
			ints = append(ints, v)
		}
	}
	switch len(list) {
	case len(texts):
		return texts
	case len(ints):
		return ints
	}
	return words
}

// Text is a sentence by its key in the templates.
type Text struct {
	Key  string `json:"key"`
	Args Args   `json:"args,omitempty"`
}

// T makes a Text; args are name, value, name, value …
func T(key string, args ...any) Text {
	t := Text{Key: key}
	for i := 0; i+1 < len(args); i += 2 {
		if t.Args == nil {
			t.Args = Args{}
		}
		t.Args[args[i].(string)] = args[i+1]
	}
	return t
}

// String shows key and arguments, for logs and failing tests; players read the
// rendered sentence.
func (t Text) String() string {
	if len(t.Args) == 0 {
		return t.Key
	}
	names := make([]string, 0, len(t.Args))
	for n := range t.Args {
		names = append(names, n)
	}
	sort.Strings(names)
	var b strings.Builder
	b.WriteString(t.Key)
	b.WriteByte('(')
	for i, n := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s=%v", n, t.Args[n])
	}
	b.WriteByte(')')
	return b.String()
}

// Fact is something that has happened: a small plain value with a fixed kind,
// named in the past tense. A kind's meaning never changes.
type Fact interface{ Kind() string }

// Event is a fact in its place in a game's log. Seq counts from 1 without gaps.
type Event struct {
	Seq  int
	Rule RuleID
	Fact Fact
}

// Record is an event as it is stored.
type Record struct {
	Seq  int             `json:"seq"`
	Kind string          `json:"kind"`
	Rule RuleID          `json:"rule,omitempty"`
	Data json.RawMessage `json:"data"`
}

// Codec turns events into records and back.
type Codec map[string]reflect.Type

// NewCodec knows the facts of which it is given a sample, and the machine's own.
func NewCodec(samples ...Fact) Codec {
	c := Codec{}
	for _, f := range append([]Fact{Rolled{}, Decided{}}, samples...) {
		if _, twice := c[f.Kind()]; twice {
			panic("two facts of the kind " + f.Kind())
		}
		c[f.Kind()] = reflect.TypeOf(f)
	}
	return c
}

// Encode writes an event as a record.
func (c Codec) Encode(e Event) (Record, error) {
	if _, ok := c[e.Fact.Kind()]; !ok {
		return Record{}, fmt.Errorf("event %d: unknown kind %q", e.Seq, e.Fact.Kind())
	}
	data, err := json.Marshal(e.Fact)
	if err != nil {
		return Record{}, fmt.Errorf("event %d: %w", e.Seq, err)
	}
	return Record{e.Seq, e.Fact.Kind(), e.Rule, data}, nil
}

// Decode reads a record.
func (c Codec) Decode(r Record) (Event, error) {
	t, ok := c[r.Kind]
	if !ok {
		return Event{}, fmt.Errorf("event %d: unknown kind %q", r.Seq, r.Kind)
	}
	v := reflect.New(t)
	if err := json.Unmarshal(r.Data, v.Interface()); err != nil {
		return Event{}, fmt.Errorf("event %d (%s): %w", r.Seq, r.Kind, err)
	}
	return Event{r.Seq, r.Rule, v.Elem().Interface().(Fact)}, nil
}

// Kinds lists the kinds a codec knows, sorted.
func (c Codec) Kinds() []string {
	var k []string
	for n := range c {
		k = append(k, n)
	}
	sort.Strings(k)
	return k
}

// Rolled is the fact that dice were thrown.
type Rolled struct {
	Label  string `json:"label"`
	Sides  int    `json:"sides"`
	Values []int  `json:"values"`
	For    Text   `json:"for"`
	Deck   bool   `json:"deck,omitempty"` // a shuffle: Values are the pieces, from 0, in their new order
}

// Kind implements [Fact].
func (Rolled) Kind() string { return "Rolled" }

// Decided is the fact that a decision was taken, and by whom: "order" (a clause
// on the line), "standing", "answer", "deadline", "default", or "rule".
type Decided struct {
	Decision string `json:"decision"`
	Side     Side   `json:"side"`
	Option   int    `json:"option"`
	Clause   string `json:"clause"`
	By       string `json:"by"`
	Source   string `json:"source,omitempty"` // the line that decided, for its owner only
}

// Kind implements [Fact].
func (Decided) Kind() string { return "Decided" }

// State is where a game is in its sequence of play.
type State struct {
	Side   Side   // whose orders are awaited; "" when over, or when any side may order at any time
	Turn   int    // game turn, from 1
	Phase  string // phase word of the grammar in lower case, e.g. "assault"
	Serial int    // counts the phases begun, for tokens and late sheets
	Over   bool
}

// Label is the phase as it stands in roll labels: axis-assault; a phase that is
// no side's stands alone.
func (s State) Label() string {
	if s.Side == "" && s.Phase != "" {
		return s.Phase
	}
	return string(s.Side) + "-" + s.Phase
}

// Position is the whole state of a game. It changes by Apply and by nothing
// else; Clone is independent of it.
type Position interface {
	Apply(Event)
	Clone() Position
	State() State
	// Earlier counts the rolls whose label has the first four parts given.
	Earlier(prefix string) int
}

// Rolls keeps the labels rolled; positions embed it. Cloning by assignment is
// enough as long as only one of the copies goes on, which Note guards against.
type Rolls struct{ labels []string }

// Note keeps a label.
func (r *Rolls) Note(label string) {
	r.labels = append(r.labels[:len(r.labels):len(r.labels)], label)
}

// Earlier implements [Position].
func (r *Rolls) Earlier(prefix string) int {
	n := 0
	for _, l := range r.labels {
		if i := strings.LastIndexByte(l, '/'); i == len(prefix) && l[:i] == prefix {
			n++
		}
	}
	return n
}

// Command is an order as a typed value, named in the imperative.
type Command interface{ Verb() string }

// Condition is what stands before the colon of an IF line; a game knows what
// it means.
type Condition interface{ Condition() string }

// Order is one line of a sheet.
type Order struct {
	Line    int    // in the mail it came in
	Text    string // canonical
	Side    Side
	Command Command
	If      Condition // nil: always
	Else    Command   // nil: nothing
}

// Commands that every game has.
type (
	// EndPhase closes the phase under way.
	EndPhase struct{}
	// EndTurn closes the player-turn under way.
	EndTurn struct{}
	// ToPhase closes the phase under way, which must lead to the one named.
	ToPhase struct{ Phase string }
	// Continue lets the lines below it be skipped singly if overtaken.
	Continue struct{}
)

// Verb implements [Command].
func (EndPhase) Verb() string { return "END PHASE" }

// Verb implements [Command].
func (EndTurn) Verb() string { return "END TURN" }

// Verb implements [Command].
func (ToPhase) Verb() string { return "PHASE" }

// Verb implements [Command].
func (Continue) Verb() string { return "CONTINUE" }

// Refusal is the answer to an order that can't be done: what is wrong, by which
// rule, and what would work.
type Refusal struct {
	Rule  RuleID
	Text  Text
	Hints []Text
}

// Refuse makes a Refusal; args as in [T].
func Refuse(rule RuleID, key string, args ...any) *Refusal {
	return &Refusal{Rule: rule, Text: T(key, args...)}
}

// Hint adds what would work.
func (r *Refusal) Hint(key string, args ...any) *Refusal {
	r.Hints = append(r.Hints, T(key, args...))
	return r
}

func (r *Refusal) Error() string {
	s := r.Text.String()
	if r.Rule != "" {
		s += " (" + string(r.Rule) + ")"
	}
	for _, h := range r.Hints {
		s += "; " + h.String()
	}
	return s
}

// Factor is one row of a modifier table as it applied: the rule, the words for
// the report, and what it was worth.
type Factor struct {
	Rule   RuleID `json:"rule"`
	Text   Text   `json:"text"`
	On     string `json:"on"`     // what it changes: attack, defence, attacker, defender
	Amount string `json:"amount"` // as printed: -30 %, +1, ×2
}

// Game is a rulebook. Its methods are pure.
type Game interface {
	ID() string   // rules id: blitz41
	Version() int // raised when outcomes can change
	Seats() []Side
	Codec() Codec
	// Empty is the position before the first event.
	Empty() Position
	// Begin sets up and enters the first phase that waits for orders.
	Begin(x *Exec)
	// Do carries out one order. A *Refusal leaves nothing behind.
	Do(x *Exec, o Order) error
	// Sane checks what no die can change: that the units exist and are the
	// sender's, that the verb belongs to the phase.
	Sane(p Position, o Order) error
	// Holds evaluates a condition.
	Holds(p Position, s Side, c Condition) bool
	// Preview says what an order would mean, odds and modifiers included, from
	// what the side may see. It is nil for orders that speak for themselves.
	Preview(p Position, o Order) []Item
	// View is what a side may know now; side "" is the public.
	View(p Position, s Side) View
	// Tell says what a side may know of the events, p being the position
	// before the first of them.
	Tell(p Position, events []Event, s Side) []Item
	// ParseState and FormatState are the text notation of positions.
	FormatState(p Position) string
	ParseState(text string) (Position, error)
}
