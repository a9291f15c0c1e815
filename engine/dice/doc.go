// Package dice makes dice that nobody has to trust, and checks them: two
// opponents who trust neither each other nor the server can check every roll of
// their game, offline, from the mails they hold.
//
// It promises that its records hold all that is needed for that, and that what
// [Log] writes [Check] takes, to the byte; an independent program can be written
// from this page alone, and one stands in testdata/dice/check.py. It relies on
// SHA-256, HMAC, HKDF, Ed25519 and BLS12-381, and on secrets, times and beacon
// signatures that are given to it. It knows no game and no rule, touches no clock,
// network or file, and can't show what no mail shows: a game withheld, a mail
// never sent, an order told to the other side.
//
// # Bytes
//
// LP(x) is the length of x in four bytes, big-endian, then x. u32(n) is n in four
// bytes, big-endian. || is concatenation, H is SHA-256, text is UTF-8. A game is
// its id as text, a player the id of a seat. The players of a step come sorted.
//
// # Chains
//
// For each X of dice, seal and hidden the server draws a secret, X[N], and goes
// down:
//
//	X[i-1] = H( LP("pbem-chain-v1") || LP(X's name) || LP(game) || u32(i) || LP(X[i]) )
//
// X[0] stands in the start record. dice[n] is opened when step n is over, seal and
// hidden when the game is. A step is the stretch from the close of one side's
// orders until they have been executed; orders that can reach no roll are no
// step, only a sheet record.
//
// # Close
//
//	orders = canonical lines of the player's orders, each ended by LF
//	opener = HMAC-SHA256( key = seal[n], LP(player) )
//	C      = H( LP("pbem-orders-v1") || LP(opener) || LP(orders) ), or empty without orders
//	D      = H( LP("pbem-step-v1") || for each player: LP(player) || LP(C) || LP(salt) )
//
// With a beacon the close record names the first round at or after its time plus
// ten minutes: round r comes at genesis + (r-1)·period. Its
// signature is a BLS12-381 point of G1, the key one of G2, the message the SHA-256 of
// r in eight bytes, big-endian, and hashed to the curve by RFC 9380 under the domain
// BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_.
//
// # Rolls
//
//	salt  = H( LP("pbem-dice-v1") || LP(game) || u32(n) || LP(D) )
//	PRK   = HKDF-Extract( salt, LP(dice[n]) || LP(beacon signature, or "") )
//	K     = HMAC-SHA256( PRK, LP("roll") || LP(label) )
//	bytes = HMAC-SHA256( K, u32(0) ) || HMAC-SHA256( K, u32(1) ) || …
//
// A number below m takes one byte, dropped if it is floor(256/m)·m or more, modulo
// m; above 256 two bytes, big-endian, dropped at floor(65536/m)·m; a number below 1
// takes none. A die of s sides is 1 + a number below s; several dice of one label
// come in order. A shuffle of pieces 0 … m-1 goes from i = m-1 down to 1 and swaps
// pieces i and j, j being a number below i+1. Hidden rolls take hidden[n] for
// dice[n].
//
// # Records
//
// A record is text: "pbem-record v1 <kind>", then lines "name: value" in the order
// below, each ended by LF. An empty value leaves the line at its colon. Fields
// with * come any number of times, with ? at most once. Hex is in lower case,
// numbers without leading zeros, times RFC 3339 in UTC and whole seconds. A
// record has one writing only.
//
//	start   game, player*, rules: <id> <version>, build, data*: <hash> <file>,
//	        dice, seal, links, beacon, key, hidden, time
//	sheet   game, step, phase, side, c, time
//	close   game, step, phase, side, c*: <player> <C or ->, salt*: <player> <text>,
//	        d, time, round: <number or none>
//	step    game, step, dice, beacon: <signature or none>, roll*, show*,
//	        answer*: <player> <text>, rules: <version>, sent*: <player> <time or ->,
//	        grade: <beacon or chain>, time
//	amend   game, what, step, rules?, dice?, seal?, links?, beacon?: none, hidden?,
//	        key?, key-sig?, answer*, reason, time
//	end     game, steps, result, seal*, hidden*, show*, time
//	all     …, mark?: DEMO, prev: <hash or none>, sig
//
// In a start record beacon is none, or "<chain hash> <period> <genesis> <public
// key>"; without the mark DEMO it must be drand quicknet. A side is a player, or -
// if nobody opened the step. c has one line for each player in a close record. sent
// has one for each in a step record whose close record names a round, telling when
// the mail server took his copy. The mark says that the secrets follow from a word
// that anybody may know. A game never has it on some records only.
//
//	roll: <label> <sides> <v,v,…> <what for>
//	show: <step> <label> <sides> <v,v,…> <what for>
//
// For a shuffle sides is "shuffle" and the number of pieces, "shuffle40", and the
// values are the pieces in their new order. A hidden roll has the word hidden for
// each value, a hidden shuffle has it once; a show line of a later step or the end
// record gives the values. A label has five parts,
// T<turn>/<phase>/<kind>/<where>/<attempt>, each of printable ASCII without blank
// and slash, "-" for none; attempt is 1 + the game's earlier rolls with the same
// first four parts.
//
// Texts (phase, salt, answer, what for, reason, result, file names, orders) have
// these escapes: \\ for a backslash, \n, \r, \t; \x and two digits for other
// control bytes, for DEL, for bytes that are no UTF-8, and for a blank at either
// end; \u and four digits for U+0085, U+2028 and U+2029.
//
//	sig     = base64 of the Ed25519 signature over all lines above, LF included
//	key-sig = the same, by the new key, over the lines above it
//	hash    = H( LP("pbem-record-v1") || LP(all lines, sig and its LF included) )
//	prev    = hash of the record before
//
// The head of a game is the hash of its last record, spoken as six words: its first
// 64 bits by RFC 1751, the word list being words.txt. The fingerprint of a server
// key is H( LP("pbem-key-v1") || LP(key) ).
//
// In mails and transcripts a record stands between the lines
// "-----BEGIN PBEM RECORD-----" and "-----END PBEM RECORD-----", and orders, which
// are not signed since C binds them, between "-----BEGIN PBEM ORDERS-----" and
// "-----END PBEM ORDERS-----":
//
//	record: <hash of the sheet or close record>
//	player: <player>
//	opener: <hex, or - if it isn't open yet>
//	order: <line>                              (any number)
//
// Whatever else stands in a mail or a transcript is passed over. The transcript of
// a game that is over holds below its records, between "-----BEGIN PBEM PLAY-----"
// and "-----END PBEM PLAY-----", what the rules made of the orders; that part is for
// the server program, which can carry them out again, and no die depends on it.
//
// # What must hold
//
// Each record follows the one before by prev, has its game and mark, isn't older,
// and bears the server's signature. The first is the start, nothing follows the
// end. Steps are closed 1, 2, 3 … without gaps, and each is played before the next
// is closed. A sheet record names the step that comes next, and its C is sealed by
// that step's link. D follows from what stands beside it, the round from time, the
// link opened leads to dice[0], the signature is the beacon's, the step isn't older
// than its round, every label is the next of its name and every value follows from
// it. The grade is beacon if each sent time lies before the round's time, else
// chain. The end record opens the last link of each seal and hidden chain, which
// lead to the start's; all C follow from the orders, and every hidden roll has been
// shown as it was rolled.
//
// # Amendments
//
// An amend record changes the course of a game in the open; none can change a die.
//
//	rollback  steps from step on are played again, each from its own close record, by
//	          the version in rules; labels are counted as they were before step
//	rules     the steps from step, the coming one, are played by another version
//	key       the records after this are signed by key, which has made key-sig too
//	chain     dice, seal, links and hidden are those of new chains; they serve from
//	          step on, which must be the first that the old ones have no link for, and
//	          of the old links at least min(8, links/2) must not be closed yet. Step
//	          s takes link s-step+1 of them; u32(n) in salt stays the step's number.
//	grade     all players said GRADE CHAIN; from step, the next, there is no beacon
//	void      all players said AGREE; step, which waits for a beacon that nobody has
//	          seen, is never played
//
// # What it can't show
//
// One player's mails prove the chain that this player was shown. That the opponent
// was shown the same one takes both folders, or the head words ([Compare], and Head
// in [Options]). With dice of the grade chain an operator in league with a player
// can foresee dice, or try orders and salts until they suit; the beacon closes
// that, for orders, not for answers given inside a step.
package dice
