package auth

import (
	"strings"

	"pbemd/pbem/message"
)

// Results reads the verdict of our own mail server about the domain of from.
//
// authserv holds the identifier that our server writes, and behind it, set off
// by blanks or commas, further names by which our hosts sign their Received
// lines. Of all Authentication-Results only the topmost counts, only with our
// identifier, and only where a sender can't put it: above the Received line of
// our own server, with no hop from elsewhere above itself. A server that writes
// no Received line at all leaves the field as the very first one of the mail;
// there it counts as well.
func Results(m *message.Mail, authserv, from string) bool {
	names := strings.FieldsFunc(strings.ToLower(authserv), func(r rune) bool { return r == ' ' || r == ',' })
	if len(names) == 0 {
		return false
	}
	for i, f := range m.Fields {
		switch strings.ToLower(f.Name) {
		case "received":
			if h := hopOf(f.Value); !h.inside {
				return false
			}
		case "authentication-results":
			if i > 0 && !ours(m.Fields[i+1:], names) {
				return false
			}
			id, results, ok := parseResults(f.Value)
			return ok && id == names[0] && domainPass(results, domainOf(from))
		}
	}
	return false
}

// ours says that the next hop from elsewhere is the one to a host of ours.
func ours(fields []message.Field, names []string) bool {
	for _, f := range fields {
		if !strings.EqualFold(f.Name, "received") {
			continue
		}
		h := hopOf(f.Value)
		if h.inside {
			continue
		}
		for _, n := range names {
			if h.by == Domain(n) {
				return true
			}
		}
		return false
	}
	return false
}

// hop is what a Received line tells: the host that took the mail, and whether it
// was only handed on inside it (over LMTP, or by a program of its own).
type hop struct {
	by     string
	inside bool
}

func hopOf(v string) hop {
	words, ok := lexResults(strings.ReplaceAll(v, ";", " "))
	if !ok {
		return hop{}
	}
	var h hop
	from, with := false, ""
	for i, w := range words {
		text := strings.ToLower(w.text())
		switch next := i+1 < len(words); {
		case text == "from":
			from = true
		case text == "by" && h.by == "" && next:
			h.by = Domain(words[i+1].text())
		case text == "with" && with == "" && next:
			with = strings.ToLower(words[i+1].text())
		}
	}
	h.inside = !from && with == "" || strings.HasPrefix(with, "lmtp")
	return h
}

// word is what stands between blanks: key=value, or a value alone.
type resultWord struct {
	key    string // before the first = outside quotes; "" if there is none
	value  string
	quoted bool // a part of the key stood in quotes
	end    bool // the ; between two results
}

func (w resultWord) text() string {
	if w.key != "" {
		return w.key + "=" + w.value
	}
	return w.value
}

// lexResults takes a field apart as RFC 8601 and 5322 have it: quoted strings
// and comments are whole, whatever stands in them. What doesn't come out even,
// and a comment that holds a quotation mark (servers copy names of the sender's
// choice there), is not read at all.
func lexResults(s string) (out []resultWord, ok bool) {
	var cur strings.Builder
	var w resultWord
	open, hasKey, quoted := false, false, false
	flush := func() {
		if open {
			w.value = cur.String()
			if !hasKey {
				w.quoted = quoted
			}
			out = append(out, w)
		}
		cur.Reset()
		w, open, hasKey, quoted = resultWord{}, false, false, false
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case ' ', '\t', '\r', '\n':
			flush()
		case ';':
			flush()
			out = append(out, resultWord{end: true})
		case '(':
			flush()
			depth := 1
			for i++; i < len(s) && depth > 0; i++ {
				switch s[i] {
				case '\\':
					i++
				case '(':
					depth++
				case ')':
					depth--
				case '"':
					return nil, false
				}
			}
			if i--; depth > 0 {
				return nil, false
			}
		case ')':
			return nil, false
		case '"':
			open, quoted = true, true
			closed := false
			for i++; i < len(s); i++ {
				if s[i] == '"' {
					closed = true
					break
				}
				if s[i] == '\\' {
					if i++; i == len(s) {
						break
					}
				}
				cur.WriteByte(s[i])
			}
			if !closed {
				return nil, false
			}
		case '=':
			if open && !hasKey {
				w.key, w.quoted = cur.String(), quoted
				cur.Reset()
				hasKey = true
				continue
			}
			open = true
			cur.WriteByte(c)
		default:
			open = true
			cur.WriteByte(c)
		}
	}
	flush()
	return joined(out), true
}

// joined puts together what blanks around = have set apart.
func joined(in []resultWord) (out []resultWord) {
	for i := 0; i < len(in); i++ {
		w := in[i]
		next := func() bool { return i+1 < len(in) && !in[i+1].end }
		switch {
		case w.end || w.quoted:
		case w.key == "" && next() && in[i+1].key == "" && strings.HasPrefix(in[i+1].value, "="):
			w.key, w.value = w.value, in[i+1].value[1:]
			if i++; w.value == "" && next() && in[i+1].key == "" {
				i++
				w.value = in[i].value
			}
		case w.key != "" && w.value == "" && next() && in[i+1].key == "":
			i++
			w.value = in[i].value
		}
		out = append(out, w)
	}
	return out
}

// result is the verdict of one method, with its properties.
type result struct {
	method, value string
	props         map[string]string
}

// parseResults reads an Authentication-Results field. It refuses one in which a
// property stands twice with different values, or DMARC with different verdicts:
// somebody has talked the server into writing down more than it found.
func parseResults(v string) (id string, out []result, ok bool) {
	words, ok := lexResults(v)
	if !ok || len(words) == 0 || words[0].end || words[0].key != "" {
		return "", nil, false
	}
	id = strings.ToLower(words[0].value)
	i := 1
	for i < len(words) && !words[i].end { // the version
		if i > 1 || words[i].key != "" {
			return "", nil, false
		}
		i++
	}
	dmarc := ""
	for i < len(words) {
		i++ // the ;
		var r result
		for first := true; i < len(words) && !words[i].end; i, first = i+1, false {
			w := words[i]
			if w.quoted {
				return "", nil, false
			}
			key, value := strings.ToLower(w.key), strings.ToLower(w.value)
			switch {
			case first:
				method, _, _ := strings.Cut(key, "/")
				r = result{method: method, value: value, props: map[string]string{}}
			case key == "":
			default:
				if was, twice := r.props[key]; twice && was != value {
					return "", nil, false
				}
				r.props[key] = value
			}
		}
		if r.method == "dmarc" {
			verdict := r.value + " " + r.props["header.from"]
			if dmarc != "" && dmarc != verdict {
				return "", nil, false
			}
			dmarc = verdict
		}
		if r.method != "" {
			out = append(out, r)
		}
	}
	return id, out, true
}

// domainPass wants dmarc=pass for the From domain, or, where DMARC says
// nothing, an aligned dkim=pass.
func domainPass(results []result, domain string) bool {
	dkimPass := false
	for _, r := range results {
		switch r.method {
		case "dmarc":
			switch r.value {
			case "pass":
				return Domain(r.props["header.from"]) == domain
			case "none":
			default:
				return false
			}
		case "dkim":
			signer := r.props["header.d"]
			if signer == "" {
				i := r.props["header.i"]
				signer = i[strings.LastIndexByte(i, '@')+1:]
			}
			if r.value == "pass" && aligned(signer, domain, false) {
				dkimPass = true
			}
		}
	}
	return dkimPass
}
