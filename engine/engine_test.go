package engine

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// A game of one number: ADD raises it, ROLL adds a die, ASK lets the other side
// choose what is added, END PHASE passes the turn.
type (
	toy    struct{}
	toyPos struct {
		Rolls
		n     int
		side  Side
		turns int
		last  string
	}
	added  struct{ N int }
	passed struct{ To Side }

	add    struct{ N int }
	roll   struct{}
	ask    struct{ Clause int }
	wish   struct{ N int } // a standing order
	reveal struct{}
	big    struct{ Than int }
)

func (added) Kind() string        { return "Added" }
func (passed) Kind() string       { return "Passed" }
func (add) Verb() string          { return "ADD" }
func (roll) Verb() string         { return "ROLL" }
func (ask) Verb() string          { return "ASK" }
func (wish) Verb() string         { return "WISH" }
func (reveal) Verb() string       { return "REVEAL" }
func (big) Condition() string     { return "BIG" }
func (toy) ID() string            { return "toy" }
func (toy) Version() int          { return 1 }
func (toy) Seats() []Side         { return []Side{"a", "b"} }
func (toy) Codec() Codec          { return NewCodec(added{}, passed{}) }
func (toy) Empty() Position       { return &toyPos{side: "a", turns: 1} }
func (toy) Begin(x *Exec)         { x.Emit("T-1", added{1}) }
func (p *toyPos) Clone() Position { q := *p; return &q }
func (p *toyPos) State() State {
	return State{Side: p.side, Turn: p.turns, Phase: "play", Serial: p.turns, Over: p.n > 1000}
}
func (p *toyPos) Apply(e Event) {
	switch f := e.Fact.(type) {
	case added:
		p.n += f.N
	case passed:
		p.side = f.To
		p.turns++
	case Rolled:
		p.Note(f.Label)
	case Decided:
		p.last = f.By
	}
}

func (toy) Do(x *Exec, o Order) error {
	p := x.Position().(*toyPos)
	switch c := o.Command.(type) {
	case Continue:
	case add:
		if p.n+c.N > 100 {
			return Refuse("T-2", "toy.much", "n", c.N).Hint("toy.less", "most", 100-p.n)
		}
		x.Emit("T-2", added(c))
	case roll:
		x.Emit("T-3", added{x.Roll("T-3", "throw", "", 6, 1, T("toy.throw"))[0]})
	case reveal:
		x.Commit()
		x.Emit("T-5", added{0})
	case ask:
		x.Emit("T-4", added{x.Roll("T-4", "ask", "K9", 6, 1, T("toy.throw"))[0]})
		for i := 0; i < 2; i++ {
			q := Question{Decision: "D0" + string(rune('1'+i)), Side: "b", Rule: "T-4", Default: 1, Options: []Option{{Clause: "ONE"}, {Clause: "TWO"}, {Clause: "THREE"}}}
			n := x.Ask(q, func(x *Exec) (int, string, string) {
				if c.Clause > 0 {
					return c.Clause - 1, "order", o.Text
				}
				for _, l := range x.Lines("b") {
					return l.Command.(wish).N - 1, "standing", l.Text
				}
				return 0, "", ""
			})
			x.Emit("T-4", added{n + 1})
		}
		x.Ask(Question{Decision: "D09", Options: []Option{{Clause: "ONLY"}}}, nil)
	case EndPhase:
		to := Side("a")
		if p.side == "a" {
			to = "b"
		}
		x.Emit("T-6", passed{to})
	}
	return nil
}

func (toy) Sane(_ Position, o Order) error {
	if c, ok := o.Command.(add); ok && c.N < 0 {
		return Refuse("T-2", "toy.negative")
	}
	return nil
}
func (toy) Holds(p Position, _ Side, c Condition) bool { return p.(*toyPos).n > c.(big).Than }
func (toy) Preview(_ Position, o Order) []Item         { return []Item{{Text: T("toy." + o.Command.Verb())}} }
func (toy) View(Position, Side) View                   { return View{} }
func (toy) Tell(Position, []Event, Side) []Item        { return nil }
func (toy) FormatState(Position) string                { return "" }
func (toy) ParseState(string) (Position, error)        { return toy{}.Empty(), nil }

// counted gives the number of the throw, so that every label has its own value,
// and counts how often it was asked.
type counted struct{ asked int }

func (c *counted) Roll(label string, sides, n int) []int {
	c.asked++
	v := make([]int, n)
	for i := range v {
		v[i] = 1 + (len(label)+int(label[len(label)-1]))%sides
	}
	return v
}

func orders(commands ...Command) []Order {
	var out []Order
	for i, c := range commands {
		out = append(out, Order{Line: i + 1, Text: c.Verb(), Side: "a", Command: c})
	}
	return out
}

