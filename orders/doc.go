// Package orders is the half of the order language that is the same for every
// game: text to [Sheet] and back, with findings that name line and word.
//
// [Parse] promises that a line is either read, and then in one canonical form,
// or found fault with; nothing is dropped in silence and nothing is guessed.
// [Format] writes a sheet so that Parse reads the same sheet again.
//
// It relies on lines whose Unicode has been normalised (see pbem/message), and
// on a [Grammar] from the game: its verbs, their clause words, and what a hex
// looks like. It won't look up units, places or rules, and it reads no clock,
// no randomness and no files. Sentences are keys with arguments; the words are
// in templates/en/orders.toml.
package orders
