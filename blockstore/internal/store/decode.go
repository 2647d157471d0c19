package store

import (
	"encoding/binary"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// part is a verified section of the current chunk.
type part struct {
	column int
	format column.NumberFormat // of numbers
	values []byte              // numbers of 8 bytes, or the ends of a string section
	valid  []byte              // one bit for each row; nil if nothing is null
}

// part returns the section of a column of a loaded chunk.
func (p *pass) part(chunk, c int) part {
	raw, s := p.chunks.raw[c], p.table.section(chunk, c)
	out := part{column: c, values: raw, format: column.NumberFormat{Form: column.Float64Form}}
	round := p.Inexact == column.InexactRound
	switch f := p.table.fields[c]; {
	case f.Type.Class == logical.Decimal:
		out.format = column.NumberFormat{Form: column.LongDecimalForm, Scale: int(f.Type.Scale), Round: round}
	case f.Type.Class == logical.Uint:
		out.format = column.NumberFormat{Form: column.UnsignedForm, Round: round}
	case f.Kind == stream.Int64:
		out.format = column.NumberFormat{Form: column.SignedForm, Bits: 64, Round: round}
	}
	if s.nullable() {
		at := len(raw) - (p.table.rowsOf(chunk)+7)/8
		out.values, out.valid = raw[:at], raw[at:]
	}
	return out
}

// numbers stores rows from..end-1 of the chunk in x, starting at row at. It transposes columns, a
// few rows at a time so that the rows stay in cache.
func (p *pass) numbers(x blas64.General, at, from, end int) error {
	const tile = 32
	for ; from < end; from, at = from+tile, at+tile {
		n := min(tile, end-from)
		for k := range p.numeric {
			part, to, stride := &p.numeric[k], x.Data[at*x.Stride+p.Slot[k]:], x.Stride
			if part.format.Form == column.LongDecimalForm {
				if bad := p.decimals(part, to, stride, from, from+n); bad >= 0 {
					return p.inexact(part, bad)
				}
				continue
			}
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

// decimals stores rows from..end-1 of a section of decimals in dst[0], dst[stride] and so on, with
// NaN for nulls. It returns the row of the first integer that float64 cannot represent, or -1.
func (p *pass) decimals(s *part, dst []float64, stride, from, end int) int {
	for r := from; r < end; r++ {
		if s.valid != nil && !bit(s.valid, r) {
			dst[(r-from)*stride] = math.NaN()
			continue
		}
		d := column.Decoded{Texts: []string{p.text(s, r)}}
		if d.Convert(s.format, 1) >= 0 {
			return r
		}
		dst[(r-from)*stride] = d.Floats[0]
	}
	return -1
}

// text returns the string in row r of a section.
func (p *pass) text(s *part, r int) string {
	from, to := binary.LittleEndian.Uint32(s.values[4*r:]), binary.LittleEndian.Uint32(s.values[4*r+4:])
	texts := s.values[4*(p.table.rowsOf(p.chunk)+1):]
	return string(texts[from:to])
}

// nulls stores NaN for the nulls among rows from..end-1.
func nulls(to []float64, stride int, valid []byte, from, end int) {
	for i := range end - from {
		if !bit(valid, from+i) {
			to[i*stride] = math.NaN()
		}
	}
}

// bit reports whether bit i of a bitmap is set, lowest bit first.
func bit(p []byte, i int) bool { return p[i/8]>>(i%8)&1 == 1 }

// keep appends rows from..end-1 of a section to c.
func (p *pass) keep(c *stream.Column, s *part, from, end int) error {
	for from < end { // runs of values and of nulls
		first := from
		if from = end; s.valid != nil {
			for from = first; from < end && bit(s.valid, from); {
				from++
			}
		}
		if err := p.keepRun(c, s, first, from); err != nil {
			return err
		}
		for ; from < end && !bit(s.valid, from); from++ {
			column.AppendNull(c)
		}
	}
	return nil
}

// keepRun appends rows from..end-1 of a section, none of them null, to c.
func (p *pass) keepRun(c *stream.Column, s *part, from, end int) error {
	switch {
	case s.format.Form == column.LongDecimalForm:
		for r := from; r < end; r++ {
			d := column.Decoded{Texts: []string{p.text(s, r)}}
			if d.ConvertFor(c, s.format, 1) >= 0 {
				return p.inexact(s, r)
			}
			if _, err := d.Keep(c, s.format, 0, 1); err != nil {
				return err
			}
		}
	case c.Kind == stream.Float64:
		if bad := s.format.Place(column.GrowFloats(c, end-from), 1, end-from, s.values[8*from:], 8); bad >= 0 {
			return p.inexact(s, from+bad)
		}
	case c.Kind == stream.Int64:
		to := column.GrowInts(c, end-from)
		for i := range to {
			to[i] = int64(binary.LittleEndian.Uint64(s.values[8*(from+i):]))
		}
	case c.Kind == stream.String:
		for r := from; r < end; r++ {
			text := p.text(s, r)
			if err := p.checkNested(s, r, text); err != nil {
				return err
			}
			c.Strings = append(c.Strings, text)
			column.AppendValid(c)
		}
	}
	return nil
}

// checkNested returns an error if row r of a section of nested values is damaged.
func (p *pass) checkNested(s *part, r int, value string) error {
	f := p.table.fields[s.column]
	if !f.Type.IsNested() {
		return nil
	}
	if err := logical.Check(f.Type, value); err != nil {
		return fault.Cell(p.table.Path, p.table.firstRow(p.chunk)+int64(r), f.Name, "%w", fault.Damaged(err))
	}
	return nil
}

// inexact reports an integer in a row of the chunk that float64 cannot represent.
func (p *pass) inexact(s *part, row int) error {
	d := column.Decoded{}
	if s.format.Form == column.LongDecimalForm {
		d.Texts = []string{p.text(s, row)}
	} else {
		d.Words = []uint64{binary.LittleEndian.Uint64(s.values[8*row:])}
	}
	return fault.Cell(p.table.Path, p.table.firstRow(p.chunk)+int64(row), p.table.fields[s.column].Name, "%w", column.ErrInexact(d.Integer(s.format, 0)))
}
