package auth

import (
	"sort"

	"github.com/ProtonMail/go-crypto/openpgp"

	"pbemd/pbem/message"
)

// Seat is one side of one game.
type Seat struct {
	Game string
	Side string
}

// Claim is a seat that a token names, and whether it is the token of the
// present phase or of the one before.
type Claim struct {
	Seat
	Current bool
}

// Registry knows seats, their addresses, tokens and keys.
type Registry interface {
	// ByToken gives the seats for which a token is good; game may be "". It
	// compares in constant time (see Equal).
	ByToken(game, token string) []Claim
	// ByAddress gives the seats registered to an address (see Canonical).
	ByAddress(addr string) []Seat
	// Keys gives the OpenPGP keys a seat has enrolled.
	Keys(s Seat) openpgp.EntityList
	// Strict says that a seat wants both a token and a proof of the sender.
	Strict(s Seat) bool
}

// Reason says why a mail was not taken for a seat's.
type Reason string

// Reasons to quarantine a mail.
const (
	NoSender     Reason = "no-sender"     // no From, two of them, or two authors
	NoProof      Reason = "no-proof"      // neither token nor proven sender
	WrongToken   Reason = "wrong-token"   // a token that is good for nothing
	Stranger     Reason = "stranger"      // proven, but nobody registered
	Disagree     Reason = "disagree"      // token and sender name different seats
	TwoTokens    Reason = "two-tokens"    // tokens of different seats of a game
	Ambiguous    Reason = "both-seats"    // the address holds both seats: only a token can say which
	BadSignature Reason = "bad-signature" // an enrolled key's signature does not fit
	StrictSeat   Reason = "strict"        // the seat asks for both proofs
	OldToken     Reason = "old-token"     // a token of an earlier report: it proves a seat for an answer, for no orders
)

// Verdict is what Decide found out. Seats is empty when the mail proves
// nothing, and Reason then says why.
type Verdict struct {
	Seats  []Proven // by game, at most one of each
	Reason Reason
	Sender string // canonical From address, "" if there is no one author
	Proven bool   // the sender's domain stands by From
	Method string // how: "dkim", "results" or ""
	Wrong  []Key  // tokens that are good for nothing
	// Disputed are the seats whose valid token came from the address of another
	// seat of the game.
	Disputed []Seat
	// Old is the seat of a mail that proves nothing but by a token which is no
	// longer good: it may be answered, and no more.
	Old     *Seat
	PGP     PGP
	Retry   bool // a look-up failed for now: a later try may prove more
	ByToken bool
}

// Proven is a seat a mail speaks for.
type Proven struct {
	Seat
	Token   bool // named by a token
	Current bool // by the token of the present phase
	Sender  bool // by the proven registered address, or a signature with its key
}

// For gives the proven seat of a game.
func (v Verdict) For(game string) (Proven, bool) {
	for _, p := range v.Seats {
		if p.Game == game {
			return p, true
		}
	}
	return Proven{}, false
}

// Config is what Decide must know of our own mail.
type Config struct {
	Mailbox  string // gm@example.org
	Authserv string // whose Authentication-Results we trust, then more names of our hosts: see Results
	Lookup   LookupTXT
}

