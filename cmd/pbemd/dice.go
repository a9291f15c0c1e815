package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"pbemd/engine"
	"pbemd/engine/dice"
	"pbemd/pbem"
	"pbemd/templates"
)

// Exit statuses of verify; a fault of the dice has that of dicecheck.
const (
	exitDice  = 10 // plus the kind of the fault
	exitRules = 50
)

func verifyCommand(e *env, c command, args []string) error {
	f := c.flags(e)
	dir := f.String("data", "", "folder with data files that the transcript doesn't hold and the rules don't ship any more")
	names, err := c.parse(f, args)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return c.misuse(e, "name a transcript, the file at the last mail of a game or what `pbemd transcript GAME` prints")
	}
	var extra fs.FS
	if *dir != "" {
		extra = os.DirFS(e.path(*dir))
	}
	code := 0
	for _, name := range names {
		text, err := os.ReadFile(e.path(name))
		if err != nil {
			return err
		}
		v, err := pbem.Verify(string(text), pbem.Games(), extra)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if len(names) > 1 {
			fmt.Fprintf(e.out, "%s:\n", name)
		}
		fmt.Fprintln(e.out, v.Dice)
		for _, n := range v.Dice.Notes {
			fmt.Fprintf(e.out, "  note: %s\n", n)
		}
		var fault *dice.Fault
		switch {
		case errors.As(v.Fault, &fault):
			code = max(code, exitDice+int(fault.Kind))
			continue // the line of the dice says it
		case v.Fault != nil:
			code = max(code, exitRules)
		}
		fmt.Fprintln(e.out, v)
	}
	if code > 0 {
		return exitCode(code)
	}
	return nil
}

func luckCommand(e *env, c command, args []string) error {
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
	_, words, err := s.office.Luck(e.ctx, id)
	if err != nil {
		return err
	}
	if len(words) == 0 {
		words = []engine.Text{engine.T("luck.none")}
	}
	lang, err := templates.Load(s.cfg.Play.Language)
	if err != nil {
		return err
	}
	for _, w := range words {
		fmt.Fprintln(e.out, lang.Say(w))
	}
	return nil
}

func rollbackCommand(e *env, c command, args []string) error {
	f := c.flags(e)
	before := f.Int("before-step", 0, "go back to before this step")
	reason := f.String("reason", "", "why, in a sentence: both players read it, and it stands in the proof")
	rest, err := c.parse(f, args)
	if err != nil {
		return err
	}
	if len(rest) != 1 || *before < 1 || *reason == "" {
		return c.misuse(e, "name the game, the step to go back to before, and the reason")
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
	r, err := s.office.Rollback(e.ctx, id, *before, *reason)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.out, "game %v: %s and %s played again from before step %d, %d events in place of %d; both players are told\n",
		id, count(r.Steps, "step", "steps"), count(r.Sheets, "sheet without dice", "sheets without dice"), *before, r.After, r.Before)
	if r.Asked > 0 {
		fmt.Fprintf(e.out, "%s that the old rules did not ask: the default was taken\n", count(r.Asked, "question", "questions"))
	}
	return nil
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// sidesOf are the seats of a kind of game, in its order.
func sidesOf(id string) ([]engine.Side, error) {
	var known []string
	for _, r := range pbem.Games() {
		if known = append(known, r.ID); r.ID != id {
			continue
		}
		play, err := r.Load(r.Files(), nil)
		if err != nil {
			return nil, err
		}
		return play.Seats(), nil
	}
	return nil, fmt.Errorf("there are no rules %q here; there are %s", id, strings.Join(known, " and "))
}
