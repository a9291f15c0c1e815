package orders

import (
	"strings"
)

// Verb is one row of the table from which both parsing and help come.
type Verb struct {
	Name    string   // canonical, upper case; may be several words
	Aliases []string // accepted, written back as Name
	Phases  []string // phase words in which it may be given; none means any
	Usage   string   // its form in one line
	Key     string   // sentence key of its help
	Clauses []string // words with which a continued line may begin
	Text    bool     // what follows on the line is taken word for word
	Block   bool     // and so are the lines below, up to END and the name
}

// Grammar is what a game tells the lexer.
type Grammar struct {
	Verbs []Verb
	// Hex recognises a hex in upper case and gives its canonical spelling. Nil
	// means AnyHex.
	Hex func(word string) (hex string, ok bool)
	// Rows says that hexes are letters and a number, so that "K 7" and "K-7" are
	// read as K7.
	Rows bool
	// Place recognises further words, such as names of places, between which
	// ">" is an arrow. Nil means hexes only.
	Place func(word string) bool
}

// Common are the verbs of every game.
var Common = []Verb{
	{Name: "MESSAGE", Usage: "MESSAGE text, or MESSAGE … END MESSAGE", Key: "help.verb.message", Text: true, Block: true},
	{Name: "SALT", Usage: "SALT text", Key: "help.verb.salt", Text: true},
	{Name: "NOTE", Usage: "NOTE text", Key: "help.verb.note", Text: true},
	{Name: "HELP", Usage: "HELP [topic]", Key: "help.verb.help"},
	{Name: "STATUS", Usage: "STATUS", Key: "help.verb.status"},
	{Name: "MAP", Aliases: []string{"SHOW MAP"}, Usage: "MAP [hex [n] | AREA hex-hex | SUPPLY | CONTROL | BIG]", Key: "help.verb.map"},
	{Name: "REPORT", Aliases: []string{"SHOW REPORT"}, Usage: "REPORT [turn phase]", Key: "help.verb.report"},
	{Name: "STANDING", Usage: "STANDING SHOW | CLEAR | ASK ids | REPORTS EACH|TURN | MAPS EVERY|TURN|NEVER | TZ zone", Key: "help.verb.standing"},
	{Name: "UNDO", Aliases: []string{"REQUEST UNDO"}, Usage: "UNDO", Key: "help.verb.undo"},
	{Name: "AGREE", Usage: "AGREE", Key: "help.verb.agree"},
	{Name: "REFUSE", Usage: "REFUSE", Key: "help.verb.refuse"},
	{Name: "ANSWER", Usage: "ANSWER Q17 B", Key: "help.verb.answer"},
	{Name: "RESIGN", Aliases: []string{"CONCEDE"}, Usage: "RESIGN [CONFIRM word]", Key: "help.verb.resign"},
	{Name: "OFFER DRAW", Aliases: []string{"OFFERDRAW"}, Usage: "OFFER DRAW", Key: "help.verb.offer-draw"},
	{Name: "ACCEPT DRAW", Usage: "ACCEPT DRAW", Key: "help.verb.accept-draw"},
	{Name: "GRADE CHAIN", Usage: "GRADE CHAIN", Key: "help.verb.grade"},
	{Name: "JOIN", Usage: "JOIN", Key: "help.verb.join"},
	{Name: "ADDRESS", Usage: "ADDRESS name@example.net", Key: "help.verb.address", Text: true},
}

