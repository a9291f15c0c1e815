package report

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"pbemd/engine"
	"pbemd/pbem"
	"pbemd/templates"
)

// document is a letter laid out as blocks, before it becomes text or HTML.
type document struct {
	lang  *templates.Language
	Lang  string
	Game  string
	Word  string // the state in a word
	Tone  string // good, bad, ask, wait, over: the colour of the banner
	Title string
	Sub   string
	Lead  []string
	// Glance answers at one look: whose turn, what happened, what is asked,
	// until when.
	Glance [][2]string
	Warn   *block // what must not be overlooked

	Blocks []block
	Foot   []string

	battles int
}

// block is one of its fields.
type block struct {
	Slot    slot // where pictures go
	Head    string
	Note    string   // a line below the heading
	Intro   []string // what comes before everything else
	Paras   []string
	Lines   []line  // of a receipt
	Entries []entry // of a log
	Table   *table
	Pre     []string // verbatim
	Wrap    bool     // Pre may be wrapped: it holds no orders
	Options []option
	Facts   [][2]string
	Image   *image
	Sketch  bool   // a drawing in letters: for text, and for HTML without pictures
	Short   string // instead of Pre, where that is long
	Fine    bool   // small print
}

// slot marks where in a document something may be put.
type slot int

const (
	anywhere slot = iota
	battles       // close-ups of battles come behind this block
	question      // that of a question comes behind this
	maps          // the map comes before this block
)

type line struct {
	No    string
	Mark  string
	Tone  string
	Text  string
	Notes []string
	Items []entry
}

type entry struct {
	Text  string
	Rule  string
	Side  string
	Minor bool
	List  []string // below it
	Card  *card
}

type card struct {
	Title    string
	Ground   string
	Armies   []army
	Odds     string
	Rule     string
	Heads    []string    // above the units
	Factors  [][3]string // words, amount, rule
	Die      string
	Faces    string // the dice as pictures, where they have six sides
	Label    string
	Result   []string
	Possible []string
	Decided  []string
	Called   string // above what was decided
}

type army struct {
	Role     string
	Name     string // of the side
	Side     string
	Strength string
	Units    [][]string // unit, hex, factors, steps, supply, after
}

type table struct {
	Columns []string
	Rows    [][]string
	Group   bool // the first cell is written once for all rows that share it
}

type option struct{ Letter, Clause, Text string }

type image struct {
	CID, Alt, Name string
	Wide           int  // at most so many pixels on the screen
	slot           slot // where it was put
}

func (d *document) say(key string, args ...any) string { return d.lang.Say(engine.T(key, args...)) }

func (d *document) says(list []engine.Text) []string {
	out := make([]string, 0, len(list))
	for _, t := range list {
		if s := d.lang.Say(t); s != "" {
			out = append(out, s)
		}
	}
	return out
}

func (d *document) add(b block) { d.Blocks = append(d.Blocks, b) }

// insert puts a block at a slot: before it, or behind it for close-ups.
func (d *document) insert(at slot, b block) {
	i := len(d.Blocks)
	for k, have := range d.Blocks {
		if have.Slot == at {
			i = k
			if at != maps {
				for i = k + 1; i < len(d.Blocks) && d.Blocks[i].Image != nil && d.Blocks[i].Image.slot == at; i++ {
				}
			}
			break
		}
	}
	d.Blocks = append(d.Blocks[:i:i], append([]block{b}, d.Blocks[i:]...)...)
}

var tones = map[pbem.Word]string{
	pbem.WordAccepted: "good", pbem.WordNotAccepted: "bad", pbem.WordChecked: "good", pbem.WordQuestion: "ask",
	pbem.WordYourTurn: "ask", pbem.WordWaiting: "wait", pbem.WordGameOver: "over",
}

