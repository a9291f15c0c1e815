package message

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// textLine is one line of a part before it is normalised.
type textLine struct {
	text   string
	quoted bool // from within a quotation
	stop   bool // what follows is the message replied to
}

// htmlLines walks a document and gives its text as a reader sees it, line by
// line. Hidden text is skipped, quotations are marked, and the mark that
// Outlook sets before the message replied to ends the text.
func htmlLines(src string) []textLine {
	doc, err := html.Parse(strings.NewReader(src))
	if err != nil { // nested too deep
		return tokenLines(src)
	}
	h := &htmlWalk{}
	h.walk(doc, 0, !lineTag.MatchString(src), false)
	h.flush()
	return h.lines
}

// lineTag is an element that makes lines. A text without one, whatever its label
// says, has the lines that it was typed in.
var lineTag = regexp.MustCompile(`(?i)<(br|p|div|li|ul|ol|tr|td|th|table|pre|h[1-6]|blockquote|d[dt]|section|article|textarea)\b`)

// tagged says that a text labelled as plain is a document: it begins with a tag
// and has elements that make lines, and no heading of a sheet in the open.
func tagged(text string) bool {
	t := strings.TrimSpace(text)
	return len(t) > 4 && t[0] == '<' && (t[1] == '!' || isLetter(t[1])) && strings.Contains(t, "</") && lineTag.MatchString(t) && !headingLine.MatchString(t)
}

type htmlWalk struct {
	lines   []textLine
	cur     strings.Builder
	pending bool // a blank is due before the next word
	quoted  bool
	stopped bool
}

func (h *htmlWalk) flush() {
	h.lines = append(h.lines, textLine{text: strings.TrimRight(h.cur.String(), " "), quoted: h.quoted})
	h.cur.Reset()
	h.pending = false
}

// fresh begins a new line unless one has just begun.
func (h *htmlWalk) fresh() {
	if h.cur.Len() > 0 {
		h.flush()
	}
	h.pending = false
}

func (h *htmlWalk) text(s string, pre bool) {
	if pre {
		for i, l := range strings.Split(strings.ReplaceAll(s, "\r", ""), "\n") {
			if i > 0 {
				h.flush()
			}
			h.cur.WriteString(l)
		}
		return
	}
	for i := 0; i < len(s); {
		j := i
		for j < len(s) && !isBlank(s[j]) {
			j++
		}
		if j > i {
			if h.pending && h.cur.Len() > 0 {
				h.cur.WriteByte(' ')
			}
			h.pending = false
			h.cur.WriteString(s[i:j])
		}
		if j < len(s) {
			h.pending = true
		}
		for j < len(s) && isBlank(s[j]) {
			j++
		}
		i = j
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }

const maxHTMLDepth = 400

func (h *htmlWalk) walk(n *html.Node, depth int, pre, quoted bool) {
	if h.stopped || depth > maxHTMLDepth {
		return
	}
	switch n.Type {
	case html.TextNode:
		h.text(n.Data, pre)
		return
	case html.ElementNode:
	default:
		h.children(n, depth, pre, quoted)
		return
	}
	switch n.DataAtom {
	case atom.Head, atom.Style, atom.Script, atom.Title, atom.Template, atom.Noscript, atom.Object, atom.Select, atom.Iframe,
		atom.Del, atom.S, atom.Strike, atom.Svg, atom.Math:
		return
	case atom.Br:
		h.flush()
		return
	case atom.Hr:
		h.fresh()
		return
	case atom.Img:
		if alt := attr(n, "alt"); pictorial(alt) {
			h.text(alt, pre)
		}
		return
	}
	style := squeeze(attr(n, "style"))
	if hidden(n, style) {
		return
	}
	if replyMark(n) {
		h.fresh()
		h.lines = append(h.lines, textLine{quoted: true, stop: true})
		h.quoted = true
		h.children(n, depth, pre, true)
		h.fresh()
		return
	}
	if n.DataAtom == atom.Pre || n.DataAtom == atom.Textarea || strings.Contains(style, "white-space:pre") {
		pre = true
	} else if strings.Contains(style, "white-space:n") {
		pre = false
	}
	if font := attr(n, "face") + ";" + style; wingdings.MatchString(font) {
		h.signs(n, pre)
		return
	}
	if last := shell(n); last != nil && !quoted {
		h.fresh()
		own := false
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			h.quoted = !own
			h.lines = append(h.lines, textLine{quoted: !own})
			h.walk(c, depth+1, pre, !own)
			h.fresh()
			own = own || c == last
		}
		h.quoted = false
		return
	}
	if quotation(n) && !quoted {
		h.fresh()
		h.quoted = true
		h.lines = append(h.lines, textLine{quoted: true})
		h.children(n, depth, pre, true)
		h.fresh()
		h.quoted = false
		return
	}
	switch n.DataAtom {
	case atom.Tr:
		h.fresh()
		h.row(n, depth, pre, quoted)
		h.fresh()
		return
	case atom.Td, atom.Th:
		h.pending = true
		h.children(n, depth, pre, quoted)
		h.pending = true
		return
	}
	if block(n.DataAtom) {
		h.fresh()
		h.children(n, depth, pre, quoted)
		h.fresh()
		return
	}
	h.children(n, depth, pre, quoted)
}

