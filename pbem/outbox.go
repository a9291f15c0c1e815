package pbem

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"pbemd/engine"
	"pbemd/pbem/auth"
	"pbemd/pbem/message"
)

// backoff is the wait after so many failures; from then on it is an hour.
var backoff = []time.Duration{time.Minute, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute}

// again is when a mail is tried again after so many tries.
func (o *Office) again(now time.Time, tries int) time.Time {
	d := time.Hour
	if tries-1 < len(backoff) {
		d = backoff[tries-1]
	}
	return now.Add(d + time.Duration(o.cfg.Jitter()*0.2*float64(d)))
}

// hourly counts what the whole server sends.
const hourly = "all mails sent"

// Flush sends what is due, the longest waiting first. It returns an error if
// the archive fails or the mail server can't be reached at all; refusals of
// single mails are kept with them.
func (o *Office) Flush(ctx context.Context, s Sender) error {
	o.flush.Lock()
	defer o.flush.Unlock()
	if err := o.mark(); err != nil {
		return err
	}
	unreached := 0
	for ctx.Err() == nil {
		now := o.cfg.Now().UTC()
		due, err := o.cfg.Archive.Due(now, 20)
		if err != nil {
			return fmt.Errorf("look into the outbox: %w", err)
		}
		if len(due) == 0 {
			return nil
		}
		for _, m := range due {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			count, err := o.cfg.Archive.Account(hourly)
			if err != nil {
				return fmt.Errorf("count mails sent: %w", err)
			}
			if hour := now.Truncate(time.Hour); !count.Hour.Equal(hour) {
				count.Hour, count.Answers = hour, 0
			}
			if count.Answers >= o.cfg.Caps.SentPerHour {
				o.cfg.Log.Error("the outbox rests: too many mails this hour", "cap", o.cfg.Caps.SentPerHour)
				return nil
			}
			share, over, err := o.share(m, now)
			if err != nil {
				return err
			}
			if over {
				m.Next = now.Truncate(time.Hour).Add(time.Hour)
				o.cfg.Log.Warn("a mail waits: its seat has had its share of this hour", "mail", m.ID, "game", m.Game.String(), "side", string(m.Side), "until", m.Next)
				if err := o.cfg.Archive.Commit(Change{Outgoing: []Outgoing{m}}); err != nil {
					return fmt.Errorf("put mail %s off: %w", m.ID, err)
				}
				continue
			}
			sent, reached, err := o.send(ctx, s, m, count, share)
			if err != nil {
				return err
			}
			switch {
			case sent || reached:
				unreached = 0
			default:
				if unreached++; unreached == 3 {
					return errors.New("the mail server is out of reach")
				}
			}
		}
	}
	return ctx.Err()
}

// leastShare is what a seat may be sent in an hour however little the server may.
const leastShare = 10

// share is the account of what a seat has been sent in this hour, and whether it
// is up: one seat gets half of what the server may send at most, and a quarter
// more by words of the other side, so that neither leaves others without.
func (o *Office) share(m Outgoing, now time.Time) (a Account, over bool, err error) {
	name, most := "mails sent to ", o.cfg.Caps.SentPerHour/2
	if m.Kind == string(Relay) {
		name, most = "words sent to ", o.cfg.Caps.SentPerHour/4
	}
	a, err = o.cfg.Archive.Account(name + strings.ToLower(m.To))
	if err != nil {
		return a, false, fmt.Errorf("count mails to a seat: %w", err)
	}
	if hour := now.Truncate(time.Hour); !a.Hour.Equal(hour) {
		a.Hour, a.Answers = hour, 0
	}
	return a, a.Answers >= max(most, leastShare), nil
}

