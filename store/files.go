package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// How bytes are kept: themselves, or the name of their file.
const (
	inline = 0
	inFile = 1
)

func nameOf(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// disk is the part of a file system that the store needs beside bbolt; tests
// make it fail.
type disk interface {
	MkdirAll(dir string) error
	// Write makes a file that is whole and synced under its name, or isn't there.
	Write(name string, b []byte) error
	// Copy does the same for a writer.
	Copy(name string, write func(io.Writer) (int64, error)) error
	Read(name string) ([]byte, error)
	Walk(dir string, each func(path string) error) error
	Remove(name string) error
}

// shelf is the folder of content-addressed files.
type shelf struct {
	dir  string
	disk disk
}

func (s *shelf) path(name string) string { return filepath.Join(s.dir, name[:2], name) }

func (s *shelf) put(name string, b []byte) error {
	if old, err := s.disk.Read(s.path(name)); err == nil && nameOf(old) == name {
		return nil
	}
	if err := s.disk.MkdirAll(filepath.Dir(s.path(name))); err != nil {
		return err
	}
	return s.disk.Write(s.path(name), b)
}

func (s *shelf) get(name string) ([]byte, error) {
	b, err := s.disk.Read(s.path(name))
	if err != nil {
		return nil, err
	}
	if nameOf(b) != name {
		return nil, fmt.Errorf("file %s isn't what it was", name)
	}
	return b, nil
}

// open turns what a bucket holds into the bytes meant.
func (s *shelf) open(b []byte) ([]byte, error) {
	switch {
	case len(b) == 0:
		return nil, nil
	case b[0] == inFile:
		return s.get(string(b[1:]))
	}
	return b[1:], nil
}

// sweep removes every file that isn't known.
func (s *shelf) sweep(known map[string]bool) error {
	return s.disk.Walk(s.dir, func(path string) error {
		if known[filepath.Base(path)] {
			return nil
		}
		return s.disk.Remove(path)
	})
}

// osDisk is the file system.
type osDisk struct{}

func (osDisk) MkdirAll(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return syncDir(filepath.Dir(dir))
}

func (d osDisk) Write(name string, b []byte) error {
	return d.Copy(name, func(w io.Writer) (int64, error) {
		n, err := w.Write(b)
		return int64(n), err
	})
}

func (osDisk) Copy(name string, write func(io.Writer) (int64, error)) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err = write(f); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), name); err != nil {
		return err
	}
	return syncDir(filepath.Dir(name))
}

// syncDir makes a rename last.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if cerr := d.Close(); err == nil {
		err = cerr
	}
	return err
}

func (osDisk) Read(name string) ([]byte, error) { return os.ReadFile(name) }

func (osDisk) Walk(dir string, each func(string) error) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil || e.IsDir():
			return err
		case !strings.HasPrefix(e.Name(), ".new-") && len(e.Name()) != 2*sha256.Size:
			return nil // not ours
		}
		return each(path)
	})
}

func (osDisk) Remove(name string) error { return os.Remove(name) }
