package blitz41

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"pbemd/engine"
	"pbemd/engine/hex"
)

// Conflict is a place where a data set disagrees with the rulebook, or with
// itself.
type Conflict struct {
	File  string // map.toml
	Place string // what is spoken of: a key, a hex, a unit
	Has   string // what the data say
	Want  string // what the book states or the form asks for; empty if Has says it all
	Rule  string // "book 9.19", "example 5.4"; empty for the form of the files

	Line, Column int // where reading stopped, if it did
}

// String is the conflict as a sentence.
func (c Conflict) String() string {
	at := c.File
	if c.Line > 0 {
		at += fmt.Sprintf(", line %d", c.Line)
		if c.Column > 0 {
			at += fmt.Sprintf(", column %d", c.Column)
		}
	}
	if c.Place != "" {
		at += ", " + c.Place
	}
	switch {
	case c.Want == "":
		return fmt.Sprintf("%s: %s.", at, c.Has)
	case c.Rule == "":
		return fmt.Sprintf("%s: the data say %s; it must be %s.", at, c.Has, c.Want)
	}
	return fmt.Sprintf("%s: the data say %s; the book states %s (%s).", at, c.Has, c.Want, c.Rule)
}

// Summary is what a check has looked at.
type Summary struct {
	Facts   int      // statements of the rulebook compared with the data
	Skipped int      // statements that could not be: their file can't be read
	Shipped []string // files taken from the shipped set, since the folder has none
	Own     []string // files of the folder that were read
	Ignored []string // files of the folder that no data set has, and its facts.toml
}

// DataNames are the files of a data set. The last one is never replaced.
func DataNames() []string {
	return []string{"map.toml", "counters.toml", "charts.toml", "setup.toml", "coast.json", "facts.toml"}
}

// Check holds a data set against the rulebook: its form, its cross-references,
// and every statement of the shipped facts.toml. A file that is missing is taken
// from the shipped set; facts.toml always is. Conflicts come file by file, those
// of form before those with the book. The error is about the shipped set only.
func Check(files fs.FS) ([]Conflict, Summary, error) {
	c := &checker{set: set{raw: map[string]map[string]any{}, bytes: map[string][]byte{}}}
	if err := c.read(files); err != nil {
		return nil, c.sum, err
	}
	facts, err := shippedFacts()
	if err != nil {
		return nil, c.sum, err
	}
	if err := c.form(); err != nil {
		return nil, c.sum, err
	}
	c.decode()
	c.set.derive()
	for _, l := range laws {
		if c.set.readable(l.files...) {
			c.rule = citation(l.rule)
			l.run(c)
		}
	}
	c.rule = ""
	for _, f := range facts {
		e := evaluators[f.Kind]
		if !c.set.readable(e.files...) {
			c.sum.Skipped++
			continue
		}
		c.sum.Facts++
		if got := e.value(&c.set, f.Args); !same(got, f.Expect) {
			c.found = append(c.found, Conflict{File: e.files[0], Place: e.at(f.Args), Has: show(got), Want: show(f.Expect), Rule: f.Rule})
		}
	}
	if c.set.readable("charts.toml") {
		if err := c.stated(); err != nil {
			return nil, c.sum, err
		}
	}
	c.loads()
	return tidy(c.found), c.sum, nil
}

// loads tries what the game itself does with the set. It speaks only if nothing
// else was found: a broken set has been named by then in better words.
func (c *checker) loads() {
	if len(c.found) > 0 {
		return
	}
	files := memory(c.set.bytes)
	if _, err := Load(files); err != nil {
		file, why, _ := strings.Cut(err.Error(), ": ")
		c.found = append(c.found, Conflict{File: file, Has: why})
	}
}

// tidy drops what was said twice and sorts by file.
func tidy(all []Conflict) []Conflict {
	seen := map[string]bool{}
	var out []Conflict
	for _, c := range all {
		k := c.File + "\x00" + c.Place + "\x00" + c.Has + "\x00" + c.Want
		if !seen[k] {
			seen[k] = true
			out = append(out, c)
		}
	}
	sort.SliceStable(out, func(i, j int) bool {
		return slices.Index(DataNames(), out[i].File) < slices.Index(DataNames(), out[j].File)
	})
	return out
}

// checker collects conflicts.
type checker struct {
	set   set
	sum   Summary
	found []Conflict
	rule  string // of the law that runs
}

// wrong reports something that is wrong whatever the book says.
func (c *checker) wrong(file, place, has, want string) {
	c.found = append(c.found, Conflict{File: file, Place: place, Has: has, Want: want})
}

