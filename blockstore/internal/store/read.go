package store

import (
	"context"
	"errors"
	"io"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/stream"
)

// source is the chosen columns of a store.
type source struct {
	column.Choice
	table *Table
}

// Open returns a reader of the rows from the given one on, which holds one chunk,
// decoded.
func (s *source) Open(ctx context.Context, first int64) (stream.Reader, error) {
	return column.OpenReader(ctx, s.Info(), s.table.stamp, first, func(f file.File) column.Pass {
		rows := int64(s.table.chunkRows)
		return &pass{source: s, chunks: &chunkReader{table: s.table, file: f}, chunk: int(first / rows), skip: int(first % rows)}
	})
}

// Gather fetches rows by number. Each chunk that holds one of them is verified
// as a whole, in the chosen columns.
func (s *source) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	column.BeginGather(s.Info(), rows, dst)
	f, err := s.table.stamp.Open(ctx)
	if err != nil {
		return err
	}
	chunks := &chunkReader{table: s.table, file: f}
	for done := 0; done < len(rows) && err == nil; {
		chunk := int(rows[done] / int64(s.table.chunkRows))
		first := s.table.firstRow(chunk)
		local := column.LeadingLocal(rows[done:], first, first+int64(s.table.rowsOf(chunk)))
		if err = ctx.Err(); err == nil {
			err = s.decode(chunks, chunk, local, dst, done)
		}
		done += len(local)
	}
	return errors.Join(s.table.stamp.Settle(f, err), chunks.close())
}

// pass is one pass over a store. It decodes chunk after chunk and serves
// reads of any size from there, so that each section is verified once.
type pass struct {
	source  *source
	chunks  *chunkReader
	chunk   int // the chunk to decode next
	current stream.Batch
	filled  int // rows in current
	used    int // of them, rows already given
	skip    int // rows of the first chunk to leave out
	local   []int64
}

// Next implements column.Pass.
func (p *pass) Next(dst *stream.Batch, at int) (int, error) {
	if p.used == p.filled {
		if p.chunk >= p.source.table.chunks() {
			return 0, io.EOF
		}
		if err := p.load(dst.Kept != nil); err != nil {
			return 0, err
		}
	}
	return p.give(dst, at), nil
}

// load decodes the next chunk, with or without the kept columns.
func (p *pass) load(kept bool) error {
	t := p.source.table
	if p.local == nil {
		rows := t.rowsOf(0)
		for i := range rows {
			p.local = append(p.local, int64(i))
		}
		p.current.X = stream.NewMatrix(rows, len(p.source.Numeric))
		if kept {
			p.current.Kept = stream.KeptColumns(p.source.Info().Kept)
		}
	}
	column.Truncate(&p.current, p.source.Info().Kept)
	rows := t.rowsOf(p.chunk)
	if err := p.source.decode(p.chunks, p.chunk, p.local[:rows], &p.current, 0); err != nil {
		return err
	}
	p.chunk++
	p.filled, p.used, p.skip = rows, p.skip, 0
	return nil
}

// give copies rows of the current chunk to row at of dst and after.
func (p *pass) give(dst *stream.Batch, at int) int {
	n := min(dst.X.Rows-at, p.filled-p.used)
	x := p.current.X
	for i := 0; i < n && x.Cols > 0; i++ {
		from := (p.used + i) * x.Stride
		copy(dst.X.Data[(at+i)*dst.X.Stride:], x.Data[from:from+x.Cols])
	}
	for k := range dst.Kept {
		dst.Kept[k].Append(&p.current.Kept[k], p.used, p.used+n)
	}
	p.used += n
	return n
}

// Close closes the file.
func (p *pass) Close() error { return p.chunks.close() }
