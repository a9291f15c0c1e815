package pbem

import (
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"pbemd/engine"
)

// GameID is the number of a game on this server; it is never used again. In
// mails, records and tokens it stands in decimal.
type GameID uint64

// String is the number in decimal.
func (g GameID) String() string { return strconv.FormatUint(uint64(g), 10) }

// ParseGameID reads what String writes.
func ParseGameID(s string) (GameID, bool) {
	n, err := strconv.ParseUint(s, 10, 63)
	if err != nil || n == 0 || strconv.FormatUint(n, 10) != s {
		return 0, false
	}
	return GameID(n), true
}

// ErrNotFound is the error of a look-up that finds nothing.
var ErrNotFound = errors.New("there is no such thing in the store")

// ErrMoved is returned by [Archive.Commit] when a game has been changed since it
// was read: nothing was written, and the work is to be done again.
var ErrMoved = errors.New("the game has moved meanwhile")

// Archive keeps everything that must outlive the process. What was read is the
// caller's own. Every look-up is by key, so that its cost doesn't depend on how
// many games there are.
type Archive interface {
	// Game returns a game.
	Game(id GameID) (Game, error)
	// Games lists up to n games after one, in the order of their numbers.
	Games(after GameID, n int) ([]Game, error)
	// NextGame is the number that the next game gets.
	NextGame() (GameID, error)
	// Log returns the log of a game after entry number after.
	Log(id GameID, after int) ([]Entry, error)
	// Records returns the records of a game after number after.
	Records(id GameID, after int) ([]Sealed, error)
	// Burst returns an executed sheet.
	Burst(id GameID, n int) (Burst, error)
	// Seats lists the seats an address is registered for, by game and side.
	Seats(address string) ([]SeatRef, error)
	// Data returns the files of a data set by the digest of all.
	Data(digest string) (map[string][]byte, error)

	// Mail returns what became of an incoming mail, by its key; the raw bytes
	// too if they were kept.
	Mail(key string) (Mail, error)
	// Mails lists up to n incoming mails, the latest first, before one (by its
	// Order; 0 for the latest), without their bytes.
	Mails(before uint64, n int) ([]Mail, error)
	// Attempts is how many attempts at a message of the mailbox were counted and
	// not finished.
	Attempts(ref string) (int, error)
	// Attempt counts the attempts at a message of the mailbox, this one
	// included, in a commit of its own.
	Attempt(ref string) (int, error)

	// Account returns the counters of an address; zero if it has none.
	Account(address string) (Account, error)

	// Outgoing returns an outgoing mail with its bytes.
	Outgoing(id string) (Outgoing, error)
	// Outbox lists up to n outgoing mails in a state in the order of their ids
	// after one, without their bytes.
	Outbox(state OutState, after string, n int) ([]Outgoing, error)
	// Due lists up to n pending mails whose time has come, the longest waiting
	// first, without their bytes.
	Due(now time.Time, n int) ([]Outgoing, error)
	// Timers lists up to n games of which a timer has run out, the longest ago
	// first.
	Timers(now time.Time, n int) ([]GameID, error)

	// Commit writes a change, all of it or nothing. When it returns nil the
	// change is on disk.
	Commit(c Change) error
}

// Change is everything that one mail, one tick of the clock or one word of the
// operator does.
type Change struct {
	// Games are written whole. Rev must be one more than that of the stored
	// game, 1 for a new one, or else the commit is ErrMoved.
	Games    []Game
	Log      []GameEntry
	Records  []GameRecord
	Bursts   []GameBurst
	Data     map[string]map[string][]byte // data sets by digest
	Mails    []Mail
	Done     []string // attempt counters no longer needed
	Accounts []Account
	Outgoing []Outgoing // new, or known by their ID and changed; nil bytes leave the stored ones
}

// GameEntry, GameRecord and GameBurst are what they name, and whose they are.
type (
	GameEntry struct {
		Game  GameID
		Entry Entry
	}
	// GameRecord is a record and its game.
	GameRecord struct {
		Game   GameID
		Record Sealed
	}
	// GameBurst is a burst and its game.
	GameBurst struct {
		Game  GameID
		Burst Burst
	}
)

// Stage is where a game is in its life.
type Stage string

