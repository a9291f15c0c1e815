package enginetest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"pbemd/engine"
	"pbemd/engine/blitz41"
	"pbemd/engine/force"
	"pbemd/engine/hex"
	"pbemd/orders"
	lang "pbemd/orders/blitz41"
)

// A case is a txtar file. Its comment says in a sentence what it is about, and
// has a line "Rules: B41-14.7.C, B41-14.7.B" with the paragraphs it covers. Its
// files are
//
//	position            the text notation; "base start" or nobody at all
//	standing axis       standing orders in force, of either side
//	ask axis            decisions that side wants mailed: D04 D06
//	orders axis         a sheet without GAME and END; there may be several,
//	                    which are executed in their order
//	check axis          a sheet that is only rehearsed
//	unread axis         a sheet that can't be read
//	answers             one line a question, in order: the option's clause, or
//	                    its letter
//	dice                values in the order of the rolls, or "label: values"
//	want                what must be, a line each
//
// A want is checked where it stands: sheets after it play on. A second
// position begins another game, a variant with answers and dice of its own.
//
// Lines of want:
//
//	clean                            no line was refused or overtaken
//	refused 2 B41-12.12 b41.key      line 2 of the last sheet: rule, or key, or both;
//	                                 1.2 is line 2 of the first sheet
//	skipped 3 · halted 3 · depends 3 · draft 3   other marks of a line
//	unread 2 b41.read.side           the finding on line 2 of the last unread sheet
//	56PZ at H17 steps 3              also: box, held, dead, gone, waiting, later
//	control K9 K10 axis
//	vp 31 · loss 4 · turn 5 soviet move · over axis moscow 88
//	roll pa K9 5 · no roll           kind, place, values
//	battle K9 odds 3-1 die 5 result 0/3 WON, and strength 26 8, lost 0 2,
//	  cell 0/3, air 1 0, awarded 2   any of these, of the last battle there
//	factor K9 B41-9.16.B −1          a modifier of the last battle there
//	no factor K9 B41-9.16.B
//	event UnitMoved 56PZ retreat     an event of a kind with these words in it
//	no event StepsSet · events StepsSet 2
//	question D04 soviet HOLD 1|STAND default STAND
//	supply 8A loss 2 line 2 from E16 full, and limited, none, oos, air, sea, other,
//	  not-full …: any of these, traced now; supply 8A at H9 … as if it stood there
//	way 56PZ H13 · no way 56PZ H13   a hex on its line
//	source soviet K9 · no source soviet K9
//	mp 56PZ 7                        left, or as many as it would begin with
//	face 24A 3-4-4                   the counter in play
//	marks 24A oos · marks 24A none   its states
//	pool SOVIET 28 · aircorps 2 · transits 3
//	fort K9 intact                   or wrecked, asleep, void, none
//	state idle K9                    a line of the notation of the position
//	holds K9 EMPTY AND MP >= 2       a condition, for the side to act
//	sees axis H18 11A+more           what that side's view shows of a hex: the
//	                                 units, and "more" if there may be others
//	hides soviet box · shows axis K9 a word no cell of that side's view holds, or does
//	foreseen 1 attack 10 defence 4   what a rehearsal says of the battle in line 1;
//	foreseen 1 attack 10 defence 4 to 16 best 2-1 worst 1-2   if it can't see all
//
// With -update lines that fail are written as they came out, and an empty want
// is filled.

// Case is a case read from a file.
type Case struct {
	Intent  string
	Rules   []string
	archive *txtar.Archive
	counts  []int // lines of each want when the case was run
}

var ruleLine = regexp.MustCompile(`(?m)^Rules?: (.*)$`)

// ParseCase reads a case.
func ParseCase(data []byte) (*Case, error) {
	c := &Case{archive: txtar.Parse(data)}
	comment := string(c.archive.Comment)
	m := ruleLine.FindStringSubmatch(comment)
	if m == nil {
		return nil, fmt.Errorf("there is no line Rules: with the paragraphs covered")
	}
	for _, r := range strings.Split(m[1], ",") {
		c.Rules = append(c.Rules, strings.TrimSuffix(strings.TrimSpace(r), "."))
	}
	c.Intent = strings.TrimSpace(ruleLine.ReplaceAllString(comment, ""))
	if c.Intent == "" {
		return nil, fmt.Errorf("no sentence says what the case is about")
	}
	return c, nil
}

