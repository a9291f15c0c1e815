package pbem_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pbemd/pbem"
	"pbemd/pbem/pbemtest"
)

// counting is an inbox that files sets and says how many commands that took.
type counting struct {
	*pbemtest.Box
	sets, single int
	fail         error
}

func (c *counting) File(ctx context.Context, r pbem.Ref, to pbem.Folder) error {
	c.single++
	return c.Box.File(ctx, r, to)
}

func (c *counting) FileSet(ctx context.Context, refs []pbem.Ref, to pbem.Folder) error {
	if c.sets++; c.fail != nil {
		return c.fail
	}
	for _, r := range refs {
		if err := c.Box.File(ctx, r, to); err != nil {
			return err
		}
	}
	return nil
}

// Mails that took effect and could not be filed, because the server went down
// then or the mailbox was out of reach, are known when they are seen again.
func TestFilingInSets(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	axis := w.As("axis")
	const many = 120
	put := func() {
		for n := range many {
			w.Box.Put(axis.Mail("GAME 1", fmt.Sprintf("NOTE %d", n), "END"), w.Now())
		}
	}
	w.Config.Caps.MailsPerHour, w.Config.Caps.SentPerHour = 10*many, 10*many
	w.Restart()
	put()
	box := &counting{Box: w.Box}
	w.Box.FailFile = errors.New("cut")
	if err := w.Office.Drain(context.Background(), box); !errors.Is(err, w.Box.FailFile) {
		t.Fatalf("drain: %v", err)
	}
	w.Flush()
	if w.Box.Lying() != many {
		t.Errorf("%d lie in the mailbox, want all %d", w.Box.Lying(), many)
	}
	answers := len(w.Post.All)
	for range many {
		says(t, axis.Next(), "YOUR TURN")
	}
	w.Restart()
	w.Box.FailFile = nil
	box.sets, box.single = 0, 0
	if err := w.Office.Drain(context.Background(), box); err != nil {
		t.Fatal(err)
	}
	w.Flush()
	w.None("axis")
	if len(w.Post.All) != answers {
		t.Errorf("%d answers in place of %d", len(w.Post.All), answers)
	}
	if w.Box.Lying() != 0 || len(w.Box.Filed[pbem.Processed]) != many || box.sets != 3 || box.single != 0 {
		t.Errorf("%d lie there still, %d filed, %d sets, %d singly", w.Box.Lying(), len(w.Box.Filed[pbem.Processed]), box.sets, box.single)
	}
	// where a set is refused each goes by itself
	w.Box.Put(axis.Mail("GAME 1", "NOTE one", "END"), w.Now())
	w.Box.Put(axis.Mail("GAME 1", "NOTE two", "END"), w.Now())
	w.Box.Put([]byte("From: x@stranger.example\r\nTo: "+pbemtest.MailboxAddress+"\r\n\r\nhello\r\n"), w.Now())
	box.fail = errors.New("not so many")
	if err := w.Office.Drain(context.Background(), box); err != nil {
		t.Fatal(err)
	}
	if w.Box.Lying() != 0 || box.single != 3 || len(w.Box.Filed[pbem.Quarantine]) != 1 {
		t.Errorf("%d lie there, %d filed singly, %d in quarantine", w.Box.Lying(), box.single, len(w.Box.Filed[pbem.Quarantine]))
	}
}
