package message

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// transfer undoes a Content-Transfer-Encoding. known is false for one that
// nobody has heard of; the octets are then given back as they are. Whatever
// was decoded before an error is kept.
func transfer(b []byte, enc string) (out []byte, known bool) {
	switch enc {
	case "", "7bit", "8bit", "binary", "7-bit", "8-bit", "utf-8", "us-ascii", "none", "plain", "text":
		return unlabelled(b), true
	case "quoted-printable", "quotedprintable", "qp", "quoted_printable":
		return quotedPrintable(b), true
	case "base64", "base-64", "b64":
		return base64Lines(b), true
	case "x-uuencode", "uuencode", "x-uue", "uue":
		_, data, _, ok := uudecode(b)
		return data, ok
	}
	return b, false
}

// unlabelled undoes an encoding whose label was lost on the way, where it shows
// beyond doubt: every "=" of the text begins a code or ends its line, and there
// are several; or all of it is base64 and holds the heading of a sheet.
func unlabelled(b []byte) []byte {
	if n := bytes.Count(b, []byte{'='}); n > 2 {
		codes, breaks := 0, 0
		for i := 0; i < len(b); i++ {
			if b[i] != '=' {
				continue
			}
			switch rest := b[i+1:]; {
			case len(rest) > 0 && rest[0] == '\n':
				breaks++
			case len(rest) > 1 && strings.IndexByte("0123456789ABCDEF", rest[0]) >= 0 && strings.IndexByte("0123456789ABCDEF", rest[1]) >= 0:
				codes++
			default:
				return b
			}
		}
		if codes > 1 && ascii(b) && (breaks > 0 || bytes.Contains(b, []byte("=20")) || bytes.Contains(b, []byte("=C2=A0")) || bytes.Contains(b, []byte("=E2=80="))) {
			return quotedPrintable(b)
		}
		return b
	}
	if text := bytes.TrimSpace(b); len(text) >= 16 && bytes.IndexByte(text, ' ') < 0 && base64Only(bytes.ReplaceAll(text, []byte{'\n'}, nil)) {
		if out := base64Lines(b); headingLine.Match(out) {
			return out
		}
	}
	return b
}

// quotedPrintable is as lenient as RFC 2045, 6.7 allows: an "=" that begins no
// code stands for itself.
func quotedPrintable(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		line, rest, more := bytes.Cut(b, []byte{'\n'})
		b = rest
		line = bytes.TrimRight(line, " \t")
		soft := false
		if n := len(line); n > 0 && line[n-1] == '=' {
			soft = true
			line = line[:n-1]
		}
		for i := 0; i < len(line); i++ {
			if line[i] == '=' && i+2 < len(line) {
				if h, ok := hexByte(line[i+1], line[i+2]); ok {
					out = append(out, h)
					i += 2
					continue
				}
			}
			out = append(out, line[i])
		}
		if more && !soft {
			out = append(out, '\n')
		}
	}
	return out
}

func hexByte(a, b byte) (byte, bool) {
	x, ok1 := hexDigit(a)
	y, ok2 := hexDigit(b)
	return x<<4 | y, ok1 && ok2
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	}
	return 0, false
}

// base64Lines decodes line by line and stops at the first line that is not
// base64: list servers glue their footers below. Blanks and a few signs outside
// the alphabet are passed over (RFC 2045, 6.8), the URL alphabet, missing
// padding and pieces that were padded each for itself are understood. A text
// that is plain whatever its label says is given back as it is.
func base64Lines(b []byte) []byte {
	var out, group []byte
	flush := func() {
		for len(group)%4 == 1 {
			group = group[:len(group)-1]
		}
		buf := make([]byte, base64.RawStdEncoding.DecodedLen(len(group)))
		n, _ := base64.RawStdEncoding.Decode(buf, group)
		out = append(out, buf[:n]...)
		group = group[:0]
	}
	ended, gap, begun := false, false, false
	for _, line := range bytes.Split(b, []byte{'\n'}) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			gap = begun
			continue
		}
		clean, strays := base64Signs(line)
		switch {
		case strays == 0 && len(clean) == len(line) && base64Only(line):
			if ended && len(line)%4 != 0 {
				strays = -1
			}
		case ended || gap || !base64Like(clean) || strays > 1+len(clean)/20:
			strays = -1
		}
		if strays < 0 {
			break
		}
		ended, begun = false, true
		for _, c := range clean {
			if c == '=' {
				if len(group) > 0 {
					flush()
				}
				ended = true
				continue
			}
			group = append(group, c)
		}
	}
	flush()
	if headingLine.Match(b) && !headingLine.Match(out) || len(out) == 0 && plainWords(b) {
		return b
	}
	return out
}

// base64Signs gives the signs of a line that belong to the alphabet, those of
// the URL alphabet turned, and how many others stood between. Blanks don't count.
func base64Signs(line []byte) (clean []byte, strays int) {
	for _, c := range line {
		switch {
		case c == '-':
			clean = append(clean, '+')
		case c == '_':
			clean = append(clean, '/')
		case base64Only([]byte{c}):
			clean = append(clean, c)
		case c != ' ' && c != '\t' && c != '\r':
			strays++
		}
	}
	return clean, strays
}

