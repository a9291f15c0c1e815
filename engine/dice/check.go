package dice

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"
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
	came  time.Time // when the first of the mails that have it came; zero if unknown
	from  int       // which of the things found it was read from
	bad   bool      // signed by none of the game's keys
}

// Check puts the records of a pile in order, game by game, and checks all that
// can be checked without the rules. It stops in each game at the first record
// that fails. A game is told from others by its id and its server's key.
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
	out = append(out, homeless(broken, games, opt.Game)...)
	for _, b := range brokenOrders {
		if r := reportOf(out, b.Text); r != nil {
			r.Notes = append(r.Notes, fmt.Sprintf("a copy of orders in %s can't be read (%s)", b.Where, b.why))
		}
	}
	return out
}

// homeless gives a report for every game of which nothing could be read.
func homeless(broken []unreadable, games []*group, only string) (out []Report) {
	for _, b := range broken {
		game := b.game()
		if slices.ContainsFunc(games, func(g *group) bool { return game == "?" || g.game == game }) ||
			only != "" && game != only ||
			slices.ContainsFunc(out, func(r Report) bool { return r.Game == game }) {
			continue
		}
		out = append(out, Report{Game: game, Fault: &Fault{Kind: FaultUnreadable, Game: game, Where: b.Where, Why: b.why}})
	}
	return out
}

// reportOf finds the sound report whose chain has the record that a broken
// block of orders names, or else the first sound one.
func reportOf(reports []Report, block string) (first *Report) {
	for i := range reports {
		r := &reports[i]
		if r.Fault != nil {
			continue
		}
		if first == nil {
			first = r
		}
		for _, e := range r.Chain {
			if strings.Contains(block, e.Hash.String()) {
				return r
			}
		}
	}
	return first
}

// ReadRecords parses what was found, mending what mail programs have wrapped.
// What can't be read is left out; [Check] reports it.
func ReadRecords(found []Found) []Record {
	var out []Record
	for _, f := range found {
		if r, err := readFound(f.Text); err == nil {
			out = append(out, r[0])
		}
	}
	return out
}

// readFound gives the record that a text is, or, if it was wrapped, all that it
// may have been; the signature tells which.
func readFound(text string) ([]Record, error) {
	r, err := Parse([]byte(text))
	if err == nil {
		return []Record{r}, nil
	}
	var may []Record
	for _, t := range mend(text) {
		if r, e := Parse([]byte(t)); e == nil {
			may = append(may, r)
		}
	}
	if len(may) == 0 {
		return nil, err
	}
	return may, nil
}

type unreadable struct {
	Found
	why string
}

// game is the id of the game that a broken record names, "?" if it names none.
func (u unreadable) game() string {
	for line := range strings.SplitSeq(u.Text, "\n") {
		if id, ok := strings.CutPrefix(line, "game: "); ok {
			return id
		}
	}
	return "?"
}

// group is all records found of one game of one server.
type group struct {
	game   string
	key    ed25519.PublicKey
	keys   []ed25519.PublicKey // that one, and those it was changed for
	start  []*candidate
	all    []*candidate
	sigs   map[[ed25519.SignatureSize]byte]bool // of the records that bear a key's signature
	copies []string                             // their texts squeezed, sorted; nil until piece needs them
	book   *book
}

