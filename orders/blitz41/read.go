package blitz41

import (
	"strings"

	"pbemd/engine"
	game "pbemd/engine/blitz41"
	"pbemd/engine/hex"
	"pbemd/orders"
)

// reader reads the clauses of one line.
type reader struct {
	*orders.Cursor
	l           *Language
	side        engine.Side
	conditional bool
}

// reserved are words with a meaning of their own, which no unit list swallows.
var reserved = words(`ADVANCE AGREE AIR AIRSUPPLY ALL ALIVE ALLOUT ALONE ALWAYS AND APLEFT AS AT ATTACKED AUTO AVOID AWARD AWAY AWAY BALANCE BALTIC BATTLE BLACK BOX BY
	CAV CITY CONCENTRATE CONTROLLED COUNTERADVANCE DEAD DEFEND DX EAST ELSE EMPTY ENEMY EXIT FALLBACK FINLAND FORT FROM FULL GO HEDGEHOG HELD HOLD IF IN
	JOIN KEEP LEAVE LEG LOSE LOSS LOST MA MATCH MAX MECH MP MSU NET NEVER NOEXIT NOKILL NONE NOT NOW OBG OCCUPY ODDS OFF ON OOS OR OURS PA PART PENALTY PREFER
	PRIORITY REPULSED RESERVE REST RETREAT RVGK SEA SOUTH NORTH SPARE SPLIT SPREAD STAND STEPS SUPPLIED SUPPLY TO TOP TOWARD TOWN UNLESS UNTIL VIA VP WHEN WITH
	WON YIELD ZOMO E W NE NW SE SW PANZERS SHOCK THEN`)

// unitWords are reserved words that are units too.
var unitWords = words(`OBG MSU PART`)

// policyWords begin the policies of standing orders.
var policyWords = words(`HOLD STAND KEEP BALANCE YIELD AUTO LOSE SPARE SPREAD CONCENTRATE NOKILL RETREAT COUNTERADVANCE AIR AIRSUPPLY HEDGEHOG MSU TOP`)

