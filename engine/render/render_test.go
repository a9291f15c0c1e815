package render

import (
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"pbemd/engine/hex"
	"pbemd/engine/scene"
)

var update = flag.Bool("update", false, "write the golden pictures anew")

func house(t testing.TB) Style {
	t.Helper()
	b, err := os.ReadFile("../../templates/palette.toml")
	if err != nil {
		t.Fatal(err)
	}
	s, err := ReadStyle(b)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func at(s string) hex.Coord { return hex.MustParse(s) }

func hexes(s ...string) []hex.Coord {
	var out []hex.Coord
	for _, n := range s {
		out = append(out, at(n))
	}
	return out
}

func pairs(s ...string) [][2]hex.Coord {
	var out [][2]hex.Coord
	for _, n := range s {
		a, b, _ := strings.Cut(n, "/")
		out = append(out, [2]hex.Coord{at(a), at(b)})
	}
	return out
}

// rowsMap is a small country of lettered rows with one of everything.
func rowsMap() *scene.Map {
	m := &scene.Map{Game: "small", Grid: hex.WestwardRows, HexKm: 73}
	ground := []string{
		"~~~..fff", // A8 to A1
		"~~..ffmm",
		"~...f.mf",
		"..bb..ff",
		".b^^....",
		"o.b.....",
	}
	for r, line := range ground {
		for i, c := range line {
			t := map[rune]string{'~': "sea", '.': "clear", 'f': "forest", 'm': "marsh", 'b': "broken", '^': "mountain", 'o': "lake"}[c]
			m.Hexes = append(m.Hexes, scene.Hex{At: hex.Letter(r+1, 8-i), Terrain: t})
		}
	}
	x, y := m.Grid.Centre(at("C6"))
	m.Coast = []scene.Polygon{{Kind: "land", Points: [][2]float64{
		{x + 1.2, y - 3}, {x + 1.1, y - 1.6}, {x + .5, y - 1.2}, {x + .3, y - .7}, {x - .4, y - .5}, {x - .6, y + .1}, {x - 1.3, y + .3},
		{x - 3, y + .6}, {x - 3, y + 5}, {x + 9, y + 5}, {x + 9, y - 3},
	}}}
	cx, cy := m.Grid.Centre(at("F8"))
	var lake [][2]float64
	for i := range 16 {
		s, c := math.Sincos(float64(i) * math.Pi / 8)
		lake = append(lake, [2]float64{cx + .42*c, cy + .42*s})
	}
	m.Lakeage = []scene.Polygon{{Kind: "area", Points: lake}}
	m.Rivers = []scene.Sides{
		{Name: "Little", Class: "minor", Sides: pairs("E1/F1", "E2/F1", "E2/F2", "E3/F2", "E3/F3", "E3/E4", "D3/E4")},
		{Name: "Great", Class: "major", Sides: pairs("C1/D1", "C2/D1", "C2/D2", "C3/D2", "C3/D3", "C4/D3", "C4/D4", "C5/D4", "C5/D5", "C5/C6")},
		{Name: "", Class: "strait", Sides: pairs("B6/C7")},
	}
	m.Lakes = []scene.Sides{{Name: "Long Lake", Class: "lake", Sides: pairs("A2/B1", "A2/B2", "A3/B2")}}
	m.Borders = []scene.Sides{
		{Class: "border", Sides: pairs("D7/D8", "D7/E8", "E7/E8", "E7/F7")}, {Class: "weather", Sides: pairs("E1/E2", "D1/E2", "D1/D2")},
	}
	m.Places = []scene.Place{
		{At: at("D6"), Name: "Harbour", Kind: "city", VP: 12, Port: true}, {At: at("E4"), Name: "Hilltown", Kind: "town"},
		{At: at("F3"), Name: "Wells", Kind: "oil", VP: 3}, {At: at("D3"), Name: "A very long name", Kind: "city", VP: 4},
	}
	m.Forts = []scene.Fort{
		{At: at("D6"), Kind: "fort"}, {At: at("C4"), Kind: "stalin", Line: "Stalin Line"}, {At: at("E5"), Kind: "fortified", Line: "Moscow Line"},
		{At: at("D4"), Kind: "fortified", Line: "Moscow Line"},
	}
	m.Regions = []scene.Region{{Name: "Germany", Kind: "zomo", Hexes: hexes("D8", "E8")}}
	m.Names = []scene.Name{
		{Text: "Cold Sea", Kind: "sea", At: at("A7"), Span: hexes("A8", "A7", "A6", "B8", "B7", "C8")}, {Text: "Lake Round", Kind: "lake", At: at("F8")},
	}
	m.Sources = []scene.Source{{At: at("C1"), Side: "soviet", Over: []hex.Direction{hex.E, hex.SE}}}
	m.Rails = []scene.Rail{{Path: hexes("D6", "D5", "D4", "D3", "D2", "D1")}}
	return m
}

// rowsWar is all that can be drawn on it.
func rowsWar() scene.Scene {
	m := rowsMap()
	s := scene.Scene{Map: m, Title: "The small war", Subtitle: "Turn 3 · assault · for the Axis"}
	for _, h := range m.Hexes {
		if h.Terrain == "sea" || h.Terrain == "lake" {
			continue
		}
		side := "soviet"
		if h.At.Num > 4 || h.At.Row == 6 && h.At.Num > 3 {
			side = "axis"
		}
		s.Control = append(s.Control, scene.Holding{At: h.At, Side: side})
	}
	counter := func(id, nation, class, symbol, face string, steps, most int, badges ...string) scene.Counter {
		return scene.Counter{ID: id, Nation: nation, Class: class, Symbol: symbol, Size: "XXX", Face: face, Steps: steps, Max: most, Badges: badges}
	}
	s.Stacks = []scene.Stack{
		{At: at("D6"), Side: "axis", Counters: []scene.Counter{
			counter("56PZ", "german", "mech", "panzer", "10–8–9", 6, 8), counter("9G", "german", "leg", "infantry", "3–4–5", 3, 4),
			counter("1RUM", "romanian", "leg", "infantry", "2–3–4", 2, 2), counter("CSIR", "italian", "leg", "fast", "3–3–6", 2, 3),
			counter("FAST", "hungarian", "mech", "fast", "3–2–7", 1, 2),
		}},
		{At: at("E5"), Side: "axis", Counters: []scene.Counter{counter("49M", "german", "leg", "mountain", "4–5–5", 4, 4, "air")}},
		{At: at("D4"), Side: "soviet", More: true, Counters: []scene.Counter{counter("10A", "soviet", "leg", "infantry", "6–8–4", 0, 0)}},
		{At: at("C4"), Side: "soviet", Counters: []scene.Counter{
			counter("1GTA", "soviet", "mech", "tank_t34", "8–6–8", 3, 4, "oos"), counter("4ABN", "soviet", "leg", "paratroop", "3–3–3", 1, 2),
		}},
		{At: at("E3"), Side: "soviet", Counters: []scene.Counter{counter("PART", "soviet", "leg", "partisan", "1–1–3", 1, 1)}},
	}
	s.Markers = []scene.Marker{
		{At: at("D4"), Kind: "wrecked"}, {At: at("E5"), Kind: "inactive"}, {At: at("E5"), Kind: "hedgehog", Side: "axis"},
		{At: at("F5"), Kind: "source", Side: "axis"}, {At: at("D3"), Kind: "oos", Side: "soviet"}, {At: at("F4"), Kind: "msu", Side: "axis"},
	}
	s.Arrows = []scene.Arrow{
		{Kind: "move", Side: "axis", Path: hexes("F7", "F6", "E6", "E5")}, {Kind: "assault", Side: "axis", Path: hexes("E5", "D4")},
		{Kind: "retreat", Side: "soviet", Path: hexes("D4", "D3", "C2")}, {Kind: "advance", Side: "axis", Path: hexes("D5", "D4", "D3")},
		{Kind: "mobile", Side: "axis", Path: hexes("D5", "C4")},
	}
	s.Bursts = []scene.Burst{{At: at("D4"), Side: "axis", Result: "1/3"}, {At: at("C4"), Side: "axis", Result: "DX"}}
	s.Track = []scene.Figure{{Label: "Turn", Value: "3"}, {Label: "Weather", Value: "mud"}, {Label: "VP", Value: "12", At: 12, Max: 19, Goal: 15}}
	return s
}

// columnsWar is a war on a grid of flat-topped columns, without any margin.
func columnsWar() scene.Scene {
	m := &scene.Map{Game: "columns", Grid: hex.Columns, HexKm: 189, North: -20}
	for c := 20; c <= 27; c++ {
		for r := 1; r <= 5; r++ {
			t := []string{"clear", "forest", "mountain", "swamp", "clear", "sea"}[(c*3+r*5+c*r)%6]
			m.Hexes = append(m.Hexes, scene.Hex{At: at(fmt.Sprintf("%02d%02d", c, r)), Terrain: t})
		}
	}
	m.Places = []scene.Place{{At: at("2303"), Name: "Minsk", Kind: "capital"}, {At: at("2502"), Name: "Kursk", Kind: "city", VP: 1}}
	m.Rivers = []scene.Sides{{Name: "Oder", Class: "river", Sides: pairs("2202/2203", "2303/2203", "2203/2304", "2204/2304")}}
	m.Regions = []scene.Region{{Name: "Romania", Kind: "country", Hexes: hexes("2404", "2504", "2405", "2604")}}
	s := scene.Scene{Map: m, Title: "Columns", Subtitle: "Turn 1"}
	for _, h := range m.Hexes {
		if h.Terrain == "sea" {
			continue
		}
		side := "axis"
		if h.At.Row > 23 {
			side = "soviet"
		}
		s.Control = append(s.Control, scene.Holding{At: h.At, Side: side})
	}
	s.Stacks = []scene.Stack{
		{At: at("2303"), Side: "axis", Counters: []scene.Counter{{ID: "3Pz", Nation: "german", Class: "mech", Symbol: "panzer", Size: "XXXX", Face: "9–4"}}},
		{At: at("2403"), Side: "soviet", Counters: []scene.Counter{{ID: "5", Nation: "soviet", Class: "leg", Symbol: "infantry", Face: "4–2", Steps: 1, Max: 2}}},
	}
	s.Arrows = []scene.Arrow{{Kind: "assault", Side: "axis", Path: hexes("2303", "2403")}}
	return s
}

func near(s scene.Scene, h string, n int) scene.Scene {
	s.Focus = Around(s.Map, at(h), n)
	return s
}

func withShades(s scene.Scene) scene.Scene {
	for i, h := range s.Control {
		s.Shades = append(s.Shades, scene.Shade{At: h.At, Level: i % 6, Kind: "supply", Text: "−" + strconv.Itoa(i%6)})
	}
	return s
}

// Golden pictures, compared by their pixels; -update writes them anew. A
// difference is shown as a picture among the artefacts of the test.
func TestGoldenPictures(t *testing.T) {
	for _, c := range []struct {
		name string
		s    scene.Scene
		size Size
	}{
		{"battle", near(rowsWar(), "D4", 1), CloseUp},
		{"supply", near(withShades(rowsWar()), "E3", 1), Normal},
		{"whole", rowsWar(), Small},
		{"columns", columnsWar(), Small},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := New(c.s.Map, house(t)).Draw(c.s, c.size)
			file := filepath.Join("testdata", c.name+".png")
			if *update {
				b, err := Encode(got)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, b, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			want, err := png.Decode(f)
			if err != nil {
				t.Fatal(err)
			}
			if got.Bounds() != want.Bounds() {
				t.Fatalf("the picture is %v, was %v", got.Bounds(), want.Bounds())
			}
			if n, diff := differ(got, want); n > 0 {
				out := filepath.Join(t.ArtifactDir(), c.name+"-difference.png")
				w, err := os.Create(out)
				if err != nil {
					t.Fatal(err)
				}
				defer w.Close()
				if err := png.Encode(w, diff); err != nil {
					t.Fatal(err)
				}
				t.Errorf("%d pixels differ from %s by more than 2 levels: see %s", n, file, out)
			}
		})
	}
}

