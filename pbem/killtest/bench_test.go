package killtest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	goimap "github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
	gomessage "github.com/emersion/go-message/mail"
	"go.etcd.io/bbolt"

	"pbemd/engine"
	"pbemd/engine/blitz41"
	"pbemd/engine/enginetest"
	"pbemd/pbem"
	"pbemd/pbem/auth"
	"pbemd/pbem/pbemtest"
	"pbemd/pbem/realmail"
	"pbemd/store"
)

const bare = "bare@pbem.example" // the mailbox of the loop that only reads

func startDovecot(b testing.TB) *realmail.Servers {
	return realmail.Start(b, realmail.Options{NoPostfix: true, Users: []realmail.User{{Address: gm, Password: password}, {Address: bare, Password: password}}})
}

// table is an office with a game of Blitzkrieg '41 in its store.
type table struct {
	life   life
	db     *store.Store
	office *pbem.Office
}

func sit(b testing.TB, s *realmail.Servers, rules string) *table {
	t := &table{life: life{Dir: b.TempDir(), IMAP: s.IMAPAddr(), SMTP: "127.0.0.1:1"}}
	var err error
	if t.db, t.office, err = t.life.office(slog.New(slog.DiscardHandler), store.Options{}); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { t.db.Close() })
	t.found(b, rules)
	return t
}

func (t *table) found(b testing.TB, rules string) pbem.GameID {
	f := pbem.Founding{Rules: rules, Terms: pbem.Terms{NoJoin: true, Seed: "bench"}}
	for i, side := range []engine.Side{"axis", "soviet"} {
		f.Seats = append(f.Seats, pbem.Seat{Side: side, Name: string(side), Address: players[i]})
	}
	id, err := t.office.NewGame(context.Background(), f)
	if err != nil {
		b.Fatal(err)
	}
	return id
}

// reply is where a side of a game writes to.
func (t *table) reply(b testing.TB, id pbem.GameID, side engine.Side) string {
	g, err := t.db.Game(id)
	if err != nil {
		b.Fatal(err)
	}
	token := auth.Token(bytes.Repeat([]byte{5}, 32), id.String(), string(side), uint64(g.State.Serial), uint64(g.Seat(side).Epoch))
	return auth.Address(gm, id.String(), token)
}

// standing is the n-th mail with standing orders.
func standing(n int, to string) []byte {
	raw := pbemtest.Compose(players[n%2], to, "orders", fmt.Sprintf("<s%d@players.example>", n), "", time.Now(),
		"GAME 1", "PHASE STANDING", []string{"DEFAULT STAND", "DEFAULT YIELD"}[n/2%2], "END")
	_, raw, _ = bytes.Cut(raw, []byte("\r\n"))
	return raw
}