// base64Like says that signs look like base64 and not like words: capitals,
// small letters and digits, or next to nothing but padding.
func base64Like(s []byte) bool {
	var upper, lower, digit, other int
	for _, c := range s {
		switch {
		case c >= 'A' && c <= 'Z':
			upper++
		case c >= 'a' && c <= 'z':
			lower++
		case c >= '0' && c <= '9':
			digit++
		default:
			other++
		}
	}
	return upper > 0 && lower > 0 && digit > 0 && other*4 <= len(s) || len(s) <= 4 && bytes.HasSuffix(s, []byte{'='})
}

// plainWords says that octets are readable text with blanks in it.
func plainWords(b []byte) bool {
	if !utf8.Valid(b) || bytes.IndexByte(bytes.TrimSpace(b), ' ') < 0 {
		return false
	}
	letters := 0
	for _, c := range b {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' {
			return false
		}
		if isLetter(c) || c >= 0x80 {
			letters++
		}
	}
	return letters*2 > len(b)
}

func base64Only(line []byte) bool {
	for _, c := range line {
		switch {
		case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '+', c == '/', c == '=':
		default:
			return false
		}
	}
	return true
}

// uudecode finds the first uuencoded file of a text. rest is the text without
// it. Without its end line the file reaches as far as its lines make sense.
func uudecode(b []byte) (name string, data, rest []byte, ok bool) {
	lines := bytes.Split(b, []byte{'\n'})
	for i, l := range lines {
		f := strings.Fields(string(l))
		if len(f) < 3 || f[0] != "begin" || !octal(f[1]) {
			continue
		}
		without := func(j int) []byte {
			return bytes.Join(append(append([][]byte{}, lines[:i]...), lines[j:]...), []byte{'\n'})
		}
		name = strings.Join(f[2:], " ")
		sound, soundTo := len(data), -1 // up to the first line whose length is wrong
		for j := i + 1; j < len(lines); j++ {
			l := bytes.TrimRight(lines[j], " \t")
			if string(l) == "end" {
				return name, data, without(j + 1), true
			}
			if len(l) == 0 || l[0] == '`' || l[0] == ' ' {
				continue
			}
			n := int(l[0]-' ') & 63
			if l[0] < ' ' || l[0] > '`' {
				if soundTo < 0 {
					sound, soundTo = len(data), j
				}
				break
			}
			if want := (n + 2) / 3 * 4; soundTo < 0 && (len(l)-1 > want+1 || 2*(len(l)-1) < want) {
				sound, soundTo = len(data), j
			}
			var piece []byte
			for k := 1; k < len(l); k += 4 {
				var q [4]byte
				for x := range q {
					if k+x < len(l) {
						q[x] = (l[k+x] - ' ') & 63
					}
				}
				piece = append(piece, q[0]<<2|q[1]>>4, q[1]<<4|q[2]>>2, q[2]<<6|q[3])
			}
			data = append(data, piece[:min(n, len(piece))]...)
		}
		if soundTo < 0 {
			sound, soundTo = len(data), len(lines)
		}
		if sound == 0 {
			return "", nil, b, false
		}
		return name, data[:sound], without(soundTo), true
	}
	return "", nil, b, false
}

func octal(s string) bool {
	return len(s) >= 3 && len(s) <= 4 && strings.Trim(s, "01234567") == ""
}

// decodeCharset turns octets into text. A byte-order mark wins over the label;
// UTF-16 is recognised by its NULs; ISO-8859-1 is read as windows-1252; a label
// that is missing, unknown or wrong means UTF-8 if it is valid, else
// windows-1252.
func decodeCharset(b []byte, label string, m *Mail) string {
	cs := strings.ToLower(strings.Trim(label, " \t\"'"))
	noted := func(s string) string {
		if m != nil {
			m.note("charset")
		}
		return s
	}
	switch {
	case bytes.HasPrefix(b, []byte{0xef, 0xbb, 0xbf}) && utf8.Valid(b):
		return string(b[3:])
	case bytes.HasPrefix(b, []byte{0xff, 0xfe, 0, 0}), bytes.HasPrefix(b, []byte{0, 0, 0xfe, 0xff}), nulShare(b) > 60:
		return noted(utf32Text(b))
	case bytes.HasPrefix(b, []byte{0xff, 0xfe}):
		return noted(utf16Text(b[2:], true))
	case bytes.HasPrefix(b, []byte{0xfe, 0xff}):
		return noted(utf16Text(b[2:], false))
	}
	if strings.HasPrefix(cs, "utf-16") || strings.HasPrefix(cs, "utf16") || cs == "ucs-2" || cs == "unicode" || nulShare(b) > 30 {
		switch {
		case bytes.IndexByte(b, 0) >= 0:
			return noted(utf16Text(b, nulsAtOdd(b)))
		case utf8.Valid(b): // the label is wrong
			return noted(string(b))
		case strings.HasPrefix(cs, "utf-16"):
			return noted(utf16Text(b, !strings.HasSuffix(cs, "be")))
		}
	}
	switch cs {
	case "", "utf-8", "utf8", "us-ascii", "ascii", "ansi_x3.4-1968", "unknown-8bit", "x-unknown", "unknown", "default":
	case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1", "windows-1252", "cp1252", "cp-1252", "ansi":
		switch {
		case ascii(b):
			return string(b)
		case utf8.Valid(b): // no words of this charset look like that
			return noted(string(b))
		}
		return noted(cp1252(b))
	case "utf-7", "unicode-1-1-utf-7", "utf7":
		if bytes.IndexByte(b, '+') >= 0 {
			if s, ok := utf7(b); ok {
				return noted(s)
			}
		}
	default:
		if e := findEncoding(cs); e != nil {
			if _, single := e.(*charmap.Charmap); single && !ascii(b) && utf8.Valid(b) {
				return noted(string(b))
			}
			if o, err := e.NewDecoder().Bytes(b); err == nil {
				if !ascii(b) {
					noted("")
				}
				return string(bytes.TrimPrefix(o, []byte("\ufeff")))
			}
		}
		noted("")
	}
	if utf8.Valid(b) {
		return string(b)
	}
	return noted(cp1252(b))
}

