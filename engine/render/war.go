package render

import (
	"math"
	"sort"
	"strconv"

	"pbemd/engine/hex"
	"pbemd/engine/scene"
)

// war draws what changes: control, front, counters, markers, arrows.
type war struct {
	pen
	s *scene.Scene
}

func (w *war) draw() {
	if len(w.s.Shades) > 0 {
		w.shades()
		w.lettering(nil) // and again what they cover
		w.places()
	}
	w.control()
	w.wrecks()
	arrows := w.arrows()
	for _, a := range arrows {
		if under(a) {
			w.arrowOf(a)
		}
	}
	for _, st := range w.s.Stacks {
		w.stack(st)
	}
	w.hedgehogs()
	for _, a := range arrows {
		if !under(a) {
			w.arrowOf(a)
		}
	}
	for _, b := range w.s.Bursts {
		k := w.centre(b.At)
		u := w.u()
		w.burst(k.x-33*u, k.y-27*u, 14.5*u, b.Result)
	}
}

// under says of an arrow that it is drawn below the counters.
func under(a scene.Arrow) bool { return a.Kind == "move" || a.Kind == "sea" || a.Kind == "air" }

// arrows are those of the scene, each way but once: a stack that moves as one
// comes as an arrow for every unit.
func (w *war) arrows() []scene.Arrow {
	seen := map[string]bool{}
	return pick(w.s.Arrows, func(a scene.Arrow) bool {
		k := a.Kind
		for _, c := range a.Path {
			k += " " + c.String()
		}
		had := seen[k]
		seen[k] = true
		return !had
	})
}

// shades colours hexes by a level, and says it in figures as well.
func (w *war) shades() {
	u := w.u()
	for _, h := range w.s.Shades {
		col, ok := w.shade(h)
		if !ok {
			continue
		}
		w.wash(h.At, col, washed)
		if h.Text != "" {
			k := w.centre(h.At)
			w.text(h.Text, k.x-31*u, k.y+4*u, 0, bold, 11.5*u, w.colour("ink"), w.colour("halo"))
		}
	}
}

// shade is the colour of a shade.
func (w *war) shade(h scene.Shade) (ink, bool) {
	level := strconv.Itoa(min(max(h.Level, 0), 5))
	for _, n := range []string{h.Kind + "_" + level, "shade_" + level} {
		if w.has(n) {
			return w.colour(n), true
		}
	}
	return 0, false
}

// wash lays an ink over a hex.
func (w *war) wash(h hex.Coord, col ink, strength float64) {
	if c, ok := w.surface.(*canvas); ok {
		k := w.centre(h)
		c.press(w.hexStamp(c), int(k.x), int(k.y), col, strength)
		return
	}
	w.fill(hexPath(w.corners(h)), col, strength)
}

// control screens what a side with a screen in the palette holds beyond its own
// country, and draws the front: both read without colour.
func (w *war) control() {
	owner := make(map[hex.Coord]string, len(w.s.Control))
	for _, h := range w.s.Control {
		owner[h.At] = h.Side
	}
	for _, h := range w.s.Control {
		if !w.has(h.Side+"_screen") || w.home[h.At] || len(w.s.Shades) > 0 {
			continue
		}
		w.heldHex(h.At)
	}
	// the front keeps the same side on its left, so that its teeth point one way
	var sides [][2]point
	for _, h := range w.s.Control {
		if !w.has(h.Side + "_screen") {
			continue
		}
		for d := hex.Direction(0); d < 6; d++ {
			if o, ok := owner[w.grid.Neighbour(h.At, d)]; ok && o != h.Side {
				a, b := w.side(h.At, d)
				sides = append(sides, [2]point{a, b})
			}
		}
	}
	if len(sides) == 0 {
		for _, h := range w.s.Control {
			for d := hex.Direction(0); d < 3; d++ {
				if o, ok := owner[w.grid.Neighbour(h.At, d)]; ok && o != h.Side {
					a, b := w.side(h.At, d)
					sides = append(sides, [2]point{a, b})
				}
			}
		}
	}
	u := w.u()
	for _, l := range sides {
		w.stroke(l[:], 6.4*u, w.colour("front_edge"), 1)
	}
	for _, l := range sides {
		w.frontLine(l[:], false)
	}
}

