// Package pbemtest holds what every implementation of a port of the post office
// must keep: conformance suites that run on fakes, on the embedded hub and on
// real mail servers alike.
//
// A suite is given a factory and relies on nothing else; it opens no server. It
// says what must hold and not how fast.
package pbemtest
