package pbem

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"pbemd/engine"
	"pbemd/engine/dice"
	"pbemd/pbem/auth"
	"pbemd/pbem/message"
)

// post writes the letters of a piece of work and puts them into the outbox.
func (w *work) post() error {
	for _, id := range w.opened {
		w.tell(w.tables[id])
	}
	for _, d := range w.letters {
		if err := w.write(d); err != nil {
			return err
		}
	}
	w.letters = nil
	if err := w.freeze(); err != nil {
		return err
	}
	if n := len(w.change.Mails); n > 0 {
		for _, m := range w.change.Outgoing {
			if strings.HasPrefix(m.ID, "ack.") {
				w.change.Mails[n-1].Answers = append(w.change.Mails[n-1].Answers, m.ID)
			}
		}
	}
	return nil
}

// has reports whether a seat gets everything new by one of the letters already.
func (w *work) has(t *table, side engine.Side) bool {
	for _, d := range w.letters {
		if d.t == t && d.seat == side && d.full {
			return true
		}
	}
	return false
}

// tell decides who else is reported to: a side that must act, that has waited
// for the end of a player-turn, or that wants to hear of everything.
func (w *work) tell(t *table) {
	if !t.played {
		return
	}
	for i := range t.Seats {
		s := &t.Seats[i]
		if w.has(t, s.Side) {
			continue
		}
		news := s.Told < t.Seq
		asked := t.asked && t.Pending != nil && t.Pending.Question.Side == s.Side
		switch {
		case t.Stage == Over, asked, t.turned, t.yours(s.Side), news && (t.free() || s.Reports == "EACH"):
			w.reportTo(t, s.Side)
		case news && s.Reports != "TURN" && s.TellAt.IsZero():
			s.TellAt = w.now.Add(tellTime)
			t.changed = true
		}
	}
}

// reportTo opens a report to a seat.
func (w *work) reportTo(t *table, side engine.Side) *draft {
	d := w.letter(t, side, Report, WordWaiting)
	d.full = true
	if t.Seat(side).Root == "" || t.Bursts == 1 && t.Seat(side).Told == 0 {
		d.l.Kind = Opening
	}
	return d
}

// template is the sheet to fill in next; nil when it isn't the side's turn.
func (t *table) template(side engine.Side) []string {
	if !t.yours(side) && !t.free() {
		return nil
	}
	out := []string{heading(t.ID, t.State)}
	out = append(out, t.play.View(t.pos, side).Template...)
	return append(out, "END")
}

// write makes a mail of a letter and puts it into the outbox.
func (w *work) write(d *draft) error {
	if d.t == nil {
		return w.compose(d, nil, "")
	}
	t, s := d.t, d.t.Seat(d.seat)
	l := &d.l
	l.Game, l.Rules, l.Side, l.Name, l.Lang, l.Zone, l.State = t.ID, t.Rules, s.Side, s.Name, s.Lang, s.Zone, t.State
	l.Yours = t.yours(s.Side)
	if d := t.Terms.Days; d > 0 && l.Yours && !t.Held {
		day := 24 * time.Hour
		switch t.Reminds {
		case 0:
			l.Remind, l.Tell = t.Since.Add(time.Duration(d)*day), t.Since.Add(time.Duration(d+2)*day)
		case 1:
			l.Tell = t.Since.Add(time.Duration(d+2) * day)
		default:
			l.Told = true
		}
	}
	t.changed = true
	if d.full {
		if err := w.fill(d, s); err != nil {
			return err
		}
	}
	if d.view && l.View == nil && t.Seq > 0 {
		v := t.play.View(t.pos, s.Side)
		l.View = &v
	}
	if d.l.Grade == "?" {
		w.proofs(d, s)
	}
	if d.answer && !d.full && l.Template == nil && len(l.Draft) == 0 && (l.Word == WordYourTurn || l.Word == WordChecked || l.Word == WordAccepted) {
		l.Template = t.template(s.Side)
	}
	if l.Kind == Relay {
		l.Words = w.o.redacted(t, l.Words)
	}
	clip(l)
	if d.to == "" {
		l.Notices = append(l.Notices, s.Notices...)
		s.Notices = nil
		if s.Bad > 0 {
			l.Notices = append(l.Notices, engine.T("office.bad-keys", "n", s.Bad))
			s.Bad = 0
		}
		for _, o := range t.Others(s.Side) {
			if o.Failing && d.full {
				l.Notices = append(l.Notices, engine.T("office.failing", "side", engine.T("side."+string(o.Side))))
			}
		}
	}
	s.Sent++
	l.No = s.Sent
	if d.burst > 0 {
		b, err := w.o.burst(t, d.burst)
		if err != nil {
			return err
		}
		b.Report = l.No
		t.putBurst(b)
	}
	address := d.to
	if address == "" {
		address = s.Address
		if n := len(s.Tokens); n == 0 || s.Tokens[n-1] != t.State.Serial {
			s.Tokens = append(s.Tokens, t.State.Serial)
			if len(s.Tokens) > 2 {
				s.Tokens = s.Tokens[len(s.Tokens)-2:]
			}
		}
	}
	return w.compose(d, s, address)
}

