package pbem

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"

	"pbemd/engine"
	"pbemd/orders"
	"pbemd/pbem/auth"
	"pbemd/pbem/judge"
	"pbemd/pbem/message"
)

// ErrLater is returned by [Office.Take] for a mail that has to wait: its sender
// has sent too many, or a name server doesn't answer. It stays in the mailbox.
var ErrLater = errors.New("the mail has to wait")

// patience is how long a mail waits for a name server that doesn't answer.
const patience = 24 * time.Hour

// chances are the attempts that a mail gets beyond Caps.Attempts. The server may
// have gone down during the first ones for reasons of its own, and a mail must
// not be lost over that; or else the mail is what brings it down, and then all
// others must be done before.
const chances = 5

// heldBack is the error of a mail during which the server went down so often
// that it has to wait until the server has run for a while.
type heldBack struct{ until time.Time }

func (h heldBack) Error() string {
	return "the server went down several times during the mail; it waits until " + h.until.Format(time.RFC3339)
}

func (heldBack) Is(target error) bool { return target == ErrLater }

// holdBack is until when a mail of so many unfinished attempts waits: for the
// server to have run for two seconds, then for four, and so on.
func (o *Office) holdBack(unfinished int) time.Time {
	if unfinished < o.cfg.Caps.Attempts {
		return time.Time{}
	}
	return o.began.Add(2 * time.Second << (unfinished - o.cfg.Caps.Attempts))
}

// forgive counts the attempts at a mail that ended with an error while the store
// could write nothing, so that they stand there as unfinished; -1 forgets them.
func (o *Office) forgive(place string, n int) int {
	o.drains.Lock()
	defer o.drains.Unlock()
	if n < 0 {
		delete(o.forgiven, place)
	} else if n > 0 {
		o.forgiven[place] += n
	}
	return o.forgiven[place]
}

// Take judges one message of the mailbox, has it take effect, and says where it
// belongs now. When it returns nil everything is on disk; the same message may
// be taken again without harm.
func (o *Office) Take(ctx context.Context, ref Ref, raw []byte) (Folder, error) {
	place := fmt.Sprintf("%d/%d", ref.UIDValidity, ref.UID)
	unfinished, err := o.cfg.Archive.Attempts(place)
	if err != nil {
		return "", fmt.Errorf("look up the attempts at mail %s: %w", place, err)
	}
	unfinished -= o.forgive(place, 0)
	poison := ""
	if unfinished >= o.cfg.Caps.Attempts+chances {
		poison = "attempts"
	} else if until := o.holdBack(unfinished); o.cfg.Now().Before(until) {
		return "", heldBack{until}
	}
	if _, err := o.cfg.Archive.Attempt(place); err != nil {
		return "", fmt.Errorf("count the attempts at mail %s: %w", place, err)
	}
	folder := Processed
	outcome := Quarantined
	resumed := map[GameID]bool{}
	for {
		err = o.do(ctx, func(w *work) error {
			w.change.Done = append(w.change.Done, place)
			if poison != "" {
				folder = Quarantine
				w.poison(ref, raw, poison)
				return nil
			}
			var err error
			folder, err = w.mail(ref, raw, false)
			outcome = Duplicate
			if n := len(w.change.Mails); n > 0 {
				outcome = w.change.Mails[n-1].Outcome
			}
			return err
		})
		var cut interrupted
		if errors.As(err, &cut) && !resumed[cut.game] {
			resumed[cut.game] = true
			o.cfg.Log.Warn("a step that the server's end interrupted is played now", "game", cut.game.String())
			if err = o.do(ctx, func(w *work) error {
				t, err := w.table(cut.game)
				if err != nil {
					return err
				}
				return w.resume(t)
			}); err == nil {
				continue
			}
		}
		var p *Panic
		if errors.As(err, &p) && poison == "" {
			o.cfg.Log.Error("a mail broke a promise of ours and is set aside", "mail", place, "panic", fmt.Sprint(p.Value), "stack", p.Stack)
			poison, outcome = "panic", Quarantined
			continue
		}
		break
	}
	if err != nil {
		// It was no fault of the mail: the attempt doesn't count.
		if derr := o.cfg.Archive.Commit(Change{Done: []string{place}}); derr != nil {
			o.forgive(place, 1)
			o.cfg.Log.Warn("the attempt at a mail can't be taken back", "mail", place, "err", derr)
		}
		return "", err
	}
	o.forgive(place, -1)
	o.cfg.Watch.Taken(outcome, o.cfg.Now().Sub(ref.Received))
	return folder, nil
}

