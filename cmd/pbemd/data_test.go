package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pbemd/engine/blitz41"
)

// A club finds out where its charts contradict the rulebook, and scripts can
// tell by the exit status.
func TestDataCheck(t *testing.T) {
	shipped, err := fs.ReadFile(blitz41.DataFiles(), "charts.toml")
	if err != nil {
		t.Fatal(err)
	}
	dir := func(files map[string]string) string {
		d := t.TempDir()
		for n, s := range files {
			if err := os.WriteFile(filepath.Join(d, n), []byte(s), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return d
	}
	good := string(shipped)
	bad := strings.Replace(good, "range = 6, romanian", "range = 9, romanian", 1)
	for _, c := range []struct {
		name     string
		args     []string
		code     int
		out, err string
	}{
		{"agrees", []string{"check", dir(map[string]string{"charts.toml": good})}, 0, "351 facts checked, 0 conflicts\n", "Taken from the shipped set: map.toml, counters.toml, setup.toml, coast.json."},
		{"contradicts", []string{"check", dir(map[string]string{"charts.toml": bad})}, 1,
			"charts.toml, supply.air.range: the data say 9; the book states 6 (book 5.17.B).\n351 facts checked, 1 conflict\n", ""},
		{"facts stay", []string{"check", dir(map[string]string{"charts.toml": good, "facts.toml": ""})}, 0, "351 facts checked, 0 conflicts\n", "facts.toml is not read"},
		{"misspelt file", []string{"check", dir(map[string]string{"charts.toml": good, "maps.toml": ""})}, 0, "351 facts checked, 0 conflicts\n", "maps.toml is not read"},
		{"unreadable", []string{"check", dir(map[string]string{"charts.toml": "[crt"})}, 1, "charts.toml, line 1", "facts could not be checked"},
		{"nothing there", []string{"check", dir(nil)}, 2, "", "has none of map.toml"},
		{"no folder", []string{"check", "nowhere"}, 2, "", "nowhere is no folder"},
		{"no argument", []string{"check"}, 2, "", "name one folder"},
		{"no verb", nil, 2, "", "the one thing to do with data is: check"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, words strings.Builder
			if code := run(context.Background(), append([]string{"data"}, c.args...), &out, &words); code != c.code {
				t.Errorf("exit %d, want %d", code, c.code)
			}
			if got := out.String(); c.code == 2 && got != "" || !strings.Contains(got, c.out) || c.code == 0 && got != c.out {
				t.Errorf("printed %q, want %q", got, c.out)
			}
			if !strings.Contains(words.String(), c.err) {
				t.Errorf("said %q, want %q", words.String(), c.err)
			}
		})
	}
}
