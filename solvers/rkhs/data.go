package rkhs

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Data is n pairs (x_i, y_i), with optional weights, or rows x and rows y of different numbers. [Pairs], [Lagged],
// [Single] and [Unpaired] construct it. A fit may read the sources several times.
type Data struct {
	x, y    stream.Source // y is nil for single rows, and the same as x for lagged ones
	lag     int64         // pairs are rows i and i+lag of x; 0 if not lagged
	runs    []run         // of lagged rows, ascending
	n       int64         // number of pairs, or of rows x if there are none
	rowsY   int64         // number of rows y if they are not paired with x; else 0
	weights []float64     // √w_i; nil for equal weights
}

var _ model.Data = (*Data)(nil)

// Pairs returns row i of x with row i of y, which may have different columns.
func Pairs(x, y stream.Source) (*Data, error) {
	n, err := input.KnownRows(x)
	if err != nil {
		return nil, err
	}
	m, err := input.KnownRows(y)
	if err != nil {
		return nil, err
	}
	if n != m {
		return nil, fmt.Errorf("%s has %d rows and %s has %d: pairs take one row of each", x.Info().Name, n, y.Info().Name, m)
	}
	return &Data{x: x, y: y, n: n}, nil
}

// Unpaired returns rows x and rows y whose numbers may differ, for [Explicit] with a matrix that is not square. With
// equal numbers it is [Pairs].
func Unpaired(x, y stream.Source) (*Data, error) {
	n, err := input.KnownRows(x)
	if err != nil {
		return nil, err
	}
	m, err := input.KnownRows(y)
	if err != nil {
		return nil, err
	}
	if n == m {
		return Pairs(x, y)
	}
	return &Data{x: x, y: y, n: n, rowsY: m}, nil
}

// Single returns rows x_i without y, for [Covariance].
func Single(x stream.Source) (*Data, error) {
	n, err := input.KnownRows(x)
	if err != nil {
		return nil, err
	}
	return &Data{x: x, n: n}, nil
}

// Weighted returns the data with weights of the pairs, such as those of a quadrature rule or importance weights. They
// must not be negative, and only ratios matter. It takes 8 bytes for each pair.
func (d *Data) Weighted(weights []float64) (*Data, error) {
	if d.rowsY > 0 {
		return nil, fmt.Errorf("weights are of pairs, and %s and %s have %d and %d rows", d.x.Info().Name, d.y.Info().Name, d.n, d.rowsY)
	}
	shares, err := input.Shares(d.x.Info().Name, "pair", d.n, weights)
	if err != nil {
		return nil, err
	}
	v := *d
	v.weights = dense.Roots(shares)
	return &v, nil
}

// Count returns the number of pairs, or of rows x if there are none.
func (d *Data) Count() int64 { return d.n }

// Single reports whether there is no y.
func (d *Data) Single() bool { return d.y == nil }

// rows returns the number of rows of a side used by a fit.
func (d *Data) rows(s PairSide) int64 {
	if s == SideY && d.rowsY > 0 {
		return d.rowsY
	}
	return d.n
}

// unpaired reports whether a fit in these spaces uses rows x and y that are not paired.
func (d *Data) unpaired(sp *spaces) bool { return d.rowsY > 0 && sp.y != nil }

// alone returns the rows of one side of unpaired data.
func (d *Data) alone(s PairSide) *Data { return &Data{x: d.source(s), n: d.rows(s)} }

// rootWeight returns √w_i.
func (d *Data) rootWeight(i int64) float64 {
	if d.weights == nil {
		return 1 / math.Sqrt(float64(d.n))
	}
	return d.weights[i]
}

// source returns the original source of one side.
func (d *Data) source(s PairSide) stream.Source {
	if s == SideY {
		return d.y
	}
	return d.x
}

// Size returns the size of the data: x on the left, and y, if any, on the right.
func (d *Data) Size() model.Size {
	s := model.Size{Rows: d.n, Columns: len(d.x.Info().Columns), Weighted: d.weights != nil}
	if d.y != nil {
		s.Cols, s.RightColumns = d.rows(SideY), len(d.y.Info().Columns)
	}
	return s
}

// rowsOf returns the number of rows of a side.
func rowsOf(s model.Size, which PairSide) int64 {
	if which == SideY && !s.OneSource() {
		return s.Cols
	}
	return s.Rows
}

// columnsOf returns the number of columns of a side, 0 if it is absent.
func columnsOf(s model.Size, which PairSide) int {
	switch {
	case which == SideX || s.RightColumns == 0 && !s.OneSource():
		return s.Columns
	}
	return s.RightColumns
}

// Sample returns at most n rows of x. Weights are relative to the smallest one: see [input.DrawShares].
func (d *Data) Sample(ctx context.Context, n int, seed uint64) (blas64.General, error) {
	return sideData{d, SideX}.Sample(ctx, n, seed)
}

// Facts returns the sources, the pairing of their rows, and the weights.
func (d *Data) Facts() []any { return []any{d.x, d.y, d.lag, d.runs, d.weights} }

// sideData is one side of the pairs, for resolving the words of its kernel.
type sideData struct {
	*Data
	side PairSide
}

// Size returns the columns of the side.
func (d sideData) Size() model.Size {
	return model.Size{Rows: d.Data.rows(d.side), Columns: columnsOf(d.Data.Size(), d.side)}
}

// Sample returns at most n rows of the side. Weights are relative to the smallest one: see [input.DrawShares].
func (d sideData) Sample(ctx context.Context, n int, seed uint64) (blas64.General, error) {
	if d.weights != nil {
		weights := make([]float64, len(d.weights))
		for i, root := range d.weights {
			weights[i] = root * root
		}
		return input.DrawShares(ctx, weights, n, seed, "kernel sample", func(ctx context.Context, pairs []int64) (blas64.General, error) {
			return d.gather(ctx, d.side, pairs)
		})
	}
	return d.gather(ctx, d.side, d.draw(d.side, n, seed, "kernel sample"))
}

// draw returns the ascending numbers of at most n pairs, or rows of a side.
func (d *Data) draw(s PairSide, n int, seed uint64, purpose string) []int64 {
	rows := d.rows(s)
	sample, err := sketch.NewSample(rows, int(min(rows, int64(n))), seed, purpose)
	if err != nil {
		panic("rkhs: " + err.Error()) // cannot fail: n is from 1 to the number of rows
	}
	return sample.Positions()
}

// gather fetches the rows of one side of the given pairs.
func (d *Data) gather(ctx context.Context, s PairSide, pairs []int64) (blas64.General, error) {
	numbers := make([]int64, len(pairs))
	for i, p := range pairs {
		numbers[i] = d.row(s, p)
	}
	src := d.source(s)
	rows, err := stream.GatherRows(ctx, src, numbers)
	if err != nil {
		return rows, err
	}
	return rows, input.InSource(src.Info(), sketch.CheckFinite(rows), input.Numbers{List: numbers})
}
