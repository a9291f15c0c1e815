package enginetest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"

	"pbemd/testdata/rulebook"
)

// byMail are the edge cases that only mails can make; they are tested where
// mails are read: the same orders twice, quoted sheets, standing orders changed
// under way, UNDO after a roll.
var byMail = map[string]bool{"B41-X182": true, "B41-X183": true, "B41-X187": true, "B41-X188": true}

// edgeCases is how many edge cases the game has: B41-X01 to B41-X220.
const edgeCases = 220

var (
	comment = regexp.MustCompile(`// Rule ((?:B41|BR)-[^\n]*)`)
	ruleID  = regexp.MustCompile(`^(?:B41|BR)-[0-9A-Z][0-9A-Za-z.#/]*$`)
	ruling  = regexp.MustCompile(`^(?:B41|BR)-[AX]\d+$`)
)

// cited are the ids in the comments under some folders, with the places.
func cited(t testing.TB, prefix string, folders ...string) map[string][]string {
	out := map[string][]string{}
	for _, folder := range folders {
		err := filepath.WalkDir("../../"+folder, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			all := strings.Split(string(b), "\n")
			for n, line := range all {
				m := comment.FindStringSubmatch(line)
				if m == nil || !strings.HasPrefix(m[1], prefix) {
					continue
				}
				text, _, _ := strings.Cut(m[1], ": ") // a remark
				for k := n + 1; strings.HasSuffix(text, ",") && k < len(all); k++ {
					text += " " + strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(all[k]), "//"))
				}
				for _, id := range strings.Split(strings.TrimSuffix(strings.TrimSpace(text), "."), ",") {
					id = strings.TrimSpace(id)
					if !ruleID.MatchString(id) {
						t.Errorf("%s:%d: %q is no id; the form is // Rule %s-1.2.A, %s-1.2.B.", path, n+1, id, prefix, prefix)
						continue
					}
					out[id] = append(out[id], fmt.Sprintf("%s:%d", strings.TrimPrefix(path, "../../"), n+1))
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// TestIndexB41 compares the paragraph index with the code and the cases: every
// id that is cited exists, and every row the program enforces is cited and has a
// case.
func TestIndexB41(t *testing.T) {
	index, err := rulebook.Load("blitz41")
	if err != nil {
		t.Fatal(err)
	}
	code := cited(t, "B41", "engine", "orders")
	cases := map[string][]string{}
	for _, file := range caseFiles(t, "b41") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		c, err := ParseCase(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		paragraph, _, _ := strings.Cut(name, "-")
		own := false
		for _, id := range c.Rules {
			cases[id] = append(cases[id], name)
			own = own || strings.NewReplacer("/", "_", "#", "_").Replace(id) == "B41-"+paragraph
		}
		if !own {
			t.Errorf("%s does not list the paragraph of its name among its rules", name)
		}
	}
	known := func(id string) bool {
		_, ok := index.Row(id)
		return ok || ruling.MatchString(id)
	}
	for _, cite := range []map[string][]string{code, cases} {
		for _, id := range sorted(cite) {
			if !known(id) {
				t.Errorf("%s, cited in %v, is not in the index", id, cite[id])
			}
		}
	}
	var noCode, noCase []string
	for _, r := range index.Rows {
		if r.Status != rulebook.Code {
			continue
		}
		if len(code[r.ID]) == 0 {
			noCode = append(noCode, r.Number())
		}
		if len(cases[r.ID]) == 0 {
			noCase = append(noCase, r.Number())
		}
	}
	if len(index.Rows) != 498 {
		t.Errorf("the index has %d rows, not 498", len(index.Rows))
	}
	var table strings.Builder
	if err := index.Print(&table, rulebook.Paper); err != nil || !strings.HasPrefix(table.String(), "B41-2.8.E   paper  Swapping") || !strings.HasSuffix(table.String(), " open 0\n") {
		t.Errorf("the table of paragraphs: %v\n%s", err, table.String())
	}
	t.Logf("%d rows: %v", len(index.Rows), index.Counts())
	if len(noCode) > 0 {
		t.Errorf("%d rows without a comment in the code: %s", len(noCode), strings.Join(noCode, " "))
	}
	if len(noCase) > 0 {
		t.Errorf("%d rows without a case: %s", len(noCase), strings.Join(noCase, " "))
	}
	for n := 1; n <= edgeCases; n++ {
		if id := fmt.Sprintf("B41-X%02d", n); len(cases[id]) == 0 && !byMail[id] {
			t.Errorf("the edge case %s has no case", id)
		}
	}
}

func sorted(m map[string][]string) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
