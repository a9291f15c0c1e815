package judge

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pbemd/engine"
	"pbemd/orders"
	"pbemd/templates"
)

// Every key of this half of the language has a sentence that takes its
// arguments: notices, reasons, what is left unread, findings, common verbs.
func TestEverySentenceIsThere(t *testing.T) {
	lang, err := templates.Load("en")
	if err != nil {
		t.Fatal(err)
	}
	check := func(key string, args map[string]any) {
		if s, err := lang.Render(engine.Text{Key: key, Args: args}); err != nil || strings.Contains(s, "<no value>") {
			t.Errorf("%s: %v %s", key, err, s)
		}
	}
	for _, n := range []Notice{NoOrders, Unterminated, Conflict, UnknownGame, BadCharacters, Unreadable, Encrypted, TooLarge, Late} {
		check("notice."+string(n), map[string]any{"game": "12", "what": ""})
	}
	for _, v := range orders.Common {
		check(v.Key, nil)
	}
	literal := regexp.MustCompile(`"(?:why\.|ignored\.)[a-z-]+"|return "[a-z-]+"|Reason = "[a-z-]+"`)
	for dir, prefix := range map[string]string{"../message": "why.", "../auth": "why."} {
		files, _ := filepath.Glob(dir + "/*.go")
		for _, f := range files {
			if strings.HasSuffix(f, "_test.go") {
				continue
			}
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Base(f)
			for _, l := range literal.FindAllString(string(b), -1) {
				key := strings.Split(l, `"`)[1]
				switch {
				case strings.HasPrefix(l, "return"):
					if name == "machine.go" {
						check(prefix+key, nil)
					}
				case strings.HasPrefix(l, "Reason"):
					check(prefix+key, nil)
				default:
					check(key, nil)
				}
			}
		}
	}
	g := orders.Generic()
	for _, text := range []string{"GAME 1\nMOVE Н1\nEND", "GAME 1\nX !\nEND", "GAME 1\nX \x01\nEND", "GAME 1\n\"\nEND", "GAME 1", "GAME 1 X", "GAME 1\nX\nCHECK\nEND",
		"GAME 1\nMESSAGE\nEND", "GAME 1\nIF X\nEND", "GAME 1\n,\nEND", "GAME 1\nX\nEND\nGAME 1\nY\nEND", "GAME 1\n" + strings.Repeat("HOLD\n", orders.MaxLines+1) + "END"} {
		_, found := orders.Parse(strings.Split(text, "\n"), g)
		if len(found) == 0 {
			t.Errorf("%.40q: nothing found", text)
		}
		for _, f := range found {
			check(f.Key, f.Args)
		}
	}
	sheets, _ := orders.Parse(strings.Split("GAME 1\nMAP X\nEND", "\n"), g)
	c := orders.NewCursor(&sheets[0].Lines[0], g)
	c.End()
	d := orders.NewCursor(&sheets[0].Lines[0], g)
	d.Expect("AREA", "XY")
	for _, f := range append(c.Findings(), d.Findings()...) {
		check(f.Key, f.Args)
	}
}
