package blitz41

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pbemd/engine"
	"pbemd/engine/board"
	"pbemd/engine/chart"
	"pbemd/engine/hex"
)

// fightState is what battles leave behind for the rest of a phase.
type fightState struct {
	last     [3]*battleResult // by side, of this player-turn's phase
	battles  []*battleResult  // of this phase, in order
	attacked []bool           // by unit: defended in a PA this phase (14.31.C); nil for nobody
	cavalry  bool             // the cavalry raid has been used this phase (14.39.6.A)
}

func (s *fightState) begin(p *Position) { *s = fightState{} }

// battleResult is how a battle came out. It is not changed once it stands in
// the state.
type battleResult struct {
	kind      string // ma, pa, probe
	side      uint8  // the attacker's
	at        []int  // defending hexes
	from      []int  // hexes attacked from
	attackers []int
	defenders []int
	word      string // WON, HELD, REPULSED; "" while it is fought
	cleared   bool   // no defender is left in the hexes
	dx, below bool
	lost      [3]int // steps lost, by side
}

// fightLines writes the state of the area for the text notation of positions:
//
//	fight attacked 24A 26A         defended in a PA this phase
//	fight cavalry                  the raid has been used
//	fight pa axis WON at K9 from K8 L8 by 56PZ 13G against 24A lost 1 2 cleared dx below
func (p *Position) fightLines() []string {
	var out []string
	var hit []string
	for u, is := range p.fight.attacked {
		if is {
			hit = append(hit, string(p.d.Units[u].ID))
		}
	}
	if hit != nil {
		out = append(out, "fight attacked "+strings.Join(hit, " "))
	}
	if p.fight.cavalry {
		out = append(out, "fight cavalry")
	}
	for _, r := range p.fight.battles {
		w := []string{"fight", r.kind, string(sideOf(r.side)), or(r.word, "-"), "at"}
		w = append(append(append(w, p.names(r.at)...), "from"), p.names(r.from)...)
		w = append(append(w, "by"), idNames(p.ids(r.attackers))...)
		w = append(append(w, "against"), idNames(p.ids(r.defenders))...)
		w = append(w, "lost", strconv.Itoa(r.lost[r.side]), strconv.Itoa(r.lost[enemyOf(r.side)]))
		for _, f := range []struct {
			is   bool
			word string
		}{{r.cleared, "cleared"}, {r.dx, "dx"}, {r.below, "below"}} {
			if f.is {
				w = append(w, f.word)
			}
		}
		out = append(out, strings.Join(w, " "))
	}
	return out
}

// parseFight reads a line of [Position.fightLines].
func (p *Position) parseFight(w []string) (bool, error) {
	if len(w) < 2 || w[0] != "fight" {
		return false, nil
	}
	unit := func(s string) (int, error) {
		u := p.d.Unit(engine.UnitID(s))
		if u < 0 {
			return 0, fmt.Errorf("there is no unit %q", s)
		}
		return u, nil
	}
	switch w[1] {
	case "cavalry":
		p.fight.cavalry = true
		return true, nil
	case "attacked":
		if p.fight.attacked == nil {
			p.fight.attacked = make([]bool, len(p.d.Units))
		}
		for _, s := range w[2:] {
			u, err := unit(s)
			if err != nil {
				return true, err
			}
			p.fight.attacked[u] = true
		}
		return true, nil
	case "ma", "pa", "probe":
	default:
		return true, fmt.Errorf("fight %q", w[1])
	}
	if len(w) < 4 || number(engine.Side(w[2])) == nobody {
		return true, fmt.Errorf("a battle has a side and a word")
	}
	r := &battleResult{kind: w[1], side: number(engine.Side(w[2])), word: strings.TrimPrefix(w[3], "-")}
	part, lost := "", 0
	for _, s := range w[4:] {
		switch s {
		case "at", "from", "by", "against", "lost":
			part = s
			continue
		case "cleared", "dx", "below":
			r.cleared, r.dx, r.below = r.cleared || s == "cleared", r.dx || s == "dx", r.below || s == "below"
			continue
		}
		switch part {
		case "at", "from":
			c, err := hex.Parse(s)
			if err != nil || !p.board().Has(c) {
				return true, fmt.Errorf("hex %q", s)
			}
			if part == "at" {
				r.at = append(r.at, p.board().Index(c))
			} else {
				r.from = append(r.from, p.board().Index(c))
			}
		case "by", "against":
			u, err := unit(s)
			if err != nil {
				return true, err
			}
			if part == "by" {
				r.attackers = append(r.attackers, u)
			} else {
				r.defenders = append(r.defenders, u)
			}
		case "lost":
			n, err := strconv.Atoi(s)
			if err != nil || lost > 1 {
				return true, fmt.Errorf("lost %q", s)
			}
			r.lost[[2]uint8{r.side, enemyOf(r.side)}[lost]] = n
			lost++
		default:
			return true, fmt.Errorf("%q in a battle", s)
		}
	}
	p.fight.battles = append(p.fight.battles, r)
	p.fight.last[r.side] = r
	return true, nil
}

// lastBattle is the last battle a side has fought as attacker in this phase,
// nil if there was none.
func (p *Position) lastBattle(side uint8) *battleResult { return p.fight.last[side] }

// battleAt is the last battle of this phase on a hex, nil if there was none.
func (p *Position) battleAt(h int) *battleResult {
	for i := len(p.fight.battles) - 1; i >= 0; i-- {
		if slices.Contains(p.fight.battles[i].at, h) {
			return p.fight.battles[i]
		}
	}
	return nil
}

