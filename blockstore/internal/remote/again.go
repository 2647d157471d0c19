package remote

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/nystream/nystream/blockstore/object"
)

// attempts is how often a request is made, or goes on, before its error counts.
const attempts = 8

// FirstPause is how long the first pause is at most; each is twice as long, up to
// LongestPause. They are variables for the tests.
var FirstPause, LongestPause = 200 * time.Millisecond, 5 * time.Second

// again does what do does, and again after errors that may go away.
func again(ctx context.Context, do func() error) error {
	for n := 1; ; n++ {
		err := do()
		if err == nil || ctx.Err() != nil || !object.IsTemporary(err) {
			return err
		}
		if n == attempts {
			return fmt.Errorf("after %d attempts: %w", attempts, err)
		}
		if err := pause(ctx, n); err != nil {
			return err
		}
	}
}

// pause waits after attempt n, a time of which a part is drawn so that not all workers
// come back at once.
func pause(ctx context.Context, n int) error {
	most := min(FirstPause<<(n-1), LongestPause)
	wait := time.NewTimer(most/2 + time.Duration(rand.Int64N(int64(most/2)+1)))
	defer wait.Stop()
	select {
	case <-wait.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
