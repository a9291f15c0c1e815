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
		return b, true
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
// base64: list servers glue their footers below. Missing padding and pieces
// that were padded each for itself are understood.
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
	ended := false
	for _, line := range bytes.Split(b, []byte{'\n'}) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if !base64Only(line) || ended && len(line)%4 != 0 {
			break
		}
		ended = false
		for _, c := range line {
			if c == '=' {
				if len(group) > 0 {
					flush()
				}
				ended = true
				continue
			}
			if c == '-' {
				c = '+'
			} else if c == '_' {
				c = '/'
			}
			group = append(group, c)
		}
	}
	flush()
	return out
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

// uudecode finds the first uuencoded file of a text. rest is the text without it.
func uudecode(b []byte) (name string, data, rest []byte, ok bool) {
	lines := bytes.Split(b, []byte{'\n'})
	for i, l := range lines {
		f := strings.Fields(string(l))
		if len(f) < 3 || f[0] != "begin" || !octal(f[1]) {
			continue
		}
		for j := i + 1; j < len(lines); j++ {
			l := bytes.TrimRight(lines[j], " \t")
			if string(l) == "end" {
				rest = bytes.Join(append(append([][]byte{}, lines[:i]...), lines[j+1:]...), []byte{'\n'})
				return strings.Join(f[2:], " "), data, rest, true
			}
			if len(l) == 0 || l[0] == '`' || l[0] == ' ' {
				continue
			}
			n := int(l[0]-' ') & 63
			if l[0] < ' ' || l[0] > '`' {
				return "", nil, b, false
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
		return "", nil, b, false
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
	case bytes.HasPrefix(b, []byte{0xff, 0xfe}):
		return noted(utf16Text(b[2:], true))
	case bytes.HasPrefix(b, []byte{0xfe, 0xff}):
		return noted(utf16Text(b[2:], false))
	}
	if strings.HasPrefix(cs, "utf-16") || strings.HasPrefix(cs, "utf16") || cs == "ucs-2" || cs == "unicode" || nulShare(b) > 30 {
		if nulShare(b) > 10 {
			return noted(utf16Text(b, nulsAtOdd(b)))
		}
		if strings.HasPrefix(cs, "utf-16") && !utf8.Valid(b) {
			return noted(utf16Text(b, !strings.HasSuffix(cs, "be")))
		}
	}
	switch cs {
	case "", "utf-8", "utf8", "us-ascii", "ascii", "ansi_x3.4-1968", "unknown-8bit", "x-unknown", "unknown", "default":
	case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1", "windows-1252", "cp1252", "cp-1252", "ansi":
		if !ascii(b) {
			return noted(cp1252(b))
		}
		return string(b)
	case "utf-7", "unicode-1-1-utf-7", "utf7":
		if bytes.IndexByte(b, '+') >= 0 {
			if s, ok := utf7(b); ok {
				return noted(s)
			}
		}
	default:
		if e := findEncoding(cs); e != nil {
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
