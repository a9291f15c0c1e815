package blitz41

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pbemd/engine"
	game "pbemd/engine/blitz41"
	"pbemd/engine/hex"
	"pbemd/orders"
	"pbemd/orders/admin"
)

func language(t testing.TB) *Language {
	t.Helper()
	d, err := game.Load(game.DataFiles())
	if err != nil {
		t.Fatal(err)
	}
	return New(d)
}

func bind(t testing.TB, l *Language, side engine.Side, text string) ([]engine.Order, []admin.Request, []orders.Finding) {
	t.Helper()
	sheets, found := orders.Parse(strings.Split("GAME 17\n"+text+"\nEND", "\n"), l.Grammar())
	if len(found) > 0 {
		return nil, nil, found
	}
	if len(sheets) != 1 {
		t.Fatalf("%d sheets in %q", len(sheets), text)
	}
	return l.Bind(sheets[0], side)
}

func at(s string) hex.Coord { return hex.MustParse(s) }

func ats(s string) []hex.Coord {
	var out []hex.Coord
	for _, w := range strings.Fields(s) {
		out = append(out, at(w))
	}
	return out
}

func ids(s string) []engine.UnitID {
	var out []engine.UnitID
	for _, w := range strings.Fields(s) {
		out = append(out, engine.UnitID(w))
	}
	return out
}

func these(s string) game.Units { return game.Units{IDs: ids(s)} }

func way(s string) []game.Step {
	var out []game.Step
	for _, w := range strings.Fields(s) {
		out = append(out, game.Step{Hex: at(w)})
	}
	return out
}

