package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// stallLimit is the time after which a pass abandons a call into its source, unless [Engine.Stall]
// is set: a reader of a file without progress for that long is assumed to hang. Pipes may wait
// forever. It is a variable for the tests.
var stallLimit = 30 * time.Second

// errAbandoned ends a reading goroutine that the pass no longer waits for.
var errAbandoned = errors.New("the pass gave this reader up")

// watch lets a pass abandon a call into its source that does not return, together with its
// goroutine. If the call returns after all, the goroutine finds that it was abandoned, and touches
// nothing that it shares with the pass.
type watch struct {
	clock time.Time    // start of the watch; differences to it are monotonic
	state atomic.Int64 // idle, abandoned, or the start of the current call
}

const (
	watchIdle      = 0
	watchAbandoned = -1
)

func newWatch() *watch { return &watch{clock: time.Now()} }

func (w *watch) now() int64 { return 1 + int64(time.Since(w.clock)) }

// call runs one call into the source. It returns errAbandoned if the pass has abandoned the watch
// before or meanwhile.
func (w *watch) call(f func() error) error {
	if !w.state.CompareAndSwap(watchIdle, w.now()) {
		return errAbandoned
	}
	err := f()
	for {
		began := w.state.Load()
		if began == watchAbandoned {
			return errAbandoned
		}
		if w.state.CompareAndSwap(began, watchIdle) {
			return err
		}
	}
}

// isAbandoned reports whether the pass has abandoned reading.
func (w *watch) isAbandoned() bool { return w.state.Load() == watchAbandoned }

// beat records that the current call makes progress.
func (w *watch) beat() {
	if began := w.state.Load(); began > watchIdle {
		w.state.CompareAndSwap(began, w.now())
	}
}

// watchKey is the context key of the watch of the reader that opens a source.
type watchKey struct{}

// withWatch returns the context for opening a source.
func (w *watch) withWatch(ctx context.Context) context.Context {
	return context.WithValue(ctx, watchKey{}, w)
}

// Heartbeat tells the pass that opened a source with ctx that reading makes progress. A source with long
// reads, such as wide blocks from a slow disk, calls it after each step. Otherwise a read that
// takes longer than [Engine.Stall] is assumed to hang.
func Heartbeat(ctx context.Context) {
	if w, is := ctx.Value(watchKey{}).(*watch); is && w != nil {
		w.beat()
	}
}

// abandonStalled abandons the current call if it has lasted longer than the limit, and reports
// whether it did.
func (w *watch) abandonStalled(limit time.Duration) bool {
	began := w.state.Load()
	return began > watchIdle && w.now()-began > int64(limit) && w.state.CompareAndSwap(began, watchAbandoned)
}

// abandon makes every further call fail, and reports whether it abandoned a call in progress.
func (w *watch) abandon() bool { return w.state.Swap(watchAbandoned) > watchIdle }

// maxEmpty bounds the successive reads that return neither rows nor an error. Such reads are legal,
// since a reader may drop rows, but a reader that does nothing else hangs. It is a variable for the
// tests.
var maxEmpty = 1 << 24

// watchedReader watches every single read, not the filling of a block, so that a slow but steady
// reader is not assumed to hang.
type watchedReader struct {
	Reader
	watch      *watch
	name       string // of the source
	emptyReads int    // empty reads since the last one with rows
}

// Read implements [Reader]. It fails once the pass has abandoned the reader.
func (r *watchedReader) Read(dst *Batch) (n int, err error) {
	err = r.watch.call(func() (err error) {
		n, err = r.Reader.Read(dst)
		return err
	})
	if err == errAbandoned {
		return 0, err
	}
	r.emptyReads++
	if n > 0 {
		r.emptyReads = 0
	}
	if r.emptyReads > maxEmpty && err == nil {
		return 0, fmt.Errorf("%s: %d reads gave no rows: %w", r.name, maxEmpty, io.ErrNoProgress)
	}
	return n, err
}
