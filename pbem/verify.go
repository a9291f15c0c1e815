package pbem

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"pbemd/engine"
	"pbemd/engine/dice"
	"pbemd/templates"
)

// Verified is what [Verify] found out.
type Verified struct {
	Dice   dice.Report
	Rules  string
	Played bool  // the transcript holds what was played, and it was played again
	Bursts int   // played again and compared
	Steps  int   // of these with dice
	Events int   // compared
	Undone int   // sheets that their players took back
	Other  []int // sheets played by another version of the rules: not compared
	Fault  error // the first thing that doesn't hold; a *dice.Fault if it is the dice
}

// String is the outcome for the rules in a line.
func (v Verified) String() string {
	switch {
	case v.Fault != nil:
		return "FAULT rules: " + v.Fault.Error()
	case !v.Played:
		return "the transcript ends before the game does: the rules can be played again when it is over"
	}
	s := fmt.Sprintf("OK rules of %s: %d sheets and %d steps played again, %d events and the final position the same", v.Rules, v.Bursts-v.Steps, v.Steps, v.Events)
	if v.Undone > 0 {
		s += fmt.Sprintf("; %d taken back by their players", v.Undone)
	}
	if len(v.Other) > 0 {
		s += fmt.Sprintf("; not compared, since played by another version of the rules: %v", v.Other)
	}
	return s
}

// Verify checks a transcript: the dice as dicecheck does, and then every order is
// carried out again by the rules, with dice that follow from the records alone,
// and each event and the final position are compared. extra has data files that
// neither the rules ship nor the transcript holds; it may be nil.
//
// What the records don't bind is taken from the second part of the transcript
// under the server's signature: which sheets their players took back before a
// die was thrown, the standing orders of the side that acts, and which decisions
// a seat wanted mailed.
//
// An error means that the transcript can't be verified at all.
func Verify(text string, rules []Rules, extra fs.FS) (Verified, error) {
	var v Verified
	proof, play := splitPlay(text)
	var pile dice.Pile
	pile.Add("the transcript", proof)
	reports := dice.Check(pile, dice.Options{})
	if len(reports) != 1 {
		return v, fmt.Errorf("a transcript holds one game, this one %d", len(reports))
	}
	v.Dice = reports[0]
	if v.Dice.Fault != nil {
		v.Fault = v.Dice.Fault
		return v, nil
	}
	if play == "" {
		if v.Dice.Ended {
			return v, fmt.Errorf("the transcript of game %s holds no record of play", v.Dice.Game)
		}
		return v, nil
	}
	c := &verifier{v: &v, text: play, pile: pile}
	if err := c.read(); err != nil {
		v.Fault = err
		return v, nil
	}
	if err := c.load(rules, extra); err != nil {
		return v, err
	}
	v.Rules, v.Played = c.head.Rules, true
	v.Fault = c.replay()
	return v, nil
}

// verifier plays one transcript again.
type verifier struct {
	v    *Verified
	text string
	pile dice.Pile

	head   playHead
	bursts []playBurst
	end    playEnd

	t      *table // the game as the office would have it, without store and secrets
	start  dice.Start
	opened []dice.Entry // sheet and close records, in order
	steps  map[int]dice.Step
	void   map[int]bool
	orders map[dice.Hash]map[string][]string
}

// read takes the play part to pieces and checks its signature.
func (c *verifier) read() error {
	lines := strings.SplitAfter(strings.TrimSuffix(c.text, "\n"), "\n")
	if len(lines) < 3 {
		return fmt.Errorf("the record of play is cut off")
	}
	strict := func(line string, into any) error {
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		return d.Decode(into)
	}
	last := len(lines) - 1
	var sig playSig
	if err := strict(lines[last], &sig); err != nil {
		return fmt.Errorf("the record of play is cut off: its signature is missing")
	}
	c.index()
	raw, err := base64.StdEncoding.DecodeString(sig.Sig)
	if err != nil || !ed25519.Verify(c.key(), playMessage(c.v.Dice.Head, []byte(strings.Join(lines[:last], ""))), raw) {
		return fmt.Errorf("the record of play was changed after the server signed it, or the server didn't")
	}
	if err := strict(lines[0], &c.head); err != nil {
		return fmt.Errorf("the head of the record of play: %w", err)
	}
	if err := strict(lines[last-1], &c.end); err != nil {
		return fmt.Errorf("the end of the record of play: %w", err)
	}
	for i, l := range lines[1 : last-1] {
		var b playBurst
		if err := strict(l, &b); err != nil {
			return fmt.Errorf("sheet %d in the record of play: %w", i+1, err)
		}
		c.bursts = append(c.bursts, b)
	}
	switch {
	case c.head.Play != 1:
		return fmt.Errorf("the record of play has the form %d, known here is 1", c.head.Play)
	case c.head.Game != c.start.Game || c.head.Rules != c.start.Rules:
		return fmt.Errorf("the record of play is of game %s of %s, the proof of game %s of %s", c.head.Game, c.head.Rules, c.start.Game, c.start.Rules)
	}
	return nil
}

