package render

import (
	"math"
	"slices"

	"pbemd/engine/hex"
	"pbemd/engine/scene"
)

// pen draws on a surface with a style, over a sheet.
type pen struct {
	surface
	sheet
	*atlas
	style Style
	paint *paint
}

func (p *pen) colour(name string) ink { return p.paint.of(p.style.Colours[name]) }

// colourOr is the first of the names that the style has.
func (p *pen) colourOr(names ...string) ink {
	for _, n := range names {
		if c, ok := p.style.Colours[n]; ok {
			return p.paint.of(c)
		}
	}
	return p.colour("ink")
}

func (p *pen) has(name string) bool { _, ok := p.style.Colours[name]; return ok }

func (p *pen) stroke(l []point, width float64, col ink, strength float64) {
	p.surface.line(l, width, col, strength)
}

// label writes without a halo.
func (p *pen) label(s string, x, y float64, align int, f fount, size float64, col ink) {
	p.text(s, x, y, align, f, size, col, col)
}

// lineOf is a line along the plane's points, in pixels.
func (p *pen) lineOf(pts [][2]float64) []point { return p.sheet.line(pts) }

// terrain is land, water and all lines of the map without a word on it.
func (p *pen) terrain() {
	p.land()
	p.textures()
	p.gridLines()
	p.waters()
	p.rails()
	p.borders()
	for _, v := range p.m.Sources {
		for _, d := range v.Over {
			a, b := p.side(v.At, d)
			p.source([]point{a, b}, v.Side)
		}
	}
}

// source is a piece of the map's edge over which supply comes in.
func (p *pen) source(l []point, side string) {
	u := p.u()
	p.stroke(l, 5*u, p.colourOr(side+"_source", side), sharp+1)
}

func (p *pen) ink(terrain string) ink { return p.colourOr(terrain, "clear") }

// land fills the hexes; the coast decides inside coastal hexes, the map
// everywhere else.
func (p *pen) land() {
	u := p.u()
	for _, r := range p.m.Regions {
		if r.Kind == "offmap" {
			for _, c := range r.Hexes {
				p.fill(hexPath(grow(p.corners(c), .7)), p.colour("offmap"), 1)
			}
		}
	}
	sea := p.colour("sea")
	var shore path
	for _, h := range p.m.Hexes {
		if h.Terrain == "sea" || p.coastal[h.At] {
			k := grow(p.corners(h.At), .7)
			p.fill(hexPath(k), sea, 1)
			shore = append(shore, k[:])
		}
	}
	ashore := p.dry()
	if len(shore) > 0 {
		p.within(shore, func() {
			for _, band := range []struct {
				width float64
				name  string
			}{{26, "sea_shelf"}, {13, "sea_shore"}} {
				for _, k := range ashore {
					p.stroke(append(slices.Clone(k), k[0]), band.width*u, p.colourOr(band.name, "sea"), sharp+1)
				}
			}
			for _, k := range ashore {
				p.stroke(append(slices.Clone(k), k[0]), max(2.2, 3*u), p.colour("coastline"), .85)
			}
			p.fill(ashore, p.colour("clear"), 1)
		})
	}
	// terrain: its edge wanders a little where it meets another
	type patch struct {
		shape    path
		col      ink
		strength float64
	}
	var coast []patch
	lay := func(c hex.Coord, q patch) {
		if p.coastal[c] {
			coast = append(coast, q)
			return
		}
		p.fill(q.shape, q.col, q.strength)
	}
	for _, kind := range layers {
		for _, h := range p.m.Hexes {
			if p.kind(h.Terrain) == kind {
				lay(h.At, patch{path{p.blob(h.At, h.Terrain)}, p.ink(kind), sharp + 1})
			}
		}
	}
	for _, r := range p.m.Regions {
		if r.Kind == "offmap" {
			continue
		}
		col := p.colourOr(regionKey(r.Name), "offmap")
		for _, c := range r.Hexes {
			lay(c, patch{hexPath(grow(p.corners(c), .7)), col, .75})
		}
	}
	p.within(ashore, func() {
		for _, q := range coast {
			p.fill(q.shape, q.col, q.strength)
		}
	})
	for _, h := range p.m.Hexes {
		if h.Terrain == "lake" {
			p.fill(hexPath(grow(p.corners(h.At), .7)), p.colourOr("shore_of_lake", "clear"), 1)
		}
	}
	for _, l := range p.m.Lakeage {
		if l.Kind != "area" {
			continue
		}
		k := p.lineOf(l.Points)
		p.fill(path{k}, p.colour("lake"), 1)
		p.stroke(append(slices.Clone(k), k[0]), max(1.1, 1.5*u), p.colour("coastline"), .85)
	}
}

