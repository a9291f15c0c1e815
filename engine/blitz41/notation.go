package blitz41

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pbemd/engine"
	"pbemd/engine/force"
	"pbemd/engine/hex"
)

// The text notation of a position, a line a fact, in any order but for the
// first two kinds, which come first:
//
//	turn 5 soviet move [serial 33]
//	base start              everybody as at the start; the default is empty
//	option open | heights | leningrad | other B41-A13
//	K7 40A 1 [oos …]        a hex, a unit, its steps, its states
//	box 22A 3               beside the map: later, box, held, dead, gone, waiting
//	control axis K9 K10     beyond what units and the start give
//	wrecked R15 · intact R15
//	line Luga Line: active | void | asleep
//	idle K9                 captured, not yet a source
//	ever K9                 was Axis-controlled at some time
//	vp 31 · loss 4          VPs of hexes held (else counted), deductions
//	air axis 5 · air soviet 1
//	top K7 40A
//	over axis moscow 31 88
//
// and the lines of the areas, which begin with the area's name. Control is as
// at the start but for hexes with units, which their owner holds; an Axis unit
// wrecks the fort it stands in. # begins a comment.

var flagNames = []struct {
	f    Flag
	name string
}{
	{OOS, "oos"}, {AirSupplied, "air"}, {SeaSupplied, "sea"}, {Consolidated, "consolidated"}, {Done, "done"}, {Began, "began"},
	{Assaulted, "assaulted"}, {Retreated, "retreated"}, {MadeMA, "ma"}, {Entered, "entered"}, {Boxed, "boxed"}, {Frozen, "frozen"},
	{Dropped, "dropped"}, {WeakDrop, "weak"}, {Fresh, "fresh"}, {Played, "played"}, {Driven, "driven"},
}

