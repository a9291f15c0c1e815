package blitz41

import (
	"sort"
	"strconv"

	"pbemd/engine"
	"pbemd/engine/force"
	"pbemd/engine/scene"
)

// sees reports whether a side may look beneath the top unit of a stack.
//
// Rule B41-13.1, B41-13.2, B41-13.4.
func (p *Position) sees(viewer, owner uint8, h int) bool {
	switch {
	case viewer == owner || p.opt.Open:
		return true
	case viewer == axis && p.turn == 1 && p.phase == AssaultPhase: // B41-A79
		for _, n := range p.d.Board.Neighbours(h) {
			if n >= 0 && p.d.Board.Any(n, Zomo) {
				return true
			}
		}
	}
	return false
}

// topOf is the unit of a side that lies on top in a hex: the one its owner
// chose, else the weakest leg unit. The MSU covers no combat unit, for whether it
// is alone decides what the enemy may do there.
//
// Rule B41-13.2, B41-A38, B41-A78.
func (p *Position) topOf(h int, s uint8) int {
	if t := int(p.top[h]); t >= 0 && p.At(t) == h && p.unit(t).Side == s && (p.unit(t).Class != "none" || !p.holds(s, h)) {
		return t
	}
	return p.weakestOf(p.unitsIn(h, s))
}

// weakestOf is the unit that lies on top where no one has chosen.
func (p *Position) weakestOf(units []int) int {
	best, rank := -1, 0
	for _, u := range units {
		f, r := p.face(u), 0
		switch p.unit(u).Class {
		case "leg":
			r = 1000
		case "mech":
			r = 500
		}
		r -= 10*(f[0]+f[1]) + p.Steps(u)
		if best < 0 || r > rank || r == rank && u < best {
			best, rank = u, r
		}
	}
	return best
}

// visible lists what a viewer may know of a side's units in a hex, the top one
// first, and whether there may be more.
func (p *Position) visible(h int, owner, viewer uint8) (units []int, more bool) {
	all := p.unitsIn(h, owner)
	if len(all) == 0 {
		return nil, false
	}
	top := p.topOf(h, owner)
	if !p.sees(viewer, owner, h) {
		return []int{top}, true
	}
	units = []int{top}
	for _, u := range all {
		if u != top {
			units = append(units, u)
		}
	}
	return units, false
}

// Face writes the factors in play.
func (p *Position) faceText(u int) string {
	if p.Steps(u) == 0 {
		return ""
	}
	f := p.face(u)
	return strconv.Itoa(f[0]) + "-" + strconv.Itoa(f[1]) + "-" + strconv.Itoa(f[2])
}

// View implements [engine.Game].
//
// Rule B41-2.8.E, B41-13.3.
func (r *Rules) View(pos engine.Position, s engine.Side) engine.View {
	p := pos.(*Position)
	viewer := number(s)
	v := engine.View{Game: r.ID(), Side: s, State: p.State()}
	t := p.d.Turns[p.turn]
	if p.ended != nil {
		v.Title = engine.T("b41.title.over", "turn", p.turn, "dates", t.Dates)
	} else {
		v.Title = engine.T("b41.title", "side", string(sideOf(p.side)), "phase", p.phase.Word(), "turn", p.turn, "dates", t.Dates)
	}
	v.Status = p.statusLines()
	v.Sectors = p.d.sectors()
	if viewer != nobody {
		v.Sections = append(v.Sections, p.warnings(viewer)...)
		v.Sections = append(v.Sections, p.ownForces(viewer)...)
		v.Supply = p.supplyShades(viewer)
	}
	for _, owner := range []uint8{axis, soviet} {
		if owner != viewer {
			v.Sections = append(v.Sections, p.forcesSeen(owner, viewer)...)
		}
	}
	if viewer != nobody {
		if off := p.besideMap(viewer); len(off.Rows) > 0 {
			v.Sections = append(v.Sections, off)
		}
		// Rule B41-13.4.
		if off := p.besideMap(enemyOf(viewer)); p.opt.Open && len(off.Rows) > 0 {
			off.Title = engine.T("b41.off.enemy")
			v.Sections = append(v.Sections, off)
		}
		if pools := p.poolLines(viewer); len(pools.Rows) > 0 {
			v.Sections = append(v.Sections, pools)
		}
	}
	v.Sections = append(v.Sections, p.places(), r.terms())
	if viewer == p.side && p.ended == nil {
		v.Options, v.Template = p.whatNow()
	}
	v.Scene = r.scene(p, viewer)
	return v
}

