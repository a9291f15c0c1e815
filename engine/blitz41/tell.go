package blitz41

import (
	"slices"
	"strconv"
	"strings"

	"pbemd/engine"
	"pbemd/engine/hex"
	"pbemd/engine/scene"
)

// teller says what a side may know of events, one after another, on a position
// that goes along with them.
type teller struct {
	r      *Rules
	p      *Position
	viewer uint8
	items  []engine.Item
	notes  []engine.Text // decisions of the battle under way
	roll   *engine.Rolled
	open   bool // in a battle

	ordered string    // the line that a battle's notes have quoted
	last    *moveTold // what was told last, if that was a move
}

// Tell implements [engine.Game].
//
// Rule B41-13.2, B41-13.3, B41-A78, B41-A80.
func (r *Rules) Tell(before engine.Position, events []engine.Event, s engine.Side) []engine.Item {
	t := &teller{r: r, p: before.Clone().(*Position), viewer: number(s)}
	for _, e := range events {
		t.tell(e)
		t.p.Apply(e)
		t.after(e)
	}
	return t.items
}

func (t *teller) say(e engine.Event, side uint8, key string, args ...any) *engine.Item {
	t.items = append(t.items, engine.Item{Seq: e.Seq, Rule: e.Rule, Side: sideOf(side), Text: engine.T(key, args...)})
	return &t.items[len(t.items)-1]
}

func (t *teller) own(u int) bool { return t.viewer == t.p.unit(u).Side || t.p.opt.Open }

func (t *teller) hexName(c hex.Coord) string {
	h := t.p.d.Board.Index(c)
	if h < 0 {
		return c.String()
	}
	return t.p.hexName(h)
}

func names(list []hex.Coord) []string {
	out := make([]string, len(list))
	for i, c := range list {
		out[i] = c.String()
	}
	return out
}

func idNames(ids []engine.UnitID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = string(id)
	}
	return out
}

// nameable are the units of a group on its way that the viewer may name: all of
// his own. Of others the one that lay on top where they set out, or lies on top
// where they arrive; none if it came from beneath a stack and goes beneath one.
func (t *teller) nameable(ids []engine.UnitID, to hex.Coord) (list []string, all bool) {
	p := t.p
	if len(ids) == 0 || t.own(p.d.byID[ids[0]]) {
		return idNames(ids), true
	}
	var group []int
	for _, id := range ids {
		u := p.d.byID[id]
		if p.onMap(u) && p.topOf(p.At(u), p.unit(u).Side) == u {
			return []string{string(id)}, false
		}
		group = append(group, u)
	}
	h := p.d.Board.Index(to)
	if h < 0 || len(p.unitsIn(h, p.unit(group[0]).Side)) > 0 {
		return nil, false
	}
	top := p.weakestOf(group)
	if slices.Contains(group, int(p.top[h])) {
		top = int(p.top[h])
	}
	return []string{string(p.unit(top).ID)}, false
}

