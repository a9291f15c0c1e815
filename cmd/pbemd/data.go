package main

import (
	"fmt"
	"os"
	"strings"

	"pbemd/engine/blitz41"
)

// dataCommand is `pbemd data check DIR`: it holds a club's own map, counters and
// charts against the rulebook. Conflicts go to out, one a line, then the count.
func dataCommand(e *env, c command, args []string) error {
	rest, err := c.parse(c.flags(e), args)
	switch {
	case err != nil:
		return err
	case len(rest) == 0 || rest[0] != "check":
		return c.misuse(e, "the one thing to do with data is: check")
	case len(rest) != 2:
		return c.misuse(e, "name one folder")
	}
	dir := e.path(rest[1])
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return c.misuse(e, dir+" is no folder")
	}
	found, sum, err := blitz41.Check(os.DirFS(dir))
	if err != nil {
		return err
	}
	for _, n := range sum.Ignored {
		if n == "facts.toml" {
			fmt.Fprintln(e.err, "facts.toml is not read: what the rulebook states is the same for every set.")
		} else {
			fmt.Fprintf(e.err, "%s is not read: the files of a data set are %s.\n", n, strings.Join(replaceable(), ", "))
		}
	}
	if len(sum.Own) == 0 && len(found) == 0 {
		return c.misuse(e, fmt.Sprintf("%s has none of %s", dir, strings.Join(replaceable(), ", ")))
	}
	if len(sum.Shipped) > 0 {
		fmt.Fprintf(e.err, "Taken from the shipped set: %s.\n", strings.Join(sum.Shipped, ", "))
	}
	for _, f := range found {
		fmt.Fprintln(e.out, f)
	}
	if sum.Skipped > 0 {
		fmt.Fprintf(e.err, "%d facts could not be checked, since their file can't be read.\n", sum.Skipped)
	}
	fmt.Fprintf(e.out, "%d facts checked, %d %s\n", sum.Facts, len(found), plural(len(found), "conflict", "conflicts"))
	if len(found) > 0 {
		return exitCode(1)
	}
	return nil
}

// replaceable are the files a club may put in place of the shipped ones.
func replaceable() []string {
	names := blitz41.DataNames()
	return names[:len(names)-1]
}
