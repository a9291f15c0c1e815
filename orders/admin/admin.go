// Package admin has the requests a player may put in a sheet beside his orders:
// reports, maps, help, standing orders as a whole, answers, undo, draws,
// messages. They are the same in every game.
//
// It relies on package orders for the words and on a game's binder for what
// only a game can read (hexes, units, standing clauses). It does nothing: the
// post office carries requests out.
package admin

import (
	"strconv"
	"strings"

	"pbemd/engine"
	"pbemd/orders"
)

// Request is one line of a sheet that orders nothing. Do is one of the types of
// this package.
type Request struct {
	Line int
	Text string // canonical
	Do   any
}

type (
	// Status asks for the state of the game.
	Status struct{}
	// Map asks for a map, of an area if it says so.
	Map struct{ Area string }
	// Report asks for a report again: of a turn and phase, or the last.
	Report struct{ Turn, Phase string }
	// Help asks about a topic; Words may name a verb, a word or a rule.
	Help struct{ Words string }
	// Show asks for a table: STACK and a hex, SUPPLY and a hex or a unit,
	// CONTROL, POOLS, or what else the game knows.
	Show struct {
		What string
		Hex  string
		Unit engine.UnitID
	}
	// StandingShow asks for the standing orders in force.
	StandingShow struct{}
	// StandingClear empties them.
	StandingClear struct{}
	// StandingAsk names the decisions that are mailed as questions; none of
	// them if the list is empty.
	StandingAsk struct{ Decisions []string }
	// StandingReports says when reports of the other side's doings come: EACH
	// burst or once a TURN.
	StandingReports struct{ When string }
	// StandingMaps says when maps come: EVERY, TURN, NEVER.
	StandingMaps struct{ When string }
	// StandingZone sets the time zone of a seat.
	StandingZone struct{ Zone string }
	// Undo takes back own orders.
	Undo struct{}
	// Agree consents to what the other side asks.
	Agree struct{}
	// Refuse doesn't.
	Refuse struct{}
	// Answer answers a question: by the letter of an option, or by a clause of
	// the standing orders.
	Answer struct {
		Question int
		Letter   string
		Clause   *engine.Order
	}
	// Resign gives the game up; Word is that of the receipt that confirms it.
	Resign struct{ Word string }
	// OfferDraw offers a draw.
	OfferDraw struct{}
	// AcceptDraw accepts it.
	AcceptDraw struct{ Word string }
	// GradeChain agrees to go on without the beacon.
	GradeChain struct{}
	// Join takes a seat.
	Join struct{}
	// Address changes the registered address.
	Address struct{ Address string }
	// Message is passed on to the other side word for word.
	Message struct{ Words string }
	// Salt is mixed into the dice of the step.
	Salt struct{ Words string }
	// Note is kept for the sender himself.
	Note struct{ Words string }
)

// Game reads what only a game can.
type Game interface {
	// Show reads what stands behind SHOW.
	Show(c *orders.Cursor) Show
	// Area reads a part of the map; "" if there is none.
	Area(c *orders.Cursor) string
	// Clause reads a standing clause without its scope.
	Clause(c *orders.Cursor) *engine.Order
}

// verbs are those that [Read] reads.
var verbs = map[string]bool{
	"MESSAGE": true, "SALT": true, "NOTE": true, "HELP": true, "STATUS": true, "MAP": true, "REPORT": true, "STANDING": true,
	"UNDO": true, "AGREE": true, "REFUSE": true, "ANSWER": true, "RESIGN": true, "OFFER DRAW": true, "ACCEPT DRAW": true,
	"GRADE CHAIN": true, "JOIN": true, "ADDRESS": true, "SHOW": true,
}

// Is reports whether a verb belongs to this package.
func Is(verb string) bool { return verbs[verb] }

// Query reports whether a request only asks or tells, and is done whatever
// becomes of the orders beside it.
func (r Request) Query() bool {
	switch r.Do.(type) {
	case Status, Map, Report, Help, Show, StandingShow, Message, Salt, Note:
		return true
	}
	return false
}

