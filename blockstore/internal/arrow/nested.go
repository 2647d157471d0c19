package arrow

import (
	"math"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v16/arrow"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// nestedField is a field as a tree: a structure with its members, a list with its element, a map
// with its key and value, or a leaf.
type nestedField struct {
	field    // for a list or map: layout is that of its offsets, width the fixed length of lists
	nests    logical.Class
	children []*nestedField
	entries  *nestedField // the key-value structures of a map
}

// nestedOf returns the nested fields of a schema that can be kept, and their descriptions.
func nestedOf(from *arrow.Schema, ids []int64) (trees []*nestedField, infos []column.Nested) {
	l := placer{schema: &schema{}, ids: slices.Clone(ids)}
	columns := 0
	for _, f := range from.Fields() {
		n := l.tree(f)
		columns = n.list(n.name, columns, &trees, &infos)
	}
	return trees, infos
}

// list adds n and the nested members of structures, if they are nested. It returns the number of
// columns so far.
func (n *nestedField) list(name string, columns int, trees *[]*nestedField, infos *[]column.Nested) int {
	at := -1
	if n.valueType.IsNested() {
		info := column.Info{Name: name, Kind: column.Other, Width: 1, Type: n.valueType}
		info.Describe()
		at = len(*infos)
		*infos = append(*infos, column.Nested{Info: info, First: columns, Index: len(*trees)})
		*trees = append(*trees, n)
	}
	if n.nests == logical.Struct && len(n.children) > 0 {
		for _, m := range n.children {
			columns = m.list(name+"."+m.name, columns, trees, infos)
		}
	} else {
		columns++
	}
	if at >= 0 {
		(*infos)[at].End = columns
	}
	return columns
}

// tree lays out a field as a tree.
func (l *placer) tree(from arrow.Field) *nestedField {
	t := from.Type
	for {
		extension, ok := t.(arrow.ExtensionType)
		if !ok {
			break
		}
		t = extension.StorageType()
	}
	n := &nestedField{}
	switch t := t.(type) {
	case *arrow.StructType:
		n.field = l.reserve(1)
		n.nests, n.valueType = logical.Struct, logical.Type{Class: logical.Struct}
		for _, f := range t.Fields() {
			m := l.tree(f)
			n.children = append(n.children, m)
			n.valueType.Members = append(n.valueType.Members, logical.Member{Name: m.name, Type: m.valueType})
		}
	case *arrow.MapType:
		n.field = l.reserve(2)
		n.layout, n.bits = listLayout, 32
		n.entries = l.tree(t.ElemField())
		n.nests, n.children = logical.Map, n.entries.children
		n.valueType = logical.MapOf(n.children[0].valueType, n.children[1].valueType)
	case *arrow.FixedSizeListType:
		n.field = l.reserve(1)
		n.layout, n.width = fixedLayout, int(t.Len())
		n.addElement(l.tree(t.ElemField()))
		n.valueType.Size = t.Len()
		if t.Len() == 0 {
			n.valueType = logical.Type{}
		}
	case *arrow.ListType:
		n.field = l.reserve(2)
		n.layout, n.bits = listLayout, 32
		n.addElement(l.tree(t.ElemField()))
	case *arrow.LargeListType:
		n.field = l.reserve(2)
		n.layout, n.bits = listLayout, 64
		n.addElement(l.tree(t.ElemField()))
	default:
		n.field = l.place(t)
		n.extend(from)
		if n.valueType.Class == logical.Dictionary {
			n.valueType = logical.String
		}
	}
	n.name = strings.ToValidUTF8(from.Name, "\uFFFD")
	if !n.isCarried() {
		n.valueType = logical.Type{}
	}
	return n
}

// addElement makes n a list.
func (n *nestedField) addElement(element *nestedField) {
	n.nests, n.children, n.valueType = logical.List, []*nestedField{element}, logical.ListOf(element.valueType)
}

// isCarried reports whether all parts can be kept.
func (n *nestedField) isCarried() bool {
	return (n.nests != logical.Struct || len(n.children) > 0) &&
		!slices.ContainsFunc(n.children, func(m *nestedField) bool { return m.valueType.Class == logical.None })
}

// fields returns the fields of the tree, each without its elements.
func (n *nestedField) fields() []field {
	list := []field{n.field}
	switch {
	case n.nests == logical.None:
	case n.layout == listLayout:
		list[0].layout = wordLayout // offsets
	default:
		list[0].layout = unreadLayout
	}
	for _, m := range n.children {
		list = append(list, m.fields()...)
	}
	return list
}

// nestedReader reads a nested field, or a part of one, a few values at a time, and converts them to
// the form of package logical. The loaded values are those of its array from first on.
type nestedReader struct {
	*nestedField
	array    values
	s        scratch
	children []*nestedReader
	entries  *nestedReader // key-value structures of a map
	first    int64
	floats   bool          // s.Floats is needed
	scalar   stream.Column // one value
	value    []byte
	firstRow int64 // absolute row of the first value of the array, of a column
	path     string
}

func newNestedReader(path string, n *nestedField) *nestedReader {
	r := &nestedReader{nestedField: n, path: path}
	if n.nests == logical.None {
		r.scalar = stream.FieldOf("", n.valueType).Column()
		r.floats = r.scalar.Kind == stream.Float64
	}
	if n.entries != nil {
		r.entries = newNestedReader(path, n.entries)
		r.children = r.entries.children
		return r
	}
	for _, m := range n.children {
		r.children = append(r.children, newNestedReader(path, m))
	}
	return r
}

// open goes to a batch.
func (r *nestedReader) open(b *batch) error {
	r.firstRow = b.first
	if err := r.openIn(b); err != nil {
		return r.fault(err)
	}
	return nil
}

func (r *nestedReader) openIn(b *batch) (err error) {
	bare := r.field
	if r.nests != logical.None {
		bare.layout = unreadLayout // elements have readers of their own
	}
	if r.array, err = bare.arrayIn(b.table, b.buffers, b.dicts); err != nil {
		return err
	}
	if r.entries != nil {
		return r.entries.openIn(b)
	}
	for _, m := range r.children {
		if err := m.openIn(b); err != nil {
			return err
		}
	}
	return nil
}

func (r *nestedReader) fault(err error) error {
	return fault.Cell(r.path, -1, r.name, "the batch that begins with row %d: %w", r.firstRow, fault.Damaged(err))
}

// nestedRows bounds the values of a nested column loaded at a time, and nestedElements
// approximately the elements of its lists.
const (
	nestedRows     = 256
	nestedElements = 64 << 10
)

// keep appends rows at..at+n-1 of the batch to dst.
func (r *nestedReader) keep(dst *stream.Column, at int64, n int) error {
	for done := 0; done < n; {
		rows, err := r.load(at+int64(done), min(n-done, nestedRows), true)
		if err != nil {
			return r.fault(err)
		}
		for i := range rows {
			if !r.s.valid(i) {
				column.AppendNull(dst)
				continue
			}
			if r.value, err = r.append(r.value[:0], i); err != nil {
				return fault.Cell(r.path, r.firstRow+at+int64(done+i), r.name, "%w", err)
			}
			dst.Strings = append(dst.Strings, string(r.value))
			column.AppendValid(dst)
		}
		done += rows
	}
	return nil
}

// load loads n values, starting at value at. If fewer is true it may load fewer values of a list.
func (r *nestedReader) load(at int64, n int, fewer bool) (int, error) {
	r.first = at
	switch r.nests {
	case logical.None:
		err := r.s.load(&r.field, &r.array, at, n)
		if err == nil && r.floats {
			r.s.convertFor(&r.scalar, &r.field, n)
		}
		return n, err
	case logical.Struct:
		if err := r.s.begin(&r.array, at, n); err != nil {
			return n, err
		}
		for _, m := range r.children {
			if _, err := m.load(at, n, false); err != nil {
				return n, err
			}
		}
		return n, nil
	}
	if err := r.check(at, n); err != nil {
		return n, err
	}
	if err := r.s.loadLists(&r.field, &r.array, at, n); err != nil {
		return n, err
	}
	from := r.s.starts[0]
	for fewer && n > 1 && r.s.starts[n]-from > nestedElements {
		n /= 2
	}
	elements := r.children[0]
	if r.entries != nil {
		elements = r.entries
	}
	if err := elements.check(from, int(r.s.starts[n]-from)); err != nil {
		return n, err
	}
	_, err := elements.load(from, int(r.s.starts[n]-from), false)
	return n, err
}

// check returns an error, before memory is allocated, if n values starting at value at cannot
// exist.
func (r *nestedReader) check(at int64, n int) error {
	if at < 0 || int64(n) > r.array.length-at || n > math.MaxInt32 {
		return errShort
	}
	switch {
	case r.nests == logical.Struct:
		for _, m := range r.children {
			if err := m.check(at, n); err != nil {
				return err
			}
		}
		return nil
	case r.layout == fixedLayout && at > math.MaxInt64/2/int64(max(1, r.width)):
		return errShort
	case r.layout == fixedLayout:
		return r.children[0].check(at*int64(r.width), n*r.width)
	}
	size, err := r.array.buffers.size(r.array.first + 1)
	if err == nil && float64(at+int64(n))*float64(r.bits) > 8*float64(size) {
		err = errShort
	}
	return err
}

// append appends the loaded value i, which is not null.
func (r *nestedReader) append(b []byte, i int) (_ []byte, err error) {
	switch r.nests {
	case logical.None:
		r.scalar.Reset()
		if _, err := r.s.Decoded.Keep(&r.scalar, r.format, i, i+1); err != nil {
			return b, err
		}
		return r.scalar.AppendScalar(b, 0), nil
	case logical.Struct:
		b = logical.AppendValidity(b, len(r.children), func(k int) bool { return r.children[k].s.valid(i) })
		for _, m := range r.children {
			if m.s.valid(i) {
				if b, err = m.append(b, i); err != nil {
					return b, err
				}
			}
		}
		return b, nil
	}
	from, n := int(r.s.starts[i]-r.s.starts[0]), int(r.s.starts[i+1]-r.s.starts[i])
	b = logical.AppendCount(b, n)
	if r.entries != nil {
		for k := from; k < from+n; k++ {
			if !r.children[0].s.valid(k) {
				return b, fault.New("a key of a map is null").WithRemedy("write the file anew")
			}
			if b, err = r.children[0].append(b, k); err != nil {
				return b, err
			}
		}
	}
	last := r.children[len(r.children)-1]
	b = logical.AppendValidity(b, n, func(k int) bool { return last.s.valid(from + k) })
	for k := from; k < from+n; k++ {
		if last.s.valid(k) {
			if b, err = last.append(b, k); err != nil {
				return b, err
			}
		}
	}
	return b, nil
}
