package dice

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cloudflare/circl/sign/bls"
)

var update = flag.Bool("update", false, "write the recorded games anew")

// testBeacon signs rounds with a key that everybody may know.
type testBeacon struct {
	Drand
	key *bls.PrivateKey[bls.KeyG2SigG1]
}

func newTestBeacon(t testing.TB) testBeacon {
	t.Helper()
	seed := sha256.Sum256([]byte("a beacon for tests"))
	key, err := bls.KeyGen[bls.KeyG2SigG1](seed[:], nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	pub, err := key.PublicKey().MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return testBeacon{Drand{Chain: sha256.Sum256(pub), Period: 30, Genesis: 1700000000, Key: pub}, key}
}

func (b testBeacon) sign(round uint64) []byte { return bls.Sign(b.key, RoundMessage(round)) }

var testKey = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, 32))

var begun = time.Date(2026, 4, 1, 18, 0, 0, 0, time.UTC)

// table plays a game for tests: it keeps what a server would keep.
type table struct {
	t       testing.TB
	log     *Log
	beacon  testBeacon
	now     time.Time
	records []Record
	orders  []Orders
	secrets []Secrets
	key     ed25519.PrivateKey
	late    bool // close records leave too late
}

func newTable(t testing.TB, game string, links int, beacon bool) *table {
	t.Helper()
	x := &table{t: t, now: begun, beacon: newTestBeacon(t), key: testKey}
	s := Start{Game: game, Players: []string{"soviet", "axis"}, Rules: "synthetic", Version: 1,
		Data: []DataFile{{sha256.Sum256([]byte("m")), "map.toml"}, {sha256.Sum256([]byte("c")), "charts.toml"}}, Time: x.now}
	if beacon {
		s.Beacon = &x.beacon.Drand
	}
	x.secrets = []Secrets{DemoSecrets("tests", game, links)}
	l, r, err := Begin(s, x.secrets[0], x.key)
	x.keep(r, err)
	x.log = l
	return x
}

func (x *table) keep(r Record, err error) {
	x.t.Helper()
	if err != nil {
		x.t.Fatal(err)
	}
	x.records = append(x.records, r)
}

func (x *table) wait(d time.Duration) time.Time {
	x.now = x.now.Add(d)
	return x.now
}

func (x *table) sheet(side string, lines ...string) {
	x.t.Helper()
	r, o, err := x.log.Sheet("T1/"+side+"-move", side, lines, x.wait(time.Minute))
	x.keep(r, err)
	x.orders = append(x.orders, o)
}

func (x *table) close(side string, lines ...string) {
	x.t.Helper()
	c := Closing{Phase: "T1/" + side + "-assault", Side: side, Salts: map[string]string{"axis": "Würfel, fallt!", "soviet": " удача\n"}, Time: x.wait(time.Hour)}
	if len(lines) > 0 {
		c.Orders = map[string][]string{side: lines}
		if side == "axis" {
			c.Orders["soviet"] = []string{"STANDING RETREAT EAST", "STANDING ASK D04"}
		}
	}
	r, o, err := x.log.Close(c)
	x.keep(r, err)
	x.orders = append(x.orders, o...)
}

// throw is a roll to be made: its name, sides and how many dice. Sides below
// zero shuffle so many pieces.
type throw struct {
	kind, where string
	sides, n    int
	hidden      bool
}

func (x *table) play(p Played, throws ...throw) {
	x.t.Helper()
	step, ok := x.log.Open()
	if !ok {
		x.t.Fatal("no step is open")
	}
	c, _ := x.log.Closed(step)
	left := x.now
	if c.Round > 0 {
		p.Beacon = x.beacon.sign(c.Round)
		if due := x.beacon.Time(c.Round); x.now.Before(due) {
			x.now = due
		}
		if p.Sent == nil {
			p.Sent = map[string]time.Time{"axis": left.Add(2 * time.Second), "soviet": left.Add(3 * time.Second)}
			if x.late {
				p.Sent["soviet"] = x.now.Add(time.Second)
			}
		}
	}
	cup, err := x.log.Cup(step, p.Beacon)
	if err != nil {
		x.t.Fatal(err)
	}
	var here Attempts
	for _, w := range throws {
		l := x.log.Next(1, c.Side+"-assault", w.kind, w.where)
		l.Attempt += here.Next(1, c.Side+"-assault", w.kind, w.where).Attempt - 1
		if here.seen == nil {
			here.seen = map[string]int{}
		}
		here.seen[l.Stem()]++
		r := Roll{Label: l.String(), Sides: w.sides, Hidden: w.hidden, For: w.kind + " at " + w.where}
		from := cup
		if w.hidden {
			from = cup.Hidden()
		}
		if w.sides < 0 {
			r.Sides, r.Deck = -w.sides, true
			r.Values = from.Shuffle(r.Label, r.Sides)
		} else {
			r.Values = from.Roll(r.Label, w.sides, w.n)
		}
		p.Rolls = append(p.Rolls, r)
	}
	p.Time = x.wait(4 * time.Second)
	r, err := x.log.Finish(p)
	x.keep(r, err)
}

