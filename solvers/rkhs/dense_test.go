package rkhs

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// normal returns a matrix of independent standard normal numbers.
func normal(rows, cols int, purpose string) blas64.General {
	m := matrix.New(rows, cols)
	draws := sketch.NewRandom(7, purpose)
	for i := range rows {
		d := draws.At(uint64(i))
		for j := range cols {
			m.Data[i*m.Stride+j] = d.Normal()
		}
	}
	return m
}

// dependent returns pairs in which y is a noisy function of x.
func dependent(t *testing.T, n, dx, dy int) (x, y blas64.General, d *Data) {
	t.Helper()
	x, y = normal(n, dx, "x"), normal(n, dy, "y")
	for i := range n {
		for j := range dy {
			y.Data[i*dy+j] = 0.5*y.Data[i*dy+j] + math.Sin(x.Data[i*dx+j%dx]) + 0.3
		}
	}
	return x, y, pairs(t, x, y)
}

// pairs returns the data of pairs of rows.
func pairs(t *testing.T, x, y blas64.General) *Data {
	t.Helper()
	d, err := Pairs(stream.FromMatrix("x", x), stream.FromMatrix("y", y))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// mustFit makes a fit and fails the test on an error.
func mustFit(t *testing.T, s Solver, d *Data, k kernelgen.Kernel) *Fit {
	t.Helper()
	f, err := s.Fit(context.Background(), stream.Engine{Threads: 2}, d, k)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// coordinates returns the coefficients of functions of a linear kernel in its columns: their values at the unit
// vectors, minus those at 0.
func coordinates(t *testing.T, f *Functions) *mat.Dense {
	t.Helper()
	d := f.Dimension()
	rows := matrix.New(d+1, d)
	for i := range d {
		rows.Data[i*d+i] = 1
	}
	v, err := f.At(context.Background(), stream.Engine{}, rows)
	if err != nil {
		t.Fatal(err)
	}
	m := mat.NewDense(d, v.Cols, nil)
	for i := range d {
		for j := range v.Cols {
			m.Set(i, j, matrix.Row(v, i)[j]-matrix.Row(v, d)[j])
		}
	}
	return m
}

// explicit holds the covariance matrices of the columns, from their definitions in gonum's matrices. They determine the
// operators of a linear kernel.
type explicit struct{ xx, yx, yy *mat.Dense }

// newExplicit computes the covariance matrices of weighted pairs.
func newExplicit(x, y blas64.General, weights []float64, centred bool) *explicit {
	n := x.Rows
	column := func(m blas64.General) (*mat.Dense, []float64) {
		d, mean := mat.NewDense(n, m.Cols, nil), make([]float64, m.Cols)
		for i := range n {
			for j, v := range matrix.Row(m, i) {
				d.Set(i, j, v)
				mean[j] += weights[i] * v
			}
		}
		return d, mean
	}
	dx, mx := column(x)
	dy, my := column(y)
	second := func(a, b *mat.Dense, ma, mb []float64) *mat.Dense {
		_, p := a.Dims()
		_, q := b.Dims()
		m := mat.NewDense(p, q, nil)
		for i := range n {
			for k := range p {
				for l := range q {
					u, v := a.At(i, k), b.At(i, l)
					if centred {
						u, v = u-ma[k], v-mb[l]
					}
					m.Set(k, l, m.At(k, l)+weights[i]*u*v)
				}
			}
		}
		return m
	}
	return &explicit{second(dx, dx, mx, mx), second(dy, dx, my, mx), second(dy, dy, my, my)}
}

// power returns (C+ε)^p for a symmetric matrix.
func power(c *mat.Dense, ridge, p float64) *mat.Dense {
	n, _ := c.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, c.At(i, j))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, true) {
		panic("no eigenvalues")
	}
	var v mat.Dense
	e.VectorsTo(&v)
	w := mat.NewDiagDense(n, nil)
	for i, x := range e.Values(nil) {
		w.SetDiag(i, math.Pow(x+ridge, p))
	}
	out := new(mat.Dense)
	out.Product(&v, w, v.T())
	return out
}

// operator returns the matrix of an operator, by its definition.
func (x *explicit) operator(op Operator) *mat.Dense {
	out := new(mat.Dense)
	switch o := op.(type) {
	case Covariance:
		out.CloneFrom(x.xx)
	case CrossCovariance:
		out.CloneFrom(x.yx)
	case MeanEmbedding:
		out.Mul(x.yx, power(x.xx, o.Ridge, -1))
	case Koopman:
		out.Mul(power(x.xx, o.Ridge, -1), x.yx.T())
	case PerronFrobenius:
		out.Mul(power(x.xx, o.Ridge, -1), x.yx)
	case CCA:
		out.Product(power(x.yy, o.Ridge, -0.5), x.yx, power(x.xx, o.Ridge, -0.5))
	}
	return out
}

