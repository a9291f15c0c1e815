package blitz41

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"sort"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"pbemd/engine"
	"pbemd/engine/board"
	"pbemd/engine/chart"
	"pbemd/engine/hex"
	"pbemd/engine/scene"
)

//go:embed data/*.toml data/coast.json
var embedded embed.FS

// DataFiles is the data set the game ships with: map.toml, counters.toml,
// charts.toml, setup.toml, facts.toml and coast.json.
func DataFiles() fs.FS {
	f, err := fs.Sub(embedded, "data")
	if err != nil {
		panic(err)
	}
	return f
}

// The two sides, and their numbers in [force.Books]; 0 is nobody, as at sea.
const (
	Axis   engine.Side = "axis"
	Soviet engine.Side = "soviet"

	nobody uint8 = 0
	axis   uint8 = 1
	soviet uint8 = 2
)

func sideOf(n uint8) engine.Side {
	switch n {
	case axis:
		return Axis
	case soviet:
		return Soviet
	}
	return ""
}

func number(s engine.Side) uint8 {
	switch s {
	case Axis:
		return axis
	case Soviet:
		return soviet
	}
	return nobody
}

func enemyOf(n uint8) uint8 { return 3 - n }

// Natural terrain.
const (
	Clear board.Terrain = iota
	Broken
	Forest
	Marsh
	Sea
	Lake
)

var terrainNames = []string{"clear", "broken", "forest", "marsh", "sea", "lake"}

// TerrainName is the name of a natural terrain in the data files.
func TerrainName(t board.Terrain) string { return terrainNames[t] }

// Weather of a zone.
type Weather int

// The three kinds of weather.
const (
	Dry Weather = iota
	Mud
	Frost
)

var weatherNames = []string{"dry", "mud", "frost"}

func (w Weather) String() string { return weatherNames[w] }

// Hexside features.
const (
	MinorRiver board.Sides = 1 << iota
	MajorRiver
	LakeSide  // crossed in Frost only
	AllSea    // crossed by nothing but sea supply and sea movement
	Partial   // part land, part sea: crossed like land
	KerchSide // CC11/CC12
	SivashSide
	BorderSide
	WeatherSide
)

// Marks of a hex.
const (
	Town board.Marks = 1 << iota
	City
	Oil
	Port
	Fort      // fortified from the start
	Fortified // on one of the four later lines
	Stalin    // on the Stalin Line
	Mountain
	Southern // south weather zone
	ZomoGermany
	ZomoHungary
	ZomoRomania
	CoastBaltic
	CoastBlack
	CoastAzov
	SeaBaltic
	SeaBlack
	SeaAzov
	EastEdge
	NorthEdge
	SouthEdge
	NorthAir // north-edge hexes west of Leningrad (5.17.B)
	West     // Axis-controlled at the start

	Zomo  = ZomoGermany | ZomoHungary | ZomoRomania
	Place = Town | City
	Coast = CoastBaltic | CoastBlack | CoastAzov
)

// Unit is a counter.
type Unit struct {
	ID       engine.UnitID
	Name     string
	Side     uint8
	Nation   string // german, romanian, hungarian, italian, soviet
	Size     string // XXX, XXXX
	Class    string // leg, mech, none
	Symbol   string
	Ladder   [][3]int // attack, defence, movement from one step up
	Max      int      // steps at full strength
	Start    int      // steps on the map when play begins
	Turn     int      // first turn of availability
	Kind     string   // start, cadre, automatic, conversion, special
	Rebuilt  bool     // may take replacements and be rebuilt
	Halves   int      // stacking in half units, before the rule of attack 6
	Pieces   int
	Home     hex.Coord // where it starts
	mc, army bool
}

// Mech reports whether the unit is mechanised.
func (u *Unit) Mech() bool { return u.Class == "mech" }

// Leg reports whether the unit is a leg unit.
func (u *Unit) Leg() bool { return u.Class == "leg" }

// German reports whether the unit is German.
func (u *Unit) German() bool { return u.Nation == "german" }

