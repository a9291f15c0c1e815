package orders

import (
	"strings"
	"testing"
)

// CHECK above the heading counts, wherever a sheet is one to be tried.
func TestCheckAboveTheHeading(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string // "check" or "do" and the canonical lines
	}{
		{"directly", "CHECK\nGAME 12\nHOLD 1A\nEND\n", []string{"check GAME 12/CHECK/HOLD 1A/END"}},
		{"small letters, a full stop, a gap", "check.\n\nGame 12\nHOLD 1A\nEND\n", []string{"check GAME 12/CHECK/HOLD 1A/END"}},
		{"another word for it", "PREVIEW\nGAME 12\nHOLD 1A\nEND\n", []string{"check GAME 12/CHECK/HOLD 1A/END"}},
		{"below words", "Hello,\nCHECK\nGAME 12\nHOLD 1A\nEND\n", []string{"check GAME 12/CHECK/HOLD 1A/END"}},
		{"above and within", "CHECK\nGAME 12\nCHECK\nHOLD 1A\nEND\n", []string{"check GAME 12/CHECK/HOLD 1A/END"}},
		{"the heading twice", "CHECK\nGAME 12\nGAME 12\nHOLD 1A\nEND\n", []string{"check GAME 12/CHECK/HOLD 1A/END"}},
		{"between two sheets", "GAME 12\nHOLD 1A\nEND\nCHECK\nGAME 15\nHOLD 1A\nEND\n", []string{"do GAME 12/HOLD 1A/END", "check GAME 15/CHECK/HOLD 1A/END"}},
		{"in the sheet before", "GAME 12\nCHECK\nEND\nGAME 15\nHOLD 1A\nEND\n", []string{"check GAME 12/CHECK/END", "do GAME 15/HOLD 1A/END"}},
		{"words between", "CHECK\nplease\nGAME 12\nHOLD 1A\nEND\n", []string{"do GAME 12/HOLD 1A/END"}},
		{"a sentence", "Please CHECK\nGAME 12\nHOLD 1A\nEND\n", []string{"do GAME 12/HOLD 1A/END"}},
	} {
		sheets, found := Parse(strings.Split(c.text, "\n"), Generic())
		var got []string
		for _, s := range sheets {
			word := "do "
			if s.Check {
				word = "check "
			}
			got = append(got, word+strings.Join(s.Canonical(), "/"))
		}
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") || len(found) > 0 {
			t.Errorf("%s: got %q %v, want %q", c.name, got, found, c.want)
		}
	}
	if s, _ := Parse(strings.Split("GAME 12\nHOLD 1A\nCHECK\nGAME 15\nHOLD 1A\nEND\n", "\n"), Generic()); len(s) != 1 || !s[0].Check {
		t.Errorf("below a sheet without its END: %v", s)
	}
	s, _ := Parse([]string{"CHECK", "GAME 12", "HOLD 1A", "END"}, Generic())
	if n := s[0].Lines[0].Notes; len(n) != 1 || n[0].As != Check || !strings.Contains(n[0].Was, "above GAME") {
		t.Errorf("the player isn't told: %v", n)
	}
}

// The lines of a dice record are no sheets, and no part of one.
func TestRecordsHoldNoHeadings(t *testing.T) {
	const sheet = "GAME 12\nHOLD 1A\nEND\n"
	const record = "-----BEGIN PBEM RECORD-----\npbem-record v1 step\ngame: 1\nstep: 2\n-----END PBEM RECORD-----\n"
	for _, c := range []struct {
		name, text string
		sheets     int
	}{
		{"below", sheet + record, 1},
		{"above", record + sheet, 1},
		{"two", record + sheet + record, 1},
		{"two, and a sheet of another game", record + record + sheet + "GAME 15\nHOLD 1A\nEND\n", 2},
		{"without its end", sheet + "-----BEGIN PBEM RECORD-----\ngame: 1\nstep: 2\n", 1},
		{"without its end, a sheet below", "-----BEGIN PBEM RECORD-----\ngame: 1\nstep: 2\n\n" + sheet, 1},
		{"within a sheet", "GAME 12\n" + record + "HOLD 1A\nEND\n", 1},
	} {
		sheets, found := Parse(strings.Split(c.text, "\n"), Generic())
		if len(sheets) != c.sheets || len(found) > 0 || sheets[0].Heading() != "GAME 12" || len(sheets[0].Lines) != 1 {
			t.Errorf("%s: %v %v", c.name, sheets, found)
		}
	}
}
