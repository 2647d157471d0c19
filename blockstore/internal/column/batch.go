package column

import (
	"math"
	"slices"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// NewBatch returns a batch for rows of a source with its kept columns. The source may have only
// kept columns.
func NewBatch(info stream.Info, rows int) *stream.Batch {
	return &stream.Batch{X: matrix.New(rows, len(info.Columns)), Kept: info.NewKept()}
}

// Truncate empties the kept columns of dst before a read. It keeps their memory.
func Truncate(dst *stream.Batch, fields []stream.Field) {
	for i := range dst.Kept {
		c := &dst.Kept[i]
		c.Kind, c.Type = fields[i].Kind, fields[i].Type
		c.Reset()
	}
}

// AppendValid records that the value just appended to c is not null.
func AppendValid(c *stream.Column) { appendValid(c, 1) }

// appendValid records that the n values just appended to c are not null.
func appendValid(c *stream.Column, n int) {
	for ; c.Valid != nil && n > 0; n-- {
		c.Valid = append(c.Valid, true)
	}
}

// GrowFloats appends n non-null numbers to c and returns the slice to fill.
func GrowFloats(c *stream.Column, n int) []float64 {
	at := len(c.Floats)
	c.Floats = slices.Grow(c.Floats, n)[:at+n]
	appendValid(c, n)
	return c.Floats[at:]
}

// GrowInts appends n non-null integers to c and returns the slice to fill.
func GrowInts(c *stream.Column, n int) []int64 {
	at := len(c.Ints)
	c.Ints = slices.Grow(c.Ints, n)[:at+n]
	appendValid(c, n)
	return c.Ints[at:]
}

// SetNull records that value i of c is null.
func SetNull(c *stream.Column, i int) {
	if c.Valid == nil {
		c.Valid = make([]bool, c.Len())
		for k := range c.Valid {
			c.Valid[k] = true
		}
	}
	c.Valid[i] = false
}

// AppendNull appends a null to c. A column of floats stores NaN for it, one of decimals also an
// empty string.
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

// Resized returns b with length n, reallocated if necessary.
func Resized[T any](b []T, n int) []T {
	if cap(b) < n {
		return make([]T, n, n+min(n/8, 128<<10)) // headroom, since pages vary slightly in length
	}
	return b[:n]
}
