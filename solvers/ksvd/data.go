package ksvd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// Data holds the two sides of G: N rows x_i on the left and M rows z_j on the right, of one length, and the maps that
// bring new rows of a data matrix to that length. [Between], [RowsAndColumns] and [Graph] construct it. Methods may
// read a source several times.
type Data struct {
	left, right source
	extraPasses int // 1 if both sides are one source, which a pass over each side reads twice
	kind        Compatibility
	maps        [2]blas64.General // Cᵀ for left and right rows; empty for none

	measureOnce sync.Once
	measured    model.Size // of a graph
}

// source is the source of the rows of one side.
type source struct {
	stream.Source
	sparse *sparse.Rows // the same source, if sparse; else nil
}

func sourceOf(src stream.Source) source {
	nodes, _ := src.(*sparse.Rows)
	return source{src, nodes}
}

func (r source) name() string { return r.Info().Name }

// dimension returns the length of a row.
func (r source) dimension() int {
	if r.sparse != nil {
		return r.sparse.Matrix.Cols
	}
	return len(r.Info().Columns)
}

// gather returns the rows with the given ascending numbers.
func (r source) gather(ctx context.Context, numbers []int64) (*tiles.Rows, error) {
	if r.sparse != nil {
		return &tiles.Rows{Sparse: r.sparse.Matrix.PickRows(numbers)}, nil
	}
	m, err := stream.GatherRows(ctx, r.Source, numbers)
	return &tiles.Rows{Dense: m}, err
}

// load returns all rows in memory.
func (r source) load(ctx context.Context) (*tiles.Rows, error) {
	if r.sparse != nil {
		return tiles.SparseRows(r.sparse.Matrix, r.sparse.Transpose()), nil
	}
	if src, ok := r.Source.(matrixSource); ok {
		return &tiles.Rows{Dense: src.matrix}, nil
	}
	m, err := stream.ReadAll(ctx, r.Source)
	return &tiles.Rows{Dense: m}, err
}

// panel returns the rows x of a block. first is the index of the first of them in the block.
func (r source) panel(b *stream.Block, first int, x blas64.General) *tiles.Rows {
	if r.sparse != nil {
		return (&tiles.Rows{Sparse: r.sparse.Matrix}).Slice(int(b.Start)+first, x.Rows)
	}
	return &tiles.Rows{Dense: x}
}

// matrixSource is a source of rows in memory.
type matrixSource struct {
	stream.Gatherer
	matrix blas64.General
}

func fromMatrix(name string, m blas64.General) source {
	return source{Source: matrixSource{stream.FromMatrix(name, m), m}}
}

// load returns all rows of both sides. It checks them by checkRows.
func (d *Data) load(ctx context.Context, t *tiles.Tiles) (left, right *tiles.Rows, err error) {
	if left, err = d.left.load(ctx); err != nil {
		return nil, nil, err
	}
	if d.extraPasses > 0 && left.Sparse == nil {
		right = &tiles.Rows{Dense: left.Dense}
	} else if right, err = d.right.load(ctx); err != nil {
		return nil, nil, err
	}
	return left, right, cmp.Or(checkRows(t, d.left.Info(), left, nil), checkRows(t, d.right.Info(), right, nil))
}

// checkRows returns an error for dense rows that are not finite, or on which the kernel is undefined. numbers are those
// of the rows; nil for all rows of a source.
func checkRows(t *tiles.Tiles, info stream.Info, rows *tiles.Rows, numbers []int64) error {
	if numbers == nil {
		numbers = matrix.Numbers(rows.Dense.Rows)
	}
	for i, number := range numbers[:rows.Dense.Rows] { // no iterations for sparse rows
		x := matrix.Rows(rows.Dense, i, 1)
		if err := cmp.Or(checkValues(info, x, number), t.CheckRows(info.Name, x, number)); err != nil {
			return err
		}
	}
	return nil
}

// checkValues returns an error for a value that is not finite. start is the number of the first row.
func checkValues(info stream.Info, x blas64.General, start int64) error {
	if i, j, found := dense.NotFinite(x); found {
		return stream.NewValueError(info.Name, start+int64(i), info.Columns[j], "the value is %v", x.Data[i*x.Stride+j]).
			WithRemedy("drop or fill such rows (`Treatment.Nulls`)")
	}
	return nil
}

// Between returns data with the two given sides, such as queries and keys. If right is nil, both sides are the rows of
// left.
func Between(left, right stream.Source) (*Data, error) {
	again := 0
	if right == nil {
		right, again = left, 1
	}
	d := &Data{left: sourceOf(left), right: sourceOf(right), extraPasses: again}
	for _, src := range []stream.Source{left, right} {
		if _, err := input.KnownRows(src); err != nil {
			return nil, err
		}
	}
	if l, r := d.left.dimension(), d.right.dimension(); l != r {
		return nil, fmt.Errorf("%s has %d columns and %s has %d: a kernel is between rows of one length (for the rows and columns of one matrix see `Compatibility`)", left.Info().Name, l, right.Info().Name, r)
	}
	return d, nil
}

