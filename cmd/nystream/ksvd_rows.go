package main

import (
	"context"
	"fmt"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// checkedRows are rows that are refused where they are not what a kernel is
// defined for: kl takes no negative numbers. For other kernels it costs nothing.
type checkedRows struct {
	*stream.Prepared
	kernel kernelgen.Kernel
}

// Open starts a pass.
func (s checkedRows) Open(ctx context.Context) (stream.Reader, error) {
	r, err := s.Prepared.Open(ctx)
	if err != nil {
		return nil, err
	}
	return &checkedReader{Reader: r, rows: s}, nil
}

// Gather fetches rows by number.
func (s checkedRows) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	if err := s.Prepared.Gather(ctx, rows, dst); err != nil {
		return err
	}
	for i, number := range rows {
		if err := s.check(&stream.Batch{X: stream.RowSlice(dst.X, i, 1)}, 1, number); err != nil {
			return err
		}
	}
	return nil
}

// check looks at the first n rows of a batch, which begins at row first.
func (s checkedRows) check(b *stream.Batch, n int, first int64) error {
	if err := s.kernel.CheckRows(stream.RowSlice(b.X, 0, n), first); err != nil {
		return fromData(fmt.Errorf("%s: %w", s.Info().Name, err))
	}
	return nil
}

type checkedReader struct {
	stream.Reader
	rows checkedRows
	read int64
}

// Read reads rows and looks at them.
func (r *checkedReader) Read(dst *stream.Batch) (int, error) {
	n, err := r.Reader.Read(dst)
	if bad := r.rows.check(dst, n, r.read); bad != nil {
		return 0, bad
	}
	r.read += int64(n)
	return n, err
}
