package blitz41

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"pbemd/engine"
	"pbemd/engine/board"
)

// body is a force that takes a result: all that fight on one side of a battle.
// It retreats together and pays its steps together.
type body struct {
	side     uint8
	defends  bool
	groups   []group
	limit    int // hexes of retreat at most (14.17, 14.30.A)
	least    int // steps at least (14.30.B)
	hold     bool
	holdRule engine.RuleID
	split    string // the decisions: D04 or E03,
	loss     string // D05, E03 or E09,
	way      string // D06 or E04
}

// group is what retreats from one hex.
type group struct {
	from  int // where the retreat begins
	units []int
	hold  bool // it never does
}

// units are those of a body still alive.
func (b *battle) alive(f *body) []int {
	var out []int
	for _, g := range f.groups {
		for _, u := range g.units {
			if b.p.onMap(u) && b.p.Steps(u) > 0 {
				out = append(out, u)
			}
		}
	}
	return out
}

func (p *Position) steps(units []int) int {
	n := 0
	for _, u := range units {
		n += p.Steps(u)
	}
	return n
}

// first splits units by who must pay first: Soviet mechanised corps before all
// others, Germans before their allies.
//
// Rule B41-14.7.C, B41-11.3.B, B41-A57.
func (p *Position) first(units []int) (first, rest []int) {
	for _, u := range units {
		if v := p.unit(u); v.MechCorps() || v.German() {
			first = append(first, u)
		} else {
			rest = append(rest, u)
		}
	}
	return first, rest
}

// lossWish is what an owner wants of step losses.
type lossWish struct {
	lose        []engine.UnitID
	spare       []engine.UnitID
	panzers     bool // SPARE PANZERS
	shock       bool // SPARE SHOCK
	spread      bool
	concentrate bool
	alive       bool // NOKILL, before CONCENTRATE,
	beforeLose  bool // before units that are named,
	beforeSpare bool // before units that are spared
}

// keepAlive notes NOKILL: it comes before whatever has not been said yet.
func (w *lossWish) keepAlive() {
	if w.alive {
		return
	}
	w.alive = !w.concentrate
	w.beforeLose = w.lose == nil
	w.beforeSpare = w.spare == nil && !w.panzers && !w.shock
}

// spares reports whether a unit is to be spared.
func (w *lossWish) spares(p *Position, u int) bool {
	v := p.unit(u)
	return slices.Contains(w.spare, v.ID) || w.panzers && v.Panzer() || w.shock && v.Shock()
}

// share finds out who loses k steps, one step after the other: units that must,
// then units that are named, then those that aren't spared, then those that
// survive it; with NOKILL survivors come sooner. What is left open is settled by
// default.
func (p *Position) share(units []int, k int, w lossWish) []int {
	lost := make([]int, len(units))
	left := func(i int) int { return p.Steps(units[i]) - lost[i] }
	forced := make([]bool, len(units))
	first, _ := p.first(units)
	for i, u := range units {
		forced[i] = slices.Contains(first, u)
	}
	rank := func(i int) [10]int {
		u := units[i]
		v := p.unit(u)
		var r [10]int
		if !forced[i] {
			r[0] = 1
		}
		if left(i) == 1 {
			if w.beforeLose {
				r[1] = 1
			}
			if w.beforeSpare {
				r[3] = 1
			}
			if w.alive || !w.concentrate {
				r[5] = 1
			}
		}
		r[2] = len(w.lose)
		if j := slices.Index(w.lose, v.ID); j >= 0 {
			r[2] = j
		}
		if w.spares(p, u) {
			r[4] = 1
		}
		switch {
		case w.spread:
			r[6] = lost[i]
		case w.concentrate:
			r[6] = -lost[i]
		}
		if v.Side == axis {
			if v.Mech() {
				r[7] = 1
			}
			r[8] = -left(i)
		} else {
			r[7] = p.dropOf(u, left(i))
		}
		return r
	}
	for ; k > 0; k-- {
		best := -1
		var bestRank [10]int
		for i := range units {
			if left(i) == 0 {
				continue
			}
			r := rank(i)
			c := -1
			if best >= 0 {
				c = slices.Compare(r[:], bestRank[:])
			}
			if c < 0 || c == 0 && lower(p.unit(units[i]).ID, p.unit(units[best]).ID) {
				best, bestRank = i, r
			}
		}
		if best < 0 {
			break
		}
		lost[best]++
	}
	return lost
}

