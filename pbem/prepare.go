package pbem

import (
	"context"
	"slices"

	"pbemd/engine/scene"
)

// Preparer is a [Reporter] that can draw what its pictures have in common
// before a mail waits for them: the printed map with the words of a language.
type Preparer interface {
	Prepare(m *scene.Map, lang string) error
}

// maxPrepared is for how many maps and languages that is done.
const maxPrepared = 4

// prepare has the maps of the games in play drawn, the latest games first.
func (o *Office) prepare(ctx context.Context) {
	w, ok := o.cfg.Reporter.(Preparer)
	if !ok {
		return
	}
	type sheet struct {
		m    *scene.Map
		lang string
	}
	var wanted []sheet
	had := map[sheet]bool{}
	for _, g := range o.latest(100) {
		if g.Stage == Over || g.Stage == Closed {
			continue
		}
		o.mu.Lock()
		play, err := o.play(&g)
		o.mu.Unlock()
		if err != nil {
			o.cfg.Log.Warn("a game can't be prepared", "game", g.ID, "err", err)
			continue
		}
		m := play.View(play.Empty(), "").Scene.Map
		for _, s := range g.Seats {
			k := sheet{m, s.Lang}
			if m != nil && !had[k] && len(wanted) < maxPrepared {
				had[k] = true
				wanted = append(wanted, k)
			}
		}
	}
	for _, k := range wanted {
		if ctx.Err() != nil {
			return
		}
		if err := w.Prepare(k.m, k.lang); err != nil {
			o.cfg.Log.Warn("a map can't be prepared", "lang", k.lang, "err", err)
		}
	}
}

// latest are the last n games, the latest first.
func (o *Office) latest(n int) []Game {
	next, err := o.cfg.Archive.NextGame()
	if err != nil {
		o.cfg.Log.Warn("the games can't be listed", "err", err)
		return nil
	}
	after := GameID(0)
	if next > GameID(n)+1 {
		after = next - 1 - GameID(n)
	}
	list, err := o.cfg.Archive.Games(after, n)
	if err != nil {
		o.cfg.Log.Warn("the games can't be listed", "err", err)
		return nil
	}
	slices.Reverse(list)
	return list
}