// held tints and screens a shape that a side holds.
func (w *war) held(shape path) {
	col := w.colourOr("axis_screen", "axis_tint")
	w.fill(shape, col, heldTint)
	w.screen(shape, col, heldDots, w.screenStep())
}

// How strongly hexes are tinted, screened and shaded.
const heldTint, heldDots, washed = .14, .36, .8

// screenStep divides the width of a hex, so that all are screened alike.
func (w *war) screenStep() int { return max(4, int(w.size/5+.5)) }

// heldHex is held for a whole hex.
func (w *war) heldHex(h hex.Coord) {
	c, ok := w.surface.(*canvas)
	if !ok {
		w.held(hexPath(w.corners(h)))
		return
	}
	k := w.centre(h)
	col := w.colourOr("axis_screen", "axis_tint")
	c.pressDotted(w.hexStamp(c), int(k.x), int(k.y), col, heldTint, heldTint+heldDots, w.screenStep())
}

// hexStamp is the shape of every hex of the sheet.
func (w *war) hexStamp(c *canvas) *stamp {
	k := [2]int{int(w.sx), int(w.sy*1000) + 1}
	s := c.tools.shades[k]
	if s == nil {
		v := *w
		v.dx, v.dy = .5, .5
		for _, h := range w.m.Hexes {
			mid := v.centre(h.At)
			v.dx, v.dy = .5-mid.x+.5, .5-mid.y+.5
			s = c.stampOf(hexPath(v.corners(h.At)))
			break
		}
		c.tools.shades[k] = s
	}
	return s
}

// frontLine draws a piece of the front with its tooth; edge says whether with
// its light rim.
func (w *war) frontLine(l []point, edge bool) {
	u := w.u()
	if edge {
		w.stroke(l, 6.4*u, w.colour("front_edge"), 1)
	}
	col := w.colour("front")
	w.stroke(l, 3*u, col, 1)
	a, b := l[0], l[1]
	d := math.Hypot(b.x-a.x, b.y-a.y)
	tx, ty := (b.x-a.x)/d, (b.y-a.y)/d
	nx, ny := ty, -tx
	m := point{(a.x + b.x) / 2, (a.y + b.y) / 2}
	w.fill(path{{{m.x - tx*4.5*u, m.y - ty*4.5*u}, {m.x + nx*6.5*u, m.y + ny*6.5*u}, {m.x + tx*4.5*u, m.y + ty*4.5*u}}}, col, 1)
}

func (w *war) wrecks() {
	for _, m := range w.s.Markers {
		if m.Kind != "wrecked" && m.Kind != "inactive" {
			continue
		}
		if f, ok := w.forts[m.At]; ok {
			w.fort(w.centre(m.At), f, m.Kind == "inactive", m.Kind == "wrecked")
		}
	}
}

func (w *war) hedgehogs() {
	u := w.u()
	for _, m := range w.s.Markers {
		k := w.centre(m.At)
		switch m.Kind {
		case "hedgehog":
			w.hedgehog(k.x+31*u, k.y-15*u)
		case "source":
			w.spring(k.x-31*u, k.y-14*u)
		case "oos", "air":
			w.badge(k.x-31*u, k.y+14*u, m.Kind)
		case "msu", "cavalry":
			w.text(w.style.wordOr("marker."+m.Kind, spaced(m.Kind)), k.x, k.y+14*u, 0, bold, 10*u, w.colour("ink"), w.colour("halo"))
		}
	}
}

func (w *war) hedgehog(x, y float64) {
	u := w.u()
	w.fill(star(x, y, 10.4*u, 5.6*u, 9), w.colour("halo"), 1)
	w.fill(star(x, y, 8.8*u, 4.2*u, 9), w.colour("hedgehog"), 1)
	w.fill(disc(x, y, 2*u), w.colour("halo"), 1)
}

