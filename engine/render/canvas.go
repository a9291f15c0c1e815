package render

import (
	"image"
	"image/color"
	"math"

	"golang.org/x/image/vector"
)

// canvas is a palette picture that shapes are blended into, without a detour
// through true colour: for every colour there is a table that says which
// palette entry comes closest to it laid over another at a given strength.
type canvas struct {
	img   *image.Paletted
	paint *paint
	tools *tools
	clip  []uint8 // what within keeps, a byte a pixel
	clipR image.Rectangle
	wrote func(s string, x0, y0, x1, y1 float64) // told of every text; for tests
}

// tools are what canvases of one printer share.
type tools struct {
	ras    vector.Rasterizer
	mask   []uint8
	glyphs map[glyphKey]*stamp
	faces  map[string]*sprite
	shades map[[2]int]*stamp
	spare  []uint8 // pixels of a picture no longer needed
}

func newTools() *tools {
	return &tools{glyphs: map[glyphKey]*stamp{}, faces: map[string]*sprite{}, shades: map[[2]int]*stamp{}}
}

// stamp is how strongly a shape covers each pixel around an origin.
type stamp struct {
	r    image.Rectangle
	mask []uint8
}

type glyphKey struct {
	f    fount
	r    rune
	size uint16 // tenths of a pixel
	part uint8  // of the pixel where it starts, halves
}

// paint is a palette with its blending tables. Entry 255 is never given out: a
// film uses it for what stays as it was.
type paint struct {
	palette color.Palette
	rgb     [][3]int32
	index   map[color.RGBA]uint8
	tables  [256]*[levels][256]uint8
}

const levels = 16

