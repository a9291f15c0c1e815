package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pbemd/pbem/hub"
)

// pages is what a server says while it runs.
type pages struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (p *pages) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.b.Write(b)
}

func (p *pages) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.b.String()
}

// The server shows its health on the port that the configuration names, and on
// no other address than loopback.
func TestServeShowsItsHealth(t *testing.T) {
	h, err := hub.Start(hub.Config{Users: []hub.User{{Address: "gm@pbem.example", Password: "x"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listen := free.Addr().String()
	free.Close()
	dir := t.TempDir()
	port := func(addr string) string { _, p, _ := net.SplitHostPort(addr); return p }
	config := func(listen, more string) string {
		file := filepath.Join(dir, "pbemd.toml")
		text := fmt.Sprintf(`[mailbox]
address = "gm@pbem.example"
host = "127.0.0.1"
port = %s
tls = "none"
password_file = %q
[smtp]
host = "127.0.0.1"
port = %s
tls = "none"
user = "-"
%s
[dice]
relays = []
[ops]
listen = %q
`, port(h.IMAPAddr()), filepath.Join(dir, "password"), port(h.SMTPAddr()), more, listen)
		for name, text := range map[string]string{file: text, filepath.Join(dir, "password"): "x\n"} {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return file
	}
	for what, c := range map[string][3]string{
		"an open address":  {"0.0.0.0:9417", "", "loopback"},
		"half a signature": {listen, "dkim_domain = \"pbem.example\"", "dkim_key_file"},
		"a missing key":    {listen, "dkim_domain = \"pbem.example\"\ndkim_selector = \"s\"\ndkim_key_file = \"/nowhere\"", "dkim_key_file"},
	} {
		var words pages
		if code := dispatch(&env{ctx: t.Context(), out: io.Discard, err: &words, config: config(c[0], c[1])}, []string{"serve"}); code != 1 || !strings.Contains(words.String(), c[2]) {
			t.Errorf("%s: exit %d, %s", what, code, words.String())
		}
	}

	ctx, stop := context.WithCancel(t.Context())
	var words pages
	done := make(chan int, 1)
	go func() {
		done <- dispatch(&env{ctx: ctx, out: io.Discard, err: &words, config: config(listen, "")}, []string{"serve"})
	}()
	page := func(path string) string {
		deadline := time.Now().Add(20 * time.Second)
		for {
			r, err := http.Get("http://" + listen + path)
			if err == nil {
				defer r.Body.Close()
				b, err := io.ReadAll(r.Body)
				if err != nil {
					t.Fatal(err)
				}
				return fmt.Sprint(r.StatusCode, " ", string(b))
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s: %v\n%s", path, err, words.String())
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	if got := page("/healthz"); got != "200 ok\n" {
		t.Errorf("/healthz: %s", got)
	}
	deadline := time.Now().Add(20 * time.Second)
	for !strings.Contains(page("/metrics"), "\npbem_mailbox_up 1\n") {
		if time.Now().After(deadline) {
			t.Fatalf("the mailbox is never up\n%s\n%s", page("/metrics"), words.String())
		}
		time.Sleep(50 * time.Millisecond)
	}
	stop()
	if code := <-done; code != 0 {
		t.Errorf("the server ended with %d\n%s", code, words.String())
	}
	if _, err := http.Get("http://" + listen + "/healthz"); err == nil {
		t.Error("the port is open after the end")
	}
}
