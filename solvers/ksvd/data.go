package ksvd

import (
	"context"
	"fmt"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Data is what G is between: N rows x_i on the left and M rows z_j on the right, of
// the same length, and how new rows of a data matrix are brought to that length.
// [Between], [RowsAndColumns] and [Graph] make it. A source is read as often as a
// method says, so it must not be one that can be read only once.
type Data struct {
	left, right source
	again       int // 1 where a pass over each side reads one source twice, else 0
	kind        Compatibility
	maps        [2]blas64.General // Cᵀx for left rows and for right rows; empty for none

	measuring sync.Once
	measured  model.Shape // of a graph
}

// Between returns data with two given sides, such as queries and keys. With right nil,
// both sides are the rows of left.
func Between(left, right stream.Source) (*Data, error) {
	again := 0
	if right == nil {
		right, again = left, 1
	}
	d := &Data{left: sourceOf(left), right: sourceOf(right), again: again}
	for _, src := range []stream.Source{left, right} {
		if _, err := model.KnownRows(src); err != nil {
			return nil, err
		}
	}
	if l, r := d.left.dimension(), d.right.dimension(); l != r {
		return nil, fmt.Errorf("%s has %d columns and %s has %d: a kernel is between rows of one length (for the rows and columns of one matrix see `compat`)", left.Info().Name, l, right.Info().Name, r)
	}
	return d, nil
}

// Graph returns data with the rows of an adjacency matrix A on the left, where row i
// holds the edges out of node i, and its columns on the right, which hold the edges
// into a node (paper, Definition 2.1; C is the identity). Neither A nor G is ever
// made dense. It takes the memory of Aᵀ.
func Graph(name string, a *stream.CSR) (*Data, error) {
	if a.Rows != a.Cols {
		return nil, fmt.Errorf("%s is %d×%d: the adjacency matrix of a graph is square", name, a.Rows, a.Cols)
	}
	if a.Rows == 0 {
		return nil, fmt.Errorf("%s has no nodes", name)
	}
	for i := range a.Value {
		if v := a.Value[i]; v-v != 0 {
			return nil, fmt.Errorf("%s: the weight of edge %d is %v", name, i, v)
		}
	}
	turned := a.Transpose()
	return &Data{left: sourceOf(stream.NewSparseRows(name, a, turned)), right: sourceOf(stream.NewSparseRows(name, turned, a))}, nil
}

func (d *Data) sparse() bool { return d.left.sparse != nil }

// sampleNumbers bounds the rows of a graph that a kernel is worked out from, which are
// dense: 128 MB. fewestSampled is how many they must be, unless they are all.
const (
	sampleNumbers = 1 << 24
	fewestSampled = 100
)

// sampledRows returns how many rows Sample draws where n are asked for.
func sampledRows(s model.Shape, n int) int {
	if s.Sparse == nil {
		return n
	}
	return int(min(int64(n), sampleNumbers/max(1, s.Rows)))
}

// Sample returns at most n rows drawn uniformly, half of them from each side. They are
// dense: for a graph each takes 8 bytes for every node, and there are at most 128 MB of
// them. It is an error where these are too few to stand for all.
func (d *Data) Sample(ctx context.Context, n int, seed uint64) (blas64.General, error) {
	rows, asked := d.Shape().Rows, n
	if n = sampledRows(d.Shape(), n); n < min(asked, fewestSampled) && int64(n) < rows {
		return blas64.General{}, &model.DataError{Err: fmt.Errorf("%s: %d nodes are too many to make rows for the words of the `kernel`; give numbers, such as those that it has on a part of the graph", d.left.name(), rows)}
	}
	left, err := sampleOf(ctx, d.left, n-n/2, seed, "kernel sample left")
	if err != nil {
		return left, err
	}
	right, err := sampleOf(ctx, d.right, n/2, seed, "kernel sample right")
	if err != nil {
		return right, err
	}
	both := stream.NewMatrix(left.Rows+right.Rows, d.left.dimension())
	for i := range left.Rows {
		copy(dense.Row(both, i), dense.Row(left, i))
	}
	for i := range right.Rows {
		copy(dense.Row(both, left.Rows+i), dense.Row(right, i))
	}
	return both, nil
}

func sampleOf(ctx context.Context, r source, n int, seed uint64, purpose string) (blas64.General, error) {
	switch {
	case n == 0:
		return stream.NewMatrix(0, r.dimension()), nil
	case r.sparse != nil:
		return model.SampleRows(ctx, r.sparse.Matrix.Source(r.name(), nil), n, seed, purpose)
	}
	return model.SampleRows(ctx, r.Source, n, seed, purpose)
}
