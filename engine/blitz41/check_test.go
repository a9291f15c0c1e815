package blitz41

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"pbemd/engine"
	"pbemd/engine/hex"
	"pbemd/testdata/rulebook"
)

// shippedFiles is a copy of the shipped set that a test may spoil.
func shippedFiles(t testing.TB) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, n := range DataNames() {
		b, err := fs.ReadFile(DataFiles(), n)
		if err != nil {
			t.Fatal(err)
		}
		out[n] = string(b)
	}
	return out
}

func folder(files map[string]string) fs.FS {
	m := fstest.MapFS{}
	for n, s := range files {
		m[n] = &fstest.MapFile{Data: []byte(s)}
	}
	return m
}

func check(t testing.TB, files fs.FS) ([]Conflict, Summary) {
	t.Helper()
	found, sum, err := Check(files)
	if err != nil {
		t.Fatal(err)
	}
	return found, sum
}

func TestShippedSetAgreesWithTheBook(t *testing.T) {
	found, sum := check(t, DataFiles())
	for _, c := range found {
		t.Error(c)
	}
	facts, err := shippedFacts()
	if err != nil {
		t.Fatal(err)
	}
	if sum.Facts != len(facts) || sum.Facts < 351 || sum.Skipped != 0 {
		t.Errorf("%d of %d facts checked, %d skipped", sum.Facts, len(facts), sum.Skipped)
	}
	if len(sum.Shipped) != 0 || len(sum.Own) != 5 || !slices.Equal(sum.Ignored, []string{"facts.toml"}) {
		t.Errorf("%+v", sum)
	}
}

func TestMissingFilesComeFromTheShippedSet(t *testing.T) {
	found, sum := check(t, folder(map[string]string{"chart.toml": "x = 1"}))
	if len(found) != 0 || len(sum.Shipped) != 5 || len(sum.Own) != 0 || !slices.Equal(sum.Ignored, []string{"chart.toml"}) {
		t.Errorf("%v, %+v", found, sum)
	}
}

func TestFactsAreNeverReplaced(t *testing.T) {
	files := shippedFiles(t)
	files["facts.toml"] = "fact = []"
	files["charts.toml"] = strings.Replace(files["charts.toml"], "axis = { value = 5,", "axis = { value = 6,", 1)
	found, sum := check(t, folder(files))
	if len(found) != 1 || sum.Facts < 351 {
		t.Errorf("%v, %+v", found, sum)
	}
}

// One mistake is named once, though a fact and the table of the book speak of it.
func TestOneMistakeIsNamedOnce(t *testing.T) {
	for _, s := range []spoil{
		{file: charts, after: "[stacking]", old: "axis = { value = 5", new: "axis = { value = 6"},
		{file: charts, after: "per_battle", old: "german = 2", new: "german = 3"},
		{file: charts, after: "intervening = 2", old: "mp = 2", new: "mp = 1"},
		{file: charts, after: `name = "concentric"`, old: "defender = 1", new: "defender = 2"},
		{file: charts, after: "german = [", old: "full = 4", new: "full = 3"},
		{file: charts, after: "turns = [4]", old: "points = 86", new: "points = 85"},
		{file: charts, after: "Italian CSIR eliminated", old: "vp = 2", new: "vp = 1"},
		{file: counters, after: `id = "26G"`, old: "replaceable", new: "replacable"},
		{file: mapToml, after: `name = "Pskov"`, old: `"E12"`, new: `"E45"`},
	} {
		files := shippedFiles(t)
		s.apply(t, files)
		found, _ := check(t, folder(files))
		places := map[string]int{}
		for _, c := range found {
			places[c.Place]++
		}
		for p, n := range places {
			if n > 1 {
				t.Errorf("%s: %d times: %v", p, n, found)
			}
		}
		if len(found) > 2 {
			t.Errorf("%s → %s: %v", s.old, s.new, found)
		}
	}
}

// Every kind has an evaluator, no evaluator is without a fact, and the arguments
// fit.
func TestEveryKindOfFactIsKnown(t *testing.T) {
	facts, err := shippedFacts()
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, f := range facts {
		used[f.Kind] = true
		if f.Expect == nil {
			t.Errorf("%s expects nothing", f.ID)
		}
	}
	for k := range evaluators {
		if !used[k] {
			t.Errorf("no fact of kind %s", k)
		}
	}
	if len(used) != len(evaluators) {
		t.Errorf("%d kinds, %d evaluators", len(used), len(evaluators))
	}
}

// spoil is a change to a file of the shipped set: old becomes new, at the first
// place behind after. Or hexes of the map get another letter, as in "K7~ C16.".
type spoil struct {
	what            string // kind of fact, or what is wrong
	file            string
	after, old, new string
	hexes           string
	all             bool // every old
}

func (s spoil) apply(t testing.TB, files map[string]string) {
	t.Helper()
	for _, h := range strings.Split(s.hexes, " ") {
		if h == "" {
			continue
		}
		letter := h[len(h)-1:]
		if letter == "_" {
			letter = " "
		}
		setHex(t, files, hex.MustParse(h[:len(h)-1]), letter)
	}
	if s.old == "" {
		return
	}
	text := files[s.file]
	from := strings.Index(text, s.after)
	if from < 0 {
		t.Fatalf("%s has no %q", s.file, s.after)
	}
	i := strings.Index(text[from:], s.old)
	if i < 0 {
		t.Fatalf("%s has no %q after %q", s.file, s.old, s.after)
	}
	if s.all {
		files[s.file] = strings.ReplaceAll(text, s.old, s.new)
		return
	}
	files[s.file] = text[:from+i] + s.new + text[from+i+len(s.old):]
}