func (p *Position) statusLines() []engine.Line {
	t := p.d.Turns[p.turn]
	line := func(key string, args ...any) engine.Line {
		return engine.Line{Label: engine.T(key), Value: engine.T(key+".value", args...)}
	}
	out := []engine.Line{line("b41.status.turn", "turn", p.turn, "name", t.Name, "dates", t.Dates)}
	if t.North == t.South {
		out = append(out, engine.Line{Label: engine.T("b41.status.weather"), Value: engine.T("b41.status.weather.one", "north", t.North.String())})
	} else {
		out = append(out, engine.Line{Label: engine.T("b41.status.weather"), Value: engine.T("b41.status.weather.two", "north", t.North.String(), "south", t.South.String())})
	}
	out = append(out,
		line("b41.status.vp", "vp", p.VP(), "held", p.vp, "loss", p.loss, "level", t.Level),
		line("b41.status.air", "axis", p.air[axis], "soviet", p.air[soviet]),
		line("b41.status.length", "german", t.Length[0], "other", t.Length[1]),
	)
	var corps []string
	for u := range p.flags {
		if p.has(u, Consolidated) {
			corps = append(corps, string(p.unit(u).ID))
		}
	}
	if len(corps) > 0 {
		out = append(out, line("b41.status.consolidation", "corps", corps))
	}
	if e := p.ended; e != nil {
		out = append(out, engine.Line{Label: engine.T("b41.status.over"), Value: resultText(*e)})
	}
	return out
}

func resultText(e GameEnded) engine.Text {
	args := []any{"winner", string(e.Winner), "vp", e.VP, "points", e.Points}
	switch e.Why {
	case "moscow":
		return engine.T("b41.result.moscow", args...)
	case "level":
		return engine.T("b41.result.level", args...)
	case "soviet":
		return engine.T("b41.result.soviet", args...)
	case "resigned":
		return engine.T("b41.result.resigned", args...)
	case "agreed":
		return engine.T("b41.result.agreed", args...)
	}
	return engine.T("b41.result.draw", args...)
}

func cols(keys ...string) []engine.Text {
	out := make([]engine.Text, len(keys))
	for i, k := range keys {
		out[i] = engine.T("b41.col." + k)
	}
	return out
}

// hexName is the hex with the name of the place in it.
func (p *Position) hexName(h int) string {
	s := p.d.Board.At(h).String()
	if site := p.d.SiteAt(h); site != nil {
		s += " " + site.Name
	}
	return s
}

func (p *Position) notes(u int) engine.Text {
	var out []engine.Text
	for _, n := range []struct {
		f   Flag
		key string
	}{
		{OOS, "b41.flag.oos"}, {AirSupplied, "b41.flag.air"}, {SeaSupplied, "b41.flag.sea"}, {Done, "b41.flag.done"},
		{Assaulted, "b41.flag.assaulted"}, {Retreated, "b41.flag.retreated"}, {Frozen, "b41.flag.frozen"},
	} {
		if p.has(u, n.f) {
			out = append(out, engine.T(n.key))
		}
	}
	if p.onMap(u) && p.hedgehog(p.At(u)) {
		out = append(out, engine.T("b41.flag.hedgehog"))
	}
	if len(out) == 0 {
		return engine.Plain("")
	}
	return engine.T("b41.notes", "notes", out)
}

// ownForces are a side's units by sector, with supply and movement points.
func (p *Position) ownForces(s uint8) []engine.Section {
	moving := s == p.side && p.phase == MovePhase && p.ended == nil
	var out []engine.Section
	for _, c := range p.d.sectors() {
		sec := engine.Section{Key: "own." + c.Key, Columns: cols("hex", "unit", "face", "steps", "supply", "mp", "notes")}
		hexes, steps := 0, 0
		for _, at := range c.Hexes {
			h := p.d.Board.Index(at)
			units, _ := p.visible(h, s, s)
			if len(units) > 0 {
				hexes++
			}
			for _, u := range units {
				steps += p.Steps(u)
				sec.Rows = append(sec.Rows, []engine.Text{
					engine.Plain(p.hexName(h)), engine.Plain(string(p.unit(u).ID)), engine.Plain(p.faceText(u)),
					engine.T("b41.steps", "steps", p.Steps(u), "max", p.unit(u).Max), p.status(u).text(s), p.reach(u, moving), p.notes(u),
				})
			}
		}
		if len(sec.Rows) == 0 {
			continue
		}
		sec.Title = engine.T("b41.own.title", "sector", c.Name, "span", c.Span, "units", len(sec.Rows), "hexes", hexes, "steps", steps)
		out = append(out, sec)
	}
	if len(out) > 0 {
		last := &out[len(out)-1]
		last.Notes = append(last.Notes, engine.T("b41.own.note."+string(sideOf(s))))
		if moving {
			last.Notes = append(last.Notes, engine.T("b41.own.note.moving"))
		}
	}
	return out
}

