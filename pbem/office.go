package pbem

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"pbemd/engine"
	"pbemd/engine/dice"
	"pbemd/pbem/auth"
)

// Config is what an [Office] works with.
type Config struct {
	Archive  Archive
	Rules    []Rules
	Reporter Reporter // nil means Plain
	Mailbox  string   // gm@example.org, with sub-addresses gm+…@example.org
	Name     string   // shown before the mailbox in From
	Authserv string   // whose Authentication-Results are trusted
	Lookup   auth.LookupTXT
	// SubjectTokens puts tokens into subjects, for mailboxes that know no
	// sub-addresses.
	SubjectTokens bool
	TokenKey      []byte             // of all tokens
	SignKey       ed25519.PrivateKey // of all records
	Build         dice.Hash          // of the rules build
	Links         int                // of a game's chains; 0 means dice.Links

	Now    func() time.Time
	Random io.Reader // secrets of new games; nil means the operating system's
	Log    *slog.Logger
	// Beacon gives the signature of a round of the public beacon, or an error
	// while it isn't there. Nil: games have dice of the grade chain only.
	Beacon func(ctx context.Context, round uint64) ([]byte, error)
	Drand  *dice.Drand // the beacon that new games pin; nil means Quicknet
	Caps   Caps
	Jitter func() float64 // -1 … 1, for the times of retries; nil means none
	Watch  Watch          // nil: nobody counts
	// Sign puts a signature before a mail as it is frozen (DKIM); nil: none.
	Sign func(message []byte) ([]byte, error)
}

// Watch is told what happens, for metrics. Its methods return at once.
type Watch interface {
	// Taken is told of each incoming mail: what became of it, and how long after
	// it came.
	Taken(outcome Outcome, lag time.Duration)
	// Tried is told of each attempt to send a mail: the state it is in now.
	Tried(state OutState)
}

// nobody watches.
type nobody struct{}

func (nobody) Taken(Outcome, time.Duration) {}
func (nobody) Tried(OutState)               {}

// Caps are the limits of what one address may cause. Zero fields take the
// defaults.
type Caps struct {
	MailsPerHour  int           // of one sender; the rest waits. 60
	NoticesPerDay int           // to one address about mails without a sheet. 20
	SentPerHour   int           // by the whole server, then the outbox stops. 200
	BadKeysPerDay int           // of one game, then only registered senders may use a token. 20
	Attempts      int           // at one mail, cut short by the server's end, before it is held back. 3
	Park          time.Duration // how long a mail is tried. 5 days
}

func (c Caps) fill() Caps {
	for _, f := range []struct {
		p *int
		n int
	}{{&c.MailsPerHour, 60}, {&c.NoticesPerDay, 20}, {&c.SentPerHour, 200}, {&c.BadKeysPerDay, 20}, {&c.Attempts, 3}} {
		if *f.p == 0 {
			*f.p = f.n
		}
	}
	if c.Park == 0 {
		c.Park = 5 * 24 * time.Hour
	}
	return c
}

// Office is the post office: it takes mails, cranks games and sends what it has
// queued. Its methods may be called from several goroutines; those that change
// games run one at a time.
type Office struct {
	cfg   Config
	rules map[string]Rules

	mu    sync.Mutex
	plays map[string]Play // by rules, options and data set
	kept  map[GameID]*table
	order []GameID // of kept, the longest unused first

	flush    sync.Mutex
	unmarked []Change      // what became of mails that were tried, and couldn't be kept
	wake     chan struct{} // something was queued

	drains   sync.Mutex
	serving  bool
	forgiven map[string]int      // attempts at mails that weren't cut short, though the store says so
	drained  time.Time           // when the last whole look at the mailbox began
	waiting  map[[2]uint32]waits // mails that have to wait, by their place; for Run and Drain alone
	began    time.Time
}

// waits says until when a mail is left alone.
type waits struct {
	until time.Time
	held  bool // it should have been done by now: the mailbox isn't drained without it
}