// TestExamples binds every example line of the order language.
func TestExamples(t *testing.T) {
	l := language(t)
	moscow, _ := l.d.Named("MOSCOW")
	mo := l.d.Board.At(moscow)
	two, four, six := 2, 3, 5 // columns: 1-1 is 2, 2-1 is 3, 4-1 is 5
	_ = two
	tests := []struct {
		side      engine.Side
		text      string
		want      any // Command, Order with a condition, or Standing without its text
		canonical string
	}{
		{game.Axis, "CONSOLIDATE 24PZ 46PZ 47PZ 56PZ 57PZ      # very start of the player-turn", game.Consolidate{Corps: ids("24PZ 46PZ 47PZ 56PZ 57PZ")}, "CONSOLIDATE 24PZ 46PZ 47PZ 56PZ 57PZ"},
		{game.Axis, "CONSOLIDATE OFF", game.Consolidate{Off: true}, ""},
		{game.Axis, "HEDGEHOG REMOVE J12", game.Hedgehog{At: at("J12"), Remove: true}, ""},
		{game.Axis, "HEDGEHOG J12 NOW", game.Hedgehog{At: at("J12"), Now: true}, ""},
		{game.Axis, "SEASUPPLY BALTIC D18  # whole stack in D18", game.SeaSupply{Baltic: true, At: at("D18")}, "SEASUPPLY BALTIC D18"},
		{game.Axis, "SEASUPPLY BLACK BB15", game.SeaSupply{At: at("BB15")}, ""},
		{game.Axis, "SEASUPPLY BLACK NONE", game.SeaSupply{None: true}, ""},
		{game.Axis, "AIRSUPPLY H11 56PZ 13G   # 2 of 4 corps", game.AirSupply{At: at("H11"), Units: these("56PZ 13G")}, "AIRSUPPLY H11 56PZ 13G"},
		{game.Axis, "AIRSUPPLY J12 56PZ NOW", game.AirSupply{At: at("J12"), Units: these("56PZ"), Now: true}, ""},
		{game.Axis, "REPLACE 13G +1 WITH NONMECH", game.Replace{Unit: "13G", Steps: 1, Pool: "NONMECH"}, ""},
		{game.Axis, "BUILD 50G STEPS 3 AT H19", game.Build{Unit: "50G", Steps: 3, At: at("H19")}, ""},
		{game.Axis, "REPLACE 3RUM +1 WITH ROMANIAN", game.Replace{Unit: "3RUM", Steps: 1, Pool: "ROMANIAN"}, ""},
		{game.Axis, "REENTER 4RUM AT U21", game.Reenter{Units: ids("4RUM"), At: at("U21")}, ""},
		{game.Axis, "LENINGRAD SUPPLY ON", game.LeningradSupply{On: true}, ""},
		{game.Soviet, "MSU PLACE L6", game.MSU{Place: at("L6")}, ""},
		{game.Soviet, "MSU REMOVE", game.MSU{Remove: true}, ""},
		{game.Soviet, "MSU HOLD", game.MSU{Hold: true}, ""},
		{game.Soviet, "RVGK IN 22A    # counts 1", game.RVGKIn{Units: ids("22A")}, "RVGK IN 22A"},
		{game.Soviet, "RVGK OUT 30A TO MOSCOW, 31A TO R15", game.RVGKOut{Units: ids("30A 31A"), To: []hex.Coord{mo, at("R15")}}, "RVGK OUT 30A TO K5, 31A TO R15"},
		{game.Soviet, "BUILD 24A STEPS 2 AT MOSCOW", game.Build{Unit: "24A", Steps: 2, At: mo}, "BUILD 24A STEPS 2 AT K5"},
		{game.Soviet, "BUILD 28A STEPS 1 RVGK", game.Build{Unit: "28A", Steps: 1}, ""},
		{game.Soviet, "CONVERT 40A TO 1SH +3", game.Convert{From: "40A", To: "1SH", Steps: 3}, ""},
		{game.Soviet, "DISBAND MECH", game.DisbandMech{}, ""},
		{game.Soviet, "BUILD FMG STEPS 2 AT MOSCOW", game.Build{Unit: "FMG", Steps: 2, At: mo}, "BUILD FMG STEPS 2 AT K5"},
		{game.Soviet, "PLACE PART K8", game.PlacePart{At: at("K8")}, ""},
		{game.Soviet, "HOLD PART", game.PlacePart{Hold: true}, ""},
		{game.Axis, "STACK H19: 56PZ 41PZ 13G", game.Stack{At: at("H19"), Units: these("56PZ 41PZ 13G")}, ""},
		{game.Axis, "  GO H18     # all three", game.Go{Path: way("H18")}, "GO H18"},
		{game.Axis, "  LEAVE 13G", game.Leave{Units: these("13G")}, "LEAVE 13G"},
		{game.Axis, "  MA H17 AIR 1 IF ODDS <= 4 LOSS STEPS NOKILL", game.MobileAssault{At: at("H17"), Options: game.BattleOptions{
			Air: 1, AirIf: game.OddsIf{Op: "<=", Odds: oddsOf(six)}, Loss: &game.LossPolicy{Steps: true, NoKill: true}}}, "MA H17 AIR 1 IF ODDS <= 4-1 LOSS STEPS NOKILL"},
		{game.Axis, "  IF WON: SPLIT 41PZ AS NORTH", engine.Order{If: game.LastIs{Word: "WON"}, Command: game.Split{Units: these("41PZ"), As: "NORTH"}}, "IF WON: SPLIT 41PZ AS NORTH"},
		{game.Axis, "  IF WON: WITH NORTH", engine.Order{If: game.LastIs{Word: "WON"}, Command: game.With{Name: "NORTH"}}, "IF WON: WITH NORTH"},
		{game.Axis, "  IF WON: GO G17 G16   # 41PZ alone", engine.Order{If: game.LastIs{Word: "WON"}, Command: game.Go{Path: way("G17 G16")}}, "IF WON: GO G17-G16"},
		{game.Axis, "  IF WON: WITH REST", engine.Order{If: game.LastIs{Word: "WON"}, Command: game.With{Name: "REST"}}, "IF WON: WITH REST"},
		{game.Axis, "  IF WON: GO H16 H15", engine.Order{If: game.LastIs{Word: "WON"}, Command: game.Go{Path: way("H16 H15")}}, "IF WON: GO H16-H15"},
		{game.Axis, "  IF HELD: REPEAT MAX 1 ALLOUT 56PZ IF ODDS >= 2", engine.Order{If: game.LastIs{Word: "HELD"}, Command: game.Repeat{Max: 1, Options: game.BattleOptions{
			AllOut: "56PZ", AllOutIf: game.OddsIf{Op: ">=", Odds: oddsOf(four)}}}}, "IF HELD: REPEAT MAX 1 ALLOUT 56PZ IF ODDS >= 2-1"},
		{game.Axis, "  IF HELD: RETURN   # back in H18, free", engine.Order{If: game.LastIs{Word: "HELD"}, Command: game.Return{}}, "IF HELD: RETURN"},
		{game.Axis, "  IF REPULSED: STOP", engine.Order{If: game.LastIs{Word: "REPULSED"}, Command: game.Stop{}}, "IF REPULSED: STOP"},
		{game.Axis, "DONE", game.EndStack{}, ""},
		{game.Soviet, "MOVE 24A FROM K7 E*2", game.Move{Units: ids("24A"), From: at("K7"), Path: []game.Step{{Dir: hex.E, Count: 2}}}, ""},
		{game.Soviet, "MOVE 5MC FROM L9 TO L6", game.Move{Units: ids("5MC"), From: at("L9"), Path: []game.Step{{To: at("L6")}}}, ""},
		{game.Soviet, "STACK C11: 34A", game.Stack{At: at("C11"), Units: these("34A")}, ""},
		{game.Soviet, "  GO C10 OBG BY 34A", game.Go{Path: way("C10"), OBG: "34A"}, "GO C10 OBG BY 34A"},
		{game.Soviet, "OBG BY 34A", game.FormOBG{By: "34A"}, ""},
		{game.Soviet, "SEAMOVE COAST TO CC15", game.SeaMove{To: at("CC15")}, ""},
		{game.Soviet, "SEAMOVE COAST TO CC15 VIA BB16 CC16", game.SeaMove{To: at("CC15"), Via: ats("BB16 CC16")}, "SEAMOVE COAST TO CC15 VIA BB16-CC16"},
		{game.Soviet, "AIRDROP 4ABN TO K8", game.Airdrop{To: at("K8")}, ""},
		{game.Axis, "EVACUATE BALTIC D18 13G", game.Evacuate{Baltic: true, At: at("D18"), Units: these("13G")}, ""},
		{game.Soviet, "ATTACK K9 FROM K8: 24A 3MC AND L8: 1SH AND J8: 30A AIR 1 CAV, \n       LOSS STEPS IF WON ELSE RETREAT ADVANCE 3MC K9 K10 / 1SH OCCUPY",
			game.Attack{At: ats("K9"), From: []game.Origin{{At: at("K8"), Units: these("24A 3MC")}, {At: at("L8"), Units: these("1SH")}, {At: at("J8"), Units: these("30A")}},
				Options: game.BattleOptions{Air: 1, Cavalry: true, Loss: &game.LossPolicy{Steps: true, IfWon: true},
					Advance: &game.Advance{Clauses: []game.AdvanceClause{{Units: these("3MC"), Path: way("K9 K10")}, {Units: these("1SH"), Occupy: true}}}}},
			"ATTACK K9 FROM K8: 24A 3MC AND L8: 1SH AND J8: 30A AIR 1 CAV LOSS STEPS IF WON ELSE RETREAT ADVANCE 3MC K9-K10 / 1SH OCCUPY"},
		{game.Axis, "ATTACK J15+J16 FROM K15: 56PZ 57PZ AIR 2 ALLOUT 56PZ IF ODDS >= 3 ADVANCE MECH TOWARD J12 MAX 4",
			game.Attack{At: ats("J15 J16"), From: []game.Origin{{At: at("K15"), Units: these("56PZ 57PZ")}}, Options: game.BattleOptions{Air: 2, AllOut: "56PZ",
				AllOutIf: game.OddsIf{Op: ">=", Odds: oddsOf(4)}, Advance: &game.Advance{Clauses: []game.AdvanceClause{{Units: game.Units{Word: "MECH"}, Toward: at("J12"), Max: 4}}}}},
			"ATTACK J15+J16 FROM K15: 56PZ 57PZ AIR 2 ALLOUT 56PZ IF ODDS >= 3-1 ADVANCE MECH TOWARD J12 MAX 4"},
		{game.Soviet, "IF BATTLE K9 WON: PROBE J9 FROM J8: 31A   # not 30A", engine.Order{If: game.BattleIs{At: at("K9"), Word: "WON"},
			Command: game.Probe{At: at("J9"), From: game.Origin{At: at("J8"), Units: these("31A")}}}, "IF BATTLE K9 WON: PROBE J9 FROM J8: 31A"},
		{game.Axis, "PROBE R19 FROM R20: 47PZ ADVANCE 47PZ R19 R18 R17 R16", game.Probe{At: at("R19"), From: game.Origin{At: at("R20"), Units: these("47PZ")},
			Advance: &game.Advance{Clauses: []game.AdvanceClause{{Units: these("47PZ"), Path: way("R19 R18 R17 R16")}}}}, "PROBE R19 FROM R20: 47PZ ADVANCE 47PZ R19-R18-R17-R16"},
		{game.Axis, "DEFAULT YIELD UNLESS RETREAT OOS", game.Standing{Scope: game.Scope{Kind: "DEFAULT"}, Policy: game.Policy{Stance: "YIELD", Unless: []string{"RETREAT OOS"}}}, ""},
		{game.Soviet, "HEX LENINGRAD MOSCOW HOLD", game.Standing{Scope: game.Scope{Kind: "HEX", Hexes: []hex.Coord{at("B9"), mo}}, Policy: game.Policy{Stance: "HOLD", N: -1}}, "HEX B9 K5 HOLD"},
		{game.Soviet, "HEX R15 STAND UNTIL T5", game.Standing{Scope: game.Scope{Kind: "HEX", Hexes: ats("R15")}, Policy: game.Policy{Stance: "STAND"}, Until: 5}, ""},
		{game.Soviet, "AREA J7-N6 HOLD 1", game.Standing{Scope: game.Scope{Kind: "AREA", A: at("J7"), B: at("N6")}, Policy: game.Policy{Stance: "HOLD", N: 1}}, ""},
		{game.Axis, "UNIT 56PZ SPARE 56PZ", game.Standing{Scope: game.Scope{Kind: "UNIT", Units: ids("56PZ")}, Policy: game.Policy{Spare: ids("56PZ")}}, ""},
		{game.Axis, "DEFAULT SPARE PANZERS", game.Standing{Scope: game.Scope{Kind: "DEFAULT"}, Policy: game.Policy{SpareWord: "PANZERS"}}, ""},
		{game.Axis, "DEFAULT NOKILL", game.Standing{Scope: game.Scope{Kind: "DEFAULT"}, Policy: game.Policy{Losses: "NOKILL"}}, ""},
		{game.Axis, "DEFAULT RETREAT SUPPLY TOWN PREFER SOUTH", game.Standing{Scope: game.Scope{Kind: "DEFAULT"}, Policy: game.Policy{Retreat: &game.RetreatPolicy{Words: []string{"SUPPLY", "TOWN", "PREFER SOUTH"}}}}, ""},
		{game.Axis, "DEFAULT AIR DEFEND MATCH MAX 2 AT VP", game.Standing{Scope: game.Scope{Kind: "DEFAULT"}, Policy: game.Policy{Air: &game.AirPolicy{Match: true, Max: 2, AtVP: true, Reserve: -1}}}, ""},
		{game.Soviet, "DEFAULT AIR DEFEND 1 IF ODDS >= 3 AT LENINGRAD MOSCOW", game.Standing{Scope: game.Scope{Kind: "DEFAULT"}, Policy: game.Policy{Air: &game.AirPolicy{N: 1,
			IfOdds: game.OddsIf{Op: ">=", Odds: oddsOf(4)}, At: []hex.Coord{at("B9"), mo}, Reserve: -1}}}, "DEFAULT AIR DEFEND 1 IF ODDS >= 3-1 AT B9 K5"},
		{game.Axis, "DEFAULT AIR DEFEND NET+1", game.Standing{Scope: game.Scope{Kind: "DEFAULT"}, Policy: game.Policy{Air: &game.AirPolicy{IsNet: true, Net: 1, Reserve: -1}}}, ""},
		{game.Axis, "DEFAULT AIR RESERVE 3", game.Standing{Scope: game.Scope{Kind: "DEFAULT"}, Policy: game.Policy{Air: &game.AirPolicy{Reserve: 3}}}, ""},
		{game.Axis, "DEFAULT AIRSUPPLY AUTO PRIORITY J12 K11 WHEN OOS", game.Standing{Scope: game.Scope{Kind: "DEFAULT"}, Policy: game.Policy{AirSupply: &game.AirSupplyPolicy{
			Auto: true, Priority: ats("J12 K11"), WhenOOS: true, Reserve: -1}}}, ""},
		{game.Axis, "DEFAULT AIRSUPPLY AUTO WHEN PENALTY >= 30", game.Standing{Scope: game.Scope{Kind: "DEFAULT"}, Policy: game.Policy{AirSupply: &game.AirSupplyPolicy{
			Auto: true, When: &game.Compare{Op: ">=", N: 30}, Reserve: -1}}}, ""},
		{game.Axis, "DEFAULT AIRSUPPLY RESERVE 2", game.Standing{Scope: game.Scope{Kind: "DEFAULT"}, Policy: game.Policy{AirSupply: &game.AirSupplyPolicy{Reserve: 2}}}, ""},
		{game.Axis, "DEFAULT HEDGEHOG J12 IF ATTACKED IF STEPS >= 3", game.Standing{Scope: game.Scope{Kind: "DEFAULT"}, Policy: game.Policy{Hedgehog: &game.HedgehogPolicy{
			IfAttacked: ats("J12"), IfSteps: &game.Compare{Op: ">=", N: 3}}}}, ""},
		{game.Axis, "DEFAULT HEDGEHOG PRIORITY J12 L13", game.Standing{Scope: game.Scope{Kind: "DEFAULT"}, Policy: game.Policy{Hedgehog: &game.HedgehogPolicy{Priority: ats("J12 L13")}}}, ""},
		{game.Axis, "DEFAULT HEDGEHOG NEVER", game.Standing{Scope: game.Scope{Kind: "DEFAULT"}, Policy: game.Policy{Hedgehog: &game.HedgehogPolicy{Never: true}}}, ""},
		{game.Soviet, "DEFAULT COUNTERADVANCE IF VP LEAVE 1", game.Standing{Scope: game.Scope{Kind: "DEFAULT"}, Policy: game.Policy{Counter: &game.CounterAdvance{When: "VP", Leave: 1}}}, ""},
		{game.Soviet, "DEFAULT MSU FALLBACK EAST", game.Standing{Scope: game.Scope{Kind: "DEFAULT"}, Policy: game.Policy{MSU: "EAST"}}, ""},
		{game.Soviet, "DEFAULT MSU FALLBACK TOWARD L3", game.Standing{Scope: game.Scope{Kind: "DEFAULT"}, Policy: game.Policy{MSU: "TOWARD", MSUToward: at("L3")}}, ""},
		{game.Soviet, "UNIT 12A MSU FALLBACK EAST", game.Standing{Scope: game.Scope{Kind: "UNIT", Units: ids("12A")}, Policy: game.Policy{MSU: "EAST"}}, ""},
		{game.Soviet, "UNIT 12A MSU MSU FALLBACK BOX", game.Standing{Scope: game.Scope{Kind: "UNIT", Units: ids("12A MSU")}, Policy: game.Policy{MSU: "BOX"}}, ""},
		{game.Axis, "HEX J12 TOP 13G", game.Standing{Scope: game.Scope{Kind: "HEX", Hexes: ats("J12")}, Policy: game.Policy{Top: "13G"}}, ""},
		{game.Axis, "DEFAULT KEEP 2 IF ODDS <= 2 IF MA", game.Standing{Scope: game.Scope{Kind: "DEFAULT"}, In: "MA", Policy: game.Policy{Stance: "KEEP", N: 2, IfOdds: &game.OddsIf{Op: "<=", Odds: oddsOf(3)}}},
			"DEFAULT KEEP 2 IF ODDS <= 2-1 IN MA"},
		{game.Axis, "ROWS J-N YIELD", game.Standing{Scope: game.Scope{Kind: "ROWS", A: hex.Letter(10, 0), B: hex.Letter(14, 0)}, Policy: game.Policy{Stance: "YIELD"}}, ""},
		{game.Soviet, "UNIT COAST RETREAT SEA CC15", game.Standing{Scope: game.Scope{Kind: "UNIT", Units: ids("COAST")}, Policy: game.Policy{Retreat: &game.RetreatPolicy{Words: []string{"SEA"}, Sea: at("CC15")}}}, ""},
		{game.Axis, "HEX L13 RETREAT TOWARD L15 AWAY L8 AVOID L9 SPLIT 13G NORTH EXIT ZOMO", game.Standing{Scope: game.Scope{Kind: "HEX", Hexes: ats("L13")}, Policy: game.Policy{Retreat: &game.RetreatPolicy{
			Words: []string{"EXIT ZOMO"}, Toward: ats("L15"), Away: ats("L8"), Avoid: ats("L9"), Split: []game.SplitRetreat{{Units: ids("13G"), Way: "NORTH"}}}}},
			"HEX L13 RETREAT EXIT ZOMO TOWARD L15 AWAY L8 AVOID L9 SPLIT 13G NORTH"},
		{game.Axis, "IF H17 OURS AND NOT MP < 3 OR 56PZ AT H18: STACK H18 ELSE STOP", engine.Order{
			If: game.Or{Tests: []engine.Condition{
				game.And{Tests: []engine.Condition{game.HexIs{At: at("H17"), Word: "OURS"}, game.Not{Test: game.Number{Of: "MP", Is: game.Compare{Op: "<", N: 3}}}}},
				game.UnitIs{Unit: "56PZ", Word: "AT", At: at("H18")}}},
			Command: game.Stack{At: at("H18")}, Else: game.Stop{}}, ""},
		{game.Axis, "IF STEPS 56PZ >= 3: MA H17 AIRSUPPLY IF PENALTY >= 20", engine.Order{If: game.StepsOf{Unit: "56PZ", Is: game.Compare{Op: ">=", N: 3}},
			Command: game.MobileAssault{At: at("H17"), Options: game.BattleOptions{AirSupply: true, SupplyIf: &game.Compare{Op: ">=", N: 20}}}}, ""},
		{game.Soviet, "ATTACK K9 FROM K8 CAV IF ENEMY STEPS >= 4 ADVANCE ALL OCCUPY IF DX / 3MC K9 IF AWARD >= 3", game.Attack{At: ats("K9"), From: []game.Origin{{At: at("K8")}}, Options: game.BattleOptions{
			Cavalry: true, CavalryIf: &game.Compare{Op: ">=", N: 4}, Advance: &game.Advance{Clauses: []game.AdvanceClause{
				{Units: game.Units{Word: "ALL"}, Occupy: true, IfDX: true}, {Units: these("3MC"), Path: way("K9"), Award: &game.Compare{Op: ">=", N: 3}}}}}}, ""},
		{game.Axis, "ATTACK K9 FROM K10: ALL-13G", game.Attack{At: ats("K9"), From: []game.Origin{{At: at("K10"), Units: game.Units{Word: "ALL", Except: ids("13G")}}}}, ""},
		{game.Axis, "END PHASE", engine.EndPhase{}, ""},
		{game.Axis, "END TURN", engine.EndTurn{}, ""},
		{game.Axis, "PHASE ASSAULT", engine.ToPhase{Phase: "assault"}, ""},
		{game.Axis, "CONTINUE", engine.Continue{}, ""},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			got, _, found := bind(t, l, test.side, test.text)
			if len(found) > 0 {
				t.Fatalf("findings: %v", found)
			}
			if len(got) != 1 {
				t.Fatalf("%d orders", len(got))
			}
			o := got[0]
			want, ok := test.want.(engine.Order)
			if !ok {
				want = engine.Order{Command: test.want.(engine.Command)}
			}
			canonical := test.canonical
			if canonical == "" {
				canonical = test.text
			}
			if o.Text != canonical {
				t.Errorf("canonical\n got %s\nwant %s", o.Text, canonical)
			}
			if s, ok := want.Command.(game.Standing); ok {
				s.Text = canonical
				want.Command = s
			}
			if !reflect.DeepEqual(o.Command, want.Command) || !reflect.DeepEqual(o.If, want.If) || !reflect.DeepEqual(o.Else, want.Else) {
				t.Errorf("\n got %#v\nwant %#v", o, want)
			}
			if o.Side != test.side || o.Line != 2 {
				t.Errorf("line %d of %s", o.Line, o.Side)
			}
			again, found := l.Parse(o.Text, test.side)
			if len(found) > 0 || again.Text != o.Text || !reflect.DeepEqual(again.Command, o.Command) {
				t.Errorf("read again: %v %#v", found, again)
			}
		})
	}
}