// Generic is a grammar for reading sheets whose game is not known: the verbs of
// all games, no aliases, hexes left as they are spelled.
func Generic() Grammar {
	g := Grammar{Hex: AnyHex}
	for _, v := range Common {
		v.Aliases = nil
		g.Verbs = append(g.Verbs, v)
	}
	path := []string{"TO", "VIA", "FROM"}
	battle := []string{"FROM", "AND", "AIR", "ALLOUT", "CAV", "LOSS", "RETREAT", "ADVANCE", "WITH", "OAS", "RESERVEAIR", "ARMOR", "CATARGET", "BLOCKING"}
	for _, v := range []struct {
		names   string
		clauses []string
	}{
		{"MOVE GO SEAMOVE AIRDROP EVACUATE COMMIT REDEPLOY", append([]string{"THEN", "CHAIN", "ASU"}, path...)},
		{"ATTACK ASSAULT PROBE MA REPEAT", battle},
		{"BUILD REBUILD REENTER CONVERT REPLACE PLACE PARTISAN AIRBASE EXCHANGE", []string{"AT", "TO", "FROM", "FOR", "STEPS"}},
		{"HOLD NAME FIRE STACK RETURN SPLIT WITH LEAVE OBG STOP DONE CONSOLIDATE SEASUPPLY AIRSUPPLY HEDGEHOG MSU LENINGRAD RVGK DISBAND", nil},
		{"DEFAULT HEX AREA ROWS UNIT", []string{"UNLESS", "UNTIL"}},
		{"SHOW OPTION DEPLETE VARIANT REPAIR FORTIFY FORTRESS UPGRADE RAILHEAD DESTROY STOCKPILE DISCLOSE STAGE MURMANSK RAIL AV SEA RESERVE COUNTERAIR ROLL", nil},
	} {
		for _, n := range strings.Fields(v.names) {
			g.Verbs = append(g.Verbs, Verb{Name: n, Clauses: v.clauses})
		}
	}
	return g
}

// Words gives every first word of a verb, for those who need to know where an
// order line may begin.
func (g Grammar) Words() map[string]bool {
	m := map[string]bool{}
	for _, w := range []string{"GAME", "END", "PHASE", "CHECK", "PREVIEW", "WHATIF", "CONTINUE", "AGAIN", "IF"} {
		m[w] = true
	}
	for _, v := range g.Verbs {
		m[firstOf(v.Name)] = true
		for _, a := range v.Aliases {
			m[firstOf(a)] = true
		}
	}
	return m
}

// Names gives the canonical verbs that may be given in a phase, in table order;
// an empty phase means all.
func (g Grammar) Names(phase string) []string {
	var out []string
	for _, v := range g.Verbs {
		if phase == "" || len(v.Phases) == 0 || contains(v.Phases, phase) {
			out = append(out, v.Name)
		}
	}
	return out
}

// Lookup finds a verb by its name or an alias.
func (g Grammar) Lookup(name string) (Verb, bool) {
	for _, v := range g.Verbs {
		if v.Name == name || contains(v.Aliases, name) {
			return v, true
		}
	}
	return Verb{}, false
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func firstOf(s string) string {
	if i := strings.IndexByte(s, ' '); i >= 0 {
		return s[:i]
	}
	return s
}

// lexer is a grammar made ready for looking things up.
type lexer struct {
	Grammar
	first map[string][]entry // verbs and aliases by first word, longest first
}

type entry struct {
	words []string
	verb  *Verb
	alias bool
}

func newLexer(g Grammar) *lexer {
	if g.Hex == nil {
		g.Hex = AnyHex
	}
	x := &lexer{Grammar: g, first: make(map[string][]entry, 2*len(g.Verbs))}
	add := func(name string, v *Verb, alias bool) {
		e := entry{strings.Fields(name), v, alias}
		if len(e.words) == 0 {
			return
		}
		list := x.first[e.words[0]]
		i := 0
		for i < len(list) && len(list[i].words) >= len(e.words) {
			i++
		}
		list = append(list, entry{})
		copy(list[i+1:], list[i:])
		list[i] = e
		x.first[e.words[0]] = list
	}
	for i := range x.Verbs {
		v := &x.Verbs[i]
		add(v.Name, v, false)
		for _, a := range v.Aliases {
			add(a, v, true)
		}
	}
	return x
}

// verb finds the verb that a canonical text begins with.
func (x *lexer) verb(text string) (entry, bool) {
	for _, e := range x.first[leadWord(text)] {
		rest := text
		ok := true
		for _, w := range e.words {
			if !strings.HasPrefix(rest, w) || len(rest) > len(w) && wordByte(rest[len(w)]) {
				ok = false
				break
			}
			rest = strings.TrimLeft(rest[len(w):], " ")
		}
		if ok {
			return e, true
		}
	}
	return entry{}, false
}

// leadWord is the word a canonical text begins with.
func leadWord(s string) string {
	i := 0
	for i < len(s) && wordByte(s[i]) {
		i++
	}
	return s[:i]
}

func wordByte(c byte) bool {
	return c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80 || c == '_' || c >= 'a' && c <= 'z'
}