var allOperators = []Operator{Covariance{}, CrossCovariance{}, MeanEmbedding{0.1}, MeanEmbedding{}, Koopman{0.1}, Koopman{},
	PerronFrobenius{Ridge: 0.1}, PerronFrobenius{}, PerronFrobenius{0.1, true}, PerronFrobenius{0, true}, CCA{0.1}, CCA{}}

// equalWeights returns n weights 1/n.
func equalWeights(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 1 / float64(n)
	}
	return w
}

// name returns the operator with its ε.
func name(op Operator) string {
	return fmt.Sprintf("%s-%g", op, op.Traits().Ridge)
}

// TestLinearKernelSVD: operators of a linear kernel are small matrices. Singular values, singular functions and the
// composed operator equal theirs, for every engine and formulation.
func TestLinearKernelSVD(t *testing.T) {
	const n = 60
	x, y, d := dependent(t, n, 4, 4)
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = float64(1+i%5) / 180 // sum to 1
	}
	for _, centred := range []bool{false, true} {
		for _, w := range [][]float64{nil, weights} {
			if testing.Short() && centred == (w == nil) {
				continue
			}
			data, ref := d, newExplicit(x, y, equalWeights(n), centred)
			if w != nil {
				var err error
				if data, err = d.Weighted(w); err != nil {
					t.Fatal(err)
				}
				ref = newExplicit(x, y, w, centred)
			}
			for _, op := range allOperators {
				for _, form := range []formulation{qr, auxiliary, block} {
					p, isPF := op.(PerronFrobenius)
					if isPF && !p.Sampled && form != qr {
						continue
					}
					t.Run(fmt.Sprintf("%s/%s/centred=%v/weighted=%v", name(op), form, centred, w != nil), func(t *testing.T) {
						s := Solver{Operator: op, Rank: 10, Center: centred}
						checkSVD(t, fitBy(t, form, s, data, kernelgen.Linear()), ref.operator(op))
					})
				}
			}
		}
	}
}

// checkSVD compares a model of a linear kernel with the matrix of its operator.
func checkSVD(t *testing.T, f *Fit, want *mat.Dense) {
	t.Helper()
	var svd mat.SVD
	if !svd.Factorize(want, mat.SVDThin) {
		t.Fatal("no singular values")
	}
	values := svd.Values(nil)
	if f.Rank() != len(values) {
		t.Fatalf("rank %d, want %d", f.Rank(), len(values))
	}
	for i, v := range values {
		if math.Abs(f.Values[i]-v) > 1e-10*values[0] {
			t.Errorf("σ_%d = %.15g, want %.15g", i, f.Values[i], v)
		}
	}
	u, v := coordinates(t, f.Left), coordinates(t, f.Right)
	var again, gap mat.Dense
	again.Product(u, mat.NewDiagDense(f.Rank(), f.Values), v.T())
	gap.Sub(&again, want)
	if off := mat.Norm(&gap, 2); off > 1e-10*values[0] {
		t.Errorf("‖UΣVᵀ − S‖ = %g of %g", off, values[0])
	}
	if f.Residuals[0] > 1e-11 || len(f.Residuals) != f.Rank() {
		t.Errorf("residuals %v", f.Residuals)
	}
}

// TestLinearKernelEigen compares the eigenvalues of a linear kernel's operators, including complex ones, and the left
// and right eigenfunctions.
func TestLinearKernelEigen(t *testing.T) {
	const n = 80
	x := normal(n, 4, "x")
	turn := []float64{0.6, -0.7, 0, 0.1, 0.7, 0.6, 0.2, 0, 0, 0, -0.5, 0.3, 0.1, 0, 0, 0.3}
	y := matrix.New(n, 4)
	noise := normal(n, 4, "noise")
	for i := range n {
		for j := range 4 {
			y.Data[4*i+j] = 0.1*noise.Data[4*i+j] + dense.Dot(turn[4*j:4*j+4], matrix.Row(x, i))
		}
	}
	d := pairs(t, x, y)
	for _, centred := range []bool{false, true} {
		ref := newExplicit(x, y, equalWeights(n), centred)
		for _, op := range allOperators {
			for _, form := range []formulation{qr, auxiliary} {
				p, isPF := op.(PerronFrobenius)
				if isPF && !p.Sampled && form != qr {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/centred=%v", name(op), form, centred), func(t *testing.T) {
					s := Solver{Operator: op, Task: Eigen, Rank: 10, Center: centred}
					f := fitBy(t, form, s, d, kernelgen.Linear())
					if form == auxiliary {
						f.Model = f.Truncated(4) // the others are rounding errors of 0
					}
					checkEigen(t, f, ref.operator(op))
				})
			}
		}
	}
}

