package scene

import (
	"fmt"
	"sort"
	"strings"

	"pbemd/engine/hex"
)

// Text is what a scene shows beyond the printed map, a thing a line, in an
// order of its own: for comparing scenes and for reading a difference.
func (s Scene) Text() string {
	var lines []string
	add := func(format string, args ...any) {
		lines = append(lines, strings.TrimRight(fmt.Sprintf(format, args...), " "))
	}
	for _, h := range s.Control {
		add("held %v %s", h.At, h.Side)
	}
	for _, v := range s.Stacks {
		for i, c := range v.Counters {
			steps := ""
			if c.Max > 0 {
				steps = fmt.Sprintf("%d/%d", c.Steps, c.Max)
			}
			add("stack %v %s %d %s", v.At, v.Side, i+1,
				strings.Join(strings.Fields(strings.Join(append([]string{c.ID, c.Nation, c.Class, c.Symbol, c.Size, c.Face, steps}, c.Badges...), " ")), " "))
		}
		if v.More {
			add("stack %v %s more", v.At, v.Side)
		}
	}
	for _, m := range s.Markers {
		add("marker %v %s %s", m.At, m.Kind, m.Side)
	}
	for _, h := range s.Shades {
		add("shade %v %s %d %s", h.At, h.Kind, h.Level, h.Text)
	}
	sort.Strings(lines)
	for _, a := range s.Arrows { // in the order of what happened
		add("%s %s %s", a.Kind, a.Side, join(a.Path))
	}
	for _, b := range s.Bursts {
		add("battle %v %s %s", b.At, b.Side, b.Result)
	}
	var head []string
	for _, v := range []string{s.Title, s.Subtitle} {
		if v != "" {
			head = append(head, v)
		}
	}
	for _, f := range s.Track {
		v := "figure " + f.Label + " " + f.Value
		if f.Max > 0 {
			v += fmt.Sprintf(" (%d of %d, goal %d)", f.At, f.Max, f.Goal)
		}
		head = append(head, v)
	}
	if len(s.Focus) > 0 {
		head = append(head, "focus "+join(s.Focus))
	}
	all := strings.Join(append(head, lines...), "\n")
	if all != "" {
		all += "\n"
	}
	return all
}

func join(path []hex.Coord) string {
	out := make([]string, len(path))
	for i, c := range path {
		out[i] = c.String()
	}
	return strings.Join(out, " ")
}
