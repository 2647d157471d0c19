package askls

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// Data is n training samples with their classes: rows, from which a kernel makes the matrix K, or K itself. Row i of K
// is sample i as a source, column i as a target. [Samples] and [Graph] construct it.
type Data struct {
	labels  []int
	classes int

	// Rows: both sides are the same.
	sides *ksvd.Data // both are the same

	// An explicit matrix.
	name  string
	nodes []int64     // numbers of the training samples in the matrix
	total int64       // number of samples of the matrix
	k     *sparse.CSR // between training samples
	back  *sparse.CSR // its transpose
}

var _ model.Data = (*Data)(nil)

// Samples returns data in which each row of src is both a source and a target. The kernel need not be symmetric: sne,
// t, softmax, kl, or any other. src is read more than once. labels are the classes of the rows, from 0 to classes−1.
func Samples(src stream.Source, labels []int, classes int) (*Data, error) {
	d, err := ksvd.Between(src, nil)
	if err != nil {
		return nil, err
	}
	data := &Data{labels: labels, classes: classes, sides: d}
	return data, data.checkLabels()
}

// Graph returns data whose kernel matrix is part of a sparse matrix k between all nodes, such as (A+I) divided by its
// row sums, or by the in-degrees as in the paper:
//
//	a.AddIdentity().ScaledByDegrees(sparse.RowStochastic)
//	a.AddIdentity().ScaledByDegrees(sparse.ColumnStochastic)
//
// train has the numbers of the training nodes, ascending; nil means all. labels are the classes of the training nodes.
func Graph(name string, k *sparse.CSR, train []int64, labels []int, classes int) (*Data, error) {
	if k.Rows != k.Cols {
		return nil, fmt.Errorf("%s is %d×%d: the kernel matrix of a graph is square", name, k.Rows, k.Cols)
	}
	for i, v := range k.Value {
		if !matrix.IsFinite(v) {
			return nil, fmt.Errorf("%s: the weight of edge %d is %v", name, i, v)
		}
	}
	if train == nil {
		train = matrix.Numbers(k.Rows)
	}
	for i, node := range train {
		if node < 0 || node >= int64(k.Rows) || i > 0 && node <= train[i-1] {
			return nil, fmt.Errorf("%s: the training nodes must ascend strictly from 0 to below %d, and number %d is %d", name, k.Rows, i, node)
		}
	}
	if len(train) == 0 {
		return nil, fmt.Errorf("%s has no training nodes", name)
	}
	d := &Data{labels: labels, classes: classes, name: name, nodes: slices.Clone(train), total: int64(k.Rows), k: k.Induced(train)}
	d.back = d.k.Transpose()
	return d, d.checkLabels()
}

// checkLabels returns an error unless every sample has a valid class.
func (d *Data) checkLabels() error {
	if d.classes < 1 {
		return fmt.Errorf("%d classes: there must be at least 1", d.classes)
	}
	if n := d.Samples(); len(d.labels) != n {
		return fmt.Errorf("%d samples, and labels for %d", n, len(d.labels))
	}
	for i, l := range d.labels {
		if l < 0 || l >= d.classes {
			return fmt.Errorf("sample %d has label %d, which is none of the classes 0 to %d", i, l, d.classes-1)
		}
	}
	return nil
}

// explicit reports whether the kernel matrix is given, rather than a function of rows.
func (d *Data) explicit() bool { return d.sides == nil }

// Samples returns the number of training samples.
func (d *Data) Samples() int {
	if d.explicit() {
		return len(d.nodes)
	}
	return int(d.sides.Size().Rows)
}

// Size returns the size of the data. Sparse is set for an explicit matrix.
func (d *Data) Size() model.Size {
	if d.explicit() {
		return model.Size{Rows: int64(len(d.nodes)), Classes: d.classes, Sparse: &model.Sparsity{Entries: d.k.NNZ(), Explicit: true}}
	}
	s := d.sides.Size()
	s.Classes, s.Cols = d.classes, 0
	return s
}

// Facts returns the labels, classes and nodes, and the sources of both sides unless the matrix is explicit: passes over
// a graph keep no states.
func (d *Data) Facts() []any {
	facts := []any{d.labels, d.classes, d.nodes, d.total}
	if d.explicit() {
		return facts
	}
	return append(facts, d.sides.Facts()...)
}

// Sample returns rows of both sides.
func (d *Data) Sample(ctx context.Context, n int, seed uint64) (blas64.General, error) {
	if d.explicit() {
		return blas64.General{}, errors.New("an explicit kernel matrix has no rows to sample")
	}
	return d.sides.Sample(ctx, n, seed)
}

// NewNodes returns the rows of some nodes of k, with their outgoing and incoming edges. Since the fit, k may have
// changed in these rows and columns. For all nodes use sparse.NewRows. Cost: memory for the transpose.
func NewNodes(name string, k *sparse.CSR, nodes []int64) *sparse.Rows {
	rows := sparse.NewRows(name, k.PickRows(nodes), nil)
	rows.Into = k.Transpose().PickRows(nodes)
	return rows
}
