// Package render draws scenes: PNG pictures with a palette, the printed map
// kept from one picture to the next.
//
// It relies on the scene alone and knows no rule; colours, symbols and words
// come in a [Style]. The same scene gives the same bytes in the same binary.
package render

import (
	"bytes"
	"image"
	"image/png"
	"math"
	"sync"

	"pbemd/engine/hex"
	"pbemd/engine/scene"
)

// Size is how large a picture is drawn, in pixels between the centres of
// neighbouring hexes.
type Size int

// The usual sizes.
const (
	Small  Size = 44
	Normal Size = 80
	Big    Size = 120
)

// Printer draws scenes of one map in one style.
type Printer struct {
	m     *scene.Map
	style Style
	paint *paint

	mu     sync.Mutex
	sheets map[Size]*printed
}

// New makes a printer for a map.
func New(m *scene.Map, style Style) *Printer {
	return &Printer{m: m, style: style, paint: style.inks(), sheets: map[Size]*printed{}}
}

// Bytes draws a scene as a PNG file.
func (p *Printer) Bytes(s scene.Scene, size Size) ([]byte, error) {
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: png.DefaultCompression, BufferPool: pool}
	if err := e.Encode(&b, p.Draw(s, size)); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Draw draws a scene. A scene with a focus is cut to those hexes and a border
// of one hex.
func (p *Printer) Draw(s scene.Scene, size Size) *image.Paletted {
	base := p.base(size)
	w := &war{printed: *base, s: &s}
	w.canvas = over(base.canvas)
	w.draw()
	w.heading(&s)
	if len(s.Focus) == 0 {
		return w.img
	}
	return w.cut(s)
}

func (p *Printer) base(size Size) *printed {
	p.mu.Lock()
	defer p.mu.Unlock()
	if b := p.sheets[size]; b != nil {
		return b
	}
	minX, minY, maxX, maxY := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, h := range p.m.Hexes {
		x, y := p.m.Grid.Centre(h.At)
		minX, minY, maxX, maxY = min(minX, x), min(minY, y), max(maxX, x), max(maxY, y)
	}
	z := float64(size)
	sh := sheet{grid: p.m.Grid, size: z}
	left, top, right, bottom := 1.15, 1.55, .7, .8
	sh.dx, sh.dy = (left-minX)*z, (top-minY)*z
	sh.w, sh.h = int((maxX-minX+left+right)*z), int((maxY-minY+top+bottom)*z)
	b := &printed{sheet: sh, style: p.style, m: p.m}
	b.canvas = newCanvas(sh.w, sh.h, p.paint, p.paint.of(p.style.Colours["paper"]))
	b.draw()
	b.legend()
	p.sheets[size] = b
	return b
}

// heading writes title, subtitle and the figures of the track.
func (w *war) heading(s *scene.Scene) {
	u := w.size / 80
	w.text(s.Title, 24*u, 42*u, -1, true, 30*u, w.colour("ink"))
	w.text(s.Subtitle, 24*u, 66*u, -1, false, 17*u, w.colour("ink"))
	x := float64(w.sheet.w) - 24*u
	for i := len(s.Track) - 1; i >= 0; i-- {
		f := s.Track[i]
		bw := max(w.width(f.Value, true, 22*u), w.width(f.Label, false, 13*u)) + 22*u
		w.fill(box(x-bw, 14*u, x, 70*u, 6*u), w.colour("grid"), .8)
		w.fill(box(x-bw+1.5*u, 15.5*u, x-1.5*u, 68.5*u, 5*u), w.colour("halo"), 1)
		w.text(f.Label, x-bw/2, 31*u, 0, false, 13*u, w.colour("faint"))
		w.text(f.Value, x-bw/2, 58*u, 0, true, 22*u, w.colour("ink"))
		x -= bw + 8*u
	}
}

