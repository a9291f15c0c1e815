package imap_test

import (
	"context"
	"crypto/tls"
	"errors"
	"slices"
	"strings"
	"testing"

	"pbemd/pbem"
	"pbemd/pbem/imap"
)

func TestUnencryptedIsRefusedBeyondLoopback(t *testing.T) {
	for _, c := range []struct {
		cfg imap.Config
		ok  bool
	}{
		{imap.Config{Addr: "mail.example.org:143", User: "gm", Security: imap.None}, false},
		{imap.Config{Addr: "192.0.2.1:143", User: "gm", Security: imap.None}, false},
		{imap.Config{Addr: "mail.example.org:143", User: "gm", Security: imap.None, InsecurePlain: true}, true},
		{imap.Config{Addr: "127.0.0.1:143", User: "gm", Security: imap.None}, true},
		{imap.Config{Addr: "[::1]:143", User: "gm", Security: imap.None}, true},
		{imap.Config{Addr: "mail.example.org:993", User: "gm"}, true},
		{imap.Config{Addr: "mail.example.org:143", User: "gm", Security: imap.StartTLS}, true},
	} {
		err := c.cfg.Validate()
		if (err == nil) != c.ok || err != nil && !errors.Is(err, imap.ErrInsecure) {
			t.Errorf("%s %q: %v", c.cfg.Addr, c.cfg.Security, err)
		}
		if !c.ok {
			c.cfg.Dial = nil
			if _, err := imap.New(c.cfg).List(t.Context()); !errors.Is(err, imap.ErrInsecure) {
				t.Errorf("list: %v", err)
			}
		}
	}
	for _, bad := range []imap.Config{{Addr: "nohost", User: "x"}, {Addr: "h:1"}, {Addr: "h:1", User: "x", Security: "ssl"}} {
		if bad.Validate() == nil {
			t.Errorf("%+v: no error", bad)
		}
	}
}

func TestStartTLSWithTheHub(t *testing.T) {
	h := startHub(t, true)
	c := hubConfig(h)
	c.Security, c.TLS = imap.StartTLS, &tls.Config{RootCAs: h.Roots()}
	in := imap.New(c)
	defer in.Close()
	if _, err := in.List(within(t)); err != nil {
		t.Errorf("list: %v", err)
	}
	c.TLS = nil // the certificate is nobody's
	strict := imap.New(c)
	defer strict.Close()
	if _, err := strict.List(within(t)); err == nil {
		t.Error("an unknown certificate was taken")
	}
	// The operator is told which setting may be the right one.
	plain := hubConfig(startHub(t, false))
	for security, words := range map[imap.Security]string{
		imap.StartTLS: `tls = "tls" and its own port may be right`, imap.ImplicitTLS: `tls = "starttls" is right`,
	} {
		plain.Security = security
		none := imap.New(plain)
		defer none.Close()
		if _, err := none.List(within(t)); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s on a server without encryption: %v, want %q", security, err, words)
		}
	}
}

func TestXOAUTH2WithTheHub(t *testing.T) {
	h := startHub(t, false)
	c := hubConfig(h)
	c.Password = ""
	c.Token = func(context.Context) (string, error) { return gmPassword, nil }
	in := imap.New(c)
	defer in.Close()
	if _, err := in.List(within(t)); err != nil {
		t.Errorf("list: %v", err)
	}
	c.Token = func(context.Context) (string, error) { return "stale", nil }
	wrong := imap.New(c)
	defer wrong.Close()
	if _, err := wrong.List(within(t)); !errors.Is(err, imap.ErrRefused) {
		t.Errorf("a stale token: %v, want ErrRefused", err)
	}
	c.Token = func(context.Context) (string, error) { return "", errors.New("no token today") }
	none := imap.New(c)
	defer none.Close()
	if _, err := none.List(within(t)); err == nil || errors.Is(err, imap.ErrRefused) {
		t.Errorf("no token: %v, want an error that isn't ErrRefused", err)
	}
}

func TestTheReportCountsForeignMail(t *testing.T) {
	h := startHub(t, false)
	for to, m := range map[string]string{
		"gm+g12-k7f3q9xw@pbem.example": "Subject: orders\r\n\r\nx\r\n",
		"gm@pbem.example":              "To: gm@pbem.example\r\nSubject: Re: [12] YOUR TURN #k7f3q9xw\r\n\r\nx\r\n",
		"GM@pbem.example":              "To: gm@pbem.example\r\nSubject: lunch?\r\n\r\nx\r\n",
		"gm+shop@pbem.example":         "To: gm+shop@pbem.example\r\nSubject: your parcel\r\n\r\nx\r\n",
	} {
		if err := h.Deliver("x@y.example", to, []byte(m)); err != nil {
			t.Fatal(err)
		}
	}
	in := imap.New(hubConfig(h))
	defer in.Close()
	r, err := in.Check(within(t))
	if err != nil {
		t.Fatal(err)
	}
	if r.Messages != 4 || r.Foreign != 2 || !r.Idle || !r.Move || !r.UIDPlus || !slices.Contains(r.Capabilities, "MOVE") {
		t.Errorf("report %+v, want 4 messages, 2 foreign, IDLE, MOVE and UIDPLUS", r)
	}
	if len(r.Folders) != 2 || !r.Folders[0].Made || r.Folders[0].Folder != pbem.Processed {
		t.Errorf("folders %+v, want both just made", r.Folders)
	}
	if r, err = in.Check(within(t)); err != nil || r.Folders[0].Made {
		t.Errorf("the second time %+v, %v; want the folders there", r.Folders, err)
	}
}

func TestAServerThatComesBackIsFound(t *testing.T) {
	h := startHub(t, false)
	in := imap.New(hubConfig(h))
	defer in.Close()
	ctx := within(t)
	if _, err := in.List(ctx); err != nil {
		t.Fatal(err)
	}
	h.Down(true)
	if _, err := in.List(ctx); err == nil {
		t.Error("list while down: no error")
	}
	if err := h.Deliver("x@y.example", gm, []byte("Subject: meanwhile\r\n\r\nx\r\n")); err != nil {
		t.Fatal(err)
	}
	h.Down(false)
	for {
		refs, err := in.List(ctx)
		if err == nil && len(refs) == 1 {
			break
		}
		if ctx.Err() != nil {
			t.Fatalf("listed %d, %v", len(refs), err)
		}
	}
}

func TestAddressed(t *testing.T) {
	for header, want := range map[string]bool{
		"Delivered-To: gm+g12-k7f3q9xw@pbem.example":               true,
		"To: \"GM\" <GM+G12-K7F3Q9XW@PBEM.example>":                true,
		"To: x@y.example,gm+g3@pbem.example":                       true,
		"To: gm@pbem.example\r\nSubject: #k7f3q9xw":                true,
		"To: gm@pbem.example\r\nSubject: Re: [12] WAITING":         true,
		"To: gm@pbem.example\r\nSubject: hello":                    false,
		"To: notgm+g12-k7f3q9xw@pbem.example":                      false,
		"To: gm+g12-k7f3q9xw@pbem.example.org\r\nSubject: [1]":     false,
		"To: gm+games@pbem.example":                                false,
		"Subject: [12] for somebody else":                          false,
		"X: " + strings.Repeat("x", 100) + "\r\nTo: gm@other.test": false,
		"": false,
	} {
		if got := imap.Addressed([]byte(header+"\r\n\r\n"), gm); got != want {
			t.Errorf("%q: %v, want %v", header, got, want)
		}
	}
}
