package report

import (
	"fmt"
	"strconv"
	"strings"

	"pbemd/engine"
	"pbemd/engine/hex"
	"pbemd/engine/render"
	"pbemd/engine/scene"
	"pbemd/orders/admin"
	"pbemd/pbem"
	"pbemd/templates"
)

// What the pictures of a mail may come to.
const (
	closeUps = 3         // at most so many beside the map
	mailSize = 600 << 10 // of the whole mail, in bytes as sent
)

// shot is a picture of a letter.
type shot struct {
	name  string // of the file, without its ending
	alt   string
	slot  slot
	size  render.Size
	scene scene.Scene
	extra bool // may be left out of a mail that gets too large
}

// shots are the pictures a letter asks for: the map, or what MAP named, and
// close-ups of the battles and then of the front.
func (w *Writer) shots(l pbem.Letter, lang *templates.Language) []shot {
	base := w.scene(l, lang)
	prefix := pictureName(l)
	var out []shot
	whole := full(l)
	seen := map[string]bool{}
	for _, q := range l.Requests {
		do, ok := q.Do.(admin.Map)
		if !ok || seen[do.Area] || len(out) > closeUps {
			continue
		}
		seen[do.Area] = true
		if do.Area == "" {
			whole = true
			continue
		}
		out = append(out, w.requested(l, lang, base, prefix, do.Area))
	}
	if whole || len(out) == 0 {
		title := lang.Say(l.View.Title)
		out = append([]shot{{name: prefix, alt: lang.Say(engine.T("report.map.alt", "title", title)), slot: maps, size: w.size, scene: base}}, out...)
	}
	if !full(l) {
		return out
	}
	n := 0
	drawn := map[hex.Coord]bool{}
	if l.Question != nil && l.Question.Question.Card != nil {
		if hexes, at := around(base.Map, l.Question.Question.Card.At); len(hexes) > 0 {
			n++
			s := base
			s.Focus, s.Subtitle = hexes, lang.Say(engine.T("report.closeup.battle", "at", at))
			out = append(out, shot{fmt.Sprintf("%s-q%d", prefix, l.Question.No), lang.Say(engine.T("report.closeup.question.alt", "at", at)), question, render.CloseUp, s, true})
		}
	}
	for _, c := range fights(base.Map, l.Items) {
		if n == closeUps {
			return out
		}
		n++
		for _, h := range c.hexes {
			drawn[h] = true
		}
		s := base
		s.Focus = c.hexes
		s.Subtitle = lang.Say(engine.T("report.closeup.battle", "at", c.at))
		out = append(out, shot{fmt.Sprintf("%s-battle%d", prefix, n), lang.Say(engine.T("report.closeup.battle.alt", "at", c.at)), battles, render.CloseUp, s, true})
	}
	if !l.Yours {
		return out
	}
	for _, f := range frontsOf(l.View, l.Items) {
		again := 0
		for _, h := range f.hexes {
			if drawn[h] {
				again++
			}
		}
		if n == closeUps || 2*again > len(f.hexes) {
			continue
		}
		n++
		s := base
		s.Focus = f.hexes
		name := lang.Say(f.sector.Name) + ", " + lang.Say(f.sector.Span)
		s.Subtitle = name
		out = append(out, shot{prefix + "-" + f.sector.Key, lang.Say(engine.T("report.closeup.front.alt", "sector", name)), maps, render.CloseUp, s, true})
	}
	return out
}

// requested is the picture for MAP and what stands behind it: SUPPLY, CONTROL,
// BIG, a hex and how many around it, two corners.
func (w *Writer) requested(l pbem.Letter, lang *templates.Language, base scene.Scene, prefix, area string) shot {
	s := shot{name: prefix + "-" + strings.ToLower(strings.Join(strings.Fields(area), "-")), slot: maps, size: w.size, scene: base}
	what := "report.map.area"
	words := strings.Fields(strings.ToUpper(strings.ReplaceAll(area, "-", " ")))
	var corners []hex.Coord
	around := -1
	for _, word := range words {
		switch word {
		case "SUPPLY":
			what = "report.map.supply"
			s.scene.Shades, s.scene.Arrows, s.scene.Bursts = l.View.Supply, nil, nil
		case "CONTROL":
			what = "report.map.control"
			s.scene.Stacks, s.scene.Arrows, s.scene.Bursts = nil, nil, nil
		case "BIG":
			what = "report.map.big"
			s.size = render.Big
		case "AREA":
		default:
			if n, err := strconv.Atoi(word); err == nil {
				around = n
			} else if c, err := hex.Parse(word); err == nil {
				corners = append(corners, c)
			}
		}
	}
	switch {
	case len(corners) > 1:
		s.scene.Focus = render.Area(base.Map, corners[0], corners[1])
	case len(corners) == 1:
		if around < 0 {
			around = 3
		}
		s.scene.Focus = render.Around(base.Map, corners[0], min(around, 12))
		what, area = "report.map.around", corners[0].String()
	}
	if len(s.scene.Focus) > 0 && s.size == w.size {
		s.size = render.CloseUp
		if len(s.scene.Focus) > 120 {
			s.size = render.Normal
		}
	}
	s.alt = lang.Say(engine.T(what+".alt", "area", area, "n", min(around, 12), "title", lang.Say(l.View.Title)))
	if what != "report.map.area" && what != "report.map.around" && what != "report.map.big" {
		s.scene.Subtitle = lang.Say(engine.T(what)) + " · " + s.scene.Subtitle
	}
	return s
}

