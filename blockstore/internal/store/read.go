package store

import (
	"io"
	"slices"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/stream"
)

// pass is one pass over a store. It loads chunks one after another, so that each section is
// verified once, and decodes rows directly into the batch.
type pass struct {
	*column.Choice
	table   *Table
	chunks  *chunkReader
	chunk   int    // the current chunk; -1 before the first
	used    int    // rows of it returned or skipped
	loaded  bool   // its sections are loaded
	parts   []part // of the chunk: numeric ones, then kept ones
	numeric []part
	kept    []part // in the order of Stored
}

// SkipTo implements column.Pass.
func (p *pass) SkipTo(row int64) error {
	p.begin(int(row / int64(p.table.chunkRows)))
	p.used = int(row % int64(p.table.chunkRows))
	return nil
}

// begin goes to the first row of a chunk, without loading it.
func (p *pass) begin(chunk int) {
	p.loaded = p.loaded && chunk == p.chunk
	p.chunk, p.used = chunk, 0
}

// Next implements column.Pass.
func (p *pass) Next(dst *stream.Batch, at int) (n int, err error) {
	err = p.chunks.guard(func() error {
		n, err = p.next(dst, at)
		return err
	})
	return n, err
}

// next implements Next within guard.
func (p *pass) next(dst *stream.Batch, at int) (int, error) {
	if p.chunk < p.table.chunks() && p.used == p.table.rowsOf(p.chunk) {
		p.begin(p.chunk + 1)
	}
	if p.chunk >= p.table.chunks() {
		return 0, io.EOF
	}
	if err := p.load(dst.Kept != nil); err != nil {
		return 0, err
	}
	n := min(dst.X.Rows-at, p.table.rowsOf(p.chunk)-p.used)
	if err := p.numbers(dst.X, at, p.used, p.used+n); err != nil {
		return 0, err
	}
	for i, k := range p.Stored(dst) {
		if err := p.keep(&dst.Kept[k], &p.kept[i], p.used, p.used+n); err != nil {
			return 0, err
		}
	}
	p.used += n
	return n, nil
}

// load loads the chunk unless it is loaded, with or without the kept columns.
func (p *pass) load(kept bool) error {
	if p.loaded {
		return nil
	}
	chosen := p.All(kept)
	if err := p.chunks.load(p.chunk, chosen); err != nil {
		return err
	}
	p.parts = slices.Grow(p.parts[:0], len(chosen))
	for _, c := range chosen {
		p.parts = append(p.parts, p.part(p.chunk, c))
	}
	p.numeric, p.kept = p.parts[:len(p.Numeric)], p.parts[len(p.Numeric):]
	p.loaded = true
	return nil
}

// Close closes the file.
func (p *pass) Close() error { return p.chunks.close() }