// legend explains the map where there are no hexes, in the lower left corner.
func (p *printed) legend() {
	u := p.size / 80
	rows := []struct {
		key  string
		draw func(x, y float64)
	}{}
	add := func(key string, draw func(x, y float64)) {
		rows = append(rows, struct {
			key  string
			draw func(x, y float64)
		}{key, draw})
	}
	swatch := func(name string) func(x, y float64) {
		return func(x, y float64) {
			p.fill(box(x-13*u, y-8*u, x+13*u, y+8*u, 3*u), p.colour("grid"), 1)
			p.fill(box(x-12*u, y-7*u, x+12*u, y+7*u, 2*u), p.colour(name), 1)
		}
	}
	for _, t := range []string{"clear", "broken", "forest", "marsh", "mountain"} {
		add(t, swatch(t))
	}
	add("minor", func(x, y float64) { p.line([]point{{x - 13*u, y}, {x + 13*u, y}}, 2.6*u, p.colour("river_light"), 1) })
	add("major", func(x, y float64) {
		p.line([]point{{x - 13*u, y}, {x + 13*u, y}}, 6.4*u, p.colour("river"), 1)
		p.line([]point{{x - 13*u, y}, {x + 13*u, y}}, 3*u, p.colour("river_light"), 1)
	})
	add("lake", func(x, y float64) {
		p.line([]point{{x - 11*u, y}, {x + 11*u, y}}, 11*u, p.colour("river"), 1)
		p.line([]point{{x - 11*u, y}, {x + 11*u, y}}, 8.6*u, p.colour("lake"), 1)
	})
	add("border", func(x, y float64) {
		for _, d := range dashes([]point{{x - 13*u, y}, {x + 13*u, y}}, 8*u, 4*u) {
			p.line(d, 2.2*u, p.colour("border"), 1)
		}
	})
	add("weatherline", func(x, y float64) {
		for _, d := range dashes([]point{{x - 13*u, y}, {x + 13*u, y}}, 7*u, 5*u) {
			p.line(d, 2.4*u, p.colour("weather"), 1)
		}
	})
	add("city", func(x, y float64) { p.fill(box(x-5.6*u, y-5.6*u, x+5.6*u, y+5.6*u, u), p.colour("city"), 1) })
	add("town", func(x, y float64) { p.fill(disc(x, y, 3.6*u), p.colour("town"), 1) })
	add("vp", func(x, y float64) {
		p.fill(disc(x, y, 7.4*u), p.colour("ink"), 1)
		p.fill(disc(x, y, 6.4*u), p.colour("vp"), 1)
	})
	add("fort", func(x, y float64) { p.fill(box(x-8*u, y-5*u, x+8*u, y+5*u, 0), p.colour("fort"), 1) })
	add("stalin", func(x, y float64) { p.fill(box(x-8*u, y-5*u, x+8*u, y+5*u, 0), p.colour("stalin"), 1) })
	add("fortified", func(x, y float64) { p.fill(box(x-8*u, y-5*u, x+8*u, y+5*u, 0), p.colour("fortified"), 1) })
	add("front", func(x, y float64) {
		p.line([]point{{x - 13*u, y}, {x + 13*u, y}}, 6*u, p.colour("front_edge"), 1)
		p.line([]point{{x - 13*u, y}, {x + 13*u, y}}, 3*u, p.colour("front"), 1)
	})
	add("held", func(x, y float64) {
		swatch("clear")(x, y)
		p.fill(box(x-12*u, y-7*u, x+12*u, y+7*u, 2*u), p.colour("axis_tint"), .3)
	})
	high := float64(len(rows))*21*u + 20*u
	x, y := 18*u, float64(p.sheet.h)-high-18*u
	// below the westernmost hexes there is room; a map without it gets none
	for _, h := range p.m.Hexes {
		k := p.centre(h.At)
		if k.x-p.size*.6 < x+150*u && k.y+p.size*.6 > y {
			return
		}
	}
	p.fill(box(x, y, x+150*u, y+high, 6*u), p.colour("grid"), 1)
	p.fill(box(x+1.4*u, y+1.4*u, x+148.6*u, y+high-1.4*u, 5*u), p.colour("halo"), 1)
	for i, r := range rows {
		ry := y + 20*u + float64(i)*21*u
		r.draw(x+24*u, ry)
		p.text(p.style.word("legend."+r.key), x+46*u, ry+4.6*u, -1, false, 12.5*u, p.colour("ink"))
	}
}

func (w *war) cut(s scene.Scene) *image.Paletted {
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, c := range s.Focus {
		k := w.centre(c)
		x0, y0, x1, y1 = min(x0, k.x), min(y0, k.y), max(x1, k.x), max(y1, k.y)
	}
	m := 1.4 * w.size
	r := image.Rect(int(x0-m), int(y0-m), int(x1+m), int(y1+m)).Intersect(w.img.Rect)
	out := image.NewPaletted(image.Rect(0, 0, r.Dx(), r.Dy()), w.img.Palette)
	for y := 0; y < r.Dy(); y++ {
		copy(out.Pix[y*out.Stride:y*out.Stride+r.Dx()], w.img.Pix[w.img.PixOffset(r.Min.X, r.Min.Y+y):])
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

var pool png.EncoderBufferPool = &buffers{}

type buffers struct{ p sync.Pool }

func (b *buffers) Get() *png.EncoderBuffer {
	e, _ := b.p.Get().(*png.EncoderBuffer)
	return e
}

func (b *buffers) Put(e *png.EncoderBuffer) { b.p.Put(e) }
