package npz

import (
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// source yields columns of several arrays side by side.
type source struct {
	column.Choice
	pieces []piece
}

// piece is the chosen columns of one array, and where they go in a row.
type piece struct {
	src           stream.Gatherer
	numeric, kept []int
}

// deliver puts n rows of an array into dst from row at on.
func (p *piece) deliver(b, dst *stream.Batch, at, n int) {
	for i := range n {
		from, to := matrix.Row(b.X, i), matrix.Row(dst.X, at+i)
		for j, place := range p.numeric {
			to[place] = from[j]
		}
	}
	if dst.Kept == nil {
		return
	}
	for k, place := range p.kept {
		dst.Kept[place].Append(&b.Kept[k], 0, n)
	}
}

// Open returns a reader of the rows from the given one on.
func (s *source) Open(ctx context.Context, first int64) (stream.Reader, error) {
	if err := stream.CheckFirst(s.Info(), first); err != nil {
		return nil, err
	}
	return column.NewReader(ctx, s.Info(), &pass{source: s, ctx: ctx}, first), nil
}

// Gather fetches rows by number.
func (s *source) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	column.BeginGather(s.Info(), rows, dst)
	for k := range s.pieces {
		p := &s.pieces[k]
		b := column.NewBatch(p.src.Info(), len(rows))
		if err := p.src.Gather(ctx, rows, b); err != nil {
			return err
		}
		p.deliver(b, dst, 0, len(rows))
	}
	return nil
}

// passRows is how many rows a pass takes from each array at a time.
const passRows = 256

// pass reads the arrays of a source side by side.
type pass struct {
	source  *source
	ctx     context.Context
	readers []stream.Reader
	batches []*stream.Batch
}

// SkipTo implements column.Pass. It is called once.
func (p *pass) SkipTo(row int64) error {
	for k := range p.source.pieces {
		src := p.source.pieces[k].src
		r, err := src.Open(p.ctx, row)
		if err != nil {
			return err
		}
		p.readers, p.batches = append(p.readers, r), append(p.batches, column.NewBatch(src.Info(), passRows))
	}
	return nil
}

// Next implements column.Pass.
func (p *pass) Next(dst *stream.Batch, at int) (rows int, ended error) {
	want := min(passRows, dst.X.Rows-at)
	for k, r := range p.readers {
		b := *p.batches[k]
		b.X = matrix.Rows(b.X, 0, want)
		n, err := stream.ReadFull(r, &b)
		p.batches[k].Kept = b.Kept
		if err != nil && err != io.EOF {
			return 0, err
		}
		ended = cmp.Or(ended, err)
		if rows = n; n > 0 {
			p.source.pieces[k].deliver(&b, dst, at, n)
		}
	}
	return rows, ended
}

// Close closes all readers.
func (p *pass) Close() (err error) {
	for _, r := range p.readers {
		err = errors.Join(err, r.Close())
	}
	return err
}
