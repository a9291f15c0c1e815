package pbem_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"mime"
	"net/mail"
	"net/textproto"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/emersion/go-msgauth/dkim"

	"pbemd/engine/dice/dicetest"
	"pbemd/pbem"
	"pbemd/pbem/auth"
	"pbemd/pbem/pbemtest"
	"pbemd/pbem/report"
)

// everyKind plays until the office has sent a mail of each kind.
func everyKind(t *testing.T, change func(*pbemtest.World)) *pbemtest.World {
	beacon := dicetest.NewBeacon(t)
	w := pbemtest.NewWorld(t, func(w *pbemtest.World) {
		proven(w)
		writer, err := report.New()
		if err != nil {
			t.Fatal(err)
		}
		w.Config.Reporter = writer
		w.Config.Name = "Spielleitung Köln"
		w.Config.Drand = &beacon.Drand
		w.Config.Beacon = func(_ context.Context, round uint64) ([]byte, error) {
			if beacon.Time(round).After(w.Now()) {
				return nil, errors.New("not yet")
			}
			return beacon.Sign(round), nil
		}
		if change != nil {
			change(w)
		}
	}, pbemtest.ToyRules())
	w.Found("toy", pbem.Terms{AnswerHours: 48, Beacon: true})
	axis, soviet := w.As("axis"), w.As("soviet")
	axis.Sheet("JOIN")
	soviet.Sheet("JOIN")
	w.Wait(11 * time.Minute) // the beacon of the start
	soviet.Sheet("STANDING ASK D04")
	axis.Sheet("MESSAGE Grüße aus dem Kessel, " + strings.Repeat("der Schnee liegt tief ", 20))
	axis.Sheet("PHASE FIGHT", "FIGHT", "END PHASE")
	w.Wait(11 * time.Minute) // the question
	w.Wait(25 * time.Hour)   // its reminder
	soviet.Sheet("ANSWER Q1 B")
	put(w, vouched(pbemtest.Compose("new@other.example", "gm@pbem.example", "hello", "<n@y.example>", "", w.Now(), "how do I join?"), "other.example"))
	if err := w.Office.Hold(context.Background(), 1); err != nil {
		t.Fatal(err)
	}
	if err := w.Office.Release(context.Background(), 1); err != nil {
		t.Fatal(err)
	}
	w.Flush()
	axis.Sheet("OFFER DRAW")
	l := soviet.Sheet("ACCEPT DRAW")
	soviet.Sheet(after(l.Text, "ACCEPT DRAW CONFIRM"))
	kinds := map[string]int{}
	list, err := w.Archive.Outbox(pbem.OutSent, "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range list {
		kinds[o.Kind]++
	}
	for _, k := range []pbem.LetterKind{pbem.Receipt, pbem.Report, pbem.Asking, pbem.Reminder, pbem.Invitation, pbem.Opening, pbem.Closing, pbem.Relay, pbem.Note, pbem.Finale, pbem.Guide} {
		if kinds[string(k)] == 0 {
			t.Errorf("no mail of the kind %s was sent; there are %v", k, kinds)
		}
	}
	return w
}

