package model

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// Data is what a fit reads.
type Data interface {
	// Shape returns the size of the data.
	Shape() Shape
	// Sample returns at most n rows that depend on the seed alone, for kernels with words.
	Sample(ctx context.Context, n int, seed uint64) (blas64.General, error)
	// Facts returns everything a fit depends on besides method and kernel: sources (their columns and numbers of
	// rows count), names of kept columns, labels, weights. States made with other facts are refused. A fact is a
	// number, a text, a source, or a slice or struct of these.
	Facts() []any
}

// Sources are the data of the families that fit a matrix: its rows are between the
// rows of Left and those of Right, or of Left again if Right is nil.
type Sources struct{ Left, Right stream.Source }

// Shape returns the size of the sources. The number of rows is -1 where it is not
// known.
func (s Sources) Shape() Shape {
	info := s.Left.Info()
	shape := Shape{Rows: info.Rows, Columns: len(info.Columns)}
	if s.Right != nil {
		info = s.Right.Info()
		shape.Cols, shape.RightColumns = info.Rows, len(info.Columns)
	}
	return shape
}

// Sample returns rows of Left.
func (s Sources) Sample(ctx context.Context, n int, seed uint64) (blas64.General, error) {
	return SampleRows(ctx, s.Left, n, seed, "kernel")
}

// Facts returns the sources.
func (s Sources) Facts() []any { return []any{s.Left, s.Right} }

// Check returns an error unless both sources can be read again, know their rows and
// have as many columns.
func (s Sources) Check() error {
	if _, err := KnownRows(s.Left); err != nil || s.Right == nil {
		return err
	}
	if _, err := KnownRows(s.Right); err != nil {
		return err
	}
	l, r := s.Left.Info(), s.Right.Info()
	if len(l.Columns) != len(r.Columns) {
		return fmt.Errorf("%s has %d columns and %s has %d: rows of the two sources cannot be compared", l.Name, len(l.Columns), r.Name, len(r.Columns))
	}
	return nil
}

// KnownRows returns the number of rows of a source, or an error unless it can be read
// again and again, and has rows and columns whose number is known.
func KnownRows(src stream.Source) (int64, error) {
	info := src.Info()
	switch {
	case info.OnePass:
		return 0, stream.OnceError(info.Name)
	case info.Rows < 0:
		return 0, fmt.Errorf("%s: the number of rows is not known; store the source first (`spool-dir`)", info.Name)
	case info.Rows == 0:
		return 0, fmt.Errorf("%s has no rows", info.Name)
	case len(info.Columns) == 0:
		return 0, fmt.Errorf("%s has no numeric columns", info.Name)
	}
	return info.Rows, nil
}

// SampleRows returns at most n rows of a source, drawn uniformly without replacement,
// in their order. purpose tells one use of the seed from another.
func SampleRows(ctx context.Context, src stream.Source, n int, seed uint64, purpose string) (blas64.General, error) {
	rows, err := KnownRows(src)
	if err != nil {
		return blas64.General{}, err
	}
	s, err := sketch.NewSample(rows, int(min(rows, int64(n))), seed, purpose)
	if err != nil {
		return blas64.General{}, err
	}
	return gatherFinite(ctx, src, s.Positions())
}

// gatherFinite fetches rows by ascending number. A number that is not finite is a [stream.DataError].
func gatherFinite(ctx context.Context, src stream.Source, rows []int64) (blas64.General, error) {
	x, err := stream.GatherRows(ctx, src, rows)
	if err == nil {
		err = InSource(src.Info(), sketch.CheckFinite(x), Numbers{List: rows})
	}
	return x, err
}

