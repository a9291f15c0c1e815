package orders

import "sort"

// Suggest gives up to three candidates that a misspelled word may stand for,
// the likeliest first: those it begins, then those within a letter or two.
func Suggest(word string, candidates []string) []string {
	type scored struct {
		s string
		d int
	}
	limit := 1
	switch n := len([]rune(word)); {
	case n == 0:
		return nil
	case n >= 8:
		limit = 3
	case n >= 4:
		limit = 2
	}
	var list []scored
	seen := map[string]bool{}
	for _, c := range candidates {
		if seen[c] || c == "" {
			continue
		}
		seen[c] = true
		d := distance(word, c)
		if len(word) >= 2 && len(c) > len(word) && c[:len(word)] == word {
			d = min(d, 1)
		}
		if d <= limit && d < len(c) {
			list = append(list, scored{c, d})
		}
	}
	sort.SliceStable(list, func(i, j int) bool {
		if list[i].d != list[j].d {
			return list[i].d < list[j].d
		}
		return list[i].s < list[j].s
	})
	var out []string
	for i := 0; i < len(list) && i < 3; i++ {
		out = append(out, list[i].s)
	}
	return out
}

// distance counts insertions, deletions, changes and swaps of neighbours.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	prev2 := make([]int, len(y)+1)
	prev := make([]int, len(y)+1)
	cur := make([]int, len(y)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(x); i++ {
		cur[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(y)]
}