// tell says what an event means, before it is applied.
func (t *teller) tell(e engine.Event) {
	p := t.p
	switch f := e.Fact.(type) {
	case TurnBegan:
		n := p.d.Turns[f.Turn]
		t.say(e, nobody, "b41.tell.turn", "turn", f.Turn, "name", n.Name, "dates", n.Dates, "north", n.North.String(), "south", n.South.String())
	case PhaseBegan:
		t.say(e, number(f.Side), "b41.tell.phase", "side", string(f.Side), "phase", f.Phase.Word()).Minor = true
	case HexTaken:
		h := p.d.Board.Index(f.At)
		if site := p.d.SiteAt(h); site != nil {
			t.say(e, number(f.By), "b41.tell.taken", "side", string(f.By), "hex", t.hexName(f.At))
		}
	case FortWrecked:
		t.say(e, axis, "b41.tell.wrecked", "hex", t.hexName(f.At)).Minor = true
	case LineSettled:
		key := "b41.tell.line.void"
		if f.Active {
			key = "b41.tell.line.active"
		}
		t.say(e, soviet, key, "line", f.Line)
	case Scored:
		t.say(e, nobody, "b41.tell.scored", "hex", t.hexName(f.At), "points", f.Points, "vp", f.VP)
	case Deducted:
		t.say(e, nobody, "b41.tell.deducted", "points", f.Points, "vp", f.VP)
	case GameEnded:
		t.items = append(t.items, engine.Item{Seq: e.Seq, Rule: e.Rule, Text: resultText(f)})
	case UnitPlaced:
		if f.Why == "setup" {
			return
		}
		u := p.d.byID[f.Unit]
		if t.own(u) {
			t.say(e, p.unit(u).Side, "b41.tell.placed", "unit", string(f.Unit), "hex", t.hexName(f.At), "steps", f.Steps, "why", f.Why)
		} else if len(p.unitsIn(p.d.Board.Index(f.At), p.unit(u).Side)) == 0 {
			t.say(e, p.unit(u).Side, "b41.tell.appears", "side", string(sideOf(p.unit(u).Side)), "hex", t.hexName(f.At))
		}
	case UnitRemoved:
		t.removed(e, f)
	case StepsSet:
		u := p.d.byID[f.Unit]
		switch {
		case t.open || f.Why == "loss":
		case t.own(u):
			t.say(e, p.unit(u).Side, "b41.tell.steps", "unit", string(f.Unit), "steps", f.Steps, "was", p.Steps(u), "max", p.unit(u).Max)
		}
	case Flagged:
		t.flagged(e, f)
	case AirSpent:
		if !t.open {
			t.say(e, number(f.Side), "b41.tell.air", "side", string(f.Side), "points", f.Points, "hex", t.hexName(f.At)).Minor = true
		}
	case GroupMoved:
		t.moved(e, f.Units, f.Path, "move")
	case UnitMoved:
		t.unitMoved(e, f)
	case DroppedOff:
		if len(f.Units) > 0 && t.own(p.d.byID[f.Units[0]]) {
			t.say(e, p.side, "b41.tell.dropped", "units", idNames(f.Units), "hex", t.hexName(f.At), "next", f.Next.String())
		}
	case PushedBack:
		if t.own(p.d.byID[f.Unit]) {
			t.say(e, p.side, "b41.tell.pushed", "unit", string(f.Unit), "from", t.hexName(f.From), "to", t.hexName(f.To))
		} else {
			t.say(e, p.side, "b41.tell.pushed.enemy", "from", t.hexName(f.From), "to", t.hexName(f.To))
		}
	case ConsolidationDeclared:
		t.say(e, axis, "b41.tell.consolidation", "corps", idNames(f.Corps))
	case ConsolidationEnded:
		t.say(e, axis, "b41.tell.consolidation.ended")
	case SeaSupplyDeclared:
		t.say(e, axis, "b41.tell.seasupply", "hex", t.hexName(f.At))
	case AirSupplyDeclared:
		if t.viewer == axis || p.opt.Open {
			t.say(e, axis, "b41.tell.airsupply", "units", idNames(f.Units), "hex", t.hexName(f.At))
		} else {
			t.say(e, axis, "b41.tell.airsupply.seen", "hex", t.hexName(f.At))
		}
	case HedgehogMade:
		t.say(e, axis, "b41.tell.hedgehog", "hex", t.hexName(f.At))
	case HedgehogGone:
		t.say(e, axis, "b41.tell.hedgehog.gone", "hex", t.hexName(f.At))
	case LeningradValued:
		t.say(e, nobody, "b41.tell.leningrad", "die", f.Die, "vp", f.VP)
	case engine.Rolled:
		roll := f
		t.roll = &roll
	case engine.Decided:
		t.decided(e, f)
	case BattleBegan:
		t.open, t.notes, t.roll, t.ordered = true, nil, nil, ""
	case BattleEnded:
		t.open = false
		t.battle(e, f)
	}
}

// after is for what can only be told when it has happened.
func (t *teller) after(e engine.Event) {}

func (t *teller) removed(e engine.Event, f UnitRemoved) {
	p := t.p
	u := p.d.byID[f.Unit]
	if t.open || f.Why == "combat" || p.At(u) < 0 && !t.own(u) {
		return
	}
	h := ""
	if p.onMap(u) {
		h = p.hexName(p.At(u))
	}
	side := p.unit(u).Side
	if t.own(u) {
		key := "b41.tell.removed." + f.Why
		t.say(e, side, key, "unit", string(f.Unit), "hex", h)
		return
	}
	switch f.Why {
	case "supply", "pocket":
		t.say(e, side, "b41.tell.removed.seen.supply", "side", string(sideOf(side)), "hex", h)
	case "evacuated", "finland", "zomo", "ports", "linkup":
		t.say(e, side, "b41.tell.removed.seen."+f.Why, "side", string(sideOf(side)), "hex", h)
	}
}

