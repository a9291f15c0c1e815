package enginetest

import (
	"errors"
	"fmt"
	"strings"

	"pbemd/engine"
)

// Proposer makes orders that may be legal, and standing orders.
type Proposer interface {
	// Propose gives an order for the side to act. It may be illegal.
	Propose(p engine.Position) engine.Order
	// Close gives the order that ends the phase.
	Close(p engine.Position) engine.Order
	// Told says what became of an order: its events, or why it was refused.
	Told(o engine.Order, events []engine.Event, no *engine.Refusal)
	// Standing gives standing orders for a side.
	Standing(p engine.Position, s engine.Side) []engine.Order
}

// Fortune may be a Proposer's too: facts that befall a game between two phases,
// so that random play sees positions it would never reach.
type Fortune interface {
	Befall(p engine.Position) []engine.Fact
}

// Checker finds broken laws.
type Checker interface {
	// Event looks at the position before and after an event.
	Event(before, after engine.Position, e engine.Event) error
	// Order looks at the position after a finished order.
	Order(p engine.Position) error
}

// Played is a game that was played.
type Played struct {
	Seed     uint64
	Orders   []engine.Order // in the order they were carried out
	Events   []engine.Event
	Position engine.Position
	Log      []string // orders and standing orders as text, for [Script]
	Refused  int      // proposals that the dry run refused
	Asked    int      // questions answered at random
	Steps    []Step   // what Again needs
}

// Step is one order of a played game, or what befell it between two phases.
type Step struct {
	Befell  []engine.Event
	Order   engine.Order
	Env     engine.Env
	Answers []engine.Answer
}

// Again carries out all orders of a played game once more, each by
// [engine.Do], and returns the position they lead to.
func (g *Played) Again(game engine.Game) (engine.Position, error) {
	p, events, err := engine.Begin(game, engine.Env{Dice: seeded(g.Seed)})
	if err != nil {
		return nil, err
	}
	seq := len(events)
	for _, s := range g.Steps {
		if s.Befell != nil {
			p = p.Clone()
			for _, e := range s.Befell {
				p.Apply(e)
			}
			seq += len(s.Befell)
			continue
		}
		next, events, err := engine.Do(game, p, seq, s.Order, s.Env, s.Answers)
		if err != nil {
			return p, fmt.Errorf("%s: %w", s.Order.Text, err)
		}
		p, seq = next, seq+len(events)
	}
	return p, nil
}

// Tail is the last orders, for a report of what went wrong.
func (g *Played) Tail(n int) string {
	var b strings.Builder
	for _, o := range g.Orders[max(0, len(g.Orders)-n):] {
		fmt.Fprintf(&b, "%s: %s\n", o.Side, o.Text)
	}
	return b.String()
}

// Bounds of random play: how many orders a phase gets at most, how many
// refusals in a row make the player close it, and how many make a dead end.
const (
	maxOrders   = 120
	maxRefusals = 150
	deadEnd     = 3000
	maxSerial   = 200
)

