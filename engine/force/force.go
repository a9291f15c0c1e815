// Package force knows counters: who they belong to, how many steps they have,
// where they stand, and which side holds which hex.
//
// It keeps books only. What a step is worth, who may stack and who takes
// control when are a game's business.
package force

import "slices"

// Side is one of the two players of a game, e.g. "axis".
type Side string

// UnitID is the canonical name of a counter, e.g. "56PZ".
type UnitID string

// Off is the place of a unit that is in no hex.
const Off = -1

// Books says where every unit is and how many steps it has. Units are numbered
// by the game, in the order of its data file. The zero Books is unusable; see
// NewBooks.
type Books struct {
	at    []int16   // by unit: hex index or Off
	steps []int8    // by unit
	in    [][]int16 // by hex: its units, ascending; shared until changed
	owner []uint8   // by hex: number of the controlling side
}

// NewBooks makes empty books for so many units and hexes.
func NewBooks(units, hexes int) Books {
	b := Books{
		at: make([]int16, units), steps: make([]int8, units),
		in: make([][]int16, hexes), owner: make([]uint8, hexes),
	}
	for i := range b.at {
		b.at[i] = Off
	}
	return b
}

// Clone copies the books.
func (b Books) Clone() Books {
	return Books{slices.Clone(b.at), slices.Clone(b.steps), slices.Clone(b.in), slices.Clone(b.owner)}
}

// At is the hex index of a unit, Off if it is in none.
func (b *Books) At(u int) int { return int(b.at[u]) }

// Steps of a unit.
func (b *Books) Steps(u int) int { return int(b.steps[u]) }

// SetSteps sets the steps of a unit.
func (b *Books) SetSteps(u, n int) { b.steps[u] = int8(n) }

// In lists the units of a hex in ascending order. The caller must not change it.
func (b *Books) In(h int) []int16 { return b.in[h] }

// Owner is the number of the side that controls a hex.
func (b *Books) Owner(h int) uint8 { return b.owner[h] }

// SetOwner gives a hex to a side.
func (b *Books) SetOwner(h int, side uint8) { b.owner[h] = side }

// Put moves a unit to a hex, or off the map with Off.
func (b *Books) Put(u, h int) {
	if old := b.at[u]; old != Off {
		s := b.in[old]
		i := slices.Index(s, int16(u))
		n := make([]int16, 0, len(s)-1)
		b.in[old] = append(append(n, s[:i]...), s[i+1:]...)
	}
	b.at[u] = int16(h)
	if h != Off {
		s := b.in[h]
		i, _ := slices.BinarySearch(s, int16(u))
		n := make([]int16, 0, len(s)+1)
		b.in[h] = append(append(append(n, s[:i]...), int16(u)), s[i:]...)
	}
}
