package arrow

import (
	"fmt"

	"github.com/apache/arrow/go/v16/arrow"
	"github.com/apache/arrow/go/v16/arrow/array"
	"github.com/apache/arrow/go/v16/arrow/decimal128"
	"github.com/apache/arrow/go/v16/arrow/decimal256"
	"github.com/apache/arrow/go/v16/arrow/float16"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// extensionName is the metadata key of the extension type of a field.
const extensionName = "ARROW:extension:name"

// keptField returns the field of a kept column. A dictionary may grow from batch to batch in a
// stream but not in a file; grows reports whether the output allows it.
func keptField(f stream.Field, grows bool) arrow.Field {
	t := f.Logical()
	if t.Class == logical.Dictionary && !grows {
		t = logical.String
	}
	return nullable(f.Name, t)
}

// nullable returns a nullable field of a logical type.
func nullable(name string, t logical.Type) arrow.Field {
	out := arrow.Field{Name: name, Type: keptType(t), Nullable: true}
	if name := map[logical.Class]string{logical.UUID: "arrow.uuid", logical.JSON: "arrow.json"}[t.Class]; name != "" {
		out.Metadata = arrow.MetadataFrom(map[string]string{extensionName: name, "ARROW:extension:metadata": ""})
	}
	return out
}

// keptType returns the type of a kept column.
func keptType(t logical.Type) arrow.DataType {
	unit := map[logical.Unit]arrow.TimeUnit{logical.Second: arrow.Second, logical.Millisecond: arrow.Millisecond,
		logical.Microsecond: arrow.Microsecond, logical.Nanosecond: arrow.Nanosecond}[t.Unit]
	switch t.Class {
	case logical.Bool:
		return arrow.FixedWidthTypes.Boolean
	case logical.Int, logical.Uint, logical.Float:
		return numberTypes[t.String()]
	case logical.Decimal:
		if int(t.Precision) > decimal128.MaxPrecision {
			return &arrow.Decimal256Type{Precision: int32(t.Precision), Scale: int32(t.Scale)}
		}
		return &arrow.Decimal128Type{Precision: int32(t.Precision), Scale: int32(t.Scale)}
	case logical.Date:
		if t.Unit == logical.Millisecond {
			return arrow.FixedWidthTypes.Date64
		}
		return arrow.FixedWidthTypes.Date32
	case logical.Time:
		if t.Unit <= logical.Millisecond {
			return &arrow.Time32Type{Unit: unit}
		}
		return &arrow.Time64Type{Unit: unit}
	case logical.Timestamp:
		return &arrow.TimestampType{Unit: unit, TimeZone: t.Zone}
	case logical.Duration:
		return &arrow.DurationType{Unit: unit}
	case logical.UUID:
		return &arrow.FixedSizeBinaryType{ByteWidth: 16}
	case logical.Bytes, logical.Unmarked:
		if t.Size > 0 {
			return &arrow.FixedSizeBinaryType{ByteWidth: int(t.Size)}
		}
		return arrow.BinaryTypes.Binary
	case logical.List, logical.Map, logical.Struct:
		return nestedType(t)
	case logical.Enum, logical.Dictionary:
		return &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	}
	return arrow.BinaryTypes.String
}

// numberTypes maps names of package logical to types of numbers.
var numberTypes = map[string]arrow.DataType{
	"int8": arrow.PrimitiveTypes.Int8, "int16": arrow.PrimitiveTypes.Int16, "int32": arrow.PrimitiveTypes.Int32, "int64": arrow.PrimitiveTypes.Int64,
	"uint8": arrow.PrimitiveTypes.Uint8, "uint16": arrow.PrimitiveTypes.Uint16, "uint32": arrow.PrimitiveTypes.Uint32, "uint64": arrow.PrimitiveTypes.Uint64,
	"float16": arrow.FixedWidthTypes.Float16, "float32": arrow.PrimitiveTypes.Float32, "float64": arrow.PrimitiveTypes.Float64,
}

// addKept appends the values first..last-1 of c.
func addKept(to array.Builder, c *stream.Column, first, last int) error {
	var valid []bool
	if c.Valid != nil {
		valid = c.Valid[first:last]
	}
	switch to := to.(type) {
	case *array.Float64Builder:
		to.AppendValues(c.Floats[first:last], valid)
	case *array.Float32Builder:
		addNumbers(to, c.Floats[first:last], valid)
	case *array.StringBuilder:
		to.AppendValues(c.Strings[first:last], valid)
	default:
		if c.Kind == stream.Int64 {
			return addWhole(to, c.Ints[first:last], valid)
		}
		for i := first; i < last; i++ {
			if c.Null(i) {
				to.AppendNull()
			} else if err := addOne(to, c, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// numberBuilder is a builder of an array of numbers.
type numberBuilder[T any] interface {
	array.Builder
	UnsafeAppend(T)
	UnsafeAppendBoolToBitmap(bool)
}

// number is a type of numbers in Arrow arrays.
type number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// addNumbers appends numbers, invalid ones as nulls. A nil valid means that none is null.
func addNumbers[T, F number](to numberBuilder[T], numbers []F, valid []bool) {
	to.Reserve(len(numbers))
	for i, v := range numbers {
		if valid == nil || valid[i] {
			to.UnsafeAppend(T(v))
		} else {
			to.UnsafeAppendBoolToBitmap(false)
		}
	}
}

// addWhole appends integers, or values stored as integers.
func addWhole(to array.Builder, ints []int64, valid []bool) error {
	switch to := to.(type) {
	case *array.Int64Builder:
		to.AppendValues(ints, valid)
	case *array.Int32Builder:
		addNumbers(to, ints, valid)
	case *array.Int16Builder:
		addNumbers(to, ints, valid)
	case *array.Int8Builder:
		addNumbers(to, ints, valid)
	case *array.Uint64Builder:
		addNumbers(to, ints, valid)
	case *array.Uint32Builder:
		addNumbers(to, ints, valid)
	case *array.Uint16Builder:
		addNumbers(to, ints, valid)
	case *array.Uint8Builder:
		addNumbers(to, ints, valid)
	case *array.Date32Builder:
		addNumbers(to, ints, valid)
	case *array.Date64Builder:
		addNumbers(to, ints, valid)
	case *array.Time32Builder:
		addNumbers(to, ints, valid)
	case *array.Time64Builder:
		addNumbers(to, ints, valid)
	case *array.TimestampBuilder:
		addNumbers(to, ints, valid)
	case *array.DurationBuilder:
		addNumbers(to, ints, valid)
	case *array.BooleanBuilder:
		for i, v := range ints {
			if valid == nil || valid[i] {
				to.Append(v != 0)
			} else {
				to.AppendNull()
			}
		}
	default:
		panic(fmt.Sprintf("arrow: no value for %T", to))
	}
	return nil
}

// addOne appends value i of c, which is not null.
func addOne(to array.Builder, c *stream.Column, i int) error {
	switch to := to.(type) {
	case *array.ListBuilder, *array.FixedSizeListBuilder, *array.StructBuilder, *array.MapBuilder:
		return addNested(to, c, i)
	case *array.Float16Builder:
		to.Append(float16.New(float32(c.Floats[i])))
	case *array.Decimal128Builder:
		to.Append(decimal128.FromBigInt(column.BigEndianInt(c.Strings[i])))
	case *array.Decimal256Builder:
		to.Append(decimal256.FromBigInt(column.BigEndianInt(c.Strings[i])))
	case *array.BinaryBuilder:
		to.AppendString(c.Strings[i])
	case *array.FixedSizeBinaryBuilder:
		to.Append([]byte(c.Strings[i]))
	case *array.BinaryDictionaryBuilder:
		return to.AppendString(c.Strings[i])
	default:
		panic(fmt.Sprintf("arrow: no value for %T", to))
	}
	return nil
}
