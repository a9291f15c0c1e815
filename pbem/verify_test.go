package pbem_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"pbemd/engine"
	"pbemd/engine/blitz41"
	"pbemd/engine/dice"
	"pbemd/pbem"
	"pbemd/pbem/pbemtest"
)

// verified exports a game and verifies it.
func verified(t testing.TB, w *pbemtest.World) (string, pbem.Verified) {
	t.Helper()
	text, err := w.Office.Transcript(context.Background(), w.Game)
	if err != nil {
		t.Fatal(err)
	}
	return text, verify(t, w, text)
}

func verify(t testing.TB, w *pbemtest.World, text string) pbem.Verified {
	t.Helper()
	v, err := pbem.Verify(text, w.Config.Rules, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// toyGame plays a toy game with everything that a transcript has to hold:
// questions, answers with and without further clauses, a deadline, standing
// orders, sheets taken back, whole and in part, orders for NOW, a halt, a draw.
func toyGame(t testing.TB, change func(*pbemtest.World)) *pbemtest.World {
	w := pbemtest.NewWorld(t, change, pbemtest.ToyRules())
	w.Found("toy", pbem.Terms{NoJoin: true})
	axis, soviet := w.As("axis"), w.As("soviet")
	soviet.Sheet("STANDING ASK D04", "SALT soviet salt")
	axis.Sheet("STEP 2")
	axis.Sheet("UNDO")
	axis.Sheet("STEP 3", "PHASE FIGHT", "FLAG 1 NOW")
	says(t, axis.Sheet("UNDO"), "ACCEPTED")
	axis.Sheet("FIGHT", "FIGHT", "END TURN")
	soviet.Sheet("FLAG 4 NOW")
	soviet.Sheet("ANSWER Q1 B")
	w.Wait(73 * time.Hour) // Q2 lapses
	soviet.Sheet("PHASE FIGHT", "DEFAULT STAND", "IF WON: FIGHT", "FIGHT", "END TURN")
	axis.Sheet("PHASE FIGHT", "FIGHT", "CONTINUE", "FIGHT", "FLAG 2 NOW")
	says(t, axis.Last(), "ACCEPTED")
	l := axis.Sheet("RESIGN")
	says(t, axis.Sheet("RESIGN CONFIRM "+between(l.Text, "RESIGN CONFIRM ", ".")), "GAME OVER")
	return w
}

func TestVerifyAToyGame(t *testing.T) {
	w := toyGame(t, nil)
	text, v := verified(t, w)
	if v.Fault != nil || !v.Played || v.Steps != 4 || v.Undone != 1 || !strings.Contains(text, `"cut":true`) || v.Events < 20 || !strings.HasPrefix(v.String(), "OK rules of toy") {
		t.Errorf("%v (%+v)\n%s", v, v, text)
	}
	// The file in the last mail is the same proof, whatever line ends it came with.
	for _, s := range w.Sides {
		file := string(w.As(s).Last().Files["game1-transcript.txt"])
		if file != text {
			t.Errorf("the file mailed to %s is not the transcript", s)
		}
		if v := verify(t, w, strings.ReplaceAll(file, "\n", "\r\n")); v.Fault != nil || !v.Played {
			t.Errorf("with CRLF: %v", v)
		}
	}
}

func TestVerifyBeforeTheEnd(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	w.As("axis").Sheet("STEP 1", "PHASE FIGHT", "FIGHT")
	text, v := verified(t, w)
	if v.Fault != nil || v.Played || v.Dice.Steps != 2 {
		t.Errorf("%v", v)
	}
	for _, secret := range []string{"FIGHT", "STEP 1", "BEGIN PBEM PLAY", "BEGIN PBEM ORDERS"} {
		if strings.Contains(text, secret) {
			t.Errorf("the transcript of a running game tells %q:\n%s", secret, text)
		}
	}
}

// part is one line of the play part, to be altered.
type part = map[string]any

// altered takes a transcript to pieces, has the play part changed and puts it
// together again; sign says that the server itself does so.
func altered(t testing.TB, text string, sign bool, change func(lines []part) []part) string {
	t.Helper()
	proof, rest, ok := strings.Cut(text, "-----BEGIN PBEM PLAY-----\n")
	body, tail, ok2 := strings.Cut(rest, "-----END PBEM PLAY-----")
	if !ok || !ok2 {
		t.Fatal("no play part")
	}
	var lines []part
	raw := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
	sig := raw[len(raw)-1]
	for _, l := range raw[:len(raw)-1] {
		var p part
		d := json.NewDecoder(strings.NewReader(l))
		d.UseNumber()
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, p)
	}
	var b bytes.Buffer
	for _, l := range change(lines) {
		j, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(j, '\n'))
	}
	if sign {
		var pile dice.Pile
		pile.Add("", proof)
		head := dice.Check(pile, dice.Options{})[0].Head
		var m []byte
		for _, x := range [][]byte{[]byte("pbem-play-v1"), head[:], b.Bytes()} {
			m = append(binary.BigEndian.AppendUint32(m, uint32(len(x))), x...)
		}
		key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, 32))
		sig = fmt.Sprintf(`{"sig":%q}`, base64.StdEncoding.EncodeToString(ed25519.Sign(key, m)))
	}
	b.WriteString(sig + "\n")
	return proof + "-----BEGIN PBEM PLAY-----\n" + b.String() + "-----END PBEM PLAY-----" + tail
}

