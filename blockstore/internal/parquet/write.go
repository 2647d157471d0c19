package parquet

import (
	"io"
	"maps"
	"slices"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/stream"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
)

// Pages of the Parquet files we write have about pageBytes, and a row
// group holds about groupBytes of numbers: it is in memory until it is
// complete.
const (
	pageBytes  = 256 << 10
	groupBytes = 16 << 20
)

// writeRows is how many rows of a column are handed to the library at a time.
const writeRows = 1024

// What the library holds grows with the columns, each of which has its own
// buffers: at most 18, 22, 63 and 295 MiB were measured while writing 5, 20,
// 200 and 1000 columns with a busy collector, hence the reserve.
const (
	WriterBytes = 32 << 20
	ColumnBytes = 320 << 10
)

// encoder writes numeric columns as required doubles, plain and not
// compressed: noise does not compress, and a dictionary would make it larger.
// Kept columns are optional and compressed with snappy. Pages have checksums.
type encoder struct {
	w         *parquet.GenericWriter[any]
	schema    stream.Info
	groupRows int
	inGroup   int
	values    []parquet.Value
}

// codecs are the compressions of files that are written, by name.
var codecs = map[string]compress.Codec{"snappy": &parquet.Snappy, "gzip": &parquet.Gzip, "zstd": &parquet.Zstd}

// Compressions returns the names that NewCompressedEncoder takes.
func Compressions() []string { return []string{"snappy", "gzip", "zstd"} }

// NewCompressedEncoder returns what writes a Parquet file all of whose columns are compressed.
func NewCompressedEncoder(compression string) column.StartEncoder {
	return func(out io.Writer, s stream.Info) (column.Encoder, error) {
		return newEncoder(out, s, codecs[compression])
	}
}

// NewEncoder writes a Parquet file.
func NewEncoder(out io.Writer, s stream.Info) (column.Encoder, error) {
	return newEncoder(out, s, nil)
}

// maxColumns is the most columns that the library writes.
const maxColumns = parquet.MaxColumnIndex + 1

// newEncoder compresses all columns with a codec, or with nil what NewEncoder does.
func newEncoder(out io.Writer, s stream.Info, codec compress.Codec) (column.Encoder, error) {
	if n := len(s.Columns) + len(s.Kept); n > maxColumns {
		return nil, fault.New("%d columns are more than the %d that a Parquet file is written with", n, maxColumns).Do("write .arrow, .npy or .csv")
	}
	nodes := parquet.Group{}
	var names []string
	add := func(name string, node parquet.Node) error {
		if _, ok := nodes[name]; ok {
			return fault.New("two columns are called %q, which a Parquet file cannot hold", name).Do("rename one")
		}
		if codec != nil {
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
	for _, field := range s.Kept {
		if err := add(field.Name, keptNode(field.Kind)); err != nil {
			return nil, err
		}
	}
	if len(names) == 0 {
		return nil, column.ErrNoColumns
	}
	schema := parquet.NewSchema("rows", orderedGroup{nodes, names})
	w := parquet.NewGenericWriter[any](out, schema,
		parquet.Compression(&parquet.Uncompressed),
		parquet.PageBufferSize(pageBytes),
		parquet.CreatedBy("nystream", "", ""))
	groupRows := max(1, groupBytes/(8*len(names)))
	return &encoder{w: w, schema: s, groupRows: groupRows}, nil
}

// Describe adds to the metadata of the footer.
func (e *encoder) Describe(about map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(about)) {
		e.w.SetKeyValueMetadata(name, about[name])
	}
	return nil
}

// keptNode returns the type of a kept column.
func keptNode(kind stream.Kind) parquet.Node {
	node := parquet.Leaf(parquet.DoubleType)
	switch kind {
	case stream.Int64:
		node = parquet.Leaf(parquet.Int64Type)
	case stream.String:
		node = parquet.String()
	}
	return parquet.Optional(parquet.Compressed(parquet.Encoded(node, &parquet.Plain), &parquet.Snappy))
}

// orderedGroup is a group whose fields keep the order given. Those of a
// parquet.Group are sorted by name.
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
	for done := 0; done < n; {
		rows := min(n-done, writeRows, e.groupRows-e.inGroup)
		if err := e.tile(b, done, rows); err != nil {
			return err
		}
		done += rows
		if e.inGroup += rows; e.inGroup == e.groupRows {
			e.inGroup = 0
			if err := e.w.Flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// tile writes rows of b from row at on.
func (e *encoder) tile(b *stream.Batch, at, rows int) error {
	columns := e.w.ColumnWriters()
	for k := range e.schema.Columns {
		e.values = e.values[:0]
		for i := at; i < at+rows; i++ {
			e.values = append(e.values, parquet.DoubleValue(b.X.Data[i*b.X.Stride+k]).Level(0, 0, k))
		}
		if _, err := columns[k].WriteRowValues(e.values); err != nil {
			return err
		}
	}
	for k := range e.schema.Kept {
		column := len(e.schema.Columns) + k
		e.values = e.values[:0]
		for i := at; i < at+rows; i++ {
			e.values = append(e.values, keptValue(&b.Kept[k], i, column))
		}
		if _, err := columns[column].WriteRowValues(e.values); err != nil {
			return err
		}
	}
	return nil
}

// keptValue returns value i of c.
func keptValue(c *stream.Column, i, column int) parquet.Value {
	if c.Null(i) {
		return parquet.NullValue().Level(0, 0, column)
	}
	var v parquet.Value
	switch c.Kind {
	case stream.Float64:
		v = parquet.DoubleValue(c.Floats[i])
	case stream.Int64:
		v = parquet.Int64Value(c.Ints[i])
	case stream.String:
		v = parquet.ByteArrayValue([]byte(c.Strings[i]))
	}
	return v.Level(0, 1, column)
}

func (e *encoder) Finish() error { return e.w.Close() }
