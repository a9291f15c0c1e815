package realmail_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"pbemd/pbem/hub"
	"pbemd/pbem/realmail"
)

// A player's mail goes to Postfix, by LMTP to Dovecot, and is read by IMAP; the
// detail of the address survives as far as Delivered-To.
func TestMailGoesThroughPostfixAndDovecot(t *testing.T) {
	s := realmail.Start(t, realmail.Options{Users: []realmail.User{
		{Address: "gm@pbem.example", Password: "gm secret"},
		{Address: "alice@players.example", Password: "alice secret"},
	}})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	alice := hub.NewPlayer(hub.PlayerConfig{
		Address: "alice@players.example", Name: "Alice", Password: "alice secret",
		IMAP: s.IMAPAddr(), SMTP: s.SubmissionAddr(), Login: true, TLS: s.TLS(),
	})
	defer alice.Close()
	gm := hub.NewPlayer(hub.PlayerConfig{
		Address: "gm@pbem.example", Password: "gm secret", IMAP: s.IMAPAddr(), SMTP: s.SMTPAddr(),
	})
	defer gm.Close()
	id, err := alice.Send(ctx, "gm+g12-k7f3q9xw@pbem.example", "[12] orders", "GAME 12\nMOVE 56PZ H15-H14\nEND\n")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := gm.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Delivered-To: gm+g12-k7f3q9xw@pbem.example\r\n", "Message-ID: " + id, "\r\nMOVE 56PZ H15-H14\r\n"} {
		if !bytes.Contains(raw, []byte(want)) {
			t.Errorf("no %q in\n%s", want, raw)
		}
	}
	if _, err := gm.Reply(ctx, raw, "ACCEPTED\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := alice.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"In-Reply-To: " + id, "References: " + id, "Subject: Re: [12] orders"} {
		if !bytes.Contains(answer, []byte(want)) {
			t.Errorf("no %q in\n%s", want, answer)
		}
	}
}

func TestMailWaitsWhileDovecotIsDown(t *testing.T) {
	s := realmail.Start(t, realmail.Options{Users: []realmail.User{{Address: "gm@pbem.example", Password: "gm secret"}}})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	gm := hub.NewPlayer(hub.PlayerConfig{
		Address: "gm@pbem.example", Password: "gm secret", IMAP: s.IMAPAddr(), SMTP: s.SMTPAddr(),
	})
	defer gm.Close()
	s.StopDovecot()
	if _, err := gm.Send(ctx, "gm@pbem.example", "to myself", "hello\n"); err != nil {
		t.Fatal(err)
	}
	s.StartDovecot()
	s.Flush()
	raw, err := gm.Next(ctx)
	if err != nil || !bytes.Contains(raw, []byte("Subject: to myself\r\n")) {
		t.Errorf("arrived %q, %v", raw, err)
	}
}
