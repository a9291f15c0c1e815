package pbem_test

import (
	"context"
	"fmt"
	"testing"

	"pbemd/engine"
	"pbemd/pbem"
	"pbemd/pbem/pbemtest"
)

// Two players switch sides from game to game; the points of the Axis are added
// up, and the last mail of each game says how the series stands (15.0).
func TestSeriesOfTwoPlayers(t *testing.T) {
	w := pbemtest.NewWorld(t, nil, pbem.Games()...)
	anna, boris := "anna@players.example", "boris@players.example"
	play := func(axis, soviet string, resigns engine.Side) {
		t.Helper()
		name := map[string]string{anna: "Anna", boris: "Boris", "carla@players.example": "Carla"}
		w.Take(pbem.Founding{Rules: "blitz41", Terms: pbem.Terms{NoJoin: true, Seed: "word"}, Seats: []pbem.Seat{
			{Side: "axis", Name: name[axis], Address: axis}, {Side: "soviet", Name: name[soviet], Address: soviet}}})
		p := w.As(resigns)
		l := p.Sheet("RESIGN")
		says(t, p.Sheet("RESIGN CONFIRM "+between(l.Text, "RESIGN CONFIRM ", ".")), "GAME OVER")
	}
	last := func(want ...string) {
		t.Helper()
		for _, s := range w.Sides {
			says(t, w.As(s).Last(), "GAME OVER", want...)
		}
	}
	play(anna, boris, "axis")
	last("In a series this game counts: Anna 27 points, Boris 0", "Boris is due to play the Axis")
	play("carla@players.example", boris, "axis") // another pair
	last("In a series this game counts: Carla 27 points, Boris 0")
	play(boris, anna, "soviet")
	last("Your series of 2 games: Anna 27 points, Boris 87. Boris leads")
	list, err := w.Office.AllSeries(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, s := range list {
		got += fmt.Sprintf("%s %v %s %v %s %v\n", s.Rules, s.Games, s.Players[0].Name, s.Players[0].Scored, s.Players[1].Name, s.Players[1].Scored)
	}
	if want := "blitz41 [1 3] Anna [27] Boris [87]\nblitz41 [2] Carla [27] Boris []\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
