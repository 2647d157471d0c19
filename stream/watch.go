package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// stallLimit is how long a single call into a source may take before the pass
// gives up, unless [Engine.Stall] says otherwise: a reader that makes no progress that long on a file is taken to
// hang. Pipes may wait for ever. It is a variable for the tests.
var stallLimit = 30 * time.Second

// errAbandoned ends a reading goroutine that the pass no longer waits for.
var errAbandoned = errors.New("the pass gave this reader up")

// watch lets a pass give up a call into its source that does not return. The
// goroutine of that call is left behind. Should the call return after all, its
// goroutine learns that it came too late and touches nothing that it shares
// with the pass.
type watch struct {
	clock time.Time    // when the watch began; differences to it are monotonic
	state atomic.Int64 // idle, abandoned, or when the call under way began
}

const (
	idle      = 0
	abandoned = -1
)

func newWatch() *watch { return &watch{clock: time.Now()} }

func (w *watch) now() int64 { return 1 + int64(time.Since(w.clock)) }

// call runs one call into the source, or gives errAbandoned if the pass has
// given up before or in the meantime.
func (w *watch) call(f func() error) error {
	if !w.state.CompareAndSwap(idle, w.now()) {
		return errAbandoned
	}
	err := f()
	for {
		began := w.state.Load()
		if began == abandoned {
			return errAbandoned
		}
		if w.state.CompareAndSwap(began, idle) {
			return err
		}
	}
}

// isOver reports whether the pass has given up reading.
func (w *watch) isOver() bool { return w.state.Load() == abandoned }

// beat notes that the call under way makes progress.
func (w *watch) beat() {
	if began := w.state.Load(); began > idle {
		w.state.CompareAndSwap(began, w.now())
	}
}

// watchKey is the key of the watch of a reader, in the context with which it opens a source.
type watchKey struct{}

// on returns the context with which a reader opens a source.
func (w *watch) on(ctx context.Context) context.Context {
	return context.WithValue(ctx, watchKey{}, w)
}

// Beat tells the pass that has opened a source with ctx that reading goes on. A source
// whose reads take long, since a block is wide and a disk slow, calls it after each
// step; one that does not is taken to hang after the time of [Engine.Stall].
func Beat(ctx context.Context) {
	if w, is := ctx.Value(watchKey{}).(*watch); is && w != nil {
		w.beat()
	}
}

// giveUp gives up the call under way if it has lasted longer than the limit,
// and reports whether it did.
func (w *watch) giveUp(limit time.Duration) bool {
	began := w.state.Load()
	return began > idle && w.now()-began > int64(limit) && w.state.CompareAndSwap(began, abandoned)
}

// forbid makes every further call fail, gives up the call under way, and says
// whether there was one.
func (w *watch) forbid() bool { return w.state.Swap(abandoned) > idle }

// maxEmpty is how many reads in a row may return no rows and no error. They are
// legal, since a reader may have dropped the rows it has read; but a reader that
// does nothing else hangs. It is a variable for the tests.
var maxEmpty = 1 << 24

// watchedReader watches every single read, not the filling of a whole block, so
// that a slow but steady reader is not taken to hang.
type watchedReader struct {
	Reader
	watch *watch
	name  string // of the source
	empty int    // reads without rows since the last one with rows
}

// Read reads unless the pass has given up.
func (r *watchedReader) Read(dst *Batch) (n int, err error) {
	err = r.watch.call(func() (err error) {
		n, err = r.Reader.Read(dst)
		return err
	})
	if err == errAbandoned {
		return 0, err
	}
	r.empty++
	if n > 0 {
		r.empty = 0
	}
	if r.empty > maxEmpty && err == nil {
		return 0, fmt.Errorf("%s: %d reads gave no rows: %w", r.name, maxEmpty, io.ErrNoProgress)
	}
	return n, err
}
