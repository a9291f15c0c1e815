package blitz41

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pbemd/engine"
	game "pbemd/engine/blitz41"
	"pbemd/engine/hex"
	"pbemd/orders"
	"pbemd/templates"
)

// gen draws commands of one side.
type gen struct {
	*rapid.T
	l    *Language
	side engine.Side
}

func (g gen) pick(name string, list ...string) string {
	return rapid.SampledFrom(list).Draw(g.T, name)
}
func (g gen) yes() bool          { return rapid.Bool().Draw(g.T, "yes") }
func (g gen) int(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(g.T, "n") }
func (g gen) hex() hex.Coord     { return g.l.d.Board.At(g.int(0, g.l.d.Board.Len()-1)) }
func (g gen) compare() *game.Compare {
	return &game.Compare{Op: g.pick("op", comparisons...), N: g.int(0, 40)}
}

func (g gen) unit() engine.UnitID {
	var own []engine.UnitID
	for _, u := range g.l.d.Units {
		if u.Side == sideNumber(g.side) && u.ID != "CAV" {
			own = append(own, u.ID)
		}
	}
	return rapid.SampledFrom(own).Draw(g.T, "unit")
}

func (g gen) ids() []engine.UnitID {
	var out []engine.UnitID
	seen := map[engine.UnitID]bool{}
	for n := g.int(1, 4); n > 0; n-- {
		if u := g.unit(); !seen[u] {
			seen[u] = true
			out = append(out, u)
		}
	}
	return out
}

func (g gen) units() game.Units {
	if g.yes() {
		return game.Units{IDs: g.ids()}
	}
	u := game.Units{Word: g.pick("word", listWords...)}
	if g.yes() {
		u.Except = g.ids()
	}
	return u
}

func (g gen) optional() game.Units {
	if g.yes() {
		return game.Units{}
	}
	return g.units()
}

func (g gen) hexes() []hex.Coord {
	out := []hex.Coord{g.hex()}
	for g.yes() && len(out) < 5 {
		out = append(out, g.hex())
	}
	return out
}

func (g gen) path() []game.Step {
	var out []game.Step
	for len(out) == 0 || g.yes() && len(out) < 6 {
		switch g.int(0, 3) {
		case 0:
			out = append(out, game.Step{Dir: hex.Direction(g.int(0, 5)), Count: g.int(1, 9)})
		case 1:
			out = append(out, game.Step{To: g.hex()})
		default:
			out = append(out, game.Step{Hex: g.hex()})
		}
	}
	return out
}

func (g gen) odds() game.OddsIf {
	return game.OddsIf{Op: g.pick("op", comparisons...), Odds: oddsOf(g.int(0, len(g.l.d.Columns)-1))}
}

func (g gen) oddsIf() game.OddsIf {
	if g.yes() {
		return game.OddsIf{}
	}
	return g.odds()
}

func (g gen) retreat() *game.RetreatPolicy {
	p := &game.RetreatPolicy{}
	for len(p.Words) == 0 || g.yes() && len(p.Words) < 5 {
		w := g.pick("word", "PREFER NORTH", "PREFER SOUTH", "SUPPLY", "TOWN", "FORT", "ALONE", "JOIN", "EXIT FINLAND", "EXIT ZOMO", "NOEXIT")
		p.Words = append(p.Words, w)
	}
	if g.yes() {
		p.Words = append(p.Words, "SEA")
		if g.yes() {
			p.Sea = g.hex()
		}
	}
	if g.yes() {
		p.Toward = g.hexes()
	}
	if g.yes() {
		p.Away = g.hexes()
	}
	if g.yes() {
		p.Avoid = g.hexes()
	}
	if g.yes() {
		s := game.SplitRetreat{Units: g.ids(), Way: "NORTH"}
		if g.yes() {
			s.Way, s.To = "", g.hex()
		}
		p.Split = append(p.Split, s)
	}
	return p
}

