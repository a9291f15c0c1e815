// Package smtp is the sending end of the post office: [Sender] hands one frozen
// message at a time to the mail server and says what became of it.
//
// The bytes go out as they are; a second try sends the same. Every failure is a
// [pbem.SendError]: a refusal of this message by the server is for good, all
// else, also a refused login or a cut connection, is for now. When the
// connection breaks after the last dot nobody knows whether the server took the
// message: that counts as not taken, since a mail twice is better than none.
//
// It relies on go-mail for the protocol and keeps a connection open for the
// next message of a batch. It won't queue, retry later, or speak unencrypted
// beyond loopback unless told so in so many words.
package smtp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
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

// Config is what a Sender needs to know. Only Addr is required.
type Config struct {
	Addr     string // host:port
	Security Security
	// InsecurePlain allows None towards a host that isn't loopback.
	InsecurePlain bool
	// TLS is the configuration for both kinds of TLS; the server's name comes
	// from Addr unless it is set here.
	TLS *tls.Config

	User     string // empty: no login
	Password string
	// Token gives an OAuth 2 access token; if set, XOAUTH2 is used instead of
	// the password. It is asked at every login.
	Token func(ctx context.Context) (string, error)

	// Hello is the name in EHLO, "localhost" by default.
	Hello string
	// From is the usual sender; [Sender.Check] asks whether the server would
	// take it.
	From string
	// Limit is how long one command may take, 60 s by default; the text of a
	// message gets more by size.
	Limit time.Duration
	// Idle is how long an unused connection stays open, 10 s by default.
	Idle time.Duration
	// Batch is how many messages go over one connection, 100 by default.
	Batch int

	// Dial opens the connection, net.Dialer by default.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	Log  *slog.Logger
}

// ErrRefused is in the chain of an error when the server refused the login: no
// fault of the message, and worth the operator's attention.
var ErrRefused = errors.New("the server refused the login")

// ErrInsecure is in the chain of an error when the configuration, or the server,
// would have the mail go in the clear.
var ErrInsecure = errors.New("refused to go unencrypted")

// Validate says what is wrong with the configuration, before any connection.
func (c Config) Validate() error {
	host, port, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return fmt.Errorf("smtp: address %q: want host:port", c.Addr)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return fmt.Errorf("smtp: address %q: the port must be a number", c.Addr)
	}
	switch c.Security {
	case "", ImplicitTLS, StartTLS:
		return nil
	case None:
		if c.InsecurePlain || loopback(host) {
			return nil
		}
		return fmt.Errorf("smtp: %w to %s: set tls to \"tls\" or \"starttls\"", ErrInsecure, c.Addr)
	}
	return fmt.Errorf("smtp: security %q: want tls, starttls or none", c.Security)
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

func (c Config) withDefaults() Config {
	if c.Security == "" {
		c.Security = ImplicitTLS
	}
	if c.Hello == "" {
		c.Hello = "localhost"
	}
	if c.Limit == 0 {
		c.Limit = time.Minute
	}
	if c.Idle == 0 {
		c.Idle = 10 * time.Second
	}
	if c.Batch == 0 {
		c.Batch = 100
	}
	if c.Dial == nil {
		c.Dial = (&net.Dialer{Timeout: c.Limit}).DialContext
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}
