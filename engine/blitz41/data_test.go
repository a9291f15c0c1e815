package blitz41

import (
	"sync"
	"testing"

	"pbemd/engine"
)

// shippedOnce is the data set of the repository. It isn't changed by anybody.
var shippedOnce = sync.OnceValues(func() (*Data, error) { return Load(DataFiles()) })

func shipped(t testing.TB) *Data {
	t.Helper()
	d, err := shippedOnce()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestShippedDataLoads(t *testing.T) {
	d := shipped(t)
	pieces := 0
	for _, u := range d.Units {
		pieces += u.Pieces
	}
	if len(d.Units) != 126 || pieces != 184 {
		t.Errorf("%d units, %d pieces", len(d.Units), pieces)
	}
	if got := d.CRT[3][4].String(); d.Columns.Name(4) != "3-1" || got != "0/3" {
		t.Errorf("%s, die 3: %s", d.Columns.Name(4), got)
	}
	if h, ok := d.Named("MOSCOW"); !ok || d.Board.At(h).String() != "K5" {
		t.Error("Moscow is not at K5")
	}
}

func TestBeginPutsEverybodyInPlace(t *testing.T) {
	r := New(shipped(t), Options{})
	p, events, err := engine.Begin(r, engine.Env{})
	if err != nil {
		t.Fatal(err)
	}
	if s := p.State(); s.Side != Axis || s.Turn != 1 || s.Phase != "assault" {
		t.Errorf("state %+v", s)
	}
	for _, e := range events {
		rec, err := r.Codec().Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		back, err := r.Codec().Decode(rec)
		if err != nil {
			t.Fatal(err)
		}
		if i, same := engine.SameEvents([]engine.Event{e}, []engine.Event{back}); !same {
			t.Errorf("event %d: %+v came back as %+v", i, e, back)
		}
	}
}
