package blitz41

import "pbemd/engine"

// FormatState implements [engine.Game].
func (r *Rules) FormatState(p engine.Position) string { return "" }

// ParseState implements [engine.Game].
func (r *Rules) ParseState(text string) (engine.Position, error) { return nil, nil }
