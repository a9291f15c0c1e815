package dice

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Kind is what a record tells.
type Kind string

// The six kinds of record.
const (
	KindStart Kind = "start"
	KindSheet Kind = "sheet"
	KindClose Kind = "close"
	KindStep  Kind = "step"
	KindAmend Kind = "amend"
	KindEnd   Kind = "end"
)

// Body is what a record says, apart from what links and signs it: a [Start],
// [Sheet], [Close], [Step], [Amend] or [End].
type Body interface {
	Kind() Kind
	game() string
	write(*writer)
}

// Record is one signed entry in the log of a game.
type Record struct {
	Body Body
	Mark string // "DEMO" or ""
	Prev Hash   // the record before; zero for the start
	Sig  [ed25519.SignatureSize]byte
}

// Sign makes a record of a body.
func Sign(body Body, mark string, prev Hash, key ed25519.PrivateKey) Record {
	r := Record{Body: body, Mark: mark, Prev: prev}
	copy(r.Sig[:], ed25519.Sign(key, r.unsigned()))
	return r
}

// unsigned is all of the record that its signature stands for.
func (r Record) unsigned() []byte {
	w := &writer{}
	w.WriteString("pbem-record v1 " + string(r.Body.Kind()) + "\n")
	w.word("game", r.Body.game())
	r.Body.write(w)
	if r.Mark != "" {
		w.word("mark", r.Mark)
	}
	if r.Prev == (Hash{}) {
		w.word("prev", "none")
	} else {
		w.word("prev", r.Prev.String())
	}
	return w.Bytes()
}

// Text is the record, to the byte.
func (r Record) Text() []byte {
	b := append(r.unsigned(), "sig: "...)
	b = base64.StdEncoding.AppendEncode(b, r.Sig[:])
	return append(b, '\n')
}

// Hash names the record; the next one holds it.
func (r Record) Hash() Hash { return sha256.Sum256(lp(lp(nil, "pbem-record-v1"), r.Text())) }

// SignedBy tells whether a key has signed the record.
func (r Record) SignedBy(key ed25519.PublicKey) bool {
	return len(key) == ed25519.PublicKeySize && ed25519.Verify(key, r.unsigned(), r.Sig[:])
}

// Game is the id of the game that the record belongs to.
func (r Record) Game() string { return r.Body.game() }

// Time is when the record was written.
func (r Record) Time() time.Time {
	switch b := r.Body.(type) {
	case Start:
		return b.Time
	case Sheet:
		return b.Time
	case Close:
		return b.Time
	case Step:
		return b.Time
	case Amend:
		return b.Time
	case End:
		return b.Time
	}
	return time.Time{}
}

// Step is the number of the step that the record is about, 0 for none.
func (r Record) Step() int {
	switch b := r.Body.(type) {
	case Sheet:
		return b.Step
	case Close:
		return b.Step
	case Step:
		return b.Step
	case Amend:
		return b.Step
	}
	return 0
}

// What names a record in a sentence: "step 7", "close 7", "start".
func (r Record) What() string {
	if n := r.Step(); n > 0 {
		return string(r.Body.Kind()) + " " + strconv.Itoa(n)
	}
	return string(r.Body.Kind())
}

// MaxRecord is the size in bytes beyond which nothing is read as a record.
const MaxRecord = 1 << 20

// Parse reads a record. It takes exactly what Text gives: a record has one
// writing only. It doesn't check the signature.
func Parse(text []byte) (Record, error) {
	if len(text) > MaxRecord {
		return Record{}, fmt.Errorf("a record of %d bytes is too long", len(text))
	}
	lines := strings.Split(string(text), "\n")
	if lines[len(lines)-1] != "" {
		return Record{}, fmt.Errorf("the record doesn't end with a line feed")
	}
	kind, ok := strings.CutPrefix(lines[0], "pbem-record v1 ")
	if !ok {
		return Record{}, fmt.Errorf("the record begins with %q", clip(lines[0]))
	}
	p := &reader{lines: lines[1 : len(lines)-1]}
	var r Record
	game := p.word("game")
	switch Kind(kind) {
	case KindStart:
		r.Body = p.start(game)
	case KindSheet:
		r.Body = p.sheet(game)
	case KindClose:
		r.Body = p.close(game)
	case KindStep:
		r.Body = p.step(game)
	case KindAmend:
		r.Body = p.amend(game)
	case KindEnd:
		r.Body = p.end(game)
	default:
		return Record{}, fmt.Errorf("there is no record of the kind %q", clip(kind))
	}
	if p.at("mark") {
		r.Mark = p.word("mark")
	}
	if p.next("prev", "none") {
		p.lines = p.lines[1:]
	} else {
		r.Prev = p.hash("prev")
	}
	copy(r.Sig[:], p.base64("sig", len(r.Sig)))
	if p.err == nil && len(p.lines) > 0 {
		p.fail("the line %q doesn't belong there", clip(p.lines[0]))
	}
	if p.err != nil {
		return Record{}, fmt.Errorf("%s record: %w", kind, p.err)
	}
	if !bytes.Equal(r.Text(), text) {
		return Record{}, fmt.Errorf("%s record: it isn't written in the one way that counts", kind)
	}
	return r, nil
}

func clip(s string) string {
	if len(s) > 60 {
		return s[:60] + "…"
	}
	return s
}

