package dice

import (
	"fmt"
	"strconv"
	"strings"
)

// Label is the canonical name of one roll, in five parts. Dice depend on the
// label and never on how many rolls came before.
type Label struct {
	Turn    int
	Phase   string // "axis-assault", "open", "end"
	Kind    string // "pa", "weather"
	Where   string // "-" for nowhere; several hexes in board order joined by "+"
	Attempt int    // 1 + earlier rolls of the game with the same first four parts
}

// String is the label as records and dice take it: T3/axis-assault/pa/H12/1.
func (l Label) String() string { return l.Stem() + "/" + strconv.Itoa(l.Attempt) }

// Stem is the label without its attempt: what attempts are counted by.
func (l Label) Stem() string {
	part := func(s string) string {
		if s == "" {
			return "-"
		}
		return s
	}
	return "T" + strconv.Itoa(l.Turn) + "/" + part(l.Phase) + "/" + part(l.Kind) + "/" + part(l.Where)
}

// ParseLabel reads a label. Each part is of printable ASCII without blank and
// slash, and numbers have no leading zero, so that one roll has one name.
func ParseLabel(s string) (Label, error) {
	var l Label
	p := strings.Split(s, "/")
	if len(p) != 5 {
		return l, fmt.Errorf("the label %q has %d parts instead of 5", s, len(p))
	}
	for _, part := range p {
		if part == "" || strings.IndexFunc(part, func(r rune) bool { return r <= ' ' || r > '~' }) >= 0 {
			return l, fmt.Errorf("the label %q has a part that is empty or not plain", s)
		}
	}
	turn, isTurn := strings.CutPrefix(p[0], "T")
	t, err1 := strconv.Atoi(turn)
	a, err2 := strconv.Atoi(p[4])
	l = Label{t, p[1], p[2], p[3], a}
	if !isTurn || err1 != nil || err2 != nil || t < 0 || a < 1 || l.String() != s {
		return Label{}, fmt.Errorf("the label %q isn't T<turn>/<phase>/<kind>/<where>/<attempt>", s)
	}
	return l, nil
}

// Attempts counts the rolls of a game by the stems of their labels. The zero
// value has counted none.
type Attempts struct{ seen map[string]int }

// Next makes the label of the coming roll of that name, and doesn't count it.
func (a *Attempts) Next(turn int, phase, kind, where string) Label {
	l := Label{Turn: turn, Phase: phase, Kind: kind, Where: where}
	l.Attempt = a.seen[l.Stem()] + 1
	return l
}

// Count takes note of a roll. It fails if the label isn't the next of its name.
func (a *Attempts) Count(label string) error {
	l, err := ParseLabel(label)
	if err != nil {
		return err
	}
	if want := a.seen[l.Stem()] + 1; l.Attempt != want {
		return fmt.Errorf("%s is roll %d of its name", label, want)
	}
	if a.seen == nil {
		a.seen = map[string]int{}
	}
	a.seen[l.Stem()]++
	return nil
}
