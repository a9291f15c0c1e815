package blitz41

import (
	"sort"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"pbemd/engine"
)

// fronts are the parts of the map that reports go by: rows from and to.
var fronts = []struct {
	key         string
	first, last string
}{{"north", "A", "I"}, {"centre", "J", "O"}, {"south", "P", "EE"}}

var (
	aboutMu sync.Mutex
	abouts  = map[*Data]*about{}
)

// about is what reports say of a data set; it never changes.
type about struct {
	sectors []engine.Sector
	made    []engine.Text // what is reconstructed
}

func (d *Data) about() *about {
	aboutMu.Lock()
	defer aboutMu.Unlock()
	a := abouts[d]
	if a == nil {
		a = &about{made: d.reconstructed()}
		for _, f := range fronts {
			s := engine.Sector{Key: f.key, Name: engine.T("b41.sector." + f.key), Span: engine.T("b41.sector.rows", "from", f.first, "to", f.last)}
			for h := 0; h < d.Board.Len(); h++ {
				c := d.Board.At(h)
				if row := strings.TrimRight(c.String(), "0123456789"); within(row, f.first, f.last) {
					s.Hexes = append(s.Hexes, c)
				}
			}
			a.sectors = append(a.sectors, s)
		}
		abouts[d] = a
	}
	return a
}

// within compares names of rows: Z comes before AA.
func within(row, first, last string) bool {
	after := func(a, b string) bool { return len(a) > len(b) || len(a) == len(b) && a >= b }
	return after(row, first) && after(last, row)
}

func (d *Data) sectors() []engine.Sector { return d.about().sectors }

// reconstructed counts, file by file and table by table, the values whose source
// isn't the rulebook.
func (d *Data) reconstructed() []engine.Text {
	type count struct{ made, all int }
	var out []engine.Text
	for _, file := range []string{"charts.toml", "counters.toml", "map.toml", "setup.toml"} {
		var tree map[string]any
		if _, err := toml.Decode(string(d.raw[file]), &tree); err != nil {
			continue // refused when the set was loaded
		}
		names := make([]string, 0, len(tree))
		for n := range tree {
			names = append(names, n)
		}
		sort.Strings(names)
		var parts []engine.Text
		for _, n := range names {
			var c count
			var walk func(v any)
			walk = func(v any) {
				switch v := v.(type) {
				case map[string]any:
					for k, w := range v {
						if s, ok := w.(string); ok && (k == "source" || strings.HasSuffix(k, "_source")) {
							c.all++
							if strings.Contains(s, "reconstructed") {
								c.made++
							}
							continue
						}
						walk(w)
					}
				case []map[string]any:
					for _, w := range v {
						walk(w)
					}
				case []any:
					for _, w := range v {
						walk(w)
					}
				}
			}
			walk(tree[n])
			if c.made > 0 {
				parts = append(parts, engine.T("b41.terms.table", "table", engine.T("b41.table."+n), "made", c.made, "all", c.all))
			}
		}
		if len(parts) > 0 {
			out = append(out, engine.T("b41.terms.file", "file", file, "parts", parts))
		}
	}
	return out
}

// terms is what a game is played by: its options, the rulings read the other
// way, and what of its data is reconstructed.
//
// Rule B41-13.4, B41-15.7.A.
func (r *Rules) terms() engine.Section {
	sec := engine.Section{Key: "terms", Title: engine.T("b41.terms.title"), Columns: cols("what", "value")}
	row := func(key string, on bool) {
		value := "no"
		if on {
			value = "yes"
		}
		sec.Rows = append(sec.Rows, []engine.Text{engine.T("b41.terms." + key), engine.T("b41.terms." + key + "." + value)})
	}
	row("fog", !r.opt.Open)
	if !r.opt.Open {
		row("heights", r.opt.Heights)
	}
	row("leningrad", r.opt.Leningrad)
	for _, v := range Readings {
		for _, id := range r.opt.Other {
			if id == v.ID {
				sec.Notes = append(sec.Notes, engine.T("b41.terms.other", "id", v.ID.Number(), "rule", v.Rule.Number(), "question", engine.T(v.Key), "reading", engine.T(v.Other)))
			}
		}
	}
	if len(sec.Notes) == 0 {
		sec.Notes = append(sec.Notes, engine.T("b41.terms.rulings"))
	}
	if made := r.d.about().made; len(made) > 0 {
		sec.Notes = append(sec.Notes, engine.T("b41.terms.made"))
		sec.Notes = append(sec.Notes, made...)
	}
	return sec
}
