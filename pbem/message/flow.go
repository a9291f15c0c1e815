package message

import "strings"

// unflow undoes format=flowed (RFC 3676): it unstuffs lines and joins soft
// breaks. It never joins when the next line begins with an order keyword, and
// never after a line that is complete in itself, for many programs leave a
// blank at the end of every line.
func unflow(s string, delsp bool, keyword func(string) bool, m *Mail) string {
	lines := strings.Split(s, "\n")
	out := make([]string, 0, len(lines))
	joining := false
	for _, l := range lines {
		quoted := strings.HasPrefix(l, ">")
		if !quoted {
			l = strings.TrimPrefix(l, " ")
		}
		soft := strings.HasSuffix(l, " ") && l != "-- " && !quoted
		if joining && len(out[len(out)-1]) < maxJoined && strings.TrimSpace(l) != "" && !quoted && l != "-- " && !keyword(firstWord(l)) && !complete(out[len(out)-1]) {
			p := out[len(out)-1]
			if delsp {
				p = strings.TrimSuffix(p, " ")
			}
			out[len(out)-1] = p + l
			m.note("flowed")
		} else {
			out = append(out, l)
		}
		joining = soft
	}
	return strings.Join(out, "\n")
}

// maxJoined is how long a line may grow by joining.
const maxJoined = 4000

// complete says that a line stands for itself: the heading of a sheet or its end.
func complete(l string) bool {
	f := strings.Fields(NormaliseCase(l))
	if len(f) == 0 {
		return true
	}
	return len(f) == 1 && (f[0] == "END" || f[0] == "CHECK" || f[0] == "CONTINUE" || f[0] == "AGAIN") ||
		f[0] == "GAME" || f[0] == "PHASE" && len(f) == 2 || len(f) == 2 && f[0] == "END"
}

// NormaliseCase is the normalised line in upper case, for comparing words.
func NormaliseCase(l string) string {
	t, _ := NormaliseLine(l)
	return strings.ToUpper(strings.TrimRight(t, " .,;:"))
}

func firstWord(l string) string {
	l, _ = NormaliseLine(l)
	l = strings.TrimLeft(l, " >")
	end := len(l)
	for i := 0; i < len(l); i++ {
		if !isLetter(l[i]) {
			end = i
			break
		}
	}
	return strings.ToUpper(l[:end])
}
