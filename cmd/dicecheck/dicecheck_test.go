package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"mime/quotedprintable"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pbemd/engine/dice"
	"pbemd/engine/dice/dicetest"
)

// mailOf is a report as players get it: the records in the text, wrapped and
// with hard blanks as mail programs make them, and once more in an attachment.
func mailOf(n int, records []dice.Record, orders []dice.Orders) string {
	block := dice.Transcript(records, orders)
	var body []string
	for l := range strings.SplitSeq(block, "\n") {
		for len(l) > 72 && strings.LastIndex(l[:72], " ") > 0 {
			at := strings.LastIndex(l[:72], " ")
			body, l = append(body, l[:at]), l[at+1:]
		}
		body = append(body, strings.ReplaceAll(l, "  ", " \u00a0"))
	}
	var qp bytes.Buffer
	w := quotedprintable.NewWriter(&qp)
	fmt.Fprintf(w, "Dear Axis,\n\nyour report number %d.\n\n%s\nGood luck!\n", n, strings.Join(body, "\n"))
	w.Close()
	var att strings.Builder
	b64 := base64.StdEncoding.EncodeToString([]byte(block))
	for len(b64) > 76 {
		att.WriteString(b64[:76] + "\r\n")
		b64 = b64[76:]
	}
	att.WriteString(b64)
	return strings.ReplaceAll(fmt.Sprintf(`Return-Path: <games@example.org>
From: Games <games@example.org>
Subject: [12] YOUR TURN: report %d
MIME-Version: 1.0
Content-Type: multipart/mixed;
 boundary="=_outer"

This is a message in MIME.
--=_outer
Content-Type: multipart/alternative; boundary="=_inner"

--=_inner
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

%s
--=_inner
Content-Type: text/html; charset=utf-8

<p>Dear Axis,</p><p>your report.</p>
--=_inner--
--=_outer
Content-Type: text/plain; charset=utf-8; name="proof.txt"
Content-Disposition: attachment; filename="proof.txt"
Content-Transfer-Encoding: base64

%s
--=_outer--
`, n, strings.ReplaceAll(qp.String(), "\r\n", "\n"), strings.ReplaceAll(att.String(), "\r\n", "\n")), "\n", "\r\n")
}

// mails puts a game into mails, two records a mail, as one player got them: with
// all records and with his own orders only.
func mails(x *dicetest.Table, player string) []string {
	var own []dice.Orders
	for _, o := range x.Orders {
		if o.Player == player {
			own = append(own, o)
		}
	}
	var out []string
	for i := 0; i < len(x.Records); i += 2 {
		out = append(out, mailOf(i/2+1, x.Records[i:min(i+2, len(x.Records))], own))
	}
	return out
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	p := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return p
}

func folder(t *testing.T, mails []string) string {
	t.Helper()
	dir := t.TempDir()
	for i, m := range mails {
		write(t, dir, fmt.Sprintf("%03d.eml", i+1), m)
	}
	return dir
}

func dicecheck(args ...string) (status int, out, words string) {
	var o, w bytes.Buffer
	status = run(args, &o, &w)
	return status, o.String(), w.String()
}

