package render

import (
	"image"
	"strings"
)

// Group is a part of a card: a title and its rows of form and meaning.
type Group struct {
	Title string
	Rows  [][2]string
}

// Card draws a page of reference, two columns upright on A4: what may be
// ordered, and what it does.
func Card(style Style, title, subtitle, foot string, groups []Group) *image.Paletted {
	const (
		w, h      = 1240, 1754
		edge, gap = 56.0, 36.0
		column    = (w - 2*edge - gap) / 2
	)
	// As large as the page allows.
	form, meaning, formStep, step := 17.0, 15.5, 22.0, 19.0
	paint := style.inks()
	c := newCanvas(w, h, paint, paint.of(style.Colours["halo"]), newTools())
	colour := func(n string) ink { return paint.of(style.Colours[n]) }
	// What has to be written, measured first, so that both columns end alike.
	type line struct {
		text string
		f    fount
		size float64
		col  ink
		down float64
		bar  bool // the title of a group
		row  bool // the first line of a row
	}
	var lines []line
	total := 0.0
measure:
	lines, total = nil, 0
	for _, g := range groups {
		if len(g.Rows) == 0 {
			continue
		}
		lines = append(lines, line{text: g.Title, f: bold, size: 20, col: colour("halo"), down: 40, bar: true})
		for n, r := range g.Rows {
			for i, t := range c.broken(r[0], bold, form, column-8) {
				l := line{text: t, f: bold, size: form, col: colour("ink"), down: formStep, row: i == 0 && n > 0}
				if i == 0 {
					l.down += 4
				}
				lines = append(lines, l)
			}
			if n+1 < len(g.Rows) && g.Rows[n+1][1] == r[1] { // said once for rows that do the same
				continue
			}
			for _, t := range c.broken(r[1], regular, meaning, column-26) {
				lines = append(lines, line{text: "  " + t, f: regular, size: meaning, col: colour("faint"), down: step})
			}
		}
	}
	for _, l := range lines {
		total += l.down
	}
	if total/2 > h-128-110 && form > 9 {
		form, meaning, formStep, step = form*0.96, meaning*0.96, formStep*0.96, step*0.96
		goto measure
	}
	c.fill(box(0, 0, w, 108, 0), colour("ink"), 1)
	c.text(title, edge, 56, -1, bold, 34, colour("halo"), colour("halo"))
	c.text(subtitle, edge, 90, -1, regular, 19, colour("halo"), colour("halo"))
	x, y, used := edge, 128.0, 0.0
	for _, l := range lines {
		if x == edge && used >= total/2 && (l.bar || l.row) {
			x, y = edge+column+gap, 128
		}
		y += l.down
		used += l.down
		if l.bar {
			c.fill(box(x-8, y-22, x+column, y+8, 5), colour("river"), 1)
		}
		c.text(l.text, x, y, -1, l.f, l.size, l.col, l.col)
	}
	for i, t := range c.broken(foot, regular, 15, w-2*edge) {
		c.text(t, w/2, h-46+20*float64(i), 0, regular, 15, colour("faint"), colour("faint"))
	}
	return c.img
}

// broken breaks a text into lines of a width.
func (c *canvas) broken(s string, f fount, size, wide float64) []string {
	var out []string
	cur := ""
	for _, w := range strings.Fields(s) {
		next := w
		if cur != "" {
			next = cur + " " + w
		}
		if cur != "" && textWidth(next, f, size) > wide {
			out = append(out, cur)
			next = w
		}
		cur = next
	}
	return append(out, cur)
}
