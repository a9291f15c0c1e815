package pbemtest

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"pbemd/engine"
	"pbemd/pbem"
)

// World is an office with two players, a mailbox, a mail server and a clock, all
// of them in memory.
type World struct {
	T       testing.TB
	Config  pbem.Config
	Office  *pbem.Office
	Archive pbem.Archive
	Box     *Box
	Post    *Post
	Game    pbem.GameID
	Log     *bytes.Buffer
	Sides   []engine.Side // axis and soviet unless said otherwise

	now     time.Time
	mailed  int
	players map[engine.Side]*Player
}

// Player is a person with a mail program: he knows nothing but the mails he got.
type Player struct {
	w       *World
	Side    engine.Side
	Address string
	Got     []Letter // all mails, oldest first
	read    int
}

// Letter is a mail that a player got.
type Letter struct {
	Subject, ReplyTo, ID, InReplyTo string
	References                      []string
	Text                            string
	HTML                            string
	Files                           map[string][]byte
	Raw                             []byte
}

// MailboxAddress is the office's.
const MailboxAddress = "gm@pbem.example"

// NewWorld opens an office for the kinds of games given; change may set what it
// wants before.
func NewWorld(t testing.TB, change func(*World), rules ...pbem.Rules) *World {
	w := &World{T: t, Box: &Box{}, Post: &Post{}, Log: &bytes.Buffer{}, now: noon, Archive: NewMemory(), players: map[engine.Side]*Player{}}
	w.Config = pbem.Config{
		Rules: rules, Mailbox: MailboxAddress, Name: "Game Master", Links: 256,
		TokenKey: bytes.Repeat([]byte{5}, 32), SignKey: ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, 32)),
		Now: func() time.Time { return w.now },
		Log: slog.New(slog.NewTextHandler(w.Log, nil)),
	}
	if change != nil {
		change(w)
	}
	w.Restart()
	return w
}

// Restart opens the office anew on the same archive, as after a crash.
func (w *World) Restart() {
	w.T.Helper()
	w.Config.Archive = w.Archive
	o, err := pbem.New(w.Config)
	if err != nil {
		w.T.Fatal(err)
	}
	w.Office = o
}

// Found founds a game of the rules for the sides of the world, which begins at
// once if terms.NoJoin says so, and delivers the first mails.
func (w *World) Found(rules string, terms pbem.Terms) {
	w.T.Helper()
	if terms.Seed == "" {
		terms.Seed = "word"
	}
	if w.Sides == nil {
		w.Sides = []engine.Side{"axis", "soviet"}
	}
	f := pbem.Founding{Rules: rules, Terms: terms}
	for _, s := range w.Sides {
		f.Seats = append(f.Seats, pbem.Seat{Side: s, Name: strings.ToUpper(string(s[:1])) + string(s[1:]) + " Player", Address: string(s) + "@players.example"})
	}
	w.Take(f)
}

// Take founds a game as it is given; those in its seats become the players.
func (w *World) Take(f pbem.Founding) {
	w.T.Helper()
	w.Sides = nil
	for _, s := range f.Seats {
		w.Sides = append(w.Sides, s.Side)
		w.players[s.Side] = &Player{w: w, Side: s.Side, Address: s.Address}
	}
	id, err := w.Office.NewGame(context.Background(), f)
	if err != nil {
		w.T.Fatal(err)
	}
	w.Game = id
	w.Flush()
}

// Now is the time on the world's clock.
func (w *World) Now() time.Time { return w.now }

// Wait moves the clock on, has the office do what is due, and delivers.
func (w *World) Wait(d time.Duration) {
	w.T.Helper()
	w.now = w.now.Add(d)
	if err := w.Office.Tick(context.Background()); err != nil {
		w.T.Fatal(err)
	}
	w.Flush()
}

// Skip moves the clock on and does nothing else.
func (w *World) Skip(d time.Duration) { w.now = w.now.Add(d) }

// As is the player of a side.
func (w *World) As(s engine.Side) *Player { return w.players[s] }

// Drain has the office take all that lies in the mailbox and deliver its
// answers.
func (w *World) Drain() {
	w.T.Helper()
	if err := w.Office.Drain(context.Background(), w.Box); err != nil {
		w.T.Fatal(err)
	}
	w.Flush()
}

