// Package stream moves rows: it defines what a source of rows is, cuts every
// source into blocks on one absolute grid, and runs passes over the blocks with
// a bounded number of workers. It is the only package of Nystream that starts
// worker goroutines, and it knows no file format.
//
// # Sources
//
// A [Source] is anything that yields rows of float64 numbers: a file, several
// files, a stream, a matrix in memory. A reader of it starts at any row and
// reads on from there, like an [io.Reader] whose unit is the row. Sources whose
// rows can be fetched by number also implement [Gatherer].
//
// # The grid
//
// Blocks start at absolute multiples of the engine's block size, whatever the
// boundaries of files, row groups or shards. Together with the fixed binary
// tree of [Forest] this makes every result the same bits for any number of
// threads, any read size, any file format and any split into shards that are
// cut on the grid.
//
// # Above it
//
// stream/prepare makes of raw rows those that a method sees, and stream/sparse holds
// the matrices of graphs. Both are sources to this package like any other.
package stream

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/words"
	"github.com/nystream/nystream/stream/logical"
)

// Info describes a source. It is fixed for the life of the source.
type Info struct {
	// Name is how messages call the source: usually a path.
	Name string
	// Columns are the names of the numeric columns, in order. Their number is
	// the dimension d of a row.
	Columns []string
	// Nameless reports that the source does not name its numeric columns. Columns then holds made-up names x0, x1, …
	// by position, for messages only. Columns that a source itself calls x0, x1, … are named.
	Nameless bool
	// Kept are the columns that are carried along with the rows but are no
	// part of them: labels, identifiers.
	Kept []Field
	// Rows is the number of rows, or -1 while nobody knows.
	Rows int64
	// OnePass says that the rows can be read a single time only (a pipe).
	OnePass bool
	// Live says that rows come as somebody makes them, and that a read returns the rows at hand when the input pauses.
	// [Map] then hands on blocks of fewer rows. Other passes wait until their blocks are full.
	Live bool
	// InMemory says that the rows are in memory: a [Run] keeps no states of passes over
	// them.
	InMemory bool
	// SeekCost is about how many rows a reader that begins in the middle has to
	// pass over at most, and at least 1; 0 means all that come before. Where
	// that costs little, a pass opens several readers.
	SeekCost int64
	// ReaderBytes is about how many bytes a reader holds besides the batches that it
	// fills, where that is worth mentioning.
	ReaderBytes int64
	// Versions tell by the names of files, without folders, what is in them, where something
	// does: an ETag, a digest of a footer. A [Run] refuses states of another version.
	Versions map[string]string
	// PassesToOpen is how many times the rows have been read from first to last
	// already, to find out what is in this Info (a text file has no footer).
	PassesToOpen int
}

// Field is the name, kind and logical type of a kept column.
type Field struct {
	Name string
	Kind ColumnKind
	// Type is the logical type of the values, or the zero Type where that is float64, int64 or text, by the kind.
	Type logical.Type
	// Nameless says that the name is made up by position: see Info.Nameless.
	Nameless bool
	// NoNulls says that no value is null, where the files tell that before they are read.
	NoNulls bool
	// Category says that a preparation makes numbers of the words of the column, which is then
	// no longer carried along, unless it is also Carried. Carried alone says that words stay words.
	Category, Carried bool
}

// ColumnKind is the type of the values in a kept column.
type ColumnKind uint8

// The kinds of kept columns.
const (
	Float64 ColumnKind = iota
	Int64
	String
)

// String returns float64, int64 or string.
func (k ColumnKind) String() string { return words.Of(kindWords, k) }

var kindWords = []string{"float64", "int64", "string"}

// Column holds values of one kept column. Exactly the slice that belongs to
// Kind is used, but for decimals, which are in two:
// see [FieldOf]. A nil Valid means that no value is null.
type Column struct {
	Kind    ColumnKind
	Type    logical.Type // see Field.Type
	Floats  []float64
	Ints    []int64
	Strings []string
	Valid   []bool
}

// Batch is rows with their kept columns: where a read puts them, and what a sequence yields. A read fills the memory
// of its caller.
type Batch struct {
	// X receives the rows: X.Rows is the most that may be read, X.Cols the
	// dimension of the source. X.Stride may exceed X.Cols.
	X blas64.General
	// Kept receives the kept columns, one for each Info.Kept, or is nil when
	// the caller does not want them. A read truncates each column and appends
	// one value per row read. A pass asks for them always or never.
	Kept []Column
}

// Source yields rows. It is safe for concurrent use: a pass opens several
// readers, which read at the same time. A source is not closed: what it holds
// besides its readers, such as the copy of a pipe, belongs to whoever made it.
type Source interface {
	// Info describes the source. The caller must not modify the result.
	Info() Info
	// Open returns a reader of the rows from the given one on, which is at
	// most Info().Rows: then there are none. Opening a source again, whether
	// or not earlier readers are closed, starts anew; a source with Info().OnePass
	// set fails the second time, and when the first row is not 0.
	//
	// The caller closes the reader. Nothing is left open after an error. The
	// reader keeps ctx: its reads fail once ctx is done.
	Open(ctx context.Context, first int64) (Reader, error)
}

// Reader reads the rows of one pass in order. One goroutine uses it at a time.
// Readers of one source are independent of each other.
type Reader interface {
	// Read fills rows 0..n-1 of dst with the next rows and returns n. Like an
	// io.Reader it may return fewer rows than asked for ([ReadFull] does not);
	// the error is io.EOF with or after the last row. Nulls are delivered as
	// NaN. Rows past n may hold anything.
	//
	// If n > 0 and there is an error, rows 0..n-1 are valid and the error is
	// about what follows. Kept columns may then have more than n values. After
	// an error other than io.EOF nothing more is read. The reader does not keep
	// dst; strings in it stay valid after Close.
	Read(dst *Batch) (n int, err error)
	// Close releases the reader, also after an error of Read. It is called
	// once, and not while Read runs. Its error means that rows that were read
	// may be wrong: the file was changed meanwhile.
	Close() error
}

// Gatherer is implemented by sources whose rows can be fetched by number.
// It is safe for concurrent use.
type Gatherer interface {
	Source
	// Gather puts the rows with the given numbers, which ascend strictly, into
	// the rows of dst. dst.X.Rows equals len(rows). It keeps neither rows nor
	// dst, and leaves nothing open. After an error dst may hold anything.
	Gather(ctx context.Context, rows []int64, dst *Batch) error
}
