package orders

import (
	"sort"
	"strings"
)

// Limits of what is read.
const (
	MaxLines  = 2000 // orders of a sheet
	MaxSheets = 40   // headings in a text
	maxJoined = 4000 // octets of an order put together from several lines
)

// Controls are lines that steer a sheet and order nothing.
const (
	Check    = "CHECK"
	Continue = "CONTINUE"
	Again    = "AGAIN"
	Phase    = "PHASE"
	EndPhase = "END PHASE"
	EndTurn  = "END TURN"
)

// Sheet is one GAME … END block. Turn and Phase are "" where the heading does
// not say. Lines are all lines between heading and END in their order, controls
// included.
type Sheet struct {
	Game  string
	Turn  string
	Phase string
	Line  int // of the heading, in the mail
	Last  int // of END
	Check bool
	Again bool
	Lines []Line
}

// Line is one order, joined from as many lines of the mail as it took.
type Line struct {
	No     int    // of its first line in the mail
	Raw    string // as the mail has it
	Text   string // canonical, with condition and verb
	Verb   string // canonical verb of the grammar, or a control; "" if there is none
	If     string // what stands between IF and the colon or THEN
	Tokens []Token
	Notes  []Note // read as
	Words  string // after a text verb: word for word, lines parted by LF
	Block  bool   // Words stand in lines of their own
}

// Control says that the line steers the sheet.
func (l Line) Control() bool {
	switch l.Verb {
	case Check, Continue, Again, Phase, EndPhase, EndTurn:
		return true
	}
	return false
}

// Orders gives the lines that order something.
func (s Sheet) Orders() []Line {
	out := make([]Line, 0, len(s.Lines))
	for _, l := range s.Lines {
		if !l.Control() {
			out = append(out, l)
		}
	}
	return out
}

// Heading is the canonical first line.
func (s Sheet) Heading() string {
	h := "GAME " + s.Game
	if s.Turn != "" {
		h += " TURN " + s.Turn
	}
	if s.Phase != "" {
		h += " PHASE " + s.Phase
	}
	return h
}

// Canonical gives the sheet as its canonical lines, heading and END included.
func (s Sheet) Canonical() []string {
	out := make([]string, 0, len(s.Lines)+2)
	out = append(out, s.Heading())
	for _, l := range s.Lines {
		out = append(out, l.canonical()...)
	}
	return append(out, "END")
}

// Canonical gives the line as the lines of a sheet.
func (l Line) Canonical() []string { return l.canonical() }

func (l Line) canonical() []string {
	switch {
	case l.Block:
		out := []string{l.Verb}
		if l.If != "" {
			out[0] = "IF " + l.If + ": " + l.Verb
		}
		if l.Words != "" {
			out = append(out, strings.Split(l.Words, "\n")...)
		}
		return append(out, "END "+l.Verb)
	case l.Words != "":
		return []string{l.Text + " " + l.Words}
	}
	return []string{l.Text}
}

// Format writes a sheet as text that Parse reads as the same sheet.
func Format(s Sheet) string { return strings.Join(s.Canonical(), "\n") + "\n" }

// Equal says that two sheets order the same.
func Equal(a, b Sheet) bool {
	x, y := a.Canonical(), b.Canonical()
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] != y[i] {
			return false
		}
	}
	return true
}

// Parse reads the sheets of a text. Findings are in the order of their lines;
// a finding in a sheet means that nothing of it may be executed.
func Parse(lines []string, g Grammar) ([]Sheet, []Finding) { return ParseRaw(lines, lines, g) }