// TestMoveAll: a list word in MOVE stands for a stack of its own.
func TestMoveAll(t *testing.T) {
	l := language(t)
	got, _, found := bind(t, l, game.Axis, "MOVE ALL-13G FROM H19 H18 H17")
	if len(found) > 0 || len(got) != 3 {
		t.Fatal(got, found)
	}
	var text []string
	for _, o := range got {
		text = append(text, o.Text)
	}
	if s := strings.Join(text, "; "); s != "STACK H19: ALL-13G; GO H18-H17; DONE" {
		t.Error(s)
	}
	if _, _, found := bind(t, l, game.Axis, "IF WON: MOVE ALL FROM H19 H18"); len(found) != 1 || found[0].Key != "b41.read.moveword" {
		t.Error(found)
	}
}

// TestUnits: one name, one unit; anything else is a finding with up to three
// suggestions.
//
// Rule B41-2.5.
func TestUnits(t *testing.T) {
	l := language(t)
	for _, test := range []struct {
		side engine.Side
		name string
		want string
	}{
		{game.Axis, "56PZ", "56PZ"}, {game.Axis, "56 PzK", "56PZ"}, {game.Axis, "LVI PZ", "56PZ"}, {game.Axis, "56th Panzer", "56PZ"}, {game.Axis, "LVI Panzer Corps", "56PZ"},
		{game.Axis, "56", "56PZ"}, {game.Axis, "56P", "56PZ"}, {game.Axis, "XLI Pz", "41PZ"}, {game.Axis, "XXXXI Pz", "41PZ"}, {game.Axis, "I AK", "1G"}, {game.Axis, "I Army Corps", "1G"},
		{game.Axis, "XLIX Mountain", "49M"}, {game.Axis, "R3", "3RUM"}, {game.Axis, "Sch", "SCH"}, {game.Axis, "H", "SCH"}, {game.Axis, "CSIR", "CSIR"}, {game.Axis, "I", "CSIR"},
		{game.Soviet, "24A", "24A"}, {game.Soviet, "24 Army", "24A"}, {game.Soviet, "24th Army", "24A"}, {game.Soviet, "1SH", "1SH"}, {game.Soviet, "1 Shock", "1SH"}, {game.Soviet, "1st Shock Army", "1SH"},
		{game.Soviet, "COAST", "COAST"}, {game.Soviet, "C", "COAST"}, {game.Soviet, "4ABN", "4ABN"}, {game.Soviet, "4 Airborne", "4ABN"}, {game.Soviet, "3 Mech", "3MC"}, {game.Soviet, "LPMA", "LPMA"},
		{game.Soviet, "3", "? 3A 3MC 3SH"}, {game.Axis, "R", "? 3RUM 4RUM"}, {game.Axis, "57PX", "? 57PZ"}, {game.Axis, "5", "? 5G"}, {game.Axis, "13", "13G"}, {game.Soviet, "ZZTOP", "?"},
		{game.Axis, "24A", "24A"}, // the enemy's: the game will say so
	} {
		t.Run(test.name, func(t *testing.T) {
			got, _, found := bind(t, l, test.side, "REPLACE "+test.name+" +1")
			if strings.HasPrefix(test.want, "?") {
				if len(found) != 1 {
					t.Fatal(got, found)
				}
				s := fmt.Sprint(found[0].Args["suggest"])
				w := strings.Fields(test.want[1:])
				for _, u := range w {
					if !strings.Contains(s, u) {
						t.Errorf("suggestions %s, want %v", s, w)
					}
				}
				return
			}
			if len(found) > 0 {
				t.Fatal(found)
			}
			if u := got[0].Command.(game.Replace).Unit; string(u) != test.want {
				t.Errorf("got %s, want %s", u, test.want)
			}
		})
	}
}

