package dice

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"io"
	"sort"
)

// Links is how many links a chain has unless a game says otherwise.
const Links = 4096

// MaxLinks is the longest chain that is read from a record: a longer one would
// cost a checker more time than a game is worth.
const MaxLinks = 1 << 20

// ChainName tells the three chains of a game apart.
type ChainName string

// The three chains: dice opened step by step, seal and hidden at the end.
const (
	DiceChain   ChainName = "dice"
	SealChain   ChainName = "seal"
	HiddenChain ChainName = "hidden"
)

// below is the link under link i of a chain.
func below(name ChainName, game string, i int, link Hash) Hash {
	var buf [256]byte
	b := lp(buf[:0], "pbem-chain-v1")
	b = lp(b, string(name))
	b = lp(b, game)
	b = u32(b, i)
	b = lp(b, link[:])
	return sha256.Sum256(b)
}

// descend goes from link i of a chain down to link to.
func descend(name ChainName, game string, i int, link Hash, to int) Hash {
	for ; i > to; i-- {
		link = below(name, game, i, link)
	}
	return link
}

// stride is how far apart the links are that a Chain keeps.
const stride = 64

// Chain is one chain with its secret; it belongs to the server alone.
type Chain struct {
	name  ChainName
	game  string
	links int
	kept  []Hash // links 0, stride, 2·stride … and the last one
}

// NewChain builds a chain down from its last link, which is the secret itself.
func NewChain(name ChainName, game string, secret Hash, links int) *Chain {
	c := &Chain{name: name, game: game, links: links, kept: make([]Hash, (links+stride-1)/stride+1)}
	c.kept[len(c.kept)-1] = secret
	link := secret
	for i := links; i > 0; i-- {
		link = below(name, game, i, link)
		if (i-1)%stride == 0 {
			c.kept[(i-1)/stride] = link
		}
	}
	return c
}

// Link returns link n, 0 being the one that is published. It takes at most
// sixty-odd hashes.
func (c *Chain) Link(n int) Hash {
	if n < 0 || n > c.links {
		panic(fmt.Sprintf("dice: link %d of a chain of %d", n, c.links))
	}
	k := (n + stride - 1) / stride
	from := min(k*stride, c.links)
	return descend(c.name, c.game, from, c.kept[k], n)
}

// Secrets are the last links of a game's three chains. Who knows them knows
// every die of the game; they never leave the server before its end.
type Secrets struct {
	Dice, Seal, Hidden Hash
	Links              int
	Mark               string // "DEMO" if made from a word, else ""
}

// Demo is the mark of every record whose secrets were made from a word.
const Demo = "DEMO"

// NewSecrets draws secrets from a source of randomness, which must be the
// operating system's in a real game.
func NewSecrets(random io.Reader, links int) (Secrets, error) {
	s := Secrets{Links: links}
	for _, p := range []*Hash{&s.Dice, &s.Seal, &s.Hidden} {
		if _, err := io.ReadFull(random, p[:]); err != nil {
			return Secrets{}, fmt.Errorf("draw secrets: %w", err)
		}
	}
	return s, nil
}

// DemoSecrets makes secrets from a word, for demonstrations and tests. Anybody
// who knows the word knows the dice; so each record is marked DEMO.
func DemoSecrets(word, game string, links int) Secrets {
	of := func(name ChainName) Hash {
		return sha256.Sum256(lp(lp(lp(lp(nil, "pbem-demo-v1"), word), game), string(name)))
	}
	return Secrets{Dice: of(DiceChain), Seal: of(SealChain), Hidden: of(HiddenChain), Links: links, Mark: Demo}
}

// Opener is the key that opens one player's C of one step, given that step's
// link of the seal chain. Each receipt carries its player's own.
func Opener(seal Hash, player string) Hash {
	m := hmac.New(sha256.New, seal[:])
	m.Write(lp(nil, player))
	return Hash(m.Sum(nil))
}

// OrdersText joins canonical order lines as C takes them: each ended by LF.
func OrdersText(lines []string) string {
	n := 0
	for _, l := range lines {
		n += len(l) + 1
	}
	b := make([]byte, 0, n)
	for _, l := range lines {
		b = append(append(b, l...), '\n')
	}
	return string(b)
}

// Commit is C: it binds the server to a player's orders without showing them.
func Commit(opener Hash, orders string) Hash {
	return sha256.Sum256(lp(lp(lp(nil, "pbem-orders-v1"), opener[:]), orders))
}

// Seat is what a close record holds of one player.
type Seat struct {
	Player string
	C      *Hash // nil if the player had no orders
	Salt   string
}

// StepDigest is D: it binds a step's dice to all its C and salts.
func StepDigest(seats []Seat) Hash {
	s := append([]Seat(nil), seats...)
	sort.Slice(s, func(i, j int) bool { return s[i].Player < s[j].Player })
	b := lp(nil, "pbem-step-v1")
	for _, x := range s {
		b = lp(b, x.Player)
		if x.C != nil {
			b = lp(b, x.C[:])
		} else {
			b = lp(b, "")
		}
		b = lp(b, x.Salt)
	}
	return sha256.Sum256(b)
}