// maOutcome is how a mobile assault came out for the attackers' movement.
type maOutcome struct {
	Word               string // WON, HELD, REPULSED
	Below, DX          bool
	LostSteps          int
	AttackersRetreated bool
}

var fightFacts = []engine.Fact{BattleBegan{}, BattleEnded{}, CavalryRode{}}

// Fighter is a unit of a battle.
type Fighter struct {
	Unit   engine.UnitID `json:"unit"`
	At     hex.Coord     `json:"at"`
	Steps  int           `json:"steps"`
	Face   [3]int        `json:"face"`
	Factor int           `json:"factor,omitempty"` // what it brings in before penalties
	Loss   int           `json:"loss,omitempty"`   // per cent taken by supply
	Total  int           `json:"total,omitempty"`  // per cent taken in all
	Late   bool          `json:"late,omitempty"`   // has just retreated here: counts nothing (14.21)
	Lost   int           `json:"lost,omitempty"`
	After  hex.Coord     `json:"after,omitzero"` // where it stands afterwards
	Fate   string        `json:"fate,omitempty"` // stays, retreats, advances, exits, dies
}

// BattleBegan is the commit of a battle: from here on both sides see both
// forces. A probe has no defenders and shows nothing.
type BattleBegan struct {
	Type      string      `json:"type"` // ma, pa, probe
	Side      engine.Side `json:"side"` // the attacker
	At        []hex.Coord `json:"at"`
	From      []hex.Coord `json:"from"`
	Attackers []Fighter   `json:"attackers"`
	Defenders []Fighter   `json:"defenders,omitempty"`
}

// Kind implements [engine.Fact].
func (BattleBegan) Kind() string { return "BattleBegan" }

func (f BattleBegan) apply(p *Position) {
	s := number(f.Side)
	r := &battleResult{kind: f.Type, side: s}
	for _, c := range f.At {
		r.at = append(r.at, p.d.Board.Index(c))
	}
	for _, c := range f.From {
		r.from = append(r.from, p.d.Board.Index(c))
	}
	for _, u := range f.Attackers {
		r.attackers = append(r.attackers, p.d.byID[u.Unit])
	}
	for _, u := range f.Defenders {
		r.defenders = append(r.defenders, p.d.byID[u.Unit])
	}
	if f.Type != "ma" {
		// Rule B41-14.31.B.
		for _, u := range r.attackers {
			p.flags[u] |= Assaulted
		}
		// Rule B41-14.31.C.
		hit := make([]bool, len(p.d.Units))
		copy(hit, p.fight.attacked)
		p.fight.attacked = hit
		for _, u := range r.defenders {
			p.fight.attacked[u] = true
		}
	}
	p.fight.last[s] = r
	p.fight.battles = append(p.fight.battles[:len(p.fight.battles):len(p.fight.battles)], r)
}

// CavalryRode uses up the cavalry raid of the phase.
type CavalryRode struct {
	At hex.Coord `json:"at"`
}

// Kind implements [engine.Fact].
func (CavalryRode) Kind() string { return "CavalryRode" }

func (f CavalryRode) apply(p *Position) { p.fight.cavalry = true }

// Pool is a part of a force that suffers the same percentage.
type Pool struct {
	Side    engine.Side `json:"side"`
	Printed int         `json:"printed"`
	Percent int         `json:"percent"`
	Left    int         `json:"left"`
}

// Way is what a group did after a battle: a retreat or an advance.
type Way struct {
	Units []engine.UnitID `json:"units"`
	From  hex.Coord       `json:"from"`
	Path  []hex.Coord     `json:"path"`
	Exit  string          `json:"exit,omitempty"` // finland, zomo, sea
}

// BattleEnded closes a battle and says all that its report needs.
type BattleEnded struct {
	Type      string          `json:"type"`
	Side      engine.Side     `json:"side"`
	At        []hex.Coord     `json:"at"`
	Attackers []Fighter       `json:"attackers"`
	Defenders []Fighter       `json:"defenders,omitempty"`
	Pools     []Pool          `json:"pools,omitempty"`
	Attack    int             `json:"attack"`
	Defence   int             `json:"defence"`
	Odds      string          `json:"odds,omitempty"` // 3-1
	Air       [2]int          `json:"air"`            // attacker's and defender's points
	AllOut    engine.UnitID   `json:"allout,omitempty"`
	Cavalry   bool            `json:"cavalry,omitempty"`
	Factors   []engine.Factor `json:"factors,omitempty"`
	Die       int             `json:"die,omitempty"`
	Cell      string          `json:"cell,omitempty"`   // as the table has it
	Result    string          `json:"result,omitempty"` // after modifiers
	DX        bool            `json:"dx,omitempty"`
	Below     bool            `json:"below,omitempty"`
	Word      string          `json:"word"` // WON, HELD, REPULSED
	Cleared   bool            `json:"cleared,omitempty"`
	Lost      [2]int          `json:"lost"` // steps of attacker and defender
	Retreats  []Way           `json:"retreats,omitempty"`
	Advances  []Way           `json:"advances,omitempty"`
	Occupied  []Way           `json:"occupied,omitempty"` // by the defenders (14.8.C)
	Awarded   int             `json:"awarded,omitempty"`  // advance MPs before limits
}

// Kind implements [engine.Fact].
func (BattleEnded) Kind() string { return "BattleEnded" }

