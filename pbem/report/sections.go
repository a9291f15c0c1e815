package report

import (
	"slices"
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

// rowsFor are the rows of a section that a SHOW asks for; whole says that it
// asks for all of it.
func rowsFor(s engine.Section, do admin.Show, say func(engine.Text) string) (rows []int, whole bool) {
	kind, _, _ := strings.Cut(s.Key, ".")
	keys, known := sectionsOf[strings.ToUpper(do.What)]
	if !known {
		keys = []string{"own", "enemy", "off", "new", "places"}
	}
	if !slices.Contains(keys, kind) {
		return nil, false
	}
	whole = do.Hex == "" && do.Unit == ""
	for i, r := range s.Rows {
		in := whole
		for _, c := range r {
			if in {
				break
			}
			words := strings.Fields(say(c))
			in = len(words) > 0 && (do.Hex != "" && words[0] == do.Hex || do.Unit != "" && words[0] == string(do.Unit))
		}
		if in {
			rows = append(rows, i)
		}
	}
	return rows, whole
}

// part is the part of a section that is asked for, false if none.
func (w wants) part(s engine.Section, say func(engine.Text) string, has func(key string) bool) (engine.Section, bool) {
	var keep []int
	for _, do := range w.shows {
		rows, whole := rowsFor(s, do, say)
		if whole {
			return s, true
		}
		keep = append(keep, rows...)
	}
	slices.Sort(keep)
	all := s.Rows
	s.Rows, s.Notes = nil, nil
	if key := s.Title.Key + ".part"; has(key) { // the full title counts what isn't shown
		s.Title = engine.Text{Key: key, Args: s.Title.Args}
	}
	for _, i := range slices.Compact(keep) {
		s.Rows = append(s.Rows, all[i])
	}
	return s, len(keep) > 0
}

// unshown is why a SHOW has no answer, by the number of its line. It says the
// same of a unit of the enemy's and of one that doesn't exist.
func (d *document) unshown(l pbem.Letter) map[int]string {
	out := map[int]string{}
	if l.View == nil {
		return out
	}
	for _, q := range l.Requests {
		do, ok := q.Do.(admin.Show)
		if !ok {
			continue
		}
		found := false
		for _, s := range l.View.Sections {
			rows, whole := rowsFor(s, do, d.lang.Say)
			found = found || len(rows) > 0 || whole && len(s.Notes) > 0
		}
		switch {
		case found:
		case do.Unit != "":
			out[q.Line] = d.say("report.show.unit", "unit", string(do.Unit))
		case do.Hex == "":
			out[q.Line] = d.say("report.show.none")
		case strings.EqualFold(do.What, "SUPPLY"):
			out[q.Line] = d.say("report.show.hex", "hex", do.Hex)
		default:
			out[q.Line] = d.say("report.show.stack", "hex", do.Hex)
		}
	}
	return out
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
		if p, ok := w.part(s, d.lang.Say, d.lang.Has); ok {
			d.section(p)
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
