package message

import (
	"bytes"
	"strings"
)

// part is one node of the MIME tree. Body has LF line ends.
type part struct {
	media
	fields []Field
	whole  []byte // header and body as they stand in the mail, LF line ends
	body   []byte
	kids   []*part
}

type walker struct {
	m     *Mail
	opt   Options
	parts int
}

// pkcs7 says that the part is an S/MIME message, not a signature beside one.
func (p *part) pkcs7() bool {
	return p.kind == "application/pkcs7-mime" || p.kind == "application/x-pkcs7-mime" ||
		p.kind == "application/octet-stream" && strings.EqualFold(p.name, "smime.p7m")
}

func (p *part) multi() bool { return strings.HasPrefix(p.kind, "multipart/") }

// take builds the tree. At a limit or the first structural error it stops;
// what was read until then is kept.
func (w *walker) take(fields []Field, body []byte, depth int) *part {
	p := &part{media: mediaOf(fields), fields: fields, body: body}
	if p.broken {
		w.m.note("header")
	}
	w.parts++
	if p.pkcs7() && depth < MaxDepth {
		data, _ := transfer(body, p.encoding)
		if inner, ok := signedContent(data); ok { // opaque: the text is within the signature
			w.m.note("signature")
			f, b, _ := splitHeader(withBlank(lineEnds(inner, w.m), "text/plain"))
			return w.take(f, b, depth+1)
		}
	}
	if !p.multi() {
		return p
	}
	if depth >= MaxDepth {
		w.m.Unreadable = true
		w.m.ignore("parts", "ignored.depth")
		return p
	}
	boundary := strings.TrimRight(p.params["boundary"], " \t")
	pieces, found := splitParts(body, boundary)
	if !found {
		w.m.Unreadable = true
		w.m.ignore("parts", "ignored.boundary")
		return p
	}
	for _, piece := range pieces {
		if w.parts >= MaxParts {
			w.m.Unreadable = true
			w.m.ignore("parts", "ignored.parts")
			break
		}
		kind := "text/plain"
		if p.kind == "multipart/digest" {
			kind = "message/rfc822" // RFC 2046, 5.1.5
		}
		f, b, dropped := splitHeader(withBlank(piece, kind))
		if dropped > 0 {
			w.m.note("header")
		}
		if p.kind == "multipart/digest" && !typed(f) {
			f = append([]Field{{"Content-Type", kind}}, f...)
		}
		kid := w.take(f, b, depth+1)
		kid.whole = piece
		p.kids = append(p.kids, kid)
	}
	return p
}

// withBlank keeps a part without a header from losing its first lines: the
// blank line that ends the empty header is at its very beginning.
func withBlank(piece []byte, kind string) []byte {
	if bytes.HasPrefix(piece, []byte("\n")) {
		return append([]byte("Content-Type: "+kind+"\n"), piece...)
	}
	return piece
}

func typed(fields []Field) bool {
	for _, f := range fields {
		if strings.EqualFold(f.Name, "Content-Type") {
			return true
		}
	}
	return false
}

// splitParts cuts a multipart body at its boundary lines. A missing closing
// line is forgiven, a boundary that never comes is not.
func splitParts(body []byte, boundary string) (pieces [][]byte, found bool) {
	if boundary == "" {
		return nil, false
	}
	mark := []byte("--" + boundary)
	start := -1
	for pos := 0; pos < len(body); {
		end := bytes.IndexByte(body[pos:], '\n')
		next := len(body)
		if end >= 0 {
			next = pos + end + 1
			end += pos
		} else {
			end = len(body)
		}
		line := body[pos:end]
		if bytes.HasPrefix(line, mark) {
			rest := bytes.TrimRight(line[len(mark):], " \t")
			closing := bytes.Equal(rest, []byte("--"))
			if len(rest) == 0 || closing {
				if start >= 0 {
					pieces = append(pieces, trimLF(body[start:pos]))
				}
				found = true
				start = next
				if closing {
					return pieces, true
				}
			}
		}
		pos = next
	}
	if found && start >= 0 && start < len(body) {
		pieces = append(pieces, body[start:])
	}
	return pieces, found
}

// trimLF drops the line end that belongs to the boundary line below it.
func trimLF(b []byte) []byte {
	return bytes.TrimSuffix(b, []byte{'\n'})
}

// role is what a leaf is good for.
type role int

const (
	skip role = iota
	plainText
	htmlText
	attachedText
	attachedHTML
)

