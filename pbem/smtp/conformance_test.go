package smtp_test

import (
	"testing"
	"time"

	"pbemd/pbem/hub"
	"pbemd/pbem/pbemtest"
	"pbemd/pbem/smtp"
)

const gm, gmPassword = "gm@pbem.example", "gm secret"
const alice = "alice@players.example"

func startHub(t *testing.T, starttls bool) *hub.Hub {
	t.Helper()
	h, err := hub.Start(hub.Config{STARTTLS: starttls, Users: []hub.User{
		{Address: gm, Password: gmPassword}, {Address: alice, Password: "alice secret"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

func TestSenderOnHub(t *testing.T) {
	pbemtest.TestSender(t, func(t *testing.T) pbemtest.SenderBench {
		h := startHub(t, false)
		s := smtp.New(smtp.Config{Addr: h.SMTPAddr(), Security: smtp.None, User: gm, Password: gmPassword, Limit: 5 * time.Second})
		t.Cleanup(func() { s.Close() })
		return pbemtest.SenderBench{
			Sender: s, From: gm, Known: alice, Unknown: "nobody@players.example",
			Arrived: func(t *testing.T, _ int) [][]byte {
				l, err := h.Messages(alice, "INBOX")
				if err != nil {
					t.Fatal(err)
				}
				return l
			},
			Refuse: func(_ *testing.T, code int) {
				h.Heal()
				if code != 0 {
					h.Fail(hub.Fault{At: hub.AtRcpt, Who: alice, Code: code})
				}
			},
			Cut: func(*testing.T) { h.Cut() },
		}
	})
}
