package blockstore

import "github.com/nystream/nystream/stream"

// table is one data file (or pipe) whose columns are known, before any of them
// is chosen. Each format has one implementation, in its own file. Opening a
// table reads what is needed to know its shape and no more: a footer, a header,
// or, for text, the whole file once.
type table interface {
	// name is the path, for messages.
	name() string
	// columns lists the columns in file order.
	columns() []columnInfo
	// rows is the number of rows, or -1 when only a full read would tell.
	rows() int64
	// once says that the rows can be read a single time only.
	once() bool
	// scans is the number of full reads that opening has cost.
	scans() int
	// choose gives the rows of the chosen columns: numeric ones in the order
	// given, then kept ones. Both index columns(). A vector column expands to
	// its width. The source implements stream.Gatherer unless once() is true.
	choose(numeric, kept []int) (stream.Source, error)
}

// columnInfo describes one column of a table.
type columnInfo struct {
	name string
	kind columnKind
	// width is how many numbers the column gives to a row: 1, or more for a
	// vector column.
	width int
}

// columnKind is what a column holds, as far as reading cares.
type columnKind uint8

const (
	numberColumn  columnKind = iota // floats and decimals, given as float64
	integerColumn                   // integers and bools; kept as int64, else float64
	textColumn                      // strings: can be kept, not computed with
	vectorColumn                    // a list of numbers of one length per row
	otherColumn                     // anything we do not read
)
