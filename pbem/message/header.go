package message

import (
	"bytes"
	"mime"
	"net/mail"
	"strings"
	"unicode/utf8"

	gomessage "github.com/emersion/go-message"
	"github.com/emersion/go-message/textproto"
)

// splitHeader takes the header off a message or part. A leading mbox "From "
// line, lines that are no field and what is folded under them are dropped and
// counted; they never end the header.
func splitHeader(text []byte) (fields []Field, body []byte, dropped int) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	first := true
	keep := false
	for len(text) > 0 {
		line := text
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			line, text = text[:i], text[i+1:]
		} else {
			text = nil
		}
		if len(line) == 0 {
			if first {
				continue // blank lines above the header
			}
			return fields, text, dropped
		}
		if line[0] == ' ' || line[0] == '\t' {
			if keep {
				last := &fields[len(fields)-1]
				last.Value += " " + string(bytes.TrimSpace(line))
			} else if !first {
				dropped++
			}
			continue
		}
		if first && (bytes.HasPrefix(line, []byte("From ")) || bytes.HasPrefix(line, []byte(">From "))) {
			first = false
			dropped++
			keep = false
			continue
		}
		first = false
		i := bytes.IndexByte(line, ':')
		name := ""
		if i > 0 {
			name = strings.TrimRight(string(line[:i]), " \t")
		}
		if !fieldName(name) {
			keep = false
			dropped++
			continue
		}
		keep = true
		fields = append(fields, Field{name, string(bytes.TrimSpace(line[i+1:]))})
	}
	return fields, nil, dropped
}

func fieldName(s string) bool {
	if s == "" || len(s) > 100 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// media is a part's Content-Type and Content-Disposition, read leniently.
type media struct {
	kind       string // lower case, never empty
	params     map[string]string
	attachment bool
	name       string
	encoding   string
	id         string
	broken     bool
}

// mediaOf reads the content fields of a header. A Content-Type that can't be
// read is text/plain (RFC 2045, 5.2), but a boundary is saved from it.
func mediaOf(fields []Field) media {
	var h textproto.Header
	for i := len(fields) - 1; i >= 0; i-- {
		switch strings.ToLower(fields[i].Name) {
		case "content-type", "content-disposition":
			h.Add(fields[i].Name, fields[i].Value)
		}
	}
	gh := gomessage.Header{Header: h}
	var c media
	raw := h.Get("Content-Type")
	kind, params, err := gh.ContentType()
	switch {
	case raw == "":
		kind, params = "text/plain", nil
	case err != nil:
		c.broken = true
		head, rest, _ := strings.Cut(raw, ";")
		kind = strings.ToLower(strings.TrimSpace(head))
		params = map[string]string{}
		if b := looseParam(rest, "boundary"); b != "" {
			params["boundary"] = b
		}
		if n := looseParam(rest, "name"); n != "" {
			params["name"] = n
		}
	}
	if a, b, ok := strings.Cut(kind, "/"); !ok || a == "" || b == "" || strings.ContainsAny(kind, " \t") {
		kind = "text/plain"
		c.broken = true
	}
	c.kind, c.params = kind, params
	if c.params == nil {
		c.params = map[string]string{}
	}
	if d := h.Get("Content-Disposition"); d != "" {
		disp, dp, err := gh.ContentDisposition()
		if err != nil {
			head, rest, _ := strings.Cut(d, ";")
			disp = strings.ToLower(strings.TrimSpace(head))
			dp = map[string]string{"filename": looseParam(rest, "filename")}
		}
		c.attachment = disp == "attachment"
		c.name = dp["filename"]
	}
	if c.name == "" {
		c.name = c.params["name"]
	}
	c.name = cleanName(decodeWords(c.name))
	for _, f := range fields {
		switch strings.ToLower(f.Name) {
		case "content-transfer-encoding":
			if c.encoding == "" {
				e, _, _ := strings.Cut(f.Value, ";")
				e, _, _ = strings.Cut(e, "(")
				c.encoding = strings.ToLower(strings.Trim(e, " \t\"'"))
			}
		case "content-id":
			c.id = f.Value
		}
	}
	return c
}

// lowASCII is s in small letters as far as they are ASCII: byte by byte, so that
// places in it are places in s, whatever bytes a mail holds.
func lowASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// looseParam finds name=value in a parameter list that is otherwise broken.
func looseParam(s, name string) string {
	low := lowASCII(s)
	for from := 0; ; {
		i := strings.Index(low[from:], name)
		if i < 0 {
			return ""
		}
		i += from
		from = i + len(name)
		if i > 0 && !strings.ContainsRune("; \t", rune(s[i-1])) {
			continue
		}
		rest := strings.TrimLeft(s[from:], " \t")
		if !strings.HasPrefix(rest, "=") {
			continue
		}
		rest = strings.TrimLeft(rest[1:], " \t")
		if strings.HasPrefix(rest, `"`) {
			v, _, ok := strings.Cut(rest[1:], `"`)
			if ok {
				return v
			}
			rest = rest[1:]
		}
		if j := strings.IndexAny(rest, "; \t"); j >= 0 {
			rest = rest[:j]
		}
		return rest
	}
}

func cleanName(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, s)
	if len(s) > 120 {
		s = strings.ToValidUTF8(s[:120], "")
	}
	return s
}

