package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"pbemd/engine"
	"pbemd/engine/render"
	"pbemd/pbem"
	"pbemd/pbem/report"
	"pbemd/templates"
	"pbemd/testdata/rulebook"
)

// letterOf is a game as a side sees it, as the post office would mail it.
func letterOf(l pbem.Looked, side engine.Side) pbem.Letter {
	v := l.Play.View(l.Position, side)
	out := pbem.Letter{
		Kind: pbem.Report, Word: pbem.WordWaiting, Game: l.Game.ID, Rules: l.Game.Rules, Side: side, Lang: "en",
		State: l.Position.State(), View: &v, Map: true,
	}
	if s := l.Game.Seat(side); s != nil {
		out.Name, out.Zone = s.Name, s.Zone
	}
	if l.Game.Stage == pbem.Over {
		out.Word = pbem.WordGameOver
	} else if out.State.Side == side {
		out.Word, out.Yours = pbem.WordYourTurn, true
	}
	return out
}

func showCommand(e *env, c command, args []string) error {
	if len(args) < 1 || len(args) > 2 {
		return c.misuse(e, "name the game, and a side if you want one side's view")
	}
	id, err := gameArg(args[0])
	if err != nil {
		return err
	}
	s, done, err := e.open()
	if err != nil {
		return err
	}
	defer done()
	l, err := s.office.Look(e.ctx, id)
	if err != nil {
		return gameError(id, err)
	}
	sides := l.Play.Seats()
	if len(args) == 2 {
		if l.Game.Seat(engine.Side(args[1])) == nil {
			return c.misuse(e, fmt.Sprintf("game %v has no side %q", id, args[1]))
		}
		sides = []engine.Side{engine.Side(args[1])}
	}
	w, err := report.New()
	if err != nil {
		return err
	}
	for _, side := range sides {
		letter := letterOf(l, side)
		letter.Map = false
		p, err := w.Report(letter)
		if err != nil {
			return err
		}
		fmt.Fprintln(e.out, p.Text)
	}
	return nil
}

func renderCommand(e *env, c command, args []string) error {
	f := c.flags(e)
	name := f.String("out", "", "file to write, .png or .svg (default: game<N>.png)")
	big := f.Bool("big", false, "half as large again")
	rest, err := c.parse(f, args)
	if err != nil {
		return err
	}
	if ext := strings.ToLower(filepath.Ext(*name)); *name != "" && ext != ".png" && ext != ".svg" {
		return c.misuse(e, fmt.Sprintf("a map is a .png or an .svg; %s has another ending", *name))
	}
	if len(rest) < 1 || len(rest) > 2 {
		return c.misuse(e, "name the game, and a side if you want one side's view")
	}
	id, err := gameArg(rest[0])
	if err != nil {
		return err
	}
	s, done, err := e.open()
	if err != nil {
		return err
	}
	defer done()
	l, err := s.office.Look(e.ctx, id)
	if err != nil {
		return gameError(id, err)
	}
	var side engine.Side
	if len(rest) == 2 {
		side = engine.Side(rest[1])
		if l.Game.Seat(side) == nil {
			return c.misuse(e, fmt.Sprintf("game %v has no side %q", id, side))
		}
	}
	w, err := report.New()
	if err != nil {
		return err
	}
	lang, err := templates.Load("en")
	if err != nil {
		return err
	}
	size := render.Normal
	if *big {
		size = render.Big
	}
	if strings.HasSuffix(*name, ".svg") {
		if err := os.WriteFile(e.path(*name), w.Drawing(letterOf(l, side), lang), 0o644); err != nil {
			return err
		}
		fmt.Fprintf(e.out, "%s\n", *name)
		return nil
	}
	png, err := w.Picture(letterOf(l, side), lang, size)
	if err != nil {
		return err
	}
	if *name == "" {
		*name = fmt.Sprintf("game%v.png", id)
	}
	if err := os.WriteFile(e.path(*name), png, 0o644); err != nil {
		return err
	}
	fmt.Fprintf(e.out, "%s\n", *name)
	return nil
}

func replayCommand(e *env, c command, args []string) error {
	if len(args) != 1 {
		return c.misuse(e, "name the game")
	}
	id, err := gameArg(args[0])
	if err != nil {
		return err
	}
	s, done, err := e.open()
	if err != nil {
		return err
	}
	defer done()
	last := time.Now()
	r, err := s.office.Replay(e.ctx, id, func(n, of int) {
		if time.Since(last) > time.Second {
			last = time.Now()
			fmt.Fprintf(e.err, "sheet %d of %d …\n", n, of)
		}
	})
	if err != nil {
		return gameError(id, err)
	}
	if len(r.Undone) > 0 {
		fmt.Fprintf(e.out, "taken back, not compared: %s\n", numbers(r.Undone))
	}
	if len(r.Other) > 0 {
		fmt.Fprintf(e.out, "played by another version of the rules, not compared: %s\n", numbers(r.Other))
	}
	if r.Differs > 0 {
		fmt.Fprintf(e.out, "sheet %d comes out otherwise at event %d:\n  now      %s\n  recorded %s\n", r.Differs, r.Event, r.Got, r.Want)
		return exitCode(1)
	}
	fmt.Fprintf(e.out, "game %v: %d sheets run again, %d events, all the same\n", id, r.Bursts, r.Events)
	return nil
}

func numbers(list []int) string {
	out := make([]string, len(list))
	for i, n := range list {
		out[i] = fmt.Sprint(n)
	}
	return strings.Join(out, " ")
}

func transcriptCommand(e *env, c command, args []string) error {
	if len(args) != 1 {
		return c.misuse(e, "name the game")
	}
	id, err := gameArg(args[0])
	if err != nil {
		return err
	}
	s, done, err := e.open()
	if err != nil {
		return err
	}
	defer done()
	text, err := s.office.Transcript(e.ctx, id)
	if err != nil {
		return gameError(id, err)
	}
	fmt.Fprint(e.out, text)
	return nil
}

func rulesCommand(e *env, c command, args []string) error {
	if len(args) < 1 || len(args) > 2 || args[0] != "blitz41" {
		return c.misuse(e, "name the kind of game, blitz41, and a paragraph if you want one")
	}
	index, err := rulebook.Load(args[0])
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(e.out, 2, 8, 2, ' ', 0)
	counts := map[string]int{}
	found := false
	for _, r := range index.Rows {
		counts[string(r.Status)]++
		if len(args) == 2 {
			if p := strings.ToUpper(args[1]); !strings.EqualFold(string(r.ID), p) && !strings.EqualFold(string(r.ID), "B41-"+p) {
				continue
			}
			found = true
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.ID, r.Status, r.Title, r.Note)
	}
	w.Flush()
	if len(args) == 2 {
		if !found {
			return fmt.Errorf("the rulebook has no paragraph %s", args[1])
		}
		return nil
	}
	var parts []string
	for _, st := range []string{"code", "data", "player", "paper", "none", "open"} {
		parts = append(parts, fmt.Sprintf("%s %d", st, counts[st]))
	}
	fmt.Fprintf(e.out, "%d paragraphs: %s\n", len(index.Rows), strings.Join(parts, ", "))
	return nil
}
