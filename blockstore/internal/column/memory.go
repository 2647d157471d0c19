package column

import "github.com/nystream/nystream/stream"

// What an open file holds whether or not it is read: at most 2.1 KiB, and 460 bytes for each of
// its columns, were measured.
const (
	openBytes   = 2 << 10
	columnBytes = 512
)

// OpenBytes estimates the memory, in bytes, that a file of so many columns takes while it is open.
func OpenBytes(columns int) int64 { return openBytes + columnBytes*int64(columns) }

// CheckMemory returns a *stream.OverBudgetError if a file of so many columns takes more than most bytes while it is
// open; 0 is no limit.
func CheckMemory(columns int, most int64) error {
	b := stream.Budget{Items: []stream.BudgetItem{{What: "columns of an open file", Bytes: OpenBytes(columns)}}}
	return b.Check(most)
}
