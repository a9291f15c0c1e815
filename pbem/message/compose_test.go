package message

import (
	"bytes"
	"net/mail"
	"strings"
	"testing"
	"time"
)

func outgoing() Outgoing {
	return Outgoing{
		From: Address{"Game Master", "gm@example.org"}, To: Address{"Jürgen Müller", "juergen@bücher.example.net"},
		ReplyTo: Address{"", "gm+g12-k7f3q9xw@example.org"},
		Subject: "[12] ACCEPTED, still your turn: Axis movement, turn 5 – Zürich", MessageID: "<g12.s7.axis@example.org>",
		Date: time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC), InReplyTo: "<c1@mail.example.net>",
		References: []string{"<g12.root@example.org>", "<c1@mail.example.net>"},
		Text:       "Grüße\n" + strings.Repeat("a long line ", 200) + "\n.\nFrom here\n", HTML: `<p>Grüße</p><img alt="map" src="cid:map@example.org">`,
		Pictures:    []Picture{{ID: "map@example.org", Name: "map-t5.png", PNG: []byte("\x89PNG\r\n\x1a\nxyz")}},
		Attachments: []Attachment{{Name: "proof-7.txt", Data: []byte("pbem-record v1 step\nsig: x\n")}},
		Loop:        "gm@example.org", ListUnsubscribe: "gm+stop@example.org",
	}
}

func TestComposeIsTheSameEveryTime(t *testing.T) {
	a, err := Compose(outgoing())
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		b, err := Compose(outgoing())
		if err != nil || !bytes.Equal(a, b) {
			t.Fatalf("two writings of one mail differ: %v", err)
		}
	}
	o := outgoing()
	o.MessageID = "<g12.s8.axis@example.org>"
	b, _ := Compose(o)
	if bytes.Count(b, []byte("pbem-")) != bytes.Count(a, []byte("pbem-")) || bytes.Equal(a, b) {
		t.Error("boundaries don't follow the Message-ID")
	}
}

func TestComposeReadsBack(t *testing.T) {
	raw, err := Compose(outgoing())
	if err != nil {
		t.Fatal(err)
	}
	for n, l := range bytes.Split(raw, []byte("\r\n")) {
		if len(l) > 78 {
			t.Errorf("line %d has %d octets: %s", n+1, len(l), l)
		}
		if bytes.ContainsAny(l, "\r\n") {
			t.Errorf("line %d has a bare line end", n+1)
		}
	}
	std, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"References": "<g12.root@example.org> <c1@mail.example.net>", "In-Reply-To": "<c1@mail.example.net>",
		"Message-Id": "<g12.s7.axis@example.org>", "Auto-Submitted": "auto-replied", "Precedence": "bulk", "X-Auto-Response-Suppress": "All",
		"X-Pbem-Loop": "gm@example.org", "List-Unsubscribe": "<mailto:gm+stop@example.org>", "Date": "Mon, 30 Nov 2026 08:00:00 +0000",
		"Reply-To": "<gm+g12-k7f3q9xw@example.org>"} {
		if got := std.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if std.Header.Get("User-Agent")+std.Header.Get("X-Mailer") != "" {
		t.Error("the mail names the library")
	}
	// our own loop mark makes Parse stop early: take it out to look inside
	m := Parse(bytes.Replace(bytes.Replace(raw, []byte("X-PBEM-Loop: gm@example.org\r\n"), nil, 1), []byte("Auto-Submitted: auto-replied"), []byte("Auto-Submitted: no"), 1), Options{})
	if m.Subject != outgoing().Subject {
		t.Errorf("subject %q", m.Subject)
	}
	if len(m.To) != 1 || m.To[0] != (Address{"Jürgen Müller", "juergen@xn--bcher-kva.example.net"}) {
		t.Errorf("to %v", m.To)
	}
	var names []string
	for _, v := range m.Views {
		names = append(names, v.Name)
	}
	if strings.Join(names, " ") != "plain html proof-7.txt" {
		t.Fatalf("views %v", names)
	}
	if m.Views[0].Raw[0] != "Grüße" || m.Views[0].Raw[1] != strings.TrimSpace(strings.Repeat("a long line ", 200)) || m.Views[0].Raw[2] != "." {
		t.Errorf("text %q", m.Views[0].Raw)
	}
	if m.Views[2].Raw[0] != "pbem-record v1 step" {
		t.Errorf("attachment %q", m.Views[2].Raw)
	}
	for _, want := range []string{"Content-Disposition: inline; filename=\"map-t5.png\"", "Content-Id: <map@example.org>"} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("no %q in\n%s", want, raw)
		}
	}
}

func TestNoHeaderInjection(t *testing.T) {
	evil := "x\r\nBcc: victim@example.net\r\n\r\nGAME 12"
	o := outgoing()
	o.Subject, o.From.Name, o.To.Name, o.Loop, o.ListUnsubscribe, o.AutoSubmitted = evil, evil, evil, evil, evil, evil
	o.InReplyTo, o.References = evil, []string{evil, "<a@b>\r\nBcc: v@example.net"}
	o.Pictures[0].Name, o.Pictures[0].ID, o.Attachments[0].Name, o.Attachments[0].Type = evil, evil, evil, "text/plain\r\nBcc: v@example.net"
	raw, err := Compose(o)
	if err != nil {
		t.Fatal(err)
	}
	std, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if std.Header.Get("Bcc") != "" || len(std.Header["Subject"]) != 1 || strings.Contains(string(raw), "\r\nBcc") {
		t.Errorf("injected:\n%s", raw)
	}
	for _, a := range []string{"a@b\r\nBcc: v@x.net", "a b@x.net", "nobody", "<a@b>"} {
		o := outgoing()
		o.To.Addr = a
		if _, err := Compose(o); err == nil {
			t.Errorf("address %q was taken", a)
		}
	}
}

func TestReferencesAreTrimmed(t *testing.T) {
	o := outgoing()
	o.References = []string{"<root@example.org>", "broken", "<ü@example.org>"}
	for i := range 100 {
		o.References = append(o.References, "<"+strings.Repeat("x", 20)+string(rune('a'+i%26))+strings.Repeat("y", i)+"@example.org>")
	}
	raw, err := Compose(o)
	if err != nil {
		t.Fatal(err)
	}
	m := Parse(raw, Options{})
	r := m.References
	if len(strings.Join(r, " ")) > 1024 || r[0] != "<root@example.org>" || r[len(r)-1] != o.References[len(o.References)-1] || strings.Contains(m.Get("References"), ",") {
		t.Errorf("references %d octets: %v", len(strings.Join(r, " ")), r)
	}
}
