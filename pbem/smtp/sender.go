package smtp

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"pbemd/pbem"
)

// Sender hands messages to one mail server, one after another.
type Sender struct {
	cfg     Config
	invalid error

	turn chan struct{} // holds one token: whoever has it may use c and closed

	c      *conn
	closed bool

	mu   sync.Mutex
	rest *time.Timer // ends an unused connection
}

var _ pbem.Sender = (*Sender)(nil)

// New makes a Sender without connecting. What is wrong with the configuration
// is what every Send then returns; [Config.Validate] tells it beforehand.
func New(cfg Config) *Sender {
	s := &Sender{cfg: cfg.withDefaults(), invalid: cfg.Validate(), turn: make(chan struct{}, 1)}
	s.turn <- struct{}{}
	return s
}

// Send hands over one message. The error is nil or a *pbem.SendError.
func (s *Sender) Send(ctx context.Context, e pbem.Envelope, message []byte) error {
	if s.invalid != nil {
		return &pbem.SendError{Temporary: true, Err: s.invalid}
	}
	wide, err := checkEnvelope(e)
	if err != nil {
		return &pbem.SendError{Err: err}
	}
	select {
	case <-s.turn:
		defer func() { s.turn <- struct{}{} }()
	case <-ctx.Done():
		return &pbem.SendError{Temporary: true, Err: ctx.Err()}
	}
	if s.closed {
		return &pbem.SendError{Temporary: true, Err: errors.New("the sender is closed")}
	}
	s.busy()
	old := s.c != nil
	f := s.attempt(ctx, e, message, wide)
	if f != nil && f.stale && old && ctx.Err() == nil {
		f = s.attempt(ctx, e, message, wide) // the kept connection had been closed meanwhile
	}
	s.idle()
	if f == nil {
		return nil
	}
	return &pbem.SendError{
		Temporary: f.temporary, Code: f.code,
		Err: fmt.Errorf("smtp %s: %w", s.cfg.Addr, f.err),
	}
}

// failure is what went wrong, and whether the message never left because the
// connection was dead.
type failure struct {
	temporary bool
	stale     bool
	code      int
	err       error
}

// attempt sends on the open connection or a new one, and leaves s.c usable or nil.
func (s *Sender) attempt(ctx context.Context, e pbem.Envelope, message []byte, wide bool) *failure {
	if s.c == nil {
		c, err := open(ctx, &s.cfg)
		if err != nil {
			// Nothing here is about this message, whatever the code.
			s.cfg.Log.Warn("mail server out of reach", "server", s.cfg.Addr, "err", err)
			return &failure{temporary: true, code: replyCode(err), err: err}
		}
		s.c = c
	}
	c := s.c
	stop := context.AfterFunc(ctx, func() { c.raw.Close() })
	f := c.transact(e, message, wide)
	if !stop() || f != nil && (f.code == 0 || f.code == 421) && !f.local() {
		s.drop()
	}
	if f == nil {
		if c.sent++; c.sent >= s.cfg.Batch && s.c != nil {
			s.c.quit()
			s.c = nil
		}
		return nil
	}
	if s.c != nil && !f.local() {
		// The server goes on, without this message.
		if err := c.renew(0); err != nil || c.client.Reset() != nil {
			s.drop()
		}
	}
	if err := ctx.Err(); err != nil && f.code == 0 {
		f.err = fmt.Errorf("%w: %w", err, f.err)
	}
	s.cfg.Log.Info("message not taken", "server", s.cfg.Addr, "code", f.code, "temporary", f.temporary)
	return f
}

// local says that the server was not asked at all.
func (f *failure) local() bool { return errors.Is(f.err, errUnfit) }

// errUnfit marks messages this server can't take, by its own announcement.
var errUnfit = errors.New("the server can't take this message")

