package pbemtest

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"testing/fstest"

	"pbemd/engine"
	"pbemd/orders"
	"pbemd/orders/admin"
	"pbemd/pbem"
)

// Toy is a game of three turns with everything the post office has to deal with:
// two sides, two phases in a player-turn, moves without dice, fights with one
// die and one decision of the other side, and something that only its owner may
// see. Rolls and decisions follow from the orders alone.
//
//	STEP n         in the phase march: go n places, 1 to 3
//	FIGHT          in the phase fight: roll a die; the other side stands or yields
//	FLAG x NOW     at any time, from either side
//	DEFAULT STAND  standing: answer D04 so; or YIELD
//
// The mended toy is a later version of its rules: a fight counts double, and
// before it the other side says LOUD or QUIET (decision D09), which means nothing.
type Toy struct{ Mended bool }

// ToyRules offers the toy to an office.
func ToyRules() pbem.Rules { return toyRules(Toy{}) }

// MendedToyRules offers it by the later version of its rules.
func MendedToyRules() pbem.Rules { return toyRules(Toy{Mended: true}) }

func toyRules(toy Toy) pbem.Rules {
	return pbem.Rules{
		ID: "toy", Name: "Toy",
		Files: func() fs.FS { return fstest.MapFS{"toy.toml": {Data: []byte("places = 20\n")}} },
		Load: func(files fs.FS, options json.RawMessage) (pbem.Play, error) {
			if _, err := fs.ReadFile(files, "toy.toml"); err != nil {
				return pbem.Play{}, err
			}
			return pbem.Play{Game: toy, Language: toyLanguage{}, Resign: toyResign{}, Draw: toyDraw{}}, nil
		},
	}
}

type (
	toyBegan struct{ Secret map[engine.Side]int }
	toyPhase struct {
		Side  engine.Side
		Turn  int
		Phase string
	}
	toyStepped struct {
		Side engine.Side
		N    int
	}
	toyFought struct {
		Side  engine.Side
		Die   int
		Stood bool
	}
	toyFlag struct {
		Side engine.Side
		X    int
	}
	toyEnded struct{ Why string }
)

func (toyBegan) Kind() string   { return "Began" }
func (toyPhase) Kind() string   { return "PhaseBegan" }
func (toyStepped) Kind() string { return "Stepped" }
func (toyFought) Kind() string  { return "Fought" }
func (toyFlag) Kind() string    { return "FlagSet" }
func (toyEnded) Kind() string   { return "Ended" }

type (
	toyStep     struct{ N int }
	toyFight    struct{}
	toySetFlag  struct{ X int }
	toyStanding struct{ Stand bool }
	toyResign   struct{}
	toyDraw     struct{}
	toyWon      struct{}
)

func (toyStep) Verb() string     { return "STEP" }
func (toyFight) Verb() string    { return "FIGHT" }
func (toySetFlag) Verb() string  { return "FLAG" }
func (toyStanding) Verb() string { return "STANDING" }
func (toyResign) Verb() string   { return "RESIGN" }
func (toyDraw) Verb() string     { return "DRAW" }
func (toyWon) Condition() string { return "WON" }

type toyPosition struct {
	engine.Rolls
	state  engine.State
	at     map[engine.Side]int
	score  map[engine.Side]int
	secret map[engine.Side]int
	flag   map[engine.Side]int
	spent  bool // the other side stood: no more fights in this phase
	won    bool
	ended  string
}

func (p *toyPosition) Clone() engine.Position {
	c := *p
	for _, m := range []*map[engine.Side]int{&c.at, &c.score, &c.secret, &c.flag} {
		n := map[engine.Side]int{}
		for k, v := range *m {
			n[k] = v
		}
		*m = n
	}
	return &c
}

func (p *toyPosition) State() engine.State { return p.state }

func (p *toyPosition) Apply(e engine.Event) {
	switch f := e.Fact.(type) {
	case engine.Rolled:
		p.Note(f.Label)
	case toyBegan:
		p.secret = f.Secret
	case toyPhase:
		p.state = engine.State{Side: f.Side, Turn: f.Turn, Phase: f.Phase, Serial: p.state.Serial + 1}
		p.spent, p.won = false, false
	case toyStepped:
		p.at[f.Side] += f.N
	case toyFought:
		p.score[f.Side] += f.Die
		p.spent, p.won = f.Stood, !f.Stood
	case toyFlag:
		p.flag[f.Side] = f.X
	case toyEnded:
		p.ended = f.Why
		p.state.Over, p.state.Side = true, ""
	}
}

