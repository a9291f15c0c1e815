// Package hex names the hexes of a map and does their geometry: neighbours,
// directions, distance.
//
// A Coord is what is printed in a hex, letters and a number (H12, AA9) or four
// digits (2703), and no more; a Grid says how such hexes lie beside each other.
// The package knows no map: whether a hex exists is the board's business.
package hex

import (
	"fmt"
	"strconv"
	"strings"
)

// Coord is the printed name of a hex as a comparable value. The zero Coord is
// no hex. Row and Num are the two parts of the name: row letter and number in
// a lettered grid, column and row in a numbered one.
type Coord struct {
	Row   uint8
	Num   uint8
	Style Style
}

// Style says how a Coord is written.
type Style uint8

// The two ways of printing a hex name.
const (
	Lettered Style = 1 // H12, AA9
	Numbered Style = 2 // 2703
)

// Letter makes the hex of a lettered row, from 1 for A to 52 for ZZ, and a
// number.
func Letter(row, num int) Coord { return Coord{uint8(row), uint8(num), Lettered} }

// IsZero reports whether c is no hex.
func (c Coord) IsZero() bool { return c.Style == 0 }

// RowName is the letter of a lettered row, doubled after Z: AA, BB, CC …
func RowName(row int) string {
	if row <= 26 {
		return string(rune('A' + row - 1))
	}
	return strings.Repeat(string(rune('A'+row-27)), 2)
}

// String writes the name as it is printed; no hex is "-".
func (c Coord) String() string {
	switch c.Style {
	case Lettered:
		return RowName(int(c.Row)) + strconv.Itoa(int(c.Num))
	case Numbered:
		return fmt.Sprintf("%02d%02d", c.Row, c.Num)
	}
	return "-"
}

// MarshalText implements encoding.TextMarshaler.
func (c Coord) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *Coord) UnmarshalText(b []byte) error {
	p, err := Parse(string(b))
	if err != nil {
		return err
	}
	*c = p
	return nil
}

// Parse reads a canonical hex name: a capital letter, single or doubled, and a
// number from 1 to 99 without leading zeros, or four digits. "-" is no hex.
func Parse(s string) (Coord, error) {
	if s == "-" {
		return Coord{}, nil
	}
	bad := func() (Coord, error) { return Coord{}, fmt.Errorf("%q is no hex name", s) }
	letters := 0
	for letters < len(s) && s[letters] >= 'A' && s[letters] <= 'Z' {
		letters++
	}
	digits := s[letters:]
	for i := 0; i < len(digits); i++ {
		if digits[i] < '0' || digits[i] > '9' {
			return bad()
		}
	}
	if letters == 0 {
		if len(digits) != 4 {
			return bad()
		}
		n, _ := strconv.Atoi(digits)
		return Coord{uint8(n / 100), uint8(n % 100), Numbered}, nil
	}
	if letters > 2 || len(digits) == 0 || len(digits) > 2 || digits[0] == '0' {
		return bad()
	}
	row := int(s[0] - 'A' + 1)
	if letters == 2 {
		if s[1] != s[0] {
			return bad()
		}
		row += 26
	}
	n, _ := strconv.Atoi(digits)
	return Letter(row, n), nil
}

// MustParse is Parse for names that are written in the code or in checked data.
func MustParse(s string) Coord {
	c, err := Parse(s)
	if err != nil {
		panic(err)
	}
	return c
}

// Direction is one of six, numbered clockwise from 0. In a pointy-top grid 0 is
// east, in a flat-top grid it is north-east.
type Direction int

// The directions of a pointy-top grid.
const (
	E Direction = iota
	SE
	SW
	W
	NW
	NE
)

// NoDirection is what two hexes have that are not neighbours.
const NoDirection Direction = -1

var pointyNames = [6]string{"E", "SE", "SW", "W", "NW", "NE"}

