package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/mail"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"pbemd/pbem/ops"
	"pbemd/templates"
)

// Config is the one configuration file. Every key has a default and a sentence;
// `pbemd config` prints it whole.
type Config struct {
	Server   ServerConfig   `toml:"server" doc:"Where the server keeps its things."`
	Mailbox  MailboxConfig  `toml:"mailbox" doc:"The account that players write to. It should serve nothing else."`
	SMTP     SMTPConfig     `toml:"smtp" doc:"How answers are sent."`
	Identity IdentityConfig `toml:"identity" doc:"How senders are recognised beside the key in the reply address."`
	Play     PlayConfig     `toml:"play" doc:"Terms of new games."`
	Dice     DiceConfig     `toml:"dice" doc:"The public beacon, for games whose dice nobody can foresee."`
	Log      LogConfig      `toml:"log" doc:"What the operator reads at night."`
	Ops      OpsConfig      `toml:"ops" doc:"What the operator's instruments read."`
}

// ServerConfig is where the server keeps its things.
type ServerConfig struct {
	Dir string `toml:"dir" default:"pbem-data" doc:"folder of the store, the keys and the mails kept; relative to this file"`
}

// MailboxConfig is the IMAP account.
type MailboxConfig struct {
	Address      string `toml:"address" default:"" doc:"the address players write to; sub-addresses name+g12-key@host reach the same box"`
	Host         string `toml:"host" default:"" doc:"IMAP server"`
	Port         int    `toml:"port" default:"993" doc:"its port"`
	TLS          string `toml:"tls" default:"tls" doc:"tls (from the first byte), starttls, or none (loopback only)"`
	User         string `toml:"user" default:"" doc:"login; empty: the address"`
	PasswordFile string `toml:"password_file" default:"" doc:"file that holds the password, readable by the server alone"`
	PasswordEnv  string `toml:"password_env" default:"PBEM_IMAP_PASSWORD" doc:"or the environment variable that does"`
	Auth         string `toml:"auth" default:"password" doc:"password (or app password), or xoauth2 (the password is then an access token, read again at every login)"`
	Folder       string `toml:"folder" default:"INBOX" doc:"where mail arrives"`
	Poll         string `toml:"poll" default:"2m" doc:"the longest time between two looks into the box, IDLE or not"`
	PlusTags     bool   `toml:"plus_tags" default:"true" doc:"whether the provider delivers name+anything@host; off: the key stands in the subject only"`
}

// SMTPConfig is how mail is sent.
type SMTPConfig struct {
	Host         string `toml:"host" default:"" doc:"submission server"`
	Port         int    `toml:"port" default:"587" doc:"its port"`
	TLS          string `toml:"tls" default:"starttls" doc:"starttls, tls, or none (loopback only)"`
	User         string `toml:"user" default:"" doc:"login; empty: the one of the mailbox; - for none"`
	PasswordFile string `toml:"password_file" default:"" doc:"file that holds the password; empty: that of the mailbox"`
	PasswordEnv  string `toml:"password_env" default:"PBEM_SMTP_PASSWORD" doc:"or the environment variable that does"`
	Auth         string `toml:"auth" default:"password" doc:"password or xoauth2"`
	FromName     string `toml:"from_name" default:"Game server" doc:"display name of the sender"`
	DKIMDomain   string `toml:"dkim_domain" default:"" doc:"domain that signs outgoing mail (DKIM), where the mail server doesn't sign by itself"`
	DKIMSelector string `toml:"dkim_selector" default:"" doc:"name of its key in the DNS: <selector>._domainkey.<domain>"`
	DKIMKeyFile  string `toml:"dkim_key_file" default:"" doc:"its private key in PEM, RSA or Ed25519; empty: mail goes out as it is"`
}

// IdentityConfig is about senders.
type IdentityConfig struct {
	AuthServID string `toml:"authserv_id" default:"" doc:"name that our own mail server writes in Authentication-Results; empty: the field is not believed. Further names, set off by blanks, are hosts of ours that write Received lines under another name"`
	DKIM       bool   `toml:"dkim" default:"true" doc:"check DKIM signatures by ourselves (needs DNS)"`
}

// PlayConfig is the terms of new games.
type PlayConfig struct {
	AnswerHours int    `toml:"answer_hours" default:"72" doc:"hours to answer a question before its default does"`
	Days        int    `toml:"days" default:"0" doc:"days after which the side to act is reminded once; 0: never"`
	Language    string `toml:"language" default:"en" doc:"language of new seats"`
	Zone        string `toml:"zone" default:"UTC" doc:"time zone of new seats (IANA name)"`
}

// DiceConfig is the beacon.
type DiceConfig struct {
	Relays []string `toml:"relays" default:"https://api.drand.sh,https://drand.cloudflare.com" doc:"drand relays, asked in this order"`
}

// LogConfig is the log.
type LogConfig struct {
	Level  string `toml:"level" default:"info" doc:"debug, info, warn or error"`
	Format string `toml:"format" default:"text" doc:"text or json"`
}