func (f BattleEnded) apply(p *Position) {
	if len(p.fight.battles) == 0 {
		return
	}
	r := *p.fight.battles[len(p.fight.battles)-1]
	r.word, r.cleared, r.dx, r.below = f.Word, f.Cleared, f.DX, f.Below
	r.lost[r.side], r.lost[enemyOf(r.side)] = f.Lost[0], f.Lost[1]
	n := len(p.fight.battles) - 1
	p.fight.battles = append(p.fight.battles[:n:n], &r)
	p.fight.last[r.side] = &r
}

// battle is a battle as it is fought.
type battle struct {
	*play
	kind      string // ma, pa, probe
	side      uint8  // the attacker's
	order     engine.Order
	opt       BattleOptions
	at, from  []int // in board order; of an MA, from is the launch hex
	attackers []int
	defenders []int // all of them, those included that count nothing
	attack    []strength
	defend    []strength
	sup       map[int]Status // of MA attackers, since their stack began to move
	before    map[int]int    // steps when it began
	full      map[int]bool   // strength not cut by supply (14.25.B)
	gr        battleground
	sums      [2]int // attack and defence
	pools     []Pool
	factors   []engine.Factor
	odds      chart.Odds
	priced    bool
	air       [2]int
	allout    int
	cavalry   bool
	die       int
	cell      Result
	result    Result
	below, dx bool
	lost      [3]int
	gaveWay   [3]bool
	award     int
	retreats  []Way
	advances  []Way
	occupied  []Way
}

func (b *battle) ma() bool { return b.kind == "ma" }

// title names the battle for a sentence.
func (b *battle) title() engine.Text {
	return engine.T("b41.battle."+b.kind, "hexes", b.p.names(b.at))
}

// cleared reports whether no defender is left in the hexes of the battle.
func (b *battle) cleared() bool { return len(b.vacant()) == len(b.at) }

// fighters notes who takes part, as they are now.
func (b *battle) fighters(force []strength) []Fighter {
	var out []Fighter
	for _, f := range force {
		out = append(out, Fighter{Unit: b.p.unit(f.u).ID, At: b.p.board().At(f.h), Steps: b.p.Steps(f.u), Face: b.p.face(f.u), Late: f.late})
	}
	return out
}

// newBattle lines up the forces: who attacks from where, who defends.
//
// Rule B41-14.2, B41-14.32.A, B41-14.32.B, B41-14.33.A, B41-14.34, B41-14.35, B41-5.12.H, B41-12.9.B, B41-A118.
func (g *play) newBattle(kind string, side uint8, o engine.Order, opt BattleOptions, at []int, attack []strength) *battle {
	b := &battle{play: g, kind: kind, side: side, order: o, opt: opt, at: slices.Clone(at), attack: attack, allout: -1,
		before: map[int]int{}, full: map[int]bool{}}
	slices.Sort(b.at)
	for _, f := range attack {
		b.attackers = append(b.attackers, f.u)
		b.before[f.u] = g.p.Steps(f.u)
		if !slices.Contains(b.from, f.h) {
			b.from = append(b.from, f.h)
		}
	}
	slices.Sort(b.from)
	if kind == "probe" {
		return b
	}
	for _, h := range b.at {
		for _, u := range g.p.unitsIn(h, enemyOf(side)) {
			if g.p.unit(u).Class == "none" {
				continue
			}
			// Rule B41-14.21.A, B41-14.21.C.
			late := kind == "pa" && g.p.has(u, Retreated)
			b.defend = append(b.defend, strength{u: u, h: h, late: late})
			b.defenders = append(b.defenders, u)
			b.before[u] = g.p.Steps(u)
		}
	}
	return b
}

// commit is the point of no return; both sides see both forces from here on.
//
// Rule B41-13.2, B41-14.38, B41-A80.
func (b *battle) commit() {
	if b.kind != "probe" {
		b.x.Commit()
	}
	b.emit("B41-13.2", BattleBegan{b.kind, sideOf(b.side), b.p.coords(b.at), b.p.coords(b.from), b.fighters(b.attack), b.fighters(b.defend)})
}

// traceAttackers finds the supply of the attackers: of a PA now, of an MA since
// their move began unless they have been fed by air.
//
// Rule B41-5.8.A, B41-5.9, B41-12.18, B41-4.5.1.4.B, B41-A21, B41-A114.
func (b *battle) traceAttackers() {
	for i := range b.attack {
		f := &b.attack[i]
		switch st, known := b.sup[f.u]; {
		case known && !b.p.has(f.u, AirSupplied):
			f.st = st
		case known:
			f.st = Status{Air: true, Line: st.Line, From: st.From}
		default:
			f.st = b.p.status(f.u)
		}
		b.full[f.u] = f.st.Loss == 0
	}
}

// setOut is the position as an MA sets out from its launch hex: attackers that
// share the defenders' hex bar nothing.
//
// Rule B41-5.8.B, B41-12.9.B.
func (b *battle) setOut() *Position {
	if !b.ma() {
		return b.p
	}
	return b.p.before(b.side, b.attackers, b.from[0], b.at[0])
}

// before is the position with the attackers of an MA back in their launch hex.
func (p *Position) before(side uint8, attackers []int, launch, at int) *Position {
	if !p.holds(side, at) {
		return p
	}
	q := p.Clone().(*Position)
	for _, u := range attackers {
		if q.At(u) == at {
			q.Put(u, launch)
		}
	}
	q.version++
	return q
}

