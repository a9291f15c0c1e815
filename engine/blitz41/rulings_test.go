package blitz41

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"pbemd/engine"
)

func TestOptionsAreKnownReadings(t *testing.T) {
	if err := CheckOptions(Options{Other: []engine.RuleID{"B41-A13", "B41-A132"}}); err != nil {
		t.Error(err)
	}
	for _, o := range []Options{{Other: []engine.RuleID{"B41-A14"}}, {Other: []engine.RuleID{"B41-A13", "B41-A13"}}} {
		if CheckOptions(o) == nil {
			t.Errorf("%v is taken", o.Other)
		}
	}
}

// Every reading is marked as an option in RULINGS.md and nothing else is; no
// ruling stands there twice or is missing.
func TestRulingsAndReadingsAgree(t *testing.T) {
	b, err := os.ReadFile("RULINGS.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	options := map[string]bool{}
	row := regexp.MustCompile(`^### (B41-A\d+)( \*\*\[F\]\*\*)?`)
	for _, l := range strings.Split(string(b), "\n") {
		if m := row.FindStringSubmatch(l); m != nil {
			seen[m[1]]++
			options[m[1]] = m[2] != ""
		}
	}
	for _, r := range Readings {
		if !options[string(r.ID)] {
			t.Errorf("%s is not marked as an option", r.ID)
		}
		delete(options, string(r.ID))
	}
	for id, marked := range options {
		if marked {
			t.Errorf("%s is marked as an option and is none", id)
		}
	}
	for id, n := range seen {
		if n > 1 {
			t.Errorf("%s stands there %d times", id, n)
		}
	}
	if len(seen) < 138 {
		t.Errorf("%d rulings, want 138 at least", len(seen))
	}
}

// The south edge counts only by the other reading.
func TestSouthEdge(t *testing.T) {
	for _, c := range []struct {
		opt  Options
		want bool
	}{{Options{}, false}, {Options{Other: []engine.RuleID{"B41-A13"}}, true}} {
		g := bare(t, 4, Soviet, MovePhase, c.opt)
		wall(g)
		if got := g.p.reachesEdge(g.hex("DD8")); got != c.want {
			t.Errorf("%v: the south edge counts: %v", c.opt.Other, got)
		}
	}
}

// wall puts an Axis corps on every hex of the east edge.
func wall(g *ground) {
	n := 0
	for u := range g.p.d.Units {
		if g.p.unit(u).Side != axis {
			continue
		}
		for n < g.p.d.Board.Len() {
			h := n
			n++
			if g.p.d.Board.Is(h, EastEdge) {
				g.say(UnitPlaced{g.p.unit(u).ID, g.p.d.Board.At(h), 1, "setup"})
				break
			}
		}
	}
}
