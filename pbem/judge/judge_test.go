package judge

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

const samples = "../../testdata/mail"

type sample struct {
	File    string     `json:"file"`
	Outcome string     `json:"outcome"`
	Orders  [][]string `json:"orders"`
	Notice  *string    `json:"notice"`
}

func expected(t testing.TB) []sample {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(samples, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var s []sample
	if err := json.Unmarshal(b, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// One process is one store: 701 to 704 are judged in their order.
func TestSamples(t *testing.T) {
	want := expected(t)
	args := []string{"--world", filepath.Join(samples, "world.toml")}
	for _, s := range want {
		args = append(args, filepath.Join(samples, s.File))
	}
	var out, errs bytes.Buffer
	if code := Run(args, &out, &errs); code != 0 {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	if len(lines) != len(want) {
		t.Fatalf("%d results for %d files", len(lines), len(want))
	}
	for i, s := range want {
		t.Run(s.File, func(t *testing.T) {
			var got sample
			if err := json.Unmarshal(lines[i], &got); err != nil {
				t.Fatal(err)
			}
			if got.File != s.File || got.Outcome != s.Outcome || str(got.Notice) != str(s.Notice) || len(got.Orders)+len(s.Orders) > 0 && !reflect.DeepEqual(got.Orders, s.Orders) {
				t.Errorf("got %s\nwant %s %s %v", lines[i], s.Outcome, str(s.Notice), s.Orders)
			}
		})
	}
}

func str(s *string) string {
	if s == nil {
		return "-"
	}
	return *s
}
