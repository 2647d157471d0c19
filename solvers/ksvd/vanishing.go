package ksvd

import (
	"fmt"
	"math"
)

// negligible is the root of the rounding error: G is numerically zero if its entries are that
// small beside the kernel of a row with itself.
const negligible = 1e-8

// vanishing returns a warning if G is numerically zero, or constant and centered: singular vectors
// are rounding then. It compares the largest singular value, over √(NM), with a typical entry.
func (m *Model) vanishing() []string {
	usual := m.usualEntry()
	largest, entries := 0.0, math.Sqrt(float64(m.Rows)*float64(m.Cols))
	if len(m.Values) > 0 {
		largest = m.Values[0]
	}
	if usual == 0 || largest > negligible*usual*entries {
		return nil
	}
	if grand := math.Abs(m.Left.GrandMean); m.Centered && grand > negligible*usual {
		return []string{fmt.Sprintf("G is as good as constant: its largest singular value is %.2g centred, and about %.2g as it is; give the `kernel` a smaller bandwidth", largest, grand*entries)}
	}
	remedy := "give it a larger bandwidth"
	if m.Compatibility == CompatPCA || m.Compatibility == CompatRandom {
		remedy += fmt.Sprintf(", or take `compat pinv`, which makes the longer rows short, as `compat %v` does not", m.Compatibility)
	}
	return []string{fmt.Sprintf("G is as good as zero: its largest singular value is %.2g, where it could be %.2g; the rows of the two sides are too far from each other for the `kernel`: %s", largest, usual*entries, remedy)}
}

// usualEntry returns a typical entry of G: 1/M for a normalised kernel, the kernel of a row with
// itself if that is one number for all landmarks, and 0 for other kernels and for graphs.
func (m *Model) usualEntry() float64 {
	if _, normalised := m.Kernel.Normaliser(); normalised {
		return math.Abs(m.Kernel.Weight()) / float64(m.Cols)
	}
	usual := 0.0
	for _, s := range []*Side{m.Left, m.Right} {
		rows := s.Landmarks.Dense
		if s.Landmarks.Sparse != nil {
			return 0
		}
		diagonal := make([]float64, rows.Rows)
		m.Kernel.Diag(diagonal, rows)
		for _, v := range diagonal {
			if v = math.Abs(v); usual == 0 {
				usual = v
			}
			if !(math.Abs(v-usual) <= negligible*usual) {
				return 0
			}
		}
	}
	return usual
}