// newPaint makes a palette of named colours and of shades between those that
// meet in the picture, up to 255 entries.
func newPaint(base []color.RGBA, meets [][2]color.RGBA) *paint {
	p := &paint{index: map[color.RGBA]uint8{}}
	add := func(c color.RGBA) {
		if _, ok := p.index[c]; ok || len(p.palette) == 255 {
			return // the shades named last are not worth more
		}
		p.index[c] = uint8(len(p.palette))
		p.palette = append(p.palette, c)
		p.rgb = append(p.rgb, [3]int32{int32(c.R), int32(c.G), int32(c.B)})
	}
	for _, c := range base {
		add(c)
	}
	for _, k := range []int{2, 1, 3} {
		for _, m := range meets {
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

func newCanvas(w, h int, p *paint, back uint8, t *tools) *canvas {
	img := image.NewPaletted(image.Rect(0, 0, w, h), p.palette)
	if back != 0 {
		for i := range img.Pix {
			img.Pix[i] = back
		}
	}
	return &canvas{img: img, paint: p, tools: t}
}

// over draws on a copy of a picture made before.
func over(base *canvas) *canvas {
	pix := base.tools.spare
	base.tools.spare = nil
	if cap(pix) < len(base.img.Pix) {
		pix = make([]uint8, len(base.img.Pix))
	}
	pix = pix[:len(base.img.Pix)]
	copy(pix, base.img.Pix)
	img := &image.Paletted{Pix: pix, Stride: base.img.Stride, Rect: base.img.Rect, Palette: base.img.Palette}
	return &canvas{img: img, paint: base.paint, tools: base.tools}
}

// cover rasterises a shape; the mask lasts until the next call.
func (c *canvas) cover(p path, limit image.Rectangle) (image.Rectangle, []uint8) {
	x0, y0, x1, y1 := p.bounds()
	if !(x0 < x1) {
		return image.Rectangle{}, nil
	}
	r := image.Rect(int(math.Floor(x0)), int(math.Floor(y0)), int(math.Ceil(x1))+1, int(math.Ceil(y1))+1).Intersect(limit)
	if r.Empty() {
		return r, nil
	}
	w, h := r.Dx(), r.Dy()
	ras := &c.tools.ras
	ras.Reset(w, h)
	ox, oy := float64(r.Min.X), float64(r.Min.Y)
	for _, k := range p {
		for i, q := range k {
			x, y := float32(q.x-ox), float32(q.y-oy)
			if i == 0 {
				ras.MoveTo(x, y)
			} else {
				ras.LineTo(x, y)
			}
		}
		ras.ClosePath()
	}
	if cap(c.tools.mask) < w*h {
		c.tools.mask = make([]uint8, w*h)
	}
	m := image.Alpha{Pix: c.tools.mask[:w*h], Stride: w, Rect: image.Rect(0, 0, w, h)}
	clear(m.Pix)
	ras.Draw(&m, m.Rect, image.Opaque, image.Point{})
	return r, m.Pix
}

func (c *canvas) fill(p path, col ink, strength float64) {
	r, m := c.cover(p, c.img.Rect)
	if m == nil {
		return
	}
	c.lay(r, m, col, strength, nil)
}

func (c *canvas) line(l []point, width float64, col ink, strength float64) {
	c.fill(stroke(l, width), col, strength)
}

func (c *canvas) screen(p path, col ink, strength float64, step int) {
	r, m := c.cover(p, c.img.Rect)
	if m == nil {
		return
	}
	c.lay(r, m, col, strength, func(x, y int) bool { return dotted(x, y, step) })
}

// dotted says whether a pixel belongs to a dot of a screen: two pixels square,
// every other row of dots half a step aside. Screens cost a third of what a
// slanting hatch does in the file, since most rows are left as they are.
func dotted(x, y, step int) bool {
	row := y / screenRow(step)
	return dottedRow(y, step) && (x+row%2*step/2)%step < 2
}

// dottedRow reports whether a row of pixels has dots at all.
func dottedRow(y, step int) bool { return y%screenRow(step) < 2 }

func screenRow(step int) int { return step * 4 / 5 }

// step is a coverage taken to none, half or all, as shapes have it too: soft
// enough for the eye, and the picture a third smaller.
func step(a uint8) uint8 { return uint8((uint32(a)*2 + 127) / 255 * 255 / 2) }

// lay blends an ink through a mask.
func (c *canvas) lay(r image.Rectangle, m []uint8, col ink, strength float64, keep func(x, y int) bool) {
	t := c.paint.table(col)
	var level [256]uint8
	for a := range level {
		v := uint8((a*2 + 127) / 255 * 255 / 2)
		if strength > sharp {
			v = uint8(a) >> 7 * 255
		}
		full := strength
		if strength > sharp {
			full -= sharp
		}
		level[a] = uint8(float64(v)*full*(levels-1)/255 + .5)
	}
	w := r.Dx()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := m[(y-r.Min.Y)*w : (y-r.Min.Y)*w+w]
		o := c.img.PixOffset(r.Min.X, y)
		dst := c.img.Pix[o : o+w]
		var clip []uint8
		if c.clip != nil {
			if y < c.clipR.Min.Y || y >= c.clipR.Max.Y {
				continue
			}
			clip = c.clip[(y-c.clipR.Min.Y)*c.clipR.Dx():]
		}
		for x, a := range row {
			if a == 0 {
				continue
			}
			if clip != nil {
				cx := r.Min.X + x - c.clipR.Min.X
				if cx < 0 || cx >= c.clipR.Dx() {
					continue
				}
				a = uint8(uint16(a) * uint16(clip[cx]) / 255)
			}
			if keep != nil && !keep(r.Min.X+x, y) {
				continue
			}
			dst[x] = t[level[a]][dst[x]]
		}
	}
}

func (c *canvas) within(clip path, draw func()) {
	if c.clip != nil { // nested: the innermost counts
		old, oldR := c.clip, c.clipR
		defer func() { c.clip, c.clipR = old, oldR }()
	} else {
		defer func() { c.clip = nil }()
	}
	r, m := c.cover(clip, c.img.Rect)
	if m == nil {
		return
	}
	c.clip, c.clipR = append([]uint8(nil), m...), r
	draw()
}

// glyph is a letter's stamp at a size, starting some halves into a pixel.
func (c *canvas) glyph(f fount, r rune, size float64, part uint8) *stamp {
	k := glyphKey{f, r, uint16(size*10 + .5), part}
	if g := c.tools.glyphs[k]; g != nil {
		return g
	}
	g := &stamp{}
	c.tools.glyphs[k] = g
	shape := cases.glyph(f, r).shape
	p := make(path, len(shape))
	for i, l := range shape {
		p[i] = make([]point, len(l))
		for j, q := range l {
			p[i][j] = point{q.x*size + float64(part)/2, q.y * size}
		}
	}
	*g = *c.stampOf(p)
	return g
}

// stampOf is a shape as a stamp.
func (c *canvas) stampOf(p path) *stamp {
	g := &stamp{}
	if rect, m := c.cover(p, image.Rect(-4096, -4096, 4096, 4096)); m != nil {
		g.r, g.mask = rect, append([]uint8(nil), m...)
		for i, a := range g.mask {
			g.mask[i] = step(a)
		}
	}
	return g
}

// pressDotted lays a stamp, stronger where the dots of a screen are.
func (c *canvas) pressDotted(g *stamp, x, y int, col ink, strength, dots float64, every int) {
	r := g.r.Add(image.Pt(x, y))
	in := r.Intersect(c.img.Rect)
	t := c.paint.table(col)
	w := r.Dx()
	var plain, dot [256]*[256]uint8 // what becomes of a pixel, by coverage
	for a := range plain {
		plain[a] = &t[int(float64(a)*strength*(levels-1)/255+.5)]
		dot[a] = &t[int(float64(a)*dots*(levels-1)/255+.5)]
	}
	for py := in.Min.Y; py < in.Max.Y; py++ {
		m := g.mask[(py-r.Min.Y)*w+in.Min.X-r.Min.X:]
		o := c.img.PixOffset(in.Min.X, py)
		dst := c.img.Pix[o : o+in.Dx()]
		some := dottedRow(py, every)
		for i := range dst {
			switch a := m[i]; {
			case a == 0:
			case some && dotted(in.Min.X+i, py, every):
				dst[i] = dot[a][dst[i]]
			default:
				dst[i] = plain[a][dst[i]]
			}
		}
	}
}

// press lays a stamp with its origin at a pixel.
func (c *canvas) press(g *stamp, x, y int, col ink, strength float64) {
	if g.mask == nil {
		return
	}
	r := g.r.Add(image.Pt(x, y))
	in := r.Intersect(c.img.Rect)
	if in.Empty() {
		return
	}
	t := c.paint.table(col)
	w := r.Dx()
	full := uint32(strength*255 + .5)
	for py := in.Min.Y; py < in.Max.Y; py++ {
		m := g.mask[(py-r.Min.Y)*w+in.Min.X-r.Min.X:]
		o := c.img.PixOffset(in.Min.X, py)
		dst := c.img.Pix[o : o+in.Dx()]
		for i := range dst {
			if a := uint32(m[i]); a != 0 {
				dst[i] = t[(a*full/255*(levels-1)+127)/255][dst[i]]
			}
		}
	}
}

func (c *canvas) text(s string, x, y float64, align int, f fount, size float64, col, halo ink) {
	w := textWidth(s, f, size)
	x = math.Round(x - w*float64(align+1)/2)
	if c.wrote != nil && s != "" {
		c.wrote(s, x, y-size*.74, x+w, y+size*.22)
	}
	by := int(math.Round(y))
	if halo != col {
		for _, d := range [...]image.Point{{-1, -1}, {1, -1}, {-1, 1}, {1, 1}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
			c.write(s, x+float64(d.X), by+d.Y, f, size, halo)
		}
	}
	c.write(s, x, by, f, size, col)
}

func (c *canvas) write(s string, x float64, by int, f fount, size float64, col ink) {
	for _, r := range s {
		q := int(math.Floor(x*2 + .5))
		c.press(c.glyph(f, r, size, uint8(q&1)), q>>1, by, col, 1)
		x += cases.glyph(f, r).advance * size
	}
}

// sprite is a small opaque picture with soft edges.
type sprite struct {
	w, h int
	pix  []uint8
	mask []uint8
}

// put lays a sprite with its upper left corner at a pixel.
func (c *canvas) put(s *sprite, x, y int) {
	r := image.Rect(x, y, x+s.w, y+s.h)
	in := r.Intersect(c.img.Rect)
	for py := in.Min.Y; py < in.Max.Y; py++ {
		so := (py-y)*s.w + in.Min.X - x
		o := c.img.PixOffset(in.Min.X, py)
		dst := c.img.Pix[o : o+in.Dx()]
		src, m := s.pix[so:so+len(dst)], s.mask[so:so+len(dst)]
		for i, a := range m {
			switch a {
			case 0:
			case 255:
				dst[i] = src[i]
			default:
				dst[i] = c.paint.table(src[i])[(uint32(a)*(levels-1)+127)/255][dst[i]]
			}
		}
	}
}
