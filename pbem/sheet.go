package pbem

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"pbemd/engine"
	"pbemd/engine/dice"
	"pbemd/orders"
	"pbemd/orders/admin"
	"pbemd/pbem/auth"
	"pbemd/pbem/judge"
	"pbemd/pbem/message"
	"pbemd/templates"
)

// reading is one sheet on its way through the office.
type reading struct {
	w        *work
	t        *table
	seat     *Seat
	proven   auth.Proven
	sheet    orders.Sheet
	to       *draft
	orders   []engine.Order   // everything that goes to the game
	acts     []admin.Request  // requests that change something
	found    []orders.Finding // why nothing may be executed
	from     string           // the sender
	queried  bool             // something was asked for
	said     []string         // marks of the messages it has passed on
	unsaid   []int            // lines of messages that are not passed on
	helpless []int            // lines of HELP on something that there is no help on
	reply    Reply
}

// sheet judges one sheet alone and answers it.
func (w *work) sheet(v judge.Verdict, s orders.Sheet, p auth.Proven) error {
	id, _ := ParseGameID(p.Game)
	t, err := w.table(id)
	if err != nil {
		return err
	}
	if err := w.uninterrupted(t); err != nil {
		return err
	}
	again := slices.Contains(t.Resumed, w.key) // it took effect and was answered, all but its queries
	side := engine.Side(p.Side)
	r := &reading{w: w, t: t, seat: t.Seat(side), proven: p, sheet: s, from: v.Auth.Sender}
	if r.seat.Failing && r.from == auth.Canonical(r.seat.Address) {
		w.revive(t, side)
	}
	before := len(w.letters)
	r.to = w.letter(t, side, Receipt, WordAccepted)
	w.answering(r.to, v)
	r.to.l.Notices = append(r.to.l.Notices, ignoredTexts(v.Mail)...)
	r.read(v)
	if again {
		if len(w.letters) == before+1 && !r.queried {
			w.letters = w.letters[:before]
		}
		r.to.again = true
		r.state()
		return nil
	}
	if p.Token && w.leaked(v.Mail) {
		r.seat.Epoch++
		t.changed = true
		r.to.l.Notices = append(r.to.l.Notices, engine.T("office.leaked"))
	}
	r.reply = Reply{MessageID: v.Mail.MessageID, Normalised: r.to.l.Normalised, ReadAs: r.to.l.ReadAs}
	if r.from != auth.Canonical(r.seat.Address) {
		r.reply.Other = r.from
	}
	if err := r.judge(); err != nil {
		return err
	}
	r.spoken()
	r.marks()
	w.o.cfg.Log.Info("sheet judged", "game", p.Game, "turn", t.State.Turn, "side", p.Side, "mail", short(w.key), "word", string(r.to.l.Word))
	return nil
}

// leaked reports whether a mail went to others beside us, who can read the key in
// our address now.
func (w *work) leaked(m *message.Mail) bool {
	for _, list := range [][]message.Address{m.To, m.Cc} {
		for _, a := range list {
			if !auth.Ours(w.o.cfg.Mailbox, a.Addr) {
				return true
			}
		}
	}
	return false
}

// read binds the lines and prepares the receipt; queries are done at once.
func (r *reading) read(v judge.Verdict) {
	list, requests, found := r.t.play.Bind(r.sheet, r.seat.Side)
	r.orders = list
	r.found = append(found, v.Reading.Of(r.sheet)...)
	asked := map[int]bool{}
	for _, q := range requests {
		asked[q.Line] = true
		if m, ok := q.Do.(admin.Message); ok && !r.whole(q.Line, m) {
			r.unsaid = append(r.unsaid, q.Line)
			continue
		}
		if q.Query() {
			r.query(q)
		} else {
			r.acts = append(r.acts, q)
		}
	}
	for _, l := range r.sheet.Lines {
		line := LetterLine{Line: l.No, Text: echoed(l), Request: asked[l.No]}
		for _, f := range r.found {
			if f.Line == l.No {
				line.Findings = append(line.Findings, f)
			}
		}
		if read := r.readAs(l); read != "" {
			r.to.l.ReadAs = append(r.to.l.ReadAs, ReadAs{l.No, l.Text, read})
		}
		for _, n := range l.Notes {
			r.to.l.ReadAs = append(r.to.l.ReadAs, ReadAs{l.No, n.Was, n.As})
		}
		r.to.l.Lines = append(r.to.l.Lines, line)
	}
	for _, f := range r.found {
		if !r.has(f.Line) {
			r.to.l.Findings = append(r.to.l.Findings, f)
		}
	}
}

