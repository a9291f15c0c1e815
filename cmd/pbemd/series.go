package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

func seriesCommand(e *env, c command, args []string) error {
	if len(args) > 0 {
		return c.misuse(e, "it takes no arguments")
	}
	s, done, err := e.open()
	if err != nil {
		return err
	}
	defer done()
	list, err := s.office.AllSeries(e.ctx)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		fmt.Fprintln(e.out, "no two players have finished a game that counts in a series")
		return nil
	}
	w := tabwriter.NewWriter(e.out, 2, 8, 2, ' ', 0)
	fmt.Fprintln(w, "rules\tgames\tplayer\tpoints\tplayer\tpoints\tstands")
	for _, x := range list {
		stands := "even"
		if l := x.Leader(); l != nil {
			stands = l.Name + " leads"
		}
		if d := x.Due(); d != nil {
			stands += ", " + d.Name + " is due to score"
		}
		fmt.Fprintf(w, "%s\t%s", x.Rules, strings.Trim(fmt.Sprint(x.Games), "[]"))
		for _, p := range x.Players {
			sum := "–"
			if len(p.Scored) > 0 {
				sum = fmt.Sprint(p.Sum())
			}
			if len(p.Scored) > 1 {
				sum += " (" + strings.Join(strings.Fields(strings.Trim(fmt.Sprint(p.Scored), "[]")), "+") + ")"
			}
			fmt.Fprintf(w, "\t%s\t%s", p.Name, sum)
		}
		fmt.Fprintf(w, "\t%s\n", stands)
	}
	return w.Flush()
}
