package arrow

import (
	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/stream"
)

// pass is one pass over batches.
type pass struct {
	*column.Choice
	feed    *feed
	numeric []columnReader
	kept    []keptReader // in the order of Stored
	end     int64        // the row after the batch
	at      int64        // index of the next row in the batch
	left    int64        // remaining rows of the batch

	scratch, elements scratch // for columns one after another, and for elements of their lists
}

// keptReader reads a kept column of batches.
type keptReader interface {
	open(b *batch) error
	keep(dst *stream.Column, at int64, n int) error
}

// chosenFields returns the chosen fields, and the fields inside the chosen nested ones.
func (s *schema) chosenFields(c *column.Choice) []field {
	list := make([]field, 0, len(c.Numeric)+len(c.Kept)) // exact capacity: append would allocate more than is counted
	for _, i := range c.Numeric {
		list = append(list, s.fields[i])
	}
	for _, k := range c.Kept {
		switch {
		case k.Column < 0:
		case k.Nested != nil:
			for _, f := range s.trees[k.Nested.Index].fields() {
				f.inNested = true
				list = append(list, f)
			}
		default:
			list = append(list, s.fields[k.Column])
		}
	}
	return list
}

// newPass returns a pass over the chosen fields of the batches of feed.
func newPass(c *column.Choice, schema *schema, feed *feed) *pass {
	feed.chosen = schema.chosenFields(c)
	path := c.Info().Name
	p := &pass{Choice: c, feed: feed}
	p.numeric = p.columnReaders(path, schema, c.Numeric)
	for _, k := range c.Kept {
		switch {
		case k.Column < 0:
		case k.Nested != nil:
			p.kept = append(p.kept, newNestedReader(path, schema.trees[k.Nested.Index]))
		default:
			p.kept = append(p.kept, &p.columnReaders(path, schema, []int{k.Column})[0])
		}
	}
	slot := c.Slot
	for k := range p.numeric {
		r := &p.numeric[k]
		r.slots, slot = slot[:r.width], slot[r.width:]
		r.inOrder = column.InOrder(r.slots)
	}
	return p
}

// columnReaders returns readers of the chosen fields.
func (p *pass) columnReaders(path string, schema *schema, chosen []int) []columnReader {
	columns := make([]columnReader, len(chosen))
	for k, i := range chosen {
		columns[k] = columnReader{path: path, field: &schema.fields[i], s: &p.scratch, child: &p.elements}
	}
	return columns
}

// SkipTo implements column.Pass.
func (p *pass) SkipTo(row int64) error {
	if p.feed.live != nil {
		return nil // it is the first row
	}
	if row >= p.end {
		batch, err := p.feed.seek(row)
		if err != nil {
			return err
		}
		if err := p.open(batch); err != nil {
			return err
		}
	}
	skip := row - (p.end - p.left)
	p.at, p.left = p.at+skip, p.left-skip
	return nil
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

// open starts reading a batch.
func (p *pass) open(batch *batch) error {
	p.at, p.left, p.end = 0, batch.rows, batch.first+batch.rows
	for i := range p.numeric {
		if err := p.numeric[i].open(batch); err != nil {
			return err
		}
	}
	for _, r := range p.kept {
		if err := r.open(batch); err != nil {
			return err
		}
	}
	return nil
}

// rows reads n rows of the batch, starting at row at, into dst, starting at row to.
func (p *pass) rows(dst *stream.Batch, to int, at int64, n int) error {
	for i := range p.numeric {
		if err := p.numeric[i].read(dst.X.Data[to*dst.X.Stride:], dst.X.Stride, at, n); err != nil {
			return err
		}
	}
	for i, k := range p.Stored(dst) {
		if err := p.kept[i].keep(&dst.Kept[k], at, n); err != nil {
			return err
		}
	}
	return nil
}

// Close implements column.Pass.
func (p *pass) Close() error { return p.feed.close() }
