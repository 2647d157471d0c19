package stream

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"github.com/nystream/nystream/stream/logical"
)

// FieldOf returns a kept column of a logical type. Its kind determines where a [Column] stores the
// values:
//
//	Ints      bools as 0 and 1; integers, unsigned ones by their 64 bits; dates, times, timestamps and durations
//	Floats    floats of any width
//	Strings   text, bytes, the 16 bytes of UUIDs, nested values in the form of package logical
//
// A decimal is stored twice: its unscaled integer in Strings, in two's complement with the most
// significant byte first, and the nearest float64 in Floats, for computing.
func FieldOf(name string, t logical.Type) Field {
	f := Field{Name: name, Kind: String, Type: t}
	switch t.Class {
	case logical.Bool, logical.Int, logical.Uint, logical.Date, logical.Time, logical.Timestamp, logical.Duration:
		f.Kind = Int64
	case logical.Float, logical.Decimal:
		f.Kind = Float64
	}
	if t.Equal(logical.Int64) || t.Equal(logical.Float64) || t.Equal(logical.String) {
		f.Type = logical.Type{}
	}
	return f
}

// Logical returns the logical type of the column. A zero Type is derived from Kind.
func (f Field) Logical() logical.Type {
	if f.Type.Class == logical.None {
		return [...]logical.Type{Float64: logical.Float64, Int64: logical.Int64, String: logical.String}[f.Kind]
	}
	return f.Type
}

// Column returns an empty column for values of the field.
func (f Field) Column() Column { return Column{Kind: f.Kind, Type: f.Type} }

// NewKept returns empty columns for the kept columns of a source, for use as [Batch].Kept. It
// returns nil if there are none.
func (i Info) NewKept() []Column {
	if len(i.Kept) == 0 {
		return nil
	}
	columns := make([]Column, len(i.Kept))
	for k, f := range i.Kept {
		columns[k] = f.Column()
	}
	return columns
}

// Len returns the number of values in the column.
func (c *Column) Len() int {
	switch c.Kind {
	case Float64:
		return len(c.Floats)
	case Int64:
		return len(c.Ints)
	default:
		return len(c.Strings)
	}
}

// check returns an error unless the column matches the field and has the given number of values.
func (c *Column) check(f Field, rows int) error {
	switch {
	case c.Kind != f.Kind:
		return fmt.Errorf("column %q holds values of kind %v, not %v", f.Name, c.Kind, f.Kind)
	case c.Len() != rows:
		return fmt.Errorf("column %q has %d values for %d rows", f.Name, c.Len(), rows)
	case c.Valid != nil && len(c.Valid) != rows:
		return fmt.Errorf("column %q: Valid has %d values for %d rows", f.Name, len(c.Valid), rows)
	case c.hasExact() && len(c.Strings) != rows:
		return fmt.Errorf("column %q: Strings has %d exact values for %d rows", f.Name, len(c.Strings), rows)
	}
	return nil
}

// hasExact reports whether Strings holds exact values in addition to Floats.
func (c *Column) hasExact() bool { return c.Kind == Float64 && c.Type.Class == logical.Decimal }

// Reset empties the column and keeps its memory.
func (c *Column) Reset() {
	c.Floats, c.Ints, c.Strings, c.Valid = c.Floats[:0], c.Ints[:0], c.Strings[:0], nil
}

// resetKept empties the columns of a batch.
func resetKept(cols []Column) {
	for k := range cols {
		cols[k].Reset()
	}
}

// Null reports whether value i is null.
func (c *Column) Null(i int) bool { return c.Valid != nil && !c.Valid[i] }

// Append appends the values first..last-1 of src, which must have the same kind. An empty column
// takes over the type of src.
func (c *Column) Append(src *Column, first, last int) {
	before := c.Len()
	if before == 0 {
		c.Type = src.Type
	}
	if c.Kind != src.Kind || c.hasExact() && !src.hasExact() {
		panic("stream: appending a column of another kind")
	}
	switch c.Kind {
	case Float64:
		c.Floats = append(c.Floats, src.Floats[first:last]...)
	case Int64:
		c.Ints = append(c.Ints, src.Ints[first:last]...)
	default:
		c.Strings = append(c.Strings, src.Strings[first:last]...)
	}
	if c.hasExact() {
		c.Strings = append(c.Strings, src.Strings[first:last]...)
	}
	c.appendValid(before, src, first, last)
}

// appendValid extends Valid in step with the values if any value may be null.
func (c *Column) appendValid(before int, src *Column, first, last int) {
	if c.Valid == nil && src.Valid == nil {
		return
	}
	if c.Valid == nil {
		c.Valid = allTrue(before)
	}
	if src.Valid == nil {
		c.Valid = append(c.Valid, allTrue(last-first)...)
		return
	}
	c.Valid = append(c.Valid, src.Valid[first:last]...)
}

// Move copies value from to index to.
func (c *Column) Move(to, from int) {
	switch c.Kind {
	case Float64:
		c.Floats[to] = c.Floats[from]
	case Int64:
		c.Ints[to] = c.Ints[from]
	default:
		c.Strings[to] = c.Strings[from]
	}
	if c.hasExact() {
		c.Strings[to] = c.Strings[from]
	}
	if c.Valid != nil {
		c.Valid[to] = c.Valid[from]
	}
}

// Truncate keeps the first n values.
func (c *Column) Truncate(n int) {
	switch c.Kind {
	case Float64:
		c.Floats = c.Floats[:n]
	case Int64:
		c.Ints = c.Ints[:n]
	default:
		c.Strings = c.Strings[:n]
	}
	if c.hasExact() {
		c.Strings = c.Strings[:n]
	}
	if c.Valid != nil {
		c.Valid = c.Valid[:n]
	}
}

func allTrue(n int) []bool {
	v := make([]bool, n)
	for i := range v {
		v[i] = true
	}
	return v
}

// hasCategories reports whether any kept column is a category.
func hasCategories(info Info) bool {
	return slices.ContainsFunc(info.Kept, func(f Field) bool { return f.Category })
}

// withCategories returns the names of all columns that contribute to a row.
func withCategories(info Info) []string {
	names := slices.Clip(info.Columns)
	for _, f := range info.Kept {
		if f.Category {
			names = append(names, f.Name)
		}
	}
	return names
}

// digest returns a digest of the values.
func (c *Column) digest() string {
	sum, room := sha256.New(), make([]byte, 0, 64)
	for i := range c.Len() {
		room = c.appendValue(room[:0], i)
		sum.Write(room)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// appendValue appends an encoding of value i that differs for different values.
func (c *Column) appendValue(data []byte, i int) []byte {
	switch {
	case c.Null(i):
		return append(data, "null "...)
	case c.Kind == Float64:
		return fmt.Appendf(data, "%x ", math.Float64bits(c.Floats[i]))
	case c.Kind == Int64:
		return fmt.Appendf(data, "%d ", c.Ints[i])
	}
	return fmt.Appendf(data, "%q", c.Strings[i])
}
