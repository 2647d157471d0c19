package store

import (
	"io"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// pass is one pass over a store. It decodes chunk after chunk and serves
// reads of any size from there, so that each section is verified once.
type pass struct {
	*column.Choice
	table   *Table
	chunks  *chunkReader
	chunk   int // the chunk to decode next
	current stream.Batch
	filled  int // rows in current
	used    int // of them, rows already given
	skip    int // rows of the next chunk to leave out
}

// SkipTo implements column.Pass.
func (p *pass) SkipTo(row int64) error {
	chunk, local := int(row/int64(p.table.chunkRows)), int(row%int64(p.table.chunkRows))
	if p.filled > 0 && chunk == p.chunk-1 {
		p.used = local
	} else {
		p.chunk, p.skip, p.filled, p.used = chunk, local, 0, 0
	}
	return nil
}

// Next implements column.Pass.
func (p *pass) Next(dst *stream.Batch, at int) (int, error) {
	if p.used == p.filled {
		if p.chunk >= p.table.chunks() {
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
	if p.current.X.Rows == 0 {
		p.current.X = matrix.New(p.table.rowsOf(0), len(p.Numeric))
		if kept {
			p.current.Kept = stream.KeptColumns(p.Info().Kept)
		}
	}
	column.Truncate(&p.current, p.Info().Kept)
	rows := p.table.rowsOf(p.chunk)
	if err := p.decode(rows); err != nil {
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
