package pivoted

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
)

// gram returns X·Xᵀ for n random rows of r numbers, the last of them a copy of the first.
func gram(n, r int) blas64.General {
	random := rand.New(rand.NewPCG(1, uint64(r)))
	x := matrix.New(n, r)
	for i := range x.Data {
		x.Data[i] = random.NormFloat64()
	}
	copy(matrix.Row(x, n-1), matrix.Row(x, 0))
	return dense.Mul(blas.NoTrans, x, blas.Trans, x)
}

// diagonal returns the diagonal of k.
func diagonal(k blas64.General) []float64 {
	d := make([]float64, k.Rows)
	for i := range d {
		d[i] = k.Data[i*k.Stride+i]
	}
	return d
}

// factorise chooses up to most pivots, each with the largest residual, while any remains.
func factorise(k blas64.General, most int, residual func(diagonal []float64, tolerance float64) *Residual) *Cholesky {
	c := New(residual(diagonal(k), 1e-12))
	for len(c.Pivots) < most {
		i := slices.Index(c.Left, slices.Max(c.Left))
		if c.Left[i] == 0 {
			break
		}
		c.Take(i, slices.Clone(matrix.Row(k, i)))
	}
	return c
}

// There are as many pivots as the rank. F·Fᵀ and its residual diagonal agree with K at every step, and L·Lᵀ equals K
// between the pivots.
func TestCholesky(t *testing.T) {
	for _, size := range [][2]int{{2, 1}, {12, 5}, {12, 11}, {40, 60}} {
		for _, relative := range []bool{false, true} {
			checkCholesky(t, size[0], size[1], relative)
		}
	}
}

// checkCholesky checks a Gram matrix of n rows of r numbers, with an absolute or a relative residual.
func checkCholesky(t *testing.T, n, r int, relative bool) {
	t.Helper()
	size := [2]int{n, r}
	residual := NewResidual
	if relative {
		residual = NewRelative
	}
	k := gram(n, r)
	all := factorise(k, n, residual)
	if want := min(r, n-1); len(all.Pivots) != want { // two rows are the same
		t.Fatalf("%v: %d pivots, not %d", size, len(all.Pivots), want)
	}
	for most := range len(all.Pivots) + 1 {
		c := factorise(k, most, residual)
		if !slices.Equal(c.Pivots, all.Pivots[:most]) {
			t.Errorf("%v: pivots %v do not begin %v", size, c.Pivots, all.Pivots)
		}
		for i := range n {
			left := k.Data[i*k.Stride+i]
			for _, f := range c.columns {
				left -= f[i] * f[i]
			}
			if math.Abs(left-c.at(i)) > 1e-11*k.Data[i*k.Stride+i] || c.Left[i] < 0 {
				t.Errorf("%v, %d pivots: %v is left of row %d, not %v", size, most, c.Left[i], i, left)
			}
		}
		l := c.Lower()
		product := dense.Mul(blas.NoTrans, l, blas.Trans, l)
		for p, i := range c.Pivots {
			for q, j := range c.Pivots {
				if got, want := product.Data[p*product.Stride+q], k.Data[i*k.Stride+j]; math.Abs(got-want) > 1e-12*dense.MaxAbs(k) {
					t.Errorf("%v, %d pivots: L·Lᵀ has %v at (%d, %d), not %v", size, most, got, p, q, want)
				}
			}
		}
	}
}

// A diagonal of zeros, or of entries below 0 by rounding, has no residual.
func TestResidualOfNothing(t *testing.T) {
	r := NewResidual([]float64{0, -1e-17, 4}, 1e-12)
	if !slices.Equal(r.Left, []float64{0, 0, 4}) {
		t.Errorf("left %v", r.Left)
	}
	r.Subtract(2, 4-1e-13)
	if r.Left[2] != 0 {
		t.Errorf("rounding is left: %v", r.Left[2])
	}
	if r := NewRelative([]float64{0, 3}, 1e-12); !slices.Equal(r.Left, []float64{0, 1}) {
		t.Errorf("relative to the diagonal %v are left", r.Left)
	}
	if c := New(r); len(c.Lower().Data) != 0 {
		t.Errorf("no pivots, and L is %v", c.Lower())
	}
}
