package blitz41_test

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pbemd/engine"
	"pbemd/engine/blitz41"
	"pbemd/engine/hex"
	"pbemd/engine/render"
	"pbemd/engine/scene"
	"pbemd/templates"
)

func start(t testing.TB) (*blitz41.Rules, engine.Position) {
	t.Helper()
	d, err := blitz41.Load(blitz41.DataFiles())
	if err != nil {
		t.Fatal(err)
	}
	r := blitz41.New(d, blitz41.Options{})
	p, _, err := engine.Begin(r, engine.Env{})
	if err != nil {
		t.Fatal(err)
	}
	return r, p
}

func printer(t testing.TB, r *blitz41.Rules) *render.Printer {
	t.Helper()
	b, err := os.ReadFile("../../templates/palette.toml")
	if err != nil {
		t.Fatal(err)
	}
	style, err := render.ReadStyle(b)
	if err != nil {
		t.Fatal(err)
	}
	words, err := templates.Load("en")
	if err != nil {
		t.Fatal(err)
	}
	style.Words = map[string]string{}
	for _, k := range words.Keys() {
		if len(k) > 7 && k[:7] == "legend." {
			style.Words[k] = words.Say(engine.T(k))
		}
	}
	return render.New(r.Data().Drawing(), style)
}

func at(s string) hex.Coord { return hex.MustParse(s) }

func way(s ...string) []hex.Coord {
	var out []hex.Coord
	for _, n := range s {
		out = append(out, at(n))
	}
	return out
}

// opening is the view of the Axis at the start.
func opening(t testing.TB) (*render.Printer, scene.Scene) {
	r, p := start(t)
	s := r.View(p, blitz41.Axis).Scene
	s.Title, s.Subtitle = "Blitzkrieg '41 · game 7", "Turn 1 · Axis prepared assault · for the Axis"
	return printer(t, r), s
}

// campaign is the opening with 200 counters and all that can be drawn on a map.
func campaign(t testing.TB) (*render.Printer, scene.Scene) {
	pr, s := opening(t)
	s.Subtitle = "Turn 4 · Axis prepared assault · for the Axis"
	taken := map[string]bool{}
	for _, h := range []string{
		"G18", "H18", "H17", "G17", "G16", "H16", "I18", "I17", "J18", "J19", "K19", "K20", "L19", "L20", "L18", "M20", "M19", "K18", "J17",
		"I16", "H15", "G15", "F16", "F17", "F18", "E18", "E19", "N20", "O20", "P21", "P20", "Q22", "Q21", "R21",
	} {
		taken[h] = true
	}
	for i, h := range s.Control {
		if taken[h.At.String()] {
			s.Control[i].Side = "axis"
		}
	}
	n := 0
	for i := range s.Stacks {
		st := &s.Stacks[i]
		if taken[st.At.String()] && st.Side == "soviet" {
			st.Counters[0].Badges = []string{"oos"}
		}
		n += len(st.Counters)
	}
	ids := []scene.Counter{
		{Nation: "german", Class: "mech", Symbol: "panzer", Size: "XXX", Face: "10–8–9", Steps: 5, Max: 8},
		{Nation: "german", Class: "mech", Symbol: "motorised", Size: "XXX", Face: "6–6–9", Steps: 6, Max: 6},
		{Nation: "italian", Class: "leg", Symbol: "fast", Size: "XXX", Face: "3–3–6", Steps: 2, Max: 3},
		{Nation: "hungarian", Class: "mech", Symbol: "fast", Size: "XXX", Face: "3–2–7", Steps: 2, Max: 2},
		{Nation: "romanian", Class: "leg", Symbol: "mountain", Size: "XXX", Face: "2–3–4", Steps: 1, Max: 2},
	}
	busy := map[hex.Coord]bool{}
	for _, st := range s.Stacks {
		busy[st.At] = true
	}
	for i, h := range s.Control {
		if n >= 200 {
			break
		}
		if busy[h.At] || h.Side != "axis" && i%3 != 0 {
			continue
		}
		st := scene.Stack{At: h.At, Side: h.Side}
		for k := 0; k < 1+i%4 && n < 200; k++ {
			c := ids[(i+k)%len(ids)]
			if h.Side == "soviet" {
				c = scene.Counter{Nation: "soviet", Class: []string{"leg", "mech"}[k%2], Symbol: []string{"infantry", "tank_t34"}[k%2], Size: "XXXX", Face: "6–8–4", Steps: 3, Max: 4}
			}
			c.ID = string(rune('1'+n%9)) + string(rune('0'+n/9%10)) + []string{"PZ", "A", "MC"}[n%3]
			if i%7 == 0 {
				c.Badges = []string{"air"}
			}
			st.Counters = append(st.Counters, c)
			n++
		}
		s.Stacks = append(s.Stacks, st)
	}
	s.Markers = append(s.Markers,
		scene.Marker{At: at("L14"), Kind: "wrecked"}, scene.Marker{At: at("L16"), Kind: "wrecked"},
		scene.Marker{At: at("K18"), Kind: "hedgehog", Side: "axis"}, scene.Marker{At: at("I17"), Kind: "hedgehog", Side: "axis"},
	)
	s.Arrows = []scene.Arrow{
		{Kind: "move", Side: "axis", Path: way("K21", "K20", "K19", "K18", "K17", "J16")},
		{Kind: "move", Side: "axis", Path: way("H20", "H19", "G18", "F18", "E18")},
		{Kind: "mobile", Side: "axis", Path: way("M21", "M20")},
		{Kind: "assault", Side: "axis", Path: way("M16", "L15")},
		{Kind: "assault", Side: "axis", Path: way("L16", "L15")},
		{Kind: "retreat", Side: "soviet", Path: way("L15", "K14", "K13")},
		{Kind: "advance", Side: "axis", Path: way("L16", "L15", "K14")},
		{Kind: "assault", Side: "axis", Path: way("H15", "I14")},
		{Kind: "retreat", Side: "soviet", Path: way("I14", "I13")},
	}
	s.Bursts = []scene.Burst{
		{At: at("L15"), Side: "axis", Result: "1/2"}, {At: at("M20"), Side: "axis", Result: "DX"}, {At: at("I14"), Side: "axis", Result: "2/1"},
	}
	s.Track = []scene.Figure{
		{Label: "Turn", Value: "4"}, {Label: "Dates", Value: "10 – 27 August 1941"}, {Label: "Weather", Value: "dry"},
		{Label: "Axis VP", Value: "17", At: 17, Max: 83, Goal: 40},
	}
	return pr, s
}

