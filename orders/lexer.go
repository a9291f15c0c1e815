package orders

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/runenames"
)

// Kind is what a token is.
type Kind int

// The kinds of tokens. A word that looks like a hex of the game is a Hex, a
// word of digits an Int; units and everything else are Words.
const (
	EOL Kind = iota
	Word
	Int
	Hex
	Quoted
	Sign // - + , : * / = < > <= >= ( )
)

// Token is one word or sign of a line. Pos is where it begins in Line.Text.
type Token struct {
	Kind Kind
	Text string // canonical; of a Quoted token without its quotes
	Pos  int
}

// canonical gives one line its canonical form: upper case outside quotes, one
// blank between words, none round dashes, comments and closing punctuation cut
// off, arrows between hexes turned into dashes.
func (x *lexer) canonical(line string) string {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == ';' {
		return ""
	}
	var b strings.Builder
	b.Grow(len(line))
	quoted, gap := false, false
	for _, r := range line {
		if quoted {
			b.WriteRune(r)
			quoted = r != '"'
			continue
		}
		switch {
		case r == '#':
			goto done
		case r == ' ' || r == '\t' || r == '\u00a0':
			gap = true
			continue
		case r == '"':
			quoted = true
		}
		if gap && b.Len() > 0 {
			b.WriteByte(' ')
		}
		gap = false
		b.WriteRune(upper(r))
	}
done:
	s := b.String()
	if strings.ContainsAny(s, "->=") {
		for range 3 { // one arrow taken out may bring the ends of another together
			t := x.arrows(s)
			if t == s {
				break
			}
			s = t
		}
	}
	s = strings.TrimRight(s, " .")
	if strings.HasSuffix(s, ";") {
		s = strings.TrimRight(s[:len(s)-1], " ")
	}
	return s
}

// upper is the upper case of a letter, but never makes a foreign letter one of
// ours.
func upper(r rune) rune {
	if r < 0x80 {
		if r >= 'a' && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}
	if u := unicode.ToUpper(r); u >= 0x80 {
		return u
	}
	return r
}

// arrows turns ->, => and longer ones into dashes, and > where it stands
// between two hexes; it takes the blanks round dashes away.
func (x *lexer) arrows(s string) string {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		c := s[i]
		if c == '"' {
			j := strings.IndexByte(s[i+1:], '"')
			if j < 0 {
				b = append(b, s[i:]...)
				break
			}
			b = append(b, s[i:i+j+2]...)
			i += j + 2
			continue
		}
		j := i
		for j < len(s) && s[j] == c && (c == '-' || c == '=') {
			j++
		}
		switch {
		case j > i && j < len(s) && s[j] == '>' && (c == '-' || !number(leadWord(strings.TrimLeft(s[j+1:], " ")))):
			j++ // -> --> => ==>, but "ODDS => 3" is somebody's >=
		case c == '-' && j > i:
		case c == '>' && len(b) > 0 && b[len(b)-1] == '-': // ->>
			j = i + 1
		case c == '>' && (i+1 >= len(s) || s[i+1] != '=') && x.between(b, s[i+1:]):
			j = i + 1
		default:
			b = append(b, c)
			i++
			continue
		}
		b = bytes.TrimRight(b, " ")
		if len(b) == 0 || b[len(b)-1] != '-' {
			b = append(b, '-')
		}
		for j < len(s) && s[j] == ' ' {
			j++
		}
		i = j
	}
	return string(b)
}

// number says that a word is a small number and no hex.
func number(w string) bool { return w != "" && len(w) < 4 && strings.Trim(w, "0123456789") == "" }

// between says that the last word before and the first word after are hexes or
// places.
func (x *lexer) between(before []byte, after string) bool {
	before = bytes.TrimRight(before, " ")
	i := len(before)
	for i > 0 && len(before)-i < 40 && wordByte(before[i-1]) {
		i--
	}
	return x.spot(string(before[i:])) && x.spot(leadWord(strings.TrimLeft(after, " >")))
}

func (x *lexer) spot(w string) bool {
	if w == "" {
		return false
	}
	if _, ok := x.Hex(w); ok {
		return true
	}
	return x.Place != nil && x.Place(w)
}

// formSigns are the signs of the form of an order, copied by mistake.
var formSigns = map[rune]bool{'[': true, ']': true, '|': true, '…': true}

