package dicegame

import (
	"testing"

	"pgregory.net/rapid"

	game "pbemd/engine/dicegame"
	"pbemd/orders"
)

func read(t *testing.T, lines ...string) ([]game.Roll, []orders.Finding) {
	t.Helper()
	l := Language{}
	sheets, found := orders.Parse(append(append([]string{"GAME 7"}, lines...), "END"), l.Grammar())
	if len(found) > 0 {
		return nil, found
	}
	list, _, found := l.Bind(sheets[0], game.White)
	var out []game.Roll
	for _, o := range list {
		if r, ok := o.Command.(game.Roll); ok {
			out = append(out, r)
		}
	}
	return out, found
}

func TestRollsAreRead(t *testing.T) {
	for line, want := range map[string]game.Roll{
		"roll 2d6 for Kiev":                      {Dice: game.Dice{N: 2, Sides: 6}, Label: "KIEV"},
		"ROLL d100 FOR the weather, turn 4":      {Dice: game.Dice{N: 1, Sides: 100}, Label: "THE WEATHER, TURN 4"},
		"Roll 3 D10 for 12/4 assault (second)":   {Dice: game.Dice{N: 3, Sides: 10}, Label: "12/4 ASSAULT (SECOND)"},
		"shuffle 40 for event deck":              {Dice: game.Dice{Sides: 40, Deck: true}, Label: "EVENT DECK"},
		`ROLL D20 FOR "Kiev"`:                    {Dice: game.Dice{N: 1, Sides: 20}, Label: "KIEV"},
		"ROLL 1D6 FOR for whom":                  {Dice: game.Dice{N: 1, Sides: 6}, Label: "FOR WHOM"},
		"ROLL D6 FOR K07 # what stands behind #": {Dice: game.Dice{N: 1, Sides: 6}, Label: "K07"},
		"> a quoted line is none, ROLL D6 FOR X": {},
		"ROLL D6 FOR H12-H13":                    {Dice: game.Dice{N: 1, Sides: 6}, Label: "H12-H13"},
		"ROLL 2D6\u00a0FOR attack":               {Dice: game.Dice{N: 2, Sides: 6}, Label: "ATTACK"},
	} {
		got, found := read(t, line)
		if want == (game.Roll{}) {
			if len(found) == 0 {
				t.Errorf("%s: read as %v", line, got)
			}
			continue
		}
		if len(found) > 0 || len(got) != 1 || got[0] != want {
			t.Errorf("%s: %+v %v, want %+v", line, got, found, want)
		}
	}
}

// A line may go on with FOR.
func TestForOnTheNextLine(t *testing.T) {
	if got, found := read(t, "ROLL 2D6", "FOR Kiev"); len(found) > 0 || len(got) != 1 || got[0].Label != "KIEV" {
		t.Errorf("%+v %v", got, found)
	}
}

func TestWhatCantBeReadIsSaid(t *testing.T) {
	for line, key := range map[string]string{
		"ROLL 2D6": "dice.read.for", "ROLL": "orders.expected", "ROLL Kiev": "dice.read.dice", "ROLL 2D6+1 FOR X": "dice.read.sum", "ROLL 2D6 Kiev": "dice.read.for",
		"SHUFFLE 2D6 FOR X": "dice.read.dice", "SHUFFLE FOR X": "dice.read.dice", "ROLL SHUFFLE 4 FOR X": "dice.read.dice", "ROLL 2D6 FOR": "dice.label",
		"ROLL 2D6 FOR Größe": "dice.label", "MOVE X": "dice.read.verb", "PHASE MOVE": "dice.read.phase", "ANSWER Q1 FOO": "dice.read.clause",
	} {
		if got, found := read(t, line); len(found) != 1 || found[0].Key != key {
			t.Errorf("%s: %+v %v, want %s", line, got, found, key)
		}
	}
}

// The canonical text of an order is read again as the same order.
func TestCanonicalTextIsReadAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := game.Roll{Dice: game.Dice{N: rapid.IntRange(1, 100).Draw(t, "n"), Sides: rapid.IntRange(2, 256).Draw(t, "sides")}}
		if rapid.Bool().Draw(t, "deck") {
			r.Dice = game.Dice{Sides: rapid.IntRange(2, 1000).Draw(t, "pieces"), Deck: true}
		}
		r.Label = rapid.StringMatching(`[A-Z0-9]([A-Z0-9,:()+*/=_]|[A-Z0-9]-[A-Z0-9]|[A-Z0-9]\.[A-Z0-9]| [A-Z0-9]){0,30}[A-Z0-9)]`).Draw(t, "label")
		l := Language{}
		first, found := l.Parse(Format(r), game.Black)
		if len(found) > 0 {
			t.Fatalf("%q: %v", Format(r), found)
		}
		again, found := l.Parse(first.Text, game.Black)
		if len(found) > 0 || again.Text != first.Text || again.Command != first.Command {
			t.Fatalf("%q is read as %q, then as %q (%v)", Format(r), first.Text, again.Text, found)
		}
		was, _ := game.Key(r.Label)
		if is, _ := game.Key(first.Command.(game.Roll).Label); is != was {
			t.Fatalf("the label %q became %q", was, is)
		}
	})
}