func (w *walker) role(p *part) role {
	ext := ""
	if i := strings.LastIndexByte(p.name, '.'); i >= 0 {
		ext = strings.ToLower(p.name[i+1:])
	}
	if p.pkcs7() && p.kind == "application/octet-stream" {
		w.m.Encrypted = true
		return skip
	}
	textName := ext == "txt" || ext == "text" || ext == "ord" || ext == "orders" || ext == "md"
	switch p.kind {
	case "text/plain", "text/markdown", "text/x-markdown", "text/enriched", "text/richtext", "text/x-patch", "text/x-orders":
		if p.attachment || p.name != "" {
			if p.name != "" && !textName && ext != "" && ext != "asc" {
				w.m.ignore(p.name, "ignored.attachment")
				return skip
			}
			return attachedText
		}
		return plainText
	case "text/html", "application/xhtml+xml":
		if p.attachment {
			return attachedHTML
		}
		return htmlText
	case "application/octet-stream", "application/text", "application/x-text", "application/txt", "application/force-download", "application/unknown",
		"application/download", "application/x-download", "binary/octet-stream":
		if textName {
			return attachedText
		}
		if isWinmail(p) {
			w.m.Winmail = true
			w.m.ignore("winmail.dat", "ignored.winmail")
			return skip
		}
	case "application/ms-tnef", "application/vnd.ms-tnef":
		w.m.Winmail = true
		w.m.ignore("winmail.dat", "ignored.winmail")
		return skip
	case "application/pgp-encrypted":
		w.m.Encrypted = true
		return skip
	case "application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature":
		return skip
	case "application/pkcs7-mime", "application/x-pkcs7-mime":
		if t := strings.ToLower(p.params["smime-type"]); t == "signed-data" || t == "certs-only" || t == "compressed-data" {
			w.m.Unreadable = true
			w.m.ignore("smime", "ignored.smime")
		} else {
			w.m.Encrypted = true
		}
		return skip
	case "message/partial":
		w.m.Unreadable = true
		w.m.ignore("message", "ignored.partial")
		return skip
	}
	switch {
	case strings.HasPrefix(p.kind, "message/"):
		w.m.ignore("message", "ignored.message")
	case document(ext) || documentKind(p.kind):
		if w.m.Document == "" {
			w.m.Document = p.name
			if p.name == "" {
				w.m.Document = p.kind
			}
		}
		w.m.ignore(orKind(p), "ignored.document")
	case strings.HasPrefix(p.kind, "text/"):
		if p.name != "" || p.attachment {
			w.m.ignore(orKind(p), "ignored.attachment")
		}
	default:
		w.m.ignore(orKind(p), "ignored.attachment")
	}
	return skip
}

func orKind(p *part) string {
	if p.name != "" {
		return p.name
	}
	return p.kind
}

func isWinmail(p *part) bool { return strings.EqualFold(p.name, "winmail.dat") }

func document(ext string) bool {
	switch ext {
	case "zip", "7z", "rar", "gz", "doc", "docx", "rtf", "odt", "pdf", "xls", "xlsx", "ods", "pages", "numbers", "wpd", "wps":
		return true
	}
	return false
}

func documentKind(k string) bool {
	return k == "application/pdf" || k == "application/rtf" || k == "text/rtf" || k == "application/msword" ||
		strings.HasPrefix(k, "application/vnd.openxmlformats-officedocument") || strings.HasPrefix(k, "application/vnd.oasis.opendocument")
}

// side is one of the two readings of a mail whose parts have alternatives.
type side struct {
	html  bool
	lines []textLine
	cut   bool
}

// views fills Mail.Views: the plain reading, the HTML reading if it is another,
// and each attached text.
func (w *walker) views(root *part) {
	if root.kind == "multipart/encrypted" {
		w.m.Encrypted = true
		return
	}
	var attached []*part
	plain, rich := &side{}, &side{html: true}
	hasHTML := w.collect(root, plain, rich, &attached)
	w.addView("plain", false, plain)
	if hasHTML {
		w.addView("html", false, rich)
	}
	for _, p := range attached {
		s := &side{}
		if w.role(p) == attachedHTML {
			w.leaf(p, s, true)
		} else {
			w.leaf(p, s, false)
		}
		w.addView(p.name, true, s)
	}
}

// collect walks the tree in reading order. Of alternatives the plain side takes
// the plain one and the HTML side the HTML one; any other part belongs to both.
// It reports whether the two sides can differ.
func (w *walker) collect(p *part, plain, rich *side, attached *[]*part) (differ bool) {
	if p.multi() {
		switch p.kind {
		case "multipart/alternative":
			return w.alternatives(p, plain, rich, attached)
		case "multipart/encrypted":
			w.m.Encrypted = true
			return false
		case "multipart/signed", "multipart/appledouble":
			if len(p.kids) > 0 {
				differ = w.collect(p.kids[0], plain, rich, attached)
				for _, k := range p.kids[1:] {
					if w.role(k) != skip { // a footer put below the signed part
						differ = w.collect(k, plain, rich, attached) || differ
					}
				}
			}
			return differ
		case "multipart/report":
			return false
		}
		for _, k := range p.kids {
			differ = w.collect(k, plain, rich, attached) || differ
		}
		return differ
	}
	switch w.role(p) {
	case plainText:
		w.leaf(p, plain, false)
		rich.lines, rich.cut = append(rich.lines, w.last(plain)...), rich.cut || plain.cut
	case htmlText:
		w.leaf(p, plain, true)
		rich.lines, rich.cut = append(rich.lines, w.last(plain)...), rich.cut || plain.cut
	case attachedText, attachedHTML:
		*attached = append(*attached, p)
	}
	return false
}

