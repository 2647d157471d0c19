package basis

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream"
)

// Map maps a row x to features k(x, landmarks)·Ĉ·Project. Ĉ is the identity without signs, and so is Project if it has
// no rows. Cost for one row: ℓ kernel entries, and 2·p·r flops for p×r Project.
//
// If Transposed is set, as for right rows of an asymmetric kernel, the features are k(landmarks, x)ᵀ·Ĉ·Project.
type Map struct {
	Tiles      *tiles.Tiles
	Landmarks  *Panel
	Signs      *sketch.SparseSign
	Project    blas64.General
	Transposed bool
}

// Width returns the number of features.
func (m *Map) Width() int {
	if m.Project.Rows > 0 {
		return m.Project.Cols
	}
	return m.Sketched()
}

// Sketched returns the number of columns of k(x, landmarks)·Ĉ.
func (m *Map) Sketched() int {
	if m.Signs != nil {
		return m.Signs.Cols
	}
	return m.Landmarks.Count()
}

// Entries returns the number of kernel entries evaluated for a row: those with landmarks, and those of its row sum.
func (m *Map) Entries() int {
	if m.Transposed {
		return m.Landmarks.Count()
	}
	return m.Landmarks.Count() + m.Tiles.RowsPerSum()
}

// foldRows is the number of rows of a tile that are filled before they are folded, chosen so that they stay in the L1
// or L2 cache.
const foldRows = 32

// Raw returns a function for one goroutine that writes k(x, landmarks)·Ĉ to dst. It fails with a [stream.DataError] for
// the named source if an entry is not finite.
func (m *Map) Raw(name string) func(dst, x blas64.General, numbers input.Numbers) error {
	var work kernelgen.Workspace
	var tile []float64 // grows to the largest block so far
	fill := m.Tiles.FillDense
	if m.Transposed {
		fill = m.Tiles.FillTransposed
	}
	return func(dst, x blas64.General, numbers input.Numbers) error {
		if m.Signs == nil {
			fill(dst, x, m.Landmarks.Cols, &work)
			return checkFinite(m.Tiles, dst, x, name, numbers)
		}
		for first := 0; first < x.Rows; first += foldRows {
			n := min(foldRows, x.Rows-first)
			part := matrix.Reuse(&tile, n, m.Landmarks.Count())
			fill(part, matrix.Rows(x, first, n), m.Landmarks.Cols, &work)
			m.Signs.FoldCols(matrix.Rows(dst, first, n), part)
		}
		return checkFinite(m.Tiles, dst, x, name, numbers)
	}
}

// Prepare computes the row sums of the landmarks, if the kernel is normalised and the landmarks are left rows.
func (m *Map) Prepare(ctx context.Context, e stream.Engine) error {
	if !m.Transposed {
		return nil
	}
	return m.Tiles.CacheSums(ctx, e, m.Landmarks.Cols)
}

// Sketch returns k(x, landmarks)·Ĉ for all rows of a panel of the named source.
func (m *Map) Sketch(ctx context.Context, e stream.Engine, rows *Panel, name string) (blas64.General, error) {
	y := matrix.New(rows.Count(), m.Sketched())
	return y, stream.Each(ctx, e.Threads, (y.Rows+PanelRows-1)/PanelRows, func(i int) error {
		first := i * PanelRows
		n := min(PanelRows, y.Rows-first)
		numbers := input.Numbers{List: rows.Number[first:]}
		return m.Raw(name)(matrix.Rows(y, first, n), matrix.Rows(rows.Rows, first, n), numbers)
	})
}

// Features returns the map as columns of a pass over the named source.
func (m *Map) Features(name string) Features {
	return Features{Width: m.Width(), Worker: func() func(dst, x blas64.General, start int64) error {
		raw := m.Raw(name)
		if m.Project.Rows == 0 {
			return func(dst, x blas64.General, start int64) error { return raw(dst, x, input.Numbers{From: start}) }
		}
		var room []float64 // grows to the largest panel so far
		return func(dst, x blas64.General, start int64) error {
			y := matrix.Reuse(&room, x.Rows, m.Sketched())
			if err := raw(y, x, input.Numbers{From: start}); err != nil {
				return err
			}
			dense.Gemm(blas.NoTrans, blas.NoTrans, 1, y, m.Project, 0, dst)
			return nil
		}
	}}
}

// checkFinite is CheckFinite for rows x. It also reports rows on which the kernel is undefined. For a bounded kernel it
// examines the entries only if a row is not finite: landmarks always are.
func checkFinite(t *tiles.Tiles, y, x blas64.General, name string, numbers input.Numbers) error {
	if _, _, bad := dense.NotFinite(x); !bad && t.Bounded() {
		return nil
	}
	err := CheckFinite(t, y, name, numbers)
	if err == nil {
		return nil
	}
	number := make([]int64, x.Rows)
	for i := range number {
		number[i] = numbers.At(i)
	}
	return cmp.Or(CheckRows(t, &Panel{Rows: x, Number: number}, name), err)
}

// CheckRows fails if the kernel is undefined on a row of the named source.
func CheckRows(t *tiles.Tiles, rows *Panel, name string) error {
	for i := range rows.Count() {
		if err := t.CheckRows(name, matrix.Rows(rows.Rows, i, 1), rows.Number[i]); err != nil {
			return err
		}
	}
	return nil
}

// CheckFinite returns an error for the first row of y that is not finite. y holds kernel entries of rows of the named
// source.
func CheckFinite(t *tiles.Tiles, y blas64.General, name string, numbers input.Numbers) error {
	err := sketch.CheckFinite(y)
	if err == nil {
		return nil // avoids the allocation of errors.As
	}
	var bad *sketch.NonFiniteError
	if !errors.As(err, &bad) {
		return err
	}
	return tiles.BadRow(name, numbers.At(bad.Row), fmt.Sprintf("kernel %s is not finite between this row and a landmark", t.Kernel))
}
