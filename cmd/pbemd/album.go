package main

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	gomessage "github.com/emersion/go-message"

	"pbemd/engine"
	"pbemd/pbem/message"
)

// album keeps what the demo's players got: every mail as it came, its text, its
// page with the picture beside it, and an index to look around.
type album struct {
	dir string
	mu  sync.Mutex
	log *os.File
	all []page
}

type page struct {
	No      int
	Side    string
	Who     string // the player and his side, for people
	At      time.Time
	Subject string
	Base    string // name without its ending, below dir
	HTML    bool
	Map     string
	Size    int
}

func newAlbum(dir string) *album { return &album{dir: dir} }

// prepare makes the folder, or empties one that an earlier demo left.
func (a *album) prepare() error {
	if _, err := os.Stat(a.dir); err == nil {
		if _, err := os.Stat(filepath.Join(a.dir, "demo.log")); err != nil {
			if left, _ := os.ReadDir(a.dir); len(left) > 0 {
				return fmt.Errorf("%s is there and no folder of an earlier demo; name another with --out", a.dir)
			}
		}
		for _, n := range []string{"axis", "soviet", "server", "index.html", "demo.log", "pbemd.toml"} {
			if err := os.RemoveAll(filepath.Join(a.dir, n)); err != nil {
				return fmt.Errorf("clear the folder of an earlier demo: %w", err)
			}
		}
	}
	for _, d := range []string{a.dir, filepath.Join(a.dir, "axis"), filepath.Join(a.dir, "soviet")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return fmt.Errorf("demo folder: %w", err)
		}
	}
	var err error
	a.log, err = os.Create(filepath.Join(a.dir, "demo.log"))
	return err
}

// close ends the log.
func (a *album) close() error { return a.log.Close() }

// Write takes the daemon's log.
func (a *album) Write(b []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.log.Write(b)
}