// ID implements [engine.Game].
func (Toy) ID() string { return "toy" }

// Version implements [engine.Game].
func (g Toy) Version() int {
	if g.Mended {
		return 2
	}
	return 1
}

// Seats implements [engine.Game].
func (Toy) Seats() []engine.Side { return []engine.Side{"axis", "soviet"} }

var toyCodec = engine.NewCodec(toyBegan{}, toyPhase{}, toyStepped{}, toyFought{}, toyFlag{}, toyEnded{})

// Codec implements [engine.Game].
func (Toy) Codec() engine.Codec { return toyCodec }

// Empty implements [engine.Game].
func (Toy) Empty() engine.Position {
	return (&toyPosition{}).Clone()
}

// Begin implements [engine.Game].
func (Toy) Begin(x *engine.Exec) {
	secret := map[engine.Side]int{}
	for i, v := range x.Roll("TOY-1", "secret", "", 6, 2, engine.T("plain", "s", "the secrets")) {
		secret[Toy{}.Seats()[i]] = 100 + v
	}
	x.Emit("TOY-1", toyBegan{secret})
	x.Emit("TOY-2", toyPhase{"axis", 1, "march"})
}

func toyOther(s engine.Side) engine.Side {
	if s == "axis" {
		return "soviet"
	}
	return "axis"
}

func toyPlain(form string, args ...any) engine.Text { return engine.Plain(fmt.Sprintf(form, args...)) }

func (g Toy) next(x *engine.Exec) {
	s := x.Position().State()
	switch {
	case s.Phase == "march":
		x.Emit("TOY-2", toyPhase{s.Side, s.Turn, "fight"})
	case s.Side == "axis":
		x.Emit("TOY-2", toyPhase{"soviet", s.Turn, "march"})
	case s.Turn == 3:
		x.Emit("TOY-9", toyEnded{"time"})
	default:
		x.Emit("TOY-2", toyPhase{"axis", s.Turn + 1, "march"})
	}
}

// Sane implements [engine.Game].
func (g Toy) Sane(p engine.Position, o engine.Order) error {
	if c, ok := o.Command.(toyStep); ok && (c.N < 1 || c.N > 3) {
		return engine.Refuse("TOY-3", "plain", "s", fmt.Sprint("nobody goes ", c.N, " places"))
	}
	return nil
}

// Do implements [engine.Game].
func (g Toy) Do(x *engine.Exec, o engine.Order) error {
	p := x.Position().(*toyPosition)
	s := p.state
	switch c := o.Command.(type) {
	case toySetFlag:
		x.Emit("TOY-7", toyFlag{o.Side, c.X})
		return nil
	case toyStanding:
		return nil
	case toyResign:
		x.Emit("TOY-9", toyEnded{string(o.Side) + " resigned"})
		return nil
	case toyDraw:
		x.Emit("TOY-9", toyEnded{"draw"})
		return nil
	}
	if s.Over || s.Side != o.Side {
		return engine.Refuse("TOY-2", "plain", "s", "it is not your turn")
	}
	if err := g.Sane(p, o); err != nil {
		return err
	}
	switch c := o.Command.(type) {
	case engine.Continue:
	case engine.EndPhase:
		g.next(x)
	case engine.EndTurn:
		for x.Position().State().Side == s.Side && x.Position().State().Turn == s.Turn && !x.Position().State().Over {
			g.next(x)
		}
	case engine.ToPhase:
		if s.Phase != "march" || c.Phase != "fight" {
			return engine.Refuse("TOY-2", "plain", "s", "that phase does not follow")
		}
		g.next(x)
	case toyStep:
		if s.Phase != "march" {
			return engine.Refuse("TOY-3", "plain", "s", "nobody marches now")
		}
		x.Emit("TOY-3", toyStepped{o.Side, c.N})
	case toyFight:
		return g.fight(x, o)
	default:
		return engine.Refuse("TOY-2", "plain", "s", "no such order")
	}
	return nil
}