// events are all events of the play part, as they can be changed.
func events(lines []part, kind string) (out []part) {
	for _, l := range lines {
		list, _ := l["events"].([]any)
		for _, e := range list {
			if e.(part)["kind"] == kind {
				out = append(out, e.(part))
			}
		}
	}
	return out
}

// What was played is altered as by somebody else, then as by the server itself,
// which can sign anything: whatever can be seen is seen.
func TestVerifyFindsAlteredPlay(t *testing.T) {
	w := toyGame(t, nil)
	text, _ := verified(t, w)
	data := func(p part) part { return p["data"].(part) }
	burst := func(lines []part, with string) part {
		for _, l := range lines {
			if _, ok := l[with]; ok && l["burst"] != nil {
				return l
			}
		}
		t.Fatalf("no sheet has %s", with)
		return nil
	}
	for _, x := range []struct {
		name   string
		change func(lines []part)
		why    string
	}{
		{"an outcome", func(l []part) { f := data(events(l, "Fought")[0]); f["Stood"] = f["Stood"] != true }, "comes out otherwise"},
		{"a die of the rules", func(l []part) { f := data(events(l, "Fought")[1]); f["Die"] = json.Number("9") }, "comes out otherwise"},
		{"a die thrown", func(l []part) { data(events(l, "Rolled")[1])["values"] = []int{6, 6} }, "in the step record"},
		{"a move", func(l []part) { data(events(l, "Stepped")[0])["N"] = json.Number("1") }, "comes out otherwise"},
		{"the rule of an event", func(l []part) { events(l, "Fought")[0]["rule"] = "TOY-5" }, "comes out otherwise"},
		{"who decided", func(l []part) { data(events(l, "Decided")[0])["by"] = "default" }, "comes out otherwise"},
		{"an event left out", func(l []part) {
			b := burst(l, "answers")
			b["events"] = b["events"].([]any)[1:]
		}, "follows event"},
		{"an order", func(l []part) { burst(l, "answers")["lines"].([]any)[0].(part)["text"] = "STEP 1" }, "sealed were"},
		{"a standing order", func(l []part) { burst(l, "answers")["standing"] = part{"soviet": []string{"DEFAULT STAND"}} }, "the orders of soviet"},
		{"an answer", func(l []part) { burst(l, "answers")["answers"].([]any)[0].(part)["text"] = "ANSWER Q1 A" }, "answer 1 is"},
		{"what an answer was taken for", func(l []part) { burst(l, "answers")["answers"].([]any)[0].(part)["option"] = json.Number("0") }, "was taken for option A"},
		{"an answer left out", func(l []part) { delete(burst(l, "answers"), "answers") }, "answers are recorded"},
		{"a decision nobody wanted mailed", func(l []part) { delete(burst(l, "answers"), "ask") }, "comes out otherwise"},
		{"a step taken back", func(l []part) { burst(l, "answers")["undone"] = true }, "taken back"},
		{"a sheet that was taken back", func(l []part) { delete(burst(l, "undone"), "undone") }, "comes out otherwise"},
		{"the version", func(l []part) { burst(l, "answers")["version"] = json.Number("2") }, "version 2"},
		{"the side", func(l []part) { burst(l, "answers")["side"] = "soviet" }, "isn't that of its"},
		{"the final position", func(l []part) { l[len(l)-1]["position"] = "somewhere else" }, "final position"},
		{"the game", func(l []part) { l[0]["game"] = "2" }, "game 2"},
	} {
		for _, sign := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/signed=%v", x.name, sign), func(t *testing.T) {
				v := verify(t, w, altered(t, text, sign, func(l []part) []part { x.change(l); return l }))
				want := x.why
				if !sign {
					want = "after the server signed it"
				}
				if v.Fault == nil || !strings.Contains(v.Fault.Error(), want) {
					t.Errorf("found %v, want %s", v.Fault, want)
				}
			})
		}
	}
	for name, change := range map[string]func(l []part) []part{
		"a sheet left out": func(l []part) []part { return append(l[:3:3], l[4:]...) },
		"a sheet twice":    func(l []part) []part { return append(append(append([]part{}, l[:3]...), maps.Clone(l[2])), l[3:]...) },
		"nothing":          func(l []part) []part { return nil },
		"no end":           func(l []part) []part { return l[:len(l)-1] },
		"an unknown field": func(l []part) []part { l[0]["more"] = 1; return l },
	} {
		if v := verify(t, w, altered(t, text, true, change)); v.Fault == nil {
			t.Errorf("%s: nothing found", name)
		}
	}
	// Changes that are none.
	if v := verify(t, w, altered(t, text, true, func(l []part) []part { return l })); v.Fault != nil {
		t.Errorf("signed anew and not changed: %v", v.Fault)
	}
}

