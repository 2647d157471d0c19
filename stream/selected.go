package stream

import (
	"context"
	"fmt"
	"io"

	"github.com/nystream/nystream/internal/matrix"
)

// selectedSource is a subset of the rows of a source.
type selectedSource struct {
	src  Source
	info Info
	rows []int64
}

// Select returns a source of the rows of src with the given numbers, which ascend strictly. It
// keeps the slice. A pass reads the rows in between too.
func Select(src Source, rows []int64) Gatherer {
	info := src.Info()
	for i, r := range rows {
		if r < 0 || info.Rows >= 0 && r >= info.Rows || i > 0 && r <= rows[i-1] {
			panic(fmt.Sprintf("stream: selected row %d is number %d of %d", r, i, info.Rows))
		}
	}
	info.Rows = int64(len(rows))
	return &selectedSource{src, info, rows}
}

func (s *selectedSource) Info() Info { return s.info }

// Open implements [Source].
func (s *selectedSource) Open(ctx context.Context, first int64) (Reader, error) {
	if err := s.info.CheckFirst(first); err != nil {
		return nil, err
	}
	left := s.rows[first:]
	from := int64(0)
	if len(left) > 0 && first > 0 {
		from = left[0]
	}
	r, err := s.src.Open(ctx, from)
	if err != nil {
		return nil, err
	}
	return &selectedReader{r: r, name: s.info.Name, next: from, pending: left}, nil
}

// Gather implements [Gatherer].
func (s *selectedSource) Gather(ctx context.Context, rows []int64, dst *Batch) error {
	of := make([]int64, len(rows))
	for i, r := range rows {
		of[i] = s.rows[r]
	}
	return Gather(ctx, s.src, of, dst)
}

type selectedReader struct {
	r       Reader
	name    string
	next    int64   // row number of the next row that src returns
	pending []int64 // numbers of the rows still to deliver
}

func (r *selectedReader) Close() error { return r.r.Close() }

// Read implements [Reader]. It may return fewer rows than requested, since it drops the rows in
// between.
func (r *selectedReader) Read(dst *Batch) (n int, err error) {
	if len(r.pending) == 0 {
		return 0, io.EOF
	}
	read, err := r.r.Read(dst)
	for i := range read {
		if len(r.pending) == 0 || r.pending[0] != r.next+int64(i) {
			continue
		}
		if r.pending = r.pending[1:]; n < i {
			if dst.X.Cols > 0 {
				copy(matrix.Row(dst.X, n), matrix.Row(dst.X, i))
			}
			for k := range dst.Kept {
				dst.Kept[k].Move(n, i)
			}
		}
		n++
	}
	r.next += int64(read)
	if n < read {
		for k := range dst.Kept {
			dst.Kept[k].Truncate(n)
		}
	}
	if len(r.pending) == 0 && err == nil {
		err = io.EOF
	}
	if err == io.EOF && len(r.pending) > 0 {
		err = endedEarlyError(r.name, r.next, r.pending[0])
	}
	return n, err
}
