package blitz41

import "pbemd/engine"

// Preview implements [engine.Game].
func (r *Rules) Preview(p engine.Position, o engine.Order) []engine.Item { return nil }
