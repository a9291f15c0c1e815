package dice_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pbemd/engine/dice"
	"pbemd/engine/dice/dicetest"
)

// Records of dicetest.Short by their place.
const (
	start = iota
	close1
	step1
	sheet2
	close2
	step2
	close3
	step3
	end
)

// alter changes the body of record i of a genuine game and signs it and all
// that follow anew, as only the server could.
func alter[B dice.Body](i int, change func(*B)) func(*dicetest.Table) {
	return func(x *dicetest.Table) {
		x.Resign(i, func(b dice.Body) dice.Body {
			c := b.(B)
			change(&c)
			return c
		})
	}
}

// digestAgain lets D of a close record follow from what stands beside it.
func digestAgain(c *dice.Close) { c.D = dice.StepDigest(c.Seats) }

// sibling signs a second record in the place of record i, beside it.
func sibling[B dice.Body](i int, change func(*B)) func(*dicetest.Table) {
	return func(x *dicetest.Table) {
		b := x.Records[i].Body.(B)
		change(&b)
		x.Records = append(x.Records, dice.Sign(b, dice.Demo, x.Records[i].Prev, dicetest.ServerKey))
	}
}

// insert signs a record behind record i and lets the rest follow it.
func insert(i int, body func(*dicetest.Table) dice.Body) func(*dicetest.Table) {
	return func(x *dicetest.Table) {
		r := dice.Sign(body(x), dice.Demo, x.Records[i].Hash(), dicetest.ServerKey)
		x.Records = slices.Insert(slices.Clone(x.Records), i+1, r)
		if i+2 < len(x.Records) {
			x.Resign(i+2, nil)
		}
	}
}

func remove(list ...int) func(*dicetest.Table) {
	return func(x *dicetest.Table) {
		slices.Reverse(list)
		x.Records = slices.Clone(x.Records)
		for _, i := range list {
			x.Records = slices.Delete(x.Records, i, i+1)
		}
	}
}

// cheat is something that a server can do which signs whatever it likes.
type cheat struct {
	threat string
	beacon bool
	do     func(*dicetest.Table)
	kind   dice.FaultKind
	record int // counted from 1, 0 if it has no place
}

