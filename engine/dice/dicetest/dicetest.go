// Package dicetest plays games of nothing but dice for tests: whole ones, in
// either grade, with everything that can happen to a log, and a way to alter
// them as a cheating server would.
//
// It relies on [dice] alone. Its beacon, keys and secrets are known to anybody
// who reads this file, so all it makes is marked DEMO.
package dicetest

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"github.com/cloudflare/circl/sign/bls"

	"pbemd/engine/dice"
)

// Beacon signs rounds with a key that everybody may know.
type Beacon struct {
	dice.Drand
	key *bls.PrivateKey[bls.KeyG2SigG1]
}

// NewBeacon makes the beacon of all test games.
func NewBeacon(t testing.TB) Beacon {
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
	return Beacon{dice.Drand{Chain: sha256.Sum256(pub), Period: 30, Genesis: 1700000000, Key: pub}, key}
}

// Sign is the signature of a round.
func (b Beacon) Sign(round uint64) []byte { return bls.Sign(b.key, dice.RoundMessage(round)) }

// ServerKey signs the records of all test games.
var ServerKey = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, 32))

// Begun is when all test games begin.
var Begun = time.Date(2026, 4, 1, 18, 0, 0, 0, time.UTC)

// Table is a game as a server would keep it. Its methods end the test if the
// log refuses.
type Table struct {
	Log     *dice.Log
	Records []dice.Record
	Orders  []dice.Orders
	Late    bool // close records leave too late for the beacon

	t       testing.TB
	beacon  Beacon
	now     time.Time
	secrets []dice.Secrets
	key     ed25519.PrivateKey
}

// New begins a game of axis and soviet.
func New(t testing.TB, game string, links int, beacon bool) *Table {
	t.Helper()
	x := &Table{t: t, now: Begun, beacon: NewBeacon(t), key: ServerKey}
	s := dice.Start{Game: game, Players: []string{"soviet", "axis"}, Rules: "synthetic", Version: 1, Time: x.now,
		Data: []dice.DataFile{{Digest: sha256.Sum256([]byte("m")), Name: "map.toml"}, {Digest: sha256.Sum256([]byte("c")), Name: "charts.toml"}}}
	if beacon {
		s.Beacon = &x.beacon.Drand
	}
	x.secrets = []dice.Secrets{dice.DemoSecrets("tests", game, links)}
	l, r, err := dice.Begin(s, x.secrets[0], x.key)
	x.Keep(r, err)
	x.Log = l
	return x
}

// Keep stores a record.
func (x *Table) Keep(r dice.Record, err error) {
	x.t.Helper()
	if err != nil {
		x.t.Fatal(err)
	}
	x.Records = append(x.Records, r)
}

// Wait lets time go by and tells the new one.
func (x *Table) Wait(d time.Duration) time.Time {
	x.now = x.now.Add(d)
	return x.now
}

// Sheet takes orders that reach no roll.
func (x *Table) Sheet(side string, lines ...string) {
	x.t.Helper()
	r, o, err := x.Log.Sheet("T1/"+side+"-move", side, lines, x.Wait(time.Minute))
	x.Keep(r, err)
	x.Orders = append(x.Orders, o)
}

// Close shuts a step; the soviet side has standing orders while axis acts.
func (x *Table) Close(side string, lines ...string) {
	x.t.Helper()
	c := dice.Closing{Phase: "T1/" + side + "-assault", Side: side, Time: x.Wait(time.Hour),
		Salts: map[string]string{"axis": "Würfel, fallt!", "soviet": " удача\n"}}
	if len(lines) > 0 {
		c.Orders = map[string][]string{side: lines}
		if side == "axis" {
			c.Orders["soviet"] = []string{"STANDING RETREAT EAST", "STANDING ASK D04"}
		}
	}
	r, o, err := x.Log.Close(c)
	x.Keep(r, err)
	x.Orders = append(x.Orders, o...)
}

// Throw is a roll to be made. Sides below zero shuffle so many pieces.
type Throw struct {
	Kind, Where string
	Sides, N    int
	Hidden      bool
}

// Play rolls the step that is under way and finishes it.
func (x *Table) Play(p dice.Played, throws ...Throw) {
	x.t.Helper()
	step, ok := x.Log.Open()
	if !ok {
		x.t.Fatal("no step is open")
	}
	c, _ := x.Log.Closed(step)
	left := x.now
	if c.Round > 0 {
		p.Beacon = x.beacon.Sign(c.Round)
		if due := x.beacon.Time(c.Round); x.now.Before(due) {
			x.now = due
		}
		p.Sent = map[string]time.Time{"axis": left.Add(2 * time.Second), "soviet": left.Add(3 * time.Second)}
		if x.Late {
			p.Sent["soviet"] = x.now.Add(time.Second)
		}
	}
	cup, err := x.Log.Cup(step, p.Beacon)
	if err != nil {
		x.t.Fatal(err)
	}
	here := map[string]int{}
	for _, w := range throws {
		l := x.Log.Next(1, c.Side+"-assault", w.Kind, w.Where)
		here[l.Stem()]++
		l.Attempt += here[l.Stem()] - 1
		r := dice.Roll{Label: l.String(), Sides: w.Sides, Hidden: w.Hidden, For: w.Kind + " at " + w.Where}
		from := cup
		if w.Hidden {
			from = cup.Hidden()
		}
		if w.Sides < 0 {
			r.Sides, r.Deck = -w.Sides, true
			r.Values = from.Shuffle(r.Label, r.Sides)
		} else {
			r.Values = from.Roll(r.Label, w.Sides, w.N)
		}
		p.Rolls = append(p.Rolls, r)
	}
	p.Time = x.Wait(4 * time.Second)
	r, err := x.Log.Finish(p)
	x.Keep(r, err)
}

