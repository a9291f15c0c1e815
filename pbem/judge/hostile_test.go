package judge

import (
	"strings"
	"testing"
)

const (
	ourResults = "Authentication-Results: mx.example.org; dmarc=pass header.from=example.net\n" +
		"Received: from x by mx.example.org (Postfix) with ESMTPS id 1; Mon, 30 Nov 2026 09:15:05 +0100\n"
	provenFrom = "From: Alice Arden <alice@example.net>"
)

// proven is Alice's mail without a token, with her domain's word for it.
func proven(from, more string) string {
	raw := strings.ReplaceAll(plain(block), "gm+g12-k7f3q9xw", "gm")
	return ourResults + more + strings.Replace(raw, provenFrom, from, 1)
}

// What somebody writes who wants to be taken for Alice. Everybody of her domain
// has its word for his own address: whatever makes us read another From than
// her server has read makes him Alice.
func TestForgedSenders(t *testing.T) {
	w := world(t)
	const mallory = "From: mallory@example.net"
	for _, c := range []struct{ name, raw, want string }{
		{"she herself", proven(provenFrom, ""), b},
		{"another of her domain", proven(mallory, ""), "quarantine"},
		{"a From behind a lone CR", proven(mallory, "X-Note: x\rFrom: alice@example.net\n"), "quarantine"},
		{"a From behind CRs that end the header", proven(mallory, "X-Note: x\rFrom: alice@example.net\rSubject: x\r\rGAME 12\rHOLD 1A\rEND\r\n"), "quarantine"},
		{"the same in CRLF", strings.ReplaceAll(proven(mallory, "X-Note: x\x01"), "\n", "\r\n"), "quarantine"},
		{"the same in CRLF, CRs within", strings.ReplaceAll(strings.ReplaceAll(proven(mallory, "X-Note: x\x01From: alice@example.net\x01\x01GAME 12\x01HOLD 1A\x01END\n"), "\n", "\r\n"), "\x01", "\r"), "quarantine"},
		{"a CR in her own header does no harm", proven(provenFrom, "X-Note: x\ry\n"), b},
		{"two From fields", proven(mallory+"\n"+provenFrom, ""), "quarantine"},
		{"a From with a blank before its colon", proven(mallory+"\nFrom : alice@example.net", ""), "quarantine"},
		{"her address folded below", proven("From: mallory@example.net,\n alice@example.net", ""), "quarantine"},
		{"her address for a name", proven(`From: "alice@example.net" <mallory@example.net>`, ""), "quarantine"},
		{"her address for a name, encoded", proven("From: =?utf-8?q?alice=40example=2Enet?= <mallory@example.net>", ""), "quarantine"},
		{"her address for a name, unquoted", proven("From: alice@example.net <mallory@example.net>", ""), "quarantine"},
		{"her address in a comment", proven("From: mallory@example.net (alice@example.net)", ""), "quarantine"},
		{"an encoded address", proven("From: =?utf-8?q?alice=40example=2Enet?=", ""), "quarantine"},
		{"two addresses in brackets", proven("From: <alice@example.net> <mallory@example.net>", ""), "quarantine"},
		{"a group", proven("From: friends: alice@example.net;", ""), "quarantine"},
		{"a route", proven("From: <@mallory.example:alice@example.net>", ""), "quarantine"},
		{"a letter that looks like hers", proven("From: аlice@example.net", ""), "quarantine"},
		{"her address for Sender and Reply-To", proven(mallory, "Sender: alice@example.net\nReply-To: alice@example.net\n"), "quarantine"},
		{"resent", proven(mallory, "Resent-From: alice@example.net\n"), "quarantine"},
		{"results of ours above ours, by the sender", strings.Replace(proven(provenFrom, ""), "dmarc=pass", "dmarc=fail", 1), "quarantine"},
		{"a second result in the field", strings.Replace(proven(provenFrom, ""), "dmarc=pass", "dmarc=fail; dmarc=pass", 1), "quarantine"},
		{"the result of another domain", strings.Replace(proven(provenFrom, ""), "header.from=example.net", "header.from=example.com", 1), "quarantine"},
		{"results below a hop of elsewhere", "Received: from a by b.example with ESMTP; x\n" + proven(provenFrom, ""), "quarantine"},
	} {
		if got := outcome(Judge([]byte(c.raw), w)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

// A key counts however oddly the sender is written, as long as he is one.
func TestOddSendersWithAKey(t *testing.T) {
	w := world(t)
	for from, want := range map[string]string{
		"Team: Alice <alice@example.net>":                     b,
		"friends: alice@example.net;":                         b,
		"<alice@example.net>":                                 b,
		"alice@example.net":                                   b,
		"alice@example.net (Alice)":                           b,
		"alice@example.net <mallory@example.com>":             b,
		"=?bogus?x?y?= <alice@example.net>":                   b,
		"=?utf-8?q?Alice_=3Calice=40example=2Enet=3E?= <a@b>": b,
		`"Arden, Alice" <alice@example.net>`:                  b,
		"Alice O'Arden <alice@example.net>":                   b,
		`Alice "Al" Arden <alice@example.net>`:                b,
		"Alice Arden <alice@example.net":                      b,
		"ALICE@EXAMPLE.NET":                                   b,
		"Älice <alice@example.net>":                           b,
		"alice@example.net, bob@example.net":                  "quarantine",
		"Alice":                                               "quarantine",
		"":                                                    "quarantine",
	} {
		if got := outcome(Judge([]byte(strings.Replace(plain(block), provenFrom, "From: "+from, 1)), w)); got != want {
			t.Errorf("%q: got %s, want %s", from, got, want)
		}
	}
}

// The address that holds the key is written in as many ways.
func TestKeysInOddPlaces(t *testing.T) {
	w := world(t)
	bare := strings.ReplaceAll(plain(block), "gm+g12-k7f3q9xw", "gm")
	const key = "gm+g12-k7f3q9xw@example.org"
	for field, want := range map[string]string{
		"To: \"" + key + "\" <" + key + ">":                            b,
		"To: '" + key + "'":                                            b,
		"To: <" + key + ">,":                                           b,
		"To: Game Master, Esq. <" + key + ">":                          b,
		"To: GM <gm+g12-k7f3q9xw@EXAMPLE.ORG>":                         b,
		"To: =?utf-8?q?J=C3=BCrgen?= <" + key + ">":                    b,
		"To: Bob <bob@example.net>,\n Master <" + key + ">":            b,
		"To: undisclosed-recipients:;\nCc: " + key:                     b,
		"X-Original-To: " + key:                                        b,
		"Delivered-To: <" + key + ">":                                  b,
		"Subject: Re: [12 #k7f3q9xw]":                                  b,
		"Subject: =?utf-8?b?UmU6IFsxMiAjazdm?=\n =?utf-8?b?M3E5eHdd?=": b,
		"Reply-To: " + key:                                             "quarantine",
		"X-Note: " + key:                                               "quarantine",
		"To: " + key + ".evil.example":                                 "quarantine",
		"To: gm+g12-k7f3q9xw%example.org@evil.example":                 "quarantine",
		"References: <" + key + ">":                                    "quarantine",
	} {
		name, _, _ := strings.Cut(field, ":")
		raw := bare
		if name == "To" || name == "Subject" {
			var kept []string
			for _, l := range strings.Split(raw, "\n") {
				if !strings.HasPrefix(l, name+":") {
					kept = append(kept, l)
				}
			}
			raw = strings.Join(kept, "\n")
		}
		if got := outcome(Judge([]byte(field+"\n"+raw), w)); got != want {
			t.Errorf("%q: got %s, want %s", field, got, want)
		}
	}
}

// Nothing that a machine sends is answered, whatever it holds.
func TestMachinesOfManyKinds(t *testing.T) {
	w := world(t)
	with := func(field string) string { return strings.Replace(plain(block), "Subject:", field+"\nSubject:", 1) }
	subject := func(s string) string { return strings.Replace(plain(block), "Subject: Orders", "Subject: "+s, 1) }
	for name, raw := range map[string]string{
		"auto-replied with a comment":     with("Auto-Submitted: auto-replied (vacation)"),
		"auto-generated with parameters":  with("Auto-Submitted: AUTO-GENERATED; owner-email=x"),
		"our loop field":                  with("X-PBEM-Loop: gm@example.org"),
		"a rule of Exchange":              with("X-MS-Exchange-Generated-Message-Source: Mailbox Rules Agent"),
		"a vacation of Sieve":             with("Auto-Submitted: auto-replied\nPrecedence: bulk"),
		"autoresponder of a panel":        with("X-Autorespond: away"),
		"delivered to an autoresponder":   with("Delivered-To: Autoresponder"),
		"a class of messages":             with("X-POST-MessageClass: 9; Autoresponder"),
		"failed recipients":               with("X-Failed-Recipients: bob@example.net"),
		"mailer daemon":                   strings.Replace(plain(block), "Alice Arden <alice@example.net>", "Mail Delivery Subsystem <MAILER-DAEMON@example.net>", 1),
		"subject in German":               subject("Automatische Antwort: [12] Zug 7"),
		"subject in French":               subject("=?utf-8?q?R=C3=A9ponse_automatique_=3A?= x"),
		"subject in Dutch":                subject("Automatisch antwoord: x"),
		"subject in Spanish":              subject("Respuesta automática: x"),
		"subject in Polish":               subject("Odpowiedź automatyczna: x"),
		"out of office":                   subject("Out of Office: x"),
		"a read receipt without its type": strings.Replace(plain("Your message was read\n"), "Subject: Orders", "Subject: Read: x\nX-MS-Exchange-Organization-SCL: -1\nAuto-Submitted: auto-replied", 1),
		"a receipt within a mixed mail":   strings.Replace(mailOf(`Content-Type: multipart/report; report-type=disposition-notification; boundary="m"`, "--m\n\n"+block+"\n--m\nContent-Type: message/disposition-notification\n\nx\n--m--\n"), "Subject: Orders", "Subject: Read: x", 1),
	} {
		if got := outcome(Judge([]byte(raw), w)); got != "ignore" {
			t.Errorf("%s: got %s", name, got)
		}
	}
	for name, raw := range map[string]string{
		"a subject that tells of an office": subject("Out of office hours, so quickly my orders"),
		"auto-submitted no":                 with("Auto-Submitted: no"),
		"bulk with a token":                 with("Precedence: list"),
		"asks for a receipt":                with("Disposition-Notification-To: alice@example.net"),
	} {
		if got := outcome(Judge([]byte(raw), w)); got != b {
			t.Errorf("%s: got %s", name, got)
		}
	}
}