func (x *table) amend(r Record, err error) { x.t.Helper(); x.keep(r, err) }

// resume makes the log anew from what is stored, as a server does after a
// crash.
func (x *table) resume() {
	x.t.Helper()
	l, err := Resume(x.records, x.secrets, x.key)
	if err != nil {
		x.t.Fatal(err)
	}
	x.log = l
}

func (x *table) transcript() string { return Transcript(x.records, x.orders) }

func check(t testing.TB, text string) Report {
	t.Helper()
	var p Pile
	p.Add("transcript", text)
	reports := Check(p, Options{})
	if len(reports) != 1 {
		t.Fatalf("%d games in the transcript: %v", len(reports), reports)
	}
	return reports[0]
}

// longGame has about a hundred steps and everything that can happen in one.
func longGame(t testing.TB, beacon bool) *table {
	game := "41"
	if beacon {
		game = "42"
	}
	x := newTable(t, game, 64, beacon)
	x.close(Nobody)
	x.play(Played{}, throw{"tiles", "-", -24, 0, true}, throw{"weather", "-", 10, 1, false})
	for n := 2; n <= 104; n++ {
		side := [2]string{"axis", "soviet"}[n%2]
		if n%3 == 0 {
			x.sheet(side, fmt.Sprintf("MOVE %dPZ H%d G%d", n, n, n), "END PHASE")
		}
		if x.log.NeedsChains() {
			s := DemoSecrets("more", game, 64)
			r, err := x.log.NewChains(s, x.wait(time.Minute))
			x.amend(r, err)
			x.secrets = append(x.secrets, s)
		}
		x.late = beacon && n%20 == 0
		x.close(side, fmt.Sprintf("ATTACK H%d FROM H%d", n, n+1), `MOVE "a \ b" \`, "END PHASE")
		if n%10 == 0 {
			x.resume()
		}
		where := fmt.Sprintf("%02d%02d", n%7, n%5)
		p := Played{Answers: []Answer{{"soviet", "ANSWER Q17 B  # as agreed\tby mail"}}}
		if n == 50 {
			p.Shown = x.log.Hidden()[:1]
		}
		x.play(p, throw{"pa", where, 6, 1 + n%9, false}, throw{"pa", where, 6, 2, false}, throw{"flak", where + "+0101", 10, 3, false},
			throw{"roll", "-", 100, 1, false}, throw{"draw", "-", -40, 0, n%15 == 0}, throw{"variant", "-", 6, 2, n%15 == 0})
		switch {
		case n == 30:
			r, err := x.log.NewRules(2, "a mended rule about bridges", x.wait(time.Minute))
			x.amend(r, err)
		case n == 40:
			key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{9}, 32))
			r, err := x.log.NewKey(key, "a new key each year", x.wait(time.Minute))
			x.amend(r, err)
			x.key = key
		case n == 60:
			r, err := x.log.Rollback(58, 3, "retreats of 58 were read wrongly", x.wait(time.Minute))
			x.amend(r, err)
			for range 3 {
				x.play(Played{}, throw{"pa", where, 6, 4, false}, throw{"tiles", "-", 10, 3, true})
			}
		case n == 80 && beacon:
			x.close("axis", "ATTACK A1 FROM A2")
			r, err := x.log.Void(x.wait(25 * time.Hour))
			x.amend(r, err)
			n++
		case n == 90 && beacon:
			r, err := x.log.GradeChain(x.wait(time.Minute))
			x.amend(r, err)
		}
	}
	r, err := x.log.End("axis wins by 3 points", x.wait(time.Hour))
	x.keep(r, err)
	return x
}

// A whole game passes in either grade, and so do its records taken up again at
// any point.
func TestLongGame(t *testing.T) {
	for _, grade := range []string{"chain", "beacon"} {
		t.Run(grade, func(t *testing.T) {
			x := longGame(t, grade == "beacon")
			text := x.transcript()
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
			if rep.Steps != 104-voided || rep.Hidden != 0 || rep.Sealed != 0 || rep.Orders != len(x.orders) || !rep.Ended || len(rep.Chain) != len(x.records) {
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
	// One altered die, properly signed again, must be found by both.
	x := newTable(t, "7", 16, false)
	x.close("axis", "ATTACK H12 FROM H13")
	x.play(Played{}, throw{"pa", "H12", 6, 3, false})
	s := x.records[2].Body.(Step)
	s.Rolls[0].Values[1] = s.Rolls[0].Values[1]%6 + 1
	x.records[2] = Sign(s, Demo, x.records[2].Prev, testKey)
	file := filepath.Join(t.TempDir(), "altered.txt")
	if err := os.WriteFile(file, []byte(x.transcript()), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := run(file); err == nil || !strings.Contains(out, "aren't those of the key") {
		t.Errorf("Python takes an altered die: %v\n%s", err, out)
	}
}
