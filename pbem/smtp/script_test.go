package smtp_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pbemd/pbem"
	"pbemd/pbem/smtp"
)

// script is an SMTP server that does exactly what a test wants: answer gets the
// command in upper case ("." for the end of the text) and what is returned goes
// out; "" is the usual answer, "cut" closes, "mute" says nothing.
type script struct {
	addr   string
	ehlo   string
	answer func(cmd string) string
	conns  atomic.Int32

	mu    sync.Mutex
	log   []string
	taken []string // messages answered with 250, or cut after the dot
}

const mute, cut = "mute", "cut"

func play(t *testing.T, ehlo string, answer func(cmd string) string) *script {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &script{addr: l.Addr().String(), ehlo: ehlo, answer: answer}
	var all sync.WaitGroup
	t.Cleanup(func() { l.Close(); all.Wait() })
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.conns.Add(1)
			all.Go(func() { s.serve(c) })
		}
	})
	return s
}

func (s *script) serve(c net.Conn) {
	defer c.Close()
	c.SetDeadline(time.Now().Add(20 * time.Second))
	r := bufio.NewReader(c)
	decide := func(cmd, usual string) string {
		s.mu.Lock()
		s.log = append(s.log, cmd)
		s.mu.Unlock()
		if out := s.answer(cmd); out != "" {
			return out
		}
		return usual
	}
	say := func(out string) bool {
		if out != mute && out != cut {
			fmt.Fprintf(c, "%s\r\n", out)
		}
		return out != cut
	}
	if !say(decide("CONNECT", "220 ready")) {
		return
	}
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		cmd := strings.ToUpper(strings.TrimSpace(line))
		usual := "250 ok"
		switch {
		case strings.HasPrefix(cmd, "EHLO"):
			usual = "250-localhost\r\n250" + s.ehlo
		case strings.HasPrefix(cmd, "AUTH"):
			usual = "235 ok"
		case cmd == "QUIT":
			usual = "221 bye"
		case cmd == "DATA":
			usual = "354 go on"
		}
		out := decide(cmd, usual)
		if !say(out) {
			return
		}
		if !strings.HasPrefix(out, "354") {
			continue
		}
		var text strings.Builder
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			if line == ".\r\n" {
				break
			}
			text.WriteString(strings.TrimPrefix(line, "."))
		}
		if out = decide(".", "250 taken"); strings.HasPrefix(out, "250") || out == cut {
			s.mu.Lock()
			s.taken = append(s.taken, text.String())
			s.mu.Unlock()
		}
		if !say(out) {
			return
		}
	}
}

func (s *script) asked(prefix string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, l := range s.log {
		if strings.HasPrefix(l, prefix) {
			n++
		}
	}
	return n
}

func (s *script) takenNow() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.taken...)
}

const brief = 300 * time.Millisecond

func (s *script) sender(t *testing.T) *smtp.Sender {
	out := smtp.New(smtp.Config{Addr: s.addr, Security: smtp.None, Limit: brief})
	t.Cleanup(func() { out.Close() })
	return out
}

const message = "Message-ID: <g12.t7.r1@pbem.example>\r\nSubject: [12] YOUR TURN\r\n\r\n.dot\r\nhello\r\n"

var envelope = pbem.Envelope{From: "gm@pbem.example", To: "alice@players.example"}

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func never(string) string { return "" }

// on answers one command, once or always.
func on(prefix, answer string, times int32) func(string) string {
	var n atomic.Int32
	return func(cmd string) string {
		if strings.HasPrefix(cmd, prefix) && (times == 0 || n.Add(1) <= times) {
			return answer
		}
		return ""
	}
}

