package enginetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pbemd/engine"
	"pbemd/engine/blitz41"
	"pbemd/engine/force"
	"pbemd/engine/hex"
)

// TestFog holds the law of fog against positions of random games: what a side
// can't see of its enemy (units beneath the top ones and their steps, boxes,
// pools) is changed at random, and then its views, what it is told, its
// rehearsals with their refusals and previews, and the questions put to it are
// the same bytes, as long as no battle is committed.
func TestFog(t *testing.T) {
	d := shipped(t)
	n := *games
	if n == 0 {
		n = 3
		if testing.Short() {
			n = 1
		}
	}
	var all fog
	for s := *seed; s < *seed+uint64(n); s++ {
		opt := B41Options(s)
		opt.Open = false // nothing is hidden in open play
		g := blitz41.New(d, opt)
		law := &fog{g: g, d: d, r: Random(s ^ 0xf06), opt: opt, every: 40}
		if p, err := Play(g, s, NewB41(d, s), law, false); err != nil {
			t.Errorf("seed %d, turn %d: %v\n%s", s, turnOf(p), err, p.Tail(4))
		}
		all.looks, all.changes, all.orders, all.dicey, all.told = all.looks+law.looks, all.changes+law.changes, all.orders+law.orders, all.dicey+law.dicey, all.told+law.told
	}
	t.Logf("%d positions, %d hidden changes, %d orders (%d of them to the commit of a battle), %d orders of the enemy told", all.looks, all.changes, all.orders, all.dicey, all.told)
	if all.changes < 20*all.looks || all.orders == 0 || all.dicey == 0 || all.told == 0 {
		t.Error("too little was tried")
	}
}

// fog is a Checker of the law of fog.
type fog struct {
	g     *blitz41.Rules
	d     *blitz41.Data
	r     Random
	opt   blitz41.Options
	every int

	count, looks, changes, orders, dicey, told int
	since                                      []engine.Event // of the order under way
	before                                     engine.Position
}

// Event implements [Checker].
func (f *fog) Event(before, after engine.Position, e engine.Event) error {
	if f.since == nil {
		f.before = before.Clone()
	}
	f.since = append(f.since, e)
	return nil
}

// Order implements [Checker].
func (f *fog) Order(p engine.Position) error {
	events, before := f.since, f.before
	f.since, f.before = nil, nil
	if f.count++; f.count%3 == 0 && len(events) > 0 {
		if err := f.tales(before, events); err != nil {
			return err
		}
	}
	if f.count%f.every != 0 || p.State().Over {
		return nil
	}
	f.looks++
	for _, side := range []engine.Side{blitz41.Axis, blitz41.Soviet} {
		q, err := f.disguise(p.(*blitz41.Position), side)
		if err != nil {
			return err
		}
		if err := f.same(p, q, side); err != nil {
			return fmt.Errorf("for %s the hidden shows: %w\n%s", side, err, differs(f.g.FormatState(p), f.g.FormatState(q)))
		}
	}
	return nil
}

// tales: a side is told of no enemy unit that it can't see before or after an
// event, unless a battle laid it open.
func (f *fog) tales(before engine.Position, events []engine.Event) error {
	for _, side := range []engine.Side{blitz41.Axis, blitz41.Soviet} {
		p := before.Clone().(*blitz41.Position)
		seen := f.seen(p, side)
		for _, e := range events {
			switch e.Fact.(type) {
			case blitz41.BattleBegan, engine.Rolled:
				return nil
			}
			p.Apply(e)
			for u := range f.seen(p, side) {
				seen[u] = true
			}
		}
		f.told++
		for _, i := range f.g.Tell(before, events, side) {
			text, err := json.Marshal(i)
			if err != nil {
				return err
			}
			for u := range f.d.Units {
				v := &f.d.Units[u]
				// a group shows its top unit while it moves, whatever it joins; the corps of a consolidation are named
				open := i.Text.Key == "b41.tell.moved.seen" && i.Text.Args["top"] == string(v.ID) || i.Text.Key == "b41.tell.consolidation"
				if v.Side != sideNumber(side) && !seen[u] && !open && strings.Contains(string(text), `"`+string(v.ID)+`"`) {
					return fmt.Errorf("%s is told of %s, which it has not seen: %s", side, v.ID, text)
				}
			}
		}
	}
	return nil
}

// seen lists the enemy units that the picture of a side shows.
func (f *fog) seen(p *blitz41.Position, side engine.Side) map[int]bool {
	out := map[int]bool{}
	for _, st := range f.g.View(p, side).Scene.Stacks {
		for _, c := range st.Counters {
			out[f.d.Unit(engine.UnitID(c.ID))] = true
		}
	}
	return out
}

