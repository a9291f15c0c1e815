package orders

import (
	"reflect"
	"strings"
	"testing"
)

// board is a grammar as a game of lettered rows has it.
func board() Grammar {
	g := Generic()
	g.Hex, g.Rows = RowHex, true
	for i := range g.Verbs {
		if g.Verbs[i].Name == "ATTACK" {
			g.Verbs[i].Aliases = []string{"ASSAULT THE"}
			g.Verbs[i].Usage = "ATTACK hex FROM hex: units"
		}
	}
	return g
}

func parse(t *testing.T, body string, g Grammar) ([]Sheet, []Finding) {
	t.Helper()
	return Parse(strings.Split(body, "\n"), g)
}

func TestLinesBecomeCanonical(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"move 56pz k07 - k-8 -> KO9 > k1o", "MOVE 56PZ K7-K8-K9-K10"},
		{"move 24a from K 7 to AA 14", "MOVE 24A FROM K7 TO AA14"},
		{"move 24a from E 7", "MOVE 24A FROM E7"},
		{"go w 2", "GO W2"},
		{"move 56pz K-7-K-8", "MOVE 56PZ K7-K8"},
		{"move 56pz N14-014", "MOVE 56PZ N14-O14"},
		{"area j7-n6 hold 1", "AREA J7-N6 HOLD 1"},
		{"move all-13g from h18", "MOVE ALL-13G FROM H18"},
		{"ma h17 air 1 if odds <= 4 loss steps", "MA H17 AIR 1 IF ODDS <= 4 LOSS STEPS"},
		{"if mp > 3 : go h17", "IF MP > 3 : GO H17"},
		{"attack k9 if odds => 3", "ATTACK K9 IF ODDS => 3"},
		{"assault the k9 from k8: 24a", "ATTACK K9 FROM K8: 24A"},
		{"move 1sh k9 # fast; very", "MOVE 1SH K9"},
		{"move 24a e*2.", "MOVE 24A E*2"},
		{"help rule 14.7.c", "HELP RULE 14.7.C"},
		{`name 56pz "Desert # Rats"`, `NAME 56PZ "Desert # Rats"`},
		{"address New.Name@Example.net", "ADDRESS New.Name@Example.net"},
		{"salt   my  Secret # 1 ", "SALT my  Secret # 1"},
	} {
		s, f := parse(t, "GAME 12\n"+c.in+"\nEND", board())
		if len(s) != 1 || len(s[0].Lines) != 1 || len(f) > 0 {
			t.Errorf("%q: %v %v", c.in, s, f)
			continue
		}
		if got := s[0].Canonical()[1]; got != c.want {
			t.Errorf("%q: got %s, want %s", c.in, got, c.want)
		}
	}
}

func TestCorrectionsAreNoted(t *testing.T) {
	s, _ := parse(t, "GAME 12\nMOVE 56PZ K07-KO8-K 9\nPREVIEW\nEND", board())
	want := []Note{{"K07", "K7"}, {"KO8", "K8"}}
	if got := s[0].Lines[0].Notes; !reflect.DeepEqual(got[:2], want) {
		t.Errorf("got %v, want %v first", got, want)
	}
	if !s[0].Check || s[0].Lines[1].Text != "CHECK" || s[0].Lines[1].Notes[0] != (Note{"PREVIEW", "CHECK"}) {
		t.Errorf("%+v", s[0].Lines[1])
	}
}

func TestHexesOfFourDigits(t *testing.T) {
	g := Generic()
	g.Hex = NumberHex
	g.Place = func(w string) bool { return w == "KIEV" }
	s, f := parse(t, "GAME 3\nMOVE 3PZ+4PZ 28O3 > 2703-KIEV > 3308e\nEND", g)
	if len(f) > 0 || s[0].Lines[0].Text != "MOVE 3PZ+4PZ 2803-2703-KIEV-3308E" {
		t.Errorf("%v %v", s, f)
	}
}

