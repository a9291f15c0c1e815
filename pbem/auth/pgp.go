package auth

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/clearsign"

	"pbemd/pbem/message"
)

// PGP is what an OpenPGP signature says under somebody's keys.
type PGP int

// Unsigned: no signature. Foreign: by a key we don't know. Bad: by a key of
// theirs, over other words, or a signature that is no signature. Good: by a key
// of theirs, over these words.
const (
	Unsigned PGP = iota
	Foreign
	Bad
	Good
)

// ReadKeys reads armoured public keys.
func ReadKeys(armoured []byte) (openpgp.EntityList, error) {
	keys, err := openpgp.ReadArmoredKeyRing(bytes.NewReader(armoured))
	if err != nil {
		return nil, fmt.Errorf("read OpenPGP key: %w", err)
	}
	return keys, nil
}

// VerifyPGP checks the signature of a mail under enrolled keys.
func VerifyPGP(s *message.Signed, keys openpgp.EntityList) PGP {
	if s == nil || len(keys) == 0 {
		return Unsigned
	}
	var err error
	switch s.Kind {
	case "pgp-mime":
		_, err = openpgp.CheckArmoredDetachedSignature(keys, bytes.NewReader(s.Content), bytes.NewReader(s.Signature), nil)
	case "pgp-clear":
		block, _ := clearsign.Decode(s.Content)
		if block == nil {
			return Bad
		}
		_, err = block.VerifySignature(keys, nil)
	default:
		return Unsigned
	}
	switch {
	case err == nil:
		return Good
	case strings.Contains(err.Error(), "unknown entity"), strings.Contains(err.Error(), "unknown issuer"):
		return Foreign
	}
	return Bad
}
