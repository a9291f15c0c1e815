package report

import (
	"slices"
	"strconv"
	"strings"

	"pbemd/engine"
	"pbemd/orders"
	"pbemd/pbem"
)

// lead says in sentences what the mail is about: what the post office wrote,
// and for an answer what became of the orders.
func (d *document) lead(l pbem.Letter) {
	d.Lead = d.says(l.Lead)
	if l.Kind == pbem.Opening {
		d.Lead = append(d.Lead, d.say("report.lead.opening", "side", engine.T("side."+string(l.Side))))
	}
	if len(l.Card) > 0 {
		d.Lead = append(d.Lead, d.say("report.card.attached", "file", cardName))
	}
	if l.Kind == pbem.Receipt || l.Kind == pbem.Closing {
		d.verdict(l)
	}
	if l.State.Over && l.View != nil {
		for _, s := range l.View.Status {
			if strings.HasSuffix(s.Label.Key, ".over") { // the result of the game
				d.Lead = append(d.Lead, d.lang.Say(s.Value))
			}
		}
	}
}

// verdict sums up a receipt: how many lines were done, and where and why it
// stopped.
func (d *document) verdict(l pbem.Letter) {
	done, depend, skipped, rest := 0, 0, 0, 0
	var bad, stopped *pbem.LetterLine
	for i := range l.Lines {
		x := &l.Lines[i]
		switch {
		case len(x.Findings) > 0:
			if bad == nil {
				bad = x
			}
		case x.Request || x.Verdict == nil:
		default:
			switch x.Verdict.Mark {
			case engine.Good:
				done++
			case engine.Depends, engine.Untested:
				depend++
			case engine.Skipped:
				skipped++
			case engine.Bad:
				if bad == nil {
					bad = x
				}
			case engine.Halted:
				stopped = x
			case engine.NotYet:
				rest++
			case engine.Stopped:
				depend++
			}
		}
	}
	switch {
	case bad != nil && slices.ContainsFunc(l.Lead, func(t engine.Text) bool { return t.Key == "office.check.refused" }): // it names the lines
	case bad != nil:
		d.Lead = append(d.Lead, d.say("report.lead.bad", "line", bad.Line, "text", bad.Text, "why", d.why(bad)))
	case stopped != nil:
		d.Lead = append(d.Lead, d.say("report.lead.halted", "line", stopped.Line, "text", stopped.Text, "why", d.why(stopped), "done", done, "rest", rest+1))
	case l.Word == pbem.WordChecked:
		d.Lead = append(d.Lead, d.say("report.lead.checked", "good", done, "depend", depend))
	case done+skipped > 0 && rest == 0 && depend == 0 && l.Word != pbem.WordNotAccepted:
		d.Lead = append(d.Lead, d.say("report.lead.done", "done", done, "skipped", skipped))
	}
}

// why is what is wrong with a line.
func (d *document) why(x *pbem.LetterLine) string {
	if len(x.Findings) > 0 {
		return d.finding(x.Findings[0])
	}
	if x.Verdict != nil && x.Verdict.Refusal != nil {
		return d.refusal(x.Verdict.Refusal)
	}
	return ""
}

func (d *document) refusal(r *engine.Refusal) string {
	s := d.sentence(d.lang.Say(r.Text))
	if r.Rule != "" {
		s += " (" + r.Rule.Number() + ")"
	}
	return s
}

