package blitz41

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"pbemd/engine"
	"pbemd/engine/hex"
)

// law is something that must hold for a whole data set. Those without a rule are
// about references from one row to another.
type law struct {
	rule  engine.RuleID
	files []string
	run   func(c *checker)
}

var (
	inSetup = []string{"setup.toml", "counters.toml", "map.toml"}
	inTurns = []string{"charts.toml", "counters.toml"}
)

// laws are in the order of the files, and in a file in the order of the book.
var laws []law

func init() {
	laws = []law{
		{"", inMap, lawRows},
		{"B41-9.11", inMap, lawTerrain},
		{"", inMap, lawHexes},
		{"", inMap, lawHexsides},
		{"", inMap, lawRivers},
		{"", inMap, lawPlaces},
		{"", inMap, lawJoined},
		{"B41-5.2.D", inMap, lawSourcesReachTheEdge},
		{"B41-5.6.C", inMap, lawSeas},
		{"B41-5.14.A", inMap, lawZomo},
		{"", inMap, lawBorder},
		{"B41-9.1.B", inMap, lawWeatherZones},
		{"B41-9.16.A", inMap, lawCities},
		{"B41-9.19", inMap, lawForts},
		{"B41-9.20", inMap, lawLines},
		{"B41-14.11.B.1", inMap, lawFinland},
		{"B41-15.2.B", []string{"map.toml", "charts.toml"}, lawPoints},

		{"", inCounters, lawIDs},
		{"B41-2.2.A", inCounters, lawStart},
		{"B41-2.2.B", inCounters, lawLadder},
		{"B41-2.3.A", inCounters, lawSize},
		{"B41-2.4.A", inCounters, lawClass},
		{"B41-2.6.A", inCounters, lawNation},
		{"B41-2.6.1", inCounters, lawColours("axis")},
		{"B41-2.6.2", inCounters, lawColours("soviet")},
		{"B41-2.7", inCounters, lawTurn},
		{"B41-2.8.A", inCounters, lawGermanStart},
		{"B41-2.8.D", inCounters, lawSovietStart},
		{"B41-6.5", inCounters, lawReserve},

		{"B41-1.1.B", inCharts, lawDates},
		{"B41-9.1.A", inCharts, lawWeather},
		{"B41-14.3.A", inCharts, lawColumns},
		{"B41-14.5.p2", inCharts, lawResults},
		{"", inCharts, lawTerrainCosts},
		{"B41-15.3.A", inCharts, lawLevels},
		{"", inTurns, lawArrivals},
		{"B41-9.21.A", []string{"charts.toml", "map.toml"}, lawLineTurns},

		{"B41-3.0.B", inSetup, lawSetUp},
		{"B41-8.1", append([]string{"charts.toml"}, inSetup...), lawStacks},
		{"B41-8.2", inSetup, lawMechStacks},
		{"B41-8.4.B", inSetup, lawRomanianStacks},
		{"B41-2.8.C", inSetup, lawBoxes},

		{"", []string{"coast.json"}, lawCoast},
	}
}

// ---- map

func (c *checker) rowNames() []string {
	names := make([]string, 0, len(c.set.m.Row))
	for n := range c.set.m.Row {
		names = append(names, n)
	}
	sort.Slice(names, func(i, j int) bool {
		return rowNumber(names[i]) < rowNumber(names[j]) || rowNumber(names[i]) == rowNumber(names[j]) && names[i] < names[j]
	})
	return names
}

// rowNumber is the number of a row letter, 0 if it is none.
func rowNumber(name string) int {
	h, err := hex.Parse(name + "1")
	if err != nil || h.Style != hex.Lettered || h.Num != 1 {
		return 0
	}
	return int(h.Row)
}

func lawRows(c *checker) {
	next := 1
	for _, n := range c.rowNames() {
		row := c.set.m.Row[n]
		switch r := rowNumber(n); {
		case r == 0:
			c.wrong("map.toml", "row."+n, strconv.Quote(n), "a letter, single or doubled")
			continue
		case r != next:
			c.wrong("map.toml", "row."+n, "nothing between this row and row "+hex.RowName(max(next-1, 1)), "a map without a gap")
			next = r
		}
		next++
		if w := len([]rune(row.Hexes)); row.West < 1 || row.West > 99 || w != row.West {
			c.wrong("map.toml", "row."+n, fmt.Sprintf("%d hexes and west = %d", w, row.West), "as many letters as the westernmost number, from 1 to 99")
		}
	}
}

// Rule B41-9.11, B41-4.5.1.3.B.
func lawTerrain(c *checker) {
	for _, k := range keys(c.set.m.Terrain) {
		r := []rune(k)
		has := show(c.set.m.Terrain[k])
		if len(r) == 1 && r[0] == ' ' && has == "off-map" {
			continue
		}
		if want := ""; len(r) != 1 || printed(r[0]) != has {
			if len(r) == 1 {
				want = printed(r[0])
			}
			if want == "" {
				want = "one of the letters . b f m ^ ~ o and the blank"
			}
			c.wrong("map.toml", "terrain."+strconv.Quote(k), has, want)
		}
	}
	for _, n := range c.rowNames() {
		row := c.set.m.Row[n]
		for i, r := range []rune(row.Hexes) {
			if r != ' ' && printed(r) == "" {
				c.must(false, "map.toml", fmt.Sprintf("hex %s%d", n, row.West-i), "the terrain "+strconv.Quote(string(r)), "one natural terrain in a hex")
			}
		}
	}
	flagged := map[string]bool{}
	for _, n := range c.set.m.Mountain.Hexes {
		flagged[n] = true
		if h, err := hex.Parse(n); err == nil && c.set.ground[h] != "mountain" {
			c.wrong("map.toml", "mountain.hexes", n+", a "+show(c.set.ground[h])+" hex", "the hexes with the letter ^")
		}
	}
	for _, h := range c.set.order {
		if c.set.ground[h] == "mountain" && !flagged[h.String()] {
			c.wrong("map.toml", "mountain.hexes", "nothing of "+h.String(), "the hexes with the letter ^")
		}
	}
}