func formSign(no int, r rune) Finding {
	f := finding(no, Character, "char", string(r))
	f.Key = "orders.form-sign"
	return f
}

// tokens cuts a canonical text into tokens, corrects the spelling of hexes, and
// finds characters that have no place in orders. It gives the text with the
// corrections in it.
func (x *lexer) tokens(no int, text string) (out string, toks []Token, notes []Note, found []Finding) {
	toks = make([]Token, 0, strings.Count(text, " ")+strings.Count(text, "-")*2+4)
	told := map[rune]bool(nil)
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ' ':
			i++
		case c == '"':
			j := strings.IndexByte(text[i+1:], '"')
			if j < 0 {
				found = append(found, finding(no, Quotes, "text", text[i:]))
				toks = append(toks, Token{Quoted, text[i+1:], i})
				i = len(text)
				break
			}
			toks = append(toks, Token{Quoted, text[i+1 : i+1+j], i})
			i += j + 2
		case wordByte(c):
			j := i
			for j < len(text) && (wordByte(text[j]) || text[j] == '.' && j+1 < len(text) && wordByte(text[j+1])) {
				j++
			}
			w := text[i:j]
			for _, r := range w {
				if r >= 0x80 && !told[r] {
					if f, bad := judgeRune(no, r, w); bad {
						if told == nil {
							told = map[rune]bool{}
						}
						told[r] = true
						found = append(found, f)
					}
				}
			}
			toks = append(toks, Token{wordKind(w), w, i})
			i = j
		case (c == '<' || c == '>') && i+1 < len(text) && text[i+1] == '=':
			toks = append(toks, Token{Sign, text[i : i+2], i})
			i += 2
		case strings.IndexByte("-+,:*/=<>()", c) >= 0:
			toks = append(toks, Token{Sign, text[i : i+1], i})
			i++
		default:
			r := rune(c)
			if c < ' ' || c == 0x7f {
				found = append(found, finding(no, BadCharacters, "code", fmt.Sprintf("U+%04X", r)))
			} else if formSigns[r] {
				if !told['['] {
					if told == nil {
						told = map[rune]bool{}
					}
					told['['] = true
					found = append(found, formSign(no, r))
				}
			} else if !told[r] {
				if told == nil {
					told = map[rune]bool{}
				}
				told[r] = true
				found = append(found, finding(no, Character, "char", string(r), "code", fmt.Sprintf("U+%04X", r), "name", strings.ToLower(runenames.Name(r)), "word", string(r)))
			}
			toks = append(toks, Token{Sign, string(r), i})
			i++
		}
	}
	out = text
	if len(found) == 0 {
		out, toks, notes = x.hexes(text, toks)
	} else {
		for i := range toks {
			if _, ok := x.Hex(toks[i].Text); ok && toks[i].Kind != Quoted {
				toks[i].Kind = Hex
			}
		}
	}
	return out, toks, notes, found
}

func wordKind(w string) Kind {
	if strings.Trim(w, "0123456789") == "" {
		return Int
	}
	return Word
}

