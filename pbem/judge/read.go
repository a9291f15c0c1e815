// Package judge says what a mail asks for before any game has seen it: which
// sheets it holds, whether its different sides agree, who sent it, and whether
// it was here before. The post office and the command pbemd orders judge by the
// same functions.
//
// [Read] promises never to choose between two versions of the same orders, and
// to give a reason whenever there is nothing to execute.
//
// It relies on pbem/message, pbem/auth and orders. It won't look at a game: no
// unit, no hex, no rule.
package judge

import (
	"strings"

	"pbemd/orders"
	"pbemd/pbem/message"
)

// Notice is why a mail of a known player was not taken.
type Notice string

// The notices.
const (
	NoOrders      Notice = "no-orders"
	Unterminated  Notice = "unterminated"
	Conflict      Notice = "conflict"
	UnknownGame   Notice = "unknown-game"
	BadCharacters Notice = "bad-characters"
	Unreadable    Notice = "unreadable"
	Encrypted     Notice = "encrypted"
	TooLarge      Notice = "too-large"
	Late          Notice = "late"
)

// Refusal is a sheet that was there and can't be taken.
type Refusal struct {
	Game   string
	Line   int
	Notice Notice
}

// Reading is what the text of a mail says. Notice is set when it holds no sheet
// that could be executed; What names the part that could not be read.
type Reading struct {
	Sheets   []orders.Sheet
	Findings []orders.Finding
	Refused  []Refusal
	Notice   Notice
	What     string
	Quoted   []orders.Sheet // sheets that stand in quoted text only
	Text     string         // everything that was said, for telling mails apart
}

// Of gives the findings that lie within a sheet.
func (r Reading) Of(s orders.Sheet) []orders.Finding {
	var out []orders.Finding
	for _, f := range r.Findings {
		if f.Line >= s.Line && f.Line <= s.Last {
			out = append(out, f)
		}
	}
	return out
}

// Games lists the games whose sheets the mail holds, taken or refused.
func (r Reading) Games() []string {
	var out []string
	add := func(g string) {
		for _, o := range out {
			if o == g {
				return
			}
		}
		out = append(out, g)
	}
	for _, s := range r.Sheets {
		add(s.Game)
	}
	for _, f := range r.Refused {
		add(f.Game)
	}
	return out
}

// Grammars gives the grammar of a game's sheets. A nil one means the generic
// grammar for all.
type Grammars func(game string) orders.Grammar

// view is the sheets of one side of a mail.
type view struct {
	name     string
	attached bool
	cut      bool
	sheets   []orders.Sheet
	open     []orders.Finding // unterminated
	clash    []orders.Finding // conflicts within the view
	other    []orders.Finding
}

func (v view) empty() bool {
	for _, f := range v.other {
		if f.Code == orders.TooMany {
			return false
		}
	}
	return len(v.sheets) == 0 && len(v.open) == 0
}

// Read reads the sheets of a mail from all its sides and compares them: equal
// ones count once, different ones contradict each other.
func Read(m *message.Mail, g Grammars) Reading {
	var r Reading
	var body, attached []view
	var text strings.Builder
	for _, v := range m.Views {
		one := readView(v, g)
		if one.empty() && len(one.other) == 0 {
			continue
		}
		for _, s := range one.sheets {
			text.WriteString(orders.Format(s))
		}
		for _, f := range one.open {
			text.WriteString(f.String())
		}
		if one.attached {
			attached = append(attached, one)
		} else {
			body = append(body, one)
		}
	}
	refused := map[string]Notice{}
	refuse := func(game string, line int, n Notice) {
		if _, had := refused[game]; !had {
			refused[game] = n
			r.Refused = append(r.Refused, Refusal{game, line, n})
		}
	}
	took := map[string]orders.Sheet{}
	cut := false
	take := func(v view) {
		for _, f := range v.open {
			refuse(f.Args["game"].(string), f.Line, Unterminated)
		}
		for _, f := range v.clash {
			refuse(f.Args["game"].(string), f.Line, Conflict)
		}
		for _, f := range v.other {
			if f.Code == orders.TooMany {
				refuse(f.Args["game"].(string), f.Line, TooLarge)
				r.Findings = append(r.Findings, f)
			}
		}
		for _, s := range v.sheets {
			if had, ok := took[s.Game]; ok {
				if !orders.Equal(had, s) {
					refuse(s.Game, s.Line, Conflict)
				}
				continue
			}
			took[s.Game] = s
			r.Sheets = append(r.Sheets, s)
			for _, f := range v.other {
				if f.Code != orders.TooMany && f.Line >= s.Line && f.Line <= s.Last {
					r.Findings = append(r.Findings, f)
					if f.Code == orders.BadCharacters {
						refuse(s.Game, f.Line, BadCharacters)
					}
				}
			}
		}
		r.Findings = append(r.Findings, v.open...)
		r.Findings = append(r.Findings, v.clash...)
		cut = cut || v.cut
	}
	var first *view
	for i := range body {
		if body[i].empty() {
			continue
		}
		if first == nil {
			first = &body[i]
			take(*first)
			continue
		}
		for _, game := range differences(*first, body[i]) {
			refuse(game, 0, Conflict)
		}
	}
	for _, v := range attached {
		take(v)
	}
	kept := r.Sheets[:0]
	for _, s := range r.Sheets {
		if _, bad := refused[s.Game]; !bad {
			kept = append(kept, s)
		}
	}
	r.Sheets = kept
	if len(r.Sheets) == 0 {
		r.Notice, r.What = reason(m, r, cut)
		if r.Notice == NoOrders {
			r.Quoted = quotedSheets(m, g)
			for _, v := range body { // a heading that is none explains it
				r.Findings = append(r.Findings, v.other...)
			}
		}
	}
	if text.Len() == 0 {
		for _, v := range m.Views {
			text.WriteString(strings.Join(v.Lines, "\n"))
		}
	}
	r.Text = text.String()
	return r
}

