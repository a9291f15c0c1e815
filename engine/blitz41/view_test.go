package blitz41

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pbemd/engine"
	"pbemd/engine/hex"
)

// viewAt is what a side sees of a position in the notation.
func viewAt(t *testing.T, opt Options, side engine.Side, state string) (*Rules, engine.Position, engine.View) {
	t.Helper()
	r := New(shipped(t), opt)
	p, err := r.ParseState(state)
	if err != nil {
		t.Fatal(err)
	}
	return r, p, r.View(p, side)
}

func section(v engine.View, key string) *engine.Section {
	for i := range v.Sections {
		if v.Sections[i].Key == key {
			return &v.Sections[i]
		}
	}
	return nil
}

// TestSectorsPartTheMap: every hex lies in one sector, from north to south.
func TestSectorsPartTheMap(t *testing.T) {
	d := shipped(t)
	seen := map[hex.Coord]string{}
	for _, s := range d.sectors() {
		for _, c := range s.Hexes {
			if other, twice := seen[c]; twice {
				t.Errorf("%v lies in %s and %s", c, other, s.Key)
			}
			seen[c] = s.Key
		}
	}
	if len(seen) != d.Board.Len() {
		t.Errorf("%d of %d hexes lie in a sector", len(seen), d.Board.Len())
	}
	for h, want := range map[string]string{"B9": "north", "I20": "north", "J20": "centre", "K5": "centre", "O21": "centre", "P21": "south", "AA14": "south", "EE8": "south"} {
		if got := seen[hex.MustParse(h)]; got != want {
			t.Errorf("%s lies in the %s, want %s", h, got, want)
		}
	}
}

// TestForcesStandInTheirSector, each counted once.
func TestForcesStandInTheirSector(t *testing.T) {
	_, p, v := viewAt(t, Options{}, Axis, "turn 3 axis move\nG18 56PZ\nG18 57PZ\nK18 13G\nR16 11G 1\nG17 3MC\nL16 16A 2\nL16 20A 4")
	for key, want := range map[string]string{
		"own.north":    "G18 56PZ 57PZ: 2 units, 1 hexes, 8 steps",
		"own.centre":   "K18 13G: 1 units, 1 hexes, 4 steps",
		"own.south":    "R16 11G: 1 units, 1 hexes, 1 steps",
		"enemy.north":  "G17 3MC: <nil> units, 1 hexes, <nil> steps",
		"enemy.centre": "L16 16A: <nil> units, 1 hexes, <nil> steps",
	} {
		s := section(v, key)
		if s == nil {
			t.Errorf("no section %s", key)
			continue
		}
		where, units := "", []string{}
		for _, r := range s.Rows {
			where = strings.Fields(fmt.Sprint(r[0].Args["s"]))[0]
			units = append(units, fmt.Sprint(r[1].Args["s"]))
		}
		slices.Sort(units)
		got := fmt.Sprintf("%s %s: %v units, %v hexes, %v steps", where, strings.Join(units, " "), s.Title.Args["units"], s.Title.Args["hexes"], s.Title.Args["steps"])
		if got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	if section(v, "enemy.south") != nil {
		t.Error("an empty sector is listed")
	}
	mp := map[string]string{}
	for _, key := range []string{"own.north", "own.centre"} {
		for _, r := range section(v, key).Rows {
			mp[fmt.Sprint(r[1].Args["s"])] = fmt.Sprint(r[5].Args["s"])
		}
	}
	pos := p.(*Position)
	for id, got := range mp {
		want, _ := pos.allowance(pos.d.byID[engine.UnitID(id)], pos.status(pos.d.byID[engine.UnitID(id)]))
		if got != fmt.Sprint(want) {
			t.Errorf("%s may spend %s, want %d", id, got, want)
		}
	}
}

// TestWarnings: what will be lost is said before everything else, and to nobody
// but its owner.
func TestWarnings(t *testing.T) {
	const state = "turn 4 soviet supply\nE14 24A 2 oos\nE15 26G 1\nE13 1G 1\nD14 38G 1\nD13 10G 1\nF14 28G 1\nF13 2G 1"
	_, _, v := viewAt(t, Options{}, Soviet, state)
	s := section(v, "warning")
	if s == nil || len(s.Notes) != 1 || s.Notes[0].Key != "b41.warning.doomed" || !strings.Contains(s.Notes[0].String(), "24A (E14)") {
		t.Errorf("warnings of the Soviets: %+v", s)
	}
	if _, _, v := viewAt(t, Options{}, Axis, state); section(v, "warning") != nil {
		t.Error("the Axis is warned of what befalls the Soviets")
	}
	_, _, v = viewAt(t, Options{}, Soviet, strings.Replace(state, " oos", "", 1))
	if s := section(v, "warning"); s == nil || s.Notes[0].Key != "b41.warning.cut" {
		t.Errorf("cut off and not yet marked: %+v", s)
	}
	_, _, v = viewAt(t, Options{}, Soviet, "turn 4 soviet supply\nE14 24A 2 oos\nR18 26G 1")
	if s := section(v, "warning"); s == nil || s.Notes[0].Key != "b41.warning.fed" {
		t.Errorf("marked and reached again: %+v", s)
	}
}

// TestSupplyShades agree with the supply of the units that stand there.
func TestSupplyShades(t *testing.T) {
	r, p := New(shipped(t), Options{}), engine.Position(nil)
	p, _, err := engine.Begin(r, engine.Env{})
	if err != nil {
		t.Fatal(err)
	}
	for _, side := range r.Seats() {
		v := r.View(p, side)
		level := map[hex.Coord]int{}
		for _, s := range v.Supply {
			level[s.At] = s.Level
		}
		pos, n := p.(*Position), 0
		for u := range pos.d.Units {
			if pos.unit(u).Side != number(side) || !pos.onMap(u) {
				continue
			}
			st := pos.status(u)
			if st.Other || st.Sea || st.Air {
				continue
			}
			want := st.Loss
			if st.OOS || st.None {
				want = 5
			}
			if got, ok := level[pos.board().At(pos.At(u))]; !ok || got != want {
				t.Errorf("%s: level %d, want %d", pos.unit(u).ID, got, want)
			}
			n++
		}
		if n < 20 {
			t.Errorf("only %d units of %s compared", n, side)
		}
	}
	if v := r.View(p, ""); len(v.Supply) > 0 || section(v, "warning") != nil {
		t.Error("the public sees supply")
	}
}

// TestTermsNameWhatIsPlayed: options, the rulings read the other way, and what of
// the data is reconstructed.
func TestTermsNameWhatIsPlayed(t *testing.T) {
	r := New(shipped(t), Options{Open: true, Other: []engine.RuleID{"B41-A43"}})
	p, _, err := engine.Begin(r, engine.Env{})
	if err != nil {
		t.Fatal(err)
	}
	v := r.View(p, Axis)
	s := section(v, "terms")
	if s == nil {
		t.Fatal("no terms")
	}
	all := ""
	for _, n := range s.Notes {
		all += n.String() + "\n"
	}
	for _, want := range []string{"id=A43", "b41.option.A43.other", "file=charts.toml", "b41.table.crt", "file=counters.toml", "file=map.toml", "file=setup.toml"} {
		if !strings.Contains(all, want) {
			t.Errorf("the terms lack %s:\n%s", want, all)
		}
	}
	if s.Rows[0][1].Key != "b41.terms.fog.no" {
		t.Errorf("an open game has the terms %v", s.Rows)
	}
}
