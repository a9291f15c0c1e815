// Package trace finds ways over a board: how far a line reaches from its
// sources, where a stack can go, how a beaten stack may give way.
//
// It knows hexes and nothing of units; callers say what a step costs and what
// bars it. Results come in board order and ties are settled by it, so that they
// are the same in every run.
package trace

import (
	"pbemd/engine/board"
	"pbemd/engine/hex"
)

// Far is the distance of what is not reached.
const Far = 1 << 14

// Step says what it costs to go from a hex to its neighbour in a direction;
// ok is false if it can't be done.
type Step func(from, to int, d hex.Direction) (cost int, ok bool)

// Spread finds for every hex the least cost from the nearest source. The
// result is a slice by hex index, Far where no way leads. Sources cost nothing
// themselves. dist may be passed in to be used again.
func Spread(b *board.Board, sources []int, step Step, dist []int) []int {
	if cap(dist) < b.Len() {
		dist = make([]int, b.Len())
	}
	dist = dist[:b.Len()]
	for i := range dist {
		dist[i] = Far
	}
	var q buckets
	for _, s := range sources {
		if dist[s] != 0 {
			dist[s] = 0
			q.push(0, s)
		}
	}
	for {
		i, c, ok := q.pop()
		if !ok {
			return dist
		}
		if dist[i] < c {
			continue
		}
		for d, j := range b.Neighbours(i) {
			if j == board.None {
				continue
			}
			cost, ok := step(i, j, hex.Direction(d))
			if ok && c+cost < dist[j] {
				dist[j] = c + cost
				q.push(c+cost, j)
			}
		}
	}
}

// Path finds the cheapest way from one hex to another, the first hex left out.
// Among equally cheap ways it prefers the one with fewer hexes, then the one
// whose hexes come first in board order. It is nil if no way leads there.
func Path(b *board.Board, from, to int, step Step) ([]int, int) {
	// Spread backwards, so that the way can be read off forwards.
	back := Spread(b, []int{to}, func(i, j int, d hex.Direction) (int, bool) {
		c, ok := step(j, i, d.Opposite())
		return c*64 + 1, ok
	}, nil)
	if back[from] >= Far*64 || back[from] == Far {
		return nil, 0
	}
	var way []int
	total := 0
	for at := from; at != to; {
		best, cost := board.None, 0
		for d, j := range b.Neighbours(at) {
			if j == board.None || back[j] == Far {
				continue
			}
			c, ok := step(at, j, hex.Direction(d))
			if ok && back[j]+c*64+1 == back[at] && (best == board.None || j < best) {
				best, cost = j, c
			}
		}
		if best == board.None {
			return nil, 0
		}
		way, total, at = append(way, best), total+cost, best
	}
	return way, total
}

// buckets is a queue by small whole costs.
type buckets struct {
	by  [][]int
	low int
}

func (q *buckets) push(c, i int) {
	for len(q.by) <= c {
		q.by = append(q.by, nil)
	}
	q.by[c] = append(q.by[c], i)
}

func (q *buckets) pop() (i, c int, ok bool) {
	for ; q.low < len(q.by); q.low++ {
		if n := len(q.by[q.low]); n > 0 {
			i = q.by[q.low][n-1]
			q.by[q.low] = q.by[q.low][:n-1]
			return i, q.low, true
		}
	}
	return 0, 0, false
}
