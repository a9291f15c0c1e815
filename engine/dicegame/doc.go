// Package dicegame is a game of nothing but dice, for players who keep the game
// itself on their own table: either seat may ask at any time for a roll or a
// shuffle under a label, and both are told.
//
// It promises that a label is rolled once for ever: who asks for it again, with
// the same dice or with others, gets the old roll, and that this was asked stands
// in the log for both. It relies on package engine for dice, log and replay. It
// knows no rulebook and what no roll is for; which label means what is the
// players' own affair.
package dicegame
