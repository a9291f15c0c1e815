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
	var room [256]entry
	search(b, sources, step, dist, room[:0], board.None)
	return dist
}

// search settles the hexes of dist, the nearest first, and ends early when the
// goal is settled.
func search(b *board.Board, sources []int, step Step, dist []int, q heap, goal int) {
	for _, s := range sources {
		if dist[s] != 0 {
			dist[s] = 0
			q = q.push(entry{0, int32(s)})
		}
	}
	for len(q) > 0 {
		var e entry
		q, e = q.pop()
		i, c := int(e.hex), int(e.cost)
		if dist[i] < c {
			continue
		}
		if i == goal {
			return
		}
		for d, j := range b.Neighbours(i) {
			if j == board.None || dist[j] <= c {
				continue
			}
			cost, ok := step(i, j, hex.Direction(d))
			if ok && c+cost < dist[j] {
				dist[j] = c + cost
				q = q.push(entry{int32(c + cost), int32(j)})
			}
		}
	}
}

// Path finds the cheapest way from one hex to another, the first hex left out.
// Among equally cheap ways it prefers the one with fewer hexes, then the one
// whose hexes come first in board order. It is nil if no way leads there.
func Path(b *board.Board, from, to int, step Step) ([]int, int) {
	// Search backwards, so that the way can be read off forwards: what lies on
	// it is nearer to the goal than where it starts.
	back := make([]int, b.Len())
	for i := range back {
		back[i] = Far
	}
	var room [256]entry
	search(b, []int{to}, func(i, j int, d hex.Direction) (int, bool) {
		c, ok := step(j, i, d.Opposite())
		return c*64 + 1, ok
	}, back, room[:0], from)
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

// entry is a hex and what it costs to be there.
type entry struct{ cost, hex int32 }

// heap is a queue of entries, the cheapest first. The order of equals makes no
// difference to distances.
type heap []entry

func (q heap) push(e entry) heap {
	q = append(q, e)
	i := len(q) - 1
	for i > 0 {
		up := (i - 1) / 2
		if q[up].cost <= e.cost {
			break
		}
		q[i] = q[up]
		i = up
	}
	q[i] = e
	return q
}

func (q heap) pop() (heap, entry) {
	least, n := q[0], len(q)-1
	e := q[n]
	q = q[:n]
	i := 0
	for {
		down := 2*i + 1
		if down >= n {
			break
		}
		if down+1 < n && q[down+1].cost < q[down].cost {
			down++
		}
		if q[down].cost >= e.cost {
			break
		}
		q[i] = q[down]
		i = down
	}
	if n > 0 {
		q[i] = e
	}
	return q, least
}
