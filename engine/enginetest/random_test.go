package enginetest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pbemd/engine"
	"pbemd/engine/blitz41"
	lang "pbemd/orders/blitz41"
)

var (
	games = flag.Int("games", 0, "random games to play (0: a few)")
	seed  = flag.Uint64("seed", 1, "seed of the first random game")
	spend = flag.Duration("spend", 0, "play random games for so long instead")
	least = flag.Int("least", 0, "fail if fewer games than this were played")
)

// shippedOnce is the data set of the repository. It isn't changed by anybody.
var shippedOnce = sync.OnceValues(func() (*blitz41.Data, error) { return blitz41.Load(blitz41.DataFiles()) })

func shipped(t testing.TB) *blitz41.Data {
	t.Helper()
	d, err := shippedOnce()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// playOne plays the game of a seed; every tenth with pauses.
func playOne(d *blitz41.Data, seed uint64) (*Played, error) {
	opt := B41Options(seed)
	return Play(blitz41.New(d, opt), seed, NewB41(d, seed), NewB41Laws(d, opt), seed%10 == 0)
}

// ending returns the last GameEnded of a game: what a battle still had to do
// after a sudden death follows it.
func ending(g *Played) (blitz41.GameEnded, bool) {
	for i := len(g.Events) - 1; i >= 0; i-- {
		if e, ok := g.Events[i].Fact.(blitz41.GameEnded); ok {
			return e, true
		}
	}
	return blitz41.GameEnded{}, false
}

// TestRandomGames: whole games of random legal orders end, and no law is broken
// on the way. A game that breaks one is written to the folder KEEP_GAMES names,
// and from there it goes to testdata/games/random.
func TestRandomGames(t *testing.T) {
	d := shipped(t)
	n := *games
	if n == 0 {
		n = 6
		if testing.Short() {
			n = 2
		}
	}
	start := time.Now()
	orders, events, asked, turns, played := 0, 0, 0, 0, 0
	ends := map[string]int{}
	for s := *seed; ; s++ {
		if *spend > 0 {
			if time.Since(start) > *spend {
				break
			}
		} else if s >= *seed+uint64(n) {
			break
		}
		g, err := playOne(d, s)
		if err != nil {
			t.Errorf("seed %d, turn %d, after %d orders: %v\n%s", s, turnOf(g), len(g.Orders), err, g.Tail(8))
			keep(t, g, err)
			continue
		}
		played++
		orders += len(g.Orders)
		events += len(g.Events)
		asked += g.Asked
		turns += g.Position.State().Turn
		end, ok := ending(g)
		if !ok {
			t.Errorf("seed %d, turn %d: the game is over without a GameEnded", s, turnOf(g))
			continue
		}
		ends[end.Why]++
		if testing.Verbose() && *games > 0 && *games <= 60 {
			t.Logf("seed %d: turn %d, %s, %d VP, %d orders", s, g.Position.State().Turn, end.Why, end.VP, len(g.Orders))
		}
	}
	if played < *least {
		t.Errorf("%d games played, at least %d were wanted", played, *least)
	}
	if played > 0 {
		t.Logf("%d games from seed %d: %d orders, %d events, %d questions, %.1f turns a game, ends %v, %v a game", played, *seed, orders, events, asked,
			float64(turns)/float64(played), ends, (time.Since(start) / time.Duration(played)).Round(time.Millisecond))
	}
}

// TestKeptGames plays the games again that have broken a law once.
func TestKeptGames(t *testing.T) {
	d := shipped(t)
	files, err := filepath.Glob("../../testdata/games/random/b41-*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s, err := ReadScript(d, string(text))
			if err != nil {
				t.Fatal(err)
			}
			opt := B41Options(s.Seed)
			if g, err := Play(blitz41.New(d, opt), s.Seed, s, NewB41Laws(d, opt), false); err != nil {
				t.Errorf("turn %d: %v\n%s", turnOf(g), err, g.Tail(8))
			}
		})
	}
}

// TestAKeptGameIsTheSameGame: what is kept gives the same events again.
func TestAKeptGameIsTheSameGame(t *testing.T) {
	d := shipped(t)
	want, err := playOne(d, 3)
	if err != nil {
		t.Fatal(err)
	}
	s, err := ReadScript(d, want.Keep(nil))
	if err != nil {
		t.Fatal(err)
	}
	opt := B41Options(3)
	got, err := Play(blitz41.New(d, opt), 3, s, NewB41Laws(d, opt), false)
	if err != nil {
		t.Fatal(err)
	}
	if at, ok := engine.SameEvents(want.Events, got.Events); !ok {
		t.Errorf("event %d of %d differs", at, len(want.Events))
	}
}

// TestEveryOrderIsReadAsWritten: whatever random players order, standing orders
// too, is written as a line that is read as the same order.
func TestEveryOrderIsReadAsWritten(t *testing.T) {
	d := shipped(t)
	l := lang.New(d)
	read := map[string]bool{}
	for seed := uint64(1); seed <= 12; seed++ {
		g, err := playOne(d, seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range g.Log {
			kind, rest, _ := strings.Cut(line, " ")
			side, text, _ := strings.Cut(rest, " ")
			if kind == "phase" || read[line] {
				continue
			}
			read[line] = true
			o, found := l.Parse(text, engine.Side(side))
			if len(found) > 0 {
				t.Errorf("%s: %v", text, found[0])
			} else if got := lang.FormatOrder(o); got != text {
				t.Errorf("%s is read as %s", text, got)
			}
		}
	}
	if len(read) < 2000 {
		t.Errorf("only %d different lines", len(read))
	}
}

func turnOf(g *Played) int {
	if g.Position == nil {
		return 0
	}
	return g.Position.State().Turn
}

// keep writes a broken game to the folder of the environment variable
// KEEP_GAMES, if there is one.
func keep(t *testing.T, g *Played, why error) {
	dir := os.Getenv("KEEP_GAMES")
	if dir == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("b41-%d.txt", g.Seed)), []byte(g.Keep(why)), 0o644); err != nil {
		t.Error(err)
	}
}

// TestOrdersAreLegal: what Orders proposes passes a dry run in the position it
// was made for, in every phase of a game.
func TestOrdersAreLegal(t *testing.T) {
	d := shipped(t)
	g := blitz41.New(d, blitz41.Options{})
	played, err := playOne(d, 2)
	if err != nil {
		t.Fatal(err)
	}
	p := g.Empty()
	phases := 0
	for _, e := range played.Events {
		p.Apply(e)
		if f, ok := e.Fact.(blitz41.PhaseBegan); !ok || f.Phase == blitz41.VictoryPhase || f.Phase == blitz41.SupplyPhase && f.Side == blitz41.Soviet {
			continue
		}
		if phases++; phases > 12 {
			break
		}
		list := NewB41(d, uint64(e.Seq)).Orders(g, p.Clone(), 5)
		if len(list) != 5 {
			t.Errorf("%v: only %d orders", p.State(), len(list))
		}
		for _, o := range list {
			if _, _, err := engine.Do(g, p, e.Seq, o, engine.Env{}, nil); err != nil && !engine.Dicey(err) {
				t.Errorf("%v: %s: %v", p.State(), o.Text, err)
			}
		}
	}
}
