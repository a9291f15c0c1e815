package dice

import (
	"bytes"
	"crypto/ed25519"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"
	"time"
)

// FaultKind says which promise a record breaks.
type FaultKind int

// The kinds of fault. Their order is that of dicecheck's exit status.
const (
	FaultUnreadable FaultKind = iota + 1
	FaultSignature
	FaultStart
	FaultGap
	FaultFork
	FaultTwoCloses
	FaultReroll
	FaultSequence
	FaultTime
	FaultDigest
	FaultOrders
	FaultLink
	FaultRound
	FaultBeacon
	FaultGrade
	FaultLabel
	FaultDice
	FaultHidden
	FaultRules
	FaultAmend
	FaultHead
)

// FaultKinds lists every kind with its name and what it means.
var FaultKinds = []struct {
	Kind  FaultKind
	Name  string
	Means string
}{
	{FaultUnreadable, "unreadable", "a record can't be read: cut off, or not in the one writing that counts"},
	{FaultSignature, "signature", "a record was changed after the server signed it, or the server didn't"},
	{FaultStart, "start", "the start is missing, or there are two"},
	{FaultGap, "gap", "a record between two others is missing"},
	{FaultFork, "fork", "two records follow the same one: two stories were told"},
	{FaultTwoCloses, "two-closes", "one step was closed twice"},
	{FaultReroll, "reroll", "one step was rolled twice without an amendment"},
	{FaultSequence, "sequence", "a record stands where it can't: a step left out, or before its close"},
	{FaultTime, "time", "a record is older than the one before it, or than its beacon"},
	{FaultDigest, "digest", "D doesn't follow from the C and salts beside it"},
	{FaultOrders, "orders", "orders aren't those that C was made of"},
	{FaultLink, "link", "an opened link isn't of the chain that the start fixed: the seed was swapped"},
	{FaultRound, "round", "the beacon round isn't the one the rule names"},
	{FaultBeacon, "beacon", "the beacon's signature is missing or isn't the beacon's"},
	{FaultGrade, "grade", "the dice are called better or worse than they are"},
	{FaultLabel, "label", "a roll's label is none, was used before, or leaves one out"},
	{FaultDice, "dice", "the values of a roll don't follow from its key"},
	{FaultHidden, "hidden", "a hidden roll was never shown, or shown other than it was"},
	{FaultRules, "rules", "a step was played by another version of the rules than announced"},
	{FaultAmend, "amend", "an amendment does what none may do"},
	{FaultHead, "head", "the head words given aren't of this game as it lies here"},
}

// String is the kind's short name.
func (k FaultKind) String() string {
	for _, f := range FaultKinds {
		if f.Kind == k {
			return f.Name
		}
	}
	return fmt.Sprintf("fault %d", int(k))
}

// Fault is the first thing in a game that breaks a promise.
type Fault struct {
	Kind   FaultKind
	Game   string
	Record int    // counted from 1 along the chain; 0 if the record has no place in it
	What   string // "step 7"
	Where  string // the file it was found in, if known
	Why    string
}

// Error is the fault as a sentence.
func (f *Fault) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "game %s", f.Game)
	if f.Record > 0 {
		fmt.Fprintf(&b, ", record %d", f.Record)
	}
	if f.What != "" {
		fmt.Fprintf(&b, " (%s)", f.What)
	}
	if f.Where != "" {
		fmt.Fprintf(&b, " in %s", f.Where)
	}
	fmt.Fprintf(&b, ": %s", f.Why)
	return b.String()
}

func fault(k FaultKind, form string, args ...any) *Fault {
	return &Fault{Kind: k, Why: fmt.Sprintf(form, args...)}
}

// chains is one set of chains as it was announced, and the first step it serves.
type chains struct {
	first              int
	links              int
	dice, seal, hidden Hash
	known              Hash // the link of the dice chain opened last
	knownAt            int  // its number
	sealTop, hiddenTop Hash // once the game is over
}

// closed is a step whose orders are shut.
type closed struct {
	Close
	beacon []byte // once a step record has it
	good   []byte // a beacon signature that was verified for the round
	sent   []Sent // once it was played
}

