package pbem_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pbemd/engine"
	"pbemd/engine/dice"
	"pbemd/engine/dice/dicetest"
	"pbemd/engine/dicegame"
	"pbemd/pbem"
	"pbemd/pbem/pbemtest"
)

// table opens a dice table whose two players are invited.
func table(t testing.TB, change func(*pbemtest.World), terms pbem.Terms) *pbemtest.World {
	t.Helper()
	w := pbemtest.NewWorld(t, func(w *pbemtest.World) {
		w.Sides = dicegame.Game{}.Seats()
		w.Config.Caps = pbem.Caps{MailsPerHour: 1 << 30, SentPerHour: 1 << 30}
		if change != nil {
			change(w)
		}
	}, pbem.Games()...)
	w.Found("dice", terms)
	return w
}

// checkTable checks the mails of both players, alone and together.
func checkTable(t testing.TB, w *pbemtest.World) (of map[engine.Side]dice.Report) {
	t.Helper()
	of = map[engine.Side]dice.Report{}
	for _, s := range w.Sides {
		var pile dice.Pile
		for _, l := range w.As(s).Got {
			pile.Add("mail "+l.ID, l.Text)
		}
		reports := dice.Check(pile, dice.Options{})
		if len(reports) != 1 || !reports[0].OK() {
			t.Fatalf("the mails of %s: %v", s, reports)
		}
		of[s] = reports[0]
	}
	one, other := []dice.Report{of[w.Sides[0]]}, []dice.Report{of[w.Sides[1]]}
	if _, faults := dice.Compare(one, other, [2]string{}); len(faults) > 0 {
		t.Errorf("two stories: %v", faults)
	}
	return of
}

// Relays that take their time keep nobody's mail waiting.
func TestSlowRelaysHoldUpNothing(t *testing.T) {
	b := dicetest.NewBeacon(t)
	var w *pbemtest.World
	asked := 0
	w = table(t, func(w2 *pbemtest.World) {
		w2.Config.Drand = &b.Drand
		w2.Config.Beacon = func(_ context.Context, round uint64) ([]byte, error) {
			asked++
			if asked == 1 { // the step that opens the table
				return b.Sign(round), nil
			}
			answered := make(chan struct{})
			go func() {
				defer close(answered)
				says(t, w.As("black").Sheet("STATUS"), "WAITING", "Step 2 is closed and waits for round ")
			}()
			select {
			case <-answered:
			case <-time.After(20 * time.Second):
				t.Error("a mail waits for the relay")
			}
			return b.Sign(round), nil
		}
	}, pbem.Terms{NoJoin: true, Beacon: true})
	w.Wait(11 * time.Minute)
	w.As("white").Sheet("ROLL D6 FOR patience")
	w.Wait(11 * time.Minute)
	if l := w.As("white").Last(); asked != 2 || !strings.Contains(l.Text, "White rolls D6 for PATIENCE") {
		t.Errorf("asked %d times; the last mail is %q\n%s", asked, l.Subject, l.Text)
	}
}

