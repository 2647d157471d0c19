package verb

import (
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// parquetType returns the type in a Parquet file for values of type t, which Parquet may not have.
func parquetType(t logical.Type) logical.Type {
	if t.Zone != "" {
		t.Zone = "UTC"
	}
	switch t.Class {
	case logical.Duration:
		return logical.Int64
	case logical.Dictionary:
		return logical.String
	case logical.Date:
		t.Unit = logical.NoUnit
	case logical.Float:
		t.Bits = max(t.Bits, 32)
	case logical.Time, logical.Timestamp:
		t.Unit = max(t.Unit, logical.Millisecond)
	}
	return t
}

// maxDecimalDigits is the largest number of decimal digits in Parquet files that other programs can read.
const maxDecimalDigits = 38

// parquetChanges describes the columns whose types Parquet does not have, and their replacements.
func parquetChanges(fields []stream.Field) (list []string) {
	for _, f := range fields {
		t := f.Logical()
		switch is := parquetType(t); {
		case !is.Equal(t):
			list = append(list, f.Name+" ("+t.String()+" becomes "+is.String()+")")
		case t.Class == logical.Decimal && int(t.Precision)-int(min(0, t.Scale)) > maxDecimalDigits:
			list = append(list, f.Name+" ("+t.String()+": most programs read no more than 38 digits)")
		}
	}
	return list
}
