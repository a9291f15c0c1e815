package blitz41

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pbemd/engine"
	"pbemd/engine/board"
	"pbemd/engine/hex"
)

// The edge cases of Soviet supply.
func TestSovietSupply(t *testing.T) {
	start := func(t *testing.T) *ground { return bare(t, 4, Soviet, MovePhase) }
	for _, c := range []struct {
		id string
		f  func(t *testing.T)
	}{
		{"B41-X01", func(t *testing.T) {
			g := start(t).put("8A", "G19", 1).supplied("8A", "1")
			g.take(Axis, "H17").supplied("8A", "2")
			g.take(Axis, "I17").supplied("8A", "3")
			if from := g.p.status(g.unit("8A")).From; from != g.hex("E16") {
				t.Errorf("the line begins in %s, want E16", g.p.name(from))
			}
		}},
		{"B41-X02", func(t *testing.T) {
			start(t).put("8A", "H17", 1).put("9A", "H18", 1).supplied("8A", "full").supplied("9A", "full")
		}},
		{"B41-X03", func(t *testing.T) {
			g := start(t).only("K5").put("8A", "K10", 1).put("9A", "J10", 1)
			g.supplied("8A", "4").supplied("9A", "oos")
			if l := g.p.status(g.unit("9A")).Loss; l != 4 {
				t.Errorf("loss of the second is %d, want 4", l)
			}
		}},
		{"B41-X04", func(t *testing.T) {
			g := start(t).take(Axis, "K7", "J8", "K9", "I7", "M7", "N6", "K11", "K6").put("24A", "K8", 1).supplied("24A", "2")
			g.put("1G", "K7", 1).supplied("24A", "3")
		}},
		{"B41-X05", func(t *testing.T) {
			g := start(t).put("24A", "J8", 1).ring("J8").supplied("24A", "none")
			if g.p.operating(g.hex("J8")) {
				t.Error("J8 works without a way to the edge")
			}
		}},
		{"B41-X06", func(t *testing.T) {
			start(t).only("K5").put("24A", "F1", 1).supplied("24A", "oos")
		}},
		{"B41-X07", func(t *testing.T) {
			g := start(t).put("24A", "K8", 1).ring("K8").check(4, Soviet).marked("24A", true)
			gap := g.p.unit(int(g.p.In(g.hex("K7"))[0])).ID
			g.move(gap, "J5").supplied("24A", "2").marked("24A", true)
			g.move(gap, "K7").check(5, Soviet).where("24A", "dead")
		}},
		{"B41-X08", func(t *testing.T) {
			g := start(t).put("24A", "K8", 1).ring("K8").check(4, Soviet).marked("24A", true)
			gap := g.p.unit(int(g.p.In(g.hex("K7"))[0])).ID
			g.move(gap, "J5").check(5, Soviet).marked("24A", false)
			g.move(gap, "K7").check(6, Soviet).marked("24A", true).where("24A", "K8")
		}},
		{"B41-X09", func(t *testing.T) {
			g := start(t).only("H1", "K5").put("24A", "K11", 1).supplied("24A", "oos")
			g.check(5, Soviet).supplied("24A", "full")
		}},
		{"B41-X10", func(t *testing.T) {
			g := start(t).only("K5").put("24A", "E5", 1).check(4, Soviet).marked("24A", true)
			g.check(5, Soviet).where("24A", "dead").where("MSU", "later")
		}},
		{"B41-X11", func(t *testing.T) {
			g := bare(t, 6, Soviet, SupplyPhase).only("K5").put("24A", "E5", 1)
			g.say(Flagged{Units: []engine.UnitID{"24A"}, Set: OOS}, UnitRemoved{"MSU", Box, "rvgk"})
			g.put("30A", "U5", 1).ring("U5")
			g.refused("B41-5.12.F", MSU{Place: at("U5")})
			g.done(MSU{Place: at("E6")}).done(engine.EndPhase{}).where("24A", "E5").marked("24A", false).supplied("24A", "full")
		}},
		{"B41-X12", func(t *testing.T) {
			g := bare(t, 6, Soviet, SupplyPhase).put("MSU", "K7", 1)
			g.done(MSU{Remove: true}).where("MSU", "box").refused("B41-4.5.1.1.A", MSU{Place: at("K7")})
			g = bare(t, 6, Soviet, SupplyPhase)
			g.say(UnitRemoved{"MSU", Box, "rvgk"})
			g.done(MSU{Place: at("K7")}).refused("B41-4.5.1.1.A", MSU{Remove: true})
		}},
		{"B41-X23", func(t *testing.T) {
			g := start(t).put("8A", "H20", 1).supplied("8A", "none")
			g.take(Soviet, "H19").supplied("8A", "2")
		}},
		{"B41-X24", func(t *testing.T) {
			g := start(t).put("9A", "Y17", 1).ring("Y17").put("COAST", "CC12", 2).take(Axis, "CC15", "DD10")
			g.supplied("COAST", "sea").supplied("9A", "none")
		}},
		{"B41-X25", func(t *testing.T) {
			g := start(t).put("COAST", "CC13", 2)
			g.run(func(r *play) { r.take(g.hex("CC15"), axis, ""); r.take(g.hex("CC15"), soviet, "") })
			g.run(func(r *play) { r.take(g.hex("Y17"), axis, ""); r.take(g.hex("DD10"), axis, "") })
			g.where("COAST", "CC13").supplied("COAST", "none")
			g.check(5, Soviet)
			if !g.p.operating(g.hex("CC15")) {
				t.Error("Sevastopol feeds nobody by land")
			}
			g.run(func(r *play) { r.take(g.hex("CC15"), axis, "") }).where("COAST", "gone")
		}},
		{"B41-X26", func(t *testing.T) {
			g := start(t).take(Axis, "CC12").put("COAST", "BB9", 2).supplied("COAST", "none")
			g.check(4, Soviet).marked("COAST", true).check(5, Soviet).where("COAST", "dead")
			start(t).take(Axis, "CC12").put("COAST", "CC13", 2).supplied("COAST", "sea")
		}},
		{"B41-X27", func(t *testing.T) {
			g := bare(t, 5, Soviet, MovePhase).only("K5").put("4ABN", "K9", 1)
			g.say(Flagged{Units: []engine.UnitID{"4ABN"}, Set: Dropped})
			g.ring("K9").supplied("4ABN", "other")
			g.take(Axis, "K5").supplied("4ABN", "none")
			g = bare(t, 5, Soviet, MovePhase).only("K5").put("4ABN", "K10", 1).supplied("4ABN", "4")
			g.say(Flagged{Units: []engine.UnitID{"4ABN"}, Set: Dropped})
			g.supplied("4ABN", "4").ring("K10").supplied("4ABN", "none")
		}},
		{"B41-X28", func(t *testing.T) {
			g := start(t).put("OBG", "B10", 1).put("1G", "C11", 1).put("26G", "C10", 1).put("2G", "B11", 1).put("28G", "C9", 1).put("38G", "B8", 1)
			g.take(Axis, "B9").supplied("OBG", "none")
			g.take(Soviet, "B9").supplied("OBG", "other")
			start(t).put("OBG", "C10", 1).ring("C10").supplied("OBG", "none")
		}},
		{"B41-X29", func(t *testing.T) {
			g := start(t).put("24A", "E14", 1).ring("E14")
			g.say(Flagged{Units: []engine.UnitID{"24A"}, Set: OOS})
			g.check(4, Soviet).where("24A", "dead").holder("E14", Axis)
			g = start(t).put("24A", "E14", 1).ring("E14")
			g.say(Flagged{Units: []engine.UnitID{"24A"}, Set: OOS})
			gap := g.p.unit(int(g.p.In(g.hex("E13"))[0])).ID
			g.say(UnitRemoved{gap, Gone, "combat"})
			g.take(Soviet, "E13").ring("E13")
			g.check(4, Soviet).where("24A", "dead").holder("E14", Soviet)
		}},
		{"B41-X30", func(t *testing.T) {
			g := start(t).put("24A", "K15", 1).put("30A", "K14", 1).ring("K15").ring("K14").open("K15")
			g.say(Flagged{Units: []engine.UnitID{"24A", "30A"}, Set: OOS})
			g.check(4, Soviet).where("24A", "dead").where("30A", "dead").holder("K14", Axis).holder("K15", Axis).points(3)
		}},
		{"B41-X191", func(t *testing.T) {
			g := bare(t, 1, Axis, AssaultPhase).put("24A", "K8", 1).ring("K8")
			g.check(2, Soviet).marked("24A", true).check(3, Soviet).where("24A", "dead")
		}},
		{"B41-X192", func(t *testing.T) {
			g := start(t).put("24A", "R15", 1).ring("R15")
			g.say(Flagged{Units: []engine.UnitID{"24A"}, Set: OOS})
			g.check(4, Soviet).holder("R15", Axis).points(5)
			if _, ok := g.p.intact(g.hex("R15")); ok {
				t.Error("the fort of Kiev stands")
			}
		}},
	} {
		t.Run(c.id, c.f)
	}
}