// traceDefenders finds the supply of the defenders at this moment.
//
// Rule B41-5.8.B, B41-5.10.E, B41-4.5.1.4.D, B41-12.18.
func (b *battle) traceDefenders() {
	p := b.setOut()
	for i := range b.defend {
		b.defend[i].st = p.status(b.defend[i].u)
	}
}

// price works out strengths and odds.
//
// Rule B41-14.3.A, B41-14.39.6.C, B41-A28, B41-A29.
func (b *battle) price() {
	b.gr = b.p.groundOf(b.at, enemyOf(b.side))
	rows := b.p.attackers(b.attack, b.gr)
	sum, pools := b.p.pools(b.side, b.attack)
	if b.cavalry {
		sum += 3
		rows = append(rows, engine.Factor{Rule: "B41-14.39.6.C", On: "attack", Amount: "+3", Text: engine.T("b41.mod.cavalry")})
	}
	def, defPools, defRows := b.p.defence(b.defend, b.gr, enemyOf(b.side))
	b.sums, b.pools, b.factors = [2]int{sum, def}, append(pools, defPools...), append(rows, defRows...)
	b.odds, b.priced = b.p.odds(sum, def), true
}

// fight runs a battle from the commit to the end.
//
// Rule B41-14.19.B, B41-14.3.C, B41-14.29.A.
func (b *battle) fight() {
	b.commit()
	b.traceAttackers()
	b.feedAttackers()
	b.traceAttackers()
	b.traceDefenders()
	b.feedDefenders()
	b.traceDefenders()
	b.raid()
	b.price()
	if b.ma() {
		b.enter()
	}
	switch {
	case b.odds < 0:
		b.ineffectual()
	case b.p.automatic(b.odds):
		b.destroy()
	default:
		b.attackersAir()
		b.defendersAir()
		b.roll()
		b.defenderTakes()
		if b.p.ended == nil {
			b.attackerTakes()
		}
	}
	if b.p.ended == nil {
		b.aftermath()
	}
	b.close()
}

// enter puts the attackers of an MA into the hex they assault.
//
// Rule B41-12.9.A, B41-12.9.B, B41-12.17.
func (b *battle) enter() {
	for _, u := range b.attackers {
		if b.p.At(u) != b.at[0] {
			b.emit("B41-12.9.B", UnitMoved{b.p.unit(u).ID, []hex.Coord{b.p.board().At(b.at[0])}, "ma"})
		}
	}
}

// ineffectual calls an assault off below the first column.
//
// Rule B41-14.3.C, B41-A52, B41-A117.
func (b *battle) ineffectual() {
	b.below = true
	f := b.attackBody()
	f.loss = "E09"
	b.pay(f, 1, "below", "B41-14.3.C")
}

// destroy is the DX: no die, no retreat.
//
// Rule B41-14.29.A, B41-14.3.B, B41-A23.
func (b *battle) destroy() {
	b.dx = true
	b.cell = Result{DX: true}
	b.result = b.cell
	b.wipe(b.defenders, "B41-14.29.A")
}

// wipe destroys units whole.
func (b *battle) wipe(units []int, rule engine.RuleID) {
	for _, u := range units {
		if n := b.p.Steps(u); n > 0 && b.p.onMap(u) && b.p.ended == nil {
			b.lost[b.p.unit(u).Side] += n
			b.lose(u, n, rule, "combat")
		}
	}
}

// roll throws the die and reads the table.
//
// Rule B41-1.4, B41-14.4, B41-14.4.ex, B41-14.5.p2.
func (b *battle) roll() {
	kind := RollPA
	if b.ma() {
		kind = RollMA
	}
	what := engine.T("b41.roll.battle", "battle", b.title(), "odds", b.p.d.Columns.Name(b.odds))
	b.die = b.x.Roll("B41-14.4", kind, strings.Join(b.p.names(b.at), "+"), 6, 1, what)[0]
	b.cell = b.p.d.CRT[b.die][b.odds]
	var rows []engine.Factor
	b.result, rows = b.shifted(b.cell)
	b.factors = append(b.factors, rows...)
}

// defenceBody is the force that takes the defender's result: units that had just
// retreated here are no part of it. Of an assault on several hexes, a hedgehog
// and the Partisans stand while the others may retreat.
//
// Rule B41-14.39.8.E, B41-6.21.B, B41-14.21.B, B41-A62.
func (b *battle) defenceBody() *body {
	f := &body{side: enemyOf(b.side), defends: true, limit: 4, split: "D04", loss: "D05", way: "D06"}
	for _, h := range b.at {
		g := group{from: h}
		for _, d := range b.defend {
			if d.h == h && !d.late {
				g.units = append(g.units, d.u)
				if b.p.unit(d.u).ID == "PART" {
					g.hold, f.holdRule = true, "B41-6.21.B"
				}
			}
		}
		if b.p.hedgehog(h) {
			g.hold, f.holdRule = true, "B41-14.39.8.E"
		}
		f.groups = append(f.groups, g)
	}
	f.hold = !slices.ContainsFunc(f.groups, func(g group) bool { return !g.hold && len(g.units) > 0 })
	return f
}

// attackBody is the force that takes the attacker's result.
//
// Rule B41-14.30.A, B41-14.30.B, B41-4.5.1.3.C, B41-4.5.1.4.E, B41-4.5.2.3.A, B41-12.19, B41-A19, B41-A59.
func (b *battle) attackBody() *body {
	f := &body{side: b.side, limit: 1, split: "E03", loss: "E03", way: "E04"}
	if b.side == soviet {
		f.least = 1
		if b.ma() {
			f.hold, f.holdRule = true, "B41-4.5.1.3.C"
		}
	}
	for _, h := range b.from {
		g := group{from: h}
		for _, a := range b.attack {
			if a.h == h {
				g.units = append(g.units, a.u)
			}
		}
		f.groups = append(f.groups, g)
	}
	return f
}

