package stream

import (
	"context"
	"fmt"
	"io"

	"gonum.org/v1/gonum/blas/blas64"
)

// FromMatrix returns a source whose rows are the rows of m, which must not change
// while the source is in use. Columns are called x0, x1, ...
func FromMatrix(name string, m blas64.General) Gatherer {
	return &matrixSource{Info{Name: name, Columns: NumberedColumns(m.Cols), Rows: int64(m.Rows), Lead: 1, InMemory: true}, m}
}

// NumberedColumns returns the names x0 … x{d-1} of columns that have none.
func NumberedColumns(d int) []string {
	names := make([]string, d)
	for j := range names {
		names[j] = fmt.Sprintf("x%d", j)
	}
	return names
}

type matrixSource struct {
	info Info
	m    blas64.General
}

func (s *matrixSource) Info() Info { return s.info }

func (s *matrixSource) Open(_ context.Context, first int64) (Reader, error) {
	if err := CheckFirst(s.info, first); err != nil {
		return nil, err
	}
	return &matrixReader{m: s.m, next: int(first)}, nil
}

func (s *matrixSource) Gather(_ context.Context, rows []int64, dst *Batch) error {
	for i, r := range rows {
		copy(row(dst.X, i), row(s.m, int(r)))
	}
	return nil
}

// lend returns rows without copying them.
func (s *matrixSource) lend(first int64, n int) blas64.General {
	return RowSlice(s.m, int(first), n)
}

type matrixReader struct {
	m    blas64.General
	next int
}

func (r *matrixReader) Read(dst *Batch) (int, error) {
	n := min(dst.X.Rows, r.m.Rows-r.next)
	copyRows(dst.X, RowSlice(r.m, r.next, n))
	r.next += n
	if r.next == r.m.Rows {
		return n, io.EOF
	}
	return n, nil
}

func (r *matrixReader) Close() error { return nil }

// row returns row i of m as a slice.
func row(m blas64.General, i int) []float64 {
	if m.Cols == 0 {
		return nil // such a matrix holds nothing
	}
	return m.Data[i*m.Stride : i*m.Stride+m.Cols]
}

// copyRows copies the rows of src into the first rows of dst.
func copyRows(dst, src blas64.General) {
	for i := range src.Rows {
		copy(row(dst, i), row(src, i))
	}
}

// OnceError reports that a source that can be read only once was opened again.
func OnceError(name string) error {
	return fmt.Errorf("%s can be read only once, and this needs to read it again: store it first (`spool-dir`)", name)
}

func ignoreEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}
