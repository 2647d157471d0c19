package stream

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// leaveAfter is how long [Leave] gives work to end by itself once its context has.
const leaveAfter = 200 * time.Millisecond

// Leave runs f on a goroutine of its own and returns its error. When the context has
// ended and f does not end soon, as in a decomposition of a large matrix, which looks at
// no context, Leave returns the cause and leaves f behind. It waits for a fold that keeps
// states, which may be writing down what was done. It is for programs that end then: f
// goes on until the process does, and what it uses must not be needed by others. A panic
// of f is raised again on the calling goroutine.
func Leave(ctx context.Context, f func(ctx context.Context) error) error {
	if _, within := ctx.Value(keepingKey{}).(*atomic.Int64); within || ctx.Done() == nil {
		return f(ctx)
	}
	keeping := new(atomic.Int64)
	ended := make(chan error, 1)
	go func() {
		err := errExited
		defer func() { ended <- err }()
		err = recovered(func() error { return f(context.WithValue(ctx, keepingKey{}, keeping)) })
	}()
	var tick <-chan time.Time
	var since time.Time
	over := ctx.Done()
	for {
		select {
		case err := <-ended:
			rethrow(err)
			return err
		case <-over:
			ticker := time.NewTicker(leaveAfter / 8)
			defer ticker.Stop()
			tick, since, over = ticker.C, time.Now(), nil
		case now := <-tick:
			if keeping.Load() > 0 {
				since = now
			}
			if now.Sub(since) >= leaveAfter {
				return context.Cause(ctx)
			}
		}
	}
}

// errExited is of work that ended its goroutine, as a failing test does.
var errExited = errors.New("the goroutine has exited")

// keepingKey is the key of how many folds of a context keep states just now.
type keepingKey struct{}

// keeping tells [Leave] that a fold keeps states, until the function that it returns is
// called.
func keeping(ctx context.Context) (done func()) {
	n, ok := ctx.Value(keepingKey{}).(*atomic.Int64)
	if !ok {
		return func() {}
	}
	n.Add(1)
	return func() { n.Add(-1) }
}
