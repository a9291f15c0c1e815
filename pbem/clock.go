package pbem

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"pbemd/engine"
	"pbemd/engine/dice"
)

// The kinds of timers.
const (
	timerRun      = "run"      // a step was closed and not played
	timerRemind   = "remind"   // half the time to answer is over
	timerDeadline = "deadline" // all of it
	timerBeacon   = "beacon"   // the round comes
	timerPlea     = "plea"
	timerTell     = "tell" // unreported events
	timerDays     = "days"
	timerMove     = "move" // the old address can't refuse any more
)

// tellTime is how long events may go unreported.
const tellTime = 24 * time.Hour

// runTime is how long a step that was closed waits for the mail that closed it
// to be taken again.
const runTime = 2 * time.Minute

// timers sets the timers of a game from its state.
func (o *Office) timers(t *table) {
	t.Timers = nil
	set := func(kind string, side engine.Side, at time.Time) {
		t.Timers = append(t.Timers, Timer{kind, side, at})
	}
	if t.Stage == Closed {
		return
	}
	if p := t.Pending; p != nil {
		switch {
		case p.Question != nil:
			if !p.Reminded {
				set(timerRemind, p.Question.Side, p.Asked.Add(p.Deadline.Sub(p.Asked)/2))
			}
			set(timerDeadline, p.Question.Side, p.Deadline)
		case p.Round > 0:
			at := p.Asked.Add(dice.BeaconDelay)
			if d := t.dice.Beacon(); d != nil {
				at = d.Time(p.Round)
			}
			if o.cfg.Now().After(at) {
				at = o.cfg.Now().Add(30 * time.Second)
			}
			set(timerBeacon, "", at)
		default:
			set(timerRun, "", p.Asked.Add(runTime))
		}
	}
	if t.Plea != nil {
		set(timerPlea, t.Plea.By, t.Plea.Until)
	}
	for _, s := range t.Seats {
		if !s.TellAt.IsZero() {
			set(timerTell, s.Side, s.TellAt)
		}
		if s.Moving != nil {
			at := s.Moving.Asked.Add(refuseTime)
			if !s.Moving.Taken { // an offer nobody takes up is dropped
				at = s.Moving.Asked.Add(7 * 24 * time.Hour)
			}
			set(timerMove, s.Side, at)
		}
	}
	if d := t.Terms.Days; d > 0 && t.Stage == Playing && t.Pending == nil && !t.free() && !t.Held && t.Reminds < 2 {
		days := d
		if t.Reminds == 1 {
			days += 2
		}
		set(timerDays, t.State.Side, t.Since.Add(time.Duration(days)*24*time.Hour))
	}
}

// Tick does what is due by the clock: deadlines, reminders, beacon rounds,
// reports that have waited long enough.
func (o *Office) Tick(ctx context.Context) error {
	now := o.cfg.Now().UTC()
	seen := map[GameID]bool{}
	var errs []error
	for {
		ids, err := o.cfg.Archive.Timers(now, len(seen)+100)
		if err != nil {
			return fmt.Errorf("look at the timers: %w", err)
		}
		fresh := false
		for _, id := range ids {
			if seen[id] || ctx.Err() != nil {
				continue
			}
			seen[id], fresh = true, true
			got := o.fetched(ctx, id, now)
			if err := o.do(ctx, func(w *work) error {
				w.fetched = got
				return w.tick(id)
			}); err != nil {
				o.cfg.Log.Error("a game's timer", "game", id.String(), "err", err)
				errs = append(errs, fmt.Errorf("timer of game %v: %w", id, err))
			}
		}
		if !fresh {
			return errors.Join(errs...)
		}
	}
}

// round is a beacon's signature that was fetched for a game.
type round struct {
	number    uint64
	signature []byte
}

// fetched gives the signature of the round that a game waits for, if that is due
// and the beacon has it. It is asked for before the work begins: relays may be
// slow, and mails of all games wait while work is done.
func (o *Office) fetched(ctx context.Context, id GameID, now time.Time) round {
	g, err := o.cfg.Archive.Game(id)
	if err != nil || o.cfg.Beacon == nil || g.Pending == nil || g.Pending.Round == 0 || g.Pending.Question != nil {
		return round{} // an unreadable game is spoken of by the work itself
	}
	if !slices.ContainsFunc(g.Timers, func(t Timer) bool { return t.Kind == timerBeacon && !t.At.After(now) }) {
		return round{}
	}
	sig, err := o.cfg.Beacon(ctx, g.Pending.Round)
	if err != nil {
		o.cfg.Log.Warn("the beacon's round isn't there yet", "game", id.String(), "round", g.Pending.Round, "err", err)
		return round{}
	}
	return round{g.Pending.Round, sig}
}

// tick does what is due in one game.
func (w *work) tick(id GameID) error {
	t, err := w.table(id)
	if err != nil {
		return err
	}
	for _, timer := range append([]Timer{}, t.Timers...) {
		switch {
		case timer.Kind == timerBeacon && w.fetched.number > 0: // due, though a mail may have set the timer anew meanwhile
		case timer.At.After(w.now),
			timer.Kind == timerDeadline && !w.o.caughtUp(timer.At), // an answer may be on its way
			timer.Kind == timerRun && !w.o.lookedIn():              // its mail may still lie in the mailbox
			continue
		}
		t.changed = true
		if err := w.due(t, timer); err != nil {
			return err
		}
	}
	return nil
}

