package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"pbemd/engine"
	"pbemd/engine/blitz41"
	"pbemd/pbem"
	"pbemd/pbem/judge"
)

func ordersCommand(e *env, c command, args []string) error {
	if len(args) == 0 {
		return c.misuse(e, "name at least one saved mail, an .eml file")
	}
	if code := judge.Run(args, e.out, e.err); code != 0 {
		return exitCode(code)
	}
	return nil
}

// texts collects a flag that may be given several times.
type texts []string

func (t *texts) String() string     { return strings.Join(*t, " ") }
func (t *texts) Set(s string) error { *t = append(*t, s); return nil }

func newgameCommand(e *env, c command, args []string) error {
	f := c.flags(e)
	who := map[engine.Side]*string{"axis": f.String("axis", "", "Axis player, 'Name <address>'"), "soviet": f.String("soviet", "", "Soviet player, 'Name <address>'")}
	var named texts
	f.Var(&named, "seat", "player of a side of any game, white='Name <address>'; once for each side")
	noJoin := f.Bool("no-join", false, "begin at once, without invitations")
	dataDir := f.String("data", "", "folder with a club's own map.toml, counters.toml, charts.toml, setup.toml")
	hours := f.Int("answer-hours", 0, "hours to answer a question (default: play.answer_hours)")
	days := f.Int("days", -1, "days until the side to act is reminded (default: play.days)")
	beacon := f.Bool("beacon", false, "dice of the grade beacon")
	var options texts
	f.Var(&options, "option", "open, heights, leningrad, or the id of a ruling to play by its other reading; may be repeated")
	rest, err := c.parse(f, args)
	if err != nil {
		return err
	}
	if len(rest) != 1 {
		return c.misuse(e, "name the kind of game: blitz41 or dice")
	}
	sides, err := sidesOf(rest[0])
	if err != nil {
		return err
	}
	for _, n := range named {
		side, player, ok := strings.Cut(n, "=")
		if !ok {
			return c.misuse(e, fmt.Sprintf("--seat %q isn't SIDE='Name <address>'", n))
		}
		if p := who[engine.Side(side)]; p != nil && *p != "" {
			return c.misuse(e, fmt.Sprintf("the side %s is given twice", side))
		}
		who[engine.Side(side)] = &player
	}
	for side, player := range who {
		if *player != "" && !slices.Contains(sides, side) {
			return c.misuse(e, fmt.Sprintf("%s has no side %q; its sides are %v", rest[0], side, sides))
		}
	}
	s, done, err := e.open()
	if err != nil {
		return err
	}
	defer done()
	if *hours == 0 {
		*hours = s.cfg.Play.AnswerHours
	}
	if *days < 0 {
		*days = s.cfg.Play.Days
	}
	holders := map[string]engine.Side{}
	found := pbem.Founding{Rules: rest[0], Terms: pbem.Terms{AnswerHours: *hours, Days: *days, NoJoin: *noJoin, Beacon: *beacon}}
	for _, side := range sides {
		player := ""
		if p := who[side]; p != nil {
			player = *p
		}
		a, err := mail.ParseAddress(player)
		if err != nil {
			flag := "--" + string(side)
			if side != "axis" && side != "soviet" {
				flag = "--seat " + string(side) + "="
			}
			if strings.TrimSpace(player) == "" {
				return c.misuse(e, fmt.Sprintf("the %s side has no player; say %s 'Name <address>'", side, flag))
			}
			return c.misuse(e, fmt.Sprintf("%q is no address; %s wants a name and an address, as 'Anna <anna@example.org>'", player, flag))
		}
		if other, both := holders[strings.ToLower(a.Address)]; both { // one who plays against himself
			fmt.Fprintf(e.err, "%s has both the %s and the %s side; his orders are told apart by the key in the reply address alone\n", a.Address, other, side)
		}
		holders[strings.ToLower(a.Address)] = side
		found.Seats = append(found.Seats, pbem.Seat{
			Side: side, Name: or(a.Name, a.Address), Address: a.Address, Lang: s.cfg.Play.Language, Zone: s.cfg.Play.Zone,
		})
	}
	if rest[0] == "blitz41" {
		opt, err := blitzOptions(options)
		if err != nil {
			return c.misuse(e, err.Error())
		}
		if found.Options, err = json.Marshal(opt); err != nil {
			return err
		}
	} else if len(options) > 0 {
		return c.misuse(e, "options are for blitz41")
	}
	if *dataDir != "" && rest[0] != "blitz41" {
		return c.misuse(e, "--data is for blitz41")
	}
	if *dataDir != "" {
		dir := os.DirFS(e.path(*dataDir))
		conflicts, _, err := blitz41.Check(dir)
		if err != nil {
			return err
		}
		if len(conflicts) > 0 {
			return fmt.Errorf("the data of %s contradict the rulebook in %d places; `pbemd data check %s` lists them", *dataDir, len(conflicts), *dataDir)
		}
		found.Data = map[string][]byte{}
		for _, n := range []string{"map.toml", "counters.toml", "charts.toml", "setup.toml", "coast.json"} {
			b, err := fs.ReadFile(dir, n)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			found.Data[n] = b
		}
	}
	id, err := s.office.NewGame(e.ctx, found)
	if err != nil {
		return err
	}
	if *noJoin {
		fmt.Fprintf(e.out, "game %v has begun\n", id)
	} else {
		fmt.Fprintf(e.out, "game %v waits for both players to reply JOIN to their invitations\n", id)
	}
	return nil
}

