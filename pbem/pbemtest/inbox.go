package pbemtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pbemd/pbem"
)

// InboxBench is an Inbox on an empty mailbox and the hands to reach behind it.
// Cut and Renumber may be nil where the server can't be made to do it.
type InboxBench struct {
	Inbox pbem.Inbox
	// Another opens a second Inbox on the same mailbox.
	Another func(t *testing.T) pbem.Inbox
	// Deliver puts a message into the mailbox; it is there when Deliver returns.
	Deliver func(t *testing.T, message []byte)
	// Lying returns the messages in "INBOX" or a folder.
	Lying func(t *testing.T, folder string) [][]byte
	// Cut ends every connection of the Inbox without a word.
	Cut func(t *testing.T)
	// Renumber gives the mailbox a new UIDVALIDITY.
	Renumber func(t *testing.T)
}

// limit is how long a suite waits for anything.
const limit = 30 * time.Second

// TestInbox runs what every Inbox must keep.
func TestInbox(t *testing.T, open func(t *testing.T) InboxBench) {
	for _, c := range []struct {
		name string
		run  func(t *testing.T, ctx context.Context, b InboxBench)
	}{
		{"an empty mailbox lists nothing", inboxEmpty},
		{"what arrives is listed in order with size and time and fetched octet by octet", inboxFetch},
		{"fetching changes nothing", inboxFetchTwice},
		{"a header is given without its body", inboxHeader},
		{"a filed message is in its folder and nowhere else", inboxFile},
		{"filing again or filing what is gone is no error", inboxFileTwice},
		{"a set is filed whole, whatever else was in it", inboxFileSet},
		{"fetching what is gone is ErrGone", inboxGone},
		{"a ref of another UIDVALIDITY does no harm", inboxForeignRef},
		{"an arrival ends the wait", inboxWakes},
		{"an arrival before the wait is not missed", inboxEarlyArrival},
		{"the end of the context ends the wait", inboxContext},
		{"close ends the wait", inboxClose},
		{"a cut connection loses nothing", inboxCut},
		{"a new UIDVALIDITY loses nothing", inboxRenumber},
		{"a backlog is drained", inboxBacklog},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*limit)
			defer cancel()
			b := open(t)
			t.Cleanup(func() { b.Inbox.Close() })
			c.run(t, ctx, b)
		})
	}
}

// note is a small message that can be told from others.
func note(n int) []byte {
	return fmt.Appendf(nil, "From: Alice <alice@players.example>\r\nTo: gm+g12-k7f3q9xw@pbem.example\r\n"+
		"Subject: orders %d\r\nMessage-ID: <note.%d@players.example>\r\nDate: Fri, 04 Dec 2026 20:00:00 +0000\r\n\r\n"+
		"GAME 12\r\nMOVE 56PZ H15-H14\r\n.\r\nEND %d\r\n", n, n, n)
}

// has finds a message by its own part: servers put trace lines above it.
func has(lying [][]byte, message []byte) int {
	n := 0
	for _, l := range lying {
		if bytes.HasSuffix(l, message) {
			n++
		}
	}
	return n
}

func list(t *testing.T, ctx context.Context, in pbem.Inbox, want int) []pbem.Ref {
	t.Helper()
	refs, err := in.List(ctx)
	if err != nil {
		t.Fatalf("list: %v", err)
	}
	if len(refs) != want {
		t.Fatalf("listed %d messages, want %d: %v", len(refs), want, refs)
	}
	return refs
}

func fetch(t *testing.T, ctx context.Context, in pbem.Inbox, r pbem.Ref) []byte {
	t.Helper()
	raw, err := in.Fetch(ctx, r)
	if err != nil {
		t.Fatalf("fetch %v: %v", r, err)
	}
	return raw
}

func inboxEmpty(t *testing.T, ctx context.Context, b InboxBench) {
	list(t, ctx, b.Inbox, 0)
}

