package pbem_test

import (
	"context"
	"strings"
	"testing"

	"pbemd/engine"
	"pbemd/pbem"
	"pbemd/pbem/pbemtest"
)

// blitz opens a world with a game of Blitzkrieg '41 that has begun.
func blitz(t testing.TB, change func(*pbemtest.World)) *pbemtest.World {
	t.Helper()
	w := pbemtest.NewWorld(t, change, pbem.Games()...)
	w.Found("blitz41", pbem.Terms{NoJoin: true})
	w.Next("axis")
	w.Next("soviet")
	return w
}

func TestBlitzkriegTurnOneAndTwo(t *testing.T) {
	w := blitz(t, nil)
	axis := w.As("axis")
	t.Log(axis.Last().Text[:min(3000, len(axis.Last().Text))])
	l := axis.Sheet("END TURN")
	says(t, l, "ACCEPTED")
	for range 3 {
		for _, s := range []engine.Side{"soviet", "axis"} {
			l := w.As(s).Sheet("END TURN")
			says(t, l, "ACCEPTED")
			if t.Failed() {
				t.FailNow()
			}
		}
	}
	checkProofs(t, w)
}

// TestBlitzkriegHidesWhatIsHidden compares what both sides are mailed.
func TestBlitzkriegAddressesStayHidden(t *testing.T) {
	w := blitz(t, nil)
	w.As("axis").Sheet("END TURN")
	for _, s := range w.Post.All {
		for _, other := range []engine.Side{"axis", "soviet"} {
			if a := w.As(other).Address; a != s.To && strings.Contains(string(s.Message), a) {
				t.Errorf("a mail to %s holds the address of %s", s.To, other)
			}
		}
	}
}

// BenchmarkMovesOnlyMail is a mail without dice from its bytes to the committed
// outbox, plain text, on disk.
func BenchmarkMovesOnlyMail(b *testing.B) {
	w := pbemtest.NewWorld(b, func(w *pbemtest.World) {
		w.Config.Caps = pbem.Caps{MailsPerHour: 1 << 30, SentPerHour: 1 << 30}
		onDiskB(b, w)
	}, pbem.Games()...)
	w.Found("blitz41", pbem.Terms{NoJoin: true})
	axis := w.As("axis")
	ctx := context.Background()
	for b.Loop() {
		raw := axis.Mail("GAME 1", "STANDING REPORTS TURN", "STATUS", "END")
		w.Box.Put(raw, w.Now())
		if err := w.Office.Drain(ctx, w.Box); err != nil {
			b.Fatal(err)
		}
	}
}
