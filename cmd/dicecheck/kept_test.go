package main

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/charmap"

	"pbemd/engine/dice"
	"pbemd/engine/dice/dicetest"
)

// copyOf is a mail with a text and, unless it is empty, a file attached, both in
// base64 and with the charset named.
func copyOf(charset string, text, file []byte) string {
	part := func(kind, disposition string, b []byte) string {
		return "--=_b\n" + kind + "; charset=" + charset + "\n" + disposition + "Content-Transfer-Encoding: base64\n\n" +
			base64.StdEncoding.EncodeToString(b) + "\n"
	}
	m := "Received: from a by b with ESMTP id 1; Wed, 1 Apr 2026 18:00:30 +0000 (UTC)\nFrom: games@example.org\nMIME-Version: 1.0\n" +
		"Content-Type: multipart/mixed; boundary=\"=_b\"\n\n" + part("Content-Type: text/plain", "", text)
	if len(file) > 0 {
		m += part("Content-Type: text/plain; name=proof.txt", "Content-Disposition: attachment; filename=proof.txt\n", file)
	}
	return m + "--=_b--\n"
}

// wrap breaks lines longer than a width: at blanks if there are any, else, if
// anywhere is set, in the middle of a word.
func wrap(text string, width int, anywhere bool) string {
	var out []string
	for l := range strings.SplitSeq(text, "\n") {
		for len([]rune(l)) > width {
			r := []rune(l)
			at := strings.LastIndex(string(r[:width]), " ")
			switch {
			case at > 0:
				out, l = append(out, l[:at]), l[at+1:]
				continue
			case !anywhere:
			default:
				out, l = append(out, string(r[:width])), string(r[width:])
				continue
			}
			break
		}
		out = append(out, l)
	}
	return strings.Join(out, "\n")
}

