package pbem_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pbemd/pbem"
	"pbemd/pbem/pbemtest"
)

func TestLargeMailOfAPlayerIsAnsweredByItsHeader(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	axis := w.As("axis")
	picture := strings.Repeat("x", 70)
	lines := []string{"GAME 1", "STEP 1", "END"}
	for range 20000 {
		lines = append(lines, picture)
	}
	raw := pbemtest.Compose(axis.Address, axis.Last().ReplyTo, "x", "<big@y.example>", "", w.Now(), lines...)
	if len(raw) < 1<<20 {
		t.Fatalf("only %d octets", len(raw))
	}
	put(w, raw)
	says(t, axis.Next(), "NOT ACCEPTED", "too large to be read")
	put(w, raw) // again: known
	w.None("axis")
	put(w, pbemtest.Compose("x@y.example", "gm@pbem.example", "x", "<big2@y.example>", "", w.Now(), lines...))
	put(w, pbemtest.Compose(axis.Address, "gm@pbem.example", "x", "<big3@y.example>", "", w.Now(), lines...))
	w.None("axis")
	w.None("soviet")
	if n := len(w.Box.Filed[pbem.Quarantine]); n != 2 {
		t.Errorf("%d mails in quarantine, want 2", n)
	}
	says(t, axis.Sheet("STATUS"), "", "place 0")
}

func TestTheCapCountsTheSeatNotTheFrom(t *testing.T) {
	w := toy(t, func(w *pbemtest.World) { w.Config.Caps.MailsPerHour = 3 }, pbem.Terms{})
	axis, soviet := w.As("axis"), w.As("soviet")
	to := axis.Last().ReplyTo
	for i := range 5 { // a new From each time, one of them Soviet's own namesake
		put(w, pbemtest.Compose(fmt.Sprintf("a%d@work.example", i), to, "x", fmt.Sprintf("<c%d@y.example>", i), "", w.Now(), "GAME 1", "STATUS", "END"))
	}
	if w.Box.Lying() != 2 {
		t.Errorf("%d mails wait, want 2", w.Box.Lying())
	}
	says(t, soviet.Sheet("STATUS"), "", "place 0") // the other seat has its own cap
}

func TestOneSeatLeavesTheServerToOthers(t *testing.T) {
	w := toy(t, func(w *pbemtest.World) { w.Config.Caps.SentPerHour = 24 }, pbem.Terms{})
	axis, soviet := w.As("axis"), w.As("soviet")
	for range 30 {
		w.Box.Put(axis.Mail("GAME 1", "MESSAGE hello", "STATUS", "END"), w.Now())
	}
	w.Drain()
	w.Flush()
	sent := map[string]int{}
	for _, s := range w.Post.All {
		sent[s.To]++
	}
	if sent[axis.Address] != 12 || sent[soviet.Address] != 11 { // its opening and ten messages
		t.Errorf("sent %v, want 12 to axis and 11 to soviet", sent)
	}
	w.Box.Put(soviet.Mail("GAME 1", "STATUS", "END"), w.Now())
	w.Drain()
	w.Flush()
	if m := w.Post.All[len(w.Post.All)-1]; m.To != soviet.Address || !bytes.Contains(m.Message, []byte("place 0")) {
		t.Error("soviet gets no answer")
	}
}

func TestAnOldKeyGetsAnAnswerAndNoMore(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	axis, soviet := w.As("axis"), w.As("soviet")
	old := axis.Last().ReplyTo
	for range 2 { // a phase voids the key of the last but one
		axis.Sheet("END PHASE")
	}
	for range 2 {
		soviet.Sheet("END PHASE")
	}
	says(t, axis.Sheet("STATUS"), "", "axis march, turn 2")
	from := func(address, id string) {
		put(w, pbemtest.Compose(address, old, "x", id, "", w.Now(), "GAME 1", "STEP 1", "END"))
	}
	from(axis.Address, "<o1@y.example>")
	l := axis.Next()
	says(t, l, "NOT ACCEPTED", "of an older report")
	from("axis@work.example", "<o2@y.example>")
	says(t, axis.Next(), "", "of an older report") // to the registered address
	from(soviet.Address, "<o3@y.example>")
	w.None("axis")
	w.None("soviet")
	lacks(t, axis.Sheet("STATUS"), "wrong key")
}

func TestNoKeyIsHandedOverInAMessage(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	axis := w.As("axis")
	to := axis.Last().ReplyTo
	key := regexp.MustCompile(`-([a-z0-9]{8})@`).FindStringSubmatch(to)[1]
	axis.Sheet("MESSAGE", "Reply-To: "+to, "Subject: [1 #"+strings.ToUpper(key)+"] and the word "+key, "gm+g7-zzzzzzzz@pbem.example #infantry", "END MESSAGE")
	l := w.Next("soviet")
	says(t, l, "WAITING, a message", "gm+g1-…@pbem.example", "#…]", "gm+g7-…@pbem.example", "#infantry")
	for _, s := range w.Post.All {
		if s.To != axis.Address && bytes.Contains(bytes.ToLower(s.Message), []byte(key)) {
			t.Error("axis's key went to soviet")
		}
	}
}

func TestAnswersAreBounded(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	lines := []string{}
	for range 200 {
		lines = append(lines, "BLAH "+strings.Repeat("<&>", 250))
	}
	l := w.As("axis").Sheet(lines...)
	says(t, l, "NOT ACCEPTED", "…", "more findings, not listed here")
	if strings.Contains(string(l.Raw), strings.Repeat("<&>", 80)) {
		t.Error("a long line is echoed whole")
	}
}

// verbose is a reporter whose HTML grows by a thousand octets a line.
type verbose struct{ base int }

func (v verbose) Report(l pbem.Letter) (pbem.Parts, error) {
	p, err := pbem.Plain{}.Report(l)
	p.HTML = "<p>" + strings.Repeat("x", v.base+1000*len(l.Lines)) + "</p>"
	return p, err
}

func TestNoHTMLIsCutOffByItsReader(t *testing.T) {
	for _, c := range []struct {
		name  string
		base  int
		html  bool
		shown string
	}{{"many lines", 0, true, "more lines of your sheet"}, {"nothing helps", 200_000, false, "NOWAY 1"}} {
		t.Run(c.name, func(t *testing.T) {
			w := toy(t, func(w *pbemtest.World) { w.Config.Reporter = verbose{c.base} }, pbem.Terms{})
			var lines []string
			for i := range 300 {
				lines = append(lines, fmt.Sprint("NOWAY ", i))
			}
			l := w.As("axis").Sheet(lines...)
			says(t, l, "NOT ACCEPTED", c.shown)
			if (l.HTML != "") != c.html || len(l.HTML) >= 100_000 {
				t.Errorf("%d octets of HTML", len(l.HTML))
			}
		})
	}
}
