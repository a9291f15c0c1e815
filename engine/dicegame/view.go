package dicegame

import (
	"strconv"

	"pbemd/engine"
)

// shown is how many throws stand in every report; REPORT tells all.
const shown = 20

func sideText(s engine.Side) engine.Text { return engine.T("side." + string(s)) }

// View implements [engine.Game]. There are no secrets at the table.
func (g Game) View(pos engine.Position, s engine.Side) engine.View {
	p := pos.(*Position)
	v := engine.View{Game: g.ID(), Side: s, State: p.State(), Title: engine.T("dice.title")}
	switch {
	case p.over && p.left != "":
		v.Title = engine.T("dice.left", "side", string(p.left))
	case p.over:
		v.Title = engine.T("dice.closed")
	}
	again := 0
	for _, t := range p.throws {
		again += t.Again
	}
	v.Status = append(v.Status,
		engine.Line{Label: engine.T("dice.status.rolls"), Value: engine.Plain(strconv.Itoa(len(p.throws)))},
		engine.Line{Label: engine.T("dice.status.again"), Value: engine.Plain(strconv.Itoa(again))})
	table := engine.Section{Key: "rolls", Title: engine.T("dice.rolls"),
		Columns: []engine.Text{engine.T("dice.column.label"), engine.T("dice.column.side"), engine.T("dice.column.dice"), engine.T("dice.column.result")}}
	first := max(0, len(p.throws)-shown)
	for _, t := range p.throws[first:] {
		table.Rows = append(table.Rows, []engine.Text{
			engine.Plain(t.Label), sideText(t.Side), engine.Plain(t.Dice.String()),
			engine.T("dice.result", "values", t.words(), "total", t.total()),
		})
	}
	if first > 0 {
		table.Notes = []engine.Text{engine.T("dice.older", "n", first)}
	}
	v.Sections = []engine.Section{table}
	if !p.over && s != "" {
		v.Options = []engine.Text{engine.T("dice.option.roll"), engine.T("dice.option.leave")}
		v.Template = []string{"ROLL 2D6 FOR …"}
	}
	return v
}

// Tell implements [engine.Game].
func (Game) Tell(pos engine.Position, events []engine.Event, _ engine.Side) []engine.Item {
	p := pos.Clone().(*Position)
	var out []engine.Item
	for _, e := range events {
		p.Apply(e)
		i := engine.Item{Seq: e.Seq, Rule: e.Rule}
		switch f := e.Fact.(type) {
		case Opened:
			i.Text = engine.T("dice.tell.opened")
		case engine.Rolled:
			t := p.throws[len(p.throws)-1]
			i.Side = t.Side
			i.Text = engine.T("dice.tell.rolled", "side", string(t.Side), "label", t.Label, "dice", t.Dice.String(),
				"values", t.words(), "total", t.total(), "deck", t.Dice.Deck, "name", t.Name)
		case Repeated:
			t := p.throws[p.by[f.Key]]
			i.Side = f.Side
			i.Text = engine.T("dice.tell.repeated", "side", string(f.Side), "label", t.Label, "dice", t.Dice.String(),
				"values", t.words(), "total", t.total(), "first", string(t.Side), "other", f.Dice != t.Dice, "asked", f.Dice.String())
		case Closed:
			i.Text = engine.T("dice.closed")
			if f.Side != "" {
				i.Text = engine.T("dice.left", "side", string(f.Side))
			}
		default:
			continue
		}
		out = append(out, i)
	}
	return out
}
