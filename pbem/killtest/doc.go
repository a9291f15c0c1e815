// Package killtest treats the post office roughly: it kills the server at any
// instant, takes mailbox, mail server and disk away from under it, and looks
// whether a mail was lost, done twice, or answered otherwise.
//
// The server runs as a child process, wired as pbemd wires it: store, office,
// IMAP and SMTP. It needs Dovecot and Postfix, or the embedded hub in the
// parent. The kill loop prints its figures:
//
//	go test ./pbem/killtest -run TestKillLoop -kills 200 -v
//
// Without -kills it goes on for -spend (a minute by default, some seconds with
// -short). There are only tests here, and nothing to import.
package killtest