// fill puts everything new into a letter.
func (w *work) fill(d *draft, s *Seat) error {
	t, l := d.t, &d.l
	v := t.play.View(t.pos, s.Side)
	l.View = &v
	events := t.since(s.Told)
	before := t.before(s.Told)
	if len(t.partial) > 0 && !(t.asked && t.Pending != nil && t.Pending.Question.Side == s.Side) {
		events = append(append([]engine.Event{}, events...), t.partial...)
	}
	l.Items = append(l.Items, t.play.Tell(before, events, s.Side)...)
	l.Map = l.Map || s.Maps != "NEVER" && (s.Maps != "TURN" || t.turned)
	s.Told, s.TellAt = t.Seq, time.Time{}
	if l.Template == nil {
		l.Template = t.template(s.Side)
	}
	if len(l.Draft) > 0 {
		l.Draft = append(append([]string{heading(t.ID, t.State)}, l.Draft...), "END")
	}
	w.proofs(d, s)
	if l.Kind == Opening && t.play.Card != nil {
		l.Card = t.play.Card()
	}
	q := t.open()
	switch {
	case t.Stage == Over || t.Stage == Closed:
		l.Word, l.Template, l.Draft = WordGameOver, nil, nil
		l.Notices = append(l.Notices, t.luckTexts()...)
		switch series, err := w.series(t); {
		case err != nil:
			return err
		case series != nil:
			l.Notices = append(l.Notices, series.text())
		}
		file, err := w.transcript(t)
		if err != nil {
			return err
		}
		l.Files = append(l.Files, file)
		if film := w.film(t, s); film != nil {
			l.Files = append(l.Files, *film)
		}
		if l.Kind == Report {
			l.Kind = Finale
		}
	case q != nil && q.Question.Side == s.Side:
		l.Question = q
		l.Word = WordQuestion
		if l.Kind == Report {
			l.Kind = Asking
		}
	case l.Kind == Receipt:
	case l.Yours:
		l.Word = WordYourTurn
	default:
		l.Word = WordWaiting
	}
	if t.Pending != nil {
		l.Notices = append(l.Notices, engine.T("office.proof-follows"))
	}
	return nil
}

// allRecords are the records of a table, stored or not.
func (w *work) allRecords(t *table, after int) []Sealed {
	var out []Sealed
	if first := t.Records - len(t.records); after < first {
		list, err := w.o.cfg.Archive.Records(t.ID, after)
		if err != nil {
			w.o.cfg.Log.Error("records for a proof can't be read", "game", t.ID.String(), "err", err)
		}
		out = list
	}
	for _, r := range t.records {
		if r.N > after {
			out = append(out, r)
		}
	}
	return out
}

