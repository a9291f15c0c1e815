package render

import (
	"math"

	"pbemd/engine/hex"
	"pbemd/engine/scene"
)

// sheet is where things lie in a picture: hexes at a size, moved by margins.
type sheet struct {
	grid   hex.Grid
	size   float64 // pixels from centre to centre of neighbours
	dx, dy float64 // of the plane's origin
	w, h   int
}

func (s sheet) at(x, y float64) point { return point{x*s.size + s.dx, y*s.size + s.dy} }

func (s sheet) centre(c hex.Coord) point {
	x, y := s.grid.Centre(c)
	return s.at(x, y)
}

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
		out[i] = s.at(x+corner*math.Cos(a), y+corner*math.Sin(a))
	}
	return out
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

// printed draws the map that never changes.
type printed struct {
	sheet
	*canvas
	style Style
	m     *scene.Map
}

func (p *printed) colour(name string) uint8 { return p.paint.of(p.style.Colours[name]) }

func hexPath(k [6]point) path { return path{k[:]} }

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

func (p *printed) draw() {
	ground := map[hex.Coord]string{}
	for _, h := range p.m.Hexes {
		ground[h.At] = h.Terrain
	}
	p.land(ground)
	p.textures()
	p.gridLines()
	p.waters()
	p.borders()
	p.lettering()
	p.places()
}

// land fills the hexes: whole ones in the colour of their terrain, coastal ones
// as far as the coast allows.
func (p *printed) land(ground map[hex.Coord]string) {
	for _, r := range p.m.Regions {
		if r.Kind == "offmap" {
			for _, c := range r.Hexes {
				p.fill(hexPath(p.corners(c)), p.colour("offmap"), 1)
			}
		}
	}
	sea := p.colour("sea")
	for _, h := range p.m.Hexes {
		t := h.Terrain
		if _, ok := p.style.Colours[t]; !ok {
			t = "clear"
		}
		p.fill(hexPath(grow(p.corners(h.At), 0.7)), p.colour(t), 1)
	}
	for _, r := range p.m.Regions {
		if r.Kind != "zomo" {
			continue
		}
		name := map[string]string{"Germany": "germany", "Hungary": "hungary", "Romania": "romania"}[r.Name]
		if _, ok := p.style.Colours[name]; !ok {
			continue
		}
		for _, c := range r.Hexes {
			p.fill(hexPath(grow(p.corners(c), 0.7)), p.colour(name), 0.75)
		}
	}
	// coast: sea where a coastal hex has no land, land where a sea hex has some
	onLand := p.newMask()
	for _, l := range p.m.Coast {
		k := make([]point, len(l.Points))
		for i, v := range l.Points {
			k[i] = p.at(v[0], v[1])
		}
		onLand.add(k)
	}
	isSea := map[hex.Coord]bool{}
	for _, h := range p.m.Hexes {
		isSea[h.At] = h.Terrain == "sea"
	}
	clearCol := p.colour("clear")
	for _, h := range p.m.Hexes {
		if isSea[h.At] {
			p.fillThrough(hexPath(p.corners(h.At)), clearCol, 1, onLand.has)
			continue
		}
		coastal := false
		for d := hex.Direction(0); d < 6; d++ {
			coastal = coastal || isSea[p.grid.Neighbour(h.At, d)]
		}
		if coastal {
			p.fillThrough(hexPath(p.corners(h.At)), sea, 1, func(x, y int) bool { return !onLand.has(x, y) })
		}
	}
	for _, l := range p.m.Coast {
		k := make([]point, len(l.Points))
		for i, v := range l.Points {
			k[i] = p.at(v[0], v[1])
		}
		if len(k) > 1 {
			k = append(k, k[0])
		}
		for i := 0; i+1 < len(k); i++ {
			mid := point{(k[i].x + k[i+1].x) / 2, (k[i].y + k[i+1].y) / 2}
			if c, ok := p.hexAt(mid); ok && p.nearSea(c, isSea) {
				p.line([]point{k[i], k[i+1]}, max(1, p.size/55), p.colour("coastline"), .8)
			}
		}
	}
	for _, l := range p.m.Lakeage {
		k := make([]point, len(l.Points))
		for i, v := range l.Points {
			k[i] = p.at(v[0], v[1])
		}
		if l.Kind == "area" {
			p.fill(path{k}, p.colour("lake"), 1)
			p.line(append(k, k[0]), max(1, p.size/60), p.colour("coastline"), .8)
		}
	}
}

