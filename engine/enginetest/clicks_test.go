package enginetest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pbemd/engine"
	"pbemd/engine/blitz41"
	"pbemd/engine/hex"
)

// TestChoicesAreTheLegalOrders: over whole games what is listed can be done,
// and at many points of them all that can be done, of the kinds that are listed,
// is in the list.
func TestChoicesAreTheLegalOrders(t *testing.T) {
	d := shipped(t)
	games := uint64(4)
	if testing.Short() {
		games = 1
	}
	steps, listed, compared := 0, 0, 0
	kinds := map[string]int{}
	for seed := uint64(1); seed <= games; seed++ {
		c, err := NewClicks(blitz41.New(d, B41Options(seed+2)), seed)
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; ; n++ {
			if n%37 == 0 {
				compared++
				compare(t, d, c, kinds)
			}
			on, err := c.Step()
			if err != nil {
				t.Fatalf("seed %d, action %d: %v", seed, n, err)
			}
			if !on {
				t.Logf("seed %d: %v, %d actions", seed, c.Position.State(), n)
				break
			}
			steps++
		}
		listed += c.Listed
	}
	t.Logf("%d games, %d actions of %d choices, %d lists compared: %v", games, steps, listed, compared, kinds)
}

// compare tries every order of the kinds that are listed.
func compare(t *testing.T, d *blitz41.Data, c *Clicks, kinds map[string]int) {
	t.Helper()
	p := c.Position.(*blitz41.Position)
	want := map[string]bool{}
	for _, cmd := range candidates(d, p) {
		o := engine.Order{Line: 1, Side: p.State().Side, Command: cmd}
		_, _, err := engine.Do(c.Game, p, c.Events, o, engine.Env{}, nil)
		var no *engine.Refusal
		switch {
		case err == nil || engine.Dicey(err):
			want[fmt.Sprintf("%T%+v", cmd, cmd)] = true
			kinds[fmt.Sprintf("%T", cmd)]++
		case !errors.As(err, &no):
			t.Fatal(err)
		}
	}
	got := map[string]bool{}
	for _, x := range c.List() {
		switch cmd := c.Game.Order(p, x).Command.(type) {
		case blitz41.Attack:
			if len(cmd.From) == 1 {
				got[fmt.Sprintf("%T%+v", cmd, cmd)] = true
			}
		case blitz41.Consolidate:
			if cmd.Off {
				got[fmt.Sprintf("%T%+v", cmd, cmd)] = true
			}
		default:
			got[fmt.Sprintf("%T%+v", cmd, cmd)] = true
		}
	}
	for _, w := range slices.Sorted(maps.Keys(want)) {
		if !got[w] {
			t.Errorf("%v: legal and not listed: %s", p.State(), w)
		}
	}
	for _, g := range slices.Sorted(maps.Keys(got)) {
		if !want[g] {
			t.Errorf("%v: listed and not legal: %s", p.State(), g)
		}
	}
}

