package dice

import (
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"
	"sort"
	"strings"
)

// Options of a [Check].
type Options struct {
	Game string // only this game, "" for all
	Head string // six words that must name a record of each game, "" for none
}

// Entry is one record of a checked chain.
type Entry struct {
	Record Record
	Hash   Hash
	Where  string
}

// Report is what a check found out about one game.
type Report struct {
	Game    string
	Key     Hash // digest of the server's first key: its fingerprint
	Demo    bool
	Chain   []Entry // the records that follow one another without fault
	Steps   int     // played, each counted once
	Rolls   int
	Dice    int
	Hidden  int // rolls not shown yet
	Sheets  int
	Orders  int // checked against their C
	Sealed  int // seen, but their opener isn't known yet
	Beacon  int // steps of the grade beacon
	Chained int // steps of the grade chain
	Open    int // a step closed and not played yet, 0 for none
	Ended   bool
	Head    Hash
	Notes   []string // what is odd and yet no fault
	Fault   *Fault   // nil if all is well
}

// OK tells whether nothing is wrong.
func (r Report) OK() bool { return r.Fault == nil }

// String is the report in one line.
func (r Report) String() string {
	if r.Fault != nil {
		return "FAULT " + r.Fault.Kind.String() + ": " + r.Fault.Error()
	}
	demo := ""
	if r.Demo {
		demo = " (DEMO: the dice follow from a word)"
	}
	s := fmt.Sprintf("OK game %s%s: %d records, %d steps, %d rolls, %d dice, %d orders; beacon %d, chain %d; hidden %d; head %s",
		r.Game, demo, len(r.Chain), r.Steps, r.Rolls, r.Dice, r.Orders, r.Beacon, r.Chained, r.Hidden, r.Head.Words())
	switch {
	case r.Ended:
		s += "; over"
	case r.Open > 0:
		s += fmt.Sprintf("; step %d under way", r.Open)
	}
	return s
}

// candidate is one record found, whatever it is worth.
type candidate struct {
	Record
	hash  Hash
	where string
	bad   bool // signed by none of the game's keys
}

// Check puts the records of a pile in order, game by game, and checks all that
// can be checked without the rules. It stops in each game at the first record
// that fails.
func Check(p Pile, opt Options) []Report {
	games, broken := sortOut(p.Records)
	orders, brokenOrders := readOrders(p.Orders)
	var out []Report
	for _, g := range games {
		if opt.Game != "" && g.game != opt.Game {
			continue
		}
		r := g.check(broken)
		if r.Fault == nil {
			g.checkOrders(&r, orders)
		}
		if r.Fault == nil && opt.Head != "" {
			g.checkHead(&r, opt.Head)
		}
		out = append(out, r)
	}
	if len(games) == 0 && len(broken) > 0 {
		out = append(out, Report{Game: "?", Fault: &Fault{Kind: FaultUnreadable, Game: "?", Where: broken[0].Where, Why: broken[0].why}})
	}
	for _, b := range brokenOrders {
		for i := range out {
			if out[i].Fault == nil {
				out[i].Notes = append(out[i].Notes, fmt.Sprintf("a copy of orders in %s can't be read (%s)", b.Where, b.why))
				break
			}
		}
	}
	return out
}

// ReadRecords parses what was found, mending what mail programs have wrapped.
// What can't be read is left out; [Check] reports it.
func ReadRecords(found []Found) []Record {
	var out []Record
	for _, f := range found {
		if r, err := readFound(f.Text); err == nil {
			out = append(out, r)
		}
	}
	return out
}

func readFound(text string) (Record, error) {
	r, err := Parse([]byte(text))
	if err == nil {
		return r, nil
	}
	for _, t := range mend(text) {
		if r, e := Parse([]byte(t)); e == nil {
			return r, nil
		}
	}
	return Record{}, err
}

type unreadable struct {
	Found
	why string
}

// group is all records found of one game of one server.
type group struct {
	game  string
	start []*candidate
	all   []*candidate
	key   ed25519.PublicKey
	book  *book
}

