package blockstore

import (
	"fmt"

	"github.com/nystream/nystream/stream"
	"gonum.org/v1/gonum/blas/blas64"
)

// rowOf is row i of x. A matrix without columns may have no data at all.
func rowOf(x blas64.General, i int) []float64 {
	if x.Cols == 0 {
		return nil
	}
	return x.Data[i*x.Stride:][:x.Cols]
}

// mustFit panics unless dst has the shape of the source.
func mustFit(info stream.Info, dst *stream.Batch) {
	if dst.X.Cols != len(info.Columns) {
		panic(fmt.Sprintf("blockstore: batch has %d columns, %s has %d", dst.X.Cols, info.Name, len(info.Columns)))
	}
	if dst.Kept != nil && len(dst.Kept) != len(info.Kept) {
		panic(fmt.Sprintf("blockstore: batch keeps %d columns, %s has %d", len(dst.Kept), info.Name, len(info.Kept)))
	}
}

// mustGather panics unless the arguments of Gather keep its contract.
func mustGather(info stream.Info, rows []int64, dst *stream.Batch) {
	mustFit(info, dst)
	if dst.X.Rows != len(rows) {
		panic(fmt.Sprintf("blockstore: batch has %d rows for %d row numbers", dst.X.Rows, len(rows)))
	}
	for i, row := range rows {
		if row < 0 || row >= info.Rows || i > 0 && row <= rows[i-1] {
			panic(fmt.Sprintf("blockstore: row number %d at %d does not ascend within the %d rows of %s", row, i, info.Rows, info.Name))
		}
	}
}
