package judge

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"pbemd/pbem/message"
)

const block = "GAME 12\nMOVE 56PZ H15-H14-H13\nEND\n"

const other = "GAME 12\nMOVE 56PZ A01-A02\nEND\n"

// mailOf is a mail of Alice's with a token, its content fields and its body.
func mailOf(content, body string) string {
	return "Return-Path: <alice@example.net>\nDelivered-To: gm+g12-k7f3q9xw@example.org\nFrom: Alice Arden <alice@example.net>\n" +
		"To: gm+g12-k7f3q9xw@example.org\nSubject: Orders\nMessage-ID: <v1@mail.example.net>\nMIME-Version: 1.0\n" + content + "\n\n" + body
}

func plain(body string) string { return mailOf("Content-Type: text/plain; charset=utf-8", body) }
func html(body string) string  { return mailOf("Content-Type: text/html; charset=utf-8", body) }

func alternative(text, rich string) string {
	return mailOf(`Content-Type: multipart/alternative; boundary="b"`,
		"--b\nContent-Type: text/plain; charset=utf-8\n\n"+text+"\n--b\nContent-Type: text/html; charset=utf-8\n\n"+rich+"\n--b--\n")
}

func mixed(parts ...string) string {
	return mailOf(`Content-Type: multipart/mixed; boundary="m"`, "--m\n"+strings.Join(parts, "\n--m\n")+"\n--m--\n")
}

func attached(name, text string) string {
	return "Content-Type: text/plain; name=\"" + name + "\"\nContent-Disposition: attachment; filename=\"" + name + "\"\nContent-Transfer-Encoding: base64\n\n" +
		base64.StdEncoding.EncodeToString([]byte(text))
}

