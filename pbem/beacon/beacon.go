// Package beacon fetches the rounds of a public randomness beacon, drand
// quicknet, for dice that nobody can foresee.
//
// It promises that a signature it gives is the beacon's own for the round asked
// for: it is verified here, by [pbemd/engine/dice], whatever a relay says. A
// round that isn't there is an error that says so, [ErrNotYet]; nothing else ever
// takes its place. It relies on relays over HTTP and keeps nothing; which round
// a step needs is settled by the dice protocol, not here.
package beacon

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"pbemd/engine/dice"
)

// Beacon gives the signature of a round.
type Beacon interface {
	// Round is the round of a step closed at a time: the first at or after
	// ten minutes later.
	Round(closed time.Time) uint64
	// Fetch gives the verified signature of a round. While the round hasn't
	// come, or no relay has it yet, the error is ErrNotYet. Any error may be
	// gone at the next try.
	Fetch(ctx context.Context, round uint64) ([]byte, error)
}

// ErrNotYet is the error of a round that hasn't come yet.
var ErrNotYet = errors.New("the beacon round isn't there yet")

// Relays are the public relays of drand, in the order in which they are asked.
var Relays = []string{"https://api.drand.sh", "https://api2.drand.sh", "https://api3.drand.sh", "https://drand.cloudflare.com"}

// HTTP fetches rounds from relays, one after the other until one has the round.
type HTTP struct {
	dice.Drand
	Relays  []string
	Timeout time.Duration // for each relay
	Client  *http.Client
	Now     func() time.Time
}

// New makes a fetcher of quicknet rounds. Relays are base addresses; without
// any, the public ones are asked.
func New(relays []string, now func() time.Time) (*HTTP, error) {
	if len(relays) == 0 {
		relays = Relays
	}
	for _, r := range relays {
		u, err := url.Parse(r)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
			return nil, fmt.Errorf("the drand relay %q isn't an address like https://api.drand.sh", r)
		}
	}
	return &HTTP{Drand: dice.Quicknet, Relays: relays, Timeout: 5 * time.Second, Client: http.DefaultClient, Now: now}, nil
}

// Fetch implements [Beacon]. No relay is asked before the round's time.
func (h *HTTP) Fetch(ctx context.Context, round uint64) ([]byte, error) {
	if comes := h.Time(round); h.Now().Before(comes) {
		return nil, fmt.Errorf("round %d comes at %s: %w", round, comes.Format(time.RFC3339), ErrNotYet)
	}
	var all []error
	for _, relay := range h.Relays {
		sig, err := h.ask(ctx, relay, round)
		if err == nil {
			return sig, nil
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("fetch beacon round %d: %w", round, ctx.Err())
		}
		all = append(all, fmt.Errorf("%s: %w", relay, err))
	}
	return nil, fmt.Errorf("fetch beacon round %d: %w", round, errors.Join(all...))
}

// ask asks one relay and believes nothing that can't be verified.
func (h *HTTP) ask(ctx context.Context, relay string, round uint64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	at := fmt.Sprintf("%s/%s/public/%d", strings.TrimRight(relay, "/"), h.Chain, round)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := h.Client.Do(req)
	if err != nil {
		var wrapped *url.Error // says the whole address once more
		if errors.As(err, &wrapped) {
			err = wrapped.Err
		}
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 8<<10))
	switch {
	case resp.StatusCode == http.StatusTooEarly, resp.StatusCode == http.StatusNotFound:
		return nil, ErrNotYet
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("answered %s", resp.Status)
	case err != nil:
		return nil, err
	}
	var answer struct {
		Round     uint64 `json:"round"`
		Signature string `json:"signature"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, fmt.Errorf("answered what isn't a round: %w", err)
	}
	sig, err := hex.DecodeString(answer.Signature)
	switch {
	case err != nil:
		return nil, fmt.Errorf("answered a signature that isn't hex: %w", err)
	case answer.Round != round:
		return nil, fmt.Errorf("answered round %d", answer.Round)
	}
	if err := h.Verify(round, sig); err != nil {
		return nil, err
	}
	return sig, nil
}

// Wait fetches a round as soon as it comes. It sleeps until the round's time
// and then tries again after each pause, telling report, if not nil, of every
// failure but that the round isn't there. It ends with the round or with ctx.
func Wait(ctx context.Context, b Beacon, round uint64, comes time.Time, now func() time.Time, pause time.Duration, report func(error)) ([]byte, error) {
	next := comes.Sub(now())
	for {
		t := time.NewTimer(max(next, 0))
		select {
		case <-ctx.Done():
			t.Stop()
			return nil, fmt.Errorf("wait for beacon round %d: %w", round, ctx.Err())
		case <-t.C:
		}
		sig, err := b.Fetch(ctx, round)
		if err == nil {
			return sig, nil
		}
		if report != nil && !errors.Is(err, ErrNotYet) && ctx.Err() == nil {
			report(err)
		}
		next = pause
	}
}
