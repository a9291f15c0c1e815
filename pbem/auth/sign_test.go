package auth_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"strings"
	"testing"

	"github.com/emersion/go-msgauth/dkim"

	"pbemd/pbem/auth"
)

func keyFile(t *testing.T, key any) []byte {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

func TestOurSignatureIsTakenByAVerifier(t *testing.T) {
	_, ed, _ := ed25519.GenerateKey(rand.Reader)
	rs, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	mail := []byte("From: GM <gm@pbem.example>\r\nTo: a@players.example\r\nSubject: =?utf-8?q?T=C3=BCr?=\r\nDate: Mon, 02 Nov 2026 10:00:00 +0000\r\nMessage-ID: <g1.axis.r1@pbem.example>\r\n\r\n.dot\r\nThe map.  \r\n\r\n")
	for name, key := range map[string][]byte{
		"ed25519": keyFile(t, ed), "rsa": keyFile(t, rs),
		"rsa PKCS 1": pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(rs)}),
	} {
		s, err := auth.NewSigner("pbem.example", "pbem", key)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		signed, err := s.Sign(mail)
		if err != nil || !bytes.HasSuffix(signed, mail) {
			t.Fatalf("%s: the mail isn't whole behind its signature: %v", name, err)
		}
		for _, l := range strings.Split(string(signed), "\r\n") {
			if len(l) > 998 {
				t.Errorf("%s: a line of %d octets", name, len(l))
			}
		}
		dns := func(q string) ([]string, error) {
			at, record := s.Record()
			if q != at {
				return nil, errors.New("no such name")
			}
			return []string{record}, nil
		}
		verify := func(m []byte) error {
			v, err := dkim.VerifyWithOptions(bytes.NewReader(m), &dkim.VerifyOptions{LookupTXT: dns})
			if err != nil {
				return err
			}
			if len(v) != 1 || v[0].Domain != "pbem.example" {
				return errors.New("not one signature of ours")
			}
			return v[0].Err
		}
		if err := verify(signed); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := s.Published(dns); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for what, changed := range map[string][]byte{
			"text":           bytes.Replace(signed, []byte("The map"), []byte("The cap"), 1),
			"second From":    append([]byte("From: somebody@else.example\r\n"), signed...),
			"added Reply-To": append([]byte("Reply-To: somebody@else.example\r\n"), signed...),
		} {
			if verify(changed) == nil {
				t.Errorf("%s: a changed mail (%s) passes", name, what)
			}
		}
	}
	s, err := auth.NewSigner("pbem.example", "pbem", keyFile(t, ed))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Published(func(string) ([]string, error) { return []string{"v=DKIM1; k=rsa; p=MII"}, nil }); err == nil || !strings.Contains(err.Error(), "k=ed25519") {
		t.Errorf("another key in the DNS: %v", err)
	}
}

func TestKeysThatCannotSignAreRefused(t *testing.T) {
	small, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Skip(err)
	}
	good := keyFile(t, small)
	for name, c := range map[string]struct {
		domain, selector string
		key              []byte
	}{
		"no domain": {"", "s", good}, "no selector": {"d.example", "", good}, "a selector with a tag": {"d.example", "s; l=0", good},
		"no PEM": {"d.example", "s", []byte("secret")}, "nonsense": {"d.example", "s", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("x")})},
	} {
		if _, err := auth.NewSigner(c.domain, c.selector, c.key); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}