// A whole conversation at a dice table: both join, both roll at any time, a label
// is rolled once, both are told of everything, the table is left, and everything
// can be checked from either player's mails.
func TestDiceTable(t *testing.T) {
	w := table(t, nil, pbem.Terms{})
	white, black := w.As("white"), w.As("black")
	says(t, w.Next("white"), "WAITING", "You are invited to game 1 of the dice table, as White", "JOIN")
	says(t, w.Next("black"), "WAITING", "as Black")
	says(t, white.Sheet("ROLL 2d6 FOR Kiev"), "NOT ACCEPTED")
	says(t, white.Sheet("JOIN", "SALT white words"), "ACCEPTED", "when the Black player has joined")
	says(t, black.Sheet("JOIN"), "ACCEPTED", "the game begins")
	says(t, w.Next("black"), "WAITING", "pbem-record v1 start", "rules: dice 1")
	says(t, w.Next("white"), "WAITING", "The dice table is open", "ROLL 2D6 FOR")

	// A new label: the roll at once, with its proof, to both.
	l := white.Sheet("roll 2d6 for Attack on Kiev")
	says(t, l, "ACCEPTED: dice table", "✓ ROLL 2D6 FOR ATTACK ON KIEV", "White rolls 2D6 for ATTACK ON KIEV: ",
		"[T1/open/roll/ATTACK_ON_KIEV/1]", "pbem-record v1 close", "c: black -", "salt: white white words",
		"roll: T1/open/roll/ATTACK_ON_KIEV/1 6 ", "ATTACK ON KIEV, asked for by White", "order: ROLL 2D6 FOR ATTACK ON KIEV")
	first := between(l.Text, "White rolls 2D6 for ATTACK ON KIEV: ", " [")
	says(t, w.Next("black"), "WAITING", "White rolls 2D6 for ATTACK ON KIEV: "+first, "pbem-record v1 step")

	// The same label again, by the other side, spelled otherwise, with other dice.
	for _, order := range []string{"ROLL 2D6 FOR attack on kiev", "ROLL D20 FOR ATTACK_ON_KIEV", "SHUFFLE 40 FOR Attack  on Kiev"} {
		l = black.Sheet(order)
		says(t, l, "ACCEPTED", "again. It was rolled before, with 2D6 for White, and that stands: "+first, "pbem-record v1 sheet")
		lacks(t, l, "pbem-record v1 close")
		says(t, w.Next("white"), "WAITING", "Black asks", "ATTACK ON KIEV again", "and that stands: "+first)
	}
	says(t, black.Last(), "ACCEPTED", "Black asks for SHUFFLE 40 under the label")
	// The very same sheet twice is no reason to keep it from the other side.
	says(t, black.Sheet("ROLL 2D6 FOR attack on kiev"), "ACCEPTED", "and that stands: "+first)
	says(t, w.Next("white"), "WAITING", "and that stands: "+first)

	// Several at once, one of them twice; a deck.
	l = black.Sheet("ROLL d100 FOR weather/4", "SHUFFLE 5 FOR deck", "ROLL 3d10 FOR WEATHER/4")
	says(t, l, "ACCEPTED", "Black rolls D100 for WEATHER/4: ", "Black shuffles SHUFFLE 5 for DECK: ", "again. It was rolled before, with D100",
		"roll: T1/open/shuffle/DECK/1 shuffle5 ", "roll: T1/open/roll/WEATHER|4/1 100 ")
	if got := strings.Fields(between(l.Text, "Black shuffles SHUFFLE 5 for DECK: ", " [")); len(got) != 5 || !isPermutation(got) {
		t.Errorf("the deck is %v, want the pieces 1 to 5", got)
	}
	says(t, w.Next("white"), "WAITING", "Black rolls D100", "Black shuffles")

	// What can't be read or done rolls nothing.
	for order, why := range map[string]string{
		"ROLL FOR Kiev": "names no dice", "ROLL 2d6": "has no label", "ROLL 2d6+1 FOR x": "adds nothing", "ROLL 0d6 FOR x": "too few",
		"ROLL 2d1 FOR x": "Dice have 2 to 256 sides", "ROLL 101d6 FOR x": "too many", "SHUFFLE 1 FOR x": "A deck has 2", "ROLL 2d6 FOR": "can't be a label",
		"ROLL 2d6 FOR Größe": "without accents", "END PHASE": "means nothing", "IF X: ROLL d6 FOR x": "no conditions", "ROLL 2d300 FOR y": "2 to 256",
	} {
		says(t, white.Sheet(order, "ROLL D6 FOR never"), "NOT ACCEPTED", why)
	}
	w.None("black")
	says(t, white.Sheet("CHECK", "ROLL 2d6 FOR attack on kiev", "ROLL d6 FOR never"), "CHECKED", "ATTACK ON KIEV was rolled before", "NEVER is a new label")
	w.None("black")
	says(t, white.Sheet("UNDO"), "NOT ACCEPTED")

	// Reports, help and luck by mail.
	says(t, white.Sheet("STATUS"), "WAITING", "Labels rolled: 3", "Asked for again: 5", "Luck, by all dice", "White: 1 roll, 2 dice, mean", "Black: 1 roll, 1 die")
	says(t, white.Sheet("REPORT"), "WAITING", "The dice table is open", "White rolls 2D6 for ATTACK ON KIEV", "Black shuffles")
	says(t, white.Sheet("HELP"), "WAITING", "A label is rolled once for ever")
	says(t, white.Sheet("HELP dice"), "WAITING", "PRK  = HMAC-SHA256")
	says(t, white.Sheet("HELP breakfast"), "WAITING", "✗ HELP BREAKFAST", "no help on this")
	says(t, white.Sheet("HELP roll"), "WAITING", "✓ HELP ROLL")
	w.Wait(100 * 24 * time.Hour) // nobody is reminded: it is nobody's turn
	w.None("black")

	// The end.
	l = black.Sheet("LEAVE")
	says(t, l, "WAITING", "To leave the table for good send LEAVE CONFIRM")
	word := between(l.Text, "LEAVE CONFIRM ", ".")
	if word == "" {
		t.Fatalf("no word to confirm:\n%s", l.Text)
	}
	l = black.Sheet("LEAVE CONFIRM " + word)
	says(t, l, "GAME OVER", "Black has left the dice table", "Luck, by all dice", "pbem-record v1 end")
	says(t, w.Next("white"), "GAME OVER", "Black has left the dice table", "Luck, by all dice", "pbem-record v1 end")
	says(t, white.Sheet("ROLL D6 FOR late"), "GAME OVER")
	for s, r := range checkTable(t, w) {
		if r.Steps != 3 || r.Rolls != 3 || !r.Ended || r.Sheets != 5 {
			t.Errorf("%s: %v, %d sheets", s, r, r.Sheets)
		}
	}
	if r, err := w.Office.Replay(context.Background(), w.Game, nil); err != nil || r.Differs != 0 || r.Bursts != 8 {
		t.Errorf("replay: %+v, %v", r, err)
	}
}

