package ops_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"pbemd/pbem"
	"pbemd/pbem/ops"
	"pbemd/pbem/pbemtest"
)

// page is what a path says.
func page(t *testing.T, bound, path string) (int, string) {
	t.Helper()
	r, err := http.Get("http://" + bound + path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(b)
}

// has wants lines of the metrics page.
func has(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, l := range lines {
		if !strings.Contains("\n"+text, "\n"+l+"\n") {
			key, _, _ := strings.Cut(l, " ")
			var near []string
			for _, have := range strings.Split(text, "\n") {
				if strings.HasPrefix(have, strings.SplitN(key, "{", 2)[0]) {
					near = append(near, have)
				}
			}
			t.Errorf("no line %q; there are %q", l, near)
		}
	}
}

type world struct {
	*pbemtest.World
	m     *ops.Metrics
	bound string
}

func serve(t *testing.T) *world {
	x := &world{}
	x.World = pbemtest.NewWorld(t, func(w *pbemtest.World) {
		x.m = ops.New(w.Now)
		w.Config.Watch = x.m
	}, pbemtest.ToyRules())
	x.m.Over(x.Archive)
	bound, stop, err := x.m.Serve("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	x.bound = bound
	return x
}

func TestNumbersFollowTheMail(t *testing.T) {
	x := serve(t)
	x.Found("toy", pbem.Terms{NoJoin: true})
	x.Box.Put(x.As("axis").Mail("GAME 1", "STEP 2", "END"), x.Now().Add(-3*time.Second))
	x.Box.Put(x.As("axis").Mail("GAME 1", "JUMP", "END"), x.Now())
	x.Post.Refuse = func(pbem.Envelope) error {
		return &pbem.SendError{Temporary: true, Code: 451, Err: errors.New("greylisted")}
	}
	if err := x.Office.Drain(context.Background(), x.m.Inbox(x.Box)); err != nil {
		t.Fatal(err)
	}
	if err := x.Office.Flush(context.Background(), x.m.Sender(x.Post)); err != nil {
		t.Fatal(err)
	}
	x.Skip(20 * time.Second)
	_, text := page(t, x.bound, "/metrics")
	has(t, text,
		`pbem_mails_total{outcome="accept"} 2`, `pbem_mails_total{outcome="quarantine"} 0`,
		`pbem_mail_lag_seconds_count 2`, `pbem_mail_lag_seconds_sum 3`, `pbem_mail_lag_seconds_bucket{le="2"} 1`,
		`pbem_outbox_mails{state="pending"} 2`, `pbem_outbox_oldest_seconds 20`,
		`pbem_sends_total{state="pending"} 2`, `pbem_sends_total{state="sent"} 2`, // the two opening mails
		`pbem_games{stage="playing"} 1`, `pbem_games_waiting{for="orders"} 1`,
		`pbem_mailbox_up 1`, `pbem_smtp_up 1`, `pbem_store_up 1`)
	if m := regexp.MustCompile(`@|JUMP|gm\+|Player`).FindString(text); m != "" {
		t.Errorf("the page tells %q", m)
	}
	x.Post.Refuse = nil
	x.Skip(time.Minute)
	x.Flush()
	x.As("soviet").Sheet("STANDING ASK D04")
	x.As("axis").Sheet("PHASE FIGHT", "FIGHT")
	x.Skip(20 * time.Second)
	_, text = page(t, x.bound, "/metrics")
	has(t, text, `pbem_games_waiting{for="answer"} 1`, `pbem_games_waiting{for="orders"} 0`, `pbem_outbox_mails{state="pending"} 0`, `pbem_outbox_oldest_seconds 0`)
}

// Whoever looks over its shoulder, the inbox can do what it can: a mail too large
// to be fetched is answered by its header.
func TestAWatchedInboxKeepsItsHands(t *testing.T) {
	x := serve(t)
	x.Found("toy", pbem.Terms{NoJoin: true})
	axis := x.As("axis")
	axis.Next()
	x.As("soviet").Next()
	x.Box.Put(append(axis.Mail("GAME 1", "STEP 2", "END"), bytes.Repeat([]byte("blah blah\r\n"), 120000)...), x.Now())
	x.Box.Put(axis.Mail("GAME 1", "STEP 1", "END"), x.Now())
	in := x.m.Inbox(x.Box)
	if err := x.Office.Drain(context.Background(), in); err != nil {
		t.Fatal(err)
	}
	x.Flush()
	subjects := axis.Next().Subject + "\n" + axis.Next().Subject // in whatever order
	if !strings.Contains(subjects, "] NOT ACCEPTED") || !strings.Contains(subjects, "] ACCEPTED") {
		t.Errorf("answered by\n%s", subjects)
	}
	if x.Box.Lying() != 0 || len(x.Box.Filed[pbem.Processed]) != 2 {
		t.Errorf("%d lie in the mailbox, %d are filed", x.Box.Lying(), len(x.Box.Filed[pbem.Processed]))
	}
}

func TestHealthSaysWhatIsWrong(t *testing.T) {
	x := serve(t)
	x.Found("toy", pbem.Terms{NoJoin: true})
	in, out := x.m.Inbox(x.Box), x.m.Sender(x.Post)
	ctx := context.Background()
	if _, err := in.List(ctx); err != nil {
		t.Fatal(err)
	}
	if code, text := page(t, x.bound, "/healthz"); code != 200 || text != "ok\n" {
		t.Errorf("all well: %d %s", code, text)
	}
	// One failure is no illness; eleven minutes without the mailbox are.
	x.Box.FailFile = errors.New("cut")
	ref := x.Box.Put([]byte("x"), x.Now())
	if in.File(ctx, ref, pbem.Processed) == nil {
		t.Fatal("filing went well")
	}
	if code, _ := page(t, x.bound, "/healthz"); code != 200 {
		t.Error("ill at once")
	}
	_, text := page(t, x.bound, "/metrics")
	has(t, text, `pbem_mailbox_up 0`, `pbem_mailbox_failures_total 1`)
	x.Skip(11 * time.Minute)
	if code, text := page(t, x.bound, "/healthz"); code != 503 || !strings.Contains(text, "the mailbox has been out of reach for 11m") {
		t.Errorf("without a mailbox: %d %s", code, text)
	}
	x.Box.FailFile = nil
	if err := in.File(ctx, ref, pbem.Processed); err != nil {
		t.Fatal(err)
	}
	// A refusal of one mail is no illness of the mail server, a refused login is.
	x.Post.Refuse = func(pbem.Envelope) error { return &pbem.SendError{Code: 550, Err: errors.New("no such user")} }
	_ = out.Send(ctx, pbem.Envelope{To: "a@b.example"}, nil)
	_, text = page(t, x.bound, "/metrics")
	has(t, text, `pbem_smtp_up 1`)
	x.Post.Refuse = func(pbem.Envelope) error {
		return &pbem.SendError{Temporary: true, Code: 535, Err: errors.New("password")}
	}
	_ = out.Send(ctx, pbem.Envelope{To: "a@b.example"}, nil)
	x.Skip(11 * time.Minute)
	_, _ = in.List(ctx)
	if code, text := page(t, x.bound, "/healthz"); code != 503 || !strings.HasPrefix(text, "the mail server has been out of reach for 11m") {
		t.Errorf("without a mail server: %d %s", code, text)
	}
}

// The end of the program is no failure of the servers.
func TestEndedContextIsNoFailure(t *testing.T) {
	x := serve(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = x.m.Inbox(x.Box).Wait(ctx)
	_, text := page(t, x.bound, "/metrics")
	has(t, text, `pbem_mailbox_failures_total 0`)
}

func TestOnlyLoopbackIsServed(t *testing.T) {
	for addr, ok := range map[string]bool{
		"127.0.0.1:9417": true, "[::1]:9417": true, "localhost:9417": true,
		":9417": false, "0.0.0.0:9417": false, "192.0.2.1:9417": false, "example.org:9417": false, "127.0.0.1": false, "": false,
	} {
		if err := ops.Validate(addr); (err == nil) != ok {
			t.Errorf("%q: %v", addr, err)
		}
		if !ok {
			if _, _, err := ops.New(time.Now).Serve(addr); err == nil {
				t.Errorf("%q was served", addr)
			}
		}
	}
	if err := ops.Validate("0.0.0.0:1"); !errors.Is(err, ops.ErrOpen) {
		t.Error(err)
	}
}
