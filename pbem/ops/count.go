package ops

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"pbemd/pbem"
)

// counts is what the archive held at a time.
type counts struct {
	at      time.Time
	out     map[pbem.OutState]int
	oldest  time.Time // of the pending mails
	stages  map[pbem.Stage]int
	waiting map[string]int
	held    int
	err     error
}

// fresh is how long a count is good for: counting reads every game.
const fresh = 10 * time.Second

// What a game can wait for.
const (
	forOrders = "orders"
	forAnswer = "answer"
	forBeacon = "beacon"
	forStep   = "step" // a step that is closed and not played
	forJoin   = "join"
)

// count looks into the archive, not more often than need be.
func (m *Metrics) count() counts {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	if m.archive == nil || !m.counted.at.IsZero() && now.Sub(m.counted.at) < fresh {
		return m.counted
	}
	c := counts{at: now, out: map[pbem.OutState]int{}, stages: map[pbem.Stage]int{}, waiting: map[string]int{}}
	c.err = c.outbox(m.archive)
	if c.err == nil {
		c.err = c.games(m.archive)
	}
	m.counted = c
	return c
}

func (c *counts) outbox(a pbem.Archive) error {
	for _, state := range []pbem.OutState{pbem.OutPending, pbem.OutHeld, pbem.OutParked} {
		c.out[state] = 0
		for after := ""; ; {
			list, err := a.Outbox(state, after, 500)
			if err != nil {
				return err
			}
			if len(list) == 0 {
				break
			}
			for _, o := range list {
				c.out[state]++
				if state == pbem.OutPending && (c.oldest.IsZero() || o.Queued.Before(c.oldest)) {
					c.oldest = o.Queued
				}
			}
			after = list[len(list)-1].ID
		}
	}
	return nil
}

func (c *counts) games(a pbem.Archive) error {
	for _, s := range []pbem.Stage{pbem.Inviting, pbem.Playing, pbem.Over, pbem.Closed} {
		c.stages[s] = 0
	}
	for _, w := range []string{forOrders, forAnswer, forBeacon, forStep, forJoin} {
		c.waiting[w] = 0
	}
	for after := pbem.GameID(0); ; {
		list, err := a.Games(after, 500)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			return nil
		}
		for _, g := range list {
			c.stages[g.Stage]++
			if g.Held {
				c.held++
			}
			if w := waitsFor(g); w != "" {
				c.waiting[w]++
			}
			after = g.ID
		}
	}
}

// waitsFor says what a game waits for; "" if nothing.
func waitsFor(g pbem.Game) string {
	switch p := g.Pending; {
	case g.Stage == pbem.Inviting:
		return forJoin
	case g.Stage != pbem.Playing:
		return ""
	case p == nil:
		return forOrders
	case p.Question != nil:
		return forAnswer
	case p.Round > 0:
		return forBeacon
	}
	return forStep
}

// shelf is the metrics of the archive as a [prometheus.Collector].
type shelf Metrics

var (
	descOut     = prometheus.NewDesc("pbem_outbox_mails", "Mails in the outbox that were not sent, by state.", []string{"state"}, nil)
	descOldest  = prometheus.NewDesc("pbem_outbox_oldest_seconds", "Age of the oldest mail that waits to be sent; 0 if none does.", nil, nil)
	descStages  = prometheus.NewDesc("pbem_games", "Games by stage.", []string{"stage"}, nil)
	descWaiting = prometheus.NewDesc("pbem_games_waiting", "Games by what they wait for.", []string{"for"}, nil)
	descHeld    = prometheus.NewDesc("pbem_games_held", "Games that the operator holds.", nil, nil)
	descStore   = prometheus.NewDesc("pbem_store_up", "1 if the store could be read.", nil, nil)
)

// Describe implements [prometheus.Collector].
func (s *shelf) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{descOut, descOldest, descStages, descWaiting, descHeld, descStore} {
		ch <- d
	}
}

// Collect implements [prometheus.Collector].
func (s *shelf) Collect(ch chan<- prometheus.Metric) {
	m := (*Metrics)(s)
	c := m.count()
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	if c.at.IsZero() {
		return
	}
	if c.err != nil {
		gauge(descStore, 0)
		return
	}
	gauge(descStore, 1)
	for state, n := range c.out {
		gauge(descOut, float64(n), string(state))
	}
	age := 0.0
	if !c.oldest.IsZero() {
		age = max(0, m.now().Sub(c.oldest).Seconds())
	}
	gauge(descOldest, age)
	for stage, n := range c.stages {
		gauge(descStages, float64(n), string(stage))
	}
	for what, n := range c.waiting {
		gauge(descWaiting, float64(n), what)
	}
	gauge(descHeld, float64(c.held))
}
