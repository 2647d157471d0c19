package blockstore

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow/go/v16/arrow"
	"github.com/apache/arrow/go/v16/arrow/ipc"
)

// arrowField is a column, or the elements of a list column: what it holds and
// where it is among the nodes and buffers of a batch, which are written depth
// first.
type arrowField struct {
	name   string
	kind   columnKind
	width  int
	layout arrowLayout
	format numberFormat
	bits   int // width of a value, or of an index into the dictionary
	signed bool
	node   int
	buffer int
	views  int         // view columns before it, each with buffers of its own
	child  *arrowField // elements of a list, or values of a dictionary
	dict   int64       // number of the dictionary
}

// arrowLayout is how the values of a field are laid out.
type arrowLayout uint8

const (
	unreadLayout arrowLayout = iota
	wordLayout               // values of bits bits
	textLayout               // bytes between offsets of 32 or 64 bits
	fixedLayout              // lists of one length
	listLayout               // elements between offsets of 32 or 64 bits
	dictLayout               // indexes of bits bits
)

// arrowSchema is what batches look like.
type arrowSchema struct {
	fields  []arrowField
	nodes   int
	buffers int
	views   int
}

// maxArrowFields bounds the number of fields with everything inside them.
const maxArrowFields = 1 << 16

// readArrowSchema understands a schema message.
func readArrowSchema(m *arrowMessage) (*arrowSchema, error) {
	if m.kind != arrowSchemaMessage || m.bodySize != 0 {
		return nil, fmt.Errorf("it does not begin with a schema")
	}
	table, ok := flatRoot(m.meta).table(2)
	if !ok {
		return nil, fmt.Errorf("the schema is empty")
	}
	if table.int16(0) != 0 {
		return nil, fmt.Errorf("the numbers are big-endian, which is not supported; write the file on another machine")
	}
	ids, err := checkArrowFields(table, 1)
	if err != nil {
		return nil, err
	}
	var message bytes.Buffer
	var head [8]byte
	binary.LittleEndian.PutUint32(head[:], arrowContinuation)
	binary.LittleEndian.PutUint32(head[4:], uint32(len(m.meta)))
	message.Write(head[:])
	message.Write(m.meta)
	r, err := ipc.NewReader(&message)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	return layoutArrow(r.Schema(), ids), nil
}

