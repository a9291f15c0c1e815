package blitz41

import "pbemd/engine"

type supplyState struct{}

func (s supplyState) clone() supplyState { return s }

type supplyCache struct{}

var supplyFacts []engine.Fact

func (g *play) turnSupply()                            {}
func (g *play) enterSovietSupply()                     {}
func (g *play) leaveSovietSupply() error               { return nil }
func (g *play) enterAxisSupply()                       {}
func (g *play) leaveAxisSupply() error                 { return nil }
func (g *play) doSupply(o engine.Order) (bool, error)  { return false, nil }
func (g *play) doAnyTime(o engine.Order) (bool, error) { return false, nil }
func (p *Position) noSovietSupplyOrders() bool         { return true }
