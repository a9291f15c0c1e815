package imap

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"time"

	goimap "github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
	"github.com/emersion/go-sasl"

	"pbemd/pbem"
)

// session is one logged-in connection with the mailbox selected. It is thrown
// away at the first failure that isn't a plain NO.
type session struct {
	cfg      *Config
	conn     net.Conn // the bottom: closing it ends everything
	client   *imapclient.Client
	caps     goimap.CapSet
	validity uint32
	folders  map[pbem.Folder]string // full names on this server
	made     []pbem.Folder          // folders made at this login
	news     chan struct{}          // size 1: the mailbox has grown
	noIdle   bool                   // the server refused IDLE
	fresh    bool                   // nobody has looked at the mailbox yet
	timedOut atomic.Bool
}

// watchConn gives the library what it lacks, an end to silence: it asks for "no
// deadline" between responses and gets one. After a missed deadline the
// connection is closed, or the library would wait on for the rest of a line.
type watchConn struct {
	net.Conn
	silence time.Duration
}

func (c *watchConn) SetReadDeadline(t time.Time) error {
	if t.IsZero() {
		t = time.Now().Add(c.silence)
	}
	return c.Conn.SetReadDeadline(t)
}

func (c *watchConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err != nil && errors.Is(err, os.ErrDeadlineExceeded) {
		c.Conn.Close()
		err = net.ErrClosed
	}
	return n, err
}

// open dials, encrypts, logs in, selects, and sees to the folders.
func open(ctx context.Context, cfg *Config) (*session, error) {
	raw, err := cfg.Dial(ctx, "tcp", cfg.Addr)
	if err != nil {
		return nil, fmt.Errorf("dial: %w", err)
	}
	s := &session{cfg: cfg, conn: raw, news: make(chan struct{}, 1)}
	if err := s.begin(ctx); err != nil {
		s.kill()
		return nil, err
	}
	return s, nil
}

func (s *session) begin(ctx context.Context) error {
	if err := s.run(ctx, 0, "greeting", s.greet); err != nil {
		return err
	}
	if err := s.login(ctx); err != nil {
		return err
	}
	if err := s.run(ctx, 0, "capability", func() error {
		if s.caps = s.client.Caps(); s.caps == nil {
			return errors.New("the server names no capabilities")
		}
		return nil
	}); err != nil {
		return err
	}
	if err := s.run(ctx, 0, "select "+s.cfg.Mailbox, func() error {
		d, err := s.client.Select(s.cfg.Mailbox, nil).Wait()
		if err == nil {
			s.validity = d.UIDValidity
		}
		return err
	}); err != nil {
		return err
	}
	return s.findFolders(ctx)
}

func (s *session) greet() error {
	host, _, _ := net.SplitHostPort(s.cfg.Addr)
	conf := s.cfg.TLS.Clone()
	if conf == nil {
		conf = &tls.Config{}
	}
	if conf.ServerName == "" {
		conf.ServerName = host
	}
	watched := &watchConn{Conn: s.conn, silence: s.cfg.Silence}
	opts := &imapclient.Options{
		TLSConfig: conf,
		UnilateralDataHandler: &imapclient.UnilateralDataHandler{
			// Runs inside the reader: it must never block.
			Mailbox: func(d *imapclient.UnilateralDataMailbox) {
				if d.NumMessages == nil {
					return
				}
				select {
				case s.news <- struct{}{}:
				default:
				}
			},
		},
	}
	switch s.cfg.Security {
	case StartTLS:
		c, err := imapclient.NewStartTLS(watched, opts)
		if err != nil {
			return fmt.Errorf("the server doesn't go over to encryption; where it offers none on this port, tls = \"tls\" and its own port may be right: starttls: %w", err)
		}
		s.client = c
	case ImplicitTLS:
		tc := tls.Client(watched, conf)
		tc.SetDeadline(time.Now().Add(s.cfg.Limit))
		if err := tc.Handshake(); err != nil {
			if plain := (tls.RecordHeaderError{}); errors.As(err, &plain) {
				return fmt.Errorf("the server speaks unencrypted on this port; if it offers STARTTLS there, tls = \"starttls\" is right: %w", err)
			}
			return fmt.Errorf("encrypt: %w", err)
		}
		tc.SetDeadline(time.Time{})
		s.client = imapclient.New(tc, opts)
	default:
		s.client = imapclient.New(watched, opts)
	}
	return s.client.WaitGreeting()
}

