package blockstore

import (
	"io"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/text"
)

// Options configures the reading of files.
//
// Columns selects the columns of a row, the features. An item is the name of a column, a glob
// (sensor_*), a number (3), or a range (0:20, half-open; 5: is the rest). Numbers count all columns
// from 0, each component of a vector column as one. Columns appear in the order of the items, each
// once. An item with ! in front excludes columns. If no item selects any, all numeric columns are
// selected that are neither label nor kept. This excludes the label of a libsvm file, keys of k=v
// folders and, unless Dates converts them to numbers, dates, timestamps, times of day and
// durations, see [Source.LeftOut]. Globs and ranges skip these, and label and kept columns. The
// name of a vector column emb of w numbers selects all of it; it counts as the columns emb.0 to
// emb.{w-1}.
//
// Columns are those of the first file, followed by the keys of the k=v folders in its path. Keys
// are integers or numbers if all their values in all files are, else text. In names in Parquet and
// Arrow files invalid UTF-8 becomes U+FFFD.
type Options struct {
	// Format is one of Formats(), or "" for detection: by the first bytes of a file if they
	// identify it, else by its extension.
	Format string
	// Columns selects the features.
	Columns []string
	// Label is a kept column, the first of Info().Kept, or "". Here and in Keep, a number is a
	// column number unless a column has that name.
	Label string
	// Keep names further kept columns; lists, maps and structures are kept as a whole. Text is kept
	// unchanged, including blanks; an empty cell is null.
	Keep []string
	// Carry selects further kept columns.
	Carry Carry
	// Types gives types to kept columns of text files, each as name=type: see package logical. A
	// libsvm file has at least the features that are named, as in x99=float64. FindTypes detects
	// other columns whose texts are all dates, times, timestamps or UUIDs; otherwise they are text.
	Types     []string
	FindTypes bool
	// Layout describes the layout of text files.
	Layout
	// Features is the minimal number of features of libsvm files. Absent features are zero.
	Features int
	// IndexBase is the first index of libsvm files. With IndexBaseAuto it is an error if only some
	// of the files have an index 0.
	IndexBase IndexBase
	// Categories lets Columns select text columns like numeric ones. They follow the kept columns
	// in Info().Kept, marked as categories, which [prepare.New] encodes as numbers.
	Categories bool
	// Words names columns to read as categories, such as those of a model.
	Words []string
	// NoNumbers allows rows without features, with only kept columns: text, dates.
	NoNumbers bool
	// Dates selects the treatment of date and time features.
	Dates Dates
	// Inexact selects the treatment of feature integers that float64 cannot represent, such as
	// 64-bit identifiers or timestamps in nanoseconds.
	Inexact Inexact
	// Threads is the number of parts of a CSV file scanned in parallel when it is opened; 0 means
	// one per processor.
	Threads int
	// Memory bounds the memory for the columns of one open file; 0 means no limit. A file with too
	// many columns returns a *stream.OverBudgetError: for CSV after the first line, for other
	// formats after opening.
	Memory int64
	// TextElsewhere declares that the encoding of Layout may apply to other files only: it is then
	// not an error if none of these is text.
	TextElsewhere bool
	// Array is the name of the array to read from an .npz file, or "" for the only matrix, else the
	// only array. Vectors of the same length are columns after those of a matrix.
	Array string
	// Live reads a pipe as it arrives instead of copying it, if it is the only input: once, in
	// memory independent of its length. Info().Live and OnePass are then set, and Rows is -1 except
	// for NPY. It applies to CSV, JSON lines, libsvm, Arrow streams, and NPY in C order; other
	// pipes are copied. The first lines of a text, up to 64 KiB or a pause of 200 ms, determine its
	// columns. A later value that does not fit the kind of its column is an error, so that rows are
	// either the same as from a file or absent.
	Live bool
	// AllColumns requires that a live pipe of text yields the same columns and types as a file of
	// the same text. Without Types the pipe is copied first. With Types it is read as it arrives;
	// then it is an error if a kept column without a given type gets its first value after the
	// first lines, or if JSON lines get a new member later, unless Columns names some.
	AllColumns bool
	// Reader is the input for the path -.
	Reader io.Reader
}

// Layout describes the layout of text files: header, delimiter, comments, encoding. It applies to
// all files that are read together.
type Layout = text.Layout

// IndexBase is the first index of libsvm files.
type IndexBase = text.IndexBase

const (
	// IndexBaseAuto is 0 if index 0 occurs in the files, else 1.
	IndexBaseAuto = text.IndexBaseAuto
	IndexBaseZero = text.IndexBaseZero
	IndexBaseOne  = text.IndexBaseOne
)

// ErrIndexBase is wrapped by errors about an index 0 where indices start at 1, or might.
var ErrIndexBase = text.ErrIndexBase

// Inexact is the policy for integers that float64 cannot represent; 2^53+1 is the first.
type Inexact = column.Inexact

const (
	// InexactRefuse returns an error with row and column.
	InexactRefuse = column.InexactRefuse
	// InexactRound rounds to the nearest float64.
	InexactRound = column.InexactRound
)
