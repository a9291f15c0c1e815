package dice_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pbemd/engine/dice"
	"pbemd/engine/dice/dicetest"
)

const testdata = "../../testdata/dice"

var update = flag.Bool("update", false, "write the recorded games anew")

func check(t testing.TB, text string) dice.Report {
	t.Helper()
	var p dice.Pile
	p.Add("transcript", text)
	reports := dice.Check(p, dice.Options{})
	if len(reports) != 1 {
		t.Fatalf("%d games in the transcript: %v", len(reports), reports)
	}
	return reports[0]
}

// A whole game passes in either grade, and so do its records taken up again at
// any point.
func TestLongGame(t *testing.T) {
	for _, grade := range []string{"chain", "beacon"} {
		t.Run(grade, func(t *testing.T) {
			x := dicetest.Long(t, grade == "beacon")
			text := x.Transcript()
			rep := check(t, text)
			if !rep.OK() {
				t.Fatal(rep)
			}
			voided := 0
			if grade == "beacon" {
				voided = 1
				if rep.Beacon != 85 || rep.Chained != 18 {
					t.Errorf("%d steps of grade beacon, %d of chain; want 85 and 18", rep.Beacon, rep.Chained)
				}
			}
			if rep.Steps != 104-voided || rep.Hidden != 0 || rep.Sealed != 0 || rep.Orders != len(x.Orders) || !rep.Ended || len(rep.Chain) != len(x.Records) {
				t.Errorf("got %v, %d sealed", rep, rep.Sealed)
			}
			file := filepath.Join(testdata, "game-"+grade+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			recorded, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if string(recorded) != text {
				t.Errorf("%s isn't what the game writes now; if that is meant, run with -update", file)
			}
		})
	}
}

// The program in Python, which shares nothing with this one, agrees on the
// vectors and on both recorded games, and finds what was altered.
func TestPythonAgrees(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 isn't on this machine; the second checker wasn't run")
	}
	run := func(args ...string) (string, error) {
		cmd := exec.Command(python, append([]string{"-B", filepath.Join(testdata, "check.py")}, args...)...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run("--vectors", filepath.Join(testdata, "vectors.json")); err != nil || !strings.HasPrefix(out, "OK vectors") {
		t.Fatalf("vectors: %v\n%s", err, out)
	}
	for _, name := range []string{"vector-game.txt", "game-chain.txt", "game-beacon.txt"} {
		file := filepath.Join(testdata, name)
		out, err := run(file)
		text, _ := os.ReadFile(file)
		ours := check(t, string(text)).String()
		theirs, more, _ := strings.Cut(out, "\n")
		if err != nil || theirs+"; over" != strings.Replace(ours, " (DEMO: the dice follow from a word)", "", 1) {
			t.Errorf("%s: %v\nPython: %s\nGo:     %s", name, err, theirs, ours)
		}
		if beacon := name == "game-beacon.txt"; strings.Contains(more, "NOT CHECKED") != beacon {
			t.Errorf("%s: what isn't checked is said wrongly: %q", name, more)
		}
	}
	// Everything that a server could do and that ours finds, Python finds too.
	dir := t.TempDir()
	var files []string
	cheats := serverCheats(t)
	for i, c := range cheats {
		x := dicetest.Short(t, "12", c.beacon)
		c.do(x)
		files = append(files, filepath.Join(dir, fmt.Sprintf("%02d.txt", i)))
		if err := os.WriteFile(files[i], []byte(x.Transcript()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, err := run(files...)
	if err == nil {
		t.Errorf("Python ends well over cheats")
	}
	for i, f := range files {
		if !strings.Contains(out, "FAULT "+f+": ") {
			t.Errorf("Python takes %s", cheats[i].threat)
		}
	}
}