// checkEigen compares a model of a linear kernel with the eigenpairs of s.
func checkEigen(t *testing.T, f *Fit, s *mat.Dense) {
	t.Helper()
	var e mat.Eigen
	if !e.Factorize(s, mat.EigenNone) {
		t.Fatal("no eigenvalues")
	}
	want := e.Values(nil)
	got := f.Eigenvalues()
	if len(got) != len(want) {
		t.Fatalf("eigenvalues %v, want %v", got, want)
	}
	for _, w := range want {
		if !slices.ContainsFunc(got, func(g complex128) bool { return cmplx.Abs(g-w) < 1e-10*cmplx.Abs(got[0]) }) {
			t.Errorf("eigenvalues %v, want %v", got, want)
		}
	}
	for _, side := range []struct {
		functions *Functions
		matrix    mat.Matrix
		sign      float64
	}{{f.Right, s, 1}, {f.Left, s.T(), -1}} {
		re := coordinates(t, side.functions.Real())
		im := coordinates(t, side.functions.Imag())
		var sre, sim mat.Dense
		sre.Mul(side.matrix, re)
		sim.Mul(side.matrix, im)
		for j, lambda := range got {
			norm, off := 0.0, 0.0
			for i := range 4 {
				v := complex(re.At(i, j), im.At(i, j))
				by := complex(real(lambda), side.sign*imag(lambda))
				off = math.Hypot(off, cmplx.Abs(complex(sre.At(i, j), sim.At(i, j))-by*v))
				norm = math.Hypot(norm, cmplx.Abs(v))
			}
			if math.Abs(norm-1) > 1e-9 || off > 1e-9*cmplx.Abs(got[0]) {
				t.Errorf("eigenvalue %v: norm %v, residual %v", lambda, norm, off)
			}
		}
	}
}

// TestMoorePenrose: the pseudo-inverse of a finite-dimensional operator satisfies the four conditions of Moore and
// Penrose, also without full rank.
func TestMoorePenrose(t *testing.T) {
	x, y, _ := dependent(t, 50, 4, 5)
	for i := range x.Rows { // rank 3
		x.Data[4*i+3] = x.Data[4*i] - x.Data[4*i+1]
	}
	for i := range y.Rows {
		y.Data[5*i+4] = y.Data[5*i+2]
	}
	f := mustFit(t, Solver{Operator: CrossCovariance{}, Rank: 5}, pairs(t, x, y), kernelgen.Linear())
	if f.Rank() != 3 {
		t.Fatalf("values %v", f.Values)
	}
	inverse, err := f.PseudoInverse(1e-10)
	if err != nil {
		t.Fatal(err)
	}
	matrix := func(m *Model) *mat.Dense {
		out := new(mat.Dense)
		out.Product(coordinates(t, m.Left), mat.NewDiagDense(m.Rank(), m.Values), coordinates(t, m.Right).T())
		return out
	}
	s, p := matrix(f.Model), matrix(inverse)
	ref := newExplicit(x, y, equalWeights(50), false).yx
	same := func(what string, a, b mat.Matrix) {
		var gap mat.Dense
		gap.Sub(a, b)
		if off := mat.Norm(&gap, 2); off > 1e-9*mat.Norm(b, 2) {
			t.Errorf("%s: off by %g of %g", what, off, mat.Norm(b, 2))
		}
	}
	var sps, psp, sp, ps mat.Dense
	sps.Product(s, p, s)
	psp.Product(p, s, p)
	sp.Mul(s, p)
	ps.Mul(p, s)
	same("S", s, ref)
	same("SS⁺S", &sps, s)
	same("S⁺SS⁺", &psp, p)
	same("SS⁺ symmetric", &sp, sp.T())
	same("S⁺S symmetric", &ps, ps.T())
	back, err := inverse.PseudoInverse(1e-10)
	if err != nil {
		t.Fatal(err)
	}
	same("(S⁺)⁺", matrix(back), s)
	if back.Inverse || !inverse.Inverse {
		t.Error("which is the inverse")
	}
}
