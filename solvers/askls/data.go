package askls

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Data is the kernel matrix K of n training samples, which need not be formed: row i
// is sample i as a source, column i as a target. [Samples], [Views], [FromKSVD], [Graph]
// and [Precomputed] make it.
type Data struct {
	// of rows and a kernel
	sides  *ksvd.Data
	kernel kernelgen.Kernel
	shape  model.Shape
	one    bool // both sides are the same rows

	// of an explicit matrix
	name  string
	nodes []int64     // numbers of the training samples among all
	total int64       // how many there are in all
	k     *stream.CSR // between training samples
	back  *stream.CSR // its transpose
}

// Samples is data with the rows of src, each of them source and target, and a resolved
// kernel that need not be symmetric: sne, t, softmax, kl, or any other. src is read more
// than once.
func Samples(src stream.Source, k kernelgen.Kernel) (*Data, error) {
	d, err := ksvd.Between(src, nil)
	if err != nil {
		return nil, err
	}
	data, err := FromKSVD(d, k)
	if err == nil {
		data.one = true
	}
	return data, err
}

// Views is data whose samples have two rows: row i of sources and row i of targets, of
// the same length.
func Views(sources, targets stream.Source, k kernelgen.Kernel) (*Data, error) {
	d, err := ksvd.Between(sources, targets)
	if err != nil {
		return nil, err
	}
	return FromKSVD(d, k)
}

// FromKSVD is data with left rows as sources and right rows as targets, such as the
// out- and in-edges of all nodes of a graph (ksvd.Graph) with a kernel between them.
func FromKSVD(d *ksvd.Data, k kernelgen.Kernel) (*Data, error) {
	if !k.Resolved() {
		return nil, fmt.Errorf("kernel %s has parameters that are words: give numbers, or resolve it on a sample of the rows", k)
	}
	s := d.Shape()
	if s.Rows != s.Cols {
		return nil, fmt.Errorf("%d samples as sources and %d as targets: a sample has one row of each", s.Rows, s.Cols)
	}
	return &Data{sides: d, kernel: k, shape: s}, nil
}

// Graph is data whose kernel matrix is part of a sparse matrix k between all nodes, such
// as (A+I) divided by its row sums:
//
//	a.AddIdentity().ScaledByDegrees(stream.RowStochastic)
//
// train are the numbers of the training nodes, ascending; nil means all.
func Graph(name string, k *stream.CSR, train []int64) (*Data, error) {
	if k.Rows != k.Cols {
		return nil, fmt.Errorf("%s is %d×%d: the kernel matrix of a graph is square", name, k.Rows, k.Cols)
	}
	for i, v := range k.Value {
		if v-v != 0 {
			return nil, fmt.Errorf("%s: the weight of edge %d is %v", name, i, v)
		}
	}
	if train == nil {
		train = make([]int64, k.Rows)
		for i := range train {
			train[i] = int64(i)
		}
	}
	for i, node := range train {
		if node < 0 || node >= int64(k.Rows) || i > 0 && node <= train[i-1] {
			return nil, fmt.Errorf("%s: the training nodes must ascend strictly from 0 to below %d, and number %d is %d", name, k.Rows, i, node)
		}
	}
	if len(train) == 0 {
		return nil, fmt.Errorf("%s has no training nodes", name)
	}
	d := &Data{name: name, nodes: slices.Clone(train), total: int64(k.Rows), k: k.Induced(train)}
	d.back = d.k.Transpose()
	return d, nil
}

// Precomputed is data with a kernel matrix in memory, n×n, as that of Kullback–Leibler
// divergences between mixtures of the paper. It is kept as a sparse matrix: 12 bytes
// for each entry and as much for the transpose.
func Precomputed(name string, k blas64.General) (*Data, error) {
	return Graph(name, sparseOf(k), nil)
}

// sparseOf is a matrix as a sparse one with all its entries.
func sparseOf(k blas64.General) *stream.CSR {
	s := &stream.CSR{Rows: k.Rows, Cols: k.Cols, Start: make([]int64, k.Rows+1), Value: make([]float64, 0, k.Rows*k.Cols), Index: make([]int32, 0, k.Rows*k.Cols)}
	for i := range k.Rows {
		for j := range k.Cols {
			s.Index = append(s.Index, int32(j))
			s.Value = append(s.Value, k.Data[i*k.Stride+j])
		}
		s.Start[i+1] = int64(len(s.Index))
	}
	return s
}

// explicit says that the kernel matrix is given and not a function of rows.
func (d *Data) explicit() bool { return d.sides == nil }

// Samples is n.
func (d *Data) Samples() int {
	if d.explicit() {
		return len(d.nodes)
	}
	return int(d.shape.Rows)
}

// Shape is what a plan needs to know of the data.
func (d *Data) Shape() Shape {
	if d.explicit() {
		return Shape{Samples: int64(len(d.nodes)), Explicit: true, Entries: d.k.NNZ()}
	}
	return Shape{Samples: d.shape.Rows, Sides: d.shape}
}

// Shape is the size of data, which decides the cost of a fit.
type Shape struct {
	Samples  int64       // n
	Sides    model.Shape // of rows and a kernel
	Explicit bool        // K is a sparse matrix
	Entries  int64       // of it
}

// SampleShape is the shape of n samples whose rows have so many columns.
func SampleShape(n int64, columns int) Shape {
	return Shape{Samples: n, Sides: model.Shape{Rows: n, Cols: n, Columns: columns}}
}

// Rows are samples to decide on: as sources on the left, as targets on the right.
type Rows struct {
	Left, Right stream.Source

	one bool // both sides go by one pass
}

// NewSamples are the rows of src, each of them source and target.
func NewSamples(src stream.Source) Rows { return Rows{src, src, true} }

// NewViews are samples with two rows.
func NewViews(sources, targets stream.Source) Rows {
	return Rows{sources, targets, false}
}

// NewEdges are samples of an explicit kernel matrix: row i of out holds K(x_i, ·) and
// row i of in K(·, x_i), both with a column for every sample of the matrix of the fit,
// training sample or not.
func NewEdges(name string, out, in *stream.CSR) Rows {
	return Rows{stream.NewSparseRows(name, out, nil), stream.NewSparseRows(name, in, nil), true}
}

// NewNodes are some nodes of the matrix of a fit, or of one that has changed in their
// rows and columns; nil means all. Cost: the memory of the transpose.
func NewNodes(name string, k *stream.CSR, nodes []int64) Rows {
	out, in := k, k.Transpose()
	if nodes != nil {
		out, in = out.PickRows(nodes), in.PickRows(nodes)
	}
	return NewEdges(name, out, in)
}
