package render

import (
	"encoding/hex"
	"fmt"
	"image/color"
	"sort"
	"strconv"

	"github.com/BurntSushi/toml"
)

// Style is colours and symbols by name, and the words of the legend.
type Style struct {
	Colours map[string]color.RGBA
	Symbols map[string]string
	Shapes  map[string]string // of the counters of a side: round, square
	Words   map[string]string // legend words by key; a missing one is its key
}

// ReadStyle reads a palette file.
func ReadStyle(b []byte) (Style, error) {
	var f struct {
		Colour map[string]string
		Symbol map[string]string
		Shape  map[string]string
	}
	if _, err := toml.Decode(string(b), &f); err != nil {
		return Style{}, fmt.Errorf("palette: %w", err)
	}
	s := Style{Colours: map[string]color.RGBA{}, Symbols: f.Symbol, Shapes: f.Shape, Words: map[string]string{}}
	for n, v := range f.Colour {
		x, err := hex.DecodeString(v)
		if err != nil || len(x) != 3 {
			return Style{}, fmt.Errorf("palette: colour %s is %q, not six hex digits", n, v)
		}
		s.Colours[n] = color.RGBA{x[0], x[1], x[2], 255}
	}
	for _, n := range needed {
		if _, ok := s.Colours[n]; !ok {
			return Style{}, fmt.Errorf("palette: colour %s is missing", n)
		}
	}
	return s, nil
}

// needed are the colours without which nothing can be drawn.
var needed = []string{
	"paper", "ink", "faint", "grid", "halo", "clear", "sea", "coastline", "river", "border", "axis", "soviet", "front", "front_edge",
	"shadow", "edge", "vp", "burst", "burst_edge",
}

func (s Style) word(key string) string {
	if w := s.Words[key]; w != "" {
		return w
	}
	return key
}

// called is the name of a water or country in the style's language.
func (s Style) called(name string) string { return s.wordOr("name."+name, name) }

func (s Style) wordOr(key, otherwise string) string {
	if w := s.Words[key]; w != "" {
		return w
	}
	return otherwise
}

// inks makes the paint of a style: every colour, and the shades where two meet
// often.
func (s Style) inks() *paint {
	names := make([]string, 0, len(s.Colours))
	for n := range s.Colours {
		names = append(names, n)
	}
	sort.Strings(names)
	base := []color.RGBA{s.Colours["paper"]}
	for _, n := range names {
		base = append(base, s.Colours[n])
	}
	var meets [][2]color.RGBA
	pair := func(a, b string) {
		ca, ok := s.Colours[a]
		cb, ok2 := s.Colours[b]
		if ok && ok2 {
			meets = append(meets, [2]color.RGBA{ca, cb})
		}
	}
	for _, n := range names { // every livery with its ink
		pair(n, n+"_ink")
	}
	for _, g := range []string{"clear", "forest", "broken", "marsh", "sea", "halo", "paper"} {
		pair(g, "ink")
	}
	for _, g := range []string{"clear", "forest", "broken", "marsh", "sea", "mountain"} {
		pair(g, "grid")
		pair(g, "river")
		pair(g, g+"_mark")
	}
	pair("clear", "forest")
	pair("clear", "broken")
	pair("clear", "marsh")
	pair("clear", "coastline")
	pair("sea_shore", "coastline")
	pair("river", "river_light")
	pair("clear", "halo")
	pair("clear", "shadow")
	pair("forest", "shadow")
	pair("front", "front_edge")
	pair("vp", "ink")
	pair("burst", "burst_edge")
	pair("halo", "faint")
	pair("clear", "faint")
	pair("forest", "faint")
	pair("paper", "country_name")
	pair("sea", "sea_name")
	// what covers whole hexes gets its very colour
	for _, g := range []string{"clear", "forest", "broken", "marsh", "swamp", "mountain", "sea"} {
		c, ok := s.Colours[g]
		if !ok {
			continue
		}
		if h, ok := s.Colours["axis_screen"]; ok {
			base = append(base, mix(c, h, heldTint), mix(c, h, heldTint+heldDots))
		}
		if g == "clear" || g == "forest" {
			for i := 0; i <= 5; i++ {
				if h, ok := s.Colours["shade_"+strconv.Itoa(i)]; ok {
					base = append(base, mix(c, h, washed))
				}
			}
		}
	}
	return newPaint(base, meets)
}
