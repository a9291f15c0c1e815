package pbem

import (
	"fmt"
	"strings"
	"time"

	"pbemd/engine"
	"pbemd/orders"
	"pbemd/pbem/message"
	"pbemd/templates"
)

// Plain is a [Reporter] that writes everything as plain text, without layout
// and pictures. The operator reads letters by it, and mails fall back to it
// when the templates of a report fail.
type Plain struct{}

// Report implements [Reporter].
func (Plain) Report(l Letter) (Parts, error) {
	lang, err := templates.Load(l.Lang)
	if err != nil {
		return Parts{}, err
	}
	p := &page{l: l, say: lang.Say}
	p.write()
	parts := Parts{Subject: l.Subject(lang.Say), Text: p.String(), Attachments: l.Files}
	if len(l.Records) > 0 {
		parts.Attachments = append(parts.Attachments, message.Attachment{
			Name: fmt.Sprintf("game%v-proof-%d.txt", l.Game, l.No),
			Data: []byte(strings.Join(append(append([]string{}, l.Records...), l.Openers...), "\n")),
		})
	}
	return parts, nil
}

type page struct {
	strings.Builder
	l   Letter
	say func(engine.Text) string
}

func (p *page) line(form string, args ...any) { fmt.Fprintf(&p.Builder, form+"\n", args...) }

// head opens a paragraph if it will have lines.
func (p *page) head(key string, n int) bool {
	if n > 0 {
		p.line("\n%s", p.say(engine.T("office.head."+key)))
	}
	return n > 0
}

func (p *page) write() {
	l := p.l
	for _, t := range l.Lead {
		p.line("%s", p.say(t))
	}
	p.receipt()
	p.question()
	if p.head("items", len(l.Items)) {
		for _, i := range l.Items {
			p.item(i)
		}
	}
	if l.Words != "" {
		p.line("\n%s", l.Words)
	}
	for _, t := range l.Notices {
		p.line("%s", p.say(t))
	}
	if p.head("standing", len(l.Standing)+len(l.Ask)) {
		p.lines(l.Standing)
		for _, a := range l.Ask {
			p.line("STANDING ASK %s", a)
		}
	}
	for _, h := range l.HelpText {
		p.line("\n%s", h)
	}
	for _, h := range l.Help {
		lang, err := templates.Load(l.Lang)
		if err != nil {
			continue
		}
		if text, ok := lang.Page(h); ok {
			p.line("\n%s", text)
		} else {
			p.line("\n%s", p.say(engine.T("office.help.none", "topic", h)))
		}
	}
	p.view()
	if p.head("draft", len(l.Draft)) {
		p.lines(l.Draft)
	}
	if p.head("quoted", len(l.Quoted)) {
		p.lines(l.Quoted)
	}
	if p.head("template", len(l.Template)) {
		p.lines(l.Template)
	}
	if l.No > 0 {
		p.line("\n%s", p.say(engine.T("office.number", "no", l.No)))
	}
	if l.Head != "" {
		p.line("\n%s", p.say(engine.T("office.proof", "head", l.Head, "grade", l.Grade)))
	}
	for _, r := range append(append([]string{}, l.Records...), l.Openers...) {
		p.line("\n%s", r)
	}
}

func (p *page) lines(list []string) {
	for _, s := range list {
		p.line("%s", s)
	}
}

var signs = map[engine.Mark]string{
	engine.Good: "✓", engine.Depends: "?", engine.Bad: "✗", engine.Skipped: "–", engine.Halted: "✗",
	engine.NotYet: "…", engine.Stopped: "?", engine.Untested: "?",
}

