package blitz41

import (
	"errors"
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pbemd/engine"
	"pbemd/templates"
)

// melee is a random position about a random hex, and a random legal attack.
func melee(t testing.TB, seed int64) (*field, Attack, *rand.Rand) {
	r := rand.New(rand.NewSource(seed))
	for {
		side := Axis
		if r.Intn(2) == 0 {
			side = Soviet
		}
		turn := 2 + r.Intn(9)
		f := battlefield(t, fmt.Sprintf("turn %d %s assault", turn, side), "vp 45", "held CAV")
		p := f.p
		var land []int
		for h := 0; h < p.board().Len(); h++ {
			if t := p.board().Terrain(h); t != Sea && t != Lake {
				land = append(land, h)
			}
		}
		centre := land[r.Intn(len(land))]
		var near []int
		for _, h := range land {
			if p.board().Distance(h, centre) <= 3 {
				near = append(near, h)
			}
		}
		for i := 0; i < 26; i++ {
			u, h := r.Intn(len(p.d.Units)), near[r.Intn(len(near))]
			v := p.unit(u)
			if v.Class == "none" || p.onMap(u) || v.Max == 0 || p.holds(enemyOf(v.Side), h) {
				continue
			}
			if ok, _, _ := p.mayEnter(u, h); !ok && v.ID != "PART" {
				continue
			}
			UnitPlaced{v.ID, p.board().At(h), 1 + r.Intn(v.Max), "setup"}.apply(p)
			if p.stackRefusal(h, v.Side, nil, nil) != nil {
				p.Put(u, -1)
				continue
			}
			p.SetOwner(h, v.Side)
		}
		if r.Intn(3) == 0 {
			for _, h := range near {
				if !p.holds(axis, h) && !p.holds(soviet, h) && r.Intn(2) == 0 {
					p.SetOwner(h, uint8(1+r.Intn(2)))
				}
			}
		}
		p.version++
		for try := 0; try < 30; try++ {
			at := near[r.Intn(len(near))]
			if !p.holds(enemyOf(p.side), at) {
				continue
			}
			c := Attack{At: hexList(p.name(at))}
			for _, n := range p.board().Neighbours(at) {
				if n >= 0 && p.holds(p.side, n) && r.Intn(3) > 0 {
					if p.attackSide(n, at) != nil {
						continue
					}
					if us, err := p.attackersOf(p.side, n, Units{Word: "ALL"}, []int{at}); err == nil && p.withGermans(n, us) == nil {
						c.From = append(c.From, Origin{At: p.board().At(n), Units: Units{Word: "ALL"}})
					}
				}
			}
			if len(c.From) == 0 {
				continue
			}
			if r.Intn(3) == 0 {
				c.Options.Advance = &Advance{Clauses: []AdvanceClause{{Units: Units{Word: "ALL"}, Toward: p.board().At(near[r.Intn(len(near))])}}}
			}
			if two := p.board().Neighbours(at)[r.Intn(6)]; two >= 0 && p.holds(enemyOf(p.side), two) {
				d := c
				d.At = hexList(p.name(at) + " " + p.name(two))
				if _, _, err := p.checkAttack(p.side, d); err == nil {
					return f, d, r
				}
			}
			if _, _, err := p.checkAttack(p.side, c); err == nil {
				return f, c, r
			}
		}
	}
}

// asked runs an order with every question mailed, and answers by choose. It
// checks each question and that a run paused comes out the same when taken up.
func asked(t *testing.T, f *field, o engine.Order, choose func(q engine.Question) int) (*Position, []engine.Event, int) {
	t.Helper()
	env := engine.Env{Dice: fixedDie(f.die), Standing: f.standing, AskActing: true, Asks: func(engine.Side, string) bool { return true }}
	var answers []engine.Answer
	var before []engine.Event
	for {
		next, events, err := engine.Do(f.r, f.p, 0, o, env, answers)
		for i := range before {
			if i >= len(events) || !reflect.DeepEqual(before[i], events[i]) {
				t.Fatalf("event %d came out differently after an answer: %+v, before %+v", i, events[i], before[i])
			}
		}
		var pause *engine.Paused
		if !errors.As(err, &pause) {
			if err != nil {
				t.Fatal(err)
			}
			return next.(*Position), events, len(answers)
		}
		q := pause.Question
		if len(q.Options) < 2 || q.Default < 0 || q.Default >= len(q.Options) || q.Card == nil {
			t.Fatalf("question %+v", q)
		}
		said(t, q.Text)
		said(t, q.Card.Title)
		for _, f := range q.Card.Factors {
			said(t, f.Text)
		}
		for i, x := range q.Options {
			said(t, x.Text)
			if x.Clause == "" || x.Text.Key == "" {
				t.Fatalf("%s, option %d is without words", q.Decision, i)
			}
			for _, y := range q.Options[:i] {
				if reflect.DeepEqual(x, y) {
					t.Fatalf("%s offers %v twice", q.Decision, x)
				}
			}
		}
		before = events
		answers = append(answers, engine.Answer{Decision: q.Decision, Side: q.Side, Option: choose(q), By: "answer"})
	}
}

