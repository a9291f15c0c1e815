package blitz41

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pbemd/engine"
	"pbemd/engine/hex"
)

// The states of supply and new units as lines of the notation:
//
//	supply hedgehog J12 · supply air 2 · supply baltic D18 · supply black BB15
//	supply consolidated | declared | leningrad | leningradoff
//	supply romanian 3 · supply award 8
//	new pool NONMECH 4 · new transits 2 · new closed | nomech · new left 4RUM Romania
//
// and those of movement and battles beside them.

// areaLines are the lines of supply, new units, movement and battles.
func (p *Position) areaLines() []string {
	var out []string
	line := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	word := func(on bool, s string) {
		if on {
			line("%s", s)
		}
	}
	count := func(n int, s string) {
		if n != 0 {
			line("%s %d", s, n)
		}
	}
	s := &p.supply
	if len(s.hedgehogs) > 0 {
		line("supply hedgehog %s", p.hexList(s.hedgehogs))
	}
	count(s.airUsed, "supply air")
	if s.baltic > 0 {
		line("supply baltic %v", p.d.Board.At(s.baltic-1))
	}
	if s.black > 0 {
		line("supply black %v", p.d.Board.At(s.black-1))
	}
	word(s.consolidated, "supply consolidated")
	word(s.declared, "supply declared")
	word(s.leningrad, "supply leningrad")
	word(s.leningradOff, "supply leningradoff")
	count(s.romanian, "supply romanian")
	count(s.award, "supply award")
	for i, n := range p.new.pools {
		count(n, "new pool "+poolNames[i])
	}
	count(p.new.transits, "new transits")
	word(p.new.closed, "new closed")
	word(p.new.noMech, "new nomech")
	for _, e := range p.new.left {
		line("new left %s %s", p.unit(e.unit).ID, e.country)
	}
	out = append(out, p.moveLines()...)
	out = append(out, p.fightLines()...)
	return out
}

func (p *Position) hexList(hs []int) string {
	w := make([]string, len(hs))
	for i, h := range hs {
		w[i] = p.d.Board.At(h).String()
	}
	return strings.Join(w, " ")
}

// parseArea reads one of the lines; ok is false if it is none of them.
func (p *Position) parseArea(w []string) (ok bool, err error) {
	if len(w) < 2 {
		return false, nil
	}
	at := func(s string) int {
		c, e := hex.Parse(s)
		if e == nil && !p.d.Board.Has(c) {
			e = fmt.Errorf("%v is not on the map", c)
		}
		if e != nil {
			err = e
			return 0
		}
		return p.d.Board.Index(c)
	}
	unit := func(s string) int {
		u := p.d.Unit(engine.UnitID(s))
		if u < 0 {
			err = fmt.Errorf("there is no unit %q", s)
			return 0
		}
		return u
	}
	num := func() int {
		if len(w) < 3 {
			err = fmt.Errorf("%s how many?", strings.Join(w, " "))
			return 0
		}
		n, e := strconv.Atoi(w[len(w)-1])
		if e != nil {
			err = fmt.Errorf("%q is no number", w[len(w)-1])
		}
		return n
	}
	switch w[0] + " " + w[1] {
	case "supply hedgehog":
		for _, s := range w[2:] {
			p.supply.hedgehogs = append(p.supply.hedgehogs, at(s))
		}
		slices.Sort(p.supply.hedgehogs)
	case "supply air":
		p.supply.airUsed = num()
	case "supply baltic", "supply black":
		if len(w) != 3 {
			return false, nil
		}
		if w[1] == "baltic" {
			p.supply.baltic = at(w[2]) + 1
		} else {
			p.supply.black = at(w[2]) + 1
		}
	case "supply consolidated":
		p.supply.consolidated = true
	case "supply declared":
		p.supply.declared = true
	case "supply leningrad":
		p.supply.leningrad = true
	case "supply leningradoff":
		p.supply.leningradOff = true
	case "supply romanian":
		p.supply.romanian = num()
	case "supply award":
		p.supply.award = num()
	case "new pool":
		i := slices.Index(poolNames[:], w[2])
		if i < 0 {
			return true, fmt.Errorf("there is no pool %q", w[2])
		}
		p.new.pools[i] = num()
	case "new transits":
		p.new.transits = num()
	case "new closed":
		p.new.closed = true
	case "new nomech":
		p.new.noMech = true
	case "new left":
		if len(w) != 4 {
			return false, nil
		}
		p.new.left = append(p.new.left, exit{unit(w[2]), w[3]})
	default:
		switch w[0] {
		case "move":
			return true, p.parseMove(w[1:])
		case "fight":
			return p.parseFight(w)
		}
		return false, nil
	}
	return true, err
}