// dry is all land within coasts.
func (p *pen) dry() path {
	var out path
	for _, l := range p.atlas.ashore {
		if k := p.lineOf(l); p.closes(k) {
			out = append(out, k)
		}
	}
	return out
}

// closes reports whether a line encloses anything to be seen.
func (p *pen) closes(k []point) bool {
	x0, y0, x1, y1 := path{k}.bounds()
	return len(k) > 2 && x1-x0 > 2 && y1-y0 > 2
}

func (p *pen) kind(terrain string) string {
	if terrain == "sea" || terrain == "lake" || p.has(terrain) {
		return terrain
	}
	return "clear"
}

// regionKey is the palette's name of a region.
func regionKey(name string) string {
	b := []byte(name)
	for i, c := range b {
		switch {
		case c >= 'A' && c <= 'Z':
			b[i] = c + 'a' - 'A'
		case c == ' ':
			b[i] = '_'
		}
	}
	return string(b)
}

// layers are the kinds of ground in the order in which they are drawn.
var layers = []string{"clear", "broken", "marsh", "swamp", "forest", "mountain"}

// rank is where a kind of ground comes in that order; water comes nowhere.
func rank(terrain string) int {
	if terrain == "sea" || terrain == "lake" {
		return -1
	}
	return max(0, slices.Index(layers, terrain))
}

// blob is a hex whose sides wander where the ground beyond is another.
func (p *pen) blob(c hex.Coord, terrain string) []point {
	k := grow(p.corners(c), .6)
	u := p.u()
	var out []point
	for d := hex.Direction(0); d < 6; d++ {
		a, b := k[d], k[(d+1)%6]
		out = append(out, a)
		o := p.grid.Neighbour(c, d)
		t, ok := p.ground[o]
		mine, theirs := rank(terrain), rank(t)
		if !ok || mine == theirs || p.home[o] || p.home[c] {
			continue
		}
		l := math.Hypot(b.x-a.x, b.y-a.y)
		nx, ny := (b.y-a.y)/l, -(b.x-a.x)/l // outwards
		if mine < theirs {                  // drawn before it: reach below its edge
			out = append(out, point{a.x + nx*5*u, a.y + ny*5*u}, point{b.x + nx*5*u, b.y + ny*5*u})
			continue
		}
		for i := 1; i < 4; i++ {
			w := (noise(int(d), i, 1) - .6) * 6 * u
			t := float64(i) / 4
			out = append(out, point{a.x + (b.x-a.x)*t + nx*w, a.y + (b.y-a.y)*t + ny*w})
		}
	}
	return out
}

// spots are where marks of a texture stand in a hex, in units; the same in all
// hexes, so that woods read as one.
var spots = [][2]float64{
	{-28, -15}, {-9, -28}, {11, -25}, {28, -13}, {-13, -10}, {6, -7}, {-29, 7}, {20, 4}, {-4, 9}, {33, 12}, {-18, 21}, {12, 22}, {-3, 36},
}

