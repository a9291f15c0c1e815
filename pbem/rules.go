package pbem

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"sort"
	"time"

	"pbemd/engine"
	"pbemd/engine/dice"
	"pbemd/orders"
	"pbemd/orders/admin"
	"pbemd/templates"
)

// Language is the order language of one game. What it writes as the text of an
// order it reads again as the same order.
type Language interface {
	Grammar() orders.Grammar
	// Bind turns the lines of a sheet into orders and requests. With a finding
	// nothing of the sheet may be executed; requests are good all the same.
	Bind(sheet orders.Sheet, side engine.Side) ([]engine.Order, []admin.Request, []orders.Finding)
	// Parse reads one order by its canonical text.
	Parse(text string, side engine.Side) (engine.Order, []orders.Finding)
}

// Rules is a kind of game that can be played here.
type Rules struct {
	ID   string
	Name string
	// Files is the data set the rules ship with.
	Files func() fs.FS
	// Load makes the game of a data set and of its options.
	Load func(files fs.FS, options json.RawMessage) (Play, error)
}

// Play is a game with its data, and the language its orders are in.
type Play struct {
	engine.Game
	Language
	// Help answers HELP and what stands behind it: as plain text, in a language.
	// found is false for a topic that there is none on; the text then says so and
	// what topics there are. Nil: the game has no help but the pages of the templates.
	Help func(words string, in *templates.Language) (text string, found bool)
	// Luck says whose luck a roll was, "" for nobody's, and whether low dice were
	// the good ones. Nil: nobody's.
	Luck func(r engine.Rolled) (side engine.Side, lowIsGood bool)
	// Score says what the end of a game counts in a series, and for whom; ok is
	// false for any other fact. Nil: the game is played for itself.
	Score func(f engine.Fact) (s Score, ok bool)
	// Card is the order card. Nil: the game has none.
	Card func() []Group
	// Decisions are the names of the decisions that STANDING ASK may name, in
	// order. None: the game takes any.
	Decisions []string
	// Repeats says that the game itself deals with the same orders given twice.
	Repeats bool
	// Resign and Draw are the commands that end a game by the players' will.
	Resign, Draw engine.Command
}

// dataSet reads the files of a data set, those of over in place of the rules' own.
func dataSet(own fs.FS, over map[string][]byte) (map[string][]byte, error) {
	set := map[string][]byte{}
	if own != nil {
		err := fs.WalkDir(own, ".", func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			set[path], err = fs.ReadFile(own, path)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("read the data set: %w", err)
		}
	}
	for n, b := range over {
		set[n] = b
	}
	return set, nil
}

// digestOf is the SHA-256 of a data set: over names and bytes, names sorted.
func digestOf(set map[string][]byte) (string, []dice.DataFile) {
	names := make([]string, 0, len(set))
	for n := range set {
		names = append(names, n)
	}
	sort.Strings(names)
	h := sha256.New()
	var list []dice.DataFile
	for _, n := range names {
		fmt.Fprintf(h, "%d %s %d ", len(n), n, len(set[n]))
		h.Write(set[n])
		list = append(list, dice.DataFile{Digest: sha256.Sum256(set[n]), Name: n})
	}
	return hex.EncodeToString(h.Sum(nil)), list
}

// data reads a data set. That of a game without data needs no keeping.
func (o *Office) data(sum string) (map[string][]byte, error) {
	if none, _ := digestOf(nil); sum == none {
		return nil, nil
	}
	return o.cfg.Archive.Data(sum)
}

// files are a data set as a file system, as far as fs.ReadFile needs one.
type files map[string][]byte

// Open implements fs.FS.
func (f files) Open(name string) (fs.File, error) {
	b, err := f.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return &file{bytes.NewReader(b), name}, nil
}

// ReadFile implements fs.ReadFileFS.
func (f files) ReadFile(name string) ([]byte, error) {
	b, ok := f[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return bytes.Clone(b), nil
}

type file struct {
	*bytes.Reader
	name string
}

func (f *file) Close() error               { return nil }
func (f *file) Stat() (fs.FileInfo, error) { return f, nil }
func (f *file) Name() string               { return f.name }
func (f *file) Mode() fs.FileMode          { return 0o444 }
func (f *file) ModTime() time.Time         { return time.Time{} }
func (f *file) IsDir() bool                { return false }
func (f *file) Sys() any                   { return nil }