// index puts the records into order for looking things up.
func (c *verifier) index() {
	c.steps, c.void, c.orders = map[int]dice.Step{}, map[int]bool{}, map[dice.Hash]map[string][]string{}
	for _, e := range c.v.Dice.Chain {
		switch b := e.Record.Body.(type) {
		case dice.Start:
			c.start = b
		case dice.Sheet, dice.Close:
			c.opened = append(c.opened, e)
		case dice.Step:
			c.steps[b.Step] = b // after a rollback the later one counts
		case dice.Amend:
			if b.What == dice.Void {
				c.void[b.Step] = true
			}
		}
	}
	for _, f := range c.pile.Orders {
		if o, err := dice.ParseOrders([]byte(f.Text)); err == nil {
			if c.orders[o.Record] == nil {
				c.orders[o.Record] = map[string][]string{}
			}
			c.orders[o.Record][o.Player] = o.Lines
		}
	}
}

// key is the server's key at the end of the game.
func (c *verifier) key() ed25519.PublicKey {
	key := c.start.Key
	for _, e := range c.v.Dice.Chain {
		if a, ok := e.Record.Body.(dice.Amend); ok && a.Key != nil {
			key = a.Key
		}
	}
	return key
}

// load makes the game of the data whose digests the start record has.
func (c *verifier) load(rules []Rules, extra fs.FS) error {
	i := slices.IndexFunc(rules, func(r Rules) bool { return r.ID == c.head.Rules })
	if i < 0 {
		return fmt.Errorf("game %s is of the rules %q, which this pbemd doesn't have", c.head.Game, c.head.Rules)
	}
	set, bound := files{}, false
	for _, d := range c.start.Data {
		if d.Name == optionsFile {
			if sha256.Sum256(c.head.Options) != d.Digest {
				return fmt.Errorf("the options of game %s aren't those that its start record names", c.head.Game)
			}
			bound = true
			continue
		}
		b, ok := c.file(d, rules[i].Files(), extra)
		if !ok {
			return fmt.Errorf("the data file %s of game %s, with the digest %s, is neither shipped nor in the transcript; give its folder with --data", d.Name, c.head.Game, d.Digest)
		}
		set[d.Name] = b
	}
	if len(c.head.Options) > 0 && !bound {
		return fmt.Errorf("game %s has options that its start record doesn't name", c.head.Game)
	}
	play, err := rules[i].Load(set, c.head.Options)
	if err != nil {
		return fmt.Errorf("load game %s: %w", c.head.Game, err)
	}
	c.t = &table{play: play}
	for _, s := range play.Seats() {
		c.t.Seats = append(c.t.Seats, Seat{Side: s})
	}
	return nil
}

// file finds the data file of a digest.
func (c *verifier) file(d dice.DataFile, shipped, extra fs.FS) ([]byte, bool) {
	if b, ok := c.head.Files[d.Name]; ok && sha256.Sum256(b) == d.Digest {
		return b, true
	}
	for _, from := range []fs.FS{shipped, extra} {
		if from == nil {
			continue
		}
		if b, err := fs.ReadFile(from, d.Name); err == nil && sha256.Sum256(b) == d.Digest {
			return b, true
		}
	}
	return nil, false
}

// replay carries out every sheet again.
func (c *verifier) replay() error {
	if len(c.bursts) != len(c.opened) {
		return fmt.Errorf("%d sheets and closes are in the proof, %d in the record of play", len(c.opened), len(c.bursts))
	}
	pos, seq := c.t.play.Empty(), 0
	for i := range c.bursts {
		b := &c.bursts[i]
		if err := c.bound(i, b); err != nil {
			return fmt.Errorf("sheet %d: %w", i+1, err)
		}
		if b.Undone {
			c.v.Undone++
			continue
		}
		next, n, err := c.burst(b, pos, seq)
		if err != nil {
			return fmt.Errorf("sheet %d%s: %w", b.Burst, ofStep(b.Step), err)
		}
		pos, seq = next, n
	}
	if got := c.t.play.FormatState(pos); got != c.end.Position {
		return fmt.Errorf("the final position comes out otherwise: %s", firstDifference(got, c.end.Position))
	}
	return c.result(pos)
}

