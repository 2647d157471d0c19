package dense_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
)

// random returns a matrix with a gap after each row, to show that strides are honoured.
func random(rows, cols int, seed uint64) blas64.General {
	r := rand.New(rand.NewPCG(seed, 1))
	wide := matrix.New(rows, cols+2)
	for i := range wide.Data {
		wide.Data[i] = r.NormFloat64()
	}
	return matrix.Columns(wide, 1, cols)
}

// at returns entry (i, j) of m, or of its transpose.
func at(m blas64.General, t blas.Transpose, i, j int) float64 {
	if t != blas.NoTrans {
		i, j = j, i
	}
	return m.Data[i*m.Stride+j]
}

// Mul equals the definition of the matrix product for all transpositions and shapes, empty ones included.
func TestMulIsTheSumOfProducts(t *testing.T) {
	for _, shape := range [][3]int{{4, 3, 5}, {1, 1, 1}, {3, 0, 2}, {0, 3, 2}, {2, 3, 0}} {
		n, k, m := shape[0], shape[1], shape[2]
		for _, ta := range []blas.Transpose{blas.NoTrans, blas.Trans} {
			for _, tb := range []blas.Transpose{blas.NoTrans, blas.Trans} {
				a, b := random(n, k, 1), random(k, m, 2)
				if ta != blas.NoTrans {
					a = random(k, n, 1)
				}
				if tb != blas.NoTrans {
					b = random(m, k, 2)
				}
				c := dense.Mul(ta, a, tb, b)
				if c.Rows != n || c.Cols != m {
					t.Fatalf("shape %v: product is %d×%d", shape, c.Rows, c.Cols)
				}
				for i := range n {
					for j := range m {
						sum := 0.0
						for l := range k {
							sum += at(a, ta, i, l) * at(b, tb, l, j)
						}
						if got := c.Data[i*c.Stride+j]; math.Abs(got-sum) > 1e-14 {
							t.Errorf("shape %v, entry (%d, %d): %g, the sum is %g", shape, i, j, got, sum)
						}
					}
				}
			}
		}
	}
}

// A product with inner dimension 0 still scales C by beta.
func TestGemmOfNoTermsKeepsItsShareOfC(t *testing.T) {
	c := random(2, 3, 3)
	want := matrix.Clone(c)
	dense.Gemm(blas.NoTrans, blas.NoTrans, 1, matrix.New(2, 0), matrix.New(0, 3), 2, c)
	for i := range 2 {
		for j, v := range matrix.Row(c, i) {
			if v != 2*want.Data[i*want.Stride+j] {
				t.Errorf("entry (%d, %d) is %g, not twice %g", i, j, v, want.Data[i*want.Stride+j])
			}
		}
	}
	c.Data[0] = math.NaN()
	dense.Gemm(blas.NoTrans, blas.NoTrans, 1, matrix.New(2, 0), matrix.New(0, 3), 0, c)
	if dense.MaxAbs(c) != 0 || !dense.Finite(c) {
		t.Error("beta 0 left something of c")
	}
}

func TestMulVectorIsMul(t *testing.T) {
	a := random(4, 3, 4)
	for _, ta := range []blas.Transpose{blas.NoTrans, blas.Trans} {
		x := []float64{1, -2, 3, 4}
		if ta == blas.NoTrans {
			x = x[:3]
		}
		want := dense.Mul(ta, a, blas.NoTrans, matrix.Of(x, len(x), 1))
		for i, v := range dense.MulVector(ta, a, x) {
			if math.Abs(v-want.Data[i]) > 1e-14 {
				t.Errorf("entry %d: %g, not %g", i, v, want.Data[i])
			}
		}
	}
	if y := dense.MulVector(blas.Trans, matrix.New(0, 2), nil); len(y) != 2 || y[0] != 0 {
		t.Errorf("a product with no rows is %v, not two zeros", y)
	}
}

func TestPartsOfMatrices(t *testing.T) {
	a := random(3, 3, 5)
	tr, sym := matrix.Transpose(a), dense.SymmetricPart(a)
	rows, cols := matrix.Clone(a), matrix.Clone(a)
	w := []float64{2, -1, 0.5}
	dense.ScaleRows(rows, w)
	dense.ScaleColumns(cols, w)
	for i := range 3 {
		for j, v := range matrix.Row(a, i) {
			if tr.Data[j*tr.Stride+i] != v {
				t.Errorf("transpose (%d, %d)", j, i)
			}
			if got, want := sym.Data[i*sym.Stride+j], (v+at(a, blas.Trans, i, j))/2; math.Abs(got-want) > 1e-15 {
				t.Errorf("symmetric part (%d, %d): %g, not %g", i, j, got, want)
			}
			if rows.Data[i*rows.Stride+j] != v*w[i] || cols.Data[i*cols.Stride+j] != v*w[j] {
				t.Errorf("scaled entries (%d, %d)", i, j)
			}
		}
	}
	c := matrix.Clone(a)
	dense.CenterColumns(c)
	for j, m := range dense.ColumnMeans(c) {
		if math.Abs(m) > 1e-15 {
			t.Errorf("column %d has mean %g after centring", j, m)
		}
	}
	if got := dense.ColumnMeans(matrix.New(0, 2)); got[0] != 0 || got[1] != 0 {
		t.Errorf("means of no rows are %v", got)
	}
}