// RIH reports whether the unit is Romanian, Italian or Hungarian.
func (u *Unit) RIH() bool { return u.Side == axis && u.Nation != "german" }

// Panzer reports whether the unit is a German panzer corps.
func (u *Unit) Panzer() bool { return u.German() && u.Symbol == "panzer" }

// MechCorps reports whether the unit is one of the Soviet mechanised corps.
func (u *Unit) MechCorps() bool { return u.mc }

// NumberedArmy reports whether the unit is a Soviet army with a number, not a
// Shock Army or one with a name.
func (u *Unit) NumberedArmy() bool { return u.army }

// Shock reports whether the unit is a Shock Army.
func (u *Unit) Shock() bool { return u.Symbol == "shock" }

// Turn is a column of the turn record chart.
type Turn struct {
	Number          int
	Name, Dates     string
	North, South    Weather
	LegSteps        int // German non-mechanised
	MechSteps       int
	RomanianSteps   int
	SovietSteps     int
	AxisAir         int
	SovietAir       int
	Transits        int    // RVGK limit
	Length          [3]int // full-supply length from a German, Hungarian, Romanian ZOMO hex
	Level           int    // Axis VP level, 0 = no check
	SovietCadres    []engine.UnitID
	SovietAutomatic []engine.UnitID
	Conversions     []engine.UnitID
	AxisAutomatic   []engine.UnitID
	AxisCadres      []engine.UnitID
}

// Site is a named place.
type Site struct {
	Name string
	Hex  int // board index
	VP   int
	Kind string // town, city, oil
}

// FortLine is a fortified line.
type FortLine struct {
	Name  string
	Turn  int // when it becomes real; 0 from the start
	Hexes []int
	Kind  string // stalin, fortified
}

// Ground is the movement cost and the combat penalty of a terrain in a weather.
type Ground struct{ Mech, Leg, Attack int }

// Crossing is what a hexside costs and takes in a weather.
type Crossing struct {
	Enter      bool
	MP, Attack int
}

// Feature is what a town, city, fort or hedgehog does.
type Feature struct {
	Attacker, Defender int
	Defence            int // in per cent: 100, 110, 200
	MechDefence        bool
}

// Result is a cell of the combat results table.
type Result struct {
	Attacker, Defender int
	DX                 bool
}

// String writes a result as printed.
func (r Result) String() string {
	if r.DX {
		return "DX"
	}
	return strconv.Itoa(r.Attacker) + "/" + strconv.Itoa(r.Defender)
}

// Data is the map, the counters and the charts. It doesn't change.
type Data struct {
	Board                   *board.Board
	Units                   []Unit
	Turns                   []Turn // by turn number; 0 unused
	Sites                   []Site // in map order, those with VPs and those without
	Lines                   []FortLine
	Columns                 chart.Columns
	CRT                     [][]Result // by die 1–6 (0 unused), column
	Terrain                 [4][3]Ground
	SovietLegMP             [3]int // 0: as others
	Minor, Major, LakeCross [3]Crossing
	Features                map[string]Feature
	VPTotal                 int
	Level                   int // the last VP level
	raw                     map[string][]byte

	byID    map[engine.UnitID]int
	byName  map[string]int // upper-case place name to hex
	finland []int
	site    []int // by hex: index into Sites, -1
	line    []int // by hex: index into Lines, -1
	index   *index
	drawing *scene.Map
}

// Unit finds a counter by its id; -1 if there is none.
func (d *Data) Unit(id engine.UnitID) int {
	if i, ok := d.byID[id]; ok {
		return i
	}
	return -1
}

// Named finds the hex of a place name in capitals.
func (d *Data) Named(name string) (int, bool) {
	i, ok := d.byName[name]
	return i, ok
}

// Names lists the place names in capitals, sorted.
func (d *Data) Names() []string {
	var n []string
	for s := range d.byName {
		n = append(n, s)
	}
	sort.Strings(n)
	return n
}

// SiteAt is the named place in a hex, nil if there is none.
func (d *Data) SiteAt(h int) *Site {
	if d.site[h] < 0 {
		return nil
	}
	return &d.Sites[d.site[h]]
}

