package pbem

import (
	"fmt"
	"strings"
	"time"

	"pbemd/engine"
	"pbemd/orders"
	"pbemd/orders/admin"
	"pbemd/pbem/auth"
	"pbemd/pbem/message"
	"pbemd/templates"
)

// Word is the state that a subject begins with.
type Word string

// The words.
const (
	WordAccepted    Word = "ACCEPTED"
	WordNotAccepted Word = "NOT ACCEPTED"
	WordChecked     Word = "CHECKED"
	WordQuestion    Word = "QUESTION"
	WordYourTurn    Word = "YOUR TURN"
	WordWaiting     Word = "WAITING"
	WordGameOver    Word = "GAME OVER"
)

// LetterKind says what a letter is.
type LetterKind string

// The kinds of letters.
const (
	Receipt    LetterKind = "receipt"    // the one answer to a player's mail; report too if orders were executed
	Report     LetterKind = "report"     // unasked: what has happened since the last
	Asking     LetterKind = "question"   // a decision is wanted
	Reminder   LetterKind = "reminder"   // of a question, or of orders
	Invitation LetterKind = "invitation" // to take a seat
	Opening    LetterKind = "start"      // the game begins
	Closing    LetterKind = "close"      // the close record of a step that waits for the beacon
	Relay      LetterKind = "message"    // from the other side
	Note       LetterKind = "notice"     // of something beside the game
	Finale     LetterKind = "over"       // the game is over
	Guide      LetterKind = "help"       // to a stranger
)

// Letter is everything that a mail to one player says, as values. It holds
// nothing that its reader may not know.
type Letter struct {
	Kind  LetterKind
	Word  Word
	Game  GameID
	Rules string
	Side  engine.Side
	Name  string
	Lang  string
	Zone  string // IANA
	Now   time.Time
	No    int    // the number of the mail among those to the seat
	Token string // for the subject; "" if it stands in the reply address only
	Reply string // the address that answers go to

	State      engine.State
	Yours      bool            // it is the reader's turn to order
	Remind     time.Time       // when he is reminded of it; zero if never, or if he was
	Tell       time.Time       // when the other side is told that he is silent; zero if never, or if it was
	Told       bool            // it was told
	Lead       []engine.Text   // what this is about, first
	Lines      []LetterLine    // of a receipt: each line and what became of it
	Findings   []Finding       // in the sheet as a whole
	Normalised []string        // words of what was normalised
	ReadAs     []ReadAs        // what was read as what
	Items      []engine.Item   // what has happened
	View       *engine.View    // what the reader may know now; nil in short letters
	Map        bool            // with a picture
	Requests   []admin.Request // what was asked for: STATUS, MAP, SHOW …
	Help       []string        // topics asked about
	HelpText   []string        // what the game itself answered to HELP
	Question   *Asked
	Notices    []engine.Text // lines beside the game
	Words      string        // of a relayed message
	Quoted     []string      // lines found in quoted text only, shown unquoted
	Draft      []string      // orders that come back to be edited, as a sheet
	Template   []string      // the next sheet to fill in, heading and END included
	Standing   []string      // standing orders in force, if asked for
	Ask        []string      // decisions the seat wants mailed, if asked for

	Records []string // the records not mailed to the seat before, each in its armour lines
	Openers []string // what the seat's own C were made of, in armour lines
	Card    []Group  // the order card, with the first mail
	Head    string   // of the game: six short words
	Grade   string   // of its dice
	Files   []message.Attachment
}

// Finding is why a line can't be read.
type Finding = orders.Finding

// LetterLine is one line of a sheet in a receipt.
type LetterLine struct {
	Line     int
	Text     string
	Verdict  *engine.Verdict // nil if it never reached the game
	Findings []Finding       // why it can't be read
	Request  bool            // it asks for something and is done
}

// Group is the orders of one phase on the order card.
type Group struct {
	Title engine.Text
	Rows  [][2]engine.Text // form, and what it does
}

// Asked is an open question.
type Asked struct {
	No       int
	Question engine.Question
	Deadline time.Time
}

// OptionLetter is the letter of an option of a question: A, B …
func OptionLetter(i int) string { return string(rune('A' + i)) }

// Parts are what a mail is made of.
type Parts struct {
	Subject     string
	Text        string
	HTML        string // "" for text only
	Pictures    []message.Picture
	Attachments []message.Attachment
}

// Reporter turns a letter into the parts of a mail. Equal letters give equal
// parts.
type Reporter interface {
	Report(l Letter) (Parts, error)
}

// Subject is the subject of a letter: [12] ACCEPTED, still your turn: Axis
// movement, turn 5. say renders sentences in the reader's language.
func (l Letter) Subject(say func(engine.Text) string) string {
	var b strings.Builder
	if l.Game != 0 {
		fmt.Fprintf(&b, "[%v", l.Game)
		if l.Token != "" {
			b.WriteString(" #" + l.Token)
		}
		b.WriteString("] ")
	}
	b.WriteString(string(l.Word))
	if l.Yours && (l.Word == WordAccepted || l.Word == WordChecked || l.Word == WordNotAccepted) {
		b.WriteString(", " + say(engine.T("office.subject.still")))
	}
	if l.Question != nil {
		b.WriteString(" " + say(engine.T("office.subject.question", "no", l.Question.No)))
	}
	switch l.Kind {
	case Relay, Invitation, Note, Guide, Reminder:
		b.WriteString(", " + say(engine.T("office.subject."+string(l.Kind))))
	}
	if !l.State.Over && l.State.Turn > 0 {
		b.WriteString(": " + say(TitleOf(l.State)))
	}
	return b.String()
}

// TitleOf names the phase of a state: Axis movement, turn 5.
func TitleOf(s engine.State) engine.Text {
	phase := engine.T("phase." + s.Phase)
	if english, err := templates.Load("en"); err != nil || !english.Has(phase.Key) {
		phase = engine.Plain(s.Phase)
	}
	if s.Side == "" {
		return phase
	}
	return engine.T("office.title", "side", engine.T("side."+string(s.Side)), "phase", phase, "turn", s.Turn)
}

// heading is the first line of a sheet for a state.
func heading(id GameID, s engine.State) string {
	return fmt.Sprintf("GAME %v TURN %d PHASE %s", id, s.Turn, strings.ToUpper(s.Phase))
}

// replyAddress is where a seat answers to.
func (o *Office) replyAddress(g *Game, s *Seat) (address, token string) {
	token = auth.Token(o.cfg.TokenKey, g.ID.String(), string(s.Side), uint64(g.State.Serial), uint64(s.Epoch))
	if o.cfg.SubjectTokens {
		return o.cfg.Mailbox, token
	}
	return auth.Address(o.cfg.Mailbox, g.ID.String(), token), token
}

// words is the key of a sentence of the office in the words of the game, if the
// game has its own: dice.draw.plea for office.draw.plea.
func (t *table) words(key string) string {
	own := t.Rules + strings.TrimPrefix(key, "office")
	if english, err := templates.Load("en"); err == nil && english.Has(own) {
		return own
	}
	return key
}
