package pbem

import (
	"context"
	"fmt"

	"pbemd/engine"
	"pbemd/engine/dice"
)

// SideLuck is how the dice of a side fell.
type SideLuck struct {
	Side engine.Side
	dice.Luck
}

// luck sums up the dice of each seat, in the order of the game.
func (t *table) luck() []SideLuck {
	if t.play.Luck == nil {
		return nil
	}
	rolls := map[engine.Side][]dice.Roll{}
	low := map[string]bool{}
	for _, e := range t.events {
		r, ok := e.Fact.(engine.Rolled)
		if !ok {
			continue
		}
		side, lowIsGood := t.play.Luck(r)
		rolls[side] = append(rolls[side], dice.Roll{Label: r.Label, Sides: r.Sides, Deck: r.Deck, Values: r.Values})
		low[r.Label] = lowIsGood
	}
	var out []SideLuck
	for _, s := range t.Seats {
		out = append(out, SideLuck{s.Side, dice.LuckOf(rolls[s.Side], func(r dice.Roll) bool { return low[r.Label] })})
	}
	return out
}

// text is the luck of a side as a sentence.
func (l SideLuck) text() engine.Text {
	args := engine.Args{}
	for n, v := range l.Args {
		if f, ok := v.(float64); ok {
			v = fmt.Sprintf("%.2f", f)
		}
		args[n] = v
	}
	return engine.T("luck.of", "side", string(l.Side), "words", engine.Text{Key: l.Key, Args: args})
}

// luckTexts tell the luck of all seats; nothing before the first die.
func (t *table) luckTexts() []engine.Text {
	thrown := 0
	var lines []engine.Text
	for _, l := range t.luck() {
		thrown += l.Dice
		lines = append(lines, l.text())
	}
	if thrown == 0 {
		return nil
	}
	out := append([]engine.Text{engine.T("luck.head")}, lines...)
	for _, e := range t.events {
		if r, ok := e.Fact.(engine.Rolled); ok {
			if side, low := t.play.Luck(r); side != "" && low {
				return append(out, engine.T("luck.down"))
			}
		}
	}
	return out
}

// Luck tells how the dice of each side of a game fell, in figures and in
// sentences.
func (o *Office) Luck(_ context.Context, id GameID) ([]SideLuck, []engine.Text, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	t, err := o.open(id)
	if err != nil {
		return nil, nil, err
	}
	return t.luck(), t.luckTexts(), nil
}
