package blitz41

import (
	"strings"
	"testing"

	"pbemd/engine"
)

// The states of supply, new units and battles come back as they were.
func TestNotationOfTheAreasRoundTrips(t *testing.T) {
	r := New(shipped(t), Options{})
	text := `turn 8 axis assault
J12 13G 2
K11 56PZ 4 air
K9 24A 2 retreated
waiting 4RUM 2
supply hedgehog J12
supply air 2
supply baltic D18
supply declared
supply leningrad
supply romanian 3
supply award 8
new pool NONMECH 4
new pool SOVIET 7
new transits 2
new nomech
new left 4RUM Romania
fight attacked 24A
fight cavalry
fight pa axis WON at K10 from K11 by 56PZ against 24A 3MC lost 1 2 cleared
`
	p, err := r.ParseState(text)
	if err != nil {
		t.Fatal(err)
	}
	full := r.FormatState(p)
	q, err := r.ParseState(full)
	if err != nil {
		t.Fatalf("%v in\n%s", err, full)
	}
	if again := r.FormatState(q); again != full {
		t.Errorf("came back as\n%s\nnot\n%s", again, full)
	}
	for _, l := range strings.Split(strings.TrimSpace(text), "\n")[5:] {
		if !strings.Contains(full, l+"\n") {
			t.Errorf("%q is lost in\n%s", l, full)
		}
	}
}

func TestNotationOfTheStartRoundTrips(t *testing.T) {
	r := New(shipped(t), Options{})
	p, _, err := engine.Begin(r, engine.Env{})
	if err != nil {
		t.Fatal(err)
	}
	text := r.FormatState(p)
	q, err := r.ParseState(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if again := r.FormatState(q); again != text {
		t.Errorf("came back as\n%s\nnot\n%s", again, text)
	}
	s, err := r.ParseState("turn 1 axis assault serial 1\nbase start")
	if err != nil {
		t.Fatal(err)
	}
	if short := r.FormatState(s); short != text {
		t.Errorf("base start is\n%s\nnot\n%s", short, text)
	}
}