// reason says why there is no sheet to execute.
func reason(m *message.Mail, r Reading, cut bool) (Notice, string) {
	if len(r.Refused) > 0 {
		n := r.Refused[0].Notice
		if n == Unterminated && cut {
			n = TooLarge
		}
		return n, ""
	}
	switch {
	case m.TooLarge:
		return TooLarge, ""
	case m.Encrypted:
		return Encrypted, ""
	case m.Winmail:
		return Unreadable, "winmail.dat"
	case m.Unreadable:
		return Unreadable, ""
	case m.Document != "":
		return Unreadable, m.Document
	}
	return NoOrders, ""
}

func readView(v message.View, g Grammars) view {
	one := view{name: v.Name, attached: v.Attachment, cut: v.Cut}
	sheets, found := orders.ParseRaw(v.Lines, v.Raw, orders.Generic())
	if g != nil {
		sheets, found = reread(v, sheets, found, g)
	}
	one.sheets = sheets
	for _, f := range found {
		switch f.Code {
		case orders.Unterminated:
			one.open = append(one.open, f)
		case orders.Conflict:
			one.clash = append(one.clash, f)
		default:
			one.other = append(one.other, f)
		}
	}
	return one
}

// reread reads each sheet with the grammar of its game.
func reread(v message.View, sheets []orders.Sheet, found []orders.Finding, g Grammars) ([]orders.Sheet, []orders.Finding) {
	var outS []orders.Sheet
	var outF []orders.Finding
	for _, f := range found {
		if f.Code == orders.Unterminated || f.Code == orders.Heading || f.Code == orders.TooMany {
			outF = append(outF, f)
		}
	}
	done := map[string]bool{}
	for _, s := range sheets {
		if done[s.Game] {
			continue
		}
		done[s.Game] = true
		mine, f := orders.ParseRaw(v.Lines, v.Raw, g(s.Game))
		for _, t := range mine {
			if t.Game != s.Game {
				continue
			}
			outS = append(outS, t)
			for _, x := range f {
				if x.Code != orders.Unterminated && x.Code != orders.Conflict && x.Code != orders.TooMany && x.Line >= t.Line && x.Line <= t.Last {
					outF = append(outF, x)
				}
			}
		}
		for _, x := range f {
			if x.Code == orders.Conflict && x.Args["game"] == s.Game {
				outF = append(outF, x)
			}
		}
	}
	return outS, outF
}

// differences lists the games about which two sides of a mail disagree.
func differences(a, b view) []string {
	var out []string
	seen := map[string]bool{}
	one := func(x, y view) {
		for _, s := range x.sheets {
			same := false
			for _, t := range y.sheets {
				same = same || t.Game == s.Game && orders.Equal(s, t)
			}
			if !same && !seen[s.Game] {
				seen[s.Game] = true
				out = append(out, s.Game)
			}
		}
	}
	one(a, b)
	one(b, a)
	return out
}

func quotedSheets(m *message.Mail, g Grammars) []orders.Sheet {
	for _, v := range m.Views {
		q := message.View{Name: v.Name, Lines: v.Quoted, Raw: v.Quoted}
		if one := readView(q, g); len(one.sheets) > 0 {
			return one.sheets
		}
	}
	return nil
}
