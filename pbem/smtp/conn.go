package smtp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wneessen/go-mail"
	mailsmtp "github.com/wneessen/go-mail/smtp"
)

// conn is one session, greeted, encrypted and logged in. The library leaks the
// socket when a step after the dial fails, so it is kept here.
type conn struct {
	raw    net.Conn
	client *mailsmtp.Client
	limit  time.Duration
	sent   int

	unwatch func() bool // while opening
}

func open(ctx context.Context, cfg *Config) (*conn, error) {
	c := &conn{limit: cfg.Limit}
	if err := c.begin(ctx, cfg); err != nil {
		if c.raw != nil {
			c.raw.Close()
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	return c, nil
}

func (c *conn) begin(ctx context.Context, cfg *Config) error {
	host, portText, _ := net.SplitHostPort(cfg.Addr)
	port, _ := strconv.Atoi(portText)
	conf := cfg.TLS.Clone()
	if conf == nil {
		conf = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if conf.ServerName == "" {
		conf.ServerName = host
	}
	options := []mail.Option{
		mail.WithPort(port), mail.WithTimeout(cfg.Limit), mail.WithHELO(cfg.Hello),
		mail.WithTLSConfig(conf), mail.WithTLSPolicy(mail.NoTLS), mail.WithSMTPAuth(mail.SMTPAuthNoAuth),
		mail.WithDialContextFunc(func(dialing context.Context, network, addr string) (net.Conn, error) {
			conn, err := c.dial(dialing, cfg, conf, network, addr)
			if c.raw != nil {
				// The library's context ends with the dial; ours cuts every step after it.
				c.unwatch = context.AfterFunc(ctx, func() { c.raw.Close() })
			}
			return conn, err
		}),
	}
	if cfg.Security == ImplicitTLS {
		options = append(options, mail.WithSSL())
	}
	dialer, err := mail.NewClient(host, options...)
	if err != nil {
		return fmt.Errorf("set up: %w", err)
	}
	c.unwatch = func() bool { return true }
	defer func() { c.unwatch() }()
	if c.client, err = dialer.DialToSMTPClientWithContext(ctx); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	if cfg.Security == StartTLS {
		if ok, _ := c.client.Extension("STARTTLS"); !ok {
			return fmt.Errorf("%w: the server doesn't offer STARTTLS on this port; tls = \"tls\" and its own port may be right", ErrInsecure)
		}
		if err := c.client.StartTLS(conf); err != nil {
			return fmt.Errorf("starttls: %w", err)
		}
	}
	return c.login(ctx, cfg)
}

func (c *conn) dial(ctx context.Context, cfg *Config, conf *tls.Config, network, addr string) (net.Conn, error) {
	raw, err := cfg.Dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	c.raw = raw
	raw.SetDeadline(time.Now().Add(cfg.Limit))
	if cfg.Security != ImplicitTLS {
		return raw, nil
	}
	tc := tls.Client(raw, conf)
	if err := tc.HandshakeContext(ctx); err != nil {
		if plain := (tls.RecordHeaderError{}); errors.As(err, &plain) {
			return nil, fmt.Errorf("the server speaks unencrypted on this port; if it offers STARTTLS there, tls = \"starttls\" is right: %w", err)
		}
		return nil, fmt.Errorf("encrypt: %w", err)
	}
	return tc, nil
}

func (c *conn) login(ctx context.Context, cfg *Config) error {
	if cfg.User == "" {
		return nil
	}
	auth, err := c.mechanism(ctx, cfg)
	if err != nil {
		return err
	}
	if err := c.renew(0); err != nil {
		return err
	}
	err = c.client.Auth(auth)
	if code := replyCode(err); code >= 500 {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if err != nil {
		return fmt.Errorf("log in: %w", err)
	}
	return nil
}

func (c *conn) mechanism(ctx context.Context, cfg *Config) (mailsmtp.Auth, error) {
	_, offered := c.client.Extension("AUTH")
	mechs := strings.Fields(strings.ToUpper(offered))
	host, _, _ := net.SplitHostPort(cfg.Addr)
	plain := cfg.Security == None // Validate has allowed it
	switch {
	case cfg.Token != nil:
		if !slices.Contains(mechs, "XOAUTH2") {
			return nil, fmt.Errorf("%w: it doesn't offer XOAUTH2, only %q", ErrRefused, offered)
		}
		token, err := cfg.Token(ctx)
		if err != nil {
			return nil, fmt.Errorf("access token: %w", err)
		}
		return mailsmtp.XOAuth2Auth(cfg.User, token), nil
	case slices.Contains(mechs, "PLAIN"):
		return mailsmtp.PlainAuth("", cfg.User, cfg.Password, host, plain), nil
	case slices.Contains(mechs, "LOGIN"):
		return mailsmtp.LoginAuth(cfg.User, cfg.Password, host, plain), nil
	}
	return nil, fmt.Errorf("%w: it offers neither PLAIN nor LOGIN, only %q", ErrRefused, offered)
}

// renew gives the next command its time.
func (c *conn) renew(extra time.Duration) error { return c.client.UpdateDeadline(c.limit + extra) }

// quit says goodbye, briefly. What the server says to it no longer matters.
func (c *conn) quit() {
	c.raw.SetDeadline(time.Now().Add(2 * time.Second))
	c.client.Quit()
	c.raw.Close()
}

// replyCode is the server's reply in an error, or 0.
func replyCode(err error) int {
	var reply *textproto.Error
	if errors.As(err, &reply) {
		return reply.Code
	}
	return 0
}