// send sends one mail and keeps what became of it.
func (o *Office) send(ctx context.Context, s Sender, m Outgoing, counts ...Account) (sent, reached bool, err error) {
	whole, err := o.cfg.Archive.Outgoing(m.ID)
	if err != nil {
		return false, false, fmt.Errorf("read outgoing mail %s: %w", m.ID, err)
	}
	err = s.Send(ctx, Envelope{From: m.From, To: m.To}, whole.Message)
	if err != nil && ctx.Err() != nil {
		return false, false, ctx.Err()
	}
	now := o.cfg.Now().UTC()
	m.Tries++
	log := o.cfg.Log.With("mail", m.ID, "game", m.Game.String(), "side", string(m.Side))
	var se *SendError
	reached = errors.As(err, &se) && se.Code != 0
	switch {
	case err == nil, errors.As(err, &se) && se.Delivered:
		m.State, m.Sent, m.Error = OutSent, now, ""
		for i := range counts {
			counts[i].Answers++
		}
		sent = true
		log.Info("mail sent", "kind", m.Kind, "tries", m.Tries)
	case errors.As(err, &se) && !se.Temporary:
		m.State, m.Error = OutParked, reason(err, m.To)
		log.Error("mail refused for good; it is parked", "kind", m.Kind, "code", se.Code)
	case now.Sub(m.Queued) >= o.cfg.Caps.Park:
		m.State, m.Error = OutParked, reason(err, m.To)
		log.Error("mail couldn't be sent for days; it is parked", "kind", m.Kind, "tries", m.Tries)
	default:
		m.Next, m.Error = o.again(now, m.Tries), reason(err, m.To)
		log.Warn("mail couldn't be sent for now", "kind", m.Kind, "tries", m.Tries, "next", m.Next)
	}
	o.cfg.Watch.Tried(m.State)
	c := Change{Outgoing: []Outgoing{m}}
	if sent {
		c.Accounts = counts
	}
	if err := o.cfg.Archive.Commit(c); err != nil {
		o.unmarked = append(o.unmarked, c)
		return sent, reached, fmt.Errorf("mark mail %s: %w", m.ID, err)
	}
	return sent, reached, nil
}

// mark keeps what became of mails while the store couldn't be written. Until it
// can nothing is sent, or the same mails would go out over and over.
func (o *Office) mark() error {
	for len(o.unmarked) > 0 {
		if err := o.cfg.Archive.Commit(o.unmarked[0]); err != nil {
			return fmt.Errorf("nothing is sent, for the store can't be written: %w", err)
		}
		o.unmarked = o.unmarked[1:]
	}
	return nil
}

// reason is an error as it may be kept: without the address.
func reason(err error, address string) string {
	return clipped(strings.ReplaceAll(err.Error(), address, "…"))
}

// Retry has a parked or held mail sent again now.
func (o *Office) Retry(ctx context.Context, id string) error {
	return o.restate(ctx, id, func(m *Outgoing) error {
		if m.State == OutSent || m.State == OutPending {
			return fmt.Errorf("mail %s is %s", id, m.State)
		}
		m.State, m.Next, m.Queued = OutPending, o.cfg.Now().UTC(), o.cfg.Now().UTC()
		return nil
	})
}

// Requeue has a mail that was sent already sent once more, the same bytes.
func (o *Office) Requeue(ctx context.Context, id string) error {
	return o.restate(ctx, id, func(m *Outgoing) error {
		m.State, m.Next, m.Queued = OutPending, o.cfg.Now().UTC(), o.cfg.Now().UTC()
		return nil
	})
}

// Drop gives a mail up.
func (o *Office) Drop(ctx context.Context, id string) error {
	return o.restate(ctx, id, func(m *Outgoing) error {
		if m.State == OutSent {
			return fmt.Errorf("mail %s has been sent", id)
		}
		m.State = OutDropped
		return nil
	})
}

func (o *Office) restate(_ context.Context, id string, f func(*Outgoing) error) error {
	o.flush.Lock()
	defer o.flush.Unlock()
	m, err := o.cfg.Archive.Outgoing(id)
	if err != nil {
		return fmt.Errorf("mail %s: %w", id, err)
	}
	m.Message = nil
	if err := f(&m); err != nil {
		return err
	}
	return o.cfg.Archive.Commit(Change{Outgoing: []Outgoing{m}})
}