// Whatever a mail program does to the text of a mail, and however it encodes the
// file attached, no fault comes of it, and nothing is lost as long as either can
// be read.
func TestHarmlessCopies(t *testing.T) {
	x := dicetest.Short(t, "12", true)
	block := x.Transcript()
	quote := func(s string) string { return "> " + strings.ReplaceAll(s, "\n", "\n> ") }
	koi8 := func(s string) []byte {
		b, err := charmap.KOI8R.NewEncoder().Bytes([]byte(strings.ReplaceAll(s, "ü", "u")))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	utf := func(s string) []byte { return []byte(s) }
	crlf := strings.NewReplacer("\n", "\r\n")
	cases := map[string]string{
		"as sent":                    copyOf("utf-8", utf(block), utf(block)),
		"the file alone":             copyOf("utf-8", nil, utf(block)),
		"the text alone":             copyOf("utf-8", utf(block), nil),
		"wrapped, no file":           copyOf("utf-8", utf(wrap(block, 72, false)), nil),
		"wrapped hard, no file":      copyOf("utf-8", utf(wrap(block, 76, true)), nil),
		"wrapped narrow, no file":    copyOf("utf-8", utf(wrap(block, 60, true)), nil),
		"quoted, wrapped, no file":   copyOf("utf-8", utf(quote(quote(wrap(block, 68, false)))), nil),
		"quoted, then wrapped":       copyOf("utf-8", utf(wrap(quote(block), 60, true)), utf(block)),
		"lines doubled, no file":     copyOf("utf-8", utf(strings.ReplaceAll(block, "\n", "\n\n")), nil),
		"indented, no file":          copyOf("utf-8", utf(strings.ReplaceAll(block, "\n", "\n    ")), nil),
		"dashes escaped, no file":    copyOf("utf-8", utf(strings.ReplaceAll(block, "\n-----", "\n- -----")), nil),
		"letters of another charset": copyOf("koi8-r", koi8(block), utf(block)),
		"quotation marks made curly": copyOf("utf-8", utf(strings.ReplaceAll(block, "weather", "’weather’")), utf(block)),
		"soft hyphens thrown in":     copyOf("utf-8", utf(strings.ReplaceAll(block, "==", "=\u00ad=")), utf(block)),
		"blanks made one":            copyOf("utf-8", utf(strings.ReplaceAll(block, " pa at", "  pa at")), utf(block)),
		"the text cut off":           copyOf("utf-8", utf(block[:len(block)*2/3]), utf(block)),
		"the marks in somebody's words": copyOf("utf-8", utf("What is\n-----BEGIN PBEM RECORD-----\n\n-----END PBEM RECORD-----\nthere for?\n"),
			utf(block)),
		"the edited text says six": copyOf("utf-8", utf(strings.ReplaceAll(block, " 6 1,", " 6 6,")), utf(block)),
		"lines ended by CR LF":     crlf.Replace(copyOf("utf-8", utf(crlf.Replace(block)), utf(crlf.Replace(block)))),
		"lines ended by CR":        strings.ReplaceAll(copyOf("utf-8", utf(block), nil), "\n", "\r"),
		"a byte order mark":        "\xef\xbb\xbf" + copyOf("utf-8", utf(block), nil),
		"empty lines before":       "\r\n\n" + copyOf("utf-8", utf(block), nil),
		"a From line before":       ">From a@example.org Wed Apr  1\n" + copyOf("utf-8", utf(block), nil),
		"Apple Mail's count":       "4711     \n" + copyOf("utf-8", utf(block), nil) + "<?xml version=\"1.0\"?>\n<plist/>\n",
		"an odd first field":       "X_Odd.Field: 1\n" + copyOf("utf-8", utf(block), nil),
		"a mailbox with a mark":    "\xef\xbb\xbfFrom a Wed\n" + copyOf("utf-8", utf(block), nil) + "\nFrom b Wed\nSubject: other\n\nwords\n",
	}
	for name, mail := range cases {
		t.Run(name, func(t *testing.T) {
			status, out, words := dicecheck(write(t, t.TempDir(), "a.eml", mail))
			if status != exitOK || !strings.HasPrefix(out, "OK game 12 (DEMO: the dice follow from a word): 9 records, 3 steps, 7 rolls, 37 dice, 4 orders") {
				t.Errorf("status %d\n%s%s", status, out, words)
			}
		})
	}
	// A salt of Cyrillic letters survives a mail of another charset by itself.
	y := dicetest.New(t, "13", 16, false)
	r, _, err := y.Log.Close(dice.Closing{Phase: "T1/open", Side: "axis", Salts: map[string]string{"soviet": "удача"}, Time: y.Wait(time.Hour)})
	y.Keep(r, err)
	if status, out, _ := dicecheck(write(t, t.TempDir(), "a.eml", copyOf("koi8-r", koi8(y.Transcript()), nil))); status != exitOK {
		t.Errorf("KOI8-R: status %d\n%s", status, out)
	}
}

// A damaged copy excuses nothing: with the file gone too, or the record signed by
// another key, it is a fault.
func TestHarmfulCopies(t *testing.T) {
	x := dicetest.Short(t, "12", true)
	block := x.Transcript()
	six := strings.Replace(block, "/pa/H12/1 6 ", "/pa/H12/1 6 6,", 1)
	other := *x
	other.Records = slices.Clone(x.Records)
	step := other.Records[5].Body.(dice.Step)
	step.Rolls = step.Rolls[:1]
	other.Records[5] = dice.Sign(step, dice.Demo, other.Records[5].Prev, ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, 32)))
	for name, c := range map[string]struct {
		mail string
		kind dice.FaultKind
	}{
		"a die edited in text and file":    {copyOf("utf-8", []byte(six), []byte(six)), dice.FaultSignature},
		"a die edited, no file":            {copyOf("utf-8", []byte(six), nil), dice.FaultSignature},
		"a record signed by somebody else": {copyOf("utf-8", []byte(block), []byte(other.Transcript())), dice.FaultSignature},
		"a record cut off in both": {copyOf("utf-8", []byte(block[:len(block)-300]), []byte(block[:len(block)-400])),
			dice.FaultUnreadable},
		"another game that can't be read": {copyOf("utf-8", []byte(block), []byte(strings.Replace(dicetest.New(t, "99", 16, false).Transcript(), "links: 16", "links: many", 1))),
			dice.FaultUnreadable},
	} {
		t.Run(name, func(t *testing.T) {
			status, out, _ := dicecheck(write(t, t.TempDir(), "a.eml", c.mail))
			if status != firstFault+int(c.kind) {
				t.Errorf("status %d, want %d\n%s", status, firstFault+int(c.kind), out)
			}
		})
	}
}

// elsewhere is the same game told by another server, whose games count from 1 too
// and which has changed its key.
func elsewhere(t *testing.T) string {
	t.Helper()
	key, later := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{3}, 32)), ed25519.NewKeyFromSeed(bytes.Repeat([]byte{4}, 32))
	at := dicetest.Begun.Add(time.Hour)
	l, first, err := dice.Begin(dice.Start{Game: "12", Players: []string{"white", "black"}, Rules: "dice", Version: 1, Time: at},
		dice.DemoSecrets("elsewhere", "12", 16), key)
	if err != nil {
		t.Fatal(err)
	}
	records := []dice.Record{first}
	keep := func(r dice.Record, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	keep(l.NewKey(later, "lent out", at))
	r, _, err := l.Close(dice.Closing{Phase: "T1/open", Side: "white", Time: at})
	keep(r, err)
	keep(l.Finish(dice.Played{Time: at}))
	return dice.Transcript(records, nil)
}

