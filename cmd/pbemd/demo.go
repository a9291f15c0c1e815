package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	gomessage "github.com/emersion/go-message"

	"pbemd/engine"
	"pbemd/pbem"
	"pbemd/pbem/hub"
	"pbemd/pbem/message"
	"pbemd/testdata/games"
)

// The accounts of the demo.
const (
	demoMailbox = "gm@pbem.example"
	demoAxis    = "axis@players.example"
	demoSoviet  = "soviet@players.example"
)

func demoCommand(e *env, c command, args []string) error {
	f := c.flags(e)
	out := f.String("out", "pbem-demo", "folder to leave mails, reports and maps in")
	stay := f.Bool("stay", false, "keep the servers up afterwards, so that you can take over a side with a mail program")
	seed := f.String("seed", "", "derive the dice from a word, for tests; every record is marked DEMO")
	rest, err := c.parse(f, args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return c.misuse(e, "it takes no arguments")
	}
	script, err := games.Demo()
	if err != nil {
		return err
	}
	d := &demo{e: e, out: *out, album: newAlbum(*out), script: script, began: time.Now()}
	return d.play(*seed, *stay)
}

// demoLimit is how long the players wait for each other before the demo gives up.
const demoLimit = 2 * time.Minute

// demo plays a scripted game by mail: a daemon on embedded servers, and two
// players who use nothing but the network.
type demo struct {
	e      *env
	out    string
	album  *album
	script games.Script
	began  time.Time
	mu     sync.Mutex
}

func (d *demo) say(who, format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	fmt.Fprintf(d.e.out, "%6.2fs  %-7s %s\n", time.Since(d.began).Seconds(), who, fmt.Sprintf(format, args...))
}

func (d *demo) play(seed string, stay bool) (err error) {
	if err := d.album.prepare(); err != nil {
		return err
	}
	passwords := map[string]string{demoMailbox: "gm-demo", demoAxis: "axis-demo", demoSoviet: "soviet-demo"}
	h, err := hub.Start(hub.Config{Users: []hub.User{
		{Address: demoMailbox, Password: passwords[demoMailbox]}, {Address: demoAxis, Password: passwords[demoAxis]}, {Address: demoSoviet, Password: passwords[demoSoviet]},
	}})
	if err != nil {
		return fmt.Errorf("start the mail servers: %w", err)
	}
	defer h.Close()
	d.say("hub", "IMAP on %s, SMTP on %s", h.IMAPAddr(), h.SMTPAddr())
	ctx, cancel := context.WithCancel(d.e.ctx)
	defer cancel()
	daemon, err := startDaemon(ctx, filepath.Join(d.out, "server"), h.IMAPAddr(), h.SMTPAddr(), demoMailbox, passwords[demoMailbox], d.album)
	if err != nil {
		return err
	}
	defer func() {
		cancel()
		err = errors.Join(err, daemon.stop())
	}()
	seats := []pbem.Seat{
		{Side: "axis", Name: "Anna", Address: demoAxis, Lang: "en"},
		{Side: "soviet", Name: "Boris", Address: demoSoviet, Lang: "en"},
	}
	id, err := daemon.office.NewGame(ctx, pbem.Founding{Rules: "blitz41", Seats: seats, Terms: pbem.Terms{NoJoin: true, AnswerHours: 72, Seed: seed}})
	if err != nil {
		return err
	}
	d.say("pbemd", "game %v of Blitzkrieg '41: Anna plays the Axis, Boris the Soviets", id)

	players := map[engine.Side]*scripted{}
	results := make(chan error, len(seats))
	playing, stopPlaying := context.WithTimeout(ctx, demoLimit)
	defer stopPlaying()
	for _, s := range seats {
		p := &scripted{
			side: s.Side, name: s.Name, script: d.script, say: d.say, keep: d.album.received,
			mail: hub.NewPlayer(hub.PlayerConfig{Address: s.Address, Name: s.Name, Password: passwords[s.Address], IMAP: h.IMAPAddr(), SMTP: h.SMTPAddr(), Poll: 200 * time.Millisecond}),
		}
		players[s.Side] = p
		go func() { results <- p.play(playing) }()
	}
	for range players {
		if err := <-results; err != nil {
			stopPlaying()
			return err
		}
	}
	for _, p := range players {
		p.mail.Close()
	}
	r, err := daemon.office.Replay(ctx, id, nil)
	if err != nil {
		return err
	}
	if r.Differs > 0 {
		return fmt.Errorf("sheet %d came out otherwise when run again", r.Differs)
	}
	d.say("pbemd", "replay: %d sheets run again, %d events, all the same", r.Bursts, r.Events)
	n, err := d.album.index()
	if err != nil {
		return err
	}
	d.say("demo", "done: %d mails; look around in %s", n, filepath.Join(d.out, "index.html"))
	fmt.Fprintf(d.e.out, "\nCheck the dice from the mails of one player alone:  go run ./cmd/dicecheck %s\n", filepath.Join(d.out, "axis"))
	if !stay {
		return nil
	}
	imapHost, imapPort, _ := strings.Cut(h.IMAPAddr(), ":")
	_, smtpPort, _ := strings.Cut(h.SMTPAddr(), ":")
	fmt.Fprintf(d.e.out, "\nThe servers stay up until you press Ctrl-C. Take over a side with any mail program:\n")
	fmt.Fprintf(d.e.out, "  host %s · IMAP port %s, no encryption · SMTP port %s, no encryption\n", imapHost, imapPort, smtpPort)
	for _, s := range seats {
		fmt.Fprintf(d.e.out, "  %-7s account %s, password %s\n", s.Side, s.Address, passwords[s.Address])
	}
	fmt.Fprintf(d.e.out, "  Reply to the latest mail in the box; the lines between GAME and END are your orders.\n")
	<-ctx.Done()
	return nil
}

