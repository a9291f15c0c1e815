package dice

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

// DataFile is the digest of one data file a game is played with.
type DataFile struct {
	Digest Hash
	Name   string
}

// Start opens a game and fixes everything its dice will follow from.
type Start struct {
	Game    string
	Players []string // seats, sorted
	Rules   string   // id of the rules
	Version int      // of the rules
	Build   Hash     // digest of the rules build
	Data    []DataFile
	Dice    Hash // link 0 of each chain
	Seal    Hash
	Links   int
	Beacon  *Drand // nil for none
	Key     ed25519.PublicKey
	Hidden  Hash
	Time    time.Time
}

// Kind implements [Body].
func (Start) Kind() Kind     { return KindStart }
func (s Start) game() string { return s.Game }

func (s Start) write(w *writer) {
	for _, p := range s.Players {
		w.word("player", p)
	}
	w.word("rules", s.Rules+" "+strconv.Itoa(s.Version))
	w.hash("build", s.Build)
	for _, d := range s.Data {
		w.word("data", after(d.Digest.String(), d.Name))
	}
	w.hash("dice", s.Dice)
	w.hash("seal", s.Seal)
	w.number("links", s.Links)
	w.beacon(s.Beacon)
	w.hex("key", s.Key)
	w.hash("hidden", s.Hidden)
	w.time("time", s.Time)
}

func (w *writer) beacon(d *Drand) {
	if d == nil {
		w.word("beacon", "none")
	} else {
		w.word("beacon", d.String())
	}
}

func (p *reader) start(game string) Start {
	s := Start{Game: game}
	for p.at("player") {
		s.Players = append(s.Players, p.word("player"))
	}
	rules, version := p.cut(p.word("rules"))
	s.Rules, s.Version = rules, p.int(version)
	s.Build = p.hash("build")
	for p.at("data") {
		h, name := p.cut(p.word("data"))
		s.Data = append(s.Data, DataFile{p.digest(h), p.unescape(name)})
	}
	s.Dice, s.Seal, s.Links = p.hash("dice"), p.hash("seal"), p.links()
	s.Beacon = p.beacon()
	s.Key = p.hex("key", ed25519.PublicKeySize)
	s.Hidden, s.Time = p.hash("hidden"), p.time("time")
	return s
}

func (p *reader) links() int {
	n := p.number("links")
	if p.err == nil && (n < 1 || n > MaxLinks) {
		p.fail("a chain of %d links", n)
	}
	return n
}

func (p *reader) beacon() *Drand {
	s := p.word("beacon")
	if s == "none" || p.err != nil {
		return nil
	}
	d, err := ParseDrand(s)
	if err != nil {
		p.fail("%w", err)
	}
	return &d
}

// Sheet tells of orders that could reach no roll: they took no step.
type Sheet struct {
	Game  string
	Step  int // the coming one
	Phase string
	Side  string
	C     Hash
	Time  time.Time
}

// Kind implements [Body].
func (Sheet) Kind() Kind     { return KindSheet }
func (s Sheet) game() string { return s.Game }

func (s Sheet) write(w *writer) {
	w.number("step", s.Step)
	w.text("phase", s.Phase)
	w.word("side", s.Side)
	w.hash("c", s.C)
	w.time("time", s.Time)
}

func (p *reader) sheet(game string) Sheet {
	return Sheet{game, p.number("step"), p.text("phase"), p.word("side"), p.hash("c"), p.time("time")}
}

// Nobody is the side of a step that no player opened: the game's start or a
// deadline.
const Nobody = "-"

// Close shuts a step's orders before any of its dice exists.
type Close struct {
	Game  string
	Step  int
	Phase string
	Side  string // who acts, or Nobody
	Seats []Seat // every player, sorted
	D     Hash
	Time  time.Time
	Round uint64 // of the beacon, 0 for none
}

// Kind implements [Body].
func (Close) Kind() Kind     { return KindClose }
func (c Close) game() string { return c.Game }

