package judge

import (
	"encoding/base64"
	"strings"
	"testing"
)

func utf16be(s string) string {
	l := []byte(utf16le(s))
	for i := 0; i+1 < len(l); i += 2 {
		l[i], l[i+1] = l[i+1], l[i]
	}
	return string(l)
}

// coded is a mail whose text part is labelled with a transfer encoding.
func coded(encoding, charset, body string) string {
	return mailOf("Content-Type: text/plain; charset="+charset+"\nContent-Transfer-Encoding: "+encoding, body)
}

// What happens to a text between two machines.
func TestDamagedOnTheWay(t *testing.T) {
	w := world(t)
	code := base64.StdEncoding.EncodeToString([]byte("GAME 12\r\nMOVE 56PZ H15-H14-H13\r\nEND\r\n"))
	broken := func(at int, with string) string { return code[:at] + with + code[at:] }
	for _, c := range []struct{ name, raw, want string }{
		{"blanks within base64", coded("base64", "utf-8", broken(10, " ")), b},
		{"a stray sign within base64", coded("base64", "utf-8", broken(39, "!")), b},
		{"the URL alphabet", coded("base64", "utf-8", base64.URLEncoding.EncodeToString([]byte("GAME 12\nMOVE 56PZ H15-H14-H13\nMESSAGE ???>>>\nEND\n"))), "GAME 12/MOVE 56PZ H15-H14-H13/MESSAGE ???>>>/END"},
		{"a footer of words below", coded("base64", "utf-8", code+"\n\nTo leave the list 2 write to l@example.org\n"), b},
		{"a footer of one word below", coded("base64", "utf-8", code+"\nUnsubscribe\n"), b},
		{"an underline below", coded("base64", "utf-8", code+"\n________________\nThe List 2026\n"), b},
		{"labelled base64 and plain", coded("base64", "utf-8", block), b},
		{"labelled base64, plain and one word first", coded("base64", "utf-8", "Hello\n"+block), b},
		{"base64 that decodes to nothing", coded("base64", "utf-8", "????\n"), "reject unreadable"},
		{"uuencoded without its end", coded("x-uuencode", "utf-8", "begin 644 o.txt\nM1T%-12`Q,@I-3U9%(#4V4%H@2#$U+4@Q-\"U(,3,*14Y$\"@``\n"), b},
		{"uuencoded in the text without its end", plain("begin 644 o.txt\nM1T%-12`Q,@I-3U9%(#4V4%H@2#$U+4@Q-\"U(,3,*14Y$\"@``\n"), b},
		{"a sentence that begins like uuencoding", plain("begin 644 o.txt\nHello there\n" + block), b},
		{"UTF-16 with octets that look like line ends", coded("base64", "utf-16be", base64.StdEncoding.EncodeToString([]byte(utf16be("\u0d0a\u0a0d\u0d0d\r\nGAME 12\r\nMOVE 56PZ H15-H14-H13\r\nEND\r\n")))), b},
		{"NEL and VT end lines", plain("GAME 12\u0085MOVE 56PZ H15-H14-H13\vEND\n"), b},
		{"a digest is of others' mails", mailOf("Content-Type: multipart/digest; boundary=d", "--d\n\nFrom: gm@example.org\n\n"+block+"\n--d--\n"), "reject no-orders"},
		{"a digest part with fields", mailOf("Content-Type: multipart/digest; boundary=d", "--d\nContent-ID: <1@x>\n\nFrom: gm@example.org\n\n"+block+"\n--d--\n"), "reject no-orders"},
		{"a delivery report beside orders", mixed("Content-Type: text/plain\n\n"+block, "Content-Type: message/delivery-status\n\nReporting-MTA: dns; x\n\nFinal-Recipient: rfc822; bob@example.net\nAction: failed\nStatus: 5.1.1\n"), b},
		{"a delivery report alone", mixed("Content-Type: text/plain\n\nsorry", "Content-Type: message/delivery-status\n\nReporting-MTA: dns; x\n\nFinal-Recipient: rfc822; bob@example.net\nAction: failed\nStatus: 5.1.1\n"), "ignore"},
		{"struck out by a style", html(`<div>GAME 12</div><div style="color:red;text-decoration: line-through">HOLD 56PZ</div><div>MOVE 56PZ <span style="text-decoration-line:underline line-through">A1-</span>H15-H14-H13</div><div>END</div>`), b},
		{"unseen", html(`<div style="opacity:0">GAME 98<br>END</div><div style="visibility:hidden">GAME 97<br>END</div><p style="font-size:0.0px">GAME 96<br>END</p><p style="font-size:0.9em;opacity:0.8">GAME 12<br>MOVE 56PZ H15-H14-H13<br>END</p>`), b},
	} {
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