// bounceKey proves that a bounce answers a mail of ours.
func (o *Office) bounceKey(id string) string {
	h := hmac.New(sha256.New, o.cfg.TokenKey)
	fmt.Fprintf(h, "pbem-bounce-v1 %s", id)
	return hex.EncodeToString(h.Sum(nil)[:5])
}

// bounceAddress makes bounces tell which mail they are about, so that nobody
// else can.
func (o *Office) bounceAddress(id string) string {
	if o.cfg.SubjectTokens {
		return o.cfg.Mailbox
	}
	local, domain, _ := strings.Cut(o.cfg.Mailbox, "@")
	return local + "+b-" + id + "-" + o.bounceKey(id) + "@" + domain
}

// bounced finds the mail that a bounce is about.
func (o *Office) bounced(m *message.Mail) string {
	local, _, _ := strings.Cut(strings.ToLower(o.cfg.Mailbox), "@")
	for _, r := range m.Recipients() {
		l, _, _ := strings.Cut(strings.ToLower(r), "@")
		tag, ok := strings.CutPrefix(l, local+"+b-")
		if i := strings.LastIndexByte(tag, '-'); ok && i > 0 && auth.Equal(tag[i+1:], o.bounceKey(tag[:i])) {
			return tag[:i]
		}
	}
	if o.cfg.SubjectTokens {
		local, _, _ := strings.Cut(strings.Trim(m.Bounce.OriginalMessageID, "<> "), "@")
		if i := strings.LastIndexByte(local, '.'); i > 0 && auth.Equal(local[i+1:], o.bounceKey(local[:i])) {
			return local[:i]
		}
	}
	return ""
}

// suspendAfter is how many hard bounces make an address failing.
const suspendAfter = 2

// bounce counts a delivery report against the address it is about.
func (w *work) bounce(m *message.Mail) {
	id := w.o.bounced(m)
	if id == "" || !m.Bounce.Hard() {
		return
	}
	out, err := w.o.cfg.Archive.Outgoing(id)
	if err != nil || out.Game == 0 {
		return
	}
	log := w.o.cfg.Log.With("game", out.Game.String(), "side", string(out.Side), "mail", id)
	if m.Bounce.Recipient != "" && auth.Canonical(m.Bounce.Recipient) != auth.Canonical(out.To) {
		log.Warn("a bounce names another recipient than its mail")
		return
	}
	a, err := w.account(out.To)
	if err != nil {
		return
	}
	a.Bounces++
	log.Warn("mail bounced", "status", m.Bounce.Status, "bounces", a.Bounces)
	if a.Bounces >= suspendAfter && !a.Suspended {
		a.Suspended = true
		log.Error("an address fails: its mail is held until it writes or the seat is changed")
		w.suspend(out.To)
	}
	w.putAccount(a)
}

// suspend holds the outbox of an address and marks its seats.
func (w *work) suspend(address string) {
	refs, err := w.o.cfg.Archive.Seats(address)
	if err != nil {
		w.o.cfg.Log.Error("seats of a failing address", "err", err)
	}
	for _, r := range refs {
		if t, err := w.table(r.Game); err == nil {
			if s := t.Seat(r.Side); s != nil {
				s.Failing, t.changed = true, true
			}
		}
	}
	w.each(OutPending, address, OutHeld)
}

// revive ends a suspension: the address has written.
func (w *work) revive(t *table, side engine.Side) {
	s := t.Seat(side)
	s.Failing, t.changed = false, true
	if a, err := w.account(s.Address); err == nil {
		a.Bounces, a.Suspended = 0, false
		w.putAccount(a)
	}
	w.each(OutHeld, s.Address, OutPending)
}

// each moves the mails of an address from one state to another.
func (w *work) each(from OutState, address string, to OutState) {
	after := ""
	for {
		list, err := w.o.cfg.Archive.Outbox(from, after, 200)
		if err != nil {
			w.o.cfg.Log.Error("look into the outbox", "err", err)
			return
		}
		if len(list) == 0 {
			return
		}
		for _, m := range list {
			after = m.ID
			if strings.EqualFold(m.To, address) {
				m.State, m.Next = to, w.now
				w.change.Outgoing = append(w.change.Outgoing, m)
			}
		}
	}
}
