package blockstore

import (
	"context"

	"github.com/nystream/nystream/stream"
)

// arrowSource is chosen columns of an Arrow file.
type arrowSource struct {
	choice
	table *arrowTable
}

// Open starts a pass with a file handle of its own.
func (s *arrowSource) Open(ctx context.Context) (stream.Reader, error) {
	file, err := s.table.stamp.open()
	if err != nil {
		return nil, err
	}
	return newArrowReader(ctx, &s.choice, s.table.index.schema, s.table.feed(file, file)), nil
}

// Gather implements stream.Gatherer. Unless buffers are compressed it reads the
// wanted values and no others.
func (s *arrowSource) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	beginGather(s.Info(), rows, dst)
	file, err := s.table.stamp.open()
	if err != nil {
		return err
	}
	feed := s.table.feed(file, file)
	p := newArrowPass(&s.choice, s.table.index.schema, feed)
	defer p.Close()
	return guard(s.table.path, func() error { return p.gather(ctx, rows, dst, feed) })
}

// arrowPass is one pass over batches.
type arrowPass struct {
	feed    arrowFeed
	numeric []arrowColumnReader
	kept    []arrowColumnReader
	at      int64 // next row of the batch
	left    int64 // rows of it not yet read
}

// newArrowReader reads the chosen fields of the batches of feed.
func newArrowReader(ctx context.Context, c *choice, schema *arrowSchema, feed arrowFeed) stream.Reader {
	return newReader(ctx, c.Info(), newArrowPass(c, schema, feed))
}

// newArrowPass goes over the chosen fields of the batches of feed.
func newArrowPass(c *choice, schema *arrowSchema, feed arrowFeed) *arrowPass {
	var wanted []arrowField
	for _, i := range c.columns(true) {
		wanted = append(wanted, schema.fields[i])
	}
	feed.want(wanted)
	path := c.Info().Name
	return &arrowPass{feed: feed, numeric: arrowColumns(path, schema, c.numeric), kept: arrowColumns(path, schema, c.kept)}
}

// arrowColumns are readers of the chosen fields.
func arrowColumns(path string, schema *arrowSchema, chosen []int) []arrowColumnReader {
	columns := make([]arrowColumnReader, len(chosen))
	for k, i := range chosen {
		columns[k] = arrowColumnReader{path: path, arrowField: &schema.fields[i]}
	}
	return columns
}

// next implements pass.
func (p *arrowPass) next(dst *stream.Batch, to int) (int, error) {
	for p.left == 0 {
		batch, err := p.feed.next()
		if err != nil {
			return 0, err
		}
		if err := p.open(batch); err != nil {
			return 0, err
		}
	}
	rows := int(min(p.left, arrowTile, int64(dst.X.Rows-to)))
	if err := p.rows(dst, to, p.at, rows); err != nil {
		return 0, err
	}
	p.at += int64(rows)
	p.left -= int64(rows)
	return rows, nil
}

// open goes to the first row of a batch.
func (p *arrowPass) open(batch *arrowBatch) error {
	p.at, p.left = 0, batch.rows
	for _, columns := range [][]arrowColumnReader{p.numeric, p.kept} {
		for i := range columns {
			if err := columns[i].open(batch); err != nil {
				return err
			}
		}
	}
	return nil
}

// rows reads n rows of the batch from row at on into dst from row to on.
func (p *arrowPass) rows(dst *stream.Batch, to int, at int64, n int) error {
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

// Close implements pass.
func (p *arrowPass) Close() error { return p.feed.close() }

// gather fetches runs of consecutive rows.
func (p *arrowPass) gather(ctx context.Context, rows []int64, dst *stream.Batch, feed *fileFeed) error {
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
		n := leadingRun(rows[k:min(len(rows), k+arrowTile)], end)
		if err := p.rows(dst, k, rows[k]-first, n); err != nil {
			return err
		}
		k += n
	}
	return nil
}
