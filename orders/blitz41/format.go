package blitz41

import (
	"strconv"
	"strings"

	"pbemd/engine"
	game "pbemd/engine/blitz41"
	"pbemd/engine/hex"
)

// Format writes a command in its canonical form, which is read as the same
// command again.
func Format(c engine.Command) string {
	var b writer
	switch c := c.(type) {
	case engine.Continue:
		return "CONTINUE"
	case engine.EndPhase:
		return "END PHASE"
	case engine.EndTurn:
		return "END TURN"
	case engine.ToPhase:
		return "PHASE " + strings.ToUpper(c.Phase)
	case game.Resign:
		return "RESIGN"
	case game.AgreeDraw:
		return "ACCEPT DRAW"
	}
	for _, f := range []func(*writer, any) bool{formatSupply, formatNewUnits, formatMove, formatAssault, formatStanding} {
		if f(&b, c) {
			return b.String()
		}
	}
	return c.Verb()
}

// FormatOrder writes a whole line: condition, command, and what is done
// otherwise.
func FormatOrder(o engine.Order) string {
	s := Format(o.Command)
	if o.If != nil {
		s = "IF " + FormatCondition(o.If) + ": " + s
	}
	if o.Else != nil {
		s += " ELSE " + Format(o.Else)
	}
	return s
}

// FormatCondition writes a condition.
func FormatCondition(c engine.Condition) string {
	var b writer
	b.condition(c)
	return b.String()
}

// writer writes words with blanks between them.
type writer struct{ strings.Builder }

