package scene

import (
	"testing"

	"pbemd/engine/hex"
)

// A scene as text has a line for everything in it, in an order that does not
// depend on how it was put together.
func TestTextShowsEverything(t *testing.T) {
	at := hex.MustParse
	s := Scene{
		Title: "A war", Subtitle: "Turn 2",
		Control: []Holding{{At: at("B2"), Side: "axis"}, {At: at("A1"), Side: "soviet"}},
		Stacks: []Stack{{At: at("B2"), Side: "axis", More: true, Counters: []Counter{
			{ID: "9G", Nation: "german", Class: "leg", Symbol: "infantry", Size: "XXX", Face: "3–4–5", Steps: 2, Max: 4, Badges: []string{"oos"}},
			{ID: "1PZ", Nation: "german", Class: "mech", Symbol: "panzer"},
		}}},
		Markers: []Marker{{At: at("A1"), Kind: "wrecked"}},
		Arrows:  []Arrow{{Kind: "move", Side: "axis", Path: []hex.Coord{at("B2"), at("A1")}}},
		Bursts:  []Burst{{At: at("A1"), Side: "axis", Result: "1/2"}},
		Shades:  []Shade{{At: at("B2"), Kind: "supply", Level: 3, Text: "−3"}},
		Focus:   []hex.Coord{at("A1")},
		Track:   []Figure{{Label: "Turn", Value: "2"}, {Label: "VP", Value: "7", At: 7, Max: 80, Goal: 40}},
	}
	const want = `A war
Turn 2
figure Turn 2
figure VP 7 (7 of 80, goal 40)
focus A1
held A1 soviet
held B2 axis
marker A1 wrecked
shade B2 supply 3 −3
stack B2 axis 1 9G german leg infantry XXX 3–4–5 2/4 oos
stack B2 axis 2 1PZ german mech panzer
stack B2 axis more
move axis B2 A1
battle A1 axis 1/2
`
	if got := s.Text(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	s.Control[0], s.Control[1] = s.Control[1], s.Control[0]
	if got := s.Text(); got != want {
		t.Errorf("put together otherwise:\n%s", got)
	}
	if got := (Scene{}).Text(); got != "" {
		t.Errorf("an empty scene is %q", got)
	}
}