type drawn struct {
	step  int
	label string
}

// hiddenRoll is a roll whose values came, or come, later.
type hiddenRoll struct {
	roll  Roll
	shown bool
}

// commitment is a C waiting for the orders it was made of.
type commitment struct {
	step int
	c    map[string]Hash
}

// book is the state of one game's log: what the records so far say, and what
// may come next. The server writes through it and the checker reads through it,
// so that neither knows a rule the other doesn't.
type book struct {
	trust bool // own records: leave out signatures, beacons and dice

	start    Start
	mark     string
	key      ed25519.PublicKey
	rules    int
	beacon   *Drand // nil for none, from the coming close on
	chains   []*chains
	closes   map[int]*closed
	played   map[int]Step
	queue    []int // steps closed and not yet played, ascending
	last     int   // the last step closed
	ended    bool
	hidden   map[drawn]*hiddenRoll
	attempts *Attempts // nil if they must be counted again
	commits  map[Hash]commitment
	seals    bool // the seal chains are open

	head  Hash
	time  time.Time
	count int
}

var (
	gameForm   = regexp.MustCompile(`^[!-~]{1,64}$`)
	playerForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)
)

// add takes the next record, or says what is wrong with it. After a fault the
// book is of no further use.
func (b *book) add(r Record) *Fault {
	f := b.link(r)
	if f == nil {
		switch x := r.Body.(type) {
		case Start:
			f = b.addStart(x, r)
		case Sheet:
			f = b.addSheet(x, r)
		case Close:
			f = b.addClose(x, r)
		case Step:
			f = b.addStep(x)
		case Amend:
			f = b.addAmend(x)
		case End:
			f = b.addEnd(x)
		}
	}
	if f != nil {
		f.Game, f.Record, f.What = r.Game(), b.count+1, r.What()
		return f
	}
	b.head, b.time = r.Hash(), r.Time()
	b.count++
	return nil
}

// link checks what every record must be: next, of this game, signed, not older.
func (b *book) link(r Record) *Fault {
	if b.count == 0 {
		s, ok := r.Body.(Start)
		if !ok {
			return fault(FaultStart, "the first record isn't the start")
		}
		b.key, b.mark = s.Key, r.Mark
	}
	switch {
	case !b.trust && !r.SignedBy(b.key):
		return fault(FaultSignature, "the signature isn't that of the server's key over these lines")
	case b.count > 0 && r.Game() != b.start.Game:
		return fault(FaultSequence, "it follows a record of game %s", b.start.Game)
	case r.Prev != b.head:
		return fault(FaultGap, "it doesn't follow the record before it")
	case r.Mark != b.mark || r.Mark != "" && r.Mark != Demo:
		return fault(FaultSequence, "its mark %q isn't that of the start", r.Mark)
	case r.Time().Before(b.time):
		return fault(FaultTime, "it says %s, the record before it %s", stamp(r.Time()), stamp(b.time))
	case b.ended:
		return fault(FaultSequence, "it comes after the end of the game")
	}
	return nil
}

func (b *book) addStart(s Start, r Record) *Fault {
	if b.count > 0 {
		return fault(FaultStart, "the game starts a second time")
	}
	if !gameForm.MatchString(s.Game) || !gameForm.MatchString(s.Rules) || s.Version < 1 {
		return fault(FaultStart, "its game or rules have no proper name")
	}
	for i, p := range s.Players {
		if !playerForm.MatchString(p) || i > 0 && s.Players[i-1] >= p {
			return fault(FaultStart, "its players aren't seats in order")
		}
	}
	if len(s.Players) == 0 || s.Links < 1 || s.Links > MaxLinks {
		return fault(FaultStart, "it has no player or no link")
	}
	if s.Beacon != nil && !s.Beacon.equal(Quicknet) && r.Mark != Demo {
		return fault(FaultBeacon, "it pins a beacon that isn't drand quicknet")
	}
	b.start, b.rules, b.beacon = s, s.Version, s.Beacon
	b.chains = []*chains{{first: 1, links: s.Links, dice: s.Dice, seal: s.Seal, hidden: s.Hidden, known: s.Dice}}
	b.closes, b.played = map[int]*closed{}, map[int]Step{}
	b.hidden, b.commits = map[drawn]*hiddenRoll{}, map[Hash]commitment{}
	return nil
}