// The proof itself is altered, or text is cut.
func TestVerifyFindsAlteredProof(t *testing.T) {
	w := toyGame(t, nil)
	text, _ := verified(t, w)
	die := between(text, "T1/axis-fight/fight/-/1 6 ", " ")
	for name, changed := range map[string]string{
		"a die":                 strings.Replace(text, "T1/axis-fight/fight/-/1 6 "+die, "T1/axis-fight/fight/-/1 6 "+map[bool]string{true: "5", false: "6"}[die == "6"], 1),
		"an order":              strings.Replace(text, "order: FIGHT", "order: STEP 2", 1),
		"a record cut":          strings.Replace(text, "-----BEGIN PBEM RECORD-----\npbem-record v1 close\n", "", 1),
		"the play part cut off": text[:strings.Index(text, `{"sig"`)],
	} {
		if v := verify(t, w, changed); v.Fault == nil {
			t.Errorf("%s: nothing found", name)
		}
	}
	whole := text[:strings.Index(text, "-----BEGIN PBEM PLAY-----")]
	if _, err := pbem.Verify(whole, w.Config.Rules, nil); err == nil {
		t.Error("a transcript whose play part is missing was verified")
	}
	if _, err := pbem.Verify("", w.Config.Rules, nil); err == nil {
		t.Error("an empty text was verified")
	}
	if _, err := pbem.Verify(text, pbem.Games(), nil); err == nil || !strings.Contains(err.Error(), `rules "toy"`) {
		t.Errorf("rules that aren't there: %v", err)
	}
}