// wingdings are fonts in which letters are signs.
var wingdings = regexp.MustCompile(`(?i)^["']?wingdings|font(-family)?:[^;]*["']?wingdings`)

// signs gives the text of an element in such a font: arrows are arrows, and
// what else there is, bullets and smiling faces, goes.
func (h *htmlWalk) signs(n *html.Node, pre bool) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.TextNode {
			h.signs(c, pre)
			continue
		}
		h.text(strings.Map(func(r rune) rune {
			switch {
			case strings.ContainsRune("àèð\uf0e0\uf0e8\uf0f0", r):
				return '→'
			case r == '\n' || r == '\u00a0':
				return ' '
			case r > ' ':
				return -1
			}
			return r
		}, c.Data), pre)
	}
}

// pictorial says that the words beside a picture are a sign and no words.
func pictorial(alt string) bool {
	if alt == "" || len(alt) > 32 {
		return false
	}
	for _, r := range alt {
		if r < 0x80 || unicode.IsLetter(r) {
			return false
		}
	}
	return true
}

// shell finds the quotation in what Gmail and others wrap the message replied to
// in: the line that introduces it, the quotation, and then, below it, what the
// writer has typed there. It is nil for any other element, and where something
// else stands above the quotation: then all of it is the other message.
func shell(n *html.Node) *html.Node {
	if n.DataAtom == atom.Blockquote || !quotation(n) {
		return nil
	}
	var above strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && c.DataAtom == atom.Blockquote {
			intro := strings.TrimSpace(above.String())
			if intro != "" && (!strings.HasSuffix(intro, ":") && !strings.HasSuffix(intro, "：") || len(intro) > 300 || strings.HasPrefix(intro, "-")) {
				return nil
			}
			return c
		}
		plainWordsOf(c, &above)
	}
	return nil
}

func plainWordsOf(n *html.Node, b *strings.Builder) {
	if b.Len() > 400 {
		return
	}
	if n.Type == html.TextNode {
		b.WriteString(n.Data)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		plainWordsOf(c, b)
	}
}

func (h *htmlWalk) children(n *html.Node, depth int, pre, quoted bool) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		h.walk(c, depth+1, pre, quoted)
	}
}

// row gives a table row one line, its cells separated by a blank; but a row
// with a cell of several lines is layout, and its cells follow each other.
func (h *htmlWalk) row(n *html.Node, depth int, pre, quoted bool) {
	var cells [][]textLine
	layout := false
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		sub := &htmlWalk{quoted: h.quoted}
		sub.walk(c, depth+1, pre, quoted)
		sub.fresh()
		full := 0
		for _, l := range sub.lines {
			if strings.TrimSpace(l.text) != "" || l.stop {
				full++
			}
			if l.stop || l.quoted != h.quoted {
				layout = true
			}
		}
		layout = layout || full > 1
		if len(sub.lines) > 0 {
			cells = append(cells, sub.lines)
		}
	}
	if layout {
		for _, c := range cells {
			h.lines = append(h.lines, c...)
		}
		return
	}
	for _, c := range cells {
		for _, l := range c {
			h.pending = h.cur.Len() > 0
			h.text(l.text, false)
		}
	}
}