func (p *printed) nearSea(c hex.Coord, isSea map[hex.Coord]bool) bool {
	if isSea[c] {
		return true
	}
	for d := hex.Direction(0); d < 6; d++ {
		if isSea[p.grid.Neighbour(c, d)] {
			return true
		}
	}
	return false
}

// hexAt is the map hex a point lies in.
func (p *printed) hexAt(q point) (hex.Coord, bool) {
	best, at := math.Inf(1), hex.Coord{}
	for _, h := range p.m.Hexes {
		k := p.centre(h.At)
		if d := (k.x-q.x)*(k.x-q.x) + (k.y-q.y)*(k.y-q.y); d < best {
			best, at = d, h.At
		}
	}
	return at, best < p.size*p.size/3
}

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

// textures are small marks, few enough to stay quiet under counters.
func (p *printed) textures() {
	for _, h := range p.m.Hexes {
		mark := map[string]string{"forest": "forest_mark", "marsh": "marsh_mark", "broken": "broken_mark", "mountain": "mountain_mark"}[h.Terrain]
		if mark == "" {
			continue
		}
		col := p.colour(mark)
		k := p.centre(h.At)
		for i := 0; i < 9; i++ {
			a := float64(i)*2.39996 + noise(int(h.At.Row), int(h.At.Num), i)*1.1
			r := p.size * 0.44 * math.Sqrt((float64(i)+0.6)/9)
			x, y := k.x+r*math.Cos(a), k.y+r*math.Sin(a)
			u := p.size / 26
			switch h.Terrain {
			case "forest":
				p.fill(path{{{x, y - 1.6*u}, {x + u, y + .5*u}, {x - u, y + .5*u}}}, col, .55)
				p.fill(box(x-.2*u, y+.5*u, x+.2*u, y+u, 0), col, .55)
			case "marsh":
				p.line([]point{{x - 1.5*u, y}, {x + 1.5*u, y}}, u*.35, col, .7)
				p.line([]point{{x - .6*u, y + .9*u}, {x + u, y + .9*u}}, u*.35, col, .7)
			case "broken":
				p.line([]point{{x - 1.3*u, y + .4*u}, {x - .5*u, y - .4*u}, {x + .4*u, y - .4*u}, {x + 1.2*u, y + .3*u}}, u*.35, col, .55)
			case "mountain":
				p.fill(path{{{x, y - 1.9*u}, {x + 1.5*u, y + u}, {x - 1.5*u, y + u}}}, col, .45)
				p.fill(path{{{x, y - 1.9*u}, {x + 1.5*u, y + u}, {x + .1*u, y + u}}}, col, .6)
			}
		}
	}
}

func (p *printed) gridLines() {
	col := p.colour("grid")
	for _, h := range p.m.Hexes {
		for d := hex.Direction(0); d < 6; d++ {
			n := p.grid.Neighbour(h.At, d)
			if d >= 3 && p.has(n) {
				continue
			}
			a, b := p.side(h.At, d)
			p.line([]point{a, b}, 1, col, .7)
		}
	}
}

func (p *printed) has(c hex.Coord) bool {
	for _, h := range p.m.Hexes {
		if h.At == c {
			return true
		}
	}
	return false
}

// waters draws rivers as smooth lines along the hexsides, lake sides and
// straits.
func (p *printed) waters() {
	u := p.size / 80
	for _, r := range p.m.Rivers {
		switch r.Class {
		case "minor":
			for _, l := range p.chains(r.Sides) {
				p.line(smooth(l), 2.6*u, p.colour("river_light"), 1)
			}
		case "major":
			for _, l := range p.chains(r.Sides) {
				l = smooth(l)
				p.line(l, 6.4*u, p.colour("river"), 1)
				p.line(l, 3*u, p.colour("river_light"), 1)
			}
		case "strait", "sivash":
			for _, l := range p.chains(r.Sides) {
				p.line(l, 6.5*u, p.colour("strait"), 1)
				for _, d := range dashes(l, 5*u, 5*u) {
					p.line(d, 2.4*u, p.colour("halo"), 1)
				}
			}
		case "sea":
			for _, l := range p.chains(r.Sides) {
				p.line(l, 6*u, p.colour("sea"), 1)
			}
		}
	}
	for _, r := range p.m.Lakes {
		for _, l := range p.chains(r.Sides) {
			l = smooth(l)
			p.line(l, 12*u, p.colour("river"), 1)
			p.line(l, 9.4*u, p.colour("lake"), 1)
		}
	}
}

