package force

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Books agree with a plain list of where everybody is, whatever is done to
// them, and clones don't see what happens to each other.
func TestBooksAgainstAPlainModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const units, hexes = 12, 7
		b := NewBooks(units, hexes)
		at := make([]int, units)
		steps := make([]int, units)
		owner := make([]uint8, hexes)
		for i := range at {
			at[i] = Off
		}
		type kept struct {
			b     Books
			at    []int
			steps []int
			owner []uint8
		}
		var old []kept
		for n := rapid.IntRange(1, 60).Draw(t, "n"); n > 0; n-- {
			u := rapid.IntRange(0, units-1).Draw(t, "unit")
			h := rapid.IntRange(Off, hexes-1).Draw(t, "hex")
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0, 1:
				b.Put(u, h)
				at[u] = h
			case 2:
				s := rapid.IntRange(0, 4).Draw(t, "steps")
				b.SetSteps(u, s)
				steps[u] = s
			case 3:
				if h != Off {
					o := uint8(rapid.IntRange(0, 2).Draw(t, "owner"))
					b.SetOwner(h, o)
					owner[h] = o
				}
			case 4:
				old = append(old, kept{b.Clone(), slices.Clone(at), slices.Clone(steps), slices.Clone(owner)})
			}
		}
		for _, k := range append(old, kept{b, at, steps, owner}) {
			for u := range k.at {
				if k.b.At(u) != k.at[u] || k.b.Steps(u) != k.steps[u] {
					t.Fatalf("unit %d at %d with %d steps, want %d with %d", u, k.b.At(u), k.b.Steps(u), k.at[u], k.steps[u])
				}
			}
			for h := range k.owner {
				var want []int16
				for u, x := range k.at {
					if x == h {
						want = append(want, int16(u))
					}
				}
				if !slices.Equal(k.b.In(h), want) || k.b.Owner(h) != k.owner[h] {
					t.Fatalf("hex %d holds %v of %d, want %v of %d", h, k.b.In(h), k.b.Owner(h), want, k.owner[h])
				}
			}
		}
	})
}
