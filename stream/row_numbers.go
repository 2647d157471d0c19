package stream

import (
	"context"
	"io"

	"gonum.org/v1/gonum/blas/blas64"
)

// RowNumbers is a source of rows without columns, for passes over rows in memory: a worker finds
// its rows by [Block.Start].
type RowNumbers struct {
	Name string // in messages
	Rows int64
}

// Info implements [Source].
func (s *RowNumbers) Info() Info {
	return Info{Name: s.Name, Rows: s.Rows, SeekCost: 1, InMemory: true}
}

// Open implements [Source].
func (s *RowNumbers) Open(ctx context.Context, first int64) (Reader, error) {
	if err := s.Info().CheckFirst(first); err != nil {
		return nil, err
	}
	return &rowNumberReader{ctx: ctx, left: s.Rows - first}, nil
}

// Gather implements [Gatherer]. Rows have no values.
func (s *RowNumbers) Gather(context.Context, []int64, *Batch) error { return nil }

// lend returns rows without values.
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
