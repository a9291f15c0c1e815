package main

import (
	"fmt"
	"time"

	"pbemd/pbem"
	"pbemd/pbem/ops"
)

// OpsConfig is what shows the server's health.
type OpsConfig struct {
	Listen string `toml:"listen" default:"" doc:"loopback address like 127.0.0.1:9417 for /metrics (Prometheus) and /healthz; empty: none"`
}

// watched is a server with the numbers of its doings, if the configuration
// wants them.
type watched struct {
	m    *ops.Metrics
	addr string
}

// watch makes the numbers; nil if nobody wants them.
func (c OpsConfig) watch() (*watched, error) {
	if c.Listen == "" {
		return nil, nil
	}
	if err := ops.Validate(c.Listen); err != nil {
		return nil, fmt.Errorf("ops.listen is %w", err)
	}
	return &watched{m: ops.New(time.Now), addr: c.Listen}, nil
}

// setup has the office tell the numbers.
func (w *watched) setup(oc *pbem.Config) {
	if w != nil {
		oc.Watch = w.m
		w.m.Over(oc.Archive)
	}
}

// ends has both ends of the post office looked at.
func (w *watched) ends(in pbem.Inbox, out pbem.Sender) (pbem.Inbox, pbem.Sender) {
	if w == nil {
		return in, out
	}
	return w.m.Inbox(in), w.m.Sender(out)
}

// serve opens the port; bound is empty if there is none.
func (w *watched) serve() (bound string, stop func(), err error) {
	if w == nil {
		return "", func() {}, nil
	}
	return w.m.Serve(w.addr)
}
