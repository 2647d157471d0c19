package stream

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strconv"
	"sync/atomic"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// FromMatrix returns a source whose rows are the rows of m, which must not change
// while the source is in use. Columns have no names: messages call them x0, x1, ...
func FromMatrix(name string, m blas64.General) Gatherer {
	return &matrixSource{Info{Name: name, Columns: NumberedColumns(m.Cols), Nameless: true, Rows: int64(m.Rows), SeekCost: 1, InMemory: true}, m}
}

// NumberedColumns returns the names x0 … x{d-1} of columns that have none.
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
	if err := CheckFirst(s.info, first); err != nil {
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

// FromSeq returns a source whose rows come from a sequence of matrices with
// len(info.Columns) columns. seq is called once per pass; set info.OnePass if it
// can be called only once, and info.Rows to -1 if the number is not known. A
// sequence that can be called again is given up, as a file that hangs is, when
// it takes more than 30 s for one matrix. With info.Live, [Map] hands on what it makes of a matrix before the next one
// comes. Kept columns are not supported.
func FromSeq(info Info, seq func() iter.Seq2[blas64.General, error]) Source {
	if len(info.Kept) > 0 {
		panic("stream: FromSeq has no kept columns")
	}
	return &seqSource{info: info, seq: seq}
}

type seqSource struct {
	info   Info
	seq    func() iter.Seq2[blas64.General, error]
	opened atomic.Bool
}

func (s *seqSource) Info() Info { return s.info }

func (s *seqSource) Open(_ context.Context, first int64) (Reader, error) {
	if err := CheckFirst(s.info, first); err != nil {
		return nil, err
	}
	if s.opened.Swap(true) && s.info.OnePass {
		return nil, OnceError(s.info.Name)
	}
	next, stop := iter.Pull2(s.seq())
	return Skip(&seqReader{info: s.info, next: next, stop: stop}, s.info, first), nil
}

type seqReader struct {
	info Info
	next func() (blas64.General, error, bool)
	stop func()
	rest blas64.General // rows of the last matrix not yet delivered
}

// Read returns what is left of a matrix; it does not wait for the next to fill dst.
func (r *seqReader) Read(dst *Batch) (n int, err error) {
	for r.rest.Rows == 0 {
		if err := r.pull(); err != nil {
			return 0, err
		}
	}
	n = min(r.rest.Rows, dst.X.Rows)
	matrix.Copy(dst.X, matrix.Rows(r.rest, 0, n))
	r.rest = matrix.Rows(r.rest, n, r.rest.Rows-n)
	return n, nil
}

// pull takes the next matrix of the sequence.
func (r *seqReader) pull() error {
	m, err, ok := r.next()
	switch {
	case !ok:
		return io.EOF
	case err != nil:
		return err
	case m.Cols != len(r.info.Columns):
		return fmt.Errorf("%s: a block has %d columns, not %d", r.info.Name, m.Cols, len(r.info.Columns))
	}
	r.rest = m
	return nil
}

func (r *seqReader) Close() error {
	r.stop()
	return nil
}
