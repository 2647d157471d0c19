package basis

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// PanelRows is the number of rows of a tile between rows in memory.
const PanelRows = 64

// Features is a group of columns of a pass: see [Map.Features].
type Features struct {
	Width int
	// First and Count select the columns of the source that form x; Count 0 means all.
	First, Count int
	// Worker returns a function for one goroutine that writes the features of at most [tilesize.PanelRows] rows x to
	// dst. start is the number of the first row.
	Worker func() func(dst, x blas64.General, start int64) error
}

// Columns are the columns [1 | z… | y]·√w of a pass: a constant, groups of features, and targets. Each row is
// multiplied by the square root of its weight.
type Columns struct {
	One        bool
	Features   []Features
	Targets    blas64.General          // one row for each row of the source; empty for none
	SqrtWeight func(row int64) float64 // returns the square root of a row's weight; nil for weights of 1
	// Rows is the number of rows with targets or weights, 0 if there are neither. The pass fails if the source has
	// more.
	Rows int64
}

// Width returns the number of columns.
func (c *Columns) Width() int {
	n := c.Targets.Cols
	if c.One {
		n++
	}
	for _, f := range c.Features {
		n += f.Width
	}
	return n
}

// Worker returns a function for one goroutine that writes the columns of at most [tilesize.PanelRows] rows x of a
// source to dst. start is the number of the first row.
func (c *Columns) Worker(info stream.Info) func(dst, x blas64.General, start int64) error {
	workers := make([]func(dst, x blas64.General, start int64) error, len(c.Features))
	for i, f := range c.Features {
		workers[i] = f.Worker()
	}
	return func(dst, x blas64.General, start int64) error {
		if end := start + int64(x.Rows); c.Rows > 0 && end > c.Rows {
			return fmt.Errorf("%s has more rows than were promised: the file changed", info.Name)
		}
		at := 0
		if c.One {
			for i := range x.Rows {
				matrix.Row(dst, i)[0] = 1
			}
			at = 1
		}
		for i, f := range c.Features {
			part := x
			if f.Count > 0 {
				part = matrix.Columns(x, f.First, f.Count)
			}
			if err := workers[i](matrix.Columns(dst, at, f.Width), part, start); err != nil {
				return rowError(info, x, start, err)
			}
			at += f.Width
		}
		for i := range x.Rows {
			row := matrix.Row(dst, i)
			if c.Targets.Cols > 0 {
				copy(row[at:], matrix.Row(c.Targets, int(start)+i))
			}
			if c.SqrtWeight != nil {
				blas64.Scal(c.SqrtWeight(start+int64(i)), dense.Vector(row))
			}
		}
		return nil
	}
}

// rowError returns an error that names the first number of rows x that is not finite. Without one, or if err already
// names a column, it returns err, the error of what was computed from x.
func rowError(info stream.Info, x blas64.General, start int64, err error) error {
	if bad := new(stream.DataError); errors.As(err, &bad) && bad.Column != "" {
		return err
	}
	return cmp.Or(input.CheckRows(info, x, start), err)
}

// Rows is a run of consecutive rows of a pass.
type Rows struct {
	Start int64          // number of the first row
	X     blas64.General // of the source
	Z     blas64.General // columns; valid until the next call
}

// Moments makes one pass over src and folds the columns of its rows into a state. add returns a function for one
// goroutine that adds rows to a state. e.Given must identify everything the columns depend on besides the source.
//
// A state is usually a triangular factor: a [sketch.WhitenedGram] for landmarks of a positive semi-definite kernel, and
// a [sketch.QR] for other columns.
func Moments[A stream.Accumulator[A]](ctx context.Context, e stream.Engine,
	pass string, src stream.Source, c *Columns, newState func() A, add func() func(state A, r Rows) error) (A, error) {
	info := src.Info()
	return stream.Fold(ctx, e, pass, src, newState, func() func(A, *stream.Block) error {
		fill, do := c.Worker(info), add()
		room := matrix.New(tilesize.PanelRows, c.Width())
		return func(state A, b *stream.Block) error {
			for first, x := range b.Panels(tilesize.PanelRows) {
				r := Rows{Start: b.Start + int64(first), X: x, Z: matrix.Rows(room, 0, x.Rows)}
				if err := fill(r.Z, x, r.Start); err != nil {
					return err
				}
				if err := do(state, r); err != nil {
					return rowError(info, x, r.Start, err)
				}
			}
			return nil
		}
	})
}

// AddTrace returns a function for one goroutine that adds k(x, x) of rows of the named source.
func AddTrace(t *tiles.Tiles, name string) func(sum *sketch.ColumnSums, r Rows) error {
	room := matrix.New(tilesize.PanelRows, 1)
	return func(sum *sketch.ColumnSums, r Rows) error {
		diagonal := matrix.Rows(room, 0, r.X.Rows)
		t.Diagonal(diagonal.Data[:r.X.Rows], r.X)
		if err := CheckFinite(t, diagonal, name, input.Numbers{From: r.Start}); err != nil {
			return err
		}
		return sum.Add(diagonal)
	}
}
