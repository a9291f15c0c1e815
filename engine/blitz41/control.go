package blitz41

func (g *play) turnForts()    {}
func (g *play) turnVictory()  {}
func (g *play) victoryCheck() {}
