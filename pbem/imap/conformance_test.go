package imap_test

import (
	"testing"
	"time"

	"pbemd/pbem"
	"pbemd/pbem/hub"
	"pbemd/pbem/imap"
	"pbemd/pbem/pbemtest"
)

const gm, gmPassword = "gm@pbem.example", "gm secret"

func soon(int) time.Duration { return 5 * time.Millisecond }

func startHub(t *testing.T, starttls bool) *hub.Hub {
	t.Helper()
	h, err := hub.Start(hub.Config{STARTTLS: starttls, Users: []hub.User{
		{Address: gm, Password: gmPassword}, {Address: "alice@players.example", Password: "alice secret"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

func hubConfig(h *hub.Hub) imap.Config {
	return imap.Config{
		Addr: h.IMAPAddr(), Security: imap.None, User: gm, Password: gmPassword, Address: gm,
		Poll: 20 * time.Second, Limit: 5 * time.Second, Backoff: soon,
	}
}

func TestInboxOnHub(t *testing.T) {
	pbemtest.TestInbox(t, func(t *testing.T) pbemtest.InboxBench {
		h := startHub(t, false)
		return pbemtest.InboxBench{
			Inbox:   imap.New(hubConfig(h)),
			Another: func(*testing.T) pbem.Inbox { return imap.New(hubConfig(h)) },
			Deliver: func(t *testing.T, m []byte) {
				if err := h.Deliver("alice@players.example", gm, m); err != nil {
					t.Fatal(err)
				}
			},
			Lying: func(t *testing.T, folder string) [][]byte {
				l, err := h.Messages(gm, folder)
				if err != nil {
					t.Fatal(err)
				}
				return l
			},
			Cut:      func(*testing.T) { h.Cut() },
			Renumber: func(*testing.T) { h.Renumber() },
		}
	})
}