// daemon is the server of a scripted game, on whatever mail servers.
type daemon struct {
	*server
	done chan error
}

// startDaemon serves a mailbox on loopback servers.
func startDaemon(ctx context.Context, dir, imapAddr, smtpAddr, mailbox, password string, log io.Writer) (*daemon, error) {
	var cfg Config
	if err := defaultConfig(&cfg); err != nil {
		return nil, err
	}
	cfg.Server.Dir = dir
	cfg.Mailbox.Address, cfg.Mailbox.TLS, cfg.Mailbox.Poll = mailbox, "none", "2s"
	cfg.SMTP.TLS, cfg.SMTP.User = "none", "-"
	cfg.Identity.DKIM = false
	cfg.Dice.Relays = nil
	if _, err := fmt.Sscanf(imapAddr[strings.LastIndexByte(imapAddr, ':')+1:], "%d", &cfg.Mailbox.Port); err != nil {
		return nil, err
	}
	if _, err := fmt.Sscanf(smtpAddr[strings.LastIndexByte(smtpAddr, ':')+1:], "%d", &cfg.SMTP.Port); err != nil {
		return nil, err
	}
	cfg.Mailbox.Host, cfg.SMTP.Host = "127.0.0.1", "127.0.0.1"
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	cfg.Mailbox.PasswordFile = filepath.Join(dir, "password")
	if err := os.WriteFile(cfg.Mailbox.PasswordFile, []byte(password+"\n"), 0o600); err != nil {
		return nil, err
	}
	l, err := logger(cfg.Log, log)
	if err != nil {
		return nil, err
	}
	in, err := cfg.inbox(l)
	if err != nil {
		return nil, err
	}
	out, err := cfg.sender(l)
	if err != nil {
		return nil, err
	}
	s, err := openServer(cfg, l)
	if err != nil {
		return nil, err
	}
	d := &daemon{s, make(chan error, 1)}
	go func() {
		err := s.office.Run(ctx, in, out, pbem.Pace{})
		d.done <- errors.Join(err, in.Close(), out.Close())
	}()
	return d, nil
}

// stop waits for the daemon to finish what it is at; its context has ended.
func (d *daemon) stop() error {
	err := <-d.done
	return errors.Join(err, d.close())
}

// scripted is a player who reads his mails and answers with the next sheet of a
// script. He knows nothing but what stands in the mails.
type scripted struct {
	side    engine.Side
	name    string
	script  games.Script
	mail    *hub.Player
	say     func(who, format string, args ...any)
	keep    func(side engine.Side, raw []byte) error
	used    map[string]int
	closing bool // has sent END PHASE because the script has nothing more
}

