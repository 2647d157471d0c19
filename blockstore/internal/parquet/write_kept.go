package parquet

import (
	"encoding/binary"
	"math/big"
	"unsafe"

	"github.com/parquet-go/parquet-go"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// keptValues converts values of a kept column, starting at value at. The results for nulls are
// undefined.
type keptValues func(values []parquet.Value, c *stream.Column, at int) error

// keptLeaf returns the Parquet type for a logical type and the conversion to it. If Parquet lacks
// the type, it is the closest one that can represent all values: seconds become milliseconds,
// durations integers in their unit, float16 float32.
func keptLeaf(t logical.Type) (parquet.Node, keptValues) {
	switch t.Class {
	case logical.Bool:
		return parquet.Leaf(parquet.BooleanType), boolValues
	case logical.Int, logical.Uint:
		return wholeLeaf(t)
	case logical.Float:
		return floatLeaf(t)
	case logical.Decimal:
		return decimalLeaf(t)
	case logical.Date:
		return parquet.Date(), dayValues(t)
	case logical.Time, logical.Timestamp:
		return timeLeaf(t)
	case logical.Duration:
		return parquet.Leaf(parquet.Int64Type), longValues
	}
	return bytesLeaf(t)
}

func boolValues(values []parquet.Value, c *stream.Column, at int) error {
	for i, v := range c.Ints[at:][:len(values)] {
		values[i] = parquet.BooleanValue(v != 0)
	}
	return nil
}

func longValues(values []parquet.Value, c *stream.Column, at int) error {
	for i, v := range c.Ints[at:][:len(values)] {
		values[i] = parquet.Int64Value(v)
	}
	return nil
}

func shortValues(values []parquet.Value, c *stream.Column, at int) error {
	for i, v := range c.Ints[at:][:len(values)] {
		values[i] = parquet.Int32Value(int32(v))
	}
	return nil
}

func doubleValues(values []parquet.Value, c *stream.Column, at int) error {
	for i, v := range c.Floats[at:][:len(values)] {
		values[i] = parquet.DoubleValue(v)
	}
	return nil
}

func floatValues(values []parquet.Value, c *stream.Column, at int) error {
	for i, v := range c.Floats[at:][:len(values)] {
		values[i] = parquet.FloatValue(float32(v))
	}
	return nil
}

// convertEach returns keptValues that convert each value by the given function, which may fail.
func convertEach(value func(c *stream.Column, i int) (parquet.Value, error)) keptValues {
	return func(values []parquet.Value, c *stream.Column, at int) (err error) {
		for i := range values {
			if c.Null(at + i) {
				continue
			}
			if values[i], err = value(c, at+i); err != nil {
				return err
			}
		}
		return nil
	}
}

// wholeLeaf is keptLeaf for integers.
func wholeLeaf(t logical.Type) (parquet.Node, keptValues) {
	node := parquet.Uint(int(t.Bits))
	switch {
	case t.Equal(logical.Int64):
		node = parquet.Leaf(parquet.Int64Type)
	case t.Class == logical.Int && t.Bits == 32:
		node = parquet.Leaf(parquet.Int32Type)
	case t.Class == logical.Int:
		node = parquet.Int(int(t.Bits))
	}
	if t.Bits == 64 {
		return node, longValues
	}
	return node, shortValues
}

func floatLeaf(t logical.Type) (parquet.Node, keptValues) {
	if t.Bits == 64 {
		return parquet.Leaf(parquet.DoubleType), doubleValues
	}
	return parquet.Leaf(parquet.FloatType), floatValues
}

// dayValues converts dates, possibly in milliseconds, to days.
func dayValues(t logical.Type) keptValues {
	if t.Unit == logical.NoUnit {
		return shortValues
	}
	return func(values []parquet.Value, c *stream.Column, at int) error {
		for i, v := range c.Ints[at:][:len(values)] {
			values[i] = parquet.Int32Value(int32(column.Days(v, t.Unit)))
		}
		return nil
	}
}

// timeLeaf is keptLeaf for times and timestamps.
func timeLeaf(t logical.Type) (parquet.Node, keptValues) {
	unit, values := parquet.Millisecond, keptValues(longValues)
	switch t.Unit {
	case logical.Second:
		values = convertEach(secondsToMillis)
	case logical.Microsecond:
		unit = parquet.Microsecond
	case logical.Nanosecond:
		unit = parquet.Nanosecond
	}
	if t.Class == logical.Timestamp {
		return parquet.TimestampAdjusted(unit, t.Zone != ""), values
	}
	if t.Unit == logical.Millisecond {
		values = shortValues
	}
	if t.Unit == logical.Second {
		values = convertEach(func(c *stream.Column, i int) (parquet.Value, error) {
			return parquet.Int32Value(int32(c.Ints[i] * 1000)), nil
		})
	}
	return parquet.TimeAdjusted(unit, t.Zone != ""), values
}

// secondsToMillis converts seconds to milliseconds.
func secondsToMillis(c *stream.Column, i int) (parquet.Value, error) {
	v := c.Ints[i]
	if v*1000/1000 != v {
		return parquet.Value{}, fault.New("the time %d s since 1970 is beyond what milliseconds of 64 bits hold", v).WithRemedy("write .arrow")
	}
	return parquet.Int64Value(v * 1000), nil
}

// decimalLeaf is keptLeaf for decimals: integers of 32 or 64 bits for up to 9 or 18 digits. Parquet
// allows neither negative scales nor scales above the precision.
func decimalLeaf(t logical.Type) (parquet.Node, keptValues) {
	digits, scale, factor := int(t.Precision), int(t.Scale), big.NewInt(1)
	if scale < 0 {
		factor.Exp(big.NewInt(10), big.NewInt(int64(-scale)), nil)
		digits, scale = digits-scale, 0
	}
	digits = max(digits, scale)
	unscaled := func(c *stream.Column, i int) int64 { // of at most 18 digits
		return lastInt64(c.Strings[i]) * factor.Int64()
	}
	switch {
	case digits <= 9:
		return parquet.Decimal(scale, digits, parquet.Int32Type), convertEach(func(c *stream.Column, i int) (parquet.Value, error) {
			return parquet.Int32Value(int32(unscaled(c, i))), nil
		})
	case digits <= 18:
		return parquet.Decimal(scale, digits, parquet.Int64Type), convertEach(func(c *stream.Column, i int) (parquet.Value, error) {
			return parquet.Int64Value(unscaled(c, i)), nil
		})
	}
	size := 1
	for most := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil); most.BitLen() > 8*size-1; {
		size++
	}
	return parquet.Decimal(scale, digits, parquet.FixedLenByteArrayType(size)), convertEach(func(c *stream.Column, i int) (parquet.Value, error) {
		if v, ok := truncateInteger(c.Strings[i], size); ok && t.Scale >= 0 {
			return parquet.FixedLenByteArrayValue(bytesOf(v)), nil
		}
		b, ok := column.TwosComplement(new(big.Int).Mul(column.BigEndianInt(c.Strings[i]), factor), size)
		if !ok {
			return parquet.Value{}, fault.New("a decimal has more than its %d digits", digits).
				WithRemedy("mend the file")
		}
		return parquet.FixedLenByteArrayValue(b), nil
	})
}