func show(t testing.TB, name string, b []byte) {
	if dir := os.Getenv("PICTURES"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// The same scene gives the same bytes, and the whole map with 200 counters
// stays below 300 KB, a close-up below 60 KB. PICTURES names a folder to look
// at them.
func TestPicturesAreTheSameAndSmall(t *testing.T) {
	pr, s := campaign(t)
	near := s
	near.Title, near.Focus = "Assault on Minsk, L15", render.Around(s.Map, at("L15"), 2)
	area := s
	area.Title, area.Focus = "Area J20–N16", render.Area(s.Map, at("J20"), at("N16"))
	supply := s
	supply.Subtitle, supply.Arrows, supply.Bursts = "Supply of the Axis", nil, nil
	for _, h := range s.Control {
		if h.Side == "axis" {
			l := min(5, max(0, (23-int(h.At.Num))/2))
			supply.Shades = append(supply.Shades, scene.Shade{At: h.At, Level: l, Kind: "supply", Text: "−" + string(rune('0'+l))})
		}
	}
	held := render.ControlView(s)
	held.Subtitle = "Who holds what"
	_, first := opening(t)
	late := s // two thirds of the land are held, with a long front
	late.Control = append([]scene.Holding(nil), s.Control...)
	for i, h := range late.Control {
		if n := h.At.Num; n >= 12 || n >= 8 && h.At.Row%3 == 0 {
			late.Control[i].Side = "axis"
		}
	}
	for _, c := range []struct {
		name string
		s    scene.Scene
		size render.Size
		kb   int
	}{
		{"start.png", first, render.Normal, 300}, {"campaign.png", s, render.Normal, 300}, {"late.png", late, render.Normal, 300}, {"supply.png", supply, render.Normal, 300},
		{"control.png", held, render.Normal, 300},
		{"minsk.png", near, render.CloseUp, 60}, {"area.png", area, render.CloseUp, 110}, {"small.png", s, render.Small, 200},
	} {
		a, err := pr.Bytes(c.s, c.size)
		if err != nil {
			t.Fatal(err)
		}
		b, err := pr.Bytes(c.s, c.size)
		if err != nil {
			t.Fatal(err)
		}
		if string(a) != string(b) {
			t.Errorf("%s: two pictures of one scene differ", c.name)
		}
		t.Logf("%s: %d KB", c.name, len(a)>>10)
		if len(a) > c.kb<<10 {
			t.Errorf("%s: %d KB, more than %d", c.name, len(a)>>10, c.kb)
		}
		show(t, c.name, a)
	}
	show(t, "campaign.svg", pr.SVG(s))
	show(t, "minsk.svg", pr.SVG(near))
	film, err := pr.Film([]scene.Scene{first, s, supply}, render.Small, render.Pace{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("film of 3: %d KB", len(film)>>10)
	show(t, "film.gif", film)
}

func BenchmarkWholeMap(b *testing.B) {
	pr, s := campaign(b)
	bench(b, pr, s, render.Normal)
}

func BenchmarkCloseUp(b *testing.B) {
	pr, s := campaign(b)
	s.Focus = render.Around(s.Map, at("L15"), 2)
	bench(b, pr, s, render.CloseUp)
}

func bench(b *testing.B, pr *render.Printer, s scene.Scene, size render.Size) {
	_, err := pr.Bytes(s, size) // the printed map is drawn once
	if err != nil {
		b.Fatal(err)
	}
	// ms-best is the quickest of all rounds, which other work of the machine
	// disturbs least.
	rounds := func(b *testing.B, once func() (int, error)) {
		n, best := 0, time.Hour
		for b.Loop() {
			began := time.Now()
			if n, err = once(); err != nil {
				b.Fatal(err)
			}
			best = min(best, time.Since(began))
		}
		b.ReportMetric(float64(n)/1024, "KB")
		b.ReportMetric(float64(best.Microseconds())/1000, "ms-best")
	}
	b.Run("draw+encode", func(b *testing.B) {
		b.ReportAllocs()
		rounds(b, func() (int, error) {
			out, err := pr.Bytes(s, size)
			return len(out), err
		})
	})
	m := pr.Draw(s, size)
	b.Run("encode", func(b *testing.B) {
		rounds(b, func() (int, error) {
			out, err := render.Encode(m)
			return len(out), err
		})
	})
	b.Run("image/png", func(b *testing.B) { // for comparison
		rounds(b, func() (int, error) {
			var buf bytes.Buffer
			err := png.Encode(&buf, m)
			return buf.Len(), err
		})
	})
}
