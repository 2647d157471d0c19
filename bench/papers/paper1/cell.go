package paper1

import (
	"fmt"
	"math"
	"strings"
)

// cell sums up the results of one method and rank over seeds.
type cell struct {
	rank            int     // the least
	spectral, worst float64 // mean and largest spectral error
	frobenius       float64 // this and the others are means
	entries, shift  float64
	estimate        float64 // of the Frobenius error, over the measured one
}

func newCell(rows []result) cell {
	c := cell{rank: rows[0].Rank}
	share := 1 / float64(len(rows))
	for _, r := range rows {
		c.rank = min(c.rank, r.Rank)
		c.worst = max(c.worst, float64(r.Spectral))
		c.spectral += share * float64(r.Spectral)
		c.frobenius += share * float64(r.Frobenius)
		c.entries += share * r.EntriesPerRow
		c.shift += share * r.Shift
		c.estimate += share * float64(r.FrobeniusEstimate/r.Frobenius)
	}
	return c
}

// errorsOf returns the mean and the worst spectral and the mean Frobenius error.
func errorsOf(rows []result) string {
	c := newCell(rows)
	return fmt.Sprintf("%s (%s) / %s", digits(c.spectral), digits(c.worst), digits(c.frobenius))
}

// shiftAndErrors returns the mean shift too.
func shiftAndErrors(rows []result) string {
	return fmt.Sprintf("shift %s: %s", digits(newCell(rows).shift), errorsOf(rows))
}

// digits returns a number with two significant digits, or three of those from .1 on.
func digits(v float64) string {
	precision := 2
	if math.Abs(v) >= 0.1 {
		precision = 3
	}
	return strings.TrimPrefix(fmt.Sprintf("%.*g", precision, v), "0")
}

// thousands returns n with commas.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