// TestEveryUnitByEveryName: the canonical id of a counter is always taken for
// that counter, whoever asks.
func TestEveryUnitByItsID(t *testing.T) {
	l := language(t)
	for _, side := range []engine.Side{game.Axis, game.Soviet} {
		for u := range l.d.Units {
			id := string(l.d.Units[u].ID)
			if got := l.units.find(id, side); len(got) != 1 || got[0] != u {
				t.Errorf("%s for %s: %v", id, side, got)
			}
		}
	}
}

// TestSpellings: what real mail looks like.
func TestSpellings(t *testing.T) {
	l := language(t)
	for _, test := range []struct {
		side       engine.Side
		text, want string
	}{
		{game.Axis, "move 56pz h15-h14-h13", "MOVE 56PZ H15-H14-H13"},
		{game.Axis, "MOVE 56PZ FROM H15 - H14 - H13", "MOVE 56PZ FROM H15 H14-H13"},
		{game.Axis, "MOVE 56PZ K02-K03-KO4", "MOVE 56PZ K2-K3-K4"},
		{game.Axis, "attack k 9 from k-10: 56 PzK + 57 PzK, 13G; ", "ATTACK K9 FROM K10: 56PZ 57PZ 13G"},
		{game.Axis, "ASSAULT K9 FROM K10 56PZ AND L10 13G", "ATTACK K9 FROM K10: 56PZ AND L10: 13G"},
		{game.Axis, "MOVE R3 FROM U21 T20", "MOVE 3RUM FROM U21 T20"},
		{game.Axis, "MOVE 4RUM R3 T20", "MOVE 4RUM R3-T20"},
		{game.Axis, "MOVE 54G, R3 FROM U21 T20", "MOVE 54G 3RUM FROM U21 T20"},
		{game.Soviet, "MOVE 24 Army from Moscow to Velikie Luki", "MOVE 24A FROM K5 TO H11"},
		{game.Soviet, "PLACE PARTISANS AT K8", "PLACE PART K8"},
		{game.Soviet, "REBUILD 24A STEPS 2 IN RVGK", "BUILD 24A STEPS 2 RVGK"},
		{game.Soviet, "BUILD 24A STEPS 2 IN MOSCOW", "BUILD 24A STEPS 2 AT K5"},
		{game.Soviet, "HOLD PARTISANS", "HOLD PART"},
		{game.Soviet, "IF R3 EMPTY: STOP", "IF R3 EMPTY: STOP"},
		{game.Axis, "IF R3 ALIVE: STOP", "IF 3RUM ALIVE: STOP"},
		{game.Axis, "MOVE 56PZ W NW*2 H12", "MOVE 56PZ W NW*2 H12"},
		{game.Axis, "ATTACK K9\nFROM K10: 56PZ\nAND L10: 13G\nAIR 2", "ATTACK K9 FROM K10: 56PZ AND L10: 13G AIR 2"},
		{game.Axis, "ATTACK K9 FROM K10: 56PZ LOSE 56PZ NOKILL", "ATTACK K9 FROM K10: 56PZ LOSS LOSE 56PZ NOKILL"},
		{game.Axis, "ATTACK K9 FROM K10: 56PZ LOSS RETREAT RETREAT PREFER NORTH", "ATTACK K9 FROM K10: 56PZ LOSS RETREAT RETREAT PREFER NORTH"},
		{game.Axis, "IF HELD: REPEAT LOSS STEPS IF WON ELSE RETREAT ELSE STOP", "IF HELD: REPEAT LOSS STEPS IF WON ELSE RETREAT ELSE STOP"},
	} {
		t.Run(test.text, func(t *testing.T) {
			got, _, found := bind(t, l, test.side, test.text)
			if len(found) > 0 || len(got) != 1 {
				t.Fatal(got, found)
			}
			if got[0].Text != test.want {
				t.Errorf("got %s, want %s", got[0].Text, test.want)
			}
		})
	}
}

