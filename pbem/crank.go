package pbem

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"pbemd/engine"
	"pbemd/engine/dice"
	"pbemd/orders"
	"pbemd/orders/admin"
	"pbemd/templates"
)

// standing reads standing orders that were kept as text.
func (t *table) standing(side engine.Side, lines []string) []engine.Order {
	var out []engine.Order
	for _, l := range lines {
		if o, found := t.play.Parse(l, side); len(found) == 0 {
			out = append(out, o)
		}
	}
	return out
}

// env is what a burst depends on beside the position: what was frozen with it.
func (t *table) env(b *Burst, dice engine.Dice) engine.Env {
	e := engine.Env{Dice: dice, Standing: map[engine.Side][]engine.Order{}, AskActing: b.Side != ""}
	for _, s := range t.Seats {
		e.Standing[s.Side] = t.standing(s.Side, b.Standing[s.Side])
	}
	e.Asks = func(s engine.Side, decision string) bool {
		for _, d := range b.Ask[s] {
			if d == decision {
				return true
			}
		}
		return false
	}
	return e
}

// newBurst opens a burst for orders.
func (w *work) newBurst(t *table, side engine.Side, list []engine.Order) Burst {
	b := Burst{
		N: t.Bursts + 1, Side: side, State: t.pos.State(), From: t.Seq, Began: t.Began, Version: t.play.Version(),
		Standing: map[engine.Side][]string{}, Ask: map[engine.Side][]string{}, Mail: w.key, At: w.now, Digest: digest(list),
	}
	for _, o := range list {
		b.Lines = append(b.Lines, Line{o.Line, o.Text})
	}
	for _, s := range t.Seats {
		if len(s.Standing) > 0 {
			b.Standing[s.Side] = append([]string{}, s.Standing...)
		}
		if len(s.Ask) > 0 {
			b.Ask[s.Side] = append([]string{}, s.Ask...)
		}
	}
	return b
}

