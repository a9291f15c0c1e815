package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gomessage "github.com/emersion/go-message"

	"pbemd/engine"
	"pbemd/engine/blitz41"
	"pbemd/pbem"
	"pbemd/pbem/hub"
	"pbemd/pbem/message"
	"pbemd/pbem/realmail"
	"pbemd/templates"
	"pbemd/testdata/games"
)

// demoTime is what the demo may take; the race detector makes it ten times as slow.
func demoTime() time.Duration {
	if raced {
		return 6 * time.Minute
	}
	return time.Minute
}

// runDemo runs the command and returns its folder and what it printed.
func runDemo(t *testing.T, args ...string) (dir, out string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "demo")
	return dir, runDemoIn(t, dir, args...)
}

func runDemoIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), demoTime())
	defer cancel()
	var o, w strings.Builder
	if code := run(ctx, append([]string{"demo", "--out", dir}, args...), &o, &w); code != 0 || ctx.Err() != nil {
		t.Fatalf("exit %d, %v\n%s\n%s", code, ctx.Err(), o.String(), w.String())
	}
	if w.Len() > 0 {
		t.Errorf("words on stderr: %s", w.String())
	}
	return o.String()
}

// letters are the mails that a player of a scripted game got, oldest first.
func letters(t *testing.T, dir, side string) (list []letter) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, side, "*.eml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no mails of %s in %s: %v", side, dir, err)
	}
	slices.Sort(files)
	for _, f := range files {
		l := letter{base: strings.TrimSuffix(f, ".eml")}
		if l.raw, err = os.ReadFile(f); err != nil {
			t.Fatal(err)
		}
		l.subject = message.Parse(l.raw, message.Options{}).Subject
		text, err := os.ReadFile(l.base + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		l.text = strings.ReplaceAll(string(text), "\r\n", "\n")
		list = append(list, l)
	}
	return list
}

type letter struct {
	base, subject, text string
	raw                 []byte
}

// The folder of the demo holds all that its mails hold, and the index leads to
// every file.
func checkFolder(t *testing.T, dir string) (mails int) {
	t.Helper()
	index, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	linked := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?:href|src)="([^"]+)"`).FindAllStringSubmatch(string(index), -1) {
		name := html.UnescapeString(m[1])
		linked[name] = true
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Errorf("the index leads nowhere: %v", err)
		}
	}
	for _, m := range regexp.MustCompile(`<img src="([^"]+)"`).FindAllStringSubmatch(string(index), -1) {
		if strings.HasSuffix(m[1], "order-card.png") {
			t.Errorf("the index shows %s as a map", m[1])
		}
	}
	maps := 0
	for _, side := range []string{"axis", "soviet"} {
		for _, l := range letters(t, dir, side) {
			mails++
			pictures := pngParts(t, l.raw)
			page, err := os.ReadFile(l.base + ".html")
			if err != nil {
				t.Error(err)
			}
			if bytes.Contains(page, []byte("cid:")) {
				t.Errorf("the page of %s shows a picture of the mail, not of the folder", l.base)
			}
			number, _, _ := strings.Cut(filepath.Base(l.base), "-")
			files, _ := filepath.Glob(filepath.Join(dir, side, number+"-*.png"))
			if len(files) != len(pictures) {
				t.Errorf("%s: %d pictures in the mail, %d beside it", l.base, len(pictures), len(files))
			}
			for _, f := range files {
				b, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.ContainsFunc(pictures, func(p []byte) bool { return bytes.Equal(p, b) }) {
					t.Errorf("%s is no picture of the mail", f)
				}
				if _, err := png.Decode(bytes.NewReader(b)); err != nil {
					t.Errorf("%s: %v", f, err)
				}
				if !bytes.Contains(page, []byte(filepath.Base(f))) {
					t.Errorf("the page of %s doesn't show %s", l.base, filepath.Base(f))
				}
				maps++
			}
			for _, ending := range []string{".eml", ".txt", ".html"} {
				if name := side + "/" + filepath.Base(l.base) + ending; !linked[name] {
					t.Errorf("the index has no link to %s", name)
				}
			}
		}
	}
	if maps < 4 {
		t.Errorf("%d maps in the whole folder", maps)
	}
	return mails
}