// ParseRaw is Parse with the lines as the sender wrote them beside, from which
// texts are taken word for word. Both have the same length.
func ParseRaw(lines, raw []string, g Grammar) ([]Sheet, []Finding) {
	p := &parser{lexer: newLexer(g), lines: lines, raw: raw}
	p.canon = make([]string, len(lines))
	heading := false
	proof := records(lines)
	for i, l := range lines {
		if proof != nil && proof[i] {
			continue // "game: 7" there is no heading
		}
		p.canon[i] = p.canonical(l)
		if strings.Trim(p.canon[i], ` \`) == "" { // Markdown's empty line
			p.canon[i] = ""
		}
		if len(p.canon[i]) < 10 && strings.HasPrefix(p.canon[i], "END") && strings.Trim(p.canon[i][3:], ` !,:;.\`) == "" {
			p.canon[i] = "END"
		}
		heading = heading || strings.HasPrefix(p.canon[i], "GAME")
	}
	if !heading {
		return nil, nil
	}
	p.run()
	p.compare()
	sort.SliceStable(p.found, func(i, j int) bool { return p.found[i].Line < p.found[j].Line })
	return p.sheets, p.found
}

// records marks the lines of dice records, from their first line to their last.
// A record that doesn't end reaches to the next blank line.
func records(lines []string) []bool {
	const begin, end = "BEGIN PBEM RECORD", "END PBEM RECORD"
	var in []bool
	ends := -1 // where an end was last looked for and found; len(lines) for none
	for i := 0; i < len(lines); i++ {
		if !armour(lines[i], begin) {
			continue
		}
		if in == nil {
			in = make([]bool, len(lines))
		}
		if ends <= i {
			for ends = i + 1; ends < len(lines) && !armour(lines[ends], end); ends++ {
			}
		}
		blank := ends == len(lines)
		for ; i < len(lines); i++ {
			if blank && strings.TrimSpace(lines[i]) == "" {
				break
			}
			in[i] = true
			if !blank && i == ends {
				break
			}
		}
	}
	return in
}

// armour says that a line is these words between dashes.
func armour(line, words string) bool {
	line = strings.TrimSpace(line)
	return len(line) < 60 && strings.HasPrefix(line, "-") && strings.EqualFold(strings.Trim(line, "- "), words)
}

type parser struct {
	*lexer
	lines, raw, canon []string
	sheets            []Sheet
	found             []Finding
	headings          int
	done              int            // the first line below the last sheet
	openUntil         map[string]int // no END of a text block before that line
}

func (p *parser) report(f ...Finding) { p.found = append(p.found, f...) }

func (p *parser) run() {
	var odd []Finding
	for i := 0; i < len(p.lines); {
		s, ok, almost := p.heading(i)
		if !ok {
			if almost {
				odd = append(odd, finding(i+1, Heading, "text", p.canon[i]))
			}
			i++
			continue
		}
		if p.headings++; p.headings > MaxSheets {
			p.sheets = nil
			p.report(finding(i+1, TooMany, "game", s.Game, "max", MaxLines))
			return
		}
		if no := p.checkAbove(i); no > 0 { // a try must never be carried out
			s.Check = true
			s.Lines = append(s.Lines, Line{No: no, Raw: strings.TrimSpace(p.raw[no-1]), Text: Check, Verb: Check,
				Tokens: []Token{{Word, Check, 0}}, Notes: []Note{{p.canon[no-1] + " (above GAME)", Check}}})
		}
		i = p.sheet(s, i)
	}
	if len(p.sheets) == 0 {
		p.report(odd...)
	}
}

// checkAbove gives the number of a line CHECK that stands directly above the
// heading at i and in no other sheet; 0 if there is none.
func (p *parser) checkAbove(i int) int {
	for i--; i >= p.done; i-- {
		text := strings.TrimRight(p.canon[i], " .:!")
		if text == "" || fence(text) {
			continue
		}
		if c, ok := control(text); ok && c == Check {
			return i + 1
		}
		return 0
	}
	return 0
}

// heading reads a GAME line. almost says that it begins like one.
func (p *parser) heading(i int) (s Sheet, ok, almost bool) {
	text := p.canon[i]
	if !strings.HasPrefix(text, "GAME") {
		return s, false, false
	}
	rest := strings.TrimRight(strings.TrimLeft(text[4:], " :="), ` \`) // the stroke is Markdown's end of a line
	if rest == "" {                                                    // GAME #12: the number was taken for a comment
		if _, c, found := strings.Cut(p.lines[i], "#"); found {
			rest = p.canonical(c)
		}
	}
	for _, no := range []string{"NO. ", "NO.", "NO ", "NR. ", "NR "} {
		if r, cut := strings.CutPrefix(rest, no); cut {
			rest = r
			break
		}
	}
	f := strings.FieldsFunc(rest, func(r rune) bool { return r == ' ' || r == ',' || r == ':' || r == '=' })
	if len(f) == 0 || !gameID(f[0]) {
		return s, false, false
	}
	s = Sheet{Game: f[0], Line: i + 1}
	for j := 1; j < len(f); j += 2 {
		if j+1 >= len(f) {
			return s, false, true
		}
		switch {
		case f[j] == "TURN" && s.Turn == "":
			s.Turn = f[j+1]
		case f[j] == "PHASE" && s.Phase == "":
			s.Phase = f[j+1]
		default:
			return s, false, true
		}
	}
	return s, true, false
}

// gameID is a word of letters and digits that begins with a digit.
func gameID(w string) bool {
	if w[0] < '0' || w[0] > '9' || len(w) > 20 {
		return false
	}
	for i := 0; i < len(w); i++ {
		if !wordByte(w[i]) || w[i] >= 0x80 {
			return false
		}
	}
	return true
}

// sheet reads from the heading at i and gives the line to go on from.
func (p *parser) sheet(s Sheet, i int) int {
	before, above := len(p.found), len(s.Lines) // a CHECK above
	for i++; i < len(p.lines); {
		text := p.canon[i]
		if text == "" || fence(text) {
			i++
			continue
		}
		if text == "END" {
			if len(s.Lines) > MaxLines {
				p.report(finding(s.Line, TooMany, "game", s.Game, "max", MaxLines))
			}
			s.Last = i + 1
			p.sheets = append(p.sheets, s)
			p.done = i + 1
			return i + 1
		}
		if next, ok, _ := p.heading(i); ok {
			if len(s.Lines) == above && next.Heading() == s.Heading() {
				s.Line = next.Line // the same heading twice over
				i++
				continue
			}
			break
		}
		var l Line
		l, i = p.line(&s, i)
		if above > 0 && len(s.Lines) == above && l.Verb == Check {
			continue // said twice
		}
		s.Lines = append(s.Lines, l)
	}
	p.found = p.found[:before]
	p.report(finding(s.Line, Unterminated, "game", s.Game))
	return i
}

// fence is a line of nothing but marks, such as round code.
func fence(text string) bool { return len(text) >= 3 && strings.Trim(text, "`~_*=") == "" }

// line reads one order, with the lines that go on with it.
func (p *parser) line(s *Sheet, i int) (Line, int) {
	no := i + 1
	text := p.canon[i]
	l := Line{No: no, Raw: strings.TrimSpace(p.raw[i]), Text: text}
	if c, ok := control(text); ok {
		l.Verb, l.Text = c, text
		switch c {
		case Check:
			l.Text = Check
			if text != Check {
				l.Notes = []Note{{text, Check}}
			}
			for _, o := range s.Lines {
				if !o.Control() || o.Verb == Phase || o.Verb == EndPhase || o.Verb == EndTurn {
					p.report(finding(no, CheckNotFirst))
					break
				}
			}
			s.Check = true
		case Again:
			s.Again = true
		}
		_, l.Tokens, _, _ = p.tokens(no, l.Text)
		return l, i + 1
	}
	e, known := p.verb(text)
	if known && e.verb.Text {
		return p.text(l, e, i)
	}
	head, body, conditional := condition(text)
	if conditional {
		if e, known = p.verb(body); known && e.verb.Text {
			l.If = head
			return p.text(l, e, i)
		}
	}
	i++
	together := false
	for i < len(p.lines) {
		for i < len(p.lines) && p.canon[i] == "" {
			i++
		}
		if i == len(p.lines) || len(text) > maxJoined {
			break
		}
		joined, ok := p.join(text, p.canon[i], e, known)
		if !ok {
			break
		}
		text = joined
		together = true
		l.Raw += "\n" + strings.TrimSpace(p.raw[i])
		i++
		if !known { // a condition may stand on a line of its own
			if _, body, c := condition(text); c {
				e, known = p.verb(body)
			}
		}
	}
	if together {
		text = p.canonical(text)
	}
	whole := text
	text = strings.TrimRight(text, " ,\\")
	if text == "" {
		p.report(finding(no, Dangling, "text", whole))
		l.Text = whole
		return l, i
	}
	if strings.HasSuffix(text, ".") {
		text = strings.TrimRight(text, " .")
	}
	if known && e.alias {
		from := len(text) - len(verbTail(text, e))
		lead := text[:from]
		was := strings.Join(e.words, " ")
		lead = lead[:len(lead)-len(was)] + e.verb.Name
		l.Notes = append(l.Notes, Note{was, e.verb.Name})
		text = lead + text[from:]
	}
	var notes []Note
	var found []Finding
	l.Text, l.Tokens, notes, found = p.tokens(no, text)
	l.Notes = append(l.Notes, notes...)
	p.report(found...)
	if known {
		l.Verb = e.verb.Name
	}
	p.split(&l)
	return l, i
}

// verbTail is what stands behind the verb of a text, its condition before it.
func verbTail(text string, e entry) string {
	_, body, c := condition(text)
	if !c {
		body = text
	}
	for _, w := range e.words {
		body = strings.TrimLeft(strings.TrimPrefix(strings.TrimLeft(body, " "), w), "")
	}
	return body
}

// split takes IF … off the tokens of a line.
func (p *parser) split(l *Line) {
	if len(l.Tokens) == 0 || l.Tokens[0].Text != "IF" || l.Tokens[0].Kind != Word {
		return
	}
	for k, t := range l.Tokens {
		if t.Kind == Sign && t.Text == ":" || t.Kind == Word && t.Text == "THEN" {
			l.If = strings.TrimSpace(l.Text[2:t.Pos])
			l.Tokens = l.Tokens[k+1:]
			if len(l.Tokens) == 0 || l.If == "" {
				p.report(finding(l.No, Condition, "text", l.Text))
			}
			return
		}
	}
	p.report(finding(l.No, Condition, "text", l.Text))
}

// condition parts IF … : from the order behind it.
func condition(text string) (head, body string, ok bool) {
	if !strings.HasPrefix(text, "IF ") {
		return "", text, false
	}
	c := strings.IndexByte(text, ':')
	t := strings.Index(text, " THEN ")
	switch {
	case c >= 0 && (t < 0 || c < t):
		return strings.TrimSpace(text[3:c]), strings.TrimSpace(text[c+1:]), true
	case t >= 0:
		return strings.TrimSpace(text[3:t]), strings.TrimSpace(text[t+6:]), true
	}
	return "", text, false
}

// control knows the lines that steer a sheet.
func control(text string) (string, bool) {
	switch text {
	case Check, "PREVIEW", "WHATIF":
		return Check, true
	case Continue, Again, EndPhase, EndTurn:
		return text, true
	}
	if f := strings.Fields(text); len(f) == 2 && f[0] == Phase {
		return Phase, true
	}
	return "", false
}

// join says whether next goes on with text, and how. A line goes on after \, a
// trailing comma or dash, and when the next begins with a hex, a sign that
// joins, or a clause word of its verb.
func (p *parser) join(text, next string, e entry, known bool) (string, bool) {
	if next == "END" || fence(next) {
		return "", false
	}
	if _, c := control(next); c {
		return "", false
	}
	lead := leadWord(next)
	if lead == "GAME" && len(next) > 5 && next[5] >= '0' && next[5] <= '9' {
		return "", false
	}
	clause := known && contains(e.verb.Clauses, lead)
	_, verb := p.verb(next)
	if lead == "IF" {
		_, _, verb = condition(next)
	}
	if strings.HasSuffix(text, `\`) {
		if verb && !clause && !strings.HasSuffix(text, ` \`) { // without a blank it is Markdown's end of a line
			return "", false
		}
		return strings.TrimRight(text, ` \`) + " " + next, true
	}
	switch text[len(text)-1] {
	case ',':
		if clause || !verb {
			return text + " " + next, true
		}
		return "", false
	case '-':
		if !verb {
			return text + next, true
		}
		return "", false
	case '+', '/':
		if !verb || clause {
			return text + " " + next, true
		}
		return "", false
	case ':':
		if lead != "" && strings.HasPrefix(text, "IF ") && strings.Count(text, ":") == 1 {
			return text + " " + next, true
		}
	}
	switch next[0] {
	case '-':
		return text + next, true
	case ',', '+', '/':
		return text + " " + next, true
	}
	if !verb && p.beginsHex(next, lead) {
		return text + " " + next, true
	}
	if clause && !verb {
		return text + " " + next, true
	}
	return "", false
}

// beginsHex says that a text begins with a hex, also with one whose spelling
// is yet to be corrected.
func (p *parser) beginsHex(text, lead string) bool {
	if _, ok := p.Hex(lead); ok {
		return true
	}
	if !p.Rows || lead == "" || rows(lead) != len(lead) && lead[0] != '0' {
		return false
	}
	_, toks, _, _ := p.tokens(0, text)
	return len(toks) > 0 && toks[0].Kind == Hex
}

// text reads an order whose words are taken as they stand.
func (p *parser) text(l Line, e entry, i int) (Line, int) {
	name := e.verb.Name
	l.Verb = name
	l.Text = name
	if l.If != "" {
		l.Text = "IF " + l.If + ": " + name
	}
	l.Tokens = []Token{{Word, name, 0}}
	words := afterWords(p.raw[i], e)
	no := i + 1
	i++
	if !e.verb.Block {
		l.Words = words
		p.control(no, words)
		return l, i
	}
	var lines []string
	if words == "" {
		end := "END " + name
		j := i
		if p.openUntil[name] > i {
			j = len(p.lines)
		}
		for ; j < len(p.lines); j++ {
			if p.canon[j] == end {
				for ; i < j; i++ {
					lines = append(lines, strings.TrimRight(p.raw[i], " \t"))
					p.control(i+1, p.raw[i])
				}
				l.Block = true
				l.Words = trimBlank(lines)
				return l, j + 1
			}
			if _, h, _ := p.heading(j); h {
				break
			}
		}
		if j > p.openUntil[name] {
			if p.openUntil == nil {
				p.openUntil = map[string]int{}
			}
			p.openUntil[name] = j
		}
		p.report(finding(no, OpenMessage, "verb", name))
		return l, i
	}
	lines = append(lines, words)
	p.control(no, words)
	for i < len(p.lines) && p.canon[i] != "END" {
		next := p.canon[i]
		if next == "END "+name { // the block form with its first words on the verb's line
			i++
			break
		}
		if _, c := control(next); c {
			break
		}
		if _, v := p.verb(next); v {
			break
		}
		if _, _, c := condition(next); c {
			break
		}
		if _, h, _ := p.heading(i); h {
			break
		}
		p.control(i+1, p.raw[i])
		lines = append(lines, strings.TrimRight(p.raw[i], " \t"))
		i++
	}
	l.Words = trimBlank(lines)
	l.Block = strings.Contains(l.Words, "\n")
	return l, i
}

// control finds control characters in a text that is passed on.
func (p *parser) control(no int, s string) {
	for _, r := range s {
		if r < ' ' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			_, _, _, f := p.tokens(no, string(r))
			p.report(f...)
			return
		}
	}
}

func trimBlank(lines []string) string {
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return strings.Join(lines, "\n")
}

// afterWords gives what stands behind the verb in a line as it was written.
func afterWords(raw string, e entry) string {
	rest := raw
	for k, w := range e.words {
		i := indexFold(rest, w)
		if i < 0 {
			return ""
		}
		if k == 0 && i > 0 {
			// marks before the verb: a bullet, emphasis
			rest = rest[i:]
			i = 0
		}
		rest = rest[i+len(w):]
	}
	rest = strings.TrimLeft(rest, "*_`")
	return strings.TrimSpace(strings.TrimPrefix(strings.TrimLeft(rest, " \t\u00a0"), ":"))
}

// indexFold finds an upper-case ASCII word in a text of any case.
func indexFold(s, word string) int {
	for i := 0; i+len(word) <= len(s); i++ {
		if strings.EqualFold(s[i:i+len(word)], word) {
			return i
		}
	}
	return -1
}

// compare finds sheets that stand twice: equal ones are read once, others for
// the same game contradict each other.
func (p *parser) compare() {
	kept := p.sheets[:0]
	for _, s := range p.sheets {
		twice := false
		for _, k := range kept {
			if k.Game != s.Game {
				continue
			}
			if Equal(k, s) {
				twice = true
			} else {
				p.report(finding(s.Line, Conflict, "game", s.Game, "first", k.Line))
			}
			break
		}
		if !twice {
			kept = append(kept, s)
		}
	}
	p.sheets = kept
}