// TestFaults: each fault has its key, its line, and words to go on with.
func TestFaults(t *testing.T) {
	l := language(t)
	for _, test := range []struct {
		side engine.Side
		text string
		key  string
	}{
		{game.Axis, "MARCH 56PZ H15", "b41.read.verb"},
		{game.Axis, "HOLD 13G", "b41.read.scope"},
		{game.Axis, "AIR DEFEND MATCH", "b41.read.scope"},
		{game.Axis, "HEDGEHOG J12 IF ATTACKED", "b41.read.scope"},
		{game.Axis, "AIRSUPPLY RESERVE 2", "b41.read.scope"},
		{game.Soviet, "MSU FALLBACK EAST", "b41.read.scope"},
		{game.Axis, "MOVE 56PZ H99", "b41.read.hex"},
		{game.Axis, "MOVE 56PZ TO MOSKOW", "b41.read.place"},
		{game.Axis, "MOVE 56PZ", "b41.read.nopath"},
		{game.Axis, "MOVE 56PZ 56PZ H15", "b41.read.twice"},
		{game.Axis, "MOVE FROM H19 H18", "b41.read.nounit"},
		{game.Axis, "RVGK IN 24A", "b41.read.side"},
		{game.Soviet, "EVACUATE BALTIC D18", "b41.read.side"},
		{game.Axis, "ATTACK K9", "orders.expected"},
		{game.Axis, "ATTACK K9 FROM K10 AIR 1 AIR 2", "b41.read.clausetwice"},
		{game.Axis, "ATTACK K9 FROM K10 AIR 1 IF ODDS >= 9", "b41.read.odds"},
		{game.Axis, "MOVE 56PZ H15 QUICKLY", "orders.left-over"},
		{game.Axis, "DONE NOW", "orders.left-over"},
		{game.Axis, "DEFAULT STAND UNTIL T12", "b41.read.turn"},
		{game.Axis, "DEFAULT STAND FROM T5 UNTIL T4", "b41.read.turns"},
		{game.Axis, "ROWS 3-K STAND", "b41.read.row"},
		{game.Axis, "PHASE COMBAT", "b41.read.phase"},
		{game.Axis, "IF SUNNY: STOP", "b41.read.unit"},
		{game.Axis, "IF : STOP", "orders.condition"},
		{game.Axis, "IF WON: END PHASE", "b41.read.verb"},
		{game.Axis, "IF WON: UNDO", "b41.read.unconditional"},
		{game.Soviet, "SEAMOVE 24A TO CC15", "b41.read.only"},
		{game.Axis, "BUILD 50G STEPS 0 AT H19", "b41.read.number"},
		{game.Axis, "IF AND WON: STOP", "b41.read.nounit"},
		{game.Axis, "MOVE 56PZ E*99", "b41.read.count"},
	} {
		t.Run(test.text, func(t *testing.T) {
			got, _, found := bind(t, l, test.side, test.text)
			if len(found) != 1 || len(got) != 0 {
				t.Fatal(got, found)
			}
			if found[0].Key != test.key || found[0].Line != 2 {
				t.Errorf("got %s in line %d, want %s", found[0].Key, found[0].Line, test.key)
			}
		})
	}
}