func block(a atom.Atom) bool {
	switch a {
	case atom.P, atom.Div, atom.Li, atom.Ul, atom.Ol, atom.Dl, atom.Dt, atom.Dd, atom.Table, atom.Tbody, atom.Thead, atom.Tfoot,
		atom.Caption, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Pre, atom.Blockquote, atom.Section, atom.Article,
		atom.Header, atom.Footer, atom.Main, atom.Nav, atom.Aside, atom.Address, atom.Center, atom.Form, atom.Fieldset, atom.Figure,
		atom.Body, atom.Html, atom.Details, atom.Summary, atom.Textarea:
		return true
	}
	return false
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func squeeze(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToLower(strings.Join(strings.Fields(s), ""))
}

var zeroSize = regexp.MustCompile(`(^|;)(font-size|max-height|height|opacity):0*(0|\.0+|0\.0+)(px|pt|em|rem|ex|ch|vw|%|cm|mm|in)?(;|!|$)`)

// strike is a line through the text: what <s> does, said as a style.
var strike = regexp.MustCompile(`(^|;)(-webkit-)?text-decoration(-line)?:[^;]*line-through`)

func hidden(n *html.Node, style string) bool {
	for _, a := range n.Attr {
		if a.Key == "hidden" || a.Key == "class" && strings.Contains(a.Val, "google-src-text") {
			return true
		}
	}
	return style != "" && (strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden") || strings.Contains(style, "visibility:collapse") ||
		strings.Contains(style, "mso-hide:all") || zeroSize.MatchString(style) || strike.MatchString(style))
}

// quotation knows what the common programs wrap a message replied to in.
func quotation(n *html.Node) bool {
	if n.DataAtom == atom.Blockquote {
		return true
	}
	for _, a := range n.Attr {
		v := strings.ToLower(a.Val)
		switch a.Key {
		case "class":
			for _, c := range strings.Fields(v) {
				switch c {
				case "gmail_quote", "gmail_quote_container", "gmail_attr", "gmail_extra", "protonmail_quote", "tutanota_quote", "moz-cite-prefix",
					"moz-forward-container", "moz-email-headers-table", "yahoo_quoted", "zmail_extra", "iphone_quote", "wordsection1_quote",
					"ms-outlook-mobile-reference-message", "quote-header", "fastmail_quote", "hmessage_quote":
					return c != "gmail_extra" || hasQuote(n)
				}
				if strings.HasSuffix(c, "yahoo_quoted") || strings.HasPrefix(c, "yahoo_quoted") {
					return true
				}
			}
		case "id":
			if strings.HasPrefix(v, "yahoo_quoted") || strings.HasSuffix(v, "yahoo_quoted") || strings.HasPrefix(v, "olk_src_body_section") ||
				strings.HasPrefix(v, "reply-intro") {
				return true
			}
		case "name":
			if v == "quote" || v == "messagereplysection" {
				return true
			}
		case "type":
			if v == "cite" && n.DataAtom != atom.Input {
				return true
			}
		}
	}
	return false
}

func hasQuote(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && (c.DataAtom == atom.Blockquote || strings.Contains(attr(c, "class"), "gmail_quote")) {
			return true
		}
	}
	return false
}

// replyMark is the element below which Outlook puts the message replied to.
func replyMark(n *html.Node) bool {
	if n.DataAtom == atom.Div && outlookRule.MatchString(squeeze(attr(n, "style"))) {
		return true
	}
	id := strings.ToLower(attr(n, "id"))
	return strings.HasSuffix(id, "divrplyfwdmsg") || strings.HasSuffix(id, "appendonsend") ||
		strings.HasSuffix(id, "mail-editor-reference-message-container")
}

// outlookRule is the line that Outlook draws above the head of the message
// replied to, in whatever language that head is.
var outlookRule = regexp.MustCompile(`^(mso-element:para-border-div;)?border:none;border-top:solid#(b5c4df|e1e1e1)1\.0pt;padding:3\.0pt0(cm|in|pt)?0`)

// tokenLines is the plain fallback for a document nested beyond all measure.
func tokenLines(src string) []textLine {
	h := &htmlWalk{}
	z := html.NewTokenizer(strings.NewReader(src))
	skip := atom.Atom(0)
	depth := 0
	for {
		switch z.Next() {
		case html.ErrorToken:
			h.flush()
			return h.lines
		case html.TextToken:
			if skip == 0 {
				h.text(html.UnescapeString(string(z.Raw())), false)
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			a := atom.Lookup(name)
			switch {
			case a == atom.Blockquote:
				h.fresh()
				depth++
				h.quoted = true
			case skip == 0 && (a == atom.Style || a == atom.Script || a == atom.Title || a == atom.Head):
				skip = a
			case a == atom.Br || block(a) || a == atom.Tr:
				h.fresh()
			case a == atom.Td || a == atom.Th:
				h.pending = true
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			a := atom.Lookup(name)
			switch {
			case a == skip:
				skip = 0
			case a == atom.Blockquote && depth > 0:
				h.fresh()
				depth--
				h.quoted = depth > 0
			case block(a) || a == atom.Tr:
				h.fresh()
			}
		}
	}
}
