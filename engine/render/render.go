// Package render draws scenes: PNG pictures with a palette, SVG for print and
// zoom, and films; the printed map is kept from one picture to the next.
//
// It relies on the scene alone and knows no rule; colours, symbols and words
// come in a [Style]. The same scene gives the same bytes in the same binary.
package render

import (
	"image"
	"math"
	"sort"
	"strings"
	"sync"

	"pbemd/engine/hex"
	"pbemd/engine/scene"
)

// Size is how large a picture is drawn, in pixels between the centres of
// neighbouring hexes.
type Size int

// The usual sizes.
const (
	Small   Size = 52  // films, thumbnails
	Normal  Size = 80  // whole maps
	CloseUp Size = 104 // the surroundings of a battle, a sector
	Big     Size = 120 // print
)

// Printer draws scenes of one map in one style. It may be used by several
// goroutines; they draw one after the other and encode side by side.
type Printer struct {
	m     *scene.Map
	style Style

	mu    sync.Mutex
	paint *paint
	atlas *atlas
	tools *tools
	names map[Size][]name
	kept  []keptSheet // the latest last
}

// keptSheet is a map without the war on it.
type keptSheet struct {
	size  Size
	whole bool // with lettering and margin
	pen   *pen
	c     *canvas
}

// keep is how many maps are kept: whole and close-up of the usual sizes.
const keep = 3

// New makes a printer for a map.
func New(m *scene.Map, style Style) *Printer {
	return &Printer{m: m, style: style, paint: style.inks(), atlas: newAtlas(m), tools: newTools(), names: map[Size][]name{}}
}

// Bytes draws a scene as a PNG file.
func (p *Printer) Bytes(s scene.Scene, size Size) ([]byte, error) {
	m := p.Draw(s, size)
	b, err := Encode(m)
	p.mu.Lock()
	p.tools.spare = m.Pix // nobody else has it
	p.mu.Unlock()
	return b, err
}

// Prepare makes the printed map of whole maps of a size, and that of close-ups,
// before the first picture needs them.
func (p *Printer) Prepare(whole Size) {
	for _, k := range []struct {
		size  Size
		whole bool
	}{{CloseUp, false}, {whole, true}} {
		p.mu.Lock()
		p.sheet(k.size, k.whole)
		p.mu.Unlock()
	}
}

// Draw draws a scene: the whole map with its margins, or, when it has a focus,
// those hexes and what lies around them below a strip with title and scale.
func (p *Printer) Draw(s scene.Scene, size Size) *image.Paletted {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.draw(s, size, nil)
}

func (p *Printer) draw(s scene.Scene, size Size, wrote func(string, float64, float64, float64, float64)) *image.Paletted {
	if len(s.Focus) > 0 {
		return p.closeUp(s, size, wrote)
	}
	k := p.sheet(size, true)
	c := over(k.c)
	c.wrote = wrote
	w := &war{pen: *k.pen, s: &s}
	w.surface = c
	w.draw()
	w.heading(&s)
	return c.img
}

// pen draws on a surface over a sheet.
func (p *Printer) pen(s surface, sh sheet) *pen {
	return &pen{surface: s, sheet: sh, atlas: p.atlas, style: p.style, paint: p.paint}
}

// extent is the rectangle that the hexes fill on a sheet with its origin at 0.
func (p *Printer) extent(sh sheet) (x0, y0, x1, y1 float64) {
	x0, y0, x1, y1 = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	rx, ry := sh.reach()
	for _, h := range p.m.Hexes {
		k := sh.centre(h.At)
		x0, y0, x1, y1 = min(x0, k.x-rx), min(y0, k.y-ry), max(x1, k.x+rx), max(y1, k.y+ry)
	}
	return
}

// named are the names of a map at a size, on a sheet with its origin at 0.
func (p *Printer) named(size Size) []name {
	n, ok := p.names[size]
	if !ok {
		sh := newSheet(p.m.Grid, size)
		n = p.pen(nil, sh).names()
		p.names[size] = n
	}
	return n
}

// layout is where hexes, legend and margin lie in a whole map.
type layout struct {
	sheet
	legendX, legendY float64
	columns          int
	scaleX, scaleY   float64
	compX, compY     float64
}

