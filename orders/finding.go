package orders

import "fmt"

// Finding is something in a sheet that can't be read. Line is the number of
// the line in the mail. Key names the sentence, Args its arguments.
type Finding struct {
	Line int
	Code string
	Key  string
	Args map[string]any
}

// Codes of the findings of this package.
const (
	Unterminated  = "unterminated"   // a sheet without END
	BadCharacters = "bad-characters" // a control character
	Homoglyph     = "homoglyph"      // a letter that only looks like one of ours
	Character     = "character"      // a sign that has no place in orders
	Quotes        = "quotes"         // a quotation mark without its fellow
	Heading       = "heading"        // a GAME line that is no heading
	Duplicate     = "duplicate"      // the same sheet twice: read once
	Conflict      = "conflict"       // two sheets for one game that differ
	CheckNotFirst = "check-first"    // CHECK below other lines
	OpenMessage   = "open-message"   // MESSAGE without END MESSAGE
	Condition     = "condition"      // IF without an order behind it
	Dangling      = "dangling"       // a line that goes on after nothing
	TooMany       = "too-many"       // more lines than a sheet may have
	Expected      = "expected"       // a word of another kind is due
	LeftOver      = "left-over"      // words behind a complete order
)

func (f Finding) String() string { return fmt.Sprintf("line %d: %s %v", f.Line, f.Code, f.Args) }

func finding(line int, code string, args ...any) Finding {
	f := Finding{Line: line, Code: code, Key: "orders." + code}
	for i := 0; i+1 < len(args); i += 2 {
		if f.Args == nil {
			f.Args = map[string]any{}
		}
		f.Args[args[i].(string)] = args[i+1]
	}
	return f
}

// Note says that something was read as something else; the receipt repeats it.
type Note struct {
	Was string
	As  string
}