// readConfig reads a file; what it doesn't say has its default. A key that is
// unknown is an error, so that a typing error is not a silent default.
func readConfig(file string) (Config, error) {
	var c Config
	if err := defaultConfig(&c); err != nil {
		return c, err
	}
	meta, err := toml.DecodeFile(file, &c)
	if errors.Is(err, fs.ErrNotExist) {
		return c, fmt.Errorf("there is no configuration %s; `pbemd config > %s` writes one to be filled in, and --config FILE before the command names another", file, file)
	}
	if err != nil {
		return c, fmt.Errorf("read %s: %w", file, err)
	}
	if un := meta.Undecoded(); len(un) > 0 {
		return c, fmt.Errorf("read %s: there is no key %s; `pbemd config` lists them all", file, un[0])
	}
	if !filepath.IsAbs(c.Server.Dir) {
		c.Server.Dir = filepath.Join(filepath.Dir(file), c.Server.Dir)
	}
	if err := c.validate(); err != nil {
		return c, fmt.Errorf("read %s: %w", file, err)
	}
	return c, nil
}

// validate finds every value that means nothing, each with what would.
func (c Config) validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	word := func(key, have string, words ...string) {
		if !slices.Contains(words, have) {
			fault("%s is %q, not %s or %s", key, have, strings.Join(words[:len(words)-1], ", "), words[len(words)-1])
		}
	}
	port := func(key string, n int) {
		if n < 1 || n > 65535 {
			fault("%s is %d, not a port from 1 to 65535", key, n)
		}
	}
	if a := c.Mailbox.Address; a != "" {
		if got, err := mail.ParseAddress(a); err != nil || got.Address != a {
			fault("mailbox.address is %q, not an address like games@example.org", a)
		}
	}
	port("mailbox.port", c.Mailbox.Port)
	port("smtp.port", c.SMTP.Port)
	word("mailbox.tls", c.Mailbox.TLS, "tls", "starttls", "none")
	word("smtp.tls", c.SMTP.TLS, "tls", "starttls", "none")
	word("mailbox.auth", c.Mailbox.Auth, "password", "xoauth2")
	word("smtp.auth", c.SMTP.Auth, "password", "xoauth2")
	if d, err := time.ParseDuration(c.Mailbox.Poll); err != nil || d <= 0 {
		fault("mailbox.poll is %q, not a time like 90s or 2m", c.Mailbox.Poll)
	}
	if c.Play.AnswerHours < 1 {
		fault("play.answer_hours is %d; a player needs an hour at least", c.Play.AnswerHours)
	}
	if c.Play.Days < 0 {
		fault("play.days is %d, not 0 (never) or more", c.Play.Days)
	}
	if err := knownLanguage(c.Play.Language); err != nil {
		fault("play.language: %w", err)
	}
	if _, err := time.LoadLocation(c.Play.Zone); err != nil || c.Play.Zone == "" || c.Play.Zone == "Local" {
		fault("play.zone is %q, not a time zone like Europe/Berlin or UTC", c.Play.Zone)
	}
	word("log.level", c.Log.Level, "debug", "info", "warn", "error")
	word("log.format", c.Log.Format, "text", "json")
	if c.Ops.Listen != "" {
		if err := ops.Validate(c.Ops.Listen); err != nil {
			fault("ops.listen is %w", err)
		}
	}
	return errors.Join(faults...)
}

// knownLanguage refuses a language that there are no sentences in.
func knownLanguage(name string) error {
	if all := templates.Languages(); !slices.Contains(all, name) {
		return fmt.Errorf("there is no language %q; there are %s", name, strings.Join(all, ", "))
	}
	return nil
}

// defaultConfig sets every key to its default.
func defaultConfig(c *Config) error { return defaults(reflect.ValueOf(c).Elem()) }

func defaults(v reflect.Value) error {
	for i := 0; i < v.NumField(); i++ {
		f, d := v.Field(i), v.Type().Field(i).Tag.Get("default")
		switch f.Kind() {
		case reflect.Struct:
			if err := defaults(f); err != nil {
				return err
			}
		case reflect.String:
			f.SetString(d)
		case reflect.Int:
			var n int64
			if _, err := fmt.Sscan(d, &n); err != nil {
				return err
			}
			f.SetInt(n)
		case reflect.Bool:
			f.SetBool(d == "true")
		case reflect.Slice:
			f.Set(reflect.ValueOf(strings.Split(d, ",")))
		}
	}
	return nil
}

// writeConfig prints every key with its default and its sentence.
func writeConfig(w io.Writer) {
	fmt.Fprintln(w, "# Configuration of pbemd. Every key stands here with its default; leave out what fits.")
	t := reflect.TypeOf(Config{})
	for i := 0; i < t.NumField(); i++ {
		s := t.Field(i)
		fmt.Fprintf(w, "\n# %s\n[%s]\n", s.Tag.Get("doc"), s.Tag.Get("toml"))
		for j := 0; j < s.Type.NumField(); j++ {
			f := s.Type.Field(j)
			d := f.Tag.Get("default")
			switch f.Type.Kind() {
			case reflect.String:
				d = fmt.Sprintf("%q", d)
			case reflect.Slice:
				d = `["` + strings.ReplaceAll(d, ",", `", "`) + `"]`
			}
			fmt.Fprintf(w, "%s = %s  # %s\n", f.Tag.Get("toml"), d, f.Tag.Get("doc"))
		}
	}
}

// secret reads a password from a file or the environment; the file wins.
func secret(file, env, what string) (string, error) {
	if file != "" {
		b, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("password of the %s: %w", what, err)
		}
		return strings.TrimRight(string(b), "\r\n"), nil
	}
	if env != "" {
		if s := os.Getenv(env); s != "" {
			return s, nil
		}
	}
	return "", fmt.Errorf("password of the %s: set password_file, or the environment variable %s", what, env)
}
