package dicegame

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pbemd/engine"
	"pbemd/engine/dice"
)

// cup throws dice that follow from a word.
func cup() engine.Dice {
	return dice.StepKey("1", 1, dice.Hash{1}, dice.Hash{2}, nil)
}

// play has sides ask one after another and gives the position and all events.
func play(t rapidTB, asks []engine.Order) (engine.Position, []engine.Event) {
	g := Game{}
	pos, events, err := engine.Begin(g, engine.Env{Dice: cup()})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range asks {
		next, more, err := engine.Do(g, pos, len(events), o, engine.Env{Dice: cup()}, nil)
		if err != nil {
			t.Fatalf("%v: %v", o.Command, err)
		}
		pos, events = next, append(events, more...)
	}
	return pos, events
}

type rapidTB interface {
	Fatal(...any)
	Fatalf(string, ...any)
}

func asks(t *rapid.T) []engine.Order {
	var out []engine.Order
	for range rapid.IntRange(0, 12).Draw(t, "n") {
		d := Dice{N: rapid.IntRange(1, 4).Draw(t, "dice"), Sides: rapid.SampledFrom([]int{2, 6, 10, 20, 100, 256}).Draw(t, "sides")}
		if rapid.Bool().Draw(t, "deck") {
			d = Dice{Sides: rapid.IntRange(2, 300).Draw(t, "pieces"), Deck: true}
		}
		out = append(out, engine.Order{
			Side:    rapid.SampledFrom([]engine.Side{White, Black}).Draw(t, "side"),
			Command: Roll{d, rapid.SampledFrom([]string{"A", "B C", "b_c", "D/E", "F, G (2)"}).Draw(t, "label")},
		})
	}
	return out
}

// Whoever asks, however often, in whatever order: a label has one roll, and it is
// the roll that the label alone would have got.
func TestALabelIsRolledOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := asks(t)
		pos, events := play(t, list)
		p := pos.(*Position)
		first := map[string]Dice{}
		rolled, again := map[string]int{}, 0
		for _, o := range list {
			c := o.Command.(Roll)
			key, ok := Key(c.Label)
			if !ok {
				t.Fatalf("%q is no label", c.Label)
			}
			if _, known := first[key]; known {
				again++
			} else {
				first[key] = c.Dice
			}
		}
		for _, e := range events {
			if r, ok := e.Fact.(engine.Rolled); ok {
				rolled[r.Label]++
			}
		}
		if len(rolled) != len(first) || len(p.Throws()) != len(first) {
			t.Fatalf("%d rolls, %d throws, %d labels", len(rolled), len(p.Throws()), len(first))
		}
		for _, x := range p.Throws() {
			again -= x.Again
			if x.Dice != first[x.Key] || rolled[x.Name] != 1 {
				t.Fatalf("%+v, asked first for %v, rolled %d times", x, first[x.Key], rolled[x.Name])
			}
			alone, _ := play(t, []engine.Order{{Side: Black, Command: Roll{x.Dice, x.Label}}})
			if got := alone.(*Position).Throws()[0].Values; !equal(got, x.Values) {
				t.Fatalf("%s alone shows %v, among others %v", x.Label, got, x.Values)
			}
		}
		if again != 0 {
			t.Fatalf("%d requests too many or too few are counted as repeats", again)
		}
	})
}

