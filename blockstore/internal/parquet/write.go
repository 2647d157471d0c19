package parquet

import (
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/internal/quote"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// encoder writes numeric columns as required doubles, plain and uncompressed: noise does not
// compress, and a dictionary would enlarge it. Kept columns are optional unless they have no nulls;
// all but floats are compressed with snappy, and use a dictionary if their first rows repeat
// values. Pages have checksums; the footer and the page index have minima, maxima and null counts.
type encoder struct {
	out      io.Writer
	schema   stream.Info
	nodes    orderedGroup
	about    map[string]string
	group    group
	pageText []int64                     // bytes of text of each kept column in the current page
	w        *parquet.GenericWriter[any] // nil before the first rows
	kept     []keptValues                // converters of the kept columns
	nested   []*nestedWriter             // of the kept columns, nil for those that are not nested
	leaf     int                         // the next leaf of the current tile
	values   []parquet.Value
}

// codecs maps names to compression codecs.
var codecs = map[string]compress.Codec{"snappy": &parquet.Snappy, "gzip": &parquet.Gzip, "zstd": &parquet.Zstd}

// Compressions returns the names of codecs for NewSizedEncoder.
func Compressions() []string { return []string{"snappy", "gzip", "zstd"} }

// NewSizedEncoder returns a StartEncoder of Parquet files with the given compression for all
// columns, "" for the default of NewEncoder, in a run with the given memory, 0 for unlimited.
func NewSizedEncoder(compression string, memory int64) column.StartEncoder {
	return func(out io.Writer, s stream.Info) (column.Encoder, error) {
		return newEncoder(out, s, codecs[compression], memory)
	}
}

// NewEncoder returns an encoder of a Parquet file.
func NewEncoder(out io.Writer, s stream.Info) (column.Encoder, error) {
	return newEncoder(out, s, nil, 0)
}

// maxColumns is the maximal number of columns that the library writes.
const maxColumns = parquet.MaxColumnIndex + 1

func errManyColumns(n int) error {
	return fault.New("%d columns are more than the %d that a Parquet file is written with", n, maxColumns).WithRemedy("write .arrow, .npy or .csv")
}

// newEncoder returns an encoder that compresses all columns with a codec, or with nil like
// NewEncoder.
func newEncoder(out io.Writer, s stream.Info, codec compress.Codec, memory int64) (column.Encoder, error) {
	if n := len(s.Columns) + len(s.Kept); n > maxColumns {
		return nil, errManyColumns(n)
	}
	nodes := parquet.Group{}
	var names []string
	var kept []keptValues
	var nested []*nestedWriter
	add := func(name string, node parquet.Node) error {
		if _, ok := nodes[name]; ok {
			return fault.New("two columns are called %q, which a Parquet file cannot hold", name).
				WithRemedy("rename one")
		}
		if codec != nil && node.Leaf() {
			node = parquet.Compressed(node, codec)
		}
		nodes[name] = node
		names = append(names, name)
		return nil
	}
	for _, name := range s.Columns {
		if err := add(name, parquet.Encoded(parquet.Leaf(parquet.DoubleType), &parquet.Plain)); err != nil {
			return nil, err
		}
	}
	leaves := len(s.Columns)
	for _, field := range s.Kept {
		if t := field.Logical(); t.IsNested() {
			if err := errTwice(t); err != nil {
				return nil, err
			}
			w := newNestedWriter(t, leaves)
			if err := add(field.Name, parquet.Optional(w.root.schema(codec))); err != nil {
				return nil, err
			}
			kept, nested, leaves = append(kept, nil), append(nested, w), w.root.end
			continue
		}
		leaves++
		nested = append(nested, nil)
		leaf, values := keptLeaf(field.Logical())
		if err := add(field.Name, keptNode(leaf, field)); err != nil {
			return nil, err
		}
		kept = append(kept, values)
	}
	if len(names) == 0 {
		return nil, column.ErrNoColumns
	}
	if leaves > maxColumns {
		return nil, errManyColumns(leaves)
	}
	return &encoder{nested: nested, out: out, schema: s, nodes: orderedGroup{nodes, names}, group: newGroup(GroupBytes(memory), len(names)), kept: kept}, nil
}

// Describe adds metadata to the footer.
func (e *encoder) Describe(about map[string]string) error {
	e.about = about
	return nil
}

// keptNode returns the node of a kept column whose values have the type of leaf. Floats are not
// compressed: see encoder.
func keptNode(leaf parquet.Node, f stream.Field) parquet.Node {
	leaf = parquet.Encoded(leaf, &parquet.Plain)
	if f.Kind != stream.Float64 || f.Type.Class == logical.Decimal {
		leaf = parquet.Compressed(leaf, &parquet.Snappy)
	}
	if f.NoNulls {
		return leaf
	}
	return parquet.Optional(leaf)
}

// orderedGroup is a group with fields in a given order. Those of a parquet.Group are sorted by
// name.
type orderedGroup struct {
	parquet.Group
	names []string
}

// Fields returns the fields in order.
func (g orderedGroup) Fields() []parquet.Field {
	byName := map[string]parquet.Field{}
	for _, f := range g.Group.Fields() {
		byName[f.Name()] = f
	}
	fields := make([]parquet.Field, len(g.names))
	for i, name := range g.names {
		fields[i] = byName[name]
	}
	return fields
}

func (e *encoder) Encode(b *stream.Batch, n int) error {
	if e.w == nil {
		e.start(b, n)
	}
	for done := 0; done < n; {
		rows := e.group.fits(n - done)
		if err := e.tile(b, done, rows); err != nil {
			return err
		}
		if e.group.add(rows) {
			if err := e.w.Flush(); err != nil {
				return err
			}
		}
		done += rows
	}
	return nil
}

// tile writes rows of b, starting at row at.
func (e *encoder) tile(b *stream.Batch, at, rows int) error {
	columns := e.w.ColumnWriters()
	e.values = column.Resized(e.values, rows)
	for k := range e.schema.Columns {
		for i := range e.values { // required values have no levels
			e.values[i] = parquet.DoubleValue(b.X.Data[(at+i)*b.X.Stride+k])
		}
		if _, err := columns[k].WriteRowValues(e.values); err != nil {
			return err
		}
	}
	e.leaf = len(e.schema.Columns)
	for k := range e.schema.Kept {
		if w := e.nested[k]; w != nil {
			if err := e.nestedTile(w, k, &b.Kept[k], at, rows); err != nil {
				return err
			}
			continue
		}
		column := e.leaf
		e.leaf++
		if err := e.keep(k, column, &b.Kept[k], at); err != nil {
			return fault.New("column %s: %w", quote.Name(e.schema.Kept[k].Name), err)
		}
		if _, err := columns[column].WriteRowValues(e.values); err != nil {
			return err
		}
		if c := &b.Kept[k]; len(c.Strings) > 0 {
			if err := e.addText(columns[column], k, c.Strings[at:at+rows]); err != nil {
				return err
			}
		}
	}
	return nil
}

// keep fills e.values with values of kept column k, the leaf with the given index, starting at
// value at.
func (e *encoder) keep(k, leaf int, c *stream.Column, at int) error {
	if err := e.kept[k](e.values, c, at); err != nil {
		return err
	}
	if e.schema.Kept[k].NoNulls {
		if c.Valid != nil && slices.Contains(c.Valid[at:][:len(e.values)], false) {
			return fault.New("a value is null, and the file that it is from counts no nulls").WithKind(stream.Damaged).WithRemedy("make or fetch that file again")
		}
		return nil
	}
	for i := range e.values {
		if c.Null(at + i) {
			e.values[i] = parquet.NullValue().Level(0, 0, leaf)
		} else {
			e.values[i] = e.values[i].Level(0, 1, leaf)
		}
	}
	return nil
}

func (e *encoder) Finish() error {
	if e.w == nil {
		e.start(nil, 0)
	}
	return e.w.Close()
}
