package pbem_test

import (
	"context"
	"sync"
	"testing"
	"time"

	drawn "pbemd/engine/scene"
	"pbemd/pbem"
	"pbemd/pbem/pbemtest"
)

// preparing is a reporter that notes what is prepared.
type preparing struct {
	pbem.Reporter
	mu    sync.Mutex
	maps  map[*drawn.Map]bool
	langs []string
	done  chan struct{}
}

func (p *preparing) Prepare(m *drawn.Map, lang string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.maps[m] = true
	if p.langs = append(p.langs, lang); len(p.langs) == 2 {
		close(p.done)
	}
	return nil
}

// The maps of the games in play are drawn when the server starts: once a
// language, however many games there are and whatever their options.
func TestMapsArePreparedAtStart(t *testing.T) {
	p := &preparing{maps: map[*drawn.Map]bool{}, done: make(chan struct{})}
	w := pbemtest.NewWorld(t, func(w *pbemtest.World) { p.Reporter = w.Config.Reporter; w.Config.Reporter = p }, pbem.Games()...)
	for i, options := range []string{`{}`, `{"open":true}`, `{"heights":true}`} {
		w.Take(pbem.Founding{Rules: "blitz41", Options: []byte(options), Terms: pbem.Terms{NoJoin: true, Seed: "word"}, Seats: []pbem.Seat{
			{Side: "axis", Name: "A", Address: "a@players.example", Lang: "en"},
			{Side: "soviet", Name: "S", Address: "s@players.example", Lang: []string{"en", "de", "en"}[i]},
		}})
	}
	w.Take(pbem.Founding{Rules: "dice", Terms: pbem.Terms{NoJoin: true, Seed: "word"}, Seats: []pbem.Seat{
		{Side: "white", Name: "A", Address: "a@players.example", Lang: "de"}, {Side: "black", Name: "B", Address: "b@players.example"}}})
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
	defer stop()
	ended := make(chan error)
	go func() { ended <- w.Office.Run(ctx, w.Box, w.Post, pbem.Pace{}) }()
	select {
	case <-p.done:
	case <-ctx.Done():
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if len(p.langs) != 2 || len(p.maps) != 1 || p.langs[0] == p.langs[1] {
		t.Errorf("prepared: %d maps, languages %v", len(p.maps), p.langs)
	}
}
