package blitz41

import (
	"fmt"
	"testing"

	"pbemd/engine"
)

// mps is what a victor may use: the award against class, supply and weather.
func (f *field) mps(award int, dx bool, loss int, id engine.UnitID) int {
	b := &battle{play: &play{p: f.p}, kind: "pa", dx: dx, award: award}
	return min(b.awarded(), f.p.advanceMPs(f.u(id), loss == 0, f.p.d.Turns[f.p.turn].North))
}

func TestAdvanceMPs(t *testing.T) {
	for _, c := range []struct {
		id, turn string
		unit     engine.UnitID
		award    int
		dx       bool
		loss     int
		want     int
	}{
		{"B41-X158", "3 axis", "56PZ", 3, false, 0, 3},
		{"B41-X158", "3 axis", "57PZ", 3, false, 1, 2},
		{"B41-X158", "3 axis", "13G", 3, false, 0, 2},
		{"B41-X158", "3 axis", "CSIR", 3, false, 0, 0},
		{"B41-X159", "3 axis", "56PZ", 0, true, 0, 4},
		{"B41-X159", "3 axis", "57PZ", 0, true, 1, 2},
		{"B41-X159", "3 axis", "13G", 0, true, 0, 2},
		{"B41-X159", "3 axis", "CSIR", 0, true, 0, 0},
		{"B41-X160", "3 axis", "56PZ", 0, false, 0, 0},
		{"B41-X161/mud", "6 axis", "56PZ", 0, true, 0, 0},
		{"B41-X161/frost", "8 axis", "56PZ", 0, true, 0, 4},
		{"B41-X161/frost", "8 axis", "56PZ", 0, true, 1, 0},
		{"B41-X161/frost", "8 axis", "13G", 0, true, 0, 0},
		{"B41-X162", "3 soviet", "3MC", 3, false, 0, 2},
		{"B41-X162", "3 soviet", "3MC", 3, false, 1, 0},
		{"B41-14.23.A", "3 soviet", "24A", 3, true, 0, 0},
		{"B41-14.25.D", "3 axis", "13G", 3, true, 1, 0},
	} {
		t.Run(fmt.Sprintf("%s/%s/%d", c.id, c.unit, c.loss), func(t *testing.T) {
			if got := battlefield(t, "turn "+c.turn+" assault").mps(c.award, c.dx, c.loss, c.unit); got != c.want {
				t.Errorf("%d MPs, want %d", got, c.want)
			}
		})
	}
}

// forward is how many hexes of a path a unit can go after a battle.
func (f *field) forward(award, loss int, id engine.UnitID, from, path string) int {
	u := f.u(id)
	b := &battle{play: &play{p: f.p}, kind: "pa", award: award, side: f.p.unit(u).Side, attack: []strength{{u: u, h: f.p.named(from)}}, full: map[int]bool{u: loss == 0}}
	return b.forward(u, f.p.follow(f.p.named(from), hexes(path)))
}

func TestHowFarAdvancesGo(t *testing.T) {
	for _, c := range []struct {
		id, turn, lines string
		award           int
		unit            engine.UnitID
		from, path      string
		want            int
	}{
		{"B41-X167", "6 axis", "Z14 56PZ 4", 4, "56PZ", "Z14", "AA14 BB14 CC14", 3},
		{"B41-X215", "3 axis", "Z13 56PZ 4", 4, "56PZ", "Z13", "AA14 BB14", 1},
		{"B41-14.28.A", "8 axis", "H14 13G 3", 0, "13G", "H14", "H13 H12", 1},
		{"B41-X211", "5 soviet", "CC11 3MC", 4, "3MC", "CC11", "CC12 CC13", 1},
		{"B41-9.12.A", "3 axis", "CC13 56PZ 4", 4, "56PZ", "CC13", "CC12 CC11", 1},
		{"B41-A66", "3 axis", "R20 47PZ 4|R18 24A 2", 4, "47PZ", "R20", "R19 R18 R17", 1},
	} {
		t.Run(c.id, func(t *testing.T) {
			f := battlefield(t, append([]string{"turn " + c.turn + " assault"}, splitLines(c.lines)...)...)
			if got := f.forward(c.award, 0, c.unit, c.from, c.path); got != c.want {
				t.Errorf("%d hexes, want %d", got, c.want)
			}
		})
	}
	t.Run("B41-X163", func(t *testing.T) { // the first hex may be dear, the next is paid
		f := battlefield(t, "turn 3 axis assault", "H14 56PZ 4")
		// H13 is forest over the river: 2 + 2; award 3 pays for it alone.
		if n := f.forward(3, 0, "56PZ", "H14", "H13 H12"); n != 1 {
			t.Errorf("%d hexes", n)
		}
	})
}

