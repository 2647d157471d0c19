package solvers_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// stuck is a source that cancels the context and then ignores it, like a decomposition in progress.
type stuck struct {
	stream.Gatherer
	armed   atomic.Bool
	stop    context.CancelFunc
	release chan struct{}
}

// Info waits once the source is armed.
func (s *stuck) Info() stream.Info {
	s.wait()
	return s.Gatherer.Info()
}

// Open waits once the source is armed.
func (s *stuck) Open(ctx context.Context, first int64) (stream.Reader, error) {
	s.wait()
	return s.Gatherer.Open(ctx, first)
}

// wait ends the context of the fit and blocks until the test releases the source.
func (s *stuck) wait() {
	if s.armed.Load() {
		s.stop()
		<-s.release
	}
}

// TestFitReturnsWhenContextEnds: when the context ends, the Fit of every method returns although its work goes on.
func TestFitReturnsWhenContextEnds(t *testing.T) {
	for _, f := range families {
		for _, r := range f.methods() {
			t.Run(r.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { leaveFit(t, f, r) })
			})
		}
	}
}

// leaveFit cancels the fit of one row of the table while it reads.
func leaveFit(t *testing.T, f family, r row) {
	x := matrix.New(20, 2)
	for i := range x.Data {
		x.Data[i] = float64(i%7) / 7
	}
	ctx, cancel := context.WithCancel(context.Background())
	src := &stuck{Gatherer: stream.FromMatrix("x", x), stop: cancel, release: make(chan struct{})}
	r.flags &^= two // the source is the left one
	data := must(f.dataOf(t, r, src, nil))(t)
	src.armed.Store(true)
	if fit, err := fitOf(ctx, stream.Engine{Threads: 1}, r.method, data, kernelgen.RBF(1)); !errors.Is(err, context.Canceled) || fit != nil {
		t.Errorf("%v, %v", fit, err)
	}
	src.armed.Store(false)
	close(src.release) // wait until the abandoned work has ended
}