// Decide says for which seats a mail speaks. games are those its sheets name;
// a token in the subject that names no game is tried for them.
func Decide(m *message.Mail, raw []byte, games []string, c Config, r Registry) Verdict {
	var v Verdict
	from, ok := m.Sender()
	if !ok {
		v.Reason = NoSender
		return v
	}
	v.Sender = Canonical(from.Addr)
	if m.OddFrom {
		// whatever stands by it may mean another address
	} else if Results(m, c.Authserv, from.Addr) {
		v.Proven, v.Method = true, "results"
	} else if pass, temporary := DKIM(raw, from.Addr, c.Lookup); pass {
		v.Proven, v.Method = true, "dkim"
	} else {
		v.Retry = temporary
	}

	byGame := map[string]Proven{}
	var old []Seat
	clash := false
	for _, k := range Keys(c.Mailbox, m.Recipients(), m.Subject) {
		claims := r.ByToken(k.Game, k.Token)
		if len(claims) == 0 && k.Game == "" {
			for _, g := range games {
				claims = append(claims, r.ByToken(g, k.Token)...)
			}
		}
		if len(claims) == 0 {
			if past := earlier(r, k, games); len(past) > 0 {
				old = append(old, past...)
			} else {
				v.Wrong = append(v.Wrong, k)
			}
		}
		for _, cl := range claims {
			p, had := byGame[cl.Game]
			if had && p.Side != cl.Side {
				clash = true
			}
			byGame[cl.Game] = Proven{Seat: cl.Seat, Token: true, Current: cl.Current || p.Current}
			v.ByToken = true
		}
	}
	if clash {
		v.Reason = TwoTokens
		return v
	}

	registered := map[string][]Seat{}
	for _, s := range r.ByAddress(v.Sender) {
		registered[s.Game] = append(registered[s.Game], s)
	}
	if bad := v.signature(m, byGame, registered, r); bad {
		v.Reason = BadSignature
		return v
	}
	// A token that comes from the address of the game's other seat, proven or not,
	// was forwarded, or taken: it may not act.
	for game, seats := range registered {
		if p, had := byGame[game]; had && p.Token && !holds(seats, p.Seat) {
			v.Reason = Disagree
			v.Disputed = append(v.Disputed, p.Seat)
		}
	}
	if v.Reason == Disagree {
		sort.Slice(v.Disputed, func(i, j int) bool { return v.Disputed[i].Game < v.Disputed[j].Game })
		return v
	}
	ambiguous := false
	if v.Proven {
		for game, seats := range registered {
			p, had := byGame[game]
			switch {
			case had && !holds(seats, p.Seat):
				v.Reason = Disagree
				return v
			case had:
				p.Sender = true
				byGame[game] = p
			case len(seats) == 1:
				byGame[game] = Proven{Seat: seats[0], Sender: true}
			default:
				ambiguous = true
			}
		}
	}
	refused := false
	for game, p := range byGame {
		if r.Strict(p.Seat) && !(p.Token && p.Sender) {
			delete(byGame, game)
			refused = true
		}
	}
	for _, p := range byGame {
		v.Seats = append(v.Seats, p)
	}
	sort.Slice(v.Seats, func(i, j int) bool { return v.Seats[i].Game < v.Seats[j].Game })
	if len(v.Seats) > 0 {
		return v
	}
	switch {
	case refused:
		v.Reason = StrictSeat
	case len(old) > 0 && len(v.Wrong) == 0 && !ambiguous:
		v.Reason = OldToken
		same := len(registered[old[0].Game]) == 0 || holds(registered[old[0].Game], old[0])
		for _, s := range old {
			same = same && s == old[0]
		}
		if same && !r.Strict(old[0]) {
			v.Old = &old[0]
		}
	case len(v.Wrong) > 0:
		v.Reason = WrongToken
	case ambiguous:
		v.Reason = Ambiguous
	case v.Proven:
		v.Reason = Stranger
	default:
		v.Reason = NoProof
	}
	return v
}

// Elder is a [Registry] that knows the tokens of earlier reports as well.
type Elder interface {
	// Earlier returns the seats of a game whose token this was, of the present
	// epoch, before those that ByToken takes.
	Earlier(game, token string) []Seat
}

func earlier(r Registry, k Key, games []string) []Seat {
	e, ok := r.(Elder)
	if !ok {
		return nil
	}
	if k.Game != "" {
		return e.Earlier(k.Game, k.Token)
	}
	var out []Seat
	for _, g := range games {
		out = append(out, e.Earlier(g, k.Token)...)
	}
	return out
}

// signature checks an OpenPGP signature under the keys of every seat the mail
// may speak for. A good one proves the sender of that seat as a domain does; a
// bad one under an enrolled key spoils the mail.
func (v *Verdict) signature(m *message.Mail, byGame map[string]Proven, registered map[string][]Seat, r Registry) (bad bool) {
	if m.Signed == nil {
		return false
	}
	var seats []Seat
	for _, p := range byGame {
		seats = append(seats, p.Seat)
	}
	for _, list := range registered {
		for _, s := range list {
			if _, had := byGame[s.Game]; !had {
				seats = append(seats, s)
			}
		}
	}
	sort.Slice(seats, func(i, j int) bool { return seats[i].Game+"\x00"+seats[i].Side < seats[j].Game+"\x00"+seats[j].Side })
	for _, s := range seats {
		keys := r.Keys(s)
		if len(keys) == 0 {
			continue
		}
		state := VerifyPGP(m.Signed, keys)
		if v.PGP == Unsigned || state == Bad {
			v.PGP = state
		}
		switch state {
		case Bad:
			return true
		case Good:
			v.PGP = Good
			p, had := byGame[s.Game]
			if !had {
				p = Proven{Seat: s}
			}
			p.Sender = true
			byGame[s.Game] = p
		}
	}
	return false
}

func holds(seats []Seat, s Seat) bool {
	for _, x := range seats {
		if x == s {
			return true
		}
	}
	return false
}