func (g gen) loss() *game.LossPolicy {
	p := &game.LossPolicy{NoKill: g.yes()}
	switch g.int(0, 2) {
	case 0:
		p.Steps = true
	case 1:
		p.Retreat = true
	default:
		p.NoKill = true
	}
	if (p.Steps || p.Retreat) && g.yes() {
		p.IfWon, p.ElseSteps = true, g.yes()
	}
	if g.yes() {
		p.Spare = g.ids()
	}
	if g.yes() {
		p.Lose = g.ids()
	}
	return p
}

func (g gen) advance() *game.Advance {
	if g.int(0, 3) == 0 {
		return &game.Advance{None: true}
	}
	a := &game.Advance{}
	for len(a.Clauses) == 0 || g.yes() && len(a.Clauses) < 3 {
		c := game.AdvanceClause{Units: g.units()}
		switch g.int(0, 2) {
		case 0:
			c.Occupy = true
		case 1:
			c.Toward, c.Max = g.hex(), g.int(0, 9)
		default:
			c.Path = g.path()
		}
		switch g.int(0, 2) {
		case 0:
			c.IfDX = true
		case 1:
			c.Award = g.compare()
		}
		a.Clauses = append(a.Clauses, c)
	}
	return a
}

func (g gen) options() game.BattleOptions {
	var o game.BattleOptions
	if g.yes() {
		o.Air, o.AirIf = g.int(1, 9), g.oddsIf()
	}
	if g.yes() {
		o.AllOut, o.AllOutIf = g.unit(), g.oddsIf()
	}
	if g.yes() {
		o.Cavalry = true
		if g.yes() {
			o.CavalryIf = g.compare()
		}
	}
	if g.yes() {
		o.AirSupply = true
		if g.yes() {
			o.SupplyIf = g.compare()
		}
	}
	if g.yes() {
		o.Loss = g.loss()
	}
	if g.yes() {
		o.Retreat = g.retreat()
	}
	if g.yes() {
		o.Advance = g.advance()
	}
	return o
}

func (g gen) origin() game.Origin { return game.Origin{At: g.hex(), Units: g.optional()} }

func (g gen) policy() game.Policy {
	switch g.int(0, 10) {
	case 0:
		return game.Policy{Lose: g.ids()}
	case 1:
		return game.Policy{Spare: g.ids()}
	case 2:
		return game.Policy{SpareWord: g.pick("word", "PANZERS", "SHOCK")}
	case 3:
		return game.Policy{Losses: g.pick("word", "SPREAD", "CONCENTRATE", "NOKILL")}
	case 4:
		return game.Policy{Retreat: g.retreat()}
	case 5:
		c := &game.CounterAdvance{When: g.pick("when", "ALWAYS", "NEVER", "VP", "TOWN"), Leave: g.int(0, 4)}
		if g.yes() {
			c.With = g.ids()
		}
		return game.Policy{Counter: c}
	case 6:
		a := &game.AirPolicy{Reserve: -1}
		switch g.int(0, 4) {
		case 0:
			return game.Policy{Air: &game.AirPolicy{Reserve: g.int(0, 9)}}
		case 1:
			a.Match = true
		case 2:
			a.IsNet, a.Net = true, g.int(0, 4)
		case 3:
			a.Never = true
		default:
			a.N = g.int(0, 5)
		}
		a.Max, a.IfOdds, a.AtVP, a.AtCity = g.int(0, 4), g.oddsIf(), g.yes(), g.yes()
		if g.yes() {
			a.At = g.hexes()
		}
		return game.Policy{Air: a}
	case 7:
		a := &game.AirSupplyPolicy{Reserve: -1}
		switch g.int(0, 2) {
		case 0:
			a.Never = true
		case 1:
			a.Reserve = g.int(0, 4)
		default:
			a.Auto = true
			if g.yes() {
				a.Priority = g.hexes()
			}
			if g.yes() {
				a.WhenOOS = true
			} else if g.yes() {
				a.When = g.compare()
			}
		}
		return game.Policy{AirSupply: a}
	case 8:
		h := &game.HedgehogPolicy{}
		switch g.int(0, 2) {
		case 0:
			h.Never = true
		case 1:
			h.Priority = g.hexes()
		default:
			h.IfAttacked = g.hexes()
		}
		if g.yes() {
			h.IfSteps = g.compare()
		}
		return game.Policy{Hedgehog: h}
	case 9:
		if g.yes() {
			return game.Policy{Top: g.unit()}
		}
		if g.yes() {
			return game.Policy{MSU: "TOWARD", MSUToward: g.hex()}
		}
		return game.Policy{MSU: g.pick("word", "EAST", "BOX")}
	}
	p := game.Policy{Stance: g.pick("stance", stances...)}
	switch p.Stance {
	case "KEEP":
		p.N = g.int(1, 9)
	case "HOLD":
		p.N = g.int(-1, 9)
	}
	if g.yes() {
		p.Unless = []string{"RETREAT " + g.pick("unless", "OOS", "LOST", "ALONE")}
	}
	if g.yes() {
		p.If = []string{g.pick("if", "VP", "CITY", "TOWN", "FORT")}
	}
	if g.yes() {
		o := g.odds()
		p.IfOdds = &o
	}
	return p
}