// lawHexes wants every hex that is named to be on the map.
func lawHexes(c *checker) {
	m := &c.set.m
	on := func(place string, names ...string) {
		for _, n := range names {
			if h, err := hex.Parse(n); err != nil || c.set.ground[h] == "" {
				c.wrong("map.toml", place, show(n), "a hex of the map")
			}
		}
	}
	on("mountain.hexes", m.Mountain.Hexes...)
	for _, l := range m.LakeHex {
		on("lake_hex "+l.Name+".hex", l.Hex)
	}
	for _, p := range m.Place {
		on("place "+p.Name+".hex", p.Hex)
	}
	for _, p := range m.Oilfield {
		on("oilfield "+p.Name+".hex", p.Hex)
	}
	for _, p := range m.Fort {
		on("fort "+p.Name+".hex", p.Hex)
	}
	for _, l := range m.Line {
		on("line "+l.Name+".hexes", l.Hexes...)
	}
	for _, z := range c.set.zomo() {
		on("zomo."+z.country, z.hexes...)
	}
	on("zomo.protruding", c.set.m.Zomo.Protruding...)
	on("weather.southern", m.Weather.Southern...)
	on("finland.exit_from", m.Finland.ExitFrom...)
	for _, w := range m.Sea {
		on("sea "+w.ID+".hexes", w.Hexes...)
		on("sea "+w.ID+".coast", w.Coast...)
	}
	on("edge.north", m.Edge.North...)
	on("edge.east", m.Edge.East...)
	on("edge.south", m.Edge.South...)
	on("edge.north_air_supply", m.Edge.NorthAirSupply...)
}

// edgeIsWritten names a hexside that isn't one, or not in its one form.
func (c *checker) edgeIsWritten(place, s string) (edge, bool) {
	a, b, ok := parseEdge(s)
	switch {
	case !ok || !touch(a, b):
		c.wrong("map.toml", place, show(s), "a side between two hexes that touch, like H12/H13")
		return edge{}, false
	case edgeOf(a, b).String() != s:
		c.wrong("map.toml", place, s, edgeOf(a, b).String()+", the northern or eastern hex first")
	case c.set.ground[a] == "" && c.set.ground[b] == "":
		c.wrong("map.toml", place, s, "a side of a hex of the map")
		return edge{}, false
	}
	return edgeOf(a, b), true
}

func lawHexsides(c *checker) {
	type use struct{ kind, name string }
	seen := map[edge]use{}
	for _, k := range c.set.hexsides() {
		for _, s := range k.sides {
			e, ok := c.edgeIsWritten(k.name, s)
			if !ok {
				continue
			}
			if u, twice := seen[e]; twice {
				c.wrong("map.toml", k.name, e.String()+", which "+u.name+" has too", "one kind of hexside at a time")
			}
			seen[e] = use{k.kind, k.name}
		}
	}
	onLand := func(place string, sides []string) {
		for _, s := range sides {
			e, ok := c.edgeIsWritten(place, s)
			if ok && (!c.set.land(e[0]) || !c.set.land(e[1]) || slices.Contains([]string{"all_sea", "lake"}, c.set.sides[e])) {
				c.wrong("map.toml", place, s, "a side between two land hexes that can be crossed")
			}
		}
	}
	for _, w := range c.set.m.Sea {
		onLand("sea "+w.ID+".partial_sides", w.PartialSides)
	}
	onLand("border.sides", c.set.m.Border.Sides)
	for _, s := range c.set.m.Weather.LineSides {
		c.edgeIsWritten("weather.line_sides", s)
	}
}

// lawRivers wants each side of a river to meet the next at a corner.
func lawRivers(c *checker) {
	for _, r := range c.set.m.River {
		if r.Class != "minor" && r.Class != "major" {
			c.wrong("map.toml", "river "+r.Name+".class", show(r.Class), "minor or major")
		}
		for i := 1; i < len(r.Sides); i++ {
			a, b, ok := parseEdge(r.Sides[i-1])
			p, q, ok2 := parseEdge(r.Sides[i])
			if ok && ok2 && !meet(edgeOf(a, b), edgeOf(p, q)) {
				c.wrong("map.toml", "river "+r.Name+".sides", r.Sides[i]+" after "+r.Sides[i-1], "a side that goes on where the last one ends")
			}
		}
	}
}

// meet reports whether two different hexsides have a corner in common: they
// share a hex, and their other hexes touch.
func meet(a, b edge) bool {
	for i := range a {
		for j := range b {
			if a[i] == b[j] && touch(a[1-i], b[1-j]) {
				return true
			}
		}
	}
	return false
}

func lawPlaces(c *checker) {
	names, hexes := map[string]bool{}, map[string]string{}
	for _, p := range c.set.m.Place {
		at := "place " + p.Name
		if names[p.Name] {
			c.wrong("map.toml", at, "the name twice", "one place of a name")
		}
		if o, twice := hexes[p.Hex]; twice {
			c.wrong("map.toml", at+".hex", p.Hex+", where "+o+" is", "one place in a hex")
		}
		names[p.Name], hexes[p.Hex] = true, p.Name
		if p.Kind != "city" && p.Kind != "town" {
			c.wrong("map.toml", at+".kind", show(p.Kind), "city or town")
		}
		if p.VP < 0 {
			c.wrong("map.toml", at+".vp", show(p.VP), "0 or more")
		}
		if p.VP != 0 && p.VPSource == "" {
			c.wrong("map.toml", at, fmt.Sprintf("%d VP without vp_source", p.VP), "VP with their source")
		}
		c.onSovietLand(at+".hex", p.Hex)
	}
	for _, o := range c.set.m.Oilfield {
		if strings.TrimSpace(o.Name) == "" {
			c.wrong("map.toml", "oilfield in "+o.Hex, "no name", "a name")
		}
		c.onSovietLand("oilfield "+o.Name+".hex", o.Hex)
	}
}

