package column

import "github.com/nystream/nystream/stream"

// Memory of an open file, whether or not it is read: measured at most 2.1 KiB, and 460 bytes per
// column.
const (
	openBytes   = 2 << 10
	columnBytes = 512
)

// OpenBytes estimates the memory, in bytes, of an open file with the given number of columns.
func OpenBytes(columns int) int64 { return openBytes + columnBytes*int64(columns) }

// CheckMemory returns a *stream.OverBudgetError if an open file with the given number of columns
// takes more than most bytes; 0 means no limit.
func CheckMemory(columns int, most int64) error {
	b := stream.Budget{Items: []stream.BudgetItem{{What: "columns of an open file", Bytes: OpenBytes(columns)}}}
	return b.Check(most)
}
