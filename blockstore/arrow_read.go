package blockstore

import (
	"context"
	"os"

	"github.com/nystream/nystream/stream"
)

// arrowSource is chosen columns of an Arrow file.
type arrowSource struct {
	table         *arrowTable
	info          stream.Info
	numeric, kept []int
}

// Info describes the source.
func (s *arrowSource) Info() stream.Info { return s.info }

// Open starts a pass with a file handle of its own.
func (s *arrowSource) Open(ctx context.Context) (stream.Reader, error) {
	file, err := s.reopen()
	if err != nil {
		return nil, err
	}
	feed := s.table.feed(file)
	feed.closes = true
	return newArrowReader(ctx, s.info, s.table.index.schema, s.numeric, s.kept, feed), nil
}

// reopen opens the file again, unless it has changed since it was indexed.
func (s *arrowSource) reopen() (*os.File, error) {
	return reopenUnchanged(s.table.path, s.table.size, s.table.changed)
}

// arrowReader is one pass over batches.
type arrowReader struct {
	ctx     context.Context
	info    stream.Info
	feed    arrowFeed
	numeric []arrowColumnReader
	kept    []arrowColumnReader
	at      int64 // next row of the batch
	left    int64 // rows of it not yet read
	failed  error
}

// newArrowReader reads the chosen fields of the batches of feed.
func newArrowReader(ctx context.Context, info stream.Info, schema *arrowSchema, numeric, kept []int, feed arrowFeed) *arrowReader {
	r := &arrowReader{ctx: ctx, info: info, feed: feed}
	r.numeric = arrowColumns(info.Name, schema, numeric)
	r.kept = arrowColumns(info.Name, schema, kept)
	feed.want(append(chosenFields(schema, numeric), chosenFields(schema, kept)...))
	return r
}

// arrowColumns are readers of the chosen fields.
func arrowColumns(path string, schema *arrowSchema, chosen []int) []arrowColumnReader {
	columns := make([]arrowColumnReader, len(chosen))
	for k, i := range chosen {
		columns[k] = arrowColumnReader{path: path, arrowField: &schema.fields[i]}
	}
	return columns
}

// chosenFields are the fields with the given numbers.
func chosenFields(schema *arrowSchema, chosen []int) []arrowField {
	var fields []arrowField
	for _, i := range chosen {
		fields = append(fields, schema.fields[i])
	}
	return fields
}

// Read implements stream.Reader.
func (r *arrowReader) Read(dst *stream.Batch) (int, error) {
	mustFit(r.info, dst)
	if r.failed != nil {
		return 0, r.failed
	}
	truncateKept(dst, r.info.Kept)
	n := 0
	r.failed = guard(r.info.Name, func() error {
		for n < dst.X.Rows {
			if err := r.ctx.Err(); err != nil {
				return err
			}
			rows, err := r.tile(dst, n)
			if err != nil {
				return err
			}
			n += rows
		}
		return nil
	})
	return n, r.failed
}

// tile reads some rows into dst from row to on.
func (r *arrowReader) tile(dst *stream.Batch, to int) (int, error) {
	for r.left == 0 {
		batch, err := r.feed.next()
		if err != nil {
			return 0, err
		}
		if err := r.open(batch); err != nil {
			return 0, err
		}
	}
	rows := int(min(r.left, arrowTile, int64(dst.X.Rows-to)))
	if err := r.rows(dst, to, r.at, rows); err != nil {
		return 0, err
	}
	r.at += int64(rows)
	r.left -= int64(rows)
	return rows, nil
}

// open goes to the first row of a batch.
func (r *arrowReader) open(batch *arrowBatch) error {
	r.at, r.left = 0, batch.rows
	for i := range r.numeric {
		if err := r.numeric[i].open(batch); err != nil {
			return err
		}
	}
	for i := range r.kept {
		if err := r.kept[i].open(batch); err != nil {
			return err
		}
	}
	return nil
}

// rows reads n rows of the batch from row at on into dst from row to on.
func (r *arrowReader) rows(dst *stream.Batch, to int, at int64, n int) error {
	column := to * dst.X.Stride
	for i := range r.numeric {
		c := &r.numeric[i]
		if err := c.read(dst.X.Data[column:], dst.X.Stride, at, n); err != nil {
			return err
		}
		column += c.width
	}
	for i := range dst.Kept {
		if err := r.kept[i].keep(&dst.Kept[i], at, n); err != nil {
			return err
		}
	}
	return nil
}

// Close implements stream.Reader.
func (r *arrowReader) Close() error { return r.feed.close() }

// Gather implements stream.Gatherer. Unless buffers are compressed it reads the
// wanted values and no others.
func (s *arrowSource) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	mustGather(s.info, rows, dst)
	file, err := s.reopen()
	if err != nil {
		return err
	}
	feed := s.table.feed(file)
	feed.closes = true
	r := newArrowReader(ctx, s.info, s.table.index.schema, s.numeric, s.kept, feed)
	defer r.Close()
	truncateKept(dst, s.info.Kept)
	return guard(s.table.path, func() error {
		return r.gather(rows, dst, feed)
	})
}

// gather fetches runs of consecutive rows.
func (r *arrowReader) gather(rows []int64, dst *stream.Batch, feed *fileFeed) error {
	var batch *arrowBatch
	for k := 0; k < len(rows); {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if batch == nil || rows[k] >= batch.first+batch.rows {
			var err error
			if batch, err = feed.seek(rows[k]); err != nil {
				return err
			}
			if err := r.open(batch); err != nil {
				return err
			}
		}
		n := 1
		for k+n < len(rows) && n < arrowTile && rows[k+n] == rows[k]+int64(n) && rows[k+n] < batch.first+batch.rows {
			n++
		}
		if err := r.rows(dst, k, rows[k]-batch.first, n); err != nil {
			return err
		}
		k += n
	}
	return nil
}
