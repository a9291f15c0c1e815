package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"pbemd/pbem"
	"pbemd/pbem/imap"
)

// jitter spreads retries, -1 to 1.
func jitter() float64 { return 2*rand.Float64() - 1 }

func serveCommand(e *env, c command, args []string) error {
	f := c.flags(e)
	adopt := f.Bool("adopt", false, "serve a mailbox that holds other mail too; nothing is ever deleted")
	if rest, err := c.parse(f, args); err != nil || len(rest) > 0 {
		return c.misuse(e, "it takes no arguments")
	}
	cfg, err := readConfig(e.config)
	if err != nil {
		return err
	}
	log, err := logger(cfg.Log, e.err)
	if err != nil {
		return err
	}
	in, err := cfg.inbox(log)
	if err != nil {
		return err
	}
	out, err := cfg.sender(log)
	if err != nil {
		return err
	}
	sign, err := cfg.SMTP.signer()
	if err != nil {
		return err
	}
	eye, err := cfg.Ops.watch()
	if err != nil {
		return err
	}
	s, err := openServer(cfg, log, signing(sign), eye.setup)
	if err != nil {
		return err
	}
	defer s.close()
	defer in.Close()
	defer out.Close()
	if err := adopted(e.ctx, s, *adopt, in.Check); err != nil {
		return err
	}
	stopControl, err := s.control(e.ctx)
	if err != nil {
		return err
	}
	defer stopControl()
	metrics, stopMetrics, err := eye.serve()
	if err != nil {
		return err
	}
	defer stopMetrics()
	log.Info("serving", "mailbox", cfg.Mailbox.Address, "store", s.store.Path(), "metrics", metrics)
	inbox, sender := eye.ends(in, out)
	err = s.office.Run(e.ctx, inbox, sender, pbem.Pace{})
	log.Info("stopped")
	return err
}

// adoptedFile says that the mailbox has been served before, or may be.
const adoptedFile = "mailbox.adopted"

// adopted refuses to begin on a mailbox with mail of somebody else, unless the
// operator has given leave. It asks once for a mailbox.
func adopted(ctx context.Context, s *server, leave bool, check func(context.Context) (imap.Report, error)) error {
	mark := filepath.Join(s.cfg.Server.Dir, adoptedFile)
	if b, err := os.ReadFile(mark); err == nil && string(b) == s.cfg.Mailbox.Address+"\n" {
		return nil
	}
	if !leave {
		r, err := check(ctx)
		if err != nil {
			return fmt.Errorf("look into the mailbox: %w", err)
		}
		if n := r.Foreign; n > 0 {
			return fmt.Errorf("the mailbox holds %d %s that no game has to do with; give the server an account of its own, or start it with --adopt", n, plural(n, "mail", "mails"))
		}
	}
	return os.WriteFile(mark, []byte(s.cfg.Mailbox.Address+"\n"), 0o600)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// request and frame are what goes over the control socket: a command line in,
// its output back. The store can be open in one process only, so that a command
// given while the server runs is carried out by the server.
type request struct {
	Args []string
	Dir  string // working directory of the caller
}

type frame struct {
	Out, Err string `json:",omitempty"`
	Done     bool   `json:",omitempty"`
	Code     int    `json:",omitempty"`
}

func controlPath(dir string) string { return filepath.Join(dir, "control.sock") }

// control answers commands given while the server runs.
func (s *server) control(ctx context.Context) (stop func(), err error) {
	path := controlPath(s.cfg.Server.Dir)
	os.Remove(path) // left by a crash: the lock on the store is ours
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("control socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, fmt.Errorf("control socket: %w", err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer conn.Close()
				s.answer(ctx, conn)
			})
		}
	})
	return func() { l.Close(); wg.Wait() }, nil
}

func (s *server) answer(ctx context.Context, conn net.Conn) {
	var r request
	if err := json.NewDecoder(conn).Decode(&r); err != nil {
		return
	}
	enc := json.NewEncoder(conn)
	var mu sync.Mutex
	send := func(f frame) { mu.Lock(); defer mu.Unlock(); _ = enc.Encode(f) }
	e := &env{ctx: ctx, srv: s, dir: r.Dir,
		out: writerFunc(func(b []byte) { send(frame{Out: string(b)}) }),
		err: writerFunc(func(b []byte) { send(frame{Err: string(b)}) }),
	}
	send(frame{Done: true, Code: dispatch(e, r.Args)})
}

