package prepare_test

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// table is a test source: a matrix with kept columns, read in steps of any size.
type table struct {
	info  stream.Info
	x     blas64.General
	kept  []stream.Column
	step  func() int   // rows of the next read; nil: as many as requested
	lazy  bool         // io.EOF comes after the last row, not with it
	opens atomic.Int64 // number of calls of Open
}

// newTable returns a table of the matrix without kept columns.
func newTable(name string, x blas64.General) *table {
	return &table{info: stream.Info{Name: name, Columns: stream.NumberedColumns(x.Cols), Rows: int64(x.Rows), SeekCost: 1}, x: x}
}

// keep adds an int64 column with the row number, a string column with nulls in every third row, and
// a float column.
func (s *table) keep() *table {
	s.info.Kept = []stream.Field{{Name: "id", Kind: stream.Int64}, {Name: "label", Kind: stream.String}, {Name: "weight", Kind: stream.Float64}}
	s.kept = []stream.Column{{Kind: stream.Int64}, {Kind: stream.String}, {Kind: stream.Float64}}
	for i := range s.x.Rows {
		s.kept[0].Ints = append(s.kept[0].Ints, int64(i))
		s.kept[1].Strings = append(s.kept[1].Strings, string(rune('a'+i%26)))
		s.kept[1].Valid = append(s.kept[1].Valid, i%3 != 0)
		s.kept[2].Floats = append(s.kept[2].Floats, float64(i)/4)
	}
	return s
}

func (s *table) Info() stream.Info { return s.info }

func (s *table) Open(_ context.Context, first int64) (stream.Reader, error) {
	if err := s.info.CheckFirst(first); err != nil {
		return nil, err
	}
	if s.opens.Add(1) > 1 && s.info.OnePass {
		return nil, fmt.Errorf("%s %w", s.info.Name, stream.ErrReadOnce)
	}
	return &tableReader{s: s, next: int(first)}, nil
}

func (s *table) Gather(_ context.Context, rows []int64, dst *stream.Batch) error {
	for k := range dst.Kept {
		dst.Kept[k].Reset()
	}
	for i, r := range rows {
		s.copyRow(dst, i, int(r))
	}
	return nil
}

// copyRow appends a row to a batch of i rows.
func (s *table) copyRow(dst *stream.Batch, i, from int) {
	copy(matrix.Row(dst.X, i), matrix.Row(s.x, from))
	for k := range dst.Kept {
		dst.Kept[k].Append(&s.kept[k], from, from+1)
	}
}

type tableReader struct {
	s    *table
	next int
}

func (r *tableReader) Read(dst *stream.Batch) (int, error) {
	if dst.X.Cols != r.s.x.Cols || dst.Kept != nil && len(dst.Kept) != len(r.s.kept) {
		panic("table: batch of another shape")
	}
	n := min(dst.X.Rows, r.s.x.Rows-r.next)
	if r.s.step != nil {
		n = min(n, r.s.step())
	}
	for k := range dst.Kept {
		dst.Kept[k].Reset()
	}
	for i := range n {
		r.s.copyRow(dst, i, r.next+i)
	}
	ended := r.next == r.s.x.Rows
	r.next += n
	if ended || r.next == r.s.x.Rows && !r.s.lazy {
		return n, io.EOF
	}
	return n, nil
}

func (r *tableReader) Close() error { return nil }

// withoutGather hides the Gather method of a source.
type withoutGather struct{ stream.Source }

func (s withoutGather) Info() stream.Info {
	info := s.Source.Info()
	info.SeekCost = 0
	return info
}

// randomMatrix has entries of very different magnitude, so that sums depend on the order of
// summation, and a stride larger than its width.
func randomMatrix(seed uint64, rows, cols int) blas64.General {
	r := rand.New(rand.NewPCG(seed, 1))
	m := blas64.General{Rows: rows, Cols: cols, Stride: cols + 1, Data: make([]float64, rows*(cols+1))}
	for i := range m.Data {
		m.Data[i] = r.NormFloat64() * math.Exp(4*r.NormFloat64())
	}
	return m
}

// odd returns sizes of reads: mostly few rows, sometimes none.
func odd(seed uint64) func() int {
	var mu sync.Mutex // a pass has several readers
	r := rand.New(rand.NewPCG(seed, 2))
	return func() int {
		mu.Lock()
		defer mu.Unlock()
		return r.IntN(12) * r.IntN(7)
	}
}

// readAll reads all rows and kept columns of a source.
func readAll(t fataler, src stream.Source) ([][]float64, []stream.Column) {
	t.Helper()
	rows, kept, err := tryReadAll(src)
	if err != nil {
		t.Fatalf("reading: %v", err)
	}
	return rows, kept
}

type fataler interface {
	Helper()
	Fatalf(string, ...any)
	Errorf(string, ...any)
}

func tryReadAll(src stream.Source) (rows [][]float64, kept []stream.Column, err error) {
	info := src.Info()
	kept = emptyKept(info)
	err = stream.Map(context.Background(), stream.Engine{Threads: 2, BlockRows: 16}, "", src, 0, true,
		func() func(blas64.General, *stream.Block) error {
			return func(blas64.General, *stream.Block) error { return nil }
		},
		func(b *stream.Block, _ blas64.General) error {
			for i := range b.X.Rows {
				rows = append(rows, slices.Clone(matrix.Row(b.X, i)))
			}
			for k := range kept {
				if b.Kept[k].Len() != b.X.Rows {
					return fmt.Errorf("column %d keeps %d values of %d rows", k, b.Kept[k].Len(), b.X.Rows)
				}
				kept[k].Append(&b.Kept[k], 0, b.X.Rows)
			}
			return nil
		})
	return rows, kept, err
}

func emptyKept(info stream.Info) []stream.Column {
	kept := make([]stream.Column, len(info.Kept))
	for k, f := range info.Kept {
		kept[k].Kind = f.Kind
	}
	return kept
}

func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// values returns the values of columns, with nil for null.
func values(cols []stream.Column) [][]any {
	out := make([][]any, len(cols))
	for k, c := range cols {
		for i := range c.Len() {
			switch {
			case c.Null(i):
				out[k] = append(out[k], nil)
			case c.Kind == stream.Float64:
				out[k] = append(out[k], c.Floats[i])
			case c.Kind == stream.Int64:
				out[k] = append(out[k], c.Ints[i])
			default:
				out[k] = append(out[k], c.Strings[i])
			}
		}
	}
	return out
}

// checkError fails unless the message of err contains all parts.
func checkError(t interface {
	Helper()
	Errorf(string, ...any)
}, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one with %q", parts)
		return
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q has no %q", err, p)
		}
	}
}
