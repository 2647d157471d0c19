package parquet

import (
	"strings"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/stream/logical"
)

// nestedNode is a column, or a part of a nested one, as a tree: a structure with its members, a
// list with its element, a map with its key and value, or a leaf.
type nestedNode struct {
	name       string
	holds      logical.Type // the zero Type if it cannot be kept
	def        int          // the definition level from which on it is not null
	rep, entry int          // of a list or map: the repetition level of its elements, and the definition level from which on it has elements
	inside     []*nestedNode
	first, end int // range of its leaves
}

// nestedWalk builds trees from a schema that leavesOf has accepted.
type nestedWalk struct {
	elements   []format.SchemaElement
	next, leaf int
}

// nestedOf returns the columns of a schema as trees, and descriptions of the nested ones that can
// be kept.
func nestedOf(elements []format.SchemaElement) (trees []*nestedNode, infos []column.Nested) {
	w := nestedWalk{elements: elements, next: 1}
	for range elements[0].NumChildren.V {
		n := w.element(0, 0)
		n.list(n.name, &trees, &infos)
	}
	return trees, infos
}

// list adds n and the nested members of structures, if they are nested.
func (n *nestedNode) list(name string, trees *[]*nestedNode, infos *[]column.Nested) {
	if n.holds.IsNested() {
		info := column.Info{Name: name, Kind: column.Other, Width: 1, Type: n.holds}
		info.Describe()
		*infos = append(*infos, column.Nested{Info: info, First: n.first, End: n.end, Index: len(*trees)})
		*trees = append(*trees, n)
	}
	if n.entry > 0 {
		return
	}
	for _, m := range n.inside {
		m.list(name+"."+m.name, trees, infos)
	}
}

// take returns the next element.
func (w *nestedWalk) take() *format.SchemaElement {
	w.next++
	return &w.elements[w.next-1]
}

// isGroup reports whether an element has members, see schemaWalk.
func isGroup(e *format.SchemaElement) bool {
	return e.NumChildren.Valid && (e.NumChildren.V > 0 || !e.Type.Valid)
}

func isRepeated(e *format.SchemaElement) bool {
	return e.RepetitionType.Valid && e.RepetitionType.V == format.Repeated
}

// element walks the next element, inside groups of the given levels. An element that is repeated
// outside of a list becomes a list.
func (w *nestedWalk) element(rep, def int) *nestedNode {
	e := w.take()
	if isRepeated(e) {
		return listNode(e, rep, def, w.value(e, rep+1, def+1))
	}
	if e.RepetitionType.Valid && e.RepetitionType.V == format.Optional {
		def++
	}
	return w.value(e, rep, def)
}

// listNode returns a list that is not null from definition level def on.
func listNode(e *format.SchemaElement, rep, def int, element *nestedNode) *nestedNode {
	n := &nestedNode{name: validName(e), def: def, rep: rep + 1, entry: def + 1, inside: []*nestedNode{element}, first: element.first, end: element.end}
	if element.holds.Class != logical.None {
		n.holds = logical.ListOf(element.holds)
	}
	return n
}

func validName(e *format.SchemaElement) string {
	return strings.Clone(strings.ToValidUTF8(e.Name, "\uFFFD"))
}

// value walks the content of e, whose own repetition is already included in the levels.
func (w *nestedWalk) value(e *format.SchemaElement, rep, def int) *nestedNode {
	switch {
	case !isGroup(e):
		w.leaf++
		return &nestedNode{name: validName(e), holds: logicalType(e), def: def, first: w.leaf - 1, end: w.leaf}
	case isAnnotatedList(e) && w.holdsRepeated(e):
		r := w.take()
		if isElement(e, r) || isRepeated(&w.elements[w.next]) {
			return listNode(e, rep, def, w.value(r, rep+1, def+1))
		}
		return listNode(e, rep, def, w.element(rep+1, def+1))
	case isAnnotatedMap(e) && w.holdsRepeated(e) && w.holdsPairs():
		w.take()
		key := w.element(rep+1, def+1)
		value := w.element(rep+1, def+1)
		n := &nestedNode{name: validName(e), def: def, rep: rep + 1, entry: def + 1, inside: []*nestedNode{key, value}, first: key.first, end: value.end}
		if key.holds.Class != logical.None && value.holds.Class != logical.None {
			n.holds = logical.MapOf(key.holds, value.holds)
		}
		return n
	}
	n := &nestedNode{name: validName(e), def: def, first: w.leaf, holds: logical.Type{Class: logical.Struct}}
	for range e.NumChildren.V {
		m := w.element(rep, def)
		n.inside = append(n.inside, m)
		n.holds.Members = append(n.holds.Members, logical.Member{Name: m.name, Type: m.holds})
	}
	if n.end = w.leaf; !n.isCarried() {
		n.holds = logical.Type{}
	}
	return n
}

// isCarried reports whether a structure has members and all of them can be kept.
func (n *nestedNode) isCarried() bool {
	for _, m := range n.inside {
		if m.holds.Class == logical.None {
			return false
		}
	}
	return len(n.inside) > 0
}

// holdsRepeated reports whether e has a single, repeated member, which is the next element.
func (w *nestedWalk) holdsRepeated(e *format.SchemaElement) bool {
	return e.NumChildren.V == 1 && isRepeated(&w.elements[w.next])
}

// holdsPairs reports whether the next element is a group of two members that are not repeated.
func (w *nestedWalk) holdsPairs() bool {
	e := &w.elements[w.next]
	return isGroup(e) && e.NumChildren.V == 2 && !isRepeated(&w.elements[w.next+1])
}

// isElement reports whether r, the repeated member of a list e, is the element itself, as with
// older writers, by the rules of
// https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#lists. Otherwise it is a
// group around the element.
func isElement(e, r *format.SchemaElement) bool {
	return !isGroup(r) || r.NumChildren.V != 1 || r.Name == "array" || r.Name == e.Name+"_tuple"
}

// isAnnotatedMap reports whether a group is annotated as a map.
func isAnnotatedMap(e *format.SchemaElement) bool {
	_, is := e.LogicalType.Value.(*format.MapType)
	return is || e.ConvertedType.Valid && (e.ConvertedType.V == deprecated.Map || e.ConvertedType.V == deprecated.MapKeyValue)
}
