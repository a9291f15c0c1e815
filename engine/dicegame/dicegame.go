package dicegame

import (
	"strconv"
	"strings"

	"pbemd/engine"
)

// The seats, and the one phase, which is nobody's.
const (
	White engine.Side = "white"
	Black engine.Side = "black"
	Open              = "open"
)

// The kinds of rolls in labels.
const (
	RollKind    = "roll"
	ShuffleKind = "shuffle"
)

// What may be asked for at once.
const (
	MaxDice   = 100
	MaxSides  = 256
	MaxPieces = 1000
	MaxLabel  = 80
)

// Dice are what is thrown: so many dice of so many sides, or a deck.
type Dice struct {
	N     int  `json:"n,omitempty"`
	Sides int  `json:"sides"`
	Deck  bool `json:"deck,omitempty"` // a shuffle of Sides pieces
}

// String is the dice as orders have them: D6, 2D6, SHUFFLE 40.
func (d Dice) String() string {
	switch {
	case d.Deck:
		return "SHUFFLE " + strconv.Itoa(d.Sides)
	case d.N == 1:
		return "D" + strconv.Itoa(d.Sides)
	}
	return strconv.Itoa(d.N) + "D" + strconv.Itoa(d.Sides)
}

// ParseDice reads what String writes, and 1D6 too.
func ParseDice(s string) (Dice, bool) {
	if n, ok := strings.CutPrefix(s, "SHUFFLE "); ok {
		k, ok := number(n)
		return Dice{Sides: k, Deck: true}, ok
	}
	n, sides, ok := strings.Cut(s, "D")
	d := Dice{N: 1}
	if !ok {
		return d, false
	}
	if n != "" {
		if d.N, ok = number(n); !ok {
			return d, false
		}
	}
	d.Sides, ok = number(sides)
	return d, ok
}

