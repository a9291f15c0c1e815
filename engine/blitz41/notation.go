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
	s := stateReader{d: r.d, p: newPosition(r.d), start: newPosition(r.d), opt: r.opt}
	lines := s.options(text)
	GameBegan{s.opt}.apply(s.p)
	GameBegan{}.apply(s.start)
	s.p.turn, s.p.side, s.p.phase, s.p.serial = 1, axis, AssaultPhase, 1
	// who stands where comes first: control and forts follow from it
	var later []stateLine
	for _, l := range lines {
		if !s.units(l) {
			later = append(later, l)
		}
	}
	if !s.began {
		s.p.air = [3]int{0, r.d.Turns[1].AxisAir, r.d.Turns[1].SovietAir}
	}
	s.settle()
	for _, l := range later {
		s.facts(l)
	}
	if s.err != nil {
		return nil, s.err
	}
	if !s.counted {
		for i := range r.d.Sites {
			if v := &r.d.Sites[i]; s.p.Owner(v.Hex) == axis {
				s.p.vp += v.VP
			}
		}
	}
	return s.p, nil
}

// stateReader reads the notation of a position. It keeps the first error; what
// is read after one doesn't count.
type stateReader struct {
	d       *Data
	p       *Position
	start   *Position // with nobody on the map
	opt     Options
	began   bool // a turn line has been read
	counted bool // the VPs have been given
	no      int  // the line being read
	err     error
}

// stateLine is a line without its comment.
type stateLine struct {
	no    int
	words []string
}

// fail keeps the first error, with its line.
func (s *stateReader) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf("line %d: %w", s.no, fmt.Errorf(format, args...))
	}
}

// options reads the option lines and gives the others.
func (s *stateReader) options(text string) []stateLine {
	var rest []stateLine
	for no, l := range strings.Split(text, "\n") {
		l, _, _ = strings.Cut(l, "#")
		w := strings.Fields(l)
		if len(w) == 0 {
			continue
		}
		if w[0] != "option" || len(w) < 2 {
			rest = append(rest, stateLine{no + 1, w})
			continue
		}
		s.no = no + 1
		switch w[1] {
		case "open":
			s.opt.Open = true
		case "heights":
			s.opt.Heights = true
		case "leningrad":
			s.opt.Leningrad = true
		case "other":
			for _, id := range w[2:] {
				if !slices.Contains(s.opt.Other, engine.RuleID(id)) {
					s.opt.Other = append(s.opt.Other, engine.RuleID(id))
				}
			}
		default:
			s.fail("option %q", w[1])
		}
	}
	return rest
}

func (s *stateReader) num(word string) int {
	n, err := strconv.Atoi(word)
	if err != nil {
		s.fail("%q is no number", word)
	}
	return n
}

// at reads the hexes of some words, as far as they are on the map.
func (s *stateReader) at(words ...string) []int {
	var out []int
	for _, w := range words {
		switch c, err := hex.Parse(w); {
		case err != nil:
			s.fail("%w", err)
		case !s.d.Board.Has(c):
			s.fail("%v is not on the map", c)
		default:
			out = append(out, s.d.Board.Index(c))
		}
	}
	return out
}

func (s *stateReader) unit(word string) (int, bool) {
	u := s.d.Unit(engine.UnitID(word))
	if u < 0 {
		s.fail("there is no unit %q", word)
	}
	return u, u >= 0
}

func (s *stateReader) flags(u int, words []string) {
next:
	for _, w := range words {
		for _, n := range flagNames {
			if n.name == w {
				s.p.flags[u] |= n.f
				continue next
			}
		}
		s.fail("state %q", w)
	}
}

func (s *stateReader) place(u, h, steps int) {
	s.p.Put(u, h)
	s.p.SetSteps(u, steps)
	s.p.where[u] = OnMap
	s.p.flags[u] |= Played
}

// taken is what it means that the Axis has a hex.
func (s *stateReader) taken(h int) {
	s.p.everAxis[h] = true
	if s.d.Board.Any(h, Fort|Fortified|Stalin) {
		s.p.wrecked[h] = true
	}
}

// settle does what standing somewhere means.
func (s *stateReader) settle() {
	for h := 0; h < s.d.Board.Len(); h++ {
		if len(s.p.In(h)) == 0 {
			continue
		}
		side := s.p.unit(int(s.p.In(h)[0])).Side
		s.p.SetOwner(h, side)
		if side == axis {
			s.taken(h)
		}
	}
}