// defenderTakes applies the defender's result.
//
// Rule B41-14.6, B41-14.8.A, B41-14.21.B.
func (b *battle) defenderTakes() {
	n := b.result.Defender
	if n == 0 {
		return
	}
	var late []int
	for _, d := range b.defend {
		if d.late {
			late = append(late, d.u)
		}
	}
	b.wipe(late, "B41-14.21.B")
	if b.p.ended == nil {
		b.take(b.defenceBody(), n)
	}
}

// attackerTakes applies the attacker's result, after the defender's.
//
// Rule B41-14.8.A, B41-12.15, B41-12.19.
func (b *battle) attackerTakes() {
	b.take(b.attackBody(), b.result.Attacker)
}

// goHome puts the attackers of an MA back into the launch hex.
//
// Rule B41-12.19, B41-12.22.A, B41-14.3.C.
func (b *battle) goHome(rule engine.RuleID) {
	for _, u := range b.attackers {
		if b.p.At(u) == b.at[0] {
			b.emit(rule, UnitMoved{b.p.unit(u).ID, b.p.coords(b.from), "return"})
		}
	}
}

// aftermath: who holds the ground, who goes forward.
//
// Rule B41-12.4, B41-12.20.A, B41-12.22, B41-14.8.B, B41-14.8.C, B41-A120.
func (b *battle) aftermath() {
	switch {
	case b.ma() && (b.below || !b.cleared() && b.side == soviet):
		b.goHome("B41-12.22.A")
	case b.ma():
		if b.cleared() && b.p.holds(b.side, b.at[0]) {
			b.arrived(b.at[0], b.side)
		}
	case b.cleared():
		b.advance()
	case b.below || b.result.Defender == 0:
		b.occupy()
	}
}

// word is the outcome for conditions: WON if the defenders are gone and the
// attackers have not given way, REPULSED if those have been driven off or
// destroyed, else HELD.
func (b *battle) word() string {
	alive := slices.ContainsFunc(b.attackers, func(u int) bool { return b.p.onMap(u) })
	switch {
	case b.below, b.gaveWay[b.side], !alive:
		return "REPULSED"
	case b.cleared():
		return "WON"
	}
	return "HELD"
}

// close states how the battle came out.
func (b *battle) close() { b.emit("B41-14.19.B", b.report()) }

// report is the battle as it stands.
func (b *battle) report() BattleEnded {
	f := BattleEnded{
		Type: b.kind, Side: sideOf(b.side), At: b.p.coords(b.at), Pools: b.pools, Attack: b.sums[0], Defence: b.sums[1],
		Air: b.air, Cavalry: b.cavalry, Factors: b.factors, Die: b.die, DX: b.dx, Below: b.below, Word: b.word(), Cleared: b.cleared(),
		Lost: [2]int{b.lost[b.side], b.lost[enemyOf(b.side)]}, Retreats: b.retreats, Advances: b.advances, Occupied: b.occupied,
		Attackers: b.outcome(b.attack), Defenders: b.outcome(b.defend),
	}
	if b.priced {
		f.Odds = b.p.d.Columns.Name(b.odds)
	}
	if b.allout >= 0 {
		f.AllOut = b.p.unit(b.allout).ID
	}
	if b.die > 0 || b.dx {
		f.Cell, f.Result = b.cell.String(), b.result.String()
	}
	if b.kind != "ma" && f.Cleared {
		f.Awarded = b.awardWord()
	}
	return f
}

// outcome says what became of everybody.
func (b *battle) outcome(force []strength) []Fighter {
	moved := func(ways []Way, id engine.UnitID) bool {
		return slices.ContainsFunc(ways, func(w Way) bool { return slices.Contains(w.Units, id) })
	}
	var out []Fighter
	for _, s := range force {
		v := b.p.unit(s.u)
		was := b.before[s.u]
		f := Fighter{Unit: v.ID, At: b.p.board().At(s.h), Steps: was, Factor: s.factor, Loss: s.st.Percent(), Total: s.percent, Late: s.late,
			Lost: was - b.p.Steps(s.u), After: b.p.board().At(b.p.At(s.u)), Fate: "stays"}
		if was > 0 && was <= v.Max {
			f.Face = v.Ladder[was-1]
		}
		switch {
		case !b.p.onMap(s.u) && moved(b.retreats, v.ID) && b.p.Steps(s.u) > 0:
			f.Fate = "exits"
		case !b.p.onMap(s.u):
			f.Fate = "dies"
		case moved(b.retreats, v.ID):
			f.Fate = "retreats"
		case moved(b.advances, v.ID), moved(b.occupied, v.ID):
			f.Fate = "advances"
		}
		out = append(out, f)
	}
	return out
}

// fightMA fights a whole mobile assault of units that stand in the launch hex,
// or still in the hex under assault, and says how it came out. Those that have
// to go home have gone; Germans who held on stand in the hex (12.22.B).
//
// Rule B41-12.9.A, B41-12.13, B41-12.14.A, B41-12.18, B41-12.21.B, B41-12.21.C, B41-4.5.1.3.B.
func (g *play) fightMA(units []int, from, to int, o engine.Order, opt BattleOptions, sup map[int]Status) maOutcome {
	var attack []strength
	for _, u := range units {
		attack = append(attack, strength{u: u, h: from})
	}
	b := g.newBattle("ma", g.p.unit(units[0]).Side, o, opt, []int{to}, attack)
	b.sup = sup
	b.fight()
	return maOutcome{Word: b.word(), Below: b.below, DX: b.dx, LostSteps: b.lost[b.side], AttackersRetreated: b.gaveWay[b.side]}
}

