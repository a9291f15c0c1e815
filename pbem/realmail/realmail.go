// Package realmail runs Dovecot and Postfix for tests, each as processes of its
// own with its own folder and loopback ports, and can treat them roughly: kill a
// session, freeze it, restart a server, renumber a mailbox.
//
// It relies on the Debian packages dovecot-imapd, dovecot-lmtpd and postfix, and
// skips the test with a word where they are missing. Everything lies below one
// temporary folder; nothing is written in /etc, and of it only the packages' own
// list of files is read. Postfix wants root, and
// so the whole pair does; Dovecot alone runs as an ordinary user too, with
// [Servers.Deliver] bringing the mail.
//
// It is for tests only: the passwords are in the clear, and no mail leaves the
// machine.
package realmail

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pbemd/pbem/hub"
)

// User is one account; the address is also the login name.
type User struct {
	Address  string
	Password string
}

// Options says what to start.
type Options struct {
	Users []User
	// NoPostfix starts Dovecot alone, which an ordinary user can do as well.
	NoPostfix bool
}

// Servers is the running pair.
type Servers struct {
	t     testing.TB
	dir   string
	users []User
	owner *user.User // of the mailboxes
	roots *x509.CertPool

	imapPort, imapsPort, lmtpPort   int
	smtpPort, submitPort, smtpsPort int

	dovecot *exec.Cmd
	postfix *exec.Cmd
	frozen  []int

	refusals *refusals
}

// startLimit is how long a server may take to answer on its port.
const startLimit = 30 * time.Second

// Start runs the servers until the test ends.
func Start(t testing.TB, o Options) *Servers {
	t.Helper()
	need(t, "dovecot", "doveadm")
	if !o.NoPostfix {
		need(t, "postfix", "postmap")
		if os.Geteuid() != 0 {
			t.Skip("skipped: Postfix starts only as root")
		}
	}
	// Not t.TempDir: the paths of sockets have to be short.
	dir, err := os.MkdirTemp("", "pbm")
	if err != nil {
		t.Fatal(err)
	}
	s := &Servers{t: t, dir: dir, users: o.Users}
	t.Cleanup(func() {
		s.Stop()
		if t.Failed() {
			t.Logf("end of Dovecot's log:\n%s\nend of Postfix's log:\n%s", s.tail("dovecot.log"), s.tail("postfix.log"))
		}
		os.RemoveAll(dir)
	})
	if err := s.prepare(); err != nil {
		t.Fatal(err)
	}
	s.StartDovecot()
	if !o.NoPostfix {
		if err := s.preparePostfix(); err != nil {
			t.Fatal(err)
		}
		s.StartPostfix()
	}
	return s
}

func need(t testing.TB, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if find(p) == "" {
			t.Skipf("skipped: %s is not installed (Debian packages dovecot-imapd, dovecot-lmtpd, postfix)", p)
		}
	}
}

// find looks in the system folders too: an ordinary user's PATH lacks them.
func find(program string) string {
	if p, err := exec.LookPath(program); err == nil {
		return p
	}
	for _, d := range []string{"/usr/sbin", "/sbin", "/usr/local/sbin"} {
		if p, err := exec.LookPath(filepath.Join(d, program)); err == nil {
			return p
		}
	}
	return ""
}

// IMAPAddr is host and port for IMAP with or without STARTTLS.
func (s *Servers) IMAPAddr() string { return loopback(s.imapPort) }

// IMAPSAddr is host and port for IMAP over TLS.
func (s *Servers) IMAPSAddr() string { return loopback(s.imapsPort) }

// SMTPAddr is host and port where mail for the users is taken from anybody.
func (s *Servers) SMTPAddr() string { return loopback(s.smtpPort) }

// SubmissionAddr is host and port where users log in, with STARTTLS offered.
func (s *Servers) SubmissionAddr() string { return loopback(s.submitPort) }

// SMTPSAddr is host and port where users log in over TLS.
func (s *Servers) SMTPSAddr() string { return loopback(s.smtpsPort) }

// TLS trusts the certificate of these servers.
func (s *Servers) TLS() *tls.Config { return &tls.Config{RootCAs: s.roots, ServerName: "localhost"} }

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

func (s *Servers) path(name string) string { return filepath.Join(s.dir, name) }

