package householder

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/matrix"
)

// randomMatrix returns a random matrix. A sparse one makes the second reflector of a block end in zeros and the first
// not.
func randomMatrix(rows, cols int, sparse bool) blas64.General {
	r := rand.New(rand.NewPCG(1, 1))
	a := matrix.New(rows, cols)
	// The second column is orthogonal to the first, so the first reflector leaves it unchanged.
	for i := range rows {
		for j := range cols {
			if v := r.NormFloat64(); !sparse || (i+j)%7 < 2 && (j != 1 || i < rows/2) || j != 1 && i == rows-1 {
				a.Data[i*cols+j] = v
			}
		}
	}
	if sparse && cols > 1 {
		// The second column is orthogonal to the first, and so stays as it is.
		for i := range rows {
			if a.Data[i*cols] != 0 || i == 0 {
				a.Data[i*cols+1] = 0
			}
		}
	}
	return a
}

// Q is orthogonal and Q·R equals the matrix, also for reflectors stored in rows.
func TestQR(t *testing.T) {
	for _, shape := range [][2]int{{1, 1}, {5, 3}, {48, 48}, {49, 49}, {200, 130}, {300, 48}, {20, 90}} {
		for _, sparse := range []bool{false, true} {
			t.Run(fmt.Sprint(shape, sparse), func(t *testing.T) {
				m, n := shape[0], shape[1]
				a := randomMatrix(m, n, sparse)
				f := matrix.New(m, n)
				copy(f.Data, a.Data)
				q := QR(f)
				r := matrix.New(m, n)
				for i := range min(m, n) {
					copy(r.Data[i*n+i:(i+1)*n], f.Data[i*n+i:(i+1)*n])
				}
				q.Apply(r)
				norm := 0.0
				for i, v := range r.Data {
					norm = math.Hypot(norm, a.Data[i]-v)
				}
				if limit := 1e-14 * float64(m); norm > limit {
					t.Errorf("Q·R is off by %g", norm)
				}
				whole, again := matrix.New(m, m), matrix.New(m, m)
				for i := range m {
					whole.Data[i*m+i], again.Data[i*m+i] = 1, 1
				}
				q.Apply(whole)
				thin := q.Thin()
				for i := range m {
					for j := range thin.Cols {
						if !(math.Abs(thin.Data[i*thin.Stride+j]-whole.Data[i*m+j]) <= 1e-14) {
							t.Fatalf("thin Q at (%d, %d) is %g, of the whole one %g", i, j, thin.Data[i*thin.Stride+j], whole.Data[i*m+j])
						}
					}
				}
				gram := matrix.New(m, m)
				blas64.Gemm(blas.Trans, blas.NoTrans, 1, whole, whole, 0, gram)
				for i := range m {
					for j := range m {
						want := 0.0
						if i == j {
							want = 1
						}
						if math.Abs(gram.Data[i*m+j]-want) > 1e-13 {
							t.Fatalf("QᵀQ at (%d, %d) is %g", i, j, gram.Data[i*m+j])
						}
					}
				}
				back := matrix.New(m, m)
				copy(back.Data, whole.Data)
				q.ApplyTransposed(back)
				for i := range m {
					back.Data[i*m+i]--
				}
				for i, v := range back.Data {
					if math.Abs(v) > 1e-13 {
						t.Fatalf("number %d of the transposed product times the product is off by %g", i, v)
					}
				}
				inRows := matrix.New(n, m)
				for i := range m {
					for j := range n {
						inRows.Data[j*m+i] = f.Data[i*n+j]
					}
				}
				Reflectors{V: inRows, Tau: q.Tau, InRows: true}.Apply(again)
				for i, v := range whole.Data {
					if again.Data[i] != v {
						t.Fatalf("number %d is %g with reflectors in rows, %g in columns", i, again.Data[i], v)
					}
				}
			})
		}
	}
}

// gonum's QR is wrong for these matrices, which is the reason for this package. If the test fails, gonum was fixed.
func TestGonumIsWrong(t *testing.T) {
	a := randomMatrix(200, 150, true)
	var d, q, r, p mat.Dense
	d.SetRawMatrix(a)
	var f mat.QR
	f.Factorize(&d)
	f.QTo(&q)
	f.RTo(&r)
	p.Mul(&q, &r)
	p.Sub(&p, &d)
	t.Logf("mat.QR of a matrix of the norm %.3g is off by %.2g", mat.Norm(&d, 2), mat.Norm(&p, 2))
	if mat.Norm(&p, 2) < 1e-10 {
		t.Error("gonum's QR factorization is right: lapack64 can take the place of this package")
	}
}
