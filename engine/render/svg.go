package render

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"strconv"

	"pbemd/engine/scene"
)

// SVG draws a scene as an SVG file, for print and zoom: the same shapes in the
// same places as the picture of size [Normal], of a close-up as that of size
// [CloseUp].
func (p *Printer) SVG(s scene.Scene) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	v := &drawing{paint: p.paint}
	if len(s.Focus) > 0 {
		l := p.layout(CloseUp)
		r := p.window(s, l.sheet)
		strip := int(62 * l.u())
		l.dx -= float64(r.Min.X)
		l.dy += float64(strip - r.Min.Y)
		l.w, l.h = r.Dx(), r.Dy()+strip
		v.limit = [4]float64{0, 0, float64(l.w), float64(l.h)}
		q := p.pen(v, l.sheet)
		q.terrain()
		p.near(q, s, float64(strip))
		return v.file(l.w, l.h, s.Title, p.colour("paper"))
	}
	l := p.layout(Normal)
	v.limit = [4]float64{0, 0, float64(l.w), float64(l.h)}
	q := p.pen(v, l.sheet)
	q.terrain()
	p.margin(q, l)
	w := &war{pen: *q, s: &s}
	w.draw()
	w.heading(&s)
	return v.file(l.w, l.h, s.Title, p.colour("paper"))
}

func (p *Printer) colour(name string) ink { return p.paint.of(p.style.Colours[name]) }

// drawing is a surface that writes SVG.
type drawing struct {
	paint *paint
	body  bytes.Buffer
	defs  bytes.Buffer
	clips int
	limit [4]float64 // what lies outside is left out
}

func (v *drawing) file(w, h int, title string, paper ink) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="Go, 'Lucida Grande', 'DejaVu Sans', Verdana, sans-serif">
<title>`, w, h, w, h)
	xml.EscapeText(&b, []byte(title)) // writing to a buffer does not go wrong
	fmt.Fprintf(&b, "</title>\n<defs>\n%s</defs>\n<rect width=\"%d\" height=\"%d\" fill=\"%s\"/>\n", v.defs.Bytes(), w, h, v.hex(paper))
	b.Write(v.body.Bytes())
	b.WriteString("</svg>\n")
	return b.Bytes()
}

func (v *drawing) hex(c ink) string {
	k := v.paint.rgb[c]
	return fmt.Sprintf("#%02x%02x%02x", k[0], k[1], k[2])
}

// short writes a coordinate with one decimal at most.
func short(b []byte, x float64) []byte {
	x = math.Round(x*10) / 10
	if x == 0 {
		x = 0 // not -0
	}
	return strconv.AppendFloat(b, x, 'f', -1, 64)
}

// d writes contours, each point from the one before it.
func (v *drawing) d(p path) []byte {
	var b []byte
	for _, k := range p {
		var x, y float64 // where the pen is, as written
		for i, q := range k {
			nx, ny := math.Round(q.x*10)/10, math.Round(q.y*10)/10
			switch i {
			case 0:
				b = append(b, 'M')
			case 1:
				b = append(b, 'l')
			default:
				b = append(b, ' ')
			}
			b = short(b, nx-x)
			b = append(b, ' ')
			b = short(b, ny-y)
			x, y = nx, ny
		}
		b = append(b, 'Z')
	}
	return b
}

func (v *drawing) out(p path) bool {
	x0, y0, x1, y1 := p.bounds()
	return !(x0 < v.limit[2] && y0 < v.limit[3] && x1 > v.limit[0] && y1 > v.limit[1])
}

func (v *drawing) fill(p path, col ink, strength float64) {
	if len(p) == 0 || v.out(p) {
		return
	}
	if strength > sharp {
		strength -= sharp
	}
	fmt.Fprintf(&v.body, `<path fill="%s"`, v.hex(col))
	if strength < 1 {
		fmt.Fprintf(&v.body, ` fill-opacity="%s"`, strconv.FormatFloat(math.Round(strength*100)/100, 'f', -1, 64))
	}
	fmt.Fprintf(&v.body, ` d="%s"/>`+"\n", v.d(p))
}

func (v *drawing) line(l []point, width float64, col ink, strength float64) {
	x0, y0, x1, y1 := path{l}.bounds()
	if len(l) < 2 || v.out(path{{{x0 - width, y0 - width}, {x1 + width, y1 + width}}}) {
		return
	}
	if strength > sharp {
		strength -= sharp
	}
	d := v.d(path{l})
	fmt.Fprintf(&v.body, `<path fill="none" stroke="%s" stroke-width="%s" stroke-linecap="round" stroke-linejoin="round"`, v.hex(col), short(nil, width))
	if strength < 1 {
		fmt.Fprintf(&v.body, ` stroke-opacity="%s"`, strconv.FormatFloat(math.Round(strength*100)/100, 'f', -1, 64))
	}
	fmt.Fprintf(&v.body, ` d="%s"/>`+"\n", d[:len(d)-1]) // left open
}

func (v *drawing) screen(p path, col ink, strength float64, step int) {
	if len(p) == 0 || v.out(p) {
		return
	}
	id := fmt.Sprintf("h%d-%d-%d", col, int(strength*100), step)
	if !bytes.Contains(v.defs.Bytes(), []byte(`"`+id+`"`)) {
		high := step * 4 / 5
		fmt.Fprintf(&v.defs, `<pattern id="%s" width="%d" height="%d" patternUnits="userSpaceOnUse"><path d="M0 0h2v2h-2zM%d %dh2v2h-2z" fill="%s" fill-opacity="%.2f"/></pattern>`+"\n",
			id, step, 2*high, step/2, high, v.hex(col), strength)
	}
	fmt.Fprintf(&v.body, `<path fill="url(#%s)" d="%s"/>`+"\n", id, v.d(p))
}

func (v *drawing) within(clip path, draw func()) {
	v.clips++
	fmt.Fprintf(&v.defs, `<clipPath id="c%d"><path d="%s"/></clipPath>`+"\n", v.clips, v.d(clip))
	fmt.Fprintf(&v.body, `<g clip-path="url(#c%d)">`+"\n", v.clips)
	draw()
	v.body.WriteString("</g>\n")
}

func (v *drawing) text(s string, x, y float64, align int, f fount, size float64, col, halo ink) {
	w := textWidth(s, f, size)
	x -= w * float64(align+1) / 2
	if s == "" || x+w < v.limit[0] || x > v.limit[2] || y < v.limit[1] || y-size > v.limit[3] {
		return
	}
	fmt.Fprintf(&v.body, `<text x="%s" y="%s" font-size="%s" textLength="%s" lengthAdjust="spacingAndGlyphs" fill="%s"`,
		short(nil, x), short(nil, y), short(nil, size), short(nil, w), v.hex(col))
	switch f {
	case bold:
		v.body.WriteString(` font-weight="bold"`)
	case italic:
		v.body.WriteString(` font-style="italic"`)
	}
	if halo != col {
		fmt.Fprintf(&v.body, ` stroke="%s" stroke-width="2.4" stroke-linejoin="round" paint-order="stroke"`, v.hex(halo))
	}
	v.body.WriteByte('>')
	xml.EscapeText(&v.body, []byte(s))
	v.body.WriteString("</text>\n")
}
