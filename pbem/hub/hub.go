// Package hub is a small mail server inside the process: IMAP and SMTP on
// loopback ports, for the demo and for tests, and a [Player] who writes and
// reads mail through any server.
//
// It relies on the in-memory store of go-imap and on go-smtp. A message to
// name+detail@domain goes to name@domain and keeps the full address in
// Delivered-To, as real delivery agents do. Faults can be ordered: replies by
// recipient, greylisting, cut connections, a server that is down, a new
// UIDVALIDITY.
//
// It won't listen beyond loopback, relay to anybody else, or keep anything
// after Close: every start has a new UIDVALIDITY and empty mailboxes.
package hub

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	goimap "github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"
	gosmtp "github.com/emersion/go-smtp"
)

// User is one account; the address is also the login name.
type User struct {
	Address  string
	Password string
}

// Config says what to start. The zero value of everything but Users is good.
type Config struct {
	Users []User
	// IMAP and SMTP are loopback addresses to listen on, "127.0.0.1:0" by default.
	IMAP, SMTP string
	// STARTTLS offers encryption with a certificate made at the start, which
	// [Hub.Roots] vouches for. Plain sessions stay allowed.
	STARTTLS bool
	// MaxMessage is the size limit in octets, 20 MiB by default.
	MaxMessage int64
	// Now dates the Received lines and INTERNALDATE, time.Now by default.
	Now func() time.Time
	// Log gets one line per delivery; nothing by default.
	Log *slog.Logger
}

// Hub is the running pair of servers.
type Hub struct {
	cfg       Config
	imapAddr  string
	smtpAddr  string
	imap      *imapserver.Server
	smtp      *gosmtp.Server
	imapGate  *gate
	smtpGate  *gate
	roots     *x509.CertPool
	epoch     atomic.Uint32
	delivered atomic.Int64
	faults    faults
	serving   sync.WaitGroup

	mu    sync.Mutex
	users map[string]*account
}

type account struct {
	address  string
	password string
	store    *imapmemserver.User
	moving   sync.Mutex // two opposite moves at once would wait for each other
}