// The edge cases of Axis supply.
func TestAxisSupply(t *testing.T) {
	for _, c := range []struct {
		id string
		f  func(t *testing.T)
	}{
		{"B41-X31", func(t *testing.T) {
			g := bare(t, 4, Axis, MovePhase).take(Axis, "H13").put("56PZ", "H9", 4).supplied("56PZ", "1")
			if l := g.p.status(g.unit("56PZ")).Line; l != 10 {
				t.Errorf("line of %d hexes, want 10", l)
			}
			bare(t, 5, Soviet, MovePhase).take(Axis, "H13").put("56PZ", "H9", 4).supplied("56PZ", "full")
		}},
		{"B41-X32", func(t *testing.T) {
			bare(t, 4, Axis, MovePhase).take(Axis, "H13", "G13").put("56PZ", "H9", 4).put("24A", "H14", 1).supplied("56PZ", "2")
		}},
		{"B41-X33", func(t *testing.T) {
			g := bare(t, 3, Axis, MovePhase).take(Soviet, "G20", "H20", "H19", "I20", "J20", "K21", "L21", "M21", "N21", "O22", "O21", "R22", "S22", "T21", "U21", "V20", "W20", "X20", "Y20", "Z19")
			for h := 0; h < g.p.d.Board.Len(); h++ {
				g.say(FortWrecked{g.p.d.Board.At(h)})
			}
			h := -1
			for j := 0; j < g.p.d.Board.Len(); j++ {
				n := g.p.network(axis)
				if n.dist[1][j] == 9 && n.dist[0][j] == 10 {
					h = j
				}
			}
			if h < 0 {
				t.Fatal("the map has no such hex")
			}
			n := g.p.network(axis)
			if s := g.p.statusAt(g.unit("13G"), h); s.Line != 10 || s.Loss != 1 || !g.p.d.Board.Is(s.From, ZomoGermany) {
				t.Errorf("%s: %+v", g.p.name(h), s)
			}
			if way := g.p.supplyLine(axis, h); len(way) != int(n.dist[0][h])+1 {
				t.Errorf("line %v of %d hexes", way, n.dist[0][h])
			}
		}},
		{"B41-X35", func(t *testing.T) {
			g := bare(t, 3, Axis, SupplyPhase).take(Axis, "H13").put("56PZ", "H3", 4).put("13G", "U5", 2)
			for _, h := range []string{"U4", "U6", "T5", "T6", "V5", "V6"} {
				g.put([]engine.UnitID{"8A", "9A", "10A", "11A", "12A", "19A"}[g.hex(h)%6], h, 1)
			}
			g.put("20A", "T4", 1).put("21A", "V4", 1).put("22A", "U4", 1)
			for _, j := range g.p.d.Board.Neighbours(g.hex("U5")) {
				if len(g.p.In(j)) == 0 {
					g.put([]engine.UnitID{"1MC", "2MC", "3MC", "4MC", "5MC", "6MC"}[j%6], g.p.name(j), 1)
				}
			}
			g.supplied("56PZ", "4").supplied("13G", "none")
			if s := g.p.status(g.unit("13G")); s.Loss != 4 {
				t.Errorf("%+v", s)
			}
			g.check(3, Axis).marked("56PZ", false).marked("13G", true)
		}},
		{"B41-X38", func(t *testing.T) {
			g := bare(t, 2, Axis, MovePhase).put("56PZ", "H12", 4)
			if way := g.p.supplyLine(axis, g.hex("H12")); slices.Contains(way, g.hex("H13")) {
				t.Errorf("the line leads through the fort: %v", way)
			}
			g.put("57PZ", "H14", 4).move("57PZ", "H13", "H12")
			if !slices.Contains(g.p.supplyLine(axis, g.hex("H12")), g.hex("H13")) || !g.p.wrecked[g.hex("H13")] {
				t.Error("the line doesn't lead through H13, wrecked in passing")
			}
		}},
		{"B41-X39", func(t *testing.T) {
			g := bare(t, 4, Axis, MovePhase)
			if g.p.network(axis).key[g.hex("K9")]&barred != 0 {
				t.Error("K9 bars on T4")
			}
			g.run(func(r *play) { r.beginTurn(5) })
			if g.p.network(axis).key[g.hex("K9")]&barred == 0 {
				t.Error("K9 doesn't bar on T5")
			}
		}},
		{"B41-X40", func(t *testing.T) {
			g := bare(t, 2, Axis, MovePhase).take(Axis, "C11").take(Soviet, "C11")
			g.run(func(r *play) { r.beginTurn(3) })
			for _, h := range []string{"B11", "C11", "D10", "E10"} {
				if _, ok := g.p.intact(g.hex(h)); ok {
					t.Errorf("%s is real", h)
				}
			}
		}},
		{"B41-X41", func(t *testing.T) {
			g := bare(t, 4, Axis, MovePhase).put("56PZ", "C12", 4).move("56PZ", "C11")
			for h, want := range map[string]bool{"B11": true, "C11": false, "D10": true, "E10": true} {
				if _, ok := g.p.intact(g.hex(h)); ok != want {
					t.Errorf("%s intact is %v", h, ok)
				}
			}
		}},
		{"B41-X217", func(t *testing.T) {
			g := bare(t, 4, Axis, MovePhase).put("56PZ", "K9", 4)
			g.run(func(r *play) { r.beginTurn(5) })
			for h, want := range map[string]bool{"J8": false, "K7": true, "K6": true} {
				if _, ok := g.p.intact(g.hex(h)); ok != want {
					t.Errorf("%s intact is %v", h, ok)
				}
			}
		}},
		{"B41-X42", func(t *testing.T) {
			g := bare(t, 5, Axis, NewUnitsPhase)
			for _, j := range g.p.d.Board.Neighbours(g.hex("O21")) {
				if g.p.d.Board.Any(j, Zomo) {
					g.take(Soviet, g.p.name(j))
				}
			}
			if g.p.network(axis).dist[0][g.hex("O21")] == 0 {
				t.Error("O21 is a source")
			}
			g.say(StepsCredited{PoolMech, 2, "record"})
			g.refused("B41-6.14", Build{Unit: "40PZ", Steps: 2, At: at("O21")})
		}},
		{"B41-X43", func(t *testing.T) {
			g := bare(t, 4, Soviet, MovePhase).take(Soviet, "G20").take(Axis, "G20")
			if g.p.network(axis).dist[0][g.hex("G20")] == 0 {
				t.Error("G20 works at once")
			}
			g.check(4, Axis)
			if g.p.network(axis).dist[0][g.hex("G20")] != 0 {
				t.Error("G20 doesn't work after the Axis Supply Phase")
			}
		}},
		{"B41-X44", func(t *testing.T) {
			bare(t, 4, Axis, MovePhase).put("3RUM", "U20", 2).put("4RUM", "V19", 2).put("13G", "H18", 2).
				done(AirSupply{At: at("U20")}).done(AirSupply{At: at("V19")}).refused("B41-5.17.B", AirSupply{At: at("H18")})
		}},
		{"B41-X45", func(t *testing.T) {
			g := bare(t, 9, Axis, MovePhase).put("13G", "K9", 2).put("1G", "I7", 2).put("26G", "H18", 1).put("38G", "H18", 1).put("10G", "H18", 1)
			g.say(HedgehogMade{at("K9")}, HedgehogMade{at("I7")})
			g.done(AirSupply{At: at("H18"), Units: Units{IDs: []engine.UnitID{"26G", "38G"}}}).supplied("26G", "air")
			g.refused("B41-5.17.B", AirSupply{At: at("H18"), Units: Units{IDs: []engine.UnitID{"10G"}}})
		}},
		{"B41-X46", func(t *testing.T) {
			g := bare(t, 4, Axis, MovePhase).put("56PZ", "E9", 4)
			before := g.p.status(g.unit("56PZ"))
			if before.Loss == 0 {
				t.Fatal("56PZ is in full supply")
			}
			g.done(AirSupply{At: at("E9")}).supplied("56PZ", "air")
			if s := g.p.status(g.unit("56PZ")); s.Loss != 0 || s.Full {
				t.Errorf("%+v", s)
			}
		}},
		{"B41-X47", func(t *testing.T) {
			g := bare(t, 8, Soviet, MovePhase).rich().put("13G", "H18", 2).put("1G", "H18", 2).put("26G", "H18", 1).put("38G", "I18", 1)
			if err := g.orderOf(Axis, AirSupply{At: at("H18")}); err != nil {
				t.Fatal(err)
			}
			g.check(8, Axis)
			if n := g.p.airCapacity(); n != 1 {
				t.Errorf("%d corps left on T8, want 1", n)
			}
			g.supplied("13G", "air").run(func(r *play) { r.beginTurn(9) })
			if n := g.p.airCapacity(); n != 4 {
				t.Errorf("%d corps on T9, want 4", n)
			}
			g.supplied("13G", "full")
		}},
		{"B41-X48", func(t *testing.T) {
			bare(t, 4, Axis, SupplyPhase).put("13G", "D17", 2).put("1G", "B12", 2).
				done(SeaSupply{Baltic: true, At: at("D17")}).supplied("13G", "sea").
				refused("B41-5.18.A", SeaSupply{Baltic: true, At: at("B12")}).
				done(SeaSupply{Baltic: true, None: true}).done(SeaSupply{Baltic: true, At: at("B12")}).supplied("1G", "sea").supplied("13G", "full")
		}},
		{"B41-5.18.B", func(t *testing.T) {
			g := bare(t, 4, Axis, SupplyPhase).put("13G", "Z10", 2).refused("B41-5.18.B", SeaSupply{At: at("Z10")})
			g.take(Axis, "CC11", "CC12").done(SeaSupply{At: at("Z10")}).supplied("13G", "sea")
			g.refused("B41-5.18.A", SeaSupply{Baltic: true, At: at("Z10")}).refused("B41-5.18.A", SeaSupply{Baltic: true, At: at("B13")})
			g.run(func(r *play) { r.beginTurn(5) })
			if g.p.has(g.unit("13G"), SeaSupplied) {
				t.Error("sea supply outlives the game turn")
			}
		}},
		{"B41-A43", func(t *testing.T) {
			g := bare(t, 4, Axis, SupplyPhase, Options{Other: []engine.RuleID{"B41-A43"}}).put("13G", "Z14", 2).done(SeaSupply{At: at("Z14")})
			g.run(func(r *play) { r.beginTurn(5) }).supplied("13G", "sea")
			g.say(PhaseBegan{Axis, SupplyPhase})
			g.run(func(r *play) { r.enterAxisSupply() })
			if g.supply("13G") == "sea" {
				t.Error("sea supply outlives the next Axis Supply Phase")
			}
		}},
		{"B41-X50", func(t *testing.T) {
			g := bare(t, 4, Axis, SupplyPhase).put("13G", "B9", 2).put("1G", "D17", 1)
			g.run(func(r *play) { r.enterAxisSupply() })
			g.refused("B41-5.21", SeaSupply{Baltic: true, At: at("D17")})
			g.done(LeningradSupply{}).done(SeaSupply{Baltic: true, At: at("D17")}).refused("B41-5.21", LeningradSupply{On: true})
			if g.supply("13G") == "other" {
				t.Error("Leningrad feeds in spite of the order")
			}
		}},
		{"B41-X51", func(t *testing.T) {
			g := bare(t, 3, Axis, SupplyPhase).put("13G", "C11", 2)
			g.run(func(r *play) { r.enterAxisSupply() })
			g.move("13G", "B9")
			for i, j := range g.p.d.Board.Neighbours(g.hex("B9")) {
				if j >= 0 {
					g.put([]engine.UnitID{"8A", "9A", "10A", "11A", "12A", "19A"}[i], g.p.name(j), 1)
				}
			}
			g.supplied("13G", "none").check(4, Axis).supplied("13G", "other").marked("13G", false)
		}},
		{"B41-X52", func(t *testing.T) {
			g := bare(t, 6, Axis, SupplyPhase).put("56PZ", "E1", 4).put("57PZ", "U5", 4).put("41PZ", "H18", 4).put("13G", "E2", 1)
			for i, j := range g.p.d.Board.Neighbours(g.hex("U5")) {
				g.put([]engine.UnitID{"8A", "9A", "10A", "11A", "12A", "19A"}[i], g.p.name(j), 1)
			}
			g.refused("B41-5.19.B", Consolidate{Corps: []engine.UnitID{"56PZ", "57PZ"}})
			g.refused("B41-5.19.B", Consolidate{Corps: []engine.UnitID{"56PZ", "57PZ", "13G"}})
			g.refused("B41-5.19.B", Consolidate{Corps: []engine.UnitID{"56PZ", "57PZ", "57PZ"}})
			g.done(Consolidate{Corps: []engine.UnitID{"56PZ", "57PZ", "41PZ"}})
			g.supplied("56PZ", "other").supplied("57PZ", "none").supplied("13G", "4").supplied("41PZ", "full")
			g.run(func(r *play) { r.beginTurn(7) }).supplied("56PZ", "other")
			g.say(PhaseBegan{Axis, SupplyPhase})
			g.run(func(r *play) { r.enterAxisSupply() }).supplied("56PZ", "4")
		}},
		{"B41-X54", func(t *testing.T) {
			g := bare(t, 9, Axis, SupplyPhase).rich().put("13G", "K9", 2).put("1G", "I7", 2).put("56PZ", "H18", 4).put("26G", "D17", 1)
			g.say(HedgehogMade{at("K9")}, HedgehogMade{at("I7")}, StepsCredited{PoolNonMech, 9, "record"})
			g.done(AirSupply{At: at("K9")})
			g.refused("B41-5.19.A", Consolidate{Corps: []engine.UnitID{"56PZ"}})
			g.run(func(r *play) { r.beginTurn(10) })
			g.say(PhaseBegan{Axis, SupplyPhase})
			g.run(func(r *play) { r.enterAxisSupply() })
			g.done(Consolidate{Corps: []engine.UnitID{"56PZ"}})
			if g.p.hedgehog(g.hex("K9")) || g.p.hedgehog(g.hex("I7")) {
				t.Error("hedgehogs stand")
			}
			g.refused("B41-5.19.C", AirSupply{At: at("H18")}).refused("B41-5.19.C", SeaSupply{Baltic: true, At: at("D17")})
			g.refused("B41-5.19.C", Hedgehog{At: at("K9")}).refused("B41-5.19.C", LeningradSupply{On: true})
			g.say(PhaseBegan{Axis, NewUnitsPhase})
			g.refused("B41-5.19.F", Replace{Unit: "26G", Steps: 1}).refused("B41-5.19.F", Build{Unit: "59G", Steps: 1, At: at("H19")})
			g.run(func(r *play) { r.beginTurn(11) })
			g.say(PhaseBegan{Soviet, MovePhase})
			if err := g.orderOf(Axis, AirSupply{At: at("H18")}); err == nil {
				t.Error("air supply in the Soviet player-turn after")
			}
		}},
		{"B41-X55", func(t *testing.T) {
			bare(t, 4, Axis, MovePhase).put("56PZ", "H18", 4).refused("B41-4.1", Consolidate{Corps: []engine.UnitID{"56PZ"}})
			bare(t, 1, Axis, AssaultPhase).put("56PZ", "H18", 4).refused("B41-4.1", Consolidate{Corps: []engine.UnitID{"56PZ"}})
			g := bare(t, 4, Axis, SupplyPhase).put("56PZ", "D17", 4).done(SeaSupply{Baltic: true, At: at("D17")})
			g.refused("B41-5.19.A", Consolidate{Corps: []engine.UnitID{"56PZ"}})
		}},
		{"B41-X193 B41-X36", func(t *testing.T) {
			pocket := func() *ground {
				g := bare(t, 2, Soviet, AssaultPhase).put("13G", "N14", 2).put("56PZ", "N14", 4)
				for i, j := range g.p.d.Board.Neighbours(g.hex("N14")) {
					g.put([]engine.UnitID{"8A", "9A", "10A", "11A", "12A", "19A"}[i], g.p.name(j), 1)
				}
				return g.check(2, Axis).marked("13G", true).marked("56PZ", true)
			}
			pocket().check(3, Axis).where("13G", "gone").where("56PZ", "gone").points(-7)
			g := pocket()
			g.run(func(r *play) { r.beginTurn(3) })
			g.say(PhaseBegan{Axis, SupplyPhase})
			g.take(Axis, "N13")
			g.run(func(r *play) { r.enterAxisSupply() })
			g.say(AirSupplyDeclared{at("N14"), []engine.UnitID{"56PZ"}, 1})
			g.done(engine.EndPhase{}).where("13G", "gone").where("56PZ", "N14").marked("56PZ", false).points(-3)
		}},
		{"B41-X194", func(t *testing.T) {
			g := bare(t, 4, Axis, MovePhase)
			for h := 0; h < g.p.d.Board.Len(); h++ { // nobody's ZOMO: no hex in supply
				if g.p.d.Board.Any(h, Zomo) {
					g.take(Soviet, g.p.name(h))
				}
			}
			g.put("13G", "H12", 2).put("1G", "K12", 2).supplied("13G", "none")
			g.refused("B41-5.17.B", AirSupply{At: at("K12")}).done(AirSupply{At: at("H12")}).supplied("13G", "air")
		}},
		{"B41-X195", func(t *testing.T) {
			g := bare(t, 7, Soviet, AssaultPhase).take(Axis, "H13").put("13G", "H2", 3)
			s := g.p.status(g.unit("13G"))
			if s.Line != 17 || s.Loss != 2 {
				t.Errorf("%+v", s)
			}
			g.say(ConsolidationDeclared{[]engine.UnitID{"56PZ"}})
			if s := g.p.status(g.unit("13G")); s.Loss != 2 {
				t.Errorf("in consolidation %+v", s)
			}
		}},
		{"B41-5.6", func(t *testing.T) {
			g := bare(t, 4, Soviet, MovePhase).only("B15").put("8A", "C17", 1)
			if way := g.p.supplyLine(soviet, g.hex("C17")); slices.Contains(way, g.hex("C16")) {
				t.Errorf("a line over the sea: %v", way)
			}
			// over the strait, and over Lake Ladoga
			g = bare(t, 4, Soviet, MovePhase).only("DD10").put("8A", "CC12", 1)
			if way := g.p.supplyLine(soviet, g.hex("CC12")); len(way) != 3 {
				t.Errorf("from CC12 to Novorossisk by %v", way)
			}
		}},
	} {
		t.Run(c.id, c.f)
	}
}

