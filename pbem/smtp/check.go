package smtp

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Report is what a look at the mail server shows.
type Report struct {
	Server     string
	Security   Security
	LoggedIn   bool
	Auth       []string // mechanisms offered
	Extensions []string // of those that matter here
	MaxSize    int64    // octets of a message; 0 if not said
	SenderOK   bool     // Config.From was taken as a sender
}

// Check connects once, on a connection of its own, logs in, asks whether the
// usual sender is welcome, and leaves without sending anything.
func (s *Sender) Check(ctx context.Context) (Report, error) {
	r := Report{Server: s.cfg.Addr, Security: s.cfg.Security}
	if s.invalid != nil {
		return r, s.invalid
	}
	c, err := open(ctx, &s.cfg)
	if err != nil {
		return r, fmt.Errorf("smtp %s: check: %w", s.cfg.Addr, err)
	}
	defer context.AfterFunc(ctx, func() { c.raw.Close() })()
	defer c.quit()
	r.LoggedIn = s.cfg.User != ""
	for _, x := range []string{"8BITMIME", "SIZE", "SMTPUTF8", "STARTTLS", "PIPELINING", "DSN", "AUTH"} {
		ok, value := c.client.Extension(x)
		if !ok {
			continue
		}
		r.Extensions = append(r.Extensions, x)
		switch x {
		case "SIZE":
			r.MaxSize, _ = strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		case "AUTH":
			r.Auth = strings.Fields(value)
		}
	}
	if s.cfg.From == "" {
		return r, nil
	}
	c.client.SkipSMTPUTF8(true)
	if err := c.renew(0); err != nil {
		return r, fmt.Errorf("smtp %s: check: %w", s.cfg.Addr, err)
	}
	if err := c.client.Mail("<" + s.cfg.From + ">"); err != nil {
		return r, fmt.Errorf("smtp %s: check: sender %s: %w", s.cfg.Addr, s.cfg.From, err)
	}
	r.SenderOK = true
	return r, nil
}
