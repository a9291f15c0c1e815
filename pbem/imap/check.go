package imap

import (
	"bytes"
	"context"
	"maps"
	"net/mail"
	"regexp"
	"slices"
	"strings"
	"time"

	goimap "github.com/emersion/go-imap/v2"

	"pbemd/pbem"
)

// Report is what a look at the mailbox shows.
type Report struct {
	Server       string
	Security     Security
	Capabilities []string
	Idle         bool // new mail is announced; otherwise polling
	Move         bool // filing is one step
	UIDPlus      bool // without Move: filing removes just the one message
	UIDValidity  uint32
	Folders      []FolderReport
	Messages     int // in the mailbox
	// Foreign counts messages that no player's address brought here. With
	// Config.Address empty it is every message.
	Foreign int
}

// FolderReport is one of the folders for finished mail.
type FolderReport struct {
	Folder   pbem.Folder
	Name     string // in full, on this server
	Made     bool   // it was missing and has just been made
	Messages int
}

// Check connects once, on a session of its own and without waiting for any
// back-off, makes the folders if they are missing, and reports.
func (i *Inbox) Check(ctx context.Context) (Report, error) {
	r := Report{Server: i.cfg.Addr, Security: i.cfg.Security}
	if i.invalid != nil {
		return r, i.invalid
	}
	s, err := open(ctx, &i.cfg)
	if err == nil {
		defer s.end()
		err = s.report(ctx, &r)
	}
	if err != nil {
		return r, i.describe("check", err)
	}
	return r, nil
}

func (s *session) report(ctx context.Context, r *Report) error {
	for c := range maps.Keys(s.caps) {
		r.Capabilities = append(r.Capabilities, string(c))
	}
	slices.Sort(r.Capabilities)
	r.Idle, r.Move, r.UIDPlus = s.caps.Has(goimap.CapIdle), s.caps.Has(goimap.CapMove), s.caps.Has(goimap.CapUIDPlus)
	r.UIDValidity = s.validity
	for _, f := range []pbem.Folder{pbem.Processed, pbem.Quarantine} {
		name, ok := s.folders[f]
		if !ok {
			continue
		}
		fr := FolderReport{Folder: f, Name: name, Made: slices.Contains(s.made, f)}
		if err := s.run(ctx, 0, "status "+name, func() error {
			d, err := s.client.Status(name, &goimap.StatusOptions{NumMessages: true}).Wait()
			if err == nil && d.NumMessages != nil {
				fr.Messages = int(*d.NumMessages)
			}
			return err
		}); err != nil {
			return err
		}
		r.Folders = append(r.Folders, fr)
	}
	refs, err := s.list(ctx)
	if err != nil {
		return err
	}
	r.Messages = len(refs)
	var uids []goimap.UID
	for _, ref := range refs {
		uids = append(uids, goimap.UID(ref.UID))
	}
	ours := 0
	for part := range slices.Chunk(uids, chunk) {
		n, err := s.countOurs(ctx, part)
		if err != nil {
			return err
		}
		ours += n
	}
	r.Foreign = r.Messages - ours
	return nil
}

func (s *session) countOurs(ctx context.Context, uids []goimap.UID) (int, error) {
	n := 0
	section := &goimap.FetchItemBodySection{
		Peek: true, Specifier: goimap.PartSpecifierHeader,
		HeaderFields: []string{"Delivered-To", "X-Original-To", "To", "Cc", "Subject"},
	}
	err := s.run(ctx, time.Duration(len(uids))*20*time.Millisecond, "fetch headers", func() error {
		msgs, err := s.client.Fetch(goimap.UIDSetNum(uids...), &goimap.FetchOptions{
			UID: true, BodySection: []*goimap.FetchItemBodySection{section},
		}).Collect()
		for _, m := range msgs {
			if Addressed(m.FindBodySection(section), s.cfg.Address) {
				n++
			}
		}
		return err
	})
	return n, err
}

// tagged is a token or a game in the subject: #k7f3q9xw or [12].
var tagged = regexp.MustCompile(`(?i)#[a-z0-9]{8}\b|\[\d+\]`)

// Addressed reports whether a header shows that the message came for a game:
// address with +g and a number in one of the address fields, or address itself
// together with a token or a game number in the subject.
func Addressed(header []byte, address string) bool {
	local, domain, ok := strings.Cut(strings.ToLower(address), "@")
	if !ok {
		return false
	}
	m, err := mail.ReadMessage(bytes.NewReader(append(bytes.TrimRight(header, "\r\n"), "\r\n\r\n"...)))
	if err != nil {
		return false
	}
	var to string
	for _, name := range []string{"Delivered-To", "X-Original-To", "To", "Cc"} {
		to += " " + strings.Join(m.Header[name], " ")
	}
	to = strings.ToLower(to)
	names := func(detail string) bool {
		return regexp.MustCompile(`(^|[\s<,;:"])` + regexp.QuoteMeta(local) + detail + regexp.QuoteMeta("@"+domain) + `([\s>,;"]|$)`).MatchString(to)
	}
	return names(`\+g\d+[a-z0-9-]*`) || names("") && tagged.MatchString(m.Header.Get("Subject"))
}
