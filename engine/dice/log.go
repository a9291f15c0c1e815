package dice

import (
	"crypto/ed25519"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"
)

// Log writes the records of one game, in order. It is a value in memory made
// from the secrets and the records so far; nothing is written anywhere, so a
// Log whose record could not be stored, or whose method gave an error, is thrown
// away and made anew by [Resume]. It refuses, with the fault that dicecheck would find, to write a
// record that dicecheck would refuse.
//
// All times are given; of each only the whole seconds count.
type Log struct {
	book    book
	key     ed25519.PrivateKey
	secrets []Secrets
	dice    []*Chain
	seal    []*Chain
	hidden  []*Chain
}

// Begin opens a game: it fills in what follows from the secrets and the
// signing key, and writes the start record.
func Begin(s Start, secrets Secrets, key ed25519.PrivateKey) (*Log, Record, error) {
	if secrets.Links < 1 || secrets.Links > MaxLinks {
		return nil, Record{}, fmt.Errorf("begin the dice of game %s: chains of %d links", s.Game, secrets.Links)
	}
	l := &Log{key: key}
	l.know(s.Game, secrets)
	s.Dice, s.Seal, s.Hidden = l.dice[0].Link(0), l.seal[0].Link(0), l.hidden[0].Link(0)
	s.Links, s.Key = secrets.Links, key.Public().(ed25519.PublicKey)
	s.Players = slices.Sorted(slices.Values(s.Players))
	s.Data = slices.Clone(s.Data)
	sort.Slice(s.Data, func(i, j int) bool { return s.Data[i].Name < s.Data[j].Name })
	s.Time = whole(s.Time)
	r, err := l.write(s, secrets.Mark)
	return l, r, err
}

// Resume takes up a game from its records, which are taken as this server's own
// and not checked again. There must be secrets for every set of chains that
// the records announce.
func Resume(records []Record, secrets []Secrets, key ed25519.PrivateKey) (*Log, error) {
	l := &Log{key: key}
	l.book.trust = true
	for _, r := range records {
		if f := l.book.add(r); f != nil {
			return nil, fmt.Errorf("resume the dice: %w", f)
		}
	}
	if len(records) == 0 || len(secrets) != len(l.book.chains) {
		return nil, fmt.Errorf("resume the dice: %d records, %d sets of secrets for %d of chains",
			len(records), len(secrets), len(l.book.chains))
	}
	l.book.trust = false
	for i, s := range secrets {
		l.know(l.book.start.Game, s)
		if c := l.book.chains[i]; s.Links != c.links || l.dice[i].Link(0) != c.dice || l.seal[i].Link(0) != c.seal || l.hidden[i].Link(0) != c.hidden {
			return nil, fmt.Errorf("resume the dice of game %s: the secrets aren't those of its records", l.book.start.Game)
		}
	}
	return l, nil
}

func (l *Log) know(game string, s Secrets) {
	l.secrets = append(l.secrets, s)
	l.dice = append(l.dice, NewChain(DiceChain, game, s.Dice, s.Links))
	l.seal = append(l.seal, NewChain(SealChain, game, s.Seal, s.Links))
	l.hidden = append(l.hidden, NewChain(HiddenChain, game, s.Hidden, s.Links))
}