func (s *session) login(ctx context.Context) error {
	err := s.authenticate(ctx)
	if st := status(err); st != nil && !passing(st.Code) {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return err
}

func (s *session) authenticate(ctx context.Context) error {
	if s.cfg.Token != nil {
		token, err := s.cfg.Token(ctx)
		if err != nil {
			return fmt.Errorf("access token: %w", err)
		}
		return s.run(ctx, 0, "authenticate", func() error {
			return s.client.Authenticate(&xoauth2{user: s.cfg.User, token: token})
		})
	}
	return s.run(ctx, 0, "login", func() error {
		caps := s.client.Caps()
		if caps.Has(goimap.CapLoginDisabled) {
			if !caps.Has(goimap.AuthCap(sasl.Plain)) {
				return errors.New("the server takes no password on this connection (LOGINDISABLED): use tls or starttls")
			}
			return s.client.Authenticate(sasl.NewPlainClient("", s.cfg.User, s.cfg.Password))
		}
		return s.client.Login(s.cfg.User, s.cfg.Password).Wait()
	})
}

// passing are the refusals that will pass by themselves.
func passing(c goimap.ResponseCode) bool {
	switch c {
	case goimap.ResponseCodeUnavailable, goimap.ResponseCodeInUse, goimap.ResponseCodeLimit, goimap.ResponseCodeServerBug:
		return true
	}
	return false
}

// run gives one exchange its time limit and its context; the end of either
// closes the connection, which is the only way to end a command. An error that
// is not a NO or BAD means that the session is lost.
func (s *session) run(ctx context.Context, extra time.Duration, what string, f func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	limit := s.cfg.Limit + extra
	t := time.AfterFunc(limit, func() {
		s.timedOut.Store(true)
		s.kill()
	})
	stop := context.AfterFunc(ctx, s.kill)
	err := f()
	t.Stop()
	stop()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", what, ctx.Err())
	case s.timedOut.Load():
		return fmt.Errorf("%s: no answer within %v", what, limit)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// kill ends the connection at once, from any goroutine.
func (s *session) kill() { s.conn.Close() }

// end says goodbye, briefly, and closes.
func (s *session) end() {
	t := time.AfterFunc(2*time.Second, s.kill)
	defer t.Stop()
	if s.client != nil {
		s.client.Logout().Wait()
		s.client.Close()
	}
	s.kill()
}

// status is the server's NO or BAD in an error, or nil.
func status(err error) *goimap.Error {
	var st *goimap.Error
	if errors.As(err, &st) && st.Type != goimap.StatusResponseTypeBye {
		return st
	}
	return nil
}

// findFolders learns what the two folders are called here and makes the missing.
// Some servers keep every folder below INBOX and say so in NAMESPACE.
func (s *session) findFolders(ctx context.Context) error {
	s.folders = make(map[pbem.Folder]string)
	if s.cfg.NoFolders {
		return nil
	}
	prefix := ""
	if s.caps.Has(goimap.CapNamespace) {
		if err := s.run(ctx, 0, "namespace", func() error {
			ns, err := s.client.Namespace().Wait()
			if err == nil && len(ns.Personal) > 0 {
				prefix = ns.Personal[0].Prefix
			}
			return err
		}); err != nil && status(err) == nil {
			return err
		}
	}
	for _, f := range []pbem.Folder{pbem.Processed, pbem.Quarantine} {
		name := prefix + string(f)
		s.folders[f] = name
		there := false
		if err := s.run(ctx, 0, "list "+name, func() error {
			l, err := s.client.List("", name, nil).Collect()
			there = len(l) > 0
			return err
		}); err != nil {
			return err
		}
		if there {
			continue
		}
		if err := s.create(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) create(ctx context.Context, f pbem.Folder) error {
	name := s.folders[f]
	err := s.run(ctx, 0, "create "+name, func() error { return s.client.Create(name, nil).Wait() })
	if st := status(err); st != nil && (st.Code == goimap.ResponseCodeAlreadyExists || strings.Contains(strings.ToLower(st.Text), "exist")) {
		return nil
	}
	if err != nil {
		return err
	}
	s.made = append(s.made, f)
	// So that mail programs show it; no harm if the server won't.
	if err := s.run(ctx, 0, "subscribe "+name, func() error { return s.client.Subscribe(name).Wait() }); err != nil && status(err) == nil {
		return err
	}
	return nil
}

// xoauth2 is the client side of Google's and Microsoft's XOAUTH2.
type xoauth2 struct{ user, token string }

func (x *xoauth2) Start() (mech string, ir []byte, err error) {
	return "XOAUTH2", []byte("user=" + x.user + "\x01auth=Bearer " + x.token + "\x01\x01"), nil
}

// Next acknowledges the error document, after which the server says NO.
func (x *xoauth2) Next([]byte) ([]byte, error) { return []byte{}, nil }
