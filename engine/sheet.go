package engine

// Mark is what became, or would become, of one line of a sheet.
type Mark string

// The marks of a dry run and of an execution.
const (
	Good     Mark = "ok"       // done, or would be
	Depends  Mark = "depends"  // on the result of an earlier line
	Bad      Mark = "refused"  // can't be done
	Skipped  Mark = "skipped"  // its condition did not hold, or it was overtaken and may be passed over
	Halted   Mark = "halted"   // overtaken; execution ended here
	NotYet   Mark = "draft"    // comes back as a draft
	Stopped  Mark = "question" // under way, waiting for an answer
	Untested Mark = "untested" // stands below a line that can't be done
)

// Verdict is what is said of one line.
type Verdict struct {
	Order   Order
	Mark    Mark
	On      int      // the line it depends on
	Refusal *Refusal // why not
	Events  []Event  // what it did
	Preview []Item   // what it would mean
}

// Rehearsal is the outcome of a dry run.
type Rehearsal struct {
	Verdicts []Verdict
	Clean    bool // no line is refused
	Rolls    bool // a die may be reached: the sheet is a step
	Position Position
}

// Rehearse runs orders without dice. From the first line that depends on dice
// or on hidden things, the rest is only checked for what no result can change.
func Rehearse(g Game, p Position, seq int, orders []Order, env Env, preview bool) Rehearsal {
	env.Dice = nil
	env.AskActing = false
	env.Asks = nil
	r := Rehearsal{Clean: true, Position: p}
	on, broken := 0, false
	for _, o := range orders {
		v := Verdict{Order: o, Mark: Good}
		switch {
		case broken:
			if err := sane(g, r.Position, o); err != nil {
				v.Mark, v.Refusal = Bad, err
			} else {
				v.Mark = Untested
			}
		case on != 0:
			v.Mark, v.On = Depends, on
			if err := sane(g, r.Position, o); err != nil {
				v.Mark, v.Refusal = Bad, err
			} else if preview {
				v.Preview = g.Preview(r.Position, o)
			}
		default:
			cmd, skip := chosen(g, r.Position, o)
			if skip {
				v.Mark = Skipped
				if err := sane(g, r.Position, o); err != nil {
					v.Mark, v.Refusal = Bad, err
				}
				break
			}
			if preview {
				v.Preview = g.Preview(r.Position, cmd)
			}
			next, events, err := Do(g, r.Position, seq, cmd, env, nil)
			switch {
			case err == nil:
				r.Position, v.Events = next, events
				seq += len(events)
			case Dicey(err):
				on, r.Rolls = o.Line, true
				if o.Line == 0 {
					on = -1
				}
			default:
				v.Mark, v.Refusal = Bad, refusal(err)
				broken = true
			}
		}
		if v.Mark == Bad {
			r.Clean = false
		}
		r.Verdicts = append(r.Verdicts, v)
	}
	return r
}

// Execution is the outcome of running a sheet.
type Execution struct {
	Verdicts []Verdict
	Position Position
	Events   []Event
	// Question is open: the sheet is paused in the order with index Next.
	Question *Question
	// Next is the index of the first order not finished.
	Next int
	// Position and Events end at the start of a paused order, which is run
	// again from there; Partial is what it has done so far.
	Partial []Event
}

// Execute runs orders from index from. Answers are those given so far in the
// step, in order. Execution ends at the first overtaken line, unless a CONTINUE
// stands above it, and at a question.
func Execute(g Game, p Position, seq int, orders []Order, from int, env Env, answers []Answer) Execution {
	r := Execution{Position: p, Next: len(orders)}
	lenient := false
	standing := map[Side][]Order{}
	for s, lines := range env.Standing {
		standing[s] = lines[:len(lines):len(lines)]
	}
	env.Standing = standing
	for i, o := range orders {
		if _, ok := o.Command.(Continue); ok {
			lenient = true
		}
		var given []Answer
		for _, a := range answers {
			if a.Order == i {
				given = append(given, a)
			}
		}
		if i < from {
			carry(standing, given)
			continue
		}
		v := Verdict{Order: o, Mark: Good}
		cmd, skip := chosen(g, r.Position, o)
		if skip {
			v.Mark = Skipped
			r.Verdicts = append(r.Verdicts, v)
			continue
		}
		next, events, err := Do(g, r.Position, seq, cmd, env, given)
		carry(standing, given)
		if err == nil {
			r.Position, v.Events = next, events
			seq += len(events)
			r.Events = append(r.Events, events...)
			r.Verdicts = append(r.Verdicts, v)
			if next.State().Over {
				r.Next = len(orders)
				for _, o := range orders[i+1:] {
					r.Verdicts = append(r.Verdicts, Verdict{Order: o, Mark: Skipped})
				}
				return r
			}
			continue
		}
		if pause, ok := err.(*Paused); ok {
			v.Mark = Stopped
			r.Question, r.Partial, r.Next = &pause.Question, events, i
			r.Verdicts = append(r.Verdicts, v)
			return r.rest(orders, i+1)
		}
		v.Refusal = refusal(err)
		if lenient {
			v.Mark = Skipped
			r.Verdicts = append(r.Verdicts, v)
			continue
		}
		v.Mark, r.Next = Halted, i
		r.Verdicts = append(r.Verdicts, v)
		return r.rest(orders, i+1)
	}
	return r
}

// carry lets the clauses of answers hold for the rest of the step.
func carry(standing map[Side][]Order, answers []Answer) {
	for _, a := range answers {
		standing[a.Side] = append(standing[a.Side], a.Clauses...)
	}
}

// Halted reports whether a line was overtaken, and its index.
func (r Execution) Halted() (int, bool) {
	for i, v := range r.Verdicts {
		if v.Mark == Halted {
			return i, true
		}
	}
	return 0, false
}

func (r Execution) rest(orders []Order, from int) Execution {
	for _, o := range orders[from:] {
		r.Verdicts = append(r.Verdicts, Verdict{Order: o, Mark: NotYet})
	}
	return r
}

// chosen is the order that the condition of a line leads to.
func chosen(g Game, p Position, o Order) (Order, bool) {
	if o.If == nil || g.Holds(p, o.Side, o.If) {
		return o, false
	}
	if o.Else == nil {
		return o, true
	}
	o.Command, o.Else = o.Else, nil // the line still has its condition: it was written with the result in view
	return o, false
}

func sane(g Game, p Position, o Order) *Refusal {
	if err := g.Sane(p, o); err != nil {
		return refusal(err)
	}
	if o.Else != nil {
		o.Command = o.Else
		if err := g.Sane(p, o); err != nil {
			return refusal(err)
		}
	}
	return nil
}

// refusal takes an error of rule code for a refusal; rule code returns no other.
func refusal(err error) *Refusal {
	if r, ok := err.(*Refusal); ok {
		return r
	}
	panic("rule code returned an error that is no refusal: " + err.Error())
}
