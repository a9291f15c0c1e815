package main

import (
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
	"unicode/utf16"
	"unicode/utf8"

	"pbemd/engine/dice"
)

// heap is what a player has given to be checked: files and folders, read into
// one pile.
type heap struct {
	name  string
	pile  dice.Pile
	files int
	notes []string
}

// tooLarge is the size beyond which a file is left alone.
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
		if err == nil && info.Size() > tooLarge {
			h.notes = append(h.notes, fmt.Sprintf("%s is left out: larger than %d MB", name, tooLarge>>20))
			return nil
		}
		var b []byte
		if err == nil {
			b, err = os.ReadFile(name)
		}
		if err != nil && name == path {
			return err
		}
		if err != nil {
			h.notes = append(h.notes, fmt.Sprintf("%s can't be read: %v", name, err))
			return nil
		}
		h.files++
		h.file(name, b)
		return nil
	})
}

// file finds the records of one file, be it a mail, a mailbox or plain text.
func (h *heap) file(name string, b []byte) {
	before := h.found()
	switch {
	case bytes.HasPrefix(b, []byte("From ")):
		for i, m := range splitMbox(b) {
			where := fmt.Sprintf("%s, mail %d", name, i+1)
			was := h.found()
			h.mail(where, m)
			if h.found() == was {
				h.plain(where, m)
			}
		}
		return
	case looksLikeMail(b):
		h.mail(name, b)
	}
	if h.found() == before {
		h.plain(name, b)
	}
}

func (h *heap) found() int { return len(h.pile.Records) + len(h.pile.Orders) }

var armour = []byte("-----BEGIN PBEM ")

func (h *heap) plain(where string, b []byte) {
	if !bytes.Contains(b, armour) {
		return
	}
	t := text(b, "")
	if page.Match(b) { // a mail saved as a page
		t = bare(t)
	}
	h.pile.Add(where, t)
}

var page = regexp.MustCompile(`(?i)^\s*(?:<!doctype html|<html)`)

// splitMbox cuts a mailbox at its From lines.
func splitMbox(b []byte) [][]byte {
	var mails [][]byte
	for len(b) > 0 {
		end := len(b)
		for at := 0; ; {
			i := bytes.Index(b[at+1:], []byte("\nFrom "))
			if i < 0 {
				break
			}
			at += 1 + i
			if before := bytes.TrimSuffix(b[:at], []byte("\r")); bytes.HasSuffix(before, []byte("\n")) { // after an empty line
				end = at + 1
				break
			}
		}
		m := b[:end]
		if i := bytes.IndexByte(m, '\n'); bytes.HasPrefix(m, []byte("From ")) && i >= 0 {
			m = m[i+1:]
		}
		mails = append(mails, m)
		b = b[end:]
	}
	return mails
}

var headerLine = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*:`)

func looksLikeMail(b []byte) bool {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	return headerLine.Match(line)
}

// mail finds the records of one mail: in its parts of text and its attachments,
// and only if there are none in those, in its HTML.
func (h *heap) mail(where string, b []byte) {
	before := h.found()
	var pages []string
	h.part(where, b, 0, &pages)
	if h.found() > before {
		return
	}
	for _, p := range pages {
		h.pile.Add(where+", HTML", p)
	}
}

// part looks into one MIME part. Whatever is wrong with it is passed over: a
// record that got lost that way shows as a gap.
func (h *heap) part(where string, b []byte, depth int, pages *[]string) {
	if depth > 20 {
		return
	}
	head, body := splitHeader(b)
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
			h.part(fmt.Sprintf("%s, part %d", where, i+1), p, depth+1, pages)
		}
		return
	}
	body = decode(body, head["content-transfer-encoding"])
	switch {
	case kind == "message/rfc822" || kind == "message/global":
		h.part(where, body, depth+1, pages)
	case kind == "text/html":
		*pages = append(*pages, bare(text(body, params["charset"])))
	case bytes.Contains(body, armour):
		h.pile.Add(where, text(body, params["charset"]))
	case strings.HasPrefix(params["charset"], "utf-16"):
		h.pile.Add(where, text(body, params["charset"]))
	}
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

// text turns bytes into UTF-8. Western 8-bit text is told from UTF-8 by its
// bytes, whatever its label says.
func text(b []byte, charset string) string {
	charset = strings.ToLower(charset)
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	switch {
	case strings.HasPrefix(charset, "utf-16"), bytes.HasPrefix(b, []byte("\xff\xfe")), bytes.HasPrefix(b, []byte("\xfe\xff")):
		return wide(b, strings.HasSuffix(charset, "le"))
	case utf8.Valid(b):
		return string(b)
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