// The table of outcomes: what the server did, and what becomes of the mail.
func TestOutcomes(t *testing.T) {
	const sent, again, parked = "sent", "again", "parked"
	for _, c := range []struct {
		name   string
		answer func(string) string
		want   string
		code   int
		taken  int // by the server
	}{
		{"all is well", never, sent, 0, 1},
		{"RSET and QUIT are cut after the 250", func(cmd string) string {
			if cmd == "QUIT" || cmd == "RSET" {
				return cut
			}
			return ""
		}, sent, 0, 1},
		{"cut after the last dot", on(".", cut, 0), again, 0, 1},
		{"mute after the last dot", on(".", mute, 0), again, 0, 0},
		{"cut at the greeting", on("CONNECT", cut, 0), again, 0, 0},
		{"mute at the greeting", on("CONNECT", mute, 0), again, 0, 0},
		{"cut before the dot", on("RCPT", cut, 0), again, 0, 0},
		{"mute at MAIL", on("MAIL", mute, 0), again, 0, 0},
		{"no service now", on("CONNECT", "421 come back later", 0), again, 421, 0},
		{"no service at all is not about the mail", on("CONNECT", "554 go away", 0), again, 554, 0},
		{"421 at MAIL", on("MAIL", "421 closing", 0), again, 421, 0},
		{"450 at RCPT", on("RCPT", "450 mailbox busy", 0), again, 450, 0},
		{"451 greylisted", on("RCPT", "451 4.7.1 greylisted", 0), again, 451, 0},
		{"452 at the end", on(".", "452 disk full", 0), again, 452, 0},
		{"550 at RCPT", on("RCPT", "550 no such user", 0), parked, 550, 0},
		{"550 at MAIL", on("MAIL", "550 sender not allowed", 0), parked, 550, 0},
		{"554 at the end", on(".", "554 looks like spam", 0), parked, 554, 0},
		{"554 at DATA", on("DATA", "554 no", 0), parked, 554, 0},
		{"530 is about the session", on("MAIL", "530 log in first", 0), again, 530, 0},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
			s := play(t, " 8BITMIME", c.answer)
			began := time.Now()
			err := s.sender(t).Send(within(t), envelope, []byte(message))
			if took := time.Since(began); took > 10*brief {
				t.Errorf("took %v", took)
			}
			var se *pbem.SendError
			got := sent
			if errors.As(err, &se) {
				if got = parked; se.Temporary {
					got = again
				}
				if se.Delivered {
					got = sent
				}
				if se.Code != c.code {
					t.Errorf("code %d, want %d", se.Code, c.code)
				}
			} else if err != nil {
				t.Fatalf("not a *pbem.SendError: %v", err)
			}
			if got != c.want {
				t.Errorf("the mail is %s, want %s (%v)", got, c.want, err)
			}
			taken := s.takenNow()
			if len(taken) != c.taken {
				t.Errorf("the server has it %d times, want %d", len(taken), c.taken)
			}
			for _, m := range taken {
				if m != message {
					t.Errorf("the server has %q", m)
				}
			}
		})
	}
}

func TestTheSecondTryIsTheSameBytes(t *testing.T) {
	s := play(t, " 8BITMIME", on(".", cut, 1))
	out := s.sender(t)
	if err := out.Send(within(t), envelope, []byte(message)); err == nil {
		t.Fatal("no error")
	}
	if err := out.Send(within(t), envelope, []byte(message)); err != nil {
		t.Fatal(err)
	}
	if m := s.takenNow(); len(m) != 2 || m[0] != m[1] {
		t.Errorf("taken %q", m)
	}
}