// pngParts are the pictures in a mail.
func pngParts(t *testing.T, raw []byte) (list [][]byte) {
	t.Helper()
	e, err := gomessage.Read(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	err = e.Walk(func(_ []int, part *gomessage.Entity, err error) error {
		if err != nil {
			return err
		}
		if kind, _, _ := part.Header.ContentType(); kind == "image/png" {
			b, err := io.ReadAll(part.Body)
			list = append(list, b)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// built builds a program of the project, once.
func built(name string) (string, error) {
	building.Lock()
	defer building.Unlock()
	if building.dir == "" {
		dir, err := os.MkdirTemp("", "pbemd-programs")
		if err != nil {
			return "", err
		}
		building.dir = dir
		atTheEnd(func() { os.RemoveAll(dir) })
	}
	file := filepath.Join(building.dir, name)
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	if b, err := exec.Command("go", "build", "-o", file, "pbemd/cmd/"+name).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, b)
	}
	return file, nil
}

var building struct {
	sync.Mutex
	dir string
}

// checkDice has the players check the dice, each alone and both together.
func checkDice(t *testing.T, dir string, want ...string) {
	t.Helper()
	program, err := built("dicecheck")
	if err != nil {
		t.Fatal(err)
	}
	axis, soviet := filepath.Join(dir, "axis"), filepath.Join(dir, "soviet")
	for _, folders := range [][]string{{axis}, {soviet}, {axis, soviet}} {
		b, err := exec.Command(program, folders...).CombinedOutput()
		if err != nil {
			t.Errorf("dicecheck %v: %v\n%s", folders, err, b)
		}
		for _, w := range append(want, "OK game 1") {
			if strings.Count(string(b), w) != len(folders) {
				t.Errorf("dicecheck %v doesn't say %q for each:\n%s", folders, w, b)
			}
		}
		if len(folders) == 2 && !strings.Contains(string(b), "the same story to the last record") {
			t.Errorf("dicecheck compares otherwise:\n%s", b)
		}
	}
}

// checkReplay runs the games of a server's store again by the operator's
// command.
func checkReplay(t *testing.T, dir string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pbemd.toml")
	text := fmt.Sprintf("[server]\ndir = %q\n[mailbox]\naddress = \"gm@pbem.example\"\n", filepath.Join(dir, "server"))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var o, w strings.Builder
	if code := run(t.Context(), []string{"--config", file, "replay", "1"}, &o, &w); code != 0 || !strings.Contains(o.String(), "all the same") {
		t.Errorf("replay: exit %d\n%s%s", code, o.String(), w.String())
	}
}

// checkDemo is what a run of the demo has to show, whatever the dice.
func checkDemo(t *testing.T, dir, out string) {
	t.Helper()
	axis, soviet := letters(t, dir, "axis"), letters(t, dir, "soviet")
	if n := checkFolder(t, dir); !strings.Contains(out, fmt.Sprintf("done: %d mails", n)) {
		t.Errorf("%d mails in the folder; the demo says\n%s", n, out)
	}
	find := func(list []letter, from int, word string) int {
		for i := from; i < len(list); i++ {
			if strings.Contains(list[i].subject, "] "+word) {
				return i
			}
		}
		return -1
	}
	if i := find(axis, 0, "NOT ACCEPTED"); i < 0 || find(axis, i+1, "ACCEPTED") < 0 {
		t.Errorf("no sheet of the Axis is refused and mended")
	} else if !strings.Contains(axis[i].text, "57PX") || !strings.Contains(axis[i].text, "57PZ") {
		t.Errorf("the refusal names neither what was wrong nor what would work:\n%s", axis[i].text)
	}
	if i := find(axis, 0, "CHECKED"); i < 0 || strings.Contains(axis[i].text, "⚄") {
		t.Errorf("no CHECK without dice")
	}
	if i := find(soviet, 0, "QUESTION"); i < 0 || find(soviet, i+1, "ACCEPTED") < 0 {
		t.Errorf("no question is answered by mail")
	} else if !slices.ContainsFunc(soviet[i:], func(l letter) bool { return strings.Contains(l.text, "your answer “ANSWER Q") }) {
		t.Errorf("no report says what the answer did")
	}
	for _, who := range []struct {
		list []letter
		name string
	}{{axis, "Anna"}, {soviet, "Boris"}} {
		all := ""
		for _, l := range who.list {
			all += l.text
		}
		for _, want := range []string{"Axis prepared assault on", "Soviet prepared assault on", "Turn 2 begins", "Turn 3 begins", "Soviet movement phase", "Axis movement phase"} {
			if !strings.Contains(all, want) {
				t.Errorf("the mails of %s don't tell of %q", who.name, want)
			}
		}
		if last := who.list[len(who.list)-1].subject; !strings.HasSuffix(last, "Soviet new units, turn 3") {
			t.Errorf("the last mail of %s is %q: Turn 2 is not over", who.name, last)
		}
	}
	checkReplay(t, dir)
	checkDice(t, dir)
}

// With dice of every kind the script holds, and nothing goes wrong on the way.
func TestDemo(t *testing.T) {
	n := 10
	switch {
	case raced: // .ci/run plays the ten without the detector
		t.Skip("the race detector watches TestDemoWithAWord; ten demos are played without it")
	case testing.Short():
		n = 3
	}
	for i := range n {
		t.Run(fmt.Sprint(i+1), func(t *testing.T) {
			t.Parallel()
			dir, out := runDemo(t)
			checkDemo(t, dir, out)
			for _, side := range []string{"axis", "soviet"} {
				for _, l := range letters(t, dir, side) {
					if strings.Contains(l.text, "DEMO") {
						t.Errorf("a mail of %s is marked as if its dice came from a word:\n%s", side, l.subject)
					}
				}
			}
			log, err := os.ReadFile(filepath.Join(dir, "demo.log"))
			if err != nil || !strings.Contains(string(log), "game=1") || strings.Contains(string(log), "level=ERROR") || strings.Contains(string(log), "level=WARN") {
				t.Errorf("the log: %v\n%s", err, log)
			}
		})
	}
}

// barbarossa is the demo with the dice of a word, for all tests that compare
// with it.
var barbarossa struct {
	sync.Once
	dir, out string
}

func theWord(t *testing.T) (dir, out string) {
	t.Helper()
	barbarossa.Do(func() {
		keep, err := os.MkdirTemp("", "pbemd-demo")
		if err != nil {
			t.Fatal(err)
		}
		atTheEnd(func() { os.RemoveAll(keep) })
		dir := filepath.Join(keep, "demo")
		barbarossa.out = runDemoIn(t, dir, "--seed", "BARBAROSSA")
		barbarossa.dir = dir
	})
	if barbarossa.dir == "" {
		t.Skip("skipped: the demo failed in another test")
	}
	return barbarossa.dir, barbarossa.out
}

// The same word gives the same game, in every report; another word another one.
func TestDemoWithAWord(t *testing.T) {
	t.Parallel()
	one, out := theWord(t)
	checkDemo(t, one, out)
	checkArchive(t, one)
	if raced { // one is enough for the detector; .ci/run plays all without it
		return
	}
	two, _ := runDemo(t, "--seed", "BARBAROSSA")
	three, _ := runDemo(t, "--seed", "TYPHOON")
	sameConversation(t, one, two)
	if a, b := rolls(t, one), rolls(t, three); slices.Equal(a, b) || len(a) < 5 {
		t.Errorf("another word, the same dice: %q", a)
	}
	for _, l := range letters(t, one, "axis") {
		if strings.Contains(l.text, "pbem-record v1 step") && !strings.Contains(l.text, "DEMO") {
			t.Errorf("a record is not marked DEMO: %s", l.base)
		}
	}
}

// With dice of the grade beacon: both players have each close record before its
// round is there, the daemon waits for a round that is late, and passes over a
// relay that doesn't answer.
func TestDemoWithBeacon(t *testing.T) {
	t.Parallel()
	dir, out := runDemo(t, "--beacon")
	checkDemo(t, dir, out)
	for _, want := range []string{"is late; the daemon waits for it", "both players have the close record; put forward to round"} {
		if !strings.Contains(out, want) {
			t.Errorf("the demo doesn't say %q:\n%s", want, out)
		}
	}
	checkDice(t, dir, "(DEMO: the dice follow from a word)", "; beacon 5, chain 0;")
	rounds := regexp.MustCompile(`(?m)^round: (\d+)$`)
	signatures := regexp.MustCompile(`(?m)^beacon: ([0-9a-f]{96})$`)
	for _, side := range []string{"axis", "soviet"} {
		closed, played := 0, 0
		for _, l := range letters(t, dir, side) {
			played += len(signatures.FindAllString(l.text, -1))
			if closed += len(rounds.FindAllString(l.text, -1)); closed < played {
				t.Errorf("%s reads a step before its close record: %s", side, l.subject)
			}
			if rounds.MatchString(l.text) && signatures.MatchString(l.text) {
				t.Errorf("%s reads a step in the mail of its close record: %s", side, l.subject)
			}
		}
		if closed != 5 || played != 5 {
			t.Errorf("%s has read of %d closes and %d steps", side, closed, played)
		}
	}
	log, err := os.ReadFile(filepath.Join(dir, "demo.log"))
	if err != nil || strings.Contains(string(log), "level=ERROR") || strings.Count(string(log), "the beacon's round isn't there yet") != 1 {
		t.Errorf("the log: %v\n%s", err, log)
	}
}

// The pages for spectators tell of each phase below its own title: what ends a
// turn stands in that turn, and the next begins with its first phase.
func checkArchive(t *testing.T, dir string) {
	t.Helper()
	public := filepath.Join(t.TempDir(), "public")
	var o, w strings.Builder
	if code := run(t.Context(), []string{"--config", filepath.Join(dir, "pbemd.toml"), "archive", "1", public, "--delay", "0"}, &o, &w); code != 0 {
		t.Fatalf("archive: exit %d\n%s", code, w.String())
	}
	b, err := os.ReadFile(filepath.Join(public, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	began := 0
	for _, part := range strings.Split(string(b), "<h2>")[1:] {
		title, rest, _ := strings.Cut(part, "</h2>")
		for _, m := range regexp.MustCompile(`<li>Turn (\d+) begins`).FindAllStringSubmatch(rest, -1) {
			began++
			if !strings.Contains(title, "turn "+m[1]+" (") {
				t.Errorf("turn %s begins below the title %s", m[1], title)
			}
		}
	}
	if began < 3 {
		t.Errorf("the archive tells of the beginning of %d turns", began)
	}
}

// Every line of every mail keeps to 72 columns, orders and records apart, and in
// the German mails no English is left.
func TestMailsInEveryLanguage(t *testing.T) {
	if raced {
		t.Skip("the race detector watches TestDemoWithAWord")
	}
	t.Parallel()
	for _, lang := range templates.Languages() {
		dir, _ := runDemo(t, "--seed", "BARBAROSSA", "--language", lang)
		for _, side := range []string{"axis", "soviet"} {
			for _, l := range letters(t, dir, side) {
				for _, line := range strings.Split(prose(l.text), "\n") {
					if n := len([]rune(line)); n > 72 {
						t.Errorf("%s: %d columns: %s", filepath.Base(l.base), n, line)
					}
					if lang == "de" && english.MatchString(line) {
						t.Errorf("%s: English: %s", filepath.Base(l.base), line)
					}
				}
			}
		}
	}
}

var (
	english  = regexp.MustCompile(`\b(Soviet|Axis|hex|hexes|unit|units|turn|phase|step|steps|supply|weather|dice|is|are|of|Mon|Tue|Wed|Thu|Fri|Sat|Sun|Dec|Oct)\b`)
	verbatim = regexp.MustCompile(`(?ms)^(GAME \d.*?^END$|-----BEGIN .*?^-----END [^\n]*$)`)
	spoken   = regexp.MustCompile(`(?m)^(The border is|Nothing personal|Not before autumn).*$`)
	picture  = regexp.MustCompile(`(?ms)^\[game\d.*?\]$`)
	echoed   = regexp.MustCompile(`(?m)^ *\d+ +[✓✗?–…] .*$`)
	salted   = regexp.MustCompile(`(?m)^.*(coin from my|snow falls on).*$`)
	rolled   = regexp.MustCompile(`(?m)\[T\d.*?\]$`)
)

// prose is a mail without what isn't the server's own words: sheets, records,
// lines of orders given back, and what the players say.
func prose(text string) string {
	for _, re := range []*regexp.Regexp{verbatim, spoken, echoed, salted, rolled} {
		text = re.ReplaceAllString(text, "")
	}
	return picture.ReplaceAllStringFunc(text, func(s string) string { _, s, _ = strings.Cut(s, ": "); return s })
}

// rolls are the dice as the Axis player is told of them.
func rolls(t *testing.T, dir string) (list []string) {
	for _, l := range letters(t, dir, "axis") {
		list = append(list, regexp.MustCompile(`(?m)^ *[⚀-⚅] .*\[T.*\]$`).FindAllString(l.text, -1)...)
	}
	return list
}

// maskings are what differs between two servers that play the same game: the
// proofs hang on the key of the server, the times on the clock.
var maskings = []struct {
	re   *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`(?s)-----BEGIN PBEM RECORD-----.*?-----END PBEM RECORD-----`), "RECORD"},
	{regexp.MustCompile(`\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? \d{1,2} [A-Z][a-z]+( \d{4})?,? \d\d:\d\d`), "TIME"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?Z?`), "TIME"},
	{regexp.MustCompile(`\b[0-9a-f]{4}( [0-9a-f]{4}){3,}\b`), "PRINT"},
	{regexp.MustCompile(`\b[0-9a-f]{16,}\b`), "HEX"},
	{regexp.MustCompile(`gm\+g\d+-[a-z0-9]+@`), "gm+TOKEN@"},
	{regexp.MustCompile(`(?s)Head of the game: .*?\.`), "HEAD"},
	{regexp.MustCompile(`(?s)HEAD.*?story\.`), "HEAD"},
	{regexp.MustCompile(`\b([A-Z]{1,4} ){5}[A-Z]{1,4}\b`), "SIX WORDS"},
}

// conversation is what a player was told, in an order that doesn't hang on
// which of two mails was faster.
func conversation(t *testing.T, dir, side string) (list []string) {
	for _, l := range letters(t, dir, side) {
		text := l.text
		for _, m := range maskings {
			text = m.re.ReplaceAllString(text, m.with)
		}
		list = append(list, l.subject+"\n"+text)
	}
	slices.Sort(list)
	return list
}

// sameConversation compares the mails of two runs of the same script.
func sameConversation(t *testing.T, one, two string) {
	t.Helper()
	for _, side := range []string{"axis", "soviet"} {
		a, b := conversation(t, one, side), conversation(t, two, side)
		if len(a) != len(b) {
			t.Errorf("%s: %d mails and %d", side, len(a), len(b))
		}
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Errorf("%s, mail %d differs:\n%s", side, i+1, difference(a[i], b[i]))
				break
			}
		}
	}
}

// difference shows the first lines that two texts don't share.
func difference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	i := 0
	for i < min(len(x), len(y)) && x[i] == y[i] {
		i++
	}
	return fmt.Sprintf("%s\n… line %d\n- %s\n+ %s", x[0], i+1, strings.Join(x[i:min(len(x), i+4)], "\n- "), strings.Join(y[i:min(len(y), i+4)], "\n+ "))
}

// The demo through Postfix and Dovecot: the same conversation as on the embedded
// servers, and the same reports. The players log in and ask for encryption.
func TestDemoThroughPostfixAndDovecot(t *testing.T) {
	if raced {
		t.Skip("the race detector watches TestDemoWithAWord; .ci/run plays this without it")
	}
	t.Parallel()
	var users []realmail.User
	for _, u := range matchUsers {
		users = append(users, realmail.User{Address: u.address, Password: u.password})
	}
	s := realmail.Start(t, realmail.Options{Users: users})
	script, err := games.Demo()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "real")
	playMatch(t, dir, script, "BARBAROSSA", wires{imap: s.IMAPAddr(), smtp: s.SMTPAddr(), submit: s.SubmissionAddr(), tls: s.TLS()})
	checkFolder(t, dir)
	checkReplay(t, dir)
	checkDice(t, dir)
	for _, side := range []string{"axis", "soviet"} {
		for _, l := range letters(t, dir, side) {
			if !bytes.Contains(l.raw, []byte("Postfix")) || !bytes.Contains(l.raw, []byte("Delivered-To: "+side+"@players.example")) {
				t.Fatalf("a mail did not come through Postfix:\n%.1500s", l.raw)
			}
		}
	}
	embedded, _ := theWord(t)
	sameConversation(t, embedded, dir)
}

// playMatch plays a script on given mail servers; it returns what was played and
// how the game lies at the end.
func playMatch(t *testing.T, dir string, script games.Script, seed string, w wires) (*match, pbem.Looked) {
	t.Helper()
	a := newAlbum(dir)
	if err := a.prepare(); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	m := &match{script: script, seed: seed, dir: filepath.Join(dir, "server"), album: a, out: &said, began: time.Now(), mail: w}
	ctx, cancel := context.WithCancel(t.Context())
	err := m.begin(ctx)
	if err == nil {
		err = m.play(ctx)
	}
	var look pbem.Looked
	if err == nil {
		look, err = m.daemon.office.Look(ctx, m.game)
	}
	cancel()
	_, e := a.index()
	if err = errors.Join(err, m.end(), e, a.close()); err != nil {
		log, _ := os.ReadFile(filepath.Join(dir, "demo.log"))
		t.Fatalf("%v\n%s\nlog:\n%s", err, said.String(), log)
	}
	return m, look
}

// A whole game, from the first mail to its end by the rules, on the embedded
// servers: both players build, move and assault in every turn.
func TestWholeGameByMail(t *testing.T) {
	if raced {
		t.Skip("the race detector watches TestDemoWithAWord; .ci/run plays this without it")
	}
	t.Parallel()
	script, err := games.Whole()
	if err != nil {
		t.Fatal(err)
	}
	var users []hub.User
	for _, u := range matchUsers {
		users = append(users, hub.User{Address: u.address, Password: u.password})
	}
	h, err := hub.Start(hub.Config{Users: users})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	dir := filepath.Join(t.TempDir(), "whole")
	m, look := playMatch(t, dir, script, "", wires{imap: h.IMAPAddr(), smtp: h.SMTPAddr(), submit: h.SMTPAddr()})
	checkFolder(t, dir)
	checkReplay(t, dir)
	checkDice(t, dir, "; over")
	if !m.over {
		t.Error("not both players have read the end")
	}
	for _, side := range []string{"axis", "soviet"} {
		list := letters(t, dir, side)
		for _, l := range list {
			if strings.Contains(l.subject, "NOT ACCEPTED") {
				t.Errorf("a sheet of the script is refused:\n%s", l.text)
			}
		}
		end := list[len(list)-1]
		for _, want := range []string{"GAME OVER", "the Soviets win", "(15.4.B)", "Turn: 8 of 11", "pbem-record v1 end"} {
			if !strings.Contains(end.subject+end.text, want) {
				t.Errorf("the last mail of %s has no %q:\n%s\n%s", side, want, end.subject, end.text)
			}
		}
	}
	checkDeeds(t, look.Events)
}

// checkDeeds counts what each side did in each of its player-turns.
func checkDeeds(t *testing.T, events []engine.Event) {
	t.Helper()
	type when struct {
		turn int
		side engine.Side
	}
	did := map[when]map[string]int{}
	var now when
	for _, e := range events {
		what := ""
		switch f := e.Fact.(type) {
		case blitz41.TurnBegan:
			now.turn = f.Turn
		case blitz41.PhaseBegan:
			now.side = f.Side
		case blitz41.StepsSpent:
			what = "builds"
		case blitz41.GroupMoved:
			what = "moves"
		case blitz41.BattleBegan:
			what = "assaults"
		}
		if what != "" {
			if did[now] == nil {
				did[now] = map[string]int{}
			}
			did[now][what]++
		}
	}
	if n := did[when{1, blitz41.Axis}]["assaults"]; n < 3 {
		t.Errorf("%d assaults on Turn 1", n)
	}
	for turn := 2; turn <= 7; turn++ {
		for _, side := range []engine.Side{blitz41.Soviet, blitz41.Axis} {
			for _, what := range []string{"builds", "moves", "assaults"} {
				if did[when{turn, side}][what] == 0 {
					t.Errorf("turn %d: the %s side has no %s: %v", turn, side, what, did[when{turn, side}])
				}
			}
		}
	}
}
