package pbem_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pbemd/engine"
	"pbemd/engine/blitz41"
	"pbemd/engine/force"
	"pbemd/engine/hex"
	"pbemd/pbem"
	"pbemd/pbem/pbemtest"
)

// scene is Blitzkrieg '41 begun in the middle: its log opens with the facts that
// make a given position, and goes on as that of any game.
type scene struct {
	*blitz41.Rules
	at   *blitz41.Position
	held map[engine.UnitID]int
}

// Begin implements [engine.Game].
func (s scene) Begin(x *engine.Exec) {
	d, bd := s.Data(), s.Data().Board
	emit := func(f engine.Fact) { x.Emit("B41-3.0.B", f) }
	emit(blitz41.GameBegan{})
	for u := range d.Units {
		if h := s.at.At(u); h != force.Off {
			emit(blitz41.UnitPlaced{Unit: d.Units[u].ID, At: bd.At(h), Steps: s.at.Steps(u), Why: "setup"})
		}
	}
	for u, steps := range s.held {
		emit(blitz41.UnitRemoved{Unit: u, To: blitz41.Held, Why: "available"})
		emit(blitz41.StepsSet{Unit: u, Steps: steps, Why: "flip"})
	}
	now := x.Position().(*blitz41.Position)
	var taken []hex.Coord
	for h := range bd.Len() {
		if s.at.Owner(h) != now.Owner(h) {
			emit(blitz41.HexTaken{At: bd.At(h), By: s.Seats()[s.at.Owner(h)-1]})
			taken = append(taken, bd.At(h))
		}
	}
	emit(blitz41.SourceOpened{At: taken})
	for h := range bd.Len() {
		if here := s.at.In(h); len(here) > 0 && d.Units[here[0]].Side == 1 && bd.Any(h, blitz41.Fort|blitz41.Fortified|blitz41.Stalin) {
			emit(blitz41.FortWrecked{At: bd.At(h)})
		}
	}
	st := s.at.State()
	for _, l := range d.Lines {
		if l.Turn > 0 && l.Turn <= st.Turn {
			emit(blitz41.LineSettled{Line: l.Name, Active: true})
		}
	}
	emit(blitz41.Scored{Points: s.at.VP() - now.VP(), VP: s.at.VP()})
	emit(blitz41.TurnBegan{Turn: st.Turn})
	p, _ := blitz41.ParsePhase(st.Phase)
	emit(blitz41.PhaseBegan{Side: st.Side, Phase: p})
}

// onScene opens a world with a game that begins with a position, which is given
// in the text notation, and whose dice follow from a word.
func onScene(t *testing.T, word, position string) *pbemtest.World {
	t.Helper()
	rules := pbem.Games()[0]
	load := rules.Load
	rules.Load = func(files fs.FS, options json.RawMessage) (pbem.Play, error) {
		play, err := load(files, options)
		if err != nil {
			return play, err
		}
		g := play.Game.(*blitz41.Rules)
		p, err := g.ParseState(position)
		if err != nil {
			return play, err
		}
		s := scene{g, p.(*blitz41.Position), map[engine.UnitID]int{}}
		for _, m := range regexp.MustCompile(`(?m)^held (\w+) (\d)$`).FindAllStringSubmatch(position, -1) {
			s.held[engine.UnitID(m[1])] = int(m[2][0] - '0')
		}
		begun, _, err := engine.Begin(s, engine.Env{})
		if err != nil {
			return play, err
		}
		if want, got := untimed(g.FormatState(p)), untimed(g.FormatState(begun)); want != got {
			return play, fmt.Errorf("the log makes another position:\n%s\nwant\n%s", got, want)
		}
		play.Game = s
		return play, nil
	}
	w := pbemtest.NewWorld(t, uncapped, rules)
	w.Found("blitz41", pbem.Terms{NoJoin: true, Seed: word})
	w.Next("axis")
	w.Next("soviet")
	return w
}

// untimed is a position without the count of its phases.
func untimed(state string) string {
	lines := strings.Split(state, "\n")
	lines[0], _, _ = strings.Cut(lines[0], " serial")
	return strings.Join(slices.DeleteFunc(lines, func(l string) bool { return l == "" }), "\n")
}

// marks are the marks of a receipt, line by line: "2✓ 3✓ 4–".
func marks(l pbemtest.Letter) string {
	var out []string
	for _, m := range regexp.MustCompile(`(?m)^ *(\d+) ([✓✗–…?]) `).FindAllStringSubmatch(l.Text, -1) {
		out = append(out, m[1]+m[2])
	}
	return strings.Join(out, " ")
}

// marked wants the marks of a receipt.
func marked(t *testing.T, l pbemtest.Letter, want string) {
	t.Helper()
	if got := marks(l); got != want {
		t.Errorf("%s: marks are %s, want %s\n%s", l.Subject, got, want, l.Text)
	}
}

