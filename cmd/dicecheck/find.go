package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"io/fs"
	"mime"
	"mime/quotedprintable"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"

	"pbemd/engine/dice"
)

// heap is what a player has given to be checked: files and folders, read into
// one pile.
type heap struct {
	name  string
	pile  dice.Pile
	notes []string // what couldn't be read
}

// tooLarge is the size in bytes beyond which a file, or a mail of a mailbox, is
// left alone.
const tooLarge = 256 << 20

// add reads a file, or every file under a folder.
func (h *heap) add(path string) error {
	return filepath.WalkDir(path, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && name == path:
			return err
		case err != nil:
			h.notes = append(h.notes, fmt.Sprintf("%s can't be read: %v", name, err))
			return nil
		case e.IsDir():
			return nil
		}
		info, err := os.Stat(name) // through symbolic links, as a shell would
		if err == nil && !info.Mode().IsRegular() {
			return nil
		}
		if err == nil {
			err = h.open(name, info.Size())
		}
		if err != nil && name == path {
			return err
		}
		if err != nil {
			h.notes = append(h.notes, fmt.Sprintf("%s can't be read: %v", name, err))
		}
		return nil
	})
}

var errTooLarge = fmt.Errorf("larger than %d MB", tooLarge>>20)

// open reads a file: a mailbox mail by mail, for it may be of any size, anything
// else as a whole.
func (h *heap) open(name string, size int64) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<16)
	if start, _ := r.Peek(len(byteOrderMark) + len(mboxStart)); bytes.HasPrefix(bytes.TrimPrefix(start, byteOrderMark), mboxStart) {
		return h.mbox(name, r)
	}
	if size > tooLarge {
		return errTooLarge
	}
	b, err := io.ReadAll(r)
	if err == nil {
		h.file(name, b)
	}
	return err
}

var (
	byteOrderMark = []byte("\xef\xbb\xbf")
	mboxStart     = []byte("From ")
)

// file finds the records of one file, be it a mail or plain text.
func (h *heap) file(name string, b []byte) {
	if !bytes.Contains(b, []byte("\n")) {
		b = bytes.ReplaceAll(b, []byte("\r"), []byte("\n"))
	}
	before := h.found()
	if m := unwrapped(b); looksLikeMail(m) {
		h.mail(name, m)
	}
	if h.found() == before {
		h.plain(name, b)
	}
}

// unwrapped takes off what programs put before the header of a mail they save: a
// byte order mark, empty lines, a mailbox's From line, Apple Mail's count of bytes.
func unwrapped(b []byte) []byte {
	b = bytes.TrimLeft(bytes.TrimPrefix(b, byteOrderMark), "\r\n")
	if line, rest, ok := bytes.Cut(b, []byte("\n")); ok &&
		(bytes.HasPrefix(line, []byte(">From ")) || len(bytes.Trim(line, "0123456789 \r")) == 0) {
		return rest
	}
	return b
}

func (h *heap) found() int { return len(h.pile.Records) + len(h.pile.Orders) }

var armour = []byte("-----BEGIN PBEM ")

func (h *heap) plain(where string, b []byte) {
	if !bytes.Contains(b, armour) {
		return
	}
	t := text(b, "")
	if pageStart.Match(b) { // a mail saved as a page
		t = bare(t)
	}
	h.pile.Add(where, t)
}

var pageStart = regexp.MustCompile(`(?i)^\s*(?:<!doctype html|<html)`)

