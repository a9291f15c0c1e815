// Package scene says what a map picture shows, as plain values: the printed map
// and the war on it.
//
// A Scene is made from a view and holds nothing the viewer may not know; the
// renderer draws what is in it and asks nobody else. Words are plain strings
// here; whoever makes the picture has translated them.
package scene

import "pbemd/engine/hex"

// Scene is one picture.
type Scene struct {
	Map      *Map
	Title    string
	Subtitle string
	Control  []Holding
	Stacks   []Stack
	Markers  []Marker
	Arrows   []Arrow
	Bursts   []Burst
	Shades   []Shade     // hexes coloured by a level, e.g. by loss of supply
	Focus    []hex.Coord // what a close-up must show; empty: the whole map
	Track    []Figure    // what stands in the margin: turn, weather, VPs
}

// Map is the printed map: what never changes during a game but for marks such
// as wrecked forts, which are Markers.
type Map struct {
	Game    string
	Grid    hex.Grid
	Hexes   []Hex
	Rivers  []Sides   // by class: minor, major
	Lakes   []Sides   // lake hexsides
	Borders []Sides   // political border, weather line
	Coast   []Polygon // in the plane of hex.Grid.Centre
	Lakeage []Polygon // whole lakes
	Places  []Place
	Forts   []Fort
	Regions []Region // e.g. ZOMO countries
	Names   []Name   // seas, lakes
	Rails   []Rail
	Sources []Source
	HexKm   int     // from a hex to the next; 0: no scale
	North   float64 // where north is, degrees clockwise from the top
}

// Source is where a side's supply comes in over the edge of the map.
type Source struct {
	At   hex.Coord
	Side string
	Over []hex.Direction // the sides of the hex
}

// Rail is a railway from hex to hex.
type Rail struct {
	Path []hex.Coord
}

// Hex is the ground of one hex.
type Hex struct {
	At      hex.Coord
	Terrain string
}

// Sides is a line along hexsides; each pair of hexes is one side.
type Sides struct {
	Name  string
	Class string // minor, major, lake, sea, border, weather, strait, sivash
	Sides [][2]hex.Coord
}

// Polygon is a closed line in the plane.
type Polygon struct {
	Kind   string // land, water
	Points [][2]float64
}

// Place is a town, city, port or oil field.
type Place struct {
	At   hex.Coord
	Name string
	Kind string // town, city, oil
	VP   int
	Port bool
}

// Fort is a fortification hex printed on the map.
type Fort struct {
	At   hex.Coord
	Line string
	Kind string // fort, fortified, stalin
}

// Region is a set of hexes with a name.
type Region struct {
	Name  string
	Kind  string // zomo, offmap
	Hexes []hex.Coord
}

// Name is lettering across the map.
type Name struct {
	Text string
	At   hex.Coord
	Kind string      // sea, lake
	Span []hex.Coord // where it may be written; empty: at At
}

// Holding is who controls a hex.
type Holding struct {
	At   hex.Coord
	Side string
}

// Shade colours a hex by a level. The palette has the colours as KIND_LEVEL, or
// shade_LEVEL where it does not know the kind; levels run from 0 to 5.
type Shade struct {
	At    hex.Coord
	Level int
	Kind  string
	Text  string // written in the hex: colour alone says nothing to some
}

// Stack is what may be seen of the counters in a hex, the top one first.
type Stack struct {
	At       hex.Coord
	Side     string
	Counters []Counter
	More     bool // there may be more beneath that the viewer can't see
}

// Counter is one counter's face.
type Counter struct {
	ID     string
	Nation string // german, romanian, soviet …
	Class  string // leg, mech
	Symbol string // infantry, panzer …
	Size   string // XXX, XXXX
	Face   string // 10-8-9
	Steps  int    // 0: not to be seen
	Max    int
	Badges []string // oos, air, sea, moved …
}

// Marker is a marker on the map.
type Marker struct {
	At   hex.Coord
	Kind string // wrecked, inactive, hedgehog, source, oos, air, msu, cavalry
	Side string
}

// Arrow is a movement along hexes.
type Arrow struct {
	Kind string // move, assault, mobile, retreat, advance, sea, air
	Side string
	Path []hex.Coord
}

// Burst marks a battle.
type Burst struct {
	At     hex.Coord
	Side   string // the attacker's
	Result string // 0/3, DX
}

// Figure is a value in the margin. One with a Max is shown with a bar as well.
type Figure struct {
	Label string
	Value string
	At    int // how far along the bar
	Max   int
	Goal  int // a mark on the bar; 0: none
}
