// Package store keeps the post office's archive in one bbolt file, with the
// large bytes in files of their own beside it.
//
// It promises that a commit is on disk, whole, when [Store.Commit] returns, and
// that nothing of it is there otherwise; that every look-up is by key; that an
// older database is brought up to date step by step, each in one transaction,
// and that a newer one is refused. Bytes over [Large] are written, synced and
// renamed into place under their SHA-256 before the commit that refers to them.
//
// It relies on a local file system with working fsync and locks. It won't
// interpret what it keeps, send anything, or be opened by two processes.
package store

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"pbemd/engine"
	"pbemd/pbem"
)

// Large is the size in bytes above which mails are kept beside the database.
const Large = 64 << 10

// ErrLocked is returned by Open when another process has the database.
var ErrLocked = errors.New("another pbemd has the database open")

// Options of [Open]; the zero Options is what a server wants.
type Options struct {
	Timeout  time.Duration // to wait for the lock; 5 s by default
	ReadOnly bool
	NoCheck  bool // skip the check of every page
	disk     disk // nil: the file system
}

// Store is an archive on disk.
type Store struct {
	db    *bbolt.DB
	path  string
	files *shelf
}

var _ pbem.Archive = (*Store)(nil)

// Open opens the database of a path, makes it if there is none, checks it,
// brings it up to date, and sweeps files that no commit refers to.
func Open(path string, o Options) (s *Store, err error) {
	defer func() {
		if r := recover(); r != nil { // bbolt panics over pages that make no sense
			s, err = nil, fmt.Errorf("open %s: the database is damaged; restore a backup: %v", path, r)
		}
	}()
	if o.Timeout == 0 {
		o.Timeout = 5 * time.Second
	}
	if o.disk == nil {
		o.disk = osDisk{}
	}
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{
		Timeout: o.Timeout, ReadOnly: o.ReadOnly,
		// A map that need not grow can't make a writer wait for readers.
		InitialMmapSize: 1 << 30,
		FreelistType:    bbolt.FreelistMapType,
	})
	if errors.Is(err, berrors.ErrTimeout) {
		err = ErrLocked
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	s = &Store{db: db, path: path, files: &shelf{dir: path + ".files", disk: o.disk}}
	if err := s.prepare(o); err != nil {
		db.Close()
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return s, nil
}

func (s *Store) prepare(o Options) error {
	if !o.NoCheck {
		if err := s.Check(); err != nil {
			return err
		}
	}
	if err := migrate(s.db, o.ReadOnly); err != nil {
		return err
	}
	if o.ReadOnly {
		return nil
	}
	return s.sweep()
}

// Check reads every page and reports what is wrong with the file.
func (s *Store) Check() error {
	return s.db.View(func(tx *bbolt.Tx) error {
		var first error
		for err := range tx.Check() {
			if first == nil {
				first = fmt.Errorf("the database is damaged; restore a backup: %w", err)
			}
		}
		return first
	})
}

// Path is where the database lies.
func (s *Store) Path() string { return s.path }

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }

// sweep removes files that were written for a commit that never came.
func (s *Store) sweep() error {
	known := map[string]bool{}
	err := s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(bFiles).ForEach(func(k, _ []byte) error {
			known[string(k)] = true
			return nil
		})
	})
	if err != nil {
		return err
	}
	return s.files.sweep(known)
}

// Backup copies the database and the files it refers to into a new folder,
// while the store goes on serving. The copy is opened by its path.
func (s *Store) Backup(dir string) (string, error) {
	target := filepath.Join(dir, filepath.Base(s.path))
	if err := s.files.disk.MkdirAll(dir); err != nil {
		return "", fmt.Errorf("back up: %w", err)
	}
	var names []string
	err := s.db.View(func(tx *bbolt.Tx) error {
		err := tx.Bucket(bFiles).ForEach(func(k, _ []byte) error {
			names = append(names, string(k))
			return nil
		})
		if err != nil {
			return err
		}
		return s.files.disk.Copy(target, tx.WriteTo)
	})
	if err != nil {
		return "", fmt.Errorf("back up: %w", err)
	}
	to := &shelf{dir: target + ".files", disk: s.files.disk}
	for _, n := range names {
		b, err := s.files.get(n)
		if err == nil {
			err = to.put(n, b)
		}
		if err != nil {
			return "", fmt.Errorf("back up file %s: %w", n, err)
		}
	}
	return target, nil
}

// The buckets.
var (
	bMeta     = []byte("meta")
	bGames    = []byte("games")    // number
	bLog      = []byte("log")      // game, number
	bRecords  = []byte("records")  // game, number
	bBursts   = []byte("bursts")   // game, number
	bSeats    = []byte("seats")    // address, game, side; no value
	bTimers   = []byte("timers")   // time, game; no value
	bData     = []byte("data")     // digest, name
	bMails    = []byte("mails")    // key
	bRaw      = []byte("raw")      // key: bytes or a file's name
	bArrivals = []byte("arrivals") // order: key
	bAttempts = []byte("attempts") // place in the mailbox: count
	bAccounts = []byte("accounts") // address
	bOut      = []byte("out")      // id
	bBytes    = []byte("bytes")    // id: bytes or a file's name
	bStates   = []byte("states")   // state, id; no value
	bDue      = []byte("due")      // time, id; no value
	bFiles    = []byte("files")    // name of a file in use; no value
)