var english *templates.Language

// said wants a sentence to be there and to find its arguments.
func said(t *testing.T, x engine.Text) {
	t.Helper()
	if english == nil {
		l, err := templates.Load("en")
		if err != nil {
			t.Fatal(err)
		}
		english = l
	}
	if s, err := english.Render(x); err != nil || s == "" {
		t.Fatalf("%v: %q, %v", x, s, err)
	}
}

func unsigned(events []engine.Event) []engine.Event {
	out := slices.Clone(events)
	for i, e := range out {
		if d, ok := e.Fact.(engine.Decided); ok {
			d.By, d.Source = "", ""
			out[i].Fact = d
		}
	}
	return out
}

// sound checks what must hold after any battle.
func sound(t *testing.T, p *Position, c Attack) {
	t.Helper()
	for h := 0; h < p.board().Len(); h++ {
		if p.holds(axis, h) && p.holds(soviet, h) {
			t.Fatalf("both sides stand in %s", p.name(h))
		}
		for _, s := range []uint8{axis, soviet} {
			if r := p.stackRefusal(h, s, nil, nil); p.holds(s, h) && r != nil {
				t.Fatalf("%s: %v", p.name(h), r)
			}
			if p.holds(s, h) && p.Owner(h) != s {
				t.Fatalf("%s is held by %s and not controlled", p.name(h), sideOf(s))
			}
		}
		if p.board().Terrain(h) == Lake && (p.holds(axis, h) || p.holds(soviet, h)) {
			t.Fatalf("somebody has ended in %s", p.name(h))
		}
	}
	for u := range p.d.Units {
		if p.onMap(u) && p.d.Units[u].Max > 0 && (p.Steps(u) < 1 || p.Steps(u) > p.d.Units[u].Max) {
			t.Fatalf("%s has %d steps", p.d.Units[u].ID, p.Steps(u))
		}
	}
	if r := p.lastBattle(p.side); r == nil || r.word == "" || p.battleAt(p.board().Index(c.At[0])) != r {
		t.Fatalf("last battle %+v", r)
	}
}