// spring marks a hex that supplies.
func (w *war) spring(x, y float64) {
	u := w.u()
	w.fill(star(x, y, 8.6*u, 4.4*u, 5), w.colour("halo"), 1)
	w.fill(star(x, y, 6.8*u, 2.9*u, 5), w.colour("ink"), 1)
}

func (w *war) badge(x, y float64, kind string) {
	u := w.u()
	col, word := w.colour("oos"), "!"
	if kind == "air" {
		col, word = w.colour("air"), "A"
	}
	w.fill(disc(x, y, 7*u), w.colour("halo"), 1)
	w.fill(disc(x, y, 6*u), col, 1)
	w.label(word, x, y+3.7*u, 0, bold, 10*u, w.colour("ink"))
}

// count is the badge that says how many lie in a stack.
func (w *war) count(x, y float64, n int) {
	u := w.u()
	w.fill(disc(x, y, 7.6*u), w.colour("halo"), 1)
	w.fill(disc(x, y, 6.8*u), w.colour("ink"), 1)
	w.label(itoa(n), x, y+3.7*u, 0, bold, 10.4*u, w.colour("halo"))
}

const (
	counterSide = 46 // units
	counterRise = 7  // of its middle above that of the hex
	stackX      = 3.6
	stackY      = 1.8
)

// stack draws the counters of a hex, the top one whole, those beneath as edges.
func (w *war) stack(st scene.Stack) {
	u := w.u()
	k := w.centre(st.At)
	n := len(st.Counters)
	if n == 0 {
		return
	}
	shown := min(n, 4)
	if st.More {
		shown = max(shown, 2)
	}
	dx, dy := math.Round(stackX*u), math.Max(1, math.Round(stackY*u))
	side := math.Round(counterSide * u)
	x := math.Round(k.x - side/2 - dx*float64(shown-1)/2)
	y := math.Round(k.y - side/2 - counterRise*u + dy*float64(shown-1)/2)
	w.shadow(x, y, side)
	for i := shown - 1; i > 0; i-- {
		c := st.Counters[min(i, n-1)]
		w.blank(x+dx*float64(i), y-dy*float64(i), side, st.Side, c, i >= n)
	}
	w.counter(x, y, side, st.Side, st.Counters[0])
	right := x + side + dx*float64(shown-1)
	switch {
	case n > 1:
		w.count(right+1.5*u, y+side-2*u, n)
	case st.More:
		w.fill(disc(right-2*u, y+side-4*u, 6.6*u), w.colour("halo"), 1)
		w.label("+", right-2*u, y+side-.4*u, 0, bold, 11*u, w.colour("ink"))
	}
	var badges []string
	for _, c := range st.Counters { // what ails any of them
		for _, b := range c.Badges {
			if b == "oos" || b == "air" {
				badges = append(badges, b)
			}
		}
	}
	sort.Strings(badges)
	at := y + side - 7*u
	for i, b := range badges {
		if i > 0 && badges[i-1] == b {
			continue
		}
		w.badge(x-4*u, at, b)
		at -= 13 * u
	}
}

// livery is the ground and ink of a counter.
func (w *war) livery(c scene.Counter) (ground, ink uint8) {
	name := c.Nation
	if n := c.Nation + "_" + c.Class; w.has(n) {
		name = n
	} else if n := c.Nation + "_leg"; !w.has(name) && w.has(n) {
		name = n
	}
	return w.colourOr(name, "halo"), w.colourOr(name+"_ink", "ink")
}

// shape is a counter's outline: sides that the palette marks round have round
// corners, the others straight ones.
func (w *war) counterShape(x, y, side float64, of string) path {
	if w.style.Shapes[of] == "round" {
		return box(x, y, x+side, y+side, side*.17)
	}
	return box(x, y, x+side, y+side, side*.03)
}

func (w *war) shadow(x, y, side float64) {
	u := w.u()
	if c, ok := w.surface.(*canvas); ok {
		k := [2]int{int(side), 0}
		s := c.tools.shades[k]
		if s == nil {
			s = c.stampOf(box(0, 0, side, side, 4*u))
			c.tools.shades[k] = s
		}
		c.press(s, int(x+math.Round(2*u)), int(y+math.Round(2*u)), w.colour("shadow"), .4)
		return
	}
	w.fill(box(x+2*u, y+2*u, x+side+2*u, y+side+2*u, 4*u), w.colour("shadow"), .4)
}

