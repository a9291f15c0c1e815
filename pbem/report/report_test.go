package report_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pbemd/engine"
	"pbemd/pbem"
	"pbemd/pbem/message"
	"pbemd/pbem/pbemtest"
	"pbemd/pbem/report"
	"pbemd/templates"
)

var update = flag.Bool("update", false, "write golden files anew")

// recorder keeps the letters that an office has written.
type recorder struct {
	to *report.Writer
	mu sync.Mutex
	in []pbem.Letter
}

func (r *recorder) Report(l pbem.Letter) (pbem.Parts, error) {
	r.mu.Lock()
	r.in = append(r.in, l)
	r.mu.Unlock()
	l.Map = false // pictures have tests of their own
	return r.to.Report(l)
}

// last is the latest letter to a seat.
func (r *recorder) last(t testing.TB, side engine.Side) pbem.Letter {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range slices.Backward(r.in) {
		if l.Side == side {
			return l
		}
	}
	t.Fatalf("no letter to %s", side)
	return pbem.Letter{}
}

func writer(t testing.TB) *report.Writer {
	t.Helper()
	w, err := report.New()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// story plays a first turn with all that can come by mail, once for all tests.
var story = sync.OnceValue(func() map[string]pbem.Letter {
	t := &quiet{}
	letters := map[string]pbem.Letter{}
	w, err := report.New()
	if err != nil {
		panic(err)
	}
	rec := &recorder{to: w}
	world := pbemtest.NewWorld(t, func(w *pbemtest.World) { w.Config.Reporter = rec }, pbem.Games()...)
	keep := func(name string, side engine.Side) { letters[name] = rec.last(t, side) }
	world.Found("blitz41", pbem.Terms{NoJoin: true, Seed: "letters"})
	world.Next("axis")
	world.Next("soviet")
	axis, soviet := world.As("axis"), world.As("soviet")
	keep("start-axis", "axis")
	keep("start-soviet", "soviet")
	axis.Sheet("ATTACK H18 FROM H19: 39PZ 57PX 2G")
	keep("unreadable", "axis")
	axis.Sheet("ATTACK H18 FROM H19: 39PZ 57PZ AIR 9", "ATTACK K5 FROM H19: 2G")
	keep("undoable", "axis")
	axis.Sheet("CHECK", "ATTACK M20 FROM M21: 24PZ 46PZ 12G 53G AIR 1", "ATTACK M20 FROM M21: 24PZ")
	keep("checked", "axis")
	axis.Sheet("STANDING ASK D04", "DEFAULT NOKILL", "SALT winter is coming")
	keep("standing", "axis")
	axis.Sheet("STATUS", "MAP")
	keep("status", "axis")
	axis.Sheet("HELP ATTACK")
	keep("help", "axis")
	soviet.Sheet("STANDING ASK D04", "MESSAGE The border is long, Anna.")
	world.Next("axis")
	keep("message", "axis")
	axis.Sheet("ATTACK H18 FROM H19: 39PZ 57PZ 2G AIR 2 LOSS STEPS ADVANCE NONE",
		"ATTACK J19 FROM I20: 5G 6G 8G 20G AND J20: 42G LOSS STEPS ADVANCE NONE", "ATTACK L19 FROM L21: 47PZ")
	keep("paused", "axis")
	axis.Sheet("ATTACK H18 FROM H19: 39PZ 57PZ 2G AIR 2 LOSS STEPS ADVANCE NONE")
	keep("waits", "axis")
	world.Next("soviet")
	keep("question", "soviet")
	world.Wait(37 * time.Hour)
	keep("reminder", "soviet")
	soviet.Sheet("ANSWER Q1 B", "DEFAULT YIELD")
	keep("answered", "soviet")
	world.Next("axis")
	keep("your-turn", "axis")
	soviet.Sheet("STANDING ASK NONE")
	axis.Sheet("ATTACK M20 FROM M21: 24PZ 46PZ 12G 53G AIR 2 LOSS STEPS ADVANCE 46PZ OCCUPY",
		"ATTACK M20 FROM M21: 53G", "ATTACK O20 FROM O21: 48PZ 3PZ 29G 44G AIR 2 LOSS STEPS ADVANCE NONE")
	keep("halted", "axis")
	axis.Sheet("ATTACK G19 FROM G20: 41PZ 56PZ 1G 26G LOSS STEPS ADVANCE NONE", "END TURN")
	keep("executed", "axis")
	keep("your-turn-soviet", "soviet")
	soviet.Sheet("END TURN")
	keep("turn-2", "axis")
	axis.Sheet("PHASE MOVE", "MOVE 23G FROM H20 H19")
	keep("moving", "axis")
	axis.Sheet("RESIGN")
	keep("resign", "axis")
	word := ""
	for _, lead := range append(slices.Clone(letters["resign"].Lead), letters["resign"].Notices...) {
		if v, ok := lead.Args["word"].(string); ok {
			word = v
		}
	}
	axis.Sheet("RESIGN CONFIRM " + word)
	keep("over-axis", "axis")
	keep("over-soviet", "soviet")

	letters["invitation"] = pbem.Letter{Kind: pbem.Invitation, Word: pbem.WordWaiting, Game: 7, Rules: "blitz41", Side: "soviet", Name: "Boris", Reply: "x@y.example",
		Lead: []engine.Text{engine.T("office.invitation", "game", "7", "rules", "Blitzkrieg '41", "side", engine.T("side.soviet"))}, Template: []string{"GAME 7", "JOIN", "SALT words of your own", "END"}}
	letters["stranger"] = pbem.Letter{Kind: pbem.Guide, Word: pbem.WordWaiting, Lead: []engine.Text{engine.T("office.guide", "mailbox", "gm@pbem.example")}, Help: []string{"join"}}
	letters["close"] = pbem.Letter{Kind: pbem.Closing, Word: pbem.WordWaiting, Game: 7, Rules: "blitz41", Side: "soviet", Name: "Boris", State: letters["turn-2"].State,
		Lead: []engine.Text{engine.T("office.closed", "step", 4, "round", 123456, "minutes", 10)}, Grade: "beacon", Head: "ONE TWO SIX TEN RED SEA"}
	for n, l := range letters {
		letters[n] = settled(l)
	}
	return letters
})

// quiet stands in for a test in what all tests share: a failure is a panic.
type quiet struct{ testing.TB }

func (*quiet) Helper()                         {}
func (*quiet) Log(...any)                      {}
func (*quiet) Logf(string, ...any)             {}
func (*quiet) Cleanup(func())                  {}
func (*quiet) Errorf(form string, args ...any) { panic(form) }
func (*quiet) Error(args ...any)               { panic(args) }
func (*quiet) Fatal(args ...any)               { panic(args) }
func (*quiet) Fatalf(form string, args ...any) { panic(form) }

// settled takes out of a letter what comes from keys and clocks.
func settled(l pbem.Letter) pbem.Letter {
	if len(l.Records) > 0 {
		l.Records = []string{"-----BEGIN PBEM RECORD-----\npbem-record v1 start\nsalt: axis a coin\nsalt: soviet -\n-----END PBEM RECORD-----\n"}
		l.Openers = nil
	}
	if l.Head != "" {
		l.Head = "ONE TWO SIX TEN RED SEA"
	}
	l.Files = nil
	return l
}

// TestLetters compares every kind of letter with what it said when it was last
// read and found good.
func TestLetters(t *testing.T) {
	w := writer(t)
	for name, l := range story() {
		t.Run(name, func(t *testing.T) {
			l.Map = false
			parts, err := w.Report(l)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, name+".txt", "Subject: "+parts.Subject+"\n\n"+parts.Text)
			if slices.Contains([]string{"start-axis", "your-turn", "halted", "question", "over-soviet", "help"}, name) {
				golden(t, name+".html", parts.HTML)
			}
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; -update writes it", err)
	}
	if string(want) == got {
		return
	}
	a, b := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for i := range max(len(a), len(b)) {
		x, y := "(end)", "(end)"
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			t.Fatalf("%s, line %d:\n got %s\nwant %s\n(-update takes it as it is)", name, i+1, y, x)
		}
	}
}

// TestEveryLetterIsSoundMail: whatever the letter, its HTML holds only what mail
// programs keep, and its text keeps to 72 columns.
func TestEveryLetterIsSoundMail(t *testing.T) {
	w := writer(t)
	for _, lang := range templates.Languages() {
		for name, l := range story() {
			l.Lang = lang
			parts, err := w.Report(l)
			if err != nil {
				t.Fatalf("%s in %s: %v", name, lang, err)
			}
			sound(t, name+" in "+lang, parts)
		}
	}
}

// TestALongDraftIsAttached: the page names the file, and is no longer than mail
// programs show; the text has every line.
func TestALongDraftIsAttached(t *testing.T) {
	l := story()["halted"]
	l.Draft = []string{"GAME 12 TURN 1 PHASE ASSAULT"}
	for range 1990 {
		l.Draft = append(l.Draft, "ATTACK H18 FROM H19: 39PZ 57PZ 10G 28G AND H20: 23G AIR 2 LOSS STEPS IF WON ELSE RETREAT ADVANCE NONE")
	}
	l.Draft = append(l.Draft, "END")
	l.Quoted = l.Draft
	parts, err := writer(t).Report(l)
	if err != nil {
		t.Fatal(err)
	}
	sound(t, "a long draft", parts)
	if n := strings.Count(parts.Text, "ADVANCE NONE"); n < 2*1990 {
		t.Errorf("%d lines in the text", n)
	}
	for _, name := range []string{"game1-draft.txt", "game1-quoted.txt"} {
		i := slices.IndexFunc(parts.Attachments, func(a message.Attachment) bool { return a.Name == name })
		if i < 0 || strings.Count(string(parts.Attachments[i].Data), "\n") != len(l.Draft) || !strings.Contains(parts.HTML, name) {
			t.Errorf("%s isn't attached whole, or isn't named", name)
		}
	}
}

// TestDiceLieAsThrown: the picture of a die shows its number.
func TestDiceLieAsThrown(t *testing.T) {
	parts, err := writer(t).Report(story()["your-turn"])
	if err != nil {
		t.Fatal(err)
	}
	thrown := regexp.MustCompile(`(?m)^ +([⚀-⚅]) (\d)  \[T1/`).FindAllStringSubmatch(parts.Text, -1)
	if len(thrown) == 0 {
		t.Fatalf("no die in\n%s", parts.Text)
	}
	for _, d := range thrown {
		if face := string('⚀' + rune(d[2][0]-'1')); d[1] != face {
			t.Errorf("a %s is shown as %s, not %s", d[2], d[1], face)
		}
	}
}

// TestOneLook: the first lines of a mail say what it is about.
func TestOneLook(t *testing.T) {
	w := writer(t)
	for name, want := range map[string][]string{
		"your-turn":        {"YOUR TURN · Axis prepared assault, turn 1", "it is your turn", "battles: Axis on H18", "Until"},
		"your-turn-soviet": {"YOUR TURN · Soviet", "it is your turn"},
		"question":         {"QUESTION", "ANSWER Q1 and a letter from A", "Until"},
		"halted":           {"ACCEPTED", "Halted at line", "come", "draft"},
		"undoable":         {"NOT ACCEPTED", "Nothing was executed", "Line"},
		"unreadable":       {"NOT ACCEPTED", "There is no unit 57PX. Did you mean 57PZ"},
		"checked":          {"CHECKED", "would be carried out"},
		"over-soviet":      {"GAME OVER", "The Axis player has resigned: the Soviets win."},
		"message":          {"WAITING", "writes:", "The border is long, Anna."},
		"start-axis":       {"The game begins, and you play the Axis side."},
		"waits":            {"NOT ACCEPTED", "The game waits for an answer of the Soviet side"},
		"paused":           {"ACCEPTED", "A decision of the Soviet side is awaited"},
	} {
		l, ok := story()[name]
		if !ok {
			t.Fatalf("no letter %s", name)
		}
		l.Map = false
		parts, err := w.Report(l)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(strings.Join(strings.SplitAfterN(parts.Text, "\n", 19)[:min(18, strings.Count(parts.Text, "\n"))], "")), " ")
		for _, s := range want {
			if !strings.Contains(text, s) {
				t.Errorf("%s: the first lines lack %q:\n%s", name, s, text)
			}
		}
	}
}