func (c Close) write(w *writer) {
	w.number("step", c.Step)
	w.text("phase", c.Phase)
	w.word("side", c.Side)
	for _, s := range c.Seats {
		if s.C == nil {
			w.word("c", s.Player+" -")
		} else {
			w.word("c", s.Player+" "+s.C.String())
		}
	}
	for _, s := range c.Seats {
		w.word("salt", after(s.Player, s.Salt))
	}
	w.hash("d", c.D)
	w.time("time", c.Time)
	if c.Round == 0 {
		w.word("round", "none")
	} else {
		w.word("round", strconv.FormatUint(c.Round, 10))
	}
}

func (p *reader) close(game string) Close {
	c := Close{Game: game, Step: p.number("step"), Phase: p.text("phase"), Side: p.word("side")}
	for p.at("c") {
		player, x := p.cut(p.word("c"))
		s := Seat{Player: player}
		if x != "-" {
			h := p.digest(x)
			s.C = &h
		}
		c.Seats = append(c.Seats, s)
	}
	for i := 0; p.at("salt"); i++ {
		player, salt := p.cut(p.word("salt"))
		if i >= len(c.Seats) || c.Seats[i].Player != player {
			p.fail("C and salts aren't of the same players")
			break
		}
		c.Seats[i].Salt = p.unescape(salt)
	}
	c.D, c.Time = p.hash("d"), p.time("time")
	if s := p.word("round"); s != "none" && p.err == nil {
		n, err := strconv.ParseUint(s, 10, 40)
		if err != nil || n == 0 {
			p.fail("%q is no round", clip(s))
		}
		c.Round = n
	}
	return c
}

// Roll is one throw or shuffle as it was made.
type Roll struct {
	Label  string
	Sides  int   // of each die; of a shuffle, how many pieces
	Deck   bool  // a shuffle: Values are the pieces' numbers, from 0, in their new order
	Hidden bool  // Values aren't in the record yet; how many dice is
	Values []int // zeros where they are hidden
	For    string
}

// value writes the roll as a line of a record has it.
func (t Roll) value() string {
	var b strings.Builder
	b.WriteString(t.Label)
	b.WriteByte(' ')
	if t.Deck {
		b.WriteString("shuffle")
	}
	b.WriteString(strconv.Itoa(t.Sides))
	b.WriteByte(' ')
	switch {
	case t.Hidden && t.Deck:
		b.WriteString("hidden")
	default:
		for i, v := range t.Values {
			if i > 0 {
				b.WriteByte(',')
			}
			if t.Hidden {
				b.WriteString("hidden")
			} else {
				b.WriteString(strconv.Itoa(v))
			}
		}
	}
	return after(b.String(), t.For)
}

func (p *reader) roll(s string) Roll {
	var t Roll
	var sides, values string
	t.Label, s = p.cut(s)
	sides, s = p.cut(s)
	values, s = p.cut(s)
	t.For = p.unescape(s)
	sides, t.Deck = strings.CutPrefix(sides, "shuffle")
	t.Sides = p.int(sides)
	switch {
	case p.err != nil:
		return t
	case t.Deck && (t.Sides < 1 || t.Sides > 65536), !t.Deck && (t.Sides < 2 || t.Sides > 256):
		p.fail("a roll of %d sides or pieces", t.Sides)
		return t
	case t.Deck && values == "hidden":
		t.Hidden = true
		return t
	}
	for v := range strings.SplitSeq(values, ",") {
		if v == "hidden" {
			t.Hidden = true
			t.Values = append(t.Values, 0)
		} else {
			t.Values = append(t.Values, p.int(v))
		}
	}
	return t
}

func (t Roll) same(o Roll) bool {
	if len(t.Values) != len(o.Values) {
		return false
	}
	for i, v := range t.Values {
		if v != o.Values[i] {
			return false
		}
	}
	return true
}

// follows tells whether the roll's values are those of a key.
func (t Roll) follows(k Key) bool {
	if t.Deck {
		return len(t.Values) == t.Sides && t.same(Roll{Values: k.Shuffle(t.Label, t.Sides)})
	}
	return t.same(Roll{Values: k.Roll(t.Label, t.Sides, len(t.Values))})
}