func equal(a, b []int) bool {
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

// A position has a text, and every event a record, from which they come again.
func TestNotationAndRecords(t *testing.T) {
	g := Game{}
	rapid.Check(t, func(t *rapid.T) {
		list := asks(t)
		switch rapid.IntRange(0, 2).Draw(t, "end") {
		case 1:
			list = append(list, engine.Order{Side: White, Command: Leave{}})
		case 2:
			list = append(list, engine.Order{Side: White, Command: Agree{}})
		}
		pos, events := play(t, list)
		text := g.FormatState(pos)
		back, err := g.ParseState(text)
		if err != nil || g.FormatState(back) != text || back.State() != pos.State() {
			t.Fatalf("%v, %v\n%s\n%s", err, back, text, g.FormatState(back))
		}
		var again []engine.Event
		for _, e := range events {
			r, err := g.Codec().Encode(e)
			if err != nil {
				t.Fatal(err)
			}
			if e, err = g.Codec().Decode(r); err != nil {
				t.Fatal(err)
			}
			again = append(again, e)
		}
		if got := g.FormatState(engine.Replay(g, again)); got != text {
			t.Fatalf("replayed\n%s, want\n%s", got, text)
		}
	})
}

func TestNotationRefusesWhatItDoesNotWrite(t *testing.T) {
	for _, s := range []string{"", "dice", "dice open\nwhite", "dice open\nwhite \"D6\" T1/open/roll/A/1 x 0 A\n", "dice open\nwhite \"6\" T1/open/roll/A/1 1 0 A\n",
		"dice open\nwhite \"D6\" T1/open/roll/A/1 1 x A\n", "dice open\nwhite \"D6\" T1/open/roll/A/1 1 0 ä\n"} {
		if _, err := (Game{}).ParseState(s); err == nil {
			t.Errorf("%q was read", s)
		}
	}
}

// Labels that mean the same have one key, others don't; and a key can stand in a
// roll's name.
func TestKeys(t *testing.T) {
	for _, same := range [][]string{
		{"attack on Kiev", "ATTACK  ON_KIEV", " Attack on kiev "},
		{"weather/4", "WEATHER / 4"},
		{"a, b (2)", "A,B(2)"},
	} {
		want, _ := Key(same[0])
		for _, s := range same {
			if got, ok := Key(s); !ok || got != want {
				t.Errorf("Key(%q) = %q, want %q", s, got, want)
			}
		}
	}
	seen := map[string]string{}
	for _, s := range []string{"A B", "AB", "A-B", "A/B", "A1", "A 1", "A.1", "A,1", "A:1", "A+1", "A=1", "A*1", "A(1)"} {
		k, ok := Key(s)
		if !ok || seen[k] != "" {
			t.Errorf("%q has the key %q of %q", s, k, seen[k])
		}
		seen[k] = s
		l := dice.Label{Turn: 1, Phase: Open, Kind: RollKind, Where: k, Attempt: 1}
		if _, err := dice.ParseLabel(l.String()); err != nil {
			t.Error(err)
		}
	}
	for _, s := range []string{"", "  ", "_", "Größe", "КИЕВ", "a|b", `a"b`, "a\x01b", strings.Repeat("x", MaxLabel+1)} {
		if k, ok := Key(s); ok {
			t.Errorf("%q has the key %q", s, k)
		}
	}
}

func TestDiceWords(t *testing.T) {
	for s, want := range map[string]Dice{"D6": {1, 6, false}, "1D6": {1, 6, false}, "12D100": {12, 100, false}, "SHUFFLE 40": {0, 40, true}} {
		if d, ok := ParseDice(s); !ok || d != want {
			t.Errorf("%q is %+v, %v", s, d, ok)
		}
	}
	for _, s := range []string{"", "D", "6", "2D", "D6D6", "-1D6", "2D6+1", "1234567D6", "SHUFFLE", "SHUFFLE x", "DD6", "2 D6"} {
		if d, ok := ParseDice(s); ok {
			t.Errorf("%q was read as %+v", s, d)
		}
	}
}

// What can't be done leaves nothing behind, with dice and without.
func TestRefusals(t *testing.T) {
	g := Game{}
	pos, events := play(t, []engine.Order{{Side: White, Command: Roll{Dice{1, 6, false}, "A"}}})
	text := g.FormatState(pos)
	for _, c := range []engine.Command{
		Roll{Dice{0, 6, false}, "B"}, Roll{Dice{101, 6, false}, "B"}, Roll{Dice{1, 1, false}, "B"}, Roll{Dice{1, 257, false}, "B"},
		Roll{Dice{0, 1, true}, "B"}, Roll{Dice{0, 1001, true}, "B"}, Roll{Dice{1, 6, false}, "ü"}, engine.EndPhase{}, engine.EndTurn{}, engine.ToPhase{Phase: Open},
	} {
		for _, d := range []engine.Dice{nil, cup()} {
			_, more, err := engine.Do(g, pos, len(events), engine.Order{Side: Black, Command: c}, engine.Env{Dice: d}, nil)
			var no *engine.Refusal
			if !errors.As(err, &no) || len(more) > 0 || g.FormatState(pos) != text {
				t.Errorf("%+v: %v, %v", c, more, err)
			}
		}
	}
	closed, events := play(t, []engine.Order{{Side: White, Command: Agree{}}})
	if _, _, err := engine.Do(g, closed, len(events), engine.Order{Command: Roll{Dice{1, 6, false}, "A"}}, engine.Env{Dice: cup()}, nil); err == nil {
		t.Error("a closed table rolled")
	}
}
