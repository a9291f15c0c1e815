package render

import (
	"math"
	"strings"

	"pbemd/engine/hex"
	"pbemd/engine/scene"
)

// name is lettering that has found its place: along a line of the sheet.
type name struct {
	text   string
	line   []point
	middle float64
	f      fount
	size   float64
	space  float64
	lift   float64
	colour string
	halo   bool
	drawn  path // its shape, once it has found its place
}

func (n name) shape() path {
	if n.drawn != nil {
		return n.drawn
	}
	return lettersOn(n.line, n.middle, n.text, n.f, n.size, n.space, n.lift)
}

func (p path) moved(dx, dy float64) path {
	out := make(path, len(p))
	for i, k := range p {
		out[i] = make([]point, len(k))
		for j, q := range k {
			out[i][j] = point{q.x + dx, q.y + dy}
		}
	}
	return out
}

// lettering writes hex names and the names of waters and countries. Names that
// would be cut by the edge are left out.
func (p *pen) lettering(names []name) {
	u := p.u()
	size := max(7, 9.6*u)
	_, high := p.reach()
	ids := p.colour("faint")
	for _, h := range p.m.Hexes {
		k := p.centre(h.At)
		y := k.y - high + 13.2*u
		if p.grid == hex.Columns {
			y = k.y - high + 10*u
		}
		col := ids
		if h.Terrain == "sea" || h.Terrain == "lake" {
			col = p.colourOr("faint_water", "faint")
		}
		p.label(h.At.String(), k.x, y, 0, regular, size, col)
	}
	for _, n := range names {
		s := n.shape()
		x0, y0, x1, y1 := s.bounds()
		dx, dy := p.dx, p.dy
		if x0+dx < 2 || y0+dy < 2 || x1+dx > float64(p.w-2) || y1+dy > float64(p.h-2) {
			continue
		}
		if n.halo {
			for _, d := range []point{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
				p.fill(s.moved(dx+d.x*1.2*u, dy+d.y*1.2*u), p.colour("halo"), 1)
			}
		}
		s = s.moved(dx, dy)
		p.fill(s, p.colour(n.colour), 1)
	}
}

// names finds the place of every name, on a sheet with its origin at 0, 0.
func (p *pen) names() []name {
	var out []name
	var taken []path
	u := p.u()
	clash := func(s path) bool {
		a0, b0, a1, b1 := s.bounds()
		for _, t := range taken {
			c0, d0, c1, d1 := t.bounds()
			if a0 < c1+2*u && c0 < a1+2*u && b0 < d1+2*u && d0 < b1+2*u {
				return true
			}
		}
		return false
	}
	put := func(n name) {
		n.drawn = n.shape()
		out = append(out, n)
		taken = append(taken, n.drawn)
	}
	for _, s := range p.m.Places { // where their names will stand
		k := p.centre(s.At)
		w := p.placeWidth(s) + 4*u
		taken = append(taken, box(k.x-w/2, k.y+16*u, k.x+w/2, k.y+34*u, 0))
	}
	for _, n := range p.m.Names {
		switch n.Kind {
		case "sea":
			p.seaName(n, put)
		case "lake":
			k := p.centre(n.At)
			for i, w := range strings.Fields(p.style.called(n.Text)) {
				y := k.y - 2*u + float64(i)*13*u
				put(name{text: w, line: []point{{k.x - 60*u, y}, {k.x + 60*u, y}}, middle: 60 * u, f: italic, size: 12 * u, colour: "coastline"})
			}
		}
	}
	p.countryNames(put, clash)
	for _, r := range p.m.Rivers {
		if r.Class == "major" || r.Class == "minor" || r.Class == "river" {
			p.riverName(r, put, clash)
		}
	}
	for _, r := range p.m.Lakes {
		p.riverName(r, put, clash)
	}
	return out
}

// seaName lays a name over the widest open water of its span.
func (p *pen) seaName(n scene.Name, put func(name)) {
	span := n.Span
	if len(span) == 0 {
		span = []hex.Coord{n.At}
	}
	u := p.u()
	called := p.style.called(n.Text)
	words := strings.Fields(called)
	text := []string{spaced(called)}
	if len(words) > 1 {
		i := 1
		if len(words) > 2 {
			i = 2
		}
		text = append(text, spaced(strings.Join(words[:i], " "))+"\n"+spaced(strings.Join(words[i:], " ")))
	}
	type spot struct {
		x, y, size float64
		text       string
	}
	var best spot
	for _, c := range span {
		cx, cy := p.grid.Centre(c)
		for _, dx := range []float64{0, .25, .5, .75} {
			for _, dy := range []float64{-.25, 0, .25} {
				x, y := cx+dx, cy+dy
				for _, t := range text {
					lines := strings.Split(t, "\n")
					wide := 0.0
					for _, l := range lines {
						wide = max(wide, textWidth(l, italic, 1)*1.28)
					}
					tall := float64(len(lines))*1.25 + .3
					size := .2
					if best.size >= size {
						size = best.size * 1.08
					}
					for ; size <= .46 && p.open(x, y, wide*size/2+.12, tall*size/2); size *= 1.08 {
						best = spot{x, y, size, t}
					}
				}
			}
		}
	}
	if best.size == 0 {
		return
	}
	q := p.at(best.x, best.y)
	size := best.size * p.size
	lines := strings.Split(best.text, "\n")
	for i, l := range lines {
		y := q.y + size*(.36+1.25*(float64(i)-float64(len(lines)-1)/2))
		put(name{
			text: l, line: []point{{q.x - 600*u, y}, {q.x + 600*u, y}}, middle: 600 * u, f: italic, size: size, space: size * .16, colour: "sea_name",
		})
	}
}

