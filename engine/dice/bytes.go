package dice

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// Hash is a SHA-256 digest: of a record, of orders, of a link.
type Hash [sha256.Size]byte

// String is the hash in lower-case hex.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// parseHash reads 64 digits of lower-case hex.
func parseHash(s string) (h Hash, ok bool) {
	if len(s) != 2*len(h) {
		return h, false
	}
	n, err := hex.Decode(h[:], []byte(s))
	return h, err == nil && n == len(h) && h.String() == s
}

// lp appends LP(x): the length of x in four bytes, big-endian, then x.
func lp[T ~string | ~[]byte](b []byte, x T) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(x)))
	return append(b, x...)
}

// u32 appends n in four bytes, big-endian.
func u32(b []byte, n int) []byte { return binary.BigEndian.AppendUint32(b, uint32(n)) }