// Shown opens a hidden roll of an earlier step.
type Shown struct {
	Step int
	Roll Roll
}

// Answer is what a player said inside a step, verbatim, or in agreeing to an
// amendment.
type Answer struct {
	Player string
	Text   string
}

// Sent tells when the mail server took a player's copy of the close record;
// the zero time if it hasn't yet.
type Sent struct {
	Player string
	Time   time.Time
}

func (s Sent) equal(o Sent) bool { return s.Player == o.Player && s.Time.Equal(o.Time) }

// Grade is how much a step's dice prove.
type Grade string

// The two grades. GradeBeacon: nobody, operator included, could know a die
// before the orders were closed. GradeChain: nobody could change a die; an
// operator who plays along with one side could foresee it.
const (
	GradeBeacon Grade = "beacon"
	GradeChain  Grade = "chain"
)

// Step opens a step's link when it is over and lists its rolls.
type Step struct {
	Game    string
	Step    int
	Dice    Hash   // the step's link of the dice chain
	Beacon  []byte // signature of the close record's round, nil for none
	Rolls   []Roll
	Shown   []Shown
	Answers []Answer
	Rules   int    // version it was played by
	Sent    []Sent // with a beacon: every player, sorted
	Grade   Grade
	Time    time.Time
}

// Kind implements [Body].
func (Step) Kind() Kind     { return KindStep }
func (s Step) game() string { return s.Game }

func (s Step) write(w *writer) {
	w.number("step", s.Step)
	w.hash("dice", s.Dice)
	if s.Beacon == nil {
		w.word("beacon", "none")
	} else {
		w.hex("beacon", s.Beacon)
	}
	for _, t := range s.Rolls {
		w.word("roll", t.value())
	}
	w.shown(s.Shown)
	w.answers(s.Answers)
	w.number("rules", s.Rules)
	for _, x := range s.Sent {
		if x.Time.IsZero() {
			w.word("sent", x.Player+" -")
		} else {
			w.word("sent", x.Player+" "+stamp(x.Time))
		}
	}
	w.word("grade", string(s.Grade))
	w.time("time", s.Time)
}

func (w *writer) shown(list []Shown) {
	for _, x := range list {
		x.Roll.Hidden = false
		w.word("show", strconv.Itoa(x.Step)+" "+x.Roll.value())
	}
}

func (w *writer) answers(list []Answer) {
	for _, a := range list {
		w.word("answer", after(a.Player, a.Text))
	}
}

func (p *reader) step(game string) Step {
	s := Step{Game: game, Step: p.number("step"), Dice: p.hash("dice")}
	if p.next("beacon", "none") {
		p.word("beacon")
	} else {
		s.Beacon = p.hex("beacon", 48)
	}
	for p.at("roll") {
		s.Rolls = append(s.Rolls, p.roll(p.word("roll")))
	}
	s.Shown, s.Answers = p.shown(), p.answers()
	s.Rules = p.number("rules")
	for p.at("sent") {
		player, at := p.cut(p.word("sent"))
		x := Sent{Player: player}
		if at != "-" {
			x.Time = p.moment(at)
		}
		s.Sent = append(s.Sent, x)
	}
	s.Grade, s.Time = Grade(p.word("grade")), p.time("time")
	return s
}

func (p *reader) shown() (list []Shown) {
	for p.at("show") {
		n, rest := p.cut(p.word("show"))
		list = append(list, Shown{p.int(n), p.roll(rest)})
	}
	return list
}

func (p *reader) answers() (list []Answer) {
	for p.at("answer") {
		player, text := p.cut(p.word("answer"))
		list = append(list, Answer{player, p.unescape(text)})
	}
	return list
}

// What says what an [Amend] changes.
type What string

// The amendments. None of them can change a die.
const (
	Rollback  What = "rollback" // steps from Step on are played again, by Rules
	NewRules  What = "rules"    // steps from Step on are played by Rules
	NewKey    What = "key"      // records after this one are signed by Key
	NewChains What = "chain"    // steps from Step on take links of new chains
	GradeDown What = "grade"    // all players asked for chain dice from Step on
	Void      What = "void"     // Step is taken back by all, its beacon never having come
)