// The stages of a game.
const (
	Inviting Stage = "inviting" // not every seat has joined
	Playing  Stage = "playing"
	Over     Stage = "over"   // played to its end
	Closed   Stage = "closed" // by the operator; nothing is taken
)

// Game is what is known of a game beside its log.
type Game struct {
	ID      GameID          `json:"id"`
	Rev     int             `json:"rev"` // raised by every change
	Rules   string          `json:"rules"`
	Version int             `json:"version"`
	Options json.RawMessage `json:"options,omitempty"`
	Data    string          `json:"data,omitempty"` // digest of the data set
	Stage   Stage           `json:"stage"`
	Held    bool            `json:"held,omitempty"`
	Created time.Time       `json:"created"`
	Terms   Terms           `json:"terms"`
	Chains  Secrets         `json:"chains"`
	More    []Secrets       `json:"more,omitempty"` // chains that serve when the links have run out
	Seats   []Seat          `json:"seats"`          // in the order of the game

	State   engine.State `json:"state"`
	Log     int          `json:"log"`     // entries
	Seq     int          `json:"seq"`     // the last event that counts
	Records int          `json:"records"` // in the chain
	Head    string       `json:"head,omitempty"`
	Step    int          `json:"step"`   // the last step opened
	Bursts  int          `json:"bursts"` // executed sheets, the start included
	Floor   int          `json:"floor"`  // UNDO never goes below this event
	Began   int          `json:"began"`  // the last event before the phase under way
	Since   time.Time    `json:"since"`  // the side to act has been it since then
	Reminds int          `json:"reminds,omitempty"`
	Resumed []string     `json:"resumed,omitempty"` // keys of mails whose step was ended without them
	Later   []Later      `json:"later,omitempty"`   // for the end of the step under way
	Result  string       `json:"result,omitempty"`
	Score   *Score       `json:"score,omitempty"` // in a series, once the game is over

	Pending   *Pending `json:"pending,omitempty"`
	Questions int      `json:"questions"` // asked so far
	Plea      *Plea    `json:"plea,omitempty"`
	Timers    []Timer  `json:"timers,omitempty"`
}

// Seat finds a seat; nil if the game has none for the side.
func (g *Game) Seat(s engine.Side) *Seat {
	for i := range g.Seats {
		if g.Seats[i].Side == s {
			return &g.Seats[i]
		}
	}
	return nil
}

// Others are the seats of the other sides.
func (g *Game) Others(s engine.Side) []*Seat {
	var out []*Seat
	for i := range g.Seats {
		if g.Seats[i].Side != s {
			out = append(out, &g.Seats[i])
		}
	}
	return out
}

// Terms are agreed when a game is made.
type Terms struct {
	AnswerHours int    `json:"answerHours"`      // to answer a question
	Days        int    `json:"days,omitempty"`   // until a reminder; 0: none
	Beacon      bool   `json:"beacon,omitempty"` // dice of the grade beacon
	NoJoin      bool   `json:"noJoin,omitempty"` // begins without invitations
	Seed        string `json:"seed,omitempty"`   // of a demonstration
}

// Secrets are the last links of a game's chains.
type Secrets struct {
	Dice   []byte `json:"dice"`
	Seal   []byte `json:"seal"`
	Hidden []byte `json:"hidden"`
	Links  int    `json:"links"`
	Mark   string `json:"mark,omitempty"`
}

// Seat is a side of a game and who plays it.
type Seat struct {
	Side    engine.Side `json:"side"`
	Name    string      `json:"name"`
	Address string      `json:"address"`
	Lang    string      `json:"lang,omitempty"`
	Zone    string      `json:"zone,omitempty"`
	Epoch   int         `json:"epoch"` // raised to void all tokens
	Strict  bool        `json:"strict,omitempty"`
	Key     string      `json:"key,omitempty"` // OpenPGP, armoured
	Joined  bool        `json:"joined"`

	Salt     string   `json:"salt,omitempty"`
	Standing []string `json:"standing,omitempty"` // canonical lines
	Ask      []string `json:"ask,omitempty"`      // decisions to be mailed
	Maps     string   `json:"maps,omitempty"`     // EVERY, TURN, NEVER
	Reports  string   `json:"reports,omitempty"`  // EACH, TURN
	Chain    bool     `json:"chain,omitempty"`    // has asked for GRADE CHAIN

	Tokens  []int         `json:"tokens,omitempty"` // phase serials of the last two kinds of token mailed, the latest last
	Sent    int           `json:"sent"`             // mails numbered so far
	Told    int           `json:"told"`             // the last event reported
	Proofs  int           `json:"proofs"`           // the last record mailed
	Root    string        `json:"root,omitempty"`   // Message-ID of the first mail
	Last    string        `json:"last,omitempty"`   // of the latest
	Bad     int           `json:"bad,omitempty"`    // mails with a wrong key since the last report
	BadDay  string        `json:"badDay,omitempty"` // the day they are counted for the alarm
	BadRun  int           `json:"badRun,omitempty"`
	Notices []engine.Text `json:"notices,omitempty"`
	Said    []string      `json:"said,omitempty"` // marks of the messages that refused sheets of this phase have passed on
	Moving  *Moving       `json:"moving,omitempty"`
	TellAt  time.Time     `json:"tellAt"`            // when what is unreported is reported at the latest; zero: nothing is
	Failing bool          `json:"failing,omitempty"` // its address bounces
}