// open reports whether a rectangle of the plane is water.
func (p *pen) open(x, y, w, h float64) bool {
	for i := -1; i <= 1; i++ {
		n := int(math.Ceil(w / .2))
		for j := -n; j <= n; j++ {
			if !p.wet(x+w*float64(j)/float64(n), y+h*float64(i)) {
				return false
			}
		}
	}
	return true
}

// countryNames stand upright in the margin beside their hexes where the map
// ends there, and across their hexes otherwise.
func (p *pen) countryNames(put func(name), clash func(path) bool) {
	u := p.u()
	wide, _ := p.reach()
	for _, r := range p.m.Regions {
		if len(r.Hexes) == 0 || r.Name == "" {
			continue
		}
		x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
		for _, c := range r.Hexes {
			k := p.centre(c)
			x0, y0, x1, y1 = min(x0, k.x-wide), min(y0, k.y), max(x1, k.x+wide), max(y1, k.y)
		}
		size, space := 19*u, 9*u
		text := strings.ToUpper(p.style.called(r.Name))
		colour := "country_name"
		left := math.Inf(1) // of the map beside it
		for _, h := range p.m.Hexes {
			if k := p.centre(h.At); k.y > y0-p.size/4 && k.y < y1+p.size/4 {
				left = min(left, k.x-wide)
			}
		}
		if r.Kind == "offmap" || x0 > left+p.size/4 || x1-x0 > 5*p.size {
			x, y := 0.0, 0.0
			for _, c := range r.Hexes {
				k := p.centre(c)
				x, y = x+k.x/float64(len(r.Hexes)), y+k.y/float64(len(r.Hexes))
			}
			for _, shift := range []float64{5, -12, 22, -30, 40} {
				n := name{text: text, f: regular, size: 14 * u, space: 3 * u, colour: colour}
				n.line, n.middle = []point{{x - 300*u, y + shift*u}, {x + 300*u, y + shift*u}}, 300*u
				if !clash(n.shape()) {
					put(n)
					break
				}
			}
			continue
		}
		half := (textWidth(text, regular, size) + space*float64(len(text)-1)) / 2
		mid := (y0 + y1) / 2
		for _, shift := range []float64{0, 20, -20, 40, -40, 60, -60, 90, -90, 120, -120} {
			y := mid + shift*u
			left := math.Inf(1) // of the map there
			for _, h := range p.m.Hexes {
				if k := p.centre(h.At); math.Abs(k.y-y) < half+.6*p.size {
					left = min(left, k.x-wide)
				}
			}
			x := left - 12*u
			n := name{text: text, line: []point{{x, y + half + 50*u}, {x, y - half - 50*u}}, middle: half + 50*u, f: regular, size: size, space: space, colour: colour}
			if !clash(n.shape()) {
				put(n)
				break
			}
		}
	}
}

// riverName follows the river, where nothing else is written; the farther from
// its ends the better.
func (p *pen) riverName(r scene.Sides, put func(name), clash func(path) bool) {
	u := p.u()
	text, _, _ := strings.Cut(r.Name, " (")
	text = p.style.called(text)
	text = strings.ReplaceAll(text, " ", "  ") // bends eat up a single one
	if text == "" {
		return
	}
	for _, l := range p.chains(r.Sides) {
		l = even(smooth(l), 6*u)
		total := length(l)
		size := 10 * u
		w := textWidth(text, italic, size) + float64(len(text))*.6*u
		if total < w+10*u {
			continue
		}
		done := false
		for try := 0; try < 24 && !done; try++ {
			off := float64((try+1)/2) * 14 * u
			if try%2 == 1 {
				off = -off
			}
			at := total/2 + off
			if at < w/2 || at > total-w/2 {
				continue
			}
			// upright reading: turn the line where it runs leftwards, and
			// leave bends that would tear the letters apart
			_, b := along(l, at)
			torn := false
			for i := 0; i < 6; i++ {
				_, a := along(l, at-w/2+w*float64(i)/6)
				_, c := along(l, at-w/2+w*float64(i+1)/6)
				torn = torn || bend(a, c) > .36 || bend(a, b) > .8
			}
			if torn {
				continue
			}
			line, mid := l, at
			if math.Cos(b) < -.05 || math.Abs(math.Cos(b)) <= .05 && math.Sin(b) > 0 {
				line = make([]point, len(l))
				for i, q := range l {
					line[len(l)-1-i] = q
				}
				mid = total - at
			}
			n := name{text: text, line: line, middle: mid, f: italic, size: size, space: .6 * u, lift: 5.4 * u, colour: "river_name", halo: true}
			if s := n.shape(); !clash(s) {
				put(n)
				done = true
			}
		}
		if done {
			return
		}
	}
}

// even is a line in steps of one length, its bends eased.
func even(l []point, step float64) []point {
	total := length(l)
	n := max(2, int(total/step))
	pts := make([]point, n+1)
	for i := range pts {
		pts[i], _ = along(l, total*float64(i)/float64(n))
	}
	for round := 0; round < 6; round++ {
		out := append([]point(nil), pts...)
		for i := 1; i < n; i++ {
			out[i] = point{(pts[i-1].x + 2*pts[i].x + pts[i+1].x) / 4, (pts[i-1].y + 2*pts[i].y + pts[i+1].y) / 4}
		}
		pts = out
	}
	return pts
}

func bend(a, b float64) float64 {
	d := math.Abs(a - b)
	return min(d, 2*math.Pi-d)
}

func spaced(s string) string { return strings.ToUpper(s) }