func blitzOptions(words []string) (blitz41.Options, error) {
	var o blitz41.Options
	for _, w := range words {
		switch strings.ToLower(w) {
		case "open":
			o.Open = true
		case "heights":
			o.Heights = true
		case "leningrad":
			o.Leningrad = true
		default:
			id := engine.RuleID(strings.ToUpper(w))
			if !strings.HasPrefix(string(id), "B41-") {
				id = "B41-" + id
			}
			var known []string
			for _, v := range blitz41.Readings {
				known = append(known, string(v.ID))
			}
			if !slices.Contains(known, string(id)) {
				return o, fmt.Errorf("there is no option %q; there are open, heights, leningrad and the other readings of %s", w, strings.Join(known, " "))
			}
			o.Other = append(o.Other, id)
		}
	}
	return o, nil
}

// gameError says which game it is about.
func gameError(id pbem.GameID, err error) error {
	if errors.Is(err, pbem.ErrNotFound) {
		return fmt.Errorf("there is no game %v; `pbemd games` lists them", id)
	}
	return err
}

func gameArg(s string) (pbem.GameID, error) {
	id, ok := pbem.ParseGameID(s)
	if !ok {
		return 0, fmt.Errorf("%q is no game number; `pbemd games` lists them", s)
	}
	return id, nil
}

