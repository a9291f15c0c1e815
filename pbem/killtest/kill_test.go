package killtest

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pbemd/engine"
	"pbemd/engine/dice"
	"pbemd/pbem"
	"pbemd/pbem/pbemtest"
	"pbemd/pbem/smtp"
	"pbemd/store"
	"pbemd/testdata/games"
)

var (
	kills = flag.Int("kills", 0, "how often the kill loop kills; 0: until -spend is over")
	spend = flag.Duration("spend", time.Minute, "how long the kill loop goes on without -kills")
	seed  = flag.Uint64("killseed", 0, "of the kill loop's random instants; 0: another each time")
)

// The games of the kill loop.
const (
	marching = pbem.GameID(1) // a toy game: the Axis steps, the Soviets show flags
	fighting = pbem.GameID(2) // a toy game: each sheet of the Axis rolls a die
	talking  = pbem.GameID(3) // blitz41: standing orders, checks and questions
	scripted = pbem.GameID(4) // blitz41: the sheets of the demo
)

// order is a mail that a player sent.
type order struct {
	id    string
	game  pbem.GameID
	side  engine.Side
	lines []string
	burst bool // it makes a burst
}

// loop is one run of the kill loop.
type loop struct {
	t      *testing.T
	w      wires
	life   life
	out    *smtp.Sender
	random *rand.Rand
	sent   []order
	n      int
	reply  map[pbem.GameID]map[engine.Side]string // the latest reply address

	script games.Script
	used   map[string]int
	asked  string // the scripted order that waits for its answer
	answer int    // the last question answered

	kept   map[pbem.GameID]past // as of the last look
	killed int
	lives  int
	over   bool // no more mails
}

// past is what may only grow.
type past struct {
	log     []pbem.Entry
	records []pbem.Sealed
}

func TestKillLoop(t *testing.T) {
	share := *spend
	if testing.Short() {
		share = min(share, 6*time.Second)
	}
	// The hub comes first: without Dovecot and Postfix it is all there is.
	t.Run("hub", func(t *testing.T) { killLoop(t, startHub(t), share/4, *kills/4) })
	t.Run("dovecot-postfix", func(t *testing.T) { killLoop(t, startReal(t), share-share/4, *kills) })
}

func killLoop(t *testing.T, w wires, spend time.Duration, kills int) {
	s := *seed
	if s == 0 {
		s = rand.Uint64()
	}
	t.Logf("-killseed %d", s)
	k := &loop{
		t: t, w: w, random: rand.New(rand.NewPCG(s, 0)), used: map[string]int{}, kept: map[pbem.GameID]past{},
		life: life{Dir: t.TempDir(), IMAP: w.imap(), SMTP: w.smtp()}, reply: map[pbem.GameID]map[engine.Side]string{},
		out: smtp.New(smtp.Config{Addr: w.smtp(), Security: smtp.None, Limit: 10 * time.Second, Hello: "players.example"}),
	}
	t.Cleanup(func() { k.out.Close() })
	var err error
	if k.script, err = games.Demo(); err != nil {
		t.Fatal(err)
	}
	k.found()
	k.quiet()
	k.post(fighting, "axis", true, "END PHASE")
	k.post(fighting, "soviet", false, "STANDING REPORTS EACH")
	k.quiet()
	began := time.Now()
	for kills > 0 && k.killed < kills || kills == 0 && time.Since(began) < spend {
		k.live()
	}
	k.over = true
	k.quiet()
	k.judge(time.Since(began))
}

// found makes the games, without a server running.
func (k *loop) found() {
	db, office := k.open()
	defer db.Close()
	for _, rules := range []string{"toy", "toy", "blitz41", "blitz41"} {
		f := pbem.Founding{Rules: rules, Terms: pbem.Terms{NoJoin: true}}
		for i, s := range []engine.Side{"axis", "soviet"} {
			f.Seats = append(f.Seats, pbem.Seat{Side: s, Name: string(s), Address: players[i]})
		}
		if _, err := office.NewGame(context.Background(), f); err != nil {
			k.t.Fatal(err)
		}
	}
}

func (k *loop) open() (*store.Store, *pbem.Office) {
	k.t.Helper()
	db, office, err := k.life.office(slog.New(slog.DiscardHandler), store.Options{})
	if err != nil {
		k.t.Fatalf("the store doesn't open after %d kills: %v", k.killed, err)
	}
	return db, office
}

// live is one life of the server, ended by force, while mails come in.
func (k *loop) live() {
	k.lives++
	if k.lives%8 == 0 {
		k.look()
	}
	room := 12 - len(k.w.messages(gm, "INBOX"))
	p := k.life.start(k.t)
	until := time.Now().Add(time.Duration(20+k.random.IntN(581)) * time.Millisecond)
	for n := k.random.IntN(4); n > 0 && room > 0; n-- {
		k.some()
		room--
	}
	p.kill(k.t, max(0, time.Until(until)))
	k.killed++
}