func sortOut(found []Found) (games []*group, broken []unreadable) {
	var all []*candidate
	seen := map[Hash]bool{}
	for _, f := range found {
		r, err := readFound(f.Text)
		if err != nil {
			broken = append(broken, unreadable{f, err.Error()})
			continue
		}
		h := r.Hash()
		if seen[h] {
			continue
		}
		seen[h] = true
		all = append(all, &candidate{Record: r, hash: h, where: f.Where})
	}
	// A game begins with each start that bears the signature of its own key.
	for _, c := range all {
		if s, ok := c.Body.(Start); ok && c.SignedBy(s.Key) {
			g := find(games, c.Game(), s.Key)
			if g == nil {
				g = &group{game: c.Game(), key: s.Key}
				games = append(games, g)
			}
			g.start = append(g.start, c)
		}
	}
	for _, c := range all {
		g := home(&games, c)
		g.all = append(g.all, c)
	}
	sort.SliceStable(games, func(i, j int) bool { return games[i].game < games[j].game })
	return games, broken
}

func find(games []*group, game string, key ed25519.PublicKey) *group {
	for _, g := range games {
		if g.game == game && g.key.Equal(key) {
			return g
		}
	}
	return nil
}

// home finds the group that a record belongs to: of its game and its signer, or
// else of its game, or else a new one that has no start.
func home(games *[]*group, c *candidate) *group {
	var same *group
	for _, g := range *games {
		if g.game != c.Game() {
			continue
		}
		if same == nil {
			same = g
		}
		if g.key != nil && c.SignedBy(g.key) {
			return g
		}
	}
	if same == nil {
		same = &group{game: c.Game()}
		*games = append(*games, same)
	}
	return same
}

// check walks the chain of a game from its start.
func (g *group) check(broken []unreadable) (rep Report) {
	rep = Report{Game: g.game}
	if len(g.start) == 0 {
		rep.Fault = &Fault{Kind: FaultStart, Game: g.game, Where: g.all[0].where,
			Why: "the start record is missing, so nothing can be checked"}
		for _, c := range g.all {
			if _, ok := c.Body.(Start); ok {
				rep.Fault = &Fault{Kind: FaultSignature, Game: g.game, Record: 1, What: "start", Where: c.where,
					Why: "the signature isn't that of the key it names"}
			}
		}
		return rep
	}
	rep.Key = Fingerprint(g.key)
	if len(g.start) > 1 {
		rep.Fault = &Fault{Kind: FaultStart, Game: g.game, What: "start", Where: g.start[1].where,
			Why: fmt.Sprintf("the game has two different starts; the other is in %s", g.start[0].where)}
		return rep
	}
	g.markBad()
	next := map[Hash][]*candidate{}
	for _, c := range g.all {
		next[c.Prev] = append(next[c.Prev], c)
	}
	g.book = &book{}
	used := map[*candidate]bool{}
	for at := g.start[0]; at != nil; {
		if f := g.book.add(at.Record); f != nil {
			f.Where = at.where
			rep.Fault = f
			break
		}
		used[at] = true
		rep.Chain = append(rep.Chain, Entry{at.Record, at.hash, at.where})
		at, rep.Fault = g.follow(next[at.hash])
		if rep.Fault != nil {
			rep.Fault.Game, rep.Fault.Record = g.game, len(rep.Chain)+1
		}
	}
	if rep.Fault == nil {
		rep.Fault = g.leftover(used, &rep)
	}
	if rep.Fault == nil {
		rep.Fault = g.unread(broken, &rep)
	}
	g.count(&rep)
	return rep
}

// Fingerprint is the digest by which a server's key is known.
func Fingerprint(key ed25519.PublicKey) Hash { return sha256.Sum256(lp(lp(nil, "pbem-key-v1"), key)) }

// markBad finds the records that none of the game's keys has signed. A key
// comes in by an amendment that a key already known has signed.
func (g *group) markBad() {
	keys := []ed25519.PublicKey{g.key}
	todo := append([]*candidate(nil), g.all...)
	for again := true; again; {
		again = false
		var rest []*candidate
		for _, c := range todo {
			ok := false
			for _, k := range keys {
				ok = ok || c.SignedBy(k)
			}
			if !ok {
				rest = append(rest, c)
				continue
			}
			if a, is := c.Body.(Amend); is && a.Key != nil {
				keys = append(keys, a.Key)
				again = true
			}
		}
		todo = rest
	}
	for _, c := range todo {
		c.bad = true
	}
}

// mangled tells whether a bad record is only a damaged copy of a genuine one:
// it bears the same signature.
func (g *group) mangled(c *candidate) bool {
	for _, o := range g.all {
		if !o.bad && o.Sig == c.Sig {
			return true
		}
	}
	return false
}