// LineAt is the fortified line through a hex, nil if there is none.
func (d *Data) LineAt(h int) *FortLine {
	if d.line[h] < 0 {
		return nil
	}
	return &d.Lines[d.line[h]]
}

// WeatherAt is the weather of a hex on a turn.
func (d *Data) WeatherAt(turn, h int) Weather {
	if d.Board.Is(h, Southern) {
		return d.Turns[turn].South
	}
	return d.Turns[turn].North
}

type mapFile struct {
	Terrain  map[string]any
	Mountain struct{ Hexes []string }
	Row      map[string]struct {
		West  int
		Hexes string
	}
	River []struct {
		Name, Class string
		Sides       []string
	}
	Lake []struct {
		Name  string
		Sides []string
	}
	LakeHex []struct {
		Name, Hex string
		Sides     []string
	} `toml:"lake_hex"`
	SeaSide []struct {
		Name, Sea string
		Sides     []string
	} `toml:"sea_side"`
	Strait []struct {
		Name, Side string
	}
	Sivash struct{ Sides []string }
	Place  []struct {
		Name, Kind, Hex string
		VP              int
		Port            bool
		VPSource        string `toml:"vp_source"`
	}
	Oilfield []struct {
		Name, Hex string
		VP        int
	}
	Fort []struct {
		Name, Hex string
	}
	Line []struct {
		Name, Kind string
		ActiveTurn int `toml:"active_turn"`
		Hexes      []string
	}
	Zomo    struct{ Germany, Hungary, Romania, Protruding []string }
	Border  struct{ Sides []string }
	Weather struct {
		Southern  []string
		LineSides []string `toml:"line_sides"`
	}
	Finland struct {
		Hexes    []string
		ExitFrom []string `toml:"exit_from"`
	}
	Sea []struct {
		ID, Name     string
		Hexes, Coast []string
		PartialSides []string `toml:"partial_sides"`
	}
	Edge struct {
		North, East, South []string
		NorthAirSupply     []string `toml:"north_air_supply"`
		SovietSupply       []string `toml:"soviet_supply"`
	}
}

// readSet reads the files of a data set.
func readSet(files fs.FS) (map[string][]byte, error) {
	set := map[string][]byte{}
	for _, n := range []string{"map.toml", "counters.toml", "charts.toml", "setup.toml", "facts.toml", "coast.json"} {
		b, err := fs.ReadFile(files, n)
		if n == "facts.toml" || err != nil {
			b, err = fs.ReadFile(DataFiles(), n)
		}
		if err != nil {
			return nil, fmt.Errorf("data file %s: %w", n, err)
		}
		set[n] = b
	}
	return set, nil
}

// LoadedFrom reports whether [Load] would make an equal data set of files.
func (d *Data) LoadedFrom(files fs.FS) bool {
	set, err := readSet(files)
	return err == nil && maps.EqualFunc(set, d.raw, bytes.Equal)
}

// Load reads a data set. Files that are missing from files are taken from the
// shipped set.
func Load(files fs.FS) (*Data, error) {
	raw, err := readSet(files)
	if err != nil {
		return nil, err
	}
	d := &Data{raw: raw, byID: map[engine.UnitID]int{}, byName: map[string]int{}, Features: map[string]Feature{}}
	if err := d.loadMap(); err != nil {
		return nil, fmt.Errorf("map.toml: %w", err)
	}
	if err := d.loadCounters(); err != nil {
		return nil, fmt.Errorf("counters.toml: %w", err)
	}
	if err := d.loadSetup(); err != nil {
		return nil, fmt.Errorf("setup.toml: %w", err)
	}
	if err := d.loadCharts(); err != nil {
		return nil, fmt.Errorf("charts.toml: %w", err)
	}
	d.makeIndex()
	if d.drawing, err = d.draw(); err != nil { // says itself which file it is
		return nil, err
	}
	return d, nil
}

// File is the bytes of one file of the set.
func (d *Data) File(name string) []byte { return d.raw[name] }

