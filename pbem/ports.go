// Package pbem is the post office: it reads order mails, cranks the games they
// belong to, and queues the answers.
//
// It relies on three ports, Inbox, Sender and Archive, and on values only; it
// opens no socket and no file. One incoming mail becomes one [Archive] commit:
// the mail consumed, its sheets kept, the events appended, the outgoing mails
// queued, all of it or nothing.
package pbem

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Ref names one message in the mailbox. UID is only meaningful together with
// UIDValidity (RFC 9051, 2.3.1.1).
type Ref struct {
	UIDValidity uint32
	UID         uint32
	Size        int64     // octets, as the server states them (RFC822.SIZE)
	Received    time.Time // INTERNALDATE: the only time that counts
}

// Folder is where a finished message goes.
type Folder string

// The two folders beside INBOX. Nothing is ever deleted.
const (
	Processed  Folder = "Processed"
	Quarantine Folder = "Quarantine"
)

// Inbox is the mailbox that orders arrive in. A message in it is unfinished;
// [Inbox.File] finishes it and may be repeated without harm. Every method may
// reconnect on its own; an error means that the mailbox is out of reach now.
type Inbox interface {
	// List returns every message in the mailbox, in UID order.
	List(ctx context.Context) ([]Ref, error)
	// Fetch returns the raw message. A message that is gone is ErrGone.
	Fetch(ctx context.Context, r Ref) ([]byte, error)
	// File moves a message out of the mailbox; one that is gone is no error.
	File(ctx context.Context, r Ref, to Folder) error
	// Wait returns when something new may have arrived, or after the poll
	// interval, or when ctx ends.
	Wait(ctx context.Context) error
	// Close ends the session politely.
	Close() error
}

// Headers is an [Inbox] that can give the header of a message without its body.
// Where it can't, a message that is too large to be fetched is answered to nobody.
type Headers interface {
	// Header returns the header as it stands, with the empty line that ends it.
	// One that is larger than any header is ErrTooLarge.
	Header(ctx context.Context, r Ref) ([]byte, error)
}

// Sets is an [Inbox] that can file many messages with one command.
type Sets interface {
	// FileSet moves messages out of the mailbox, as File does each of them. After
	// an error some may have been moved.
	FileSet(ctx context.Context, refs []Ref, to Folder) error
}

// FileAll files messages: as a set if the inbox can, else, and for what a set
// left over, one by one.
func FileAll(ctx context.Context, in Inbox, refs []Ref, to Folder) error {
	if s, ok := in.(Sets); ok && len(refs) > 1 {
		if err := s.FileSet(ctx, refs, to); err == nil || ctx.Err() != nil {
			return err
		}
	}
	var errs []error
	for _, r := range refs {
		if err := in.File(ctx, r, to); err != nil {
			errs = append(errs, err)
			if ctx.Err() != nil {
				break
			}
		}
	}
	return errors.Join(errs...)
}

// ErrGone is returned by Fetch for a message that is no longer there.
var ErrGone = fmt.Errorf("the message is no longer in the mailbox")

// ErrTooLarge is returned by Fetch for a message that is bigger than the inbox
// takes, whatever size was listed for it. It can still be filed.
var ErrTooLarge = fmt.Errorf("the message is too large to be fetched")

// Envelope is who a mail goes from and to on the wire (RFC 5321), one
// recipient each. An empty From is the null reverse-path.
type Envelope struct {
	From string
	To   string
}

// Sender hands one frozen message to the mail server.
type Sender interface {
	Send(ctx context.Context, e Envelope, message []byte) error
}

// SendError is what a Sender returns. Delivered says that the server has taken
// the message although something failed afterwards: it counts as sent.
// Temporary says that the same bytes should be tried again later.
type SendError struct {
	Delivered bool
	Temporary bool
	Code      int // SMTP reply code, 0 if none came
	Err       error
}

func (e *SendError) Error() string {
	switch {
	case e.Delivered:
		return fmt.Sprintf("taken by the server, then: %v", e.Err)
	case e.Temporary:
		return fmt.Sprintf("for now: %v", e.Err)
	}
	return fmt.Sprintf("for good: %v", e.Err)
}

func (e *SendError) Unwrap() error { return e.Err }
