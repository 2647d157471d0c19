package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/gonum"

	"github.com/nystream/nystream/stream"
)

// leadingEigen are the largest eigenvalues of a symmetric positive semi-definite
// matrix, as far as they are above rounding, and their vectors. It overwrites a.
//
// It is the implicit QL iteration after a reduction to tridiagonal form (Golub and Van
// Loan, Matrix Computations, Algorithms 8.3.1 and 8.3.3), as in mat.EigenSym, which
// turns the columns of the vectors one after the other through all rows; here the
// rotations of many steps turn a few rows at a time, which stay in the cache: a tenth
// of the time for the 2708 nodes of cora.
func leadingEigen(a blas64.General, rank int) ([]float64, blas64.General, error) {
	n := a.Rows
	d, e, err := tridiagonal(a)
	if err != nil {
		return nil, blas64.General{}, err
	}
	q := rotator{z: a}
	if !q.iterate(d, e) {
		return nil, blas64.General{}, fmt.Errorf("the eigendecomposition of a %d×%d matrix did not converge", n, n)
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		if d[i] > d[j] {
			return -1
		}
		return 1
	})
	var values []float64
	for _, j := range order[:min(rank, n)] {
		if d[j] > 1e-12*d[order[0]] {
			values = append(values, d[j])
		}
	}
	if len(values) == 0 {
		return nil, blas64.General{}, fmt.Errorf("a %d×%d matrix is 0: it has no leading vectors", n, n)
	}
	u := stream.NewMatrix(n, len(values))
	for i := range n {
		from, to := row(a, i), row(u, i)
		for k := range to {
			to[k] = from[order[k]]
		}
	}
	return values, u, nil
}

// tridiagonal makes of a symmetric matrix A the orthogonal Q of A = Q·T·Qᵀ, and returns
// the diagonal of T and, before its last number, what is beside it.
func tridiagonal(a blas64.General) (d, e []float64, err error) {
	n := a.Rows
	d, e = make([]float64, n), make([]float64, n)
	tau := make([]float64, n)
	var lapack gonum.Implementation
	size := make([]float64, 1)
	lapack.Dsytrd(blas.Lower, n, a.Data, a.Stride, d, e, tau, size, -1)
	work := make([]float64, max(int(size[0]), 64*n))
	lapack.Dsytrd(blas.Lower, n, a.Data, a.Stride, d, e, tau, work, len(work))
	lapack.Dorgtr(blas.Lower, n, a.Data, a.Stride, tau, work, len(work))
	e[n-1] = 0
	for i := range d {
		if math.IsNaN(d[i]+e[i]) || math.IsInf(d[i]+e[i], 0) {
			return nil, nil, fmt.Errorf("the reduction of a %d×%d matrix to tridiagonal form overflows", n, n)
		}
	}
	return d, e, nil
}

// rotation turns columns i and i+1 of the vectors.
type rotation struct {
	i    int
	c, s float64
}

// rotator collects rotations and turns the rows of z.
type rotator struct {
	z     blas64.General
	queue []rotation
}

// Steps of QL for each eigenvalue at most, and how many rotations wait for the rows.
const (
	mostSteps     = 60
	waitRotations = 1 << 16
)

// iterate makes d the eigenvalues of T and z the vectors. It says whether it converged.
func (q *rotator) iterate(d, e []float64) bool {
	norm := 0.0
	for i := range d {
		norm = max(norm, math.Abs(d[i])+math.Abs(e[i]))
	}
	for l := range d {
		for step := 0; ; step++ {
			m := l
			for m < len(d)-1 && math.Abs(e[m]) > 0x1p-52*norm {
				m++
			}
			if m == l {
				break
			}
			if step == mostSteps {
				return false
			}
			q.step(d, e, l, m)
		}
	}
	q.turn()
	return true
}

// step is an implicit QL step with Wilkinson's shift on rows l to m of T.
func (q *rotator) step(d, e []float64, l, m int) {
	g := (d[l+1] - d[l]) / (2 * e[l])
	g = d[m] - d[l] + e[l]/(g+math.Copysign(math.Hypot(g, 1), g))
	s, c, p := 1.0, 1.0, 0.0
	for i := m - 1; i >= l; i-- {
		f, b := s*e[i], c*e[i]
		r := math.Sqrt(f*f + g*g)
		e[i+1] = r
		if r == 0 { // the matrix falls apart here
			d[i+1] -= p
			e[m] = 0
			return
		}
		s, c = f/r, g/r
		g = d[i+1] - p
		r = (d[i]-g)*s + 2*c*b
		p = s * r
		d[i+1] = g + p
		g = c*r - b
		q.queue = append(q.queue, rotation{i, c, s})
	}
	d[l] -= p
	e[l], e[m] = g, 0
	if len(q.queue) > waitRotations {
		q.turn()
	}
}

// turn applies the rotations that wait, four rows at a time: a rotation has to wait for
// the one before it in the same row, but not in another.
func (q *rotator) turn() {
	quarters := (q.z.Rows + 3) / 4
	// The work cannot fail.
	_ = eachOf(context.Background(), quarters, func(k int) error {
		first := 4 * k
		if first+4 > q.z.Rows {
			for i := first; i < q.z.Rows; i++ {
				turnRow(row(q.z, i), q.queue)
			}
			return nil
		}
		turnFour(row(q.z, first), row(q.z, first+1), row(q.z, first+2), row(q.z, first+3), q.queue)
		return nil
	})
	q.queue = q.queue[:0]
}

func turnRow(x []float64, all []rotation) {
	for _, r := range all {
		a, b := x[r.i], x[r.i+1]
		x[r.i], x[r.i+1] = r.c*a-r.s*b, r.s*a+r.c*b
	}
}

func turnFour(x, y, z, w []float64, all []rotation) {
	for _, r := range all {
		i, c, s := r.i, r.c, r.s
		x, y, z, w := x[i:i+2:i+2], y[i:i+2:i+2], z[i:i+2:i+2], w[i:i+2:i+2]
		x[0], x[1] = c*x[0]-s*x[1], s*x[0]+c*x[1]
		y[0], y[1] = c*y[0]-s*y[1], s*y[0]+c*y[1]
		z[0], z[1] = c*z[0]-s*z[1], s*z[0]+c*z[1]
		w[0], w[1] = c*w[0]-s*w[1], s*w[0]+c*w[1]
	}
}
