package report_test

import (
	"strings"
	"testing"
	"time"

	"pbemd/pbem"
	"pbemd/pbem/pbemtest"
	"pbemd/pbem/report"
)

// words is a reporter that draws nothing.
type words struct{ *report.Writer }

func (w words) Report(l pbem.Letter) (pbem.Parts, error) {
	l.Map = false
	return w.Writer.Report(l)
}

// mailed opens a world whose mails are written as players get them.
func mailed(t *testing.T, terms pbem.Terms) *pbemtest.World {
	t.Helper()
	terms.NoJoin = true
	w := pbemtest.NewWorld(t, func(w *pbemtest.World) { w.Config.Reporter = words{writer(t)} }, pbem.Games()...)
	w.Found("blitz41", terms)
	return w
}

// begun is mailed with both opening mails read.
func begun(t *testing.T) *pbemtest.World {
	w := mailed(t, pbem.Terms{})
	w.Next("axis")
	w.Next("soviet")
	return w
}

// flat is a mail's text without its line ends.
func flat(l pbemtest.Letter) string { return strings.Join(strings.Fields(l.Text), " ") }

func says(t *testing.T, l pbemtest.Letter, word string, parts ...string) {
	t.Helper()
	if _, subject, _ := strings.Cut(l.Subject, "] "); !strings.HasPrefix(subject, word) {
		t.Errorf("subject is %q, want %s\n%s", l.Subject, word, l.Text)
	}
	for _, p := range parts {
		if !strings.Contains(flat(l), p) {
			t.Errorf("%q lacks %q:\n%s", l.Subject, p, l.Text)
		}
	}
}

func lacks(t *testing.T, l pbemtest.Letter, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if strings.Contains(flat(l), p) {
			t.Errorf("%q has %q:\n%s", l.Subject, p, l.Text)
		}
	}
}

// What a player said stands in his receipt with its words.
func TestReceiptsRepeatWords(t *testing.T) {
	w := begun(t)
	axis := w.As("axis")
	l := axis.Sheet("STATUS", "SALT Vier  kleine Enten", "MESSAGE", "Hello Boris,", "  your   move!", "END MESSAGE", "NOTE for me only")
	says(t, l, "YOUR TURN", "✓ SALT Vier kleine Enten", "✓ MESSAGE Hello Boris, your move!", "✓ NOTE for me only")
	says(t, w.Next("soviet"), "WAITING", "Hello Boris, your move!")
	l = axis.Sheet("MESSAGE " + strings.Repeat("word ", 100))
	if got := strings.Count(l.Text, "word"); got < 20 || got > 45 || !strings.Contains(l.Text, "…") {
		t.Errorf("a long message is repeated with %d words:\n%s", got, l.Text)
	}
	w.Next("soviet")
	says(t, axis.Sheet("SALT # no comment", "MOVE 41PZ FROM G20 G19"), "NOT ACCEPTED", "✓ SALT # no comment")
}

// A bad CHECK has one sentence on top; the reasons stand by their lines.
func TestBadCheckSaysItOnce(t *testing.T) {
	w := begun(t)
	l := w.As("axis").Sheet("CHECK", "ATTACK A1 FROM A2: 41PZ")
	says(t, l, "CHECKED", "would be refused: line 3 can't be done")
	if n := strings.Count(flat(l), "ine 3"); n != 1 {
		t.Errorf("line 3 is named %d times:\n%s", n, l.Text)
	}
	says(t, w.As("axis").Sheet("ATTACK A1 FROM A2: 41PZ"), "NOT ACCEPTED", "Line 2, ATTACK")
}