// textures are small marks, near to the ground in colour: quiet under counters.
func (p *pen) textures() {
	u := p.u()
	for _, h := range p.m.Hexes {
		if !p.has(h.Terrain + "_mark") {
			continue
		}
		dark, light := path{}, path{}
		k := p.centre(h.At)
		for i, s := range spots {
			sx, sy := s[0], s[1]
			if p.grid == hex.Columns {
				sx, sy = sy, sx
			}
			x, y := k.x+math.Round(sx*u), k.y+math.Round(sy*u)
			if p.coastal[h.At] && (p.wet(p.plane(x+5*u, y+4*u)) || p.wet(p.plane(x-5*u, y-4*u))) {
				continue
			}
			switch h.Terrain {
			case "forest":
				g := u * (1 + .25*float64(i%3-1))
				dark = append(dark, []point{{x, y - 6*g}, {x + 3.4*g, y + 2*g}, {x - 3.4*g, y + 2*g}})
				dark = append(dark, box(x-.6*g, y+2*g, x+.6*g, y+4*g, 0)...)
				light = append(light, []point{{x, y - 6*g}, {x - .2*g, y + 2*g}, {x - 3.4*g, y + 2*g}})
			case "marsh", "swamp":
				dark = append(dark, box(x-6*u, y, x+6*u, y+1.1*u, 0)...)
				if i%3 == 0 {
					dark = append(dark, box(x-2.5*u, y+3*u, x+8*u, y+4*u, 0)...)
				}
				for _, b := range []float64{-1.5, 1.5} {
					dark = append(dark, stroke([]point{{x + b*u*.6, y}, {x + b*1.6*u, y - 4.5*u}}, u)...)
				}
			case "mountain":
				if i%3 == 1 {
					continue
				}
				dark = append(dark, []point{{x, y - 7*u}, {x + 8*u, y + 5*u}, {x + 2*u, y + 5*u}})
				light = append(light, []point{{x, y - 7*u}, {x + 2*u, y + 5*u}, {x - 8*u, y + 5*u}})
			default: // broken ground: low hills
				if i%2 == 1 {
					continue
				}
				dark = append(dark, stroke([]point{{x - 7*u, y + 2*u}, {x - 4*u, y - 1.5*u}, {x, y - 2.6*u}, {x + 4*u, y - 1.2*u}, {x + 6.5*u, y + 2*u}}, 1.1*u)...)
				for _, b := range []float64{-1, 2} {
					dark = append(dark, stroke([]point{{x + b*u, y + .2*u}, {x + (b+.8)*u, y + 3*u}}, .8*u)...)
				}
			}
		}
		p.fill(dark, p.colour(h.Terrain+"_mark"), 1)
		p.fill(light, p.colourOr(h.Terrain+"_light", h.Terrain+"_mark"), 1)
	}
}

func (p *pen) gridLines() {
	col := p.colour("grid")
	width := max(1, p.u())
	for _, h := range p.m.Hexes {
		for d := hex.Direction(0); d < 6; d++ {
			if d >= 3 && p.ground[p.grid.Neighbour(h.At, d)] != "" {
				continue
			}
			a, b := p.side(h.At, d)
			p.stroke([]point{a, b}, width, col, sharp+.5)
		}
	}
}

// waters draws rivers as smooth lines along the hexsides that widen from their
// source, lake sides and straits.
func (p *pen) waters() {
	u := p.u()
	river, light := p.colour("river"), p.colourOr("river_light", "river")
	for _, r := range p.m.Rivers {
		switch r.Class {
		case "minor", "river":
			for _, l := range p.chains(r.Sides) {
				l = smooth(l)
				p.fill(taper(l, 1.6*u, 3.6*u), river, 1)
			}
		}
	}
	for _, r := range p.m.Rivers {
		switch r.Class {
		case "major":
			for _, l := range p.chains(r.Sides) {
				l = smooth(l)
				p.fill(taper(l, 5*u, 7.6*u), river, 1)
				p.fill(taper(l, 2*u, 4.2*u), light, 1)
			}
		case "strait", "sivash":
			for _, l := range p.chains(r.Sides) {
				p.stroke(l, 8*u, p.colour("halo"), .8)
				p.stroke(l, 6*u, p.colour("strait"), 1)
				for _, d := range dashes(l, 5*u, 5*u) {
					p.stroke(d, 1.8*u, p.colour("halo"), 1)
				}
			}
		}
	}
	p.within(p.dry(), func() { // arms of the sea between two hexes of land
		for _, r := range p.m.Rivers {
			if r.Class != "sea" {
				continue
			}
			for _, l := range p.chains(r.Sides) {
				p.stroke(l, 8*u, p.colour("coastline"), .85)
				p.stroke(l, 5.4*u, p.colourOr("sea_shore", "sea"), 1)
			}
		}
	})
	for _, r := range p.m.Lakes {
		for _, l := range p.chains(r.Sides) {
			l = smooth(l)
			lens := func(w float64) func(t float64) float64 {
				return func(t float64) float64 { return w * u * (.45 + .55*math.Sin(math.Pi*t)) }
			}
			p.fill(ribbon(l, lens(15)), p.colour("coastline"), .9)
			p.fill(ribbon(l, lens(12)), p.colour("lake"), 1)
		}
	}
}

