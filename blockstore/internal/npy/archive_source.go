package npy

import (
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// sideBySide yields columns of several arrays side by side.
type sideBySide struct {
	column.Choice
	pieces []piece
}

// piece reads the chosen columns of one array. It stores numbers directly in their slots of a whole
// row, and has its own kept columns.
type piece struct {
	src  stream.Gatherer
	kept []int // indices of the kept columns in the whole source
}

// fill calls read with a batch of the array that shares rows at..at+n-1 of dst, and appends its
// kept columns to those of dst.
func (p *piece) fill(dst *stream.Batch, at, n int, read func(b *stream.Batch) error) error {
	b := stream.Batch{X: matrix.Rows(dst.X, at, n)}
	if dst.Kept != nil {
		b.Kept = p.src.Info().NewKept()
	}
	err := read(&b)
	for k := range b.Kept {
		dst.Kept[p.kept[k]].Append(&b.Kept[k], 0, b.Kept[k].Len())
	}
	return err
}

// Open implements stream.Source.
func (s *sideBySide) Open(ctx context.Context, first int64) (stream.Reader, error) {
	if err := s.Info().CheckFirst(first); err != nil {
		return nil, err
	}
	return column.NewReader(ctx, &s.Choice, &arrayPass{source: s, ctx: ctx}, first), nil
}

// Gather implements stream.Gatherer.
func (s *sideBySide) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	column.BeginGather(s.Info(), rows, dst)
	for k := range s.pieces {
		p := &s.pieces[k]
		if err := p.fill(dst, 0, len(rows), func(b *stream.Batch) error { return p.src.Gather(ctx, rows, b) }); err != nil {
			return err
		}
	}
	s.AddConstants(dst, 0, len(rows))
	return nil
}

// passRows is the number of rows that a pass reads from each array at a time.
const passRows = 256

// arrayPass reads the arrays of a source side by side.
type arrayPass struct {
	source  *sideBySide
	ctx     context.Context
	readers []stream.Reader
}

// SkipTo implements column.Pass. It is called once.
func (p *arrayPass) SkipTo(row int64) error {
	for k := range p.source.pieces {
		r, err := p.source.pieces[k].src.Open(p.ctx, row)
		if err != nil {
			return err
		}
		p.readers = append(p.readers, r)
	}
	return nil
}

// Next implements column.Pass.
func (p *arrayPass) Next(dst *stream.Batch, at int) (rows int, ended error) {
	want := min(passRows, dst.X.Rows-at)
	for k, r := range p.readers {
		err := p.source.pieces[k].fill(dst, at, want, func(b *stream.Batch) (err error) {
			rows, err = stream.ReadFull(r, b)
			return err
		})
		if err != nil && err != io.EOF {
			return 0, err
		}
		ended = cmp.Or(ended, err)
	}
	return rows, ended
}

// Close closes all readers.
func (p *arrayPass) Close() (err error) {
	for _, r := range p.readers {
		err = errors.Join(err, r.Close())
	}
	return err
}
