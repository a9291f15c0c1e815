// Package blitz41 is the rulebook of Blitzkrieg '41.
//
// The files are the book's chapters: a reader with the rulebook open finds the
// functions in the order of the paragraphs, each under a comment that names
// them. Exceptions live here and not in the mechanisms. Where the book is silent
// or contradicts itself, RULINGS.md says what is played and why. The tables that
// the book refers to but does not print are data files with a source for every
// value; see [Load].
//
// The package relies on engine and its mechanisms. It reads no mail and parses
// no order: commands come typed, and sentences leave it as keys.
package blitz41
