package blitz41

import (
	"testing"

	"pbemd/engine"
	"pbemd/engine/hex"
)

// Control, forts, the MSU and the special units.
func TestControlAndSpecialUnits(t *testing.T) {
	for _, c := range []struct {
		id string
		f  func(t *testing.T)
	}{
		{"B41-X57", func(t *testing.T) {
			g := bare(t, 4, Soviet, AssaultPhase).put("13G", "R14", 2).move("13G", "R15")
			g.holder("R15", Axis).points(5).move("13G", "R16").holder("R16", Axis).points(5)
			if !g.p.wrecked[g.hex("R15")] {
				t.Error("the fort of Kiev stands")
			}
			g.put("24A", "Q15", 1).move("24A", "R15").points(0)
			if _, ok := g.p.intact(g.hex("R15")); ok {
				t.Error("the fort of Kiev stands again")
			}
		}},
		{"B41-X58", func(t *testing.T) {
			g := bare(t, 4, Axis, AssaultPhase).put("13G", "K11", 2)
			g.say(Scored{at("K11"), 4, 4})
			g.move("13G", "L11").put("24A", "K12", 1).move("24A", "K11", "K10").holder("K11", Soviet).points(0)
		}},
		{"B41-X59 B41-X176", func(t *testing.T) {
			g := bare(t, 6, Soviet, AssaultPhase).put("13G", "K4", 2).move("13G", "K5", "K6")
			g.over(Axis, "moscow", 88).where("13G", "K6")
			g = bare(t, 7, Axis, MovePhase).put("13G", "K4", 2).move("13G", "K5")
			g.goesOn().points(18)
		}},
		{"B41-X60", func(t *testing.T) {
			g := bare(t, 7, Axis, MovePhase).put("13G", "J6", 2).put("MSU", "K6", 1).move("13G", "K6")
			g.where("MSU", "K5").holder("K6", Axis)
		}},
		{"B41-X61", func(t *testing.T) {
			g := bare(t, 7, Axis, AssaultPhase).put("24A", "N9", 1).put("MSU", "N9", 1).put("57PZ", "N11", 4)
			b := g.p.d.Board
			var free string
			for i, j := range b.Neighbours(g.hex("N9")) {
				if i == int(hex.W) {
					free = g.p.name(j)
					continue
				}
				g.put(guards[i], g.p.name(j), 1)
			}
			g.where("MSU", "N9").move("57PZ", free).where("24A", "N9").where("MSU", "N7")
		}},
		{"B41-5.12.D", func(t *testing.T) { // no hex left
			g := bare(t, 7, Axis, AssaultPhase).put("MSU", "K2", 1)
			for h := 0; h < g.p.d.Board.Len(); h++ {
				if n := g.p.name(h); g.p.Owner(h) == soviet && n != "K2" {
					g.say(HexTaken{at(n), Axis})
				}
			}
			g.put("13G", "K3", 2).move("13G", "K2").where("MSU", "box")
		}},
		{"B41-A37 steered", func(t *testing.T) {
			g := bare(t, 7, Axis, MovePhase).put("13G", "J6", 2).put("MSU", "K6", 1)
			line := func(p Policy) engine.Order {
				return engine.Order{Side: Soviet, Command: Standing{Scope: Scope{Kind: "DEFAULT"}, Policy: p}}
			}
			g.std = map[engine.Side][]engine.Order{Soviet: {line(Policy{MSU: "EAST"}), line(Policy{MSU: "TOWARD", MSUToward: at("P9")})}}
			g.move("13G", "K6")
			if got := g.p.name(g.p.At(g.unit("MSU"))); got != "L5" {
				t.Errorf("the MSU went to %s", got)
			}
		}},
		{"B41-X62", func(t *testing.T) { // the MSU alone takes nothing
			g := bare(t, 7, Soviet, MovePhase).take(Axis, "K6").put("MSU", "K5", 1)
			g.say(UnitMoved{"MSU", one("K6"), "move"})
			g.run(func(r *play) { r.arrived(g.hex("K6"), soviet) }).holder("K6", Axis)
		}},
		{"B41-X64", func(t *testing.T) {
			g := bare(t, 7, Axis, MovePhase).put("56PZ", "K9", 4)
			before := g.p.supplyLine(axis, g.hex("K9"))
			g.put("PART", g.p.name(before[1]), 2).holder(g.p.name(before[1]), Soviet)
			for _, h := range g.p.supplyLine(axis, g.hex("K9")) {
				if h == before[1] {
					t.Error("the line leads through the Partisans")
				}
			}
		}},
		{"B41-X83", func(t *testing.T) {
			g := bare(t, 7, Soviet, MovePhase).put("PART", "K8", 2).put("4ABN", "K7", 1).put("24A", "K9", 1)
			g.say(Flagged{Units: ids("4ABN"), Set: Dropped})
			g.move("4ABN", "K8").where("PART", "K8").move("24A", "K8").where("PART", "gone").pool(PoolSoviet, 2)
		}},
		{"B41-X79", func(t *testing.T) {
			g := bare(t, 4, Soviet, MovePhase).put("24A", "C10", 2)
			if err := g.try(func(r *play) error { return r.formOBG(g.unit("24A")) }); err != nil {
				t.Fatal(err)
			}
			g.where("OBG", "B10").steps("24A", 1).steps("OBG", 1)
			if !g.p.has(g.unit("OBG"), Frozen) {
				t.Error("the OBG can move")
			}
			g.say(StepsSet{"24A", 2, "replacement"})
			g.run(func(r *play) { r.lose(g.unit("OBG"), 1, "B41-14.7.A", "loss") }).where("OBG", "gone")
			for _, c := range []struct {
				what string
				set  func(g *ground)
			}{
				{"one step", func(g *ground) { g.put("24A", "C10", 1) }},
				{"far off", func(g *ground) { g.put("24A", "D10", 2) }},
				{"a mechanised corps", func(g *ground) { g.put("3MC", "C10", 1) }},
				{"B10 lost", func(g *ground) { g.put("24A", "C10", 2).take(Axis, "B10") }},
				{"B10 full", func(g *ground) {
					g.put("24A", "C10", 2).put("16A", "B10", 1).put("18A", "B10", 1).put("28A", "B10", 1).put("29A", "B10", 1)
				}},
				{"once before", func(g *ground) { g.put("24A", "C10", 2).put("OBG", "B10", 1) }},
			} {
				g := bare(t, 4, Soviet, MovePhase)
				c.set(g)
				id := engine.UnitID("24A")
				if !g.p.onMap(g.unit(id)) {
					id = "3MC"
				}
				if err := g.try(func(r *play) error { return r.formOBG(g.unit(id)) }); err == nil {
					t.Errorf("%s: formed", c.what)
				}
			}
		}},
		{"B41-X133", func(t *testing.T) {
			set := func(turn int) *ground { return bare(t, turn, Axis, MovePhase).rich() }
			set(9).put("56PZ", "K9", 4).put("13G", "K9", 3).refused("B41-14.39.8.E", Hedgehog{At: at("K9")})
			set(9).put("56PZ", "K9", 4).put("CSIR", "K9", 1).refused("B41-14.39.8.E", Hedgehog{At: at("K9")})
			set(9).take(Axis, "K9").refused("B41-14.39.8.E", Hedgehog{At: at("K9")})
			set(9).put("13G", "K11", 2).refused("B41-14.39.8.A", Hedgehog{At: at("K11")}).refused("B41-14.39.8.A", Hedgehog{At: at("K7")})
			set(6).put("13G", "K9", 2).refused("B41-14.39.8.A", Hedgehog{At: at("K9")})
			g := set(9).put("13G", "K9", 2).put("1G", "I7", 2).put("26G", "J8", 2).put("38G", "M7", 2).put("10G", "K7", 2)
			for _, h := range []string{"K9", "I7", "J8", "M7"} {
				g.done(Hedgehog{At: at(h)})
			}
			g.refused("B41-14.39.8.A", Hedgehog{At: at("K9")}).refused("B41-14.39.8.A", Hedgehog{At: at("K7")})
			g.refused("B41-14.39.8.F", Hedgehog{At: at("K9"), Remove: true})
			g.say(PhaseBegan{Axis, SupplyPhase})
			g.done(Hedgehog{At: at("K9"), Remove: true}).done(Hedgehog{At: at("K7")}).refused("B41-14.39.8.F", Hedgehog{At: at("K9"), Remove: true})
			if err := g.orderOf(Soviet, Hedgehog{At: at("K9")}); err == nil {
				t.Error("a Soviet hedgehog")
			}
			// mud: the Crimea on T8
			g = set(8)
			for _, s := range g.p.d.Sites {
				if s.Kind == "town" && g.p.d.Board.Is(s.Hex, Southern) {
					g.put("13G", g.p.name(s.Hex), 2).refused("B41-14.39.8.G", Hedgehog{At: g.p.d.Board.At(s.Hex)})
				}
			}
		}},
		{"B41-14.39.8.G", func(t *testing.T) {
			g := bare(t, 9, Soviet, MovePhase).rich().put("13G", "K9", 2)
			if err := g.orderOf(Axis, Hedgehog{At: at("K9")}); err != nil {
				t.Fatal(err)
			}
			if n := g.p.airCapacity(); n != 3 {
				t.Errorf("%d corps left", n)
			}
			g.say(UnitRemoved{"13G", Gone, "combat"})
			g.put("24A", "L9", 1).move("24A", "K9")
			if g.p.hedgehog(g.hex("K9")) || g.p.airCapacity() != 4 {
				t.Errorf("hedgehog %v, %d corps", g.p.hedgehog(g.hex("K9")), g.p.airCapacity())
			}
		}},
		{"B41-14.39.8.E", func(t *testing.T) { // a hedgehog takes no seventh step
			g := bare(t, 9, Axis, NewUnitsPhase).rich().credit(PoolNonMech, 3).take(Axis, "H13").put("13G", "H17", 3).put("1G", "H17", 3)
			g.done(Hedgehog{At: at("H17")})
			if err := g.order(Replace{Unit: "13G", Steps: 1}); err == nil {
				t.Error("seven steps")
			}
		}},
		{"B41-A78", func(t *testing.T) {
			g := bare(t, 4, Axis, MovePhase).put("13G", "H18", 2).put("56PZ", "H18", 4)
			top := Standing{Scope: Scope{Kind: "HEX", Hexes: one("H18")}, Policy: Policy{Top: "56PZ"}}
			g.done(top)
			if got := int(g.p.top[g.hex("H18")]); got != g.unit("56PZ") {
				t.Errorf("%d on top", got)
			}
			top.Scope.Hexes = one("H17")
			g.refused("B41-A78", top)
			top.Policy.Top = "24A"
			g.refused("B41-2.6.B", top)
		}},
	} {
		t.Run(c.id, c.f)
	}
}
