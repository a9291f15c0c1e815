package hex

import (
	"testing"

	"pgregory.net/rapid"
)

// Every distance and adjacency that the books print for their maps.
func TestDistancesOfTheBooks(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"G19", "E16", 4}, {"G19", "H17", 2}, {"H9", "H19", 10}, {"Z13", "AA14", 1}, {"AA13", "AA14", 1},
		{"CC11", "CC12", 1}, {"B8", "B9", 1}, {"B9", "B10", 1}, {"B9", "A10", 1}, {"B9", "A9", 1}, {"B9", "C10", 1}, {"B9", "C9", 1},
		{"K15", "J16", 2}, {"K15", "J15", 1}, {"K16", "J16", 1},
	} {
		if got := WestwardRows.Distance(MustParse(c.a), MustParse(c.b)); got != c.want {
			t.Errorf("%s–%s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func coord(g Grid, t *rapid.T) Coord {
	c := Coord{uint8(rapid.IntRange(2, 31).Draw(t, "row")), uint8(rapid.IntRange(2, 40).Draw(t, "num")), Lettered}
	if g == Columns {
		c.Style = Numbered
	}
	return c
}

func TestDistanceIsAMetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := Grid(rapid.IntRange(0, 1).Draw(t, "grid"))
		a, b, c := coord(g, t), coord(g, t), coord(g, t)
		if g.Distance(a, b) != g.Distance(b, a) {
			t.Fatalf("%v–%v: %d, back %d", a, b, g.Distance(a, b), g.Distance(b, a))
		}
		if g.Distance(a, c) > g.Distance(a, b)+g.Distance(b, c) {
			t.Fatalf("%v–%v–%v: the detour is shorter", a, b, c)
		}
		if (g.Distance(a, b) == 0) != (a == b) {
			t.Fatalf("%v–%v: distance %d", a, b, g.Distance(a, b))
		}
	})
}

func TestNeighboursLieAtOneAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := Grid(rapid.IntRange(0, 1).Draw(t, "grid"))
		a := coord(g, t)
		d := Direction(rapid.IntRange(0, 5).Draw(t, "direction"))
		b := g.Neighbour(a, d)
		if g.Distance(a, b) != 1 || g.Neighbour(b, d.Opposite()) != a || g.Toward(a, b) != d {
			t.Fatalf("%v %v %v: distance %d, back %v", a, d, b, g.Distance(a, b), g.Neighbour(b, d.Opposite()))
		}
	})
}

func TestNamesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := coord(Grid(rapid.IntRange(0, 1).Draw(t, "grid")), t)
		b, err := Parse(a.String())
		if err != nil || a != b {
			t.Fatalf("%v read back as %v, %v", a, b, err)
		}
	})
	for _, s := range []string{"", "H", "12", "H0", "H012", "h12", "AAA1", "H12x", "123", "12345"} {
		if c, err := Parse(s); err == nil {
			t.Errorf("%q read as %v", s, c)
		}
	}
}

func TestDeviation(t *testing.T) {
	for _, c := range []struct {
		a, b Direction
		want int
	}{{E, E, 0}, {E, SE, 1}, {E, NE, 1}, {E, W, 3}, {NW, E, 2}, {NE, SE, 2}} {
		if got := c.a.Deviation(c.b); got != c.want {
			t.Errorf("%v to %v: %d sixths, want %d", c.a, c.b, got, c.want)
		}
	}
}