// TakeLarge finishes a message that is too large to be fetched. It is judged by
// its header: if that proves a seat, the seat is told; nothing is executed.
// Without a header it is set aside.
func (o *Office) TakeLarge(ctx context.Context, ref Ref, header []byte) (folder Folder, err error) {
	folder = Quarantine
	err = o.do(ctx, func(w *work) error {
		if len(header) > 0 {
			var err error
			folder, err = w.mail(ref, header, true)
			return err
		}
		w.poison(ref, nil, "too-large")
		return nil
	})
	var p *Panic
	if errors.As(err, &p) && len(header) > 0 {
		o.cfg.Log.Error("the header of a large mail broke a promise of ours; it is set aside", "panic", fmt.Sprint(p.Value), "stack", p.Stack)
		return o.TakeLarge(ctx, ref, nil)
	}
	return folder, err
}

// poison keeps a mail that is not looked into.
func (w *work) poison(ref Ref, raw []byte, why string) {
	key := rawKey(raw)
	if raw == nil {
		key = fmt.Sprintf("large-%d-%d", ref.UIDValidity, ref.UID)
	}
	w.change.Mails = append(w.change.Mails, Mail{Key: key, Received: ref.Received, Handled: w.now,
		Outcome: Quarantined, Why: why, Size: max(len(raw), int(ref.Size)), Raw: raw})
	w.o.cfg.Log.Error("mail set aside", "mail", short(key), "why", why)
}

func rawKey(raw []byte) string {
	h := sha256.Sum256(raw)
	return "raw-" + hex.EncodeToString(h[:])
}

// short is a key as logs have it.
func short(key string) string { return key[:min(len(key), 12)] }

// registry tells pbem/auth of the seats in the archive.
type registry struct{ w *work }

// ByToken implements [auth.Registry].
func (r registry) ByToken(game, token string) []auth.Claim {
	id, ok := ParseGameID(game)
	if !ok {
		return nil
	}
	t, err := r.w.table(id)
	if err != nil {
		return nil
	}
	var out []auth.Claim
	for i := range t.Seats {
		s := &t.Seats[i]
		for _, serial := range s.Tokens {
			if auth.Equal(token, auth.Token(r.w.o.cfg.TokenKey, game, string(s.Side), uint64(serial), uint64(s.Epoch))) {
				out = append(out, auth.Claim{Seat: auth.Seat{Game: game, Side: string(s.Side)}, Current: serial == t.State.Serial})
			}
		}
		if s.Moving != nil && auth.Equal(token, s.Moving.Word) {
			out = append(out, auth.Claim{Seat: auth.Seat{Game: game, Side: string(s.Side) + moving}})
		}
	}
	return out
}

// Earlier implements [auth.Elder].
func (r registry) Earlier(game, token string) []auth.Seat {
	id, ok := ParseGameID(game)
	if !ok {
		return nil
	}
	t, err := r.w.table(id)
	if err != nil {
		return nil
	}
	var out []auth.Seat
	for i := range t.Seats {
		s := &t.Seats[i]
		for serial := 0; serial <= t.State.Serial; serial++ {
			if auth.Equal(token, auth.Token(r.w.o.cfg.TokenKey, game, string(s.Side), uint64(serial), uint64(s.Epoch))) {
				out = append(out, auth.Seat{Game: game, Side: string(s.Side)})
				break
			}
		}
	}
	return out
}

