package blitz41

import (
	"testing"

	"pbemd/engine"
	"pbemd/engine/hex"
)

// ma is a mobile assault that takes its own result as steps, or by retreat.
func ma(at string, retreat bool) MobileAssault {
	return MobileAssault{hex.MustParse(at), BattleOptions{Loss: &LossPolicy{Steps: !retreat, Retreat: retreat}}}
}

func (m *moving) steps(unit string, want int) {
	m.t.Helper()
	if n := m.pos().Steps(m.pos().d.Unit(engine.UnitID(unit))); n != want {
		m.t.Errorf("%s has %d steps, want %d", unit, n, want)
	}
}

// Entering, paying, going on.
func TestMobileAssaultsByGermans(t *testing.T) {
	// Clear ground east of the Dnieper; the panzers are supplied by air.
	three := "turn 4 axis move\nCC9 56PZ 4 air\nCC9 46PZ 4 air\nCC9 57PZ 4 air\n"
	t.Run("B41-X92", func(t *testing.T) {
		m := movingAt(t, three+"CC7 24A 1\nCC6 28A 1\nDD6 29A 1")
		m.do(stackOf("CC9", "56PZ 46PZ 57PZ"), goAlong("CC8"), ma("CC7", false))
		m.mp("56PZ", 5)
		m.at("56PZ", "CC7", "24A", "")
		m.owner("CC7", Axis)
		m.do(ma("CC6", false))
		m.mp("56PZ", 2)
		r := m.bad("B41-12.11", ma("DD6", false))
		if r.Text.Args["left"] != 2 {
			t.Errorf("%v", r)
		}
		m.do(goAlong("CC5 CC4"), EndStack{})
		m.at("56PZ", "CC4")
	})
	t.Run("B41-12.9.A", func(t *testing.T) {
		m := movingAt(t, three+"CC9 13G 4 air\nCC8 24A 1")
		m.do(Stack{At: hex.MustParse("CC9")})
		r := m.bad("B41-12.9.A", ma("CC8", false))
		if r.Text.Args["unit"] != "13G" {
			t.Errorf("%v", r)
		}
		m.do(Leave{Units{IDs: unitList("13G")}}, ma("CC8", false))
		m.bad("B41-12.9.A", ma("CC7", false)) // nobody is there
	})
	t.Run("B41-X97", func(t *testing.T) {
		// 47PZ 10: 20 is 1-2; die 1: 1/1. Three of five MPs are left, then two.
		m := movingAt(t, "turn 4 axis move\nCC9 56PZ 4 air\nCC7 8A 3\nCC7 9A 4\nCC7 10A 2")
		m.die, m.hold = 1, true
		m.do(stackOf("CC9", "56PZ"), goAlong("CC8"), ma("CC7", false))
		m.steps("56PZ", 3)
		m.at("56PZ", "CC7")
		m.mp("56PZ", 5)
		if !m.r.Holds(m.p, Axis, LastIs{"HELD"}) {
			t.Fatal("not held")
		}
		m.bad("B41-12.22", goAlong("CC6"))
		m.do(Repeat{Max: 1, Options: ma("CC7", false).Options})
		m.steps("56PZ", 2)
		m.at("56PZ", "CC8")
		m.mp("56PZ", 2)
		m.owner("CC7", Soviet)
		m.bad("B41-12.11", Repeat{})
		m.bad("B41-12.22", goAlong("CC9"))
		m.do(Return{}, goAlong("CC9 DD9"))
		m.at("56PZ", "DD9")
	})
	t.Run("B41-12.22.B return and another assault", func(t *testing.T) {
		m := movingAt(t, "turn 4 axis move\nCC8 56PZ 4 air\nCC7 8A 3\nCC7 9A 4\nCC7 10A 2")
		m.die, m.hold = 1, true
		m.do(stackOf("CC8", "56PZ"), ma("CC7", false))
		m.at("56PZ", "CC7")
		m.mp("56PZ", 6)
		o := m.order(goAlong("CC9"))
		o.If = LastIs{"HELD"}
		if err := m.tryOrder(o); err != nil {
			t.Fatal(err)
		}
		m.at("56PZ", "CC9")
		m.mp("56PZ", 5)
		m.bad("B41-12.22.B", Return{})
	})
	t.Run("a stack put down in a hex of the enemy goes home", func(t *testing.T) {
		for _, c := range []engine.Command{EndStack{}, stackOf("S12", "13G"), moveOf("13G", "S11"), engine.EndPhase{}, Stop{}} {
			m := movingAt(t, "turn 4 axis move\nS12 13G 4 air\nCC8 56PZ 4 air\nCC7 8A 3\nCC7 9A 4\nCC7 10A 2")
			m.die, m.hold = 1, true
			m.do(stackOf("CC8", "56PZ"), ma("CC7", false), c)
			m.at("56PZ", "CC8")
			m.owner("CC7", Soviet)
		}
	})
	t.Run("B41-X112", func(t *testing.T) {
		m := movingAt(t, "turn 4 axis move\nCC8 56PZ 4 air\nCC7 8A 3\nCC7 9A 4\nCC7 10A 2")
		m.die, m.hold = 1, true
		m.do(stackOf("CC8", "56PZ"), ma("CC7", false), engine.EndPhase{},
			Attack{At: []hex.Coord{hex.MustParse("CC7")}, From: []Origin{{At: hex.MustParse("CC8"), Units: Units{IDs: unitList("56PZ")}}}})
	})
	t.Run("B41-A25 the other reading", func(t *testing.T) {
		for other, want := range map[string]int{"": 4, "option other B41-A25\n": 3} {
			m := movingAt(t, other+"turn 4 axis move\nH18 56PZ 4\nH17 24A 2")
			if c := m.pos().relaunchCost(m.pos().d.Unit("56PZ"), m.pos().named("H18"), m.pos().named("H17")); c != want {
				t.Errorf("%q: %d MP, want %d", other, c, want)
			}
		}
	})
	t.Run("B41-X96", func(t *testing.T) {
		m := movingAt(t, "turn 4 axis move\nCC8 56PZ 4 air\nCC7 8A 3\nCC7 9A 4\nCC7 10A 2")
		m.die, m.hold = 1, true
		m.do(stackOf("CC8", "56PZ"), ma("CC7", true))
		m.at("56PZ", "CC9")
		m.steps("56PZ", 4)
		m.bad("B41-12.8", goAlong("CC10"))
		m.do(Stop{}, EndStack{})
		if !m.r.Holds(m.p, Axis, LastIs{"REPULSED"}) {
			t.Error("not repulsed")
		}
		m.bad("B41-12.8", moveOf("56PZ", "CC10"))
	})
	t.Run("B41-X98", func(t *testing.T) {
		// 10 : 8 is 1-1; die 1: 1/2, and both give way.
		m := movingAt(t, "turn 4 axis move\nCC8 56PZ 4 air\nCC7 24A 2\nCC7 28A 2")
		m.die = 1
		m.do(stackOf("CC8", "56PZ"), ma("CC7", true))
		m.at("56PZ", "CC9", "24A", "CC5")
		m.owner("CC7", Soviet)
	})
	t.Run("B41-X99", func(t *testing.T) {
		m := movingAt(t, "turn 4 axis move\nCC8 56PZ 1 air\nCC8 46PZ 2 air\nCC7 8A 3\nCC7 9A 4\nCC7 10A 4")
		m.do(stackOf("CC8", "46PZ"))
		m.die = 0 // no die is thrown
		m.do(ma("CC7", false))
		m.at("46PZ", "CC8")
		m.steps("46PZ", 1)
		m.bad("B41-12.8", goAlong("CC9"))
	})
	t.Run("B41-X101", func(t *testing.T) {
		m := movingAt(t, "turn 4 axis move\nCC9 56PZ 4 air\nCC9 46PZ 4 air\nCC9 57PZ 4 air\nCC9 CSIR 2 air\nCC8 24A 1")
		m.do(Stack{At: hex.MustParse("CC9")})
		m.bad("B41-11.5", ma("CC8", false))
		m.do(Leave{Units{IDs: unitList("CSIR")}}, ma("CC8", false))
		m.at("56PZ", "CC8", "CSIR", "CC9")
	})
	t.Run("B41-X46", func(t *testing.T) {
		m := movingAt(t, "turn 4 axis move\nCC8 56PZ 4\nV20 13G 4\nCC7 24A 1\nT10 28A 1\nV10 29A 1")
		before, _ := m.pos().allowance(m.pos().d.Unit("56PZ"), m.pos().status(m.pos().d.Unit("56PZ")))
		m.do(stackOf("CC8", "56PZ"), goAlong("CC9"))
		m.mp("56PZ", before-1)
		m.do(engine.Continue{})
		r := m.pos().move.run(m.pos().d.Unit("56PZ"))
		Flagged{Units: unitList("56PZ"), Set: AirSupplied}.apply(m.pos())
		m.do(goAlong("CC8"))
		if r = m.pos().move.run(r.u); r.mp != before-2 || r.sup.Loss == 0 {
			t.Errorf("%d MP left, supply %+v", r.mp, r.sup)
		}
	})
	t.Run("B41-X53 consolidation bars assaults", func(t *testing.T) {
		m := movingAt(t, "turn 6 axis supply\nK9 56PZ 4\nL16 24PZ 4\nL16 46PZ 4\nL16 47PZ 4\nL16 57PZ 4\nL17 14PZ 4\nL18 24A 1")
		m.do(Consolidate{Corps: unitList("56PZ 24PZ 46PZ 47PZ 57PZ")}, engine.ToPhase{Phase: "move"}, stackOf("L17", "14PZ"))
		m.bad("B41-5.19.D", ma("L18", false))
	})
}

