// Package force knows counters: who they belong to, how many steps they have,
// where they stand, and which side holds which hex.
//
// It keeps books only. What a step is worth, who may stack and who takes
// control when are a game's business.
package force

import (
	"slices"
	"sync/atomic"
)

// Side is one of the two players of a game, e.g. "axis".
type Side string

// UnitID is the canonical name of a counter, e.g. "56PZ".
type UnitID string

// Off is the place of a unit that is in no hex.
const Off = -1

// Books says where every unit is and how many steps it has. Units are numbered
// by the game, in the order of its data file. The zero Books is unusable; see
// NewBooks.
//
// A copy by Clone is cheap: copies share what neither of them has changed since.
type Books struct {
	*leaf
	owner []uint8 // by hex: number of the controlling side; replaced, never written to
	row   []int16 // lists of units, ascending; what is there is not changed
}

// leaf is what changes with every move. Once it is shared it isn't written to.
type leaf struct {
	shared atomic.Bool
	at     []int16 // by unit: hex index or Off
	first  []int16 // by hex: where its units begin in the row
	steps  []uint8 // by unit
	count  []uint8 // by hex: how many units
}

// NewBooks makes empty books for so many units and hexes.
func NewBooks(units, hexes int) Books {
	l := lay(make([]int16, units+hexes), make([]uint8, units+hexes), units)
	for i := range l.at {
		l.at[i] = Off
	}
	return Books{leaf: l, owner: make([]uint8, hexes)}
}

// lay makes a leaf of two blocks.
func lay(words []int16, bytes []uint8, units int) *leaf {
	return &leaf{at: words[:units:len(words)], first: words[units:], steps: bytes[:units:len(bytes)], count: bytes[units:]}
}

// Clone copies the books.
func (b *Books) Clone() Books {
	b.shared.Store(true)
	return Books{leaf: b.leaf, owner: b.owner, row: b.row[:len(b.row):len(b.row)]}
}

// own makes sure that no copy sees what is written next.
func (b *Books) own() {
	if b.shared.Load() {
		b.leaf = lay(slices.Clone(b.at[:len(b.at)+len(b.first)]), slices.Clone(b.steps[:len(b.steps)+len(b.count)]), len(b.at))
	}
}

// spare is the room a new row has for more lists.
const spare = 64

// At is the hex index of a unit, Off if it is in none.
func (b *Books) At(u int) int { return int(b.at[u]) }

// Steps of a unit.
func (b *Books) Steps(u int) int { return int(b.steps[u]) }

// SetSteps sets the steps of a unit.
func (b *Books) SetSteps(u, n int) {
	if b.Steps(u) != n {
		b.own()
		b.steps[u] = uint8(n)
	}
}

// In lists the units of a hex in ascending order. The caller must not change
// it; it stays as it is when units come and go.
func (b *Books) In(h int) []int16 {
	i, n := int(b.first[h]), int(b.count[h])
	if n == 0 {
		return nil
	}
	return b.row[i : i+n : i+n]
}

// Count is how many units are in a hex.
func (b *Books) Count(h int) int { return int(b.count[h]) }

// Owner is the number of the side that controls a hex.
func (b *Books) Owner(h int) uint8 { return b.owner[h] }

// SetOwner gives a hex to a side.
func (b *Books) SetOwner(h int, side uint8) {
	if b.owner[h] != side {
		b.owner = slices.Clone(b.owner)
		b.owner[h] = side
	}
}

// Put moves a unit to a hex, or off the map with Off.
func (b *Books) Put(u, h int) {
	old := b.at[u]
	if int(old) == h {
		return
	}
	b.own()
	if old != Off {
		s := b.In(int(old))
		i := slices.Index(s, int16(u))
		switch {
		case i == len(s)-1:
		case i == 0:
			b.first[old]++
		default:
			b.list(int(old), s[:i], s[i+1:], nil)
		}
		b.count[old]--
	}
	b.at[u] = int16(h)
	if h != Off {
		s := b.In(h)
		i, _ := slices.BinarySearch(s, int16(u))
		b.list(h, s[:i], []int16{int16(u)}, s[i:])
		b.count[h]++
	}
}

// list writes the units of a hex to the end of the row, in three parts.
func (b *Books) list(h int, x, y, z []int16) {
	if n := len(x) + len(y) + len(z); len(b.row)+n > 4*len(b.at)+spare {
		b.pack(n, h)
	}
	b.first[h] = int16(len(b.row))
	b.row = append(append(append(b.row, x...), y...), z...)
}

// pack makes a new row of the lists as they are, but for that of one hex, with
// room for n more units.
func (b *Books) pack(n, but int) {
	row := make([]int16, 0, len(b.at)+n+spare)
	for h, c := range b.count {
		if c > 0 && h != but {
			i := int(b.first[h])
			b.first[h] = int16(len(row))
			row = append(row, b.row[i:i+int(c)]...)
		}
	}
	b.row = row
}