// number reads digits; more than a game has use for are not read at all.
func number(s string) (int, bool) {
	if s == "" || len(s) > 6 || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

// Key is what two labels must have in common to be the same: letters in upper
// case, blanks as one underscore, none next to signs, and a stroke for a slash,
// since it stands as one part of the roll's name in the proof. It is false for a label
// with signs that look like others, or with none at all.
func Key(label string) (string, bool) {
	var b []byte
	blank := false
	for _, c := range []byte(strings.ToUpper(strings.TrimSpace(label))) {
		switch {
		case c == ' ' || c == '_' || c == '\t':
			blank = true
			continue
		case c == '/':
			c = '|'
		case c < ' ' || c > '~' || c == '|' || c == '#' || c == '"':
			return "", false
		}
		if blank && len(b) > 0 && plain(b[len(b)-1]) && plain(c) {
			b = append(b, '_')
		}
		blank = false
		b = append(b, c)
	}
	return string(b), len(b) > 0 && len(b) <= MaxLabel
}

func plain(c byte) bool { return c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' }

// The commands.
type (
	// Roll asks for dice under a label.
	Roll struct {
		Dice  Dice
		Label string
	}
	// Leave gives up the table: nothing is rolled at it any more.
	Leave struct{}
	// Agree ends the table as both seats want.
	Agree struct{}
)

// Verb implements [engine.Command].
func (r Roll) Verb() string {
	if r.Dice.Deck {
		return "SHUFFLE"
	}
	return "ROLL"
}

// Verb implements [engine.Command].
func (Leave) Verb() string { return "RESIGN" }

// Verb implements [engine.Command].
func (Agree) Verb() string { return "DRAW" }

// The facts.
type (
	// Opened is the beginning.
	Opened struct{}
	// Asked is the first request under a label; the roll follows it.
	Asked struct {
		Side  engine.Side `json:"side"`
		Dice  Dice        `json:"dice"`
		Label string      `json:"label"`
		Key   string      `json:"key"`
	}
	// Repeated is a further request under a label.
	Repeated struct {
		Side  engine.Side `json:"side"`
		Dice  Dice        `json:"dice"`
		Label string      `json:"label"`
		Key   string      `json:"key"`
	}
	// Closed is the end; Side is who left, "" if both agreed.
	Closed struct {
		Side engine.Side `json:"side,omitempty"`
	}
)

// Kind implements [engine.Fact].
func (Opened) Kind() string { return "Opened" }

// Kind implements [engine.Fact].
func (Asked) Kind() string { return "Asked" }

// Kind implements [engine.Fact].
func (Repeated) Kind() string { return "Repeated" }

// Kind implements [engine.Fact].
func (Closed) Kind() string { return "Closed" }

// Game implements [engine.Game].
type Game struct{}

var codec = engine.NewCodec(Opened{}, Asked{}, Repeated{}, Closed{})

// ID implements [engine.Game].
func (Game) ID() string { return "dice" }

// Version implements [engine.Game].
func (Game) Version() int { return 1 }

// Seats implements [engine.Game].
func (Game) Seats() []engine.Side { return []engine.Side{White, Black} }

// Codec implements [engine.Game].
func (Game) Codec() engine.Codec { return codec }

// Empty implements [engine.Game].
func (Game) Empty() engine.Position { return &Position{} }

// Begin implements [engine.Game].
func (Game) Begin(x *engine.Exec) { x.Emit("", Opened{}) }

// Sane implements [engine.Game].
func (Game) Sane(_ engine.Position, o engine.Order) error {
	c, ok := o.Command.(Roll)
	if !ok {
		return nil
	}
	d := c.Dice
	switch _, named := Key(c.Label); {
	case d.Deck && (d.Sides < 2 || d.Sides > MaxPieces):
		return engine.Refuse("", "dice.pieces", "n", d.Sides, "max", MaxPieces)
	case !d.Deck && (d.N < 1 || d.N > MaxDice):
		return engine.Refuse("", "dice.many", "n", d.N, "max", MaxDice)
	case !d.Deck && (d.Sides < 2 || d.Sides > MaxSides):
		return engine.Refuse("", "dice.sides", "n", d.Sides, "max", MaxSides)
	case !named:
		return engine.Refuse("", "dice.label", "label", c.Label, "max", MaxLabel)
	}
	return nil
}

// Do implements [engine.Game].
func (g Game) Do(x *engine.Exec, o engine.Order) error {
	p := x.Position().(*Position)
	if p.over {
		return engine.Refuse("", "dice.over")
	}
	switch c := o.Command.(type) {
	case Roll:
		if err := g.Sane(p, o); err != nil {
			return err
		}
		g.roll(x, o.Side, c)
	case engine.Continue:
	case Leave:
		x.Emit("", Closed{o.Side})
	case Agree:
		x.Emit("", Closed{})
	default:
		return engine.Refuse("", "dice.command", "verb", c.Verb())
	}
	return nil
}

// roll throws the dice of a label, or repeats what they showed.
func (Game) roll(x *engine.Exec, side engine.Side, c Roll) {
	key, _ := Key(c.Label)
	if _, known := x.Position().(*Position).Find(key); known {
		x.Emit("", Repeated{side, c.Dice, c.Label, key})
		return
	}
	what := engine.T("dice.for", "label", c.Label, "side", string(side))
	x.Emit("", Asked{side, c.Dice, c.Label, key})
	if c.Dice.Deck {
		x.Shuffle("", ShuffleKind, key, c.Dice.Sides, what)
	} else {
		x.Roll("", RollKind, key, c.Dice.Sides, c.Dice.N, what)
	}
}

// Holds implements [engine.Game]: there are no conditions.
func (Game) Holds(engine.Position, engine.Side, engine.Condition) bool { return false }

// Preview implements [engine.Game]: of a label that was rolled it shows the roll.
func (Game) Preview(pos engine.Position, o engine.Order) []engine.Item {
	c, ok := o.Command.(Roll)
	if !ok {
		return nil
	}
	key, _ := Key(c.Label)
	t, known := pos.(*Position).Find(key)
	if !known {
		return []engine.Item{{Text: engine.T("dice.preview.new", "label", c.Label)}}
	}
	return []engine.Item{{Text: engine.T("dice.preview.old", "label", t.Label, "dice", t.Dice.String(), "values", t.words())}}
}