// Graph returns data with the rows of an adjacency matrix A on the left and its columns on the right: the outgoing and
// the incoming edges of each node (paper, Definition 2.1; C is the identity). Neither A nor G is made dense. It takes
// the memory of Aᵀ.
func Graph(name string, a *sparse.CSR) (*Data, error) {
	if a.Rows != a.Cols {
		return nil, fmt.Errorf("%s is %d×%d: the adjacency matrix of a graph is square", name, a.Rows, a.Cols)
	}
	if a.Rows == 0 {
		return nil, fmt.Errorf("%s has no nodes", name)
	}
	for i := range a.Value {
		if v := a.Value[i]; !matrix.IsFinite(v) {
			return nil, fmt.Errorf("%s: the weight of edge %d is %v", name, i, v)
		}
	}
	transpose := a.Transpose()
	return &Data{left: sourceOf(sparse.NewRows(name, a, transpose)), right: sourceOf(sparse.NewRows(name, transpose, a))}, nil
}

// names returns the names of both sources.
func (d *Data) names() [2]string { return [2]string{d.left.name(), d.right.name()} }

func (d *Data) sparse() bool { return d.left.sparse != nil }

// sampleNumbers limits the dense rows of a graph from which words of a kernel are resolved, to 128 MB. fewestSampled is
// their smallest number, unless they are all rows.
const (
	sampleNumbers = 1 << 24
	fewestSampled = 100
)

// sampledRows returns the number of rows drawn by Sample for a request of n.
func sampledRows(s model.Size, n int) int {
	if s.Sparse == nil {
		return n
	}
	return int(min(int64(n), sampleNumbers/max(1, s.Rows)))
}

// Facts returns the sources, and the maps to a common length.
func (d *Data) Facts() []any {
	return []any{d.left.Source, d.right.Source, d.extraPasses, d.kind, d.maps}
}

// Sample returns at most n rows drawn uniformly, half of them from each side. They are dense: for a graph each takes 8
// bytes for every node, and they are limited to 128 MB. It fails if the limit leaves too few rows to be representative.
func (d *Data) Sample(ctx context.Context, n int, seed uint64) (blas64.General, error) {
	rows, asked := d.size().Rows, n
	if n = sampledRows(d.size(), n); n < min(asked, fewestSampled) && int64(n) < rows {
		return blas64.General{}, stream.NewDataError(d.left.name(), "%d nodes are too many to make rows for the words of the `Kernel`", rows).
			WithRemedy("give numbers, such as those that it has on a part of the graph")
	}
	left, err := sampleOf(ctx, d.left, n-n/2, seed, "kernel sample left")
	if err != nil {
		return left, err
	}
	right, err := sampleOf(ctx, d.right, n/2, seed, "kernel sample right")
	if err != nil {
		return right, err
	}
	left.Rows += right.Rows
	left.Data = append(left.Data, right.Data...)
	return left, nil
}

func sampleOf(ctx context.Context, r source, n int, seed uint64, purpose string) (blas64.General, error) {
	switch {
	case n == 0:
		return matrix.New(0, r.dimension()), nil
	case r.sparse != nil:
		return input.DrawRows(ctx, r.sparse.Matrix.Source(r.name(), nil), n, seed, purpose)
	}
	return input.DrawRows(ctx, r.Source, n, seed, purpose)
}

// Size returns the size of the data. The first call takes O(edges) time for a graph.
func (d *Data) Size() model.Size {
	if d.sparse() {
		d.measureOnce.Do(func() { d.measured = rowSizes(d.left.sparse.Matrix, d.right.sparse.Matrix) })
		return d.measured
	}
	s := model.Size{Rows: d.left.Info().Rows, Columns: d.left.dimension()}
	if d.extraPasses == 0 {
		s.Cols = d.right.Info().Rows
	}
	return s
}

// size returns the shape with the numbers of rows of both sides.
func (d *Data) size() model.Size { return twoSided(d.Size()) }

// twoSided returns a shape with the numbers of rows of both sides, which may be one source.
func twoSided(s model.Size) model.Size {
	if s.OneSource() {
		s.Cols = s.Rows
	}
	return s
}

// rowSizes returns the size of the rows of a matrix against the rows of its transpose.
func rowSizes(out, in *sparse.CSR) model.Size {
	negative := slices.ContainsFunc(out.Value, func(v float64) bool { return v < 0 })
	s := &model.Sparsity{Entries: out.NNZ(), Negative: negative}
	for l := range out.Rows {
		s.Paths += (out.Start[l+1] - out.Start[l]) * (in.Start[l+1] - in.Start[l])
	}
	return model.Size{Rows: int64(out.Rows), Cols: int64(in.Rows), Columns: out.Cols, Sparse: s}
}
