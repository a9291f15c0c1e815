package blitz41

import (
	"sort"
	"strconv"
	"strings"

	"pbemd/engine"
	game "pbemd/engine/blitz41"
	"pbemd/orders"
)

// index knows units by all their names, written without blanks.
type index struct {
	d     *game.Data
	exact map[string][]int
	keys  []string         // of exact, sorted, for prefixes
	bare  map[string][]int // by number alone
}

// sorts are the words that may stand for the letters of an id.
var sorts = map[string][]string{
	"G":   {"G", "AK", "INF", "INFANTRY", "CORPS", "ARMYCORPS", "ARMEEKORPS", "INFANTRYCORPS"},
	"PZ":  {"PZ", "PZK", "PANZER", "PANZERKORPS", "PZCORPS", "PANZERCORPS", "CORPS"},
	"M":   {"M", "MTN", "MOUNTAIN", "MOUNTAINCORPS", "GEB", "GEBIRGS", "GEBIRGSKORPS", "CORPS"},
	"A":   {"A", "ARMY"},
	"SH":  {"SH", "SHOCK", "SHOCKARMY", "SA"},
	"MC":  {"MC", "MECH", "MECHCORPS", "MECHANIZED", "MECHANISED", "MECHANIZEDCORPS", "MECHANISEDCORPS", "CORPS"},
	"RUM": {"RUM", "ROM", "R", "RA", "ROMANIAN", "RUMANIAN", "ROMANIANARMY", "RUMANIANARMY"},
	"ABN": {"ABN", "AIRBORNE", "AIRBORNECORPS", "VDV"},
}

// nicknames are the names of units that have no number, and those of 2.5.
//
// Rule B41-2.5, B41-1.5.
var nicknames = map[string][]string{
	"COAST": {"C", "COASTAL", "COASTALARMY"},
	"4ABN":  {"AIRBORNE", "ABN"},
	"LPMA":  {"MILITIA", "LENINGRADMILITIA"},
	"PART":  {"PARTISAN", "PARTISANS"},
	"CAV":   {"CAVALRY", "CAVALRYRAID"},
	"OBG":   {"BRIDGEHEAD", "ORANIENBAUMGROUP"},
	"FMG":   {"FRONTMOBILEGROUP"},
	"SCH":   {"H", "SCHNELL", "SCHNELLCORPS", "FASTCORPS", "HUNGARIANS"},
	"CSIR":  {"I", "ITALIANS", "ITALIANCORPS"},
	"3RUM":  {"R", "R3", "RUM3", "ROMANIANS"},
	"4RUM":  {"R", "R4", "RUM4", "ROMANIANS"},
}

func newIndex(d *game.Data) index {
	x := index{d: d, exact: map[string][]int{}, bare: map[string][]int{}}
	add := func(name string, u int) {
		for _, v := range x.exact[name] {
			if v == u {
				return
			}
		}
		x.exact[name] = append(x.exact[name], u)
	}
	for u := range d.Units {
		id := string(d.Units[u].ID)
		add(id, u)
		add(strings.ReplaceAll(strings.ToUpper(d.Units[u].Name), " ", ""), u)
		for _, n := range nicknames[id] {
			add(n, u)
		}
		digits := 0
		for digits < len(id) && id[digits] >= '0' && id[digits] <= '9' {
			digits++
		}
		if digits == 0 {
			continue
		}
		n, _ := strconv.Atoi(id[:digits])
		x.bare[id[:digits]] = append(x.bare[id[:digits]], u)
		for _, s := range sorts[id[digits:]] {
			add(id[:digits]+s, u)
			add(ordinal(n)+s, u)
			if d.Units[u].Side == sideNumber(game.Axis) {
				for _, r := range roman(n) {
					add(r+s, u)
				}
			}
		}
	}
	for k := range x.exact {
		x.keys = append(x.keys, k)
	}
	sort.Strings(x.keys)
	return x
}

func sideNumber(s engine.Side) uint8 {
	if s == game.Axis {
		return 1
	}
	return 2
}

func ordinal(n int) string {
	end := "TH"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			end = "ST"
		case 2:
			end = "ND"
		case 3:
			end = "RD"
		}
	}
	return strconv.Itoa(n) + end
}

// roman writes a number as the school does and as the Wehrmacht did: XLI and
// XXXXI.
func roman(n int) []string {
	write := func(parts ...struct {
		n int
		s string
	}) string {
		var b strings.Builder
		m := n
		for _, p := range parts {
			for m >= p.n {
				b.WriteString(p.s)
				m -= p.n
			}
		}
		return b.String()
	}
	type part = struct {
		n int
		s string
	}
	school := write(part{50, "L"}, part{40, "XL"}, part{10, "X"}, part{9, "IX"}, part{5, "V"}, part{4, "IV"}, part{1, "I"})
	army := write(part{50, "L"}, part{10, "X"}, part{9, "IX"}, part{5, "V"}, part{4, "IV"}, part{1, "I"})
	if school == army {
		return []string{school}
	}
	return []string{school, army}
}

// find resolves a name written without blanks: own units first, then the
// enemy's, exact names before beginnings. More than one unit means that the
// name is ambiguous, none that it is unknown. A bare number is a beginning like
// any other: 5 is not 5G as long as there is a 56PZ.
func (x *index) find(name string, side engine.Side) []int {
	own := sideNumber(side)
	if all := x.exact[name]; len(all) > 0 {
		if mine := x.of(all, own); len(mine) > 0 {
			return mine
		}
		return all
	}
	all := x.of(x.bare[name], own)
	seen := map[int]bool{}
	for _, u := range all {
		seen[u] = true
	}
	first := len(all)
	for i := sort.SearchStrings(x.keys, name); i < len(x.keys) && strings.HasPrefix(x.keys[i], name); i++ {
		for _, u := range x.of(x.exact[x.keys[i]], own) {
			if !seen[u] {
				seen[u] = true
				all = append(all, u)
			}
		}
	}
	sort.Ints(all[first:])
	return all
}