// A cached trace is a trace: after any change the cache says what a fresh
// position says, also on both of two clones that went different ways.
func TestCachedSupplyIsTheTruth(t *testing.T) {
	g := bare(t, 5, Axis, MovePhase).put("56PZ", "H12", 4).put("24A", "K8", 1).put("57PZ", "J5", 3).put("30A", "H15", 1)
	same := func(p *Position, what string) {
		t.Helper()
		fresh := *p
		fresh.cache = nil
		for h := 0; h < p.d.Board.Len(); h++ {
			for _, s := range []uint8{axis, soviet} {
				if got, want := p.overland(s, h), fresh.overland(s, h); got != want {
					t.Fatalf("%s: %s of %s: cached %+v, fresh %+v", what, p.name(h), sideOf(s), got, want)
				}
			}
		}
	}
	same(g.p, "start")
	a, b := g.p.Clone().(*Position), g.p.Clone().(*Position)
	a.Apply(engine.Event{Fact: UnitRemoved{"24A", Dead, "combat"}})
	same(a, "a")
	b.Apply(engine.Event{Fact: UnitRemoved{"30A", Dead, "combat"}})
	same(b, "b")
	a.Apply(engine.Event{Fact: HexTaken{at("K7"), Axis}})
	same(a, "a, K7 taken")
	b.Apply(engine.Event{Fact: UnitMoved{"57PZ", one("J6"), "move"}})
	same(b, "b, moved")
	same(a, "a again")
}

