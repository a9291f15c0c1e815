package blitz41

import (
	"fmt"
	"testing"

	"pbemd/engine"
	"pbemd/engine/chart"
	"pbemd/engine/hex"
)

// Rule B41-5.10, B41-9.23, B41-A27.
func TestPoolsAreReducedOnceAndRoundedUp(t *testing.T) {
	p := battlefield(t, "turn 3 soviet assault").p
	st := func(loss int) Status { return Status{Loss: loss} }
	in := func(loss, percent int, factors ...int) []strength {
		var out []strength
		for _, f := range factors {
			out = append(out, strength{factor: f, percent: percent, st: st(loss)})
		}
		return out
	}
	for _, c := range []struct {
		id    string
		force []strength
		want  int
	}{
		{"B41-X16/10", in(1, 10, 3, 4, 6), 11},
		{"B41-X16/20", in(2, 20, 3, 4, 6), 10},
		{"B41-X16/30", in(3, 30, 3, 4, 6), 9},
		{"B41-X16/40", in(4, 40, 3, 4, 6), 7},
		{"B41-X17", append(append(in(1, 10, 13), in(1, 10, 7)...), in(0, 0, 5)...), 23},
		{"B41-X18", append(in(1, 30, 13), in(1, 10, 7)...), 15},
		{"B41-X19", in(4, 40, 1, 1, 1), 3},
		{"B41-5.10.C.ex", in(4, 40, 6), 3},
	} {
		t.Run(c.id, func(t *testing.T) {
			if got, pools := p.pools(soviet, c.force); got != c.want {
				t.Errorf("%d, want %d (%+v)", got, c.want, pools)
			}
		})
	}
	p.opt.Other = []engine.RuleID{"B41-A27"}
	if got, _ := p.pools(soviet, in(1, 50, 1)); got != 0 {
		t.Errorf("other reading of A27: %d, want 0", got)
	}
	if got, _ := p.pools(soviet, in(4, 40, 1)); got != 1 {
		t.Errorf("by supply alone: %d, want 1", got)
	}
}

func TestOddsColumns(t *testing.T) {
	p := battlefield(t, "turn 3 soviet assault").p
	for _, c := range []struct {
		a, d int
		want string
	}{{26, 8, "3-1"}, {8, 24, "1-3"}, {8, 26, "below 1-3"}, {9, 26, "1-3"}, {63, 8, "7-1"}, {64, 8, "8-1"}, {0, 3, "below 1-3"}} {
		t.Run(fmt.Sprintf("B41-X113/%d-%d", c.a, c.d), func(t *testing.T) {
			o := p.odds(c.a, c.d)
			if got := p.d.Columns.Name(o); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if p.automatic(o) != (c.want == "8-1") {
				t.Errorf("automatic: %v", p.automatic(o))
			}
		})
	}
}