func words(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

func (r *reader) fail(code, key string, args ...any) {
	m := map[string]any{}
	for i := 0; i+1 < len(args); i += 2 {
		m[args[i].(string)] = args[i+1]
	}
	r.Fail(code, key, m)
}

func (r *reader) failed() bool { return len(r.Findings()) > 0 }

// got is what stands where something else was due.
func (r *reader) got() string { return r.Peek().Text }

// text is the next n tokens as written.
func (r *reader) text(n int) string {
	var w []string
	for k := 0; k < n; k++ {
		w = append(w, r.PeekAt(k).Text)
	}
	return strings.Join(w, " ")
}

func (r *reader) isWord(words ...string) bool {
	t := r.Peek()
	for _, w := range words {
		if t.Kind == orders.Word && t.Text == w {
			return true
		}
	}
	return false
}

// placeAhead is the number of tokens a place name takes that comes next.
func (r *reader) placeAhead() int {
	t := r.Peek()
	if t.Kind == orders.Quoted {
		if _, ok := r.l.d.Named(strings.ToUpper(t.Text)); ok {
			return 1
		}
		return 0
	}
	if t.Kind != orders.Word || !r.l.places[t.Text] {
		return 0
	}
	for n := 3; n > 0; n-- {
		if _, ok := r.l.d.Named(strings.ToUpper(r.text(n))); ok && r.PeekAt(n-1).Kind != orders.EOL {
			return n
		}
	}
	return 0
}

// hexAhead reports whether a hex or a place comes next.
func (r *reader) hexAhead() bool {
	t := r.Peek()
	return t.Kind == orders.Hex || r.placeAhead() > 0
}

// placeholders are words of the forms and templates that stand for something, in
// the languages that forms are mailed in (form.* of the templates).
var placeholders = words(`UNIT UNITS HEX HEXES FIVE PATH ARMY CORPS EINHEIT EINHEITEN FELD FELDER FÜNF WEG ARMEE KORPS`)

// placeholder refuses a word that was to be filled in.
func (r *reader) placeholder(want string) bool {
	t := r.Peek()
	if t.Kind != orders.Word || !placeholders[t.Text] {
		return false
	}
	r.fail("placeholder", "b41.read.placeholder", "word", t.Text, "want", want)
	return true
}

// hex takes a hex of the map or the name of a place.
func (r *reader) hex() hex.Coord {
	if r.placeholder("hex") {
		return hex.Coord{}
	}
	if n := r.placeAhead(); n > 0 {
		h, _ := r.l.d.Named(strings.ToUpper(r.text(n)))
		for ; n > 0; n-- {
			r.Next()
		}
		return r.l.d.Board.At(h)
	}
	if t := r.Peek(); t.Kind == orders.Word && !reserved[t.Text] {
		r.fail("place", "b41.read.place", "name", t.Text, "suggest", orders.Suggest(t.Text, r.l.d.Names()))
		return hex.Coord{}
	}
	s, ok := r.Cursor.Hex("a hex")
	if !ok {
		return hex.Coord{}
	}
	c, ok := coord(s)
	if !ok || !r.l.d.Board.Has(c) {
		r.fail("hex", "b41.read.hex", "hex", s)
		return hex.Coord{}
	}
	return c
}

// hexList takes hexes parted by commas, plus signs or blanks.
func (r *reader) hexList() []hex.Coord {
	out := []hex.Coord{r.hex()}
	for !r.failed() {
		c := *r.Cursor
		r.AcceptAny(",", "+")
		if !r.hexAhead() {
			*r.Cursor = c
			break
		}
		out = append(out, r.hex())
	}
	return out
}

// stepAhead reports whether a step of a path comes next.
func (r *reader) stepAhead() bool {
	t := r.Peek()
	if t.Kind == orders.Word {
		if _, ok := hex.ParseDirection(t.Text); ok || t.Text == "TO" {
			return true
		}
	}
	return r.hexAhead()
}

// path takes steps parted by dashes, commas or blanks.
func (r *reader) path() []game.Step {
	var out []game.Step
	for !r.failed() {
		c := *r.Cursor
		if len(out) > 0 {
			r.AcceptAny("-", ",")
		}
		if !r.stepAhead() {
			*r.Cursor = c
			break
		}
		out = append(out, r.step())
	}
	if len(out) == 0 {
		r.fail("expected", "b41.read.nopath", "got", r.got())
	}
	return out
}

func (r *reader) step() game.Step {
	if r.Accept("TO") {
		return game.Step{To: r.hex()}
	}
	if t := r.Peek(); t.Kind == orders.Word {
		if d, ok := hex.ParseDirection(t.Text); ok {
			r.Next()
			n := 1
			if r.Accept("*") {
				n, _ = r.Int("a number of hexes")
				if n < 1 || n > 40 {
					r.fail("number", "b41.read.count", "n", n)
				}
			}
			return game.Step{Dir: d, Count: n}
		}
	}
	return game.Step{Hex: r.hex()}
}

var comparisons = []string{"<=", ">=", "<", ">", "="}

// compare takes a comparison with a number.
func (r *reader) compare() game.Compare {
	op, _ := r.Expect(comparisons...)
	n, _ := r.Int("a number")
	return game.Compare{Op: op, N: n}
}

// odds takes a comparison with an odds column.
func (r *reader) odds() game.OddsIf {
	op, _ := r.Expect(comparisons...)
	n, _ := r.Word("odds such as 3-1")
	if r.Peek().Text == "-" && r.PeekAt(1).Kind == orders.Int {
		r.Next()
		n += "-" + r.Next().Text
	}
	o, ok := r.l.d.Columns.Parse(n)
	if !ok {
		var names []string
		for i := range r.l.d.Columns {
			names = append(names, r.l.d.Columns.Name(oddsOf(i)))
		}
		r.fail("odds", "b41.read.odds", "odds", n, "columns", names)
	}
	return game.OddsIf{Op: op, Odds: o}
}

// oddsIf takes IF ODDS …, if it is there.
func (r *reader) oddsIf() game.OddsIf {
	if r.isWord("IF") && r.PeekAt(1).Text == "ODDS" {
		r.Next()
		r.Next()
		return r.odds()
	}
	return game.OddsIf{}
}

// number takes a number within bounds.
func (r *reader) number(what string, lo, hi int) int {
	n, ok := r.Int(what)
	if ok && (n < lo || n > hi) {
		r.fail("number", "b41.read.number", "what", what, "n", n, "lo", lo, "hi", hi)
	}
	return n
}

// turn takes T5 or 5.
func (r *reader) turn() int {
	t := r.Peek()
	s := strings.TrimPrefix(t.Text, "T")
	n := 0
	for _, c := range s {
		if c < '0' || c > '9' || n > 99 {
			n = 0
			break
		}
		n = n*10 + int(c-'0')
	}
	if t.Kind == orders.EOL || n < 1 || n >= len(r.l.d.Turns) {
		r.fail("turn", "b41.read.turn", "got", t.Text, "last", len(r.l.d.Turns)-1)
		return 0
	}
	r.Next()
	return n
}