func (d *Data) loadMap() error {
	var m mapFile
	if _, err := toml.Decode(string(d.raw["map.toml"]), &m); err != nil {
		return err
	}
	var rows []int
	for r := range m.Row {
		c, err := hex.Parse(r + "1")
		if err != nil || hex.RowName(int(c.Row)) != r {
			return fmt.Errorf("row %q: a row is a letter, single or doubled", r)
		}
		rows = append(rows, int(c.Row))
	}
	sort.Ints(rows)
	var hexes []board.Hex
	for _, r := range rows {
		row := m.Row[hex.RowName(r)]
		cells := []rune(row.Hexes)
		if row.West < 1 || row.West > 99 || row.West != len(cells) {
			return fmt.Errorf("row %s: west = %d, but %d hexes", hex.RowName(r), row.West, len(cells))
		}
		for i := len(cells) - 1; i >= 0; i-- { // east to west: rising numbers
			t, off, err := terrainOf(cells[i])
			if err != nil {
				return fmt.Errorf("row %s: %w", hex.RowName(r), err)
			}
			if !off {
				hexes = append(hexes, board.Hex{At: hex.Letter(r, row.West-i), Terrain: t})
			}
		}
	}
	b, err := board.New(hex.WestwardRows, hexes)
	if err != nil {
		return err
	}
	for _, c := range []hex.Coord{leningradHex, oranienbaumHex, moscowHex, kerchEast, kerchWest} {
		if !b.Has(c) {
			return fmt.Errorf("hex %v, of which the rules speak, is not on the map", c)
		}
	}
	d.Board = b
	var first error
	fail := func(err error) {
		if err != nil && first == nil {
			first = err
		}
	}
	at := func(s string) int {
		c, err := hex.Parse(s)
		if err == nil && !b.Has(c) {
			err = fmt.Errorf("%s is not on the map", s)
		}
		fail(err)
		if err != nil {
			return 0
		}
		return b.Index(c)
	}
	mark := func(k board.Marks, names ...string) {
		for _, n := range names {
			b.Mark(at(n), k)
		}
	}
	side := func(k board.Sides, names ...string) {
		for _, n := range names {
			p, q, ok := strings.Cut(n, "/")
			if !ok {
				fail(fmt.Errorf("%q is no hexside", n))
				continue
			}
			pc, err := hex.Parse(p)
			fail(err)
			qc, err := hex.Parse(q)
			fail(err)
			fail(b.AddSide(pc, qc, k))
		}
	}
	mark(Mountain, m.Mountain.Hexes...)
	for i := 0; i < b.Len(); i++ {
		if b.Terrain(i) == Sea { // every side of a sea hex is all sea
			for dir := hex.Direction(0); dir < 6; dir++ {
				_ = b.AddSide(b.At(i), b.Grid.Neighbour(b.At(i), dir), AllSea)
			}
		}
	}
	for _, r := range m.River {
		switch r.Class {
		case "minor":
			side(MinorRiver, r.Sides...)
		case "major":
			side(MajorRiver, r.Sides...)
		default:
			fail(fmt.Errorf("river %s: class %q", r.Name, r.Class))
		}
	}
	for _, l := range m.Lake {
		side(LakeSide, l.Sides...)
	}
	for _, l := range m.LakeHex {
		side(LakeSide, l.Sides...)
	}
	for _, s := range m.SeaSide {
		side(AllSea, s.Sides...)
	}
	for _, s := range m.Strait {
		side(KerchSide, s.Side)
	}
	side(SivashSide, m.Sivash.Sides...)
	side(BorderSide, m.Border.Sides...)
	side(WeatherSide, m.Weather.LineSides...)
	d.site = make([]int, b.Len())
	d.line = make([]int, b.Len())
	for i := range d.site {
		d.site[i], d.line[i] = -1, -1
	}
	for _, p := range m.Place {
		h := at(p.Hex)
		switch p.Kind {
		case "town":
			b.Mark(h, Town)
		case "city":
			b.Mark(h, City)
		default:
			fail(fmt.Errorf("%s: kind %q", p.Name, p.Kind))
		}
		if p.Port {
			b.Mark(h, Port)
		}
		d.site[h] = len(d.Sites)
		d.Sites = append(d.Sites, Site{p.Name, h, p.VP, p.Kind})
		d.byName[strings.ToUpper(p.Name)] = h
	}
	for _, p := range m.Oilfield {
		h := at(p.Hex)
		if strings.TrimSpace(p.Name) == "" {
			return fmt.Errorf("oilfield in %s: no name", p.Hex)
		}
		b.Mark(h, Oil)
		d.site[h] = len(d.Sites)
		d.Sites = append(d.Sites, Site{p.Name, h, p.VP, "oil"})
		d.byName[strings.ToUpper(strings.Fields(p.Name)[0])] = h
	}
	for _, f := range m.Fort {
		h := at(f.Hex)
		b.Mark(h, Fort)
		if _, ok := d.byName[strings.ToUpper(f.Name)]; !ok {
			d.byName[strings.ToUpper(f.Name)] = h
		}
	}
	for _, l := range m.Line {
		line := FortLine{Name: l.Name, Turn: l.ActiveTurn, Kind: l.Kind}
		for _, n := range l.Hexes {
			h := at(n)
			line.Hexes = append(line.Hexes, h)
			d.line[h] = len(d.Lines)
			if l.Kind == "stalin" {
				b.Mark(h, Stalin)
			} else {
				b.Mark(h, Fortified)
			}
		}
		d.Lines = append(d.Lines, line)
	}
	mark(ZomoGermany, m.Zomo.Germany...)
	mark(ZomoHungary, m.Zomo.Hungary...)
	mark(ZomoRomania, m.Zomo.Romania...)
	mark(Southern, m.Weather.Southern...)
	for _, s := range m.Sea {
		k := map[string][2]board.Marks{"baltic": {SeaBaltic, CoastBaltic}, "black": {SeaBlack, CoastBlack}, "azov": {SeaAzov, CoastAzov}}[s.ID]
		if k[0] == 0 {
			fail(fmt.Errorf("sea %q", s.ID))
		}
		mark(k[0], s.Hexes...)
		mark(k[1], s.Coast...)
		side(Partial, s.PartialSides...)
	}
	mark(EastEdge, m.Edge.East...)
	mark(NorthEdge, m.Edge.North...)
	mark(SouthEdge, m.Edge.South...)
	mark(NorthAir, m.Edge.NorthAirSupply...)
	for _, l := range m.LakeHex {
		at(l.Hex)
	}
	for _, n := range m.Finland.Hexes { // drawn beyond the edge
		if c, err := hex.Parse(n); err != nil || c.IsZero() {
			fail(fmt.Errorf("finland: %q is no hex name", n))
		}
	}
	for _, n := range m.Finland.ExitFrom {
		d.finland = append(d.finland, at(n))
	}
	for i := 0; i < b.Len(); i++ {
		if b.Any(i, Zomo) {
			b.Mark(i, West)
		}
	}
	return first
}

