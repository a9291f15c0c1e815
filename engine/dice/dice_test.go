package dice

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Links come out the same from the kept ones as by going down the whole way.
func TestChainLinks(t *testing.T) {
	for _, n := range []int{1, 2, 63, 64, 65, 128, 200} {
		c := NewChain(HiddenChain, "g", Hash{9}, n)
		for i := 0; i <= n; i++ {
			if want := descend(HiddenChain, "g", n, Hash{9}, i); c.Link(i) != want {
				t.Errorf("link %d of %d: %s, want %s", i, n, c.Link(i), want)
			}
		}
	}
	a, b := NewChain(DiceChain, "g", Hash{9}, 9), NewChain(DiceChain, "h", Hash{9}, 9)
	if a.Link(0) == b.Link(0) || a.Link(0) == NewChain(SealChain, "g", Hash{9}, 9).Link(0) {
		t.Error("two chains of the same secret are one")
	}
}

// Re-asking, re-ordering, adding or dropping a roll moves no other die.
func TestOrderMovesNoDie(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := Key(Hash(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "key")))
		labels := rapid.SliceOfNDistinct(rapid.IntRange(1, 40), 1, 12, rapid.ID).Draw(t, "hexes")
		label := func(h int) string { return fmt.Sprintf("T3/axis-assault/pa/H%d/1", h) }
		want := map[int][]int{}
		for _, h := range labels {
			want[h] = key.Roll(label(h), 6, 8)
		}
		for _, h := range rapid.Permutation(labels).Draw(t, "order")[:rapid.IntRange(1, len(labels)).Draw(t, "asked")] {
			if got := key.Roll(label(h), 6, 8); !slices.Equal(got, want[h]) {
				t.Fatalf("H%d: %v, before %v", h, got, want[h])
			}
			if got := key.Roll(label(h), 6, 3); !slices.Equal(got, want[h][:3]) {
				t.Fatalf("H%d, fewer dice: %v of %v", h, got, want[h])
			}
		}
	})
}

// Dice lie in their range and shuffles hold every piece once.
func TestRanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := Key{rapid.Byte().Draw(t, "key")}
		sides := rapid.IntRange(2, 256).Draw(t, "sides")
		for _, v := range key.Roll("T1/a/b/c/1", sides, 50) {
			if v < 1 || v > sides {
				t.Fatalf("d%d: %d", sides, v)
			}
		}
		n := rapid.IntRange(0, 700).Draw(t, "pieces")
		deck := key.Shuffle("T1/a/b/c/1", n)
		slices.Sort(deck)
		for i, v := range deck {
			if i != v {
				t.Fatalf("%d pieces: %d where %d should be", n, v, i)
			}
		}
	})
	for _, bad := range []func(){
		func() { Key{}.Roll("x", 1, 1) }, func() { Key{}.Roll("x", 257, 1) }, func() { Key{}.Roll("x", 6, -1) },
		func() { Key{}.Shuffle("x", -1) }, func() { Key{}.Shuffle("x", 65537) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("an impossible roll is rolled")
				}
			}()
			bad()
		}()
	}
}

// A byte that would favour low values is dropped, and draws above 256 take two.
func TestNoModuloBias(t *testing.T) {
	for _, sides := range []int{6, 10, 20, 100, 200} {
		dropped := false
		for i := 0; !dropped && i < 10000; i++ {
			label := fmt.Sprint("bias ", i)
			raw := Key{1}.stream(label)
			b := raw.next()
			if b < 256/sides*sides {
				continue
			}
			dropped = true
			for b >= 256/sides*sides {
				b = raw.next()
			}
			if got := (Key{1}).Roll(label, sides, 1)[0]; got != 1+b%sides {
				t.Errorf("d%d: %d, want %d", sides, got, 1+b%sides)
			}
		}
		if !dropped {
			t.Errorf("d%d: no byte was ever dropped", sides)
		}
	}
	raw, s := Key{2}.stream("wide"), Key{2}.stream("wide")
	for range 1000 {
		want := raw.next()<<8 | raw.next()
		for want >= 65536/300*300 {
			want = raw.next()<<8 | raw.next()
		}
		if got := s.below(300); got != want%300 {
			t.Fatalf("a draw of 300: %d, want %d", got, want%300)
		}
	}
}