var (
	subjectWord = regexp.MustCompile(`\] (NOT ACCEPTED|ACCEPTED|CHECKED|QUESTION|YOUR TURN|WAITING|GAME OVER)(, still your turn)?`)
	headingLine = regexp.MustCompile(`(?m)^(GAME \d+ TURN (\d+) PHASE ([A-Z]+))\s*$`)
	gameNo      = regexp.MustCompile(`\[(\d+)`)
	turnOf      = regexp.MustCompile(`turn (\d+)$`)
	questionNo  = regexp.MustCompile(`QUESTION Q(\d+)`)
)

func (p *scripted) play(ctx context.Context) error {
	p.used = map[string]int{}
	greeted := false
	for {
		raw, err := p.mail.Next(ctx)
		if err != nil {
			return fmt.Errorf("%s waits for mail: %w", p.name, err)
		}
		if err := p.keep(p.side, raw); err != nil {
			return err
		}
		m := message.Parse(raw, message.Options{})
		text, err := plainText(raw)
		if err != nil {
			return fmt.Errorf("%s reads a mail: %w", p.name, err)
		}
		p.say(p.name, "reads  %s", m.Subject)
		if !greeted {
			greeted = true
			if lines := p.script.Next(p.side, "standing", p.used); lines != nil {
				if err := p.send(ctx, raw, "GAME "+gameNo.FindStringSubmatch(m.Subject)[1], lines); err != nil {
					return err
				}
				continue
			}
		}
		word := subjectWord.FindStringSubmatch(m.Subject)
		if word == nil {
			continue
		}
		if turn := turnOf.FindStringSubmatch(m.Subject); turn != nil && p.script.Over(p.side, "turn "+turn[1]) {
			p.say(p.name, "has played what the script holds")
			return nil
		}
		head := headingLine.FindStringSubmatch(text)
		switch {
		case word[1] == "GAME OVER":
			return nil
		case word[1] == "QUESTION":
			no := questionNo.FindStringSubmatch(m.Subject)
			if no == nil {
				return fmt.Errorf("%s: a question without a number: %s", p.name, m.Subject)
			}
			lines := p.script.Next(p.side, "question", p.used)
			if lines == nil {
				lines = []string{"ANSWER Q{no} A"}
			}
			for i := range lines {
				lines[i] = strings.ReplaceAll(lines[i], "{no}", no[1])
			}
			if head == nil {
				head = []string{"", "GAME " + gameNo.FindStringSubmatch(m.Subject)[1]}
			}
			if err := p.send(ctx, raw, head[1], lines); err != nil {
				return err
			}
		case head != nil && (word[1] == "YOUR TURN" || word[2] != ""):
			key := "turn " + head[2] + " " + strings.ToLower(head[3])
			lines := p.script.Next(p.side, key, p.used)
			if lines == nil {
				if word[1] == "NOT ACCEPTED" && p.closing {
					return fmt.Errorf("%s can't close the phase: the mail says\n%s", p.name, text)
				}
				lines, p.closing = []string{"END PHASE"}, true
			} else {
				p.closing = false
			}
			if err := p.send(ctx, raw, head[1], lines); err != nil {
				return err
			}
		}
	}
}

func (p *scripted) send(ctx context.Context, to []byte, heading string, lines []string) error {
	for _, l := range lines {
		p.say(p.name, "orders %s", l)
	}
	body := heading + "\n" + strings.Join(lines, "\n") + "\nEND\n"
	if _, err := p.mail.Reply(ctx, to, body); err != nil {
		return fmt.Errorf("%s sends orders: %w", p.name, err)
	}
	return nil
}

// plainText is the plain text of a mail.
func plainText(raw []byte) (string, error) {
	e, err := gomessage.Read(bytes.NewReader(raw))
	if err != nil {
		return "", err
	}
	text := ""
	err = e.Walk(func(_ []int, part *gomessage.Entity, err error) error {
		if err != nil {
			return err
		}
		kind, _, _ := part.Header.ContentType()
		disposition, _, _ := part.Header.ContentDisposition()
		if kind == "text/plain" && disposition != "attachment" && text == "" {
			b, err := io.ReadAll(part.Body)
			text = strings.ReplaceAll(string(b), "\r\n", "\n")
			return err
		}
		return nil
	})
	return text, err
}
