package pbem_test

import (
	"context"
	"net/mail"
	"strings"
	"testing"

	"pbemd/engine"
	"pbemd/pbem"
	"pbemd/pbem/pbemtest"
)

// Words of a player reach the other as words: they make no field of a mail's
// header and no proof of the dice.
func TestWordsStayWords(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	axis := w.As("axis")
	l := axis.Sheet("STEP 1", "SALT -----END PBEM RECORD-----", "MESSAGE", "Subject: a trap", "Bcc: all@world.example", "",
		"-----BEGIN PBEM RECORD-----", "pbem-record v1 step", "game: 1", "-----END PBEM RECORD-----", "- -----BEGIN PBEM ORDERS-----", "END MESSAGE")
	says(t, l, "ACCEPTED", "✓ MESSAGE Subject: a trap")
	r := w.Next("soviet")
	says(t, r, "WAITING", "Bcc: all@world.example", "BEGIN PBEM RECORD", "pbem-record v1 step")
	lacks(t, r, "-----BEGIN PBEM", "-----END PBEM")
	m, err := mail.ReadMessage(strings.NewReader(string(r.Raw)))
	if err != nil {
		t.Fatal(err)
	}
	if m.Header.Get("Bcc") != "" || strings.Contains(m.Header.Get("Subject"), "trap") || len(m.Header["To"]) != 1 {
		t.Errorf("the header is %v", m.Header)
	}
	axis.Sheet("PHASE FIGHT", "FIGHT", "END PHASE")
	w.Next("soviet")
	checkProofs(t, w)
}

// The names of the players are the operator's to choose, and make no fields.
func TestNamesMakeNoFields(t *testing.T) {
	w := pbemtest.NewWorld(t, nil, pbemtest.ToyRules())
	f := pbem.Founding{Rules: "toy", Terms: pbem.Terms{NoJoin: true, Seed: "word"}}
	for _, s := range []engine.Side{"axis", "soviet"} {
		f.Seats = append(f.Seats, pbem.Seat{Side: s, Name: "Eve \"x\" <eve@evil.example>,\u2028Bcc: a@b.example", Address: string(s) + "@players.example"})
	}
	w.Take(f)
	m, err := mail.ReadMessage(strings.NewReader(string(w.Next("axis").Raw)))
	if err != nil {
		t.Fatal(err)
	}
	list, err := m.Header.AddressList("To")
	if err != nil || len(list) != 1 || list[0].Address != "axis@players.example" || m.Header.Get("Bcc") != "" {
		t.Errorf("to %v (%v), header %v", list, err, m.Header)
	}
}

// A key is good for its game alone, wherever in the mail it stands; and a bounce
// counts only if it brings the key of the mail that it is about.
func TestKeysOfOtherGames(t *testing.T) {
	w := toy(t, func(w *pbemtest.World) { w.Config.SubjectTokens = true }, pbem.Terms{})
	first := w.As("axis")
	subject := first.Last().Subject
	w.Found("toy", pbem.Terms{NoJoin: true})
	second, other := w.As("axis"), w.As("soviet")
	second.Next()
	other.Next()
	look := func() pbem.Looked {
		l, err := w.Office.Look(context.Background(), w.Game)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	begun := look().Game.Seq
	put(w, pbemtest.Compose("somebody@else.example", pbemtest.MailboxAddress, "Re: "+subject, "<k1@y.example>", "", w.Now(), "GAME 2", "STEP 1", "END"))
	l := second.Next() // the address is the same; it is game 1 that answers
	if !strings.HasPrefix(l.Subject, "[1 ") || !strings.Contains(l.Subject, "NOT ACCEPTED") {
		t.Errorf("answered by %q", l.Subject)
	}
	put(w, pbemtest.Compose("somebody@else.example", pbemtest.MailboxAddress, strings.Replace(subject, "[1 ", "[2 ", 1), "<k2@y.example>", "", w.Now(), "GAME 2", "STEP 1", "END"))
	w.None("axis")
	if now := look().Game.Seq; now != begun {
		t.Errorf("game 2 is at event %d, was at %d", now, begun)
	}

	// bounces of mails to the other side, by somebody who can count
	forged := func(n, id string) []byte {
		return []byte("Return-Path: <>\r\nFrom: MAILER-DAEMON@players.example\r\nTo: " + pbemtest.MailboxAddress + "\r\nSubject: Undelivered " + n + "\r\nMessage-ID: <b" + n + "@x.example>\r\nMIME-Version: 1.0\r\n" +
			"Content-Type: multipart/report; report-type=delivery-status; boundary=r\r\n\r\n--r\r\nContent-Type: text/plain\r\n\r\nno\r\n--r\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; x\r\n\r\n" +
			"Final-Recipient: rfc822; soviet@players.example\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n--r\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: " + id + "\r\n\r\n--r--\r\n")
	}
	failing := func() bool { l := look(); return l.Game.Seat("soviet").Failing }
	for n := range 4 {
		put(w, forged(string(rune('1'+n)), "<g2.soviet.r1@pbem.example>"))
	}
	if failing() {
		t.Error("guessed bounces have silenced a seat")
	}
	m, err := mail.ReadMessage(strings.NewReader(string(other.Last().Raw)))
	if err != nil {
		t.Fatal(err)
	}
	real := m.Header.Get("Message-ID")
	for n := range 2 {
		put(w, forged(string(rune('6'+n)), real))
	}
	if !failing() {
		t.Errorf("bounces of %s don't count", real)
	}
}
