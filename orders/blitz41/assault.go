package blitz41

import (
	game "pbemd/engine/blitz41"
	"pbemd/engine/hex"
	"pbemd/orders"
)

var assaultPhase = []string{"assault"}

var assaultVerbs = []verb{
	has(orders.Verb{Name: "ATTACK", Aliases: []string{"ASSAULT"}, Phases: assaultPhase,
		Usage: "ATTACK hex [+ hex] FROM hex [: units] [AND hex [: units]] … [AIR n] [CAV] [ALLOUT corps] [LOSS …] [RETREAT …] [ADVANCE …] [AIRSUPPLY]", Key: "b41.help.attack", Clauses: battleClauses},
		"", "assault", one((*reader).attack)),
	has(orders.Verb{Name: "PROBE", Phases: assaultPhase, Usage: "PROBE hex FROM hex [: units] [ADVANCE …]", Key: "b41.help.probe", Clauses: []string{"FROM", "ADVANCE"}},
		"", "assault", one((*reader).probe)),
}

func (r *reader) attack() game.Attack {
	c := game.Attack{At: []hex.Coord{r.hex()}}
	for !r.failed() {
		if _, ok := r.AcceptAny("+", ","); !ok {
			break
		}
		c.At = append(c.At, r.hex())
	}
	r.Expect("FROM")
	c.From = append(c.From, r.origin())
	for !r.failed() {
		r.Accept(",")
		if !r.Accept("AND") {
			break
		}
		r.Accept("FROM")
		c.From = append(c.From, r.origin())
	}
	c.Options = r.battleOptions()
	return c
}

func (r *reader) origin() game.Origin {
	o := game.Origin{At: r.hex()}
	if r.Accept(":") {
		o.Units = r.units()
	} else {
		o.Units = r.optionalUnits()
	}
	return o
}

func (r *reader) probe() game.Probe {
	c := game.Probe{At: r.hex()}
	r.Expect("FROM")
	c.From = r.origin()
	r.Accept(",")
	if r.Accept("ADVANCE") {
		c.Advance = r.advance()
	}
	return c
}

// battleOptions reads the clauses of a battle in any order, each once.
func (r *reader) battleOptions() game.BattleOptions {
	var o game.BattleOptions
	seen := map[string]bool{}
	for !r.failed() {
		s := *r.Cursor
		r.Accept(",")
		w, ok := r.AcceptAny("AIR", "ALLOUT", "CAV", "AIRSUPPLY", "LOSS", "LOSE", "SPARE", "NOKILL", "RETREAT", "ADVANCE")
		if !ok {
			*r.Cursor = s
			break
		}
		if seen[w] && w != "LOSE" && w != "SPARE" {
			r.fail("twice", "b41.read.clausetwice", "clause", w)
			break
		}
		seen[w] = true
		switch w {
		case "AIR":
			o.Air = r.number("air points", 0, 99)
			o.AirIf = r.oddsIf()
		case "ALLOUT":
			o.AllOut = r.unit()
			o.AllOutIf = r.oddsIf()
		case "CAV":
			o.Cavalry = true
			if r.Accept("IF") {
				r.Expect("ENEMY")
				r.Expect("STEPS")
				c := r.compare()
				o.CavalryIf = &c
			}
		case "AIRSUPPLY":
			o.AirSupply = true
			if r.Accept("IF") {
				r.Expect("PENALTY")
				c := r.compare()
				o.SupplyIf = &c
			}
		case "LOSS":
			p := r.loss(o.Loss)
			o.Loss = &p
		case "LOSE", "SPARE", "NOKILL":
			if o.Loss == nil {
				o.Loss = &game.LossPolicy{}
			}
			r.lossWord(o.Loss, w)
		case "RETREAT":
			p := r.retreat()
			o.Retreat = &p
		case "ADVANCE":
			o.Advance = r.advance()
		}
	}
	return o
}

