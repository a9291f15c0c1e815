package render

import (
	"math"

	"pbemd/engine/scene"
)

// row is a line of the legend.
type row struct {
	text string
	draw func(x, y float64)
}

// rows are what this map and the war on it need explained.
func (p *pen) rows() []row {
	u := p.u()
	var out []row
	add := func(key string, draw func(x, y float64)) { out = append(out, row{p.style.word("legend." + key), draw}) }
	swatch := func(col ink) func(x, y float64) {
		return func(x, y float64) {
			p.fill(box(x-13*u, y-7.5*u, x+13*u, y+7.5*u, 2*u), p.colour("grid"), 1)
			p.fill(box(x-12*u, y-6.5*u, x+12*u, y+6.5*u, 1.4*u), col, 1)
		}
	}
	flat := func(x, y float64) []point { return []point{{x - 13*u, y}, {x + 13*u, y}} }
	there := map[string]bool{}
	for _, h := range p.m.Hexes {
		there[h.Terrain] = true
	}
	for _, t := range []string{"clear", "broken", "forest", "marsh", "swamp", "mountain"} {
		if there[t] {
			add(t, swatch(p.colour(t)))
		}
	}
	class := map[string]bool{}
	for _, r := range p.m.Rivers {
		class[r.Class] = true
	}
	if class["minor"] || class["river"] {
		add("minor", func(x, y float64) { p.fill(taper(flat(x, y), 1.6*u, 3.6*u), p.colour("river"), .9) })
	}
	if class["major"] {
		add("major", func(x, y float64) {
			p.fill(taper(flat(x, y), 5*u, 7.6*u), p.colour("river"), 1)
			p.fill(taper(flat(x, y), 2*u, 4.2*u), p.colourOr("river_light", "river"), 1)
		})
	}
	if len(p.m.Lakes) > 0 {
		add("lake", func(x, y float64) {
			p.stroke([]point{{x - 9*u, y}, {x + 9*u, y}}, 12*u, p.colour("coastline"), .9)
			p.stroke([]point{{x - 9*u, y}, {x + 9*u, y}}, 9*u, p.colour("lake"), 1)
		})
	}
	if class["strait"] || class["sivash"] {
		add("strait", func(x, y float64) {
			p.stroke(flat(x, y), 6*u, p.colour("strait"), 1)
			for _, d := range dashes(flat(x, y), 5*u, 5*u) {
				p.stroke(d, 1.8*u, p.colour("halo"), 1)
			}
		})
	}
	if len(p.m.Rails) > 0 {
		add("rail", func(x, y float64) {
			p.stroke(flat(x, y), 1.3*u, p.colourOr("rail", "ink"), .8)
			for i := -1.0; i <= 1; i++ {
				p.stroke([]point{{x + i*8*u, y - 2.6*u}, {x + i*8*u, y + 2.6*u}}, u, p.colourOr("rail", "ink"), .8)
			}
		})
	}
	border := map[string]bool{}
	for _, b := range p.m.Borders {
		border[b.Class] = true
	}
	if border["border"] {
		add("border", func(x, y float64) { p.border(flat(x, y), "border") })
	}
	if border["weather"] {
		add("weatherline", func(x, y float64) { p.border(flat(x, y), "weather") })
	}
	for _, r := range p.m.Regions {
		if r.Kind == "zomo" {
			out = append(out, row{p.style.word("legend.region") + " " + p.style.called(r.Name), swatch(p.colourOr(regionKey(r.Name), "offmap"))})
		}
	}
	sources := map[string]bool{}
	for _, v := range p.m.Sources {
		if !sources[v.Side] {
			sources[v.Side] = true
			add("source_"+v.Side, func(x, y float64) { p.source(flat(x, y), v.Side) })
		}
	}
	kinds := map[string]bool{}
	port, vps := false, false
	for _, s := range p.m.Places {
		kinds[s.Kind] = true
		port, vps = port || s.Port, vps || s.VP > 0
	}
	for _, k := range []string{"capital", "city", "town", "oil"} {
		if kinds[k] {
			add(k, func(x, y float64) { p.sign(x, y, k) })
		}
	}
	if port {
		add("port", func(x, y float64) { p.anchor(x, y) })
	}
	if vps {
		add("vp", func(x, y float64) { p.points(x, y, 4) })
	}
	fort := func(f scene.Fort, hollow, wrecked bool) func(x, y float64) {
		return func(x, y float64) { p.fort(point{x - 31*u, y - u}, f, hollow, wrecked) }
	}
	lines := map[string]scene.Fort{}
	var order []string
	for _, f := range p.m.Forts {
		if k := f.Kind + f.Line; lines[k].Kind == "" {
			lines[k] = f
			order = append(order, k)
		}
	}
	for _, k := range order {
		f := lines[k]
		if f.Line != "" {
			out = append(out, row{f.Line, fort(f, false, false)})
			continue
		}
		add(f.Kind, fort(f, false, false))
	}
	if len(order) > 0 {
		f := lines[order[len(order)-1]]
		add("inactive", fort(f, true, false))
		add("wrecked", fort(f, false, true))
	}
	w := &war{pen: *p, s: &scene.Scene{}}
	add("front", func(x, y float64) { w.frontLine(flat(x, y), true) })
	add("held", func(x, y float64) {
		swatch(p.colour("clear"))(x, y)
		w.held(box(x-12*u, y-6.5*u, x+12*u, y+6.5*u, 1.4*u))
	})
	for _, k := range []string{"move", "assault", "retreat", "advance"} {
		add(k, func(x, y float64) { w.arrow(k, []point{{x - 14*u, y}, {x + 15*u, y}}) })
	}
	add("burst", func(x, y float64) { w.burst(x, y, 9*u, "") })
	add("source", func(x, y float64) { w.spring(x, y) })
	add("oos", func(x, y float64) { w.badge(x, y, "oos") })
	add("air", func(x, y float64) { w.badge(x, y, "air") })
	add("hedgehog", func(x, y float64) { w.hedgehog(x, y) })
	add("stack", func(x, y float64) { w.count(x, y, 3) })
	return out
}