// reach is what a unit may still spend on movement: in its own Movement Phase
// what is left, else what its supply would give it now.
//
// Rule B41-5.5.A.
func (p *Position) reach(u int, moving bool) engine.Text {
	if moving {
		if p.has(u, Done) || p.has(u, Frozen) {
			return engine.Plain("–")
		}
		if r := p.move.run(u); r != nil && r.mp >= 0 {
			return engine.Plain(strconv.Itoa(r.mp))
		}
	}
	mp, single := p.allowance(u, p.status(u))
	if single {
		return engine.T("b41.reach.hex")
	}
	return engine.Plain(strconv.Itoa(mp))
}

// warnings are what a side must not overlook: units that will be lost for want
// of supply, and hexes that hold too much.
//
// Rule B41-5.3.A, B41-5.16.B, B41-A14.
func (p *Position) warnings(s uint8) []engine.Section {
	if p.ended != nil {
		return nil
	}
	sec := engine.Section{Key: "warning", Title: engine.T("b41.warning.title")}
	var doomed, fed, cut []string
	for u := range p.d.Units {
		if p.unit(u).Side != s || !p.onMap(u) {
			continue
		}
		name := string(p.unit(u).ID) + " (" + p.hexName(p.At(u)) + ")"
		st := p.status(u)
		without := st.OOS || st.None
		switch marked := p.has(u, OOS); {
		case marked && without:
			doomed = append(doomed, name)
		case marked:
			fed = append(fed, name)
		case without:
			cut = append(cut, name)
		}
	}
	for _, w := range []struct {
		key  string
		list []string
	}{{"b41.warning.doomed", doomed}, {"b41.warning.cut", cut}, {"b41.warning.fed", fed}} {
		if len(w.list) > 0 {
			sec.Notes = append(sec.Notes, engine.T(w.key, "units", w.list))
		}
	}
	if len(sec.Notes) == 0 {
		return nil
	}
	return []engine.Section{sec}
}

// supplyShades tell of every hex a side holds what supply would take from a
// unit there.
//
// Rule B41-5.5.B, B41-5.16.D.
func (p *Position) supplyShades(s uint8) []scene.Shade {
	var out []scene.Shade
	for h := 0; h < p.d.Board.Len(); h++ {
		if p.Owner(h) != s {
			continue
		}
		st := p.overland(s, h)
		sh := scene.Shade{At: p.d.Board.At(h), Level: st.Loss, Kind: "supply"}
		switch {
		case st.OOS || st.None:
			sh.Level, sh.Text = 5, "✕"
		case st.Loss > 0:
			sh.Text = "−" + strconv.Itoa(st.Loss)
		}
		out = append(out, sh)
	}
	return out
}

// text says how a unit is supplied.
func (st Status) text(s uint8) engine.Text {
	side := string(sideOf(s))
	switch {
	case st.Air:
		return engine.T("b41.supply.air")
	case st.Sea:
		return engine.T("b41.supply.sea")
	case st.None:
		return engine.T("b41.supply.none", "loss", st.Loss, "percent", 10*st.Loss)
	case st.Other:
		return engine.T("b41.supply.other")
	case st.Loss > 0:
		return engine.T("b41.supply.part", "loss", st.Loss, "percent", 10*st.Loss, "line", st.Line, "side", side)
	}
	return engine.T("b41.supply.full", "line", st.Line)
}