// faced draws through a sprite that is made once for a face.
func (w *war) faced(key string, x, y, side float64, of string, draw func(w *war, x, y float64)) {
	c, ok := w.surface.(*canvas)
	if !ok {
		draw(w, x, y)
		return
	}
	s := c.tools.faces[key]
	if s == nil {
		if len(c.tools.faces) > 2000 { // more faces than any game has at once
			clear(c.tools.faces)
		}
		n := int(side)
		small := newCanvas(n, n, c.paint, w.colour("edge"), c.tools)
		v := *w
		v.surface = small
		draw(&v, 0, 0)
		s = &sprite{w: n, h: n, pix: small.img.Pix, mask: make([]uint8, n*n)}
		r, m := c.cover(w.counterShape(0, 0, side, of), small.img.Rect)
		for yy := r.Min.Y; yy < r.Max.Y; yy++ {
			copy(s.mask[yy*n+r.Min.X:yy*n+r.Max.X], m[(yy-r.Min.Y)*r.Dx():])
		}
		c.tools.faces[key] = s
	}
	c.put(s, int(x), int(y))
}

func (w *war) blank(x, y, side float64, of string, c scene.Counter, unknown bool) {
	ground, ink := w.livery(c)
	if unknown {
		ground = w.colour("faint")
	}
	w.faced("blank|"+strconv.Itoa(int(ground))+"|"+strconv.Itoa(int(side))+of, x, y, side, of, func(w *war, x, y float64) {
		w.ground(x, y, side, of, ground, ink)
	})
}

func (w *war) ground(x, y, side float64, of string, ground, ink uint8) {
	u := side / counterSide
	w.fill(w.counterShape(x, y, side, of), w.colour("edge"), 1)
	w.fill(w.counterShape(x+1.2*u, y+1.2*u, side-2.4*u, of), ground, 1)
	// a light upper edge, as of thick card
	w.fill(box(x+3*u, y+1.2*u, x+side-3*u, y+2.1*u, 0), w.colour("halo"), .35)
}

func (w *war) counter(x, y, side float64, of string, c scene.Counter) {
	key := c.ID + "|" + c.Nation + "|" + c.Class + "|" + c.Symbol + "|" + c.Size + "|" + c.Face + "|" +
		strconv.Itoa(c.Steps) + "/" + strconv.Itoa(c.Max) + "|" + of + strconv.Itoa(int(side))
	w.faced(key, x, y, side, of, func(w *war, x, y float64) { w.face(x, y, side, of, c) })
}

// face draws a counter: name and size above, symbol in the middle with a pip
// for every step, factors below.
func (w *war) face(x, y, side float64, of string, c scene.Counter) {
	ground, ink := w.livery(c)
	u := side / counterSide
	w.ground(x, y, side, of, ground, ink)
	size := 10 * u
	room := side - 8*u
	if c.Size != "" && c.Size != "none" {
		n := textWidth(c.Size, bold, 6.6*u)
		w.label(c.Size, x+side-3.4*u, y+9.6*u, 1, bold, 6.6*u, ink)
		room -= n + 1.5*u
	}
	if n := textWidth(c.ID, bold, size); n > room {
		size *= room / n
	}
	w.label(c.ID, x+3.4*u, y+10.4*u, -1, bold, size, ink)
	w.symbol(x+side/2, y+side/2-2*u, 23*u, 14.5*u, c, ground, ink)
	if c.Face != "" {
		size := 14 * u
		if n := textWidth(c.Face, bold, size); n > side-6*u {
			size *= (side - 6*u) / n
		}
		w.label(c.Face, x+side/2, y+side-4*u, 0, bold, size, ink)
	}
	if c.Max > 1 && c.Steps > 0 { // steps: full pips those it has, rings those lost
		gap := min(4.6*u, 17*u/float64(c.Max))
		top := y + side/2 - 2*u + gap*float64(c.Max-1)/2
		for i := 0; i < c.Max; i++ {
			py := top - float64(i)*gap
			if i < c.Steps {
				w.fill(disc(x+side-5.4*u, py, min(1.7*u, gap*.42)), ink, 1)
			} else {
				w.fill(ring(x+side-5.4*u, py, min(1.4*u, gap*.34), min(1.4*u, gap*.34), .7*u), ink, .75)
			}
		}
	}
}

