package main

import (
	"fmt"
	"os"

	"pbemd/pbem"
	"pbemd/pbem/auth"
)

// signer reads the key that signs outgoing mail; nil if there is none.
func (c SMTPConfig) signer() (*auth.Signer, error) {
	if c.DKIMKeyFile == "" {
		if c.DKIMDomain != "" || c.DKIMSelector != "" {
			return nil, fmt.Errorf("smtp.dkim_key_file is not set, but dkim_domain or dkim_selector is")
		}
		return nil, nil
	}
	key, err := os.ReadFile(c.DKIMKeyFile)
	if err != nil {
		return nil, fmt.Errorf("smtp.dkim_key_file: %w", err)
	}
	s, err := auth.NewSigner(c.DKIMDomain, c.DKIMSelector, key)
	if err != nil {
		return nil, fmt.Errorf("smtp.dkim_key_file %s: %w", c.DKIMKeyFile, err)
	}
	return s, nil
}

// signing has the office sign what it freezes.
func signing(s *auth.Signer) setup {
	return func(oc *pbem.Config) {
		if s != nil {
			oc.Sign = s.Sign
		}
	}
}

// checkSigner is the line of `pbemd check` about signatures, and whether it is
// a complaint.
func (c SMTPConfig) checkSigner(lookup auth.LookupTXT) (line string, bad bool) {
	s, err := c.signer()
	if err != nil {
		return err.Error(), true
	}
	if s == nil {
		return "none of our own; the mail server may sign", false
	}
	name, _ := s.Record()
	if err := s.Published(lookup); err != nil {
		return err.Error(), true
	}
	return "the key matches " + name, false
}
