// Package ops lets the operator see the post office run: numbers for Prometheus
// at /metrics and a plain yes or no at /healthz, on a loopback port.
//
// It is told of mails by the office ([pbem.Watch]), looks over the shoulder of
// the two ends ([Metrics.Inbox], [Metrics.Sender]), and counts outbox and games
// in the archive when it is asked. It never shows an address, a token, a subject
// or anything that a player wrote, and it listens on no other address than
// loopback.
package ops

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"pbemd/pbem"
)

// Metrics counts what happens. Make it with [New], give it to the office as its
// Watch, and give it the archive with [Metrics.Over].
type Metrics struct {
	now      func() time.Time
	registry *prometheus.Registry
	mails    *prometheus.CounterVec
	lag      prometheus.Histogram
	sends    *prometheus.CounterVec
	mailbox  end
	server   end

	mu      sync.Mutex
	archive pbem.Archive
	counted counts
}

var _ pbem.Watch = (*Metrics)(nil)

// outcomes are shown from the start, so that a rate can be told from nothing.
var outcomes = []pbem.Outcome{pbem.Accepted, pbem.Duplicate, pbem.Ignored, pbem.Rejected, pbem.Quarantined}

// outStates are the states that an attempt to send can end in.
var outStates = []pbem.OutState{pbem.OutSent, pbem.OutPending, pbem.OutParked}

// New makes metrics that read the time from a clock.
func New(now func() time.Time) *Metrics {
	m := &Metrics{now: now, registry: prometheus.NewRegistry()}
	m.mailbox.since, m.server.since = now(), now()
	m.mails = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "pbem_mails_total", Help: "Incoming mails by what became of them.",
	}, []string{"outcome"})
	m.lag = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "pbem_mail_lag_seconds", Help: "Time from a mail's arrival at the mail server (INTERNALDATE) to the commit of its effects.",
		Buckets: []float64{0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3600, 6 * 3600, 12 * 3600, 24 * 3600},
	})
	m.sends = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "pbem_sends_total", Help: "Attempts to send a mail by the state it was in afterwards.",
	}, []string{"state"})
	for _, o := range outcomes {
		m.mails.WithLabelValues(string(o))
	}
	for _, s := range outStates {
		m.sends.WithLabelValues(string(s))
	}
	m.registry.MustRegister(m.mails, m.lag, m.sends, (*shelf)(m),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, e := range []struct {
		name, what string
		end        *end
	}{{"mailbox", "mailbox", &m.mailbox}, {"smtp", "mail server", &m.server}} {
		m.registry.MustRegister(
			prometheus.NewGaugeFunc(prometheus.GaugeOpts{
				Name: "pbem_" + e.name + "_up", Help: "1 if the last word with the " + e.what + " went well.",
			}, func() float64 { return e.end.up() }),
			prometheus.NewGaugeFunc(prometheus.GaugeOpts{
				Name: "pbem_" + e.name + "_last_success_timestamp_seconds", Help: "When the " + e.what + " last answered as it should; 0: never.",
			}, func() float64 { return e.end.lastGood() }),
			prometheus.NewCounterFunc(prometheus.CounterOpts{
				Name: "pbem_" + e.name + "_failures_total", Help: "Times the " + e.what + " was out of reach.",
			}, func() float64 { return e.end.failures() }))
	}
	return m
}

// Over has outbox and games of an archive counted whenever somebody asks.
func (m *Metrics) Over(a pbem.Archive) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.archive = a
}

// Taken implements [pbem.Watch].
func (m *Metrics) Taken(outcome pbem.Outcome, lag time.Duration) {
	m.mails.WithLabelValues(string(outcome)).Inc()
	m.lag.Observe(max(0, lag.Seconds()))
}

// Tried implements [pbem.Watch].
func (m *Metrics) Tried(state pbem.OutState) { m.sends.WithLabelValues(string(state)).Inc() }

