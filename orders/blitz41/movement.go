package blitz41

import (
	"pbemd/engine"
	game "pbemd/engine/blitz41"
	"pbemd/orders"
)

var movePhase = []string{"move"}

var moveVerbs = []verb{
	has(orders.Verb{Name: "EVACUATE", Phases: movePhase, Usage: "EVACUATE BALTIC|BLACK hex [units]", Key: "b41.help.evacuate"},
		game.Axis, "move", one((*reader).evacuate)),
	has(orders.Verb{Name: "SEAMOVE", Phases: movePhase, Usage: "SEAMOVE COAST TO hex [VIA hexes]", Key: "b41.help.seamove", Clauses: []string{"TO", "VIA"}},
		game.Soviet, "move", one((*reader).seaMove)),
	has(orders.Verb{Name: "AIRDROP", Phases: movePhase, Usage: "AIRDROP 4ABN TO hex", Key: "b41.help.airdrop", Clauses: []string{"TO"}},
		game.Soviet, "move", one((*reader).airdrop)),
	has(orders.Verb{Name: "STACK", Phases: movePhase, Usage: "STACK hex [: units]", Key: "b41.help.stack"},
		"", "move", one((*reader).stack)),
	has(orders.Verb{Name: "DONE", Aliases: []string{"END STACK"}, Phases: movePhase, Usage: "DONE", Key: "b41.help.done"},
		"", "move", one(func(*reader) game.EndStack { return game.EndStack{} })),
	has(orders.Verb{Name: "MOVE", Phases: movePhase, Usage: "MOVE units [FROM hex] path", Key: "b41.help.move", Clauses: pathClauses},
		"", "move", (*reader).move),
	has(orders.Verb{Name: "GO", Phases: movePhase, Usage: "GO path [OBG [BY army]]", Key: "b41.help.go", Clauses: []string{"TO"}},
		"", "move", one((*reader).goOn)),
	has(orders.Verb{Name: "MA", Phases: movePhase, Usage: "MA hex [AIR n] [ALLOUT corps] [LOSS …] [RETREAT …] [AIRSUPPLY]", Key: "b41.help.ma", Clauses: battleClauses},
		"", "assault", one((*reader).mobileAssault)),
	has(orders.Verb{Name: "REPEAT", Phases: movePhase, Usage: "REPEAT [MAX n] [clauses as in MA]", Key: "b41.help.repeat", Clauses: append([]string{"MAX"}, battleClauses...)},
		"", "assault", one((*reader).repeat)),
	has(orders.Verb{Name: "RETURN", Phases: movePhase, Usage: "RETURN", Key: "b41.help.return"},
		"", "move", one(func(*reader) game.Return { return game.Return{} })),
	has(orders.Verb{Name: "SPLIT", Phases: movePhase, Usage: "SPLIT units [AS name]", Key: "b41.help.split"},
		"", "move", one((*reader).split)),
	has(orders.Verb{Name: "WITH", Phases: movePhase, Usage: "WITH name | REST", Key: "b41.help.with"},
		"", "move", one((*reader).with)),
	has(orders.Verb{Name: "LEAVE", Phases: movePhase, Usage: "LEAVE units", Key: "b41.help.leave"},
		"", "move", one(func(r *reader) game.Leave { return game.Leave{Units: r.units()} })),
	has(orders.Verb{Name: "OBG", Phases: movePhase, Usage: "OBG [BY army]", Key: "b41.help.obg"},
		game.Soviet, "move", one((*reader).obg)),
	has(orders.Verb{Name: "STOP", Phases: movePhase, Usage: "STOP", Key: "b41.help.stop"},
		"", "move", one(func(*reader) game.Stop { return game.Stop{} })),
}

func (r *reader) evacuate() game.Evacuate {
	c := game.Evacuate{Baltic: r.sea(), At: r.hex()}
	r.Accept(":")
	c.Units = r.optionalUnits()
	return c
}

func (r *reader) seaMove() game.SeaMove {
	if u := r.unit(); u != "" && u != "COAST" {
		r.fail("unit", "b41.read.only", "verb", "SEAMOVE", "unit", "COAST", "got", string(u))
	}
	r.Expect("TO")
	c := game.SeaMove{To: r.hex()}
	if r.Accept("VIA") {
		c.Via = append(c.Via, r.hex())
		for !r.failed() {
			r.AcceptAny("-", ",")
			if !r.hexAhead() {
				break
			}
			c.Via = append(c.Via, r.hex())
		}
	}
	return c
}