func inboxFetch(t *testing.T, ctx context.Context, b InboxBench) {
	before := time.Now().Add(-time.Minute)
	for n := range 5 {
		b.Deliver(t, note(n))
	}
	refs := list(t, ctx, b.Inbox, 5)
	if !slices.IsSortedFunc(refs, func(a, b pbem.Ref) int { return int(a.UID) - int(b.UID) }) {
		t.Errorf("not in UID order: %v", refs)
	}
	for n, r := range refs {
		raw := fetch(t, ctx, b.Inbox, r)
		if !bytes.HasSuffix(raw, note(n)) {
			t.Errorf("message %d is not what was sent:\n%q", n, raw)
		}
		if r.Size != int64(len(raw)) {
			t.Errorf("message %d: listed with %d octets, has %d", n, r.Size, len(raw))
		}
		if r.Received.Before(before) || r.Received.After(time.Now().Add(time.Minute)) {
			t.Errorf("message %d: received %v, not about now", n, r.Received)
		}
		if r.UIDValidity == 0 || r.UID == 0 {
			t.Errorf("message %d: %v names nothing", n, r)
		}
	}
}

func inboxFetchTwice(t *testing.T, ctx context.Context, b InboxBench) {
	b.Deliver(t, note(1))
	r := list(t, ctx, b.Inbox, 1)[0]
	first, second := fetch(t, ctx, b.Inbox, r), fetch(t, ctx, b.Inbox, r)
	if !bytes.Equal(first, second) {
		t.Errorf("second fetch differs:\n%q\n%q", first, second)
	}
	if again := list(t, ctx, b.Inbox, 1)[0]; again.UID != r.UID || again.UIDValidity != r.UIDValidity {
		t.Errorf("listed as %v, then as %v", r, again)
	}
}

func inboxHeader(t *testing.T, ctx context.Context, b InboxBench) {
	h, ok := b.Inbox.(pbem.Headers)
	if !ok {
		t.Skip("this inbox gives no headers")
	}
	b.Deliver(t, note(1))
	b.Deliver(t, note(2))
	for n, r := range list(t, ctx, b.Inbox, 2) {
		head, err := h.Header(ctx, r)
		if err != nil {
			t.Fatalf("header: %v", err)
		}
		whole := fetch(t, ctx, b.Inbox, r)
		if !bytes.HasPrefix(whole, head) || !bytes.HasSuffix(head, []byte("\r\n\r\n")) || bytes.Contains(head, []byte("GAME 12")) || !bytes.Contains(head, fmt.Appendf(nil, "<note.%d@", n+1)) {
			t.Errorf("header of message %d: %q", n, head)
		}
		r.UIDValidity++
		if _, err := h.Header(ctx, r); !errors.Is(err, pbem.ErrGone) {
			t.Errorf("header by a foreign number: %v, want ErrGone", err)
		}
	}
	list(t, ctx, b.Inbox, 2)
}

func inboxFile(t *testing.T, ctx context.Context, b InboxBench) {
	for n := range 3 {
		b.Deliver(t, note(n))
	}
	refs := list(t, ctx, b.Inbox, 3)
	for n, to := range map[int]pbem.Folder{0: pbem.Processed, 2: pbem.Quarantine} {
		if err := b.Inbox.File(ctx, refs[n], to); err != nil {
			t.Fatalf("file into %s: %v", to, err)
		}
	}
	if left := list(t, ctx, b.Inbox, 1)[0]; left.UID != refs[1].UID {
		t.Errorf("left is %v, want %v", left, refs[1])
	}
	inbox, processed, quarantine := b.Lying(t, "INBOX"), b.Lying(t, "Processed"), b.Lying(t, "Quarantine")
	for n, want := range [][3]int{{0, 1, 0}, {1, 0, 0}, {0, 0, 1}} {
		if got := [3]int{has(inbox, note(n)), has(processed, note(n)), has(quarantine, note(n))}; got != want {
			t.Errorf("message %d is %v times in INBOX, Processed, Quarantine; want %v", n, got, want)
		}
	}
}

func inboxFileTwice(t *testing.T, ctx context.Context, b InboxBench) {
	b.Deliver(t, note(1))
	r := list(t, ctx, b.Inbox, 1)[0]
	for n := range 3 {
		if err := b.Inbox.File(ctx, r, pbem.Processed); err != nil {
			t.Fatalf("time %d: %v", n+1, err)
		}
	}
	if n := has(b.Lying(t, "Processed"), note(1)); n != 1 {
		t.Errorf("%d copies in Processed, want 1", n)
	}
}

