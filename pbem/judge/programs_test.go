package judge

import (
	"encoding/base64"
	"strings"
	"testing"
)

func b64(s string) string {
	e := base64.StdEncoding.EncodeToString([]byte(s))
	var out strings.Builder
	for len(e) > 76 {
		out.WriteString(e[:76] + "\n")
		e = e[76:]
	}
	return out.String() + e + "\n"
}

func as(kind, name, disposition, text string) string {
	return "Content-Type: " + kind + "; name=\"" + name + "\"\nContent-Disposition: " + disposition + "; filename=\"" + name + "\"\nContent-Transfer-Encoding: base64\n\n" + b64(text)
}

func marked(s string) string {
	return "> " + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n> ") + "\n"
}

// ps are the lines as paragraphs of HTML.
func ps(s string) string {
	return "<p>" + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "</p><p>") + "</p>"
}

const crlfBlock = "GAME 12\r\nMOVE 56PZ H15-H14-H13\r\nEND\r\n"

// programs are kinds of mail by the program that makes them, or spoils them.
var programs = []struct{ name, raw, want string }{
	// UTF-16 as it should not be sent: raw, with a label, without, with neither
	{"raw utf-16le, 8bit", mailOf("Content-Type: text/plain; charset=utf-16\nContent-Transfer-Encoding: 8bit", utf16le(block)), b},
	{"raw utf-16le, 8bit, CRLF", mailOf("Content-Type: text/plain; charset=utf-16le\nContent-Transfer-Encoding: 8bit", utf16le(crlfBlock)), b},
	{"raw utf-16be, 8bit, CRLF", mailOf("Content-Type: text/plain; charset=utf-16be\nContent-Transfer-Encoding: 8bit", utf16be(crlfBlock)), b},
	{"raw utf-16be, no encoding named", mailOf("Content-Type: text/plain; charset=utf-16", utf16be(crlfBlock)), b},
	{"raw utf-16le with a mark, no encoding named", mailOf("Content-Type: text/plain; charset=utf-16", "\xff\xfe"+utf16le(crlfBlock)), b},
	{"raw utf-16be with a mark, binary", mailOf("Content-Type: text/plain; charset=utf-16\nContent-Transfer-Encoding: binary", "\xfe\xff"+utf16be(crlfBlock)), b},
	{"raw utf-16le without any label", mailOf("Content-Type: text/plain", utf16le(crlfBlock)), b},
	{"raw utf-16le, header and text in CRLF", strings.ReplaceAll(mailOf("Content-Type: text/plain; charset=utf-16\nContent-Transfer-Encoding: 8bit", ""), "\n", "\r\n") + utf16le(crlfBlock), b},
	{"raw utf-16be, header in CRLF", strings.ReplaceAll(mailOf("Content-Type: text/plain; charset=utf-16\nContent-Transfer-Encoding: 8bit", ""), "\n", "\r\n") + utf16be(crlfBlock), b},
	{"raw utf-16le that a server gave CRLF", strings.ReplaceAll(mailOf("Content-Type: text/plain; charset=utf-16\nContent-Transfer-Encoding: 8bit", utf16le(block)), "\n", "\r\n"), b},
	{"raw utf-16be that a server gave CRLF", strings.ReplaceAll(mailOf("Content-Type: text/plain; charset=utf-16\nContent-Transfer-Encoding: 8bit", utf16be(block)), "\n", "\r\n"), b},
	{"raw utf-16le in a part", mixed("Content-Type: text/plain; charset=utf-16\n\n"+utf16le(crlfBlock), "Content-Type: text/plain\n\nfooter"), b},
	{"raw utf-16 with words beyond ASCII", mailOf("Content-Type: text/plain; charset=utf-16\nContent-Transfer-Encoding: 8bit", utf16le("Grüße – hier:\r\n"+crlfBlock)), b},
	{"utf-16 base64, big-endian, no mark", mailOf("Content-Type: text/plain; charset=utf-16\nContent-Transfer-Encoding: base64", b64(utf16be(crlfBlock))), b},
	{"utf-16 base64, no mark, cyrillic words", mailOf("Content-Type: text/plain; charset=utf-16\nContent-Transfer-Encoding: base64", b64(utf16le("Привет, вот мои приказы на этот ход:\r\n"+crlfBlock))), b},
	{"utf-16be quoted-printable", mailOf("Content-Type: text/plain; charset=UTF-16BE\nContent-Transfer-Encoding: quoted-printable", strings.NewReplacer("\x00", "=00", "\r", "=0D", "\n", "=0A").Replace(utf16be(crlfBlock))), b},
	{"utf-16 label over ASCII", mailOf("Content-Type: text/plain; charset=utf-16", block), b},
	{"utf-32le", mailOf("Content-Type: text/plain; charset=utf-32\nContent-Transfer-Encoding: base64", b64(utf32le(crlfBlock))), b},
	{"utf-32le with a mark, no label", mailOf("Content-Type: text/plain\nContent-Transfer-Encoding: base64", b64("\xff\xfe\x00\x00"+utf32le(crlfBlock))), b},
	{"html in utf-16", mailOf("Content-Type: text/html; charset=utf-16\nContent-Transfer-Encoding: 8bit", utf16le("<html><body>"+ps(block)+"</body></html>")), b},
	// other labels
	{"iso-8859-15", mailOf("Content-Type: text/plain; charset=ISO-8859-15", "10 \xa4\n"+block), b},
	{"windows-1250", mailOf("Content-Type: text/plain; charset=Windows-1250", "GAME 12\nMOVE 56PZ H15\x96H14\x97H13\nEND\n"), b},
	{"ibm850", mailOf("Content-Type: text/plain; charset=ibm850", "Gr\x81\xe1e\n"+block), b},
	{"cp437", mailOf("Content-Type: text/plain; charset=cp437", "Gr\x81\xe1e\n"+block), b},
	{"shift_jis", mailOf("Content-Type: text/plain; charset=Shift_JIS", "\x82\xb1\x82\xf1\x82\xc9\x82\xbf\x82\xcd\n"+block), b},
	{"euc-kr", mailOf("Content-Type: text/plain; charset=ks_c_5601-1987", "\xbe\xc8\xb3\xe7\n"+block), b},
	{"big5", mailOf("Content-Type: text/plain; charset=big5", "\xa7A\xa6n\n"+block), b},
	{"tis-620", mailOf("Content-Type: text/plain; charset=tis-620", "\xca\xc7\xd1\xca\n"+block), b},
	{"charset in quotes and blanks", mailOf("Content-Type: text/plain; charset = \" utf-8 \"", block), b},
	{"charset named twice", mailOf("Content-Type: text/plain; charset=utf-8; charset=iso-8859-1", block), b},
	{"utf-8 that says iso-8859-1", mailOf("Content-Type: text/plain; charset=iso-8859-1", "GAME 12\nMOVE 56PZ H15–H14–H13\nEND\n"), b},
	{"utf-8 that says us-ascii", mailOf("Content-Type: text/plain; charset=us-ascii", "GAME 12\nMOVE 56PZ H15–H14–H13\nEND\n"), b},
	{"utf-8 that says windows-1252, no-break spaces", mailOf("Content-Type: text/plain; charset=windows-1252", "GAME\u00a012\nMOVE\u00a056PZ\u00a0H15-H14-H13\nEND\n"), b},
	{"utf-8 that says iso-8859-15", mailOf("Content-Type: text/plain; charset=iso-8859-15", "GAME\u00a012\nMOVE 56PZ H15–H14–H13\nEND\n"), b},
	{"utf-8 that says windows-1251", mailOf("Content-Type: text/plain; charset=windows-1251", "GAME\u00a012\nMOVE 56PZ H15–H14–H13\nEND\n"), b},
	{"utf-8 that says koi8-r", mailOf("Content-Type: text/plain; charset=koi8-r", "Привет\nGAME 12\nMOVE 56PZ H15–H14–H13\nEND\n"), b},
	{"a byte-order mark in every line", plain("\ufeffGAME 12\n\ufeffMOVE 56PZ H15-H14-H13\n\ufeffEND\n"), b},
	{"double-encoded utf-8 spaces", plain("GAME\u00c2\u00a012\nMOVE\u00c2\u00a056PZ H15-H14-H13\nEND\n"), b},
	{"double-encoded dashes", plain("GAME 12\nMOVE 56PZ H15â€“H14â€“H13\nEND\n"), b},
	{"utf-8 with one broken octet", plain("Gr\xfc\xdfe – los\nGAME 12\nMOVE 56PZ H15–H14–H13\nEND\n"), b},
	{"numeric entities in plain text", plain("GAME&nbsp;12\nMOVE 56PZ H15&#8211;H14&#x2013;H13\nEND\n"), b},
	// transfer encodings
	{"quoted-printable without its label", mailOf("Content-Type: text/plain; charset=utf-8", "GAME=2012\nMOVE 56PZ H15=E2=80=93H14=\n=E2=80=93H13\nEND\n"), b},
	{"base64 without its label", mailOf("Content-Type: text/plain; charset=utf-8", b64(crlfBlock)), b},
	{"equals signs of orders", plain("GAME 12\nIF MP >=3: HOLD 1A\nIF MP >= 3: HOLD 2A\nIF MP =>3: HOLD 3A\nEND\n"), "GAME 12/IF MP >=3: HOLD 1A/IF MP >= 3: HOLD 2A/IF MP =>3: HOLD 3A/END"},
	{"quoted-printable, small hex", mailOf("Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: Quoted-Printable", "GAME=c2=a012\nMOVE 56PZ H15=e2=80=93H14=e2=80=93H13\nEND\n"), b},
	{"quoted-printable, blanks behind the soft break", mailOf("Content-Type: text/plain\nContent-Transfer-Encoding: quoted-printable", "GAME 12\nMOVE 56PZ H15-=  \nH14-H13\nEND\n"), b},
	{"base64 of html, one line of 3000 octets", mailOf("Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: base64", base64.StdEncoding.EncodeToString([]byte("<style>"+strings.Repeat("p{margin:0}", 200)+"</style>"+ps(block)))), b},
	{"base64 text, encoding said twice", mailOf("Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\nContent-Transfer-Encoding: 7bit", b64(block)), b},
	{"encoding with a comment", mailOf("Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64 (so it is)", b64(block)), b},
	{"7bit that is 8bit", mailOf("Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 7bit", "GAME 12\nMOVE 56PZ H15–H14–H13\nEND\n"), b},
	{"encoding x-unknown", mailOf("Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: x-unknown", block), b},
	{"quoted-printable multipart", mailOf("Content-Type: multipart/alternative; boundary=\"b\"\nContent-Transfer-Encoding: quoted-printable", "--b\nContent-Type: text/plain\n\n"+block+"\n--b--\n"), b},
	// typography
	{"no-break spaces everywhere", plain(strings.ReplaceAll("GAME 12\nMOVE 56PZ H15 - H14 - H13\nEND", " ", "\u00a0") + "\u00a0\n"), b},
	{"figure, punctuation and hair spaces", plain("GAME\u200712\nMOVE\u200856PZ\u200aH15-H14-H13\nEND\n"), b},
	{"a translated page's blanks", html("<div><font style=\"vertical-align: inherit;\"><font style=\"vertical-align: inherit;\">GAME&nbsp;12 </font></font></div><div><font>MOVE&nbsp;56PZ&nbsp;H15-H14-H13</font></div><div><font>END&nbsp;</font></div>"), b},
	{"invisible times and separator", plain("GAME\u2063 12\nMOVE\u2062 56PZ H15-H14-H13\nEND\u2061\n"), b},
	{"soft hyphens in words", plain("GA\u00adME 12\nMO\u00adVE 56PZ H15-H14-H13\nE\u00adND\n"), b},
	{"non-breaking hyphens", plain("GAME 12\nMOVE 56PZ H15\u2011H14\u2011H13\nEND\n"), b},
	{"figure dash, bars, small and wide hyphens", plain("GAME 12\nMOVE 56PZ H15\u2012H14\u2015H13\nMOVE 21IN K02\ufe63K03\uff0dK04\nEND\n"), "GAME 12/MOVE 56PZ H15-H14-H13/MOVE 21IN K02-K03-K04/END"},
	{"two-em dash, minus", plain("GAME 12\nMOVE 56PZ H15\u2e3aH14\u2212H13\nEND\n"), b},
	{"arrows from a phone", plain("GAME 12\nMOVE 56PZ H15 ➡️ H14 ▶️ H13\nEND\n"), b},
	{"arrow with a tail", plain("GAME 12\nMOVE 56PZ H15 ⤳ H14 ⤏ H13\nEND\n"), b},
	{"Wingdings arrow of Outlook in text", plain("GAME 12\nMOVE 56PZ H15 \uf0e0 H14 \uf0e0 H13\nEND\n"), b},
	{"Wingdings arrow of Outlook in HTML", html("<p>GAME 12</p><p>MOVE 56PZ H15 <span style='font-family:Wingdings'>à</span> H14 <span style=\"font-family: Wingdings\">&agrave;</span> H13</p><p>END</p>"), b},
	{"Symbol arrow in HTML", html("<p>GAME 12</p><p>MOVE 56PZ H15 <font face=\"Wingdings\">è</font> H14-H13</p><p>END</p>"), b},
	{"single arrow quotation marks", plain("GAME 12\nMOVE 56PZ H15 › H14 › H13\nEND\n"), b},
	{"double arrow quotation marks", plain("GAME 12\nMOVE 56PZ H15 » H14 » H13\nEND\n"), b},
	{"bullets of Word", plain("GAME 12\n·      HOLD 1A\n\u00b7\tHOLD 2A\n\uf0b7 HOLD 3A\n\u2023 HOLD 4A\n* HOLD 5A\nEND\n"), "GAME 12/HOLD 1A/HOLD 2A/HOLD 3A/HOLD 4A/HOLD 5A/END"},
	{"numbers of Word", plain("1. GAME 12\n2. MOVE 56PZ H15-H14-H13\n3. END\n"), b},
	{"numbers and tabs", plain("1.\tGAME 12\n2.\tMOVE 56PZ H15-H14-H13\n3.\tEND\n"), b},
	{"numbers, a bullet round each", plain("- GAME 12\n- MOVE 56PZ H15-H14-H13\n- END\n"), b},
	{"stars", plain("* GAME 12\n* MOVE 56PZ H15-H14-H13\n* END\n"), b},
	{"dots", plain("• GAME 12\n• MOVE 56PZ H15-H14-H13\n• END\n"), b},
	{"letters and roman numbers", plain("GAME 12\na. HOLD 1A\nii. HOLD 2A\niv) HOLD 3A\n(c) HOLD 4A\nEND\n"), "GAME 12/HOLD 1A/HOLD 2A/HOLD 3A/HOLD 4A/END"},
	{"numbers of two levels", plain("GAME 12\n1.1 HOLD 1A\n1.2. HOLD 2A\n1.2.3) HOLD 3A\nEND\n"), "GAME 12/HOLD 1A/HOLD 2A/HOLD 3A/END"},
	{"check boxes", plain("GAME 12\n- [ ] HOLD 1A\n- [x] HOLD 2A\n☑ HOLD 3A\n✅ HOLD 4A\n[ ] HOLD 5A\nEND\n"), "GAME 12/HOLD 1A/HOLD 2A/HOLD 3A/HOLD 4A/HOLD 5A/END"},
	{"keycap numbers", plain("GAME 12\n1️⃣ HOLD 1A\n2️⃣ HOLD 2A\nEND\n"), "GAME 12/HOLD 1A/HOLD 2A/END"},
	{"markdown headings and rules", plain("# Orders\n\n---\nGAME 12\nMOVE 56PZ H15-H14-H13\nEND\n---\n"), b},
	{"markdown fence with a language", plain("```text\nGAME 12\nMOVE 56PZ H15-H14-H13\nEND\n```\n"), b},
	{"markdown fence of tildes", plain("~~~\nGAME 12\nMOVE 56PZ H15-H14-H13\nEND\n~~~\n"), b},
	{"markdown quotation", plain("> GAME 12\n> HOLD 1A\n> END\n\n```\n" + block + "```\n"), b},
	{"markdown escapes", plain("GAME 12\nMOVE 56PZ H15\\-H14\\-H13\nEND\n"), b},
	{"markdown line breaks", plain("GAME 12\\\nMOVE 56PZ H15-H14-H13\\\nEND\n"), b},
	{"markdown line breaks, two orders", plain("GAME 12\\\nHOLD 1A\\\nHOLD 2A\\\nEND\\\n"), "GAME 12/HOLD 1A/HOLD 2A/END"},
	{"two blanks at the ends", plain("GAME 12  \nMOVE 56PZ H15-H14-H13  \nEND  \n"), b},
	{"indented as code", plain("    GAME 12\n    MOVE 56PZ H15-H14-H13\n    END\n"), b},
	{"slack and chat marks", plain("`\u200b``\nGAME 12\nMOVE 56PZ H15-H14-H13\nEND\n`\u200b``\n"), b},
	{"bold, half of the line", plain("**GAME** 12\n**MOVE** 56PZ H15-H14-H13\n**END**\n"), b},
	{"bold dash-joined", plain("GAME 12\nMOVE *56PZ* *H15*-*H14*-*H13*\nEND\n"), b},
	{"all in quotation marks", plain("“GAME 12\nMOVE 56PZ H15-H14-H13\nEND”\n"), silent},
	{"emoji around", plain("🎲 Hi! 🎲\nGAME 12\nMOVE 56PZ H15-H14-H13\nEND 🎲\n"), b},
	{"semicolons at the ends", plain("GAME 12;\nMOVE 56PZ H15-H14-H13;\nEND;\n"), b},
	{"an exclamation mark", plain("GAME 12\nMOVE 56PZ H15-H14-H13\nEND!\n"), b},
	{"mathematical letters", plain("𝐆𝐀𝐌𝐄 𝟏𝟐\n𝐌𝐎𝐕𝐄 𝟓𝟔𝐏𝐙 𝐇𝟏𝟓-𝐇𝟏𝟒-𝐇𝟏𝟑\n𝐄𝐍𝐃\n"), b},
	{"full width all over", plain("ＧＡＭＥ　１２\nＭＯＶＥ　５６ＰＺ　Ｈ１５－Ｈ１４－Ｈ１３\nＥＮＤ\n"), b},
	{"arabic digits", plain("GAME 12\nMOVE 56PZ H١٥-H14-H13\nEND\n"), "GAME 12/MOVE 56PZ H١٥-H14-H13/END"},
	{"cyrillic heading", plain("GАME 12\nMOVE 56PZ H15-H14-H13\nEND\n"), silent},
	// wrapping
	{"hard-wrapped at 72 inside a path", plain("GAME 12\nMOVE 21IN K02-K03-K04-K05-K06-K07-\nK08-K09-K10\nEND\n"), "GAME 12/MOVE 21IN K02-K03-K04-K05-K06-K07-K08-K09-K10/END"},
	{"wrapped twice", plain("GAME 12\nMOVE 56PZ\nH15-\nH14\n-H13\nEND\n"), b},
	{"wrapped with an indent", plain("GAME 12\nMOVE 56PZ\n      H15-H14-H13\nEND\n"), b},
	{"a blank line between every line", plain("GAME 12\n\nMOVE 56PZ H15-H14-H13\n\nEND\n\n"), b},
	{"blank lines within a wrapped order", plain("GAME 12\nMOVE 56PZ H15-\n\nH14-H13\nEND\n"), b},
	{"flowed and quoted-printable", mailOf("Content-Type: text/plain; charset=utf-8; format=flowed\nContent-Transfer-Encoding: quoted-printable", "GAME 12\nMOVE 56PZ=20\nH15-H14-H13\nEND\n"), b},
	{"flowed, DelSp, in the middle of a token", mailOf("Content-Type: text/plain; format=flowed; DelSp=Yes", "GAME 12\nMOVE 56PZ H15-H1 \n4-H13\nEND\n"), b},
	{"flowed, prose that runs into the heading", mailOf("Content-Type: text/plain; format=flowed", "These are my orders for \nGAME 12\nMOVE 56PZ H15-H14-H13\nEND\n"), b},
	{"flowed, quoted below", mailOf("Content-Type: text/plain; format=flowed", "GAME 12 \nMOVE 56PZ H15-H14-H13 \nEND \n \nOn 30.11.2026 09:15, GM wrote: \n> GAME 12 \n> HOLD 1A \n> END \n"), b},
	// HTML
	{"emoji as pictures", html(`<p>GAME 12</p><p>MOVE 56PZ H15 <img alt="➡️" src="https://fonts.example/e.png"> H14 <img alt="→" src="cid:x"> H13</p><p>END</p>`), b},
	{"emoji beside words", html(`<p>Hi <img class="emoji" alt="😀" src="x"></p><p><img alt="✅" src="x"> GAME 12</p><p>MOVE 56PZ H15-H14-H13</p><p>END <img alt="🎲" src="x"></p>`), b},
	{"a picture with words for alt", html(`<p><img alt="GAME 98 logo" src="x"></p><p>GAME 12</p><p>MOVE 56PZ H15-H14-H13<img alt="map of the front" src="cid:m"></p><p>END</p>`), b},
	{"gmail: div per line", html(`<div dir="ltr"><div>GAME 12</div><div>MOVE 56PZ H15-H14-H13</div><div>END</div></div>`), b},
	{"gmail, answer at the bottom", html(`<div dir="ltr"><div class="gmail_quote"><div dir="ltr" class="gmail_attr">On Mon, Nov 30, 2026 at 8:00 AM GM &lt;gm@example.org&gt; wrote:<br></div><blockquote class="gmail_quote"><div>GAME 12</div><div>HOLD 1A</div><div>END</div></blockquote></div><div>GAME 12</div><div>MOVE 56PZ H15-H14-H13</div><div>END</div></div>`), b},
	{"gmail, answer inside the quote division", html(`<div dir="ltr"><div class="gmail_quote"><div dir="ltr" class="gmail_attr">On Mon, Nov 30, 2026 at 8:00 AM GM &lt;gm@example.org&gt; wrote:<br></div><blockquote class="gmail_quote"><div>GAME 12</div><div>HOLD 1A</div><div>END</div></blockquote><div>GAME 12</div><div>MOVE 56PZ H15-H14-H13</div><div>END</div></div></div>`), b},
	{"gmail, container, answer between quotations", html(`<div class="gmail_quote gmail_quote_container"><div class="gmail_attr">On Mon GM wrote:</div><blockquote class="gmail_quote">first</blockquote><div>GAME 12<br>MOVE 56PZ H15-H14-H13<br>END</div><blockquote class="gmail_quote">GAME 12<br>HOLD 1A<br>END</blockquote></div>`), b},
	{"apple: the answer inside a cite", html(`<blockquote type="cite"><div>On Nov 30, 2026, at 08:00, GM wrote:</div><div>question?</div></blockquote><div>GAME 12</div><div>MOVE 56PZ H15-H14-H13</div><div>END</div><blockquote type="cite"><div>GAME 12</div><div>HOLD 1A</div><div>END</div></blockquote>`), b},
	{"apple: nested cites", html(`<div>GAME 12</div><div>MOVE 56PZ H15-H14-H13</div><div>END</div><div><br><blockquote type="cite"><div>On 30 Nov GM wrote:</div><blockquote type="cite">GAME 12<br>HOLD 1A<br>END</blockquote></blockquote></div>`), b},
	{"outlook: border-top alone", html(`<div class=WordSection1>` + ps(block) + `<div style='border:none;border-top:solid #B5C4DF 1.0pt;padding:3.0pt 0cm 0cm 0cm'><p class=MsoNormal><b>GM</b> &lt;gm@example.org&gt;</p></div><p>GAME 12</p><p>HOLD 1A</p><p>END</p></div>`), b},
	{"outlook: border-top, Finnish", html(ps(block) + `<div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0in 0in 0in"><p><b>Lähettäjä:</b> GM<br><b>Lähetetty:</b> ma<br><b>Aihe:</b> x</p></div>` + ps(other)), b},
	{"outlook: hr and words", html(ps(block) + `<hr tabindex="-1" style="display:inline-block;width:98%"><div dir="ltr"><font><b>Van:</b> GM<br><b>Verzonden:</b> ma<br><b>Onderwerp:</b> x</font></div>` + ps(other)), b},
	{"outlook for phones", html(`<div dir="auto">` + ps(block) + `</div><div id="ms-outlook-mobile-signature">Get <a href="https://aka.ms/o0ukef">Outlook for iOS</a></div><hr><div id="divRplyFwdMsg" dir="ltr"><b>From:</b> GM</div>` + ps(other)), b},
	{"outlook: a rule of the writer's own", html(`<p>Orders</p><div style="border-top:1px solid">` + ps(block) + `</div>`), b},
	{"windows mail", html(`<div>` + ps(block) + `</div><div style="mso-element:para-border-div;border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0in 0in 0in"><p class="MsoNormal" style="border:none;padding:0in"><b>From: </b><a href="mailto:gm@example.org">GM</a><br><b>Sent: </b>Monday<br><b>To: </b>Alice<br><b>Subject: </b>x</p></div>` + ps(other)), b},
	{"fastmail", html(`<div>GAME 12</div><div>MOVE 56PZ H15-H14-H13</div><div>END</div><div><br></div><div>On Mon, 30 Nov 2026, at 08:00, GM wrote:</div><blockquote type="cite" id="qt">GAME 12<br>HOLD 1A<br>END</blockquote>`), b},
	{"zoho", html(`<div>` + ps(block) + `</div><div class="zmail_extra" style=""><div id="Zm-_Id_-Sgn1">---- On Mon, 30 Nov 2026 GM wrote ----</div><blockquote>GAME 12<br>HOLD 1A<br>END</blockquote></div>`), b},
	{"zoho, text", plain(block + "\n\n ---- On Mon, 30 Nov 2026 08:00:00 +0100 GM <gm@example.org> wrote ----\n\nGAME 12\nHOLD 1A\nEND\n"), b},
	{"mail.ru", html(`<div>` + ps(block) + `</div><blockquote style="border-left:1px solid #0857A6"><div>Понедельник, 30 ноября 2026, 8:00 от GM:</div>GAME 12<br>HOLD 1A<br>END</blockquote>`), b},
	{"yandex", html(`<div>GAME 12</div><div>MOVE 56PZ H15-H14-H13</div><div>END</div><div> </div><div>----------------</div><div>Кому: Alice;</div><div>Тема: x;</div><div>30.11.2026, 08:00, "GM" &lt;gm@example.org&gt;:</div><blockquote><p>GAME 12<br>HOLD 1A<br>END</p></blockquote>`), b},
	{"superhuman", html(`<div>` + ps(block) + `</div><div class="sh-quoted-content"><div>On Mon, Nov 30, 2026 at 8:00 AM, GM &lt;gm@example.org&gt; wrote:</div><blockquote>GAME 12<br>HOLD 1A<br>END</blockquote></div>`), b},
	{"spark", html(`<div name="messageBodySection">` + ps(block) + `</div><div name="messageSignatureSection">Sent with Spark</div><div name="messageReplySection">On 30. Nov 2026, 08:00 +0100, GM wrote:<br>GAME 12<br>HOLD 1A<br>END</div>`), b},
	{"roundcube", html(`<p id="reply-intro">On 2026-11-30 08:00, GM wrote:</p><blockquote type="cite">GAME 12<br>HOLD 1A<br>END</blockquote>` + ps(block)), b},
	{"evolution", html(`<div>` + breaks(block) + `</div><div>On Mon, 2026-11-30 at 08:00 +0100, GM wrote:</div><blockquote type="cite" style="margin:0 0 0 .8ex">GAME 12<br>HOLD 1A<br>END</blockquote>`), b},
	{"samsung", html(`<div dir="auto">` + breaks(block) + `</div><div><br></div><div style="font-size:100%;color:#000000"><!-- originalMessage --><div>-------- Original message --------</div><div>From: GM &lt;gm@example.org&gt; </div><div>Date: 30/11/2026  08:00  (GMT+01:00) </div></div><div>` + breaks(other) + `</div>`), b},
	{"t-online", plain(block + "\n-----Original-Nachricht-----\nBetreff: x\nDatum: 2026-11-30T08:00\nVon: \"GM\" <gm@example.org>\n\n" + other), b},
	{"web.de, text", plain(block + "\nGesendet: Montag, 30. November 2026 um 08:00 Uhr\nVon: GM <gm@example.org>\nAn: alice\nBetreff: x\n\n" + other), b},
	{"lotus, text", plain(block + "\nGM <gm@example.org> wrote on 11/30/2026 08:00:00 AM:\n\n" + marked(other)), b},
	{"hidden by class and zero width", html(`<div style="mso-hide:all;height:0">GAME 98</div><p>GAME 12</p><p>MOVE 56PZ H15-H14-H13<span style="font-size:0px">-H12</span></p><p>END</p>`), b},
	{"white on white stays", html(`<p style="color:#fff">GAME 12</p><p>MOVE 56PZ H15-H14-H13</p><p>END</p>`), b},
	{"pre with CRLF", html("<pre>GAME 12\r\nMOVE 56PZ H15-H14-H13\r\nEND\r\n</pre>"), b},
	{"pre wrapped in the source of a cell", html("<table><tr><td><pre>GAME 12\nMOVE 56PZ H15-H14-H13\nEND</pre></td></tr></table>"), b},
	{"code element", html("<p>Orders:</p><code>GAME 12<br>MOVE 56PZ H15-H14-H13<br>END</code>"), b},
	{"one cell with breaks", html("<table border=1><tr><td>GAME 12<br>MOVE 56PZ H15-H14-H13<br>END</td><td></td></tr></table>"), b},
	{"a table with a number column", html("<table><tr><td>1</td><td>GAME 12</td></tr><tr><td>2</td><td>MOVE 56PZ H15-H14-H13</td></tr><tr><td>3</td><td>END</td></tr></table>"), silent},
	{"two tables", html("<table><tr><td>GAME</td><td>12</td></tr></table><table><tr><td>MOVE</td><td>56PZ</td><td>H15-H14-H13</td></tr></table><p>END</p>"), b},
	{"list of Word", html(`<p class=MsoNormal>GAME 12</p><p class=MsoListParagraph style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='mso-list:Ignore'>1.<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;&nbsp; </span></span><![endif]>MOVE 56PZ H15-H14-H13<o:p></o:p></p><p class=MsoNormal>END</p>`), b},
	{"bulleted list of Word", html(`<p>GAME 12</p><p class=MsoListParagraph><!--[if !supportLists]--><span style="font-family:Symbol"><span style="mso-list:Ignore">·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span></span><!--[endif]-->MOVE 56PZ H15-H14-H13</p><p>END</p>`), b},
	{"bulleted list of Word, Wingdings mark", html(`<p>GAME 12</p><p class=MsoListParagraph><span style="font-family:Wingdings"><span style="mso-list:Ignore">§<span style='font:7.0pt "Times New Roman"'>&nbsp; </span></span></span>MOVE 56PZ H15-H14-H13</p><p>END</p>`), b},
	{"second-level list of Word", html(`<p>GAME 12</p><p class=MsoListParagraph><span style="font-family:'Courier New'">o<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span>MOVE 56PZ H15-H14-H13</p><p>END</p>`), b},
	{"definition list", html("<dl><dt>GAME 12</dt><dd>MOVE 56PZ H15-H14-H13</dd><dt>END</dt></dl>"), b},
	{"nested lists", html("<ul><li>GAME 12<ul><li>MOVE 56PZ H15-H14-H13</li></ul></li><li>END</li></ul>"), b},
	{"safelinks round words", html(`<p>GAME 12</p><p>MOVE 56PZ <a href="https://eur01.safelinks.protection.outlook.com/?url=http%3A%2F%2Fh15-h14.example&amp;data=05">H15-H14</a>-H13</p><p>END</p>`), b},
	{"safelinks in text", plain("GAME 12\nMOVE 56PZ H15-H14<https://eur01.safelinks.protection.outlook.com/?url=http%3A%2F%2Fh15&data=05%7C01>-H13\nEND\n"), b},
	{"proofpoint in text", plain("GAME 12\nMOVE 56PZ H15-H14-H13 [urldefense.proofpoint.com]\nEND\n"), "GAME 12/MOVE 56PZ H15-H14-H13 [URLDEFENSE.PROOFPOINT.COM]/END"},
	{"phone number links", html(`<p>GAME <a href="tel:12">12</a></p><p>MOVE 56PZ <a href="x-apple-data-detectors://0">H15-H14-H13</a></p><p>END</p>`), b},
	{"translated by the browser", html(`<p class="translated-ltr"><span class="notranslate" onmouseover="x"><span class="google-src-text" style="direction: ltr; text-align: left">GAME 97</span>GAME 12</span></p><p>MOVE 56PZ H15-H14-H13</p><p>END</p>`), b},
	{"xhtml with a declaration", html(`<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title>GAME 98</title></head><body>` + ps(block) + `</body></html>`), b},
	{"no end tags at all", html("<p>GAME 12<p>MOVE 56PZ H15-H14-H13<p>END"), b},
	{"html labelled as plain text", mailOf("Content-Type: text/plain; charset=utf-8", "<html><body>"+ps(block)+"</body></html>"), b},
	{"html with breaks labelled as plain text", mailOf("Content-Type: text/plain; charset=utf-8", "<div>GAME 12<br/>MOVE 56PZ H15-H14-H13<br/>END</div>"), b},
	{"plain text labelled as html", html(block), b},
	{"meta charset alone", mailOf("Content-Type: text/html", "<html><head><meta charset=\"windows-1252\"></head><body><p>GAME\xa012</p><p>MOVE 56PZ H15\x96H14\x96H13</p><p>END</p></body></html>"), b},
	{"ruby, sub, sup", html("<p>GAME 12</p><p>MOVE 56<sup>PZ</sup> H<sub>15</sub>-H14-H13</p><p>END</p>"), b},
	{"insertions of a tracked change", html(`<p>GAME 12</p><p>MOVE 56PZ H15-<ins>H14-</ins>H13</p><p>END</p>`), b},
	// replies in text
	// heads of our own letters
	{"our head above a sheet", plain("YOUR NEXT ORDERS\n----------------\nReply, and copy these lines to the top of your reply. Nothing outside\nGAME … END is read.\n\n" + block), b},
	{"our head without its note", plain("YOUR NEXT ORDERS\n----------------\n\n" + block), b},
	{"our head without its line", plain("Your next orders:\n" + block), b},
	{"our note alone", plain("Reply, and copy these lines to the top of your reply. Nothing outside GAME … END is read.\n" + block), b},
	{"our german head", plain("IHRE NÄCHSTEN BEFEHLE\n---------------------\nAntworten Sie auf diese Mail und kopieren Sie diese Zeilen an den\nAnfang Ihrer Antwort. Außerhalb von GAME … END wird nichts gelesen.\n\n" + block), b},
	{"our head above an answer", plain("YOUR ANSWER\n-----------\nReply, and copy these lines to the top of your reply with the letter\nyou choose.\n\nGAME 12\nANSWER Q1 B\nEND\n"), "GAME 12/ANSWER Q1 B/END"},
	{"our head of a draft", plain("ORDERS NOT CARRIED OUT\n----------------------\nEdit these lines and send them again, or write new ones.\n\n" + block), b},
	{"our head of lines that were quoted", plain("LINES FOUND IN QUOTED TEXT\n--------------------------\nQuoted lines are never carried out. To send them, copy these to the top\nof your reply.\n\n" + block), b},
	{"our line of the game", plain("Blitzkrieg '41, game 12 · for Alice, Axis · report 7\n" + block), b},
	{"our line of the game and its rule", plain("YOUR TURN · Axis movement, turn 7\nBlitzkrieg '41, game 12 · for Alice, Axis · report 7\n" + strings.Repeat("=", 72) + "\n\n" + block), b},
	{"a rule of the writer's own", plain("Turn seven\n" + strings.Repeat("=", 60) + "\n" + block), b},
	{"words and our head", plain("Here you are.\n\nYOUR NEXT ORDERS\n----------------\n\n" + block + "\nBye, Alice\n"), b},
	{"our head, a sheet, and the letter below", plain("YOUR NEXT ORDERS\n----------------\n\n" + block + "\nOn 30/11/2026 GM wrote:\n\nYOUR TURN\n" + strings.Repeat("=", 72) + "\n" + other), b},
	{"a sheet, and our head with the form below", plain(block + "\nYOUR NEXT ORDERS\n----------------\n\n" + other), b},
	{"two sheets, each below our head", plain("YOUR NEXT ORDERS\n----------------\n" + block + "\nYOUR NEXT ORDERS\n----------------\nGAME 15\nHOLD 3FL\nEND\n"), b + " GAME 15/HOLD 3FL/END"},
	{"comment lines of the form kept", plain("YOUR NEXT ORDERS\n----------------\n\nGAME 12\n# MOVE unit hex-hex\nMOVE 56PZ H15-H14-H13\n# END PHASE\nEND\n"), b},
	{"our head in HTML", html("<h2>Your next orders</h2><p>Reply, and copy these lines to the top of your reply. Nothing outside GAME … END is read.</p><pre>" + block + "</pre>"), b},
	{"three lines of attribution", plain(block + "\nOn Mon, Nov 30, 2026 at 8:00 AM The Game Master of all Games\n<gm+g12-k7f3q9xw@example.org>\nwrote:\n\nGAME 12\nHOLD 1A\nEND\n"), b},
	{"three lines of attribution, marks", plain(block + "\nOn Mon, Nov 30, 2026 at 8:00 AM The Game Master of all Games\n<gm+g12-k7f3q9xw@example.org>\nwrote:\n\n" + marked(other)), b},
	{"bottom, three lines of attribution", plain("On Mon, Nov 30, 2026 at 8:00 AM The Game Master of all Games\n<gm+g12-k7f3q9xw@example.org>\nwrote:\n\n" + marked(other) + "\n" + block), b},
	{"attribution whose quotation is empty", plain(block + "\nOn 30/11/2026 09:15, GM wrote:\n"), b},
	{"sheet above and a copy of it quoted", plain(block + "\nOn 30/11/2026 09:15, GM wrote:\n" + marked(block)), b},
	{"inline: sheet between two quoted pieces", plain("On 30/11/2026 09:15, GM wrote:\n> Turn 7.\n> Your orders?\n\n" + block + "\n> GAME 12\n> HOLD 1A\n> END\n"), b},
	{"inline: orders under each quoted line", plain("GAME 12\n> What does 56PZ do?\nMOVE 56PZ H15-H14-H13\n> And then?\nEND\n"), b},
	{"the template filled in inside the quotation", plain("On 30/11/2026 09:15, GM wrote:\n> GAME 12\n> # MOVE unit hex-hex\n> END\n\nGAME 12\nMOVE 56PZ H15-H14-H13\nEND\n"), b},
	{"marks without a blank", plain(">GAME 12\n>HOLD 1A\n>END\n" + block), b},
	{"marks at a depth of four", plain(">>>> GAME 12\n>>>> HOLD 1A\n>>>> END\n" + block), b},
	{"quoted wrap lost its mark", plain("On 30/11/2026 09:15, GM wrote:\n> a very long line that the program has wrapped and\nset without a mark\n> more\n\n" + block), b},
	{"dutch", plain(block + "\nOp ma 30 nov. 2026 om 08:00 schreef GM <gm@example.org>:\n\n" + other), b},
	{"danish", plain(block + "\nDen man. 30. nov. 2026 kl. 08.00 skrev GM <gm@example.org>:\n\n" + other), b},
	{"swedish, no address", plain(block + "\n30 nov. 2026 kl. 08:00 skrev GM:\n\n" + other), b},
	{"finnish", plain(block + "\nma 30. marrask. 2026 klo 8.00 GM (gm@example.org) kirjoitti:\n\n" + other), b},
	{"portuguese", plain(block + "\nEm seg., 30 de nov. de 2026 às 08:00, GM <gm@example.org> escreveu:\n\n" + other), b},
	{"italian", plain(block + "\nIl giorno lun 30 nov 2026 alle ore 08:00 GM <gm@example.org> ha scritto:\n\n" + other), b},
	{"czech", plain(block + "\npo 30. 11. 2026 v 8:00 odesílatel GM <gm@example.org> napsal:\n\n" + other), b},
	{"slovak", plain(block + "\npo 30. 11. 2026 o 8:00 GM <gm@example.org> napísal(a):\n\n" + other), b},
	{"polish, gmail", plain(block + "\npon., 30 lis 2026 o 08:00 GM <gm@example.org> napisał(a):\n\n" + other), b},
	{"russian", plain(block + "\nпн, 30 нояб. 2026 г. в 08:00, GM <gm@example.org>:\n\n" + other), b},
	{"russian, no address", plain(block + "\n30.11.2026 08:00, GM пишет:\n\n" + other), b},
	{"ukrainian", plain(block + "\nпн, 30 лист. 2026 р. о 08:00 GM <gm@example.org> пише:\n\n" + other), b},
	{"greek", plain(block + "\nΣτις Δευ 30 Νοε 2026 στις 8:00 π.μ., ο χρήστης GM <gm@example.org> έγραψε:\n\n" + other), b},
	{"romanian", plain(block + "\nÎn lun., 30 nov. 2026 la 08:00, GM <gm@example.org> a scris:\n\n" + other), b},
	{"croatian", plain(block + "\nDana 30. 11. 2026. u 08:00 GM je napisao/la:\n\n" + other), b},
	{"bulgarian", plain(block + "\nНа пн, 30.11.2026 г. в 8:00 GM написа:\n\n" + other), b},
	{"norwegian", plain(block + "\nman. 30. nov. 2026 kl. 08:00 skrev GM:\n\n" + other), b},
	{"korean", plain(block + "\n2026년 11월 30일 (월) 오전 8:00, GM님이 작성:\n\n" + other), b},
	{"chinese", plain(block + "\n在 2026年11月30日星期一，GM <gm@example.org> 写道：\n\n" + other), b},
	{"hebrew", plain(block + "\n\u202b\u200fבתאריך יום ב׳, 30 בנוב׳ 2026 ב-8:00 מאת \u202aGM\u202c\u200f <\u202agm@example.org\u202c\u200f>:\u202c\n\n" + other), b},
	{"arabic", plain(block + "\nفي الاثنين، ٣٠ نوفمبر ٢٠٢٦ في ٨:٠٠ ص تمت كتابة ما يلي بواسطة GM <gm@example.org>:\n\n" + other), b},
	{"vietnamese", plain(block + "\nVào Th 2, 30 thg 11, 2026 vào lúc 08:00 GM <gm@example.org> đã viết:\n\n" + other), b},
	{"thai, no address", plain(block + "\nเมื่อวันจันทร์ที่ 30 พ.ย. 2026 เวลา 08:00 GM เขียนว่า:\n\n" + other), b},
	{"esperanto, no address", plain(block + "\nJe lun, 30 nov. 2026 je 08:00, GM skribis:\n\n" + other), b},
	{"without a colon", plain(block + "\nOn Mon, Nov 30, 2026, 08:00 GM <gm@example.org> wrote\n\n" + other), b},
	{"apple, at", plain(block + "\n> On 30 Nov 2026, at 08:00, GM <gm@example.org> wrote:\n> \n> GAME 12\n> HOLD 1A\n> END\n"), b},
	{"apple, german", plain(block + "\n> Am 30.11.2026 um 08:00 schrieb GM <gm@example.org>:\n> \n> GAME 12\n> HOLD 1A\n> END\n"), b},
	{"original message, french", plain(block + "\n-----Message d’origine-----\nDe : GM\nEnvoyé : lundi\n\n" + other), b},
	{"original message, dutch", plain(block + "\n-----Oorspronkelijk bericht-----\nVan: GM\n\n" + other), b},
	{"original message between dashes of other kinds", plain(block + "\n—— Original Message ——\nFrom: GM\n\n" + other), b},
	{"original message, one dash", plain(block + "\n--- Original message ---\n\n" + other), b},
	{"proton, text", plain(block + "\n\nSent with Proton Mail secure email.\n\nOn Monday, November 30th, 2026 at 8:00 AM, GM <gm@example.org> wrote:\n\n" + marked(other)), b},
	{"tutanota, text", plain(block + "\n30. Nov. 2026, 08:00 von gm@example.org:\n\n" + other), b},
	{"pine", plain(block + "\nOn Mon, 30 Nov 2026, GM wrote:\n\n" + other), b},
	{"emacs", plain(block + "\nGM <gm@example.org> writes:\n\n" + marked(other)), b},
	{"the bat", plain("Hello GM,\n\nMonday, November 30, 2026, 8:00:00 AM, you wrote:\n\n> GAME 12\n> HOLD 1A\n> END\n\n" + block), b},
	{"eudora", plain("At 08:00 AM 11/30/2026, you wrote:\n>GAME 12\n>HOLD 1A\n>END\n\n" + block), b},
	{"groupwise", plain(">>> GM <gm@example.org> 30.11.2026 08:00 >>>\nGAME 12\nHOLD 1A\nEND\n"), silent},
	{"groupwise, answer above", plain(block + "\n>>> GM <gm@example.org> 30.11.2026 08:00 >>>\n" + other), b},
	{"groupwise, wrapped", plain(block + "\n>>> GM <gm@example.org>\n30.11.2026 08:00 >>>\n" + other), b},
	// forwards
	{"orders above a forwarded mail", plain(block + "\n---------- Forwarded message ---------\nFrom: Bob <bob@example.net>\nDate: Mon\nSubject: x\nTo: Alice\n\n" + other), b},
	{"forwarded, spanish", plain("mira\n\n---------- Forwarded message ---------\nDe: Bob\nDate: lun\n\n" + block), silent},
	{"forwarded, german, gmail", plain("---------- Forwarded message ---------\nVon: Bob\nDate: Mo\n\n" + block), silent},
	{"forwarded, russian", plain("-------- Пересылаемое сообщение --------\nОт: Bob\n\n" + block), silent},
	{"forwarded, thunderbird", plain("-------- Weitergeleitete Nachricht --------\nBetreff: x\nDatum: Mo\nVon: Bob\n\n" + block), silent},
	{"forwarded inline by Outlook", plain("FYI\n\nFrom: Bob <bob@example.net>\nSent: Monday\nTo: Alice\nSubject: x\n\n" + block), silent},
	{"forwarded as an attachment named eml", mixed("Content-Type: text/plain\n\nsee", "Content-Type: application/octet-stream; name=orders.eml\nContent-Disposition: attachment; filename=orders.eml\n\nFrom: Bob <bob@example.net>\n\n"+block), silent},
	{"forwarded in HTML", html(`<p>FYI</p><div class="gmail_quote"><div dir="ltr" class="gmail_attr">---------- Forwarded message ---------<br>From: Bob</div>` + ps(block) + `</div>`), silent},
	{"forwarded, yahoo", html(`<p>FYI</p><div id="yahoo_quoted_1" class="yahoo_quoted"><div>----- Forwarded Message -----</div>` + ps(block) + `</div>`), silent},
	{"forwarded, apple, two forwards deep", plain("Begin forwarded message:\n\nFrom: Bob\n\nBegin forwarded message:\n\nFrom: Carol\n\n" + block), silent},
	// signatures
	{"iOS, english", plain(block + "\nSent from my iPad\n"), b},
	{"iOS, german", plain("Von meinem iPhone gesendet\n\n" + block), b},
	{"iOS, french", plain(block + "\nEnvoyé de mon iPhone\n"), b},
	{"iOS, spanish, above a quotation", plain(block + "\nEnviado desde mi iPhone\n\nEl 30 nov 2026, a las 8:00, GM <gm@example.org> escribió:\n\n" + other), b},
	{"iOS, italian, above a quotation with marks", plain(block + "\nInviato da iPhone\n\n> Il giorno 30 nov 2026, alle ore 08:00, GM ha scritto:\n> \n" + marked(other)), b},
	{"iOS, dutch, in the line of END", plain("GAME 12\nMOVE 56PZ H15-H14-H13\nEND\nVerstuurd vanaf mijn iPhone\n"), b},
	{"iOS, russian, japanese, portuguese", plain(block + "Отправлено с iPhone\niPhoneから送信\nEnviado do meu iPhone\n"), b},
	{"a phone's signature in place of END", plain("GAME 12\nMOVE 56PZ H15-H14-H13\n\nSent from my iPhone\n"), "reject unterminated"},
	{"a phone's signature within the sheet", plain("GAME 12\nMOVE 56PZ H15-H14-H13\n\nSent from my iPhone\n\nEND\n"), "GAME 12/MOVE 56PZ H15-H14-H13/SENT FROM MY IPHONE/END"},
	{"a signature with a heading in it", plain(block + "\n-- \nGAME 12 is the best game\nEND\n"), b},
	{"a signature above a quotation", plain(block + "\n-- \nAlice\n\nOn 30/11/2026 GM wrote:\n" + marked(other)), b},
	{"a signature of two dashes without the blank", plain(block + "\n--\nAlice\nwww.example.net\n"), b},
	{"a signature of underscores", plain(block + "\n_____________\nAlice Arden | Head of Everything\n"), b},
	{"a signature in HTML", html(ps(block) + `<div class="gmail_signature" data-smartmail="gmail_signature">-- <br>GAME over</div>`), b},
	{"a signature quoted by Outlook's table", html(ps(block) + `<table><tr><td><img alt="Logo"></td><td>Alice<br>Head</td></tr></table>`), b},
	{"vcard", mixed("Content-Type: text/plain\n\n"+block, "Content-Type: text/vcard; name=alice.vcf\n\nBEGIN:VCARD\nEND:VCARD\n"), b},
	// what gateways and lists put before and behind
	{"exchange banner", plain("EXTERNAL SENDER: do not click links.\n\n" + block), b},
	{"exchange banner in stars", plain("***** EXTERNAL EMAIL *****\nThis message came from outside. Be careful.\n*****\n" + block), b},
	{"exchange banner in brackets", plain("[EXTERNAL]\n\n" + block), b},
	{"exchange banner, CAUTION with a colon", plain("CAUTION: This email originated from outside of the organization on 30.11.2026:\n\n" + block), b},
	{"exchange banner in a table", html(`<table border=0 width="100%"><tr><td style="background:#ffb900"></td><td><div>You don't often get email from alice@example.net. <a href="https://aka.ms/x">Learn why this is important</a></div></td></tr></table><div>` + ps(block) + `</div>`), b},
	{"banner with From: and Date: in it", plain("WARNING: external mail\nFrom: alice@example.net\n\n" + block), b},
	{"banner glued to the heading in HTML", html(`<div style="background:yellow">EXTERNAL</div>GAME 12<br>MOVE 56PZ H15-H14-H13<br>END`), b},
	{"antivirus footer", plain(block + "\n-- \nThis email has been checked for viruses by Avast antivirus software.\nwww.avast.com\n"), b},
	{"antivirus footer, german, above", plain("Diese E-Mail wurde von Avast-Antivirussoftware auf Viren geprüft.\n\n" + block), b},
	{"antivirus footer in HTML", html(ps(block) + `<div id="DAB4FAD8-2DD7-40BB-A1B8-4E2AA1F9FDF2"><br><table style="border-top:1px solid #D3D4DE"><tr><td><a href="https://www.avg.com"><img src="x" alt=""></a></td><td>Virenfrei.<a href="https://www.avg.com">www.avg.com</a></td></tr></table></div>`), b},
	{"disclaimer behind", plain(block + "\nThis e-mail and any attachment are confidential. If you are not the intended recipient, please notify the sender: legal@example.net.\n"), b},
	{"disclaimer in front", plain("CONFIDENTIAL. This e-mail is for the recipient only.\n\n" + block), b},
	{"disclaimer glued to END", plain("GAME 12\nMOVE 56PZ H15-H14-H13\nEND\n________________________________\nThe information in this mail is confidential.\n"), b},
	{"mailman footer", plain(block + "_______________________________________________\nGames mailing list\nGames@example.org\nhttps://lists.example.org/games\n"), b},
	{"google groups footer", plain(block + "\n-- \nYou received this message because you are subscribed to the Google Groups \"Games\" group.\n"), b},
	{"list banner in front", plain("[This sender failed our fraud detection checks and may not be who they appear to be.]\n\n" + block), b},
	{"footer between the parts of html", mixed("Content-Type: text/html; charset=utf-8\n\n"+ps(block), "Content-Type: text/html\n\n<p>--<br>footer of the list, GAME on</p>"), b},
	{"footer in HTML only", alternative(block, ps(block)+"<p>Virus-free. www.avg.com</p>"), b},
	{"banner in plain only", alternative("CAUTION: external\n\n"+block, ps(block)), b},
	{"advertisement of a free mailer", plain(block + "\n______________________________\nGet your free mail at example.com! Game 98, play now!\n"), b},
	// attached files
	{"txt, inline", mixed("Content-Type: text/plain\n\nsee file", as("text/plain", "orders.txt", "inline", block)), b},
	{"txt as octet-stream", mixed("Content-Type: text/plain\n\nsee file", as("application/octet-stream", "orders.TXT", "attachment", crlfBlock)), b},
	{"txt, the body is html", mixed("Content-Type: text/html\n\n<p>see file</p>", as("text/plain", "orders.txt", "attachment", block)), b},
	{"txt in utf-16be with a mark", mixed("Content-Type: text/plain\n\nsee file", as("text/plain", "orders.txt", "attachment", "\xfe\xff"+utf16be(crlfBlock))), b},
	{"txt alone, no text part", mailOf("Content-Type: text/plain; name=orders.txt\nContent-Disposition: attachment; filename=orders.txt", block), b},
	{"txt without an extension", mixed("Content-Type: text/plain\n\nsee file", as("text/plain", "orders", "attachment", block)), b},
	{"log and csv files are no orders", mixed("Content-Type: text/plain\n\n"+block, as("text/csv", "x.csv", "attachment", other)), b},
	{"txt zipped", mixed("Content-Type: text/plain\n\nsee file", as("application/zip", "orders.zip", "attachment", "PK\x03\x04")), "reject unreadable"},
	{"rtf", mixed("Content-Type: text/plain\n\nsee file", as("application/rtf", "orders.rtf", "attachment", "{\\rtf1 GAME 12}")), "reject unreadable"},
	{"rtf as text", mixed("Content-Type: text/plain\n\nsee file", as("text/rtf", "orders.rtf", "attachment", "{\\rtf1 GAME 12}")), "reject unreadable"},
	{"rtf as msword", mixed("Content-Type: text/plain\n\nsee file", as("application/msword", "orders.rtf", "attachment", "{\\rtf1 GAME 12}")), "reject unreadable"},
	{"docx as octet-stream", mixed("Content-Type: text/plain\n\nsee file", as("application/octet-stream", "Orders.DOCX", "attachment", "PK")), "reject unreadable"},
	{"pdf", mixed("Content-Type: text/plain\n\nsee file", as("application/pdf", "orders.pdf", "attachment", "%PDF-1.7")), "reject unreadable"},
	{"odt", mixed("Content-Type: text/plain\n\nsee file", as("application/vnd.oasis.opendocument.text", "orders.odt", "attachment", "PK")), "reject unreadable"},
	{"docx beside orders in the text", mixed("Content-Type: text/plain\n\n"+block, as("application/octet-stream", "plan.docx", "attachment", "PK")), b},
	{"pdf alone", mailOf("Content-Type: application/pdf; name=orders.pdf\nContent-Transfer-Encoding: base64", b64("%PDF")), "reject unreadable"},
	{"a picture of orders", mixed("Content-Type: text/plain\n\nsee picture", as("image/jpeg", "orders.jpg", "attachment", "\xff\xd8")), silent},
	{"html file", mixed("Content-Type: text/plain\n\nsee file", as("text/html", "orders.html", "attachment", ps(block))), b},
	{"txt with the letter's name in another charset", mixed("Content-Type: text/plain\n\nsee file", "Content-Type: text/plain; charset=utf-8;\n name=\"=?iso-8859-1?q?Z=FCge=2Etxt?=\"\nContent-Disposition: attachment;\n filename*=iso-8859-1''Z%FCge.txt\n\n"+block), b},
	// S/MIME
	{"s/mime, opaque", mailOf("Content-Type: application/pkcs7-mime; smime-type=signed-data; name=smime.p7m\nContent-Transfer-Encoding: base64", b64(cms("Content-Type: text/plain; charset=utf-8\r\n\r\n"+crlfBlock, false))), b},
	{"s/mime, opaque, x-pkcs7-mime without a type", mailOf("Content-Type: application/x-pkcs7-mime; name=smime.p7m\nContent-Disposition: attachment; filename=smime.p7m\nContent-Transfer-Encoding: base64", b64(cms("Content-Type: text/plain\r\n\r\n"+crlfBlock, false))), b},
	{"s/mime, opaque, streamed", mailOf("Content-Type: application/pkcs7-mime; smime-type=signed-data\nContent-Transfer-Encoding: base64", b64(cms("Content-Type: text/html\r\n\r\n"+ps(block), true))), b},
	{"s/mime, opaque, a multipart in it", mailOf("Content-Type: application/pkcs7-mime; smime-type=signed-data\nContent-Transfer-Encoding: base64", b64(cms("Content-Type: multipart/alternative; boundary=i\r\n\r\n--i\r\nContent-Type: text/plain\r\n\r\n"+crlfBlock+"\r\n--i\r\nContent-Type: text/html\r\n\r\n"+ps(block)+"\r\n--i--\r\n", false))), b},
	{"s/mime, opaque, broken", mailOf("Content-Type: application/pkcs7-mime; smime-type=signed-data\nContent-Transfer-Encoding: base64", "MIIB"), "reject unreadable"},
	{"s/mime, clear, signed part is HTML", mailOf(`Content-Type: multipart/signed; protocol="application/pkcs7-signature"; micalg=sha-256; boundary="s"`, "--s\nContent-Type: text/html\n\n"+ps(block)+"\n--s\nContent-Type: application/pkcs7-signature; name=smime.p7s\nContent-Transfer-Encoding: base64\n\nMIIB\n--s--\n"), b},
	{"s/mime, clear, signature as octet-stream", mailOf(`Content-Type: multipart/signed; boundary="s"`, "--s\nContent-Type: text/plain\n\n"+block+"\n--s\nContent-Type: application/octet-stream; name=smime.p7s\n\nx\n--s--\n"), b},
	{"s/mime, clear, below a list footer", mixed("Content-Type: multipart/signed; boundary=\"s\"\n\n--s\nContent-Type: text/plain\n\n"+block+"\n--s\nContent-Type: application/pkcs7-signature; name=smime.p7s\n\nx\n--s--\n", "Content-Type: text/plain\n\nfooter"), b},
	// structure
	{"body before the first part", mailOf(`Content-Type: multipart/mixed; boundary="m"`, block+"--m\nContent-Type: image/png\n\nx\n--m--\n"), silent},
	{"sheet in the second text part", mixed("Content-Type: text/plain\n\nHello", "Content-Type: text/plain\n\n"+block), b},
	{"sheet over three text parts", mixed("Content-Type: text/plain\n\nGAME 12\n", "Content-Type: image/png\n\nx", "Content-Type: text/plain\n\nMOVE 56PZ H15-H14-H13\n", "Content-Type: text/plain\n\nEND\n"), b},
	{"alternative: plain empty", alternative("\n", ps(block)), b},
	{"alternative: html empty", alternative(block, "<html><body></body></html>"), b},
	{"alternative: html is a picture", alternative(block, `<img src="cid:x">`), b},
	{"alternative: plain says view as html", alternative("Your mail program does not show HTML.", ps(block)), b},
	{"alternative: plain lost its line breaks", alternative("GAME 12 MOVE 56PZ H15-H14-H13 END", ps(block)), b},
	{"alternative: plain quoted, html quoted otherwise", alternative(block+"\nOn 30/11/2026 GM wrote:\n\n"+marked(other), ps(block)+`<div>On 30/11/2026 GM wrote:</div><blockquote>`+ps(other)+`</blockquote>`), b},
	{"alternative: watch part", mailOf(`Content-Type: multipart/alternative; boundary="b"`, "--b\nContent-Type: text/watch-html\n\n<p>x</p>\n--b\nContent-Type: text/plain\n\n"+block+"\n--b--\n"), b},
	{"alternative: rtf beside", mailOf(`Content-Type: multipart/alternative; boundary="b"`, "--b\nContent-Type: text/plain\n\n"+block+"\n--b\nContent-Type: text/rtf\n\n{\\rtf1}\n--b--\n"), b},
	{"boundary in capitals, quotes and blanks", mailOf(`Content-Type: MULTIPART/MIXED; Boundary = "=_ Next Part:1?"`, "--=_ Next Part:1?\nContent-Type: TEXT/PLAIN\n\n"+block+"\n--=_ Next Part:1?--\n"), b},
	{"inner boundary begins like the outer", mailOf(`Content-Type: multipart/mixed; boundary="m"`, "--m\nContent-Type: multipart/alternative; boundary=\"mm\"\n\n--mm\nContent-Type: text/plain\n\n"+block+"\n--mm--\n--m--\n"), b},
	{"two Content-Type fields", strings.Replace(plain(block), "Content-Type:", "Content-Type: text/plain\nContent-Type:", 1), b},
	{"no MIME-Version", strings.Replace(html(ps(block)), "MIME-Version: 1.0\n", "", 1), b},
	{"no content type at all", strings.Replace(plain(block), "Content-Type: text/plain; charset=utf-8\n", "", 1), b},
	{"NULs between the lines", plain("GAME 12\n\x00\nMOVE 56PZ H15-H14-H13\nEND\n\x00\x00"), "reject bad-characters"},
	{"escape codes of a terminal", plain("GAME 12\n\x1b[1mMOVE 56PZ H15-H14-H13\x1b[0m\nEND\n"), "reject bad-characters"},
	{"form feed and vertical tab", plain("\fGAME 12\vMOVE 56PZ H15-H14-H13\nEND\n"), b},
	{"control Z at the end", plain(block + "\x1a"), b},
	{"boundary lines with blanks behind", mailOf("Content-Type: multipart/mixed; boundary=m", "--m  \nContent-Type: text/plain\n\n"+block+"\n--m--  \n"), b},
	{"multipart in CR CR LF", strings.ReplaceAll(mixed("Content-Type: text/plain\n\n"+block, "Content-Type: text/plain\n\nfooter"), "\n", "\r\r\n"), b},
	{"a part that says nothing of itself but a charset", mixed("Content-Type: ; charset=utf-8\n\n" + block), b},
	{"preamble with a heading in it", mailOf("Content-Type: multipart/mixed; boundary=m", "GAME 98 is in a preamble\n--m\n\n"+block+"\n--m--\nGAME 97 in the epilogue\n"), b},
	{"ATT00001.txt with a footer", mixed("Content-Type: text/html\n\n"+ps(block), attached("ATT00001.txt", "_______\nGames mailing list\n")), b},
	{"ATT00001.txt with the orders", mixed("Content-Type: text/html\n\n<p>Hi</p>", "Content-Type: image/png\n\nx", attached("ATT00001.txt", block)), b},
	{"the text twice, as alternatives of the same kind", mailOf("Content-Type: multipart/alternative; boundary=b", "--b\nContent-Type: text/plain\n\n"+block+"\n--b\nContent-Type: text/plain\n\n"+block+"\n--b--\n"), b},
	{"apple's alternative: rich first", mailOf("Content-Type: multipart/alternative; boundary=b", "--b\nContent-Type: text/html\n\n"+ps(block)+"\n--b\nContent-Type: text/plain\n\n"+block+"\n--b--\n"), b},
	{"forwarded as an attachment beside own orders", mixed("Content-Type: text/plain\n\n"+block, "Content-Type: message/rfc822\n\nFrom: gm@example.org\nAuto-Submitted: auto-generated\n\n"+other), b},
	{"a digest", mailOf("Content-Type: multipart/digest; boundary=d", "--d\n\nFrom: a@b.example\n\n"+block+"\n--d--\n"), silent},
	{"a partial message", mailOf("Content-Type: message/partial; id=x; number=1; total=2", block), "reject unreadable"},
	{"an external body", mailOf("Content-Type: message/external-body; access-type=URL; URL=\"https://example.net/o.txt\"", "Content-Type: text/plain\n\n"+block), silent},
	{"yEnc", plain("=ybegin line=128 size=10 name=o.txt\nabc\n=yend size=10\n"), silent},
	{"binhex", mixed("Content-Type: application/mac-binhex40; name=orders.hqx\n\n(This file must be converted with BinHex)"), silent},
	{"appledouble", mixed("Content-Type: multipart/appledouble; boundary=ad\n\n--ad\nContent-Type: application/applefile; name=\"%orders.txt\"\nContent-Transfer-Encoding: base64\n\nAAUWBw==\n--ad\n" + attached("orders.txt", block) + "\n--ad--"), b},
	{"quoted-printable, a soft break at the very end", mailOf("Content-Type: text/plain\nContent-Transfer-Encoding: quoted-printable", "GAME 12\nMOVE 56PZ H15-H14-H13\nEND=\n"), b},
	{"long prose, a heading late", plain(strings.Repeat("We have had a fine week here at the coast.\n", 3000) + block), b},
	{"MESSAGE with a foreign script", plain("GAME 12\nMESSAGE Привет, как дела? 你好\nMOVE 56PZ H15-H14-H13\nEND\n"), "GAME 12/MESSAGE Привет, как дела? 你好/MOVE 56PZ H15-H14-H13/END"},
	{"MESSAGE with entities and emoji", plain("GAME 12\nMESSAGE 5 &lt; 6 🎲 – so “there”\nEND\n"), "GAME 12/MESSAGE 5 &lt; 6 🎲 – so “there”/END"},
	{"NOTE and SALT keep their signs", plain("GAME 12\nSALT [x] * _a_ \\- ✅\nNOTE 1. one\nEND\n"), "GAME 12/SALT [x] * _a_ \\- ✅/NOTE 1. one/END"},
	// block
	{"END with a full stop and words behind", plain("GAME 12\nMOVE 56PZ H15-H14-H13\nEND of orders\n"), "reject unterminated"},
	{"end in small letters", plain("game 12\nmove 56pz h15-h14-h13\nend\n"), b},
	{"heading behind a word", plain("Orders: GAME 12\nMOVE 56PZ H15-H14-H13\nEND\n"), silent},
	{"GAME and its number in two lines", plain("GAME\n12\nMOVE 56PZ H15-H14-H13\nEND\n"), silent},
	{"number with zeros", plain("GAME 012\nMOVE 56PZ H15-H14-H13\nEND\n"), "reject unknown-game"},
	{"equal sheets that are written differently", plain(block + "\ngame 12\n\nmove 56pz h15 -> h14 -> h13\nend\n"), b},
	{"the first corrected by a second", plain(block + "Sorry, rather:\n" + other), "reject conflict"},
	{"comments of every kind", plain("; hello\nGAME 12 # first\n# a line\nMOVE 56PZ H15-H14-H13 # why not\n; another\nEND # done\n"), b},
}