// Laws over random battles: the default is legal, every option is accepted,
// pausing at every question changes nothing.
func TestLawsOfQuestions(t *testing.T) {
	seen := map[string]int{}
	for seed := int64(1); seed <= 250; seed++ {
		f, c, r := melee(t, seed)
		f.die = 1 + r.Intn(6)
		o := engine.Order{Line: 1, Text: "ATTACK", Side: sideOf(f.p.side), Command: c}
		_, plain, err := engine.Do(f.r, f.p, 0, o, engine.Env{Dice: fixedDie(f.die)}, nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		p, events, _ := asked(t, f, o, func(q engine.Question) int { return q.Default })
		if i, same := engine.SameEvents(unsigned(plain), unsigned(events)); !same {
			t.Fatalf("seed %d: asked and unasked differ at event %d", seed, i)
		}
		sound(t, p, c)
		for k := 0; k < 3; k++ {
			p, events, _ = asked(t, f, o, func(q engine.Question) int {
				seen[q.Decision]++
				return r.Intn(len(q.Options))
			})
			sound(t, p, c)
			again := f.p.Clone().(*Position)
			for _, e := range events {
				rec, err := f.r.Codec().Encode(e)
				if err != nil {
					t.Fatal(err)
				}
				back, err := f.r.Codec().Decode(rec)
				if err != nil {
					t.Fatal(err)
				}
				again.Apply(back)
			}
			if a, b := fmt.Sprint(again.fightLines()), fmt.Sprint(p.fightLines()); a != b {
				t.Fatalf("seed %d: replay leaves %s, not %s", seed, a, b)
			}
			read := newPosition(p.d)
			for _, l := range p.fightLines() {
				if ok, err := read.parseFight(strings.Fields(l)); !ok || err != nil {
					t.Fatalf("%q: %v", l, err)
				}
			}
			if a, b := fmt.Sprint(read.fightLines()), fmt.Sprint(p.fightLines()); a != b {
				t.Fatalf("seed %d: read as %s, not %s", seed, a, b)
			}
			if a, b := f.r.FormatState(again), f.r.FormatState(p); a != b {
				t.Fatalf("seed %d: replay gives\n%s\nnot\n%s", seed, a, b)
			}
		}
	}
	for _, d := range []string{"D03", "D04", "D05", "D06", "E01", "E03", "E04", "E05", "D07", "D02"} {
		if seen[d] == 0 {
			t.Errorf("%s was never asked in 250 battles: %v", d, seen)
		}
	}
	t.Log(seen)
}

// A dry run ends at the commit and depends on nothing hidden.
func TestDryRunShowsNothing(t *testing.T) {
	for seed := int64(1); seed <= 100; seed++ {
		f, c, _ := melee(t, seed)
		o := engine.Order{Line: 1, Text: "ATTACK", Side: sideOf(f.p.side), Command: c}
		_, events, err := engine.Do(f.r, f.p, 0, o, engine.Env{}, nil)
		if !engine.Dicey(err) || len(events) != 0 {
			t.Fatalf("seed %d: %v, %v", seed, err, events)
		}
	}
}

// Legality, dry run and range are the same whatever lies beneath the top units
// of the enemy.
func TestNothingHiddenDecides(t *testing.T) {
	for seed := int64(1); seed <= 150; seed++ {
		f, c, r := melee(t, seed)
		other := *f
		other.p = f.p.Clone().(*Position)
		for h := 0; h < f.p.board().Len(); h++ {
			enemy := enemyOf(f.p.side)
			for _, u := range f.p.unitsIn(h, enemy) {
				if u != f.p.topOf(h, enemy) && r.Intn(2) == 0 {
					other.p.Put(u, -1)
				}
			}
		}
		other.p.version++
		show := func(f *field) string {
			out := ""
			for _, c := range []Attack{c, {At: c.At, From: c.From, Options: BattleOptions{Air: 2}}, {At: c.At, From: c.From, Options: BattleOptions{Cavalry: true}}} {
				_, events, err := engine.Do(f.r, f.p, 0, engine.Order{Line: 1, Text: "ATTACK", Side: sideOf(f.p.side), Command: c}, engine.Env{}, nil)
				x, ok := f.p.attackRange(f.p.side, c)
				out += fmt.Sprintf("%v %v %+v %v\n", events, err, x, ok)
			}
			return out
		}
		if a, b := show(f), show(&other); a != b {
			t.Fatalf("seed %d: %s\nand\n%s", seed, a, b)
		}
	}
}

// Mobile assaults keep the laws too.
func TestLawsOfMobileAssaults(t *testing.T) {
	fought := 0
	for seed := int64(1); seed <= 200; seed++ {
		f, c, r := melee(t, seed)
		f.die = 1 + r.Intn(6)
		from, to := f.p.board().Index(c.From[0].At), f.p.board().Index(c.At[0])
		var units []int
		sup := map[int]Status{}
		for _, u := range f.p.unitsIn(from, f.p.side) {
			if v := f.p.unit(u); v.Mech() && !v.RIH() {
				units = append(units, u)
				sup[u] = f.p.status(u)
			}
		}
		if len(units) == 0 || f.p.attackSide(from, to) != nil {
			continue
		}
		fought++
		PhaseBegan{sideOf(f.p.side), MovePhase}.apply(f.p)
		var out maOutcome
		game := probeGame{f.r, func(g *play) { out = g.fightMA(units, from, to, engine.Order{Text: "MA"}, BattleOptions{}, sup) }}
		run := func(choose func(q engine.Question) int) *Position {
			env := engine.Env{Dice: fixedDie(f.die), Asks: func(engine.Side, string) bool { return choose != nil }}
			var answers []engine.Answer
			for {
				next, _, err := engine.Do(game, f.p, 0, engine.Order{}, env, answers)
				var pause *engine.Paused
				if errors.As(err, &pause) {
					answers = append(answers, engine.Answer{Decision: pause.Question.Decision, Side: pause.Question.Side, Option: choose(pause.Question), By: "answer"})
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				return next.(*Position)
			}
		}
		for k := 0; k < 3; k++ {
			p := run(func(q engine.Question) int { return r.Intn(len(q.Options)) })
			here := false
			for _, u := range units {
				here = here || p.onMap(u) && p.At(u) == to
				if p.onMap(u) && p.At(u) != to && p.At(u) != from && !out.AttackersRetreated {
					t.Fatalf("seed %d: %s is in %s", seed, p.unit(u).ID, p.name(p.At(u)))
				}
			}
			stay := out.Word == "WON" || out.Word == "HELD" && p.side == axis
			if here != stay || out.Below && out.Word != "REPULSED" {
				t.Fatalf("seed %d: %+v, in the hex %v", seed, out, here)
			}
			if out.Word == "WON" && (p.holds(enemyOf(p.side), to) || p.Owner(to) != p.side) {
				t.Fatalf("seed %d: won, yet %s is not taken", seed, p.name(to))
			}
			for h := 0; h < p.board().Len(); h++ {
				if h != to && p.holds(axis, h) && p.holds(soviet, h) {
					t.Fatalf("seed %d: both sides in %s", seed, p.name(h))
				}
			}
		}
	}
	if fought < 40 {
		t.Errorf("%d mobile assaults only", fought)
	}
}

func BenchmarkTenAssaults(b *testing.B) {
	type job struct {
		f *field
		o engine.Order
	}
	var jobs []job
	for seed := int64(1); seed <= 10; seed++ {
		f, c, _ := melee(b, seed)
		jobs = append(jobs, job{f, engine.Order{Line: 1, Text: "ATTACK", Side: sideOf(f.p.side), Command: c}})
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		for _, j := range jobs {
			if _, _, err := engine.Do(j.f.r, j.f.p, 0, j.o, engine.Env{Dice: fixedDie(3)}, nil); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// An answer may be a clause: it is used for the question and for the rest of
// the step.
func TestAnswersByClause(t *testing.T) {
	f := battlefield(t, "turn 3 axis assault", "H13 56PZ 4", "H13 57PZ 4", "H12 24A 2", "H12 26A 2")
	o := engine.Order{Line: 1, Text: "ATTACK", Side: Axis, Command: attack("H12 FROM H13: 56PZ")}
	line := func(s engine.Side, p Policy) engine.Order {
		return engine.Order{Side: s, Command: Standing{Scope: Scope{Kind: "DEFAULT"}, Policy: p}, Text: "clause"}
	}
	f.die = 3
	for _, c := range []struct {
		side     engine.Side
		decision string
		p        Policy
		at       string
	}{
		{Soviet, "D04", hold(-1), "H12"}, {Soviet, "D04", yield(), "H11"}, {Axis, "E03", yield(), "H14"}, {Axis, "E03", hold(-1), "H13"},
	} {
		env := engine.Env{Dice: fixedDie(f.die), Asks: func(s engine.Side, d string) bool { return s == c.side && d == c.decision }}
		_, _, err := engine.Do(f.r, f.p, 0, o, env, nil)
		var pause *engine.Paused
		if !errors.As(err, &pause) || pause.Question.Decision != c.decision {
			t.Fatalf("%s: %v", c.decision, err)
		}
		next, events, err := engine.Do(f.r, f.p, 0, o, env, []engine.Answer{{Decision: c.decision, Side: c.side, Option: -1, By: "answer", Clauses: []engine.Order{line(c.side, c.p)}}})
		for errors.As(err, &pause) { // further questions of the kind: the clause has answered those it can
			t.Fatalf("%s %v: asked again: %+v", c.decision, c.p.Stance, pause.Question)
		}
		if err != nil {
			t.Fatal(err)
		}
		p := next.(*Position)
		unit := map[engine.Side]engine.UnitID{Soviet: "24A", Axis: "56PZ"}[c.side]
		if u := f.u(unit); p.onMap(u) && p.name(p.At(u)) != c.at && !(c.decision == "D04" && c.p.Stance == "YIELD" && p.name(p.At(u)) != "H12") {
			t.Errorf("%s %s %d: %s in %s, want %s", c.decision, c.p.Stance, c.p.N, unit, p.name(p.At(u)), c.at)
		}
		by := ""
		for _, e := range events {
			if d, ok := e.Fact.(engine.Decided); ok && d.Decision == c.decision {
				by = d.By
				break
			}
		}
		if by != "answer" {
			t.Errorf("%s decided by %q", c.decision, by)
		}
	}
}