// setHex gives a hex another letter.
func setHex(t testing.TB, files map[string]string, h hex.Coord, letter string) {
	t.Helper()
	head := fmt.Sprintf("[row.%s]\nwest = ", hex.RowName(int(h.Row)))
	text := files["map.toml"]
	i := strings.Index(text, head)
	if i < 0 {
		t.Fatalf("no row of %v", h)
	}
	var west int
	if _, err := fmt.Sscan(text[i+len(head):], &west); err != nil {
		t.Fatal(err)
	}
	at := i + strings.Index(text[i:], `hexes = "`) + len(`hexes = "`) + west - int(h.Num)
	files["map.toml"] = text[:at] + letter + text[at+1:]
}

const (
	mapToml, counters, charts, setup = "map.toml", "counters.toml", "charts.toml", "setup.toml"
)

// kindSpoils break each kind of fact at least once.
var kindSpoils = []spoil{
	{what: "land", hexes: "K7~"},
	{what: "soviet_hex", file: mapToml, after: "[zomo]", old: `"G20"`, new: `"G20", "G19"`},
	{what: "terrain", hexes: "C16."},
	{what: "adjacent", hexes: "AA13_"},
	{what: "chain", hexes: "K6_"},
	{what: "distance", hexes: "H9_"},
	{what: "intervening", hexes: "G19_"},
	{what: "side", file: mapToml, after: "[sivash]", old: `, "AA13/AA14"`},
	{what: "supply_crosses", hexes: "B8~"},
	{what: "moves_in_dry", file: mapToml, after: "[[lake_hex]]", old: `"B8/B9", `},
	{what: "place", file: mapToml, after: `name = "Riga"`, old: `"E16"`, new: `"D15"`},
	{what: "place", file: mapToml, old: `name = "Kaunas"`, new: `name = "Kovno"`},
	{what: "place_kind", file: mapToml, after: `name = "Odessa"`, old: `"city"`, new: `"town"`},
	{what: "cities_all_on", hexes: "R15f"},
	{what: "vp", file: mapToml, after: `name = "Kiev"`, old: "vp = 5", new: "vp = 6"},
	{what: "vp_total", file: mapToml, after: `name = "Kiev"`, old: "vp = 5", new: "vp = 6"},
	{what: "vp_towns", file: mapToml, after: `name = "Kursk"`, old: "vp = 0", new: "vp = 1"},
	{what: "oilfields_score", file: mapToml, after: "[[oilfield]]", old: "vp = 6", new: "vp = 0"},
	{what: "ports", file: mapToml, after: `name = "Odessa"`, old: "port = true", new: "port = false"},
	{what: "coast", file: mapToml, after: `id = "black"`, old: `coast = [`, new: `coast = ["Z13", `},
	{what: "coast", file: mapToml, old: `id = "azov"`, new: `id = "caspian"`},
	{what: "seas", file: mapToml, old: `id = "azov"`, new: `id = "caspian"`},
	{what: "forts", file: mapToml, after: `name = "Perekop"`, old: `"AA14"`, new: `"AA13"`},
	{what: "line", file: mapToml, after: `name = "Luga Line"`, old: `"B11", `},
	{what: "line", file: mapToml, old: `name = "Luga Line"`, new: `name = "Narva Line"`},
	{what: "line_turn", file: mapToml, after: `name = "Luga Line"`, old: "active_turn = 3", new: "active_turn = 4"},
	{what: "zomo", file: mapToml, after: "[zomo]", old: `"H19", `},
	{what: "protruding", file: mapToml, old: `protruding = ["H19", `, new: `protruding = [`},
	{what: "zomo_german_north_of", file: mapToml, after: "Hungary = [", old: `"Q23"`, new: `"Q23", "P22"`},
	{what: "southern_zone", file: mapToml, after: "southern = [", old: `"BB13", `},
	{what: "southern", file: mapToml, after: "southern = [", old: `"CC15", `},
	{what: "north_edge", file: mapToml, after: "[edge]", old: `"B9", `},
	{what: "exit_to_finland", file: mapToml, old: `exit_from = ["B9"]`, new: `exit_from = ["B9", "B10"]`},
	{what: "soviet_supply_edge", file: mapToml, old: `soviet_supply = ["east"]`, new: `soviet_supply = ["east", "south"]`},
	{what: "lake_named", file: mapToml, old: "Rybinsk Reservoir", new: "Great Lake"},

	{what: "counters", file: counters, after: `id = "AIRSUP"`, old: "pieces = 4", new: "pieces = 5"},
	{what: "face", file: counters, after: `id = "56PZ"`, old: "[10, 8, 9]", new: "[10, 8, 8]"},
	{what: "face", file: counters, old: `id = "56PZ"`, new: `id = "58PZ"`},
	{what: "start_steps", file: counters, after: `id = "56PZ"`, old: "start = 4", new: "start = 3"},
	{what: "some_factor", file: counters, old: ", 7]", new: ", 6]", all: true},
	{what: "class", file: counters, after: `id = "SCH"`, old: `"mech"`, new: `"leg"`},
	{what: "german_steps", file: counters, after: `id = "26G"`, old: "max_steps = 4", new: "max_steps = 3"},
	{what: "max_steps", file: counters, after: `id = "LPMA"`, old: "max_steps = 1", new: "max_steps = 2"},
	{what: "mech_corps_steps", file: counters, after: `id = "3MC"`, old: "max_steps = 1", new: "max_steps = 2"},
	{what: "mech_corps_replaceable", file: counters, after: `id = "3MC"`, old: "replaceable = false", new: "replaceable = true"},
	{what: "available", file: counters, after: `id = "MSU"`, old: "turn = 5", new: "turn = 4"},
	{what: "kind", file: counters, after: `id = "MSU"`, old: `"automatic"`, new: `"cadre"`},
	{what: "replaceable", file: counters, after: `id = "FMG"`, old: "replaceable = true", new: "replaceable = false"},
	{what: "stack_value", file: counters, after: `id = "3RUM"`, old: "stack = 2", new: "stack = 1"},
	{what: "nation_count", file: counters, after: `id = "4RUM"`, old: `nation = "romanian"`, new: `nation = "hungarian"`},
	{what: "marker", file: counters, after: `id = "HEDGEHOG"`, old: "pieces = 4", new: "pieces = 3"},
	{what: "marker", file: counters, old: `id = "HEDGEHOG"`, new: `id = "URCHIN"`},

	{what: "starts", file: setup, old: `"56PZ"`, new: `"58PZ"`},
	{what: "starts_at", file: setup, old: `"4ABN"`, new: `"5ABN"`},
	{what: "boxes", file: setup, after: "[[box]]", old: `unit = "11A"`, new: `unit = "13A"`},

	{what: "stacking", file: charts, after: "[stacking]", old: "axis = { value = 5", new: "axis = { value = 6"},
	{what: "crt", file: charts, after: "[[crt.row]]\ndie = 3", old: `"0/3"`, new: `"0/2"`},
	{what: "crt", file: charts, after: "[[crt.row]]\ndie = 6", old: `"DX"`, new: `"0/4"`},
	{what: "crt_columns", file: charts, old: `"1-3", "1-2"`, new: `"1-4", "1-2"`},
	{what: "odds", file: charts, old: `"1-3", "1-2"`, new: `"1-4", "1-2"`},
	{what: "odds", file: charts, after: "[[crt.row]]\ndie = 1", old: `"DX"`, new: `"0/4"`},
	{what: "tec_mp", file: charts, after: `terrain = "clear", weather = "mud"`, old: "mech = 3", new: "mech = 2"},
	{what: "tec_mp", file: charts, old: `terrain = "clear", weather = "mud"`, new: `terrain = "clear", weather = "snow"`},
	{what: "tec_attack", file: charts, after: `terrain = "clear", weather = "mud"`, old: "attack = -10", new: "attack = -20"},
	{what: "hexside_mp", file: charts, after: `side = "lake", weather = "frost"`, old: "mp = 1", new: "mp = 2"},
	{what: "hexside_attack", file: charts, after: `side = "lake", weather = "frost"`, old: "attack = -20", new: "attack = -10"},
	{what: "hexside_enter", file: charts, after: `side = "lake", weather = "dry"`, old: "false", new: "true"},
	{what: "attack_over", file: charts, after: `side = "minor_river", weather = "mud"`, old: "attack = -20", new: "attack = -40"},
	{what: "alias", file: charts, after: `side = "kerch"`, old: `"major_river"`, new: `"minor_river"`},
	{what: "alias_weather", file: charts, after: `side = "sivash"`, old: `"mud"`, new: `"dry"`},
	{what: "alias_ma", file: charts, after: `side = "kerch"`, old: "false", new: "true"},
	{what: "bars", file: charts, old: `where = "mountain"`, new: `where = "forest"`},
	{what: "soviet_leg_mp", file: charts, after: "soviet_leg", old: "mp = 1", new: "mp = 2"},
	{what: "ma_multiplier", file: charts, old: "mobile_assault_multiplier = 3", new: "mobile_assault_multiplier = 2"},
	{what: "feature", file: charts, after: `feature = "city"`, old: "defence = 2.0", new: "defence = 1.5"},
	{what: "stalin_bonus", file: charts, after: `feature = "stalin"`, old: "defence = 1.1", new: "defence = 1.2"},
	{what: "modifier", file: charts, after: `name = "concentric"`, old: "defender = 1", new: "defender = 2"},
	{what: "modifier", file: charts, old: `name = "concentric"`, new: `name = "all round"`},
	{what: "worse_attack", file: charts, after: `terrain = "broken", weather = "dry"`, old: "attack = -10", new: "attack = 0"},
	{what: "soviet_mp_lost", file: charts, after: "intervening = 2", old: "mp = 2", new: "mp = 1"},
	{what: "soviet_percent", file: charts, after: "intervening = 2", old: "percent = 20", new: "percent = 25"},
	{what: "soviet_out_beyond", file: charts, old: "beyond = 4", new: "beyond = 5"},
	{what: "supply", file: charts, after: "air = { corps", old: "range = 6", new: "range = 7"},
	{what: "axis_length", file: charts, after: "turn = 5\n", old: "supply_germany = 11", new: "supply_germany = 12"},
	{what: "axis_mp_lost", file: charts, after: "axis = { mp", old: "max_mp = 4", new: "max_mp = 5"},
	{what: "axis_percent", file: charts, after: "axis = { mp", old: "percent = 10", new: "percent = 20"},
	{what: "advance", file: charts, after: "german = [", old: "full = 4", new: "full = 3"},
	{what: "retreat", file: charts, after: "retreat = {", old: "defender = 4", new: "defender = 3"},
	{what: "air", file: charts, after: "per_battle", old: "german = 2", new: "german = 3"},
	{what: "weather", file: charts, after: "turn = 6\n", old: `north = "mud"`, new: `north = "dry"`},
	{what: "name_has", file: charts, old: "November", new: "Brumaire", all: true},
	{what: "turns", file: charts, old: "[[trc]]", new: "[[trc]]\nturn = 0\n[[trc]]"},
	{what: "plays", file: charts, old: `plays = ["axis assault"]`, new: `plays = ["axis player-turn"]`},
	{what: "soviet_steps", file: charts, after: "turn = 2\n", old: "soviet_steps = 30", new: "soviet_steps = 31"},
	{what: "rvgk", file: charts, after: "turn = 2\n", old: "rvgk = 2", new: "rvgk = 3"},
	{what: "romanian_steps", file: charts, old: "romanian_steps = 2", new: "romanian_steps = 3"},
	{what: "axis_mech_scarce", file: charts, after: "turn = 2\n", old: "axis_mech_steps = 0", new: "axis_mech_steps = 30"},
	{what: "soviet_ap_first", file: charts, after: "turn = 3\n", old: "soviet_ap = 0", new: "soviet_ap = 1"},
	{what: "vp_check_first", file: charts, after: "turn = 2\n", old: "vp = 0", new: "vp = 5"},
	{what: "vp_level_top", file: charts, after: "turn = 11\n", old: "vp = 43", new: "vp = 44"},
	{what: "vp_level_last", file: charts, after: "turn = 11\n", old: "vp = 43", new: "vp = 42"},
	{what: "several_armies", file: charts, after: "turn = 2\n", old: `soviet_cadres = ["16A", "18A", "24A", "28A", "29A", "30A", "31A", "32A", "33A", "COAST"]`, new: `soviet_cadres = ["COAST"]`},
	{what: "vp_loss", file: charts, after: "Italian CSIR eliminated", old: "vp = 2", new: "vp = 1"},
	{what: "series", file: charts, after: "turns = [4]", old: "points = 86", new: "points = 85"},
	{what: "soviet_win", file: charts, after: "soviet_win_below", old: "value = 27", new: "value = 26"},
	{what: "leningrad", file: charts, after: "leningrad_roll", old: "least = 6", new: "least = 5"},
	{what: "leningrad_then", file: charts, after: "leningrad_roll", old: "then = 12", new: "then = 11"},
}

