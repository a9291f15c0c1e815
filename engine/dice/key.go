package dice

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
)

// Key is what all dice of one step follow from, together with their labels.
type Key Hash

// StepKey derives the key of step n from D, the step's link of the dice chain
// (or of the hidden chain, for hidden draws) and the beacon's signature, nil if
// the game has no beacon.
func StepKey(game string, n int, d, link Hash, beacon []byte) Key {
	salt := sha256.Sum256(lp(u32(lp(lp(nil, "pbem-dice-v1"), game), n), d[:]))
	prk, err := hkdf.Extract(sha256.New, lp(lp(nil, link[:]), beacon), salt[:])
	if err != nil {
		panic("dice: " + err.Error()) // only for keys too short for FIPS mode; ours are longer
	}
	return Key(prk)
}

// stream gives the bytes of one label, without end.
type stream struct {
	key   [sha256.Size]byte
	block int
	bytes [sha256.Size]byte
	left  int
}

func (k Key) stream(label string) *stream {
	var buf [128]byte
	s := new(stream)
	m := hmac.New(sha256.New, k[:])
	m.Write(lp(lp(buf[:0], "roll"), label))
	m.Sum(s.key[:0])
	return s
}

func (s *stream) next() int {
	if s.left == 0 {
		var buf [4]byte
		m := hmac.New(sha256.New, s.key[:])
		m.Write(u32(buf[:0], s.block))
		m.Sum(s.bytes[:0])
		s.block++
		s.left = len(s.bytes)
	}
	b := s.bytes[len(s.bytes)-s.left]
	s.left--
	return int(b)
}

// below gives a number from 0 to m-1, each equally likely: what would favour
// the low numbers is dropped. Above 256 a draw takes two bytes.
func (s *stream) below(m int) int {
	switch {
	case m == 1:
		return 0
	case m <= 256:
		for whole := 256 / m * m; ; {
			if v := s.next(); v < whole {
				return v % m
			}
		}
	}
	for whole := 65536 / m * m; ; {
		if v := s.next()<<8 | s.next(); v < whole {
			return v % m
		}
	}
}

// Roll throws n dice of so many sides (2 to 256) for a label. The same label
// always gives the same dice.
func (k Key) Roll(label string, sides, n int) []int {
	if sides < 2 || sides > 256 || n < 0 {
		panic(fmt.Sprintf("dice: %d dice of %d sides asked for %s", n, sides, label))
	}
	s := k.stream(label)
	v := make([]int, n)
	for i := range v {
		v[i] = 1 + s.below(sides)
	}
	return v
}

// Shuffle puts n pieces (at most 65536), known by their numbers from 0 to n-1, in
// the order the label gives: Fisher–Yates from the last index down. A draw of k
// pieces takes the first k.
func (k Key) Shuffle(label string, n int) []int {
	if n < 0 || n > 65536 {
		panic(fmt.Sprintf("dice: a shuffle of %d asked for %s", n, label))
	}
	s := k.stream(label)
	deck := make([]int, n)
	for i := range deck {
		deck[i] = i
	}
	for i := n - 1; i > 0; i-- {
		j := s.below(i + 1)
		deck[i], deck[j] = deck[j], deck[i]
	}
	return deck
}

// Cup throws the dice of one step. It holds the step's keys: a value of the
// server alone until the step's record is out.
type Cup struct {
	open, hidden Key
}

// Roll throws n dice of so many sides for a label.
func (c Cup) Roll(label string, sides, n int) []int { return c.open.Roll(label, sides, n) }

// Shuffle orders n pieces, numbered from 0, for a label.
func (c Cup) Shuffle(label string, n int) []int { return c.open.Shuffle(label, n) }

// Hidden is the cup for what the opponent may not see yet: its dice follow from
// the hidden chain and can be checked when that is opened, at the game's end.
func (c Cup) Hidden() Cup { return Cup{open: c.hidden, hidden: c.hidden} }
