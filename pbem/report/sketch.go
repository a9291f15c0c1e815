package report

import (
	"math"
	"sort"

	"pbemd/engine"
	"pbemd/engine/hex"
	"pbemd/engine/scene"
	"pbemd/pbem"
)

// A sketch of the front in letters: a hex is a cell of so many columns, a row of
// hexes a line.
const (
	cellWide = 8
	sketched = 8 // hexes in a line
)

// front is the part of a sector where the sides stand against each other.
type front struct {
	sector engine.Sector
	hexes  []hex.Coord
}

// frontsOf finds the front of each sector: hexes near stacks of both sides and
// near battles, in a window that holds as many of them as it can.
func frontsOf(v *engine.View, items []engine.Item) []front {
	if v.Scene.Map == nil {
		return nil
	}
	g := v.Scene.Map.Grid
	weight := map[hex.Coord]int{}
	for _, a := range v.Scene.Stacks {
		for _, b := range v.Scene.Stacks {
			if a.Side != b.Side {
				if n := g.Distance(a.At, b.At); n <= 2 {
					weight[a.At] += 3 - n
				}
			}
		}
	}
	for _, i := range items {
		for _, b := range i.Bursts {
			weight[b.At] += 6
		}
	}
	var out []front
	for _, s := range v.Sectors {
		f := front{sector: s}
		rows := map[uint8][]hex.Coord{}
		top, bottom := 255, 0
		var xs []float64
		for _, c := range s.Hexes {
			rows[c.Row] = append(rows[c.Row], c)
			if weight[c] > 0 {
				top, bottom = min(top, int(c.Row)), max(bottom, int(c.Row))
				x, _ := g.Centre(c)
				xs = append(xs, x)
			}
		}
		if len(xs) == 0 {
			continue
		}
		sort.Float64s(xs)
		best, from := -1, 0.0
		for _, x := range xs {
			x -= .5
			n := 0
			for _, c := range s.Hexes {
				if y, _ := g.Centre(c); y >= x && y <= x+sketched-1 {
					n += weight[c]
				}
			}
			if n > best {
				best, from = n, x
			}
		}
		top, bottom = max(top-1, 1), bottom+1
		for r := top; r <= bottom; r++ {
			for _, c := range rows[uint8(r)] {
				if x, _ := g.Centre(c); x >= from-.01 && x <= from+sketched-1+.01 {
					f.hexes = append(f.hexes, c)
				}
			}
		}
		out = append(out, f)
	}
	return out
}

// sketches draw the front of each sector for those who see no picture.
func (d *document) sketches(l pbem.Letter) {
	list := frontsOf(l.View, l.Items)
	for i, f := range list {
		b := block{Head: d.say("report.sketch.title", "sector", f.sector.Name, "span", f.sector.Span), Pre: sketch(l.View.Scene, l.Side, f.hexes, l.Items), Sketch: true}
		if i == len(list)-1 {
			b.Paras = []string{d.say("report.sketch.key")}
		}
		d.add(b)
	}
}

// ground is a letter for a terrain.
var ground = map[string]string{
	"clear": ".", "broken": "\"", "forest": "f", "marsh": "m", "mountain": "^", "sea": "~", "lake": "~",
}

// sketch draws hexes as lines of text. Own stacks stand in square brackets,
// those of the other side in round ones, each with its top unit; a plus says
// that there is more beneath it, or may be.
func sketch(s scene.Scene, own engine.Side, hexes []hex.Coord, items []engine.Item) []string {
	if len(hexes) == 0 {
		return nil
	}
	g := s.Map.Grid
	terrain, places := map[hex.Coord]string{}, map[hex.Coord]scene.Place{}
	for _, h := range s.Map.Hexes {
		terrain[h.At] = h.Terrain
	}
	for _, p := range s.Map.Places {
		places[p.At] = p
	}
	held := map[hex.Coord]string{}
	for _, h := range s.Control {
		held[h.At] = h.Side
	}
	fought := map[hex.Coord]bool{}
	for _, i := range items {
		for _, b := range i.Bursts {
			fought[b.At] = true
		}
	}
	stacks := map[hex.Coord]scene.Stack{}
	for _, st := range s.Stacks {
		stacks[st.At] = st
	}
	left, top, bottom := math.Inf(1), 255, 0
	for _, c := range hexes {
		x, _ := g.Centre(c)
		left, top, bottom = math.Min(left, x), min(top, int(c.Row)), max(bottom, int(c.Row))
	}
	cell := func(c hex.Coord) string {
		if st, ok := stacks[c]; ok && len(st.Counters) > 0 {
			mark := ""
			if st.More || len(st.Counters) > 1 {
				mark = "+"
			}
			if fought[c] {
				mark += "*"
			}
			if st.Side == string(own) || own == "" && st.Side == "axis" {
				return "[" + st.Counters[0].ID + mark + "]"
			}
			return "(" + st.Counters[0].ID + mark + ")"
		}
		t := ground[terrain[c]]
		if t == "" {
			t = "."
		}
		if p, ok := places[c]; ok && p.Name != "" {
			if n := []rune(p.Name); len(n) > cellWide-2 {
				t = string(n[:cellWide-3]) + "."
			} else {
				t = p.Name
			}
		}
		if held[c] == "axis" { // as hatched on the map
			t += "="
		}
		if fought[c] {
			t += "*"
		}
		return t
	}
	rows := map[int][]hex.Coord{}
	for _, c := range hexes {
		rows[int(c.Row)] = append(rows[int(c.Row)], c)
	}
	var out []string
	for r := top; r <= bottom; r++ {
		row := rows[r]
		if len(row) == 0 {
			continue
		}
		sort.Slice(row, func(i, j int) bool {
			a, _ := g.Centre(row[i])
			b, _ := g.Centre(row[j])
			return a < b
		})
		line := []rune(pad(row[0].String(), 5))
		for _, c := range row {
			x, _ := g.Centre(c)
			at := 5 + int(math.Round((x-left)*cellWide))
			for len(line) < at {
				line = append(line, ' ')
			}
			text := []rune(cell(c))
			if len(text) > cellWide {
				text = text[:cellWide]
			}
			line = append(line[:at], text...)
		}
		out = append(out, string(line))
	}
	return out
}
