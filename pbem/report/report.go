// Package report turns letters into mails that people read: the same content
// as plain text of 72 columns and as HTML, with the map as a picture.
//
// It relies on the letter alone, which holds nothing its reader may not know;
// it never sees a position. Sentences, layout and colours come from templates.
// Equal letters give equal bytes.
package report

import (
	"bytes"
	"fmt"
	imagepng "image/png"
	"io/fs"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

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
	printers []printer // the latest used last
}

// printer is what draws a map with the words of a language.
type printer struct {
	printerKey
	*render.Printer
}

// maxPrinters is how many printers are kept, each with its maps of some 13 MB.
const maxPrinters = 4

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
	return &Writer{style: style, size: render.Normal}, nil
}

// Report implements [pbem.Reporter].
func (w *Writer) Report(l pbem.Letter) (pbem.Parts, error) {
	lang, err := templates.Load(l.Lang)
	if err != nil {
		return pbem.Parts{}, err
	}
	parts := pbem.Parts{Subject: l.Subject(lang.Say), Attachments: l.Files}
	if len(l.Card) > 0 {
		png, err := w.Card(l.Rules, l.Card, lang)
		if err != nil {
			return pbem.Parts{}, fmt.Errorf("draw the order card of game %v: %w", l.Game, err)
		}
		parts.Attachments = append(parts.Attachments, message.Attachment{Name: cardName, Type: "image/png", Data: png})
	}
	if l.Map && l.View != nil && l.View.Scene.Map != nil {
		err = w.illustrate(l, lang, &parts)
	} else {
		err = w.document(l, lang).into(&parts)
	}
	if err != nil {
		return pbem.Parts{}, fmt.Errorf("lay out a mail of game %v: %w", l.Game, err)
	}
	for _, f := range []struct {
		lines []string
		name  string
	}{{l.Draft, draftName(l)}, {l.Quoted, quotedName(l)}} {
		if tooLong(f.lines) {
			parts.Attachments = append(parts.Attachments, message.Attachment{Name: f.name, Data: []byte(strings.Join(f.lines, "\n") + "\n")})
		}
	}
	if len(l.Records)+len(l.Openers) > 0 {
		parts.Attachments = append(parts.Attachments, message.Attachment{
			Name: proofName(l),
			Data: []byte(strings.Join(append(append([]string{}, l.Records...), l.Openers...), "\n")),
		})
	}
	return parts, nil
}

// into writes a document as text and HTML.
func (d *document) into(parts *pbem.Parts) (err error) {
	parts.Text = d.text()
	parts.HTML, err = d.html()
	return err
}

// illustrate lays a letter out with its pictures: as many close-ups as the size
// of a mail allows.
func (w *Writer) illustrate(l pbem.Letter, lang *templates.Language, parts *pbem.Parts) error {
	bare := w.document(l, lang)
	if err := bare.into(parts); err != nil {
		return err
	}
	used := len(parts.Text)*11/10 + len(parts.HTML)*11/10 + 4<<10
	for _, f := range append(append([]string{}, l.Records...), l.Openers...) {
		used += len(f) * 14 / 10
	}
	if len(l.Card) > 0 {
		used += len(parts.Attachments[len(parts.Attachments)-1].Data) * 139 / 100
	}
	d := w.document(l, lang)
	shots := w.shots(l, lang)
	drawn, err := w.develop(shots, lang)
	if err != nil {
		return err
	}
	for i, s := range shots {
		png := drawn[i]
		size := len(png) * 139 / 100 // base64 in lines
		if s.extra && used+size > mailSize {
			continue
		}
		used += size
		name := s.name + ".png"
		parts.Pictures = append(parts.Pictures, message.Picture{ID: name + "@map", Name: name, PNG: png})
		d.insert(s.slot, block{Image: &image{name + "@map", s.alt, name, shownWidth(png), s.slot}})
	}
	return d.into(parts)
}

// shownWidth is how wide a picture is shown at most: as wide as the column, and
// never blown up.
func shownWidth(png []byte) int {
	const column = 824
	if c, err := imagepng.DecodeConfig(bytes.NewReader(png)); err == nil {
		return min(c.Width, column)
	}
	return column
}

// develop draws the pictures of a letter, as many at a time as there are
// processors.
func (w *Writer) develop(shots []shot, lang *templates.Language) ([][]byte, error) {
	out := make([][]byte, len(shots))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, s := range shots {
		g.Go(func() (err error) {
			if out[i], err = w.printer(s.scene.Map, lang).Bytes(s.scene, s.size); err != nil {
				return fmt.Errorf("draw %s: %w", s.name, err)
			}
			return nil
		})
	}
	return out, g.Wait()
}

// pictureName is the file name of a letter's map, without its ending.
func pictureName(l pbem.Letter) string {
	s := l.View.State
	if s.Over {
		return fmt.Sprintf("game%v-t%d-end", l.Game, s.Turn)
	}
	return fmt.Sprintf("game%v-t%d-%s-%s", l.Game, s.Turn, s.Side, s.Phase)
}

func (w *Writer) printer(m *scene.Map, lang *templates.Language) *render.Printer {
	w.mu.Lock()
	defer w.mu.Unlock()
	k := printerKey{m, lang.Name}
	for i, p := range w.printers {
		if p.printerKey == k {
			w.printers = append(append(w.printers[:i:i], w.printers[i+1:]...), p)
			return p.Printer
		}
	}
	style := w.style
	style.Words = map[string]string{}
	for _, key := range lang.Keys() {
		if strings.HasPrefix(key, "legend.") || strings.HasPrefix(key, "name.") {
			style.Words[key] = lang.Say(engine.T(key))
		}
	}
	p := render.New(m, style)
	if len(w.printers) >= maxPrinters {
		w.printers = append([]printer(nil), w.printers[1:]...)
	}
	w.printers = append(w.printers, printer{k, p})
	return p
}

// Prepare draws the printed maps of mails in a language, so that the first mail
// needn't wait for them.
func (w *Writer) Prepare(m *scene.Map, language string) error {
	lang, err := templates.Load(language)
	if err != nil {
		return err
	}
	w.printer(m, lang).Prepare(w.size)
	return nil
}
