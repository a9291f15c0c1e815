package render

import (
	"image"
	"image/color"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// point is a place in the picture, in pixels.
type point struct{ x, y float64 }

// path is closed contours; all wind the same way where they overlap.
type path [][]point

// canvas is a palette picture that shapes are blended into, without a detour
// through true colour: for every colour there is a table that says which
// palette entry comes closest to it laid over another at a given strength.
type canvas struct {
	img   *image.Paletted
	paint *paint
	ras   vector.Rasterizer
	mask  []uint8
	faces map[faceKey]*face
}

// paint is a palette with its blending tables.
type paint struct {
	palette color.Palette
	rgb     [][3]int32
	index   map[color.RGBA]uint8
	tables  [256]*[levels][256]uint8
}

const levels = 16

// newPaint makes a palette of named colours and of shades between those that
// meet in the picture, up to 256 entries.
func newPaint(base []color.RGBA, meets [][2]color.RGBA) *paint {
	p := &paint{index: map[color.RGBA]uint8{}}
	add := func(c color.RGBA) {
		if _, ok := p.index[c]; ok || len(p.palette) == 256 {
			return
		}
		p.index[c] = uint8(len(p.palette))
		p.palette = append(p.palette, c)
		p.rgb = append(p.rgb, [3]int32{int32(c.R), int32(c.G), int32(c.B)})
	}
	for _, c := range base {
		add(c)
	}
	for _, m := range meets {
		for _, k := range []int{2, 1, 3} {
			add(mix(m[0], m[1], float64(k)/4))
		}
	}
	return p
}

func mix(a, b color.RGBA, t float64) color.RGBA {
	f := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + (float64(y)-float64(x))*t)) }
	return color.RGBA{f(a.R, b.R), f(a.G, b.G), f(a.B, b.B), 255}
}

// nearest is the palette entry closest to a colour, the eye's weights applied.
func (p *paint) nearest(r, g, b int32) uint8 {
	best, at := int32(math.MaxInt32), 0
	for i, c := range p.rgb {
		dr, dg, db := c[0]-r, c[1]-g, c[2]-b
		if d := 3*dr*dr + 4*dg*dg + 2*db*db; d < best {
			best, at = d, i
		}
	}
	return uint8(at)
}

func (p *paint) of(c color.RGBA) uint8 {
	if i, ok := p.index[c]; ok {
		return i
	}
	return p.nearest(int32(c.R), int32(c.G), int32(c.B))
}

func (p *paint) table(c uint8) *[levels][256]uint8 {
	if t := p.tables[c]; t != nil {
		return t
	}
	t := new([levels][256]uint8)
	over := p.rgb[c]
	for l := 0; l < levels; l++ {
		for d := range p.rgb {
			under := p.rgb[d]
			var v [3]int32
			for k := range v {
				v[k] = under[k] + (over[k]-under[k])*int32(l)/(levels-1)
			}
			t[l][d] = p.nearest(v[0], v[1], v[2])
		}
		if l == 0 {
			for d := range p.rgb {
				t[l][d] = uint8(d)
			}
		}
	}
	p.tables[c] = t
	return t
}

func newCanvas(w, h int, p *paint, back uint8) *canvas {
	img := image.NewPaletted(image.Rect(0, 0, w, h), p.palette)
	if back != 0 {
		for i := range img.Pix {
			img.Pix[i] = back
		}
	}
	return &canvas{img: img, paint: p, faces: map[faceKey]*face{}}
}

// over draws on a copy of a picture made before.
func over(base *canvas) *canvas {
	img := image.NewPaletted(base.img.Rect, base.paint.palette)
	copy(img.Pix, base.img.Pix)
	return &canvas{img: img, paint: base.paint, faces: base.faces}
}

// fill lays a colour over a shape; strength is 0 to 1.
func (c *canvas) fill(p path, col uint8, strength float64) {
	c.fillThrough(p, col, strength, nil)
}

// fillThrough is fill where keep says so for a pixel.
func (c *canvas) fillThrough(p path, col uint8, strength float64, keep func(x, y int) bool) {
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, k := range p {
		for _, q := range k {
			x0, y0, x1, y1 = min(x0, q.x), min(y0, q.y), max(x1, q.x), max(y1, q.y)
		}
	}
	r := image.Rect(int(math.Floor(x0)), int(math.Floor(y0)), int(math.Ceil(x1))+1, int(math.Ceil(y1))+1).Intersect(c.img.Rect)
	if r.Empty() {
		return
	}
	w, h := r.Dx(), r.Dy()
	c.ras.Reset(w, h)
	ox, oy := float64(r.Min.X), float64(r.Min.Y)
	for _, k := range p {
		for i, q := range k {
			x, y := float32(q.x-ox), float32(q.y-oy)
			if i == 0 {
				c.ras.MoveTo(x, y)
			} else {
				c.ras.LineTo(x, y)
			}
		}
		c.ras.ClosePath()
	}
	if cap(c.mask) < w*h {
		c.mask = make([]uint8, w*h)
	}
	m := image.Alpha{Pix: c.mask[:w*h], Stride: w, Rect: image.Rect(0, 0, w, h)}
	clear(m.Pix)
	c.ras.Draw(&m, m.Rect, image.Opaque, image.Point{})
	t := c.paint.table(col)
	full := uint32(strength*255 + .5)
	for y := 0; y < h; y++ {
		row := m.Pix[y*w : y*w+w]
		dst := c.img.Pix[c.img.PixOffset(r.Min.X, r.Min.Y+y):]
		for x, a := range row {
			if a == 0 || keep != nil && !keep(r.Min.X+x, r.Min.Y+y) {
				continue
			}
			dst[x] = t[(uint32(a)*full/255*(levels-1)+127)/255][dst[x]]
		}
	}
}

