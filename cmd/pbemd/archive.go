package main

import (
	"fmt"
	"html/template"
	"os"
	"path/filepath"

	"pbemd/engine"
	"pbemd/engine/render"
	"pbemd/pbem/report"
	"pbemd/templates"
)

// archiveCommand writes a game for spectators: what lies open to everybody, a
// page a phase, as old as the delay says.
func archiveCommand(e *env, c command, args []string) error {
	f := c.flags(e)
	delay := f.Int("delay", 1, "turns that stay unseen; 0 only when both players agree or the game is over")
	tongue := f.String("language", "en", "language of the pages")
	rest, err := c.parse(f, args)
	if err != nil {
		return err
	}
	if len(rest) != 2 {
		return c.misuse(e, "name the game and a folder")
	}
	if *delay < 0 {
		return c.misuse(e, "--delay is a number of turns, 0 or more")
	}
	if err := knownLanguage(*tongue); err != nil {
		return err
	}
	l, _, done, err := e.look(c, rest[:1])
	if err != nil {
		return err
	}
	defer done()
	id := l.Game.ID
	w, err := report.New()
	if err != nil {
		return err
	}
	lang, err := templates.Load(*tongue)
	if err != nil {
		return err
	}
	dir := e.path(rest[1])
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	last := l.Position.State().Turn - *delay
	if l.Position.State().Over {
		last = l.Position.State().Turn
	}
	type leaf struct {
		Title, Map string
		Lines      []string
	}
	var book []leaf
	for _, frame := range l.Frames("") {
		if frame.State.Turn > last {
			break
		}
		frame.Lang = lang.Name
		png, err := w.Picture(frame, lang, "", render.Normal)
		if err != nil {
			return err
		}
		p := leaf{Title: lang.Say(frame.View.Title), Map: fmt.Sprintf("game%v-%03d.png", id, len(book)+1)}
		if err := os.WriteFile(filepath.Join(dir, p.Map), png, 0o644); err != nil {
			return err
		}
		for _, i := range frame.Items {
			p.Lines = append(p.Lines, lang.Say(i.Text))
		}
		book = append(book, p)
		fmt.Fprintf(e.err, "%s\n", p.Title)
	}
	if len(book) == 0 {
		return fmt.Errorf("game %v has nothing yet that is old enough to be seen", id)
	}
	file, err := os.Create(filepath.Join(dir, "index.html"))
	if err != nil {
		return err
	}
	err = spectators.Execute(file, map[string]any{
		"Lang": lang.Name, "Title": lang.Say(engine.T("report.game", "game", engine.T("rules."+l.Game.Rules), "id", id.String())), "Book": book,
	})
	if err2 := file.Close(); err == nil {
		err = err2
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(e.out, "%s: %d phases\n", filepath.Join(rest[1], "index.html"), len(book))
	return nil
}

var spectators = template.Must(template.New("spectators").Parse(`<!DOCTYPE html>
<html lang="{{.Lang}}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{{.Title}}</title>
<style>
body{margin:0;background:#e9e3d3;color:#23201c;font:16px/1.5 Georgia,serif}
main{max-width:60rem;margin:0 auto;padding:1.5rem}
h1,h2{font-family:Arial,sans-serif;line-height:1.25}
@media(max-width:600px){main{padding:.8rem}ul{padding-left:1.2rem}}
h2{font-size:1.1rem;margin-top:2.2rem;border-bottom:1px solid #b9ad92}
img{width:100%;height:auto;border:1px solid #a59c86;display:block}
</style></head><body><main><h1>{{.Title}}</h1>
{{range .Book}}<h2>{{.Title}}</h2>
<ul>{{range .Lines}}<li>{{.}}</li>{{end}}</ul>
<a href="{{.Map}}"><img src="{{.Map}}" alt="{{.Title}}" loading="lazy"></a>
{{end}}</main></body></html>
`))
