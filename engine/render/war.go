package render

import (
	"math"

	"pbemd/engine/hex"
	"pbemd/engine/scene"
)

// war draws what changes: control, front, counters, markers, arrows.
type war struct {
	printed
	s *scene.Scene
}

func (w *war) draw() {
	w.control()
	w.markers(false)
	w.arrows()
	for _, st := range w.s.Stacks {
		w.stack(st)
	}
	w.markers(true)
	w.bursts()
}

// control tints what the Axis holds on land that was not its own and draws the
// front: hatching beside the tint, so that it reads without colour.
func (w *war) control() {
	owner := map[hex.Coord]string{}
	for _, h := range w.s.Control {
		owner[h.At] = h.Side
	}
	home := map[hex.Coord]bool{}
	for _, r := range w.m.Regions {
		for _, c := range r.Hexes {
			home[c] = true
		}
	}
	tint := w.colour("axis_tint")
	u := w.size / 80
	for _, h := range w.s.Control {
		if h.Side != "axis" || home[h.At] {
			continue
		}
		k := w.corners(h.At)
		w.fill(hexPath(k), tint, .20)
		c := w.centre(h.At)
		for i := -2; i <= 2; i++ { // hatching, clipped to the hex
			x := c.x + float64(i)*w.size/5
			half := w.size*corner - math.Abs(float64(i))*w.size/5*0.5774
			w.line([]point{{x, c.y - half}, {x, c.y + half}}, .8*u, tint, .22)
		}
	}
	var lines [][2]point
	for _, h := range w.s.Control {
		for d := hex.Direction(0); d < 3; d++ {
			o, ok := owner[w.grid.Neighbour(h.At, d)]
			if ok && o != h.Side {
				a, b := w.side(h.At, d)
				lines = append(lines, [2]point{a, b})
			}
		}
	}
	for _, l := range lines {
		w.line(l[:], 6*u, w.colour("front_edge"), 1)
	}
	for _, l := range lines {
		w.line(l[:], 3*u, w.colour("front"), 1)
	}
}

func (w *war) markers(above bool) {
	forts := map[hex.Coord]scene.Fort{}
	for _, f := range w.m.Forts {
		forts[f.At] = f
	}
	u := w.size / 80
	for _, m := range w.s.Markers {
		k := w.centre(m.At)
		switch m.Kind {
		case "wrecked", "inactive":
			if above {
				continue
			}
			f, ok := forts[m.At]
			if !ok {
				continue
			}
			w.fort(f, "wrecked", 1)
			if m.Kind == "wrecked" {
				w.line([]point{{k.x + 13*u, k.y + 9*u}, {k.x + 37*u, k.y + 24*u}}, 2.4*u, w.colour("ink"), .9)
			}
		case "hedgehog":
			if !above {
				continue
			}
			x, y := k.x+22*u, k.y-24*u
			w.fill(disc(x, y, 9*u), w.colour("halo"), 1)
			for i := 0; i < 8; i++ {
				a := float64(i) * math.Pi / 4
				w.line([]point{{x, y}, {x + 8*u*math.Cos(a), y + 8*u*math.Sin(a)}}, 2.2*u, w.colour("hedgehog"), 1)
			}
			w.fill(disc(x, y, 4*u), w.colour("hedgehog"), 1)
		}
	}
}

// stack draws the counters of a hex, the top one whole, those beneath as edges.
func (w *war) stack(st scene.Stack) {
	u := w.size / 80
	k := w.centre(st.At)
	n := len(st.Counters)
	side := 50 * u
	shift := 4.2 * u
	shown := min(n, 4)
	k.x -= shift * float64(shown-1) / 2
	k.y += shift*float64(shown-1)/2 - 2*u
	if st.More && n == 1 { // something may lie beneath
		w.blank(k.x+2.6*u, k.y-2.6*u, side, st.Counters[0])
	}
	for i := shown - 1; i >= 0; i-- {
		c := st.Counters[i]
		w.counter(k.x+shift*float64(i), k.y-shift*float64(i), side, c)
	}
	if n > 1 {
		x, y := k.x+side/2+shift*float64(shown-1)-2*u, k.y+side/2-3*u
		w.fill(disc(x, y, 8*u), w.colour("ink"), 1)
		w.text(itoa(n), x, y+4*u, 0, true, 11*u, w.colour("halo"))
	}
}

