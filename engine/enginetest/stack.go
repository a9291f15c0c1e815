package enginetest

import "runtime/debug"

// stack is where a panic came from.
func stack() string { return string(debug.Stack()) }
