package imap_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pbemd/pbem"
	"pbemd/pbem/imap"
	"pbemd/pbem/pbemtest"
	"pbemd/pbem/realmail"
)

func startDovecot(t *testing.T, users ...string) *realmail.Servers {
	t.Helper()
	o := realmail.Options{NoPostfix: true, Users: []realmail.User{{Address: gm, Password: gmPassword}}}
	for _, u := range users {
		o.Users = append(o.Users, realmail.User{Address: u, Password: gmPassword})
	}
	return realmail.Start(t, o)
}

func dovecotConfig(s *realmail.Servers) imap.Config {
	return imap.Config{
		Addr: s.IMAPSAddr(), TLS: s.TLS(), User: gm, Password: gmPassword, Address: gm,
		Poll: 20 * time.Second, Limit: 5 * time.Second, Backoff: func(int) time.Duration { return 50 * time.Millisecond },
	}
}

func TestInboxOnDovecot(t *testing.T) {
	var users []string
	for n := range 30 {
		users = append(users, fmt.Sprintf("gm%d@pbem.example", n))
	}
	s := startDovecot(t, users...)
	pbemtest.TestInbox(t, func(t *testing.T) pbemtest.InboxBench {
		user := users[0] // an empty mailbox for each
		users = users[1:]
		name, domain, _ := strings.Cut(user, "@")
		c := dovecotConfig(s)
		c.User = user
		return pbemtest.InboxBench{
			Inbox: imap.New(c),
			Another: func(*testing.T) pbem.Inbox {
				c.Addr, c.Security = s.IMAPAddr(), imap.StartTLS
				return imap.New(c)
			},
			Deliver:  func(t *testing.T, m []byte) { s.Deliver("alice@players.example", name+"+g12-k7f3q9xw@"+domain, m) },
			Lying:    func(t *testing.T, folder string) [][]byte { return s.Messages(user, folder) },
			Cut:      func(*testing.T) { s.KillSessions(user) },
			Renumber: func(*testing.T) { s.ResetUIDValidity(user) },
		}
	})
}

// A server that falls silent in the middle of IDLE is noticed at the end of the
// poll interval plus one command's limit, and the mail is read on a new session.
func TestFrozenDovecotIsNoticed(t *testing.T) {
	s := startDovecot(t)
	c := dovecotConfig(s)
	c.Poll, c.Limit = 500*time.Millisecond, 2*time.Second
	in := imap.New(c)
	defer in.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := in.List(ctx); err != nil {
		t.Fatal(err)
	}
	if s.Freeze(gm) != 1 {
		t.Fatal("no session to freeze")
	}
	s.Deliver("alice@players.example", gm, []byte("Subject: while frozen\r\n\r\nhello\r\n"))
	began := time.Now()
	for {
		in.Wait(ctx)
		if refs, err := in.List(ctx); err == nil && len(refs) == 1 {
			break
		}
		if ctx.Err() != nil {
			t.Fatal("the mail was never seen")
		}
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("noticed after %v", took)
	}
}

func TestDovecotRefusesAWrongPassword(t *testing.T) {
	s := startDovecot(t)
	c := dovecotConfig(s)
	c.Password = "wrong"
	in := imap.New(c)
	defer in.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if _, err := in.Check(ctx); !errors.Is(err, imap.ErrRefused) {
		t.Errorf("check: %v, want ErrRefused", err)
	}
}

func TestMailboxOpensAfterDovecotRestarts(t *testing.T) {
	s := startDovecot(t)
	in := imap.New(dovecotConfig(s))
	defer in.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := in.List(ctx); err != nil {
		t.Fatal(err)
	}
	s.StopDovecot()
	if _, err := in.List(ctx); err == nil {
		t.Error("list while the server is down: no error")
	}
	s.StartDovecot()
	s.Deliver("alice@players.example", gm, []byte("Subject: after\r\n\r\nhello\r\n"))
	for {
		refs, err := in.List(ctx)
		if err == nil && len(refs) == 1 {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("listed %d, %v", len(refs), err)
		}
	}
}