// stand wants units where a game has them: "56PZ H15 4, 13G H18 4".
func stand(t *testing.T, w *pbemtest.World, want string) {
	t.Helper()
	look, err := w.Office.Look(context.Background(), w.Game)
	if err != nil {
		t.Fatal(err)
	}
	d := look.Play.Game.(scene).Data()
	p := look.Position.(*blitz41.Position)
	var got []string
	for _, x := range strings.Split(want, ", ") {
		id, _, _ := strings.Cut(x, " ")
		u := d.Unit(engine.UnitID(id))
		if h := p.At(u); h == force.Off {
			got = append(got, id+" off")
		} else {
			got = append(got, fmt.Sprint(id, " ", d.Board.At(h), " ", p.Steps(u)))
		}
	}
	if g := strings.Join(got, ", "); g != want {
		t.Errorf("units: %s, want %s", g, want)
	}
}

// stage is the game's record.
func stage(t *testing.T, w *pbemtest.World) pbem.Looked {
	t.Helper()
	look, err := w.Office.Look(context.Background(), w.Game)
	if err != nil {
		t.Fatal(err)
	}
	return look
}

// dieOf wants the die that a battle tells to be that of the step record in the
// same mail, and gives it.
func dieOf(t *testing.T, l pbemtest.Letter, label string) string {
	t.Helper()
	told := regexp.MustCompile(`assault on \S+(?: and \S+)? at \S+: \[(\d)\]`).FindStringSubmatch(l.Text)
	rolled := regexp.MustCompile(`(?m)^roll: ` + regexp.QuoteMeta(label) + ` 6 (\d) `).FindStringSubmatch(l.Text)
	if told == nil || rolled == nil || told[1] != rolled[1] {
		t.Errorf("%s: the battle tells %v, the record has %v\n%s", l.Subject, told, rolled, l.Text)
		return ""
	}
	return rolled[1]
}

// closed has the Axis give up; then the dice and every event are checked by what
// was mailed and by the transcript.
func closed(t *testing.T, w *pbemtest.World) {
	t.Helper()
	l := w.As("axis").Sheet("RESIGN")
	w.As("axis").Sheet("RESIGN CONFIRM " + between(l.Text, "RESIGN CONFIRM ", "."))
	says(t, w.As("soviet").Last(), "GAME OVER")
	checkProofs(t, w)
	_, v := verified(t, w)
	if v.Fault != nil || !v.Played || v.Dice.Steps < 1 {
		t.Errorf("the transcript: %v; %v", v, v.Dice)
	}
}

