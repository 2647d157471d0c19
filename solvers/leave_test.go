package solvers_test

import (
	"context"
	"errors"
	"reflect"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/rkhs"
	"github.com/nystream/nystream/solvers/transport"
	"github.com/nystream/nystream/stream"
)

// stuck is a source that ends the context when it is asked, and then looks at none, as a
// decomposition does.
type stuck struct {
	stream.Gatherer
	armed   atomic.Bool
	stop    context.CancelFunc
	release chan struct{}
}

func (s *stuck) Info() stream.Info {
	s.wait()
	return s.Gatherer.Info()
}

func (s *stuck) Open(ctx context.Context, first int64) (stream.Reader, error) {
	s.wait()
	return s.Gatherer.Open(ctx, first)
}

func (s *stuck) wait() {
	if s.armed.Load() {
		s.stop()
		<-s.release
	}
}

// leftMethods are the methods of all families with settings that a fit accepts.
var leftMethods = []any{
	lowrank.Landmark{Rank: 3}, lowrank.S3SPSD{Rank: 3}, lowrank.SSRSVD{Rank: 3}, lowrank.Nystrom{Rank: 3}, lowrank.RPCholesky{Rank: 3}, lowrank.RFF{Rank: 4},
	lowrank.Subspace{Rank: 3}, lowrank.Adaptive{ErrorTol: 0.1}, lowrank.Auto{Rank: 3}, lowrank.SSRSVDMatrix{Rank: 2},
	ksvd.Exact{Rank: 3}, ksvd.Nystrom{Rank: 3}, ksvd.SSRSVD{Rank: 3}, ksvd.Auto{Rank: 3},
	ism.Solver{Dim: 2}, askls.Solver{C: 1}, rkhs.Solver{Operator: rkhs.Covariance{}, Rank: 3},
	transport.Exact{}, transport.LowRank{Rank: 5}, transport.Auto{},
}

// TestFitsAreLeft: when the context ends, the Fit of every method returns while what it was
// at still goes on.
func TestFitsAreLeft(t *testing.T) {
	kernel, err := kernelgen.Parse("rbf(gamma=1)")
	if err != nil {
		t.Fatal(err)
	}
	left := make(map[reflect.Type]bool)
	for _, m := range leftMethods {
		left[reflect.TypeOf(m)] = true
		t.Run(reflect.TypeOf(m).String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { leaveFit(t, m, kernel) })
		})
	}
	for _, f := range families {
		for _, m := range f.methods {
			if !left[reflect.TypeOf(m)] {
				t.Errorf("%T is not in the table", m)
			}
		}
	}
}

func leaveFit(t *testing.T, m any, kernel kernelgen.Kernel) {
	x := stream.NewMatrix(20, 2)
	for i := range x.Data {
		x.Data[i] = float64(i%7) / 7
	}
	ctx, cancel := context.WithCancel(context.Background())
	src := &stuck{Gatherer: stream.FromMatrix("x", x), stop: cancel, release: make(chan struct{})}
	data := dataOf(t, m, src)
	src.armed.Store(true)
	out := reflect.ValueOf(m).MethodByName("Fit").Call([]reflect.Value{reflect.ValueOf(ctx), reflect.ValueOf(stream.Engine{Threads: 1}), reflect.ValueOf(data), reflect.ValueOf(kernel)})
	if err, _ := out[1].Interface().(error); !errors.Is(err, context.Canceled) || !out[0].IsNil() {
		t.Errorf("%v, %v", out[0], err)
	}
	src.armed.Store(false)
	close(src.release) // the test waits until what was left has ended
}

// dataOf returns what a method fits to the rows of src.
func dataOf(t testing.TB, m any, src stream.Source) any {
	var data any
	var err error
	switch m.(type) {
	case lowrank.Method:
		return model.Sources{Left: src}
	case transport.Method:
		return &transport.Data{Sources: model.Sources{Left: src}}
	case ism.Method:
		known, failed := ism.Classes(alternating(int(src.Info().Rows)), 2)
		data, err = &ism.Data{Rows: src, Known: known}, failed
	case ksvd.Method:
		data, err = ksvd.Between(src, nil)
	case askls.Method:
		data, err = askls.Samples(src, alternating(int(src.Info().Rows)), 2)
	case rkhs.Method:
		data, err = rkhs.Single(src)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// alternating returns n labels of two classes.
func alternating(n int) []int {
	labels := make([]int, n)
	for i := range labels {
		labels[i] = i % 2
	}
	return labels
}
