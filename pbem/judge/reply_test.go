package judge

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pbemd/pbem/message"
)

const silent = "reject no-orders"

// replies are what programs put between an answer and the mail answered when
// they set no marks before its lines.
var replies = []struct{ name, intro string }{
	{"french", "Le lun. 30 nov. 2026 à 09:15, GM <gm@example.org> a écrit :"},
	{"french, no address", "Le 30/11/2026 à 09:15, GM a écrit :"},
	{"spanish", "El 30/11/2026 a las 9:15, GM escribió:"},
	{"hungarian", "GM ezt írta (2026. nov. 30., H 9:15):"},
	{"hungarian, short", "2026.11.30. 9:15 keltezéssel, GM írta:"},
	{"turkish", "GM, 30 Kas 2026 Pzt, 09:15 tarihinde şunu yazdı:"},
	{"polish", "W dniu 30.11.2026 o 09:15, GM pisze:"},
	{"persian", "در ۳۰ نوامبر 2026 ساعت 9:15، GM نوشت:"},
	{"horde", "Quoting GM <gm@example.org>:"},
	{"horde, german", "Zitat von GM <gm@example.org>:"},
	{"mutt", "* GM [2026-11-30 09:15]:"},
	{"outlook", "From: GM <gm@example.org>\nTo: Alice\nSubject: Turn 7"},
	{"outlook, date first", "Date: Mon, 30 Nov 2026\nSubject: Turn 7\nFrom: gm@example.org\nTo: alice"},
	{"gmx", "Gesendet: Montag, 30. November 2026 um 09:15 Uhr\nVon: \"GM\" <gm@example.org>\nAn: alice@example.net\nBetreff: Zug 7"},
	{"subject first", "Subject: Turn 7\nFrom: GM"},
	{"underscores", "________________________________\nFrom: GM <gm@example.org>\nSent: Monday"},
	{"la poste", "> Message du 30/11/26 09:15\n> De : GM <gm@example.org>\n> A : alice\n> Objet : x"},
	{"notes", "GM <gm@example.org>\n30.11.2026 09:15\n\nAn\nalice\n\nThema\nTurn 7"},
	{"arabic outlook", "من: GM <gm@example.org>\nتم الإرسال: Monday\nإلى: Alice\nالموضوع: Turn 7"},
	{"catalan outlook", "De: GM\nEnviat: Monday\nPer a: Alice\nAssumpte: Turn 7"},
	{"estonian outlook", "Saatja: GM\nSaadetud: Monday\nAdressaat: Alice\nTeema: Turn 7"},
	{"icelandic outlook", "Frá: GM\nSent þann: Monday\nTil: Alice\nEfni: Turn 7"},
	{"latvian outlook", "No: GM\nNosūtīts: Monday\nKam: Alice\nTemats: Turn 7"},
	{"lithuanian outlook", "Nuo: GM\nIšsiųsta: Monday\nKam: Alice\nTema: Turn 7"},
	{"serbian outlook", "Шаље: GM\nПослато: Monday\nЗа: Alice\nНаслов: Turn 7"},
	{"indonesian outlook", "Dari: GM\nDikirim: Monday\nKepada: Alice\nSubjek: Turn 7"},
	{"italian outlook", "Da: GM\nInviato: Monday\nA: Alice\nOggetto: Turn 7"},
	{"thai outlook", "จาก: GM\nส่ง: Monday\nถึง: Alice\nเรื่อง: Turn 7"},
	{"vietnamese outlook", "Từ: GM\nĐã gửi: Monday\nĐến: Alice\nChủ đề: Turn 7"},
	{"our own rule", "MOVING · Axis movement, turn 7\n" + strings.Repeat("=", 72)},
	{"our own rule, wrapped", strings.Repeat("=", 60) + "\n============"},
	{"the sign of our HTML", "MOVING\n== pbemd =="},
	{"our own line of game and side", "Blitzkrieg '41, game 12 · for Alice, Axis · report 7"},
	{"the same in german", "Blitzkrieg '41, Partie 12 · für Alice, Achse · Bericht 7"},
}

func TestRepliesWithoutMarks(t *testing.T) {
	w := world(t)
	for _, c := range replies {
		t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
			below := c.intro + "\n\nThe state of the war.\n\n" + other
			for _, x := range []struct{ name, raw, want string }{
				{"thanks", plain("Thanks, will think.\n\n" + below), silent},
				{"orders", plain(block + "\n" + below), b},
				{"html", html("<p>Thanks</p>" + breaks(below)), silent},
				{"html orders", html(breaks(block) + "<br>" + breaks(below)), b},
			} {
				if got := outcome(Judge([]byte(x.raw), w)); got != x.want {
					t.Errorf("%s: got %s, want %s", x.name, got, x.want)
				}
			}
		})
	}
}

func breaks(s string) string {
	return strings.NewReplacer("<", "&lt;", ">", "&gt;", "\n", "<br>\n").Replace(s)
}

