package pbem

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"time"

	"pbemd/engine"
	"pbemd/engine/dice"
	"pbemd/pbem/auth"
	"pbemd/pbem/message"
)

// Founding is what a new game is made of.
type Founding struct {
	Rules   string
	Options json.RawMessage
	Data    map[string][]byte // files in place of the rules' own
	Seats   []Seat            // Side, Name and Address; the rest as wanted
	Terms   Terms
}

// NewGame founds a game and sends the invitations, or begins it at once.
func (o *Office) NewGame(ctx context.Context, f Founding) (GameID, error) {
	rules, ok := o.rules[f.Rules]
	if !ok {
		return 0, fmt.Errorf("there are no rules %q here", f.Rules)
	}
	if f.Terms.Beacon && o.cfg.Beacon == nil {
		return 0, errors.New("this server has no beacon: games have dice of the grade chain")
	}
	set, err := dataSet(rules.Files(), f.Data)
	if err != nil {
		return 0, err
	}
	sum, _ := digestOf(set)
	play, err := rules.Load(files(set), f.Options)
	if err != nil {
		return 0, fmt.Errorf("load the game: %w", err)
	}
	seats, err := seated(play.Seats(), f.Seats)
	if err != nil {
		return 0, err
	}
	if f.Terms.AnswerHours == 0 {
		f.Terms.AnswerHours = 72
	}
	var id GameID
	err = o.do(ctx, func(w *work) error {
		next, err := o.cfg.Archive.NextGame()
		if err != nil {
			return fmt.Errorf("number of the new game: %w", err)
		}
		id = next
		secrets, err := o.secrets(id, f.Terms.Seed, 0)
		if err != nil {
			return err
		}
		t := &table{play: play, pos: play.Empty(), changed: true, Game: Game{
			ID: id, Rules: f.Rules, Version: play.Version(), Options: f.Options, Data: sum, Stage: Inviting,
			Created: w.now, Terms: f.Terms, Chains: keepSecrets(secrets), Since: w.now,
		}}
		t.Seats = append([]Seat{}, seats...)
		w.tables[id] = t
		w.opened = append(w.opened, id)
		w.change.Data = map[string]map[string][]byte{sum: set}
		o.cfg.Log.Info("game founded", "game", id.String(), "rules", f.Rules)
		if f.Terms.NoJoin {
			return w.begin(t)
		}
		for _, s := range t.Seats {
			w.invite(t, s.Side)
		}
		return nil
	})
	return id, err
}

// seated puts seats into the order of the game and checks them.
func seated(sides []engine.Side, given []Seat) ([]Seat, error) {
	var out []Seat
	for _, side := range sides {
		found := false
		for _, s := range given {
			if s.Side != side {
				continue
			}
			if found {
				return nil, fmt.Errorf("the side %s is given twice", side)
			}
			found = true
			if err := goodAddress(s.Address); err != nil {
				return nil, fmt.Errorf("address of %s: %w", side, err)
			}
			if s.Zone != "" {
				if _, err := time.LoadLocation(s.Zone); err != nil {
					return nil, fmt.Errorf("time zone of %s: %w", side, err)
				}
			}
			s.Address = auth.Canonical(s.Address)
			out = append(out, s)
		}
		if !found {
			return nil, fmt.Errorf("nobody is named for the side %s", side)
		}
	}
	if len(out) != len(given) {
		return nil, fmt.Errorf("the game has the sides %v only", sides)
	}
	return out, nil
}

func goodAddress(a string) error {
	p, err := mail.ParseAddress("<" + a + ">")
	if err != nil || p.Address != a || strings.ContainsAny(a, " \r\n\t") {
		return fmt.Errorf("%q is no mail address", a)
	}
	// What can't be written to must never get into a game.
	_, err = message.Compose(message.Outgoing{From: message.Address{Addr: a}, To: message.Address{Addr: a},
		MessageID: "<trial@trial.example>", Date: time.Unix(0, 0)})
	if err != nil {
		return fmt.Errorf("%q can't be written to", a)
	}
	return nil
}

