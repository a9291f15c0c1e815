// Package dicegame binds the order language to the game of only dice: ROLL and
// SHUFFLE under a label, and what every game has beside.
//
// It promises that the canonical text of an order is read again as the same
// order. It relies on package orders for lines and words and on
// engine/dicegame for what is a label; whether a label was rolled it doesn't
// know.
package dicegame

import (
	"strings"

	"pbemd/engine"
	game "pbemd/engine/dicegame"
	"pbemd/orders"
	"pbemd/orders/admin"
)

// Language is the order language of a dice table.
type Language struct{}

// Grammar lists the verbs.
func (Language) Grammar() orders.Grammar {
	g := orders.Grammar{Hex: func(string) (string, bool) { return "", false }}
	g.Verbs = append(g.Verbs,
		orders.Verb{Name: "ROLL", Usage: "ROLL 2D6 FOR label", Key: "dice.help.roll", Clauses: []string{"FOR"}},
		orders.Verb{Name: "SHUFFLE", Usage: "SHUFFLE 40 FOR label", Key: "dice.help.shuffle", Clauses: []string{"FOR"}})
	for _, v := range orders.Common {
		switch v.Name {
		case "RESIGN": // who leaves a table resigns nothing else
			v.Aliases = append([]string{"LEAVE"}, v.Aliases...)
		case "OFFER DRAW":
			v.Aliases = append([]string{"OFFER CLOSE"}, v.Aliases...)
		case "ACCEPT DRAW":
			v.Aliases = append([]string{"ACCEPT CLOSE"}, v.Aliases...)
		}
		g.Verbs = append(g.Verbs, v)
	}
	return g
}

// requests implements [admin.Game].
type requests struct{}

func (requests) Show(c *orders.Cursor) admin.Show {
	w, _ := c.Expect("ROLLS")
	return admin.Show{What: w}
}

func (requests) Area(c *orders.Cursor) string { return c.Rest() }

func (requests) Clause(c *orders.Cursor) *engine.Order {
	c.Fail("expected", "dice.read.clause", nil)
	return &engine.Order{}
}

// Bind implements the language of a game: lines to orders and requests.
func (l Language) Bind(s orders.Sheet, side engine.Side) (list []engine.Order, asked []admin.Request, found []orders.Finding) {
	g := l.Grammar()
	for i := range s.Lines {
		line := &s.Lines[i]
		c := orders.NewCursor(line, g)
		var o *engine.Order
		switch {
		case line.If != "":
			c.Fail("condition", "dice.read.if", nil)
		case admin.Is(line.Verb):
			q := admin.Read(line, c, requests{})
			if len(c.Findings()) == 0 {
				asked = append(asked, q)
			}
		case line.Verb == orders.Check || line.Verb == orders.Again:
		case line.Verb == orders.Phase && strings.HasSuffix(line.Text, " STANDING"):
		default:
			o = &engine.Order{Line: line.No, Text: line.Text, Side: side, Command: command(line, c)}
			if r, ok := o.Command.(game.Roll); ok {
				o.Text = Format(r)
			}
		}
		if f := c.Findings(); len(f) > 0 {
			found = append(found, f...)
		} else if o != nil {
			list = append(list, *o)
		}
	}
	return list, asked, found
}

// command reads an order.
func command(line *orders.Line, c *orders.Cursor) engine.Command {
	switch line.Verb {
	case orders.Continue:
		return engine.Continue{}
	case orders.EndPhase:
		return engine.EndPhase{}
	case orders.EndTurn:
		return engine.EndTurn{}
	case orders.Phase:
		w, _ := c.Word("a phase")
		if w != strings.ToUpper(game.Open) {
			c.Fail("expected", "dice.read.phase", map[string]any{"got": w})
		}
		return engine.ToPhase{Phase: strings.ToLower(w)}
	case "ROLL", "SHUFFLE":
		return roll(line, c)
	}
	c.Fail("verb", "dice.read.verb", map[string]any{"text": line.Text})
	return nil
}

// roll reads the dice and the label.
func roll(line *orders.Line, c *orders.Cursor) engine.Command {
	var d game.Dice
	w, ok := c.Word(map[string]string{"ROLL": "dice as 2D6 or D20", "SHUFFLE": "how many pieces"}[line.Verb])
	if !ok {
		return nil
	}
	if line.Verb == "SHUFFLE" {
		w = "SHUFFLE " + w
	} else if n := c.Peek(); strings.Trim(w, "0123456789") == "" && n.Kind == orders.Word && strings.HasPrefix(n.Text, "D") { // 2 D6
		c.Next()
		w += n.Text
	}
	if d, ok = game.ParseDice(w); !ok || d.Deck != (line.Verb == "SHUFFLE") {
		c.Fail("expected", "dice.read.dice", map[string]any{"got": strings.TrimPrefix(w, "SHUFFLE "), "deck": line.Verb == "SHUFFLE"})
		return nil
	}
	if t := c.Peek(); t.Kind == orders.Sign && (t.Text == "+" || t.Text == "-" || t.Text == "*") {
		c.Fail("expected", "dice.read.sum", map[string]any{"got": t.Text})
		return nil
	}
	if !c.Accept("FOR") {
		c.Fail("expected", "dice.read.for", map[string]any{"dice": line.Text})
		return nil
	}
	label := strings.Trim(c.Rest(), `"`)
	if _, ok := game.Key(label); !ok {
		c.Fail("label", "dice.label", map[string]any{"label": label, "max": game.MaxLabel})
		return nil
	}
	return game.Roll{Dice: d, Label: strings.ToUpper(label)}
}

// Format writes the canonical text of a request.
func Format(r game.Roll) string {
	if r.Dice.Deck {
		return r.Dice.String() + " FOR " + r.Label
	}
	return "ROLL " + r.Dice.String() + " FOR " + r.Label
}

// Parse reads one order by its canonical text.
func (l Language) Parse(text string, side engine.Side) (engine.Order, []orders.Finding) {
	sheets, found := orders.Parse([]string{"GAME 1", text, "END"}, l.Grammar())
	if len(found) == 0 && len(sheets) == 1 {
		var list []engine.Order
		if list, _, found = l.Bind(sheets[0], side); len(found) == 0 && len(list) == 1 {
			return list[0], nil
		}
	}
	if len(found) == 0 {
		found = []orders.Finding{{Line: 1, Code: "verb", Key: "dice.read.verb", Args: map[string]any{"text": text}}}
	}
	return engine.Order{}, found
}