// Fields can't run into each other: moving a letter from one to the next gives
// another digest.
func TestNoAmbiguousJoins(t *testing.T) {
	a := StepDigest([]Seat{{Player: "ab", Salt: "c"}})
	if a == StepDigest([]Seat{{Player: "a", Salt: "bc"}}) || a == StepDigest([]Seat{{Player: "abc"}}) ||
		a == StepDigest([]Seat{{Player: "ab"}, {Player: "c"}}) {
		t.Error("two step digests are one")
	}
	if Commit(Hash{1}, OrdersText([]string{"A", "B"})) == Commit(Hash{1}, OrdersText([]string{"AB"})) {
		t.Error("two sets of orders are one")
	}
	if StepKey("1", 11, Hash{}, Hash{}, nil) == StepKey("11", 1, Hash{}, Hash{}, nil) {
		t.Error("two games are one")
	}
	k := StepKey("1", 1, Hash{}, Hash{}, nil)
	if k == StepKey("1", 1, Hash{}, Hash{}, []byte{0}) {
		t.Error("a beacon is no beacon")
	}
	if slices.Equal(k.Roll("T1/a/b/c/1", 6, 30), k.Roll("T1/a/b/c/11", 6, 30)) {
		t.Error("two labels are one")
	}
	c, d := Hash{1}, Hash{2}
	if StepDigest([]Seat{{Player: "a", C: &c}, {Player: "b", C: &d}}) != StepDigest([]Seat{{Player: "b", C: &d}, {Player: "a", C: &c}}) {
		t.Error("the order in which players are given counts")
	}
}

func TestLabels(t *testing.T) {
	for _, s := range []string{"T3/axis-assault/pa/H12/1", "T2/open/weather/-/1", "T5/soviet-combat/return-fire/2703/12", "T0/open/ma/H1+H2/1"} {
		l, err := ParseLabel(s)
		if err != nil || l.String() != s {
			t.Errorf("%s: %v, %v", s, l, err)
		}
	}
	for _, s := range []string{"", "T2/weather", "T3/a/b/c", "T3/a/b/c/0", "T3/a/b/c/01", "T03/a/b/c/1", "3/a/b/c/1", "T3/a//c/1", "T3/a b/c/d/1",
		"T3/a/b/c/1/2", "T-1/a/b/c/1", "T3/ä/b/c/1", "T3/a/b/c/+1", "T3/a\n/b/c/1", "T3/a/b/c/99999999999999999999"} {
		if l, err := ParseLabel(s); err == nil {
			t.Errorf("%q is taken as %v", s, l)
		}
	}
	var a Attempts
	for i := range 3 {
		l := a.Next(3, "axis-assault", "pa", "H12")
		if l.Attempt != i+1 {
			t.Errorf("attempt %d, want %d", l.Attempt, i+1)
		}
		if err := a.Count(l.String()); err != nil {
			t.Error(err)
		}
	}
	if a.Count("T3/axis-assault/pa/H12/3") == nil || a.Count("T3/axis-assault/pa/H12/5") == nil || a.Count("T3/axis-assault/pa/H13/2") == nil {
		t.Error("a label that isn't the next of its name is counted")
	}
	if l := a.Next(1, "open", "weather", ""); l.String() != "T1/open/weather/-/1" {
		t.Errorf("nowhere: %s", l)
	}
}

// The first round at or after ten minutes, to the second.
func TestBeaconRound(t *testing.T) {
	d := Drand{Period: 3, Genesis: 1000}
	for _, c := range []struct {
		closed int64
		round  uint64
	}{{0, 1}, {400, 1}, {401, 2}, {402, 2}, {403, 2}, {404, 3}, {1000, 201}} {
		r := d.Round(time.Unix(c.closed, 0))
		at := d.Time(r).Unix()
		if r != c.round || at < c.closed+600 || r > 1 && at-3 >= c.closed+600 {
			t.Errorf("closed at %d: round %d at %d, want %d", c.closed, r, at, c.round)
		}
	}
	if Quicknet.Round(Quicknet.Time(1000).Add(-BeaconDelay)) != 1000 {
		t.Error("round 1000 isn't the round of its own time")
	}
	if p, err := ParseDrand(Quicknet.String()); err != nil || !p.equal(Quicknet) {
		t.Errorf("quicknet reads as %v, %v", p, err)
	}
	for _, s := range []string{"", "x", Quicknet.String() + " ", strings.ToUpper(Quicknet.String()), strings.Replace(Quicknet.String(), " 3 ", " 0 ", 1)} {
		if _, err := ParseDrand(s); err == nil {
			t.Errorf("%q is taken as a beacon", s)
		}
	}
}