// arithmetic are kinds that no data can break: the game's own sums.
var arithmetic = []string{"lost"}

func TestEachKindOfFactFindsTheDataThatBreakIt(t *testing.T) {
	facts, err := shippedFacts()
	if err != nil {
		t.Fatal(err)
	}
	done := map[string]bool{}
	for _, s := range kindSpoils {
		done[s.what] = true
		t.Run(s.what, func(t *testing.T) {
			files := shippedFiles(t)
			s.apply(t, files)
			found, _ := check(t, folder(files))
			hit := slices.ContainsFunc(found, func(c Conflict) bool {
				return slices.ContainsFunc(facts, func(f statement) bool {
					return f.Kind == s.what && c.Rule == f.Rule && c.Place == evaluators[f.Kind].at(f.Args) && c.Want == show(f.Expect) && c.Has != c.Want
				})
			})
			if !hit {
				t.Errorf("found only %v", found)
			}
		})
	}
	for _, f := range facts {
		if !done[f.Kind] && !slices.Contains(arithmetic, f.Kind) {
			t.Errorf("nothing breaks the kind %s", f.Kind)
			done[f.Kind] = true
		}
	}
}

// What is wrong with the form or the references of a set is named, and where.
func TestEachLawFindsTheDataThatBreakIt(t *testing.T) {
	for _, c := range []struct {
		spoil
		place, rule string
	}{
		{spoil{what: "row too short", file: mapToml, old: `hexes = "~~~~~...`, new: `hexes = "~~~~...`}, "row.A", ""},
		{spoil{what: "row missing", file: mapToml, old: "[row.C]", new: "[row.FF]"}, "row.D", ""},
		{spoil{what: "unknown letter", hexes: "K7x"}, "hex K7", "book 9.11"},
		{spoil{what: "letter means something else", file: mapToml, old: `"m" = "marsh"`, new: `"m" = "moor"`}, `terrain."m"`, ""},
		{spoil{what: "mountain without its mark", hexes: "K7^"}, "mountain.hexes", ""},
		{spoil{what: "mark without a mountain", hexes: "Q23."}, "mountain.hexes", ""},
		{spoil{what: "place off the map", file: mapToml, after: `name = "Pskov"`, old: `"E12"`, new: `"E45"`}, "place Pskov.hex", ""},
		{spoil{what: "no hex", file: mapToml, after: `name = "Pskov"`, old: `"E12"`, new: `"12E"`}, "place Pskov.hex", ""},
		{spoil{what: "two places in a hex", file: mapToml, after: `name = "Pskov"`, old: `"E12"`, new: `"E10"`}, "place Novgorod.hex", ""},
		{spoil{what: "two places of a name", file: mapToml, old: `name = "Pskov"`, new: `name = "Novgorod"`}, "place Novgorod", ""},
		{spoil{what: "place of no kind", file: mapToml, after: `name = "Pskov"`, old: `"town"`, new: `"village"`}, "place Pskov.kind", ""},
		{spoil{what: "VP without a source", file: mapToml, after: `name = "Pskov"`, old: "vp = 0", new: "vp = 1"}, "place Pskov", ""},
		{spoil{what: "place in the sea", hexes: "E12~"}, "place Pskov.hex", ""},
		{spoil{what: "city in a wood", hexes: "K15f"}, "place Minsk", "book 9.16.A"},
		{spoil{what: "hexside written backwards", file: mapToml, old: `"B8/B9"`, new: `"B9/B8"`}, "lake_hex Lake Ladoga", ""},
		{spoil{what: "no hexside", file: mapToml, old: `"B8/B9"`, new: `"B8/B10"`}, "lake_hex Lake Ladoga", ""},
		{spoil{what: "hexside of two kinds", file: mapToml, after: "[sivash]", old: `"Z13/AA14"`, new: `"B8/B9"`}, "sivash", ""},
		{spoil{what: "river with a gap", file: mapToml, after: `name = "Southern Bug"`, old: `"R18/S19", `}, "river Southern Bug.sides", ""},
		{spoil{what: "river of no class", file: mapToml, after: `name = "Southern Bug"`, old: `"minor"`, new: `"brook"`}, "river Southern Bug.class", ""},
		{spoil{what: "sea hex of no sea", file: mapToml, after: `id = "azov"`, old: `"AA12", `}, "hex AA12", "book 5.6.C"},
		{spoil{what: "coast in the sea", file: mapToml, after: `id = "black"`, old: "coast = [", new: `coast = ["AA12", `}, "sea black.coast", "book 5.6.C"},
		{spoil{what: "land in a sea", file: mapToml, after: `id = "azov"`, old: `hexes = [`, new: `hexes = ["K7", `}, "sea azov.hexes", "book 5.6.C"},
		{spoil{what: "partial side at sea", file: mapToml, after: `id = "azov"`, old: `partial_sides = [`, new: `partial_sides = ["AA11/AA12", `}, "sea azov.partial_sides", ""},
		{spoil{what: "ZOMO hex of two countries", file: mapToml, old: `Hungary = [`, new: `Hungary = ["G20", `}, "zomo.Hungary", "book 5.14.A"},
		{spoil{what: "border with a gap", file: mapToml, after: "[zomo]", old: `"J20", `}, "border.sides", ""},
		{spoil{what: "weather line inside a zone", file: mapToml, old: "line_sides = [", new: `line_sides = ["K7/K8", `}, "weather.line_sides", "book 9.1.B"},
		{spoil{what: "line with a gap", file: mapToml, after: `name = "Stalin Line"`, old: `hexes = [`, new: `hexes = ["A1", `}, "line Stalin Line.hexes", "book 9.20"},
		{spoil{what: "line of no kind", file: mapToml, after: `name = "Luga Line"`, old: `"fortified"`, new: `"trench"`}, "line Luga Line.kind", ""},
		{spoil{what: "Finland on the map", hexes: "A10."}, "finland.hexes", "book 14.11.B.1"},
		{spoil{what: "another total", file: charts, old: "vp_total = { value = 83", new: "vp_total = { value = 84"}, "victory.vp_total.value", "book 15.2.B"},
		{spoil{what: "no source on the edge", file: mapToml, old: "\neast = [", new: "\neast = []\nelsewhere = ["}, "edge.east", "book 5.2.D"},
		{spoil{what: "unknown key", file: mapToml, old: "\neast = [", new: "\neast = []\nelsewhere = ["}, "edge.elsewhere", ""},

		{spoil{what: "id in small letters", file: counters, old: `id = "26G"`, new: `id = "26g"`}, "unit 26g.id", ""},
		{spoil{what: "id twice", file: counters, old: `id = "26G"`, new: `id = "1G"`}, "unit 1G", ""},
		{spoil{what: "unit called by name", file: counters, old: `id = "OBG"`, new: `id = "GBO"`}, "unit OBG", ""},
		{spoil{what: "side", file: counters, after: `id = "26G"`, old: `"axis"`, new: `"blue"`}, "unit 26G.side", ""},
		{spoil{what: "kind", file: counters, after: `id = "26G"`, old: `kind = "start"`, new: `kind = "late"`}, "unit 26G.kind", ""},
		{spoil{what: "stacking points", file: counters, after: `id = "26G"`, old: "stack = 1", new: "stack = 3"}, "unit 26G.stack", ""},
		{spoil{what: "class", file: counters, after: `id = "26G"`, old: `"leg"`, new: `"none"`}, "unit 26G.class", "book 2.4.A"},
		{spoil{what: "Axis colours", file: counters, after: `id = "26G"`, old: `"leg"`, new: `"mech"`}, "unit 26G.class", "book 2.6.1"},
		{spoil{what: "Soviet colours", file: counters, after: `id = "8A"`, old: `"leg"`, new: `"mech"`}, "unit 8A.class", "book 2.6.2"},
		{spoil{what: "symbol", file: counters, after: `id = "26G"`, old: `"infantry"`, new: `"horse"`}, "unit 26G.symbol", ""},
		{spoil{what: "size", file: counters, after: `id = "26G"`, old: `"XXX"`, new: `"XX"`}, "unit 26G.size", "book 2.3.A"},
		{spoil{what: "nation", file: counters, after: `id = "26G"`, old: `"german"`, new: `"soviet"`}, "unit 26G.nation", "book 2.6.A"},
		{spoil{what: "ladder that falls", file: counters, after: `id = "26G"`, old: "[2, 3, 5]", new: "[2, 1, 5]"}, "unit 26G.ladder", "book 2.2.B"},
		{spoil{what: "face of two numbers", file: counters, after: `id = "26G"`, old: "[2, 3, 5]", new: "[2, 3]"}, "unit 26G.ladder", ""},
		{spoil{what: "ladder too short", file: counters, after: `id = "26G"`, old: "[2, 3, 5], ", new: ""}, "unit 26G.ladder", "book 2.2.B"},
		{spoil{what: "pieces", file: counters, after: `id = "26G"`, old: "pieces = 2", new: "pieces = 1"}, "unit 26G.pieces", "book 2.2.B"},
		{spoil{what: "not there but with steps", file: counters, after: `id = "24A"`, old: "start = 0", new: "start = 1"}, "unit 24A.start", "book 2.2.A"},
		{spoil{what: "one step at the start", file: counters, after: `id = "26G"`, old: "start = 3", new: "start = 1"}, "unit 26G.start", "book 2.8.A"},
		{spoil{what: "weak at the start", file: counters, after: `id = "8A"`, old: "start = 3", new: "start = 2"}, "unit 8A.start", "book 2.8.D"},
		{spoil{what: "turn", file: counters, after: `id = "24A"`, old: "turn = 2", new: "turn = 12"}, "unit 24A.turn", "book 2.7"},
		{spoil{what: "reserve", file: counters, after: `id = "26G"`, old: `notes = "18 A"`, new: `notes = "OKHR"`}, "unit 26G", "book 6.5"},

		{spoil{what: "turn out of order", file: charts, old: "turn = 3\n", new: "turn = 4\n"}, "trc turn 4", ""},
		{spoil{what: "no dates", file: charts, old: `dates = "September 1941"`, new: `dates = ""`}, "trc turn 5.dates", "book 1.1.B"},
		{spoil{what: "weather", file: charts, after: "turn = 5\n", old: `south = "dry"`, new: `south = "fog"`}, "trc turn 5.south", "book 9.1.A"},
		{spoil{what: "worse at better odds", file: charts, after: "[[crt.row]]\ndie = 1", old: `"1/1", "1/2"`, new: `"1/1", "2/2"`}, "crt, die 1, column 1-1", "book 14.5.p2"},
		{spoil{what: "result in words", file: charts, after: "[[crt.row]]\ndie = 1", old: `"1/2"`, new: `"AR"`}, "crt, die 1, column 1-1", "book 14.5.p2"},
		{spoil{what: "cell missing", file: charts, after: "[[crt.row]]\ndie = 1", old: `"1/2", `}, "crt, die 1", ""},
		{spoil{what: "row of the table twice", file: charts, old: "[[crt.row]]\ndie = 1", new: "[[crt.row]]\ndie = 2"}, "crt, die 1", ""},
		{spoil{what: "ground missing", file: charts, old: `terrain = "forest", weather = "mud"`, new: `terrain = "forest", weather = "dry"`}, "tec.terrain", ""},
		{spoil{what: "attack raised", file: charts, after: `terrain = "forest", weather = "mud"`, old: `attack = -30`, new: `attack = 30`}, "tec.terrain forest in mud.attack", ""},
		{spoil{what: "hexside missing", file: charts, old: `side = "major_river", weather = "mud"`, new: `side = "canal", weather = "mud"`}, "tec.hexside", ""},
		{spoil{what: "level falls", file: charts, after: "turn = 11\n", old: "vp = 43", new: "vp = 1"}, "trc turn 11.vp", "book 15.3.A"},
		{spoil{what: "negative steps", file: charts, after: "turn = 5\n", old: "soviet_steps = ", new: "soviet_steps = -"}, "trc turn 5.soviet_steps", ""},
		{spoil{what: "unit of no list", file: charts, old: `axis_automatic = ["SCH"]`, new: `axis_automatic = []`}, "trc", ""},
		{spoil{what: "unit of the other list", file: charts, old: `axis_cadres = ["35G"`, new: `axis_cadres = ["SCH", "35G"`}, "trc turn 2.axis_cadres", ""},
		{spoil{what: "unknown unit", file: charts, old: `axis_cadres = ["35G"`, new: `axis_cadres = ["135G"`}, "trc turn 2.axis_cadres", ""},
		{spoil{what: "line on another turn", file: charts, old: `lines = ["Luga Line"]`, new: `lines = []`}, "trc", "book 9.21.A"},

		{spoil{what: "stack in the sea", file: setup, old: `hex = "J20"`, new: `hex = "A20"`}, "hex A20", ""},
		{spoil{what: "stack on the wrong side", file: setup, old: `hex = "J20"`, new: `hex = "K7"`}, "hex K7", "book 3.0.B"},
		{spoil{what: "unit twice", file: setup, old: `units = ["42G"]`, new: `units = ["42G", "7G"]`}, "hex K21", ""},
		{spoil{what: "unit without a hex", file: setup, old: `units = ["42G"]`, new: `units = []`}, "unit 42G", "book 3.0.B"},
		{spoil{what: "unit that comes later", file: setup, old: `units = ["42G"]`, new: `units = ["42G", "SCH"]`}, "hex J20", "book 3.0.B"},
		{spoil{what: "six in a hex", file: setup, old: `units = ["26G"`, new: `units = ["23G", "26G"`}, "hex G20", "book 8.1"},
		{spoil{what: "box with other steps", file: setup, after: `unit = "11A"`, old: "steps = 4", new: "steps = 3"}, "box 11A.steps", ""},
		{spoil{what: "box of another status", file: setup, after: `unit = "11A"`, old: `"start"`, new: `"later"`}, "box 11A.status", ""},
		{spoil{what: "box missing", file: setup, old: `unit = "11A"`, new: `unit = "3MC"`}, "box 11A", "book 2.8.C"},

		{spoil{what: "point outside the frame", file: "coast.json", old: "[1.858,26.558]", new: "[99,26.558]"}, "coast, line 1", ""},
		{spoil{what: "lake outside the frame", file: "coast.json", after: `"Lake Ladoga"`, old: "[[15.58,", new: "[[-15.58,"}, "lakes Lake Ladoga", ""},
		{spoil{what: "no frame", file: "coast.json", old: `"frame": [0.5,`, new: `"frame": [`}, "frame", ""},

		{spoil{what: "key misspelt", file: counters, after: `id = "26G"`, old: "replaceable", new: "replacable"}, "unit 26G.replaceable", ""},
		{spoil{what: "key unknown", file: counters, after: `id = "26G"`, old: "replaceable", new: "replacable"}, "unit 26G.replacable", ""},
		{spoil{what: "text for a number", file: counters, after: `id = "26G"`, old: "turn = 1", new: `turn = "1"`}, "unit 26G.turn", ""},
		{spoil{what: "no source", file: counters, after: `id = "26G"`, old: "\nsource = \"reconstructed\"", new: ""}, "unit 26G", ""},
		{spoil{what: "odd source", file: counters, after: `id = "26G"`, old: "\nsource = \"reconstructed\"", new: "\nsource = \"hearsay\""}, "unit 26G.source", ""},

		{spoil{what: "a value of the book that no fact speaks of", file: charts, after: "all-out panzer assault\", who", old: "defender = 1", new: "defender = 2"}, "tec.modifier all-out panzer assault.defender", "book 14.39.5.A"},
		{spoil{what: "a row of the book", file: charts, old: `{ weather = "frost", class = "leg", full = 0`, new: `{ weather = "snow", class = "leg", full = 0`}, "advance.german leg frost", "book 14.27"},
		{spoil{what: "a row of nobody", file: charts, old: `{ weather = "frost", class = "leg", full = 0`, new: `{ weather = "snow", class = "leg", full = 0`}, "advance.german leg snow", ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			files := shippedFiles(t)
			c.apply(t, files)
			found, _ := check(t, folder(files))
			for _, f := range found {
				if (f.File == c.file || c.file == "" && f.File == mapToml) && f.Place == c.place && f.Rule == c.rule {
					return
				}
			}
			t.Errorf("nothing at %s (%s), only %v", c.place, c.rule, found)
		})
	}
}

