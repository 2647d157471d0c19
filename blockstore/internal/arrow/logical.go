package arrow

import (
	"github.com/apache/arrow/go/v16/arrow"

	"github.com/nystream/nystream/stream/logical"
)

// logicalType returns the logical type of a fixed-width type, the zero Type for one that cannot be
// kept.
func logicalType(t arrow.DataType) logical.Type {
	for name, number := range numberTypes {
		if arrow.TypeEqual(t, number) {
			known, _ := logical.Parse(name)
			return known
		}
	}
	switch t := t.(type) {
	case *arrow.BooleanType:
		return logical.Type{Class: logical.Bool}
	case *arrow.Date32Type:
		return logical.Type{Class: logical.Date}
	case *arrow.Date64Type:
		return logical.Type{Class: logical.Date, Unit: logical.Millisecond}
	case *arrow.TimestampType:
		return logical.Type{Class: logical.Timestamp, Unit: unitOf(t.Unit), Zone: t.TimeZone}
	case *arrow.Time32Type:
		return logical.Type{Class: logical.Time, Unit: unitOf(t.Unit)}
	case *arrow.Time64Type:
		return logical.Type{Class: logical.Time, Unit: unitOf(t.Unit)}
	case *arrow.DurationType:
		return logical.Type{Class: logical.Duration, Unit: unitOf(t.Unit)}
	case arrow.DecimalType:
		if digits, scale := int(t.GetPrecision()), int(t.GetScale()); digits >= 1 && digits <= 76 && scale >= -76 && scale <= 76 {
			return logical.Type{Class: logical.Decimal, Precision: int8(digits), Scale: int8(scale)}
		}
	}
	return logical.Type{}
}

// unitOf converts a time unit of Arrow.
func unitOf(u arrow.TimeUnit) logical.Unit {
	return map[arrow.TimeUnit]logical.Unit{arrow.Second: logical.Second, arrow.Millisecond: logical.Millisecond,
		arrow.Microsecond: logical.Microsecond, arrow.Nanosecond: logical.Nanosecond}[u]
}
