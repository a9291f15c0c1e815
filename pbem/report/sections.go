package report

import (
	"strings"

	"pbemd/engine"
	"pbemd/orders/admin"
	"pbemd/pbem"
)

// full reports whether a letter is a report: it tells how things stand and
// carries the proof of it.
func full(l pbem.Letter) bool { return l.View != nil && l.Head != "" }

// wants is what a letter shows of its view: all of it in a report and for
// STATUS, else what was asked for.
type wants struct {
	all   bool
	shows []admin.Show
}

func asked(l pbem.Letter) wants {
	w := wants{all: full(l) || len(l.Requests) == 0}
	for _, q := range l.Requests {
		switch do := q.Do.(type) {
		case admin.Status:
			w.all = true
		case admin.Show:
			w.shows = append(w.shows, do)
		}
	}
	return w
}

// sectionsOf are the tables that answer a SHOW.
var sectionsOf = map[string][]string{
	"STACK": {"own", "enemy"}, "SUPPLY": {"own"}, "CONTROL": {"places"}, "POOLS": {"new", "off"}, "VP": {"places"},
	"BOX": {"off"}, "AIR": {"new"}, "REPLACEMENTS": {"new", "off"},
}

// part is the part of a section that a SHOW asks for, false if none.
func part(s engine.Section, do admin.Show, say func(engine.Text) string) (engine.Section, bool) {
	kind, _, _ := strings.Cut(s.Key, ".")
	keys, known := sectionsOf[strings.ToUpper(do.What)]
	if !known {
		keys = []string{"own", "enemy", "off", "new", "places"}
	}
	in := false
	for _, k := range keys {
		in = in || k == kind
	}
	if !in {
		return s, false
	}
	if do.Hex == "" && do.Unit == "" {
		return s, true
	}
	var rows [][]engine.Text
	for _, r := range s.Rows {
		for _, c := range r {
			words := strings.Fields(say(c))
			if len(words) > 0 && (do.Hex != "" && words[0] == do.Hex || do.Unit != "" && words[0] == string(do.Unit)) {
				rows = append(rows, r)
				break
			}
		}
	}
	s.Rows, s.Notes = rows, nil
	return s, len(rows) > 0
}

// view shows how things stand: the state, then the forces by sector, what is
// beside the map, the places, and what may be ordered now.
func (d *document) view(l pbem.Letter) {
	v := l.View
	if v == nil {
		return
	}
	w := asked(l)
	if w.all {
		b := block{Head: d.say("report.head.status"), Slot: maps}
		for _, s := range v.Status {
			b.Facts = append(b.Facts, [2]string{d.lang.Say(s.Label), d.lang.Say(s.Value)})
		}
		d.add(b)
		d.sketches(l)
	} else {
		d.add(block{Slot: maps})
	}
	for _, s := range v.Sections {
		if s.Key == "warning" || s.Key == "terms" || len(s.Rows) == 0 && len(s.Notes) == 0 {
			continue
		}
		if w.all {
			d.section(s)
			continue
		}
		for _, do := range w.shows {
			if p, ok := part(s, do, d.lang.Say); ok {
				d.section(p)
				break
			}
		}
	}
	if w.all && len(v.Options) > 0 {
		d.add(block{Head: d.say("report.head.options"), Paras: d.says(v.Options)})
	}
}

// section is a table without its empty columns.
func (d *document) section(s engine.Section) {
	b := block{Head: d.lang.Say(s.Title), Paras: d.says(s.Notes)}
	kind, _, _ := strings.Cut(s.Key, ".")
	t := &table{Group: kind == "own" || kind == "enemy"}
	rows := make([][]string, len(s.Rows))
	filled := make([]bool, len(s.Columns))
	for i, r := range s.Rows {
		rows[i] = make([]string, len(s.Columns))
		for k := range s.Columns {
			if k < len(r) {
				rows[i][k] = d.lang.Say(r[k])
				filled[k] = filled[k] || rows[i][k] != ""
			}
		}
	}
	for k, c := range s.Columns {
		if !filled[k] {
			continue
		}
		t.Columns = append(t.Columns, d.lang.Say(c))
		for i := range rows {
			if len(t.Rows) <= i {
				t.Rows = append(t.Rows, nil)
			}
			t.Rows[i] = append(t.Rows[i], rows[i][k])
		}
	}
	if t.Group {
		for i := len(t.Rows) - 1; i > 0; i-- {
			if t.Rows[i][0] == t.Rows[i-1][0] {
				t.Rows[i][0] = ""
			}
		}
	}
	if len(t.Rows) > 0 {
		b.Table = t
	}
	d.add(b)
}
