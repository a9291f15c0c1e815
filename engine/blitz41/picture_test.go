package blitz41_test

import (
	"os"
	"testing"

	"pbemd/engine"
	"pbemd/engine/blitz41"
	"pbemd/engine/render"
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
	m, err := r.Data().Drawing()
	if err != nil {
		t.Fatal(err)
	}
	words, err := templates.Load("en")
	if err != nil {
		t.Fatal(err)
	}
	style.Words = map[string]string{}
	for _, k := range words.Keys() {
		style.Words[k] = words.Say(engine.T(k))
	}
	return render.New(m, style)
}

// The same scene gives the same bytes, and the whole map stays below 400 KB.
func TestPictureOfTheStart(t *testing.T) {
	r, p := start(t)
	pr := printer(t, r)
	s := r.View(p, blitz41.Axis).Scene
	s.Title, s.Subtitle = "Blitzkrieg '41", "Axis prepared assault, turn 1"
	a, err := pr.Bytes(s, render.Normal)
	if err != nil {
		t.Fatal(err)
	}
	b, err := pr.Bytes(s, render.Normal)
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) {
		t.Error("two pictures of one scene differ")
	}
	if len(a) > 400<<10 {
		t.Errorf("the map is %d KB", len(a)>>10)
	}
	if out := os.Getenv("PICTURE"); out != "" {
		if err := os.WriteFile(out, a, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func BenchmarkWholeMap(b *testing.B) {
	r, p := start(b)
	pr := printer(b, r)
	s := r.View(p, blitz41.Axis).Scene
	if _, err := pr.Bytes(s, render.Normal); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		if _, err := pr.Bytes(s, render.Normal); err != nil {
			b.Fatal(err)
		}
	}
}
