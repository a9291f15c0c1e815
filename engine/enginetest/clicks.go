package enginetest

import (
	"fmt"

	"pbemd/engine"
	"pbemd/engine/blitz41"
)

// Clicks is a game played order by order: at each step all legal choices are
// listed and one of them is taken by chance.
type Clicks struct {
	Game     *blitz41.Rules
	Position engine.Position
	Orders   []engine.Order
	Events   int
	Listed   int // choices in all
	r        Random
	dice     engine.Dice
	list     []blitz41.Choice
}

// NewClicks begins such a game.
func NewClicks(g *blitz41.Rules, seed uint64) (*Clicks, error) {
	c := &Clicks{Game: g, r: Random(seed), dice: seeded(seed)}
	p, events, err := engine.Begin(g, engine.Env{Dice: c.dice})
	c.Position, c.Events = p, len(events)
	return c, err
}

// List gives the choices of the moment.
func (c *Clicks) List() []blitz41.Choice {
	c.list = c.Game.Choices(c.Position, c.list[:0])
	return c.list
}

// Step takes one of the choices; it reports whether the game goes on.
func (c *Clicks) Step() (bool, error) {
	list := c.List()
	c.Listed += len(list)
	if len(list) == 0 {
		if !c.Position.State().Over {
			return false, fmt.Errorf("dead end in %v", c.Position.State())
		}
		return false, nil
	}
	o := c.Game.Order(c.Position, pick(&c.r, list))
	p, events, err := engine.Do(c.Game, c.Position, c.Events, o, engine.Env{Dice: c.dice}, nil)
	if err != nil {
		return false, fmt.Errorf("%v: %s %+v was listed: %w", c.Position.State(), o.Command.Verb(), o.Command, err)
	}
	c.Position, c.Events = p, c.Events+len(events)
	c.Orders = append(c.Orders, o)
	return true, nil
}
