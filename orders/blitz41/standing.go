package blitz41

import (
	game "pbemd/engine/blitz41"
	"pbemd/engine/hex"
	"pbemd/orders"
)

func scopeVerb(name, usage string) verb {
	return has(orders.Verb{Name: name, Phases: []string{"standing"}, Usage: usage, Key: "b41.help.standing", Clauses: standingClauses},
		"", "standing", one(func(r *reader) game.Standing { return r.standing(name) }))
}

var standingVerbs = []verb{
	scopeVerb("DEFAULT", "DEFAULT policy [IN MA|PA] [FROM turn] [UNTIL turn]"),
	scopeVerb("HEX", "HEX hexes policy [IN MA|PA] [FROM turn] [UNTIL turn]"),
	scopeVerb("AREA", "AREA hex-hex policy [IN MA|PA] [FROM turn] [UNTIL turn]"),
	scopeVerb("ROWS", "ROWS row-row policy [IN MA|PA] [FROM turn] [UNTIL turn]"),
	scopeVerb("UNIT", "UNIT units policy [IN MA|PA] [FROM turn] [UNTIL turn]"),
}

func (r *reader) standing(scope string) game.Standing {
	s := game.Standing{Scope: game.Scope{Kind: scope}}
	switch scope {
	case "HEX":
		s.Scope.Hexes = r.hexList()
	case "AREA":
		s.Scope.A = r.hex()
		r.Expect("-")
		s.Scope.B = r.hex()
	case "ROWS":
		s.Scope.A = r.row()
		r.Expect("-")
		s.Scope.B = r.row()
	case "UNIT":
		s.Scope.Units = r.unitList()
	}
	r.Accept(":")
	r.policy(&s)
	for !r.failed() {
		w, ok := r.AcceptAny("IN", "FROM", "UNTIL")
		if !ok {
			break
		}
		switch w {
		case "IN":
			s.In, _ = r.Expect("MA", "PA")
		case "FROM":
			s.From = r.turn()
		case "UNTIL":
			s.Until = r.turn()
		}
	}
	if s.From > 0 && s.Until > 0 && s.From > s.Until {
		r.fail("turn", "b41.read.turns", "from", s.From, "until", s.Until)
	}
	return s
}

// row takes the letter of a row; it is a hex without a number.
func (r *reader) row() hex.Coord {
	t := r.Peek()
	c, err := hex.Parse(t.Text + "1")
	if err != nil || t.Kind != orders.Word {
		r.fail("row", "b41.read.row", "got", t.Text)
		return hex.Coord{}
	}
	r.Next()
	c.Num = 0
	return c
}

var (
	stances       = []string{"HOLD", "STAND", "KEEP", "BALANCE", "YIELD", "AUTO"}
	otherPolicies = []string{"LOSE", "SPARE", "SPREAD", "CONCENTRATE", "NOKILL", "RETREAT", "COUNTERADVANCE", "AIR", "AIRSUPPLY", "HEDGEHOG", "MSU", "TOP"}
)

// policy reads what a standing line wants.
func (r *reader) policy(s *game.Standing) {
	p := &s.Policy
	w, ok := r.Expect(append(stances[:len(stances):len(stances)], otherPolicies...)...)
	if !ok {
		return
	}
	if in(w, stances) {
		p.Stance = w
		switch {
		case w == "KEEP":
			p.N = r.number("steps", 1, 99)
		case w == "HOLD":
			p.N = -1
			if r.Peek().Kind == orders.Int {
				p.N = r.number("increments", 0, 99)
			}
		}
		r.modifiers(s)
		return
	}
	switch w {
	case "LOSE":
		p.Lose = r.unitList()
	case "SPARE":
		if word, ok := r.AcceptAny("PANZERS", "SHOCK"); ok {
			p.SpareWord = word
		} else {
			p.Spare = r.unitList()
		}
	case "SPREAD", "CONCENTRATE", "NOKILL":
		p.Losses = w
	case "RETREAT":
		pol := r.retreat()
		p.Retreat = &pol
	case "COUNTERADVANCE":
		p.Counter = r.counterAdvance()
	case "AIR":
		p.Air = r.airPolicy()
	case "AIRSUPPLY":
		p.AirSupply = r.airSupplyPolicy()
	case "HEDGEHOG":
		p.Hedgehog = r.hedgehogPolicy()
	case "MSU":
		r.Expect("FALLBACK")
		p.MSU, _ = r.Expect("EAST", "TOWARD", "BOX")
		if p.MSU == "TOWARD" {
			p.MSUToward = r.hex()
		}
	case "TOP":
		p.Top = r.unit()
	}
}

