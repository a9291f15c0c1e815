package pbem

import (
	"regexp"
	"strings"

	"pbemd/engine"
	"pbemd/pbem/auth"
)

// What a mail says of what a player has written is bounded, or a short mail of
// his would make a long one of ours.
const (
	mostEcho     = 200     // characters of a line
	mostFindings = 40      // findings in one mail
	mostHTML     = 100_000 // octets; Gmail cuts at 102 KB
)

// echo is a player's line as it is shown to him.
func echo(s string) string {
	n := 0
	for i := range s {
		if n++; n > mostEcho {
			return s[:i] + "…"
		}
	}
	return s
}

// clip bounds what a letter echoes and finds.
func clip(l *Letter) {
	left, more := mostFindings, 0
	bound := func(list []Finding) []Finding {
		var out []Finding
		for _, f := range list {
			if left == 0 {
				more++
				continue
			}
			left--
			args := make(map[string]any, len(f.Args))
			for k, v := range f.Args {
				if s, ok := v.(string); ok {
					v = echo(s)
				}
				args[k] = v
			}
			f.Args = args
			out = append(out, f)
		}
		return out
	}
	l.Findings = bound(l.Findings)
	lines := make([]LetterLine, len(l.Lines))
	for i, line := range l.Lines {
		line.Text, line.Findings = echo(line.Text), bound(line.Findings)
		lines[i] = line
	}
	if l.Lines = lines; len(lines) == 0 {
		l.Lines = nil
	}
	if more > 0 {
		l.Notices = append(l.Notices, engine.T("office.more-findings", "n", more))
	}
	read := make([]ReadAs, len(l.ReadAs))
	for i, r := range l.ReadAs {
		read[i] = ReadAs{r.Line, echo(r.Was), echo(r.As)}
	}
	if l.ReadAs = read; len(read) == 0 {
		l.ReadAs = nil
	}
}

// redacted is a message to the other side without the keys of the game: a player
// who quotes one of our mails must not hand over his seat.
func (o *Office) redacted(t *table, words string) string {
	words = disarmed(words)
	keys := map[string]bool{}
	for i := range t.Seats {
		s := &t.Seats[i]
		for serial := 0; serial <= t.State.Serial+1; serial++ {
			keys[auth.Token(o.cfg.TokenKey, t.ID.String(), string(s.Side), uint64(serial), uint64(s.Epoch))] = true
		}
		if s.Moving != nil {
			keys[strings.ToLower(s.Moving.Word)] = true
		}
	}
	local, _, _ := strings.Cut(strings.ToLower(o.cfg.Mailbox), "@")
	var b strings.Builder
	for i := 0; i < len(words); {
		j := i
		for j < len(words) && alnum(words[j]) {
			j++
		}
		if j == i {
			b.WriteByte(words[i])
			i++
			continue
		}
		run := words[i:j]
		before := strings.ToLower(words[max(0, i-len(local)-24):i])
		tag := strings.LastIndex(before, local+"+g")
		address := tag >= 0 && strings.HasSuffix(before, "-") && !strings.ContainsAny(before[tag:], " \t\r\n@") && j < len(words) && words[j] == '@'
		if len(run) == auth.TokenLength && (address || keys[strings.ToLower(run)]) {
			run = "…"
		}
		b.WriteString(run)
		i = j
	}
	return b.String()
}

// disarmed takes the dashes from what looks like the armour of a record: words
// that a player sends must not be taken for a proof, or for a broken one.
func disarmed(words string) string { return armour.ReplaceAllString(words, "$1") }

var armour = regexp.MustCompile(`(?i)-{2,}\s*((?:BEGIN|END)\s+PBEM\s+[A-Z]+)\s*-*`)

func alnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