func TestFindings(t *testing.T) {
	for _, c := range []struct {
		in   string
		code string
		line int
	}{
		{"GAME 12\nMOVE 56PZ Н15\nEND", Homoglyph, 2},
		{"GAME 12\nMOVE 56PZ Α15\nEND", Homoglyph, 2},
		{"GAME 12\nf\u0131re 56PZ\nEND", Homoglyph, 2},
		{"GAME 12\nMOVE 56PZ 😀\nEND", Character, 2},
		{"GAME 12\nMOVE 56PZ H15 ← H14\nEND", Character, 2},
		{"GAME 12\nMOVE 56PZ!\nEND", Character, 2},
		{"GAME 12\n\nMOVE 5\x016PZ\nEND", BadCharacters, 3},
		{"GAME 12\nMESSAGE a\x1bb\nEND", BadCharacters, 2},
		{"GAME 12\nNAME 56PZ \"x\nEND", Quotes, 2},
		{"GAME 12\nMOVE 56PZ H15", Unterminated, 1},
		{"GAME 12\nMOVE 56PZ H15\nGAME 13\nEND", Unterminated, 1},
		{"GAME 12 TRUN 5\nHOLD 1A\nEND", Heading, 1},
		{"GAME 12\nHOLD 1A\nCHECK\nEND", CheckNotFirst, 3},
		{"GAME 12\nMESSAGE\nHello\nEND", OpenMessage, 2},
		{"GAME 12\nIF WON\nEND", Condition, 2},
		{"GAME 12\nIF WON:\nEND", Condition, 2},
		{"GAME 12\nHOLD 1A\nEND\nGAME 12\nHOLD 2A\nEND", Conflict, 4},
	} {
		_, f := parse(t, c.in, board())
		if len(f) != 1 || f[0].Code != c.code || f[0].Line != c.line {
			t.Errorf("%q: got %v, want %s in line %d", c.in, f, c.code, c.line)
		}
	}
	_, f := parse(t, "GAME 12\nMOVE 56PZ Н15\nEND", board())
	if a := f[0].Args; a["code"] != "U+041D" || a["name"] != "cyrillic capital letter en" || a["ours"] != "H" || a["word"] != "Н15" {
		t.Errorf("arguments %v", a)
	}
}

func TestJoins(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"MOVE 56PZ H15-\n# note\nH14", "MOVE 56PZ H15-H14"},
		{"MOVE 56PZ\n\nH15", "MOVE 56PZ H15"},
		{"ATTACK K9 FROM K8: 24A,\nAIRSUPPLY IF PENALTY > 0", "ATTACK K9 FROM K8: 24A|AIRSUPPLY IF PENALTY > 0"},
		{"ATTACK K9 FROM K8: 24A\nLOSS STEPS\nADVANCE NONE", "ATTACK K9 FROM K8: 24A LOSS STEPS ADVANCE NONE"},
		{"HOLD 1A\nLOSS STEPS", "HOLD 1A|LOSS STEPS"},
		{"IF WON:\nMOVE 56PZ H15", "IF WON: MOVE 56PZ H15"},
		{"IF WON 2 THEN MOVE 56PZ H15", "IF WON 2 THEN MOVE 56PZ H15"},
		{"HOLD 1A,\nHOLD 2A", "HOLD 1A|HOLD 2A"},
		{"HOLD 1A \\\nHOLD 2A", "HOLD 1A HOLD 2A"},
		{"CONTINUE\nH15", "CONTINUE|H15"},
		{"HOLD 1A\nPHASE ASSAULT\nATTACK K9", "HOLD 1A|PHASE ASSAULT|ATTACK K9"},
		{"HOLD 1A,\nEND PHASE", "HOLD 1A|END PHASE"},
	} {
		s, f := parse(t, "GAME 12\n"+c.in+"\nEND", board())
		if len(s) != 1 || len(f) > 0 {
			t.Errorf("%q: %v %v", c.in, s, f)
			continue
		}
		var got []string
		for _, l := range s[0].Lines {
			got = append(got, l.Text)
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%q: got %s, want %s", c.in, strings.Join(got, "|"), c.want)
		}
	}
}

func TestConditionsAreTakenOff(t *testing.T) {
	s, _ := parse(t, "GAME 12\nIF BATTLE K9 WON: PROBE J9 FROM J8: 31A\nEND", board())
	l := s[0].Lines[0]
	if l.If != "BATTLE K9 WON" || l.Verb != "PROBE" || l.Tokens[0].Text != "PROBE" || l.Tokens[1] != (Token{Hex, "J9", strings.Index(l.Text, "J9")}) {
		t.Errorf("%+v", l)
	}
}

func TestTextsAreWordForWord(t *testing.T) {
	in := []string{"GAME 12", "MESSAGE", "1. Hello -> you,", "", "GAME over # maybe", "END MESSAGE", "message you're late", "  and wrong", "HOLD 1A", "END"}
	raw := append([]string(nil), in...)
	raw[2], raw[6] = "1. Hello → you,", "* MESSAGE you’re late"
	s, f := ParseRaw(in, raw, board())
	if len(f) > 0 || len(s) != 1 || len(s[0].Lines) != 3 {
		t.Fatalf("%v %v", s, f)
	}
	if got := s[0].Lines[0].Words; got != "1. Hello → you,\n\nGAME over # maybe" {
		t.Errorf("block %q", got)
	}
	if got := s[0].Lines[1].Words; got != "you’re late\n  and wrong" {
		t.Errorf("line %q", got)
	}
}