func ofStep(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", step %d", n)
}

// result compares the end record with the position.
func (c *verifier) result(pos engine.Position) error {
	english, err := templates.Load("en")
	if err != nil {
		return err
	}
	e, ok := c.v.Dice.Chain[len(c.v.Dice.Chain)-1].Record.Body.(dice.End)
	switch want := english.Say(c.t.play.View(pos, "").Title); {
	case !ok:
		return fmt.Errorf("the record of play is there, and yet the game isn't over")
	case e.Result == closedResult && !pos.State().Over:
	case !pos.State().Over:
		return fmt.Errorf("by the rules the game isn't over")
	case e.Result != want && len(c.v.Other) == 0:
		return fmt.Errorf("the result is %q in the end record and %q by the rules", e.Result, want)
	}
	return nil
}

// bound compares a sheet of the record of play with what the signed records say
// of it.
func (c *verifier) bound(i int, b *playBurst) error {
	e := c.opened[i]
	var lines []string
	for _, l := range b.Lines {
		lines = append(lines, l.Text)
	}
	same := func(player string, sealed bool, want []string) error {
		got, shown := c.orders[e.Hash][player]
		switch {
		case sealed != (len(want) > 0):
			return fmt.Errorf("the orders of %s are %q, unlike its %s", player, want, e.Record.What())
		case sealed && !shown:
			return fmt.Errorf("the orders of %s aren't in the transcript", player)
		case sealed && !slices.Equal(got, want):
			return fmt.Errorf("the orders of %s are %q, sealed were %q", player, want, got)
		}
		return nil
	}
	switch r := e.Record.Body.(type) {
	case dice.Sheet:
		if b.Step != 0 || r.Side != string(b.Side) {
			return fmt.Errorf("it isn't that of its %s", e.Record.What())
		}
		return same(r.Side, true, lines)
	case dice.Close:
		side := string(b.Side)
		if b.Side == "" {
			side = dice.Nobody
		}
		if b.Step != r.Step || r.Side != side {
			return fmt.Errorf("it isn't that of its %s", e.Record.What())
		}
		for _, s := range r.Seats {
			want := b.Standing[engine.Side(s.Player)]
			if s.Player == side {
				want = lines
			}
			if b.Side == "" {
				want = nil
			}
			if err := same(s.Player, s.C != nil, want); err != nil {
				return err
			}
		}
		if c.void[r.Step] != b.Undone {
			return fmt.Errorf("step %d was taken back by an amendment, or by the record of play, and not by both", r.Step)
		}
	}
	return nil
}

// burst plays a sheet again and compares.
func (c *verifier) burst(b *playBurst, pos engine.Position, seq int) (engine.Position, int, error) {
	var want []engine.Event
	for i, r := range b.Events {
		e, err := c.t.play.Codec().Decode(r)
		if err != nil {
			return nil, 0, err
		}
		if e.Seq != seq+i+1 {
			return nil, 0, fmt.Errorf("event %d follows event %d", e.Seq, seq+i)
		}
		want = append(want, e)
	}
	var cup engine.Dice
	if b.Step > 0 {
		step := c.steps[b.Step]
		if step.Rules != b.Version {
			return nil, 0, fmt.Errorf("it was played by version %d of the rules, says the record of play; its step record says %d", b.Version, step.Rules)
		}
		if err := sameRolls(want, step.Rolls); err != nil {
			return nil, 0, err
		}
		if err := sameAnswers(b, want, step.Answers); err != nil {
			return nil, 0, err
		}
		closed := c.closed(b.Step)
		cup = key{dice.StepKey(c.start.Game, b.Step, closed.D, step.Dice, step.Beacon)}
	}
	end := seq + len(want)
	if b.Version != c.t.play.Version() {
		c.v.Other = append(c.v.Other, b.Burst)
		return apply(pos, want), end, nil
	}
	run, err := c.again(b, pos, seq, cup)
	if err != nil {
		return nil, 0, err
	}
	if run.Question != nil {
		return nil, 0, fmt.Errorf("it asks %s, and no answer is recorded", run.Question.Decision)
	}
	got := run.Events
	if b.Cut {
		got = got[:min(len(got), len(want))]
	}
	if i, same := engine.SameEvents(got, want); !same {
		return nil, 0, fmt.Errorf("event %d comes out otherwise: by the rules %s, recorded %s", seq+i+1, eventText(got, i), eventText(want, i))
	}
	c.v.Bursts++
	c.v.Events += len(want)
	if b.Step > 0 {
		c.v.Steps++
	}
	if b.Cut {
		return apply(pos, want), end, nil
	}
	return run.Position, end, nil
}