// differ counts pixels more than two levels apart and shows them red on a pale
// copy.
func differ(a, b image.Image) (int, image.Image) {
	out := image.NewRGBA(a.Bounds())
	n := 0
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			r0, g0, b0, _ := a.At(x, y).RGBA()
			r1, g1, b1, _ := b.At(x, y).RGBA()
			far := false
			for _, d := range [][2]uint32{{r0, r1}, {g0, g1}, {b0, b1}} {
				far = far || max(d[0]>>8, d[1]>>8)-min(d[0]>>8, d[1]>>8) > 2
			}
			grey := uint8(200 + (r0+g0+b0)/3>>8/5)
			out.SetRGBA(x, y, color.RGBA{grey, grey, grey, 255})
			if far {
				out.SetRGBA(x, y, color.RGBA{220, 0, 0, 255})
				n++
			}
		}
	}
	return n, out
}

type written struct {
	s              string
	x0, y0, x1, y1 float64
}

func texts(p *Printer, s scene.Scene, size Size) (image.Rectangle, []written) {
	var out []written
	wrote := func(s string, x0, y0, x1, y1 float64) { out = append(out, written{s, x0, y0, x1, y1}) }
	if len(s.Focus) == 0 { // the printed map, which may have been kept
		l := p.layout(size)
		c := newCanvas(l.w, l.h, p.paint, 0, p.tools)
		c.wrote = wrote
		p.margin(p.pen(c, l.sheet), l)
	}
	m := p.draw(s, size, wrote)
	return m.Rect, out
}