// Orders of the Prepared Assault Phase.

// enterAssault opens the phase: nothing happens by itself.
//
// Rule B41-4.3.A.4, B41-4.3.B.4.
func (g *play) enterAssault() {}

// leaveAssault tests the stacking of the phasing side. Retreats and advances
// have seen to it already; where it is wrong all the same nothing can be ordered
// any more to mend it, so the surplus is sent back.
//
// Rule B41-8.7, B41-A91.
func (g *play) leaveAssault() error {
	for _, h := range g.p.overstacked(g.p.side) {
		g.pushBack(h)
	}
	return nil
}

func (g *play) doAssault(o engine.Order) (bool, error) {
	switch c := o.Command.(type) {
	case Attack:
		return true, g.prepared(o, c)
	case Probe:
		return true, g.probe(o, c)
	}
	return false, nil
}

// prepared fights a prepared assault.
//
// Rule B41-14.1, B41-14.19.A, B41-14.31.A, B41-4.5.1.4.A, B41-4.5.2.4.A, B41-2.6.B.
func (g *play) prepared(o engine.Order, c Attack) error {
	at, attack, err := g.p.checkAttack(g.p.side, c)
	if err != nil {
		return err
	}
	g.newBattle("pa", g.p.side, o, c.Options, at, attack).fight()
	return nil
}

// probe goes into an empty hex of the enemy's.
//
// Rule B41-14.38, B41-14.31.B, B41-14.38.dn1, B41-4.5.1.4.G.
func (g *play) probe(o engine.Order, c Probe) error {
	at, attack, err := g.p.checkProbe(g.p.side, c)
	if err != nil {
		return err
	}
	b := g.newBattle("probe", g.p.side, o, BattleOptions{Advance: c.Advance}, []int{at}, attack)
	b.commit()
	b.traceAttackers()
	b.advance()
	b.close()
	return nil
}

// checkAttack is the legality of a prepared assault, from what is public or the
// attacker's own. It gives the targets and the attackers.
//
// Rule B41-14.1, B41-14.31.B, B41-14.31.C, B41-14.33.B, B41-14.38, B41-A56, B41-A81.
func (p *Position) checkAttack(side uint8, c Attack) ([]int, []strength, error) {
	var at []int
	for _, k := range c.At {
		h := p.board().Index(k)
		switch {
		case h == board.None:
			return nil, nil, engine.Refuse("B41-1.2", "b41.hex.unknown", "hex", k.String())
		case slices.Contains(at, h):
			return nil, nil, engine.Refuse("B41-14.33.B", "b41.battle.twice", "hex", k.String())
		case p.holds(side, h):
			return nil, nil, engine.Refuse("B41-14.1", "b41.battle.own", "hex", k.String())
		case !p.holds(enemyOf(side), h):
			r := engine.Refuse("B41-14.1", "b41.battle.empty", "hex", k.String())
			if p.Owner(h) == enemyOf(side) {
				r.Hint("b41.battle.hint.probe", "hex", k.String())
			}
			return nil, nil, r
		case !p.fresh(h, enemyOf(side)):
			return nil, nil, engine.Refuse("B41-14.31.C", "b41.battle.again", "hex", k.String())
		}
		at = append(at, h)
	}
	if len(at) == 0 {
		return nil, nil, engine.Refuse("B41-14.1", "b41.battle.notarget")
	}
	attack, err := p.checkOrigins(side, at, c.From)
	if err != nil {
		return nil, nil, err
	}
	if r := p.checkOptions("pa", side, at, attack, c.Options); r != nil {
		return nil, nil, r
	}
	return at, attack, nil
}

// fresh reports whether a hex holds an enemy unit that has not been attacked in
// this phase.
//
// Rule B41-14.31.C, B41-A56.
func (p *Position) fresh(h int, enemy uint8) bool {
	for _, u := range p.unitsIn(h, enemy) {
		if p.unit(u).Class != "none" && (p.fight.attacked == nil || !p.fight.attacked[u]) {
			return true
		}
	}
	return false
}

// checkOrigins finds the attackers of each hex and tests that each may attack
// all targets.
func (p *Position) checkOrigins(side uint8, at []int, from []Origin) ([]strength, error) {
	var attack []strength
	for _, o := range from {
		h := p.board().Index(o.At)
		if h == board.None {
			return nil, engine.Refuse("B41-1.2", "b41.hex.unknown", "hex", o.At.String())
		}
		for _, t := range at {
			if err := p.attackSide(h, t); err != nil {
				return nil, err
			}
		}
		units, err := p.attackersOf(side, h, o.Units, at)
		if err != nil {
			return nil, err
		}
		for _, u := range units {
			if slices.ContainsFunc(attack, func(f strength) bool { return f.u == u }) {
				return nil, engine.Refuse("B41-14.35", "b41.battle.unittwice", "unit", string(p.unit(u).ID))
			}
			attack = append(attack, strength{u: u, h: h})
		}
		if err := p.withGermans(h, units); err != nil {
			return nil, err
		}
	}
	if len(attack) == 0 {
		return nil, engine.Refuse("B41-14.1", "b41.battle.nobody")
	}
	return attack, nil
}

