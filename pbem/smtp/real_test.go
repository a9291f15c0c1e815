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

func startPostfix(t *testing.T) *realmail.Servers {
	t.Helper()
	return realmail.Start(t, realmail.Options{Users: []realmail.User{
		{Address: gm, Password: gmPassword}, {Address: alice, Password: "alice secret"},
	}})
}

func postfixConfig(s *realmail.Servers) smtp.Config {
	return smtp.Config{
		Addr: s.SubmissionAddr(), Security: smtp.StartTLS, TLS: s.TLS(),
		User: gm, Password: gmPassword, From: gm, Limit: 10 * time.Second,
	}
}

func TestSenderOnPostfix(t *testing.T) {
	pbemtest.TestSender(t, func(t *testing.T) pbemtest.SenderBench {
		s := startPostfix(t)
		out := smtp.New(postfixConfig(s))
		t.Cleanup(func() { out.Close() })
		return pbemtest.SenderBench{
			Sender: out, From: gm, Known: alice, Unknown: "nobody@players.example",
			Arrived: func(t *testing.T, atLeast int) [][]byte {
				deadline := time.Now().Add(20 * time.Second)
				for {
					l := s.Messages(alice, "INBOX")
					if len(l) >= atLeast || time.Now().After(deadline) {
						return l
					}
					time.Sleep(20 * time.Millisecond)
				}
			},
			Refuse: func(t *testing.T, code int) {
				reply := ""
				if code != 0 {
					reply = fmt.Sprintf("%d refused on purpose", code)
				}
				s.Refuse(alice, reply)
			},
			Cut: func(*testing.T) { s.RestartPostfix() },
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
