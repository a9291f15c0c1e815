package report_test

import (
	"regexp"
	"testing"

	"pbemd/engine"
	"pbemd/engine/blitz41"
	"pbemd/engine/enginetest"
	"pbemd/pbem"
)

// counters names everything that may be a counter in a mail.
var counters = regexp.MustCompile(`[A-Za-z0-9]+`)

// TestNoLetterNamesHiddenUnits plays random games and writes both sides' mails on
// the way: a mail names no enemy unit but those that lay on top, were open to
// see, or fought, since the mail before. Every mail is sound as well.
func TestNoLetterNamesHiddenUnits(t *testing.T) {
	d, err := blitz41.Load(blitz41.DataFiles())
	if err != nil {
		t.Fatal(err)
	}
	seeds := []uint64{3, 11, 22}
	if testing.Short() || raced {
		seeds = seeds[:1]
	}
	w := writer(t)
	largest, letters, named := 0, 0, 0
	for _, seed := range seeds {
		opt := blitz41.Options{Heights: seed%2 == 0}
		rules := blitz41.New(d, opt)
		game, err := enginetest.Play(rules, seed, enginetest.NewB41(d, seed), enginetest.NewB41Laws(d, opt), false)
		if err != nil {
			t.Fatal(err)
		}
		pos := rules.Empty()
		told := rules.Empty()
		var since []engine.Event
		seen := map[engine.Side]map[string]bool{}
		look := func() {
			for _, s := range rules.Seats() {
				if seen[s] == nil {
					seen[s] = map[string]bool{}
				}
				for _, st := range rules.View(pos, s).Scene.Stacks {
					for _, c := range st.Counters {
						seen[s][c.ID] = true
					}
				}
			}
		}
		write := func() {
			for _, s := range rules.Seats() {
				v := rules.View(pos, s)
				l := pbem.Letter{
					Kind: pbem.Report, Word: pbem.WordWaiting, Game: 9, Rules: "blitz41", Side: s, Name: "Somebody", Reply: "x@y.example", No: 3,
					State: v.State, View: &v, Items: rules.Tell(told, since, s), Head: "ONE TWO SIX TEN RED SEA", Grade: "chain",
					Yours: v.State.Side == s, Records: []string{"-----BEGIN PBEM RECORD-----\nx\n-----END PBEM RECORD-----\n"},
				}
				if v.State.Over {
					l.Word = pbem.WordGameOver
				}
				for _, i := range l.Items {
					if i.Card != nil {
						for _, u := range append(append([]engine.Fought{}, i.Card.Attacker.Units...), i.Card.Defender.Units...) {
							seen[s][string(u.Unit)] = true
						}
					}
				}
				parts, err := w.Report(l)
				if err != nil {
					t.Fatal(err)
				}
				letters++
				largest = max(largest, len(parts.HTML))
				sound(t, "random game", parts)
				own := map[string]bool{}
				for u := range d.Units {
					if v := &d.Units[u]; (v.Side == 1) == (s == blitz41.Axis) {
						own[string(v.ID)] = true
					}
				}
				for u := range d.Units {
					id := string(d.Units[u].ID)
					if own[id] || seen[s][id] || !regexp.MustCompile(`\d`).MatchString(id) {
						continue
					}
					for _, text := range []string{parts.Text, parts.HTML, parts.Subject} {
						for _, word := range counters.FindAllString(text, -1) {
							if word == id {
								t.Fatalf("seed %d, turn %d: a mail to %s names %s, which it has not seen:\n%s", seed, v.State.Turn, s, id, parts.Text)
							}
						}
					}
					named++
				}
				seen[s] = nil
			}
			told, since = pos.Clone(), nil
		}
		phase := 0
		for k, e := range game.Events {
			pos.Apply(e)
			since = append(since, e)
			s := pos.State()
			if s.Serial == 0 {
				continue
			}
			// looking costs, so only some stretches are looked at throughout
			if s.Serial%7 == 0 || s.Over {
				look()
			}
			if s.Serial != phase || k == len(game.Events)-1 {
				if phase%7 == 0 && phase > 0 || k == len(game.Events)-1 {
					look()
					write()
				} else {
					told, since = pos.Clone(), nil
					seen = map[engine.Side]map[string]bool{}
					look()
				}
				phase = s.Serial
			}
		}
	}
	if letters < 10 || named == 0 {
		t.Errorf("%d letters with %d hidden units: too few to say anything", letters, named)
	}
	t.Logf("%d letters, the largest HTML %d bytes", letters, largest)
}