// Resume makes the log anew from what is stored, as a server does after a crash.
func (x *Table) Resume() {
	x.t.Helper()
	l, err := dice.Resume(x.Records, x.secrets, x.key)
	if err != nil {
		x.t.Fatal(err)
	}
	x.Log = l
}

// Transcript is the whole game as one text.
func (x *Table) Transcript() string { return dice.Transcript(x.Records, x.Orders) }

// Resign is what a cheating server does: it changes the body of one record and
// signs it, and all that follow it, anew.
func (x *Table) Resign(i int, change func(dice.Body) dice.Body) {
	x.Records = append([]dice.Record(nil), x.Records...)
	for ; i < len(x.Records); i++ {
		r, old := x.Records[i], x.Records[i].Hash()
		if change != nil {
			r.Body = change(r.Body)
			change = nil
		}
		if i > 0 {
			r.Prev = x.Records[i-1].Hash()
		}
		x.Records[i] = dice.Sign(r.Body, r.Mark, r.Prev, ServerKey)
		for j := range x.Orders {
			if x.Orders[j].Record == old {
				x.Orders[j].Record = x.Records[i].Hash()
			}
		}
	}
}

// Short is a game of three steps that is over: start, close 1, step 1, sheet 2,
// close 2, step 2, close 3, step 3, end.
func Short(t testing.TB, game string, beacon bool) *Table {
	x := New(t, game, 16, beacon)
	x.Close(dice.Nobody)
	x.Play(dice.Played{}, Throw{"weather", "-", 10, 1, false}, Throw{"tiles", "-", -6, 0, true})
	x.Sheet("axis", "MOVE 56PZ H15 H14 H13", "END PHASE")
	x.Close("axis", "ATTACK H12 FROM H13", "ATTACK H10 FROM H11", "END PHASE")
	x.Play(dice.Played{Answers: []dice.Answer{{Player: "soviet", Text: "ANSWER Q1 A"}}},
		Throw{"pa", "H12", 6, 8, false}, Throw{"pa", "H12", 6, 8, false}, Throw{"pa", "H10", 6, 5, false}, Throw{"variant", "-", 6, 1, true})
	x.Close("soviet", "ATTACK H12 FROM H11")
	x.Play(dice.Played{Shown: x.Log.Hidden()[:1]}, Throw{"pa", "H12", 6, 8, false})
	r, err := x.Log.End("axis wins", x.Wait(time.Hour))
	x.Keep(r, err)
	return x
}

// Long is a game of about a hundred steps and of everything that can happen.
func Long(t testing.TB, beacon bool) *Table {
	game := "41"
	if beacon {
		game = "42"
	}
	x := New(t, game, 64, beacon)
	x.Close(dice.Nobody)
	x.Play(dice.Played{}, Throw{"tiles", "-", -24, 0, true}, Throw{"weather", "-", 10, 1, false})
	for n := 2; n <= 104; n++ {
		side := [2]string{"axis", "soviet"}[n%2]
		if n%3 == 0 {
			x.Sheet(side, fmt.Sprintf("MOVE %dPZ H%d G%d", n, n, n), "END PHASE")
		}
		if x.Log.NeedsChains() {
			s := dice.DemoSecrets("more", game, 64)
			r, err := x.Log.NewChains(s, x.Wait(time.Minute))
			x.Keep(r, err)
			x.secrets = append(x.secrets, s)
		}
		x.Late = beacon && n%20 == 0
		x.Close(side, fmt.Sprintf("ATTACK H%d FROM H%d", n, n+1), `MOVE "a \ b" \`, "END PHASE")
		if n%10 == 0 {
			x.Resume()
		}
		where := fmt.Sprintf("%02d%02d", n%7, n%5)
		p := dice.Played{Answers: []dice.Answer{{Player: "soviet", Text: "ANSWER Q17 B  # as agreed\tby mail"}}}
		if n == 50 {
			p.Shown = x.Log.Hidden()[:1]
		}
		x.Play(p, Throw{"pa", where, 6, 1 + n%9, false}, Throw{"pa", where, 6, 2, false}, Throw{"flak", where + "+0101", 10, 3, false},
			Throw{"roll", "-", 100, 1, false}, Throw{"draw", "-", -40, 0, n%15 == 0}, Throw{"variant", "-", 6, 2, n%15 == 0})
		switch {
		case n == 30:
			x.Keep(x.Log.NewRules(2, "a mended rule about bridges", x.Wait(time.Minute)))
		case n == 40:
			key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{9}, 32))
			x.Keep(x.Log.NewKey(key, "a new key each year", x.Wait(time.Minute)))
			x.key = key
		case n == 60:
			x.Keep(x.Log.Rollback(58, 3, "retreats of 58 were read wrongly", x.Wait(time.Minute)))
			for range 3 {
				x.Play(dice.Played{}, Throw{"pa", where, 6, 4, false}, Throw{"tiles", "-", 10, 3, true})
			}
		case n == 80 && beacon:
			x.Close("axis", "ATTACK A1 FROM A2")
			x.Keep(x.Log.Void(x.Wait(25 * time.Hour)))
			n++
		case n == 90 && beacon:
			x.Keep(x.Log.GradeChain(x.Wait(time.Minute)))
		}
	}
	x.Keep(x.Log.End("axis wins by 3 points", x.Wait(time.Hour)))
	return x
}
