package beacon

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/cloudflare/circl/sign/bls"

	"pbemd/engine/dice"
)

// Recorded is a beacon that knows some rounds by heart: real ones, for tests
// that have no network.
type Recorded struct {
	dice.Drand
	rounds map[uint64][]byte
}

// ReadRecorded reads rounds, one a line: its number, a blank, its signature in
// hex. Empty lines and those that begin with # are passed over. Every round must
// be the beacon's own.
func ReadRecorded(d dice.Drand, r io.Reader) (*Recorded, error) {
	rec := &Recorded{Drand: d, rounds: map[uint64][]byte{}}
	s := bufio.NewScanner(r)
	for n := 1; s.Scan(); n++ {
		line := strings.TrimSpace(s.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		number, signature, _ := strings.Cut(line, " ")
		round, err := strconv.ParseUint(number, 10, 64)
		var sig []byte
		if err == nil {
			sig, err = hex.DecodeString(signature)
		}
		if err == nil {
			err = d.Verify(round, sig)
		}
		if err != nil {
			return nil, fmt.Errorf("recorded rounds, line %d: %w", n, err)
		}
		rec.rounds[round] = sig
	}
	return rec, s.Err()
}

// Fetch implements [Beacon].
func (r *Recorded) Fetch(_ context.Context, round uint64) ([]byte, error) {
	if sig, ok := r.rounds[round]; ok {
		return sig, nil
	}
	return nil, fmt.Errorf("round %d isn't recorded: %w", round, ErrNotYet)
}

// Fake is a beacon whose key follows from a word, for demonstrations and tests.
// It proves nothing, and so only games marked DEMO may pin it. It also serves
// its rounds over HTTP as a relay does.
type Fake struct {
	dice.Drand
	// Now decides which rounds are there; nil means all.
	Now func() time.Time
	// Late is by how much each round is behind its time.
	Late time.Duration

	key *bls.PrivateKey[bls.KeyG2SigG1]
}

// NewFake makes a fake beacon with quicknet's period and genesis.
func NewFake(word string) (*Fake, error) {
	seed := sha256.Sum256([]byte("pbem-fake-beacon " + word))
	key, err := bls.KeyGen[bls.KeyG2SigG1](seed[:], nil, nil)
	if err != nil {
		return nil, fmt.Errorf("make a fake beacon: %w", err)
	}
	pub, err := key.PublicKey().MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("make a fake beacon: %w", err)
	}
	d := dice.Drand{Chain: sha256.Sum256(pub), Period: dice.Quicknet.Period, Genesis: dice.Quicknet.Genesis, Key: pub}
	return &Fake{Drand: d, key: key}, nil
}

// Fetch implements [Beacon].
func (f *Fake) Fetch(_ context.Context, round uint64) ([]byte, error) {
	if f.Now != nil && f.Now().Before(f.Time(round).Add(f.Late)) {
		return nil, fmt.Errorf("fake round %d: %w", round, ErrNotYet)
	}
	return bls.Sign(f.key, dice.RoundMessage(round)), nil
}

// ServeHTTP answers as a relay: GET /<chain>/public/<round>.
func (f *Fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	number, ok := strings.CutPrefix(r.URL.Path, "/"+f.Chain.String()+"/public/")
	round, err := strconv.ParseUint(number, 10, 64)
	if !ok || err != nil || round == 0 {
		http.NotFound(w, r)
		return
	}
	sig, err := f.Fetch(r.Context(), round)
	if err != nil {
		http.Error(w, "too early", http.StatusTooEarly)
		return
	}
	randomness := sha256.Sum256(sig)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{ // the client notices an answer cut short
		"round": round, "randomness": hex.EncodeToString(randomness[:]), "signature": hex.EncodeToString(sig)})
}