func (g gen) standing() game.Standing {
	s := game.Standing{Scope: game.Scope{Kind: g.pick("scope", "DEFAULT", "HEX", "AREA", "ROWS", "UNIT")}, Policy: g.policy()}
	switch s.Scope.Kind {
	case "HEX":
		s.Scope.Hexes = g.hexes()
	case "AREA":
		s.Scope.A, s.Scope.B = g.hex(), g.hex()
	case "ROWS":
		s.Scope.A, s.Scope.B = hex.Letter(g.int(1, 31), 0), hex.Letter(g.int(1, 31), 0)
	case "UNIT":
		s.Scope.Units = g.ids()
	}
	if g.yes() {
		s.In = g.pick("in", "MA", "PA")
	}
	if g.yes() {
		s.From = g.int(1, 6)
	}
	if g.yes() {
		s.Until = g.int(6, 11)
	}
	return s
}

func (g gen) command() engine.Command {
	axis := g.side == game.Axis
	obg := engine.UnitID("")
	if !axis {
		obg = engine.UnitID(g.pick("obg", "", "*", "34A"))
	}
	var list []func() engine.Command
	add := func(f ...func() engine.Command) { list = append(list, f...) }
	pool := func() string { return g.pick("pool", "", "MECH", "NONMECH", "ROMANIAN", "SOVIET") }
	add(
		func() engine.Command {
			return game.Build{Unit: g.unit(), Steps: g.int(0, 4), At: g.hex(), Pool: pool()}
		},
		func() engine.Command { return game.Build{Unit: g.unit(), Steps: g.int(1, 4)} },
		func() engine.Command { return game.Replace{Unit: g.unit(), Steps: g.int(1, 4), Pool: pool()} },
		func() engine.Command { return game.Stack{At: g.hex(), Units: g.optional()} },
		func() engine.Command { return game.EndStack{} },
		func() engine.Command { return game.Move{Units: g.ids(), From: g.hex(), Path: g.path(), OBG: obg} },
		func() engine.Command { return game.Move{Units: g.ids(), Path: g.path(), OBG: obg} },
		func() engine.Command { return game.Go{Path: g.path(), OBG: obg} },
		func() engine.Command { return game.MobileAssault{At: g.hex(), Options: g.options()} },
		func() engine.Command { return game.Repeat{Max: g.int(0, 9), Options: g.options()} },
		func() engine.Command { return game.Return{} },
		func() engine.Command { return game.Split{Units: g.units(), As: g.pick("as", "", "NORTH", "G1", "7")} },
		func() engine.Command { return game.With{Name: g.pick("name", "REST", "NORTH", "G1", "7")} },
		func() engine.Command { return game.Leave{Units: g.units()} },
		func() engine.Command { return game.Stop{} },
		func() engine.Command {
			a := game.Attack{At: g.hexes(), From: []game.Origin{g.origin()}, Options: g.options()}
			for g.yes() && len(a.From) < 6 {
				a.From = append(a.From, g.origin())
			}
			return a
		},
		func() engine.Command { return game.Probe{At: g.hex(), From: g.origin()} },
		func() engine.Command { return game.Probe{At: g.hex(), From: g.origin(), Advance: g.advance()} },
		func() engine.Command { return g.standing() },
	)
	if axis {
		add(
			func() engine.Command { return game.Consolidate{Corps: g.ids()} },
			func() engine.Command { return game.Consolidate{Off: true} },
			func() engine.Command { return game.SeaSupply{Baltic: g.yes(), At: g.hex()} },
			func() engine.Command { return game.SeaSupply{Baltic: g.yes(), None: true} },
			func() engine.Command { return game.AirSupply{At: g.hex(), Units: g.optional(), Now: g.yes()} },
			func() engine.Command { return game.Hedgehog{At: g.hex(), Now: g.yes()} },
			func() engine.Command { return game.Hedgehog{At: g.hex(), Remove: true} },
			func() engine.Command { return game.LeningradSupply{On: g.yes()} },
			func() engine.Command { return game.Reenter{Units: g.ids(), At: g.hex()} },
			func() engine.Command { return game.Evacuate{Baltic: g.yes(), At: g.hex(), Units: g.optional()} },
		)
	} else {
		add(
			func() engine.Command { return game.MSU{Place: g.hex()} },
			func() engine.Command { return game.MSU{Remove: true} },
			func() engine.Command { return game.MSU{Hold: true} },
			func() engine.Command { return game.RVGKIn{Units: g.ids()} },
			func() engine.Command {
				c := game.RVGKOut{Units: g.ids()}
				for range c.Units {
					c.To = append(c.To, g.hex())
				}
				return c
			},
			func() engine.Command { return game.Convert{From: g.unit(), To: g.unit(), Steps: g.int(0, 4)} },
			func() engine.Command { return game.DisbandMech{} },
			func() engine.Command { return game.PlacePart{At: g.hex()} },
			func() engine.Command { return game.PlacePart{Hold: true} },
			func() engine.Command {
				c := game.SeaMove{To: g.hex()}
				if g.yes() {
					c.Via = g.hexes()
				}
				return c
			},
			func() engine.Command { return game.Airdrop{To: g.hex()} },
			func() engine.Command { return game.FormOBG{By: engine.UnitID(g.pick("by", "", "34A"))} },
		)
	}
	return list[g.int(0, len(list)-1)]()
}

