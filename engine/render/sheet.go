package render

import (
	"math"

	"pbemd/engine/hex"
	"pbemd/engine/scene"
)

// sheet is where things lie in a picture: the plane of the hexes, stretched so
// that every hex lies on the pixels as every other does, and moved.
type sheet struct {
	grid   hex.Grid
	size   float64 // pixels from centre to centre of neighbours
	sx, sy float64
	dx, dy float64 // of the plane's origin
	w, h   int
}

const rowStep = 0.8660254037844386 // from row to row, or column to column

// newSheet is a sheet with the origin of the plane at 0, 0. The size is taken
// to the next even number, the step across rows to a multiple of 3: so corners
// and centres lie on whole pixels.
func newSheet(g hex.Grid, size Size) sheet {
	z := float64(max(8, (int(size)+1)/2*2))
	step := 3 * math.Round(z*rowStep/3)
	s := sheet{grid: g, size: z, sx: z, sy: step / rowStep}
	if g == hex.Columns {
		s.sx, s.sy = s.sy, s.sx
	}
	return s
}

func (s sheet) at(x, y float64) point { return point{x*s.sx + s.dx, y*s.sy + s.dy} }

// plane is the place in the plane of a pixel.
func (s sheet) plane(x, y float64) (float64, float64) { return (x - s.dx) / s.sx, (y - s.dy) / s.sy }

func (s sheet) centre(c hex.Coord) point {
	x, y := s.grid.Centre(c)
	return s.at(x, y)
}

// u is the unit of small things: a hex is 80 units wide.
func (s sheet) u() float64 { return s.size / 80 }

const corner = 0.5773502691896258 // centre to corner

// corners of a hex, from the one clockwise before direction 0.
func (s sheet) corners(c hex.Coord) [6]point {
	x, y := s.grid.Centre(c)
	var out [6]point
	for i := range out {
		a := (float64(i) - 0.5) * math.Pi / 3
		if s.grid == hex.Columns {
			a -= math.Pi / 6
		}
		sin, cos := math.Sincos(a)
		out[i] = s.at(x+corner*cos, y+corner*sin)
	}
	return out
}

// reach is how far a hex reaches from its centre, in pixels.
func (s sheet) reach() (x, y float64) {
	if s.grid == hex.Columns {
		return corner * s.sx, s.sy / 2
	}
	return s.sx / 2, corner * s.sy
}

// side is the two ends of the side of c in a direction.
func (s sheet) side(c hex.Coord, d hex.Direction) (point, point) {
	k := s.corners(c)
	return k[int(d)%6], k[(int(d)+1)%6]
}

func (s sheet) between(a, b hex.Coord) (point, point, bool) {
	d := s.grid.Toward(a, b)
	if d == hex.NoDirection {
		return point{}, point{}, false
	}
	p, q := s.side(a, d)
	return p, q, true
}

func (s sheet) line(pts [][2]float64) []point {
	k := make([]point, len(pts))
	for i, v := range pts {
		k[i] = s.at(v[0], v[1])
	}
	return k
}

// chains joins hexsides into lines, each in the order its sides were given.
func (s sheet) chains(sides [][2]hex.Coord) [][]point {
	type seg struct{ a, b point }
	var segs []seg
	for _, v := range sides {
		if a, b, ok := s.between(v[0], v[1]); ok {
			segs = append(segs, seg{a, b})
		}
	}
	same := func(a, b point) bool { return math.Abs(a.x-b.x) < 1 && math.Abs(a.y-b.y) < 1 }
	used := make([]bool, len(segs))
	var out [][]point
	for i := range segs {
		if used[i] {
			continue
		}
		used[i] = true
		l := []point{segs[i].a, segs[i].b}
		front := 0 // sides put before the first
		for grown := true; grown; {
			grown = false
			for j, v := range segs {
				if used[j] {
					continue
				}
				first, last := l[0], l[len(l)-1]
				switch {
				case same(v.a, last):
					l = append(l, v.b)
				case same(v.b, last):
					l = append(l, v.a)
				case same(v.a, first):
					l = append([]point{v.b}, l...)
					front++
				case same(v.b, first):
					l = append([]point{v.a}, l...)
					front++
				default:
					continue
				}
				used[j], grown = true, true
			}
		}
		if front > len(l)/2 {
			for a, b := 0, len(l)-1; a < b; a, b = a+1, b-1 {
				l[a], l[b] = l[b], l[a]
			}
		}
		out = append(out, l)
	}
	return out
}

// atlas is what is asked about a map again and again.
type atlas struct {
	m       *scene.Map
	ground  map[hex.Coord]string
	forts   map[hex.Coord]scene.Fort
	home    map[hex.Coord]bool // of a region
	coastal map[hex.Coord]bool // land beside sea
	ashore  [][][2]float64     // closed lines round land, all clockwise
	cells   map[[2]int][]hex.Coord
}

