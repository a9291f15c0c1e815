package report_test

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"pbemd/pbem"
)

// What mail programs keep: Gmail, Outlook and Apple Mail all know these.
var (
	tags       = strings.Fields("html head meta title body table tr td th div span p h2 b br pre img")
	attributes = strings.Fields("style width cellpadding cellspacing border bgcolor align valign role src alt lang name content http-equiv")
	properties = strings.Fields(`margin margin-top margin-bottom padding padding-left padding-right padding-bottom color background-color
		font-family font-size font-weight line-height letter-spacing text-transform text-indent border border-bottom border-top border-left
		border-collapse max-width width height display white-space word-break`)
	void = strings.Fields("meta br img")
)

// sound checks a mail as it would be sent.
func sound(t *testing.T, name string, p pbem.Parts) {
	t.Helper()
	for _, fault := range append(htmlFaults(p.HTML), textFaults(p.Text)...) {
		t.Errorf("%s: %s", name, fault)
	}
}

// htmlFaults is what some mail program would drop, clip, fetch or make
// illegible.
func htmlFaults(page string) []string {
	var faults []string
	fault := func(form string, args ...any) { faults = append(faults, fmt.Sprintf(form, args...)) }
	if len(page) >= 100<<10 {
		fault("HTML of %d bytes; Gmail clips at 102 KB", len(page))
	}
	if strings.Contains(page, "ZgotmplZ") {
		fault("a value did not fit where the layout put it")
	}
	type ink struct{ fore, back string }
	var open []string
	colours := []ink{{"#000000", "#ffffff"}}
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if len(open) > 0 {
				fault("%v not closed", open)
			}
			return faults
		case html.CommentToken:
			fault("a comment, which Outlook may take for a condition")
		case html.TextToken:
			text := strings.TrimSpace(string(z.Text()))
			now := colours[len(colours)-1]
			if r := contrast(now.fore, now.back); text != "" && r < 4.5 && !slices.Contains(open, "title") {
				fault("%q is %s on %s, a contrast of %.1f", text[:min(len(text), 30)], now.fore, now.back, r)
			}
		case html.StartTagToken:
			token := z.Token()
			if !slices.Contains(tags, token.Data) {
				fault("tag <%s>", token.Data)
			}
			now := colours[len(colours)-1]
			for _, a := range token.Attr {
				switch {
				case !slices.Contains(attributes, a.Key):
					fault("attribute %s of <%s>", a.Key, token.Data)
				case a.Key == "src" && !strings.HasPrefix(a.Val, "cid:"):
					fault("a picture from outside: %s", a.Val)
				case strings.Contains(a.Val, "://"), strings.Contains(a.Val, "url("), strings.Contains(a.Val, "javascript"):
					fault("an address outside the mail: %s", a.Val)
				case a.Key == "bgcolor":
					now.back = a.Val
				case a.Key == "style":
					for _, d := range strings.Split(a.Val, ";") {
						k, v, _ := strings.Cut(strings.TrimSpace(d), ":")
						if k != "" && !slices.Contains(properties, k) {
							fault("style %s of <%s>", k, token.Data)
						}
						switch k {
						case "color":
							now.fore = strings.TrimSpace(v)
						case "background-color":
							now.back = strings.TrimSpace(v)
						}
					}
				}
			}
			if token.Data == "img" {
				alt := ""
				for _, a := range token.Attr {
					if a.Key == "alt" {
						alt = a.Val
					}
				}
				if alt == "" {
					fault("a picture without alt")
				}
			}
			if !slices.Contains(void, token.Data) {
				open, colours = append(open, token.Data), append(colours, now)
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if len(open) == 0 || open[len(open)-1] != string(name) {
				fault("</%s> closes %v", name, open)
				return faults
			}
			open, colours = open[:len(open)-1], colours[:len(colours)-1]
		}
	}
}

// contrast of two colours, as WCAG has it.
func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + .05) / (min(x, y) + .05)
}

func luminance(c string) float64 {
	n, err := strconv.ParseUint(strings.TrimPrefix(c, "#"), 16, 32)
	if err != nil || len(c) != 7 {
		return math.NaN()
	}
	part := func(v uint64) float64 {
		f := float64(v&255) / 255
		if f <= .03928 {
			return f / 12.92
		}
		return math.Pow((f+.055)/1.055, 2.4)
	}
	return .2126*part(n>>16) + .7152*part(n>>8) + .0722*part(n)
}

// key is a sentence that could not be said.
var key = regexp.MustCompile(`\b(b41|report|office|orders|admin|notice)\.[a-z]|%!|<no value>`)

var sheetLine = regexp.MustCompile(`^GAME \d+`)

// textFaults is what wraps or breaks in a plain mail.
func textFaults(text string) []string {
	var faults []string
	verbatim := ""
	for i, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "-----BEGIN"):
			verbatim = "-----END"
		case sheetLine.MatchString(line):
			verbatim = "END"
		}
		if n := len([]rune(line)); n > 72 && verbatim == "" {
			faults = append(faults, fmt.Sprintf("line %d has %d columns: %s", i+1, n, line))
		}
		if strings.TrimRight(line, " ") != line && verbatim == "" {
			faults = append(faults, fmt.Sprintf("line %d ends in blanks", i+1))
		}
		if verbatim == "END" && line == "END" || verbatim == "-----END" && strings.HasPrefix(line, "-----END") {
			verbatim = ""
		}
		if key.MatchString(line) {
			faults = append(faults, fmt.Sprintf("line %d shows a key instead of a sentence: %s", i+1, line))
		}
	}
	return faults
}

// TestCheckerFinds what it is there for.
func TestCheckerFinds(t *testing.T) {
	for fault, page := range map[string]string{
		"tag <script>":           `<script>x</script>`,
		"a picture without alt":  `<img src="cid:x">`,
		"from outside":           `<img src="http://x.example/y.png" alt="y">`,
		"style position":         `<div style="position:fixed">x</div>`,
		"attribute onclick":      `<p onclick="x">x</p>`,
		"a contrast of":          `<p style="color:#ffff00;background-color:#ffffff">x</p>`,
		"not closed":             `<div>`,
		"closes":                 `<div></p>`,
		"bytes; Gmail clips":     strings.Repeat("x", 100<<10),
		"an address outside":     `<p style="color:url(http://x)">x</p>`,
		"a value did not fit":    `<p>ZgotmplZ</p>`,
		"which Outlook may take": `<!-- x -->`,
	} {
		if got := strings.Join(htmlFaults(page), "\n"); !strings.Contains(got, fault) {
			t.Errorf("%.60s: found %q, want %q", page, got, fault)
		}
	}
	if got := textFaults(strings.Repeat("x", 73)); len(got) != 1 {
		t.Errorf("a line of 73 columns: %v", got)
	}
	if got := textFaults("GAME 1\n" + strings.Repeat("x", 90) + "\nEND\n"); len(got) != 0 {
		t.Errorf("an order of 90 columns: %v", got)
	}
}
