package blockstore

import (
	"context"
	"math"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// datedSource is a source with numbers computed from dates and times. These are kept columns of the
// underlying sources, which leave the positions of such numbers in a row unset.
type datedSource struct {
	info stream.Info
	// datesOnly keeps only the dates and times; all keeps in addition the kept columns of info.
	datesOnly, all stream.Gatherer
	parts          []datePart
	dates          int // number of date and time columns
}

// datePart describes a number of a row: a part of a kept column of dates.
type datePart struct {
	at, kept int
	as       column.Part
	holds    logical.Type
}

func (d *datedSource) Info() stream.Info { return d.info }

// Open implements stream.Source. The file is opened at the first read, which shows whether kept
// columns are requested.
func (d *datedSource) Open(ctx context.Context, first int64) (stream.Reader, error) {
	if err := d.info.CheckFirst(first); err != nil {
		return nil, err
	}
	return &datedReader{d: d, ctx: ctx, first: first}, nil
}

// readBatch returns the source to read and a batch for it that shares the memory of dst. own are the
// columns of dates.
func (d *datedSource) readBatch(dst *stream.Batch, own []stream.Column) (stream.Gatherer, *stream.Batch) {
	column.MustFit(d.info, dst)
	b := &stream.Batch{X: dst.X, Kept: own}
	if dst.Kept == nil || len(d.info.Kept) == 0 {
		return d.datesOnly, b
	}
	b.Kept = append(own[:d.dates:d.dates], dst.Kept...)
	return d.all, b
}

// finish computes the date numbers of n rows of dst, and takes its kept columns from b.
func (d *datedSource) finish(dst, b *stream.Batch, n int) {
	for _, p := range d.parts {
		c := &b.Kept[p.kept]
		for i := range n {
			v := math.NaN()
			if !c.Null(i) {
				v = p.as.Number(c.Ints[i], p.holds)
			}
			matrix.Row(dst.X, i)[p.at] = v
		}
	}
	if len(b.Kept) > d.dates {
		copy(dst.Kept, b.Kept[d.dates:])
	}
}

// Gather implements stream.Gatherer.
func (d *datedSource) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	src, b := d.readBatch(dst, d.datesOnly.Info().NewKept())
	if err := src.Gather(ctx, rows, b); err != nil {
		return err
	}
	d.finish(dst, b, len(rows))
	return nil
}

// datedReader reads rows of a datedSource.
type datedReader struct {
	d     *datedSource
	ctx   context.Context
	first int64
	r     stream.Reader // nil before the first read
	dates []stream.Column
}

// Read implements stream.Reader.
func (r *datedReader) Read(dst *stream.Batch) (n int, err error) {
	if r.dates == nil {
		r.dates = r.d.datesOnly.Info().NewKept()
	}
	src, b := r.d.readBatch(dst, r.dates)
	if r.r == nil {
		if r.r, err = src.Open(r.ctx, r.first); err != nil {
			return 0, err
		}
	}
	n, err = r.r.Read(b)
	copy(r.dates, b.Kept)
	r.d.finish(dst, b, n)
	return n, err
}

// Close implements stream.Reader.
func (r *datedReader) Close() error {
	if r.r == nil {
		return nil
	}
	return r.r.Close()
}
