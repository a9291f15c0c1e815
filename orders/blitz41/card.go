package blitz41

import (
	"slices"

	"pbemd/engine"
	"pbemd/orders"
)

// Group is the verbs of one phase on the order card.
type Group struct {
	Title engine.Text
	Rows  [][2]engine.Text // form, and what it does
}

// frame are the lines of a sheet that no table has, since they order nothing.
var frame = []struct{ form, key string }{
	{"CHECK", "check"}, {"PHASE word", "phase"}, {"END PHASE", "endphase"}, {"END TURN", "endturn"}, {"CONTINUE", "continue"},
}

// clauseForms are the clauses of assaults.
var clauseForms = []struct{ form, key string }{
	{"AIR n [IF ODDS <= 3-1]", "air"}, {"ALLOUT corps [IF ODDS >= 4-1]", "allout"}, {"CAV [IF ENEMY STEPS >= 4]", "cav"},
	{"LOSS STEPS|RETREAT [IF WON ELSE STEPS|RETREAT]", "loss"}, {"LOSE units · SPARE units · NOKILL", "whose"},
	{"RETREAT PREFER NORTH · TOWARD hex · AVOID hexes …", "retreat"}, {"ADVANCE NONE | units OCCUPY | units path [/ …]", "advance"},
	{"AIRSUPPLY [IF PENALTY >= 20]", "airsupply"},
}

// Card is the order card: every verb of the game by the phase it belongs to, in
// the order of the sequence of play, from the table that orders are read by;
// then the clauses of assaults, and what is taken at any time.
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
			g.Rows = append(g.Rows, [2]engine.Text{engine.Form(v.Usage), engine.T(v.Key)})
		}
		out = append(out, g)
		if phase == "assault" {
			c := Group{Title: engine.T("b41.phase.card.clauses")}
			for _, x := range clauseForms {
				c.Rows = append(c.Rows, [2]engine.Text{engine.Form(x.form), engine.T("b41.card.clause." + x.key)})
			}
			out = append(out, c)
		}
	}
	always := Group{Title: engine.T("b41.phase.card.any")}
	row := func(form string, what engine.Text) {
		always.Rows = append(always.Rows, [2]engine.Text{engine.Form(form), what})
	}
	for _, x := range frame {
		row(x.form, engine.T("b41.card.frame."+x.key))
	}
	for _, v := range table { // orders of no phase: AIRSUPPLY, HEDGEHOG
		if len(v.Phases) == 0 {
			row(v.Usage, engine.T(v.Key))
		}
	}
	for _, v := range orders.Common {
		if v.Name != "GRADE CHAIN" && v.Name != "JOIN" {
			row(v.Usage, engine.T(v.Key))
		}
	}
	row("SHOW STACK hex | SUPPLY hex or unit | CONTROL | POOLS", engine.T("b41.help.show"))
	out = append(out, always)
	return out
}
