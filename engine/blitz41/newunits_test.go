package blitz41

import (
	"testing"

	"pgregory.net/rapid"

	"pbemd/engine"
	"pbemd/engine/hex"
)

// fresh opens a New Units Phase with what the turn brings by itself.
func fresh(t testing.TB, turn int, s engine.Side, opt ...Options) *ground {
	t.Helper()
	g := bare(t, turn, s, NewUnitsPhase, opt...).rich()
	return g.start()
}

// start runs what begins the New Units Phase.
func (g *ground) start() *ground {
	return g.run(func(r *play) {
		if r.p.side == soviet {
			r.beginSovietTurn()
		}
		r.enterNewUnits()
	})
}

// steps puts steps into a pool.
func (g *ground) credit(pool string, n int) *ground {
	g.say(StepsCredited{pool, n, "record"})
	return g
}

// noDuty lets the new cadres be.
func (g *ground) noDuty() *ground {
	for u := range g.p.flags {
		g.say(Flagged{Units: g.p.ids([]int{u}), Clear: Fresh})
	}
	return g
}

func (g *ground) pool(pool string, want int) *ground {
	g.t.Helper()
	if got := g.p.pool(pool); got != want {
		g.t.Errorf("the pool %s holds %d, want %d", pool, got, want)
	}
	return g
}

func ids(s ...engine.UnitID) []engine.UnitID { return s }

