package parquet

import (
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/stream/logical"
)

// logicalType returns the logical type of a leaf, the zero Type for unsupported ones.
func logicalType(e *format.SchemaElement) logical.Type {
	size := int(e.TypeLength.V)
	fixed := e.Type.V == format.FixedLenByteArray
	if !e.Type.Valid || fixed && (size <= 0 || size > maxFixedBytes) {
		return logical.Type{}
	}
	if isDecimal(e) {
		return decimalType(e)
	}
	for _, t := range []logical.Type{annotatedType(e), convertedType(e)} {
		whole := e.Type.V == format.Int32 || e.Type.V == format.Int64
		if t.Class != logical.None && (whole || !isWhole(t)) {
			return t
		}
	}
	switch e.Type.V {
	case format.Boolean:
		return logical.Type{Class: logical.Bool}
	case format.Int32:
		return logical.Type{Class: logical.Int, Bits: 32}
	case format.Int64:
		return logical.Int64
	case format.Int96:
		return logical.Type{Class: logical.Timestamp, Unit: logical.Nanosecond}
	case format.Float:
		return logical.Type{Class: logical.Float, Bits: 32}
	case format.Double:
		return logical.Float64
	case format.FixedLenByteArray:
		return logical.Type{Class: logical.Bytes, Size: int32(size)}
	}
	if e.LogicalType.Value == nil && !e.ConvertedType.Valid {
		return logical.Type{Class: logical.Unmarked}
	}
	return logical.Type{Class: logical.Bytes}
}

// isWhole reports whether Parquet stores values of a type as integers.
func isWhole(t logical.Type) bool {
	return t.Class == logical.Int || t.Class == logical.Uint || t.IsTemporal()
}

// decimalType is logicalType for a decimal.
func decimalType(e *format.SchemaElement) logical.Type {
	digits, scale := int(e.Precision.V), int(e.Scale.V)
	if d, ok := e.LogicalType.Value.(*format.DecimalType); ok {
		digits, scale = int(d.Precision), int(d.Scale)
	}
	if kind, _ := leafKind(e); kind != column.Number || digits < 1 || digits > column.MaxScale || scale > digits {
		return logical.Type{}
	}
	return logical.Type{Class: logical.Decimal, Precision: int8(digits), Scale: int8(scale)}
}

// annotatedType is logicalType for a leaf with a logical type annotation.
func annotatedType(e *format.SchemaElement) logical.Type {
	words := e.Type.V == format.ByteArray
	switch t := e.LogicalType.Value.(type) {
	case *format.StringType:
		return textType(words, logical.Text)
	case *format.EnumType:
		return textType(words, logical.Enum)
	case *format.JsonType:
		return textType(words, logical.JSON)
	case *format.UUIDType:
		if e.Type.V == format.FixedLenByteArray && e.TypeLength.V == 16 {
			return logical.Type{Class: logical.UUID}
		}
	case *format.Float16Type:
		if e.Type.V == format.FixedLenByteArray && e.TypeLength.V == 2 {
			return logical.Type{Class: logical.Float, Bits: 16}
		}
	case *format.DateType:
		return logical.Type{Class: logical.Date}
	case *format.TimeType:
		return logical.Type{Class: logical.Time, Unit: unitOf(t.Unit), Zone: zoneOf(t.IsAdjustedToUTC)}
	case *format.TimestampType:
		return logical.Type{Class: logical.Timestamp, Unit: unitOf(t.Unit), Zone: zoneOf(t.IsAdjustedToUTC)}
	case *format.IntType:
		class := logical.Uint
		if t.IsSigned {
			class = logical.Int
		}
		if bits := int(t.BitWidth); bits == 8 || bits == 16 || bits == 32 || bits == 64 {
			return logical.Type{Class: class, Bits: uint8(bits)}
		}
	}
	return logical.Type{}
}

// textType returns a variable-length type, the zero Type if values are not byte arrays.
func textType(words bool, class logical.Class) logical.Type {
	if !words {
		return logical.Type{}
	}
	return logical.Type{Class: class}
}

// zoneOf returns the zone of a time that Parquet marks as UTC or local.
func zoneOf(utc bool) string {
	if utc {
		return "UTC"
	}
	return ""
}

func unitOf(u format.TimeUnit) logical.Unit {
	switch u.Value.(type) {
	case *format.MilliSeconds:
		return logical.Millisecond
	case *format.NanoSeconds:
		return logical.Nanosecond
	}
	return logical.Microsecond
}

// convertedType is logicalType for a leaf of an older writer with a converted type. Its times are in
// UTC.
func convertedType(e *format.SchemaElement) logical.Type {
	if !e.ConvertedType.Valid {
		return logical.Type{}
	}
	words := e.Type.V == format.ByteArray
	time := func(class logical.Class, unit logical.Unit) logical.Type {
		return logical.Type{Class: class, Unit: unit, Zone: "UTC"}
	}
	switch c := e.ConvertedType.V; c {
	case deprecated.UTF8:
		return textType(words, logical.Text)
	case deprecated.Enum:
		return textType(words, logical.Enum)
	case deprecated.Json:
		return textType(words, logical.JSON)
	case deprecated.Date:
		return logical.Type{Class: logical.Date}
	case deprecated.TimeMillis:
		return time(logical.Time, logical.Millisecond)
	case deprecated.TimeMicros:
		return time(logical.Time, logical.Microsecond)
	case deprecated.TimestampMillis:
		return time(logical.Timestamp, logical.Millisecond)
	case deprecated.TimestampMicros:
		return time(logical.Timestamp, logical.Microsecond)
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
		return logical.Type{Class: logical.Uint, Bits: uint8(8 << (c - deprecated.Uint8))}
	case deprecated.Int8, deprecated.Int16, deprecated.Int32, deprecated.Int64:
		return logical.Type{Class: logical.Int, Bits: uint8(8 << (c - deprecated.Int8))}
	}
	return logical.Type{}
}
