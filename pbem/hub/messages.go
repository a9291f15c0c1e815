package hub

import (
	"fmt"
	"slices"

	goimap "github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
)

// Messages returns what lies in a folder of a user, oldest first. It looks by
// IMAP, without changing a flag.
func (h *Hub) Messages(user, folder string) ([][]byte, error) {
	a := h.account(user)
	if a == nil {
		return nil, fmt.Errorf("messages of %q: no such user here", user)
	}
	c, err := imapclient.DialInsecure(h.imapAddr, nil)
	if err != nil {
		return nil, fmt.Errorf("messages of %q: %w", user, err)
	}
	defer c.Close()
	if err := c.Login(a.address, a.password).Wait(); err != nil {
		return nil, fmt.Errorf("messages of %q: %w", user, err)
	}
	d, err := c.Select(folder, &goimap.SelectOptions{ReadOnly: true}).Wait()
	if err != nil {
		return nil, fmt.Errorf("messages of %q in %s: %w", user, folder, err)
	}
	if d.NumMessages == 0 {
		return nil, nil
	}
	var all goimap.SeqSet
	all.AddRange(1, 0)
	section := &goimap.FetchItemBodySection{Peek: true}
	msgs, err := c.Fetch(all, &goimap.FetchOptions{UID: true, BodySection: []*goimap.FetchItemBodySection{section}}).Collect()
	if err != nil {
		return nil, fmt.Errorf("messages of %q in %s: %w", user, folder, err)
	}
	slices.SortFunc(msgs, func(a, b *imapclient.FetchMessageBuffer) int { return int(a.UID) - int(b.UID) })
	var out [][]byte
	for _, m := range msgs {
		out = append(out, m.FindBodySection(section))
	}
	return out, nil
}