// livery is the ground and ink of a counter.
func (w *war) livery(c scene.Counter) (ground, ink uint8) {
	name := c.Nation
	switch c.Nation {
	case "german", "soviet":
		if c.Class == "mech" {
			name += "_mech"
		} else {
			name += "_leg"
		}
	}
	return w.colour(name), w.colour(name + "_ink")
}

func (w *war) blank(x, y, side float64, c scene.Counter) {
	ground, _ := w.livery(c)
	h := side / 2
	w.fill(box(x-h, y-h, x+h, y+h, side*.09), w.colour("edge"), 1)
	w.fill(box(x-h+1, y-h+1, x+h-1, y+h-1, side*.08), ground, 1)
}

func (w *war) counter(x, y, side float64, c scene.Counter) {
	ground, ink := w.livery(c)
	h := side / 2
	u := side / 50
	w.fill(box(x-h+2*u, y-h+2.4*u, x+h+2*u, y+h+2.4*u, 5*u), w.colour("shadow"), .35)
	w.fill(box(x-h, y-h, x+h, y+h, 4.5*u), w.colour("edge"), 1)
	w.fill(box(x-h+1.2*u, y-h+1.2*u, x+h-1.2*u, y+h-1.2*u, 3.6*u), ground, 1)
	// name above, symbol in the middle, factors below
	w.text(c.ID, x-h+3.2*u, y-h+11*u, -1, true, 10.5*u, ink)
	if c.Size != "" && c.Size != "none" {
		w.text(c.Size, x+h-3*u, y-h+10.4*u, 1, false, 8*u, ink)
	}
	w.symbol(x, y-1.6*u, 24*u, 14.5*u, c, ground, ink)
	if c.Face != "" {
		w.text(c.Face, x, y+h-4.2*u, 0, true, 14.5*u, ink)
	}
	if c.Max > 1 && c.Steps > 0 { // pips for steps
		for i := 0; i < c.Max; i++ {
			py := y - 1.6*u + 7.2*u - float64(i)*4.8*u
			strength := .25
			if i < c.Steps {
				strength = 1
			}
			w.fill(disc(x+h-5.2*u, py, 1.7*u), ink, strength)
		}
	}
	for i, b := range c.Badges {
		col := w.colour("oos")
		word := "!"
		if b == "air" {
			col, word = w.colour("air"), "A"
		}
		bx, by := x-h+3*u+float64(i)*13*u, y+h-1*u
		w.fill(disc(bx, by, 7*u), w.colour("halo"), 1)
		w.fill(disc(bx, by, 6*u), col, 1)
		w.text(word, bx, by+3.6*u, 0, true, 10*u, w.colour("halo"))
	}
}