func u64(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func gameKey(id pbem.GameID) []byte { return u64(uint64(id)) }

func gameN(id pbem.GameID, n int) []byte {
	return binary.BigEndian.AppendUint32(gameKey(id), uint32(n))
}

// at makes times sort as bytes.
func at(t time.Time) []byte { return u64(uint64(t.UnixNano()) ^ 1<<63) }

func join(parts ...string) []byte { return []byte(strings.Join(parts, "\x00")) }

func get[T any](tx *bbolt.Tx, bucket, key []byte) (T, error) {
	var v T
	b := tx.Bucket(bucket).Get(key)
	if b == nil {
		return v, pbem.ErrNotFound
	}
	if err := json.Unmarshal(b, &v); err != nil {
		return v, fmt.Errorf("read %s %x: %w", bucket, key, err)
	}
	return v, nil
}

func put(tx *bbolt.Tx, bucket, key []byte, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write %s: %w", bucket, err)
	}
	return tx.Bucket(bucket).Put(key, b)
}

// mark keeps a key without a value.
func mark(tx *bbolt.Tx, bucket, key []byte) error { return tx.Bucket(bucket).Put(key, []byte{}) }

// Game implements [pbem.Archive].
func (s *Store) Game(id pbem.GameID) (g pbem.Game, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		g, err = get[pbem.Game](tx, bGames, gameKey(id))
		return err
	})
	return g, err
}

// Games implements [pbem.Archive].
func (s *Store) Games(after pbem.GameID, n int) (list []pbem.Game, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		c := tx.Bucket(bGames).Cursor()
		for k, v := c.Seek(gameKey(after + 1)); k != nil && len(list) < n; k, v = c.Next() {
			var g pbem.Game
			if err := json.Unmarshal(v, &g); err != nil {
				return fmt.Errorf("read game %x: %w", k, err)
			}
			list = append(list, g)
		}
		return nil
	})
	return list, err
}

// NextGame implements [pbem.Archive].
func (s *Store) NextGame() (id pbem.GameID, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		n, err := get[uint64](tx, bMeta, []byte("games"))
		if errors.Is(err, pbem.ErrNotFound) {
			err = nil
		}
		id = pbem.GameID(n + 1)
		return err
	})
	return id, err
}

// scan reads what a game has in a bucket after a number.
func scan[T any](s *Store, bucket []byte, id pbem.GameID, after int) (list []T, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		prefix := string(gameKey(id))
		c := tx.Bucket(bucket).Cursor()
		for k, v := c.Seek(gameN(id, after+1)); k != nil && strings.HasPrefix(string(k), prefix); k, v = c.Next() {
			var e T
			if err := json.Unmarshal(v, &e); err != nil {
				return fmt.Errorf("read %s %x: %w", bucket, k, err)
			}
			list = append(list, e)
		}
		return nil
	})
	return list, err
}

// Log implements [pbem.Archive].
func (s *Store) Log(id pbem.GameID, after int) ([]pbem.Entry, error) {
	return scan[pbem.Entry](s, bLog, id, after)
}

// Records implements [pbem.Archive].
func (s *Store) Records(id pbem.GameID, after int) ([]pbem.Sealed, error) {
	return scan[pbem.Sealed](s, bRecords, id, after)
}

// Burst implements [pbem.Archive].
func (s *Store) Burst(id pbem.GameID, n int) (b pbem.Burst, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		b, err = get[pbem.Burst](tx, bBursts, gameN(id, n))
		return err
	})
	return b, err
}

// Seats implements [pbem.Archive].
func (s *Store) Seats(address string) (list []pbem.SeatRef, err error) {
	prefix := join(strings.ToLower(address), "")
	err = s.db.View(func(tx *bbolt.Tx) error {
		c := tx.Bucket(bSeats).Cursor()
		for k, _ := c.Seek(prefix); k != nil && strings.HasPrefix(string(k), string(prefix)); k, _ = c.Next() {
			rest := k[len(prefix):]
			list = append(list, pbem.SeatRef{Game: pbem.GameID(binary.BigEndian.Uint64(rest)), Side: engine.Side(rest[8:])})
		}
		return nil
	})
	return list, err
}

// Data implements [pbem.Archive].
func (s *Store) Data(digest string) (files map[string][]byte, err error) {
	prefix := join(digest, "")
	err = s.db.View(func(tx *bbolt.Tx) error {
		c := tx.Bucket(bData).Cursor()
		for k, v := c.Seek(prefix); k != nil && strings.HasPrefix(string(k), string(prefix)); k, v = c.Next() {
			if files == nil {
				files = map[string][]byte{}
			}
			files[string(k[len(prefix):])] = append([]byte{}, v...)
		}
		if files == nil {
			return pbem.ErrNotFound
		}
		return nil
	})
	return files, err
}

