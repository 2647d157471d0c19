package symeig

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/linalg/conquer"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/nyblas"
)

func init() { blas64.Use(nyblas.Implementation{}) }

// filled returns the symmetric matrix with the given lower triangle.
func filled(n int, entry func(i, j int) float64) blas64.General {
	a := matrix.New(n, n)
	for i := range n {
		for j := range i + 1 {
			v := entry(i, j)
			a.Data[i*n+j], a.Data[j*n+i] = v, v
		}
	}
	return a
}

// random returns a symmetric matrix of standard normal numbers.
func random(n int, seed uint64) blas64.General {
	r := rand.New(rand.NewPCG(seed, 1))
	return filled(n, func(i, j int) float64 { return r.NormFloat64() })
}

// withValues returns Q·diag(values)·Qᵀ with a random Q.
func withValues(n int, value func(i int) float64) blas64.General {
	var qr mat.QR
	g := random(n, 9)
	for i := range g.Data {
		g.Data[i] += float64(i%7) * 1e-3 // not symmetric
	}
	qr.Factorize(mat.NewDense(n, n, g.Data))
	var q, qv mat.Dense
	qr.QTo(&q)
	qv.CloneFrom(&q)
	for j := range n {
		for i := range n {
			qv.Set(i, j, q.At(i, j)*value(j))
		}
	}
	var a mat.Dense
	a.Mul(&qv, q.T())
	return filled(n, a.At)
}

// tridiagonalOf returns a symmetric tridiagonal matrix with diagonal d and off-diagonal e.
func tridiagonalOf(n int, d, e func(i int) float64) blas64.General {
	return filled(n, func(i, j int) float64 {
		switch i - j {
		case 0:
			return d(i)
		case 1:
			return e(j)
		}
		return 0
	})
}

// matrices returns matrices that are difficult for eigensolvers.
func matrices(n int) map[string]blas64.General {
	one := func(int) float64 { return 1 }
	points := make([]float64, n)
	for i := range points {
		points[i] = math.Mod(float64(i)*0.618, 1)
	}
	return map[string]blas64.General{
		"random":             random(n, 3),
		"zero":               filled(n, func(i, j int) float64 { return 0 }),
		"identity":           withValues(n, one),
		"diagonal":           tridiagonalOf(n, func(i int) float64 { return float64(i % 5) }, func(int) float64 { return 0 }),
		"second differences": tridiagonalOf(n, func(int) float64 { return 2 }, func(int) float64 { return -1 }),
		"Wilkinson":          tridiagonalOf(n, func(i int) float64 { return math.Abs(float64(i) - float64(n-1)/2) }, one),
		"glued Wilkinson": tridiagonalOf(n, func(i int) float64 { return math.Abs(float64(i%21) - 10) }, func(i int) float64 {
			if i%21 == 20 {
				return 1e-8
			}
			return 1
		}),
		"split":          tridiagonalOf(n, func(i int) float64 { return float64(i % 3) }, func(i int) float64 { return float64(min(1, i%16)) }),
		"negative split": tridiagonalOf(n, func(i int) float64 { return 1 }, func(i int) float64 { return -float64(i % 2) }),
		"rank one":       filled(n, func(i, j int) float64 { return 1 }),
		"graded":         withValues(n, func(i int) float64 { return math.Pow(10, -float64(i)/4) }),
		"two clusters":   withValues(n, func(i int) float64 { return float64(i%2) + 1e-12*float64(i) }),
		"one far":        withValues(n, func(i int) float64 { return 1e-8 + float64(1/(1+i)) }),
		"of both signs":  withValues(n, func(i int) float64 { return math.Cos(float64(i)) }),
		"kernel":         filled(n, func(i, j int) float64 { return math.Exp(-20 * (points[i] - points[j]) * (points[i] - points[j])) }),
		"huge":           filled(n, func(i, j int) float64 { return 1e307 * math.Cos(float64(i*j)) }),
		"tiny":           filled(n, func(i, j int) float64 { return 1e-307 * math.Cos(float64(i*j)) }),
		"subnormal":      filled(n, func(i, j int) float64 { return 5e-324 * float64((i+j)%3) }),
		"arrow": filled(n, func(i, j int) float64 {
			if i == j {
				return float64(i)
			}
			return float64(1 / (1 + j)) // first column
		}),
	}
}

