package main

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/stream"
)

// sampled has the rows of a side in pictures: all, or a sample that depends on the seed alone.
type sampled struct {
	numbers []int64 // ascending
	of      int64   // the number of all rows
	columns []string
	rows    blas64.General
	label   *stream.Column // of --label, or nil
}

// words returns the number of sampled rows as the end of a title, "" if they are all.
func (s *sampled) words() string {
	if int64(len(s.numbers)) == s.of {
		return ""
	}
	return fmt.Sprintf(", %s of %s rows", report.Count(int64(len(s.numbers))), report.Count(s.of))
}
