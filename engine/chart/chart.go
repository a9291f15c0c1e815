// Package chart reads tables: columns of odds, rows of die results, sums of
// modifiers.
//
// It relies on nothing; a game brings its tables as values and its reasons as
// keys. A nil table has no result, a nil list of factors means no modifiers.
package chart

import "fmt"

// Odds is a column of a combat table: 0 is the first.
type Odds int

// Below is what is worse than the first column.
const Below Odds = -1

// Columns are the odds columns of a table as attacker and defender parts, in
// rising order: {1,3} {1,2} {1,1} {2,1} …
type Columns [][2]int

// Of finds the column of a : d, the remainder dropped in the defender's favour:
// the highest column that a : d reaches. Nothing above the last is reached.
func (c Columns) Of(a, d int) Odds {
	found := Below
	for i, col := range c {
		if a*col[1] >= d*col[0] {
			found = Odds(i)
		}
	}
	return found
}

// Name writes a column as in 3-1.
func (c Columns) Name(o Odds) string {
	if o < 0 || int(o) >= len(c) {
		return fmt.Sprintf("below %d-%d", c[0][0], c[0][1])
	}
	return fmt.Sprintf("%d-%d", c[o][0], c[o][1])
}

// Parse finds the column that is written like 3-1; a bare n means n-1.
func (c Columns) Parse(s string) (Odds, bool) {
	for i := range c {
		if n := c.Name(Odds(i)); n == s || (c[i][1] == 1 && fmt.Sprint(c[i][0]) == s) {
			return Odds(i), true
		}
	}
	return Below, false
}

// Percent takes p per cent of n, rounded up.
func Percent(n, p int) int { return (n*p + 99) / 100 }
