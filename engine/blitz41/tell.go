package blitz41

import "pbemd/engine"

// Tell implements [engine.Game].
func (r *Rules) Tell(p engine.Position, events []engine.Event, s engine.Side) []engine.Item {
	return nil
}