// writer writes lines of the form "name: value".
type writer struct{ bytes.Buffer }

func (w *writer) word(name, value string) {
	w.WriteString(name)
	w.WriteByte(':')
	if value != "" {
		w.WriteByte(' ')
		w.WriteString(value)
	}
	w.WriteByte('\n')
}

func (w *writer) text(name, value string)    { w.word(name, escape(value)) }
func (w *writer) number(name string, n int)  { w.word(name, strconv.Itoa(n)) }
func (w *writer) hash(name string, h Hash)   { w.word(name, h.String()) }
func (w *writer) hex(name string, b []byte)  { w.word(name, hex.EncodeToString(b)) }
func (w *writer) time(n string, t time.Time) { w.word(n, stamp(t)) }

// after puts a text behind words of a value.
func after(words, text string) string {
	if e := escape(text); e != "" {
		return words + " " + e
	}
	return words
}

const stampForm = "2006-01-02T15:04:05Z"

func stamp(t time.Time) string { return t.UTC().Format(stampForm) }

// reader takes lines off a record, in order. The first thing that is wrong
// stays; after it everything reads as zero.
type reader struct {
	lines []string
	err   error
}

func (p *reader) fail(form string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(form, args...)
	}
}

func (p *reader) at(name string) bool {
	return p.err == nil && len(p.lines) > 0 &&
		(strings.HasPrefix(p.lines[0], name+": ") || p.lines[0] == name+":")
}

func (p *reader) next(name, value string) bool {
	return p.err == nil && len(p.lines) > 0 && p.lines[0] == name+": "+value
}

func (p *reader) word(name string) string {
	if !p.at(name) {
		p.fail("the line %q is missing", name)
		return ""
	}
	v := strings.TrimPrefix(p.lines[0][len(name)+1:], " ")
	p.lines = p.lines[1:]
	return v
}

func (p *reader) text(name string) string { return p.unescape(p.word(name)) }

func (p *reader) unescape(s string) string {
	t, err := unescape(s)
	if err != nil {
		p.fail("%w", err)
	}
	return t
}

func (p *reader) number(name string) int { return p.int(p.word(name)) }

func (p *reader) int(s string) int {
	n, err := strconv.Atoi(s)
	if p.err == nil && (err != nil || n < 0 || n > 1<<31-1) {
		p.fail("%q is no number", clip(s))
	}
	return n
}

func (p *reader) hash(name string) Hash { return p.digest(p.word(name)) }

func (p *reader) digest(s string) Hash {
	h, ok := parseHash(s)
	if !ok {
		p.fail("%q is no hash in lower-case hex", clip(s))
	}
	return h
}

func (p *reader) hex(name string, size int) []byte {
	s := p.word(name)
	b, err := hex.DecodeString(s)
	if p.err == nil && (err != nil || len(b) != size) {
		p.fail("%q isn't %d bytes in hex", clip(s), size)
	}
	return b
}

func (p *reader) base64(name string, size int) []byte {
	s := p.word(name)
	b, err := base64.StdEncoding.Strict().DecodeString(s)
	if p.err == nil && (err != nil || len(b) != size) {
		p.fail("%q isn't %d bytes in base64", clip(s), size)
	}
	return b
}

func (p *reader) time(name string) time.Time { return p.moment(p.word(name)) }

func (p *reader) moment(s string) time.Time {
	t, err := time.Parse(stampForm, s)
	if p.err == nil && (err != nil || t.Year() < 1971) {
		p.fail("%q is no time", clip(s))
	}
	return t
}

// cut takes the first word of a value.
func (p *reader) cut(s string) (word, rest string) {
	word, rest, _ = strings.Cut(s, " ")
	return word, rest
}

// escape makes one line of a text. Everything stays as it is but the backslash,
// control characters, what some program takes for the end of a line, bytes that
// are no UTF-8, and a blank at either end.
func escape(s string) string {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] > ' ' && s[i] < 0x7f && s[i] != '\\' || s[i] == ' ' && i > 0 && i < len(s)-1
	}
	if plain {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\\':
			b.WriteString(`\\`)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == utf8.RuneError && n == 1, r < ' ', r == 0x7f,
			r == ' ' && (i == 0 || i == len(s)-1):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == 0x85, r == 0x2028, r == 0x2029:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// unescape reads what escape wrote.
func unescape(s string) (string, error) {
	if strings.IndexByte(s, '\\') < 0 {
		return s, nil
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		if i++; i == len(s) {
			return "", fmt.Errorf("a value ends in the middle of an escape")
		}
		switch s[i] {
		case '\\':
			b.WriteByte('\\')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'x', 'u':
			digits := 2
			if s[i] == 'u' {
				digits = 4
			}
			if i+digits >= len(s) {
				return "", fmt.Errorf("a value ends in the middle of an escape")
			}
			v, err := strconv.ParseUint(s[i+1:i+1+digits], 16, 32)
			if err != nil {
				return "", fmt.Errorf("a value holds an escape that isn't one: %q", clip(s))
			}
			if digits == 2 {
				b.WriteByte(byte(v))
			} else {
				b.WriteRune(rune(v))
			}
			i += digits
		default:
			return "", fmt.Errorf("a value holds an escape that isn't one: %q", clip(s))
		}
	}
	return b.String(), nil
}