// disguise is a position that looks the same to a side.
func (f *fog) disguise(p *blitz41.Position, side engine.Side) (*blitz41.Position, error) {
	enemy := 3 - sideNumber(side)
	seen := f.seen(p, side)
	struck := map[string]bool{} // disclosed in this phase: no longer hidden
	text := f.g.FormatState(p)
	for _, l := range strings.Split(text, "\n") {
		if w := strings.Fields(l); len(w) > 1 && w[0] == "fight" {
			for _, u := range w[1:] {
				struck[u] = true
			}
		}
	}
	open := map[int]bool{} // hexes where everything is known
	for u := range f.d.Units {
		if h := p.At(u); h != force.Off && struck[string(f.d.Units[u].ID)] {
			open[h] = true
		}
	}
	steps := func(u int) int { return 1 + f.r.Intn(f.d.Units[u].Max) }
	var out, tops []string
	top := map[int]int{} // the unit on top, by hex
	for u := range seen {
		if f.d.Units[u].Side == enemy && p.At(u) != force.Off {
			top[p.At(u)] = u
		}
	}
	var places []int // where something more may lie
	for h := 0; h < f.d.Board.Len(); h++ {
		if u, ok := top[h]; ok {
			tops = append(tops, fmt.Sprintf("top %v %s", f.d.Board.At(h), f.d.Units[u].ID))
			if f.d.Units[u].Class != "none" && f.d.Units[u].ID != "PART" && !open[h] && !f.opt.Heights {
				places = append(places, h)
			}
		}
	}
	line := func(u, n int, flags []string) string {
		return strings.Join(append([]string{f.d.Board.At(p.At(u)).String(), string(f.d.Units[u].ID), strconv.Itoa(n)}, flags...), " ")
	}
	for _, l := range strings.Split(text, "\n") {
		w := strings.Fields(l)
		if len(w) < 2 {
			continue
		}
		if w[0] == "top" {
			if c := f.d.Unit(engine.UnitID(w[2])); f.d.Units[c].Side == enemy {
				continue
			}
		}
		if w[0] == "new" && w[1] == "pool" && (w[2] == "SOVIET") == (enemy == 2) {
			f.changes++
			w[3] = strconv.Itoa(f.r.Intn(30))
			out = append(out, strings.Join(w, " "))
			continue
		}
		u := f.d.Unit(engine.UnitID(w[1]))
		if u < 0 || f.d.Units[u].Side != enemy || seen[u] || len(w) < 3 || w[0] == "move" || w[0] == "fight" || f.d.Units[u].Max == 0 || strings.Contains(l, " consolidated") { // declared in the open
			out = append(out, l)
			continue
		}
		if h := p.At(u); h != force.Off {
			switch k := f.r.Intn(3); {
			case open[h] || f.opt.Heights && k == 0:
				out = append(out, l)
				continue
			case k == 0:
				out = append(out, "gone "+w[1]+" 0")
			case k == 1 && len(places) > 0 && !f.opt.Heights:
				at := places[f.r.Intn(len(places))]
				out = append(out, fmt.Sprintf("%v %s %d", f.d.Board.At(at), w[1], steps(u)))
			default:
				flags := w[3:]
				if enemy == 2 && f.r.Chance(30) {
					flags = append(flags[:len(flags):len(flags)], "oos")
				}
				out = append(out, line(u, steps(u), flags))
			}
			f.changes++
			continue
		}
		switch k := f.r.Intn(4); {
		case k == 0 && len(places) > 0:
			at := places[f.r.Intn(len(places))]
			out = append(out, fmt.Sprintf("%v %s %d", f.d.Board.At(at), w[1], steps(u)))
		case k == 1 && enemy == 2:
			out = append(out, "box "+w[1]+" "+strconv.Itoa(steps(u)))
		case k == 2:
			out = append(out, "gone "+w[1]+" 0")
		default:
			out = append(out, l)
			continue
		}
		f.changes++
	}
	q, err := f.g.ParseState(strings.Join(append(out, tops...), "\n"))
	if err != nil {
		return nil, fmt.Errorf("disguised: %w", err)
	}
	return q.(*blitz41.Position), nil
}

