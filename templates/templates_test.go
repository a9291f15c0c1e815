package templates

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pbemd/engine"
)

// Every key that stands as a literal in a call of T, Refuse or Hint anywhere in
// the code has its sentence in every language.
func TestEveryKeyOfTheCodeHasASentence(t *testing.T) {
	used := map[string]string{}
	err := filepath.WalkDir("..", func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") || strings.Contains(p, "enginetest") || strings.Contains(p, "pbemtest") {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, p, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name := ""
			switch fn := c.Fun.(type) {
			case *ast.SelectorExpr:
				name = fn.Sel.Name
			case *ast.Ident:
				name = fn.Name
			}
			i := map[string]int{"T": 0, "Refuse": 1, "Hint": 0}
			at, ok := i[name]
			if !ok || len(c.Args) <= at {
				return true
			}
			if lit, ok := c.Args[at].(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if key, err := strconv.Unquote(lit.Value); err == nil && key != "plain" && key != "" {
					used[key] = set.Position(c.Pos()).String()
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Languages() {
		l, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for key, where := range used {
			if !l.Has(key) {
				t.Errorf("%s: %s uses %q, which has no sentence", name, where, key)
			}
		}
	}
}

func TestEverySentenceParses(t *testing.T) {
	for _, name := range Languages() {
		l, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range l.Keys() {
			if _, err := l.template(k); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// Other languages have the same keys as English, no more and no fewer.
func TestLanguagesAreComplete(t *testing.T) {
	en, err := Load("en")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Languages() {
		l, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range en.Keys() {
			if !l.Has(k) {
				t.Errorf("%s lacks %q", name, k)
			}
		}
		for _, k := range l.Keys() {
			if !en.Has(k) {
				t.Errorf("%s has %q, which English lacks", name, k)
			}
		}
	}
}

func TestNestedSentencesAndLists(t *testing.T) {
	l, err := Load("en")
	if err != nil {
		t.Fatal(err)
	}
	l.texts["test.a"] = "{{list .who}} of {{.side}}"
	got := l.Say(engine.T("test.a", "who", []string{"56PZ", "57PZ", "13G"}, "side", engine.T("side.axis")))
	if want := "56PZ, 57PZ and 13G of Axis"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	delete(l.texts, "test.a")
}