// must reports a broken law of the book.
func (c *checker) must(ok bool, file, place, has, want string) bool {
	if !ok {
		c.found = append(c.found, Conflict{File: file, Place: place, Has: has, Want: want, Rule: c.rule})
	}
	return ok
}

// memory is a set of files in memory.
type memory map[string][]byte

// Open implements [fs.FS]; nothing but [memory.ReadFile] is of use.
func (m memory) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
}

// ReadFile implements [fs.ReadFileFS].
func (m memory) ReadFile(name string) ([]byte, error) {
	if b, ok := m[name]; ok {
		return b, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// read takes the files in; one that can't be read is a conflict.
func (c *checker) read(files fs.FS) error {
	names := DataNames()
	for _, name := range names {
		b, err := fs.ReadFile(files, name)
		own := err == nil
		switch {
		case name == "facts.toml":
			if own {
				c.sum.Ignored = append(c.sum.Ignored, name)
			}
			continue
		case errors.Is(err, fs.ErrNotExist):
			if b, err = fs.ReadFile(DataFiles(), name); err != nil {
				return fmt.Errorf("shipped data file %s: %w", name, err)
			}
			c.sum.Shipped = append(c.sum.Shipped, name)
		case err != nil:
			c.wrong(name, "", "the file can't be read: "+err.Error(), "")
			continue
		}
		if own {
			c.sum.Own = append(c.sum.Own, name)
		}
		c.set.bytes[name] = b
		tree, bad := parseFile(name, b)
		if bad != nil {
			c.found = append(c.found, *bad)
			continue
		}
		c.set.raw[name] = tree
	}
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil // a file system that lists nothing has nothing to ignore
	}
	for _, e := range entries {
		n := e.Name()
		if !e.IsDir() && !slices.Contains(names, n) && (strings.HasSuffix(n, ".toml") || strings.HasSuffix(n, ".json")) {
			c.sum.Ignored = append(c.sum.Ignored, n)
		}
	}
	return nil
}

// shippedTrees are the files of the shipped set as read, which every check of
// another set needs; nobody changes them.
var shippedTrees = sync.OnceValue(func() map[string]shippedTree {
	out := map[string]shippedTree{}
	for _, name := range DataNames() {
		if b, err := fs.ReadFile(DataFiles(), name); err == nil {
			tree, _ := parseText(name, b)
			out[name] = shippedTree{b, tree}
		}
	}
	return out
})

type shippedTree struct {
	bytes []byte
	tree  map[string]any
}

// parseFile reads TOML or JSON; the conflict says where reading stopped. The
// tree is not to be changed.
func parseFile(name string, b []byte) (map[string]any, *Conflict) {
	if s, ok := shippedTrees()[name]; ok && s.tree != nil && bytes.Equal(s.bytes, b) {
		return s.tree, nil
	}
	return parseText(name, b)
}

func parseText(name string, b []byte) (map[string]any, *Conflict) {
	tree := map[string]any{}
	if strings.HasSuffix(name, ".json") {
		err := json.Unmarshal(b, &tree)
		if err == nil {
			return tree, nil
		}
		bad := &Conflict{File: name, Has: "the file can't be read: " + err.Error()}
		var at *json.SyntaxError
		var typ *json.UnmarshalTypeError
		off := int64(-1)
		if errors.As(err, &at) {
			off = at.Offset
		} else if errors.As(err, &typ) {
			off = typ.Offset
		}
		if off >= 0 {
			bad.Line = 1 + bytes.Count(b[:off], []byte("\n"))
			bad.Column = int(off) - bytes.LastIndexByte(b[:off], '\n') - 1
		}
		return nil, bad
	}
	_, err := toml.Decode(string(b), &tree)
	if err == nil {
		return tree, nil
	}
	bad := &Conflict{File: name, Has: "the file can't be read: " + strings.TrimSuffix(strings.TrimPrefix(err.Error(), "toml: "), ".")}
	var at toml.ParseError
	if errors.As(err, &at) {
		bad.Line, bad.Column = at.Position.Line, at.Position.Col
		bad.Has = "the file can't be read: " + strings.TrimSuffix(at.Message, ".")
		if at.LastKey != "" {
			bad.Place = "after " + at.LastKey
		}
	}
	return nil, bad
}

// decode fills the typed part of the set.
func (c *checker) decode() {
	for _, f := range []struct {
		name string
		to   any
	}{{"map.toml", &c.set.m}, {"counters.toml", &c.set.c}, {"setup.toml", &c.set.s}} {
		if !c.set.readable(f.name) {
			continue
		}
		if _, err := toml.Decode(string(c.set.bytes[f.name]), f.to); err != nil {
			c.wrong(f.name, "", strings.TrimSuffix(strings.TrimPrefix(err.Error(), "toml: "), "."), "")
			delete(c.set.raw, f.name)
		}
	}
}

// ---- form: keys and kinds of values, learnt from the shipped set

// shape is what the shipped file has at a path.
type shape struct {
	kind string
	seen int      // how often the path occurs
	must []string // the keys that every such table has
}

// kindOf names the kind of a value for a reader.
func kindOf(v any) string {
	switch v.(type) {
	case string:
		return "a text"
	case int64:
		return "a whole number"
	case float64:
		return "a number"
	case bool:
		return "true or false"
	case map[string]any:
		return "a table"
	case []any, []map[string]any:
		return "a list"
	}
	return "a date"
}

// items are the elements of a list, however it was written.
func items(v any) []any {
	switch l := v.(type) {
	case []any:
		return l
	case []map[string]any:
		out := make([]any, len(l))
		for i := range l {
			out[i] = l[i]
		}
		return out
	}
	return nil
}

func keys(t map[string]any) []string {
	out := make([]string, 0, len(t))
	for k := range t {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// byNames are the tables whose keys are names of the map's own.
var byNames = map[string]bool{"row": true, "terrain": true}

// spoken are keys that say something to a reader and nothing to the game.
func spoken(key string) bool {
	return key == "source" || strings.HasSuffix(key, "_source") || slices.Contains([]string{"notes", "sector", "title", "use", "plane", "bracket"}, key)
}

// visit walks a tree in order. Path joins keys, with [] for an element of a
// list and * for a name; place is the same for a reader.
func visit(path, place string, v any, f func(path, place string, v any)) {
	f(path, place, v)
	switch t := v.(type) {
	case map[string]any:
		for _, k := range keys(t) {
			p, q := join(path, k), join(place, k)
			if byNames[path] {
				p = path + ".*"
			}
			visit(p, q, t[k], f)
		}
	default:
		for i, e := range items(v) {
			visit(path+"[]", label(place, e, i), e, f)
		}
	}
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "." + b
}

// label names an element of a list by what tells it from the others.
func label(place string, v any, i int) string {
	t, ok := v.(map[string]any)
	if !ok {
		return place
	}
	for _, k := range []string{"id", "name", "unit", "hex", "turn", "die"} {
		if s, ok := t[k]; ok && len(items(s)) == 0 {
			return fmt.Sprintf("%s %v", place, s)
		}
	}
	var words []string
	for _, k := range keys(t) {
		if s, ok := t[k].(string); ok && !spoken(k) {
			words = append(words, s)
		}
	}
	if len(words) == 0 {
		return fmt.Sprintf("%s no. %d", place, i+1)
	}
	return place + " " + strings.Join(words, " ")
}

// forms are the forms of the shipped files, learnt once.
var forms = sync.OnceValues(func() (map[string]map[string]*shape, error) {
	out := map[string]map[string]*shape{}
	for _, n := range DataNames() {
		s, err := shapes(n)
		if err != nil {
			return nil, err
		}
		out[n] = s
	}
	return out, nil
})

// shapes learns the form of a shipped file.
func shapes(name string) (map[string]*shape, error) {
	b, err := fs.ReadFile(DataFiles(), name)
	if err != nil {
		return nil, fmt.Errorf("shipped data file %s: %w", name, err)
	}
	tree, bad := parseFile(name, b)
	if bad != nil {
		return nil, fmt.Errorf("shipped data file: %v", bad)
	}
	out := map[string]*shape{}
	visit("", "", tree, func(path, _ string, v any) {
		k := kindOf(v)
		s := out[path]
		if s == nil {
			s = &shape{kind: k}
			out[path] = s
		}
		if s.kind != k && k == "a number" { // 1 and 0.5 in one column
			s.kind = k
		}
		s.seen++
	})
	for _, p := range sortedPaths(out) {
		i := strings.LastIndexByte(p, '.')
		parent, k := p[:max(i, 0)], p[i+1:]
		up := out[parent]
		if k == "" || k == "*" || strings.HasSuffix(k, "[]") || spoken(k) || parent == "grid" || up == nil || out[p].seen < up.seen {
			continue
		}
		up.must = append(up.must, k)
	}
	return out, nil
}

// form compares keys and kinds of values with the shipped files, and the
// sources with the ways a source may be given.
func (c *checker) form() error {
	all, err := forms()
	if err != nil {
		return err
	}
	for _, name := range DataNames() {
		tree := c.set.raw[name]
		if name == "facts.toml" || tree == nil {
			continue
		}
		known := all[name]
		visit("", "", tree, func(path, place string, v any) {
			s := known[path]
			if s == nil {
				last := path[strings.LastIndexByte(path, '.')+1:]
				parent := strings.TrimSuffix(strings.TrimSuffix(path, last), ".")
				if !spoken(last) && (path == last || known[parent] != nil) {
					c.wrong(name, place, "the game knows no such key", "")
				}
				return
			}
			if k := kindOf(v); k != s.kind && !(s.kind == "a number" && k == "a whole number") {
				c.wrong(name, place, k, s.kind)
			}
			t, ok := v.(map[string]any)
			if !ok {
				return
			}
			for _, k := range s.must {
				if _, has := t[k]; !has {
					c.wrong(name, join(place, k), "the key is missing", "")
				}
			}
		})
		if strings.HasSuffix(name, ".toml") {
			c.sources(name, "", tree, false)
		}
	}
	return nil
}

func sortedPaths(m map[string]*shape) []string {
	out := make([]string, 0, len(m))
	for p := range m {
		out = append(out, p)
	}
	sort.Strings(out)
	return out
}

// sourceForm is how a source may be given.
var sourceForm = regexp.MustCompile(`^(?:(?:book|example) \d+\.\d+(?:\.\d+)*(?:\.[A-Z](?:\.\d+)?)?|public https?://\S+|reconstructed|printed)$`)

// sources asks every row, and every table that has values of its own, for a
// source.
func (c *checker) sources(file, place string, v any, row bool) {
	t, ok := v.(map[string]any)
	if !ok {
		for i, e := range items(v) {
			c.sources(file, label(place, e, i), e, true)
		}
		return
	}
	plain := false
	for _, k := range keys(t) {
		switch x := t[k].(type) {
		case map[string]any, []any, []map[string]any:
			_, list := x.(map[string]any)
			c.sources(file, join(place, k), x, !list)
		default:
			plain = true
		}
		if k != "source" && !strings.HasSuffix(k, "_source") {
			continue
		}
		s, _ := t[k].(string)
		for _, part := range strings.Split(s, "; ") {
			if !sourceForm.MatchString(part) {
				c.wrong(file, join(place, k), strconv.Quote(part), "book 9.19, example 5.4, public https://…, printed or reconstructed, several joined with \"; \"")
			}
		}
	}
	if _, has := t["source"]; !has && (row || plain) && place != "terrain" && place != "" {
		c.wrong(file, place, "nothing says where this comes from: the key source is missing", "")
	}
}

// ---- values

// absent is a value that the data don't have, in words.
type absent string

// same compares a value of the data with one of the book.
func same(got, want any) bool {
	switch g := got.(type) {
	case absent, nil:
		return false
	case string, bool:
		return got == want
	case []string, []int, [3]int, []any:
		a, ok := want.([]any)
		b := listOf(g)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !same(b[i], a[i]) {
				return false
			}
		}
		return true
	}
	a, ok := number64(got)
	b, ok2 := number64(want)
	return ok && ok2 && a == b
}

func number64(v any) (float64, bool) {
	switch n := v.(type) {
	case int:
		return float64(n), true
	case int64:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

func listOf(v any) []any {
	var out []any
	switch l := v.(type) {
	case []string:
		for _, s := range l {
			out = append(out, s)
		}
	case []int:
		for _, n := range l {
			out = append(out, n)
		}
	case [3]int:
		for _, n := range l {
			out = append(out, n)
		}
	case []any:
		return l
	}
	return out
}

// show writes a value for a reader.
func show(v any) string {
	switch x := v.(type) {
	case nil:
		return "nothing"
	case absent:
		return string(x)
	case bool:
		if x {
			return "yes"
		}
		return "no"
	case []string, []int, [3]int, []any:
		l := listOf(x)
		if len(l) == 0 {
			return "none"
		}
		words := make([]string, len(l))
		for i := range l {
			words[i] = show(l[i])
		}
		return strings.Join(words, ", ")
	case string:
		if x == "" {
			return "nothing"
		}
		return x
	}
	n, _ := number64(v)
	return strconv.FormatFloat(n, 'g', -1, 64)
}

// ---- rows of the ledger

// citation writes a row of the ledger as the data cite the book.
func citation(r engine.RuleID) string {
	if r == "" {
		return ""
	}
	if n, ok := strings.CutSuffix(r.Number(), ".ex"); ok {
		return "example " + n
	}
	return "book " + r.Number()
}

// wholes are citations of a whole paragraph or of an example that the ledger
// has under another number.
var wholes = map[string]engine.RuleID{
	"example 2.2":  "B41-2.2.B",
	"example 5.5":  "B41-5.5.B.ex",
	"example 5.10": "B41-5.10.C.ex",
	"example 5.15": "B41-5.15.D.ex",
	"book 6.18":    "B41-6.18.A",
	"example 6.18": "B41-6.18.C.ex",
	"book 9.16":    "B41-9.16.C",
	"example 9.23": "B41-9.23.A.ex",
	"book 14.3":    "B41-14.3.A",
	"example 14.3": "B41-14.3.A.ex",
}

// ledgerRow is the row of the ledger that a citation means.
func ledgerRow(cite string) engine.RuleID {
	if r, ok := wholes[cite]; ok {
		return r
	}
	if n, ok := strings.CutPrefix(cite, "example "); ok {
		return engine.RuleID("B41-" + n + ".ex")
	}
	return engine.RuleID("B41-" + strings.TrimPrefix(cite, "book "))
}

// FactRows lists the rows of the ledger that [Check] holds a data set against,
// in the order of the facts, then those of the laws, each once.
func FactRows() []engine.RuleID {
	facts, err := shippedFacts()
	if err != nil {
		panic(err) // the shipped file is part of the program
	}
	var out []engine.RuleID
	add := func(r engine.RuleID) {
		if r != "" && !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	for _, f := range facts {
		add(ledgerRow(f.Rule))
	}
	for _, l := range laws {
		add(l.rule)
	}
	return out
}

// statement is a row of facts.toml.
type statement struct {
	ID     string
	Kind   string
	Args   args
	Expect any
	Rule   string
}

// shippedFacts are the statements of facts.toml, read once.
var shippedFacts = sync.OnceValues(readFacts)

// readFacts reads facts.toml and makes sure that everything in it can be worked
// out.
func readFacts() ([]statement, error) {
	b, err := fs.ReadFile(DataFiles(), "facts.toml")
	if err != nil {
		return nil, fmt.Errorf("shipped data file facts.toml: %w", err)
	}
	var f struct{ Fact []statement }
	if _, err := toml.Decode(string(b), &f); err != nil {
		return nil, fmt.Errorf("shipped data file facts.toml: %w", err)
	}
	seen := map[string]bool{}
	for _, s := range f.Fact {
		e, ok := evaluators[s.Kind]
		switch {
		case seen[s.ID]:
			return nil, fmt.Errorf("facts.toml: fact %s stands there twice", s.ID)
		case !ok:
			return nil, fmt.Errorf("facts.toml: fact %s: nobody knows the kind %q", s.ID, s.Kind)
		case !s.Args.match(e.args):
			return nil, fmt.Errorf("facts.toml: fact %s: %v are no arguments of %s", s.ID, s.Args, s.Kind)
		case !sourceForm.MatchString(s.Rule):
			return nil, fmt.Errorf("facts.toml: fact %s: %q is no paragraph", s.ID, s.Rule)
		}
		seen[s.ID] = true
	}
	return f.Fact, nil
}

// args are the arguments of a fact.
type args []any

// match compares the arguments with a pattern: h a hex, s a text, n a number,
// * any number of the letter before.
func (a args) match(pattern string) bool {
	if p, ok := strings.CutSuffix(pattern, "*"); ok {
		pattern = strings.Repeat(p, len(a))
	}
	if len(a) != len(pattern) {
		return false
	}
	for i, want := range pattern {
		s, text := a[i].(string)
		_, whole := a[i].(int64)
		switch want {
		case 'n':
			if !whole {
				return false
			}
		case 'h':
			if c, err := hex.Parse(s); !text || err != nil || c.IsZero() {
				return false
			}
		default:
			if !text {
				return false
			}
		}
	}
	return true
}

func (a args) text(i int) string   { s, _ := a[i].(string); return s }
func (a args) int(i int) int       { n, _ := a[i].(int64); return int(n) }
func (a args) hex(i int) hex.Coord { c, _ := hex.Parse(a.text(i)); return c }
