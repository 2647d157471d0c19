package parquet

import (
	"math/big"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
	"github.com/parquet-go/parquet-go"
)

// keptValue returns value i of a kept column, which is not null.
type keptValue func(c *stream.Column, i int) (parquet.Value, error)

// keptLeaf returns the type that values of a logical type have in a Parquet file, and what makes them. Where Parquet
// lacks the type it is the next one that holds all values: seconds are milliseconds, durations integers of their
// unit, float16 is float32.
func keptLeaf(t logical.Type) (parquet.Node, keptValue) {
	switch t.Class {
	case logical.Bool:
		return parquet.Leaf(parquet.BooleanType), func(c *stream.Column, i int) (parquet.Value, error) {
			return parquet.BooleanValue(c.Ints[i] != 0), nil
		}
	case logical.Int, logical.Uint:
		return wholeLeaf(t)
	case logical.Float:
		return floatLeaf(t)
	case logical.Decimal:
		return decimalLeaf(t)
	case logical.Date:
		return parquet.Date(), dayValue(t)
	case logical.Time, logical.Timestamp:
		return timeLeaf(t)
	case logical.Duration:
		return parquet.Leaf(parquet.Int64Type), longValue
	}
	return bytesLeaf(t)
}

func longValue(c *stream.Column, i int) (parquet.Value, error) {
	return parquet.Int64Value(c.Ints[i]), nil
}

func shortValue(c *stream.Column, i int) (parquet.Value, error) {
	return parquet.Int32Value(int32(c.Ints[i])), nil
}

// wholeLeaf is keptLeaf of integers.
func wholeLeaf(t logical.Type) (parquet.Node, keptValue) {
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
		return node, longValue
	}
	return node, shortValue
}

func floatLeaf(t logical.Type) (parquet.Node, keptValue) {
	if t.Bits == 64 {
		return parquet.Leaf(parquet.DoubleType), func(c *stream.Column, i int) (parquet.Value, error) {
			return parquet.DoubleValue(c.Floats[i]), nil
		}
	}
	return parquet.Leaf(parquet.FloatType), func(c *stream.Column, i int) (parquet.Value, error) {
		return parquet.FloatValue(float32(c.Floats[i])), nil
	}
}

// dayValue makes days of dates, which may be milliseconds.
func dayValue(t logical.Type) keptValue {
	if t.Unit == logical.NoUnit {
		return shortValue
	}
	return func(c *stream.Column, i int) (parquet.Value, error) {
		return parquet.Int32Value(int32(column.Days(c.Ints[i], t.Unit))), nil
	}
}

// timeLeaf is keptLeaf of times and timestamps.
func timeLeaf(t logical.Type) (parquet.Node, keptValue) {
	unit, value := parquet.Millisecond, keptValue(longValue)
	switch t.Unit {
	case logical.Second:
		value = thousandfold
	case logical.Microsecond:
		unit = parquet.Microsecond
	case logical.Nanosecond:
		unit = parquet.Nanosecond
	}
	if t.Class == logical.Timestamp {
		return parquet.TimestampAdjusted(unit, t.Zone != ""), value
	}
	if unit == parquet.Millisecond {
		long := value
		value = func(c *stream.Column, i int) (parquet.Value, error) {
			v, err := long(c, i)
			return parquet.Int32Value(int32(v.Int64())), err
		}
	}
	return parquet.TimeAdjusted(unit, t.Zone != ""), value
}

// thousandfold makes milliseconds of seconds.
func thousandfold(c *stream.Column, i int) (parquet.Value, error) {
	v := c.Ints[i]
	if v*1000/1000 != v {
		return parquet.Value{}, fault.New("the time %d s since 1970 is beyond what milliseconds of 64 bits hold", v).Do("write .arrow")
	}
	return parquet.Int64Value(v * 1000), nil
}

// decimalLeaf is keptLeaf of decimals: integers of 32 or 64 bits for up to 9 or 18 digits. Parquet has no digits
// left of the point that are left out, and no more behind it than there are.
func decimalLeaf(t logical.Type) (parquet.Node, keptValue) {
	digits, scale, factor := int(t.Precision), int(t.Scale), big.NewInt(1)
	if scale < 0 {
		factor.Exp(big.NewInt(10), big.NewInt(int64(-scale)), nil)
		digits, scale = digits-scale, 0
	}
	digits = max(digits, scale)
	unscaled := func(c *stream.Column, i int) *big.Int {
		return new(big.Int).Mul(column.BigEndianInt(c.Strings[i]), factor)
	}
	switch {
	case digits <= 9:
		return parquet.Decimal(scale, digits, parquet.Int32Type), func(c *stream.Column, i int) (parquet.Value, error) {
			return parquet.Int32Value(int32(unscaled(c, i).Int64())), nil
		}
	case digits <= 18:
		return parquet.Decimal(scale, digits, parquet.Int64Type), func(c *stream.Column, i int) (parquet.Value, error) {
			return parquet.Int64Value(unscaled(c, i).Int64()), nil
		}
	}
	size := 1
	for most := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil); most.BitLen() > 8*size-1; {
		size++
	}
	return parquet.Decimal(scale, digits, parquet.FixedLenByteArrayType(size)), func(c *stream.Column, i int) (parquet.Value, error) {
		b, ok := column.TwosComplement(unscaled(c, i), size)
		if !ok {
			return parquet.Value{}, fault.New("a decimal has more than its %d digits", digits).Do("mend the file")
		}
		return parquet.FixedLenByteArrayValue(b), nil
	}
}

// bytesLeaf is keptLeaf of words and bytes.
func bytesLeaf(t logical.Type) (parquet.Node, keptValue) {
	words := func(c *stream.Column, i int) (parquet.Value, error) {
		return parquet.ByteArrayValue([]byte(c.Strings[i])), nil
	}
	fixed := func(c *stream.Column, i int) (parquet.Value, error) {
		return parquet.FixedLenByteArrayValue([]byte(c.Strings[i])), nil
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
