package arrow

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v16/arrow"
	"github.com/apache/arrow/go/v16/arrow/ipc"
	"github.com/apache/arrow/go/v16/arrow/memory"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/stream/logical"
)

// field describes a column, or the elements of a list column: its type and its position among the
// nodes and buffers of a batch, which are in depth-first order.
type field struct {
	name       string
	kind       column.Kind
	width      int
	layout     layout
	format     column.NumberFormat
	bits       int // width of a value, or of an index into the dictionary
	signed     bool
	meaning    column.Meaning
	valueType  logical.Type // the zero Type if it cannot be kept
	unreadable string       // description of an unreadable type
	node       int
	buffer     int
	views      int    // number of view columns before it, each with data buffers of its own
	child      *field // elements of a list, or values of a dictionary
	dict       int64  // id of the dictionary

	inNested bool // part of a nested column

	parents []field // enclosing structures, the outermost first
}

// layout is the memory layout of the values of a field.
type layout uint8

const (
	unreadLayout     layout = iota
	wordLayout              // values of a fixed number of bits
	textLayout              // bytes between offsets of 32 or 64 bits
	viewLayout              // texts of up to 12 bytes, and references to longer ones
	fixedLayout             // lists of fixed length
	listLayout              // elements between offsets of 32 or 64 bits
	fixedBytesLayout        // bytes of fixed length
	dictLayout              // indexes of a fixed number of bits
)

// schema describes the layout of batches.
type schema struct {
	fields  []field
	nodes   int
	buffers int
	views   int

	trees  []*nestedField // of nested
	nested []column.Nested
}

// withInexact returns the schema with a policy for integers that float64 cannot represent.
func (s *schema) withInexact(inexact column.Inexact) *schema {
	if inexact == column.InexactRefuse {
		return s
	}
	out := *s
	out.fields = slices.Clone(s.fields)
	for i := range out.fields {
		f := &out.fields[i]
		f.format.Round = true
		if f.child != nil {
			child := *f.child
			child.format.Round = true
			f.child = &child
		}
	}
	return &out
}

// maxFields bounds the number of fields, including nested ones: a little more than column.Max.
const maxFields = 1 << 20

// readSchema parses a schema message.
func readSchema(m *message) (*schema, error) {
	if m.kind != schemaMessage || m.bodySize != 0 {
		return nil, fmt.Errorf("it does not begin with a schema")
	}
	table, ok := flatRoot(m.meta).table(2)
	if !ok {
		return nil, fmt.Errorf("the schema is empty")
	}
	if table.int16(0) != 0 {
		return nil, fault.New("its numbers have their most significant bytes first, which is not read").WithRemedy("write it on another machine, or as Parquet")
	}
	w := walker{}
	if err := w.schema(table, 1); err != nil {
		return nil, err
	}
	var message bytes.Buffer
	var head [8]byte
	binary.LittleEndian.PutUint32(head[:], continuation)
	binary.LittleEndian.PutUint32(head[4:], uint32(len(m.meta)))
	message.Write(head[:])
	message.Write(m.meta)
	r, err := ipc.NewReader(&message, ipc.WithAllocator(emptyAllocator{memory.DefaultAllocator}))
	if err != nil {
		return nil, errSchema
	}
	defer r.Release()
	s := layOut(r.Schema(), placer{ids: slices.Clone(w.ids)})
	s.trees, s.nested = nestedOf(r.Schema(), w.ids)
	return s, nil
}

// emptyAllocator is an allocator for messages without a body. For a damaged message the library would
// allocate any body size that it claims, and abort the process if that fails.
type emptyAllocator struct{ memory.Allocator }

func (a emptyAllocator) Allocate(size int) []byte { return a.Allocator.Allocate(mustBeEmpty(size)) }

func (a emptyAllocator) Reallocate(size int, b []byte) []byte {
	return a.Allocator.Reallocate(mustBeEmpty(size), b)
}