// echoed is a line as the receipt has it: with its words, but not with a letter's.
func echoed(l orders.Line) string {
	words := strings.Join(strings.FieldsFunc(disarmed(l.Words), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	return strings.TrimSpace(l.Text + " " + words)
}

// whole reports whether a message was read from its first line to its last. One
// that wasn't, or that is empty, is passed on to nobody.
func (r *reading) whole(line int, m admin.Message) bool {
	next := r.sheet.Last
	for _, l := range r.sheet.Lines {
		if l.No > line {
			next = min(next, l.No)
		}
	}
	for _, f := range r.found {
		if f.Line >= line && f.Line < next {
			return false
		}
	}
	return strings.TrimSpace(m.Words) != ""
}

// said marks a message that was passed on in a phase.
func said(words string, serial int) string {
	h := sha256.Sum256([]byte(strings.Join(strings.Fields(words), " ")))
	return fmt.Sprintf("%d %x", serial, h[:8])
}

// spoken remembers what a refused sheet has passed on, so that the mended sheet
// doesn't say it again.
func (r *reading) spoken() {
	kept := r.seat.Said[:0:0]
	for _, h := range r.seat.Said {
		if strings.HasPrefix(h, strconv.Itoa(r.t.State.Serial)+" ") && r.to.l.Word == WordNotAccepted {
			kept = append(kept, h)
		}
	}
	if r.to.l.Word == WordNotAccepted {
		kept = append(kept, r.said...)
	}
	if len(kept)+len(r.seat.Said) > 0 {
		r.seat.Said, r.t.changed = kept, true
	}
}

// marks has no line look done that wasn't: a request of a refused sheet, a message
// that wasn't passed on, a topic without help.
func (r *reading) marks() {
	refused := r.to.l.Word == WordNotAccepted
	undone := map[int]bool{}
	for _, q := range r.acts {
		undone[q.Line] = refused || r.sheet.Check
	}
	for i := range r.to.l.Lines {
		l := &r.to.l.Lines[i]
		switch {
		case slices.Contains(r.unsaid, l.Line) && len(l.Findings) == 0:
			l.Request = false
			l.Verdict = &engine.Verdict{Mark: engine.Bad, Refusal: &engine.Refusal{Text: engine.T("office.message.empty")}}
		case undone[l.Line] && l.Verdict == nil:
			l.Request = false
			if !refused {
				l.Verdict = &engine.Verdict{Mark: engine.Skipped, Refusal: &engine.Refusal{Text: engine.T("office.not-done")}}
			}
		case l.Request && slices.Contains(r.helpless, l.Line):
			l.Request = false
			l.Verdict = &engine.Verdict{Mark: engine.Bad, Refusal: &engine.Refusal{Text: engine.T("office.help.unknown")}}
		}
	}
}

// rehearsed puts the verdicts of a dry run to those lines of a sheet that could be
// read, though another can't; it counts the lines that can't be carried out.
func (r *reading) rehearsed() int {
	t := r.t
	if t.Stage != Playing || t.Pending != nil || t.Held || len(r.orders) == 0 || r.proof() != nil {
		return 0
	}
	b := r.w.newBurst(t, r.seat.Side, r.orders)
	dry := engine.Rehearse(t.play.Game, t.pos, t.Seq, r.orders, t.env(&b, nil), r.sheet.Check)
	first := 0
	for _, f := range r.found {
		if first == 0 || f.Line < first {
			first = f.Line
		}
	}
	n := 0
	for i := range dry.Verdicts {
		v := &dry.Verdicts[i]
		if v.Mark != engine.Bad {
			continue
		}
		// What an unreadable line above would have done, nobody knows.
		if v.Order.Line > first && t.play.Sane(t.pos, v.Order) == nil {
			v.Mark, v.On = engine.Depends, first
			continue
		}
		n++
	}
	verdicts(r.to, dry.Verdicts)
	r.to.l.Draft = nil
	return n
}

// wrong are the numbers of the lines that have a sheet refused.
func (r *reading) wrong() []int {
	var out []int
	for _, f := range r.to.l.Findings {
		out = append(out, f.Line)
	}
	for _, l := range r.to.l.Lines {
		if len(l.Findings) > 0 || l.Verdict != nil && l.Verdict.Mark == engine.Bad {
			out = append(out, l.Line)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// giveBack gives the player his own sheet to mend: what is wrong with a line
// stands above it as a comment.
func (r *reading) giveBack() {
	t, l := r.t, &r.to.l
	lang, err := templates.Load(r.seat.Lang)
	if err != nil {
		if lang, err = templates.Load("en"); err != nil {
			return
		}
	}
	own := r.sheet.Heading()
	if t.yours(r.seat.Side) || t.free() {
		own = heading(t.ID, t.State)
		if r.sheet.Phase == "STANDING" {
			own = r.sheet.Heading()
		}
	}
	draft := []string{own}
	if r.sheet.Check {
		draft = append(draft, orders.Check)
	}
	comment := func(why string) {
		for i, s := range folded(why, 66) {
			draft = append(draft, map[bool]string{true: "# ✗ ", false: "#   "}[i == 0]+s)
		}
	}
	for _, f := range l.Findings {
		comment(lang.Say(findingText(f)))
	}
	for i := range r.sheet.Lines {
		x, line := &l.Lines[i], r.sheet.Lines[i]
		if line.Verb == orders.Check {
			continue
		}
		for _, f := range x.Findings {
			comment(lang.Say(findingText(f)))
		}
		if v := x.Verdict; v != nil && v.Mark == engine.Bad && v.Refusal != nil {
			why := lang.Say(v.Refusal.Text)
			if v.Refusal.Rule != "" {
				why += " (" + v.Refusal.Rule.Number() + ")"
			}
			comment(why)
		}
		switch {
		case line.Words != "" || line.Block:
			draft = append(draft, line.Canonical()...)
		case len(x.Findings) > 0:
			draft = append(draft, strings.TrimSpace(line.Raw))
		default:
			draft = append(draft, line.Text)
		}
	}
	l.Draft, l.Template = append(draft, "END"), nil
}

// folded cuts a sentence into lines, so that no mail program does.
func folded(s string, width int) []string {
	var out []string
	line := ""
	for _, w := range strings.Fields(s) {
		if line != "" && len([]rune(line))+1+len([]rune(w)) > width {
			out, line = append(out, line), w
			continue
		}
		line = strings.TrimSpace(line + " " + w)
	}
	return append(out, line)
}

// mend refuses a sheet for its lines and gives it back.
func (r *reading) mend(key string, n, more int) {
	switch {
	case r.sheet.Check:
		lines := r.wrong()
		r.say("office.check.refused", "n", len(lines), "lines", texted(lines))
	case r.queried:
		r.refuse(engine.T(key+".asked", "n", n))
	default:
		r.refuse(engine.T(key, "n", n))
	}
	if more > 0 && !r.sheet.Check {
		r.say("office.undoable.too", "n", more)
	}
	r.marks()
	r.giveBack()
}

func texted(list []int) []string {
	var out []string
	for _, n := range list {
		out = append(out, strconv.Itoa(n))
	}
	return out
}

// readAs is what a line was read as, if its canonical orders say it otherwise.
func (r *reading) readAs(l orders.Line) string {
	var list []string
	for _, o := range r.orders {
		if o.Line == l.No {
			list = append(list, o.Text)
		}
	}
	if read := strings.Join(list, "; "); read != l.Text {
		return read
	}
	return ""
}

func (r *reading) has(line int) bool {
	for _, l := range r.to.l.Lines {
		if l.Line == line {
			return true
		}
	}
	return false
}

// query does what is done whatever becomes of the orders.
func (r *reading) query(q admin.Request) {
	l := &r.to.l
	r.queried = true
	switch d := q.Do.(type) {
	case admin.Help:
		if !r.help(d.Words) {
			r.helpless = append(r.helpless, q.Line)
		}
	case admin.Message:
		if h := said(d.Words, r.t.State.Serial); slices.Contains(r.seat.Said, h) { // by a sheet that was refused
			l.Notices = append(l.Notices, engine.T("office.message.before"))
			return
		} else {
			r.said = append(r.said, h)
		}
		for _, s := range r.t.Others(r.seat.Side) {
			m := r.w.letter(r.t, s.Side, Relay, WordWaiting)
			m.l.Words = d.Words
			m.l.Lead = []engine.Text{engine.T("office.message", "name", r.seat.Name, "side", engine.T("side."+string(r.seat.Side)))}
		}
		l.Notices = append(l.Notices, engine.T("office.message.sent"))
	case admin.Salt:
		r.seat.Salt = d.Words
		r.t.changed = true
		l.Notices = append(l.Notices, engine.T("office.salt", "salt", d.Words))
	case admin.StandingShow:
		r.showStanding()
	case admin.Report:
		r.report(d)
	case admin.Note:
	default:
		l.Requests = append(l.Requests, q)
		r.to.view = true
		if _, ok := q.Do.(admin.Status); ok {
			if p := r.t.Pending; p != nil && p.Round > 0 && p.Question == nil {
				l.Notices = append(l.Notices, engine.T("office.status.beacon", "step", r.t.Step, "round", int(p.Round)))
			}
			l.Notices = append(l.Notices, r.t.luckTexts()...)
		}
		if _, ok := q.Do.(admin.Map); ok {
			l.Map = true
		}
	}
}

// help answers HELP: by a page of the templates that has the very name, else by
// the game itself.
func (r *reading) help(words string) (found bool) {
	l := &r.to.l
	topic := strings.ToLower(words)
	lang, err := templates.Load(r.seat.Lang)
	if err != nil {
		l.Help = append(l.Help, topic)
		return true
	}
	if _, page := lang.Page(topic); r.t.play.Help == nil || page && topic != "" {
		l.Help = append(l.Help, topic)
		return page || topic == ""
	}
	text, found := r.t.play.Help(words, lang)
	l.HelpText = append(l.HelpText, text)
	return found
}

func (r *reading) showStanding() {
	l := &r.to.l
	l.Standing = append([]string{}, r.seat.Standing...)
	l.Ask = append([]string{}, r.seat.Ask...)
	if len(l.Standing)+len(l.Ask) == 0 {
		l.Notices = append(l.Notices, engine.T("office.standing.none"))
	}
}

// report tells again what happened in a phase, or since the reader's side began
// to wait.
func (r *reading) report(q admin.Report) {
	turn, _ := strconv.Atoi(q.Turn)
	phase := strings.ToLower(q.Phase)
	if q.Turn == "" {
		turn = r.t.State.Turn
	}
	if w := strings.Fields(phase); len(w) > 0 {
		if p, ok := r.phase(strings.ToUpper(w[len(w)-1])); ok {
			phase = p
		}
	}
	p := r.t.play.Empty()
	matches := func(s engine.State) bool {
		return s.Turn == turn && (phase == "" || strings.EqualFold(s.Phase, phase))
	}
	first, last := -1, -1
	for i, e := range r.t.events {
		was := matches(p.State())
		p.Apply(e)
		if was || matches(p.State()) {
			if last = i; first < 0 {
				first = i
			}
		}
	}
	if first < 0 {
		r.to.l.Notices = append(r.to.l.Notices, engine.T("office.report.none", "turn", q.Turn, "phase", q.Phase))
		return
	}
	from := engine.Replay(r.t.play.Game, r.t.events[:first])
	r.to.l.Items = append(r.to.l.Items, r.t.play.Tell(from, r.t.events[first:last+1], r.seat.Side)...)
}

// phase reads a phase word as the game's orders have it.
func (r *reading) phase(word string) (string, bool) {
	o, found := r.t.play.Parse("PHASE "+word, r.seat.Side)
	if len(found) > 0 {
		return "", false
	}
	p, ok := o.Command.(engine.ToPhase)
	return p.Phase, ok
}

// refuse answers that nothing was executed, and why.
func (r *reading) refuse(why engine.Text) {
	r.to.l.Word = WordNotAccepted
	r.to.l.Lead = append(r.to.l.Lead, why)
	r.to.l.Template = r.t.template(r.seat.Side)
}

// say adds a sentence to an answer.
func (r *reading) say(key string, args ...any) {
	r.to.l.Lead = append(r.to.l.Lead, engine.T(key, args...))
}

// judge decides what becomes of the sheet.
func (r *reading) judge() error {
	t := r.t
	if c := r.resumed(); c != nil {
		r.w.closed = append(r.w.closed, c)
		return nil
	}
	standing, rest := r.split()
	acting := len(r.orders) > 0 || len(r.acts) > 0
	switch {
	case len(r.found) > 0:
		if r.sheet.Check {
			r.to.l.Word = WordChecked
		}
		r.mend("office.unreadable", len(r.found), r.rehearsed())
		return nil
	case !acting && len(r.sheet.Orders()) == 0 && !r.sheet.Check:
		r.refuse(engine.T("notice.no-orders", "game", r.sheet.Game, "what", ""))
		return nil
	case !acting:
		r.state()
		return nil
	case t.Stage == Closed:
		r.refuse(engine.T("office.stage.closed"))
		return nil
	case t.Stage == Over:
		r.refuse(engine.T("office.stage.over"))
		r.to.l.Word = WordGameOver
		return nil
	}
	if r.sheet.Check {
		r.check()
		return nil
	}
	if done, err := r.requests(standing, rest); done || err != nil {
		return err
	}
	if len(r.orders) == 0 {
		return nil
	}
	switch {
	case t.Stage == Inviting:
		r.refuse(engine.T("office.stage.inviting"))
		return nil
	case t.Held:
		r.refuse(engine.T("office.stage.held"))
		return nil
	}
	if len(rest) == 0 {
		return r.standing(standing)
	}
	if now := nowLines(rest); now && t.Pending != nil {
		return r.later(rest, standing)
	}
	if t.Pending != nil {
		r.refuse(r.waits())
		return nil
	}
	return r.act(standing)
}

// state is the word of an answer that changes nothing.
func (r *reading) state() {
	r.to.l.Word = WordWaiting
	switch {
	case r.t.Stage == Over || r.t.Stage == Closed:
		r.to.l.Word = WordGameOver
	case r.t.yours(r.seat.Side):
		r.to.l.Word = WordYourTurn
	}
}

// yours reports whether a side's orders are awaited.
func (t *table) yours(s engine.Side) bool {
	return t.Stage == Playing && t.Pending == nil && t.State.Side == s
}

// free reports whether any side may order now.
func (t *table) free() bool {
	return t.Stage == Playing && t.Pending == nil && t.State.Side == "" && !t.State.Over
}

// interrupted is the error of a mail for a game in which another mail's step was
// closed and not played, because the server went down: that comes first.
type interrupted struct{ game GameID }

func (e interrupted) Error() string { return "a step of game " + e.game.String() + " was interrupted" }

func (w *work) uninterrupted(t *table) error {
	p := t.Pending
	if p == nil || p.Question != nil || p.Round > 0 {
		return nil
	}
	b, err := w.o.burst(t, p.Burst)
	if err != nil || b.Mail == w.key {
		return err
	}
	return interrupted{t.ID}
}

// resumed finds the step that this very sheet closed before the server went
// down, and goes on with it.
func (r *reading) resumed() *closing {
	p := r.t.Pending
	if p == nil || p.Question != nil || p.Round > 0 {
		return nil
	}
	b, err := r.w.o.burst(r.t, p.Burst)
	if err != nil || b.Mail != r.w.key || b.Side != r.seat.Side {
		return nil
	}
	r.to.full, r.to.burst = true, b.N
	return &closing{t: r.t, to: r.to, stored: true}
}

// waits says what the game waits for.
func (r *reading) waits() engine.Text {
	switch p := r.t.Pending; {
	case p.Question != nil && p.Question.Side == r.seat.Side:
		return engine.T("office.waits.you", "no", p.No)
	case p.Question != nil:
		return engine.T("office.waits.answer", "side", engine.T("side."+string(p.Question.Side)))
	case p.Round > 0:
		return engine.T("office.waits.beacon", "round", int(p.Round))
	}
	return engine.T("office.waits.step")
}

// split parts standing orders from orders for now.
func (r *reading) split() (standing, rest []engine.Order) {
	for _, o := range r.orders {
		if isStanding(o) {
			standing = append(standing, o)
		} else {
			rest = append(rest, o)
		}
	}
	return standing, rest
}

func isStanding(o engine.Order) bool { return o.Command != nil && o.Command.Verb() == "STANDING" }

// nowLines reports whether all orders are of those that take effect when they
// come, whosever turn it is.
func nowLines(list []engine.Order) bool {
	for _, o := range list {
		if !strings.HasSuffix(o.Text, " NOW") {
			return false
		}
	}
	return len(list) > 0
}

// check rehearses a sheet and says what it would do; nothing is executed.
func (r *reading) check() {
	t := r.t
	r.to.l.Word = WordChecked
	if len(r.acts) > 0 {
		r.say("office.check.requests")
	}
	if t.Stage != Playing {
		r.refuse(engine.T("office.stage.inviting"))
		return
	}
	if t.Pending != nil {
		r.refuse(r.waits())
		return
	}
	if why := r.proof(); why != nil {
		r.refuse(*why)
		return
	}
	b := r.w.newBurst(t, r.seat.Side, r.orders)
	dry := engine.Rehearse(t.play.Game, t.pos, t.Seq, r.orders, t.env(&b, nil), true)
	verdicts(r.to, dry.Verdicts)
	r.to.l.Draft = nil
	if !dry.Clean {
		r.mend("office.undoable", bad(dry.Verdicts), 0)
		return
	}
	r.say("office.checked")
}

// proof finds out whether the sheet is for the phase under way. Nil: it is.
func (r *reading) proof() *engine.Text {
	t, s := r.t, r.t.State
	text := func(key string, args ...any) *engine.Text {
		if !t.yours(r.seat.Side) && !t.free() { // no heading would help
			if key != "office.late" {
				key = "office.no-phase"
			}
			key += ".other"
		}
		x := engine.T(key, append(args, "now", TitleOf(s), "heading", heading(t.ID, s))...)
		return &x
	}
	_, rest := r.split()
	if len(r.orders) > 0 && (len(rest) == 0 || nowLines(rest)) {
		return nil // good at any time
	}
	if r.sheet.Phase == "STANDING" {
		return text("office.late", "was", r.sheet.Heading())
	}
	if r.sheet.Turn != "" && strings.TrimPrefix(r.sheet.Turn, "T") != strconv.Itoa(s.Turn) {
		return text("office.late", "was", r.sheet.Heading())
	}
	if r.sheet.Phase != "" {
		p, ok := r.phase(r.sheet.Phase)
		if !ok || !strings.EqualFold(p, s.Phase) {
			return text("office.late", "was", r.sheet.Heading())
		}
		if r.sheet.Turn == "" && r.proven.Token && !r.proven.Current {
			return text("office.old-token")
		}
		return nil
	}
	switch {
	case r.proven.Current:
		return nil
	case r.proven.Token:
		return text("office.old-token")
	}
	return text("office.no-phase")
}

// done finds the executed sheet that this one repeats.
func (r *reading) done(list []engine.Order, any bool) (*Burst, error) {
	d := digest(list)
	for n, left := r.t.Bursts, 40; n > 0 && left > 0; n, left = n-1, left-1 {
		b, err := r.w.o.burst(r.t, n)
		if err != nil {
			return nil, err
		}
		if b.Side == r.seat.Side && b.Digest == d && !b.Undone && (any || b.State.Serial == r.t.State.Serial) {
			return &b, nil
		}
	}
	return nil, nil
}

// act carries out orders for the phase under way.
func (r *reading) act(standing []engine.Order) error {
	t := r.t
	why := r.proof()
	if !(r.sheet.Again || t.play.Repeats) || why != nil {
		b, err := r.done(r.orders, why != nil)
		if err != nil {
			return err
		}
		if b != nil {
			r.state()
			r.say("office.done-already", "report", b.Report, "at", When(b.At, r.seat.Zone))
			skipped := make([]engine.Verdict, len(r.orders))
			for i, o := range r.orders {
				skipped[i] = engine.Verdict{Order: o, Mark: engine.Skipped}
			}
			verdicts(r.to, skipped)
			return nil
		}
	}
	if why != nil {
		r.refuse(*why)
		if why.Key == "office.old-token" || why.Key == "office.no-phase" { // only the heading is missing
			r.giveBack()
		}
		return nil
	}
	b := r.w.newBurst(t, r.seat.Side, r.orders)
	dry := engine.Rehearse(t.play.Game, t.pos, t.Seq, r.orders, t.env(&b, nil), false)
	if !dry.Clean {
		verdicts(r.to, dry.Verdicts)
		r.to.l.Draft = nil
		r.mend("office.undoable", bad(dry.Verdicts), 0)
		return nil
	}
	if err := r.w.upgrade(t); err != nil {
		return err
	}
	r.to.full = true
	if err := r.w.execute(t, r.seat.Side, r.orders, dry.Rolls, r.to, r.reply); err != nil {
		return err
	}
	r.settle(standing)
	return nil
}

func bad(list []engine.Verdict) int {
	n := 0
	for _, v := range list {
		if v.Mark == engine.Bad {
			n++
		}
	}
	return n
}

// keep takes standing orders into the seat's list, the latest last.
func (r *reading) keep(list []engine.Order) {
	for _, o := range list {
		kept := r.seat.Standing[:0:0]
		for _, l := range r.seat.Standing {
			if l != o.Text {
				kept = append(kept, l)
			}
		}
		r.seat.Standing = append(kept, o.Text)
		r.t.changed = true
	}
}

// standing takes a sheet of nothing but standing orders, at any time.
func (r *reading) standing(list []engine.Order) error {
	t := r.t
	b := r.w.newBurst(t, r.seat.Side, list)
	dry := engine.Rehearse(t.play.Game, t.pos, t.Seq, list, t.env(&b, nil), false)
	verdicts(r.to, dry.Verdicts)
	r.to.l.Draft = nil
	if !dry.Clean {
		r.mend("office.undoable", bad(dry.Verdicts), 0)
		return nil
	}
	r.settle(list)
	r.to.l.Standing = append([]string{}, r.seat.Standing...)
	if t.Pending != nil {
		r.say("office.standing.next")
		return nil
	}
	r.say("office.standing.kept", "n", len(list))
	for _, v := range dry.Verdicts {
		if len(v.Events) > 0 { // one that changes the map at once
			r.to.full = true
			return r.w.execute(t, r.seat.Side, list, false, r.to, r.reply)
		}
	}
	return nil
}

// later keeps what is ordered for NOW until the step under way is over.
func (r *reading) later(rest, standing []engine.Order) error {
	l := Later{Side: r.seat.Side, Mail: r.w.key}
	for _, o := range rest {
		l.Lines = append(l.Lines, Line{o.Line, o.Text})
	}
	r.t.Later = append(r.t.Later, l)
	r.t.changed = true
	r.settle(standing)
	r.say("office.later")
	return nil
}

// requests carries out what is asked for beside orders. done says that the
// answer stands.
func (r *reading) requests(standing, rest []engine.Order) (done bool, err error) {
	t := r.t
	for _, q := range r.acts {
		switch d := q.Do.(type) {
		case admin.StandingClear, admin.StandingReports, admin.StandingMaps:
		case admin.StandingAsk:
			for _, id := range d.Decisions {
				if known := t.play.Decisions; len(known) > 0 && !slices.Contains(known, id) {
					r.refuse(engine.T("office.ask.unknown", "id", id, "known", known))
					return true, nil
				}
			}
		case admin.StandingZone:
			if _, err := time.LoadLocation(d.Zone); err != nil || d.Zone == "Local" {
				r.refuse(engine.T("office.zone", "zone", d.Zone))
				return true, nil
			}
		case admin.Join:
			if err := r.join(); err != nil {
				return true, err
			}
		case admin.Address:
			r.address(d.Address)
		case admin.Answer:
			return true, r.answer(d, q, standing, rest)
		case admin.Undo:
			if stop, err := r.undo(); stop || err != nil {
				return true, err
			}
		case admin.Agree:
			return true, r.agree()
		case admin.Refuse:
			return true, r.no()
		case admin.Resign:
			return true, r.resign(d)
		case admin.OfferDraw:
			if stop := r.offer(); stop {
				return true, nil
			}
		case admin.AcceptDraw:
			return true, r.draw(d)
		case admin.GradeChain:
			if err := r.gradeChain(); err != nil {
				return true, err
			}
		default:
			return true, fmt.Errorf("game %v: the request %T is unknown", t.ID, q.Do)
		}
		t.changed = true
	}
	if len(r.orders) == 0 {
		r.settle(nil)
	}
	return false, nil
}

// settle takes settings and standing orders of a sheet that was accepted.
func (r *reading) settle(standing []engine.Order) {
	for _, q := range r.acts {
		switch d := q.Do.(type) {
		case admin.StandingClear:
			r.seat.Standing = nil
			r.say("office.standing.cleared")
		case admin.StandingAsk:
			r.seat.Ask = d.Decisions
			r.say("office.standing.ask", "list", d.Decisions)
		case admin.StandingReports:
			r.seat.Reports = d.When
			r.say("office.setting", "text", q.Text)
		case admin.StandingMaps:
			r.seat.Maps = d.When
			r.say("office.setting", "text", q.Text)
		case admin.StandingZone:
			r.seat.Zone = d.Zone
			r.say("office.setting", "text", q.Text)
		}
	}
	r.keep(standing)
	r.t.changed = true
}

// alone reports whether a request is the only thing in the sheet that changes
// anything.
func (r *reading) alone(what string) bool {
	if len(r.orders) == 0 && len(r.acts) == 1 {
		return true
	}
	r.refuse(engine.T("office.alone", "what", what))
	return false
}

func (r *reading) answer(a admin.Answer, q admin.Request, standing, rest []engine.Order) error {
	p := r.t.Pending
	switch {
	case p == nil || p.Question == nil:
		r.refuse(engine.T("office.answer.none"))
		return nil
	case p.Question.Side != r.seat.Side:
		r.refuse(r.waits())
		return nil
	case a.Question != p.No:
		r.refuse(engine.T("office.answer.wrong", "no", a.Question, "open", p.No))
		r.to.l.Question = r.t.open()
		return nil
	case len(rest) > 0 || len(r.acts) > 1:
		r.refuse(engine.T("office.answer.alone"))
		return nil
	}
	g, why := r.t.given(a, q.Text, standing)
	if why != nil {
		r.refuse(*why)
		r.to.l.Question = r.t.open()
		return nil
	}
	r.to.full = true
	r.say("office.answer.taken", "no", p.No)
	return r.w.answer(r.t, g, r.to)
}

// open is the open question of a table.
func (t *table) open() *Asked {
	p := t.Pending
	if p == nil || p.Question == nil {
		return nil
	}
	return &Asked{p.No, *p.Question, p.Deadline}
}

// undo takes back own orders, or asks the other side to agree.
func (r *reading) undo() (stop bool, err error) {
	t := r.t
	if r.acts[0].Do != (admin.Undo{}) || len(r.orders) > 0 && r.orders[0].Line < r.acts[0].Line {
		r.refuse(engine.T("office.undo.first"))
		return true, nil
	}
	if t.Stage != Playing || t.Pending != nil {
		if t.Pending != nil {
			r.refuse(r.waits())
		} else {
			r.refuse(engine.T("office.stage.inviting"))
		}
		return true, nil
	}
	seq, asks, why, err := r.w.undoTo(t, r.seat.Side)
	if err == errUndo {
		r.refuse(why)
		return true, nil
	}
	if err != nil {
		return true, err
	}
	if !asks {
		if p := r.proof(); p != nil {
			r.refuse(*p)
			return true, nil
		}
		r.to.full = true
		lines, err := r.w.undone(t, seq)
		if err != nil {
			return true, err
		}
		r.say("office.undo.done", "lines", lines)
		return false, r.w.undo(t, seq, r.seat.Side)
	}
	if len(r.orders) > 0 {
		r.refuse(engine.T("office.undo.ask-alone"))
		return true, nil
	}
	t.Plea = &Plea{Kind: "undo", By: r.seat.Side, Seq: seq, At: t.Seq, Until: r.w.now.Add(t.answerTime())}
	t.changed = true
	r.say("office.undo.asked", "until", When(t.Plea.Until, r.seat.Zone))
	r.plead("office.undo.plea")
	return true, nil
}

func (t *table) answerTime() time.Duration {
	if t.Terms.AnswerHours == 0 {
		return 72 * time.Hour
	}
	return time.Duration(t.Terms.AnswerHours) * time.Hour
}

// plead asks the other seats to agree to something.
func (r *reading) plead(key string) {
	for _, s := range r.t.Others(r.seat.Side) {
		d := r.w.letter(r.t, s.Side, Asking, WordQuestion)
		d.l.Lead = []engine.Text{engine.T(key, "side", engine.T("side."+string(r.seat.Side)), "until", When(r.t.Plea.Until, s.Zone))}
		d.l.Template = []string{"GAME " + r.t.ID.String(), "AGREE", "# REFUSE", "END"}
		if r.t.Plea.Kind == "draw" {
			d.l.Template[1] = drawText
		}
	}
}

func (r *reading) agree() error {
	t := r.t
	if t.Pending != nil && t.Pending.Round > 0 {
		return r.agreeVoid()
	}
	if r.seat.Moving != nil {
		r.refuse(engine.T("office.agree.address"))
		return nil
	}
	p := t.Plea
	if p == nil || p.Kind != "undo" || p.By == r.seat.Side {
		r.refuse(engine.T("office.agree.none"))
		return nil
	}
	if !r.alone("AGREE") {
		return nil
	}
	r.say("office.undo.agreed")
	r.to.full = true
	lines, err := r.w.undone(t, p.Seq)
	if err != nil {
		return err
	}
	if err := r.w.undo(t, p.Seq, p.By); err != nil {
		return err
	}
	t.notice(p.By, engine.T("office.undo.granted", "lines", lines))
	return nil
}

// no refuses what was asked for: to take orders back, or a new address.
func (r *reading) no() error {
	t := r.t
	if !r.alone("REFUSE") {
		return nil
	}
	switch p := t.Plea; {
	case r.seat.Moving != nil:
		r.seat.Moving = nil
		t.changed = true
		r.say("office.address.kept")
	case p != nil && p.By != r.seat.Side:
		t.Plea = nil
		t.changed = true
		r.say("office.refused-plea")
		d := r.w.letter(t, p.By, Note, WordWaiting)
		d.l.Lead = []engine.Text{engine.T(t.words("office." + p.Kind + ".denied"))}
	default:
		r.refuse(engine.T("office.agree.none"))
	}
	return nil
}

// word is the word that confirms something: it follows from the game's state,
// so that it is good once.
func (r *reading) word(what string) string {
	h := hmac.New(sha256.New, r.w.o.cfg.TokenKey)
	fmt.Fprintf(h, "pbem-confirm-v1 %s %v %s %d %d", what, r.t.ID, r.seat.Side, r.t.Seq, r.seat.Epoch)
	w, _, _ := strings.Cut(dice.Hash(h.Sum(nil)).Words(), " ")
	return strings.ToUpper(w)
}

func (r *reading) resign(d admin.Resign) error {
	t := r.t
	if !r.alone("RESIGN") {
		return nil
	}
	if t.Stage != Playing {
		r.refuse(engine.T("office.stage.inviting"))
		return nil
	}
	word := r.word("resign")
	if !strings.EqualFold(d.Word, word) {
		r.state()
		r.say(t.words("office.resign.confirm"), "word", word)
		r.to.l.Template = []string{"GAME " + t.ID.String(), "RESIGN CONFIRM " + word, "END"}
		return nil
	}
	return r.finale(resignText)
}

// finale carries out an order that ends the game, now or at the end of the step
// under way.
func (r *reading) finale(text string) error {
	t := r.t
	r.to.full = true
	if t.Pending != nil {
		t.Later = append([]Later{{Side: r.seat.Side, Lines: []Line{{1, text}}, Mail: r.w.key}}, t.Later...)
		t.changed = true
		if t.Pending.Question != nil { // nobody need answer it any more
			return r.w.lapse(t, r.to)
		}
		r.say("office.later")
		return nil
	}
	o, _ := t.order(text, r.seat.Side)
	return r.w.execute(t, r.seat.Side, []engine.Order{o}, false, r.to, r.reply)
}

// drawTime is how long an offer of a draw stands.
const drawTime = 7 * 24 * time.Hour

func (r *reading) offer() (stop bool) {
	t := r.t
	if t.Stage != Playing {
		r.refuse(engine.T("office.stage.inviting"))
		return true
	}
	if p := t.Plea; p != nil && p.Kind == "draw" && p.By != r.seat.Side {
		r.refuse(engine.T(t.words("office.draw.offered")))
		return true
	}
	t.Plea = &Plea{Kind: "draw", By: r.seat.Side, At: t.Seq, Until: r.w.now.Add(drawTime)}
	t.changed = true
	r.say(t.words("office.draw.sent"), "until", When(t.Plea.Until, r.seat.Zone))
	r.plead(t.words("office.draw.plea"))
	return false
}

func (r *reading) draw(d admin.AcceptDraw) error {
	t := r.t
	if !r.alone(drawText) {
		return nil
	}
	if p := t.Plea; p == nil || p.Kind != "draw" || p.By == r.seat.Side {
		r.refuse(engine.T(t.words("office.draw.none")))
		return nil
	}
	word := r.word("draw")
	if !strings.EqualFold(d.Word, word) {
		r.state()
		r.say(t.words("office.draw.confirm"), "word", word)
		r.to.l.Template = []string{"GAME " + t.ID.String(), "ACCEPT DRAW CONFIRM " + word, "END"}
		return nil
	}
	return r.finale(drawText)
}

// gradeChain takes a seat's word that the game may go on without the beacon.
func (r *reading) gradeChain() error {
	t := r.t
	p := t.Pending
	if t.dice == nil || t.dice.Beacon() == nil {
		r.refuse(engine.T("office.grade.none"))
		return nil
	}
	if p == nil || p.Round == 0 || r.w.now.Sub(p.Asked) < 24*time.Hour {
		r.refuse(engine.T("office.grade.early"))
		return nil
	}
	r.seat.Chain = true
	for _, s := range t.Seats {
		if !s.Chain {
			r.say("office.grade.one")
			return nil
		}
	}
	rec, err := t.dice.GradeChain(r.w.now)
	if err != nil {
		return err
	}
	t.seal(rec, nil)
	t.Terms.Beacon = false
	r.say("office.grade.both")
	return nil
}

// agreeVoid takes a seat's word that the step waiting for its beacon is taken
// back; no die of it exists.
func (r *reading) agreeVoid() error {
	t := r.t
	if !r.alone("AGREE") {
		return nil
	}
	if r.w.now.Sub(t.Pending.Asked) < 24*time.Hour {
		r.refuse(engine.T("office.grade.early"))
		return nil
	}
	for _, s := range t.Pending.Agreed {
		if s == r.seat.Side {
			r.say("office.void.one")
			return nil
		}
	}
	t.Pending.Agreed = append(t.Pending.Agreed, r.seat.Side)
	t.changed = true
	if len(t.Pending.Agreed) < len(t.Seats) {
		r.say("office.void.one")
		return nil
	}
	rec, err := t.dice.Void(r.w.now)
	if err != nil {
		return err
	}
	t.seal(rec, nil)
	b, err := r.w.o.burst(t, t.Pending.Burst)
	if err != nil {
		return err
	}
	b.Undone = true
	t.putBurst(b)
	t.Pending = nil
	t.played = true
	r.to.full = true
	r.say("office.void.both")
	return r.w.later(t)
}
