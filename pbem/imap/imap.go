// Package imap is the mailbox end of the post office: [Inbox] keeps one IMAP
// session, finds it again when it breaks, and never loses or deletes a mail.
//
// A message in the mailbox is unfinished work; the only thing that takes it out
// is [Inbox.File], by MOVE, or by COPY that the server has confirmed. Every
// command has a time limit of its own, because the library has none. After a
// failure the next call waits: a second at first, doubling to five minutes;
// fifteen minutes if the login was refused, lest the provider lock the account.
//
// It relies on go-imap and on nothing saved: after a restart, or when
// UIDVALIDITY changes, it lists the mailbox afresh. It won't look at flags other
// mail programs set, expunge what it hasn't copied, or speak unencrypted beyond
// loopback unless told so in so many words.
package imap

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"strings"
	"time"
)

// Security says how the connection is protected.
type Security string

// The three ways; the empty one is ImplicitTLS.
const (
	ImplicitTLS Security = "tls"
	StartTLS    Security = "starttls"
	None        Security = "none"
)

// Config is what an Inbox needs to know. Addr and User are required, and
// Password or Token; the rest has good defaults.
type Config struct {
	Addr     string // host:port
	Security Security
	// InsecurePlain allows None towards a host that isn't loopback.
	InsecurePlain bool
	// TLS is the configuration for both kinds of TLS; the server's name comes
	// from Addr unless it is set here.
	TLS *tls.Config

	User     string
	Password string
	// Token gives an OAuth 2 access token; if set, XOAUTH2 is used instead of
	// the password. It is asked at every login.
	Token func(ctx context.Context) (string, error)

	// Mailbox is where mail arrives, INBOX by default.
	Mailbox string
	// NoFolders leaves out the two folders for finished mail; File then fails.
	NoFolders bool
	// Address is the address players write to; [Inbox.Check] counts what was
	// not sent to it.
	Address string

	// Poll is the longest that Wait waits, two minutes by default.
	Poll time.Duration
	// Limit is how long one command may take, 30 s by default; fetching gets
	// more by size.
	Limit time.Duration
	// Silence is how long an open connection may say nothing, five minutes by
	// default (servers send a sign of life every two).
	Silence time.Duration
	// MaxFetch is the largest message taken into memory, 32 MiB by default.
	MaxFetch int64
	// Backoff is the pause after so many failures in a row, from 1.
	Backoff func(failures int) time.Duration
	// RefusedPause is the pause after a refused login, 15 minutes by default.
	RefusedPause time.Duration

	// Dial opens the connection, net.Dialer by default.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	Log  *slog.Logger
}

// ErrRefused is in the chain of an error when the server refused the login:
// no fault of the network, and worth the operator's attention.
var ErrRefused = errors.New("the server refused the login")

// ErrInsecure is in the chain of an error when the configuration would send the
// password, or the mail, in the clear.
var ErrInsecure = errors.New("refused to go unencrypted")

// errClosed is what every call after Close returns.
var errClosed = errors.New("the inbox is closed")

// Backoff doubles from one second to five minutes and adds up to a fifth, so
// that many clients don't come back in one moment.
func Backoff(failures int) time.Duration {
	d := 5 * time.Minute
	if failures < 9 {
		d = time.Second << max(0, failures-1)
	}
	return d + rand.N(d/5)
}

// Validate says what is wrong with the configuration, before any connection.
func (c Config) Validate() error {
	host, _, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return fmt.Errorf("imap: address %q: want host:port", c.Addr)
	}
	if c.User == "" {
		return errors.New("imap: no user name")
	}
	switch c.Security {
	case "", ImplicitTLS, StartTLS:
		return nil
	case None:
		if c.InsecurePlain || loopback(host) {
			return nil
		}
		return fmt.Errorf("imap: %w to %s: set tls to \"tls\" or \"starttls\"", ErrInsecure, c.Addr)
	}
	return fmt.Errorf("imap: security %q: want tls, starttls or none", c.Security)
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

func (c Config) withDefaults() Config {
	if c.Security == "" {
		c.Security = ImplicitTLS
	}
	if c.Mailbox == "" {
		c.Mailbox = "INBOX"
	}
	if c.Poll == 0 {
		c.Poll = 2 * time.Minute
	}
	if c.Limit == 0 {
		c.Limit = 30 * time.Second
	}
	if c.Silence == 0 {
		c.Silence = 5 * time.Minute
	}
	// A polling session hears nothing between two polls.
	c.Silence = max(c.Silence, c.Poll+c.Limit)
	if c.MaxFetch == 0 {
		c.MaxFetch = 32 << 20
	}
	if c.Backoff == nil {
		c.Backoff = Backoff
	}
	if c.RefusedPause == 0 {
		c.RefusedPause = 15 * time.Minute
	}
	if c.Dial == nil {
		c.Dial = (&net.Dialer{Timeout: c.Limit}).DialContext
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}
