package blockstore

import (
	"io"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/text"
)

// Options is how files are read.
//
// Columns chooses what makes a row. An item is the name of a column, a glob
// (sensor_*), a number (3), or a range (0:20, half-open; 5: is the rest).
// Numbers count all columns from 0, each component of a vector column as one.
// Columns appear in the order of the items, each once. An item with ! in front
// excludes; if there are only such items, or none, all numeric columns that
// are neither label nor kept are chosen, and a libsvm file's label, the k of k=v folders and, unless
// Dates makes numbers of them, dates, timestamps, times of day and durations are left out, see
// [Source.LeftOut]. Globs and ranges pass over these, and over label and kept columns. A vector column
// emb of w numbers is chosen whole by its name and counts as the columns
// emb.0 to emb.{w-1}. Columns are those of the first file, and behind them the k of the k=v folders on
// the way to it: of integers or numbers if all values in all files are, else of text. In names in Parquet
// and Arrow files bytes that
// are no UTF-8 become U+FFFD.
type Options struct {
	// Format is one of Formats(), or "" to find out: by the first bytes of a
	// file where these are telling, else by its extension.
	Format string
	// Columns chooses the columns that are computed with.
	Columns []string
	// Label is a column that is carried along, the first of Info().Kept, or
	// "". Here and in Keep, a number means a column where none has that name.
	Label string
	// Keep names more columns that are carried along: lists, maps and structures whole. Text is kept as the file has it, blanks
	// included; an empty cell is null.
	Keep []string
	// Carry says which columns are carried along besides.
	Carry Carry
	// Types are the types of columns of files of text that are carried along, each as name=type: see package
	// logical. A libsvm file has at least the features that are named, as in x99=float64. FindTypes lets others be dates,
	// times, timestamps and UUIDs where all their texts are; elsewhere they are text.
	Types     []string
	FindTypes bool
	// Layout says how those of the files that are text are laid out.
	Layout
	// Features is the least number of features of libsvm files: those that a file does not
	// name are zero.
	Features int
	// IndexBase is the first index of libsvm files. With IndexBaseAuto it is an error if some of the files have an
	// index 0 and others have none.
	IndexBase IndexBase
	// Categories says that Columns chooses columns of text as it does numbers. They come behind the
	// kept columns in Info().Kept, marked as categories, for [prepare.New] to make numbers of.
	Categories bool
	// Words names columns that come as categories, such as those of a model.
	Words []string
	// NoNumbers says that rows may be of kept columns alone: text, dates.
	NoNumbers bool
	// Dates says what becomes of dates and times in columns that are computed with.
	Dates Dates
	// Inexact says what becomes of integers in columns that are computed with, and that no
	// float64 holds: of identifiers of 64 bits, or of timestamps in nanoseconds.
	Inexact Inexact
	// Threads is how many parts of a CSV file are looked through at the same time when
	// it is opened; 0 means one for each processor.
	Threads int
	// Memory is the most bytes that the columns of one open file may take; 0 is no limit. A file of too many columns
	// is refused by a *stream.OverBudgetError: of CSV once the first line is known, of other formats when it is open.
	Memory int64
	// TextElsewhere says that the encoding of Layout is that of other files, read beside these: it
	// is no error then if these are not text.
	TextElsewhere bool
	// Array names the array of an .npz file that is read, or is "" for the only matrix, else
	// the only array, in it. Vectors of the same length are columns after those of a matrix.
	Array string
	// Live says that a pipe, if it is all that is read, is not copied but read as it comes, once, in memory that does
	// not depend on its length. Info().Live and OnePass are set, and Rows is -1 but for NPY. That goes for CSV, JSON lines,
	// libsvm, Arrow streams, and NPY in C order; other pipes are copied. The first lines of a text, up to
	// 64 KiB of them or a pause of 200 ms, tell what its columns are. A later value that the kind of its column does not
	// hold is an error, so that rows are those of a file with the same bytes, or there are none.
	Live bool
	// AllColumns requires that a live pipe of text gives the columns and types that a file of the same text would. Without
	// Types the pipe is copied first. With Types it is read as it comes: a kept column without a given type whose first
	// value comes after the first lines is an error, and so is a later new member of JSON lines, unless Columns names some.
	AllColumns bool
	// Reader is what the path - reads.
	Reader io.Reader
}

// Layout says how text files are laid out: header, delimiter, comments, encoding. Whoever reads several files for one
// purpose gives the same Layout to all of them.
type Layout = text.Layout

// IndexBase is the first index of libsvm files.
type IndexBase = text.IndexBase

const (
	// IndexBaseAuto is 0 if index 0 occurs in the files, else 1.
	IndexBaseAuto = text.IndexBaseAuto
	IndexBaseZero = text.IndexBaseZero
	IndexBaseOne  = text.IndexBaseOne
)

// ErrIndexBase is wrapped by errors about an index 0 where indices start at 1, or may do so.
var ErrIndexBase = text.ErrIndexBase

// Inexact is what becomes of integers that no float64 holds: 2^53+1 is the first.
type Inexact = column.Inexact

const (
	// InexactRefuse refuses them, naming row and column.
	InexactRefuse = column.InexactRefuse
	// InexactRound takes the nearest float64.
	InexactRound = column.InexactRound
)
