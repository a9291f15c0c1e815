package blitz41

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pbemd/engine"
)

// ways lists where units of a hex may retreat n hexes, each way as words.
func (f *field) ways(from string, n int, ids ...engine.UnitID) []string {
	f.t.Helper()
	var units []int
	for _, id := range ids {
		units = append(units, f.u(id))
	}
	side := f.p.unit(units[0]).Side
	b := &battle{play: &play{p: f.p}, kind: "pa", side: enemyOf(side), at: []int{f.p.named(from)}}
	bd := &body{side: side, defends: true, limit: 4, groups: []group{{from: f.p.named(from), units: units}}}
	var out []string
	for _, w := range b.ways(bd, bd.groups[0], n) {
		var s []string
		for _, p := range w.parts {
			x := strings.Join(f.p.names(p.path), " ")
			if len(w.parts) > 1 {
				x = strings.Join(sortedIDs(f.p.ids(p.units)), "+") + ":" + x
			}
			s = append(s, x)
		}
		x := strings.Join(s, " / ")
		if w.exit != "" {
			x = strings.TrimSpace(x + " " + w.exit)
		}
		out = append(out, x)
	}
	slices.Sort(out)
	return out
}

func TestRetreatGeometry(t *testing.T) {
	for _, c := range []struct {
		id, turn string
		lines    string
		from     string
		n        int
		units    string
		want     string
	}{
		{"B41-X139", "3 soviet", "H12 13G 2", "H12", 2, "13G", "H13 H14"},
		{"B41-X140", "3 soviet", "H12 13G 2|H13 24A 2", "H12", 2, "13G", "G13 G14|I13 I14"},
		{"B41-X141", "3 soviet", "H12 13G 2|H14 24A 2", "H12", 2, "13G", "H13 G14|H13 I14"},
		{"B41-X142", "3 axis", "H12 24A 2", "H12", 2, "24A", "H11 H10"},
		{"B41-X145/H20", "3 soviet", "H20 13G 2", "H20", 3, "13G", "I20 J20 K21|zomo"},
		{"B41-X145/H19", "3 soviet", "H19 13G 2", "H19", 3, "13G", "H20 I20 J20|H20 zomo"},
		{"B41-X145/one", "3 soviet", "H19 13G 2", "H19", 1, "13G", "H20"},
		{"B41-X148/CC12", "3 axis", "CC12 24A 2|control soviet CC11", "CC12", 2, "24A", "CC11 CC10"},
		{"B41-X148/CC13 two", "3 axis", "CC13 24A 2", "CC13", 2, "24A", "BB13 AA14|BB13 CC14"},
		{"B41-X148/CC13 one", "3 axis", "CC13 24A 2", "CC13", 1, "24A", "CC12"},
		{"B41-X148/frost", "9 axis", "CC13 24A 2", "CC13", 2, "24A", "CC12 CC11"},
		{"B41-X212/dry", "3 axis", "E10 24A 2", "E10", 1, "24A", "D9"},
		{"B41-X212/frost", "9 axis", "E10 24A 2", "E10", 1, "24A", "E9"},
		{"B41-X213", "5 soviet", "K7 13G 2|K8 PART 2", "K7", 1, "13G", "J7|L7"},
		{"B41-X110", "3 soviet", "S19 3RUM 2|S20 24A 2|S18 26A 2|R18 16A 2|R19 13A 2", "S19", 1, "3RUM", "T19"},
		{"B41-X147", "3 axis", "H18 24A 2|H17 13G 2|G17 5G 2|I17 57PZ 4|I18 42G 2|G18 44G 2|G19 29G 3|I19 35G 3", "H18", 1, "24A", ""},
		{"B41-X147/held", "3 axis", "H18 24A 2|H17 13G 2|G17 5G 2|I17 57PZ 4|I18 42G 2|G18 44G 2|G19 29G 3|I19 35G 3|control soviet H19", "H18", 1, "24A", "H19"},
	} {
		t.Run(c.id, func(t *testing.T) {
			f := battlefield(t, append([]string{"turn " + c.turn + " assault"}, strings.Split(c.lines, "|")...)...)
			var ids []engine.UnitID
			for _, u := range strings.Fields(c.units) {
				ids = append(ids, engine.UnitID(u))
			}
			if got := strings.Join(f.ways(c.from, c.n, ids...), "|"); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestRetreatSplitsForStacking(t *testing.T) {
	t.Run("B41-X144", func(t *testing.T) {
		f := battlefield(t, "turn 3 soviet assault", "H12 13G 2", "H12 5G 3", "H12 42G 3", "H13 44G 2", "H13 29G 3", "H13 55G 2", "H13 35G 3")
		ways := f.ways("H12", 1, "13G", "5G", "42G")
		for _, w := range ways {
			parts := strings.Split(w, " / ")
			if len(parts) != 2 || !strings.Contains(w, ":H13") || !(strings.Contains(w, "+") && (strings.Contains(w, ":G13") || strings.Contains(w, ":I13"))) {
				t.Errorf("way %s", w)
			}
		}
		if len(ways) != 6 { // who enters × north or south
			t.Errorf("%d ways: %v", len(ways), ways)
		}
	})
	t.Run("B41-X143", func(t *testing.T) {
		f := battlefield(t, "turn 3 soviet assault", "H12 13G 2", "H13 24A 2", "G12 26A 2", "G13 16A 2", "I12 13A 2", "I13 10A 2", "H11 21A 2")
		if w := f.ways("H12", 2, "13G"); len(w) != 0 {
			t.Errorf("%v", w)
		}
	})
}

// Rule B41-5.12.I, B41-14.14.C: what happens on the way.
func TestRetreatsTakeHexes(t *testing.T) {
	run := func(f *field, from string, n int, ids ...engine.UnitID) {
		var units []int
		for _, id := range ids {
			units = append(units, f.u(id))
		}
		side := f.p.unit(units[0]).Side
		_, _, err := engine.Do(probeGame{f.r, func(g *play) {
			b := &battle{play: g, kind: "pa", side: enemyOf(side), at: []int{f.p.named(from)}, before: map[int]int{}}
			b.retreat(&body{side: side, defends: true, limit: 4, split: "D04", loss: "D05", way: "D06", groups: []group{{from: f.p.named(from), units: units}}}, n)
			f.p = g.p
		}}, f.p, 0, engine.Order{}, engine.Env{Dice: fixedDie(3), Standing: f.standing}, nil)
		if err != nil {
			f.t.Fatal(err)
		}
	}
	t.Run("B41-X57", func(t *testing.T) {
		f := battlefield(t, "turn 3 soviet assault", "R14 13G 2", "R13 24A 2", "intact R15")
		vp := f.p.VP()
		run(f, "R14", 2, "13G")
		kiev := f.p.named("R15")
		if f.where("13G") != "13G R16 2" || f.p.Owner(kiev) != axis || !f.p.wrecked[kiev] || f.p.VP() != vp+5 {
			t.Errorf("%s, Kiev of %d, wrecked %v, VP %d from %d", f.where("13G"), f.p.Owner(kiev), f.p.wrecked[kiev], f.p.VP(), vp)
		}
	})
	t.Run("B41-X58", func(t *testing.T) {
		f := battlefield(t, "turn 3 axis assault", "K12 24A 2", "control axis K11", "vp 4")
		run(f, "K12", 2, "24A")
		if f.where("24A") != "24A K10 2" || f.p.Owner(f.p.named("K11")) != soviet || f.p.VP() != 0 {
			t.Errorf("%s, K11 of %d, VP %d", f.where("24A"), f.p.Owner(f.p.named("K11")), f.p.VP())
		}
	})
	t.Run("B41-X59", func(t *testing.T) {
		f := battlefield(t, "turn 6 soviet assault", "K4 13G 2", "K3 24A 2")
		run(f, "K4", 2, "13G")
		if f.p.ended == nil || f.p.ended.Winner != Axis || f.p.ended.Points != 88 {
			t.Errorf("%+v", f.p.ended)
		}
	})
	t.Run("B41-X63", func(t *testing.T) {
		f := battlefield(t, "turn 6 axis assault", "N9 24A 2", "N9 MSU")
		run(f, "N9", 2, "24A")
		if f.at("MSU") != "N7" || f.at("24A") != "N7" {
			t.Errorf("%s", f.where("24A", "MSU"))
		}
	})
	t.Run("B41-X145", func(t *testing.T) {
		f := battlefield(t, "turn 3 soviet assault", "H20 13G 2", "H19 24A 2")
		f.stand(Axis, Policy{Retreat: &RetreatPolicy{Words: []string{"EXIT ZOMO"}}})
		run(f, "H20", 3, "13G")
		f.want("13G waiting", "13G")
		if f.p.VP() < 0 || f.p.Steps(f.u("13G")) != 2 {
			t.Errorf("VP %d, %d steps", f.p.VP(), f.p.Steps(f.u("13G")))
		}
	})
	t.Run("B41-X146", func(t *testing.T) {
		f := battlefield(t, "turn 5 soviet assault", "B9 13G 2", "B10 24A 2", "C9 26A 2", "C10 16A 2")
		ways := f.ways("B9", 4, "13G")
		if fmt.Sprint(ways) != "[finland]" {
			t.Fatalf("%v", ways)
		}
		run(f, "B9", 4, "13G")
		f.want("13G gone", "13G")
		if f.p.loss != 0 {
			t.Errorf("%d VPs lost", f.p.loss)
		}
	})
}

// probeGame runs rule code on a position.
type probeGame struct {
	*Rules
	f func(g *play)
}

func (p probeGame) Do(x *engine.Exec, _ engine.Order) error {
	p.f(runOf(x))
	return nil
}

func TestCoastalArmyBySea(t *testing.T) {
	f := battlefield(t, "turn 3 axis assault", "Z16 COAST 2", "Z17 13G 3")
	ways := f.ways("Z16", 1, "COAST")
	if !slices.Contains(ways, "Y17 sea") && !slices.Contains(ways, "CC15 sea") {
		t.Errorf("B41-X149: no way by sea in %v", ways)
	}
	for _, w := range f.ways("Z16", 2, "COAST") {
		if strings.Contains(w, "sea") {
			t.Errorf("B41-A104: the sea takes one increment only, %v", w)
		}
	}
	for _, w := range f.ways("Z16", 2, "COAST") {
		for _, h := range strings.Fields(w) {
			if !f.p.board().Any(f.p.named(h), CoastBlack|CoastAzov) {
				t.Errorf("B41-10.2.B: %s is no coast", h)
			}
		}
	}
}