func (p *Printer) layout(size Size) layout {
	l := layout{sheet: newSheet(p.m.Grid, size)}
	u := l.u()
	x0, y0, x1, y1 := p.extent(l.sheet)
	for _, n := range p.named(size) { // names in the margin
		a, b, c, d := n.shape().bounds()
		x0, y0, x1, y1 = min(x0, a-10*u), min(y0, b-10*u), max(x1, c+10*u), max(y1, d+10*u)
	}
	margin := 18 * u
	l.dx = math.Round(margin-x0) + .5
	l.dy = math.Round(84*u-y0) + .5
	l.w = int(x1 - x0 + 2*margin)
	l.h = int(y1 - y0 + 84*u + margin)
	q := p.pen(nil, l.sheet)
	rows := q.rows()
	w, h, _ := q.legendSize(rows, 1)
	l.columns = 1
	x, y := margin, float64(l.h)-margin-h
	l.legendX, l.legendY = x, y
	if q.free(x-4*u, y-62*u, x+w+6*u, float64(l.h)) {
		l.scaleX, l.scaleY = x+4*u, y-36*u
		l.compX, l.compY = x+w-22*u, y-32*u
		return l
	}
	// no room beside the hexes: a strip below them
	for l.columns = 1; l.columns < len(rows); l.columns++ {
		if w, _, _ := q.legendSize(rows, l.columns+1); w > float64(l.w)-2*margin-230*u {
			break
		}
	}
	w, h, _ = q.legendSize(rows, l.columns)
	l.legendX, l.legendY = margin, float64(l.h)
	l.scaleX, l.scaleY = margin+w+20*u, float64(l.h)+20*u
	l.compX, l.compY = l.scaleX+20*u, float64(l.h)+78*u
	l.h += int(max(h, 100*u) + margin)
	return l
}

// sheet is the map at a size, made once and kept.
func (p *Printer) sheet(size Size, whole bool) keptSheet {
	for i, k := range p.kept {
		if k.size == size && k.whole == whole {
			p.kept = append(append(p.kept[:i:i], p.kept[i+1:]...), k)
			return k
		}
	}
	l := p.layout(size)
	c := newCanvas(l.w, l.h, p.paint, p.paint.of(p.style.Colours["paper"]), p.tools)
	q := p.pen(c, l.sheet)
	q.terrain()
	if whole {
		p.margin(q, l)
	}
	k := keptSheet{size, whole, q, c}
	if len(p.kept) >= keep {
		p.kept = append(p.kept[:0:0], p.kept[len(p.kept)-keep+1:]...)
	}
	p.kept = append(p.kept, k)
	return k
}

// margin writes all there is on the printed map beyond the ground.
func (p *Printer) margin(q *pen, l layout) {
	q.lettering(p.named(Size(l.size)))
	q.places()
	q.legend(q.rows(), l.legendX, l.legendY, l.columns)
	q.scaleBar(l.scaleX, l.scaleY)
	q.compass(l.compX, l.compY)
}

// heading writes title, subtitle and the figures of the track.
func (w *war) heading(s *scene.Scene) {
	u := w.u()
	left := w.figures(s.Track, float64(w.w)-20*u, 14*u)
	room := left - 30*u
	fit := func(text string, f fount, size float64) float64 {
		if n := textWidth(text, f, size); n > room {
			size *= room / n
		}
		return size
	}
	w.label(s.Title, 22*u, 40*u, -1, bold, fit(s.Title, bold, 30*u), w.colour("ink"))
	size := fit(s.Subtitle, regular, 16*u)
	w.label(s.Subtitle, 22*u, 63*u, -1, regular, size, w.colour("ink"))
	w.key(22*u+textWidth(s.Subtitle, regular, size)+24*u, 58*u, left-12*u)
}