// some sends one of the mails that players send.
func (k *loop) some() {
	switch k.random.IntN(9) {
	case 0, 1:
		k.post(marching, "axis", true, fmt.Sprint("STEP ", 1+k.n%3), "AGAIN")
	case 2:
		k.post(marching, "soviet", true, "PHASE STANDING", fmt.Sprintf("FLAG %d NOW", k.n))
	case 3, 4, 5:
		k.post(fighting, "axis", true, "FIGHT", "AGAIN")
	case 6:
		k.post(talking, "soviet", false, "PHASE STANDING", []string{"DEFAULT STAND", "DEFAULT YIELD"}[k.n%2])
	case 7:
		k.post(talking, "axis", false, "PHASE STANDING", []string{"DEFAULT STAND", "DEFAULT YIELD"}[k.n%2])
	case 8:
		k.post(talking, "axis", false, "CHECK", "ATTACK H18 FROM H19: 39PZ 57PZ 2G AIR 2 LOSS STEPS ADVANCE NONE")
	}
}

// post sends a sheet and returns its Message-ID.
func (k *loop) post(game pbem.GameID, side engine.Side, burst bool, lines ...string) string {
	k.t.Helper()
	k.n++
	from := players[slices.Index([]engine.Side{"axis", "soviet"}, side)]
	to := k.reply[game][side]
	if to == "" {
		k.t.Fatalf("the %s has no mail of game %v to reply to", side, game)
	}
	o := order{id: fmt.Sprintf("<m%d@players.example>", k.n), game: game, side: side, lines: lines, burst: burst}
	text := append(append([]string{"GAME " + game.String()}, lines...), "END")
	raw := pbemtest.Compose(from, to, "orders", o.id, "", time.Now(), text...)
	_, raw, _ = bytes.Cut(raw, []byte("\r\n")) // Return-Path is the mail server's to write
	if err := k.out.Send(context.Background(), pbem.Envelope{From: from, To: to}, raw); err != nil {
		k.t.Fatalf("send a player's mail: %v", err)
	}
	k.sent = append(k.sent, o)
	return o.id
}

// quiet lets the server finish all that there is to do, and reads the players'
// mail.
func (k *loop) quiet() {
	k.t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for {
		k.w.settle()
		p := k.life.start(k.t)
		for len(k.w.messages(gm, "INBOX")) > 0 && time.Now().Before(deadline) {
			time.Sleep(30 * time.Millisecond)
		}
		time.Sleep(200 * time.Millisecond)
		p.stop(k.t)
		db, _ := k.open()
		pending, err := db.Outbox(pbem.OutPending, "", 10)
		if err != nil {
			k.t.Fatal(err)
		}
		var steps []pbem.GameID
		for id := marching; id <= scripted; id++ {
			if g, err := db.Game(id); err == nil && g.Pending != nil && g.Pending.Question == nil {
				steps = append(steps, id)
			}
		}
		db.Close()
		k.w.settle()
		if len(pending) == 0 && len(steps) == 0 && len(k.w.messages(gm, "INBOX")) == 0 {
			break
		}
		if time.Now().After(deadline) {
			k.t.Fatalf("the server doesn't come to an end: %d mails pending (%v), %d lie in the mailbox, steps of %v under way\n%s",
				len(pending), errorsOf(pending), len(k.w.messages(gm, "INBOX")), steps, p.tail())
		}
	}
	k.look()
}

func errorsOf(list []pbem.Outgoing) (out []string) {
	for _, o := range list {
		out = append(out, o.Error)
	}
	return out
}

// look reads mail and store between two lives: what was there must still be
// there, the same. Then the scripted game goes on.
func (k *loop) look() {
	k.t.Helper()
	answered := false
	for i, side := range []engine.Side{"axis", "soviet"} {
		for _, raw := range k.w.messages(players[i], "INBOX") {
			l, err := pbemtest.ReadLetter(raw)
			if err != nil {
				k.t.Fatalf("a mail to the %s: %v", side, err)
			}
			var id pbem.GameID
			if _, err := fmt.Sscanf(l.Subject, "[%d]", &id); err == nil {
				if k.reply[id] == nil {
					k.reply[id] = map[engine.Side]string{}
				}
				k.reply[id][side] = l.ReplyTo
			}
			answered = answered || l.InReplyTo == k.asked
		}
	}
	db, _ := k.open()
	defer db.Close()
	for id := marching; id <= scripted; id++ {
		var now past
		var err error
		if now.log, err = db.Log(id, 0); err != nil {
			k.t.Fatal(err)
		}
		if now.records, err = db.Records(id, 0); err != nil {
			k.t.Fatal(err)
		}
		was := k.kept[id]
		if len(now.log) < len(was.log) || len(was.log) > 0 && !same(now.log[:len(was.log)], was.log) {
			k.t.Fatalf("game %v: the log isn't what it was, after %d kills", id, k.killed)
		}
		if len(now.records) < len(was.records) || len(was.records) > 0 && !same(now.records[:len(was.records)], was.records) {
			k.t.Fatalf("game %v: the records aren't what they were, after %d kills", id, k.killed)
		}
		k.kept[id] = now
	}
	g, err := db.Game(scripted)
	if err != nil {
		k.t.Fatal(err)
	}
	if !k.over && (k.asked == "" || answered) {
		k.next(g)
	}
}