func TestNewUnits(t *testing.T) {
	k5 := at("K5")
	for _, c := range []struct {
		id string
		f  func(t *testing.T)
	}{
		{"B41-X65", func(t *testing.T) {
			g := fresh(t, 2, Soviet).put("8A", "K5", 1).pool(PoolSoviet, 30)
			g.refused("B41-6.9", Replace{Unit: "8A", Steps: 1})
			for _, id := range ids("16A", "18A", "24A", "28A", "29A", "30A", "31A", "32A", "33A") {
				g.refused("B41-6.9", Replace{Unit: "8A", Steps: 1}).done(Build{Unit: id, Steps: 1})
			}
			g.refused("B41-6.9", Replace{Unit: "8A", Steps: 1})
			g.refused("B41-10.3.A", Build{Unit: "COAST", Steps: 1, At: k5}).refused("B41-7.7", Build{Unit: "COAST", Steps: 1})
			h := g.fork()
			h.take(Axis, "Y17", "CC15", "DD10").done(Replace{Unit: "8A", Steps: 1})
			g.done(Build{Unit: "COAST", Steps: 1, At: at("Y17")}).done(Replace{Unit: "8A", Steps: 1}).pool(PoolSoviet, 19)
		}},
		{"B41-6.9", func(t *testing.T) { // the first steps of the others are not for the second of one
			g := fresh(t, 2, Soviet)
			g.say(StepsSpent{PoolSoviet, 19, "24A"})
			g.pool(PoolSoviet, 11).done(Build{Unit: "24A", Steps: 2}).refused("B41-6.9", Build{Unit: "16A", Steps: 2})
			g.done(Build{Unit: "16A", Steps: 1})
			g.done(engine.EndPhase{}).where("18A", "later")
			if g.p.has(g.unit("18A"), Fresh) {
				t.Error("18A is new for ever")
			}
		}},
		{"B41-X66", func(t *testing.T) {
			fresh(t, 2, Soviet).done(Build{Unit: "24A", Steps: 2, At: k5}).pool(PoolSoviet, 28).where("24A", "K5").steps("24A", 2)
			fresh(t, 2, Soviet).done(Build{Unit: "24A", Steps: 1, At: k5}).pool(PoolSoviet, 29).steps("24A", 1).
				refused("B41-6.0", Build{Unit: "24A", Steps: 1, At: k5}).refused("B41-6.17", Build{Unit: "16A", Steps: 3})
		}},
		{"B41-X67", func(t *testing.T) {
			g := fresh(t, 3, Soviet).put("8A", "K5", 4).put("9A", "K5", 4).put("24A", "K7", 2)
			if g.p.face(g.unit("8A"))[0] < 6 || g.p.face(g.unit("9A"))[0] < 6 {
				t.Skip("this set of counters has no such armies")
			}
			g.refused("B41-7.2.B", RVGKIn{ids("8A", "9A")}).done(RVGKIn{ids("8A", "24A")}).where("8A", "box")
		}},
		{"B41-X68", func(t *testing.T) {
			g := fresh(t, 7, Soviet).put("1SH", "K5", 1)
			for steps, want := range map[int]int{1: 1, 4: 2} {
				g.say(StepsSet{"1SH", steps, "replacement"})
				if got := g.p.transitCost(g.unit("1SH"), g.p.Steps(g.unit("1SH"))); got != want {
					t.Errorf("1SH at %d steps counts %d, want %d", steps, got, want)
				}
			}
		}},
		{"B41-X69", func(t *testing.T) {
			g := fresh(t, 3, Soviet)
			g.say(StepsSet{"22A", 2, "replacement"}, UnitRemoved{"22A", Box, "rvgk"})
			g.done(RVGKOut{ids("22A"), []hex.Coord{k5}}).refused("B41-7.3", RVGKIn{ids("22A")})
			g = fresh(t, 3, Soviet).put("22A", "K5", 2).done(RVGKIn{ids("22A")}).refused("B41-7.3", RVGKOut{ids("22A"), []hex.Coord{k5}})
			g.start().done(RVGKOut{ids("22A"), []hex.Coord{k5}})
		}},
		{"B41-X70", func(t *testing.T) {
			g := fresh(t, 3, Soviet).only("K5").put("24A", "K7", 2).put("3MC", "K5", 1)
			g.refused("B41-7.2.A", RVGKIn{ids("24A")}).refused("B41-7.7", RVGKIn{ids("3MC")})
		}},
		{"B41-7.3", func(t *testing.T) { // transits come first
			g := fresh(t, 3, Soviet).put("24A", "K5", 1)
			g.noDuty()
			g.done(Replace{Unit: "24A", Steps: 1}).refused("B41-7.3", RVGKIn{ids("24A")})
		}},
		{"B41-X71", func(t *testing.T) {
			g := fresh(t, 3, Soviet).credit(PoolSoviet, 9)
			g.say(StepsSet{"22A", 2, "replacement"}, UnitRemoved{"22A", Box, "rvgk"}, UnitRemoved{"10A", Dead, "combat"})
			g.noDuty()
			g.done(RVGKOut{ids("22A"), []hex.Coord{at("H17")}}).refused("B41-6.13", Build{Unit: "10A", Steps: 1, At: at("H17")})
			g.done(Build{Unit: "10A", Steps: 1, At: k5})
		}},
		{"B41-X72", func(t *testing.T) {
			g := fresh(t, 7, Soviet).put("40A", "K7", 1)
			g.noDuty()
			g.refused("B41-6.18.A", Build{Unit: "1SH", Steps: 1, At: at("K7")})
			g.done(Convert{From: "40A", To: "1SH", Steps: 3}).where("1SH", "K7").steps("1SH", 4).where("40A", "gone").pool(PoolSoviet, 21)
			if f := g.p.face(g.unit("1SH")); f != [3]int{11, 8, 3} {
				t.Errorf("1SH is %v", f)
			}
			g.refused("B41-6.18.C", Build{Unit: "40A", Steps: 1, At: k5})
			fresh(t, 7, Soviet).only("K5").put("40A", "M9", 1).refused("B41-6.18.A", Convert{From: "40A", To: "1SH"})
		}},
		{"B41-X73", func(t *testing.T) {
			g := fresh(t, 3, Soviet).put("9A", "K5", 3).put("24A", "K5", 1).put("30A", "K5", 1).put("31A", "K5", 1)
			g.noDuty()
			if g.p.unit(g.unit("9A")).Ladder[3][0] < 6 {
				t.Skip("this set of counters has no such army")
			}
			g.refused("B41-8.1", Replace{Unit: "9A", Steps: 1})
		}},
		{"B41-X74", func(t *testing.T) {
			g := fresh(t, 3, Axis).credit(PoolNonMech, 2).credit(PoolMech, 2).put("56PZ", "H18", 2).put("13G", "H18", 2)
			leg := g.p.pool(PoolNonMech)
			g.refused("B41-6.7", Replace{Unit: "56PZ", Steps: 1, Pool: PoolNonMech})
			g.done(Replace{Unit: "13G", Steps: 1, Pool: PoolMech}).steps("13G", 3).pool(PoolNonMech, leg)
			g.done(Replace{Unit: "13G", Steps: 1}).pool(PoolNonMech, leg-1).refused("B41-6.17", Replace{Unit: "13G", Steps: 1})
			if g.p.unit(g.unit("13G")).Mech() {
				t.Error("13G is mechanised")
			}
			g.refused("B41-6.7", Replace{Unit: "56PZ", Steps: 1, Pool: PoolRomanian}).refused("B41-6.7", Replace{Unit: "56PZ", Steps: 1, Pool: PoolSoviet})
		}},
		{"B41-X75", func(t *testing.T) {
			g := fresh(t, 3, Axis).credit(PoolNonMech, 2).take(Axis, "H13").put("13G", "H9", 2)
			if s := g.p.status(g.unit("13G")); s.Line != 10 {
				t.Fatalf("%+v", s)
			}
			g.refused("B41-6.16", Replace{Unit: "13G", Steps: 1}).done(AirSupply{At: at("H9")}).refused("B41-6.16", Replace{Unit: "13G", Steps: 1})
		}},
		{"B41-X76", func(t *testing.T) {
			g := fresh(t, 2, Axis).put("3RUM", "U20", 2).put("4RUM", "V19", 2).pool(PoolRomanian, 2)
			g.refused("B41-6.17", Replace{Unit: "3RUM", Steps: 1})
			lose := func(id engine.UnitID, n int) {
				g.run(func(r *play) { r.lose(g.unit(id), n, "B41-14.7.A", "loss") })
			}
			vp := g.p.VP()
			lose("3RUM", 1)
			lose("4RUM", 1)
			g.done(Replace{Unit: "3RUM", Steps: 1}).done(Replace{Unit: "4RUM", Steps: 1, Pool: PoolRomanian}).pool(PoolRomanian, 0).points(vp)
			lose("3RUM", 1)
			lose("4RUM", 1)
			g.points(vp-2).refused("B41-6.4", Replace{Unit: "3RUM", Steps: 1})
			lose("3RUM", 1)
			g.where("3RUM", "gone").points(vp-3).credit(PoolRomanian, 2).refused("B41-6.12", Build{Unit: "3RUM", Steps: 1, At: at("U21")})
		}},
		{"B41-X77", func(t *testing.T) {
			g := fresh(t, 3, Axis).put("13G", "H18", 1).put("24A", "K5", 1)
			g.run(func(r *play) {
				r.lose(g.unit("13G"), 1, "B41-14.7.A", "loss")
				r.lose(g.unit("24A"), 1, "B41-14.7.A", "loss")
			})
			g.where("13G", "gone").where("24A", "dead").refused("B41-6.12", Build{Unit: "13G", Steps: 1, At: at("G20")})
			g.say(PhaseBegan{Soviet, NewUnitsPhase})
			g.credit(PoolSoviet, 3).done(Build{Unit: "24A", Steps: 1})
		}},
		{"B41-X78", func(t *testing.T) {
			corps := func(turn int, opt Options) *ground {
				g := bare(t, turn, Soviet, NewUnitsPhase, opt).only("K5", "M7")
				n := 0
				for u := range g.p.d.Units {
					if v := g.p.unit(u); v.MechCorps() && v.Ladder[0][0] == 2 && n < 5 {
						g.put(v.ID, []string{"K5", "K5", "K6", "M7", "K9"}[n], 1)
						n++
					}
				}
				if n < 5 {
					t.Skip("this set of counters has no five such corps")
				}
				return g.start()
			}
			g := corps(5, Options{})
			before := g.p.pool(PoolSoviet)
			g.refused("B41-6.22.A", Build{Unit: "FMG", Steps: 1}).done(DisbandMech{}).pool(PoolSoviet, before+2)
			if g.p.mechInPlay() {
				t.Error("corps are left")
			}
			g.refused("B41-6.22.A", Build{Unit: "FMG", Steps: 1}).refused("B41-6.22.B", DisbandMech{})
			g.run(func(r *play) { r.beginTurn(6) })
			g.say(Scored{at("K5"), 40, 40})
			g.noDuty()
			g.run(func(r *play) { r.beginSovietTurn() }).done(Build{Unit: "FMG", Steps: 2, At: k5})

			g = corps(5, Options{Other: []engine.RuleID{"B41-A31"}}).done(DisbandMech{})
			g.noDuty()
			g.done(Build{Unit: "FMG", Steps: 1})

			g = corps(4, Options{}).done(DisbandMech{}).refused("B41-2.7", Build{Unit: "FMG", Steps: 1})
			g.run(func(r *play) { _ = r.leaveNewUnits(); r.beginTurn(5); r.beginSovietTurn() }).done(Build{Unit: "FMG", Steps: 1})
		}},
		{"B41-X81", func(t *testing.T) {
			g := fresh(t, 3, Soviet).where("LPMA", "B9")
			g.run(func(r *play) { r.lose(g.unit("LPMA"), 1, "B41-14.7.A", "loss") }).where("LPMA", "gone")
			g = bare(t, 3, Soviet, NewUnitsPhase).take(Axis, "B9").take(Soviet, "B9").start().where("LPMA", "gone")
			g = bare(t, 3, Soviet, NewUnitsPhase).take(Axis, "B9").start().where("LPMA", "gone")
		}},
		{"B41-A132", func(t *testing.T) {
			cut := func(opt Options) *ground {
				g := bare(t, 3, Soviet, NewUnitsPhase, opt).only("B9").ring("B9")
				for _, h := range []string{"B8", "A8"} {
					if i := g.p.d.Board.Index(at(h)); i >= 0 && len(g.p.In(i)) == 0 {
						g.put("44G", h, 1)
					}
				}
				return g.start()
			}
			cut(Options{}).where("LPMA", "B9")
			cut(Options{Other: []engine.RuleID{"B41-A132"}}).where("LPMA", "later")
		}},
		{"B41-X84", func(t *testing.T) {
			g := fresh(t, 6, Soviet).where("PART", "held").take(Axis, "K9", "K8", "J9", "J10", "L8").put("1G", "J9", 1)
			g.refused("B41-6.21.A", PlacePart{At: at("K9")}).refused("B41-6.21.A", PlacePart{At: at("J9")})
			g.refused("B41-6.21.A", PlacePart{At: at("L7")}).refused("B41-6.21.A", PlacePart{At: at("J10")})
			g.done(PlacePart{Hold: true}).done(PlacePart{At: at("K8")}).where("PART", "K8").holder("K8", Soviet)
			g.refused("B41-6.21.B", PlacePart{At: at("L8")})
		}},
		{"B41-A18", func(t *testing.T) { // in the Movement Phase, before the first land move
			g := bare(t, 6, Soviet, MovePhase).take(Axis, "K8").put("24A", "K5", 1)
			g.say(UnitRemoved{"PART", Held, "available"})
			h := g.fork()
			h.done(PlacePart{At: at("K8")}).where("PART", "K8")
			g.say(Flagged{Units: ids("24A"), Set: Began})
			g.refused("B41-4.5.1.3.A", PlacePart{At: at("K8")})
		}},
		{"B41-X86", func(t *testing.T) { // what follows the drop
			g := bare(t, 6, Soviet, NewUnitsPhase).put("4ABN", "K8", 1)
			g.say(Flagged{Units: ids("4ABN"), Set: Dropped | WeakDrop})
			g.start().steps("4ABN", 2)
			g.run(func(r *play) { r.lose(g.unit("4ABN"), 1, "B41-14.7.A", "loss") }).start().steps("4ABN", 1)
			g.refused("B41-6.10.A", Replace{Unit: "4ABN", Steps: 1})
		}},
		{"B41-X87", func(t *testing.T) {
			g := bare(t, 2, Soviet, MovePhase).take(Axis, "K9").take(Soviet, "K9").credit(PoolSoviet, 2)
			g.say(PhaseBegan{Soviet, NewUnitsPhase}, UnitRemoved{"10A", Dead, "combat"})
			h := g.fork()
			h.only("K9").refused("B41-6.13", Build{Unit: "10A", Steps: 1, At: at("K9")})
			g.check(3, Soviet)
			g.say(PhaseBegan{Soviet, NewUnitsPhase})
			g.only("K9").done(Build{Unit: "10A", Steps: 1, At: at("K9")})
		}},
		{"B41-X13 B41-X201", func(t *testing.T) {
			g := bare(t, 6, Soviet, SupplyPhase).rich()
			g.say(UnitRemoved{"MSU", Box, "rvgk"})
			armies := ids("16A", "18A", "24A", "28A", "29A")
			for _, id := range armies {
				g.say(StepsSet{id, 1, "replacement"}, UnitRemoved{id, Box, "rvgk"})
			}
			g.done(MSU{Place: at("L9")})
			h := g.fork()
			g.done(engine.EndPhase{})
			l9 := at("L9")
			g.done(RVGKOut{armies[:4], []hex.Coord{l9, l9, l9, l9}}).where("28A", "L9")
			g.refused("B41-7.2.B", RVGKOut{armies[4:], []hex.Coord{k5}})
			h.put("30A", "K5", 1).put("31A", "K5", 1).put("32A", "K5", 1).put("33A", "K5", 1).done(engine.EndPhase{})
			h.done(RVGKIn{ids("30A", "31A", "32A", "33A")}).refused("B41-7.2.B", RVGKOut{ids("16A"), []hex.Coord{k5}})
		}},
		{"B41-X196", func(t *testing.T) {
			g := fresh(t, 7, Soviet).put("16A", "K5", 2).put("18A", "K5", 2).put("24A", "K5", 2).put("28A", "K5", 2)
			g.refused("B41-8.1", Convert{From: "16A", To: "1SH"})
			g.say(StepsSet{"16A", 1, "loss"})
			g.done(Convert{From: "16A", To: "1SH"}).where("1SH", "K5").steps("1SH", 1)
		}},
		{"B41-X197", func(t *testing.T) {
			set := func(opt Options) *ground {
				g := fresh(t, 8, Soviet, opt).put("LPMA", "B9", 1).put("COAST", "Y17", 1).put("FMG", "K5", 1).put("2SH", "K5", 1).put("24A", "K5", 1)
				return g.put("30A", "K7", 1)
			}
			g := set(Options{})
			for _, id := range ids("LPMA", "COAST", "FMG", "2SH") {
				g.refused("B41-6.18.A", Convert{From: id, To: "1SH"})
			}
			g.refused("B41-6.18.A", Convert{From: "24A", To: "30A"}).refused("B41-6.18.A", Build{Unit: "1SH", Steps: 1, At: k5})
			g.done(Convert{From: "24A", To: "1SH"})
			kill := func(r *play) { r.eliminate(g.unit("1SH"), "B41-14.7.A", "combat", false) }
			g.run(kill).where("1SH", "dead").refused("B41-6.18.A", Convert{From: "30A", To: "1SH"})
			g.done(Build{Unit: "1SH", Steps: 1, At: k5}).refused("B41-6.18.C", Build{Unit: "24A", Steps: 1})
			g = set(Options{Other: []engine.RuleID{"B41-A131"}}).done(Convert{From: "24A", To: "1SH"}).run(kill)
			g.refused("B41-6.18.A", Build{Unit: "1SH", Steps: 1, At: k5}).done(Convert{From: "30A", To: "1SH"}).where("1SH", "K7")
		}},
		{"B41-6.18.A in the Box", func(t *testing.T) {
			g := fresh(t, 8, Soviet)
			g.say(StepsSet{"24A", 2, "replacement"}, UnitRemoved{"24A", Box, "rvgk"})
			g.done(Convert{From: "24A", To: "1SH", Steps: 2}).where("1SH", "box").steps("1SH", 4)
		}},
		{"B41-X198", func(t *testing.T) {
			g := fresh(t, 6, Soviet).put("16A", "K5", 1).put("18A", "K5", 1).put("24A", "K5", 1)
			g.noDuty()
			g.refused("B41-8.1", Build{Unit: "FMG", Steps: 2, At: k5}).done(Build{Unit: "FMG", Steps: 1, At: k5})
			g.say(StepsSet{"FMG", 2, "replacement"})
			if c := g.p.transitCost(g.unit("FMG"), g.p.Steps(g.unit("FMG"))); c != 2 {
				t.Errorf("FMG counts %d", c)
			}
		}},
		{"B41-X199", func(t *testing.T) {
			g := fresh(t, 4, Axis).where("CSIR", "held")
			g.refused("B41-11.1.B", Build{Unit: "CSIR", At: at("H19")}).done(Build{Unit: "CSIR", At: at("O22")}).where("CSIR", "O22")
			g = fresh(t, 2, Axis).put("3RUM", "S22", 2).refused("B41-2.7", Build{Unit: "40PZ", Steps: 1, At: at("H19")})
			if err := g.order(Build{Unit: "SCH", At: at("S22")}); err == nil {
				t.Error("SCH joins the Romanians")
			}
			g.done(Build{Unit: "SCH", At: at("R22")}).where("SCH", "R22")
		}},
		{"B41-X200", func(t *testing.T) {
			g := bare(t, 5, Axis, NewUnitsPhase).credit(PoolNonMech, 2).credit(PoolMech, 2)
			g.refused("B41-6.7", Build{Unit: "40PZ", Steps: 2, At: at("G20"), Pool: PoolNonMech})
			g.done(Build{Unit: "40PZ", Steps: 2, At: at("G20")}).steps("40PZ", 2).pool(PoolMech, 0)
			g.put("1G", "E12", 1).put("26G", "E16", 1)
			g.refused("B41-6.14", Build{Unit: "35G", Steps: 1, At: at("E12")}).done(Build{Unit: "35G", Steps: 1, At: at("E16")})
		}},
		{"B41-A33", func(t *testing.T) {
			g := fresh(t, 2, Soviet, Options{Other: []engine.RuleID{"B41-A33"}})
			g.done(Build{Unit: "24A", Steps: 1}).done(Build{Unit: "16A", Steps: 1}).refused("B41-7.2.B", Build{Unit: "18A", Steps: 1})
		}},
		{"B41-A98", func(t *testing.T) {
			g := bare(t, 3, Soviet, NewUnitsPhase).put("COAST", "CC13", 1).credit(PoolSoviet, 2)
			g.done(Replace{Unit: "COAST", Steps: 1}).steps("COAST", 2)
		}},
		{"B41-X145", func(t *testing.T) { // the way back
			g := bare(t, 4, Axis, NewUnitsPhase).put("13G", "H20", 2).put("3RUM", "U21", 1)
			g.run(func(r *play) {
				r.remove(g.unit("13G"), Waiting, "B41-14.11.B.2", "zomo")
				r.remove(g.unit("3RUM"), Waiting, "B41-14.11.B.2", "zomo")
			})
			g.points(0).refused("B41-14.11.B.2", Reenter{ids("13G"), at("Q23")}).refused("B41-14.11.B.2", Reenter{ids("3RUM"), at("R22")})
			g.refused("B41-14.11.B.2", Reenter{ids("1G"), at("H20")})
			g.say(ConsolidationDeclared{})
			g.done(Reenter{ids("13G"), at("G20")}).where("13G", "G20").steps("13G", 2).done(Reenter{ids("3RUM"), at("V20")})
		}},
		{"B41-2.6.B", func(t *testing.T) {
			g := fresh(t, 4, Soviet).put("13G", "H18", 1).put("24A", "K5", 1).noDuty()
			g.refused("B41-2.6.B", Replace{Unit: "13G", Steps: 1}).refused("B41-2.6.B", Build{Unit: "40PZ", Steps: 1})
			g.refused("B41-2.6.B", RVGKIn{ids("13G")}).refused("B41-2.6.B", Convert{From: "13G", To: "1SH"}).refused("B41-2.6.B", Replace{Unit: "99A", Steps: 1})
			g.say(PhaseBegan{Axis, SupplyPhase})
			g.refused("B41-2.6.B", Consolidate{Corps: ids("24A")}).refused("B41-2.6.B", AirSupply{At: at("K5"), Units: Units{IDs: ids("24A")}})
		}},
		{"B41-4.3.A other side", func(t *testing.T) {
			fresh(t, 3, Axis).refused("B41-4.3.A", DisbandMech{}).refused("B41-4.3.A", RVGKIn{})
			fresh(t, 3, Soviet).refused("B41-4.3.A", Reenter{nil, at("G20")})
		}},
		{"B41-5.12 first arrival", func(t *testing.T) {
			g := fresh(t, 5, Soviet).where("MSU", "held")
			h := g.fork()
			g.refused("B41-5.12.F", MSU{Place: at("H19")}).done(MSU{Place: at("L9")}).where("MSU", "L9")
			if !g.p.operating(g.hex("L9")) || g.p.new.transits != 0 {
				t.Errorf("operating %v, %d transits", g.p.operating(g.hex("L9")), g.p.new.transits)
			}
			h.done(engine.EndPhase{}).where("MSU", "box")
			fresh(t, 5, Soviet).done(Build{Unit: "MSU", At: at("L9")}).where("MSU", "L9")
			fresh(t, 5, Soviet).done(Build{Unit: "MSU"}).where("MSU", "box")
		}},
	} {
		t.Run(c.id, c.f)
	}
}

