package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// allowed is who may import whom of our own packages; "…/" allows what lies
// below. Tests may import anything.
var allowed = map[string][]string{
	"engine/hex":      {},
	"engine/dice":     {},
	"engine/chart":    {},
	"engine/force":    {"engine/hex"},
	"engine/board":    {"engine/hex"},
	"engine/scene":    {"engine/hex"},
	"engine/trace":    {"engine/hex", "engine/board"},
	"engine":          {"engine/dice", "engine/scene", "engine/force", "engine/hex"},
	"engine/blitz41":  {"engine", "engine/hex", "engine/board", "engine/force", "engine/trace", "engine/chart", "engine/dice", "engine/scene"},
	"engine/dicegame": {"engine"},
	"orders/dicegame": {"orders", "orders/admin", "engine", "engine/dicegame"},
	"engine/render":   {"engine/scene", "engine/hex", "engine/board"},
	"orders":          {"engine"},
	"orders/blitz41":  {"orders", "orders/admin", "engine", "engine/hex", "engine/chart", "engine/blitz41", "templates", "testdata/rulebook"},
	"orders/admin":    {"orders", "engine"},
	"templates":       {"engine"},
	"pbem/message":    {},
	"pbem/report":     {"pbem", "orders", "orders/admin", "engine", "engine/scene", "engine/hex", "engine/render", "templates", "pbem/message"},
	"pbem/imap":       {"pbem", "pbem/message", "engine"},
	"pbem/smtp":       {"pbem", "pbem/message", "engine"},
	"store":           {"pbem", "pbem/message", "engine"},
	"pbem/beacon":     {"engine/dice"},
	"cmd/dicecheck":   {"engine/dice"},
}

// untouched is what a package must not use.
var untouched = map[string][]string{
	"engine": {"time", "net", "os", "math/rand", "math/rand/v2", "log", "log/slog"},
	"orders": {"net", "os", "math/rand", "math/rand/v2", "log", "log/slog"},
	"pbem":   {"go.etcd.io/bbolt"},
}

func TestImportsFollowTheTable(t *testing.T) {
	root := "../.."
	err := filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (strings.HasPrefix(e.Name(), ".") && p != root || e.Name() == "testdata") {
			if e.Name() != ".." {
				return filepath.SkipDir
			}
		}
		if e.IsDir() || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		dir, err := filepath.Rel(root, filepath.Dir(p))
		if err != nil {
			return err
		}
		dir = filepath.ToSlash(dir)
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, im := range f.Imports {
			path, err := strconv.Unquote(im.Path.Value)
			if err != nil {
				return err
			}
			if own, ok := strings.CutPrefix(path, "pbemd/"); ok {
				if list, ok := allowed[dir]; ok && !slices.Contains(list, own) {
					t.Errorf("%s/%s imports %s", dir, filepath.Base(p), own)
				}
				if strings.HasPrefix(dir, "engine") && strings.HasPrefix(own, "pbem") || strings.HasPrefix(dir, "orders") && strings.HasPrefix(own, "pbem") {
					t.Errorf("%s/%s imports the post office", dir, filepath.Base(p))
				}
				continue
			}
			for area, list := range untouched {
				if (dir == area || strings.HasPrefix(dir, area+"/")) && area != "pbem" && slices.Contains(list, path) || dir == area && area == "pbem" && slices.Contains(list, path) {
					if strings.HasPrefix(dir, "engine/dice") && path == "time" { // records carry times that are handed in
						continue
					}
					t.Errorf("%s/%s uses %s", dir, filepath.Base(p), path)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What stands at the top of the tree is agreed.
func TestTopOfTheTree(t *testing.T) {
	entries, err := filepath.Glob("../../*")
	if err != nil {
		t.Fatal(err)
	}
	agreed := []string{"go.mod", "go.sum", "README.md", "LICENSE", "CHANGELOG.md", "cmd", "pbem", "orders", "engine", "templates", "store", "testdata"}
	for _, e := range entries {
		n := filepath.Base(e)
		if !slices.Contains(agreed, n) && n != "pbem-demo" && !strings.HasPrefix(n, ".") {
			t.Errorf("%s stands at the top", n)
		}
	}
}