func TestOneConnectionForABatch(t *testing.T) {
	s := play(t, " 8BITMIME", never)
	out := smtp.New(smtp.Config{Addr: s.addr, Security: smtp.None, Limit: brief, Batch: 3, Idle: time.Minute})
	for range 7 {
		if err := out.Send(within(t), envelope, []byte(message)); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.conns.Load(); n != 3 {
		t.Errorf("%d connections for 7 messages at 3 each, want 3", n)
	}
	out.Close()
	if n := s.asked("QUIT"); n != 3 {
		t.Errorf("%d goodbyes, want 3", n)
	}
	if err := out.Send(within(t), envelope, []byte(message)); err == nil {
		t.Error("send after close: no error")
	}
}

func TestAnIdleConnectionIsGivenUp(t *testing.T) {
	gone := make(chan struct{})
	s := play(t, " 8BITMIME", func(cmd string) string {
		if cmd == "QUIT" {
			close(gone)
		}
		return ""
	})
	out := smtp.New(smtp.Config{Addr: s.addr, Security: smtp.None, Limit: 5 * time.Second, Idle: 50 * time.Millisecond})
	if err := out.Send(within(t), envelope, []byte(message)); err != nil {
		t.Fatal(err)
	}
	select {
	case <-gone:
	case <-time.After(5 * time.Second):
		t.Error("no goodbye")
	}
	if out.Close() != nil || s.asked("QUIT") != 1 {
		t.Error("said goodbye twice")
	}
}

// The server has closed the kept connection meanwhile: no failure of the mail.
func TestAStaleConnectionIsReplaced(t *testing.T) {
	for name, answer := range map[string]string{"cut": cut, "421": "421 idle too long"} {
		t.Run(name, func(t *testing.T) {
			var mails atomic.Int32
			s := play(t, " 8BITMIME", func(cmd string) string {
				if strings.HasPrefix(cmd, "MAIL") && mails.Add(1) == 2 {
					return answer
				}
				return ""
			})
			out := s.sender(t)
			for range 2 {
				if err := out.Send(within(t), envelope, []byte(message)); err != nil {
					t.Fatal(err)
				}
			}
			if n := len(s.takenNow()); n != 2 || s.conns.Load() != 2 {
				t.Errorf("%d taken on %d connections, want 2 on 2", n, s.conns.Load())
			}
		})
	}
}

func TestARefusedMailDoesNotStopTheNext(t *testing.T) {
	s := play(t, " 8BITMIME", on("RCPT", "550 no such user", 1))
	out := s.sender(t)
	if err := out.Send(within(t), envelope, []byte(message)); err == nil {
		t.Fatal("no error")
	}
	if err := out.Send(within(t), envelope, []byte(message)); err != nil {
		t.Fatal(err)
	}
	if s.conns.Load() != 1 || s.asked("RSET") != 1 {
		t.Errorf("%d connections, %d RSET; want one each", s.conns.Load(), s.asked("RSET"))
	}
}

func TestWhatTheServerCannotTakeIsNotOffered(t *testing.T) {
	for _, c := range []struct {
		name, ehlo, to, text string
		code                 int
	}{
		{"too large", "-8BITMIME\r\n250 SIZE 20", "alice@players.example", message, 552},
		{"8-bit text", " SIZE 0", "alice@players.example", "Subject: x\r\n\r\nPanzerjäger\r\n", 554},
		{"an address that is not ASCII", " 8BITMIME", "jürgen@players.example", message, 553},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
			s := play(t, c.ehlo, never)
			err := s.sender(t).Send(within(t), pbem.Envelope{From: "gm@pbem.example", To: c.to}, []byte(c.text))
			var se *pbem.SendError
			if !errors.As(err, &se) || se.Temporary || se.Code != c.code {
				t.Errorf("%v, want for good with code %d", err, c.code)
			}
			if s.asked("MAIL") != 0 {
				t.Error("offered all the same")
			}
		})
	}
}

func TestLogin(t *testing.T) {
	for _, c := range []struct {
		name, offered string
		answer        func(string) string
		token         bool
		refused       bool
		asked         string
	}{
		{"PLAIN", "-AUTH LOGIN PLAIN\r\n250 8BITMIME", never, false, false, "AUTH PLAIN "},
		{"XOAUTH2", "-AUTH PLAIN XOAUTH2\r\n250 8BITMIME", never, true, false, "AUTH XOAUTH2 "},
		{"no XOAUTH2 offered", "-AUTH PLAIN\r\n250 8BITMIME", never, true, true, ""},
		{"nothing offered", " 8BITMIME", never, false, true, ""},
		{"wrong password", "-AUTH PLAIN\r\n250 8BITMIME", on("AUTH", "535 5.7.8 no", 0), false, true, "AUTH PLAIN "},
		{"the server can't check now", "-AUTH PLAIN\r\n250 8BITMIME", on("AUTH", "454 later", 1), false, false, "AUTH PLAIN "},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
			s := play(t, c.offered, c.answer)
			cfg := smtp.Config{Addr: s.addr, Security: smtp.None, Limit: brief, User: "gm", Password: "hush"}
			if c.token {
				cfg.Token = func(context.Context) (string, error) { return "token", nil }
			}
			out := smtp.New(cfg)
			defer out.Close()
			err := out.Send(within(t), envelope, []byte(message))
			if errors.Is(err, smtp.ErrRefused) != c.refused {
				t.Errorf("%v, want refused %v", err, c.refused)
			}
			var se *pbem.SendError
			if errors.As(err, &se) && !se.Temporary {
				t.Errorf("the mail is parked for a login: %v", err)
			}
			if err != nil && strings.Contains(err.Error(), "hush") {
				t.Errorf("the error tells the password: %v", err)
			}
			if c.asked != "" && s.asked(c.asked) == 0 {
				t.Errorf("asked %q", s.log)
			}
		})
	}
}