// moving marks the claim of a new address that is being confirmed.
const moving = "/new"

// ByAddress implements [auth.Registry].
func (r registry) ByAddress(addr string) []auth.Seat {
	refs, err := r.w.o.cfg.Archive.Seats(addr)
	if err != nil {
		return nil
	}
	var out []auth.Seat
	for _, s := range refs {
		out = append(out, auth.Seat{Game: s.Game.String(), Side: string(s.Side)})
	}
	return out
}

func (r registry) seat(s auth.Seat) *Seat {
	id, ok := ParseGameID(s.Game)
	if !ok {
		return nil
	}
	t, err := r.w.table(id)
	if err != nil {
		return nil
	}
	return t.Seat(engine.Side(s.Side))
}

// Keys implements [auth.Registry].
func (r registry) Keys(s auth.Seat) openpgp.EntityList {
	seat := r.seat(s)
	if seat == nil || seat.Key == "" {
		return nil
	}
	keys, err := auth.ReadKeys([]byte(seat.Key))
	if err != nil {
		r.w.o.cfg.Log.Error("a seat's OpenPGP key can't be read", "game", s.Game, "side", s.Side, "err", err)
		return nil
	}
	return keys
}

// Strict implements [auth.Registry].
func (r registry) Strict(s auth.Seat) bool {
	seat := r.seat(s)
	return seat != nil && seat.Strict
}

// mail judges a mail and has it take effect. Of a large one only the header is
// there.
func (w *work) mail(ref Ref, raw []byte, large bool) (Folder, error) {
	o := w.o
	world := judge.World{
		Config: auth.Config{Mailbox: o.cfg.Mailbox, Authserv: o.cfg.Authserv, Lookup: o.cfg.Lookup},
		Seats:  registry{w: w},
		Grammars: func(game string) orders.Grammar {
			if id, ok := ParseGameID(game); ok {
				if t, err := w.table(id); err == nil {
					return t.play.Grammar()
				}
			}
			return orders.Generic()
		},
	}
	var seen error
	world.Seen = func(key string) bool {
		_, err := o.cfg.Archive.Mail(key)
		if err != nil && !errors.Is(err, ErrNotFound) {
			seen = err
		}
		return err == nil
	}
	v := judge.Judge(raw, world)
	if seen != nil {
		return "", fmt.Errorf("look the mail up: %w", seen)
	}
	if large && v.Outcome == judge.Reject {
		v.Notice = judge.TooLarge
	}
	m := Mail{Key: v.Key, Received: ref.Received, Handled: w.now, From: v.Auth.Sender, Subject: clipped(v.Mail.Subject),
		Outcome: Outcome(v.Outcome), Why: v.Why, Size: len(raw)}
	if large {
		m.Size = int(ref.Size)
	}
	if m.Key == "" {
		m.Key = rawKey(raw)
	}
	w.key = m.Key
	log := o.cfg.Log.With("mail", short(m.Key))
	if v.Key == "" && world.Seen(m.Key) { // the same octets again: no effect, no answer
		log.Info("mail known already")
		if v.Outcome == judge.Quarantine {
			return Quarantine, nil
		}
		return Processed, nil
	}
	if seen != nil {
		return "", fmt.Errorf("look the mail up: %w", seen)
	}
	switch v.Outcome {
	case judge.Duplicate:
		log.Info("mail known already")
		return Processed, nil
	case judge.Ignore:
		if v.Mail.Bounce != nil {
			w.bounce(v.Mail)
		}
		w.change.Mails = append(w.change.Mails, m)
		log.Info("mail ignored", "why", v.Why)
		return Processed, nil
	case judge.Quarantine:
		if v.Auth.Retry && w.now.Sub(ref.Received) < patience {
			return "", fmt.Errorf("the sender's name server doesn't answer: %w", ErrLater)
		}
		if v.Auth.Old != nil && !large {
			m.Outcome = Rejected
			err := w.outdated(v)
			w.change.Mails = append(w.change.Mails, m)
			log.Info("mail with the key of an earlier report")
			return Processed, err
		}
		w.unproven(v)
		w.change.Mails = append(w.change.Mails, m)
		log.Warn("mail set aside", "why", v.Why)
		return Quarantine, nil
	}
	waits, err := w.count(v, ref)
	if err != nil || waits {
		return "", errors.Join(err, map[bool]error{true: fmt.Errorf("too many mails for one seat this hour: %w", ErrLater)}[waits])
	}
	if guesses, err := w.guessed(v); err != nil {
		return "", err
	} else if guesses { // and nobody is told which of the keys is good
		m.Outcome, m.Why = Quarantined, "why.guesses"
		w.change.Mails = append(w.change.Mails, m)
		log.Warn("mail set aside: too many wrong tokens for its game today")
		return Quarantine, nil
	}
	m.Raw = raw
	if err := w.player(v, ref); err != nil {
		return "", err
	}
	for _, d := range w.letters {
		if d.t != nil && d.answer {
			m.Games = append(m.Games, d.t.ID)
			if m.Outcome == Rejected && d.l.Word != WordNotAccepted { // JOIN and the like need no phase
				m.Outcome, m.Why = Accepted, ""
			}
		}
	}
	w.change.Mails = append(w.change.Mails, m)
	log.Info("mail taken", "outcome", string(v.Outcome), "sheets", len(v.Sheets))
	return Processed, nil
}

