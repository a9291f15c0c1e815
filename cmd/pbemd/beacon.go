package main

import (
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"pbemd/pbem"
	"pbemd/pbem/beacon"
)

// demoBeacon is the beacon of a demonstration: a fake one, served on a loopback
// port as a relay of drand serves its own, and the clock by which its rounds and
// the daemon go. A round comes ten minutes after a step is closed; as soon as both
// players have the close record in their mailboxes the clock is put forward to it,
// so that nobody has to sit and wait.
type demoBeacon struct {
	*beacon.Fake
	say    func(who, format string, args ...any)
	relay  *http.Server
	addr   string
	nobody string // an address where no relay listens
	served chan error

	mu    sync.Mutex
	ahead time.Duration
	read  map[uint64]map[string]bool // who has read the close record that names a round
	late  uint64                     // the first round asked for, which is late; 0 until then
}

// demoRetry is when the daemon tries again after a round that was late.
const demoRetry = 31 * time.Second

// demoPause is the time in which the daemon has noted that a round is late.
const demoPause = 500 * time.Millisecond

// startBeacon serves the rounds of a fake beacon.
func startBeacon(say func(who, format string, args ...any)) (*demoBeacon, error) {
	f, err := beacon.NewFake("demo")
	if err != nil {
		return nil, err
	}
	b := &demoBeacon{Fake: f, say: say, served: make(chan error, 1), read: map[uint64]map[string]bool{}}
	f.Now = b.now
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the beacon's relay: %w", err)
	}
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("start the beacon's relay: %w", err)
	}
	b.addr, b.nobody = l.Addr().String(), gone.Addr().String()
	gone.Close()
	b.relay = &http.Server{Handler: b, ReadHeaderTimeout: 5 * time.Second}
	go func() { b.served <- b.relay.Serve(l) }()
	return b, nil
}

func (b *demoBeacon) close() error {
	err := b.relay.Close()
	<-b.served // says that it was closed
	return err
}

// now is the time of the demonstration.
func (b *demoBeacon) now() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return time.Now().Add(b.ahead)
}

// forward puts the clock forward to a time, never back.
func (b *demoBeacon) forward(to time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ahead = max(b.ahead, time.Until(to))
}

// closed takes note that a player has read a close record which names a round.
func (b *demoBeacon) closed(player string, round uint64, players int) {
	b.mu.Lock()
	if b.read[round] == nil {
		b.read[round] = map[string]bool{}
	}
	again := b.read[round][player]
	b.read[round][player] = true
	all := len(b.read[round]) == players
	b.mu.Unlock()
	if all && !again {
		b.say("clock", "both players have the close record; put forward to round %d of the beacon", round)
		b.forward(b.Time(round).Add(time.Second))
	}
}

// ServeHTTP answers as a relay. The first round that it is asked for is late once,
// so that one sees the daemon wait.
func (b *demoBeacon) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var round uint64
	if _, err := fmt.Sscanf(r.URL.Path, "/"+b.Chain.String()+"/public/%d", &round); err != nil {
		http.NotFound(w, r)
		return
	}
	b.mu.Lock()
	late := b.late == 0
	if late {
		b.late = round
	}
	b.mu.Unlock()
	if late {
		b.say("relay", "round %d is late; the daemon waits for it", round)
		time.AfterFunc(demoPause, func() { b.forward(b.now().Add(demoRetry)) })
		http.Error(w, "too early", http.StatusTooEarly)
		return
	}
	b.say("relay", "gives round %d", round)
	b.Fake.ServeHTTP(w, r)
}

// wire has the daemon go by the demonstration's clock and beacon. The first relay
// on its list is one that doesn't answer.
func (b *demoBeacon) wire(c *pbem.Config) {
	c.Now, c.Drand = b.now, &b.Drand
	c.Beacon = (&beacon.HTTP{Drand: b.Drand, Relays: []string{"http://" + b.nobody, "http://" + b.addr}, Timeout: 2 * time.Second,
		Client: http.DefaultClient, Now: b.now}).Fetch
}
