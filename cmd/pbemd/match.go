package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	gomessage "github.com/emersion/go-message"

	"pbemd/engine"
	"pbemd/pbem"
	"pbemd/pbem/hub"
	"pbemd/pbem/message"
	"pbemd/templates"
	"pbemd/testdata/games"
)

// matchUsers are the accounts of a scripted game: the server's, then the
// players'.
var matchUsers = []struct {
	side              engine.Side
	name              string
	address, password string
}{
	{"", "", "gm@pbem.example", "gm-demo"},
	{"axis", "Anna", "axis@players.example", "axis-demo"},
	{"soviet", "Boris", "soviet@players.example", "soviet-demo"},
}

// matchLimit is how long the players wait for each other before a scripted game
// is given up.
const matchLimit = 2 * time.Minute

// wires are the mail servers that a scripted game goes through.
type wires struct {
	imap, smtp string      // for the daemon, without login at SMTP
	submit     string      // where players hand in their mails
	tls        *tls.Config // players log in there by STARTTLS, if set
}

// match is a scripted game of Blitzkrieg '41 by mail: a daemon, and two players
// who use nothing but the network.
type match struct {
	script games.Script
	seed   string
	lang   string // of the players' mails
	dir    string // of the daemon
	album  *album
	mail   wires
	out    io.Writer
	began  time.Time
	beacon *demoBeacon // for dice of the grade beacon
	mu     sync.Mutex

	daemon *daemon
	game   pbem.GameID
	run    pbem.Replayed
	over   bool
}

// say tells what happens as it happens.
func (m *match) say(who, format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	fmt.Fprintf(m.out, "%6.2fs  %-7s %s\n", time.Since(m.began).Seconds(), who, fmt.Sprintf(format, args...))
}

// begin starts the daemon and founds the game.
func (m *match) begin(ctx context.Context) error {
	gm := matchUsers[0]
	pace, wiring := pbem.Pace{}, []setup{}
	if m.beacon != nil { // its clock moves faster
		pace.Tick, wiring = 100*time.Millisecond, []setup{m.beacon.wire}
	}
	d, err := startDaemon(ctx, m.dir, m.mail.imap, m.mail.smtp, gm.address, gm.password, m.album, pace, wiring...)
	if err != nil {
		return err
	}
	found := pbem.Founding{Rules: "blitz41", Terms: pbem.Terms{NoJoin: true, AnswerHours: 72, Seed: m.seed, Beacon: m.beacon != nil}}
	for _, u := range matchUsers[1:] {
		found.Seats = append(found.Seats, pbem.Seat{Side: u.side, Name: u.name, Address: u.address, Lang: or(m.lang, "en")})
	}
	m.daemon = d
	if m.game, err = d.office.NewGame(ctx, found); err != nil {
		return err
	}
	m.say("pbemd", "game %v of Blitzkrieg '41: Anna plays the Axis, Boris the Soviets", m.game)
	return nil
}

// play has the players send what the script holds, to the end of the game or of
// the script, and runs all of it again.
func (m *match) play(ctx context.Context) error {
	playing, stop := context.WithTimeout(ctx, matchLimit)
	defer stop()
	lang, err := templates.Load(or(m.lang, "en"))
	if err != nil {
		return err
	}
	still := lang.Say(engine.T("office.subject.still"))
	results := make(chan error, len(matchUsers))
	var players []*scripted
	// Who plays the side that moves later sits down first, so that what he says
	// about his defence is known before the first assault.
	seated := make(chan struct{})
	close(seated)
	for i := len(matchUsers) - 1; i > 0; i-- {
		u := matchUsers[i]
		p := &scripted{
			side: u.side, name: u.name, still: still, script: m.script, say: m.say, keep: m.album.received, beacon: m.beacon, before: seated, seated: make(chan struct{}),
			mail: hub.NewPlayer(hub.PlayerConfig{
				Address: u.address, Name: u.name, Password: u.password, IMAP: m.mail.imap, SMTP: m.mail.submit,
				Login: m.mail.tls != nil, TLS: m.mail.tls, Poll: 200 * time.Millisecond,
			}),
		}
		defer p.mail.Close()
		seated = p.seated
		players = append(players, p)
		go func() { results <- p.play(playing) }()
	}
	for range players {
		if err := <-results; err != nil {
			stop()
			return err
		}
	}
	m.over = true
	for _, p := range players {
		m.over = m.over && p.over
	}
	if m.run, err = m.daemon.office.Replay(ctx, m.game, nil); err != nil {
		return err
	}
	if m.run.Differs > 0 {
		return fmt.Errorf("sheet %d came out otherwise when run again", m.run.Differs)
	}
	m.say("pbemd", "replay: %d sheets run again, %d events, all the same", m.run.Bursts, m.run.Events)
	return nil
}