func clipped(s string) string {
	if r := []rune(s); len(r) > 200 {
		return string(r[:200])
	}
	return s
}

// count keeps the hourly cap of the seats that a mail is proven to speak for.
// The address that it says it comes from doesn't count: anybody can write it.
func (w *work) count(v judge.Verdict, ref Ref) (waits bool, err error) {
	var seats []auth.Seat
	for _, p := range v.Auth.Seats {
		for _, s := range v.Sheets {
			if s.Game == p.Game {
				seats = append(seats, p.Seat)
				break
			}
		}
	}
	if len(seats) == 0 {
		seats = append(seats, v.Auth.Seats[0].Seat)
	}
	hour := w.now.Truncate(time.Hour)
	var list []Account
	for _, s := range seats {
		a, err := w.account("mails of " + s.Game + "/" + s.Side)
		if err != nil {
			return false, err
		}
		if !a.Hour.Equal(hour) {
			a.Hour, a.Received = hour, 0
		}
		if a.Received >= w.o.cfg.Caps.MailsPerHour {
			return true, nil
		}
		a.Received++
		list = append(list, a)
	}
	for _, a := range list {
		w.putAccount(a)
	}
	return false, nil
}

func (w *work) account(address string) (Account, error) {
	for _, a := range w.change.Accounts {
		if strings.EqualFold(a.Address, address) {
			return a, nil
		}
	}
	a, err := w.o.cfg.Archive.Account(address)
	if err != nil {
		return a, fmt.Errorf("account of a sender: %w", err)
	}
	return a, nil
}

func (w *work) putAccount(a Account) {
	for i := range w.change.Accounts {
		if strings.EqualFold(w.change.Accounts[i].Address, a.Address) {
			w.change.Accounts[i] = a
			return
		}
	}
	w.change.Accounts = append(w.change.Accounts, a)
}

// guessAccount counts the wrong tokens for a game.
func guessAccount(game string) string { return "token guesses/" + game }

