package hub

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"mime"
	"net/mail"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"pbemd/pbem"
	"pbemd/pbem/imap"
	"pbemd/pbem/smtp"
)

// PlayerConfig is what a player types into a mail program.
type PlayerConfig struct {
	Address  string
	Name     string // shown before the address; may be empty
	Password string
	User     string // login name, the address by default
	IMAP     string // host:port
	SMTP     string // host:port
	// Login sends the login to the SMTP server too, as submission ports want.
	Login bool
	// TLS, if set, asks both servers for STARTTLS with it.
	TLS *tls.Config
	// Poll is the longest wait between two looks at the mailbox, 5 s by default.
	Poll time.Duration
}

// Player writes and reads mail as a person with a mail program does: by IMAP and
// SMTP alone, against any server. Mail stays in the INBOX.
type Player struct {
	cfg    PlayerConfig
	inbox  *imap.Inbox
	sender *smtp.Sender
	seen   map[[2]uint32]bool // UIDVALIDITY and UID
}

// NewPlayer connects at the first need.
func NewPlayer(cfg PlayerConfig) *Player {
	if cfg.User == "" {
		cfg.User = cfg.Address
	}
	if cfg.Poll == 0 {
		cfg.Poll = 5 * time.Second
	}
	in := imap.Config{
		Addr: cfg.IMAP, Security: imap.None, User: cfg.User, Password: cfg.Password,
		NoFolders: true, Poll: cfg.Poll, Limit: 15 * time.Second, Backoff: patience,
	}
	out := smtp.Config{Addr: cfg.SMTP, Security: smtp.None, Limit: 15 * time.Second, Hello: "player.localhost"}
	if cfg.Login {
		out.User, out.Password = cfg.User, cfg.Password
	}
	if cfg.TLS != nil {
		in.Security, in.TLS = imap.StartTLS, cfg.TLS
		out.Security, out.TLS = smtp.StartTLS, cfg.TLS
	}
	return &Player{cfg: cfg, inbox: imap.New(in), sender: smtp.New(out), seen: make(map[[2]uint32]bool)}
}

// patience is short: a player looks again soon.
func patience(failures int) time.Duration {
	return min(5*time.Second, 100*time.Millisecond<<min(failures, 10))
}

// Send writes one mail and returns its Message-ID. The ids in inReplyTo are the
// thread, oldest first; the last is the mail answered.
func (p *Player) Send(ctx context.Context, to, subject, body string, inReplyTo ...string) (id string, err error) {
	raw, id, err := p.compose(to, subject, body, inReplyTo)
	if err != nil {
		return "", err
	}
	return id, p.SendRaw(ctx, to, raw)
}

// SendRaw sends bytes of one's own making.
func (p *Player) SendRaw(ctx context.Context, to string, message []byte) error {
	a, err := mail.ParseAddress(to)
	if err != nil {
		return fmt.Errorf("player %s: send to %q: %w", p.cfg.Address, to, err)
	}
	if err := p.sender.Send(ctx, pbem.Envelope{From: p.cfg.Address, To: a.Address}, message); err != nil {
		return fmt.Errorf("player %s: %w", p.cfg.Address, err)
	}
	return nil
}

func (p *Player) compose(to, subject, body string, thread []string) (raw []byte, id string, err error) {
	var n [10]byte
	rand.Read(n[:])
	_, domain, _ := strings.Cut(p.cfg.Address, "@")
	id = "<" + hex.EncodeToString(n[:]) + "@" + domain + ">"
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent(), gomail.WithEncoding(gomail.EncodingQP))
	from := (&mail.Address{Name: p.cfg.Name, Address: p.cfg.Address}).String()
	if err := m.From(from); err != nil {
		return nil, "", fmt.Errorf("player %s: %w", p.cfg.Address, err)
	}
	if err := m.To(to); err != nil {
		return nil, "", fmt.Errorf("player %s: send to %q: %w", p.cfg.Address, to, err)
	}
	m.Subject(subject)
	m.SetDate()
	m.SetMessageIDWithValue(strings.Trim(id, "<>"))
	if len(thread) > 0 {
		m.SetGenHeader(gomail.HeaderInReplyTo, thread[len(thread)-1])
		m.SetGenHeader(gomail.HeaderReferences, strings.Join(thread, " "))
	}
	m.SetBodyString(gomail.TypeTextPlain, body)
	var b bytes.Buffer
	if _, err := m.WriteTo(&b); err != nil {
		return nil, "", fmt.Errorf("player %s: %w", p.cfg.Address, err)
	}
	return b.Bytes(), id, nil
}

// Reply answers a mail as the Reply button does: to Reply-To or else From, with
// "Re:" and the thread carried on.
func (p *Player) Reply(ctx context.Context, original []byte, body string) (id string, err error) {
	m, err := mail.ReadMessage(bytes.NewReader(original))
	if err != nil {
		return "", fmt.Errorf("player %s: reply: %w", p.cfg.Address, err)
	}
	to := m.Header.Get("Reply-To")
	if to == "" {
		to = m.Header.Get("From")
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil {
		subject = m.Header.Get("Subject")
	}
	if len(subject) < 3 || !strings.EqualFold(subject[:3], "re:") {
		subject = "Re: " + subject
	}
	thread := strings.Fields(m.Header.Get("References"))
	if mid := strings.TrimSpace(m.Header.Get("Message-Id")); mid != "" {
		thread = append(thread, mid)
	}
	return p.Send(ctx, to, subject, body, thread...)
}

// Next waits for the next mail not yet returned and returns it raw.
func (p *Player) Next(ctx context.Context) ([]byte, error) {
	for {
		raw, err := p.look(ctx)
		if err == nil && raw == nil {
			err = p.inbox.Wait(ctx)
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, imap.ErrRefused), errors.Is(err, imap.ErrInsecure):
			return nil, fmt.Errorf("player %s: %w", p.cfg.Address, err)
		case raw != nil:
			return raw, nil
		}
		// Any other error passes; the inbox paces the attempts.
	}
}

// look returns the first mail not yet returned, or nil.
func (p *Player) look(ctx context.Context) ([]byte, error) {
	refs, err := p.inbox.List(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range refs {
		key := [2]uint32{r.UIDValidity, r.UID}
		if p.seen[key] {
			continue
		}
		raw, err := p.inbox.Fetch(ctx, r)
		if errors.Is(err, pbem.ErrGone) {
			continue
		}
		if err == nil {
			p.seen[key] = true
		}
		return raw, err
	}
	return nil, nil
}

// Close says goodbye to both servers.
func (p *Player) Close() error {
	p.sender.Close()
	return p.inbox.Close()
}
