package stream_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// idleSeq yields one batch and then waits for its context, or forever if deaf.
func idleSeq(ended chan<- bool, deaf bool) func(context.Context) iter.Seq2[stream.Batch, error] {
	return func(ctx context.Context) iter.Seq2[stream.Batch, error] {
		return func(yield func(stream.Batch, error) bool) {
			defer close(ended)
			if !yield(stream.Batch{X: matrix.New(3, 2)}, nil) {
				return
			}
			if deaf {
				time.Sleep(24 * time.Hour)
			} else {
				<-ctx.Done()
			}
		}
	}
}

// Readers of a waiting sequence return soon after cancellation. A sequence that checks its context
// has then ended.
func TestIdleSequenceEnds(t *testing.T) {
	readers := map[string]func(ctx context.Context, src stream.Source) error{
		"ReadAll": func(ctx context.Context, src stream.Source) error {
			_, err := stream.ReadAll(ctx, src)
			return err
		},
		"Load": func(ctx context.Context, src stream.Source) error {
			_, err := stream.InMemory(ctx, src, 0)
			return err
		},
		"ReadRows": func(ctx context.Context, src stream.Source) error {
			_, err := stream.ReadRows(ctx, src, 0, &stream.Batch{X: matrix.New(9, 2)})
			return err
		},
		"Map": func(ctx context.Context, src stream.Source) error {
			return stream.Map(ctx, stream.Engine{}, "", src, 1, false, func() func(blas64.General, *stream.Block) error {
				return func(blas64.General, *stream.Block) error { return nil }
			}, func(*stream.Block, blas64.General) error { return nil })
		},
		"Fold": func(ctx context.Context, src stream.Source) error {
			_, err := foldSums(ctx, stream.Engine{Threads: 2}, src)
			return err
		},
	}
	for name, read := range readers {
		for _, deaf := range []bool{false, true} {
			for _, once := range []bool{false, true} {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancelCause(t.Context())
					why := errors.New("enough")
					time.AfterFunc(time.Second, func() { cancel(why) })
					info, ended := seqInfo(-1), make(chan bool)
					info.OnePass = once
					began := time.Now()
					err := read(ctx, stream.FromSeq(info, idleSeq(ended, deaf)))
					if !errors.Is(err, why) || time.Since(began) > 2*time.Second {
						t.Errorf("%s, deaf %v, once %v: %v after %v", name, deaf, once, err, time.Since(began))
					}
					if !deaf {
						select {
						case <-ended:
						default:
							t.Errorf("%s, once %v: the sequence goes on", name, once)
						}
					}
					time.Sleep(48 * time.Hour) // a deaf sequence ends, too
				})
			}
		}
	}
}

// Kept columns arrive with their rows, in pieces of any size.
func TestFromSeqKept(t *testing.T) {
	const n = 50
	x := randomMatrix(1, n, 2)
	numbers, words := numberedColumns(n)
	whole, err := stream.Beside(stream.FromMatrix("x", x), []stream.Field{{Name: "number"}, {Name: "word", Category: true}}, numbers, words)
	if err != nil {
		t.Fatal(err)
	}
	pieces := func(context.Context) iter.Seq2[stream.Batch, error] {
		return func(yield func(stream.Batch, error) bool) {
			size := odd(5)
			for first := 0; first < n; {
				end := min(n, first+size())
				b := stream.Batch{X: matrix.Rows(x, first, end-first), Kept: whole.Info().NewKept()}
				b.Kept[0].Append(&numbers, first, end)
				b.Kept[1].Append(&words, first, end)
				if !yield(b, nil) {
					return
				}
				first = end
			}
		}
	}
	info := whole.Info()
	info.InMemory, info.SeekCost = false, 0
	src := stream.FromSeq(info, pieces)
	wantRows, want := readAll(t, whole)
	rows, got := readAll(t, src)
	if !slices.EqualFunc(rows, wantRows, slices.Equal) || !slices.Equal(got[0].Floats, want[0].Floats) ||
		!slices.Equal(got[1].Strings, want[1].Strings) || !slices.Equal(got[0].Valid, want[0].Valid) {
		t.Errorf("%v", got)
	}
	for name, batch := range map[string]stream.Batch{
		"0 kept columns":        {X: matrix.New(1, 2)},
		"2 values for 1 rows":   {X: matrix.New(1, 2), Kept: []stream.Column{{Floats: []float64{1, 2}}, {Kind: stream.String, Strings: []string{"a"}}}},
		"kind int64, not":       {X: matrix.New(1, 2), Kept: []stream.Column{{Kind: stream.Int64, Ints: []int64{1}}, {Kind: stream.String, Strings: []string{"a"}}}},
		"3 numbers for 2 rows":  {X: blas64.General{Rows: 2, Cols: 2, Stride: 2, Data: make([]float64, 3)}},
		"columns with stride 1": {X: blas64.General{Rows: 2, Cols: 2, Stride: 1, Data: make([]float64, 4)}},
	} {
		src := stream.FromSeq(info, func(context.Context) iter.Seq2[stream.Batch, error] {
			return func(yield func(stream.Batch, error) bool) { yield(batch, nil) }
		})
		if _, err := stream.ReadAll(t.Context(), src); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FromMatrix keeps the names of columns, and rejects a malformed matrix before it is read.
func TestFromMatrix(t *testing.T) {
	info := stream.FromMatrix("m", matrix.New(3, 2), "size", "age").Info()
	if info.Nameless || !slices.Equal(info.Columns, []string{"size", "age"}) {
		t.Errorf("%+v", info)
	}
	if info := stream.FromMatrix("m", matrix.New(3, 2)).Info(); !info.Nameless {
		t.Errorf("%+v", info)
	}
	stream.FromMatrix("empty", blas64.General{})
	stream.FromMatrix("the last row ends early", blas64.General{Rows: 2, Cols: 2, Stride: 5, Data: make([]float64, 7)})
	for want, make := range map[string]func(){
		"stride 1":                  func() { stream.FromMatrix("m", blas64.General{Rows: 2, Cols: 2, Stride: 1, Data: make([]float64, 4)}) },
		"stride 0":                  func() { stream.FromMatrix("m", blas64.General{Rows: 2, Cols: 2, Data: make([]float64, 4)}) },
		"6 numbers for 2 rows":      func() { stream.FromMatrix("m", blas64.General{Rows: 2, Cols: 2, Stride: 5, Data: make([]float64, 6)}) },
		"-1 rows":                   func() { stream.FromMatrix("m", blas64.General{Rows: -1, Cols: 2, Stride: 2}) },
		"numbers for 4611686018427": func() { stream.FromMatrix("m", blas64.General{Rows: 1 << 62, Cols: 2, Stride: 1 << 62}) },
		"1 names for 2 columns":     func() { stream.FromMatrix("m", matrix.New(3, 2), "a") },
		`two columns are called "a`: func() { stream.FromMatrix("m", matrix.New(3, 2), "a", "a") },
	} {
		checkPanic(t, want, make)
	}
}
