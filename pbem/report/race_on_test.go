//go:build race

package report_test

// raced says that the race detector slows everything down.
const raced = true