// forcesSeen is what a viewer may know of a side's units, by sector.
func (p *Position) forcesSeen(owner, viewer uint8) []engine.Section {
	var out []engine.Section
	hidden := false
	for _, c := range p.d.sectors() {
		sec := engine.Section{Key: "enemy." + c.Key, Columns: cols("hex", "unit", "face", "notes")}
		hexes := 0
		for _, at := range c.Hexes {
			h := p.d.Board.Index(at)
			units, more := p.visible(h, owner, viewer)
			if len(units) > 0 {
				hexes++
			}
			for i, u := range units {
				var notes []engine.Text
				if m := p.marks(u); m.Key != "plain" {
					notes = append(notes, m)
				}
				switch {
				case i > 0:
				case more && p.opt.Heights:
					notes = append(notes, engine.T("b41.count", "n", len(p.unitsIn(h, owner))))
				case !more && viewer != nobody && !p.opt.Open:
					notes = append(notes, engine.T("b41.whole"))
				}
				hidden = hidden || more
				note := engine.Plain("")
				if len(notes) > 0 {
					note = engine.T("b41.notes", "notes", notes)
				}
				sec.Rows = append(sec.Rows, []engine.Text{
					engine.Plain(p.hexName(h)), engine.Plain(string(p.unit(u).ID)), engine.Plain(p.faceText(u)), note,
				})
			}
		}
		if len(sec.Rows) == 0 {
			continue
		}
		key := "b41.enemy.title"
		if viewer == nobody {
			key = "b41.seen.title"
		}
		sec.Title = engine.T(key, "side", string(sideOf(owner)), "sector", c.Name, "span", c.Span, "hexes", hexes)
		out = append(out, sec)
	}
	if hidden {
		last := &out[len(out)-1]
		last.Notes = append(last.Notes, engine.T("b41.more"))
	}
	return out
}

// marks are the markers that lie on the map for all to see.
func (p *Position) marks(u int) engine.Text {
	var out []engine.Text
	for _, n := range []struct {
		f   Flag
		key string
	}{{OOS, "b41.flag.oos"}, {AirSupplied, "b41.flag.air"}} {
		if p.has(u, n.f) {
			out = append(out, engine.T(n.key))
		}
	}
	if p.hedgehog(p.At(u)) {
		out = append(out, engine.T("b41.flag.hedgehog"))
	}
	if len(out) == 0 {
		return engine.Plain("")
	}
	return engine.T("b41.notes", "notes", out)
}

func (p *Position) besideMap(s uint8) engine.Section {
	sec := engine.Section{Key: "off", Title: engine.T("b41.off.title"), Columns: cols("unit", "where", "steps")}
	for _, w := range []Where{Box, Held, Waiting, Later, Dead} {
		for u := range p.d.Units {
			v := p.unit(u)
			if v.Side != s || p.where[u] != w || p.At(u) != force.Off || v.Kind == "special" || w == Later && v.Turn > p.turn+1 {
				continue
			}
			where := engine.T("b41.where." + w.String())
			if w == Later && v.Turn > p.turn {
				where = engine.T("b41.where.turn", "turn", v.Turn)
			}
			sec.Rows = append(sec.Rows, []engine.Text{
				engine.Plain(string(v.ID)), where, engine.T("b41.steps", "steps", p.Steps(u), "max", v.Max),
			})
		}
	}
	return sec
}

func (p *Position) places() engine.Section {
	sec := engine.Section{Key: "places", Title: engine.T("b41.places.title"), Columns: cols("place", "vp", "owner")}
	for _, site := range p.d.Sites {
		if site.VP > 0 {
			sec.Rows = append(sec.Rows, []engine.Text{
				engine.Plain(p.hexName(site.Hex)), engine.Plain(strconv.Itoa(site.VP)), engine.T("side." + string(sideOf(p.Owner(site.Hex)))),
			})
		}
	}
	sort.SliceStable(sec.Rows, func(i, j int) bool {
		a, _ := strconv.Atoi(sec.Rows[i][1].Args["s"].(string))
		b, _ := strconv.Atoi(sec.Rows[j][1].Args["s"].(string))
		return a > b
	})
	return sec
}

// whatNow says what may be ordered in the phase under way, and gives lines to
// fill in.
func (p *Position) whatNow() (options []engine.Text, template []string) {
	side, phase := string(sideOf(p.side)), p.phase.Word()
	if p.phase == VictoryPhase { // nothing is ordered in it
		return nil, nil
	}
	options = []engine.Text{engine.T("b41.now." + phase + "." + side)}
	switch p.phase {
	case SupplyPhase:
		if p.side == soviet {
			template = []string{"# MSU PLACE hex", "# MSU REMOVE", "END PHASE"}
		} else {
			template = []string{"# CONSOLIDATE five corps", "# SEASUPPLY BALTIC hex", "# AIRSUPPLY hex units", "PHASE NEWUNITS"}
		}
	case NewUnitsPhase:
		template = append(p.newTemplate(), "PHASE MOVE")
	case MovePhase:
		template = []string{"# MOVE unit FROM hex path", "PHASE ASSAULT"}
	case AssaultPhase:
		template = []string{"# ATTACK hex FROM hex: units [AND hex: units]", "# PROBE hex FROM hex: units", "END TURN"}
	}
	return options, template
}