func seatCommand(e *env, c command, args []string) error {
	f := c.flags(e)
	address := f.String("address", "", "new address")
	name := f.String("name", "", "new name")
	rest, err := c.parse(f, args)
	if err != nil {
		return err
	}
	if len(rest) != 2 || *address == "" && *name == "" {
		return c.misuse(e, "name the game, the side, and what changes")
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
	if err := s.office.Reseat(e.ctx, id, engine.Side(rest[1]), *name, *address); err != nil {
		return gameError(id, err)
	}
	fmt.Fprintf(e.out, "game %v: the %s seat has changed; both players are told, and old keys are void\n", id, rest[1])
	return nil
}

func holdCommand(e *env, c command, args []string) error {
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
	switch c.name {
	case "hold":
		err = s.office.Hold(e.ctx, id)
	case "release":
		err = s.office.Release(e.ctx, id)
	default:
		err = s.office.CloseGame(e.ctx, id)
	}
	if err != nil {
		return gameError(id, err)
	}
	fmt.Fprintf(e.out, "game %v: %s\n", id, map[string]string{"hold": "held", "release": "released", "close": "closed"}[c.name])
	return nil
}

func gamesCommand(e *env, c command, args []string) error {
	if len(args) > 0 {
		return c.misuse(e, "it takes no arguments")
	}
	s, done, err := e.open()
	if err != nil {
		return err
	}
	defer done()
	w := tabwriter.NewWriter(e.out, 2, 8, 2, ' ', 0)
	fmt.Fprintln(w, "game\trules\tstage\tturn\twaits for\tsince\tplayers")
	for after := pbem.GameID(0); ; {
		list, err := s.store.Games(after, 100)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			break
		}
		for _, g := range list {
			after = g.ID
			waits := fmt.Sprintf("%s, %s", g.State.Side, g.State.Phase)
			if g.State.Side == "" {
				waits = "nobody; all may order"
			}
			switch {
			case g.Stage == pbem.Inviting:
				waits = "players to join"
			case g.Stage != pbem.Playing:
				waits = "–"
			case g.Pending != nil && g.Pending.Question != nil:
				waits = fmt.Sprintf("%s, answer to Q%d until %s", g.Pending.Question.Side, g.Pending.No, g.Pending.Deadline.UTC().Format("2 Jan 15:04"))
			case g.Pending != nil:
				waits = fmt.Sprintf("round %d of the beacon", g.Pending.Round)
			}
			stage := string(g.Stage)
			if g.Held {
				stage += ", held"
			}
			var players []string
			for _, seat := range g.Seats {
				p := fmt.Sprintf("%s %s", seat.Side, seat.Name)
				if !seat.Joined && g.Stage == pbem.Inviting {
					p += " (not joined)"
				}
				if seat.Failing {
					p += " (address failing)"
				}
				players = append(players, p)
			}
			fmt.Fprintf(w, "%v\t%s\t%s\t%d\t%s\t%s\t%s\n", g.ID, g.Rules, stage, g.State.Turn, waits, g.Since.UTC().Format("2006-01-02 15:04"), strings.Join(players, ", "))
		}
	}
	return w.Flush()
}