func utf32le(s string) string {
	var out []byte
	for _, r := range s {
		out = append(out, byte(r), byte(r>>8), byte(r>>16), 0)
	}
	return string(out)
}

// cms wraps a content as RFC 5652 signed data without certificates; streamed
// means in pieces and without lengths, as programs write what they don't hold
// in memory.
func cms(content string, streamed bool) string {
	der := func(tag byte, parts ...string) string {
		body := strings.Join(parts, "")
		switch n := len(body); {
		case n < 0x80:
			return string([]byte{tag, byte(n)}) + body
		case n < 0x100:
			return string([]byte{tag, 0x81, byte(n)}) + body
		default:
			return string([]byte{tag, 0x82, byte(n >> 8), byte(n)}) + body
		}
	}
	open := func(tag byte, parts ...string) string {
		return string([]byte{tag, 0x80}) + strings.Join(parts, "") + "\x00\x00"
	}
	const signedData, data = "\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02", "\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01"
	version, none := der(0x02, "\x01"), der(0x31)
	if !streamed {
		return der(0x30, signedData, der(0xa0, der(0x30, version, none, der(0x30, data, der(0xa0, der(0x04, content))), none)))
	}
	var pieces []string
	for len(content) > 20 {
		pieces = append(pieces, der(0x04, content[:20]))
		content = content[20:]
	}
	pieces = append(pieces, der(0x04, content))
	return open(0x30, signedData, open(0xa0, open(0x30, version, none, open(0x30, data, open(0xa0, open(0x24, pieces...))), none)))
}

func TestPrograms(t *testing.T) {
	w := world(t)
	for _, c := range programs {
		t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
			v := Judge([]byte(c.raw), w)
			if got := outcome(v); got != c.want {
				t.Errorf("got  %s (%s)\nwant %s", got, v.Why, c.want)
				for _, view := range v.Mail.Views {
					t.Logf("%s: %.400q quoted %.200q", view.Name, view.Lines, view.Quoted)
				}
			}
		})
	}
}