// Mail implements [pbem.Archive].
func (s *Store) Mail(key string) (m pbem.Mail, err error) {
	var b []byte
	err = s.db.View(func(tx *bbolt.Tx) error {
		m, err = get[pbem.Mail](tx, bMails, []byte(key))
		b = append([]byte{}, tx.Bucket(bRaw).Get([]byte(key))...)
		return err
	})
	if err == nil {
		m.Raw, err = s.files.open(b)
	}
	return m, err
}

// Mails implements [pbem.Archive].
func (s *Store) Mails(before uint64, n int) (list []pbem.Mail, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		c := tx.Bucket(bArrivals).Cursor()
		step := c.Last
		if before != 0 {
			if k, _ := c.Seek(u64(before)); k != nil {
				step = c.Prev
			}
		}
		k, v := step()
		for ; k != nil && len(list) < n; k, v = c.Prev() {
			m, err := get[pbem.Mail](tx, bMails, v)
			if err != nil {
				return err
			}
			list = append(list, m)
		}
		return nil
	})
	return list, err
}

// Attempts implements [pbem.Archive].
func (s *Store) Attempts(ref string) (n int, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		n, err = get[int](tx, bAttempts, []byte(ref))
		if errors.Is(err, pbem.ErrNotFound) {
			err = nil
		}
		return err
	})
	return n, err
}

// Attempt implements [pbem.Archive].
func (s *Store) Attempt(ref string) (n int, err error) {
	err = s.db.Update(func(tx *bbolt.Tx) error {
		n, err = get[int](tx, bAttempts, []byte(ref))
		if err != nil && !errors.Is(err, pbem.ErrNotFound) {
			return err
		}
		n++
		return put(tx, bAttempts, []byte(ref), n)
	})
	return n, err
}

// Account implements [pbem.Archive].
func (s *Store) Account(address string) (a pbem.Account, err error) {
	address = strings.ToLower(address)
	err = s.db.View(func(tx *bbolt.Tx) error {
		a, err = get[pbem.Account](tx, bAccounts, []byte(address))
		if errors.Is(err, pbem.ErrNotFound) {
			a, err = pbem.Account{Address: address}, nil
		}
		return err
	})
	return a, err
}

// Outgoing implements [pbem.Archive].
func (s *Store) Outgoing(id string) (o pbem.Outgoing, err error) {
	var b []byte
	err = s.db.View(func(tx *bbolt.Tx) error {
		o, err = get[pbem.Outgoing](tx, bOut, []byte(id))
		b = append([]byte{}, tx.Bucket(bBytes).Get([]byte(id))...)
		return err
	})
	if err == nil {
		o.Message, err = s.files.open(b)
	}
	return o, err
}

// Outbox implements [pbem.Archive].
func (s *Store) Outbox(state pbem.OutState, after string, n int) (list []pbem.Outgoing, err error) {
	prefix := join(string(state), "")
	err = s.db.View(func(tx *bbolt.Tx) error {
		c := tx.Bucket(bStates).Cursor()
		from := join(string(state), after)
		for k, _ := c.Seek(from); k != nil && len(list) < n && strings.HasPrefix(string(k), string(prefix)); k, _ = c.Next() {
			id := k[len(prefix):]
			if string(id) == after {
				continue
			}
			o, err := get[pbem.Outgoing](tx, bOut, id)
			if err != nil {
				return err
			}
			list = append(list, o)
		}
		return nil
	})
	return list, err
}

// Due implements [pbem.Archive].
func (s *Store) Due(now time.Time, n int) (list []pbem.Outgoing, err error) {
	end := string(at(now))
	err = s.db.View(func(tx *bbolt.Tx) error {
		c := tx.Bucket(bDue).Cursor()
		for k, _ := c.First(); k != nil && len(list) < n && string(k[:8]) <= end; k, _ = c.Next() {
			o, err := get[pbem.Outgoing](tx, bOut, k[8:])
			if err != nil {
				return err
			}
			list = append(list, o)
		}
		return nil
	})
	return list, err
}

// Timers implements [pbem.Archive].
func (s *Store) Timers(now time.Time, n int) (list []pbem.GameID, err error) {
	end := string(at(now))
	seen := map[pbem.GameID]bool{}
	err = s.db.View(func(tx *bbolt.Tx) error {
		c := tx.Bucket(bTimers).Cursor()
		for k, _ := c.First(); k != nil && len(list) < n && string(k[:8]) <= end; k, _ = c.Next() {
			if id := pbem.GameID(binary.BigEndian.Uint64(k[8:])); !seen[id] {
				seen[id] = true
				list = append(list, id)
			}
		}
		return nil
	})
	return list, err
}
