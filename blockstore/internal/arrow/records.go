package arrow

import (
	"context"
	"io"

	"github.com/apache/arrow/go/v16/arrow"
	"github.com/apache/arrow/go/v16/arrow/array"
	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/internal/quote"
	"github.com/nystream/nystream/stream"
)

// Records describes records in memory, or from wherever the caller gets them,
// for [FromRecords].
type Records struct {
	// Name is how messages call the source.
	Name string
	// Schema is the schema of the records.
	Schema *arrow.Schema
	// Columns are the names of the fields that make a row, in order. Nil means
	// all fields of numbers but dates, timestamps, times and durations. Fixed-size lists give one column for each element.
	Columns []string
	// Keep are the names of the fields that are carried along.
	Keep []string
	// Rows is the number of rows, or -1.
	Rows int64
	// Open starts reading at the first record. The source releases the reader
	// that it returns, and retains no record longer than until the next one.
	Open func() (array.RecordReader, error)
	// Inexact says what becomes of integers that no float64 holds.
	Inexact column.Inexact
	// Once says that Open may be called a single time only.
	Once bool
}

// FromRecords returns a source of Arrow records. Values are copied out of the
// records as they are read; the caller keeps ownership of everything but the
// readers that Open gives. Integers and floats of any width, booleans,
// decimals, dictionaries of these, and fixed-size lists can be computed with;
// members of structures are columns a.b;
// strings can be kept. Nulls are NaN.
func FromRecords(r Records) (stream.Source, error) {
	s := &recordSource{Records: r}
	err := fault.Guard(r.Name, func() error {
		s.schema = layOut(r.Schema, placer{ids: make([]int64, countDictionaries(r.Schema))})
		s.schema.dropUnknown()
		return s.choose()
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// countDictionaries returns at least the number of dictionaries in a schema.
func countDictionaries(schema *arrow.Schema) int {
	n := 0
	var count func(fields []arrow.Field)
	count = func(fields []arrow.Field) {
		for _, f := range fields {
			t := f.Type
			if d, ok := t.(*arrow.DictionaryType); ok {
				n++
				t = d.ValueType
			}
			if nested, ok := t.(arrow.NestedType); ok {
				count(nested.Fields())
			}
		}
	}
	count(schema.Fields())
	return n
}

// recordSource is a source of records.
type recordSource struct {
	Records
	column.Choice
	schema *schema
	opened bool
}

// choose finds the columns.
func (s *recordSource) choose() error {
	numeric, err := s.find(s.Columns)
	if err != nil {
		return err
	}
	if s.Columns == nil {
		for i, f := range s.schema.fields {
			if f.kind.Computable() && !f.means.Apart() {
				numeric = append(numeric, i)
			}
		}
	}
	kept, err := s.find(s.Keep)
	if err != nil {
		return err
	}
	table := column.TableInfo{Path: s.Name, Columns: s.schema.columns(), Rows: s.Rows, Once: s.Once}
	s.Choice, err = table.Choose(numeric, kept, s.Records.Inexact)
	s.schema = s.schema.with(s.Records.Inexact)
	return err
}

// find returns the numbers of the fields with the given names.
func (s *recordSource) find(names []string) ([]int, error) {
	places := make(map[string][]int)
	for i := range s.schema.fields {
		name := s.schema.fields[i].name
		places[name] = append(places[name], i)
	}
	var found []int
	for _, name := range names {
		indexes := places[name]
		if len(indexes) != 1 {
			return nil, s.wrongName(name, len(indexes))
		}
		found = append(found, indexes[0])
	}
	return found, nil
}

// wrongName returns the error that n columns, which are not one, have a name.
func (s *recordSource) wrongName(name string, n int) error {
	if n > 1 {
		return fault.File(s.Name, "%d columns are called %s; rename them", n, quote.Name(name))
	}
	var names []string
	for i := range s.schema.fields {
		names = append(names, s.schema.fields[i].name)
	}
	return fault.File(s.Name, "there is no column %s; the columns are: %s", quote.Name(name), quote.Names(names))
}

// Open starts a pass.
func (s *recordSource) Open(ctx context.Context, first int64) (stream.Reader, error) {
	if err := stream.CheckFirst(s.Info(), first); err != nil {
		return nil, err
	}
	if s.Once && s.opened {
		return nil, fault.File(s.Name, "it can be read only once; spool it first")
	}
	s.opened = true
	r, err := s.Records.Open()
	if err != nil {
		return nil, err
	}
	if !r.Schema().Equal(s.Schema) {
		r.Release()
		return nil, fault.File(s.Name, "the records have another schema than the source; open records of the same schema")
	}
	all := newReader(ctx, &s.Choice, s.schema, &recordFeed{source: s, r: r})
	return stream.Skip(all, s.Info(), first), nil
}

// recordFeed gives records as batches.
type recordFeed struct {
	source *recordSource
	r      array.RecordReader
	row    int64
	dicts  map[arrow.ArrayData]*dictionary
}

func (f *recordFeed) want([]field) {}

func (f *recordFeed) close() error {
	f.r.Release()
	return nil
}

func (f *recordFeed) next() (*batch, error) {
	if !f.r.Next() {
		return nil, f.end()
	}
	record := f.r.Record()
	f.dicts = map[arrow.ArrayData]*dictionary{}
	b := &batch{first: f.row, rows: record.NumRows()}
	b.arrays = func(field *field) (values, error) {
		return f.column(field, record)
	}
	f.row += b.rows
	return b, nil
}

// column describes a column of a record, or a member of a structure.
func (f *recordFeed) column(field *field, record arrow.Record) (a values, err error) {
	data := record.Column(field.path[0]).Data()
	var above []values
	offset := int64(0) // in the structures around it
	for k, i := range field.path[1:] {
		parent, err := f.array(&field.parents[k], data)
		if err != nil {
			return a, err
		}
		parent.offset += offset
		above = append(above, parent)
		offset += int64(data.Offset())
		data = data.Children()[i]
	}
	a, err = f.array(field, data)
	a.offset, a.length, a.above = a.offset+offset, record.NumRows(), above
	return a, err
}

// end returns why there are no more records.
func (f *recordFeed) end() error {
	err := f.r.Err()
	switch {
	case err != nil && err != io.EOF:
		return fault.File(f.source.Name, "the records cannot be read after row %d: %w; open them again", f.row, err)
	case f.source.Rows >= 0 && f.row != f.source.Rows:
		return fault.File(f.source.Name, "the records hold %d rows where %d were promised; open as many as Rows says, or say -1", f.row, f.source.Rows)
	}
	return io.EOF
}

// array describes an array in memory.
func (f *recordFeed) array(field *field, data arrow.ArrayData) (values, error) {
	a := values{length: int64(data.Len()), offset: int64(data.Offset()), buffers: memoryBuffers{data}}
	switch field.layout {
	case viewLayout:
		a.data = len(data.Buffers()) - 2
	case fixedLayout, listLayout:
		child, err := f.array(field.child, data.Children()[0])
		a.child = &child
		return a, err
	case runLayout:
		ends, err := f.array(field.ends, data.Children()[0])
		if err != nil {
			return a, err
		}
		child, err := f.array(field.child, data.Children()[1])
		a.child, a.ends = &child, &ends
		return a, err
	case dictLayout:
		var err error
		a.dict, err = f.dictionary(field.child, data.Dictionary())
		return a, err
	}
	return a, nil
}

// dictionary decodes a dictionary once for a record.
func (f *recordFeed) dictionary(field *field, data arrow.ArrayData) (*dictionary, error) {
	if d, ok := f.dicts[data]; ok {
		return d, nil
	}
	a, err := f.array(field, data)
	if err != nil {
		return nil, err
	}
	d := &dictionary{}
	f.dicts[data] = d
	return d, d.add(field, a)
}
