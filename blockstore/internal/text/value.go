package text

import (
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// AppendValue appends value i of a kept column, which is not null, as in CSV before quoting.
func AppendValue(line []byte, c *stream.Column, i int) []byte { return appendTyped(line, c, i) }

// appendTyped appends value i of a kept column, which is not null, in the syntax of text files:
// true and false, exact decimals, ISO 8601 dates and times, bytes in hexadecimal, words unchanged.
func appendTyped(line []byte, c *stream.Column, i int) []byte {
	switch t := c.Type; t.Class {
	case logical.Bool:
		return strconv.AppendBool(line, c.Ints[i] != 0)
	case logical.Uint:
		return strconv.AppendUint(line, uint64(c.Ints[i]), 10)
	case logical.Float:
		return appendFloat(line, c.Floats[i], 32)
	case logical.Decimal:
		return appendDecimal(line, c.Strings[i], int(t.Scale))
	case logical.Date:
		return time.Unix(86400*column.Days(c.Ints[i], t.Unit), 0).UTC().AppendFormat(line, time.DateOnly)
	case logical.Time:
		return timeOf(c.Ints[i], t.Unit).AppendFormat(line, "15:04:05.999999999")
	case logical.Timestamp:
		line = timeOf(c.Ints[i], t.Unit).AppendFormat(line, "2006-01-02T15:04:05.999999999")
		if t.Zone != "" {
			line = append(line, 'Z')
		}
		return line
	case logical.Duration:
		return appendDuration(line, c.Ints[i], t.Unit)
	case logical.Bytes:
		return hex.AppendEncode(line, []byte(c.Strings[i]))
	case logical.UUID:
		return appendUUID(line, c.Strings[i])
	}
	switch c.Kind {
	case stream.Float64:
		return appendNumber(line, c.Floats[i])
	case stream.Int64:
		return strconv.AppendInt(line, c.Ints[i], 10)
	}
	return append(line, c.Strings[i]...)
}

// appendFloat is appendNumber for a float of the given number of bits.
func appendFloat(line []byte, v float64, bits int) []byte {
	if v != v {
		return append(line, "NaN"...)
	}
	format := byte('g')
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		format = 'f'
	}
	return strconv.AppendFloat(line, v, format, -1, bits)
}

// timeOf returns the time v units after the beginning of 1970.
func timeOf(v int64, unit logical.Unit) time.Time {
	per := unit.PerSecond()
	seconds, rest := v/per, v%per
	return time.Unix(seconds, rest*(1e9/per)).UTC()
}

// appendDuration appends an ISO 8601 duration in seconds: PT1.5S.
func appendDuration(line []byte, v int64, unit logical.Unit) []byte {
	left := uint64(v)
	if v < 0 {
		line, left = append(line, '-'), -left
	}
	per := uint64(unit.PerSecond())
	line = strconv.AppendUint(append(line, "PT"...), left/per, 10)
	if rest := left % per; rest > 0 {
		digits := strconv.FormatUint(per+rest, 10)[1:]
		line = append(append(line, '.'), strings.TrimRight(digits, "0")...)
	}
	return append(line, 'S')
}

// appendDecimal appends an unscaled integer, most significant byte first, with its decimal point.
func appendDecimal(line []byte, unscaled string, scale int) []byte {
	v := column.BigEndianInt(unscaled)
	digits := v.String()
	if v.Sign() < 0 {
		line, digits = append(line, '-'), digits[1:]
	}
	if scale <= 0 {
		if v.Sign() != 0 {
			digits += strings.Repeat("0", -scale)
		}
		return append(line, digits...)
	}
	if len(digits) <= scale {
		digits = strings.Repeat("0", scale+1-len(digits)) + digits
	}
	point := len(digits) - scale
	return append(append(append(line, digits[:point]...), '.'), digits[point:]...)
}

// appendUUID appends 16 bytes as 8-4-4-4-12 hexadecimal digits.
func appendUUID(line []byte, bytes string) []byte {
	for k, part := range []struct{ from, to int }{{0, 4}, {4, 6}, {6, 8}, {8, 10}, {10, 16}} {
		if k > 0 {
			line = append(line, '-')
		}
		line = hex.AppendEncode(line, []byte(bytes[part.from:part.to]))
	}
	return line
}

// isWord reports whether values are formatted as words, which JSON quotes.
func isWord(c *stream.Column) bool {
	if c.Type.Class == logical.None {
		return c.Kind == stream.String
	}
	return !c.Type.IsNumber()
}
