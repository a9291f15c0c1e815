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
	for _, b := range d.Blocks {
		w.block(b, d)
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

func (w *writer) block(b block, d *document) {
	w.line("")
	if b.Image != nil {
		w.line("[" + b.Image.Name + ": " + b.Image.Alt + "]")
		return
	}
	if b.Head != "" {
		w.line(strings.ToUpper(b.Head))
		w.line(strings.Repeat("-", min(columns, width(b.Head))))
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
	for _, p := range b.Paras {
		w.wrapped(p, "", "")
	}
	for _, l := range b.Pre {
		w.line(l)
	}
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
}

func (w *writer) card(c card, indent string) {
	w.line("")
	w.wrapped(c.Title, indent+"* ", indent+"  ")
	in := indent + "  "
	if c.Ground != "" {
		w.wrapped(c.Ground, in, in)
	}
	for _, a := range c.Armies {
		w.line(in + a.Role + ", " + a.Strength + ":")
		w.rows(a.Units, in+"  ")
	}
	if c.Odds != "" {
		w.line(in + c.Odds)
	}
	for _, f := range c.Factors {
		w.wrapped(pad(f[1], 7)+f[0]+" ("+f[2]+")", in+"  ", in+"         ")
	}
	if c.Die != "" {
		w.line(in + "⚄ " + c.Die + "  [" + c.Label + "]")
	}
	for _, list := range [][]string{c.Result, c.Possible, c.Decided} {
		for _, r := range list {
			w.wrapped(r, in, in+"  ")
		}
	}
	w.line("")
}

// rows are cells in columns without headings.
func (w *writer) rows(rows [][]string, indent string) {
	wide := widths(rows, nil)
	for _, r := range rows {
		s := indent
		for i, c := range r {
			s += pad(c, wide[i]) + "  "
		}
		w.line(s)
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

// table aligns columns; the last is wrapped below itself if the line gets long.
func (w *writer) table(t table) {
	wide := widths(t.Rows, t.Columns)
	if len(wide) == 0 {
		return
	}
	used := 0
	for _, n := range wide[:len(wide)-1] {
		used += n + 2
	}
	last := max(12, columns-used)
	put := func(r []string) {
		s := ""
		for i, c := range r[:len(r)-1] {
			s += pad(c, wide[i]) + "  "
		}
		for i, l := range wrap(r[len(r)-1], last, "", "") {
			if i > 0 {
				s = strings.Repeat(" ", used)
			}
			w.line(s + l)
		}
	}
	if len(t.Columns) > 0 {
		put(t.Columns)
		rule := make([]string, len(t.Columns))
		for i := range rule {
			rule[i] = strings.Repeat("-", min(wide[i], map[bool]int{true: last, false: wide[i]}[i == len(rule)-1]))
		}
		put(rule)
	}
	for _, r := range t.Rows {
		if len(r) > 0 {
			put(r)
		}
	}
}
