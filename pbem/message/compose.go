package message

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	stdmail "net/mail"
	"regexp"
	"strings"
	"time"

	"github.com/wneessen/go-mail"
	"golang.org/x/net/idna"
)

// Picture is a PNG that stands in the text and can be saved under its name.
// The HTML refers to it as cid:<ID>.
type Picture struct {
	ID   string // Content-ID without angle brackets; "" means name@domain of the Message-ID
	Name string
	PNG  []byte
}

// Attachment is a text that must arrive octet for octet.
type Attachment struct {
	Name string
	Type string // "" means text/plain
	Data []byte
}

// Outgoing is one mail to one recipient. Date and MessageID are the caller's:
// equal values give equal bytes.
type Outgoing struct {
	From       Address
	To         Address
	ReplyTo    Address // "" means none
	Subject    string
	MessageID  string // with angle brackets
	Date       time.Time
	InReplyTo  string
	References []string

	Text        string
	HTML        string // "" means plain text only
	Pictures    []Picture
	Attachments []Attachment

	AutoSubmitted   string // "" means auto-replied
	Loop            string // our mailbox, in X-PBEM-Loop
	ListUnsubscribe string // an address or https URL; "" means none
}

// maxReferences is how many octets of References are written.
const maxReferences = 1000

// Compose writes a mail: text and HTML as alternatives, pictures related to
// them, attachments beside. Header fields never break their lines, whatever
// their values hold.
func Compose(o Outgoing) ([]byte, error) {
	id := CleanID(o.MessageID)
	if id == "" {
		return nil, fmt.Errorf("compose: %q is no Message-ID", o.MessageID)
	}
	if o.Date.IsZero() {
		return nil, fmt.Errorf("compose %s: no date", id)
	}
	m := mail.NewMsg(mail.WithNoDefaultUserAgent(), mail.WithCharset(mail.CharsetUTF8), mail.WithEncoding(mail.EncodingQP))
	for _, f := range []struct {
		what string
		addr Address
		set  func(*stdmail.Address)
	}{
		{"From", o.From, m.FromMailAddress},
		{"To", o.To, func(a *stdmail.Address) { m.ToMailAddress(a) }},
		{"Reply-To", o.ReplyTo, func(a *stdmail.Address) { m.ReplyToMailAddress(a) }},
	} {
		if f.addr.Addr == "" && f.what == "Reply-To" {
			continue
		}
		a, err := wireAddress(f.addr)
		if err != nil {
			return nil, fmt.Errorf("compose %s: %s: %w", id, f.what, err)
		}
		f.set(a)
	}
	m.Subject(headerText(o.Subject))
	m.SetMessageIDWithValue(strings.Trim(id, "<>"))
	m.SetDateWithValue(o.Date)
	auto := headerText(o.AutoSubmitted)
	if auto == "" {
		auto = "auto-replied"
	}
	m.SetGenHeader("Auto-Submitted", auto)
	m.SetGenHeader("Precedence", "bulk")
	m.SetGenHeader("X-Auto-Response-Suppress", "All")
	if o.Loop != "" {
		m.SetGenHeader("X-PBEM-Loop", headerText(o.Loop))
	}
	if r := CleanID(o.InReplyTo); r != "" {
		m.SetGenHeader(mail.HeaderInReplyTo, r)
	}
	if r := references(o.References); r != "" {
		m.SetGenHeader(mail.HeaderReferences, r)
	}
	if u := headerText(o.ListUnsubscribe); u != "" {
		if !strings.Contains(u, ":") {
			u = "mailto:" + u
		}
		m.SetGenHeader(mail.HeaderListUnsubscribe, "<"+strings.Map(urlByte, u)+">")
	}
	m.SetBodyString(mail.TypeTextPlain, bodyText(o.Text))
	if o.HTML != "" {
		m.AddAlternativeString(mail.TypeTextHTML, bodyText(o.HTML))
	}
	_, domain, _ := strings.Cut(strings.Trim(id, "<>"), "@")
	for _, p := range o.Pictures {
		name := fileName(p.Name)
		cid := p.ID
		if cid == "" {
			cid = name + "@" + domain
		}
		if err := m.EmbedReader(name, bytes.NewReader(p.PNG), mail.WithFileContentType("image/png"), mail.WithFileContentID("<"+tokenText(cid)+">")); err != nil {
			return nil, fmt.Errorf("compose %s: picture %s: %w", id, name, err)
		}
	}
	for _, a := range o.Attachments {
		kind := a.Type
		if kind == "" {
			kind = "text/plain; charset=utf-8"
		}
		name := fileName(a.Name)
		if err := m.AttachReader(name, bytes.NewReader(a.Data), mail.WithFileContentType(mail.ContentType(headerText(kind)))); err != nil {
			return nil, fmt.Errorf("compose %s: attachment %s: %w", id, name, err)
		}
	}
	var b bytes.Buffer
	if _, err := m.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("compose %s: %w", id, err)
	}
	return settleBoundaries(b.Bytes(), id), nil
}

