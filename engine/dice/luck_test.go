package dice

import (
	"math"
	"slices"
	"testing"
)

func d(sides int, values ...int) Roll { return Roll{Label: "T1/a/b/-/1", Sides: sides, Values: values} }

func near(a, b float64) bool { return math.Abs(a-b) < 1e-12 }

// Small cases that can be counted by hand.
func TestLuckByHand(t *testing.T) {
	l := LuckOf([]Roll{d(6, 6, 6)}, nil) // 12 or 2: two of 36
	if l.Rolls != 1 || l.Dice != 2 || l.Mean != 6 || l.Expected != 3.5 || !near(l.Tail, 2.0/36) || l.Key != "luck.high" {
		t.Errorf("two sixes: %+v", l)
	}
	l = LuckOf([]Roll{d(6, 1, 1, 1)}, nil)
	if !near(l.Tail, 2.0/216) || l.Key != "luck.low-rare" || l.Args["times"] != 9 || l.Args["of"] != 1000 {
		t.Errorf("three ones: %+v", l)
	}
	l = LuckOf([]Roll{d(6, 1, 1, 1)}, func(Roll) bool { return true })
	if l.Mean != 6 || l.Key != "luck.high-rare" {
		t.Errorf("three ones where low is good: %+v", l)
	}
	l = LuckOf([]Roll{d(10, 10), d(2, 1), {Sides: 6, Deck: true}, {Sides: 6, Hidden: true, Values: []int{0}}}, nil)
	// 11 of 2…12, expected 7: 4 or more away are 2, 3, 11 and 12: 1+2+2+1 of 20.
	if l.Rolls != 2 || l.Expected != 3.5 || !near(l.Tail, 6.0/20) || l.Key != "luck.high" {
		t.Errorf("a d10 and a d2: %+v", l)
	}
	if l = LuckOf(nil, nil); l.Key != "luck.none" {
		t.Errorf("nothing: %+v", l)
	}
}

// The interval holds 95 of 100 games and no die more than it must, by counting
// all throws of four dice.
func TestLuckIntervalIsExact(t *testing.T) {
	count := map[int]int{}
	for i := range 6 * 6 * 6 * 6 {
		count[4+i%6+i/6%6+i/36%6+i/216]++
	}
	l := LuckOf([]Roll{d(6, 3, 4, 3, 4)}, nil)
	inside, below, above := 0, 0, 0
	low, high := int(math.Round(l.Low*4)), int(math.Round(l.High*4))
	for s, n := range count {
		switch {
		case s < low:
			below += n
		case s > high:
			above += n
		default:
			inside += n
		}
	}
	if inside < 1231 || below > 32 || above > 32 || below+count[low] <= 32 || above+count[high] <= 32 {
		t.Errorf("%d to %d: %d inside, %d below, %d above of 1296", low, high, inside, below, above)
	}
}

// Over many fair games about 5 of 100 are rare, and thousands of dice of large
// sides keep their distribution.
func TestLuckOfFairDice(t *testing.T) {
	rare := 0
	for g := range 1000 {
		k := Key{byte(g), byte(g >> 8), 1}
		l := LuckOf([]Roll{d(6, k.Roll("a", 6, 60)...), d(10, k.Roll("b", 10, 20)...)}, nil)
		if l.Tail < 0.05 {
			rare++
		}
		if !slices.Contains(LuckKeys, l.Key) {
			t.Fatalf("unknown key %q", l.Key)
		}
	}
	if rare < 30 || rare > 70 {
		t.Errorf("%d of 1000 fair games are rare, want about 50", rare)
	}
	l := LuckOf([]Roll{d(100, Key{1}.Roll("c", 100, 3000)...)}, nil)
	// A bell curve is close enough here to check the width: 1.96·28.87/√3000.
	if w := (l.High - l.Low) / 2; math.Abs(w-1.0330) > 0.002 || l.Expected != 50.5 {
		t.Errorf("3000 d100: %+v, half width %v", l, w)
	}
}
