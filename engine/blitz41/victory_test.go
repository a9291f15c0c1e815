package blitz41

import (
	"slices"
	"testing"

	"pbemd/engine"
)

func TestVictory(t *testing.T) {
	held := func(t *testing.T, turn int, s engine.Side, f Phase, vp int) *ground {
		g := bare(t, turn, s, f)
		g.say(Scored{at("K5"), vp, vp})
		return g
	}
	check := func(r *play) { r.victoryCheck() }
	for _, c := range []struct {
		id string
		f  func(t *testing.T)
	}{
		{"B41-X172", func(t *testing.T) { held(t, 2, Soviet, AssaultPhase, 83).run(check).goesOn() }},
		{"B41-X173", func(t *testing.T) {
			level := shipped(t).Turns[3].Level
			held(t, 3, Soviet, AssaultPhase, level).run(check).over(Axis, "level", 87)
			held(t, 3, Soviet, AssaultPhase, level-1).run(check).goesOn()
		}},
		{"B41-15.3.B", func(t *testing.T) {
			for turn, want := range map[int]int{3: 87, 4: 86, 5: 85, 6: 84, 7: 83, 10: 83, 11: 83} {
				held(t, turn, Soviet, AssaultPhase, 83).run(check).over(Axis, "level", want)
			}
		}},
		{"B41-X174", func(t *testing.T) {
			held(t, 7, Axis, AssaultPhase, 26).goesOn().run(func(r *play) { r.beginTurn(8) }).over(Soviet, "soviet", 27)
			g := held(t, 9, Soviet, MovePhase, 27).goesOn()
			g.run(func(r *play) { r.take(g.hex("EE8"), axis, "") }).points(33)
			g.say(Scored{at("K5"), -6, 27})
			g.run(func(r *play) { r.take(g.hex("EE8"), soviet, "") }).points(21).over(Soviet, "soviet", 28)
		}},
		{"B41-15.4.B", func(t *testing.T) {
			for turn, want := range map[int]int{8: 27, 9: 28, 10: 29, 11: 30} {
				held(t, turn, Soviet, MovePhase, 26).run(func(r *play) { r.sovietWin() }).over(Soviet, "soviet", want)
			}
			held(t, 7, Soviet, MovePhase, 0).run(func(r *play) { r.sovietWin() }).goesOn()
			held(t, 11, Soviet, MovePhase, 27).run(func(r *play) { r.sovietWin() }).goesOn()
		}},
		{"B41-X175", func(t *testing.T) {
			g := held(t, 11, Soviet, AssaultPhase, 38)
			g.done(engine.EndPhase{}).over("", "draw", 38)
			if err := g.order(engine.EndPhase{}); err == nil {
				t.Error("an Axis player-turn 11")
			}
		}},
		{"B41-X177", func(t *testing.T) {
			die := func(g *ground, id engine.UnitID) *ground {
				return g.run(func(r *play) { r.lose(g.unit(id), 4, "B41-14.7.A", "loss") }).where(id, "gone")
			}
			cut := func(id engine.UnitID) *ground {
				g := bare(t, 9, Soviet, AssaultPhase).rich().put(id, "K9", 4)
				for i, j := range g.p.d.Board.Neighbours(g.hex("K9")) {
					g.put([]engine.UnitID{"8A", "9A", "10A", "11A", "12A", "19A"}[i], g.p.name(j), 1)
				}
				return g
			}
			die(cut("56PZ"), "56PZ").points(36)
			g := cut("56PZ")
			g.say(AirSupplyDeclared{at("K9"), ids("56PZ"), 1})
			die(g, "56PZ").points(38)
			die(cut("13G"), "13G").points(37)
			g = bare(t, 9, Soviet, AssaultPhase).rich().put("13G", "H17", 2).put("56PZ", "E3", 4).put("57PZ", "H18", 4)
			die(g, "56PZ").points(38)
			g.say(HedgehogMade{at("H17")})
			die(g, "13G").points(35)
			g.run(func(r *play) { r.remove(g.unit("57PZ"), Gone, "B41-10.5.C", "evacuated") }).points(35)
			g.put("CSIR", "O21", 1).put("SCH", "R21", 1).put("1G", "H18", 1)
			die(g, "CSIR").points(33)
			die(g, "SCH").points(32)
			die(g, "1G").points(31)
		}},
		{"B41-A74", func(t *testing.T) {
			for _, c := range []struct {
				opt  Options
				want int
			}{{Options{}, 38}, {Options{Other: []engine.RuleID{"B41-A74"}}, 39}} {
				g := bare(t, 4, Soviet, AssaultPhase, c.opt).rich().put("56PZ", "H18", 1)
				d := *g.p.d // the shipped set has no German motorised corps
				d.Units = slices.Clone(d.Units)
				d.Units[g.unit("56PZ")].Symbol = "motorised"
				g.p.d = &d
				g.run(func(r *play) { r.lose(g.unit("56PZ"), 1, "B41-14.7.A", "loss") }).points(c.want)
			}
		}},
		{"B41-X190", func(t *testing.T) {
			opt := Options{Leningrad: true}
			captured := func(die int) *ground {
				g := bare(t, 2, Axis, MovePhase, opt).put("13G", "C11", 2)
				g.dice = []int{die}
				return g.move("13G", "B9")
			}
			g := captured(2).points(6).run(func(r *play) { r.beginTurn(3); r.beginTurn(4); r.beginTurn(5) }).points(12)
			g.run(func(r *play) { r.beginTurn(6) }).points(12).run(func(r *play) { r.take(g.hex("B9"), soviet, "") }).points(0)
			g = captured(5).points(10)
			g.run(func(r *play) { r.take(g.hex("B9"), soviet, "") }).points(0)
			g.dice = []int{6} // once a game
			g.run(func(r *play) { r.take(g.hex("B9"), axis, "") }).points(10).run(func(r *play) { r.beginTurn(5) }).points(12)
			for die, want := range map[int]int{1: 6, 3: 6, 4: 8, 6: 12} {
				captured(die).points(want)
			}
			g = bare(t, 5, Axis, MovePhase, opt).put("13G", "C11", 2).move("13G", "B9").points(12)
			bare(t, 2, Axis, MovePhase).put("13G", "C11", 2).move("13G", "B9").points(12)
			// lost before T5, taken after it
			g = captured(2)
			g.run(func(r *play) { r.take(g.hex("B9"), soviet, ""); r.beginTurn(5) }).points(0)
			g.run(func(r *play) { r.take(g.hex("B9"), axis, "") }).points(12)
		}},
		{"B41-X216", func(t *testing.T) {
			g := held(t, 8, Soviet, AssaultPhase, 28).put("56PZ", "H18", 1)
			g.run(func(r *play) { r.lose(g.unit("56PZ"), 1, "B41-14.7.A", "loss") }).points(26).over(Soviet, "soviet", 27)
		}},
		{"B41-15.2.B", func(t *testing.T) {
			g := bare(t, 9, Axis, MovePhase)
			for _, s := range g.p.d.Sites {
				g.run(func(r *play) { r.take(s.Hex, axis, "") })
			}
			g.points(83)
		}},
		{"B41-A133", func(t *testing.T) {
			bare(t, 4, Axis, MovePhase).done(Resign{}).over(Soviet, "resigned", 27)
			g := bare(t, 4, Axis, MovePhase)
			if err := g.orderOf(Soviet, Resign{}); err != nil {
				t.Fatal(err)
			}
			g.over(Axis, "resigned", 86)
			held(t, 6, Axis, MovePhase, 30).done(AgreeDraw{}).over("", "agreed", 30)
		}},
	} {
		t.Run(c.id, c.f)
	}
}