// New makes an office.
func New(c Config) (*Office, error) {
	switch {
	case c.Archive == nil:
		return nil, errors.New("the office has no archive")
	case len(c.TokenKey) < 16:
		return nil, errors.New("the key of the tokens is too short")
	case len(c.SignKey) != ed25519.PrivateKeySize:
		return nil, errors.New("the office has no key to sign records with")
	case c.Mailbox == "":
		return nil, errors.New("the office has no mailbox")
	}
	if c.Reporter == nil {
		c.Reporter = Plain{}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Random == nil {
		c.Random = rand.Reader
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Drand == nil {
		c.Drand = &dice.Quicknet
	}
	if c.Links == 0 {
		c.Links = dice.Links
	}
	if c.Jitter == nil {
		c.Jitter = func() float64 { return 0 }
	}
	if c.Watch == nil {
		c.Watch = nobody{}
	}
	c.Caps = c.Caps.fill()
	o := &Office{cfg: c, rules: map[string]Rules{}, plays: map[string]Play{}, kept: map[GameID]*table{}, wake: make(chan struct{}, 1), began: c.Now(), forgiven: map[string]int{}}
	for _, r := range c.Rules {
		o.rules[r.ID] = r
	}
	return o, nil
}

// maxKept is how many games are kept ready in memory.
const maxKept = 32

// play gives the game of a data set and options.
func (o *Office) play(g *Game) (Play, error) {
	key := g.Rules + "\x00" + g.Data + "\x00" + string(g.Options)
	if p, ok := o.plays[key]; ok {
		return p, nil
	}
	r, ok := o.rules[g.Rules]
	if !ok {
		return Play{}, fmt.Errorf("game %v is of the rules %q, which this pbemd doesn't have", g.ID, g.Rules)
	}
	set, err := o.data(g.Data)
	if err != nil {
		return Play{}, fmt.Errorf("data set of game %v: %w", g.ID, err)
	}
	p, err := r.Load(files(set), g.Options)
	if err != nil {
		return Play{}, fmt.Errorf("load game %v: %w", g.ID, err)
	}
	if len(o.plays) >= maxKept {
		clear(o.plays)
	}
	o.plays[key] = p
	return p, nil
}

// table is a game as it lies on the table: with its position, its dice, and
// what has been changed since it was read.
type table struct {
	Game
	play   Play
	pos    engine.Position
	events []engine.Event // those that count
	dice   *dice.Log      // nil before the start

	stored  int // Rev in the archive
	changed bool
	turned  bool           // a player-turn has ended
	asked   bool           // a question was put
	played  bool           // a burst was executed, to its end or to a question
	partial []engine.Event // of a paused order
	log     []Entry
	records []Sealed
	bursts  []Burst
}

// open puts a game on the table.
func (o *Office) open(id GameID) (*table, error) {
	g, err := o.cfg.Archive.Game(id)
	if err != nil {
		return nil, err
	}
	if t := o.kept[id]; t != nil && t.stored == g.Rev && !t.changed {
		return t, nil
	}
	t := &table{Game: g, stored: g.Rev}
	if t.play, err = o.play(&g); err != nil {
		return nil, err
	}
	log, err := o.cfg.Archive.Log(id, 0)
	if err != nil {
		return nil, fmt.Errorf("log of game %v: %w", id, err)
	}
	for _, r := range Counting(log) {
		e, err := t.play.Codec().Decode(r)
		if err != nil {
			return nil, fmt.Errorf("game %v: %w", id, err)
		}
		t.events = append(t.events, e)
	}
	t.pos = engine.Replay(t.play.Game, t.events)
	if g.Records > 0 {
		if err := o.resumeDice(t); err != nil {
			return nil, err
		}
	}
	o.keep(t)
	return t, nil
}

func (o *Office) resumeDice(t *table) error {
	texts, err := o.cfg.Archive.Records(t.ID, 0)
	if err != nil {
		return fmt.Errorf("records of game %v: %w", t.ID, err)
	}
	var list []dice.Record
	for _, s := range texts {
		r, err := dice.Parse([]byte(s.Text))
		if err != nil {
			return fmt.Errorf("record %d of game %v: %w", s.N, t.ID, err)
		}
		list = append(list, r)
	}
	var secrets []dice.Secrets
	for _, c := range append([]Secrets{t.Chains}, t.More...) {
		secrets = append(secrets, c.secrets())
	}
	t.dice, err = dice.Resume(list, secrets, o.cfg.SignKey)
	return err
}

func (s Secrets) secrets() dice.Secrets {
	return dice.Secrets{Dice: dice.Hash(s.Dice), Seal: dice.Hash(s.Seal), Hidden: dice.Hash(s.Hidden), Links: s.Links, Mark: s.Mark}
}

func keepSecrets(s dice.Secrets) Secrets {
	return Secrets{Dice: s.Dice[:], Seal: s.Seal[:], Hidden: s.Hidden[:], Links: s.Links, Mark: s.Mark}
}

// keep remembers a table for the next mail.
func (o *Office) keep(t *table) {
	o.drop(t.ID)
	o.kept[t.ID] = t
	o.order = append(o.order, t.ID)
	if len(o.order) > maxKept {
		delete(o.kept, o.order[0])
		o.order = o.order[1:]
	}
}

func (o *Office) drop(id GameID) {
	delete(o.kept, id)
	for i, k := range o.order {
		if k == id {
			o.order = append(o.order[:i:i], o.order[i+1:]...)
			return
		}
	}
}

// emit takes events of a burst into the log.
func (t *table) emit(events []engine.Event, burst int, now time.Time) error {
	for _, e := range events {
		r, err := t.play.Codec().Encode(e)
		if err != nil {
			return fmt.Errorf("game %v: %w", t.ID, err)
		}
		t.Log++
		t.log = append(t.log, Entry{N: t.Log, At: now, Burst: burst, Event: &r})
		t.events = append(t.events, e)
		t.Seq = e.Seq
	}
	t.changed = true
	return nil
}

// cut takes events back: those after one no longer count.
func (t *table) cut(after, burst int, now time.Time) {
	t.Log++
	t.log = append(t.log, Entry{N: t.Log, At: now, Burst: burst, Undo: &after})
	n := len(t.events)
	for n > 0 && t.events[n-1].Seq > after {
		n--
	}
	t.events = t.events[:n:n]
	t.Seq = after
	t.pos = engine.Replay(t.play.Game, t.events)
	t.State = t.pos.State()
	t.changed = true
}

// before is the position before the events after one.
func (t *table) before(seq int) engine.Position {
	if seq >= t.Seq {
		return t.pos
	}
	n := 0
	for n < len(t.events) && t.events[n].Seq <= seq {
		n++
	}
	return engine.Replay(t.play.Game, t.events[:n])
}

// since are the events after one.
func (t *table) since(seq int) []engine.Event {
	n := len(t.events)
	for n > 0 && t.events[n-1].Seq > seq {
		n--
	}
	return t.events[n:]
}

// seal takes a record into the chain.
func (t *table) seal(r dice.Record, orders map[engine.Side][]string) int {
	t.Records++
	h := r.Hash()
	t.Head = h.String()
	t.records = append(t.records, Sealed{N: t.Records, Kind: string(r.Body.Kind()), Step: r.Step(), Hash: h.String(), Text: string(r.Text()), Orders: orders})
	t.changed = true
	return t.Records
}

// burst reads a burst that may not be stored yet.
func (o *Office) burst(t *table, n int) (Burst, error) {
	for i := len(t.bursts) - 1; i >= 0; i-- {
		if t.bursts[i].N == n {
			return t.bursts[i], nil
		}
	}
	b, err := o.cfg.Archive.Burst(t.ID, n)
	if err != nil {
		return b, fmt.Errorf("burst %d of game %v: %w", n, t.ID, err)
	}
	return b, nil
}

// putBurst keeps a burst, the latest version of it.
func (t *table) putBurst(b Burst) {
	for i := range t.bursts {
		if t.bursts[i].N == b.N {
			t.bursts[i] = b
			t.changed = true
			return
		}
	}
	t.bursts = append(t.bursts, b)
	t.changed = true
}

// work is one piece of work: a mail, a tick, a word of the operator. It ends in
// one commit.
type work struct {
	o       *Office
	ctx     context.Context
	now     time.Time
	key     string // of the mail
	tables  map[GameID]*table
	opened  []GameID
	change  Change
	letters []*draft
	sheets  []*sheetOfPaper
	closed  []*closing
	fetched round // of the beacon, for the game whose timer is due
}

// draft is a letter and whom it goes to.
type draft struct {
	t      *table // nil for strangers
	seat   engine.Side
	to     string // "" means the seat's address
	l      Letter
	answer bool   // to the mail: its Message-ID derives from the mail's key
	parent string // Message-ID of the mail answered
	full   bool   // with everything since the last report
	view   bool   // with the state of the game
	bare   bool   // without a token, to an address that is no seat's any more
	burst  int    // the burst it is the receipt of
	key    string // of the mail answered, if not the one at hand
	again  bool   // a second answer to the mail for the game
	record int    // number of the close record that it carries
}

// closing is a step that was closed in this work and is to be rolled.
type closing struct {
	t  *table
	to *draft // the receipt
	// stored says that the close record is on disk already.
	stored bool
}

func (o *Office) work(ctx context.Context) *work {
	return &work{o: o, ctx: ctx, now: o.cfg.Now().UTC(), tables: map[GameID]*table{}}
}

func (w *work) table(id GameID) (*table, error) {
	if t := w.tables[id]; t != nil {
		return t, nil
	}
	t, err := w.o.open(id)
	if err != nil {
		return nil, err
	}
	w.tables[id] = t
	w.opened = append(w.opened, id)
	return t, nil
}

// abandon forgets what was changed in memory only.
func (w *work) abandon() {
	for _, id := range w.opened {
		w.o.drop(id)
	}
}

// gather moves what a table has changed into a change.
func (t *table) gather(c *Change) {
	if !t.changed {
		return
	}
	t.Rev = t.stored + 1
	c.Games = append(c.Games, t.Game)
	for _, e := range t.log {
		c.Log = append(c.Log, GameEntry{t.ID, e})
	}
	for _, r := range t.records {
		c.Records = append(c.Records, GameRecord{t.ID, r})
	}
	for _, b := range t.bursts {
		c.Bursts = append(c.Bursts, GameBurst{t.ID, b})
	}
}

func (t *table) settled() {
	if t.changed {
		t.stored = t.Rev
	}
	t.changed, t.turned, t.asked, t.played, t.partial = false, false, false, false, nil
	t.log, t.records, t.bursts = nil, nil, nil
}

// commit writes everything.
func (w *work) commit() error {
	if err := w.post(); err != nil {
		return err
	}
	for _, id := range w.opened {
		if t := w.tables[id]; t.changed {
			w.o.timers(t)
		}
	}
	c := w.change
	for _, id := range w.opened {
		w.tables[id].gather(&c)
	}
	if err := w.o.cfg.Archive.Commit(c); err != nil {
		return err
	}
	for _, id := range w.opened {
		w.tables[id].settled()
	}
	if len(c.Outgoing) > 0 {
		select {
		case w.o.wake <- struct{}{}:
		default:
		}
	}
	return nil
}

// do runs a piece of work to its commit, once more if a game has moved
// meanwhile.
func (o *Office) do(ctx context.Context, f func(w *work) error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for try := 0; ; try++ {
		w := o.work(ctx)
		err := o.once(w, f)
		if err == nil {
			return nil
		}
		w.abandon()
		if !errors.Is(err, ErrMoved) || try == 2 {
			return err
		}
	}
}

func (o *Office) once(w *work, f func(w *work) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &Panic{r, string(debug.Stack())}
		}
		if err != nil {
			w.abandon()
		}
	}()
	if err := f(w); err != nil {
		return err
	}
	if err := w.run(); err != nil {
		return err
	}
	return w.commit()
}

// Panic is the error of work that broke a promise of our own.
type Panic struct {
	Value any
	Stack string
}

func (p *Panic) Error() string { return fmt.Sprintf("panic: %v", p.Value) }
