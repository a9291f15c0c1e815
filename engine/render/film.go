package render

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/gif"

	"pbemd/engine/scene"
)

// Pace is how a film runs, in hundredths of a second.
type Pace struct {
	Frame int // each frame; 0: 90
	Last  int // the last one; 0: 500
}

// Film draws scenes one after the other as an animated GIF, which every mail
// program shows. A frame holds only what changed since the one before: the
// rectangle round it, and in that nothing where the picture stayed as it was.
func (p *Printer) Film(frames []scene.Scene, size Size, pace Pace) ([]byte, error) {
	if len(frames) == 0 {
		return nil, errors.New("a film needs at least one scene")
	}
	if pace.Frame <= 0 {
		pace.Frame = 90
	}
	if pace.Last <= 0 {
		pace.Last = 500
	}
	pal := make(color.Palette, 256)
	copy(pal, p.paint.palette)
	for i := len(p.paint.palette); i < 256; i++ {
		pal[i] = color.RGBA{A: 255} // not used
	}
	const same = 255
	pal[same] = color.RGBA{} // see-through
	var g gif.GIF
	g.Config.ColorModel = pal
	var before *image.Paletted
	for _, s := range frames {
		m := p.Draw(s, size)
		frame := m
		if before == nil {
			g.Config.Width, g.Config.Height = m.Rect.Dx(), m.Rect.Dy()
		} else {
			if m.Rect != before.Rect {
				return nil, errors.New("the scenes of a film must show the same part of the map")
			}
			r := changed(before, m)
			if r.Empty() { // nothing to see: the frame before stays longer
				g.Delay[len(g.Delay)-1] += pace.Frame
				continue
			}
			frame = image.NewPaletted(r, pal)
			for y := r.Min.Y; y < r.Max.Y; y++ {
				a := before.Pix[before.PixOffset(r.Min.X, y):]
				b := m.Pix[m.PixOffset(r.Min.X, y):]
				out := frame.Pix[frame.PixOffset(r.Min.X, y):]
				for x := range r.Dx() {
					if out[x] = b[x]; a[x] == b[x] {
						out[x] = same
					}
				}
			}
		}
		f := *frame
		f.Palette = pal
		g.Image = append(g.Image, &f)
		g.Delay = append(g.Delay, pace.Frame)
		g.Disposal = append(g.Disposal, gif.DisposalNone)
		before = m
	}
	g.Delay[len(g.Delay)-1] = pace.Last
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &g); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// changed is the rectangle outside which two pictures are the same.
func changed(a, b *image.Paletted) image.Rectangle {
	r := image.Rectangle{}
	w := a.Rect.Dx()
	for y := 0; y < a.Rect.Dy(); y++ {
		p, q := a.Pix[y*a.Stride:y*a.Stride+w], b.Pix[y*b.Stride:y*b.Stride+w]
		if bytes.Equal(p, q) {
			continue
		}
		x0, x1 := 0, w
		for p[x0] == q[x0] {
			x0++
		}
		for p[x1-1] == q[x1-1] {
			x1--
		}
		r = r.Union(image.Rect(x0, y, x1, y+1))
	}
	return r
}