func whole(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// write signs a body and takes it into the book.
func (l *Log) write(body Body, mark string) (Record, error) {
	r := Sign(body, mark, l.book.head, l.key)
	if f := l.book.add(r); f != nil {
		return Record{}, f
	}
	return r, nil
}

func (l *Log) next(body Body) (Record, error) { return l.write(body, l.book.mark) }

// Head is the hash of the last record.
func (l *Log) Head() Hash { return l.book.head }

// Game is the game's id as the records have it.
func (l *Log) Game() string { return l.book.start.Game }

// Players lists the seats, sorted.
func (l *Log) Players() []string { return slices.Clone(l.book.start.Players) }

// Coming is the number of the step that will be closed next.
func (l *Log) Coming() int { return l.book.last + 1 }

// Open is the step that is closed and must be played next, if there is one.
func (l *Log) Open() (step int, ok bool) {
	if len(l.book.queue) == 0 {
		return 0, false
	}
	return l.book.queue[0], true
}

// Closed is the close record of a step.
func (l *Log) Closed(step int) (Close, bool) {
	c, ok := l.book.closes[step]
	if !ok {
		return Close{}, false
	}
	return c.Close, true
}

// Beacon is the beacon whose round the next close will name; nil for none.
func (l *Log) Beacon() *Drand { return l.book.beacon }

// Next is the label of the coming roll of a name, by the steps that are played.
// Rolls of a step under way must be counted on top of it.
func (l *Log) Next(turn int, phase, kind, where string) Label {
	if l.book.attempts == nil {
		l.book.recount()
	}
	return l.book.attempts.Next(turn, phase, kind, where)
}

// Opener opens the C of a player for a step, played or coming. It goes to that
// player alone.
func (l *Log) Opener(step int, player string) (Hash, error) {
	k, i := l.link(step)
	if k < 0 {
		return Hash{}, fmt.Errorf("no chain of game %s has a link for step %d", l.Game(), step)
	}
	return Opener(l.seal[k].Link(i), player), nil
}

// link finds the chains of a step and its link's number on them.
func (l *Log) link(step int) (k, i int) {
	for k, c := range l.book.chains {
		if i := step - c.first + 1; i >= 1 && i <= c.links {
			return k, i
		}
	}
	return -1, 0
}

// oneLine refuses orders whose lines could be read as other lines.
func oneLine(lines []string) error {
	for _, l := range lines {
		if strings.Contains(l, "\n") {
			return fmt.Errorf("the order %q is more than one line", l)
		}
	}
	return nil
}

// ordersOf makes the block that shows a player what his C was made of.
func (l *Log) ordersOf(r Record, player string, opener Hash, lines []string) Orders {
	return Orders{Record: r.Hash(), Player: player, Opener: &opener, Lines: slices.Clone(lines)}
}

// Sheet writes down orders that could reach no roll. The block is for that
// player's receipt.
func (l *Log) Sheet(phase, side string, lines []string, at time.Time) (Record, Orders, error) {
	step := l.Coming()
	opener, err := l.Opener(step, side)
	if err == nil {
		err = oneLine(lines)
	}
	if err != nil {
		return Record{}, Orders{}, err
	}
	r, err := l.next(Sheet{Game: l.Game(), Step: step, Phase: phase, Side: side,
		C: Commit(opener, OrdersText(lines)), Time: whole(at)})
	return r, l.ordersOf(r, side, opener, lines), err
}

// Closing is what goes into a close record.
type Closing struct {
	Phase  string
	Side   string              // who acts; Nobody for the start and for deadlines
	Orders map[string][]string // by player: canonical lines; none for one without
	Salts  map[string]string   // by player: the latest
	Time   time.Time
}

// Close shuts the orders of the coming step. The record must be on disk before
// [Log.Cup] is asked for the step. The blocks are one for each player with
// orders, for his receipt and for nobody else's.
func (l *Log) Close(c Closing) (Record, []Orders, error) {
	x := Close{Game: l.Game(), Step: l.Coming(), Phase: c.Phase, Side: c.Side, Time: whole(c.Time)}
	openers := map[string]Hash{}
	for _, p := range l.book.start.Players {
		s := Seat{Player: p, Salt: c.Salts[p]}
		if lines := c.Orders[p]; len(lines) > 0 {
			opener, err := l.Opener(x.Step, p)
			if err == nil {
				err = oneLine(lines)
			}
			if err != nil {
				return Record{}, nil, err
			}
			h := Commit(opener, OrdersText(lines))
			s.C, openers[p] = &h, opener
		}
		x.Seats = append(x.Seats, s)
	}
	x.D, x.Round = StepDigest(x.Seats), l.book.round(x.Time)
	r, err := l.next(x)
	if err != nil {
		return Record{}, nil, err
	}
	var blocks []Orders
	for _, s := range x.Seats {
		if s.C != nil {
			blocks = append(blocks, l.ordersOf(r, s.Player, openers[s.Player], c.Orders[s.Player]))
		}
	}
	return r, blocks, nil
}

// Cup gives the dice of a closed step, played or not: the same each time. A
// step with a beacon needs the signature of its round, which is checked here.
func (l *Log) Cup(step int, beacon []byte) (Cup, error) {
	c, ok := l.book.closes[step]
	switch {
	case !ok:
		return Cup{}, fmt.Errorf("game %s: step %d isn't closed, so it has no dice", l.Game(), step)
	case c.Round == 0 && len(beacon) > 0:
		return Cup{}, fmt.Errorf("game %s: step %d has no beacon", l.Game(), step)
	case c.Round > 0:
		if err := l.book.verify(c, beacon); err != nil {
			return Cup{}, fmt.Errorf("game %s, step %d, beacon round %d: %w", l.Game(), step, c.Round, err)
		}
	}
	k, i := l.link(step)
	return Cup{
		open:   StepKey(l.Game(), step, c.D, l.dice[k].Link(i), beacon),
		hidden: StepKey(l.Game(), step, c.D, l.hidden[k].Link(i), beacon),
	}, nil
}

// Played is what goes into a step record.
type Played struct {
	Beacon  []byte
	Rolls   []Roll  // of hidden ones the values stay out of the record
	Shown   []Shown // hidden rolls of earlier steps, published now
	Answers []Answer
	Sent    map[string]time.Time // with a beacon: when the mail server took each close record; not needed again in a replay
	Time    time.Time
}

// Finish opens the link of the step that is under way and lists its rolls. The
// grade follows from when the close records left.
func (l *Log) Finish(p Played) (Record, error) {
	step, ok := l.Open()
	if !ok {
		return Record{}, fmt.Errorf("game %s: no step is under way", l.Game())
	}
	c := l.book.closes[step]
	k, i := l.link(step)
	s := Step{Game: l.Game(), Step: step, Dice: l.dice[k].Link(i), Answers: p.Answers, Rules: l.book.rules, Time: whole(p.Time)}
	if len(p.Beacon) > 0 {
		s.Beacon = p.Beacon
	}
	for _, t := range p.Rolls {
		if t.Hidden {
			n := len(t.Values)
			t.Values = nil
			if !t.Deck {
				t.Values = make([]int, n)
			}
		}
		s.Rolls = append(s.Rolls, t)
	}
	for _, x := range p.Shown {
		x.Roll.Hidden = false
		s.Shown = append(s.Shown, x)
	}
	if c.sent != nil {
		s.Sent = c.sent
	} else if c.Round > 0 {
		for _, player := range l.book.start.Players {
			x := Sent{Player: player}
			if t := p.Sent[player]; !t.IsZero() {
				x.Time = whole(t)
			}
			s.Sent = append(s.Sent, x)
		}
	}
	var f *Fault
	if s.Grade, f = l.book.gradeOf(c, s.Sent); f != nil {
		return Record{}, f
	}
	return l.next(s)
}

// Hidden lists the hidden rolls not shown so far, with their values, for
// [Played.Shown]. It is empty while a step of theirs is being played again.
func (l *Log) Hidden() []Shown {
	var list []Shown
	for _, d := range l.book.draws() {
		h := l.book.hidden[d]
		if h.shown {
			continue
		}
		cup, err := l.Cup(d.step, l.book.closes[d.step].beacon)
		if err != nil {
			continue
		}
		t := h.roll
		t.Hidden = false
		if t.Deck {
			t.Values = cup.Hidden().Shuffle(t.Label, t.Sides)
		} else {
			t.Values = cup.Hidden().Roll(t.Label, t.Sides, len(t.Values))
		}
		list = append(list, Shown{d.step, t})
	}
	return list
}

// Rollback has steps played again, from one that was played to the last, with
// the same dice and by the rules version given.
func (l *Log) Rollback(step, rules int, reason string, at time.Time) (Record, error) {
	return l.next(Amend{Game: l.Game(), What: Rollback, Step: step, Rules: rules, Reason: reason, Time: whole(at)})
}

// NewRules has the coming steps played by another version of the rules.
func (l *Log) NewRules(rules int, reason string, at time.Time) (Record, error) {
	return l.next(Amend{Game: l.Game(), What: NewRules, Step: l.book.coming(), Rules: rules, Reason: reason, Time: whole(at)})
}

// NewKey changes the signing key: both the old and the new one sign.
func (l *Log) NewKey(key ed25519.PrivateKey, reason string, at time.Time) (Record, error) {
	a := Amend{Game: l.Game(), What: NewKey, Step: l.book.coming(), Key: key.Public().(ed25519.PublicKey), Reason: reason, Time: whole(at)}
	a.KeySig = ed25519.Sign(key, a.keyMessage())
	r, err := l.next(a)
	if err == nil {
		l.key = key
	}
	return r, err
}

// NeedsChains tells that the links are running out, and with them the time to
// announce new ones.
func (l *Log) NeedsChains() bool {
	c := l.book.chains[len(l.book.chains)-1]
	return c.first+c.links-1-l.book.last <= 2*c.notice()
}

// NewChains announces the chains that serve when the links have run out. It
// must come some steps before, so that no order is known when they are fixed.
func (l *Log) NewChains(s Secrets, at time.Time) (Record, error) {
	if s.Links < 1 || s.Links > MaxLinks {
		return Record{}, fmt.Errorf("new chains for game %s: %d links", l.Game(), s.Links)
	}
	old := l.book.chains[len(l.book.chains)-1]
	l.know(l.Game(), s)
	k := len(l.dice) - 1
	r, err := l.next(Amend{Game: l.Game(), What: NewChains, Step: old.first + old.links,
		Dice: l.dice[k].Link(0), Seal: l.seal[k].Link(0), Links: s.Links, Hidden: l.hidden[k].Link(0),
		Reason: "the links of the chains run out", Time: whole(at)})
	if err != nil {
		l.secrets, l.dice, l.seal, l.hidden = l.secrets[:k], l.dice[:k], l.seal[:k], l.hidden[:k]
	}
	return r, err
}

// GradeChain gives up the beacon from the next close on: all players have said
// GRADE CHAIN.
func (l *Log) GradeChain(at time.Time) (Record, error) {
	return l.next(Amend{Game: l.Game(), What: GradeDown, Step: l.Coming(), Beacon: true,
		Answers: l.all(SaysGradeChain), Reason: "all players asked for it", Time: whole(at)})
}

// Void takes back the step that waits for its beacon: all players have said
// AGREE. No die of it exists.
func (l *Log) Void(at time.Time) (Record, error) {
	step, _ := l.Open()
	if c := l.book.closes[step]; c != nil && c.good != nil {
		return Record{}, fmt.Errorf("game %s: the beacon round of step %d is known, so its dice exist and it can't be taken back", l.Game(), step)
	}
	return l.next(Amend{Game: l.Game(), What: Void, Step: step,
		Answers: l.all(SaysAgree), Reason: "all players agreed to take it back", Time: whole(at)})
}

func (l *Log) all(words string) (list []Answer) {
	for _, p := range l.book.start.Players {
		list = append(list, Answer{p, words})
	}
	return list
}

// End closes the game and opens every seal, every hidden link and every hidden
// roll not shown before.
func (l *Log) End(result string, at time.Time) (Record, error) {
	e := End{Game: l.Game(), Steps: l.book.last, Result: result, Shown: l.Hidden(), Time: whole(at)}
	for _, s := range l.secrets {
		e.Seal, e.Hidden = append(e.Seal, s.Seal), append(e.Hidden, s.Hidden)
	}
	return l.next(e)
}

// Transcript puts records and orders into one text that dicecheck reads.
func Transcript(records []Record, orders []Orders) string {
	of := map[Hash][]Orders{}
	for _, o := range orders {
		of[o.Record] = append(of[o.Record], o)
	}
	var b []byte
	for _, r := range records {
		b = append(append(b, r.Armour()...), '\n')
		for _, o := range of[r.Hash()] {
			b = append(append(b, o.Armour()...), '\n')
		}
	}
	return string(b)
}