// Later is what a seat ordered for NOW while a step was under way.
type Later struct {
	Side  engine.Side `json:"side"`
	Lines []Line      `json:"lines"`
	Mail  string      `json:"mail"`
}

// Moving is an address on its way to be replaced.
type Moving struct {
	To    string    `json:"to"`
	Word  string    `json:"word"`
	Asked time.Time `json:"asked"`
	Taken bool      `json:"taken,omitempty"` // answered from the new address
}

// SeatRef names a seat.
type SeatRef struct {
	Game GameID
	Side engine.Side
}

// Entry is one entry of a game's log, which only grows: an event, or the word
// that the events after one no longer count.
type Entry struct {
	N     int            `json:"n"`
	At    time.Time      `json:"at"`
	Burst int            `json:"burst"`
	Event *engine.Record `json:"event,omitempty"`
	Undo  *int           `json:"undo,omitempty"`
}

// Counting are the events of a log that count.
func Counting(log []Entry) []engine.Record {
	var out []engine.Record
	for _, e := range log {
		switch {
		case e.Event != nil:
			out = append(out, *e.Event)
		case e.Undo != nil:
			for len(out) > 0 && out[len(out)-1].Seq > *e.Undo {
				out = out[:len(out)-1]
			}
		}
	}
	return out
}

// Sealed is a signed record of the dice protocol as text.
type Sealed struct {
	N    int    `json:"n"`
	Kind string `json:"kind"`
	Step int    `json:"step,omitempty"`
	Hash string `json:"hash"`
	Text string `json:"text"`
	// Orders are what the C of a sheet or close record were made of.
	Orders map[engine.Side][]string `json:"orders,omitempty"`
}

// Burst is one executed sheet, or the start of the game (number 1).
type Burst struct {
	N        int                      `json:"n"`
	Side     engine.Side              `json:"side,omitempty"`
	State    engine.State             `json:"state"` // when it began
	Step     int                      `json:"step,omitempty"`
	Lines    []Line                   `json:"lines,omitempty"`
	Standing map[engine.Side][]string `json:"standing,omitempty"` // frozen
	Ask      map[engine.Side][]string `json:"ask,omitempty"`
	Answers  []Given                  `json:"answers,omitempty"`
	From     int                      `json:"from"`  // the last event before
	To       int                      `json:"to"`    // its last event
	Began    int                      `json:"began"` // the last event before the phase it began in
	Version  int                      `json:"version"`
	Digest   string                   `json:"digest,omitempty"` // of the canonical text
	Mail     string                   `json:"mail,omitempty"`   // key of the mail
	Report   int                      `json:"report,omitempty"` // number of its sender's report
	Reply    Reply                    `json:"reply,omitzero"`
	At       time.Time                `json:"at"`
	Undone   bool                     `json:"undone,omitempty"`
	Cut      bool                     `json:"cut,omitempty"` // its end was taken back
}

// Reply is what an answer has to know of the mail it answers.
type Reply struct {
	MessageID  string   `json:"messageID,omitempty"`
	Normalised []string `json:"normalised,omitempty"`
	ReadAs     []ReadAs `json:"readAs,omitempty"`
	Other      string   `json:"other,omitempty"` // the sender, if not the registered address
}

// ReadAs says what was read as what.
type ReadAs struct {
	Line int    `json:"line"`
	Was  string `json:"was"`
	As   string `json:"as"`
}