func (w *Writer) document(l pbem.Letter, lang *templates.Language) *document {
	d := &document{lang: lang, Lang: lang.Name, Word: lang.Say(engine.T("report.word." + strings.ReplaceAll(strings.ToLower(string(l.Word)), " ", "-"))), Tone: tones[l.Word]}
	if l.Game != 0 {
		d.Game = d.say("report.game", "game", lang.Say(engine.T("rules."+l.Rules)), "id", l.Game.String())
	}
	switch {
	case l.View != nil && l.View.Title.Key != "":
		d.Title = lang.Say(l.View.Title)
	case l.State.Turn > 0 && !l.State.Over:
		d.Title = lang.Say(pbem.TitleOf(l.State))
	case l.State.Over:
		d.Title = d.say("report.over")
	}
	if l.Side != "" {
		d.Sub = d.say("report.for", "name", l.Name, "side", engine.T("side."+string(l.Side)))
		if l.No > 0 {
			d.Sub += " · " + d.say("report.number", "no", l.No)
		}
	}
	d.lead(l)
	d.glance(l)
	d.warn(l)
	d.receipt(l)
	d.question(l)
	if l.Words != "" {
		d.add(block{Head: d.say("report.head.message"), Paras: strings.Split(l.Words, "\n")})
	}
	if len(l.Draft) > 0 {
		d.add(block{Head: d.say("report.head.draft"), Note: d.say("report.note.draft"), Pre: l.Draft, Short: d.long(l.Draft, draftName(l))})
	}
	if len(l.Quoted) > 0 {
		d.add(block{Head: d.say("report.head.quoted"), Note: d.say("report.note.quoted"), Pre: l.Quoted, Short: d.long(l.Quoted, quotedName(l))})
	}
	if len(l.Notices) > 0 {
		d.add(block{Head: d.say("report.head.notices"), Paras: d.says(l.Notices)})
	}
	if l.Kind == pbem.Opening {
		d.opening(l)
	}
	d.log(l)
	if len(l.Standing)+len(l.Ask) > 0 {
		lines := append([]string{}, l.Standing...)
		for _, a := range l.Ask {
			lines = append(lines, "STANDING ASK "+a)
		}
		d.add(block{Head: d.say("report.head.standing"), Pre: lines})
	}
	for _, text := range l.HelpText {
		b := block{Wrap: true}
		if head, rest, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(head, "HELP") { // what was asked
			b.Head, text = head, rest
		}
		b.Pre = strings.Split(strings.Trim(text, "\n"), "\n")
		d.add(b)
	}
	for _, topic := range l.Help {
		d.help(topic)
	}
	d.view(l)
	if q := l.Question; q != nil && l.Game != 0 {
		d.add(block{Head: d.say("report.head.answer"), Note: d.say("report.note.answer"), Pre: []string{
			"GAME " + l.Game.String() + " TURN " + strconv.Itoa(l.State.Turn) + " PHASE " + strings.ToUpper(l.State.Phase),
			"ANSWER Q" + strconv.Itoa(q.No) + " " + pbem.OptionLetter(q.Question.Default), "END",
		}})
	}
	if len(l.Template) > 0 {
		form := append([]string(nil), l.Template...)
		for i, line := range form {
			if strings.HasPrefix(line, "#") {
				form[i] = lang.Form(line)
			}
		}
		d.add(block{Head: d.say("report.head.template"), Note: d.say("report.note.template"), Pre: form})
	}
	if l.Head != "" {
		grade := l.Grade
		if lang.Has("report.grade." + l.Grade) {
			grade = d.say("report.grade." + l.Grade)
		}
		d.Foot = append(d.Foot, d.say("report.head-words", "head", l.Head), d.say("report.dice", "grade", grade))
	}
	if l.Reply != "" && l.Side != "" {
		d.Foot = append(d.Foot, d.say("report.reply"))
	}
	if n := len(l.Records) + len(l.Openers); n > 0 {
		var lines []string
		size := 0
		for _, r := range append(append([]string{}, l.Records...), l.Openers...) {
			size += len(r)
			lines = append(lines, strings.Split(strings.TrimRight(r, "\n"), "\n")...)
		}
		b := block{Head: d.say("report.head.proof"), Note: d.say("report.note.proof"), Pre: lines, Fine: true}
		if size > 6000 {
			b.Short = d.say("report.proof.attached", "n", n, "file", proofName(l))
		}
		d.add(b)
	}
	return d
}

// mostLines is how many octets of orders given back a page shows: more would be
// cut off by mail programs.
const mostLines = 24 << 10

// tooLong reports whether lines are too many for a page; they are attached then.
func tooLong(lines []string) bool {
	size := 0
	for _, l := range lines {
		size += len(l) + 1
	}
	return size > mostLines
}

