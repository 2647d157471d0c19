package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas/blas64"
	"pgregory.net/rapid"

	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// shelf is a store of states in memory. fail, if not nil, is asked before each call.
type shelf struct {
	states map[string][]byte
	fail   func(call string) error
	writes int
}

func newShelf() *shelf { return &shelf{states: map[string][]byte{}} }

func (s *shelf) failing(call string) error {
	if s.fail == nil {
		return nil
	}
	return s.fail(call)
}

func (s *shelf) Names() ([]string, error) {
	return slices.Collect(maps.Keys(s.states)), s.failing("names")
}

func (s *shelf) Read(name string) ([]byte, error) {
	if err := s.failing("read"); err != nil {
		return nil, err
	}
	data, ok := s.states[name]
	if !ok {
		return nil, errors.New("there is no state " + name)
	}
	return bytes.Clone(data), nil
}

func (s *shelf) Write(name string, data []byte) error {
	if err := s.failing("write"); err != nil {
		return err
	}
	s.writes++
	s.states[name] = bytes.Clone(data)
	return nil
}

func (s *shelf) Remove(name string) error {
	if err := s.failing("remove"); err != nil {
		return err
	}
	delete(s.states, name)
	return nil
}

// toyFit is a fit of three folds, of which each depends on the one before: the scan of
// a preparation, sums of the columns, and a triangular factor of the rows less a part
// of them. folded, if not nil, is called for each block.
type toyFit struct {
	src    stream.Source
	nulls  stream.Nulls
	scale  stream.Scaling
	cols   int // of the factor, at most as many as rows have
	folded func(pass string, block int64)
}

func (f toyFit) run(ctx context.Context, e stream.Engine) ([]byte, error) {
	src, err := stream.Prepare(ctx, e, f.src, f.nulls, f.scale)
	if err != nil {
		return nil, err
	}
	d := len(src.Info().Columns)
	note := func(pass string, b *stream.Block) {
		if f.folded != nil {
			f.folded(pass, b.Index)
		}
	}
	all, err := stream.Fold(ctx, e, "sums", src, func() *sketch.ColumnSums { return sketch.NewColumnSums(d) },
		func() func(*sketch.ColumnSums, *stream.Block) error {
			return func(s *sketch.ColumnSums, b *stream.Block) error {
				note("sums", b)
				return s.Add(b.X)
			}
		})
	if err != nil {
		return nil, err
	}
	totals := all.Totals()
	qr, err := stream.Fold(ctx, e, "factor", src, func() *sketch.QR { return sketch.NewQR(f.cols) },
		func() func(*sketch.QR, *stream.Block) error {
			return func(qr *sketch.QR, b *stream.Block) error {
				note("factor", b)
				x := stream.NewMatrix(b.X.Rows, f.cols)
				for i := range x.Rows {
					for j := range x.Cols {
						x.Data[i*x.Stride+j] = rowOf(b.X, i)[j] - totals[j]/float64(2*src.Info().Rows)
					}
				}
				return qr.Add(x)
			}
		})
	if err != nil {
		return nil, err
	}
	return qr.MarshalBinary()
}

// toyData draws rows, of which some have nulls if that is wished.
func toyData(seed uint64, rows, cols int, nulls bool) blas64.General {
	r := rand.New(rand.NewPCG(seed, 0))
	x := stream.NewMatrix(rows, cols)
	for i := range x.Data {
		x.Data[i] = math.Ldexp(r.NormFloat64(), r.IntN(20)-10)
		if nulls && r.IntN(30) == 0 {
			x.Data[i] = math.NaN()
		}
	}
	return x
}

// runOf returns an engine whose run keeps states in the store.
func runOf(t fataler, store stream.StateStore, identity string, threads int, o stream.RunOptions) stream.Engine {
	t.Helper()
	r, err := stream.NewRun(store, identity, o)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return stream.Engine{Threads: threads, BlockRows: 8, Run: r}
}

// drawToyFit draws a fit, and returns what it gives without states.
func drawToyFit(t *rapid.T) (f toyFit, want []byte) {
	rows, cols := rapid.IntRange(1, 700).Draw(t, "rows"), rapid.IntRange(1, 3).Draw(t, "columns")
	f = toyFit{cols: cols, nulls: rapid.SampledFrom([]stream.Nulls{stream.NullsDrop, stream.NullsMean, stream.NullsZero}).Draw(t, "nulls"),
		scale: rapid.SampledFrom([]stream.Scaling{stream.ScaleNone, stream.ScaleStandard, stream.ScaleMinMax}).Draw(t, "scale")}
	f.src = newTable("t", toyData(rapid.Uint64().Draw(t, "seed"), rows, cols, true))
	if rapid.Bool().Draw(t, "sequential") {
		f.src = sequential{f.src}
	}
	want, err := f.run(context.Background(), stream.Engine{Threads: 2, BlockRows: 8})
	if err != nil {
		t.Skip("a fit that fails: ", err)
	}
	return f, want
}

