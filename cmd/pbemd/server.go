package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pbemd/engine/dice"
	"pbemd/pbem"
	"pbemd/pbem/auth"
	"pbemd/pbem/beacon"
	"pbemd/pbem/imap"
	"pbemd/pbem/report"
	"pbemd/pbem/smtp"
	"pbemd/store"
)

// server is the daemon's insides: store, keys and post office.
type server struct {
	cfg    Config
	keys   keys
	store  *store.Store
	office *pbem.Office
	log    *slog.Logger
}

// setup changes what openServer would wire, for the demo.
type setup func(*pbem.Config)

// openServer opens the store of a configuration and puts an office on it.
func openServer(cfg Config, log *slog.Logger, more ...setup) (*server, error) {
	dir := cfg.Server.Dir
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	k, err := readKeys(dir)
	if err != nil {
		return nil, err
	}
	db, err := store.Open(filepath.Join(dir, "pbem.db"), store.Options{})
	if err != nil {
		return nil, err
	}
	s := &server{cfg: cfg, keys: k, store: db, log: log}
	writer, err := report.New()
	if err != nil {
		db.Close()
		return nil, err
	}
	oc := pbem.Config{
		Archive: db, Rules: pbem.Games(), Reporter: writer, Mailbox: cfg.Mailbox.Address, Name: cfg.SMTP.FromName,
		Authserv: cfg.Identity.AuthServID, SubjectTokens: !cfg.Mailbox.PlusTags, TokenKey: k.token, SignKey: k.sign,
		Build: buildDigest(), Now: time.Now, Log: log, Jitter: jitter,
	}
	if cfg.Identity.DKIM {
		oc.Lookup = lookupTXT
	}
	if len(cfg.Dice.Relays) > 0 && cfg.Dice.Relays[0] != "" {
		b, err := beacon.New(cfg.Dice.Relays, time.Now)
		if err != nil {
			db.Close()
			return nil, fmt.Errorf("dice.relays: %w", err)
		}
		oc.Beacon = b.Fetch
	}
	for _, f := range more {
		f(&oc)
	}
	if s.office, err = pbem.New(oc); err != nil {
		db.Close()
		return nil, err
	}
	return s, nil
}

func (s *server) close() error { return s.store.Close() }

// buildDigest stands for the rules code in start records: the ids and versions
// of every kind of game.
func buildDigest() dice.Hash {
	h := sha256.New()
	for _, r := range pbem.Games() {
		play, err := r.Load(r.Files(), nil)
		if err != nil {
			panic(err) // the shipped data set is tested
		}
		fmt.Fprintf(h, "%s %d\n", r.ID, play.Version())
	}
	var d dice.Hash
	copy(d[:], h.Sum(nil))
	return d
}

func lookupTXT(name string) ([]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return net.DefaultResolver.LookupTXT(ctx, name)
}

var _ auth.LookupTXT = lookupTXT

// logger is the operator's log as configured.
func logger(c LogConfig, w io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.Level)); err != nil {
		return nil, fmt.Errorf("log.level is %q, not debug, info, warn or error", c.Level)
	}
	o := &slog.HandlerOptions{Level: level}
	switch c.Format {
	case "json":
		return slog.New(slog.NewJSONHandler(w, o)), nil
	case "text", "":
		return slog.New(slog.NewTextHandler(w, o)), nil
	}
	return nil, fmt.Errorf("log.format is %q, not text or json", c.Format)
}

// inbox is the mailbox of a configuration.
func (c Config) inbox(log *slog.Logger) (*imap.Inbox, error) {
	m := c.Mailbox
	if m.Address == "" || m.Host == "" {
		return nil, errors.New("mailbox.address and mailbox.host are not set; `pbemd config` says what belongs there")
	}
	pw, err := secret(m.PasswordFile, m.PasswordEnv, "mailbox")
	if err != nil {
		return nil, err
	}
	poll, err := time.ParseDuration(m.Poll)
	if err != nil {
		return nil, fmt.Errorf("mailbox.poll: %w", err)
	}
	ic := imap.Config{
		Addr: net.JoinHostPort(m.Host, fmt.Sprint(m.Port)), Security: imap.Security(m.TLS), User: or(m.User, m.Address), Password: pw,
		Mailbox: m.Folder, Address: m.Address, Poll: poll, Log: log,
	}
	if m.Auth == "xoauth2" {
		ic.Password = ""
		ic.Token = func(context.Context) (string, error) { return secret(m.PasswordFile, m.PasswordEnv, "mailbox") }
	}
	if err := ic.Validate(); err != nil {
		return nil, fmt.Errorf("mailbox: %w", err)
	}
	return imap.New(ic), nil
}

// sender is the mail server of a configuration.
func (c Config) sender(log *slog.Logger) (*smtp.Sender, error) {
	s := c.SMTP
	if s.Host == "" {
		return nil, errors.New("smtp.host is not set; `pbemd config` says what belongs there")
	}
	sc := smtp.Config{
		Addr: net.JoinHostPort(s.Host, fmt.Sprint(s.Port)), Security: smtp.Security(s.TLS), From: c.Mailbox.Address, Log: log,
	}
	if _, host, ok := strings.Cut(c.Mailbox.Address, "@"); ok {
		sc.Hello = host
	}
	if s.User != "-" {
		sc.User = or(s.User, or(c.Mailbox.User, c.Mailbox.Address))
		read := func() (string, error) {
			pw, err := secret(s.PasswordFile, s.PasswordEnv, "mail server")
			if err != nil {
				return secret(c.Mailbox.PasswordFile, c.Mailbox.PasswordEnv, "mail server")
			}
			return pw, nil
		}
		pw, err := read()
		if err != nil {
			return nil, err
		}
		if s.Auth == "xoauth2" {
			sc.Token = func(context.Context) (string, error) { return read() }
		} else {
			sc.Password = pw
		}
	}
	if err := sc.Validate(); err != nil {
		return nil, fmt.Errorf("smtp: %w", err)
	}
	return smtp.New(sc), nil
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}