var randomBoundary = regexp.MustCompile(`boundary=([0-9a-f]{60})\r\n`)

// settleBoundaries puts boundaries that follow from the Message-ID in the place
// of the random ones the library draws, so that a mail written again is the
// same mail.
func settleBoundaries(b []byte, id string) []byte {
	for n, m := range randomBoundary.FindAllSubmatch(b, -1) {
		sum := sha256.Sum256([]byte(fmt.Sprintf("pbem-boundary-v1 %s %d", id, n)))
		b = bytes.ReplaceAll(b, bytes.Clone(m[1]), []byte("pbem-"+hex.EncodeToString(sum[:16])))
	}
	return b
}

// wireAddress checks an address and writes its domain in ASCII.
func wireAddress(a Address) (*stdmail.Address, error) {
	i := strings.LastIndexByte(a.Addr, '@')
	if !isAddr(a.Addr) || headerText(a.Addr) != a.Addr {
		return nil, fmt.Errorf("%q is no address", a.Addr)
	}
	domain, err := idna.Lookup.ToASCII(a.Addr[i+1:])
	if err != nil {
		return nil, fmt.Errorf("%q has no domain: %w", a.Addr, err)
	}
	return &stdmail.Address{Name: headerText(a.Name), Address: a.Addr[:i+1] + domain}, nil
}

// headerText makes a value one line without control characters.
func headerText(s string) string {
	s = strings.ToValidUTF8(s, "?")
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\r' || r == '\n' || r == '\t' || r == 0x85 || r == 0x2028 || r == 0x2029:
			return ' '
		case r < ' ' || r >= 0x7f && r < 0xa0:
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// CleanID gives a message id that may be written into a header, or "".
func CleanID(s string) string {
	s = strings.TrimSpace(s)
	if len(s) < 5 || len(s) > 250 || s[0] != '<' || s[len(s)-1] != '>' {
		return ""
	}
	inner := s[1 : len(s)-1]
	for i := 0; i < len(inner); i++ {
		if inner[i] <= ' ' || inner[i] >= 0x7f || inner[i] == '<' || inner[i] == '>' || inner[i] == ',' {
			return ""
		}
	}
	if at := strings.IndexByte(inner, '@'); at <= 0 || at == len(inner)-1 || strings.Count(inner, "@") != 1 {
		return ""
	}
	return s
}

// references joins ids with blanks: the first, and as many of the last as fit.
func references(ids []string) string {
	var clean []string
	seen := map[string]bool{}
	for _, id := range ids {
		if c := CleanID(id); c != "" && !seen[c] {
			seen[c] = true
			clean = append(clean, c)
		}
	}
	if len(clean) == 0 {
		return ""
	}
	size := len(clean[0])
	from := len(clean)
	for from > 1 && size+1+len(clean[from-1]) <= maxReferences {
		from--
		size += 1 + len(clean[from])
	}
	return strings.Join(append(clean[:1:1], clean[from:]...), " ")
}

func tokenText(s string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r >= 0x7f || strings.ContainsRune("<>\"\\()", r) {
			return '_'
		}
		return r
	}, s)
}

func fileName(s string) string {
	s = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r) {
			return r
		}
		return '-'
	}, s)
	if s == "" {
		return "file"
	}
	return s
}

func urlByte(r rune) rune {
	if r <= ' ' || r >= 0x7f || r == '<' || r == '>' || r == ',' {
		return -1
	}
	return r
}

// bodyText gives a text CRLF line ends and takes out what no mail may hold.
func bodyText(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.Map(func(r rune) rune {
		if r == '\r' || r < ' ' && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
	return strings.ReplaceAll(s, "\n", "\r\n")
}