// follow chooses the record that comes next. Two that both bear the server's
// signature are two stories.
func (g *group) follow(list []*candidate) (*candidate, *Fault) {
	var good, bad []*candidate
	for _, c := range list {
		switch {
		case !c.bad:
			good = append(good, c)
		case !g.mangled(c):
			bad = append(bad, c)
		}
	}
	switch {
	case len(bad) > 0:
		return nil, &Fault{Kind: FaultSignature, What: bad[0].What(), Where: bad[0].where,
			Why: "the signature isn't that of the server's key over these lines"}
	case len(good) == 0:
		return nil, nil
	case len(good) == 1:
		return good[0], nil
	}
	return nil, fork(good[0], good[1])
}

func fork(a, b *candidate) *Fault {
	f := &Fault{Kind: FaultFork, What: b.What(), Where: b.where,
		Why: fmt.Sprintf("two records follow the same one: %s with head %s (in %s) and %s with head %s",
			a.What(), a.hash.Words(), a.where, b.What(), b.hash.Words())}
	x, isClose := a.Body.(Close)
	y, isClose2 := b.Body.(Close)
	if isClose && isClose2 && x.Step == y.Step {
		f.Kind = FaultTwoCloses
	}
	s, isStep := a.Body.(Step)
	t, isStep2 := b.Body.(Step)
	if isStep && isStep2 && s.Step == t.Step {
		f.Kind = FaultReroll
	}
	return f
}

// leftover looks at the records that the chain didn't reach.
func (g *group) leftover(used map[*candidate]bool, rep *Report) *Fault {
	var first *candidate
	have := map[Hash]bool{}
	for _, c := range g.all {
		have[c.hash] = true
	}
	for _, c := range g.all {
		switch {
		case used[c]:
		case c.bad && g.mangled(c):
			rep.Notes = append(rep.Notes, fmt.Sprintf("a copy of %s in %s is damaged; another copy is whole", c.What(), c.where))
		case c.bad:
			return &Fault{Kind: FaultSignature, Game: g.game, What: c.What(), Where: c.where,
				Why: "the signature isn't that of the server's key over these lines"}
		case have[c.Prev]: // hangs on another leftover
		case first == nil || c.Time().Before(first.Time()):
			first = c
		}
	}
	if first == nil {
		return nil
	}
	return &Fault{Kind: FaultGap, Game: g.game, Record: len(rep.Chain) + 1, What: first.What(), Where: first.where,
		Why: fmt.Sprintf("the record before it is missing; the last one here is %s", rep.Chain[len(rep.Chain)-1].Record.What())}
}

// unread looks at blocks that couldn't be read at all. One that is a piece of a
// record read elsewhere is only a damaged copy.
func (g *group) unread(broken []unreadable, rep *Report) *Fault {
	for _, b := range broken {
		if !strings.Contains(b.Text, "\ngame: "+g.game+"\n") && strings.Contains(b.Text, "\ngame: ") {
			continue
		}
		if g.piece(b.Text) {
			rep.Notes = append(rep.Notes, fmt.Sprintf("a copy in %s is damaged (%s); another copy is whole", b.Where, b.why))
			continue
		}
		return &Fault{Kind: FaultUnreadable, Game: g.game, Record: len(rep.Chain) + 1, Where: b.Where, Why: b.why}
	}
	return nil
}

func (g *group) piece(text string) bool {
	text = strings.TrimSpace(text)
	for _, c := range g.all {
		whole := string(c.Text())
		sig := whole[strings.LastIndex(whole, "sig: "):]
		if strings.Contains(text, strings.TrimSpace(sig)) || len(text) >= 40 && strings.HasPrefix(whole, text) {
			return true
		}
	}
	return false
}

// count sums up what the chain holds.
func (g *group) count(rep *Report) {
	b := g.book
	if len(rep.Chain) == 0 {
		return
	}
	rep.Demo, rep.Ended, rep.Head = b.mark == Demo, b.ended, b.head
	if len(b.queue) > 0 {
		rep.Open = b.queue[0]
	}
	for n := 1; n <= b.last; n++ {
		s, ok := b.played[n]
		if !ok {
			continue
		}
		rep.Steps++
		if s.Grade == GradeBeacon {
			rep.Beacon++
		} else {
			rep.Chained++
			if b.closes[n].Round > 0 {
				rep.Notes = append(rep.Notes, fmt.Sprintf(
					"step %d has dice of the grade chain: its close record left after the beacon round, or not at all", n))
			}
		}
		rep.Rolls += len(s.Rolls)
		for _, t := range s.Rolls {
			if !t.Hidden {
				rep.Dice += len(t.Values)
			}
		}
	}
	for _, h := range b.hidden {
		if h.shown {
			rep.Dice += len(h.roll.Values)
		} else {
			rep.Hidden++
		}
	}
	for _, e := range rep.Chain {
		switch x := e.Record.Body.(type) {
		case Sheet:
			rep.Sheets++
		case Amend:
			rep.Notes = append(rep.Notes, fmt.Sprintf("amended (%s) at step %d: %s", x.What, x.Step, x.Reason))
		}
	}
}