func TestNorms(t *testing.T) {
	m := blas64.General{Rows: 2, Cols: 2, Stride: 3, Data: []float64{3, 0, 99, 0, -4, 99}}
	if got := dense.Frobenius(m); math.Abs(got-5) > 1e-15 {
		t.Errorf("‖m‖_F = %g, not 5", got)
	}
	if dense.Trace(m) != -1 || dense.MaxAbs(m) != 4 {
		t.Errorf("trace %g and largest %g, not -1 and 4", dense.Trace(m), dense.MaxAbs(m))
	}
	huge := blas64.General{Rows: 2, Cols: 1, Stride: 1, Data: []float64{3e300, 4e300}}
	if got := dense.Frobenius(huge); math.Abs(got/5e300-1) > 1e-15 {
		t.Errorf("‖huge‖_F = %g, not 5e300", got)
	}
	m.Data[3] = math.NaN()
	if !math.IsNaN(dense.MaxAbs(m)) {
		t.Errorf("the largest magnitude is %g where an entry is NaN", dense.MaxAbs(m))
	}
	m.Data[3], m.Data[4] = 0, math.Inf(1)
	if i, j, found := dense.NotFinite(m); !found || i != 1 || j != 1 {
		t.Errorf("the infinite entry was found at (%d, %d), %t", i, j, found)
	}
}

func TestSVD(t *testing.T) {
	for _, shape := range [][2]int{{6, 4}, {4, 6}, {5, 5}, {1, 3}, {3, 1}, {0, 3}, {3, 0}, {32, 40}, {50, 33}, {90, 90}} {
		a := random(shape[0], shape[1], 6)
		s, err := dense.NewSVD(a)
		if err != nil {
			t.Fatal(err)
		}
		us := matrix.Clone(s.U)
		dense.ScaleColumns(us, s.S)
		back := dense.Mul(blas.NoTrans, us, blas.Trans, s.V)
		for i := range a.Rows {
			matrix.Axpy(-1, matrix.Row(a, i), matrix.Row(back, i))
		}
		if off := dense.MaxAbs(back); off > 1e-13 {
			t.Errorf("%v: U·S·Vᵀ is off by %g", shape, off)
		}
		for name, q := range map[string]blas64.General{"U": s.U, "V": s.V} {
			gram := dense.Mul(blas.Trans, q, blas.NoTrans, q)
			for i := range gram.Rows {
				gram.Data[i*gram.Stride+i]--
			}
			if off := dense.MaxAbs(gram); off > 1e-13 {
				t.Errorf("%v: %s is off orthonormal by %g", shape, name, off)
			}
		}
		for j := range s.V.Cols {
			least, most := 0.0, 0.0
			for i := range s.V.Rows {
				least, most = min(least, at(s.V, blas.NoTrans, i, j)), max(most, at(s.V, blas.NoTrans, i, j))
			}
			if most < -least {
				t.Errorf("%v: the largest entry of column %d of V is %g", shape, j, least)
			}
		}
	}
	for _, n := range []int{2, 50} {
		bad := random(n, n, 7)
		bad.Data[0] = math.NaN()
		if _, err := dense.NewSVD(bad); !errors.Is(err, dense.ErrNotFinite) {
			t.Errorf("a NaN gives %v", err)
		}
	}
}

// The rank counts the singular values above a tolerance relative to the largest.
func TestRankWithinTolerance(t *testing.T) {
	for _, c := range []struct {
		values []float64
		tol    float64
		want   int
	}{{nil, 0, 0}, {[]float64{0, 0}, 0, 0}, {[]float64{2, 1, 1e-13}, 1e-12, 2}, {[]float64{2, 1, 0}, 0, 2}} {
		if got := dense.Rank(c.values, c.tol); got != c.want {
			t.Errorf("rank of %v at %g is %d, not %d", c.values, c.tol, got, c.want)
		}
	}
}

// UᵀU equals the matrix up to rounding, and only one triangle is read. A matrix that is not positive definite is an
// error.
func TestCholesky(t *testing.T) {
	for _, n := range []int{0, 1, 100, 129, 300} {
		g := random(n+5, n, 1)
		a := dense.Mul(blas.Trans, g, blas.NoTrans, g)
		u := random(n, n, 2)
		for i := range n {
			copy(matrix.Row(u, i), matrix.Row(a, i))
		}
		if !dense.Cholesky(u) {
			t.Fatalf("%d rows: not positive definite", n)
		}
		for i := range n {
			clear(matrix.Row(u, i)[:i])
		}
		off := dense.Mul(blas.Trans, u, blas.NoTrans, u)
		dense.Add(-1, a, off)
		if n > 0 && dense.MaxAbs(off) > 1e-14*dense.MaxAbs(a) {
			t.Errorf("%d rows: UᵀU is off by %g of %g", n, dense.MaxAbs(off), dense.MaxAbs(a))
		}
		if n > 0 {
			matrix.Row(a, n-1)[n-1] = 0
			if dense.Cholesky(a) {
				t.Errorf("%d rows: an indefinite matrix has a factor", n)
			}
		}
	}
}