// unproven deals with a mail that proves nothing.
func (w *work) unproven(v judge.Verdict) {
	day := w.now.Truncate(24 * time.Hour)
	for _, k := range v.Auth.Wrong {
		id, ok := ParseGameID(k.Game)
		if !ok {
			continue
		}
		t, err := w.table(id)
		if err != nil {
			continue
		}
		a, err := w.account(guessAccount(k.Game))
		if err != nil {
			continue
		}
		if !a.Day.Equal(day) {
			a.Day, a.Received = day, 0
		}
		if a.Received++; a.Received == w.o.cfg.Caps.BadKeysPerDay {
			w.o.cfg.Log.Error("many wrong tokens today: somebody may be guessing", "game", k.Game)
		}
		w.putAccount(a)
		for i := range t.Seats {
			if s := &t.Seats[i]; auth.Canonical(s.Address) == v.Auth.Sender && a.Received <= w.o.cfg.Caps.BadKeysPerDay {
				s.Bad++
				t.changed = true
			}
		}
	}
	for _, s := range v.Auth.Disputed {
		id, ok := ParseGameID(s.Game)
		if !ok {
			continue
		}
		if t, err := w.table(id); err == nil {
			if seat := t.Seat(engine.Side(s.Side)); seat != nil && len(seat.Notices) < maxNotices {
				seat.Notices = append(seat.Notices, engine.T("office.other-seat"))
				t.changed = true
			}
		}
	}
	if v.Auth.Reason == auth.Stranger {
		w.guide(v)
	}
}

// maxNotices is how many notices may wait for a seat's next mail.
const maxNotices = 20

// outdated answers a mail whose key is of an earlier report, to the registered
// address; nothing of the mail is executed.
func (w *work) outdated(v judge.Verdict) error {
	id, _ := ParseGameID(v.Auth.Old.Game)
	t, err := w.table(id)
	if err != nil {
		return err
	}
	seat := t.Seat(engine.Side(v.Auth.Old.Side))
	if seat == nil {
		return nil
	}
	if more, err := w.noticed(seat); err != nil || !more {
		return err
	}
	d := w.letter(t, seat.Side, Receipt, WordNotAccepted)
	w.answering(d, v)
	d.l.Lead = append(d.l.Lead, engine.T("office.old-key"))
	d.l.Template = t.template(seat.Side)
	return nil
}

// noticed counts a notice to a seat's address, and says whether it may be sent.
func (w *work) noticed(seat *Seat) (bool, error) {
	a, err := w.account(seat.Address)
	if err != nil {
		return false, err
	}
	if day := w.now.Truncate(24 * time.Hour); !a.Day.Equal(day) {
		a.Day, a.Answers = day, 0
	}
	a.Answers++
	w.putAccount(a)
	if a.Answers > w.o.cfg.Caps.NoticesPerDay {
		w.o.cfg.Log.Warn("no more notices to this seat today", "side", string(seat.Side), "mail", short(w.key))
		return false, nil
	}
	return true, nil
}

// guessed reports whether a mail brings wrong tokens along with a good one, from
// an address that is not its seat's, for a game at whose tokens too many guesses
// were made today. A good token alone is never locked out.
func (w *work) guessed(v judge.Verdict) (bool, error) {
	day := w.now.Truncate(24 * time.Hour)
	for _, p := range v.Auth.Seats {
		wrong := false
		for _, k := range v.Auth.Wrong {
			wrong = wrong || k.Game == p.Game || k.Game == ""
		}
		if !p.Token || p.Sender || !wrong {
			continue
		}
		a, err := w.account(guessAccount(p.Game))
		if err != nil {
			return false, err
		}
		if !a.Day.Equal(day) || a.Received < w.o.cfg.Caps.BadKeysPerDay {
			continue
		}
		id, _ := ParseGameID(p.Game)
		t, err := w.table(id)
		if err != nil {
			return false, err
		}
		if s := t.Seat(engine.Side(p.Side)); s == nil || auth.Canonical(s.Address) != v.Auth.Sender {
			return true, nil
		}
	}
	return false, nil
}