// Start opens both servers and returns when they can be spoken to.
func Start(cfg Config) (*Hub, error) {
	if cfg.IMAP == "" {
		cfg.IMAP = "127.0.0.1:0"
	}
	if cfg.SMTP == "" {
		cfg.SMTP = "127.0.0.1:0"
	}
	if cfg.MaxMessage == 0 {
		cfg.MaxMessage = 20 << 20
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	h := &Hub{cfg: cfg, users: make(map[string]*account)}
	h.epoch.Store(nextEpoch())
	for _, u := range cfg.Users {
		if err := h.AddUser(u.Address, u.Password); err != nil {
			return nil, err
		}
	}
	var serverTLS *tls.Config
	if cfg.STARTTLS {
		cert, roots, err := SelfSigned("localhost", "127.0.0.1")
		if err != nil {
			return nil, err
		}
		serverTLS = &tls.Config{Certificates: []tls.Certificate{cert}}
		h.roots = roots
	}
	var err error
	if h.imapGate, err = listen(cfg.IMAP); err != nil {
		return nil, err
	}
	if h.smtpGate, err = listen(cfg.SMTP); err != nil {
		h.imapGate.Close()
		return nil, err
	}
	h.imapAddr, h.smtpAddr = h.imapGate.Addr().String(), h.smtpGate.Addr().String()
	h.startIMAP(serverTLS)
	h.startSMTP(serverTLS)
	return h, nil
}

func (h *Hub) startIMAP(serverTLS *tls.Config) {
	h.imap = imapserver.New(&imapserver.Options{
		InsecureAuth: true, // loopback only
		TLSConfig:    serverTLS,
		Logger:       quiet{},
		Caps: goimap.CapSet{
			goimap.CapIMAP4rev1: {}, goimap.CapMove: {}, goimap.CapUIDPlus: {}, goimap.CapNamespace: {},
			goimap.CapESearch: {}, goimap.CapListExtended: {}, goimap.CapListStatus: {},
		},
		NewSession: func(*imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
			return &session{hub: h}, nil, nil
		},
	})
	h.serving.Go(func() { h.imap.Serve(h.imapGate) })
}

func (h *Hub) startSMTP(serverTLS *tls.Config) {
	s := gosmtp.NewServer(gosmtp.BackendFunc(func(c *gosmtp.Conn) (gosmtp.Session, error) {
		return h.newSubmission(c)
	}))
	s.Domain = "localhost"
	s.AllowInsecureAuth = true // loopback only
	s.TLSConfig = serverTLS
	s.ReadTimeout = 5 * time.Minute
	s.WriteTimeout = time.Minute
	s.MaxMessageBytes = h.cfg.MaxMessage
	s.MaxRecipients = 50
	s.MaxLineLength = 0 // some HTML mailers write longer lines than the RFC allows
	s.ErrorLog = quiet{}
	h.smtp = s
	h.serving.Go(func() { s.Serve(h.smtpGate) })
}

// lastEpoch keeps the hubs of one process apart however fast they start.
var lastEpoch atomic.Uint32

// nextEpoch is a UIDVALIDITY that no hub had before: the time, or one more than
// the last.
func nextEpoch() uint32 {
	for {
		last := lastEpoch.Load()
		next := max(last+1, uint32(time.Now().UnixMilli()/10))
		if lastEpoch.CompareAndSwap(last, next) {
			return next
		}
	}
}

// IMAPAddr is host and port of the IMAP server.
func (h *Hub) IMAPAddr() string { return h.imapAddr }

// SMTPAddr is host and port of the SMTP server.
func (h *Hub) SMTPAddr() string { return h.smtpAddr }

// Roots vouches for the certificate offered by STARTTLS; nil without it.
func (h *Hub) Roots() *x509.CertPool { return h.roots }

// Delivered counts the messages put into mailboxes so far, one per recipient.
func (h *Hub) Delivered() int { return int(h.delivered.Load()) }

// AddUser opens one more account while the servers run.
func (h *Hub) AddUser(address, password string) error {
	local, domain, ok := strings.Cut(address, "@")
	if !ok || local == "" || domain == "" || strings.ContainsAny(address, "+<> \r\n") {
		return fmt.Errorf("add user %q: not a plain address like name@example.org", address)
	}
	key := strings.ToLower(address)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.users[key] != nil {
		return fmt.Errorf("add user %q: there is one already", address)
	}
	u := imapmemserver.NewUser(key, password)
	if err := u.Create("INBOX", nil); err != nil {
		return fmt.Errorf("add user %q: %w", address, err)
	}
	h.users[key] = &account{address: key, password: password, store: u}
	return nil
}

// Close ends both servers and every connection, and forgets all mail.
func (h *Hub) Close() error {
	h.imapGate.drop()
	h.smtpGate.drop()
	err := h.imap.Close()
	if e := h.smtp.Close(); err == nil {
		err = e
	}
	h.imapGate.drop()
	h.smtpGate.drop()
	h.serving.Wait()
	return err
}

// account finds the mailbox of an address, with or without +detail.
func (h *Hub) account(address string) *account {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.users[base(address)]
}

// base is the address without +detail, in lower case.
func base(address string) string {
	at := strings.LastIndexByte(address, '@')
	if at < 0 {
		return strings.ToLower(address)
	}
	local, _, _ := strings.Cut(address[:at], "+")
	return strings.ToLower(local + address[at:])
}

// gate is a listener that knows its connections, can cut them, and can play
// dead. Each write has a limit, so that a client that stops reading can't hold
// a mailbox for ever.
type gate struct {
	net.Listener
	mu    sync.Mutex
	conns map[net.Conn]struct{}
	down  bool
}

func listen(addr string) (*gate, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: %w", addr, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("listen on %q: the embedded servers have no locks and stay on loopback", addr)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: %w", addr, err)
	}
	return &gate{Listener: l, conns: make(map[net.Conn]struct{})}, nil
}

func (g *gate) Accept() (net.Conn, error) {
	for {
		c, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		g.mu.Lock()
		if g.down {
			g.mu.Unlock()
			c.Close()
			continue
		}
		w := &gatedConn{Conn: c, gate: g}
		g.conns[w] = struct{}{}
		g.mu.Unlock()
		return w, nil
	}
}

func (g *gate) drop() {
	g.mu.Lock()
	conns := make([]net.Conn, 0, len(g.conns))
	for c := range g.conns {
		conns = append(conns, c)
	}
	g.mu.Unlock()
	for _, c := range conns {
		c.Close()
	}
}

func (g *gate) setDown(down bool) {
	g.mu.Lock()
	g.down = down
	g.mu.Unlock()
	if down {
		g.drop()
	}
}

const writeLimit = 15 * time.Second

type gatedConn struct {
	net.Conn
	gate *gate
}

func (c *gatedConn) Write(b []byte) (int, error) {
	c.Conn.SetWriteDeadline(time.Now().Add(writeLimit))
	return c.Conn.Write(b)
}

func (c *gatedConn) Close() error {
	c.gate.mu.Lock()
	delete(c.gate.conns, c)
	c.gate.mu.Unlock()
	return c.Conn.Close()
}

// quiet swallows what the server libraries say about broken connections.
type quiet struct{}

func (quiet) Printf(string, ...any) {}
func (quiet) Println(...any)        {}

var _ io.Closer = (*Hub)(nil)
