package auth

import (
	"testing"

	"pbemd/pbem/message"
)

func TestResults(t *testing.T) {
	const received = "Received: from smtp.example.net (smtp.example.net [192.0.2.25])\n\tby mx.example.org (Postfix) with ESMTPS id 4F;\n\tMon, 30 Nov 2026 09:15:05 +0100 (CET)\n"
	const lmtp = "Received: from mx.example.org ([127.0.0.1])\n\tby store.example.org with LMTP id x; Mon, 30 Nov 2026 09:15:05 +0100\n"
	ar := func(v string) string { return "Authentication-Results: mx.example.org" + v + "\n" }
	pass := ar("; dmarc=pass header.from=example.net")
	for _, c := range []struct {
		name, head string
		want       bool
	}{
		{"plain", "Return-Path: <a@example.net>\n" + pass + received, true},
		{"version and comment", "X: y\n" + ar(" 1; dmarc=pass (p=reject dis=none) header.from=example.net") + received, true},
		{"blanks around =", "X: y\n" + ar("; dmarc = pass header.from = example.net") + received, true},
		{"upper case", "X: y\n" + ar("; DMARC=PASS header.From=EXAMPLE.NET") + received, true},
		{"milter", "X: y\n" + ar(";\n\tdkim=pass (2048-bit key; secure) header.d=example.net header.i=@example.net header.a=rsa-sha256 header.s=s1 header.b=\"a=b+c/\"") + received, true},
		{"large provider", "X: y\n" + ar(";\n dkim=pass header.i=@example.net header.s=s1 header.b=abc;\n arc=none;\n spf=pass (mx.example.org: domain of a@example.net designates 192.0.2.1 as permitted sender) smtp.mailfrom=a@example.net;\n dmarc=pass (p=NONE sp=NONE dis=NONE) header.from=example.net") + received, true},
		{"two signatures", "X: y\n" + ar("; dkim=fail header.d=example.net header.s=a; dkim=pass header.d=example.net header.s=b") + received, true},
		{"quoted property", "X: y\n" + ar(`; dmarc=pass header.from="example.net"`) + received, true},
		{"below a step into the store", lmtp + pass + received, true},
		{"first and no trace at all", pass, true},

		{"local part with a result", "X: y\n" + ar(`; spf=pass smtp.mailfrom="x;dmarc=pass header.from=example.net;y=z"@evil.example; dmarc=fail header.from=example.net`) + received, false},
		{"local part with a signature", "X: y\n" + ar(`; dkim=none; spf=pass smtp.mailfrom="x;dkim=pass header.d=example.net;y=z"@evil.example`) + received, false},
		{"local part in a comment", "X: y\n" + ar(`; spf=pass (domain of "x;dmarc=pass header.from=example.net;y=z"@evil.example) smtp.mailfrom=evil.example`) + received, false},
		{"local part that closes the comment", "X: y\n" + ar(`; spf=pass (domain of "x);dmarc=pass header.from=example.net;y=(z"@evil.example) smtp.mailfrom=evil.example`) + received, false},
		{"comment in a comment", "X: y\n" + ar(`; spf=fail (a (b);dmarc=pass header.from=example.net;c)`) + received, false},
		{"comment", "X: y\n" + ar(`; spf=fail (a;dmarc=pass header.from=example.net;b) smtp.mailfrom=evil.example`) + received, false},
		{"reason", "X: y\n" + ar(`; dkim=fail reason="bad;dmarc=pass header.from=example.net;x=y" header.d=evil.example`) + received, false},
		{"greeting", "X: y\n" + ar(`; spf=none smtp.helo="a;dkim=pass header.d=example.net;x=y"`) + received, false},
		{"escaped quotes", "X: y\n" + ar(`; auth=fail smtp.auth="a\";dmarc=pass header.from=example.net;x=\""`) + received, false},
		{"quoted result", "X: y\n" + ar(`; "dmarc=pass" header.from=example.net`) + received, false},
		{"quoted method", "X: y\n" + ar(`; "dmarc"=pass header.from=example.net`) + received, false},
		{"open quote", "X: y\n" + ar(`; dmarc=pass header.from=example.net; spf=pass smtp.mailfrom="a`) + received, false},
		{"open comment", "X: y\n" + ar(`; dmarc=pass header.from=example.net (`) + received, false},
		{"property twice", "X: y\n" + ar(`; dmarc=pass header.from=evil.example header.from=example.net`) + received, false},
		{"verdict twice", "X: y\n" + ar(`; dmarc=pass header.from=example.net; spf=none; dmarc=fail header.from=example.net`) + received, false},
		{"other domain", "X: y\n" + ar(`; dmarc=pass header.from=evil.example`) + received, false},
		{"other server", "X: y\nAuthentication-Results: mx.evil.example; dmarc=pass header.from=example.net\n" + pass + received, false},

		{"below our hop", received + pass, false},
		{"below our hop, with a false one", received + pass + received, false},
		{"below a hop of another name, with a false one", "Received: from evil by mail.example.org with ESMTPS id 1; Mon\n" + pass + received, false},
		{"below a hop that names no protocol", "Received: from evil by mx.example.org id 7; Mon\n" + pass + received, false},
		{"no hop of ours below", "X: y\n" + pass + "Received: from a by mx.other.example with ESMTP id 1; Mon\n", false},
		{"ours is not the next hop", "X: y\n" + pass + "Received: from a by mx.other.example with ESMTP id 1; Mon\n" + received, false},
		{"our name in a comment", "X: y\n" + pass + "Received: from a ( by mx.example.org ) by mx.other.example with ESMTP id 1; Mon\n", false},
		{"not first and no trace at all", "X: y\n" + pass, false},
	} {
		m := message.Parse([]byte(c.head+"From: Alice <alice@example.net>\nSubject: x\n\nx\n"), message.Options{})
		if got := Results(m, "mx.example.org", "alice@example.net"); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	m := message.Parse([]byte("X: y\n"+pass+"Received: from a by mail.example.org with ESMTP id 1; Mon\nFrom: a@example.net\n\nx\n"), message.Options{})
	if Results(m, "mx.example.org", "a@example.net") || !Results(m, "mx.example.org, mail.example.org", "a@example.net") {
		t.Error("a further name of our host is believed unasked, or not when configured")
	}
}
