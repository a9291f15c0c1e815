package message

import (
	"regexp"
	"strings"
	"unicode"
)

// Marks that open the message replied to or forwarded. Everything below is
// somebody else's text.
var (
	separator = regexp.MustCompile(`(?i)^\s*[-_=*]{2,}\s*(` + strings.Join([]string{
		// en de fr it es pt
		`original message`, `forwarded message`, `forwarded by`, `original appointment`, `reply message`,
		`ursprüngliche nachricht`, `originalnachricht`, `weitergeleitete nachricht`, `original-nachricht`, `urspr\. nachricht`, `weitergeleitet von`,
		`message d'origine`, `message original`, `message transféré`, `message transmis`, `courriel original`,
		`messaggio originale`, `messaggio inoltrato`, `inizio messaggio inoltrato`,
		`mensaje original`, `mensaje reenviado`, `mensagem original`, `mensagem encaminhada`,
		// nl sv da no fi
		`oorspronkelijk bericht`, `origineel bericht`, `doorgestuurd bericht`, `ursprungligt meddelande`, `vidarebefordrat meddelande`,
		`oprindelig meddelelse`, `original meddelelse`, `videresendt meddelelse`, `videresendt besked`, `opprinnelig melding`, `videresendt melding`,
		`alkuperäinen viesti`, `välitetty viesti`,
		// pl cs sk hu ro hr sl
		`oryginalna wiadomość`, `wiadomość oryginalna`, `wiadomość przekazana`, `przekazana wiadomość`, `treść przekazanej wiadomości`,
		`původní zpráva`, `přeposlaná zpráva`, `pôvodná správa`, `preposlaná správa`, `eredeti üzenet`, `továbbított üzenet`,
		`mesaj original`, `mesajul original`, `mesaj redirecționat`, `mesaj redirectionat`, `izvorna poruka`, `proslijeđena poruka`, `izvirno sporočilo`,
		// ru uk bg el tr
		`исходное сообщение`, `пересылаемое сообщение`, `пересланное сообщение`, `перенаправленное сообщение`, `початкове повідомлення`, `вихідне повідомлення`,
		`переслане повідомлення`, `оригинално съобщение`, `препратено съобщение`, `αρχικό μήνυμα`, `προωθημένο μήνυμα`, `orijinal mesaj`, `özgün ileti`,
		`yönlendirilen ileti`, `iletilen mesaj`, `yönlendirilmiş mesaj`,
		// ja zh ko he ar
		`元のメッセージ`, `転送メッセージ`, `転送されたメッセージ`, `原始邮件`, `邮件原件`, `转发邮件`, `已转发邮件`, `转发的邮件`, `原始郵件`, `轉寄郵件`, `轉寄的郵件`, `원본 메시지`, `원본 메일`,
		`전달된 메시지`, `הודעה מקורית`, `הודעה שהועברה`, `الرسالة الأصلية`, `رسالة معاد توجيهها`,
	}, "|") + `)`)

	appleForward = regexp.MustCompile(`(?i)^\s*(begin forwarded message|anfang der weitergeleiteten (e-mail|nachricht)|début du message (réexpédié|transféré)|` +
		`inizio messaggio inoltrato|inicio del mensaje reenviado|início da mensagem (reencaminhada|encaminhada)|begin doorgestuurd bericht|vidarebefordrat brev|` +
		`start på videresendt besked|videresendt melding|välitetty viesti alkaa|początek przekazywanej wiadomości|začátek přeposílané zprávy|` +
		`начало переадресованного сообщения|начало пересланного сообщения|továbbított levél kezdete|iletilmiş mesajın başlangıcı)\s*:\s*$`)

	// A line that introduces a quotation: a word for "wrote" in it, and a colon at its end.
	wrote = regexp.MustCompile(`(?i)(` + letters(`wrote`, `writes`, `écrit`, `a écrit`, `escribió`, `escreveu`, `schreef`, `skrev`, `írta`, `scris`, `yazdı`, `pisze`, `pisał`, `pisała`,
		`va escriure`, `ha escrit`, `kirjutas`, `skrifaði`, `rašė`, `parašė`, `rakstīja`, `napisa`, `је написао`, `menulis`, `schrieb am`, `schrieb`, `ha scritto`, `escribiu`) +
		`|schrieb|ha scritto|napisał|kirjoitti|napsal|napísal|ezt írta|написал|пишет|писал|написав|пише|написа|έγραψε|şunu yazdı|napisao|napisala|` +
		`のメッセージ|書きました|写道|寫道|님이 작성|כתב|كتب|نوشت|เขียน|đã viết|viết)`)
)

// sifted is the text of a view after quotations went out of it.
type sifted struct {
	lines  []string // normalised
	raw    []string
	quoted []string
	inside []bool // within MESSAGE … END MESSAGE
}