// transact is MAIL, RCPT, DATA.
func (c *conn) transact(e pbem.Envelope, message []byte, wide bool) *failure {
	if f := c.fits(message, wide); f != nil {
		return f
	}
	c.client.SkipSMTPUTF8(!wide)
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"sender", func() error { return c.client.Mail("<" + e.From + ">") }},
		{"recipient", func() error { return c.client.Rcpt("<" + e.To + ">") }},
	} {
		if err := c.renew(0); err != nil {
			return &failure{temporary: true, stale: true, err: fmt.Errorf("%s: %w", step.what, err)}
		}
		if err := step.do(); err != nil {
			return refusal(step.what, err)
		}
	}
	if err := c.renew(0); err != nil {
		return &failure{temporary: true, stale: true, err: err}
	}
	w, err := c.client.Data()
	if err != nil {
		return refusal("data", err)
	}
	if err := c.renew(time.Duration(len(message)/8192) * time.Second); err != nil {
		return &failure{temporary: true, err: err}
	}
	if _, err := w.Write(message); err != nil {
		return &failure{temporary: true, err: fmt.Errorf("text: %w", err)}
	}
	if err := w.Close(); err != nil {
		f := refusal("end of text", err)
		f.stale = false // it may have been taken
		return f
	}
	return nil
}

// refusal judges a reply to this message (the table of outcomes): 5xx is for
// good, 4xx and no reply are for now. A few 5xx speak of the session and not of
// the message: a login or encryption wanted, commands out of order.
func refusal(what string, err error) *failure {
	f := &failure{code: replyCode(err), err: fmt.Errorf("%s: %w", what, err)}
	switch {
	case f.code == 0, f.code == 421:
		f.temporary, f.stale = true, true
	case f.code < 500, f.code == 503, f.code == 530, f.code == 538:
		f.temporary = true
	}
	return f
}

// fits holds the message against what the server announced.
func (c *conn) fits(message []byte, wide bool) *failure {
	if ok, most := c.client.Extension("SIZE"); ok {
		if n, err := strconv.ParseInt(strings.TrimSpace(most), 10, 64); err == nil && n > 0 && int64(len(message)) > n {
			return &failure{code: 552, err: fmt.Errorf("%w: %d octets, it takes %d", errUnfit, len(message), n)}
		}
	}
	if ok, _ := c.client.Extension("SMTPUTF8"); wide && !ok {
		return &failure{code: 553, err: fmt.Errorf("%w: an address isn't ASCII, and it doesn't know SMTPUTF8", errUnfit)}
	}
	if ok, _ := c.client.Extension("8BITMIME"); !ok {
		for _, b := range message {
			if b >= 0x80 {
				return &failure{code: 554, err: fmt.Errorf("%w: the text isn't 7-bit, and it doesn't know 8BITMIME", errUnfit)}
			}
		}
	}
	return nil
}

// checkEnvelope lets nothing through that could end the command early.
func checkEnvelope(e pbem.Envelope) (wide bool, err error) {
	if e.To == "" {
		return false, errors.New("no recipient")
	}
	for _, a := range []string{e.From, e.To} {
		if a == "" {
			continue
		}
		if at := strings.LastIndexByte(a, '@'); at < 1 || at == len(a)-1 || len(a) > 254 {
			return false, errors.New("an envelope address isn't of the form name@host")
		}
		for _, r := range a {
			if unicode.IsSpace(r) || unicode.IsControl(r) || r == '<' || r == '>' || r == unicode.ReplacementChar {
				return false, fmt.Errorf("an envelope address has %q in it", r)
			}
			wide = wide || r > unicode.MaxASCII
		}
	}
	return wide, nil
}

// drop closes the connection at once.
func (s *Sender) drop() {
	if s.c != nil {
		s.c.raw.Close()
		s.c = nil
	}
}

func (s *Sender) busy() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rest != nil {
		s.rest.Stop()
		s.rest = nil
	}
}

func (s *Sender) idle() {
	if s.c == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.c
	s.rest = time.AfterFunc(s.cfg.Idle, func() {
		select {
		case <-s.turn:
			if s.c == c {
				c.quit()
				s.c = nil
			}
			s.turn <- struct{}{}
		default: // in use again
		}
	})
}

// Close ends the connection politely. A Send under way is waited for.
func (s *Sender) Close() error {
	<-s.turn
	defer func() { s.turn <- struct{}{} }()
	s.busy()
	s.closed = true
	if s.c != nil {
		s.c.quit()
		s.c = nil
	}
	return nil
}