// lower reports whether a unit comes before another by its number, then by its
// letters: 9A before 10A.
func lower(a, b engine.UnitID) bool {
	number := func(id engine.UnitID) (n int, rest string) {
		s := string(id)
		i := 0
		for i < len(s) && '0' <= s[i] && s[i] <= '9' {
			n, i = 10*n+int(s[i]-'0'), i+1
		}
		return n, s[i:]
	}
	n, x := number(a)
	m, y := number(b)
	return n < m || n == m && x < y
}

// dropOf is the attack and defence that a unit with so many steps loses with
// its next one.
func (p *Position) dropOf(u, steps int) int {
	l := p.unit(u).Ladder
	n := l[steps-1][0] + l[steps-1][1]
	if steps > 1 {
		n -= l[steps-2][0] + l[steps-2][1]
	}
	return n
}

// shares lists the ways to lose k steps, at most so many; those that must pay
// first always do.
//
// Rule B41-14.7.B, B41-14.7.C.
func (p *Position) shares(units []int, k, most int) [][]int {
	lost := make([]int, len(units))
	first, rest := p.first(units)
	if n := p.steps(first); n <= k && len(rest) > 0 {
		for i, u := range units {
			if slices.Contains(first, u) {
				lost[i] = p.Steps(u)
			}
		}
		k -= n
	} else if len(first) > 0 {
		rest = first
	}
	var out [][]int
	var pay func(i, k int)
	pay = func(i, k int) {
		switch {
		case len(out) >= most:
		case i == len(units):
			if k == 0 {
				out = append(out, slices.Clone(lost))
			}
		case !slices.Contains(rest, units[i]):
			pay(i+1, k)
		default:
			for n := min(k, p.Steps(units[i])); n >= 0; n-- {
				lost[i] = n
				pay(i+1, k-n)
			}
			lost[i] = 0
		}
	}
	pay(0, k)
	return out
}

const mostOptions = 24

// pay has a force lose k steps; its owner chooses whose.
//
// Rule B41-14.7.B, B41-14.18.
func (b *battle) pay(f *body, k int, why string, rule engine.RuleID) {
	units := b.alive(f)
	total := b.p.steps(units)
	if k <= 0 || total == 0 {
		return
	}
	lost := make([]int, len(units))
	if k >= total {
		for i, u := range units {
			lost[i] = b.p.Steps(u)
		}
	} else {
		options := b.p.shares(units, k, mostOptions)
		add := func(s []int) int {
			for i, o := range options {
				if slices.Equal(o, s) {
					return i
				}
			}
			options = append(options, s)
			return len(options) - 1
		}
		byDefault := add(b.p.share(units, k, lossWish{}))
		if w, _, ok := b.lossWish(b.x, f, units); ok {
			add(b.p.share(units, k, w))
		}
		q := engine.Question{Decision: f.loss, Side: sideOf(f.side), Rule: "B41-14.7.B", Default: byDefault,
			Text: engine.T("b41.ask.loss", "steps", k, "battle", b.title())}
		for _, o := range options {
			q.Options = append(q.Options, b.lossOption(units, o))
		}
		lost = options[b.ask(q, func(x *engine.Exec) (int, string, string) {
			w, source, ok := b.lossWish(x, f, units)
			if !ok {
				return 0, "", ""
			}
			s := b.p.share(units, k, w)
			for i, o := range options {
				if slices.Equal(o, s) {
					return i, source.by, source.line
				}
			}
			return 0, "", ""
		})]
	}
	for i, u := range units {
		if lost[i] > 0 {
			b.lost[f.side] += lost[i]
			b.lose(u, lost[i], rule, why)
			if b.p.ended != nil {
				return
			}
		}
	}
}

func (b *battle) lossOption(units, lost []int) engine.Option {
	var words, list []string
	for i, u := range units {
		if lost[i] == 0 {
			continue
		}
		id := string(b.p.unit(u).ID)
		list = append(list, id+" -"+strconv.Itoa(lost[i]))
		for n := 0; n < lost[i]; n++ {
			words = append(words, id)
		}
	}
	return engine.Option{Clause: "LOSE " + strings.Join(words, " "), Text: engine.T("b41.option.loss", "list", list)}
}

