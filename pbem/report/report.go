// Package report turns letters into mails that people read: the same content
// as plain text of 72 columns and as HTML, with the map as a picture.
//
// It relies on the letter alone, which holds nothing its reader may not know;
// it never sees a position. Sentences, layout and colours come from templates.
// Equal letters give equal bytes.
package report

import (
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"pbemd/engine"
	"pbemd/engine/render"
	"pbemd/engine/scene"
	"pbemd/pbem"
	"pbemd/pbem/message"
	"pbemd/templates"
)

// Writer writes mails. It implements [pbem.Reporter].
type Writer struct {
	style render.Style
	size  render.Size

	mu       sync.Mutex
	printers map[printerKey]*render.Printer
}

type printerKey struct {
	m    *scene.Map
	lang string
}

// New makes a writer with the palette of the templates.
func New() (*Writer, error) {
	b, err := fs.ReadFile(templates.Files(), "palette.toml")
	if err != nil {
		return nil, fmt.Errorf("palette: %w", err)
	}
	style, err := render.ReadStyle(b)
	if err != nil {
		return nil, err
	}
	return &Writer{style: style, size: render.Normal, printers: map[printerKey]*render.Printer{}}, nil
}

// Report implements [pbem.Reporter].
func (w *Writer) Report(l pbem.Letter) (pbem.Parts, error) {
	lang, err := templates.Load(l.Lang)
	if err != nil {
		return pbem.Parts{}, err
	}
	parts := pbem.Parts{Subject: l.Subject(lang.Say), Attachments: l.Files}
	d := w.document(l, lang)
	if l.Map && l.View != nil && l.View.Scene.Map != nil {
		png, err := w.Picture(l, lang, w.size)
		if err != nil {
			return pbem.Parts{}, fmt.Errorf("draw the map of game %v: %w", l.Game, err)
		}
		name := pictureName(l)
		parts.Pictures = append(parts.Pictures, message.Picture{ID: name + "@map", Name: name, PNG: png})
		d.picture(name+"@map", lang.Say(engine.T("report.map.alt", "title", l.View.Title)), name)
	}
	parts.Text = d.text()
	if parts.HTML, err = d.html(); err != nil {
		return pbem.Parts{}, fmt.Errorf("lay out a mail of game %v: %w", l.Game, err)
	}
	if len(l.Records)+len(l.Openers) > 0 {
		parts.Attachments = append(parts.Attachments, message.Attachment{
			Name: fmt.Sprintf("game%v-proof-%d.txt", l.Game, l.No),
			Data: []byte(strings.Join(append(append([]string{}, l.Records...), l.Openers...), "\n")),
		})
	}
	return parts, nil
}

func pictureName(l pbem.Letter) string {
	s := l.View.State
	if s.Over {
		return fmt.Sprintf("game%v-t%d-end.png", l.Game, s.Turn)
	}
	return fmt.Sprintf("game%v-t%d-%s-%s.png", l.Game, s.Turn, s.Side, s.Phase)
}

// Picture draws the map of a letter's view with what its items show.
func (w *Writer) Picture(l pbem.Letter, lang *templates.Language, size render.Size) ([]byte, error) {
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
		f.Label = lang.Say(engine.T("figure." + f.Label))
		if w := engine.T("weather." + f.Value); lang.Has(w.Key) {
			f.Value = lang.Say(w)
		}
		track = append(track, f)
	}
	s.Track = track
	return w.printer(s.Map, lang).Bytes(s, size)
}

func (w *Writer) printer(m *scene.Map, lang *templates.Language) *render.Printer {
	w.mu.Lock()
	defer w.mu.Unlock()
	k := printerKey{m, lang.Name}
	if p := w.printers[k]; p != nil {
		return p
	}
	style := w.style
	style.Words = map[string]string{}
	for _, key := range lang.Keys() {
		if strings.HasPrefix(key, "legend.") {
			style.Words[key] = lang.Say(engine.T(key))
		}
	}
	p := render.New(m, style)
	w.printers[k] = p
	return p
}