// attackSide tests the side between two hexes for an attack.
//
// Rule B41-14.33.B, B41-9.14, B41-9.24.B, B41-9.24.C, B41-14.36, B41-A112.
func (p *Position) attackSide(from, to int) error {
	s := p.board().Between(from, to)
	refuse := func(rule engine.RuleID, key string) error {
		return engine.Refuse(rule, key, "from", p.name(from), "to", p.name(to))
	}
	switch {
	case !p.board().Adjacent(from, to):
		return refuse("B41-14.33.B", "b41.battle.apart")
	case p.board().Terrain(from) == Lake || p.board().Terrain(to) == Lake:
		return refuse("B41-9.24.C", "b41.battle.ladoga")
	case s&AllSea != 0 || p.board().Terrain(to) == Sea:
		return refuse("B41-9.14", "b41.battle.sea")
	case s&LakeSide != 0 && !p.d.LakeCross[p.weather(to)].Enter:
		return refuse("B41-9.24.B", "b41.battle.lake")
	}
	return nil
}

// attackersOf finds the units of a hex that an origin names, and refuses what
// may not attack.
//
// Rule B41-14.34, B41-14.31.B, B41-6.21.B, B41-5.12.H, B41-4.4.C, B41-A68, B41-5.19.D, B41-A86, B41-10.2.B, B41-A102.
func (p *Position) attackersOf(side uint8, h int, l Units, at []int) ([]int, error) {
	var out []int
	here := p.unitsIn(h, side)
	for _, id := range l.IDs {
		u := p.d.Unit(id)
		if u < 0 || !slices.Contains(here, u) {
			return nil, engine.Refuse("B41-14.1", "b41.battle.nothere", "unit", string(id), "hex", p.name(h))
		}
		if r := p.mayAttack(u, h, at); r != nil {
			return nil, r
		}
		out = append(out, u)
	}
	if len(l.IDs) == 0 || l.Word != "" {
		var why *engine.Refusal
		for _, u := range here {
			if slices.Contains(out, u) || !p.among(Units{Word: l.Word, Except: l.Except}, u) {
				continue
			}
			if r := p.mayAttack(u, h, at); r == nil {
				out = append(out, u)
			} else {
				why = r
			}
		}
		if p.unitsAreRIH(out) { // ALL takes no allies without a German
			return nil, p.withGermans(h, out)
		}
		if len(out) == 0 && why != nil {
			return nil, why
		}
	}
	if len(out) == 0 {
		return nil, engine.Refuse("B41-14.1", "b41.battle.nobodyin", "hex", p.name(h))
	}
	return out, nil
}

func (p *Position) unitsAreRIH(units []int) bool {
	return len(units) > 0 && !slices.ContainsFunc(units, func(u int) bool { return !p.unit(u).RIH() })
}

// mayAttack says why a unit can't make a PA or a probe from a hex. An MA of the
// same player-turn is no bar.
//
// Rule B41-12.24, B41-14.31.B.
func (p *Position) mayAttack(u, h int, at []int) *engine.Refusal {
	v := p.unit(u)
	id := string(v.ID)
	switch {
	case v.Class == "none":
		return engine.Refuse("B41-5.12.H", "b41.battle.noncombat", "unit", id)
	case v.ID == "PART":
		return engine.Refuse("B41-6.21.B", "b41.battle.part")
	case p.has(u, Assaulted):
		return engine.Refuse("B41-14.31.B", "b41.battle.done", "unit", id)
	case p.turn == 1 && p.board().Is(h, ZomoRomania) && (v.German() || v.Nation == "romanian"):
		return engine.Refuse("B41-4.4.C", "b41.battle.romania", "unit", id, "hex", p.name(h))
	case v.Side == axis && p.consolidating() && !p.has(u, Consolidated):
		return engine.Refuse("B41-5.19.D", "b41.battle.consolidation", "unit", id)
	}
	if v.ID == "COAST" {
		for _, t := range at {
			if !p.board().Any(t, CoastBlack|CoastAzov) {
				return engine.Refuse("B41-10.2.B", "b41.battle.coast", "hex", p.name(t))
			}
		}
	}
	return nil
}

// withGermans refuses allies that attack from a hex without a German.
//
// Rule B41-11.2, B41-4.5.2.4.B.
func (p *Position) withGermans(h int, units []int) error {
	for _, u := range units {
		if p.unit(u).RIH() && !slices.ContainsFunc(units, func(g int) bool { return p.unit(g).German() }) {
			return engine.Refuse("B41-11.2", "b41.battle.rih", "unit", string(p.unit(u).ID), "hex", p.name(h))
		}
	}
	return nil
}