// share of a result: so many steps, so many hexes.
type taken struct{ steps, hexes int }

// clause is the split in the standing vocabulary.
func (o taken) clause() string {
	switch {
	case o.hexes == 0:
		return "HOLD"
	case o.steps == 0:
		return "YIELD"
	}
	return "HOLD " + strconv.Itoa(o.steps)
}

// forced is the rule that leaves a force no choice between steps and retreat,
// whatever its owner has said.
//
// Rule B41-11.3.A, B41-14.39.8.E, B41-6.21.B, B41-4.5.1.3.C.
func (b *battle) forced(f *body) engine.RuleID {
	switch {
	case f.hold:
		return f.holdRule
	case b.allies(f):
		return "B41-11.3.A"
	}
	return ""
}

// allies reports whether a force is of Romanians, Hungarians and Italians only.
func (b *battle) allies(f *body) bool {
	return f.side == axis && !slices.ContainsFunc(b.alive(f), func(u int) bool { return b.p.unit(u).German() })
}

// splits lists how a force may take n increments.
//
// Rule B41-14.5.p1, B41-14.7.A, B41-14.7.A.ex, B41-14.17, B41-14.20, B41-14.30.A, B41-14.30.B, B41-11.3.A, B41-11.3.B, B41-A53, B41-A107, B41-A109.
func (b *battle) splits(f *body, n int) []taken {
	units := b.alive(f)
	total := b.p.steps(units)
	if f.hold {
		return []taken{{n, 0}}
	}
	reach := b.reach(f, n)
	// Rule B41-11.3.A.
	if b.allies(f) {
		return []taken{{n - reach, reach}}
	}
	standing := total // steps that may be given to stand fast
	first, rest := b.p.first(units)
	if f.side == axis && len(rest) > 0 {
		standing = b.p.steps(first)
	}
	var out []taken
	for k := 0; k <= n; k++ {
		r := n - k
		switch {
		case k < f.least:
			continue
		case k >= total:
			// The force is spent; more steps make no difference.
			if len(out) == 0 || out[len(out)-1].steps < total {
				out = append(out, taken{k, 0})
			}
			return out
		case k >= standing && r > 0:
			// Rule B41-11.3.B: the Germans are gone, their allies give way.
			if r <= reach || len(out) == 0 {
				out = append(out, taken{k, r})
			}
			if r <= reach || k > standing {
				return out
			}
			continue
		case r <= b.reachAfter(f, n, k, reach):
			out = append(out, taken{k, r})
		}
	}
	if len(out) == 0 {
		out = append(out, taken{n, 0})
	}
	return out
}

// reachAfter is how far a force can retreat once it has lost k steps: with
// fewer or smaller units it may find room where it had none before.
func (b *battle) reachAfter(f *body, n, k, reach int) int {
	if n-k <= reach || k == 0 {
		return reach
	}
	units := b.alive(f)
	lost := b.p.share(units, k, lossWish{})
	was := b.p
	q := was.Clone().(*Position)
	for i, u := range units {
		if q.SetSteps(u, q.Steps(u)-lost[i]); q.Steps(u) == 0 {
			q.Put(u, board.None)
		}
	}
	q.version++
	b.p = q
	defer func() { b.p = was }()
	return b.reach(f, n-k)
}

// take has a force take n increments: steps first, then the retreat.
//
// Rule B41-14.7.A, B41-14.18, B41-14.20, B41-A59, B41-A62.
func (b *battle) take(f *body, n int) {
	if n == 0 || len(b.alive(f)) == 0 {
		return
	}
	options := b.splits(f, n)
	o := options[0]
	switch rule := b.forced(f); {
	case rule != "":
		b.emit(rule, engine.Decided{Decision: f.split, Side: sideOf(f.side), Clause: o.clause(), By: "rule"})
	case len(options) > 1:
		o = options[b.askSplit(f, n, options)]
	}
	b.pay(f, o.steps, "loss", "B41-14.7.A")
	if b.p.ended != nil || o.hexes == 0 {
		return
	}
	b.retreat(f, o.hexes)
}

