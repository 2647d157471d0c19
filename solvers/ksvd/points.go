package ksvd

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// source is where the rows of one side are from.
type source struct {
	stream.Source
	sparse *stream.SparseRows // the same, nil for dense rows
}

func sourceOf(src stream.Source) source {
	sparse, _ := src.(*stream.SparseRows)
	return source{src, sparse}
}

func (r source) name() string { return r.Info().Name }

// dimension returns the length of a row.
func (r source) dimension() int {
	if r.sparse != nil {
		return r.sparse.Matrix.Cols
	}
	return len(r.Info().Columns)
}

// gather fetches rows by number, ascending.
func (r source) gather(ctx context.Context, number []int64) (*points, error) {
	if r.sparse != nil {
		return &points{sparse: r.sparse.Matrix.PickRows(number)}, nil
	}
	m, err := stream.GatherRows(ctx, r.Source, number)
	return &points{dense: m}, err
}

// load returns all rows, in memory.
func (r source) load(ctx context.Context) (*points, error) {
	if r.sparse != nil {
		return sparsePoints(r.sparse), nil
	}
	if src, ok := r.Source.(matrixSource); ok {
		return &points{dense: src.matrix}, nil
	}
	m, err := stream.ReadAll(ctx, r.Source)
	return &points{dense: m}, err
}

// load returns all rows of both sides, in memory, those of one source once, and an error where they are not finite
// or not what the kernel is for.
func (d *Data) load(ctx context.Context, t *entries) (left, right *points, err error) {
	if left, err = d.left.load(ctx); err != nil {
		return nil, nil, err
	}
	if d.again > 0 && left.sparse == nil {
		right = &points{dense: left.dense}
	} else if right, err = d.right.load(ctx); err != nil {
		return nil, nil, err
	}
	return left, right, cmp.Or(t.checkPoints(d.left.name(), left, nil), t.checkPoints(d.right.name(), right, nil))
}

// checkPoints asks whether dense rows are finite, and rows that the kernel is made for.
// number has their numbers in the source, nil for all of it.
func (e *entries) checkPoints(name string, p *points, number []int64) error {
	if p.sparse != nil {
		return nil
	}
	if number == nil {
		return cmp.Or(checkRows(name, p.dense, 0), e.checkKernel(name, p.dense, 0))
	}
	for i, row := range number {
		x := stream.RowSlice(p.dense, i, 1)
		if err := cmp.Or(checkRows(name, x, row), e.checkKernel(name, x, row)); err != nil {
			return err
		}
	}
	return nil
}

// checkKernel asks whether dense rows, the first of which has a number, are rows that
// the kernel is made for.
func (e *entries) checkKernel(name string, rows blas64.General, first int64) error {
	if err := e.raw.CheckRows(rows, first); err != nil {
		return &model.DataError{Err: fmt.Errorf("%s: %w", name, err)}
	}
	return nil
}

// sparsePoints returns all rows of a sparse matrix.
func sparsePoints(rows *stream.SparseRows) *points {
	p := &points{sparse: rows.Matrix}
	p.turning.Do(func() { p.turned = rows.Transpose() })
	return p
}

// matrixSource is a source that has its rows in memory already.
type matrixSource struct {
	stream.Gatherer
	matrix blas64.General
}

func fromMatrix(name string, m blas64.General) matrixSource {
	return matrixSource{stream.FromMatrix(name, m), m}
}

// points are rows in memory, dense or sparse: one side of a tile. What has to be
// prepared for the tiles of many blocks is prepared when it is first asked for.
type points struct {
	dense  blas64.General
	sparse *stream.CSR // nil for dense rows

	packing, turning sync.Once
	packed           *kernelgen.Panel
	turned           *stream.CSR
}

// count returns the number of rows.
func (p *points) count() int {
	if p.sparse != nil {
		return p.sparse.Rows
	}
	return p.dense.Rows
}

func (p *points) dimension() int {
	if p.sparse != nil {
		return p.sparse.Cols
	}
	return p.dense.Cols
}

// slice returns n of the points from the given one on, sharing their memory.
func (p *points) slice(first, n int) *points {
	if p.sparse == nil {
		return &points{dense: stream.RowSlice(p.dense, first, n)}
	}
	s := *p.sparse
	s.Rows, s.Start = n, s.Start[first:first+n+1]
	return &points{sparse: &s}
}

// chunks cuts the points into slices of at most so many.
func (p *points) chunks(size int) []*points {
	var all []*points
	for first := 0; first < p.count(); first += size {
		all = append(all, p.slice(first, min(size, p.count()-first)))
	}
	return all
}

// panel returns dense points as the columns of tiles of a kernel.
func (p *points) panel(k kernelgen.Kernel) *kernelgen.Panel {
	p.packing.Do(func() { p.packed = k.Pack(p.dense) })
	return p.packed
}

// columns returns the transpose of sparse points: row l holds the points that have
// something in column l. It takes 8 bytes for each column besides the entries.
func (p *points) columns() *stream.CSR {
	p.turning.Do(func() { p.turned = p.transpose() })
	return p.turned
}

// transpose returns that of stream.CSR for a slice, whose entries do not begin at 0.
func (p *points) transpose() *stream.CSR {
	s := *p.sparse
	first, last := s.Start[0], s.Start[s.Rows]
	s.Index = s.Index[first:last]
	if s.Value != nil {
		s.Value = s.Value[first:last]
	}
	if first > 0 {
		start := make([]int64, s.Rows+1)
		for i := range start {
			start[i] = s.Start[i] - first
		}
		s.Start = start
	}
	return s.Transpose()
}

// blockOf returns the rows of a block, or of a panel of it that begins at row first.
func (r source) blockOf(b *stream.Block, first int, x blas64.General) *points {
	if r.sparse != nil {
		return (&points{sparse: r.sparse.Matrix}).slice(int(b.Start)+first, x.Rows)
	}
	return &points{dense: x}
}
