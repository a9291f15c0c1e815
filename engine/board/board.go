// Package board holds a map as data: which hexes exist, their terrain, what
// lies on their sides, which places and regions they belong to.
//
// Hexes have a dense index in board order (row by row, from the lowest number),
// so that searches work on arrays and results come in the same order in every
// run. The package gives no meaning to terrain, side and mark: a game names
// them and says what they do.
package board

import (
	"fmt"

	"pbemd/engine/hex"
)

// Terrain is a natural terrain, numbered by the game.
type Terrain uint8

// Sides is a set of hexside features, bits named by the game.
type Sides uint32

// Marks is a set of properties of a hex, bits named by the game.
type Marks uint64

// None is the index of no hex.
const None = -1

// Hex is one hex of the map.
type Hex struct {
	At      hex.Coord
	Terrain Terrain
	Marks   Marks
}

// Board is a map. It is built once and not changed afterwards.
type Board struct {
	Grid  hex.Grid
	hexes []Hex
	table [256 * 256]int16
	next  [][6]int
	sides [][6]Sides
}

// New makes a board of the given hexes, which must be in board order.
func New(g hex.Grid, hexes []Hex) (*Board, error) {
	b := &Board{Grid: g, hexes: hexes}
	for i := range b.table {
		b.table[i] = None
	}
	for i, h := range hexes {
		if b.table[key(h.At)] != None {
			return nil, fmt.Errorf("hex %v is on the map twice", h.At)
		}
		b.table[key(h.At)] = int16(i)
	}
	b.next = make([][6]int, len(hexes))
	b.sides = make([][6]Sides, len(hexes))
	for i, h := range hexes {
		for d := range b.next[i] {
			b.next[i][d] = b.Index(g.Neighbour(h.At, hex.Direction(d)))
		}
	}
	return b, nil
}

func key(c hex.Coord) int { return int(c.Row)<<8 | int(c.Num) }

// Len is the number of hexes.
func (b *Board) Len() int { return len(b.hexes) }

// Index is the place of c in board order, None if the map has no such hex.
func (b *Board) Index(c hex.Coord) int {
	if c.IsZero() {
		return None
	}
	i := int(b.table[key(c)])
	if i != None && b.hexes[i].At != c {
		return None
	}
	return i
}

// Has reports whether the map has the hex.
func (b *Board) Has(c hex.Coord) bool { return b.Index(c) != None }

// At is the name of the hex with index i; no hex for None.
func (b *Board) At(i int) hex.Coord {
	if i == None {
		return hex.Coord{}
	}
	return b.hexes[i].At
}

// Terrain of the hex with index i.
func (b *Board) Terrain(i int) Terrain { return b.hexes[i].Terrain }

// Is reports whether the hex with index i has all of the marks.
func (b *Board) Is(i int, m Marks) bool { return b.hexes[i].Marks&m == m }

// Any reports whether the hex with index i has one of the marks.
func (b *Board) Any(i int, m Marks) bool { return b.hexes[i].Marks&m != 0 }

// Mark adds marks to a hex; for building a board.
func (b *Board) Mark(i int, m Marks) { b.hexes[i].Marks |= m }

// Next is the index of the neighbour of i in a direction, None off the map.
func (b *Board) Next(i int, d hex.Direction) int { return b.next[i][d] }

// Neighbours are the six neighbours of i by direction, None off the map.
func (b *Board) Neighbours(i int) *[6]int { return &b.next[i] }

// Side is what lies on the side of i in a direction.
func (b *Board) Side(i int, d hex.Direction) Sides { return b.sides[i][d] }

// Between is what lies on the side between two neighbours.
func (b *Board) Between(i, j int) Sides {
	for d, n := range b.next[i] {
		if n == j {
			return b.sides[i][d]
		}
	}
	return 0
}

// Adjacent reports whether two hexes are neighbours.
func (b *Board) Adjacent(i, j int) bool { return b.Direction(i, j) != hex.NoDirection }

// Direction is the direction from i to its neighbour j.
func (b *Board) Direction(i, j int) hex.Direction {
	for d, n := range b.next[i] {
		if n == j && j != None {
			return hex.Direction(d)
		}
	}
	return hex.NoDirection
}

// AddSide puts features on the side between two hexes; for building a board.
// One of the two may be off the map.
func (b *Board) AddSide(p, q hex.Coord, s Sides) error {
	d := b.Grid.Toward(p, q)
	if d == hex.NoDirection {
		return fmt.Errorf("%v and %v are not neighbours", p, q)
	}
	i, j := b.Index(p), b.Index(q)
	if i == None && j == None {
		return fmt.Errorf("neither %v nor %v is on the map", p, q)
	}
	if i != None {
		b.sides[i][d] |= s
	}
	if j != None {
		b.sides[j][d.Opposite()] |= s
	}
	return nil
}

// Distance is the straight distance between two hexes of the map.
func (b *Board) Distance(i, j int) int {
	return b.Grid.Distance(b.hexes[i].At, b.hexes[j].At)
}

// Within calls f for every hex at most n hexes from i, in board order.
func (b *Board) Within(i, n int, f func(j int)) {
	for j := range b.hexes {
		if b.Distance(i, j) <= n {
			f(j)
		}
	}
}
