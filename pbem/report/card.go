package report

import (
	"pbemd/engine"
	"pbemd/engine/render"
	"pbemd/pbem"
	"pbemd/templates"
)

// cardName is the file that the order card is attached as.
const cardName = "order-card.png"

// Card is the order card of a game as a picture, one page.
func (w *Writer) Card(rules string, groups []pbem.Group, lang *templates.Language) ([]byte, error) {
	var out []render.Group
	for _, g := range groups {
		v := render.Group{Title: lang.Say(g.Title)}
		for _, r := range g.Rows {
			v.Rows = append(v.Rows, [2]string{lang.Say(r[0]), lang.Say(r[1])})
		}
		out = append(out, v)
	}
	say := func(key string) string { return lang.Say(engine.T(key)) }
	return render.Encode(render.Card(w.style, say("rules."+rules), say("report.card.subtitle"), say("report.card.foot"), out))
}
