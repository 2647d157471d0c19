package transport

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Data holds the rows of both sides and their masses. Without a right source, the left rows are on both sides.
type Data struct {
	model.Sources
	// LeftWeights and RightWeights are the masses of the rows, which must not be negative; only ratios matter. nil
	// means equal masses. With one source LeftWeights are those of both sides. A row without mass has a row of zeros in
	// T.
	LeftWeights, RightWeights []float64
}

var _ model.Data = (*Data)(nil)

// Size returns the size of the data.
func (d *Data) Size() model.Size {
	s := d.Sources.Size()
	s.Weighted = d.LeftWeights != nil || d.RightWeights != nil
	return s
}

// Facts returns the sources and the masses of their rows.
func (d *Data) Facts() []any { return append(d.Sources.Facts(), d.LeftWeights, d.RightWeights) }

// Sample returns at most n rows of the left side. Masses are relative to the smallest one: see [input.DrawShares].
func (d *Data) Sample(ctx context.Context, n int, seed uint64) (blas64.General, error) {
	if d.LeftWeights == nil {
		return d.Sources.Sample(ctx, n, seed)
	}
	if _, err := d.masses(model.Left); err != nil {
		return blas64.General{}, err
	}
	return input.DrawShares(ctx, d.LeftWeights, n, seed, "kernel", func(ctx context.Context, rows []int64) (blas64.General, error) {
		x, err := stream.GatherRows(ctx, d.Left, rows)
		if err == nil {
			err = input.InSource(d.Left.Info(), sketch.CheckFinite(x), input.Numbers{List: rows})
		}
		return x, err
	})
}

// oneSource reports whether the left rows, with the same masses, are on both sides.
func (d *Data) oneSource() bool { return d.Right == nil }

// side returns the data of the transport of one side to itself.
func (d *Data) side(s model.Side) *Data {
	if s == model.Right && d.Right != nil {
		return &Data{Sources: model.Sources{Left: d.Right}, LeftWeights: d.RightWeights}
	}
	return &Data{Sources: model.Sources{Left: d.Left}, LeftWeights: d.LeftWeights}
}

// check returns an error if the sources are not comparable, or if weights have no source.
func (d *Data) check() error {
	if err := d.Sources.Check(); err != nil {
		return err
	}
	if d.Right == nil && d.RightWeights != nil {
		return fmt.Errorf("%s: weights of the right side without a right source", d.Left.Info().Name)
	}
	return nil
}

// masses are the masses of the rows of a side, which sum to 1.
type masses struct {
	n int64
	w []float64 // nil for equal ones
}

// masses returns the masses of a side.
func (d *Data) masses(s model.Side) (masses, error) {
	of := d.side(s)
	info, weights := of.Left.Info(), of.LeftWeights
	m := masses{n: info.Rows}
	if weights == nil {
		return m, nil
	}
	var err error
	m.w, err = input.Shares(info.Name, "row", m.n, weights)
	return m, err
}

// at returns the mass of row i.
func (m masses) at(i int64) float64 {
	if m.w == nil {
		return 1 / float64(m.n)
	}
	return m.w[i]
}

// present returns the numbers of the rows of positive mass, ascending.
func (m masses) present() []int64 {
	numbers := make([]int64, 0, m.n)
	for i := range m.n {
		if m.at(i) > 0 {
			numbers = append(numbers, i)
		}
	}
	return numbers
}