// onSovietLand is for hexes on the map; others are named by lawHexes.
func (c *checker) onSovietLand(place, name string) {
	h, err := hex.Parse(name)
	if err == nil && c.set.ground[h] != "" && !c.set.sovietLand(h) {
		c.wrong("map.toml", place, name+", which is no Soviet land", "a land hex east of the border")
	}
}

func lawJoined(c *checker) {
	var land []hex.Coord
	for _, h := range c.set.order {
		if c.set.land(h) {
			land = append(land, h)
		}
	}
	if len(land) == 0 {
		c.wrong("map.toml", "row", "no land", "a map with land")
		return
	}
	from := land[0]
	if i := c.set.place("Moscow"); i >= 0 {
		if h, err := hex.Parse(c.set.m.Place[i].Hex); err == nil && c.set.land(h) {
			from = h
		}
	}
	got := c.set.reach(from, false, c.set.land)
	var cut []string
	for _, h := range land {
		if _, ok := got[h]; !ok {
			cut = append(cut, h.String())
		}
	}
	if len(cut) > 0 {
		c.wrong("map.toml", "row", fmt.Sprintf("%d land hexes that no unit can reach from %v (%s)", len(cut), from, few(cut)), "land that hangs together")
	}
}

// few writes a list, cut short.
func few(l []string) string {
	if len(l) > 6 {
		return strings.Join(l[:6], ", ") + ", …"
	}
	return strings.Join(l, ", ")
}

// Rule B41-5.2.D.
func lawSourcesReachTheEdge(c *checker) {
	i := c.set.place("Moscow")
	if i < 0 {
		c.must(false, "map.toml", "place Moscow", "nothing", "a place of this name")
		return
	}
	moscow, err := hex.Parse(c.set.m.Place[i].Hex)
	if err != nil {
		return
	}
	net := c.set.reach(moscow, true, func(h hex.Coord) bool { return c.set.west[h] == "" })
	edge := false
	for _, n := range c.set.m.Edge.East {
		if h, err := hex.Parse(n); err == nil {
			_, ok := net[h]
			edge = edge || ok
		}
	}
	c.must(edge, "map.toml", "edge.east", "no hex that a supply line from Moscow reaches", "a source on the east edge")
	for _, p := range c.set.m.Place {
		h, err := hex.Parse(p.Hex)
		if _, ok := net[h]; err == nil && c.set.ground[h] != "" && !ok {
			c.must(false, "map.toml", "place "+p.Name, "a place that no supply line joins to the east edge at the start", "places that are sources when play begins")
		}
	}
}

// Rule B41-5.6.C.
func lawSeas(c *checker) {
	in := map[string]string{}
	for _, w := range c.set.m.Sea {
		for _, n := range w.Hexes {
			if o, twice := in[n]; twice {
				c.must(false, "map.toml", "sea "+w.ID+".hexes", n+", which "+o+" has too", "each sea hex in one sea")
			}
			in[n] = w.ID
			if h, err := hex.Parse(n); err == nil && c.set.ground[h] != "" && c.set.ground[h] != "sea" {
				c.must(false, "map.toml", "sea "+w.ID+".hexes", n+", a "+c.set.ground[h]+" hex", "sea hexes only")
			}
		}
		for _, n := range w.Coast {
			if h, err := hex.Parse(n); err == nil && c.set.ground[h] != "" && !c.set.land(h) {
				c.must(false, "map.toml", "sea "+w.ID+".coast", n+", a "+c.set.ground[h]+" hex", "land hexes only")
			}
		}
	}
	for _, h := range c.set.order {
		if c.set.ground[h] == "sea" && in[h.String()] == "" {
			c.must(false, "map.toml", "hex "+h.String(), "a sea hex of no sea", "each sea hex in one sea")
		}
	}
}

// Rule B41-5.14.A.
func lawZomo(c *checker) {
	in := map[string]string{}
	for _, z := range c.set.zomo() {
		for _, n := range z.hexes {
			if o, twice := in[n]; twice {
				c.must(false, "map.toml", "zomo."+z.country, n+", which "+o+" has too", "a hex of one country")
			}
			in[n] = z.country
			if h, err := hex.Parse(n); err == nil && c.set.ground[h] != "" && !c.set.land(h) {
				c.must(false, "map.toml", "zomo."+z.country, n+", a "+c.set.ground[h]+" hex", "land hexes")
			}
		}
	}
	for _, n := range c.set.m.Zomo.Protruding {
		c.must(in[n] != "", "map.toml", "zomo.protruding", n, "a ZOMO hex")
	}
}

// lawBorder wants the border where the ZOMO ends.
func lawBorder(c *checker) {
	drawn := map[edge]bool{}
	for _, s := range c.set.m.Border.Sides {
		if a, b, ok := parseEdge(s); ok && touch(a, b) {
			drawn[edgeOf(a, b)] = true
			if c.set.land(a) && c.set.land(b) && (c.set.west[a] == "") == (c.set.west[b] == "") {
				c.must(false, "map.toml", "border.sides", s, "sides between a ZOMO hex and Soviet land")
			}
		}
	}
	for _, h := range c.set.order {
		if c.set.west[h] == "" {
			continue
		}
		for _, n := range beside(h) {
			if e := edgeOf(h, n); c.set.sovietLand(n) && !drawn[e] {
				c.must(false, "map.toml", "border.sides", "nothing of "+e.String(), "all sides between a ZOMO hex and Soviet land")
			}
		}
	}
}

// Rule B41-9.1.B.
func lawWeatherZones(c *checker) {
	south := map[hex.Coord]bool{}
	for _, n := range c.set.m.Weather.Southern {
		if h, err := hex.Parse(n); err == nil {
			south[h] = true
		}
	}
	for _, s := range c.set.m.Weather.LineSides {
		if a, b, ok := parseEdge(s); ok && touch(a, b) {
			c.must(south[a] != south[b], "map.toml", "weather.line_sides", s, "sides between the two zones")
		}
	}
}

