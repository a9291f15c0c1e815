package blitz41

import (
	"testing"

	"pbemd/engine"
)

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
