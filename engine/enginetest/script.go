package enginetest

import (
	"fmt"
	"strconv"
	"strings"

	"pbemd/engine"
	"pbemd/engine/blitz41"
	lang "pbemd/orders/blitz41"
)

// Script is a [Proposer] that plays a game again that was kept: the orders and
// standing orders of a [Played] as text. Dice and answers come from the seed.
type Script struct {
	*B41   // for what befalls the game
	Seed   uint64
	blocks []scriptBlock
	at     int
}

type scriptBlock struct {
	standing map[engine.Side][]engine.Order
	orders   []engine.Order
}

// Keep writes a game for [ReadScript].
func (g *Played) Keep(why error) string {
	first, _, _ := strings.Cut(fmt.Sprint(why), "\n")
	return fmt.Sprintf("# %s\nseed %d\n%s\n", first, g.Seed, strings.Join(g.Log, "\n"))
}

// ReadScript reads a kept game.
func ReadScript(d *blitz41.Data, text string) (*Script, error) {
	s := &Script{at: -1}
	l := lang.New(d)
	for n, line := range strings.Split(text, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		what, rest, _ := strings.Cut(line, " ")
		switch what {
		case "seed":
			seed, err := strconv.ParseUint(rest, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n+1, err)
			}
			s.Seed, s.B41 = seed, NewB41(d, seed)
			continue
		case "phase":
			s.blocks = append(s.blocks, scriptBlock{standing: map[engine.Side][]engine.Order{}})
			continue
		}
		if len(s.blocks) == 0 || what != "standing" && what != "order" {
			return nil, fmt.Errorf("line %d: %q", n+1, line)
		}
		who, order, _ := strings.Cut(rest, " ")
		side := engine.Side(who)
		o, found := l.Parse(order, side)
		if len(found) > 0 {
			return nil, fmt.Errorf("line %d: %s: %v", n+1, order, found[0])
		}
		b := &s.blocks[len(s.blocks)-1]
		if what == "standing" {
			b.standing[side] = append(b.standing[side], o)
		} else {
			b.orders = append(b.orders, o)
		}
	}
	if s.B41 == nil {
		return nil, fmt.Errorf("a kept game has no seed")
	}
	return s, nil
}

// beyond reports whether the game has gone beyond what was kept: from there on
// it is played at random.
func (s *Script) beyond() bool {
	return s.at >= len(s.blocks) || s.at == len(s.blocks)-1 && len(s.blocks[s.at].orders) == 0
}

// Propose implements [Proposer].
func (s *Script) Propose(p engine.Position) engine.Order {
	if s.beyond() {
		return s.B41.Propose(p)
	}
	if s.at < 0 || len(s.blocks[s.at].orders) == 0 {
		return s.order(p, engine.EndPhase{})
	}
	b := &s.blocks[s.at]
	o := b.orders[0]
	b.orders = b.orders[1:]
	return o
}

// Close implements [Proposer].
func (s *Script) Close(p engine.Position) engine.Order {
	if s.beyond() {
		return s.B41.Close(p)
	}
	return s.Propose(p)
}

// Told implements [Proposer].
func (s *Script) Told(o engine.Order, events []engine.Event, no *engine.Refusal) {
	if s.beyond() && s.moved != nil {
		s.B41.Told(o, events, no)
	}
}

// Standing implements [Proposer].
func (s *Script) Standing(p engine.Position, side engine.Side) []engine.Order {
	if side == blitz41.Axis {
		s.at++
	}
	if s.at >= len(s.blocks) {
		return nil
	}
	return s.blocks[s.at].standing[side]
}
