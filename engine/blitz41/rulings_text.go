package blitz41

import (
	_ "embed" // for the rulings
	"fmt"
	"strconv"
	"strings"
	"sync"
)

//go:embed RULINGS.md
var rulingsText string

// Ruling is an entry of RULINGS.md, for those who ask what is played where the
// book is in doubt.
type Ruling struct {
	ID                           string // A23
	Question, Played, Other, Why string
}

var rulings = sync.OnceValue(func() map[string]Ruling {
	out := map[string]Ruling{}
	for _, part := range strings.Split(rulingsText, "\n### B41-")[1:] {
		head, body, _ := strings.Cut(part, "\n")
		r := Ruling{ID: strings.Fields(head)[0]}
		for _, line := range strings.Split(body, "\n") {
			for _, f := range []struct {
				mark string
				to   *string
			}{{"**Question.** ", &r.Question}, {"**Played.** ", &r.Played}, {"**Other reading.** ", &r.Other}, {"**Why.** ", &r.Why}} {
				if s, ok := strings.CutPrefix(line, f.mark); ok {
					*f.to = strings.ReplaceAll(strings.TrimSpace(s), "**", "")
				}
			}
		}
		out[r.ID] = r
	}
	return out
})

// RulingOf finds a ruling by its number, as A23, a23, A05 or B41-A23.
func RulingOf(id string) (Ruling, bool) {
	id = strings.TrimPrefix(strings.ToUpper(strings.TrimSpace(id)), "B41-")
	n, err := strconv.Atoi(strings.TrimPrefix(id, "A"))
	if err != nil || !strings.HasPrefix(id, "A") {
		return Ruling{}, false
	}
	r, ok := rulings()[fmt.Sprintf("A%02d", n)]
	return r, ok
}
