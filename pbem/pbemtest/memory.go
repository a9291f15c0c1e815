package pbemtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"pbemd/pbem"
)

// Memory is an archive in memory: the plainest thing that keeps the promises of
// [pbem.Archive], and the model that others are compared with.
type Memory struct {
	mu       sync.Mutex
	games    map[pbem.GameID]pbem.Game
	last     pbem.GameID
	log      map[pbem.GameID][]pbem.Entry
	records  map[pbem.GameID][]pbem.Sealed
	bursts   map[pbem.GameID]map[int]pbem.Burst
	data     map[string]map[string][]byte
	mails    map[string]pbem.Mail
	arrived  []string
	attempts map[string]int
	accounts map[string]pbem.Account
	out      map[string]pbem.Outgoing

	// Fail, if set, is asked before each commit; its error is the commit's.
	Fail func(pbem.Change) error
	// After, if set, is called when a commit is done, as a crash may be wanted.
	After func(pbem.Change)
}

var _ pbem.Archive = (*Memory)(nil)

// NewMemory makes an empty archive.
func NewMemory() *Memory {
	return &Memory{
		games: map[pbem.GameID]pbem.Game{}, log: map[pbem.GameID][]pbem.Entry{},
		records: map[pbem.GameID][]pbem.Sealed{}, bursts: map[pbem.GameID]map[int]pbem.Burst{},
		data: map[string]map[string][]byte{}, mails: map[string]pbem.Mail{}, attempts: map[string]int{},
		accounts: map[string]pbem.Account{}, out: map[string]pbem.Outgoing{},
	}
}

// clone makes a copy that shares nothing, as storing and reading again would.
func clone[T any](v T) T {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	var w T
	if err := json.Unmarshal(b, &w); err != nil {
		panic(err)
	}
	return w
}

// Game implements [pbem.Archive].
func (m *Memory) Game(id pbem.GameID) (pbem.Game, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	g, ok := m.games[id]
	if !ok {
		return pbem.Game{}, pbem.ErrNotFound
	}
	return clone(g), nil
}

// Games implements [pbem.Archive].
func (m *Memory) Games(after pbem.GameID, n int) ([]pbem.Game, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var ids []pbem.GameID
	for id := range m.games {
		if id > after {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	var list []pbem.Game
	for _, id := range ids[:min(n, len(ids))] {
		list = append(list, clone(m.games[id]))
	}
	return list, nil
}

// NextGame implements [pbem.Archive].
func (m *Memory) NextGame() (pbem.GameID, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.last + 1, nil
}

// Log implements [pbem.Archive].
func (m *Memory) Log(id pbem.GameID, after int) ([]pbem.Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []pbem.Entry
	for _, e := range m.log[id] {
		if e.N > after {
			list = append(list, clone(e))
		}
	}
	return list, nil
}

// Records implements [pbem.Archive].
func (m *Memory) Records(id pbem.GameID, after int) ([]pbem.Sealed, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []pbem.Sealed
	for _, r := range m.records[id] {
		if r.N > after {
			list = append(list, clone(r))
		}
	}
	return list, nil
}

// Burst implements [pbem.Archive].
func (m *Memory) Burst(id pbem.GameID, n int) (pbem.Burst, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.bursts[id][n]
	if !ok {
		return pbem.Burst{}, pbem.ErrNotFound
	}
	return clone(b), nil
}

// Seats implements [pbem.Archive].
func (m *Memory) Seats(address string) ([]pbem.SeatRef, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []pbem.SeatRef
	for id, g := range m.games {
		for _, s := range g.Seats {
			if s.Address != "" && strings.EqualFold(s.Address, address) {
				list = append(list, pbem.SeatRef{Game: id, Side: s.Side})
			}
		}
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].Game != list[j].Game {
			return list[i].Game < list[j].Game
		}
		return list[i].Side < list[j].Side
	})
	return list, nil
}

// Data implements [pbem.Archive].
func (m *Memory) Data(digest string) (map[string][]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	set, ok := m.data[digest]
	if !ok {
		return nil, pbem.ErrNotFound
	}
	out := map[string][]byte{}
	for n, b := range set {
		out[n] = bytes.Clone(b)
	}
	return out, nil
}

// Mail implements [pbem.Archive].
func (m *Memory) Mail(key string) (pbem.Mail, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	x, ok := m.mails[key]
	if !ok {
		return pbem.Mail{}, pbem.ErrNotFound
	}
	y := clone(x)
	y.Raw = bytes.Clone(x.Raw)
	return y, nil
}

// Mails implements [pbem.Archive].
func (m *Memory) Mails(before uint64, n int) ([]pbem.Mail, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []pbem.Mail
	for i := len(m.arrived) - 1; i >= 0 && len(list) < n; i-- {
		if x := m.mails[m.arrived[i]]; before == 0 || x.Order < before {
			list = append(list, clone(x))
		}
	}
	return list, nil
}

// Attempts implements [pbem.Archive].
func (m *Memory) Attempts(ref string) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.attempts[ref], nil
}

