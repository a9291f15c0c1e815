package blitz41

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"pbemd/engine/chart"
	"pbemd/engine/hex"
)

// set is a data set as it was written, before anything is believed.
type set struct {
	bytes map[string][]byte
	raw   map[string]map[string]any // no entry: can't be read

	m mapFile
	c struct {
		Unit   []unitRow
		Marker []struct {
			ID     string
			Pieces int
		}
	}
	s struct {
		Hex []struct {
			Side, Hex string
			Units     []string
		}
		Box []struct {
			Unit, Status string
			Steps        int
		}
	}

	// worked out by derive
	ground map[hex.Coord]string // every hex of the map and its terrain
	order  []hex.Coord          // the same from north to south, east to west
	west   map[hex.Coord]string // ZOMO hexes and their country
	sides  map[edge]string      // what lies on a hexside, one word
	home   map[string]hex.Coord // where units begin
}

// unitRow is a counter as it was written.
type unitRow struct {
	ID, Name, Side, Nation, Size, Class, Symbol, Kind, Notes string
	Ladder                                                   [][]int
	MaxSteps                                                 int `toml:"max_steps"`
	Start, Turn, Pieces                                      int
	Replaceable                                              bool
	Stack                                                    float64
}

// edge is a hexside, its two hexes in board order.
type edge [2]hex.Coord

func edgeOf(a, b hex.Coord) edge {
	if b.Row < a.Row || b.Row == a.Row && b.Num < a.Num {
		a, b = b, a
	}
	return edge{a, b}
}

func (e edge) String() string { return e[0].String() + "/" + e[1].String() }

// parseEdge reads a hexside as it is written; ok is false unless both are hexes.
func parseEdge(s string) (a, b hex.Coord, ok bool) {
	p, q, _ := strings.Cut(s, "/")
	a, err := hex.Parse(p)
	b, err2 := hex.Parse(q)
	return a, b, err == nil && err2 == nil && a.Style == hex.Lettered && b.Style == hex.Lettered
}

// readable reports whether all of the files could be read.
func (s *set) readable(files ...string) bool {
	for _, f := range files {
		if s.raw[f] == nil {
			return false
		}
	}
	return true
}

// printed are the letters of the terrain strings; the mountain is broken ground
// with a mark.
func printed(r rune) string {
	if r == '^' {
		return "mountain"
	}
	t, off, err := terrainOf(r)
	if err != nil || off {
		return ""
	}
	return TerrainName(t)
}

// derive works out what facts and laws ask for. What can't be made sense of is
// left out; the laws name it.
func (s *set) derive() {
	s.ground, s.west, s.sides, s.home = map[hex.Coord]string{}, map[hex.Coord]string{}, map[edge]string{}, map[string]hex.Coord{}
	for name, row := range s.m.Row {
		at, err := hex.Parse(name + "1")
		if err != nil || at.Style != hex.Lettered {
			continue
		}
		for i, r := range []rune(row.Hexes) {
			if n := row.West - i; n >= 1 && n <= 99 && printed(r) != "" {
				s.ground[hex.Letter(int(at.Row), n)] = printed(r)
			}
		}
	}
	for h := range s.ground {
		s.order = append(s.order, h)
	}
	sort.Slice(s.order, func(i, j int) bool {
		a, b := s.order[i], s.order[j]
		return a.Row < b.Row || a.Row == b.Row && a.Num < b.Num
	})
	for _, z := range s.zomo() {
		for _, n := range z.hexes {
			if h, err := hex.Parse(n); err == nil {
				s.west[h] = z.country
			}
		}
	}
	for _, k := range s.hexsides() {
		for _, n := range k.sides {
			if a, b, ok := parseEdge(n); ok {
				s.sides[edgeOf(a, b)] = k.kind
			}
		}
	}
	for _, row := range s.s.Hex {
		h, err := hex.Parse(row.Hex)
		if err != nil {
			continue
		}
		for _, u := range row.Units {
			if _, twice := s.home[u]; !twice {
				s.home[u] = h
			}
		}
	}
}

type country struct {
	country string
	hexes   []string
}

func (s *set) zomo() []country {
	return []country{{"Germany", s.m.Zomo.Germany}, {"Hungary", s.m.Zomo.Hungary}, {"Romania", s.m.Zomo.Romania}}
}

