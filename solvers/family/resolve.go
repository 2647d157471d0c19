package family

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// ResolveRows is the size of the sample from which words such as median are resolved.
const ResolveRows = 1000

// Resolve returns the kernel with its words replaced by numbers, from a sample of up to 1,000 rows of d that depends on
// the seed alone. For a kernel without words it sets the number of columns and reads no row. Rows that do not suit the
// kernel are a [stream.DataError]. Within a Fit, the report notes each word that the sample cannot determine: see
// [kernelgen.Kernel.ResolveNoting].
func Resolve(ctx context.Context, e stream.Engine, d model.Data, k kernelgen.Kernel, seed uint64) (kernelgen.Kernel, error) {
	resolved, err := ResolveAll(ctx, e, d, []kernelgen.Kernel{k}, seed)
	if err != nil {
		return k, err
	}
	return resolved[0], nil
}

// ResolveAll resolves several kernels from one sample. Kernels that do not suit the rows are dropped, with a note in
// the report of the Fit. It fails if none remains.
func ResolveAll(ctx context.Context, e stream.Engine, d model.Data,
	kernels []kernelgen.Kernel, seed uint64) (resolved []kernelgen.Kernel, err error) {
	columns := d.Size().Columns
	rows := blas64.General{Cols: columns, Stride: max(1, columns)}
	if slices.ContainsFunc(kernels, func(k kernelgen.Kernel) bool { return !k.Resolved() }) {
		if rows, err = d.Sample(ctx, ResolveRows, seed); err != nil {
			return nil, err
		}
	}
	for _, k := range kernels {
		r, notes, failed := k.ResolveNoting(rows)
		if failed != nil {
			if err == nil {
				err = stream.AsDataError(failed)
			}
			addNotes(e, fmt.Sprintf("kernel %v is left out: %v", k, failed))
			continue
		}
		addNotes(e, notes...)
		resolved = append(resolved, r)
	}
	if len(resolved) == 0 {
		return nil, err
	}
	return resolved, nil
}