// digest tells sheets apart by their canonical text.
func digest(list []engine.Order) string {
	h := sha256.New()
	for _, o := range list {
		fmt.Fprintf(h, "%s\n", o.Text)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// orders reads the orders of a burst again.
func (t *table) orders(b *Burst) ([]engine.Order, error) {
	var out []engine.Order
	for _, l := range b.Lines {
		o, found := t.order(l.Text, b.Side)
		if len(found) > 0 {
			return nil, fmt.Errorf("game %v, burst %d: the order %q can't be read again: %v", t.ID, b.N, l.Text, found[0])
		}
		o.Line, o.Text = l.N, l.Text
		out = append(out, o)
	}
	return out, nil
}

// The texts of orders that players give by requests.
const (
	resignText = "RESIGN"
	drawText   = "ACCEPT DRAW"
)

func (t *table) order(text string, side engine.Side) (engine.Order, []orders.Finding) {
	switch text {
	case resignText:
		return engine.Order{Text: text, Side: side, Command: t.play.Resign}, nil
	case drawText:
		return engine.Order{Text: text, Side: side, Command: t.play.Draw}, nil
	}
	return t.play.Parse(text, side)
}

// phaseOf is the phase as records have it.
func phaseOf(s engine.State) string { return "T" + strconv.Itoa(s.Turn) + "/" + s.Label() }

// texts are the canonical lines of orders.
func texts(list []engine.Order) []string {
	var out []string
	for _, o := range list {
		out = append(out, o.Text)
	}
	return out
}

// execute carries out a sheet whose dry run is clean. If a die may be reached
// the step is closed here and rolled when the close record is on disk.
func (w *work) execute(t *table, side engine.Side, list []engine.Order, rolls bool, to *draft, reply Reply) error {
	b := w.newBurst(t, side, list)
	b.Reply = reply
	if !rolls {
		run := engine.Execute(t.play.Game, t.pos, t.Seq, list, 0, t.env(&b, nil), nil)
		if run.Question == nil {
			return w.plain(t, b, list, run, to)
		}
		// A decision without a die takes a step too, so that it can wait.
	}
	return w.closeStep(t, b, list, to)
}

// plain is a sheet that could reach no die: it takes no step.
func (w *work) plain(t *table, b Burst, list []engine.Order, run engine.Execution, to *draft) error {
	rec, _, err := t.dice.Sheet(phaseOf(b.State), string(b.Side), texts(list), w.now)
	if err != nil {
		return err
	}
	t.seal(rec, map[engine.Side][]string{b.Side: texts(list)})
	t.Bursts = b.N
	if err := w.take(t, &b, run); err != nil {
		return err
	}
	b.To = t.Seq
	if to != nil {
		to.burst = b.N
	}
	if b.State.Side != b.Side {
		t.Floor = t.Seq // what the other side saw can't be taken back under it
	}
	verdicts(to, run.Verdicts)
	t.putBurst(b)
	return w.after(t, b)
}

// take takes what a run has done into the game.
func (w *work) take(t *table, b *Burst, run engine.Execution) error {
	p := t.pos.Clone()
	serial := p.State().Serial
	for _, v := range run.Verdicts {
		for _, e := range v.Events {
			p.Apply(e)
		}
		if n := p.State().Serial; n != serial && len(v.Events) > 0 {
			serial = n
			t.Began = v.Events[len(v.Events)-1].Seq
		}
	}
	if err := t.emit(run.Events, b.N, w.now); err != nil {
		return err
	}
	t.pos, t.State = run.Position, run.Position.State()
	t.played = true
	return nil
}

// closeStep closes the orders of a step: from now on its dice are fixed.
func (w *work) closeStep(t *table, b Burst, list []engine.Order, to *draft) error {
	c := dice.Closing{Phase: phaseOf(b.State), Side: string(b.Side), Orders: map[string][]string{}, Salts: map[string]string{}, Time: w.now}
	if b.Side == "" {
		c.Side = dice.Nobody
	}
	kept := map[engine.Side][]string{}
	for _, s := range t.Seats {
		lines := b.Standing[s.Side]
		if s.Side == b.Side {
			lines = texts(list)
		}
		if b.Side == "" {
			lines = nil
		}
		if len(lines) > 0 {
			c.Orders[string(s.Side)] = lines
			kept[s.Side] = lines
		}
		c.Salts[string(s.Side)] = s.Salt
	}
	rec, _, err := t.dice.Close(c)
	if err != nil {
		return err
	}
	n := t.seal(rec, kept)
	t.Step, b.Step = rec.Step(), rec.Step()
	closed, _ := t.dice.Closed(t.Step)
	t.Pending = &Pending{Burst: b.N, Close: n, Round: closed.Round, Asked: w.now}
	t.Bursts = b.N
	t.putBurst(b)
	if to != nil {
		to.burst = b.N
	}
	if closed.Round > 0 {
		w.sendClose(t, b, to, n)
		return nil
	}
	w.closed = append(w.closed, &closing{t: t, to: to})
	return nil
}

// sendClose mails the close record of a step that waits for the beacon, at once
// and in a few lines.
func (w *work) sendClose(t *table, b Burst, to *draft, record int) {
	for i := range t.Seats {
		s := &t.Seats[i]
		lead := engine.T("office.closed", "step", t.Step, "round", int(t.Pending.Round), "minutes", int(dice.BeaconDelay.Minutes()))
		if to != nil && s.Side == b.Side {
			to.l.Word, to.record = WordAccepted, record
			to.l.Lead = append(to.l.Lead, lead)
			to.proof()
			continue
		}
		d := w.letter(t, s.Side, Closing, WordWaiting)
		d.l.Lead, d.record = []engine.Text{lead}, record
		d.proof()
	}
}

// proof has a letter carry the records its reader doesn't have.
func (d *draft) proof() { d.l.Grade = "?" }

// run commits the steps that were closed, and only then throws their dice.
func (w *work) run() error {
	if len(w.closed) == 0 {
		return nil
	}
	first := Change{Data: w.change.Data}
	stored := true
	for _, c := range w.closed {
		if !c.stored {
			stored = false
			w.o.timers(c.t)
			c.t.gather(&first)
		}
	}
	if !stored {
		if err := w.o.cfg.Archive.Commit(first); err != nil {
			return err
		}
		w.change.Data = nil
		for _, c := range w.closed {
			if !c.stored {
				c.t.settled()
			}
		}
	}
	for _, c := range w.closed {
		if err := w.roll(c.t, c.to, nil); err != nil {
			return err
		}
	}
	return nil
}

// roll plays the step under way from where it stands.
func (w *work) roll(t *table, to *draft, beacon []byte) error {
	b, err := w.o.burst(t, t.Pending.Burst)
	if err != nil {
		return err
	}
	if b.Version != t.play.Version() && b.From == t.Seq {
		b.Version = t.play.Version() // nothing of it was played by the old rules
	}
	if beacon == nil && t.Pending.Round > 0 {
		beacon = t.Pending.Beacon
	}
	cup, err := t.dice.Cup(b.Step, beacon)
	if err != nil {
		return err
	}
	t.Pending.Beacon = beacon
	run, err := w.rerun(t, &b, cup)
	if err != nil {
		return err
	}
	if err := w.take(t, &b, run); err != nil {
		return err
	}
	if b.Side == "" {
		t.Began = t.Seq
	}
	own := to != nil && to.burst == b.N // the receipt of the orders, and not of an answer to a question in them
	if own && run.Question != nil {
		verdicts(to, paused(run.Verdicts))
	} else if own {
		verdicts(to, run.Verdicts)
	}
	if run.Question != nil {
		w.ask(t, run)
		t.putBurst(b)
		if own {
			to.l.Lead = append(to.l.Lead, engine.T("office.paused", "side", engine.T("side."+string(run.Question.Side))))
		}
		return nil
	}
	i, halted := run.Halted()
	if halted && own {
		to.l.Lead = append(to.l.Lead, engine.T("office.halted"))
	} else if halted && b.Side != "" {
		w.overtaken(t, &b, run.Verdicts, i)
	}
	return w.finish(t, &b, beacon, to)
}

// overtaken tells the side that gave the orders of a burst, and nobody else, that
// they halted after their receipt had left: at which line, why, and what is left.
func (w *work) overtaken(t *table, b *Burst, list []engine.Verdict, halted int) {
	var d *draft
	for _, l := range w.letters {
		if l.t == t && l.seat == b.Side && l.full && l.to == "" {
			d = l
		}
	}
	if d == nil {
		d = w.reportTo(t, b.Side)
	}
	v := &list[halted]
	why := engine.Plain("")
	if v.Refusal != nil {
		why = v.Refusal.Text
	}
	d.l.Lead = append(d.l.Lead, engine.T("office.overtaken", "line", v.Order.Line, "text", v.Order.Text, "why", why))
	if len(d.l.Lines) > 0 { // an answer of his own: its lines have numbers of their own
		d.l.Draft = append(d.l.Draft, left(list)...)
		return
	}
	for _, l := range b.Lines {
		d.l.Lines = append(d.l.Lines, LetterLine{Line: l.N, Text: l.Text})
	}
	verdicts(d, list)
}

// left are the orders that come back as a draft.
func left(list []engine.Verdict) []string {
	var out []string
	for _, v := range list {
		if v.Mark == engine.Halted || v.Mark == engine.NotYet {
			out = append(out, v.Order.Text)
		}
	}
	return out
}

// paused are the verdicts of a run that has stopped at a question: what stands
// below is not lost, it goes on by itself.
func paused(list []engine.Verdict) []engine.Verdict {
	out := append([]engine.Verdict{}, list...)
	for i := range out {
		if v := &out[i]; v.Mark == engine.NotYet {
			v.Mark = engine.Stopped
			v.Preview = []engine.Item{{Text: engine.T("office.goes-on")}}
		}
	}
	return out
}

// rerun runs a burst from the order under way, with the answers given so far.
func (w *work) rerun(t *table, b *Burst, cup engine.Dice) (engine.Execution, error) {
	if b.Side == "" && b.N == 1 {
		pos, events, err := engine.Begin(t.play.Game, engine.Env{Dice: cup})
		if err != nil {
			return engine.Execution{}, fmt.Errorf("begin game %v: %w", t.ID, err)
		}
		return engine.Execution{Position: pos, Events: events}, nil
	}
	list, err := t.orders(b)
	if err != nil {
		return engine.Execution{}, err
	}
	var answers []engine.Answer
	for _, g := range b.Answers {
		a := g.Answer
		a.Clauses = t.standing(a.Side, g.Lines)
		answers = append(answers, a)
	}
	return engine.Execute(t.play.Game, t.pos, t.Seq, list, t.Pending.Next, t.env(b, cup), answers), nil
}

// verdicts puts what became of each line into the receipt.
func verdicts(to *draft, list []engine.Verdict) {
	if to == nil {
		return
	}
	for i := range list {
		v := &list[i]
		for j := range to.l.Lines {
			if to.l.Lines[j].Line == v.Order.Line && to.l.Lines[j].Line != 0 {
				if old := to.l.Lines[j].Verdict; old == nil || severity[v.Mark] >= severity[old.Mark] {
					to.l.Lines[j].Verdict = v
				}
			}
		}
	}
	to.l.Draft = append(to.l.Draft, left(list)...)
}

// severity orders the marks of the several orders that one line may be.
var severity = map[engine.Mark]int{
	engine.Good: 0, engine.Skipped: 1, engine.Depends: 2, engine.Untested: 2, engine.NotYet: 3, engine.Stopped: 4, engine.Halted: 5, engine.Bad: 6,
}

// ask puts the question a run has stopped at.
func (w *work) ask(t *table, run engine.Execution) {
	p := t.Pending
	p.Next, p.Question = run.Next, run.Question
	t.Questions++
	p.No, p.Asked, p.Reminded = t.Questions, w.now, false
	hours := t.Terms.AnswerHours
	if hours == 0 {
		hours = 72
	}
	p.Deadline = w.now.Add(time.Duration(hours) * time.Hour)
	t.partial = run.Partial
	t.asked, t.changed = true, true
}

// finish ends the step under way: its link is opened and its rolls listed.
func (w *work) finish(t *table, b *Burst, beacon []byte, to *draft) error {
	played, err := w.played(t, b, beacon)
	if err != nil {
		return err
	}
	if t.Pending.Round > 0 {
		played.Sent = w.sentCloses(t)
	}
	rec, err := t.dice.Finish(played)
	if err != nil {
		return err
	}
	t.seal(rec, nil)
	t.Pending = nil
	t.Floor, b.To = t.Seq, t.Seq
	t.putBurst(*b)
	return w.after(t, *b)
}

// played is what a step record says of a burst: its rolls and its answers.
func (w *work) played(t *table, b *Burst, beacon []byte) (dice.Played, error) {
	english, err := templates.Load("en")
	if err != nil {
		return dice.Played{}, err
	}
	played := dice.Played{Beacon: beacon, Time: w.now}
	for _, e := range t.since(b.From) {
		if r, ok := e.Fact.(engine.Rolled); ok {
			played.Rolls = append(played.Rolls, dice.Roll{Label: r.Label, Sides: r.Sides, Deck: r.Deck, Values: r.Values, For: english.Say(r.For)})
		}
	}
	for _, g := range b.Answers {
		played.Answers = append(played.Answers, dice.Answer{Player: string(g.Side), Text: g.Text})
	}
	return played, nil
}

// sentCloses finds when the copies of the close record left.
func (w *work) sentCloses(t *table) map[string]time.Time {
	out := map[string]time.Time{}
	for side, id := range t.Pending.Copies {
		if o, err := w.o.cfg.Archive.Outgoing(id); err == nil && o.State == OutSent {
			out[string(side)] = o.Sent
		}
	}
	return out
}

// after is what follows an executed burst: whose turn it is, what waited for the
// end of the step, the end of the game.
func (w *work) after(t *table, b Burst) error {
	if t.State.Side != b.State.Side || t.State.Turn != b.State.Turn || t.State.Over {
		t.turned = true
		t.Since, t.Reminds = w.now, 0
	}
	if t.Plea != nil && t.Plea.Kind == "undo" && t.Seq != t.Plea.At {
		t.Plea = nil
	}
	if t.State.Over {
		return w.end(t)
	}
	if t.dice.NeedsChains() {
		if err := w.newChains(t); err != nil {
			return err
		}
	}
	return w.later(t)
}

// upgrade says in the open that a game goes on by another version of its rules.
func (w *work) upgrade(t *table) error {
	now := t.play.Version()
	if t.Version == now {
		return nil
	}
	rec, err := t.dice.NewRules(now, "the server's rules have a new version", w.now)
	if err != nil {
		return err
	}
	t.seal(rec, nil)
	for _, s := range t.Seats {
		t.notice(s.Side, engine.T("office.new-rules", "was", t.Version, "now", now))
	}
	w.o.cfg.Log.Warn("a game goes on by a new version of its rules", "game", t.ID.String(), "was", t.Version, "now", now)
	t.Version = now
	return nil
}

// newChains announces the chains that serve when the links have run out.
func (w *work) newChains(t *table) error {
	s, err := w.o.secrets(t.ID, t.Terms.Seed, len(t.More)+1)
	if err != nil {
		return err
	}
	rec, err := t.dice.NewChains(s, w.now)
	if err != nil {
		return err
	}
	t.More = append(t.More, keepSecrets(s))
	t.seal(rec, nil)
	return nil
}

// secrets draws the secrets of a game's n-th set of chains.
func (o *Office) secrets(id GameID, seed string, n int) (dice.Secrets, error) {
	if seed != "" {
		if n > 0 {
			seed += " " + strconv.Itoa(n)
		}
		return dice.DemoSecrets(seed, id.String(), o.cfg.Links), nil
	}
	return dice.NewSecrets(o.cfg.Random, o.cfg.Links)
}

// later carries out what was ordered for NOW while the step was under way.
func (w *work) later(t *table) error {
	for len(t.Later) > 0 && !t.State.Over {
		l := t.Later[0]
		t.Later = t.Later[1:]
		var list []engine.Order
		for _, x := range l.Lines {
			o, found := t.order(x.Text, l.Side)
			if len(found) > 0 {
				continue
			}
			o.Line = x.N
			list = append(list, o)
		}
		if len(list) == 0 {
			continue
		}
		b := w.newBurst(t, l.Side, list)
		dry := engine.Rehearse(t.play.Game, t.pos, t.Seq, list, t.env(&b, nil), false)
		if !dry.Clean || dry.Rolls {
			t.notice(l.Side, engine.T("office.later.dropped", "lines", texts(list)))
			continue
		}
		b.Mail = l.Mail
		run := engine.Execute(t.play.Game, t.pos, t.Seq, list, 0, t.env(&b, nil), nil)
		if err := w.plain(t, b, list, run, nil); err != nil {
			return err
		}
		t.notice(l.Side, engine.T("office.later.done", "lines", texts(list)))
	}
	return nil
}

// notice keeps a line for the next mail to a seat.
func (t *table) notice(side engine.Side, n engine.Text) {
	if s := t.Seat(side); s != nil {
		s.Notices = append(s.Notices, n)
		t.changed = true
	}
}

// end closes the game and opens everything that was still shut.
func (w *work) end(t *table) error {
	if t.Stage == Over {
		return nil
	}
	english, err := templates.Load("en")
	if err != nil {
		return err
	}
	t.Stage = Over
	for _, e := range slices.Backward(t.events) {
		if t.play.Score == nil || t.Score != nil {
			break
		}
		if s, ok := t.play.Score(e.Fact); ok {
			t.Score = &s
		}
	}
	return w.unseal(t, english.Say(t.play.View(t.pos, "").Title))
}

// unseal closes the chain of records with a result.
func (w *work) unseal(t *table, result string) error {
	t.Result = result
	rec, err := t.dice.End(result, w.now)
	if err != nil {
		return err
	}
	t.seal(rec, nil)
	t.Plea, t.Later = nil, nil
	return nil
}

// answer takes the answer to the open question into the burst and goes on.
func (w *work) answer(t *table, g Given, to *draft) error {
	b, err := w.o.burst(t, t.Pending.Burst)
	if err != nil {
		return err
	}
	q := t.Pending.Question
	g.Order, g.Decision, g.Side = t.Pending.Next, q.Decision, q.Side
	b.Answers = append(b.Answers, g)
	t.putBurst(b)
	t.Pending.Question = nil
	return w.roll(t, to, nil)
}

// given reads an ANSWER line and the lines below it.
func (t *table) given(a admin.Answer, text string, below []engine.Order) (Given, *engine.Text) {
	q := t.Pending.Question
	g := Given{Answer: engine.Answer{Option: -1, By: "answer", Text: strings.Join(append([]string{text}, texts(below)...), "\n")}}
	for _, o := range below {
		g.Lines = append(g.Lines, o.Text)
	}
	switch {
	case a.Letter != "":
		i := int(a.Letter[0] - 'A')
		if i >= len(q.Options) {
			n := engine.T("office.answer.letter", "letter", a.Letter, "last", OptionLetter(len(q.Options)-1))
			return g, &n
		}
		g.Option = i
	case a.Clause != nil:
		for i, o := range q.Options {
			if strings.EqualFold(strings.TrimSpace(o.Clause), strings.TrimPrefix(a.Clause.Text, "DEFAULT ")) {
				g.Option = i
				return g, nil
			}
		}
		g.Lines = append([]string{a.Clause.Text}, g.Lines...)
	default:
		n := engine.T("office.answer.form", "no", t.Pending.No)
		return g, &n
	}
	return g, nil
}

// errUndo is why nothing can be taken back.
var errUndo = errors.New("nothing to take back")

// undoTo finds the event that UNDO of a side goes back to; asks says that the
// other side has to agree.
func (w *work) undoTo(t *table, side engine.Side) (seq int, asks bool, why engine.Text, err error) {
	if t.Bursts == 0 {
		return 0, false, engine.T("office.undo.none"), errUndo
	}
	last := Burst{}
	for n := t.Bursts; n > 0; n-- {
		b, err := w.o.burst(t, n)
		if err != nil {
			return 0, false, why, err
		}
		if !b.Undone {
			last = b
			break
		}
	}
	target := max(t.Floor, t.Began)
	switch {
	case last.Side == side && t.Seq > target && t.State.Side == side:
		return target, false, why, nil
	case last.Side != side:
		return 0, false, engine.T("office.undo.none"), errUndo
	case t.Seq <= t.Floor:
		return 0, false, engine.T("office.undo.rolled"), errUndo
	}
	target = max(t.Floor, last.Began)
	if target >= t.Seq {
		return 0, false, engine.T("office.undo.none"), errUndo
	}
	return target, true, why, nil
}

// undone are the orders, as they were given, that UNDO back to an event takes
// back. None of them has reached a die.
func (w *work) undone(t *table, seq int) ([]string, error) {
	var out []string
	for n := t.Bursts; n > 0; n-- {
		b, err := w.o.burst(t, n)
		if err != nil {
			return nil, err
		}
		if b.Undone {
			continue
		}
		if b.Step > 0 || b.To <= seq {
			break
		}
		list, err := t.orders(&b)
		if err != nil {
			return nil, err
		}
		var lines []string
		for _, v := range engine.Execute(t.play.Game, t.before(b.From), b.From, list, 0, t.env(&b, nil), nil).Verdicts {
			if k := len(v.Events); k > 0 && v.Events[k-1].Seq > seq && v.Events[k-1].Seq <= b.To {
				lines = append(lines, v.Order.Text)
			}
		}
		out = append(lines, out...)
	}
	return out, nil
}

// undo takes back what happened after an event, for the side that gave the orders.
func (w *work) undo(t *table, seq int, by engine.Side) error {
	for n := t.Bursts; n > 0; n-- {
		b, err := w.o.burst(t, n)
		if err != nil {
			return err
		}
		if !b.Undone && b.To <= seq && b.From < seq {
			break
		}
		if b.From >= seq && !b.Undone {
			b.Undone = true
			t.Began = min(t.Began, b.Began)
			t.putBurst(b)
		}
		if b.From < seq && seq < b.To {
			b.To, b.Cut = seq, true
			t.putBurst(b)
			break
		}
		if b.Step > 0 {
			break
		}
	}
	t.cut(seq, t.Bursts, w.now)
	t.Began = min(t.Began, seq)
	t.played = true
	for i := range t.Seats {
		s := &t.Seats[i]
		if s.Told > seq {
			s.Told = seq
			if s.Side != by { // who asked for it is told in other words
				s.Notices = append(s.Notices, engine.T("office.undone"))
			}
		}
	}
	t.Plea = nil
	return nil
}
