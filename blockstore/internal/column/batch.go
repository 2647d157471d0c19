package column

import (
	"math"
	"slices"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// NewBatch returns a batch for rows of a source with its kept columns. There may be
// nothing but kept columns.
func NewBatch(info stream.Info, rows int) *stream.Batch {
	return &stream.Batch{X: matrix.New(rows, len(info.Columns)), Kept: info.NewKept()}
}

// Truncate empties the kept columns of dst before a read, keeping memory.
func Truncate(dst *stream.Batch, fields []stream.Field) {
	for i := range dst.Kept {
		c := &dst.Kept[i]
		c.Kind, c.Type = fields[i].Kind, fields[i].Type
		c.Reset()
	}
}

// AppendValid notes that the value just appended to c is not null.
func AppendValid(c *stream.Column) { appendValid(c, 1) }

// appendValid notes that the n values just appended to c are not null.
func appendValid(c *stream.Column, n int) {
	for ; c.Valid != nil && n > 0; n-- {
		c.Valid = append(c.Valid, true)
	}
}

// GrowFloats appends n numbers to c, which are not null, and returns where to put them.
func GrowFloats(c *stream.Column, n int) []float64 {
	at := len(c.Floats)
	c.Floats = slices.Grow(c.Floats, n)[:at+n]
	appendValid(c, n)
	return c.Floats[at:]
}

// GrowInts appends n integers to c, which are not null, and returns where to put them.
func GrowInts(c *stream.Column, n int) []int64 {
	at := len(c.Ints)
	c.Ints = slices.Grow(c.Ints, n)[:at+n]
	appendValid(c, n)
	return c.Ints[at:]
}

// SetNull notes that value i of c is null.
func SetNull(c *stream.Column, i int) {
	if c.Valid == nil {
		c.Valid = make([]bool, c.Len())
		for k := range c.Valid {
			c.Valid[k] = true
		}
	}
	c.Valid[i] = false
}

// AppendNull appends a null to c; a column of floats holds NaN in its place, one of decimals an empty string besides.
func AppendNull(c *stream.Column) {
	if c.Valid == nil {
		c.Valid = make([]bool, c.Len(), c.Len()+1)
		for i := range c.Valid {
			c.Valid[i] = true
		}
	}
	c.Valid = append(c.Valid, false)
	switch c.Kind {
	case stream.Float64:
		c.Floats = append(c.Floats, math.NaN())
	case stream.Int64:
		c.Ints = append(c.Ints, 0)
	case stream.String:
		c.Strings = append(c.Strings, "")
	}
	if c.Type.Class == logical.Decimal {
		c.Strings = append(c.Strings, "")
	}
}

// Resized returns b with length n, new if it must be.
func Resized[T any](b []T, n int) []T {
	if cap(b) < n {
		return make([]T, n, n+min(n/8, 128<<10)) // pages differ a little in length
	}
	return b[:n]
}