// A game in which nobody orders anything but the end of his player-turns runs
// to its end, and its log, written and read back, makes the same position.
func TestIdleGameEndsAndReplays(t *testing.T) {
	r := New(shipped(t), Options{})
	env := engine.Env{Dice: fixed{1}}
	p, log, err := engine.Begin(r, env)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; !p.State().Over && n < 50; n++ {
		q, events, err := engine.Do(r, p, len(log), engine.Order{Side: p.State().Side, Command: engine.EndTurn{}}, env, nil)
		if err != nil {
			t.Fatalf("turn %d: %v", p.State().Turn, err)
		}
		p, log = q, append(log, events...)
	}
	// the Axis takes nothing: the Soviets win as soon as it counts
	if e := p.(*Position).ended; e == nil || e.Winner != Soviet || e.Points != 27 || p.State().Turn != 8 {
		t.Errorf("ended %+v on turn %d", e, p.State().Turn)
	}
	var back []engine.Event
	for _, e := range log {
		rec, err := r.Codec().Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		again, err := r.Codec().Decode(rec)
		if err != nil {
			t.Fatal(err)
		}
		back = append(back, again)
	}
	if got, want := r.FormatState(engine.Replay(r, back)), r.FormatState(p); got != want {
		t.Errorf("replay:\n%s\nplay:\n%s", got, want)
	}
}