func between(text, from, to string) string {
	_, rest, ok := strings.Cut(text, from)
	if !ok {
		return ""
	}
	got, _, _ := strings.Cut(rest, to)
	return got
}

func isPermutation(list []string) bool {
	seen := map[string]bool{}
	for _, v := range list {
		seen[v] = true
	}
	for i := range list {
		if !seen[fmt.Sprint(i+1)] {
			return false
		}
	}
	return true
}

// beaconTable opens a dice table with a fake beacon; missing keeps rounds back.
func beaconTable(t *testing.T, missing *bool) *pbemtest.World {
	b := dicetest.NewBeacon(t)
	w := table(t, func(w *pbemtest.World) {
		w.Config.Drand = &b.Drand
		w.Config.Beacon = func(_ context.Context, round uint64) ([]byte, error) {
			if *missing || b.Time(round).After(w.Now()) {
				return nil, errors.New("not yet")
			}
			return b.Sign(round), nil
		}
	}, pbem.Terms{NoJoin: true, Beacon: true})
	w.Wait(11 * time.Minute)
	return w
}

// The same table under a beacon: the close record goes to both before its round,
// the roll comes with it; a late round is waited for; both may give it up.
func TestDiceTableWithBeacon(t *testing.T) {
	missing := false
	w := beaconTable(t, &missing)
	white, black := w.As("white"), w.As("black")
	says(t, black.Last(), "WAITING", "The dice table is open", "grade: beacon")

	says(t, white.Sheet("ROLL 2D6 FOR A"), "ACCEPTED", "Step 2 is closed", "pbem-record v1 close")
	lacks(t, white.Last(), "rolls 2D6")
	says(t, black.Last(), "WAITING", "Step 2 is closed", "pbem-record v1 close")
	says(t, black.Sheet("ROLL 2D6 FOR B"), "NOT ACCEPTED", "waits for round")
	w.Wait(9 * time.Minute)
	lacks(t, black.Last(), "rolls 2D6")
	w.Wait(2 * time.Minute)
	says(t, white.Last(), "WAITING", "White rolls 2D6 for A", "grade: beacon", "sent: white 20")
	says(t, black.Last(), "WAITING", "White rolls 2D6 for A", "grade: beacon")

	// A round that is late by hours is waited for.
	missing = true
	says(t, black.Sheet("ROLL D10 FOR B"), "ACCEPTED", "Step 3 is closed")
	w.Wait(5 * time.Hour)
	lacks(t, black.Last(), "rolls D10")
	says(t, white.Sheet("GRADE CHAIN"), "NOT ACCEPTED", "24 hours")
	missing = false
	w.Wait(time.Minute)
	says(t, white.Last(), "WAITING", "Black rolls D10 for B", "grade: beacon")

	// One that never comes: both take the step back, and go on without.
	missing = true
	says(t, black.Sheet("ROLL D20 FOR C"), "ACCEPTED", "Step 4 is closed")
	w.Wait(25 * time.Hour)
	says(t, white.Sheet("GRADE CHAIN"), "ACCEPTED", "other side")
	says(t, black.Sheet("GRADE CHAIN"), "ACCEPTED", "Both sides agree")
	says(t, black.Sheet("ROLL D20 FOR D"), "NOT ACCEPTED", "waits for round") // the waiting step keeps waiting
	says(t, white.Sheet("AGREE"), "ACCEPTED")
	says(t, black.Sheet("AGREE"), "ACCEPTED", "is taken back", "what: void")
	says(t, black.Sheet("ROLL D20 FOR C"), "ACCEPTED", "Black rolls D20 for C", "grade: chain")
	says(t, w.Next("white"), "WAITING", "Black rolls D20 for C", "grade: chain")
	for s, r := range checkTable(t, w) {
		if r.Beacon != 3 || r.Chained != 1 {
			t.Errorf("%s: %v", s, r)
		}
	}
}