// isExact reports whether a name is a full name of some unit.
func (x *index) isExact(name string) bool { return len(x.exact[name]) > 0 }

func (x *index) of(units []int, side uint8) []int {
	var out []int
	for _, u := range units {
		if x.d.Units[u].Side == side {
			out = append(out, u)
		}
	}
	return out
}

// suggest names up to three units that may have been meant.
func (x *index) suggest(name string, units []int, side engine.Side) []string {
	if len(units) > 0 {
		var out []string
		for _, u := range units {
			if len(out) < 3 {
				out = append(out, string(x.d.Units[u].ID))
			}
		}
		return out
	}
	var ids []string
	for u := range x.d.Units {
		if x.d.Units[u].Side == sideNumber(side) {
			ids = append(ids, string(x.d.Units[u].ID))
		}
	}
	return orders.Suggest(name, ids)
}

// listWords stand for units of a hex.
var listWords = []string{"ALL", "MECH", "LEG", "REST"}

// unitName looks at the tokens ahead for a unit: the longest run that is a full
// name, else one word. It says how many tokens the name takes, 0 if there is
// none; hexAllowed lets names like R3 count, which look like hexes.
func (r *reader) unitName(hexAllowed bool) (name string, n int) {
	for k := 0; k < 4; k++ {
		t := r.PeekAt(k)
		ok := t.Kind == orders.Word || t.Kind == orders.Int || t.Kind == orders.Hex && hexAllowed && k == 0
		if !ok || k > 0 && reserved[t.Text] && !r.l.units.isExact(name+t.Text) {
			break
		}
		name += t.Text
		if r.l.units.isExact(name) {
			n = k + 1
		}
	}
	if n > 0 {
		name = ""
		for k := 0; k < n; k++ {
			name += r.PeekAt(k).Text
		}
		return name, n
	}
	t := r.Peek()
	if t.Kind == orders.Word && !reserved[t.Text] || t.Kind == orders.Int {
		return t.Text, 1
	}
	return "", 0
}

// unit takes one unit.
func (r *reader) unit() engine.UnitID {
	name, n := r.unitName(true)
	if n == 0 && r.placeholder("unit") {
		return ""
	}
	if n == 0 {
		r.fail("expected", "b41.read.nounit", "got", r.got())
		return ""
	}
	return r.resolve(name, n)
}

func (r *reader) resolve(name string, n int) engine.UnitID {
	if !r.l.units.isExact(name) && r.placeholder("unit") {
		return ""
	}
	text := r.text(n)
	found := r.l.units.find(name, r.side)
	switch len(found) {
	case 1:
		for ; n > 0; n-- {
			r.Next()
		}
		return r.l.d.Units[found[0]].ID
	case 0:
		r.fail("unit", "b41.read.unit", "unit", text, "suggest", r.l.units.suggest(name, nil, r.side))
	default:
		r.fail("unit", "b41.read.ambiguous", "unit", text, "suggest", r.l.units.suggest(name, found, r.side))
	}
	return ""
}

// unitAhead reports whether a unit comes next in a list.
func (r *reader) unitAhead(hexAllowed bool) (string, int) {
	name, n := r.unitName(hexAllowed)
	if n == 0 {
		return "", 0
	}
	t := r.Peek()
	if reserved[t.Text] && n == 1 && !unitWords[t.Text] {
		return "", 0
	}
	if t.Text == "MSU" && r.PeekAt(1).Text == "FALLBACK" { // the policy, not the unit
		return "", 0
	}
	if !r.l.units.isExact(name) && r.placeAhead() > 0 {
		return "", 0
	}
	return name, n
}

// unitList takes names parted by commas, plus signs or blanks.
func (r *reader) unitList() []engine.UnitID {
	var out []engine.UnitID
	seen := map[engine.UnitID]bool{}
	for first := true; ; first = false {
		c := *r.Cursor
		sep := false
		if !first {
			_, sep = r.AcceptAny(",", "+")
		}
		name, n := r.unitAhead(first || sep)
		if n == 0 {
			*r.Cursor = c
			break
		}
		id := r.resolve(name, n)
		if id == "" {
			return nil
		}
		if seen[id] {
			r.fail("unit", "b41.read.twice", "unit", string(id))
			return nil
		}
		seen[id] = true
		out = append(out, id)
	}
	if len(out) == 0 {
		r.fail("expected", "b41.read.nounit", "got", r.got())
	}
	return out
}

// units takes a unit list or a list word, which may be followed by exceptions.
func (r *reader) units() game.Units {
	if w, ok := r.AcceptAny(listWords...); ok {
		u := game.Units{Word: w}
		for r.Accept("-") {
			u.Except = append(u.Except, r.unit())
			if r.failed() {
				return game.Units{}
			}
		}
		return u
	}
	return game.Units{IDs: r.unitList()}
}

// optionalUnits takes a unit list if one comes next; else it means all.
func (r *reader) optionalUnits() game.Units {
	if _, n := r.unitAhead(true); n > 0 || r.isWord(listWords...) {
		return r.units()
	}
	return game.Units{}
}
