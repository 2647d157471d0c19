package ism

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/stream"
)

// table holds the rows of a fit: the columns that vary, shifted if all kernels allow it.
type table struct {
	engine stream.Engine
	src    stream.Source
	n      int
	active []int     // indices of varying columns in src, ascending; nil for all
	shift  []float64 // subtracted from each of them; nil for none
	d      int       // number of varying columns
	passes *int
}

// newTable inspects all columns in one pass, by the sums of x − x₀ and |x − x₀|, where x₀ is the first row. centre
// allows subtracting the means, which affects only rounding.
func newTable(ctx context.Context, e stream.Engine, src stream.Source, centre bool, passes *int) (*table, error) {
	info := src.Info()
	d := len(info.Columns)
	switch {
	case info.OnePass:
		return nil, fmt.Errorf("%s %w", info.Name, stream.ErrReadOnce)
	case d == 0:
		return nil, fmt.Errorf("%s: rows without columns have no subspace", info.Name)
	case info.Rows == 0:
		return nil, tooFewRows(info)
	}
	origin, err := stream.GatherRows(ctx, src, []int64{0})
	if err != nil {
		return nil, err
	}
	all, err := stream.Fold(ctx, e, "columns", src, func() *sketch.Sum { return sketch.NewSum(2, d) },
		func() func(acc *sketch.Sum, b *stream.Block) error {
			return func(acc *sketch.Sum, b *stream.Block) error {
				sums, sizes := matrix.Row(acc.General, 0), matrix.Row(acc.General, 1)
				for i := range b.X.Rows {
					for j, v := range matrix.Row(b.X, i) {
						off := v - origin.Data[j]
						sums[j] += off
						sizes[j] += math.Abs(off)
					}
				}
				acc.Count += int64(b.X.Rows)
				return input.CheckRows(info, b.X, b.Start)
			}
		})
	if err != nil {
		return nil, err
	}
	*passes++
	t := &table{engine: e, src: src, n: int(all.Count), passes: passes}
	if t.n < 2 {
		return nil, tooFewRows(info)
	}
	for j, size := range matrix.Row(all.General, 1) {
		if !(size <= math.MaxFloat64) {
			return nil, fmt.Errorf("%s, column %s: values are too large to add up; scale them down", info.Name, info.Columns[j])
		}
		if size > 0 {
			t.active = append(t.active, j)
			t.shift = append(t.shift, origin.Data[j]+all.Data[j]/float64(t.n))
		}
	}
	if !centre {
		t.shift = nil
	}
	if t.d = len(t.active); t.d == 0 {
		return nil, fmt.Errorf("%s: all %d columns are constant; there is nothing to find", info.Name, d)
	}
	return t, nil
}

// tooFewRows returns the error for a source with a single row or none.
func tooFewRows(info stream.Info) error {
	return fmt.Errorf("%s has fewer than 2 rows; at least 2 are needed", info.Name)
}

// moreRows reports that a pass found more rows than the first one.
func moreRows(src stream.Source) error {
	return fmt.Errorf("%s has more rows than a pass before: the file changed", src.Info().Name)
}

// take copies the active columns of rows to dst.
func (t *table) take(dst, x blas64.General) {
	for i := range x.Rows {
		from, to := matrix.Row(x, i), matrix.Row(dst, i)
		if t.active == nil {
			copy(to, from)
		} else {
			for k, j := range t.active {
				to[k] = from[j]
			}
		}
		for k, m := range t.shift {
			to[k] -= m
		}
	}
}

// load reads all rows into memory in one pass, and returns a table over them.
func (t *table) load(ctx context.Context) (*table, blas64.General, error) {
	x, err := stream.MapRows(ctx, t.engine, "load", t.src, t.d, func() func(blas64.General, *stream.Block) error {
		return func(dst blas64.General, b *stream.Block) error {
			t.take(dst, b.X)
			return nil
		}
	})
	if err := t.complete(x, err); err != nil {
		return nil, x, err
	}
	*t.passes++
	own := 0 // passes over memory are not reported
	return &table{engine: t.engine, src: stream.FromMatrix(t.src.Info().Name, x), n: t.n, d: t.d, passes: &own}, x, nil
}

// complete returns an error if a pass found fewer rows than the first one.
func (t *table) complete(x blas64.General, err error) error {
	if err == nil && x.Rows != t.n {
		return fmt.Errorf("%s has %d rows, and %d in a pass before: the file changed", t.src.Info().Name, x.Rows, t.n)
	}
	return err
}

// project returns XW of all rows, n×q, in one pass.
func (t *table) project(ctx context.Context, w blas64.General) (blas64.General, error) {
	xw, err := stream.MapRows(ctx, t.engine, "project", t.src, w.Cols, func() func(blas64.General, *stream.Block) error {
		var panel blas64.General
		return func(dst blas64.General, b *stream.Block) error {
			if panel.Rows < b.X.Rows {
				panel = matrix.New(b.X.Rows, t.d)
			}
			x := matrix.Rows(panel, 0, b.X.Rows)
			t.take(x, b.X)
			dense.Gemm(noTrans, noTrans, 1, x, w, 0, dst)
			return nil
		}
	})
	*t.passes++
	return xw, t.complete(xw, err)
}

// rowSample is a sample of rows in memory.
type rowSample struct {
	x    blas64.General
	rows []int64 // row numbers, ascending
}

// sampleRows draws k rows.
func sampleRows(ctx context.Context, src stream.Source, n, k int, seed uint64, purpose string) (*rowSample, error) {
	s, err := sketch.NewSample(int64(n), k, seed, purpose)
	if err != nil {
		return nil, err
	}
	x, err := stream.GatherRows(ctx, src, s.Positions())
	return &rowSample{x: x, rows: s.Positions()}, err
}

// sample draws k rows, and their active columns.
func (t *table) sample(ctx context.Context, k int, seed uint64, purpose string) (*rowSample, error) {
	s, err := sampleRows(ctx, t.src, t.n, min(k, t.n), seed, purpose)
	if err != nil {
		return nil, err
	}
	x := matrix.New(s.x.Rows, t.d)
	t.take(x, s.x)
	s.x = x
	return s, nil
}

// evenRows returns up to most of the rows, evenly spaced.
func (s *rowSample) evenRows(most int) blas64.General {
	return dense.PickRows(s.x, equalSteps(s.x.Rows, most))
}

// equalSteps returns up to most of the numbers below n, evenly spaced from 0.
func equalSteps(n, most int) []int {
	index := make([]int, min(n, most))
	for i := range index {
		index[i] = i * n / len(index)
	}
	return index
}
