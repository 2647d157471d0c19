package text

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// isMissing reports whether a cell of a text file is a missing value.
func isMissing(cell []byte) bool {
	switch len(cell) {
	case 0:
		return true
	case 1:
		return cell[0] == '?'
	case 2:
		return string(cell) == "NA" || string(cell) == `\N`
	case 3:
		return bytes.EqualFold(cell, []byte("nan")) || string(cell) == "N/A"
	case 4:
		return bytes.EqualFold(cell, []byte("null"))
	}
	return false
}

// IsInteger reports whether a cell is a decimal integer of any size.
func IsInteger(cell []byte) bool {
	if len(cell) > 1 && (cell[0] == '-' || cell[0] == '+') {
		cell = cell[1:]
	}
	return len(cell) > 0 && digitRun(cell) == len(cell)
}

// ParseNumber parses a decimal number, or a spelling of infinity or NaN. Numbers beyond float64
// become infinite. It rejects syntax that only Go accepts, such as 0x1p-2 and 1_000.
func ParseNumber(cell []byte) (float64, bool) {
	if d, ok := parseDecimal(cell); ok {
		if v, ok := d.float(); ok {
			return v, true
		}
	}
	if isHex(cell) || bytes.IndexByte(cell, '_') >= 0 {
		return 0, false
	}
	v, err := strconv.ParseFloat(string(cell), 64)
	return v, err == nil || errors.Is(err, strconv.ErrRange)
}

// IsNumber reports whether ParseNumber accepts a cell. For most numbers it need not compute the
// value.
func IsNumber(cell []byte) bool {
	if isJSONNumber(cell) {
		return true
	}
	_, ok := ParseNumber(cell)
	return ok
}

// isHex reports whether a cell looks like a hexadecimal number, which strconv.ParseFloat would
// accept.
func isHex(cell []byte) bool {
	if len(cell) > 0 && (cell[0] == '-' || cell[0] == '+') {
		cell = cell[1:]
	}
	return len(cell) > 1 && cell[0] == '0' && cell[1]|0x20 == 'x'
}

// parseInt parses a decimal 64-bit integer.
func parseInt(cell []byte) (int64, bool) {
	v, err := strconv.ParseInt(string(cell), 10, 64)
	return v, err == nil
}

// cellKinds collects the types of the cells of one column.
type cellKinds struct {
	integers, numbers, text bool
	floats                  bool // some numbers are not integers
	padded                  bool // some integers have leading zeros: 007

	numeric, other, booleans int64  // cells that are numbers, other cells, and true or false among these
	bad                      string // the first cell that is not a number

	excluded   shapes // of all texts
	hasNanos   bool   // some times have more than six decimals
	outOfNanos bool   // some exceed the range of 64-bit nanoseconds
}

// observe adds one cell.
func (k *cellKinds) observe(cell []byte) {
	if isMissing(cell) {
		return
	}
	if IsInteger(cell) {
		k.integers = true
		k.padded = k.padded || len(cell) > 1 && cell[0] == '0'
		k.numeric++
		if v, ok := parseInt(cell); !ok || v == 0 && cell[0] == '-' {
			k.numbers = true // beyond 64 bits, or -0: a float
			k.floats = k.floats || ok
		}
		return
	}
	if mayBeNumber(cell[0]) {
		if IsNumber(cell) {
			k.numbers, k.floats = true, true
			k.numeric++
			return
		}
	}
	k.text = true
	if _, ok := parseBoolean(cell); ok {
		k.booleans++
	}
	if k.other++; k.other == 1 {
		k.bad = string(fault.Shorten(cell))
	}
	k.shape(cell)
}

// join adds the cells of a later part of the column.
func (k *cellKinds) join(later cellKinds) {
	k.integers, k.numbers, k.text = k.integers || later.integers, k.numbers || later.numbers, k.text || later.text
	if k.other == 0 {
		k.bad = later.bad
	}
	k.floats = k.floats || later.floats
	k.padded = k.padded || later.padded
	k.numeric += later.numeric
	k.other += later.other
	k.booleans += later.booleans
	k.excluded |= later.excluded
	k.hasNanos, k.outOfNanos = k.hasNanos || later.hasNanos, k.outOfNanos || later.outOfNanos
}

// parseBoolean parses true or false in any case: R writes TRUE, Python True.
func parseBoolean(cell []byte) (v, ok bool) {
	switch {
	case len(cell) == 4 && bytes.EqualFold(cell, []byte("true")):
		return true, true
	case len(cell) == 5 && bytes.EqualFold(cell, []byte("false")):
		return false, true
	}
	return false, false
}

// boolean reports whether all cells of the column are true or false.
func (k *cellKinds) boolean() bool { return k.other > 0 && k.booleans == k.other && k.numeric == 0 }

// empty reports whether no cell of the column has a value.
func (k *cellKinds) empty() bool { return k.numeric+k.other == 0 }

