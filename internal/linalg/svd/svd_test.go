package svd

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/linalg/conquer"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/nyblas"
)

func init() { blas64.Use(nyblas.Implementation{}) }

// filled returns the matrix with the given entries.
func filled(rows, cols int, entry func(i, j int) float64) blas64.General {
	a := matrix.New(rows, cols)
	for i := range rows {
		for j := range cols {
			a.Data[i*a.Stride+j] = entry(i, j)
		}
	}
	return a
}

// random returns a matrix of standard normal numbers.
func random(rows, cols int, seed uint64) blas64.General {
	r := rand.New(rand.NewPCG(seed, 1))
	return filled(rows, cols, func(i, j int) float64 { return r.NormFloat64() })
}

// orthonormal returns random orthonormal columns.
func orthonormal(rows, cols int, seed uint64) *mat.Dense {
	var qr mat.QR
	qr.Factorize(mat.NewDense(rows, cols, random(rows, cols, seed).Data))
	var q mat.Dense
	qr.QTo(&q)
	return mat.DenseCopyOf(q.Slice(0, rows, 0, cols))
}

// withValues returns P·diag(values)·Qᵀ with random P and Q.
func withValues(rows, cols int, value func(i int) float64) blas64.General {
	k := min(rows, cols)
	p, q := orthonormal(rows, k, 9), orthonormal(cols, k, 10)
	for j := range k {
		for i := range rows {
			p.Set(i, j, p.At(i, j)*value(j))
		}
	}
	var a mat.Dense
	a.Mul(p, q.T())
	return a.RawMatrix()
}

// bidiagonalOf returns an upper bidiagonal matrix with diagonal d and superdiagonal e.
func bidiagonalOf(rows, cols int, d, e func(i int) float64) blas64.General {
	return filled(rows, cols, func(i, j int) float64 {
		switch j - i {
		case 0:
			return d(i)
		case 1:
			return e(i)
		}
		return 0
	})
}

