package blockstore

import (
	"context"
	"io"
	"os"

	"github.com/nystream/nystream/stream"
)

// parquetReader is one pass over a Parquet file. All columns are at the same
// row.
type parquetReader struct {
	ctx     context.Context
	source  *parquetSource
	pages   *parquetPages
	columns []*parquetColumnReader // numeric ones, then kept ones
	group   int                    // the row group being read
	left    int64                  // rows of it not yet read
	failed  error
}

// newParquetReader starts at the first row of file, which the reader closes.
func newParquetReader(ctx context.Context, s *parquetSource, file *os.File) *parquetReader {
	r := &parquetReader{ctx: ctx, source: s, pages: newParquetPages(s.table, file), group: -1}
	r.pages.closer = file
	for _, i := range s.numeric {
		r.columns = append(r.columns, newParquetColumnReader(r.pages, s.table, i))
	}
	for _, i := range s.kept {
		r.columns = append(r.columns, newParquetColumnReader(r.pages, s.table, i))
	}
	return r
}

// Read implements stream.Reader.
func (r *parquetReader) Read(dst *stream.Batch) (int, error) {
	mustFit(r.source.info, dst)
	if r.failed != nil {
		return 0, r.failed
	}
	truncateKept(dst, r.source.info.Kept)
	n := 0
	r.failed = guard(r.source.table.path, func() error {
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

// tile reads some rows into dst from row at on. After the last row it says
// io.EOF.
func (r *parquetReader) tile(dst *stream.Batch, at int) (int, error) {
	for r.left == 0 {
		if err := r.nextGroup(dst.Kept != nil); err != nil {
			return 0, err
		}
	}
	rows := int(min(r.left, tileRows, int64(dst.X.Rows-at)))
	numeric := len(r.source.numeric)
	to := at * dst.X.Stride
	for _, c := range r.columns[:numeric] {
		if err := c.read(dst.X.Data[to:], dst.X.Stride, rows); err != nil {
			return 0, err
		}
		to += c.width
	}
	for i := range dst.Kept {
		if err := r.columns[numeric+i].keep(&dst.Kept[i], rows); err != nil {
			return 0, err
		}
	}
	r.left -= int64(rows)
	return rows, nil
}

// nextGroup ends a row group and begins the next one.
func (r *parquetReader) nextGroup(keeps bool) error {
	columns := r.columns
	if !keeps {
		columns = columns[:len(r.source.numeric)]
	}
	if r.group >= 0 {
		for _, c := range columns {
			if err := c.finish(); err != nil {
				return err
			}
		}
	}
	if r.group+1 == len(r.source.table.groups) {
		return io.EOF
	}
	r.group++
	r.left = r.source.table.groups[r.group].rows
	for _, c := range r.columns {
		c.open(r.group)
	}
	return nil
}

// read puts the next rows of a numeric column into dst.
func (r *parquetColumnReader) read(dst []float64, stride, rows int) error {
	if r.kind == vectorColumn {
		return r.vectors(dst, stride, rows)
	}
	return r.numbers(dst, stride, rows)
}

// Close implements stream.Reader.
func (r *parquetReader) Close() error { return r.pages.close() }