// Play plays a whole game at random. With pauses every order is run again: once
// as it is, and once with each question mailed. The error names the law that
// was broken.
func Play(g engine.Game, seed uint64, who Proposer, law Checker, pauses bool) (played *Played, err error) {
	played = &Played{Seed: seed}
	r := Random(seed ^ 0xa5a5a5a5)
	dice := seeded(seed)
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("panic: %v\n%s", x, stack())
		}
	}()
	env := engine.Env{Dice: dice, Standing: map[engine.Side][]engine.Order{}}
	p, events, err := engine.Begin(g, env)
	if err != nil {
		return played, err
	}
	played.Events, played.Position = events, p
	if err := played.check(g.Empty(), events, law); err != nil {
		return played, err
	}
	serial, orders, refused := 0, 0, 0
	for !p.State().Over {
		if s := p.State(); s.Serial != serial {
			if s.Serial > maxSerial {
				return played, fmt.Errorf("the game doesn't end: phase %d", s.Serial)
			}
			serial, orders, refused = s.Serial, 0, 0
			if f, ok := who.(Fortune); ok {
				var events []engine.Event
				next := p.Clone()
				for _, fact := range f.Befall(p) {
					events = append(events, engine.Event{Seq: len(played.Events) + len(events) + 1, Fact: fact})
					next.Apply(events[len(events)-1])
				}
				if err := played.check(p, events, law); err != nil {
					return played, err
				}
				played.Events = append(played.Events, events...)
				if len(events) > 0 {
					played.Steps = append(played.Steps, Step{Befell: events})
				}
				p, played.Position = next, next
			}
			played.Log = append(played.Log, "phase")
			env.Standing = map[engine.Side][]engine.Order{}
			for _, side := range g.Seats() {
				env.Standing[side] = who.Standing(p, side)
				for _, o := range env.Standing[side] {
					played.Log = append(played.Log, "standing "+string(side)+" "+o.Text)
				}
			}
		}
		closing := orders >= maxOrders || refused > 0 && refused%maxRefusals == 0
		var o engine.Order
		if closing {
			o = who.Close(p)
			orders = 0
		} else {
			o = who.Propose(p)
		}
		dry := env
		dry.Dice = nil
		seq := len(played.Events)
		_, _, err := engine.Do(g, p, seq, o, dry, nil)
		if err != nil && !engine.Dicey(err) {
			var no *engine.Refusal
			if !errors.As(err, &no) {
				return played, fmt.Errorf("%s: %w", o.Text, err)
			}
			refused++
			played.Refused++
			who.Told(o, nil, no)
			if refused > deadEnd {
				return played, fmt.Errorf("dead end: %s is refused: %v", o.Text, err)
			}
			continue
		}
		asking := env
		if r.Chance(30) {
			asking.AskActing = true
			bits := r.Next()
			asking.Asks = func(s engine.Side, decision string) bool {
				h := Random(bits + uint64(len(decision))*31 + uint64(decision[len(decision)-1]))
				return h.Chance(60)
			}
		}
		next, done, answers, err := played.run(g, p, seq, o, asking, &r)
		played.Orders = append(played.Orders, o)
		played.Log = append(played.Log, "order "+string(o.Side)+" "+o.Text)
		if err != nil {
			return played, fmt.Errorf("%s passed the dry run and was refused: %w", o.Text, err)
		}
		played.Steps = append(played.Steps, Step{Order: o, Env: asking, Answers: answers})
		if pauses {
			if err := again(g, p, seq, o, env, asking, answers, done); err != nil {
				return played, fmt.Errorf("%s: %w", o.Text, err)
			}
		}
		played.Events = append(played.Events, done...)
		if err := played.check(p, done, law); err != nil {
			return played, fmt.Errorf("%s: %w", o.Text, err)
		}
		p, played.Position = next, next
		who.Told(o, done, nil)
		orders++
		refused = 0
		if closing {
			orders = 0
		}
		if err := law.Order(p); err != nil {
			return played, fmt.Errorf("after %s: %w", o.Text, err)
		}
	}
	return played, played.replay(g)
}

// run carries an order out, answering questions at random.
func (g *Played) run(game engine.Game, p engine.Position, seq int, o engine.Order, env engine.Env, r *Random) (engine.Position, []engine.Event, []engine.Answer, error) {
	var answers []engine.Answer
	var before []engine.Event
	for {
		next, events, err := engine.Do(game, p, seq, o, env, answers)
		if at, _ := engine.SameEvents(before, events); at < len(before) {
			return next, events, answers, fmt.Errorf("after answer %d event %d came out as %v, not %v", len(answers), before[at].Seq, at, before[at].Fact)
		}
		var pause *engine.Paused
		if !errors.As(err, &pause) {
			return next, events, answers, err
		}
		before = events
		q := pause.Question
		if q.Default < 0 || q.Default >= len(q.Options) || len(q.Options) < 2 {
			return next, events, answers, fmt.Errorf("%s: default %d of %d options", q.Decision, q.Default, len(q.Options))
		}
		if len(answers) > 500 {
			return next, events, answers, fmt.Errorf("%s: asked without end", q.Decision)
		}
		g.Asked++
		a := engine.Answer{Decision: q.Decision, Side: q.Side, Option: r.Intn(len(q.Options)), By: "answer"}
		answers = append(answers, a)
	}
}

