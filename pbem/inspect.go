package pbem

import (
	"context"
	"fmt"

	"pbemd/engine"
	"pbemd/engine/dice"
)

// Looked is a game as the operator looks at it.
type Looked struct {
	Game     Game
	Play     Play
	Position engine.Position
	Events   []engine.Event // those that count
}

// Look puts a game on the table for the operator. What it returns is his own.
func (o *Office) Look(_ context.Context, id GameID) (Looked, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	t, err := o.open(id)
	if err != nil {
		return Looked{}, err
	}
	return Looked{Game: t.Game, Play: t.play, Position: t.pos.Clone(), Events: append([]engine.Event(nil), t.events...)}, nil
}

// Replayed is the outcome of running a game's orders again.
type Replayed struct {
	Bursts  int   // run again and compared
	Events  int   // compared
	Undone  []int // bursts that were taken back
	Other   []int // bursts played by another version of the rules
	Differs int   // the first burst that came out otherwise, 0: none
	Event   int   // the first event of it that does
	Got     string
	Want    string
}

// Replay runs every order of a game again, with the same dice, standing orders
// and answers, and compares the events with the log. progress, if not nil, is
// called before each burst.
func (o *Office) Replay(ctx context.Context, id GameID, progress func(burst, of int)) (Replayed, error) {
	var r Replayed
	o.mu.Lock()
	defer o.mu.Unlock()
	t, err := o.open(id)
	if err != nil {
		return r, err
	}
	beacons := map[int][]byte{}
	records, err := o.cfg.Archive.Records(id, 0)
	if err != nil {
		return r, fmt.Errorf("records of game %v: %w", id, err)
	}
	for _, s := range records {
		rec, err := dice.Parse([]byte(s.Text))
		if err != nil {
			return r, fmt.Errorf("record %d of game %v: %w", s.N, id, err)
		}
		if step, ok := rec.Body.(dice.Step); ok {
			beacons[step.Step] = step.Beacon
		}
	}
	pos, at := t.play.Empty(), 0
	for n := 1; n <= t.Bursts; n++ {
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		if progress != nil {
			progress(n, t.Bursts)
		}
		b, err := o.burst(t, n)
		if err != nil {
			return r, err
		}
		switch {
		case t.Pending != nil && t.Pending.Burst == n:
			continue // under way
		case b.Undone:
			r.Undone = append(r.Undone, n)
			continue
		case b.Version != t.play.Version():
			r.Other = append(r.Other, n)
			continue
		}
		for ; at < len(t.events) && t.events[at].Seq <= b.From; at++ {
			pos.Apply(t.events[at])
		}
		var cup engine.Dice
		if b.Step > 0 {
			c, err := t.dice.Cup(b.Step, beacons[b.Step])
			if err != nil {
				return r, fmt.Errorf("dice of step %d of game %v: %w", b.Step, id, err)
			}
			cup = c
		}
		got, err := o.playAgain(t, &b, pos, cup)
		if err != nil {
			return r, err
		}
		end := at
		for end < len(t.events) && t.events[end].Seq <= b.To {
			end++
		}
		want := t.events[at:end]
		if b.Cut {
			got = got[:min(len(got), len(want))]
		}
		r.Bursts++
		r.Events += len(want)
		if i, same := engine.SameEvents(got, want); !same {
			r.Differs, r.Event = n, b.From+i+1
			r.Got, r.Want = eventText(got, i), eventText(want, i)
			return r, nil
		}
	}
	return r, nil
}

// playAgain is what a whole burst does from a position.
func (o *Office) playAgain(t *table, b *Burst, pos engine.Position, cup engine.Dice) ([]engine.Event, error) {
	if b.Side == "" && b.N == 1 {
		_, events, err := engine.Begin(t.play.Game, engine.Env{Dice: cup})
		return events, err
	}
	list, err := t.orders(b)
	if err != nil {
		return nil, err
	}
	var answers []engine.Answer
	for _, g := range b.Answers {
		a := g.Answer
		a.Clauses = t.standing(a.Side, g.Lines)
		answers = append(answers, a)
	}
	run := engine.Execute(t.play.Game, pos, b.From, list, 0, t.env(b, cup), answers)
	return run.Events, nil
}

func eventText(list []engine.Event, i int) string {
	if i >= len(list) {
		return "nothing"
	}
	return fmt.Sprintf("%s %+v", list[i].Fact.Kind(), list[i].Fact)
}
