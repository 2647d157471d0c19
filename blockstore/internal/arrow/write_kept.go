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

// extensionName is where the metadata of a field say that its type is an extension of another one.
const extensionName = "ARROW:extension:name"

// keptField returns the field of a kept column. A dictionary may grow from batch to batch in a stream and not in a
// file: grows says whether there may be one.
func keptField(f stream.Field, grows bool) arrow.Field {
	t := f.Logical()
	if t.Class == logical.Dictionary && !grows {
		t = logical.String
	}
	return nullable(f.Name, t)
}

// nullable returns a field of a logical type.
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

// numberTypes are the types of numbers by the names of package logical.
var numberTypes = map[string]arrow.DataType{
	"int8": arrow.PrimitiveTypes.Int8, "int16": arrow.PrimitiveTypes.Int16, "int32": arrow.PrimitiveTypes.Int32, "int64": arrow.PrimitiveTypes.Int64,
	"uint8": arrow.PrimitiveTypes.Uint8, "uint16": arrow.PrimitiveTypes.Uint16, "uint32": arrow.PrimitiveTypes.Uint32, "uint64": arrow.PrimitiveTypes.Uint64,
	"float16": arrow.FixedWidthTypes.Float16, "float32": arrow.PrimitiveTypes.Float32, "float64": arrow.PrimitiveTypes.Float64,
}

// addKept appends value i of c.
func addKept(to array.Builder, c *stream.Column, i int) error {
	if c.Null(i) {
		to.AppendNull()
		return nil
	}
	switch to := to.(type) {
	case *array.ListBuilder, *array.FixedSizeListBuilder, *array.StructBuilder, *array.MapBuilder:
		return addNested(to, c, i)
	case *array.Float64Builder:
		to.Append(c.Floats[i])
	case *array.Float32Builder:
		to.Append(float32(c.Floats[i]))
	case *array.Float16Builder:
		to.Append(float16.New(float32(c.Floats[i])))
	case *array.BooleanBuilder:
		to.Append(c.Ints[i] != 0)
	case *array.Decimal128Builder:
		to.Append(decimal128.FromBigInt(column.BigEndianInt(c.Strings[i])))
	case *array.Decimal256Builder:
		to.Append(decimal256.FromBigInt(column.BigEndianInt(c.Strings[i])))
	case *array.StringBuilder:
		to.Append(c.Strings[i])
	case *array.BinaryBuilder:
		to.AppendString(c.Strings[i])
	case *array.FixedSizeBinaryBuilder:
		to.Append([]byte(c.Strings[i]))
	case *array.BinaryDictionaryBuilder:
		return to.AppendString(c.Strings[i])
	default:
		return addWhole(to, c.Ints[i])
	}
	return nil
}

// addWhole appends an integer, or what is stored as one.
func addWhole(to array.Builder, v int64) error {
	switch to := to.(type) {
	case *array.Int64Builder:
		to.Append(v)
	case *array.Int32Builder:
		to.Append(int32(v))
	case *array.Int16Builder:
		to.Append(int16(v))
	case *array.Int8Builder:
		to.Append(int8(v))
	case *array.Uint64Builder:
		to.Append(uint64(v))
	case *array.Uint32Builder:
		to.Append(uint32(v))
	case *array.Uint16Builder:
		to.Append(uint16(v))
	case *array.Uint8Builder:
		to.Append(uint8(v))
	case *array.Date32Builder:
		to.Append(arrow.Date32(v))
	case *array.Date64Builder:
		to.Append(arrow.Date64(v))
	case *array.Time32Builder:
		to.Append(arrow.Time32(v))
	case *array.Time64Builder:
		to.Append(arrow.Time64(v))
	case *array.TimestampBuilder:
		to.Append(arrow.Timestamp(v))
	case *array.DurationBuilder:
		to.Append(arrow.Duration(v))
	default:
		panic(fmt.Sprintf("arrow: no value for %T", to))
	}
	return nil
}
