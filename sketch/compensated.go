package sketch

import "github.com/nystream/nystream/internal/matrix"

// compensatedSum is a compensated sum. correction accumulates the rounding errors of value, each of which is exactly
// a float64 (Knuth, The Art of Computer Programming 2, §4.2.2, Theorem B; the summation is Ogita,
// Rump and Oishi 2005, Algorithm 4.4).
type compensatedSum struct {
	value, correction float64
}

func (s *compensatedSum) add(x float64) {
	t := s.value + x
	z := t - s.value
	s.correction += (s.value - (t - z)) + (x - z)
	s.value = t
}

func (s *compensatedSum) merge(o compensatedSum) {
	s.add(o.value)
	s.correction += o.correction
}

// total returns the sum rounded to a float64.
func (s *compensatedSum) total() float64 { return s.value + s.correction }

// finite reports whether no partial sum has overflowed.
func (s *compensatedSum) finite() bool {
	return matrix.IsFinite(s.value) && matrix.IsFinite(s.correction)
}