func terrainOf(r rune) (t board.Terrain, off bool, err error) {
	switch r {
	case '.':
		return Clear, false, nil
	case 'b', '^':
		return Broken, false, nil
	case 'f':
		return Forest, false, nil
	case 'm':
		return Marsh, false, nil
	case '~':
		return Sea, false, nil
	case 'o':
		return Lake, false, nil
	case ' ':
		return 0, true, nil
	}
	return 0, false, fmt.Errorf("terrain %q", r)
}

func (d *Data) loadCounters() error {
	var f struct {
		Unit []struct {
			ID, Name, Side, Nation, Size, Class, Symbol, Kind string
			Ladder                                            [][3]int
			MaxSteps                                          int `toml:"max_steps"`
			Start, Turn, Pieces                               int
			Replaceable                                       bool
			Stack                                             float64
		}
	}
	if _, err := toml.Decode(string(d.raw["counters.toml"]), &f); err != nil {
		return err
	}
	for _, u := range f.Unit {
		id := engine.UnitID(u.ID)
		if _, twice := d.byID[id]; twice {
			return fmt.Errorf("unit %s stands there twice", id)
		}
		n := number(engine.Side(u.Side))
		if n == nobody {
			return fmt.Errorf("unit %s: side %q", id, u.Side)
		}
		if len(u.Ladder) != u.MaxSteps || u.MaxSteps > 4 || u.MaxSteps == 0 && u.Symbol != "cavalry" {
			return fmt.Errorf("unit %s: %d faces for %d steps", id, len(u.Ladder), u.MaxSteps)
		}
		for _, f := range u.Ladder {
			if f[0] < 0 || f[1] < 0 || f[2] < 0 {
				return fmt.Errorf("unit %s: the face %v", id, f)
			}
		}
		switch {
		case u.Turn < 1 || u.Turn > 11:
			return fmt.Errorf("unit %s: turn %d", id, u.Turn)
		case u.Start < 0 || u.Start > u.MaxSteps:
			return fmt.Errorf("unit %s: %d steps at the start of %d", id, u.Start, u.MaxSteps)
		case u.Class != "mech" && u.Class != "leg" && u.Class != "none":
			return fmt.Errorf("unit %s: class %q", id, u.Class)
		case u.Stack < 0 || u.Stack != float64(int(u.Stack*2))/2:
			return fmt.Errorf("unit %s: %v stacking points", id, u.Stack)
		}
		d.byID[id] = len(d.Units)
		v := Unit{
			ID: id, Name: u.Name, Side: n, Nation: u.Nation, Size: u.Size, Class: u.Class, Symbol: u.Symbol,
			Ladder: u.Ladder, Max: u.MaxSteps, Start: u.Start, Turn: u.Turn, Kind: u.Kind,
			Rebuilt: u.Replaceable, Halves: int(u.Stack * 2), Pieces: u.Pieces,
		}
		v.mc = n == soviet && v.Mech() && v.Size == "XXX"
		v.army = n == soviet && v.Size == "XXXX" && v.Symbol == "infantry"
		d.Units = append(d.Units, v)
	}
	for _, id := range called {
		if d.Unit(engine.UnitID(id)) < 0 {
			return fmt.Errorf("there is no unit %s, of which the rules speak", id)
		}
	}
	return nil
}

