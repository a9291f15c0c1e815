package engine

import (
	"pbemd/engine/hex"
	"pbemd/engine/scene"
)

// View is what one side may know of a position. It holds nothing else, so that
// whoever writes a report or draws a map can't give anything away.
type View struct {
	Game     string
	Side     Side // who sees it; "" is the public
	State    State
	Title    Text      // Axis movement, turn 5
	Status   []Line    // weather, victory points, air points …
	Sections []Section // own forces, enemy seen, new units …
	Options  []Text    // what may be ordered now
	Template []string  // orders to fill in, without GAME and END
	Scene    scene.Scene
	Sectors  []Sector      // parts of the map that a report goes by, in its order
	Supply   []scene.Shade // for a map of it: how units of the viewer would be supplied, hex by hex
}

// Sector is a part of the map with a name.
type Sector struct {
	Key   string // as in the keys of its sections: own.north
	Name  Text
	Span  Text // which hexes: rows A–I
	Hexes []hex.Coord
}

// Line is a label and its value.
type Line struct {
	Label Text `json:"label"`
	Value Text `json:"value"`
}

// Section is a table of a report. Columns and cells are sentences too, or plain
// words with the key "plain" and the argument "s".
type Section struct {
	Key     string   `json:"key"` // what it is, for layout: own.north, enemy.north, off, new, places, warning, terms
	Title   Text     `json:"title"`
	Columns []Text   `json:"columns,omitempty"`
	Rows    [][]Text `json:"rows,omitempty"`
	Notes   []Text   `json:"notes,omitempty"`
}

// Plain is a word or number that needs no translation.
func Plain(s string) Text { return T("plain", "s", s) }

// Form is the form of an order: words in capitals to be written as they are, and
// words in small letters to be replaced, which are translated.
func Form(s string) Text { return T("form", "s", s) }

// Item is one entry of a battle log.
type Item struct {
	Seq   int    `json:"seq"`
	Rule  RuleID `json:"rule,omitempty"`
	Text  Text   `json:"text"`
	Side  Side   `json:"side,omitempty"`  // whose doing it was
	Card  *Card  `json:"card,omitempty"`  // a battle in full
	Minor bool   `json:"minor,omitempty"` // may be left out of a short report
	// What a map may show of it.
	Arrows []scene.Arrow `json:"-"`
	Bursts []scene.Burst `json:"-"`
}

// Card is a battle as both sides see it after the commit.
type Card struct {
	Title    Text     `json:"title"` // Prepared assault on K9
	At       []string `json:"at"`    // defending hexes
	Attacker Army     `json:"attacker"`
	Defender Army     `json:"defender"`
	Terrain  Text     `json:"terrain"`
	Odds     Text     `json:"odds"`
	Factors  []Factor `json:"factors,omitempty"`
	Roll     *Rolled  `json:"roll,omitempty"`
	Result   []Text   `json:"result,omitempty"`   // in words, in order
	Decided  []Text   `json:"decided,omitempty"`  // who chose what
	Possible []Text   `json:"possible,omitempty"` // reachable results, for CHECK
}

// Army is one side of a battle.
type Army struct {
	Side     Side     `json:"side"`
	Units    []Fought `json:"units"`
	Strength Text     `json:"strength"`
}

// Fought is one unit of a battle.
type Fought struct {
	Unit   UnitID `json:"unit"`
	Name   string `json:"name"`
	Hex    string `json:"hex"`
	Face   string `json:"face"` // factors before
	Steps  int    `json:"steps"`
	Lost   int    `json:"lost"`
	After  string `json:"after,omitempty"` // where it stands afterwards
	Supply Text   `json:"supply"`
}