// The beacon comes back before anybody gives up: the step that waited is played
// with it, though both have said GRADE CHAIN for those to come.
func TestGradeChainLeavesTheWaitingStepItsBeacon(t *testing.T) {
	missing := false
	w := beaconTable(t, &missing)
	white, black := w.As("white"), w.As("black")
	missing = true
	white.Sheet("ROLL D6 FOR A")
	w.Wait(25 * time.Hour)
	says(t, white.Sheet("GRADE CHAIN"), "ACCEPTED")
	says(t, black.Sheet("GRADE CHAIN"), "ACCEPTED", "Both sides agree")
	missing = false
	w.Wait(time.Minute)
	says(t, black.Last(), "WAITING", "White rolls D6 for A", "grade: beacon")
	says(t, black.Sheet("ROLL D6 FOR B"), "ACCEPTED", "Black rolls D6 for B", "grade: chain")
	for s, r := range checkTable(t, w) {
		if r.Beacon != 2 || r.Chained != 1 {
			t.Errorf("%s: %v", s, r)
		}
	}
}

// A signature that is not the beacon's is waited out, not used.
func TestForgedBeaconRollsNothing(t *testing.T) {
	b := dicetest.NewBeacon(t)
	forge := false
	w := table(t, func(w *pbemtest.World) {
		w.Config.Drand = &b.Drand
		w.Config.Beacon = func(_ context.Context, round uint64) ([]byte, error) {
			if b.Time(round).After(w.Now()) {
				return nil, errors.New("not yet")
			}
			if forge {
				return b.Sign(round + 1), nil
			}
			return b.Sign(round), nil
		}
	}, pbem.Terms{NoJoin: true, Beacon: true})
	w.Wait(11 * time.Minute)
	forge = true
	says(t, w.As("white").Sheet("ROLL D6 FOR A"), "ACCEPTED", "Step 2 is closed")
	w.Skip(11 * time.Minute)
	if err := w.Office.Tick(context.Background()); err == nil {
		t.Error("a forged round was taken without a word to the operator")
	}
	w.Flush()
	lacks(t, w.As("white").Last(), "rolls D6")
	forge = false
	w.Wait(time.Minute)
	says(t, w.As("white").Last(), "WAITING", "White rolls D6 for A", "grade: beacon")
	checkTable(t, w)
}

