package message

import (
	"regexp"
	"strings"
)

// letters puts whole words of any script into a pattern: \b knows ASCII only.
func letters(words ...string) string {
	return `(?:^|[^\p{L}])(?:` + strings.Join(words, "|") + `)(?:[^\p{L}]|$)`
}

// kinds of header lines that programs print above the message replied to.
const (
	fromLine = iota
	sentLine
	toLine
	subjectLine
)

// headerWords names the header lines in the languages of the common programs,
// in lower case.
var headerWords = func() map[string]int {
	m := map[string]int{}
	for kind, words := range []string{
		fromLine: `from|von|de|da|remitente|van|från|fra|lähettäjä|od|odesílatel|odosielateľ|feladó|de la|от|від|от кого|από|kimden|gönderen|` +
			`差出人|送信者|发件人|寄件者|寄件人|보낸 사람|보낸사람|מאת|men|šalje|pošiljatelj|من|از|saatja|frá|nuo|no|siuntėjas|sūtītājs|шаље|пошиљалац|дари|dari|จาก|từ|người gửi|nadawca|expéditeur|mittente|` +
			`отправитель|відправник|подател|expeditor|afsender|avsender|avsändare|afzender|absender`,
		sentLine: `sent|gesendet|envoyé|envoyé le|date|datum|data|inviato|enviado|enviado el|enviada em|enviada|fecha|verzonden|skickat|skickades|sendt|dato|` +
			`lähetetty|päiväys|päivämäärä|wysłano|odesláno|odoslané|dátum|elküldve|trimis|отправлено|дата|надіслано|изпратено|στάλθηκε|ημερομηνία|gönderildi|tarih|` +
			`gönderme tarihi|送信日時|日付|日時|发送时间|时间|日期|寄件日期|傳送時間|보낸 날짜|날짜|보낸 시간|נשלח|תאריך|تاريخ|التاريخ|تم الإرسال|أرسلت|ارسال|ارسال شده|تاریخ|poslano|poslato|` +
			`datum slanja|enviat|enviat el|saadetud|kuupäev|sent þann|dagsetning|dags|išsiųsta|data ir laikas|nosūtīts|datums|послато|датум|dikirim|tanggal|terkirim|ส่ง|ส่งแล้ว|ส่งเมื่อ|วันที่|đã gửi|ngày|gửi|am|on`,
		toLine: `to|an|à|a|para|aan|till|til|vastaanottaja|do|komu|címzett|către|catre|кому|до|προς|kime|alıcı|宛先|收件人|收件者|받는 사람|받는사람|אל|za|prima|primatelj|إلى|per a|به|` +
			`adressaat|saaja|kam|gavėjas|kam:|прима|за|kepada|untuk|ke|ถึง|đến|tới|người nhận|empfänger|destinatario|destinataire|destinatário|ontvanger|modtager|mottagare|mottaker|adresat|příjemce|получатель`,
		subjectLine: `subject|betreff|objet|oggetto|asunto|assunto|onderwerp|ämne|emne|aihe|temat|předmět|predmet|tárgy|subiect|тема|относно|θέμα|konu|件名|主题|主题|主旨|主題|제목|נושא|` +
			`الموضوع|موضوع|assumpte|teema|efni|tema|temats|temă|наслов|naslov|subjek|perihal|judul|เรื่อง|หัวเรื่อง|chủ đề|tiêu đề|zadeva|thema|viðfangsefni`,
	} {
		for _, w := range strings.Split(words, "|") {
			m[w] = kind
		}
	}
	return m
}()

// headerKind tells a printed header line and what it names; -1 is none. A word
// alone with nothing behind its colon counts: the value may stand below.
func headerKind(l string) int {
	if len(l) > 400 {
		return -1
	}
	i := strings.IndexByte(l, ':')
	if j := strings.Index(l, "："); j >= 0 && (i < 0 || j < i) {
		i = j
	}
	if i <= 0 || i > 60 {
		return -1
	}
	if k, ok := headerWords[strings.Trim(strings.ToLower(l[:i]), " *_\u200f\u200e")]; ok {
		return k
	}
	return -1
}

// bareKind is headerKind of a word that stands alone, without a colon.
func bareKind(l string) int {
	if l == "" || len(l) > 60 {
		return -1
	}
	if k, ok := headerWords[strings.ToLower(strings.TrimRight(l, " :"))]; ok {
		return k
	}
	return -1
}

// headerBlock says that a printed header begins with line 0 of the given ones:
// two or more header lines of different kinds, one of them about the sender or
// the subject, within five lines that aren't blank.
func headerBlock(lines []string) bool {
	first := headerKind(lines[0])
	if first < 0 {
		return false
	}
	var seen [4]bool
	seen[first] = true
	kinds, full := 1, 1
	for _, l := range lines[1:] {
		if l == "" {
			break
		}
		if full++; full > 5 {
			break
		}
		if k := headerKind(l); k >= 0 && !seen[k] {
			seen[k] = true
			kinds++
		}
	}
	return kinds >= 2 && (seen[fromLine] || kinds >= 3 || seen[subjectLine] && seen[sentLine])
}