// What each player must have said for an amendment that all must agree to.
const (
	SaysGradeChain = "GRADE CHAIN"
	SaysAgree      = "AGREE"
)

// Amend changes the course of a game in the open. Fields that its What has no
// use for are zero.
type Amend struct {
	Game    string
	What    What
	Step    int
	Rules   int
	Dice    Hash
	Seal    Hash
	Links   int
	Beacon  bool // a grade amendment, which says "beacon: none"
	Hidden  Hash
	Key     ed25519.PublicKey
	KeySig  []byte // by Key, over the lines above it
	Answers []Answer
	Reason  string
	Time    time.Time
}

// Kind implements [Body].
func (Amend) Kind() Kind     { return KindAmend }
func (a Amend) game() string { return a.Game }

func (a Amend) write(w *writer) {
	w.word("what", string(a.What))
	w.number("step", a.Step)
	if a.Rules != 0 {
		w.number("rules", a.Rules)
	}
	if a.Links != 0 {
		w.hash("dice", a.Dice)
		w.hash("seal", a.Seal)
		w.number("links", a.Links)
	}
	if a.Beacon {
		w.word("beacon", "none")
	}
	if a.Links != 0 {
		w.hash("hidden", a.Hidden)
	}
	if a.Key != nil {
		w.hex("key", a.Key)
	}
	if a.KeySig != nil {
		w.word("key-sig", base64.StdEncoding.EncodeToString(a.KeySig))
	}
	w.answers(a.Answers)
	w.text("reason", a.Reason)
	w.time("time", a.Time)
}

func (p *reader) amend(game string) Amend {
	a := Amend{Game: game, What: What(p.word("what")), Step: p.number("step")}
	if p.at("rules") {
		a.Rules = p.number("rules")
	}
	chains := p.at("dice")
	if chains {
		a.Dice, a.Seal, a.Links = p.hash("dice"), p.hash("seal"), p.links()
	}
	if p.next("beacon", "none") {
		p.word("beacon")
		a.Beacon = true
	}
	if chains {
		a.Hidden = p.hash("hidden")
	}
	if p.at("key") {
		a.Key = p.hex("key", ed25519.PublicKeySize)
	}
	if p.at("key-sig") {
		a.KeySig = p.base64("key-sig", ed25519.SignatureSize)
	}
	a.Answers = p.answers()
	a.Reason, a.Time = p.text("reason"), p.time("time")
	return a
}

// keyMessage is what a new key signs: the lines of the amendment above its
// signature.
func (a Amend) keyMessage() []byte {
	w := &writer{}
	w.WriteString("pbem-record v1 amend\n")
	w.word("game", a.Game)
	w.word("what", string(a.What))
	w.number("step", a.Step)
	w.word("key", hex.EncodeToString(a.Key))
	return w.Bytes()
}

// End closes a game and opens everything that was still shut.
type End struct {
	Game   string
	Steps  int
	Result string
	Seal   []Hash // the last link of every seal chain the game had, in order
	Hidden []Hash
	Shown  []Shown
	Time   time.Time
}

// Kind implements [Body].
func (End) Kind() Kind     { return KindEnd }
func (e End) game() string { return e.Game }

func (e End) write(w *writer) {
	w.number("steps", e.Steps)
	w.text("result", e.Result)
	for _, h := range e.Seal {
		w.hash("seal", h)
	}
	for _, h := range e.Hidden {
		w.hash("hidden", h)
	}
	w.shown(e.Shown)
	w.time("time", e.Time)
}

func (p *reader) end(game string) End {
	e := End{Game: game, Steps: p.number("steps"), Result: p.text("result")}
	for p.at("seal") {
		e.Seal = append(e.Seal, p.hash("seal"))
	}
	for p.at("hidden") {
		e.Hidden = append(e.Hidden, p.hash("hidden"))
	}
	e.Shown, e.Time = p.shown(), p.time("time")
	return e
}
