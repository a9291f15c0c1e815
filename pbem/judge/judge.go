package judge

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"pbemd/orders"
	"pbemd/pbem/auth"
	"pbemd/pbem/message"
)

// Outcome is what becomes of a mail.
type Outcome string

// The outcomes.
const (
	Accept     Outcome = "accept"     // its sheets reach the game
	Duplicate  Outcome = "duplicate"  // it was here before: no effect, no answer
	Ignore     Outcome = "ignore"     // a machine's: no effect, no answer
	Reject     Outcome = "reject"     // a player's, and nothing to execute: one notice
	Quarantine Outcome = "quarantine" // proves nothing: no answer, kept for the operator
)

// Verdict is the whole judgement on one mail.
type Verdict struct {
	Outcome Outcome
	Notice  Notice
	Why     string // key of the sentence for the operator, "" for a player's mail
	Kind    string // orders, bounce, receipt, automatic, calendar, own, list, unproven
	Mail    *message.Mail
	Auth    auth.Verdict
	Reading Reading
	Sheets  []orders.Sheet // those for proven seats
	Unknown []orders.Sheet // those for games in which the sender has no seat
	Key     string         // tells mails apart, see Key
}

// World is what judging must know of the server.
type World struct {
	auth.Config
	Seats    auth.Registry
	Grammars Grammars
	Player   func(auth.Seat) string // who holds a seat, for telling mails apart; nil means the seat itself
	Seen     func(key string) bool  // whether a mail with that key was here before; nil means never
	Anybody  bool                   // who sent a mail is not judged
}

// Key tells mails apart: the same player, the same Message-ID and the same
// text make the same mail; without a Message-ID the Date field stands for it.
func Key(player string, m *message.Mail, text string) string {
	h := sha256.New()
	put := func(s string) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	put("pbem-mail-v1")
	put(player)
	if m.MessageID != "" {
		put("id")
		put(m.MessageID)
	} else {
		put("date")
		put(m.Date)
	}
	put(text)
	return hex.EncodeToString(h.Sum(nil))
}

// Judge judges one raw mail. It changes nothing; whoever acts on the verdict
// remembers its Key.
func Judge(raw []byte, w World) Verdict {
	v := Verdict{Mail: message.Parse(raw, message.Options{})}
	m := v.Mail
	if m.Automatic == "" && len(m.From) == 1 && w.Mailbox != "" && auth.Ours(w.Mailbox, m.From[0].Addr) {
		m.Automatic = "own"
	}
	if m.Automatic != "" {
		v.Outcome, v.Why, v.Kind = Ignore, "why."+m.Automatic, kindOf(m.Automatic)
		return v
	}
	v.Reading = Read(m, w.Grammars)
	v.Kind = "orders"
	if w.Anybody {
		return v.anybody(w)
	}
	v.Auth = auth.Decide(m, raw, v.Reading.Games(), w.Config, w.Seats)
	if m.ListID != "" && !v.Auth.ByToken {
		v.Outcome, v.Why, v.Kind = Ignore, "why.list", "list"
		return v
	}
	if len(v.Auth.Seats) == 0 {
		v.Outcome, v.Why, v.Kind = Quarantine, "why."+string(v.Auth.Reason), "unproven"
		return v
	}
	v.Key = Key(w.player(v.Auth.Seats[0].Seat), m, v.Reading.Text)
	for _, s := range v.Reading.Sheets {
		if _, ok := v.Auth.For(s.Game); ok {
			v.Sheets = append(v.Sheets, s)
		} else {
			v.Unknown = append(v.Unknown, s)
		}
	}
	return v.conclude(w)
}

func (v Verdict) conclude(w World) Verdict {
	switch {
	case w.Seen != nil && w.Seen(v.Key):
		v.Outcome = Duplicate
	case len(v.Sheets) > 0:
		v.Outcome = Accept
	case v.Reading.Notice != "":
		v.Outcome, v.Notice = Reject, v.Reading.Notice
	default:
		v.Outcome, v.Notice = Reject, UnknownGame
	}
	return v
}

func (v Verdict) anybody(w World) Verdict {
	from, ok := v.Mail.Sender()
	if !ok {
		v.Outcome, v.Why, v.Kind = Quarantine, "why."+string(auth.NoSender), "unproven"
		return v
	}
	v.Sheets = v.Reading.Sheets
	v.Key = Key(auth.Canonical(from.Addr), v.Mail, v.Reading.Text)
	return v.conclude(w)
}

func (w World) player(s auth.Seat) string {
	if w.Player != nil {
		return w.Player(s)
	}
	return s.Game + "/" + s.Side
}

func kindOf(automatic string) string {
	switch automatic {
	case "bounce", "receipt", "calendar", "own":
		return automatic
	}
	return "automatic"
}
