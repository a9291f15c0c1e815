package enginetest

import (
	"syscall"
	"testing"
	"time"
)

// clock measures rates by the wall clock, and by the time of this process on
// the processor: on a machine that does other things at the same time only the
// second says what a core of one's own would do. It counts what the collector
// of garbage takes on other cores, too.
type clock struct {
	wall time.Time
	cpu  time.Duration
}

func processor() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func newClock() clock { return clock{time.Now(), processor()} }

func (c clock) report(b *testing.B, n int, what string) {
	b.ReportMetric(float64(n)/time.Since(c.wall).Seconds(), what+"/s")
	if used := processor() - c.cpu; used > 0 {
		b.ReportMetric(float64(n)/used.Seconds(), what+"/cpu-s")
	}
}