// Any text fits on a line and comes back as it was.
func TestEscapes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
		e := escape(s)
		if strings.ContainsAny(e, "\n\r\v\f\u0085\u2028\u2029") || strings.TrimSpace(e) != e && strings.Trim(e, " ") != e {
			t.Fatalf("%q is written as %q", s, e)
		}
		if u, err := unescape(e); err != nil || u != s {
			t.Fatalf("%q is written as %q and comes back as %q, %v", s, e, u, err)
		}
	})
	for _, bad := range []string{`\`, `a\q`, `\x1`, `\xg0`, `\u12`, `\u12g4`} {
		if u, err := unescape(bad); err == nil {
			t.Errorf("%q is taken as %q", bad, u)
		}
	}
}

// A reader that runs dry gives no secrets.
func TestSecrets(t *testing.T) {
	if _, err := NewSecrets(bytes.NewReader(make([]byte, 95)), 10); err == nil {
		t.Error("95 bytes make three secrets")
	}
	s, err := NewSecrets(bytes.NewReader(bytes.Repeat([]byte{1, 2, 3}, 32)), 10)
	if err != nil || s.Mark != "" || s.Dice == s.Seal && s.Seal == s.Hidden && s.Dice == (Hash{}) {
		t.Errorf("%v, %v", s, err)
	}
	a, b := DemoSecrets("w", "1", 10), DemoSecrets("w", "2", 10)
	if a.Mark != Demo || a.Dice == b.Dice || a.Dice == a.Seal || a.Dice == DemoSecrets("x", "1", 10).Dice || a != DemoSecrets("w", "1", 10) {
		t.Error("secrets of a word aren't of that word and game alone")
	}
}

// Whatever is read writes back to the same bytes, and nothing makes the reader
// fall over.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join(testdata, "records", "*.txt"))
	for _, file := range files {
		if b, err := os.ReadFile(file); err == nil {
			f.Add(b)
		}
	}
	f.Add([]byte("pbem-record v1 amend\ngame: 1\nwhat: rules\nstep: 1\nrules: 0\nreason:\ntime: 2026-01-01T00:00:00Z\nprev: none\nsig: \n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := Parse(b)
		if err == nil && !bytes.Equal(r.Text(), b) {
			t.Errorf("%q reads and writes back as %q", b, r.Text())
		}
		if err == nil && r.SignedBy(make(ed25519.PublicKey, 32)) {
			t.Error("signed by nobody")
		}
	})
}

// A pile of anything can be checked.
func FuzzCheck(f *testing.F) {
	if b, err := os.ReadFile(filepath.Join(testdata, "vector-game.txt")); err == nil {
		f.Add(string(b))
		f.Add(string(b[:len(b)/2]))
		f.Add("> " + strings.ReplaceAll(string(b), "\n", "\n> "))
	}
	f.Fuzz(func(t *testing.T, s string) {
		var p Pile
		p.Add("x", s)
		for _, r := range Check(p, Options{}) {
			var err error
			if r.Fault != nil {
				err = r.Fault
			}
			var fault *Fault
			if errors.As(err, &fault) && (fault.Kind.String() == "" || fault.Why == "") {
				t.Errorf("a fault without words: %+v", fault)
			}
		}
	})
}

func BenchmarkRoll(b *testing.B) {
	k := StepKey("1", 1, Hash{}, Hash{}, nil)
	b.ReportAllocs()
	for b.Loop() {
		k.Roll("T3/axis-assault/pa/H12/1", 6, 2)
	}
}

func BenchmarkShuffle40(b *testing.B) {
	k := StepKey("1", 1, Hash{}, Hash{}, nil)
	b.ReportAllocs()
	for b.Loop() {
		k.Shuffle("T3/axis-assault/pa/H12/1", 40)
	}
}

func BenchmarkNewChain(b *testing.B) {
	for b.Loop() {
		NewChain(DiceChain, "1", Hash{1}, Links)
	}
}

func BenchmarkBeacon(b *testing.B) {
	sig := mustHex("b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39")
	for b.Loop() {
		if err := Quicknet.Verify(1000, sig); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkResume(b *testing.B) { benchmarkGame(b, func(p Pile) { ReadRecords(p.Records) }) }
func BenchmarkCheck(b *testing.B)  { benchmarkGame(b, func(p Pile) { Check(p, Options{}) }) }

func benchmarkGame(b *testing.B, do func(Pile)) {
	text, err := os.ReadFile(filepath.Join(testdata, "game-beacon.txt"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		var p Pile
		p.Add("x", string(text))
		do(p)
	}
}
