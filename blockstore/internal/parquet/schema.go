package parquet

import (
	"fmt"
	"strings"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/nystream/nystream/blockstore/internal/column"
)

// maxSchemaDepth bounds the nesting of groups, and so the levels, which are stored in a byte.
const maxSchemaDepth = 100

// schemaWalk collects the leaves of a schema, a tree stored depth first.
type schemaWalk struct {
	elements []format.SchemaElement
	next     int
	leaves   []leafColumn
}

// schemaPlace describes the groups around an element.
type schemaPlace struct {
	path     []string
	rep, def int
	listDef  int
	// annotated is set directly inside a group annotated as a list, inList inside a repeated group,
	// and several if a repeated group has more than one leaf: then the list is not a list of
	// numbers.
	annotated, inList, several bool
}

// leavesOf returns the leaf columns of a schema in the order of the column chunks.
func leavesOf(elements []format.SchemaElement) ([]leafColumn, error) {
	if len(elements) == 0 {
		return nil, fmt.Errorf("there is no schema")
	}
	w := schemaWalk{elements: elements, next: 1}
	if err := w.members(elements[0].NumChildren.V, schemaPlace{}); err != nil {
		return nil, err
	}
	if w.next != len(elements) {
		return nil, fmt.Errorf("the schema has %d elements of which %d are used", len(elements), w.next)
	}
	return w.leaves, nil
}

// members walks the next n elements. The schema is a tree in depth-first order. Its depth is bounded, since the walk is
// recursive.
func (w *schemaWalk) members(n int32, at schemaPlace) error {
	if len(at.path) > maxSchemaDepth {
		return fmt.Errorf("the schema is nested too deeply")
	}
	for range n {
		if w.next >= len(w.elements) {
			return fmt.Errorf("the schema ends early")
		}
		e := &w.elements[w.next]
		w.next++
		if err := w.element(e, at); err != nil {
			return err
		}
	}
	return nil
}

// element walks one element inside at.
func (w *schemaWalk) element(e *format.SchemaElement, at schemaPlace) error {
	below := at
	below.enter(e)
	if e.NumChildren.Valid && (e.NumChildren.V > 0 || !e.Type.Valid) {
		below.annotated = isAnnotatedList(e)
		below.several = at.several || below.inList && e.NumChildren.V > 1
		return w.members(e.NumChildren.V, below)
	}
	w.leaves = append(w.leaves, newLeaf(e, below))
	return nil
}

// enter descends into e. Optional and repeated elements add a definition level, repeated ones also a repetition level.
// Names inside a list are meaningless, except in a list of structures.
func (p *schemaPlace) enter(e *format.SchemaElement) {
	repeated := e.RepetitionType.Valid && e.RepetitionType.V == format.Repeated
	switch {
	case repeated:
		p.def++
		p.rep++
		p.listDef = p.def
	case e.RepetitionType.Valid && e.RepetitionType.V == format.Optional:
		p.def++
	}
	nameless := repeated && p.annotated || p.inList && !p.several
	if !nameless {
		p.path = append(p.path[:len(p.path):len(p.path)], e.Name)
	}
	p.inList = p.inList || repeated
}

// isAnnotatedList reports whether a group is annotated as a list.
func isAnnotatedList(e *format.SchemaElement) bool {
	_, logical := e.LogicalType.Value.(*format.ListType)
	return logical || e.ConvertedType.Valid && e.ConvertedType.V == deprecated.List
}

// newLeaf returns the column of a leaf.
func newLeaf(e *format.SchemaElement, at schemaPlace) leafColumn {
	c := leafColumn{
		Info:     column.Info{Name: strings.Clone(strings.Join(at.path, ".")), Width: 1},
		physical: e.Type.V, size: int(e.TypeLength.V),
		maxRep: at.rep, maxDef: at.def, listDef: at.listDef,
	}
	if d, ok := e.LogicalType.Value.(*format.DecimalType); ok {
		e.Scale.V, e.Precision.V = d.Scale, d.Precision
	}
	c.Kind, c.format = leafKind(e)
	switch {
	case c.maxRep == 0:
		c.Meaning, c.Type = meaning(e), logicalType(e)
		c.unmarked = c.Kind == column.Text && e.LogicalType.Value == nil && !e.ConvertedType.Valid
		switch {
		case c.Kind == column.Other:
			c.Why = bytesWords(e)
		case isDecimal(e):
			c.Why = column.Rounded(int(e.Precision.V))
		}
	case c.maxRep > 1:
		c.Kind, c.Why = column.Other, "lists of lists"
	case at.several:
		c.Kind, c.Why = column.Other, "lists of structures, such as a map"
	case c.isWords() && c.Kind.Computable():
		c.Kind = column.Vector
		if m := meaning(e); m.IsTemporal() {
			c.Meaning = m
		}
	case c.Kind == column.Other:
		c.Why = "lists of " + bytesWords(e)
	case c.Kind == column.Text:
		c.Kind, c.Why = column.Other, "lists of text"
	default:
		c.Kind, c.Why = column.Other, "lists of decimals in bytes"
	}
	return c
}

// bytesWords describes the values of a leaf that are neither numbers nor text.
func bytesWords(e *format.SchemaElement) string {
	if isDecimal(e) && e.TypeLength.V > column.MaxDecimal {
		return fmt.Sprintf("decimals of %d bytes", e.TypeLength.V)
	}
	if isDecimal(e) {
		return fmt.Sprintf("decimals with %d digits behind the point", e.Scale.V)
	}
	return "bytes"
}

