package enginetest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pbemd/engine/blitz41"
)

var update = flag.Bool("update", false, "write what came out into the cases")

// TestRules runs the cases of the rulebooks.
func TestRules(t *testing.T) {
	d := shipped(t)
	t.Run("b41", func(t *testing.T) {
		for _, file := range caseFiles(t, "b41") {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { runCase(t, d, file) })
		}
	})
}

func caseFiles(t testing.TB, game string) []string {
	files, err := filepath.Glob("../../testdata/rules/" + game + "/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no cases", err)
	}
	return files
}

func runCase(t *testing.T, d *blitz41.Data, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ParseCase(data)
	if err != nil {
		t.Fatal(err)
	}
	want, got, err := c.Run(d)
	if err != nil {
		t.Fatal(err)
	}
	same := len(want) == len(got)
	for i := 0; same && i < len(want); i++ {
		same = want[i] == got[i]
	}
	if same && len(want) > 0 {
		return
	}
	if *update {
		if err := os.WriteFile(file, c.Updated(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if len(want) == 0 {
		t.Fatalf("nothing is wanted; run with -update for\n%s", strings.Join(got, "\n"))
	}
	for i := range want {
		if want[i] != got[i] {
			t.Errorf("%s\n got  %s\nwant %s", c.Intent, got[i], want[i])
		}
	}
}

// TestCasesCanFail: a case whose want is wrong is red, in each kind of line.
func TestCasesCanFail(t *testing.T) {
	d := shipped(t)
	const text = `A case to turn round.

Rules: B41-12.1.A
-- position --
turn 2 axis move
H19 56PZ
-- orders axis --
MOVE 56PZ H18
-- want --
`
	for _, line := range []string{
		"refused 1 B41-12.1.A", "56PZ at H17", "56PZ at H18 steps 3", "control H18 soviet", "vp 99", "turn 3 axis move", "over axis moscow 88", "roll ma H18 5",
		"battle H18 odds 3-1", "factor H18 B41-9.16.B −1", "event StepsSet", "no event UnitMoved 56PZ", "events UnitMoved 7", "question D04 soviet HOLD default HOLD",
		"state idle H18", "holds H18 EMPTY", "loss 3", "halted 1",
		"sees soviet H18 57PZ", "foreseen 1 attack 1 defence 1", "shows soviet 99PZ", "hides axis 56PZ",
		"supply 56PZ loss 2", "supply 56PZ none", "supply 56PZ at H18 from G19", "supply 56PZ limited", "way 56PZ K9", "no way 56PZ H19", "no source axis H19",
		"source axis H18", "mp 56PZ 9", "face 56PZ 9-9-9", "marks 56PZ oos", "marks 56PZ none", "pool MECH 5", "aircorps 1", "transits 1", "fort R15 wrecked",
	} {
		c, err := ParseCase([]byte(text + line + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		want, got, err := c.Run(d)
		if err != nil {
			t.Errorf("%s: %v", line, err)
		} else if want[0] == got[0] {
			t.Errorf("%s holds", line)
		}
	}
	for _, line := range []string{"nonsense", "refused", "battle", "battle H18 luck", "no luck", "holds H18 SUNNY", "control Q99 axis",
		"supply 56PZ luck", "supply 99PZ full", "source H18", "pool GOLD 3", "fort Q99 intact"} {
		c, _ := ParseCase([]byte(text + line + "\n"))
		if line == "battle H18 luck" {
			continue // without a battle there is nothing to read
		}
		if _, got, err := c.Run(d); err == nil {
			t.Errorf("%s is read as %v", line, got)
		}
	}
}
