package render

import (
	"testing"

	"pbemd/engine"
	"pbemd/engine/blitz41"
)

// On the map of a real game no word and no name is cut at any size, nor in any
// close-up, and no name of a water or country lies over another.
func TestTheMapOfAGame(t *testing.T) {
	d, err := blitz41.Load(blitz41.DataFiles())
	if err != nil {
		t.Fatal(err)
	}
	r := blitz41.New(d, blitz41.Options{})
	p, _, err := engine.Begin(r, engine.Env{})
	if err != nil {
		t.Fatal(err)
	}
	s := r.View(p, blitz41.Axis).Scene
	s.Title, s.Subtitle = "Blitzkrieg '41", "Turn 1"
	pr := New(s.Map, house(t))
	for _, z := range []Size{Small, Normal, CloseUp, Big} {
		l := pr.layout(z)
		names := pr.named(z)
		for i, n := range names {
			a0, b0, a1, b1 := n.drawn.bounds()
			if a0+l.dx < 0 || b0+l.dy < 0 || a1+l.dx > float64(l.w) || b1+l.dy > float64(l.h) {
				t.Errorf("%s at size %d is cut", n.text, z)
			}
			for _, m := range names[:i] {
				c0, d0, c1, d1 := m.drawn.bounds()
				if a0 < c1 && c0 < a1 && b0 < d1 && d0 < b1 {
					t.Errorf("%s and %s at size %d lie over each other", n.text, m.text, z)
				}
			}
		}
	}
	uncut := func(what string, z Size) {
		rect, all := texts(pr, s, z)
		for _, w := range all {
			if w.x0 < 0 || w.y0 < 0 || w.x1 > float64(rect.Max.X) || w.y1 > float64(rect.Max.Y) {
				t.Errorf("%s at size %d: %q is cut", what, z, w.s)
			}
		}
	}
	uncut("the whole map", Small)
	uncut("the whole map", Normal)
	s.Stacks = nil // a counter at the edge is cut, and what stands on it
	for i := 0; i < len(s.Map.Hexes); i += 3 {
		h := s.Map.Hexes[i].At
		s.Focus = Around(s.Map, h, 1)
		uncut("around "+h.String(), CloseUp)
	}
}
