// Package rulebook holds the paragraph indexes of the rulebooks: for every
// paragraph its number, a title in our own words, and what the program has to
// do with it.
//
// It relies on the files beside it, one a game, which are part of the program:
// HELP RULE answers from them, and a test compares them with the code and the
// cases. It quotes no rulebook.
package rulebook

import (
	"embed"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

//go:embed *.tsv
var files embed.FS

// Status says what the program has to do with a paragraph.
type Status string

// The statuses of paragraphs.
const (
	Code   Status = "code"   // the program enforces it
	Data   Status = "data"   // a value of the data set
	Player Status = "player" // left to the players
	Paper  Status = "paper"  // handling of counters
	None   Status = "none"   // notes, history, introductions
	Open   Status = "open"   // not done yet
)

// Row is a paragraph.
type Row struct {
	ID     string // B41-14.7.C
	Title  string
	Status Status
	Note   string
}

// Number is the paragraph as players know it: 14.7.C.
func (r Row) Number() string {
	_, n, _ := strings.Cut(r.ID, "-")
	return n
}

// Index is the paragraphs of one rulebook in the order of the book.
type Index struct {
	Rows []Row
	byID map[string]int
}

// Load reads the index of a game: blitz41, breakthrough.
func Load(game string) (*Index, error) {
	b, err := files.ReadFile(game + ".tsv")
	if err != nil {
		return nil, fmt.Errorf("rulebook index of %s: %w", game, err)
	}
	return Parse(game+".tsv", string(b))
}

// Parse reads an index: a heading, then id, title, status and note separated
// by tabs, one row a line.
func Parse(name, text string) (*Index, error) {
	x := &Index{byID: map[string]int{}}
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		f := strings.Split(strings.TrimRight(line, "\r"), "\t")
		if i == 0 {
			continue
		}
		if len(f) == 3 {
			f = append(f, "")
		}
		if len(f) != 4 || f[0] == "" || f[1] == "" {
			return nil, fmt.Errorf("%s line %d: not id, title, status, note", name, i+1)
		}
		r := Row{f[0], f[1], Status(f[2]), f[3]}
		switch r.Status {
		case Code, Data, Player, Paper, None, Open:
		default:
			return nil, fmt.Errorf("%s line %d: status %q", name, i+1, f[2])
		}
		if _, twice := x.byID[r.ID]; twice {
			return nil, fmt.Errorf("%s line %d: %s stands twice", name, i+1, r.ID)
		}
		x.byID[r.ID] = len(x.Rows)
		x.Rows = append(x.Rows, r)
	}
	return x, nil
}

// Row finds a paragraph by its id.
func (x *Index) Row(id string) (Row, bool) {
	i, ok := x.byID[id]
	if !ok {
		return Row{}, false
	}
	return x.Rows[i], true
}

// Under lists the paragraph with a number and those below it, in the order of
// the book: 14.7 gives 14.7.A, 14.7.B …
func (x *Index) Under(number string) []Row {
	var out []Row
	for _, r := range x.Rows {
		n := r.Number()
		if strings.EqualFold(n, number) || len(n) > len(number) && n[len(number)] == '.' && strings.EqualFold(n[:len(number)], number) {
			out = append(out, r)
		}
	}
	return out
}

// Counts is how many paragraphs have each status.
func (x *Index) Counts() map[Status]int {
	out := map[Status]int{}
	for _, r := range x.Rows {
		out[r.Status]++
	}
	return out
}

// Print writes the paragraphs as a table, those of one status or all, and how
// many there are of each.
func (x *Index) Print(w io.Writer, only Status) error {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range x.Rows {
		if only == "" || r.Status == only {
			fmt.Fprintf(tab, "%s\t%s\t%s\t%s\n", r.ID, r.Status, r.Title, r.Note)
		}
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	n := x.Counts()
	_, err := fmt.Fprintf(w, "%d paragraphs: code %d, data %d, player %d, paper %d, none %d, open %d\n",
		len(x.Rows), n[Code], n[Data], n[Player], n[Paper], n[None], n[Open])
	return err
}
