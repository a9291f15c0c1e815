package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"pbemd/pbem/hub"
)

// patience is how long a script waits for something to happen.
const patience = 30 * time.Second

// office is what a script has around it: mail servers and two players.
type office struct {
	hub     *hub.Hub
	players map[string]*hub.Player
	got     map[string][]byte // the mail a player has read last
}

type officeKey struct{}

// TestScripts are the operator's commands as he types them: each file of
// testdata/script is a folder, a pair of mail servers and a session at the
// keyboard. Beside the commands of testscript there are
//
//	exits CODE pbemd …          runs a command that has to end with this status
//	configure [KEY=VALUE …]     writes pbemd.toml for the mail servers; a key is
//	                            section.name
//	post FROM TO SUBJECT FILE   mails a file as its body
//	reply WHO FILE              answers the mail that WHO has read last
//	read WHO REGEXP [FILE]      waits for a mail to WHO with such a subject and
//	                            prints it, or writes it to a file
//	serving                     waits until the server in the background serves
//	term                        sends SIGTERM to the command in the background
//	until REGEXP pbemd …        runs a command again until it prints that
func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join(root, "testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			o := &office{players: map[string]*hub.Player{}, got: map[string][]byte{}}
			c := hub.Config{Users: []hub.User{{Address: "gm@pbem.example", Password: "gm-secret"}}}
			for _, who := range []string{"anna", "boris", "carla"} {
				c.Users = append(c.Users, hub.User{Address: who + "@players.example", Password: who + "-secret"})
			}
			h, err := hub.Start(c) // scripts run side by side: err is this one's
			if err != nil {
				return err
			}
			o.hub = h
			env.Defer(func() { h.Close() })
			for _, u := range c.Users[1:] {
				who, _, _ := strings.Cut(u.Address, "@")
				p := hub.NewPlayer(hub.PlayerConfig{
					Address: u.Address, Name: who, Password: u.Password, IMAP: o.hub.IMAPAddr(), SMTP: o.hub.SMTPAddr(), Poll: 100 * time.Millisecond,
				})
				env.Defer(func() { p.Close() })
				o.players[who] = p
			}
			env.Values[officeKey{}] = o
			env.Setenv("ROOT", root)
			env.Setenv("MAILS", filepath.Join(root, "testdata", "mail"))
			env.Setenv("DATA", filepath.Join(root, "engine", "blitz41", "data"))
			env.Setenv("PBEM_IMAP_PASSWORD", "gm-secret")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "configure": configure, "post": post, "reply": reply, "read": read, "serving": serving, "term": term, "until": until,
		},
	})
}

func usageOf(ts *testscript.TestScript, ok bool, line string) {
	if !ok {
		ts.Fatalf("usage: %s", line)
	}
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, !neg && len(args) > 1, "exits CODE COMMAND …")
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var e *exec.ExitError
		if !errors.As(err, &e) {
			ts.Fatalf("%v", err)
		}
		got = e.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func configure(ts *testscript.TestScript, neg bool, args []string) {
	o := ts.Value(officeKey{}).(*office)
	_, imapPort, err := net.SplitHostPort(o.hub.IMAPAddr())
	ts.Check(err)
	_, smtpPort, err := net.SplitHostPort(o.hub.SMTPAddr())
	ts.Check(err)
	sections := map[string]map[string]string{
		"server":   {"dir": `"data"`},
		"mailbox":  {"address": `"gm@pbem.example"`, "host": `"127.0.0.1"`, "port": imapPort, "tls": `"none"`, "poll": `"1s"`},
		"smtp":     {"host": `"127.0.0.1"`, "port": smtpPort, "tls": `"none"`, "user": `"-"`},
		"identity": {"dkim": "false"},
		"dice":     {"relays": "[]"},
	}
	for _, a := range args {
		key, value, ok := strings.Cut(a, "=")
		section, name, ok2 := strings.Cut(key, ".")
		usageOf(ts, !neg && ok && ok2, "configure [SECTION.NAME=VALUE …]")
		if sections[section] == nil {
			sections[section] = map[string]string{}
		}
		sections[section][name] = value
	}
	var b bytes.Buffer
	for section, keys := range sections {
		fmt.Fprintf(&b, "[%s]\n", section)
		for name, value := range keys {
			fmt.Fprintf(&b, "%s = %s\n", name, value)
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs("pbemd.toml"), b.Bytes(), 0o600))
}

func (o *office) player(ts *testscript.TestScript, who string) *hub.Player {
	p := o.players[who]
	if p == nil {
		ts.Fatalf("nobody is called %s", who)
	}
	return p
}

func post(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, !neg && len(args) == 4, "post FROM TO SUBJECT FILE")
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	p := ts.Value(officeKey{}).(*office).player(ts, args[0])
	_, err := p.Send(ctx, args[1], args[2], ts.ReadFile(args[3]))
	ts.Check(err)
}

func reply(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, !neg && len(args) == 2, "reply WHO FILE")
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	o := ts.Value(officeKey{}).(*office)
	if o.got[args[0]] == nil {
		ts.Fatalf("%s has read nothing yet", args[0])
	}
	_, err := o.player(ts, args[0]).Reply(ctx, o.got[args[0]], ts.ReadFile(args[1]))
	ts.Check(err)
}

func read(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, !neg && (len(args) == 2 || len(args) == 3), "read WHO REGEXP [FILE]")
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	o := ts.Value(officeKey{}).(*office)
	want, err := regexp.Compile(args[1])
	ts.Check(err)
	var others []string
	for {
		raw, err := o.player(ts, args[0]).Next(ctx)
		if err != nil {
			ts.Fatalf("no mail to %s with a subject like %q: %v; there were %q", args[0], args[1], err, others)
		}
		m, err := mail.ReadMessage(bytes.NewReader(raw))
		ts.Check(err)
		if subject := m.Header.Get("Subject"); !want.MatchString(subject) {
			others = append(others, subject)
			continue
		}
		o.got[args[0]] = raw
		text, err := plainText(raw)
		ts.Check(err)
		if len(args) == 3 {
			ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(text), 0o600))
			return
		}
		fmt.Fprint(ts.Stdout(), text)
		return
	}
}

// wait waits for something that another process does.
func wait(ts *testscript.TestScript, what string, done func() bool) {
	for end := time.Now().Add(patience); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			ts.Fatalf("waited in vain: %s", what)
		}
	}
}

func serving(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, !neg && len(args) == 0, "serving")
	wait(ts, "the server serves", func() bool {
		c, err := net.Dial("unix", controlPath(ts.MkAbs("data")))
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

func term(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, !neg && len(args) == 0, "term")
	list := ts.BackgroundCmds()
	if len(list) != 1 {
		ts.Fatalf("%d commands run in the background", len(list))
	}
	ts.Check(list[0].Process.Signal(syscall.SIGTERM))
}

func until(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, !neg && len(args) > 1, "until REGEXP COMMAND …")
	re, err := regexp.Compile(args[0])
	ts.Check(err)
	wait(ts, fmt.Sprintf("%s says %q", strings.Join(args[1:], " "), args[0]), func() bool {
		ts.Check(ts.Exec(args[1], args[2:]...))
		return re.MatchString(ts.ReadFile("stdout"))
	})
}