func marks(v []Verdict) string {
	var out []string
	for _, x := range v {
		out = append(out, string(x.Mark))
	}
	return strings.Join(out, " ")
}

func TestRefusedOrderLeavesNothingBehind(t *testing.T) {
	p := toy{}.Empty()
	q, events, err := Do(toy{}, p, 0, orders(add{200})[0], Env{Dice: &counted{}}, nil)
	r, ok := err.(*Refusal)
	if !ok || r.Rule != "T-2" || len(r.Hints) != 1 || len(events) != 0 {
		t.Errorf("%v, %d events", err, len(events))
	}
	if q.(*toyPos).n != 0 || p.(*toyPos).n != 0 {
		t.Error("the position has changed")
	}
}

func TestDryRunStopsAtTheFirstDieOrCommit(t *testing.T) {
	for _, c := range []Command{roll{}, reveal{}, ask{}} {
		r := Rehearse(toy{}, toy{}.Empty(), 0, orders(add{5}, c, add{7}, add{-1}), Env{}, true)
		if r.Clean || !r.Rolls {
			t.Errorf("%s: clean %v, rolls %v", c.Verb(), r.Clean, r.Rolls)
		}
		if r.Verdicts[2].Mark != Depends || r.Verdicts[2].On != 2 || r.Verdicts[3].Mark != Bad {
			t.Errorf("%s: %s", c.Verb(), marks(r.Verdicts))
		}
		if len(r.Verdicts[2].Preview) != 1 {
			t.Errorf("%s: no preview of a line that depends", c.Verb())
		}
	}
}

func TestSheetWithALineThatCantBeDoneIsNotClean(t *testing.T) {
	r := Rehearse(toy{}, toy{}.Empty(), 0, orders(add{5}, add{200}, add{7}), Env{}, false)
	if got := marks(r.Verdicts); got != "ok refused untested" || r.Clean {
		t.Errorf("%s, clean %v", got, r.Clean)
	}
}

func TestOvertakenLineHaltsUnlessContinueStandsAbove(t *testing.T) {
	env := Env{Dice: &counted{}}
	r := Execute(toy{}, toy{}.Empty(), 0, orders(add{60}, add{60}, add{1}), 0, env, nil)
	if got := marks(r.Verdicts); got != "ok halted draft" || r.Next != 1 {
		t.Errorf("%s, next %d", got, r.Next)
	}
	if i, ok := r.Halted(); !ok || i != 1 {
		t.Errorf("halted at %d, %v", i, ok)
	}
	r = Execute(toy{}, toy{}.Empty(), 0, orders(Continue{}, add{60}, add{60}, add{1}), 0, env, nil)
	if got := marks(r.Verdicts); got != "ok ok skipped ok" || r.Position.(*toyPos).n != 61 {
		t.Errorf("%s, %d", got, r.Position.(*toyPos).n)
	}
}

func TestConditionsAndElse(t *testing.T) {
	list := orders(add{10}, add{1}, add{2})
	list[1].If, list[1].Else = big{50}, add{30}
	list[2].If = big{50}
	r := Execute(toy{}, toy{}.Empty(), 0, list, 0, Env{Dice: &counted{}}, nil)
	if got := marks(r.Verdicts); got != "ok ok skipped" || r.Position.(*toyPos).n != 40 {
		t.Errorf("%s, %d", got, r.Position.(*toyPos).n)
	}
}

// Answered at once, asked one by one, or all by default: the dice are the same,
// and what was emitted before a question comes out the same when the order is
// run again.
func TestPausingAtEveryQuestionChangesNothing(t *testing.T) {
	list := orders(add{3}, ask{}, ask{})
	at := func(asks bool, answers []Answer, from int, p Position, seq int) Execution {
		return Execute(toy{}, p, seq, list, from, Env{Dice: &counted{}, Asks: func(s Side, d string) bool { return asks && s == "b" }}, answers)
	}
	whole := at(false, nil, 0, toy{}.Empty(), 0)
	if whole.Question != nil {
		t.Fatal("a question nobody wants")
	}
	var answers []Answer
	p, seq, from := toy{}.Empty(), 0, 0
	var events []Event
	var partial []Event
	for questions := 0; ; questions++ {
		r := at(true, answers, from, p, seq)
		events = append(events, r.Events...)
		p, seq, from = r.Position, seq+len(r.Events), r.Next
		if len(partial) > 0 && from < len(list) && r.Question != nil && len(r.Partial) > len(partial) {
			if _, same := SameEvents(partial, r.Partial[:len(partial)]); !same && len(r.Events) == 0 {
				t.Fatal("what came before the question came out otherwise")
			}
		}
		partial = r.Partial
		if r.Question == nil {
			if questions != 4 {
				t.Errorf("%d questions, want 4", questions)
			}
			break
		}
		answers = append(answers, Answer{Order: r.Next, Decision: r.Question.Decision, Side: "b", Option: r.Question.Default, By: "answer"})
	}
	if p.(*toyPos).n != whole.Position.(*toyPos).n || len(events) != len(whole.Events) {
		t.Errorf("ends at %d after %d events, want %d after %d", p.(*toyPos).n, len(events), whole.Position.(*toyPos).n, len(whole.Events))
	}
}