// end waits for the daemon, if it began; its context has ended.
func (m *match) end() error {
	if m.daemon == nil {
		return nil
	}
	return m.daemon.stop()
}

// daemon is the server of a scripted game, on whatever mail servers.
type daemon struct {
	*server
	done chan error
}

// startDaemon serves a mailbox on loopback servers.
func startDaemon(ctx context.Context, dir, imapAddr, smtpAddr, mailbox, password string, log io.Writer, pace pbem.Pace, wiring ...setup) (*daemon, error) {
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
	s, err := openServer(cfg, l, wiring...)
	if err != nil {
		return nil, err
	}
	d := &daemon{s, make(chan error, 1)}
	go func() {
		err := s.office.Run(ctx, in, out, pace)
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
	beacon  *demoBeacon   // is told of the close records he reads, if there is one
	before  chan struct{} // closed when he may begin
	seated  chan struct{} // closed when his standing orders are taken
	used    map[string]int
	asked   string // the question he has answered last, until he is told that it is taken
	closing bool   // has sent END PHASE because the script has nothing more
	over    bool   // has read the end of the game
	still   string // the words of a subject that say: it is your turn still
}

var (
	subjectWord = regexp.MustCompile(`\] (NOT ACCEPTED|ACCEPTED|CHECKED|QUESTION|YOUR TURN|WAITING|GAME OVER)`)
	headingLine = regexp.MustCompile(`(?m)^(GAME \d+ TURN (\d+) PHASE ([A-Z]+))\s*$`)
	gameNo      = regexp.MustCompile(`\[(\d+)`)
	turnOf      = regexp.MustCompile(` (\d+)$`)
	roundLine   = regexp.MustCompile(`(?m)^round: (\d+)$`)
	questionNo  = regexp.MustCompile(`QUESTION Q(\d+)`)
)

func (p *scripted) play(ctx context.Context) error {
	p.used = map[string]int{}
	greeted, seated := false, false
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
		if p.beacon != nil {
			for _, round := range roundLine.FindAllStringSubmatch(text, -1) {
				n, err := strconv.ParseUint(round[1], 10, 64)
				if err != nil {
					return fmt.Errorf("%s reads a mail: %w", p.name, err)
				}
				p.beacon.closed(p.name, n, len(matchUsers)-1)
			}
		}
		if !greeted {
			greeted = true
			select {
			case <-p.before:
			case <-ctx.Done():
				return fmt.Errorf("%s waits to begin: %w", p.name, ctx.Err())
			}
			if lines := p.script.Next(p.side, "standing", p.used); lines != nil {
				if err := p.send(ctx, raw, "GAME "+gameNo.FindStringSubmatch(m.Subject)[1], lines); err != nil {
					return err
				}
				continue
			}
		}
		if !seated {
			seated = true
			close(p.seated)
		}
		word := subjectWord.FindStringSubmatch(m.Subject)
		if word == nil {
			continue
		}
		if word[1] == "GAME OVER" {
			p.say(p.name, "has read the end")
			p.over = true
			return nil
		}
		if turn := turnOf.FindStringSubmatch(m.Subject); turn != nil && p.script.Over(p.side, "turn "+turn[1]) {
			p.say(p.name, "has played what the script holds")
			return nil
		}
		if word[1] == "ACCEPTED" {
			p.asked = ""
		}
		head := headingLine.FindStringSubmatch(text)
		switch {
		case word[1] == "NOT ACCEPTED" && p.asked != "":
			// Only the answer itself, then; the game waits for it.
			lines := []string{"ANSWER Q" + p.asked + " A"}
			p.asked = ""
			if err := p.send(ctx, raw, "GAME "+gameNo.FindStringSubmatch(m.Subject)[1], lines); err != nil {
				return err
			}
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
			p.asked = no[1]
			if head == nil {
				head = []string{"", "GAME " + gameNo.FindStringSubmatch(m.Subject)[1]}
			}
			if err := p.send(ctx, raw, head[1], lines); err != nil {
				return err
			}
		case head != nil && (word[1] == "YOUR TURN" || strings.Contains(m.Subject, p.still)):
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
