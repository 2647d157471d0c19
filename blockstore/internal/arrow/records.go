package arrow

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v16/arrow"
	"github.com/apache/arrow/go/v16/arrow/array"
	"github.com/apache/arrow/go/v16/arrow/ipc"
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

// FromRecords returns a source of Arrow records. Each record is encoded as a
// batch of an Arrow stream and read from there; the caller keeps ownership of everything but the
// readers that Open gives. Integers and floats of any width, booleans,
// decimals, dictionaries of these, and fixed-size lists can be computed with;
// members of structures are columns a.b;
// strings can be kept. Nulls are NaN.
func FromRecords(r Records) (stream.Source, error) {
	s := &recordSource{Records: r}
	err := fault.Guard(r.Name, func() error {
		var empty bytes.Buffer
		if err := ipc.NewWriter(&empty, ipc.WithSchema(r.Schema)).Close(); err != nil {
			return fault.File(r.Name, "%w", fault.Damaged(err))
		}
		feed, err := newPipeFeed(r.Name, &empty, Limits{})
		if err != nil {
			return fault.File(r.Name, "%w", fault.Damaged(err))
		}
		s.schema = feed.schema
		s.schema.dropUnknown()
		return s.choose()
	})
	if err != nil {
		return nil, err
	}
	return s, nil
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
	encoded := &recordBytes{records: r}
	encoded.w = ipc.NewWriter(&encoded.buffer, ipc.WithSchema(s.Schema))
	feed, err := newPipeFeed(s.Name, encoded, Limits{})
	if err != nil {
		encoded.release()
		return nil, fault.File(s.Name, "%w", fault.Damaged(err))
	}
	all := newReader(ctx, &s.Choice, s.schema, &recordFeed{feed, encoded, s.Rows})
	return stream.Skip(all, s.Info(), first), nil
}

// recordFeed gives records as batches.
type recordFeed struct {
	*pipeFeed
	records  *recordBytes
	promised int64 // rows, or -1
}

func (f *recordFeed) next() (*batch, error) {
	b, err := f.pipeFeed.next()
	if err == io.EOF && f.promised >= 0 && f.row != f.promised {
		err = fault.File(f.path, "the records hold %d rows where %d were promised; open as many as Rows says, or say -1", f.row, f.promised)
	}
	return b, err
}

func (f *recordFeed) close() error {
	f.records.release()
	return f.pipeFeed.close()
}

// recordBytes encodes records as an Arrow stream, one at a time.
type recordBytes struct {
	records array.RecordReader
	w       *ipc.Writer
	buffer  bytes.Buffer
	ended   bool
}

// Read implements io.Reader.
func (b *recordBytes) Read(p []byte) (int, error) {
	for b.buffer.Len() == 0 && !b.ended {
		if b.records.Next() {
			if err := b.w.Write(b.records.Record()); err != nil {
				return 0, err
			}
			continue
		}
		b.ended = true
		if err := b.records.Err(); err != nil && err != io.EOF {
			return 0, fmt.Errorf("the records cannot be read: %w; open them again", err)
		}
		if err := b.w.Close(); err != nil {
			return 0, err
		}
	}
	return b.buffer.Read(p)
}

// release gives the memory of the records back.
func (b *recordBytes) release() {
	_ = b.w.Close() // nobody reads the end mark
	b.records.Release()
}
