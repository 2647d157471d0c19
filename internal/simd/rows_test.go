package simd

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// rowsCase is a matrix surrounded by NaN, a vector for each side, and the vectors to which products are added.
type rowsCase struct {
	a          blas64.General
	x, t, y, d []float64
}

// randomRows returns a random case with a random stride.
func randomRows(rng *rand.Rand, rows, cols int) rowsCase {
	stride := cols + rng.IntN(5)
	c := rowsCase{a: blas64.General{Rows: rows, Cols: cols, Stride: stride, Data: make([]float64, rows*stride)}}
	for i := range c.a.Data {
		c.a.Data[i] = math.NaN()
		if i%max(stride, 1) < cols {
			c.a.Data[i] = rng.NormFloat64()
		}
	}
	numbers := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		return v
	}
	c.x, c.y, c.t, c.d = numbers(cols), numbers(cols), numbers(rows), numbers(rows)
	return c
}

// laneSum is the sum of products in eight lanes.
func laneSum(a, x []float64) float64 {
	var s [8]float64
	for j, v := range a {
		s[j%8] = multiplyAdd(v, x[j], s[j%8])
	}
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

func (c rowsCase) row(i int) []float64 { return matrix.Row(c.a, i) }

// check compares AddDots and AddRows with plain loops, bit for bit.
func (c rowsCase) check(t *testing.T) {
	t.Helper()
	const alpha = -1.5
	dots, y := append([]float64(nil), c.d...), append([]float64(nil), c.y...)
	for i := range dots {
		dots[i] += float64(alpha * laneSum(c.row(i), c.x))
		for j, v := range c.row(i) {
			y[j] = multiplyAdd(v, c.t[i], y[j])
		}
	}
	AddDots(c.d, alpha, c.a, c.x)
	AddRows(c.y, c.a, c.t)
	for i, want := range dots {
		if math.Float64bits(c.d[i]) != math.Float64bits(want) {
			t.Fatalf("%v, %d×%d: product with row %d is %v, want %v", active, c.a.Rows, c.a.Cols, i, c.d[i], want)
		}
	}
	for j, want := range y {
		if math.Float64bits(c.y[j]) != math.Float64bits(want) {
			t.Fatalf("%v, %d×%d: column %d is %v, want %v", active, c.a.Rows, c.a.Cols, j, c.y[j], want)
		}
	}
}

// checkSymmetric compares AddSymmetric with its reference and with the product of the full matrix, bit for bit.
func (c rowsCase) checkSymmetric(t *testing.T, upper bool) {
	t.Helper()
	n := c.a.Rows
	want := append([]float64(nil), c.y...)
	for i := range n {
		for j := range n {
			if upper == (j >= i) || i == j {
				want[i] += c.a.Data[i*c.a.Stride+j] * c.x[j]
				if i != j {
					want[j] += c.a.Data[i*c.a.Stride+j] * c.x[i]
				}
			} else {
				c.a.Data[i*c.a.Stride+j] = math.NaN()
			}
		}
	}
	plain := append([]float64(nil), c.y...)
	symmetricReference(plain, upper, c.a, c.x)
	AddSymmetric(c.y, upper, c.a, c.x)
	for i, w := range want {
		if !(math.Abs(c.y[i]-w) <= 1e-13*float64(n+8)) || math.Float64bits(c.y[i]) != math.Float64bits(plain[i]) {
			t.Fatalf("%v, n = %d, upper %v: row %d is %v, by loops %v, by the reference %v", active, n, upper, i, c.y[i], w, plain[i])
		}
	}
}

// symmetricReference computes AddSymmetric one number at a time.
func symmetricReference(y []float64, upper bool, a blas64.General, x []float64) {
	n := len(x)
	for i := 0; i < n; {
		end := i + rowsTogether(n-i)
		addDiagonal(y[i:end], upper, a.Data[i*a.Stride+i:], a.Stride, x[i:end])
		from, to := 0, i
		if upper {
			from, to = end, n
		}
		for r := i; r < end && from < to; r++ {
			row := a.Data[r*a.Stride:][from:to]
			for j, v := range row {
				y[from+j] = multiplyAdd(v, x[r], y[from+j])
			}
			y[r] += laneSum(row, x[from:to])
		}
		i = end
	}
}

func onEachPath(t *testing.T, f func()) {
	t.Helper()
	for _, p := range Available() {
		func() {
			defer Use(p)()
			f()
		}()
	}
}

func TestRowsAgreeWithLoops(t *testing.T) {
	onEachPath(t, func() {
		for seed := range uint64(150) {
			rng := rand.New(rand.NewPCG(seed, 1))
			n := rng.IntN(45)
			randomRows(rng, rng.IntN(14), rng.IntN(60)).check(t)
			randomRows(rng, n, n).checkSymmetric(t, seed%2 == 0)
		}
		rng := rand.New(rand.NewPCG(1, 2)) // several calls of the assembly
		randomRows(rng, 6, 2*valuesAtATime+13).check(t)
	})
}

// All vector paths give the same bits.
func TestRowsOnVectorPathsAgree(t *testing.T) {
	var want []float64
	onEachPath(t, func() {
		if active == Go {
			return
		}
		c := randomRows(rand.New(rand.NewPCG(3, 3)), 61, 61)
		AddDots(c.d, 2, c.a, c.x)
		AddRows(c.y, c.a, c.t)
		AddSymmetric(c.y, true, c.a, c.x)
		AddSymmetric(c.y, false, c.a, c.t)
		got := append(c.d, c.y...)
		for i, w := range want {
			if math.Float64bits(got[i]) != math.Float64bits(w) {
				t.Fatalf("%v: number %d is %v, want %v", active, i, got[i], w)
			}
		}
		want = got
	})
}

func FuzzRows(f *testing.F) {
	f.Add(uint64(1), uint16(9), uint16(100))
	f.Add(uint64(2), uint16(4), uint16(8))
	f.Fuzz(func(t *testing.T, seed uint64, rows, cols uint16) {
		for _, p := range Available() {
			func() {
				defer Use(p)()
				rng := rand.New(rand.NewPCG(seed, 5))
				randomRows(rng, int(rows%40), int(cols%300)).check(t)
				randomRows(rng, int(cols%100), int(cols%100)).checkSymmetric(t, rows%2 == 0)
			}()
		}
	})
}
