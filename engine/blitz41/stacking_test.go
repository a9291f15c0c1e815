package blitz41

import (
	"testing"

	"pbemd/engine"
	"pbemd/engine/hex"
)

// What may stay in one hex.
func TestStacking(t *testing.T) {
	for _, c := range []struct {
		id, units string
		hex       string
		side      engine.Side
		rule      engine.RuleID // "": legal
	}{
		{"B41-X88 three strong armies and two corps", "24A 2, 28A 2, 29A 2, 3MC 1, 1MC 1", "M8", Soviet, ""},
		{"B41-X88 three corps", "24A 2, 3MC 1, 1MC 1, 4MC 1", "M8", Soviet, "B41-8.2"},
		{"B41-X88 four armies and a corps", "24A 2, 28A 2, 29A 2, 30A 2, 3MC 1", "M8", Soviet, "B41-8.1"},
		{"B41-A92 3½ is legal", "24A 2, 28A 2, 29A 2, 3MC 1", "M8", Soviet, ""},
		{"B41-X89 Moscow", "24A 2, 28A 2, 29A 2, 30A 2, MSU 1, 4ABN 2", "K5", Soviet, ""},
		{"B41-X89 Leningrad", "24A 2, 28A 2, 29A 2, 30A 2, LPMA 1", "B9", Soviet, ""},
		{"B41-X89 after the drop", "24A 2, 28A 2, 29A 2, 30A 2, 4ABN 1 dropped", "K8", Soviet, "B41-8.1"},
		{"B41-8.3 attack of 6", "1SH 2, 24A 2, 28A 2, 29A 2", "M8", Soviet, "B41-8.1"},
		{"B41-A34 the face in play", "1SH 1, 24A 2, 28A 2, 29A 2", "M8", Soviet, ""},
		{"B41-X198 FMG full", "FMG 2, 24A 2, 28A 2, 29A 2", "M8", Soviet, "B41-8.1"},
		{"B41-X198 FMG reduced", "FMG 1, 24A 2, 28A 2, 29A 2", "M8", Soviet, ""},
		{"B41-X90 both Romanians", "3RUM 2, 4RUM 2", "S20", Axis, "B41-8.4.B"},
		{"B41-X90 Romanian and Hungarian", "3RUM 2, SCH 2", "S20", Axis, "B41-8.4.C"},
		{"B41-X90 Romanian and three corps", "3RUM 2, 13G 4, 42G 4, 56PZ 4", "S20", Axis, ""},
		{"B41-X90 and a fourth", "3RUM 2, 13G 4, 42G 4, 56PZ 4, 43G 4", "S20", Axis, "B41-8.1"},
		{"B41-8.1 five corps", "13G 4, 42G 4, 56PZ 4, 43G 4, 46PZ 4", "H17", Axis, ""},
		{"B41-8.1 six corps", "13G 4, 42G 4, 56PZ 4, 43G 4, 46PZ 4, 57PZ 4", "H17", Axis, "B41-8.1"},
	} {
		t.Run(c.id, func(t *testing.T) {
			state := "turn 6 " + string(c.side) + " move\nvp 40"
			for _, u := range splitList(c.units) {
				state += "\n" + c.hex + " " + u
			}
			m := movingAt(t, state)
			h := m.pos().named(c.hex)
			r := m.pos().stackRefusal(h, number(c.side), nil, nil)
			switch {
			case r == nil && c.rule != "":
				t.Errorf("legal, want a refusal by %s", c.rule)
			case r != nil && r.Rule != c.rule:
				t.Errorf("refused: %v, want %q", r, c.rule)
			}
			if m.pos().stackLegal(h, number(c.side)) != (c.rule == "") {
				t.Error("stackLegal disagrees")
			}
		})
	}
}

func splitList(s string) []string {
	var out []string
	for _, w := range []byte(s) {
		if len(out) == 0 || w == ',' {
			out = append(out, "")
			if w == ',' {
				continue
			}
		}
		if n := len(out) - 1; w != ' ' || out[n] != "" {
			out[n] += string(w)
		}
	}
	return out
}