// flagged tells of markers: their owner whom, the enemy where.
func (t *teller) flagged(e engine.Event, f Flagged) {
	p := t.p
	for _, m := range []struct {
		flag Flag
		set  bool
		key  string
	}{{OOS, true, "b41.tell.oos"}, {OOS, false, "b41.tell.oos.off"}} {
		if m.set && f.Set&m.flag == 0 || !m.set && f.Clear&m.flag == 0 {
			continue
		}
		var own []string
		var at []string
		side := nobody
		for _, id := range f.Units {
			u := p.d.byID[id]
			if !m.set && !p.has(u, m.flag) || !p.onMap(u) {
				continue
			}
			side = p.unit(u).Side
			if t.own(u) {
				own = append(own, string(id)+" ("+p.d.Board.At(p.At(u)).String()+")")
			} else if h := p.d.Board.At(p.At(u)).String(); !slices.Contains(at, h) {
				at = append(at, h)
			}
		}
		if len(own) > 0 {
			t.say(e, side, m.key, "units", own)
		}
		if len(at) > 0 {
			t.say(e, side, m.key+".seen", "side", string(sideOf(side)), "hexes", at)
		}
	}
}

func (t *teller) moved(e engine.Event, ids []engine.UnitID, path []hex.Coord, kind string) {
	p := t.p
	if len(ids) == 0 || len(path) == 0 {
		return
	}
	u := p.d.byID[ids[0]]
	side := p.unit(u).Side
	from := p.d.Board.At(max(0, p.At(u)))
	if p.onMap(u) && slices.Contains(path, from) { // told after the units have gone
		from = path[0]
	}
	units, all := t.nameable(ids, path[len(path)-1])
	route := append([]hex.Coord{from}, path...)
	if m := t.last; m != nil && m.item == len(t.items)-1 && m.all == all && slices.Equal(m.units, units) && m.route[len(m.route)-1] == from {
		route = append(m.route[:len(m.route):len(m.route)], path...) // the same stack goes on
		t.items = t.items[:m.item]
	}
	way := names(route[1:])
	var i *engine.Item
	if all {
		i = t.say(e, side, "b41.tell.moved", "units", units, "from", route[0].String(), "path", way)
	} else {
		i = t.say(e, side, "b41.tell.moved.seen", "side", string(sideOf(side)), "tops", units, "from", route[0].String(), "path", way)
	}
	i.Minor = true
	i.Arrows = []scene.Arrow{{Kind: kind, Side: string(sideOf(side)), Path: route}}
	t.last = &moveTold{len(t.items) - 1, units, all, route}
}

// unitMoved tells of single units that go somewhere outside a battle and without
// a stack: by sea, by air, back from an assault, out of the enemy's way.
func (t *teller) unitMoved(e engine.Event, f UnitMoved) {
	p := t.p
	u := p.d.byID[f.Unit]
	if t.open || len(f.Path) == 0 || !p.onMap(u) {
		return
	}
	side, to := p.unit(u).Side, f.Path[len(f.Path)-1]
	switch f.How {
	case "sea":
		t.moved(e, []engine.UnitID{f.Unit}, f.Path, "sea")
	case "drop":
		t.moved(e, []engine.UnitID{f.Unit}, f.Path, "air")
	case "return":
		// Everybody has just seen them fight.
		units := []string{string(f.Unit)}
		if n := len(t.items) - 1; n >= 0 && t.items[n].Text.Key == "b41.tell.return" && t.items[n].Text.Args["hex"] == t.hexName(to) {
			units = append(t.items[n].Text.Args["units"].([]string), units...)
			t.items = t.items[:n]
		}
		t.say(e, side, "b41.tell.return", "units", units, "hex", t.hexName(to)).Minor = true
	case "displaced":
		from := p.At(u)
		if t.own(u) || len(p.unitsIn(from, side)) == 1 {
			t.say(e, side, "b41.tell.displaced", "unit", string(f.Unit), "from", p.hexName(from), "to", t.hexName(to))
		}
	}
}

// moveTold is a move as it was told, so that its next leg joins it.
type moveTold struct {
	item  int
	units []string
	all   bool
	route []hex.Coord
}

// decided notes who chose what. The line that decided is its owner's alone.
func (t *teller) decided(e engine.Event, f engine.Decided) {
	args := []any{"side", string(f.Side), "clause", clauseText(f), "decision", f.Decision, "what", engine.T("b41.decision." + f.Decision)}
	key := "b41.tell.decided." + f.By
	if f.Source != "" && (number(f.Side) == t.viewer) {
		key += ".line"
		if f.By != "order" || !t.open { // the order is quoted above what it decides
			args = append(args, "line", f.Source)
		}
	}
	text := engine.T(key, args...)
	if t.open {
		if f.By == "order" && f.Source != "" && number(f.Side) == t.viewer && t.ordered != f.Source {
			t.ordered = f.Source // quoted once, however much it decides
			t.notes = append(t.notes, engine.T("b41.card.ordered", "line", f.Source))
		}
		t.notes = append(t.notes, text)
		return
	}
	if number(f.Side) == t.viewer {
		t.items = append(t.items, engine.Item{Seq: e.Seq, Rule: e.Rule, Side: f.Side, Text: text, Minor: true})
	}
}

