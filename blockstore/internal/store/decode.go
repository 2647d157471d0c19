package store

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/number"
	"github.com/nystream/nystream/stream"
	"gonum.org/v1/gonum/blas/blas64"
)

// decode puts the given rows of a chunk into dst from row at on and appends
// their kept values.
func (s *source) decode(r *chunkReader, chunk int, local []int64, dst *stream.Batch, at int) error {
	return r.with(chunk, s.All(dst.Kept != nil), func(raw [][]byte) error {
		if err := s.numbers(chunk, raw, local, dst.X, at); err != nil {
			return err
		}
		for k := range dst.Kept {
			c := s.Kept[k]
			appendKept(&dst.Kept[k], raw[len(s.Numeric)+k], s.table.section(chunk, c), s.table.rowsOf(chunk), local)
		}
		return nil
	})
}

// numbers transposes columns into rows, a few rows at a time so that the rows
// stay in cache.
func (s *source) numbers(chunk int, raw [][]byte, local []int64, x blas64.General, at int) error {
	const tile = 32
	rows := s.table.rowsOf(chunk)
	for from := 0; from < len(local); from += tile {
		part := local[from:min(from+tile, len(local))]
		for j, c := range s.Numeric {
			e := s.table.section(chunk, c)
			to := x.Data[(at+from)*x.Stride+j:]
			if s.table.fields[c].Kind == stream.Float64 {
				floats(to, x.Stride, raw[j], part)
			} else if bad := integers(to, x.Stride, raw[j], part, s.Inexact); bad >= 0 {
				row := s.table.firstRow(chunk) + bad
				value := int64(binary.LittleEndian.Uint64(raw[j][8*bad:]))
				return fault.Cell(s.table.Path, row, s.table.fields[c].Name, "%w", number.ErrInexact(strconv.FormatInt(value, 10)))
			}
			if e.nullable() {
				nulls(to, x.Stride, raw[j][8*rows:], part)
			}
		}
	}
	return nil
}

// floats puts float64 values of a section into a column of a matrix.
func floats(to []float64, stride int, raw []byte, local []int64) {
	for i, r := range local {
		to[i*stride] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*r:]))
	}
}

// integers does what floats does for int64 values. It returns the first row whose value
// is to be exact and no float64 is, or -1.
func integers(to []float64, stride int, raw []byte, local []int64, inexact column.Inexact) int64 {
	for i, r := range local {
		v := int64(binary.LittleEndian.Uint64(raw[8*r:]))
		if inexact == column.InexactError && !number.IsExact(v) {
			return r
		}
		to[i*stride] = float64(v)
	}
	return -1
}

// nulls puts NaN where the bitmap says null.
func nulls(to []float64, stride int, valid []byte, local []int64) {
	for i, r := range local {
		if !bit(valid, r) {
			to[i*stride] = math.NaN()
		}
	}
}

// bit reports whether bit i of a bitmap is set, lowest bit first.
func bit(p []byte, i int64) bool { return p[i/8]>>(i%8)&1 == 1 }

// appendKept appends values of a section to c.
func appendKept(c *stream.Column, raw []byte, e section, rows int, local []int64) {
	for _, r := range local {
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