// Rule B41-9.16.A.
func lawCities(c *checker) {
	for _, p := range c.set.m.Place {
		h, err := hex.Parse(p.Hex)
		if t := c.set.ground[h]; err == nil && p.Kind == "city" && t != "" && c.set.sovietLand(h) {
			c.must(t == "clear", "map.toml", "place "+p.Name, "a city on "+t+" ground", "cities on clear ground")
		}
	}
}

// Rule B41-9.19.
func lawForts(c *checker) {
	for _, f := range c.set.m.Fort {
		if h, err := hex.Parse(f.Hex); err == nil && c.set.ground[h] != "" {
			c.must(c.set.sovietLand(h), "map.toml", "fort "+f.Name+".hex", f.Hex+", which is no Soviet land", "forts on Soviet land")
		}
	}
}

// Rule B41-9.17, B41-9.20.
func lawLines(c *checker) {
	later := 0
	names := map[string]bool{}
	for _, l := range c.set.m.Line {
		at := "line " + l.Name
		c.must(!names[l.Name], "map.toml", at, "the name twice", "one line of a name")
		names[l.Name] = true
		switch l.Kind {
		case "stalin":
		case "fortified":
			later++
		default:
			c.wrong("map.toml", at+".kind", show(l.Kind), "stalin or fortified")
		}
		for i, n := range l.Hexes {
			h, err := hex.Parse(n)
			if err != nil || c.set.ground[h] == "" {
				continue
			}
			c.must(c.set.sovietLand(h), "map.toml", at+".hexes", n+", which is no Soviet land", "lines on Soviet land")
			if i > 0 {
				before, err := hex.Parse(l.Hexes[i-1])
				c.must(err != nil || touch(before, h), "map.toml", at+".hexes", n+" after "+l.Hexes[i-1], "a line of hexes that touch")
			}
		}
	}
	c.must(later == 4, "map.toml", "line", fmt.Sprintf("%d lines of kind fortified", later), "four beside the Stalin Line")
}

// Rule B41-14.11.B.1.
func lawFinland(c *checker) {
	for _, n := range c.set.m.Finland.Hexes {
		h, err := hex.Parse(n)
		if err != nil {
			c.wrong("map.toml", "finland.hexes", show(n), "a hex name")
			continue
		}
		c.must(c.set.ground[h] == "", "map.toml", "finland.hexes", n+", a hex of the map", "hexes beyond the edge")
	}
}

// Rule B41-15.2.B.
func lawPoints(c *checker) {
	sum, want := c.set.points(), c.set.chart("victory", "vp_total", "value")
	c.must(same(sum, plain(want)), "charts.toml", "victory.vp_total.value", show(want)+" while the places of map.toml have "+show(sum), "one total")
}

// ---- counters

var unitID = regexp.MustCompile(`^[A-Z0-9]{2,5}$`)

// lawIDs wants ids that an order can be written with, and the units the rules
// call by name.
func lawIDs(c *checker) {
	seen := map[string]bool{}
	for _, u := range c.set.c.Unit {
		if !unitID.MatchString(u.ID) {
			c.wrong("counters.toml", "unit "+u.ID+".id", show(u.ID), "two to five capital letters and digits")
		}
		if seen[u.ID] {
			c.wrong("counters.toml", "unit "+u.ID, "the id twice", "one counter of an id")
		}
		seen[u.ID] = true
		if u.Side != "axis" && u.Side != "soviet" {
			c.wrong("counters.toml", "unit "+u.ID+".side", show(u.Side), "axis or soviet")
		}
		if !slices.Contains([]string{"start", "automatic", "cadre", "conversion", "special"}, u.Kind) {
			c.wrong("counters.toml", "unit "+u.ID+".kind", show(u.Kind), "start, automatic, cadre, conversion or special")
		}
		if !slices.Contains([]float64{0, .5, 1, 2}, u.Stack) {
			c.wrong("counters.toml", "unit "+u.ID+".stack", show(u.Stack), "0, 0.5, 1 or 2")
		}
	}
	for _, id := range called {
		if !seen[id] {
			c.wrong("counters.toml", "unit "+id, "nothing", "a counter; the rules call it by name")
		}
	}
}

// called are the units that a rule of their own speaks of.
var called = []string{"MSU", "COAST", "LPMA", "OBG", "PART", "FMG", "CAV", "4ABN", "CSIR", "SCH"}

// Rule B41-2.2.A.
func lawStart(c *checker) {
	for _, u := range c.set.c.Unit {
		c.must(u.Start >= 0 && u.Start <= u.MaxSteps && (u.Start > 0) == (u.Kind == "start"), "counters.toml", "unit "+u.ID+".start",
			fmt.Sprintf("%d steps at the start of a unit of kind %s with %d", u.Start, show(u.Kind), u.MaxSteps), "steps at the start for the units that are there, and for no others")
	}
}

// Rule B41-2.2.B.
func lawLadder(c *checker) {
	for _, u := range c.set.c.Unit {
		at := "unit " + u.ID + ".ladder"
		least := 1
		if u.Symbol == "cavalry" { // a raid has no factors
			least = 0
		}
		c.must(len(u.Ladder) == u.MaxSteps && u.MaxSteps >= least && u.MaxSteps <= 4, "counters.toml", at,
			fmt.Sprintf("%d faces with max_steps = %d", len(u.Ladder), u.MaxSteps), "a face for each of one to four steps")
		pieces := 1
		if u.MaxSteps > 2 {
			pieces = 2
		}
		c.must(u.Pieces == pieces, "counters.toml", "unit "+u.ID+".pieces", fmt.Sprintf("%d for %d steps", u.Pieces, u.MaxSteps), fmt.Sprintf("%d, two steps a piece", pieces))
		for i, f := range u.Ladder {
			if len(f) != 3 || slices.Min(append([]int{0}, f...)) < 0 {
				c.wrong("counters.toml", at, "the face "+show(f), "attack, defence and movement, each 0 or more")
				continue
			}
			if i > 0 && len(u.Ladder[i-1]) == 3 {
				w := u.Ladder[i-1]
				c.must(f[0] >= w[0] && f[1] >= w[1], "counters.toml", at, show(f)+" above "+show(w), "a unit that gets weaker with a lost step")
			}
		}
	}
}