func newAtlas(m *scene.Map) *atlas {
	a := &atlas{
		m: m, ground: map[hex.Coord]string{}, forts: map[hex.Coord]scene.Fort{}, home: map[hex.Coord]bool{},
		coastal: map[hex.Coord]bool{}, cells: map[[2]int][]hex.Coord{},
	}
	for _, h := range m.Hexes {
		a.ground[h.At] = h.Terrain
		x, y := m.Grid.Centre(h.At)
		k := [2]int{int(math.Floor(x)), int(math.Floor(y))}
		a.cells[k] = append(a.cells[k], h.At)
	}
	for _, h := range m.Hexes {
		if h.Terrain == "sea" || len(m.Coast) == 0 {
			continue
		}
		for d := hex.Direction(0); d < 6; d++ {
			if a.ground[m.Grid.Neighbour(h.At, d)] == "sea" {
				a.coastal[h.At] = true
			}
		}
	}
	for _, r := range m.Rivers {
		if r.Class != "sea" && r.Class != "strait" {
			continue
		}
		for _, v := range r.Sides {
			for _, c := range v {
				if t, ok := a.ground[c]; ok && t != "sea" && len(m.Coast) > 0 {
					a.coastal[c] = true
				}
			}
		}
	}
	for _, l := range m.Coast {
		a.ashore = append(a.ashore, clockwise(l.Points))
	}
	for _, h := range m.Hexes { // land of the map that the coast leaves out
		x, y := m.Grid.Centre(h.At)
		if a.coastal[h.At] && a.wet(x, y) {
			var isle [][2]float64
			for i := 0; i < 24; i++ {
				sin, cos := math.Sincos(float64(i) * math.Pi / 12)
				r := .36 + .1*noise(int(h.At.Row), int(h.At.Num), i)
				isle = append(isle, [2]float64{x + r*cos, y + r*sin})
			}
			a.ashore = append(a.ashore, isle)
		}
	}
	for _, h := range m.Hexes { // inland, where the map lets the coast end
		if h.Terrain == "sea" || h.Terrain == "lake" || a.coastal[h.At] {
			continue
		}
		for d := hex.Direction(0); d < 6; d++ {
			if a.coastal[m.Grid.Neighbour(h.At, d)] {
				k := sheet{grid: m.Grid, sx: 1, sy: 1}.corners(h.At)
				land := make([][2]float64, 6)
				for i, q := range k {
					land[i] = [2]float64{q.x, q.y}
				}
				a.ashore = append(a.ashore, clockwise(land))
				break
			}
		}
	}
	for _, f := range m.Forts {
		a.forts[f.At] = f
	}
	for _, r := range m.Regions {
		for _, c := range r.Hexes {
			a.home[c] = true
		}
	}
	return a
}

// hexAt is the map hex a point of the plane lies in.
func (a *atlas) hexAt(x, y float64) (hex.Coord, bool) {
	best, at := math.Inf(1), hex.Coord{}
	cx, cy := int(math.Floor(x)), int(math.Floor(y))
	for i := -1; i <= 1; i++ {
		for j := -1; j <= 1; j++ {
			for _, c := range a.cells[[2]int{cx + i, cy + j}] {
				hx, hy := a.m.Grid.Centre(c)
				if d := (hx-x)*(hx-x) + (hy-y)*(hy-y); d < best {
					best, at = d, c
				}
			}
		}
	}
	return at, best < corner*corner
}

// wet reports whether a point of the plane lies in open water: in a hex of
// sea, or off the land of a coastal one.
func (a *atlas) wet(x, y float64) bool {
	c, ok := a.hexAt(x, y)
	if !ok || a.ground[c] != "sea" && !a.coastal[c] {
		return false
	}
	for _, l := range a.ashore {
		if inside(l, x, y) {
			return false
		}
	}
	return true
}

// clockwise is a closed line that turns clockwise, y downwards.
func clockwise(l [][2]float64) [][2]float64 {
	area := 0.0
	for i, v := range l {
		w := l[(i+1)%len(l)]
		area += v[0]*w[1] - w[0]*v[1]
	}
	if area >= 0 {
		return l
	}
	out := make([][2]float64, len(l))
	for i, v := range l {
		out[len(l)-1-i] = v
	}
	return out
}

// noise is the same for the same arguments: texture without dice.
func noise(a, b, c int) float64 {
	h := uint32(a)*0x9E3779B1 ^ uint32(b)*0x85EBCA77 ^ uint32(c)*0xC2B2AE3D
	h ^= h >> 15
	h *= 0x2C1B3C6D
	h ^= h >> 12
	h *= 0x297A2D39
	h ^= h >> 15
	return float64(h&0xffff) / 65536
}

func hexPath(k [6]point) path { return path{k[:]} }

func grow(k [6]point, by float64) [6]point {
	var cx, cy float64
	for _, q := range k {
		cx += q.x / 6
		cy += q.y / 6
	}
	for i, q := range k {
		l := math.Hypot(q.x-cx, q.y-cy)
		k[i] = point{cx + (q.x-cx)*(l+by)/l, cy + (q.y-cy)*(l+by)/l}
	}
	return k
}
