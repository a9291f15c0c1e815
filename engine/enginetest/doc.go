// Package enginetest plays games to test them: cases of the rulebook written
// as text, and whole games of random legal orders with laws checked after every
// event.
//
// It relies on the games' public side only: orders, events, the notation of
// positions, the order language. Its own counts of stacking, victory points and
// pools are made from the data set, so that they can disagree with the game.
// Nothing but tests imports it.
package enginetest

import (
	"fmt"
	"hash/fnv"

	"pbemd/engine"
)

// Random is a small generator of its own (splitmix64): the same seed gives the
// same game on every machine.
type Random uint64

// Next is the next number.
func (r *Random) Next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Intn is a number from 0 to n-1.
func (r *Random) Intn(n int) int { return int(r.Next() % uint64(n)) }

// Chance is true in n of 100 cases.
func (r *Random) Chance(n int) bool { return r.Intn(100) < n }

// pick is one of a list that isn't empty.
func pick[T any](r *Random, list []T) T { return list[r.Intn(len(list))] }

// seeded are dice that depend on seed and label alone, as the real ones do.
type seeded uint64

// Roll implements [engine.Dice].
func (s seeded) Roll(label string, sides, n int) []int {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d/%s", uint64(s), label)
	r := Random(h.Sum64())
	out := make([]int, n)
	for i := range out {
		out[i] = r.Intn(sides) + 1
	}
	return out
}

// Forced are dice whose values a case sets, by label or in the order of the
// rolls.
type Forced struct {
	ByLabel map[string][]int
	InOrder []int
	Rolled  []string // labels asked for
	Missing []string // labels nothing was set for; they came out as ones
}

// Roll implements [engine.Dice].
func (f *Forced) Roll(label string, sides, n int) []int {
	f.Rolled = append(f.Rolled, label)
	if v, ok := f.ByLabel[label]; ok && len(v) == n {
		return v
	}
	out := make([]int, n)
	for i := range out {
		if len(f.InOrder) == 0 {
			f.Missing = append(f.Missing, label)
			out[i] = 1
			continue
		}
		out[i], f.InOrder = f.InOrder[0], f.InOrder[1:]
	}
	return out
}

// sameButWho compares two runs, leaving aside by whom decisions were taken.
func sameButWho(a, b []engine.Event) (int, bool) {
	plain := func(events []engine.Event) []engine.Event {
		out := make([]engine.Event, len(events))
		for i, e := range events {
			if d, ok := e.Fact.(engine.Decided); ok {
				d.By, d.Source = "", ""
				e.Fact = d
			}
			out[i] = e
		}
		return out
	}
	return engine.SameEvents(plain(a), plain(b))
}