// fight is a battle, or several close together, for one close-up.
type fight struct {
	at    []string
	hexes []hex.Coord
}

// around are the hexes about those named.
func around(m *scene.Map, names []string) (hexes []hex.Coord, at []string) {
	for _, n := range names {
		if c, err := hex.Parse(n); err == nil {
			hexes, at = append(hexes, render.Around(m, c, 2)...), append(at, n)
		}
	}
	return hexes, at
}

// fights groups the battles of a log by where they were.
func fights(m *scene.Map, items []engine.Item) []fight {
	type cluster struct {
		fight
		where []hex.Coord
	}
	var list []*cluster
	for _, i := range items {
		if i.Card == nil || len(i.Bursts) == 0 {
			continue
		}
		at := i.Bursts[0].At
		var c *cluster
		for _, have := range list {
			for _, h := range have.where {
				if m.Grid.Distance(h, at) <= 2 {
					c = have
				}
			}
			if c != nil {
				break
			}
		}
		if c == nil {
			c = &cluster{}
			list = append(list, c)
		}
		c.where = append(c.where, at)
		c.at = append(c.at, i.Card.At...)
		c.hexes = append(c.hexes, render.Around(m, at, 2)...)
		for _, a := range i.Arrows {
			for _, h := range a.Path {
				if m.Grid.Distance(h, at) <= 4 {
					c.hexes = append(c.hexes, h)
				}
			}
		}
	}
	var out []fight
	for _, c := range list {
		out = append(out, c.fight)
	}
	return out
}

// scene is what the view shows, with what the log says of it, in the reader's
// language.
func (w *Writer) scene(l pbem.Letter, lang *templates.Language) scene.Scene {
	s := l.View.Scene
	s.Title = lang.Say(engine.T("report.map.title", "game", lang.Say(engine.T("rules."+l.Rules)), "id", l.Game.String()))
	s.Subtitle = lang.Say(l.View.Title)
	if l.Side != "" {
		s.Subtitle += " · " + lang.Say(engine.T("report.map.for", "side", engine.T("side."+string(l.Side))))
	}
	s.Arrows = append([]scene.Arrow(nil), s.Arrows...)
	s.Bursts = append([]scene.Burst(nil), s.Bursts...)
	for _, i := range l.Items {
		s.Arrows = append(s.Arrows, i.Arrows...)
		s.Bursts = append(s.Bursts, i.Bursts...)
	}
	track := make([]scene.Figure, 0, len(s.Track))
	for _, f := range s.Track {
		if f.Label == "level" && f.Value == "0" {
			continue
		}
		if f.Label == "dates" {
			f.Value = lang.Calendar(f.Value)
		}
		f.Label = lang.Say(engine.T("figure." + f.Label))
		if w := engine.T("weather." + f.Value); lang.Has(w.Key) {
			f.Value = lang.Say(w)
		}
		track = append(track, f)
	}
	s.Track = track
	return s
}

// Picture draws the map of a letter's view with what its items show, or what MAP
// and area would show of it.
func (w *Writer) Picture(l pbem.Letter, lang *templates.Language, area string, size render.Size) ([]byte, error) {
	s, natural := w.sceneOf(l, lang, area)
	if area == "" || size == render.Big {
		natural = size
	}
	return w.printer(s.Map, lang).Bytes(s, natural)
}

// sceneOf is the scene that MAP and area ask for, and the size it is mailed in.
func (w *Writer) sceneOf(l pbem.Letter, lang *templates.Language, area string) (scene.Scene, render.Size) {
	s := w.scene(l, lang)
	if area == "" {
		return s, w.size
	}
	asked := w.requested(l, lang, s, "", area)
	return asked.scene, asked.size
}
