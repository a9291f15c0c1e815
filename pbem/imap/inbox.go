package imap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	goimap "github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"pbemd/pbem"
)

// Inbox is a mailbox behind an IMAP server. Calls are served one after another.
type Inbox struct {
	cfg     Config
	invalid error

	turn chan struct{} // holds one token: whoever has it may use the fields below
	live context.Context
	end  context.CancelFunc

	s        *session
	failures int
	next     time.Time // no attempt before
	since    time.Time // when the present session began
}

var _ pbem.Inbox = (*Inbox)(nil)

// New makes an Inbox without connecting. What is wrong with the configuration
// is what every method then returns; [Config.Validate] tells it beforehand.
func New(cfg Config) *Inbox {
	i := &Inbox{cfg: cfg.withDefaults(), invalid: cfg.Validate(), turn: make(chan struct{}, 1)}
	i.live, i.end = context.WithCancel(context.Background())
	i.turn <- struct{}{}
	return i
}

// goodSession is how long a session must have lasted to forget the failures
// before it.
const goodSession = time.Minute

// use gives f a session, a new one if need be. If a session from earlier turns
// out to be dead, f gets a second try on a fresh one; so f must be repeatable.
func (i *Inbox) use(ctx context.Context, what string, f func(ctx context.Context, s *session) error) error {
	if i.invalid != nil {
		return i.invalid
	}
	select {
	case <-i.turn:
		defer func() { i.turn <- struct{}{} }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if i.live.Err() != nil {
		return errClosed
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(i.live, cancel)()

	old := i.s != nil
	for {
		s, err := i.session(ctx)
		if err != nil {
			return i.describe(what, err)
		}
		if err = f(ctx, s); err == nil {
			return nil
		}
		if status(err) != nil || errors.Is(err, pbem.ErrGone) || errors.As(err, new(sound)) {
			return i.describe(what, err)
		}
		i.lose(ctx, what, err)
		if !old || ctx.Err() != nil || errors.Is(err, pbem.ErrTooLarge) {
			return i.describe(what, err)
		}
		old = false
	}
}

// sound is an error after which the session is still good.
type sound struct{ error }

func (e sound) Unwrap() error { return e.error }

func soundf(format string, args ...any) error { return sound{fmt.Errorf(format, args...)} }

func (i *Inbox) describe(what string, err error) error {
	if i.live.Err() != nil {
		return errClosed
	}
	return fmt.Errorf("imap %s: %s: %w", i.cfg.Addr, what, err)
}

// session is the one at hand or a new one, not before its time.
func (i *Inbox) session(ctx context.Context) (*session, error) {
	if i.s != nil {
		select {
		case <-i.s.client.Closed():
			i.lose(ctx, "idle", errors.New("the server closed the connection"))
		default:
			return i.s, nil
		}
	}
	if err := sleep(ctx, time.Until(i.next)); err != nil {
		return nil, err
	}
	s, err := open(ctx, &i.cfg)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		pause := i.fail(errors.Is(err, ErrRefused))
		i.cfg.Log.Warn("mailbox out of reach", "server", i.cfg.Addr, "failures", i.failures, "pause", pause.Round(time.Millisecond), "err", err)
		return nil, err
	}
	s.fresh = true
	i.s, i.since = s, time.Now()
	for _, f := range s.made {
		i.cfg.Log.Info("folder made", "server", i.cfg.Addr, "folder", s.folders[f])
	}
	i.cfg.Log.Info("mailbox open", "server", i.cfg.Addr, "mailbox", i.cfg.Mailbox, "uidvalidity", s.validity,
		"idle", s.caps.Has(goimap.CapIdle), "move", s.caps.Has(goimap.CapMove), "uidplus", s.caps.Has(goimap.CapUIDPlus))
	return s, nil
}

func (i *Inbox) fail(refused bool) time.Duration {
	i.failures++
	pause := i.cfg.Backoff(i.failures)
	if refused {
		pause = i.cfg.RefusedPause
	}
	i.next = time.Now().Add(pause)
	return pause
}

// lose drops the session. A first loss is met by an immediate new attempt; a
// session that doesn't last counts as a failure.
func (i *Inbox) lose(ctx context.Context, what string, err error) {
	s := i.s
	i.s = nil
	s.kill()
	if ctx.Err() != nil {
		return
	}
	i.cfg.Log.Warn("mailbox session lost", "server", i.cfg.Addr, "during", what, "err", err)
	if time.Since(i.since) >= goodSession {
		i.failures = 0
		return
	}
	if i.failures++; i.failures > 1 {
		i.next = time.Now().Add(i.cfg.Backoff(i.failures - 1))
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// chunk is how many messages are asked about in one command.
const chunk = 500

// List returns every message in the mailbox, in UID order.
func (i *Inbox) List(ctx context.Context) ([]pbem.Ref, error) {
	var refs []pbem.Ref
	err := i.use(ctx, "list", func(ctx context.Context, s *session) (err error) {
		refs, err = s.list(ctx)
		return err
	})
	return refs, err
}

func (s *session) list(ctx context.Context) ([]pbem.Ref, error) {
	s.fresh = false
	select {
	case <-s.news: // what it announced is about to be seen
	default:
	}
	// A server may show what has arrived only after it has announced it.
	if err := s.run(ctx, 0, "noop", func() error { return s.client.Noop().Wait() }); err != nil {
		return nil, err
	}
	criteria := &goimap.SearchCriteria{}
	if s.marksOnly() {
		criteria.NotFlag = []goimap.Flag{goimap.FlagDeleted}
	}
	var uids []goimap.UID
	if err := s.run(ctx, 0, "search", func() error {
		d, err := s.client.UIDSearch(criteria, nil).Wait()
		if err == nil {
			uids = d.AllUIDs()
		}
		return err
	}); err != nil {
		return nil, err
	}
	slices.Sort(uids)
	refs := make([]pbem.Ref, 0, len(uids))
	for part := range slices.Chunk(uids, chunk) {
		found := make(map[goimap.UID]pbem.Ref, len(part))
		for try := 0; len(found) < len(part) && try < 3; try++ {
			var missing []goimap.UID
			for _, u := range part {
				if _, ok := found[u]; !ok {
					missing = append(missing, u)
				}
			}
			if err := s.sizes(ctx, missing, found); err != nil {
				return nil, err
			}
		}
		for _, u := range part {
			if r, ok := found[u]; ok {
				refs = append(refs, r)
				continue
			}
			// Not told in three tries: either it is gone, or the server is odd.
			if there, err := s.exists(ctx, u); err != nil {
				return nil, err
			} else if there {
				return nil, soundf("the server doesn't tell size and date of message %d", u)
			}
		}
	}
	return refs, nil
}

// sizes asks for size and date. An unasked FLAGS update can take the place of
// an answer (a limit of the library); such a one is not counted as found.
func (s *session) sizes(ctx context.Context, uids []goimap.UID, found map[goimap.UID]pbem.Ref) error {
	return s.run(ctx, time.Duration(len(uids))*20*time.Millisecond, "fetch sizes", func() error {
		cmd := s.client.Fetch(goimap.UIDSetNum(uids...), &goimap.FetchOptions{UID: true, RFC822Size: true, InternalDate: true})
		msgs, err := cmd.Collect()
		for _, m := range msgs {
			if m.UID != 0 && !m.InternalDate.IsZero() {
				found[m.UID] = pbem.Ref{UIDValidity: s.validity, UID: uint32(m.UID), Size: m.RFC822Size, Received: m.InternalDate.UTC()}
			}
		}
		return err
	})
}

func (s *session) exists(ctx context.Context, uid goimap.UID) (bool, error) {
	var there bool
	err := s.run(ctx, 0, "search", func() error {
		d, err := s.client.UIDSearch(&goimap.SearchCriteria{UID: []goimap.UIDSet{goimap.UIDSetNum(uid)}}, nil).Wait()
		if err == nil {
			there = slices.Contains(d.AllUIDs(), uid)
		}
		return err
	})
	return there, err
}

// Fetch returns the raw message without marking it as read.
func (i *Inbox) Fetch(ctx context.Context, r pbem.Ref) ([]byte, error) {
	var raw []byte
	err := i.use(ctx, "fetch", func(ctx context.Context, s *session) (err error) {
		if s.validity != r.UIDValidity {
			return pbem.ErrGone // the number means another message now; List will show it anew
		}
		if r.Size > i.cfg.MaxFetch {
			return soundf("message %d has %d octets: %w", r.UID, r.Size, pbem.ErrTooLarge)
		}
		for range 3 {
			if raw, err = s.body(ctx, r, i.cfg.MaxFetch); raw != nil || err != nil {
				return err
			}
			there, err := s.exists(ctx, goimap.UID(r.UID))
			if err != nil {
				return err
			}
			if !there {
				return pbem.ErrGone
			}
		}
		return soundf("the server gave no text of message %d three times", r.UID)
	})
	return raw, err
}

// maxHeader is the largest header that is taken.
const maxHeader = 1 << 20

var _ pbem.Headers = (*Inbox)(nil)

// Header returns the header of a message without marking it as read.
func (i *Inbox) Header(ctx context.Context, r pbem.Ref) ([]byte, error) {
	var raw []byte
	err := i.use(ctx, "fetch header", func(ctx context.Context, s *session) (err error) {
		if s.validity != r.UIDValidity {
			return pbem.ErrGone
		}
		for range 3 {
			if raw, err = s.part(ctx, r, goimap.PartSpecifierHeader, maxHeader); raw != nil || err != nil {
				return err
			}
			there, err := s.exists(ctx, goimap.UID(r.UID))
			if err != nil {
				return err
			}
			if !there {
				return pbem.ErrGone
			}
		}
		return soundf("the server gave no header of message %d three times", r.UID)
	})
	return raw, err
}

// body is one attempt; nil without an error means that no text came.
func (s *session) body(ctx context.Context, r pbem.Ref, most int64) ([]byte, error) {
	return s.part(ctx, r, goimap.PartSpecifierNone, most)
}

// part is body for the whole message or its header.
func (s *session) part(ctx context.Context, r pbem.Ref, what goimap.PartSpecifier, most int64) ([]byte, error) {
	var raw []byte
	extra := time.Duration(r.Size/8192) * time.Second
	err := s.run(ctx, extra, "fetch", func() error {
		cmd := s.client.Fetch(goimap.UIDSetNum(goimap.UID(r.UID)), &goimap.FetchOptions{
			UID: true, BodySection: []*goimap.FetchItemBodySection{{Specifier: what, Peek: true}},
		})
		var tooLarge error
		for m := cmd.Next(); m != nil; m = cmd.Next() {
			got, uid, err := oneBody(m, most)
			if errors.Is(err, pbem.ErrTooLarge) {
				tooLarge = err
				s.kill() // rather than read it to its end
			} else if err != nil {
				return err // the reader has ended; what is left of cmd must not be touched
			} else if uid == goimap.UID(r.UID) && got != nil {
				raw = got
			}
		}
		err := cmd.Close()
		if tooLarge != nil {
			return tooLarge
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return raw, nil
}

func oneBody(m *imapclient.FetchMessageData, most int64) (raw []byte, uid goimap.UID, err error) {
	for item := m.Next(); item != nil; item = m.Next() {
		switch item := item.(type) {
		case imapclient.FetchItemDataUID:
			uid = item.UID
		case imapclient.FetchItemDataBodySection:
			if item.Literal == nil {
				continue
			}
			if item.Literal.Size() > most {
				return nil, uid, fmt.Errorf("the server sends %d octets: %w", item.Literal.Size(), pbem.ErrTooLarge)
			}
			if raw, err = io.ReadAll(item.Literal); err != nil {
				return nil, uid, err
			}
			if int64(len(raw)) < item.Literal.Size() {
				return nil, uid, io.ErrUnexpectedEOF
			}
		}
	}
	return raw, uid, nil
}

// File moves a message into a folder. One that is gone is no error, and neither
// is one whose number is from before a change of UIDVALIDITY: it will be listed
// again under its new number.
func (i *Inbox) File(ctx context.Context, r pbem.Ref, to pbem.Folder) error {
	err := i.use(ctx, "file", func(ctx context.Context, s *session) error {
		if s.validity != r.UIDValidity {
			i.cfg.Log.Info("not filed, renumbered", "server", i.cfg.Addr, "uid", r.UID, "uidvalidity", s.validity)
			return nil
		}
		name, ok := s.folders[to]
		if !ok {
			return soundf("no folder %q", to)
		}
		err := s.file(ctx, goimap.UID(r.UID), name)
		if st := status(err); st != nil && (st.Code == goimap.ResponseCodeTryCreate || st.Code == goimap.ResponseCodeNonExistent) {
			if err := s.create(ctx, to); err != nil {
				return err
			}
			err = s.file(ctx, goimap.UID(r.UID), name)
		}
		return err
	})
	if err == nil || status(err) != nil || errors.As(err, new(sound)) || ctx.Err() != nil || i.invalid != nil {
		return err
	}
	// The session broke on the command: it may have been done all the same, with
	// an answer the library can't read.
	if gone, e := i.gone(ctx, r); e == nil && gone {
		return nil
	}
	return err
}

var _ pbem.Sets = (*Inbox)(nil)

// FileSet moves messages with as few commands as the server allows. What it says
// of File holds of each; after an error File them one by one.
func (i *Inbox) FileSet(ctx context.Context, refs []pbem.Ref, to pbem.Folder) error {
	return i.use(ctx, "file", func(ctx context.Context, s *session) error {
		var uids []goimap.UID
		for _, r := range refs {
			if s.validity == r.UIDValidity {
				uids = append(uids, goimap.UID(r.UID))
			}
		}
		if len(uids) < len(refs) {
			i.cfg.Log.Info("not filed, renumbered", "server", i.cfg.Addr, "mails", len(refs)-len(uids), "uidvalidity", s.validity)
		}
		name, ok := s.folders[to]
		if !ok {
			return soundf("no folder %q", to)
		}
		if len(uids) > 0 && !s.caps.Has(goimap.CapMove) {
			return soundf("the server can't move a set")
		}
		for part := range slices.Chunk(uids, chunk) {
			err := s.move(ctx, part, name)
			if st := status(err); st != nil && (st.Code == goimap.ResponseCodeTryCreate || st.Code == goimap.ResponseCodeNonExistent) {
				if err := s.create(ctx, to); err != nil {
					return err
				}
				err = s.move(ctx, part, name)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func (i *Inbox) gone(ctx context.Context, r pbem.Ref) (gone bool, err error) {
	err = i.use(ctx, "look again", func(ctx context.Context, s *session) error {
		if s.validity != r.UIDValidity {
			return nil
		}
		there, err := s.exists(ctx, goimap.UID(r.UID))
		gone = err == nil && !there
		return err
	})
	return gone, err
}

// marksOnly says that a filed message can only be marked \Deleted, because the
// server can neither move it nor expunge it alone. It then stays in the mailbox
// until the owner compacts it, and List passes over it.
func (s *session) marksOnly() bool {
	return !s.caps.Has(goimap.CapMove) && !s.caps.Has(goimap.CapUIDPlus)
}

func (s *session) file(ctx context.Context, uid goimap.UID, name string) error {
	set := goimap.UIDSetNum(uid)
	// Never the library's Move without the capability: it would delete whatever
	// became of the copy.
	if s.caps.Has(goimap.CapMove) {
		return s.move(ctx, []goimap.UID{uid}, name)
	}
	there, marked, err := s.deleted(ctx, uid)
	if err != nil || !there {
		return err
	}
	if marked && s.marksOnly() {
		return nil // filed before
	}
	if err := s.run(ctx, 0, "copy", func() error {
		d, err := s.client.Copy(set, name).Wait()
		if err == nil && s.caps.Has(goimap.CapUIDPlus) && !d.SourceUIDs.Contains(uid) {
			err = soundf("the server doesn't confirm the copy of message %d", uid)
		}
		return err
	}); err != nil {
		return err
	}
	if err := s.run(ctx, 0, "store", func() error {
		return s.client.Store(set, &goimap.StoreFlags{Op: goimap.StoreFlagsAdd, Silent: true, Flags: []goimap.Flag{goimap.FlagDeleted}}, nil).Close()
	}); err != nil {
		return err
	}
	if s.marksOnly() {
		return nil
	}
	return s.run(ctx, 0, "expunge", func() error { return s.client.UIDExpunge(set).Close() })
}

// move is for a server with MOVE only.
func (s *session) move(ctx context.Context, uids []goimap.UID, name string) error {
	return s.run(ctx, time.Duration(len(uids))*20*time.Millisecond, "move", func() error {
		_, err := s.client.Move(goimap.UIDSetNum(uids...), name).Wait()
		return err
	})
}

// deleted tells whether the message is there and marked \Deleted.
func (s *session) deleted(ctx context.Context, uid goimap.UID) (there, marked bool, err error) {
	err = s.run(ctx, 0, "fetch flags", func() error {
		msgs, err := s.client.Fetch(goimap.UIDSetNum(uid), &goimap.FetchOptions{UID: true, Flags: true}).Collect()
		for _, m := range msgs {
			if m.UID == uid {
				there, marked = true, slices.Contains(m.Flags, goimap.FlagDeleted)
			}
		}
		return err
	})
	return there, marked, err
}

// Wait returns when something new may have arrived, or after the poll interval,
// or when ctx ends. A session that breaks meanwhile is a reason to look as well.
func (i *Inbox) Wait(ctx context.Context) error {
	return i.use(ctx, "wait", func(ctx context.Context, s *session) error {
		if s.fresh {
			s.fresh = false
			return nil
		}
		return s.wait(ctx)
	})
}

func (s *session) wait(ctx context.Context) error {
	select {
	case <-s.news:
		return nil
	default:
	}
	if s.noIdle || !s.caps.Has(goimap.CapIdle) {
		return s.poll(ctx)
	}
	var idle *imapclient.IdleCommand
	err := s.run(ctx, 0, "idle", func() (err error) {
		idle, err = s.client.Idle()
		return err
	})
	if status(err) != nil {
		s.cfg.Log.Info("idle refused, polling", "server", s.cfg.Addr, "poll", s.cfg.Poll, "err", err)
		s.noIdle = true
		return s.poll(ctx)
	}
	if err != nil {
		return err
	}
	t := time.NewTimer(s.cfg.Poll)
	defer t.Stop()
	select {
	case <-s.news:
	case <-t.C:
	case <-s.client.Closed():
	case <-ctx.Done():
	}
	// The end of IDLE is also the proof that the server is alive.
	stopped := s.run(context.WithoutCancel(ctx), 0, "idle", func() error {
		if err := idle.Close(); err != nil {
			return err
		}
		return idle.Wait()
	})
	if err := ctx.Err(); err != nil && stopped == nil {
		return soundf("%w", err)
	}
	return stopped
}

func (s *session) poll(ctx context.Context) error {
	if err := sleep(ctx, s.cfg.Poll); err != nil {
		return sound{err}
	}
	return nil
}

// Close ends the session politely and every call under way.
func (i *Inbox) Close() error {
	i.end()
	<-i.turn
	defer func() { i.turn <- struct{}{} }()
	if i.s != nil {
		i.s.end()
		i.s = nil
	}
	return nil
}