func (w *walker) alternatives(p *part, plain, rich *side, attached *[]*part) bool {
	var forPlain, forRich *part
	for _, k := range p.kids {
		switch {
		case k.kind == "text/plain" || k.kind == "text/markdown" || k.kind == "text/enriched":
			if forPlain == nil {
				forPlain = k
			}
		case k.kind == "text/html" || k.kind == "application/xhtml+xml", k.multi() && holdsHTML(k):
			forRich = k // the last is the sender's best
		case k.multi() && forPlain == nil:
			forPlain = k
		default:
			if w.role(k) == attachedText {
				*attached = append(*attached, k)
			}
		}
	}
	none := &side{}
	switch {
	case forPlain == nil && forRich == nil:
		return false
	case forRich == nil:
		return w.collect(w.inline(forPlain), plain, rich, attached)
	case forPlain == nil:
		return w.collect(w.inline(forRich), plain, rich, attached)
	}
	w.collect(w.inline(forPlain), plain, none, attached)
	none.lines = nil
	w.collect(w.inline(forRich), none, rich, attached)
	return true
}

// inline makes an alternative count as text of the mail whatever its file name.
func (w *walker) inline(p *part) *part {
	if p.multi() {
		return p
	}
	q := *p
	q.name, q.attachment = "", false
	return &q
}

func holdsHTML(p *part) bool {
	for _, k := range p.kids {
		if k.kind == "text/html" || k.multi() && holdsHTML(k) {
			return true
		}
	}
	return false
}

// last gives the lines of the latest leaf of a side.
func (w *walker) last(s *side) []textLine {
	for i := len(s.lines) - 1; i >= 0; i-- {
		if s.lines[i].leafStart() {
			return s.lines[i+1:]
		}
	}
	return s.lines
}

const leafMark = "\x00leaf"

func (l textLine) leafStart() bool { return l.text == leafMark }

// leaf decodes one text part into lines.
func (w *walker) leaf(p *part, s *side, asHTML bool) {
	s.lines = append(s.lines, textLine{text: leafMark})
	data, known := transfer(p.body, p.encoding)
	if !known {
		w.m.note("encoding")
	}
	if len(data) == 0 && len(bytes.TrimSpace(p.body)) > 0 {
		w.m.Unreadable = true
	}
	if len(data) > MaxText {
		data = data[:MaxText]
		s.cut = true
		w.m.TooLarge = true
		w.m.ignore("text", "ignored.long")
	}
	label := p.params["charset"]
	if asHTML && label == "" {
		label = metaCharset(data)
	}
	text := decodeCharset(data, label, w.m)
	if strings.ContainsRune(text, '\r') {
		text = string(lineEnds([]byte(text), &Mail{})) // after the charset: U+0D00 has an octet 0D too
	}
	if asHTML {
		w.m.note("html")
		s.lines = append(s.lines, htmlLines(text)...)
		return
	}
	if p.kind == "text/enriched" || p.kind == "text/richtext" {
		text = enriched(text)
	}
	if tagged(text) {
		w.m.note("html")
		s.lines = append(s.lines, htmlLines(text)...)
		return
	}
	if strings.EqualFold(p.params["format"], "flowed") {
		text = unflow(text, strings.EqualFold(p.params["delsp"], "yes"), w.opt.Keyword, w.m)
	}
	text = w.armour(text)
	if strings.Contains(text, "\nbegin ") || strings.HasPrefix(text, "begin ") {
		text = w.uuencoded(text)
	}
	text = oddEnds.Replace(text)
	for len(text) > 0 {
		line, rest, _ := strings.Cut(text, "\n")
		s.lines = append(s.lines, textLine{text: line})
		text = rest
	}
}

// oddEnds are line ends of other systems: LS, PS, NEL and VT.
var oddEnds = strings.NewReplacer("\u2028", "\n", "\u2029", "\n", "\u0085", "\n", "\v", "\n")

func metaCharset(b []byte) string {
	head := strings.ToLower(string(b[:min(len(b), 1024)]))
	i := strings.Index(head, "charset=")
	if i < 0 {
		return ""
	}
	head = strings.TrimLeft(head[i+8:], `"' `)
	if j := strings.IndexAny(head, "\"' >;/"); j >= 0 {
		return head[:j]
	}
	return ""
}

