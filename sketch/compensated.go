package sketch

import "github.com/nystream/nystream/internal/matrix"

// sum is a compensated sum. rest accumulates the rounding errors of value, each of which is exactly
// a float64 (Knuth, The Art of Computer Programming 2, §4.2.2, Theorem B; the summation is Ogita,
// Rump and Oishi 2005, Algorithm 4.4).
type sum struct {
	value, rest float64
}

func (s *sum) add(x float64) {
	t := s.value + x
	z := t - s.value
	s.rest += (s.value - (t - z)) + (x - z)
	s.value = t
}

func (s *sum) merge(o sum) {
	s.add(o.value)
	s.rest += o.rest
}

// total returns the sum rounded to a float64.
func (s *sum) total() float64 { return s.value + s.rest }

// finite reports whether no partial sum has overflowed.
func (s *sum) finite() bool {
	return matrix.IsFinite(s.value) && matrix.IsFinite(s.rest)
}