// sift normalises lines and leaves out quotations, forwarded and replied-to
// messages, and signatures.
func (m *Mail) sift(in []textLine, w *wordSet) sifted {
	type line struct {
		raw, text    string
		whole        string // with its marks
		quoted, stop bool
		marked       bool // quoted by a mark, not by HTML
	}
	lines := make([]line, 0, len(in))
	texts := make([]string, len(in)) // what is unquoted, "" elsewhere
	for n, l := range in {
		t := line{raw: strings.TrimSpace(l.text), quoted: l.quoted, stop: l.stop}
		t.whole = t.raw
		if !t.quoted {
			if rest, ok := unquote(t.raw); ok {
				t.quoted, t.raw, t.marked = true, rest, true
			}
		}
		var lw wordSet
		t.text = normalise(t.raw, &lw)
		if !t.quoted { // a note about what isn't read would be noise
			for k := range lw.m {
				w.add(k)
			}
			if strings.HasPrefix(t.text, ">") {
				t.quoted, t.text, t.marked = true, strings.TrimLeft(t.text, "> "), true
			}
		}
		if !t.quoted {
			texts[n] = t.text
		}
		lines = append(lines, t)
	}
	// next is the first line below i that isn't blank
	next := func(i int) int {
		for i++; i < len(lines) && lines[i].text == "" && !lines[i].quoted; i++ {
		}
		return i
	}
	window := func(i int) []string { return texts[i:min(len(texts), i+14)] }
	var s sifted
	cut := func(i int) {
		m.ignore("reply", "ignored.reply")
		for _, q := range lines[i:] {
			s.quoted = append(s.quoted, q.text)
		}
	}
	keep := func(text, raw string, inside bool) {
		s.lines = append(s.lines, text)
		s.raw = append(s.raw, raw)
		s.inside = append(s.inside, inside)
	}
	sheet, searched := false, -1
	game, ended := "", map[string]bool{} // the games of the sheets above that have their END
reading:
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		if l.stop {
			cut(i)
			break
		}
		if groupwise(i, func(j int) (string, bool) { return lines[j].raw, lines[j].marked }) {
			if n := next(i); n >= len(lines) || !lines[n].quoted || lines[n].stop {
				cut(i)
				break
			}
		}
		if l.quoted {
			if l.text != "" {
				m.ignore("quote", "ignored.quote")
			}
			s.quoted = append(s.quoted, l.text)
			if n := laPosteEnd(i, len(lines), func(j int) (string, bool) { return lines[j].text, lines[j].marked }); n > 0 {
				cut(i + 1)
				break
			}
			continue
		}
		if n := ownLetter(window(i), func(game string) bool { return ended[game] }); n != 0 {
			if n < 0 {
				cut(i)
				break
			}
			i += n - 1 // copied along with the sheet below
			continue
		}
		upper := l.text
		if len(upper) < 40 {
			upper = strings.ToUpper(strings.TrimRight(upper, ` .,:;!\`))
		}
		switch {
		case sheetHead.MatchString(l.text):
			sheet, game = true, sheetGame(l.text)
		case upper == "END":
			if sheet {
				ended[game] = true
			}
			sheet = false
		case upper == "MESSAGE" && sheet && i > searched:
			// a text between MESSAGE and END MESSAGE is its writer's own
			end := -1
			j := i + 1
			for ; j < len(lines) && !lines[j].stop; j++ {
				if lines[j].quoted {
					continue
				}
				if messageEnd.MatchString(lines[j].text) {
					end = j
					break
				}
				if letterRule.MatchString(lines[j].text) || sheetHead.MatchString(lines[j].text) {
					break
				}
			}
			if end < 0 {
				searched = j
				break
			}
			keep(l.text, l.raw, true)
			for i++; i <= end; i++ {
				t := lines[i].text
				if lines[i].quoted {
					t = "> " + t
				}
				keep(t, lines[i].whole, true)
			}
			i--
			continue reading
		}
		opens, length := false, 1
		switch {
		case separates(l.raw) || separates(l.text) || strings.HasSuffix(l.text, ":") && len(l.text) < 100 && appleForward.MatchString(l.text):
			opens = true
		case headerBlock(window(i)) || lotusBlock(window(i)):
			opens = true
		default:
			second := ""
			if i+1 < len(lines) && !lines[i+1].quoted {
				second = lines[i+1].text
			}
			third := ""
			if second != "" && i+2 < len(lines) && !lines[i+2].quoted {
				third = lines[i+2].text
			}
			length = attribution(l.text, second, third)
			if length == 0 && len(ended) > 0 && dated(l.text) {
				length = 1
			}
			opens = length > 0
		}
		if !opens {
			keep(l.text, l.raw, false)
			continue
		}
		if length == 0 {
			length = 1
		}
		// with marks below it only the marked lines are quoted, and an answer
		// may stand beneath
		if n := next(i + length - 1); n < len(lines) && lines[n].quoted && !lines[n].stop {
			i += length - 1
			continue
		}
		cut(i + length)
		break
	}
	m.dropSignature(&s)
	return s
}

// laPosteEnd knows the program that marks the header of the message replied to
// and nothing else: it gives the line where the marks end, or 0.
func laPosteEnd(i, n int, at func(int) (string, bool)) int {
	t, marked := at(i)
	if !marked || !laPoste.MatchString(t) {
		return 0
	}
	kinds := 0
	j := i + 1
	for ; j < n; j++ {
		t, marked := at(j)
		if !marked {
			break
		}
		if t == "" {
			continue
		}
		if headerKind(t) < 0 {
			return 0
		}
		kinds++
	}
	if kinds < 2 {
		return 0
	}
	return j
}

func separates(s string) bool {
	return len(s) > 8 && len(s) < 200 && strings.IndexByte("-_=*", s[0]) >= 0 && strings.IndexByte("-_=*", s[1]) >= 0 && separator.MatchString(s)
}

// attribution says how many lines from l on introduce a quotation: 0 to 3.
func attribution(l, second, third string) int {
	if introduces(l) {
		return 1
	}
	if len(l) <= 20 || !strings.ContainsFunc(l, unicode.IsDigit) || strings.HasSuffix(l, ":") {
		return 0
	}
	if strings.HasSuffix(second, ":") {
		if introduces(l + " " + second) {
			return 2
		}
		return 0
	}
	if strings.HasSuffix(third, ":") && len(third) < 40 && strings.Contains(second, "@") && introduces(l+" "+second+" "+third) {
		return 3
	}
	return 0
}

// dated is a line with a year and a time of day and a colon at its end. Below a
// sheet that has its END this introduces a quotation in any language.
func dated(l string) bool {
	return (strings.HasSuffix(l, ":") || strings.HasSuffix(l, "：")) && len(l) < 200 && clock.MatchString(l[:len(l)-1]) && year.MatchString(l)
}

var (
	clock   = regexp.MustCompile(`(^|[^\p{Nd}])\p{Nd}{1,2}[:.h]\p{Nd}{2}([^\p{Nd}]|$)`)
	year    = regexp.MustCompile(`(^|[^\p{Nd}])\p{Nd}{4}([^\p{Nd}]|$)|\p{Nd}{1,2}[./-]\p{Nd}{1,2}[./-]\p{Nd}{2,4}`)
	address = regexp.MustCompile(`[^\s<>@]+@[^\s<>@]+`)
)

// groupwise knows the program whose head stands between marks, with what was
// answered bare below: whether its head ends with line i.
func groupwise(i int, at func(int) (string, bool)) bool {
	s, marked := at(i)
	if !strings.HasSuffix(s, " >>>") || len(s) > 200 || !clock.MatchString(s) || !year.MatchString(s) {
		return false
	}
	if !marked && i > 0 { // in two lines
		_, marked = at(i - 1)
	}
	return marked
}

func introduces(l string) bool {
	if len(l) > 400 || l == "" {
		return false
	}
	if l[0] == '-' && l[len(l)-1] == '-' { // ---- On … wrote ----
		if t := strings.Trim(l, "- "); t != "" && wrote.MatchString(t) {
			l = t + ":"
		}
	}
	if !strings.HasSuffix(l, ":") && !strings.HasSuffix(l, "：") {
		// some programs set no colon
		if !addrMarked.MatchString(l) || !clock.MatchString(l) || !year.MatchString(l) || !wrote.MatchString(l[strings.LastIndexAny(l, ">)]")+1:]) {
			return false
		}
	}
	if quoting.MatchString(l) || muttLike.MatchString(l) {
		return true
	}
	rest := l
	if g := addrMarked.FindStringIndex(l); g != nil {
		rest = l[:g[0]] + l[g[1]:]
	}
	digits := 0
	for _, r := range rest {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	if digits >= 4 && len(rest) < len(l) {
		return true
	}
	if g := address.FindStringIndex(strings.TrimRight(l, ":： ")); g != nil && !remark.MatchString(l) && clock.MatchString(l[:g[0]]) && year.MatchString(l[:g[0]]) {
		return true // 30. Nov. 2026, 08:00 von gm@example.org:
	}
	return wrote.MatchString(l) && !remark.MatchString(l) && (digits >= 3 || strings.ContainsRune(l, '@'))
}

// unquote takes the quotation marks off a line; ok is false if it has none.
func unquote(s string) (string, bool) {
	if s == "" || s[0] != '>' && s[0] != '|' && !strings.HasPrefix(s, "＞") {
		if i := initials(s); i > 0 {
			return strings.TrimLeft(s[i:], " >"), true
		}
		return s, false
	}
	return strings.TrimLeft(s, " >|＞"), true
}

// initials is the length of a quotation mark like "AA> ".
func initials(s string) int {
	i := 0
	for i < len(s) && i < 4 && s[i] >= 'A' && s[i] <= 'Z' {
		i++
	}
	if i > 0 && i < len(s) && s[i] == '>' && (i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '>') {
		return i + 1
	}
	return 0
}

// dropSignature leaves out a signature below "-- " unless a sheet stands there.
func (m *Mail) dropSignature(s *sifted) {
	for i := len(s.lines) - 1; i >= 0; i-- {
		if s.inside[i] || s.raw[i] != "--" && s.raw[i] != "—" {
			if strings.HasPrefix(strings.ToUpper(s.lines[i]), "GAME ") {
				return
			}
			continue
		}
		m.ignore("signature", "ignored.signature")
		s.lines, s.raw = s.lines[:i], s.raw[:i]
		return
	}
}
