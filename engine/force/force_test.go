package force

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// plain are books in the simplest form.
type plain struct {
	at    map[int]int
	owner map[int]uint8
}

func (p plain) clone() plain {
	q := plain{map[int]int{}, map[int]uint8{}}
	for u, h := range p.at {
		q.at[u] = h
	}
	for h, s := range p.owner {
		q.owner[h] = s
	}
	return q
}

func (p plain) in(h int) []int16 {
	var out []int16
	for u, at := range p.at {
		if at == h {
			out = append(out, int16(u))
		}
	}
	slices.Sort(out)
	return out
}

// Copies of copies go their own ways, and each says what simple books say. A
// list once read stays as it was.
func TestBooksAreSimpleBooks(t *testing.T) {
	const units, hexes = 40, 12
	rapid.Check(t, func(t *rapid.T) {
		b := NewBooks(units, hexes)
		books, simple := []*Books{&b}, []plain{{map[int]int{}, map[int]uint8{}}}
		type read struct{ list, copy []int16 }
		var reads []read
		for n := rapid.IntRange(1, 120).Draw(t, "n"); n > 0; n-- {
			k := rapid.IntRange(0, len(books)-1).Draw(t, "which")
			b, p := books[k], simple[k]
			u, h := rapid.IntRange(0, units-1).Draw(t, "u"), rapid.IntRange(Off, hexes-1).Draw(t, "h")
			switch op := rapid.IntRange(0, 9).Draw(t, "op"); {
			case op == 0 && len(books) < 6:
				c := b.Clone()
				books, simple = append(books, &c), append(simple, p.clone())
			case op == 1 && h != Off:
				b.SetOwner(h, 2)
				p.owner[h] = 2
			case op == 2:
				b.SetSteps(u, u%5)
			default:
				b.Put(u, h)
				if p.at[u] = h; h == Off {
					delete(p.at, u)
				}
			}
			if h != Off {
				s := b.In(h)
				reads = append(reads, read{s, slices.Clone(s)})
			}
		}
		for k, b := range books {
			for h := 0; h < hexes; h++ {
				if got, want := b.In(h), simple[k].in(h); !slices.Equal(got, want) {
					t.Fatalf("books %d, hex %d: %v, want %v", k, h, got, want)
				}
				if b.Owner(h) != simple[k].owner[h] {
					t.Fatalf("books %d, hex %d: owner %d", k, h, b.Owner(h))
				}
			}
			for u := 0; u < units; u++ {
				want, ok := simple[k].at[u]
				if !ok {
					want = Off
				}
				if b.At(u) != want {
					t.Fatalf("books %d, unit %d at %d, want %d", k, u, b.At(u), want)
				}
			}
		}
		for _, r := range reads {
			if !slices.Equal(r.list, r.copy) {
				t.Fatalf("a list read as %v became %v", r.copy, r.list)
			}
		}
	})
}

func BenchmarkClone(b *testing.B) {
	books := NewBooks(250, 800)
	for u := 0; u < 250; u++ {
		books.Put(u, u*3)
	}
	b.ReportAllocs()
	for b.Loop() {
		c := books.Clone()
		c.Put(3, 7)
	}
}