// Rule B41-2.3.A.
func lawSize(c *checker) {
	for _, u := range c.set.c.Unit {
		c.must(slices.Contains([]string{"XXX", "XXXX", "none"}, u.Size), "counters.toml", "unit "+u.ID+".size", show(u.Size), "XXXX for an army, XXX for a corps, none for neither")
	}
}

// Rule B41-2.4.A.
func lawClass(c *checker) {
	for _, u := range c.set.c.Unit {
		ok := u.Class == "mech" || u.Class == "leg" || u.Class == "none" && (u.Symbol == "supply" || u.Symbol == "cavalry")
		c.must(ok, "counters.toml", "unit "+u.ID+".class", show(u.Class), "mech or leg, none for the MSU and the Cavalry Raid alone")
	}
}

// Rule B41-2.6.A.
func lawNation(c *checker) {
	for _, u := range c.set.c.Unit {
		want := []string{"german", "romanian", "hungarian", "italian"}
		if u.Side == "soviet" {
			want = []string{"soviet"}
		}
		c.must(slices.Contains(want, u.Nation), "counters.toml", "unit "+u.ID+".nation", show(u.Nation)+" on the "+show(u.Side)+" side", strings.Join(want, ", "))
	}
}

// tracked are the symbols of mechanised units, afoot those of leg units; their
// colours differ on the counter.
var (
	tracked = []string{"panzer", "motorised", "fast", "tank_bt7", "tank_kv1", "tank_t34"}
	afoot   = []string{"infantry", "mountain", "shock", "naval", "paratroop", "militia", "partisan", "fortress"}
)

// Rule B41-2.4.1, B41-2.4.2, B41-2.6.1, B41-2.6.2.
func lawColours(side string) func(c *checker) {
	return func(c *checker) {
		for _, u := range c.set.c.Unit {
			want := ""
			switch {
			case u.Side != side:
				continue
			case slices.Contains(tracked, u.Symbol):
				want = "mech"
			case slices.Contains(afoot, u.Symbol):
				want = "leg"
			case u.Symbol == "supply" || u.Symbol == "cavalry":
				continue
			default:
				c.wrong("counters.toml", "unit "+u.ID+".symbol", show(u.Symbol), "one of "+strings.Join(append(append([]string{}, tracked...), afoot...), ", ")+", supply, cavalry")
				continue
			}
			c.must(u.Class == want, "counters.toml", "unit "+u.ID+".class", show(u.Class)+" with the symbol "+u.Symbol, want)
		}
	}
}

// Rule B41-2.7.
func lawTurn(c *checker) {
	for _, u := range c.set.c.Unit {
		c.must(u.Turn >= 1 && u.Turn <= 11 && (u.Turn == 1) == (u.Kind == "start"), "counters.toml", "unit "+u.ID+".turn",
			fmt.Sprintf("turn %d for kind %s", u.Turn, show(u.Kind)), "turn 1 for units that are there, 2 to 11 for the others")
	}
}

// Rule B41-2.8.A.
func lawGermanStart(c *checker) {
	for _, u := range c.set.c.Unit {
		if u.Nation == "german" {
			c.must(slices.Contains([]int{0, 2, 3, 4}, u.Start), "counters.toml", "unit "+u.ID+".start", show(u.Start), "4, or 3 or 2 where the box says so")
		}
	}
}

// Rule B41-2.8.D.
func lawSovietStart(c *checker) {
	for _, u := range c.set.c.Unit {
		if u.Side == "soviet" && u.Kind == "start" {
			c.must(u.Start == u.MaxSteps, "counters.toml", "unit "+u.ID+".start", fmt.Sprintf("%d of %d steps", u.Start, u.MaxSteps), "full strength at the start")
		}
	}
}

// Rule B41-6.5.
func lawReserve(c *checker) {
	for _, u := range c.set.c.Unit {
		if strings.Contains(u.Notes, "OKHR") {
			c.must(u.Nation == "german" && u.Kind == "cadre", "counters.toml", "unit "+u.ID, "OKHR on a unit of kind "+show(u.Kind), "German cadres")
		}
	}
}

// ---- charts

// Rule B41-1.1.B.
func lawDates(c *checker) {
	seen := map[string]bool{}
	for i, t := range c.set.rows("trc") {
		at := fmt.Sprintf("trc turn %v", show(t["turn"]))
		if !same(t["turn"], int64(i+1)) {
			c.wrong("charts.toml", at, fmt.Sprintf("turn %v in place %d", show(t["turn"]), i+1), "the turns in order")
		}
		d, _ := t["dates"].(string)
		c.must(d != "" && !seen[d], "charts.toml", at+".dates", show(d), "dates of its own for each turn")
		seen[d] = true
	}
}

// Rule B41-9.1.A.
func lawWeather(c *checker) {
	for _, t := range c.set.rows("trc") {
		for _, zone := range []string{"north", "south"} {
			w, _ := t[zone].(string)
			c.must(slices.Contains(weatherNames, w), "charts.toml", fmt.Sprintf("trc turn %v.%s", show(t["turn"]), zone), show(w), "dry, mud or frost")
		}
	}
}

// Rule B41-14.3.A.
func lawColumns(c *checker) {
	want := []string{"1-3", "1-2", "1-1", "2-1", "3-1", "4-1", "5-1", "6-1", "7-1", "8-1"}
	c.must(slices.Equal(c.set.columns(), want), "charts.toml", "crt.columns", show(c.set.columns()), show(want))
}

var cell = regexp.MustCompile(`^[0-4]/[0-4]$`)

