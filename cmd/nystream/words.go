package main

import (
	"fmt"

	"github.com/nystream/nystream/cmd/nystream/internal/report"
)

// plusMinus returns the words for a standard error in a format, "" where it is not known.
func plusMinus(standardError *report.Number, format string) string {
	if standardError == nil {
		return ""
	}
	return " ± " + fmt.Sprintf(format, float64(*standardError))
}
