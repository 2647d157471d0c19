package stream

import (
	"context"
	"io"

	"gonum.org/v1/gonum/blas/blas64"
)

// RowNumbers is a source of rows without columns: what is read of them is how many
// there are. It is for passes over rows that are in memory, which a worker finds by
// [Block.Start].
type RowNumbers struct{ info Info }

// NewRowNumbers returns a source of so many rows.
func NewRowNumbers(name string, rows int64) *RowNumbers {
	return &RowNumbers{Info{Name: name, Rows: rows, Lead: 1, InMemory: true}}
}

// Info describes the source.
func (s *RowNumbers) Info() Info { return s.info }

// Open returns a reader of the rows from the given one on.
func (s *RowNumbers) Open(ctx context.Context, first int64) (Reader, error) {
	if err := CheckFirst(s.info, first); err != nil {
		return nil, err
	}
	return &rowNumberReader{ctx: ctx, left: s.info.Rows - first}, nil
}

// Gather has nothing to fetch.
func (s *RowNumbers) Gather(context.Context, []int64, *Batch) error { return nil }

// lend returns rows without numbers.
func (s *RowNumbers) lend(_ int64, n int) blas64.General {
	return blas64.General{Rows: n, Stride: 1}
}

type rowNumberReader struct {
	ctx  context.Context
	left int64
}

func (r *rowNumberReader) Read(dst *Batch) (int, error) {
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

func (r *rowNumberReader) Close() error { return nil }
