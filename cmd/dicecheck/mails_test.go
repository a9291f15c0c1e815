package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pbemd/engine/dice"
	"pbemd/engine/dice/dicetest"
	"pbemd/pbem"
	"pbemd/pbem/pbemtest"
	"pbemd/pbem/report"
)

// evening plays at a dice table under a beacon, by mail, with everything that a
// beacon game has, and saves the mails of each player in a folder of his.
func evening(t *testing.T) (dir string, w *pbemtest.World) {
	t.Helper()
	b := dicetest.NewBeacon(t)
	writer, err := report.New()
	if err != nil {
		t.Fatal(err)
	}
	missing := false
	w = pbemtest.NewWorld(t, func(w *pbemtest.World) {
		w.Config.Reporter = writer
		w.Config.Drand = &b.Drand
		w.Config.Beacon = func(_ context.Context, round uint64) ([]byte, error) {
			if missing || b.Time(round).After(w.Now()) {
				return nil, errors.New("not yet")
			}
			return b.Sign(round), nil
		}
	}, pbem.Games()...)
	f := pbem.Founding{Rules: "dice", Terms: pbem.Terms{Beacon: true, Seed: "word"}, Seats: []pbem.Seat{
		{Side: "white", Name: "Anna", Address: "anna@players.example"}, {Side: "black", Name: "Борис", Address: "boris@players.example"},
	}}
	w.Take(f)
	white, black := w.As("white"), w.As("black")
	say := func(p *pbemtest.Player, lines ...string) pbemtest.Letter {
		l := p.Sheet(lines...)
		if strings.Contains(l.Subject, "NOT ACCEPTED") {
			t.Fatalf("%v:\n%s", lines, l.Text)
		}
		return l
	}
	say(white, "JOIN", "SALT Würfel, fallt!")
	say(black, "JOIN", "SALT удача")
	w.Wait(11 * time.Minute)
	say(white, "ROLL 8D6 FOR a rather long label that a mail program would like to break into two", "SHUFFLE 300 FOR deck")
	w.Wait(11 * time.Minute)
	say(black, "ROLL D20 FOR DECK") // rolled already: no step
	say(black, "ROLL D100 FOR B")
	w.Wait(11 * time.Minute)
	missing = true
	say(white, "ROLL D10 FOR never")
	w.Wait(25 * time.Hour)
	say(white, "GRADE CHAIN")
	say(black, "GRADE CHAIN")
	say(white, "AGREE")
	say(black, "AGREE")
	say(black, "ROLL D10 FOR C")
	if _, err := w.Office.Rollback(context.Background(), w.Game, 2, "a drill"); err != nil {
		t.Fatal(err)
	}
	w.Flush()
	word := say(black, "LEAVE").Text
	_, word, _ = strings.Cut(word, "RESIGN CONFIRM ")
	say(black, "LEAVE CONFIRM "+word[:strings.IndexAny(word, ". \n")])
	dir = t.TempDir()
	for _, s := range w.Sides {
		save(t, filepath.Join(dir, string(s)), w.As(s).Got)
	}
	return dir, w
}

func save(t *testing.T, dir string, mails []pbemtest.Letter) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i, l := range mails {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d.eml", i+1)), l.Raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func onMails(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var out, words strings.Builder
	code := run(args, &out, &words)
	return code, out.String() + words.String()
}

// The mails that the server really writes, of one player alone, of the other, of
// both: every die of the evening is checked.
func TestMailsOfAnEvening(t *testing.T) {
	dir, w := evening(t)
	white, black := filepath.Join(dir, "white"), filepath.Join(dir, "black")
	for _, folder := range []string{white, black} {
		code, out := onMails(t, folder)
		if code != exitOK || !strings.Contains(out, "OK game 1 (DEMO") || !strings.Contains(out, "beacon 3, chain 1") || !strings.Contains(out, "; over") ||
			!strings.Contains(out, "amended (rollback)") || !strings.Contains(out, "amended (void)") || !strings.Contains(out, "amended (grade)") {
			t.Errorf("%s: status %d\n%s", folder, code, out)
		}
	}
	if code, out := onMails(t, white, black); code != exitOK || !strings.Contains(out, "the same story to the last record") {
		t.Errorf("both: status %d\n%s", code, out)
	}
	// The bodies alone, as a mail program shows them, without the files attached.
	for _, s := range w.Sides {
		var b strings.Builder
		for _, l := range w.As(s).Got {
			b.WriteString(l.Text)
		}
		file := filepath.Join(t.TempDir(), "bodies.txt")
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, out := onMails(t, file); code != exitOK || !strings.Contains(out, "beacon 3, chain 1") {
			t.Errorf("%s, bodies: status %d\n%s", s, code, out)
		}
	}
	// The file in the last mail alone.
	file := filepath.Join(t.TempDir(), "transcript.txt")
	if err := os.WriteFile(file, w.As("white").Last().Files["game1-transcript.txt"], 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out := onMails(t, file); code != exitOK || !strings.Contains(out, "beacon 3, chain 1") {
		t.Errorf("transcript: status %d\n%s", code, out)
	}
}

// A mail that was never delivered is a gap, unless the last one brings the whole
// proof; one player who knows less than the other is told so.
func TestMailsWithheld(t *testing.T) {
	_, w := evening(t)
	mails := w.As("white").Got
	running := mails[:len(mails)-1]
	gaps := 0
	for i, l := range running {
		if !strings.Contains(l.Text, "BEGIN PBEM RECORD") || i == len(running)-1 {
			continue
		}
		dir := filepath.Join(t.TempDir(), fmt.Sprint(i))
		save(t, dir, append(append([]pbemtest.Letter{}, running[:i]...), running[i+1:]...))
		code, out := onMails(t, dir)
		want := firstFault + int(dice.FaultGap)
		if strings.Contains(l.Text, "pbem-record v1 start") {
			want = firstFault + int(dice.FaultStart)
		}
		if code != want {
			t.Errorf("without %q: status %d, want %d\n%s", l.Subject, code, want, out)
		}
		gaps++
	}
	if gaps < 5 {
		t.Errorf("only %d mails with records", gaps)
	}
	less, whole := t.TempDir(), t.TempDir()
	save(t, less, running[:len(running)-2])
	save(t, whole, w.As("black").Got)
	if code, out := onMails(t, less, whole); code != exitOK || !strings.Contains(out, less+" is ") {
		t.Errorf("one knows less: status %d\n%s", code, out)
	}
}