func (p *page) receipt() {
	for _, f := range p.l.Findings {
		p.line("%s", p.say(findingText(f)))
	}
	for _, l := range p.l.Lines {
		sign := "✓"
		switch {
		case len(l.Findings) > 0:
			sign = "✗"
		case l.Verdict != nil:
			sign = signs[l.Verdict.Mark]
		case !l.Request && p.l.Word == WordNotAccepted: // it never came to that
			sign = "–"
		}
		p.line("%3d %s %s", l.Line, sign, l.Text)
		for _, f := range l.Findings {
			p.line("      %s", p.say(findingText(f)))
		}
		v := l.Verdict
		if v == nil {
			continue
		}
		if v.Mark == engine.Depends {
			p.line("      %s", p.say(engine.T("office.depends", "line", v.On)))
		}
		if r := v.Refusal; r != nil {
			if r.Rule == "" {
				p.line("      %s", p.say(r.Text))
			} else {
				p.line("      %s (%s)", p.say(r.Text), r.Rule.Number())
			}
			for _, h := range r.Hints {
				p.line("      %s", p.say(h))
			}
		}
		for _, i := range v.Preview {
			p.item(i)
		}
	}
	for _, r := range p.l.ReadAs {
		p.line("%s", p.say(engine.T("office.read-as", "line", r.Line, "was", r.Was, "as", r.As)))
	}
	if len(p.l.Normalised) > 0 {
		p.line("%s", p.say(engine.T("office.normalised", "words", p.l.Normalised)))
	}
}

// findingText is the sentence of a finding.
func findingText(f orders.Finding) engine.Text { return engine.Text{Key: f.Key, Args: f.Args} }

func (p *page) item(i engine.Item) {
	rule := ""
	if i.Rule != "" {
		rule = " (" + i.Rule.Number() + ")"
	}
	p.line("  %s%s", p.say(i.Text), rule)
	if i.Card != nil {
		p.card(i.Card)
	}
}

func (p *page) card(c *engine.Card) {
	p.line("    %s", p.say(c.Title))
	for _, a := range []engine.Army{c.Attacker, c.Defender} {
		for _, u := range a.Units {
			p.line("      %s %s %s", u.Name, u.Hex, u.Face)
		}
		p.line("      %s", p.say(a.Strength))
	}
	p.line("    %s", p.say(c.Odds))
	for _, f := range c.Factors {
		p.line("      %s %s (%s)", p.say(f.Text), f.Amount, f.Rule.Number())
	}
	if c.Roll != nil {
		p.line("    %s: %v", p.say(c.Roll.For), c.Roll.Values)
	}
	for _, list := range [][]engine.Text{c.Result, c.Decided, c.Possible} {
		for _, t := range list {
			p.line("    %s", p.say(t))
		}
	}
}

func (p *page) question() {
	q := p.l.Question
	if q == nil {
		return
	}
	p.line("\n%s", p.say(q.Question.Text))
	if q.Question.Card != nil {
		p.card(q.Question.Card)
	}
	for i, o := range q.Question.Options {
		p.line("  %s  %s  %s", OptionLetter(i), o.Clause, p.say(o.Text))
	}
	p.line("%s", p.say(engine.T("office.question.default", "letter", OptionLetter(q.Question.Default),
		"until", When(q.Deadline, p.l.Zone))))
}

func (p *page) view() {
	v := p.l.View
	if v == nil {
		return
	}
	p.line("\n%s", p.say(v.Title))
	for _, s := range v.Status {
		p.line("%s: %s", p.say(s.Label), p.say(s.Value))
	}
	for _, s := range v.Sections {
		p.line("\n%s", p.say(s.Title))
		for _, row := range s.Rows {
			cells := make([]string, len(row))
			for i, c := range row {
				cells[i] = p.say(c)
			}
			p.line("  %s", strings.Join(cells, "  "))
		}
		for _, n := range s.Notes {
			p.line("  %s", p.say(n))
		}
	}
	for _, o := range v.Options {
		p.line("%s", p.say(o))
	}
}

// When shows a time in a seat's zone, and in UTC where that differs:
// Fri 4 Dec, 21:00 CET (20:00 UTC).
func When(t time.Time, zone string) string {
	utc := t.UTC()
	loc, err := time.LoadLocation(zone)
	if err != nil || zone == "" || zone == "UTC" {
		return utc.Format("Mon 2 Jan, 15:04 UTC")
	}
	return t.In(loc).Format("Mon 2 Jan, 15:04 MST") + utc.Format(" (15:04 UTC)")
}
