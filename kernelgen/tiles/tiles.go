// Package tiles evaluates kernel matrices in tiles during a pass over a source, for custom methods.
package tiles

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// Fold makes one pass over src and folds the kernel matrix K(src, columns) into one accumulator. columns are rows in
// memory, in any order, such as landmarks; src may have any number of rows. add adds a tile. Its rows are consecutive
// rows of src, starting at number first, and its columns are those of columns. It may change the tile but must not
// retain it. It is called concurrently, each time with another accumulator.
//
// The result does not depend on the number of threads: see [stream.Fold]. With a [stream.Run], states are tied to the
// kernel and to columns. Anything else that affects add must be part of the identity of the run.
//
// It fails if the kernel has parameters that are words, or is normalised by row sums; if src and columns differ in
// their number of columns; and, naming the row, if an entry is not finite. Cost: a kernel entry for each row of src and
// of columns. Memory of a worker: an accumulator, and a tile of [tilesize.PanelRows] rows.
func Fold[A stream.Accumulator[A]](ctx context.Context, e stream.Engine, name string, src stream.Source, k kernelgen.Kernel,
	columns blas64.General, newAcc func() A, add func(acc A, tile blas64.General, first int64) error) (A, error) {
	var none A
	info := src.Info()
	if err := check(info, k, columns); err != nil {
		return none, err
	}
	panel := k.Pack(columns)
	e = e.ForFit("tiles of " + k.String()).WithInputs(columns)
	return stream.Fold(ctx, e, name, src, newAcc, func() func(A, *stream.Block) error {
		var work kernelgen.Workspace
		var room []float64 // grows to the largest tile so far
		return func(acc A, b *stream.Block) error {
			for i, x := range b.Panels(tilesize.PanelRows) {
				tile, first := matrix.Reuse(&room, x.Rows, columns.Rows), b.Start+int64(i)
				k.Fill(tile, x, panel, &work)
				if err := finite(info, k, x, tile, first); err != nil {
					return err
				}
				if err := add(acc, tile, first); err != nil {
					return err
				}
			}
			return nil
		}
	})
}

// check returns an error unless the kernel has a matrix between the rows.
func check(info stream.Info, k kernelgen.Kernel, columns blas64.General) error {
	switch {
	case !k.Resolved():
		return fmt.Errorf("kernel %v has parameters that are words; Resolve gives it numbers", k)
	case len(info.Columns) != columns.Cols:
		return fmt.Errorf("%s has %d columns, and a column of the kernel matrix is a row of %d", info.Name, len(info.Columns), columns.Cols)
	}
	if err := k.CheckPlain(); err != nil {
		return err
	}
	return k.CheckRows(columns, 0)
}

// finite returns an error for the first row with an entry that is not finite; it names the column if the row itself is
// not finite.
func finite(info stream.Info, k kernelgen.Kernel, x, tile blas64.General, first int64) error {
	i, j, found := simd.NotFinite(tile)
	if !found {
		return nil
	}
	row := first + int64(i)
	if _, column, found := simd.NotFinite(matrix.Rows(x, i, 1)); found {
		return stream.NewValueError(info.Name, row, info.Columns[column], "is %v, not a finite number", x.Data[i*x.Stride+column])
	}
	var undefined *kernelgen.RowError
	if errors.As(k.CheckRows(matrix.Rows(x, i, 1), row), &undefined) {
		return stream.NewValueError(info.Name, row, "", "%w", undefined.Err)
	}
	return stream.NewValueError(info.Name, row, "", "kernel %v with column %d is %v", k, j, tile.Data[i*tile.Stride+j])
}
