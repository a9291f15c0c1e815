package auth

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/emersion/go-msgauth/dkim"

	"pbemd/pbem/message"
)

func TestTokenVector(t *testing.T) {
	key := []byte("server key")
	tok := Token(key, "12", "axis", 7, 0)
	if len(tok) != TokenLength || strings.ContainsAny(tok, "01oi") || tok != strings.ToLower(tok) {
		t.Errorf("token %q", tok)
	}
	seen := map[string]string{}
	for name, other := range map[string]string{
		"same": tok, "game": Token(key, "13", "axis", 7, 0), "seat": Token(key, "12", "soviet", 7, 0), "serial": Token(key, "12", "axis", 8, 0),
		"epoch": Token(key, "12", "axis", 7, 1), "key": Token([]byte("other key"), "12", "axis", 7, 0), "shifted": Token(key, "1", "2axis", 7, 0),
	} {
		if was, twice := seen[other]; twice {
			t.Errorf("%s and %s have one token", name, was)
		}
		seen[other] = name
	}
}

func TestTokenOfThisPhaseAndTheLast(t *testing.T) {
	key := []byte("k")
	for _, c := range []struct {
		serial, epoch  uint64
		valid, current bool
	}{{7, 0, true, true}, {6, 0, true, false}, {5, 0, false, false}, {8, 0, false, false}, {7, 1, false, false}} {
		valid, current := Check(key, "12", "axis", 7, 0, strings.ToUpper(Token(key, "12", "axis", c.serial, c.epoch)))
		if valid != c.valid || current != c.current {
			t.Errorf("serial %d epoch %d: %v %v", c.serial, c.epoch, valid, current)
		}
	}
	if Equal("", "") || Equal("abc", "abcd") {
		t.Error("empty or shorter tokens pass")
	}
}

func TestKeysOfAMail(t *testing.T) {
	for _, c := range []struct {
		to      []string
		subject string
		want    []Key
	}{
		{[]string{"gm+g12-k7f3q9xw@example.org"}, "", []Key{{"12", "k7f3q9xw", "address"}}},
		{[]string{"GM+G12-K7F3Q9XW@EXAMPLE.ORG", "gm+g12-k7f3q9xw@example.org"}, "x", []Key{{"12", "k7f3q9xw", "address"}}},
		{[]string{"gm@example.org"}, "Re: [12 #K7f3q9xw] WAITING", []Key{{"12", "k7f3q9xw", "subject"}}},
		{[]string{"gm@example.org"}, "AW: [G12 T7 #k7f3q9xw]", []Key{{"12", "k7f3q9xw", "subject"}}},
		{[]string{"gm@example.org"}, "orders #k7f3q9xw", []Key{{"", "k7f3q9xw", "subject"}}},
		{[]string{"gm@example.org"}, "#1 #k7f3q9xwz #short", nil},
		{[]string{"gm+g12-k7f3q9xw@example.com", "gmx+g12-k7f3q9xw@example.org", "gm+g12-k7f3@example.org", "gm+g12k7f3q9xw@example.org"}, "", nil},
	} {
		got := Keys("gm@example.org", c.to, c.subject)
		if len(got) != len(c.want) || len(got) > 0 && got[0] != c.want[0] {
			t.Errorf("%v %q: got %v, want %v", c.to, c.subject, got, c.want)
		}
	}
	var many []string
	for i := range 40 {
		many = append(many, Address("gm@example.org", "12", Token([]byte("x"), "12", "axis", uint64(i), 0)))
	}
	if n := len(Keys("gm@example.org", many, "")); n > 16 {
		t.Errorf("%d guesses in one mail", n)
	}
}