// modifiers reads UNLESS and IF behind a stance. IF MA is IN MA.
func (r *reader) modifiers(s *game.Standing) {
	p := &s.Policy
	for !r.failed() {
		switch {
		case r.Accept("UNLESS"):
			r.Accept("RETREAT")
			if w, ok := r.Expect("OOS", "LOST", "ALONE"); ok {
				p.Unless = append(p.Unless, "RETREAT "+w)
			}
		case r.Accept("IF"):
			w, _ := r.Expect("VP", "CITY", "TOWN", "FORT", "ODDS", "MA", "PA")
			switch w {
			case "ODDS":
				o := r.odds()
				p.IfOdds = &o
			case "MA", "PA":
				s.In = w
			case "":
			default:
				p.If = append(p.If, w)
			}
		default:
			return
		}
	}
}

func (r *reader) counterAdvance() *game.CounterAdvance {
	c := &game.CounterAdvance{}
	switch w, _ := r.AcceptAny("ALWAYS", "NEVER", "IF"); w {
	case "IF":
		c.When, _ = r.Expect("VP", "TOWN")
	case "":
		if !r.isWord("WITH", "LEAVE") {
			r.Expect("ALWAYS", "NEVER", "IF")
		}
		c.When = "ALWAYS"
	default:
		c.When = w
	}
	if r.Accept("WITH") {
		c.With = r.unitList()
	}
	if r.Accept("LEAVE") {
		c.Leave = r.number("units", 1, 9)
	}
	return c
}

func (r *reader) airPolicy() *game.AirPolicy {
	if w, _ := r.Expect("DEFEND", "RESERVE"); w == "RESERVE" {
		return &game.AirPolicy{Reserve: r.number("air points", 0, 99)}
	}
	a := &game.AirPolicy{Reserve: -1}
	switch {
	case r.Peek().Kind == orders.Int:
		a.N = r.number("air points", 0, 99)
	default:
		switch w, _ := r.Expect("MATCH", "NET", "NEVER"); w {
		case "MATCH":
			a.Match = true
		case "NET":
			a.IsNet = true
			r.Accept("+")
			a.Net = r.number("air points", 0, 99)
		case "NEVER":
			a.Never = true
		}
	}
	if r.Accept("MAX") {
		a.Max = r.number("air points", 1, 99)
	}
	a.IfOdds = r.oddsIf()
	for r.Accept("AT") {
		for !r.failed() {
			r.Accept(",")
			switch {
			case r.Accept("VP"):
				a.AtVP = true
			case r.Accept("CITY"):
				a.AtCity = true
			case r.hexAhead():
				a.At = append(a.At, r.hex())
			default:
				if !a.AtVP && !a.AtCity && len(a.At) == 0 {
					r.Expect("VP", "CITY")
				}
				return a
			}
		}
	}
	return a
}

func (r *reader) airSupplyPolicy() *game.AirSupplyPolicy {
	a := &game.AirSupplyPolicy{Reserve: -1}
	switch w, _ := r.Expect("AUTO", "RESERVE", "NEVER"); w {
	case "NEVER":
		a.Never = true
	case "RESERVE":
		a.Reserve = r.number("corps", 0, 4)
	case "AUTO":
		a.Auto = true
		if r.Accept("PRIORITY") {
			a.Priority = r.hexList()
		}
		if r.Accept("WHEN") {
			if w, _ := r.Expect("OOS", "PENALTY"); w == "OOS" {
				a.WhenOOS = true
			} else {
				c := r.compare()
				a.When = &c
			}
		}
	}
	return a
}

func (r *reader) hedgehogPolicy() *game.HedgehogPolicy {
	h := &game.HedgehogPolicy{}
	switch {
	case r.Accept("NEVER"):
		h.Never = true
	case r.Accept("PRIORITY"):
		h.Priority = r.hexList()
	default:
		h.IfAttacked = r.hexList()
		r.Expect("IF")
		r.Expect("ATTACKED")
	}
	if r.Accept("IF") {
		r.Expect("STEPS")
		c := r.compare()
		h.IfSteps = &c
	}
	return h
}