func (b *book) player(p string) bool {
	for _, x := range b.start.Players {
		if x == p {
			return true
		}
	}
	return false
}

// serving finds the chains of a step and its link's number on them.
func (b *book) serving(step int) (*chains, int) {
	for _, c := range b.chains {
		if i := step - c.first + 1; i >= 1 && i <= c.links {
			return c, i
		}
	}
	return nil, 0
}

func (b *book) addSheet(s Sheet, r Record) *Fault {
	if s.Step != b.last+1 {
		return fault(FaultSequence, "it is for step %d, and the coming one is %d", s.Step, b.last+1)
	}
	if !b.player(s.Side) {
		return fault(FaultSequence, "nobody plays the side %q", s.Side)
	}
	if ch, _ := b.serving(s.Step); ch == nil {
		return fault(FaultLink, "no chain has a link for step %d", s.Step)
	}
	b.commits[r.Hash()] = commitment{s.Step, map[string]Hash{s.Side: s.C}}
	return nil
}

func (b *book) addClose(c Close, r Record) *Fault {
	switch {
	case c.Step <= b.last && c.Step >= 1:
		return fault(FaultTwoCloses, "step %d was closed before, by another record", c.Step)
	case len(b.queue) > 0:
		return fault(FaultSequence, "step %d is still under way", b.queue[0])
	case c.Step != b.last+1:
		return fault(FaultSequence, "step %d can't follow step %d", c.Step, b.last)
	case c.Side != Nobody && !b.player(c.Side):
		return fault(FaultSequence, "nobody plays the side %q", c.Side)
	case len(c.Seats) != len(b.start.Players):
		return fault(FaultDigest, "it doesn't name every player once")
	}
	if ch, _ := b.serving(c.Step); ch == nil {
		return fault(FaultLink, "no chain has a link for step %d", c.Step)
	}
	commit := commitment{c.Step, map[string]Hash{}}
	for i, s := range c.Seats {
		if s.Player != b.start.Players[i] {
			return fault(FaultDigest, "it doesn't name every player once, in order")
		}
		if s.C != nil {
			commit.c[s.Player] = *s.C
		}
	}
	if StepDigest(c.Seats) != c.D {
		return fault(FaultDigest, "D doesn't follow from the C and salts beside it")
	}
	if want := b.round(c.Time); c.Round != want {
		return fault(FaultRound, "the rule names beacon round %d (0 is none), the record %d", want, c.Round)
	}
	b.commits[r.Hash()] = commit
	b.closes[c.Step] = &closed{Close: c}
	b.last = c.Step
	b.queue = append(b.queue, c.Step)
	return nil
}

// round is the beacon round of a step closed now, 0 without a beacon.
func (b *book) round(t time.Time) uint64 {
	if b.beacon == nil {
		return 0
	}
	return b.beacon.Round(t)
}

func (b *book) addStep(s Step) *Fault {
	if len(b.queue) == 0 || b.queue[0] != s.Step {
		if _, ok := b.played[s.Step]; ok {
			return fault(FaultReroll, "step %d was rolled before", s.Step)
		}
		return fault(FaultSequence, "step %d isn't the one whose orders are closed", s.Step)
	}
	c := b.closes[s.Step]
	if f := b.openLink(s); f != nil {
		return f
	}
	if f := b.openBeacon(c, s); f != nil {
		return f
	}
	if s.Rules != b.rules {
		return fault(FaultRules, "it was played by version %d of the rules, version %d was announced", s.Rules, b.rules)
	}
	if f := b.grade(c, s); f != nil {
		return f
	}
	key := StepKey(b.start.Game, s.Step, c.D, s.Dice, s.Beacon)
	for _, t := range s.Rolls {
		if f := b.addRoll(s.Step, t, key); f != nil {
			return f
		}
	}
	for _, x := range s.Shown {
		if f := b.show(x); f != nil {
			return f
		}
	}
	for _, a := range s.Answers {
		if !b.player(a.Player) {
			return fault(FaultSequence, "it has an answer of %q, who doesn't play", a.Player)
		}
	}
	b.played[s.Step] = s
	b.queue = b.queue[1:]
	return nil
}