func (g gen) test() engine.Condition {
	switch g.int(0, 6) {
	case 0:
		return game.LastIs{Word: g.pick("last", "WON", "HELD", "REPULSED")}
	case 1:
		return game.HexIs{At: g.hex(), Word: g.pick("state", hexStates...)}
	case 2:
		return game.Number{Of: g.pick("of", "MP", "LOST", "APLEFT"), Is: *g.compare()}
	case 3:
		return game.StepsOf{Unit: g.unit(), Is: *g.compare()}
	case 4:
		u := game.UnitIs{Unit: g.unit(), Word: g.pick("state", unitStates...)}
		if u.Word == "AT" {
			u.At = g.hex()
		}
		return u
	case 5:
		return game.BattleIs{At: g.hex(), Word: g.pick("battle", "WON", "LOST", "DX")}
	}
	return game.Not{Test: g.test()}
}

func (g gen) condition() engine.Condition {
	and := func() engine.Condition {
		list := []engine.Condition{g.test()}
		for g.yes() && len(list) < 3 {
			list = append(list, g.test())
		}
		if len(list) == 1 {
			return list[0]
		}
		return game.And{Tests: list}
	}
	list := []engine.Condition{and()}
	for g.yes() && len(list) < 3 {
		list = append(list, and())
	}
	if len(list) == 1 {
		return list[0]
	}
	return game.Or{Tests: list}
}