func (w *work) invite(t *table, side engine.Side) {
	d := w.letter(t, side, Invitation, WordWaiting)
	d.l.Lead = []engine.Text{engine.T("office.invitation", "game", t.ID.String(), "rules", w.o.rules[t.Rules].Name, "side", engine.T("side."+string(side)))}
	d.l.Template = []string{"GAME " + t.ID.String(), "JOIN", "END"}
}

// join takes a seat; when the last one is taken the game begins.
func (r *reading) join() error {
	t := r.t
	if t.Stage != Inviting || t.Records > 0 {
		r.say("office.join.already")
		return nil
	}
	r.seat.Joined = true
	t.changed = true
	for _, s := range t.Seats {
		if !s.Joined {
			r.say("office.join.waits", "side", engine.T("side."+string(s.Side)))
			return nil
		}
	}
	r.say("office.join.begins")
	return r.w.begin(t)
}

// begin writes the start record and closes step 1, the game's start.
func (w *work) begin(t *table) error {
	set, ok := w.change.Data[t.Data]
	if !ok {
		var err error
		if set, err = w.o.data(t.Data); err != nil {
			return fmt.Errorf("data set of game %v: %w", t.ID, err)
		}
	}
	_, list := digestOf(set)
	if len(t.Options) > 0 {
		list = append(list, optionsDigest(t.Options))
	}
	start := dice.Start{Game: t.ID.String(), Rules: t.Rules, Version: t.play.Version(), Build: w.o.cfg.Build, Data: list, Time: w.now}
	for _, s := range t.Seats {
		start.Players = append(start.Players, string(s.Side))
	}
	if t.Terms.Beacon {
		start.Beacon = w.o.cfg.Drand
	}
	log, rec, err := dice.Begin(start, t.Chains.secrets(), w.o.cfg.SignKey)
	if err != nil {
		return fmt.Errorf("begin game %v: %w", t.ID, err)
	}
	t.dice, t.Stage = log, Playing
	t.seal(rec, nil)
	w.o.cfg.Log.Info("game begins", "game", t.ID.String())
	return w.closeStep(t, w.newBurst(t, "", nil), nil, nil)
}

// address asks both addresses about a change.
func (r *reading) address(to string) {
	t := r.t
	if err := goodAddress(to); err != nil || auth.Ours(r.w.o.cfg.Mailbox, to) {
		r.refuse(engine.T("office.address.bad", "address", to))
		return
	}
	if auth.Canonical(to) == auth.Canonical(r.seat.Address) {
		r.say("office.address.same")
		return
	}
	// The word in the new address's reply address proves that it was read there.
	word := auth.Token(r.w.o.cfg.TokenKey, t.ID.String(), string(r.seat.Side)+moving, uint64(r.w.now.Unix()), uint64(r.seat.Epoch))
	r.seat.Moving = &Moving{To: auth.Canonical(to), Word: word, Asked: r.w.now}
	t.changed = true
	r.say("office.address.asked", "address", to)
	d := r.w.letter(t, r.seat.Side, Note, WordWaiting)
	d.to = r.seat.Moving.To
	d.l.Lead = []engine.Text{engine.T("office.address.confirm", "game", t.ID.String(), "address", to)}
}

// confirmAddress takes the answer from a new address. The old one may still say
// REFUSE until a day has gone by since the change was asked for.
func (w *work) confirmAddress(game string, side engine.Side, sender string) error {
	id, _ := ParseGameID(game)
	t, err := w.table(id)
	if err != nil {
		return err
	}
	s := t.Seat(side)
	if s == nil || s.Moving == nil || s.Moving.To != sender {
		w.o.cfg.Log.Warn("a new address was confirmed from another one", "game", game, "side", string(side))
		return nil
	}
	s.Moving.Taken = true
	t.changed = true
	if w.now.Sub(s.Moving.Asked) >= refuseTime {
		w.move(t, s)
	}
	return nil
}

// refuseTime is how long the old address may refuse a new one.
const refuseTime = 24 * time.Hour

// move changes the address of a seat.
func (w *work) move(t *table, s *Seat) {
	old := s.Address
	s.Address, s.Moving, s.Failing = s.Moving.To, nil, false
	s.Epoch++
	t.changed = true
	d := w.letter(t, s.Side, Note, WordWaiting)
	d.l.Lead = []engine.Text{engine.T("office.address.taken")}
	d.view = true
	o := w.letter(t, s.Side, Note, WordWaiting)
	o.to, o.bare = old, true
	o.l.Lead = []engine.Text{engine.T("office.address.left", "game", t.ID.String())}
	w.o.cfg.Log.Info("address changed", "game", t.ID.String(), "side", string(s.Side))
}