// sign makes a mail of alice@example.net signed for a domain.
func sign(t *testing.T, domain string, o func(*dkim.SignOptions)) (raw []byte, lookup LookupTXT) {
	t.Helper()
	pub, priv, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	opts := &dkim.SignOptions{Domain: domain, Selector: "s", Signer: priv, HeaderCanonicalization: dkim.CanonicalizationRelaxed, BodyCanonicalization: dkim.CanonicalizationRelaxed}
	if o != nil {
		o(opts)
	}
	var b bytes.Buffer
	mail := "From: Alice <alice@example.net>\r\nTo: gm@example.org\r\nSubject: x\r\n\r\nGAME 12\r\nEND\r\n"
	if err := dkim.Sign(&b, strings.NewReader(mail), opts); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), func(name string) ([]string, error) {
		switch name {
		case "s._domainkey." + domain:
			return []string{"v=DKIM1; k=ed25519; p=" + base64.StdEncoding.EncodeToString(pub)}, nil
		case "_dmarc.example.net":
			return []string{"v=DMARC1; p=reject; adkim=r"}, nil
		}
		return nil, errors.New("no such record")
	}
}

func TestDKIMNeedsAlignment(t *testing.T) {
	raw, lookup := sign(t, "example.net", nil)
	if pass, _ := DKIM(raw, "alice@example.net", lookup); !pass {
		t.Error("an aligned signature does not pass")
	}
	if pass, _ := DKIM(bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n")), "alice@example.net", lookup); !pass {
		t.Error("nor with the line ends of a mail store")
	}
	if pass, _ := DKIM(bytes.Replace(raw, []byte("GAME 12"), []byte("GAME 13"), 1), "alice@example.net", lookup); pass {
		t.Error("a changed body passes")
	}
	if pass, _ := DKIM(raw, "alice@example.com", lookup); pass {
		t.Error("another domain passes")
	}
	raw, lookup = sign(t, "mail.example.net", nil)
	if pass, _ := DKIM(raw, "alice@example.net", lookup); !pass {
		t.Error("a domain of the same organisation does not pass")
	}
	strict := func(name string) ([]string, error) {
		if name == "_dmarc.example.net" {
			return []string{"v=DMARC1; p=reject; adkim=s"}, nil
		}
		return lookup(name)
	}
	if pass, _ := DKIM(raw, "alice@example.net", strict); pass {
		t.Error("it passes although the domain asks for strict alignment")
	}
	raw, lookup = sign(t, "evil.example.org", nil)
	if pass, _ := DKIM(raw, "alice@example.net", lookup); pass {
		t.Error("a stranger's signature passes")
	}
	if pass, _ := DKIM(append([]byte("From x Mon Nov 30 09:15:02 2026\n"), raw...), "x@evil.example.org", lookup); !pass {
		t.Error("an mbox line spoils a signature")
	}
}

type seats struct {
	tokens    map[string][]Claim
	addresses map[string][]Seat
	keys      map[Seat]openpgp.EntityList
	strict    map[Seat]bool
}

func (s seats) ByToken(game, token string) []Claim { return s.tokens[game+"/"+token] }
func (s seats) ByAddress(a string) []Seat          { return s.addresses[a] }
func (s seats) Keys(x Seat) openpgp.EntityList     { return s.keys[x] }
func (s seats) Strict(x Seat) bool                 { return s.strict[x] }

