package dice

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// million is how many dice of each kind the statistics look at.
const million = 1_000_000

// never is the probability below which a test of fair dice fails.
const never = 1e-6

// gammaQ is the upper incomplete gamma function, regularised: the probability
// of a chi-square above 2x with 2a degrees of freedom.
func gammaQ(a, x float64) float64 {
	lg, _ := math.Lgamma(a)
	front := math.Exp(-x + a*math.Log(x) - lg)
	if x < a+1 {
		sum, term := 1/a, 1/a
		for n := a + 1; term > sum*1e-16; n++ {
			term *= x / n
			sum += term
		}
		return 1 - front*sum
	}
	b := x + 1 - a
	c, dd := 1e300, 1/b
	h := dd
	for i := 1.0; i < 1e5; i++ {
		an := -i * (i - a)
		b += 2
		dd = 1 / (an*dd + b)
		c = b + an/c
		h *= dd * c
		if math.Abs(dd*c-1) < 1e-16 {
			break
		}
	}
	return front * h
}

// chiSquare is how likely fair dice are to fall at least as unevenly.
func chiSquare(seen []int, weight []float64, freedom int) float64 {
	n, w, x := 0, 0.0, 0.0
	for i := range seen {
		n += seen[i]
		w += weight[i]
	}
	for i := range seen {
		e := float64(n) * weight[i] / w
		x += (float64(seen[i]) - e) * (float64(seen[i]) - e) / e
	}
	return gammaQ(float64(freedom)/2, x/2)
}

// placesOf is chiSquare for the places of n pieces in fair shuffles. Each shuffle
// fills each place and uses each piece once, which ties the n·n counts together:
// their sum is larger than a chi-square by n/(n-1).
func placesOf(seen []int, n int) float64 {
	e, x := 0.0, 0.0
	for _, k := range seen {
		e += float64(k) / float64(n*n)
	}
	for _, k := range seen {
		x += (float64(k) - e) * (float64(k) - e) / e
	}
	x *= float64(n-1) / float64(n)
	return gammaQ(float64((n-1)*(n-1))/2, x/2)
}

// runs is how likely a fair sequence is to have a number of runs above and
// below the middle at least as odd (Wald and Wolfowitz). Values on the middle
// are left out.
func runs(values []int, middle float64) float64 {
	var up, down, n float64
	last := 0
	for _, v := range values {
		side := 1
		switch {
		case float64(v) == middle:
			continue
		case float64(v) > middle:
			up++
		default:
			down++
			side = -1
		}
		if side != last {
			n++
		}
		last = side
	}
	all := up + down
	mean := 2*up*down/all + 1
	variance := (mean - 1) * (mean - 2) / (all - 1)
	return math.Erfc(math.Abs(n-mean) / math.Sqrt(2*variance))
}

func flat(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 1
	}
	return w
}

// The tools themselves: known quantiles, and dice that are known to be bad.
func TestStatisticsCanFail(t *testing.T) {
	for _, c := range []struct{ a, x, want float64 }{{2.5, 11.0705 / 2, 0.05}, {0.5, 6.6349 / 2, 0.01}, {49.5, 148.2304 / 2, 0.001}} {
		if got := gammaQ(c.a, c.x); math.Abs(got-c.want) > c.want/1000 {
			t.Errorf("chi-square %.4f with %v degrees of freedom: %v, want %v", 2*c.x, 2*c.a, got, c.want)
		}
	}
	biased := make([]int, 6)
	sticky := make([]int, 0, million)
	s := Key{1}.stream("bias")
	for range million {
		v := s.next()
		biased[v%6]++ // no byte dropped
		if v%50 == 0 && len(sticky) > 0 {
			sticky = append(sticky, sticky[len(sticky)-1])
		} else {
			sticky = append(sticky, v%2)
		}
	}
	if p := chiSquare(biased, flat(6), 5); p > never {
		t.Errorf("dice with a modulo bias pass: p = %v", p)
	}
	if p := runs(sticky, 0.5); p > never {
		t.Errorf("dice that repeat themselves pass: p = %v", p)
	}
}

// A million dice of every kind the games use, under a fixed seed: no value and
// no sum comes too often, and none hangs on the one before.
func TestMillionDice(t *testing.T) {
	if testing.Short() {
		t.Skip("a million dice of each kind take a few seconds")
	}
	key := StepKey("statistics", 1, Hash{1}, Hash{2}, nil)
	for _, k := range []struct{ sides, each int }{{6, 8}, {10, 4}, {20, 4}, {100, 8}} {
		t.Run(fmt.Sprintf("d%d", k.sides), func(t *testing.T) {
			t.Parallel()
			seen := make([]int, k.sides)
			all := make([]int, 0, million)
			for i := 1; len(all) < million; i++ {
				all = append(all, key.Roll(Label{Turn: 1, Phase: "p", Kind: "roll", Attempt: i}.String(), k.sides, k.each)...)
			}
			for _, v := range all {
				seen[v-1]++
			}
			report(t, "values", chiSquare(seen, flat(k.sides), k.sides-1))
			report(t, "runs", runs(all, float64(k.sides+1)/2))
		})
	}
	t.Run("2d6", func(t *testing.T) {
		t.Parallel()
		seen, weight := make([]int, 11), make([]float64, 11)
		pairs := make([]int, 36)
		all := make([]int, 0, million)
		for i := 1; len(all) < million; i++ {
			for v := range slices.Chunk(key.Roll(Label{Turn: 2, Phase: "p", Kind: "roll", Attempt: i}.String(), 6, 8), 2) {
				seen[v[0]+v[1]-2]++
				pairs[6*v[0]+v[1]-7]++
				all = append(all, v[0]+v[1])
			}
		}
		for i := range weight {
			weight[i] = 6 - math.Abs(float64(i-5))
		}
		report(t, "sums", chiSquare(seen, weight, 10))
		report(t, "pairs", chiSquare(pairs, flat(36), 35))
		report(t, "runs", runs(all, 7))
	})
	for _, n := range []int{24, 40} {
		t.Run(fmt.Sprintf("shuffle%d", n), func(t *testing.T) {
			t.Parallel()
			where := make([]int, n*n) // piece × place
			first := make([]int, 0, million/n)
			firstTwo := make([]int, n*(n-1))
			for i := 1; i <= million/n; i++ {
				deck := key.Shuffle(Label{Turn: 3, Phase: "p", Kind: "tiles", Attempt: i}.String(), n)
				for place, piece := range deck {
					where[n*piece+place]++
				}
				first = append(first, deck[0])
				second := deck[1]
				if second > deck[0] {
					second--
				}
				firstTwo[deck[0]*(n-1)+second]++
			}
			report(t, "places", placesOf(where, n))
			report(t, "first two", chiSquare(firstTwo, flat(n*(n-1)), n*(n-1)-1))
			report(t, "runs", runs(first, float64(n-1)/2))
		})
	}
}

func report(t *testing.T, what string, p float64) {
	t.Helper()
	t.Logf("%s: p = %.4g", what, p)
	if !(p > never) {
		t.Errorf("%s: p = %v", what, p)
	}
}