// clauseText is a decision in words: whose steps, counted by unit, and an
// attacker's own loss as his clause LOSS says it.
func clauseText(f engine.Decided) any {
	switch {
	case f.Decision == "E03" && f.Clause == "HOLD":
		return engine.T("b41.clause.steps")
	case f.Decision == "E03" && f.Clause == "YIELD":
		return engine.T("b41.clause.retreat")
	}
	units, ok := strings.CutPrefix(f.Clause, "LOSE ")
	if !ok {
		return f.Clause
	}
	var list []engine.Text
	ids := strings.Fields(units)
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			continue
		}
		n := 0
		for _, other := range ids {
			if other == id {
				n++
			}
		}
		list = append(list, engine.T("b41.clause.loses", "unit", id, "n", n))
	}
	return engine.T("b41.clause.list", "list", list)
}

// battle makes the card of a battle. Both sides see both forces; of a probe the
// other side sees where it came from, and who lies on top now.
//
// Rule B41-13.2, B41-A80.
func (t *teller) battle(e engine.Event, f BattleEnded) {
	p := t.p
	side := number(f.Side)
	places := make([]string, len(f.At))
	for i, c := range f.At {
		places[i] = t.hexName(c)
	}
	if f.Type == "probe" {
		var ids []engine.UnitID
		for _, x := range f.Attackers {
			ids = append(ids, x.Unit)
		}
		var i *engine.Item
		if len(ids) == 0 || t.own(p.d.byID[ids[0]]) {
			i = t.say(e, side, "b41.tell.probe", "side", string(f.Side), "units", idNames(ids), "hexes", places)
		} else {
			var tops, from []string
			for _, x := range f.Attackers {
				u := p.d.byID[x.Unit]
				if p.onMap(u) && p.topOf(p.At(u), p.unit(u).Side) == u {
					tops = append(tops, string(x.Unit))
				}
				if h := x.At.String(); !slices.Contains(from, h) {
					from = append(from, h)
				}
			}
			i = t.say(e, side, "b41.tell.probe.seen", "side", string(f.Side), "tops", tops, "from", from, "hexes", places)
		}
		for _, w := range f.Advances {
			i.Arrows = append(i.Arrows, scene.Arrow{Kind: "advance", Side: string(f.Side), Path: append([]hex.Coord{w.From}, w.Path...)})
		}
		return
	}
	i := t.say(e, side, "b41.tell.battle."+f.Type, "side", string(f.Side), "hexes", places, "odds", f.Odds, "result", f.Result, "word", f.Word)
	i.Card = p.card(f, t.roll, t.notes)
	i.Card.Title = i.Text
	t.roll, t.notes = nil, nil
	i.Bursts = []scene.Burst{{At: f.At[0], Side: string(f.Side), Result: or(f.Result, "–")}}
	if f.DX {
		i.Bursts[0].Result = "DX"
	}
	seen := map[hex.Coord]bool{}
	kind := "assault"
	if f.Type == "ma" {
		kind = "mobile"
	}
	for _, a := range f.Attackers {
		if !seen[a.At] {
			seen[a.At] = true
			to := f.At[0]
			for _, h := range f.At {
				if p.d.Board.Grid.Distance(a.At, h) == 1 {
					to = h
					break
				}
			}
			i.Arrows = append(i.Arrows, scene.Arrow{Kind: kind, Side: string(f.Side), Path: []hex.Coord{a.At, to}})
		}
	}
	for _, w := range f.Retreats {
		if len(w.Path) > 0 {
			whose := f.Side
			if len(w.Units) > 0 {
				whose = sideOf(p.unit(p.d.byID[w.Units[0]]).Side)
			}
			i.Arrows = append(i.Arrows, scene.Arrow{Kind: "retreat", Side: string(whose), Path: append([]hex.Coord{w.From}, w.Path...)})
		}
	}
	for _, w := range append(append([]Way{}, f.Advances...), f.Occupied...) {
		if len(w.Path) > 0 {
			whose := f.Side
			if len(w.Units) > 0 {
				whose = sideOf(p.unit(p.d.byID[w.Units[0]]).Side)
			}
			i.Arrows = append(i.Arrows, scene.Arrow{Kind: "advance", Side: string(whose), Path: append([]hex.Coord{w.From}, w.Path...)})
		}
	}
}