// One player's mails, however he keeps them, are a proof.
func TestHoweverMailsAreKept(t *testing.T) {
	x := dicetest.Short(t, "12", false)
	list := mails(x, "axis")
	dir := t.TempDir()
	mbox := ""
	for _, m := range list {
		mbox += "From games@example.org Mon Nov  2 10:00:00 2026\n" + strings.ReplaceAll(m, "\r\n", "\n") + "\n"
	}
	forwarded := "From: a@example.org\nContent-Type: multipart/mixed; boundary=xx\n\n"
	for _, m := range list {
		forwarded += "--xx\nContent-Type: message/rfc822\n\n" + m + "\n"
	}
	reply := ""
	for l := range strings.SplitSeq(x.Transcript(), "\n") {
		reply += "> " + l + "\n"
	}
	page := "Subject: report\nContent-Type: text/html\n\n<html><body><pre>" + strings.ReplaceAll(x.Transcript(), "\n", "<br>") + "</pre></body></html>"
	wide := []byte("Subject: report\nContent-Type: text/plain; charset=utf-16le\n\n")
	for _, r := range x.Transcript() {
		wide = append(wide, byte(r), byte(r>>8))
	}
	maildir := t.TempDir()
	for i, m := range list {
		write(t, maildir, fmt.Sprintf("cur/170000000%d.M1P2.host:2,S", i), m)
	}
	write(t, maildir, "cur/map.png", "\x89PNG\r\n\x1a\n nothing")
	write(t, maildir, "new/empty", "")
	own := 0
	for _, o := range x.Orders {
		if o.Player == "axis" {
			own++
		}
	}
	for name, c := range map[string]struct {
		path   string
		orders int
	}{
		"folder":            {folder(t, list), own},
		"maildir":           {maildir, own},
		"mbox":              {write(t, dir, "mail.mbox", mbox), own},
		"transcript":        {write(t, dir, "game.txt", x.Transcript()), len(x.Orders)},
		"quoted in a reply": {write(t, dir, "reply.eml", "Subject: Re: report\n\nYou wrote:\n"+reply), len(x.Orders)},
		"forwarded":         {write(t, dir, "forward.eml", forwarded), own},
		"HTML only":         {write(t, dir, "page.eml", page), len(x.Orders)},
		"UTF-16":            {write(t, dir, "wide.eml", string(wide)), len(x.Orders)},
		"with a BOM":        {write(t, dir, "bom.txt", "\xef\xbb\xbf"+strings.ReplaceAll(x.Transcript(), "\n", "\r\n")), len(x.Orders)},
	} {
		status, out, words := dicecheck(c.path)
		want := fmt.Sprintf("OK game 12 (DEMO: the dice follow from a word): 9 records, 3 steps, 7 rolls, 37 dice, %d orders", c.orders)
		if status != exitOK || !strings.HasPrefix(out, want) {
			t.Errorf("%s: status %d\n%s%swant %s", name, status, out, words, want)
		}
	}
	var paths []string
	for i, m := range list {
		paths = append(paths, write(t, dir, fmt.Sprintf("%d.eml", i), m))
	}
	if status, out, _ := dicecheck(paths...); status != exitOK || !strings.Contains(out, "9 records") {
		t.Errorf("mail by mail: status %d\n%s", status, out)
	}
}