// TestOrderOfAReport: answer first, then the enemy's doings, battles, own
// forces, pools, what may be ordered, the sheet to fill in.
func TestOrderOfAReport(t *testing.T) {
	w := writer(t)
	l := story()["executed"]
	l.Map = false
	parts, err := w.Report(l)
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for _, head := range []string{"YOUR ORDERS", "BATTLES", "THE STATE OF THE WAR", "SKETCH OF THE FRONT", "YOUR FORCES, NORTH", "THE ENEMY, NORTH", "PLACES THAT COUNT", "PROOF OF THE DICE"} {
		i := strings.Index(parts.Text, "\n"+head)
		if i < at {
			t.Errorf("%q stands at %d, before what should come before it (%d)", head, i, at)
		}
		at = i
	}
	l = story()["your-turn-soviet"]
	l.Map = false
	if parts, err = w.Report(l); err != nil {
		t.Fatal(err)
	}
	at = 0
	for _, head := range []string{"WHAT THE AXIS SIDE DID", "BATTLES", "YOUR FORCES, NORTH", "NEW UNITS", "WHAT MAY BE ORDERED NOW", "YOUR NEXT ORDERS"} {
		i := strings.Index(parts.Text, "\n"+head)
		if i < at {
			t.Errorf("%q stands at %d, before what should come before it (%d)", head, i, at)
		}
		at = i
	}
}

