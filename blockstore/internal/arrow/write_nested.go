package arrow

import (
	"github.com/apache/arrow/go/v16/arrow"
	"github.com/apache/arrow/go/v16/arrow/array"

	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// nestedType is keptType for a nested type. All parts except keys of maps are nullable.
func nestedType(t logical.Type) arrow.DataType {
	fields := make([]arrow.Field, len(t.Members))
	for i, m := range t.Members {
		if m.Type = withoutWords(m.Type); t.Class == logical.List {
			m.Name = "item"
		}
		fields[i] = nullable(m.Name, m.Type)
	}
	switch {
	case t.Class == logical.Struct:
		return arrow.StructOf(fields...)
	case t.Class == logical.Map:
		return arrow.MapOfWithMetadata(fields[0].Type, fields[0].Metadata, fields[1].Type, fields[1].Metadata)
	case t.Size > 0:
		return arrow.FixedSizeListOfField(t.Size, fields[0])
	}
	return arrow.ListOfField(fields[0])
}

// withoutWords replaces a dictionary type by text: only whole columns can be dictionaries.
func withoutWords(t logical.Type) logical.Type {
	if t.Class == logical.Enum || t.Class == logical.Dictionary {
		return logical.String
	}
	return t
}

// addNested appends value i of a nested column, which is not null.
func addNested(to array.Builder, c *stream.Column, i int) error {
	from := logical.NewCursor(c.Strings[i])
	if err := addNext(to, c.Type, &from); err != nil {
		return err
	}
	return from.Err()
}

// addNext appends the next value of from, of type t and not null.
func addNext(to array.Builder, t logical.Type, from *logical.Cursor) error {
	switch to := to.(type) {
	case *array.StructBuilder:
		to.Append(true)
		valid := from.Validity(len(t.Members))
		for k, m := range t.Members {
			if err := addNextOrNull(to.FieldBuilder(k), m.Type, from, valid.Has(k)); err != nil {
				return err
			}
		}
		return nil
	case *array.MapBuilder:
		to.Append(true)
		n := from.Count()
		for range n {
			if err := addNext(to.KeyBuilder(), t.Members[0].Type, from); err != nil {
				return err
			}
		}
		return addElements(to.ItemBuilder(), t.Members[1].Type, from, n)
	case *array.ListBuilder:
		to.Append(true)
		return addElements(to.ValueBuilder(), t.Members[0].Type, from, from.Count())
	case *array.FixedSizeListBuilder:
		to.Append(true)
		return addElements(to.ValueBuilder(), t.Members[0].Type, from, from.Count())
	}
	c := stream.FieldOf("", withoutWords(t)).Column()
	c.TakeScalar(from)
	return addKept(to, &c, 0, 1)
}

// addElements appends n elements.
func addElements(to array.Builder, t logical.Type, from *logical.Cursor, n int) error {
	valid := from.Validity(n)
	if t.IsNested() {
		for i := range n {
			if err := addNextOrNull(to, t, from, valid.Has(i)); err != nil {
				return err
			}
		}
		return nil
	}
	c := stream.FieldOf("", withoutWords(t)).Column() // reused for all elements
	for i := range n {
		if !valid.Has(i) {
			to.AppendNull()
			continue
		}
		c.TakeScalar(from)
		if err := addKept(to, &c, 0, 1); err != nil {
			return err
		}
	}
	return nil
}

func addNextOrNull(to array.Builder, t logical.Type, from *logical.Cursor, valid bool) error {
	if !valid {
		to.AppendNull()
		return nil
	}
	return addNext(to, t, from)
}