// Rule B41-14.5.p2, B41-14.7.A, B41-14.29.A.
func lawResults(c *checker) {
	cols := c.set.columns()
	dice := map[int]bool{}
	for _, r := range c.set.rows("crt", "row") {
		die := whole(r["die"])
		at := fmt.Sprintf("crt, die %d", die)
		if die < 1 || die > 6 || dice[die] {
			c.wrong("charts.toml", at, "a row of die "+show(r["die"]), "one row for each die from 1 to 6")
		}
		dice[die] = true
		l := items(r["results"])
		if len(l) != len(cols) {
			c.wrong("charts.toml", at, fmt.Sprintf("%d results for %d columns", len(l), len(cols)), "a result in each column")
			continue
		}
		before := ""
		for i, v := range l {
			s, _ := v.(string)
			if cols[i] == "8-1" {
				c.must(s == "DX", "charts.toml", at+", column 8-1", show(s), "DX")
				continue
			}
			if !c.must(cell.MatchString(s), "charts.toml", at+", column "+cols[i], show(s), "losses of 0 to 4 on both sides, attacker/defender") {
				before = ""
				continue
			}
			if before != "" {
				c.must(s[0] <= before[0] && s[2] >= before[2], "charts.toml", at+", column "+cols[i], s+" after "+before, "a result no worse for the attacker at better odds")
			}
			before = s
		}
	}
	for die := 1; die <= 6; die++ {
		if !dice[die] {
			c.wrong("charts.toml", fmt.Sprintf("crt, die %d", die), "nothing", "a row")
		}
	}
	for _, p := range c.set.rows("crt", "pinned") {
		col, _ := p["column"].(string)
		for die := 1; die <= 6; die++ {
			if d := whole(p["die"]); d != 0 && d != die {
				continue
			}
			if got := c.set.result(col, die); got != p["result"] {
				c.wrong("charts.toml", fmt.Sprintf("crt, column %s, die %d", col, die), show(got), show(p["result"])+", as crt.pinned says")
			}
		}
	}
}

// lawTerrainCosts wants a row for each ground and hexside in each weather.
func lawTerrainCosts(c *checker) {
	full := func(table, column string, names []string) {
		seen := map[string]bool{}
		for _, r := range c.set.rows("tec", table) {
			at := fmt.Sprintf("%v in %v", show(r[column]), show(r["weather"]))
			n, _ := r[column].(string)
			w, _ := r["weather"].(string)
			if seen[at] || !slices.Contains(names, n) || !slices.Contains(weatherNames, w) {
				c.wrong("charts.toml", "tec."+table, "a row of "+at, "one row for each of "+strings.Join(names, ", ")+" in dry, mud and frost")
			}
			seen[at] = true
			for _, k := range []string{"mech", "leg", "mp", "attack"} {
				if v, ok := number64(r[k]); ok && (k == "attack" && (v > 0 || v < -100) || k != "attack" && v < 0) {
					c.wrong("charts.toml", "tec."+table+" "+at+"."+k, show(v), "points of 0 or more, and an attack lowered by 0 to 100 per cent")
				}
			}
		}
		for _, n := range names {
			for _, w := range weatherNames {
				if at := n + " in " + w; !seen[at] {
					c.wrong("charts.toml", "tec."+table, "nothing of "+at, "a row")
				}
			}
		}
	}
	full("terrain", "terrain", terrainNames[:4])
	full("hexside", "side", []string{"minor_river", "major_river", "lake"})
}

// Rule B41-15.3.A.
func lawLevels(c *checker) {
	before := 0.0
	for _, t := range c.set.rows("trc") {
		vp, _ := number64(t["vp"])
		c.must(vp >= before, "charts.toml", fmt.Sprintf("trc turn %v.vp", show(t["turn"])), fmt.Sprintf("%v after %v", show(vp), show(before)), "levels that don't fall")
		before = max(before, vp)
	}
	for _, t := range c.set.rows("trc") {
		for _, k := range keys(t) {
			if n, ok := number64(t[k]); ok && n < 0 {
				c.wrong("charts.toml", fmt.Sprintf("trc turn %v.%s", show(t["turn"]), k), show(n), "0 or more")
			}
		}
	}
}

// Rule B41-6.2.B, B41-6.2.C, B41-6.2.D.
func lawArrivals(c *checker) {
	come := map[string]bool{}
	for _, t := range c.set.rows("trc") {
		for _, list := range []struct{ key, side, kind string }{
			{"soviet_cadres", "soviet", "cadre"}, {"soviet_automatic", "soviet", "automatic"}, {"soviet_conversions", "soviet", "conversion"},
			{"soviet_special", "soviet", "special"}, {"axis_automatic", "axis", "automatic"}, {"axis_cadres", "axis", "cadre"},
		} {
			at := fmt.Sprintf("trc turn %v.%s", show(t["turn"]), list.key)
			for _, v := range items(t[list.key]) {
				id, _ := v.(string)
				i := c.set.unit(id)
				switch {
				case i < 0:
					c.wrong("charts.toml", at, show(id), "a unit of counters.toml")
					continue
				case come[id]:
					c.wrong("charts.toml", at, id+", which came before", "each unit once")
				}
				come[id] = true
				if u := c.set.c.Unit[i]; u.Side != list.side || u.Kind != list.kind || !same(t["turn"], int64(u.Turn)) {
					c.wrong("charts.toml", at, fmt.Sprintf("%s, in counters.toml a %s unit of kind %s on turn %d", id, show(u.Side), show(u.Kind), u.Turn), "units of this side, kind and turn")
				}
			}
		}
	}
	for _, u := range c.set.c.Unit {
		if u.Kind != "start" && !come[u.ID] {
			c.wrong("charts.toml", "trc", "nothing of "+u.ID+", which isn't there at the start", "every later unit on its turn")
		}
		if u.Kind == "start" && come[u.ID] {
			c.wrong("charts.toml", "trc", u.ID+", which is there at the start", "later units only")
		}
	}
}