// matrices returns matrices that are difficult for decompositions.
func matrices(m, n int) map[string]blas64.General {
	zero := func(int) float64 { return 0 }
	one := func(int) float64 { return 1 }
	every := func(k int) func(i int) float64 { // zero at every k-th place
		return func(i int) float64 { return float64(min(1, i%k)) }
	}
	point := func(i int) float64 { return math.Mod(float64(i)*0.618, 1) }
	scaled := func(by float64) blas64.General {
		return filled(m, n, func(i, j int) float64 { return by * math.Cos(float64(i*j+i)) })
	}
	return map[string]blas64.General{
		"random":             random(m, n, 3),
		"zero":               filled(m, n, func(i, j int) float64 { return 0 }),
		"identity":           bidiagonalOf(m, n, one, zero),
		"orthogonal":         withValues(m, n, one),
		"graded":             withValues(m, n, func(i int) float64 { return math.Pow(10, -16*float64(i)/float64(min(m, n))) }),
		"steep":              withValues(m, n, func(i int) float64 { return math.Pow(10, -float64(i)) }),
		"rank deficient":     withValues(m, n, func(i int) float64 { return float64(max(0, 7-i)) }),
		"rank one":           filled(m, n, func(i, j int) float64 { return 1 }),
		"half the rank":      withValues(m, n, func(i int) float64 { return float64(i % 2) }),
		"clustered":          withValues(m, n, func(i int) float64 { return 1 + 1e-14*float64(i) }),
		"two clusters":       withValues(m, n, func(i int) float64 { return float64(i%2) + 1e-12*float64(i) }),
		"repeated":           withValues(m, n, func(i int) float64 { return float64(1 + i%3) }),
		"one far":            withValues(m, n, func(i int) float64 { return 1e-8 + float64(1/(1+i)) }),
		"huge":               scaled(1e150),
		"tiny":               scaled(1e-150),
		"largest":            scaled(1e300),
		"smallest":           scaled(1e-306),
		"subnormal":          filled(m, n, func(i, j int) float64 { return 5e-324 * float64((i*i+j)%3) }),
		"rows of all scales": filled(m, n, func(i, j int) float64 { return math.Pow(10, -float64(i%300)) * math.Sin(float64(1+i*n+j)) }),
		"kernel":             filled(m, n, func(i, j int) float64 { return math.Exp(-20 * math.Pow(point(i)-point(j), 2)) }),
		"asymmetric kernel":  filled(m, n, func(i, j int) float64 { return math.Exp(-5 * math.Pow(point(i)-2*point(j), 2)) }),
		"Kahan": filled(m, n, func(i, j int) float64 {
			switch scale := math.Pow(0.8, float64(i)); {
			case i == j:
				return scale
			case i < j:
				return -0.6 * scale
			}
			return 0
		}),
		// gonum's QR is wrong for these, see package householder.
		"sparse columns": filled(m, n, func(i, j int) float64 {
			switch {
			case j == 0 && i != 0 && i != m-1, j == 1 && i != 1 && i != 2:
				return 0
			case j < 2:
				return 1
			}
			return math.Cos(float64(i*j + i))
		}),
		"one of each row": filled(m, n, func(i, j int) float64 {
			if j == (i*i+3*i)%n {
				return 1
			}
			return 0
		}),
		"bidiagonal":          bidiagonalOf(m, n, func(i int) float64 { return 2 }, func(int) float64 { return -1 }),
		"differences":         bidiagonalOf(m, n, one, func(int) float64 { return -1 }),
		"zeros on diagonal":   bidiagonalOf(m, n, every(5), one),
		"nilpotent":           bidiagonalOf(m, n, zero, one),
		"zeros above":         bidiagonalOf(m, n, one, every(3)),
		"zeros in both":       bidiagonalOf(m, n, every(4), every(7)),
		"zero middle row":     bidiagonalOf(m, n, func(i int) float64 { return float64(min(1, max(n/2-i, i-n/2))) }, func(i int) float64 { return float64(min(1, max(n/2-i, i-n/2))) }),
		"negative":            bidiagonalOf(m, n, func(i int) float64 { return -1 - float64(i%4) }, func(i int) float64 { return float64(i%3) - 1 }),
		"graded bidiagonal":   bidiagonalOf(m, n, func(i int) float64 { return math.Pow(2, -float64(i)) }, func(i int) float64 { return math.Pow(2, -float64(i)) }),
		"ungraded bidiagonal": bidiagonalOf(m, n, func(i int) float64 { return math.Pow(2, float64(i-n)) }, func(i int) float64 { return math.Pow(2, float64(i-n)) }),
		"glued": bidiagonalOf(m, n, func(i int) float64 { return math.Abs(float64(i%21) - 10) }, func(i int) float64 {
			if i%21 == 20 {
				return 1e-8
			}
			return 1
		}),
		"underflowing": bidiagonalOf(m, n, func(i int) float64 { return math.Pow(10, -float64(i*37%320)) }, func(i int) float64 { return math.Pow(10, -float64(i*53%320)) }),
	}
}