// hexsides lists the kinds of hexsides of which a side has at most one.
func (s *set) hexsides() []struct {
	kind, name string
	sides      []string
} {
	type row = struct {
		kind, name string
		sides      []string
	}
	var out []row
	for _, r := range s.m.River {
		out = append(out, row{r.Class + "_river", "river " + r.Name, r.Sides})
	}
	for _, r := range s.m.Lake {
		out = append(out, row{"lake", "lake " + r.Name, r.Sides})
	}
	for _, r := range s.m.LakeHex {
		out = append(out, row{"lake", "lake_hex " + r.Name, r.Sides})
	}
	for _, r := range s.m.SeaSide {
		out = append(out, row{"all_sea", "sea_side " + r.Name, r.Sides})
	}
	for _, r := range s.m.Strait {
		out = append(out, row{"kerch", "strait " + r.Name, []string{r.Side}})
	}
	return append(out, row{"sivash", "sivash", s.m.Sivash.Sides})
}

func (s *set) land(h hex.Coord) bool {
	t := s.ground[h]
	return t != "" && t != "sea" && t != "lake"
}

func (s *set) sovietLand(h hex.Coord) bool { return s.land(h) && s.west[h] == "" }

// beside lists the neighbours of a hex, on the map or not.
func beside(h hex.Coord) []hex.Coord {
	var out []hex.Coord
	for d := hex.Direction(0); d < 6; d++ {
		if n := hex.WestwardRows.Neighbour(h, d); !n.IsZero() && n.Row >= 1 && n.Num >= 1 {
			out = append(out, n)
		}
	}
	return out
}

func touch(a, b hex.Coord) bool { return hex.WestwardRows.Toward(a, b) != hex.NoDirection }

// between is what lies on the side between two hexes.
func (s *set) between(a, b hex.Coord) string {
	if k := s.sides[edgeOf(a, b)]; k != "" {
		return k
	}
	return "plain"
}

// joined reports whether a supply line, or a move in dry weather, can go from a
// hex to its neighbour. Supply crosses lakes.
func (s *set) joined(a, b hex.Coord, supply bool) bool {
	if !touch(a, b) || s.ground[a] == "" || s.ground[b] == "" || s.ground[a] == "sea" || s.ground[b] == "sea" {
		return false
	}
	k := s.between(a, b)
	return k != "all_sea" && (supply || k != "lake")
}

// reach lists the hexes that can be reached from one, through hexes that are free.
func (s *set) reach(from hex.Coord, supply bool, free func(hex.Coord) bool) map[hex.Coord]int {
	seen := map[hex.Coord]int{from: 0}
	for queue := []hex.Coord{from}; len(queue) > 0; queue = queue[1:] {
		for _, n := range beside(queue[0]) {
			if _, ok := seen[n]; !ok && free(n) && s.joined(queue[0], n, supply) {
				seen[n] = seen[queue[0]] + 1
				queue = append(queue, n)
			}
		}
	}
	return seen
}

// place finds a place by name, -1 if there is none.
func (s *set) place(name string) int {
	for i, p := range s.m.Place {
		if p.Name == name {
			return i
		}
	}
	return -1
}

func (s *set) unit(id string) int {
	for i, u := range s.c.Unit {
		if u.ID == id {
			return i
		}
	}
	return -1
}

func (s *set) line(name string) int {
	for i, l := range s.m.Line {
		if l.Name == name {
			return i
		}
	}
	return -1
}

// chart looks a value up in charts.toml by its keys.
func (s *set) chart(keys ...string) any {
	var v any = s.raw["charts.toml"]
	for i, k := range keys {
		t, ok := v.(map[string]any)
		if ok {
			v, ok = t[k]
		}
		if !ok {
			return absent("there is no " + strings.Join(keys[:i+1], "."))
		}
	}
	return v
}

// num is a number of charts.toml, 0 if it isn't there.
func (s *set) num(keys ...string) float64 {
	n, _ := number64(s.chart(keys...))
	return n
}

// rows are a table of charts.toml.
func (s *set) rows(path ...string) []map[string]any {
	var out []map[string]any
	for _, v := range items(s.chart(path...)) {
		if t, ok := v.(map[string]any); ok {
			out = append(out, t)
		}
	}
	return out
}

// find looks for the row of a table in which the named columns have the given
// values, and takes one more column from it: pairs of name and value, then the
// name.
func (s *set) find(table string, want ...any) any {
	n := len(want) - 1
	var words []string
	for _, r := range s.rows(strings.Split(table, ".")...) {
		ok := true
		for i := 0; i < n; i += 2 {
			ok = ok && same(r[want[i].(string)], plain(want[i+1]))
		}
		if ok {
			if v, has := r[want[n].(string)]; has {
				return v
			}
			return absent(fmt.Sprintf("no %v in the row", want[n]))
		}
	}
	for i := 0; i < n; i += 2 {
		words = append(words, fmt.Sprintf("%v %v", want[i], want[i+1]))
	}
	return absent("that " + table + " has no row of " + strings.Join(words, ", "))
}