// openLink checks the link that a step opens against the chain.
func (b *book) openLink(s Step) *Fault {
	ch, i := b.serving(s.Step)
	from, link := i, s.Dice
	if ch.knownAt <= i {
		link = descend(DiceChain, b.start.Game, from, link, ch.knownAt)
	} else { // played again: the link lies under one that is open
		if descend(DiceChain, b.start.Game, ch.knownAt, ch.known, i) == s.Dice {
			return nil
		}
		return fault(FaultLink, "link %d of the dice chain isn't the one opened before", i)
	}
	if link != ch.known {
		return fault(FaultLink, "link %d of the dice chain doesn't lead to the one the start fixed", i)
	}
	ch.known, ch.knownAt = s.Dice, i
	return nil
}

func (b *book) openBeacon(c *closed, s Step) *Fault {
	switch {
	case c.Round == 0 && s.Beacon == nil:
		return nil
	case c.Round == 0:
		return fault(FaultBeacon, "it mixes in a beacon that its close record doesn't name")
	case s.Beacon == nil:
		return fault(FaultBeacon, "it lacks the beacon signature of round %d", c.Round)
	}
	if b.trust {
		c.beacon, c.good = s.Beacon, s.Beacon
		return nil
	}
	if err := b.verify(c, s.Beacon); err != nil {
		return fault(FaultBeacon, "round %d: %v", c.Round, err)
	}
	if comes := b.start.Beacon.Time(c.Round); s.Time.Before(comes) && b.mark != Demo {
		return fault(FaultTime, "it says %s, its beacon round came at %s", stamp(s.Time), stamp(comes))
	}
	c.beacon = s.Beacon
	return nil
}

// verify checks the beacon signature of a step, once.
func (b *book) verify(c *closed, signature []byte) error {
	if c.good != nil && bytes.Equal(c.good, signature) {
		return nil
	}
	if err := b.start.Beacon.Verify(c.Round, signature); err != nil {
		return err
	}
	c.good = bytes.Clone(signature)
	return nil
}

// grade checks what a step says of its dice: beacon only if both copies of the
// close record had left before the round came.
func (b *book) grade(c *closed, s Step) *Fault {
	want, f := b.gradeOf(c, s.Sent)
	if f != nil {
		return f
	}
	if c.sent != nil && !slices.EqualFunc(c.sent, s.Sent, Sent.equal) {
		return fault(FaultGrade, "played again, it says that the close record left at another time")
	}
	c.sent = s.Sent
	if s.Grade != want {
		return fault(FaultGrade, "its dice are of the grade %s, it calls them %s", want, s.Grade)
	}
	return nil
}

func (b *book) gradeOf(c *closed, sent []Sent) (Grade, *Fault) {
	if c.Round == 0 {
		if len(sent) > 0 {
			return "", fault(FaultGrade, "it says when a close record without a beacon left")
		}
		return GradeChain, nil
	}
	if len(sent) != len(b.start.Players) {
		return "", fault(FaultGrade, "it doesn't say for each player when the close record left")
	}
	comes, grade := b.start.Beacon.Time(c.Round), GradeBeacon
	for i, x := range sent {
		if x.Player != b.start.Players[i] {
			return "", fault(FaultGrade, "it doesn't say for each player, in order, when the close record left")
		}
		if x.Time.IsZero() || !x.Time.Before(comes) {
			grade = GradeChain
		}
		if !x.Time.IsZero() && x.Time.Before(c.Time) {
			return "", fault(FaultTime, "the close record left before it was written")
		}
	}
	return grade, nil
}

