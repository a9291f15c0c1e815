package blitz41

import (
	"testing"

	"pbemd/engine"
)

func TestAirPoints(t *testing.T) {
	f := func(t *testing.T, lines ...string) *field { return battlefield(t, lines...) }
	t.Run("B41-X123", func(t *testing.T) {
		g := f(t, "turn 3 axis assault", "H18 56PZ 4", "H17 24A 2")
		g.refused("14.39.2.C", attack("H17 FROM H18: 56PZ", BattleOptions{Air: 3}))
		if e := g.do(attack("H17 FROM H18: 56PZ", BattleOptions{Air: 2})); e.Air != [2]int{2, 0} || amount(e, "14.39.2.H") != "+2" {
			t.Errorf("%v %v", e.Air, e.Factors)
		}
		if g.p.air[axis] != g.p.d.Turns[3].AxisAir-2 {
			t.Errorf("%d left", g.p.air[axis])
		}
	})
	t.Run("B41-14.39.2.B", func(t *testing.T) {
		g := f(t, "turn 3 axis assault", "H18 56PZ 4", "H17 24A 2", "air axis 1")
		g.refused("14.39.2.B", attack("H17 FROM H18: 56PZ", BattleOptions{Air: 2}))
	})
	t.Run("B41-X125", func(t *testing.T) {
		// Only K18, near one of the two origin hexes, is in full supply.
		g := f(t, "turn 1 axis assault")
		from := []int{g.p.named("H18"), g.p.named("H10")}
		if g.p.airMost(axis, from, nil) == 0 || g.p.airMost(axis, from[1:], nil) != 0 {
			t.Errorf("%d, %d", g.p.airMost(axis, from, nil), g.p.airMost(axis, from[1:], nil))
		}
	})
	t.Run("B41-X126", func(t *testing.T) {
		g := f(t, "turn 3 axis assault", "A13 13G 3", "C9 5G 3")
		a13, c9 := []int{g.p.named("A13")}, []int{g.p.named("C9")}
		if n := g.p.airMost(axis, a13, []int{g.u("13G")}); n != 1 {
			t.Errorf("A13: %d, want 1", n)
		}
		if n := g.p.airMost(axis, c9, []int{g.u("5G")}); n != 0 {
			t.Errorf("C9: %d, want 0", n)
		}
	})
	t.Run("B41-X126/orders", func(t *testing.T) {
		g := f(t, "turn 3 axis assault", "A13 13G 3", "B13 24A 2")
		g.refused("14.39.2.F", attack("B13 FROM A13: 13G", BattleOptions{Air: 2}))
		if e := g.do(attack("B13 FROM A13: 13G", BattleOptions{Air: 1})); e.Air[0] != 1 && !e.Below {
			t.Errorf("%v", e.Air)
		}
	})
	t.Run("B41-X180", func(t *testing.T) { // the defender gets his chance though the attacker uses none
		g := f(t, "turn 5 axis assault", "K8 56PZ 4", "K8 57PZ 4", "K7 24A 2", "air soviet 2")
		e := g.do(attack("K7 FROM K8"))
		if e.Air[0] != 0 {
			t.Errorf("%v", e.Air)
		}
		var asked bool
		for _, ev := range g.events {
			if d, ok := ev.Fact.(engine.Decided); ok && d.Decision == "D03" && d.By == "default" {
				asked = true
			}
		}
		if !asked {
			t.Error("D03 was not put")
		}
	})
	t.Run("D03 lines", func(t *testing.T) {
		for _, c := range []struct {
			p    AirPolicy
			want int
		}{
			{AirPolicy{Never: true, Reserve: -1}, 0}, {AirPolicy{N: 2, Reserve: -1}, 2}, {AirPolicy{Match: true, Reserve: -1}, 1},
			{AirPolicy{IsNet: true, Net: 1, Reserve: -1}, 2}, {AirPolicy{N: 3, Max: 1, Reserve: -1}, 1}, {AirPolicy{N: 3, AtCity: true, Reserve: -1}, 0},
			{AirPolicy{N: 3, Reserve: -1, IfOdds: OddsIf{">=", 6}}, 0},
		} {
			g := f(t, "turn 5 axis assault", "K8 56PZ 4", "K8 57PZ 4", "K8 13G 3", "K7 24A 2", "air soviet 4", "air axis 2")
			g.die = 6
			g.stand(Soviet, Policy{Air: &c.p})
			g.p.air[soviet] = 4
			e := g.do(attack("K7 FROM K8", BattleOptions{}))
			if c.p.Match || c.p.IsNet {
				b := &battle{play: &play{x: &engine.Exec{Env: engine.Env{Standing: g.standing}}, p: g.p}, kind: "pa", at: []int{g.p.named("K7")}, air: [2]int{1, 0}, odds: 3}
				if n, _, _ := b.airWish(b.x, soviet, 4, 0); n != c.want {
					t.Errorf("%+v: %d points, want %d", c.p, n, c.want)
				}
				continue
			}
			if e.Air[1] != c.want {
				t.Errorf("%+v: %d points, want %d (odds %s)", c.p, e.Air[1], c.want, e.Odds)
			}
		}
	})
	t.Run("AIR RESERVE", func(t *testing.T) {
		g := f(t, "turn 5 axis assault", "K8 56PZ 4", "K8 57PZ 4", "K7 24A 2", "air soviet 4")
		g.stand(Soviet, Policy{Air: &AirPolicy{Reserve: 3}})
		g.stand(Soviet, Policy{Air: &AirPolicy{N: 4, Reserve: -1}})
		if e := g.do(attack("K7 FROM K8")); e.Air[1] != 1 {
			t.Errorf("%v", e.Air)
		}
	})
}

