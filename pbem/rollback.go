package pbem

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"pbemd/engine"
	"pbemd/engine/dice"
)

// RolledBack is what a rollback has done.
type RolledBack struct {
	Steps  int // played again
	Sheets int // without dice, carried out again
	Asked  int // questions that only the new course asks, answered by their defaults
	Before int // events that no longer count
	After  int // events in their place
}

// Rollback repairs a fault of the rules in a running game: it goes back to before
// a step and carries out everything from there again, by the rules as they are
// now. Each step is played from its own close record with the same key, so
// outcomes may change and dice never; an amendment says so in the open, and both
// sides are mailed what it comes to. Nothing of that is decided anew: answers
// stay, and a question that only the new course asks gets its default.
func (o *Office) Rollback(ctx context.Context, id GameID, step int, reason string) (RolledBack, error) {
	var r RolledBack
	if strings.TrimSpace(reason) == "" {
		return r, errors.New("say why: both players will read it, and it stands in the proof")
	}
	err := o.do(ctx, func(w *work) error {
		r = RolledBack{}
		t, err := w.table(id)
		if err != nil {
			return fmt.Errorf("game %v: %w", id, err)
		}
		return w.rollback(t, step, reason, &r)
	})
	return r, err
}

func (w *work) rollback(t *table, step int, reason string, r *RolledBack) error {
	switch {
	case t.Stage != Playing:
		return fmt.Errorf("game %v is %s: its records are closed, or not yet begun", t.ID, t.Stage)
	case t.Pending != nil:
		return fmt.Errorf("step %d of game %v is under way; roll back when it is over", t.Step, t.ID)
	}
	bursts, err := w.from(t, step)
	if err != nil {
		return err
	}
	rec, err := t.dice.Rollback(step, t.play.Version(), reason, w.now)
	if err != nil {
		return fmt.Errorf("roll back game %v: %w", t.ID, err)
	}
	t.seal(rec, nil)
	t.Version = t.play.Version()
	beacons, err := w.beacons(t)
	if err != nil {
		return err
	}
	back := bursts[0].From
	r.Before = t.Seq - back
	t.cut(back, bursts[0].N, w.now)
	t.Floor, t.Began = back, min(t.Began, back)
	t.Plea = nil
	for i := range bursts {
		if err := w.again(t, &bursts[i], beacons[bursts[i].Step], r); err != nil {
			return err
		}
	}
	r.After = t.Seq - back
	t.played = true
	for i := range t.Seats {
		s := &t.Seats[i]
		s.Told = min(s.Told, back)
		d := w.letter(t, s.Side, Report, WordWaiting)
		d.full = true
		d.l.Lead = []engine.Text{engine.T("dice.rollback", "step", step, "rules", t.Version, "reason", reason)}
	}
	w.o.cfg.Log.Warn("a game was rolled back", "game", t.ID.String(), "step", step, "steps", r.Steps, "reason", reason)
	return w.after(t, bursts[len(bursts)-1])
}

// from are the bursts from that of a step on, without those that were undone.
func (w *work) from(t *table, step int) ([]Burst, error) {
	var out []Burst
	for n := 1; n <= t.Bursts; n++ {
		b, err := w.o.burst(t, n)
		if err != nil {
			return nil, err
		}
		if (len(out) > 0 || b.Step == step && step > 0) && !b.Undone {
			out = append(out, b)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("game %v has no step %d that was played; its last is %d", t.ID, step, t.Step)
	}
	return out, nil
}

// beacons are the signatures that the steps were played with.
func (w *work) beacons(t *table) (map[int][]byte, error) {
	out := map[int][]byte{}
	for _, s := range w.allRecords(t, 0) {
		rec, err := dice.Parse([]byte(s.Text))
		if err != nil {
			return nil, fmt.Errorf("record %d of game %v: %w", s.N, t.ID, err)
		}
		if b, ok := rec.Body.(dice.Step); ok {
			out[b.Step] = b.Beacon
		}
	}
	return out, nil
}

// again carries out a burst anew, from its beginning to its end.
func (w *work) again(t *table, b *Burst, beacon []byte, r *RolledBack) error {
	var cup engine.Dice
	if b.Step > 0 {
		c, err := t.dice.Cup(b.Step, beacon)
		if err != nil {
			return err
		}
		cup = c
	}
	b.From, b.Began, b.Version, b.State = t.Seq, t.Began, t.play.Version(), t.pos.State()
	// Only the start and the questions look at what is under way.
	t.Pending = &Pending{Burst: b.N}
	defer func() { t.Pending = nil }()
	run, err := w.rerun(t, b, cup)
	for err == nil && run.Question != nil {
		q := run.Question
		b.Answers = append(b.Answers, Given{Answer: engine.Answer{Order: run.Next, Decision: q.Decision, Side: q.Side, Option: q.Default,
			By: "deadline", Text: "deadline: " + q.Options[q.Default].Clause}})
		r.Asked++
		run, err = w.rerun(t, b, cup)
	}
	if err != nil {
		return err
	}
	if b.Cut {
		run = cutBack(t, run)
	}
	if err := w.take(t, b, run); err != nil {
		return err
	}
	b.To = t.Seq
	if b.Step == 0 {
		r.Sheets++
		t.putBurst(*b)
		return nil
	}
	r.Steps++
	if b.Side == "" {
		t.Began = t.Seq
	}
	t.Floor = t.Seq
	played, err := w.played(t, b, beacon)
	if err != nil {
		return err
	}
	rec, err := t.dice.Finish(played)
	if err != nil {
		return err
	}
	t.seal(rec, nil)
	t.putBurst(*b)
	return nil
}

// cutBack leaves of a run what was left when its end was taken back: all up to
// where the last phase in it began.
func cutBack(t *table, run engine.Execution) engine.Execution {
	p := t.pos.Clone()
	serial, keep := p.State().Serial, 0
	for i, e := range run.Events {
		p.Apply(e)
		if n := p.State().Serial; n != serial {
			serial, keep = n, i+1
		}
	}
	run.Events = run.Events[:keep]
	run.Position = t.pos.Clone()
	for _, e := range run.Events {
		run.Position.Apply(e)
	}
	left := keep
	for i := range run.Verdicts {
		v := &run.Verdicts[i]
		v.Events = v.Events[:min(len(v.Events), left)]
		left -= len(v.Events)
	}
	return run
}
