package pbem_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pbemd/engine"
	"pbemd/engine/blitz41"
	"pbemd/engine/enginetest"
	"pbemd/pbem"
	"pbemd/pbem/pbemtest"
	"pbemd/pbem/report"
)

// busy is an office on disk that nobody's cap slows down, with the real reports.
func busy(b *testing.B, w *pbemtest.World) {
	writer, err := report.New()
	if err != nil {
		b.Fatal(err)
	}
	w.Config.Reporter = writer
	w.Config.Caps = pbem.Caps{MailsPerHour: 1 << 30, SentPerHour: 1 << 30}
	onDiskB(b, w)
}

// someMove takes a game to the Axis Movement Phase of turn 2 and finds a move.
func someMove(b *testing.B, w *pbemtest.World) string {
	for _, s := range []struct {
		side  engine.Side
		lines []string
	}{{"axis", []string{"END TURN"}}, {"soviet", []string{"END TURN"}}, {"axis", []string{"PHASE NEWUNITS", "PHASE MOVE"}}} {
		if l := w.As(s.side).Sheet(s.lines...); !strings.Contains(l.Subject, "ACCEPTED") || strings.Contains(l.Subject, "NOT") {
			b.Fatalf("%s: %s", l.Subject, l.Text)
		}
	}
	look, err := w.Office.Look(context.Background(), w.Game)
	if err != nil {
		b.Fatal(err)
	}
	data, err := blitz41.Load(blitz41.DataFiles())
	if err != nil {
		b.Fatal(err)
	}
	for _, o := range enginetest.NewB41(data, 0).Orders(look.Play.Game, look.Position, 50) {
		if strings.HasPrefix(o.Text, "MOVE") {
			return o.Text
		}
	}
	b.Fatal("no move was found")
	return ""
}

// BenchmarkMail is one mail from its bytes to the committed outbox, on disk,
// with text, HTML and what picture belongs to it.
func BenchmarkMail(b *testing.B) {
	for _, c := range []struct {
		name  string
		lines [2][]string // taken in turns; MOVE stands for some move
		want  string
	}{
		{"moves-only-with-map", [2][]string{{"MOVE"}, {"UNDO"}}, "ACCEPTED"},
		{"standing", [2][]string{{"PHASE STANDING", "DEFAULT YIELD"}, {"PHASE STANDING", "DEFAULT STAND"}}, "ACCEPTED"},
		{"status", [2][]string{{"STATUS"}, {"STATUS"}}, "YOUR TURN"},
		{"check", [2][]string{{"CHECK", "MOVE"}, {"CHECK", "MOVE"}}, "CHECKED"},
	} {
		b.Run(c.name, func(b *testing.B) {
			w := pbemtest.NewWorld(b, func(w *pbemtest.World) { busy(b, w) }, pbem.Games()...)
			w.Found("blitz41", pbem.Terms{NoJoin: true})
			move := someMove(b, w)
			axis := w.As("axis")
			ctx := context.Background()
			n, pictures := 0, 0
			for b.Loop() {
				b.StopTimer()
				lines := []string{"GAME 1"}
				for _, l := range c.lines[n%2] {
					if l == "MOVE" {
						l = move
					}
					lines = append(lines, l)
				}
				raw := axis.Mail(append(lines, "END")...)
				ref := w.Box.Put(raw, w.Now())
				n++
				b.StartTimer()
				if _, err := w.Office.Take(ctx, ref, raw); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				if err := w.Box.File(ctx, ref, pbem.Processed); err != nil {
					b.Fatal(err)
				}
				w.Flush()
				l := axis.Last()
				if !strings.HasPrefix(l.Subject, "[1] "+c.want) {
					b.Fatalf("%s\n%s", l.Subject, l.Text)
				}
				for name := range l.Files {
					if strings.HasSuffix(name, ".png") {
						pictures++
					}
				}
				b.StartTimer()
			}
			b.ReportMetric(float64(pictures)/float64(n), "maps/op")
			b.ReportMetric(float64(len(axis.Last().Raw)), "octets")
		})
	}
}

// BenchmarkMailAmongGames is the same mail among so many games in the store.
func BenchmarkMailAmongGames(b *testing.B) {
	for _, games := range []int{10, 100, 1000, 10000} {
		b.Run(fmt.Sprint(games), func(b *testing.B) {
			w := pbemtest.NewWorld(b, func(w *pbemtest.World) { busy(b, w) }, pbemtest.ToyRules())
			ctx := context.Background()
			w.Found("toy", pbem.Terms{NoJoin: true})
			axis := w.As("axis")
			g, err := w.Archive.Game(1)
			if err != nil {
				b.Fatal(err)
			}
			for id := 2; id <= games; { // copies of the game, many in one commit
				var c pbem.Change
				for ; id <= games && len(c.Games) < 500; id++ {
					x := g
					x.ID, x.Rev = pbem.GameID(id), 1
					x.Seats = append([]pbem.Seat{}, g.Seats...)
					for i := range x.Seats {
						x.Seats[i].Address = fmt.Sprintf("p%d.%d@many.example", id, i)
					}
					c.Games = append(c.Games, x)
				}
				if err := w.Archive.Commit(c); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				b.StopTimer()
				raw := axis.Mail("GAME 1", "PHASE STANDING", "DEFAULT STAND", "END")
				ref := w.Box.Put(raw, w.Now())
				b.StartTimer()
				if _, err := w.Office.Take(ctx, ref, raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