// mbox reads a mailbox and finds the records of each mail. A mail begins with a
// From line at the start or after an empty line.
func (h *heap) mbox(name string, r *bufio.Reader) error {
	var mail []byte
	var err error
	large, count := false, 0
	done := func() {
		if count++; large {
			h.notes = append(h.notes, fmt.Sprintf("%s, mail %d can't be read: %v", name, count, errTooLarge))
		} else {
			h.file(fmt.Sprintf("%s, mail %d", name, count), mail)
		}
		mail, large = mail[:0], false
	}
	first, empty := true, false
	for err == nil {
		var line []byte
		line, err = r.ReadBytes('\n')
		switch {
		case first:
			first = false
			continue
		case empty && bytes.HasPrefix(line, mboxStart):
			done()
			empty = false
			continue
		}
		empty = len(bytes.TrimRight(line, "\r\n")) == 0
		if large = large || len(mail)+len(line) > tooLarge; !large {
			mail = append(mail, line...)
		}
	}
	done()
	if err == io.EOF {
		return nil
	}
	return err
}

var headerLine = regexp.MustCompile(`^[!-9;-~]+:`) // RFC 5322, 2.2

func looksLikeMail(b []byte) bool {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	return headerLine.Match(line)
}

// mail finds the records of one mail: in its parts of text and its attachments,
// and only if there are none in those, in its HTML.
func (h *heap) mail(where string, b []byte) {
	before := h.found()
	var pages []page
	h.part(where, b, time.Time{}, 0, &pages)
	if h.found() > before {
		return
	}
	for _, p := range pages {
		h.pile.AddMail(where+", HTML", p.text, p.came)
	}
}

// page is the text of an HTML part and when its mail came.
type page struct {
	text string
	came time.Time
}

// part looks into one MIME part. Whatever is wrong with it is passed over: a
// record that got lost that way shows as a gap.
func (h *heap) part(where string, b []byte, came time.Time, depth int, pages *[]page) {
	if depth > 20 {
		return
	}
	head, body := splitHeader(b)
	if t := received(head["received"]); !t.IsZero() {
		came = t
	}
	kind, params, err := mime.ParseMediaType(head["content-type"])
	if err != nil {
		kind, _, _ = strings.Cut(head["content-type"], ";")
		kind = strings.ToLower(strings.TrimSpace(kind))
	}
	if strings.HasPrefix(kind, "multipart/") {
		boundary := params["boundary"]
		if boundary == "" {
			boundary = looseBoundary(head["content-type"])
		}
		for i, p := range splitParts(body, boundary) {
			h.part(fmt.Sprintf("%s, part %d", where, i+1), p, came, depth+1, pages)
		}
		return
	}
	body = decode(body, head["content-transfer-encoding"])
	switch {
	case kind == "message/rfc822" || kind == "message/global":
		h.part(where, body, came, depth+1, pages)
	case kind == "text/html":
		*pages = append(*pages, page{bare(text(body, params["charset"])), came})
	case bytes.Contains(body, armour), strings.HasPrefix(strings.ToLower(params["charset"]), "utf-16"):
		h.pile.AddMail(where, text(body, params["charset"]), came)
	}
}

// received is the time in a Received field, which the server that took the mail
// has written behind the last semicolon; zero if there is none.
func received(field string) time.Time {
	date := field[strings.LastIndex(field, ";")+1:]
	date, _, _ = strings.Cut(date, "(")
	if _, after, ok := strings.Cut(date, ","); ok { // the day of the week
		date = after
	}
	t, _ := time.Parse("2 Jan 2006 15:04:05 -0700", strings.TrimSpace(date))
	return t
}

// splitHeader cuts a part at its first empty line and reads its fields.
func splitHeader(b []byte) (map[string]string, []byte) {
	head := map[string]string{}
	name := ""
	for len(b) > 0 {
		var line []byte
		line, b, _ = bytes.Cut(b, []byte("\n"))
		line = bytes.TrimSuffix(line, []byte("\r"))
		if len(line) == 0 {
			break
		}
		if line[0] == ' ' || line[0] == '\t' {
			if name != "" {
				head[name] += " " + string(bytes.TrimSpace(line))
			}
			continue
		}
		field, value, ok := bytes.Cut(line, []byte(":"))
		name = strings.ToLower(strings.TrimSpace(string(field)))
		if _, twice := head[name]; !ok || twice {
			name = ""
			continue
		}
		head[name] = string(bytes.TrimSpace(value))
	}
	return head, b
}