// sortOut reads what was found and puts each record into the group of its game.
func sortOut(found []Found) (games []*group, broken []unreadable) {
	var all []*candidate
	seen := map[Hash]*candidate{}
	for i, f := range found {
		records, err := readFound(f.Text)
		if err != nil {
			broken = append(broken, unreadable{f, err.Error()})
			continue
		}
		for _, r := range records {
			h := r.Hash()
			c := seen[h]
			if c == nil {
				c = &candidate{Record: r, hash: h, where: f.Where, from: i}
				seen[h] = c
				all = append(all, c)
			}
			if c.came.IsZero() || !f.Came.IsZero() && f.Came.Before(c.came) {
				c.came = f.Came
			}
		}
	}
	// A game begins with each start that bears the signature of its own key.
	for _, c := range all {
		if s, ok := c.Body.(Start); ok && c.SignedBy(s.Key) {
			g := find(games, c.Game(), s.Key)
			if g == nil {
				g = &group{game: c.Game(), key: s.Key, keys: keysOf(all, c.Game(), s.Key),
					sigs: map[[ed25519.SignatureSize]byte]bool{}}
				games = append(games, g)
			}
			g.start = append(g.start, c)
		}
	}
	whole := map[int]bool{}
	for _, c := range all {
		g := home(&games, c)
		g.all = append(g.all, c)
		if c.bad = !g.signed(c.Record); !c.bad {
			g.sigs[c.Sig] = true
			whole[c.from] = true
		}
	}
	for _, g := range games { // other readings of a text that one reading makes whole
		g.all = slices.DeleteFunc(g.all, func(c *candidate) bool { return c.bad && whole[c.from] })
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

// keysOf lists the keys that sign in a game: its first, and each that comes in
// by an amendment that a key listed before it has signed.
func keysOf(all []*candidate, game string, first ed25519.PublicKey) []ed25519.PublicKey {
	var changes []*candidate
	for _, c := range all {
		if a, ok := c.Body.(Amend); ok && a.Key != nil && a.Game == game {
			changes = append(changes, c)
		}
	}
	keys := []ed25519.PublicKey{first}
	for i := 0; i < len(keys); i++ {
		for _, c := range changes {
			if a := c.Body.(Amend); c.SignedBy(keys[i]) && !slices.ContainsFunc(keys, func(k ed25519.PublicKey) bool { return k.Equal(a.Key) }) {
				keys = append(keys, a.Key)
			}
		}
	}
	return keys
}

func (g *group) signed(r Record) bool {
	return slices.ContainsFunc(g.keys, r.SignedBy)
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
		if g.signed(c.Record) {
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

// mangled tells whether a bad record is only a damaged copy of a genuine one:
// it bears the same signature.
func (g *group) mangled(c *candidate) bool { return g.sigs[c.Sig] }

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
		if game := b.game(); game != g.game && game != "?" {
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

// piece tells whether a text that can't be read is what is left of a genuine
// record: it has that record's signature, or is cut off from it.
func (g *group) piece(text string) bool {
	if g.copies == nil {
		for _, c := range g.all {
			if !c.bad {
				g.copies = append(g.copies, squeeze(string(c.Text())))
			}
		}
		slices.Sort(g.copies)
	}
	text = squeeze(text)
	const length = (ed25519.SignatureSize + 2) / 3 * 4
	for _, rest := range strings.Split(text, "sig:")[1:] {
		var sig [ed25519.SignatureSize]byte
		if b, err := base64.StdEncoding.DecodeString(rest[:min(len(rest), length)]); err == nil && copy(sig[:], b) == len(sig) && g.sigs[sig] {
			return true
		}
	}
	i, _ := slices.BinarySearch(g.copies, text)
	return len(text) >= 40 && i < len(g.copies) && strings.HasPrefix(g.copies[i], text)
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
			if note := g.late(n); note != "" {
				rep.Notes = append(rep.Notes, note)
			}
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

// slack is by how much the clocks of two mail servers may differ.
const slack = 2 * time.Minute

// late says so if the close record of a beacon step came only when its round was
// out: that it had left before, as the step record says, is then the server's
// word alone.
func (g *group) late(step int) string {
	closed := g.book.closes[step]
	comes := g.book.start.Beacon.Time(closed.Round)
	for _, c := range g.all {
		x, ok := c.Body.(Close)
		if ok && !c.bad && x.Step == step && c.came.After(comes.Add(slack)) {
			return fmt.Sprintf("the close record of step %d reached this mailbox at %s, and its beacon round came at %s; that it left before is the server's word",
				step, stamp(c.came), stamp(comes))
		}
	}
	return ""
}

// readOrders reads blocks of orders; of one that was wrapped, all that it may
// have been.
func readOrders(found []Found) (orders [][]Orders, broken []unreadable) {
	for _, f := range found {
		o, err := ParseOrders([]byte(f.Text))
		may := []Orders{o}
		if err != nil {
			may = nil
			for _, t := range mend(f.Text) {
				if o, e := ParseOrders([]byte(t)); e == nil {
					may = append(may, o)
				}
			}
		}
		if len(may) == 0 {
			broken = append(broken, unreadable{f, err.Error()})
			continue
		}
		orders = append(orders, may)
	}
	return orders, broken
}

// checkOrders compares every set of orders with the C of its record. Several
// copies of one set count once, and one whole copy is enough: a mail program
// that breaks a line can't make a fault.
func (g *group) checkOrders(rep *Report, orders [][]Orders) {
	type name struct {
		record Hash
		player string
	}
	what := map[Hash]int{}
	for i, e := range rep.Chain {
		what[e.Hash] = i
	}
	done, sealed, wrong := map[name]bool{}, map[name]bool{}, map[name]*Fault{}
	for _, readings := range orders {
		var ok, later bool
		var f *Fault
		var n name
		for _, o := range readings {
			i, ours := what[o.Record]
			if !ours {
				continue
			}
			n = name{o.Record, o.Player}
			var bad *Fault
			if ok, bad = g.book.opens(o); ok {
				break
			}
			if later = later || bad == nil; bad != nil && f == nil {
				f = bad
				f.Game, f.What = g.game, rep.Chain[i].Record.What()
			}
		}
		switch {
		case ok:
			done[n] = true
		case later:
			sealed[n] = true
		case f != nil && wrong[n] == nil:
			wrong[n] = f
		}
	}
	for n := range sealed {
		if !done[n] {
			rep.Sealed++
		}
	}
	rep.Orders = len(done)
	unseen, first := 0, ""
	for i, e := range rep.Chain {
		for _, player := range g.book.start.Players {
			n := name{e.Hash, player}
			f := wrong[n]
			_, has := g.book.commits[e.Hash].c[player]
			switch {
			case f != nil && done[n]:
				rep.Notes = append(rep.Notes, fmt.Sprintf("a copy of the orders of %s for %s is damaged; another copy is whole", player, f.What))
			case f != nil && rep.Fault == nil:
				f.Record = i + 1
				rep.Fault = f
			case f == nil && has && !done[n] && rep.Ended:
				if unseen++; unseen == 1 {
					first = fmt.Sprintf("%s for %s", player, e.Record.What())
				}
			}
		}
	}
	if unseen > 0 {
		rep.Notes = append(rep.Notes, fmt.Sprintf("the game is over and %d sets of orders aren't here, the first that of %s; the transcript in the last mail has them all", unseen, first))
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

// Compare sets the reports of two players' mails side by side, as the two would
// who hold their mails together. It gives a fault for each game of which they
// were told two stories, and a note for each other game that both have. The
// names are those of the two heaps of mails, for the notes.
func Compare(first, second []Report, names [2]string) (notes []string, faults []*Fault) {
	for _, a := range first {
		for _, b := range second {
			if a.Game != b.Game || len(a.Chain) == 0 || len(b.Chain) == 0 {
				continue
			}
			if a.Key != b.Key && (has(second, a) || has(first, b)) { // two servers count their games from 1
				continue
			}
			if note, f := a.beside(b, names); f != nil {
				faults = append(faults, f)
			} else {
				notes = append(notes, note)
			}
		}
	}
	return notes, faults
}

// has tells whether reports have one of the same game of the same server.
func has(reports []Report, r Report) bool {
	return slices.ContainsFunc(reports, func(x Report) bool { return x.Game == r.Game && x.Key == r.Key && len(x.Chain) > 0 })
}

// beside compares two reports of one game, record by record.
func (r Report) beside(b Report, names [2]string) (note string, f *Fault) {
	n := min(len(r.Chain), len(b.Chain))
	for i := range n {
		x, y := r.Chain[i], b.Chain[i]
		if x.Hash != y.Hash {
			return "", &Fault{Kind: FaultFork, Game: r.Game, Record: i + 1, What: y.Record.What(), Where: y.Where,
				Why: fmt.Sprintf("the other player was told another story: %s with head %s (in %s) there, %s with head %s here",
					x.Record.What(), x.Hash.Words(), x.Where, y.Record.What(), y.Hash.Words())}
		}
	}
	switch d := len(r.Chain) - len(b.Chain); {
	case d > 0:
		return fmt.Sprintf("game %s: the same story; %s is %d records behind", r.Game, names[1], d), nil
	case d < 0:
		return fmt.Sprintf("game %s: the same story; %s is %d records behind", r.Game, names[0], -d), nil
	}
	return fmt.Sprintf("game %s: the same story to the last record", r.Game), nil
}
