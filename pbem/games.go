package pbem

import (
	"encoding/json"
	"fmt"
	"io/fs"

	"pbemd/engine/blitz41"
	lang41 "pbemd/orders/blitz41"
	"pbemd/templates"
)

// Games is every kind of game there is.
func Games() []Rules {
	return []Rules{{
		ID: "blitz41", Name: "Blitzkrieg '41", Files: blitz41.DataFiles,
		Load: func(files fs.FS, options json.RawMessage) (Play, error) {
			d, err := blitz41.Load(files)
			if err != nil {
				return Play{}, err
			}
			var opt blitz41.Options
			if len(options) > 0 {
				if err := json.Unmarshal(options, &opt); err != nil {
					return Play{}, fmt.Errorf("options of the game: %w", err)
				}
			}
			l := lang41.New(d)
			help := func(words string, in *templates.Language) string { return l.Help(words).Render(in.Say, in.Page) }
			return Play{Game: blitz41.New(d, opt), Language: l, Help: help, Resign: blitz41.Resign{}, Draw: blitz41.AgreeDraw{}}, nil
		},
	}}
}
