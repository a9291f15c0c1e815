package dice

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	beginRecord = "-----BEGIN PBEM RECORD-----"
	endRecord   = "-----END PBEM RECORD-----"
	beginOrders = "-----BEGIN PBEM ORDERS-----"
	endOrders   = "-----END PBEM ORDERS-----"
)

// Armour is the record as it stands in a mail or a transcript.
func (r Record) Armour() string { return beginRecord + "\n" + string(r.Text()) + endRecord + "\n" }

// Orders shows what a C was made of. It isn't signed and needn't be: C binds it.
type Orders struct {
	Record Hash // the sheet or close record that holds C
	Player string
	Opener *Hash // nil as long as only the server may know it
	Lines  []string
}

// Text is the block between its armour lines.
func (o Orders) Text() []byte {
	w := &writer{}
	w.hash("record", o.Record)
	w.word("player", o.Player)
	if o.Opener == nil {
		w.word("opener", "-")
	} else {
		w.hash("opener", *o.Opener)
	}
	for _, l := range o.Lines {
		w.text("order", l)
	}
	return w.Bytes()
}

// Armour is the block as it stands in a receipt or a transcript.
func (o Orders) Armour() string { return beginOrders + "\n" + string(o.Text()) + endOrders + "\n" }

// ParseOrders reads what Text writes.
func ParseOrders(text []byte) (Orders, error) {
	lines := strings.Split(string(text), "\n")
	if len(text) > MaxRecord || lines[len(lines)-1] != "" {
		return Orders{}, fmt.Errorf("orders: too long, or no line feed at the end")
	}
	p := &reader{lines: lines[:len(lines)-1]}
	o := Orders{Record: p.hash("record"), Player: p.word("player")}
	if p.next("opener", "-") {
		p.word("opener")
	} else {
		h := p.hash("opener")
		o.Opener = &h
	}
	for p.at("order") {
		l := p.text("order")
		if strings.Contains(l, "\n") {
			p.fail("one line of them is two")
		}
		o.Lines = append(o.Lines, l)
	}
	if p.err == nil && len(p.lines) > 0 {
		p.fail("the line %q doesn't belong there", clip(p.lines[0]))
	}
	if p.err == nil && string(o.Text()) != string(text) {
		p.fail("they aren't written in the one way that counts")
	}
	if p.err != nil {
		return Orders{}, fmt.Errorf("orders: %w", p.err)
	}
	return o, nil
}

// Found is the text between two armour lines, and where it was found.
type Found struct {
	Where string // file and part, for words only
	Text  string
	Came  time.Time // when the mail reached its reader's mailbox; zero if unknown
}

// Pile is everything found in a heap of mails or in a transcript.
type Pile struct {
	Records []Found
	Orders  []Found
}

// Add finds the armoured blocks in a text. It undoes what mail programs do to
// whole lines, quotation marks and blanks at their ends, and leaves what they
// do inside lines to [Check].
func (p *Pile) Add(where, text string) { p.AddMail(where, text, time.Time{}) }

// AddMail is Add for a text from a mail that reached its reader's mailbox at a
// time, the zero time if that isn't known.
func (p *Pile) AddMail(where, text string, came time.Time) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\u00a0", " ")
	var body []string
	var end string
	flush := func() {
		f := Found{where, strings.Join(body, "\n") + "\n", came}
		switch {
		case strings.TrimSpace(f.Text) == "": // the marks alone, in somebody's words
		case end == endRecord:
			p.Records = append(p.Records, f)
		default:
			p.Orders = append(p.Orders, f)
		}
		body, end = nil, ""
	}
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(strings.TrimLeft(line, ">| \t"), " \t")
		switch bare := strings.TrimPrefix(line, "- "); bare {
		case beginRecord, beginOrders:
			if end != "" { // cut off
				flush()
			}
			body, end = nil, strings.Replace(bare, "BEGIN", "END", 1)
			continue
		case endRecord, endOrders:
			if bare == end {
				flush()
			}
			continue
		}
		if end != "" {
			body = append(body, line)
		}
	}
	if end != "" {
		flush()
	}
}

// mend gives the text of a block with its wrapped lines put together, in the
// ways a mail program may have wrapped them: at blanks; anywhere; or at blanks,
// and words that fill a line anywhere, where a line one short of full has lost
// the blank at its end.
func mend(text string) []string {
	var parts []string
	full := 0
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" { // an empty line is no line of a record
			parts = append(parts, line)
			full = max(full, utf8.RuneCountInString(line))
		}
	}
	var out []string
	for _, glue := range []func(before string) string{
		func(string) string { return " " },
		func(string) string { return "" },
		func(before string) string {
			if utf8.RuneCountInString(before) == full {
				return ""
			}
			return " "
		},
	} {
		var b strings.Builder
		for i, line := range parts {
			switch {
			case i == 0:
			case named(line):
				b.WriteByte('\n')
			default:
				b.WriteString(glue(parts[i-1]))
			}
			b.WriteString(line)
		}
		b.WriteByte('\n')
		if t := b.String(); !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// squeeze leaves out what mail programs add and take away: blanks, ends of lines,
// and all that isn't ASCII.
func squeeze(text string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return -1
		}
		return r
	}, text)
}

// named tells whether a line begins like one of a record.
func named(line string) bool {
	name, _, ok := strings.Cut(line, ":")
	return ok && fieldNames[name]
}

var fieldNames = map[string]bool{}

func init() {
	for name := range strings.FieldsSeq(`game player rules build data dice seal links beacon key hidden time
		step phase side c salt d round roll show answer sent grade what key-sig reason steps result
		mark prev sig record opener order`) {
		fieldNames[name] = true
	}
}