// again checks that a run comes out the same a second time, and that pausing at
// every question changes nothing.
func again(g engine.Game, p engine.Position, seq int, o engine.Order, env, asking engine.Env, answers []engine.Answer, done []engine.Event) error {
	_, twice, err := engine.Do(g, p, seq, o, asking, answers)
	if err != nil {
		return fmt.Errorf("run again: %w", err)
	}
	if at, ok := engine.SameEvents(done, twice); !ok {
		return fmt.Errorf("run again it differs at event %d of %d", at, len(done))
	}
	// the decisions as taken, now all of them mailed
	env.AskActing = true
	env.Asks = func(engine.Side, string) bool { return true }
	var all []engine.Answer
	for _, e := range done {
		if d, ok := e.Fact.(engine.Decided); ok && (d.By == "default" || d.By == "answer") {
			all = append(all, engine.Answer{Decision: d.Decision, Side: d.Side, Option: d.Option, By: "answer"})
		}
	}
	for n := 0; n <= len(all); n++ {
		_, events, err := engine.Do(g, p, seq, o, env, all[:n])
		var pause *engine.Paused
		switch {
		case n < len(all) && !errors.As(err, &pause):
			return fmt.Errorf("with %d of %d answers it didn't ask for %s: %v", n, len(all), all[n].Decision, err)
		case n == len(all) && err != nil:
			return fmt.Errorf("with all answers: %w", err)
		}
		at, ok := sameButWho(done, events)
		if n == len(all) && !ok || at < len(events) {
			return fmt.Errorf("with %d answers event %d differs", n, at)
		}
	}
	return nil
}

// check applies events one by one and looks at each.
func (g *Played) check(p engine.Position, events []engine.Event, law Checker) error {
	before := p.Clone()
	after := p.Clone()
	for _, e := range events {
		after.Apply(e)
		if err := law.Event(before, after, e); err != nil {
			return fmt.Errorf("event %d %s %v: %w", e.Seq, e.Fact.Kind(), e.Fact, err)
		}
		before.Apply(e)
	}
	return nil
}

// replay checks that the log alone gives the position, also after it has been
// written and read.
func (g *Played) replay(game engine.Game) error {
	want := game.FormatState(g.Position)
	if got := game.FormatState(engine.Replay(game, g.Events)); got != want {
		return fmt.Errorf("replayed, the position is another:\n%s", differs(want, got))
	}
	var read []engine.Event
	for i, e := range g.Events {
		if e.Seq != i+1 {
			return fmt.Errorf("event %d has the number %d", i+1, e.Seq)
		}
		rec, err := game.Codec().Encode(e)
		if err != nil {
			return err
		}
		back, err := game.Codec().Decode(rec)
		if err != nil {
			return err
		}
		read = append(read, back)
	}
	if got := game.FormatState(engine.Replay(game, read)); got != want {
		return fmt.Errorf("written and read, the position is another:\n%s", differs(want, got))
	}
	parsed, err := game.ParseState(want)
	if err != nil {
		return fmt.Errorf("the notation of the last position can't be read: %w", err)
	}
	if got := game.FormatState(parsed); got != want {
		return fmt.Errorf("the notation isn't stable:\n%s", differs(want, got))
	}
	return nil
}

// differs shows the lines of two texts that differ.
func differs(want, got string) string {
	count := map[string]int{}
	for _, s := range strings.Split(want, "\n") {
		count[s]--
	}
	for _, s := range strings.Split(got, "\n") {
		count[s]++
	}
	var out strings.Builder
	for _, s := range strings.Split(want+"\n"+got, "\n") {
		for ; count[s] < 0; count[s]++ {
			fmt.Fprintf(&out, "- %s\n", s)
		}
		for ; count[s] > 0; count[s]-- {
			fmt.Fprintf(&out, "+ %s\n", s)
		}
	}
	return out.String()
}