// TestEveryKindOfMailIsWellFormed holds what we send against RFC 5322, 2045 and
// 3834, and against what mail programs and filters expect of a good sender.
func TestEveryKindOfMailIsWellFormed(t *testing.T) {
	w := everyKind(t, nil)
	kinds := map[string]string{}
	list, err := w.Archive.Outbox(pbem.OutSent, "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range list {
		kinds["<"+o.ID+"@pbem.example>"] = o.Kind
	}
	ids := map[string]bool{}
	for _, s := range w.Post.All {
		m, err := mail.ReadMessage(bytes.NewReader(s.Message))
		if err != nil {
			t.Fatalf("a mail can't be read: %v", err)
		}
		id := m.Header.Get("Message-ID")
		kind := kinds[id]
		bad := func(format string, args ...any) {
			t.Helper()
			t.Errorf("%s %s: "+format, append([]any{kind, id}, args...)...)
		}
		if kind == "" || ids[id] {
			bad("an unknown Message-ID, or one for two mails")
		}
		ids[id] = true
		for _, name := range []string{"Date", "Message-ID", "From", "To", "Subject", "Reply-To", "Auto-Submitted", "MIME-Version", "Content-Type", "Precedence", "X-Auto-Response-Suppress", "X-PBEM-Loop"} {
			if n := len(m.Header[textproto.CanonicalMIMEHeaderKey(name)]); n != 1 {
				bad("%d fields %s", n, name)
			}
		}
		for _, name := range []string{"Cc", "Bcc", "Sender", "Return-Path"} {
			if m.Header.Get(name) != "" {
				bad("a field %s", name)
			}
		}
		if at, err := m.Header.Date(); err != nil || at.After(w.Now()) {
			bad("Date %q: %v", m.Header.Get("Date"), err)
		}
		to, err := m.Header.AddressList("To")
		if err != nil || len(to) != 1 || to[0].Address != s.To {
			bad("To %v, envelope %s, %v", to, s.To, err)
		}
		from, err := mail.ParseAddress(m.Header.Get("From"))
		if err != nil || from.Address != "gm@pbem.example" || from.Name != "Spielleitung Köln" {
			bad("From %v, %v", from, err)
		}
		reply, err := mail.ParseAddress(m.Header.Get("Reply-To"))
		if err != nil || !strings.HasPrefix(reply.Address, "gm") || !strings.HasSuffix(reply.Address, "@pbem.example") {
			bad("Reply-To %v, %v", reply, err)
		}
		// An answer bounces to nobody, so that two machines can't play ball.
		want, path := "auto-generated", regexp.MustCompile(`^gm\+b-.*@pbem\.example$`)
		if kind == "receipt" || kind == "help" {
			want, path = "auto-replied", regexp.MustCompile(`^$`)
		}
		if strings.HasPrefix(id, "<ack.") {
			want, path = "auto-replied", regexp.MustCompile(`^$`)
		}
		if got := m.Header.Get("Auto-Submitted"); got != want {
			bad("Auto-Submitted: %s, want %s", got, want)
		}
		if !path.MatchString(s.From) {
			bad("envelope from %q", s.From)
		}
		un := m.Header.Get("List-Unsubscribe")
		if remind := kind == "reminder" || kind == "invitation"; remind != (un != "") || remind && un != "<mailto:"+reply.Address+">" {
			bad("List-Unsubscribe: %q", un)
		}
		if subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject")); err != nil || subject == "" || !utf8.ValidString(subject) {
			bad("Subject %q, %v", subject, err)
		}
		for n, l := range bytes.Split(s.Message, []byte("\r\n")) {
			if len(l) > 998 || bytes.ContainsAny(l, "\r\n") {
				bad("line %d has %d octets, or a bare CR or LF", n+1, len(l))
			}
			if i := slices.IndexFunc(l, func(b byte) bool { return b >= 0x80 || b < ' ' && b != '\t' }); i >= 0 {
				bad("line %d isn't printable ASCII: %q", n+1, l)
			}
			if len(l) > 78 && !bytes.HasPrefix(l, []byte("References:")) && !bytes.HasPrefix(l, []byte(" <")) {
				bad("line %d has %d octets: %s", n+1, len(l), l)
			}
		}
		letter, err := pbemtest.ReadLetter(s.Message)
		if err != nil {
			bad("%v", err)
		}
		for _, l := range strings.Split(letter.Text, "\n") {
			if n := utf8.RuneCountInString(l); n > 78 && !record.MatchString(l) {
				bad("a line of text has %d characters: %s", n, l)
			}
		}
		if len(letter.Text) == 0 || letter.HTML != "" && !strings.Contains(letter.HTML, "<html") {
			bad("no text, or HTML without its frame")
		}
	}
}