// TestWhatIsWrittenIsRead: every command comes back from its canonical form.
func TestWhatIsWrittenIsRead(t *testing.T) {
	l := language(t)
	rapid.Check(t, func(t *rapid.T) {
		g := gen{t, l, rapid.SampledFrom([]engine.Side{game.Axis, game.Soviet}).Draw(t, "side")}
		o := engine.Order{Line: 1, Side: g.side, Command: g.command()}
		if g.yes() {
			o.If = g.condition()
			if g.yes() {
				o.Else = g.command()
			}
		}
		o.Text = FormatOrder(o)
		if s, ok := o.Command.(game.Standing); ok {
			s.Text = o.Text
			o.Command = s
		}
		got, found := l.Parse(o.Text, g.side)
		if len(found) > 0 {
			t.Fatalf("%s: %v", o.Text, found)
		}
		if s, ok := got.Else.(game.Standing); ok {
			s.Text = ""
			got.Else = s
		}
		if !reflect.DeepEqual(got, o) {
			t.Fatalf("%s\n got %#v\nwant %#v", o.Text, got, o)
		}
	})
}

// FuzzBind: whatever stands in a line, it is read and stays as it is when
// written, or is a finding; it never panics.
func FuzzBind(f *testing.F) {
	l := language(f)
	for i := range table {
		f.Add(table[i].Usage, true)
		f.Add(table[i].Usage, false)
	}
	for _, s := range []string{"IF WON: GO H16 ELSE STOP", "ATTACK K9 FROM K8: 24A 3MC AIR 1 CAV", "DEFAULT AIR DEFEND NET+1", "ANSWER Q3 HOLD 2", "MOVE ALL-13G FROM H19 TO K9", "IF NOT NOT K9 OURS OR MP<3 AND 56PZ AT H1: END PHASE", "ROWS A-EE RETREAT SEA SPLIT 13G H9"} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, text string, axis bool) {
		side := game.Soviet
		if axis {
			side = game.Axis
		}
		sheets, found := orders.Parse(strings.Split("GAME 1\n"+text+"\nEND", "\n"), l.Grammar())
		if len(found) > 0 {
			return
		}
		for _, s := range sheets {
			got, _, _ := l.Bind(s, side)
			for _, o := range got {
				again, found := l.Parse(o.Text, side)
				if len(found) > 0 || again.Text != o.Text {
					t.Fatalf("%q written as %q, read as %q %v", text, o.Text, again.Text, found)
				}
			}
		}
	})
}

// TestEverySentenceIsThere: each key in the code has an English sentence.
func TestEverySentenceIsThere(t *testing.T) {
	en, err := templates.Load("en")
	if err != nil {
		t.Fatal(err)
	}
	key := regexp.MustCompile(`"((?:b41\.(?:read|help)|admin)\.[a-z.]+[a-z])"`)
	used := map[string]bool{}
	for _, glob := range []string{"*.go", "../admin/*.go"} {
		files, _ := filepath.Glob(glob)
		for _, f := range files {
			if strings.HasSuffix(f, "_test.go") {
				continue
			}
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range key.FindAllStringSubmatch(string(b), -1) {
				used[m[1]] = true
				if !en.Has(m[1]) {
					t.Errorf("%s: no sentence %s", f, m[1])
				}
			}
		}
	}
	for _, d := range decisions {
		used["b41.help.decision."+d] = true
		if !en.Has("b41.help.decision." + d) {
			t.Errorf("no sentence on decision %s", d)
		}
	}
	for _, k := range en.Keys() {
		own := strings.HasPrefix(k, "b41.read.") || strings.HasPrefix(k, "b41.help.") && !strings.HasPrefix(k, "b41.help.status.") || strings.HasPrefix(k, "admin.")
		if own && !used[k] {
			t.Errorf("nobody says %s", k)
		}
	}
	for _, v := range table {
		if v.Usage == "" || v.Key == "" || v.topic == "" {
			t.Errorf("%s lacks words", v.Name)
		}
	}
}

