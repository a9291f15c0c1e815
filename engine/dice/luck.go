package dice

import "math"

// Luck says how a player's dice fell, beside what chance alone gives.
type Luck struct {
	Rolls    int
	Dice     int
	Mean     float64 // of all dice
	Expected float64 // mean of fair dice of the same sides
	Low      float64 // in 95 of 100 games the mean lies from Low to High
	High     float64
	Tail     float64 // how likely a mean at least that far from Expected is
	Key      string  // the sentence, one of LuckKeys
	Args     map[string]any
}

// LuckKeys are the keys of the sentences, each with the arguments rolls, dice,
// mean, expected, low, high, times and of: chance alone gives a mean at least
// so far from the expected one in "times" of "of" games.
var LuckKeys = []string{
	"luck.none",      // no dice were thrown
	"luck.even",      // chance gives that in at least half of all games
	"luck.high",      // above, in 5 to 50 of 100
	"luck.low",       // below
	"luck.high-rare", // above, in less than 5 of 100
	"luck.low-rare",  // below
}

// LuckOf sums up rolls. For those that lowIsGood names, if it isn't nil, dice
// count upside down, so that a high mean is a lucky one. Shuffles and hidden
// rolls don't count. The interval and the odds are exact: they come from the
// distribution of the sum itself, not from a bell curve.
func LuckOf(rolls []Roll, lowIsGood func(Roll) bool) Luck {
	var l Luck
	sum, expected := 0, 0.0
	d := sums{p: []float64{1}}
	for _, t := range rolls {
		if t.Deck || t.Hidden {
			continue
		}
		l.Rolls++
		for _, v := range t.Values {
			if lowIsGood != nil && lowIsGood(t) {
				v = t.Sides + 1 - v
			}
			l.Dice++
			sum += v
			expected += float64(t.Sides+1) / 2
			d.add(t.Sides)
		}
	}
	if l.Dice == 0 {
		l.Key, l.Args = "luck.none", map[string]any{"rolls": 0, "dice": 0}
		return l
	}
	n := float64(l.Dice)
	low, high := d.middle(0.95)
	l.Mean, l.Expected, l.Low, l.High = float64(sum)/n, expected/n, float64(low)/n, float64(high)/n
	l.Tail = d.beyond(expected, math.Abs(float64(sum)-expected))
	l.Key = "luck.even"
	if l.Tail < 0.5 {
		l.Key = "luck.low"
		if float64(sum) > expected {
			l.Key = "luck.high"
		}
		if l.Tail < 0.05 {
			l.Key += "-rare"
		}
	}
	times, of := inGames(l.Tail)
	l.Args = map[string]any{"rolls": l.Rolls, "dice": l.Dice, "mean": l.Mean, "expected": l.Expected,
		"low": l.Low, "high": l.High, "times": times, "of": of}
	return l
}

// inGames puts a probability as so many of a hundred games, or of a thousand
// and so on to a million if it is small.
func inGames(p float64) (times, of int) {
	of = 100
	for p*float64(of) < 1 && of < 1_000_000 {
		of *= 10
	}
	return max(1, int(math.Round(p*float64(of)))), of
}

// sums is the distribution of the sum of dice: p[i] is the probability of
// first+i.
type sums struct {
	first int
	p     []float64
}

// negligible probabilities are dropped, which keeps sums of thousands of dice
// quick; together they don't reach a millionth of a millionth.
const negligible = 1e-18

// add throws one more die.
func (d *sums) add(sides int) {
	next := make([]float64, len(d.p)+sides-1)
	window := 0.0
	for i := range next {
		if i < len(d.p) {
			window += d.p[i]
		}
		if i >= sides {
			window -= d.p[i-sides]
		}
		next[i] = max(0, window/float64(sides))
	}
	d.first++
	from, to := 0, len(next)
	for from < to && next[from] < negligible && len(d.p) > 4*sides {
		from++
	}
	for to > from && next[to-1] < negligible && len(d.p) > 4*sides {
		to--
	}
	d.first, d.p = d.first+from, next[from:to]
}

// middle is the narrowest pair of sums that leaves no more than half of the
// rest on either side.
func (d *sums) middle(share float64) (low, high int) {
	rest := (1 - share) / 2
	i, j := 0, len(d.p)-1
	for p := d.p[i]; p <= rest && i < j; p += d.p[i] {
		i++
	}
	for p := d.p[j]; p <= rest && j > i; p += d.p[j] {
		j--
	}
	return d.first + i, d.first + j
}

// beyond is the probability of a sum at least so far from the expected one.
func (d *sums) beyond(expected, distance float64) (p float64) {
	for i, q := range d.p {
		if math.Abs(float64(d.first+i)-expected) >= distance-1e-9 {
			p += q
		}
	}
	return min(p, 1)
}
