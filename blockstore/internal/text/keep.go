package text

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// keepTyped appends a cell, which is not missing, to a kept column with a logical type. The syntax
// is that of appendTyped.
func keepTyped(c *stream.Column, cell []byte) error {
	text, t := string(cell), c.Type
	ok := false
	switch t.Class {
	case logical.Bool:
		var v bool
		if v, ok = parseBoolean(cell); !ok {
			ok = text == "0" || text == "1"
			v = text == "1"
		}
		c.Ints = append(c.Ints, map[bool]int64{true: 1}[v])
	case logical.Int:
		v, err := strconv.ParseInt(text, 10, int(t.Bits))
		c.Ints, ok = append(c.Ints, v), err == nil
	case logical.Uint:
		v, err := strconv.ParseUint(text, 10, int(t.Bits))
		c.Ints, ok = append(c.Ints, int64(v)), err == nil
	case logical.Float:
		v, good := ParseNumber(cell)
		c.Floats, ok = append(c.Floats, float64(float32(v))), good
	case logical.Decimal:
		var unscaled string
		if unscaled, ok = unscaledDecimal(text, int(t.Precision), int(t.Scale)); ok {
			v, _ := ParseNumber(cell)
			c.Floats, c.Strings = append(c.Floats, v), append(c.Strings, unscaled)
		}
	case logical.Date, logical.Timestamp:
		var m moment
		var v int64
		if m, ok = parseMoment(cell); ok {
			v, ok = m.in(t.Unit)
		}
		if t.Class == logical.Date {
			v, ok = m.Unix()/86400, ok && m.isDate
		}
		c.Ints = append(c.Ints, v)
	case logical.Time, logical.Duration:
		parse := parseClock
		if t.Class == logical.Duration {
			parse = parseSpan
		}
		var s span
		var v int64
		if s, ok = parse(cell); ok {
			v, ok = s.in(t.Unit)
		}
		c.Ints = append(c.Ints, v)
	case logical.UUID:
		var v string
		v, ok = parseUUID(cell)
		c.Strings = append(c.Strings, v)
	default:
		c.Strings, ok = append(c.Strings, text), checkText(cell) == nil
	}
	if !ok {
		return fault.New("%q is no value of the type %s", fault.Shorten(cell), t).WithRemedy("mend it, or give the column the type text")
	}
	column.AppendValid(c)
	return nil
}

// unscaledDecimal parses a decimal of the given precision and scale to the form of
// [stream.FieldOf].
func unscaledDecimal(text string, precision, scale int) (string, bool) {
	whole, fraction, _ := strings.Cut(text, ".")
	if len(fraction) > scale || !IsInteger([]byte(whole+fraction)) {
		return "", false
	}
	v, ok := new(big.Int).SetString(whole+fraction+strings.Repeat("0", scale-len(fraction)), 10)
	if !ok || len(strings.TrimLeft(v.String(), "-")) > precision {
		return "", false
	}
	size := 16
	if precision > 38 {
		size = column.MaxDecimal
	}
	b, ok := column.TwosComplement(v, size)
	return string(b), ok
}
