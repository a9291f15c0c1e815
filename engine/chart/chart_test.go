package chart

import (
	"testing"

	"pgregory.net/rapid"
)

var columns = Columns{{1, 3}, {1, 2}, {1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {6, 1}, {7, 1}, {8, 1}}

func TestOddsDropTheRemainder(t *testing.T) {
	for _, c := range []struct {
		a, d int
		want string
	}{
		{26, 8, "3-1"}, {8, 24, "1-3"}, {8, 26, "below 1-3"}, {9, 26, "1-3"}, {63, 8, "7-1"}, {64, 8, "8-1"}, {640, 8, "8-1"},
		{8, 8, "1-1"}, {7, 8, "1-2"}, {4, 8, "1-2"}, {3, 8, "1-3"}, {1, 4, "below 1-3"},
	} {
		if got := columns.Name(columns.Of(c.a, c.d)); got != c.want {
			t.Errorf("%d:%d is %s, want %s", c.a, c.d, got, c.want)
		}
	}
}

// A stronger attack is never in a lower column, a stronger defence never in a
// higher one.
func TestOddsAreMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, d := rapid.IntRange(1, 99).Draw(t, "a"), rapid.IntRange(1, 99).Draw(t, "d")
		o := columns.Of(a, d)
		if columns.Of(a+1, d) < o || columns.Of(a, d+1) > o {
			t.Fatalf("%d:%d is %s, %d:%d %s, %d:%d %s", a, d, columns.Name(o), a+1, d, columns.Name(columns.Of(a+1, d)), a, d+1, columns.Name(columns.Of(a, d+1)))
		}
		if o != Below && a*columns[o][1] < d*columns[o][0] {
			t.Fatalf("%d:%d doesn't reach %s", a, d, columns.Name(o))
		}
	})
}

func TestColumnsAreReadAsWritten(t *testing.T) {
	for i := range columns {
		if o, ok := columns.Parse(columns.Name(Odds(i))); !ok || o != Odds(i) {
			t.Errorf("%s read as %v, %v", columns.Name(Odds(i)), o, ok)
		}
	}
	if o, ok := columns.Parse("3"); !ok || columns.Name(o) != "3-1" {
		t.Errorf("3 read as %v, %v", o, ok)
	}
	for _, s := range []string{"", "0", "9", "9-1", "3-2", "x"} {
		if o, ok := columns.Parse(s); ok {
			t.Errorf("%q read as %v", s, o)
		}
	}
}

func TestPercentRoundsUp(t *testing.T) {
	for _, c := range [][3]int{{13, 20, 3}, {6, 40, 3}, {20, 10, 2}, {11, 10, 2}, {10, 10, 1}, {0, 40, 0}, {7, 0, 0}} {
		if got := Percent(c[0], c[1]); got != c[2] {
			t.Errorf("%d %% of %d: %d, want %d", c[1], c[0], got, c[2])
		}
	}
}