// long says where lines are that a page doesn't show; "" if it shows them.
func (d *document) long(lines []string, file string) string {
	if !tooLong(lines) {
		return ""
	}
	return d.say("report.lines.attached", "n", len(lines), "file", file)
}

// draftName and quotedName are the files that orders given back are attached as.
func draftName(l pbem.Letter) string  { return "game" + l.Game.String() + "-draft.txt" }
func quotedName(l pbem.Letter) string { return "game" + l.Game.String() + "-quoted.txt" }

// proofName is the file that the records of a letter are attached as.
func proofName(l pbem.Letter) string {
	return "game" + l.Game.String() + "-proof-" + strconv.Itoa(l.No) + ".txt"
}

func (d *document) help(topic string) {
	if text, ok := d.lang.Page(topic); ok {
		d.add(block{Head: "HELP " + strings.ToUpper(topic), Pre: strings.Split(strings.TrimRight(text, "\n"), "\n"), Wrap: true})
		return
	}
	d.add(block{Paras: []string{d.say("report.help.none", "topic", strings.ToUpper(topic))}})
}

var marks = map[engine.Mark][2]string{
	engine.Good: {"✓", "good"}, engine.Depends: {"?", "ask"}, engine.Bad: {"✗", "bad"}, engine.Skipped: {"–", "wait"},
	engine.Halted: {"✗", "bad"}, engine.NotYet: {"…", "wait"}, engine.Stopped: {"?", "ask"}, engine.Untested: {"?", "wait"},
}

func (d *document) receipt(l pbem.Letter) {
	if len(l.Lines)+len(l.Findings)+len(l.ReadAs)+len(l.Normalised) == 0 {
		return
	}
	b := block{Head: d.say("report.head.receipt")}
	unshown := d.unshown(l)
	for _, f := range l.Findings {
		b.Lines = append(b.Lines, line{No: number(f.Line), Mark: "✗", Tone: "bad", Text: d.finding(f)})
	}
	for _, x := range l.Lines {
		v := line{No: number(x.Line), Mark: "✓", Tone: "good", Text: x.Text}
		if x.Verdict == nil && !x.Request && l.Word == pbem.WordNotAccepted { // it never came to that
			v.Mark, v.Tone = "–", "wait"
		}
		if len(x.Findings) > 0 {
			v.Mark, v.Tone = "✗", "bad"
		} else if x.Verdict != nil {
			m := marks[x.Verdict.Mark]
			v.Mark, v.Tone = m[0], m[1]
		}
		for _, f := range x.Findings {
			v.Notes = append(v.Notes, d.finding(f))
		}
		if why, ok := unshown[x.Line]; ok && x.Request {
			v.Mark, v.Tone = "✗", "bad"
			v.Notes = append(v.Notes, why)
		}
		if w := x.Verdict; w != nil {
			switch w.Mark {
			case engine.Depends:
				v.Notes = append(v.Notes, d.say("report.depends", "line", w.On))
			case engine.NotYet:
				v.Notes = append(v.Notes, d.say("report.notyet"))
			case engine.Skipped:
				if w.Refusal == nil {
					v.Notes = append(v.Notes, d.say("report.skipped"))
				}
			}
			if r := w.Refusal; r != nil {
				v.Notes = append(v.Notes, d.refusal(r))
				for _, h := range r.Hints {
					v.Notes = append(v.Notes, d.say("report.hint", "hint", d.lang.Say(h)))
				}
			}
			for _, i := range w.Preview {
				v.Items = append(v.Items, d.entry(i))
			}
		}
		b.Lines = append(b.Lines, v)
	}
	for _, r := range l.ReadAs {
		b.Paras = append(b.Paras, d.say("report.read-as", "line", r.Line, "was", r.Was, "as", r.As))
	}
	if len(l.Normalised) > 0 {
		var words []string
		for _, w := range l.Normalised {
			if key := "tidied." + w; d.lang.Knows(key) {
				w = d.say(key)
			}
			words = append(words, w)
		}
		b.Paras = append(b.Paras, d.say("report.normalised", "words", words))
	}
	d.add(b)
}

