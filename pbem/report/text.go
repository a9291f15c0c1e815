package report

import "strings"

const columns = 72

type writer struct{ strings.Builder }

func (w *writer) line(s string) { w.WriteString(strings.TrimRight(s, " ") + "\n") }

func (w *writer) wrapped(s, first, rest string) {
	for _, l := range wrap(s, columns, first, rest) {
		w.line(l)
	}
}

// text is the letter as plain text that stands without the picture.
func (d *document) text() string {
	w := &writer{}
	head := d.Word
	if d.Title != "" {
		head += " · " + d.Title
	}
	w.wrapped(head, "", "")
	if d.Game != "" {
		sub := d.Game
		if d.Sub != "" {
			sub += " · " + d.Sub
		}
		w.wrapped(sub, "", "")
	}
	w.line(strings.Repeat("=", columns))
	for _, p := range d.Lead {
		w.wrapped(p, "", "")
	}
	if len(d.Glance) > 0 {
		if len(d.Lead) > 0 {
			w.line("")
		}
		wide := 0
		for _, g := range d.Glance {
			wide = max(wide, width(g[0]))
		}
		for _, g := range d.Glance {
			w.wrapped(g[1], pad(g[0], wide)+"  ", strings.Repeat(" ", wide+2))
		}
	}
	if d.Warn != nil {
		w.line("")
		w.line("!! " + strings.ToUpper(d.Warn.Head) + " !!")
		for _, p := range d.Warn.Paras {
			w.wrapped(p, "!! ", "!! ")
		}
	}
	for _, b := range d.Blocks {
		w.block(b)
	}
	if len(d.Foot) > 0 {
		w.line("")
		w.line(strings.Repeat("-", columns))
		for _, f := range d.Foot {
			w.wrapped(f, "", "")
		}
	}
	return strings.TrimLeft(w.String(), "\n")
}

func (w *writer) block(b block) {
	if b.empty() {
		return
	}
	w.line("")
	if b.Image != nil {
		w.wrapped(b.Image.Name+": "+b.Image.Alt+"]", "[", " ")
		return
	}
	if b.Head != "" {
		head := wrap(strings.ToUpper(b.Head), columns, "", "")
		for _, h := range head {
			w.line(h)
		}
		w.line(strings.Repeat("-", min(columns, width(head[0]))))
	}
	if b.Note != "" {
		w.wrapped(b.Note, "", "")
		w.line("")
	}
	for _, p := range b.Intro {
		w.wrapped(p, "", "")
	}
	for _, l := range b.Lines {
		no := pad(l.No, 3)
		w.wrapped(l.Text, no+" "+l.Mark+" ", "      ")
		for _, n := range l.Notes {
			w.wrapped(n, "      ", "      ")
		}
		for _, e := range l.Items {
			w.entry(e, "      ")
		}
	}
	for _, o := range b.Options {
		w.wrapped(o.Clause+": "+o.Text, "  "+o.Letter+"  ", "     ")
	}
	for _, f := range b.Facts {
		w.wrapped(f[0]+": "+f[1], "", "  ")
	}
	for _, e := range b.Entries {
		w.entry(e, "")
	}
	if b.Table != nil {
		w.table(*b.Table)
	}
	if !b.Sketch {
		for _, p := range b.Paras {
			w.wrapped(p, "", "")
		}
	}
	for _, l := range b.Pre {
		if b.Wrap && width(l) > columns {
			in := l[:len(l)-len(strings.TrimLeft(l, " "))]
			w.wrapped(l, in, in+"  ")
			continue
		}
		w.line(l)
	}
	if b.Sketch && len(b.Paras) > 0 {
		w.line("")
		for _, p := range b.Paras {
			w.wrapped(p, "", "")
		}
	}
}

// empty reports whether there is nothing in a block to be seen.
func (b block) empty() bool {
	return b.Image == nil && b.Head == "" && len(b.Intro)+len(b.Paras)+len(b.Lines)+len(b.Entries)+len(b.Pre)+len(b.Options)+len(b.Facts) == 0 && b.Table == nil
}

