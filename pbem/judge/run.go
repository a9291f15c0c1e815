package judge

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/ProtonMail/go-crypto/openpgp"

	"pbemd/engine"
	"pbemd/orders"
	"pbemd/pbem/auth"
	"pbemd/templates"
)

// Usage is the command line of Run.
const Usage = "pbemd orders [--world world.toml] FILE…"

// worldFile is the TOML file that tells a judge who plays.
type worldFile struct {
	Mailbox  string    `toml:"mailbox"`
	Authserv string    `toml:"trusted_authserv"`
	DNS      string    `toml:"dns_txt"`
	Now      time.Time `toml:"now"`
	Deadline time.Time `toml:"deadline"`
	Players  []struct {
		ID        string   `toml:"id"`
		Addresses []string `toml:"addresses"`
		Token     string   `toml:"token"`
		Previous  string   `toml:"previous_token"`
		Games     []string `toml:"games"`
		Key       string   `toml:"pgp_key"`
		Strict    bool     `toml:"strict"`
	} `toml:"player"`
}

// people is a Registry from a file. A token there is good for all games of its
// player.
type people struct {
	list []*person
}

type person struct {
	id              string
	addresses       map[string]bool
	token, previous string
	games           []string
	keys            openpgp.EntityList
	strict          bool
}

func (p *person) plays(game string) bool {
	for _, g := range p.games {
		if g == game {
			return true
		}
	}
	return false
}

func (p people) ByToken(game, token string) []auth.Claim {
	var out []auth.Claim
	for _, x := range p.list {
		now := auth.Equal(token, x.token)
		if !now && !auth.Equal(token, x.previous) || game != "" && !x.plays(game) {
			continue
		}
		for _, g := range x.games {
			out = append(out, auth.Claim{Seat: auth.Seat{Game: g, Side: x.id}, Current: now})
		}
	}
	return out
}

func (p people) ByAddress(addr string) []auth.Seat {
	var out []auth.Seat
	for _, x := range p.list {
		if x.addresses[addr] {
			for _, g := range x.games {
				out = append(out, auth.Seat{Game: g, Side: x.id})
			}
		}
	}
	return out
}

func (p people) get(id string) *person {
	for _, x := range p.list {
		if x.id == id {
			return x
		}
	}
	return &person{}
}

func (p people) Keys(s auth.Seat) openpgp.EntityList { return p.get(s.Side).keys }
func (p people) Strict(s auth.Seat) bool             { return p.get(s.Side).strict }

// LoadWorld reads a world file; the files it names lie beside it. late says
// that its clock stands behind its deadline.
func LoadWorld(path string) (w World, late bool, err error) {
	var f worldFile
	md, err := toml.DecodeFile(path, &f)
	if err != nil {
		return w, false, fmt.Errorf("read %s: %w", path, err)
	}
	if extra := md.Undecoded(); len(extra) > 0 {
		return w, false, fmt.Errorf("read %s: unknown key %s", path, extra[0])
	}
	if !strings.Contains(f.Mailbox, "@") {
		return w, false, fmt.Errorf("read %s: mailbox is no address", path)
	}
	dir := filepath.Dir(path)
	w.Mailbox, w.Authserv = f.Mailbox, f.Authserv
	txt := map[string]string{}
	if f.DNS != "" {
		b, err := os.ReadFile(filepath.Join(dir, f.DNS))
		if err != nil {
			return w, false, fmt.Errorf("read DNS records: %w", err)
		}
		if err := json.Unmarshal(b, &txt); err != nil {
			return w, false, fmt.Errorf("read %s: %w", f.DNS, err)
		}
	}
	w.Lookup = func(name string) ([]string, error) {
		if v, ok := txt[strings.TrimSuffix(name, ".")]; ok {
			return []string{v}, nil
		}
		return nil, errNoRecord
	}
	var p people
	for _, x := range f.Players {
		one := &person{id: x.ID, addresses: map[string]bool{}, token: x.Token, previous: x.Previous, games: x.Games, strict: x.Strict}
		for _, a := range x.Addresses {
			one.addresses[auth.Canonical(a)] = true
		}
		if x.Key != "" {
			b, err := os.ReadFile(filepath.Join(dir, x.Key))
			if err != nil {
				return w, false, fmt.Errorf("read key of %s: %w", x.ID, err)
			}
			if one.keys, err = auth.ReadKeys(b); err != nil {
				return w, false, fmt.Errorf("key of %s: %w", x.ID, err)
			}
		}
		p.list = append(p.list, one)
	}
	w.Seats = p
	w.Player = func(s auth.Seat) string { return s.Side }
	return w, !f.Deadline.IsZero() && f.Now.After(f.Deadline), nil
}

var errNoRecord = errors.New("no such record")