// symbol draws the unit box after the NATO manner.
func (w *war) symbol(x, y, bw, bh float64, c scene.Counter, ground, ink uint8) {
	x0, y0, x1, y1 := x-bw/2, y-bh/2, x+bw/2, y+bh/2
	t := bw / 15
	w.frame(x0, y0, x1, y1, t, ink)
	for _, part := range parts(w.style.Symbols[c.Symbol]) {
		switch part {
		case "cross":
			w.stroke([]point{{x0, y0}, {x1, y1}}, t, ink, 1)
			w.stroke([]point{{x0, y1}, {x1, y0}}, t, ink, 1)
		case "slash":
			w.stroke([]point{{x0, y1}, {x1, y0}}, t, ink, 1)
		case "oval":
			w.fill(ring(x, y, bw*.31, bh*.27, t), ink, 1)
		case "dot":
			w.fill(disc(x, y, bh*.2), ink, 1)
		case "triangle":
			w.fill(path{{{x, y1 - bh*.42}, {x + bw*.14, y1 - t/2}, {x - bw*.14, y1 - t/2}}}, ink, 1)
		case "bar":
			w.fill(box(x0, y0, x0+t*2.6, y1, 0), ink, 1)
		case "wheels":
			for _, d := range []float64{-.26, 0, .26} {
				w.fill(disc(x+bw*d, y1+t*1.5, t*1.1), ink, 1)
			}
		case "anchor":
			w.stroke([]point{{x, y0 + t}, {x, y1 - t}}, t*1.2, ink, 1)
			w.stroke([]point{{x - bw*.16, y1 - bh*.32}, {x, y1 - bh*.12}, {x + bw*.16, y1 - bh*.32}}, t*1.1, ink, 1)
		case "wings":
			w.stroke([]point{{x - bw*.2, y1 - t*1.2}, {x - bw*.1, y1 - t*2.8}, {x, y1 - t*1.2}, {x + bw*.1, y1 - t*2.8}, {x + bw*.2, y1 - t*1.2}}, t, ink, 1)
		case "fort":
			w.stroke([]point{{x - bw*.2, y1 - t*.8}, {x - bw*.2, y1 - t*2.8}, {x + bw*.2, y1 - t*2.8}, {x + bw*.2, y1 - t*.8}}, t, ink, 1)
		default:
			s := part
			if len(s) > 8 && s[:8] == "letters:" {
				s = s[8:]
			}
			n := textWidth(s, bold, bh*.66)
			w.fill(box(x-n/2-t*.6, y-bh*.33, x+n/2+t*.6, y+bh*.33, 0), ground, 1)
			w.label(s, x, y+bh*.25, 0, bold, bh*.66, ink)
		}
	}
}

func parts(s string) []string {
	var out []string
	for start, i := 0, 0; i <= len(s); i++ {
		if i == len(s) || s[i] == '+' {
			if i > start {
				out = append(out, s[start:i])
			}
			start = i + 1
		}
	}
	return out
}

func (w *war) frame(x0, y0, x1, y1, t float64, col uint8) {
	w.fill(box(x0-t/2, y0-t/2, x1+t/2, y0+t/2, 0), col, 1)
	w.fill(box(x0-t/2, y1-t/2, x1+t/2, y1+t/2, 0), col, 1)
	w.fill(box(x0-t/2, y0, x0+t/2, y1, 0), col, 1)
	w.fill(box(x1-t/2, y0, x1+t/2, y1, 0), col, 1)
}

