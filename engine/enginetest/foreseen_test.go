package enginetest

import (
	"fmt"
	"strings"
	"testing"

	"pbemd/engine"
	"pbemd/engine/blitz41"
	"pbemd/orders"
	lang "pbemd/orders/blitz41"
)

// TestForeseen: where all is open a rehearsal foretells the battle: strengths,
// odds, and the result of each of the six faces of the die, as long as the
// defender adds nothing of his own.
func TestForeseen(t *testing.T) {
	d := shipped(t)
	games, battles := 12, 0
	if testing.Short() {
		games = 3
	}
	still := map[engine.Side][]engine.Order{}
	for _, side := range []engine.Side{blitz41.Axis, blitz41.Soviet} {
		text := "GAME 1\nDEFAULT AIR DEFEND NEVER\nDEFAULT AIRSUPPLY NEVER\nDEFAULT HEDGEHOG NEVER\nEND"
		l := lang.New(d)
		sheets, found := orders.Parse(strings.Split(text, "\n"), l.Grammar())
		if len(found) > 0 {
			t.Fatal(found)
		}
		lines, _, found := l.Bind(sheets[0], side)
		if len(found) > 0 {
			t.Fatal(found)
		}
		still[side] = lines
	}
	for seed := uint64(7000); seed < 7000+uint64(games); seed++ {
		opt := B41Options(seed)
		opt.Open = true
		rules := blitz41.New(d, opt)
		played, err := Play(rules, seed, NewB41(d, seed), NewB41Laws(d, opt), false)
		if err != nil {
			t.Fatal(seed, err)
		}
		p, events, err := engine.Begin(rules, engine.Env{Dice: seeded(seed)})
		if err != nil {
			t.Fatal(err)
		}
		seq := len(events)
		for _, s := range played.Steps {
			if s.Befell != nil {
				p = p.Clone()
				for _, e := range s.Befell {
					p.Apply(e)
				}
				seq += len(s.Befell)
				continue
			}
			if said := rules.Preview(p, s.Order); len(said) > 0 && s.Order.If == nil {
				for die := 1; die <= 6; die++ {
					env := engine.Env{Dice: always(die), Standing: still}
					_, events, err := engine.Do(rules, p, seq, s.Order, env, nil)
					if err != nil {
						t.Errorf("seed %d, %s: foreseen and refused: %v", seed, s.Order.Text, err)
						break
					}
					if wrong := unforeseen(said[0].Card, events, die); wrong != "" {
						t.Errorf("seed %d, %s, die %d: %s\n%s", seed, s.Order.Text, die, wrong, rules.FormatState(p))
						return
					}
					battles++
				}
			}
			next, events, err := engine.Do(rules, p, seq, s.Order, s.Env, s.Answers)
			if err != nil {
				t.Fatal(seed, s.Order.Text, err)
			}
			p, seq = next, seq+len(events)
		}
	}

	if battles < games*100 {
		t.Error("there were only", battles, "battles")
	}
}

// always are dice that show one face.
type always int

// Roll implements [engine.Dice].
func (a always) Roll(label string, sides, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = int(a)
	}
	return out
}

// unforeseen says where a battle came out otherwise than its card had it.
func unforeseen(c *engine.Card, events []engine.Event, die int) string {
	for _, e := range events {
		b, ok := e.Fact.(blitz41.BattleEnded)
		if !ok {
			continue
		}
		a := c.Odds.Args
		said := fmt.Sprint(a["attack"], " to ", a["defence"], " is ", a["odds"])
		was := fmt.Sprint(b.Attack, " to ", b.Defence, " is ", b.Odds)
		if said != was {
			return said + " was foreseen, " + was + " it was"
		}
		switch results, _ := c.Possible[0].Args["results"].(string); {
		case b.Below && c.Possible[0].Key != "b41.check.below", b.DX && c.Possible[0].Key != "b41.check.dx":
			return "no results were to be: " + c.Possible[0].Key
		case !b.Below && !b.DX && !strings.Contains(results+" ", fmt.Sprintf("%d: %s ", die, b.Result)):
			return b.Result + " is not among " + results
		}
		return ""
	}
	return "there was no battle"
}