// No word is cut off by the edge of a picture, whichever hexes it shows. What
// stands on counters at the edge of a close-up is cut with them.
func TestNoWordIsCut(t *testing.T) {
	for _, s := range []scene.Scene{rowsWar(), columnsWar()} {
		p := New(s.Map, house(t))
		bare := s
		bare.Stacks, bare.Arrows, bare.Bursts, bare.Markers = nil, nil, nil, nil
		looks := []scene.Scene{s, bare}
		for _, h := range s.Map.Hexes {
			v := bare
			v.Focus = []hex.Coord{h.At}
			looks = append(looks, v)
		}
		long := bare
		long.Title, long.Subtitle = strings.Repeat("A long title ", 12), strings.Repeat("and more ", 40)
		longNear := long
		longNear.Focus = []hex.Coord{s.Map.Places[0].At}
		looks = append(looks, long, longNear)
		for _, size := range []Size{Small, Normal, CloseUp} {
			for i, v := range looks {
				r, all := texts(p, v, size)
				if len(all) == 0 {
					t.Fatalf("%s %d: nothing was written", s.Map.Game, i)
				}
				for _, w := range all {
					if w.x0 < 0 || w.y0 < 0 || w.x1 > float64(r.Max.X) || w.y1 > float64(r.Max.Y) {
						t.Errorf("%s %d at %d: %q at %.0f,%.0f–%.0f,%.0f is cut by %v", s.Map.Game, i, size, w.s, w.x0, w.y0, w.x1, w.y1, r)
					}
				}
			}
		}
	}
}

