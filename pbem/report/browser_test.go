package report_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"html"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pbemd/pbem"
)

// browser finds Chromium, and a folder for what it shows.
func browser(t *testing.T) (program, folder string) {
	t.Helper()
	if testing.Short() {
		t.Skip("the browser is left out of short tests")
	}
	if raced {
		t.Skip("the race detector sees nothing in a browser; the pictures are taken without it")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			program = p
			break
		}
	}
	if program == "" {
		t.Skip("Chromium is not installed: mails are not looked at in a browser")
	}
	folder = os.Getenv("PBEM_ARTEFACTS")
	if folder == "" {
		folder = t.TempDir()
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	return program, folder
}

// chromium runs a headless browser.
func chromium(t *testing.T, program string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	common := []string{"--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-dev-shm-usage",
		"--hide-scrollbars", "--user-data-dir=" + t.TempDir()}
	cmd := exec.CommandContext(ctx, program, append(common, args...)...)
	var out, words bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &words
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, words.String())
	}
	return out.String()
}

// inlined is a mail's page with its pictures in it, as a mail program shows it.
func inlined(p pbem.Parts) string {
	page := p.HTML
	for _, pic := range p.Pictures {
		page = strings.ReplaceAll(page, "cid:"+pic.ID, "data:image/png;base64,"+base64.StdEncoding.EncodeToString(pic.PNG))
	}
	return page
}

// TestInABrowser shows mails at 1200 and 390 pixels, in the light and in the
// dark of a program that turns colours round whatever the page says. It fails
// where a mail has to be scrolled sideways or a picture comes out empty.
func TestInABrowser(t *testing.T) {
	program, folder := browser(t)
	w := writer(t)
	all := os.Getenv("PBEM_ARTEFACTS") != ""
	for _, name := range []string{"your-turn", "start-axis", "question", "undoable", "over-soviet", "help", "turn-2", "question de"} {
		if !all && name != "your-turn" && name != "question de" {
			continue
		}
		tale, lang, _ := strings.Cut(name, " ")
		l := story()[tale]
		l.Lang = lang // longer words than the English ones
		parts, err := w.Report(l)
		if err != nil {
			t.Fatal(err)
		}
		page := inlined(parts)
		// as a program that minds nobody's wishes would show it in the dark
		forced := strings.ReplaceAll(page, `content="light only"`, `content="normal"`)
		file := func(ending, text string) string {
			f := filepath.Join(folder, "mail-"+strings.ReplaceAll(name, " ", "-")+ending)
			if err := os.WriteFile(f, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			return f
		}
		phone := func(page string) string {
			return `<!DOCTYPE html><body style="margin:0;background:#777"><iframe id="f" width="390" height="2900" style="border:0;background:#fff" srcdoc="` +
				html.EscapeString(page) + `"></iframe><p id="wide"></p><script>onload=function(){document.getElementById("wide").textContent="wide="+document.getElementById("f").contentDocument.documentElement.scrollWidth}</script>`
		}
		for _, v := range []struct {
			what, page string
			wide       int
			dark       bool
		}{
			{"-1200-light", page, 1200, false}, {"-1200-dark", forced, 1200, true},
			{"-390-light", phone(page), 500, false}, {"-390-dark", phone(forced), 500, true},
		} {
			f := file(v.what+".html", v.page)
			shot := filepath.Join(folder, "mail-"+name+v.what+".png")
			args := []string{fmt.Sprintf("--window-size=%d,3000", v.wide), "--screenshot=" + shot}
			if v.dark {
				args = append(args, "--force-dark-mode", "--enable-features=WebContentsForceDark")
			}
			if all || v.what == "-390-dark" && lang == "" {
				chromium(t, program, append(args, "file://"+f)...)
				b, err := os.ReadFile(shot)
				if err != nil {
					t.Fatal(err)
				}
				img, err := png.Decode(bytes.NewReader(b))
				if err != nil || img.Bounds().Dx() != v.wide {
					t.Errorf("%s: %v, %v", shot, img.Bounds(), err)
				}
			}
			if v.what == "-390-light" {
				dom := chromium(t, program, "--window-size=500,3000", "--virtual-time-budget=4000", "--dump-dom", "file://"+f)
				if !strings.Contains(dom, "wide=390<") {
					_, rest, _ := strings.Cut(dom, `id="wide">`)
					rest, _, _ = strings.Cut(rest, "<")
					t.Errorf("%s at 390 pixels: %s; the mail has to be scrolled sideways", name, rest)
				}
			}
			os.Remove(f)
		}
	}
}