// Rule B41-9.21.A.
func lawLineTurns(c *checker) {
	come := map[string]bool{}
	for _, t := range c.set.rows("trc") {
		for _, v := range items(t["lines"]) {
			n, _ := v.(string)
			at := fmt.Sprintf("trc turn %v.lines", show(t["turn"]))
			i := c.set.line(n)
			if i < 0 {
				c.wrong("charts.toml", at, show(n), "a line of map.toml")
				continue
			}
			c.must(!come[n], "charts.toml", at, n+" again", "each line once")
			come[n] = true
			c.must(same(t["turn"], int64(max(1, c.set.m.Line[i].ActiveTurn))), "charts.toml", at, fmt.Sprintf("%s, in map.toml a line of turn %d", n, c.set.m.Line[i].ActiveTurn), "the same turn in both")
		}
	}
	for _, l := range c.set.m.Line {
		c.must(come[l.Name], "charts.toml", "trc", "nothing of the "+l.Name, "each line on its turn")
	}
}

// ---- set-up

// Rule B41-3.0.B.
func lawSetUp(c *checker) {
	hexes, units := map[string]bool{}, map[string]string{}
	for _, row := range c.set.s.Hex {
		at := "hex " + row.Hex
		h, err := hex.Parse(row.Hex)
		if err != nil || !c.set.land(h) {
			c.wrong("setup.toml", at, show(row.Hex), "a land hex of the map")
			continue
		}
		if hexes[row.Hex] {
			c.wrong("setup.toml", at, "the hex twice", "one row for a hex")
		}
		hexes[row.Hex] = true
		c.must((c.set.west[h] != "") == (row.Side == "axis"), "setup.toml", at, "a stack of the "+show(row.Side)+" side", "the Axis in ZOMO hexes, the Soviets east of the border")
		for _, id := range row.Units {
			i := c.set.unit(id)
			switch {
			case i < 0:
				c.wrong("setup.toml", at, show(id), "a unit of counters.toml")
				continue
			case units[id] != "":
				c.wrong("setup.toml", at, id+", which stands in "+units[id], "each unit once")
			}
			units[id] = row.Hex
			if u := c.set.c.Unit[i]; u.Side != row.Side || u.Kind != "start" {
				c.must(false, "setup.toml", at, fmt.Sprintf("%s, a %s unit of kind %s", id, show(u.Side), show(u.Kind)), "units of the side that are there at the start")
			}
		}
	}
	for _, u := range c.set.c.Unit {
		c.must(u.Kind != "start" || units[u.ID] != "", "setup.toml", "unit "+u.ID, "no hex", "a hex for each unit that is there at the start")
	}
}

// stacks calls f for each stack of units that exist.
func (c *checker) stacks(f func(at string, h hex.Coord, units []unitRow)) {
	for _, row := range c.set.s.Hex {
		h, err := hex.Parse(row.Hex)
		if err != nil {
			continue
		}
		var us []unitRow
		for _, id := range row.Units {
			if i := c.set.unit(id); i >= 0 {
				us = append(us, c.set.c.Unit[i])
			}
		}
		f("hex "+row.Hex, h, us)
	}
}

// Rule B41-8.1, B41-8.3, B41-8.5.B.
func lawStacks(c *checker) {
	moscow := ""
	if i := c.set.place("Moscow"); i >= 0 {
		moscow = c.set.m.Place[i].Hex
	}
	strong, heavy := c.set.num("stacking", "soviet_strong", "attack"), c.set.num("stacking", "soviet_strong", "value")
	c.stacks(func(at string, h hex.Coord, us []unitRow) {
		side, total := "soviet", 0.0
		if c.set.west[h] != "" {
			side = "axis"
		}
		for _, u := range us {
			w := u.Stack
			if u.ID == "4ABN" && h.String() == moscow {
				continue
			}
			if n := u.Start; n >= 1 && n <= len(u.Ladder) && len(u.Ladder[n-1]) == 3 && u.Side == "soviet" && u.Class == "leg" && float64(u.Ladder[n-1][0]) >= strong {
				w = heavy
			}
			total += w
		}
		most := c.set.num("stacking", side, "value")
		c.must(total <= most, "setup.toml", at, show(total)+" stacking points", "at most "+show(most))
	})
}

// Rule B41-8.2.
func lawMechStacks(c *checker) {
	c.stacks(func(at string, _ hex.Coord, us []unitRow) {
		n := 0
		for _, u := range us {
			if u.Stack == .5 {
				n++
			}
		}
		c.must(n <= 2, "setup.toml", at, fmt.Sprintf("%d mechanised corps", n), "at most two")
	})
}

// Rule B41-8.4.B, B41-11.1.A.
func lawRomanianStacks(c *checker) {
	c.stacks(func(at string, h hex.Coord, us []unitRow) {
		n := 0
		for _, u := range us {
			if u.Nation == "romanian" {
				n++
			}
		}
		c.must(n <= 1, "setup.toml", at, fmt.Sprintf("%d Romanian armies", n), "at most one")
		if n > 0 && c.set.west[h] != "Romania" {
			c.wrong("setup.toml", at, "a Romanian army outside Romania", "a ZOMO hex of Romania")
		}
	})
}

// Rule B41-2.8.A, B41-2.8.C.
func lawBoxes(c *checker) {
	boxed := map[string]bool{}
	for _, b := range c.set.s.Box {
		at := "box " + b.Unit
		i := c.set.unit(b.Unit)
		if i < 0 {
			c.wrong("setup.toml", at, "no unit of counters.toml", "a unit")
			continue
		}
		u := c.set.c.Unit[i]
		c.must(!boxed[b.Unit], "setup.toml", at, "the box twice", "one box for a unit")
		boxed[b.Unit] = true
		c.must(u.MaxSteps > 2, "setup.toml", at, fmt.Sprintf("a box for %d steps", u.MaxSteps), "boxes for units of three and four steps")
		if b.Steps != u.Start {
			c.wrong("setup.toml", at+".steps", show(b.Steps), fmt.Sprintf("%d, as counters.toml says", u.Start))
		}
		want := []string{"later", "OKHR"}
		if u.Kind == "start" {
			want = []string{"start"}
		}
		if !slices.Contains(want, b.Status) {
			c.wrong("setup.toml", at+".status", show(b.Status), strings.Join(want, " or "))
		}
	}
	for _, u := range c.set.c.Unit {
		c.must(u.MaxSteps <= 2 || boxed[u.ID], "setup.toml", "box "+u.ID, "nothing", "a box for each unit of three and four steps")
	}
}