func findEncoding(cs string) encoding.Encoding {
	switch cs {
	case "hz-gb-2312", "hz":
		return simplifiedchinese.HZGB2312
	case "cp-1250", "cp-1251", "cp-1253", "cp-1254", "cp-1257":
		cs = "windows-" + cs[3:]
	case "macintosh", "mac", "x-mac-roman":
		return charmap.Macintosh
	}
	if e, err := htmlindex.Get(cs); err == nil {
		if n, _ := htmlindex.Name(e); n != "replacement" {
			return e
		}
	}
	if e, err := ianaindex.MIME.Encoding(cs); err == nil && e != nil {
		return e
	}
	if e, err := ianaindex.IANA.Encoding(cs); err == nil && e != nil {
		return e
	}
	return nil
}

func wordReader(label string, r io.Reader) (io.Reader, error) {
	b, err := io.ReadAll(io.LimitReader(r, MaxText))
	if err != nil {
		return nil, fmt.Errorf("read encoded word: %w", err)
	}
	return strings.NewReader(decodeCharset(b, label, nil)), nil
}

func ascii(b []byte) bool {
	for _, c := range b {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

func cp1252(b []byte) string {
	s, _ := charmap.Windows1252.NewDecoder().Bytes(b) // every octet has a meaning
	return string(s)
}

// nulShare is the percentage of NUL octets.
func nulShare(b []byte) int {
	if len(b) == 0 {
		return 0
	}
	return 100 * bytes.Count(b, []byte{0}) / len(b)
}

func nulsAtOdd(b []byte) bool {
	var n [2]int
	for i, c := range b {
		if c == 0 {
			n[i&1]++
		}
	}
	return n[1] >= n[0]
}

func utf16Text(b []byte, little bool) string {
	u := make([]uint16, 0, len(b)/2)
	for i := 0; i+1 < len(b); i += 2 {
		if little {
			u = append(u, uint16(b[i])|uint16(b[i+1])<<8)
		} else {
			u = append(u, uint16(b[i+1])|uint16(b[i])<<8)
		}
	}
	return string(utf16.Decode(u))
}

// utf32Text decodes four octets a character, in the order in which they make
// sense.
func utf32Text(b []byte) string {
	var n [4]int
	for i, c := range b {
		if c == 0 {
			n[i&3]++
		}
	}
	little := n[3] >= n[0]
	var out strings.Builder
	for i := 0; i+3 < len(b); i += 4 {
		r := rune(b[i])<<24 | rune(b[i+1])<<16 | rune(b[i+2])<<8 | rune(b[i+3])
		if little {
			r = rune(b[i]) | rune(b[i+1])<<8 | rune(b[i+2])<<16 | rune(b[i+3])<<24
		}
		if r != 0xfeff {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// utf7 decodes RFC 2152.
func utf7(b []byte) (string, bool) {
	var out strings.Builder
	for i := 0; i < len(b); i++ {
		if b[i] >= 0x80 {
			return "", false
		}
		if b[i] != '+' {
			out.WriteByte(b[i])
			continue
		}
		j := i + 1
		for j < len(b) && base64Only(b[j:j+1]) && b[j] != '=' {
			j++
		}
		if j == i+1 {
			if j < len(b) && b[j] == '-' {
				i = j
			}
			out.WriteByte('+')
			continue
		}
		u := make([]byte, base64.RawStdEncoding.DecodedLen(j-i-1))
		n, err := base64.RawStdEncoding.Decode(u, b[i+1:j])
		if err != nil && n < 2 {
			return "", false
		}
		out.WriteString(utf16Text(u[:n&^1], false))
		i = j - 1
		if j < len(b) && b[j] == '-' {
			i = j
		}
	}
	return out.String(), true
}
