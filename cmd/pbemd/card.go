package main

import (
	"fmt"
	"os"

	"pbemd/pbem"
	"pbemd/pbem/report"
	"pbemd/templates"
)

func cardCommand(e *env, c command, args []string) error {
	f := c.flags(e)
	name := f.String("out", "order-card.png", "file to write")
	tongue := f.String("language", "en", "language of the explanations")
	rest, err := c.parse(f, args)
	if err != nil {
		return err
	}
	if len(rest) != 1 {
		return c.misuse(e, "name the kind of game: blitz41")
	}
	if err := knownLanguage(*tongue); err != nil {
		return err
	}
	lang, err := templates.Load(*tongue)
	if err != nil {
		return err
	}
	for _, r := range pbem.Games() {
		if r.ID != rest[0] {
			continue
		}
		play, err := r.Load(r.Files(), nil)
		if err != nil {
			return err
		}
		if play.Card == nil {
			return fmt.Errorf("%s has no order card", r.Name)
		}
		w, err := report.New()
		if err != nil {
			return err
		}
		png, err := w.Card(r.ID, play.Card(), lang)
		if err != nil {
			return err
		}
		if err := os.WriteFile(e.path(*name), png, 0o644); err != nil {
			return err
		}
		fmt.Fprintln(e.out, *name)
		return nil
	}
	return c.misuse(e, fmt.Sprintf("there is no kind of game %q; blitz41 has an order card", rest[0]))
}
