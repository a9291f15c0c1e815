package trace

import (
	"testing"

	"pgregory.net/rapid"

	"pbemd/engine/board"
	"pbemd/engine/hex"
)

// terrain is a random field with costs from 0 (barred) to 4.
func terrain(t *rapid.T) (*board.Board, []int, Step) {
	const rows, nums = 7, 7
	var hexes []board.Hex
	cost := make([]int, 0, rows*nums)
	for r := 1; r <= rows; r++ {
		for n := 1; n <= nums; n++ {
			hexes = append(hexes, board.Hex{At: hex.Letter(r, n)})
			cost = append(cost, rapid.IntRange(0, 4).Draw(t, "cost"))
		}
	}
	b, err := board.New(hex.WestwardRows, hexes)
	if err != nil {
		t.Fatal(err)
	}
	return b, cost, func(_, to int, _ hex.Direction) (int, bool) { return cost[to], cost[to] > 0 }
}

// slow finds least costs by trying every step until nothing gets better.
func slow(b *board.Board, sources []int, step Step) []int {
	dist := make([]int, b.Len())
	for i := range dist {
		dist[i] = Far
	}
	for _, s := range sources {
		dist[s] = 0
	}
	for better := true; better; {
		better = false
		for i := range dist {
			for d, j := range b.Neighbours(i) {
				if j == board.None || dist[i] == Far {
					continue
				}
				if c, ok := step(i, j, hex.Direction(d)); ok && dist[i]+c < dist[j] {
					dist[j], better = dist[i]+c, true
				}
			}
		}
	}
	return dist
}

func TestSpreadFindsLeastCosts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, _, step := terrain(t)
		var sources []int
		for n := rapid.IntRange(0, 3).Draw(t, "sources"); n > 0; n-- {
			sources = append(sources, rapid.IntRange(0, b.Len()-1).Draw(t, "source"))
		}
		got, want := Spread(b, sources, step, nil), slow(b, sources, step)
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("%v: %d, want %d", b.At(i), got[i], want[i])
			}
		}
	})
}

// A path costs what Spread says, and every step of it is one.
func TestPathIsAsCheapAsSpreadSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, _, step := terrain(t)
		from, to := rapid.IntRange(0, b.Len()-1).Draw(t, "from"), rapid.IntRange(0, b.Len()-1).Draw(t, "to")
		dist := Spread(b, []int{from}, step, nil)
		way, cost := Path(b, from, to, step)
		if from == to {
			if len(way) != 0 {
				t.Fatalf("a way from a hex to itself: %v", way)
			}
			return
		}
		if dist[to] == Far {
			if way != nil {
				t.Fatalf("a way to what can't be reached: %v", way)
			}
			return
		}
		sum, at := 0, from
		for _, h := range way {
			d := b.Direction(at, h)
			if d == hex.NoDirection {
				t.Fatalf("%v and %v are no neighbours", b.At(at), b.At(h))
			}
			c, ok := step(at, h, d)
			if !ok {
				t.Fatalf("%v is barred", b.At(h))
			}
			sum, at = sum+c, h
		}
		if at != to || sum != cost || cost != dist[to] {
			t.Fatalf("ends at %v, costs %d, said %d, least %d", b.At(at), sum, cost, dist[to])
		}
	})
}
