package sketch

import (
	"math"
	"testing"

	"github.com/nystream/nystream/internal/matrix"
)

// Every entry is +1 or −1, a row does not depend on the number of rows, and columns are nearly
// orthogonal, like those of independent signs.
func TestSignsAreNearlyOrthogonal(t *testing.T) {
	const rows, cols = 4000, 70
	m, first := matrix.New(rows, cols), matrix.New(3, cols)
	NewRandom(5, "test").Signs(m)
	NewRandom(5, "test").Signs(first)
	for i := range rows {
		for j, v := range matrix.Row(m, i) {
			if v != 1 && v != -1 {
				t.Fatalf("entry %d,%d is %v", i, j, v)
			}
			if i < first.Rows && matrix.Row(first, i)[j] != v {
				t.Fatalf("entry %d,%d depends on the number of rows", i, j)
			}
		}
	}
	for j := range cols {
		for k := range j + 1 {
			dot := 0.0
			for i := range rows {
				dot += matrix.Row(m, i)[j] * matrix.Row(m, i)[k]
			}
			if want := map[bool]float64{true: rows}[j == k]; math.Abs(dot-want) > 5*math.Sqrt(rows) {
				t.Errorf("columns %d and %d: inner product %v", j, k, dot)
			}
		}
	}
	NewRandom(5, "test").Signs(matrix.New(3, 0))
}
