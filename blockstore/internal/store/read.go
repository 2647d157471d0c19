package store

import (
	"io"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/stream"
)

// pass is one pass over a store. It loads chunk after chunk, so that each section is verified
// once, and decodes the rows of a read straight into their place.
type pass struct {
	*column.Choice
	table   *Table
	chunks  *chunkReader
	chunk   int    // the chunk at hand; -1 before the first
	used    int    // rows of it that are given or left out
	loaded  bool   // its sections are in chunks
	numeric []part // of the chunk
	kept    []part
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
func (p *pass) Next(dst *stream.Batch, at int) (int, error) {
	if p.chunk < p.table.chunks() && p.used == p.table.rowsOf(p.chunk) {
		p.begin(p.chunk + 1)
	}
	if p.chunk >= p.table.chunks() {
		return 0, io.EOF
	}
	if err := p.load(dst.Kept != nil); err != nil {
		return 0, err
	}
	rows := p.table.rowsOf(p.chunk)
	n := min(dst.X.Rows-at, rows-p.used)
	if err := p.numbers(dst.X, at, p.used, p.used+n); err != nil {
		return 0, err
	}
	for k := range dst.Kept {
		p.kept[k].keep(&dst.Kept[k], rows, p.used, p.used+n)
	}
	p.used += n
	return n, nil
}

// load loads the chunk unless it is loaded, with or without the kept columns.
func (p *pass) load(kept bool) error {
	if p.loaded {
		return nil
	}
	if err := p.chunks.load(p.chunk, p.All(kept)); err != nil {
		return err
	}
	p.numeric, p.kept = p.numeric[:0], p.kept[:0]
	for _, c := range p.Numeric {
		p.numeric = append(p.numeric, p.part(p.chunk, c))
	}
	for _, c := range p.Kept {
		if kept {
			p.kept = append(p.kept, p.part(p.chunk, c))
		}
	}
	p.loaded = true
	return nil
}

// round reports whether integers that no float64 holds become the nearest one.
func (p *pass) round() bool { return p.Inexact == column.InexactRound }

// row returns the absolute number of a row of the chunk.
func (p *pass) row(of int) int64 { return p.table.firstRow(p.chunk) + int64(of) }

// Close closes the file.
func (p *pass) Close() error { return p.chunks.close() }
