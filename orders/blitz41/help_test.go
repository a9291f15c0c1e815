package blitz41_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	game "pbemd/engine/blitz41"
	"pbemd/orders/blitz41"
	"pbemd/templates"
)

// A newcomer's words for help are answered, in both languages, without a key.
func TestHelpAnswers(t *testing.T) {
	d, err := game.Load(game.DataFiles())
	if err != nil {
		t.Fatal(err)
	}
	l := blitz41.New(d)
	for _, c := range []struct{ words, want string }{
		{"D04", "D04: "}, {"d4", "YIELD"}, {"E01", "E01: "}, {"DECISIONS", "E09: "}, {"CHECK", "✗"}, {"ADVANCE", "ADVANCE NONE"}, {"ODDS", "8-1"},
		{"LOSS", "LOSS STEPS"}, {"RETREAT", "RETREAT AVOID"}, {"RULE", "HELP RULE 14.7.C"}, {"RULE 14", "14.3.B"}, {"RULE A23", "A23"},
		{"RULE B41-A23", "A23"}, {"RULE A5", "A05"}, {"B41-A23", "A23"}, {"END PHASE", "END PHASE"}, {"CONTINUE", "CONTINUE"},
	} {
		for _, name := range templates.Languages() {
			lang, err := templates.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			got := l.Help(c.words).Render(lang.Say, lang.Page)
			if !strings.HasPrefix(got, "HELP "+strings.ToUpper(c.words)+"\n") || !strings.Contains(got, c.want) || strings.Contains(got, "b41.help") || len(got) < 60 {
				t.Errorf("HELP %s in %s:\n%s", c.words, name, got)
			}
			if strings.Contains(got, "ruling B41-") {
				t.Errorf("HELP %s shows the keys of rulings:\n%s", c.words, got)
			}
		}
	}
	en, _ := templates.Load("en")
	if got := l.Help("STANDING").Render(en.Say, en.Page); strings.Count(got, "Says beforehand") != 1 || !strings.Contains(got, "ROWS row-row") {
		t.Errorf("HELP STANDING:\n%s", got)
	}
}

// Every ruling of the list can be asked for, and says what is played.
func TestEveryRulingIsToldOf(t *testing.T) {
	b, err := os.ReadFile("../../engine/blitz41/RULINGS.md")
	if err != nil {
		t.Fatal(err)
	}
	ids := regexp.MustCompile(`(?m)^### (B41-A\d+)`).FindAllStringSubmatch(string(b), -1)
	if len(ids) < 100 {
		t.Fatalf("%d rulings", len(ids))
	}
	for _, id := range ids {
		if r, ok := game.RulingOf(id[1]); !ok || "B41-"+r.ID != id[1] || r.Question == "" || r.Played == "" {
			t.Errorf("%s: %+v", id[1], r)
		}
	}
	if _, ok := game.RulingOf("A999"); ok {
		t.Error("a ruling that isn't there")
	}
}

// The order card has every way to write, the frame of a sheet and the clauses.
func TestCardIsWhole(t *testing.T) {
	var forms []string
	for _, lang := range templates.Languages() {
		l, err := templates.Load(lang)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range blitz41.Card() {
			if !l.Has(g.Title.Key) {
				t.Errorf("%s: no title %s", lang, g.Title.Key)
			}
			for _, r := range g.Rows {
				forms = append(forms, l.Say(r[0]))
				if _, err := l.Render(r[1]); err != nil {
					t.Errorf("%s: %v", lang, err)
				}
			}
		}
	}
	all := strings.Join(forms, "\n") + "\n"
	for _, want := range []string{"AIRSUPPLY hex", "HEDGEHOG hex", "CHECK\n", "PHASE word", "END PHASE\n", "END TURN\n", "CONTINUE\n", "UNDO\n", "STATUS\n", "MAP [", "REPORT [",
		"HELP [", "MESSAGE ", "STANDING SHOW", "RESIGN", "AIR n [IF ODDS", "ALLOUT", "LOSS STEPS", "RETREAT PREFER", "ADVANCE NONE"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q on the card", want)
		}
	}
}