func (b *writer) word(words ...string) {
	for _, w := range words {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
}

func (b *writer) glue(s string)    { b.WriteString(s) }
func (b *writer) number(n int)     { b.word(strconv.Itoa(n)) }
func (b *writer) glueNumber(n int) { b.glue(strconv.Itoa(n)) }
func (b *writer) hex(c hex.Coord)  { b.word(c.String()) }

func (b *writer) flag(on bool, w string) {
	if on {
		b.word(w)
	}
}

func (b *writer) sea(baltic bool) {
	if baltic {
		b.word("BALTIC")
	} else {
		b.word("BLACK")
	}
}

func (b *writer) hexes(list []hex.Coord, sep string) {
	if len(list) == 0 {
		return
	}
	s := make([]string, len(list))
	for i, c := range list {
		s[i] = c.String()
	}
	b.word(strings.Join(s, sep))
}

func (b *writer) ids(list []engine.UnitID) {
	for _, u := range list {
		b.word(string(u))
	}
}

func (b *writer) units(u game.Units) {
	if u.Word != "" {
		b.word(u.Word)
		for _, x := range u.Except {
			b.glue("-" + string(x))
		}
		return
	}
	b.ids(u.IDs)
}

// listed writes units behind a colon; nothing means all.
func (b *writer) listed(u game.Units) {
	if u.Word != "" || len(u.IDs) > 0 {
		b.glue(":")
		b.units(u)
	}
}

// path writes hexes with dashes between them, all else with blanks.
func (b *writer) path(path []game.Step) {
	before := false
	for _, s := range path {
		switch {
		case !s.To.IsZero():
			b.word("TO")
			b.hex(s.To)
			before = false
		case s.Count > 0:
			b.word(s.Dir.String())
			if s.Count > 1 {
				b.glue("*")
				b.glueNumber(s.Count)
			}
			before = false
		default:
			if before {
				b.glue("-" + s.Hex.String())
			} else {
				b.hex(s.Hex)
			}
			before = true
		}
	}
}

func (b *writer) compare(c game.Compare) { b.word(c.Op, strconv.Itoa(c.N)) }

// oddsIf writes IF ODDS and the comparison, if there is one.
func (b *writer) oddsIf(o game.OddsIf) {
	if o.Op != "" {
		b.word("IF ODDS", o.Op, columnName(int(o.Odds)))
	}
}

// columnName writes an odds column: 1-3, 1-2, 1-1, 2-1 …
func columnName(o int) string {
	if o < 2 {
		return "1-" + strconv.Itoa(3-o)
	}
	return strconv.Itoa(o-1) + "-1"
}

func (b *writer) options(o game.BattleOptions) {
	if o.Air > 0 || o.AirIf.Op != "" {
		b.word("AIR")
		b.number(o.Air)
		b.oddsIf(o.AirIf)
	}
	if o.AllOut != "" {
		b.word("ALLOUT", string(o.AllOut))
		b.oddsIf(o.AllOutIf)
	}
	if o.Cavalry {
		b.word("CAV")
		if o.CavalryIf != nil {
			b.word("IF ENEMY STEPS")
			b.compare(*o.CavalryIf)
		}
	}
	if o.AirSupply {
		b.word("AIRSUPPLY")
		if o.SupplyIf != nil {
			b.word("IF PENALTY")
			b.compare(*o.SupplyIf)
		}
	}
	if o.Loss != nil {
		b.loss(*o.Loss)
	}
	if o.Retreat != nil {
		b.retreat(*o.Retreat)
	}
	b.advance(o.Advance)
}

func (b *writer) loss(p game.LossPolicy) {
	pay := func(steps bool) {
		if steps {
			b.word("STEPS")
		} else {
			b.word("RETREAT")
		}
	}
	b.word("LOSS")
	if p.Steps || p.Retreat {
		pay(p.Steps)
	}
	if p.IfWon {
		b.word("IF WON ELSE")
		pay(p.ElseSteps)
	}
	if len(p.Spare) > 0 {
		b.word("SPARE")
		b.ids(p.Spare)
	}
	if len(p.Lose) > 0 {
		b.word("LOSE")
		b.ids(p.Lose)
	}
	b.flag(p.NoKill, "NOKILL")
}

func (b *writer) retreat(p game.RetreatPolicy) {
	b.word("RETREAT")
	for _, w := range p.Words {
		b.word(w)
		if w == "SEA" && !p.Sea.IsZero() {
			b.hex(p.Sea)
		}
	}
	for _, h := range p.Toward {
		b.word("TOWARD")
		b.hex(h)
	}
	for _, h := range p.Away {
		b.word("AWAY")
		b.hex(h)
	}
	if len(p.Avoid) > 0 {
		b.word("AVOID")
		b.hexes(p.Avoid, " ")
	}
	for _, s := range p.Split {
		b.word("SPLIT")
		b.ids(s.Units)
		if s.Way != "" {
			b.word(s.Way)
		} else {
			b.hex(s.To)
		}
	}
}

func (b *writer) advance(a *game.Advance) {
	if a == nil {
		return
	}
	b.word("ADVANCE")
	if a.None {
		b.word("NONE")
		return
	}
	for i, c := range a.Clauses {
		if i > 0 {
			b.word("/")
		}
		b.units(c.Units)
		switch {
		case c.Occupy:
			b.word("OCCUPY")
		case !c.Toward.IsZero():
			b.word("TOWARD")
			b.hex(c.Toward)
			if c.Max > 0 {
				b.word("MAX")
				b.number(c.Max)
			}
		default:
			b.path(c.Path)
		}
		if c.IfDX {
			b.word("IF DX")
		}
		if c.Award != nil {
			b.word("IF AWARD")
			b.compare(*c.Award)
		}
	}
}

func (b *writer) condition(c engine.Condition) {
	list := func(tests []engine.Condition, word string) {
		for i, t := range tests {
			if i > 0 {
				b.word(word)
			}
			b.condition(t)
		}
	}
	switch c := c.(type) {
	case game.Or:
		list(c.Tests, "OR")
	case game.And:
		list(c.Tests, "AND")
	case game.Not:
		b.word("NOT")
		b.condition(c.Test)
	case game.LastIs:
		b.word(c.Word)
	case game.HexIs:
		b.hex(c.At)
		b.word(c.Word)
	case game.Number:
		b.word(c.Of)
		b.compare(c.Is)
	case game.StepsOf:
		b.word("STEPS", string(c.Unit))
		b.compare(c.Is)
	case game.UnitIs:
		b.word(string(c.Unit), c.Word)
		if c.Word == "AT" {
			b.hex(c.At)
		}
	case game.BattleIs:
		b.word("BATTLE")
		b.hex(c.At)
		b.word(c.Word)
	}
}