// outcome is what a case came to.
type outcome struct {
	g         *blitz41.Rules
	l         *lang.Language
	start     *blitz41.Position
	p         *blitz41.Position
	events    []engine.Event
	sheets    [][]engine.Verdict
	questions []engine.Question
	unread    []orders.Finding // on the last sheet that could not be read
	dice      *Forced
}

// Run runs a case and gives the want lines as they came out. An error means
// that the case itself can't be read.
func (c *Case) Run(d *blitz41.Data) (want, got []string, err error) {
	c.counts = nil
	var part []txtar.File
	run := func() error {
		if len(part) == 0 {
			return nil
		}
		w, g, err := c.play(d, part)
		want, got, part = append(want, w...), append(got, g...), nil
		return err
	}
	for _, f := range c.archive.Files {
		if f.Name == "position" {
			if err := run(); err != nil {
				return nil, nil, err
			}
		}
		part = append(part, f)
	}
	if err := run(); err != nil {
		return nil, nil, err
	}
	return want, got, nil
}

// play plays one game of a case.
func (c *Case) play(d *blitz41.Data, files []txtar.File) (want, got []string, err error) {
	o := &outcome{l: lang.New(d), dice: &Forced{ByLabel: map[string][]int{}}}
	o.g = blitz41.New(d, blitz41.Options{})
	env := engine.Env{Dice: o.dice, Standing: map[engine.Side][]engine.Order{}}
	asks := map[string]bool{}
	var replies []string
	var steps []txtar.File
	wanted := false
	for _, f := range files {
		text := string(f.Data)
		words := strings.Fields(f.Name)
		side := engine.Side("")
		if len(words) == 2 {
			side = engine.Side(words[1])
		}
		switch words[0] {
		case "position":
			p, err := o.g.ParseState(text)
			if err != nil {
				return nil, nil, fmt.Errorf("position: %w", err)
			}
			o.p = p.(*blitz41.Position)
		case "standing":
			lines, err := o.sheet(text, side)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", f.Name, err)
			}
			env.Standing[side] = append(env.Standing[side], lines...)
		case "ask":
			for _, w := range strings.Fields(text) {
				asks[words[1]+" "+w] = true
			}
		case "answers":
			replies = append(replies, lines(text)...)
		case "dice":
			if err := o.setDice(text); err != nil {
				return nil, nil, err
			}
		case "want":
			steps, wanted = append(steps, f), true
		case "orders", "check", "unread":
			steps = append(steps, f)
		default:
			return nil, nil, fmt.Errorf("a case has no file %q", f.Name)
		}
	}
	if o.p == nil {
		return nil, nil, fmt.Errorf("there is no position")
	}
	o.start = o.p
	env.Asks = func(s engine.Side, decision string) bool { return asks[string(s)+" "+decision] }
	if !wanted {
		steps = append(steps, txtar.File{Name: "want"})
	}
	for _, f := range steps {
		words := strings.Fields(f.Name)
		if words[0] == "want" {
			w, g, err := o.compare(lines(string(f.Data)))
			if err != nil {
				return nil, nil, err
			}
			want, got = append(want, w...), append(got, g...)
			c.counts = append(c.counts, len(g))
			continue
		}
		lines, err := o.sheet(string(f.Data), engine.Side(words[1]))
		if words[0] == "unread" {
			if err == nil {
				return nil, nil, fmt.Errorf("%s: it can be read", f.Name)
			}
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		if words[0] == "check" {
			r := engine.Rehearse(o.g, o.p, len(o.events), lines, env, true)
			o.sheets = append(o.sheets, r.Verdicts)
			continue
		}
		if replies, err = o.execute(lines, env, replies); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	if len(replies) > 0 {
		return nil, nil, fmt.Errorf("%d answers were never asked for", len(replies))
	}
	if n := len(o.dice.InOrder); n > 0 {
		return nil, nil, fmt.Errorf("%d dice were never rolled", n)
	}
	if len(o.dice.Missing) > 0 {
		return nil, nil, fmt.Errorf("no dice for %s", strings.Join(o.dice.Missing, ", "))
	}
	return want, got, nil
}

// compare gives the lines of a want as they came out; an empty one is filled.
func (o *outcome) compare(want []string) ([]string, []string, error) {
	if len(want) == 0 {
		return nil, o.summary(), nil
	}
	var got []string
	for _, w := range want {
		g, err := o.eval(w)
		if err != nil {
			return nil, nil, fmt.Errorf("want %q: %w", w, err)
		}
		got = append(got, g)
	}
	return want, got, nil
}

// Updated is the case, which has been run, with other want lines.
func (c *Case) Updated(want []string) []byte {
	a := *c.archive
	a.Files = append([]txtar.File(nil), a.Files...)
	next := func() []byte {
		n := c.counts[0]
		data := []byte(strings.Join(want[:n], "\n") + "\n")
		want, c.counts = want[n:], c.counts[1:]
		return data
	}
	for i := range a.Files {
		if a.Files[i].Name == "want" {
			a.Files[i].Data = next()
		}
	}
	if len(c.counts) == 1 {
		a.Files = append(a.Files, txtar.File{Name: "want", Data: next()})
	}
	return txtar.Format(&a)
}

// lines are the lines of a text that say something.
func lines(text string) []string {
	var out []string
	for _, l := range strings.Split(text, "\n") {
		if i := strings.IndexByte(l, '#'); i >= 0 {
			l = l[:i]
		}
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	return out
}

// sheet reads orders; lines count from 1.
func (o *outcome) sheet(text string, side engine.Side) ([]engine.Order, error) {
	if sideNumber(side) == 0 {
		return nil, fmt.Errorf("side %q", side)
	}
	sheets, found := orders.Parse(strings.Split("GAME 1\n"+strings.TrimRight(text, "\n")+"\nEND", "\n"), o.l.Grammar())
	if len(found) == 0 && len(sheets) == 1 {
		var lines []engine.Order
		lines, _, found = o.l.Bind(sheets[0], side)
		if len(found) == 0 {
			for i := range lines {
				lines[i].Line--
			}
			return lines, nil
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("that is %d sheets", len(sheets))
	}
	f := found[0]
	o.unread = found
	return nil, fmt.Errorf("line %d can't be read: %s %v", f.Line-1, f.Key, f.Args)
}

func (o *outcome) setDice(text string) error {
	for _, l := range lines(text) {
		label, values, ok := strings.Cut(l, ":")
		if !ok {
			label, values = "", l
		}
		var list []int
		for _, w := range strings.Fields(values) {
			n, err := strconv.Atoi(w)
			if err != nil {
				return fmt.Errorf("dice: %q", w)
			}
			list = append(list, n)
		}
		if ok {
			o.dice.ByLabel[label] = list
		} else {
			o.dice.InOrder = append(o.dice.InOrder, list...)
		}
	}
	return nil
}

// execute runs a sheet: rehearsed first, as the post office does, then for
// good, with the answers as they are asked for.
func (o *outcome) execute(sheet []engine.Order, env engine.Env, replies []string) ([]string, error) {
	r := engine.Rehearse(o.g, o.p, len(o.events), sheet, env, false)
	if !r.Clean {
		o.sheets = append(o.sheets, r.Verdicts)
		return replies, nil
	}
	// dice set in order must come out the same when an order is run again
	order := append([]int(nil), o.dice.InOrder...)
	var answers []engine.Answer
	for {
		o.dice.InOrder, o.dice.Missing = append([]int(nil), order...), nil
		x := engine.Execute(o.g, o.p, len(o.events), sheet, 0, env, answers)
		if x.Question == nil {
			o.p = x.Position.(*blitz41.Position)
			o.events = append(o.events, x.Events...)
			o.sheets = append(o.sheets, x.Verdicts)
			return replies, nil
		}
		q := *x.Question
		o.questions = append(o.questions, q)
		if len(replies) == 0 {
			return nil, fmt.Errorf("no answer to %s of %s: %s", q.Decision, q.Side, options(q))
		}
		a := engine.Answer{Order: x.Next, Decision: q.Decision, Side: q.Side, Option: -1, By: "answer", Text: replies[0]}
		for i, opt := range q.Options {
			if opt.Clause == replies[0] || replies[0] == string(rune('A'+i)) {
				a.Option = i
			}
		}
		if a.Option < 0 {
			return nil, fmt.Errorf("%q is no option of %s: %s", replies[0], q.Decision, options(q))
		}
		replies = replies[1:]
		answers = append(answers, a)
	}
}

func options(q engine.Question) string {
	var s []string
	for _, o := range q.Options {
		s = append(s, o.Clause)
	}
	return strings.Join(s, "|")
}

// eval gives a want line as it came out.
func (o *outcome) eval(line string) (string, error) {
	w := strings.Fields(line)
	d := o.g.Data()
	if u := d.Unit(engine.UnitID(w[0])); u >= 0 {
		return o.unitLine(u, len(w) > 3 && w[len(w)-2] == "steps"), nil
	}
	switch w[0] {
	case "clean":
		if bad := o.bad(); len(bad) > 0 {
			return bad[0], nil
		}
		return "clean", nil
	case "refused", "skipped", "halted", "depends", "draft", "ok":
		if len(w) < 2 {
			return "", fmt.Errorf("which line?")
		}
		sheet, line, two := strings.Cut(w[1], ".")
		if !two {
			sheet, line = strconv.Itoa(len(o.sheets)), w[1]
		}
		k, err := strconv.Atoi(sheet)
		n, err2 := strconv.Atoi(line)
		if err != nil || err2 != nil || k < 1 || k > len(o.sheets) {
			return "", fmt.Errorf("line %q", w[1])
		}
		what := 0
		for _, x := range w[2:] {
			if strings.HasPrefix(x, "B41-") {
				what |= 1
			} else {
				what |= 2
			}
		}
		for _, v := range o.sheets[k-1] {
			if v.Order.Line == n {
				return verdictLine(v, w[1], what), nil
			}
		}
		return "", fmt.Errorf("the sheet has no line %d", n)
	case "unread":
		if len(w) != 3 {
			return "", fmt.Errorf("unread, line, key")
		}
		s := "read " + w[1]
		for _, f := range o.unread {
			if strconv.Itoa(f.Line-1) == w[1] {
				s = "unread " + w[1] + " " + f.Key
				if f.Key == w[2] {
					break
				}
			}
		}
		return s, nil
	case "control":
		var by []string
		for _, s := range w[1 : len(w)-1] {
			c, err := hex.Parse(s)
			if err != nil || !d.Board.Has(c) {
				return "", fmt.Errorf("hex %s", s)
			}
			owner := []string{"nobody", "axis", "soviet"}[o.p.Owner(d.Board.Index(c))]
			if len(by) == 0 || by[len(by)-1] != owner {
				by = append(by, owner)
			}
		}
		return strings.Join(w[:len(w)-1], " ") + " " + strings.Join(by, "+"), nil
	case "vp":
		return fmt.Sprintf("vp %d", o.p.VP()), nil
	case "loss":
		return o.stateLine("loss", "loss 0"), nil
	case "turn":
		s := o.p.State()
		return fmt.Sprintf("turn %d %s %s", s.Turn, s.Side, s.Phase), nil
	case "over":
		for _, e := range o.events {
			if f, ok := e.Fact.(blitz41.GameEnded); ok {
				who := string(f.Winner)
				if who == "" {
					who = "draw"
				}
				return fmt.Sprintf("over %s %s %d", who, f.Why, f.Points), nil
			}
		}
		return "not over", nil
	case "not":
		if o.p.State().Over {
			return "over", nil
		}
		return "not over", nil
	case "roll":
		return o.rollLine(w), nil
	case "battle":
		return o.battleLine(w)
	case "factor":
		return o.factorLine(w)
	case "event":
		if len(w) < 2 {
			return "", fmt.Errorf("which event?")
		}
		return yes(o.count(w[1:]) > 0, line, "no "+line), nil
	case "no":
		if len(w) == 4 && w[1] == "factor" {
			line, err := o.factorLine(append(w[1:], ""))
			if fields := strings.Fields(line); err == nil && fields[0] == "factor" {
				return line, nil
			}
			return "no factor " + w[2] + " " + w[3], err
		}
		if len(w) > 1 && w[1] == "roll" {
			return yes(len(o.dice.Rolled) == 0, line, "roll "+strings.Join(o.dice.Rolled, " ")), nil
		}
		switch {
		case len(w) > 1 && w[1] == "way":
			return o.unitState(w[1:])
		case len(w) > 1 && w[1] == "source":
			return o.hexState(w[1:])
		case len(w) < 3 || w[1] != "event":
			return "", fmt.Errorf("no roll, no way, no source, or no event and its kind")
		}
		return yes(o.count(w[2:]) == 0, line, strings.TrimPrefix(line, "no ")), nil
	case "events":
		if len(w) < 3 {
			return "", fmt.Errorf("events, kind and words, number")
		}
		return strings.Join(w[:len(w)-1], " ") + " " + strconv.Itoa(o.count(w[1:len(w)-1])), nil
	case "question":
		for _, q := range o.questions {
			if len(w) > 1 && q.Decision == w[1] {
				return questionLine(q), nil
			}
		}
		return "no question " + strings.Join(w[1:2], ""), nil
	case "supply", "way", "mp", "face", "marks":
		return o.unitState(w)
	case "source", "fort":
		return o.hexState(w)
	case "pool":
		if len(w) != 3 {
			return "", fmt.Errorf("pool, name, steps")
		}
		n, ok := o.p.Pool(w[1])
		if !ok {
			return "", fmt.Errorf("there is no pool %q", w[1])
		}
		return fmt.Sprintf("pool %s %d", w[1], n), nil
	case "aircorps":
		return fmt.Sprintf("aircorps %d", o.p.AirCapacity()), nil
	case "transits":
		return fmt.Sprintf("transits %d", o.p.Transits()), nil
	case "state":
		rest := strings.TrimPrefix(line, "state ")
		for _, l := range strings.Split(o.g.FormatState(o.p), "\n") {
			if l == rest {
				return line, nil
			}
		}
		return "no " + line, nil
	case "sees":
		if len(w) != 4 || sideNumber(engine.Side(w[1])) == 0 {
			return "", fmt.Errorf("sees, side, hex, units")
		}
		return "sees " + w[1] + " " + w[2] + " " + o.seen(engine.Side(w[1]), w[2]), nil
	case "foreseen":
		if len(w) < 2 {
			return "", fmt.Errorf("which line?")
		}
		return "foreseen " + w[1] + o.foreseen(w[1]), nil
	case "shows", "hides":
		if len(w) != 3 || sideNumber(engine.Side(w[1])) == 0 {
			return "", fmt.Errorf("shows, side, word")
		}
		return yes(o.shown(engine.Side(w[1]), w[2]), "shows ", "hides ") + w[1] + " " + w[2], nil
	case "holds", "fails":
		text := strings.TrimSpace(line[len(w[0]):])
		side := o.p.State().Side
		order, found := o.l.Parse("IF "+text+": STOP", side)
		if len(found) > 0 {
			return "", fmt.Errorf("%s %v", found[0].Key, found[0].Args)
		}
		return yes(o.g.Holds(o.p, side, order.If), "holds ", "fails ") + text, nil
	}
	return "", fmt.Errorf("want has no line of that kind")
}

// seen is what the picture of a side shows in a hex.
func (o *outcome) seen(s engine.Side, at string) string {
	var out []string
	for _, st := range o.g.View(o.p, s).Scene.Stacks {
		if st.At.String() != at {
			continue
		}
		for _, c := range st.Counters {
			out = append(out, c.ID)
		}
		if st.More {
			out = append(out, "more")
		}
	}
	if len(out) == 0 {
		return "nobody"
	}
	return strings.Join(out, "+")
}

// foreseen is what the last rehearsal says of the battle in a line.
func (o *outcome) foreseen(line string) string {
	for _, v := range o.sheets[len(o.sheets)-1] {
		if strconv.Itoa(v.Order.Line) != line {
			continue
		}
		for _, i := range v.Preview {
			if i.Card == nil {
				continue
			}
			a := i.Card.Odds.Args
			if a["odds"] != nil {
				return fmt.Sprintf(" attack %v defence %v odds %v", a["attack"], a["defence"], a["odds"])
			}
			return fmt.Sprintf(" attack %v defence %v to %v best %v worst %v", a["attack"], a["least"], a["most"], a["best"], a["worst"])
		}
	}
	return " nothing"
}

var cellWord = regexp.MustCompile(`[\pL\pN-]+`)

// shown reports whether a word stands in a cell of the tables of a side's view.
func (o *outcome) shown(s engine.Side, word string) bool {
	for _, sec := range o.g.View(o.p, s).Sections {
		for _, row := range sec.Rows {
			for _, cell := range row {
				if slices.Contains(cellWord.FindAllString(cell.String(), -1), word) {
					return true
				}
			}
		}
	}
	return false
}

func yes(is bool, a, b string) string {
	if is {
		return a
	}
	return b
}

// verdictLine says what became of a line; what is 1 for the rule, 2 for the
// key, 3 for both.
func verdictLine(v engine.Verdict, line string, what int) string {
	s := fmt.Sprintf("%s %s", v.Mark, line)
	if v.Refusal == nil {
		return s
	}
	if what&1 != 0 {
		s += " " + string(v.Refusal.Rule)
	}
	if what&2 != 0 {
		s += " " + v.Refusal.Text.Key
	}
	return s
}

// bad lists the lines that were refused or overtaken, of all sheets.
func (o *outcome) bad() []string {
	var out []string
	for k, sheet := range o.sheets {
		for _, v := range sheet {
			if v.Refusal == nil {
				continue
			}
			line := strconv.Itoa(v.Order.Line)
			if k+1 < len(o.sheets) {
				line = strconv.Itoa(k+1) + "." + line
			}
			out = append(out, verdictLine(v, line, 3))
		}
	}
	return out
}

func questionLine(q engine.Question) string {
	return fmt.Sprintf("question %s %s %s default %s", q.Decision, q.Side, options(q), q.Options[q.Default].Clause)
}

// unitLine says where a unit is.
func (o *outcome) unitLine(u int, steps bool) string {
	d := o.g.Data()
	id := string(d.Units[u].ID)
	s := id + " at "
	if h := o.p.At(u); h != force.Off {
		s += d.Board.At(h).String()
	} else {
		where := "later"
		for _, l := range strings.Split(o.g.FormatState(o.p), "\n") {
			if f := strings.Fields(l); len(f) > 1 && f[1] == id && f[0] == strings.ToLower(f[0]) {
				where = f[0]
				break
			}
		}
		s += where
	}
	if steps {
		s += " steps " + strconv.Itoa(o.p.Steps(u))
	}
	return s
}

// unitState says what becomes of a unit where it stands.
func (o *outcome) unitState(w []string) (string, error) {
	d := o.g.Data()
	if len(w) < 3 {
		return "", fmt.Errorf("%s, unit, and what", w[0])
	}
	u := d.Unit(engine.UnitID(w[1]))
	if u < 0 {
		return "", fmt.Errorf("there is no unit %q", w[1])
	}
	s, h, rest := w[0]+" "+w[1], o.p.At(u), w[2:]
	if rest[0] == "at" && len(rest) > 2 {
		c, err := hex.Parse(rest[1])
		if err != nil || !d.Board.Has(c) {
			return "", fmt.Errorf("hex %s", rest[1])
		}
		h, s, rest = d.Board.Index(c), s+" at "+rest[1], rest[2:]
	}
	switch w[0] {
	case "mp":
		return fmt.Sprintf("%s %d", s, o.p.Points(u)), nil
	case "face":
		return s + " " + o.p.Face(u), nil
	case "marks":
		m := strings.TrimSpace(o.p.Marks(u))
		if m == "" {
			m = "none"
		}
		return s + " " + m, nil
	case "way":
		if h == force.Off {
			return "no " + s + " off the map", nil
		}
		for _, i := range o.p.SupplyLine(u, h) {
			if d.Board.At(i).String() == rest[0] {
				return s + " " + rest[0], nil
			}
		}
		return "no " + s + " " + rest[0], nil
	}
	t := o.p.Supply(u)
	if h != o.p.At(u) {
		t = o.p.SupplyAt(u, h)
	}
	for i := 0; i < len(rest); i++ {
		word := strings.TrimPrefix(rest[i], "not-")
		if f, ok := map[string]bool{"full": t.Full, "none": t.None, "oos": t.OOS, "air": t.Air, "sea": t.Sea, "other": t.Other}[word]; ok {
			s += yes(f, " "+word, " not-"+word)
			continue
		}
		switch rest[i] {
		case "limited":
			s += yes(!t.Full && !t.None, " limited", " full-or-none")
		case "loss":
			s += " loss " + strconv.Itoa(t.Loss)
			i++
		case "line":
			s += " line " + strconv.Itoa(t.Line)
			i++
		case "from":
			from := "nowhere"
			if t.From >= 0 {
				from = d.Board.At(t.From).String()
			}
			s += " from " + from
			i++
		default:
			return "", fmt.Errorf("supply has no %q", rest[i])
		}
	}
	return s, nil
}

// hexState says what a hex is worth.
func (o *outcome) hexState(w []string) (string, error) {
	d := o.g.Data()
	if len(w) != 3 {
		return "", fmt.Errorf("%s says three words", w[0])
	}
	name := w[1]
	if w[0] == "source" {
		name = w[2]
	}
	c, err := hex.Parse(name)
	if err != nil || !d.Board.Has(c) {
		return "", fmt.Errorf("hex %s", name)
	}
	if w[0] == "fort" {
		return "fort " + name + " " + o.p.Fort(d.Board.Index(c)), nil
	}
	side := sideNumber(engine.Side(w[1]))
	if side == 0 {
		return "", fmt.Errorf("side %q", w[1])
	}
	return yes(o.p.Source(side, d.Board.Index(c)), "", "no ") + "source " + w[1] + " " + name, nil
}

func (o *outcome) stateLine(first, none string) string {
	for _, l := range strings.Split(o.g.FormatState(o.p), "\n") {
		if strings.HasPrefix(l, first+" ") {
			return l
		}
	}
	return none
}

// rollLine writes the roll of a kind at a place.
func (o *outcome) rollLine(w []string) string {
	if len(w) < 3 {
		return "roll, kind, place, values"
	}
	last := "no roll of " + w[1] + " at " + w[2]
	for _, e := range o.events {
		r, ok := e.Fact.(engine.Rolled)
		if f := strings.Split(r.Label, "/"); ok && len(f) == 5 && f[2] == w[1] && f[3] == w[2] {
			last = "roll " + w[1] + " " + w[2]
			for _, v := range r.Values {
				last += " " + strconv.Itoa(v)
			}
		}
	}
	return last
}

func (o *outcome) battle(at string) *blitz41.BattleEnded {
	var last *blitz41.BattleEnded
	for _, e := range o.events {
		if b, ok := e.Fact.(blitz41.BattleEnded); ok {
			for _, c := range b.At {
				if c.String() == at {
					last = &b
				}
			}
		}
	}
	return last
}

// battleLine writes those features of a battle that the line names.
func (o *outcome) battleLine(w []string) (string, error) {
	if len(w) < 2 {
		return "", fmt.Errorf("battle and hex")
	}
	b := o.battle(w[1])
	if b == nil {
		return "no battle " + w[1], nil
	}
	s := "battle " + w[1]
	for i := 2; i < len(w); i++ {
		switch w[i] {
		case "odds":
			s += " odds " + oneWord(b.Odds)
			i++
		case "die":
			s += " die " + strconv.Itoa(b.Die)
			i++
		case "cell":
			s += " cell " + b.Cell
			i++
		case "result":
			s += " result " + b.Result
			i++
		case "awarded":
			s += " awarded " + strconv.Itoa(b.Awarded)
			i++
		case "strength":
			s += fmt.Sprintf(" strength %d %d", b.Attack, b.Defence)
			i += 2
		case "lost":
			s += fmt.Sprintf(" lost %d %d", b.Lost[0], b.Lost[1])
			i += 2
		case "air":
			s += fmt.Sprintf(" air %d %d", b.Air[0], b.Air[1])
			i += 2
		case "DX", "undestroyed":
			s += yes(b.DX, " DX", " undestroyed")
		case "below":
			s += yes(b.Below, " below", " notbelow")
		case "cleared", "uncleared":
			s += yes(b.Cleared, " cleared", " uncleared")
		case "WON", "HELD", "REPULSED":
			s += " " + b.Word
		default:
			return "", fmt.Errorf("battles have no %q", w[i])
		}
	}
	return s, nil
}

// oneWord makes "below 1-3" a single word.
func oneWord(s string) string {
	first, _, _ := strings.Cut(s, " ")
	return first
}

// factorLine writes the modifier of a rule.
func (o *outcome) factorLine(w []string) (string, error) {
	if len(w) < 3 {
		return "", fmt.Errorf("factor, hex, rule, amount")
	}
	b := o.battle(w[1])
	if b == nil {
		return "no battle " + w[1], nil
	}
	for _, f := range b.Factors {
		if string(f.Rule) == w[2] {
			return "factor " + w[1] + " " + w[2] + " " + f.Amount, nil
		}
	}
	return "no factor " + w[1] + " " + w[2], nil
}

// count counts the events of a kind in whose data all of the words stand.
func (o *outcome) count(w []string) int {
	n := 0
	for _, e := range o.events {
		if e.Fact.Kind() != w[0] {
			continue
		}
		data, _ := json.Marshal(e.Fact)
		text := " " + strings.NewReplacer(`"`, " ", ":", " ", ",", " ", "{", " ", "}", " ", "[", " ", "]", " ").Replace(string(data)) + string(" "+e.Rule+" ")
		all := true
		for _, x := range w[1:] {
			all = all && strings.Contains(text, " "+x+" ")
		}
		if all {
			n++
		}
	}
	return n
}

// summary is what an empty want is filled with.
func (o *outcome) summary() []string {
	var out []string
	if out = o.bad(); len(out) == 0 {
		out = append(out, "clean")
	}
	for _, q := range o.questions {
		out = append(out, questionLine(q))
	}
	for _, e := range o.events {
		if b, ok := e.Fact.(blitz41.BattleEnded); ok && b.Type != "probe" {
			s := fmt.Sprintf("battle %v strength %d %d", b.At[0], b.Attack, b.Defence)
			if b.Odds != "" {
				s += " odds " + oneWord(b.Odds)
			}
			if b.Die > 0 {
				s += fmt.Sprintf(" die %d cell %s result %s", b.Die, b.Cell, b.Result)
			}
			out = append(out, s+fmt.Sprintf(" lost %d %d %s", b.Lost[0], b.Lost[1], b.Word))
		}
	}
	d := o.g.Data()
	for u := range d.Units {
		if o.p.At(u) != o.start.At(u) || o.p.Steps(u) != o.start.Steps(u) {
			out = append(out, o.unitLine(u, true))
		}
	}
	for _, side := range []string{"axis", "soviet"} {
		var taken []string
		for h := 0; h < d.Board.Len(); h++ {
			if o.p.Owner(h) != o.start.Owner(h) && o.p.Owner(h) == sideNumber(engine.Side(side)) {
				taken = append(taken, d.Board.At(h).String())
			}
		}
		if len(taken) > 0 {
			out = append(out, "control "+strings.Join(taken, " ")+" "+side)
		}
	}
	if o.p.VP() != o.start.VP() {
		out = append(out, fmt.Sprintf("vp %d", o.p.VP()))
	}
	if o.p.State().Over {
		over, _ := o.eval("over")
		out = append(out, over)
	}
	return out
}
