package blockstore

import (
	"context"
	"errors"
	"io"

	"github.com/nystream/nystream/stream"
)

// storeSource is the chosen columns of a store.
type storeSource struct {
	table         *storeTable
	numeric, kept []int
	info          stream.Info
}

// Info describes the source.
func (s *storeSource) Info() stream.Info { return s.info }

// wanted lists the columns to read, numeric ones first.
func (s *storeSource) wanted(kept bool) []int {
	list := append([]int(nil), s.numeric...)
	if kept {
		list = append(list, s.kept...)
	}
	return list
}

// Open starts a pass. The reader holds one chunk, decoded.
func (s *storeSource) Open(ctx context.Context) (stream.Reader, error) {
	chunks, err := s.table.open()
	if err != nil {
		return nil, err
	}
	return &storeReader{ctx: ctx, source: s, chunks: chunks}, nil
}

// Gather fetches rows by number. Each chunk that holds one of them is verified
// as a whole, in the chosen columns.
func (s *storeSource) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	mustGather(s.info, rows, dst)
	chunks, err := s.table.open()
	if err != nil {
		return err
	}
	truncateKept(dst, s.info.Kept)
	for done := 0; done < len(rows) && err == nil; {
		chunk, local := s.table.locate(rows[done:])
		if err = ctx.Err(); err == nil {
			err = s.decode(chunks, chunk, local, dst, done)
		}
		done += len(local)
	}
	return errors.Join(err, chunks.close())
}

// locate gives the chunk of the first row and those of the rows that lie in
// it, counted from its beginning.
func (t *storeTable) locate(rows []int64) (chunk int, local []int) {
	chunk = int(rows[0] / int64(t.chunkRows))
	first := int64(chunk) * int64(t.chunkRows)
	for _, r := range rows {
		if r-first >= int64(t.rowsOf(chunk)) {
			break
		}
		local = append(local, int(r-first))
	}
	return chunk, local
}

// storeReader is one pass over a store. It decodes chunk after chunk and
// serves reads of any size from there, so that each section is verified once.
type storeReader struct {
	ctx     context.Context
	source  *storeSource
	chunks  *chunkReader
	next    int // the chunk to decode next
	current stream.Batch
	filled  int // rows in current
	used    int // of them, rows already given
	local   []int
}

// Read gives the next rows.
func (r *storeReader) Read(dst *stream.Batch) (n int, err error) {
	mustFit(r.source.info, dst)
	truncateKept(dst, r.source.info.Kept)
	for n < dst.X.Rows {
		if r.used == r.filled {
			if r.next == r.source.table.chunks() {
				return n, io.EOF
			}
			if err := r.load(dst.Kept != nil); err != nil {
				return n, err
			}
		}
		n += r.give(dst, n)
	}
	return n, nil
}

// load decodes the next chunk, with or without the kept columns.
func (r *storeReader) load(kept bool) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	t := r.source.table
	if r.local == nil {
		d := len(r.source.numeric)
		rows := t.rowsOf(0)
		r.current.X = stream.NewMatrix(rows, d)
		for i := range rows {
			r.local = append(r.local, i)
		}
		if kept {
			r.current.Kept = make([]stream.Column, len(r.source.info.Kept))
		}
	}
	truncateKept(&r.current, r.source.info.Kept)
	rows := t.rowsOf(r.next)
	if err := r.source.decode(r.chunks, r.next, r.local[:rows], &r.current, 0); err != nil {
		return err
	}
	r.next++
	r.filled, r.used = rows, 0
	return nil
}

// give copies rows of the current chunk to row at of dst and after.
func (r *storeReader) give(dst *stream.Batch, at int) int {
	n := min(dst.X.Rows-at, r.filled-r.used)
	x := r.current.X
	for i := 0; i < n && x.Cols > 0; i++ {
		from := (r.used + i) * x.Stride
		copy(dst.X.Data[(at+i)*dst.X.Stride:], x.Data[from:from+x.Cols])
	}
	for k := range dst.Kept {
		dst.Kept[k].Append(&r.current.Kept[k], r.used, r.used+n)
	}
	r.used += n
	return n
}

// Close closes the file.
func (r *storeReader) Close() error { return r.chunks.close() }