// fill puts mails into a mailbox, many at once.
func fill(b testing.TB, s *realmail.Servers, user string, mails [][]byte) {
	b.Helper()
	c, err := imapclient.DialInsecure(s.IMAPAddr(), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	if err := c.Login(user, password).Wait(); err != nil {
		b.Fatal(err)
	}
	var all []*imapclient.AppendCommand
	for i, m := range mails {
		a := c.Append("INBOX", int64(len(m)), nil)
		if _, err := a.Write(m); err != nil {
			b.Fatal(err)
		}
		if err := a.Close(); err != nil {
			b.Fatal(err)
		}
		if all = append(all, a); len(all) == 50 || i == len(mails)-1 {
			for _, a := range all {
				if _, err := a.Wait(); err != nil {
					b.Fatal(err)
				}
			}
			all = all[:0]
		}
	}
}

// BenchmarkIntake is the intake of 1,000 mails without pictures from Dovecot,
// and what a loop does that fetches, parses and moves the same mails, each in
// one bbolt transaction, and knows nothing of games.
func BenchmarkIntake(b *testing.B) {
	const mails = 1000
	s := startDovecot(b)
	for b.Loop() {
		b.StopTimer()
		t := sit(b, s, "blitz41")
		var batch [][]byte
		to := [2]string{t.reply(b, 1, "axis"), t.reply(b, 1, "soviet")}
		for n := range mails {
			batch = append(batch, standing(n, to[n%2]))
		}
		fill(b, s, gm, batch)
		fill(b, s, bare, batch)
		in := t.life.inbox(slog.New(slog.DiscardHandler))
		ctx := context.Background()
		if _, err := in.List(ctx); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		began := time.Now()
		if err := t.office.Drain(ctx, in); err != nil {
			b.Fatal(err)
		}
		ours := time.Since(began)
		b.StopTimer()
		in.Close()
		m, err := t.db.Mails(0, 2*mails)
		if err != nil || len(m) != mails {
			b.Fatalf("%d mails were taken, %v", len(m), err)
		}
		out, err := t.db.Outbox(pbem.OutPending, "", 2*mails)
		if err != nil || len(out) != mails+2 {
			b.Fatalf("%d answers, %v", len(out), err)
		}
		theirs := bareLoop(b, s, mails)
		b.ReportMetric(mails/ours.Seconds(), "mails/s")
		b.ReportMetric(mails/theirs.Seconds(), "bare-mails/s")
		b.ReportMetric(100*theirs.Seconds()/ours.Seconds(), "%of-bare")
		b.StartTimer()
	}
}

// bareLoop reads the other mailbox and says how long it took.
func bareLoop(b *testing.B, s *realmail.Servers, mails int) time.Duration {
	db, err := bbolt.Open(filepath.Join(b.TempDir(), "bare.db"), 0o600, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	c, err := imapclient.DialInsecure(s.IMAPAddr(), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	if err := c.Login(bare, password).Wait(); err != nil {
		b.Fatal(err)
	}
	if err := c.Create("Processed", nil).Wait(); err != nil && !strings.Contains(err.Error(), "exists") {
		b.Fatal(err)
	}
	if _, err := c.Select("INBOX", nil).Wait(); err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	d, err := c.UIDSearch(&goimap.SearchCriteria{}, nil).Wait()
	if err != nil {
		b.Fatal(err)
	}
	section := &goimap.FetchItemBodySection{Peek: true}
	n := 0
	for _, uid := range d.AllUIDs() {
		set := goimap.UIDSetNum(uid)
		got, err := c.Fetch(set, &goimap.FetchOptions{UID: true, BodySection: []*goimap.FetchItemBodySection{section}}).Collect()
		if err != nil || len(got) != 1 {
			b.Fatalf("fetch: %d, %v", len(got), err)
		}
		raw := got[0].FindBodySection(section)
		r, err := gomessage.CreateReader(bytes.NewReader(raw))
		if err != nil {
			b.Fatal(err)
		}
		id, err := r.Header.MessageID()
		if err != nil {
			b.Fatal(err)
		}
		for {
			p, err := r.NextPart()
			if err == io.EOF {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, p.Body); err != nil {
				b.Fatal(err)
			}
		}
		err = db.Update(func(tx *bbolt.Tx) error {
			k, err := tx.CreateBucketIfNotExists([]byte("mails"))
			if err != nil {
				return err
			}
			return k.Put([]byte(id), raw)
		})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := c.Move(set, "Processed").Wait(); err != nil {
			b.Fatal(err)
		}
		n++
	}
	if n != mails {
		b.Fatalf("the bare loop read %d mails", n)
	}
	return time.Since(began)
}

// take delivers a mail, and has it listed, fetched, judged, committed: the time
// until its answer lies in the outbox.
func (t *table) take(b testing.TB, s *realmail.Servers, in pbem.Inbox, raw []byte) time.Duration {
	b.Helper()
	fill(b, s, gm, [][]byte{raw})
	ctx := context.Background()
	refs, err := in.List(ctx)
	if err != nil || len(refs) != 1 {
		b.Fatalf("%d mails lie there, %v", len(refs), err)
	}
	began := time.Now()
	got, err := in.Fetch(ctx, refs[0])
	if err != nil {
		b.Fatal(err)
	}
	folder, err := t.office.Take(ctx, refs[0], got)
	took := time.Since(began)
	if err != nil || folder != pbem.Processed {
		b.Fatalf("taken to %s, %v", folder, err)
	}
	if err := in.File(ctx, refs[0], folder); err != nil {
		b.Fatal(err)
	}
	return took
}

// last is the latest answer in the outbox.
func (t *table) last(b testing.TB) pbem.Outgoing {
	b.Helper()
	m, err := t.db.Mails(0, 1)
	if err != nil || len(m) != 1 || len(m[0].Answers) == 0 {
		b.Fatalf("%+v, %v", m, err)
	}
	o, err := t.db.Outgoing(m[0].Answers[len(m[0].Answers)-1])
	if err != nil {
		b.Fatal(err)
	}
	return o
}

func (t *table) sheet(n int, side engine.Side, b testing.TB, lines ...string) []byte {
	i := map[engine.Side]int{"axis": 0, "soviet": 1}[side]
	raw := pbemtest.Compose(players[i], t.reply(b, 1, side), "orders", fmt.Sprintf("<b%d@players.example>", n), "", time.Now(), append(append([]string{"GAME 1"}, lines...), "END")...)
	_, raw, _ = bytes.Cut(raw, []byte("\r\n"))
	return raw
}

// BenchmarkFetchToOutbox is one mail from the fetch at Dovecot to the committed
// outbox: moves alone with their map, and a sheet of some ten battles, with the
// pictures of both sides; the printed maps have been drawn for earlier mails.
func BenchmarkFetchToOutbox(b *testing.B) {
	s := startDovecot(b)
	data, err := blitz41.Load(blitz41.DataFiles())
	if err != nil {
		b.Fatal(err)
	}
	b.Run("moves-with-map", func(b *testing.B) {
		t := sit(b, s, "blitz41")
		in := t.life.inbox(slog.New(slog.DiscardHandler))
		defer in.Close()
		n := 0
		for _, x := range []struct {
			side  engine.Side
			lines []string
		}{{"axis", []string{"END TURN"}}, {"soviet", []string{"END TURN"}}, {"axis", []string{"PHASE NEWUNITS", "PHASE MOVE"}}} {
			n++
			t.take(b, s, in, t.sheet(n, x.side, b, x.lines...))
		}
		look, err := t.office.Look(context.Background(), 1)
		if err != nil {
			b.Fatal(err)
		}
		var moves []string
		for _, o := range enginetest.NewB41(data, 0).Orders(look.Play.Game, look.Position, 400) {
			if strings.HasPrefix(o.Text, "MOVE") && len(moves) < 1 {
				moves = append(moves, o.Text)
			}
		}
		var total, most time.Duration
		rounds := 0
		for b.Loop() {
			n++
			took := t.take(b, s, in, t.sheet(n, "axis", b, append(moves, "AGAIN")...))
			if o := t.last(b); !strings.Contains(o.Subject, "ACCEPTED") || strings.Contains(o.Subject, "NOT") || !bytes.Contains(o.Message, []byte("image/png")) {
				b.Fatalf("%s\n%s", o.Subject, o.Message[:min(len(o.Message), 4000)])
			}
			total, most, rounds = total+took, max(most, took), rounds+1
			n++
			t.take(b, s, in, t.sheet(n, "axis", b, "UNDO"))
		}
		b.ReportMetric(float64(total.Milliseconds())/float64(rounds), "ms/mail")
		b.ReportMetric(float64(most.Milliseconds()), "ms-most")
	})
	b.Run("ten-battles", func(b *testing.B) {
		var total, most time.Duration
		rounds, battles := 0, 0
		for b.Loop() {
			t := sit(b, s, "blitz41")
			in := t.life.inbox(slog.New(slog.DiscardHandler))
			// Turn 2: mobile assaults, and then whatever can still be attacked
			// along the border; what could be asked is said beforehand.
			lines := []string{"PHASE MOVE"}
			for _, x := range [][3]string{{"G20", "56PZ", "G19"}, {"H19", "57PZ", "H18"}, {"M21", "46PZ", "M20"}, {"O21", "3PZ", "O20"}} {
				lines = append(lines, "CONTINUE", "STACK "+x[0]+": "+x[1], "MA "+x[2]+" LOSS STEPS", "DONE")
			}
			lines = append(lines, "PHASE ASSAULT")
			for _, x := range []string{"G19 FROM G20", "H18 FROM H19", "J19 FROM J20", "K20 FROM K21", "M20 FROM M21", "O20 FROM O21", "P21 FROM O22", "Q22 FROM P22"} {
				to, _, _ := strings.Cut(x, " ")
				lines = append(lines, "CONTINUE", "IF "+to+" ENEMY: ATTACK "+x+" LOSS STEPS ADVANCE NONE")
			}
			t.take(b, s, in, t.sheet(1, "soviet", b, "STANDING REPORTS EACH"))
			t.take(b, s, in, t.sheet(2, "axis", b, "END TURN"))
			t.take(b, s, in, t.sheet(3, "soviet", b, "DEFAULT STAND", "END TURN"))
			took := t.take(b, s, in, t.sheet(4, "axis", b, lines...))
			o := t.last(b)
			n := 0 // they are numbered
			for bytes.Contains(o.Message, fmt.Appendf(nil, "\r\n* %d. Axis", n+1)) {
				n++
			}
			if !strings.Contains(o.Subject, "ACCEPTED") || strings.Contains(o.Subject, "NOT") || n < 8 {
				b.Fatalf("%s, %d battles\n%s", o.Subject, n, o.Message[:min(len(o.Message), 6000)])
			}
			battles += n
			total, most, rounds = total+took, max(most, took), rounds+1
			in.Close()
		}
		b.ReportMetric(float64(battles)/float64(rounds), "battles/mail")
		b.ReportMetric(float64(total.Milliseconds())/float64(rounds), "ms/mail")
		b.ReportMetric(float64(most.Milliseconds()), "ms-most")
	})
}

// BenchmarkMemory takes 10,000 mails and says what the process holds after each
// thousand: heap in use after a collection, and the resident part that belongs to
// no file.
func BenchmarkMemory(b *testing.B) {
	for b.Loop() {
		t := &table{life: life{Dir: b.TempDir()}}
		var err error
		if t.db, t.office, err = t.life.office(slog.New(slog.DiscardHandler), store.Options{}); err != nil {
			b.Fatal(err)
		}
		t.found(b, "blitz41")
		to := [2]string{t.reply(b, 1, "axis"), t.reply(b, 1, "soviet")}
		var first float64
		for n := range 10000 {
			raw := standing(n, to[n%2])
			if _, err := t.office.Take(context.Background(), pbem.Ref{UIDValidity: 1, UID: uint32(n + 1), Size: int64(len(raw)), Received: time.Now()}, raw); err != nil {
				b.Fatal(err)
			}
			if n%1000 == 999 {
				heap, rss := held()
				b.Logf("after %5d mails: %5.1f MiB of heap, %5.1f MiB resident", n+1, heap, rss)
				if n == 1999 {
					first = heap
				}
				if n == 9999 {
					b.ReportMetric(heap, "MiB-heap")
					b.ReportMetric(heap-first, "MiB-grown")
					b.ReportMetric(rss, "MiB-resident")
				}
			}
		}
		t.db.Close()
	}
}

// held is what the process holds, in MiB.
func held() (heap, rss float64) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	status, _ := os.ReadFile("/proc/self/status")
	for _, l := range strings.Split(string(status), "\n") {
		if v, ok := strings.CutPrefix(l, "RssAnon:"); ok {
			fmt.Sscan(v, &rss)
		}
	}
	return float64(m.HeapInuse) / (1 << 20), rss / 1024
}
