package stream

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// abandonAfter is the time that [RunOrAbandon] waits for work to end after its context has ended.
const abandonAfter = 200 * time.Millisecond

// RunOrAbandon runs f on a separate goroutine and returns its error. Some work, such as the decomposition
// of a large matrix, does not check its context. If the context ends and f does not return soon,
// RunOrAbandon returns the cause of the context and abandons f. It waits for folds that write states. It
// is for programs that exit next: f continues until the process ends, and the caller must not need
// anything that f uses. A panic in f is raised again on the calling goroutine.
func RunOrAbandon(ctx context.Context, f func(ctx context.Context) error) error {
	if _, within := ctx.Value(activeFoldsKey{}).(*atomic.Int64); within || ctx.Done() == nil {
		return f(ctx)
	}
	keeping := new(atomic.Int64)
	ended := make(chan error, 1)
	go func() {
		err := errExited
		defer func() { ended <- err }()
		err = recovered(func() error { return f(context.WithValue(ctx, activeFoldsKey{}, keeping)) })
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
			ticker := time.NewTicker(abandonAfter / 8)
			defer ticker.Stop()
			tick, since, over = ticker.C, time.Now(), nil
		case now := <-tick:
			if keeping.Load() > 0 {
				since = now
			}
			if now.Sub(since) >= abandonAfter {
				return context.Cause(ctx)
			}
		}
	}
}

// errExited reports work that ended its goroutine, as t.FailNow does.
var errExited = errors.New("the goroutine has exited")

// activeFoldsKey is the context key of the number of folds that are writing states.
type activeFoldsKey struct{}

// registerFold makes [RunOrAbandon] wait until done is called.
func registerFold(ctx context.Context) (done func()) {
	n, ok := ctx.Value(activeFoldsKey{}).(*atomic.Int64)
	if !ok {
		return func() {}
	}
	n.Add(1)
	return func() { n.Add(-1) }
}