func (p *pen) rails() {
	u := p.u()
	for _, r := range p.m.Rails {
		l := make([]point, len(r.Path))
		for i, c := range r.Path {
			l[i] = p.centre(c)
		}
		l = smooth(l)
		p.stroke(l, 1.3*u, p.colourOr("rail", "ink"), .8)
		total := length(l)
		for at := 4 * u; at < total; at += 8 * u {
			q, a := along(l, at)
			s, c := math.Sincos(a)
			p.stroke([]point{{q.x - s*2.6*u, q.y + c*2.6*u}, {q.x + s*2.6*u, q.y - c*2.6*u}}, 1*u, p.colourOr("rail", "ink"), .8)
		}
	}
}

func (p *pen) borders() {
	for _, b := range p.m.Borders {
		for _, l := range p.chains(b.Sides) {
			p.border(l, b.Class)
		}
	}
}

func (p *pen) border(l []point, class string) {
	u := p.u()
	if class == "weather" {
		for _, d := range dashes(l, 8*u, 6*u) {
			p.stroke(d, 3.6*u, p.colour("halo"), .7)
			p.stroke(d, 2.2*u, p.colourOr("weather", "border"), 1)
		}
		return
	}
	p.stroke(l, 5*u, p.colour("border"), .3)
	for _, d := range dashes(l, 12*u, 5*u) {
		p.stroke(d, 1.8*u, p.colour("border"), 1)
	}
}

// places draws towns, cities, ports, oil fields and fortifications.
func (p *pen) places() {
	for _, f := range p.m.Forts {
		p.fort(p.centre(f.At), f, false, false)
	}
	type room struct{ x0, x1, y float64 }
	u := p.u()
	rooms := make([]room, len(p.m.Places))
	for i, s := range p.m.Places {
		k := p.centre(s.At)
		w := p.placeWidth(s)
		rooms[i] = room{k.x - w/2, k.x + w/2, k.y}
	}
	for i := range rooms { // neighbours with long names give way to each other
		for j := range rooms {
			a, b := &rooms[i], &rooms[j]
			if i == j || math.Abs(a.y-b.y) > 14*u || a.x0+a.x1 >= b.x0+b.x1 {
				continue
			}
			if over := a.x1 + 4*u - b.x0; over > 0 {
				a.x0, a.x1 = a.x0-over/2, a.x1-over/2
				b.x0, b.x1 = b.x0+over/2, b.x1+over/2
			}
		}
	}
	for i, s := range p.m.Places {
		p.place(s, rooms[i].x0)
	}
}

// placeFount is how the name of a place is set.
func (p *pen) placeFount(s scene.Place) (fount, float64) {
	if s.Kind == "city" || s.Kind == "capital" || s.VP > 0 {
		return bold, 11.5 * p.u()
	}
	return regular, 10.5 * p.u()
}

// The parts of a place beside its name, in units.
const placeSign, placePoints, placePort = 13, 15, 13

func (p *pen) placeWidth(s scene.Place) float64 {
	u := p.u()
	f, size := p.placeFount(s)
	w := textWidth(s.Name, f, size) + placeSign*u
	if s.VP > 0 {
		w += placePoints * u
	}
	if s.Port {
		w += placePort * u
	}
	return w
}

// place puts symbol and name side by side below the middle of the hex, where
// no counter lies, from x on.
func (p *pen) place(s scene.Place, x float64) {
	u := p.u()
	y := p.centre(s.At).y + 24.5*u
	f, size := p.placeFount(s)
	if s.VP > 0 {
		p.points(x+7*u, y, s.VP)
		x += placePoints * u
	}
	p.sign(x+5.5*u, y, s.Kind)
	x += placeSign * u
	p.text(s.Name, x, y+4*u, -1, f, size, p.colour("ink"), p.colour("halo"))
	if s.Port {
		p.anchor(x+textWidth(s.Name, f, size)+7*u, y)
	}
}

// points is the badge of victory points.
func (p *pen) points(x, y float64, n int) {
	u := p.u()
	p.fill(disc(x, y, 7.6*u), p.colour("ink"), 1)
	p.fill(disc(x, y, 6.6*u), p.colour("vp"), 1)
	p.label(itoa(n), x, y+3.5*u, 0, bold, 9.6*u, p.colour("ink"))
}