// same compares all that a side is given of two positions that look alike to
// it.
func (f *fog) same(p, q engine.Position, side engine.Side) error {
	view := func(p engine.Position) string {
		v := f.g.View(p, side)
		v.Scene.Map = nil
		b, err := json.Marshal(v)
		if err != nil {
			return err.Error()
		}
		return string(b)
	}
	if a, b := view(p), view(q); a != b {
		return fmt.Errorf("the view: %s", apart(a, b))
	}
	var list []engine.Order
	b := NewB41(f.d, f.r.Next())
	b.fair = true
	if p.State().Side == side {
		list = append(list, b.Orders(f.g, p, 4)...)
		for i := 0; i < 20; i++ {
			list = append(list, b.Propose(p))
		}
		list = append(list, b.Close(p))
	}
	if side == blitz41.Axis { // what may be said at any time
		own := b.hexes(p.(*blitz41.Position), 1)
		for i := 0; i < 4 && len(own) > 0; i++ {
			at := b.at(pick(&f.r, own))
			list = append(list,
				engine.Order{Line: 1, Side: side, Text: "AIRSUPPLY", Command: blitz41.AirSupply{At: at, Now: true}},
				engine.Order{Line: 1, Side: side, Text: "HEDGEHOG", Command: blitz41.Hedgehog{At: at, Now: true}})
		}
	}
	if p.State().Side == side {
		for _, sheet := range f.onslaught(p.(*blitz41.Position), side) {
			f.orders += len(sheet)
			if x, y := f.sheet(p, sheet), f.sheet(q, sheet); x != y {
				return fmt.Errorf("%s: %s", sheet[len(sheet)-1].Text, apart(x, y))
			}
			list = append(list, sheet[len(sheet)-1])
		}
	}
	for _, o := range list {
		f.orders++
		x, y := f.rehearsed(p, o), f.rehearsed(q, o)
		if x != y {
			return fmt.Errorf("%s: %s", o.Text, apart(x, y))
		}
	}
	// and a sheet of them
	var sheet []engine.Order
	for i, o := range list {
		if i < 8 && p.State().Side == side {
			o.Line = i + 1
			sheet = append(sheet, o)
		}
	}
	if x, y := f.sheet(p, sheet), f.sheet(q, sheet); x != y {
		return fmt.Errorf("a sheet: %s", apart(x, y))
	}
	return nil
}

// onslaught are sheets that try each stack of the enemy that a side touches: by
// attack, by probe, on the march.
func (f *fog) onslaught(p *blitz41.Position, side engine.Side) [][]engine.Order {
	var out [][]engine.Order
	own := sideNumber(side)
	b := NewB41(f.d, 0)
	order := func(line int, c engine.Command) engine.Order {
		o := b.order(p, c)
		o.Line = line
		return o
	}
	all := blitz41.Units{Word: "ALL"}
	for _, h := range b.hexes(p, 3-own) {
		at := b.at(h)
		var from []blitz41.Origin
		for _, n := range f.d.Board.Neighbours(h) {
			if n < 0 || len(b.mine(p, n, own)) == 0 {
				continue
			}
			o := blitz41.Origin{At: b.at(n), Units: all}
			from = append(from, o)
			switch p.State().Phase {
			case "assault":
				out = append(out, []engine.Order{order(1, blitz41.Attack{At: []hex.Coord{at}, From: []blitz41.Origin{o}})},
					[]engine.Order{order(1, blitz41.Probe{At: at, From: o})})
			case "move":
				u := pick(&f.r, b.mine(p, n, own))
				out = append(out, []engine.Order{order(1, blitz41.Stack{At: b.at(n), Units: blitz41.Units{Word: "MECH"}}), order(2, blitz41.MobileAssault{At: at})},
					[]engine.Order{order(1, blitz41.Move{Units: b.names([]int{u}), Path: []blitz41.Step{{Hex: at}}})})
			}
		}
		if len(from) > 1 && p.State().Phase == "assault" {
			out = append(out, []engine.Order{order(1, blitz41.Attack{At: []hex.Coord{at}, From: from})})
		}
	}
	for len(out) > 40 { // some of them will do
		i := f.r.Intn(len(out))
		out[i] = out[len(out)-1]
		out = out[:len(out)-1]
	}
	return out
}

// rehearsed is all that comes of one order before a battle is committed: mark,
// refusal, preview, what is told, what is asked.
func (f *fog) rehearsed(p engine.Position, o engine.Order) string {
	out := f.sheet(p, []engine.Order{o})
	env := engine.Env{AskActing: true, Asks: func(engine.Side, string) bool { return true }}
	_, closes := o.Command.(engine.EndPhase)
	_, events, err := engine.Do(f.g, p, 0, o, env, nil)
	var pause *engine.Paused
	switch {
	case errors.As(err, &pause) && pause.Question.Side == o.Side:
		b, _ := json.Marshal(pause.Question)
		out += string(b)
	case engine.Dicey(err):
		f.dicey++
	case err == nil && !closes: // what others do on the turn of a phase is theirs
		b, _ := json.Marshal(f.g.Tell(p, events, o.Side))
		out += string(b)
	}
	return out
}

func (f *fog) sheet(p engine.Position, list []engine.Order) string {
	type said struct {
		Mark    engine.Mark
		On      int
		Refusal *engine.Refusal
		Preview []engine.Item
	}
	var out []said
	for _, v := range engine.Rehearse(f.g, p, 0, list, engine.Env{}, true).Verdicts {
		out = append(out, said{v.Mark, v.On, v.Refusal, v.Preview})
		if _, closes := v.Order.Command.(engine.EndPhase); closes {
			break
		}
	}
	b, err := json.Marshal(out)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// apart shows where two texts part.
func apart(a, b string) string {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	from := max(0, i-120)
	return fmt.Sprintf("…%s\n  and …%s", a[from:min(len(a), i+160)], b[from:min(len(b), i+160)])
}
