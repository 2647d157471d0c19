package sketch

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
)

// normalBlock returns normal entries, with column j scaled by 10^digits(j).
func normalBlock(rows, cols int, seed uint64, digits func(j int) float64) blas64.General {
	rng := rand.New(rand.NewPCG(seed, 1))
	m := matrix.New(rows, cols)
	for i := range rows {
		for j := range matrix.Row(m, i) {
			matrix.Row(m, i)[j] = rng.NormFloat64() * math.Pow(10, digits(j))
		}
	}
	return m
}

// mixed returns m times a random square matrix, so that graded singular values do not show as
// graded columns.
func mixed(m blas64.General) blas64.General {
	a, mix := matrix.New(m.Rows, m.Cols), normalBlock(m.Cols, m.Cols, 99, level)
	simd.Gemm('N', 'N', 1, m, mix, 0, a)
	return a
}

// level is the exponent of blocks whose columns all have magnitude 1.
func level(int) float64 { return 0 }

// Results do not show which algorithm produced them, so the internal functions are tested directly.
// They run on every path, also in plain Go, where QR does not use them.
func TestCholeskyConverges(t *testing.T) {
	const n = 20
	steep := func(j int) float64 { return -13 * float64(j) / (n - 1) }
	scaled := func(j int) float64 { return float64(j%7)*40 - 120 }
	deficient := func(j int) float64 { return -40 * float64(j) / (n - 1) }
	zero := normalBlock(600, n, 5, level)
	for i := range zero.Rows {
		matrix.Row(zero, i)[3] = 0
	}
	tests := []struct {
		name         string
		block        blas64.General
		begin, whole bool // rounds converge without a previous factor, over all rows, and through append
	}{
		{"normal", normalBlock(600, n, 1, level), true, true},
		{"scaled columns", normalBlock(600, n, 2, scaled), true, true},
		{"condition 1e13", mixed(normalBlock(600, n, 3, steep)), true, true},
		{"rank deficient", mixed(normalBlock(600, n, 4, deficient)), false, true},
		{"zero column", zero, false, false},
		{"short", normalBlock(40, n, 6, level), true, true},
	}
	for _, p := range simd.Available() {
		restore := simd.Use(p)
		for _, test := range tests {
			var s scratch
			s.cholesky.reset(n)
			if ok, finite := s.cholesky.factorGram(test.block, matrix.New(0, n)); ok != test.begin || !finite {
				t.Errorf("%v, %s: from nothing %v, want %v", p, test.name, ok, test.begin)
			}
			if ok := s.append(test.block, triangle{cols: n}); ok != test.whole {
				t.Errorf("%v, %s: at the start %v, want %v", p, test.name, ok, test.whole)
				continue
			}
			if !test.whole {
				continue
			}
			var r triangle
			r.cols = n
			r.resize(n)
			for i := range n {
				copy(r.tail(i), s.cholesky.p.Row(i)[i:])
			}
			for _, factor := range []float64{1e-3, 1, 100} {
				next := matrix.Clone(test.block)
				blas64.Scal(factor, blas64.Vector{N: len(next.Data), Inc: 1, Data: next.Data})
				if ok := s.append(next, r); ok != (test.begin || factor <= 1) { // growing noise is not in the previous factor
					t.Errorf("%v, %s: update by %g times the block: %v", p, test.name, factor, ok)
				}
			}
		}
		restore()
	}
}

// The factor has UᵀU = A and zeros below the diagonal.
func TestFactorise(t *testing.T) {
	for _, p := range simd.Available() {
		restore := simd.Use(p)
		for _, n := range []int{1, 2, 7, 8, 9, 24, 50} {
			x := normalBlock(2*n, n, uint64(n), level)
			var g, u simd.Padded
			g.Reset(n, n)
			u.Reset(n, n)
			for i := range n {
				g.SetRow(i, i, gramRow(x, i))
				u.SetRow(i, i, gramRow(x, i))
			}
			if !factorise(&u) {
				t.Fatalf("%v: a definite matrix of %d was refused", p, n)
			}
			checkSquare(t, &g, &u)
			g.Row(n - 1)[n-1] -= 2 * g.Row(n - 1)[n-1]
			if factorise(&g) {
				t.Errorf("%v: an indefinite matrix of %d was taken", p, n)
			}
		}
		restore()
	}
}

// gramRow returns row i of XᵀX, from the diagonal on.
func gramRow(x blas64.General, i int) []float64 {
	sums := make([]float64, x.Cols-i)
	for k := range x.Rows {
		matrix.Axpy(matrix.Row(x, k)[i], matrix.Row(x, k)[i:], sums)
	}
	return sums
}

// checkSquare compares UᵀU with g up to rounding.
func checkSquare(t *testing.T, g, u *simd.Padded) {
	t.Helper()
	n := g.Rows()
	for i := range n {
		for j := range n {
			sum := 0.0
			for k := range n {
				sum += u.Row(k)[i] * u.Row(k)[j]
			}
			if want := g.Row(min(i, j))[max(i, j)]; math.Abs(sum-want) > 1e-13*float64(n) {
				t.Errorf("n = %d: UᵀU is %v at (%d, %d), want %v", n, sum, i, j, want)
			}
			if i > j && u.Row(i)[j] != 0 {
				t.Errorf("n = %d: U holds %v at (%d, %d)", n, u.Row(i)[j], i, j)
			}
		}
	}
}

func TestMultiplyUpper(t *testing.T) {
	for _, p := range simd.Available() {
		restore := simd.Use(p)
		for _, n := range []int{1, 8, 23, 24, 25, 49, 80} {
			var u, q, dst simd.Padded
			for m, seed := range map[*simd.Padded]uint64{&u: 0, &q: 1, &dst: 1} {
				m.Reset(n, n)
				x := normalBlock(n, n, seed, level)
				for i := range n {
					m.SetRow(i, i, matrix.Row(x, i)[i:])
				}
			}
			multiplyUpper(&dst, &u)
			for i := range n {
				for j := range n {
					sum := 0.0
					for k := range n {
						sum += u.Row(i)[k] * q.Row(k)[j]
					}
					if got := dst.Row(i)[j]; math.Abs(got-sum) > 1e-13*float64(n) || i > j && got != 0 {
						t.Errorf("%v, n = %d: %v at (%d, %d), want %v", p, n, got, i, j, sum)
					}
				}
			}
		}
		restore()
	}
}

// Chunks consist of whole groups of rows and stay within the memory limit.
func TestChunkRows(t *testing.T) {
	for _, cols := range []int{1, 20, 50, 200, 500, 800, 1600, 5000, 50000} {
		n := chunkRows(cols)
		if n%8 != 0 || n < 64 || n > 64 && n*cols*8 > wideChunkBytes {
			t.Errorf("%d rows of %d columns", n, cols)
		}
		if cols >= 500 && cols <= 1000 && n != wideChunk {
			t.Errorf("%d rows of %d columns, want %d: most of the time would go into the Gram matrix", n, cols, wideChunk)
		}
	}
}
