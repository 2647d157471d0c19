package verb

import (
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
)

// inspectCommand holds the flags of one run of inspect.
type inspectCommand struct {
	app      *app.App
	families []*saved.Family
	data     rows.DataFlags
	check    bool
	rows     int64 // number of rows to read, 0 for all
	set      *flags.Set
}

// filesResult is the result of inspect for data.
type filesResult struct {
	Name    string
	Formats []rows.FileFormat // distinct formats
	Rows    *int64            // nil if it is known only after reading all
	// IndexBase is the first index of libsvm files, nil for other files.
	IndexBase   *int
	Numbers     int
	Bytes       int64
	Columns     []fileColumn
	RowsScanned int64
	scanned     bool    // rows were read to complete the statistics of footers
	First       [][]any // values of the first rows, in column order
	Checked     bool
}

type fileColumn struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Width int    `json:"width"`
	Means string `json:"meaning,omitempty"` // boolean, date, timestamp, time or duration
	Type  string `json:"type,omitempty"`    // logical type of dates, times, decimals, UUIDs and bytes
	Why   string `json:"reason,omitempty"`  // contents of a column of kind other, or the loss in conversion to numbers
	// Folder reports a column of folder names, which is a feature only if named.
	Folder bool `json:"folder,omitempty"`
	*columnFacts
}

// columnFacts has the statistics of a column.
type columnFacts struct {
	Nulls int64 `json:"nulls"` // including NaN and Inf, which fit treats alike
	// Minimum and Maximum are a report.Number, an exact integer, or a date or time in text.
	Minimum  any `json:"minimum,omitempty"`
	Maximum  any `json:"maximum,omitempty"`
	Distinct int `json:"distinct,omitempty"` // number of text values, 1001 for more than 1,000

	least, most float64 // numbers so far
	low, high   int64   // integers so far, in the order of signed ones
	values      map[string]bool
	fromFooter  bool // from the footers of the files
}