// lotusBlock knows the header that Notes prints: the words alone in their
// lines, their values below.
func lotusBlock(lines []string) bool {
	if bareKind(lines[0]) != toLine {
		return false
	}
	full := 0
	for _, l := range lines[1:] {
		if l == "" {
			continue
		}
		if full++; full > 5 {
			return false
		}
		if bareKind(l) == subjectLine {
			return true
		}
	}
	return false
}

// Marks of our own letters, whatever program quotes them and however: the rule
// below the head of the text, the sign in the head of the HTML, the line that
// names game, player and report, and the heads over sheets to fill in.
var (
	letterRule = regexp.MustCompile(`^(={50,}|=+ pbemd =+)$`)
	letterGame = regexp.MustCompile(`(?i)(^|, )(game|partie) [0-9][0-9a-z]{0,19}( · | - )(for|für) .+, .+`)
)

// letterHeads are the heads and notes over the sheets to fill in, in every
// language of the templates, as their lines begin.
var letterHeads = []string{
	"your next orders", "your answer", "ihre nächsten befehle", "ihre antwort",
	"copy these lines to the top of your reply", "kopieren sie diese zeilen an den anfang",
}

var letterNotes = []string{
	"reply, and copy these lines to the top of your", "quoted lines are never carried out",
	"antworten sie auf diese mail und kopieren sie diese", "zitierte zeilen werden nie ausgeführt",
}

// ownLetter looks for one of our own letters at line 0. -1 means that one begins
// there, or stands about it. A number is how many lines were copied out of one
// along with the sheet that stands directly below them: in a letter there is
// always more between its head and a sheet, and a player who copies the sheet
// that he is to fill in takes the words above it for a part of it. Below a sheet
// for the same game it is the letter all the same.
func ownLetter(lines []string, ended func(game string) bool) int {
	if letterMark(lines) == 0 {
		return 0
	}
	tail := 0 // lines that a note may go on for
	for i := 0; i < len(lines); {
		n := letterMark(lines[i:])
		switch l := lines[i]; {
		case n > 0:
			if tail = 0; letterNote(l) {
				tail = 3
			}
			i += n
		case sheetHead.MatchString(l):
			if ended(sheetGame(l)) {
				return -1
			}
			return i
		case strings.Trim(l, "-=") == "":
			i++
		case tail > 0:
			tail--
			i++
		default:
			return -1
		}
	}
	return -1
}

// letterMark is how many lines of a letter's marks begin with line 0.
func letterMark(lines []string) int {
	l := lines[0]
	if len(l) < 8 || len(l) > 400 {
		return 0
	}
	if letterRule.MatchString(l) || letterGame.MatchString(l) {
		return 1
	}
	if letterNote(l) {
		return 1
	}
	low := strings.ToLower(l)
	for _, h := range letterHeads {
		if !strings.HasPrefix(low, h) {
			continue
		}
		for i, below := range lines[1:] {
			if below == "" {
				continue
			}
			if len(below) > 8 && strings.Trim(below, "-") == "" {
				return i + 2
			}
			break
		}
	}
	return 0
}

// letterNote is the first line of a note over a sheet to fill in.
func letterNote(l string) bool {
	low := strings.ToLower(l)
	for _, n := range letterNotes {
		if strings.HasPrefix(low, n) {
			return true
		}
	}
	return false
}

// sheetGame is the number in the heading of a sheet.
func sheetGame(l string) string {
	g := sheetNumber.FindStringSubmatch(l)
	if g == nil {
		return ""
	}
	return strings.ToUpper(g[1])
}

var sheetNumber = regexp.MustCompile(`(?i)^GAME\b[ :#=]*(?:N[or]\.? ?)?([0-9][0-9a-z]*)`)

// How a quotation is introduced without a word for "wrote".
var (
	quoting    = regexp.MustCompile(`(?i)^(quoting|zitat von|zitiere|citando|citat från|citat fra|quotando|citation de|cytowanie|citace|citát|cituji) .+:$`)
	muttLike   = regexp.MustCompile(`^\*? ?.{1,80} \[[^\]]*[0-9]{2,4}[^\]]*\]:$`)
	laPoste    = regexp.MustCompile(`(?i)^message du .*[0-9]`)
	remark     = regexp.MustCompile(`(?i)^(as|like|see|here|please|wie|siehe|hier|bitte|comme|voici|como|come) `) // a sentence, not a name or a date
	addrMarked = regexp.MustCompile(`(<|\[mailto:|&lt;)[^\s<>@]+@[^\s<>@]+(>|\]|&gt;)`)
)

// blockMessage matches the lines of a text that is passed on word for word.
var (
	sheetHead  = regexp.MustCompile(`(?i)^GAME\b[ :#=]*(?:N[or]\.? ?)?[0-9]`)
	messageEnd = regexp.MustCompile(`(?i)^END\s+MESSAGE[.]?$`)
)