// Reseat replaces a player or an address: all tokens so far are void, and both
// sides are told.
func (o *Office) Reseat(ctx context.Context, id GameID, side engine.Side, name, address string) error {
	if address != "" {
		if err := goodAddress(address); err != nil {
			return err
		}
	}
	return o.do(ctx, func(w *work) error {
		t, err := w.table(id)
		if err != nil {
			return fmt.Errorf("game %v: %w", id, err)
		}
		s := t.Seat(side)
		if s == nil {
			return fmt.Errorf("game %v has no side %q", id, side)
		}
		if name != "" {
			s.Name = name
		}
		if address != "" {
			s.Address, s.Failing = auth.Canonical(address), false
		}
		s.Epoch++
		s.Moving = nil
		t.changed = true
		d := w.letter(t, side, Note, WordWaiting)
		d.l.Lead = []engine.Text{engine.T("office.reseat.you", "side", engine.T("side."+string(side)))}
		d.view, d.l.Template = true, t.template(side)
		for _, other := range t.Others(side) {
			d := w.letter(t, other.Side, Note, WordWaiting)
			d.l.Lead = []engine.Text{engine.T("office.reseat.other", "side", engine.T("side."+string(side)), "name", s.Name)}
		}
		o.cfg.Log.Info("seat changed", "game", id.String(), "side", string(side))
		return nil
	})
}

// Hold keeps a game from taking orders; Release ends it; CloseGame ends the
// game for good. All tell the players.
func (o *Office) Hold(ctx context.Context, id GameID) error {
	return o.tellAll(ctx, id, "office.held", func(_ *work, t *table) error {
		if t.Held {
			return fmt.Errorf("game %v is held already", id)
		}
		t.Held = true
		return nil
	})
}

// Release ends a Hold.
func (o *Office) Release(ctx context.Context, id GameID) error {
	return o.tellAll(ctx, id, "office.released", func(_ *work, t *table) error {
		if !t.Held {
			return fmt.Errorf("game %v isn't held", id)
		}
		t.Held = false
		return nil
	})
}

// closedResult stands in the end record of a game that the operator has closed.
const closedResult = "closed by the operator, without a result"

// CloseGame ends a game without a result: nothing is taken any more. Its seals
// are opened, and both players get the transcript, unless a step is under way,
// which only its players could take back.
func (o *Office) CloseGame(ctx context.Context, id GameID) error {
	return o.tellAll(ctx, id, "office.closed-game", func(w *work, t *table) error {
		begun := t.Stage == Playing && t.dice != nil
		t.Stage = Closed
		if !begun || t.Pending != nil {
			return nil
		}
		return w.unseal(t, closedResult)
	})
}

// tellAll changes a game that goes on and tells its players.
func (o *Office) tellAll(ctx context.Context, id GameID, key string, f func(*work, *table) error) error {
	return o.do(ctx, func(w *work) error {
		t, err := w.table(id)
		if err != nil {
			return fmt.Errorf("game %v: %w", id, err)
		}
		switch t.Stage {
		case Over:
			return fmt.Errorf("game %v is over: it has been played to its end", id)
		case Closed:
			return fmt.Errorf("game %v is closed; nothing goes on in it", id)
		}
		if err := f(w, t); err != nil {
			return err
		}
		t.changed = true
		for _, s := range t.Seats {
			d := w.letter(t, s.Side, Note, WordWaiting)
			d.l.Lead = []engine.Text{engine.T(key, "game", id.String())}
			if t.Stage != Closed {
				continue
			}
			d.l.Word = WordGameOver
			switch {
			case t.Result != "":
				d.l.Kind, d.full = Report, true
			case t.Pending != nil:
				d.l.Lead = append(d.l.Lead, engine.T("office.closed-shut"))
			}
		}
		o.cfg.Log.Info("operator", "game", id.String(), "what", strings.TrimPrefix(key, "office."))
		return nil
	})
}
