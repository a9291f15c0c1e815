package message

import (
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

// NormaliseLine gives one line its plain form: Unicode compatibility forms,
// odd spaces, invisible marks, dashes, quotes and arrows become what a keyboard
// types, list marks and emphasis at the edges go, letter case stays. Control
// characters stay too: they are for the reader of the line to refuse. words
// names what was changed.
func NormaliseLine(line string) (text string, words []string) {
	var w wordSet
	return normalise(line, &w), w.list()
}

type wordSet struct{ m map[string]bool }

func (w *wordSet) add(s string) {
	if w.m == nil {
		w.m = map[string]bool{}
	}
	w.m[s] = true
}

func (w *wordSet) list() []string {
	var out []string
	for _, k := range []string{"arrows", "bullets", "charset", "compatibility", "dashes", "emphasis", "html", "invisible", "links", "quotes", "spaces"} {
		if w.m[k] {
			out = append(out, k)
		}
	}
	return out
}

func normalise(line string, w *wordSet) string {
	s := line
	if strings.IndexByte(s, '&') >= 0 && strings.IndexByte(s, ';') > 0 {
		if t := html.UnescapeString(s); t != s { // no order has a sign like that
			w.add("html")
			s = t
		}
	}
	if !plainASCII(s) {
		s = unicodeForms(untwice(s, w), w)
	}
	if strings.IndexByte(s, '\t') >= 0 {
		w.add("spaces")
		s = strings.ReplaceAll(s, "\t", " ")
	}
	s = dropLinks(s, w)
	s = strings.TrimSpace(s)
	if strings.IndexByte(s, '\\') >= 0 {
		if t := escaped.ReplaceAllString(s, "$1"); t != s {
			w.add("emphasis")
			s = t
		}
	}
	if t := unbullet(unbox(s)); t != s {
		w.add("bullets")
		s = t
	}
	if t := untail(s); t != s {
		w.add("emphasis")
		s = t
	}
	if len(s) <= maxMarked && strings.ContainsAny(s, "*_`~") {
		if t := unemphasise(s); t != s {
			w.add("emphasis")
			s = t
		}
	}
	return s
}

// escaped is a sign before which a program that thinks in Markdown sets a stroke.
var escaped = regexp.MustCompile(`\\([-*_.#>()\[\]+!~|` + "`" + `])`)

// unbox takes off pictures and boxes to tick at the beginning of a line.
func unbox(s string) string {
	for range 8 {
		t := s
		if r, n := utf8.DecodeRuneInString(s); n > 1 && picture(r) && len(s) > n {
			t = strings.TrimLeft(s[n:], " ")
		}
		bare := t
		if len(t) > 2 && (t[0] == '-' || t[0] == '*') && t[1] == ' ' {
			bare = strings.TrimLeft(t[2:], " ")
		}
		for _, box := range []string{"[ ] ", "[x] ", "[X] ", "[] "} {
			if rest, ok := strings.CutPrefix(bare, box); ok {
				t = strings.TrimLeft(rest, " ")
				break
			}
		}
		if t == s || t == "" {
			break
		}
		s = t
	}
	return s
}

// untail takes off pictures behind the last word.
func untail(s string) string {
	for s != "" && s[len(s)-1] >= 0x80 {
		r, n := utf8.DecodeLastRuneInString(s)
		t := strings.TrimRight(s[:len(s)-n], " ")
		if !picture(r) || t == "" {
			break
		}
		s = t
	}
	return s
}

// picture is a sign that stands for no word: an emoji, a tick, a dingbat.
func picture(r rune) bool {
	return (unicode.Is(unicode.So, r) || unicode.Is(unicode.Sk, r) && r >= 0x1f000) && !rightArrow(r)
}

// untwice mends spaces and signs that were turned into UTF-8 twice, or whose
// UTF-8 was read as windows-1252: "Â " and "â€“". Words are left alone.
func untwice(s string, w *wordSet) string {
	if !strings.ContainsAny(s, "Ââï") {
		return s
	}
	return twice.ReplaceAllStringFunc(s, func(m string) string {
		var b []byte
		for _, r := range m {
			if c, ok := charmap.Windows1252.EncodeRune(r); ok {
				b = append(b, c)
			} else {
				b = append(b, byte(r))
			}
		}
		r, n := utf8.DecodeRune(b)
		if n != len(b) || !(r == 0xa0 || r == 0xad || r == 0xb7 || r == 0xfeff || r >= 0x2000 && r <= 0x2060 || r >= 0x2190 && r <= 0x21ff || r == 0x2212) {
			return m
		}
		w.add("charset")
		return string(r)
	})
}

var twice = regexp.MustCompile(`Â[\x{80}-\x{bf}]|[âï].[^\x00-\x7f]`)

// maxMarked is the longest line in which emphasis is looked for, and the
// longest address taken for a printed link.
const maxMarked = 2000

func plainASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func unicodeForms(s string, w *wordSet) string {
	if r, n := utf8.DecodeRuneInString(strings.TrimLeft(s, " \t\u00a0")); n > 0 && (r >= 0x2460 && r <= 0x24ff || r >= 0x2776 && r <= 0x2793) {
		rest := strings.TrimLeft(s, " \t\u00a0")[n:]
		w.add("bullets")
		s = rest
	}
	// the dots of an ellipsis and the strokes of primes are no compatibility
	// matter to be told of; all the rest is
	if t := norm.NFKC.String(s); t != s {
		if !onlySpaces(s) {
			w.add("compatibility")
		}
		s = t
	}
	if strings.ContainsAny(s, "àè»›") {
		// Outlook's arrow without its font, and quotation marks that point from hex to hex
		for range 2 { // the hex between two of them belongs to both
			s = pointer.ReplaceAllStringFunc(s, func(m string) string {
				w.add("arrows")
				g := pointer.FindStringSubmatch(m)
				return g[1] + " -> " + g[2]
			})
		}
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		switch {
		case r < 0x80:
			b.WriteRune(r)
		case unicode.Is(unicode.Zs, r) || r == 0x2800 || r == 0x3164 || r == 0x1160 || r == 0x115f:
			w.add("spaces")
			b.WriteByte(' ')
		case unicode.Is(unicode.Cf, r), r >= 0xfe00 && r <= 0xfe0f, r == 0x034f, r >= 0xe0100 && r <= 0xe01ef:
			w.add("invisible")
		case unicode.Is(unicode.Pd, r) || r == 0x2212 || r == 0x2043:
			w.add("dashes")
			b.WriteByte('-')
		case strings.ContainsRune("“”„‟«»〝〞〟", r):
			w.add("quotes")
			b.WriteByte('"')
		case strings.ContainsRune("‘’‚‛‹›", r):
			w.add("quotes")
			b.WriteByte('\'')
		case rightArrow(r):
			w.add("arrows")
			b.WriteString("->")
		case r >= 0xf020 && r <= 0xf0ff && b.Len() == 0: // a mark in a font of signs
			w.add("bullets")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// pointer is a sign between two hexes that is an arrow there.
var pointer = regexp.MustCompile(`(\b[A-Za-z]{1,2}[0-9]{1,2}|\b[0-9]{4})\pZ*[àè»›]\pZ*([A-Za-z]{1,2}[0-9]{1,2}\b|[0-9]{4}\b)`)

// onlySpaces says that NFKC changed nothing but spaces.
func onlySpaces(s string) bool {
	for _, r := range s {
		if r >= 0x80 && !unicode.Is(unicode.Zs, r) {
			if t := norm.NFKC.String(string(r)); t != string(r) {
				return false
			}
		}
	}
	return true
}

func rightArrow(r rune) bool {
	switch r {
	case '→', '↝', '↠', '↣', '↦', '⇀', '⇁', '⇉', '⇒', '⇛', '⇝', '⇢', '⇥', '⇨', '⇰', '⇾', '⟶', '⟹', '⟼', '⟾',
		'➔', '➙', '➛', '➜', '➝', '➞', '➟', '➠', '➡', '➢', '➣', '➤', '➥', '➦', '➧', '➨', '➩', '➪', '➫', '➬', '➭', '➮', '➯',
		'⤍', '⤏', '⤐', '⤑', '⤖', '⤗', '⤘', '⤳', '⥤', '⥲', '⟴', '⟿', '⇴', '⇶', '⇸', '⇻', '🠆', '🠊', '🠒', '🠚', '🠞', '🠢', '🠦', '🠪', '🠮', '🠲', '🠶', '🠺', '🡆', '🢂', '🢒',
		'\uf0e0', '\uf0e8', '\uf0f0', // Wingdings
		'➱', '➲', '➳', '➵', '➸', '➺', '➻', '➼', '➽', '➾', '►', '▶', '▸', '▹', '▷', '▻', '⮕', '🠖', '🡒', '🡪', '🡺':
		return true
	}
	return false
}

// dropLinks takes out the address that a mail program prints behind a word it
// has made a link of, and the mark of an inline picture.
func dropLinks(s string, w *wordSet) string {
	for from := 0; ; {
		i := strings.IndexAny(s[from:], "<[")
		if i < 0 {
			return s
		}
		i += from
		end := byte('>')
		if s[i] == '[' {
			end = ']'
		}
		j := strings.IndexByte(s[i:min(len(s), i+maxMarked)], end)
		if j < 0 {
			from = i + 1
			continue
		}
		inner := strings.ToLower(s[i+1 : i+j])
		link := false
		for _, p := range []string{"http://", "https://", "tel:", "mailto:", "callto:", "sip:", "x-apple-data-detectors:", "cid:", "image:"} {
			link = link || strings.HasPrefix(strings.TrimSpace(inner), p)
		}
		if !link {
			from = i + 1
			continue
		}
		w.add("links")
		s = s[:i] + s[i+j+1:]
		from = i
	}
}

const bulletSigns = "•·*▪◦‣-●○■□◆◇▫⁃∙✓✔☐☑"

// unbullet takes a list mark off: a sign or a number, and a blank.
func unbullet(s string) string {
	if s == "" {
		return s
	}
	if strings.HasPrefix(s, "-> ") || strings.HasPrefix(s, "=> ") {
		if rest := strings.TrimLeft(s[3:], " "); rest != "" && !beginsWithHex(rest) {
			return rest
		}
		return s
	}
	r, n := utf8.DecodeRuneInString(s)
	if strings.ContainsRune(bulletSigns, r) {
		rest := strings.TrimLeft(s[n:], " ")
		if len(rest) == len(s[n:]) || rest == "" || r == '-' && beginsWithHex(rest) {
			return s
		}
		return rest
	}
	if strings.HasPrefix(s, "o  ") || strings.HasPrefix(s, "§ ") { // Word's round and square marks
		return strings.TrimLeft(s[n:], " ")
	}
	if rest := listMark.ReplaceAllString(s, ""); rest != s && rest != "" {
		return rest
	}
	t := s
	paren := t[0] == '('
	if paren {
		t = t[1:]
	}
	i := 0
	for i < len(t) && i < 3 && t[i] >= '0' && t[i] <= '9' {
		i++
	}
	letter := false
	if i == 0 && len(t) > 1 && (t[0] >= 'a' && t[0] <= 'z' || t[0] >= 'A' && t[0] <= 'Z') {
		i, letter = 1, true
	}
	if i == 0 || i >= len(t) || t[i] != ')' && (paren || t[i] != '.') {
		return s
	}
	rest := t[i+1:]
	trimmed := strings.TrimLeft(rest, " ")
	if trimmed == "" {
		return s
	}
	if len(trimmed) == len(rest) && (letter || !isLetter(trimmed[0])) {
		return s // "1.5", "K.7"
	}
	return trimmed
}

// listMark is the number of a list of several levels, a Roman one, or one in a key.
var listMark = regexp.MustCompile(`^(?:[0-9]{1,2}(?:\.[0-9]{1,2})+[.)]? +|\(?[ivx]{2,5}[.)] +|[0-9]\x{20e3} *)`)

func isLetter(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' }

// unemphasise takes off the marks that stand for bold, italic and code: round
// the whole line or round words.
func unemphasise(s string) string {
	for changed := true; changed; {
		changed = false
		for _, mark := range []string{"***", "**", "__", "~~", "*", "_", "`"} {
			if t, ok := peel(s, mark); ok {
				s, changed = t, true
			}
		}
	}
	return s
}

// peel removes one pair of marks that hug a stretch of words.
func peel(s, mark string) (string, bool) {
	n := len(mark)
	for i := 0; i+2*n < len(s); i++ {
		if !strings.HasPrefix(s[i:], mark) || s[i+n] == ' ' || s[i+n] == mark[0] || i > 0 && !edge(s[i-1]) {
			continue
		}
		for j := i + n + 1; j+n <= len(s); j++ {
			if strings.HasPrefix(s[j:], mark) && s[j-1] != ' ' && (j+n == len(s) || edge(s[j+n]) && s[j+n] != mark[0]) {
				return s[:i] + s[i+n:j] + s[j+n:], true
			}
		}
	}
	return s, false
}

func edge(c byte) bool { return strings.IndexByte(" ,;:.-+/()\"'>#*_`~", c) >= 0 }

// beginsWithHex says that a line begins with what may be a hex and so goes on
// with the path of the line above: its dash is no list mark.
func beginsWithHex(s string) bool {
	word := s
	if i := strings.IndexAny(s, " -,"); i >= 0 {
		word = s[:i]
	}
	i := 0
	for i < len(word) && i < 2 && isLetter(word[i]) {
		i++
	}
	digits := word[i:]
	return len(digits) > 0 && strings.Trim(digits, "0123456789") == "" && (i > 0 && len(digits) <= 2 || i == 0 && len(digits) == 4)
}
