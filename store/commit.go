package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"

	"go.etcd.io/bbolt"

	"pbemd/pbem"
)

// Commit implements [pbem.Archive].
func (s *Store) Commit(c pbem.Change) error {
	large, err := s.shelve(c)
	if err != nil {
		return err
	}
	err = s.db.Update(func(tx *bbolt.Tx) error {
		for _, n := range large {
			if err := mark(tx, bFiles, []byte(n)); err != nil {
				return err
			}
		}
		for _, g := range c.Games {
			if err := putGame(tx, g); err != nil {
				return err
			}
		}
		for _, e := range c.Log {
			if err := put(tx, bLog, gameN(e.Game, e.Entry.N), e.Entry); err != nil {
				return err
			}
		}
		for _, r := range c.Records {
			if err := put(tx, bRecords, gameN(r.Game, r.Record.N), r.Record); err != nil {
				return err
			}
		}
		for _, b := range c.Bursts {
			if err := put(tx, bBursts, gameN(b.Game, b.Burst.N), b.Burst); err != nil {
				return err
			}
		}
		if err := putData(tx, c.Data); err != nil {
			return err
		}
		for _, m := range c.Mails {
			if err := putMail(tx, m); err != nil {
				return err
			}
		}
		for _, ref := range c.Done {
			if err := tx.Bucket(bAttempts).Delete([]byte(ref)); err != nil {
				return err
			}
		}
		for _, a := range c.Accounts {
			a.Address = strings.ToLower(a.Address)
			if err := put(tx, bAccounts, accountKey(a.Address), a); err != nil {
				return err
			}
		}
		for _, o := range c.Outgoing {
			if err := putOutgoing(tx, o); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, pbem.ErrMoved) {
		return fmt.Errorf("commit: %w", err)
	}
	return err
}

func accountKey(address string) []byte { return []byte(address) }

// shelve writes the large bytes of a change to files; orphans do no harm.
func (s *Store) shelve(c pbem.Change) (names []string, err error) {
	put := func(b []byte) error {
		if len(b) <= Large {
			return nil
		}
		n := nameOf(b)
		if err := s.files.put(n, b); err != nil {
			return fmt.Errorf("keep %d bytes: %w", len(b), err)
		}
		names = append(names, n)
		return nil
	}
	for _, m := range c.Mails {
		if err := put(m.Raw); err != nil {
			return nil, err
		}
	}
	for _, o := range c.Outgoing {
		if err := put(o.Message); err != nil {
			return nil, err
		}
	}
	return names, nil
}

func putGame(tx *bbolt.Tx, g pbem.Game) error {
	old, err := get[pbem.Game](tx, bGames, gameKey(g.ID))
	if err != nil && !errors.Is(err, pbem.ErrNotFound) {
		return err
	}
	if g.Rev != old.Rev+1 {
		return pbem.ErrMoved
	}
	if err != nil {
		if err := countGame(tx, g.ID); err != nil {
			return err
		}
	}
	for _, seat := range old.Seats {
		if err := tx.Bucket(bSeats).Delete(seatKey(g.ID, seat)); err != nil {
			return err
		}
	}
	for _, t := range old.Timers {
		if err := tx.Bucket(bTimers).Delete(timerKey(g.ID, t)); err != nil {
			return err
		}
	}
	for _, seat := range g.Seats {
		if seat.Address == "" {
			continue
		}
		if err := mark(tx, bSeats, seatKey(g.ID, seat)); err != nil {
			return err
		}
	}
	for _, t := range g.Timers {
		if err := mark(tx, bTimers, timerKey(g.ID, t)); err != nil {
			return err
		}
	}
	return put(tx, bGames, gameKey(g.ID), g)
}

func countGame(tx *bbolt.Tx, id pbem.GameID) error {
	n, err := get[uint64](tx, bMeta, []byte("games"))
	if err != nil && !errors.Is(err, pbem.ErrNotFound) {
		return err
	}
	return put(tx, bMeta, []byte("games"), max(n, uint64(id)))
}

func seatKey(id pbem.GameID, s pbem.Seat) []byte {
	k := append(join(strings.ToLower(s.Address), ""), gameKey(id)...)
	return append(k, s.Side...)
}

func timerKey(id pbem.GameID, t pbem.Timer) []byte { return append(at(t.At), gameKey(id)...) }

func putData(tx *bbolt.Tx, sets map[string]map[string][]byte) error {
	digests := make([]string, 0, len(sets))
	for d := range sets {
		digests = append(digests, d)
	}
	sort.Strings(digests)
	for _, d := range digests {
		for name, b := range sets[d] {
			if err := tx.Bucket(bData).Put(join(d, name), b); err != nil {
				return err
			}
		}
	}
	return nil
}

func putMail(tx *bbolt.Tx, m pbem.Mail) error {
	old, err := get[pbem.Mail](tx, bMails, []byte(m.Key))
	switch {
	case err == nil:
		m.Order = old.Order
	case errors.Is(err, pbem.ErrNotFound):
		if m.Order, err = tx.Bucket(bArrivals).NextSequence(); err != nil {
			return err
		}
		if err := tx.Bucket(bArrivals).Put(u64(m.Order), []byte(m.Key)); err != nil {
			return err
		}
	default:
		return err
	}
	if err := putBytes(tx, bRaw, m.Key, m.Raw); err != nil {
		return err
	}
	return put(tx, bMails, []byte(m.Key), m)
}

// putBytes keeps bytes, or the name of their file; nil leaves what is there.
func putBytes(tx *bbolt.Tx, bucket []byte, key string, b []byte) error {
	switch {
	case b == nil:
		return nil
	case len(b) > Large:
		return tx.Bucket(bucket).Put([]byte(key), append([]byte{inFile}, nameOf(b)...))
	}
	return tx.Bucket(bucket).Put([]byte(key), append([]byte{inline}, b...))
}

func putOutgoing(tx *bbolt.Tx, o pbem.Outgoing) error {
	old, err := get[pbem.Outgoing](tx, bOut, []byte(o.ID))
	if err == nil {
		if err := tx.Bucket(bStates).Delete(join(string(old.State), old.ID)); err != nil {
			return err
		}
		if err := tx.Bucket(bDue).Delete(append(at(old.Next), old.ID...)); err != nil {
			return err
		}
		if o.Message != nil {
			return errors.New("the bytes of " + o.ID + " are frozen")
		}
	} else if !errors.Is(err, pbem.ErrNotFound) {
		return err
	} else {
		o.Size = len(o.Message)
	}
	if o.State == pbem.OutPending {
		if err := mark(tx, bDue, append(at(o.Next), o.ID...)); err != nil {
			return err
		}
	}
	if err := mark(tx, bStates, join(string(o.State), o.ID)); err != nil {
		return err
	}
	if err := putBytes(tx, bBytes, o.ID, o.Message); err != nil {
		return err
	}
	return put(tx, bOut, []byte(o.ID), o)
}

// schema is the version of the database that this program writes.
var schema = len(migrations)

// ErrNewer is returned by Open for a database of a later version.
type ErrNewer struct{ Has, Knows int }

func (e ErrNewer) Error() string {
	return fmt.Sprintf("the database has schema version %d and this pbemd knows %d: use a newer pbemd, or restore the backup made before the upgrade", e.Has, e.Knows)
}

// migrations bring a database from version i to i+1.
var migrations = []func(*bbolt.Tx) error{
	func(tx *bbolt.Tx) error { // 1: the buckets
		for _, b := range [][]byte{bMeta, bGames, bLog, bRecords, bBursts, bSeats, bTimers, bData, bMails, bRaw,
			bArrivals, bAttempts, bAccounts, bOut, bBytes, bStates, bDue, bFiles} {
			if _, err := tx.CreateBucketIfNotExists(b); err != nil {
				return err
			}
		}
		return nil
	},
}

// Version is the schema version of an open database.
func (s *Store) Version() (v int, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		v, err = version(tx)
		return err
	})
	return v, err
}

func version(tx *bbolt.Tx) (v int, err error) {
	m := tx.Bucket(bMeta)
	if m == nil {
		return 0, nil
	}
	b := m.Get([]byte("schema"))
	if b == nil {
		return 0, nil
	}
	return v, json.Unmarshal(b, &v)
}

func migrate(db *bbolt.DB, readOnly bool) error {
	for {
		var v int
		var err error
		if err := db.View(func(tx *bbolt.Tx) error { v, err = version(tx); return err }); err != nil {
			return fmt.Errorf("read the schema version: %w", err)
		}
		switch {
		case v > schema:
			return ErrNewer{v, schema}
		case v == schema:
			return nil
		case readOnly:
			return fmt.Errorf("the database has schema version %d and is read-only; version %d is wanted", v, schema)
		}
		err = db.Update(func(tx *bbolt.Tx) error {
			if err := migrations[v](tx); err != nil {
				return err
			}
			return put(tx, bMeta, []byte("schema"), v+1)
		})
		if err != nil {
			return fmt.Errorf("migrate to schema version %d: %w", v+1, err)
		}
	}
}