// sentence begins with a capital and ends with a full stop, unless it is about
// something that begins small.
func (d *document) sentence(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

func (d *document) question(l pbem.Letter) {
	if l.Question == nil {
		return
	}
	q := l.Question.Question
	b := block{Head: d.say("report.head.question", "no", l.Question.No), Intro: []string{d.lang.Say(q.Text)}}
	for i, o := range q.Options {
		text := d.lang.Say(o.Text)
		if i == q.Default {
			text += " " + d.say("report.question.default")
		}
		b.Options = append(b.Options, option{pbem.OptionLetter(i), o.Clause, text})
	}
	d.add(b)
	until := block{Slot: question, Intro: []string{d.say("report.question.until", "until", pbem.When(l.Question.Deadline, l.Zone),
		"clause", q.Options[q.Default].Clause, "no", l.Question.No)}}
	if q.Card != nil {
		until.Entries = append(until.Entries, entry{Card: d.card(q.Card)})
	}
	d.add(until)
}

func (d *document) entry(i engine.Item) entry {
	e := entry{Text: d.lang.Say(i.Text), Side: string(i.Side), Minor: i.Minor}
	if i.Rule != "" {
		e.Rule = i.Rule.Number()
	}
	if i.Card != nil {
		e.Card = d.card(i.Card)
	}
	return e
}

func (d *document) card(c *engine.Card) *card {
	out := &card{
		Title: d.lang.Say(c.Title), Ground: d.lang.Say(c.Terrain), Odds: d.lang.Say(c.Odds),
		Result: d.says(c.Result), Possible: d.says(c.Possible), Decided: d.says(c.Decided),
		Heads: []string{d.say("report.unit.unit"), d.say("report.unit.hex"), d.say("report.unit.face"), d.say("report.unit.steps"),
			d.say("report.unit.supply"), d.say("report.unit.after")},
	}
	if len(out.Decided) > 0 {
		out.Called = d.say("report.decided")
	}
	for i, a := range []engine.Army{c.Attacker, c.Defender} {
		if a.Side == "" && len(a.Units) == 0 {
			continue
		}
		v := army{Role: d.say([]string{"report.attacker", "report.defender"}[i]), Name: d.say("side." + string(a.Side)), Side: string(a.Side), Strength: d.lang.Say(a.Strength)}
		for _, u := range a.Units {
			steps := strconv.Itoa(u.Steps)
			if u.Steps == 0 {
				steps = ""
			}
			if u.Lost > 0 {
				steps += " −" + strconv.Itoa(u.Lost)
			}
			v.Units = append(v.Units, []string{string(u.Unit), u.Hex, u.Face, steps, d.lang.Say(u.Supply), u.After})
		}
		out.Armies = append(out.Armies, v)
	}
	for _, f := range c.Factors {
		out.Factors = append(out.Factors, [3]string{d.lang.Say(f.Text), strings.Replace(f.Amount, "-", "−", 1), f.Rule.Number()})
	}
	if c.Roll != nil {
		vals := make([]string, len(c.Roll.Values))
		for i, v := range c.Roll.Values {
			vals[i] = strconv.Itoa(v)
		}
		out.Die, out.Label = strings.Join(vals, " "), c.Roll.Label
		out.Faces = faces(c.Roll)
	}
	return out
}

// faces are six-sided dice as they lie.
func faces(r *engine.Rolled) string {
	var b strings.Builder
	for _, v := range r.Values {
		if r.Sides != 6 || v < 1 || v > 6 {
			return ""
		}
		b.WriteRune('⚀' + rune(v-1))
	}
	return b.String()
}

// width in columns.
func width(s string) int { return len([]rune(s)) }

func pad(s string, n int) string {
	if w := width(s); w < n {
		return s + strings.Repeat(" ", n-w)
	}
	return s
}

// wrap breaks a text into lines of at most n columns.
func wrap(s string, n int, first, rest string) []string {
	var out []string
	cur, prefix := "", first
	for _, w := range strings.Fields(s) {
		switch {
		case cur == "":
			cur = w
		case width(prefix)+width(cur)+1+width(w) > n:
			out = append(out, prefix+cur)
			cur, prefix = w, rest
		default:
			cur += " " + w
		}
	}
	if cur != "" || len(out) == 0 {
		out = append(out, prefix+cur)
	}
	return out
}