func same(a, b any) bool {
	x, err := json.Marshal(a)
	if err != nil {
		return false
	}
	y, err := json.Marshal(b)
	return err == nil && bytes.Equal(x, y)
}

// next sends the next sheet of the demo.
func (k *loop) next(g pbem.Game) {
	if k.reply[scripted] == nil || g.State.Turn > 2 || g.Stage != pbem.Playing {
		return
	}
	for _, s := range []engine.Side{"soviet", "axis"} {
		if lines := k.script.Next(s, "standing", k.used); lines != nil {
			k.asked = k.post(scripted, s, false, lines...)
			return
		}
	}
	if p := g.Pending; p != nil {
		if p.Question == nil || p.No == k.answer {
			return
		}
		k.answer = p.No
		k.asked = k.post(scripted, p.Question.Side, false, fmt.Sprintf("ANSWER Q%d A", p.No))
		return
	}
	when := fmt.Sprintf("turn %d %s", g.State.Turn, strings.ToLower(g.State.Phase))
	lines := k.script.Next(g.State.Side, when, k.used)
	if lines == nil {
		lines = []string{"END TURN"}
	}
	k.asked = k.post(scripted, g.State.Side, false, lines...)
}

// mailbox is what one player got.
type mailbox struct {
	byID    map[string][][]byte // by Message-ID without brackets and domain
	answers map[string][]string // ids of answers by the Message-ID answered, each once
	total   int
	pile    dice.Pile
}

func (k *loop) read(address string) mailbox {
	k.t.Helper()
	m := mailbox{byID: map[string][][]byte{}, answers: map[string][]string{}}
	for i, raw := range k.w.messages(address, "INBOX") {
		l, err := pbemtest.ReadLetter(raw)
		if err != nil {
			k.t.Fatal(err)
		}
		id, _, _ := strings.Cut(strings.Trim(l.ID, "<>"), "@")
		m.total++
		m.byID[id] = append(m.byID[id], raw)
		if strings.HasPrefix(id, "ack.") && !slices.Contains(m.answers[l.InReplyTo], id) {
			m.answers[l.InReplyTo] = append(m.answers[l.InReplyTo], id)
		}
		m.pile.Add(fmt.Sprintf("%s %d", address, i), l.Text)
	}
	return m
}

