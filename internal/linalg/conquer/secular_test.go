package conquer

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Roots of the secular equation interlace with the poles and sum to the trace. Gaps are their distances from the poles.
func TestSecularRoots(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, k := range []int{1, 2, 3, 10, 60} {
		for _, size := range []float64{1e-12, 1, 1e6} {
			for _, squares := range []bool{false, true} {
				m := &Secular{Rho: 0.7, D: make([]float64, k), Z: make([]float64, k), Squares: squares}
				pole := func(v float64) float64 {
					if squares {
						return v * v
					}
					return v
				}
				square, sum := 0.0, 0.0
				for i := range k {
					m.D[i] = float64(i) + 0.9*r.Float64()
					m.Z[i] = size * (0.1 + r.Float64())
					square += m.Z[i] * m.Z[i]
					sum += pole(m.D[i])
				}
				gaps := NewRows(k)
				total := 0.0
				for j, v := range m.Roots(gaps) {
					high := pole(m.D[k-1]) + m.Rho*square
					if j < k-1 {
						high = pole(m.D[j+1])
					}
					root := pole(v)
					if root < pole(m.D[j])*(1-1e-15) || root > high*(1+1e-14) {
						t.Errorf("k %d, size %g, squares %t: root %d is %g, outside %g and %g", k, size, squares, j, root, pole(m.D[j]), high)
					}
					for i, gap := range gaps.Row(j) {
						if want := pole(m.D[i]) - root; math.Abs(gap-want) > 1e-14*(pole(m.D[i])+root) || (gap < 0) != (i <= j) {
							t.Errorf("k %d, size %g, squares %t: gap %d of root %d is %g, not %g", k, size, squares, i, j, gap, want)
						}
					}
					total += root
				}
				if want := sum + m.Rho*square; math.Abs(total-want) > 1e-13*float64(k)*want {
					t.Errorf("k %d, size %g, squares %t: roots sum up to %g, the trace is %g", k, size, squares, total, want)
				}
				for i, z := range m.Exact(gaps) {
					if want := math.Sqrt(m.Rho) * m.Z[i]; math.Abs(z-want) > 1e-9*want {
						t.Errorf("k %d, size %g, squares %t: exact z_%d is %g, not %g", k, size, squares, i, z, want)
					}
				}
			}
		}
	}
}
