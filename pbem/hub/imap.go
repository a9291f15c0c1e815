package hub

import (
	"crypto/subtle"
	"time"

	goimap "github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"
	"github.com/emersion/go-sasl"
)

// session mends what the memory store leaves open: a UIDVALIDITY of its own for
// every start, IDLE without lost wake-ups, read-only EXAMINE, ordered moves.
type session struct {
	*imapmemserver.UserSession
	hub      *Hub
	account  *account
	readOnly bool
}

var (
	_ imapserver.SessionMove      = (*session)(nil)
	_ imapserver.SessionNamespace = (*session)(nil)
	_ imapserver.SessionSASL      = (*session)(nil)
)

// Login takes the full address as the name.
func (s *session) Login(name, password string) error {
	a := s.hub.account(name)
	if a == nil || base(name) != a.address || subtle.ConstantTimeCompare([]byte(password), []byte(a.password)) != 1 {
		return imapserver.ErrAuthFailed
	}
	s.account, s.UserSession = a, imapmemserver.NewUserSession(a.store)
	return nil
}

// AuthenticateMechanisms lists what AUTHENTICATE takes.
func (s *session) AuthenticateMechanisms() []string { return []string{sasl.Plain, xoauth2} }

// Authenticate serves PLAIN and XOAUTH2; the token of XOAUTH2 is the password.
func (s *session) Authenticate(mech string) (sasl.Server, error) {
	switch mech {
	case sasl.Plain:
		return sasl.NewPlainServer(func(_, name, password string) error { return s.Login(name, password) }), nil
	case xoauth2:
		return &xoauth2Server{check: s.Login}, nil
	}
	return nil, imapserver.ErrAuthFailed
}

func (s *session) Close() error {
	if s.UserSession == nil {
		return nil
	}
	return s.UserSession.Close()
}

func (s *session) Select(name string, o *goimap.SelectOptions) (*goimap.SelectData, error) {
	d, err := s.UserSession.Select(name, o)
	if d != nil {
		d.UIDValidity = s.hub.epoch.Load()
	}
	s.readOnly = o != nil && o.ReadOnly
	return d, err
}

func (s *session) Status(name string, o *goimap.StatusOptions) (*goimap.StatusData, error) {
	d, err := s.UserSession.Status(name, o)
	if d != nil && o.UIDValidity {
		d.UIDValidity = s.hub.epoch.Load()
	}
	return d, err
}

const idlePoll = 50 * time.Millisecond

// Idle polls: the store's own way can miss an arrival just before IDLE.
func (s *session) Idle(w *imapserver.UpdateWriter, stop <-chan struct{}) error {
	t := time.NewTicker(idlePoll)
	defer t.Stop()
	for {
		if err := s.Poll(w, true); err != nil {
			return err
		}
		select {
		case <-stop:
			return nil
		case <-t.C:
		}
	}
}

var errReadOnly = &goimap.Error{Type: goimap.StatusResponseTypeNo, Text: "mailbox is open read-only"}

func (s *session) Store(w *imapserver.FetchWriter, set goimap.NumSet, f *goimap.StoreFlags, o *goimap.StoreOptions) error {
	if s.readOnly {
		return errReadOnly
	}
	return s.UserSession.Store(w, set, f, o)
}

func (s *session) Expunge(w *imapserver.ExpungeWriter, uids *goimap.UIDSet) error {
	if s.readOnly {
		return errReadOnly
	}
	return s.UserSession.Expunge(w, uids)
}

func (s *session) Copy(set goimap.NumSet, to string) (*goimap.CopyData, error) {
	s.account.moving.Lock()
	defer s.account.moving.Unlock()
	return s.UserSession.Copy(set, to)
}

func (s *session) Move(w *imapserver.MoveWriter, set goimap.NumSet, to string) error {
	if s.readOnly {
		return errReadOnly
	}
	s.account.moving.Lock()
	defer s.account.moving.Unlock()
	if uids, ok := set.(goimap.UIDSet); ok {
		// Nothing to move is OK without COPYUID; the store would write an empty one.
		d, err := s.UserSession.Search(imapserver.NumKindUID, &goimap.SearchCriteria{UID: []goimap.UIDSet{uids}}, &goimap.SearchOptions{})
		if err != nil || len(d.AllUIDs()) == 0 {
			return err
		}
	}
	return s.UserSession.Move(w, set, to)
}