func (s *Servers) write(name, text string, mode fs.FileMode) error {
	return os.WriteFile(s.path(name), []byte(text), mode)
}

// maildir is where a user's mail lies.
func (s *Servers) maildir(address string) string {
	local, domain, _ := strings.Cut(strings.ToLower(address), "@")
	return filepath.Join(s.dir, "mail", domain, local)
}

func (s *Servers) prepare() error {
	if err := os.Chmod(s.dir, 0o755); err != nil {
		return err
	}
	var err error
	if s.owner, err = mailOwner(); err != nil {
		return err
	}
	for _, port := range []*int{&s.imapPort, &s.imapsPort, &s.lmtpPort, &s.smtpPort, &s.submitPort, &s.smtpsPort} {
		if *port, err = freePort(); err != nil {
			return err
		}
	}
	if err := s.certificate(); err != nil {
		return err
	}
	for _, d := range []string{"mail", "run"} {
		if err := os.Mkdir(s.path(d), 0o755); err != nil {
			return err
		}
	}
	var passwd strings.Builder
	for _, u := range s.users {
		fmt.Fprintf(&passwd, "%s:{PLAIN}%s::::::\n", strings.ToLower(u.Address), u.Password)
		if err := os.MkdirAll(s.maildir(u.Address), 0o700); err != nil {
			return err
		}
	}
	if err := s.own("mail"); err != nil {
		return err
	}
	if err := s.write("users", passwd.String(), 0o644); err != nil {
		return err
	}
	return s.write("dovecot.conf", s.dovecotConf(), 0o644)
}

// mailOwner is who the mailboxes belong to: never root, Dovecot refuses that.
func mailOwner() (*user.User, error) {
	if os.Geteuid() != 0 {
		return user.Current()
	}
	return user.Lookup("mail")
}