// proofs adds the records that a seat doesn't have, and opens its own orders.
func (w *work) proofs(d *draft, s *Seat) {
	t, l := d.t, &d.l
	l.Grade = string(dice.GradeChain)
	if t.Terms.Beacon {
		l.Grade = string(dice.GradeBeacon)
	}
	for _, r := range w.allRecords(t, s.Proofs) {
		rec, err := dice.Parse([]byte(r.Text))
		if err != nil {
			w.o.cfg.Log.Error("a record can't be read", "game", t.ID.String(), "record", r.N, "err", err)
			continue
		}
		l.Records = append(l.Records, rec.Armour())
		if lines, ok := r.Orders[s.Side]; ok {
			if opener, err := t.dice.Opener(rec.Step(), string(s.Side)); err == nil {
				l.Openers = append(l.Openers, dice.Orders{Record: rec.Hash(), Player: string(s.Side), Opener: &opener, Lines: lines}.Armour())
			}
		}
		if step, ok := rec.Body.(dice.Step); ok {
			l.Grade = string(step.Grade)
		}
	}
	s.Proofs = t.Records
	if t.dice != nil {
		l.Head = t.dice.Head().Words()
	}
}

// compose addresses a letter: who gets it, where answers go, in which thread it
// stands.
func (w *work) compose(d *draft, s *Seat, address string) error {
	l := &d.l
	_, domain, _ := strings.Cut(w.o.cfg.Mailbox, "@")
	out := message.Outgoing{
		From: message.Address{Name: w.o.cfg.Name, Addr: w.o.cfg.Mailbox}, Date: w.now, Loop: w.o.cfg.Mailbox,
	}
	entry := Outgoing{Kind: string(l.Kind), State: OutPending, Queued: w.now, Next: w.now, Record: d.record}
	switch {
	case d.answer:
		key := w.key
		if d.key != "" {
			key = d.key
		}
		entry.ID = "ack." + strings.TrimPrefix(key, "raw-")[:20]
		if d.t != nil {
			entry.ID += ".g" + d.t.ID.String()
		}
		if d.again {
			entry.ID += ".2"
		}
	default:
		entry.ID = fmt.Sprintf("g%v.%s.r%d", l.Game, l.Side, l.No)
	}
	out.MessageID = "<" + entry.ID + "@" + domain + ">"
	if w.o.cfg.SubjectTokens { // a bounce comes back without a key of its own
		out.MessageID = "<" + entry.ID + "." + w.o.bounceKey(entry.ID) + "@" + domain + ">"
	}
	out.InReplyTo = message.CleanID(d.parent)
	if d.t != nil {
		token := ""
		switch {
		case d.bare:
			l.Reply = w.o.cfg.Mailbox
		case d.to != "":
			token = s.Moving.Word
			l.Reply = auth.Address(w.o.cfg.Mailbox, l.Game.String(), token)
		default:
			l.Reply, token = w.o.replyAddress(&d.t.Game, s)
		}
		if w.o.cfg.SubjectTokens {
			l.Token, l.Reply = token, w.o.cfg.Mailbox
		}
		out.To = message.Address{Name: s.Name, Addr: address}
		entry.Game, entry.Side, entry.To = l.Game, l.Side, address
		if d.to == "" {
			if s.Root == "" {
				s.Root = out.MessageID
			} else {
				out.References = append(out.References, s.Root)
				if out.InReplyTo == "" {
					out.InReplyTo = s.Last
				}
			}
			s.Last = out.MessageID
			if s.Failing {
				entry.State = OutHeld
			}
		}
		if d.record > 0 && d.t.Pending != nil {
			if d.t.Pending.Copies == nil {
				d.t.Pending.Copies = map[engine.Side]string{}
			}
			d.t.Pending.Copies[s.Side] = entry.ID
		}
	} else {
		out.To = message.Address{Addr: d.to}
		entry.To, l.Reply = d.to, w.o.cfg.Mailbox
	}
	if out.InReplyTo != "" {
		out.References = append(out.References, out.InReplyTo)
	}
	out.ReplyTo = message.Address{Name: w.o.cfg.Name, Addr: l.Reply}
	if !d.answer {
		out.AutoSubmitted = "auto-generated"
		entry.From = w.o.bounceAddress(entry.ID)
	}
	if l.Kind == Reminder || l.Kind == Invitation {
		out.ListUnsubscribe = l.Reply
	}
	w.sheets = append(w.sheets, &sheetOfPaper{l: *l, out: out, entry: entry})
	return nil
}

