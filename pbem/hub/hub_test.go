package hub_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	goimap "github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"pbemd/pbem"
	"pbemd/pbem/hub"
	"pbemd/pbem/imap"
	"pbemd/pbem/smtp"
)

const gm, alice = "gm@pbem.example", "alice@players.example"

func start(t *testing.T) *hub.Hub {
	t.Helper()
	h, err := hub.Start(hub.Config{Users: []hub.User{{Address: gm, Password: "gm secret"}, {Address: alice, Password: "alice secret"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

func player(t *testing.T, h *hub.Hub, address, password string) *hub.Player {
	p := hub.NewPlayer(hub.PlayerConfig{Address: address, Name: "Jürgen, the First", Password: password, IMAP: h.IMAPAddr(), SMTP: h.SMTPAddr(), Login: true})
	t.Cleanup(func() { p.Close() })
	return p
}

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func contains(t *testing.T, raw []byte, wanted ...string) {
	t.Helper()
	for _, w := range wanted {
		if !bytes.Contains(raw, []byte(w)) {
			t.Errorf("no %q in\n%s", w, raw)
		}
	}
}

func TestTwoPlayersWriteToEachOther(t *testing.T) {
	h, ctx := start(t), within(t)
	a, b := player(t, h, alice, "alice secret"), player(t, h, gm, "gm secret")
	id, err := a.Send(ctx, "GM+g12-k7f3q9xw@pbem.example", "[12] Züge", "GAME 12\nMOVE 56PZ H15→H14\nEND\n")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := b.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(raw, []byte("Return-Path: <alice@players.example>\r\nDelivered-To: GM+g12-k7f3q9xw@pbem.example\r\nReceived: from player.localhost (")) {
		t.Errorf("trace lines:\n%s", raw)
	}
	contains(t, raw, "Message-ID: "+id+"\r\n", "Subject: =?UTF-8?q?[12]_Z=C3=BCge?=\r\n", "MOVE 56PZ H15=E2=86=92H14\r\n")
	second, err := b.Reply(ctx, raw, "ACCEPTED\n")
	if err != nil {
		t.Fatal(err)
	}
	raw, err = a.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	contains(t, raw, "In-Reply-To: "+id, "References: "+id, "Subject: =?UTF-8?q?Re:_[12]_Z=C3=BCge?=")
	if _, err = a.Reply(ctx, raw, "thanks\n"); err != nil {
		t.Fatal(err)
	}
	raw, err = b.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	contains(t, raw, "In-Reply-To: "+second, "References: "+id+"\r\n "+second)
	if strings.Count(string(raw), "Re:") != 1 {
		t.Errorf("Re: piles up:\n%s", raw)
	}
}

func TestNextWaitsAndReturnsEachMailOnce(t *testing.T) {
	h, ctx := start(t), within(t)
	a := player(t, h, alice, "alice secret")
	for n := range 3 {
		if err := h.Deliver(gm, alice, fmt.Appendf(nil, "Subject: %d\r\n\r\nx\r\n", n)); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 3 {
		raw, err := a.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		contains(t, raw, fmt.Sprintf("Subject: %d\r\n", n))
	}
	short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	if raw, err := a.Next(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a fourth mail: %q, %v", raw, err)
	}
	wrong := player(t, h, alice, "wrong")
	if _, err := wrong.Next(ctx); !errors.Is(err, imap.ErrRefused) {
		t.Errorf("a wrong password: %v, want ErrRefused at once", err)
	}
}

func TestFaultsStrikeWhereOrdered(t *testing.T) {
	h, ctx := start(t), within(t)
	out := smtp.New(smtp.Config{Addr: h.SMTPAddr(), Security: smtp.None, User: gm, Password: "gm secret", Limit: 5 * time.Second})
	defer out.Close()
	try := func() *pbem.SendError {
		var se *pbem.SendError
		errors.As(out.Send(ctx, pbem.Envelope{From: gm, To: "alice+x@players.example"}, []byte("Subject: x\r\n\r\nx\r\n")), &se)
		return se
	}
	for _, f := range []hub.Fault{
		{At: hub.AtRcpt, Who: alice, Code: 450}, {At: hub.AtRcpt, Who: alice, Code: 550}, {At: hub.AtMail, Code: 451},
		{At: hub.AtData, Who: alice, Code: 554}, {At: hub.AtDone, Code: 452},
	} {
		h.Fail(f)
		if se := try(); se == nil || se.Code != f.Code || se.Temporary != (f.Code < 500) {
			t.Errorf("%+v: %v", f, se)
		}
		h.Heal()
	}
	stored := h.Delivered()
	if stored != 1 {
		t.Errorf("%d stored, want only the one refused after it was", stored)
	}
	for _, at := range []hub.Stage{hub.AtMail, hub.AtRcpt, hub.AtData} {
		h.Fail(hub.Fault{At: at}) // cut
		if se := try(); se == nil || se.Code != 0 || !se.Temporary {
			t.Errorf("cut at %s: %v", at, se)
		}
		h.Heal()
	}
	h.Fail(hub.Fault{At: hub.AtRcpt, Who: gm, Code: 550})
	h.Fail(hub.Fault{At: hub.AtRcpt, Code: 450, Times: 1})
	if se := try(); se == nil || se.Code != 450 {
		t.Errorf("the first time: %v, want 450", se)
	}
	if se := try(); se != nil {
		t.Errorf("the second time: %v, want none", se)
	}
	if n := h.Delivered(); n != stored+1 {
		t.Errorf("%d stored, want %d", n, stored+1)
	}
}

func TestGreylistingPasses(t *testing.T) {
	h, ctx := start(t), within(t)
	h.Greylist(50 * time.Millisecond)
	out := smtp.New(smtp.Config{Addr: h.SMTPAddr(), Security: smtp.None, Limit: 5 * time.Second})
	defer out.Close()
	refused := 0
	for out.Send(ctx, pbem.Envelope{From: gm, To: alice}, []byte("Subject: x\r\n\r\nx\r\n")) != nil {
		refused++
		if ctx.Err() != nil {
			t.Fatal("never let through")
		}
	}
	if refused == 0 {
		t.Error("let through at once")
	}
}

// Arrivals at any moment around IDLE are told: none may wait for the poll.
func TestNoArrivalIsMissedAroundIdle(t *testing.T) {
	h, ctx := start(t), within(t)
	in := imap.New(imap.Config{Addr: h.IMAPAddr(), Security: imap.None, User: gm, Password: "gm secret", Poll: time.Minute, Limit: 5 * time.Second})
	defer in.Close()
	for n := range 40 {
		if refs, err := in.List(ctx); err != nil || len(refs) != 0 {
			t.Fatalf("list: %v, %v", refs, err)
		}
		var sent sync.WaitGroup
		sent.Go(func() {
			time.Sleep(time.Duration(n) * 25 * time.Microsecond)
			h.Deliver(alice, gm, []byte("Subject: x\r\n\r\nx\r\n"))
		})
		for {
			if err := in.Wait(ctx); err != nil {
				t.Fatalf("arrival %d was not told: %v", n, err)
			}
			refs, err := in.List(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if len(refs) == 1 {
				if err := in.File(ctx, refs[0], pbem.Processed); err != nil {
					t.Fatal(err)
				}
				break
			}
		}
		sent.Wait()
	}
}

func TestEveryStartHasItsOwnUIDValidity(t *testing.T) {
	seen := make(map[uint32]bool)
	for range 3 {
		h := start(t)
		if err := h.Deliver(alice, gm, []byte("Subject: x\r\n\r\nx\r\n")); err != nil {
			t.Fatal(err)
		}
		in := imap.New(imap.Config{Addr: h.IMAPAddr(), Security: imap.None, User: gm, Password: "gm secret"})
		refs, err := in.List(within(t))
		if err != nil || len(refs) != 1 {
			t.Fatalf("list: %v, %v", refs, err)
		}
		if seen[refs[0].UIDValidity] {
			t.Errorf("UIDVALIDITY %d again", refs[0].UIDValidity)
		}
		seen[refs[0].UIDValidity] = true
		in.Close()
		h.Close()
	}
}

func client(t *testing.T, h *hub.Hub) *imapclient.Client {
	t.Helper()
	c, err := imapclient.DialInsecure(h.IMAPAddr(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.Login(gm, "gm secret").Wait(); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestExamineChangesNothing(t *testing.T) {
	h := start(t)
	if err := h.Deliver(alice, gm, []byte("Subject: x\r\n\r\nx\r\n")); err != nil {
		t.Fatal(err)
	}
	c := client(t, h)
	if _, err := c.Select("INBOX", &goimap.SelectOptions{ReadOnly: true}).Wait(); err != nil {
		t.Fatal(err)
	}
	if err := c.Store(goimap.SeqSetNum(1), &goimap.StoreFlags{Op: goimap.StoreFlagsAdd, Flags: []goimap.Flag{goimap.FlagDeleted}}, nil).Close(); err == nil {
		t.Error("flags were stored")
	}
	if err := c.Expunge().Close(); err == nil {
		t.Error("expunged")
	}
}

// Two sessions move in opposite directions for a while; neither waits for ever.
func TestOppositeMovesDoNotLockEachOther(t *testing.T) {
	h := start(t)
	for range 20 {
		if err := h.Deliver(alice, gm, []byte("Subject: x\r\n\r\nx\r\n")); err != nil {
			t.Fatal(err)
		}
	}
	c := client(t, h)
	if err := c.Create("Other", nil).Wait(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 2)
	for _, way := range [][2]string{{"INBOX", "Other"}, {"Other", "INBOX"}} {
		c := client(t, h)
		go func() {
			_, err := c.Select(way[0], nil).Wait()
			for range 50 {
				if err != nil {
					break
				}
				var d *goimap.SearchData
				if d, err = c.UIDSearch(&goimap.SearchCriteria{}, nil).Wait(); err == nil && len(d.AllUIDs()) > 0 {
					_, err = c.Move(goimap.UIDSetNum(d.AllUIDs()[0]), way[1]).Wait()
				}
			}
			done <- err
		}()
	}
	for range 2 {
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("locked")
		}
	}
	inbox, err := h.Messages(gm, "INBOX")
	if err != nil {
		t.Fatal(err)
	}
	other, err := h.Messages(gm, "Other")
	if err != nil || len(inbox)+len(other) != 20 {
		t.Errorf("%d and %d messages (%v), want 20 in all", len(inbox), len(other), err)
	}
}

func TestUsers(t *testing.T) {
	h, ctx := start(t), within(t)
	if err := h.AddUser("bob@players.example", "bob secret"); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"bob@players.example", "BOB@players.example", "bob", "bob+x@players.example", "a b@c", "<a@b>"} {
		if h.AddUser(bad, "x") == nil {
			t.Errorf("added %q", bad)
		}
	}
	bob := player(t, h, "bob@players.example", "bob secret")
	if _, err := bob.Send(ctx, "bob@players.example", "to myself", "x\n"); err != nil {
		t.Error(err)
	}
	if _, err := bob.Next(ctx); err != nil {
		t.Error(err)
	}
	if _, err := bob.Send(ctx, "stranger@example.org", "x", "x\n"); err == nil {
		t.Error("relayed to somebody else")
	}
	if err := h.Deliver(gm, "nobody@pbem.example", nil); err == nil {
		t.Error("delivered to nobody")
	}
}

func TestTheServersStayOnLoopback(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "192.0.2.1:0", "mail.example.org:0"} {
		if h, err := hub.Start(hub.Config{IMAP: addr}); err == nil {
			h.Close()
			t.Errorf("listens on %s", addr)
		}
		if h, err := hub.Start(hub.Config{SMTP: addr}); err == nil {
			h.Close()
			t.Errorf("listens on %s", addr)
		}
	}
}

func TestCloseEndsEverything(t *testing.T) {
	h := start(t)
	c := client(t, h)
	if _, err := c.Select("INBOX", nil).Wait(); err != nil {
		t.Fatal(err)
	}
	idle, err := c.Idle()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-c.Closed():
	case <-time.After(5 * time.Second):
		t.Error("a session outlives the hub")
	}
	idle.Close()
}