func plain(v any) any {
	if n, ok := v.(int); ok {
		return int64(n)
	}
	return v
}

// turn takes a value from the turn record chart.
func (s *set) turn(n int, key string) any { return s.find("trc", "turn", n, key) }

// sum adds a column of the turn record chart up.
func (s *set) sum(key string) float64 {
	total := 0.0
	for _, t := range s.rows("trc") {
		n, _ := number64(t[key])
		total += n
	}
	return total
}

// first is the first turn on which a column isn't zero.
func (s *set) first(key string) any {
	best := math.Inf(1)
	for _, t := range s.rows("trc") {
		n, _ := number64(t[key])
		at, _ := number64(t["turn"])
		if n != 0 {
			best = min(best, at)
		}
	}
	if math.IsInf(best, 1) {
		return absent("0 on every turn")
	}
	return best
}

// columns are the odds columns of the combat results table.
func (s *set) columns() []string {
	var out []string
	for _, c := range items(s.chart("crt", "columns")) {
		w, _ := c.(string)
		out = append(out, w)
	}
	return out
}

// result is a cell of the combat results table.
func (s *set) result(column string, die int) any {
	i := slices.Index(s.columns(), column)
	if i < 0 {
		return absent("there is no column " + column)
	}
	for _, r := range s.rows("crt", "row") {
		if same(r["die"], int64(die)) {
			if l := items(r["results"]); i < len(l) {
				return l[i]
			}
		}
	}
	return absent("there is no such cell")
}

// odds is the column of a battle by the printed columns; DX if it destroys
// whatever the die.
func (s *set) odds(a, d int) any {
	var cols chart.Columns
	for _, n := range s.columns() {
		p, q, _ := strings.Cut(n, "-")
		x, err := strconv.Atoi(p)
		y, err2 := strconv.Atoi(q)
		if err != nil || err2 != nil || x < 1 || y < 1 {
			return absent("there is a column " + n)
		}
		cols = append(cols, [2]int{x, y})
	}
	if len(cols) == 0 {
		return absent("there are no columns")
	}
	o := cols.Of(a, d)
	if o == chart.Below {
		return "below"
	}
	for die := 1; die <= 6; die++ {
		if s.result(s.columns()[o], die) != "DX" {
			return s.columns()[o]
		}
	}
	return "DX"
}

// over is how many hexes an Axis line is too long, up to the limit.
func (s *set) over(length int, country string, turn int) float64 {
	full, _ := number64(s.full(country, turn))
	return min(max(0, float64(length)-full), s.num("supply", "axis", "max_mp"))
}

// full is the length of an Axis line that costs nothing.
func (s *set) full(country string, turn int) any {
	if country == "Germany" {
		return s.turn(turn, "supply_germany")
	}
	return s.turn(turn, "supply_hungary_romania")
}

// less takes per cent off, rounded up as the game does.
func less(n, percent int) int { return n - chart.Percent(n, percent) }

func whole(v any) int {
	n, _ := number64(v)
	return int(math.Round(n))
}

// evaluator works a kind of fact out from the data.
type evaluator struct {
	files []string // the first is where a conflict is reported
	args  string   // see [args.match]
	place string   // $1, $2 … are the arguments, $* all
	value func(s *set, a args) any
}

func (e evaluator) at(a args) string {
	all := make([]string, len(a))
	p := e.place
	for i, v := range a {
		all[i] = show(v)
		p = strings.ReplaceAll(p, "$"+strconv.Itoa(i+1), all[i])
	}
	return strings.ReplaceAll(p, "$*", strings.Join(all, " "))
}

var (
	inMap      = []string{"map.toml"}
	inCounters = []string{"counters.toml"}
	inCharts   = []string{"charts.toml"}
)

// ofPlace, ofUnit and ofLine make evaluators that first look their subject up.
func ofPlace(what string, f func(s *set, i int) any) evaluator {
	return evaluator{inMap, "s", "place $1" + what, func(s *set, a args) any {
		if i := s.place(a.text(0)); i >= 0 {
			return f(s, i)
		}
		return absent("no such place")
	}}
}

func ofUnit(what string, f func(s *set, i int) any) evaluator {
	return evaluator{inCounters, "s", "unit $1" + what, func(s *set, a args) any {
		if i := s.unit(a.text(0)); i >= 0 {
			return f(s, i)
		}
		return absent("no such unit")
	}}
}