// Where no mobile assault is made.
func TestWhereNoMobileAssaultIsMade(t *testing.T) {
	for _, c := range []struct {
		id, state, unit, at string
		rule                engine.RuleID
	}{
		{"B41-X103 Sivash", "turn 6 axis move\nvp 40\nZ13 56PZ 4 air\nAA14 24A 1", "56PZ", "AA14", "B41-9.13.C"},
		{"B41-X104", "turn 6 soviet move\nvp 40\nAA14 3MC 1\nZ14 13G 1", "3MC", "Z14", "B41-9.3"},
		{"B41-X105", "turn 3 axis move\nZ13 56PZ 4 air\nAA14 24A 1", "56PZ", "AA14", "B41-9.13.C"},
		{"B41-X211", "turn 5 soviet move\nCC11 3MC 1\nCC12 13G 1", "3MC", "CC12", "B41-9.12.B"},
		{"B41-X207", "turn 2 soviet move\nQ22 26A 2\nQ22 8MC 1\nQ23 SCH 2", "8MC", "Q23", "B41-A26"},
		{"B41-9.24.C", "turn 8 soviet move\nvp 40\nB9 3MC 1\nB8 13G 1", "3MC", "B8", "B41-9.24.C"},
		{"B41-9.24.B", "turn 4 soviet move\nG9 3MC 1\nG8 13G 1", "3MC", "G8", "B41-9.24.B"},
		{"B41-9.14", "turn 4 soviet move\nD15 3MC 1\nD16 13G 1", "3MC", "D16", "B41-9.14"},
		{"B41-12.9.A", "turn 4 soviet move\nK7 24A 2\nK8 13G 1", "24A", "K8", "B41-12.9.A"},
	} {
		t.Run(c.id, func(t *testing.T) {
			m := movingAt(t, c.state)
			at := m.pos().name(m.pos().At(m.pos().d.Unit(engine.UnitID(c.unit))))
			m.do(stackOf(at, c.unit))
			m.bad(c.rule, ma(c.at, false))
		})
	}
	t.Run("B41-X103 from Z14", func(t *testing.T) {
		m := movingAt(t, "turn 6 axis move\nvp 40\nZ14 56PZ 4 air\nZ14 46PZ 4 air\nZ14 57PZ 4 air\nAA14 24A 1")
		m.do(stackOf("Z14", "56PZ 46PZ 57PZ"), ma("AA14", false))
		m.mp("56PZ", 6)
		m.at("56PZ", "AA14")
	})
	t.Run("B41-X91", func(t *testing.T) {
		m := movingAt(t, "turn 4 soviet move\nCC9 24A 2\nCC9 28A 2\nCC9 29A 2\nCC9 30A 2\nCC10 3MC 1\nCC8 13G 1")
		m.do(stackOf("CC10", "3MC"), goAlong("CC9"))
		r := m.bad("B41-8.1", ma("CC8", false))
		if r.Text.Args["units"] != "4½" {
			t.Errorf("%v", r)
		}
	})
}