// glance is the table under the banner.
func (d *document) glance(l pbem.Letter) {
	if l.State.Turn == 0 && l.Question == nil || l.Side == "" {
		return
	}
	row := func(key, value string) {
		if value != "" {
			d.Glance = append(d.Glance, [2]string{d.say("report.glance." + key), value})
		}
	}
	side := engine.T("side." + string(l.State.Side))
	asked := l.Question != nil
	over := l.State.Over || l.Word == pbem.WordGameOver // the operator may close one
	switch {
	case over:
		row("turn", d.say("report.turn.over"))
	case asked:
		row("turn", d.say("report.turn.question", "phase", pbem.TitleOf(l.State)))
	case l.Yours:
		row("turn", d.say("report.turn.yours", "phase", pbem.TitleOf(l.State)))
	case l.State.Side == l.Side:
		row("turn", d.say("report.turn.step", "phase", pbem.TitleOf(l.State)))
	default:
		row("turn", d.say("report.turn.theirs", "phase", pbem.TitleOf(l.State), "side", side))
	}
	happened := d.happened(l)
	if happened == "" && l.Kind == pbem.Report && full(l) {
		happened = d.say("report.happened.nothing")
	}
	row("happened", happened)
	switch {
	case over:
		row("asked", d.say("report.asked.nothing"))
	case asked:
		last := pbem.OptionLetter(len(l.Question.Question.Options) - 1)
		row("asked", d.say("report.asked.answer", "no", l.Question.No, "last", last))
		row("until", d.lang.Calendar(pbem.When(l.Question.Deadline, l.Zone))+"; "+d.say("report.until.default", "clause", l.Question.Question.Options[l.Question.Question.Default].Clause))
	case l.Yours:
		row("asked", d.say("report.asked.orders", "phase", pbem.TitleOf(l.State)))
		row("until", d.reminded(l))
	default:
		row("asked", d.say("report.asked.wait"))
	}
}

// reminded says what comes of waiting.
func (d *document) reminded(l pbem.Letter) string {
	switch {
	case !l.Remind.IsZero():
		return d.say("report.until.remind", "at", pbem.When(l.Remind, l.Zone), "tell", pbem.When(l.Tell, l.Zone))
	case !l.Tell.IsZero():
		return d.say("report.until.tell", "at", pbem.When(l.Tell, l.Zone))
	case l.Told:
		return d.say("report.until.told")
	}
	return d.say("report.until.none")
}

// happened sums up the log: battles with their results, moves.
func (d *document) happened(l pbem.Letter) string {
	var parts []string
	moves := map[engine.Side]int{}
	var sides []engine.Side
	for _, i := range l.Items {
		switch {
		case i.Card != nil:
			result := ""
			if len(i.Bursts) > 0 {
				result = i.Bursts[0].Result
			}
			parts = append(parts, d.say("report.happened.battle", "at", i.Card.At, "result", result, "side", engine.T("side."+string(i.Side))))
		case moved(i):
			if moves[i.Side] == 0 {
				sides = append(sides, i.Side)
			}
			moves[i.Side]++
		}
	}
	var out []string
	if n := len(parts); n > 0 {
		more := 0
		if n > 6 {
			parts, more = parts[:6], n-6
		}
		out = append(out, d.say("report.happened.battles", "n", n, "list", parts, "more", more))
	}
	for _, s := range sides {
		out = append(out, d.say("report.happened.moves", "side", engine.T("side."+string(s)), "n", moves[s]))
	}
	for _, i := range l.Items {
		if i.Side == "" && !i.Minor && i.Card == nil && len(out) < 5 { // news of the war: VPs, turns, weather
			out = append(out, strings.TrimSuffix(d.lang.Say(i.Text), "."))
		}
	}
	return strings.Join(out, "; ")
}

// moved reports whether an item is a mere move.
func moved(i engine.Item) bool { return i.Card == nil && i.Minor && len(i.Arrows) > 0 }

// warn puts what must not be overlooked on top.
func (d *document) warn(l pbem.Letter) {
	if l.View == nil {
		return
	}
	for _, s := range l.View.Sections {
		if s.Key == "warning" {
			d.Warn = &block{Head: d.lang.Say(s.Title), Paras: d.says(s.Notes)}
		}
	}
}

// opening is what stands in the first mail of a game only: what it is played
// by, how one orders, and the salts of both sides.
func (d *document) opening(l pbem.Letter) {
	d.add(block{Head: d.say("report.head.how"), Paras: []string{d.say("report.how.reply"), d.say("report.how.check"), d.say("report.how.help"),
		d.say("report.how.standing"), d.say("report.how.dice")}})
	if l.View == nil {
		return
	}
	for _, s := range l.View.Sections {
		if s.Key != "terms" {
			continue
		}
		b := block{Head: d.lang.Say(s.Title), Paras: d.says(s.Notes)}
		for _, r := range s.Rows {
			b.Facts = append(b.Facts, [2]string{d.lang.Say(r[0]), d.lang.Say(r[1])})
		}
		b.Facts = append(b.Facts, d.salts(l)...)
		d.add(b)
	}
}

