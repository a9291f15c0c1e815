package report

import (
	"html/template"
	"io/fs"
	"strings"
	"sync"

	"pbemd/templates"
)

var layout = sync.OnceValues(func() (*template.Template, error) {
	b, err := fs.ReadFile(templates.Files(), "mail/report.html")
	if err != nil {
		return nil, err
	}
	return template.New("report").Funcs(template.FuncMap{
		"tone": func(t string) string {
			return map[string]string{"good": "#2e6b34", "bad": "#a1261c", "ask": "#8a5a00", "wait": "#5b5b5b", "over": "#3b3b6b"}[t]
		},
		"sidecolour": func(s string) string {
			return map[string]string{"axis": "#44464a", "soviet": "#b3211c"}[s]
		},
		"cid":  func(id string) template.URL { return template.URL("cid:" + id) },
		"even": func(i int) bool { return i%2 == 0 },
	}).Parse(string(b))
})

// html is the letter as a page of tables and inline styles.
func (d *document) html() (string, error) {
	t, err := layout()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := t.Execute(&b, d); err != nil {
		return "", err
	}
	return b.String(), nil
}