func TestUnencryptedIsRefusedBeyondLoopback(t *testing.T) {
	for _, c := range []struct {
		cfg smtp.Config
		ok  bool
	}{
		{smtp.Config{Addr: "mail.example.org:25", Security: smtp.None}, false},
		{smtp.Config{Addr: "192.0.2.1:25", Security: smtp.None}, false},
		{smtp.Config{Addr: "mail.example.org:25", Security: smtp.None, InsecurePlain: true}, true},
		{smtp.Config{Addr: "localhost:25", Security: smtp.None}, true},
		{smtp.Config{Addr: "mail.example.org:465"}, true},
		{smtp.Config{Addr: "mail.example.org:587", Security: smtp.StartTLS}, true},
	} {
		if err := c.cfg.Validate(); (err == nil) != c.ok || err != nil && !errors.Is(err, smtp.ErrInsecure) {
			t.Errorf("%s %q: %v", c.cfg.Addr, c.cfg.Security, err)
		}
		if !c.ok {
			if err := smtp.New(c.cfg).Send(within(t), envelope, []byte(message)); !errors.Is(err, smtp.ErrInsecure) {
				t.Errorf("send: %v", err)
			}
		}
	}
	for _, bad := range []smtp.Config{{Addr: "nohost"}, {Addr: "h:smtp"}, {Addr: "h:1", Security: "ssl"}} {
		if bad.Validate() == nil {
			t.Errorf("%+v: no error", bad)
		}
	}
	s := play(t, " 8BITMIME", never) // a server, or somebody between, that hides STARTTLS
	out := smtp.New(smtp.Config{Addr: s.addr, Security: smtp.StartTLS, User: "gm", Password: "hush", Limit: brief})
	defer out.Close()
	if err := out.Send(within(t), envelope, []byte(message)); !errors.Is(err, smtp.ErrInsecure) {
		t.Errorf("without STARTTLS: %v, want ErrInsecure", err)
	}
	if s.asked("AUTH") != 0 || s.asked("MAIL") != 0 {
		t.Errorf("went on in the clear: %q", s.log)
	}
}

func TestStartTLSWithTheHub(t *testing.T) {
	h := startHub(t, true)
	cfg := smtp.Config{Addr: h.SMTPAddr(), Security: smtp.StartTLS, TLS: &tls.Config{RootCAs: h.Roots()}, User: gm, Password: gmPassword, From: gm}
	out := smtp.New(cfg)
	defer out.Close()
	if err := out.Send(within(t), pbem.Envelope{From: gm, To: alice}, []byte(message)); err != nil {
		t.Error(err)
	}
	if r, err := out.Check(within(t)); err != nil || !r.LoggedIn || !r.SenderOK {
		t.Errorf("report %+v, %v", r, err)
	}
	cfg.TLS = nil // the certificate is nobody's
	strict := smtp.New(cfg)
	defer strict.Close()
	if err := strict.Send(within(t), pbem.Envelope{From: gm, To: alice}, []byte(message)); err == nil {
		t.Error("an unknown certificate was taken")
	}
}

// Many failures in a row leave no connection behind.
func TestFailedLoginsLeakNoConnection(t *testing.T) {
	var open atomic.Int32
	s := play(t, "-AUTH PLAIN\r\n250 8BITMIME", on("AUTH", "535 no", 0))
	out := smtp.New(smtp.Config{Addr: s.addr, Security: smtp.None, Limit: 5 * time.Second, User: "gm", Password: "x",
		Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
			c, err := (&net.Dialer{}).DialContext(ctx, network, addr)
			if err == nil {
				open.Add(1)
				c = &counted{Conn: c, open: &open}
			}
			return c, err
		}})
	defer out.Close()
	for range 5 {
		if err := out.Send(within(t), envelope, []byte(message)); err == nil {
			t.Fatal("no error")
		}
	}
	if n := open.Load(); n != 0 {
		t.Errorf("%d connections left open", n)
	}
}

type counted struct {
	net.Conn
	open *atomic.Int32
	once sync.Once
}

func (c *counted) Close() error {
	c.once.Do(func() { c.open.Add(-1) })
	return c.Conn.Close()
}