// What a player can see from his own mails, and what it takes both players'
// mails to see. Each threat has its own exit status.
func TestThreatsInMails(t *testing.T) {
	dieOf := func(b dice.Body) dice.Body {
		s := b.(dice.Step)
		s.Rolls = slices.Clone(s.Rolls)
		s.Rolls[0].Values = slices.Clone(s.Rolls[0].Values)
		s.Rolls[0].Values[0] = s.Rolls[0].Values[0]%6 + 1
		return s
	}
	cases := []struct {
		threat string
		beacon bool
		do     func(x *dicetest.Table)
		mails  func(list []string) []string
		kind   dice.FaultKind
	}{
		{threat: "the server changed a die", do: func(x *dicetest.Table) { x.Resign(5, dieOf) }, kind: dice.FaultDice},
		{threat: "the server swapped the seed", do: func(x *dicetest.Table) {
			x.Resign(5, func(b dice.Body) dice.Body { s := b.(dice.Step); s.Dice[0] ^= 1; return s })
		}, kind: dice.FaultLink},
		{threat: "the server asked again until it was lucky", do: func(x *dicetest.Table) {
			x.Resign(5, func(b dice.Body) dice.Body { s := b.(dice.Step); s.Rolls = s.Rolls[1:]; return s })
		}, kind: dice.FaultLabel},
		{threat: "the server closed a step twice", do: func(x *dicetest.Table) {
			c := x.Records[4].Body.(dice.Close)
			c.Phase = "T1/axis-other"
			x.Records = append(x.Records, dice.Sign(c, dice.Demo, x.Records[4].Prev, dicetest.ServerKey))
		}, kind: dice.FaultTwoCloses},
		{threat: "the server rolled again after a crash", do: func(x *dicetest.Table) {
			s := x.Records[5].Body.(dice.Step)
			s.Rolls = nil
			x.Records = append(x.Records, dice.Sign(s, dice.Demo, x.Records[5].Prev, dicetest.ServerKey))
		}, kind: dice.FaultReroll},
		{threat: "the server changed a date", do: func(x *dicetest.Table) {
			x.Resign(4, func(b dice.Body) dice.Body { c := b.(dice.Close); c.Time = c.Time.AddDate(0, 0, -2); return c })
		}, kind: dice.FaultTime},
		{threat: "the server took another beacon round", beacon: true, do: func(x *dicetest.Table) {
			x.Resign(4, func(b dice.Body) dice.Body { c := b.(dice.Close); c.Round += 2; return c })
		}, kind: dice.FaultRound},
		{threat: "the server made up a beacon", beacon: true, do: func(x *dicetest.Table) {
			x.Resign(5, func(b dice.Body) dice.Body { s := b.(dice.Step); s.Beacon = make([]byte, 48); return s })
		}, kind: dice.FaultBeacon},
		{threat: "the server praised its dice", do: func(x *dicetest.Table) {
			x.Resign(5, func(b dice.Body) dice.Body { s := b.(dice.Step); s.Grade = dice.GradeBeacon; return s })
		}, kind: dice.FaultGrade},
		{threat: "the server took other orders", do: func(x *dicetest.Table) {
			x.Resign(3, func(b dice.Body) dice.Body { s := b.(dice.Sheet); s.C[5] ^= 1; return s })
		}, kind: dice.FaultOrders},
		{threat: "somebody else changed a record", do: func(x *dicetest.Table) {
			x.Records = slices.Clone(x.Records)
			x.Records[5].Body = dieOf(x.Records[5].Body)
		}, kind: dice.FaultSignature},
		{threat: "somebody swapped two records", do: func(x *dicetest.Table) {
			x.Records = slices.Clone(x.Records)
			x.Records[4].Body, x.Records[6].Body = x.Records[6].Body, x.Records[4].Body
		}, kind: dice.FaultSignature},
		{threat: "a mail was withheld", mails: func(l []string) []string { return slices.Delete(l, 1, 2) }, kind: dice.FaultGap},
		{threat: "the first mail was lost", mails: func(l []string) []string { return l[1:] }, kind: dice.FaultStart},
		{threat: "the last mail was cut off, in text and attachment", mails: func(l []string) []string {
			last := mailOf(5, nil, nil)
			text := l[len(l)-1]
			at := strings.Index(text, "pbem-record v1 end")
			return append(l[:len(l)-1], last, "Subject: cut\r\n\r\n"+text[strings.Index(text, "-----BEGIN PBEM RECORD"):at+60])
		}, kind: dice.FaultUnreadable},
		{threat: "an old mail was sent again", mails: func(l []string) []string { return append(l, l[1], l[2]) }},
		{threat: "the text was mangled, the attachment not", mails: func(l []string) []string {
			l[2] = strings.Replace(l[2], "roll: T1/axis-assault/pa/H12/1 6 ", "roll: T1/axis-assault/pa/H12/1 6 6,", 1)
			return l
		}},
		{threat: "the fork, as one player sees it", do: fork},
	}
	for _, c := range cases {
		t.Run(c.threat, func(t *testing.T) {
			x := dicetest.Short(t, "12", c.beacon)
			if c.do != nil {
				c.do(x)
			}
			list := mails(x, "axis")
			if c.mails != nil {
				list = c.mails(list)
			}
			want := exitOK
			if c.kind != 0 {
				want = firstFault + int(c.kind)
			}
			status, out, words := dicecheck(folder(t, list))
			if status != want || c.kind != 0 && !strings.HasPrefix(out, "FAULT "+c.kind.String()+": game 12") {
				t.Errorf("status %d, want %d\n%s%s", status, want, out, words)
			}
		})
	}
}

// fork gives the table another story from the second close on.
func fork(x *dicetest.Table) {
	x.Records = x.Records[:5]
	x.Resign(4, func(b dice.Body) dice.Body {
		c := b.(dice.Close)
		c.Seats = slices.Clone(c.Seats)
		c.Seats[1].Salt = "quite another"
		c.D = dice.StepDigest(c.Seats)
		return c
	})
}

