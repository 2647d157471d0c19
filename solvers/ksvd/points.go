package ksvd

import (
	"context"
	"io"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// Rows are the rows of one side: those of a source, or the rows of a sparse
// matrix, which are never made dense. Exactly one field is set.
type Rows struct {
	Source stream.Source
	Sparse *SparseRows
}

// SparseRows are the rows of a sparse matrix and how messages call them.
type SparseRows struct {
	Name   string
	Matrix *stream.CSR

	turned *stream.CSR // the transpose of Matrix, if it is known
}

// DenseRows are the rows of a source.
func DenseRows(src stream.Source) Rows { return Rows{Source: src} }

// GraphRows are the rows of a sparse matrix. For new nodes of a graph, whose model
// [Graph] made: for the left side row i holds the edges out of new node i, for the
// right side the edges into it; the columns are the nodes of the fit.
func GraphRows(name string, m *stream.CSR) Rows {
	return Rows{Sparse: &SparseRows{Name: name, Matrix: m}}
}

func (r Rows) name() string {
	if r.Sparse != nil {
		return r.Sparse.Name
	}
	return r.Source.Info().Name
}

// dimension is the length of a row.
func (r Rows) dimension() int {
	if r.Sparse != nil {
		return r.Sparse.Matrix.Cols
	}
	return len(r.Source.Info().Columns)
}

// source is what a pass reads. Sparse rows are in memory, and the pass needs to
// know only their numbers.
func (r Rows) source() stream.Source {
	if r.Sparse != nil {
		return &numbers{stream.Info{Name: r.Sparse.Name, Rows: int64(r.Sparse.Matrix.Rows)}}
	}
	return r.Source
}

// gather fetches rows by number, ascending.
func (r Rows) gather(ctx context.Context, number []int64) (*points, error) {
	if r.Sparse != nil {
		return &points{sparse: r.Sparse.Matrix.PickRows(number)}, nil
	}
	m, err := stream.GatherRows(ctx, r.Source, number)
	return &points{dense: m}, err
}

// load are all rows, in memory.
func (r Rows) load(ctx context.Context) (*points, error) {
	if r.Sparse != nil {
		return r.Sparse.points(), nil
	}
	if src, ok := r.Source.(matrixSource); ok {
		return &points{dense: src.matrix}, nil
	}
	n := int(r.Source.Info().Rows)
	m := stream.NewMatrix(n, r.dimension())
	reader, err := r.Source.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	got, err := stream.ReadFull(reader, &stream.Batch{X: m})
	if err == io.EOF || err == nil && got == n {
		err = nil
	}
	if err == nil && got < n {
		return nil, promised(r.name(), n, got)
	}
	return &points{dense: m}, err
}

// points are all rows of a sparse matrix.
func (s *SparseRows) points() *points {
	p := &points{sparse: s.Matrix}
	if s.turned != nil {
		p.turning.Do(func() { p.turned = s.turned })
	}
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

// numbers is a source of rows without columns: of their numbers.
type numbers struct{ info stream.Info }

func (s *numbers) Info() stream.Info { return s.info }

func (s *numbers) Open(ctx context.Context) (stream.Reader, error) {
	return &numberReader{ctx: ctx, left: s.info.Rows}, nil
}

func (s *numbers) Gather(context.Context, []int64, *stream.Batch) error { return nil }

type numberReader struct {
	ctx  context.Context
	left int64
}

func (r *numberReader) Read(dst *stream.Batch) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	n := min(int64(dst.X.Rows), r.left)
	r.left -= n
	if r.left == 0 {
		return int(n), io.EOF
	}
	return int(n), nil
}

func (r *numberReader) Close() error { return nil }

// points are rows in memory, dense or sparse: one side of a tile. What has to be
// prepared for the tiles of many blocks is prepared when it is first asked for.
type points struct {
	dense  blas64.General
	sparse *stream.CSR // nil for dense rows

	packing, turning sync.Once
	packed           *kernelgen.Panel
	turned           *stream.CSR
}

// count is the number of rows.
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

// slice are n of the points from the given one on, sharing their memory.
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

// panel are dense points as the columns of tiles of a kernel.
func (p *points) panel(k kernelgen.Kernel) *kernelgen.Panel {
	p.packing.Do(func() { p.packed = k.Pack(p.dense) })
	return p.packed
}

// columns is the transpose of sparse points: row l holds the points that have
// something in column l. It takes 8 bytes for each column besides the entries.
func (p *points) columns() *stream.CSR {
	p.turning.Do(func() { p.turned = p.transpose() })
	return p.turned
}

// transpose is that of stream.CSR for a slice, whose entries do not begin at 0.
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

// blockOf are the rows of a block, or of a panel of it that begins at row first.
func (r Rows) blockOf(b *stream.Block, first int, x blas64.General) *points {
	if r.Sparse != nil {
		return (&points{sparse: r.Sparse.Matrix}).slice(int(b.Start)+first, x.Rows)
	}
	return &points{dense: x}
}