func utf16le(s string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

const b = "GAME 12/MOVE 56PZ H15-H14-H13/END"

// Each is a kind of mail that people's programs send, with its outcome and lines.
var variants = []struct{ name, raw, want string }{
	// typography
	{"auto-capitals", plain("Game 12\nMove 56pz h15-h14-h13\nEnd\n"), b},
	{"full stops", plain("Game 12.\nMove 56PZ H15-H14-H13.\nEnd.\n"), b},
	{"ideographic and thin blanks", plain("GAME\u300012\nMOVE\u200956PZ\u2003H15-H14-H13\nEND\u2028"), b},
	{"hangul filler and braille blank", plain("GAME\u316412\nMOVE 56PZ\u2800H15-H14-H13\nEND\n"), b},
	{"bidi isolates and a mark at the start", plain("\ufeff\u2067GAME 12\u2069\n\u202aMOVE 56PZ H15-H14-H13\u202c\nEND\n"), b},
	{"word joiner, variation selector", plain("GAME 12\nMOVE 56PZ H15\u2060-\u2060H14➡\ufe0fH13\nEND\n"), b},
	{"long arrows", plain("GAME 12\nMOVE 56PZ H15 --> H14 ⟶ H13\nEND\n"), b},
	{"emphasis inside the line", plain("**GAME 12**\nMOVE *56PZ* _H15-H14-H13_\n__END__\n"), b},
	{"code marks", plain("`GAME 12`\n`MOVE 56PZ H15-H14-H13`\n`END`\n"), b},
	{"fence inside the block", plain("GAME 12\n```\nMOVE 56PZ H15-H14-H13\n```\nEND\n"), b},
	{"bullets of many kinds", plain("GAME 12\n● HOLD 1A\n➤ HOLD 2A\no   HOLD 3A\n§ HOLD 4A\n– HOLD 5A\n(6) HOLD 6A\n7)HOLD 7A\na) HOLD 8A\n① HOLD 9A\nEND\n"),
		"GAME 12/HOLD 1A/HOLD 2A/HOLD 3A/HOLD 4A/HOLD 5A/HOLD 6A/HOLD 7A/HOLD 8A/HOLD 9A/END"},
	{"quotes keep their case", plain("GAME 12\nNAME 56PZ “Desert Rats”\nNAME 57PZ «Großdeutschland»\nEND\n"),
		"GAME 12/NAME 56PZ \"Desert Rats\"/NAME 57PZ \"Großdeutschland\"/END"},
	{"links printed behind words", plain("GAME 12\nMOVE 56<tel:56>PZ H15-H14-H13 <https://example.net/x>\nEND\n"), b},
	{"comparison is no arrow", plain("GAME 12\nIF MP >= 3: MOVE 56PZ H15 > H14\nIF MP > 3: HOLD 1A\nEND\n"), "GAME 12/IF MP >= 3: MOVE 56PZ H15-H14/IF MP > 3: HOLD 1A/END"},
	// wrapped lines
	{"wrapped after a dash", plain("GAME 12\nMOVE 56PZ H15-\nH14-H13\nEND\n"), b},
	{"wrapped before a dash", plain("GAME 12\nMOVE 56PZ H15-H14\n-H13\nEND\n"), b},
	{"wrapped before a hex", plain("GAME 12\nMOVE 56PZ\nH15-H14-H13\nEND\n"), b},
	{"backslash", plain("GAME 12\nMOVE 56PZ \\\nH15-H14-H13\nEND\n"), b},
	{"comma before the next order", plain("GAME 12\nMOVE 56PZ H15-H14-H13,\nHOLD 21IN,\nEND\n"), "GAME 12/MOVE 56PZ H15-H14-H13/HOLD 21IN/END"},
	{"clause word below", plain("GAME 12\nATTACK K9 FROM K8: 24A\n  AND L8: 1SH\n  LOSS STEPS\nEND\n"), "GAME 12/ATTACK K9 FROM K8: 24A AND L8: 1SH LOSS STEPS/END"},
	{"flowed, wrapped at a blank", mailOf("Content-Type: text/plain; charset=utf-8; format=flowed", "GAME 12\nMOVE 56PZ \nH15-H14-H13\nEND \nCheers, Alice\n"), b},
	{"flowed, DelSp", mailOf("Content-Type: text/plain; charset=utf-8; format=flowed; delsp=yes", "GAME 12\nMOVE 56PZ  \nH15- \nH14-H13\nEND\n"), b},
	{"flowed, stuffed", mailOf("Content-Type: text/plain; format=Flowed", " GAME 12\n MOVE 56PZ H15-H14-H13\n END\n"), b},
	// charsets
	{"windows-1251", mailOf("Content-Type: text/plain; charset=windows-1251", "\xcf\xf0\xe8\xe2\xe5\xf2\n"+block), b},
	{"gb18030", mailOf("Content-Type: text/plain; charset=GB2312", "\xc4\xe3\xba\xc3\n"+block), b},
	{"iso-2022-jp", mailOf("Content-Type: text/plain; charset=iso-2022-jp", "\x1b$B$3$s$K$A$O\x1b(B\n"+block), b},
	{"utf-7", mailOf("Content-Type: text/plain; charset=utf-7", "Gr+APwA3w-e\nGAME 12\nMOVE 56PZ H15+IBM-H14-H13\nEND\n"), b},
	{"utf-16le base64 without a label", mailOf("Content-Type: text/plain\nContent-Transfer-Encoding: base64", base64.StdEncoding.EncodeToString([]byte(utf16le("GAME 12\r\nMOVE 56PZ H15-H14-H13\r\nEND\r\n")))), b},
	{"label is a lie", mailOf("Content-Type: text/plain; charset=x-nonsense", "Gr\xfc\xdfe\n"+block), b},
	{"cp-1252 spelled so", mailOf("Content-Type: text/plain; charset=cp-1252", "GAME 12\nMOVE 56PZ H15\x96H14\x97H13\nEND\n"), b},
	{"macintosh", mailOf("Content-Type: text/plain; charset=macintosh", "GAME 12\nMOVE 56PZ H15\xd0H14\xd1H13\nEND\n"), b},
	// transfer encodings
	{"quoted-printable with bare equals", mailOf("Content-Type: text/plain\nContent-Transfer-Encoding: quoted-printable", "x == y =zz\nGAME 12=20\nMOVE 56PZ H15-=\nH14-H13\nEND=\n"), b},
	{"base64 without padding", mailOf("Content-Type: text/plain\nContent-Transfer-Encoding: base64", strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(block+"x")), "=")), b},
	{"base64 in two pieces", mailOf("Content-Type: text/plain\nContent-Transfer-Encoding: BASE64", base64.StdEncoding.EncodeToString([]byte("GAME 12\n"))+"\n"+base64.StdEncoding.EncodeToString([]byte("MOVE 56PZ H15-H14-H13\nEND\n"))), b},
	{"uuencoded part", mixed("Content-Type: text/plain; name=o.txt\nContent-Transfer-Encoding: x-uuencode\n\nbegin 644 o.txt\nM1T%-12`Q,@I-3U9%(#4V4%H@2#$U+4@Q-\"U(,3,*14Y$\"@``\n`\nend\n"), b},
	{"uuencoded in the text", plain("see below\n\nbegin 644 o.txt\nM1T%-12`Q,@I-3U9%(#4V4%H@2#$U+4@Q-\"U(,3,*14Y$\"@``\n`\nend\n"), b},
	{"lone CR", strings.ReplaceAll(plain(block), "\n", "\r"), b},
	{"CRLF", strings.ReplaceAll(plain(block), "\n", "\r\n"), b},
	// HTML
	{"paragraphs, hidden preheader", html(`<div style="display:none;max-height:0">GAME 98<br>END</div><p>GAME&nbsp;12</p><p>MOVE 56PZ H15&ndash;H14&rarr;H13</p><p>END</p>`), b},
	{"pre-wrap div", html("<div style=\"white-space: pre-wrap\">GAME 12\nMOVE 56PZ H15-H14-H13\nEND</div>"), b},
	{"word table", html(`<table><tr><td><p>GAME</p></td><td><p>12</p></td></tr><tr><td><p>MOVE 56PZ</p></td><td><p>H15-H14-H13</p></td></tr><tr><td><p>END</p></td><td></td></tr></table>`), b},
	{"layout table", html(`<table><tr><td><div>GAME 12</div><div>MOVE 56PZ H15-H14-H13</div><div>END</div></td></tr></table>`), b},
	{"struck out", html(`<div>GAME 12</div><div><s>HOLD 56PZ</s></div><div>MOVE 56PZ <del>A1</del>H15-H14-H13</div><div>END</div>`), b},
	{"script and comment", html(`<style>p{}</style><script>GAME 98</script><!-- GAME 97 --><p>GAME 12<p>MOVE 56PZ H15-H14-H13<p>END`), b},
	{"wrapped in the source", html("<p>GAME\n12</p>\n<p>MOVE\n 56PZ H15-<wbr>H14-H13</p><p>END</p>"), b},
	{"nested beyond measure", html(strings.Repeat("<div>", 2000) + "GAME 12<br>MOVE 56PZ H15-H14-H13<br>END" + strings.Repeat("</div>", 2000)), b},
	// replies in HTML
	{"thunderbird, answer below", html(`<div class="moz-cite-prefix">On 30.11.26 08:00, GM wrote:<br></div><blockquote type="cite"><pre>` + other + `</pre></blockquote><p>GAME 12<br>MOVE 56PZ H15-H14-H13<br>END</p>`), b},
	{"gmail", html(`<div dir="ltr">GAME 12<div>MOVE 56PZ H15-H14-H13</div><div>END</div></div><br><div class="gmail_quote gmail_quote_container"><div class="gmail_attr">On Mon wrote:<br></div><blockquote class="gmail_quote">GAME 12<br>END</blockquote></div>`), b},
	{"yahoo", html(`<div>GAME 12<br>MOVE 56PZ H15-H14-H13<br>END</div><div id="ydp1yahoo_quoted_9" class="ydp1yahoo_quoted">On Monday GM wrote:<br>GAME 12<br>HOLD 1A<br>END</div>`), b},
	{"proton", html(`<div>GAME 12</div><div>MOVE 56PZ H15-H14-H13</div><div>END</div><div class="protonmail_quote">On Monday, GM wrote:<br><blockquote type="cite">GAME 12<br>HOLD 1A<br>END</blockquote></div>`), b},
	{"gmx", html(`<div>GAME 12</div><div>MOVE 56PZ H15-H14-H13</div><div>END</div><div name="quote"><b>Gesendet:</b> Montag<br>GAME 12<br>HOLD 1A<br>END</div>`), b},
	{"new outlook", html(`<div>GAME 12</div><div>MOVE 56PZ H15-H14-H13</div><div>END</div><div id="mail-editor-reference-message-container"><div>GAME 12<br>HOLD 1A<br>END</div></div>`), b},
	{"outlook desktop, bold From", html(`<p class=MsoNormal>GAME 12</p><p class=MsoNormal>MOVE 56PZ H15-H14-H13</p><p class=MsoNormal>END</p><div style='border:none;border-top:solid #E1E1E1 1.0pt'><p class=MsoNormal><b>Från:</b> GM &lt;gm@example.org&gt; <br><b>Skickat:</b> den 30 november 2026<br><b>Till:</b> Alice</p></div><p>GAME 12</p><p>HOLD 1A</p><p>END</p>`), b},
	{"only quoted in HTML", html(`<p>Thanks!</p><blockquote type="cite">` + strings.ReplaceAll(other, "\n", "<br>") + `</blockquote>`), "reject no-orders"},
	// replies in text
	{"answer below the quotation", plain("On Mon, 30 Nov 2026 at 08:00, GM <gm@example.org> wrote:\n> GAME 12\n> HOLD 1A\n> END\n\n" + block), b},
	{"attribution over two lines", plain(block + "\nOn Mon, 30 Nov 2026 at 08:00, Game Master <gm@example.org>\nwrote:\n\nGAME 12\nHOLD 1A\nEND\n"), b},
	{"quotation without marks", plain(block + "\nLe lun. 30 nov. 2026 à 08:00, GM <gm@example.org> a écrit :\n\nGAME 12\nHOLD 1A\nEND\n"), b},
	{"attribution in a language unknown", plain(block + "\n2026-11-30 08:00 GM <gm@example.org> zibit ku:\n\nGAME 12\nHOLD 1A\nEND\n"), b},
	{"japanese", plain(block + "\n2026年11月30日(月) 8:00 GM <gm@example.org>:\n\nGAME 12\nHOLD 1A\nEND\n"), b},
	{"bars as marks", plain("| GAME 12\n| HOLD 1A\n| END\n\n" + block), b},
	{"initials as marks", plain("GM> GAME 12\nGM> HOLD 1A\nGM> END\n\n" + block), b},
	{"blanks before the mark", plain("   > GAME 12\n   > HOLD 1A\n   > END\n\n" + block), b},
	{"nested marks", plain(">> GAME 12\n>> HOLD 1A\n>> END\n> hm\n\n" + block), b},
	{"original message, answer below marked lines", plain("-----Original Message-----\n> From: GM\n> GAME 12\n> HOLD 1A\n> END\n\n" + block), b},
	{"inline answer within the quoted heading", plain("> GAME 12\nMOVE 56PZ H15-H14-H13\n> END\n"), "reject no-orders"},
	{"forwarded", plain("FYI\n\n---------- Forwarded message ---------\nFrom: Bob <bob@example.net>\nDate: Mon, 30 Nov 2026\n\n" + block), "reject no-orders"},
	{"apple forward", plain("Anfang der weitergeleiteten Nachricht:\n\nVon: Bob <bob@example.net>\n\n" + block), "reject no-orders"},
	{"attached message", mixed("Content-Type: text/plain\n\nsee below", "Content-Type: message/rfc822\n\nFrom: Alice <alice@example.net>\nContent-Type: text/plain\n\n"+block), "reject no-orders"},
	{"signature", plain(block + "\n-- \nAlice Arden\nGAME over\n"), b},
	{"block below the signature", plain("Hi\n\n-- \nAlice\n\n" + block), b},
	{"sent from my phone", plain(block + "\nSent from my iPhone\n"), b},
	{"prose with the word game", plain("Game 12 was great fun.\nGame on!\n\n" + block), b},
	// parts
	{"several attachments for several games", mixed("Content-Type: text/plain\n\nsee files", attached("g12.txt", block), attached("g15.txt", "GAME 15\nHOLD 3FL\nEND\n")), b + " GAME 15/HOLD 3FL/END"},
	{"attachment repeats the body", mixed("Content-Type: text/plain\n\n"+block, attached("orders.txt", block)), b},
	{"attachment named as a picture", mixed("Content-Type: text/plain\n\n"+block, "Content-Type: text/plain; name=map.png\n\nGAME 12\nHOLD 1A\nEND\n"), b},
	{"second attachment differs", mixed("Content-Type: text/plain\n\nhi", attached("a.txt", block), attached("b.txt", other)), "reject conflict"},
	{"orders in a document", mixed("Content-Type: text/plain\n\nsee file", "Content-Type: application/vnd.openxmlformats-officedocument.wordprocessingml.document; name=orders.docx\nContent-Transfer-Encoding: base64\n\nUEsDBA=="), "reject unreadable"},
	{"closing boundary missing", mailOf(`Content-Type: multipart/mixed; boundary="m"`, "--m\nContent-Type: text/plain\n\n"+block), b},
	{"part without a header", mailOf(`Content-Type: multipart/mixed; boundary="m"`, "preamble\n--m\n\n"+block+"--m--\n"), b},
	{"content type is one word", mailOf("Content-Type: text", block), b},
	{"related inside alternative", mailOf(`Content-Type: multipart/related; boundary="r"`, "--r\nContent-Type: multipart/alternative; boundary=\"a\"\n\n--a\nContent-Type: text/plain\n\n"+block+"\n--a\nContent-Type: text/html\n\n<p>GAME 12<br>MOVE 56PZ H15-H14-H13<br>END</p>\n--a--\n--r\nContent-Type: image/png\nContent-ID: <x>\n\nx\n--r--\n"), b},
	{"apple: html in pieces", mailOf(`Content-Type: multipart/alternative; boundary="a"`, "--a\nContent-Type: text/plain\n\n"+block+"\n--a\nContent-Type: multipart/mixed; boundary=\"h\"\n\n--h\nContent-Type: text/html\n\n<div>GAME 12</div><div>MOVE 56PZ H15-H14-H13</div>\n--h\nContent-Type: image/png; name=x.png\n\nx\n--h\nContent-Type: text/html\n\n<div>END</div>\n--h--\n--a--\n"), b},
	{"html with a text footer", mixed("Content-Type: text/html\n\n<p>GAME 12<br>MOVE 56PZ H15-H14-H13<br>END</p>", "Content-Type: text/plain\n\n____\nlist footer"), b},
	{"alternatives wrap differently", alternative("GAME 12\nMOVE 56PZ H15-\nH14-H13\nEND\n", "<p>GAME 12</p><p>MOVE 56PZ H15-H14-H13</p><p>END</p>"), b},
	{"alternatives: bold in one", alternative("*GAME 12*\n*MOVE 56PZ H15-H14-H13*\n*END*\n", "<b>GAME 12<br>MOVE 56PZ H15-H14-H13<br>END</b>"), b},
	{"alternatives: one more order", alternative(block, "<p>GAME 12<br>MOVE 56PZ H15-H14-H13<br>HOLD 1A<br>END</p>"), "reject conflict"},
	{"enriched text", mailOf("Content-Type: text/enriched", "<bold>GAME 12</bold>\nMOVE 56PZ <color><param>red</param>H15</color>-H14-H13\nEND\n"), b},
	{"inline encrypted", plain("-----BEGIN PGP MESSAGE-----\n\nhF4D\n-----END PGP MESSAGE-----\n"), "reject encrypted"},
	{"enveloped S/MIME", mailOf("Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\nContent-Transfer-Encoding: base64", "MIIB"), "reject encrypted"},
	{"nested 30 deep", nested(30), "reject unreadable"},
	{"nested 15 deep", nested(15), b},
	{"500 parts, orders first", mailOf(`Content-Type: multipart/mixed; boundary="m"`, "--m\n\n"+block+strings.Repeat("--m\nContent-Type: image/png\n\nx\n", 500)+"--m--\n"), b},
	{"long text, orders first", plain(block + strings.Repeat("blah blah\n", 40000)), b},
	{"long text, orders cut", plain("GAME 12\n" + strings.Repeat("# blah blah\n", 40000) + "END\n"), "reject too-large"},
	{"very large", plain(block + strings.Repeat("blah blah\n", 120000)), "reject too-large"},
	{"control characters in the block", plain("GAME 12\nMOVE 56PZ\x07 H15-H14-H13\nEND\n"), "reject bad-characters"},
	{"control characters elsewhere", plain("hi\x07\n" + block), b},
	// sheets
	{"heading with turn and phase", plain("Game 12, Turn 5, Phase move\nHOLD 1A\nEND\n"), "GAME 12 TURN 5 PHASE MOVE/HOLD 1A/END"},
	{"heading with a colon", plain("GAME: 12\nHOLD 1A\nEND\n"), "GAME 12/HOLD 1A/END"},
	{"heading with a number sign", plain("GAME #12\nHOLD 1A\nEND\n"), "GAME 12/HOLD 1A/END"},
	{"heading twice", plain("GAME 12\nGAME 12\nHOLD 1A\nEND\n"), "GAME 12/HOLD 1A/END"},
	{"END PHASE is no END", plain("GAME 12\nHOLD 1A\nEND PHASE\n"), "reject unterminated"},
	{"the same twice", plain(block + "\n" + block), b},
	{"second sheet cut", plain(block + "GAME 15\nHOLD 3FL\n"), b},
	{"message block", plain("GAME 12\nMESSAGE\nHello Bob,\n1. you’re late – GAME over\nEND MESSAGE\nHOLD 1A\nEND\n"), "GAME 12/MESSAGE/Hello Bob,/1. you’re late – GAME over/END MESSAGE/HOLD 1A/END"},
	{"only a foreign game", plain("GAME 77\nHOLD 1A\nEND\n"), "reject unknown-game"},
	{"a foreign game beside", plain(block + "GAME 77\nHOLD 1A\nEND\n"), b},
	{"nothing but text", plain("Hello, when is the next turn?\n"), "reject no-orders"},
	{"more sheets than anybody sends", plain(manySheets(60)), "reject too-large"},
	{"more lines than anybody sends", plain("GAME 12\n" + strings.Repeat("HOLD 1A\n", 2100) + "END\n"), "reject too-large"},
	// machines
	{"x-autoreply", strings.Replace(plain(block), "Subject:", "X-Autoreply: yes\nSubject:", 1), "ignore"},
	{"precedence auto_reply", strings.Replace(plain(block), "Subject:", "Precedence: auto_reply\nSubject:", 1), "ignore"},
	{"exchange out of office", strings.Replace(plain(block), "Subject: Orders", "Auto-Submitted: auto-generated\nX-Auto-Response-Suppress: All\nSubject: Automatic reply: x", 1), "ignore"},
	{"calendar answer", mailOf("Content-Type: text/calendar; method=REPLY; charset=utf-8", "BEGIN:VCALENDAR\nMETHOD:REPLY\nEND:VCALENDAR\n"), "ignore"},
	{"calendar answer among alternatives", mailOf(`Content-Type: multipart/alternative; boundary="b"`, "--b\nContent-Type: text/plain\n\nAccepted\n--b\nContent-Type: text/calendar\n\nBEGIN:VCALENDAR\nMETHOD:REPLY\nEND:VCALENDAR\n--b--\n"), "ignore"},
	{"list without a token", strings.NewReplacer("gm+g12-k7f3q9xw", "gm", "MIME-Version", "List-Id: <l.example.org>\nMIME-Version").Replace(plain(block)), "ignore"},
	{"our own address", strings.Replace(plain(block), "From: Alice Arden <alice@example.net>", "From: gm+g12-k7f3q9xw@example.org", 1), "ignore"},
	// identity
	{"token in upper case", strings.ReplaceAll(plain(block), "gm+g12-k7f3q9xw", "GM+G12-K7F3Q9XW"), b},
	{"token of nobody", strings.ReplaceAll(plain(block), "k7f3q9xw", "k7f3q9xx"), "quarantine"},
	{"token of another game", strings.ReplaceAll(plain(block), "+g12-", "+g99-"), "quarantine"},
	{"token at another host", strings.ReplaceAll(plain(block), "k7f3q9xw@example.org", "k7f3q9xw@example.com"), "quarantine"},
	{"token and proven sender disagree", strings.Replace(strings.Replace(plain(block), "Alice Arden <alice@", "Bob <bob@", 1), "From:", "Authentication-Results: mx.example.org; dmarc=pass header.from=example.net\nReceived: from x by mx.example.org (Postfix) with ESMTPS id 1; Mon, 30 Nov 2026 09:15:05 +0100\nFrom:", 1), "quarantine"},
	{"the other seat's unproven From with a token", strings.Replace(plain(block), "Alice Arden <alice@", "Bob <bob@", 1), "quarantine"},
	{"nobody's unproven From with a token", strings.Replace(plain(block), "Alice Arden <alice@", "Carol <carol@", 1), b},
	{"two tokens", strings.Replace(plain(block), "Subject: Orders", "Cc: gm+g12-m2v8c4tn@example.org\nSubject: Orders", 1), "quarantine"},
	{"token in X-Original-To", strings.Replace(strings.ReplaceAll(plain(block), "gm+g12-k7f3q9xw", "gm"), "Subject:", "X-Original-To: gm+g12-k7f3q9xw@example.org\nSubject:", 1), b},
	{"token in an encoded subject", strings.Replace(strings.ReplaceAll(plain(block), "gm+g12-k7f3q9xw", "gm"), "Subject: Orders", "Subject: =?utf-8?q?AW=3A_=5B12_=23K7F3Q9XW=5D_Z=C3=BCge?=", 1), b},
	{"results below our Received", strings.Replace(strings.ReplaceAll(plain(block), "gm+g12-k7f3q9xw", "gm"), "From:", "Received: from x by mx.example.org (Postfix) with ESMTPS id 1; Mon, 30 Nov 2026 09:15:05 +0100\nAuthentication-Results: mx.example.org; dmarc=pass header.from=example.net\nFrom:", 1), "quarantine"},
	{"results of another host", strings.Replace(strings.ReplaceAll(plain(block), "gm+g12-k7f3q9xw", "gm"), "From:", "Authentication-Results: mx.evil.example; dmarc=pass header.from=example.net\nFrom:", 1), "quarantine"},
	{"aligned dkim in our results", strings.Replace(strings.ReplaceAll(plain(block), "gm+g12-k7f3q9xw", "gm"), "From:", "Authentication-Results: mx.example.org; dkim=pass header.d=mail.example.net\nReceived: from x by mx.example.org (Postfix) with ESMTPS id 1; Mon, 30 Nov 2026 09:15:05 +0100\nFrom:", 1), b},
	{"dkim pass under a failed dmarc", strings.Replace(strings.ReplaceAll(plain(block), "gm+g12-k7f3q9xw", "gm"), "From:", "Authentication-Results: mx.example.org; dkim=pass header.d=example.net; dmarc=fail header.from=example.net\nReceived: from x by mx.example.org (Postfix) with ESMTPS id 1; Mon, 30 Nov 2026 09:15:05 +0100\nFrom:", 1), "quarantine"},
	{"an address in the display name", strings.Replace(strings.Replace(strings.ReplaceAll(plain(block), "gm+g12-k7f3q9xw", "gm"), "Alice Arden <alice@example.net>", "alice@example.net <m@example.net>", 1), "From:", "Authentication-Results: mx.example.org; dmarc=pass header.from=example.net\nReceived: from x by mx.example.org (Postfix) with ESMTPS id 1; Mon, 30 Nov 2026 09:15:05 +0100\nFrom:", 1), "quarantine"},
	{"an umlaut in the address", strings.NewReplacer("gm+g12-k7f3q9xw", "gm", "Alice Arden <alice@example.net>", "Jürgen <JUERGEN@xn--bcher-kva.example.net>", "MIME-Version", "Authentication-Results: mx.example.org; dmarc=pass header.from=xn--bcher-kva.example.net\nReceived: from x by mx.example.org (Postfix) with ESMTPS id 1; Mon, 30 Nov 2026 09:15:05 +0100\nMIME-Version").Replace(plain(block)), b},
	{"an encoded name with a comma", strings.Replace(plain(block), "Alice Arden <", "=?iso-8859-1?q?M=FCller=2C_Alice?= <", 1), b},
	{"a group", strings.Replace(plain(block), "Alice Arden <alice@example.net>", "undisclosed-recipients:;", 1), "quarantine"},
	// headers
	{"raw eight-bit header", strings.Replace(plain(block), "Orders", "Z\xfcge", 1), b},
	{"blank lines above", "\n\n" + plain(block), b},
	{"blank before the colon", strings.Replace(plain(block), "From:", "From :", 1), b},
	{"mbox line with an arrow", ">From alice@example.net Mon Nov 30 09:15:02 2026\n" + plain(block), b},
	{"header line of 100 KB", strings.Replace(plain(block), "Subject:", "X-Long: "+strings.Repeat("x", 100000)+"\nSubject:", 1), b},
}