// received keeps a mail that a player got.
func (a *album) received(side engine.Side, raw []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	m := message.Parse(raw, message.Options{})
	p := page{No: len(a.all) + 1, Side: string(side), At: time.Now(), Subject: m.Subject, Size: len(raw)}
	p.Who = strings.ToUpper(p.Side[:1]) + p.Side[1:]
	for _, u := range matchUsers {
		if u.side == side {
			p.Who = u.name + ", " + p.Who
		}
	}
	p.Base = filepath.Join(p.Side, fmt.Sprintf("%03d-%s", p.No, slug(m.Subject)))
	write := func(name string, b []byte) error {
		if err := os.WriteFile(filepath.Join(a.dir, name), b, 0o644); err != nil {
			return fmt.Errorf("keep a mail: %w", err)
		}
		return nil
	}
	if err := write(p.Base+".eml", raw); err != nil {
		return err
	}
	e, err := gomessage.Read(bytes.NewReader(raw))
	if err != nil {
		return fmt.Errorf("read a mail of our own: %w", err)
	}
	var html []byte
	pictures := map[string]string{} // content id to file
	attached := map[string]string{} // name of an attached picture to file
	err = e.Walk(func(_ []int, part *gomessage.Entity, err error) error {
		if err != nil {
			return err
		}
		kind, params, _ := part.Header.ContentType()
		if strings.HasPrefix(kind, "multipart/") {
			return nil
		}
		b, err := io.ReadAll(part.Body)
		if err != nil {
			return err
		}
		disposition, dp, _ := part.Header.ContentDisposition()
		switch {
		case kind == "image/png":
			name := dp["filename"]
			if name == "" {
				name = params["name"]
			}
			file := fmt.Sprintf("%03d-%s", p.No, filepath.Base(name))
			if id := strings.Trim(part.Header.Get("Content-Id"), "<>"); id != "" && disposition != "attachment" {
				pictures[id] = file
			} else { // told of by name, as the order card is
				attached[filepath.Base(name)] = file
				return write(filepath.Join(p.Side, file), b)
			}
			file = filepath.Join(p.Side, file)
			if p.Map == "" || len(file) < len(p.Map) { // details and battles have longer names than the whole map
				p.Map = file
			}
			return write(file, b)
		case disposition == "attachment":
			return nil
		case kind == "text/plain":
			return write(p.Base+".txt", b)
		case kind == "text/html":
			html = b
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("take a mail of our own apart: %w", err)
	}
	if html != nil {
		p.HTML = true
		for id, file := range pictures {
			html = bytes.ReplaceAll(html, []byte("cid:"+id), []byte(file))
			html = bytes.ReplaceAll(html, []byte("cid:"+template.URLQueryEscaper(id)), []byte(file))
		}
		for name, file := range attached {
			link := fmt.Sprintf(`<a href="%s">%s</a>`, file, name)
			html = bytes.ReplaceAll(html, []byte(name), []byte(link))
		}
		if err := write(p.Base+".html", html); err != nil {
			return err
		}
	}
	a.all = append(a.all, p)
	return nil
}

var notPlain = regexp.MustCompile(`[^a-z0-9]+`)

func slug(s string) string {
	s = strings.Trim(notPlain.ReplaceAllString(strings.ToLower(s), "-"), "-")
	if len(s) > 60 {
		s = strings.Trim(s[:60], "-")
	}
	return s
}

var indexPage = template.Must(template.New("index").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>A game of Blitzkrieg '41 by mail</title>
<style>
body{margin:0;background:#e9e3d3;color:#23201c;font:16px/1.5 Georgia,serif}
main{max-width:70rem;margin:0 auto;padding:1.5rem}
h1{font:bold 1.6rem Arial,sans-serif;margin:.2rem 0}
table{width:100%;border-collapse:collapse;background:#fbf8ef}
td,th{padding:.45rem .7rem;border-bottom:1px solid #d8cfb8;vertical-align:middle;text-align:left}
th{font:bold .8rem Arial,sans-serif;letter-spacing:.06em;text-transform:uppercase;color:#5a4d33}
tr.axis td:first-child{border-left:6px solid #44464a}
tr.soviet td:first-child{border-left:6px solid #b3211c}
img{width:96px;height:auto;border:1px solid #a59c86;display:block}
.small{color:#6b6455;font-size:.85rem;white-space:nowrap}
a{color:#1f4f80}
@media(prefers-color-scheme:dark){body{background:#23201c;color:#e9e3d3}table{background:#2e2a24}td,th{border-color:#4b4436}th,.small{color:#b9ad92}a{color:#8fbbe8}tr.axis td:first-child,tr.axis{border-left-color:#9a9ca1}}
td{overflow-wrap:anywhere}
@media(max-width:600px){main{padding:.6rem}table,tbody{display:block}tr{display:flex;flex-wrap:wrap;gap:.2rem .6rem;padding:.4rem .5rem;border-bottom:1px solid #d8cfb8}tr:first-child{display:none}td,tr.axis td:first-child,tr.soviet td:first-child{border:0;padding:0}tr.axis{border-left:6px solid #44464a}tr.soviet{border-left:6px solid #b3211c}}
</style></head><body><main>
<h1>A game of Blitzkrieg '41 by mail</h1>
<p>Every mail the two players got, in the order of arrival: as it came (.eml), as text, as the page their mail program shows, and the map of what that player may know.</p>
<table><tr><th>No</th><th>To</th><th>Subject</th><th></th><th>Map</th></tr>
{{range .}}<tr class="{{.Side}}"><td class="small">{{.No}}</td><td>{{.Who}}</td><td>{{if .HTML}}<a href="{{.Base}}.html">{{.Subject}}</a>{{else}}<a href="{{.Base}}.txt">{{.Subject}}</a>{{end}}</td>
<td class="small"><a href="{{.Base}}.txt">text</a> · <a href="{{.Base}}.eml">mail</a></td><td>{{if .Map}}<a href="{{.Map}}"><img src="{{.Map}}" alt="map of mail {{.No}}" loading="lazy"></a>{{end}}</td></tr>
{{end}}</table></main></body></html>
`))

// index writes the page to look around on and returns the number of mails.
func (a *album) index() (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f, err := os.Create(filepath.Join(a.dir, "index.html"))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return len(a.all), indexPage.Execute(f, a.all)
}
