package report_test

import (
	"bytes"
	"image/png"
	"io/fs"
	"path"
	"strings"
	"testing"

	"pbemd/orders/admin"
	"pbemd/pbem"
	"pbemd/templates"
)

// TestMapsAsAskedFor: MAP and what stands behind it.
func TestMapsAsAskedFor(t *testing.T) {
	w := writer(t)
	size := map[string][2]int{}
	for _, area := range []string{"", "H12", "H12 1", "J7-N6", "AREA J7-N6", "SUPPLY", "CONTROL", "BIG"} {
		l := story()["status"]
		l.Map, l.Template = true, nil
		l.Requests = []admin.Request{{Line: 2, Text: "MAP " + area, Do: admin.Map{Area: area}}}
		parts, err := w.Report(l)
		if err != nil {
			t.Fatal(err)
		}
		if len(parts.Pictures) != 1 {
			t.Fatalf("MAP %s: %d pictures", area, len(parts.Pictures))
		}
		p, err := png.DecodeConfig(bytes.NewReader(parts.Pictures[0].PNG))
		if err != nil {
			t.Fatal(err)
		}
		size[area] = [2]int{p.Width, p.Height}
		if strings.Contains(parts.Text, "YOUR FORCES") {
			t.Errorf("MAP %s lists the forces, which was not asked for", area)
		}
		sound(t, "MAP "+area, parts)
	}
	whole := size[""]
	for _, same := range []string{"SUPPLY", "CONTROL"} {
		if size[same] != whole {
			t.Errorf("MAP %s is %v, the map %v", same, size[same], whole)
		}
	}
	if size["BIG"][0] <= whole[0] || size["H12"][0] >= whole[0] || size["H12 1"][0] > size["H12"][0] || size["J7-N6"] != size["AREA J7-N6"] || size["J7-N6"] == size["H12"] {
		t.Errorf("sizes are %v", size)
	}
}

// TestMapsDiffer: supply and control are not the map of the war.
func TestMapsDiffer(t *testing.T) {
	w := writer(t)
	seen := map[string]string{}
	for _, area := range []string{"", "SUPPLY", "CONTROL"} {
		l := story()["status"]
		l.Map, l.Requests = true, []admin.Request{{Do: admin.Map{Area: area}}}
		parts, err := w.Report(l)
		if err != nil {
			t.Fatal(err)
		}
		got := string(parts.Pictures[0].PNG)
		for other, have := range seen {
			if have == got {
				t.Errorf("MAP %s shows what MAP %s shows", area, other)
			}
		}
		seen[area] = got
	}
}

// TestShowAnswersWhatWasAsked: one table, and of a hex or a unit its rows alone.
func TestShowAnswersWhatWasAsked(t *testing.T) {
	w := writer(t)
	for _, c := range []struct {
		do          admin.Show
		want, never []string
	}{
		{admin.Show{What: "STACK", Hex: "H19"}, []string{"39PZ", "57PZ", "10G"}, []string{"41PZ", "PLACES"}},
		{admin.Show{What: "STACK", Hex: "H18"}, []string{"11A"}, []string{"41PZ", "39PZ"}},
		{admin.Show{What: "SUPPLY", Unit: "41PZ"}, []string{"41PZ", "full"}, []string{"39PZ", "PLACES"}},
		{admin.Show{What: "CONTROL"}, []string{"Moscow", "Kiev"}, []string{"41PZ"}},
		{admin.Show{What: "POOLS"}, []string{"Romanian steps"}, []string{"41PZ", "PLACES"}},
	} {
		l := story()["status"]
		l.Map, l.Template = false, nil
		l.Requests = []admin.Request{{Do: c.do}}
		l.Lines = []pbem.LetterLine{{Line: 2, Text: "SHOW " + c.do.What, Request: true}}
		parts, err := w.Report(l)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range c.want {
			if !strings.Contains(parts.Text, s) {
				t.Errorf("SHOW %+v lacks %s:\n%s", c.do, s, parts.Text)
			}
		}
		for _, s := range c.never {
			if strings.Contains(parts.Text, s) {
				t.Errorf("SHOW %+v has %s:\n%s", c.do, s, parts.Text)
			}
		}
	}
}

// TestHelpPagesFitAMail: 72 columns, and every topic a page names is there.
func TestHelpPagesFitAMail(t *testing.T) {
	for _, name := range templates.Languages() {
		lang, err := templates.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		files, err := fs.Glob(templates.Files(), "en/help/*.txt")
		if err != nil || len(files) < 20 {
			t.Fatalf("%d help pages, %v", len(files), err)
		}
		for _, f := range files {
			page := strings.TrimSuffix(path.Base(f), ".txt")
			text, ok := lang.Page(page)
			if !ok {
				t.Errorf("%s: no page %s", name, page)
			}
			for i, line := range strings.Split(text, "\n") {
				if n := len([]rune(line)); n > 72 {
					t.Errorf("%s, %s.txt, line %d: %d columns", name, page, i+1, n)
				}
			}
		}
	}
}

// TestCloseUpsStandByTheirBattles: the map comes behind them.
func TestCloseUpsStandByTheirBattles(t *testing.T) {
	l := story()["your-turn"]
	l.Map = true
	parts, err := writer(t).Report(l)
	if err != nil {
		t.Fatal(err)
	}
	whole := strings.Index(parts.Text, "["+parts.Pictures[0].Name)
	near := strings.Index(parts.Text, "-battle1.png")
	if near < 0 || whole < near || near < strings.Index(parts.Text, "BATTLES") {
		t.Errorf("the close-up stands at %d, the map at %d", near, whole)
	}
}

func BenchmarkReport(b *testing.B) {
	w := writer(b)
	l := story()["your-turn"]
	l.Map = true
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.Report(l); err != nil {
			b.Fatal(err)
		}
	}
}
