package hub

import (
	"errors"
	"strings"

	"github.com/emersion/go-sasl"
)

const xoauth2 = "XOAUTH2"

// loginServer is the server side of LOGIN, which go-sasl has only for clients.
type loginServer struct {
	check func(name, password string) error
	name  string
	step  int
}

func (l *loginServer) Next(response []byte) (challenge []byte, done bool, err error) {
	if l.step == 0 && response != nil { // initial response: the name
		l.step = 1
	}
	l.step++
	switch l.step {
	case 1:
		return []byte("Username:"), false, nil
	case 2:
		l.name = string(response)
		return []byte("Password:"), false, nil
	case 3:
		return nil, true, l.check(l.name, string(response))
	}
	return nil, true, errors.New("too many responses")
}

// xoauth2Server takes the bearer token as the password of the account.
type xoauth2Server struct {
	check func(name, token string) error
	asked bool
	err   error
}

func (x *xoauth2Server) Next(response []byte) (challenge []byte, done bool, err error) {
	if x.err != nil { // the client has acknowledged the refusal
		return nil, true, x.err
	}
	if response == nil && !x.asked {
		x.asked = true
		return nil, false, nil
	}
	var name, token string
	for _, f := range strings.Split(string(response), "\x01") {
		if v, ok := strings.CutPrefix(f, "user="); ok {
			name = v
		}
		if v, ok := strings.CutPrefix(f, "auth=Bearer "); ok {
			token = v
		}
	}
	if x.err = x.check(name, token); x.err != nil {
		return []byte(`{"status":"400","schemes":"Bearer","scope":"mail"}`), false, nil
	}
	return nil, true, nil
}

var (
	_ sasl.Server = (*loginServer)(nil)
	_ sasl.Server = (*xoauth2Server)(nil)
)
