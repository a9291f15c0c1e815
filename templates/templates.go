// Package templates holds every sentence that a player reads, by key and by
// language, so that a translation is one folder.
//
// A language is a folder of TOML files with flat keys; each value is a
// text/template whose dot is the sentence's arguments by name. Help pages are
// text files below help/. A key that a language lacks is taken from English. A
// new language is a new folder beside the others; nothing else has to know it.
package templates

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"unicode"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"pbemd/engine"
)

//go:embed */*.toml */help/*.txt mail/*.html palette.toml
var files embed.FS

// Files are the embedded files, for mail layouts, palette and help.
func Files() fs.FS { return files }

// Language is a set of sentences.
type Language struct {
	Name  string
	from  fs.FS
	texts map[string]string
	base  *Language
	mu    sync.Mutex
	ready map[string]*template.Template
}

var (
	loadMu sync.Mutex
	loaded = map[string]*Language{}
)

// Languages lists the languages there are.
func Languages() []string { return languages(files) }

func languages(from fs.FS) []string {
	var out []string
	names, _ := fs.Glob(from, "*/common.toml")
	for _, n := range names {
		out = append(out, path.Dir(n))
	}
	return out
}

// Load gives a language. An unknown one is English.
func Load(name string) (*Language, error) {
	loadMu.Lock()
	defer loadMu.Unlock()
	return load(name)
}

func load(name string) (*Language, error) {
	if l := loaded[name]; l != nil {
		return l, nil
	}
	if _, err := fs.Stat(files, name); err != nil {
		name = "en"
		if l := loaded[name]; l != nil {
			return l, nil
		}
	}
	var base *Language
	if name != "en" {
		var err error
		if base, err = load("en"); err != nil {
			return nil, err
		}
	}
	l, err := read(files, name, base)
	if err != nil {
		return nil, err
	}
	loaded[name] = l
	return l, nil
}