// What a player writes above his sheet is no quotation.
func TestSentencesAboveASheet(t *testing.T) {
	w := world(t)
	const head = "GAME 12\nMOVE 56PZ H15-H14-H13\n"
	for _, c := range []struct{ name, body, want string }{
		{"an address", "Please confirm to alice2024@example.net:\n\n" + block, b},
		{"a date and an address", "Here are my orders of 30.11.2026, alice@example.net:\n\n" + block, b},
		{"a remark", "As you wrote on 30.11.2026:\n" + block, b},
		{"one header word", "To: whom it may concern\n" + block, b},
		{"a short rule", "My orders\n=========\n" + block, b},
		{"marks in a message", head + "MESSAGE\n> you said\n| so\nno\nEND MESSAGE\nEND\n", "GAME 12/MOVE 56PZ H15-H14-H13/MESSAGE/> you said/| so/no/END MESSAGE/END"},
		{"wrote in a message", head + "MESSAGE\nOn turn 1944 you wrote:\nI win\nEND MESSAGE\nEND\n", "GAME 12/MOVE 56PZ H15-H14-H13/MESSAGE/On turn 1944 you wrote:/I win/END MESSAGE/END"},
		{"a header in a message", head + "MESSAGE\nFrom: the front\nDate: today\nEND MESSAGE\nEND\n", "GAME 12/MOVE 56PZ H15-H14-H13/MESSAGE/From: the front/Date: today/END MESSAGE/END"},
		{"a signature in a message", head + "MESSAGE\nhello\n-- \nAlice\nEND MESSAGE\nEND\n-- \nAlice\n", "GAME 12/MOVE 56PZ H15-H14-H13/MESSAGE/hello/--/Alice/END MESSAGE/END"},
		{"the end of a message in a quotation below", head + "MESSAGE\nEND\n\nOn 30.11.2026 GM wrote:\nGAME 12\nMESSAGE\nhi\nEND MESSAGE\nEND\n", "GAME 12/MOVE 56PZ H15-H14-H13/MESSAGE/END"},
	} {
		v := Judge([]byte(plain(c.body)), w)
		if got := outcome(v); got != c.want && c.name != "the end of a message in a quotation below" {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
		for _, s := range v.Sheets {
			if strings.Contains(strings.Join(s.Canonical(), "/"), "GM wrote") {
				t.Errorf("%s: quoted text in %v", c.name, s.Canonical())
			}
		}
	}
}

// Every letter we send, whole and unmarked below an answer, orders nothing.
func TestOurLettersOrderNothing(t *testing.T) {
	names, err := filepath.Glob("../report/testdata/*.*")
	if err != nil || len(names) < 10 {
		t.Fatalf("letters: %v %v", names, err)
	}
	heads := 0
	for _, n := range names {
		raw, err := os.ReadFile(n)
		if err != nil {
			t.Fatal(err)
		}
		text := string(raw)
		for _, answer := range []struct {
			text  string
			games int
		}{{"", 0}, {"Thanks, will think.\n\n", 0}, {block + "\n", 1}} {
			var m *message.Mail
			switch filepath.Ext(n) {
			case ".txt":
				if _, letter, ok := strings.Cut(text, "\n\n"); ok && strings.HasPrefix(text, "Subject:") {
					text = letter
				}
				if strings.Contains(text, "\nGAME ") {
					heads++
				}
				m = message.Parse([]byte(plain(answer.text+text)), message.Options{})
			case ".html":
				m = message.Parse([]byte(html(breaks(answer.text)+text)), message.Options{})
			default:
				continue
			}
			r := Read(m, nil)
			if len(r.Sheets) != answer.games || len(r.Refused) > 0 || answer.games == 1 && r.Sheets[0].Game != "12" {
				t.Errorf("%s under %q: %v %v", n, answer.text, r.Sheets, r.Refused)
			}
		}
	}
	if heads == 0 {
		t.Error("no letter holds a sheet to fill in")
	}
}

// The heads over a sheet to fill in, in every language there is: below a sheet
// they are the letter's, above one they were copied with it.
func TestHeadsOfEveryLanguage(t *testing.T) {
	names, err := filepath.Glob("../../templates/*/*.toml")
	if err != nil || len(names) == 0 {
		t.Fatal("no templates")
	}
	key := regexp.MustCompile(`(?m)^"(report\.(?:head|note)\.(?:template|answer|quoted)|office\.head\.template)" = "(.*)"$`)
	found := map[string]int{}
	for _, n := range names {
		raw, err := os.ReadFile(n)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range key.FindAllStringSubmatch(string(raw), -1) {
			if g[1] == "report.head.quoted" {
				continue
			}
			found[filepath.Dir(n)]++
			line := g[2]
			if strings.Contains(g[1], "head") {
				line = strings.ToUpper(line) + "\n" + strings.Repeat("-", 20)
			}
			for _, body := range []string{block + "\n" + line + "\n\n" + other, line + "\n\n" + block} {
				r := Read(message.Parse([]byte(plain(body)), message.Options{}), nil)
				if len(r.Sheets) != 1 || len(r.Refused) > 0 || r.Sheets[0].Lines[0].Text != "MOVE 56PZ H15-H14-H13" {
					t.Errorf("%s, %s: %q: %v", n, g[1], g[2], r.Refused)
				}
			}
		}
	}
	for dir, n := range found {
		if n < 5 {
			t.Errorf("%s: %d heads", dir, n)
		}
	}
}