func manySheets(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "GAME %d\nHOLD 1A\nEND\n", i+1)
	}
	return b.String()
}

func nested(n int) string {
	var head, tail strings.Builder
	for i := range n {
		fmt.Fprintf(&head, "--n%d\nContent-Type: multipart/mixed; boundary=n%d\n\n", i, i+1)
		fmt.Fprintf(&tail, "\n--n%d--", n-i)
	}
	fmt.Fprintf(&head, "--n%d\n\n%s", n, block)
	return mailOf("Content-Type: multipart/mixed; boundary=n0", head.String()+tail.String()+"\n--n0--\n")
}

func world(t testing.TB) World {
	t.Helper()
	w, _, err := LoadWorld(filepath.Join(samples, "world.toml"))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func outcome(v Verdict) string {
	if v.Outcome != Accept {
		return strings.TrimSpace(string(v.Outcome) + " " + string(v.Notice))
	}
	var out []string
	for _, s := range v.Sheets {
		out = append(out, strings.Join(s.Canonical(), "/"))
	}
	return strings.Join(out, " ")
}

func TestVariants(t *testing.T) {
	w := world(t)
	for _, c := range variants {
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

// A mail that a server has added to on its way is still the same mail.
func TestMutations(t *testing.T) {
	w := world(t)
	for _, s := range expected(t) {
		if s.Outcome != "accept" || strings.HasPrefix(s.File, "5") {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(samples, s.File))
		if err != nil {
			t.Fatal(err)
		}
		want := outcome(Judge(raw, w))
		for name, mutant := range map[string]string{
			"received":  "Received: from a.example by b.example with LMTP id 9;\r\n\tMon, 30 Nov 2026 09:15:06 +0100\r\n" + strings.TrimPrefix(string(raw), "From alice@example.net Mon Nov 30 09:15:02 2026\r\n"),
			"lf":        strings.ReplaceAll(string(raw), "\r\n", "\n"),
			"crlf":      strings.ReplaceAll(strings.ReplaceAll(string(raw), "\r\n", "\n"), "\n", "\r\n"),
			"footer":    string(raw) + "\r\n_______________________________________________\r\npbem-list mailing list\r\n",
			"mbox line": "From x@example.net Mon Nov 30 09:15:02 2026\n" + string(raw),
		} {
			if got := outcome(Judge([]byte(mutant), w)); got != want {
				t.Errorf("%s, %s: got %s, want %s", s.File, name, got, want)
			}
		}
	}
}

func TestStrictSeatsAskForBoth(t *testing.T) {
	w := world(t)
	for _, p := range w.Seats.(people).list {
		p.strict = true
	}
	results := "Authentication-Results: mx.example.org; dmarc=pass header.from=example.net\n"
	for _, c := range []struct{ name, raw, want string }{
		{"token alone", plain(block), "quarantine"},
		{"sender alone", results + strings.ReplaceAll(plain(block), "gm+g12-k7f3q9xw", "gm"), "quarantine"},
		{"both", results + plain(block), b},
	} {
		if got := outcome(Judge([]byte(c.raw), w)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
	raw, err := os.ReadFile(filepath.Join(samples, "501-pgp-mime-signed.eml"))
	if err != nil {
		t.Fatal(err)
	}
	if got := outcome(Judge(raw, w)); got != b {
		t.Errorf("token and a good signature: got %s", got)
	}
}

// A mail with only a quoted block offers its lines, and never executes them.
func TestQuotedSheetIsOffered(t *testing.T) {
	m := message.Parse([]byte(plain("Ok!\n\n> GAME 12\n> MOVE 56PZ A01-A02\n> END\n")), message.Options{})
	r := Read(m, nil)
	if r.Notice != NoOrders || len(r.Sheets) != 0 || len(r.Quoted) != 1 || r.Quoted[0].Lines[0].Text != "MOVE 56PZ A01-A02" {
		t.Errorf("%+v", r)
	}
}

func TestBouncesNameWhoAndWhat(t *testing.T) {
	w := world(t)
	for _, c := range []struct {
		file, to, id string
		hard         bool
	}{
		{"606-bounce-dsn-failed.eml", "bob@example.net", "<g12.t7.p2@example.org>", true},
		{"607-bounce-dsn-delayed.eml", "bob@example.net", "<g12.t7.p2@example.org>", false},
		{"608-bounce-qmail-style.eml", "bob@example.net", "<g12.t7.p2@example.org>", true},
	} {
		raw, err := os.ReadFile(filepath.Join(samples, c.file))
		if err != nil {
			t.Fatal(err)
		}
		v := Judge(raw, w)
		if bo := v.Mail.Bounce; bo == nil || bo.Recipient != c.to || bo.OriginalMessageID != c.id || bo.Hard() != c.hard || v.Kind != "bounce" {
			t.Errorf("%s: %s %+v", c.file, v.Kind, v.Mail.Bounce)
		}
	}
}

func TestRunMisuse(t *testing.T) {
	var out, errs strings.Builder
	if code := Run(nil, &out, &errs); code != 2 || !strings.Contains(errs.String(), "usage") {
		t.Errorf("no files: exit %d, %s", code, errs.String())
	}
	if code := Run([]string{filepath.Join(t.TempDir(), "none.eml")}, &out, &errs); code != 1 {
		t.Errorf("missing file: exit %d", code)
	}
	if code := Run([]string{"--world", filepath.Join(t.TempDir(), "none.toml"), "x"}, &out, &errs); code != 2 {
		t.Errorf("missing world: exit %d", code)
	}
	if out.Len() != 0 {
		t.Errorf("printed %s", out.String())
	}
}

func FuzzMailToSheet(f *testing.F) {
	names, err := filepath.Glob(filepath.Join(samples, "*.eml"))
	if err != nil || len(names) == 0 {
		f.Fatal("no samples")
	}
	for _, n := range names {
		raw, err := os.ReadFile(n)
		if err != nil {
			f.Fatal(err)
		}
		if len(raw) < 20<<10 {
			f.Add(raw)
		}
	}
	w := world(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		v := Judge(raw, w)
		if (v.Outcome == Reject) != (v.Notice != "") {
			t.Errorf("outcome %s with notice %q", v.Outcome, v.Notice)
		}
		for _, s := range v.Sheets {
			if _, ok := v.Auth.For(s.Game); !ok {
				t.Errorf("a sheet for game %s without a proven seat", s.Game)
			}
		}
		if v.Outcome == Accept && len(v.Sheets) == 0 {
			t.Error("accepted nothing")
		}
	})
}

func BenchmarkJudge(bb *testing.B) {
	w := world(bb)
	for _, n := range []string{"001-plain-ascii.eml", "205-gmail-alternative.eml", "207-outlook-mso-html.eml", "301-top-post-quoted-report.eml"} {
		raw, err := os.ReadFile(filepath.Join(samples, n))
		if err != nil {
			bb.Fatal(err)
		}
		bb.Run(n, func(bb *testing.B) {
			bb.ReportAllocs()
			for bb.Loop() {
				Judge(raw, w)
			}
		})
	}
}

// What costs a sender nothing must not cost us minutes: each of these was, or
// could have been, the seed of something quadratic.
func TestHostileSizesEnd(t *testing.T) {
	w := world(t)
	n := message.MaxText - 1000
	for name, body := range map[string]string{
		"stars":          strings.Repeat("* ", n/2),
		"marks":          strings.Repeat("*a", n/2),
		"brackets":       strings.Repeat("<", n) + ">",
		"dashes":         "GAME 12\nMOVE " + strings.Repeat("A1 - ", n/6) + "\nEND\n",
		"commas":         "GAME 12\nMOVE 1A\n" + strings.Repeat("X,\n", n/4) + "END\n",
		"headings":       strings.Repeat("GAME 12\n", n/8),
		"sheets":         strings.Repeat("GAME 12\nEND\n", n/12),
		"messages":       "GAME 12\n" + strings.Repeat("MESSAGE\n", n/9) + "END\n",
		"attributions":   strings.Repeat("On 30 Nov 2026 GM wrote:\n> x\n", n/30),
		"quotation":      strings.Repeat("\"", n),
		"begin":          strings.Repeat("begin 644 x.txt\n", n/17),
		"one long line":  strings.Repeat("x", n),
		"from headers":   strings.Repeat("From: x\n", n/9),
		"control":        "GAME 12\n" + strings.Repeat("\x07\n", n/3) + "END\n",
		"cyrillic words": "GAME 12\n" + strings.Repeat("Н ", n/4) + "\nEND\n",
	} {
		t.Run(name, func(t *testing.T) {
			Judge([]byte(plain(body)), w)
			Judge([]byte(mailOf("Content-Type: text/plain; format=flowed", strings.ReplaceAll(body, "\n", " \n"))), w)
		})
	}
	for name, body := range map[string]string{
		"divs":        strings.Repeat("<div>", n/5),
		"tables":      strings.Repeat("<table><tr><td>", n/15),
		"blockquotes": strings.Repeat("<blockquote>", n/12),
		"attributes":  "<p " + strings.Repeat("a=b ", n/4) + ">",
	} {
		t.Run(name, func(t *testing.T) { Judge([]byte(html(body)), w) })
	}
}