func TestProbes(t *testing.T) {
	setup := func(t *testing.T, more ...string) *field {
		f := battlefield(t, append([]string{"turn 3 axis assault", "R20 47PZ 4", "intact R19"}, more...)...)
		return f
	}
	t.Run("B41-X164", func(t *testing.T) {
		f := setup(t)
		e := f.do(probe("R19", "R20: 47PZ", AdvanceClause{Units: Units{IDs: []engine.UnitID{"47PZ"}}, Path: hexes("R19 R18 R17 R16")}))
		if e.Die != 0 || e.Word != "WON" {
			t.Errorf("%+v", e)
		}
		f.want("47PZ R16 4", "47PZ")
		for _, h := range []string{"R19", "R18", "R17", "R16"} {
			if f.p.Owner(f.p.named(h)) != axis {
				t.Errorf("%s is not taken", h)
			}
		}
		if !f.p.wrecked[f.p.named("R19")] {
			t.Error("R19 is not wrecked")
		}
		t.Run("B41-X165", func(t *testing.T) {
			f.refused("14.31.B", probe("R15", "R16: 47PZ"))
		})
	})
	t.Run("B41-X164/MSU", func(t *testing.T) {
		f := setup(t, "R19 MSU")
		f.do(probe("R19", "R20: 47PZ"))
		f.want("47PZ R19 4", "47PZ")
	})
	t.Run("B41-X164/PART", func(t *testing.T) { setup(t, "R19 PART 2").refused("14.38", probe("R19", "R20: 47PZ")) })
	t.Run("B41-X170", func(t *testing.T) {
		f := battlefield(t, "turn 1 axis assault", "U21 3RUM 2", "U21 29G 3", "U20 24A 2", "H19 56PZ 4")
		f.refused("4.4.C", attack("U20 FROM U21: 29G"))
		f.do(probe("H18", "H19: 56PZ"))
	})
	t.Run("B41-14.38/ours", func(t *testing.T) {
		setup(t, "control axis R21").refused("14.38", probe("R21", "R20: 47PZ"))
	})
	t.Run("no clause", func(t *testing.T) { // everybody goes in by default
		f := setup(t, "R20 13G 2")
		f.do(probe("R19", "R20"))
		f.want("47PZ R19 4, 13G R19 2", "47PZ", "13G")
	})
}

func splitLines(s string) []string {
	var out []string
	for len(s) > 0 {
		i := 0
		for i < len(s) && s[i] != '|' {
			i++
		}
		out = append(out, s[:i])
		s = s[min(i+1, len(s)):]
	}
	return out
}

func TestAdvancesSplitAndStop(t *testing.T) {
	won := func(t *testing.T, a *Advance, more ...string) *field {
		f := battlefield(t, append([]string{"turn 3 axis assault", "H13 56PZ 4", "H13 57PZ 4", "H13 41PZ 4", "H12 24A 1"}, more...)...)
		f.die = 1
		f.stand(Soviet, yield())
		e := f.do(attack("H12 FROM H13", BattleOptions{Advance: a}))
		if !e.Cleared {
			t.Fatalf("%+v", e)
		}
		return f
	}
	clause := func(id engine.UnitID, path string) AdvanceClause {
		return AdvanceClause{Units: Units{IDs: []engine.UnitID{id}}, Path: hexes(path)}
	}
	t.Run("B41-X168", func(t *testing.T) {
		f := won(t, &Advance{Clauses: []AdvanceClause{clause("56PZ", "H12 H11"), clause("57PZ", "H12 I12"), {Units: Units{Word: "REST"}, Occupy: true}}})
		f.want("56PZ H11 4, 57PZ I12 4, 41PZ H12 4", "56PZ", "57PZ", "41PZ")
		g := battlefield(t, "turn 3 axis assault", "H13 56PZ 4", "H12 24A 1")
		g.refused("14.28.B", attack("H12 FROM H13", BattleOptions{Advance: forwardTo("56PZ", "G12")}))
	})
	t.Run("TOWARD", func(t *testing.T) {
		f := won(t, &Advance{Clauses: []AdvanceClause{{Units: Units{Word: "MECH"}, Toward: at("H10"), Max: 1}}})
		f.want("56PZ H12 4", "56PZ")
	})
	t.Run("IF DX", func(t *testing.T) {
		f := won(t, &Advance{Clauses: []AdvanceClause{{Units: Units{Word: "ALL"}, Occupy: true, IfDX: true}}})
		if dx := f.p.lastBattle(axis).dx; dx != (f.at("56PZ") == "H12") {
			t.Errorf("DX %v, 56PZ in %s", dx, f.at("56PZ"))
		}
	})
	t.Run("NONE", func(t *testing.T) {
		if f := won(t, &Advance{None: true}); f.at("56PZ") != "H13" {
			t.Errorf("56PZ in %s", f.at("56PZ"))
		}
	})
	t.Run("by default", func(t *testing.T) { // a town is occupied, an empty hex is not
		if f := won(t, nil); f.at("56PZ") != "H13" || f.at("57PZ") != "H13" {
			t.Errorf("56PZ in %s", f.at("56PZ"))
		}
		f := battlefield(t, "turn 3 axis assault", "H18 56PZ 4", "H18 57PZ 4", "H17 24A 1")
		f.die = 1
		f.stand(Soviet, yield())
		f.do(attack("H17 FROM H18"))
		if f.at("56PZ") != "H17" && f.at("57PZ") != "H17" {
			t.Error("Kaunas is not occupied")
		}
	})
	t.Run("B41-X124", func(t *testing.T) {
		f := battlefield(t, "turn 6 soviet assault", "air axis 2")
		AirSpent{Axis, 2, at("K9")}.apply(f.p)
		if f.p.air[axis] != 0 {
			t.Errorf("%d points", f.p.air[axis])
		}
		TurnBegan{7}.apply(f.p)
		if f.p.air[axis] != f.p.d.Turns[7].AxisAir {
			t.Errorf("%d points on turn 7", f.p.air[axis])
		}
	})
}