func (w *writer) entry(e entry, indent string) {
	if e.Card != nil {
		w.card(*e.Card, indent)
		return
	}
	s := e.Text
	if e.Rule != "" {
		s += " (" + e.Rule + ")"
	}
	w.wrapped(s, indent+"· ", indent+"  ")
	for _, l := range e.List {
		w.wrapped(l, indent+"    ", indent+"      ")
	}
}

func (w *writer) card(c card, indent string) {
	w.line("")
	title := c.Title
	if c.Rule != "" {
		title += " (" + c.Rule + ")"
	}
	w.wrapped(title, indent+"* ", indent+"  ")
	in := indent + "  "
	if c.Ground != "" {
		w.wrapped(c.Ground, in, in)
	}
	for _, a := range c.Armies {
		w.wrapped(a.Role+", "+a.Name+": "+a.Strength, in, in+"  ")
		w.rows(a.Units, in+"  ")
	}
	if c.Odds != "" {
		w.wrapped(c.Odds, in, in+"  ")
	}
	for _, f := range c.Factors {
		w.wrapped(pad(f[1], 7)+f[0]+" ("+f[2]+")", in+"  ", in+"         ")
	}
	if c.Die != "" {
		die := c.Die
		if c.Faces != "" {
			die = c.Faces + " " + die
		}
		w.line(in + die + "  [" + c.Label + "]")
	}
	for _, list := range [][]string{c.Result, c.Possible} {
		for _, r := range list {
			w.wrapped(r, in, in+"  ")
		}
	}
	if len(c.Decided) > 0 {
		w.wrapped(c.Called, in, in)
		for _, r := range c.Decided {
			w.wrapped(r, in+"- ", in+"  ")
		}
	}
	w.line("")
}

// rows are cells in columns without headings.
func (w *writer) rows(rows [][]string, indent string) {
	wide := widths(rows, nil)
	for _, r := range rows {
		s := ""
		for i, c := range r {
			if wide[i] > 0 {
				s += pad(c, wide[i]) + "  "
			}
		}
		if width(indent+strings.TrimRight(s, " ")) > columns {
			w.wrapped(s, indent, indent+"      ")
			continue
		}
		w.line(indent + s)
	}
}

func widths(rows [][]string, heads []string) []int {
	var out []int
	grow := func(r []string) {
		for i, c := range r {
			if i == len(out) {
				out = append(out, 0)
			}
			out[i] = max(out[i], width(c))
		}
	}
	grow(heads)
	for _, r := range rows {
		grow(r)
	}
	return out
}

// table aligns columns; where they are too many for the line, the widest are
// narrowed and their cells wrapped.
func (w *writer) table(t table) {
	wide := widths(t.Rows, t.Columns)
	if len(wide) == 0 {
		return
	}
	for {
		used, widest := -2, 0
		for i, n := range wide {
			used += n + 2
			if n > wide[widest] {
				widest = i
			}
		}
		if used <= columns || wide[widest] <= 8 {
			break
		}
		wide[widest]--
	}
	put := func(r []string) {
		cells := make([][]string, len(r))
		high := 0
		for i, c := range r {
			cells[i] = wrap(c, wide[i], "", "")
			high = max(high, len(cells[i]))
		}
		for k := range high {
			s := ""
			for i := range r {
				c := ""
				if k < len(cells[i]) {
					c = cells[i][k]
				}
				s += pad(c, wide[i]) + "  "
			}
			w.line(s)
		}
	}
	if len(t.Columns) > 0 {
		put(t.Columns)
		rule := make([]string, len(t.Columns))
		for i := range rule {
			rule[i] = strings.Repeat("-", wide[i])
		}
		put(rule)
	}
	for _, r := range t.Rows {
		if len(r) > 0 {
			put(r)
		}
	}
}