func (r *Rules) scene(p *Position, viewer uint8) scene.Scene {
	b := p.d.Board
	s := scene.Scene{Map: r.d.Drawing()}
	for h := 0; h < b.Len(); h++ {
		c := b.At(h)
		if o := p.Owner(h); o != nobody {
			s.Control = append(s.Control, scene.Holding{At: c, Side: string(sideOf(o))})
		}
		if b.Any(h, Fort|Fortified|Stalin) {
			if p.wrecked[h] {
				s.Markers = append(s.Markers, scene.Marker{At: c, Kind: "wrecked"})
			} else if _, real := p.intact(h); !real {
				s.Markers = append(s.Markers, scene.Marker{At: c, Kind: "inactive"})
			}
		}
		if p.hedgehog(h) {
			s.Markers = append(s.Markers, scene.Marker{At: c, Kind: "hedgehog", Side: "axis"})
		}
		for _, owner := range []uint8{axis, soviet} {
			units, more := p.visible(h, owner, viewer)
			if len(units) == 0 {
				continue
			}
			st := scene.Stack{At: c, Side: string(sideOf(owner)), More: more}
			for _, u := range units {
				st.Counters = append(st.Counters, p.counter(u, owner == viewer || p.sees(viewer, owner, h)))
			}
			s.Stacks = append(s.Stacks, st)
		}
	}
	t := p.d.Turns[p.turn]
	s.Track = []scene.Figure{
		{Label: "turn", Value: strconv.Itoa(p.turn)}, {Label: "dates", Value: t.Dates},
		{Label: "north", Value: t.North.String()}, {Label: "south", Value: t.South.String()},
		{Label: "vp", Value: strconv.Itoa(p.VP()), At: p.VP(), Max: p.d.allVP(), Goal: t.Level}, {Label: "level", Value: strconv.Itoa(t.Level)},
	}
	return s
}

// counter is the face of a unit as a picture shows it.
//
// Rule B41-2.4.1, B41-2.6.1, B41-2.6.2.
func (p *Position) counter(u int, steps bool) scene.Counter {
	v := p.unit(u)
	c := scene.Counter{
		ID: string(v.ID), Nation: v.Nation, Class: v.Class, Symbol: v.Symbol, Size: v.Size, Face: p.faceText(u),
	}
	if steps {
		c.Steps, c.Max = p.Steps(u), v.Max
	}
	for _, n := range []struct {
		f    Flag
		name string
	}{{OOS, "oos"}, {AirSupplied, "air"}} {
		if p.has(u, n.f) {
			c.Badges = append(c.Badges, n.name)
		}
	}
	return c
}

// poolLines are the replacement steps of a side and what else it may spend, for
// its own eyes.
//
// Rule B41-6.4.
func (p *Position) poolLines(s uint8) engine.Section {
	sec := engine.Section{Key: "new", Title: engine.T("b41.pools.title"), Columns: cols("what", "value")}
	row := func(key string, args ...any) {
		sec.Rows = append(sec.Rows, []engine.Text{engine.T(key), engine.T(key+".value", args...)})
	}
	if s == soviet {
		row("b41.pool.soviet", "n", p.pool(PoolSoviet))
		if limit := p.d.Turns[p.turn].Transits; limit > 0 {
			row("b41.pool.rvgk", "used", p.new.transits, "limit", limit)
		}
		return sec
	}
	row("b41.pool.nonmech", "n", p.pool(PoolNonMech))
	row("b41.pool.mech", "n", p.pool(PoolMech))
	row("b41.pool.romanian", "n", p.pool(PoolRomanian))
	row("b41.pool.air", "n", p.airCapacity())
	return sec
}

// newTemplate proposes lines for the New Units Phase: every cadre that waits.
func (p *Position) newTemplate() []string {
	var out []string
	for u := range p.d.Units {
		v := p.unit(u)
		if v.Side != p.side || p.onMap(u) || v.Turn > p.turn {
			continue
		}
		switch {
		case p.has(u, Fresh):
			out = append(out, "# BUILD "+string(v.ID)+" STEPS "+strconv.Itoa(min(2, v.Max))+" AT hex")
		case p.where[u] == Held && v.Kind == "automatic" && v.Side == axis:
			out = append(out, "# BUILD "+string(v.ID)+" AT hex")
		}
	}
	if len(out) == 0 {
		out = []string{"# REPLACE unit +1"}
	}
	return out
}
