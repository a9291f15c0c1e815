package report

import (
	"errors"

	"pbemd/engine/render"
	"pbemd/engine/scene"
	"pbemd/pbem"
	"pbemd/templates"
)

// Drawing is the map of a letter, or what MAP and area show of it, as an SVG
// file, for print and zoom.
func (w *Writer) Drawing(l pbem.Letter, lang *templates.Language, area string) []byte {
	s, _ := w.sceneOf(l, lang, area)
	return w.printer(s.Map, lang).SVG(s)
}

// Film implements [pbem.Filmer] at a small size.
func (w *Writer) Film(letters []pbem.Letter) ([]byte, error) {
	return w.FilmAt(letters, render.Small)
}

// FilmAt is a frame for each letter, as an animated GIF.
func (w *Writer) FilmAt(letters []pbem.Letter, size render.Size) ([]byte, error) {
	if len(letters) == 0 {
		return nil, errors.New("there is nothing to be filmed")
	}
	lang, err := templates.Load(letters[0].Lang)
	if err != nil {
		return nil, err
	}
	var list []scene.Scene
	for _, l := range letters {
		list = append(list, w.scene(l, lang))
	}
	return w.printer(list[0].Map, lang).Film(list, size, render.Pace{})
}