func (s *Servers) own(name string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	uid, _ := strconv.Atoi(s.owner.Uid)
	gid, _ := strconv.Atoi(s.owner.Gid)
	return filepath.WalkDir(s.path(name), func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(path, uid, gid)
	})
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func (s *Servers) certificate() error {
	cert, roots, err := hub.SelfSigned("localhost", "127.0.0.1")
	if err != nil {
		return err
	}
	s.roots = roots
	key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	if err != nil {
		return err
	}
	if err := s.write("cert.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]})), 0o644); err != nil {
		return err
	}
	return s.write("key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})), 0o600)
}

// StartDovecot starts it, after [Servers.StopDovecot].
func (s *Servers) StartDovecot() {
	s.t.Helper()
	os.Remove(s.path("run/master.pid")) // stale after a kill, and then in the way
	s.dovecot = s.child(find("dovecot"), "-F", "-c", s.path("dovecot.conf"))
	s.answers("Dovecot", s.IMAPAddr(), "* OK")
	s.answers("Dovecot's LMTP", loopback(s.lmtpPort), "220 ")
}

// StopDovecot ends the server and every session of it.
func (s *Servers) StopDovecot() {
	s.Thaw()
	end(s.dovecot)
	// The end of the master doesn't end a running session.
	for _, pid := range s.sessions("") {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	s.dovecot = nil
}

// RestartDovecot ends the server with all its sessions and starts it again.
func (s *Servers) RestartDovecot() {
	s.t.Helper()
	s.StopDovecot()
	s.StartDovecot()
}

// Stop ends both servers. It may be called twice.
func (s *Servers) Stop() {
	if s.postfix != nil {
		s.StopPostfix()
	}
	if s.dovecot != nil {
		s.StopDovecot()
	}
}

// child starts a server in a process group of its own.
func (s *Servers) child(program string, args ...string) *exec.Cmd {
	s.t.Helper()
	cmd := exec.Command(program, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := os.OpenFile(s.path("output.log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		s.t.Fatal(err)
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		s.t.Fatalf("start %s: %v", program, err)
	}
	return cmd
}

// end asks politely and then doesn't.
func end(cmd *exec.Cmd) {
	if cmd == nil {
		return
	}
	done := make(chan struct{})
	go func() { cmd.Wait(); close(done) }()
	cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-done:
	case <-time.After(5 * time.Second):
	}
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	<-done
}

// answers waits until a server greets.
func (s *Servers) answers(what, addr, greeting string) {
	s.t.Helper()
	deadline := time.Now().Add(startLimit)
	for {
		err := greets(addr, greeting)
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("%s doesn't answer on %s: %v\n%s\n%s\n%s", what, addr, err, s.tail("output.log"), s.tail("dovecot.log"), s.tail("postfix.log"))
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func greets(addr, greeting string) error {
	c, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(2 * time.Second))
	b := make([]byte, 200)
	n, err := c.Read(b)
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(b[:n], []byte(greeting)) {
		return fmt.Errorf("greeted with %q", b[:n])
	}
	return nil
}

func (s *Servers) tail(name string) string {
	b, err := os.ReadFile(s.path(name))
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return strings.Join(lines[max(0, len(lines)-25):], "\n")
}

var loggedIn = regexp.MustCompile(`Login: user=<([^>]*)>.* mpid=(\d+)`)

// sessions are the running IMAP processes of a user, or of all with "". The log
// knows the process of each login; /proc says whether it still is one.
func (s *Servers) sessions(address string) []int {
	log, err := os.ReadFile(s.path("dovecot.log"))
	if err != nil {
		return nil
	}
	var pids []int
	for _, m := range loggedIn.FindAllStringSubmatch(string(log), -1) {
		pid, err := strconv.Atoi(m[2])
		if err != nil || address != "" && !strings.EqualFold(m[1], address) || slices.Contains(pids, pid) {
			continue
		}
		if name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)); err == nil && strings.TrimSpace(string(name)) == "imap" {
			pids = append(pids, pid)
		}
	}
	return pids
}

// KillSessions kills the processes that serve a user's IMAP sessions, and says
// how many there were.
func (s *Servers) KillSessions(address string) int {
	pids := s.sessions(address)
	for _, pid := range pids {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	return len(pids)
}

// Freeze stops the processes of a user's IMAP sessions without ending them: a
// server that has fallen silent. It says how many there were.
func (s *Servers) Freeze(address string) int {
	pids := s.sessions(address)
	for _, pid := range pids {
		syscall.Kill(pid, syscall.SIGSTOP)
	}
	s.frozen = append(s.frozen, pids...)
	return len(pids)
}

// Thaw lets the frozen go on.
func (s *Servers) Thaw() {
	for _, pid := range s.frozen {
		syscall.Kill(pid, syscall.SIGCONT)
	}
	s.frozen = nil
}

// ResetUIDValidity throws away Dovecot's indexes of a user's mail, which gives
// every mailbox a new UIDVALIDITY and every message a new number.
func (s *Servers) ResetUIDValidity(address string) {
	s.t.Helper()
	s.StopDovecot()
	// UIDVALIDITY is the second of its making, or one more than the last given to
	// this user; starting before that has passed could give the same again.
	last := time.Now().Unix()
	if b, err := os.ReadFile(filepath.Join(s.maildir(address), "dovecot-uidvalidity")); err == nil {
		if v, err := strconv.ParseInt(strings.TrimSpace(string(b)), 16, 64); err == nil {
			last = min(max(last, v), last+10)
		}
	}
	time.Sleep(time.Until(time.Unix(last+1, 0)))
	err := filepath.WalkDir(s.maildir(address), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.IsDir() && strings.HasPrefix(d.Name(), "dovecot") {
			return os.Remove(path)
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.StartDovecot()
}

// Messages returns the files of a folder, "INBOX" or another, in the order of
// their arrival, as they lie on the disk.
func (s *Servers) Messages(address, folder string) [][]byte {
	s.t.Helper()
	dir := s.maildir(address)
	if folder != "INBOX" {
		dir = filepath.Join(dir, "."+folder)
	}
	var files []string
	for _, sub := range []string{"new", "cur"} {
		entries, err := os.ReadDir(filepath.Join(dir, sub))
		if err != nil && !os.IsNotExist(err) {
			s.t.Fatal(err)
		}
		for _, e := range entries {
			files = append(files, filepath.Join(dir, sub, e.Name()))
		}
	}
	slices.SortFunc(files, func(a, b string) int { return strings.Compare(filepath.Base(a), filepath.Base(b)) })
	var out [][]byte
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			s.t.Fatal(err)
		}
		if !bytes.Contains(b, []byte("\r\n")) { // Maildir keeps bare LF
			b = bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n"))
		}
		out = append(out, b)
	}
	return out
}
