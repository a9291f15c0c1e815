package pbem

import (
	"fmt"

	"pbemd/engine"
	"pbemd/pbem/message"
)

// Filmer is a [Reporter] that can film a game: a frame for each letter, as an
// animated picture.
type Filmer interface {
	Film(frames []Letter) ([]byte, error)
}

// mailFilm is the size in bytes up to which a film goes with the last mail.
const mailFilm = 5 << 20

// Frames are the letters a film of a game is made of, as a side could have seen
// it: one a phase, each with what happened in it. They are empty for a game
// without a map.
func (l Looked) Frames(side engine.Side) []Letter {
	return frames(l.Play, l.Game, l.Events, side)
}

func frames(play Play, g Game, events []engine.Event, side engine.Side) []Letter {
	var out []Letter
	pos := play.Empty()
	before, from, serial, turn := pos.Clone(), 0, 0, 0
	ended := false // a turn has begun, and no phase in it yet
	shoot := func(to int) {
		v := play.View(pos, side)
		if v.Scene.Map != nil {
			out = append(out, Letter{
				Kind: Report, Word: WordWaiting, Game: g.ID, Rules: g.Rules, Side: side, State: pos.State(), View: &v,
				Items: play.Tell(before, events[from:to], side),
			})
		}
		before, from = pos.Clone(), to
	}
	for i, e := range events {
		next := pos.Clone()
		next.Apply(e)
		now := next.State()
		same := now.Serial == serial
		if serial != 0 && !ended && (!same || now.Turn != turn) { // a phase has ended before e
			shoot(i)
		}
		ended = same && (ended || now.Turn != turn)
		pos, serial, turn = next, now.Serial, now.Turn
	}
	if from < len(events) {
		shoot(len(events))
	}
	return out
}

// film is the film of a game that is over, as a file for its last mail; nil if
// there is none, or if it is too large.
func (w *work) film(t *table, s *Seat) *message.Attachment {
	f, ok := w.o.cfg.Reporter.(Filmer)
	if !ok {
		return nil
	}
	list := frames(t.play, t.Game, t.events, s.Side)
	if len(list) == 0 {
		return nil
	}
	for i := range list {
		list[i].Lang, list[i].Zone, list[i].Name = s.Lang, s.Zone, s.Name
	}
	b, err := f.Film(list)
	if err != nil || len(b) > mailFilm {
		w.o.cfg.Log.Warn("no film with the last mail", "game", t.ID.String(), "side", string(s.Side), "bytes", len(b), "err", err)
		return nil
	}
	return &message.Attachment{Name: fmt.Sprintf("game%v-%s.gif", t.ID, s.Side), Type: "image/gif", Data: b}
}
