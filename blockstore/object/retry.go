package object

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/nystream/nystream/stream"
)

// Patience limits the time of requests. Zero fields mean the defaults.
type Patience struct {
	// Stall bounds the time without progress, over all attempts; 30 s by default. A single attempt
	// gets half of it.
	Stall time.Duration
	// Pause bounds the first pause between attempts; 200 ms by default. Later pauses double, up to
	// 5 s.
	Pause time.Duration
}

const (
	attempts     = 8 // per request
	longestPause = 5 * time.Second
)

// errStalled is the cause of cancelling an attempt without progress.
var errStalled = Temporary(errors.New("no answer came in time"))

// progressTimer cancels an attempt that makes no progress.
type progressTimer struct {
	Patience
	timer *time.Timer
	last  atomic.Int64 // time of the last progress, in nanoseconds
}

// beat records that the request makes progress.
func (a *progressTimer) beat() {
	a.last.Store(time.Now().UnixNano())
	a.timer.Reset(a.Stall / 2)
}

// left returns the remaining time for all attempts.
func (a *progressTimer) left() time.Duration {
	return time.Until(time.Unix(0, a.last.Load()).Add(a.Stall))
}

// Retry calls do until it succeeds or fails other than by a [Temporary] error, or until there is no
// progress for the time of [Patience]. It cancels the context of a stalled attempt. do calls beat
// whenever it makes progress.
func (p Patience) Retry(ctx context.Context, do func(ctx context.Context, beat func()) error) error {
	a := &progressTimer{Patience: Patience{cmp.Or(p.Stall, 30*time.Second), cmp.Or(p.Pause, 200*time.Millisecond)}}
	a.last.Store(time.Now().UnixNano())
	for n := 1; ; n++ {
		err := a.attempt(ctx, do)
		if err == nil || ctx.Err() != nil || !IsTemporary(err) {
			return err
		}
		wait := min(a.Pause<<(n-1), longestPause)
		wait = wait/2 + time.Duration(rand.Int64N(int64(wait/2)+1)) // spreads the retries of several workers
		switch last := a.left() <= wait || n == attempts; {
		case last && err == errStalled:
			return Failure(stream.NewDataError("", "no answer for %v", a.Stall).WithRemedy("where the server is as slow as that, set `Engine.Stall` to more"))
		case last:
			return stream.NewDataError("", "after %d attempts: %w", n, err)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// attempt calls do once.
func (a *progressTimer) attempt(ctx context.Context, do func(ctx context.Context, beat func()) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a.timer = time.AfterFunc(min(a.Stall/2, a.left()), func() { cancel(errStalled) })
	defer a.timer.Stop()
	err := do(ctx, a.beat)
	if err != nil && context.Cause(ctx) == errStalled {
		return errStalled
	}
	return err
}
