package beacon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pbemd/engine/dice"
)

var (
	_ Beacon = (*HTTP)(nil)
	_ Beacon = (*Recorded)(nil)
	_ Beacon = (*Fake)(nil)
)

func fake(t *testing.T) *Fake {
	t.Helper()
	f, err := NewFake("tests")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// relay serves h on a loopback port and counts who asks.
func relay(t *testing.T, h http.HandlerFunc) (string, *atomic.Int32) {
	t.Helper()
	var asked atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, &asked
}

func client(f *Fake, relays ...string) *HTTP {
	return &HTTP{Drand: f.Drand, Relays: relays, Timeout: time.Second, Client: http.DefaultClient, Now: time.Now}
}

// Real rounds are taken, under their own numbers only.
func TestRecordedQuicknet(t *testing.T) {
	file, err := os.Open("testdata/quicknet.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := ReadRecorded(dice.Quicknet, file)
	if err != nil {
		t.Fatal(err)
	}
	for _, round := range []uint64{42, 1000} {
		sig, err := r.Fetch(t.Context(), round)
		if err != nil || dice.Quicknet.Verify(round, sig) != nil || dice.Quicknet.Verify(round+1, sig) == nil {
			t.Errorf("round %d: %x, %v", round, sig, err)
		}
	}
	if _, err := r.Fetch(t.Context(), 43); !errors.Is(err, ErrNotYet) {
		t.Errorf("a round not recorded: %v", err)
	}
	for _, bad := range []string{"1000 00", "x 00", "1000", "43 95a9f9f5b231b7714de1553105d8ffdf3dcda24cfdb1e689319bccf79a9c8ce430a91b811fbfaf763900bc998b5d686a"} {
		if _, err := ReadRecorded(dice.Quicknet, strings.NewReader(bad)); err == nil {
			t.Errorf("%q is read as a round", bad)
		}
	}
}

// A relay that lies, stalls, breaks off or knows nothing is passed over; what
// comes back is the beacon's own signature.
func TestRelaysAreNotTrusted(t *testing.T) {
	f := fake(t)
	other, err := NewFake("another")
	if err != nil {
		t.Fatal(err)
	}
	const round = 7777
	want, _ := f.Fetch(t.Context(), round)
	wrong, _ := other.Fetch(t.Context(), round)
	next, _ := f.Fetch(t.Context(), round+1)
	answer := func(round uint64, sig string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"round":%d,"signature":"%s"}`, round, sig)
		}
	}
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	bad := map[string]http.HandlerFunc{
		"the signature of another beacon": answer(round, fmt.Sprintf("%x", wrong)),
		"the signature of another round":  answer(round, fmt.Sprintf("%x", next)),
		"another round":                   answer(round+1, fmt.Sprintf("%x", next)),
		"no hex":                          answer(round, "zz"),
		"an empty signature":              answer(round, ""),
		"no JSON":                         func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>welcome to the hotel") },
		"a flood":                         func(w http.ResponseWriter, _ *http.Request) { w.Write(bytes.Repeat([]byte(" "), 1<<20)) },
		"an error":                        func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "sorry", 500) },
		"too early":                       func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "wait", http.StatusTooEarly) },
		"a stall": func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-release:
			case <-r.Context().Done():
			}
		},
		"broken off": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "500")
			fmt.Fprint(w, `{"round":7777,`)
		},
	}
	good, asked := relay(t, f.ServeHTTP)
	for name, h := range bad {
		url, _ := relay(t, h)
		c := client(f, url)
		c.Timeout = 150 * time.Millisecond
		sig, err := c.Fetch(t.Context(), round)
		if err == nil || sig != nil || !strings.Contains(err.Error(), url) {
			t.Errorf("%s alone: %x, %v", name, sig, err)
		}
		if early := name == "too early"; errors.Is(err, ErrNotYet) != early {
			t.Errorf("%s alone: %v; is it too early?", name, err)
		}
		c.Relays = append(c.Relays, good+"/")
		if sig, err = c.Fetch(t.Context(), round); err != nil || !bytes.Equal(sig, want) {
			t.Errorf("%s, then a good relay: %x, %v", name, sig, err)
		}
	}
	if int(asked.Load()) != len(bad) {
		t.Errorf("the good relay was asked %d times, want %d", asked.Load(), len(bad))
	}
	dead := httptest.NewServer(nil)
	dead.Close()
	if sig, err := client(f, dead.URL, good).Fetch(t.Context(), round); err != nil || !bytes.Equal(sig, want) {
		t.Errorf("a relay that is down, then a good one: %x, %v", sig, err)
	}
	if sig, err := client(f, dead.URL).Fetch(t.Context(), round); err == nil || sig != nil || errors.Is(err, ErrNotYet) {
		t.Errorf("no relay up: %x, %v", sig, err)
	}
}

// Nobody is asked for a round before its time, and the first relay that has it
// is the last one asked.
func TestNobodyIsAskedTooEarly(t *testing.T) {
	f := fake(t)
	first, asked := relay(t, f.ServeHTTP)
	second, spare := relay(t, f.ServeHTTP)
	c := client(f, first, second)
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	c.Now = func() time.Time { return now }
	round := c.Round(now)
	if _, err := c.Fetch(t.Context(), round); !errors.Is(err, ErrNotYet) || asked.Load() != 0 {
		t.Errorf("ten minutes early: %v, asked %d times", err, asked.Load())
	}
	now = c.Time(round)
	if sig, err := c.Fetch(t.Context(), round); err != nil || f.Verify(round, sig) != nil || asked.Load() != 1 || spare.Load() != 0 {
		t.Errorf("in time: %x, %v, asked %d and %d times", sig, err, asked.Load(), spare.Load())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Fetch(ctx, round); !errors.Is(err, context.Canceled) {
		t.Errorf("called off: %v", err)
	}
}

// A round that is late is waited for; a beacon that fails is told and waited
// for; nothing takes its place.
func TestWait(t *testing.T) {
	f := fake(t)
	round := f.Round(time.Now().Add(-time.Hour))
	var asked atomic.Int32
	url, _ := relay(t, func(w http.ResponseWriter, r *http.Request) {
		switch asked.Add(1) {
		case 1, 2:
			http.Error(w, "wait", http.StatusTooEarly)
		case 3:
			http.Error(w, "sorry", http.StatusServiceUnavailable)
		default:
			f.ServeHTTP(w, r)
		}
	})
	var told []error
	sig, err := Wait(t.Context(), client(f, url), round, f.Time(round), time.Now, time.Millisecond, func(err error) { told = append(told, err) })
	if err != nil || f.Verify(round, sig) != nil || asked.Load() != 4 || len(told) != 1 {
		t.Errorf("%x, %v; asked %d times, told %v", sig, err, asked.Load(), told)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	far := f.Round(time.Now().Add(time.Hour))
	if sig, err := Wait(ctx, client(f, url), far, f.Time(far), time.Now, time.Millisecond, nil); !errors.Is(err, context.DeadlineExceeded) || sig != nil {
		t.Errorf("a round far off: %x, %v", sig, err)
	}
}

// The fake keeps the clock it is given, and its lateness.
func TestFakeClock(t *testing.T) {
	f := fake(t)
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	f.Now, f.Late = func() time.Time { return now }, time.Hour
	round := f.Round(now)
	for _, c := range []struct {
		after time.Duration
		there bool
	}{{0, false}, {10 * time.Minute, false}, {time.Hour + 11*time.Minute, true}} {
		now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC).Add(c.after)
		if _, err := f.Fetch(t.Context(), round); (err == nil) != c.there || err != nil && !errors.Is(err, ErrNotYet) {
			t.Errorf("after %v: %v", c.after, err)
		}
	}
	a, b := fake(t), fake(t)
	if a.String() != b.String() || a.String() == dice.Quicknet.String() {
		t.Error("a fake beacon doesn't follow from its word")
	}
}

func TestNewRefusesWhatIsNoAddress(t *testing.T) {
	for _, bad := range []string{"", "api.drand.sh", "ftp://api.drand.sh", "https://", "http://%"} {
		if _, err := New([]string{bad}, time.Now); err == nil {
			t.Errorf("%q is taken as a relay", bad)
		}
	}
	h, err := New(nil, time.Now)
	if err != nil || len(h.Relays) == 0 || h.Chain != dice.Quicknet.Chain {
		t.Errorf("%+v, %v", h, err)
	}
}