// isWords reports whether values are read as words, not as bytes.
func (c *leafColumn) isWords() bool {
	return c.physical != format.ByteArray && (c.physical != format.FixedLenByteArray || c.format.Form == column.Float16Form)
}

// wordSize returns the size of a plain value that is a word, 0 for booleans.
func (c *leafColumn) wordSize() int {
	switch c.physical {
	case format.Boolean:
		return 0
	case format.Int32, format.Float:
		return 4
	case format.Int96:
		return int96Size
	case format.FixedLenByteArray:
		return c.size
	}
	return 8
}

// leafKind returns the kind and the number format of a leaf.
func leafKind(e *format.SchemaElement) (column.Kind, column.NumberFormat) {
	if !e.Type.Valid {
		return column.Other, column.NumberFormat{}
	}
	switch e.Type.V {
	case format.Boolean:
		return column.Integer, column.NumberFormat{Form: column.UnsignedForm}
	case format.Int32:
		return integerKind(e, 32)
	case format.Int64:
		return integerKind(e, 64)
	case format.Int96:
		return column.Integer, column.NumberFormat{Form: column.SignedForm, Bits: 64}
	case format.Float:
		return column.Number, column.NumberFormat{Form: column.Float32Form}
	case format.Double:
		return column.Number, column.NumberFormat{Form: column.Float64Form}
	case format.ByteArray, format.FixedLenByteArray:
		return bytesKind(e)
	}
	return column.Other, column.NumberFormat{}
}

// integerKind returns the kind and the format of integers, which may be decimals.
func integerKind(e *format.SchemaElement, bits int) (column.Kind, column.NumberFormat) {
	if isDecimal(e) {
		return decimalKind(e, column.NumberFormat{Form: column.DecimalForm, Bits: bits})
	}
	if isUnsigned(e) {
		return column.Integer, column.NumberFormat{Form: column.UnsignedForm}
	}
	return column.Integer, column.NumberFormat{Form: column.SignedForm, Bits: bits}
}

// meaning returns the meaning of the integers of a leaf.
func meaning(e *format.SchemaElement) column.Meaning {
	switch e.LogicalType.Value.(type) {
	case *format.DateType:
		return column.Date
	case *format.TimestampType:
		return column.Timestamp
	case *format.TimeType:
		return column.Time
	}
	switch {
	case e.Type.Valid && e.Type.V == format.Boolean:
		return column.Boolean
	case e.Type.Valid && e.Type.V == format.Int96:
		return column.Timestamp
	case !e.ConvertedType.Valid:
		return column.Plain
	}
	switch e.ConvertedType.V {
	case deprecated.Date:
		return column.Date
	case deprecated.TimestampMillis, deprecated.TimestampMicros:
		return column.Timestamp
	case deprecated.TimeMillis, deprecated.TimeMicros:
		return column.Time
	}
	return column.Plain
}

// decimalKind completes the format of a decimal.
func decimalKind(e *format.SchemaElement, f column.NumberFormat) (column.Kind, column.NumberFormat) {
	if f.Scale = int(e.Scale.V); f.Scale < 0 || f.Scale > column.MaxScale {
		return column.Other, column.NumberFormat{}
	}
	return column.Number, f
}

// bytesKind returns the kind and the format of byte arrays: strings, decimals, half floats or
// others.
func bytesKind(e *format.SchemaElement) (column.Kind, column.NumberFormat) {
	fixed := e.Type.V == format.FixedLenByteArray
	if fixed && (e.TypeLength.V <= 0 || e.TypeLength.V > maxFixedBytes || isDecimal(e) && e.TypeLength.V > column.MaxDecimal) {
		return column.Other, column.NumberFormat{}
	}
	if isDecimal(e) {
		return decimalKind(e, column.NumberFormat{Form: column.LongDecimalForm})
	}
	switch e.LogicalType.Value.(type) {
	case *format.Float16Type:
		if fixed && e.TypeLength.V == 2 {
			return column.Number, column.NumberFormat{Form: column.Float16Form}
		}
	case *format.StringType, *format.EnumType, *format.JsonType:
		return column.Text, column.NumberFormat{}
	case nil:
		// Many writers omit the annotation of strings.
		if !fixed && !(e.ConvertedType.Valid && e.ConvertedType.V == deprecated.Bson) {
			return column.Text, column.NumberFormat{}
		}
	}
	return column.Other, column.NumberFormat{}
}

// maxFixedBytes bounds the size of a fixed-length value.
const maxFixedBytes = 1 << 16

// isDecimal reports whether a leaf is annotated as a decimal, by the logical type or the older converted type.
func isDecimal(e *format.SchemaElement) bool {
	_, logical := e.LogicalType.Value.(*format.DecimalType)
	return logical || e.ConvertedType.Valid && e.ConvertedType.V == deprecated.Decimal
}

// isUnsigned reports whether the integers of a leaf are unsigned, by the logical type or the older converted type.
func isUnsigned(e *format.SchemaElement) bool {
	if t, ok := e.LogicalType.Value.(*format.IntType); ok {
		return !t.IsSigned
	}
	return e.ConvertedType.Valid && e.ConvertedType.V >= deprecated.Uint8 && e.ConvertedType.V <= deprecated.Uint64
}