type writerFunc func([]byte)

func (w writerFunc) Write(b []byte) (int, error) { w(b); return len(b), nil }

// forward has a running server carry out a command; ok is false if none runs.
func forward(ctx context.Context, dir string, args []string, out, errw io.Writer) (code int, ok bool) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", controlPath(dir))
	if err != nil {
		return 0, false
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	wd, _ := os.Getwd()
	if err := json.NewEncoder(conn).Encode(request{args, wd}); err != nil {
		return 0, false
	}
	dec := json.NewDecoder(bufio.NewReader(conn))
	for {
		var f frame
		if err := dec.Decode(&f); err != nil {
			fmt.Fprintf(errw, "pbemd: the server went away in the middle: %v\n", err)
			return 1, true
		}
		io.WriteString(out, f.Out)
		io.WriteString(errw, f.Err)
		if f.Done {
			return f.Code, true
		}
	}
}

// open gives a command the server it works on: the running one, or the store
// opened for the command alone.
func (e *env) open() (*server, func(), error) {
	if e.srv != nil {
		return e.srv, func() {}, nil
	}
	cfg, err := readConfig(e.config)
	if err != nil {
		return nil, nil, err
	}
	log, err := logger(LogConfig{Level: "warn", Format: cfg.Log.Format}, e.err)
	if err != nil {
		return nil, nil, err
	}
	if cfg.Mailbox.Address == "" && !e.quiet { // what mails nobody can do without
		return nil, nil, errors.New("mailbox.address is not set in " + e.config + ", and this command writes mails")
	}
	cfg.Mailbox.Address = or(cfg.Mailbox.Address, "nobody@pbem.invalid")
	s, err := openServer(cfg, log)
	if err != nil {
		return nil, nil, err
	}
	return s, func() { s.close() }, nil
}

// path is a file name as the caller meant it.
func (e *env) path(name string) string {
	if e.dir == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(e.dir, name)
}

func checkCommand(e *env, c command, args []string) error {
	if len(args) > 0 {
		return c.misuse(e, "it takes no arguments")
	}
	cfg, err := readConfig(e.config)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.out, "configuration  %s reads well\n", e.config)
	log, err := logger(LogConfig{Level: "error", Format: cfg.Log.Format}, e.err)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(e.ctx, 90*time.Second)
	defer cancel()
	failed := 0
	fmt.Fprintf(e.err, "trying the mailbox …\n")
	if in, err := cfg.inbox(log); err != nil {
		failed++
		fmt.Fprintf(e.out, "mailbox        %v\n", err)
	} else {
		r, err := in.Check(ctx)
		in.Close()
		if err != nil {
			failed++
			fmt.Fprintf(e.out, "mailbox        %v\n", err)
		} else {
			fmt.Fprintf(e.out, "mailbox        %s, %s, %d %s waiting, %d of them foreign\n", r.Server, r.Security, r.Messages, plural(r.Messages, "mail", "mails"), r.Foreign)
			fmt.Fprintf(e.out, "               IDLE %s, MOVE %s, UIDPLUS %s\n", yes(r.Idle), yes(r.Move), yes(r.UIDPlus))
			for _, f := range r.Folders {
				fmt.Fprintf(e.out, "               folder %s: %d %s\n", f.Name, f.Messages, plural(f.Messages, "mail", "mails"))
			}
		}
	}
	fmt.Fprintf(e.err, "trying the mail server …\n")
	if out, err := cfg.sender(log); err != nil {
		failed++
		fmt.Fprintf(e.out, "mail server    %v\n", err)
	} else {
		r, err := out.Check(ctx)
		out.Close()
		if err != nil {
			failed++
			fmt.Fprintf(e.out, "mail server    %v\n", err)
		} else {
			fmt.Fprintf(e.out, "mail server    %s, %s, login %s, takes our sender: %s\n", r.Server, r.Security, yes(r.LoggedIn), yes(r.SenderOK))
		}
	}
	words, bad := cfg.SMTP.checkSigner(lookupTXT)
	if bad {
		failed++
	}
	fmt.Fprintf(e.out, "signatures     %s\n", words)
	if failed > 0 {
		return exitCode(1)
	}
	return nil
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