// check bounds the residual and the loss of orthogonality, and compares the values with gonum's.
func check(t *testing.T, a blas64.General) {
	t.Helper()
	n := a.Rows
	values, v, err := Decompose(a)
	if err != nil {
		t.Fatal(err)
	}
	if len(values) != n || v.Rows != n || v.Cols != n {
		t.Fatalf("%d values, %d×%d vectors, expected %d", len(values), v.Rows, v.Cols, n)
	}
	unit, _ := largest(a)
	unit = conquer.PowerOfTwo(unit)
	scaled := filled(n, func(i, j int) float64 { return a.Data[i*a.Stride+j] / unit })
	norm := 0.0
	for _, l := range values {
		norm = math.Max(norm, math.Abs(l/unit))
	}
	limit := 4 * float64(n) * conquer.Epsilon
	av, gram := matrix.New(n, n), matrix.New(n, n)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, scaled, v, 0, av)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, v, v, 0, gram)
	var residual, skew float64
	for i := range n {
		for j := range n {
			d := av.Data[i*n+j] - v.Data[i*n+j]*(values[j]/unit)
			residual += d * d
			if g := gram.Data[i*n+j]; i == j {
				skew = math.Max(skew, math.Abs(g-1))
			} else {
				skew = math.Max(skew, math.Abs(g))
			}
		}
	}
	residual = math.Sqrt(residual)
	subnormal := 0x1p-1074 / unit * float64(n)
	if !(residual <= limit*norm+subnormal) || !(skew <= limit) {
		t.Errorf("residual %.3g of ‖A‖, orthonormal to %.3g, limit %.3g", residual/norm, skew, limit)
	}
	var eig mat.EigenSym
	if !eig.Factorize(mat.NewSymDense(n, scaled.Data), false) {
		t.Fatal("gonum does not converge")
	}
	for i, want := range eig.Values(nil) {
		got := values[n-1-i] / unit
		if !(math.Abs(got-want) <= limit*norm+subnormal) {
			t.Errorf("value %d is %.17g, gonum %.17g", i, got, want)
		}
		if i > 0 && values[n-1-i] < values[n-i] {
			t.Errorf("values %d and %d are out of order", n-1-i, n-i)
		}
	}
}

// Decompositions of difficult matrices are accurate for sizes around those where algorithms change.
func TestDecompose(t *testing.T) {
	for _, n := range []int{1, 2, 3, 31, 32, 33, 64, 65, 130, 263} {
		for name, a := range matrices(n) {
			t.Run(fmt.Sprint(name, n), func(t *testing.T) { check(t, a) })
		}
	}
}

// Only the lower triangle is read, and the input is not changed.
func TestStrided(t *testing.T) {
	const n, stride = 70, 81
	small := random(n, 5)
	a := blas64.General{Rows: n, Cols: n, Stride: stride, Data: make([]float64, (n-1)*stride+n)}
	for i := range a.Data {
		a.Data[i] = math.NaN()
	}
	for i := range n {
		copy(a.Data[i*stride:], small.Data[i*n:i*n+i+1])
	}
	want, _, err := Decompose(small)
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := Decompose(a)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("value %d is %g, packed %g", i, got[i], want[i])
		}
	}
	if a.Data[3*stride+2] != small.Data[3*n+2] {
		t.Error("the matrix was written to")
	}
}

func TestEmptyAndNotFinite(t *testing.T) {
	if values, _, err := Decompose(blas64.General{Stride: 1}); err != nil || len(values) != 0 {
		t.Errorf("empty: %v, %v", values, err)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		a := random(40, 5)
		a.Data[25*40+7] = bad
		if _, _, err := Decompose(a); !errors.Is(err, ErrNotFinite) {
			t.Errorf("%g: %v", bad, err)
		}
	}
}

// The result has the same bits for any number of threads of the BLAS.
func TestSameBits(t *testing.T) {
	a := random(300, 8)
	run := func(threads int) (out []float64) {
		blas64.Use(nyblas.Implementation{Threads: threads})
		defer blas64.Use(nyblas.Implementation{})
		values, v, err := Decompose(a)
		if err != nil {
			t.Fatal(err)
		}
		return append(values, v.Data...)
	}
	want := run(1)
	for i, v := range run(2) {
		if v != want[i] {
			t.Fatalf("number %d is %g, with one thread %g", i, v, want[i])
		}
	}
}

func FuzzDecompose(f *testing.F) {
	f.Add(uint64(1), uint(40), 0.0, uint(3))
	f.Add(uint64(2), uint(70), 10.0, uint(50))
	f.Fuzz(func(t *testing.T, seed uint64, n uint, grade float64, distinct uint) {
		size := int(n % 100)
		r := rand.New(rand.NewPCG(seed, 2))
		d, e := make([]float64, size), make([]float64, size)
		for i := range size {
			d[i] = float64(r.IntN(1 + int(distinct%1000)))
			e[i] = math.Exp(math.Mod(grade, 20)*r.NormFloat64()) * float64(r.IntN(2))
		}
		if size > 0 {
			check(t, tridiagonalOf(size, func(i int) float64 { return d[i] }, func(i int) float64 { return e[i] }))
		}
	})
}
