package blitz41

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"

	"pbemd/engine/board"
	"pbemd/engine/hex"
	"pbemd/engine/scene"
)

// Drawing is the printed map as a picture needs it. It is made once and shared.
func (d *Data) Drawing() *scene.Map { return d.drawing }

func (d *Data) draw() (*scene.Map, error) {
	var m mapFile
	if _, err := toml.Decode(string(d.raw["map.toml"]), &m); err != nil {
		return nil, fmt.Errorf("map.toml: %w", err)
	}
	var scale struct {
		Grid struct {
			HexKm int `toml:"hex_km"`
		}
	}
	if _, err := toml.Decode(string(d.raw["map.toml"]), &scale); err != nil {
		return nil, fmt.Errorf("map.toml: %w", err)
	}
	out := &scene.Map{Game: "blitz41", Grid: d.Board.Grid, HexKm: scale.Grid.HexKm}
	for i := 0; i < d.Board.Len(); i++ {
		t := TerrainName(d.Board.Terrain(i))
		if d.Board.Is(i, Mountain) {
			t = "mountain"
		}
		out.Hexes = append(out.Hexes, scene.Hex{At: d.Board.At(i), Terrain: t})
	}
	sides := func(name, class string, list []string) scene.Sides {
		s := scene.Sides{Name: name, Class: class}
		for _, l := range list {
			p, q, _ := strings.Cut(l, "/")
			s.Sides = append(s.Sides, [2]hex.Coord{hex.MustParse(p), hex.MustParse(q)})
		}
		return s
	}
	for _, r := range m.River {
		out.Rivers = append(out.Rivers, sides(r.Name, r.Class, r.Sides))
	}
	for _, l := range m.Lake {
		out.Lakes = append(out.Lakes, sides(l.Name, "lake", l.Sides))
	}
	for _, s := range m.SeaSide {
		out.Rivers = append(out.Rivers, sides(s.Name, "sea", s.Sides))
	}
	for _, s := range m.Strait {
		out.Rivers = append(out.Rivers, sides(s.Name, "strait", []string{s.Side}))
	}
	out.Rivers = append(out.Rivers, sides("Sivash", "sivash", m.Sivash.Sides))
	out.Borders = []scene.Sides{sides("", "border", m.Border.Sides), sides("", "weather", m.Weather.LineSides)}
	for _, s := range d.Sites {
		out.Places = append(out.Places, scene.Place{
			At: d.Board.At(s.Hex), Name: s.Name, Kind: s.Kind, VP: s.VP, Port: d.Board.Is(s.Hex, Port),
		})
	}
	for h := 0; h < d.Board.Len(); h++ {
		c := d.Board.At(h)
		switch {
		case d.Board.Is(h, Fort):
			out.Forts = append(out.Forts, scene.Fort{At: c, Kind: "fort"})
		case d.LineAt(h) != nil:
			out.Forts = append(out.Forts, scene.Fort{At: c, Line: d.LineAt(h).Name, Kind: d.LineAt(h).Kind})
		}
	}
	for _, z := range []struct {
		name string
		mark board.Marks
	}{{"Germany", ZomoGermany}, {"Hungary", ZomoHungary}, {"Romania", ZomoRomania}} {
		r := scene.Region{Name: z.name, Kind: "zomo"}
		for h := 0; h < d.Board.Len(); h++ {
			if d.Board.Is(h, z.mark) {
				r.Hexes = append(r.Hexes, d.Board.At(h))
			}
		}
		out.Regions = append(out.Regions, r)
	}
	for _, s := range m.Sea {
		n := scene.Name{Text: s.Name, Kind: "sea"}
		for _, h := range s.Hexes {
			n.Span = append(n.Span, hex.MustParse(h))
		}
		if len(n.Span) > 0 {
			n.At = n.Span[len(n.Span)/2]
			out.Names = append(out.Names, n)
		}
	}
	for _, l := range m.LakeHex {
		out.Names = append(out.Names, scene.Name{Text: l.Name, At: hex.MustParse(l.Hex), Kind: "lake"})
	}
	// The edge that Soviet sources trace to.
	//
	// Rule B41-5.2.D, B41-5.2.E.
	for h := 0; h < d.Board.Len(); h++ {
		if !d.Board.Is(h, EastEdge) {
			continue
		}
		src := scene.Source{At: d.Board.At(h), Side: "soviet"}
		for _, to := range []hex.Direction{hex.NE, hex.E, hex.SE} {
			if d.Board.Index(d.Board.Grid.Neighbour(src.At, to)) < 0 {
				src.Over = append(src.Over, to)
			}
		}
		out.Sources = append(out.Sources, src)
	}
	off := scene.Region{Name: "Finland", Kind: "offmap"}
	for _, h := range m.Finland.Hexes {
		off.Hexes = append(off.Hexes, hex.MustParse(h))
	}
	out.Regions = append(out.Regions, off)
	return out, d.shores(out)
}

// shores reads coast.json and moves it into the plane of [hex.Grid.Centre].
func (d *Data) shores(m *scene.Map) error {
	var f struct {
		Land  [][][2]float64
		Lakes []struct {
			Name, Kind string
			Line       [][2]float64
		}
	}
	if err := json.Unmarshal(d.raw["coast.json"], &f); err != nil {
		return fmt.Errorf("coast.json: %w", err)
	}
	x0, y0 := d.Board.Grid.Centre(hex.Letter(1, 24)) // its origin
	moved := func(kind string, line [][2]float64) scene.Polygon {
		q := scene.Polygon{Kind: kind, Points: make([][2]float64, len(line))}
		for i, v := range line {
			q.Points[i] = [2]float64{v[0] + x0, v[1] + y0}
		}
		return q
	}
	for _, l := range f.Land {
		m.Coast = append(m.Coast, moved("land", l))
	}
	for _, l := range f.Lakes {
		m.Lakeage = append(m.Lakeage, moved(l.Kind, l.Line))
	}
	return nil
}

// allVP is what all places of the map are worth together: the end of the bar in
// the margin of a picture.
func (d *Data) allVP() int {
	n := 0
	for _, s := range d.Sites {
		n += s.VP
	}
	return n
}
