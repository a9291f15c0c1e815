package blitz41

import (
	"pbemd/engine"
	game "pbemd/engine/blitz41"
	"pbemd/orders"
	"pbemd/orders/admin"
	"strconv"
)

// request reads a line that orders nothing.
func (r *reader) request(line *orders.Line) admin.Request {
	return admin.Read(line, r.Cursor, r)
}

// Show implements [admin.Game].
func (r *reader) Show(*orders.Cursor) admin.Show {
	w, _ := r.Expect("STACK", "SUPPLY", "CONTROL", "POOLS")
	s := admin.Show{What: w}
	switch w {
	case "STACK":
		s.Hex = r.hex().String()
	case "SUPPLY":
		if name, n := r.unitAhead(false); n > 0 && r.l.units.isExact(name) || !r.hexAhead() {
			s.Unit = r.unit()
		} else {
			s.Hex = r.hex().String()
		}
	}
	return s
}

// Area implements [admin.Game]: a hex and how many hexes around it, two corners,
// or a layer: SUPPLY, CONTROL, BIG.
func (r *reader) Area(*orders.Cursor) string {
	if r.Done() {
		return ""
	}
	if w, ok := r.AcceptAny("SUPPLY", "CONTROL", "BIG"); ok {
		return w
	}
	r.Accept("AREA")
	a := r.hex()
	switch {
	case r.failed() || r.Done():
		return a.String()
	case r.Accept("-"):
		return a.String() + "-" + r.hex().String()
	case r.Peek().Kind == orders.Int:
		n, _ := r.Int("the number of hexes around it")
		return a.String() + " " + strconv.Itoa(n)
	}
	return a.String() + "-" + r.hex().String()
}

// Clause implements [admin.Game].
func (r *reader) Clause(*orders.Cursor) *engine.Order {
	s := game.Standing{Scope: game.Scope{Kind: "DEFAULT"}}
	r.policy(&s)
	o := &engine.Order{Side: r.side}
	if r.failed() {
		return o
	}
	s.Text = Format(s)
	o.Command, o.Text = s, s.Text
	return o
}