// card is a battle in full.
func (p *Position) card(f BattleEnded, roll *engine.Rolled, notes []engine.Text) *engine.Card {
	c := &engine.Card{At: names(f.At), Factors: f.Factors, Roll: roll, Decided: notes}
	army := func(s uint8, list []Fighter, strength int) engine.Army {
		a := engine.Army{Side: sideOf(s), Strength: engine.T("b41.card.strength", "n", strength)}
		for _, x := range list {
			u := p.d.byID[x.Unit]
			supply := engine.T("b41.card.supply.full")
			if x.Late {
				supply = engine.T("b41.card.supply.late")
			} else if x.Loss > 0 {
				supply = engine.T("b41.card.supply.part", "percent", x.Loss)
			}
			a.Units = append(a.Units, engine.Fought{
				Unit: x.Unit, Name: p.unit(u).Name, Hex: x.At.String(),
				Face:  strconv.Itoa(x.Face[0]) + "-" + strconv.Itoa(x.Face[1]) + "-" + strconv.Itoa(x.Face[2]),
				Steps: x.Steps, Lost: x.Lost, After: fate(x), Supply: supply,
			})
		}
		return a
	}
	s := number(f.Side)
	c.Attacker, c.Defender = army(s, f.Attackers, f.Attack), army(enemyOf(s), f.Defenders, f.Defence)
	c.Terrain = p.ground(f.At)
	c.Odds = engine.T("b41.card.odds", "attack", f.Attack, "defence", f.Defence, "odds", f.Odds)
	add := func(key string, args ...any) { c.Result = append(c.Result, engine.T(key, args...)) }
	attacker, defender := string(f.Side), string(sideOf(enemyOf(s)))
	switch {
	case f.Below:
		add("b41.card.below", "side", attacker)
	case f.DX:
		add("b41.card.dx", "side", defender)
	case f.Die > 0:
		add("b41.card.result", "die", f.Die, "cell", f.Cell, "result", f.Result)
		if a, d, ok := strings.Cut(f.Result, "/"); ok {
			add("b41.card.means", "result", f.Result, "attacker", a, "defender", d)
		}
	}
	if f.AllOut != "" {
		add("b41.card.allout", "unit", string(f.AllOut))
	}
	for k, n := range f.Lost {
		side := attacker
		if k == 1 {
			side = defender
		}
		if n > 0 {
			add("b41.card.lost", "side", side, "n", n)
		}
	}
	way := func(key string, w Way) {
		if w.Exit != "" {
			add(key+".exit", "units", idNames(w.Units), "from", w.From.String(), "path", names(w.Path), "exit", w.Exit)
		} else if len(w.Path) > 0 {
			add(key, "units", idNames(w.Units), "from", w.From.String(), "path", names(w.Path))
		}
	}
	for _, w := range f.Retreats {
		way("b41.card.retreat", w)
	}
	for _, w := range f.Advances {
		way("b41.card.advance", w)
	}
	for _, w := range f.Occupied {
		way("b41.card.occupy", w)
	}
	if f.Word != "" {
		add("b41.card.word."+f.Word, "side", attacker)
	}
	return c
}

func fate(x Fighter) string {
	switch {
	case x.Fate == "dies":
		return "✝"
	case !x.After.IsZero():
		return x.After.String()
	}
	return ""
}

// ground says what defends with the defenders: terrain, town, fort, weather.
func (p *Position) ground(at []hex.Coord) engine.Text {
	var out []engine.Text
	for _, c := range at {
		h := p.d.Board.Index(c)
		parts := []engine.Text{engine.T("b41.terrain." + TerrainName(p.d.Board.Terrain(h)))}
		switch {
		case p.d.Board.Is(h, City):
			parts = append(parts, engine.T("b41.terrain.city"))
		case p.d.Board.Is(h, Town):
			parts = append(parts, engine.T("b41.terrain.town"))
		}
		if kind, ok := p.intact(h); ok {
			parts = append(parts, engine.T("b41.terrain."+kind))
		}
		if p.hedgehog(h) {
			parts = append(parts, engine.T("b41.flag.hedgehog"))
		}
		out = append(out, engine.T("b41.card.ground", "hex", p.hexName(h), "parts", parts, "weather", p.weather(h).String()))
	}
	return engine.T("b41.card.grounds", "list", out)
}