// Flush has the office send what is due and puts it into the players' hands.
func (w *World) Flush() {
	w.T.Helper()
	if err := w.Office.Flush(context.Background(), w.Post); err != nil {
		w.T.Fatal(err)
	}
	w.Deliver()
}

// Deliver hands over what the mail server has taken.
func (w *World) Deliver() {
	w.T.Helper()
	for _, s := range w.Post.take() {
		for _, p := range w.players {
			if p.Address == s.To {
				l, err := ReadLetter(s.Message)
				if err != nil {
					w.T.Fatalf("a mail to %s: %v", p.Side, err)
				}
				p.Got = append(p.Got, l)
			}
		}
	}
}

// Next is the player's next unread mail; the test fails if there is none.
func (p *Player) Next() Letter {
	p.w.T.Helper()
	if p.read == len(p.Got) {
		p.w.T.Fatalf("%s has no new mail", p.Side)
	}
	p.read++
	return p.Got[p.read-1]
}

// Next is the next unread mail of a side.
func (w *World) Next(s engine.Side) Letter {
	w.T.Helper()
	return w.players[s].Next()
}

// None fails the test if a side has unread mail.
func (w *World) None(s engine.Side) {
	w.T.Helper()
	p := w.players[s]
	if p.read < len(p.Got) {
		w.T.Fatalf("%s has unread mail: %s\n%s", s, p.Got[p.read].Subject, p.Got[p.read].Text)
	}
}

// Last is the latest mail a player got.
func (p *Player) Last() Letter {
	p.w.T.Helper()
	if len(p.Got) == 0 {
		p.w.T.Fatalf("%s has no mail", p.Side)
	}
	return p.Got[len(p.Got)-1]
}

// Send replies to the latest mail with these lines, has the office take it, and
// reads everything that came before the answer.
func (p *Player) Send(lines ...string) Letter {
	p.w.T.Helper()
	p.read = len(p.Got)
	p.w.Box.Put(p.Mail(lines...), p.w.now)
	p.w.Drain()
	return p.Next()
}

// Sheet sends lines as a sheet of the world's game: heading and END are put
// round them.
func (p *Player) Sheet(lines ...string) Letter {
	p.w.T.Helper()
	return p.Send(append(append([]string{"GAME " + p.w.Game.String()}, lines...), "END")...)
}

// Mail is the reply to the latest mail, as its bytes.
func (p *Player) Mail(lines ...string) []byte { return p.Reply(p.Last(), lines...) }

// Reply is the reply to a mail, as its bytes.
func (p *Player) Reply(to Letter, lines ...string) []byte {
	p.w.mailed++
	return Compose(p.Address, to.ReplyTo, to.Subject, fmt.Sprintf("<m%d@players.example>", p.w.mailed), to.ID, p.w.now, lines...)
}

// Compose writes a plain mail.
func Compose(from, to, subject, id, inReplyTo string, at time.Time, lines ...string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "Return-Path: <%s>\r\nFrom: %s\r\nTo: %s\r\nSubject: Re: %s\r\n", from, from, to, mime.QEncoding.Encode("utf-8", subject))
	if id != "" {
		fmt.Fprintf(&b, "Message-ID: %s\r\n", id)
	}
	if inReplyTo != "" {
		fmt.Fprintf(&b, "In-Reply-To: %s\r\n", inReplyTo)
	}
	fmt.Fprintf(&b, "Date: %s\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n", at.Format(time.RFC1123Z))
	for _, l := range lines {
		b.WriteString(l + "\r\n")
	}
	return b.Bytes()
}

// ReadLetter takes a mail apart.
func ReadLetter(raw []byte) (Letter, error) {
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return Letter{}, err
	}
	dec := mime.WordDecoder{}
	l := Letter{Raw: raw, ID: m.Header.Get("Message-ID"), InReplyTo: m.Header.Get("In-Reply-To"),
		References: strings.Fields(m.Header.Get("References")), Files: map[string][]byte{}}
	if l.Subject, err = dec.DecodeHeader(m.Header.Get("Subject")); err != nil {
		return l, err
	}
	if r := m.Header.Get("Reply-To"); r != "" {
		a, err := mail.ParseAddress(r)
		if err != nil {
			return l, err
		}
		l.ReplyTo = a.Address
	}
	return l, l.part(m.Header.Get("Content-Type"), m.Header.Get("Content-Transfer-Encoding"), "", m.Body)
}