// A file that can't be read is a conflict with its line, the others are checked
// all the same.
func TestUnreadableFilesAreConflicts(t *testing.T) {
	for _, c := range []struct {
		spoil
		line int
		says string
	}{
		{spoil{file: mapToml, old: "west = 20", new: "west = = 20"}, 35, "can't be read"},
		{spoil{file: counters, old: "[[unit]]", new: "[[unit"}, 0, "can't be read"},
		{spoil{file: "coast.json", old: `"use": `, new: `"use" `}, 6, "can't be read"},
		{spoil{file: setup, old: "[[hex]]", new: "hex = 3"}, 0, ""},
		{spoil{file: mapToml, old: "west = 20", new: `west = "twenty"`}, 0, ""},
	} {
		files := shippedFiles(t)
		c.apply(t, files)
		found, sum := check(t, folder(files))
		i := slices.IndexFunc(found, func(f Conflict) bool { return f.File == c.file && strings.Contains(f.Has, c.says) })
		if i < 0 || c.line > 0 && found[i].Line != c.line {
			t.Errorf("%s %q: %v", c.file, c.new, found)
			continue
		}
		if (c.file == mapToml || c.file == counters) && (sum.Skipped == 0 || sum.Facts == 0) {
			t.Errorf("%s: %+v", c.file, sum)
		}
		if s := found[i].String(); !strings.HasSuffix(s, ".") || strings.Contains(s, "\n") {
			t.Errorf("no sentence: %q", s)
		}
	}
	found, _ := check(t, folder(map[string]string{"map.toml": "", "counters.toml": "", "charts.toml": "", "setup.toml": "", "coast.json": "{}"}))
	if len(found) < 20 {
		t.Errorf("an empty set has %d conflicts", len(found))
	}
}

