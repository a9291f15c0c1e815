package render

import "math"

// point is a place in the picture, in pixels.
type point struct{ x, y float64 }

// path is closed contours; all wind the same way where they overlap.
type path [][]point

// ink is an entry of the palette.
type ink = uint8

// sharp is added to a strength to ask for sharp edges, where an area or line
// is near in colour to what lies beyond: soft edges would only make the file
// larger.
const sharp = 1

// surface is what is drawn on: a palette picture or an SVG file.
type surface interface {
	// fill lays an ink over a shape; strength is above 0 up to 1, with sharp
	// added if edges may be sharp.
	fill(p path, col ink, strength float64)
	// line draws along points, ends and joints round.
	line(l []point, width float64, col ink, strength float64)
	// screen lays fine dots over a shape.
	screen(p path, col ink, strength float64, step int)
	// within draws only what lies inside a shape.
	within(clip path, draw func())
	// text writes with its baseline's left end, middle or right end (align
	// -1, 0, 1) at x, y; with a halo unless that is the ink itself.
	text(s string, x, y float64, align int, f fount, size float64, col, halo ink)
}

func (p path) bounds() (x0, y0, x1, y1 float64) {
	x0, y0, x1, y1 = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, k := range p {
		for _, q := range k {
			x0, y0, x1, y1 = min(x0, q.x), min(y0, q.y), max(x1, q.x), max(y1, q.y)
		}
	}
	return
}

// box is a rectangle with rounded corners.
func box(x0, y0, x1, y1, r float64) path {
	if r <= 0 {
		return path{{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}}
	}
	k := make([]point, 0, 20)
	for i, c := range [4]point{{x1 - r, y0 + r}, {x1 - r, y1 - r}, {x0 + r, y1 - r}, {x0 + r, y0 + r}} {
		for s := 0; s <= 4; s++ {
			a := (float64(i)-1)*math.Pi/2 + float64(s)*math.Pi/8
			k = append(k, point{c.x + r*math.Cos(a), c.y + r*math.Sin(a)})
		}
	}
	return path{k}
}

func disc(x, y, r float64) path {
	n := max(8, min(40, int(r*2.5)))
	k := make([]point, n)
	for i := range k {
		a := 2 * math.Pi * float64(i) / float64(n)
		k[i] = point{x + r*math.Cos(a), y + r*math.Sin(a)}
	}
	return path{k}
}

// ring is the line of an oval.
func ring(x, y, rx, ry, t float64) path {
	const n = 28
	out, in := make([]point, n), make([]point, n)
	for i := range out {
		s, c := math.Sincos(2 * math.Pi * float64(i) / n)
		out[i] = point{x + (rx+t/2)*c, y + (ry+t/2)*s}
		in[n-1-i] = point{x + (rx-t/2)*c, y + (ry-t/2)*s}
	}
	return path{out, in}
}

// star has n points between two radii.
func star(x, y, outer, inner float64, n int) path {
	k := make([]point, 2*n)
	for i := range k {
		r := outer
		if i%2 == 1 {
			r = inner
		}
		s, c := math.Sincos(float64(i)*math.Pi/float64(n) - math.Pi/2)
		k[i] = point{x + r*c, y + r*s}
	}
	return path{k}
}

// stroke is a line of a width, its ends and joints round.
func stroke(line []point, width float64) path { return taper(line, width, width) }

// taper is a line whose width changes from its first point to its last.
func taper(line []point, from, to float64) path {
	return ribbon(line, func(t float64) float64 { return from + (to-from)*t })
}

// ribbon is a line of a width that depends on how far along it is, 0 to 1.
func ribbon(line []point, width func(t float64) float64) path {
	total := 0.0
	for i := 0; i+1 < len(line); i++ {
		total += math.Hypot(line[i+1].x-line[i].x, line[i+1].y-line[i].y)
	}
	var p path
	at := 0.0
	for i := 0; i+1 < len(line); i++ {
		a, b := line[i], line[i+1]
		dx, dy := b.x-a.x, b.y-a.y
		l := math.Hypot(dx, dy)
		if l == 0 {
			continue
		}
		ha := width(at/total) / 2
		at += l
		hb := width(at/total) / 2
		nx, ny := -dy/l, dx/l
		// wound like disc: clockwise with y downwards
		p = append(p, []point{{a.x - nx*ha, a.y - ny*ha}, {b.x - nx*hb, b.y - ny*hb}, {b.x + nx*hb, b.y + ny*hb}, {a.x + nx*ha, a.y + ny*ha}})
		if ha > .75 {
			p = append(p, disc(a.x, a.y, ha)...)
		}
		if i+2 == len(line) && hb > .75 {
			p = append(p, disc(b.x, b.y, hb)...)
		}
	}
	return p
}

// dashes cuts a line into dashes.
func dashes(line []point, on, off float64) [][]point {
	var out [][]point
	var cur []point
	pos, draw := 0.0, true
	for i := 0; i+1 < len(line); i++ {
		a, b := line[i], line[i+1]
		l := math.Hypot(b.x-a.x, b.y-a.y)
		if draw && len(cur) == 0 {
			cur = []point{a}
		}
		for at := 0.0; at < l; {
			want := on
			if !draw {
				want = off
			}
			step := min(want-pos, l-at)
			at += step
			pos += step
			q := point{a.x + (b.x-a.x)*at/l, a.y + (b.y-a.y)*at/l}
			if draw {
				cur = append(cur, q)
			}
			if pos >= want-1e-9 {
				if draw {
					out = append(out, cur)
					cur = nil
				} else {
					cur = []point{q}
				}
				draw, pos = !draw, 0
			}
		}
	}
	if len(cur) > 1 {
		out = append(out, cur)
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

// along is the point at a distance along a line, and the direction there.
func along(line []point, at float64) (point, float64) {
	for i := 0; i+1 < len(line); i++ {
		a, b := line[i], line[i+1]
		l := math.Hypot(b.x-a.x, b.y-a.y)
		if at <= l && l > 0 || i+2 == len(line) {
			t := 0.0
			if l > 0 {
				t = at / l
			}
			return point{a.x + (b.x-a.x)*t, a.y + (b.y-a.y)*t}, math.Atan2(b.y-a.y, b.x-a.x)
		}
		at -= l
	}
	return point{}, 0
}

func length(line []point) float64 {
	t := 0.0
	for i := 0; i+1 < len(line); i++ {
		t += math.Hypot(line[i+1].x-line[i].x, line[i+1].y-line[i].y)
	}
	return t
}

// inside reports whether a point lies in a closed line.
func inside(k [][2]float64, x, y float64) bool {
	in := false
	for i, j := 0, len(k)-1; i < len(k); j, i = i, i+1 {
		if (k[i][1] > y) != (k[j][1] > y) && x < (k[j][0]-k[i][0])*(y-k[i][1])/(k[j][1]-k[i][1])+k[i][0] {
			in = !in
		}
	}
	return in
}
