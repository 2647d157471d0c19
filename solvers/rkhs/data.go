package rkhs

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// Data are n pairs (x_i, y_i), which may be weighted. [Pairs], [Lagged] and [Single] make
// it. Sources are read as often as a fit says, so they must not be such that can be
// read only once.
type Data struct {
	x, y    stream.Source // y is nil for single rows, and the same as x for lagged ones
	lag     int64         // pairs are rows i and i+lag of x; 0 for none
	n       int64
	weights []float64 // √w_i; nil for equal weights
}

// Pairs are row i of x with row i of y, which may have different columns.
func Pairs(x, y stream.Source) (*Data, error) {
	n, err := rowsOf(x)
	if err != nil {
		return nil, err
	}
	m, err := rowsOf(y)
	if err != nil {
		return nil, err
	}
	if n != m {
		return nil, fmt.Errorf("%s has %d rows and %s has %d: pairs take one row of each", x.Info().Name, n, y.Info().Name, m)
	}
	return &Data{x: x, y: y, n: n}, nil
}

// Lagged are row i and row i+lag of one source, a time series of equal steps: as many
// pairs less lag as it has rows.
func Lagged(src stream.Source, lag int64) (*Data, error) {
	n, err := rowsOf(src)
	if err != nil {
		return nil, err
	}
	if lag < 1 || lag >= n {
		return nil, fmt.Errorf("%s has %d rows: a lag must be from 1 to %d, and is %d", src.Info().Name, n, n-1, lag)
	}
	return &Data{x: src, y: src, lag: lag, n: n - lag}, nil
}

// Single are rows x_i without y, for [Covariance].
func Single(x stream.Source) (*Data, error) {
	n, err := rowsOf(x)
	if err != nil {
		return nil, err
	}
	return &Data{x: x, n: n}, nil
}

// rowsOf is the number of rows of a source that can be read again and again.
func rowsOf(src stream.Source) (int64, error) {
	info := src.Info()
	switch {
	case info.Once:
		return 0, stream.OnceError(info.Name)
	case info.Rows < 0:
		return 0, fmt.Errorf("%s: the number of rows is not known; store the source first (--spool)", info.Name)
	case info.Rows == 0:
		return 0, fmt.Errorf("%s has no rows", info.Name)
	case len(info.Columns) == 0:
		return 0, fmt.Errorf("%s has no numeric columns", info.Name)
	}
	return info.Rows, nil
}

// Weighted is the data with a weight for each pair, positive or zero, taken relative to
// their sum: the nodes of a quadrature rule, or importance weights. It takes 8 bytes for
// each pair.
func (d *Data) Weighted(weights []float64) (*Data, error) {
	if int64(len(weights)) != d.n {
		return nil, fmt.Errorf("%s: %d weights for %d pairs", d.x.Info().Name, len(weights), d.n)
	}
	largest := 0.0
	for i, w := range weights {
		if !(w >= 0 && w <= math.MaxFloat64) {
			return nil, fmt.Errorf("%s: the weight of pair %d is %v; weights are finite and not negative", d.x.Info().Name, i, w)
		}
		largest = math.Max(largest, w)
	}
	if largest == 0 {
		return nil, fmt.Errorf("%s: all weights are zero", d.x.Info().Name)
	}
	sum := 0.0
	for _, w := range weights {
		sum += w / largest
	}
	v := *d
	v.weights = make([]float64, len(weights))
	for i, w := range weights {
		v.weights[i] = math.Sqrt(w / largest / sum)
	}
	return &v, nil
}

// Count is the number of pairs.
func (d *Data) Count() int64 { return d.n }

// Single says that there is no y.
func (d *Data) Single() bool { return d.y == nil }

// rootWeight is √w_i.
func (d *Data) rootWeight(i int64) float64 {
	if d.weights == nil {
		return 1 / math.Sqrt(float64(d.n))
	}
	return d.weights[i]
}

// source is one side as the caller gave it.
func (d *Data) source(s side) stream.Source {
	if s == ofY {
		return d.y
	}
	return d.x
}

// Shape is what plans need to know.
func (d *Data) Shape() Shape {
	s := Shape{Pairs: d.n, Columns: len(d.x.Info().Columns), Weighted: d.weights != nil}
	if d.y != nil {
		s.ColumnsY = len(d.y.Info().Columns)
	}
	return s
}

// Shape is the size of the data of a fit.
type Shape struct {
	Pairs    int64 // n
	Columns  int   // of x
	ColumnsY int   // of y; 0 for single rows
	Weighted bool
}

// Sample are at most n rows of x and as many of y drawn uniformly, as samples to
// resolve kernels on ([kernelgen.Kernel.Resolve]); y is empty for single rows.
func (d *Data) Sample(ctx context.Context, n int, seed uint64) (x, y blas64.General, err error) {
	numbers := d.draw(n, seed, "kernel sample")
	if x, err = d.gather(ctx, ofX, numbers); err != nil || d.y == nil {
		return x, y, err
	}
	y, err = d.gather(ctx, ofY, numbers)
	return x, y, err
}

// draw are the ascending numbers of at most so many pairs.
func (d *Data) draw(n int, seed uint64, purpose string) []int64 {
	s, err := sketch.NewSample(d.n, int(min(d.n, int64(n))), seed, purpose)
	if err != nil {
		panic("rkhs: " + err.Error()) // from 1 to all of them
	}
	return s.Positions()
}

// gather fetches the rows of one side of some pairs.
func (d *Data) gather(ctx context.Context, s side, pairs []int64) (blas64.General, error) {
	if s == ofY && d.lag > 0 {
		late := make([]int64, len(pairs))
		for i, p := range pairs {
			late[i] = p + d.lag
		}
		pairs = late
	}
	src := d.source(s)
	rows, err := stream.GatherRows(ctx, src, pairs)
	if err != nil {
		return rows, err
	}
	return rows, checkRows(src.Info(), rows, func(i int) int64 { return pairs[i] })
}

// checkRows refuses what is not finite, by row and column of the source.
func checkRows(info stream.Info, rows blas64.General, number func(i int) int64) error {
	err := sketch.CheckFinite(rows)
	var bad *sketch.NonFiniteError
	if errors.As(err, &bad) {
		return &stream.BadValueError{Source: info.Name, Row: number(bad.Row), Column: info.Columns[bad.Col],
			Reason: fmt.Sprintf("is %v, not a finite number", bad.Value)}
	}
	return err
}