// check bounds the residual and the loss of orthogonality, and compares the values with gonum's.
func check(t *testing.T, a blas64.General) {
	t.Helper()
	m, n := a.Rows, a.Cols
	k := min(m, n)
	u, values, v, err := Decompose(a)
	if err != nil {
		t.Fatal(err)
	}
	if len(values) != k || u.Rows != m || u.Cols != k || v.Rows != n || v.Cols != k {
		t.Fatalf("%d values, U %d×%d, V %d×%d of a matrix %d×%d", len(values), u.Rows, u.Cols, v.Rows, v.Cols, m, n)
	}
	unit, _ := largest(a)
	unit = conquer.PowerOfTwo(unit)
	// The QR iteration of a leaf, and all of gonum's, neglects what is below 100·ε.
	limit := (300 + 4*float64(max(m, n))) * conquer.Epsilon
	subnormal := 0x1p-1074 / unit * float64(m+n)
	residual := filled(m, n, func(i, j int) float64 { return a.Data[i*a.Stride+j] / unit })
	gonums := gonumValues(t, residual)
	norm := gonums[0]
	us := filled(m, k, func(i, j int) float64 { return u.Data[i*u.Stride+j] * (values[j] / unit) })
	blas64.Gemm(blas.NoTrans, blas.Trans, -1, us, v, 1, residual)
	if off := frobenius(residual); !(off <= limit*norm+subnormal) {
		t.Errorf("residual %.3g of ‖A‖, limit %.3g", off/norm, limit)
	}
	for name, q := range map[string]blas64.General{"U": u, "V": v} {
		if off := skew(q); !(off <= limit) {
			t.Errorf("%s is orthonormal to %.3g, limit %.3g", name, off, limit)
		}
	}
	for i, want := range gonums {
		if got := values[i] / unit; !(math.Abs(got-want) <= limit*norm+subnormal) {
			t.Errorf("value %d is %.17g, gonum's %.17g", i, got, want)
		}
		if !(values[i] >= 0) || i > 0 && values[i] > values[i-1] {
			t.Errorf("value %d, %g, is negative or out of order", i, values[i])
		}
	}
}

// gonumValues returns gonum's singular values. With vectors, gonum uses another QR iteration than for values alone.
func gonumValues(t *testing.T, a blas64.General) []float64 {
	t.Helper()
	var d mat.Dense
	d.SetRawMatrix(a)
	var f mat.SVD
	if !f.Factorize(&d, mat.SVDThin) {
		t.Fatal("gonum does not converge")
	}
	return f.Values(nil)
}

// frobenius returns the Frobenius norm.
func frobenius(a blas64.General) float64 {
	square := 0.0
	for _, v := range a.Data {
		square += v * v
	}
	return math.Sqrt(square)
}

// skew returns the largest entry of QᵀQ − I.
func skew(q blas64.General) float64 {
	gram := matrix.New(q.Cols, q.Cols)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, q, q, 0, gram)
	worst := 0.0
	for i := range gram.Rows {
		gram.Data[i*gram.Stride+i]--
	}
	for _, v := range gram.Data {
		worst = math.Max(worst, math.Abs(v))
	}
	return worst
}

// Decompositions of difficult matrices are accurate for all shapes around the sizes where algorithms change.
func TestDecompose(t *testing.T) {
	shapes := [][2]int{{1, 1}, {2, 2}, {3, 3}, {1, 9}, {9, 1}, {31, 31}, {32, 32}, {33, 33}, {34, 34}, {67, 67}, {100, 70}, {40, 150}}
	if !testing.Short() {
		shapes = append(shapes, [][2]int{{64, 64}, {66, 66}, {130, 130}, {197, 197}, {70, 100}, {300, 40}, {145, 144}, {144, 145}}...)
	}
	for _, shape := range shapes {
		for name, a := range matrices(shape[0], shape[1]) {
			t.Run(fmt.Sprintf("%s %d×%d", name, shape[0], shape[1]), func(t *testing.T) { check(t, a) })
		}
	}
}

// B with 1 on the diagonal and −1 above it has the singular values 2·sin of known angles: BBᵀ is the second difference
// matrix with 1 in its last corner.
func TestKnownValues(t *testing.T) {
	const n = 400
	a := bidiagonalOf(n, n, func(int) float64 { return 1 }, func(int) float64 { return -1 })
	_, values, _, err := Decompose(a)
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range values {
		want := 2 * math.Sin(float64(2*(n-i)-1)*math.Pi/float64(2*(2*n+1)))
		if math.Abs(got-want) > 1e-14 {
			t.Errorf("value %d is %.17g, not %.17g", i, got, want)
		}
	}
}