// inParts makes the fit on a store by parts in the given order, round for round, and
// returns what the run that finishes gives.
func inParts(t fataler, f toyFit, store stream.StateStore, order []int) []byte {
	t.Helper()
	ctx := context.Background()
	for {
		stopped := 0
		for _, part := range order {
			o := stream.RunOptions{Part: part, Parts: len(order)}
			_, err := f.run(ctx, runOf(t, store, "toy", 1+part%3, o))
			if s := (*stream.StoppedError)(nil); errors.As(err, &s) {
				stopped++
			} else if err != nil {
				t.Fatalf("part %d of %d: %v", part, len(order), err)
			}
		}
		if stopped == 0 {
			break
		}
	}
	got, err := f.run(ctx, runOf(t, store, "toy", 2, stream.RunOptions{Finish: true}))
	if err != nil {
		t.Fatalf("finishing: %v", err)
	}
	return got
}

func TestRunInParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, want := drawToyFit(t)
		parts := rapid.IntRange(1, 64).Draw(t, "parts")
		order := make([]int, parts)
		for i := range order {
			order[i] = i + 1
		}
		order = rapid.Permutation(order).Draw(t, "order")
		if got := inParts(t, f, newShelf(), order); !bytes.Equal(got, want) {
			t.Fatalf("%d parts give another result", parts)
		}
	})
}

// A fit that is interrupted again and again goes on where it was.
func TestRunInterrupted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, want := drawToyFit(t)
		store := newShelf()
		stops := rapid.SliceOfN(rapid.IntRange(0, 60), 0, 8).Draw(t, "blocks until stops")
		for _, blocks := range append(stops, math.MaxInt) {
			ctx, cancel := context.WithCancel(context.Background())
			f.folded = func(string, int64) {
				if blocks--; blocks == 0 {
					cancel()
				}
			}
			o := stream.RunOptions{Every: time.Duration(rapid.IntRange(0, 1).Draw(t, "every"))}
			got, err := f.run(ctx, runOf(t, store, "toy", 1, o))
			cancel()
			switch {
			case err == nil && !bytes.Equal(got, want):
				t.Fatalf("another result")
			case err != nil && blocks > 0 || err != nil && !errors.Is(err, context.Canceled):
				t.Fatalf("%v", err)
			}
		}
	})
}

// Rows that a state has seen are not read again.
func TestRunResumes(t *testing.T) {
	f := toyFit{src: newTable("t", toyData(1, 800, 2, false)), cols: 2, scale: stream.ScaleStandard}
	store := newShelf()
	ctx, cancel := context.WithCancel(context.Background())
	f.folded = func(pass string, block int64) {
		if pass == "factor" && block == 60 {
			cancel()
		}
	}
	if _, err := f.run(ctx, runOf(t, store, "toy", 2, stream.RunOptions{})); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	folded := map[string]int{}
	f.folded = func(pass string, _ int64) { folded[pass]++ }
	var resumed []string
	o := stream.RunOptions{Resumed: func(pass string, seen, rows int64) { resumed = append(resumed, fmt.Sprint(pass, seen == rows)) }}
	e := runOf(t, store, "toy", 1, o)
	first := int64(-1)
	e.Progress = func(v stream.Event) {
		if first < 0 {
			first = v.Done
		}
	}
	if _, err := f.run(context.Background(), e); err != nil {
		t.Fatal(err)
	}
	if folded["sums"] != 0 || folded["factor"] > 50 || folded["factor"] < 1 {
		t.Errorf("blocks folded: %v", folded)
	}
	if want := []string{"scantrue", "sumstrue", "factorfalse"}; !slices.Equal(resumed, want) {
		t.Errorf("resumed %v", resumed)
	}
	if done := int64(100-folded["factor"]+1) * 8; first != done {
		t.Errorf("progress begins with row %d of a pass with %d blocks left", first, folded["factor"])
	}
	if err := e.Run.Done(); err != nil || len(store.states) > 0 {
		t.Errorf("%d states are left, error %v", len(store.states), err)
	}
}

func TestRunMissing(t *testing.T) {
	f := toyFit{src: newTable("t", toyData(1, 800, 2, false)), cols: 2}
	store := newShelf()
	ctx := context.Background()
	finish := func() error {
		_, err := f.run(ctx, runOf(t, store, "toy", 1, stream.RunOptions{Finish: true}))
		return err
	}
	wantText(t, finish(), "pass 1 (sums): no state has seen blocks 0 to 99 of 100")
	for _, part := range []int{1, 4, 5} {
		_, err := f.run(ctx, runOf(t, store, "toy", 1, stream.RunOptions{Part: part, Parts: 5}))
		wantText(t, err, fmt.Sprintf("part %d of 5 of pass 1 (sums) is done", part))
	}
	wantText(t, finish(), "pass 1 (sums): parts 2 and 3 of 5 are missing or not complete (blocks 20 to 59 of 100)")
	_, err := f.run(ctx, runOf(t, store, "toy", 1, stream.RunOptions{Part: 2, Parts: 4}))
	wantText(t, err, "state 0001-sums.1-of-5.state: it is of a pass in 5 parts, and this is part 2 of 4")
}

func wantText(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want %q", parts)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q does not say %q", err, p)
		}
	}
}