// TestFaultsAreSentences renders each finding of the faults above.
func TestFaultsAreSentences(t *testing.T) {
	l := language(t)
	en, err := templates.Load("en")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"REPLACE 57PX +1":                       "There is no unit 57PX. Did you mean 57PZ, 47PZ or 56PZ?",
		"MOVE R H18":                            "R may be more than one unit: 3RUM or 4RUM. Write the whole name.",
		"MOVE 56PZ TO MOSKOW":                   "There is no place MOSKOW on the map. Did you mean MOSCOW?",
		"MARCH 56PZ H15":                        "No order begins with MARCH. HELP lists the orders.",
		"MOVE unit FROM hex path":               "UNIT is a placeholder: fill in a unit, such as 56PZ.",
		"SEASUPPLY BALTIC hex":                  "HEX is a placeholder: fill in a hex, such as H18.",
		"ATTACK Feld FROM Feld: Einheiten":      "FELD is a placeholder: fill in a hex, such as H18.",
		"MOVE Einheit FROM Feld Weg":            "EINHEIT is a placeholder: fill in a unit, such as 56PZ.",
		"RVGK IN 24A":                           "Only the Soviet player gives the order RVGK.",
		"ATTACK K9 FROM K10 AIR 1 IF ODDS >= 9": "9 is no column of odds. The columns are 1-3, 1-2, 1-1, 2-1, 3-1, 4-1, 5-1, 6-1, 7-1 and 8-1.",
	} {
		_, _, found := bind(t, l, game.Axis, text)
		if len(found) != 1 {
			t.Errorf("%s: %v", text, found)
			continue
		}
		got, err := en.Render(engine.Text{Key: found[0].Key, Args: found[0].Args})
		if err != nil {
			t.Error(err)
		}
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

// A form that is copied with its brackets is refused by saying what they are for.
func TestFormsCopiedByMistake(t *testing.T) {
	d := language(t).d
	for _, text := range []string{"ATTACK H18 FROM H19: 39PZ [AND H20: 23G]", "MOVE 56PZ [FROM H19] H18", "DEFAULT HOLD | YIELD", "PROBE H18 FROM H19: 39PZ …"} {
		sheets, found := orders.Parse([]string{"GAME 1", text, "END"}, New(d).Grammar())
		if len(sheets) != 1 || len(found) != 1 || found[0].Key != "orders.form-sign" {
			t.Errorf("%s: %v", text, found)
		}
		if got, _, _ := Bind(sheets[0], d, game.Axis); len(got) > 0 {
			t.Errorf("%s: read as %v", text, got)
		}
	}
}

// TestHelp: every verb, topic and paragraph has an answer.
func TestHelp(t *testing.T) {
	l := language(t)
	en, err := templates.Load("en")
	if err != nil {
		t.Fatal(err)
	}
	say := func(x engine.Text) string {
		s, err := en.Render(x)
		if err != nil && !strings.HasPrefix(x.Key, "help-") && !strings.HasPrefix(x.Key, "help.") {
			t.Error(err)
		}
		return s
	}
	render := func(words string) string { return l.Help(words).Render(say, en.Page) }
	for _, v := range l.grammar.Verbs {
		h := l.Help(v.Name)
		if len(h.Verbs) == 0 && h.Page == "" {
			t.Errorf("HELP %s finds nothing", v.Name)
		}
		render(v.Name)
	}
	for _, topic := range topics {
		h := l.Help(topic.name)
		if _, ok := en.Page(h.Page); !ok {
			t.Errorf("HELP %s: there is no page %q", topic.name, h.Page)
		}
	}
	if s := render("RULE 14.7.C"); s != "HELP RULE 14.7.C\n\n14.7.C  Mechanised corps pay first (enforced)\n" {
		t.Errorf("%q", s)
	}
	if s := render("rule 14.39.5"); strings.Count(s, "\n") != 6 {
		t.Errorf("%q", s)
	}
	if s := render("RULE 99"); s != "HELP RULE 99\n\nThe rulebook has no paragraph 99.\n" {
		t.Errorf("%q", s)
	}
	if s := render("SUPLY"); !strings.HasPrefix(s, "HELP SUPLY\n\nThere is no help on SUPLY. Did you mean SUPPLY") {
		t.Errorf("%q", s)
	}
	if s := render(""); !strings.Contains(s, "ATTACK hex") || !strings.Contains(s, "Topics: OVERVIEW") {
		t.Errorf("%q", s)
	}
	if s := render("ATTACK"); !strings.Contains(s, "Both players, ASSAULT phase") || !strings.Contains(s, "Also read: ASSAULT") {
		t.Errorf("%q", s)
	}
}