// truncateInteger truncates an integer in two's complement to its last size bytes, and reports whether its
// value is unchanged.
func truncateInteger(b string, size int) (string, bool) {
	above := len(b) - size
	if above < 0 {
		return "", false
	}
	sign := byte(int8(b[above]) >> 7)
	for i := range above {
		if b[i] != sign {
			return "", false
		}
	}
	return b[above:], true
}

// lastInt64 returns the last eight bytes of an integer in two's complement as an int64.
func lastInt64(b string) int64 {
	if len(b) < 8 {
		return column.BigEndianInt(b).Int64()
	}
	return int64(binary.BigEndian.Uint64(bytesOf(b[len(b)-8:])))
}

// bytesOf returns the bytes of a text, which must not be changed.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// bytesLeaf is keptLeaf for words and bytes.
func bytesLeaf(t logical.Type) (parquet.Node, keptValues) {
	words := func(values []parquet.Value, c *stream.Column, at int) error {
		for i, v := range c.Strings[at:][:len(values)] {
			values[i] = parquet.ByteArrayValue(bytesOf(v))
		}
		return nil
	}
	fixed := func(values []parquet.Value, c *stream.Column, at int) error {
		for i, v := range c.Strings[at:][:len(values)] {
			values[i] = parquet.FixedLenByteArrayValue(bytesOf(v))
		}
		return nil
	}
	switch t.Class {
	case logical.UUID:
		return parquet.UUID(), fixed
	case logical.Enum:
		return parquet.Enum(), words
	case logical.JSON:
		return parquet.JSON(), words
	case logical.Bytes, logical.Unmarked:
		if t.Size > 0 {
			return parquet.Leaf(parquet.FixedLenByteArrayType(int(t.Size))), fixed
		}
		return parquet.Leaf(parquet.ByteArrayType), words
	}
	return parquet.String(), words
}