func (b *battle) askSplit(f *body, n int, options []taken) int {
	q := engine.Question{Decision: f.split, Side: sideOf(f.side), Rule: "B41-14.7.A",
		Text: engine.T("b41.ask.split", "n", n, "battle", b.title())}
	for _, o := range options {
		q.Options = append(q.Options, engine.Option{Clause: o.clause(), Text: engine.T("b41.option.split", "steps", o.steps, "hexes", o.hexes)})
	}
	if f.defends {
		q.Default = b.auto(f, n, options)
	} else {
		q.Default = b.ownDefault(f, n, options)
	}
	return b.ask(q, func(x *engine.Exec) (int, string, string) {
		if f.defends {
			return b.stance(x, f, n, options, q.Default)
		}
		if i, by, line := b.lossPolicy(options); by != "" {
			return i, by, line
		}
		return b.answered(x, f, n, options)
	})
}

// nearest is the option that takes at least k steps and no more than it must;
// the one with the most steps if there is none.
func nearest(options []taken, k int) int {
	for i, o := range options {
		if o.steps >= k {
			return i
		}
	}
	return len(options) - 1
}

// matters reports whether a force stands in a hex that the default holds: with
// VPs, a city, or an intact fort.
func (b *battle) matters(f *body) bool {
	for _, g := range f.groups {
		s := b.p.d.SiteAt(g.from)
		_, fort := b.p.intact(g.from)
		if s != nil && s.VP > 0 || b.p.board().Is(g.from, City) || fort && f.side == soviet {
			return true
		}
	}
	return false
}

// auto is the default of D04, stance AUTO.
func (b *battle) auto(f *body, n int, options []taken) int {
	total := b.p.steps(b.alive(f))
	land := b.landReach(f, n)
	back := nearest(options, n-land)
	if land < n {
		switch {
		case b.exits(f, "zomo", n):
			back = 0
		case b.coastAlone(f) && b.bySea(f) && n-1 < total:
			back = nearest(options, n-1)
		}
	}
	stay := len(options) - 1
	choice, other := back, stay
	if b.matters(f) {
		if n < total {
			choice, other = stay, back
		}
	} else if n < total && b.leadsAstray(f, options[back].hexes) {
		choice, other = stay, back
	}
	if options[choice].steps >= total {
		if options[other].steps < total {
			return other
		}
		if b.exits(f, "finland", n) {
			return 0
		}
	}
	return choice
}

// leadsAstray reports whether every way back ends without supply although the
// force has some now.
func (b *battle) leadsAstray(f *body, hexes int) bool {
	if hexes == 0 {
		return false
	}
	out := func(s Status) bool { return s.OOS || s.None }
	now := b.setOut()
	for _, g := range f.groups {
		units := b.living(g.units)
		if len(units) == 0 {
			continue
		}
		for _, u := range units {
			if out(now.statusAt(u, g.from)) {
				return false
			}
		}
		for _, w := range b.ways(f, g, hexes) {
			if w.leaves() || !slices.ContainsFunc(w.parts, func(s part) bool {
				return slices.ContainsFunc(s.units, func(u int) bool { return out(b.p.statusAt(u, s.end())) })
			}) {
				return false
			}
		}
	}
	return true
}

// ownDefault is the default of E03: steps if the defender has left and nobody
// dies of it, else one hex and the rest in steps.
func (b *battle) ownDefault(f *body, n int, options []taken) int {
	if b.cleared() {
		units := b.alive(f)
		lost := b.p.share(units, n, lossWish{})
		dies := false
		for i, u := range units {
			dies = dies || lost[i] >= b.p.Steps(u)
		}
		if !dies {
			return len(options) - 1
		}
	}
	return 0
}

// lossPolicy is what the LOSS clause of the order chooses.
func (b *battle) lossPolicy(options []taken) (int, string, string) {
	l := b.opt.Loss
	if l == nil || !l.Steps && !l.Retreat {
		return 0, "", ""
	}
	steps := l.Steps
	if l.IfWon && !b.cleared() {
		steps = l.ElseSteps
	}
	if steps {
		return len(options) - 1, "order", b.order.Text
	}
	return 0, "order", b.order.Text
}

func sortedIDs(ids []engine.UnitID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = string(id)
	}
	sort.Strings(out)
	return out
}
