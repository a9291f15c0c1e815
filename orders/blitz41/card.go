package blitz41

import (
	"slices"

	"pbemd/engine"
)

// Group is the verbs of one phase on the order card.
type Group struct {
	Title engine.Text
	Rows  [][2]engine.Text // form, and what it does
}

// Card is the order card: every verb of the game by the phase it belongs to, in
// the order of the sequence of play, from the table that orders are read by.
func Card() []Group {
	var out []Group
	for _, phase := range []string{"supply", "newunits", "move", "assault", "standing"} {
		g := Group{Title: engine.T("b41.phase.card." + phase)}
		var seen []string
		for _, v := range table {
			if len(v.Phases) == 0 || v.Phases[0] != phase || slices.Contains(seen, v.Usage) {
				continue
			}
			seen = append(seen, v.Usage)
			g.Rows = append(g.Rows, [2]engine.Text{engine.Plain(v.Usage), engine.T(v.Key)})
		}
		out = append(out, g)
	}
	return out
}
