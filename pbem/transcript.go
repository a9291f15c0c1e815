package pbem

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"

	"pbemd/engine"
	"pbemd/engine/dice"
	"pbemd/pbem/message"
)

// A transcript is a text of two parts. The first, records and orders in armour
// lines, is all that checkers of the dice read; package dice describes it. The
// second is there once the game is over, and is what [Verify] plays it again
// from: between the lines
//
//	-----BEGIN PBEM PLAY-----
//	-----END PBEM PLAY-----
//
// each line is a JSON object: first a playHead, then a playBurst for every sheet
// or close record in their order, then a playEnd, and last {"sig": …}, the
// server's Ed25519 signature in base64 over
//
//	LP("pbem-play-v1") || LP(hash of the end record) || LP(the lines above, LF included)
const (
	beginPlay = "-----BEGIN PBEM PLAY-----"
	endPlay   = "-----END PBEM PLAY-----"
)

// playHead says what was played. Files are those of the data set that the rules
// don't ship; the start record has the digests of all.
type playHead struct {
	Play    int               `json:"play"` // version of this form
	Game    string            `json:"game"`
	Rules   string            `json:"rules"`
	Options json.RawMessage   `json:"options,omitempty"`
	Seats   []engine.Side     `json:"seats"`
	Files   map[string][]byte `json:"files,omitempty"`
}

// playBurst is an executed sheet and what it did. Undone ones did nothing; of a
// cut one the end was taken back.
type playBurst struct {
	Burst    int                      `json:"burst"`
	Side     engine.Side              `json:"side,omitempty"`
	Step     int                      `json:"step,omitempty"`
	Version  int                      `json:"version"`
	Lines    []Line                   `json:"lines,omitempty"`
	Standing map[engine.Side][]string `json:"standing,omitempty"`
	Ask      map[engine.Side][]string `json:"ask,omitempty"`
	Answers  []Given                  `json:"answers,omitempty"`
	Undone   bool                     `json:"undone,omitempty"`
	Cut      bool                     `json:"cut,omitempty"`
	Events   []engine.Record          `json:"events,omitempty"`
}

// playEnd is the position at the end, in the game's notation.
type playEnd struct {
	Position string `json:"position"`
}

type playSig struct {
	Sig string `json:"sig"`
}

// playMessage is what the signature is over.
func playMessage(head dice.Hash, lines []byte) []byte {
	var b []byte
	for _, part := range [][]byte{[]byte("pbem-play-v1"), head[:], lines} {
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(part))), part...)
	}
	return b
}

// transcript is the whole proof of a game as one text. Unless the game is over,
// what both sides ordered are secrets of the server and stay out.
func (o *Office) transcript(t *table, sealed []Sealed) (string, error) {
	var records []dice.Record
	var orders []dice.Orders
	over := len(sealed) > 0 && sealed[len(sealed)-1].Kind == string(dice.KindEnd)
	for _, s := range sealed {
		r, err := dice.Parse([]byte(s.Text))
		if err != nil {
			return "", fmt.Errorf("record %d of game %v: %w", s.N, t.ID, err)
		}
		records = append(records, r)
		for _, seat := range t.Seats {
			lines := s.Orders[seat.Side]
			if !over || len(lines) == 0 {
				continue
			}
			opener, err := t.dice.Opener(r.Step(), string(seat.Side))
			if err != nil {
				return "", err
			}
			orders = append(orders, dice.Orders{Record: r.Hash(), Player: string(seat.Side), Opener: &opener, Lines: lines})
		}
	}
	text := dice.Transcript(records, orders)
	if !over {
		return text, nil
	}
	play, err := o.playPart(t)
	return text + play, err
}

// playPart is the second part of a transcript.
func (o *Office) playPart(t *table) (string, error) {
	var b bytes.Buffer
	put := func(v any) error {
		line, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("transcript of game %v: %w", t.ID, err)
		}
		b.Write(append(line, '\n'))
		return nil
	}
	head := playHead{Play: 1, Game: t.ID.String(), Rules: t.Rules, Options: t.Options, Seats: t.play.Seats()}
	var err error
	if head.Files, err = o.ownFiles(t); err != nil {
		return "", err
	}
	if err := put(head); err != nil {
		return "", err
	}
	at := 0
	for n := 1; n <= t.Bursts; n++ {
		x, err := o.burst(t, n)
		if err != nil {
			return "", err
		}
		p := playBurst{Burst: n, Side: x.Side, Step: x.Step, Version: x.Version, Lines: x.Lines, Standing: x.Standing, Ask: x.Ask,
			Answers: x.Answers, Undone: x.Undone, Cut: x.Cut}
		for ; !x.Undone && at < len(t.events) && t.events[at].Seq <= x.To; at++ {
			r, err := t.play.Codec().Encode(t.events[at])
			if err != nil {
				return "", fmt.Errorf("transcript of game %v: %w", t.ID, err)
			}
			p.Events = append(p.Events, r)
		}
		if err := put(p); err != nil {
			return "", err
		}
	}
	if err := put(playEnd{t.play.FormatState(t.pos)}); err != nil {
		return "", err
	}
	sig := ed25519.Sign(o.cfg.SignKey, playMessage(t.dice.Head(), b.Bytes()))
	if err := put(playSig{base64.StdEncoding.EncodeToString(sig)}); err != nil {
		return "", err
	}
	return beginPlay + "\n" + b.String() + endPlay + "\n", nil
}

// ownFiles are the files of a game's data set that its rules don't ship.
func (o *Office) ownFiles(t *table) (map[string][]byte, error) {
	set, err := o.data(t.Data)
	if err != nil {
		return nil, fmt.Errorf("data set of game %v: %w", t.ID, err)
	}
	shipped := o.rules[t.Rules].Files()
	own := map[string][]byte{}
	for name, b := range set {
		if shipped != nil {
			if s, err := fs.ReadFile(shipped, name); err == nil && bytes.Equal(s, b) {
				continue
			}
		}
		own[name] = b
	}
	return own, nil
}

// Transcript is the whole proof of a game as one text: its records, and once the
// game is over the orders of both sides and what the rules made of them.
func (o *Office) Transcript(_ context.Context, id GameID) (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	t, err := o.open(id)
	if err != nil {
		return "", err
	}
	list, err := o.cfg.Archive.Records(id, 0)
	if err != nil {
		return "", fmt.Errorf("records of game %v: %w", id, err)
	}
	return o.transcript(t, list)
}

// transcript is the whole game as a proof, for the mails of its end.
func (w *work) transcript(t *table) (message.Attachment, error) {
	text, err := w.o.transcript(t, w.allRecords(t, 0))
	return message.Attachment{Name: "game" + t.ID.String() + "-transcript.txt", Data: []byte(text)}, err
}

// splitPlay parts the second part of a transcript from the first. The lines of
// it are without armour, each ended by LF; none if it isn't there.
func splitPlay(text string) (proof, play string) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	proof, rest, ok := strings.Cut(text, beginPlay+"\n")
	if !ok {
		return text, ""
	}
	play, _, ok = strings.Cut(rest, endPlay)
	if !ok {
		return proof, rest
	}
	return proof, play
}

// optionsFile is the name under which the start record has the digest of a
// game's options, beside its data files.
const optionsFile = "options.json"

func optionsDigest(o json.RawMessage) dice.DataFile {
	return dice.DataFile{Digest: sha256.Sum256(o), Name: optionsFile}
}
