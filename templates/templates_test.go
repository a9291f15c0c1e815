package templates

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"text/template/parse"
	"unicode/utf8"

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
				if key, err := strconv.Unquote(lit.Value); err == nil && key != "plain" && key != "form" && key != "" {
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

// fields are the arguments that a sentence takes, by name.
func fields(t *testing.T, l *Language, key string) []string {
	t.Helper()
	tpl, err := l.template(key)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	var pipe func(p *parse.PipeNode)
	var walk func(n parse.Node)
	branch := func(b *parse.BranchNode) {
		pipe(b.Pipe)
		walk(b.List)
		if b.ElseList != nil {
			walk(b.ElseList)
		}
	}
	pipe = func(p *parse.PipeNode) {
		if p == nil {
			return
		}
		for _, c := range p.Cmds {
			for _, a := range c.Args {
				walk(a)
			}
		}
	}
	walk = func(n parse.Node) {
		switch n := n.(type) {
		case *parse.ListNode:
			for _, c := range n.Nodes {
				walk(c)
			}
		case *parse.ActionNode:
			pipe(n.Pipe)
		case *parse.PipeNode:
			pipe(n)
		case *parse.IfNode:
			branch(&n.BranchNode)
		case *parse.RangeNode:
			branch(&n.BranchNode)
		case *parse.WithNode:
			branch(&n.BranchNode)
		case *parse.FieldNode:
			out = append(out, n.Ident[0])
		case *parse.ChainNode:
			walk(n.Node)
		}
	}
	walk(tpl.Root)
	slices.Sort(out)
	return slices.Compact(out)
}

// A translation takes the arguments that English takes, so that a renamed
// argument is found and no figure gets lost.
func TestLanguagesTakeTheSameArguments(t *testing.T) {
	en, err := Load("en")
	if err != nil {
		t.Fatal(err)
	}
	en.texts["test.fields"] = "{{if eq (len .a) 1}}{{.b}}{{else}}{{list .c}} {{say (print \"x.\" .d)}}{{end}}{{range .e}}{{$.f}}{{end}}"
	if got := fields(t, en, "test.fields"); !slices.Equal(got, []string{"a", "b", "c", "d", "e"}) {
		t.Errorf("the walk finds %v", got)
	}
	delete(en.texts, "test.fields")
	for _, name := range Languages() {
		l, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range l.Keys() {
			if !en.Has(k) {
				continue // TestLanguagesAreComplete tells
			}
			if want, got := fields(t, en, k), fields(t, l, k); !slices.Equal(want, got) {
				t.Errorf("%s: %q takes %v, in English %v", name, k, got, want)
			}
		}
	}
}

// Every language has every help page, and none of them is too wide for a mail.
func TestHelpPagesInEveryLanguage(t *testing.T) {
	pages, err := fs.Glob(files, "en/help/*.txt")
	if err != nil || len(pages) == 0 {
		t.Fatalf("no help pages: %v", err)
	}
	for _, name := range Languages() {
		own, _ := fs.Glob(files, name+"/help/*.txt")
		if len(own) != len(pages) {
			t.Errorf("%s has %d help pages, English %d", name, len(own), len(pages))
		}
		for _, p := range pages {
			b, err := fs.ReadFile(files, name+"/help/"+path.Base(p))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			for i, line := range strings.Split(string(b), "\n") {
				if n := utf8.RuneCountInString(line); n > 72 {
					t.Errorf("%s, %s line %d is %d columns wide", name, path.Base(p), i+1, n)
				}
			}
		}
	}
}

func TestGerman(t *testing.T) {
	l, err := Load("de")
	if err != nil {
		t.Fatal(err)
	}
	if l.Name != "de" {
		t.Fatalf("German is %s", l.Name)
	}
	for _, c := range []struct {
		say  engine.Text
		want string
	}{
		{engine.T("b41.title", "side", "soviet", "phase", "move", "turn", 1, "dates", "22 June - 8 July 1941"),
			"Sowjetunion, Bewegung, Zug 1 (22. Juni – 8. Juli 1941)"},
		{engine.T("b41.ask.retreat", "units", []engine.UnitID{"24A"}, "hex", "K9"), "Wohin geht 24A aus K9 zurück?"},
		{engine.T("b41.ask.retreat", "units", []engine.UnitID{"24A", "3MC"}, "hex", "K9"), "Wohin gehen 24A und 3MC aus K9 zurück?"},
		{engine.T("b41.own.title", "sector", engine.T("b41.sector.centre"), "span", engine.T("b41.sector.rows", "from", "H", "to", "N"), "units", 1, "hexes", 3, "steps", 2),
			"Ihre Truppen, Mitte (Reihen H–N): 1 Einheit in 3 Feldern, 2 Stufen"},
		{engine.T("b41.mod.terrain", "terrain", "forest", "weather", "frost", "hex", "K9"), "Wald, Wetter: Frost (K9)"},
		{engine.T("orders.expected", "want", "a number", "got", "", "suggest", "", "usage", ""), "Die Zeile endet, wo eine Zahl hingehört."},
	} {
		if got, err := l.Render(c.say); err != nil || got != c.want {
			t.Errorf("%q, %v, want %q", got, err, c.want)
		}
	}
	l.texts["test.title"] = "{{title .s}}"
	defer delete(l.texts, "test.title")
	if got := l.Say(engine.T("test.title", "s", "übung")); got != "Übung" {
		t.Errorf("title makes %q", got)
	}
	for date, want := range map[string]string{
		"early August": "Anfang August", "9 - 26 July 1941": "9. – 26. Juli 1941", "March 1942": "März 1942", "day": "day",
	} {
		if got := l.Calendar(date); got != want {
			t.Errorf("%q is %q, want %q", date, got, want)
		}
	}
}

// A third language is a folder copied and translated: here the German one with
// one sentence changed and one left out.
func TestAThirdLanguageIsAFolder(t *testing.T) {
	shelf := fstest.MapFS{}
	err := fs.WalkDir(files, ".", func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := fs.ReadFile(files, p)
		if err != nil {
			return err
		}
		shelf[p] = &fstest.MapFile{Data: b}
		if rest, ok := strings.CutPrefix(p, "de/"); ok {
			text := strings.Replace(string(b), `"side.axis" = "Achse"`, `"side.axis" = "Axe"`, 1)
			text = strings.Replace(text, `"side.soviet" = "Sowjetunion"`, "", 1)
			shelf["fr/"+rest] = &fstest.MapFile{Data: []byte(text)}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := languages(shelf); !slices.Equal(got, []string{"de", "en", "fr"}) {
		t.Fatalf("languages %v", got)
	}
	en, err := read(shelf, "en", nil)
	if err != nil {
		t.Fatal(err)
	}
	fr, err := read(shelf, "fr", en)
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"side.axis": "Axe", "side.soviet": "Soviet", "weather.mud": "Schlamm"} {
		if got := fr.Say(engine.T(key)); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	if page, ok := fr.Page("house"); !ok || !strings.HasPrefix(page, "DIE HAUSREGELN") {
		t.Errorf("no page: %q", page)
	}
}