func (w *work) due(t *table, timer Timer) error {
	log := w.o.cfg.Log.With("game", t.ID.String(), "side", string(timer.Side))
	switch timer.Kind {
	case timerRun:
		return w.resume(t)
	case timerBeacon:
		return w.beacon(t)
	case timerRemind:
		if p := t.Pending; p != nil && p.Question != nil {
			p.Reminded = true
			d := w.letter(t, p.Question.Side, Reminder, WordQuestion)
			d.l.Question = t.open()
			d.l.Lead = []engine.Text{engine.T("office.remind.answer", "no", p.No)}
			log.Info("reminder of a question")
		}
	case timerDeadline:
		if p := t.Pending; p != nil && p.Question != nil {
			log.Info("the time to answer is over")
			t.notice(p.Question.Side, engine.T("office.deadline.you", "no", p.No, "clause", p.Question.Options[p.Question.Default].Clause))
			for _, s := range t.Others(p.Question.Side) {
				s.Notices = append(s.Notices, engine.T("office.deadline.other", "side", engine.T("side."+string(p.Question.Side))))
			}
			return w.byDefault(t, nil)
		}
	case timerPlea:
		if p := t.Plea; p != nil {
			t.Plea = nil
			d := w.letter(t, p.By, Note, WordWaiting)
			d.l.Lead = []engine.Text{engine.T(t.words("office." + p.Kind + ".lapsed"))}
		}
	case timerTell:
		if s := t.Seat(timer.Side); s != nil && s.Told < t.Seq {
			w.reportTo(t, s.Side)
		} else if s != nil {
			s.TellAt = time.Time{}
		}
	case timerDays:
		return w.days(t)
	case timerMove:
		if s := t.Seat(timer.Side); s != nil && s.Moving != nil {
			if s.Moving.Taken {
				w.move(t, s)
			} else {
				s.Moving = nil
			}
		}
	}
	return nil
}

// byDefault answers the open question as its default says, because the time is
// over.
func (w *work) byDefault(t *table, to *draft) error {
	q := t.Pending.Question
	return w.answer(t, Given{Answer: engine.Answer{Option: q.Default, By: "deadline", Text: "deadline: " + q.Options[q.Default].Clause}}, to)
}

// lapse plays a step to its end by defaults, since the game is given up.
func (w *work) lapse(t *table, to *draft) error {
	for t.Pending != nil && t.Pending.Question != nil {
		if err := w.byDefault(t, to); err != nil {
			return err
		}
	}
	return nil
}

// resume plays a step that was closed before the server went down, and of which
// the mail was not seen again.
func (w *work) resume(t *table) error {
	p := t.Pending
	if p == nil || p.Question != nil || p.Round > 0 {
		return nil
	}
	b, err := w.o.burst(t, p.Burst)
	if err != nil {
		return err
	}
	var to *draft
	if b.Side != "" {
		to = w.letter(t, b.Side, Receipt, WordAccepted)
		to.key, to.answer, to.full, to.parent, to.burst = b.Mail, true, true, b.Reply.MessageID, b.N
		to.l.Normalised, to.l.ReadAs = b.Reply.Normalised, b.Reply.ReadAs
		if b.Reply.Other != "" {
			to.l.Notices = append(to.l.Notices, engine.T("office.from-other", "sender", b.Reply.Other))
		}
		for _, l := range b.Lines {
			to.l.Lines = append(to.l.Lines, LetterLine{Line: l.N, Text: l.Text})
		}
		t.Resumed = append(t.Resumed, b.Mail)
	}
	w.closed = append(w.closed, &closing{t: t, to: to, stored: true})
	return nil
}

// beacon plays the step that waits for a round, if the round was fetched; else
// its timer is set anew.
func (w *work) beacon(t *table) error {
	p := t.Pending
	if p == nil || p.Round == 0 || p.Question != nil || w.fetched.number != p.Round {
		return nil
	}
	return w.roll(t, nil, w.fetched.signature)
}

// days reminds the side to act, and later tells the operator and the opponent.
func (w *work) days(t *table) error {
	if t.Stage != Playing || t.Pending != nil || t.free() || t.Held {
		return nil
	}
	t.Reminds++
	days := int(w.now.Sub(t.Since).Hours() / 24)
	side := t.State.Side
	if t.Reminds == 1 {
		d := w.letter(t, side, Reminder, WordYourTurn)
		d.l.Lead = []engine.Text{engine.T("office.remind.orders", "days", days)}
		d.view, d.l.Template = true, t.template(side)
		return nil
	}
	w.o.cfg.Log.Warn("a player is silent", "game", t.ID.String(), "side", string(side), "days", days)
	for _, s := range t.Others(side) {
		d := w.letter(t, s.Side, Note, WordWaiting)
		d.l.Lead = []engine.Text{engine.T("office.silent", "side", engine.T("side."+string(side)), "days", days)}
	}
	return nil
}
