package blitz41

import (
	"pbemd/engine"
	game "pbemd/engine/blitz41"
	"pbemd/orders"
)

// condition reads what stands between IF and the colon. AND binds more tightly
// than OR.
func (l *Language) condition(line *orders.Line, side engine.Side) (engine.Condition, []orders.Finding) {
	part, found := l.lex(line.If)
	if len(found) == 0 {
		part.Verb = "" // so that nothing is passed over
		part.No = line.No
		r := &reader{Cursor: orders.NewCursor(&part, l.grammar), l: l, side: side}
		c := r.alternatives()
		r.End()
		found = r.Findings()
		if len(found) == 0 {
			return c, nil
		}
	}
	for i := range found {
		found[i].Line = line.No
	}
	return nil, found
}

func (r *reader) alternatives() engine.Condition {
	list := []engine.Condition{r.together()}
	for !r.failed() && r.Accept("OR") {
		list = append(list, r.together())
	}
	if len(list) == 1 {
		return list[0]
	}
	return game.Or{Tests: list}
}

func (r *reader) together() engine.Condition {
	list := []engine.Condition{r.test()}
	for !r.failed() && r.Accept("AND") {
		list = append(list, r.test())
	}
	if len(list) == 1 {
		return list[0]
	}
	return game.And{Tests: list}
}

var (
	hexStates  = []string{"EMPTY", "OURS", "ENEMY", "HELD", "CONTROLLED"}
	unitStates = []string{"ALIVE", "DEAD", "AT", "SUPPLIED", "FULL"}
)

func (r *reader) test() engine.Condition {
	if w, ok := r.AcceptAny("WON", "HELD", "REPULSED"); ok {
		return game.LastIs{Word: w}
	}
	if r.Accept("NOT") {
		return game.Not{Test: r.test()}
	}
	if w, ok := r.AcceptAny("MP", "LOST", "APLEFT"); ok {
		return game.Number{Of: w, Is: r.compare()}
	}
	if r.Accept("STEPS") {
		u := r.unit()
		return game.StepsOf{Unit: u, Is: r.compare()}
	}
	if r.Accept("BATTLE") {
		h := r.hex()
		w, _ := r.Expect("WON", "LOST", "DX")
		return game.BattleIs{At: h, Word: w}
	}
	// R3 EMPTY is a hex, R3 ALIVE a unit: the word behind tells.
	if t := r.PeekAt(1); r.Peek().Kind == orders.Hex && t.Kind == orders.Word && in(t.Text, unitStates) && !in(t.Text, hexStates) {
		return r.unitTest()
	}
	if r.hexAhead() {
		h := r.hex()
		w, _ := r.Expect(hexStates...)
		return game.HexIs{At: h, Word: w}
	}
	if r.Done() || r.Peek().Kind == orders.Sign {
		r.fail("expected", "b41.read.condition", "got", r.got())
		return nil
	}
	return r.unitTest()
}

func (r *reader) unitTest() engine.Condition {
	u := r.unit()
	w, _ := r.Expect(unitStates...)
	c := game.UnitIs{Unit: u, Word: w}
	if w == "AT" {
		c.At = r.hex()
	}
	return c
}

func in(w string, list []string) bool {
	for _, s := range list {
		if s == w {
			return true
		}
	}
	return false
}