// key explains the shades of the scene, as far as there is room.
func (w *war) key(x, y, right float64) {
	u := w.u()
	seen := map[ink]string{}
	var order []ink
	for _, h := range w.s.Shades {
		c, ok := w.shade(h)
		if _, had := seen[c]; ok && !had && h.Text != "" {
			seen[c] = h.Text
			order = append(order, c)
		}
	}
	sort.SliceStable(order, func(i, j int) bool { return seen[order[i]] < seen[order[j]] })
	for _, c := range order {
		n := textWidth(seen[c], bold, 12*u) + 46*u
		if x+n > right {
			return
		}
		w.fill(box(x, y-8*u, x+26*u, y+8*u, 2*u), w.colour("grid"), 1)
		w.fill(box(x+u, y-7*u, x+25*u, y+7*u, 1.4*u), c, 1)
		w.label(seen[c], x+32*u, y+4.2*u, -1, bold, 12*u, w.colour("ink"))
		x += n
	}
}

// ControlView is a scene that shows who holds what and nothing else: every hex
// in the colour of its holder, with a letter.
func ControlView(s scene.Scene) scene.Scene {
	s.Stacks, s.Arrows, s.Bursts, s.Shades = nil, nil, nil, nil
	for _, h := range s.Control {
		letter := ""
		for _, r := range h.Side {
			letter = strings.ToUpper(string(r))
			break
		}
		s.Shades = append(s.Shades, scene.Shade{At: h.At, Level: 1, Kind: "control_" + h.Side, Text: letter})
	}
	return s
}

// window is the part of a sheet that a close-up shows.
func (p *Printer) window(s scene.Scene, sh sheet) image.Rectangle {
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, c := range s.Focus {
		k := sh.centre(c)
		x0, y0, x1, y1 = min(x0, k.x), min(y0, k.y), max(x1, k.x), max(y1, k.y)
	}
	m := .98 * sh.size
	x0, y0, x1, y1 = x0-m, y0-m, x1+m, y1+m
	if least := 4.6 * sh.size; x1-x0 < least { // the strip needs some room
		mid := (x0 + x1) / 2
		x0, x1 = mid-least/2, mid+least/2
	}
	return image.Rect(int(x0), int(y0), int(x1), int(y1))
}

// closeUp draws the focus of a scene alone.
func (p *Printer) closeUp(s scene.Scene, size Size, wrote func(string, float64, float64, float64, float64)) *image.Paletted {
	base := p.sheet(size, false)
	r := p.window(s, base.pen.sheet)
	sh := base.pen.sheet
	strip := int(62 * sh.u())
	c := newCanvas(r.Dx(), r.Dy()+strip, p.paint, p.paint.of(p.style.Colours["paper"]), p.tools)
	in := r.Intersect(base.c.img.Rect)
	for y := in.Min.Y; y < in.Max.Y; y++ {
		copy(c.img.Pix[c.img.PixOffset(in.Min.X-r.Min.X, y-r.Min.Y+strip):], base.c.img.Pix[base.c.img.PixOffset(in.Min.X, y):base.c.img.PixOffset(in.Min.X, y)+in.Dx()])
	}
	sh.dx -= float64(r.Min.X)
	sh.dy += float64(strip - r.Min.Y)
	sh.w, sh.h = r.Dx(), r.Dy()+strip
	c.wrote = wrote
	p.near(p.pen(c, sh), s, float64(strip))
	return c.img
}

