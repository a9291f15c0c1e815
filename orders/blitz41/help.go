package blitz41

import (
	"slices"
	"strings"

	"pbemd/engine"
	game "pbemd/engine/blitz41"
	"pbemd/orders"
	"pbemd/testdata/rulebook"
)

// topics are the help pages beside the verbs, and other words for them.
var topics = []struct {
	name string
	also []string
}{
	{"OVERVIEW", []string{"SHEET", "ORDERS", "PHASE", "END", "END PHASE", "END TURN", "CONTINUE", "GAME"}},
	{"SUPPLY", nil},
	{"NEWUNITS", []string{"NEW", "REPLACEMENTS", "NEW UNITS"}},
	{"MOVE", []string{"MOVEMENT"}},
	{"ASSAULT", []string{"COMBAT", "BATTLE", "CLAUSES"}},
	{"STANDING", []string{"STANCE", "POLICY", "DEFAULT", "HEX", "AREA", "ROWS", "UNIT"}},
	{"CONDITIONS", []string{"CONDITION", "IF"}},
	{"UNITS", []string{"HEXES", "NAMES"}},
	{"CHECK", []string{"PREVIEW", "WHATIF"}},
	{"ODDS", []string{"COLUMN", "COLUMNS", "RESULTS", "CRT"}},
	{"LOSS", []string{"LOSSES", "STEPS", "LOSE", "SPARE", "HOLD", "YIELD"}},
	{"RETREAT", []string{"RETREATS"}},
	{"ADVANCE", []string{"ADVANCES", "OCCUPY"}},
	{"DECISIONS", []string{"DECISION", "ASK", "STANDING ASK"}},
}

// decisions are the points of a battle where a side has a choice, each with a
// sentence of its own.
var decisions = strings.Fields("D01 D02 D03 D04 D05 D06 D07 D08 E01 E02 E03 E04 E05 E09")

// Help is the answer to HELP: sentences, a page, verbs, paragraphs.
type Help struct {
	Words string // what was asked
	Text  []engine.Text
	Page  string // name of a help page
	Verbs []VerbHelp
	Rules []engine.Text
	// Unknown: there is no help on that.
	Unknown bool
}

// VerbHelp is a verb in the answer to HELP.
type VerbHelp struct {
	Name  string
	Lines []engine.Text
}

// Help answers HELP and what stands behind it.
func (l *Language) Help(words string) Help {
	words = strings.Join(strings.Fields(strings.ToUpper(words)), " ")
	h := l.help(words)
	h.Words = words
	return h
}

func (l *Language) help(words string) Help {
	if words == "" {
		h := Help{Page: "b41-overview", Text: []engine.Text{engine.T("b41.help.topics", "topics", topicNames())}}
		for i := range table {
			h.Verbs = append(h.Verbs, VerbHelp{table[i].Name, []engine.Text{engine.Form(table[i].Usage)}})
		}
		return h
	}
	if rest, ok := strings.CutPrefix(words, "RULE"); ok {
		return ruleHelp(rest)
	}
	if strings.HasPrefix(words, "B41") {
		return ruleHelp(words)
	}
	var h Help
	if d, ok := decision(words); ok {
		h.Page = "b41-decisions"
		h.Text = append(h.Text, engine.T("b41.help.decision", "id", d, "text", engine.T("b41.help.decision."+d)))
		return h
	}
	for _, t := range topics {
		if t.name == words || in(words, t.also) {
			h.Page = "b41-" + strings.ToLower(t.name)
			if t.name == "DECISIONS" {
				for _, d := range decisions {
					h.Text = append(h.Text, engine.T("b41.help.decision", "id", d, "text", engine.T("b41.help.decision."+d)))
				}
			}
			for i := range table {
				if table[i].topic != strings.ToLower(t.name) {
					continue
				}
				// Verbs that one sentence explains stand together.
				if n := len(h.Verbs); n > 0 && i > 0 && table[i-1].Key == table[i].Key {
					last := &h.Verbs[n-1]
					last.Name += ", " + table[i].Name
					at := len(last.Lines) - 1
					last.Lines = append(last.Lines[:at:at], engine.T("b41.help.usage", "usage", engine.Form(table[i].Usage)), last.Lines[at])
					continue
				}
				h.Verbs = append(h.Verbs, table[i].help())
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
	h.Unknown = true
	h.Text = append(h.Text, engine.T("b41.help.unknown", "topic", words, "suggest", orders.Suggest(words, append(topicNames(), l.grammar.Names("")...))),
		engine.T("b41.help.topics", "topics", topicNames()))
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
	h := VerbHelp{Name: v.Name, Lines: []engine.Text{engine.T(v.Key), engine.T("b41.help.usage", "usage", engine.Form(v.Usage))}}
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

// decision is the id of a decision in words: D04, or D4.
func decision(words string) (string, bool) {
	if len(words) == 2 {
		words = words[:1] + "0" + words[1:]
	}
	return words, slices.Contains(decisions, words)
}

// ruleHelp names a paragraph and those below it, or tells a ruling.
func ruleHelp(number string) Help {
	number = strings.TrimPrefix(strings.TrimSuffix(strings.ReplaceAll(number, " ", ""), "."), "B41-")
	var h Help
	if number == "" {
		h.Text = append(h.Text, engine.T("b41.help.ruleform"))
		return h
	}
	if r, ok := game.RulingOf(number); ok {
		h.Text = append(h.Text, engine.T("b41.help.ruling", "id", r.ID, "text", r.Question), engine.T("b41.help.ruling.played", "text", r.Played))
		if r.Other != "" {
			h.Text = append(h.Text, engine.T("b41.help.ruling.other", "text", r.Other))
		}
		if r.Why != "" {
			h.Text = append(h.Text, engine.T("b41.help.ruling.why", "text", r.Why))
		}
		return h
	}
	if index, err := rulebook.Load("blitz41"); err == nil {
		for _, r := range index.Under(number) {
			h.Rules = append(h.Rules, engine.T("b41.help.rule", "number", r.Number(), "title", r.Title, "status", string(r.Status), "rulings", rulingsIn(r.Note)))
		}
	}
	if len(h.Rules) == 0 {
		h.Unknown = true
		h.Text = append(h.Text, engine.T("b41.help.norule", "rule", number))
	}
	return h
}

// rulingsIn are the numbers of the rulings that a note of the index names.
func rulingsIn(note string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(note, func(c rune) bool { return c == ' ' || c == ',' }) {
		if n, ok := strings.CutPrefix(w, "B41-A"); ok {
			out = append(out, "A"+n)
		}
	}
	return out
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
	b.WriteString(strings.TrimSpace("HELP "+h.Words) + "\n")
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
