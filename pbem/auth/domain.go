package auth

import (
	"bytes"
	"errors"
	"strings"

	"github.com/emersion/go-msgauth/authres"
	"github.com/emersion/go-msgauth/dkim"
	"github.com/emersion/go-msgauth/dmarc"
	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
	"golang.org/x/text/unicode/norm"

	"pbemd/pbem/message"
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

// Results reads the verdict of our own mail server about the domain of from:
// only the topmost Authentication-Results field counts, only with our own
// identifier, and only above the line with which our server took the mail in.
func Results(m *message.Mail, authserv, from string) bool {
	if authserv == "" {
		return false
	}
	for _, f := range m.Fields {
		switch strings.ToLower(f.Name) {
		case "received":
			if takenIn(f.Value, authserv) {
				return false
			}
		case "authentication-results":
			id, results, err := authres.Parse(f.Value)
			if err != nil || !strings.EqualFold(id, authserv) {
				return false
			}
			return domainPass(results, domainOf(from))
		}
	}
	return false
}

// takenIn says that a Received line is the one by which our server took the
// mail from elsewhere: not the step into the mailbox.
func takenIn(v, host string) bool {
	w := strings.Fields(strings.ToLower(v))
	by, smtp := false, false
	for i := 0; i+1 < len(w); i++ {
		by = by || w[i] == "by" && w[i+1] == strings.ToLower(host)
		smtp = smtp || w[i] == "with" && (strings.HasPrefix(w[i+1], "smtp") || strings.HasPrefix(w[i+1], "esmtp") || strings.HasPrefix(w[i+1], "utf8smtp"))
	}
	return by && smtp
}

// domainPass wants dmarc=pass for the From domain, or, where DMARC says
// nothing, an aligned dkim=pass.
func domainPass(results []authres.Result, domain string) bool {
	dkimPass := false
	for _, r := range results {
		switch r := r.(type) {
		case *authres.DMARCResult:
			switch {
			case r.Value == authres.ResultPass:
				return Domain(r.From) == domain
			case r.Value != authres.ResultNone:
				return false
			}
		case *authres.DKIMResult:
			signer := r.Domain
			if signer == "" {
				signer = r.Identifier[strings.LastIndexByte(r.Identifier, '@')+1:]
			}
			if r.Value == authres.ResultPass && aligned(signer, domain, false) {
				dkimPass = true
			}
		}
	}
	return dkimPass
}