// Attempt implements [pbem.Archive].
func (m *Memory) Attempt(ref string) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.attempts[ref]++
	return m.attempts[ref], nil
}

// Account implements [pbem.Archive].
func (m *Memory) Account(address string) (pbem.Account, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	address = strings.ToLower(address)
	if a, ok := m.accounts[address]; ok {
		return clone(a), nil
	}
	return pbem.Account{Address: address}, nil
}

// Outgoing implements [pbem.Archive].
func (m *Memory) Outgoing(id string) (pbem.Outgoing, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	o, ok := m.out[id]
	if !ok {
		return pbem.Outgoing{}, pbem.ErrNotFound
	}
	x := clone(o)
	x.Message = bytes.Clone(o.Message)
	return x, nil
}

// Outbox implements [pbem.Archive].
func (m *Memory) Outbox(state pbem.OutState, after string, n int) ([]pbem.Outgoing, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []pbem.Outgoing
	for id, o := range m.out {
		if o.State == state && id > after {
			list = append(list, clone(o))
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].ID < list[j].ID })
	return list[:min(n, len(list))], nil
}

// Due implements [pbem.Archive].
func (m *Memory) Due(now time.Time, n int) ([]pbem.Outgoing, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []pbem.Outgoing
	for _, o := range m.out {
		if o.State == pbem.OutPending && !o.Next.After(now) {
			list = append(list, clone(o))
		}
	}
	sort.Slice(list, func(i, j int) bool {
		if !list[i].Next.Equal(list[j].Next) {
			return list[i].Next.Before(list[j].Next)
		}
		return list[i].ID < list[j].ID
	})
	return list[:min(n, len(list))], nil
}

// Timers implements [pbem.Archive].
func (m *Memory) Timers(now time.Time, n int) ([]pbem.GameID, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	first := map[pbem.GameID]time.Time{}
	var list []pbem.GameID
	for id, g := range m.games {
		for _, t := range g.Timers {
			if t.At.After(now) {
				continue
			}
			if old, ok := first[id]; !ok {
				list = append(list, id)
				first[id] = t.At
			} else if t.At.Before(old) {
				first[id] = t.At
			}
		}
	}
	sort.Slice(list, func(i, j int) bool {
		a, b := list[i], list[j]
		if !first[a].Equal(first[b]) {
			return first[a].Before(first[b])
		}
		return a < b
	})
	return list[:min(n, len(list))], nil
}

// Commit implements [pbem.Archive].
func (m *Memory) Commit(c pbem.Change) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.Fail != nil {
		if err := m.Fail(c); err != nil {
			return err
		}
	}
	for _, g := range c.Games {
		if g.Rev != m.games[g.ID].Rev+1 {
			return pbem.ErrMoved
		}
	}
	for _, o := range c.Outgoing {
		if _, ok := m.out[o.ID]; ok && o.Message != nil {
			return errors.New("the bytes of " + o.ID + " are frozen")
		}
	}
	for _, g := range c.Games {
		m.games[g.ID] = clone(g)
		m.last = max(m.last, g.ID)
	}
	for _, e := range c.Log {
		m.log[e.Game] = replace(m.log[e.Game], clone(e.Entry), func(x pbem.Entry) int { return x.N })
	}
	for _, r := range c.Records {
		m.records[r.Game] = replace(m.records[r.Game], clone(r.Record), func(x pbem.Sealed) int { return x.N })
	}
	for _, b := range c.Bursts {
		if m.bursts[b.Game] == nil {
			m.bursts[b.Game] = map[int]pbem.Burst{}
		}
		m.bursts[b.Game][b.Burst.N] = clone(b.Burst)
	}
	for d, set := range c.Data {
		if m.data[d] == nil {
			m.data[d] = map[string][]byte{}
		}
		for n, b := range set {
			m.data[d][n] = bytes.Clone(b)
		}
	}
	for _, x := range c.Mails {
		y := clone(x)
		if old, ok := m.mails[x.Key]; ok {
			y.Order, y.Raw = old.Order, old.Raw
		} else {
			m.arrived = append(m.arrived, x.Key)
			y.Order = uint64(len(m.arrived))
		}
		if x.Raw != nil {
			y.Raw = bytes.Clone(x.Raw)
		}
		m.mails[x.Key] = y
	}
	for _, ref := range c.Done {
		delete(m.attempts, ref)
	}
	for _, a := range c.Accounts {
		a.Address = strings.ToLower(a.Address)
		m.accounts[a.Address] = clone(a)
	}
	for _, o := range c.Outgoing {
		x := clone(o)
		if old, ok := m.out[o.ID]; ok {
			x.Message = old.Message
		} else {
			x.Message, x.Size = bytes.Clone(o.Message), len(o.Message)
		}
		m.out[o.ID] = x
	}
	if m.After != nil {
		m.After(c)
	}
	return nil
}

// replace puts an entry in the place of its number.
func replace[T any](list []T, x T, n func(T) int) []T {
	i, found := slices.BinarySearchFunc(list, n(x), func(e T, want int) int { return n(e) - want })
	if found {
		list[i] = x
		return list
	}
	return slices.Insert(list, i, x)
}