func (d *Data) loadSetup() error {
	var f struct {
		Hex []struct {
			Side, Hex string
			Units     []string
		}
		Box []struct {
			Unit, Status string
			Steps        int
		}
	}
	if _, err := toml.Decode(string(d.raw["setup.toml"]), &f); err != nil {
		return err
	}
	for _, h := range f.Hex {
		c, err := hex.Parse(h.Hex)
		if err != nil {
			return err
		}
		if !d.Board.Has(c) {
			return fmt.Errorf("%v is not on the map", c)
		}
		if t := d.Board.Terrain(d.Board.Index(c)); t == Sea || t == Lake {
			return fmt.Errorf("%v is no land", c)
		}
		for _, id := range h.Units {
			i := d.Unit(engine.UnitID(id))
			if i < 0 {
				return fmt.Errorf("%s in %v: there is no such unit", id, c)
			}
			if !d.Units[i].Home.IsZero() {
				return fmt.Errorf("%s stands in %v and in %v", id, d.Units[i].Home, c)
			}
			d.Units[i].Home = c
		}
	}
	for _, b := range f.Box {
		i := d.Unit(engine.UnitID(b.Unit))
		if i < 0 {
			return fmt.Errorf("box of %s: there is no such unit", b.Unit)
		}
		if b.Steps < 0 || b.Steps > d.Units[i].Max {
			return fmt.Errorf("unit %s: %d steps at the start of %d", b.Unit, b.Steps, d.Units[i].Max)
		}
		if b.Status == "start" {
			d.Units[i].Start = b.Steps
		}
	}
	for _, u := range d.Units {
		if (u.Start > 0) == u.Home.IsZero() {
			return fmt.Errorf("unit %s: %d steps at the start, in hex %v", u.ID, u.Start, u.Home)
		}
	}
	return nil
}