var boundaryForm = regexp.MustCompile(`(?i)boundary\s*=\s*(?:"([^"]*)"|([^;\s]+))`)

func looseBoundary(contentType string) string {
	m := boundaryForm.FindStringSubmatch(contentType)
	if m == nil {
		return ""
	}
	return m[1] + m[2]
}

func splitParts(b []byte, boundary string) [][]byte {
	if boundary == "" {
		return nil
	}
	var parts [][]byte
	mark := "--" + boundary
	from := -1
	for at := 0; at < len(b); {
		end := at + bytes.IndexByte(b[at:], '\n') + 1
		if end == at {
			end = len(b)
		}
		line := strings.TrimRight(string(b[at:end]), " \t\r\n")
		if line == mark || line == mark+"--" {
			if from >= 0 {
				parts = append(parts, b[from:at])
			}
			from = end
			if line != mark {
				return parts
			}
		}
		at = end
	}
	if from >= 0 { // the closing line is missing
		parts = append(parts, b[from:])
	}
	return parts
}

// decode undoes a transfer encoding as far as it goes.
func decode(b []byte, encoding string) []byte {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "base64":
		clean := bytes.Map(func(r rune) rune {
			if r < 0x80 && strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", r) {
				return r
			}
			return -1
		}, b)
		out, err := base64.RawStdEncoding.DecodeString(string(clean[:len(clean)-len(clean)%4]))
		if rest := clean[len(clean)-len(clean)%4:]; err == nil && len(rest) > 1 {
			if tail, err := base64.RawStdEncoding.DecodeString(string(rest)); err == nil {
				out = append(out, tail...)
			}
		}
		return out
	case "quoted-printable":
		out, err := io.ReadAll(quotedprintable.NewReader(bytes.NewReader(b)))
		if err != nil && len(out) < len(b)/8 {
			return b
		}
		return out
	}
	return b
}

// text turns bytes into UTF-8. What is UTF-8 is known by its bytes, whatever its
// label says; what has no label that is known is Western 8-bit text.
func text(b []byte, charset string) string {
	charset = strings.ToLower(charset)
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	switch {
	case strings.HasPrefix(charset, "utf-16"), bytes.HasPrefix(b, []byte("\xff\xfe")), bytes.HasPrefix(b, []byte("\xfe\xff")):
		return wide(b, strings.HasSuffix(charset, "le"))
	case utf8.Valid(b):
		return string(b)
	}
	if e, err := htmlindex.Get(charset); err == nil {
		if t, err := e.NewDecoder().Bytes(b); err == nil {
			return string(t)
		}
	}
	r := make([]rune, 0, len(b))
	for _, c := range b {
		r = append(r, rune(c))
	}
	return string(r)
}

func wide(b []byte, little bool) string {
	switch {
	case bytes.HasPrefix(b, []byte("\xff\xfe")):
		little, b = true, b[2:]
	case bytes.HasPrefix(b, []byte("\xfe\xff")):
		little, b = false, b[2:]
	}
	u := make([]uint16, 0, len(b)/2)
	for ; len(b) >= 2; b = b[2:] {
		if little {
			u = append(u, uint16(b[1])<<8|uint16(b[0]))
		} else {
			u = append(u, uint16(b[0])<<8|uint16(b[1]))
		}
	}
	return string(utf16.Decode(u))
}

var (
	breaks = regexp.MustCompile(`(?i)<br[^>]*>\s?|</(?:p|div|pre|tr|li)>`)
	tags   = regexp.MustCompile(`<[^>]*>`)
)

// bare is the text of an HTML page, good enough to find armoured lines in.
func bare(page string) string {
	return html.UnescapeString(tags.ReplaceAllString(breaks.ReplaceAllString(page, "\n"), ""))
}
