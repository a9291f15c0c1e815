package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// keys are the secrets of a server: the key of its tokens and the one it signs
// records with. They are made at the first start, in files that only the server
// may read, beside the store.
type keys struct {
	token []byte
	sign  ed25519.PrivateKey
}

// readKeys reads the keys of a data folder, or makes them.
func readKeys(dir string) (keys, error) {
	token, err := keyFile(filepath.Join(dir, "token.key"), 32)
	if err != nil {
		return keys{}, err
	}
	seed, err := keyFile(filepath.Join(dir, "sign.key"), ed25519.SeedSize)
	if err != nil {
		return keys{}, err
	}
	return keys{token, ed25519.NewKeyFromSeed(seed)}, nil
}

func keyFile(name string, size int) ([]byte, error) {
	b, err := os.ReadFile(name)
	switch {
	case err == nil:
		if len(b) != size {
			return nil, fmt.Errorf("key %s has %d bytes, not %d: restore it from a backup", name, len(b), size)
		}
		if info, err := os.Stat(name); err == nil && info.Mode().Perm()&0o077 != 0 {
			return nil, fmt.Errorf("key %s may be read by others: chmod 600 it", name)
		}
		return b, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("read key: %w", err)
	}
	b = make([]byte, size)
	if _, err := rand.Read(b); err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("write key: %w", err)
	}
	defer f.Close()
	if _, err := f.Write(b); err != nil {
		return nil, fmt.Errorf("write key: %w", err)
	}
	if err := f.Sync(); err != nil {
		return nil, fmt.Errorf("write key: %w", err)
	}
	return b, nil
}
