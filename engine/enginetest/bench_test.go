package enginetest

import (
	"sync"
	"testing"

	"pbemd/engine"
	"pbemd/engine/blitz41"
)

// recorded is a whole game by random play, played once for all benchmarks.
var recorded = sync.OnceValues(func() (*Played, error) {
	d, err := shippedOnce()
	if err != nil {
		return nil, err
	}
	return playOne(d, 3)
})

func game(t testing.TB) (*blitz41.Rules, *Played) {
	t.Helper()
	g, err := recorded()
	if err != nil {
		t.Fatal(err)
	}
	return blitz41.New(shipped(t), B41Options(g.Seed)), g
}

// TestAgain: carried out once more, the orders of a game lead to the position
// they led to.
func TestAgain(t *testing.T) {
	rules, g := game(t)
	p, err := g.Again(rules)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := rules.FormatState(p), rules.FormatState(g.Position); got != want {
		t.Error(differs(want, got))
	}
}

// BenchmarkReplayEvents reads the records of a whole game and applies them.
func BenchmarkReplayEvents(b *testing.B) {
	rules, g := game(b)
	var records []engine.Record
	for _, e := range g.Events {
		r, err := rules.Codec().Encode(e)
		if err != nil {
			b.Fatal(err)
		}
		records = append(records, r)
	}
	b.ReportAllocs()
	b.ReportMetric(float64(len(records)), "events/game")
	for b.Loop() {
		p := rules.Empty()
		for _, r := range records {
			e, err := rules.Codec().Decode(r)
			if err != nil {
				b.Fatal(err)
			}
			p.Apply(e)
		}
		if p.State() != g.Position.State() {
			b.Fatal("another position")
		}
	}
}

// BenchmarkReapplyOrders carries out the orders of a whole game again.
func BenchmarkReapplyOrders(b *testing.B) {
	rules, g := game(b)
	b.ReportAllocs()
	n := 0
	clock := newClock()
	for b.Loop() {
		p, err := g.Again(rules)
		if err != nil || p.State() != g.Position.State() {
			b.Fatal(err, p.State())
		}
		n += len(g.Orders)
	}
	clock.report(b, n, "orders")
	b.ReportMetric(float64(len(g.Orders)), "orders/game")
}
