package blitz41

import (
	"testing"

	"pbemd/engine"
	"pbemd/engine/hex"
)

func TestConditions(t *testing.T) {
	m := movingAt(t, "turn 4 axis move\nCC9 13G 4 air\nCC8 56PZ 3 air\nCC7 24A 1\nK6 28A 2")
	yes := func(c engine.Condition) {
		t.Helper()
		if !m.r.Holds(m.p, Axis, c) {
			t.Errorf("%+v does not hold", c)
		}
	}
	no := func(c engine.Condition) {
		t.Helper()
		if m.r.Holds(m.p, Axis, c) {
			t.Errorf("%+v holds", c)
		}
	}
	at := hex.MustParse
	no(LastIs{"WON"})
	no(BattleIs{at("CC7"), "WON"})
	no(BattleIs{at("CC7"), "LOST"})
	yes(HexIs{at("CC7"), "ENEMY"})
	yes(HexIs{at("CC7"), "HELD"})
	no(HexIs{at("CC7"), "OURS"})
	yes(HexIs{at("CC8"), "OURS"})
	yes(HexIs{at("CC8"), "CONTROLLED"})
	yes(HexIs{at("CC6"), "EMPTY"})
	no(HexIs{at("CC6"), "CONTROLLED"})
	yes(StepsOf{"56PZ", Compare{">=", 3}})
	no(StepsOf{"56PZ", Compare{">", 3}})
	// Of the enemy's counters nothing is told.
	no(StepsOf{"24A", Compare{">=", 0}})
	no(UnitIs{"24A", "ALIVE", hex.Coord{}})
	no(UnitIs{"24A", "AT", at("CC7")})
	yes(UnitIs{"56PZ", "ALIVE", hex.Coord{}})
	no(UnitIs{"56PZ", "DEAD", hex.Coord{}})
	yes(UnitIs{"56PZ", "AT", at("CC8")})
	yes(UnitIs{"56PZ", "FULL", hex.Coord{}})
	yes(UnitIs{"56PZ", "SUPPLIED", hex.Coord{}})
	yes(Number{"APLEFT", Compare{"=", m.pos().air[axis]}})
	no(Number{"LOST", Compare{">=", 0}})
	m.do(Stack{At: at("CC8")})
	yes(Number{"MP", Compare{"=", 8}})
	m.do(goAlong("DD8"))
	yes(Number{"MP", Compare{"=", 7}})
	m.do(goAlong("CC8"), ma("CC7", false))
	yes(LastIs{"WON"})
	yes(BattleIs{at("CC7"), "WON"})
	yes(Number{"MP", Compare{"=", 3}})
	yes(And{[]engine.Condition{LastIs{"WON"}, Not{LastIs{"HELD"}}}})
	no(And{[]engine.Condition{LastIs{"WON"}, LastIs{"HELD"}}})
	yes(Or{[]engine.Condition{LastIs{"HELD"}, HexIs{at("CC7"), "OURS"}}})
	no(Or{nil})
	no(nil)
}
