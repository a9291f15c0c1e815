package blitz41

import (
	"hash/fnv"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pbemd/engine"
	"pbemd/engine/hex"
)

// byLabel throws dice that depend on the label and a seed only.
type byLabel int64

func (d byLabel) Roll(label string, sides, n int) []int {
	h := fnv.New64a()
	h.Write([]byte(label))
	r := rand.New(rand.NewSource(int64(h.Sum64()) ^ int64(d)))
	out := make([]int, n)
	for i := range out {
		out[i] = 1 + r.Intn(sides)
	}
	return out
}

// randomOrder makes up an order of the Movement Phase, sensible or not.
func randomOrder(r *rand.Rand, p *Position) engine.Command {
	var own []int
	for u := range p.d.Units {
		if p.unit(u).Side == p.side && p.onMap(u) {
			own = append(own, u)
		}
	}
	u := own[r.Intn(len(own))]
	at := p.d.Board.At(p.At(u))
	someHex := func() hex.Coord {
		if hand := p.inHand(); len(hand) > 0 && r.Intn(4) > 0 {
			return p.d.Board.Grid.Neighbour(p.d.Board.At(p.At(hand[0])), hex.Direction(r.Intn(6)))
		}
		return p.d.Board.At(r.Intn(p.d.Board.Len()))
	}
	path := func() []Step {
		if r.Intn(4) == 0 {
			return []Step{{To: p.d.Board.At(r.Intn(p.d.Board.Len()))}}
		}
		var out []Step
		for n := 1 + r.Intn(3); n > 0; n-- {
			out = append(out, Step{Dir: hex.Direction(r.Intn(6)), Count: 1 + r.Intn(2)})
		}
		return out
	}
	var one Units
	if hand := p.inHand(); len(hand) > 0 {
		one.IDs = []engine.UnitID{p.unit(hand[r.Intn(len(hand))]).ID}
	}
	if p.move.open && r.Intn(8) > 0 {
		switch r.Intn(10) {
		case 0:
			return Repeat{Max: r.Intn(3)}
		case 1:
			return Return{}
		case 2:
			return Leave{one}
		case 3:
			return Split{one, "A"}
		case 4:
			return With{[]string{"A", "REST"}[r.Intn(2)]}
		case 5, 6, 7:
			return MobileAssault{At: someHex()}
		default:
			return Go{Path: path()}
		}
	}
	switch r.Intn(12) {
	case 0:
		return EndStack{}
	case 1:
		return Stop{}
	case 2:
		return SeaMove{To: someHex()}
	case 3:
		return Evacuate{Baltic: r.Intn(2) == 0, At: at}
	case 4:
		return FormOBG{}
	case 5, 6, 7, 8:
		return Stack{At: at}
	default:
		return Move{Units: []engine.UnitID{p.unit(u).ID}, Path: path()}
	}
}

