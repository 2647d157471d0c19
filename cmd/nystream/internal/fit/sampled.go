package fit

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/stream"
)

// Sampled holds the rows of a side in charts: all, or a sample that depends on the seed alone.
type Sampled struct {
	Numbers []int64 // ascending
	Total   int64   // number of rows of the side
	Columns []string
	Rows    blas64.General
	label   *stream.Column // the column of --label, or nil
}

// Words returns the number of sampled rows as the end of a title, "" for all rows.
func (s *Sampled) Words() string {
	if int64(len(s.Numbers)) == s.Total {
		return ""
	}
	return fmt.Sprintf(", %s of %s rows", report.Count(int64(len(s.Numbers))), report.Count(s.Total))
}