// end is what is known of one end of the post office.
type end struct {
	mu    sync.Mutex
	since time.Time // it has been as it is since then
	good  time.Time // the last success
	bad   bool
	fails int
}

func (e *end) note(now time.Time, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if ok {
		e.good = now
	} else {
		e.fails++
	}
	if e.bad == ok {
		e.since = now
	}
	e.bad = !ok
}

func (e *end) up() float64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.bad || e.good.IsZero() {
		return 0
	}
	return 1
}

func (e *end) lastGood() float64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.good.IsZero() {
		return 0
	}
	return float64(e.good.UnixNano()) / 1e9
}

func (e *end) failures() float64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return float64(e.fails)
}

var (
	_ pbem.Headers = (*watchedInbox)(nil)
	_ pbem.Sets    = (*watchedInbox)(nil)
)

// Inbox looks over the shoulder of an inbox.
func (m *Metrics) Inbox(in pbem.Inbox) pbem.Inbox { return &watchedInbox{in, m} }

type watchedInbox struct {
	pbem.Inbox
	m *Metrics
}

// note takes an answer about one message for a sign of life.
func (w *watchedInbox) note(ctx context.Context, err error) {
	if err != nil && ctx.Err() != nil {
		return
	}
	ok := err == nil || errors.Is(err, pbem.ErrGone) || errors.Is(err, pbem.ErrTooLarge)
	w.m.mailbox.note(w.m.now(), ok)
}

// List implements [pbem.Inbox].
func (w *watchedInbox) List(ctx context.Context) ([]pbem.Ref, error) {
	refs, err := w.Inbox.List(ctx)
	w.note(ctx, err)
	return refs, err
}

// Fetch implements [pbem.Inbox].
func (w *watchedInbox) Fetch(ctx context.Context, r pbem.Ref) ([]byte, error) {
	raw, err := w.Inbox.Fetch(ctx, r)
	w.note(ctx, err)
	return raw, err
}

// File implements [pbem.Inbox].
func (w *watchedInbox) File(ctx context.Context, r pbem.Ref, to pbem.Folder) error {
	err := w.Inbox.File(ctx, r, to)
	w.note(ctx, err)
	return err
}

// Header implements [pbem.Headers], as far as the inbox below does.
func (w *watchedInbox) Header(ctx context.Context, r pbem.Ref) ([]byte, error) {
	h, ok := w.Inbox.(pbem.Headers)
	if !ok {
		return nil, pbem.ErrTooLarge
	}
	raw, err := h.Header(ctx, r)
	w.note(ctx, err)
	return raw, err
}

// FileSet implements [pbem.Sets], whether the inbox below does or not.
func (w *watchedInbox) FileSet(ctx context.Context, refs []pbem.Ref, to pbem.Folder) error {
	err := pbem.FileAll(ctx, w.Inbox, refs, to)
	w.note(ctx, err)
	return err
}

// Wait implements [pbem.Inbox].
func (w *watchedInbox) Wait(ctx context.Context) error {
	err := w.Inbox.Wait(ctx)
	w.note(ctx, err)
	return err
}

// Sender looks over the shoulder of a sender.
func (m *Metrics) Sender(out pbem.Sender) pbem.Sender { return &watchedSender{out, m} }

type watchedSender struct {
	pbem.Sender
	m *Metrics
}

// Send implements [pbem.Sender]. A refusal of one mail is an answer of a server
// that is well; a refused login is not.
func (w *watchedSender) Send(ctx context.Context, e pbem.Envelope, message []byte) error {
	err := w.Sender.Send(ctx, e, message)
	if err != nil && ctx.Err() != nil {
		return err
	}
	var se *pbem.SendError
	ok := err == nil || errors.As(err, &se) && (se.Delivered || !se.Temporary || se.Code != 0 && !session(se.Code))
	w.m.server.note(w.m.now(), ok)
	return err
}

// session says whether a reply is about the session and not about a mail.
func session(code int) bool {
	switch code {
	case 421, 454, 530, 534, 535, 538:
		return true
	}
	return false
}
