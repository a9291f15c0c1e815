package hub

import (
	"strings"
	"sync"
	"time"

	gosmtp "github.com/emersion/go-smtp"
)

// Stage is where in an SMTP session a fault strikes.
type Stage string

// The stages in the order they come. AtDone is after the message is stored:
// the client can't know that it was.
const (
	AtConnect Stage = "connect"
	AtAuth    Stage = "auth"
	AtMail    Stage = "mail"
	AtRcpt    Stage = "rcpt"
	AtData    Stage = "data"
	AtDone    Stage = "done"
)

// Fault is a failure on purpose.
type Fault struct {
	At Stage
	// Who limits the fault to one address: the recipient, or at AtMail the
	// sender, at AtAuth the login. +detail is ignored. Empty means everybody.
	Who string
	// Code is the reply; 0 cuts the connection without a word.
	Code int
	Text string
	// Times is how often it strikes; 0 until [Hub.Heal].
	Times int
}

type faults struct {
	mu    sync.Mutex
	list  []*Fault
	grey  time.Duration
	first map[string]time.Time
}

// Fail orders a fault.
func (h *Hub) Fail(f Fault) {
	h.faults.mu.Lock()
	defer h.faults.mu.Unlock()
	if f.Times == 0 {
		f.Times = -1
	}
	h.faults.list = append(h.faults.list, &f)
}

// Heal takes back every fault, greylisting too.
func (h *Hub) Heal() {
	h.faults.mu.Lock()
	defer h.faults.mu.Unlock()
	h.faults.list, h.faults.grey, h.faults.first = nil, 0, nil
}

// Greylist defers every new pair of sender and recipient until d has passed
// since its first try.
func (h *Hub) Greylist(d time.Duration) {
	h.faults.mu.Lock()
	defer h.faults.mu.Unlock()
	h.faults.grey, h.faults.first = d, make(map[string]time.Time)
}

// Cut closes every IMAP and SMTP connection without a word.
func (h *Hub) Cut() {
	h.imapGate.drop()
	h.smtpGate.drop()
}

// Down makes both servers refuse and cut every connection, until Down(false).
// The mailboxes stay.
func (h *Hub) Down(down bool) {
	h.imapGate.setDown(down)
	h.smtpGate.setDown(down)
}

// Renumber changes UIDVALIDITY, as when a server rebuilds its indexes, and cuts
// the IMAP connections, which could not know.
func (h *Hub) Renumber() {
	h.epoch.Store(nextEpoch())
	h.imapGate.drop()
}

func (fs *faults) strike(at Stage, who string) *Fault {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, f := range fs.list {
		if f.At != at || f.Times == 0 || f.Who != "" && base(f.Who) != base(who) {
			continue
		}
		if f.Times > 0 {
			f.Times--
		}
		return f
	}
	return nil
}

func (fs *faults) known(from, to string, now time.Time) bool {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.grey == 0 {
		return true
	}
	pair := strings.ToLower(from + " " + to)
	first, ok := fs.first[pair]
	if !ok {
		fs.first[pair] = now
		return false
	}
	return now.Sub(first) >= fs.grey
}

func (s *submission) fault(at Stage, who string) error {
	f := s.hub.faults.strike(at, who)
	if f == nil {
		return nil
	}
	if f.Code == 0 {
		s.conn.Conn().Close()
	}
	code, text := f.Code, f.Text
	if code == 0 {
		code = 421
	}
	if text == "" {
		text = "refused on purpose"
	}
	return &gosmtp.SMTPError{Code: code, EnhancedCode: gosmtp.EnhancedCode{code / 100, 0, 0}, Message: text}
}
