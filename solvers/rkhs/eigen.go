package rkhs

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/symeig"
	"github.com/nystream/nystream/stream"
)

// eigenpairs are eigenvalues by descending magnitude, and eigenvectors of S and of S* in
// an orthonormal basis, as real and imaginary parts.
type eigenpairs struct {
	values      []complex128
	right, left complexMatrix
}

// complexMatrix is a matrix by its parts.
type complexMatrix struct{ re, im blas64.General }

func newComplexMatrix(rows, cols int) complexMatrix {
	return complexMatrix{stream.NewMatrix(rows, cols), stream.NewMatrix(rows, cols)}
}

func (m complexMatrix) column(j int) []complex128 {
	c := make([]complex128, m.re.Rows)
	for i := range c {
		c[i] = complex(m.re.Data[i*m.re.Stride+j], m.im.Data[i*m.im.Stride+j])
	}
	return c
}

func (m complexMatrix) setColumn(j int, c []complex128) {
	for i, v := range c {
		m.re.Data[i*m.re.Stride+j], m.im.Data[i*m.im.Stride+j] = real(v), imag(v)
	}
}

// times returns a·m for a real matrix.
func (m complexMatrix) times(ta blas.Transpose, a blas64.General) complexMatrix {
	return complexMatrix{dense.Mul(ta, a, blas.NoTrans, m.re), dense.Mul(ta, a, blas.NoTrans, m.im)}
}

// symmetricPairs decomposes a self-adjoint operator (paper, Corollary 3.6).
func symmetricPairs(op Operator, s blas64.General) (*eigenpairs, error) {
	values, vectors, err := symeig.Decompose(s)
	if err != nil {
		return nil, fmt.Errorf("operator %s: %w", op, err)
	}
	r := dense.Rank(values, rankTolerance)
	if r == 0 {
		return nil, errZeroOperator(op)
	}
	v := dense.Clone(dense.Columns(vectors, 0, r))
	dense.FixSigns(dense.Clone(v), v)
	p := &eigenpairs{values: make([]complex128, r), right: complexMatrix{v, stream.NewMatrix(v.Rows, r)}}
	for i := range p.values {
		p.values[i] = complex(values[i], 0)
	}
	p.left = p.right
	return p, nil
}

// generalPairs decomposes a square matrix with LAPACK's dgeev (gonum's).
func generalPairs(op Operator, s blas64.General) (*eigenpairs, error) {
	if i, j, bad := dense.NotFinite(s); bad {
		return nil, fmt.Errorf("operator %s: entry (%d, %d) of its matrix is %v: raise `ridge` or scale the columns (`scale standard`)", op, i, j, dense.Row(s, i)[j])
	}
	var d mat.Dense
	d.SetRawMatrix(s)
	var f mat.Eigen
	if !f.Factorize(&d, mat.EigenBoth) {
		return nil, fmt.Errorf("operator %s: the eigenvalues did not converge", op)
	}
	all := f.Values(nil)
	order := ordered(all)
	if len(order) == 0 {
		return nil, errZeroOperator(op)
	}
	var right, left mat.CDense
	f.VectorsTo(&right)
	f.LeftVectorsTo(&left)
	p := &eigenpairs{right: newComplexMatrix(s.Rows, len(order)), left: newComplexMatrix(s.Rows, len(order))}
	for j, from := range order {
		p.values = append(p.values, all[from])
		for i := range s.Rows {
			r, l := right.At(i, from), left.At(i, from)
			p.right.re.Data[i*p.right.re.Stride+j], p.right.im.Data[i*p.right.im.Stride+j] = real(r), imag(r)
			p.left.re.Data[i*p.left.re.Stride+j], p.left.im.Data[i*p.left.im.Stride+j] = real(l), imag(l)
		}
	}
	p.normalise()
	return p, nil
}

// ordered returns the indices of the eigenvalues that are not rounding, by descending
// magnitude, then real part, then imaginary part: conjugates stay together.
func ordered(values []complex128) []int {
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

// normalise gives every eigenvector norm 1, and a phase that makes its entry of largest
// magnitude positive.
func (p *eigenpairs) normalise() {
	p.right.normalise()
	p.left.normalise()
}

// normalise does so for columns.
func (m complexMatrix) normalise() {
	for j := range m.re.Cols {
		c := m.column(j)
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
		m.setColumn(j, c)
	}
}

// reducedPairs decomposes a square matrix S = UΣVᵀ of rank r by way of the r×r matrix
// ΣVᵀU, which has its eigenvalues but for zeros: these would come out of rounding as
// something else where eigenvectors are nearly dependent.
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
	back := dense.Clone(t.v)
	dense.ScaleColumns(back, t.values)
	p.right, p.left = p.right.times(blas.NoTrans, t.u), p.left.times(blas.NoTrans, back)
	p.normalise()
	return p, nil
}

// complexValued reports whether an eigenvalue has an imaginary part.
func (p *eigenpairs) complexValued() bool {
	return slices.ContainsFunc(p.values, func(v complex128) bool { return imag(v) != 0 })
}

// first returns how many eigenpairs serve for a rank: one more where a conjugate would be
// left behind.
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
	forth, back := p.right.times(blas.NoTrans, s), p.left.times(blas.Trans, s)
	out := make([]float64, r)
	for j := range out {
		off := math.Max(complexDistance(forth.column(j), p.right.column(j), p.values[j]),
			complexDistance(back.column(j), p.left.column(j), cmplx.Conj(p.values[j])))
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
