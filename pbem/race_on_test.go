//go:build race

package pbem_test

// slower is how much slower the race detector makes everything.
const slower = 20