// A player may play game 12 on two servers; they are two games, alone and when
// two players' folders are compared. Any number of folders may be.
func TestTwoServers(t *testing.T) {
	x := dicetest.Short(t, "12", false)
	both := func(order ...string) string {
		dir := t.TempDir()
		for i, text := range order {
			write(t, dir, fmt.Sprintf("%d.txt", i), text)
		}
		return dir
	}
	one, two := both(x.Transcript(), elsewhere(t)), both(elsewhere(t), x.Transcript())
	status, out, _ := dicecheck(one, two)
	if status != exitOK || strings.Count(out, "\nOK game 12") != 4 || strings.Count(out, "the same story to the last record") != 2 {
		t.Errorf("two servers: status %d\n%s", status, out)
	}
	// Told by another key from the start, it is a fork.
	if status, out, _ := dicecheck(both(x.Transcript()), both(elsewhere(t))); status != firstFault+int(dice.FaultFork) {
		t.Errorf("another key from the start: status %d\n%s", status, out)
	}
	y := dicetest.Short(t, "12", false)
	fork(y)
	if status, out, _ := dicecheck(both(x.Transcript()), both(x.Transcript()), both(y.Transcript())); status != firstFault+int(dice.FaultFork) {
		t.Errorf("the third was told another story: status %d\n%s", status, out)
	}
}

// The folders of both players in one heap are one story.
func TestMixedFolders(t *testing.T) {
	x := dicetest.Short(t, "12", true)
	dir := t.TempDir()
	for _, side := range []string{"axis", "soviet"} {
		for i, m := range mails(x, side) {
			write(t, dir, fmt.Sprintf("%s-%d.eml", side, i), m)
		}
	}
	for i, m := range mails(dicetest.Short(t, "13", false), "axis") {
		write(t, dir, fmt.Sprintf("other-%d.eml", i), m)
	}
	status, out, _ := dicecheck(dir)
	if status != exitOK || !strings.Contains(out, "OK game 12 (DEMO: the dice follow from a word): 9 records, 3 steps, 7 rolls, 37 dice, 4 orders; beacon 3") ||
		!strings.Contains(out, "OK game 13") {
		t.Errorf("status %d\n%s", status, out)
	}
}

// Orders that nobody shows when the game is over are spoken of.
func TestOrdersKeptBack(t *testing.T) {
	x := dicetest.Short(t, "12", false)
	x.Orders = slices.Delete(x.Orders, 1, 2)
	status, out, _ := dicecheck(write(t, t.TempDir(), "a.txt", x.Transcript()))
	if status != exitOK || !strings.Contains(out, "3 orders") || !strings.Contains(out, "note: the game is over and 1 sets of orders aren't here, the first that of axis for close 2") {
		t.Errorf("status %d\n%s", status, out)
	}
}

// A close record that came after its beacon round shows that the grade rests on
// the server's word; one that came in time doesn't.
func TestCameLate(t *testing.T) {
	x := dicetest.Short(t, "12", true)
	for came, want := range map[string]bool{
		"Wed, 1 Apr 2026 19:00:05 +0000":      false, // closed 18:00 and an hour; the round ten minutes later
		"Wed, 01 Apr 2026 21:00:09 +0200":     false,
		"1 Apr 2026 19:30:00 +0000 (UTC)":     true,
		"Thu, 2 Apr 2026 03:00:00 +0800 (x)":  false,
		"no date that anybody could read":     false,
		"Wed, 1 Apr 2026 18:40:00 -0100 (CV)": true,
	} {
		dir := t.TempDir()
		for i, r := range x.Records {
			head := ""
			if i == 1 {
				head = "Received: from games by here; " + came + "\r\nReceived: from b by games; Wed, 1 Apr 2026 19:00:01 +0000\r\n"
			}
			write(t, dir, fmt.Sprintf("%d.eml", i), head+mailOf(i, []dice.Record{r}, nil))
		}
		status, out, _ := dicecheck(dir)
		if got := strings.Contains(out, "close record of step 1 reached this mailbox"); status != exitOK || got != want {
			t.Errorf("%s: status %d\n%s", came, status, out)
		}
	}
}

// What can't be read in a folder doesn't pass in silence.
func TestUnreadFiles(t *testing.T) {
	x := dicetest.Short(t, "12", false)
	dir := t.TempDir()
	write(t, dir, "a.txt", x.Transcript())
	if err := os.Symlink("nowhere", filepath.Join(dir, "b.eml")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	status, out, words := dicecheck(dir)
	if status != exitUnread || !strings.HasPrefix(out, "OK game 12") || !strings.Contains(words, "b.eml can't be read") {
		t.Errorf("status %d\n%s%s", status, out, words)
	}
}

// Years of mails, every text of them broken, take seconds.
func TestManyMails(t *testing.T) {
	x := dicetest.Long(t, true)
	var mbox strings.Builder
	for i, r := range x.Records {
		m := copyOf("utf-8", []byte(wrap("> "+strings.ReplaceAll(r.Armour(), "\n", "\n> "), 60, true)), []byte(r.Armour()))
		for range 4 {
			fmt.Fprintf(&mbox, "From a@example.org Wed Apr  1 %d\n%s\n", i, m)
		}
	}
	began := time.Now()
	status, out, _ := dicecheck(write(t, t.TempDir(), "years.mbox", mbox.String()))
	if status != exitOK || !strings.Contains(out, "251 records, 103 steps") {
		t.Errorf("status %d\n%.400s", status, out)
	}
	t.Logf("%d mails in %s", 4*len(x.Records), time.Since(began))
}