// symbol draws the unit box after the NATO manner.
func (w *war) symbol(x, y, bw, bh float64, c scene.Counter, ground, ink uint8) {
	x0, y0, x1, y1 := x-bw/2, y-bh/2, x+bw/2, y+bh/2
	t := bw / 17
	w.frame(x0, y0, x1, y1, t, ink)
	for _, part := range parts(w.style.Symbols[c.Symbol]) {
		switch {
		case part == "cross":
			w.line([]point{{x0, y0}, {x1, y1}}, t, ink, 1)
			w.line([]point{{x0, y1}, {x1, y0}}, t, ink, 1)
		case part == "slash":
			w.line([]point{{x0, y1}, {x1, y0}}, t, ink, 1)
		case part == "oval":
			w.ring(x, y, bw*.30, bh*.27, t, ink)
		case part == "triangle":
			w.fill(path{{{x, y1 - bh*.42}, {x + bw*.14, y1 - t/2}, {x - bw*.14, y1 - t/2}}}, ink, 1)
		case part == "bar":
			w.fill(box(x0, y-t*.8, x1, y+t*.8, 0), ink, 1)
		case part == "wheels":
			w.fill(disc(x-bw*.22, y1+t*1.4, t*1.5), ink, 1)
			w.fill(disc(x+bw*.22, y1+t*1.4, t*1.5), ink, 1)
		case part == "anchor":
			w.line([]point{{x, y0 + t}, {x, y1 - t}}, t*1.6, ink, 1)
		case part == "wings":
			w.line([]point{{x - bw*.22, y1 - t*1.2}, {x - bw*.1, y1 - t*2.6}, {x, y1 - t*1.2}, {x + bw*.1, y1 - t*2.6}, {x + bw*.22, y1 - t*1.2}}, t, ink, 1)
		case part == "fort":
			w.line([]point{{x - bw*.2, y1 - t*.8}, {x - bw*.2, y1 - t*2.6}, {x + bw*.2, y1 - t*2.6}, {x + bw*.2, y1 - t*.8}}, t, ink, 1)
		default:
			s := part
			if len(s) > 8 && s[:8] == "letters:" {
				s = s[8:]
			}
			w.fill(box(x-w.width(s, true, bh*.62)/2-1, y-bh*.34, x+w.width(s, true, bh*.62)/2+1, y+bh*.36, 0), ground, 1)
			w.text(s, x, y+bh*.25, 0, true, bh*.62, ink)
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

func (w *war) ring(x, y, rx, ry, t float64, col uint8) {
	var out, in []point
	for i := 0; i < 24; i++ {
		a := 2 * math.Pi * float64(i) / 24
		out = append(out, point{x + (rx+t/2)*math.Cos(a), y + (ry+t/2)*math.Sin(a)})
		in = append([]point{{x + (rx-t/2)*math.Cos(a), y + (ry-t/2)*math.Sin(a)}}, in...)
	}
	w.fill(path{out, in}, col, 1)
}

func (w *war) arrows() {
	u := w.size / 80
	for _, a := range w.s.Arrows {
		if len(a.Path) < 2 {
			continue
		}
		col := map[string]string{"move": "move", "mobile": "assault", "assault": "assault", "retreat": "retreat", "advance": "advance"}[a.Kind]
		if col == "" {
			col = "move"
		}
		l := make([]point, len(a.Path))
		for i, c := range a.Path {
			l[i] = w.centre(c)
		}
		last, prev := l[len(l)-1], l[len(l)-2]
		d := math.Hypot(last.x-prev.x, last.y-prev.y)
		ux, uy := (last.x-prev.x)/d, (last.y-prev.y)/d
		tip := point{last.x - ux*20*u, last.y - uy*20*u}
		if a.Kind == "assault" || a.Kind == "mobile" {
			tip = point{last.x - ux*34*u, last.y - uy*34*u}
		}
		body := append(append([]point{}, smooth(l[:len(l)-1])...), point{tip.x - ux*9*u, tip.y - uy*9*u})
		head := path{{{tip.x, tip.y}, {tip.x - ux*16*u - uy*9*u, tip.y - uy*16*u + ux*9*u}, {tip.x - ux*16*u + uy*9*u, tip.y - uy*16*u - ux*9*u}}}
		width := 5 * u
		if a.Kind == "move" {
			width = 3.6 * u
		}
		w.line(body, width+3*u, w.colour("halo"), .8)
		if a.Kind == "retreat" {
			for _, k := range dashes(body, 7*u, 5*u) {
				w.line(k, width, w.colour(col), 1)
			}
		} else {
			w.line(body, width, w.colour(col), 1)
		}
		w.fill(head, w.colour(col), 1)
	}
}

func (w *war) bursts() {
	u := w.size / 80
	for _, b := range w.s.Bursts {
		k := w.centre(b.At)
		x, y := k.x-20*u, k.y-22*u
		star := func(r float64) path {
			var l []point
			for i := 0; i < 20; i++ {
				a := float64(i)*math.Pi/10 - math.Pi/2
				q := r
				if i%2 == 1 {
					q = r * .68
				}
				l = append(l, point{x + q*math.Cos(a), y + q*math.Sin(a)})
			}
			return path{l}
		}
		w.fill(star(19*u), w.colour("burst_edge"), 1)
		w.fill(star(16.4*u), w.colour("burst"), 1)
		w.text(b.Result, x, y+4.2*u, 0, true, 11.5*u, w.colour("ink"))
	}
}
