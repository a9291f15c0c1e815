package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"pbemd/engine/render"
	"pbemd/pbem/report"
)

func filmCommand(e *env, c command, args []string) error {
	f := c.flags(e)
	name := f.String("out", "", "file to write (default: game<N>.gif)")
	big := f.Bool("big", false, "at the size of the mailed maps")
	rest, err := c.parse(f, args)
	if err != nil {
		return err
	}
	if *name != "" && !strings.EqualFold(filepath.Ext(*name), ".gif") {
		return c.misuse(e, fmt.Sprintf("a film is a .gif; %s has another ending", *name))
	}
	l, side, done, err := e.look(c, rest)
	if err != nil {
		return err
	}
	defer done()
	w, err := report.New()
	if err != nil {
		return err
	}
	list := l.Frames(side)
	if len(list) == 0 {
		return fmt.Errorf("game %v has no map, or has not begun", l.Game.ID)
	}
	fmt.Fprintf(e.err, "drawing %d frames …\n", len(list))
	size := render.Small
	if *big {
		size = render.Normal
	}
	gif, err := w.FilmAt(list, size)
	if err != nil {
		return err
	}
	if *name == "" {
		*name = fmt.Sprintf("game%v.gif", l.Game.ID)
	}
	if err := os.WriteFile(e.path(*name), gif, 0o644); err != nil {
		return err
	}
	fmt.Fprintf(e.out, "%s: %d frames, %d KB\n", *name, len(list), len(gif)>>10)
	return nil
}
