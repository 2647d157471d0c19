package model

import "github.com/nystream/nystream/stream"

// What all eigenvectors of a symmetric matrix of n rows take in n³, and all singular vectors of
// a matrix of n×m in n·m·min(n,m), in operations at the speed of products: LAPACK's
// divide-and-conquer, by NumPy with OpenBLAS, takes 10 to 11 and 20 to 23 at 800.
const (
	eigenCubes    = 12
	singularCubes = 24
)

// PlanDense returns what it would cost to form the whole matrix and to decompose it by LAPACK
// instead of a fit: by its eigenvectors where it is symmetric, which takes half the kernel entries
// and 4·n² numbers, by its singular vectors otherwise.
func PlanDense(e stream.Engine, s Shape, symmetric bool) *Plan {
	p := NewPlan(e, s.Longest(), s.Columns)
	if symmetric {
		n := float64(s.Rows)
		p.Add("the matrix and its eigenvectors", 4*s.Rows*s.Rows, "the number of rows")
		p.Work(n*n/2, eigenCubes*n*n*n)
		return p
	}
	cols := s.Cols
	if s.OneSource() {
		cols = s.Rows
	}
	few := min(s.Rows, cols)
	all := float64(s.Rows) * float64(cols)
	p.Add("the matrix and its singular vectors", 2*s.Rows*cols+(s.Rows+cols)*few+4*few*few, "the number of rows")
	p.Work(all, singularCubes*all*float64(few))
	return p
}
