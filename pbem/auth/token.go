// Package auth says who sent a mail: by a token that only the seat's owner was
// sent, by the registered From under an aligned DKIM signature or the
// Authentication-Results of the one host we trust, or by an OpenPGP signature.
//
// [Decide] promises never to take From alone for a proof, never to let two
// proofs that disagree pass, and to compare tokens in constant time.
//
// It relies on a [Registry] of seats, on the raw octets of the mail, and on a
// function that looks up DNS text records; it opens no socket itself. It won't
// answer anybody: what becomes of a mail that proves nothing is for pbem.
package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"strings"
)

// TokenLength is the number of characters of a token.
const TokenLength = 8

// alphabet has neither 0 and o nor 1 and i, and means the same in any case.
var alphabet = base32.NewEncoding("23456789abcdefghjklmnpqrstuvwxyz").WithPadding(base32.NoPadding)

// Token is the secret of one seat for one phase: the first 40 bits of
// HMAC-SHA256 over game, seat, phase serial and epoch. A new epoch makes every
// token given out before worthless.
func Token(key []byte, game, seat string, serial, epoch uint64) string {
	h := hmac.New(sha256.New, key)
	put := func(s string) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	put("pbem-token-v1")
	put(game)
	put(seat)
	var n [16]byte
	binary.BigEndian.PutUint64(n[:8], serial)
	binary.BigEndian.PutUint64(n[8:], epoch)
	h.Write(n[:])
	return alphabet.EncodeToString(h.Sum(nil)[:5])
}

// Equal compares two tokens in constant time, whatever their case.
func Equal(a, b string) bool {
	x, y := []byte(strings.ToLower(a)), []byte(strings.ToLower(b))
	return len(x) > 0 && subtle.ConstantTimeCompare(x, y) == 1
}

// Check says whether a token is the one of the phase, or the one before it.
func Check(key []byte, game, seat string, serial, epoch uint64, token string) (valid, current bool) {
	now := Equal(token, Token(key, game, seat, serial, epoch))
	before := serial > 0 && Equal(token, Token(key, game, seat, serial-1, epoch))
	return now || before, now
}

// Key is a token as it stood in a mail.
type Key struct {
	Game  string // "" when the place did not name one
	Token string // lower case
	Where string // "address" or "subject"
}

// maxKeys is how many different tokens of one mail are tried.
const maxKeys = 16

// Keys finds the tokens of a mail: in addresses of our own mailbox of the form
// local+g<game>-<token>@domain, and behind # in the subject.
func Keys(mailbox string, recipients []string, subject string) []Key {
	local, domain, _ := strings.Cut(strings.ToLower(mailbox), "@")
	var out []Key
	add := func(k Key) {
		for _, o := range out {
			if o.Token == k.Token && (o.Game == k.Game || k.Game == "") {
				return
			}
		}
		if len(out) < maxKeys {
			out = append(out, k)
		}
	}
	for _, r := range recipients {
		l, d, ok := strings.Cut(strings.ToLower(strings.Trim(r, "<> ")), "@")
		if !ok || d != domain {
			continue
		}
		tag, ok := strings.CutPrefix(l, local+"+g")
		if !ok {
			continue
		}
		game, token, ok := strings.Cut(tag, "-")
		if ok && word(game) && len(token) == TokenLength && word(token) {
			add(Key{game, token, "address"})
		}
	}
	game := subjectGame(subject)
	for rest := subject; ; {
		i := strings.IndexByte(rest, '#')
		if i < 0 {
			break
		}
		rest = rest[i+1:]
		j := 0
		for j < len(rest) && alnum(rest[j]) {
			j++
		}
		if j == TokenLength {
			add(Key{game, strings.ToLower(rest[:j]), "subject"})
		}
	}
	return out
}

// subjectGame reads the game of a subject such as "Re: [12 #k7f3q9xw] …" or
// "[G12 T7] …".
func subjectGame(s string) string {
	_, rest, ok := strings.Cut(s, "[")
	if !ok {
		return ""
	}
	rest = strings.TrimLeft(rest, "gG")
	j := 0
	for j < len(rest) && rest[j] >= '0' && rest[j] <= '9' {
		j++
	}
	if j == 0 || j == len(rest) || strings.IndexByte(" ]#,", rest[j]) < 0 {
		return ""
	}
	return rest[:j]
}

func word(s string) bool {
	for i := 0; i < len(s); i++ {
		if !alnum(s[i]) {
			return false
		}
	}
	return s != ""
}

func alnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// Address is the reply address that carries a seat's token.
func Address(mailbox, game, token string) string {
	local, domain, _ := strings.Cut(mailbox, "@")
	return local + "+g" + game + "-" + token + "@" + domain
}

// Ours says whether an address is the mailbox or one of its sub-addresses.
func Ours(mailbox, addr string) bool {
	local, domain, _ := strings.Cut(strings.ToLower(mailbox), "@")
	l, d, _ := strings.Cut(strings.ToLower(strings.Trim(addr, "<> ")), "@")
	return d == domain && (l == local || strings.HasPrefix(l, local+"+"))
}
