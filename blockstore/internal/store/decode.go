package store

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/number"
	"github.com/nystream/nystream/stream"
)

// decode decodes the rows of the next chunk.
func (p *pass) decode(rows int) error {
	dst := &p.current
	return p.chunks.with(p.chunk, p.All(dst.Kept != nil), func(raw [][]byte) error {
		if err := p.numbers(raw, rows); err != nil {
			return err
		}
		for k := range dst.Kept {
			appendKept(&dst.Kept[k], raw[len(p.Numeric)+k], p.table.section(p.chunk, p.Kept[k]), rows)
		}
		return nil
	})
}

// numbers transposes columns into rows, a few rows at a time so that the rows
// stay in cache.
func (p *pass) numbers(raw [][]byte, rows int) error {
	const tile = 32
	x := p.current.X
	for from := 0; from < rows; from += tile {
		end := min(from+tile, rows)
		for j, c := range p.Numeric {
			field := p.table.fields[c]
			to, values := x.Data[from*x.Stride+j:], raw[j][8*from:8*end]
			if field.Kind == stream.Float64 {
				floats(to, x.Stride, values)
			} else if bad := integers(to, x.Stride, values, p.Inexact); bad >= 0 {
				value := int64(binary.LittleEndian.Uint64(values[8*bad:]))
				err := number.ErrInexact(strconv.FormatInt(value, 10))
				return fault.Cell(p.table.Path, p.table.firstRow(p.chunk)+int64(from+bad), field.Name, "%w", err)
			}
			if p.table.section(p.chunk, c).nullable() {
				nulls(to, x.Stride, raw[j][8*rows:], from, end)
			}
		}
	}
	return nil
}

// floats puts float64 values of a section into a column of a matrix.
func floats(to []float64, stride int, values []byte) {
	for i := range len(values) / 8 {
		to[i*stride] = math.Float64frombits(binary.LittleEndian.Uint64(values[8*i:]))
	}
}

// integers does what floats does for int64 values. It returns the first value that
// is to be exact and no float64 is, or -1.
func integers(to []float64, stride int, values []byte, inexact column.Inexact) int {
	for i := range len(values) / 8 {
		v := int64(binary.LittleEndian.Uint64(values[8*i:]))
		if inexact == column.InexactError && !number.IsExact(v) {
			return i
		}
		to[i*stride] = float64(v)
	}
	return -1
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

// appendKept appends the values of a section to c.
func appendKept(c *stream.Column, raw []byte, e section, rows int) {
	for r := range rows {
		if e.nullable() && !bit(raw[len(raw)-(rows+7)/8:], r) {
			column.AppendNull(c)
			continue
		}
		switch c.Kind {
		case stream.Float64:
			c.Floats = append(c.Floats, math.Float64frombits(binary.LittleEndian.Uint64(raw[8*r:])))
		case stream.Int64:
			c.Ints = append(c.Ints, int64(binary.LittleEndian.Uint64(raw[8*r:])))
		case stream.String:
			from, to := binary.LittleEndian.Uint32(raw[4*r:]), binary.LittleEndian.Uint32(raw[4*r+4:])
			values := raw[4*(rows+1):]
			c.Strings = append(c.Strings, string(values[from:to]))
		}
		column.AppendValid(c)
	}
}