func TestWhoAnswers(t *testing.T) {
	yes := func(Side, string) bool { return true }
	standing := map[Side][]Order{"b": {{Text: "WISH 3", Command: wish{3}}}}
	for _, c := range []struct {
		name    string
		command ask
		env     Env
		answers []Answer
		by      string
		n       int // added by the two answers
	}{
		{"default", ask{}, Env{}, nil, "default", 4},
		{"standing order", ask{}, Env{Standing: standing}, nil, "standing", 6},
		{"standing order before a question", ask{}, Env{Standing: standing, Asks: yes}, nil, "standing", 6},
		{"clause before a standing order", ask{Clause: 1}, Env{Standing: standing, Asks: yes}, nil, "order", 2},
		{"answers", ask{}, Env{Asks: yes}, []Answer{{Option: 0, By: "answer"}, {Option: 2, By: "deadline"}}, "deadline", 4},
		{"answer by clause holds on", ask{}, Env{Asks: yes}, []Answer{{Side: "b", Option: -1, By: "answer", Clauses: []Order{{Text: "WISH 3", Command: wish{3}}}}}, "standing", 6},
	} {
		c.env.Dice = &counted{}
		p, events, err := Do(toy{}, toy{}.Empty(), 0, Order{Side: "a", Command: c.command}, c.env, c.answers)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		die := events[0].Fact.(Rolled).Values[0]
		if got := p.(*toyPos); got.last != c.by || got.n-die != c.n {
			t.Errorf("%s: by %s, %d; want %s, %d", c.name, got.last, got.n-die, c.by, c.n)
		}
	}
}

func TestAttemptsAreCountedByLabel(t *testing.T) {
	r := Execute(toy{}, toy{}.Empty(), 0, orders(roll{}, roll{}, ask{}, roll{}), 0, Env{Dice: &counted{}}, nil)
	var got []string
	for _, e := range r.Events {
		if f, ok := e.Fact.(Rolled); ok {
			got = append(got, f.Label)
		}
	}
	want := []string{"T1/a-play/throw/-/1", "T1/a-play/throw/-/2", "T1/a-play/ask/K9/1", "T1/a-play/throw/-/3"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestClonesDontShareTheirRolls(t *testing.T) {
	var a Rolls
	a.Note("T1/x/y/-/1")
	b := a
	a.Note("T1/x/y/-/2")
	b.Note("T1/x/z/-/1")
	if a.Earlier("T1/x/y/-") != 2 || b.Earlier("T1/x/y/-") != 1 || b.Earlier("T1/x/z/-") != 1 {
		t.Error("copies of the rolls see each other")
	}
}

func TestEventsComeBackAsTheyWere(t *testing.T) {
	c := toy{}.Codec()
	for _, f := range []Fact{
		added{7}, passed{"b"},
		Rolled{Label: "T1/a-play/throw/-/1", Sides: 6, Values: []int{3}, For: T("toy.throw", "n", 3, "who", []string{"x", "y"}, "nested", T("toy.inner", "k", 1), "list", []Text{T("a"), T("b")}, "on", true)},
		Decided{"D04", "b", 1, "HOLD 2", "standing", "HEX J8 HOLD 2"},
	} {
		e := Event{9, "T-1", f}
		r, err := c.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var back Record
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatal(err)
		}
		got, err := c.Decode(back)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, e) {
			t.Errorf("%#v came back as %#v", e, got)
		}
	}
	if _, err := c.Decode(Record{Kind: "Nonsense"}); err == nil {
		t.Error("an unknown kind was read")
	}
}

func TestReplayIsThePosition(t *testing.T) {
	p, events, err := Begin(toy{}, Env{Dice: &counted{}})
	if err != nil {
		t.Fatal(err)
	}
	r := Execute(toy{}, p, len(events), orders(add{3}, roll{}, EndPhase{}, ask{}), 0, Env{Dice: &counted{}}, nil)
	all := append(events, r.Events...)
	if !reflect.DeepEqual(Replay(toy{}, all), r.Position) {
		t.Errorf("%+v, want %+v", Replay(toy{}, all), r.Position)
	}
	for i, e := range all {
		if e.Seq != i+1 {
			t.Errorf("event %d has the number %d", i+1, e.Seq)
		}
	}
	if i, same := SameEvents(all, all[:len(all)-1]); same || i != len(all)-1 {
		t.Errorf("a shorter log is the same up to %d", i)
	}
}
