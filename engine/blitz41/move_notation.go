package blitz41

import (
	"fmt"
	"strconv"
	"strings"

	"pbemd/engine/board"
)

// moveLines is the movement under way in the notation of positions. Every line
// begins with the word move; there is none outside a Movement Phase.
//
//	move land | sea | msu            what has begun, or is over
//	move evac baltic D17
//	move parent H19                  the parent stack that moves
//	move sealed G20 COAST            those that are finished
//	move run 56PZ home H19 start H19 mp 5 last 3 loss 1 line 10 over 1 from H19 [how air] [single] [stirred] [path H18 H17]
//	move stack H19 56PZ 41PZ · move hand 56PZ · move left 13G · move named NORTH 41PZ
//	move ma H18 H17 [engaged]        launch hex and target of the last assault
//	move held H17 H18 56PZ           by whom, from where, and not yet taken note of
func (p *Position) moveLines() []string {
	var out []string
	line := func(format string, args ...any) { out = append(out, "move "+fmt.Sprintf(format, args...)) }
	s := &p.move
	for _, w := range []struct {
		on   bool
		word string
	}{{s.land, "land"}, {s.sea, "sea"}, {s.msu, "msu"}} {
		if w.on {
			line("%s", w.word)
		}
	}
	for i, sea := range []string{"baltic", "black"} {
		if p.phase == MovePhase && s.evac[i] != board.None {
			line("evac %s %s", sea, p.name(s.evac[i]))
		}
	}
	if s.land && s.parent != board.None {
		line("parent %s", p.stackName(s.parent))
	}
	for _, h := range s.sealed {
		line("sealed %s", p.stackName(h))
	}
	for _, r := range s.runs {
		text := fmt.Sprintf("run %s home %s start %s mp %d last %d loss %d line %d over %d from %s", p.id(r.u), p.stackName(r.home), p.name(r.start), r.mp, r.last,
			r.sup.Loss, r.sup.Line, r.sup.Over, p.name(r.sup.From))
		if how := r.sup.words(); len(how) > 0 {
			text += " how " + strings.Join(how, " how ")
		}
		if r.single {
			text += " single"
		}
		if r.stirred {
			text += " stirred"
		}
		if len(r.trail) > 0 {
			text += " path"
			for _, h := range r.trail {
				text += " " + p.name(int(h))
			}
		}
		line("%s", text)
	}
	if !s.open {
		return out
	}
	units := func(list []int) string { return strings.Join(p.idWords(list), " ") }
	line("stack %s %s", p.name(s.at), units(s.stack))
	line("hand %s", units(s.hand))
	if len(s.left) > 0 {
		line("left %s", units(s.left))
	}
	for _, n := range s.named {
		line("named %s %s", n.name, units(n.units))
	}
	if s.launch != board.None {
		text := fmt.Sprintf("ma %s %s", p.name(s.launch), p.name(s.target))
		if s.engaged {
			text += " engaged"
		}
		line("%s", text)
	}
	if len(s.held) > 0 {
		line("held %s %s %s", p.name(s.heldAt), p.name(s.heldBy), units(s.held))
	}
	return out
}

// parseMove reads the words of one of these lines, without the first. The
// movement must have been begun, and the units be in their places.
func (p *Position) parseMove(w []string) error {
	if len(w) == 0 {
		return fmt.Errorf("move what?")
	}
	s := &p.move
	var err error
	fail := func(format string, args ...any) {
		if err == nil {
			err = fmt.Errorf(format, args...)
		}
	}
	word := func(i int) string {
		if i >= len(w) {
			fail("move %s: something is missing", w[0])
			return ""
		}
		return w[i]
	}
	at := func(name string) int {
		for h := 0; h < p.d.Board.Len(); h++ {
			if p.name(h) == name {
				return h
			}
		}
		if name != "-" {
			fail("move %s: there is no hex %q", w[0], name)
		}
		return board.None
	}
	unit := func(name string) int {
		for u := range p.d.Units {
			if p.id(u) == name {
				return u
			}
		}
		fail("move %s: there is no unit %q", w[0], name)
		return 0
	}
	home := func(name string) int {
		if name == "COAST" {
			return p.d.Board.Len() + p.special("COAST")
		}
		return at(name)
	}
	units := func(from int) (out []int) {
		for i := from; i < len(w); i++ {
			out = append(out, unit(w[i]))
		}
		return out
	}
	number := func(i int) int {
		n, bad := strconv.Atoi(word(i))
		if bad != nil {
			fail("move %s: %q is no number", w[0], word(i))
		}
		return n
	}
	switch w[0] {
	case "land":
		s.land = true
	case "sea":
		s.sea = true
	case "msu":
		s.msu = true
	case "evac":
		i := 1
		if word(1) == "baltic" {
			i = 0
		}
		s.evac[i] = at(word(2))
	case "parent":
		s.parent = home(word(1))
	case "sealed":
		for _, name := range w[1:] {
			s.sealed = append(s.sealed, home(name))
		}
	case "run":
		r := run{u: unit(word(1))}
		for i := 2; i < len(w) && err == nil; i++ {
			switch w[i] {
			case "single":
				r.single = true
				continue
			case "stirred":
				r.stirred = true
				continue
			case "path":
				for _, name := range w[i+1:] {
					r.trail = append(r.trail, int16(at(name)))
				}
				i = len(w)
				continue
			case "home":
				r.home = home(word(i + 1))
			case "start":
				r.start = at(word(i + 1))
			case "from":
				r.sup.From = at(word(i + 1))
			case "how":
				r.sup.set(word(i + 1))
			case "mp":
				r.mp = number(i + 1)
			case "last":
				r.last = number(i + 1)
			case "loss":
				r.sup.Loss = number(i + 1)
			case "line":
				r.sup.Line = number(i + 1)
			case "over":
				r.sup.Over = number(i + 1)
			default:
				fail("move run: %q", w[i])
			}
			i++
		}
		s.add(p, &r)
		s.count = max(s.count, r.last)
	case "stack":
		s.open, s.at, s.stack = true, at(word(1)), units(2)
	case "hand":
		s.hand = units(1)
	case "left":
		s.left = units(1)
	case "named":
		s.named = append(s.named, party{word(1), units(2)})
	case "ma":
		s.launch, s.target = at(word(1)), at(word(2))
		s.engaged = len(w) > 3 && w[3] == "engaged"
	case "held":
		s.heldAt, s.heldBy, s.held = at(word(1)), at(word(2)), units(3)
	default:
		fail("move %q", w[0])
	}
	return err
}

// words are the states of a supply status, as events and the notation write
// them.
func (s Status) words() []string {
	var out []string
	for _, w := range []struct {
		on   bool
		word string
	}{{s.Full, "full"}, {s.None, "none"}, {s.OOS, "oos"}, {s.Air, "air"}, {s.Sea, "sea"}, {s.Other, "other"}} {
		if w.on {
			out = append(out, w.word)
		}
	}
	return out
}

// set adds one of them.
func (s *Status) set(word string) {
	switch word {
	case "full":
		s.Full = true
	case "none":
		s.None = true
	case "oos":
		s.OOS = true
	case "air":
		s.Air = true
	case "sea":
		s.Sea = true
	case "other":
		s.Other = true
	}
}
