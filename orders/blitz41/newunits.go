package blitz41

import (
	"pbemd/engine"
	game "pbemd/engine/blitz41"
	"pbemd/orders"
)

var newPhase = []string{"newunits"}

var newUnitVerbs = []verb{
	has(orders.Verb{Name: "RVGK", Phases: newPhase, Usage: "RVGK IN units | OUT unit TO hex, unit TO hex …", Key: "b41.help.rvgk"},
		game.Soviet, "newunits", one((*reader).rvgk)),
	has(orders.Verb{Name: "BUILD", Aliases: []string{"REBUILD"}, Phases: newPhase, Usage: "BUILD unit [STEPS n] AT hex | RVGK [WITH MECH|NONMECH|ROMANIAN|SOVIET]", Key: "b41.help.build", Clauses: []string{"AT", "STEPS"}},
		"", "newunits", one((*reader).build)),
	has(orders.Verb{Name: "REPLACE", Phases: newPhase, Usage: "REPLACE unit +n [WITH MECH|NONMECH|ROMANIAN|SOVIET]", Key: "b41.help.replace"},
		"", "newunits", one((*reader).replace)),
	has(orders.Verb{Name: "CONVERT", Phases: newPhase, Usage: "CONVERT army TO shock army [+n]", Key: "b41.help.convert", Clauses: []string{"TO"}},
		game.Soviet, "newunits", one((*reader).convert)),
	has(orders.Verb{Name: "DISBAND MECH", Phases: newPhase, Usage: "DISBAND MECH", Key: "b41.help.disband"},
		game.Soviet, "newunits", one(func(*reader) game.DisbandMech { return game.DisbandMech{} })),
	has(orders.Verb{Name: "PLACE PART", Aliases: []string{"PLACE PARTISAN", "PLACE PARTISANS"}, Phases: []string{"newunits", "move"}, Usage: "PLACE PART hex", Key: "b41.help.part"},
		game.Soviet, "newunits", one((*reader).placePart)),
	has(orders.Verb{Name: "HOLD PART", Aliases: []string{"HOLD PARTISAN", "HOLD PARTISANS"}, Phases: []string{"newunits", "move"}, Usage: "HOLD PART", Key: "b41.help.part"},
		game.Soviet, "newunits", one(func(*reader) game.PlacePart { return game.PlacePart{Hold: true} })),
	has(orders.Verb{Name: "REENTER", Phases: newPhase, Usage: "REENTER units AT hex", Key: "b41.help.reenter", Clauses: []string{"AT"}},
		game.Axis, "newunits", one((*reader).reenter)),
}

func (r *reader) rvgk() engine.Command {
	switch w, _ := r.Expect("IN", "OUT"); w {
	case "IN":
		return game.RVGKIn{Units: r.unitList()}
	}
	var c game.RVGKOut
	for !r.failed() {
		c.Units = append(c.Units, r.unit())
		if _, ok := r.Expect("TO"); !ok {
			break
		}
		c.To = append(c.To, r.hex())
		s := *r.Cursor
		r.AcceptAny(",", "AND")
		if _, n := r.unitAhead(true); n == 0 {
			*r.Cursor = s
			break
		}
	}
	return c
}

var pools = []string{"MECH", "NONMECH", "ROMANIAN", "SOVIET"}

func (r *reader) pool() string {
	if !r.Accept("WITH") {
		return ""
	}
	w, _ := r.Expect(pools...)
	return w
}

func (r *reader) build() game.Build {
	c := game.Build{Unit: r.unit()}
	if r.Accept("STEPS") {
		c.Steps = r.number("steps", 1, 9)
	}
	w, _ := r.Expect("AT", "RVGK", "IN")
	if w != "RVGK" && !r.Accept("RVGK") {
		c.At = r.hex()
	}
	c.Pool = r.pool()
	return c
}

func (r *reader) plus() int {
	r.Accept("+")
	return r.number("steps", 1, 9)
}

func (r *reader) replace() game.Replace {
	c := game.Replace{Unit: r.unit()}
	r.Accept("STEPS")
	c.Steps = r.plus()
	c.Pool = r.pool()
	return c
}

func (r *reader) convert() game.Convert {
	c := game.Convert{From: r.unit()}
	r.Expect("TO")
	c.To = r.unit()
	if !r.Done() && !r.isWord("ELSE") {
		c.Steps = r.plus()
	}
	return c
}

func (r *reader) placePart() game.PlacePart {
	r.AcceptAny("AT", "IN")
	return game.PlacePart{At: r.hex()}
}

func (r *reader) reenter() game.Reenter {
	c := game.Reenter{Units: r.unitList()}
	r.Expect("AT")
	c.At = r.hex()
	return c
}

func formatNewUnits(b *writer, c any) bool {
	pool := func(p string) {
		if p != "" {
			b.word("WITH", p)
		}
	}
	switch c := c.(type) {
	case game.RVGKIn:
		b.word("RVGK IN")
		b.ids(c.Units)
	case game.RVGKOut:
		b.word("RVGK OUT")
		for i, u := range c.Units {
			if i > 0 {
				b.glue(",")
			}
			b.word(string(u), "TO")
			b.hex(c.To[i])
		}
	case game.Build:
		b.word("BUILD", string(c.Unit))
		if c.Steps > 0 {
			b.word("STEPS")
			b.number(c.Steps)
		}
		if c.At.IsZero() {
			b.word("RVGK")
		} else {
			b.word("AT")
			b.hex(c.At)
		}
		pool(c.Pool)
	case game.Replace:
		b.word("REPLACE", string(c.Unit), "+")
		b.glueNumber(c.Steps)
		pool(c.Pool)
	case game.Convert:
		b.word("CONVERT", string(c.From), "TO", string(c.To))
		if c.Steps > 0 {
			b.word("+")
			b.glueNumber(c.Steps)
		}
	case game.DisbandMech:
		b.word("DISBAND MECH")
	case game.PlacePart:
		if c.Hold {
			b.word("HOLD PART")
		} else {
			b.word("PLACE PART")
			b.hex(c.At)
		}
	case game.Reenter:
		b.word("REENTER")
		b.ids(c.Units)
		b.word("AT")
		b.hex(c.At)
	default:
		return false
	}
	return true
}
