package killtest

import (
	"fmt"
	"testing"

	"pbemd/pbem/hub"
	"pbemd/pbem/realmail"
)

// wires are mail servers that outlive the server of games.
type wires interface {
	imap() string // for the server
	smtp() string // for it and for the players
	// messages are what lies in a folder of an account, oldest first.
	messages(address, folder string) [][]byte
	// settle returns when nothing is on its way.
	settle()
	renumber()                    // another UIDVALIDITY
	cut()                         // every connection of the server's
	down(down bool)               // both servers
	refuse(address, reply string) // mail for an address, until reply is ""
}

var players = []string{"axis@players.example", "soviet@players.example"}

// real is Dovecot and Postfix.
type real struct{ *realmail.Servers }

func startReal(t testing.TB) real {
	o := realmail.Options{Users: []realmail.User{{Address: gm, Password: password}}}
	for _, p := range players {
		o.Users = append(o.Users, realmail.User{Address: p, Password: password})
	}
	return real{realmail.Start(t, o)}
}

func (r real) imap() string                             { return r.IMAPAddr() }
func (r real) smtp() string                             { return r.SMTPAddr() }
func (r real) messages(address, folder string) [][]byte { return r.Messages(address, folder) }
func (r real) settle()                                  { r.Settle() }

// embedded is the hub; it lives in this process, for it forgets everything.
type embedded struct {
	*hub.Hub
	t testing.TB
}

func startHub(t testing.TB) embedded {
	c := hub.Config{Users: []hub.User{{Address: gm, Password: password}}}
	for _, p := range players {
		c.Users = append(c.Users, hub.User{Address: p, Password: password})
	}
	h, err := hub.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return embedded{h, t}
}

func (e embedded) imap() string { return e.IMAPAddr() }
func (e embedded) smtp() string { return e.SMTPAddr() }
func (e embedded) settle()      {}

func (e embedded) messages(address, folder string) [][]byte {
	e.t.Helper()
	list, err := e.Messages(address, folder)
	if err != nil {
		e.t.Fatal(err)
	}
	return list
}

func (r real) renumber() { r.ResetUIDValidity(gm) }
func (r real) cut()      { r.KillSessions(gm) }

func (r real) down(down bool) {
	if down {
		r.StopPostfix()
		r.StopDovecot()
		return
	}
	r.StartDovecot()
	r.StartPostfix()
}

func (r real) refuse(address, reply string) { r.Refuse(address, reply) }

func (e embedded) renumber()      { e.Renumber() }
func (e embedded) cut()           { e.Cut() }
func (e embedded) down(down bool) { e.Down(down) }

func (e embedded) refuse(address, reply string) {
	if reply == "" {
		e.Heal()
		return
	}
	f := hub.Fault{At: hub.AtRcpt, Who: address}
	if _, err := fmt.Sscanf(reply, "%d", &f.Code); err != nil {
		e.t.Fatal(err)
	}
	f.Text = reply[4:]
	e.Fail(f)
}