func ofLine(what string, f func(s *set, i int) any) evaluator {
	return evaluator{inMap, "s", "line $1" + what, func(s *set, a args) any {
		if i := s.line(a.text(0)); i >= 0 {
			return f(s, i)
		}
		return absent("no such line")
	}}
}

// ofChart makes an evaluator that takes its value straight from charts.toml.
func ofChart(args, place string, f func(s *set, a args) any) evaluator {
	return evaluator{inCharts, args, place, f}
}

// evaluators has every kind of fact.
var evaluators map[string]evaluator

func init() {
	evaluators = map[string]evaluator{
		// the map
		"land":       {inMap, "h", "hex $1 is land", func(s *set, a args) any { return s.land(a.hex(0)) }},
		"soviet_hex": {inMap, "h", "hex $1 is Soviet land", func(s *set, a args) any { return s.sovietLand(a.hex(0)) }},
		"terrain":    {inMap, "h", "hex $1, terrain", func(s *set, a args) any { return s.ground[a.hex(0)] }},
		"adjacent":   {inMap, "hh", "$1 and $2 are neighbours on the map", func(s *set, a args) any { return s.chained(a) }},
		"chain":      {inMap, "h*", "$* are a chain on the map", func(s *set, a args) any { return s.chained(a) }},
		"distance":   {inMap, "hh", "distance from $1 to $2", func(s *set, a args) any { return s.distance(a) }},
		"intervening": {inMap, "hh", "hexes between $1 and $2", func(s *set, a args) any {
			if n, ok := s.distance(a).(int); ok {
				return n - 1
			}
			return s.distance(a)
		}},
		"side":           {inMap, "hh", "hexside $1/$2", func(s *set, a args) any { return s.between(a.hex(0), a.hex(1)) }},
		"supply_crosses": {inMap, "hh", "supply crosses $1/$2", func(s *set, a args) any { return s.joined(a.hex(0), a.hex(1), true) }},
		"moves_in_dry":   {inMap, "hh", "units cross $1/$2 in dry weather", func(s *set, a args) any { return s.joined(a.hex(0), a.hex(1), false) }},
		"place":          ofPlace(", hex", func(s *set, i int) any { return s.m.Place[i].Hex }),
		"place_kind":     ofPlace(", kind", func(s *set, i int) any { return s.m.Place[i].Kind }),
		"vp":             ofPlace(", vp", func(s *set, i int) any { return s.m.Place[i].VP }),
		"cities_all_on": {inMap, "", "terrain of all cities", func(s *set, _ args) any {
			var out []string
			for _, p := range s.m.Place {
				h, _ := hex.Parse(p.Hex)
				if t := s.ground[h]; p.Kind == "city" && !slices.Contains(out, t) {
					out = append(out, t)
				}
			}
			sort.Strings(out)
			return out
		}},
		"vp_total": {inMap, "", "VP of all places together", func(s *set, _ args) any { return s.points() }},
		"vp_towns": {inMap, "", "towns with VP", func(s *set, _ args) any {
			var out []string
			for _, p := range s.m.Place {
				if p.Kind == "town" && p.VP != 0 {
					out = append(out, p.Name)
				}
			}
			sort.Strings(out)
			return out
		}},
		"oilfields_score": {inMap, "", "oil fields give VP", func(s *set, _ args) any {
			n := 0
			for _, o := range s.m.Oilfield {
				n += o.VP
			}
			return n > 0
		}},
		"ports": {inMap, "", "hexes of the ports", func(s *set, _ args) any {
			var out []string
			for _, p := range s.m.Place {
				if p.Port {
					out = append(out, p.Hex)
				}
			}
			sort.Strings(out)
			return out
		}},
		"seas": {inMap, "", "ids of the seas", func(s *set, _ args) any {
			var out []string
			for _, w := range s.m.Sea {
				out = append(out, w.ID)
			}
			sort.Strings(out)
			return out
		}},
		"coast": {inMap, "hs", "hex $1 is coast of the sea $2", func(s *set, a args) any {
			for _, w := range s.m.Sea {
				if w.ID == a.text(1) {
					return slices.Contains(w.Coast, a.text(0))
				}
			}
			return absent("no such sea")
		}},
		"forts": {inMap, "", "hexes of the forts", func(s *set, _ args) any {
			var at []hex.Coord
			for _, f := range s.m.Fort {
				if h, err := hex.Parse(f.Hex); err == nil && !slices.Contains(at, h) {
					at = append(at, h)
				}
			}
			sort.Slice(at, func(i, j int) bool { return edgeOf(at[i], at[j])[0] == at[i] && at[i] != at[j] })
			out := make([]string, len(at))
			for i := range at {
				out[i] = at[i].String()
			}
			return out
		}},
		"line":       ofLine(", hexes", func(s *set, i int) any { return s.m.Line[i].Hexes }),
		"line_turn":  ofLine(", active_turn", func(s *set, i int) any { return s.m.Line[i].ActiveTurn }),
		"zomo":       {inMap, "h", "hex $1, country of the ZOMO", func(s *set, a args) any { return s.west[a.hex(0)] }},
		"protruding": {inMap, "", "zomo.protruding", func(s *set, _ args) any { return s.m.Zomo.Protruding }},
		"zomo_german_north_of": {inMap, "h", "ZOMO hexes north of $1 are Germany, the others are not", func(s *set, a args) any {
			for h, c := range s.west {
				if (h.Row < a.hex(0).Row) != (c == "Germany") {
					return false
				}
			}
			return true
		}},
		"southern_zone":      {inMap, "", "number of hexes of the south weather zone", func(s *set, _ args) any { return len(s.m.Weather.Southern) }},
		"southern":           {inMap, "h", "hex $1 lies in the south weather zone", func(s *set, a args) any { return slices.Contains(s.m.Weather.Southern, a.text(0)) }},
		"north_edge":         {inMap, "h", "hex $1 lies on the north edge", func(s *set, a args) any { return slices.Contains(s.m.Edge.North, a.text(0)) }},
		"exit_to_finland":    {inMap, "", "finland.exit_from", func(s *set, _ args) any { return s.m.Finland.ExitFrom }},
		"soviet_supply_edge": {inMap, "", "edge.soviet_supply", func(s *set, _ args) any { return s.m.Edge.SovietSupply }},
		"lake_named": {inMap, "s", "a lake of the name $1 is on the map", func(s *set, a args) any {
			for _, l := range s.m.Lake {
				if strings.Contains(l.Name, a.text(0)) && len(l.Sides) > 0 {
					return true
				}
			}
			return false
		}},

		// the counters
		"counters": {inCounters, "", "counters in all", func(s *set, _ args) any {
			n := 0
			for _, u := range s.c.Unit {
				n += u.Pieces
			}
			for _, m := range s.c.Marker {
				n += m.Pieces
			}
			return n
		}},
		"face": {inCounters, "sn", "unit $1, attack, defence and movement at $2 steps", func(s *set, a args) any {
			i := s.unit(a.text(0))
			switch {
			case i < 0:
				return absent("no such unit")
			case a.int(1) < 1 || a.int(1) > len(s.c.Unit[i].Ladder):
				return absent("no such face")
			}
			return s.c.Unit[i].Ladder[a.int(1)-1]
		}},
		"some_factor": {inCounters, "snn", "some face of the $1 side has $3 as number $2 of attack (0), defence (1), movement (2)", func(s *set, a args) any {
			for _, u := range s.c.Unit {
				for _, f := range u.Ladder {
					if u.Side == a.text(0) && a.int(1) < len(f) && f[a.int(1)] == a.int(2) {
						return true
					}
				}
			}
			return false
		}},
		"max_steps":   ofUnit(", max_steps", func(s *set, i int) any { return s.c.Unit[i].MaxSteps }),
		"start_steps": ofUnit(", start", func(s *set, i int) any { return s.c.Unit[i].Start }),
		"available":   ofUnit(", turn", func(s *set, i int) any { return s.c.Unit[i].Turn }),
		"kind":        ofUnit(", kind", func(s *set, i int) any { return s.c.Unit[i].Kind }),
		"class":       ofUnit(", class", func(s *set, i int) any { return s.c.Unit[i].Class }),
		"replaceable": ofUnit(", replaceable", func(s *set, i int) any { return s.c.Unit[i].Replaceable }),
		"stack_value": ofUnit(", stack", func(s *set, i int) any { return s.c.Unit[i].Stack }),
		"german_steps": {inCounters, "", "max_steps of all German units", func(s *set, _ args) any {
			return s.steps(func(i int) bool { return s.c.Unit[i].Nation == "german" })
		}},
		"mech_corps_steps": {inCounters, "", "max_steps of all units of half a stacking point", func(s *set, _ args) any {
			return s.steps(func(i int) bool { return s.c.Unit[i].Stack == .5 })
		}},
		"mech_corps_replaceable": {inCounters, "", "some unit of half a stacking point takes replacements", func(s *set, _ args) any {
			return slices.ContainsFunc(s.c.Unit, func(u unitRow) bool { return u.Stack == .5 && u.Replaceable })
		}},
		"nation_count": {inCounters, "s", "number of $1 units", func(s *set, a args) any {
			n := 0
			for _, u := range s.c.Unit {
				if u.Nation == a.text(0) {
					n++
				}
			}
			return n
		}},
		"marker": {inCounters, "s", "marker $1, pieces", func(s *set, a args) any {
			for _, m := range s.c.Marker {
				if m.ID == a.text(0) {
					return m.Pieces
				}
			}
			return absent("no such marker")
		}},

		// the set-up
		"starts": {[]string{"setup.toml"}, "s", "unit $1 begins on the map", func(s *set, a args) any {
			_, ok := s.home[a.text(0)]
			return ok
		}},
		"starts_at": {[]string{"setup.toml", "map.toml"}, "ss", "unit $1 begins in $2", func(s *set, a args) any {
			h, ok := s.home[a.text(0)]
			i := s.place(a.text(1))
			return ok && i >= 0 && s.m.Place[i].Hex == h.String()
		}},
		"boxes": {[]string{"setup.toml", "counters.toml"}, "s", "holding boxes of the $1 side", func(s *set, a args) any {
			var ids []string
			for _, b := range s.s.Box {
				if i := s.unit(b.Unit); i >= 0 && s.c.Unit[i].Side == a.text(0) && !slices.Contains(ids, b.Unit) {
					ids = append(ids, b.Unit)
				}
			}
			sort.SliceStable(ids, func(i, j int) bool { // armies by number, then the Shock Armies
				p, q := strings.HasSuffix(ids[i], "SH"), strings.HasSuffix(ids[j], "SH")
				if p != q {
					return q
				}
				return leading(ids[i]) < leading(ids[j])
			})
			return ids
		}},

		// the charts
		"stacking": ofChart("s", "stacking.$1.value", func(s *set, a args) any { return s.chart("stacking", a.text(0), "value") }),
		"crt":      ofChart("sn", "crt, column $1, die $2", func(s *set, a args) any { return s.result(a.text(0), a.int(1)) }),
		"crt_columns": ofChart("", "crt, first and last column", func(s *set, _ args) any {
			c := s.columns()
			if len(c) == 0 {
				return absent("there are no columns")
			}
			return []string{c[0], c[len(c)-1]}
		}),
		"odds":              ofChart("nn", "crt, column of $1 against $2", func(s *set, a args) any { return s.odds(a.int(0), a.int(1)) }),
		"tec_mp":            ofChart("sss", "tec.terrain $1 $2.$3", func(s *set, a args) any { return s.find("tec.terrain", "terrain", a[0], "weather", a[1], a[2]) }),
		"tec_attack":        ofChart("ss", "tec.terrain $1 $2.attack", func(s *set, a args) any { return s.find("tec.terrain", "terrain", a[0], "weather", a[1], "attack") }),
		"hexside_mp":        ofChart("ss", "tec.hexside $1 $2.mp", func(s *set, a args) any { return s.find("tec.hexside", "side", a[0], "weather", a[1], "mp") }),
		"hexside_attack":    ofChart("ss", "tec.hexside $1 $2.attack", func(s *set, a args) any { return s.find("tec.hexside", "side", a[0], "weather", a[1], "attack") }),
		"hexside_enter":     ofChart("ss", "tec.hexside $1 $2.enter", func(s *set, a args) any { return s.find("tec.hexside", "side", a[0], "weather", a[1], "enter") }),
		"alias":             ofChart("s", "tec.alias $1.as", func(s *set, a args) any { return s.find("tec.alias", "side", a[0], "as") }),
		"alias_weather":     ofChart("s", "tec.alias $1.weather", func(s *set, a args) any { return s.find("tec.alias", "side", a[0], "weather") }),
		"alias_ma":          ofChart("s", "tec.alias $1.mobile_assault", func(s *set, a args) any { return s.find("tec.alias", "side", a[0], "mobile_assault") }),
		"soviet_leg_mp":     ofChart("s", "tec.soviet_leg $1.mp", func(s *set, a args) any { return s.find("tec.soviet_leg", "weather", a[0], "mp") }),
		"ma_multiplier":     ofChart("", "tec.mobile_assault_multiplier", func(s *set, _ args) any { return s.chart("tec", "mobile_assault_multiplier") }),
		"feature":           ofChart("ss", "tec.feature $1.$2", func(s *set, a args) any { return s.find("tec.feature", "feature", a[0], a[1]) }),
		"modifier":          ofChart("s", "tec.modifier $1.defender", func(s *set, a args) any { return s.find("tec.modifier", "name", a[0], "defender") }),
		"soviet_mp_lost":    ofChart("n", "supply.soviet $1.mp", func(s *set, a args) any { return s.find("supply.soviet", "intervening", min(a.int(0), 4), "mp") }),
		"soviet_percent":    ofChart("n", "supply.soviet $1.percent", func(s *set, a args) any { return s.find("supply.soviet", "intervening", min(a.int(0), 4), "percent") }),
		"soviet_out_beyond": ofChart("", "supply.soviet_out.beyond", func(s *set, _ args) any { return s.chart("supply", "soviet_out", "beyond") }),
		"supply":            ofChart("ss", "supply.$1.$2", func(s *set, a args) any { return s.chart("supply", a.text(0), a.text(1)) }),
		"axis_length":       ofChart("sn", "trc, full-supply length from $1 on turn $2", func(s *set, a args) any { return s.full(a.text(0), a.int(1)) }),
		"axis_mp_lost": ofChart("nsn", "supply.axis, MP lost $1 hexes from $2 on turn $3", func(s *set, a args) any {
			return s.over(a.int(0), a.text(1), a.int(2)) * s.num("supply", "axis", "mp")
		}),
		"axis_percent": ofChart("nsn", "supply.axis, per cent lost $1 hexes from $2 on turn $3", func(s *set, a args) any {
			return min(s.over(a.int(0), a.text(1), a.int(2))*s.num("supply", "axis", "percent"), s.num("supply", "axis", "max_percent"))
		}),
		"bars": ofChart("ss", "tec.bar $1 $2", func(s *set, a args) any {
			for _, b := range s.rows("tec", "bar") {
				if b["where"] == a[0] && b["what"] == a[1] {
					return true
				}
			}
			return false
		}),
		"worse_attack": ofChart("ss", "tec.terrain, $1 takes more off an attack than $2", func(s *set, a args) any {
			p, ok := number64(s.find("tec.terrain", "terrain", a[0], "weather", "dry", "attack"))
			q, ok2 := number64(s.find("tec.terrain", "terrain", a[1], "weather", "dry", "attack"))
			return ok && ok2 && p < q
		}),
		"lost": ofChart("nn", "loss of $2 per cent of $1", func(_ *set, a args) any { return chart.Percent(a.int(0), a.int(1)) }),
		"attack_over": ofChart("sssn", "tec, attack of $4 over $1 into $2 in $3", func(s *set, a args) any {
			side := s.find("tec.hexside", "side", a[0], "weather", a[2], "attack")
			land := s.find("tec.terrain", "terrain", a[1], "weather", a[2], "attack")
			for _, v := range []any{side, land} {
				if _, ok := v.(absent); ok {
					return v
				}
			}
			return less(a.int(3), -whole(side)-whole(land))
		}),
		"stalin_bonus": ofChart("n", "tec.feature stalin, gain of a defence of $1", func(s *set, a args) any {
			f, _ := number64(s.find("tec.feature", "feature", "stalin", "defence"))
			return chart.Percent(a.int(0), int(math.Round(f*100))-100)
		}),
		"advance": ofChart("ssss", "advance.$1 $3 $2.$4", func(s *set, a args) any {
			if a.text(0) == "rih" {
				return s.chart("advance", "rih", "value")
			}
			return s.find("advance."+a.text(0), "weather", a[1], "class", a[2], a[3])
		}),
		"retreat": ofChart("s", "advance.retreat.$1", func(s *set, a args) any { return s.chart("advance", "retreat", a.text(0)) }),
		"air": ofChart("s", "air.$1", func(s *set, a args) any {
			if a.text(0) == "per_battle" {
				return s.chart("air", "per_battle", "german")
			}
			return s.chart("air", a.text(0), "value")
		}),
		"weather": ofChart("n", "trc turn $1, north and south", func(s *set, a args) any {
			return []any{s.turn(a.int(0), "north"), s.turn(a.int(0), "south")}
		}),
		"name_has": ofChart("ns", "trc turn $1, name or dates speak of $2", func(s *set, a args) any {
			return strings.Contains(strings.ToLower(show(s.turn(a.int(0), "name"))+show(s.turn(a.int(0), "dates"))), strings.ToLower(a.text(1)))
		}),
		"turns":          ofChart("", "trc, number of turns", func(s *set, _ args) any { return len(s.rows("trc")) }),
		"plays":          ofChart("n", "trc turn $1.plays", func(s *set, a args) any { return s.turn(a.int(0), "plays") }),
		"soviet_steps":   ofChart("n", "trc turn $1.soviet_steps", func(s *set, a args) any { return s.turn(a.int(0), "soviet_steps") }),
		"rvgk":           ofChart("n", "trc turn $1.rvgk", func(s *set, a args) any { return s.turn(a.int(0), "rvgk") }),
		"romanian_steps": ofChart("", "trc, romanian_steps of all turns", func(s *set, _ args) any { return s.sum("romanian_steps") }),
		"axis_mech_scarce": ofChart("", "trc, mechanised replacements are fewer than a quarter of the others", func(s *set, _ args) any {
			return s.sum("axis_mech_steps")*4 < s.sum("axis_leg_steps")
		}),
		"soviet_ap_first": ofChart("", "trc, first turn with soviet_ap", func(s *set, _ args) any { return s.first("soviet_ap") }),
		"vp_check_first":  ofChart("", "trc, first turn with a VP level", func(s *set, _ args) any { return s.first("vp") }),
		"vp_level_top": ofChart("", "trc, highest VP level", func(s *set, _ args) any {
			top := 0.0
			for _, t := range s.rows("trc") {
				n, _ := number64(t["vp"])
				top = max(top, n)
			}
			return top
		}),
		"vp_level_last": ofChart("", "trc turn 11.vp", func(s *set, _ args) any { return s.turn(11, "vp") }),
		"several_armies": ofChart("n", "trc turn $1, three or more armies among soviet_cadres", func(s *set, a args) any {
			n := 0
			for _, v := range items(s.turn(a.int(0), "soviet_cadres")) {
				if id, _ := v.(string); strings.HasSuffix(id, "A") {
					n++
				}
			}
			return n > 2
		}),
		"vp_loss": ofChart("s", "victory.loss $1.vp", func(s *set, a args) any { return s.find("victory.loss", "event", a[0], "vp") }),
		"series": ofChart("sn", "victory.series, $1 on turn $2", func(s *set, a args) any {
			for _, r := range s.rows("victory", "series") {
				event, _ := r["event"].(string)
				for _, t := range items(r["turns"]) {
					if strings.HasPrefix(event, a.text(0)) && same(t, a[1]) {
						return r["points"]
					}
				}
			}
			return absent("nothing about it")
		}),
		"soviet_win": ofChart("s", "victory.soviet_win_below.$1", func(s *set, a args) any { return s.chart("victory", "soviet_win_below", a.text(0)) }),
		"leningrad": ofChart("n", "victory.leningrad_roll, points of a $1", func(s *set, a args) any {
			return max(float64(a.int(0))*s.num("victory", "leningrad_roll", "multiplier"), s.num("victory", "leningrad_roll", "least"))
		}),
		"leningrad_then": ofChart("", "victory.leningrad_roll.then", func(s *set, _ args) any { return s.chart("victory", "leningrad_roll", "then") }),
	}
}

