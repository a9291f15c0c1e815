package dicegame

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"pbemd/engine"
)

// Throw is one roll or shuffle of the table.
type Throw struct {
	Side   engine.Side // who asked first
	Dice   Dice
	Label  string
	Key    string
	Name   string // of the roll, in the proof
	Values []int
	Again  int // how often it was asked for again
}

// words are the values as players read them: pieces of a deck count from 1.
func (t Throw) words() []string {
	out := make([]string, len(t.Values))
	for i, v := range t.Values {
		if t.Dice.Deck {
			v++
		}
		out[i] = strconv.Itoa(v)
	}
	return out
}

// total is the sum of several dice, 0 where it says nothing.
func (t Throw) total() int {
	n := 0
	if !t.Dice.Deck && len(t.Values) > 1 {
		for _, v := range t.Values {
			n += v
		}
	}
	return n
}

// Position implements [engine.Position].
type Position struct {
	engine.Rolls
	open   bool
	over   bool
	left   engine.Side
	throws []Throw
	by     map[string]int // key to throw
}

// Find is the throw of a key.
func (p *Position) Find(key string) (Throw, bool) {
	i, ok := p.by[key]
	if !ok {
		return Throw{}, false
	}
	return p.throws[i], true
}

// Throws are all throws, the oldest first. They must not be changed.
func (p *Position) Throws() []Throw { return p.throws }

// Clone implements [engine.Position].
func (p *Position) Clone() engine.Position {
	c := *p
	c.throws = append([]Throw(nil), p.throws...)
	c.by = maps.Clone(p.by)
	return &c
}

// State implements [engine.Position].
func (p *Position) State() engine.State {
	if !p.open {
		return engine.State{}
	}
	return engine.State{Turn: 1, Phase: Open, Serial: 1, Over: p.over}
}

// Apply implements [engine.Position].
func (p *Position) Apply(e engine.Event) {
	switch f := e.Fact.(type) {
	case Opened:
		p.open = true
	case Asked:
		if p.by == nil {
			p.by = map[string]int{}
		}
		p.by[f.Key] = len(p.throws)
		p.throws = append(p.throws, Throw{Side: f.Side, Dice: f.Dice, Label: f.Label, Key: f.Key})
	case engine.Rolled:
		p.Note(f.Label)
		t := &p.throws[len(p.throws)-1]
		t.Name, t.Values = f.Label, f.Values
	case Repeated:
		p.throws[p.by[f.Key]].Again++
	case Closed:
		p.over, p.left = true, f.Side
	}
}

// FormatState implements [engine.Game]: the state on one line, then each throw on
// one.
func (Game) FormatState(pos engine.Position) string {
	p := pos.(*Position)
	var b strings.Builder
	switch {
	case !p.open:
		b.WriteString("dice empty\n")
	case !p.over:
		b.WriteString("dice open\n")
	case p.left == "":
		b.WriteString("dice closed\n")
	default:
		fmt.Fprintf(&b, "dice left by %s\n", p.left)
	}
	for _, t := range p.throws {
		values := make([]string, len(t.Values))
		for i, v := range t.Values {
			values[i] = strconv.Itoa(v)
		}
		fmt.Fprintf(&b, "%s %q %s %s %d %s\n", t.Side, t.Dice, t.Name, strings.Join(values, ","), t.Again, t.Label)
	}
	return b.String()
}

// ParseState implements [engine.Game].
func (Game) ParseState(text string) (engine.Position, error) {
	p := &Position{open: true}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	switch head := lines[0]; {
	case head == "dice empty":
		p.open = false
	case head == "dice open":
	case head == "dice closed":
		p.over = true
	case strings.HasPrefix(head, "dice left by "):
		p.over, p.left = true, engine.Side(head[len("dice left by "):])
	default:
		return nil, fmt.Errorf("%q is no state of a dice table", head)
	}
	for n, l := range lines[1:] {
		bad := func(what string) error { return fmt.Errorf("line %d, %q: %s", n+2, l, what) }
		side, rest, ok := strings.Cut(l, " ")
		quoted, err := strconv.QuotedPrefix(rest)
		if !ok || err != nil {
			return nil, bad("a side and its dice are due")
		}
		words, _ := strconv.Unquote(quoted)
		d, ok := ParseDice(words)
		f := strings.SplitN(strings.TrimPrefix(rest[len(quoted):], " "), " ", 4)
		if !ok || len(f) != 4 {
			return nil, bad("dice, name, values, repeats and label are due")
		}
		key, ok := Key(f[3])
		if !ok {
			return nil, bad("the label is none")
		}
		t := Throw{Side: engine.Side(side), Dice: d, Label: f[3], Key: key, Name: f[0]}
		for v := range strings.SplitSeq(f[1], ",") {
			k, err := strconv.Atoi(v)
			if err != nil {
				return nil, bad("a value is no number")
			}
			t.Values = append(t.Values, k)
		}
		if t.Again, err = strconv.Atoi(f[2]); err != nil {
			return nil, bad("the repeats are no number")
		}
		if p.by == nil {
			p.by = map[string]int{}
		}
		p.by[key] = len(p.throws)
		p.throws = append(p.throws, t)
		p.Note(t.Name)
	}
	return p, nil
}