// Both folders side by side: the same story, one that is behind, two stories.
func TestTwoFolders(t *testing.T) {
	x, y := dicetest.Short(t, "12", false), dicetest.Short(t, "12", false)
	axis, soviet := folder(t, mails(x, "axis")), folder(t, mails(x, "soviet"))
	if status, out, _ := dicecheck(axis, soviet); status != exitOK || !strings.Contains(out, "the same story to the last record") {
		t.Errorf("the same story: status %d\n%s", status, out)
	}
	behind := folder(t, mails(x, "soviet")[:2])
	if status, out, _ := dicecheck(axis, behind); status != exitOK || !strings.Contains(out, behind+" is 5 records behind") {
		t.Errorf("one behind: status %d\n%s", status, out)
	}
	fork(y)
	other := folder(t, mails(y, "soviet"))
	status, out, _ := dicecheck(axis, other)
	if status != firstFault+int(dice.FaultFork) || !strings.Contains(out, "FAULT fork: game 12, record 5 (close 2)") {
		t.Errorf("two stories: status %d\n%s", status, out)
	}
	head := y.Records[len(y.Records)-1].Hash().Words()
	if status, _, _ := dicecheck("-head", head, other); status != exitOK {
		t.Errorf("his own head words: status %d", status)
	}
	if status, _, _ := dicecheck("-head", head, axis); status != firstFault+int(dice.FaultHead) {
		t.Errorf("the other's head words: status %d", status)
	}
}

func TestCommandLine(t *testing.T) {
	x := dicetest.Short(t, "12", false)
	dir := t.TempDir()
	file := write(t, dir, "game.txt", x.Transcript())
	other := write(t, dir, "more/other.txt", dicetest.Short(t, "13", false).Transcript())
	empty := write(t, t.TempDir(), "empty.txt", "nothing here\n")
	print := dice.Fingerprint(x.Records[0].Body.(dice.Start).Key).String()
	for _, c := range []struct {
		args   []string
		status int
		want   string // in the output
	}{
		{nil, exitMisuse, ""},
		{[]string{"-x"}, exitMisuse, ""},
		{[]string{"-h"}, exitOK, ""},
		{[]string{filepath.Join(dir, "none")}, exitUnread, ""},
		{[]string{empty}, exitNothing, ""},
		{[]string{dir}, exitOK, "OK game 13"},
		{[]string{"-game", "12", dir}, exitOK, "OK game 12"},
		{[]string{"-game", "14", dir}, exitNothing, ""},
		{[]string{"-key", print[:16], file}, exitOK, "OK game 12"},
		{[]string{"-key", "00" + print[:14], file}, firstFault + int(dice.FaultSignature), "fingerprint " + print},
		{[]string{"-v", file, other}, exitOK, "T1/axis-assault/pa/H12/1  8d6: "},
	} {
		status, out, words := dicecheck(c.args...)
		if status != c.status || !strings.Contains(out, c.want) || out == "" && words == "" {
			t.Errorf("dicecheck %q: status %d, want %d\n%s%s", c.args, status, c.status, out, words)
		}
	}
	_, _, words := dicecheck("-h")
	for _, k := range dice.FaultKinds {
		if !strings.Contains(words, fmt.Sprintf("  %2d  %s ", firstFault+int(k.Kind), k.Name)) {
			t.Errorf("-h doesn't explain status %d, %s", firstFault+int(k.Kind), k.Name)
		}
	}
}

// The command knows no game and no network.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Skipf("go list doesn't run here: %v", err)
	}
	for p := range strings.FieldsSeq(string(out)) {
		ours := strings.HasPrefix(p, "pbemd/") && p != "pbemd/engine/dice" && p != "pbemd/cmd/dicecheck"
		if ours || p == "net" || strings.HasPrefix(p, "net/") || p == "os/exec" || p == "runtime/cgo" {
			t.Errorf("dicecheck imports %s", p)
		}
	}
}

// Any file can be looked into.
func FuzzFile(f *testing.F) {
	f.Add([]byte("From x\nSubject: a\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\n-----BEGIN PBEM RECORD-----\n--b--\n\nFrom y\n\nz"))
	f.Add([]byte("Content-Type: multipart/mixed; boundary=\"\n\n--"))
	f.Add([]byte("Content-Type: text/html\nContent-Transfer-Encoding: base64\n\nPGI+="))
	f.Add([]byte("-----BEGIN PBEM ORDERS-----\nrecord: 00\n-----END PBEM ORDERS-----\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var h heap
		h.file("x", b)
		dice.Check(h.pile, dice.Options{})
	})
}
