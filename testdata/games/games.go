// Package games holds whole games as scripts: what each player sends, phase by
// phase. Scripted players of the demo and of tests read them.
//
// A script is a text of sections. A section begins with a line
//
//	== axis turn 1 assault
//
// that says who sends it and when; the lines up to the next are one sheet,
// without GAME and END. Sections with the same heading are sent one after
// another. "== axis standing" is sent first of all, "== soviet question" answers
// a question, {no} being its number. Lines before the first section are
// comments.
package games

import (
	"embed"
	"fmt"
	"strings"

	"pbemd/engine"
)

//go:embed demo/*.txt whole/*.txt
var files embed.FS

// Script is what the players of a game send.
type Script struct {
	sheets map[string][][]string
	last   map[engine.Side]string // the key of the last section of a side
}

// Demo is the game of `pbemd demo`.
func Demo() (Script, error) { return read("demo") }

// Whole is a game from the first mail to its end: the Axis goes no further than
// it can hold, and has lost by the rules when Turn 8 begins (15.4.B).
func Whole() (Script, error) { return read("whole") }

func read(dir string) (Script, error) {
	s := Script{sheets: map[string][][]string{}, last: map[engine.Side]string{}}
	names, err := files.ReadDir(dir)
	if err != nil {
		return s, err
	}
	for _, n := range names {
		b, err := files.ReadFile(dir + "/" + n.Name())
		if err != nil {
			return s, err
		}
		if err := s.add(n.Name(), string(b)); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (s *Script) add(name, text string) error {
	key := ""
	var lines []string
	flush := func() {
		if key != "" {
			for len(lines) > 0 && lines[len(lines)-1] == "" {
				lines = lines[:len(lines)-1]
			}
			s.sheets[key] = append(s.sheets[key], lines)
		}
		lines = nil
	}
	for n, l := range strings.Split(text, "\n") {
		l = strings.TrimRight(l, " \r")
		if head, ok := strings.CutPrefix(l, "== "); ok {
			flush()
			side, when, ok := strings.Cut(head, " ")
			if !ok {
				return fmt.Errorf("%s:%d: a section says who and when", name, n+1)
			}
			key = side + "/" + when
			if strings.HasPrefix(when, "turn ") {
				s.last[engine.Side(side)] = when
			}
			continue
		}
		if key != "" {
			lines = append(lines, l)
		}
	}
	flush()
	return nil
}

// Next is the next sheet of a side for a time that it has not sent yet; used
// counts them. It is nil if there is none.
func (s Script) Next(side engine.Side, when string, used map[string]int) []string {
	key := string(side) + "/" + when
	list := s.sheets[key]
	if used[key] >= len(list) {
		return nil
	}
	used[key]++
	return append([]string(nil), list[used[key]-1]...)
}

// Over reports whether a side has nothing for a time nor for any later one.
func (s Script) Over(side engine.Side, when string) bool {
	var t, u int
	fmt.Sscanf(when, "turn %d", &t)
	fmt.Sscanf(s.last[side], "turn %d", &u)
	return t > u
}