// sheetOfPaper is a mail on its way to be frozen.
type sheetOfPaper struct {
	l     Letter
	out   message.Outgoing
	entry Outgoing
	parts Parts
	err   error
}

// freeze has the reporter write all letters, two at a time since pictures take
// their time, and freezes them as the bytes that will be sent.
func (w *work) freeze() error {
	var crew sync.WaitGroup
	hands := make(chan struct{}, 2)
	for _, s := range w.sheets {
		crew.Go(func() {
			hands <- struct{}{}
			defer func() { <-hands }()
			s.parts, s.err = w.o.fitting(s.l)
		})
	}
	crew.Wait()
	for _, s := range w.sheets {
		if s.err != nil {
			return fmt.Errorf("write mail %s: %w", s.entry.ID, s.err)
		}
		s.out.Subject, s.out.Text, s.out.HTML, s.out.Pictures, s.out.Attachments = s.parts.Subject, s.parts.Text, s.parts.HTML, s.parts.Pictures, s.parts.Attachments
		bytes, err := message.Compose(s.out)
		if err != nil {
			return fmt.Errorf("write mail %s: %w", s.entry.ID, err)
		}
		bytes = w.o.signed(s.entry.ID, bytes)
		s.entry.Message, s.entry.Size, s.entry.Subject = bytes, len(bytes), s.parts.Subject
		if s.l.Token != "" {
			s.entry.Subject = strings.ReplaceAll(s.entry.Subject, s.l.Token, "…")
		}
		w.change.Outgoing = append(w.change.Outgoing, s.entry)
	}
	w.sheets = nil
	return nil
}

// signed is a mail with its signature, or without one if that can't be had: no
// turn is lost over it.
func (o *Office) signed(id string, message []byte) []byte {
	if o.cfg.Sign == nil {
		return message
	}
	signed, err := o.cfg.Sign(message)
	if err != nil {
		o.cfg.Log.Error("a mail couldn't be signed; it goes out without", "mail", id, "err", err)
		return message
	}
	return signed
}

// fitting is a letter's mail with an HTML part that no reader cuts off: of a
// receipt that is too long fewer lines are echoed, and said to be.
func (o *Office) fitting(l Letter) (Parts, error) {
	parts, err := o.report(l)
	whole := l
	for keep := min(len(l.Lines), 400); err == nil && len(parts.HTML) >= mostHTML && keep > 0; keep /= 2 {
		if l = whole; keep < len(l.Lines) {
			l.Lines = l.Lines[:keep:keep]
			l.Notices = append(l.Notices[:len(l.Notices):len(l.Notices)], engine.T("office.more-lines", "n", len(whole.Lines)-keep))
		}
		l.ReadAs = l.ReadAs[:min(len(l.ReadAs), keep)]
		parts, err = o.report(l)
	}
	if len(parts.HTML) >= mostHTML {
		o.cfg.Log.Warn("a mail goes out as text alone: its HTML is too long", "game", l.Game.String(), "side", string(l.Side), "bytes", len(parts.HTML))
		parts.HTML, parts.Pictures = "", nil
	}
	return parts, err
}

// report asks the reporter; when its templates fail the letter goes out plain,
// so that no turn is lost over layout.
func (o *Office) report(l Letter) (parts Parts, err error) {
	defer func() {
		if r := recover(); r != nil {
			o.cfg.Log.Error("the reporter panicked; the mail goes out plain", "game", l.Game.String(), "side", string(l.Side), "panic", fmt.Sprint(r))
			parts, err = Plain{}.Report(l)
		}
	}()
	parts, err = o.cfg.Reporter.Report(l)
	if err != nil {
		o.cfg.Log.Error("the reporter failed; the mail goes out plain", "game", l.Game.String(), "side", string(l.Side), "err", err)
		return Plain{}.Report(l)
	}
	return parts, nil
}
