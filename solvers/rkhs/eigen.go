package rkhs

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/symeig"
	"github.com/nystream/nystream/internal/matrix"
)

// eigenpairs holds eigenvalues by descending magnitude, and eigenvectors of S and S* in an orthonormal basis: the real
// parts of all columns, then the imaginary parts.
type eigenpairs struct {
	values      []complex128
	right, left blas64.General
}

// complexColumn returns column j of a matrix of real parts followed by imaginary parts.
func complexColumn(m blas64.General, j int) []complex128 {
	c := make([]complex128, m.Rows)
	for i := range c {
		row := matrix.Row(m, i)
		c[i] = complex(row[j], row[m.Cols/2+j])
	}
	return c
}

func setComplexColumn(m blas64.General, j int, c []complex128) {
	for i, v := range c {
		row := matrix.Row(m, i)
		row[j], row[m.Cols/2+j] = real(v), imag(v)
	}
}

// symmetricPairs decomposes a self-adjoint operator (paper, Corollary 3.6).
func symmetricPairs(op Operator, s Matrix) (*eigenpairs, error) {
	values, vectors, err := symeig.Decompose(s.General)
	if err != nil {
		return nil, fmt.Errorf("operator %s: %w", op, err)
	}
	r := dense.Rank(values, rankTolerance)
	if r == 0 {
		return nil, errZeroOperator(op)
	}
	v := matrix.New(vectors.Rows, 2*r)
	for i := range v.Rows {
		copy(matrix.Row(v, i), matrix.Row(vectors, i)[:r])
	}
	re := matrix.Columns(v, 0, r)
	dense.FixSigns(matrix.Clone(re), re)
	p := &eigenpairs{values: make([]complex128, r), right: v}
	for i := range p.values {
		p.values[i] = complex(values[i], 0)
	}
	p.left = p.right
	return p, nil
}

// generalPairs decomposes a square matrix with LAPACK's dgeev (gonum's).
func generalPairs(op Operator, s blas64.General) (*eigenpairs, error) {
	if i, j, bad := dense.NotFinite(s); bad {
		return nil, fmt.Errorf("operator %s: entry (%d, %d) of its matrix is %v: raise `Ridge` or scale the columns (`Treatment.Scale standard`)", op, i, j, matrix.Row(s, i)[j])
	}
	var d mat.Dense
	d.SetRawMatrix(s)
	var f mat.Eigen
	if !f.Factorize(&d, mat.EigenBoth) {
		return nil, fmt.Errorf("operator %s: the eigenvalues did not converge", op)
	}
	all := f.Values(nil)
	order := byMagnitude(all)
	if len(order) == 0 {
		return nil, errZeroOperator(op)
	}
	var right, left mat.CDense
	f.VectorsTo(&right)
	f.LeftVectorsTo(&left)
	p := &eigenpairs{right: matrix.New(s.Rows, 2*len(order)), left: matrix.New(s.Rows, 2*len(order))}
	for j, from := range order {
		p.values = append(p.values, all[from])
		for _, side := range []struct {
			to   blas64.General
			from *mat.CDense
		}{{p.right, &right}, {p.left, &left}} {
			column := make([]complex128, s.Rows)
			for i := range column {
				column[i] = side.from.At(i, from)
			}
			setComplexColumn(side.to, j, column)
		}
	}
	p.normalise()
	return p, nil
}

// byMagnitude returns the indices of the eigenvalues above rounding, by descending magnitude, then real part, then
// imaginary part, so that conjugates are adjacent.
func byMagnitude(values []complex128) []int {
	largest := 0.0
	for _, v := range values {
		largest = math.Max(largest, cmplx.Abs(v))
	}
	var order []int
	for i, v := range values {
		if a := cmplx.Abs(v); a > 0 && a > rankTolerance*largest {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := values[i], values[j]
		for _, d := range []float64{cmplx.Abs(b) - cmplx.Abs(a), real(b) - real(a), imag(b) - imag(a)} {
			if d != 0 {
				return int(math.Copysign(1, d))
			}
		}
		return 0
	})
	return order
}

// normalise scales each eigenvector to norm 1, with the phase that makes its entry of largest magnitude positive.
func (p *eigenpairs) normalise() {
	normalise(p.right)
	normalise(p.left)
}

func normalise(m blas64.General) {
	for j := range m.Cols / 2 {
		c := complexColumn(m, j)
		norm, largest := 0.0, complex(0, 0)
		for _, v := range c {
			norm = math.Hypot(norm, cmplx.Abs(v))
			if cmplx.Abs(v) > cmplx.Abs(largest)*(1+1e-9) {
				largest = v
			}
		}
		if norm == 0 {
			continue
		}
		turn := complex(1/norm, 0)
		if imag(largest) != 0 || real(largest) < 0 {
			turn *= cmplx.Conj(largest) / complex(cmplx.Abs(largest), 0)
		}
		for i := range c {
			c[i] *= turn
		}
		setComplexColumn(m, j, c)
	}
}

// reducedPairs decomposes a square matrix S = UΣVᵀ of rank r by the r×r matrix ΣVᵀU, which has its nonzero eigenvalues.
// If eigenvectors are nearly dependent, rounding would otherwise perturb the zero eigenvalues.
func reducedPairs(op Operator, s Matrix) (*eigenpairs, error) {
	t, err := newTriplets(op, s)
	if err != nil {
		return nil, err
	}
	core := transposedTimes(t.v, t.u)
	dense.ScaleRows(core, t.values)
	p, err := generalPairs(op, core)
	if err != nil {
		return nil, err
	}
	back := matrix.Clone(t.v)
	dense.ScaleColumns(back, t.values)
	p.right, p.left = multiply(t.u, p.right), multiply(back, p.left)
	p.normalise()
	return p, nil
}

// first returns the number of eigenpairs for a rank, plus one if that would separate conjugates.
func (p *eigenpairs) first(rank int) int {
	r := min(rank, len(p.values))
	if r < len(p.values) && imag(p.values[r-1]) > 0 && p.values[r] == cmplx.Conj(p.values[r-1]) {
		r++
	}
	return r
}

// residuals returns the larger of ‖Sv−λv‖ and ‖S*u−λ̄u‖ for the first r pairs, relative to
// the largest |λ|.
func (p *eigenpairs) residuals(s blas64.General, r int) []float64 {
	forth, back := multiply(s, p.right), transposedTimes(s, p.left)
	out := make([]float64, r)
	for j := range out {
		off := math.Max(complexDistance(complexColumn(forth, j), complexColumn(p.right, j), p.values[j]),
			complexDistance(complexColumn(back, j), complexColumn(p.left, j), cmplx.Conj(p.values[j])))
		out[j] = off / cmplx.Abs(p.values[0])
	}
	return out
}

func complexDistance(a, b []complex128, by complex128) float64 {
	d := 0.0
	for i := range a {
		d = math.Hypot(d, cmplx.Abs(a[i]-by*b[i]))
	}
	return d
}