// checkArrowFields walks the fields of a schema before the library does, which
// would follow offsets however many fields they make of a few bytes. It returns
// the numbers of the dictionaries in the order of their fields.
func checkArrowFields(schema flatTable, slot int) ([]int64, error) {
	var ids []int64
	count := 0
	var walk func(fields flatVector, depth int) error
	walk = func(fields flatVector, depth int) error {
		if count += fields.n; count > maxArrowFields || depth > 64 {
			return fmt.Errorf("the schema has more than %d fields, or too many levels", maxArrowFields)
		}
		for k := range fields.n {
			field := fields.table(k)
			field.vector(6, 4) // panics if its metadata does not fit
			if dict, ok := field.table(4); ok {
				ids = append(ids, dict.int64(0))
			}
			if err := walk(field.vector(5, 4), depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	schema.vector(slot+1, 4)
	return ids, walk(schema.vector(slot, 4), 0)
}

// layoutArrow finds the place of every field. ids are the numbers of the
// dictionaries, in the order of their fields.
func layoutArrow(from *arrow.Schema, ids []int64) *arrowSchema {
	s := &arrowSchema{}
	l := arrowPlacer{schema: s, ids: ids}
	for _, field := range from.Fields() {
		f := l.place(field.Type)
		f.name = field.Name
		s.fields = append(s.fields, f)
	}
	return s
}

// arrowPlacer counts nodes and buffers.
type arrowPlacer struct {
	schema *arrowSchema
	ids    []int64
}

// take reserves a node and buffers for a field.
func (l *arrowPlacer) take(buffers int) arrowField {
	f := arrowField{kind: otherColumn, width: 1, node: l.schema.nodes, buffer: l.schema.buffers, views: l.schema.views}
	l.schema.nodes++
	l.schema.buffers += buffers
	return f
}

// skip reserves what is needed for a type that is not read.
func (l *arrowPlacer) skip(buffers int, inside ...arrow.DataType) arrowField {
	f := l.take(buffers)
	for _, t := range inside {
		l.place(t)
	}
	return f
}

// place reserves what a field of type t takes and says how it is read.
func (l *arrowPlacer) place(t arrow.DataType) arrowField {
	switch t := t.(type) {
	case arrow.ExtensionType:
		return l.place(t.StorageType())
	case *arrow.NullType:
		return l.take(0)
	case *arrow.DictionaryType:
		return l.dictionary(t)
	case *arrow.StringType:
		return l.text(32)
	case *arrow.LargeStringType:
		return l.text(64)
	case *arrow.BinaryType, *arrow.LargeBinaryType:
		return l.take(3)
	case arrow.BinaryViewDataType:
		f := l.take(2)
		l.schema.views++
		return f
	case *arrow.FixedSizeListType:
		return l.list(1, fixedLayout, 0, int(t.Len()), t.Elem())
	case *arrow.ListType:
		return l.list(2, listLayout, 32, 0, t.Elem())
	case *arrow.LargeListType:
		return l.list(2, listLayout, 64, 0, t.Elem())
	case *arrow.MapType:
		return l.skip(2, t.Elem())
	case arrow.VarLenListLikeType: // list views
		return l.skip(3, t.Elem())
	case *arrow.StructType:
		return l.skip(1, fieldTypes(t.Fields())...)
	case *arrow.RunEndEncodedType:
		return l.skip(0, t.RunEnds(), t.Encoded())
	case arrow.UnionType:
		return l.skip(map[arrow.UnionMode]int{arrow.SparseMode: 1, arrow.DenseMode: 2}[t.Mode()], fieldTypes(t.Fields())...)
	}
	f := l.take(2)
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

// text places a string column.
func (l *arrowPlacer) text(bits int) arrowField {
	f := l.take(3)
	f.kind, f.layout, f.bits = textColumn, textLayout, bits
	return f
}

// list places a list column; only lists of numbers are read.
func (l *arrowPlacer) list(buffers int, layout arrowLayout, bits, width int, elem arrow.DataType) arrowField {
	f := l.take(buffers)
	child := l.place(elem)
	if child.isWords() && width <= maxVectorWidth && (width > 0 || layout == listLayout) {
		f.kind, f.layout, f.bits, f.width, f.child = vectorColumn, layout, bits, width, &child
	}
	return f
}

// dictionary places a column of indexes.
func (l *arrowPlacer) dictionary(t *arrow.DictionaryType) arrowField {
	f := l.take(2)
	if len(l.ids) == 0 {
		panic("a dictionary without a number")
	}
	f.dict, l.ids = l.ids[0], l.ids[1:]
	f.number(t.IndexType)
	f.signed = f.format.form == signedForm
	sub := arrowPlacer{schema: &arrowSchema{}, ids: l.ids}
	values := sub.place(t.ValueType)
	l.ids = sub.ids
	if !values.isWords() && values.layout != textLayout {
		f.kind, f.layout = otherColumn, unreadLayout
		return f
	}
	f.kind, f.layout, f.format, f.child = values.kind, dictLayout, values.format, &values
	return f
}

// isWords says whether values come as words.
func (f *arrowField) isWords() bool {
	return f.layout == wordLayout && f.format.form != longDecimalForm
}

// number says how values of type t, of a fixed width, are read.
func (f *arrowField) number(t arrow.DataType) {
	fixed, ok := t.(arrow.FixedWidthDataType)
	if !ok {
		return
	}
	bits := fixed.BitWidth()
	f.kind, f.layout, f.bits = integerColumn, wordLayout, bits
	f.format = numberFormat{form: signedForm, bits: bits}
	switch t := t.(type) {
	case *arrow.Float64Type:
		f.kind, f.format.form = numberColumn, float64Form
	case *arrow.Float32Type:
		f.kind, f.format.form = numberColumn, float32Form
	case *arrow.Float16Type:
		f.kind, f.format.form = numberColumn, float16Form
	case *arrow.BooleanType, *arrow.Uint8Type, *arrow.Uint16Type, *arrow.Uint32Type, *arrow.Uint64Type:
		f.format.form = unsignedForm
	case *arrow.Int8Type, *arrow.Int16Type, *arrow.Int32Type, *arrow.Int64Type,
		*arrow.Date32Type, *arrow.Date64Type, *arrow.Time32Type, *arrow.Time64Type,
		*arrow.TimestampType, *arrow.DurationType:
	case arrow.DecimalType:
		f.kind, f.format = numberColumn, numberFormat{form: longDecimalForm, scale: int(t.GetScale())}
		if t.GetScale() > maxDecimalScale || t.GetScale() < -maxDecimalScale {
			f.kind, f.layout = otherColumn, unreadLayout
		}
	default:
		f.kind, f.layout = otherColumn, unreadLayout
	}
}