func serverCheats(t *testing.T) []cheat {
	otherDie := func(s *dice.Step) {
		v := slices.Clone(s.Rolls[0].Values)
		v[0] = v[0]%6 + 1
		s.Rolls = slices.Clone(s.Rolls)
		s.Rolls[0].Values = v
	}
	return []cheat{
		{"a changed die", false, alter(step2, otherDie), dice.FaultDice, step2 + 1},
		{"a changed die under a beacon", true, alter(step2, otherDie), dice.FaultDice, step2 + 1},
		{"a die too many", false, alter(step2, func(s *dice.Step) {
			s.Rolls = slices.Clone(s.Rolls)
			s.Rolls[0].Values = append(slices.Clone(s.Rolls[0].Values), 7)
		}), dice.FaultDice, step2 + 1},
		{"other sides for the same values", false, alter(step2, func(s *dice.Step) {
			s.Rolls = slices.Clone(s.Rolls)
			s.Rolls[0].Sides = 10
		}), dice.FaultDice, step2 + 1},
		{"the first throw dropped until the second was lucky", false, alter(step2, func(s *dice.Step) { s.Rolls = s.Rolls[1:] }), dice.FaultLabel, step2 + 1},
		{"the same label rolled again", false, alter(step2, func(s *dice.Step) { s.Rolls = append(slices.Clone(s.Rolls), s.Rolls[0]) }), dice.FaultLabel, step2 + 1},
		{"a label of four parts", false, alter(step2, func(s *dice.Step) {
			s.Rolls = slices.Clone(s.Rolls)
			s.Rolls[2].Label = "T1/axis-assault/pa/1"
		}), dice.FaultLabel, step2 + 1},
		{"a first attempt called the second", false, alter(step3, func(s *dice.Step) {
			s.Rolls = slices.Clone(s.Rolls)
			s.Rolls[0].Label = strings.TrimSuffix(s.Rolls[0].Label, "1") + "2"
		}), dice.FaultLabel, step3 + 1},
		{"the seed swapped in mid-game", false, alter(step2, func(s *dice.Step) { s.Dice[3] ^= 1 }), dice.FaultLink, step2 + 1},
		{"the link of another step", false, func(x *dicetest.Table) {
			link := x.Records[step3].Body.(dice.Step).Dice
			alter(step2, func(s *dice.Step) { s.Dice = link })(x)
		}, dice.FaultLink, step2 + 1},
		{"other anchors in the start", false, alter(start, func(s *dice.Start) { s.Dice[0] ^= 1 }), dice.FaultLink, step1 + 1},
		{"a second start", false, sibling(start, func(s *dice.Start) { s.Seal[0] ^= 1 }), dice.FaultStart, 0},
		{"a start in mid-game", false, insert(step1, func(x *dicetest.Table) dice.Body {
			s := x.Records[start].Body.(dice.Start)
			s.Time = x.Records[step1].Time()
			return s
		}), dice.FaultStart, 0},
		{"two close records for one step, side by side", false, sibling(close2, func(c *dice.Close) {
			c.Seats = slices.Clone(c.Seats)
			c.Seats[0].Salt = "luckier"
			digestAgain(c)
		}), dice.FaultTwoCloses, close2 + 1},
		{"two close records for one step, one after the other", false, insert(close2, func(x *dicetest.Table) dice.Body {
			c := x.Records[close2].Body.(dice.Close)
			c.Time = c.Time.Add(time.Second)
			return c
		}), dice.FaultTwoCloses, close2 + 2},
		{"an old close record played again", false, insert(step2, func(x *dicetest.Table) dice.Body {
			c := x.Records[close2].Body.(dice.Close)
			c.Time = x.Records[step2].Time()
			return c
		}), dice.FaultTwoCloses, step2 + 2},
		{"rerolled after a crash, side by side", false, sibling(step2, func(s *dice.Step) { s.Rolls = s.Rolls[:1] }), dice.FaultReroll, step2 + 1},
		{"rerolled after a crash, one after the other", false, insert(step2, func(x *dicetest.Table) dice.Body {
			return x.Records[step2].Body
		}), dice.FaultReroll, step2 + 2},
		{"a fork: another sheet for the other player", false, sibling(sheet2, func(s *dice.Sheet) { s.Phase = "T1/axis-rail" }), dice.FaultFork, sheet2 + 1},
		{"a step left out", false, alter(close2, func(c *dice.Close) { c.Step = 3 }), dice.FaultSequence, close2 + 1},
		{"a step never closed", false, func(x *dicetest.Table) { remove(close2)(x); x.Resign(close2, nil) }, dice.FaultSequence, close2 + 1},
		{"a step closed while another is under way", false, func(x *dicetest.Table) { remove(step1)(x); x.Resign(step1, nil) }, dice.FaultSequence, step1 + 2},
		{"a record after the end", false, insert(end, func(x *dicetest.Table) dice.Body {
			c := x.Records[close3].Body.(dice.Close)
			c.Step, c.Time = 4, x.Records[end].Time()
			return c
		}), dice.FaultSequence, end + 2},
		{"the end before the last step", false, func(x *dicetest.Table) { remove(step3)(x); x.Resign(step3, nil) }, dice.FaultSequence, step3 + 1},
		{"a changed date", false, alter(close2, func(c *dice.Close) { c.Time = c.Time.Add(-48 * time.Hour) }), dice.FaultTime, close2 + 1},
		{"a changed salt", false, alter(close2, func(c *dice.Close) {
			c.Seats = slices.Clone(c.Seats)
			c.Seats[0].Salt += "!"
		}), dice.FaultDigest, close2 + 1},
		{"a salt moved into the next field", false, alter(close2, func(c *dice.Close) {
			c.Seats = slices.Clone(c.Seats)
			c.Seats[1].Salt = "\x00" + c.Seats[1].Salt
		}), dice.FaultDigest, close2 + 1},
		{"a ground salt, with D made to fit", false, alter(close2, func(c *dice.Close) {
			c.Seats = slices.Clone(c.Seats)
			c.Seats[0].Salt = "ground"
			digestAgain(c)
		}), dice.FaultDice, step2 + 1},
		{"other orders put under C, with D made to fit", false, alter(close2, func(c *dice.Close) {
			c.Seats = slices.Clone(c.Seats)
			h := *c.Seats[0].C
			h[0] ^= 1
			c.Seats[0].C = &h
			digestAgain(c)
		}), dice.FaultDice, step2 + 1},
		{"a player left out", false, alter(close2, func(c *dice.Close) { c.Seats = c.Seats[:1]; digestAgain(c) }), dice.FaultDigest, close2 + 1},
		{"a sheet changed after it was told", false, alter(sheet2, func(s *dice.Sheet) { s.C[0] ^= 1 }), dice.FaultOrders, sheet2 + 1},
		{"a sheet for another step", false, alter(sheet2, func(s *dice.Sheet) { s.Step = 3 }), dice.FaultSequence, sheet2 + 1},
		{"orders shown other than they were", false, func(x *dicetest.Table) {
			x.Orders = slices.Clone(x.Orders)
			x.Orders[1].Lines = append([]string{"ATTACK H1 FROM H2"}, x.Orders[1].Lines...)
		}, dice.FaultOrders, close2 + 1},
		{"two lines of orders shown as one", false, func(x *dicetest.Table) {
			x.Orders = slices.Clone(x.Orders)
			l := x.Orders[1].Lines
			x.Orders[1].Lines = append([]string{l[0] + " " + l[1]}, l[2:]...)
		}, dice.FaultOrders, close2 + 1},
		{"an opener made to fit other orders", false, func(x *dicetest.Table) {
			x.Orders = slices.Clone(x.Orders)
			x.Orders[1].Opener = &dice.Hash{1}
		}, dice.FaultOrders, close2 + 1},
		{"other rules than announced", false, alter(step2, func(s *dice.Step) { s.Rules = 2 }), dice.FaultRules, step2 + 1},
		{"a hidden roll shown wrongly in mid-game", false, alter(step3, func(s *dice.Step) {
			s.Shown = slices.Clone(s.Shown)
			v := slices.Clone(s.Shown[0].Roll.Values)
			v[0], v[1] = v[1], v[0]
			s.Shown[0].Roll.Values = v
		}), dice.FaultHidden, end + 1},
		{"a hidden roll never shown", false, alter(end, func(e *dice.End) { e.Shown = nil }), dice.FaultHidden, end + 1},
		{"a hidden roll shown that never was", false, alter(end, func(e *dice.End) { e.Shown[0].Step = 3 }), dice.FaultHidden, end + 1},
		{"the seal not opened", false, alter(end, func(e *dice.End) { e.Seal = nil }), dice.FaultHidden, end + 1},
		{"another seal opened", false, alter(end, func(e *dice.End) { e.Seal[0][0] ^= 1 }), dice.FaultLink, end + 1},
		{"another hidden chain opened", false, alter(end, func(e *dice.End) { e.Hidden[0][0] ^= 1 }), dice.FaultLink, end + 1},
		{"steps not counted at the end", false, alter(end, func(e *dice.End) { e.Steps = 2 }), dice.FaultSequence, end + 1},
		{"chain dice called beacon dice", false, alter(step2, func(s *dice.Step) { s.Grade = dice.GradeBeacon }), dice.FaultGrade, step2 + 1},
		{"another beacon round", true, alter(close2, func(c *dice.Close) { c.Round++ }), dice.FaultRound, close2 + 1},
		{"no beacon round", true, alter(close2, func(c *dice.Close) { c.Round = 0 }), dice.FaultRound, close2 + 1},
		{"a beacon where there is none", false, alter(close2, func(c *dice.Close) { c.Round = 5 }), dice.FaultRound, close2 + 1},
		{"the signature of another round", true, func(x *dicetest.Table) {
			round := x.Records[close2].Body.(dice.Close).Round
			alter(step2, func(s *dice.Step) { s.Beacon = dicetest.NewBeacon(t).Sign(round + 1) })(x)
		}, dice.FaultBeacon, step2 + 1},
		{"a changed beacon signature", true, alter(step2, func(s *dice.Step) { s.Beacon = bytes.Clone(s.Beacon); s.Beacon[20] ^= 1 }), dice.FaultBeacon, step2 + 1},
		{"a beacon left out", true, alter(step2, func(s *dice.Step) { s.Beacon = nil }), dice.FaultBeacon, step2 + 1},
		{"a beacon mixed in uncalled", false, func(x *dicetest.Table) {
			alter(step2, func(s *dice.Step) { s.Beacon = dicetest.NewBeacon(t).Sign(7) })(x)
		}, dice.FaultBeacon, step2 + 1},
		{"a close record that left late, called beacon", true, alter(step2, func(s *dice.Step) {
			s.Sent = slices.Clone(s.Sent)
			s.Sent[1].Time = s.Sent[1].Time.Add(time.Hour)
		}), dice.FaultGrade, step2 + 1},
		{"a close record that never left, called beacon", true, alter(step2, func(s *dice.Step) {
			s.Sent = slices.Clone(s.Sent)
			s.Sent[0].Time = time.Time{}
		}), dice.FaultGrade, step2 + 1},
		{"silence about when the close record left", true, alter(step2, func(s *dice.Step) { s.Sent = nil }), dice.FaultGrade, step2 + 1},
		{"a close record that left before it was written", true, alter(step2, func(s *dice.Step) {
			s.Sent = slices.Clone(s.Sent)
			s.Sent[0].Time = s.Sent[0].Time.Add(-time.Hour)
		}), dice.FaultTime, step2 + 1},
		{"a demonstration passed off as real", false, func(x *dicetest.Table) {
			x.Records = slices.Clone(x.Records)
			for i := range x.Records {
				x.Records[i].Mark = ""
				x.Records[i] = dice.Sign(x.Records[i].Body, map[bool]string{true: dice.Demo}[i != 3], x.Records[i].Prev, dicetest.ServerKey)
				if i+1 < len(x.Records) {
					x.Records[i+1].Prev = x.Records[i].Hash()
				}
			}
		}, dice.FaultSequence, sheet2 + 1},
		{"a beacon that nobody else knows", true, func(x *dicetest.Table) {
			x.Records = slices.Clone(x.Records)
			x.Records[start] = dice.Sign(x.Records[start].Body, "", dice.Hash{}, dicetest.ServerKey)
			x.Records = x.Records[:1]
			x.Orders = nil
		}, dice.FaultBeacon, start + 1},
	}
}