func TestConcentric(t *testing.T) {
	p := battlefield(t, "turn 3 soviet assault").p
	k9 := p.named("K9")
	for _, c := range []struct {
		from []hex.Direction
		want bool
	}{
		{[]hex.Direction{hex.W, hex.E}, true},
		{[]hex.Direction{hex.NW, hex.NE, hex.E}, false},
		{[]hex.Direction{hex.W, hex.NE, hex.SE}, true},
		{[]hex.Direction{hex.W, hex.NW, hex.NE}, false},
		{[]hex.Direction{hex.W, hex.NW, hex.NE, hex.E}, true},
		{[]hex.Direction{hex.W}, false},
	} {
		t.Run(fmt.Sprint("B41-X120/", c.from), func(t *testing.T) {
			var from []int
			for _, d := range c.from {
				from = append(from, p.board().Next(k9, d))
			}
			if got := p.concentric(k9, from); got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

func TestStrengthsInBattle(t *testing.T) {
	t.Run("B41-X116", func(t *testing.T) {
		f := battlefield(t, "turn 3 axis assault", "K16 56PZ 4", "K16 57PZ 4", "K16 5G 3", "K15 24A 2")
		e := f.do(attack("K15 FROM K16"))
		mech := 8 + 8
		if e.Attackers[0].Factor+e.Attackers[1].Factor+e.Attackers[2].Factor != mech+3 {
			t.Errorf("%+v", e.Attackers)
		}
		if e.Attack != 19 || e.Defence != 8 || e.Odds != "2-1" {
			t.Errorf("%d : %d = %s, want 19 : 8 = 2-1", e.Attack, e.Defence, e.Odds)
		}
	})
	t.Run("B41-X116/hedgehog", func(t *testing.T) {
		f := battlefield(t, "turn 8 soviet assault", "J12 13G 3", "J11 3MC 1", "J11 24A 2")
		f.p.supply.hedgehogs = []int{f.p.named("J12")}
		f.p.version++
		e := f.do(attack("J12 FROM J11"))
		if e.Attackers[0].Factor != f.p.unit(f.u(e.Attackers[0].Unit)).Ladder[e.Attackers[0].Steps-1][1] && f.p.unit(f.u(e.Attackers[0].Unit)).Mech() {
			t.Errorf("mech attacks a hedgehog with %d", e.Attackers[0].Factor)
		}
		if amount(e, "14.39.8.E") != "×2" || amount(e, "9.16.B") != "-1" || amount(e, "9.16.C") != "+1" {
			t.Errorf("%+v", e.Factors)
		}
	})
	t.Run("B41-X117", func(t *testing.T) {
		p := battlefield(t, "turn 3 axis assault").p
		for _, c := range []struct{ df, loss, want int }{{11, 0, 13}, {10, 2, 9}} {
			// A made-up unit of that factor: the sum is what counts.
			n, _ := p.pools(soviet, []strength{{factor: c.df, percent: c.loss * 10, st: Status{Loss: c.loss}}})
			n += chart.Percent(n, p.d.Features["stalin"].Defence-100)
			if n != c.want {
				t.Errorf("DF %d at %d0 %%: %d, want %d", c.df, c.loss, n, c.want)
			}
		}
	})
	t.Run("B41-X118", func(t *testing.T) {
		f := battlefield(t, "turn 3 soviet assault")
		n, _ := f.p.pools(axis, []strength{{factor: 7, percent: 10, st: Status{Loss: 1}}})
		if n*f.p.d.Features["city"].Defence/100 != 12 {
			t.Errorf("%d doubled, want 12", n)
		}
	})
	t.Run("B41-X119", func(t *testing.T) {
		for turn, want := range map[int]int{2: 8, 3: 4} {
			f := battlefield(t, fmt.Sprintf("turn %d soviet assault", turn), "U21 3RUM 2", "U20 24A 2", "U20 26A 2")
			if e := f.do(attack("U21 FROM U20")); e.Defence != want {
				t.Errorf("turn %d: %d, want %d", turn, e.Defence, want)
			}
		}
		f := battlefield(t, "turn 2 soviet assault", "Q23 29G 3", "Q22 24A 2")
		if e := f.do(attack("Q23 FROM Q22")); e.Defence != e.Defenders[0].Face[1] {
			t.Errorf("in Hungary: %d of %v", e.Defence, e.Defenders[0].Face)
		}
	})
	t.Run("B41-X207", func(t *testing.T) {
		f := battlefield(t, "turn 3 soviet assault", "Q23 SCH", "Q22 26A 2", "Q22 8MC")
		e := f.do(attack("Q23 FROM Q22"))
		if e.Attack != 4 || e.Defence != 2 || e.Odds != "2-1" {
			t.Errorf("%d : %d = %s, want 4 : 2 = 2-1", e.Attack, e.Defence, e.Odds)
		}
	})
	t.Run("B41-X208", func(t *testing.T) {
		f := battlefield(t, "turn 3 axis assault", "R15 5A 2", "R16 48PZ 3", "R16 29G 3", "Q16 44G 2", "S15 55G 2")
		e := f.do(attack("R15 FROM R16 AND Q16 AND S15"))
		if e.Attack != 12 || e.Defence != 8 || e.Odds != "1-1" || e.Cell != "2/2" || e.Result != "4/1" {
			t.Errorf("%d : %d = %s, %s -> %s; %+v", e.Attack, e.Defence, e.Odds, e.Cell, e.Result, e.Factors)
		}
	})
	t.Run("B41-X209", func(t *testing.T) {
		f := battlefield(t, "turn 3 axis assault", "K15 13A 2", "K16 56PZ 4", "intact K15")
		e := f.do(attack("K15 FROM K16"))
		if e.Defence != 10 || amount(e, "9.16.C") != "+1" || amount(e, "9.16.B") != "-1" || amount(e, "9.19") != "" {
			t.Errorf("defence %d, %+v", e.Defence, e.Factors)
		}
	})
	t.Run("B41-X166", func(t *testing.T) {
		f := battlefield(t, "turn 3 axis assault", "K15 56PZ 4", "K16 57PZ 4", "J15 24A 2", "J16 26A 2")
		f.refused("14.33.B", attack("J15+J16 FROM K15: 56PZ"))
		if e := f.do(attack("J15+J16 FROM K16: 57PZ")); amount(e, "9.5") != "-10 %" {
			t.Errorf("%+v", e.Factors)
		}
	})
	t.Run("B41-X211", func(t *testing.T) {
		f := battlefield(t, "turn 5 soviet assault", "CC11 24A 2", "CC12 13G 2", "CC11 3MC")
		if e := f.do(attack("CC12 FROM CC11")); amount(e, "9.23.A") != "-30 %" {
			t.Errorf("%+v", e.Factors)
		}
	})
	t.Run("B41-X105", func(t *testing.T) {
		f := battlefield(t, "turn 3 axis assault", "Z13 56PZ 4", "AA14 24A 2")
		if e := f.do(attack("AA14 FROM Z13")); amount(e, "9.23.A") != "-40 %" {
			t.Errorf("%+v", e.Factors)
		}
	})
	t.Run("B41-X104", func(t *testing.T) {
		f := battlefield(t, "turn 6 axis assault", "AA14 56PZ 4", "Z14 24A 2")
		if e := f.do(attack("Z14 FROM AA14")); amount(e, "9.5") != "-10 %" {
			t.Errorf("%+v", e.Factors)
		}
	})
}

func TestResultModifiers(t *testing.T) {
	b := func(gr battleground) *battle {
		f := battlefield(t, "turn 3 axis assault")
		return &battle{play: &play{p: f.p}, kind: "pa", side: axis, gr: gr, at: []int{f.p.named("K9")}, allout: -1}
	}
	for _, c := range []struct {
		id   string
		gr   battleground
		cell Result
		want string
	}{
		{"B41-X114/clear", battleground{}, Result{0, 3, false}, "0/3"},
		{"B41-X114/town", battleground{town: true}, Result{0, 3, false}, "0/2"},
		{"B41-X114/city and fort", battleground{city: true, fort: "fort"}, Result{0, 3, false}, "2/1"},
		{"B41-9.18.ex", battleground{town: true, fort: "fortified"}, Result{1, 3, false}, "2/1"},
		{"B41-X115", battleground{town: true}, Result{0, 0, false}, "0/0"},
		{"B41-X132", battleground{city: true, hedgehog: true}, Result{0, 2, false}, "1/1"},
	} {
		t.Run(c.id, func(t *testing.T) {
			if got, _ := b(c.gr).shifted(c.cell); got.String() != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
	x := b(battleground{})
	x.air, x.allout, x.from = [2]int{2, 0}, 0, []int{x.p.named("K8"), x.p.named("K10")}
	if got, _ := x.shifted(Result{0, 3, false}); got.String() != "0/7" {
		t.Errorf("B41-X210: %s, want 0/7", got)
	}
	x = b(battleground{})
	x.air = [2]int{2, 3}
	if got, _ := x.shifted(Result{0, 3, false}); got.String() != "0/2" {
		t.Errorf("B41-X122: %s, want 0/2", got)
	}
	x.from, x.air = []int{x.p.named("K8"), x.p.named("K10")}, [2]int{}
	if x.kind = "ma"; true {
		if got, _ := x.shifted(Result{0, 3, false}); got.String() != "0/3" {
			t.Errorf("B41-X121, concentric in an MA: %s", got)
		}
	}
	x.kind, x.at = "pa", []int{x.p.named("K9"), x.p.named("J9")}
	if got, _ := x.shifted(Result{0, 3, false}); got.String() != "0/3" {
		t.Errorf("B41-X121, concentric on two hexes: %s", got)
	}
}

func TestTownAndHedgehogInTheGround(t *testing.T) {
	f := battlefield(t, "turn 8 soviet assault", "J12 13G 3")
	h := f.p.named("J12")
	if g := f.p.groundOf([]int{h}, axis); !g.town || g.city {
		t.Fatalf("J12: %+v", g)
	}
	f.p.supply.hedgehogs = []int{h}
	if g := f.p.groundOf([]int{h}, axis); g.town || !g.city || !g.hedgehog {
		t.Errorf("B41-A115: %+v", g)
	}
}

func TestSovietArms(t *testing.T) {
	f := battlefield(t, "turn 8 soviet assault", "K8 24A 2", "K8 3MC", "L8 1SH 4", "L8 5MC", "J8 26A 2")
	force := func(at string, ids ...engine.UnitID) []strength {
		var out []strength
		for _, id := range ids {
			out = append(out, strength{u: f.u(id), h: f.p.named(at), factor: f.p.face(f.u(id))[0]})
		}
		return out
	}
	if f.p.combinedArms(append(force("K8", "24A", "3MC"), force("L8", "1SH")...)) {
		t.Error("B41-X127: no mech corps in L8, yet combined arms")
	}
	if !f.p.combinedArms(append(force("K8", "24A", "3MC"), force("L8", "1SH", "5MC")...)) {
		t.Error("B41-X127: no combined arms with 5MC")
	}
	sh := func(own, percent int, others ...int) bool {
		s := []strength{{u: f.u("1SH"), factor: own, percent: percent}}
		for _, n := range others {
			s = append(s, strength{u: f.u("24A"), factor: n})
		}
		return f.p.shock(s)
	}
	if !sh(11, 0, 11) || sh(11, 0, 12) || sh(11, 30, 8) {
		t.Error("B41-X128", sh(11, 0, 11), sh(11, 0, 12), sh(11, 30, 8))
	}
	f.p.opt.Other = []engine.RuleID{"B41-A30"}
	if !sh(11, 30, 8) {
		t.Error("other reading of A30: printed factors count")
	}
}

// Rule B41-13.2: a CHECK shows the same whatever lies beneath the top unit.
func TestRangeKnowsNothingHidden(t *testing.T) {
	f := func(opt Options, beneath ...string) oddsRange {
		g := battlefield(t, append([]string{"turn 3 axis assault", "H13 56PZ 4", "H13 57PZ 4", "H12 24A 2", "top H12 24A"}, beneath...)...)
		g.p.opt = opt
		x, ok := g.p.attackRange(axis, attack("H12 FROM H13"))
		if !ok {
			t.Fatal("refused")
		}
		return x
	}
	a, b := f(Options{}), f(Options{}, "H12 26A 2", "H12 16A 1", "H12 3MC")
	if fmt.Sprintf("%+v", a) != fmt.Sprintf("%+v", b) {
		t.Errorf("B41-X185: %+v and %+v", a, b)
	}
	if a.Exact || a.Defence[0] != 4 || a.Defence[1] <= 4+3*4 || a.Odds[0] <= a.Odds[1] || a.Results[0] == nil {
		t.Errorf("%+v", a)
	}
	if c := f(Options{}, "G12 26A 2", "G12 MSU"); c.Defence[0] != a.Defence[0] {
		t.Errorf("the MSU under 26A shows: %+v", c)
	}
	if c := f(Options{Open: true}, "H12 26A 2"); !c.Exact || c.Defence != [2]int{8, 8} {
		t.Errorf("open: %+v", c)
	}
	// The whole may never be worth more than the range says.
	for seed := int64(1); seed <= 200; seed++ {
		g, c, _ := melee(t, seed)
		x, ok := g.p.attackRange(g.p.side, c)
		if !ok {
			t.Fatal("refused")
		}
		e := g.do(c)
		hog := amount(e, "14.39.8.E") != ""
		if !hog && (e.Defence < x.Defence[0] || e.Defence > x.Defence[1]) && e.Defenders[0].Loss >= 0 && !fed(g) {
			t.Errorf("seed %d: defence %d outside %v (%+v)", seed, e.Defence, x.Defence, e.Defenders)
		}
		if e.Attack != x.Attack {
			t.Errorf("seed %d: attack %d, foreseen %d", seed, e.Attack, x.Attack)
		}
	}
}

// fed reports whether air supply was declared in the last order.
func fed(f *field) bool {
	for _, e := range f.events {
		if _, ok := e.Fact.(AirSupplyDeclared); ok {
			return true
		}
	}
	return false
}

// A mobile assault ordered through the movement: its preview, its battle, its
// place in the state.
func TestMobileAssaultIsForeseen(t *testing.T) {
	f := battlefield(t, "turn 3 axis move", "H14 56PZ 4", "H14 57PZ 4", "H13 24A 2", "H13 26A 2", "top H13 24A")
	order := func(c engine.Command) engine.Order {
		return engine.Order{Line: 1, Text: c.Verb(), Side: Axis, Command: c}
	}
	if _, err := f.try(Stack{At: at("H14")}); err != nil {
		t.Fatal(err)
	}
	ma := MobileAssault{At: at("H13")}
	x, ok := f.p.previewBattle(order(ma))
	if !ok || x.Exact || x.Kind != "ma" || x.Defence[0] != 4 || x.Defence[1] < 8 {
		t.Fatalf("%+v, %v", x, ok)
	}
	if _, ok := f.p.previewBattle(order(MobileAssault{At: at("G13")})); ok {
		t.Error("an empty hex is priced")
	}
	f.stand(Soviet, hold(-1))
	e := f.do(ma)
	if e.Attack != x.Attack || e.Type != "ma" {
		t.Errorf("attack %d, foreseen %d", e.Attack, x.Attack)
	}
	if r := f.p.lastBattle(axis); r == nil || r.word != e.Word {
		t.Errorf("last battle %+v, report %s", r, e.Word)
	}
	if y, ok := f.p.previewBattle(order(Repeat{Max: 1})); f.p.move.engaged && (!ok || y.From[0] != f.p.named("H14")) {
		t.Errorf("relaunch: %+v, %v", y, ok)
	}
	g := battlefield(t, "turn 3 axis assault", "H14 56PZ 4", "H13 24A 2")
	if _, ok := g.p.previewBattle(order(attack("H13 FROM H14: 56PZ"))); !ok {
		t.Error("a prepared assault is not priced")
	}
	if _, ok := g.p.previewBattle(order(attack("H12 FROM H14: 56PZ"))); ok {
		t.Error("a refused assault is priced")
	}
}
