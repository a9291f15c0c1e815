package dice

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed words.txt
var wordList string

// wordTable is the table of RFC 1751: 2048 words of one to four letters.
var wordTable = sync.OnceValue(func() []string { return strings.Fields(wordList) })

// Words is the first 64 bits of a hash as the six words of RFC 1751: short
// enough to read to each other over the telephone.
func (h Hash) Words() string {
	var bits uint64
	for _, b := range h[:8] {
		bits = bits<<8 | uint64(b)
	}
	parity := uint64(0)
	for s := 0; s < 64; s += 2 {
		parity += bits >> s & 3
	}
	// 66 bits: the 64, then two of parity; eleven for each word.
	t := wordTable()
	w := make([]string, 6)
	for i := range 5 {
		w[i] = t[bits>>(53-11*i)&2047]
	}
	w[5] = t[(bits<<2|parity&3)&2047]
	return strings.Join(w, " ")
}