// uuencoded takes files out of a text that stand in it in the old manner. A
// text file is read where it stands, anything else goes.
func (w *walker) uuencoded(text string) string {
	for n := 0; n < 20; n++ {
		name, data, rest, ok := uudecode([]byte(text))
		if !ok {
			break
		}
		low := strings.ToLower(name)
		if strings.HasSuffix(low, ".txt") || strings.HasSuffix(low, ".ord") {
			w.m.note("encoding")
			text = string(rest) + "\n" + strings.ReplaceAll(decodeCharset(data, "", w.m), "\r\n", "\n")
			continue
		}
		w.m.ignore(cleanName(name), "ignored.attachment")
		text = string(rest)
	}
	return text
}

// armour undoes inline OpenPGP: of a clear-signed text only what the signature
// covers is kept, its dashes unescaped. An encrypted text is noted.
func (w *walker) armour(text string) string {
	const begin, sig, end = "-----BEGIN PGP SIGNED MESSAGE-----", "-----BEGIN PGP SIGNATURE-----", "-----END PGP SIGNATURE-----"
	if strings.Contains(text, "-----BEGIN PGP MESSAGE-----") {
		w.m.Encrypted = true
		w.m.ignore("pgp", "ignored.encrypted")
	}
	at := lineStart(text, begin)
	if at < 0 {
		return text
	}
	stop := lineStart(text[at:], sig)
	if stop < 0 {
		return text
	}
	inner := text[at:][:stop]
	if i := strings.Index(inner, "\n\n"); i >= 0 {
		inner = inner[i+2:]
	}
	w.m.note("signature")
	outside := text[:at]
	if tail := text[at+stop:]; lineStart(tail, end) >= 0 {
		outside += tail[lineStart(tail, end)+len(end):]
	}
	if strings.TrimSpace(outside) != "" {
		w.m.ignore("pgp", "ignored.unsigned")
	}
	lines := strings.Split(inner, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(l, "- ")
	}
	return strings.Join(lines, "\n")
}

// lineStart finds s at the beginning of a line.
func lineStart(text, s string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], s)
		if i < 0 {
			return -1
		}
		i += from
		if i == 0 || text[i-1] == '\n' {
			return i
		}
		from = i + len(s)
	}
}

// enriched drops the commands of text/enriched (RFC 1896).
func enriched(s string) string {
	var b strings.Builder
	low := lowASCII(s)
	breaks := 0
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "<<"):
			b.WriteByte('<')
			i++
		case s[i] == '<':
			j := strings.IndexByte(s[i:], '>')
			if j < 0 {
				return b.String() + s[i:]
			}
			if strings.EqualFold(s[i:i+j+1], "<param>") {
				if k := strings.Index(low[i:], "</param>"); k >= 0 {
					j = k + len("</param>") - 1
				}
			}
			i += j
		default:
			b.WriteByte(s[i])
			breaks++
		}
	}
	return b.String()
}

func (w *walker) addView(name string, attachment bool, s *side) {
	kept := s.lines[:0:0]
	for _, l := range s.lines {
		if !l.leafStart() {
			kept = append(kept, l)
		}
	}
	var words wordSet
	got := w.m.sift(kept, &words)
	for k := range words.m {
		w.m.note(k)
	}
	v := View{Name: name, Attachment: attachment, Lines: got.lines, Raw: got.raw, Quoted: got.quoted, Cut: s.cut}
	if blank(v.Lines) && blank(v.Quoted) {
		return
	}
	w.m.Views = append(w.m.Views, v)
}

func blank(lines []string) bool {
	for _, l := range lines {
		if l != "" {
			return false
		}
	}
	return true
}

// readSigned keeps what an OpenPGP signature in the mail covers.
func (w *walker) readSigned(root *part) {
	p := root
	for p.multi() && p.kind != "multipart/signed" && len(p.kids) > 0 {
		p = p.kids[0] // list servers wrap a signed mail
	}
	if p.kind == "multipart/signed" && len(p.kids) >= 2 && p.kids[1].kind == "application/pgp-signature" {
		sig, _ := transfer(p.kids[1].body, p.kids[1].encoding)
		w.m.Signed = &Signed{Kind: "pgp-mime", Content: crlf(p.kids[0].whole), Signature: sig}
		return
	}
	if !p.multi() && strings.HasPrefix(p.kind, "text/plain") {
		data, _ := transfer(p.body, p.encoding)
		if i := lineStart(string(data), "-----BEGIN PGP SIGNED MESSAGE-----"); i >= 0 {
			w.m.Signed = &Signed{Kind: "pgp-clear", Content: data[i:]}
		}
	}
}

func crlf(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) }
