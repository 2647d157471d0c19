package stream

import (
	"math"

	"github.com/nystream/nystream/stream/logical"
)

// AppendScalar appends value i of c, neither null nor nested, to a nested value in the form of
// package logical.
func (c *Column) AppendScalar(b []byte, i int) []byte {
	switch {
	case c.hasExact() || c.Kind == String:
		return logical.AppendBytes(b, c.Strings[i])
	case c.Kind == Int64:
		return logical.AppendWord(b, Field{Kind: c.Kind, Type: c.Type}.Logical(), uint64(c.Ints[i]))
	case c.Type.Class == logical.Float && c.Type.Bits < 64:
		return logical.AppendWord(b, c.Type, uint64(math.Float32bits(float32(c.Floats[i]))))
	}
	return logical.AppendWord(b, logical.Float64, math.Float64bits(c.Floats[i]))
}

// TakeScalar reads the next part of a nested value, neither null nor nested, into c as its only
// value. For a decimal it sets only the unscaled integer.
func (c *Column) TakeScalar(from *logical.Cursor) {
	c.Reset()
	switch {
	case c.hasExact():
		c.Floats = append(c.Floats, 0)
		c.Strings = append(c.Strings, from.Bytes())
	case c.Kind == String:
		c.Strings = append(c.Strings, from.Bytes())
	case c.Kind == Int64:
		c.Ints = append(c.Ints, int64(from.Word(Field{Kind: c.Kind, Type: c.Type}.Logical())))
	case c.Type.Class == logical.Float && c.Type.Bits < 64:
		c.Floats = append(c.Floats, float64(math.Float32frombits(uint32(from.Word(c.Type)))))
	default:
		c.Floats = append(c.Floats, math.Float64frombits(from.Word(logical.Float64)))
	}
}