// A Soviet mechanised unit makes one a phase, takes its loss as steps, and
// comes back.
func TestMobileAssaultsBySoviets(t *testing.T) {
	t.Run("B41-X93", func(t *testing.T) {
		m := movingAt(t, "turn 5 soviet move\nCC9 3MC 1\nCC9 FMG 2\nBB8 13G 1"+onlyMoscow(t))
		m.die = 1
		m.do(stackOf("CC9", "FMG"))
		r := m.bad("B41-12.11", ma("BB8", false))
		if r.Text.Args["need"] != 3 || r.Text.Args["left"] != 2 {
			t.Errorf("%v", r)
		}
		m = movingAt(t, "turn 5 soviet move\nCC9 FMG 2"+onlyMoscow(t))
		m.do(moveOf("FMG", "BB8"))
		m = movingAt(t, "turn 5 soviet move\nCC9 3MC 1\nBB8 13G 1"+onlyMoscow(t))
		m.do(stackOf("CC9", "3MC"), ma("BB8", false))
	})
	t.Run("B41-X94", func(t *testing.T) {
		m := movingAt(t, "turn 5 soviet move\nK4 FMG 2\nO4 13G 1\nM4 24A 2\nO5 42G 1\nN4 FMG 2")
		m.die = 1
		m.do(stackOf("N4", "FMG"), ma("O4", false))
		m.at("FMG", "O4")
		m.owner("O4", Soviet)
		m.bad("B41-12.14.B", ma("O5", false))
		m.do(goAlong("O3"))
	})
	t.Run("B41-X95", func(t *testing.T) {
		// 6 : 9 is 1-2; die 1: 1/1.
		m := movingAt(t, "turn 5 soviet move\nN4 FMG 2\nO4 56PZ 4 air\nO4 13G 1 air")
		m.die, m.hold = 1, true
		m.do(stackOf("N4", "FMG"), ma("O4", true))
		m.steps("FMG", 1)
		m.at("FMG", "N4")
		m.owner("O4", Axis)
		m.bad("B41-12.22", goAlong("N3"))
		m.bad("B41-12.14.B", Repeat{})
		m.do(Return{}, goAlong("N3"))
		m.at("FMG", "N3")
	})
}