func inboxFileSet(t *testing.T, ctx context.Context, b InboxBench) {
	const many = 7
	for n := range many {
		b.Deliver(t, note(n))
	}
	refs := list(t, ctx, b.Inbox, many)
	if err := b.Inbox.File(ctx, refs[1], pbem.Quarantine); err != nil {
		t.Fatal(err)
	}
	foreign := refs[3]
	foreign.UIDValidity--
	// one is gone, one is from before a renumbering, one stays
	set := []pbem.Ref{refs[0], refs[1], refs[2], foreign, refs[5], refs[6]}
	for range 2 {
		if err := pbem.FileAll(ctx, b.Inbox, set, pbem.Processed); err != nil {
			t.Fatalf("file a set: %v", err)
		}
	}
	if err := pbem.FileAll(ctx, b.Inbox, nil, pbem.Processed); err != nil {
		t.Errorf("file nothing: %v", err)
	}
	left := list(t, ctx, b.Inbox, 2)
	if left[0].UID != refs[3].UID || left[1].UID != refs[4].UID {
		t.Errorf("left are %v, want %v and %v", left, refs[3], refs[4])
	}
	processed := b.Lying(t, "Processed")
	for n := range many {
		want := 1
		if n == 1 || n == 3 || n == 4 {
			want = 0
		}
		if got := has(processed, note(n)); got != want {
			t.Errorf("message %d is %d times in Processed, want %d", n, got, want)
		}
	}
	if n := len(b.Lying(t, "Quarantine")); n != 1 {
		t.Errorf("%d in Quarantine, want 1", n)
	}
}

func inboxGone(t *testing.T, ctx context.Context, b InboxBench) {
	b.Deliver(t, note(1))
	b.Deliver(t, note(2))
	r := list(t, ctx, b.Inbox, 2)[0]
	other := b.Another(t)
	defer other.Close()
	if err := other.File(ctx, list(t, ctx, other, 2)[0], pbem.Processed); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Inbox.Fetch(ctx, r); !errors.Is(err, pbem.ErrGone) {
		t.Errorf("fetch of a message taken by somebody else: %v, want ErrGone", err)
	}
	if err := b.Inbox.File(ctx, r, pbem.Quarantine); err != nil {
		t.Errorf("file of a message taken by somebody else: %v", err)
	}
	if n := len(b.Lying(t, "Quarantine")); n != 0 {
		t.Errorf("%d messages in Quarantine, want none", n)
	}
	list(t, ctx, b.Inbox, 1)
}

func inboxForeignRef(t *testing.T, ctx context.Context, b InboxBench) {
	b.Deliver(t, note(1))
	r := list(t, ctx, b.Inbox, 1)[0]
	r.UIDValidity--
	if _, err := b.Inbox.Fetch(ctx, r); !errors.Is(err, pbem.ErrGone) {
		t.Errorf("fetch: %v, want ErrGone", err)
	}
	if err := b.Inbox.File(ctx, r, pbem.Quarantine); err != nil {
		t.Errorf("file: %v", err)
	}
	list(t, ctx, b.Inbox, 1)
}

// wait runs Wait in the background.
func wait(ctx context.Context, in pbem.Inbox) <-chan error {
	done := make(chan error, 1)
	go func() { done <- in.Wait(ctx) }()
	return done
}

func ended(t *testing.T, done <-chan error) error {
	t.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(limit):
		t.Fatalf("still waiting after %v", limit)
		return nil
	}
}

// arrives looks and waits, as the intake does, until so many are there.
func arrives(t *testing.T, ctx context.Context, in pbem.Inbox, want int) []pbem.Ref {
	t.Helper()
	for {
		refs, err := in.List(ctx)
		if err == nil && len(refs) == want {
			return refs
		}
		if ctx.Err() != nil {
			t.Fatalf("listed %d messages (%v), want %d", len(refs), err, want)
		}
		in.Wait(ctx)
	}
}

func inboxWakes(t *testing.T, ctx context.Context, b InboxBench) {
	list(t, ctx, b.Inbox, 0)
	for n := range 3 {
		done := wait(ctx, b.Inbox)
		b.Deliver(t, note(n))
		if err := ended(t, done); err != nil {
			t.Fatalf("wait: %v", err)
		}
		arrives(t, ctx, b.Inbox, n+1)
	}
}

func inboxEarlyArrival(t *testing.T, ctx context.Context, b InboxBench) {
	list(t, ctx, b.Inbox, 0)
	b.Deliver(t, note(1))
	if err := ended(t, wait(ctx, b.Inbox)); err != nil {
		t.Fatalf("wait: %v", err)
	}
	list(t, ctx, b.Inbox, 1)
}

