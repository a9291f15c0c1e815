package blitz41

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pbemd/engine"
)

// result has one side take n increments in a position and says what it could
// choose from.
func (f *field) result(defends bool, from string, n int, kind string, ids ...engine.UnitID) (options []string) {
	f.t.Helper()
	var units []int
	for _, id := range ids {
		units = append(units, f.u(id))
	}
	side := f.p.unit(units[0]).Side
	_, events, err := engine.Do(probeGame{f.r, func(g *play) {
		b := &battle{play: g, kind: kind, side: side, at: []int{f.p.named("A20")}, from: []int{f.p.named(from)}, before: map[int]int{}, allout: -1}
		if defends {
			b.side, b.at, b.from = enemyOf(side), []int{f.p.named(from)}, nil
		}
		for _, u := range units {
			s := strength{u: u, h: f.p.named(from)}
			if defends {
				b.defend, b.defenders = append(b.defend, s), append(b.defenders, u)
			} else {
				b.attack, b.attackers = append(b.attack, s), append(b.attackers, u)
			}
		}
		bd := b.attackBody()
		if defends {
			bd = b.defenceBody()
		}
		for _, o := range b.splits(bd, n) {
			options = append(options, fmt.Sprintf("%d+%d", o.steps, o.hexes))
		}
		b.take(bd, n)
		f.p = g.p
	}}, f.p, 0, engine.Order{}, engine.Env{Dice: fixedDie(3), Standing: f.standing}, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	f.events = events
	return options
}

func (f *field) options(want, from string, n int, defends bool, kind string, ids ...engine.UnitID) {
	f.t.Helper()
	if got := strings.Join(f.result(defends, from, n, kind, ids...), " "); got != want {
		f.t.Errorf("%d increments for %v: %s, want %s", n, ids, got, want)
	}
}

const ring = "H13 24A 2|G12 26A 2|G13 16A 2|I12 13A 2|I13 10A 2|H11 21A 2"

func TestHowResultsCanBeTaken(t *testing.T) {
	for _, c := range []struct {
		id, turn, lines, from string
		n                     int
		defends               bool
		kind, units, want     string
	}{
		{"B41-X136", "3 axis", "H12 24A 2|H12 26A 2|H12 16A 2", "H12", 3, true, "pa", "24A 26A 16A", "0+3 1+2 2+1 3+0"},
		{"B41-X137", "3 axis", "H12 24A 2|H12 26A 2|H12 16A 1", "H12", 6, true, "pa", "24A 26A 16A", "2+4 3+3 4+2 5+0"},
		{"B41-X137/two", "3 axis", "H12 24A 2", "H12", 6, true, "pa", "24A", "2+0"},
		{"B41-X143", "3 soviet", "H12 13G 4|" + ring, "H12", 2, true, "pa", "13G", "2+0"},
		{"B41-X150", "3 soviet", "S19 3RUM 2", "S19", 2, true, "pa", "3RUM", "0+2"},
		{"B41-X150/one", "3 soviet", "S19 3RUM 2|S21 24A 2|T20 26A 2|T21 16A 2|R20 13A 2|R21 10A 2|T19 21A 2|T18 8A 3|S18 9A 3", "S19", 2, true, "pa", "3RUM", "1+1"},
		{"B41-X151", "3 soviet", "S19 3RUM 2|S19 13G 2", "S19", 3, true, "pa", "3RUM 13G", "0+3 1+2 2+1"},
		{"B41-X153/1", "3 soviet", "H12 24A 2|H12 26A 2", "H12", 1, false, "pa", "24A 26A", "1+0"},
		{"B41-X153/2", "3 soviet", "H12 24A 2|H12 26A 2", "H12", 2, false, "pa", "24A 26A", "1+1 2+0"},
		{"B41-X153/3", "3 soviet", "H12 24A 2|H12 26A 2", "H12", 3, false, "pa", "24A 26A", "2+1 3+0"},
		{"B41-X154", "3 axis", "H12 13G 2", "H12", 2, false, "pa", "13G", "1+1 2+0"},
		{"B41-X95", "3 soviet", "H12 3MC", "H12", 1, false, "ma", "3MC", "1+0"},
		{"B41-X85", "5 axis", "K8 PART 2", "K8", 1, true, "pa", "PART", "1+0"},
		{"B41-X149/2", "3 axis", "Y17 COAST 2|Y18 13G 3|X17 5G 3|Y16 29G 3|Z17 57PZ 4|X18 35G 3", "Y17", 2, true, "pa", "COAST", "1+1 2+0"},
	} {
		t.Run(c.id, func(t *testing.T) {
			f := battlefield(t, append([]string{"turn " + c.turn + " assault"}, strings.Split(c.lines, "|")...)...)
			var ids []engine.UnitID
			for _, u := range strings.Fields(c.units) {
				ids = append(ids, engine.UnitID(u))
			}
			f.options(c.want, c.from, c.n, c.defends, c.kind, ids...)
		})
	}
}

func TestResultsTaken(t *testing.T) {
	t.Run("B41-X138", func(t *testing.T) { // one hex of room only: two steps first
		f := battlefield(t, "turn 3 soviet assault", "H12 13G 3", "H14 24A 2", "G13 26A 2", "G14 16A 2", "I13 13A 2", "I14 10A 2", "G12 20A 4", "I12 21A 3", "H11 19A 3")
		f.options("2+1 3+0", "H12", 3, true, "pa", "13G")
		f.want("13G H13 1", "13G")
	})
	t.Run("B41-X151", func(t *testing.T) {
		f := battlefield(t, "turn 3 soviet assault", "S19 3RUM 2", "S19 13G 2")
		f.stand(Axis, hold(-1))
		f.result(true, "S19", 3, "pa", "3RUM", "13G")
		f.want("3RUM S20 2, 13G gone", "3RUM", "13G")
	})
	t.Run("B41-X152", func(t *testing.T) {
		f := battlefield(t, "turn 3 axis assault", "H12 24A 2", "H12 3MC")
		f.stand(Soviet, hold(-1))
		f.result(true, "H12", 2, "pa", "24A", "3MC")
		f.want("24A H12 1, 3MC gone", "24A", "3MC")
	})
	t.Run("B41-X169", func(t *testing.T) { // the FMG has no duty to die first
		f := battlefield(t, "turn 6 soviet assault", "H12 24A 2", "H12 FMG 2")
		f.stand(Soviet, Policy{Lose: []engine.UnitID{"24A"}})
		f.result(false, "H12", 1, "pa", "24A", "FMG")
		f.want("24A H12 1, FMG H12 2", "24A", "FMG")
	})
	t.Run("B41-X82", func(t *testing.T) { // three hexes from Leningrad, only the fourth is free
		f := battlefield(t, "turn 6 axis assault", "E8 LPMA", "E9 13G 3", "D8 5G 3", "D7 29G 3", "F8 42G 3")
		if d := f.p.board().Distance(f.p.named("E8"), f.p.named("B9")); d != 3 {
			t.Fatalf("E8 lies %d from Leningrad", d)
		}
		f.options("1+0", "E8", 1, true, "pa", "LPMA")
		if f.p.onMap(f.u("LPMA")) {
			t.Error("LPMA has survived")
		}
	})
	t.Run("B41-X181", func(t *testing.T) { // rules override stances
		f := battlefield(t, "turn 3 soviet assault", "S19 3RUM 2")
		f.stand(Axis, hold(-1))
		f.result(true, "S19", 2, "pa", "3RUM")
		f.want("3RUM S21 2", "3RUM")
		byRule := func(rule engine.RuleID) {
			t.Helper()
			for _, e := range f.events {
				if d, ok := e.Fact.(engine.Decided); ok && d.Decision == "D04" {
					if d.By != "rule" || e.Rule != rule {
						t.Errorf("decided by %s, rule %s; want %s", d.By, e.Rule, rule)
					}
					return
				}
			}
			t.Error("nobody says why")
		}
		byRule("B41-11.3.A")
		f = battlefield(t, "turn 8 soviet assault", "J12 13G 3")
		f.p.supply.hedgehogs = []int{f.p.named("J12")}
		f.stand(Axis, yield())
		f.result(true, "J12", 2, "pa", "13G")
		f.want("13G J12 1", "13G")
		byRule("B41-14.39.8.E")
	})
	t.Run("B41-X85", func(t *testing.T) {
		f := battlefield(t, "turn 5 axis assault", "K8 PART 2")
		f.result(true, "K8", 1, "pa", "PART")
		f.want("PART K8 1", "PART")
		f.result(true, "K8", 3, "pa", "PART")
		if f.p.onMap(f.u("PART")) {
			t.Error("PART has survived")
		}
	})
	t.Run("B41-X149", func(t *testing.T) {
		f := battlefield(t, "turn 3 axis assault", "Y17 COAST 2", "Y18 13G 3", "X17 5G 3", "Y16 29G 3", "Z17 57PZ 4", "X18 35G 3", "Z18 42G 3", "X16 44G 3")
		f.result(true, "Y17", 2, "pa", "COAST")
		if f.p.Steps(f.u("COAST")) != 1 || f.at("COAST") == "Y17" {
			t.Errorf("%s", f.where("COAST"))
		}
	})
}

func TestStances(t *testing.T) {
	for _, c := range []struct {
		policy Policy
		want   string
	}{
		{hold(-1), "H12 4"}, {hold(1), "H14 6"}, {hold(2), "H13 5"}, {yield(), "H15 7"},
		{Policy{Stance: "STAND"}, "H12 4"}, {Policy{Stance: "KEEP", N: 6}, "H14 6"}, {Policy{Stance: "BALANCE"}, "H14 6"}, {Policy{Stance: "AUTO"}, "H15 7"},
		{Policy{Stance: "HOLD", N: -1, If: []string{"CITY"}}, "H15 7"},
		{Policy{Stance: "HOLD", N: -1, Unless: []string{"RETREAT LOST"}}, "H12 4"},
	} {
		t.Run(fmt.Sprintf("%s %d", c.policy.Stance, c.policy.N), func(t *testing.T) {
			f := battlefield(t, "turn 3 soviet assault", "H12 56PZ 4", "H12 13G 3")
			f.stand(Axis, c.policy)
			f.result(true, "H12", 3, "pa", "56PZ", "13G")
			if got := fmt.Sprintf("%s %d", f.at("56PZ"), f.p.Steps(f.u("56PZ"))+f.p.Steps(f.u("13G"))); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// Precedence: UNIT before HEX before AREA before DEFAULT, the latest of equals.
func TestTheWeightiestLineCounts(t *testing.T) {
	set := func(kinds ...string) string {
		f := battlefield(t, "turn 3 soviet assault", "H12 56PZ 4")
		for i, k := range kinds {
			f.stand(Axis, hold(i), Scope{Kind: k, Hexes: hexList("H12"), A: at("G10"), B: at("J14"), Units: []engine.UnitID{"56PZ"}})
		}
		f.result(true, "H12", 3, "pa", "56PZ")
		return fmt.Sprint(f.p.Steps(f.u("56PZ")))
	}
	for _, c := range []struct {
		kinds []string
		want  string // 4 less the place of the line that counted
	}{
		{[]string{"UNIT", "HEX", "AREA", "DEFAULT"}, "4"},
		{[]string{"DEFAULT", "UNIT", "HEX"}, "3"},
		{[]string{"DEFAULT", "AREA", "HEX"}, "2"},
		{[]string{"DEFAULT", "DEFAULT", "ROWS", "DEFAULT"}, "2"},
		{[]string{"HEX", "HEX"}, "3"},
	} {
		if got := set(c.kinds...); got != c.want {
			t.Errorf("%v: %s steps left, want %s", c.kinds, got, c.want)
		}
	}
}

func TestWhoLosesSteps(t *testing.T) {
	lose := func(side engine.Side, n int, p Policy, lines string, ids ...engine.UnitID) string {
		turn := "turn 3 soviet assault"
		if side == Soviet {
			turn = "turn 3 axis assault"
		}
		f := battlefield(t, append([]string{turn}, strings.Split(lines, "|")...)...)
		f.stand(side, hold(-1))
		f.stand(side, p)
		f.result(true, "H12", n, "pa", ids...)
		var out []string
		for _, id := range ids {
			out = append(out, fmt.Sprint(f.p.Steps(f.u(id))))
		}
		return strings.Join(out, " ")
	}
	g := "H12 56PZ 4|H12 13G 3|H12 5G 2"
	ids := []engine.UnitID{"56PZ", "13G", "5G"}
	for _, c := range []struct {
		p    Policy
		n    int
		want string
	}{
		{Policy{}, 1, "4 2 2"}, // leg before mech, most steps first
		{Policy{}, 3, "4 1 1"},
		{Policy{Lose: []engine.UnitID{"56PZ"}}, 2, "2 3 2"},
		{Policy{Lose: []engine.UnitID{"5G", "13G"}}, 2, "4 3 0"},
		{Policy{Spare: []engine.UnitID{"13G"}}, 2, "3 3 1"},
		{Policy{SpareWord: "PANZERS"}, 4, "4 1 0"},
		{Policy{Losses: "SPREAD"}, 3, "3 2 1"},
		{Policy{Losses: "CONCENTRATE"}, 3, "4 0 2"},
		{Policy{Losses: "NOKILL"}, 4, "3 1 1"},
	} {
		if got := lose(Axis, c.n, c.p, g, ids...); got != c.want {
			t.Errorf("%+v, %d steps: %s left, want %s", c.p, c.n, got, c.want)
		}
	}
}

// Stance AUTO (2.5 of the phase model): what is done when nobody says anything.
func TestAuto(t *testing.T) {
	t.Run("a city is held while somebody lives", func(t *testing.T) {
		f := battlefield(t, "turn 3 axis assault", "K15 24A 2", "K15 26A 2")
		f.result(true, "K15", 3, "pa", "24A", "26A")
		if f.p.steps([]int{f.u("24A"), f.u("26A")}) != 1 || !f.p.holds(soviet, f.p.named("K15")) {
			t.Error(f.where("24A", "26A"))
		}
	})
	t.Run("a force that would die goes", func(t *testing.T) {
		f := battlefield(t, "turn 3 axis assault", "K15 24A 2")
		f.result(true, "K15", 3, "pa", "24A")
		f.want("24A K12 2", "24A")
	})
	t.Run("elsewhere it gives way", func(t *testing.T) {
		f := battlefield(t, "turn 3 axis assault", "H12 24A 2")
		f.result(true, "H12", 1, "pa", "24A")
		f.want("24A H11 2", "24A")
	})
	t.Run("but not out of supply", func(t *testing.T) {
		// The OBG is supplied in B10 as long as Leningrad is Soviet, and nowhere else.
		f := battlefield(t, "turn 5 axis assault", "B10 OBG", "wrecked B10")
		ring := []engine.UnitID{"13G", "5G", "29G", "35G", "42G", "44G", "55G", "56PZ", "57PZ", "41PZ", "47PZ", "48PZ", "46PZ", "24PZ", "3PZ", "14PZ"}
		inside := []int{f.p.named("B8"), f.p.named("B9"), f.p.named("B10")}
		for _, h := range inside {
			for _, n := range f.p.board().Neighbours(h) {
				if n < 0 || slices.Contains(inside, n) || f.p.holds(axis, n) || f.p.board().Terrain(n) == Sea {
					continue
				}
				UnitPlaced{ring[0], f.p.board().At(n), 2, "setup"}.apply(f.p)
				ring = ring[1:]
			}
		}
		f.p.version++
		out := func(h string) bool { return f.p.statusAt(f.u("OBG"), f.p.named(h)).OOS }
		if ways := fmt.Sprint(f.ways("B10", 1, "OBG")); out("B10") || !out("B9") || ways != "[B9]" {
			t.Fatalf("B10 out %v, B9 out %v, ways %s", out("B10"), out("B9"), ways)
		}
		b := &battle{play: &play{x: &engine.Exec{}, p: f.p}, kind: "pa", side: axis, at: inside[2:]}
		bd := &body{side: soviet, defends: true, limit: 4, groups: []group{{from: inside[2], units: []int{f.u("OBG")}}}}
		if !b.leadsAstray(bd, 1) {
			t.Error("the way to B9 leads out of supply, but not by AUTO")
		}
		// Two options as for a force of two steps: it stays.
		f.p.SetSteps(f.u("OBG"), 2)
		if i := b.auto(bd, 1, []taken{{0, 1}, {1, 0}}); i != 1 {
			t.Error("AUTO leads out of supply")
		}
	})
	t.Run("Finland only for dear life", func(t *testing.T) {
		f := battlefield(t, "turn 5 soviet assault", "B9 13G 2", "B10 24A 2", "C9 26A 2", "C10 16A 2")
		f.result(true, "B9", 1, "pa", "13G")
		f.want("13G B9 1", "13G")
		f.result(true, "B9", 4, "pa", "13G")
		f.want("13G gone", "13G")
		if f.p.loss != 0 {
			t.Errorf("%d VPs lost", f.p.loss)
		}
	})
	t.Run("ZOMO before steps", func(t *testing.T) {
		f := battlefield(t, "turn 3 soviet assault", "H20 13G 2", "H19 24A 2", "G20 26A 2", "I20 16A 2")
		f.result(true, "H20", 2, "pa", "13G")
		f.want("13G waiting", "13G")
		g := battlefield(t, "turn 3 soviet assault", "H20 13G 2", "H19 24A 2", "G20 26A 2", "I20 16A 2")
		g.stand(Axis, Policy{Retreat: &RetreatPolicy{Words: []string{"NOEXIT"}}})
		g.stand(Axis, yield())
		g.result(true, "H20", 1, "pa", "13G")
		g.want("13G H20 1", "13G")
	})
}