func (b *book) addRoll(step int, t Roll, key Key) *Fault {
	if b.attempts == nil {
		b.recount()
	}
	if err := b.attempts.Count(t.Label); err != nil {
		return fault(FaultLabel, "%v", err)
	}
	switch {
	case !t.Deck && len(t.Values) == 0:
		return fault(FaultLabel, "%s is a roll of no dice", t.Label)
	case t.Hidden:
		for _, v := range t.Values {
			if v != 0 {
				return fault(FaultHidden, "%s is hidden in part", t.Label)
			}
		}
		b.hidden[drawn{step, t.Label}] = &hiddenRoll{roll: t}
	case !b.trust && !t.follows(key):
		return fault(FaultDice, "the dice of %s aren't those of the key", t.Label)
	}
	return nil
}

// recount counts the rolls of all steps that stand.
func (b *book) recount() {
	b.attempts = &Attempts{}
	for n := 1; n <= b.last; n++ {
		for _, t := range b.played[n].Rolls {
			_ = b.attempts.Count(t.Label) // they were in order when they were added
		}
	}
}

func (b *book) show(x Shown) *Fault {
	h := b.hidden[drawn{x.Step, x.Roll.Label}]
	switch {
	case h == nil:
		return fault(FaultHidden, "%s wasn't a hidden roll of step %d", x.Roll.Label, x.Step)
	case x.Roll.Hidden, x.Roll.Deck != h.roll.Deck, x.Roll.Sides != h.roll.Sides,
		!h.roll.Deck && len(x.Roll.Values) != len(h.roll.Values):
		return fault(FaultHidden, "%s is shown other than it was rolled", x.Roll.Label)
	case h.shown && !h.roll.same(x.Roll):
		return fault(FaultHidden, "%s is shown a second time with other values", x.Roll.Label)
	}
	h.roll.Values, h.shown = x.Roll.Values, true
	return nil
}

// notice is how many steps before their first use new chains must be announced.
func (c *chains) notice() int { return min(8, c.links/2) }

func (b *book) addAmend(a Amend) *Fault {
	if f := a.fields(); f != nil {
		return f
	}
	switch a.What {
	case Rollback:
		if _, ok := b.played[a.Step]; !ok {
			return fault(FaultAmend, "step %d was never played", a.Step)
		}
		b.rollback(a.Step)
		b.rules = a.Rules
	case NewRules:
		if a.Step != b.coming() {
			return fault(FaultAmend, "new rules can only begin with step %d", b.coming())
		}
		b.rules = a.Rules
	case NewKey:
		if !b.trust && !ed25519.Verify(a.Key, a.keyMessage(), a.KeySig) {
			return fault(FaultAmend, "the new key hasn't signed")
		}
		b.key = a.Key
	case NewChains:
		old := b.chains[len(b.chains)-1]
		if first := old.first + old.links; a.Step != first || first-1-b.last < old.notice() {
			return fault(FaultAmend, "new chains begin when the old are used up, with step %d, announced at least %d steps before",
				first, old.notice())
		}
		b.chains = append(b.chains, &chains{first: a.Step, links: a.Links, dice: a.Dice, seal: a.Seal, hidden: a.Hidden, known: a.Dice})
	case GradeDown:
		if b.beacon == nil || a.Step != b.last+1 || !b.allSay(a.Answers, SaysGradeChain) {
			return fault(FaultAmend, "the grade goes down only when every player says %s, from the next close on", SaysGradeChain)
		}
		b.beacon = nil
	case Void:
		c := b.closes[a.Step]
		if c == nil || len(b.queue) != 1 || b.queue[0] != a.Step || c.Round == 0 || c.beacon != nil ||
			!b.allSay(a.Answers, SaysAgree) {
			return fault(FaultAmend, "only a step that waits for its beacon can be taken back, and only if every player says %s", SaysAgree)
		}
		b.queue = nil
	default:
		return fault(FaultAmend, "there is no amendment %q", a.What)
	}
	return nil
}

// fields checks that an amendment has the lines of its kind and no others.
func (a Amend) fields() *Fault {
	rules := a.What == Rollback || a.What == NewRules
	if rules != (a.Rules > 0) || (a.What == NewChains) != (a.Links > 0) ||
		(a.What == GradeDown) != a.Beacon || (a.What == NewKey) != (a.Key != nil) || (a.Key != nil) != (a.KeySig != nil) {
		return fault(FaultAmend, "its lines aren't those of the amendment %q", a.What)
	}
	return nil
}

