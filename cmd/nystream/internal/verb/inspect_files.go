package verb

import (
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
)

// inspectCommand is one command line of inspect.
type inspectCommand struct {
	app      *app.App
	families []*saved.Family
	data     rows.DataFlags
	check    bool
	rows     int64 // to look at, 0 for all
	set      *flags.Set
}

// filesResult is what inspect finds out about data.
type filesResult struct {
	Name    string
	Formats []rows.FileFormat // those that differ
	Rows    *int64            // nil when only reading all would tell
	// IndexBase is the first index of libsvm files, nil for other files.
	IndexBase *int
	Numbers   int
	Bytes     int64
	Columns   []fileColumn
	Looked    int64
	scanned   bool    // rows were looked at for what footers do not say
	First     [][]any // with the values of the columns, in their order
	Checked   bool
}

type fileColumn struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Width int    `json:"width"`
	Means string `json:"meaning,omitempty"` // boolean, date, timestamp, time or duration
	Type  string `json:"type,omitempty"`    // logical type of dates, times, decimals, UUIDs and bytes
	Why   string `json:"reason,omitempty"`  // what a column of kind other holds, or what is lost of numbers
	// Folder reports a column of names of folders, computed with only when it is named.
	Folder bool `json:"folder,omitempty"`
	*columnFacts
}

// columnFacts are what inspect finds out about the values of a column.
type columnFacts struct {
	Nulls int64 `json:"nulls"` // and NaN and Inf, which fit treats alike
	// Minimum and Maximum are a report.Number, an exact integer, or a date or time in text.
	Minimum  any `json:"minimum,omitempty"`
	Maximum  any `json:"maximum,omitempty"`
	Distinct int `json:"distinct,omitempty"` // values of text, 1001 for more than 1,000

	least, most float64 // numbers so far
	low, high   int64   // integers so far, in the order of signed ones
	words       map[string]bool
	known       bool // by the footers of the files
}
