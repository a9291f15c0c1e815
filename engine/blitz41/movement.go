package blitz41

import "pbemd/engine"

type moveState struct{}

func (s moveState) clone() moveState   { return s }
func (s *moveState) begin(p *Position) {}

var moveFacts []engine.Fact

func (g *play) enterMove()                          {}
func (g *play) leaveMove() error                    { return nil }
func (g *play) doMove(o engine.Order) (bool, error) { return false, nil }