func (w *war) arrowOf(a scene.Arrow) {
	if len(a.Path) < 2 {
		return
	}
	u := w.u()
	l := make([]point, len(a.Path))
	for i, c := range a.Path {
		l[i] = w.centre(c)
		l[i].y -= counterRise * u
	}
	first, second := l[0], l[1]
	last, prev := l[len(l)-1], l[len(l)-2]
	start, stop := 0.0, 25*u
	if !under(a) {
		start, stop = 25*u, 23*u
	}
	d := math.Hypot(second.x-first.x, second.y-first.y)
	if d > 0 {
		l[0] = point{first.x + (second.x-first.x)/d*start, first.y + (second.y-first.y)/d*start}
	}
	d = math.Hypot(last.x-prev.x, last.y-prev.y)
	if d > 0 {
		l[len(l)-1] = point{last.x - (last.x-prev.x)/d*stop, last.y - (last.y-prev.y)/d*stop}
	}
	w.arrow(a.Kind, smooth(l))
}

// arrow draws a line with its head; the kinds differ in breadth and pattern as
// well as colour: moves thin, assaults broad, retreats dashed, advances hollow.
func (w *war) arrow(kind string, l []point) {
	u := w.u()
	name, width, head := "move", 3.2*u, 7.5*u
	switch kind {
	case "assault", "mobile":
		name, width, head = "assault", 7*u, 11*u
	case "retreat":
		name, width, head = "retreat", 4*u, 8.5*u
	case "advance":
		name, width, head = "advance", 6*u, 9.5*u
	}
	col, halo := w.colour(name), w.colour("halo")
	tip := l[len(l)-1]
	_, a := along(l, max(0, length(l)-head*.6))
	s, c := math.Sincos(a)
	long := head * 1.45
	wings := func(g float64) path {
		return path{{
			{tip.x + c*g*1.6, tip.y + s*g*1.6},
			{tip.x - c*(long+g) - s*(head+g), tip.y - s*(long+g) + c*(head+g)},
			{tip.x - c*(long+g) + s*(head+g), tip.y - s*(long+g) - c*(head+g)},
		}}
	}
	body := cut(l, long*.9)
	w.stroke(body, width+2.8*u, halo, .9)
	w.fill(wings(1.7*u), halo, .9)
	switch name {
	case "retreat":
		for _, k := range dashes(body, 6*u, 4.5*u) {
			w.stroke(k, width, col, 1)
		}
	case "assault":
		w.fill(taper(body, width*.55, width*1.15), col, 1)
	default:
		w.stroke(body, width, col, 1)
	}
	w.fill(wings(0), col, 1)
	if name == "advance" {
		w.stroke(body, width-3.2*u, halo, 1)
		w.fill(path{{
			{tip.x - c*3.6*u, tip.y - s*3.6*u},
			{tip.x - c*(long-1.8*u) - s*(head-3.4*u), tip.y - s*(long-1.8*u) + c*(head-3.4*u)},
			{tip.x - c*(long-1.8*u) + s*(head-3.4*u), tip.y - s*(long-1.8*u) - c*(head-3.4*u)},
		}}, halo, 1)
	}
}

// cut shortens a line at its end.
func cut(l []point, by float64) []point {
	for len(l) > 1 {
		a, b := l[len(l)-2], l[len(l)-1]
		d := math.Hypot(b.x-a.x, b.y-a.y)
		if d > by {
			out := append([]point(nil), l[:len(l)-1]...)
			return append(out, point{b.x - (b.x-a.x)*by/d, b.y - (b.y-a.y)*by/d})
		}
		by -= d
		if len(l) == 2 {
			return l
		}
		l = l[:len(l)-1]
	}
	return l
}

// burst marks a battle with its result.
func (w *war) burst(x, y, r float64, result string) {
	u := w.u()
	w.fill(star(x, y, r+3*u, r*.74+2*u, 11), w.colour("halo"), .9)
	w.fill(star(x, y, r+1*u, r*.74, 11), w.colour("burst_edge"), 1)
	w.fill(star(x, y, r-1.4*u, r*.74-2*u, 11), w.colour("burst"), 1)
	size := 10.5 * u
	if n := textWidth(result, bold, size); n > r*1.5 {
		size *= r * 1.5 / n
	}
	w.label(result, x, y+size*.36, 0, bold, size, w.colour("ink"))
}
