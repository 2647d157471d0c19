package parquet

import (
	"context"
	"io"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/stream"
)

// pass is one pass over a Parquet file. All columns are at the same row.
type pass struct {
	source  *source
	pages   *pages
	columns []*columnReader // numeric ones, then kept ones
	group   int             // the row group being read
	left    int64           // rows of it not yet read
	skip    int64           // rows to be passed over in the next row group
}

// newPass starts at a row of f, which the pass closes.
func newPass(ctx context.Context, s *source, f file.File, first int64) *pass {
	p := &pass{source: s, pages: newPages(s.table, file.NewReaderAt(ctx, f)), group: len(s.table.groups) - 1}
	if first < s.Info().Rows {
		p.group = s.table.groupOf(first) - 1
		p.skip = first - s.table.groups[p.group+1].first
	}
	p.pages.closer = f
	for _, i := range s.Choice.All(true) {
		p.columns = append(p.columns, newColumnReader(p.pages, s.table, i))
	}
	return p
}

// Next implements column.Pass.
func (p *pass) Next(dst *stream.Batch, at int) (int, error) {
	for p.left == 0 {
		if err := p.nextGroup(dst.Kept != nil); err != nil {
			return 0, err
		}
	}
	rows := int(min(p.left, tileRows, int64(dst.X.Rows-at)))
	numeric := len(p.source.Numeric)
	to := at * dst.X.Stride
	for _, c := range p.columns[:numeric] {
		if err := c.read(dst.X.Data[to:], dst.X.Stride, rows); err != nil {
			return 0, err
		}
		to += c.Width
	}
	for i := range dst.Kept {
		if err := p.columns[numeric+i].keep(&dst.Kept[i], rows); err != nil {
			return 0, err
		}
	}
	if p.left -= int64(rows); p.left == 0 {
		return rows, p.endGroup(dst.Kept != nil)
	}
	return rows, nil
}

// wanted returns the columns that are read.
func (p *pass) wanted(keeps bool) []*columnReader {
	if keeps {
		return p.columns
	}
	return p.columns[:len(p.source.Numeric)]
}

// endGroup makes sure that no column holds more than its row group. It does not wait
// for the next one, which another reader may read.
func (p *pass) endGroup(keeps bool) error {
	for _, c := range p.wanted(keeps) {
		if err := c.finish(); err != nil {
			return err
		}
	}
	return nil
}

// nextGroup begins the next row group.
func (p *pass) nextGroup(keeps bool) error {
	if p.group+1 == len(p.source.table.groups) {
		return io.EOF
	}
	p.group++
	p.left = p.source.table.groups[p.group].rows - p.skip
	for _, c := range p.columns {
		c.open(p.group)
	}
	for _, c := range p.wanted(keeps) {
		if err := c.skip(p.skip); err != nil {
			return err
		}
	}
	p.skip = 0
	if p.left == 0 {
		return p.endGroup(keeps)
	}
	return nil
}

// read puts the next rows of a numeric column into dst.
func (r *columnReader) read(dst []float64, stride, rows int) error {
	if r.Kind == column.Vector {
		return r.vectors(dst, stride, rows)
	}
	return r.numbers(dst, stride, rows)
}

// Close implements column.Pass.
func (r *pass) Close() error { return r.pages.close() }