// A game of Blitzkrieg '41 by a club's own data and with options: the transcript
// holds what the rules don't ship, bound by the start record.
func TestVerifyBlitzkriegWithOwnDataAndOptions(t *testing.T) {
	w := pbemtest.NewWorld(t, uncapped, pbem.Games()...)
	shipped, err := blitz41.DataFiles().Open("charts.toml")
	if err != nil {
		t.Fatal(err)
	}
	var charts bytes.Buffer
	if _, err := charts.ReadFrom(shipped); err != nil {
		t.Fatal(err)
	}
	charts.WriteString("# the club's own\n")
	f := pbem.Founding{Rules: "blitz41", Terms: pbem.Terms{NoJoin: true, Seed: "word"}, Data: map[string][]byte{"charts.toml": charts.Bytes()},
		Options: json.RawMessage(`{"open":true}`)}
	for _, s := range []engine.Side{"axis", "soviet"} {
		f.Seats = append(f.Seats, pbem.Seat{Side: s, Name: string(s), Address: string(s) + "@players.example"})
	}
	w.Take(f)
	playBlitz(t, w, 4, 1)
	text, v := verified(t, w)
	if v.Fault != nil || !v.Played || v.Steps < 2 {
		t.Fatalf("%v", v)
	}
	// Without the club's file it can't be verified, with it beside it can.
	less := altered(t, text, true, func(l []part) []part { delete(l[0], "files"); return l })
	if _, err := pbem.Verify(less, w.Config.Rules, nil); err == nil || !strings.Contains(err.Error(), "charts.toml") {
		t.Errorf("without the club's charts: %v", err)
	}
	if v, err := pbem.Verify(less, w.Config.Rules, fstest.MapFS{"charts.toml": {Data: charts.Bytes()}}); err != nil || v.Fault != nil {
		t.Errorf("with the club's charts beside: %v, %v", v, err)
	}
	for name, change := range map[string]func(l []part) []part{
		"other options": func(l []part) []part { l[0]["options"] = part{"open": false}; return l },
		"no options":    func(l []part) []part { delete(l[0], "options"); return l },
	} {
		if _, err := pbem.Verify(altered(t, text, true, change), w.Config.Rules, nil); err == nil || !strings.Contains(err.Error(), "options") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// BenchmarkVerify plays a game of more than a hundred steps again.
func BenchmarkVerify(b *testing.B) {
	text, steps := longGame(b)
	b.ReportMetric(float64(steps), "steps")
	for b.Loop() {
		if v, err := pbem.Verify(text, pbem.Games(), nil); err != nil || v.Fault != nil {
			b.Fatal(v, err)
		}
	}
}

// longGame is the transcript of a game of at least a hundred steps.
func longGame(t testing.TB) (string, int) {
	w := pbemtest.NewWorld(t, uncapped, pbem.Games()...)
	w.Found("blitz41", pbem.Terms{NoJoin: true})
	playBlitz(t, w, 10, 99)
	text, v := verified(t, w)
	if v.Fault != nil || !v.Played {
		t.Fatal(v)
	}
	return text, v.Steps
}

// A hundred steps are verified in two seconds: those of a dice table as they are,
// those of a game of Blitzkrieg '41 by what one of them takes.
func TestVerifyIsQuick(t *testing.T) {
	w := table(t, nil, pbem.Terms{NoJoin: true})
	for i := range 110 {
		w.As(w.Sides[i%2]).Sheet(fmt.Sprintf("ROLL 3D6 FOR A%d", i), "SHUFFLE 52 FOR deck "+fmt.Sprint(i))
	}
	l := w.As("white").Sheet("LEAVE")
	w.As("white").Sheet("LEAVE CONFIRM " + between(l.Text, "LEAVE CONFIRM ", "."))
	long, v := verified(t, w)
	if v.Fault != nil || v.Steps != 111 {
		t.Fatal(v)
	}
	for range 2 { // once to warm up
		began := time.Now()
		verify(t, w, long)
		if took := time.Since(began); took > slower*2*time.Second {
			t.Errorf("111 steps of a dice table take %v", took)
		}
	}
	text, steps := longGame(t)
	began := time.Now()
	v, err := pbem.Verify(text, pbem.Games(), nil)
	if err != nil || v.Fault != nil || steps < 20 {
		t.Fatal(v, err)
	}
	took := time.Since(began)
	per := took * 100 / time.Duration(steps)
	t.Logf("%v in %v, %v for 100 steps, %d bytes", v, took, per, len(text))
	if per > slower*2*time.Second && !testing.Short() {
		t.Errorf("100 steps take %v", per)
	}
}

// A game that went on by new rules is verified as far as these reach; one that was
// rolled back is verified whole again.
func TestVerifyAfterNewRules(t *testing.T) {
	for _, back := range []bool{false, true} {
		w := toy(t, nil, pbem.Terms{})
		axis, soviet := w.As("axis"), w.As("soviet")
		soviet.Sheet("STANDING ASK D04")
		axis.Sheet("STEP 1", "PHASE FIGHT", "FIGHT", "END TURN")
		soviet.Sheet("ANSWER Q1 A")
		w.Config.Rules = []pbem.Rules{pbemtest.MendedToyRules()}
		w.Restart()
		if back {
			if r, err := w.Office.Rollback(context.Background(), 1, 1, "a fight counts double"); err != nil || r.Steps != 2 {
				t.Fatalf("%+v, %v", r, err)
			}
			w.Flush()
		}
		soviet.Sheet("PHASE FIGHT", "FIGHT", "END TURN")
		l := axis.Sheet("RESIGN")
		says(t, axis.Sheet("RESIGN CONFIRM "+between(l.Text, "RESIGN CONFIRM ", ".")), "GAME OVER")
		text, v := verified(t, w)
		if v.Fault != nil || !v.Played || back == (len(v.Other) > 0) || !back && fmt.Sprint(v.Other) != "[1 2]" {
			t.Errorf("rolled back %v: %v", back, v)
		}
		// The old rules can't verify what the new ones did, nor take it for their own.
		old, err := pbem.Verify(text, []pbem.Rules{pbemtest.ToyRules()}, nil)
		if err != nil || old.Fault != nil || len(old.Other) == 0 {
			t.Errorf("rolled back %v, by the old rules: %v, %v", back, old, err)
		}
		claimed := altered(t, text, true, func(l []part) []part {
			for _, x := range l {
				if x["version"] != nil {
					x["version"] = json.Number("1")
				}
			}
			return l
		})
		if v, err := pbem.Verify(claimed, []pbem.Rules{pbemtest.ToyRules()}, nil); err != nil || v.Fault == nil {
			t.Errorf("rolled back %v, claimed to be of the old rules: %v, %v", back, v, err)
		}
	}
}

// A game that the operator closes opens its seals all the same: both get the
// transcript, and it verifies though by the rules the game isn't over.
func TestVerifyAClosedGame(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	w.As("axis").Sheet("STEP 1", "PHASE FIGHT", "FIGHT")
	if err := w.Office.CloseGame(context.Background(), w.Game); err != nil {
		t.Fatal(err)
	}
	w.Flush()
	text, v := verified(t, w)
	if v.Fault != nil || !v.Played || v.Steps != 2 || !strings.Contains(text, "closed by the operator") {
		t.Errorf("%v\n%s", v, text)
	}
	for _, s := range w.Sides {
		l := w.As(s).Last()
		says(t, l, "GAME OVER", "has closed game 1", "without a result")
		if string(l.Files["game1-transcript.txt"]) != text || strings.Contains(l.Text, "GAME 1 TURN") {
			t.Errorf("the last mail of %s has files %v\n%s", s, slices.Sorted(maps.Keys(l.Files)), l.Text)
		}
	}
	says(t, w.As("axis").Sheet("FIGHT"), "NOT ACCEPTED", "closed by the operator")
	checkProofs(t, w)
	// A result that the rules don't know is no excuse for another.
	if v := verify(t, w, altered(t, text, true, func(l []part) []part { return l[:len(l)-1] })); v.Fault == nil {
		t.Errorf("cut short: %v", v)
	}
}

// A step that waits for an answer can't be opened by the operator alone.
func TestCloseWithAStepUnderWay(t *testing.T) {
	w := toy(t, nil, pbem.Terms{})
	w.As("soviet").Sheet("STANDING ASK D04")
	w.As("axis").Sheet("PHASE FIGHT", "FIGHT")
	says(t, w.As("soviet").Last(), "QUESTION")
	if err := w.Office.CloseGame(context.Background(), w.Game); err != nil {
		t.Fatal(err)
	}
	w.Flush()
	for _, s := range w.Sides {
		says(t, w.As(s).Last(), "GAME OVER", "has closed game 1", "its seals stay shut")
	}
	if text, v := verified(t, w); v.Fault != nil || v.Played || strings.Contains(text, "BEGIN PBEM PLAY") {
		t.Errorf("%v\n%s", v, text)
	}
}
