package stream

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// FromMatrix returns a source of the rows of m, which must not change while the source is in use.
// name identifies the source in messages. columns are the names by which a model finds the columns;
// without them messages use x0, x1, …
//
// FromMatrix panics if m is malformed, or unless columns is empty or has a distinct name for each
// column.
func FromMatrix(name string, m blas64.General, columns ...string) Gatherer {
	if err := checkMatrix(m); err != nil {
		panic("stream: FromMatrix " + name + ": " + err.Error())
	}
	if err := checkNames(columns, m.Cols); err != nil {
		panic("stream: FromMatrix " + name + ": " + err.Error())
	}
	info := Info{Name: name, Columns: slices.Clone(columns), Nameless: len(columns) == 0, Rows: int64(m.Rows), SeekCost: 1, InMemory: true}
	if info.Nameless {
		info.Columns = NumberedColumns(m.Cols)
	}
	return &matrixSource{info, m}
}

// checkMatrix returns an error unless the slice of m holds all its rows.
func checkMatrix(m blas64.General) error {
	switch {
	case m.Rows < 0 || m.Cols < 0:
		return fmt.Errorf("a matrix of %d rows and %d columns", m.Rows, m.Cols)
	case m.Rows == 0 || m.Cols == 0:
		return nil
	case m.Stride < m.Cols:
		return fmt.Errorf("a matrix of %d columns with stride %d", m.Cols, m.Stride)
	case (len(m.Data)-m.Cols)/m.Stride < m.Rows-1 || len(m.Data) < m.Cols:
		return fmt.Errorf("%d numbers for %d rows of %d columns with stride %d", len(m.Data), m.Rows, m.Cols, m.Stride)
	}
	return nil
}

// checkNames returns an error unless names is empty, or has one distinct name per column.
func checkNames(names []string, columns int) error {
	if len(names) > 0 && len(names) != columns {
		return fmt.Errorf("%d names for %d columns", len(names), columns)
	}
	for j, name := range names {
		if slices.Contains(names[:j], name) {
			return fmt.Errorf("two columns are called %q", name)
		}
	}
	return nil
}

// NumberedColumns returns the names x0 … x{d-1} for columns without names.
func NumberedColumns(d int) []string {
	names := make([]string, d)
	for j := range names {
		names[j] = "x" + strconv.Itoa(j)
	}
	return names
}

type matrixSource struct {
	info Info
	m    blas64.General
}

func (s *matrixSource) Info() Info { return s.info }

func (s *matrixSource) Open(_ context.Context, first int64) (Reader, error) {
	if err := s.info.CheckFirst(first); err != nil {
		return nil, err
	}
	return &matrixReader{m: s.m, next: int(first)}, nil
}

func (s *matrixSource) Gather(_ context.Context, rows []int64, dst *Batch) error {
	for i, r := range rows {
		copy(matrix.Row(dst.X, i), matrix.Row(s.m, int(r)))
	}
	return nil
}

// lend returns rows without copying them.
func (s *matrixSource) lend(first int64, n int) blas64.General {
	return matrix.Rows(s.m, int(first), n)
}

type matrixReader struct {
	m    blas64.General
	next int
}

func (r *matrixReader) Read(dst *Batch) (int, error) {
	n := min(dst.X.Rows, r.m.Rows-r.next)
	matrix.Copy(dst.X, matrix.Rows(r.m, r.next, n))
	r.next += n
	if r.next == r.m.Rows {
		return n, io.EOF
	}
	return n, nil
}

func (r *matrixReader) Close() error { return nil }