// String names a direction of a pointy-top grid.
func (d Direction) String() string {
	if d < 0 || d > 5 {
		return "?"
	}
	return pointyNames[d]
}

// ParseDirection reads a direction of a pointy-top grid.
func ParseDirection(s string) (Direction, bool) {
	for d, n := range pointyNames {
		if n == s {
			return Direction(d), true
		}
	}
	return NoDirection, false
}

// Turn is d turned clockwise by n sixths of a circle; n may be negative.
func (d Direction) Turn(n int) Direction { return Direction(((int(d)+n)%6 + 6) % 6) }

// Opposite is the direction straight back.
func (d Direction) Opposite() Direction { return d.Turn(3) }

// Deviation is how many sixths of a circle lie between d and e, 0 to 3.
func (d Direction) Deviation(e Direction) int {
	n := ((int(d)-int(e))%6 + 6) % 6
	if n > 3 {
		n = 6 - n
	}
	return n
}

// Grid says how hexes lie beside each other.
type Grid int

const (
	// WestwardRows is a pointy-top grid of lettered rows from north to south
	// whose numbers grow from the east edge to the west; even rows lie half
	// a hex further west.
	WestwardRows Grid = iota
	// Columns is a flat-top grid of four-digit names, column then row, whose
	// even columns lie half a hex lower.
	Columns
)

// Neighbour is the hex beside c in a direction. It may be off every map.
func (g Grid) Neighbour(c Coord, d Direction) Coord {
	a, b, ok := int(c.Row), int(c.Num), true
	switch g {
	case WestwardRows:
		odd := a%2 == 1
		switch d {
		case E:
			b--
		case W:
			b++
		case NE, SE:
			if odd {
				b--
			}
		case NW, SW:
			if !odd {
				b++
			}
		}
		switch d {
		case NE, NW:
			a--
		case SE, SW:
			a++
		}
	case Columns:
		even := a%2 == 0
		switch d { // clockwise from north-east
		case 0, 4:
			if !even {
				b--
			}
		case 1, 3:
			if even {
				b++
			}
		case 2:
			b++
		case 5:
			b--
		}
		switch d {
		case 0, 1:
			a++
		case 3, 4:
			a--
		}
	default:
		ok = false
	}
	if !ok || a < 1 || b < 0 || a > 255 || b > 255 {
		return Coord{}
	}
	return Coord{uint8(a), uint8(b), c.Style}
}

// doubled gives doubled coordinates (x grows by 2 per hex along a line of
// hexes, by 1 per step across it).
func (g Grid) doubled(c Coord) (x, y int) {
	switch g {
	case Columns: // x across columns, y doubled down a column
		y = 2 * int(c.Num)
		if c.Row%2 == 0 {
			y++
		}
		return y, int(c.Row)
	default:
		x = -2 * int(c.Num)
		if c.Row%2 == 1 {
			x++
		}
		return x, int(c.Row)
	}
}

// Distance is the number of hexes from a to b, 0 for the same hex.
func (g Grid) Distance(a, b Coord) int {
	ax, ay := g.doubled(a)
	bx, by := g.doubled(b)
	dx, dy := abs(ax-bx), abs(ay-by)
	return dy + max(0, (dx-dy)/2)
}

// Toward is the direction from a to its neighbour b, NoDirection if they are
// not neighbours.
func (g Grid) Toward(a, b Coord) Direction {
	for d := Direction(0); d < 6; d++ {
		if g.Neighbour(a, d) == b {
			return d
		}
	}
	return NoDirection
}

// Centre is the middle of a hex in the plane, where 1 is the distance between
// neighbouring centres, x grows to the east of the grid and y down.
func (g Grid) Centre(c Coord) (x, y float64) {
	const r = 0.8660254037844386
	dx, dy := g.doubled(c)
	if g == Columns {
		return float64(dy) * r, float64(dx) / 2
	}
	return float64(dx) / 2, float64(dy) * r
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