// Read reads a request. Faults are in the cursor.
func Read(l *orders.Line, c *orders.Cursor, g Game) Request {
	r := Request{Line: l.No, Text: l.Text}
	switch l.Verb {
	case "MESSAGE":
		r.Do = Message{l.Words}
		return r
	case "SALT":
		r.Do = Salt{l.Words}
		return r
	case "NOTE":
		r.Do = Note{l.Words}
		return r
	case "HELP":
		r.Do = Help{c.Rest()}
	case "STATUS":
		r.Do = Status{}
	case "MAP":
		r.Do = Map{g.Area(c)}
	case "REPORT":
		var q Report
		if t := c.Peek(); t.Kind != orders.EOL {
			q.Turn, _ = c.Word("a turn")
			q.Turn = strings.TrimPrefix(q.Turn, "T")
			if _, err := strconv.Atoi(q.Turn); err != nil {
				c.Fail("expected", "admin.report", map[string]any{"got": t.Text})
			}
			q.Phase = c.Rest()
		}
		r.Do = q
	case "STANDING":
		r.Do = standing(c)
	case "SHOW":
		r.Do = g.Show(c)
	case "UNDO":
		r.Do = Undo{}
	case "AGREE":
		r.Do = Agree{}
	case "REFUSE":
		r.Do = Refuse{}
	case "ANSWER":
		r.Do = answer(c, g)
	case "RESIGN":
		r.Do = Resign{confirm(c)}
	case "OFFER DRAW":
		r.Do = OfferDraw{}
	case "ACCEPT DRAW":
		r.Do = AcceptDraw{confirm(c)}
	case "GRADE CHAIN":
		r.Do = GradeChain{}
	case "JOIN":
		r.Do = Join{}
	case "ADDRESS":
		r.Do = address(l, c)
	}
	c.End()
	return r
}

func confirm(c *orders.Cursor) string {
	if !c.Accept("CONFIRM") {
		return ""
	}
	w, _ := c.Word("the word from the receipt")
	return w
}

func standing(c *orders.Cursor) any {
	w, _ := c.Expect("SHOW", "CLEAR", "ASK", "REPORTS", "MAPS", "TZ")
	switch w {
	case "SHOW":
		return StandingShow{}
	case "CLEAR":
		return StandingClear{}
	case "ASK":
		var q StandingAsk
		if c.Accept("NONE") {
			return q
		}
		for {
			t := c.Peek()
			id, ok := decision(t.Text)
			if !ok {
				c.Fail("expected", "admin.decision", map[string]any{"got": t.Text})
				return q
			}
			c.Next()
			q.Decisions = append(q.Decisions, id)
			c.AcceptAny(",", "+")
			if c.Done() {
				return q
			}
		}
	case "REPORTS":
		w, _ := c.Expect("EACH", "TURN")
		return StandingReports{w}
	case "MAPS":
		w, _ := c.Expect("EVERY", "TURN", "NEVER")
		return StandingMaps{w}
	case "TZ":
		zone := strings.ReplaceAll(c.Rest(), " ", "")
		if zone == "" {
			c.Fail("expected", "admin.zone", nil)
		}
		return StandingZone{Zone(zone)}
	}
	return nil
}

// decision is the number of a decision point: a letter and two digits, of which
// the lexer may have dropped a zero.
func decision(s string) (string, bool) {
	if len(s) < 2 || len(s) > 3 || s[0] < 'A' || s[0] > 'Z' {
		return "", false
	}
	n, err := strconv.Atoi(s[1:])
	if err != nil || n < 1 {
		return "", false
	}
	d := strconv.Itoa(n)
	if n < 10 {
		d = "0" + d
	}
	return s[:1] + d, true
}

// Zone spells the name of a time zone as the zone files do: Europe/Berlin,
// America/New_York, UTC.
func Zone(s string) string {
	if !strings.Contains(s, "/") {
		return s
	}
	b := []byte(strings.ToLower(s))
	up := true
	for i, c := range b {
		if up && c >= 'a' && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
		up = c == '/' || c == '_' || c == '-'
	}
	return strings.NewReplacer("Etc/Gmt", "Etc/GMT", "_Of_", "_of_", "-Of-", "-of-", "-Au-", "-au-", "Port_Au_Prince", "Port-au-Prince").Replace(string(b))
}

func answer(c *orders.Cursor, g Game) Answer {
	t := c.Peek()
	n, err := strconv.Atoi(strings.TrimPrefix(t.Text, "Q"))
	if err != nil || n < 1 || t.Kind == orders.EOL {
		c.Fail("expected", "admin.question", map[string]any{"got": t.Text})
		return Answer{}
	}
	c.Next()
	a := Answer{Question: n}
	if t := c.Peek(); len(t.Text) == 1 && t.Text[0] >= 'A' && t.Text[0] <= 'Z' && c.PeekAt(1).Kind == orders.EOL {
		c.Next()
		a.Letter = t.Text
		return a
	}
	a.Clause = g.Clause(c)
	return a
}

// address is taken from the line as it was written: mail addresses keep their
// case and may have signs that orders don't.
func address(l *orders.Line, c *orders.Cursor) Address {
	c.Rest()
	f := strings.Fields(l.Raw)
	if len(f) != 2 || strings.Count(f[1], "@") != 1 {
		c.Fail("expected", "admin.address", map[string]any{"got": strings.Join(f[min(1, len(f)):], " ")})
		return Address{}
	}
	return Address{strings.Trim(f[1], "<>")}
}
