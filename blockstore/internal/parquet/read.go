package parquet

import (
	"context"
	"io"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/stream"
)

// pass is one pass over a Parquet file. All columns advance together.
type pass struct {
	*column.Choice
	table   *table
	pages   *pages
	columns []*columnReader // numeric ones, then kept ones and the leaves of nested ones
	kept    []keeper        // in the order of Stored
	group   int             // the current row group
	left    int64           // rows left in it, including those to skip
	skip    int64           // rows to skip first
}

// newPass returns a pass over the chosen columns of f, which it closes.
func newPass(ctx context.Context, c *column.Choice, t *table, f file.File) *pass {
	p := &pass{Choice: c, table: t, pages: newPages(t, file.NewReaderAt(ctx, f)), group: -1}
	p.pages.closer = f
	slot := c.Slot
	for k, i := range c.All(true) {
		r := newColumnReader(p.pages, t, i)
		if k < len(c.Numeric) {
			r.slots, slot = slot[:r.Width], slot[r.Width:]
		}
		p.columns = append(p.columns, r)
	}
	left := p.columns[len(c.Numeric):]
	for _, k := range c.Kept {
		switch {
		case k.Column < 0:
		case k.Nested != nil:
			n := k.Nested.End - k.Nested.First
			p.kept, left = append(p.kept, newNestedReader(t, t.trees[k.Nested.Index], left[:n])), left[n:]
		default:
			p.kept, left = append(p.kept, left[0]), left[1:]
		}
	}
	return p
}

// SkipTo implements column.Pass. It skips whole row groups, and pages by their headers.
func (p *pass) SkipTo(row int64) error {
	if group := p.table.groupOf(row); group != p.group {
		p.group, p.left = group-1, 0
		p.skip = row - p.table.groups[group].first
	} else {
		p.skip = row - (p.table.groups[group].end() - p.left)
	}
	return nil
}

// Next implements column.Pass.
func (p *pass) Next(dst *stream.Batch, at int) (int, error) {
	keeps := dst.Kept != nil
	for p.left == 0 {
		if err := p.nextGroup(keeps); err != nil {
			return 0, err
		}
	}
	if p.skip > 0 {
		for _, c := range p.wanted(keeps) {
			if err := c.skip(p.skip); err != nil {
				return 0, err
			}
		}
		p.left, p.skip = p.left-p.skip, 0
	}
	rows := int(min(p.left, tileRows, int64(dst.X.Rows-at)))
	numeric := len(p.Numeric)
	for _, c := range p.columns[:numeric] {
		if err := c.read(dst.X.Data[at*dst.X.Stride:], dst.X.Stride, rows); err != nil {
			return 0, err
		}
	}
	for i, k := range p.Stored(dst) {
		if err := p.kept[i].keep(&dst.Kept[k], rows); err != nil {
			return 0, err
		}
	}
	if p.left -= int64(rows); p.left == 0 {
		return rows, p.endGroup(keeps)
	}
	return rows, nil
}

// wanted returns the columns to read.
func (p *pass) wanted(keeps bool) []*columnReader {
	if keeps {
		return p.columns
	}
	return p.columns[:len(p.Numeric)]
}

// endGroup checks that no column has more rows than its row group. It does not wait for the next
// group, which another reader may read.
func (p *pass) endGroup(keeps bool) error {
	for _, c := range p.wanted(keeps) {
		if err := c.finish(); err != nil {
			return err
		}
	}
	return nil
}

// nextGroup starts the next row group.
func (p *pass) nextGroup(keeps bool) error {
	if p.group+1 == len(p.table.groups) {
		return io.EOF
	}
	p.group++
	p.left = p.table.groups[p.group].rows
	for _, c := range p.columns {
		c.open(p.group)
	}
	if p.left == 0 {
		return p.endGroup(keeps)
	}
	return nil
}

// read stores the next rows values of a numeric column in the rows that begin at dst[0],
// dst[stride], dst[2*stride] and so on.
func (r *columnReader) read(dst []float64, stride, rows int) error {
	if r.Kind == column.Vector {
		return r.vectors(dst, stride, rows)
	}
	return r.numbers(dst[r.slots[0]:], stride, rows)
}

// Close implements column.Pass.
func (r *pass) Close() error { return r.pages.close() }
