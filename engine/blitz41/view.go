package blitz41

import "pbemd/engine"

// View implements [engine.Game].
func (r *Rules) View(p engine.Position, s engine.Side) engine.View { return engine.View{} }
