package blitz41

import "pbemd/engine"

type fightState struct{}

func (s fightState) clone() fightState  { return s }
func (s *fightState) begin(p *Position) {}

var fightFacts []engine.Fact

func (g *play) enterAssault()                          {}
func (g *play) leaveAssault() error                    { return nil }
func (g *play) doAssault(o engine.Order) (bool, error) { return false, nil }
