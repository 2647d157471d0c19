package kernelgen

import (
	"fmt"
	"math"
)

// statistic computes a number from a sample of rows.
type statistic func(s *sample) (float64, error)

// gammaWords returns the words for a gamma that is the inverse of median.
func gammaWords(median statistic) []word {
	return []word{
		{"auto", func(s *sample, _ args) (float64, error) { return s.inverseCols() }},
		{"scale", func(s *sample, _ args) (float64, error) { return s.inverseVariance() }},
		{"median", func(s *sample, _ args) (float64, error) {
			m, err := median(s)
			return 1 / m, err
		}},
	}
}

// medianWord returns the word for a bandwidth equal to a median.
func medianWord(median statistic) []word {
	return []word{{"median", func(s *sample, _ args) (float64, error) { return median(s) }}}
}

// threeSigma returns theta = 3σ.
func threeSigma(_ *sample, a args) (float64, error) {
	return 3 * math.Sqrt(a.get("sigma2")), nil
}

// smallestExponent returns v = ⌈(d+1)/2⌉.
func smallestExponent(s *sample, _ args) (float64, error) {
	return float64(s.rows.Cols/2 + 1), nil
}

// inverseRootCols returns 1/√d.
func inverseRootCols(s *sample, _ args) (float64, error) {
	v, err := s.inverseCols()
	return math.Sqrt(v), err
}

func (s *sample) inverseCols() (float64, error) {
	if s.rows.Cols == 0 {
		return 0, fmt.Errorf("the rows have no columns")
	}
	return 1 / float64(s.rows.Cols), nil
}