// The rows of the legend fit its box, and the box touches no hex.
func TestLegendFits(t *testing.T) {
	for _, s := range []scene.Scene{rowsWar(), columnsWar()} {
		for _, long := range []bool{false, true} {
			st := house(t)
			st.Words = map[string]string{}
			if long { // as another language may have it
				st.Words["legend.clear"] = "Offenes Gelände ohne Hindernis"
			}
			p := New(s.Map, st)
			l := p.layout(Normal)
			c := newCanvas(l.w, l.h, p.paint, 0, p.tools)
			q := p.pen(c, l.sheet)
			rows := q.rows()
			w, h, column := q.legendSize(rows, l.columns)
			x0, y0, x1, y1 := l.legendX, l.legendY, l.legendX+w, l.legendY+h
			if !q.free(x0, y0, x1, y1) {
				t.Errorf("%s: the legend lies on hexes", s.Map.Game)
			}
			if x1 > float64(l.w) || y1 > float64(l.h) {
				t.Errorf("%s: the legend ends at %.0f,%.0f in a picture of %d by %d", s.Map.Game, x1, y1, l.w, l.h)
			}
			seen := map[string]written{}
			c.wrote = func(s string, a, b, cc, d float64) { seen[s] = written{s, a, b, cc, d} }
			q.legend(rows, x0, y0, l.columns)
			for _, r := range rows {
				v, ok := seen[r.text]
				if !ok {
					t.Errorf("%s: no row for %q", s.Map.Game, r.text)
				}
				if v.x0 < x0 || v.x1 > x1 || v.y0 < y0 || v.y1 > y1 || v.x1-v.x0 > column-50*q.u() {
					t.Errorf("%s: %q leaves its column", s.Map.Game, r.text)
				}
			}
		}
	}
}