func TestDecide(t *testing.T) {
	axis, soviet := Seat{"12", "axis"}, Seat{"12", "soviet"}
	r := seats{
		tokens:    map[string][]Claim{"12/k7f3q9xw": {{axis, true}}, "12/m2v8c4tn": {{soviet, false}}},
		addresses: map[string][]Seat{"alice@example.net": {axis}, "bob@example.net": {soviet}, "both@example.net": {{"13", "axis"}, {"13", "soviet"}}},
	}
	results := "Authentication-Results: mx.example.org; dmarc=pass header.from=example.net\n"
	for _, c := range []struct {
		name, head, from, to, subject string
		games                         []string
		want                          string
	}{
		{"token", "", "x@y.example", "gm+g12-k7f3q9xw@example.org", "", nil, "axis current"},
		{"token of the phase before", "", "x@y.example", "gm+g12-m2v8c4tn@example.org", "", nil, "soviet"},
		{"token in the subject, game in the sheet", "", "x@y.example", "gm@example.org", "hello #k7f3q9xw", []string{"12"}, "axis current"},
		{"sender", results, "Alice@Example.NET", "gm@example.org", "", nil, "axis sender"},
		{"sender unproven", "", "alice@example.net", "gm@example.org", "", nil, "no-proof"},
		{"stranger", results, "carol@example.net", "gm@example.org", "", nil, "stranger"},
		{"disagree", results, "bob@example.net", "gm+g12-k7f3q9xw@example.org", "", nil, "disagree"},
		{"agree", results, "alice@example.net", "gm+g12-k7f3q9xw@example.org", "", nil, "axis current sender"},
		{"a valid token behind wrong ones", "", "x@y.example", "gm+g12-aaaaaaaa@example.org, gm+g12-bbbbbbbb@example.org, gm+g12-cccccccc@example.org, gm+g12-dddddddd@example.org, gm+g12-eeeeeeee@example.org, gm+g12-k7f3q9xw@example.org", "", nil, "axis current"},
		{"two tokens", "", "x@y.example", "gm+g12-k7f3q9xw@example.org, gm+g12-m2v8c4tn@example.org", "", nil, "two-tokens"},
		{"wrong token", "", "x@y.example", "gm+g12-aaaaaaaa@example.org", "", nil, "wrong-token"},
		{"wrong token, proven sender", results, "alice@example.net", "gm+g12-aaaaaaaa@example.org", "", nil, "axis sender"},
		{"one address, both seats", results, "both@example.net", "gm@example.org", "", nil, "both-seats"},
		{"two authors", results, "alice@example.net, bob@example.net", "gm@example.org", "", nil, "no-sender"},
	} {
		raw := []byte(c.head + "From: " + c.from + "\nTo: " + c.to + "\nSubject: " + c.subject + "\n\nx\n")
		v := Decide(message.Parse(raw, message.Options{}), raw, c.games, Config{Mailbox: "gm@example.org", Authserv: "mx.example.org"}, r)
		got := string(v.Reason)
		for _, p := range v.Seats {
			got += p.Side
			if p.Current {
				got += " current"
			}
			if p.Sender {
				got += " sender"
			}
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestOpenPGP(t *testing.T) {
	dir := "../../testdata/mail"
	armoured, err := os.ReadFile(filepath.Join(dir, "pgp-alice-pub.asc"))
	if err != nil {
		t.Fatal(err)
	}
	keys, err := ReadKeys(armoured)
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := openpgp.NewEntity("S", "", "s@example.net", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file string
		keys openpgp.EntityList
		want PGP
	}{
		{"501-pgp-mime-signed.eml", keys, Good},
		{"502-pgp-mime-tampered.eml", keys, Bad},
		{"503-pgp-clearsigned.eml", keys, Good},
		{"501-pgp-mime-signed.eml", openpgp.EntityList{stranger}, Foreign},
		{"503-pgp-clearsigned.eml", openpgp.EntityList{stranger}, Foreign},
		{"501-pgp-mime-signed.eml", nil, Unsigned},
		{"001-plain-ascii.eml", keys, Unsigned},
	} {
		raw, err := os.ReadFile(filepath.Join(dir, c.file))
		if err != nil {
			t.Fatal(err)
		}
		for _, variant := range [][]byte{raw, bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n"))} {
			if got := VerifyPGP(message.Parse(variant, message.Options{}).Signed, c.keys); got != c.want {
				t.Errorf("%s with %d keys: got %d, want %d", c.file, len(c.keys), got, c.want)
			}
		}
	}
	raw, _ := os.ReadFile(filepath.Join(dir, "503-pgp-clearsigned.eml"))
	forged := bytes.Replace(raw, []byte("H15-H14"), []byte("H15-A01"), 1)
	if got := VerifyPGP(message.Parse(forged, message.Options{}).Signed, keys); got != Bad {
		t.Errorf("a changed clear-signed text: got %d", got)
	}
	if _, err := ReadKeys([]byte("no key")); err == nil {
		t.Error("nonsense was read as a key")
	}
}
