package board

import (
	"testing"

	"pbemd/engine/hex"
)

// field is a rectangle of hexes in board order.
func field(t *testing.T, rows, nums int) *Board {
	t.Helper()
	var hexes []Hex
	for r := 1; r <= rows; r++ {
		for n := 1; n <= nums; n++ {
			hexes = append(hexes, Hex{At: hex.Letter(r, n)})
		}
	}
	b, err := New(hex.WestwardRows, hexes)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestIndexAndNameAgree(t *testing.T) {
	b := field(t, 5, 6)
	for i := 0; i < b.Len(); i++ {
		if got := b.Index(b.At(i)); got != i {
			t.Errorf("%v has index %d, want %d", b.At(i), got, i)
		}
	}
	for _, c := range []hex.Coord{{}, hex.Letter(6, 1), hex.Letter(1, 7), {Row: 1, Num: 1, Style: hex.Numbered}} {
		if b.Has(c) {
			t.Errorf("%v is on the map", c)
		}
	}
	if b.At(None) != (hex.Coord{}) {
		t.Error("no hex has a name")
	}
}

func TestNeighboursAreMutualAndAtOne(t *testing.T) {
	b := field(t, 6, 6)
	for i := 0; i < b.Len(); i++ {
		for d, j := range b.Neighbours(i) {
			if j == None {
				continue
			}
			if b.Next(j, hex.Direction(d).Opposite()) != i || b.Distance(i, j) != 1 || b.Direction(i, j) != hex.Direction(d) || !b.Adjacent(i, j) {
				t.Errorf("%v and %v in direction %v", b.At(i), b.At(j), hex.Direction(d))
			}
		}
	}
}

func TestSidesLieOnBothHexes(t *testing.T) {
	b := field(t, 4, 4)
	p, q := hex.MustParse("B2"), hex.MustParse("B3")
	if err := b.AddSide(p, q, 4); err != nil {
		t.Fatal(err)
	}
	i, j := b.Index(p), b.Index(q)
	if b.Between(i, j) != 4 || b.Between(j, i) != 4 || b.Side(i, hex.W) != 4 || b.Side(j, hex.E) != 4 {
		t.Errorf("sides %d %d", b.Between(i, j), b.Between(j, i))
	}
	if err := b.AddSide(hex.MustParse("A1"), hex.MustParse("C1"), 1); err == nil {
		t.Error("a side between hexes that aren't neighbours")
	}
	if err := b.AddSide(hex.MustParse("A4"), hex.MustParse("A5"), 2); err != nil || b.Side(b.Index(hex.MustParse("A4")), hex.W) != 2 {
		t.Errorf("a side at the edge: %v", err)
	}
}

func TestTheSameHexTwiceIsRefused(t *testing.T) {
	if _, err := New(hex.WestwardRows, []Hex{{At: hex.Letter(1, 1)}, {At: hex.Letter(1, 1)}}); err == nil {
		t.Error("no error")
	}
}

func TestMarks(t *testing.T) {
	b := field(t, 1, 2)
	b.Mark(0, 1|4)
	if !b.Is(0, 1) || !b.Is(0, 5) || b.Is(0, 2) || b.Is(0, 3) || !b.Any(0, 3) || b.Any(1, 7) {
		t.Error("marks")
	}
	n := 0
	b.Within(0, 1, func(int) { n++ })
	if n != 2 {
		t.Errorf("%d hexes within 1", n)
	}
}
