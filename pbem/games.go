package pbem

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"pbemd/engine"
	"pbemd/engine/blitz41"
	"pbemd/engine/dice"
	"pbemd/engine/dicegame"
	"pbemd/orders"
	lang41 "pbemd/orders/blitz41"
	langdice "pbemd/orders/dicegame"
	"pbemd/templates"
)

// Games is every kind of game there is.
func Games() []Rules {
	var shelf shelf
	return []Rules{{
		ID: "blitz41", Name: "Blitzkrieg '41", Files: blitz41.DataFiles,
		Load: func(files fs.FS, options json.RawMessage) (Play, error) {
			d, err := shelf.load(files)
			if err != nil {
				return Play{}, err
			}
			var opt blitz41.Options
			if len(options) > 0 {
				if err := json.Unmarshal(options, &opt); err != nil {
					return Play{}, fmt.Errorf("options of the game: %w", err)
				}
			}
			l := lang41.New(d)
			help := func(words string, in *templates.Language) (string, bool) {
				h := l.Help(words)
				return h.Render(in.Say, in.Page), !h.Unknown
			}
			return Play{Game: blitz41.New(d, opt), Language: l, Help: help, Card: blitzCard, Decisions: blitzDecisions, Resign: blitz41.Resign{}, Draw: blitz41.AgreeDraw{}, Luck: blitzLuck, Score: blitzScore}, nil
		},
	}, {
		ID: "dice", Name: "the dice table", Files: func() fs.FS { return nil },
		Load: func(fs.FS, json.RawMessage) (Play, error) {
			help := func(words string, in *templates.Language) (string, bool) {
				page, _ := in.Page("dice-table")
				return page, words == "" || helpsOn(langdice.Language{}.Grammar(), strings.ToUpper(words))
			}
			return Play{Game: dicegame.Game{}, Language: langdice.Language{}, Help: help, Repeats: true,
				Resign: dicegame.Leave{}, Draw: dicegame.Agree{}, Luck: tableLuck}, nil
		},
	}}
}

// helpsOn reports whether words name a verb that a page about the orders of a
// game tells of.
func helpsOn(g orders.Grammar, words string) bool {
	if _, ok := g.Lookup(words); ok {
		return true
	}
	for _, name := range g.Names("") {
		if first, _, _ := strings.Cut(name, " "); first == words {
			return true
		}
	}
	return words == "ORDERS" || words == "OVERVIEW"
}

// shelf keeps the data sets of Blitzkrieg '41 that were loaded last: games of one
// set share it and its map, whatever their options are.
type shelf struct {
	mu   sync.Mutex
	sets []*blitz41.Data // the latest used last
}

// maxSets is how many are kept.
const maxSets = 4

func (s *shelf) load(files fs.FS) (*blitz41.Data, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, d := range s.sets {
		if d.LoadedFrom(files) {
			s.sets = append(append(s.sets[:i:i], s.sets[i+1:]...), d)
			return d, nil
		}
	}
	d, err := blitz41.Load(files)
	if err != nil {
		return nil, err
	}
	if len(s.sets) >= maxSets {
		s.sets = append([]*blitz41.Data(nil), s.sets[1:]...)
	}
	s.sets = append(s.sets, d)
	return d, nil
}

// blitzDecisions are the questions that Blitzkrieg '41 may put to a player.
var blitzDecisions = []string{"D01", "D02", "D03", "D04", "D05", "D06", "D07", "D08", "E01", "E02", "E03", "E04", "E05", "E09"}

// blitzCard is the order card of Blitzkrieg '41.
func blitzCard() []Group {
	var out []Group
	for _, g := range lang41.Card() {
		out = append(out, Group(g))
	}
	return out
}

// blitzLuck gives the die of an assault to the attacker, for whom low is good.
func blitzLuck(r engine.Rolled) (engine.Side, bool) {
	l, err := dice.ParseLabel(r.Label)
	if err != nil || l.Kind != blitz41.RollPA && l.Kind != blitz41.RollMA {
		return "", false
	}
	side, _, _ := strings.Cut(l.Phase, "-")
	return engine.Side(side), true
}

// blitzScore is what the Axis books for a game.
//
// Rule B41-15.0.dn2, B41-15.3.B, B41-15.4.B.
func blitzScore(f engine.Fact) (Score, bool) {
	e, ok := f.(blitz41.GameEnded)
	return Score{blitz41.Axis, e.Points}, ok
}

// tableLuck gives a roll to the side that asked for it.
func tableLuck(r engine.Rolled) (engine.Side, bool) {
	side, _ := r.For.Args["side"].(string)
	return engine.Side(side), false
}