// Sheets: an overtaken line halts, CONTINUE skips it.
func TestOvertakenLines(t *testing.T) {
	state := "turn 4 axis move\nS12 13G 4 air\nCC8 56PZ 4 air\nCC7 8A 3\nCC7 9A 4\nCC7 10A 2"
	sheet := func(m *moving, cmds ...engine.Command) engine.Execution {
		m.die, m.hold = 1, true
		var orders []engine.Order
		for i, c := range cmds {
			o := m.order(c)
			o.Line = i + 1
			orders = append(orders, o)
		}
		return engine.Execute(m.r, m.p, 0, orders, 0, m.env(), nil)
	}
	marks := func(x engine.Execution) (out []engine.Mark) {
		for _, v := range x.Verdicts {
			out = append(out, v.Mark)
		}
		return out
	}
	same := func(a, b []engine.Mark) bool {
		for i := range a {
			if len(a) != len(b) || a[i] != b[i] {
				return false
			}
		}
		return true
	}
	t.Run("B41-X186", func(t *testing.T) {
		m := movingAt(t, state)
		x := sheet(m, stackOf("CC8", "56PZ"), ma("CC7", false), goAlong("CC6"), EndStack{})
		if got := marks(x); !same(got, []engine.Mark{engine.Good, engine.Good, engine.Halted, engine.NotYet}) {
			t.Errorf("%v", got)
		}
		if x.Verdicts[2].Refusal.Text.Key != "b41.ma.held" {
			t.Errorf("%v", x.Verdicts[2].Refusal)
		}
		m.p, m.log = x.Position, x.Events
		// The stack is still open in the next sheet.
		m.do(Return{}, goAlong("CC9"), EndStack{})
		m.at("56PZ", "CC9")
	})
	t.Run("B41-X219", func(t *testing.T) {
		m := movingAt(t, state)
		x := sheet(m, engine.Continue{}, stackOf("CC8", "56PZ"), ma("CC7", false), goAlong("CC6"), moveOf("13G", "S11"))
		if got := marks(x); !same(got, []engine.Mark{engine.Good, engine.Good, engine.Good, engine.Skipped, engine.Good}) {
			t.Errorf("%v", got)
		}
		m.p, m.log = x.Position, x.Events
		m.at("56PZ", "CC8", "13G", "S11")
		x = sheet(movingAt(t, state), stackOf("CC8", "56PZ"), ma("CC7", false), goAlong("CC6"), moveOf("13G", "S11"))
		if got := marks(x); !same(got, []engine.Mark{engine.Good, engine.Good, engine.Halted, engine.NotYet}) {
			t.Errorf("%v", got)
		}
	})
	t.Run("B41-X218", func(t *testing.T) {
		attack := Attack{At: []hex.Coord{hex.MustParse("CC7")}, From: []Origin{{At: hex.MustParse("CC8")}}}
		moves := []engine.Command{moveOf("13G", "S11")}
		m := movingAt(t, state)
		rehearse := func(cmds ...engine.Command) engine.Rehearsal {
			var orders []engine.Order
			for i, c := range cmds {
				o := m.order(c)
				o.Line = i + 1
				orders = append(orders, o)
			}
			return engine.Rehearse(m.r, m.p, 0, orders, m.env(), false)
		}
		if r := rehearse(append(moves, attack)...); r.Clean {
			t.Error("the sheet without PHASE ASSAULT is clean")
		}
		if r := rehearse(append(moves, engine.ToPhase{Phase: "assault"}, attack)...); !r.Clean || !r.Rolls {
			t.Errorf("with it: %+v", r.Verdicts)
		}
	})
	t.Run("a dry run ends at the commit", func(t *testing.T) {
		m := movingAt(t, state)
		orders := []engine.Order{m.order(stackOf("CC8", "56PZ")), m.order(ma("CC7", false)), m.order(goAlong("CC6"))}
		r := engine.Rehearse(m.r, m.p, 0, orders, m.env(), false)
		if !r.Clean || !r.Rolls || r.Verdicts[2].Mark != engine.Depends {
			t.Errorf("%+v", r.Verdicts)
		}
	})
}
