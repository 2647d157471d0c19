package sparse

import (
	"context"
	"errors"
	"fmt"
	"io"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// Source returns a source of the rows as dense vectors. A block of dense rows must fit in memory.
// columns are the names of the columns, for a graph those of its nodes; with nil, messages use c0,
// c1, … It panics if columns has another length. Cost: O(Cols) per row.
func (c *CSR) Source(name string, columns []string) stream.Gatherer {
	nameless := columns == nil
	if nameless {
		columns = make([]string, c.Cols)
		for j := range columns {
			columns[j] = fmt.Sprintf("c%d", j)
		}
	}
	if len(columns) != c.Cols {
		panic(fmt.Sprintf("sparse: %d names for %d columns", len(columns), c.Cols))
	}
	return &csrSource{stream.Info{Name: name, Columns: columns, Nameless: nameless, Rows: int64(c.Rows), SeekCost: 1, InMemory: true}, c}
}

// ReadCSR reads a source such as [CSR.Source] into a sparse matrix, without its zeros. Cost: one
// pass, and the memory of the result.
func ReadCSR(ctx context.Context, src stream.Source) (m *CSR, err error) {
	info := src.Info()
	r, err := src.Open(ctx, 0)
	if err != nil {
		return nil, err
	}
	m = &CSR{Cols: len(info.Columns), Start: []int64{0}}
	chunk := matrix.New(denseRows(info), m.Cols)
	for err == nil {
		var n int
		n, err = r.Read(&stream.Batch{X: chunk})
		for i := range n {
			m.appendDense(matrix.Row(chunk, i))
		}
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
	}
	if err == io.EOF {
		err = nil
		if info.Rows > int64(m.Rows) {
			err = fmt.Errorf("%s: promised %d rows and gave %d: the file changed or is damaged", info.Name, info.Rows, m.Rows)
		}
	}
	return m, errors.Join(err, r.Close())
}

// denseRows returns the number of rows that are expanded at a time.
func denseRows(info stream.Info) int {
	n := min(1024, stream.BlockRows(len(info.Columns)))
	if info.Rows >= 0 {
		n = int(max(1, min(int64(n), info.Rows)))
	}
	return n
}

// appendDense appends the nonzeros of a row.
func (c *CSR) appendDense(x []float64) {
	for j, v := range x {
		if v != 0 {
			c.Index, c.Value = append(c.Index, int32(j)), append(c.Value, v)
		}
	}
	c.Rows++
	c.Start = append(c.Start, int64(len(c.Index)))
}

type csrSource struct {
	info stream.Info
	m    *CSR
}

func (s *csrSource) Info() stream.Info { return s.info }

func (s *csrSource) Open(ctx context.Context, first int64) (stream.Reader, error) {
	if err := s.info.CheckFirst(first); err != nil {
		return nil, err
	}
	return &csrReader{ctx: ctx, m: s.m, next: int(first)}, nil
}

// Gather implements [stream.Gatherer].
func (s *csrSource) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	for i, r := range rows {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s.m.expand(dst.X, i, int(r))
	}
	return nil
}

// expand writes row r of the matrix to row i of x, with zeros.
func (c *CSR) expand(x blas64.General, i, r int) {
	if x.Cols == 0 {
		return // x may have no data
	}
	dst := matrix.Row(x, i)
	clear(dst)
	index, value := c.Row(r)
	for p, j := range index {
		dst[j] = 1
		if value != nil {
			dst[j] = value[p]
		}
	}
}

type csrReader struct {
	ctx  context.Context
	m    *CSR
	next int
}

func (r *csrReader) Read(dst *stream.Batch) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	n := min(dst.X.Rows, r.m.Rows-r.next)
	for i := range n {
		r.m.expand(dst.X, i, r.next+i)
	}
	r.next += n
	if r.next == r.m.Rows {
		return n, io.EOF
	}
	return n, nil
}

func (r *csrReader) Close() error { return nil }
