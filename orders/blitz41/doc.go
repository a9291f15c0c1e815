// Package blitz41 binds the order language to the commands of Blitzkrieg '41:
// verbs, units and their other names, places, paths, conditions, clauses.
//
// It promises that a line becomes exactly the command its canonical form says,
// or a finding that names the word and what would do; it never guesses between
// two units. What it writes it reads again as the same command.
//
// It relies on sheets from package orders and on the game's data set for
// counters, hexes and names. It sees no position: whether an order can be done
// is the game's business.
package blitz41

import (
	"pbemd/engine"
	game "pbemd/engine/blitz41"
	"pbemd/engine/hex"
	"pbemd/orders"
	"pbemd/orders/admin"
)

// Language is the order language over one data set.
type Language struct {
	d       *game.Data
	grammar orders.Grammar
	verbs   map[string]*verb
	units   index
	places  map[string]bool // first words of place names
}

// New makes the language of a data set.
func New(d *game.Data) *Language {
	l := &Language{d: d, verbs: map[string]*verb{}, units: newIndex(d), places: map[string]bool{}}
	for i := range table {
		l.verbs[table[i].Name] = &table[i]
	}
	for _, n := range d.Names() {
		l.places[firstWord(n)] = true
	}
	l.grammar = grammarOf(d)
	return l
}

// Grammar is what the lexer has to know.
func (l *Language) Grammar() orders.Grammar { return l.grammar }

// Bind turns the lines of a sheet into orders and requests. With a finding
// nothing of the sheet may be executed; requests are good all the same.
func Bind(sheet orders.Sheet, d *game.Data, side engine.Side) ([]engine.Order, []admin.Request, []orders.Finding) {
	return New(d).Bind(sheet, side)
}

// Bind turns the lines of a sheet into orders and requests. With a finding
// nothing of the sheet may be executed; requests are good all the same.
func (l *Language) Bind(sheet orders.Sheet, side engine.Side) ([]engine.Order, []admin.Request, []orders.Finding) {
	var out []engine.Order
	var asked []admin.Request
	var found []orders.Finding
	for i := range sheet.Lines {
		o, a, f := l.line(&sheet.Lines[i], side)
		out, found = append(out, o...), append(found, f...)
		if a != nil {
			asked = append(asked, *a)
		}
	}
	return out, asked, found
}

// Parse reads one order, as it stands in a sheet.
func (l *Language) Parse(text string, side engine.Side) (engine.Order, []orders.Finding) {
	line, found := l.lex(text)
	if len(found) > 0 {
		return engine.Order{}, found
	}
	o, _, found := l.line(&line, side)
	if len(found) == 0 && len(o) != 1 {
		found = []orders.Finding{{Line: 1, Code: "verb", Key: "b41.read.one", Args: map[string]any{"text": text}}}
	}
	if len(found) > 0 {
		return engine.Order{}, found
	}
	return o[0], nil
}

// lex cuts one line into tokens.
func (l *Language) lex(text string) (orders.Line, []orders.Finding) {
	sheets, found := orders.Parse([]string{"GAME 1", text, "END"}, l.grammar)
	for i := range found {
		found[i].Line = 1
	}
	if len(found) > 0 {
		return orders.Line{}, found
	}
	if len(sheets) != 1 || len(sheets[0].Lines) != 1 {
		return orders.Line{}, []orders.Finding{{Line: 1, Code: "verb", Key: "b41.read.one", Args: map[string]any{"text": text}}}
	}
	line := sheets[0].Lines[0]
	line.No = 1
	return line, nil
}

// line reads one line.
func (l *Language) line(line *orders.Line, side engine.Side) ([]engine.Order, *admin.Request, []orders.Finding) {
	if admin.Is(line.Verb) && !(line.Verb == "STANDING" && line.If != "") {
		r := &reader{Cursor: orders.NewCursor(line, l.grammar), l: l, side: side}
		if line.If != "" {
			r.fail("verb", "b41.read.unconditional", "verb", line.Verb)
		}
		req := r.request(line)
		if f := r.Findings(); len(f) > 0 {
			return nil, nil, f
		}
		return nil, &req, nil
	}
	o := engine.Order{Line: line.No, Side: side}
	if line.If != "" {
		c, found := l.condition(line, side)
		if len(found) > 0 {
			return nil, nil, found
		}
		o.If = c
	}
	cmds, other, found := l.commands(line, side, o.If != nil)
	if len(found) > 0 {
		return nil, nil, found
	}
	var out []engine.Order
	for _, c := range cmds {
		n := o
		n.Command, n.Else = c, other
		n.Text = FormatOrder(n)
		if s, ok := c.(game.Standing); ok {
			s.Text = n.Text
			n.Command = s
		}
		out = append(out, n)
	}
	return out, nil, nil
}