func (g Toy) fight(x *engine.Exec, o engine.Order) error {
	p := x.Position().(*toyPosition)
	switch {
	case p.state.Phase != "fight":
		return engine.Refuse("TOY-4", "plain", "s", "nobody fights now")
	case p.spent:
		return engine.Refuse("TOY-4", "plain", "s", "the other side stood")
	}
	x.Commit()
	die := x.Roll("TOY-4", "fight", "", 6, 1, engine.T("plain", "s", "the fight"))[0]
	other := toyOther(o.Side)
	if g.Mended {
		x.Ask(engine.Question{Decision: "D09", Side: other, Rule: "TOY-6", Text: toyPlain("loud or quiet?"), Default: 1,
			Options: []engine.Option{{Clause: "LOUD", Text: toyPlain("loud")}, {Clause: "QUIET", Text: toyPlain("quiet")}}}, nil)
	}
	choice := x.Ask(engine.Question{
		Decision: "D04", Side: other, Rule: "TOY-5", Text: toyPlain("a fight with the die %d: stand or yield?", die), Default: 1,
		Options: []engine.Option{{Clause: "STAND", Text: toyPlain("stand")}, {Clause: "YIELD", Text: toyPlain("yield")}},
	}, func(x *engine.Exec) (int, string, string) {
		for lines, i := x.Lines(other), len(x.Lines(other))-1; i >= 0; i-- {
			if c, ok := lines[i].Command.(toyStanding); ok {
				if c.Stand {
					return 0, "standing", lines[i].Text
				}
				return 1, "standing", lines[i].Text
			}
		}
		return 0, "", ""
	})
	if g.Mended {
		die *= 2
	}
	x.Emit("TOY-4", toyFought{o.Side, die, choice == 0})
	return nil
}

// Holds implements [engine.Game].
func (Toy) Holds(p engine.Position, _ engine.Side, _ engine.Condition) bool {
	return p.(*toyPosition).won
}

// Preview implements [engine.Game].
func (Toy) Preview(_ engine.Position, o engine.Order) []engine.Item {
	if _, ok := o.Command.(toyFight); ok {
		return []engine.Item{{Rule: "TOY-4", Text: toyPlain("a fight adds one die to your score")}}
	}
	return nil
}

// View implements [engine.Game].
func (Toy) View(pos engine.Position, s engine.Side) engine.View {
	p := pos.(*toyPosition)
	v := engine.View{Game: "toy", Side: s, State: p.state, Title: toyPlain("%s %s, turn %d", p.state.Side, p.state.Phase, p.state.Turn)}
	if p.state.Over {
		v.Title = toyPlain("the end: %s", p.ended)
	}
	for _, side := range (Toy{}).Seats() {
		v.Status = append(v.Status, engine.Line{Label: engine.Plain(string(side)), Value: toyPlain("place %d, score %d, flag %d", p.at[side], p.score[side], p.flag[side])})
	}
	if s != "" {
		v.Status = append(v.Status, engine.Line{Label: engine.Plain("secret"), Value: toyPlain("%d", p.secret[s])})
	}
	if p.state.Side == s && s != "" {
		v.Template = []string{map[string]string{"march": "STEP 1", "fight": "FIGHT"}[p.state.Phase], "END PHASE"}
	}
	return v
}

// Tell implements [engine.Game].
func (Toy) Tell(_ engine.Position, events []engine.Event, s engine.Side) []engine.Item {
	var out []engine.Item
	for _, e := range events {
		text := ""
		switch f := e.Fact.(type) {
		case toyPhase:
			text = fmt.Sprintf("%s %s of turn %d begins", f.Side, f.Phase, f.Turn)
		case toyStepped:
			text = fmt.Sprintf("%s steps %d", f.Side, f.N)
		case toyFought:
			text = fmt.Sprintf("%s fights with a %d, stood %v", f.Side, f.Die, f.Stood)
		case toyFlag:
			text = fmt.Sprintf("%s shows flag %d", f.Side, f.X)
		case toyEnded:
			text = "the end: " + f.Why
		case engine.Rolled:
			if strings.Contains(f.Label, "/secret/") {
				continue
			}
			text = fmt.Sprintf("die %v", f.Values)
		default:
			continue
		}
		out = append(out, engine.Item{Seq: e.Seq, Rule: e.Rule, Text: engine.Plain(text)})
	}
	return out
}

// FormatState implements [engine.Game].
func (Toy) FormatState(p engine.Position) string {
	t := p.(*toyPosition)
	return fmt.Sprintf("%+v %v %v %v %v", t.state, t.at, t.score, t.flag, t.spent)
}

