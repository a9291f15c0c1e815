// Command pbemd is a play-by-email server for board wargames: it polls a
// mailbox, plays the orders it finds, and mails every player a report.
//
// `pbemd help` lists the commands; `pbemd demo` shows it all on mail servers of
// its own. This package holds flags, configuration and wiring only.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

// env is what a command works with: results go to out, words to err.
type env struct {
	ctx      context.Context
	out, err io.Writer
	config   string
	srv      *server // the running server, if the command came to it
	dir      string  // where the caller stands, then
	quiet    bool    // the command writes no mail, and needs no mailbox
}

// command is a row of the table that help, usage and dispatch come from.
type command struct {
	name    string
	usage   string
	about   string
	run     func(e *env, c command, args []string) error
	store   bool     // works on the store: carried out by the server if one runs
	example []string // command lines that work, without the program's name
}

// errUsage is a misuse; the words are already out.
var errUsage = errors.New("misuse")

// exitCode lets a command choose its exit status.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit %d", int(e)) }

var commands []command

// quietCommands only look at the store.
var quietCommands = []string{"games", "show", "replay", "transcript", "luck", "series", "mail", "render", "film", "archive", "backup"}

func init() {
	commands = []command{
		{"demo", "[--out DIR] [--language LANG] [--beacon] [--stay] [--seed WORD]", "play two turns of Blitzkrieg '41 by mail on embedded mail servers and leave a folder to look at", demoCommand, false, []string{"demo", "demo --language de --out pbem-demo-de", "demo --beacon"}},
		{"serve", "[--adopt]", "poll the mailbox and play until told to stop", serveCommand, false, []string{"--config pbemd.toml serve"}},
		{"newgame", "RULES --axis 'Name <addr>' --soviet 'Name <addr>' | --seat SIDE='Name <addr>' … [--no-join] [--beacon] [--data DIR] [--option NAME …]", "begin a game; both players are invited by mail", newgameCommand, true, []string{"newgame blitz41 --axis 'Anna <anna@example.org>' --soviet 'Boris <boris@example.net>'", "newgame dice --seat white='Anna <anna@example.org>' --seat black='Boris <boris@example.net>'"}},
		{"seat", "GAME SIDE [--address ADDR] [--name NAME]", "change who plays a side; old keys are void and both are told", seatCommand, true, []string{"seat 12 axis --address anna@example.com", "seat 12 soviet --name 'Carla' --address carla@example.net"}},
		{"hold", "GAME", "stop a game for now", holdCommand, true, []string{"hold 12"}},
		{"release", "GAME", "let a held game go on", holdCommand, true, []string{"release 12"}},
		{"close", "GAME", "end a game for good, without a result", holdCommand, true, []string{"close 12"}},
		{"games", "", "list the games: state, whose turn, since when", gamesCommand, true, []string{"games"}},
		{"show", "GAME [SIDE]", "show a game as one side sees it, or as both do", showCommand, true, []string{"show 12", "show 12 axis"}},
		{"replay", "GAME", "run every order of a game again and compare", replayCommand, true, []string{"replay 12"}},
		{"transcript", "GAME", "print the dice records and orders of a game", transcriptCommand, true, []string{"transcript 12 > game12.txt"}},
		{"verify", "[--data DIR] FILE…", "check a transcript: the dice, every event and the final position, with the orders carried out again", verifyCommand, false, []string{"verify game12.txt"}},
		{"luck", "GAME", "tell how lucky each side's dice were, beside what chance alone gives", luckCommand, true, []string{"luck 12"}},
		{"series", "", "list what each pair of players has scored against each other, the sides switched from game to game", seriesCommand, true, []string{"series"}},
		{"rollback", "GAME --before-step N --reason TEXT", "mend a fault of the rules: play again from before a step, with the same orders and dice", rollbackCommand, true, []string{"rollback 12 --before-step 31 --reason 'advance after a held assault was allowed'"}},
		{"check", "", "read the configuration and try mailbox and mail server", checkCommand, false, []string{"check"}},
		{"mail", "list|show|retry|requeue|drop [ID] [--out] [--state STATE]", "look at mails that came in, or with --out at those to go out", mailCommand, true, []string{"mail list", "mail list --out --state parked", "mail show 17eb2c93", "mail requeue g12.axis.r4"}},
		{"orders", "[--world world.toml] FILE…", "judge saved mails without a game: one JSON object a file", ordersCommand, false, []string{"orders --world world.toml mail-1.eml mail-2.eml"}},
		{"rules", "GAME-KIND [PARAGRAPH]", "print the index of a rulebook: what the engine does about each paragraph", rulesCommand, false, []string{"rules blitz41", "rules blitz41 14.7"}},
		{"data", "check DIR", "check a club's own map, counters and charts against what the rulebook states", dataCommand, false, []string{"data check our-set"}},
		{"render", "GAME [SIDE] [--map WHAT] [--out FILE] [--big]", "draw the map of a game, or of a part of it", renderCommand, true, []string{"render 12", "render 12 axis --out axis.svg", "render 12 soviet --map 'AREA J7-N6' --out moscow.png", "render 12 axis --map SUPPLY"}},
		{"film", "GAME [SIDE] [--out FILE] [--big]", "draw a game as an animated picture, a frame a phase", filmCommand, true, []string{"film 12", "film 12 axis --big --out war.gif"}},
		{"card", "GAME-KIND [--out FILE] [--language LANG]", "draw the order card of a game, one page", cardCommand, false, []string{"card blitz41", "card blitz41 --language de --out befehlskarte.png"}},
		{"archive", "GAME DIR [--delay TURNS] [--language LANG]", "write a game for spectators: pages and maps of what lies open to everybody, some turns late", archiveCommand, true, []string{"archive 12 public", "archive 12 public --delay 2 --language de"}},
		{"backup", "[DIR]", "copy the store, keys included, while serving", backupCommand, true, []string{"backup", "backup /mnt/usb/pbemd"}},
		{"config", "", "print every configuration key with its default", configCommand, false, []string{"config > pbemd.toml"}},
		{"help", "[COMMAND]", "this list, or one command", helpCommand, false, []string{"help render"}},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run carries out a command line and returns the exit status: 0, 1 for a
// failure, 2 for misuse.
func run(ctx context.Context, args []string, out, err io.Writer) int {
	e := &env{ctx: ctx, out: out, err: err, config: "pbemd.toml"}
	if v := os.Getenv("PBEMD_CONFIG"); v != "" {
		e.config = v
	}
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		name, value, ok := strings.Cut(strings.TrimLeft(args[0], "-"), "=")
		switch {
		case name == "config" && ok:
			e.config = value
		case name == "config" && len(args) > 1:
			e.config = args[1]
			args = args[1:]
		case name == "h" || name == "help":
			args = []string{"x", "help"}
		default:
			fmt.Fprintf(err, "pbemd: there is no flag %s before the command; --config FILE is the only one\n", args[0])
			return 2
		}
		args = args[1:]
	}
	if len(args) == 0 {
		usage(err)
		return 2
	}
	for _, c := range commands {
		if c.name == args[0] && c.store {
			if cfg, err2 := readConfig(e.config); err2 == nil {
				if code, ok := forward(ctx, cfg.Server.Dir, args, out, err); ok {
					return code
				}
			}
		}
	}
	return dispatch(e, args)
}

// dispatch carries out a command here.
func dispatch(e *env, args []string) int {
	for _, c := range commands {
		if c.name != args[0] {
			continue
		}
		e.quiet = slices.Contains(quietCommands, c.name)
		var code exitCode
		switch err := c.run(e, c, args[1:]); {
		case err == nil:
			return 0
		case errors.Is(err, errUsage), errors.Is(err, flag.ErrHelp):
			return 2
		case errors.As(err, &code):
			return int(code)
		case errors.Is(err, context.Canceled):
			return 0
		default:
			fmt.Fprintf(e.err, "pbemd %s: %v\n", c.name, err)
			return 1
		}
	}
	fmt.Fprintf(e.err, "pbemd: there is no command %q; `pbemd help` lists them\n", args[0])
	return 2
}

func usage(w io.Writer) {
	fmt.Fprintln(w, "pbemd plays board wargames by e-mail.")
	fmt.Fprintln(w, "\nusage: pbemd [--config FILE] COMMAND …")
	fmt.Fprintln(w)
	for _, c := range commands {
		fmt.Fprintf(w, "  %-11s %s\n", c.name, c.about)
	}
	fmt.Fprintln(w, "\n`pbemd help COMMAND` shows its arguments and an example. The first steps: pbemd demo.")
}

func helpCommand(e *env, c command, args []string) error {
	switch len(args) {
	case 0:
		usage(e.out)
		return nil
	case 1:
	default:
		return c.misuse(e, "one command at a time")
	}
	for _, c := range commands {
		if c.name == args[0] {
			fmt.Fprintf(e.out, "%s\n\n%s.\n", c.line(), strings.ToUpper(c.about[:1])+c.about[1:])
			c.tellFlags(e)
			fmt.Fprintf(e.out, "\nfor example:\n")
			for _, x := range c.example {
				fmt.Fprintf(e.out, "  pbemd %s\n", x)
			}
			return nil
		}
	}
	fmt.Fprintf(e.err, "pbemd: there is no command %q; `pbemd help` lists them\n", args[0])
	return errUsage
}

// tellFlags prints the flags of a command with their sentences, if it has any.
func (c command) tellFlags(e *env) {
	if !strings.Contains(c.usage, "[--") && !strings.Contains(c.usage, " --") {
		return
	}
	var b strings.Builder
	_ = c.run(&env{ctx: e.ctx, out: io.Discard, err: &b, config: e.config}, c, []string{"--help"})
	if _, list, ok := strings.Cut(b.String(), "\n"); ok && strings.TrimSpace(list) != "" {
		fmt.Fprintf(e.out, "\n%s", list)
	}
}

// line is the line that says how a command is used.
func (c command) line() string { return strings.TrimRight("usage: pbemd "+c.name+" "+c.usage, " ") }

// flags makes a flag set for a command; its -h prints the usage line.
func (c command) flags(e *env) *flag.FlagSet {
	f := flag.NewFlagSet(c.name, flag.ContinueOnError)
	f.SetOutput(e.err)
	f.Usage = func() {
		fmt.Fprintln(e.err, c.line())
		f.PrintDefaults()
	}
	return f
}

// parse reads flags that may stand before, between and after the arguments.
func (c command) parse(f *flag.FlagSet, args []string) ([]string, error) {
	var rest []string
	for {
		if err := f.Parse(args); err != nil {
			return nil, errUsage
		}
		if f.NArg() == 0 {
			return rest, nil
		}
		rest = append(rest, f.Arg(0))
		args = f.Args()[1:]
	}
}

// misuse says how a command is used.
func (c command) misuse(e *env, why string) error {
	fmt.Fprintf(e.err, "pbemd %s: %s\n%s\n", c.name, why, c.line())
	return errUsage
}

func configCommand(e *env, c command, args []string) error {
	if len(args) > 0 {
		return c.misuse(e, "it takes no arguments; send what it prints to a file, as in `pbemd config > pbemd.toml`")
	}
	writeConfig(e.out)
	return nil
}
