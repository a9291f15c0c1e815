package auth

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"

	"github.com/emersion/go-msgauth/dkim"
)

// Signer signs our own mail by DKIM (RFC 6376).
type Signer struct {
	domain, selector string
	key              crypto.Signer
}

// signedFields are signed whether a mail has them or not, so that none of them
// can be added on the way; From twice over for the same reason.
var signedFields = []string{
	"From", "From", "To", "Subject", "Date", "Message-ID", "Reply-To", "In-Reply-To", "References",
	"MIME-Version", "Content-Type", "Auto-Submitted", "List-Unsubscribe",
}

// NewSigner reads a private key, RSA or Ed25519, in PEM.
func NewSigner(domain, selector string, key []byte) (*Signer, error) {
	if domain == "" || selector == "" || strings.ContainsAny(domain+selector, "; \t\r\n") {
		return nil, errors.New("dkim: a domain and a selector are wanted")
	}
	block, _ := pem.Decode(key)
	if block == nil {
		return nil, errors.New("dkim: the key isn't PEM (-----BEGIN PRIVATE KEY-----)")
	}
	var k any
	var err error
	if block.Type == "RSA PRIVATE KEY" {
		k, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	} else {
		k, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	}
	if err != nil {
		return nil, fmt.Errorf("dkim: read the key: %w", err)
	}
	switch k := k.(type) {
	case *rsa.PrivateKey:
		if k.N.BitLen() < 1024 {
			return nil, fmt.Errorf("dkim: a key of %d bits is believed by nobody; make one of 2048", k.N.BitLen())
		}
		return &Signer{domain, selector, k}, nil
	case ed25519.PrivateKey:
		return &Signer{domain, selector, k}, nil
	}
	return nil, fmt.Errorf("dkim: a key of the kind %T can't sign mail; take RSA or Ed25519", k)
}

// Sign gives a message its signature in front.
func (s *Signer) Sign(message []byte) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(len(message) + 1024)
	err := dkim.Sign(&b, bytes.NewReader(message), &dkim.SignOptions{
		Domain: s.domain, Selector: s.selector, Signer: s.key, Hash: crypto.SHA256, HeaderKeys: signedFields,
		HeaderCanonicalization: dkim.CanonicalizationRelaxed, BodyCanonicalization: dkim.CanonicalizationRelaxed,
	})
	if err != nil {
		return nil, fmt.Errorf("dkim: %w", err)
	}
	return b.Bytes(), nil
}

// Record is what has to stand in the DNS, and where.
func (s *Signer) Record() (name, value string) {
	name = s.selector + "._domainkey." + s.domain
	switch p := s.key.Public().(type) {
	case ed25519.PublicKey:
		return name, "v=DKIM1; k=ed25519; p=" + base64.StdEncoding.EncodeToString(p)
	default:
		der, err := x509.MarshalPKIXPublicKey(p)
		if err != nil {
			panic(err) // a key that was read can be written
		}
		return name, "v=DKIM1; k=rsa; p=" + base64.StdEncoding.EncodeToString(der)
	}
}

// Published looks whether the DNS has the record.
func (s *Signer) Published(lookup LookupTXT) error {
	name, want := s.Record()
	list, err := lookup(name)
	if err != nil {
		return fmt.Errorf("dkim: look up %s: %w", name, err)
	}
	for _, have := range list {
		if tag(have, "p") == tag(want, "p") {
			return nil
		}
	}
	return fmt.Errorf("dkim: %s doesn't hold our key; publish the TXT record %s", name, want)
}

// tag is the value of a tag in a DKIM record.
func tag(record, name string) string {
	for _, f := range strings.Split(record, ";") {
		if k, v, ok := strings.Cut(f, "="); ok && strings.TrimSpace(k) == name {
			return strings.Join(strings.Fields(v), "")
		}
	}
	return ""
}