// salts are the words the players mixed into the dice, as the records have them.
func (d *document) salts(l pbem.Letter) [][2]string {
	var out [][2]string
	for _, r := range l.Records {
		for _, line := range strings.Split(r, "\n") {
			if rest, ok := strings.CutPrefix(line, "salt: "); ok {
				who, words, _ := strings.Cut(rest, " ")
				if words = strings.TrimSpace(words); words == "" || words == "-" {
					words = d.say("report.salt.none")
				}
				out = append(out, [2]string{d.say("report.salt", "side", engine.T("side."+who)), words})
			}
		}
		if len(out) > 0 {
			break
		}
	}
	return out
}

// log tells what has happened: news, the enemy's doings, the battles, one's own.
func (d *document) log(l pbem.Letter) {
	if len(l.Items) == 0 {
		return
	}
	number := map[int]int{}
	fights := block{Head: d.say("report.head.battles"), Slot: battles}
	for k, i := range l.Items {
		if i.Card != nil {
			d.battles++
			number[k] = d.battles
			e := d.entry(i)
			e.Card.Title = d.say("report.battle.title", "n", d.battles, "title", e.Card.Title)
			e.Card.Rule = e.Rule
			fights.Entries = append(fights.Entries, e)
		}
	}
	group := func(head string, in func(engine.Side) bool) {
		b := block{Head: head}
		other := false
		var moves []engine.Item
		flush := func() {
			b.Entries = append(b.Entries, d.moves(l, moves)...)
			moves = nil
		}
		for k, i := range l.Items {
			other = other || in(i.Side) && i.Card == nil && (!i.Minor || moved(i))
			switch {
			case !in(i.Side):
			case i.Card != nil:
				flush()
				word := ""
				if n := len(i.Card.Result); n > 0 {
					word = d.lang.Say(i.Card.Result[n-1])
				}
				b.Entries = append(b.Entries, entry{Text: d.say("report.battle.line", "n", number[k], "text", i.Text, "word", word), Side: string(i.Side)})
			case moved(i):
				moves = append(moves, i)
			default:
				flush()
				b.Entries = append(b.Entries, d.entry(i))
			}
		}
		flush()
		if other { // battles alone have their cards
			d.add(b)
		}
	}
	group(d.say("report.head.news"), func(s engine.Side) bool { return s == "" })
	if l.Side == "" {
		group(d.say("report.head.log"), func(s engine.Side) bool { return s != "" })
	} else {
		var foe engine.Side
		for _, i := range l.Items {
			if i.Side != "" && i.Side != l.Side {
				foe = i.Side
			}
		}
		group(d.say("report.head.enemy", "side", engine.T("side."+string(foe))), func(s engine.Side) bool { return s != "" && s != l.Side })
	}
	if len(fights.Entries) > 0 {
		d.add(fights)
	}
	if l.Side != "" {
		group(d.say("report.head.own"), func(s engine.Side) bool { return s == l.Side })
	}
}

// moves are a run of moves: one below the other, with how many in which sector.
func (d *document) moves(l pbem.Letter, list []engine.Item) []entry {
	if len(list) < 3 {
		var out []entry
		for _, i := range list {
			out = append(out, d.entry(i))
		}
		return out
	}
	var where []string
	if l.View != nil {
		for _, s := range l.View.Sectors {
			n := 0
			for _, i := range list {
				for _, c := range s.Hexes {
					if c == i.Arrows[0].Path[0] {
						n++
					}
				}
			}
			if n > 0 {
				where = append(where, d.say("report.moves.sector", "n", n, "sector", s.Name))
			}
		}
	}
	e := entry{Text: d.say("report.moves", "n", len(list), "side", engine.T("side."+string(list[0].Side)), "where", where), Side: string(list[0].Side)}
	for _, i := range list {
		e.List = append(e.List, d.lang.Say(i.Text))
	}
	return []entry{e}
}

func number(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func (d *document) finding(f orders.Finding) string {
	return d.sentence(d.lang.Say(engine.Text{Key: f.Key, Args: f.Args}))
}