// Numbers between rows are ignored, and the input is not changed.
func TestStrided(t *testing.T) {
	const m, n, stride = 90, 70, 81
	small := random(m, n, 5)
	a := blas64.General{Rows: m, Cols: n, Stride: stride, Data: make([]float64, (m-1)*stride+n)}
	for i := range a.Data {
		a.Data[i] = math.NaN()
	}
	for i := range m {
		copy(a.Data[i*stride:], small.Data[i*n:(i+1)*n])
	}
	_, want, _, err := Decompose(small)
	if err != nil {
		t.Fatal(err)
	}
	_, got, _, err := Decompose(a)
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
	for _, shape := range [][2]int{{0, 0}, {3, 0}, {0, 3}} {
		a := matrix.New(shape[0], shape[1])
		u, values, v, err := Decompose(a)
		if err != nil || len(values) != 0 || u.Rows != shape[0] || v.Rows != shape[1] || u.Cols != 0 || v.Cols != 0 {
			t.Errorf("%v: U %v, values %v, V %v, %v", shape, u, values, v, err)
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, shape := range [][2]int{{40, 40}, {90, 30}, {30, 90}} {
			a := random(shape[0], shape[1], 5)
			a.Data[25*a.Stride+7] = bad
			if _, _, _, err := Decompose(a); !errors.Is(err, ErrNotFinite) {
				t.Errorf("%g: %v", bad, err)
			}
		}
	}
}

// The result has the same bits for any number of threads.
func TestSameBits(t *testing.T) {
	for _, a := range []blas64.General{random(300, 300, 8), random(500, 200, 8)} {
		run := func(threads, procs int) (out []float64) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			blas64.Use(nyblas.Implementation{Threads: threads})
			defer blas64.Use(nyblas.Implementation{})
			u, values, v, err := Decompose(a)
			if err != nil {
				t.Fatal(err)
			}
			return append(append(values, v.Data...), u.Data...)
		}
		want := run(1, 1)
		for _, threads := range [][2]int{{2, 2}, {0, 3}, {3, 1}} {
			for i, v := range run(threads[0], threads[1]) {
				if v != want[i] {
					t.Fatalf("%v: number %d is %g, with one thread %g", threads, i, v, want[i])
				}
			}
		}
	}
}

// FuzzDecompose decomposes bidiagonal matrices, plain or inside random rotations, with integers or numbers of all
// magnitudes, and zeros.
func FuzzDecompose(f *testing.F) {
	f.Add(uint64(1), uint(40), uint(40), 0.0, uint(3), false)
	f.Add(uint64(2), uint(70), uint(90), 10.0, uint(50), false)
	f.Add(uint64(3), uint(99), uint(66), 700.0, uint(2), false)
	f.Add(uint64(4), uint(99), uint(99), 0.0, uint(1), true)
	f.Add(uint64(5), uint(50), uint(80), 30.0, uint(9), true)
	f.Fuzz(func(t *testing.T, seed uint64, rows, cols uint, grade float64, distinct uint, full bool) {
		m, n := 1+int(rows%110), 1+int(cols%110)
		r := rand.New(rand.NewPCG(seed, 2))
		entry := func(int) float64 {
			if !matrix.IsFinite(grade) {
				return float64(r.IntN(3))
			}
			scale := math.Exp(min(700, max(-740, math.Mod(grade, 800)*r.NormFloat64())))
			return scale * float64(r.IntN(2+int(distinct%1000))-int(distinct%2)) * float64(min(1, r.IntN(8)))
		}
		a := bidiagonalOf(m, n, entry, entry)
		if full {
			p, q := orthonormal(m, m, seed), orthonormal(n, n, seed+1)
			var x, y mat.Dense
			x.Mul(p, mat.NewDense(m, n, a.Data))
			y.Mul(&x, q)
			a = y.RawMatrix()
		}
		if _, err := largest(a); err == nil {
			check(t, a)
		}
	})
}