func apply(pos engine.Position, events []engine.Event) engine.Position {
	pos = pos.Clone()
	for _, e := range events {
		pos.Apply(e)
	}
	return pos
}

func (c *verifier) closed(step int) dice.Close {
	for _, e := range c.opened {
		if r, ok := e.Record.Body.(dice.Close); ok && r.Step == step {
			return r
		}
	}
	return dice.Close{}
}

// key is the dice of a step as the records alone give them.
type key struct{ dice.Key }

// again carries out a sheet with the answers that are recorded.
func (c *verifier) again(b *playBurst, pos engine.Position, seq int, cup engine.Dice) (engine.Execution, error) {
	if b.Side == "" && b.Burst == 1 {
		next, events, err := engine.Begin(c.t.play.Game, engine.Env{Dice: cup})
		return engine.Execution{Position: next, Events: events}, err
	}
	full := &Burst{N: b.Burst, Side: b.Side, Lines: b.Lines, Standing: b.Standing, Ask: b.Ask}
	list, err := c.t.orders(full)
	if err != nil {
		return engine.Execution{}, err
	}
	var answers []engine.Answer
	for _, g := range b.Answers {
		a := g.Answer
		a.Clauses = c.t.standing(a.Side, g.Lines)
		answers = append(answers, a)
	}
	return engine.Execute(c.t.play.Game, pos, seq, list, 0, c.t.env(full, cup), answers), nil
}

// sameRolls compares the rolls among events with those that the step record
// lists.
func sameRolls(events []engine.Event, want []dice.Roll) error {
	n := 0
	for _, e := range events {
		r, ok := e.Fact.(engine.Rolled)
		if !ok {
			continue
		}
		if n == len(want) {
			return fmt.Errorf("the roll %s isn't in its step record", r.Label)
		}
		if w := want[n]; w.Label != r.Label || w.Sides != r.Sides || w.Deck != r.Deck || !w.Hidden && !slices.Equal(w.Values, r.Values) {
			return fmt.Errorf("the roll %s is %v; in the step record %s is %v", r.Label, r.Values, w.Label, w.Values)
		}
		n++
	}
	if n < len(want) {
		return fmt.Errorf("the roll %s of its step record isn't among the events", want[n].Label)
	}
	return nil
}

// sameAnswers compares the answers with those that the step record lists, and
// what they were taken for with what they say.
func sameAnswers(b *playBurst, events []engine.Event, want []dice.Answer) error {
	if len(b.Answers) != len(want) {
		return fmt.Errorf("%d answers are recorded, %d are in its step record", len(b.Answers), len(want))
	}
	for i, g := range b.Answers {
		if string(g.Side) != want[i].Player || g.Text != want[i].Text {
			return fmt.Errorf("answer %d is %q of %s; in the step record %q of %s", i+1, g.Text, g.Side, want[i].Text, want[i].Player)
		}
		first, below, _ := strings.Cut(g.Text, "\n")
		words := strings.Fields(first)
		if g.By == "answer" && len(words) == 3 && words[0] == "ANSWER" && len(words[2]) == 1 && g.Option != int(words[2][0]-'A') {
			return fmt.Errorf("the answer %q was taken for option %s", first, OptionLetter(max(0, g.Option)))
		}
		if told := strings.Join(g.Lines, "\n"); g.By == "answer" && !strings.HasSuffix(told, below) {
			return fmt.Errorf("with the answer %q came %q, taken was %q", first, below, told)
		}
		for _, e := range events {
			d, ok := e.Fact.(engine.Decided)
			if ok && d.By == "deadline" && d.Source == g.Text && g.Text != "deadline: "+d.Clause {
				return fmt.Errorf("%q was taken for %s", g.Text, d.Clause)
			}
		}
	}
	return nil
}

// firstDifference shows the first lines that two texts don't share.
func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(a), len(b)) {
		var x, y string
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			return fmt.Sprintf("line %d is %q by the rules, recorded %q", i+1, x, y)
		}
	}
	return "in its end"
}