func (p *printed) borders() {
	u := p.size / 80
	for _, b := range p.m.Borders {
		for _, l := range p.chains(b.Sides) {
			if b.Class == "border" {
				p.line(l, 5*u, p.colour("border"), .35)
				for _, d := range dashes(l, 12*u, 6*u) {
					p.line(d, 2.2*u, p.colour("border"), 1)
				}
				continue
			}
			for _, d := range dashes(l, 7*u, 6*u) {
				p.line(d, 2.4*u, p.colour("weather"), 1)
			}
		}
	}
}

// chains joins hexsides into lines.
func (p *printed) chains(sides [][2]hex.Coord) [][]point {
	type seg struct{ a, b point }
	var segs []seg
	for _, s := range sides {
		if a, b, ok := p.between(s[0], s[1]); ok {
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
		for grown := true; grown; {
			grown = false
			for j, s := range segs {
				if used[j] {
					continue
				}
				first, last := l[0], l[len(l)-1]
				switch {
				case same(s.a, last):
					l = append(l, s.b)
				case same(s.b, last):
					l = append(l, s.a)
				case same(s.a, first):
					l = append([]point{s.b}, l...)
				case same(s.b, first):
					l = append([]point{s.a}, l...)
				default:
					continue
				}
				used[j], grown = true, true
			}
		}
		out = append(out, l)
	}
	return out
}

// smooth rounds the corners of a line, its ends stay.
func smooth(l []point) []point {
	for n := 0; n < 2; n++ {
		if len(l) < 3 {
			return l
		}
		out := []point{l[0]}
		for i := 0; i+1 < len(l); i++ {
			a, b := l[i], l[i+1]
			if i > 0 {
				out = append(out, point{a.x*.78 + b.x*.22, a.y*.78 + b.y*.22})
			}
			if i+2 < len(l) {
				out = append(out, point{a.x*.22 + b.x*.78, a.y*.22 + b.y*.78})
			}
		}
		l = append(out, l[len(l)-1])
	}
	return l
}

// lettering is hex names, seas, lakes and countries.
func (p *printed) lettering() {
	for _, h := range p.m.Hexes {
		k := p.centre(h.At)
		p.text(h.At.String(), k.x, k.y-p.size*.40, 0, false, p.size*.125, p.colour("faint"))
	}
	for _, n := range p.m.Names {
		k := p.centre(n.At)
		switch n.Kind {
		case "sea":
			p.text(spaced(n.Text), k.x, k.y+p.size*.1, 0, false, p.size*.34, p.colour("coastline"))
		case "lake":
			p.text(n.Text, k.x, k.y+p.size*.05, 0, false, p.size*.14, p.colour("coastline"))
		case "country":
			p.text(spaced(n.Text), 14*p.size/80, k.y, -1, false, p.size*.2, p.colour("faint"))
		}
	}
}

func spaced(s string) string {
	out := make([]rune, 0, 2*len(s))
	for i, r := range s {
		if i > 0 {
			out = append(out, '\u2009')
		}
		if r >= 'a' && r <= 'z' {
			r -= 'a' - 'A'
		}
		out = append(out, r)
	}
	return string(out)
}

func (p *printed) places() {
	u := p.size / 80
	for _, f := range p.m.Forts {
		p.fort(f, f.Kind, 1)
	}
	for _, s := range p.m.Places {
		k := p.centre(s.At)
		y := k.y + 20*u
		switch s.Kind {
		case "city":
			p.fill(box(k.x-7*u, y-7*u, k.x+7*u, y+7*u, 1.5*u), p.colour("halo"), 1)
			p.fill(box(k.x-5.6*u, y-5.6*u, k.x+5.6*u, y+5.6*u, u), p.colour("city"), 1)
			p.fill(box(k.x-2.2*u, y-2.2*u, k.x+2.2*u, y+2.2*u, 0), p.colour("halo"), 1)
		case "town":
			p.fill(disc(k.x, y, 4.6*u), p.colour("halo"), 1)
			p.fill(disc(k.x, y, 3.4*u), p.colour("town"), 1)
		case "oil":
			p.fill(path{{{k.x, y - 9*u}, {k.x + 5*u, y + 5*u}, {k.x - 5*u, y + 5*u}}}, p.colour("oil"), 1)
			p.fill(path{{{k.x, y - 3*u}, {k.x + 2*u, y + 3.4*u}, {k.x - 2*u, y + 3.4*u}}}, p.colour("halo"), 1)
		}
		if s.Port {
			p.line([]point{{k.x + 14*u, y - 6*u}, {k.x + 14*u, y + 5*u}}, 1.6*u, p.colour("port"), 1)
			p.line([]point{{k.x + 9.5*u, y + 1*u}, {k.x + 11*u, y + 5*u}, {k.x + 14*u, y + 6*u}, {k.x + 17*u, y + 5*u}, {k.x + 18.5*u, y + 1*u}}, 1.5*u, p.colour("port"), 1)
			p.line([]point{{k.x + 11.5*u, y - 3*u}, {k.x + 16.5*u, y - 3*u}}, 1.4*u, p.colour("port"), 1)
		}
		if s.VP > 0 {
			x := k.x - 15*u
			p.fill(disc(x, y, 7.4*u), p.colour("ink"), 1)
			p.fill(disc(x, y, 6.4*u), p.colour("vp"), 1)
			p.text(itoa(s.VP), x, y+3.6*u, 0, true, 10*u, p.colour("ink"))
		}
		p.lettered(s.Name, k.x, k.y+37*u, 0, s.Kind == "city", map[bool]float64{true: 11.5, false: 10}[s.Kind == "city"]*u, p.colour("ink"), p.colour("halo"))
	}
}

func (p *printed) fort(f scene.Fort, colour string, strength float64) {
	u := p.size / 80
	k := p.centre(f.At)
	x, y := k.x+24*u, k.y+18*u
	col := p.colour(colour)
	var l []point
	for i := 0; i <= 3; i++ { // battlements
		a := x - 9*u + float64(i)*6*u
		l = append(l, point{a, y - 7*u}, point{a + 3*u, y - 7*u})
		if i < 3 {
			l = append(l, point{a + 3*u, y - 4*u}, point{a + 6*u, y - 4*u})
		}
	}
	l = append(l, point{x + 12*u, y + 4*u}, point{x - 9*u, y + 4*u})
	p.fill(path{l}, col, strength)
	if f.Kind != "fort" {
		p.text(initial(f.Line), x+1.5*u, y+3.2*u, 0, true, 8*u, p.colour("halo"))
	}
}

func initial(s string) string {
	if s == "" {
		return ""
	}
	if len(s) > 1 && s[0] == 'M' {
		return s[:2]
	}
	return s[:1]
}

func itoa(n int) string {
	if n < 0 {
		return "-" + itoa(-n)
	}
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}

// mask is a set of pixels.
type mask struct {
	w, h int
	bits []bool
}

func (p *printed) newMask() *mask {
	return &mask{p.sheet.w, p.sheet.h, make([]bool, p.sheet.w*p.sheet.h)}
}

func (m *mask) has(x, y int) bool { return x >= 0 && y >= 0 && x < m.w && y < m.h && m.bits[y*m.w+x] }

// add fills a polygon by even-odd scan lines.
func (m *mask) add(k []point) {
	for y := 0; y < m.h; y++ {
		fy := float64(y) + .5
		var xs []float64
		for i := range k {
			a, b := k[i], k[(i+1)%len(k)]
			if (a.y <= fy) != (b.y <= fy) {
				xs = append(xs, a.x+(fy-a.y)/(b.y-a.y)*(b.x-a.x))
			}
		}
		for i := 1; i < len(xs); i++ {
			for j := i; j > 0 && xs[j] < xs[j-1]; j-- {
				xs[j], xs[j-1] = xs[j-1], xs[j]
			}
		}
		for i := 0; i+1 < len(xs); i += 2 {
			for x := max(0, int(math.Ceil(xs[i]-.5))); x < m.w && float64(x)+.5 < xs[i+1]; x++ {
				m.bits[y*m.w+x] = true
			}
		}
	}
}