func (p *pen) sign(x, y float64, kind string) {
	u := p.u()
	ink, halo := p.colour("ink"), p.colour("halo")
	switch kind {
	case "city", "capital":
		p.fill(box(x-6*u, y-6*u, x+6*u, y+6*u, 1.4*u), halo, 1)
		p.fill(box(x-5*u, y-5*u, x+5*u, y+5*u, 1*u), p.colourOr("city", "ink"), 1)
		if kind == "capital" {
			p.fill(star(x, y, 4.6*u, 1.9*u, 5), halo, 1)
		} else {
			p.fill(box(x-2*u, y-2*u, x+2*u, y+2*u, 0), halo, 1)
		}
	case "oil":
		for _, l := range [][]point{{{x - 4*u, y + 6*u}, {x, y - 7*u}, {x + 4*u, y + 6*u}}, {{x - 2.8*u, y + 2*u}, {x + 2.8*u, y + 2*u}}, {{x - 1.4*u, y - 2.4*u}, {x + 1.4*u, y - 2.4*u}}} {
			p.stroke(l, 3.4*u, halo, .8)
		}
		for _, l := range [][]point{{{x - 4*u, y + 6*u}, {x, y - 7*u}, {x + 4*u, y + 6*u}}, {{x - 2.8*u, y + 2*u}, {x + 2.8*u, y + 2*u}}, {{x - 1.4*u, y - 2.4*u}, {x + 1.4*u, y - 2.4*u}}} {
			p.stroke(l, 1.6*u, ink, 1)
		}
	default:
		p.fill(disc(x, y, 4.8*u), halo, 1)
		p.fill(disc(x, y, 3.6*u), p.colourOr("town", "ink"), 1)
	}
}

func (p *pen) anchor(x, y float64) {
	u := p.u()
	draw := func(more float64, col ink) {
		p.stroke([]point{{x, y - 4*u}, {x, y + 5*u}}, (1.4+more)*u, col, 1)
		p.stroke([]point{{x - 4.4*u, y + 1.2*u}, {x - 3*u, y + 4.2*u}, {x, y + 5.4*u}, {x + 3*u, y + 4.2*u}, {x + 4.4*u, y + 1.2*u}}, (1.3+more)*u, col, 1)
		p.stroke([]point{{x - 2.6*u, y - 2*u}, {x + 2.6*u, y - 2*u}}, (1.2+more)*u, col, 1)
		p.fill(disc(x, y-5*u, (1.7+more/2)*u), col, 1)
	}
	draw(2, p.colour("halo"))
	draw(0, p.colourOr("port", "ink"))
}

// fort is a battlement right of the counters: full when it stands, an outline
// when it does not count yet, broken when wrecked.
func (p *pen) fort(k point, f scene.Fort, hollow, wrecked bool) {
	u := p.u()
	x, y := k.x+31*u, k.y+1*u
	wall := func(g float64) path {
		return path{{
			{x - 7*u - g, y - 6*u - g}, {x - 3.4*u + g, y - 6*u - g}, {x - 3.4*u + g, y - 3*u - g}, {x - 1.8*u - g, y - 3*u - g},
			{x - 1.8*u - g, y - 6*u - g}, {x + 1.8*u + g, y - 6*u - g}, {x + 1.8*u + g, y - 3*u - g}, {x + 3.4*u - g, y - 3*u - g},
			{x + 3.4*u - g, y - 6*u - g}, {x + 7*u + g, y - 6*u - g}, {x + 7*u + g, y + 6*u + g}, {x - 7*u - g, y + 6*u + g},
		}}
	}
	col := p.colourOr(f.Kind, "fort", "ink")
	halo := p.colour("halo")
	p.fill(wall(1.2*u), halo, 1)
	letter := halo
	switch {
	case wrecked:
		p.fill(wall(0), p.colourOr("wrecked", "faint"), 1)
		p.stroke([]point{{x - 7*u, y + 6*u}, {x + 7*u, y - 6*u}}, 4*u, halo, 1)
		p.stroke([]point{{x - 8*u, y + 7*u}, {x + 8*u, y - 7*u}}, 1.8*u, p.colour("ink"), 1)
		return
	case hollow:
		p.fill(wall(0), col, 1)
		p.fill(wall(-1.3*u), halo, 1)
		letter = col
	default:
		p.fill(wall(0), col, 1)
	}
	if f.Kind != "fort" {
		p.label(initial(f.Line), x, y+4.6*u, 0, bold, 7.6*u, letter)
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
		return "−" + itoa(-n)
	}
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}
