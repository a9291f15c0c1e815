package report

import (
	"html/template"
	"io/fs"
	"strings"
	"sync"

	"pbemd/templates"
)

// tonesOf are the colours of the banner and of marks, dark enough for white
// letters and for paper behind them.
var tonesOf = map[string]string{"good": "#2e6b34", "bad": "#a1261c", "ask": "#7a4f00", "wait": "#555049", "over": "#3b3b6b"}

// sidesOf are the colours of the sides in words.
var sidesOf = map[string]string{"axis": "#44464a", "soviet": "#a81e18"}

// band is a row of a table; rows of one hex have one ground.
type band struct {
	Dark  bool
	Cells []string
}

func banded(t *table) []band {
	out := make([]band, len(t.Rows))
	dark := false
	for i, r := range t.Rows {
		if i == 0 || !t.Group || r[0] != "" {
			dark = !dark
		}
		out[i] = band{dark, r}
	}
	return out
}

// shown are the blocks that HTML shows: sketches only where no picture is.
func shown(list []block) []block {
	pictures := false
	for _, b := range list {
		pictures = pictures || b.Image != nil
	}
	var out []block
	for _, b := range list {
		if b.empty() || b.Sketch && pictures {
			continue
		}
		out = append(out, b)
	}
	return out
}

var layout = sync.OnceValues(func() (*template.Template, error) {
	b, err := fs.ReadFile(templates.Files(), "mail/report.html")
	if err != nil {
		return nil, err
	}
	return template.New("report").Funcs(template.FuncMap{
		"tone":       func(t string) string { return tonesOf[t] },
		"sidecolour": func(s string) string { return sidesOf[s] },
		"cid":        func(id string) template.URL { return template.URL("cid:" + id) },
		"banded":     banded,
		"shown":      shown,
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