// When the limit is enforced: passing never, the end of the phase always.
func TestStackingAtTheEndOfThePhase(t *testing.T) {
	four := "M8 24A 2\nM8 28A 2\nM8 29A 2\nM8 30A 2\n"
	t.Run("B41-8.7 passing is free", func(t *testing.T) {
		m := movingAt(t, "turn 4 soviet move\nN8 31A 2\n"+four)
		m.do(moveOf("31A", "M8 L7"), engine.EndPhase{})
	})
	t.Run("B41-A91 an order that must end illegal is refused", func(t *testing.T) {
		m := movingAt(t, "turn 4 soviet move\nM9 31A 2\n"+four)
		m.do(moveOf("31A", "M8"))
		// The others could still go away, so the phase can't be closed yet.
		r := m.bad("B41-8.1", engine.EndPhase{})
		if r.Hints[0].Key != "b41.move.hint.mend" {
			t.Errorf("%v", r)
		}
		m.do(moveOf("24A", "L7"), engine.EndPhase{})
		// Where everybody else has finished, the order itself is refused.
		m = movingAt(t, "turn 4 soviet move\nM9 31A 2\nN8 24A 2\nN8 28A 2\nN8 29A 2\nN8 30A 2\n")
		m.do(stackOf("N8", "24A 28A 29A 30A"), goAlong("M8"), EndStack{})
		m.do(moveOf("31A", "M10 M9"))
		m.mp("31A", 1)
		m.bad("B41-8.1", moveOf("31A", "E*1"))
	})
	t.Run("B41-A91 sealing the last that could go away", func(t *testing.T) {
		m := movingAt(t, "turn 4 soviet move\nM9 31A 2\nK4 32A 2\nN8 24A 2\nN8 28A 2\nN8 29A 2\nN8 30A 2\n")
		m.do(moveOf("31A", "M8"), stackOf("N8", "24A 28A 29A 30A"), goAlong("M8"))
		r := m.bad("B41-8.1", moveOf("32A", "K3"))
		if r.Hints[0].Key != "b41.move.hint.stackfirst" {
			t.Errorf("%v", r)
		}
	})
	t.Run("B41-A91 of two full hexes the stack on its way comes first", func(t *testing.T) {
		// C12 comes before M8 on the map; its units may not move before the stack
		// that has filled M8.
		m := movingAt(t, "turn 4 soviet move\nM9 31A 2\nN8 24A 2\nN8 28A 2\nN8 29A 2\nN8 30A 2\n"+
			"C12 32A 2\nC12 33A 2\nC12 37A 2\nC12 38A 2\nC12 40A 2\n")
		m.do(moveOf("31A", "M8"), stackOf("N8", "24A 28A 29A 30A"), goAlong("M8"), EndStack{})
		m.bad("B41-8.1", moveOf("32A", "C11"))
		if r := m.bad("B41-8.1", engine.EndPhase{}); r.Text.Args["hex"] != "M8" {
			t.Errorf("the phase can't be closed for %v", r)
		}
		m.do(moveOf("24A", "N8"))
		if r := m.bad("B41-8.1", engine.EndPhase{}); r.Text.Args["hex"] != "C12" {
			t.Errorf("the phase can't be closed for %v", r)
		}
		m.do(moveOf("32A", "C11"), engine.EndPhase{})
	})
	t.Run("B41-A91 dice have done it: the last arrivals go back", func(t *testing.T) {
		m := movingAt(t, "turn 4 soviet move\nM9 31A 2\n"+four)
		m.do(stackOf("M9", "31A"), goAlong("M8"))
		p := m.pos()
		for _, u := range []engine.UnitID{"24A", "28A", "29A", "30A", "31A"} {
			p.flags[p.d.Unit(u)] |= Done
		}
		m.do(engine.EndPhase{})
		m.at("31A", "M9", "24A", "M8", "30A", "M8")
	})
	t.Run("B41-X89 the drop on a full hex", func(t *testing.T) {
		m := movingAt(t, "turn 5 soviet move\nK5 4ABN 2\nM8 24A 2\nM8 28A 2\nM8 29A 2\nM8 30A 2")
		m.do(Airdrop{hex.MustParse("M8")})
		m.bad("B41-8.1", engine.EndPhase{})
		m.do(moveOf("24A", "L7"), engine.EndPhase{})
	})
}
