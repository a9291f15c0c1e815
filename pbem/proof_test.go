package pbem_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pbemd/engine/dice"
	"pbemd/engine/dice/dicetest"
	"pbemd/pbem"
	"pbemd/pbem/pbemtest"
)

var update = flag.Bool("update", false, "write the recorded games of testdata/dice anew")

const diceData = "../testdata/dice"

// recorded are the games of Blitzkrieg '41 whose transcripts are kept.
var recorded = []struct {
	file   string
	beacon bool
}{{"blitz41-chain.txt", false}, {"blitz41-beacon.txt", true}}

// blitzProof plays Blitzkrieg '41 by mail up to a turn, in either grade, and
// gives its transcript.
func blitzProof(t testing.TB, beacon bool, last int) string {
	t.Helper()
	b := dicetest.NewBeacon(t)
	w := pbemtest.NewWorld(t, func(w *pbemtest.World) {
		uncapped(w)
		if beacon {
			w.Config.Drand = &b.Drand
			w.Config.Beacon = func(_ context.Context, round uint64) ([]byte, error) {
				if b.Time(round).After(w.Now()) {
					return nil, errors.New("not yet")
				}
				return b.Sign(round), nil
			}
		}
	}, pbem.Games()...)
	w.Found("blitz41", pbem.Terms{NoJoin: true, Beacon: beacon})
	playBlitz(t, w, 10, last)
	text, v := verified(t, w)
	if v.Fault != nil || !v.Played || beacon && v.Dice.Beacon != v.Dice.Steps || !beacon && v.Dice.Chained != v.Dice.Steps {
		t.Fatalf("beacon %v: %v\n%v", beacon, v, v.Dice)
	}
	return text
}

// python runs the second checker over a transcript and gives its first line.
func python(t *testing.T, file string) (line, more string) {
	t.Helper()
	p, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 isn't on this machine; the second checker wasn't run")
	}
	out, err := exec.Command(p, "-B", filepath.Join(diceData, "check.py"), file).CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s", file, err, out)
	}
	line, more, _ = strings.Cut(string(out), "\n")
	return line, more
}

// agree wants both checkers to say the same of a transcript.
func agree(t *testing.T, file, text string, beacon bool) {
	t.Helper()
	var pile dice.Pile
	pile.Add(file, text)
	reports := dice.Check(pile, dice.Options{})
	if len(reports) != 1 || !reports[0].OK() || !reports[0].Ended {
		t.Fatalf("%s: %v", file, reports)
	}
	theirs, more := python(t, file)
	ours := strings.Replace(reports[0].String(), " (DEMO: the dice follow from a word)", "", 1)
	if theirs+"; over" != ours {
		t.Errorf("%s:\nPython: %s\nGo:     %s", file, theirs, ours)
	}
	if strings.Contains(more, "NOT CHECKED") != beacon {
		t.Errorf("%s: what Python leaves unchecked is said wrongly: %q", file, more)
	}
}

// Whole games, from the first day to the last, in either grade: the Python checker
// reads the file that the players are mailed and agrees with ours, and finds what
// is altered.
func TestPythonAgreesOnWholeGames(t *testing.T) {
	for _, beacon := range []bool{false, true} {
		text := blitzProof(t, beacon, 99)
		file := filepath.Join(t.TempDir(), "game1-transcript.txt")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		agree(t, file, text, beacon)
	}
}

// The recorded games are what they were: both checkers and, as long as rules and
// data are those they were played by, the replay of the rules take them.
func TestRecordedGames(t *testing.T) {
	for _, x := range recorded {
		file := filepath.Join(diceData, x.file)
		if *update {
			if err := os.WriteFile(file, []byte(blitzProof(t, x.beacon, 2)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) > 300_000 {
			t.Errorf("%s has %d bytes", file, len(b))
		}
		agree(t, file, string(b), x.beacon)
		v, err := pbem.Verify(string(b), pbem.Games(), nil)
		switch {
		case err != nil && strings.Contains(err.Error(), "data file"):
			t.Logf("%s is of other data than the rules ship now: %v", file, err)
		case err != nil || v.Fault != nil:
			t.Errorf("%s: %v, %v; if the rules have changed on purpose, raise their version, or write it anew with -update", file, v, err)
		default:
			t.Logf("%s: %v", file, v)
		}
	}
}
