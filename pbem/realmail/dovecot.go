package realmail

import (
	"bytes"
	"fmt"
	"net"
	"net/textproto"
	"os"
	"os/user"
	"strings"
	"time"
)

func (s *Servers) dovecotConf() string {
	var b strings.Builder
	fmt.Fprintf(&b, `base_dir = %[1]s/run
state_dir = %[1]s/run
protocols = imap lmtp
listen = 127.0.0.1
log_path = %[1]s/dovecot.log
ssl = yes
ssl_cert = <%[1]s/cert.pem
ssl_key = <%[1]s/key.pem
disable_plaintext_auth = no
auth_failure_delay = 0
auth_mechanisms = plain login
mail_location = maildir:%[1]s/mail/%%d/%%n
mail_uid = %[2]s
mail_gid = %[3]s
first_valid_uid = 1
first_valid_gid = 1
recipient_delimiter = +
mail_max_userip_connections = 20
passdb {
  driver = passwd-file
  args = username_format=%%Lu %[1]s/users
}
userdb {
  driver = static
  args = uid=%[2]s gid=%[3]s home=%[1]s/mail/%%d/%%n
}
namespace inbox {
  inbox = yes
}
service imap-login {
  inet_listener imap {
    address = 127.0.0.1
    port = %[4]d
  }
  inet_listener imaps {
    address = 127.0.0.1
    port = %[5]d
    ssl = yes
  }
}
service anvil {
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service lmtp {
  inet_listener lmtp {
    address = 127.0.0.1
    port = %[6]d
  }
}
`, s.dir, s.owner.Uid, s.owner.Gid, s.imapPort, s.imapsPort, s.lmtpPort)
	if os.Geteuid() != 0 {
		s.rootless(&b)
		return b.String()
	}
	fmt.Fprintf(&b, `service auth {
  unix_listener %s/auth {
    mode = 0660
    user = postfix
    group = postfix
  }
}
`, s.dir)
	return b.String()
}

// rootless runs every part of Dovecot as the present user, without chroot.
func (s *Servers) rootless(b *strings.Builder) {
	group := s.owner.Gid
	if g, err := user.LookupGroupId(s.owner.Gid); err == nil {
		group = g.Name
	}
	fmt.Fprintf(b, "default_internal_user = %[1]s\ndefault_login_user = %[1]s\ndefault_internal_group = %[2]s\n", s.owner.Username, group)
	for _, service := range []string{"anvil", "stats", "imap-login", "imap", "lmtp", "auth", "auth-worker", "config", "log"} {
		fmt.Fprintf(b, "service %s {\n  chroot =\n}\n", service)
	}
	fmt.Fprintf(b, "service auth {\n  user = %[1]s\n}\nservice auth-worker {\n  user = %[1]s\n}\nservice lmtp {\n  user = %[1]s\n}\n", s.owner.Username)
}

// Deliver hands a message straight to Dovecot, as Postfix does, and returns when
// it lies in the mailbox.
func (s *Servers) Deliver(from, to string, message []byte) {
	s.t.Helper()
	if err := s.lmtp(from, to, message); err != nil {
		s.t.Fatalf("deliver to %s: %v", to, err)
	}
}

func (s *Servers) lmtp(from, to string, message []byte) error {
	raw, err := net.DialTimeout("tcp", loopback(s.lmtpPort), 5*time.Second)
	if err != nil {
		return err
	}
	raw.SetDeadline(time.Now().Add(30 * time.Second))
	c := textproto.NewConn(raw)
	defer c.Close()
	if _, _, err := c.ReadResponse(220); err != nil {
		return err
	}
	for _, step := range []struct {
		line string
		code int
	}{{"LHLO localhost", 250}, {"MAIL FROM:<" + from + ">", 250}, {"RCPT TO:<" + to + ">", 250}, {"DATA", 354}} {
		if err := c.PrintfLine("%s", step.line); err != nil {
			return err
		}
		if _, _, err := c.ReadResponse(step.code); err != nil {
			return fmt.Errorf("%s: %w", step.line, err)
		}
	}
	w := c.DotWriter()
	if _, err := bytes.NewReader(message).WriteTo(w); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	_, _, err = c.ReadResponse(250)
	return err
}
