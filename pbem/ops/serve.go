package ops

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// patience is how long an end may be out of reach, or silent, before /healthz
// says so: longer than the mailbox's poll interval and a passing outage.
const patience = 10 * time.Minute

// stuck is how long a mail may wait to be sent before /healthz says so.
const stuck = 6 * time.Hour

// Ills are sentences about what is wrong; none if all is well.
func (m *Metrics) Ills() []string {
	now := m.now()
	var out []string
	m.mailbox.mu.Lock()
	last := m.mailbox.good
	if last.IsZero() {
		last = m.mailbox.since
	}
	if d := now.Sub(last); d > patience {
		out = append(out, fmt.Sprintf("the mailbox has been out of reach for %v", d.Round(time.Second)))
	}
	m.mailbox.mu.Unlock()
	m.server.mu.Lock()
	if d := now.Sub(m.server.since); m.server.bad && d > patience {
		out = append(out, fmt.Sprintf("the mail server has been out of reach for %v", d.Round(time.Second)))
	}
	m.server.mu.Unlock()
	c := m.count()
	if c.err != nil {
		out = append(out, "the store can't be read")
	}
	if d := now.Sub(c.oldest); !c.oldest.IsZero() && d > stuck {
		out = append(out, fmt.Sprintf("a mail has waited %v to be sent", d.Round(time.Minute)))
	}
	return out
}

// Handler answers /metrics and /healthz.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		ills := m.Ills()
		if len(ills) == 0 {
			fmt.Fprintln(w, "ok")
			return
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintln(w, strings.Join(ills, "\n"))
	})
	return mux
}

// ErrOpen is in the chain of an error when others than this machine could reach
// the address.
var ErrOpen = errors.New("it must be a loopback address")

// Validate says what is wrong with an address to listen on.
func Validate(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("%q isn't host:port", addr)
	}
	if ip := net.ParseIP(host); strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("%q: %w, like 127.0.0.1:9417", addr, ErrOpen)
}

// Serve answers on a loopback address until stop is called; bound is the
// address with its port.
func (m *Metrics) Serve(addr string) (bound string, stop func(), err error) {
	if err := Validate(addr); err != nil {
		return "", nil, fmt.Errorf("serve metrics: %w", err)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return "", nil, fmt.Errorf("serve metrics: %w", err)
	}
	if a, ok := l.Addr().(*net.TCPAddr); !ok || !a.IP.IsLoopback() { // what localhost means is not ours to say
		l.Close()
		return "", nil, fmt.Errorf("serve metrics: %q means %v: %w", addr, l.Addr(), ErrOpen)
	}
	s := &http.Server{Handler: m.Handler(), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, MaxHeaderBytes: 16 << 10}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(l) // it ends by stop alone
	}()
	return l.Addr().String(), func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		if s.Shutdown(ctx) != nil {
			s.Close()
		}
		<-done
	}, nil
}