// FormatState implements [engine.Game].
func (r *Rules) FormatState(pos engine.Position) string {
	p := pos.(*Position)
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("turn %d %s %s serial %d", p.turn, sideOf(p.side), p.phase.Word(), p.serial)
	if p.opt.Open {
		line("option open")
	}
	if p.opt.Heights {
		line("option heights")
	}
	if p.opt.Leningrad {
		line("option leningrad")
	}
	for _, o := range p.opt.Other {
		line("option other %s", o)
	}
	bd := p.d.Board
	for h := 0; h < bd.Len(); h++ {
		for _, u := range p.In(h) {
			line("%v %s %d%s", bd.At(h), p.d.Units[u].ID, p.Steps(int(u)), flagWords(p.flags[u]&^Played))
		}
	}
	for u := range p.d.Units {
		if p.At(u) == force.Off && (p.where[u] != Later || p.Steps(u) != 0 || p.flags[u] != 0) {
			line("%s %s %d%s", p.where[u], p.d.Units[u].ID, p.Steps(u), flagWords(p.flags[u]))
		}
	}
	q := newPosition(p.d)
	GameBegan{}.apply(q)
	list := func(what string, in func(h int) bool) {
		var hs []string
		for h := 0; h < bd.Len(); h++ {
			if in(h) {
				hs = append(hs, bd.At(h).String())
			}
		}
		for len(hs) > 0 {
			n := min(len(hs), 16)
			line("%s %s", what, strings.Join(hs[:n], " "))
			hs = hs[n:]
		}
	}
	held := func(h int) uint8 { // what units and the start give
		if len(p.In(h)) > 0 {
			return p.unit(int(p.In(h)[0])).Side
		}
		return q.Owner(h)
	}
	for _, s := range []uint8{axis, soviet} {
		list("control "+string(sideOf(s)), func(h int) bool { return p.Owner(h) == s && held(h) != s })
	}
	wreck := func(h int) bool { // what Axis units and control give
		return q.wrecked[h] || bd.Any(h, Fort|Fortified|Stalin) && (held(h) == axis && len(p.In(h)) > 0 || held(h) != axis && p.Owner(h) == axis)
	}
	list("wrecked", func(h int) bool { return p.wrecked[h] && !wreck(h) })
	list("intact", func(h int) bool { return !p.wrecked[h] && wreck(h) })
	for i, l := range p.d.Lines {
		if p.lineUp[i] != Asleep {
			line("line %s: %s", l.Name, []string{"asleep", "active", "void"}[p.lineUp[i]])
		}
	}
	list("idle", func(h int) bool { return p.idle[h] })
	list("ever", func(h int) bool { return p.everAxis[h] && p.Owner(h) != axis && !q.everAxis[h] })
	line("vp %d", p.vp)
	if p.loss != 0 {
		line("loss %d", p.loss)
	}
	line("air axis %d", p.air[axis])
	line("air soviet %d", p.air[soviet])
	for h, u := range p.top {
		if u >= 0 {
			line("top %v %s", bd.At(h), p.d.Units[u].ID)
		}
	}
	if p.ended != nil {
		line("over %s %s %d %d", or(string(p.ended.Winner), "draw"), p.ended.Why, p.ended.VP, p.ended.Points)
	}
	for _, l := range p.areaLines() {
		line("%s", l)
	}
	return b.String()
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

func flagWords(f Flag) string {
	s := ""
	for _, n := range flagNames {
		if f&n.f != 0 {
			s += " " + n.name
		}
	}
	return s
}

// ParseState implements [engine.Game].
func (r *Rules) ParseState(text string) (engine.Position, error) {
	p := newPosition(r.d)
	opt := r.opt
	type entry struct {
		no    int
		words []string
	}
	var rest []entry
	began, counted := false, false
	for no, l := range strings.Split(text, "\n") {
		if i := strings.IndexByte(l, '#'); i >= 0 {
			l = l[:i]
		}
		w := strings.Fields(l)
		if len(w) == 0 {
			continue
		}
		e := entry{no + 1, w}
		if w[0] == "option" && len(w) > 1 {
			switch w[1] {
			case "open":
				opt.Open = true
			case "heights":
				opt.Heights = true
			case "leningrad":
				opt.Leningrad = true
			case "other":
				for _, id := range w[2:] {
					if !slices.Contains(opt.Other, engine.RuleID(id)) {
						opt.Other = append(opt.Other, engine.RuleID(id))
					}
				}
			default:
				return nil, fmt.Errorf("line %d: option %q", e.no, w[1])
			}
			continue
		}
		rest = append(rest, e)
	}
	GameBegan{opt}.apply(p)
	p.turn, p.side, p.phase, p.serial = 1, axis, AssaultPhase, 1
	num := func(s string) (int, error) {
		n, err := strconv.Atoi(s)
		if err != nil {
			return 0, fmt.Errorf("%q is no number", s)
		}
		return n, nil
	}
	at := func(s string) (int, error) {
		c, err := hex.Parse(s)
		if err != nil {
			return 0, err
		}
		if !r.d.Board.Has(c) {
			return 0, fmt.Errorf("%v is not on the map", c)
		}
		return r.d.Board.Index(c), nil
	}
	unit := func(s string) (int, error) {
		u := r.d.Unit(engine.UnitID(s))
		if u < 0 {
			return 0, fmt.Errorf("there is no unit %q", s)
		}
		return u, nil
	}
	flags := func(u int, words []string) error {
	next:
		for _, w := range words {
			for _, n := range flagNames {
				if n.name == w {
					p.flags[u] |= n.f
					continue next
				}
			}
			return fmt.Errorf("state %q", w)
		}
		return nil
	}
	place := func(u, h, steps int) {
		p.Put(u, h)
		p.SetSteps(u, steps)
		p.where[u] = OnMap
		p.flags[u] |= Played
	}
	settle := func() { // what standing somewhere means
		for h := 0; h < r.d.Board.Len(); h++ {
			if len(p.In(h)) == 0 {
				continue
			}
			s := p.unit(int(p.In(h)[0])).Side
			p.SetOwner(h, s)
			if s == axis {
				p.everAxis[h] = true
				if r.d.Board.Any(h, Fort|Fortified|Stalin) {
					p.wrecked[h] = true
				}
			}
		}
	}
	one := func(e entry) error {
		w := e.words
		switch w[0] {
		case "turn":
			if len(w) < 4 {
				return fmt.Errorf("a turn line says number, side, phase")
			}
			n, err := num(w[1])
			if err != nil || n < 1 || n >= len(r.d.Turns) {
				return fmt.Errorf("turn %q", w[1])
			}
			f, ok := ParsePhase(w[3])
			if !ok || number(engine.Side(w[2])) == nobody {
				return fmt.Errorf("side %q, phase %q", w[2], w[3])
			}
			TurnBegan{n}.apply(p)
			for i, l := range r.d.Lines {
				if l.Turn > 0 && l.Turn <= n {
					p.lineUp[i] = Active
				}
			}
			p.side, p.phase = number(engine.Side(w[2])), f
			p.fight.begin(p)
			p.move.begin(p)
			began = true
			if len(w) == 6 && w[4] == "serial" {
				p.serial, err = num(w[5])
			}
			return err
		case "base":
			if len(w) == 2 && w[1] == "start" {
				for u := range r.d.Units {
					if v := &r.d.Units[u]; v.Start > 0 {
						place(u, r.d.Board.Index(v.Home), v.Start)
					}
				}
			}
			return nil
		case "later", "box", "held", "dead", "gone", "waiting":
			if len(w) < 2 {
				return fmt.Errorf("which unit?")
			}
			u, err := unit(w[1])
			if err != nil {
				return err
			}
			p.Put(u, force.Off)
			for i, n := range whereNames {
				if n == w[0] {
					p.where[u] = Where(i)
				}
			}
			steps := 0
			if len(w) > 2 {
				if steps, err = num(w[2]); err != nil {
					return err
				}
				if err = flags(u, w[3:]); err != nil {
					return err
				}
			}
			p.SetSteps(u, steps)
			return nil
		}
		if c, err := hex.Parse(w[0]); err == nil && !c.IsZero() && len(w) >= 2 {
			h, err := at(w[0])
			if err != nil {
				return err
			}
			u, err := unit(w[1])
			if err != nil {
				return err
			}
			steps := r.d.Units[u].Max
			if len(w) > 2 {
				if steps, err = num(w[2]); err != nil {
					return err
				}
			}
			if r.d.Units[u].Max > 0 && (steps < 1 || steps > r.d.Units[u].Max) {
				return fmt.Errorf("%s has no %d steps", w[1], steps)
			}
			place(u, h, steps)
			if len(w) > 3 {
				return flags(u, w[3:])
			}
			return nil
		}
		return errLater
	}
	later := rest[:0:0]
	for _, e := range rest {
		switch err := one(e); err {
		case nil:
		case errLater:
			later = append(later, e)
		default:
			return nil, fmt.Errorf("line %d: %w", e.no, err)
		}
	}
	if !began {
		p.air = [3]int{0, r.d.Turns[1].AxisAir, r.d.Turns[1].SovietAir}
	}
	settle()
	start := newPosition(r.d)
	GameBegan{}.apply(start)
	for _, e := range later {
		w := e.words
		var err error
		each := func(words []string, f func(h int)) {
			for _, s := range words {
				h, e := at(s)
				if e != nil {
					err = e
					return
				}
				f(h)
			}
		}
		switch {
		case w[0] == "control" && len(w) > 2 && number(engine.Side(w[1])) != nobody:
			s := number(engine.Side(w[1]))
			each(w[2:], func(h int) {
				p.SetOwner(h, s)
				if s != axis { // units of the Axis may stand in it that have not taken it yet
					p.everAxis[h] = start.everAxis[h]
				} else {
					p.everAxis[h] = true
					if r.d.Board.Any(h, Fort|Fortified|Stalin) {
						p.wrecked[h] = true
					}
				}
			})
		case w[0] == "wrecked":
			each(w[1:], func(h int) { p.wrecked[h] = true })
		case w[0] == "intact":
			each(w[1:], func(h int) { p.wrecked[h] = false })
		case w[0] == "idle":
			each(w[1:], func(h int) { p.idle[h] = true })
		case w[0] == "ever":
			each(w[1:], func(h int) { p.everAxis[h] = true })
		case w[0] == "vp" && len(w) == 2:
			p.vp, err = num(w[1])
			counted = true
		case w[0] == "loss" && len(w) == 2:
			p.loss, err = num(w[1])
		case w[0] == "air" && len(w) == 3 && number(engine.Side(w[1])) != nobody:
			p.air[number(engine.Side(w[1]))], err = num(w[2])
		case w[0] == "top" && len(w) == 3:
			var h, u int
			if h, err = at(w[1]); err == nil {
				if u, err = unit(w[2]); err == nil {
					p.top[h] = int16(u)
				}
			}
		case w[0] == "over" && len(w) == 5:
			g := GameEnded{Why: w[2]}
			if w[1] != "draw" {
				g.Winner = engine.Side(w[1])
			}
			g.VP, _ = num(w[3])
			g.Points, err = num(w[4])
			p.ended = &g
		case w[0] == "line":
			name, state, ok := strings.Cut(strings.Join(w[1:], " "), ": ")
			found := false
			for i, l := range r.d.Lines {
				if l.Name == name {
					found = true
					switch state {
					case "active":
						p.lineUp[i] = Active
					case "void":
						p.lineUp[i] = Void
					case "asleep":
						p.lineUp[i] = Asleep
					default:
						ok = false
					}
				}
			}
			if !ok || !found {
				err = fmt.Errorf("line %q", strings.Join(w[1:], " "))
			}
		default:
			ok := false
			if ok, err = p.parseArea(w); !ok && err == nil {
				err = fmt.Errorf("%q means nothing here", strings.Join(w, " "))
			}
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", e.no, err)
		}
	}
	if !counted {
		for i := range r.d.Sites {
			if s := &r.d.Sites[i]; p.Owner(s.Hex) == axis {
				p.vp += s.VP
			}
		}
	}
	return p, nil
}

var errLater = fmt.Errorf("later")