// box is a rectangle with rounded corners.
func box(x0, y0, x1, y1, r float64) path {
	if r <= 0 {
		return path{{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}}
	}
	var k []point
	for i, c := range []point{{x1 - r, y0 + r}, {x1 - r, y1 - r}, {x0 + r, y1 - r}, {x0 + r, y0 + r}} {
		for s := 0; s <= 4; s++ {
			a := (float64(i)-1)*math.Pi/2 + float64(s)*math.Pi/8
			k = append(k, point{c.x + r*math.Cos(a), c.y + r*math.Sin(a)})
		}
	}
	return path{k}
}

func disc(x, y, r float64) path {
	n := max(8, int(r*3))
	k := make([]point, n)
	for i := range k {
		a := 2 * math.Pi * float64(i) / float64(n)
		k[i] = point{x + r*math.Cos(a), y + r*math.Sin(a)}
	}
	return path{k}
}

// stroke is a line of a width, its ends and joints round.
func stroke(line []point, width float64) path {
	var p path
	h := width / 2
	for i := 0; i+1 < len(line); i++ {
		a, b := line[i], line[i+1]
		dx, dy := b.x-a.x, b.y-a.y
		l := math.Hypot(dx, dy)
		if l == 0 {
			continue
		}
		nx, ny := -dy/l*h, dx/l*h
		// wound like disc: clockwise with y downwards
		p = append(p, []point{{a.x - nx, a.y - ny}, {b.x - nx, b.y - ny}, {b.x + nx, b.y + ny}, {a.x + nx, a.y + ny}})
	}
	if width > 1.5 {
		for _, q := range line {
			p = append(p, disc(q.x, q.y, h)...)
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

// line strokes a line.
func (c *canvas) line(l []point, width float64, col uint8, strength float64) {
	c.fill(stroke(l, width), col, strength)
}

type faceKey struct {
	bold bool
	size int // tenths of a pixel
}

type face struct {
	face   font.Face
	glyphs map[rune]glyph
	ascent int
}

type glyph struct {
	mask    *image.Alpha
	at      image.Point // of the mask, from the dot
	advance fixed.Int26_6
}

var fonts = func() [2]*opentype.Font {
	var out [2]*opentype.Font
	for i, b := range [][]byte{goregular.TTF, gobold.TTF} {
		f, err := opentype.Parse(b)
		if err != nil {
			panic(err)
		}
		out[i] = f
	}
	return out
}()

func (c *canvas) face(bold bool, size float64) *face {
	k := faceKey{bold, int(size*10 + .5)}
	if f := c.faces[k]; f != nil {
		return f
	}
	src := fonts[0]
	if bold {
		src = fonts[1]
	}
	ff, err := opentype.NewFace(src, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		panic(err)
	}
	f := &face{face: ff, glyphs: map[rune]glyph{}}
	c.faces[k] = f
	return f
}

func (f *face) glyph(r rune) glyph {
	if g, ok := f.glyphs[r]; ok {
		return g
	}
	var g glyph
	dr, mask, mp, adv, ok := f.face.Glyph(fixed.Point26_6{}, r)
	g.advance = adv
	if ok && !dr.Empty() {
		g.at = dr.Min
		g.mask = image.NewAlpha(image.Rect(0, 0, dr.Dx(), dr.Dy()))
		for y := 0; y < dr.Dy(); y++ {
			for x := 0; x < dr.Dx(); x++ {
				_, _, _, a := mask.At(mp.X+x, mp.Y+y).RGBA()
				g.mask.Pix[y*g.mask.Stride+x] = uint8(a >> 8)
			}
		}
	}
	f.glyphs[r] = g
	return g
}

// width of a text in pixels.
func (c *canvas) width(s string, bold bool, size float64) float64 {
	f := c.face(bold, size)
	var w fixed.Int26_6
	for _, r := range s {
		w += f.glyph(r).advance
	}
	return float64(w) / 64
}

// text writes with its baseline's left end, middle or right end (align -1, 0,
// 1) at x, y.
func (c *canvas) text(s string, x, y float64, align int, bold bool, size float64, col uint8) {
	switch align {
	case 0:
		x -= c.width(s, bold, size) / 2
	case 1:
		x -= c.width(s, bold, size)
	}
	f := c.face(bold, size)
	t := c.paint.table(col)
	dot := fixed.Int26_6(x * 64)
	by := int(math.Round(y))
	for _, r := range s {
		g := f.glyph(r)
		if g.mask != nil {
			ox, oy := dot.Round()+g.at.X, by+g.at.Y
			for gy := 0; gy < g.mask.Rect.Dy(); gy++ {
				py := oy + gy
				if py < 0 || py >= c.img.Rect.Max.Y {
					continue
				}
				for gx := 0; gx < g.mask.Rect.Dx(); gx++ {
					px := ox + gx
					a := g.mask.Pix[gy*g.mask.Stride+gx]
					if a == 0 || px < 0 || px >= c.img.Rect.Max.X {
						continue
					}
					o := py*c.img.Stride + px
					c.img.Pix[o] = t[(uint32(a)*(levels-1)+127)/255][c.img.Pix[o]]
				}
			}
		}
		dot += g.advance
	}
}

// lettered writes with a halo, to be read over anything.
func (c *canvas) lettered(s string, x, y float64, align int, bold bool, size float64, col, halo uint8) {
	for _, d := range []point{{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-1, -1}, {1, 1}, {1, -1}, {-1, 1}} {
		c.text(s, x+d.x, y+d.y, align, bold, size, halo)
	}
	c.text(s, x, y, align, bold, size, col)
}