func (r *reader) airdrop() game.Airdrop {
	if u := r.unit(); u != "" && u != "4ABN" {
		r.fail("unit", "b41.read.only", "verb", "AIRDROP", "unit", "4ABN", "got", string(u))
	}
	r.Expect("TO")
	return game.Airdrop{To: r.hex()}
}

func (r *reader) stack() game.Stack {
	c := game.Stack{At: r.hex()}
	if r.Accept(":") {
		c.Units = r.units()
	} else {
		c.Units = r.optionalUnits()
	}
	return c
}

// move reads the one-line form. With a list word it stands for STACK, GO and
// DONE, since only the position knows who is meant.
func (r *reader) move() []engine.Command {
	if r.isWord(listWords...) {
		u := r.units()
		if _, ok := r.Expect("FROM"); !ok {
			return nil
		}
		at := r.hex()
		path := r.path()
		obg := r.obgOnTheWay()
		if r.conditional {
			r.fail("unit", "b41.read.moveword", "word", u.Word)
		}
		return []engine.Command{game.Stack{At: at, Units: u}, game.Go{Path: path, OBG: obg}, game.EndStack{}}
	}
	c := game.Move{Units: r.unitList()}
	if r.Accept("FROM") {
		c.From = r.hex()
		r.Accept("-")
	}
	c.Path = r.path()
	c.OBG = r.obgOnTheWay()
	return []engine.Command{c}
}

func (r *reader) obgOnTheWay() engine.UnitID {
	if !r.Accept("OBG") {
		return ""
	}
	if r.Accept("BY") {
		return r.unit()
	}
	return "*"
}

func (r *reader) goOn() game.Go {
	c := game.Go{Path: r.path()}
	c.OBG = r.obgOnTheWay()
	return c
}

func (r *reader) mobileAssault() game.MobileAssault {
	return game.MobileAssault{At: r.hex(), Options: r.battleOptions()}
}

func (r *reader) repeat() game.Repeat {
	var c game.Repeat
	if r.Accept("MAX") {
		c.Max = r.number("repetitions", 1, 20)
	}
	c.Options = r.battleOptions()
	return c
}

// name takes the name of a group: any word.
func (r *reader) name() string {
	w, _ := r.Word("a name")
	return w
}

func (r *reader) split() game.Split {
	c := game.Split{Units: r.units()}
	if r.Accept("AS") {
		c.As = r.name()
	}
	return c
}

func (r *reader) with() game.With { return game.With{Name: r.name()} }

func (r *reader) obg() game.FormOBG {
	if r.Accept("BY") {
		return game.FormOBG{By: r.unit()}
	}
	return game.FormOBG{}
}

func formatMove(b *writer, c any) bool {
	onTheWay := func(u engine.UnitID) {
		switch u {
		case "":
		case "*":
			b.word("OBG")
		default:
			b.word("OBG BY", string(u))
		}
	}
	switch c := c.(type) {
	case game.Evacuate:
		b.word("EVACUATE")
		b.sea(c.Baltic)
		b.hex(c.At)
		b.units(c.Units)
	case game.SeaMove:
		b.word("SEAMOVE COAST TO")
		b.hex(c.To)
		if len(c.Via) > 0 {
			b.word("VIA")
			b.hexes(c.Via, "-")
		}
	case game.Airdrop:
		b.word("AIRDROP 4ABN TO")
		b.hex(c.To)
	case game.Stack:
		b.word("STACK")
		b.hex(c.At)
		b.listed(c.Units)
	case game.EndStack:
		b.word("DONE")
	case game.Move:
		b.word("MOVE")
		b.ids(c.Units)
		if !c.From.IsZero() {
			b.word("FROM")
			b.hex(c.From)
		}
		b.path(c.Path)
		onTheWay(c.OBG)
	case game.Go:
		b.word("GO")
		b.path(c.Path)
		onTheWay(c.OBG)
	case game.MobileAssault:
		b.word("MA")
		b.hex(c.At)
		b.options(c.Options)
	case game.Repeat:
		b.word("REPEAT")
		if c.Max > 0 {
			b.word("MAX")
			b.number(c.Max)
		}
		b.options(c.Options)
	case game.Return:
		b.word("RETURN")
	case game.Split:
		b.word("SPLIT")
		b.units(c.Units)
		if c.As != "" {
			b.word("AS", c.As)
		}
	case game.With:
		b.word("WITH", c.Name)
	case game.Leave:
		b.word("LEAVE")
		b.units(c.Units)
	case game.FormOBG:
		b.word("OBG")
		if c.By != "" {
			b.word("BY", string(c.By))
		}
	case game.Stop:
		b.word("STOP")
	default:
		return false
	}
	return true
}
