package pbem

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"pbemd/pbem/message"
)

// Pace is how often [Office.Run] looks at clock and outbox.
type Pace struct {
	Tick  time.Duration // 5 s by default
	Flush time.Duration // 10 s by default; at once when something is queued
	Pause time.Duration // after an error, 5 s by default
}

// laterTime is how long a mail that has to wait is left alone.
const laterTime = 5 * time.Minute

// grace is how long after a deadline a mail may still be on its way.
const grace = 10 * time.Minute

// Run serves until ctx ends: it drains the mailbox, keeps the clock and sends
// what is queued. It returns nil when ctx ends and everything at hand is done.
func (o *Office) Run(ctx context.Context, in Inbox, out Sender, p Pace) error {
	for _, f := range []struct {
		p *time.Duration
		d time.Duration
	}{{&p.Tick, 5 * time.Second}, {&p.Flush, 10 * time.Second}, {&p.Pause, 5 * time.Second}} {
		if *f.p == 0 {
			*f.p = f.d
		}
	}
	o.drains.Lock()
	o.serving = true
	o.drains.Unlock()
	var loops sync.WaitGroup
	loops.Go(func() { o.sending(ctx, out, p) })
	loops.Go(func() { o.ticking(ctx, p) })
	loops.Go(func() { o.prepare(ctx) })
	for ctx.Err() == nil {
		err := o.Drain(ctx, in)
		if err == nil {
			err = o.wait(ctx, in)
		}
		if err != nil && ctx.Err() == nil {
			o.cfg.Log.Warn("the mailbox", "err", err)
			rest(ctx, p.Pause)
		}
	}
	loops.Wait()
	return nil
}

// wait waits for new mail, but not longer than for the next mail that was held
// back.
func (o *Office) wait(ctx context.Context, in Inbox) error {
	soon := time.Duration(-1)
	for _, w := range o.waiting {
		if d := w.until.Sub(o.cfg.Now()); soon < 0 || d < soon {
			soon = max(0, d)
		}
	}
	if soon < 0 {
		return in.Wait(ctx)
	}
	short, cancel := context.WithTimeout(ctx, soon)
	defer cancel()
	if err := in.Wait(short); err != nil && (short.Err() == nil || ctx.Err() != nil) {
		return err
	}
	return nil
}

func rest(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

func (o *Office) sending(ctx context.Context, out Sender, p Pace) {
	for ctx.Err() == nil {
		if err := o.Flush(ctx, out); err != nil && ctx.Err() == nil {
			o.cfg.Log.Warn("the outbox", "err", err)
		}
		t := time.NewTimer(p.Flush)
		select {
		case <-ctx.Done():
		case <-t.C:
		case <-o.wake:
		}
		t.Stop()
	}
}

func (o *Office) ticking(ctx context.Context, p Pace) {
	for ctx.Err() == nil {
		if err := o.Tick(ctx); err != nil && ctx.Err() == nil {
			o.cfg.Log.Warn("the clock", "err", err)
		}
		rest(ctx, p.Tick)
	}
}

// Drain takes every message that lies in the mailbox and files it. A mail that
// has to wait stays; one that can't be taken now doesn't keep the next from it.
func (o *Office) Drain(ctx context.Context, in Inbox) error {
	began := o.cfg.Now()
	refs, err := in.List(ctx)
	if err != nil {
		return fmt.Errorf("list the mailbox: %w", err)
	}
	var errs []error
	lie := map[[2]uint32]waits{}
	whole := true
	// What is done is filed in sets. Until then it lies in the mailbox, and if the
	// server goes down it is known when it is seen again, as after every commit.
	done := map[Folder][]Ref{}
	file := func(to Folder) {
		if len(done[to]) == 0 {
			return
		}
		if err := FileAll(ctx, in, done[to], to); err != nil && ctx.Err() == nil {
			o.cfg.Log.Error("mails couldn't be filed", "folder", string(to), "mails", len(done[to]), "err", err)
			errs = append(errs, fmt.Errorf("file: %w", err))
		}
		delete(done, to)
	}
	for _, ref := range refs {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		id := [2]uint32{ref.UIDValidity, ref.UID}
		if w := o.waiting[id]; began.Before(w.until) {
			lie[id] = w
			whole = whole && !w.held
			continue
		}
		folder, err := o.one(ctx, in, ref)
		if err == nil && folder != "" {
			done[folder] = append(done[folder], ref)
			// A mail that was set aside may be what brings the server down: it goes at once.
			if folder == Quarantine || len(done[folder]) >= filedAtOnce {
				file(folder)
			}
		}
		var held heldBack
		if errors.As(err, &held) {
			o.cfg.Log.Warn("a mail is held back: the server went down several times during it", "mail", fmt.Sprintf("%d/%d", ref.UIDValidity, ref.UID), "until", held.until)
			lie[id] = waits{held.until, true}
			whole = false
		} else if errors.Is(err, ErrLater) {
			if _, told := o.waiting[id]; !told {
				o.cfg.Log.Warn("a mail has to wait", "mail", fmt.Sprintf("%d/%d", ref.UIDValidity, ref.UID), "why", err)
			}
			lie[id] = waits{until: began.Add(laterTime)}
		} else if err != nil {
			o.cfg.Log.Error("a mail couldn't be taken", "mail", fmt.Sprintf("%d/%d", ref.UIDValidity, ref.UID), "err", err)
			errs = append(errs, err)
		}
	}
	file(Processed)
	o.waiting = lie
	if len(errs) == 0 && whole {
		o.drains.Lock()
		o.drained = began
		o.drains.Unlock()
	}
	return errors.Join(errs...)
}

// filedAtOnce is how many messages are filed together.
const filedAtOnce = 50

// one takes one message and says where it goes; "" is nowhere.
func (o *Office) one(ctx context.Context, in Inbox, ref Ref) (folder Folder, err error) {
	var raw []byte
	err = ErrTooLarge
	if ref.Size <= message.MaxBytes {
		raw, err = in.Fetch(ctx, ref)
	}
	switch {
	case errors.Is(err, ErrGone):
		o.cfg.Log.Warn("a mail is gone from the mailbox before it was read", "mail", fmt.Sprintf("%d/%d", ref.UIDValidity, ref.UID))
		return "", nil
	case errors.Is(err, ErrTooLarge):
		var header []byte
		if h, ok := in.(Headers); ok {
			header, err = h.Header(ctx, ref)
			if err != nil && !errors.Is(err, ErrGone) && !errors.Is(err, ErrTooLarge) {
				return "", fmt.Errorf("fetch the header: %w", err)
			}
		}
		folder, err = o.TakeLarge(ctx, ref, header)
	case err != nil:
		return "", fmt.Errorf("fetch: %w", err)
	default:
		folder, err = o.Take(ctx, ref, raw)
	}
	return folder, err
}

// lookedIn reports whether the mailbox has been drained since the office began
// to serve it.
func (o *Office) lookedIn() bool {
	o.drains.Lock()
	defer o.drains.Unlock()
	return !o.serving || !o.drained.IsZero()
}

// caughtUp reports whether every mail that came before a time has been seen. An
// office that isn't serving a mailbox has seen everything there is.
func (o *Office) caughtUp(t time.Time) bool {
	o.drains.Lock()
	defer o.drains.Unlock()
	return !o.serving || o.drained.After(t.Add(grace))
}
