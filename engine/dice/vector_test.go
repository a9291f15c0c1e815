package dice

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

const testdata = "../../testdata/dice"

type vectors struct {
	Game        string
	Links       int
	Key         string
	SigningSeed string `json:"signing-seed"`
	Top         map[string]string
	Dice, Seal  map[string]string
	Orders      []string
	Salts       map[string]string
	Opener      string
	C, D, PRK   string
	Rolls       []struct {
		Label   string
		Sides   int
		Shuffle int
		Values  []int
		Beacon  string
	}
	Words    []struct{ Hex, Words string }
	Escapes  []struct{ Line, Hex string }
	Quicknet struct {
		Round     uint64
		Signature string
	}
	Records []struct{ File, Hash, Words string }
}

func readVectors(t *testing.T) (v vectors) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(testdata, "vectors.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The test vector of the protocol, step by step, to the byte.
func TestVector(t *testing.T) {
	v := readVectors(t)
	same := func(what string, got, want any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	dice := NewChain(DiceChain, v.Game, Hash(unhex(t, v.Top["dice"])), v.Links)
	seal := NewChain(SealChain, v.Game, Hash(unhex(t, v.Top["seal"])), v.Links)
	same("dice[0]", dice.Link(0).String(), v.Dice["0"])
	same("dice[1]", dice.Link(1).String(), v.Dice["1"])
	same("seal[0]", seal.Link(0).String(), v.Seal["0"])
	same("seal[1]", seal.Link(1).String(), v.Seal["1"])
	opener := Opener(seal.Link(1), "axis")
	same("opener", opener.String(), v.Opener)
	c := Commit(opener, OrdersText(v.Orders))
	same("C", c.String(), v.C)
	d := StepDigest([]Seat{{Player: "soviet", Salt: v.Salts["soviet"]}, {Player: "axis", C: &c, Salt: v.Salts["axis"]}})
	same("D", d.String(), v.D)
	key := StepKey(v.Game, 1, d, dice.Link(1), nil)
	same("PRK", Hash(key).String(), v.PRK)
	for _, r := range v.Rolls {
		k := key
		if r.Beacon != "" {
			k = StepKey(v.Game, 1, d, dice.Link(1), unhex(t, r.Beacon))
		}
		if r.Shuffle > 0 {
			same(r.Label, k.Shuffle(r.Label, r.Shuffle), r.Values)
		} else {
			same(r.Label, k.Roll(r.Label, r.Sides, len(r.Values)), r.Values)
		}
	}
	for _, w := range v.Words {
		var h Hash
		copy(h[:], unhex(t, w.Hex))
		same("words of "+w.Hex, h.Words(), w.Words)
	}
	for _, e := range v.Escapes {
		same("escape", escape(string(unhex(t, e.Hex))), e.Line)
		u, err := unescape(e.Line)
		same("unescape "+e.Line, []any{u, err}, []any{string(unhex(t, e.Hex)), nil})
	}
}

// The numbers of the design page, written out so that a wrong vectors file
// can't hide a wrong program.
func TestVectorOfThePage(t *testing.T) {
	v := readVectors(t)
	for what, want := range map[string][2]string{
		"dice[0]": {v.Dice["0"], "181dddd216cbf3682335dcb29332ed1646f452459f5a0c3e27fa80f9a2239446"},
		"dice[1]": {v.Dice["1"], "b0ab30fa0ad90796345342ecc6b5c66b0b61de300f864a4f9e3b737a45c61ed3"},
		"seal[0]": {v.Seal["0"], "bb965013db384ae2db822525c5349a9171da24b781d47a89223fc0c2562dbbed"},
		"seal[1]": {v.Seal["1"], "0f8cf6cf39faa514499fe9cc3824d4889fe4e08570dbafed8e009b194e655eda"},
		"C":       {v.C, "43280be552fca318b56fe3cccd76352b3e9bd58a9519ad16b43f33583fe48175"},
		"D":       {v.D, "f183bb3e80f5961fe4257373de1a7ceb95de76d867545f3b8b7094dc25ba67e8"},
		"PRK":     {v.PRK, "a6a9339919738f61fcbc55a13bd0c6cf31b457ed0940f7102ee76cca1f5d3b00"},
	} {
		if want[0] != want[1] {
			t.Errorf("%s is %s in the file, %s on the page", what, want[0], want[1])
		}
	}
	rolls := [][]int{{2, 1, 5, 1, 3, 3, 2, 3}, {2, 2, 1, 3, 3, 4, 4, 2}, {9, 2, 4, 5}, {4, 1, 2, 2, 1, 2, 2, 5}}
	for i, want := range rolls {
		if !reflect.DeepEqual(v.Rolls[i].Values, want) {
			t.Errorf("roll %d is %v in the file, %v on the page", i, v.Rolls[i].Values, want)
		}
	}
}

// Round 1000 of quicknet is drand's own, and for no other number, with no other
// signature, and under no other key.
func TestQuicknetRound1000(t *testing.T) {
	v := readVectors(t)
	sig := unhex(t, v.Quicknet.Signature)
	if err := Quicknet.Verify(v.Quicknet.Round, sig); err != nil {
		t.Fatalf("round %d is refused: %v", v.Quicknet.Round, err)
	}
	for _, round := range []uint64{0, 1, 999, 1001, 1000 << 8, 1<<40 + 1000} {
		if err := Quicknet.Verify(round, sig); !errors.Is(err, ErrBeacon) {
			t.Errorf("round %d: got %v, want %v", round, err, ErrBeacon)
		}
	}
	for i := range sig {
		bad := bytes.Clone(sig)
		bad[i] ^= 1
		if Quicknet.Verify(1000, bad) == nil {
			t.Errorf("a signature with byte %d changed is taken", i)
		}
	}
	for _, bad := range [][]byte{nil, sig[:47], append(bytes.Clone(sig), 0), make([]byte, 48)} {
		if Quicknet.Verify(1000, bad) == nil {
			t.Errorf("the signature %x is taken", bad)
		}
	}
	other := Quicknet
	other.Key = bytes.Clone(other.Key)
	other.Key[95] ^= 1
	if other.Verify(1000, sig) == nil {
		t.Error("another key takes the signature")
	}
}

// Every record of the vectors reads, writes back to the same bytes, has the hash
// and the words stated, and bears the key's signature; made anew from its parts
// it comes out the same.
func TestVectorRecords(t *testing.T) {
	v := readVectors(t)
	signer := ed25519.NewKeyFromSeed(unhex(t, v.SigningSeed))
	kinds := map[Kind]bool{}
	for _, x := range v.Records {
		text, err := os.ReadFile(filepath.Join(testdata, x.File))
		if err != nil {
			t.Fatal(err)
		}
		r, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", x.File, err)
			continue
		}
		kinds[r.Body.Kind()] = true
		if r.Hash().String() != x.Hash || r.Hash().Words() != x.Words {
			t.Errorf("%s: hash %s (%s), want %s (%s)", x.File, r.Hash(), r.Hash().Words(), x.Hash, x.Words)
		}
		if !r.SignedBy(unhex(t, v.Key)) {
			t.Errorf("%s: not signed by the key", x.File)
		}
		if again := Sign(r.Body, r.Mark, r.Prev, signer); !bytes.Equal(again.Text(), text) {
			t.Errorf("%s: signed anew it reads\n%s", x.File, again.Text())
		}
	}
	for _, k := range []Kind{KindStart, KindSheet, KindClose, KindStep, KindAmend, KindEnd} {
		if !kinds[k] {
			t.Errorf("there is no vector of a %s record", k)
		}
	}
}

// The game of the vectors passes as a whole, orders included.
func TestVectorGame(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(testdata, "vector-game.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var p Pile
	p.Add("vector-game.txt", string(text))
	reports := Check(p, Options{})
	if len(reports) != 1 || !reports[0].OK() || reports[0].Orders != 2 || reports[0].Steps != 1 || reports[0].Dice != 14 || !reports[0].Ended {
		t.Fatalf("got %v", reports)
	}
}
