// Package message turns raw Internet mail (RFC 5322, MIME) into plain values and
// plain values into raw mail.
//
// [Parse] promises that what a mail program did to a text on its way is undone
// or reported, and that nothing is guessed: charsets, transfer encodings, soft
// line breaks, HTML, quoted replies, typographic spaces, dashes, quotes and
// arrows are normalised, letter case is kept, and every change has a word in
// [Mail.Normalised]. [Compose] promises that equal values give equal bytes.
//
// An S/MIME message is read as what it holds. Its signature is not verified; one
// of OpenPGP is kept in [Mail.Signed] for pbem/auth.
//
// It relies on nothing but its arguments: no network, no clock, no randomness.
// It won't judge who sent a mail (see pbem/auth) nor what an order means
// (see orders).
package message

import (
	"bytes"
	"sort"
	"strings"
)

// Limits of what is read from one mail.
const (
	MaxDepth = 20        // nested multiparts
	MaxParts = 200       // parts of any kind
	MaxText  = 256 << 10 // octets of decoded text in one part
	MaxBytes = 1 << 20   // octets of a whole mail
)

// Address is one mailbox: a display name and an addr-spec as written.
type Address struct {
	Name string
	Addr string
}

// View is one reading of the text of a mail: its plain side, its HTML side, or
// one attachment. Lines and Raw have the same length; Lines are normalised with
// their case kept, Raw are as the sender wrote them, for texts that are passed
// on word for word.
type View struct {
	Name       string // "plain", "html", or the file name of an attachment
	Attachment bool
	Lines      []string
	Raw        []string
	Quoted     []string // what was left out as quoted or forwarded, without its marks
	Cut        bool     // longer than MaxText: the rest was not read
}

// Ignored is something in the mail that was not read as orders. Why is a key of
// the sentence templates.
type Ignored struct {
	What string
	Why  string
}

// Bounce is what a delivery report says (RFC 3464, or an old-style notice).
type Bounce struct {
	Recipient         string
	Action            string // failed, delayed, delivered, relayed, expanded
	Status            string // 5.1.1
	Diagnostic        string
	OriginalMessageID string
}

// Hard says that the report means a delivery given up for good.
func (b *Bounce) Hard() bool {
	return b.Action == "failed" || b.Action == "" && strings.HasPrefix(b.Status, "5")
}

// Signed is a part of the mail under an OpenPGP signature.
type Signed struct {
	Kind      string // "pgp-mime" or "pgp-clear"
	Content   []byte // the exact signed octets of a PGP/MIME part, or the whole armour
	Signature []byte // the armoured signature of a PGP/MIME part
}

// Field is one header field, unfolded.
type Field struct {
	Name  string // as written
	Value string
}

// Mail is one incoming mail as plain values.
type Mail struct {
	Fields []Field // top to bottom, broken lines dropped

	From        []Address // all authors named; a mail that counts has one
	FromFields  int       // how many From fields there were
	OddFrom     bool      // From has a form that names somebody else to another program: it can't be proven
	To          []Address
	Cc          []Address
	DeliveredTo []string
	OriginalTo  []string
	ReturnPath  string
	NullReturn  bool // the reverse-path was there and empty
	Subject     string
	MessageID   string // raw, trimmed; "" if there was none
	InReplyTo   string
	References  []string
	Date        string // raw
	ListID      string

	Automatic string // why it is the work of a machine; "" for a person's mail
	Loop      bool   // carries our own loop field
	Bounce    *Bounce
	Signed    *Signed

	Views      []View
	Encrypted  bool // some part can't be read without a key
	Unreadable bool // some part that may hold text could not be taken apart
	TooLarge   bool // larger than a limit
	Document   string
	Winmail    bool

	Normalised []string // sorted words: what was changed on the way to Lines
	Ignored    []Ignored

	words map[string]bool
}

// Options say what the caller knows of the order language.
type Options struct {
	// Keyword reports whether a word (upper case) begins an order line, so that
	// soft line breaks before it are kept. Nil means a general list.
	Keyword func(word string) bool
}

// Parse reads one raw mail. It never fails: what can't be read is said in the
// fields Encrypted, Unreadable and TooLarge, and whatever could be is there.
func Parse(raw []byte, o Options) *Mail {
	m := &Mail{words: map[string]bool{}}
	if o.Keyword == nil {
		o.Keyword = generalKeyword
	}
	large := len(raw) > MaxBytes
	if large {
		m.TooLarge = true
		raw = raw[:headerEnd(raw)]
	}
	text := lineEnds(headerCRs(raw, m), m)
	fields, body, dropped := splitHeader(text)
	if dropped > 0 {
		m.note("header")
	}
	m.Fields = fields
	m.readHeader()
	m.Automatic = m.machine()
	if large {
		m.finish()
		return m
	}
	w := walker{m: m, opt: o}
	root := w.take(fields, body, 0)
	m.readReport(root)
	if m.Automatic == "" {
		w.readSigned(root)
		w.views(root)
	} else {
		m.oldBounce(root)
	}
	m.finish()
	return m
}

func (m *Mail) finish() {
	for w := range m.words {
		m.Normalised = append(m.Normalised, w)
	}
	sort.Strings(m.Normalised)
	m.words = nil
}

func (m *Mail) note(word string) {
	if m.words != nil {
		m.words[word] = true
	}
}

