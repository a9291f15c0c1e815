package smtp_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"pbemd/pbem"
	"pbemd/pbem/pbemtest"
	"pbemd/pbem/realmail"
	"pbemd/pbem/smtp"
)

func startPostfix(t *testing.T, users ...string) *realmail.Servers {
	t.Helper()
	o := realmail.Options{Users: []realmail.User{{Address: gm, Password: gmPassword}, {Address: alice, Password: "alice secret"}}}
	for _, u := range users {
		o.Users = append(o.Users, realmail.User{Address: u, Password: "secret"})
	}
	return realmail.Start(t, o)
}

func postfixConfig(s *realmail.Servers) smtp.Config {
	return smtp.Config{
		Addr: s.SubmissionAddr(), Security: smtp.StartTLS, TLS: s.TLS(),
		User: gm, Password: gmPassword, From: gm, Limit: 10 * time.Second,
	}
}

func TestSenderOnPostfix(t *testing.T) {
	var users []string
	for n := range 20 {
		users = append(users, fmt.Sprintf("alice%d@players.example", n))
	}
	s := startPostfix(t, users...)
	pbemtest.TestSender(t, func(t *testing.T) pbemtest.SenderBench {
		user := users[0] // an empty mailbox for each
		users = users[1:]
		out := smtp.New(postfixConfig(s))
		t.Cleanup(func() { out.Close() })
		return pbemtest.SenderBench{
			Sender: out, From: gm, Known: user, Unknown: "nobody@players.example",
			Arrived: func(t *testing.T, atLeast int) [][]byte {
				deadline := time.Now().Add(20 * time.Second)
				for {
					l := s.Messages(user, "INBOX")
					if len(l) >= atLeast || time.Now().After(deadline) {
						return l
					}
					time.Sleep(20 * time.Millisecond)
				}
			},
			Refuse: func(t *testing.T, code int) {
				if code == 0 {
					s.Refuse(user, "")
				} else {
					s.Refuse(user, fmt.Sprintf("%d refused on purpose", code))
				}
			},
			Cut: func(*testing.T) {
				s.Settle()
				s.RestartPostfix()
			},
		}
	})
}

func TestPostfixOverTLSAndItsReport(t *testing.T) {
	s := startPostfix(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := postfixConfig(s)
	c.Addr, c.Security = s.SMTPSAddr(), smtp.ImplicitTLS
	out := smtp.New(c)
	defer out.Close()
	r, err := out.Check(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if !r.LoggedIn || !r.SenderOK || r.MaxSize != 20480000 {
		t.Errorf("report %+v", r)
	}
	c.Password = "wrong"
	wrong := smtp.New(c)
	defer wrong.Close()
	if _, err := wrong.Check(ctx); !errors.Is(err, smtp.ErrRefused) {
		t.Errorf("wrong password: %v, want ErrRefused", err)
	}
	var se *pbem.SendError
	err = wrong.Send(ctx, pbem.Envelope{From: gm, To: alice}, []byte("Subject: x\r\n\r\nx\r\n"))
	if !errors.As(err, &se) || !se.Temporary || !errors.Is(err, smtp.ErrRefused) {
		t.Errorf("send with a wrong password: %v, want a temporary ErrRefused", err)
	}
}