func TestCursor(t *testing.T) {
	g := board()
	s, _ := parse(t, "GAME 12\nATTACK K9 FROM K8: 24A 3MC AIR 2\nATTACK K9 FORM K8\nMOVE 56PZ H15-H14 X\nEND", g)
	c := NewCursor(&s[0].Lines[0], g)
	hex, _ := c.Hex("a hex")
	_, from := c.Expect("FROM")
	origin, _ := c.Hex("a hex")
	colon := c.Accept(":")
	u1, _ := c.Word("a unit")
	u2, _ := c.Word("a unit")
	_, air := c.AcceptAny("ALLOUT", "AIR")
	n, _ := c.Int("a number")
	if hex != "K9" || !from || origin != "K8" || !colon || u1 != "24A" || u2 != "3MC" || !air || n != 2 || !c.End() {
		t.Errorf("%s %v %s %v %s %s %v %d %v", hex, from, origin, colon, u1, u2, air, n, c.Findings())
	}
	c = NewCursor(&s[0].Lines[1], g)
	c.Hex("a hex")
	c.Expect("FROM", "IF")
	c.Hex("a hex") // stands still after the first fault
	if f := c.Findings(); len(f) != 1 || f[0].Code != Expected || f[0].Line != 3 || f[0].Args["got"] != "FORM" || f[0].Args["suggest"] != "FROM" {
		t.Errorf("%v", f)
	}
	c = NewCursor(&s[0].Lines[2], g)
	c.Word("a unit")
	path, ok := c.Path("a hex")
	if !ok || !reflect.DeepEqual(path, []string{"H15", "H14"}) || c.End() || c.Findings()[0].Code != LeftOver {
		t.Errorf("%v %v %v", path, ok, c.Findings())
	}
}

func TestSuggest(t *testing.T) {
	all := []string{"ATTACK", "MOVE", "PROBE", "STACK", "HOLD", "REPLACE", "REPORT"}
	for _, c := range []struct {
		in   string
		want []string
	}{{"ATACK", []string{"ATTACK", "STACK"}}, {"MVOE", []string{"MOVE"}}, {"REP", []string{"REPLACE", "REPORT"}}, {"XYZZY", nil}, {"", nil}} {
		if got := Suggest(c.in, all); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.in, got, c.want)
		}
	}
}

func TestEveryVerbOfTheTableIsFound(t *testing.T) {
	for _, v := range Generic().Verbs {
		s, _ := parse(t, "GAME 1\n"+strings.ToLower(v.Name)+"\nEND "+v.Name+"\nEND", Generic())
		if len(s) != 1 || s[0].Lines[0].Verb != v.Name {
			t.Errorf("%s: %+v", v.Name, s)
		}
	}
}

// same compares what Parse must find again in what Format wrote.
func same(t *testing.T, text string, g Grammar) {
	t.Helper()
	first, _ := Parse(strings.Split(text, "\n"), g)
	for _, s := range first {
		again, _ := Parse(strings.Split(Format(s), "\n"), g)
		if len(again) != 1 || Format(again[0]) != Format(s) || len(again[0].Lines) != len(s.Lines) {
			t.Fatalf("of %q\nwritten %q\nread    %v", text, Format(s), again)
		}
	}
}

func TestFormatOfParseIsStable(t *testing.T) {
	for _, text := range seeds {
		same(t, text, board())
		same(t, text, Generic())
	}
}

var seeds = []string{
	"GAME 12\nMOVE 56PZ H15-H14-H13\nEND\n",
	"GAME 12 TURN 5 PHASE MOVE\nCHECK\nSTACK H19: 56PZ 41PZ 13G\n  GO H18\nIF WON: SPLIT 41PZ AS NORTH\nDONE\nEND PHASE\nEND",
	"GAME 12\nMESSAGE\n one\n\n# two\nEND MESSAGE\nNOTE x # y\nMESSAGE three\nfour\nEND",
	"GAME 12\nMESSAGE\nGAME 12\nEND\nGAME 13\nEND",
	"GAME 3\nMOVE S1TK+S2TK 2803-2704\nATTACK KIEV WITH 3PZ,\n4A\nEND",
	"GAME 1\nIF A: MESSAGE b\nIF\nX,\n\\\nK 7-\nEND",
	"GAME 1\nIF A: ME=SAGE b\n\\\nK 7-\nEND",
	"GAME 1\nMOVE \"a > b\" ->\n> = =>\nEND",
	"GAME 1\nASSAULT  THE K9\nIF X: ASSAULT THE K8\nEND",
}

func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, g := range []Grammar{board(), Generic(), {}} {
			sheets, found := Parse(strings.Split(text, "\n"), g)
			for _, s := range sheets {
				clean := true
				for _, x := range found {
					clean = clean && (x.Line < s.Line || x.Line > s.Last)
				}
				for _, l := range s.Lines {
					clean = clean && l.Verb != ""
				}
				if clean { // a sheet with a finding, or an unknown verb, is never executed, so never written again
					again, _ := Parse(strings.Split(Format(s), "\n"), g)
					if len(again) != 1 || Format(again[0]) != Format(s) {
						t.Fatalf("written %q\nread %v", Format(s), again)
					}
				}
				for _, l := range s.Lines {
					c := NewCursor(&l, g)
					c.Path("a hex")
					c.Rest()
					c.End()
				}
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	lines := strings.Split("GAME 12 TURN 5 PHASE MOVE\n"+strings.Repeat("MOVE 56PZ FROM H19 H18-H17-H16\n", 30)+"END", "\n")
	g := board()
	b.ReportAllocs()
	for b.Loop() {
		Parse(lines, g)
	}
}