// TestOthersOrdersAreNotQuoted: a card quotes the lines of its reader alone.
func TestOthersOrdersAreNotQuoted(t *testing.T) {
	w := writer(t)
	for _, name := range []string{"answered", "your-turn-soviet", "question"} {
		l := story()[name]
		l.Map = false
		parts, err := w.Report(l)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []string{"ATTACK H18 FROM H19", "DEFAULT NOKILL", "winter is coming"} {
			if strings.Contains(parts.Text, s) || strings.Contains(parts.HTML, s) {
				t.Errorf("%s, to the Soviet player, holds %q of the Axis", name, s)
			}
		}
	}
}

// TestEqualLettersGiveEqualParts, pictures included.
func TestEqualLettersGiveEqualParts(t *testing.T) {
	l := story()["your-turn"]
	l.Map = true
	a, err := writer(t).Report(l)
	if err != nil {
		t.Fatal(err)
	}
	b, err := writer(t).Report(l)
	if err != nil {
		t.Fatal(err)
	}
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	if string(x) != string(y) {
		t.Error("the same letter gave two different mails")
	}
}

// TestMailsStaySmall: with map and close-ups, as sent.
func TestMailsStaySmall(t *testing.T) {
	w := writer(t)
	for _, name := range []string{"start-axis", "your-turn", "executed", "your-turn-soviet", "question"} {
		l := story()[name]
		l.Map = true
		parts, err := w.Report(l)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(parts.Pictures); n < 1 || n > 4 {
			t.Errorf("%s has %d pictures, want the map and at most three close-ups", name, n)
		}
		if n := sent(t, parts); n > 600<<10 {
			t.Errorf("%s: %d bytes as sent, want at most 600 KB", name, n)
		}
		ids := map[string]bool{}
		for _, p := range parts.Pictures {
			if ids[p.ID] || !strings.Contains(parts.HTML, `src="cid:`+p.ID+`"`) || !strings.Contains(parts.Text, p.Name) {
				t.Errorf("%s: the picture %s stands twice, or not in the text, or not in the HTML", name, p.Name)
			}
			ids[p.ID] = true
		}
	}
}

// sent is the size of a mail as it goes out.
func sent(t *testing.T, p pbem.Parts) int {
	t.Helper()
	raw, err := message.Compose(message.Outgoing{
		From: message.Address{Addr: "gm@pbem.example"}, To: message.Address{Addr: "anna@players.example"}, Date: time.Unix(0, 0).UTC(),
		MessageID: "<x@pbem.example>", Subject: p.Subject, Text: p.Text, HTML: p.HTML, Pictures: p.Pictures, Attachments: p.Attachments,
	})
	if err != nil {
		t.Fatal(err)
	}
	return len(raw)
}