// checkOptions is the legality of the clauses of an assault.
//
// Rule B41-14.39.2.C, B41-14.39.2.E, B41-14.39.2.F, B41-14.39.5.A, B41-14.39.5.B, B41-14.39.5.C, B41-14.39.6.B.
func (p *Position) checkOptions(kind string, side uint8, at []int, attack []strength, o BattleOptions) *engine.Refusal {
	var from, units []int
	for _, f := range attack {
		units = append(units, f.u)
		if !slices.Contains(from, f.h) {
			from = append(from, f.h)
		}
	}
	if kind == "ma" {
		from = at
	}
	if o.Air > 0 {
		most := p.airMost(side, from, units)
		switch {
		case side == axis && o.Air > 2:
			return engine.Refuse("B41-14.39.2.C", "b41.battle.air.two", "n", o.Air)
		case o.Air > p.air[side]:
			return engine.Refuse("B41-14.39.2.B", "b41.battle.air.pool", "n", o.Air, "left", p.air[side])
		case most == 0:
			return engine.Refuse("B41-14.39.2.E", "b41.battle.air.range", "hexes", p.names(from))
		case o.Air > most:
			return engine.Refuse("B41-14.39.2.F", "b41.battle.air.finland", "n", o.Air)
		}
	}
	if o.AllOut != "" {
		u := p.d.Unit(o.AllOut)
		switch {
		case side != axis:
			return engine.Refuse("B41-14.39.5.A", "b41.battle.allout.axis")
		case !slices.Contains(units, u):
			return engine.Refuse("B41-14.39.5.A", "b41.battle.allout.absent", "unit", string(o.AllOut))
		case !p.allOutUnit(u):
			return engine.Refuse("B41-14.39.5.B", "b41.battle.allout.weak", "unit", string(o.AllOut), "steps", p.Steps(u))
		}
		if r := p.allOutGround(at); r != nil {
			return r
		}
	}
	if o.Cavalry {
		if kind == "ma" {
			return engine.Refuse("B41-14.39.6.A", "b41.battle.cavalry.pa")
		}
		if r := p.cavalryRefusal(side, at, units); r != nil {
			return r
		}
	}
	if o.AirSupply && side != axis {
		return engine.Refuse("B41-5.17.E", "b41.battle.airsupply.axis")
	}
	if o.Advance != nil {
		if kind == "ma" {
			return engine.Refuse("B41-12.20.A", "b41.battle.advance.ma")
		}
		return p.checkAdvance(at, attack, *o.Advance)
	}
	return nil
}

// maRefusal says why the clauses of an MA can't be had; the movement tests the
// assault itself.
func (p *Position) maRefusal(units []int, to int, o BattleOptions) *engine.Refusal {
	var attack []strength
	for _, u := range units {
		attack = append(attack, strength{u: u, h: p.At(u)})
	}
	return p.checkOptions("ma", p.unit(units[0]).Side, []int{to}, attack, o)
}

// checkAdvance tests the ADVANCE clauses: whose they are, and that every way
// begins in a hex of the battle.
//
// Rule B41-14.28.B, B41-14.29.C.
func (p *Position) checkAdvance(at []int, attack []strength, a Advance) *engine.Refusal {
	for _, c := range a.Clauses {
		for _, id := range c.Units.IDs {
			if u := p.d.Unit(id); !slices.ContainsFunc(attack, func(f strength) bool { return f.u == u }) {
				return engine.Refuse("B41-14.22.A", "b41.battle.advance.who", "unit", string(id))
			}
		}
		for _, f := range attack {
			if !p.among(c.Units, f.u) || len(c.Path) == 0 {
				continue
			}
			path := p.follow(f.h, c.Path)
			if len(path) == 0 || !slices.Contains(at, path[0]) {
				return engine.Refuse("B41-14.28.B", "b41.battle.advance.first", "unit", string(p.unit(f.u).ID), "hexes", p.names(at))
			}
			for i := 1; i < len(path); i++ {
				if !p.board().Adjacent(path[i-1], path[i]) {
					return engine.Refuse("B41-14.28.B", "b41.battle.advance.gap", "from", p.name(path[i-1]), "to", p.name(path[i]))
				}
			}
		}
	}
	return nil
}

// checkProbe is the legality of a probe.
//
// Rule B41-14.38, B41-14.31.B, B41-14.31.C, B41-A38, B41-A56, B41-4.4.C, B41-A68.
func (p *Position) checkProbe(side uint8, c Probe) (int, []strength, error) {
	h := p.board().Index(c.At)
	switch {
	case h == board.None:
		return 0, nil, engine.Refuse("B41-1.2", "b41.hex.unknown", "hex", c.At.String())
	case p.holds(enemyOf(side), h):
		return 0, nil, engine.Refuse("B41-14.38", "b41.battle.probe.held", "hex", c.At.String()).Hint("b41.battle.hint.attack", "hex", c.At.String())
	case p.Owner(h) != enemyOf(side):
		return 0, nil, engine.Refuse("B41-14.38", "b41.battle.probe.ours", "hex", c.At.String())
	}
	attack, err := p.checkOrigins(side, []int{h}, []Origin{c.From})
	if err != nil {
		return 0, nil, err
	}
	for _, f := range attack {
		if ok, rule, key := p.passable(side, f.u, f.h, h); !ok {
			return 0, nil, engine.Refuse(rule, key, "unit", string(p.unit(f.u).ID), "hex", c.At.String(), "from", p.name(f.h), "to", c.At.String())
		}
		if p.staysHome(f.u) {
			return 0, nil, engine.Refuse("B41-14.38", "b41.battle.probe.home", "unit", string(p.unit(f.u).ID))
		}
	}
	if c.Advance != nil {
		if r := p.checkAdvance([]int{h}, attack, *c.Advance); r != nil {
			return 0, nil, r
		}
	}
	return h, attack, nil
}

// ask puts a question. The battle card goes with it only if it will be mailed
// and there was a battle.
func (b *battle) ask(q engine.Question, prefer engine.Prefer) int {
	mailed := q.Always && b.x.AskActing || b.x.Asks != nil && b.x.Asks(q.Side, q.Decision)
	if mailed && b.kind != "probe" {
		f := b.report()
		f.Word = ""
		q.Card = b.p.card(f, nil, nil)
		q.Card.Title = b.title()
	}
	return b.x.Ask(q, prefer)
}
