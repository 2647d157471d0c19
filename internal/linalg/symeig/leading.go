package symeig

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/conquer"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
)

// inverseSteps bounds the steps of an inverse iteration; two are typical.
const inverseSteps = 8

// Leading computes the k algebraically largest eigenvalues of a symmetric n×n matrix, of which it
// reads the lower triangle, descending, and their eigenvectors, as accurately as [Decompose]. start
// is an n×k matrix of random numbers, and becomes the vectors; their signs are arbitrary. ok is
// false if a vector was not found; start is then undefined.
//
// The eigenvalues of the tridiagonal matrix come from the QR iteration without vectors. The vectors
// come from inverse iteration, each kept orthogonal to the previous ones (Jessup and Ipsen 1992,
// "Improving the accuracy of inverse iteration").
//
// Cost: 4/3·n³ flops for the reduction, 4·n²·k to transform back, and O(n² + n·k²) for the rest.
// Memory: n² + 2·n·k numbers.
func Leading(a, start blas64.General) (values []float64, ok bool, err error) {
	n, k := a.Rows, start.Cols
	if a.Cols != n || start.Rows != n || k > n {
		panic("symeig: the matrix is not square, or the start has another shape")
	}
	scale, err := largest(a)
	if err != nil || k == 0 {
		return nil, err == nil, err
	}
	unit := conquer.PowerOfTwo(scale)
	r := reduce(a, unit)
	all := slices.Clone(r.d)
	if !impl.Dsterf(n, all, slices.Clone(r.e)) {
		return nil, false, nil
	}
	slices.Sort(all)
	slices.Reverse(all)
	t := newInverse(r.d, r.e)
	found := matrix.New(k, n) // rows
	for j := range k {
		x := matrix.Row(found, j)
		for i := range x {
			x[i] = start.Data[i*start.Stride+j]
		}
		if !t.vector(all[j], matrix.Rows(found, 0, j), x) {
			return nil, false, nil
		}
		values = append(values, all[j]*unit)
	}
	for i := range n {
		for j := range k {
			start.Data[i*start.Stride+j] = found.Data[j*found.Stride+i]
		}
	}
	r.applyQ(start)
	return values, true, nil
}

// inverse is a tridiagonal matrix T with the workspace to solve with T − λ·I.
type inverse struct {
	d, e                                 []float64
	norm                                 float64 // of T, to a factor of three
	subdiagonal, diagonal, superdiagonal []float64
}

func newInverse(d, e []float64) *inverse {
	t := &inverse{d: d, e: e, diagonal: make([]float64, len(d)), subdiagonal: make([]float64, len(e)), superdiagonal: make([]float64, len(e))}
	for i, v := range d {
		t.norm = math.Max(t.norm, math.Abs(v))
		if i < len(e) {
			t.norm = math.Max(t.norm, 2*math.Abs(e[i]))
		}
	}
	return t
}

// vector turns the random x into an eigenvector for an eigenvalue, orthogonal to the rows of
// before. It reports whether the residual is at rounding level.
func (t *inverse) vector(value float64, before blas64.General, x []float64) (found bool) {
	if t.norm == 0 { // any vector is an eigenvector of T = 0
		return orthonormalize(before, x)
	}
	limit := 4 * float64(len(x)+4) * conquer.Epsilon * t.norm
	if !orthonormalize(before, x) {
		return false
	}
	for step := range inverseSteps {
		// A slightly perturbed shift keeps pivots from 0, and equal eigenvalues from yielding the
		// same vector.
		if !t.solve(value+float64(step+before.Rows+1)*conquer.Epsilon*t.norm, x) || !orthonormalize(before, x) {
			found = false
			continue
		}
		again := t.residual(value, x) <= limit
		if found && again { // the second step is more accurate
			return true
		}
		found = again
	}
	return found
}

// solve replaces x by the scaled solution y of (T − λ·I)·y = x, and reports whether it exists.
func (t *inverse) solve(shift float64, x []float64) bool {
	copy(t.subdiagonal, t.e)
	copy(t.superdiagonal, t.e)
	for i, v := range t.d {
		t.diagonal[i] = v - shift
	}
	return impl.Dgtsv(len(x), 1, t.subdiagonal, t.diagonal, t.superdiagonal, x, 1)
}

// residual returns ‖T·x − λ·x‖.
func (t *inverse) residual(value float64, x []float64) float64 {
	sum := 0.0
	for i, v := range x {
		r := (t.d[i] - value) * v
		if i > 0 {
			r += t.e[i-1] * x[i-1]
		}
		if i < len(t.e) {
			r += t.e[i] * x[i+1]
		}
		sum = math.Hypot(sum, r)
	}
	return sum
}

// orthonormalize removes the components along the rows of before from x, twice, and normalises x. It
// reports false if x vanishes.
func orthonormalize(before blas64.General, x []float64) bool {
	if !normalise(x) {
		return false
	}
	for range 2 {
		for j := range before.Rows {
			row := matrix.Row(before, j)
			matrix.Axpy(-dense.Dot(row, x), row, x)
		}
	}
	return normalise(x)
}

// normalise divides x by its norm. It reports false if the norm is 0 or not finite.
func normalise(x []float64) bool {
	most := 0.0
	for _, v := range x {
		most = math.Max(most, math.Abs(v))
	}
	if most == 0 || !matrix.IsFinite(most) {
		return false
	}
	sum := 0.0
	for i := range x {
		x[i] /= most
		sum += x[i] * x[i]
	}
	for i := range x {
		x[i] /= math.Sqrt(sum)
	}
	return true
}