// guide tells a stranger, once a day, how things work here.
func (w *work) guide(v judge.Verdict) {
	a, err := w.account(v.Auth.Sender)
	if err != nil || goodAddress(v.Auth.Sender) != nil || w.now.Sub(a.Helped) < 24*time.Hour && !a.Helped.IsZero() || a.Suspended {
		return
	}
	a.Helped = w.now
	w.putAccount(a)
	w.letters = append(w.letters, &draft{to: v.Auth.Sender, answer: true, parent: v.Mail.MessageID,
		l: Letter{Kind: Guide, Word: WordWaiting, Now: w.now, Lead: []engine.Text{engine.T("office.guide", "mailbox", w.o.cfg.Mailbox)}, Help: []string{"join"}}})
}

// player answers the mail of a player: one answer for each game it has a sheet
// for, or one notice.
func (w *work) player(v judge.Verdict, ref Ref) error {
	rest := v.Auth.Seats[:0:0]
	for _, p := range v.Auth.Seats {
		if side, ok := strings.CutSuffix(p.Side, moving); ok {
			if err := w.confirmAddress(p.Game, engine.Side(side), v.Auth.Sender); err != nil {
				return err
			}
			continue
		}
		rest = append(rest, p)
	}
	v.Auth.Seats = rest
	if len(rest) == 0 {
		return nil
	}
	if len(v.Sheets) == 0 {
		return w.noSheet(v, rest[0])
	}
	first := len(w.letters)
	for _, s := range v.Sheets {
		p, ok := v.Auth.For(s.Game)
		if !ok {
			continue
		}
		if err := w.sheet(v, s, p); err != nil {
			return err
		}
	}
	// What else was in the mail is said in the first answer.
	if first < len(w.letters) {
		l := &w.letters[first].l
		for _, s := range v.Unknown {
			l.Notices = append(l.Notices, engine.T("notice.unknown-game", "game", s.Game))
		}
		for _, r := range v.Reading.Refused {
			l.Notices = append(l.Notices, engine.T("office.refused", "game", r.Game, "line", r.Line, "why", engine.T("notice."+string(r.Notice), "game", r.Game, "what", "")))
		}
	}
	return nil
}

// ignoredTexts says what in a mail was not read.
func ignoredTexts(m *message.Mail) []engine.Text {
	var out []engine.Text
	for _, i := range m.Ignored {
		out = append(out, engine.T("office.ignored", "what", i.What, "why", engine.T(i.Why)))
	}
	return out
}

// noSheet answers a player's mail that holds nothing to execute.
func (w *work) noSheet(v judge.Verdict, p auth.Proven) error {
	id, _ := ParseGameID(p.Game)
	t, err := w.table(id)
	if err != nil {
		return err
	}
	seat := t.Seat(engine.Side(p.Side))
	if t.Stage == Inviting && v.Notice == judge.NoOrders {
		if s, ok := bareJoin(v, p, t); ok {
			return w.sheet(v, s, p)
		}
	}
	if v.Notice == judge.NoOrders && (p.Token || len(v.Auth.Seats) == 1) {
		if s, ok := bareQueries(v, p, t); ok {
			return w.sheet(v, s, p)
		}
	}
	if more, err := w.noticed(seat); err != nil || !more {
		return err
	}
	d := w.letter(t, seat.Side, Receipt, WordNotAccepted)
	w.answering(d, v)
	d.l.Lead = append(d.l.Lead, engine.T("notice."+string(v.Notice), "game", p.Game, "what", v.Reading.What))
	form := oneLine(v, p)
	if form != nil {
		d.l.Lead = append(d.l.Lead, engine.T("office.one-line", "game", p.Game))
	}
	d.l.Findings = v.Reading.Findings
	d.l.Notices = append(d.l.Notices, ignoredTexts(v.Mail)...)
	template := t.template(seat.Side)
	for _, s := range v.Reading.Quoted {
		if lines := s.Canonical(); strings.Join(lines, "\n") != strings.Join(template, "\n") && s.Game == p.Game {
			d.l.Quoted = append(d.l.Quoted, lines...)
		}
	}
	d.l.Template = template
	if form != nil {
		d.l.Template = form
	}
	w.o.cfg.Log.Info("nothing to execute", "game", p.Game, "side", p.Side, "mail", short(w.key), "notice", string(v.Notice))
	return nil
}