// Two printers give the same bytes, and so does one after other pictures.
func TestSameBytes(t *testing.T) {
	s := rowsWar()
	p := New(s.Map, house(t))
	a, err := p.Bytes(s, Normal)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []Size{Small, CloseUp, Big, Normal} { // more than are kept
		if _, err := p.Bytes(near(s, "D4", 2), size); err != nil {
			t.Fatal(err)
		}
	}
	b, _ := p.Bytes(s, Normal)
	c, _ := New(rowsMap(), house(t)).Bytes(s, Normal)
	if !bytes.Equal(a, b) {
		t.Error("a second picture of the same scene differs")
	}
	if !bytes.Equal(a, c) {
		t.Error("another printer draws another picture")
	}
	if !bytes.Equal(New(s.Map, house(t)).SVG(s), p.SVG(s)) {
		t.Error("another printer draws another SVG file")
	}
}

// Places beside each other with long names don't write over each other.
func TestNamesGiveWay(t *testing.T) {
	m := rowsMap()
	m.Places = []scene.Place{
		{At: at("E4"), Name: "Novorossisk", Kind: "city", VP: 2, Port: true}, {At: at("E3"), Name: "Dnepropetrovsk", Kind: "city", VP: 12},
		{At: at("E2"), Name: "Voroshilovgrad", Kind: "town"},
	}
	_, all := texts(New(m, house(t)), scene.Scene{Map: m}, Normal)
	var names []written
	for _, w := range all {
		for _, p := range m.Places {
			if w.s == p.Name {
				names = append(names, w)
			}
		}
	}
	if len(names) != 3 {
		t.Fatalf("%d names were written, want 3", len(names))
	}
	for i, a := range names {
		for _, b := range names[i+1:] {
			if a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1 {
				t.Errorf("%s and %s write over each other", a.s, b.s)
			}
		}
	}
}

// Pictures drawn at the same time are the same as one drawn alone.
func TestPicturesSideBySide(t *testing.T) {
	s := rowsWar()
	p := New(s.Map, house(t))
	want, err := p.Bytes(s, Small)
	if err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	for range 8 {
		done.Go(func() {
			got, err := p.Bytes(s, Small)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("a picture drawn beside others differs (%v)", err)
			}
			p.SVG(near(s, "D4", 1))
		})
	}
	done.Wait()
}

