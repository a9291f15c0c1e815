package main

import (
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// cleanups run when all tests are done.
var cleanups struct {
	sync.Mutex
	list []func()
}

func atTheEnd(f func()) {
	cleanups.Lock()
	defer cleanups.Unlock()
	cleanups.list = append(cleanups.list, f)
}

// tidy is a test run that cleans up behind itself.
type tidy struct{ *testing.M }

func (m tidy) Run() int {
	code := m.M.Run()
	for _, f := range cleanups.list {
		f()
	}
	return code
}

// TestMain lets scripts run pbemd as a program: the test binary is it.
func TestMain(m *testing.M) {
	testscript.Main(tidy{m}, map[string]func(){"pbemd": main})
}