func TestLuckOfAGame(t *testing.T) {
	w := table(t, nil, pbem.Terms{NoJoin: true})
	if _, text, err := w.Office.Luck(context.Background(), w.Game); err != nil || text != nil {
		t.Errorf("before the first die: %v, %v", text, err)
	}
	for i := range 20 {
		says(t, w.As("white").Sheet(fmt.Sprintf("ROLL 2D6 FOR A%d", i)), "ACCEPTED")
	}
	luck, text, err := w.Office.Luck(context.Background(), w.Game)
	if err != nil || len(luck) != 2 || luck[0].Rolls != 20 || luck[0].Dice != 40 || luck[1].Dice != 0 || len(text) != 3 {
		t.Fatalf("%+v, %v, %v", luck, text, err)
	}
	look, _ := w.Office.Look(context.Background(), w.Game)
	sum := 0
	for _, x := range look.Position.(*dicegame.Position).Throws() {
		for _, v := range x.Values {
			sum += v
		}
	}
	if want := float64(sum) / 40; luck[0].Mean != want || luck[0].Expected != 3.5 || luck[0].Low >= 3.5 || luck[0].High <= 3.5 {
		t.Errorf("luck %+v, mean want %v", luck[0], want)
	}
}

// Both agree to close the table; an offer may be refused, and runs out.
func TestDiceTableClosedByAgreement(t *testing.T) {
	w := table(t, nil, pbem.Terms{NoJoin: true})
	white, black := w.As("white"), w.As("black")
	white.Sheet("ROLL D6 FOR A")
	says(t, black.Sheet("ACCEPT CLOSE"), "NOT ACCEPTED", "Nobody has offered to close")
	says(t, white.Sheet("OFFER CLOSE"), "ACCEPTED", "Your offer to close the table")
	says(t, black.Last(), "QUESTION", "White side offers to close the table", "ACCEPT DRAW")
	says(t, black.Sheet("REFUSE"), "ACCEPTED")
	says(t, white.Last(), "WAITING", "Your offer to close the table was refused")
	says(t, white.Sheet("OFFER CLOSE"), "ACCEPTED")
	says(t, black.Sheet("ROLL D6 FOR B"), "ACCEPTED", "Black rolls D6 for B") // an offer stops nobody
	w.Wait(8 * 24 * time.Hour)
	says(t, white.Last(), "WAITING", "has run out")
	says(t, black.Sheet("OFFER CLOSE"), "ACCEPTED")
	says(t, white.Last(), "QUESTION")
	l := white.Sheet("ACCEPT CLOSE")
	says(t, l, "WAITING", "ACCEPT CLOSE CONFIRM")
	says(t, white.Sheet("ACCEPT CLOSE CONFIRM "+between(l.Text, "ACCEPT CLOSE CONFIRM ", ".")), "GAME OVER", "closed by agreement")
	says(t, black.Last(), "GAME OVER", "closed by agreement", "result: The dice table is closed by agreement")
	checkTable(t, w)
	if _, v := verified(t, w); v.Fault != nil || v.Steps != 3 {
		t.Error(v)
	}
}
