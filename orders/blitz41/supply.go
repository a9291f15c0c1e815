package blitz41

import (
	game "pbemd/engine/blitz41"
	"pbemd/orders"
)

var supplyVerbs = []verb{
	has(orders.Verb{Name: "CONSOLIDATE", Phases: []string{"supply"}, Usage: "CONSOLIDATE five corps | OFF", Key: "b41.help.consolidate"},
		game.Axis, "supply", one((*reader).consolidate)),
	has(orders.Verb{Name: "SEASUPPLY", Aliases: []string{"SEA SUPPLY"}, Phases: []string{"supply"}, Usage: "SEASUPPLY BALTIC|BLACK hex | NONE", Key: "b41.help.seasupply"},
		game.Axis, "supply", one((*reader).seaSupply)),
	has(orders.Verb{Name: "AIRSUPPLY", Aliases: []string{"AIR SUPPLY"}, Usage: "AIRSUPPLY hex [units] [NOW]", Key: "b41.help.airsupply"},
		game.Axis, "supply", one((*reader).airSupply)),
	has(orders.Verb{Name: "HEDGEHOG", Usage: "HEDGEHOG hex [NOW] | REMOVE hex", Key: "b41.help.hedgehog"},
		game.Axis, "supply", one((*reader).hedgehog)),
	has(orders.Verb{Name: "MSU", Phases: []string{"supply", "newunits"}, Usage: "MSU PLACE hex | REMOVE | HOLD", Key: "b41.help.msu"},
		game.Soviet, "supply", one((*reader).msu)),
	has(orders.Verb{Name: "LENINGRAD SUPPLY", Phases: []string{"supply"}, Usage: "LENINGRAD SUPPLY ON|OFF", Key: "b41.help.leningrad"},
		game.Axis, "supply", one((*reader).leningrad)),
}

func (r *reader) consolidate() game.Consolidate {
	if r.Accept("OFF") {
		return game.Consolidate{Off: true}
	}
	return game.Consolidate{Corps: r.unitList()}
}

func (r *reader) sea() bool {
	w, _ := r.Expect("BALTIC", "BLACK")
	r.Accept("SEA")
	return w == "BALTIC"
}

func (r *reader) seaSupply() game.SeaSupply {
	c := game.SeaSupply{Baltic: r.sea()}
	if r.Accept("NONE") {
		c.None = true
	} else {
		c.At = r.hex()
	}
	return c
}

func (r *reader) airSupply() game.AirSupply {
	if r.isWord("AUTO", "RESERVE", "NEVER") {
		r.scopeMissing()
		return game.AirSupply{}
	}
	c := game.AirSupply{At: r.hex()}
	r.Accept(":")
	c.Units = r.optionalUnits()
	c.Now = r.Accept("NOW")
	return c
}

func (r *reader) hedgehog() game.Hedgehog {
	if r.isWord("PRIORITY", "NEVER") {
		r.scopeMissing()
		return game.Hedgehog{}
	}
	if r.Accept("REMOVE") {
		return game.Hedgehog{At: r.hex(), Remove: true}
	}
	c := game.Hedgehog{At: r.hex()}
	if r.isWord("IF") {
		r.scopeMissing()
	}
	c.Now = r.Accept("NOW")
	return c
}

func (r *reader) msu() game.MSU {
	if r.isWord("FALLBACK") {
		r.scopeMissing()
	}
	switch w, _ := r.Expect("PLACE", "REMOVE", "HOLD"); w {
	case "PLACE":
		r.Accept("AT")
		return game.MSU{Place: r.hex()}
	case "REMOVE":
		return game.MSU{Remove: true}
	}
	return game.MSU{Hold: true}
}

func (r *reader) leningrad() game.LeningradSupply {
	w, _ := r.Expect("ON", "OFF")
	return game.LeningradSupply{On: w == "ON"}
}

// scopeMissing finds fault with a policy that doesn't say for what it holds.
func (r *reader) scopeMissing() {
	r.fail("verb", "b41.read.scope", "text", r.Rest())
}

func formatSupply(b *writer, c any) bool {
	switch c := c.(type) {
	case game.Consolidate:
		b.word("CONSOLIDATE")
		if c.Off {
			b.word("OFF")
		} else {
			b.ids(c.Corps)
		}
	case game.SeaSupply:
		b.word("SEASUPPLY")
		b.sea(c.Baltic)
		if c.None {
			b.word("NONE")
		} else {
			b.hex(c.At)
		}
	case game.AirSupply:
		b.word("AIRSUPPLY")
		b.hex(c.At)
		b.units(c.Units)
		b.flag(c.Now, "NOW")
	case game.Hedgehog:
		b.word("HEDGEHOG")
		b.flag(c.Remove, "REMOVE")
		b.hex(c.At)
		b.flag(c.Now && !c.Remove, "NOW")
	case game.MSU:
		b.word("MSU")
		switch {
		case c.Remove:
			b.word("REMOVE")
		case c.Hold:
			b.word("HOLD")
		default:
			b.word("PLACE")
			b.hex(c.Place)
		}
	case game.LeningradSupply:
		b.word("LENINGRAD SUPPLY")
		if c.On {
			b.word("ON")
		} else {
			b.word("OFF")
		}
	default:
		return false
	}
	return true
}