// candidates are the orders that could be listed, sensible or not.
func candidates(d *blitz41.Data, p *blitz41.Position) []engine.Command {
	s := p.State()
	side := sideNumber(s.Side)
	b := d.Board
	out := []engine.Command{engine.EndPhase{}}
	add := func(c ...engine.Command) { out = append(out, c...) }
	var hexes []hex.Coord
	for h := 0; h < b.Len(); h++ {
		hexes = append(hexes, b.At(h))
	}
	around := func(at hex.Coord) (list []hex.Coord) {
		for _, n := range b.Neighbours(b.Index(at)) {
			if n >= 0 {
				list = append(list, b.At(n))
			}
		}
		return list
	}
	var own, off []engine.UnitID
	stands := map[engine.UnitID]hex.Coord{}
	many := map[hex.Coord]int{}
	for u := range d.Units {
		if d.Units[u].Side != side {
			continue
		}
		id := d.Units[u].ID
		if p.At(u) < 0 {
			off = append(off, id)
			continue
		}
		own = append(own, id)
		stands[id] = b.At(p.At(u))
		many[stands[id]]++
	}
	one := func(id engine.UnitID) blitz41.Units { return blitz41.Units{IDs: []engine.UnitID{id}} }
	anyTime := func() {
		if side != 1 {
			return
		}
		for _, id := range own {
			add(blitz41.AirSupply{At: stands[id], Units: one(id), Now: true})
		}
		for _, h := range hexes {
			if b.Any(b.Index(h), blitz41.Town) {
				add(blitz41.Hedgehog{At: h, Now: true})
				if s.Phase == "supply" {
					add(blitz41.Hedgehog{At: h, Remove: true})
				}
			}
		}
	}
	if s.Phase != "move" || !p.Stacked() {
		anyTime()
	}
	switch s.Phase {
	case "supply":
		if side == 2 {
			add(blitz41.MSU{Hold: true}, blitz41.MSU{Remove: true})
			for _, h := range hexes {
				add(blitz41.MSU{Place: h})
			}
			break
		}
		add(blitz41.Consolidate{Off: true}, blitz41.LeningradSupply{On: true}, blitz41.LeningradSupply{})
		for _, baltic := range []bool{true, false} {
			add(blitz41.SeaSupply{Baltic: baltic, None: true})
			for _, h := range hexes {
				add(blitz41.SeaSupply{Baltic: baltic, At: h})
			}
		}
	case "newunits":
		for _, id := range append(slices.Clone(own), off...) {
			v := &d.Units[d.Unit(id)]
			pools := []string{""}
			if v.German() && !v.Mech() {
				pools = append(pools, blitz41.PoolMech)
			}
			steps := 1
			if v.Kind == "automatic" {
				steps, pools = 0, []string{""}
			}
			for _, pool := range pools {
				add(blitz41.Replace{Unit: id, Steps: 1, Pool: pool})
				if stands[id].IsZero() {
					for _, h := range hexes {
						if b.Any(b.Index(h), blitz41.Place|blitz41.Zomo|blitz41.Port) || b.Index(h) == p.At(d.Unit("MSU")) || id == "MSU" {
							add(blitz41.Build{Unit: id, Steps: steps, At: h, Pool: pool})
						}
					}
					if v.Kind != "automatic" || id == "MSU" {
						add(blitz41.Build{Unit: id, Steps: steps, Pool: pool})
					}
				}
			}
			if side == 2 {
				add(blitz41.RVGKIn{Units: []engine.UnitID{id}})
			}
		}
		for _, id := range off {
			for _, h := range hexes {
				at := b.Index(h)
				if side == 1 && b.Any(at, blitz41.Zomo) {
					add(blitz41.Reenter{Units: []engine.UnitID{id}, At: h})
				}
				if side == 2 && (b.Any(at, blitz41.Place) || at == p.At(d.Unit("MSU"))) {
					add(blitz41.RVGKOut{Units: []engine.UnitID{id}, To: []hex.Coord{h}})
				}
			}
		}
		if side == 2 {
			add(blitz41.DisbandMech{})
			if d.Turns != nil && p.Held("PART") {
				add(blitz41.PlacePart{Hold: true})
			}
			for _, h := range hexes {
				add(blitz41.PlacePart{At: h})
			}
			for _, from := range append(slices.Clone(own), off...) {
				for _, to := range off {
					if d.Units[d.Unit(to)].Shock() {
						add(blitz41.Convert{From: from, To: to})
					}
				}
			}
		}
	case "move":
		if p.Stacked() {
			out = nil
			add(blitz41.EndStack{}, blitz41.Stop{}, blitz41.Return{}, blitz41.Repeat{}, blitz41.FormOBG{})
			hand := p.Hand()
			var at hex.Coord
			for _, id := range hand {
				at = stands[id]
				if len(hand) > 1 {
					add(blitz41.Leave{Units: one(id)})
				}
			}
			if len(hand) > 0 {
				for _, h := range append(around(at), at) {
					if h != at {
						add(blitz41.Go{Path: []blitz41.Step{{Hex: h}}})
					}
					add(blitz41.MobileAssault{At: h})
				}
			}
			break
		}
		for _, id := range own {
			add(blitz41.Stack{At: stands[id], Units: one(id)})
			if many[stands[id]] > 1 {
				add(blitz41.Evacuate{Baltic: true, At: stands[id]}, blitz41.Evacuate{At: stands[id]})
			}
			add(blitz41.Evacuate{Baltic: true, At: stands[id], Units: one(id)}, blitz41.Evacuate{At: stands[id], Units: one(id)})
		}
		for h := range many {
			if p.Movable(h) > 1 {
				add(blitz41.Stack{At: h})
			}
		}
		if side == 2 {
			if p.Held("PART") {
				add(blitz41.PlacePart{Hold: true})
			}
			for _, h := range hexes {
				add(blitz41.PlacePart{At: h}, blitz41.SeaMove{To: h}, blitz41.Airdrop{To: h})
			}
		}
	case "assault":
		for _, id := range own {
			at := stands[id]
			for _, h := range around(at) {
				from := blitz41.Origin{At: at, Units: one(id)}
				add(blitz41.Attack{At: []hex.Coord{h}, From: []blitz41.Origin{from}}, blitz41.Probe{At: h, From: from})
				if p.Attackers(at, h) > 1 {
					from.Units = blitz41.Units{}
					add(blitz41.Attack{At: []hex.Coord{h}, From: []blitz41.Origin{from}}, blitz41.Probe{At: h, From: from})
				}
			}
		}
	}
	return out
}

func BenchmarkRandomPlay(b *testing.B) {
	d := shipped(b)
	b.ReportAllocs()
	actions, listed, seed := 0, 0, uint64(0)
	clock := newClock()
	for b.Loop() {
		seed++
		c, err := NewClicks(blitz41.New(d, blitz41.Options{}), seed)
		if err != nil {
			b.Fatal(err)
		}
		for on := true; on; {
			if on, err = c.Step(); err != nil {
				b.Fatal(err)
			}
		}
		actions += len(c.Orders)
		listed += c.Listed
	}
	clock.report(b, actions, "actions")
	b.ReportMetric(float64(listed)/float64(actions), "choices/action")
	b.ReportMetric(float64(actions)/float64(seed), "actions/game")
}

// BenchmarkReapplyChoices carries the orders of such games out again.
func BenchmarkReapplyChoices(b *testing.B) {
	d := shipped(b)
	g := blitz41.New(d, blitz41.Options{})
	c, err := NewClicks(g, 1)
	if err != nil {
		b.Fatal(err)
	}
	for on := true; on; {
		if on, err = c.Step(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	n := 0
	clock := newClock()
	for b.Loop() {
		env := engine.Env{Dice: seeded(1)}
		p, events, _ := engine.Begin(g, env)
		seq := len(events)
		for _, o := range c.Orders {
			next, events, err := engine.Do(g, p, seq, o, env, nil)
			if err != nil {
				b.Fatal(err)
			}
			p, seq = next, seq+len(events)
		}
		if seq != c.Events {
			b.Fatalf("%d events, not %d", seq, c.Events)
		}
		n += len(c.Orders)
	}
	clock.report(b, n, "orders")
	b.ReportMetric(float64(len(c.Orders)), "orders/game")
}