// words tries one demo word after another until a game came out as wanted.
func words(t *testing.T, game func(word string) bool) {
	t.Helper()
	for i := range 40 {
		if game(fmt.Sprint("word ", i)) {
			return
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Error("in forty games the dice never fell as wanted")
}

// sheetOf are the lines of a sheet.
func sheetOf(text string) []string { return strings.Split(text, "\n") }

// The movement of the examples, to each of its ends.
func TestExampleMovementByMail(t *testing.T) {
	const start = "turn 2 axis move\nH19 56PZ 4\nH19 41PZ 4\nH19 13G 4\nH17 5A 2\n"
	// reported wants what the other side is told of the first assault, and no more.
	reported := func(t *testing.T, w *pbemtest.World, die string) {
		t.Helper()
		says(t, w.As("axis").Sheet("END TURN"), "ACCEPTED")
		r := w.As("soviet").Last()
		says(t, r, "YOUR TURN", "Axis force with", "on top: H19–H18", "Axis mobile assault on H17 Kaunas at", "LVI Panzer Corps H18 10-8-9",
			"Support of the attacker (Axis, E01): AIR 1, ordered.", "Die "+die+":")
		lacks(t, r, "56PZ 41PZ 13G: H19", "order: ", "read as", "NORTH", "IF WON")
		closed(t, w)
	}
	t.Run("won", func(t *testing.T) {
		words(t, func(word string) bool {
			w := onScene(t, word, start)
			l := w.As("axis").Sheet(sheetOf(moveSheet)...)
			if !strings.Contains(l.Text, "The assault is won.") {
				return false
			}
			says(t, l, "ACCEPTED, still your turn", "56PZ 41PZ 13G: H19–H18.", "5A retreats H17–", "H17 Kaunas is taken by the Axis.",
				"Ordered: MA H17 AIR 1 IF ODDS <= 4-1 LOSS STEPS NOKILL", "Support of the attacker (yours, E01): AIR 1, as the order says.",
				"Steps or retreat (Soviet, D04): YIELD, the game's default.", "Line 8: IF WON: GO G17 G16 read as IF WON: GO G17-G16.")
			marked(t, l, "2✓ 3✓ 4✓ 5✓ 6✓ 7✓ 8✓ 9✓ 10✓ 11– 12– 13– 14✓")
			lacks(t, l, "Orders not carried out")
			stand(t, w, "41PZ G16 4, 56PZ H15 4, 13G H18 4")
			reported(t, w, dieOf(t, l, "T2/axis-move/ma/H17/1"))
			return true
		})
	})
	t.Run("won, and a line overtaken", func(t *testing.T) {
		words(t, func(word string) bool {
			w := onScene(t, word, start+"G16 8A 1")
			l := w.As("axis").Sheet(sheetOf(moveSheet)...)
			if !strings.Contains(l.Text, "The assault is won.") {
				return false
			}
			marked(t, l, "2✓ 3✓ 4✓ 5✓ 6✓ 7✓ 8✗ 9… 10… 11… 12… 13… 14…")
			says(t, l, "ACCEPTED, still your turn", "enemy units hold G16", "(12.4)", "Furthest on this path: G17", "Execution halted there")
			stand(t, w, "41PZ H17 4, 56PZ H17 4, 13G H18 4")
			die := dieOf(t, l, "T2/axis-move/ma/H17/1")
			// The draft, with one hex taken out, is sent back as it came.
			draft := between(l.Text, "edit them and send them again\n", "\n\n")
			if !strings.HasPrefix(draft, "GAME 1 TURN 2 PHASE MOVE\nIF WON: GO G17-G16\n") || !strings.HasSuffix(draft, "\nDONE\nEND") {
				t.Errorf("the draft is\n%s", draft)
			}
			l = w.As("axis").Send(sheetOf(strings.Replace(draft, "-G16", "", 1))...)
			says(t, l, "ACCEPTED, still your turn")
			marked(t, l, "2✓ 3✓ 4✓ 5– 6– 7– 8✓")
			stand(t, w, "41PZ G17 4, 56PZ H15 4, 13G H18 4")
			reported(t, w, die)
			return true
		})
	})
	t.Run("held, again, then as the die has it", func(t *testing.T) {
		seen := map[string]bool{}
		words(t, func(word string) bool {
			w := onScene(t, word, start+"H17 8A 3")
			says(t, w.As("soviet").Sheet("HEX H17 STAND"), "ACCEPTED", "HEX H17 STAND")
			l := w.As("axis").Sheet(sheetOf(moveSheet)...)
			first, second, again := strings.Cut(l.Text, "The defender holds.")
			if !again {
				t.Errorf("%s\n%s", l.Subject, l.Text)
			}
			says(t, l, "ACCEPTED, still your turn")
			end := ""
			switch {
			case strings.Contains(second, "The assault is beaten off."):
				end = "repulsed"
				marked(t, l, "2✓ 3✓ 4✓ 5✓ 6– 7– 8– 9– 10– 11✓ 12– 13✓ 14✓")
			case strings.Contains(l.Text, "Execution halted there"):
				end = "halted"
				marked(t, l, "2✓ 3✓ 4✓ 5✓ 6– 7– 8– 9– 10– 11✗ 12… 13… 14…")
				says(t, l, "ACCEPTED", "56PZ is no panzer corps at full strength", "(14.39.5.B)", "IF HELD: REPEAT MAX 1 ALLOUT 56PZ IF ODDS >= 2-1\nIF HELD: RETURN\nIF REPULSED: STOP\nDONE\nEND")
			default:
				return false
			}
			if end == "repulsed" {
				says(t, l, "ACCEPTED", "Ordered: IF HELD: REPEAT MAX 1 ALLOUT 56PZ IF ODDS >= 2-1")
			}
			asked := strings.Contains(first, "(Soviet, D04)")
			if seen[end] {
				return false
			}
			seen[end] = true
			if asked {
				says(t, l, "Steps or retreat (Soviet, D04): HOLD, by standing orders.")
			}
			lacks(t, l, "HEX H17 STAND")
			says(t, w.As("axis").Sheet("END TURN"), "ACCEPTED")
			if asked {
				says(t, w.As("soviet").Last(), "YOUR TURN", "Steps or retreat (yours, D04): HOLD, by your standing line “HEX H17 STAND”.")
			}
			closed(t, w)
			return len(seen) == 2
		})
	})
	t.Run("held twice, and back", func(t *testing.T) {
		stay := strings.Replace(moveSheet, "REPEAT MAX 1 ALLOUT 56PZ IF ODDS >= 2", "REPEAT MAX 1 LOSS STEPS", 1)
		words(t, func(word string) bool {
			w := onScene(t, word, start+"H17 8A 3")
			says(t, w.As("soviet").Sheet("HEX H17 STAND"), "ACCEPTED")
			l := w.As("axis").Sheet(sheetOf(stay)...)
			if strings.Count(l.Text, "The defender holds.") != 2 {
				return false
			}
			says(t, l, "ACCEPTED, still your turn")
			look := stage(t, w)
			d, p := look.Play.Game.(scene).Data(), look.Position.(*blitz41.Position)
			for _, id := range []engine.UnitID{"56PZ", "41PZ"} {
				if at := d.Board.At(p.At(d.Unit(id))); at != hex.MustParse("H18") {
					t.Errorf("%s is at %v", id, at)
				}
			}
			marked(t, l, "2✓ 3✓ 4✓ 5✓ 6– 7– 8– 9– 10– 11✓ 12✓ 13– 14✓")
			lacks(t, l, "H17 Kaunas is taken by the Axis.", "HEX H17 STAND")
			if n := strings.Count(l.Text, "\nroll: T2/axis-move/ma/H17/"); n != 2 {
				t.Errorf("%d rolls are on record", n)
			}
			says(t, w.As("axis").Sheet("END TURN"), "ACCEPTED")
			says(t, w.As("soviet").Last(), "YOUR TURN", "by your standing line “HEX H17 STAND”.")
			closed(t, w)
			return true
		})
	})
}

// The assaults of the examples: what hangs on the first, and what is asked.
func TestExampleAssaultsByMail(t *testing.T) {
	const east = "turn 8 soviet assault\nvp 34\nheld CAV 1\nK9 13G 4\nK9 26G 4\nK10 1G 1\ncontrol axis J9\nK8 24A 2\nK8 3MC\nL8 1SH\nJ8 30A\nJ8 31A"
	card := []string{"Soviet prepared assault on K9 Vyazma at 1-1", "1st Shock Army L8 11-8-3", "XXVI Army Corps K9 4-5-5", "cavalry raid +3 (14.39.6.C)",
		"Air points of the defender (Axis, D03): AIR DEFEND NEVER, the game's default."}
	t.Run("won", func(t *testing.T) {
		words(t, func(word string) bool {
			w := onScene(t, word, east)
			l := w.As("soviet").Sheet(sheetOf(assaultSheet)...)
			if !strings.Contains(l.Text, "The assault is won.") {
				return false
			}
			// The probe says nothing of an advance, so its owner is asked.
			says(t, l, "QUESTION Q1", append(card, "Support of the attacker (yours, E01): CAV, as the order says.",
				"Support of the attacker (yours, E01): AIR 1, as the order says.", "A  ADVANCE NONE", "B  ADVANCE 31A OCCUPY", "without an answer B is taken")...)
			marked(t, l, "2✓ 4?")
			lacks(t, l, "pbem-record v1 step\ngame: 1\nstep: 2")
			says(t, w.As("axis").Sheet("ANSWER Q1 B"), "NOT ACCEPTED", "waits for an answer of the Soviet side")
			a := w.As("soviet").Sheet("ANSWER Q1 B")
			says(t, a, "ACCEPTED, still your turn", "Your answer to Q1 is taken.", "31A probes J9")
			dieOf(t, pbemtest.Letter{Subject: a.Subject, Text: l.Text + a.Text}, "T8/soviet-assault/pa/K9/1")
			stand(t, w, "31A J9 2, 30A J8 2")
			says(t, w.As("soviet").Sheet("END TURN"), "ACCEPTED")
			r := w.As("axis").Last()
			says(t, r, "YOUR TURN", "Support of the attacker (Soviet, E01): CAV, ordered.")
			closed(t, w)
			return true
		})
	})
	t.Run("not won", func(t *testing.T) {
		words(t, func(word string) bool {
			w := onScene(t, word, east)
			l := w.As("soviet").Sheet(sheetOf(assaultSheet)...)
			if !strings.Contains(l.Text, "The defender holds.") && !strings.Contains(l.Text, "The assault is beaten off.") {
				return false
			}
			says(t, l, "ACCEPTED, still your turn", card...)
			marked(t, l, "2✓ 4–")
			dieOf(t, l, "T8/soviet-assault/pa/K9/1")
			stand(t, w, "31A J8 2")
			says(t, w.As("soviet").Sheet("END TURN"), "ACCEPTED")
			says(t, w.As("axis").Last(), "YOUR TURN", card[:4]...)
			closed(t, w)
			return true
		})
	})
	t.Run("B41-X166/two hexes", func(t *testing.T) {
		w := onScene(t, "word", "turn 3 axis assault\nJ15 8A 2\nJ16 9A 2\nK15 1G 4\nK16 56PZ\nK16 57PZ\nR20 47PZ")
		before := stage(t, w).Game
		l := w.As("axis").Sheet(sheetOf(strings.Replace(twoSheet, "K16", "K15", 1))...)
		says(t, l, "NOT ACCEPTED, still your turn", "Nothing was executed: 1 line can't be carried out.", "K15 and J16 are not adjacent", "(14.33.B)")
		marked(t, l, "2✗ 3?")
		if after := stage(t, w).Game; after.Seq != before.Seq || after.Step != before.Step {
			t.Errorf("step %d, event %d; were %d, %d", after.Step, after.Seq, before.Step, before.Seq)
		}
		l = w.As("axis").Sheet(append([]string{"CHECK"}, sheetOf(twoSheet)...)...)
		says(t, l, "CHECKED", "Nothing was executed: this is what the sheet would do.")
		lacks(t, l, "Die ")
		stand(t, w, "47PZ R20 4")
		l = w.As("axis").Sheet(sheetOf(twoSheet)...)
		says(t, l, "ACCEPTED, still your turn", "Axis prepared assault on J15 and J16 at 2-1", "8th Army J15", "9th Army J16", "47PZ probes R19: nobody is there.",
			"Support of the attacker (yours, E01): AIR 2, as the order says.")
		lacks(t, l, "All-out assault") // the odds are below those named
		marked(t, l, "2✓ 3✓")
		dieOf(t, l, "T3/axis-assault/pa/J15+J16/1")
		stand(t, w, "47PZ R16 4")
		says(t, w.As("axis").Sheet("END TURN"), "ACCEPTED")
		says(t, w.As("soviet").Last(), "YOUR TURN", "Axis prepared assault on J15 and J16 at 2-1", "47PZ probes R19")
		closed(t, w)
	})
}

// twoSheet is an assault on two hexes at once, and a probe.
const twoSheet = `ATTACK J15+J16 FROM K16: 56PZ 57PZ AIR 2 ALLOUT 56PZ IF ODDS >= 3 ADVANCE MECH TOWARD J12 MAX 4
PROBE R19 FROM R20: 47PZ ADVANCE 47PZ R19 R18 R17 R16`

// The standing orders of the examples, and what they decide.
func TestExampleStandingOrdersByMail(t *testing.T) {
	const start = "turn 3 axis assault\nvp 10\nR15 9A 2\nR16 56PZ 4\nR16 57PZ 4\nR16 47PZ 4\nQ16 46PZ 4\nQ16 39PZ 4\nQ16 24PZ 4\nJ12 13G 4\nJ12 26G 4\n"
	w := onScene(t, "word", start)
	soviet, axis := w.As("soviet"), w.As("axis")
	// One line of theirs is of an enemy unit: nothing of the sheet is kept.
	l := soviet.Sheet(sheetOf(standingSheet)...)
	says(t, l, "NOT ACCEPTED", "13G is an enemy unit.")
	marked(t, l, "2– 3✓ 4✓ 5✓ 6✓ 7✓ 8✓ 9✓ 10✓ 11✓ 12✓ 13✓ 14✓ 15✓ 16✓ 17✓ 18✗")
	says(t, soviet.Sheet("STANDING SHOW"), "WAITING", "You have no standing orders.")
	lines := sheetOf(standingSheet)
	l = soviet.Sheet(lines[:len(lines)-1]...)
	says(t, l, "ACCEPTED", "15 standing orders kept.", "Line 4: HEX LENINGRAD MOSCOW HOLD read as HEX B9 K5 HOLD.")
	marked(t, l, "2✓ 3✓ 4✓ 5✓ 6✓ 7✓ 8✓ 9✓ 10✓ 11✓ 12✓ 13✓ 14✓ 15✓ 16✓ 17✓")
	show := soviet.Sheet("STANDING SHOW")
	for _, x := range lines[1 : len(lines)-1] {
		says(t, show, "WAITING", strings.Replace(x, "LENINGRAD MOSCOW", "B9 K5", 1))
	}
	l = axis.Sheet(lines...)
	says(t, l, "ACCEPTED, still your turn", "16 standing orders kept.")
	marked(t, l, "2✓ 3✓ 4✓ 5✓ 6✓ 7✓ 8✓ 9✓ 10✓ 11✓ 12✓ 13✓ 14✓ 15✓ 16✓ 17✓ 18✓")
	w.None("soviet")

	// The line of the hex goes before that of the default.
	words(t, func(word string) bool {
		w := onScene(t, word, start)
		says(t, w.As("soviet").Sheet(lines[:len(lines)-1]...), "ACCEPTED")
		l := w.As("axis").Sheet("ATTACK R15 FROM R16 AND Q16 LOSS STEPS ADVANCE NONE")
		if !strings.Contains(l.Text, "(Soviet, D04)") {
			return false
		}
		says(t, l, "ACCEPTED", "Steps or retreat (Soviet, D04): ", "by standing orders.")
		lacks(t, l, "STAND UNTIL", "DEFAULT YIELD")
		dieOf(t, l, "T3/axis-assault/pa/R15/1")
		says(t, w.As("axis").Sheet("END TURN"), "ACCEPTED")
		says(t, w.As("soviet").Last(), "YOUR TURN", "by your standing line “HEX R15 STAND UNTIL T5”.")
		closed(t, w)
		return true
	})
}

// standingSheet are the standing orders of the examples.
const standingSheet = `PHASE STANDING
DEFAULT YIELD UNLESS RETREAT OOS
HEX LENINGRAD MOSCOW HOLD
HEX R15 STAND UNTIL T5
AREA J7-N6 HOLD 1
UNIT 56PZ SPARE 56PZ
DEFAULT SPARE PANZERS
DEFAULT NOKILL
DEFAULT RETREAT SUPPLY TOWN PREFER SOUTH
DEFAULT AIR DEFEND MATCH MAX 2 AT VP
DEFAULT AIR RESERVE 3
DEFAULT AIRSUPPLY AUTO PRIORITY J12 K11 WHEN OOS
DEFAULT AIRSUPPLY RESERVE 2
DEFAULT HEDGEHOG J12 IF ATTACKED IF STEPS >= 3
DEFAULT COUNTERADVANCE IF VP LEAVE 1
DEFAULT MSU FALLBACK EAST
HEX J12 TOP 13G`

// moveSheet is a stack that splits, assaults and goes on as the die has it.
const moveSheet = `STACK H19: 56PZ 41PZ 13G
  GO H18                                    # all three
  LEAVE 13G                                 # leg corps stops here
  MA H17 AIR 1 IF ODDS <= 4 LOSS STEPS NOKILL
  IF WON: SPLIT 41PZ AS NORTH
  IF WON: WITH NORTH
  IF WON: GO G17 G16                        # 41PZ alone
  IF WON: WITH REST
  IF WON: GO H16 H15
  IF HELD: REPEAT MAX 1 ALLOUT 56PZ IF ODDS >= 2
  IF HELD: RETURN                           # back in H18, free
  IF REPULSED: STOP
DONE`

// assaultSheet is an assault from three hexes and what hangs on it.
const assaultSheet = `ATTACK K9 FROM K8: 24A 3MC AND L8: 1SH AND J8: 30A AIR 1 CAV, 
       LOSS STEPS IF WON ELSE RETREAT ADVANCE 3MC K9 K10 / 1SH OCCUPY
IF BATTLE K9 WON: PROBE J9 FROM J8: 31A   # not 30A, it has made its PA`

// The edge cases of the rules that only mails can make.
func TestEdgeCasesByMail(t *testing.T) {
	const held = "turn 2 axis move\nH18 56PZ 4\nH18 41PZ 4\nH19 13G 4\nG20 46PZ 4\nG20 42G 4\nH17 5A 2\nH17 8A 3"
	// count is what an answer may change: steps, events and mails.
	type count struct{ steps, events, mails int }
	now := func(t *testing.T, w *pbemtest.World) count {
		g := stage(t, w).Game
		return count{g.Step, g.Seq, w.Post.Count()}
	}
	report := regexp.MustCompile(`This is report (\d+)\.`)

	t.Run("B41-X182/the same mail, the same orders, AGAIN", func(t *testing.T) {
		w := onScene(t, "word", held)
		axis := w.As("axis")
		says(t, w.As("soviet").Sheet("HEX H17 HOLD"), "ACCEPTED")
		says(t, axis.Sheet("STACK H18: 56PZ 41PZ"), "ACCEPTED")
		raw := axis.Mail("GAME 1", "MA H17 LOSS STEPS", "END")
		put(w, raw)
		first := axis.Last()
		says(t, first, "ACCEPTED, still your turn", "Axis mobile assault on H17")
		die := dieOf(t, first, "T2/axis-move/ma/H17/1")
		// The same mail twice: silence.
		was := now(t, w)
		put(w, raw)
		w.Wait(time.Minute)
		put(w, raw)
		if is := now(t, w); is != was {
			t.Errorf("the same mail made %+v of %+v", is, was)
		}
		// A new mail with the same orders: an answer, no die.
		l := axis.Sheet("ma h17 loss  steps")
		says(t, l, "YOUR TURN", "These orders were executed already", "see report "+report.FindStringSubmatch(first.Text)[1]+".", "add the line AGAIN")
		lacks(t, l, "Die ", "pbem-record v1 close")
		marked(t, l, "2–")
		if is := now(t, w); is.steps != was.steps || is.events != was.events || is.mails != was.mails+1 {
			t.Errorf("the same orders made %+v of %+v", is, was)
		}
		// The report that is named has the die.
		says(t, axis.Sheet("REPORT 2 MOVE"), "YOUR TURN", "Mobile assault on H17 at 1-1: ["+die+"]")
		was = now(t, w)
		l = axis.Sheet("MA H17 LOSS STEPS", "AGAIN")
		says(t, l, "ACCEPTED, still your turn", "Axis mobile assault on H17")
		dieOf(t, l, "T2/axis-move/ma/H17/2")
		if is := now(t, w); is.steps != was.steps+1 {
			t.Errorf("AGAIN made %+v of %+v", is, was)
		}
		closed(t, w)
	})

	t.Run("B41-X183/quoted orders and a sheet without END", func(t *testing.T) {
		w := onScene(t, "word", held)
		axis := w.As("axis")
		l := axis.Send("My orders.", "", "GAME 1", "MOVE 13G FROM H19 G19", "END", "", "On Saturday the Game Master wrote:",
			"> GAME 1 TURN 2 PHASE MOVE", "> MOVE 46PZ FROM G20 F19", "> PHASE ASSAULT", "> END")
		says(t, l, "ACCEPTED, still your turn", "✓ MOVE 13G FROM H19 G19")
		stand(t, w, "13G G19 4, 46PZ G20 4")
		was := now(t, w)
		l = axis.Send("GAME 1", "MOVE 46PZ FROM G20 F19", "PHASE ASSAULT")
		says(t, l, "NOT ACCEPTED", "END")
		l = axis.Send("Yes, do that:", "> GAME 1 TURN 2 PHASE MOVE", "> MOVE 46PZ FROM G20 F19", "> END")
		says(t, l, "NOT ACCEPTED", "Lines found in quoted text only")
		stand(t, w, "13G G19 4, 46PZ G20 4")
		if is := now(t, w); is.steps != was.steps || is.events != was.events {
			t.Errorf("%+v became %+v", was, is)
		}
		w.None("soviet")
	})

	const three = "turn 3 axis assault\nvp 20\nG17 46PZ 4\nG17 47PZ 4\nG17 39PZ 4\nG16 8A 1\nH18 56PZ 4\nH18 57PZ 4\nH18 24PZ 4\nH17 9A 2\nK16 41PZ 4\nK16 3PZ 4\nK16 14PZ 4\nJ16 10A 2"
	t.Run("B41-X187/standing orders changed under a sheet", func(t *testing.T) {
		words(t, func(word string) bool {
			w := onScene(t, word, three)
			axis, soviet := w.As("axis"), w.As("soviet")
			says(t, soviet.Sheet("DEFAULT HOLD"), "ACCEPTED")
			// The first assault empties its hex and asks its owner who goes in.
			says(t, axis.Sheet("ATTACK G16 FROM G17", "ATTACK H17 FROM H18 LOSS STEPS ADVANCE NONE"), "QUESTION Q1")
			says(t, soviet.Sheet("STANDING CLEAR", "DEFAULT YIELD"), "ACCEPTED", "A step is under way with the standing orders as they were")
			l := axis.Sheet("ANSWER Q1 A")
			second := axis.Sheet("ATTACK J16 FROM K16 LOSS STEPS ADVANCE NONE")
			if !strings.Contains(l.Text, "(Soviet, D04)") || !strings.Contains(second.Text, "(Soviet, D04)") {
				return false
			}
			says(t, l, "ACCEPTED", "Steps or retreat (Soviet, D04): HOLD, by standing orders.")
			says(t, second, "ACCEPTED", "Steps or retreat (Soviet, D04): YIELD, by standing orders.")
			axis.Sheet("END TURN")
			all := ""
			for _, g := range soviet.Got {
				all += g.Text
			}
			a := strings.Index(all, "HOLD, by your standing line “DEFAULT HOLD”")
			b := strings.Index(all, "YIELD, by your standing line “DEFAULT YIELD”")
			if a < 0 || b < a {
				t.Errorf("the lines that decided are told at %d and %d:\n%s", a, b, all)
			}
			closed(t, w)
			return true
		})
	})

	t.Run("B41-X188/UNDO after a roll, and after a disclosure without one", func(t *testing.T) {
		for name, order := range map[string]string{
			"a roll": "ATTACK H17 FROM H18 LOSS STEPS ADVANCE NONE", "8-1 without a roll": "ATTACK G16 FROM G17 ADVANCE NONE",
		} {
			w := onScene(t, "word", three)
			l := w.As("axis").Sheet(order)
			says(t, l, "ACCEPTED, still your turn")
			if rolled := strings.Contains(l.Text, "\nroll: "); rolled != (name == "a roll") {
				t.Errorf("%s: rolled %v\n%s", name, rolled, l.Text)
			}
			w.Wait(25 * time.Hour)
			was := now(t, w)
			l = w.As("axis").Sheet("UNDO")
			says(t, l, "NOT ACCEPTED, still your turn", "Dice were thrown or hidden units seen since; no die is ever taken back.")
			if is := now(t, w); is.events != was.events || is.steps != was.steps || is.mails != was.mails+1 {
				t.Errorf("%s: UNDO made %+v of %+v", name, is, was)
			}
			says(t, w.As("soviet").Sheet("AGREE"), "NOT ACCEPTED", "Nothing is asked of you")
			closed(t, w)
		}
		// A probe of a hex that both know to be empty shows nothing.
		w := onScene(t, "word", "turn 3 axis assault\nvp 20\nH17 24PZ 4")
		says(t, w.As("axis").Sheet("PROBE H16 FROM H17: 24PZ ADVANCE ALL OCCUPY"), "ACCEPTED", "24PZ probes H16")
		stand(t, w, "24PZ H16 4")
		says(t, w.As("axis").Sheet("UNDO"), "ACCEPTED", "You have taken back your last orders: ")
		stand(t, w, "24PZ H17 4")
	})

	t.Run("B41-X102/UNDO of another stack", func(t *testing.T) {
		w := onScene(t, "word", held)
		axis := w.As("axis")
		says(t, axis.Sheet("MOVE 56PZ FROM H18 G18"), "ACCEPTED")
		says(t, axis.Sheet("MOVE 46PZ FROM G20 G19"), "ACCEPTED")
		l := axis.Sheet("MOVE 41PZ FROM H18 G18")
		says(t, l, "NOT ACCEPTED", "(12.8)")
		marked(t, l, "2✗")
		was := now(t, w)
		says(t, axis.Sheet("UNDO"), "ACCEPTED, still your turn", "You have taken back your last orders: ")
		stand(t, w, "56PZ H18 4, 41PZ H18 4, 46PZ G20 4")
		w.None("soviet")
		if is := now(t, w); is.mails != was.mails+1 || is.steps != was.steps {
			t.Errorf("UNDO made %+v of %+v", is, was)
		}
		says(t, axis.Sheet("UNDO"), "NOT ACCEPTED", "You have no orders that could be taken back.")
		// What was taken back is not "executed already".
		says(t, axis.Sheet("MOVE 56PZ FROM H18 G18"), "ACCEPTED", "✓ MOVE 56PZ")
		says(t, axis.Sheet("MOVE 41PZ FROM H18 G18"), "ACCEPTED", "✓ MOVE 41PZ")
		says(t, axis.Sheet("UNDO", "MOVE 41PZ FROM H18 G18", "STACK G20: 46PZ", "GO G19 G18"), "ACCEPTED", "You have taken back your last orders: ", "✓ MOVE 41PZ")
		stand(t, w, "56PZ H18 4, 41PZ G18 4, 46PZ G18 4")
		says(t, axis.Sheet("MA H17 LOSS STEPS"), "ACCEPTED", "Axis mobile assault on H17")
		says(t, axis.Sheet("UNDO"), "NOT ACCEPTED", "no die is ever taken back")
		says(t, axis.Sheet("MOVE 56PZ FROM H18 H19"), "NOT ACCEPTED", "(12.8)")
		closed(t, w)
	})

	t.Run("B41-X102/UNDO past a closed phase", func(t *testing.T) {
		for _, answer := range []string{"AGREE", "REFUSE", "", "a roll"} {
			w := onScene(t, "word", held)
			axis, soviet := w.As("axis"), w.As("soviet")
			says(t, axis.Sheet("MOVE 56PZ FROM H18 G18", "PHASE ASSAULT"), "ACCEPTED")
			says(t, axis.Sheet("UNDO"), "ACCEPTED", "The phase is closed, so the other side is asked to agree.")
			says(t, soviet.Last(), "QUESTION", "The Axis side asks to take back its last orders", "Send AGREE or REFUSE")
			stand(t, w, "56PZ G18 4")
			taken := false
			switch answer {
			case "AGREE":
				says(t, soviet.Sheet("AGREE"), "ACCEPTED: Axis movement", "The other side's last orders are taken back.")
				taken = true
				says(t, axis.Last(), "YOUR TURN", "The other side has agreed: your last orders are taken back: ")
			case "REFUSE":
				soviet.Sheet("REFUSE")
				says(t, axis.Last(), "WAITING", "Your request to take orders back was refused.")
			case "":
				w.Wait(71 * time.Hour)
				w.Wait(2 * time.Hour)
				says(t, axis.Last(), "WAITING", "Your request to take orders back got no answer; nothing is taken back.")
			default: // the roll comes before the answer
				says(t, axis.Sheet("ATTACK H17 FROM H18 LOSS STEPS ADVANCE NONE"), "ACCEPTED")
				says(t, soviet.Sheet("AGREE"), "NOT ACCEPTED", "Nothing is asked of you that could be agreed to.")
			}
			if g := stage(t, w).Game; (g.State.Phase == "move") != taken || g.Plea != nil {
				t.Errorf("%q: phase %s, plea %v", answer, g.State.Phase, g.Plea)
			}
			if taken {
				stand(t, w, "56PZ H18 4")
				says(t, axis.Sheet("MOVE 56PZ FROM H18 G18"), "ACCEPTED")
			} else {
				says(t, soviet.Sheet("AGREE"), "NOT ACCEPTED")
			}
			closed(t, w)
		}
	})

	t.Run("B41-X220/asked, and the deadline", func(t *testing.T) {
		words(t, func(word string) bool {
			for _, ask := range []bool{false, true} {
				w := onScene(t, word, three)
				axis, soviet := w.As("axis"), w.As("soviet")
				if ask {
					says(t, soviet.Sheet("STANDING ASK D04"), "ACCEPTED", "D04")
				}
				l := axis.Sheet("ATTACK H17 FROM H18 LOSS STEPS ADVANCE NONE")
				if !ask {
					if !strings.Contains(l.Text, "(Soviet, D04)") {
						return false
					}
					says(t, l, "ACCEPTED", "Steps or retreat (Soviet, D04): ", ", the game's default.")
					continue
				}
				says(t, l, "ACCEPTED", "A decision of the Soviet side is awaited", "proof follow")
				q := soviet.Last()
				says(t, q, "QUESTION Q1", "Answer until", "9th Army H17", "Die ")
				was := now(t, w)
				says(t, axis.Sheet("ATTACK J16 FROM K16 LOSS STEPS ADVANCE NONE"), "NOT ACCEPTED", "waits for an answer of the Soviet side")
				w.Wait(37 * time.Hour)
				says(t, soviet.Last(), "QUESTION", "Question Q1 still waits for your answer.")
				w.Wait(34 * time.Hour)
				if is := now(t, w); is.events != was.events {
					t.Errorf("before the deadline %+v became %+v", was, is)
				}
				// The deadline waits until the mailbox was looked into: an answer may lie there.
				w.Wait(2 * time.Hour)
				w.Drain()
				w.Wait(time.Minute)
				says(t, axis.Last(), "YOUR TURN", "The Soviet side did not answer in time; the default was taken.", "Steps or retreat (Soviet, D04): ", "no answer came in time, so the default.")
				w.Wait(24 * time.Hour)
				says(t, soviet.Last(), "WAITING", "The time to answer Q1 is over; the default was taken: ")
				if g := stage(t, w).Game; g.Pending != nil {
					t.Errorf("still pending: %+v", g.Pending)
				}
				says(t, soviet.Sheet("ANSWER Q1 A"), "NOT ACCEPTED", "No question is open.")
				closed(t, w)
			}
			return true
		})
	})
}