// commands reads what stands behind the condition of a line. Only MOVE ALL is
// more than one command: it is STACK, GO and DONE.
func (l *Language) commands(line *orders.Line, side engine.Side, conditional bool) ([]engine.Command, engine.Command, []orders.Finding) {
	r := &reader{Cursor: orders.NewCursor(line, l.grammar), l: l, side: side, conditional: conditional}
	switch line.Verb {
	case orders.Check, orders.Again:
		return nil, nil, nil
	case orders.Continue, orders.EndPhase, orders.EndTurn, orders.Phase:
		if conditional {
			r.fail("verb", "b41.read.unconditional", "verb", line.Verb)
		}
		return r.control(line.Verb)
	}
	v := l.verbs[line.Verb]
	if v == nil {
		r.unknownVerb(line)
		return nil, nil, r.Findings()
	}
	if v.side != "" && v.side != side {
		r.fail("side", "b41.read.side", "verb", v.Name, "side", string(v.side))
		return nil, nil, r.Findings()
	}
	cmds := v.read(r)
	var other engine.Command
	if conditional && r.Accept("ELSE") {
		rest := r.Rest()
		sub, found := l.lex(rest)
		if len(found) == 0 {
			var more []engine.Command
			if sub.If != "" || admin.Is(sub.Verb) || sub.Control() {
				r.fail("verb", "b41.read.else", "text", rest)
			} else if more, _, found = l.commands(&sub, side, true); len(found) == 0 && len(more) == 1 {
				other = more[0]
			}
		}
		if len(found) > 0 {
			for i := range found {
				found[i].Line = line.No
			}
			return nil, nil, found
		}
	}
	r.End()
	if f := r.Findings(); len(f) > 0 {
		return nil, nil, f
	}
	return cmds, other, nil
}

// control reads a line that steers the sheet.
func (r *reader) control(verb string) ([]engine.Command, engine.Command, []orders.Finding) {
	var c engine.Command
	switch verb {
	case orders.Continue:
		c = engine.Continue{}
	case orders.EndPhase:
		c = engine.EndPhase{}
	case orders.EndTurn:
		c = engine.EndTurn{}
	case orders.Phase:
		w, _ := r.Word("a phase")
		if w == "STANDING" { // standing orders follow, which know themselves
			return nil, nil, r.Findings()
		}
		if p, ok := phaseWord(w); ok {
			c = engine.ToPhase{Phase: p}
		} else {
			r.fail("phase", "b41.read.phase", "word", w, "suggest", orders.Suggest(w, phaseNames))
		}
	}
	if f := r.Findings(); len(f) > 0 {
		return nil, nil, f
	}
	return []engine.Command{c}, nil, nil
}

var phaseNames = []string{"SUPPLY", "NEWUNITS", "MOVE", "ASSAULT", "STANDING"}

func phaseWord(w string) (string, bool) {
	switch w {
	case "SUPPLY":
		return "supply", true
	case "NEWUNITS", "NEW":
		return "newunits", true
	case "MOVE", "MOVEMENT":
		return "move", true
	case "ASSAULT", "ASSAULTS":
		return "assault", true
	}
	return "", false
}

// unknownVerb finds fault with a line that begins with no verb.
func (r *reader) unknownVerb(line *orders.Line) {
	w := ""
	if len(line.Tokens) > 0 {
		w = line.Tokens[0].Text
	}
	if policyWords[w] {
		r.fail("verb", "b41.read.scope", "text", line.Text)
		return
	}
	r.fail("verb", "b41.read.verb", "word", w, "suggest", orders.Suggest(w, r.l.grammar.Names("")))
}

func firstWord(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] == ' ' {
			return s[:i]
		}
	}
	return s
}

// coord is the hex of a canonical name.
func coord(s string) (hex.Coord, bool) {
	c, err := hex.Parse(s)
	return c, err == nil && !c.IsZero()
}