// TestRequests: lines that order nothing.
func TestRequests(t *testing.T) {
	l := language(t)
	for _, test := range []struct {
		text string
		want any
	}{
		{"STATUS", admin.Status{}},
		{"MAP", admin.Map{}},
		{"MAP K9", admin.Map{Area: "K9"}},
		{"SHOW MAP H19-K9", admin.Map{Area: "H19-K9"}},
		{"MAP H12 3", admin.Map{Area: "H12 3"}},
		{"MAP MOSCOW 2", admin.Map{Area: "K5 2"}},
		{"MAP AREA J7-N6", admin.Map{Area: "J7-N6"}},
		{"MAP SUPPLY", admin.Map{Area: "SUPPLY"}},
		{"MAP CONTROL", admin.Map{Area: "CONTROL"}},
		{"MAP BIG", admin.Map{Area: "BIG"}},
		{"REPORT", admin.Report{}},
		{"REPORT T5 MOVE", admin.Report{Turn: "5", Phase: "MOVE"}},
		{"HELP", admin.Help{}},
		{"HELP RULE 14.7.C", admin.Help{Words: "RULE 14.7.C"}},
		{"HELP ASSAULT", admin.Help{Words: "ASSAULT"}},
		{"SHOW STACK H19", admin.Show{What: "STACK", Hex: "H19"}},
		{"SHOW SUPPLY 56PZ", admin.Show{What: "SUPPLY", Unit: "56PZ"}},
		{"SHOW SUPPLY R3", admin.Show{What: "SUPPLY", Hex: "R3"}},
		{"SHOW CONTROL", admin.Show{What: "CONTROL"}},
		{"SHOW POOLS", admin.Show{What: "POOLS"}},
		{"STANDING SHOW", admin.StandingShow{}},
		{"STANDING CLEAR", admin.StandingClear{}},
		{"STANDING ASK D04, E05", admin.StandingAsk{Decisions: []string{"D04", "E05"}}},
		{"STANDING ASK NONE", admin.StandingAsk{}},
		{"STANDING REPORTS TURN", admin.StandingReports{When: "TURN"}},
		{"STANDING MAPS NEVER", admin.StandingMaps{When: "NEVER"}},
		{"STANDING TZ Europe/Berlin", admin.StandingZone{Zone: "Europe/Berlin"}},
		{"STANDING TZ UTC", admin.StandingZone{Zone: "UTC"}},
		{"UNDO", admin.Undo{}},
		{"REQUEST UNDO", admin.Undo{}},
		{"AGREE", admin.Agree{}},
		{"REFUSE", admin.Refuse{}},
		{"ANSWER Q17 B", admin.Answer{Question: 17, Letter: "B"}},
		{"RESIGN", admin.Resign{}},
		{"CONCEDE CONFIRM walnut", admin.Resign{Word: "WALNUT"}},
		{"OFFER DRAW", admin.OfferDraw{}},
		{"ACCEPT DRAW", admin.AcceptDraw{}},
		{"GRADE CHAIN", admin.GradeChain{}},
		{"JOIN", admin.Join{}},
		{"ADDRESS New.Name@example.net", admin.Address{Address: "New.Name@example.net"}},
		{"MESSAGE Good luck, Bob!", admin.Message{Words: "Good luck, Bob!"}},
		{"SALT correct horse", admin.Salt{Words: "correct horse"}},
		{"NOTE look at Kiev", admin.Note{Words: "look at Kiev"}},
	} {
		t.Run(test.text, func(t *testing.T) {
			got, asked, found := bind(t, l, game.Axis, test.text)
			if len(found) > 0 || len(got) > 0 || len(asked) != 1 {
				t.Fatal(got, asked, found)
			}
			if !reflect.DeepEqual(asked[0].Do, test.want) || asked[0].Line != 2 {
				t.Errorf("got %#v, want %#v", asked[0], test.want)
			}
		})
	}
	_, asked, found := bind(t, l, game.Soviet, "ANSWER Q3 HOLD 2")
	if len(found) > 0 {
		t.Fatal(found)
	}
	a := asked[0].Do.(admin.Answer)
	if s, ok := a.Clause.Command.(game.Standing); a.Question != 3 || !ok || s.Policy.Stance != "HOLD" || s.Policy.N != 2 {
		t.Errorf("%#v", a)
	}
	for _, bad := range []string{"STANDING ASK", "STANDING MAPS DAILY", "ANSWER B", "ANSWER Q3 MAYBE", "ADDRESS nobody", "REPORT YESTERDAY", "STATUS NOW", "SHOW ME", "STANDING TZ"} {
		if _, _, found := bind(t, l, game.Axis, bad); len(found) != 1 {
			t.Errorf("%s: %v", bad, found)
		}
	}
}
