package main

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// What `pbemd config` prints is read back as the defaults.
func TestPrintedConfigIsTheDefaults(t *testing.T) {
	var b bytes.Buffer
	writeConfig(&b)
	dir := t.TempDir()
	file := filepath.Join(dir, "pbemd.toml")
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := readConfig(file)
	if err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	var want Config
	if err := defaults(reflect.ValueOf(&want).Elem()); err != nil {
		t.Fatal(err)
	}
	want.Server.Dir = filepath.Join(dir, want.Server.Dir)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestUnknownKeyIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pbemd.toml")
	if err := os.WriteFile(file, []byte("[mailbox]\nadress = \"gm@example.org\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readConfig(file); err == nil || !strings.Contains(err.Error(), "adress") {
		t.Errorf("error %v", err)
	}
}

// A value that means nothing is refused in a sentence that names it.
func TestValuesAreChecked(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"[mailbox]\ntls = \"ssl\"", `mailbox.tls is "ssl", not tls, starttls or none`}, {"[smtp]\nport = 99999", "smtp.port is 99999"},
		{"[mailbox]\nauth = \"oauth\"", "mailbox.auth"}, {"[smtp]\nauth = \"x\"", "smtp.auth"}, {"[mailbox]\naddress = \"games\"", "mailbox.address"},
		{"[play]\nzone = \"Mars/Base\"", "play.zone"}, {"[play]\nlanguage = \"fr\"", "there are de, en"}, {"[play]\nanswer_hours = 0", "play.answer_hours"},
		{"[log]\nlevel = \"loud\"", "log.level"}, {"[log]\nformat = \"xml\"", "log.format"}, {"[ops]\nlisten = \"0.0.0.0:9417\"", "ops.listen"},
		{"[mailbox]\npoll = \"often\"", "mailbox.poll"},
	} {
		file := filepath.Join(t.TempDir(), "pbemd.toml")
		if err := os.WriteFile(file, []byte(c.text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readConfig(file); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.text, err)
		}
	}
}

// What is asked wrongly is refused before anything is opened; help shows flags.
func TestMisuseInWords(t *testing.T) {
	dir := t.TempDir()
	cfg := filepath.Join(dir, "pbemd.toml")
	if err := os.WriteFile(cfg, []byte("[server]\ndir = \"data\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args, want string
		code       int
	}{
		{"render 1 --out map.jpg", "a map is a .png or an .svg", 2}, {"film 1 --out film.mp4", "a film is a .gif", 2},
		{"card blitz41 --language fr", "there are de, en", 1}, {"mail list --out --state lost", "there is no state", 1},
		{"help render", "half as large again", 0}, {"help newgame", "begin at once", 0}, {"games", "waits for", 0},
	} {
		var o, w bytes.Buffer
		if code := run(t.Context(), append([]string{"--config", cfg}, strings.Fields(c.args)...), &o, &w); code != c.code || !strings.Contains(o.String()+w.String(), c.want) {
			t.Errorf("%s: exit %d\n%s%s", c.args, code, o.String(), w.String())
		}
	}
}

// Every command shows an example, and the flags of the examples are there.
func TestEveryCommandHasAnExample(t *testing.T) {
	for _, c := range commands {
		var o, w bytes.Buffer
		if code := run(t.Context(), []string{"help", c.name}, &o, &w); code != 0 || w.Len() > 0 {
			t.Errorf("help %s: exit %d, %s", c.name, code, w.String())
		}
		if len(c.example) == 0 || !strings.Contains(o.String(), "for example:\n  pbemd "+c.example[0]) {
			t.Errorf("help %s shows no example:\n%s", c.name, o.String())
		}
		for _, x := range c.example {
			line := strings.TrimPrefix(x, "--config pbemd.toml ")
			if line != c.name && !strings.HasPrefix(line, c.name+" ") {
				t.Errorf("an example of %s is of another command: %s", c.name, x)
			}
			for _, word := range strings.Fields(line) {
				flag, _, _ := strings.Cut(strings.TrimPrefix(word, "-"), "=")
				if strings.HasPrefix(word, "--") && !strings.Contains(o.String(), "\n  "+flag) && !strings.Contains(c.usage, word) {
					t.Errorf("%s has no flag %s, which its example has", c.name, word)
				}
			}
		}
	}
}