// decodeWords undoes RFC 2047 and raw eight-bit text in a header value.
func decodeWords(s string) string {
	if !utf8.ValidString(s) {
		s = decodeCharset([]byte(s), "", nil)
	}
	if !strings.Contains(s, "=?") {
		return s
	}
	d := mime.WordDecoder{CharsetReader: wordReader}
	out, err := d.DecodeHeader(s)
	if err != nil {
		return s
	}
	return out
}

func (m *Mail) readHeader() {
	for _, f := range m.Fields {
		switch strings.ToLower(f.Name) {
		case "from":
			m.FromFields++
			if strings.ContainsAny(dropQuotedAndComments(f.Value), ":;") { // a group, a route: programs differ about whom it names
				m.OddFrom = true
			}
			m.From = append(m.From, parseAddresses(f.Value)...)
		case "to":
			m.To = append(m.To, parseAddresses(f.Value)...)
		case "cc":
			m.Cc = append(m.Cc, parseAddresses(f.Value)...)
		case "delivered-to":
			m.DeliveredTo = append(m.DeliveredTo, bare(f.Value))
		case "x-original-to":
			m.OriginalTo = append(m.OriginalTo, bare(f.Value))
		case "return-path":
			if m.ReturnPath == "" && !m.NullReturn {
				m.ReturnPath = bare(f.Value)
				m.NullReturn = m.ReturnPath == ""
			}
		case "subject":
			if m.Subject == "" {
				m.Subject = strings.TrimSpace(oneLine(decodeWords(f.Value)))
			}
		case "message-id":
			if m.MessageID == "" {
				m.MessageID = f.Value
			}
		case "in-reply-to":
			if m.InReplyTo == "" {
				m.InReplyTo = f.Value
			}
		case "references":
			m.References = append(m.References, strings.FieldsFunc(f.Value, func(r rune) bool {
				return r == ' ' || r == '\t' || r == ','
			})...)
		case "date":
			if m.Date == "" {
				m.Date = f.Value
			}
		case "list-id":
			m.ListID = f.Value
		case "x-pbem-loop":
			m.Loop = true
		}
	}
}

// bare is the address in a trace field: without angle brackets.
func bare(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.LastIndexByte(s, '<'); i >= 0 {
		s = s[i+1:]
		if j := strings.IndexByte(s, '>'); j >= 0 {
			s = s[:j]
		}
	}
	return strings.TrimSpace(s)
}

// parseAddresses reads an address list. What is not by the book is read as
// far as it is unmistakable: the addresses in angle brackets, else the words
// that are addresses.
func parseAddresses(v string) []Address {
	if !utf8.ValidString(v) {
		v = decodeCharset([]byte(v), "", nil)
	}
	p := mail.AddressParser{WordDecoder: &mime.WordDecoder{CharsetReader: wordReader}}
	if list, err := p.ParseList(v); err == nil {
		out := make([]Address, 0, len(list))
		for _, a := range list {
			addr := a.Address
			if n := len(addr); n > 2 && addr[0] == '\'' && addr[n-1] == '\'' { // Outlook's way of writing a bare address
				addr = addr[1 : n-1]
			}
			out = append(out, Address{oneLine(a.Name), addr})
		}
		return out
	}
	var out []Address
	plain := dropQuotedAndComments(v)
	for rest := plain; ; {
		i := strings.IndexByte(rest, '<')
		if i < 0 {
			break
		}
		j := strings.IndexByte(rest[i:], '>')
		if j < 0 {
			break
		}
		if a := strings.TrimSpace(rest[i+1 : i+j]); isAddr(a) {
			name := strings.Trim(strings.TrimSpace(rest[:i]), ", ")
			out = append(out, Address{oneLine(decodeWords(name)), a})
		}
		rest = rest[i+j+1:]
	}
	if len(out) > 0 {
		return out
	}
	for _, w := range strings.FieldsFunc(plain, func(r rune) bool { return strings.ContainsRune(" \t,;:", r) }) {
		if w = strings.Trim(w, "<>'\""); isAddr(w) {
			out = append(out, Address{"", w})
		}
	}
	return out
}

func isAddr(s string) bool {
	i := strings.LastIndexByte(s, '@')
	return i > 0 && i < len(s)-1 && !strings.ContainsAny(s, " \t<>,;\r\n") && strings.Count(s, "@") == 1
}

func dropQuotedAndComments(s string) string {
	var b strings.Builder
	quoted, depth := false, 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\' && i+1 < len(s):
			i++
		case quoted:
			quoted = c != '"'
		case depth > 0:
			if c == '(' {
				depth++
			} else if c == ')' {
				depth--
			}
		case c == '"':
			quoted = true
		case c == '(':
			depth++
		default:
			b.WriteByte(c)
		}
	}
	if quoted || depth > 0 {
		return s // unbalanced: nothing is hidden
	}
	return b.String()
}

func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\r' || r == '\n' || r == 0 {
			return ' '
		}
		return r
	}, s)
}
