package metrics

import "math"

// NMI returns the normalised mutual information of two labellings, in [0, 1]:
//
//	I(a; b)/((H(a) + H(b))/2)
//
// normalised by the arithmetic mean of the entropies, which is scikit-learn's default. (Strehl and Ghosh 2002 take the
// geometric mean, which gives the same value or a larger one.) It is symmetric and does not depend on the numbering of
// the clusters. It is 1 if neither labelling splits the rows, and 0 if only one does. It is not adjusted for chance:
// many small clusters raise it. Cost: O(n).
func NMI(a, b []int) (float64, error) {
	cells, err := NewTally(a, b).cells()
	if err != nil {
		return 0, err
	}
	rowsA, rowsB := margins(cells)
	if len(rowsA) == 1 && len(rowsB) == 1 {
		return 1, nil
	}
	if len(rowsA) == 1 || len(rowsB) == 1 {
		return 0, nil
	}
	n := float64(len(a))
	mutual, joint := 0.0, 0.0
	for _, c := range cells {
		p := float64(c.rows) / n
		mutual += p * (math.Log(float64(c.rows)/float64(rowsA[c.a])) - math.Log(float64(rowsB[c.b])/n))
		joint -= p * math.Log(p)
	}
	// H(a) + H(b) = I(a; b) + H(a, b). All sums run in one fixed order.
	return min(1, max(0, 2*mutual/(mutual+joint))), nil
}
