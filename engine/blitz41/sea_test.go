package blitz41

import (
	"testing"

	"pbemd/engine"
	"pbemd/engine/hex"
)

func seaTo(at string) SeaMove { return SeaMove{To: hex.MustParse(at)} }

// The Coastal Army by sea.
func TestSeaMoves(t *testing.T) {
	t.Run("B41-X202", func(t *testing.T) {
		state := "turn 4 soviet move\nY17 COAST 2"
		m := movingAt(t, state)
		if way := m.pos().seaWay([]int{m.pos().named("Y17"), m.pos().named("DD14")}); len(way) != 6 {
			t.Errorf("DD14 is %d hexes away", len(way))
		}
		r := m.bad("B41-10.1", seaTo("CC14"))
		if r.Text.Key != "b41.sea.far" {
			t.Errorf("%v", r)
		}
		m.bad("B41-9.13.B", seaTo("Z13"))
		m.bad("B41-10.1", seaTo("X12"))
		m.do(seaTo("DD14"))
		m.at("COAST", "DD14")
		m.bad("B41-10.1", seaTo("CC15"))
		m = movingAt(t, state+"\nBB15 13G 4")
		m.bad("B41-10.1", seaTo("BB15"))
		m = movingAt(t, state+"\ncontrol axis BB15")
		m.do(seaTo("BB15"))
		m.owner("BB15", Soviet)
	})
	t.Run("B41-X203", func(t *testing.T) {
		m := movingAt(t, "turn 4 soviet move\nDD10 COAST 2")
		if way := m.pos().seaWay([]int{m.pos().named("DD10"), m.pos().named("Z12")}); len(way) != 5 {
			t.Errorf("Z12 is %d hexes away", len(way))
		}
		if way := m.pos().seaWay([]int{m.pos().named("DD10"), m.pos().named("CC13")}); len(way) != 3 {
			t.Errorf("CC13 is %d hexes away", len(way))
		}
		m.do(seaTo("Z12"))
		m = movingAt(t, "turn 4 soviet move\nDD10 COAST 2\ncontrol axis CC12")
		m.bad("B41-10.4", seaTo("Z12"))
		m.do(seaTo("CC13"))
		m = movingAt(t, "turn 4 soviet move\nDD10 COAST 2\nK7 24A 2")
		m.do(moveOf("24A", "K6"))
		m.bad("B41-10.1", seaTo("CC13"))
	})
	t.Run("B41-10.2.A", func(t *testing.T) {
		m := movingAt(t, "turn 4 soviet move\nDD10 COAST 2\nCC13 24A 2")
		m.do(seaTo("CC13"))
		m.bad("B41-12.5", stackOf("CC13", "COAST 24A"))
		m.do(moveOf("COAST", "CC12"))
		m.at("COAST", "CC12")
		m.mp("COAST", 3)
		m.do(moveOf("24A", "BB13"))
		m.bad("B41-12.8", moveOf("COAST", "CC13"))
	})
	t.Run("VIA", func(t *testing.T) {
		m := movingAt(t, "turn 4 soviet move\nY17 COAST 2")
		m.bad("B41-10.1", SeaMove{To: hex.MustParse("DD14"), Via: []hex.Coord{hex.MustParse("AA19")}})
		m.bad("B41-10.1", SeaMove{To: hex.MustParse("DD14"), Via: []hex.Coord{hex.MustParse("CC15")}})
		m.do(SeaMove{To: hex.MustParse("CC15"), Via: []hex.Coord{hex.MustParse("AA17")}})
		for _, e := range m.log {
			if f, ok := e.Fact.(SeaMoved); ok && (len(f.Path) > 6 || f.Path[len(f.Path)-1].String() != "CC15") {
				t.Errorf("way %v", f.Path)
			}
		}
	})
	t.Run("B41-10.3.B no port, no sea movement", func(t *testing.T) {
		m := movingAt(t, "turn 4 soviet move\nCC12 COAST 2\ncontrol axis Y17 CC15 DD10")
		m.bad("B41-10.3.B", seaTo("CC13"))
	})
	t.Run("B41-5.13.D the Coastal Army keeps to the coast", func(t *testing.T) {
		m := movingAt(t, "turn 4 soviet move\nY17 COAST 2")
		m.bad("B41-10.2.B", moveOf("COAST", "X16"))
		m.bad("B41-10.2.B", moveOf("COAST", ">X16"))
		m.do(moveOf("COAST", "Y16"))
	})
}

// Axis units leave by sea, for good.
func TestEvacuation(t *testing.T) {
	state := "turn 3 axis move\nD17 13G 4\nD17 56PZ 4\nD18 42G 4\nH19 43G 4"
	out := func(at string, units ...engine.UnitID) Evacuate {
		return Evacuate{Baltic: true, At: hex.MustParse(at), Units: Units{IDs: units}}
	}
	t.Run("B41-X204", func(t *testing.T) {
		m := movingAt(t, state)
		vp := m.pos().VP()
		m.do(out("D17", "13G"))
		m.at("13G", "", "56PZ", "D17")
		if m.pos().where[m.pos().d.Unit("13G")] != Gone || m.pos().VP() != vp {
			t.Errorf("13G is %v, %d VP", m.pos().where[m.pos().d.Unit("13G")], m.pos().VP())
		}
		m.bad("B41-10.5.B", out("D18", "42G"))
		m = movingAt(t, state)
		m.do(moveOf("43G", "H18"))
		m.bad("B41-10.5.B", out("D17", "13G"))
	})
	t.Run("B41-10.5.B one hex a sea area", func(t *testing.T) {
		m := movingAt(t, state+"\nBB15 12G 4")
		m.do(out("D17"), Evacuate{At: hex.MustParse("BB15")})
		m.at("13G", "", "56PZ", "", "12G", "")
		m.bad("B41-10.5.A", out("H19"))
	})
}
