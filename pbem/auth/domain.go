package auth

import (
	"bytes"
	"errors"
	"strings"

	"github.com/emersion/go-msgauth/dkim"
	"github.com/emersion/go-msgauth/dmarc"
	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
	"golang.org/x/text/unicode/norm"
)

// LookupTXT asks for the DNS text records of a name.
type LookupTXT func(name string) ([]string, error)

// Canonical is an address in the one form in which addresses are compared:
// lower case, NFC, the domain in ASCII.
func Canonical(addr string) string {
	i := strings.LastIndexByte(addr, '@')
	if i < 0 {
		return strings.ToLower(norm.NFC.String(addr))
	}
	return strings.ToLower(norm.NFC.String(addr[:i])) + "@" + Domain(addr[i+1:])
}

// Domain is a domain in lower case and ASCII.
func Domain(d string) string {
	d = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(d)), ".")
	if a, err := idna.Lookup.ToASCII(d); err == nil {
		return a
	}
	return d
}

func domainOf(addr string) string {
	return Domain(addr[strings.LastIndexByte(addr, '@')+1:])
}

// aligned says that a signing domain may speak for the From domain: the same,
// or, if strict is not asked for, of the same organisation (RFC 7489, 3.1).
func aligned(signer, from string, strict bool) bool {
	signer, from = Domain(signer), Domain(from)
	if signer == "" || from == "" {
		return false
	}
	if signer == from {
		return true
	}
	if strict {
		return false
	}
	a, err1 := publicsuffix.EffectiveTLDPlusOne(signer)
	b, err2 := publicsuffix.EffectiveTLDPlusOne(from)
	return err1 == nil && err2 == nil && a == b
}

// maxSignatures is how many DKIM signatures of one mail are looked at.
const maxSignatures = 5

// DKIM says whether the raw mail carries a valid signature that is aligned with
// the domain of from. temporary is true if it could not be found out now.
func DKIM(raw []byte, from string, lookup LookupTXT) (pass, temporary bool) {
	if lookup == nil || !bytes.Contains(bytes.ToLower(raw[:min(len(raw), 256<<10)]), []byte("dkim-signature:")) {
		return false, false
	}
	if bytes.HasPrefix(raw, []byte("From ")) {
		if i := bytes.IndexByte(raw, '\n'); i >= 0 {
			raw = raw[i+1:]
		}
	}
	if !bytes.Contains(raw, []byte("\r\n")) {
		raw = bytes.ReplaceAll(raw, []byte("\n"), []byte("\r\n"))
	}
	checks, err := dkim.VerifyWithOptions(bytes.NewReader(raw), &dkim.VerifyOptions{LookupTXT: lookup, MaxVerifications: maxSignatures})
	if err != nil && !errors.Is(err, dkim.ErrTooManySignatures) {
		return false, dkim.IsTempFail(err)
	}
	domain := domainOf(from)
	strict, known := false, false
	for _, v := range checks {
		if v.Err != nil {
			temporary = temporary || dkim.IsTempFail(v.Err)
			continue
		}
		if !known {
			known = true
			if rec, err := dmarc.LookupWithOptions(domain, &dmarc.LookupOptions{LookupTXT: lookup}); err == nil {
				strict = rec.DKIMAlignment == dmarc.AlignmentStrict
			}
		}
		if aligned(v.Domain, domain, strict) {
			return true, false
		}
	}
	return false, temporary
}