// mayBeNumber reports whether a number can begin with c: a digit, a sign, a point, infinity or NaN.
// It spares text columns the number parser.
func mayBeNumber(c byte) bool {
	return c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c|0x20 == 'i' || c|0x20 == 'n'
}

// nearlyNumeric reports whether a column is numeric except for a few cells.
func (k *cellKinds) nearlyNumeric() bool { return k.text && k.numeric >= k.other }

// errNearlyNumeric reports the first cell, or value, that keeps a column from being numeric.
func errNearlyNumeric(line int64, bad string, numbers int64, cell string) *stream.DataError {
	what := fmt.Sprintf("though %d %ss of the column are", numbers, cell)
	if numbers == 1 {
		what = "though 1 " + cell + " of the column is"
	}
	e := fault.New("%s is not a number, %s", bad, what)
	e.Line = line
	return e
}

// kind returns the kind of the column.
func (k cellKinds) kind() column.Kind {
	switch {
	case k.text:
		return column.Text
	case k.integers && !k.numbers:
		return column.Integer
	}
	return column.Number
}

// NumberCell parses a cell of a numeric column as a float64. A missing value is NaN.
func NumberCell(cell []byte) (float64, error) {
	if v, ok := ParseNumber(cell); ok {
		return v, nil
	}
	if isMissing(cell) {
		return math.NaN(), nil
	}
	return 0, errNotNumber(cell)
}

// exactNumber is NumberCell for a column that may have floats. It rejects numbers beyond float64
// and, unless they are rounded, integers that float64 cannot represent.
func exactNumber(cell []byte, floats bool, inexact column.Inexact) (float64, error) {
	v, err := NumberCell(cell)
	if err == nil {
		err = checkRange(cell, v)
	}
	if err == nil && inexact == column.InexactRefuse && IsInexact(cell) && !(floats && column.IsExactText(string(cell), true)) {
		err = column.ErrInexact(string(fault.Shorten(cell)))
	}
	if err != nil {
		return 0, err
	}
	return v, nil
}

// checkRange returns an error if a cell holds digits and its value v is infinite: it is beyond
// float64.
func checkRange(cell []byte, v float64) error {
	if math.IsInf(v, 0) && bytes.ContainsAny(cell, "0123456789") {
		return fault.New("%s is beyond what a float64 holds", fault.Shorten(cell)).WithRemedy("write Infinity if that is meant, or leave the column out")
	}
	return nil
}

// IsInexact reports whether a cell is an integer that float64 cannot represent.
func IsInexact(cell []byte) bool {
	return len(cell) > column.ShortInteger && IsInteger(cell) && !column.IsExactText(string(cell), false)
}

// booleanCell parses a cell of a boolean column as 0 or 1.
func booleanCell(cell []byte) (float64, error) {
	switch v, ok := parseBoolean(cell); {
	case ok && v:
		return 1, nil
	case ok:
		return 0, nil
	case isMissing(cell):
		return math.NaN(), nil
	}
	return 0, fault.New("%q is neither true nor false, like the column when the file was opened", fault.Shorten(cell)).
		WithRemedy("was it changed meanwhile?")
}

// keepBoolean appends a cell of a boolean column to a kept column, as 0 or 1.
func keepBoolean(c *stream.Column, cell []byte) error {
	v, err := booleanCell(cell)
	switch {
	case err != nil:
		return err
	case math.IsNaN(v):
		column.AppendNull(c)
		return nil
	}
	if c.Kind == stream.Float64 {
		c.Floats = append(c.Floats, v)
	} else {
		c.Ints = append(c.Ints, int64(v))
	}
	column.AppendValid(c)
	return nil
}

// errNotNumber reports a cell that should be a number.
func errNotNumber(cell []byte) error {
	return fault.New("%q is not a number", fault.Shorten(cell)).WithRemedy("mend it")
}

// keepCell appends a cell to a kept column. floats is as in exactNumber.
func keepCell(c *stream.Column, cell []byte, floats bool, inexact column.Inexact) error {
	if c.Kind == stream.Float64 && c.Type.Class == logical.None && len(cell) > 0 {
		if v, err := exactNumber(cell, floats, inexact); err == nil && v == v { // the most frequent case
			c.Floats = append(c.Floats, v)
			column.AppendValid(c)
			return nil
		}
	}
	if len(cell) == 0 || (c.Kind != stream.String || c.Type.Class != logical.None) && isMissing(cell) { // NA is an ordinary text
		column.AppendNull(c)
		return nil
	}
	if c.Type.Class != logical.None {
		return keepTyped(c, cell)
	}
	switch c.Kind {
	case stream.String:
		if err := checkText(cell); err != nil {
			return err
		}
		c.Strings = append(c.Strings, string(cell))
	case stream.Int64:
		v, ok := parseInt(cell)
		if !ok {
			return errNotNumber(cell)
		}
		c.Ints = append(c.Ints, v)
	case stream.Float64:
		v, err := exactNumber(cell, floats, inexact)
		if err != nil {
			return err
		}
		c.Floats = append(c.Floats, v)
	}
	column.AppendValid(c)
	return nil
}