func formatStanding(b *writer, c any) bool {
	s, ok := c.(game.Standing)
	if !ok {
		return false
	}
	b.word(s.Scope.Kind)
	switch s.Scope.Kind {
	case "HEX":
		b.hexes(s.Scope.Hexes, " ")
	case "AREA":
		b.hexes([]hex.Coord{s.Scope.A, s.Scope.B}, "-")
	case "ROWS":
		b.word(hex.RowName(int(s.Scope.A.Row)))
		b.glue("-" + hex.RowName(int(s.Scope.B.Row)))
	case "UNIT":
		b.ids(s.Scope.Units)
	}
	b.policy(s.Policy)
	if s.In != "" {
		b.word("IN", s.In)
	}
	if s.From > 0 {
		b.word("FROM T")
		b.glueNumber(s.From)
	}
	if s.Until > 0 {
		b.word("UNTIL T")
		b.glueNumber(s.Until)
	}
	return true
}

func (b *writer) policy(p game.Policy) {
	switch {
	case p.Stance != "":
		b.word(p.Stance)
		if p.Stance == "KEEP" || p.Stance == "HOLD" && p.N >= 0 {
			b.number(p.N)
		}
		for _, u := range p.Unless {
			b.word("UNLESS", u)
		}
		for _, w := range p.If {
			b.word("IF", w)
		}
		if p.IfOdds != nil {
			b.oddsIf(*p.IfOdds)
		}
	case len(p.Lose) > 0:
		b.word("LOSE")
		b.ids(p.Lose)
	case len(p.Spare) > 0:
		b.word("SPARE")
		b.ids(p.Spare)
	case p.SpareWord != "":
		b.word("SPARE", p.SpareWord)
	case p.Losses != "":
		b.word(p.Losses)
	case p.Retreat != nil:
		b.retreat(*p.Retreat)
	case p.Counter != nil:
		c := p.Counter
		b.word("COUNTERADVANCE")
		if c.When == "VP" || c.When == "TOWN" {
			b.word("IF")
		}
		b.word(c.When)
		if len(c.With) > 0 {
			b.word("WITH")
			b.ids(c.With)
		}
		if c.Leave > 0 {
			b.word("LEAVE")
			b.number(c.Leave)
		}
	case p.Air != nil:
		b.airPolicy(*p.Air)
	case p.AirSupply != nil:
		b.airSupplyPolicy(*p.AirSupply)
	case p.Hedgehog != nil:
		b.hedgehogPolicy(*p.Hedgehog)
	case p.MSU != "":
		b.word("MSU FALLBACK", p.MSU)
		if p.MSU == "TOWARD" {
			b.hex(p.MSUToward)
		}
	case p.Top != "":
		b.word("TOP", string(p.Top))
	}
}

func (b *writer) airPolicy(a game.AirPolicy) {
	if a.Reserve >= 0 {
		b.word("AIR RESERVE")
		b.number(a.Reserve)
		return
	}
	b.word("AIR DEFEND")
	switch {
	case a.Never:
		b.word("NEVER")
	case a.Match:
		b.word("MATCH")
	case a.IsNet:
		b.word("NET+")
		b.glueNumber(a.Net)
	default:
		b.number(a.N)
	}
	if a.Max > 0 {
		b.word("MAX")
		b.number(a.Max)
	}
	b.oddsIf(a.IfOdds)
	if a.AtVP || a.AtCity || len(a.At) > 0 {
		b.word("AT")
		b.flag(a.AtVP, "VP")
		b.flag(a.AtCity, "CITY")
		b.hexes(a.At, " ")
	}
}

func (b *writer) airSupplyPolicy(a game.AirSupplyPolicy) {
	b.word("AIRSUPPLY")
	switch {
	case a.Never:
		b.word("NEVER")
	case a.Reserve >= 0:
		b.word("RESERVE")
		b.number(a.Reserve)
	default:
		b.word("AUTO")
		if len(a.Priority) > 0 {
			b.word("PRIORITY")
			b.hexes(a.Priority, " ")
		}
		if a.WhenOOS {
			b.word("WHEN OOS")
		}
		if a.When != nil {
			b.word("WHEN PENALTY")
			b.compare(*a.When)
		}
	}
}

func (b *writer) hedgehogPolicy(h game.HedgehogPolicy) {
	b.word("HEDGEHOG")
	switch {
	case h.Never:
		b.word("NEVER")
	case len(h.Priority) > 0:
		b.word("PRIORITY")
		b.hexes(h.Priority, " ")
	default:
		b.hexes(h.IfAttacked, " ")
		b.word("IF ATTACKED")
	}
	if h.IfSteps != nil {
		b.word("IF STEPS")
		b.compare(*h.IfSteps)
	}
}