// loss reads a policy for own losses; what was said before stays.
func (r *reader) loss(before *game.LossPolicy) game.LossPolicy {
	var p game.LossPolicy
	if before != nil {
		p = *before
	}
	said := false
	if w, ok := r.AcceptAny("STEPS", "RETREAT"); ok {
		said = true
		p.Steps, p.Retreat = w == "STEPS", w == "RETREAT"
		if r.isWord("IF") && r.PeekAt(1).Text == "WON" {
			r.Next()
			r.Next()
			r.Expect("ELSE")
			e, _ := r.Expect("STEPS", "RETREAT")
			p.IfWon, p.ElseSteps = true, e == "STEPS"
		}
	}
	for !r.failed() {
		w, ok := r.AcceptAny("SPARE", "LOSE", "NOKILL")
		if !ok {
			break
		}
		said = true
		r.lossWord(&p, w)
	}
	if !said {
		r.Expect("STEPS", "RETREAT", "SPARE", "LOSE", "NOKILL")
	}
	return p
}

func (r *reader) lossWord(p *game.LossPolicy, w string) {
	switch w {
	case "SPARE":
		p.Spare = append(p.Spare, r.unitList()...)
	case "LOSE":
		p.Lose = append(p.Lose, r.unitList()...)
	case "NOKILL":
		p.NoKill = true
	}
}

// retreat reads where to retreat.
func (r *reader) retreat() game.RetreatPolicy {
	var p game.RetreatPolicy
	said := false
	for !r.failed() {
		w, ok := r.AcceptAny("PREFER", "TOWARD", "AWAY", "AVOID", "SUPPLY", "TOWN", "FORT", "ALONE", "JOIN", "EXIT", "NOEXIT", "SEA", "SPLIT")
		if !ok {
			break
		}
		said = true
		switch w {
		case "PREFER":
			d, _ := r.Expect("NORTH", "SOUTH")
			w += " " + d
			p.Words = append(p.Words, w)
		case "EXIT":
			d, _ := r.Expect("FINLAND", "ZOMO")
			p.Words = append(p.Words, w+" "+d)
		case "TOWARD":
			p.Toward = append(p.Toward, r.hex())
		case "AWAY":
			r.Accept("FROM")
			p.Away = append(p.Away, r.hex())
		case "AVOID":
			p.Avoid = append(p.Avoid, r.hexList()...)
		case "SEA":
			p.Words = append(p.Words, w)
			if r.hexAhead() {
				p.Sea = r.hex()
			}
		case "SPLIT":
			s := game.SplitRetreat{Units: r.unitList()}
			if d, ok := r.AcceptAny("NORTH", "SOUTH"); ok {
				s.Way = d
			} else {
				s.To = r.hex()
			}
			p.Split = append(p.Split, s)
		default:
			p.Words = append(p.Words, w)
		}
	}
	if !said {
		r.Expect("PREFER", "TOWARD", "AWAY", "AVOID", "SUPPLY", "TOWN", "FORT", "ALONE", "JOIN", "EXIT", "NOEXIT", "SEA", "SPLIT")
	}
	return p
}

// advance reads who goes where after a won assault.
func (r *reader) advance() *game.Advance {
	if r.Accept("NONE") {
		return &game.Advance{None: true}
	}
	a := &game.Advance{}
	for !r.failed() {
		a.Clauses = append(a.Clauses, r.advanceClause())
		if !r.Accept("/") {
			break
		}
	}
	return a
}

func (r *reader) advanceClause() game.AdvanceClause {
	c := game.AdvanceClause{Units: r.units()}
	switch {
	case r.Accept("OCCUPY"):
		c.Occupy = true
	case r.Accept("TOWARD"):
		c.Toward = r.hex()
		if r.Accept("MAX") {
			c.Max = r.number("hexes", 1, 9)
		}
	case r.stepAhead():
		c.Path = r.path()
	default:
		r.Expect("OCCUPY", "TOWARD")
	}
	if r.isWord("IF") && (r.PeekAt(1).Text == "DX" || r.PeekAt(1).Text == "AWARD") {
		r.Next()
		if r.Next().Text == "DX" {
			c.IfDX = true
		} else {
			n := r.compare()
			c.Award = &n
		}
	}
	return c
}

func formatAssault(b *writer, c any) bool {
	switch c := c.(type) {
	case game.Attack:
		b.word("ATTACK")
		b.hexes(c.At, "+")
		for i, o := range c.From {
			if i == 0 {
				b.word("FROM")
			} else {
				b.word("AND")
			}
			b.hex(o.At)
			b.listed(o.Units)
		}
		b.options(c.Options)
	case game.Probe:
		b.word("PROBE")
		b.hex(c.At)
		b.word("FROM")
		b.hex(c.From.At)
		b.listed(c.From.Units)
		b.advance(c.Advance)
	default:
		return false
	}
	return true
}
