package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pbemd/pbem/hub"
	"pbemd/testdata/games"
)

// played is the data folder of a server that has played a whole game, with a
// configuration for mail servers that run as long as the benchmark.
func played(b *testing.B) (config, dir string) {
	b.Helper()
	script, err := games.Whole()
	if err != nil {
		b.Fatal(err)
	}
	out := filepath.Join(b.TempDir(), "whole")
	if err := demo(&env{ctx: b.Context(), out: io.Discard, err: io.Discard}, script, out, "", "en", false, false); err != nil {
		b.Fatal(err)
	}
	gm := matchUsers[0]
	h, err := hub.Start(hub.Config{Users: []hub.User{{Address: gm.address, Password: gm.password}}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { h.Close() })
	_, imapPort, _ := net.SplitHostPort(h.IMAPAddr())
	_, smtpPort, _ := net.SplitHostPort(h.SMTPAddr())
	dir = filepath.Join(out, "server")
	config = filepath.Join(out, "pbemd.toml")
	text := fmt.Sprintf("[server]\ndir = %q\n[mailbox]\naddress = %q\nhost = \"127.0.0.1\"\nport = %s\ntls = \"none\"\npassword_file = %q\n[smtp]\nhost = \"127.0.0.1\"\nport = %s\ntls = \"none\"\nuser = \"-\"\n",
		dir, gm.address, imapPort, filepath.Join(dir, "password"), smtpPort)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	return config, dir
}

// start runs the program until it serves.
func start(b *testing.B, program, config, dir string) *exec.Cmd {
	b.Helper()
	cmd := exec.CommandContext(context.Background(), program, "--config", config, "serve")
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if c, err := net.Dial("unix", controlPath(dir)); err == nil {
			c.Close()
			return cmd
		}
		if time.Now().After(end) {
			b.Fatal("the server doesn't serve")
		}
	}
}

func stop(b *testing.B, cmd *exec.Cmd) {
	b.Helper()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		b.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
}

// From the start of the process until it serves, on the store of a whole game:
// 0.5 s is what it may take.
func BenchmarkColdStart(b *testing.B) {
	program, err := built("pbemd")
	if err != nil {
		b.Fatal(err)
	}
	config, dir := played(b)
	for b.Loop() {
		cmd := start(b, program, config, dir)
		b.StopTimer()
		stop(b, cmd)
		b.StartTimer()
	}
}

// The anonymous memory of a server that waits for mail: 60 MB is what it may
// take.
func BenchmarkIdle(b *testing.B) {
	program, err := built("pbemd")
	if err != nil {
		b.Fatal(err)
	}
	config, dir := played(b)
	anon := 0
	for b.Loop() {
		cmd := start(b, program, config, dir)
		time.Sleep(2 * time.Second) // it looks into the mailbox once, and waits
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
		if err != nil {
			b.Skip("skipped: the memory of a process is read from /proc")
		}
		_, rest, _ := strings.Cut(string(status), "RssAnon:")
		kb, err := strconv.Atoi(strings.Fields(rest)[0])
		if err != nil {
			b.Fatal(err)
		}
		anon = max(anon, kb)
		stop(b, cmd)
	}
	b.ReportMetric(float64(anon)/1024, "RssAnon-MB")
	b.ReportMetric(0, "ns/op")
}