// read reads the folder of a language. What it lacks is taken from base.
func read(from fs.FS, name string, base *Language) (*Language, error) {
	l := &Language{Name: name, from: from, base: base, texts: map[string]string{}, ready: map[string]*template.Template{}}
	names, err := fs.Glob(from, name+"/*.toml")
	if err != nil {
		return nil, err
	}
	for _, n := range names {
		b, err := fs.ReadFile(from, n)
		if err != nil {
			return nil, err
		}
		var m map[string]any
		if _, err := toml.Decode(string(b), &m); err != nil {
			return nil, fmt.Errorf("templates %s: %w", n, err)
		}
		if err := l.add(n, "", m); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// add takes flat keys as well as tables of them.
func (l *Language) add(file, prefix string, m map[string]any) error {
	for k, v := range m {
		key := k
		if prefix != "" {
			key = prefix + "." + k
		}
		switch v := v.(type) {
		case string:
			if _, twice := l.texts[key]; twice {
				return fmt.Errorf("templates %s: key %q stands twice", file, key)
			}
			l.texts[key] = v
		case map[string]any:
			if err := l.add(file, key, v); err != nil {
				return err
			}
		default:
			return fmt.Errorf("templates %s: key %q is no text", file, key)
		}
	}
	return nil
}

// Knows reports whether a key can be said, if need be in English.
func (l *Language) Knows(key string) bool { return l.Has(key) || l.base != nil && l.base.Has(key) }

// Has reports whether the language itself has a key.
func (l *Language) Has(key string) bool { _, ok := l.texts[key]; return ok }

// Keys lists the language's own keys, sorted.
func (l *Language) Keys() []string {
	out := make([]string, 0, len(l.texts))
	for k := range l.texts {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// Say renders a sentence. A sentence that can't be rendered shows its key, so
// that nothing a player needs is lost.
func (l *Language) Say(t engine.Text) string {
	s, err := l.Render(t)
	if err != nil {
		return t.String()
	}
	return s
}

// Render renders a sentence, or says what is wrong with it.
func (l *Language) Render(t engine.Text) (string, error) {
	if t.Key == "" {
		return "", nil
	}
	switch t.Key {
	case "plain":
		return fmt.Sprint(t.Args["s"]), nil
	case "form":
		return l.Form(fmt.Sprint(t.Args["s"])), nil
	}
	tpl, err := l.template(t.Key)
	if err != nil {
		return "", err
	}
	args := map[string]any{}
	for n, v := range t.Args {
		args[n] = l.arg(v)
	}
	var b strings.Builder
	if err := tpl.Execute(&b, args); err != nil {
		return "", fmt.Errorf("sentence %s: %w", t.Key, err)
	}
	return b.String(), nil
}

func (l *Language) arg(v any) any {
	switch v := v.(type) {
	case engine.Text:
		return l.Say(v)
	case []engine.Text:
		out := make([]string, len(v))
		for i, t := range v {
			out[i] = l.Say(t)
		}
		return out
	case map[string]any: // a Text that has been through JSON
		if k, ok := v["key"].(string); ok {
			args, _ := v["args"].(map[string]any)
			return l.Say(engine.Text{Key: k, Args: args})
		}
	case []any:
		out := make([]string, len(v))
		for i, t := range v {
			out[i] = fmt.Sprint(l.arg(t))
		}
		return out
	case []engine.UnitID:
		out := make([]string, len(v))
		for i, t := range v {
			out[i] = string(t)
		}
		return out
	case engine.UnitID:
		return string(v)
	case engine.Side:
		return string(v)
	case float64: // an int that has been through JSON
		if v == float64(int(v)) {
			return int(v)
		}
	}
	return v
}

func (l *Language) template(key string) (*template.Template, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t := l.ready[key]; t != nil {
		return t, nil
	}
	text, ok := l.texts[key]
	if !ok {
		if l.base != nil {
			return l.base.template(key)
		}
		return nil, fmt.Errorf("there is no sentence %q", key)
	}
	t, err := template.New(key).Funcs(l.funcs()).Option("missingkey=error").Parse(text)
	if err != nil {
		return nil, fmt.Errorf("sentence %s: %w", key, err)
	}
	l.ready[key] = t
	return t, nil
}

func (l *Language) funcs() template.FuncMap {
	return template.FuncMap{
		// say renders another sentence by key: {{say "side.axis"}}.
		"say": func(key string, args ...any) string { return l.Say(engine.T(key, args...)) },
		// list joins words: a, b and c.
		"list":   func(v any) string { return l.join(v, "list.and") },
		"orlist": func(v any) string { return l.join(v, "list.or") },
		"join":   func(v any, sep string) string { return strings.Join(words(v), sep) },
		// plural picks by number: {{plural .n "step" "steps"}}.
		"plural": func(n any, one, many string) string {
			if fmt.Sprint(n) == "1" || fmt.Sprint(n) == "-1" {
				return one
			}
			return many
		},
		"signed": func(n any) string {
			s := fmt.Sprint(n)
			if s != "0" && !strings.HasPrefix(s, "-") && !strings.HasPrefix(s, "+") {
				s = "+" + s
			}
			return strings.Replace(s, "-", "−", 1)
		},
		"upper": strings.ToUpper,
		"lower": strings.ToLower,
		"title": func(s string) string {
			if s == "" {
				return s
			}
			r, n := utf8.DecodeRuneInString(s)
			return string(unicode.ToUpper(r)) + s[n:]
		},
		"calendar": l.Calendar,
		"form":     l.Form,
		// comma is a number with a decimal comma.
		"comma": func(n any) string { return strings.Replace(fmt.Sprint(n), ".", ",", 1) },
	}
}

var formWord = regexp.MustCompile(`[^ ]+`)

// Form puts the form of an order into the language: the words in small letters,
// which the player replaces, not those in capitals, which he writes.
func (l *Language) Form(form string) string {
	return formWord.ReplaceAllStringFunc(form, func(w string) string {
		core := strings.Trim(w, "[]:,;…|/")
		parts := strings.Split(core, "-") // hex-hex
		for i, p := range parts {
			if key := "form." + p; p != "" && l.Has(key) {
				parts[i] = l.texts[key]
			}
		}
		return strings.Replace(w, core, strings.Join(parts, "-"), 1)
	})
}

// Calendar puts an English date, as a game's data or a clock have it, into the
// language: "22 June - 8 July 1941", "Thu 3 Dec, 15:04 UTC". Words that no calendar has stay as they are.
func (l *Language) Calendar(date string) string {
	w := strings.Split(date, " ")
	for i, whole := range w {
		word, comma := strings.CutSuffix(whole, ",")
		key := "calendar." + strings.ToLower(word)
		if n, err := strconv.Atoi(word); err == nil && 1 <= n && n <= 31 {
			w[i] = l.Say(engine.T("calendar.day", "n", n))
		} else if key != "calendar.day" && l.Has(key) {
			if w[i] = l.Say(engine.T(key)); comma {
				w[i] += ","
			}
		} else if word == "-" {
			w[i] = "–"
		}
	}
	return strings.Join(w, " ")
}

func words(v any) []string {
	switch v := v.(type) {
	case nil:
		return nil
	case []string:
		return v
	case []any:
		out := make([]string, len(v))
		for i, w := range v {
			out[i] = fmt.Sprint(w)
		}
		return out
	case []int:
		out := make([]string, len(v))
		for i, w := range v {
			out[i] = fmt.Sprint(w)
		}
		return out
	}
	return []string{fmt.Sprint(v)}
}

func (l *Language) join(v any, key string) string {
	w := words(v)
	switch len(w) {
	case 0:
		return ""
	case 1:
		return w[0]
	}
	return strings.Join(w[:len(w)-1], ", ") + l.Say(engine.T(key)) + w[len(w)-1]
}

// Page is a help page by name, without its ending.
func (l *Language) Page(name string) (string, bool) {
	name = strings.ToLower(path.Clean("/" + name))[1:]
	for at := l; at != nil; at = at.base {
		if b, err := fs.ReadFile(at.from, at.Name+"/help/"+name+".txt"); err == nil {
			return string(b), true
		}
	}
	return "", false
}

// Pages lists the help pages.
func (l *Language) Pages() []string {
	seen := map[string]bool{}
	for at := l; at != nil; at = at.base {
		names, _ := fs.Glob(at.from, at.Name+"/help/*.txt")
		for _, n := range names {
			seen[strings.TrimSuffix(path.Base(n), ".txt")] = true
		}
	}
	out := make([]string, 0, len(seen))
	for n := range seen {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}