// ---- coast

// lawCoast wants a line that can be drawn: points inside the frame.
func lawCoast(c *checker) {
	t := c.set.raw["coast.json"]
	if n := len(c.set.bytes["coast.json"]); n >= 150_000 {
		c.wrong("coast.json", "", fmt.Sprintf("%d bytes", n), "fewer than 150000")
	}
	f := items(t["frame"])
	var x [4]float64
	for i := range x {
		ok := len(f) == 4
		if ok {
			x[i], ok = number64(f[i])
		}
		if !ok {
			c.wrong("coast.json", "frame", "no four numbers", "left, top, right and bottom")
			return
		}
	}
	inside := func(place string, line any) {
		for _, p := range items(line) {
			q := items(p)
			ok := len(q) == 2
			if ok {
				a, isA := number64(q[0])
				b, isB := number64(q[1])
				ok = isA && isB && a >= x[0] && a <= x[2] && b >= x[1] && b <= x[3]
			}
			if !ok {
				c.wrong("coast.json", place, fmt.Sprintf("the point %v", p), "points inside the frame")
				return
			}
		}
	}
	for _, k := range []string{"coast", "land"} {
		for i, l := range items(t[k]) {
			inside(fmt.Sprintf("%s, line %d", k, i+1), l)
		}
	}
	for i, v := range items(t["lakes"]) {
		if lake, ok := v.(map[string]any); ok {
			inside(label("lakes", v, i), lake["line"])
		}
	}
}

// ---- values of the charts that the book states and the game plays as they are

// bookTables are the tables of charts.toml whose values are the book's and that the
// game has in its rules: another value would not be played. Columns tell the
// rows apart; none means a table of keys.
var bookTables = []struct {
	path    string
	columns []string
}{
	{"crt.below", nil}, {"crt.max_result", nil},
	{"tec.soviet_leg", []string{"weather"}}, {"tec.alias", []string{"side"}}, {"tec.bar", []string{"where", "what"}},
	{"tec.feature", []string{"feature"}}, {"tec.modifier", []string{"name"}},
	{"supply.soviet", []string{"intervening"}}, {"supply.soviet_out", nil}, {"supply.axis", nil}, {"supply.air", nil}, {"supply.sea", nil},
	{"supply.consolidated", nil}, {"supply.sea_move", nil}, {"supply.floor", nil},
	{"stacking.axis", nil}, {"stacking.soviet", nil}, {"stacking.soviet_mech", nil}, {"stacking.soviet_strong", nil}, {"stacking.romanian", nil},
	{"advance.german", []string{"weather", "class"}}, {"advance.soviet", []string{"weather", "class"}}, {"advance.rih", nil}, {"advance.retreat", nil},
	{"air.per_battle", nil}, {"air.range", nil}, {"air.north", nil},
	{"victory.leningrad_roll", nil}, {"victory.soviet_win_below", nil}, {"victory.loss", []string{"event"}}, {"victory.series", []string{"event", "turns"}},
}

// stated compares these tables with the shipped ones. A place of which a fact
// has spoken isn't named again.
func (c *checker) stated() error {
	b, err := fs.ReadFile(DataFiles(), "charts.toml")
	if err != nil {
		return fmt.Errorf("shipped data file charts.toml: %w", err)
	}
	tree, bad := parseFile("charts.toml", b)
	if bad != nil {
		return fmt.Errorf("shipped data file: %v", bad)
	}
	book := &set{raw: map[string]map[string]any{"charts.toml": tree}}
	said := map[string]bool{}
	for _, f := range c.found {
		said[f.Place] = true
	}
	// compare holds a row against the book's and names each column that differs.
	compare := func(place string, has, want map[string]any, skip []string) {
		for _, k := range keys(want) {
			if spoken(k) || k == "who" || slices.Contains(skip, k) || said[place] || said[place+"."+k] || same(has[k], want[k]) {
				continue
			}
			if _, there := has[k]; there { // a missing key is a matter of form
				c.found = append(c.found, Conflict{File: "charts.toml", Place: place + "." + k, Has: show(has[k]), Want: show(want[k]), Rule: show(want["source"])})
			}
		}
	}
	for _, t := range bookTables {
		path := strings.Split(t.path, ".")
		if t.columns == nil {
			want, _ := book.chart(path...).(map[string]any)
			if has, ok := c.set.chart(path...).(map[string]any); ok {
				compare(t.path, has, want, nil)
			}
			continue
		}
		name := func(r map[string]any) string {
			var w []string
			for i := len(t.columns) - 1; i >= 0; i-- { // class before weather, what after where
				w = append(w, show(r[t.columns[i]]))
			}
			if t.path == "tec.bar" {
				slices.Reverse(w)
			}
			return t.path + " " + strings.Join(w, " ")
		}
		has := map[string]map[string]any{}
		for _, r := range c.set.rows(path...) {
			if has[name(r)] != nil {
				c.wrong("charts.toml", name(r), "the row twice", "one row")
			}
			has[name(r)] = r
		}
		for _, r := range book.rows(path...) {
			n := name(r)
			switch {
			case has[n] == nil && said[n]:
				continue
			case has[n] == nil:
				c.found = append(c.found, Conflict{File: "charts.toml", Place: n, Has: "nothing", Want: "such a row", Rule: show(r["source"])})
				continue
			}
			compare(n, has[n], r, t.columns)
			delete(has, n)
		}
		for _, r := range c.set.rows(path...) {
			if has[name(r)] != nil {
				c.wrong("charts.toml", name(r), "a row that the game doesn't know", "one of the rows of the book")
				delete(has, name(r))
			}
		}
	}
	return nil
}