// units reads a line that says what turn it is or where units are; it reports
// whether it was one.
func (s *stateReader) units(l stateLine) bool {
	s.no = l.no
	w := l.words
	switch w[0] {
	case "turn":
		s.turn(w)
		return true
	case "base":
		if len(w) == 2 && w[1] == "start" {
			for u := range s.d.Units {
				if v := &s.d.Units[u]; v.Start > 0 {
					s.place(u, s.d.Board.Index(v.Home), v.Start)
				}
			}
		}
		return true
	case "later", "box", "held", "dead", "gone", "waiting":
		s.beside(w)
		return true
	}
	if c, err := hex.Parse(w[0]); err != nil || c.IsZero() || len(w) < 2 {
		return false
	}
	h := s.at(w[0])
	u, ok := s.unit(w[1])
	if !ok || len(h) == 0 {
		return true
	}
	most := s.d.Units[u].Max
	steps := most
	if len(w) > 2 {
		steps = s.num(w[2])
	}
	if most > 0 && (steps < 1 || steps > most) {
		s.fail("%s has no %d steps", w[1], steps)
		return true
	}
	s.place(u, h[0], steps)
	if len(w) > 3 {
		s.flags(u, w[3:])
	}
	return true
}

// turn reads turn 5 soviet move [serial 33].
func (s *stateReader) turn(w []string) {
	if len(w) < 4 {
		s.fail("a turn line says number, side, phase")
		return
	}
	n, err := strconv.Atoi(w[1])
	if err != nil || n < 1 || n >= len(s.d.Turns) {
		s.fail("turn %q", w[1])
		return
	}
	f, ok := ParsePhase(w[3])
	if !ok || number(engine.Side(w[2])) == nobody {
		s.fail("side %q, phase %q", w[2], w[3])
		return
	}
	p := s.p
	TurnBegan{n}.apply(p)
	for i, l := range s.d.Lines {
		if l.Turn > 0 && l.Turn <= n {
			p.lineUp[i] = Active
		}
	}
	p.side, p.phase = number(engine.Side(w[2])), f
	p.fight.begin(p)
	p.move.begin(p)
	s.began = true
	if len(w) == 6 && w[4] == "serial" {
		p.serial = s.num(w[5])
	}
}

// beside reads where a unit beside the map is: box 22A 3.
func (s *stateReader) beside(w []string) {
	if len(w) < 2 {
		s.fail("which unit?")
		return
	}
	u, ok := s.unit(w[1])
	if !ok {
		return
	}
	s.p.Put(u, force.Off)
	s.p.where[u] = Where(slices.Index(whereNames, w[0]))
	steps := 0
	if len(w) > 2 {
		steps = s.num(w[2])
		s.flags(u, w[3:])
	}
	s.p.SetSteps(u, steps)
}

// facts reads a line about what units and the start don't give.
func (s *stateReader) facts(l stateLine) {
	s.no = l.no
	p, w := s.p, l.words
	side := nobody
	if len(w) > 2 {
		side = number(engine.Side(w[1]))
	}
	switch {
	case w[0] == "control" && side != nobody:
		for _, h := range s.at(w[2:]...) {
			p.SetOwner(h, side)
			if side == axis {
				s.taken(h)
			} else { // units of the Axis may stand in it that have not taken it yet
				p.everAxis[h] = s.start.everAxis[h]
			}
		}
	case w[0] == "wrecked":
		s.mark(p.wrecked, w, true)
	case w[0] == "intact":
		s.mark(p.wrecked, w, false)
	case w[0] == "idle":
		s.mark(p.idle, w, true)
	case w[0] == "ever":
		s.mark(p.everAxis, w, true)
	case w[0] == "vp" && len(w) == 2:
		p.vp, s.counted = s.num(w[1]), true
	case w[0] == "loss" && len(w) == 2:
		p.loss = s.num(w[1])
	case w[0] == "air" && len(w) == 3 && side != nobody:
		p.air[side] = s.num(w[2])
	case w[0] == "top" && len(w) == 3:
		if u, ok := s.unit(w[2]); ok {
			for _, h := range s.at(w[1]) {
				p.top[h] = int16(u)
			}
		}
	case w[0] == "over" && len(w) == 5:
		g := GameEnded{Why: w[2], VP: s.num(w[3]), Points: s.num(w[4])}
		if w[1] != "draw" {
			g.Winner = engine.Side(w[1])
		}
		p.ended = &g
	case w[0] == "line":
		s.line(strings.Join(w[1:], " "))
	default:
		switch ok, err := p.parseArea(w); {
		case err != nil:
			s.fail("%w", err)
		case !ok:
			s.fail("%q means nothing here", strings.Join(w, " "))
		}
	}
}

func (s *stateReader) mark(list []bool, w []string, as bool) {
	for _, h := range s.at(w[1:]...) {
		list[h] = as
	}
}

// line reads the state of a fortified line: Luga Line: active.
func (s *stateReader) line(text string) {
	name, word, _ := strings.Cut(text, ": ")
	state := slices.Index([]string{Asleep: "asleep", Active: "active", Void: "void"}, word)
	i := slices.IndexFunc(s.d.Lines, func(l FortLine) bool { return l.Name == name })
	if i < 0 || state < 0 {
		s.fail("line %q", text)
		return
	}
	s.p.lineUp[i] = State(state)
}
