package sketch_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/simd"
	"github.com/nystream/nystream/sketch"
)

// orthogonality returns the largest entry of QᵀQ − I.
func orthogonality(q *mat.Dense) float64 {
	_, n := q.Dims()
	g := mul(q.T(), q)
	g.Sub(g, identity(n))
	return largest(g)
}

// residual returns the largest entry of QR − A, each column relative to its norm.
func residual(a, q, r *mat.Dense) (worst float64) {
	d := mul(q, r)
	d.Sub(d, a)
	_, n := a.Dims()
	for j := range n {
		if norm := mat.Norm(a.ColView(j), 2); norm > 0 {
			worst = max(worst, mat.Norm(d.ColView(j), math.Inf(1))/norm)
		}
	}
	return worst
}

// largest returns the largest magnitude of the entries.
func largest(m *mat.Dense) (most float64) {
	for _, v := range m.RawMatrix().Data {
		most = max(most, math.Abs(v))
	}
	return most
}

// Q is orthonormal and spans the columns, for ill-scaled, rank-deficient and zero blocks.
func TestCholeskyQR(t *testing.T) {
	wide := tall(600, falling(20, 6), 3)
	for j := range 20 {
		scaleColumn(wide, j, 40*(j%5)-80)
	}
	zero := random(300, 11, 4)
	zero.SetCol(3, make([]float64, 300))
	matrices := map[string]*mat.Dense{
		"square": random(30, 30, 1), "one column": random(50, 1, 1), "one entry": random(1, 1, 1), "nine columns": random(33, 9, 1),
		"graded": wide, "zero column": zero, "zero": mat.NewDense(20, 9, nil), "rank 2": mul(random(500, 2, 1), random(2, 20, 2)),
	}
	for _, digits := range []float64{0, 5, 7, 8, 11, 14, 15, 16, 40} {
		matrices[fmt.Sprintf("condition 1e%v", digits)] = tall(700, falling(35, digits), 1)
	}
	onEveryPath(t, func(t *testing.T) {
		for name, a := range matrices {
			block := whole(a)
			q, r, err := sketch.CholeskyQR(block)
			if err != nil {
				t.Fatal(err)
			}
			n := float64(q.Cols)
			checkTriangular(t, dense(r))
			checkFactor(t, name, a, dense(r), (40+n)*eps)
			if loss := orthogonality(dense(q)); !(loss <= 3*n*eps+10*eps) {
				t.Errorf("%s: orthogonality %.3g·ε", name, loss/eps)
			}
			if e := residual(a, dense(q), dense(r)); !(e <= 3*n*eps+10*eps) {
				t.Errorf("%s: residual %.3g·ε", name, e/eps)
			}
			if !mat.Equal(dense(block), a) {
				t.Errorf("%s: A was changed", name)
			}
		}
	})
}

func TestCholeskyQRErrors(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		a := randomBlock(60, 9, 1)
		a.Data[44*a.Stride+7] = math.Inf(1)
		var where *sketch.NonFiniteError
		if _, _, err := sketch.CholeskyQR(a); !errors.As(err, &where) || where.Row != 44 || where.Col != 7 {
			t.Errorf("error %v", err)
		}
		huge := mat.NewDense(9, 2, nil)
		huge.Apply(func(i, j int, _ float64) float64 { return 1e308 * float64(1-i%2*j) }, huge)
		if _, _, err := sketch.CholeskyQR(whole(huge)); err == nil || !strings.Contains(err.Error(), "scale the data down") {
			t.Errorf("error %v", err)
		}
	})
	checkPanics(t, "wide", func() { sketch.CholeskyQR(randomBlock(3, 4, 1)) })
	checkPanics(t, "no columns", func() { sketch.CholeskyQR(blas64.General{Rows: 3, Stride: 1}) })
}

func BenchmarkCholeskyQR(b *testing.B) {
	for _, shape := range [][2]int{{10000, 100}, {2000, 20}, {100000, 16}} {
		a := random(shape[0], shape[1], 1)
		block := whole(a)
		name := fmt.Sprintf("%dx%d", shape[0], shape[1])
		for _, p := range simd.Available() {
			b.Run(fmt.Sprintf("%s/%v", name, p), func(b *testing.B) {
				defer simd.Use(p)()
				var q, r blas64.General
				for b.Loop() {
					q, r, _ = sketch.CholeskyQR(block)
				}
				reportAccuracy(b, a, dense(q), dense(r))
			})
		}
		b.Run(name+"/gonum", func(b *testing.B) {
			var q, r *mat.Dense
			for b.Loop() {
				q, r = gonumQR(a)
			}
			reportAccuracy(b, a, q, r)
		})
	}
}

// reportAccuracy reports errors in units of cols·ε.
func reportAccuracy(b *testing.B, a, q, r *mat.Dense) {
	b.StopTimer()
	_, n := a.Dims()
	b.ReportMetric(residual(a, q, r)/(float64(n)*eps), "residual/nε")
	b.ReportMetric(orthogonality(q)/(float64(n)*eps), "orthogonality/nε")
}

// gonumQR returns the thin factorisation of LAPACK's Geqrf and Orgqr.
func gonumQR(a *mat.Dense) (q, r *mat.Dense) {
	_, n := a.Dims()
	q, r = mat.DenseCopyOf(a), mat.NewDense(n, n, nil)
	tau, work := make([]float64, n), make([]float64, 64*n)
	lapack64.Geqrf(q.RawMatrix(), tau, work, len(work))
	for i := range n {
		copy(r.RawRowView(i)[i:], q.RawRowView(i)[i:])
	}
	lapack64.Orgqr(q.RawMatrix(), tau, work, len(work))
	return q, r
}

func BenchmarkGramAdd(b *testing.B) {
	x, y := randomBlock(10000, 100, 1), randomBlock(10000, 100, 2)
	for _, p := range simd.Available() {
		for _, f := range []struct {
			name string
			y    blas64.General
		}{{"XX", x}, {"XY", y}} {
			b.Run(fmt.Sprintf("%s/%v", f.name, p), func(b *testing.B) {
				defer simd.Use(p)()
				g := sketch.NewGram(100, 100)
				b.ReportAllocs()
				for b.Loop() {
					if err := g.Add(x, f.y); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
