package blitz41

import (
	"strings"

	"pbemd/engine"
	"pbemd/orders"
	"pbemd/testdata/rulebook"
)

// topics are the help pages beside the verbs, and other words for them.
var topics = []struct {
	name string
	also []string
}{
	{"OVERVIEW", []string{"SHEET", "ORDERS"}},
	{"SUPPLY", nil},
	{"NEWUNITS", []string{"NEW", "REPLACEMENTS", "NEW UNITS"}},
	{"MOVE", []string{"MOVEMENT"}},
	{"ASSAULT", []string{"COMBAT", "BATTLE", "CLAUSES"}},
	{"STANDING", []string{"STANCE", "POLICY", "DEFAULT", "HEX", "AREA", "ROWS", "UNIT"}},
	{"CONDITIONS", []string{"CONDITION", "IF"}},
	{"UNITS", []string{"HEXES", "NAMES"}},
}

// Help is the answer to HELP: sentences, a page, verbs, paragraphs.
type Help struct {
	Text  []engine.Text
	Page  string // name of a help page
	Verbs []VerbHelp
	Rules []engine.Text
}

// VerbHelp is a verb in the answer to HELP.
type VerbHelp struct {
	Name  string
	Lines []engine.Text
}

// Help answers HELP and what stands behind it.
func (l *Language) Help(words string) Help {
	words = strings.Join(strings.Fields(strings.ToUpper(words)), " ")
	if words == "" {
		h := Help{Page: "b41-overview", Text: []engine.Text{engine.T("b41.help.topics", "topics", topicNames())}}
		for i := range table {
			h.Verbs = append(h.Verbs, VerbHelp{table[i].Name, []engine.Text{engine.T("plain", "s", table[i].Usage)}})
		}
		return h
	}
	if rest, ok := strings.CutPrefix(words, "RULE"); ok {
		return ruleHelp(strings.TrimSpace(rest))
	}
	var h Help
	for _, t := range topics {
		if t.name == words || in(words, t.also) {
			h.Page = "b41-" + strings.ToLower(t.name)
			for i := range table {
				if table[i].topic == strings.ToLower(t.name) {
					h.Verbs = append(h.Verbs, table[i].help())
				}
			}
			return h
		}
	}
	for _, v := range l.grammar.Verbs {
		if v.Name != words && !in(words, v.Aliases) && firstWord(v.Name) != words {
			continue
		}
		if own := l.verbs[v.Name]; own != nil {
			h.Verbs = append(h.Verbs, own.help())
			h.Page = "b41-" + own.topic
		} else {
			h.Verbs = append(h.Verbs, (&verb{Verb: v}).help())
		}
	}
	if len(h.Verbs) > 0 {
		return h
	}
	h.Text = append(h.Text, engine.T("b41.help.unknown", "topic", words, "suggest", orders.Suggest(words, append(topicNames(), l.grammar.Names("")...))))
	return h
}

func topicNames() []string {
	var out []string
	for _, t := range topics {
		out = append(out, t.name)
	}
	return out
}

// help is what is said of a verb.
func (v *verb) help() VerbHelp {
	h := VerbHelp{Name: v.Name, Lines: []engine.Text{engine.T(v.Key), engine.T("b41.help.usage", "usage", v.Usage)}}
	if len(v.Aliases) > 0 {
		h.Lines = append(h.Lines, engine.T("b41.help.aliases", "aliases", v.Aliases))
	}
	if v.read != nil {
		var phases []string
		for _, p := range v.Phases {
			phases = append(phases, strings.ToUpper(p))
		}
		h.Lines = append(h.Lines, engine.T("b41.help.when", "side", string(v.side), "phases", phases))
	}
	return h
}

// ruleHelp names a paragraph and those below it.
func ruleHelp(number string) Help {
	number = strings.TrimPrefix(strings.TrimSuffix(number, "."), "B41-")
	index, err := rulebook.Load("blitz41")
	var h Help
	if err == nil && number != "" {
		for _, r := range index.Under(number) {
			h.Rules = append(h.Rules, engine.T("b41.help.rule", "number", r.Number(), "title", r.Title, "status", string(r.Status), "note", r.Note))
		}
	}
	if len(h.Rules) == 0 {
		h.Text = append(h.Text, engine.T("b41.help.norule", "rule", number))
	}
	return h
}

// Render writes a help as plain text: say renders sentences, page finds pages.
func (h Help) Render(say func(engine.Text) string, page func(name string) (string, bool)) string {
	var b strings.Builder
	part := func(s string) {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strings.TrimRight(s, "\n") + "\n")
	}
	for _, t := range h.Text {
		part(say(t))
	}
	if text, ok := page(h.Page); ok && h.Page != "" {
		part(text)
	}
	for _, v := range h.Verbs {
		lines := []string{v.Name}
		for _, t := range v.Lines {
			lines = append(lines, "  "+say(t))
		}
		if len(v.Lines) == 1 { // a mere list
			b.WriteString("  " + say(v.Lines[0]) + "\n")
			continue
		}
		part(strings.Join(lines, "\n"))
	}
	for i, t := range h.Rules {
		if i == 0 && b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(say(t) + "\n")
	}
	return b.String()
}