func mailCommand(e *env, c command, args []string) error {
	f := c.flags(e)
	out := f.Bool("out", false, "mails to go out, not those that came in")
	state := f.String("state", "", "with --out: pending, sent, parked, held or dropped only")
	number := f.Int("n", 50, "how many at most")
	rest, err := c.parse(f, args)
	if err != nil {
		return err
	}
	if len(rest) == 0 {
		return c.misuse(e, "say list, show, retry, requeue or drop")
	}
	if *state != "" && (!*out || rest[0] != "list") {
		return c.misuse(e, "--state chooses among the mails to go out: mail list --out --state "+*state)
	}
	s, done, err := e.open()
	if err != nil {
		return err
	}
	defer done()
	switch {
	case rest[0] == "list" && len(rest) == 1 && *out:
		return listOut(e, s, *state, *number)
	case rest[0] == "list" && len(rest) == 1:
		list, err := s.store.Mails(0, *number)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(e.out, 2, 8, 2, ' ', 0)
		fmt.Fprintln(w, "id\treceived\toutcome\twhy\tgames\tsize\tsubject")
		for _, m := range list {
			var games []string
			for _, g := range m.Games {
				games = append(games, g.String())
			}
			fmt.Fprintf(w, "%.16s\t%s\t%s\t%s\t%s\t%d\t%s\n", m.Key, m.Received.UTC().Format("2006-01-02 15:04:05"), m.Outcome, m.Why, strings.Join(games, " "), m.Size, m.Subject)
		}
		return w.Flush()
	case len(rest) != 2:
		return c.misuse(e, "say list, or show, retry, requeue or drop and an id that list shows")
	case rest[0] == "show" && *out:
		o, err := s.store.Outgoing(rest[1])
		if err != nil {
			return err
		}
		fmt.Fprintf(e.err, "to %s, %s, %d tries, queued %s\n", o.To, o.State, o.Tries, o.Queued.UTC().Format(time.RFC3339))
		_, err = e.out.Write(o.Message)
		return err
	case rest[0] == "show":
		m, err := findMail(s, rest[1])
		if err != nil {
			return err
		}
		fmt.Fprintf(e.err, "%s, received %s, answers %s\n", strings.TrimSpace(string(m.Outcome)+" "+m.Why), m.Received.UTC().Format(time.RFC3339), strings.Join(m.Answers, " "))
		_, err = e.out.Write(m.Raw)
		return err
	case rest[0] == "retry":
		err = s.office.Retry(e.ctx, rest[1])
	case rest[0] == "requeue":
		err = s.office.Requeue(e.ctx, rest[1])
	case rest[0] == "drop":
		err = s.office.Drop(e.ctx, rest[1])
	default:
		return c.misuse(e, fmt.Sprintf("%q is nothing to do with a mail; say show, retry, requeue or drop", rest[0]))
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(e.out, "%s: done\n", rest[1])
	return nil
}

func listOut(e *env, s *server, state string, n int) error {
	states := []pbem.OutState{pbem.OutPending, pbem.OutParked, pbem.OutHeld, pbem.OutSent, pbem.OutDropped}
	if state != "" {
		if !slices.Contains(states, pbem.OutState(state)) {
			return fmt.Errorf("there is no state %q; there are pending, parked, held, sent and dropped", state)
		}
		states = []pbem.OutState{pbem.OutState(state)}
	}
	w := tabwriter.NewWriter(e.out, 2, 8, 2, ' ', 0)
	fmt.Fprintln(w, "id\tstate\tgame\tkind\tto\ttries\tqueued\tsize\tsubject")
	var all []pbem.Outgoing
	for _, st := range states {
		list, err := s.store.Outbox(st, "", n)
		if err != nil {
			return err
		}
		all = append(all, list...)
	}
	slices.SortStableFunc(all, func(a, b pbem.Outgoing) int { return a.Queued.Compare(b.Queued) })
	for _, o := range all[:min(n, len(all))] {
		fmt.Fprintf(w, "%s\t%s\t%v\t%s\t%s\t%d\t%s\t%d\t%s\n", o.ID, o.State, o.Game, o.Kind, o.To, o.Tries, o.Queued.UTC().Format("2006-01-02 15:04"), o.Size, o.Subject)
	}
	return w.Flush()
}

// findMail finds an incoming mail by its key or the beginning of it.
func findMail(s *server, key string) (pbem.Mail, error) {
	if m, err := s.store.Mail(key); err == nil {
		return m, nil
	}
	list, err := s.store.Mails(0, 10000)
	if err != nil {
		return pbem.Mail{}, err
	}
	var hits []string
	for _, m := range list {
		if strings.HasPrefix(m.Key, key) && !slices.Contains(hits, m.Key) {
			hits = append(hits, m.Key)
		}
	}
	switch len(hits) {
	case 0:
	case 1:
		return s.store.Mail(hits[0])
	default:
		return pbem.Mail{}, fmt.Errorf("%q begins the ids of %d mails; write more of it", key, len(hits))
	}
	return pbem.Mail{}, fmt.Errorf("there is no mail %s", key)
}

func backupCommand(e *env, c command, args []string) error {
	if len(args) > 1 {
		return c.misuse(e, "name one folder at most")
	}
	s, done, err := e.open()
	if err != nil {
		return err
	}
	defer done()
	dir := filepath.Join(s.cfg.Server.Dir, "backups", time.Now().UTC().Format("2006-01-02T150405Z"))
	if len(args) == 1 {
		dir = e.path(args[0])
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	name, err := s.store.Backup(dir)
	if err != nil {
		return err
	}
	for _, k := range []string{"token.key", "sign.key"} {
		b, err := os.ReadFile(filepath.Join(s.cfg.Server.Dir, k))
		if err != nil {
			return fmt.Errorf("backup of the keys: %w", err)
		}
		if err := os.WriteFile(filepath.Join(filepath.Dir(name), k), b, 0o600); err != nil {
			return fmt.Errorf("backup of the keys: %w", err)
		}
	}
	fmt.Fprintln(e.out, name)
	return nil
}