func inboxContext(t *testing.T, ctx context.Context, b InboxBench) {
	list(t, ctx, b.Inbox, 0)
	short, cancel := context.WithCancel(ctx)
	done := wait(short, b.Inbox)
	cancel()
	if err := ended(t, done); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("wait: %v", err)
	}
	b.Deliver(t, note(1))
	arrives(t, ctx, b.Inbox, 1)
}

func inboxClose(t *testing.T, ctx context.Context, b InboxBench) {
	list(t, ctx, b.Inbox, 0)
	done := wait(ctx, b.Inbox)
	if err := b.Inbox.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	ended(t, done)
	if _, err := b.Inbox.List(ctx); err == nil {
		t.Error("list after close: no error")
	}
}

func inboxCut(t *testing.T, ctx context.Context, b InboxBench) {
	if b.Cut == nil {
		t.Skip("this server can't be made to cut connections")
	}
	b.Deliver(t, note(1))
	r := list(t, ctx, b.Inbox, 1)[0]
	b.Cut(t)
	if raw, err := b.Inbox.Fetch(ctx, r); err != nil || !bytes.HasSuffix(raw, note(1)) {
		t.Errorf("fetch after a cut: %q, %v", raw, err)
	}
	done := wait(ctx, b.Inbox)
	b.Cut(t)
	ended(t, done)
	b.Deliver(t, note(2))
	for _, r := range arrives(t, ctx, b.Inbox, 2) {
		b.Cut(t)
		for b.Inbox.File(ctx, r, pbem.Processed) != nil && ctx.Err() == nil {
			continue // the inbox paces itself
		}
	}
	arrives(t, ctx, b.Inbox, 0)
	lying := b.Lying(t, "Processed")
	if has(lying, note(1)) != 1 || has(lying, note(2)) != 1 {
		t.Errorf("%d messages in Processed, want each of two once", len(lying))
	}
}

func inboxRenumber(t *testing.T, ctx context.Context, b InboxBench) {
	if b.Renumber == nil {
		t.Skip("this server can't be made to renumber")
	}
	b.Deliver(t, note(1))
	b.Deliver(t, note(2))
	old := list(t, ctx, b.Inbox, 2)
	b.Renumber(t)
	fresh := arrives(t, ctx, b.Inbox, 2)
	if fresh[0].UIDValidity == old[0].UIDValidity {
		t.Fatalf("UIDVALIDITY is still %d", old[0].UIDValidity)
	}
	if _, err := b.Inbox.Fetch(ctx, old[0]); !errors.Is(err, pbem.ErrGone) {
		t.Errorf("fetch by the old number: %v, want ErrGone", err)
	}
	if err := b.Inbox.File(ctx, old[0], pbem.Quarantine); err != nil {
		t.Errorf("file by the old number: %v", err)
	}
	var again [][]byte // in whatever order the server has numbered them
	for _, r := range arrives(t, ctx, b.Inbox, 2) {
		again = append(again, fetch(t, ctx, b.Inbox, r))
		if err := b.Inbox.File(ctx, r, pbem.Processed); err != nil {
			t.Errorf("file: %v", err)
		}
	}
	for n := 1; n <= 2; n++ {
		if has(again, note(n)) != 1 {
			t.Errorf("message %d is not there as it was: %q", n, again)
		}
	}
	list(t, ctx, b.Inbox, 0)
	if n := len(b.Lying(t, "Processed")); n != 2 {
		t.Errorf("%d messages in Processed, want 2", n)
	}
}

func inboxBacklog(t *testing.T, ctx context.Context, b InboxBench) {
	const many = 60
	for n := range many {
		b.Deliver(t, note(n))
	}
	seen := make(map[string]bool)
	for _, r := range list(t, ctx, b.Inbox, many) {
		raw := fetch(t, ctx, b.Inbox, r)
		seen[string(raw[bytes.Index(raw, []byte("Subject:")):])] = true
		if err := b.Inbox.File(ctx, r, pbem.Processed); err != nil {
			t.Fatalf("file: %v", err)
		}
	}
	list(t, ctx, b.Inbox, 0)
	if n := len(b.Lying(t, "Processed")); n != many || len(seen) != many {
		t.Errorf("%d different messages fetched, %d in Processed; want %d", len(seen), n, many)
	}
}
