package blitz41

import (
	"strings"

	"pbemd/engine"
	game "pbemd/engine/blitz41"
	"pbemd/engine/chart"
	"pbemd/orders"
)

// verb is a row of the table that parsing, refusing and help come from.
type verb struct {
	orders.Verb
	side  engine.Side // "" for both
	topic string      // help page
	read  func(r *reader) []engine.Command
}

// one makes a reader of exactly one command.
func one[C engine.Command](f func(r *reader) C) func(r *reader) []engine.Command {
	return func(r *reader) []engine.Command { return []engine.Command{f(r)} }
}

func oddsOf(i int) chart.Odds { return chart.Odds(i) }

// clauses of the verbs, with which a continued line may begin.
var (
	battleClauses   = strings.Fields("FROM AND AIR ALLOUT CAV LOSS LOSE SPARE NOKILL RETREAT ADVANCE AIRSUPPLY")
	pathClauses     = strings.Fields("FROM TO VIA OBG")
	standingClauses = strings.Fields("UNLESS IF IN FROM UNTIL AT MAX")
)

// table has the verbs in the order of the sequence of play.
var table []verb

func init() {
	for _, chapter := range [][]verb{supplyVerbs, newUnitVerbs, moveVerbs, assaultVerbs, standingVerbs} {
		table = append(table, chapter...)
	}
}

// grammarOf is what the lexer has to know of the game.
func grammarOf(d *game.Data) orders.Grammar {
	g := orders.Grammar{Hex: orders.RowHex, Rows: true}
	for _, v := range table {
		g.Verbs = append(g.Verbs, v.Verb)
	}
	for _, v := range orders.Common {
		if v.Name == "ADDRESS" { // an address is taken as it is written
			v.Text = true
		}
		g.Verbs = append(g.Verbs, v)
	}
	g.Verbs = append(g.Verbs, orders.Verb{Name: "SHOW", Usage: "SHOW STACK hex | SUPPLY hex | SUPPLY unit | CONTROL | POOLS", Key: "b41.help.show"})
	g.Place = func(w string) bool { _, ok := d.Named(w); return ok }
	return g
}

func has(o orders.Verb, side engine.Side, topic string, read func(r *reader) []engine.Command) verb {
	return verb{o, side, topic, read}
}
