package parquet

import (
	"math"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/internal/quote"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// nestedWriter splits values in the form of package logical into values of the leaves of a nested
// column, with their levels. The library writes these.
type nestedWriter struct {
	root   *writtenNode
	leaves [][]parquet.Value // from root.first on
	one    [1]parquet.Value
	failed error
}

// writtenNode is a nested column, or a part of one. All parts except keys of maps are nullable.
type writtenNode struct {
	logical.Type
	def, rep   int // the definition level of a value; for a list or map the repetition level of its elements
	inside     []*writtenNode
	first, end int // range of its leaves
	node       parquet.Node
	values     keptValues
	scalar     stream.Column // one value of a leaf
}

// errTwice returns an error if two members of a structure have the same name: the library
// identifies them by name.
func errTwice(t logical.Type) error {
	seen := make(map[string]bool)
	for _, m := range t.Members {
		if t.Class == logical.Struct && seen[m.Name] {
			return fault.New("two members of a structure are called %q, which a Parquet file cannot hold", m.Name).WithRemedy("write .arrow")
		}
		seen[m.Name] = true
		if err := errTwice(m.Type); err != nil {
			return err
		}
	}
	return nil
}

// newNestedWriter returns the writer of a nullable column of a nested type whose first leaf has
// index leaf.
func newNestedWriter(t logical.Type, leaf int) *nestedWriter {
	w := &nestedWriter{root: newWrittenNode(t, 0, 1, leaf)}
	w.leaves = make([][]parquet.Value, w.root.end-leaf)
	return w
}

func newWrittenNode(t logical.Type, rep, def, leaf int) *writtenNode {
	n := &writtenNode{Type: t, def: def, rep: rep, first: leaf, end: leaf + 1}
	entry := def + 1 // the level of members, and of nullable elements
	switch t.Class {
	case logical.List, logical.Map:
		n.rep++
		entry++
	case logical.Struct:
	default:
		n.node, n.values = keptLeaf(t)
		n.scalar = stream.FieldOf("", t).Column()
		return n
	}
	for i, m := range t.Members {
		def := entry
		if t.Class == logical.Map && i == 0 {
			def--
		}
		member := newWrittenNode(m.Type, n.rep, def, leaf)
		n.inside = append(n.inside, member)
		leaf = member.end
	}
	n.end = leaf
	return n
}

// schema returns the non-nullable schema node, with a codec for its leaves or nil for the default.
func (n *writtenNode) schema(codec compress.Codec) parquet.Node {
	switch n.Class {
	case logical.List:
		return parquet.List(parquet.Optional(n.inside[0].schema(codec)))
	case logical.Map:
		return parquet.Map(n.inside[0].schema(codec), parquet.Optional(n.inside[1].schema(codec)))
	case logical.Struct:
		g := orderedGroup{Group: parquet.Group{}}
		for i, m := range n.Members {
			g.Group[m.Name] = parquet.Optional(n.inside[i].schema(codec))
			g.names = append(g.names, m.Name)
		}
		return g
	}
	node := parquet.Encoded(n.node, &parquet.Plain)
	if codec == nil && n.Class != logical.Float {
		codec = &parquet.Snappy
	}
	if codec != nil {
		node = parquet.Compressed(node, codec)
	}
	return node
}

// add splits the value in row i of c.
func (w *nestedWriter) add(c *stream.Column, i int) error {
	if c.Null(i) {
		w.null(w.root, 0, 0)
		return nil
	}
	from := logical.NewCursor(c.Strings[i])
	w.append(w.root, &from, 0)
	if w.failed == nil {
		w.failed = from.Err()
	}
	return w.failed
}

// append splits the next value of n, which is not null, at repetition level rep.
func (w *nestedWriter) append(n *writtenNode, from *logical.Cursor, rep int) {
	switch n.Class {
	case logical.Struct:
		valid := from.Validity(len(n.inside))
		for i, m := range n.inside {
			w.appendOrNull(m, from, valid.Has(i), rep, n.def)
		}
		return
	case logical.List, logical.Map:
		w.appendList(n, from, rep)
		return
	}
	n.scalar.TakeScalar(from)
	if err := n.values(w.one[:], &n.scalar, 0); err != nil && w.failed == nil {
		w.failed = err
	}
	w.put(n.first, w.one[0].Level(rep, n.def, n.first))
}

// appendList splits a list or map.
func (w *nestedWriter) appendList(n *writtenNode, from *logical.Cursor, rep int) {
	count := from.Count()
	if count == 0 {
		from.Validity(0)
		w.null(n, rep, n.def)
		return
	}
	level := func(i int) int {
		if i == 0 {
			return rep
		}
		return n.rep
	}
	last := n.inside[len(n.inside)-1]
	if n.Class == logical.Map {
		for i := range count {
			w.append(n.inside[0], from, level(i))
		}
	}
	valid := from.Validity(count)
	if last.Class == logical.Float && valid.All() {
		w.appendFloats(last, from, count, rep, n.rep)
		return
	}
	for i := range count {
		w.appendOrNull(last, from, valid.Has(i), level(i), n.def+1)
	}
}

// appendFloats splits a list of floats without nulls, such as an embedding.
func (w *nestedWriter) appendFloats(n *writtenNode, from *logical.Cursor, count, rep, next int) {
	values := w.leaves[n.first-w.root.first]
	for range count {
		v := parquet.Value{}
		if word := from.Word(n.Type); n.Bits == 64 {
			v = parquet.DoubleValue(math.Float64frombits(word))
		} else {
			v = parquet.FloatValue(math.Float32frombits(uint32(word)))
		}
		values = append(values, v.Level(rep, n.def, n.first))
		rep = next
	}
	w.leaves[n.first-w.root.first] = values
}

// appendOrNull is append for a nullable value inside values of definition level def.
func (w *nestedWriter) appendOrNull(n *writtenNode, from *logical.Cursor, valid bool, rep, def int) {
	if valid {
		w.append(n, from, rep)
	} else {
		w.null(n, rep, def)
	}
}

// null adds a null or an empty list to each leaf.
func (w *nestedWriter) null(n *writtenNode, rep, def int) {
	for leaf := n.first; leaf < n.end; leaf++ {
		w.put(leaf, parquet.NullValue().Level(rep, def, leaf))
	}
}

func (w *nestedWriter) put(leaf int, v parquet.Value) {
	w.leaves[leaf-w.root.first] = append(w.leaves[leaf-w.root.first], v)
}

// nestedTile writes rows of kept column k, starting at row at.
func (e *encoder) nestedTile(w *nestedWriter, k int, c *stream.Column, at, rows int) error {
	columns := e.w.ColumnWriters()
	e.leaf = w.root.end
	for i := at; i < at+rows; {
		for leaf := range w.leaves {
			w.leaves[leaf] = w.leaves[leaf][:0]
		}
		for bytes := 0; i < at+rows && bytes < nestedBytes; i++ {
			if err := w.add(c, i); err != nil {
				return fault.New("column %s: %w", quote.Name(e.schema.Kept[k].Name), err)
			}
			bytes += len(c.Strings[i])
		}
		for leaf, values := range w.leaves {
			if _, err := columns[w.root.first+leaf].WriteRowValues(values); err != nil {
				return err
			}
		}
	}
	for _, s := range c.Strings[at : at+rows] {
		e.group.text += int64(len(s))
	}
	return nil
}

// nestedBytes is about the size of nested values passed to the library at a time.
const nestedBytes = 256 << 10
