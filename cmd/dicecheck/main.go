// Command dicecheck is a player's own check of the dice of a game: it reads
// saved mails, whole mail folders or a transcript and says whether every die in
// them is the one that was fixed before the orders were closed.
//
// It relies on [pbemd/engine/dice] and on what it is given; it knows no game and
// no rule, and opens no network. Everything it checks can be checked again by
// another program, written from that package's description.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"pbemd/engine/dice"
)

// Exit statuses; a fault's is firstFault plus its kind.
const (
	exitOK      = 0
	exitUnread  = 1
	exitMisuse  = 2
	exitNothing = 3
	firstFault  = 10
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

const usage = `usage: dicecheck [-v] [-game ID] [-key PRINT] [-head "SIX WORDS"] FILE|FOLDER…

Checks the dice of play-by-email games. A FILE is a saved mail (.eml), a mailbox
(.mbox) or a transcript; a FOLDER is searched with all folders in it. Files given
together are one heap of mails. Each folder is a heap of its own: given the
folders of both players, their stories are compared.

It prints, for each game, OK and what was counted, or FAULT and the first record
that fails and why. Two players who can't put their mails together may compare
the six head words instead, or give each other's with -head.

`

func help(w io.Writer, f *flag.FlagSet) {
	fmt.Fprint(w, usage)
	f.SetOutput(w)
	f.PrintDefaults()
	fmt.Fprintf(w, "\nExit status:\n")
	fmt.Fprintf(w, "  %2d  all that was given is as it must be\n", exitOK)
	fmt.Fprintf(w, "  %2d  a file can't be read; in what can be, nothing is wrong\n", exitUnread)
	fmt.Fprintf(w, "  %2d  misuse\n", exitMisuse)
	fmt.Fprintf(w, "  %2d  no record in what was given\n", exitNothing)
	for _, k := range dice.FaultKinds {
		fmt.Fprintf(w, "  %2d  %-10s  %s\n", firstFault+int(k.Kind), k.Name, k.Means)
	}
}

func run(args []string, out, words io.Writer) int {
	f := flag.NewFlagSet("dicecheck", flag.ContinueOnError)
	f.SetOutput(words)
	verbose := f.Bool("v", false, "print every record with its head words, and every roll")
	game := f.String("game", "", "check this game only")
	key := f.String("key", "", "fail unless the server's key has this fingerprint (its first digits will do)")
	head := f.String("head", "", "fail unless these six words name a record of the game")
	f.Usage = func() { help(words, f) }
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitMisuse
	case f.NArg() == 0:
		help(words, f)
		return exitMisuse
	}
	heaps, err := read(f.Args())
	if err != nil {
		fmt.Fprintf(words, "dicecheck: %v\n", err)
		return exitUnread
	}
	c := checker{out: out, opt: dice.Options{Game: *game, Head: *head}, key: strings.ToLower(*key), verbose: *verbose}
	for _, h := range heaps {
		for _, n := range h.notes {
			fmt.Fprintf(words, "dicecheck: %s\n", n)
		}
		c.check(h, len(heaps) > 1)
	}
	if c.games == 0 {
		fmt.Fprintln(words, "dicecheck: no record of a game in what was given")
		return exitNothing
	}
	c.compare(heaps)
	if c.status == exitOK && slices.ContainsFunc(heaps, func(h *heap) bool { return len(h.notes) > 0 }) {
		return exitUnread
	}
	return c.status
}

// read makes a heap of all files, and one of each folder.
func read(paths []string) ([]*heap, error) {
	var heaps []*heap
	var files *heap
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return nil, err
		}
		h := files
		switch {
		case info.IsDir():
			h = &heap{name: p}
			heaps = append(heaps, h)
		case files == nil:
			files = &heap{name: p}
			h = files
			heaps = append(heaps, h)
		}
		if err := h.add(p); err != nil {
			return nil, err
		}
	}
	return heaps, nil
}

type checker struct {
	out     io.Writer
	opt     dice.Options
	key     string
	verbose bool
	games   int
	status  int
	reports [][]dice.Report // by heap
}

// fail keeps the status of the first fault.
func (c *checker) fail(f *dice.Fault) {
	if c.status == exitOK {
		c.status = firstFault + int(f.Kind)
	}
}

func (c *checker) check(h *heap, named bool) {
	reports := dice.Check(h.pile, c.opt)
	if named {
		fmt.Fprintf(c.out, "%s:\n", h.name)
	}
	for i := range reports {
		r := &reports[i]
		c.games++
		if r.Fault == nil && !strings.HasPrefix(r.Key.String(), c.key) {
			r.Fault = &dice.Fault{Kind: dice.FaultSignature, Game: r.Game, Record: 1, What: "start",
				Why: "the server's key has the fingerprint " + r.Key.String()}
		}
		if c.verbose {
			c.list(*r)
		}
		fmt.Fprintln(c.out, r)
		for _, n := range r.Notes {
			fmt.Fprintf(c.out, "  note: %s\n", n)
		}
		if r.Fault != nil {
			c.fail(r.Fault)
		}
	}
	c.reports = append(c.reports, reports)
}

// list prints every record that passed.
func (c *checker) list(r dice.Report) {
	for i, e := range r.Chain {
		fmt.Fprintf(c.out, "%4d  %-10s %s  %s\n", i+1, e.Record.What(), e.Record.Time().Format("2006-01-02 15:04:05Z"), e.Hash.Words())
		switch b := e.Record.Body.(type) {
		case dice.Start:
			fmt.Fprintf(c.out, "        server key %s, rules %s %d\n", r.Key, b.Rules, b.Version)
		case dice.Step:
			for _, t := range b.Rolls {
				fmt.Fprintf(c.out, "        %s\n", line(t))
			}
		}
	}
}

func line(t dice.Roll) string {
	what := fmt.Sprintf("%dd%d", len(t.Values), t.Sides)
	if t.Deck {
		what = fmt.Sprintf("shuffle of %d", t.Sides)
	}
	values := strings.Trim(fmt.Sprint(t.Values), "[]")
	if t.Hidden {
		values = "hidden"
	}
	return fmt.Sprintf("%s  %s: %s  (%s)", t.Label, what, values, t.For)
}

// compare sets the stories of the players side by side, each with each.
func (c *checker) compare(heaps []*heap) {
	for j := range c.reports {
		for i := range j {
			notes, faults := dice.Compare(c.reports[i], c.reports[j], [2]string{heaps[i].name, heaps[j].name})
			for _, f := range faults {
				fmt.Fprintf(c.out, "FAULT %s: %v\n", f.Kind, f)
				c.fail(f)
			}
			for _, n := range notes {
				fmt.Fprintln(c.out, n)
			}
		}
	}
}
