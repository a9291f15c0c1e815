package blitz41

import "pbemd/engine"

// Holds implements [engine.Game].
func (r *Rules) Holds(p engine.Position, s engine.Side, c engine.Condition) bool { return false }