// mustBeEmpty panics if a message without a body claims one.
func mustBeEmpty(size int) int {
	if size > 1<<20 {
		panic(fmt.Sprintf("a schema claims a body of %d bytes", size))
	}
	return size
}

// errSchema reports a schema that the library cannot parse. Its own errors name internal functions.
var errSchema = fault.New("its schema is damaged, or has types that are newer than this program").
	WithRemedy("write the file anew, with an older version of Arrow or as Parquet")

// walker checks the fields of a schema before the library parses it. The library follows offsets
// even if a few bytes expand to any number of fields.
type walker struct {
	ids    []int64 // ids of the dictionaries, in the order of their fields
	fields int
}

// schema walks the fields in a slot of a table.
func (w *walker) schema(table flatTable, slot int) error {
	table.vector(slot+1, 4)
	return w.walk(table.vector(slot, 4), 0)
}

func (w *walker) walk(fields flatVector, depth int) error {
	if w.fields += fields.n; w.fields > maxFields || depth > 64 {
		return fmt.Errorf("the schema has more than %d fields, or too many levels", maxFields)
	}
	for k := range fields.n {
		field := fields.table(k)
		field.vector(6, 4) // panics if the metadata are out of bounds
		if dict, ok := field.table(4); ok {
			w.ids = append(w.ids, dict.int64(0))
		}
		if err := w.walk(field.vector(5, 4), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// layOut assigns every field its position.
func layOut(from *arrow.Schema, l placer) *schema {
	l.schema = &schema{}
	for _, field := range from.Fields() {
		first := len(l.schema.fields)
		l.column(field.Name, field.Type, nil)
		if f := &l.schema.fields[first]; len(l.schema.fields) == first+1 {
			f.extend(field)
		}
	}
	return l.schema
}

// column adds a column, or for a structure a column a.b for each member.
func (l *placer) column(name string, t arrow.DataType, parents []field) {
	if l.names += len(name); l.names > maxNames {
		panic(fmt.Sprintf("the names of members of structures have more than %d bytes", maxNames))
	}
	if t, ok := t.(arrow.ExtensionType); ok {
		l.column(name, t.StorageType(), parents)
		return
	}
	structure, ok := t.(*arrow.StructType)
	if !ok || structure.NumFields() == 0 {
		f := l.place(t)
		f.name, f.parents = name, parents
		if d, ok := t.(arrow.DecimalType); ok && f.kind == column.Number {
			f.unreadable = column.Rounded(int(d.GetPrecision()))
		}
		l.schema.fields = append(l.schema.fields, f)
		return
	}
	parents = append(slices.Clip(parents), l.reserve(1))
	for _, member := range structure.Fields() {
		l.column(name+"."+member.Name, member.Type, parents)
	}
}

// maxNames bounds the total size of column names. Names of members repeat those of their
// structures.
const maxNames = 64 << 20

// placer assigns nodes and buffers to fields, in the order of the schema.
type placer struct {
	schema *schema
	ids    []int64 // ids of the remaining dictionaries
	names  int     // total size of column names
}

// refuse marks a field as unreadable, with a description of its type.
func (f *field) refuse(why string) {
	f.kind, f.layout, f.width, f.unreadable, f.valueType = column.Other, unreadLayout, 1, why, logical.Type{}
}

// reserve assigns a field its node and buffers, in the order of the schema.
func (l *placer) reserve(buffers int) field {
	f := field{kind: column.Other, width: 1, node: l.schema.nodes, buffer: l.schema.buffers, views: l.schema.views}
	l.schema.nodes++
	l.schema.buffers += buffers
	return f
}

// skip reserves the nodes and buffers of an unreadable type, described by why.
func (l *placer) skip(why string, buffers int, inside ...arrow.DataType) field {
	f := l.reserve(buffers)
	f.unreadable = why
	for _, t := range inside {
		l.place(t)
	}
	return f
}

// place lays out a field of type t.
func (l *placer) place(t arrow.DataType) field {
	switch t := t.(type) {
	case arrow.ExtensionType:
		return l.place(t.StorageType())
	case *arrow.NullType:
		return l.skip("nulls only", 0)
	case *arrow.DictionaryType:
		return l.dictionary(t)
	case *arrow.StringType:
		return l.text(32)
	case *arrow.LargeStringType:
		return l.text(64)
	case *arrow.BinaryType:
		return l.bytes(32)
	case *arrow.LargeBinaryType:
		return l.bytes(64)
	case *arrow.FixedSizeBinaryType:
		f := l.reserve(2)
		f.layout, f.bits, f.unreadable, f.valueType = fixedBytesLayout, 8*t.ByteWidth, "bytes", logical.Type{Class: logical.Bytes, Size: int32(t.ByteWidth)}
		return f
	case arrow.BinaryViewDataType:
		f := l.skip("bytes", 2)
		f.layout, f.bits, f.valueType = viewLayout, 8*viewBytes, logical.Type{Class: logical.Bytes}
		if _, ok := t.(*arrow.StringViewType); ok {
			f.kind, f.unreadable, f.valueType = column.Text, "", logical.String
		}
		l.schema.views++
		return f
	case *arrow.FixedSizeListType:
		return l.list(1, fixedLayout, 0, int(t.Len()), t.Elem())
	case *arrow.ListType:
		return l.list(2, listLayout, 32, 0, t.Elem())
	case *arrow.LargeListType:
		return l.list(2, listLayout, 64, 0, t.Elem())
	case *arrow.MapType:
		return l.skip("maps", 2, t.Elem())
	case arrow.VarLenListLikeType: // list views
		return l.skip("lists in views, which are not read", 3, t.Elem())
	case *arrow.StructType:
		return l.skip("structures", 1, fieldTypes(t.Fields())...)
	case *arrow.RunEndEncodedType:
		return l.skip("runs, which are not read", 0, t.RunEnds(), t.Encoded())
	case arrow.UnionType:
		return l.skip("values of several types", map[arrow.UnionMode]int{arrow.SparseMode: 1, arrow.DenseMode: 2}[t.Mode()], fieldTypes(t.Fields())...)
	}
	f := l.reserve(2)
	f.number(t)
	return f
}

func fieldTypes(fields []arrow.Field) []arrow.DataType {
	types := make([]arrow.DataType, len(fields))
	for i, f := range fields {
		types[i] = f.Type
	}
	return types
}

// text lays out a string column.
func (l *placer) text(bits int) field {
	f := l.reserve(3)
	f.kind, f.layout, f.bits, f.valueType = column.Text, textLayout, bits, logical.String
	return f
}

// bytes lays out a column of bytes.
func (l *placer) bytes(bits int) field {
	f := l.text(bits)
	f.kind, f.unreadable, f.valueType = column.Other, "bytes", logical.Type{Class: logical.Bytes}
	return f
}

// extend applies the extension type in the metadata of a field.
func (f *field) extend(from arrow.Field) {
	switch name, _ := from.Metadata.GetValue(extensionName); {
	case name == "arrow.uuid" && f.valueType.Size == 16:
		f.valueType = logical.Type{Class: logical.UUID}
	case name == "arrow.json" && f.valueType.Class == logical.Text:
		f.valueType = logical.Type{Class: logical.JSON}
	}
}

// list lays out a list column. Only lists of numbers are read as vectors.
func (l *placer) list(buffers int, layout layout, bits, width int, elem arrow.DataType) field {
	f := l.reserve(buffers)
	child := l.place(elem)
	if child.isWords() && width <= column.MaxWidth && (width > 0 || layout == listLayout) {
		f.kind, f.layout, f.bits, f.width, f.child = column.Vector, layout, bits, width, &child
		if child.meaning.IsTemporal() {
			f.meaning = child.meaning
		}
		return f
	}
	switch {
	case width > column.MaxWidth:
		f.unreadable = errLongList.Error()
	case child.isWords():
		f.unreadable = "lists of nothing"
	case child.kind == column.Text:
		f.unreadable = "lists of text"
	case child.kind == column.Vector:
		f.unreadable = "lists of lists"
	case child.unreadable != "":
		f.unreadable = "lists of " + child.unreadable
	default:
		f.unreadable = "lists of decimals of more than 64 bits"
	}
	return f
}

// errLongList describes lists that are too long to be rows of numbers.
var errLongList = fmt.Errorf("lists of more than %d numbers", column.MaxWidth)

// dictionary lays out a column of indexes.
func (l *placer) dictionary(t *arrow.DictionaryType) field {
	f := l.reserve(2)
	if len(l.ids) == 0 {
		panic("a dictionary without a number")
	}
	f.dict, l.ids = l.ids[0], l.ids[1:]
	f.number(t.IndexType)
	f.signed = f.format.Form == column.SignedForm
	sub := *l
	sub.schema = &schema{}
	values := sub.place(t.ValueType)
	l.ids = sub.ids
	if !values.isWords() && values.kind != column.Text {
		f.valueType = logical.Type{}
		f.kind, f.layout, f.unreadable = column.Other, unreadLayout, "a dictionary of "+cmp.Or(values.unreadable, "lists")
		return f
	}
	f.kind, f.layout, f.format, f.meaning, f.valueType, f.child = values.kind, dictLayout, values.format, values.meaning, values.valueType, &values
	if f.valueType.Class == logical.Text {
		f.valueType = logical.Type{Class: logical.Dictionary}
	}
	return f
}

// isWords reports whether values are read as words.
func (f *field) isWords() bool {
	return f.layout == wordLayout && f.format.Form != column.LongDecimalForm
}

// number sets the format of values of a fixed-width type.
func (f *field) number(t arrow.DataType) {
	fixed, ok := t.(arrow.FixedWidthDataType)
	if !ok {
		return
	}
	bits := fixed.BitWidth()
	f.kind, f.layout, f.bits, f.valueType = column.Integer, wordLayout, bits, logicalType(t)
	f.format = column.NumberFormat{Form: column.SignedForm, Bits: bits}
	switch t := t.(type) {
	case *arrow.Float64Type:
		f.kind, f.format.Form = column.Number, column.Float64Form
	case *arrow.Float32Type:
		f.kind, f.format.Form = column.Number, column.Float32Form
	case *arrow.Float16Type:
		f.kind, f.format.Form = column.Number, column.Float16Form
	case *arrow.BooleanType:
		f.format.Form, f.meaning = column.UnsignedForm, column.Boolean
	case *arrow.Date32Type, *arrow.Date64Type:
		f.meaning = column.Date
	case *arrow.TimestampType:
		f.meaning = column.Timestamp
	case *arrow.Time32Type, *arrow.Time64Type:
		f.meaning = column.Time
	case *arrow.DurationType:
		f.meaning = column.Duration
	case *arrow.Uint8Type, *arrow.Uint16Type, *arrow.Uint32Type, *arrow.Uint64Type:
		f.format.Form = column.UnsignedForm
	case *arrow.Int8Type, *arrow.Int16Type, *arrow.Int32Type, *arrow.Int64Type:
	case arrow.DecimalType:
		f.kind, f.format = column.Number, column.NumberFormat{Form: column.LongDecimalForm, Scale: int(t.GetScale())}
		if t.GetScale() > column.MaxScale || t.GetScale() < -column.MaxScale {
			f.refuse(fmt.Sprintf("decimals with %d digits behind the point", t.GetScale()))
		}
	default:
		f.refuse(fmt.Sprintf("values of the type %s", t))
	}
}