// SampleWeighted is [SampleRows] with row weights in a kept column: a row of weight 0 is never drawn, and a row of
// weight k counts as k rows. If all weights are 1 the sample is that of SampleRows. Cost: two passes.
func SampleWeighted(ctx context.Context, e stream.Engine, src stream.Source, weights string, n int, seed uint64,
	purpose string) (blas64.General, error) {
	if _, err := KnownRows(src); err != nil {
		return blas64.General{}, err
	}
	copies, err := prepare.CountCopies(ctx, e, src, weights)
	if err != nil {
		return blas64.General{}, err
	}
	rows, err := drawCopies(ctx, e, copies, n, seed, purpose)
	if err != nil {
		return blas64.General{}, err
	}
	return gatherRepeated(ctx, rows, func(ctx context.Context, rows []int64) (blas64.General, error) {
		return gatherFinite(ctx, src, rows)
	})
}

// SampleShares is [SampleWeighted] for weights in memory of which only ratios matter: the smallest positive weight
// counts as one row. At least one weight must be positive. gather fetches rows by ascending number.
func SampleShares(ctx context.Context, weights []float64, n int, seed uint64, purpose string,
	gather func(ctx context.Context, rows []int64) (blas64.General, error)) (blas64.General, error) {
	least := math.Inf(1)
	for _, w := range weights {
		if w > 0 {
			least = min(least, w)
		}
	}
	relative := make([]float64, len(weights))
	for i, w := range weights {
		relative[i] = w / least
	}
	rows, err := drawCopies(ctx, stream.Engine{}, prepare.CopiesOf(relative), n, seed, purpose)
	if err != nil {
		return blas64.General{}, err
	}
	return gatherRepeated(ctx, rows, gather)
}

// drawCopies draws at most n copies, and returns the numbers of their rows, ascending.
func drawCopies(ctx context.Context, e stream.Engine, copies *prepare.Copies, n int, seed uint64, purpose string) ([]int64, error) {
	s, err := sketch.NewSample(copies.Count(), int(min(copies.Count(), int64(n))), seed, purpose)
	if err != nil {
		return nil, err
	}
	return copies.Rows(ctx, e, s.Positions())
}

// gatherRepeated gathers rows by ascending numbers, which may repeat.
func gatherRepeated(ctx context.Context, rows []int64,
	gather func(ctx context.Context, rows []int64) (blas64.General, error)) (blas64.General, error) {
	different := slices.Compact(slices.Clone(rows))
	x, err := gather(ctx, different)
	if err != nil || len(different) == len(rows) {
		return x, err
	}
	all, at := matrix.New(len(rows), x.Cols), 0
	for i, r := range rows {
		if different[at] != r {
			at++
		}
		copy(matrix.Row(all, i), matrix.Row(x, at))
	}
	return all, nil
}

// ResolveRows is how many rows words such as median are worked out from.
const ResolveRows = 1000

// Resolve returns the kernel with its words replaced by numbers, from up to 1,000 rows
// of d that depend on the seed alone. A kernel without words learns the number of
// columns, and no row is read. That the rows do not suit the kernel is a [stream.DataError]. Within a Fit the
// report has a note about words that the rows give no number for, see [kernelgen.Kernel.ResolveNoting].
func Resolve(ctx context.Context, e stream.Engine, d Data, k kernelgen.Kernel, seed uint64) (kernelgen.Kernel, error) {
	resolved, err := ResolveAll(ctx, e, d, []kernelgen.Kernel{k}, seed)
	if err != nil {
		return k, err
	}
	return resolved[0], nil
}

// ResolveAll resolves several kernels from the same rows, which are read once. Kernels that the rows do not
// suit are left out, with a note in the report of the Fit; it is an error if none is left.
func ResolveAll(ctx context.Context, e stream.Engine, d Data,
	kernels []kernelgen.Kernel, seed uint64) (resolved []kernelgen.Kernel, err error) {
	columns := d.Shape().Columns
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
			note(e, fmt.Sprintf("kernel %v is left out: %v", k, failed))
			continue
		}
		note(e, notes...)
		resolved = append(resolved, r)
	}
	if len(resolved) == 0 {
		return nil, err
	}
	return resolved, nil
}