func TestConflictsAreSentences(t *testing.T) {
	for _, c := range []struct {
		Conflict
		want string
	}{
		{Conflict{File: mapToml, Place: "place Riga, hex", Has: "D16", Want: "E16", Rule: "example 5.4"}, "map.toml, place Riga, hex: the data say D16; the book states E16 (example 5.4)."},
		{Conflict{File: setup, Place: "hex A20", Has: "A20", Want: "a land hex of the map"}, "setup.toml, hex A20: the data say A20; it must be a land hex of the map."},
		{Conflict{File: charts, Has: "the file can't be read: x", Line: 3, Column: 4}, "charts.toml, line 3, column 4: the file can't be read: x."},
	} {
		if got := c.String(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// Every row that the index calls data is held against the set by a fact or a
// law, and every row that facts and laws name exists.
func TestFactsCoverTheDataRows(t *testing.T) {
	index, err := rulebook.Load("blitz41")
	if err != nil {
		t.Fatal(err)
	}
	known := map[engine.RuleID]bool{}
	covered := FactRows()
	for _, r := range index.Rows {
		known[engine.RuleID(r.ID)] = true
		if r.Status == rulebook.Data && !slices.Contains(covered, engine.RuleID(r.ID)) {
			t.Errorf("no fact and no law checks %s, %s", r.ID, r.Title)
		}
	}
	for _, r := range covered {
		if !known[r] {
			t.Errorf("the index has no row %s", r)
		}
	}
	if len(covered) < 150 {
		t.Errorf("only %d rows", len(covered))
	}
}

// spoilt draws a set with something wrong in one file: lines dropped, doubled or
// swapped, numbers and texts replaced, the end missing.
func spoilt(t *rapid.T, files map[string]string) map[string]string {
	out := map[string]string{}
	for n, s := range files {
		out[n] = s
	}
	name := rapid.SampledFrom(DataNames()[:5]).Draw(t, "file")
	for range rapid.IntRange(1, 3).Draw(t, "changes") {
		lines := strings.Split(out[name], "\n")
		i, j := rapid.IntRange(0, len(lines)-1).Draw(t, "line"), rapid.IntRange(0, len(lines)-1).Draw(t, "other")
		switch rapid.SampledFrom([]string{"drop", "drop many", "swap", "double", "number", "text", "cut"}).Draw(t, "how") {
		case "drop":
			lines = slices.Delete(lines, i, i+1)
		case "drop many":
			lines = slices.Delete(lines, min(i, j), max(i, j))
		case "swap":
			lines[i], lines[j] = lines[j], lines[i]
		case "double":
			lines = slices.Insert(lines, i, lines[j])
		case "number":
			n := rapid.SampledFrom([]string{"-1", "0", "1", "7", "99", "300", "70000", "0.5"}).Draw(t, "n")
			lines[i] = someNumber.ReplaceAllString(lines[i], n)
		case "text":
			s := rapid.SampledFrom([]string{`""`, `"-"`, `"0101"`, `"ZZ99"`, `"A1"`, `"A1/A2"`, `"ß ~"`, `"MSU"`, `"dry"`, `"axis"`}).Draw(t, "s")
			lines[i] = someText.ReplaceAllString(lines[i], s)
		case "cut":
			lines[i] = lines[i][:len(lines[i])/2]
		}
		out[name] = strings.Join(lines, "\n")
	}
	return out
}

var (
	someNumber = regexp.MustCompile(`-?\b\d+(\.\d+)?\b`)
	someText   = regexp.MustCompile(`"[^"]*"`)
)

// Whatever is wrong with a set: nothing panics, Load says which file it is, what
// Load refuses Check names, and what Check lets pass can be played.
func TestBrokenSetsAreRefused(t *testing.T) {
	files := shippedFiles(t)
	rapid.Check(t, func(t *rapid.T) {
		set := folder(spoilt(t, files))
		found, _, err := Check(set)
		if err != nil {
			t.Fatal(err)
		}
		d, err := Load(set)
		if err != nil {
			if file, why, _ := strings.Cut(err.Error(), ": "); !slices.Contains(DataNames(), file) || why == "" || strings.Contains(err.Error(), "\n") {
				t.Fatalf("no clear error: %v", err)
			}
			if len(found) == 0 {
				t.Fatalf("Check finds nothing, Load says: %v", err)
			}
			return
		}
		if len(found) > 0 {
			return
		}
		if _, _, err := engine.Begin(New(d, Options{}), engine.Env{}); err != nil {
			t.Fatal(err)
		}
	})
}

// What a set needs so that the game can be played is refused without it.
func TestLoadRefuses(t *testing.T) {
	for _, c := range []struct {
		spoil
		says string
	}{
		{spoil{file: mapToml, after: "[[oilfield]]", old: `name = "Maikop oil fields"`, new: `name = ""`}, "map.toml: oilfield in EE8: no name"},
		{spoil{file: mapToml, old: "[row.A]\nwest = 20", new: "[row.A]\nwest = 300"}, "map.toml: row A: west = 300, but 20 hexes"},
		{spoil{hexes: "K7x"}, `map.toml: row K: terrain 'x'`},
		{spoil{file: mapToml, after: `name = "Pskov"`, old: `"E12"`, new: `"E45"`}, "map.toml: E45 is not on the map"},
		{spoil{file: counters, old: `id = "MSU"`, new: `id = "MSV"`}, "counters.toml: there is no unit MSU"},
		{spoil{file: counters, after: `id = "26G"`, old: "[1, 2, 5]", new: "[1, 2]"}, ""},
		{spoil{file: counters, after: `id = "26G"`, old: "turn = 1", new: "turn = 0"}, "counters.toml: unit 26G: turn 0"},
		{spoil{file: counters, after: `id = "26G"`, old: "start = 3", new: "start = 5"}, ""},
		{spoil{file: setup, after: `unit = "11A"`, old: "steps = 4", new: "steps = 5"}, "setup.toml: unit 11A: 5 steps at the start of 4"},
		{spoil{file: setup, old: `"56PZ"`, new: `"58PZ"`}, "setup.toml: 58PZ in G20: there is no such unit"},
		{spoil{file: charts, old: `"1-3", "1-2"`, new: `"1-3", "one"`}, `charts.toml: odds column "one"`},
		{spoil{file: charts, old: `columns = ["1-3"`, new: `columns = ["0-0"`}, `charts.toml: odds column "0-0"`},
		{spoil{file: charts, after: "[[crt.row]]\ndie = 1", old: `"1/2"`, new: `"AR"`}, `charts.toml: die 1: result "AR"`},
		{spoil{file: charts, old: `weather = "mud", mech = 3`, new: `weather = "fog", mech = 3`}, `charts.toml: weather "fog"`},
		{spoil{file: charts, old: "turn = 11\n", new: "turn = 12\n"}, "charts.toml: turn 12 stands in place 11"},
	} {
		files := shippedFiles(t)
		c.apply(t, files)
		_, err := Load(folder(files))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s → %s%s: got %v, want %s", c.old, c.new, c.hexes, err, c.says)
		}
	}
}