// result is the line of JSON for one file.
type result struct {
	File       string       `json:"file"`
	Outcome    Outcome      `json:"outcome"`
	Notice     *Notice      `json:"notice"`
	Player     string       `json:"player"`
	Game       string       `json:"game"`
	Kind       string       `json:"kind"`
	Orders     [][]string   `json:"orders"`
	Findings   []foundLine  `json:"findings"`
	Ignored    []leftUnread `json:"ignored"`
	Normalised []string     `json:"normalised"`
}

type foundLine struct {
	Line int    `json:"line"`
	Code string `json:"code"`
	Text string `json:"text"`
}

type leftUnread struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

// Run judges files in their order, one store for all, and prints one line of
// JSON for each. It gives 0 if every file could be judged, 1 if one could not,
// 2 for misuse.
func Run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("orders", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprintln(stderr, "usage: "+Usage) }
	worldPath := flags.String("world", "", "who plays: a TOML file; without one the sender is not judged")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if flags.NArg() == 0 {
		flags.Usage()
		return 2
	}
	lang, err := templates.Load("en")
	if err != nil {
		fmt.Fprintln(stderr, "pbemd orders:", err)
		return 1
	}
	world, late := World{Anybody: true}, false
	if *worldPath != "" {
		if world, late, err = LoadWorld(*worldPath); err != nil {
			fmt.Fprintln(stderr, "pbemd orders:", err)
			return 2
		}
	}
	seen := map[string]bool{}
	world.Seen = func(k string) bool { return seen[k] }
	code := 0
	out := json.NewEncoder(stdout)
	out.SetEscapeHTML(false)
	for _, name := range flags.Args() {
		raw, err := os.ReadFile(name)
		if err != nil {
			fmt.Fprintln(stderr, "pbemd orders:", err)
			code = 1
			continue
		}
		v, err := guarded(raw, world)
		if err != nil {
			fmt.Fprintf(stderr, "pbemd orders: %s: %v\n", name, err)
			code = 1
		}
		if v.Outcome == Accept && late {
			v.Outcome, v.Notice = Reject, Late
		}
		if v.Key != "" {
			seen[v.Key] = true
		}
		if err := out.Encode(describe(filepath.Base(name), v, world, lang)); err != nil {
			fmt.Fprintln(stderr, "pbemd orders:", err)
			return 1
		}
	}
	return code
}

// guarded keeps one poisonous file from ending the run: it is quarantined.
func guarded(raw []byte, w World) (v Verdict, err error) {
	defer func() {
		if r := recover(); r != nil {
			v, err = Verdict{Outcome: Quarantine, Kind: "poison"}, fmt.Errorf("judging it broke: %v", r)
		}
	}()
	return Judge(raw, w), nil
}

func describe(file string, v Verdict, w World, lang *templates.Language) result {
	say := func(key string, args map[string]any) string { return lang.Say(engine.Text{Key: key, Args: args}) }
	r := result{File: file, Outcome: v.Outcome, Kind: v.Kind, Orders: [][]string{}, Findings: []foundLine{}, Ignored: []leftUnread{}, Normalised: []string{}}
	if v.Notice != "" {
		r.Notice = &v.Notice
	}
	if len(v.Auth.Seats) > 0 {
		r.Player = w.player(v.Auth.Seats[0].Seat)
		r.Game = v.Auth.Seats[0].Game
	}
	if games := v.Reading.Games(); len(games) > 0 {
		r.Game = games[0]
	}
	if v.Outcome == Accept || v.Outcome == Duplicate {
		for _, s := range v.Sheets {
			r.Orders = append(r.Orders, s.Canonical())
		}
	}
	if v.Outcome != Ignore && v.Outcome != Quarantine {
		found := append([]orders.Finding(nil), v.Reading.Findings...)
		for _, s := range v.Unknown {
			found = append(found, orders.Finding{Line: s.Line, Code: string(UnknownGame), Key: "orders.unknown-game", Args: map[string]any{"game": s.Game}})
		}
		sort.SliceStable(found, func(i, j int) bool { return found[i].Line < found[j].Line })
		for _, f := range found {
			r.Findings = append(r.Findings, foundLine{f.Line, f.Code, say(f.Key, f.Args)})
		}
		if v.Notice != "" {
			r.Findings = append(r.Findings, foundLine{0, string(v.Notice), say("notice."+string(v.Notice), map[string]any{"game": r.Game, "what": v.Reading.What})})
		}
	}
	if v.Why != "" {
		r.Ignored = append(r.Ignored, leftUnread{"mail", say(v.Why, nil)})
	}
	if v.Mail != nil {
		for _, i := range v.Mail.Ignored {
			r.Ignored = append(r.Ignored, leftUnread{i.What, say(i.Why, nil)})
		}
		r.Normalised = append(r.Normalised, v.Mail.Normalised...)
	}
	return r
}