// legendSize is the room the legend takes in a number of columns.
func (p *pen) legendSize(rows []row, columns int) (w, h, column float64) {
	u := p.u()
	for _, r := range rows {
		column = max(column, textWidth(r.text, regular, 12*u)+60*u)
	}
	n := (len(rows) + columns - 1) / columns
	return column*float64(columns) + 8*u, float64(n)*19*u + 18*u, column
}

func (p *pen) legend(rows []row, x, y float64, columns int) {
	u := p.u()
	w, h, column := p.legendSize(rows, columns)
	p.fill(box(x, y, x+w, y+h, 6*u), p.colour("grid"), 1)
	p.fill(box(x+1.4*u, y+1.4*u, x+w-1.4*u, y+h-1.4*u, 5*u), p.colour("halo"), 1)
	n := (len(rows) + columns - 1) / columns
	for i, r := range rows {
		rx := x + float64(i/n)*column
		ry := y + 18*u + float64(i%n)*19*u
		r.draw(rx+26*u, ry)
		p.label(r.text, rx+50*u, ry+4.2*u, -1, regular, 12*u, p.colour("ink"))
	}
}

// free reports whether a rectangle of the sheet touches no hex.
func (p *pen) free(x0, y0, x1, y1 float64) bool {
	rx, ry := p.reach()
	in := func(k point) bool { return k.x+rx > x0 && k.x-rx < x1 && k.y+ry > y0 && k.y-ry < y1 }
	for _, h := range p.m.Hexes {
		if in(p.centre(h.At)) {
			return false
		}
	}
	for _, r := range p.m.Regions {
		for _, c := range r.Hexes {
			if in(p.centre(c)) {
				return false
			}
		}
	}
	return true
}

// scaleBar is a bar of whole hexes with its length, and north.
func (p *pen) scaleBar(x, y float64) {
	u := p.u()
	ink, halo := p.colour("ink"), p.colour("halo")
	n := 2
	if p.m.HexKm > 120 {
		n = 1
	}
	w := float64(n) * p.size
	for i := 0; i < 4; i++ {
		col := ink
		if i%2 == 1 {
			col = halo
		}
		x0, x1 := x+w*float64(i)/4, x+w*float64(i+1)/4
		p.fill(box(x0, y-3*u, x1, y+3*u, 0), ink, 1)
		p.fill(box(x0+u, y-2*u, x1-u, y+2*u, 0), col, 1)
	}
	text := "1 hex"
	if n > 1 {
		text = itoa(n) + " hexes"
	}
	text = p.style.wordOr("legend.hexes"+itoa(n), text)
	if p.m.HexKm > 0 {
		text += " = " + itoa(n*p.m.HexKm) + " km"
	}
	p.label(text, x, y+17*u, -1, regular, 11*u, ink)
}