// bareJoin is the sheet of a mail that says JOIN and no more.
func bareJoin(v judge.Verdict, p auth.Proven, t *table) (orders.Sheet, bool) {
	for _, view := range v.Mail.Views {
		for _, l := range view.Lines {
			l = strings.TrimSpace(l)
			if l == "" {
				continue
			}
			if !strings.EqualFold(strings.Trim(l, ".!*"), "JOIN") {
				break
			}
			s, found := orders.Parse([]string{"GAME " + p.Game, "JOIN", "END"}, t.play.Grammar())
			return s[0], len(found) == 0
		}
	}
	return orders.Sheet{}, false
}

// own are the lines that the sender of a mail wrote, up to a signature.
func own(v judge.Verdict) []string {
	var out []string
	for _, view := range v.Mail.Views {
		if view.Attachment {
			continue
		}
		for _, l := range view.Lines {
			switch s := strings.TrimSpace(l); {
			case s == "--":
				return out
			case s != "":
				out = append(out, s)
			}
		}
		// The line that introduces a quotation is a mail program's, wrapped or not.
		if n := len(out); n > 0 && len(view.Quoted) > 0 && strings.HasSuffix(out[n-1], ":") {
			out = out[:n-1]
			for n = len(out); n > 0 && strings.ContainsAny(out[n-1], "@<"); n = len(out) {
				out = out[:n-1]
			}
		}
		if len(out) > 0 { // the other views say the same
			break
		}
	}
	return out
}

// bareQueries is the sheet of a mail that asks for something in so many words and
// says nothing else: it changes nothing, so it needs no heading.
func bareQueries(v judge.Verdict, p auth.Proven, t *table) (orders.Sheet, bool) {
	lines := own(v)
	if len(lines) == 0 {
		return orders.Sheet{}, false
	}
	list, found := orders.Parse(append(append([]string{"GAME " + p.Game}, lines...), "END"), t.play.Grammar())
	if len(found) > 0 || len(list) != 1 {
		return orders.Sheet{}, false
	}
	for i := range list[0].Lines {
		switch list[0].Lines[i].Verb {
		case "HELP", "STATUS", "MAP":
		default:
			return orders.Sheet{}, false
		}
	}
	return list[0], len(list[0].Lines) > 0
}

// oneLine is the right form of a sheet whose heading and order stand in one line,
// such as GAME 1 HELP; nil if the mail has none.
func oneLine(v judge.Verdict, p auth.Proven) []string {
	for _, l := range own(v) {
		f := strings.Fields(strings.ToUpper(l))
		if len(f) < 3 || len(f) > 12 || f[0] != "GAME" || f[1] != p.Game || f[2] == "TURN" || f[2] == "PHASE" {
			continue
		}
		return []string{"GAME " + p.Game, strings.Join(f[2:], " "), "END"}
	}
	return nil
}

// letter opens a letter to a seat.
func (w *work) letter(t *table, side engine.Side, kind LetterKind, word Word) *draft {
	d := &draft{t: t, seat: side, l: Letter{Kind: kind, Word: word, Now: w.now}}
	w.letters = append(w.letters, d)
	return d
}

// answering makes a letter the answer to the mail.
func (w *work) answering(d *draft, v judge.Verdict) {
	d.answer = true
	d.parent = v.Mail.MessageID
	d.l.Normalised = v.Mail.Normalised
	seat := d.t.Seat(d.seat)
	if v.Auth.Sender != auth.Canonical(seat.Address) {
		d.l.Notices = append(d.l.Notices, engine.T("office.from-other", "sender", v.Auth.Sender))
	}
}
