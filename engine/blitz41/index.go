package blitz41

import (
	"slices"
	"sync/atomic"

	"pbemd/engine"
	"pbemd/engine/board"
	"pbemd/engine/hex"
	"pbemd/engine/trace"
)

// index is what the rules look up again and again, found once for a data set.
type index struct {
	msu, part, coast, lpma, obg, abn, cav int // units
	b9, b10, k5, cc11, cc12               int // hexes
	places, zomo, works, ports            []int
	edge, southEdge                       []int
	around                                [][6]int16 // by hex: neighbours to which a line may go, -1
	border                                []int16    // by hex: distance from the nearest ZOMO hex
	blank                                 []int16    // what a net begins with: lengths, and sources
	near                                  [][]int16  // by hex: hexes in reach of air supply, the nearest first
	// land keeps the distances over land from hexes that were asked for, by turn
	// and by hex. What is kept never changes.
	land [][]atomic.Pointer[[]int16]
}

// makeIndex finds it all.
func (d *Data) makeIndex() {
	b := d.Board
	at := func(c hex.Coord) int { return b.Index(c) }
	x := &index{
		msu: d.byID["MSU"], part: d.byID["PART"], coast: d.byID["COAST"], lpma: d.byID["LPMA"], obg: d.byID["OBG"], abn: d.byID["4ABN"], cav: d.byID["CAV"],
		b9: at(leningradHex), b10: at(oranienbaumHex), k5: at(moscowHex), cc11: at(kerchEast), cc12: at(kerchWest),
		around: make([][6]int16, b.Len()), border: make([]int16, b.Len()),
	}
	for range d.Turns {
		x.land = append(x.land, make([]atomic.Pointer[[]int16], b.Len()))
	}
	for h := 0; h < b.Len(); h++ {
		if b.Any(h, Place) {
			x.places = append(x.places, h)
		}
		if b.Any(h, Zomo) {
			x.zomo = append(x.zomo, h)
		}
		if b.Any(h, Fort|Fortified|Stalin) {
			x.works = append(x.works, h)
		}
		if b.Terrain(h) != Sea {
			if b.Any(h, EastEdge) {
				x.edge = append(x.edge, h)
			}
			if b.Any(h, EastEdge|SouthEdge) {
				x.southEdge = append(x.southEdge, h)
			}
		}
		for e, j := range b.Neighbours(h) {
			x.around[h][e] = -1
			if j != board.None && d.lineCrosses(h, j, hex.Direction(e)) {
				x.around[h][e] = int16(j)
			}
		}
	}
	for _, s := range d.Sites {
		if b.Is(s.Hex, Port) {
			x.ports = append(x.ports, s.Hex)
		}
	}
	x.blank = make([]int16, 2*b.Len())
	for h := 0; h < b.Len(); h++ {
		x.blank[h], x.blank[b.Len()+h] = trace.Far, board.None
	}
	for h := range x.border {
		x.border[h] = 1 << 10
		for _, z := range x.zomo {
			x.border[h] = min(x.border[h], int16(b.Distance(h, z)))
		}
	}
	const reach = 6
	x.near = make([][]int16, b.Len())
	for h := range x.near {
		var rings [reach + 1][]int16
		for j := 0; j < b.Len(); j++ {
			if far := b.Distance(h, j); far <= reach {
				rings[far] = append(rings[far], int16(j))
			}
		}
		x.near[h] = slices.Concat(rings[:]...)
	}
	d.index = x
}

// lineCrosses reports whether a line may go from i to its neighbour j, as far
// as water is concerned.
//
// Rule B41-5.6.A, B41-5.6.A.ex, B41-5.6.A.exc, B41-5.6.B, B41-5.6.D, B41-5.7.A.
func (d *Data) lineCrosses(i, j int, e hex.Direction) bool {
	s := d.Board.Side(i, e)
	return (s&AllSea == 0 || s&KerchSide != 0) && d.Board.Terrain(j) != Sea
}

// special finds a unit that the rules name.
func (p *Position) special(id engine.UnitID) int {
	x := p.d.index
	switch id {
	case "MSU":
		return x.msu
	case "PART":
		return x.part
	case "COAST":
		return x.coast
	case "LPMA":
		return x.lpma
	case "OBG":
		return x.obg
	case "4ABN":
		return x.abn
	case "CAV":
		return x.cav
	}
	return p.d.byID[id]
}

// named is the board index of a hex that the rules name.
func (p *Position) named(at string) int {
	x := p.d.index
	switch at {
	case "B9":
		return x.b9
	case "B10":
		return x.b10
	case "K5":
		return x.k5
	case "CC11":
		return x.cc11
	case "CC12":
		return x.cc12
	}
	return p.d.Board.Index(hex.MustParse(at))
}
