package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pbemd/pbem/hub"
	"pbemd/testdata/games"
)

func demoCommand(e *env, c command, args []string) error {
	f := c.flags(e)
	out := f.String("out", "pbem-demo", "folder to leave mails, reports and maps in")
	tongue := f.String("language", "en", "language of the players' mails")
	stay := f.Bool("stay", false, "keep the servers up afterwards, so that you can take over a side with a mail program")
	rounds := f.Bool("beacon", false, "play with dice of the grade beacon, on a fake beacon and a clock that is put forward; every record is marked DEMO")
	seed := f.String("seed", "", "derive the dice from a word, for tests; every record is marked DEMO")
	rest, err := c.parse(f, args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return c.misuse(e, "it takes no arguments")
	}
	if err := knownLanguage(*tongue); err != nil {
		return err
	}
	script, err := games.Demo()
	if err != nil {
		return err
	}
	if *rounds && *seed == "" {
		*seed = rand.Text() // a beacon that isn't drand's is for games marked DEMO
	}
	return demo(e, script, *out, *seed, *tongue, *rounds, *stay)
}

// demo plays a script on embedded mail servers and leaves a folder to look at.
func demo(e *env, script games.Script, out, seed, tongue string, rounds, stay bool) (err error) {
	a := newAlbum(out)
	if err := a.prepare(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	var users []hub.User
	for _, u := range matchUsers {
		users = append(users, hub.User{Address: u.address, Password: u.password})
	}
	h, err := hub.Start(hub.Config{Users: users})
	if err != nil {
		return fmt.Errorf("start the mail servers: %w", err)
	}
	defer h.Close()
	m := &match{
		script: script, seed: seed, lang: tongue, dir: filepath.Join(out, "server"), album: a, out: e.out, began: time.Now(),
		mail: wires{imap: h.IMAPAddr(), smtp: h.SMTPAddr(), submit: h.SMTPAddr()},
	}
	m.say("hub", "IMAP on %s, SMTP on %s", h.IMAPAddr(), h.SMTPAddr())
	if rounds {
		if m.beacon, err = startBeacon(m.say); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, m.beacon.close()) }()
		m.say("relay", "a fake beacon on %s", m.beacon.addr)
	}
	ctx, cancel := context.WithCancel(e.ctx)
	defer func() {
		cancel()
		err = errors.Join(err, m.end())
	}()
	if err := m.begin(ctx); err != nil {
		return err
	}
	if err := m.play(ctx); err != nil {
		return err
	}
	n, err := a.index()
	if err != nil {
		return err
	}
	m.say("demo", "done: %d mails; look around in %s", n, filepath.Join(out, "index.html"))
	fmt.Fprintf(e.out, "\nCheck the dice from the mails of one player alone:  go run ./cmd/dicecheck %s\n", filepath.Join(out, "axis"))
	own := filepath.Join(out, "pbemd.toml")
	if err := os.WriteFile(own, []byte("# The server of the demo, for looking at its game.\n[server]\ndir = \"server\"\n"), 0o644); err != nil {
		return fmt.Errorf("configuration of the demo: %w", err)
	}
	fmt.Fprintf(e.out, "Look at the game as the operator does:  pbemd --config %s show 1 axis\n", own)
	if !stay {
		return nil
	}
	imapHost, imapPort, _ := strings.Cut(h.IMAPAddr(), ":")
	_, smtpPort, _ := strings.Cut(h.SMTPAddr(), ":")
	fmt.Fprintf(e.out, "\nThe servers stay up until you press Ctrl-C. Take over a side with any mail program:\n")
	fmt.Fprintf(e.out, "  host %s · IMAP port %s, no encryption · SMTP port %s, no encryption\n", imapHost, imapPort, smtpPort)
	for _, u := range matchUsers[1:] {
		fmt.Fprintf(e.out, "  %-7s account %s, password %s\n", u.side, u.address, u.password)
	}
	fmt.Fprintf(e.out, "  Reply to the latest mail in the box; the lines between GAME and END are your orders.\n")
	<-ctx.Done()
	return nil
}
