package blockstore

import (
	"io"
	"os"

	"github.com/nystream/nystream/stream"
)

// parquetPass is one pass over a Parquet file. All columns are at the same row.
type parquetPass struct {
	source  *parquetSource
	pages   *parquetPages
	columns []*parquetColumnReader // numeric ones, then kept ones
	group   int                    // the row group being read
	left    int64                  // rows of it not yet read
}

// newParquetPass starts at the first row of file, which the pass closes.
func newParquetPass(s *parquetSource, file *os.File) *parquetPass {
	p := &parquetPass{source: s, pages: newParquetPages(s.table, file), group: -1}
	p.pages.closer = file
	for _, i := range s.choice.columns(true) {
		p.columns = append(p.columns, newParquetColumnReader(p.pages, s.table, i))
	}
	return p
}

// next implements pass.
func (p *parquetPass) next(dst *stream.Batch, at int) (int, error) {
	for p.left == 0 {
		if err := p.nextGroup(dst.Kept != nil); err != nil {
			return 0, err
		}
	}
	rows := int(min(p.left, tileRows, int64(dst.X.Rows-at)))
	numeric := len(p.source.numeric)
	to := at * dst.X.Stride
	for _, c := range p.columns[:numeric] {
		if err := c.read(dst.X.Data[to:], dst.X.Stride, rows); err != nil {
			return 0, err
		}
		to += c.width
	}
	for i := range dst.Kept {
		if err := p.columns[numeric+i].keep(&dst.Kept[i], rows); err != nil {
			return 0, err
		}
	}
	p.left -= int64(rows)
	return rows, nil
}

// nextGroup ends a row group and begins the next one.
func (p *parquetPass) nextGroup(keeps bool) error {
	columns := p.columns
	if !keeps {
		columns = columns[:len(p.source.numeric)]
	}
	if p.group >= 0 {
		for _, c := range columns {
			if err := c.finish(); err != nil {
				return err
			}
		}
	}
	if p.group+1 == len(p.source.table.groups) {
		return io.EOF
	}
	p.group++
	p.left = p.source.table.groups[p.group].rows
	for _, c := range p.columns {
		c.open(p.group)
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

// Close implements pass.
func (r *parquetPass) Close() error { return r.pages.close() }