func readOrders(found []Found) (orders []Orders, broken []unreadable) {
	for _, f := range found {
		o, err := ParseOrders([]byte(f.Text))
		for _, t := range mend(f.Text) {
			if err != nil {
				if m, e := ParseOrders([]byte(t)); e == nil {
					o, err = m, nil
				}
			}
		}
		if err != nil {
			broken = append(broken, unreadable{f, err.Error()})
			continue
		}
		orders = append(orders, o)
	}
	return orders, broken
}

// checkOrders compares every set of orders with the C of its record. Several
// copies of one set count once, and one whole copy is enough: a mail program
// that breaks a line can't make a fault.
func (g *group) checkOrders(rep *Report, orders []Orders) {
	type name struct {
		record Hash
		player string
	}
	what := map[Hash]int{}
	for i, e := range rep.Chain {
		what[e.Hash] = i
	}
	done, sealed, wrong := map[name]bool{}, map[name]bool{}, map[name]*Fault{}
	for _, o := range orders {
		i, ours := what[o.Record]
		if !ours {
			continue
		}
		n := name{o.Record, o.Player}
		ok, f := g.book.opens(o)
		switch {
		case ok:
			done[n] = true
		case f == nil:
			sealed[n] = true
		case wrong[n] == nil:
			f.Game, f.What = g.game, rep.Chain[i].Record.What()
			wrong[n] = f
		}
	}
	for n := range sealed {
		if !done[n] {
			rep.Sealed++
		}
	}
	rep.Orders = len(done)
	for i, e := range rep.Chain {
		for _, player := range g.book.start.Players {
			n := name{e.Hash, player}
			f := wrong[n]
			switch {
			case f == nil:
			case done[n]:
				rep.Notes = append(rep.Notes, fmt.Sprintf("a copy of the orders of %s for %s is damaged; another copy is whole", player, f.What))
			case rep.Fault == nil:
				f.Record = i + 1
				rep.Fault = f
			}
		}
	}
}

// checkHead looks for the record that a player has named by its words.
func (g *group) checkHead(rep *Report, words string) {
	want := strings.Join(strings.Fields(strings.ToUpper(words)), " ")
	for i, e := range rep.Chain {
		if e.Hash.Words() == want {
			if later := len(rep.Chain) - 1 - i; later > 0 {
				rep.Notes = append(rep.Notes, fmt.Sprintf("the words name record %d (%s); %d came after it here", i+1, e.Record.What(), later))
			}
			return
		}
	}
	rep.Fault = &Fault{Kind: FaultHead, Game: g.game,
		Why: "no record here has the head " + want + ": either a mail is missing, or two stories were told"}
}

// Compare sets two reports of the same game side by side, as two players would
// who hold their mails together. It gives a fault if they were told two
// stories, and a note if one of them merely knows less.
func Compare(a, b Report) (note string, f *Fault) {
	if a.Game != b.Game || len(a.Chain) == 0 || len(b.Chain) == 0 {
		return "", nil
	}
	n := min(len(a.Chain), len(b.Chain))
	for i := range n {
		x, y := a.Chain[i], b.Chain[i]
		if x.Hash != y.Hash {
			return "", &Fault{Kind: FaultFork, Game: a.Game, Record: i + 1, What: y.Record.What(), Where: y.Where,
				Why: fmt.Sprintf("the other player was told another story: %s with head %s (in %s) there, %s with head %s here",
					x.Record.What(), x.Hash.Words(), x.Where, y.Record.What(), y.Hash.Words())}
		}
	}
	if d := len(a.Chain) - len(b.Chain); d != 0 {
		side := "second"
		if d < 0 {
			side, d = "first", -d
		}
		return fmt.Sprintf("game %s: the same story; the %s is %d records behind", a.Game, side, d), nil
	}
	return fmt.Sprintf("game %s: the same story to the last record", a.Game), nil
}