// coming is the step that will be played next.
func (b *book) coming() int {
	if len(b.queue) > 0 {
		return b.queue[0]
	}
	return b.last + 1
}

func (b *book) rollback(step int) {
	for n := step; n <= b.last; n++ {
		if _, ok := b.played[n]; ok {
			delete(b.played, n)
			b.queue = append(b.queue, n)
		}
	}
	sort.Ints(b.queue)
	for d := range b.hidden {
		if d.step >= step {
			delete(b.hidden, d)
		}
	}
	b.attempts = nil
}

func (b *book) allSay(answers []Answer, words string) bool {
	if len(answers) != len(b.start.Players) {
		return false
	}
	for i, a := range answers {
		if a.Player != b.start.Players[i] || a.Text != words {
			return false
		}
	}
	return true
}

func (b *book) addEnd(e End) *Fault {
	if len(b.queue) > 0 {
		return fault(FaultSequence, "step %d is still under way", b.queue[0])
	}
	if e.Steps != b.last {
		return fault(FaultSequence, "it counts %d steps, there were %d", e.Steps, b.last)
	}
	if len(e.Seal) != len(b.chains) || len(e.Hidden) != len(b.chains) {
		return fault(FaultHidden, "it doesn't open every chain")
	}
	for i, c := range b.chains {
		c.sealTop, c.hiddenTop = e.Seal[i], e.Hidden[i]
		if b.trust {
			continue
		}
		if descend(SealChain, b.start.Game, c.links, c.sealTop, 0) != c.seal {
			return fault(FaultLink, "its seal doesn't lead to the one the start fixed")
		}
		if descend(HiddenChain, b.start.Game, c.links, c.hiddenTop, 0) != c.hidden {
			return fault(FaultLink, "its hidden link doesn't lead to the one the start fixed")
		}
	}
	for _, x := range e.Shown {
		if f := b.show(x); f != nil {
			return f
		}
	}
	for _, d := range b.draws() {
		h := b.hidden[d]
		if !h.shown {
			return fault(FaultHidden, "%s of step %d is never shown", d.label, d.step)
		}
		if b.trust {
			continue
		}
		c, i := b.serving(d.step)
		link := descend(HiddenChain, b.start.Game, c.links, c.hiddenTop, i)
		cl := b.closes[d.step]
		if !h.roll.follows(StepKey(b.start.Game, d.step, cl.D, link, cl.beacon)) {
			return fault(FaultHidden, "%s of step %d isn't that of the key", d.label, d.step)
		}
	}
	b.ended, b.seals = true, true
	return nil
}

// draws lists the hidden rolls in order.
func (b *book) draws() []drawn {
	list := make([]drawn, 0, len(b.hidden))
	for d := range b.hidden {
		list = append(list, d)
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].step != list[j].step {
			return list[i].step < list[j].step
		}
		return list[i].label < list[j].label
	})
	return list
}

// opens checks orders against the C of their record. It is nil, false if the
// opener isn't known yet.
func (b *book) opens(o Orders) (done bool, f *Fault) {
	commit, ok := b.commits[o.Record]
	c, has := commit.c[o.Player]
	if !ok || !has {
		return false, fault(FaultOrders, "the orders of %s belong to no record here", o.Player)
	}
	key := o.Opener
	if b.seals {
		ch, i := b.serving(commit.step)
		if ch == nil {
			return false, fault(FaultOrders, "the orders of %s are for a step that never came", o.Player)
		}
		real := Opener(descend(SealChain, b.start.Game, ch.links, ch.sealTop, i), o.Player)
		if key != nil && *key != real {
			return false, fault(FaultOrders, "the opener of %s for step %d isn't that of the seal", o.Player, commit.step)
		}
		key = &real
	}
	if key == nil {
		return false, nil
	}
	if Commit(*key, OrdersText(o.Lines)) != c {
		return false, fault(FaultOrders, "the orders of %s for step %d aren't those that C was made of", o.Player, commit.step)
	}
	return true, nil
}