func TestAllOut(t *testing.T) {
	g := battlefield(t, "turn 3 axis assault", "H18 56PZ 4", "H18 47PZ 3", "H17 24A 2")
	g.refused("14.39.5.B", attack("H17 FROM H18", BattleOptions{AllOut: "47PZ"}))
	g.die = 3
	e := g.do(attack("H17 FROM H18", BattleOptions{AllOut: "56PZ"}))
	if e.AllOut != "56PZ" || e.Attackers[0].Factor+e.Attackers[1].Factor != 18 || amount(e, "14.39.5.A") != "+1" || g.p.Steps(g.u("56PZ")) != 3-(e.Lost[0]-1) && e.Lost[0] < 2 {
		t.Errorf("B41-X129: %+v", e)
	}
	mud := battlefield(t, "turn 6 axis assault", "H18 56PZ 4", "H17 24A 2")
	mud.refused("14.39.5.C", attack("H17 FROM H18", BattleOptions{AllOut: "56PZ"}))
	for h := 0; h < g.p.board().Len(); h++ {
		if g.p.board().Terrain(h) == Marsh {
			if r := g.p.allOutGround([]int{h}); r == nil || r.Rule != "B41-14.39.5.C" {
				t.Errorf("All-Out into marsh %s: %v", g.p.name(h), r)
			}
			break
		}
	}
	cond := battlefield(t, "turn 3 axis assault", "H18 56PZ 4", "H17 24A 2")
	e = cond.do(attack("H17 FROM H18", BattleOptions{AllOut: "56PZ", AllOutIf: OddsIf{">=", 8}}))
	if e.AllOut != "" {
		t.Errorf("All-Out at %s", e.Odds)
	}
	sov := battlefield(t, "turn 3 soviet assault", "H18 56PZ 4", "H17 24A 2")
	sov.refused("2.6.B", attack("H18 FROM H17", BattleOptions{AllOut: "56PZ"}))
}

func TestCavalryRaid(t *testing.T) {
	f := func(lines ...string) *field {
		return battlefield(t, append([]string{"turn 8 soviet assault", "held CAV"}, lines...)...)
	}
	c := BattleOptions{Cavalry: true}
	g := f("K6 1SH 4", "K6 24A 2", "K7 13G 2", "L6 26A 2", "L7 5G 2")
	if e := g.do(attack("K7 FROM K6: 1SH", c)); !e.Cavalry || amount(e, "14.39.6.C") != "+3" || e.Attack != e.Pools[0].Left+3 {
		t.Errorf("B41-X131: %+v", e)
	}
	g.refused("14.39.6.A", attack("L7 FROM L6: 26A", c))
	g = f("K6 24A 2", "K5 13G 2")
	g.refused("14.39.6.B", attack("K5 FROM K6: 24A", c))
	g = f("K12 24A 2", "K13 13G 2", "control axis K11 K10 K9 J11 J12 J10 L11 L10 L12 I12 M12")
	if !g.p.status(g.u("24A")).Full {
		g.refused("14.39.6.B", attack("K13 FROM K12: 24A", c))
	} else {
		t.Error("24A is in full supply")
	}
	g = battlefield(t, "turn 3 soviet assault", "K6 24A 2", "K7 13G 2")
	g.refused("6.23", attack("K7 FROM K6: 24A", c))
	g = f("K6 24A 2", "K7 13G 2")
	if e := g.do(attack("K7 FROM K6: 24A", BattleOptions{Cavalry: true, CavalryIf: &Compare{">=", 4}})); e.Cavalry {
		t.Error("the cavalry has ridden against two steps")
	}
}