// near draws a close-up over its ground: what lies in the window, and the strip.
func (p *Printer) near(q *pen, s scene.Scene, strip float64) {
	u := q.u()
	rx, ry := q.reach()
	seen := func(c hex.Coord) bool {
		k := q.centre(c)
		return k.x+rx > 0 && k.x-rx < float64(q.w) && k.y+ry > strip && k.y-ry < float64(q.h)
	}
	whole := func(c hex.Coord) bool { // far enough from the edge for words
		k := q.centre(c)
		return k.x-30*u > 0 && k.x+30*u < float64(q.w) && k.y-46*u > strip && k.y+36*u < float64(q.h)
	}
	icon := func(c hex.Coord) bool { // room for what stands beside its counters
		k := q.centre(c)
		return k.x+22*u > 0 && k.x+41*u < float64(q.w) && k.y-26*u > strip && k.y+10*u < float64(q.h)
	}
	m := *p.m
	m.Hexes = pick(m.Hexes, func(h scene.Hex) bool { return whole(h.At) })
	m.Places = pick(m.Places, func(v scene.Place) bool {
		k := q.centre(v.At)
		n := textWidth(v.Name, bold, 11.5*u)/2 + 24*u
		return whole(v.At) && k.x-n > 0 && k.x+n < float64(q.w)
	})
	m.Forts = pick(m.Forts, func(v scene.Fort) bool { return icon(v.At) })
	a := *q.atlas
	a.m = &m
	q.atlas = &a
	var names []name
	for _, n := range p.named(Size(q.size)) {
		if _, y0, _, _ := n.shape().bounds(); y0+q.dy > strip+2 {
			names = append(names, n)
		}
	}
	q.lettering(names)
	q.places()
	w := &war{pen: *q, s: &s}
	s.Control = pick(s.Control, func(v scene.Holding) bool { return seen(v.At) })
	s.Shades = pick(s.Shades, func(v scene.Shade) bool { return seen(v.At) })
	for i, v := range s.Shades { // pick has made a copy
		if k := q.centre(v.At); k.x-42*u < 0 || k.x-20*u > float64(q.w) || k.y-12*u < strip || k.y+12*u > float64(q.h) {
			s.Shades[i].Text = ""
		}
	}
	s.Stacks = pick(s.Stacks, func(v scene.Stack) bool { return seen(v.At) })
	s.Markers = pick(s.Markers, func(v scene.Marker) bool { return icon(v.At) })
	s.Bursts = pick(s.Bursts, func(v scene.Burst) bool { return whole(v.At) })
	s.Arrows = pick(s.Arrows, func(v scene.Arrow) bool {
		for _, c := range v.Path {
			if seen(c) {
				return true
			}
		}
		return false
	})
	w.draw()
	// the strip
	wide := float64(q.w)
	q.fill(box(0, 0, wide, strip, 0), q.colour("paper"), 1)
	q.fill(box(0, strip-1.5*u, wide, strip, 0), q.colour("grid"), 1)
	scaleX := wide - 182*u
	q.scaleBar(scaleX, 20*u)
	room := scaleX - 26*u
	fit := func(text string, f fount, size float64) float64 {
		if n := textWidth(text, f, size); n > room {
			size *= room / n
		}
		return size
	}
	sub := s.Subtitle
	for _, f := range s.Track {
		if strings.Contains(sub, f.Label+" "+f.Value) {
			continue
		}
		if more := sub + " · " + f.Label + " " + f.Value; textWidth(more, regular, 12.5*u) <= room {
			sub = more
		}
	}
	q.label(s.Title, 14*u, 29*u, -1, bold, fit(s.Title, bold, 22*u), q.colour("ink"))
	q.label(sub, 14*u, 49*u, -1, regular, fit(sub, regular, 12.5*u), q.colour("ink"))
}

func pick[T any](list []T, keep func(T) bool) []T {
	var out []T
	for _, v := range list {
		if keep(v) {
			out = append(out, v)
		}
	}
	return out
}

// Around lists the hexes of the map within a distance of a hex.
func Around(m *scene.Map, c hex.Coord, n int) []hex.Coord {
	var out []hex.Coord
	for _, h := range m.Hexes {
		if m.Grid.Distance(c, h.At) <= n {
			out = append(out, h.At)
		}
	}
	return out
}

// Area lists the hexes of the map in the rectangle that two hexes span as
// corners.
func Area(m *scene.Map, a, b hex.Coord) []hex.Coord {
	ax, ay := m.Grid.Centre(a)
	bx, by := m.Grid.Centre(b)
	const slack = .51 // rows are staggered by half a hex
	x0, x1, y0, y1 := min(ax, bx), max(ax, bx), min(ay, by), max(ay, by)
	if m.Grid == hex.Columns {
		y0, y1 = y0-slack, y1+slack
		x0, x1 = x0-.01, x1+.01
	} else {
		x0, x1 = x0-slack, x1+slack
		y0, y1 = y0-.01, y1+.01
	}
	var out []hex.Coord
	for _, h := range m.Hexes {
		x, y := m.Grid.Centre(h.At)
		if x >= x0 && x <= x1 && y >= y0 && y <= y1 {
			out = append(out, h.At)
		}
	}
	return out
}
