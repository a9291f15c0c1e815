package pbem

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"pbemd/engine"
)

// Score is what a finished game counts in a series: points for one side's
// player.
type Score struct {
	Side   engine.Side `json:"side"`
	Points int         `json:"points"`
}

// Series is the record of two players: all games of one kind that they have
// played to an end, the sides switched from one to the next. The points of the
// side that scores are added up; the larger sum wins once each has played that
// side as often as the other.
//
// Rule B41-15.0.dn2.
type Series struct {
	Rules   string
	Players [2]SeriesPlayer // in the order of the first game's seats
	Games   []GameID
}

// SeriesPlayer is one of the two.
type SeriesPlayer struct {
	Name, Address string
	Scored        []int // points of each game in which he had the side that scores
}

// Sum is the points of all games.
func (p SeriesPlayer) Sum() int {
	n := 0
	for _, v := range p.Scored {
		n += v
	}
	return n
}

// Due is the player whose turn it is to have the side that scores; nil when both
// have had it equally often.
func (s *Series) Due() *SeriesPlayer {
	a, b := &s.Players[0], &s.Players[1]
	switch c := cmp.Compare(len(a.Scored), len(b.Scored)); {
	case c < 0:
		return a
	case c > 0:
		return b
	}
	return nil
}

// Leader is the player with more points; nil if they have the same.
func (s *Series) Leader() *SeriesPlayer {
	a, b := &s.Players[0], &s.Players[1]
	switch c := cmp.Compare(a.Sum(), b.Sum()); {
	case c > 0:
		return a
	case c < 0:
		return b
	}
	return nil
}

// text is the series as players read it at the end of a game.
func (s *Series) text() engine.Text {
	a, b := s.Players[0], s.Players[1]
	args := []any{"n", len(s.Games), "a", a.Name, "pa", a.Sum(), "b", b.Name, "pb", b.Sum()}
	switch {
	case s.Due() != nil:
		return engine.T("series.due", append(args, "next", s.Due().Name)...)
	case s.Leader() != nil:
		return engine.T("series.leads", append(args, "leader", s.Leader().Name)...)
	}
	return engine.T("series.even", args...)
}

// pair is whose game it was: the addresses of two players, the lesser first; ""
// if the game counts in no series.
func (g *Game) pair() string {
	if g.Score == nil || len(g.Seats) != 2 {
		return ""
	}
	a, b := strings.ToLower(g.Seats[0].Address), strings.ToLower(g.Seats[1].Address)
	if a == b { // somebody alone
		return ""
	}
	return g.Rules + "\x00" + min(a, b) + "\x00" + max(a, b)
}

// add counts a game of the pair; names are those of the latest game.
func (s *Series) add(g *Game) {
	if len(s.Games) == 0 {
		s.Rules = g.Rules
		for i, seat := range g.Seats {
			s.Players[i].Address = seat.Address
		}
	}
	s.Games = append(s.Games, g.ID)
	for i := range s.Players {
		p := &s.Players[i]
		for _, seat := range g.Seats {
			if strings.EqualFold(seat.Address, p.Address) {
				p.Name = seat.Name
				if seat.Side == g.Score.Side {
					p.Scored = append(p.Scored, g.Score.Points)
				}
			}
		}
	}
}

// series is the record of the players of a finished game, that game included;
// nil if it counts in none.
func (w *work) series(t *table) (*Series, error) {
	pair := t.pair()
	if pair == "" {
		return nil, nil
	}
	refs, err := w.o.cfg.Archive.Seats(t.Seats[0].Address)
	if err != nil {
		return nil, fmt.Errorf("games of the players of game %v: %w", t.ID, err)
	}
	var s Series
	slices.SortFunc(refs, func(a, b SeatRef) int { return cmp.Compare(a.Game, b.Game) })
	for _, r := range slices.CompactFunc(refs, func(a, b SeatRef) bool { return a.Game == b.Game }) {
		g := t.Game
		if r.Game != t.ID {
			if g, err = w.o.cfg.Archive.Game(r.Game); err != nil {
				return nil, fmt.Errorf("game %v: %w", r.Game, err)
			}
		}
		if g.pair() == pair {
			s.add(&g)
		}
	}
	return &s, nil
}

// AllSeries lists the records of all pairs of players who have finished a game
// that counts, in the order of their first games.
func (o *Office) AllSeries(context.Context) ([]Series, error) {
	var out []Series
	at := map[string]int{}
	for after := GameID(0); ; {
		list, err := o.cfg.Archive.Games(after, 100)
		if err != nil || len(list) == 0 {
			return out, err
		}
		for i := range list {
			g := &list[i]
			after = g.ID
			pair := g.pair()
			if pair == "" {
				continue
			}
			if _, ok := at[pair]; !ok {
				at[pair] = len(out)
				out = append(out, Series{})
			}
			out[at[pair]].add(g)
		}
	}
}