// Whatever is ordered: no refusal comes without a rule, no unit ends in a lake,
// the sides share no hex but in an assault, nobody overspends, the events alone
// give the same position, and the phase can be closed.
func TestRandomMovesKeepTheLaws(t *testing.T) {
	r := New(shipped(t), Options{})
	seen := map[string]int{}
	for seed := int64(1); seed <= 6; seed++ {
		rng := rand.New(rand.NewSource(seed))
		env := engine.Env{Dice: byLabel(seed)}
		start, events, err := engine.Begin(r, env)
		if err != nil {
			t.Fatal(err)
		}
		m := &moving{t: t, r: r, p: start, side: Axis, log: events}
		give := func(c engine.Command) error {
			next, more, err := engine.Do(r, m.p, len(m.log), m.order(c), env, nil)
			if err == nil {
				m.p, m.log = next, append(m.log, more...)
			}
			return err
		}
		if err := give(engine.EndPhase{}); err != nil {
			t.Fatal(err)
		}
		done := 0
		for phase := 0; phase < 2; phase++ {
			m.side = m.p.State().Side
			for _, c := range []engine.Command{engine.ToPhase{Phase: "move"}} {
				for n := 0; give(c) != nil && n < 1; n++ {
					m.settleNewUnits(give)
				}
			}
			if m.p.State().Phase != "move" {
				t.Fatalf("seed %d: %+v", seed, m.p.State())
			}
			for n := 0; n < 400; n++ {
				c := randomOrder(rng, m.pos())
				err := give(c)
				if err != nil {
					if ref, ok := err.(*engine.Refusal); !ok || ref.Rule == "" || ref.Text.Key == "" {
						t.Fatalf("seed %d: %s %+v: %v", seed, c.Verb(), c, err)
					}
					continue
				}
				done++
				if m.p.State().Over {
					break
				}
				m.laws(seed, c)
				if n%16 == 0 {
					m.written(seed)
				}
			}
			if m.p.State().Over {
				break
			}
			for n := 0; ; n++ {
				err := give(engine.EndPhase{})
				if err == nil {
					break
				}
				if n == 3000 {
					t.Fatalf("seed %d: the phase can't be closed: %v", seed, err)
				}
				give(randomOrder(rng, m.pos()))
			}
			for h := 0; h < r.d.Board.Len(); h++ {
				if m.pos().holds(number(m.side), h) && !m.pos().stackLegal(h, number(m.side)) {
					t.Errorf("seed %d: %s is overfull after the phase", seed, m.pos().name(h))
				}
			}
			if err := give(engine.EndTurn{}); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		if done < 100 {
			t.Errorf("seed %d: only %d orders were legal", seed, done)
		}
		for _, e := range m.log {
			seen[e.Fact.Kind()]++
		}
		again := engine.Replay(r, m.log).(*Position)
		if got, want := r.FormatState(again), r.FormatState(m.p); got != want {
			t.Errorf("seed %d: the events give another position", seed)
		}
		if !reflect.DeepEqual(again.move, m.pos().move) {
			t.Errorf("seed %d: the events give another movement", seed)
		}
	}
	for _, kind := range []string{"MoveBegun", "GroupMoved", "DroppedOff", "AssaultLaunched", "AssaultSettled", "GroupNamed", "GroupTaken", "UnitsLeft"} {
		if seen[kind] == 0 {
			t.Errorf("no %s in all that", kind)
		}
	}
}

// settleNewUnits builds what has to be built before anything else.
func (m *moving) settleNewUnits(give func(engine.Command) error) {
	p := m.pos()
	for u := range p.d.Units {
		if v := p.unit(u); v.Side == soviet && p.where[u] == Later && v.Kind == "cadre" {
			for _, at := range []string{"", "K5", "K1", "DD10", "CC15", "Y17"} {
				c := Build{Unit: v.ID, Steps: 1}
				if at != "" {
					c.At = hex.MustParse(at)
				}
				if give(c) == nil {
					break
				}
				p = m.pos()
			}
		}
	}
	give(engine.ToPhase{Phase: "move"})
}

func (m *moving) laws(seed int64, c engine.Command) {
	m.t.Helper()
	p := m.pos()
	for h := 0; h < p.d.Board.Len(); h++ {
		if len(p.In(h)) == 0 {
			continue
		}
		if p.holds(axis, h) && p.holds(soviet, h) && !(p.move.engaged && h == p.move.target) {
			m.t.Fatalf("seed %d: after %s %+v both sides are in %s", seed, c.Verb(), c, p.name(h))
		}
		if g := p.d.Board.Terrain(h); g == Lake || g == Sea {
			m.t.Fatalf("seed %d: after %s %+v units are in %s", seed, c.Verb(), c, p.name(h))
		}
		if s := p.occupant(h); s != nobody && p.Owner(h) != s && !(p.move.engaged && h == p.move.target) {
			m.t.Fatalf("seed %d: after %s %+v %s belongs to the other side", seed, c.Verb(), c, p.name(h))
		}
	}
	for _, r := range p.move.runs {
		if mp, _ := p.allowance(r.u, r.sup); r.mp < -1 || r.mp > 20 || mp < 0 {
			m.t.Fatalf("seed %d: after %s %+v %s has %d MP", seed, c.Verb(), c, p.id(r.u), r.mp)
		}
	}
}

// written checks that the notation of the movement under way tells all of it.
func (m *moving) written(seed int64) {
	m.t.Helper()
	p := m.pos()
	lines := p.moveLines()
	q := p.Clone().(*Position)
	q.move.begin(q)
	for _, l := range lines {
		if err := q.parseMove(strings.Fields(l)[1:]); err != nil {
			m.t.Fatalf("seed %d: %s: %v", seed, l, err)
		}
	}
	if got := q.moveLines(); !slices.Equal(got, lines) {
		m.t.Fatalf("seed %d: read back as\n%s\nwant\n%s", seed, strings.Join(got, "\n"), strings.Join(lines, "\n"))
	}
	if !reflect.DeepEqual(q.move.runs, p.move.runs) || !slices.Equal(q.move.hand, p.move.hand) || q.move.engaged != p.move.engaged || q.move.parent != p.move.parent {
		m.t.Fatalf("seed %d: %+v read back as %+v", seed, p.move, q.move)
	}
}

// What lies beneath enemy stacks changes no answer and no event before the
// commit of a battle.
func TestMovesTellNothingHidden(t *testing.T) {
	state := "turn 6 axis move\nvp 40\nK9 13G 4 air\nK9 56PZ 4 air\nJ9 46PZ 4 air\nL9 SCH 2\nD18 42G 3\nCC8 57PZ 4 air\nK7 24A 1\nJ7 28A 1\nL7 29A 1\nCC7 30A 1\nM7 31A 1"
	open := movingAt(t, state)
	hidden := movingAt(t, state+"\nK7 9A 4\nJ7 3MC 1\nJ7 1MC 1\nL7 10A 3\nCC7 1SH 4\nM7 MSU 1\nM7 32A 2")
	env := engine.Env{}
	rng := rand.New(rand.NewSource(11))
	done, refused := 0, 0
	for range 1500 {
		c := randomOrder(rng, open.pos())
		a, ea, erra := engine.Do(open.r, open.p, 0, open.order(c), env, nil)
		b, eb, errb := engine.Do(hidden.r, hidden.p, 0, hidden.order(c), env, nil)
		if (erra == nil) != (errb == nil) || erra != nil && erra.Error() != errb.Error() {
			t.Fatalf("%s %+v: %v, with hidden units %v", c.Verb(), c, erra, errb)
		}
		if erra != nil {
			refused++
			continue
		}
		if _, same := engine.SameEvents(ea, eb); !same {
			t.Fatalf("%s %+v: %+v, with hidden units %+v", c.Verb(), c, ea, eb)
		}
		open.p, hidden.p = a, b
		done++
	}
	if done < 50 || refused < 50 {
		t.Errorf("%d orders done, %d refused", done, refused)
	}
}
