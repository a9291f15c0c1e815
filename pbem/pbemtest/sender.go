package pbemtest

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"pbemd/pbem"
)

// SenderBench is a Sender and the hands to see what became of its messages. Known
// is an address that takes mail (with +detail too), Unknown one of the same
// server that doesn't exist. Refuse and Cut may be nil.
type SenderBench struct {
	Sender  pbem.Sender
	From    string
	Known   string
	Unknown string
	// Arrived returns the messages in the mailbox of Known, when there are at
	// least so many or the server has had its time.
	Arrived func(t *testing.T, atLeast int) [][]byte
	// Refuse makes the server answer code to every message for Known, 0 ends it.
	Refuse func(t *testing.T, code int)
	// Cut ends the open connections without a word.
	Cut func(t *testing.T)
}

// TestSender runs what every Sender must keep.
func TestSender(t *testing.T, open func(t *testing.T) SenderBench) {
	for _, c := range []struct {
		name string
		run  func(t *testing.T, ctx context.Context, b SenderBench)
	}{
		{"a message arrives octet by octet", senderBytes},
		{"the null sender works", senderNull},
		{"a batch arrives, each once", senderBatch},
		{"many at once arrive, each once", senderParallel},
		{"an unknown recipient is for good", senderUnknown},
		{"4xx is for now and 5xx for good, and the next message goes", senderRefused},
		{"a cut connection is replaced", senderCut},
		{"an address can't carry a command", senderInjection},
		{"an ended context sends nothing", senderContext},
	} {
		t.Run(strings.NewReplacer(" ", "-", ",", "").Replace(c.name), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*limit)
			defer cancel()
			c.run(t, ctx, open(t))
		})
	}
}

func send(t *testing.T, ctx context.Context, b SenderBench, n int) {
	t.Helper()
	if err := b.Sender.Send(ctx, pbem.Envelope{From: b.From, To: b.Known}, note(n)); err != nil {
		t.Fatalf("send %d: %v", n, err)
	}
}

// arrived wants each of the notes 0 … n-1 once.
func arrived(t *testing.T, b SenderBench, n int) {
	t.Helper()
	lying := b.Arrived(t, n)
	for i := range n {
		if got := has(lying, note(i)); got != 1 {
			t.Errorf("message %d arrived %d times, want once", i, got)
		}
	}
}

// sendError wants a refusal of the kind given.
func sendError(t *testing.T, err error, temporary bool, code int) {
	t.Helper()
	var se *pbem.SendError
	if !errors.As(err, &se) {
		t.Fatalf("error is %v, want a *pbem.SendError", err)
	}
	if se.Delivered || se.Temporary != temporary || code != 0 && se.Code != code {
		t.Errorf("delivered %v, temporary %v, code %d; want not delivered, temporary %v, code %d (%v)",
			se.Delivered, se.Temporary, se.Code, temporary, code, err)
	}
}

func senderBytes(t *testing.T, ctx context.Context, b SenderBench) {
	awkward := append(note(0), "\r\n..\r\n.leading dot\r\n \ttrailing blanks  \r\n"+strings.Repeat("x", 900)+"\r\n"...)
	if err := b.Sender.Send(ctx, pbem.Envelope{From: b.From, To: b.Known}, awkward); err != nil {
		t.Fatal(err)
	}
	lying := b.Arrived(t, 1)
	if len(lying) != 1 || !bytes.HasSuffix(lying[0], awkward) {
		t.Errorf("arrived as %q, want it to end in %q", lying, awkward)
	}
}

func senderNull(t *testing.T, ctx context.Context, b SenderBench) {
	if err := b.Sender.Send(ctx, pbem.Envelope{To: b.Known}, note(0)); err != nil {
		t.Fatal(err)
	}
	arrived(t, b, 1)
	if raw := b.Arrived(t, 1)[0]; !bytes.Contains(raw, []byte("Return-Path: <>\r\n")) {
		t.Errorf("arrived without the null return path:\n%s", raw)
	}
}

func senderBatch(t *testing.T, ctx context.Context, b SenderBench) {
	const many = 12
	for n := range many {
		send(t, ctx, b, n)
	}
	arrived(t, b, many)
}

func senderParallel(t *testing.T, ctx context.Context, b SenderBench) {
	const many = 6
	var all sync.WaitGroup
	for n := range many {
		all.Go(func() {
			if err := b.Sender.Send(ctx, pbem.Envelope{From: b.From, To: b.Known}, note(n)); err != nil {
				t.Errorf("send %d: %v", n, err)
			}
		})
	}
	all.Wait()
	arrived(t, b, many)
}

func senderUnknown(t *testing.T, ctx context.Context, b SenderBench) {
	sendError(t, b.Sender.Send(ctx, pbem.Envelope{From: b.From, To: b.Unknown}, note(1)), false, 550)
	send(t, ctx, b, 0)
	arrived(t, b, 1)
}

func senderRefused(t *testing.T, ctx context.Context, b SenderBench) {
	if b.Refuse == nil {
		t.Skip("this server can't be made to refuse")
	}
	for _, c := range []struct {
		code      int
		temporary bool
	}{{450, true}, {451, true}, {550, false}, {554, false}} {
		b.Refuse(t, c.code)
		sendError(t, b.Sender.Send(ctx, pbem.Envelope{From: b.From, To: b.Known}, note(9)), c.temporary, c.code)
	}
	b.Refuse(t, 0)
	send(t, ctx, b, 0)
	arrived(t, b, 1)
	if n := has(b.Arrived(t, 1), note(9)); n != 0 {
		t.Errorf("a refused message arrived %d times", n)
	}
}

func senderCut(t *testing.T, ctx context.Context, b SenderBench) {
	if b.Cut == nil {
		t.Skip("this server can't be made to cut connections")
	}
	send(t, ctx, b, 0)
	b.Cut(t)
	send(t, ctx, b, 1)
	arrived(t, b, 2)
}

func senderInjection(t *testing.T, ctx context.Context, b SenderBench) {
	for _, bad := range []string{
		b.Known + "\r\nRCPT TO:<" + b.Known, b.Known + "> NOTIFY=NEVER <" + b.Known, "a b@" + b.Known, "nobody", "@", "",
	} {
		sendError(t, b.Sender.Send(ctx, pbem.Envelope{From: b.From, To: bad}, note(1)), false, 0)
	}
	sendError(t, b.Sender.Send(ctx, pbem.Envelope{From: "x@y>\r\nDATA", To: b.Known}, note(1)), false, 0)
	send(t, ctx, b, 0)
	arrived(t, b, 1)
	if n := has(b.Arrived(t, 1), note(1)); n != 0 {
		t.Errorf("an injected message arrived %d times", n)
	}
}

func senderContext(t *testing.T, ctx context.Context, b SenderBench) {
	dead, cancel := context.WithDeadline(ctx, time.Now())
	cancel()
	sendError(t, b.Sender.Send(dead, pbem.Envelope{From: b.From, To: b.Known}, note(1)), true, 0)
	send(t, ctx, b, 0)
	arrived(t, b, 1)
	if n := has(b.Arrived(t, 1), note(1)); n != 0 {
		t.Errorf("a message sent under an ended context arrived %d times", n)
	}
}