// ParseState implements [engine.Game].
func (Toy) ParseState(string) (engine.Position, error) {
	return nil, fmt.Errorf("the toy has no notation")
}

// toyLanguage is the toy's order language.
type toyLanguage struct{}

func (toyLanguage) Grammar() orders.Grammar {
	g := orders.Grammar{Hex: func(string) (string, bool) { return "", false }}
	g.Verbs = append(g.Verbs, orders.Common...)
	for _, v := range []string{"STEP", "FIGHT", "FLAG", "DEFAULT"} {
		g.Verbs = append(g.Verbs, orders.Verb{Name: v, Usage: v})
	}
	return g
}

// Show, Area and Clause implement [admin.Game].
type toyRequests struct{ side engine.Side }

func (toyRequests) Show(c *orders.Cursor) admin.Show { return admin.Show{What: c.Rest()} }
func (toyRequests) Area(c *orders.Cursor) string     { return c.Rest() }
func (q toyRequests) Clause(c *orders.Cursor) *engine.Order {
	w, ok := c.Expect("STAND", "YIELD")
	if !ok {
		return &engine.Order{}
	}
	return &engine.Order{Side: q.side, Text: "DEFAULT " + w, Command: toyStanding{w == "STAND"}}
}

func (l toyLanguage) Bind(s orders.Sheet, side engine.Side) (list []engine.Order, asked []admin.Request, found []orders.Finding) {
	g := l.Grammar()
	for i := range s.Lines {
		line := &s.Lines[i]
		c := orders.NewCursor(line, g)
		if admin.Is(line.Verb) {
			q := admin.Read(line, c, toyRequests{side})
			if f := c.Findings(); len(f) > 0 {
				found = append(found, f...)
			} else {
				asked = append(asked, q)
			}
			continue
		}
		o := engine.Order{Line: line.No, Text: line.Text, Side: side}
		if line.If != "" {
			o.If = toyWon{}
		}
		switch line.Verb {
		case orders.Check, orders.Again:
			continue
		case orders.Continue:
			o.Command = engine.Continue{}
		case orders.EndPhase:
			o.Command = engine.EndPhase{}
		case orders.EndTurn:
			o.Command = engine.EndTurn{}
		case orders.Phase:
			w, _ := c.Word("a phase")
			if w == "STANDING" {
				continue
			}
			if w != "MARCH" && w != "FIGHT" {
				c.Fail("expected", "plain", map[string]any{"s": "no phase " + w})
			}
			o.Command = engine.ToPhase{Phase: strings.ToLower(w)}
		case "STEP":
			n, err := strconv.Atoi(c.Rest())
			if err != nil {
				found = append(found, orders.Finding{Line: line.No, Code: "expected", Key: "plain", Args: map[string]any{"s": "STEP wants a number"}})
				continue
			}
			o.Command = toyStep{n}
		case "FIGHT":
			o.Command = toyFight{}
		case "FLAG":
			n, err := strconv.Atoi(strings.TrimSuffix(c.Rest(), " NOW"))
			if err != nil || !strings.HasSuffix(line.Text, " NOW") {
				found = append(found, orders.Finding{Line: line.No, Code: "expected", Key: "plain", Args: map[string]any{"s": "FLAG wants a number and NOW"}})
				continue
			}
			o.Command = toySetFlag{n}
		case "DEFAULT":
			w, _ := c.Expect("STAND", "YIELD")
			o.Command = toyStanding{w == "STAND"}
		default:
			found = append(found, orders.Finding{Line: line.No, Code: "verb", Key: "plain", Args: map[string]any{"s": "no verb in " + line.Text}})
			continue
		}
		if f := c.Findings(); len(f) > 0 {
			found = append(found, f...)
			continue
		}
		list = append(list, o)
	}
	return list, asked, found
}

func (l toyLanguage) Parse(text string, side engine.Side) (engine.Order, []orders.Finding) {
	sheets, found := orders.Parse([]string{"GAME 1", text, "END"}, l.Grammar())
	if len(found) > 0 {
		return engine.Order{}, found
	}
	list, _, found := l.Bind(sheets[0], side)
	if len(found) == 0 && len(list) != 1 {
		found = []orders.Finding{{Line: 1, Code: "verb", Key: "plain", Args: map[string]any{"s": text}}}
	}
	if len(found) > 0 {
		return engine.Order{}, found
	}
	return list[0], nil
}