// An order that says nothing is refused or does nothing; it breaks nothing.
func TestEmptyOrders(t *testing.T) {
	for _, s := range []engine.Side{Axis, Soviet} {
		for f := SupplyPhase; f <= AssaultPhase; f++ {
			for _, c := range []engine.Command{
				Consolidate{}, SeaSupply{}, AirSupply{}, Hedgehog{}, Hedgehog{Remove: true}, MSU{}, MSU{Remove: true}, LeningradSupply{}, RVGKIn{}, RVGKOut{},
				RVGKOut{Units: ids("24A")}, Build{}, Build{Unit: "24A"}, Build{Unit: "56PZ"}, Build{Unit: "MSU"}, Replace{}, Replace{Unit: "CAV", Steps: 1}, Convert{},
				DisbandMech{}, PlacePart{}, PlacePart{Hold: true}, Reenter{}, Standing{}, Standing{Policy: Policy{Top: "56PZ"}},
			} {
				g := bare(t, 8, s, f).rich()
				for _, id := range ids("PART", "MSU") {
					g.say(UnitRemoved{id, Held, "available"})
				}
				_ = g.order(c)
			}
		}
	}
}

// Whatever is ordered in New Units Phases from the start position on, no pool
// is overdrawn, no limit passed, no stack too high, no unit above its steps.
func TestRandomNewUnitsKeepTheLimits(t *testing.T) {
	d := shipped(t)
	start := begun(t)
	var places []hex.Coord
	for h := 0; h < d.Board.Len(); h++ {
		if d.Board.Any(h, Place|Zomo) {
			places = append(places, d.Board.At(h))
		}
	}
	accepted := 0
	rapid.Check(t, func(t *rapid.T) {
		g := &ground{r: New(d, Options{}), p: start.Clone().(*Position)}
		turn := rapid.IntRange(2, 11).Draw(t, "turn")
		for n := 2; n <= turn; n++ {
			g.say(TurnBegan{n})
		}
		s := rapid.SampledFrom([]engine.Side{Axis, Soviet}).Draw(t, "side")
		g.rich().say(PhaseBegan{s, NewUnitsPhase})
		if err := g.try(func(r *play) error { r.beginSovietTurn(); r.enterNewUnits(); return nil }); err != nil {
			t.Fatal(err)
		}
		var own []engine.UnitID
		for _, u := range d.Units {
			if u.Side == number(s) {
				own = append(own, u.ID)
			}
		}
		unit := func() engine.UnitID { return rapid.SampledFrom(own).Draw(t, "unit") }
		place := func() hex.Coord { return rapid.SampledFrom(places).Draw(t, "at") }
		for n := 0; n < 30; n++ {
			var c engine.Command
			switch rapid.IntRange(0, 7).Draw(t, "what") {
			case 0:
				c = RVGKIn{ids(unit())}
			case 1:
				c = RVGKOut{ids(unit()), []hex.Coord{place()}}
			case 2, 3:
				c = Build{Unit: unit(), Steps: rapid.IntRange(0, 4).Draw(t, "steps"), At: place()}
			case 4:
				c = Build{Unit: unit(), Steps: rapid.IntRange(1, 2).Draw(t, "steps")}
			case 5:
				c = Replace{Unit: unit(), Steps: rapid.IntRange(1, 2).Draw(t, "steps"), Pool: rapid.SampledFrom([]string{"", PoolMech, PoolNonMech}).Draw(t, "pool")}
			case 6:
				c = Convert{From: unit(), To: rapid.SampledFrom(ids("1SH", "2SH", "3SH", "4SH")).Draw(t, "to"), Steps: rapid.IntRange(0, 2).Draw(t, "steps")}
			case 7:
				u := g.p.d.Unit(unit())
				if g.p.onMap(u) && g.p.Steps(u) > 1 { // a loss, to be made good
					g.say(StepsSet{d.Units[u].ID, g.p.Steps(u) - 1, "loss"})
				}
				continue
			}
			if g.order(c) == nil {
				accepted++
			}
			p := g.p
			for i, n := range p.new.pools {
				if n < 0 {
					t.Fatalf("%v: the pool %s holds %d", c, poolNames[i], n)
				}
			}
			if p.new.transits > d.Turns[turn].Transits {
				t.Fatalf("%v: %d transits", c, p.new.transits)
			}
			for h := 0; h < d.Board.Len(); h++ {
				if len(p.In(h)) > 0 && !p.stackLegal(h, number(s)) {
					t.Fatalf("%v: %s is overstacked", c, p.name(h))
				}
			}
			for u := range d.Units {
				if p.Steps(u) > d.Units[u].Max || p.where[u] == Box && p.mayBox(u) != nil || p.onMap(u) && p.Steps(u) == 0 {
					t.Fatalf("%v: %s has %d steps, %v", c, d.Units[u].ID, p.Steps(u), p.where[u])
				}
			}
		}
	})
	if least := 50; accepted < least && !(testing.Short() && accepted >= least/5) {
		t.Errorf("only %d orders were taken", accepted)
	}
}
