package blitz41

import (
	"fmt"
	"strconv"
	"strings"

	"pbemd/engine"
	"pbemd/engine/chart"
	"pbemd/engine/hex"
)

// Preview implements [engine.Game]: what an assault would be worth as far as
// its sender can see. It reads nothing that lies beneath an enemy's top unit.
//
// Rule B41-13.2, B41-A81.
func (r *Rules) Preview(pos engine.Position, o engine.Order) []engine.Item {
	p := pos.(*Position)
	switch o.Command.(type) {
	case Attack, MobileAssault, Repeat:
	default:
		return nil
	}
	x, ok := p.previewBattle(o)
	if !ok {
		return nil
	}
	at := make([]hex.Coord, len(x.At))
	places := make([]string, len(x.At))
	for i, h := range x.At {
		at[i], places[i] = p.d.Board.At(h), p.hexName(h)
	}
	c := &engine.Card{
		At: names(at), Terrain: p.ground(at), Factors: x.Factors,
		Title: engine.T("b41.check."+x.Kind, "hexes", places),
	}
	army := func(side uint8, list []strength, text engine.Text) engine.Army {
		a := engine.Army{Side: sideOf(side), Strength: text}
		for _, s := range list {
			f := p.face(s.u)
			supply := engine.T("b41.card.supply.full")
			if s.st.Percent() > 0 {
				supply = engine.T("b41.card.supply.part", "percent", s.st.Percent())
			}
			a.Units = append(a.Units, engine.Fought{
				Unit: p.unit(s.u).ID, Name: p.unit(s.u).Name, Hex: p.d.Board.At(p.At(s.u)).String(),
				Face: fmt.Sprintf("%d-%d-%d", f[0], f[1], f[2]), Steps: p.stepsSeen(s.u, number(o.Side)), Supply: supply,
			})
		}
		return a
	}
	side := number(o.Side)
	c.Attacker = army(side, x.Attackers, engine.T("b41.card.strength", "n", x.Attack))
	low, high := p.d.Columns.Name(x.Odds[0]), p.d.Columns.Name(x.Odds[1])
	if x.Exact {
		c.Defender = army(enemyOf(side), x.Seen, engine.T("b41.card.strength", "n", x.Defence[0]))
		c.Odds = engine.T("b41.card.odds", "attack", x.Attack, "defence", x.Defence[0], "odds", low)
		c.Possible = append(c.Possible, p.atOdds("b41.check.results", side, x.Odds[0], x.Results[0]))
	} else {
		c.Defender = army(enemyOf(side), x.Seen, engine.T("b41.check.range", "least", x.Defence[0], "most", x.Defence[1]))
		c.Odds = engine.T("b41.check.odds", "attack", x.Attack, "least", x.Defence[0], "most", x.Defence[1], "best", low, "worst", high)
		c.Possible = append(c.Possible, p.atOdds("b41.check.best", side, x.Odds[0], x.Results[0]))
		for _, o := range x.Between {
			c.Possible = append(c.Possible, p.atOdds("b41.check.between", side, o.Odds, o.Results))
		}
		if x.Odds[1] != x.Odds[0] {
			c.Possible = append(c.Possible, p.atOdds("b41.check.worst", side, x.Odds[1], x.Results[1]))
		}
	}
	return []engine.Item{{Rule: "B41-14.3.A", Side: o.Side, Text: c.Title, Card: c}}
}

// atOdds says what each die brings at a column, or what happens without a die.
//
// Rule B41-14.3.B, B41-14.3.C.
func (p *Position) atOdds(key string, side uint8, o chart.Odds, byDie []Result) engine.Text {
	switch {
	case o < 0:
		return engine.T("b41.check.below", "side", string(sideOf(side)))
	case byDie == nil:
		return engine.T("b41.check.dx", "odds", p.d.Columns.Name(o))
	}
	return engine.T(key, "odds", p.d.Columns.Name(o), "results", results(byDie))
}

// stepsSeen is the steps of a unit as far as a side may count them: an enemy's
// face is open, its steps are what the face says.
func (p *Position) stepsSeen(u int, viewer uint8) int {
	if p.unit(u).Side == viewer {
		return p.Steps(u)
	}
	return 0
}

// results lists what each die would bring.
func results(byDie []Result) string {
	if byDie == nil {
		return "–"
	}
	var out []string
	for die := 1; die < len(byDie); die++ {
		out = append(out, strconv.Itoa(die)+": "+byDie[die].String())
	}
	return strings.Join(out, " · ")
}