func (m *Mail) ignore(what, why string) {
	for _, i := range m.Ignored {
		if i.What == what && i.Why == why {
			return
		}
	}
	m.Ignored = append(m.Ignored, Ignored{what, why})
}

// Get returns the first field of that name, "" if there is none.
func (m *Mail) Get(name string) string {
	for _, f := range m.Fields {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// All returns the values of every field of that name, top to bottom.
func (m *Mail) All(name string) []string {
	var v []string
	for _, f := range m.Fields {
		if strings.EqualFold(f.Name, name) {
			v = append(v, f.Value)
		}
	}
	return v
}

// Sender returns the one author of the mail; ok is false if there is none, or
// more than one, or more than one From field.
func (m *Mail) Sender() (Address, bool) {
	if m.FromFields != 1 || len(m.From) != 1 {
		return Address{}, false
	}
	return m.From[0], true
}

// Recipients returns every address that the mail says it was meant for or
// handed to: the places where a reply address of ours may stand.
func (m *Mail) Recipients() []string {
	var out []string
	seen := map[string]bool{}
	add := func(a string) {
		if k := strings.ToLower(a); a != "" && !seen[k] {
			seen[k] = true
			out = append(out, a)
		}
	}
	for _, a := range m.DeliveredTo {
		add(a)
	}
	for _, a := range m.OriginalTo {
		add(a)
	}
	for _, a := range m.To {
		add(a.Addr)
	}
	for _, a := range m.Cc {
		add(a.Addr)
	}
	return out
}

// headerCRs makes blanks of lone CRs within the header: servers and signatures
// see one line there, and what stands behind such a CR must not become a field,
// or the end of the header. A mail that knows no LF at all has its ends in CRs.
func headerCRs(raw []byte, m *Mail) []byte {
	if bytes.IndexByte(raw, '\r') < 0 || bytes.IndexByte(raw, '\n') < 0 {
		return raw
	}
	end := len(raw)
	blank := 0 // the lines above that are blank
	for i, from := 0, 0; i < len(raw); i++ {
		if raw[i] != '\n' {
			continue
		}
		if len(bytes.Trim(raw[from:i], "\r")) == 0 && from > blank {
			end = from
			break
		} else if len(bytes.Trim(raw[from:i], "\r")) == 0 {
			blank = i + 1
		}
		from = i + 1
	}
	var out []byte
	for i := 0; i < end; i++ {
		if raw[i] != '\r' {
			continue
		}
		j := i
		for j < end && raw[j] == '\r' {
			j++
		}
		if j < len(raw) && raw[j] == '\n' {
			i = j
			continue
		}
		if out == nil {
			out = bytes.Clone(raw)
			m.note("header")
		}
		for ; i < j; i++ {
			out[i] = ' '
		}
		i--
	}
	if out == nil {
		return raw
	}
	return out
}

// lineEnds gives every line a single LF: CRLF, CR CR LF and a lone CR are ends.
func lineEnds(raw []byte, m *Mail) []byte {
	if bytes.IndexByte(raw, '\r') < 0 {
		return raw
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\r' {
			out = append(out, raw[i])
			continue
		}
		j := i
		for j < len(raw) && raw[j] == '\r' {
			j++
		}
		if j < len(raw) && raw[j] == '\n' {
			if j > i+1 {
				m.note("line-ends")
			}
			out = append(out, '\n')
			i = j
			continue
		}
		m.note("line-ends")
		for ; i < j; i++ {
			out = append(out, '\n')
		}
		i--
	}
	return out
}

// headerEnd is where the header block of a mail too large to be read ends.
func headerEnd(raw []byte) int {
	end := len(raw)
	for _, sep := range []string{"\r\n\r\n", "\n\n", "\r\r\n\r\r\n"} {
		if i := bytes.Index(raw, []byte(sep)); i >= 0 && i+len(sep) < end {
			end = i + len(sep)
		}
	}
	return min(end, 64<<10)
}

// generalKeyword knows the words that begin an order line in any of the games.
func generalKeyword(w string) bool { return generalWords[w] }

var generalWords = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`GAME END PHASE CHECK PREVIEW WHATIF CONTINUE AGAIN IF MESSAGE SALT NOTE HELP STATUS MAP REPORT
		SHOW UNDO AGREE REFUSE REQUEST ANSWER RESIGN CONCEDE OFFER OFFERDRAW ACCEPT STANDING JOIN ADDRESS GRADE ROLL
		MOVE HOLD NAME FIRE ATTACK ASSAULT PROBE STACK GO MA REPEAT RETURN SPLIT WITH LEAVE OBG STOP DONE
		CONSOLIDATE SEASUPPLY AIRSUPPLY HEDGEHOG MSU LENINGRAD RVGK BUILD REPLACE CONVERT DISBAND PLACE REENTER
		EVACUATE SEAMOVE AIRDROP DEFAULT HEX AREA ROWS UNIT
		OPTION DEPLETE VARIANT REPAIR REBUILD EXCHANGE FORTIFY FORTRESS UPGRADE RAILHEAD AIRBASE DESTROY PARTISAN
		STOCKPILE DISCLOSE STAGE MURMANSK RAIL AV SEA RESERVE COUNTERAIR COMMIT REDEPLOY`) {
		m[w] = true
	}
	return m
}()
