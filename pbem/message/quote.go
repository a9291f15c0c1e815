package message

import (
	"regexp"
	"strings"
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

	fromHeader = regexp.MustCompile(`(?i)^\s*\**(from|von|de|da|from|remitente|van|från|fra|lähettäjä|od|odesílatel|odosielateľ|feladó|de la|от|від|от кого|` +
		`από|kimden|gönderen|差出人|送信者|发件人|寄件者|寄件人|보낸 사람|보낸사람|מאת|من|šalje|pošiljatelj)\s*[:：]\**\s*\S`)

	sentHeader = regexp.MustCompile(`(?i)^\s*\**(sent|gesendet|envoyé|envoyé le|date|datum|data|inviato|enviado|enviado el|enviada em|enviada|fecha|verzonden|` +
		`skickat|skickades|sendt|dato|lähetetty|päiväys|päivämäärä|wysłano|odesláno|odoslané|dátum|elküldve|trimis|отправлено|дата|надіслано|изпратено|στάλθηκε|` +
		`ημερομηνία|gönderildi|tarih|gönderme tarihi|送信日時|日付|日時|发送时间|时间|日期|寄件日期|傳送時間|보낸 날짜|날짜|보낸 시간|נשלח|תאריך|تاريخ|التاريخ|poslano|datum slanja|am|on)\s*[:：]\**\s*\S`)

	// A line that introduces a quotation: a word for "wrote" in it, and a colon at its end.
	wrote = regexp.MustCompile(`(?i)(\bwrote\b|\bwrites\b|schrieb|\bécrit\b|ha scritto|\bescribió\b|\bescreveu\b|\bschreef\b|\bskrev\b|napisał|kirjoitti|` +
		`napsal|napísal|ezt írta|\bírta\b|\bscris\b|написал|пишет|писал|написав|пише|написа|έγραψε|şunu yazdı|\byazdı\b|napisao|napisala|je napisal|` +
		`のメッセージ|書きました|wrote|写道|寫道|님이 작성|כתב|كتب)`)
)

// sifted is the text of a view after quotations went out of it.
type sifted struct {
	lines  []string // normalised
	raw    []string
	quoted []string
}

// sift normalises lines and leaves out quotations, forwarded and replied-to
// messages, and signatures.
func (m *Mail) sift(in []textLine, w *wordSet) sifted {
	type line struct {
		raw, text    string
		quoted, stop bool
	}
	lines := make([]line, 0, len(in))
	for _, l := range in {
		t := line{raw: strings.TrimSpace(l.text), quoted: l.quoted, stop: l.stop}
		if !t.quoted {
			if rest, ok := unquote(t.raw); ok {
				t.quoted, t.raw = true, rest
			}
		}
		var lw wordSet
		t.text = normalise(t.raw, &lw)
		if !t.quoted { // a note about what isn't read would be noise
			for k := range lw.m {
				w.add(k)
			}
			if strings.HasPrefix(t.text, ">") {
				t.quoted, t.text = true, strings.TrimLeft(t.text, "> ")
			}
		}
		lines = append(lines, t)
	}
	// next is the first line below i that isn't blank
	next := func(i int) int {
		for i++; i < len(lines) && lines[i].text == "" && !lines[i].quoted; i++ {
		}
		return i
	}
	var s sifted
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		if l.stop {
			m.ignore("reply", "ignored.reply")
			for _, q := range lines[i:] {
				s.quoted = append(s.quoted, q.text)
			}
			break
		}
		if l.quoted {
			if l.text != "" {
				m.ignore("quote", "ignored.quote")
			}
			s.quoted = append(s.quoted, l.text)
			continue
		}
		opens, length := false, 1
		switch {
		case separates(l.raw) || separates(l.text) || strings.HasSuffix(l.text, ":") && len(l.text) < 100 && appleForward.MatchString(l.text):
			opens = true
		case looksLikeHeader(l.text) && fromHeader.MatchString(l.text):
			for j := i + 1; j <= i+4 && j < len(lines); j++ {
				if !lines[j].quoted && looksLikeHeader(lines[j].text) && sentHeader.MatchString(lines[j].text) {
					opens = true
				}
			}
		default:
			second := ""
			if i+1 < len(lines) && !lines[i+1].quoted {
				second = lines[i+1].text
			}
			if length = attribution(l.text, second); length > 0 {
				opens = true
			}
		}
		if !opens {
			s.lines = append(s.lines, l.text)
			s.raw = append(s.raw, l.raw)
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
		m.ignore("reply", "ignored.reply")
		for _, q := range lines[i+length:] {
			s.quoted = append(s.quoted, q.text)
		}
		break
	}
	m.dropSignature(&s)
	return s
}

func separates(s string) bool {
	return len(s) > 8 && len(s) < 200 && strings.IndexByte("-_=*", s[0]) >= 0 && strings.IndexByte("-_=*", s[1]) >= 0 && separator.MatchString(s)
}

// looksLikeHeader spares a text line the long patterns: a name of at most
// forty octets and a colon.
func looksLikeHeader(s string) bool {
	i := strings.IndexByte(s, ':')
	if i < 0 {
		i = strings.Index(s, "：")
	}
	return i > 0 && i <= 40 && len(s) < 400
}

// attribution says how many lines from l on introduce a quotation: 0, 1 or 2.
func attribution(l, second string) int {
	if introduces(l) {
		return 1
	}
	if len(l) > 20 && strings.ContainsAny(l, "0123456789") && second != "" && strings.HasSuffix(second, ":") && !strings.HasSuffix(l, ":") && introduces(l+" "+second) {
		return 2
	}
	return 0
}

func introduces(l string) bool {
	if !strings.HasSuffix(l, ":") && !strings.HasSuffix(l, "：") || len(l) > 400 {
		return false
	}
	digits := 0
	for i := 0; i < len(l); i++ {
		if l[i] >= '0' && l[i] <= '9' {
			digits++
		}
	}
	if digits >= 4 && strings.ContainsRune(l, '@') {
		return true
	}
	return wrote.MatchString(l) && (digits >= 3 || strings.ContainsRune(l, '@'))
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
		if s.raw[i] != "--" && s.raw[i] != "—" {
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