// record are lines whose form is fixed by the dice protocol.
var record = regexp.MustCompile(`^(sig|[a-z0-9-]+): `)

// TestSignedMailsVerify has DKIM signatures on every kind, of the bytes that are
// sent; a signer that fails keeps no mail back.
func TestSignedMailsVerify(t *testing.T) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := auth.NewSigner("pbem.example", "s1", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	if err != nil {
		t.Fatal(err)
	}
	w := everyKind(t, func(w *pbemtest.World) { w.Config.Sign = signer.Sign })
	_, value := signer.Record()
	for _, s := range w.Post.All {
		v, err := dkim.VerifyWithOptions(bytes.NewReader(s.Message), &dkim.VerifyOptions{LookupTXT: func(string) ([]string, error) { return []string{value}, nil }})
		if err != nil || len(v) != 1 || v[0].Err != nil || v[0].Domain != "pbem.example" {
			t.Fatalf("a mail to %s: %v %+v", s.To, err, v)
		}
	}
	broken := toy(t, func(w *pbemtest.World) {
		w.Config.Sign = func([]byte) ([]byte, error) { return nil, errors.New("no key") }
	}, pbem.Terms{})
	says(t, broken.As("axis").Sheet("STEP 1"), "ACCEPTED")
	if !strings.Contains(broken.Log.String(), "goes out without") {
		t.Error("nobody is told")
	}
}

// A step of another mail that the server's end interrupted is played before the
// next order sheet, which then is judged against the game as it is.
func TestInterruptedStepIsPlayedBeforeTheNextSheet(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	axis := w.As("axis")
	axis.Sheet("END PHASE")
	m := w.Archive.(*pbemtest.Memory)
	died := errors.New("killed")
	n := 0
	m.Fail = func(c pbem.Change) error {
		if len(c.Games) > 0 {
			if n++; n == 2 { // closed, not played
				return died
			}
		}
		return nil
	}
	w.Box.Put(axis.Mail("GAME 1", "FIGHT", "END"), w.Now())
	if err := w.Office.Drain(context.Background(), w.Box); !errors.Is(err, died) {
		t.Fatalf("drain: %v", err)
	}
	m.Fail = nil
	w.Restart()
	held := w.Box
	w.Box = &pbemtest.Box{} // the mail is held back
	w.Box.Put(axis.Mail("GAME 1", "FIGHT", "AGAIN", "END"), w.Now())
	w.Drain()
	says(t, w.Next("axis"), "ACCEPTED", "axis fights") // the first
	says(t, w.Next("axis"), "ACCEPTED", "axis fights") // the second
	w.Box = held
	w.Drain()
	w.None("axis")
	g, err := w.Archive.Game(1)
	if err != nil || g.Bursts != 4 || g.Pending != nil {
		t.Errorf("%d bursts, pending %v, %v", g.Bursts, g.Pending, err)
	}
	checkProofs(t, w)
}

// While the store can't be written a mail that went out isn't sent again, and no
// other is; afterwards the outbox goes on.
func TestUnwritableStoreSendsNothingTwice(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	axis := w.As("axis")
	w.Box.Put(axis.Mail("GAME 1", "STEP 1", "END TURN", "END"), w.Now()) // a mail to each
	if err := w.Office.Drain(context.Background(), w.Box); err != nil {
		t.Fatal(err)
	}
	m := w.Archive.(*pbemtest.Memory)
	full := errors.New("no space left on device")
	m.Fail = func(pbem.Change) error { return full }
	before := w.Post.Count()
	for range 5 {
		if err := w.Office.Flush(context.Background(), w.Post); !errors.Is(err, full) {
			t.Fatalf("flush: %v", err)
		}
	}
	if n := w.Post.Count() - before; n != 1 {
		t.Errorf("%d mails went out while the store couldn't be written, want the first alone", n)
	}
	m.Fail = nil
	w.Flush()
	if n := w.Post.Count() - before; n != 2 {
		t.Errorf("%d mails went out in all, want 2", n)
	}
}
