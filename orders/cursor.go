package orders

import (
	"strconv"
	"strings"
)

// Cursor goes through the tokens of one line and collects what is wrong with
// them. After the first fault it stands still at the end, so that a binder may
// go on asking and need look at [Cursor.Findings] only once.
type Cursor struct {
	line  *Line
	toks  []Token
	i     int
	g     Grammar
	found []Finding
	notes []Note
}

// NewCursor begins behind the verb of a line, if it has one.
func NewCursor(l *Line, g Grammar) *Cursor {
	if g.Hex == nil {
		g.Hex = AnyHex
	}
	c := &Cursor{line: l, toks: l.Tokens, g: g}
	if l.Verb != "" {
		for range strings.Fields(l.Verb) {
			if c.i < len(c.toks) {
				c.i++
			}
		}
		if l.Verb == Phase {
			c.i = 1
		}
	}
	return c
}

// Peek looks at the next token; at the end its kind is EOL.
func (c *Cursor) Peek() Token { return c.PeekAt(0) }

// PeekAt looks n tokens ahead.
func (c *Cursor) PeekAt(n int) Token {
	if len(c.found) > 0 || c.i+n >= len(c.toks) {
		return Token{Kind: EOL, Pos: len(c.line.Text)}
	}
	return c.toks[c.i+n]
}

// Next takes the next token.
func (c *Cursor) Next() Token {
	t := c.Peek()
	if t.Kind != EOL {
		c.i++
	}
	return t
}

// Done says that nothing is left.
func (c *Cursor) Done() bool { return c.Peek().Kind == EOL }

// Accept takes the next token if it is that word or sign.
func (c *Cursor) Accept(text string) bool {
	if t := c.Peek(); t.Text == text && t.Kind != Quoted && t.Kind != EOL {
		c.i++
		return true
	}
	return false
}

// AcceptAny takes the next token if it is one of the words, and says which.
func (c *Cursor) AcceptAny(words ...string) (string, bool) {
	for _, w := range words {
		if c.Accept(w) {
			return w, true
		}
	}
	return "", false
}

// Expect takes one of the words or finds fault with what is there instead.
func (c *Cursor) Expect(words ...string) (string, bool) {
	if w, ok := c.AcceptAny(words...); ok {
		return w, true
	}
	c.expected(strings.Join(words, ", "), words)
	return "", false
}

// Word takes any word: also one of digits, such as a unit id, or a quoted one.
func (c *Cursor) Word(what string) (string, bool) {
	if t := c.Peek(); t.Kind == Word || t.Kind == Int || t.Kind == Hex || t.Kind == Quoted {
		c.i++
		return t.Text, true
	}
	c.expected(what, nil)
	return "", false
}

// Int takes a number.
func (c *Cursor) Int(what string) (int, bool) {
	if t := c.Peek(); t.Kind == Int {
		if n, err := strconv.Atoi(t.Text); err == nil && n <= 1_000_000 {
			c.i++
			return n, true
		}
	}
	c.expected(what, nil)
	return 0, false
}

// Hex takes a hex. A row O written as a zero is read as the letter, and noted.
func (c *Cursor) Hex(what string) (string, bool) {
	t := c.Peek()
	if t.Kind == Hex {
		c.i++
		return t.Text, true
	}
	if c.g.Rows && t.Kind == Int && len(t.Text) >= 2 && len(t.Text) <= 3 && t.Text[0] == '0' {
		if h, ok := c.g.Hex("O" + t.Text[1:]); ok {
			c.i++
			c.notes = append(c.notes, Note{t.Text, h})
			return h, true
		}
	}
	c.expected(what, nil)
	return "", false
}

// Path takes hexes parted by dashes or blanks, at least one.
func (c *Cursor) Path(what string) ([]string, bool) {
	first, ok := c.Hex(what)
	if !ok {
		return nil, false
	}
	path := []string{first}
	for {
		switch {
		case c.Peek().Kind == Hex:
		case c.Peek().Kind == Sign && c.Peek().Text == "-":
			c.i++
		default:
			return path, true
		}
		h, ok := c.Hex(what)
		if !ok {
			return path, false
		}
		path = append(path, h)
	}
}

// Rest takes everything that is left, as it stands in the canonical line.
func (c *Cursor) Rest() string {
	t := c.Peek()
	if t.Kind == EOL {
		return ""
	}
	c.i = len(c.toks)
	return c.line.Text[t.Pos:]
}

// End finds fault with words that are left over.
func (c *Cursor) End() bool {
	if c.Done() {
		return len(c.found) == 0
	}
	c.found = append(c.found, finding(c.line.No, LeftOver, "text", c.line.Text[c.Peek().Pos:], "verb", c.line.Verb, "usage", c.usage()))
	return false
}

// Fail finds fault in the words of the caller.
func (c *Cursor) Fail(code, key string, args map[string]any) {
	if len(c.found) == 0 {
		c.found = append(c.found, Finding{Line: c.line.No, Code: code, Key: key, Args: args})
	}
}

// Findings gives what is wrong with the line: nothing, or its first fault.
func (c *Cursor) Findings() []Finding { return c.found }

// Notes gives what was read as something else on the way.
func (c *Cursor) Notes() []Note { return c.notes }

func (c *Cursor) expected(what string, words []string) {
	if len(c.found) > 0 {
		return
	}
	got := c.Peek().Text
	f := finding(c.line.No, Expected, "want", what, "got", got, "verb", c.line.Verb, "usage", c.usage(), "suggest", "")
	if s := Suggest(got, words); len(s) > 0 {
		f.Args["suggest"] = strings.Join(s, ", ")
	}
	c.found = append(c.found, f)
}

func (c *Cursor) usage() string {
	v, _ := c.g.Lookup(c.line.Verb)
	return v.Usage
}
