package render

import (
	"math"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// fount is one of the embedded fonts.
type fount uint8

const (
	regular fount = iota
	bold
	italic
)

// outline is a glyph drawn on a body of size 1, y downwards from the baseline.
type outline struct {
	shape   path
	advance float64
}

// type case: outlines by font and letter, made when first wanted.
var cases = func() *typeCase {
	t := &typeCase{glyphs: map[letter]*outline{}}
	for i, b := range [][]byte{goregular.TTF, gobold.TTF, goitalic.TTF} {
		f, err := sfnt.Parse(b)
		if err != nil {
			panic(err) // the fonts are part of the binary
		}
		t.fonts[i] = f
	}
	return t
}()

type letter struct {
	f fount
	r rune
}

type typeCase struct {
	mu     sync.Mutex
	fonts  [3]*sfnt.Font
	buf    sfnt.Buffer
	glyphs map[letter]*outline
}

func (t *typeCase) glyph(f fount, r rune) *outline {
	t.mu.Lock()
	defer t.mu.Unlock()
	if g := t.glyphs[letter{f, r}]; g != nil {
		return g
	}
	g := &outline{}
	t.glyphs[letter{f, r}] = g
	const em = 2048
	n, err := t.fonts[f].GlyphIndex(&t.buf, r)
	if err != nil {
		return g
	}
	if a, err := t.fonts[f].GlyphAdvance(&t.buf, n, fixed.I(em), font.HintingNone); err == nil {
		g.advance = float64(a) / 64 / em
	}
	segs, err := t.fonts[f].LoadGlyph(&t.buf, n, fixed.I(em), nil)
	if err != nil {
		return g
	}
	var k []point
	at := func(p fixed.Point26_6) point { return point{float64(p.X) / 64 / em, float64(p.Y) / 64 / em} }
	for _, s := range segs {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if k != nil {
				g.shape = append(g.shape, k)
			}
			k = []point{at(s.Args[0])}
		case sfnt.SegmentOpLineTo:
			k = append(k, at(s.Args[0]))
		case sfnt.SegmentOpQuadTo:
			a, b, c := k[len(k)-1], at(s.Args[0]), at(s.Args[1])
			for i := 1; i <= 4; i++ {
				v := float64(i) / 4
				w := 1 - v
				k = append(k, point{w*w*a.x + 2*w*v*b.x + v*v*c.x, w*w*a.y + 2*w*v*b.y + v*v*c.y})
			}
		case sfnt.SegmentOpCubeTo:
			a, b, c, d := k[len(k)-1], at(s.Args[0]), at(s.Args[1]), at(s.Args[2])
			for i := 1; i <= 6; i++ {
				v := float64(i) / 6
				w := 1 - v
				k = append(k, point{
					w*w*w*a.x + 3*w*w*v*b.x + 3*w*v*v*c.x + v*v*v*d.x,
					w*w*w*a.y + 3*w*w*v*b.y + 3*w*v*v*c.y + v*v*v*d.y,
				})
			}
		}
	}
	if k != nil {
		g.shape = append(g.shape, k)
	}
	return g
}

// textWidth of a text in pixels.
func textWidth(s string, f fount, size float64) float64 {
	w := 0.0
	for _, r := range s {
		w += cases.glyph(f, r).advance
	}
	return w * size
}

// lettersOn is a text as a shape, its middle at a distance along a line, its
// baseline lifted from it, letters spaced.
func lettersOn(line []point, middle float64, s string, f fount, size, space, lift float64) path {
	var p path
	total := -space
	for _, r := range s {
		total += cases.glyph(f, r).advance*size + space
	}
	at := middle - total/2
	for _, r := range s {
		g := cases.glyph(f, r)
		w := g.advance * size
		q, a := along(line, at+w/2)
		sin, cos := math.Sincos(a)
		for _, k := range g.shape {
			c := make([]point, len(k))
			for i, v := range k {
				x, y := v.x*size-w/2, v.y*size-lift
				c[i] = point{q.x + x*cos - y*sin, q.y + x*sin + y*cos}
			}
			p = append(p, c)
		}
		at += w + space
	}
	return p
}