// judge holds everything against everything.
func (k *loop) judge(took time.Duration) {
	t := k.t
	db, office := k.open()
	defer db.Close()
	if err := db.Check(); err != nil {
		t.Fatal(err)
	}
	boxes := map[engine.Side]mailbox{"axis": k.read(players[0]), "soviet": k.read(players[1])}

	// Every mail was consumed once, and none was set aside.
	if n := len(k.w.messages(gm, string(pbem.Quarantine))); n > 0 {
		t.Errorf("%d mails in quarantine", n)
	}
	if n := len(k.w.messages(gm, string(pbem.Processed))); n != len(k.sent) {
		t.Errorf("%d mails were sent and %d filed", len(k.sent), n)
	}
	mails, err := db.Mails(0, 10*len(k.sent)+10)
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]string{} // whole key by its beginning
	for _, m := range mails {
		if m.Outcome != pbem.Accepted {
			t.Errorf("mail %s became %s (%s)", m.Key[:12], m.Outcome, m.Why)
		}
		keys[m.Key[:20]] = m.Key
	}
	if len(mails) != len(k.sent) {
		t.Errorf("%d mails were sent and %d are in the store", len(k.sent), len(mails))
	}

	// Every burst is of one mail, and every mail that orders has one.
	bursts := map[string]int{}
	for id := marching; id <= scripted; id++ {
		g, err := db.Game(id)
		if err != nil {
			t.Fatal(err)
		}
		for n := 2; n <= g.Bursts; n++ { // 1 is the start
			b, err := db.Burst(id, n)
			if err != nil {
				t.Fatal(err)
			}
			bursts[b.Mail]++
			if bursts[b.Mail] > 1 {
				t.Errorf("game %v: the mail %.12s made two bursts", id, b.Mail)
			}
		}
	}
	lost, applied := 0, 0
	steps, stepped, fights, flags := 0, 0, 0, map[string]int{}
	for _, o := range k.sent {
		acks := boxes[o.side].answers[o.id]
		if len(acks) != 1 {
			t.Errorf("%s of the %s in game %v (%v) has the answers %v", o.id, o.side, o.game, o.lines, acks)
			lost++
			continue
		}
		key := keys[strings.SplitN(strings.TrimPrefix(acks[0], "ack."), ".", 2)[0]]
		switch n := bursts[key]; {
		case key == "":
			t.Errorf("%s is answered by %s, which is of no mail", o.id, acks[0])
		case o.burst && n != 1:
			t.Errorf("%s of the %s in game %v (%v) was executed %d times", o.id, o.side, o.game, o.lines, n)
			lost++
		case o.burst:
			applied++
		}
		switch {
		case o.game == marching && o.side == "axis":
			var n int
			fmt.Sscanf(o.lines[0], "STEP %d", &n)
			steps, stepped = steps+1, stepped+n
		case o.game == marching:
			flags[strings.Fields(o.lines[1])[1]]++
		case o.game == fighting && o.lines[0] == "FIGHT":
			fights++
		}
	}
	// What the mails ordered is in the logs, once.
	for _, e := range pbem.Counting(k.kept[marching].log) {
		var f struct{ N, X int }
		if err := json.Unmarshal(e.Data, &f); err != nil {
			t.Fatal(err)
		}
		switch e.Kind {
		case "Stepped":
			steps, stepped = steps-1, stepped-f.N
		case "FlagSet":
			flags[fmt.Sprint(f.X)]--
		}
	}
	for _, e := range pbem.Counting(k.kept[fighting].log) {
		if e.Kind == "Fought" {
			fights--
		}
	}
	if steps != 0 || stepped != 0 || fights != 0 {
		t.Errorf("the logs lack %d steps (%d places) and %d fights", steps, stepped, fights)
	}
	for x, n := range flags {
		if n != 0 {
			t.Errorf("the log lacks flag %s %d times", x, n)
		}
	}

	// Every mail of ours has come, each copy octet for octet as it was frozen.
	var sent []pbem.Outgoing
	for _, state := range []pbem.OutState{pbem.OutSent, pbem.OutPending, pbem.OutParked, pbem.OutHeld, pbem.OutDropped} {
		list, err := db.Outbox(state, "", 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if state != pbem.OutSent && len(list) > 0 {
			t.Errorf("%d mails are %s", len(list), state)
		}
		sent = append(sent, list...)
	}
	copies := 0
	for _, o := range sent {
		whole, err := db.Outgoing(o.ID)
		if err != nil {
			t.Fatal(err)
		}
		got := boxes[o.Side].byID[o.ID]
		if len(got) == 0 {
			t.Errorf("mail %s was sent and never came", o.ID)
			lost++
		}
		for _, raw := range got {
			copies++
			if !bytes.HasSuffix(raw, bytes.TrimRight(whole.Message, "\r\n")) && !bytes.HasSuffix(bytes.TrimRight(raw, "\r\n"), bytes.TrimRight(whole.Message, "\r\n")) {
				t.Errorf("mail %s came otherwise than it was frozen", o.ID)
			}
		}
	}
	total := boxes["axis"].total + boxes["soviet"].total
	if copies != total {
		t.Errorf("%d mails came, %d of them ours", total, copies)
	}
	surplus := total - len(sent)
	if surplus > k.killed {
		t.Errorf("%d surplus copies of %d kills", surplus, k.killed)
	}

	// The dice are as the records say, from either player's mails and from both.
	rolled := 0
	both := dice.Pile{}
	for side, b := range boxes {
		both.Records = append(both.Records, b.pile.Records...)
		both.Orders = append(both.Orders, b.pile.Orders...)
		for _, r := range dice.Check(b.pile, dice.Options{}) {
			if r.Fault != nil {
				t.Errorf("game %s by the mails of the %s: %v", r.Game, side, r.Fault)
			}
		}
	}
	for _, r := range dice.Check(both, dice.Options{}) {
		rolled += r.Dice
		if r.Fault != nil {
			t.Errorf("game %s by the mails of both: %v", r.Game, r.Fault)
		}
	}
	for id := marching; id <= scripted; id++ {
		r, err := office.Replay(context.Background(), id, nil)
		if err != nil || r.Differs > 0 {
			t.Errorf("game %v played again: burst %d differs: got %s, want %s, %v", id, r.Differs, r.Got, r.Want, err)
		}
	}
	t.Logf("%d kills in %v: %d mails of players, %d sheets executed once each, %d answers and reports, %d surplus copies, %d dice checked, %d lost",
		k.killed, took.Round(time.Second), len(k.sent), applied, len(sent), surplus, rolled, lost)
}
