package arrow

import (
	"context"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/stream"
)

// source is chosen columns of an Arrow file.
type source struct {
	column.Choice
	table *table
}

// Open returns a reader of the rows from the given one on, with a file handle of
// its own. Batches before are left out, but not dictionaries.
func (s *source) Open(ctx context.Context, first int64) (stream.Reader, error) {
	return column.OpenReader(ctx, s.Info(), s.table.stamp, first, func(f file.File) column.Pass {
		feed := s.table.feed(f, f)
		feed.file, feed.first = file.NewReaderAt(ctx, f), first
		return newPass(&s.Choice, s.table.index.schema, feed)
	})
}

// Gather implements stream.Gatherer. Unless buffers are compressed it reads the
// wanted values and no others.
func (s *source) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	column.BeginGather(s.Info(), rows, dst)
	file, err := s.table.stamp.Open(ctx)
	if err != nil {
		return err
	}
	feed := s.table.feed(file, file)
	p := newPass(&s.Choice, s.table.index.schema, feed)
	defer p.Close()
	return s.table.stamp.Settle(file, fault.Guard(s.table.Path, func() error { return p.gather(ctx, rows, dst, feed) }))
}

// pass is one pass over batches.
type pass struct {
	feed    *feed
	numeric []columnReader
	kept    []columnReader
	at      int64 // next row of the batch
	left    int64 // rows of it not yet read
}

// newPass goes over the chosen fields of the batches of feed.
func newPass(c *column.Choice, schema *schema, feed *feed) *pass {
	var wanted []field
	for _, i := range c.All(true) {
		wanted = append(wanted, schema.fields[i])
	}
	feed.wanted = wanted
	path := c.Info().Name
	return &pass{feed: feed, numeric: columnReaders(path, schema, c.Numeric), kept: columnReaders(path, schema, c.Kept)}
}

// columnReaders returns readers of the chosen fields.
func columnReaders(path string, schema *schema, chosen []int) []columnReader {
	columns := make([]columnReader, len(chosen))
	for k, i := range chosen {
		columns[k] = columnReader{path: path, field: &schema.fields[i]}
	}
	return columns
}

// Next implements column.Pass.
func (p *pass) Next(dst *stream.Batch, to int) (int, error) {
	for p.left == 0 {
		batch, err := p.feed.next()
		if err != nil {
			return 0, err
		}
		if err := p.open(batch); err != nil {
			return 0, err
		}
	}
	rows := int(min(p.left, tileRows, int64(dst.X.Rows-to)))
	if err := p.rows(dst, to, p.at, rows); err != nil {
		return 0, err
	}
	p.at += int64(rows)
	p.left -= int64(rows)
	return rows, nil
}

// open goes to the first row of a batch.
func (p *pass) open(batch *batch) error {
	p.at, p.left = batch.skip, batch.rows-batch.skip
	for _, columns := range [][]columnReader{p.numeric, p.kept} {
		for i := range columns {
			if err := columns[i].open(batch); err != nil {
				return err
			}
		}
	}
	return nil
}

// rows reads n rows of the batch from row at on into dst from row to on.
func (p *pass) rows(dst *stream.Batch, to int, at int64, n int) error {
	column := to * dst.X.Stride
	for i := range p.numeric {
		c := &p.numeric[i]
		if err := c.read(dst.X.Data[column:], dst.X.Stride, at, n); err != nil {
			return err
		}
		column += c.width
	}
	for i := range dst.Kept {
		if err := p.kept[i].keep(&dst.Kept[i], at, n); err != nil {
			return err
		}
	}
	return nil
}

// Close implements column.Pass.
func (p *pass) Close() error { return p.feed.close() }

// gather fetches runs of consecutive rows.
func (p *pass) gather(ctx context.Context, rows []int64, dst *stream.Batch, feed *feed) error {
	var first, end int64 // rows of the batch
	for k := 0; k < len(rows); {
		if err := ctx.Err(); err != nil {
			return err
		}
		if rows[k] >= end {
			batch, err := feed.seek(rows[k])
			if err != nil {
				return err
			}
			if err := p.open(batch); err != nil {
				return err
			}
			first, end = batch.first, batch.first+batch.rows
		}
		n := column.LeadingRun(rows[k:min(len(rows), k+tileRows)], end)
		if err := p.rows(dst, k, rows[k]-first, n); err != nil {
			return err
		}
		k += n
	}
	return nil
}