// A picture shows what is in the scene and nothing else: a scene without a
// stack has the pixels of the bare map there.
func TestOnlyTheSceneIsDrawn(t *testing.T) {
	s := rowsWar()
	p := New(s.Map, house(t))
	full := p.Draw(s, Normal)
	less := s
	less.Stacks = append([]scene.Stack(nil), s.Stacks[:4]...)
	none := p.Draw(less, Normal)
	r := changed(full, none)
	k := p.sheet(Normal, true).pen.centre(at("E3"))
	if r.Empty() || !r.In(image.Rect(int(k.x)-40, int(k.y)-46, int(k.x)+40, int(k.y)+46)) {
		t.Errorf("without the stack of E3 the picture differs in %v, not just around %.0f,%.0f", r, k.x, k.y)
	}
}

// lightness is L* of CIE 1976, 0 to 100.
func lightness(c color.RGBA) float64 {
	lin := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= .04045 {
			return x / 12.92
		}
		return math.Pow((x+.055)/1.055, 2.4)
	}
	y := .2126*lin(c.R) + .7152*lin(c.G) + .0722*lin(c.B)
	if y <= .008856 {
		return 903.3 * y
	}
	return 116*math.Cbrt(y) - 16
}

// The sides can be told apart without seeing hue: counters of one differ from
// all of the other in lightness and in shape, ink stands out from its ground,
// and kinds of ground that lie beside each other differ too.
func TestColoursForEveryEye(t *testing.T) {
	st := house(t)
	l := func(n string) float64 {
		c, ok := st.Colours[n]
		if !ok {
			t.Fatalf("no colour %s", n)
		}
		return lightness(c)
	}
	axis := []string{"german_leg", "german_mech", "italian", "romanian", "hungarian"}
	soviet := []string{"soviet_leg", "soviet_mech"}
	for _, a := range axis {
		for _, b := range soviet {
			if d := math.Abs(l(a) - l(b)); d < 16 {
				t.Errorf("%s and %s differ by %.0f in lightness, less than 16", a, b, d)
			}
		}
	}
	for _, n := range append(axis, soviet...) {
		if d := math.Abs(l(n) - l(n+"_ink")); d < 40 {
			t.Errorf("ink of %s differs by %.0f, less than 40", n, d)
		}
	}
	if st.Shapes["axis"] == st.Shapes["soviet"] {
		t.Error("the counters of both sides have the same shape")
	}
	for i := 0; i < 5; i++ {
		a, b := "shade_"+strconv.Itoa(i), "shade_"+strconv.Itoa(i+1)
		if d := l(a) - l(b); d < 8 {
			t.Errorf("%s is lighter than %s by %.0f, less than 8", a, b, d)
		}
	}
	if d := l("front_edge") - l("front"); d < 60 {
		t.Errorf("the front differs from its rim by %.0f, less than 60", d)
	}
}

// Everything written in the picture stands in the SVG file too, at the same
// place; and it is well-formed.
func TestSVGIsTheSamePicture(t *testing.T) {
	for _, c := range []struct {
		name string
		s    scene.Scene
		size Size
	}{{"whole", rowsWar(), Normal}, {"columns", columnsWar(), Normal}, {"near", near(rowsWar(), "D4", 1), CloseUp}} {
		p := New(c.s.Map, house(t))
		type where struct {
			s    string
			x, y int
		}
		got := map[where]bool{}
		d := xml.NewDecoder(bytes.NewReader(p.SVG(c.s)))
		for {
			tok, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			e, ok := tok.(xml.StartElement)
			if !ok || e.Name.Local != "text" {
				continue
			}
			var at [2]float64
			for _, a := range e.Attr {
				switch a.Name.Local {
				case "x":
					at[0], _ = strconv.ParseFloat(a.Value, 64)
				case "y":
					at[1], _ = strconv.ParseFloat(a.Value, 64)
				}
			}
			word, err := d.Token()
			if err != nil {
				t.Fatal(err)
			}
			s := string(word.(xml.CharData))
			for dx := -2; dx <= 2; dx++ {
				for dy := -2; dy <= 2; dy++ {
					got[where{s, int(at[0]) + dx, int(at[1]) + dy}] = true
				}
			}
		}
		_, all := texts(p, c.s, c.size)
		for _, w := range all {
			size := (w.y1 - w.y0) / .96
			if x, y := int(w.x0), int(w.y1-size*.22); w.x0 >= 0 && !inCounter(c.s, w.s) && !got[where{w.s, x, y}] {
				t.Errorf("%s: %q at %d,%d is not in the SVG file", c.name, w.s, x, y)
			}
		}
		for _, st := range c.s.Stacks {
			if len(c.s.Focus) == 0 && !strings.Contains(string(p.SVG(c.s)), ">"+st.Counters[0].ID+"<") {
				t.Errorf("%s: no counter %s in the SVG file", c.name, st.Counters[0].ID)
			}
		}
	}
}

