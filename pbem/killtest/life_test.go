package killtest

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pbemd/pbem"
	"pbemd/pbem/imap"
	"pbemd/pbem/pbemtest"
	"pbemd/pbem/report"
	"pbemd/pbem/smtp"
	"pbemd/store"
)

// lifeVar holds the life that a child process is to lead.
const lifeVar = "PBEM_KILL_LIFE"

func TestMain(m *testing.M) {
	if s := os.Getenv(lifeVar); s != "" {
		var l life
		if err := json.Unmarshal([]byte(s), &l); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		os.Exit(l.lead())
	}
	flag.Parse()
	os.Exit(m.Run())
}

const (
	gm       = "gm@pbem.example"
	password = "gm secret"
)

// life is one run of the server as a process.
type life struct {
	Dir        string
	IMAP, SMTP string // host:port
	FileLimit  uint64 // octets that a file may have; 0: no limit
}

func (l life) database() string { return filepath.Join(l.Dir, "pbem.db") }

// office opens the store and puts an office on it, as pbemd does.
func (l life) office(log *slog.Logger, o store.Options, change ...func(*pbem.Config)) (*store.Store, *pbem.Office, error) {
	db, err := store.Open(l.database(), o)
	if err != nil {
		return nil, nil, err
	}
	writer, err := report.New()
	if err != nil {
		return nil, nil, err
	}
	c := pbem.Config{
		Archive: db, Rules: append(pbem.Games(), pbemtest.ToyRules()), Reporter: writer, Mailbox: gm, Name: "Game Master",
		TokenKey: bytes.Repeat([]byte{5}, 32), SignKey: ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, 32)), Log: log,
		Caps: pbem.Caps{MailsPerHour: 1 << 30, NoticesPerDay: 1 << 30, SentPerHour: 1 << 30},
	}
	for _, f := range change {
		f(&c)
	}
	office, err := pbem.New(c)
	if err != nil {
		db.Close()
		return nil, nil, err
	}
	return db, office, nil
}

func (l life) inbox(log *slog.Logger) *imap.Inbox {
	return imap.New(imap.Config{
		Addr: l.IMAP, Security: imap.None, User: gm, Password: password, Address: gm, Poll: 2 * time.Second, Limit: 10 * time.Second,
		Backoff: func(int) time.Duration { return 50 * time.Millisecond }, Log: log,
	})
}

func (l life) sender(log *slog.Logger) *smtp.Sender {
	return smtp.New(smtp.Config{Addr: l.SMTP, Security: smtp.None, From: gm, Hello: "pbem.example", Limit: 10 * time.Second, Log: log})
}

// pace is quick, for the tests have no night.
var pace = pbem.Pace{Tick: 100 * time.Millisecond, Flush: 500 * time.Millisecond, Pause: 100 * time.Millisecond}

// lead serves until a signal comes: SIGTERM ends it well.
func (l life) lead() int {
	signal.Ignore(syscall.SIGXFSZ)
	if l.FileLimit > 0 {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: l.FileLimit, Max: l.FileLimit}); err != nil {
			fmt.Fprintln(os.Stderr, "limit:", err)
			return 3
		}
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	db, office, err := l.office(log, store.Options{})
	if err != nil {
		log.Error("open", "err", err)
		return 2
	}
	defer db.Close()
	in, out := l.inbox(log), l.sender(log)
	defer in.Close()
	defer out.Close()
	if err := office.Run(ctx, in, out, pace); err != nil {
		log.Error("run", "err", err)
		return 1
	}
	return 0
}

// process is a life being led.
type process struct {
	*exec.Cmd
	log  *bytes.Buffer
	done chan error
}

func (l life) start(t testing.TB) *process {
	t.Helper()
	b, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	p := &process{Cmd: exec.Command(os.Args[0]), log: &bytes.Buffer{}, done: make(chan error, 1)}
	p.Env = append(os.Environ(), lifeVar+"="+string(b))
	p.Stderr, p.Stdout = p.log, p.log
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.done <- p.Wait() }()
	return p
}

// kill ends the process as a power cut would, after a time; the process may not
// have ended before.
func (p *process) kill(t testing.TB, after time.Duration) {
	t.Helper()
	select {
	case err := <-p.done:
		t.Fatalf("the server ended by itself: %v\n%s", err, p.tail())
	case <-time.After(after):
	}
	_ = p.Process.Kill()
	err := <-p.done
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the server ended before it was killed: %v\n%s", err, p.tail())
	}
	if s := p.log.String(); strings.Contains(s, "panic") {
		t.Fatalf("the server panicked\n%s", s)
	}
}

// stop ends the process politely; one that has not begun to listen for signals
// is ended by the system, and that is well too.
func (p *process) stop(t testing.TB) {
	t.Helper()
	_ = p.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-p.done:
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGTERM && p.log.Len() == 0 {
			return
		}
		if err != nil {
			t.Fatalf("the server ended with %v\n%s", err, p.tail())
		}
	case <-time.After(30 * time.Second):
		_ = p.Process.Kill()
		t.Fatalf("the server doesn't end\n%s", p.tail())
	}
}

// tail is the end of the process's log, which may only be read when it is over.
func (p *process) tail() string {
	s := p.log.String()
	return s[max(0, len(s)-4000):]
}