// compass is a needle that points north.
func (p *pen) compass(x, y float64) {
	u := p.u()
	ink, halo := p.colour("ink"), p.colour("halo")
	sin, cos := math.Sincos(p.m.North * math.Pi / 180)
	at := func(a, b float64) point { return point{x + a*cos*u - b*sin*u, y + a*sin*u + b*cos*u} }
	p.fill(ring(x, y, 15*u, 15*u, 1.2*u), ink, .6)
	p.fill(path{{at(0, -21), at(5, 0), at(0, 15), at(-5, 0)}}, ink, 1)
	p.fill(path{{at(0, -17), at(3.2, -1), at(0, 0)}}, halo, 1)
	p.fill(path{{at(0, 12), at(-3.2, 1), at(0, 0)}}, halo, 1)
	n := at(0, -29)
	p.label(p.style.wordOr("legend.north", "N"), n.x, n.y+4*u, 0, bold, 12*u, ink)
}

// figures writes what stands in the margin, from the right edge x leftwards,
// and returns where it came to.
func (p *pen) figures(track []scene.Figure, x, y float64) float64 {
	u := p.u()
	ink, halo := p.colour("ink"), p.colour("halo")
	for i := len(track) - 1; i >= 0; i-- {
		f := track[i]
		bar := f.Max > 0
		w := max(textWidth(f.Value, bold, 20*u), textWidth(f.Label, regular, 11.5*u)) + 22*u
		if bar {
			w += 170 * u
		}
		p.fill(box(x-w, y, x, y+50*u, 6*u), p.colour("grid"), 1)
		p.fill(box(x-w+1.4*u, y+1.4*u, x-1.4*u, y+48.6*u, 5*u), halo, 1)
		if bar {
			p.bar(f, x-172*u, y+15*u, 158*u)
			w0 := w - 170*u
			p.label(f.Label, x-w+w0/2, y+17*u, 0, regular, 11.5*u, p.colour("faint"))
			p.label(f.Value, x-w+w0/2, y+40*u, 0, bold, 20*u, ink)
		} else {
			p.label(f.Label, x-w/2, y+17*u, 0, regular, 11.5*u, p.colour("faint"))
			p.label(f.Value, x-w/2, y+40*u, 0, bold, 20*u, ink)
		}
		x -= w + 8*u
	}
	return x
}

// bar shows how far a figure is on its way, and the goal.
func (p *pen) bar(f scene.Figure, x, y, w float64) {
	u := p.u()
	ink, halo := p.colour("ink"), p.colour("halo")
	at := func(n int) float64 { return x + w*float64(max(0, min(n, f.Max)))/float64(f.Max) }
	p.fill(box(x, y, x+w, y+11*u, 2*u), ink, 1)
	p.fill(box(x+1.2*u, y+1.2*u, x+w-1.2*u, y+9.8*u, 1.2*u), halo, 1)
	if f.At > 0 {
		p.fill(box(x+1.2*u, y+1.2*u, max(x+3*u, at(f.At)-1.2*u), y+9.8*u, 1.2*u), p.colour("vp"), 1)
	}
	step := 10
	for n := step; n < f.Max; n += step {
		p.fill(box(at(n)-.5*u, y+6.5*u, at(n)+.5*u, y+11*u, 0), ink, .7)
	}
	if f.Goal > 0 && f.Goal <= f.Max {
		g := at(f.Goal)
		p.fill(box(g-1*u, y-3*u, g+1*u, y+12*u, 0), p.colourOr("goal", "border"), 1)
		p.fill(path{{{g, y}, {g - 4.5*u, y - 6*u}, {g + 4.5*u, y - 6*u}}}, p.colourOr("goal", "border"), 1)
		p.label(itoa(f.Goal), g, y+24*u, 0, bold, 11*u, ink)
	}
	if f.Goal == 0 || at(f.Goal)-x > 20*u {
		p.label("0", x, y+24*u, -1, regular, 10*u, p.colour("faint"))
	}
	if f.Goal == 0 || x+w-at(f.Goal) > 26*u {
		p.label(itoa(f.Max), x+w, y+24*u, 1, regular, 10*u, p.colour("faint"))
	}
}