// hexes spells hexes canonically: K07 and KO7, with Rows also "K 7", K-7 and a
// row O written as a zero between the hexes of a path.
func (x *lexer) hexes(text string, toks []Token) (string, []Token, []Note) {
	var notes []Note
	out := make([]Token, 0, len(toks))
	isSign := func(i int, s string) bool {
		return i >= 0 && i < len(toks) && toks[i].Kind == Sign && toks[i].Text == s
	}
	plain := func(i int) bool {
		if i < 0 || i >= len(toks) || toks[i].Kind != Word && toks[i].Kind != Int {
			return false
		}
		_, ok := x.Hex(toks[i].Text)
		return ok
	}
	changed := false
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		if t.Kind != Word && t.Kind != Int {
			out = append(out, t)
			continue
		}
		if h, ok := x.Hex(t.Text); ok {
			if h != t.Text {
				notes = append(notes, Note{t.Text, h})
				changed = true
			}
			out = append(out, Token{Hex, h, t.Pos})
			continue
		}
		if x.Rows && t.Kind == Word && rows(t.Text) == len(t.Text) {
			// "K 7"; "K-7", unless K-7 is a piece of something longer
			j := i + 1
			gap := ""
			if isSign(j, "-") && !isSign(i-1, "-") {
				gap = "-"
				j++
			} else if isSign(j, "-") && i >= 2 && len(out) >= 2 && out[len(out)-2].Kind == Hex {
				gap = "-" // the next hex of a path of such hexes
				j++
			}
			if j < len(toks) && toks[j].Kind == Int && len(toks[j].Text) <= 2 && (gap == "-" || !direction(t.Text) || spotWord(out)) {
				if h, ok := x.Hex(t.Text + toks[j].Text); ok && (gap != "-" || !odds(toks, j)) {
					was := t.Text + " " + toks[j].Text
					if gap == "-" {
						was = t.Text + "-" + toks[j].Text
					}
					notes = append(notes, Note{was, h})
					out = append(out, Token{Hex, h, t.Pos})
					changed = true
					i = j
					continue
				}
			}
		}
		if x.Rows && t.Kind == Int && len(t.Text) >= 2 && len(t.Text) <= 3 && t.Text[0] == '0' &&
			(isSign(i-1, "-") && plain(i-2) || isSign(i+1, "-") && plain(i+2)) {
			if h, ok := x.Hex("O" + t.Text[1:]); ok {
				notes = append(notes, Note{t.Text, h})
				out = append(out, Token{Hex, h, t.Pos})
				changed = true
				continue
			}
		}
		out = append(out, t)
	}
	if !changed {
		return text, out, nil
	}
	// write the text anew from the tokens, with the blanks that were between them
	var b strings.Builder
	for k := range out {
		if k > 0 && (out[k].Pos > 0 && text[out[k].Pos-1] == ' ') {
			b.WriteByte(' ')
		}
		out[k].Pos = b.Len()
		if out[k].Kind == Quoted {
			b.WriteString(`"` + out[k].Text + `"`)
		} else {
			b.WriteString(out[k].Text)
		}
	}
	return b.String(), out, notes
}

// direction knows the words that look like a row but may be a direction.
func direction(w string) bool { return w == "E" || w == "W" }

// spotWord says that the word before asks for a hex.
func spotWord(before []Token) bool {
	if len(before) == 0 {
		return false
	}
	switch before[len(before)-1].Text {
	case "TO", "FROM", "AT", "TOWARD", "AWAY", "PROBE", "ATTACK", "ASSAULT", "MA", "HEX", "IN", "VIA", "GO":
		return true
	}
	return false
}

// odds says that the number at j goes on as a ratio or range, as in A-1-3.
func odds(toks []Token, j int) bool {
	return j+2 < len(toks) && toks[j+1].Text == "-" && toks[j+2].Kind == Int
}

// judgeRune says what is wrong with a character beyond ASCII in a word.
func judgeRune(no int, r rune, word string) (Finding, bool) {
	code := fmt.Sprintf("U+%04X", r)
	name := strings.ToLower(runenames.Name(r))
	if ours, ok := lookalike(r); ok {
		return finding(no, Homoglyph, "char", string(r), "code", code, "name", name, "ours", string(ours), "word", word), true
	}
	if unicode.Is(unicode.Latin, r) && unicode.IsLetter(r) {
		return Finding{}, false // a name may have it; the game will say whether it knows the name
	}
	if unicode.IsControl(r) {
		return finding(no, BadCharacters, "code", code), true
	}
	if formSigns[r] {
		return formSign(no, r), true
	}
	return finding(no, Character, "char", string(r), "code", code, "name", name, "word", word), true
}

// lookalike gives the ASCII letter that a letter of another script, in upper
// case, is drawn like.
func lookalike(r rune) (rune, bool) {
	const theirs = "АВЕЅІЈКМНОРСТУХҮԀԛԜԌҺӀЁЇЬЗ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹ" + "ՍՕԼՏ" + "ᎪᏴᏟᎠᎬᏀᎻᎥᎫᏦᏞᎷᏃᎢᏢᏒᏚᎳᏙ" + "ıȷɑɡ"
	const ours = "ABESIJKMHOPCTYXYDQWGHIEIB3" + "ABEZHIKMNOPTYXC" + "UOLS" + "ABCDEGHIJKLMNTPRSWV" + "IJAG"
	i := 0
	for _, t := range theirs {
		if t == r {
			return rune(ours[i]), true
		}
		i++
	}
	return 0, false
}