// In a game with --days nobody is told that there is no deadline and left at that.
func TestMailsTellOfReminders(t *testing.T) {
	w := mailed(t, pbem.Terms{Days: 5})
	first := w.Next("axis")
	says(t, first, "YOUR TURN", "You are reminded on", "the other side is told")
	lacks(t, first, "No deadline")
	lacks(t, w.Next("soviet"), "You are reminded", "No deadline")
	says(t, w.As("axis").Sheet("STATUS"), "YOUR TURN", "You are reminded on")
	w.Wait(5*24*time.Hour + time.Hour)
	l := w.Next("axis")
	says(t, l, "YOUR TURN, a reminder", "the other side is told that the game waits for you")
	lacks(t, l, "You are reminded", "No deadline")
	w.Wait(2 * 24 * time.Hour)
	w.Next("soviet")
	l = w.As("axis").Sheet("STATUS")
	says(t, l, "YOUR TURN", "The other side knows that the game waits")
	lacks(t, l, "No deadline")
	l = w.As("axis").Sheet("END TURN")
	lacks(t, l, "You are reminded")
	says(t, w.Next("soviet"), "YOUR TURN", "You are reminded on")

	w = begun(t)
	says(t, w.As("axis").Sheet("STATUS"), "YOUR TURN", "No deadline; nothing is ever played for you.")
}

// HELP on what there is no help on says so, and what there is.
func TestHelpOnNothingKnown(t *testing.T) {
	w := begun(t)
	for _, topic := range []string{"BREAKFAST", "MOOVE", "RULE 99.9", "how do I win"} {
		l := w.As("axis").Sheet("HELP " + topic)
		says(t, l, "YOUR TURN", "✗ HELP "+strings.ToUpper(topic), "no help on this")
		if !strings.HasPrefix(topic, "RULE") {
			says(t, l, "YOUR TURN", "There is no help on "+strings.ToUpper(topic), "OVERVIEW", "STANDING", "DECISIONS")
		}
	}
	l := w.As("axis").Sheet("HELP MOVE", "HELP NOTHING")
	says(t, l, "YOUR TURN", "✓ HELP MOVE", "✗ HELP NOTHING")
	for _, known := range []string{"HELP", "HELP ATTACK", "HELP rule 14.7.C", "HELP dice", "HELP D04", "HELP SALT"} {
		lacks(t, w.As("axis").Sheet(known), "✗ HELP", "no help on this")
	}
}

// SHOW answers each of its lines, and of the enemy no more than is known.
func TestShowAnswersEachLine(t *testing.T) {
	w := begun(t)
	axis := w.As("axis")
	l := axis.Sheet("SHOW STACK H19", "SHOW STACK G20", "SHOW SUPPLY 41PZ")
	says(t, l, "YOUR TURN", "✓ SHOW STACK H19", "✓ SHOW STACK G20", "39PZ", "56PZ")
	if strings.Index(l.Text, "39PZ") < strings.Index(l.Text, "41PZ") && strings.Count(l.Text, "G20") < 3 {
		t.Errorf("one of the stacks is lacking:\n%s", l.Text)
	}
	none := axis.Sheet("SHOW SUPPLY 11A")
	says(t, none, "YOUR TURN", "✗ SHOW SUPPLY 11A", "no unit of yours on the map")
	// the same is said of one that is nowhere, or off the map
	away := axis.Sheet("SHOW SUPPLY 1SH")
	if a, b := strings.ReplaceAll(none.Text, "11A", "X"), strings.ReplaceAll(away.Text, "1SH", "X"); cutNumbers(a) != cutNumbers(b) {
		t.Errorf("the answers differ:\n%s\n%s", a, b)
	}
	says(t, axis.Sheet("SHOW SUPPLY H18"), "YOUR TURN", "✗ SHOW SUPPLY H18", "No unit of yours stands in H18")
	says(t, axis.Sheet("SHOW STACK P10"), "YOUR TURN", "✗ SHOW STACK P10", "Nothing is known to stand in P10")
	// a heading doesn't count what isn't shown
	lacks(t, l, "15 UNITS", "42 STEPS")
	one := axis.Sheet("SHOW STACK H18")
	says(t, one, "YOUR TURN", "THE ENEMY, NORTH (ROWS A–I) -", "11A 6-8-4 nothing hidden")
	lacks(t, one, "8 HEXES")
	says(t, axis.Sheet("STATUS"), "YOUR TURN", "8 HEXES", "15 UNITS")
}

// cutNumbers leaves out what differs between any two mails.
func cutNumbers(s string) string {
	if i := strings.Index(s, "report "); i >= 0 {
		if j := strings.IndexByte(s[i:], '\n'); j >= 0 {
			s = s[:i] + s[i+j:]
		}
	}
	return s
}