func (d *Data) loadCharts() error {
	var f struct {
		CRT struct {
			Columns []string
			Row     []struct {
				Die     int
				Results []string
			}
		}
		TEC struct {
			Terrain []struct {
				Terrain, Weather  string
				Mech, Leg, Attack int
			}
			SovietLeg []struct {
				Weather string
				MP      int
			} `toml:"soviet_leg"`
			Hexside []struct {
				Side, Weather string
				Enter         bool
				MP, Attack    int
			}
			Feature []struct {
				Feature            string
				Defender, Attacker int
				Defence            float64
				MechUsesDefence    bool `toml:"mech_uses_defence"`
			}
		}
		TRC []struct {
			Turn                 int
			Name, Dates          string
			North, South         string
			AxisLegSteps         int      `toml:"axis_leg_steps"`
			AxisMechSteps        int      `toml:"axis_mech_steps"`
			RomanianSteps        int      `toml:"romanian_steps"`
			SovietSteps          int      `toml:"soviet_steps"`
			AxisAP               int      `toml:"axis_ap"`
			SovietAP             int      `toml:"soviet_ap"`
			RVGK                 int      `toml:"rvgk"`
			SupplyGermany        int      `toml:"supply_germany"`
			SupplyHungaryRomania int      `toml:"supply_hungary_romania"`
			VP                   int      `toml:"vp"`
			SovietCadres         []string `toml:"soviet_cadres"`
			SovietAutomatic      []string `toml:"soviet_automatic"`
			SovietConversions    []string `toml:"soviet_conversions"`
			AxisAutomatic        []string `toml:"axis_automatic"`
			AxisCadres           []string `toml:"axis_cadres"`
		}
		Victory struct {
			VPTotal struct{ Value int } `toml:"vp_total"`
		}
	}
	if _, err := toml.Decode(string(d.raw["charts.toml"]), &f); err != nil {
		return err
	}
	for _, c := range f.CRT.Columns {
		var a, b int
		if _, err := fmt.Sscanf(c, "%d-%d", &a, &b); err != nil || a < 1 || b < 1 {
			return fmt.Errorf("odds column %q", c)
		}
		if n := len(d.Columns); n > 0 && a*d.Columns[n-1][1] <= d.Columns[n-1][0]*b {
			return fmt.Errorf("odds column %q stands behind %q", c, f.CRT.Columns[n-1])
		}
		d.Columns = append(d.Columns, [2]int{a, b})
	}
	if len(d.Columns) == 0 {
		return fmt.Errorf("the combat results table has no columns")
	}
	d.CRT = make([][]Result, 7)
	for _, r := range f.CRT.Row {
		if r.Die < 1 || r.Die > 6 || len(r.Results) != len(d.Columns) {
			return fmt.Errorf("row of die %d has %d results for %d columns", r.Die, len(r.Results), len(d.Columns))
		}
		if d.CRT[r.Die] != nil {
			return fmt.Errorf("the row of die %d stands there twice", r.Die)
		}
		for _, s := range r.Results {
			var c Result
			if s == "DX" {
				c.DX = true
			} else if _, err := fmt.Sscanf(s, "%d/%d", &c.Attacker, &c.Defender); err != nil || c.String() != s || c.Attacker < 0 || c.Defender < 0 {
				return fmt.Errorf("die %d: result %q", r.Die, s)
			}
			d.CRT[r.Die] = append(d.CRT[r.Die], c)
		}
	}
	for die := 1; die <= 6; die++ {
		if d.CRT[die] == nil {
			return fmt.Errorf("the row of die %d is missing", die)
		}
	}
	weather := func(s string) (Weather, error) {
		for i, n := range weatherNames {
			if n == s {
				return Weather(i), nil
			}
		}
		return 0, fmt.Errorf("weather %q", s)
	}
	for _, t := range f.TEC.Terrain {
		w, err := weather(t.Weather)
		if err != nil {
			return err
		}
		for i, n := range terrainNames[:4] {
			if n == t.Terrain {
				d.Terrain[i][w] = Ground{t.Mech, t.Leg, -t.Attack}
			}
		}
	}
	for i := range d.Terrain {
		for w := range d.Terrain[i] {
			if g := d.Terrain[i][w]; g.Mech < 1 || g.Leg < 1 || g.Attack < 0 || g.Attack > 100 {
				return fmt.Errorf("no costs for %s in %s", terrainNames[i], weatherNames[w])
			}
		}
	}
	for _, s := range f.TEC.SovietLeg {
		w, err := weather(s.Weather)
		if err != nil {
			return err
		}
		d.SovietLegMP[w] = s.MP
	}
	crossings := map[string]bool{}
	for _, s := range f.TEC.Hexside {
		w, err := weather(s.Weather)
		if err != nil {
			return err
		}
		c := Crossing{s.Enter, s.MP, -s.Attack}
		if c.MP < 0 || c.Attack < 0 || c.Attack > 100 {
			return fmt.Errorf("hexside %s in %s: %d MP, attack %d", s.Side, s.Weather, s.MP, s.Attack)
		}
		crossings[s.Side+s.Weather] = true
		switch s.Side {
		case "minor_river":
			d.Minor[w] = c
		case "major_river":
			d.Major[w] = c
		case "lake":
			d.LakeCross[w] = c
		default:
			return fmt.Errorf("hexside %q", s.Side)
		}
	}
	if len(crossings) != 9 {
		return fmt.Errorf("%d rows of hexsides, not three for each weather", len(crossings))
	}
	for _, x := range f.TEC.Feature {
		d.Features[x.Feature] = Feature{x.Attacker, x.Defender, int(x.Defence*100 + .5), x.MechUsesDefence}
	}
	for _, n := range []string{"town", "city", "hedgehog", "fort", "fortified", "stalin"} {
		if d.Features[n].Defence < 100 {
			return fmt.Errorf("feature %s: the defence is %d per cent", n, d.Features[n].Defence)
		}
	}
	ids := func(s []string) ([]engine.UnitID, error) {
		var out []engine.UnitID
		for _, n := range s {
			if d.Unit(engine.UnitID(n)) < 0 {
				return nil, fmt.Errorf("unit %s of the turn record is no counter", n)
			}
			out = append(out, engine.UnitID(n))
		}
		return out, nil
	}
	d.Turns = make([]Turn, len(f.TRC)+1)
	for i, t := range f.TRC {
		if t.Turn != i+1 {
			return fmt.Errorf("turn %d stands in place %d", t.Turn, i+1)
		}
		for _, v := range []int{t.AxisLegSteps, t.AxisMechSteps, t.RomanianSteps, t.SovietSteps, t.AxisAP, t.SovietAP, t.RVGK, t.SupplyGermany, t.SupplyHungaryRomania, t.VP} {
			if v < 0 {
				return fmt.Errorf("turn %d: the number %d", t.Turn, v)
			}
		}
		n, err := weather(t.North)
		if err != nil {
			return err
		}
		s, err := weather(t.South)
		if err != nil {
			return err
		}
		v := Turn{
			Number: t.Turn, Name: t.Name, Dates: t.Dates, North: n, South: s, LegSteps: t.AxisLegSteps, MechSteps: t.AxisMechSteps,
			RomanianSteps: t.RomanianSteps, SovietSteps: t.SovietSteps, AxisAir: t.AxisAP, SovietAir: t.SovietAP, Transits: t.RVGK,
			Length: [3]int{t.SupplyGermany, t.SupplyHungaryRomania, t.SupplyHungaryRomania}, Level: t.VP,
		}
		for _, l := range []struct {
			from []string
			to   *[]engine.UnitID
		}{{t.SovietCadres, &v.SovietCadres}, {t.SovietAutomatic, &v.SovietAutomatic}, {t.SovietConversions, &v.Conversions}, {t.AxisAutomatic, &v.AxisAutomatic}, {t.AxisCadres, &v.AxisCadres}} {
			if *l.to, err = ids(l.from); err != nil {
				return err
			}
		}
		d.Turns[t.Turn] = v
		d.Level = max(d.Level, t.VP)
	}
	if len(d.Turns) != 12 {
		return fmt.Errorf("the turn record has %d turns, not 11", len(d.Turns)-1)
	}
	d.VPTotal = f.Victory.VPTotal.Value
	return nil
}