func inCounter(s scene.Scene, word string) bool {
	for _, st := range s.Stacks {
		for _, c := range st.Counters {
			if word == c.ID || word == c.Face || word == c.Size {
				return true
			}
		}
	}
	return false
}

// A film, played, shows each of its scenes; what did not change takes no frame.
func TestFilmShowsEveryScene(t *testing.T) {
	a := rowsWar()
	b := a
	b.Subtitle, b.Arrows, b.Bursts = "Turn 3 · end", nil, nil
	c := b
	c.Stacks = append([]scene.Stack(nil), b.Stacks...)
	c.Stacks[1].At = at("F6")
	p := New(a.Map, house(t))
	out, err := p.Film([]scene.Scene{a, b, b, c}, Small, Pace{Frame: 50, Last: 300})
	if err != nil {
		t.Fatal(err)
	}
	g, err := gif.DecodeAll(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Image) != 3 || fmt.Sprint(g.Delay) != "[50 100 300]" {
		t.Fatalf("%d frames with delays %v, want 3 with [50 100 300]", len(g.Image), g.Delay)
	}
	screen := image.NewRGBA(image.Rect(0, 0, g.Config.Width, g.Config.Height))
	for i, s := range []scene.Scene{a, b, c} {
		f := g.Image[i]
		for y := f.Rect.Min.Y; y < f.Rect.Max.Y; y++ {
			for x := f.Rect.Min.X; x < f.Rect.Max.X; x++ {
				if _, _, _, al := f.At(x, y).RGBA(); al > 0 {
					screen.Set(x, y, f.At(x, y))
				}
			}
		}
		if n, _ := differ(screen, p.Draw(s, Small)); n > 0 {
			t.Errorf("frame %d differs from its scene in %d pixels", i, n)
		}
	}
	if _, err := p.Film([]scene.Scene{a, near(a, "D4", 1)}, Small, Pace{}); err == nil {
		t.Error("a film of two sizes was made")
	}
	if _, err := p.Film(nil, Small, Pace{}); err == nil {
		t.Error("a film of nothing was made")
	}
}

func TestAroundAndArea(t *testing.T) {
	m := rowsMap()
	if got := fmt.Sprint(Around(m, at("A1"), 1)); got != "[A2 A1 B1]" {
		t.Errorf("around A1: %s", got)
	}
	if got := fmt.Sprint(Area(m, at("B7"), at("D6"))); got != "[B7 B6 C7 C6 D7 D6]" && got != "[B7 B6 C8 C7 C6 D7 D6]" && got != "[B7 B6 C7 C6 C5 D7 D6]" {
		t.Errorf("area B7–D6: %s", got)
	}
	if a, b := Area(m, at("B7"), at("D6")), Area(m, at("D6"), at("B7")); fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("area B7–D6 is %v, D6–B7 %v", a, b)
	}
}

// A palette that lacks a colour or has a wrong one is refused with its name.
func TestReadStyleRefuses(t *testing.T) {
	for in, want := range map[string]string{
		"[colour]\npaper = \"ffffff\"":  "missing",
		"[colour]\npaper = \"#ffffff\"": "paper",
		"[colour":                       "palette",
	} {
		if _, err := ReadStyle([]byte(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want a word of %q", in, err, want)
		}
	}
}
