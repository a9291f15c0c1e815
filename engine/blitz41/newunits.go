package blitz41

import "pbemd/engine"

type newState struct{}

func (s newState) clone() newState { return s }

var newFacts []engine.Fact

func (g *play) enterNewUnits()                          {}
func (g *play) leaveNewUnits() error                    { return nil }
func (g *play) doNewUnits(o engine.Order) (bool, error) { return false, nil }