// chained reports whether each hex is on the map and touches the next. Finland
// and the like don't count: what the book puts into a chain is printed.
func (s *set) chained(a args) bool {
	for i := range a {
		if s.ground[a.hex(i)] == "" || i > 0 && !touch(a.hex(i-1), a.hex(i)) {
			return false
		}
	}
	return true
}

// distance is the distance of two hexes of the map.
func (s *set) distance(a args) any {
	for i := range a {
		if s.ground[a.hex(i)] == "" {
			return absent("that " + a.text(i) + " is not on the map")
		}
	}
	return hex.WestwardRows.Distance(a.hex(0), a.hex(1))
}

// points adds the VP of places and oil fields up.
func (s *set) points() int {
	n := 0
	for _, p := range s.m.Place {
		n += p.VP
	}
	for _, o := range s.m.Oilfield {
		n += o.VP
	}
	return n
}

// steps lists the different step limits of some units.
func (s *set) steps(some func(i int) bool) []int {
	var out []int
	for i, u := range s.c.Unit {
		if some(i) && !slices.Contains(out, u.MaxSteps) {
			out = append(out, u.MaxSteps)
		}
	}
	sort.Ints(out)
	return out
}

// leading is the number a unit's id begins with.
func leading(id string) int {
	n := 0
	for _, r := range id {
		if r < '0' || r > '9' {
			break
		}
		n = n*10 + int(r-'0')
	}
	return n
}
