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
	"pbemd/orders"
	"pbemd/orders/admin"
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

// look opens the game that the arguments of a command name, and reads the side
// that may stand behind it; "" is what lies open to everybody. done closes it.
func (e *env) look(c command, args []string) (l pbem.Looked, side engine.Side, done func(), err error) {
	if len(args) < 1 || len(args) > 2 {
		return l, "", nil, c.misuse(e, "name the game, and a side if you want one side's view")
	}
	id, err := gameArg(args[0])
	if err != nil {
		return l, "", nil, err
	}
	s, done, err := e.open()
	if err != nil {
		return l, "", nil, err
	}
	if l, err = s.office.Look(e.ctx, id); err != nil {
		done()
		return l, "", nil, gameError(id, err)
	}
	if len(args) == 2 {
		side = engine.Side(strings.ToLower(args[1]))
		if l.Game.Seat(side) == nil {
			done()
			return l, "", nil, c.misuse(e, fmt.Sprintf("game %v has no side %q; its sides are %s", id, args[1], sideList(l.Play.Seats())))
		}
	}
	return l, side, done, nil
}

// sideList is "axis and soviet".
func sideList(sides []engine.Side) string {
	var names []string
	for _, s := range sides {
		names = append(names, string(s))
	}
	return strings.Join(names, " and ")
}

func showCommand(e *env, c command, args []string) error {
	l, side, done, err := e.look(c, args)
	if err != nil {
		return err
	}
	defer done()
	sides := l.Play.Seats()
	if side != "" {
		sides = []engine.Side{side}
	}
	if l.Game.Stage == pbem.Inviting {
		showInvited(e, l)
		return nil
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

// showInvited tells of a game that has not begun: who has joined, and for whom
// it waits.
func showInvited(e *env, l pbem.Looked) {
	g := l.Game
	fmt.Fprintf(e.out, "Game %v of %s has not begun; it was made on %s.\n\n", g.ID, g.Rules, g.Created.UTC().Format("2 January 2006, 15:04 UTC"))
	w := tabwriter.NewWriter(e.out, 2, 8, 2, ' ', 0)
	for _, s := range g.Seats {
		state := "is invited and has not answered JOIN yet"
		if s.Joined {
			state = "has joined"
		}
		fmt.Fprintf(w, "%s\t%s <%s>\t%s\n", s.Side, s.Name, s.Address, state)
	}
	w.Flush()
	dice := "chain"
	if g.Terms.Beacon {
		dice = "beacon"
	}
	fmt.Fprintf(e.out, "\nIt begins when everybody has joined. Dice: grade %s. A question is to be answered within %d hours.\n", dice, g.Terms.AnswerHours)
	fmt.Fprintf(e.out, "A lost invitation is sent again by `pbemd seat %v SIDE --address ADDR`.\n", g.ID)
}

func renderCommand(e *env, c command, args []string) error {
	f := c.flags(e)
	name := f.String("out", "", "file to write, .png or .svg (default: game<N>.png)")
	what := f.String("map", "", "a part of it, as players ask for it behind MAP: 'H12 3', 'AREA J7-N6', SUPPLY, CONTROL, BIG")
	big := f.Bool("big", false, "half as large again")
	rest, err := c.parse(f, args)
	if err != nil {
		return err
	}
	ext := strings.ToLower(filepath.Ext(*name))
	if *name != "" && ext != ".png" && ext != ".svg" {
		return c.misuse(e, fmt.Sprintf("a map is a .png or an .svg; %s has another ending", *name))
	}
	l, side, done, err := e.look(c, rest)
	if err != nil {
		return err
	}
	defer done()
	lang, err := templates.Load("en")
	if err != nil {
		return err
	}
	area, err := part(l, side, *what, lang)
	if err != nil {
		return c.misuse(e, err.Error())
	}
	letter := letterOf(l, side)
	if letter.View.Scene.Map == nil {
		return fmt.Errorf("game %v has no map", l.Game.ID)
	}
	w, err := report.New()
	if err != nil {
		return err
	}
	if *name == "" {
		*name = fmt.Sprintf("game%v.png", l.Game.ID)
	}
	size := render.Normal
	if *big {
		size = render.Big
	}
	var picture []byte
	if ext == ".svg" {
		picture = w.Drawing(letter, lang, area)
	} else if picture, err = w.Picture(letter, lang, area, size); err != nil {
		return err
	}
	if err := os.WriteFile(e.path(*name), picture, 0o644); err != nil {
		return err
	}
	fmt.Fprintf(e.out, "%s\n", *name)
	return nil
}

// part reads what a player might write behind MAP.
func part(l pbem.Looked, side engine.Side, what string, lang *templates.Language) (string, error) {
	if what == "" {
		return "", nil
	}
	reader := side
	if reader == "" {
		reader = l.Play.Seats()[0]
	}
	sheets, found := orders.Parse([]string{"GAME 1", "MAP " + what, "END"}, l.Play.Grammar())
	for _, s := range sheets {
		_, asked, more := l.Play.Bind(s, reader)
		found = append(found, more...)
		for _, r := range asked {
			if m, ok := r.Do.(admin.Map); ok && len(found) == 0 {
				if side == "" && strings.EqualFold(m.Area, "SUPPLY") {
					return "", fmt.Errorf("supply is one side's own: name the side, %s", sideList(l.Play.Seats()))
				}
				return m.Area, nil
			}
		}
	}
	why := "it can't be read"
	if len(found) > 0 {
		why = lang.Say(engine.Text{Key: found[0].Key, Args: found[0].Args})
	}
	return "", fmt.Errorf("--map %q: %s", what, why)
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
	if len(args) < 1 || len(args) > 2 {
		return c.misuse(e, "name the kind of game, blitz41, and a paragraph if you want one")
	}
	if args[0] != "blitz41" {
		return c.misuse(e, fmt.Sprintf("there is no rulebook of %q; there is one of blitz41", args[0]))
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
			p := strings.TrimPrefix(strings.ToUpper(args[1]), "B41-")
			if id := strings.TrimPrefix(strings.ToUpper(r.ID), "B41-"); id != p && !strings.HasPrefix(id, p+".") {
				continue
			}
			found = true
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.ID, r.Status, r.Title, r.Note)
	}
	w.Flush()
	if len(args) == 2 {
		if !found {
			return fmt.Errorf("the rulebook has no paragraph %s; `pbemd rules blitz41` lists them all", args[1])
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