func one(h string) []hex.Coord { return []hex.Coord{at(h)} }

func begun(b testing.TB) *Position {
	p, _, err := engine.Begin(New(shipped(b), Options{}), engine.Env{})
	if err != nil {
		b.Fatal(err)
	}
	return p.(*Position)
}

func BenchmarkSupplyOfASide(b *testing.B) {
	p := begun(b)
	for _, s := range []uint8{axis, soviet} {
		b.Run(string(sideOf(s))+"/fresh", func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; i < b.N; i++ {
				p.cache = nil
				for u := range p.d.Units {
					if p.unit(u).Side == s && p.onMap(u) {
						p.status(u)
					}
				}
			}
		})
		b.Run(string(sideOf(s))+"/cached", func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; i < b.N; i++ {
				for u := range p.d.Units {
					if p.unit(u).Side == s && p.onMap(u) {
						p.status(u)
					}
				}
			}
		})
	}
	b.Run("nothing has changed", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; i < b.N; i++ {
			p.stir(axis, soviet)
			p.network(axis)
			p.network(soviet)
		}
	})
}

// The nets agree with a search by hand, one hex at a time from the unit to the
// source, whatever stands about.
func TestNetsAgreeWithASearchByHand(t *testing.T) {
	d := shipped(t)
	b := d.Board
	var land []int
	for h := 0; h < b.Len(); h++ {
		if b.Terrain(h) < Sea {
			land = append(land, h)
		}
	}
	var odd []int // where rules of their own hold: the ZOMO, the straits
	for h := 0; h < b.Len(); h++ {
		if b.Any(h, Zomo|Southern) || slices.Contains([]string{"CC11", "CC10", "DD10", "B9", "B10", "A7"}, b.At(h).String()) {
			odd = append(odd, h)
		}
	}
	pick := func(t *rapid.T) int {
		if rapid.Bool().Draw(t, "odd") {
			return odd[rapid.IntRange(0, len(odd)-1).Draw(t, "from")]
		}
		return land[rapid.IntRange(0, len(land)-1).Draw(t, "from")]
	}
	water := func(i, j int) bool {
		s := b.Between(i, j)
		return b.Terrain(i) == Sea || b.Terrain(j) == Sea || s&AllSea != 0 && s&KerchSide == 0
	}
	rapid.Check(t, func(t *rapid.T) {
		g := &ground{r: New(d, Options{}), p: newPosition(d)}
		turn := rapid.IntRange(2, 11).Draw(t, "turn")
		g.say(GameBegan{}, TurnBegan{turn})
		for n := rapid.IntRange(0, 60).Draw(t, "units"); n > 0; n-- {
			u := rapid.IntRange(0, len(d.Units)-1).Draw(t, "unit")
			h := pick(t)
			if g.p.holds(enemyOf(d.Units[u].Side), h) || d.Units[u].Max == 0 {
				continue
			}
			g.say(UnitPlaced{d.Units[u].ID, b.At(h), 1, "setup"})
			if v := &d.Units[u]; v.Class != "none" && g.p.Owner(h) != v.Side {
				g.say(HexTaken{b.At(h), sideOf(v.Side)})
				if v.Side == axis && b.Any(h, Fort|Fortified|Stalin) {
					g.say(FortWrecked{b.At(h)})
				}
			}
		}
		p := g.p
		blocked := func(side uint8, h int) bool {
			if p.holds(enemyOf(side), h) {
				return true
			}
			if side == soviet {
				return b.Any(h, Zomo) && p.Owner(h) != soviet
			}
			_, fort := p.intact(h)
			return fort
		}
		// length of the shortest way from h to a hex that is wanted
		way := func(side uint8, h int, wanted func(int) bool) int {
			seen, next := map[int]bool{h: true}, []int{h}
			for n := 0; len(next) > 0; n++ {
				var then []int
				for _, i := range next {
					if wanted(i) && !blocked(side, i) {
						return n
					}
					if n > 0 && blocked(side, i) {
						continue
					}
					for _, j := range b.Neighbours(i) {
						if j >= 0 && !seen[j] && !water(i, j) {
							seen[j] = true
							then = append(then, j)
						}
					}
				}
				next = then
			}
			return -1
		}
		edge := func(i int) bool { return b.Is(i, EastEdge) }
		works := func(i int) bool {
			m := p.At(p.special("MSU")) == i
			return p.Owner(i) == soviet && (m || b.Any(i, Place) && !p.idle[i]) && !blocked(soviet, i) && way(soviet, i, edge) >= 0
		}
		for k := 0; k < 12; k++ {
			h := pick(t)
			want, got := way(soviet, h, works), p.overland(soviet, h)
			if want < 0 != got.None || want >= 0 && (got.Line != max(0, want-1) || got.Loss != min(4, got.Line) || got.OOS != (got.Line > 4) || !works(got.From)) {
				t.Fatalf("Soviet line of %s: %d hexes by hand, %+v", p.name(h), want, got)
			}
			best := -1
			for _, c := range []struct {
				marks board.Marks
				limit int
			}{{ZomoGermany, d.Turns[turn].Length[0]}, {ZomoHungary | ZomoRomania, d.Turns[turn].Length[1]}} {
				n := way(axis, h, func(i int) bool {
					return b.Any(i, c.marks) && p.zomoOpen(i) && !p.idle[i]
				})
				if n >= 0 && (best < 0 || max(0, n-c.limit) < best) {
					best = max(0, n-c.limit)
				}
			}
			got = p.overland(axis, h)
			if best < 0 != got.None || best >= 0 && (got.Over != best || got.Loss != min(4, best) || len(p.supplyLine(axis, h)) != got.Line+1) {
				t.Fatalf("Axis line of %s: %d beyond by hand, %+v", p.name(h), best, got)
			}
		}
	})
}
