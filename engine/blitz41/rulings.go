package blitz41

import (
	"slices"

	"pbemd/engine"
)

// Reading is a ruling that has another reading about as good, which a game may
// be begun with. Its sentences are templates: b41.option.<id> is the question,
// b41.option.<id>.default what is played, b41.option.<id>.other what is played
// if the ruling is among the options' Other.
type Reading struct {
	ID      engine.RuleID
	Rule    engine.RuleID // the paragraph in doubt
	Key     string
	Default string
	Other   string
}

// Readings lists the rulings that are options, in the order of RULINGS.md.
var Readings = readings(
	"B41-A13", "B41-5.2.D",
	"B41-A22", "B41-9.19",
	"B41-A25", "B41-12.22.B",
	"B41-A27", "B41-5.11.A",
	"B41-A30", "B41-14.39.4",
	"B41-A31", "B41-6.22.B",
	"B41-A33", "B41-7.2.A",
	"B41-A36", "B41-5.12.E",
	"B41-A42", "B41-14.39.7.B",
	"B41-A43", "B41-5.18.A",
	"B41-A55", "B41-14.37",
	"B41-A74", "B41-15.5",
	"B41-A121", "B41-9.24.C",
	"B41-A131", "B41-6.10.B",
	"B41-A132", "B41-6.19",
)

func readings(pairs ...engine.RuleID) []Reading {
	var out []Reading
	for i := 0; i < len(pairs); i += 2 {
		key := "b41.option." + pairs[i].Number()
		out = append(out, Reading{pairs[i], pairs[i+1], key, key + ".default", key + ".other"})
	}
	return out
}

// CheckOptions refuses options that don't exist.
func CheckOptions(o Options) error {
	for i, id := range o.Other {
		if !slices.ContainsFunc(Readings, func(r Reading) bool { return r.ID == id }) {
			return engine.Refuse(id, "b41.option.unknown", "id", string(id))
		}
		if slices.Contains(o.Other[:i], id) {
			return engine.Refuse(id, "b41.option.twice", "id", string(id))
		}
	}
	return nil
}

// alt reports whether a ruling is played by its other reading.
func (p *Position) alt(id engine.RuleID) bool { return slices.Contains(p.opt.Other, id) }
