package hub

import (
	"bytes"
	"crypto/subtle"
	"fmt"
	"io"
	"strings"
	"time"

	goimap "github.com/emersion/go-imap/v2"
	"github.com/emersion/go-sasl"
	gosmtp "github.com/emersion/go-smtp"
)

// submission is one SMTP session. Anybody may write to the users of the hub, as
// to any server that receives for a domain; a login is checked if offered.
type submission struct {
	hub  *Hub
	conn *gosmtp.Conn
	from string
	to   []string
}

func (h *Hub) newSubmission(c *gosmtp.Conn) (gosmtp.Session, error) {
	s := &submission{hub: h, conn: c}
	if err := s.fault(AtConnect, ""); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *submission) AuthMechanisms() []string { return []string{sasl.Plain, sasl.Login, xoauth2} }

func (s *submission) Auth(mech string) (sasl.Server, error) {
	switch mech {
	case sasl.Plain:
		return sasl.NewPlainServer(func(_, name, password string) error { return s.login(name, password) }), nil
	case sasl.Login:
		return &loginServer{check: s.login}, nil
	case xoauth2:
		return &xoauth2Server{check: s.login}, nil
	}
	return nil, gosmtp.ErrAuthUnknownMechanism
}

func (s *submission) login(name, password string) error {
	a := s.hub.account(name)
	if a == nil || base(name) != a.address || subtle.ConstantTimeCompare([]byte(password), []byte(a.password)) != 1 {
		return gosmtp.ErrAuthFailed
	}
	return s.fault(AtAuth, name)
}

func (s *submission) Mail(from string, _ *gosmtp.MailOptions) error {
	s.from, s.to = from, nil
	return s.fault(AtMail, from)
}

func (s *submission) Rcpt(to string, _ *gosmtp.RcptOptions) error {
	if s.hub.account(to) == nil {
		return &gosmtp.SMTPError{Code: 550, EnhancedCode: gosmtp.EnhancedCode{5, 1, 1}, Message: "no such user here"}
	}
	if err := s.fault(AtRcpt, to); err != nil {
		return err
	}
	if !s.hub.faults.known(s.from, to, time.Now()) {
		return &gosmtp.SMTPError{Code: 451, EnhancedCode: gosmtp.EnhancedCode{4, 7, 1}, Message: "greylisted, try again later"}
	}
	s.to = append(s.to, to)
	return nil
}

func (s *submission) Data(r io.Reader) error {
	body, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	for _, to := range s.to {
		if err := s.fault(AtData, to); err != nil {
			return err
		}
	}
	for _, to := range s.to {
		if err := s.hub.deliver(s.from, to, s.conn.Hostname(), body); err != nil {
			return &gosmtp.SMTPError{Code: 451, EnhancedCode: gosmtp.EnhancedCode{4, 3, 0}, Message: "could not be stored"}
		}
	}
	for _, to := range s.to {
		if err := s.fault(AtDone, to); err != nil {
			return err
		}
	}
	return nil
}

func (s *submission) Reset()        { s.from, s.to = "", nil }
func (s *submission) Logout() error { return nil }

// deliver writes the trace lines a delivery agent writes, and stores.
func (h *Hub) deliver(from, to, helo string, body []byte) error {
	now := h.cfg.Now()
	n := h.delivered.Add(1)
	var b bytes.Buffer
	fmt.Fprintf(&b, "Return-Path: <%s>\r\nDelivered-To: %s\r\n", from, to)
	fmt.Fprintf(&b, "Received: from %s (localhost [127.0.0.1])\r\n\tby localhost with ESMTP id %d\r\n\tfor <%s>; %s\r\n",
		clean(helo), n, to, now.UTC().Format(time.RFC1123Z))
	b.Write(body)
	_, err := h.account(to).store.Append("INBOX", literal{bytes.NewReader(b.Bytes())}, &goimap.AppendOptions{Time: now})
	h.cfg.Log.Info("delivered", "to", base(to), "octets", b.Len())
	return err
}

// Deliver puts a message into a mailbox as if it had come by SMTP.
func (h *Hub) Deliver(from, to string, message []byte) error {
	if h.account(to) == nil {
		return fmt.Errorf("deliver to %q: no such user here", to)
	}
	return h.deliver(from, to, "localhost", message)
}

// Append puts the very bytes into a folder, without any trace line.
func (h *Hub) Append(user, folder string, message []byte, received time.Time) error {
	a := h.account(user)
	if a == nil {
		return fmt.Errorf("append for %q: no such user here", user)
	}
	_, err := a.store.Append(folder, literal{bytes.NewReader(bytes.Clone(message))}, &goimap.AppendOptions{Time: received})
	return err
}

func clean(helo string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' || strings.ContainsRune("()<>;", r) {
			return -1
		}
		return r
	}, helo)
}

type literal struct{ *bytes.Reader }

func (l literal) Size() int64 { return l.Reader.Size() }
