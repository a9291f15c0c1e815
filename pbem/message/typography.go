package message

import (
	"strings"
	"unicode"
	"unicode/utf8"

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
	for _, k := range []string{"arrows", "bullets", "compatibility", "dashes", "emphasis", "invisible", "links", "quotes", "spaces"} {
		if w.m[k] {
			out = append(out, k)
		}
	}
	return out
}

func normalise(line string, w *wordSet) string {
	s := line
	if !plainASCII(s) {
		s = unicodeForms(s, w)
	}
	if strings.IndexByte(s, '\t') >= 0 {
		w.add("spaces")
		s = strings.ReplaceAll(s, "\t", " ")
	}
	s = dropLinks(s, w)
	s = strings.TrimSpace(s)
	if t := unbullet(s); t != s {
		w.add("bullets")
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
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

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