// Line is a canonical order line and its place in the mail.
type Line struct {
	N    int    `json:"n"`
	Text string `json:"text"`
}

// Given is an answer as it is kept.
type Given struct {
	engine.Answer
	Lines []string `json:"lines,omitempty"` // standing clauses that hold from then on
}

// Pending is a step under way: it waits for an answer, or for a round of the
// beacon.
type Pending struct {
	Burst    int              `json:"burst"`
	Next     int              `json:"next"` // index of the order under way
	No       int              `json:"no,omitempty"`
	Question *engine.Question `json:"question,omitempty"`
	Asked    time.Time        `json:"asked"`
	Deadline time.Time        `json:"deadline"`
	Reminded bool             `json:"reminded,omitempty"`
	Round    uint64           `json:"round,omitempty"`
	Close    int              `json:"close,omitempty"`  // number of the close record
	Beacon   []byte           `json:"beacon,omitempty"` // the round's signature
	// Copies are the mails that carry the close record.
	Copies map[engine.Side]string `json:"copies,omitempty"`
	Agreed []engine.Side          `json:"agreed,omitempty"` // to take the step back
}

// Plea is something one side has asked the other for.
type Plea struct {
	Kind  string      `json:"kind"` // undo, draw
	By    engine.Side `json:"by"`
	Seq   int         `json:"seq,omitempty"` // what UNDO goes back to
	At    int         `json:"at"`            // the last event when it was made
	Until time.Time   `json:"until"`
}

// Timer wakes a game up.
type Timer struct {
	Kind string      `json:"kind"`
	Side engine.Side `json:"side,omitempty"`
	At   time.Time   `json:"at"`
}

// Outcome is what became of an incoming mail.
type Outcome string

// The outcomes of DECISIONS 4.
const (
	Accepted    Outcome = "accept"
	Duplicate   Outcome = "duplicate"
	Ignored     Outcome = "ignore"
	Rejected    Outcome = "reject"
	Quarantined Outcome = "quarantine"
)

// Mail is what became of an incoming mail.
type Mail struct {
	Key      string    `json:"key"`
	Order    uint64    `json:"order"` // given by the archive, in order of arrival
	Received time.Time `json:"received"`
	Handled  time.Time `json:"handled"`
	From     string    `json:"from,omitempty"`
	Subject  string    `json:"subject,omitempty"`
	Outcome  Outcome   `json:"outcome"`
	Why      string    `json:"why,omitempty"`
	Games    []GameID  `json:"games,omitempty"`
	Answers  []string  `json:"answers,omitempty"` // ids of the outgoing mails
	Size     int       `json:"size"`
	Raw      []byte    `json:"-"`
}

// Account counts what an address does, for caps and bounces.
type Account struct {
	Address   string    `json:"address"`
	Hour      time.Time `json:"hour"` // the hour counted
	Received  int       `json:"received"`
	Day       time.Time `json:"day"`
	Answers   int       `json:"answers"`
	Helped    time.Time `json:"helped"`
	Bounces   int       `json:"bounces,omitempty"`
	Suspended bool      `json:"suspended,omitempty"`
}

// OutState is the state of an outgoing mail.
type OutState string

// The states of outgoing mails.
const (
	OutPending OutState = "pending"
	OutSent    OutState = "sent"
	OutParked  OutState = "parked" // given up, until the operator says otherwise
	OutHeld    OutState = "held"   // its address is failing
	OutDropped OutState = "dropped"
)

// Outgoing is one mail to one recipient; its bytes never change.
type Outgoing struct {
	ID      string      `json:"id"` // the local part of its Message-ID
	Game    GameID      `json:"game,omitempty"`
	Side    engine.Side `json:"side,omitempty"`
	Kind    string      `json:"kind"`
	From    string      `json:"from"` // reverse-path
	To      string      `json:"to"`
	Subject string      `json:"subject,omitempty"`
	Record  int         `json:"record,omitempty"` // of the close record it carries
	State   OutState    `json:"state"`
	Tries   int         `json:"tries"`
	Queued  time.Time   `json:"queued"`
	Next    time.Time   `json:"next"`
	Sent    time.Time   `json:"sent"`
	Error   string      `json:"error,omitempty"`
	Size    int         `json:"size"`
	Message []byte      `json:"-"`
}