func TestAxisWindows(t *testing.T) {
	// J12 is a town; the corps there is cut off but within reach of the air.
	pocket := func(turn string) *field {
		return battlefield(t, "turn "+turn+" soviet assault", "J12 13G 3", "J11 24A 2", "J13 26A 2", "I12 16A 2", "I13 13A 2", "K12 10A 2", "K13 21A 2", "control axis J14 J15 J16 J17 J18 I14 I15 H14 H15 H16 K14")
	}
	t.Run("B41-X135", func(t *testing.T) {
		g := pocket("4")
		if !g.p.status(g.u("13G")).None || !g.p.airEligible(g.p.named("J12")) {
			t.Fatalf("%+v, eligible %v", g.p.status(g.u("13G")), g.p.airEligible(g.p.named("J12")))
		}
		e := g.do(attack("J12 FROM J11"))
		if e.Defence != e.Defenders[0].Face[1] || !g.p.has(g.u("13G"), AirSupplied) && g.p.onMap(g.u("13G")) {
			t.Errorf("%+v", e)
		}
		g = pocket("4")
		g.stand(Axis, Policy{AirSupply: &AirSupplyPolicy{Never: true, Reserve: -1}})
		if e := g.do(attack("J12 FROM J11")); e.Defence >= e.Defenders[0].Face[1] {
			t.Errorf("fed against NEVER: %+v", e)
		}
		g = pocket("4")
		g.stand(Axis, Policy{AirSupply: &AirSupplyPolicy{Auto: true, When: &Compare{">=", 50}, Reserve: -1}})
		if e := g.do(attack("J12 FROM J11")); e.Defenders[0].Loss != 40 {
			t.Errorf("fed at 40 %% against >= 50: %+v", e)
		}
		g = pocket("4")
		g.stand(Axis, Policy{AirSupply: &AirSupplyPolicy{Auto: true, WhenOOS: true, Reserve: -1}})
		g.stand(Axis, Policy{AirSupply: &AirSupplyPolicy{Reserve: 4}})
		if e := g.do(attack("J12 FROM J11")); e.Defenders[0].Loss != 40 {
			t.Errorf("fed from the reserve: %+v", e)
		}
	})
	t.Run("B41-X133", func(t *testing.T) {
		g := pocket("8")
		g.stand(Axis, Policy{Hedgehog: &HedgehogPolicy{IfAttacked: hexList("J12"), IfSteps: &Compare{">=", 3}}})
		e := g.do(attack("J12 FROM J11"))
		if amount(e, "14.39.8.E") != "×2" {
			t.Errorf("no hedgehog: %+v", e.Factors)
		}
		g = pocket("8")
		g.stand(Axis, Policy{Hedgehog: &HedgehogPolicy{IfAttacked: hexList("J12"), IfSteps: &Compare{">=", 4}}})
		if e := g.do(attack("J12 FROM J11")); amount(e, "14.39.8.E") != "" {
			t.Error("hedgehog with three steps against >= 4")
		}
		g = pocket("6")
		g.stand(Axis, Policy{Hedgehog: &HedgehogPolicy{IfAttacked: hexList("J12")}})
		if e := g.do(attack("J12 FROM J11")); amount(e, "14.39.8.E") != "" {
			t.Error("hedgehog before turn 7")
		}
	})
	t.Run("B41-X134", func(t *testing.T) { // passing is for one battle
		g := pocket("8")
		g.do(attack("J12 FROM J11"))
		if g.p.hedgehog(g.p.named("J12")) {
			t.Error("a hedgehog by default")
		}
	})
	t.Run("E02", func(t *testing.T) {
		g := battlefield(t, "turn 4 axis assault", "J12 56PZ 4", "J11 24A 2", "J13 26A 2", "I12 16A 2", "I13 13A 2", "K12 10A 2", "K13 21A 2", "control axis J14 J15 J16 J17 J18 I14 I15 H14 H15 H16 K14")
		e := g.do(attack("J11 FROM J12: 56PZ", BattleOptions{AirSupply: true, SupplyIf: &Compare{">=", 20}}))
		if e.Attackers[0].Loss != 0 {
			t.Errorf("B41-14.25.B: %+v", e.Attackers)
		}
	})
}
