package store

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/stream"
	"gonum.org/v1/gonum/blas/blas64"
)

// part is the section of a column of the chunk at hand, verified.
type part struct {
	column int
	format column.NumberFormat // of numbers
	values []byte              // numbers of 8 bytes, or what a string section begins with
	valid  []byte              // one bit for each row; nil if nothing is null
}

// part returns the section of a column of a chunk that is loaded.
func (p *pass) part(chunk, c int) part {
	raw, s := p.chunks.raw[c], p.table.section(chunk, c)
	out := part{column: c, values: raw, format: column.NumberFormat{Form: column.Float64Form}}
	if p.table.fields[c].Kind == stream.Int64 {
		out.format = column.NumberFormat{Form: column.SignedForm, Bits: 64, Round: p.Inexact == column.InexactRound}
	}
	if s.nullable() {
		at := len(raw) - (p.table.rowsOf(chunk)+7)/8
		out.values, out.valid = raw[:at], raw[at:]
	}
	return out
}

// numbers writes rows from..end of the chunk to x from row at on: it transposes columns, a few
// rows at a time so that the rows stay in cache.
func (p *pass) numbers(x blas64.General, at, from, end int) error {
	const tile = 32
	for ; from < end; from, at = from+tile, at+tile {
		n := min(tile, end-from)
		for k := range p.numeric {
			part, to, stride := &p.numeric[k], x.Data[at*x.Stride+p.Slot[k]:], x.Stride
			if bad := part.format.Place(to, stride, n, part.values[8*from:], 8); bad >= 0 {
				return p.inexact(part, from+bad)
			}
			if part.valid != nil {
				nulls(to, stride, part.valid, from, from+n)
			}
		}
	}
	return nil
}

// nulls puts NaN where the bitmap says null, for rows from..end.
func nulls(to []float64, stride int, valid []byte, from, end int) {
	for i := range end - from {
		if !bit(valid, from+i) {
			to[i*stride] = math.NaN()
		}
	}
}

// bit reports whether bit i of a bitmap is set, lowest bit first.
func bit(p []byte, i int) bool { return p[i/8]>>(i%8)&1 == 1 }

// keep appends rows from..end of a section to c.
func (p *pass) keep(c *stream.Column, s *part, from, end int) error {
	for r := from; r < end; r++ {
		if s.valid != nil && !bit(s.valid, r) {
			column.AppendNull(c)
			continue
		}
		switch c.Kind {
		case stream.Float64:
			v, ok := s.format.Float(binary.LittleEndian.Uint64(s.values[8*r:]))
			if !ok {
				return p.inexact(s, r)
			}
			c.Floats = append(c.Floats, v)
		case stream.Int64:
			c.Ints = append(c.Ints, int64(binary.LittleEndian.Uint64(s.values[8*r:])))
		case stream.String:
			from, to := binary.LittleEndian.Uint32(s.values[4*r:]), binary.LittleEndian.Uint32(s.values[4*r+4:])
			texts := s.values[4*(p.table.rowsOf(p.chunk)+1):]
			c.Strings = append(c.Strings, string(texts[from:to]))
		}
		column.AppendValid(c)
	}
	return nil
}

// inexact returns the error about an integer in a row of the chunk that no float64 holds.
func (p *pass) inexact(s *part, row int) error {
	value := int64(binary.LittleEndian.Uint64(s.values[8*row:]))
	return fault.Cell(p.table.Path, p.table.firstRow(p.chunk)+int64(row), p.table.fields[s.column].Name, "%w", column.ErrInexact(strconv.FormatInt(value, 10)))
}