func (l *Letter) part(contentType, encoding, name string, r io.Reader) error {
	kind, args, err := mime.ParseMediaType(contentType)
	if err != nil {
		return fmt.Errorf("content type %q: %w", contentType, err)
	}
	if strings.HasPrefix(kind, "multipart/") {
		for parts := multipart.NewReader(r, args["boundary"]); ; {
			p, err := parts.NextRawPart()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			if err := l.part(p.Header.Get("Content-Type"), p.Header.Get("Content-Transfer-Encoding"), p.FileName(), p); err != nil {
				return err
			}
		}
	}
	switch strings.ToLower(encoding) {
	case "quoted-printable":
		r = quotedprintable.NewReader(r)
	case "base64":
		r = base64.NewDecoder(base64.StdEncoding, r)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	switch {
	case name != "":
		l.Files[name] = b
	case kind == "text/html":
		l.HTML += string(b)
	default:
		l.Text += strings.ReplaceAll(string(b), "\r\n", "\n")
	}
	return nil
}

// Box is a mailbox in memory: a [pbem.Inbox].
type Box struct {
	mu   sync.Mutex
	uid  uint32
	lies []lying
	// Filed is what was moved out, by folder.
	Filed map[pbem.Folder][][]byte
	// FailFile makes filing fail.
	FailFile error
}

type lying struct {
	ref pbem.Ref
	raw []byte
}

var _ pbem.Inbox = (*Box)(nil)

// Put delivers a message.
func (b *Box) Put(raw []byte, at time.Time) pbem.Ref {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.uid++
	ref := pbem.Ref{UIDValidity: 1, UID: b.uid, Size: int64(len(raw)), Received: at}
	b.lies = append(b.lies, lying{ref, raw})
	return ref
}

// List implements [pbem.Inbox].
func (b *Box) List(context.Context) ([]pbem.Ref, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []pbem.Ref
	for _, l := range b.lies {
		out = append(out, l.ref)
	}
	return out, nil
}

// Fetch implements [pbem.Inbox].
func (b *Box) Fetch(_ context.Context, r pbem.Ref) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.lies {
		if l.ref.UID == r.UID {
			return bytes.Clone(l.raw), nil
		}
	}
	return nil, pbem.ErrGone
}

// Header implements [pbem.Headers].
func (b *Box) Header(ctx context.Context, r pbem.Ref) ([]byte, error) {
	raw, err := b.Fetch(ctx, r)
	if i := bytes.Index(raw, []byte("\r\n\r\n")); i >= 0 {
		raw = raw[:i+4]
	}
	return raw, err
}

// File implements [pbem.Inbox].
func (b *Box) File(_ context.Context, r pbem.Ref, to pbem.Folder) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.FailFile != nil {
		return b.FailFile
	}
	if b.Filed == nil {
		b.Filed = map[pbem.Folder][][]byte{}
	}
	for i, l := range b.lies {
		if l.ref.UID == r.UID {
			b.Filed[to] = append(b.Filed[to], l.raw)
			b.lies = append(b.lies[:i], b.lies[i+1:]...)
			return nil
		}
	}
	return nil
}

// Wait implements [pbem.Inbox]: there is nothing to wait for.
func (b *Box) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(5 * time.Millisecond):
		return nil
	}
}

// Close implements [pbem.Inbox].
func (b *Box) Close() error { return nil }

// Lying is how many messages lie in the mailbox.
func (b *Box) Lying() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.lies)
}

// Sent is a message that the mail server has taken.
type Sent struct {
	pbem.Envelope
	Message []byte
}

// Post is a mail server in memory: a [pbem.Sender].
type Post struct {
	mu    sync.Mutex
	fresh []Sent
	// All is everything it took.
	All []Sent
	// Refuse, if set, is asked first; its error is the answer.
	Refuse func(e pbem.Envelope) error
}

var _ pbem.Sender = (*Post)(nil)

// Send implements [pbem.Sender].
func (p *Post) Send(_ context.Context, e pbem.Envelope, message []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Refuse != nil {
		if err := p.Refuse(e); err != nil {
			return err
		}
	}
	s := Sent{e, bytes.Clone(message)}
	p.fresh = append(p.fresh, s)
	p.All = append(p.All, s)
	return nil
}

func (p *Post) take() []Sent {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.fresh
	p.fresh = nil
	return s
}

// Count is how many messages it has taken.
func (p *Post) Count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.All)
}