// Each is found, at the right record, for what it is.
func TestServerCheats(t *testing.T) {
	for _, c := range serverCheats(t) {
		t.Run(c.threat, func(t *testing.T) {
			x := dicetest.Short(t, "12", c.beacon)
			if rep := check(t, x.Transcript()); !rep.OK() {
				t.Fatalf("the genuine game fails: %v", rep)
			}
			c.do(x)
			rep := check(t, x.Transcript())
			if rep.OK() || rep.Fault.Kind != c.kind || c.record > 0 && rep.Fault.Record != c.record {
				t.Errorf("got %v, want a fault of the kind %s at record %d", rep, c.kind, c.record)
			}
		})
	}
}

// Rollbacks, new rules, keys and chains, and steps taken back: none can be used
// to choose dice.
func TestAmendmentsCheat(t *testing.T) {
	amend := func(a dice.Amend) func(*dicetest.Table) {
		return insert(step1, func(x *dicetest.Table) dice.Body {
			a.Game, a.Time, a.Reason = "12", x.Records[step1].Time(), "no reason"
			return a
		})
	}
	both := func(words string) []dice.Answer {
		return []dice.Answer{{Player: "axis", Text: words}, {Player: "soviet", Text: words}}
	}
	for name, a := range map[string]dice.Amend{
		"chains changed when it suits":         {What: dice.NewChains, Step: 2, Links: 16},
		"chains of no links":                   {What: dice.NewChains, Step: 17},
		"a step rolled back that wasn't":       {What: dice.Rollback, Step: 2, Rules: 1},
		"rules from an earlier step":           {What: dice.NewRules, Step: 1, Rules: 2},
		"a key that hasn't signed":             {What: dice.NewKey, Step: 2, Key: dice.Quicknet.Key[:32], KeySig: make([]byte, 64)},
		"a grade lowered with no beacon":       {What: dice.GradeDown, Step: 2, Beacon: true, Answers: both(dice.SaysGradeChain)},
		"a step taken back that was played":    {What: dice.Void, Step: 1, Answers: both(dice.SaysAgree)},
		"an amendment that nobody knows":       {What: "luck", Step: 2},
		"a rollback that brings its own chain": {What: dice.Rollback, Step: 1, Rules: 1, Links: 16},
	} {
		x := dicetest.Short(t, "12", false)
		amend(a)(x)
		if rep := check(t, x.Transcript()); rep.OK() || rep.Fault.Kind != dice.FaultAmend {
			t.Errorf("%s: got %v", name, rep)
		}
	}
	for name, a := range map[string]dice.Amend{
		"a grade lowered by one side":          {What: dice.GradeDown, Step: 2, Beacon: true, Answers: both(dice.SaysGradeChain)[:1]},
		"a grade lowered by other words":       {What: dice.GradeDown, Step: 2, Beacon: true, Answers: both("NO")},
		"a beacon step taken back once rolled": {What: dice.Void, Step: 1, Answers: both(dice.SaysAgree)},
	} {
		x := dicetest.Short(t, "12", true)
		amend(a)(x)
		if rep := check(t, x.Transcript()); rep.OK() || rep.Fault.Kind != dice.FaultAmend {
			t.Errorf("%s: got %v", name, rep)
		}
	}
	// A step that waits for its beacon is taken back by both, never by one.
	for n, ok := range []bool{false, false, true} {
		x := dicetest.New(t, "12", 16, true)
		x.Close("axis", "ATTACK H12 FROM H13")
		void := dice.Amend{Game: "12", What: dice.Void, Step: 1, Answers: both(dice.SaysAgree)[:n], Time: x.Wait(time.Hour)}
		x.Records = append(x.Records, dice.Sign(void, dice.Demo, x.Log.Head(), dicetest.ServerKey))
		if rep := check(t, x.Transcript()); rep.OK() != ok {
			t.Errorf("taken back by %d: %v", n, rep)
		}
	}
	// The server itself takes none back once it has seen the beacon.
	w := dicetest.New(t, "12", 16, true)
	w.Close("axis", "ATTACK H12 FROM H13")
	c, _ := w.Log.Closed(1)
	if _, err := w.Log.Cup(1, dicetest.NewBeacon(t).Sign(c.Round)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Log.Void(w.Wait(time.Hour)); err == nil {
		t.Error("a step whose dice exist is taken back")
	}
	// Played again, no roll of the same label may come out other.
	x := dicetest.New(t, "12", 16, false)
	x.Close("axis", "ATTACK H12 FROM H13")
	x.Play(dice.Played{}, dicetest.Throw{Kind: "pa", Where: "H12", Sides: 6, N: 9})
	x.Keep(x.Log.Rollback(1, 2, "a mended rule", x.Wait(time.Hour)))
	x.Play(dice.Played{}, dicetest.Throw{Kind: "pa", Where: "H11", Sides: 6, N: 9}, dicetest.Throw{Kind: "pa", Where: "H12", Sides: 6, N: 9})
	was, is := x.Records[2].Body.(dice.Step).Rolls[0], x.Records[4].Body.(dice.Step).Rolls[1]
	if was.Label != is.Label || !slices.Equal(was.Values, is.Values) {
		t.Errorf("rolled %v, played again %v", was, is)
	}
}

// Anybody who isn't the server and changes a byte of a record is found out,
// whichever byte it is.
func TestEveryByteCounts(t *testing.T) {
	x := dicetest.Short(t, "12", false)
	if testing.Short() {
		x.Records = x.Records[:3]
	}
	for i, r := range x.Records {
		genuine := r.Armour()
		before, after := dice.Transcript(x.Records[:i], nil), dice.Transcript(x.Records[i+1:], nil)
		head := strings.Index(genuine, "\n") + 1
		tail := strings.LastIndex(genuine, "-----END")
		for at := head; at < tail; at += 3 + at%11 {
			b := []byte(genuine)
			b[at] ^= 1
			if b[at] == '\r' || b[at] == 0x0b { // what stands there is no longer the line it was, which is found below
				continue
			}
			var p dice.Pile
			p.Add("transcript", before+string(b)+after)
			if !slices.ContainsFunc(dice.Check(p, dice.Options{}), func(r dice.Report) bool { return !r.OK() }) {
				t.Fatalf("%s, byte %d changed, passes:\n%s", r.What(), at-head, b)
			}
		}
	}
}

// Records cut off, taken out or mixed up: cuts and gaps are found, order in the
// file and copies don't matter.
func TestTruncatedSwappedRepeated(t *testing.T) {
	x := dicetest.Short(t, "12", false)
	whole := x.Transcript()
	kindOf := func(name, text string, want dice.FaultKind) {
		t.Helper()
		rep := check(t, text)
		if want == 0 && !rep.OK() || want != 0 && (rep.OK() || rep.Fault.Kind != want) {
			t.Errorf("%s: got %v, want %v", name, rep, want)
		}
	}
	for i := range x.Records[1:end] {
		r := slices.Delete(slices.Clone(x.Records), i+1, i+2)
		kindOf("without "+x.Records[i+1].What(), dice.Transcript(r, nil), dice.FaultGap)
	}
	kindOf("without the start", dice.Transcript(x.Records[1:], nil), dice.FaultStart)
	kindOf("without the last records", dice.Transcript(x.Records[:5], nil), 0)
	backwards := slices.Clone(x.Records)
	slices.Reverse(backwards)
	kindOf("backwards", dice.Transcript(backwards, x.Orders), 0)
	kindOf("twice", whole+whole, 0)
	kindOf("an old mail again", whole+x.Records[close2].Armour(), 0)
	kindOf("cut off in the last record", whole[:len(whole)-200], dice.FaultUnreadable)
	middle := x.Records[close2].Armour()
	kindOf("cut off in the middle", strings.Replace(whole, middle, middle[:len(middle)/2]+"\n", 1), dice.FaultGap)
	kindOf("a cut copy beside a whole one", whole+middle[:len(middle)/2]+"\n", 0)
	kindOf("quoted in a reply", "> "+strings.ReplaceAll(whole, "\n", "\n> "), 0)
	kindOf("with CR LF", strings.ReplaceAll(whole, "\n", "\r\n"), 0)
	lines := func(text string, max int) string { // as a mail program wraps at blanks
		var out []string
		for l := range strings.SplitSeq(text, "\n") {
			for len(l) > max && strings.LastIndex(l[:max], " ") > 0 {
				at := strings.LastIndex(l[:max], " ")
				out, l = append(out, l[:at]), l[at+1:]
			}
			out = append(out, l)
		}
		return strings.Join(out, "\n")
	}
	kindOf("wrapped at 72", lines(whole, 72), 0)
	swapped := slices.Clone(x.Records)
	swapped[step2].Body, swapped[step3].Body = swapped[step3].Body, swapped[step2].Body
	kindOf("two bodies swapped", dice.Transcript(swapped, nil), dice.FaultSignature)
	other := dicetest.Short(t, "13", false)
	swapped = slices.Clone(x.Records)
	swapped[step2] = other.Records[step2]
	var p dice.Pile
	p.Add("", dice.Transcript(swapped, nil))
	for _, rep := range dice.Check(p, dice.Options{}) {
		if rep.OK() {
			t.Errorf("a record of another game in the place of one: %v", rep)
		}
	}
}

// Two stories: neither player alone can see it, both together do, and so does
// one who is told the other's head words.
func TestForkNeedsBoth(t *testing.T) {
	ours, theirs := dicetest.Short(t, "12", false), dicetest.Short(t, "12", false)
	theirs.Records = theirs.Records[:close2+1]
	alter(close2, func(c *dice.Close) {
		c.Seats = slices.Clone(c.Seats)
		c.Seats[1].Salt = "another"
		digestAgain(c)
	})(theirs)
	theirs.Orders = nil
	a, b := check(t, ours.Transcript()), check(t, theirs.Transcript())
	if !a.OK() || !b.OK() {
		t.Fatalf("alone: %v, %v", a, b)
	}
	compare := func(a, b dice.Report) ([]string, []*dice.Fault) {
		return dice.Compare([]dice.Report{a}, []dice.Report{b}, [2]string{"ours", "theirs"})
	}
	if _, f := compare(a, b); len(f) != 1 || f[0].Kind != dice.FaultFork || f[0].Record != close2+1 {
		t.Errorf("compared: %v", f)
	}
	var p dice.Pile
	p.Add("", ours.Transcript()+theirs.Transcript())
	if rep := dice.Check(p, dice.Options{})[0]; rep.OK() || rep.Fault.Kind != dice.FaultTwoCloses {
		t.Errorf("in one pile: %v", rep)
	}
	p = dice.Pile{}
	p.Add("", ours.Transcript())
	if rep := dice.Check(p, dice.Options{Head: strings.ToLower(b.Head.Words())})[0]; rep.OK() || rep.Fault.Kind != dice.FaultHead {
		t.Errorf("told the words %s: %v", b.Head.Words(), rep)
	}
	if rep := dice.Check(p, dice.Options{Head: ours.Records[step1].Hash().Words()})[0]; !rep.OK() || len(rep.Notes) == 0 {
		t.Errorf("told earlier words: %v, %q", rep, rep.Notes)
	}
	ours.Records = ours.Records[:6]
	notes, f := compare(check(t, dicetest.Short(t, "12", false).Transcript()), check(t, dice.Transcript(ours.Records, nil)))
	if len(f) > 0 || len(notes) != 1 || !strings.Contains(notes[0], "theirs is 3 records behind") {
		t.Errorf("one that knows less: %q, %v", notes, f)
	}
}

// A real game, under drand's own beacon: round 1000 is the first ten minutes
// after this close.
func TestQuicknetGame(t *testing.T) {
	closed := time.Unix(1692803367+999*3-600, 0).UTC()
	sig := dice.Quicknet
	v := "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39"
	var beacon []byte
	if _, err := fmt.Sscanf(v, "%x", &beacon); err != nil {
		t.Fatal(err)
	}
	secrets, err := dice.NewSecrets(bytes.NewReader(bytes.Repeat([]byte{1, 2, 3}, 32)), 16)
	if err != nil {
		t.Fatal(err)
	}
	l, first, err := dice.Begin(dice.Start{Game: "1", Players: []string{"axis"}, Rules: "dice", Version: 1, Beacon: &sig,
		Time: closed.Add(-time.Hour)}, secrets, dicetest.ServerKey)
	if err != nil {
		t.Fatal(err)
	}
	second, _, err := l.Close(dice.Closing{Phase: "T1/open", Side: "axis", Time: closed.Add(-time.Nanosecond * -5)})
	if err != nil {
		t.Fatal(err)
	}
	if c, _ := l.Closed(1); c.Round != 1000 {
		t.Fatalf("round %d, want 1000", c.Round)
	}
	if _, err := l.Cup(1, nil); err == nil {
		t.Error("dice without their beacon")
	}
	cup, err := l.Cup(1, beacon)
	if err != nil {
		t.Fatal(err)
	}
	played := dice.Played{Beacon: beacon, Sent: map[string]time.Time{"axis": closed}, Time: closed.Add(10 * time.Minute),
		Rolls: []dice.Roll{{Label: "T1/open/roll/-/1", Sides: 6, Values: cup.Roll("T1/open/roll/-/1", 6, 5), For: "luck"}}}
	third, err := l.Finish(played)
	if err != nil {
		t.Fatal(err)
	}
	records := []dice.Record{first, second, third}
	rep := check(t, dice.Transcript(records, nil))
	if !rep.OK() || rep.Beacon != 1 || rep.Demo {
		t.Errorf("got %v", rep)
	}
	early := third.Body.(dice.Step)
	early.Time = early.Time.Add(-time.Second)
	records[2] = dice.Sign(early, "", third.Prev, dicetest.ServerKey)
	if rep := check(t, dice.Transcript(records, nil)); rep.OK() || rep.Fault.Kind != dice.FaultTime {
		t.Errorf("a step older than its beacon: %v", rep)
	}
}

// The server's side of the threats: no dice before the close, none for another
// step, the same after a crash, and no record that the checker would refuse.
func TestLogKeepsItsPromises(t *testing.T) {
	x := dicetest.New(t, "12", 16, false)
	if _, err := x.Log.Cup(1, nil); err == nil {
		t.Error("a step that isn't closed has dice")
	}
	if _, err := x.Log.Finish(dice.Played{Time: x.Wait(time.Hour)}); err == nil {
		t.Error("a step that isn't closed is finished")
	}
	x.Resume()
	x.Close("axis", "ATTACK H12 FROM H13")
	before, err := x.Log.Cup(1, nil)
	if err != nil {
		t.Fatal(err)
	}
	x.Resume() // a crash between close and mail
	again, err := x.Log.Cup(1, nil)
	if err != nil {
		t.Fatal(err)
	}
	const label = "T1/axis-assault/pa/H12/1"
	if !slices.Equal(before.Roll(label, 6, 20), again.Roll(label, 6, 20)) {
		t.Error("other dice after a crash")
	}
	if slices.Equal(before.Roll(label, 6, 20), before.Hidden().Roll(label, 6, 20)) {
		t.Error("hidden dice are the open ones")
	}
	x.Resume()
	wrong := dice.Roll{Label: label, Sides: 6, Values: []int{6, 6, 6, 6, 6, 6}}
	if _, err := x.Log.Finish(dice.Played{Rolls: []dice.Roll{wrong}, Time: x.Wait(time.Hour)}); err == nil {
		t.Error("the log writes dice that don't follow")
	}
	x.Resume()
	if _, _, err := x.Log.Close(dice.Closing{Phase: "p", Side: "axis", Time: x.Wait(time.Hour)}); err == nil {
		t.Error("the log closes a second step before the first is over")
	}
	x.Resume()
	x.Play(dice.Played{})
	if _, _, err := x.Log.Sheet("p", "axis", []string{"MOVE A\nMOVE B"}, x.Wait(time.Hour)); err == nil {
		t.Error("the log takes two lines as one")
	}
	if _, err := dice.Resume(x.Records, []dice.Secrets{dice.DemoSecrets("other", "12", 16)}, dicetest.ServerKey); err == nil {
		t.Error("the log takes other secrets")
	}
}

// The player's own receipt lets him check his C before the seals are opened.
func TestReceiptBeforeTheEnd(t *testing.T) {
	x := dicetest.Short(t, "12", false)
	x.Records = x.Records[:close2+1]
	rep := check(t, x.Transcript())
	if !rep.OK() || rep.Orders != 3 || rep.Open != 2 {
		t.Errorf("got %v, want 3 orders and step 2 under way", rep)
	}
	x.Orders[1].Lines[0] += " "
	if rep := check(t, x.Transcript()); rep.OK() || rep.Fault.Kind != dice.FaultOrders {
		t.Errorf("a changed order: %v", rep)
	}
	x = dicetest.Short(t, "12", false)
	x.Records = x.Records[:close2+1]
	x.Orders[1].Opener = nil
	if rep := check(t, x.Transcript()); !rep.OK() || rep.Sealed != 1 || rep.Orders != 2 {
		t.Errorf("without the opener: %v, %d sealed", rep, rep.Sealed)
	}
}

// A damaged body is no fault as long as the attachment is whole; two records that
// both bear the server's signature are.
func TestDamagedCopies(t *testing.T) {
	x := dicetest.Short(t, "12", false)
	bad := strings.Replace(x.Records[step2].Armour(), "prepared", "PREPARED", 1)
	bad = strings.Replace(bad, "pa at H12", "pa  at  H12", 1)
	rep := check(t, bad+x.Transcript())
	if !rep.OK() || len(rep.Notes) != 1 || !strings.Contains(rep.Notes[0], "damaged") {
		t.Errorf("got %v, notes %q", rep, rep.Notes)
	}
}
