package realmail

import (
	"bufio"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

func (s *Servers) preparePostfix() (err error) {
	if s.refusals, err = serveRefusals(); err != nil {
		return err
	}
	s.t.Cleanup(func() { s.refusals.listener.Close() })
	for _, d := range []string{"postfix", "spool", "data"} {
		if err := os.Mkdir(s.path(d), 0o755); err != nil {
			return err
		}
	}
	if out, err := exec.Command("chown", "postfix", s.path("data")).CombinedOutput(); err != nil {
		return fmt.Errorf("chown: %w: %s", err, out)
	}
	var known strings.Builder
	var domains []string
	for _, u := range s.users {
		fmt.Fprintf(&known, "%s x\n", strings.ToLower(u.Address))
		_, d, _ := strings.Cut(strings.ToLower(u.Address), "@")
		if !slices.Contains(domains, d) {
			domains = append(domains, d)
		}
	}
	for name, text := range map[string]string{
		"postfix/known":     known.String(),
		"postfix/aliases":   "",
		"postfix/main.cf":   s.mainCF(domains),
		"postfix/master.cf": s.masterCF(),
	} {
		if err := s.write(name, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (s *Servers) mainCF(domains []string) string {
	return fmt.Sprintf(`compatibility_level = 3.6
queue_directory = %[1]s/spool
data_directory = %[1]s/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
meta_directory = /etc/postfix
mail_owner = postfix
setgid_group = postdrop
myhostname = mail.pbem.example
mydestination =
alias_maps =
alias_database =
local_recipient_maps =
inet_interfaces = loopback-only
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
smtpd_peername_lookup = no
smtpd_error_sleep_time = 0
maillog_file = %[1]s/postfix.log
maillog_file_prefixes = %[1]s
virtual_mailbox_domains = %[2]s
virtual_mailbox_maps = texthash:%[1]s/postfix/known
virtual_transport = lmtp:inet:127.0.0.1:%[3]d
recipient_delimiter = +
default_transport = error:outbound-disabled
relay_transport = error:outbound-disabled
smtpd_relay_restrictions = permit_mynetworks, permit_sasl_authenticated, reject_unauth_destination
smtpd_recipient_restrictions = check_recipient_access tcp:127.0.0.1:%[4]d, reject_unauth_destination
smtpd_sasl_type = dovecot
smtpd_sasl_path = %[1]s/auth
smtpd_sasl_auth_enable = yes
smtpd_tls_cert_file = %[1]s/cert.pem
smtpd_tls_key_file = %[1]s/key.pem
smtpd_tls_security_level = may
smtpd_client_connection_count_limit = 0
message_size_limit = 20480000
minimal_backoff_time = 1s
maximal_backoff_time = 5s
queue_run_delay = 1s
lmtp_destination_recipient_limit = 1
`, s.dir, strings.Join(domains, ", "), s.lmtpPort, s.refusals.port())
}

func (s *Servers) masterCF() string {
	login := "-o smtpd_client_restrictions=permit_sasl_authenticated,reject"
	return fmt.Sprintf(`127.0.0.1:%d inet n - n - - smtpd
127.0.0.1:%d inet n - n - - smtpd %s
127.0.0.1:%d inet n - n - - smtpd -o smtpd_tls_wrappermode=yes %s
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
proxywrite unix - - n - 1 proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
local unix - n n - - local
virtual unix - n n - - virtual
lmtp unix - - n - - lmtp
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
`, s.smtpPort, s.submitPort, login, s.smtpsPort, login)
}

// StartPostfix runs it in the foreground, as a child of the test.
func (s *Servers) StartPostfix() {
	s.t.Helper()
	s.postfix = s.child(find("postfix"), "-c", s.path("postfix"), "start-fg")
	s.answers("Postfix", s.SMTPAddr(), "220 ")
}

// Settle waits until Postfix has nothing under way. Without it StopPostfix may
// fall between a delivery and its note of it, and the mail comes twice.
func (s *Servers) Settle() {
	s.t.Helper()
	deadline := time.Now().Add(startLimit)
	for {
		busy := 0
		for _, q := range []string{"maildrop", "incoming", "active"} {
			entries, err := os.ReadDir(s.path("spool/" + q))
			if err != nil && !os.IsNotExist(err) {
				s.t.Fatal(err)
			}
			busy += len(entries)
		}
		if busy == 0 {
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("Postfix still has %d messages under way", busy)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// StopPostfix ends it at once with all its parts; queued mail stays.
func (s *Servers) StopPostfix() {
	exec.Command(find("postfix"), "-c", s.path("postfix"), "abort").Run()
	end(s.postfix)
	s.postfix = nil
}

// RestartPostfix ends it and starts it again.
func (s *Servers) RestartPostfix() {
	s.t.Helper()
	s.StopPostfix()
	s.StartPostfix()
}

// Refuse makes Postfix answer "450 …" or "550 …" or the like to mail for an
// address, with or without +detail, from now on; the empty reply ends it.
func (s *Servers) Refuse(address, reply string) { s.refusals.set(address, reply) }

// refusals is the table Postfix asks about every recipient (tcp_table(5)), so
// that it can change while the server runs.
type refusals struct {
	listener net.Listener
	mu       sync.Mutex
	replies  map[string]string
}

func serveRefusals() (*refusals, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &refusals{listener: l, replies: make(map[string]string)}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go r.serve(c)
		}
	}()
	return r, nil
}

func (r *refusals) port() int { return r.listener.Addr().(*net.TCPAddr).Port }

func (r *refusals) set(address, reply string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.replies[strings.ToLower(address)] = reply
}

func (r *refusals) serve(c net.Conn) {
	defer c.Close()
	in := bufio.NewScanner(c)
	for in.Scan() {
		key, err := url.PathUnescape(strings.TrimPrefix(in.Text(), "get "))
		if err != nil {
			return
		}
		r.mu.Lock()
		reply := r.replies[strings.ToLower(key)]
		r.mu.Unlock()
		if reply == "" {
			fmt.Fprint(c, "500 not%20here\n")
			continue
		}
		fmt.Fprintf(c, "200 %s\n", url.PathEscape(reply))
	}
}

// Flush makes Postfix try the deferred mail now.
func (s *Servers) Flush() {
	exec.Command(find("postqueue"), "-c", s.path("postfix"), "-f").Run()
}
