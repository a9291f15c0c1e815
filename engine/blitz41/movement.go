package blitz41

import (
	"pbemd/engine"
	"pbemd/engine/board"
)

type moveState struct{}

func (s moveState) clone() moveState   { return s }
func (s *moveState) begin(p *Position) {}

var moveFacts []engine.Fact

func (g *play) enterMove()                          {}
func (g *play) leaveMove() error                    { return nil }
func (g *play) doMove(o engine.Order) (bool, error) { return false, nil }

// hexCost is what a unit pays for a hex itself in the weather there.
//
// Rule B41-9.1.C, B41-9.4, B41-9.10, B41-9.11, B41-9.24.C, B41-11.5, B41-5.12.J, B41-A111.
func (p *Position) hexCost(u, to int) int {
	v, w := p.unit(u), p.weather(to)
	t := p.d.Board.Terrain(to)
	if t == Lake {
		t = Clear
	}
	switch {
	case v.Class == "none":
		return 1
	case v.Mech():
		return p.d.Terrain[t][w].Mech
	case v.Side == soviet && p.d.SovietLegMP[w] > 0:
		return p.d.SovietLegMP[w]
	}
	return p.d.Terrain[t][w].Leg
}

// sideCost is what it costs on top to cross the side between two hexes, in the
// weather of the hex entered; ok is false if it can't be crossed at all.
//
// Rule B41-9.9, B41-9.12.A, B41-9.13.A, B41-9.14, B41-9.23.A, B41-9.24.B, B41-9.25, B41-A112, B41-A121.
func (p *Position) sideCost(from, to int) (mp int, ok bool) {
	s, w := p.d.Board.Between(from, to), p.weather(to)
	switch {
	case s&AllSea != 0:
		return 0, false
	case s&SivashSide != 0:
		return p.d.Major[Mud].MP, true
	}
	if s&LakeSide != 0 {
		if !p.d.LakeCross[w].Enter {
			return 0, false
		}
		mp += p.d.LakeCross[w].MP
	}
	switch {
	case s&(MajorRiver|KerchSide) != 0:
		mp += p.d.Major[w].MP
	case s&MinorRiver != 0:
		mp += p.d.Minor[w].MP
	}
	return mp, true
}

// enterCost is what a unit pays to go from a hex into its neighbour, hexside
// included; ok is false if it may not, and why is the key of the sentence.
//
// Rule B41-9.4, B41-9.9, B41-9.25.
func (p *Position) enterCost(u, from, to int) (mp int, ok bool, why string) {
	if ok, _, key := p.passable(p.unit(u).Side, u, from, to); !ok {
		return 0, false, key
	}
	if p.unit(u).Class == "none" {
		return 1, true, ""
	}
	side, _ := p.sideCost(from, to)
	return p.hexCost(u, to) + side, true, ""
}

// passable reports whether a unit may go from a hex into its neighbour as far
// as terrain, nationality and the ranges of special units are concerned, units
// and costs left out. It binds movement, retreat and advance alike.
//
// Rule B41-5.6.B, B41-5.12.J, B41-5.13.D, B41-5.18.A, B41-6.19, B41-6.20.C, B41-6.20.E, B41-6.21.B, B41-9.13.B, B41-9.14, B41-9.24.B, B41-9.24.C,
// B41-10.2.B, B41-11.1.A, B41-11.1.B, B41-A40.
func (p *Position) passable(side uint8, u int, from, to int) (ok bool, rule engine.RuleID, key string) {
	b := p.d.Board
	if to == board.None || !b.Adjacent(from, to) {
		return false, "B41-12.6", "b41.move.apart"
	}
	if b.Terrain(to) == Sea || b.Between(from, to)&AllSea != 0 {
		return false, "B41-9.14", "b41.move.sea"
	}
	if _, ok := p.sideCost(from, to); !ok {
		return false, "B41-9.24.B", "b41.move.lake"
	}
	if b.Terrain(to) == Lake && p.weather(to) != Frost {
		return false, "B41-9.24.C", "b41.move.lake"
	}
	return p.mayEnter(u, to)
}

// mayEnter is what bars a unit from a hex by its nature: rows, coasts and
// ranges.
func (p *Position) mayEnter(u, to int) (ok bool, rule engine.RuleID, key string) {
	v, b := p.unit(u), p.d.Board
	row := int(b.At(to).Row)
	if v.Side == axis {
		switch {
		case v.Nation == "romanian" && row < rowS:
			return false, "B41-11.1.A", "b41.move.rowS"
		case (v.Nation == "hungarian" || v.Nation == "italian") && row < rowO:
			return false, "B41-11.1.B", "b41.move.rowO"
		case p.has(u, SeaSupplied) && !b.Any(to, Coast):
			return false, "B41-5.18.A", "b41.move.seasupplied"
		}
		return true, "", ""
	}
	switch u {
	case p.special("COAST"):
		if !b.Any(to, CoastBlack|CoastAzov) {
			return false, "B41-10.2.B", "b41.move.coast"
		}
	case p.special("LPMA"):
		if b.Distance(to, p.place("LENINGRAD")) > 3 {
			return false, "B41-6.19", "b41.move.lpma"
		}
	case p.special("OBG"):
		if b.Distance(to, p.place("ORANIENBAUM")) > 1 {
			return false, "B41-6.20.C", "b41.move.obg"
		}
	case p.special("PART"):
		return false, "B41-6.21.B", "b41.move.part"
	}
	return true, "", ""
}

// The rows that bound Romanians, and Hungarians and Italians.
const (
	rowO = 'O' - 'A' + 1
	rowS = 'S' - 'A' + 1
)

// place is the hex of a name that the rules use.
func (p *Position) place(name string) int {
	h, _ := p.d.Named(name)
	return h
}
