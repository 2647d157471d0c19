package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// gemmGuard is the value around C, which a product must not overwrite.
const gemmGuard = -98765.4321

// A gemmCase is a product with all its options.
type gemmCase struct {
	m, k, n     int
	ta, tb      blas.Transpose
	alpha, beta float64
	pad         int
	seed        uint64
	nasty       bool
}

func (g gemmCase) String() string {
	return fmt.Sprintf("%dx%dx%d %c%c alpha=%v beta=%v pad=%d nasty=%v", g.m, g.k, g.n, g.ta, g.tb, g.alpha, g.beta, g.pad, g.nasty)
}

// operands returns A, B and C. B and C have guards between rows and after the last.
func (g gemmCase) operands() (a, b, c blas64.General) {
	rng := rand.New(rand.NewPCG(g.seed, 5))
	a, b = storedFor(rng, g.ta, g.m, g.k, g.pad), storedFor(rng, g.tb, g.k, g.n, g.pad)
	c = randomMatrix(rng, g.m, g.n, g.pad)
	if g.nasty {
		spoil(rng, a)
		spoil(rng, b)
		spoil(rng, c)
	}
	return fence(a, math.NaN()), fence(b, math.NaN()), fence(c, gemmGuard)
}

// spoil puts NaN, infinities and other special values in a few places.
func spoil(rng *rand.Rand, m blas64.General) {
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, -1e-310, 1e308, -math.MaxFloat64}
	for _, v := range special {
		if m.Rows > 0 && m.Cols > 0 {
			matrix.Row(m, rng.IntN(m.Rows))[rng.IntN(m.Cols)] = v
		}
	}
}

// fence returns a copy of m with v in all places around its rows.
func fence(m blas64.General, v float64) blas64.General {
	const before, after = 3, 17
	all := make([]float64, before+len(m.Data)+after)
	for i := range all {
		all[i] = v
	}
	f := m
	f.Data = all[before : before+len(m.Data)]
	for i := range m.Rows {
		copy(matrix.Row(f, i), matrix.Row(m, i))
	}
	return f
}

// at returns entry i, k of op(m).
func at(t blas.Transpose, m blas64.General, i, k int) float64 {
	if t != blas.NoTrans {
		i, k = k, i
	}
	return m.Data[i*m.Stride+k]
}

// chain returns the documented value of an entry: the sum in order of k, in the arithmetic of the path.
func (g gemmCase) chain(a, b blas64.General, c float64, i, j int) float64 {
	s := c
	switch {
	case g.beta == 0:
		s = 0
	case g.beta != 1:
		s *= g.beta
	}
	if g.alpha == 0 {
		return s
	}
	for k := range g.k {
		x, y := g.alpha*at(g.ta, a, i, k), at(g.tb, b, k, j)
		if Active() == Go {
			s += float64(x * y)
		} else {
			s = math.FMA(x, y, s)
		}
	}
	return s
}

// check compares the product with chain to the bit, and checks the guards.
func (g gemmCase) check(t *testing.T, threads int) {
	t.Helper()
	a, b, c := g.operands()
	got := fence(c, gemmGuard)
	product := gemm{alpha: g.alpha, beta: g.beta, a: operandOf("A", g.ta, a),
		b: operandOf("B", g.tb, b), c: operandOf("C", blas.NoTrans, got)}
	if threads > 1 && g.m*g.k*g.n > 0 {
		product.divide(threads)
	} else {
		Gemm(g.ta, g.tb, g.alpha, a, b, g.beta, got)
	}
	for i := range g.m {
		for j, v := range matrix.Row(got, i) {
			if want := g.chain(a, b, matrix.Row(c, i)[j], i, j); !sameBits(v, want) {
				t.Fatalf("%v %v, %d threads: [%d,%d] = %v, want %v", Active(), g, threads, i, j, v, want)
			}
		}
	}
	checkFence(t, got, gemmGuard)
}

// sameBits reports whether two numbers are equal bit for bit; all NaNs are equal.
func sameBits(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}

// checkFence fails if a number around the rows of m was changed.
func checkFence(t *testing.T, m blas64.General, v float64) {
	t.Helper()
	for i := range m.Rows {
		clearTo(matrix.Row(m, i), v)
	}
	for i, got := range m.Data[:cap(m.Data)] {
		if got != v {
			t.Fatalf("guard at %d of %d×%d with stride %d became %v", i, m.Rows, m.Cols, m.Stride, got)
		}
	}
}

// clearTo fills s with v.
func clearTo(s []float64, v float64) {
	for i := range s {
		s[i] = v
	}
}

// onEveryPath runs f as a subtest on each path of this machine.
func onEveryPath(t *testing.T, f func(t *testing.T)) {
	for _, p := range Available() {
		t.Run(p.String(), func(t *testing.T) {
			defer Use(p)()
			f(t)
		})
	}
}

var transposes = []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans}

// Products have the documented bits for all shapes, transpositions and factors.
func TestGemmIsTheChain(t *testing.T) {
	sizes := []int{0, 1, 2, 7, 8, 9, 17, 24, 25, 33}
	factors := []float64{1, 0, -1, 0.3, math.NaN(), math.Inf(1)}
	onEveryPath(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(7, 7))
		for n := range 1500 {
			pick := func(v []float64) float64 { return v[rng.IntN(len(v))] }
			gemmCase{m: sizes[rng.IntN(len(sizes))], k: sizes[rng.IntN(len(sizes))], n: sizes[rng.IntN(len(sizes))],
				ta: transposes[rng.IntN(3)], tb: transposes[rng.IntN(3)],
				alpha: pick(factors), beta: pick(factors), pad: rng.IntN(4), seed: uint64(n), nasty: n%3 == 0}.check(t, 1+n%4)
		}
	})
}

// Products with more rows than a strip, and more columns and steps than a panel, have the documented bits.
func TestGemmOverManyBlocks(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		for i, s := range [][3]int{{70, 300, 401}, {3, 1100, 30}, {200, 513, 9}, {65, 257, 64}} {
			for _, ta := range transposes[:2] {
				for _, tb := range transposes[:2] {
					for threads := 1; threads <= 3; threads += 2 {
						gemmCase{m: s[0], k: s[1], n: s[2], ta: ta, tb: tb, alpha: []float64{1, -0.7}[i%2], beta: []float64{0, 1, 2}[i%3], pad: i % 3, seed: 1}.check(t, threads)
					}
				}
			}
		}
	})
}

func FuzzGemm(f *testing.F) {
	f.Add(uint64(1), uint8(9), uint16(300), uint8(50), 1.0, 0.0, uint8(0))
	f.Add(uint64(2), uint8(70), uint16(1), uint8(8), -1.0, 1.0, uint8(255))
	f.Fuzz(func(t *testing.T, seed uint64, m uint8, k uint16, n uint8, alpha, beta float64, options uint8) {
		o := int(options)
		g := gemmCase{m: int(m) % 100, k: int(k) % 600, n: int(n), ta: transposes[o%3], tb: transposes[o/3%3],
			alpha: alpha, beta: beta, pad: o / 9 % 5, seed: seed, nasty: o&128 != 0}
		for _, p := range Available() {
			restore := Use(p)
			g.check(t, 1+o/64%2)
			restore()
		}
	})
}

// The error is within the rounding of k products and sums.
func TestGemmResidual(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		for _, s := range [][3]int{{40, 700, 33}, {17, 50, 200}} {
			g := gemmCase{m: s[0], k: s[1], n: s[2], ta: blas.Trans, tb: blas.NoTrans, alpha: 0.5, beta: 2, pad: 1, seed: 3}
			a, b, c := g.operands()
			got, want, size := fence(c, 0), fence(c, 0), fence(c, 0)
			Gemm(g.ta, g.tb, g.alpha, a, b, g.beta, got)
			g.backwards(a, b, want, size)
			for i := range g.m {
				for j, w := range matrix.Row(want, i) {
					bound := float64(g.k+3) * matrix.Row(size, i)[j]
					if e := math.Abs(matrix.Row(got, i)[j] - w); !(e <= bound*0x1p-52) {
						t.Fatalf("%v: [%d,%d] is off by %g, the bound is %g", g, i, j, e, bound*0x1p-52)
					}
				}
			}
		}
	})
}

// backwards computes the product from its last term to the first, and the sums of magnitudes in size.
func (g gemmCase) backwards(a, b, c, size blas64.General) {
	for i := range g.m {
		for j := range g.n {
			s, magnitude := 0.0, math.Abs(g.beta*matrix.Row(c, i)[j])
			for k := g.k - 1; k >= 0; k-- {
				v := at(g.ta, a, i, k) * at(g.tb, b, k, j)
				s += v
				magnitude += math.Abs(g.alpha * v)
			}
			matrix.Row(c, i)[j] = g.beta*matrix.Row(c, i)[j] + g.alpha*s
			matrix.Row(size, i)[j] = magnitude
		}
	}
}

// Reading whole groups of a row never leaves its slice, and copies a row only if necessary.
func TestStepsInPlace(t *testing.T) {
	for cols := 1; cols < 20; cols++ {
		for stride := cols; stride < cols+20; stride++ {
			for length := cols; length < 80; length++ {
				b := operand{cols: cols, row: stride, col: 1, data: make([]float64, length)}
				steps, read := b.stepsInPlace(), (cols+7)/8*8
				if steps > 0 && (steps-1)*stride+read > length || steps*stride+read <= length {
					t.Fatalf("%d columns with stride %d in %d elements: %d steps", cols, stride, length, steps)
				}
			}
		}
	}
}

func TestGemmMisuse(t *testing.T) {
	m := func(rows, cols, stride, length int) blas64.General {
		return blas64.General{Rows: rows, Cols: cols, Stride: stride, Data: make([]float64, length)}
	}
	good := m(2, 2, 2, 4)
	calls := map[string]func(){
		"inner":     func() { Gemm(blas.NoTrans, blas.NoTrans, 1, good, m(3, 2, 2, 6), 0, good) },
		"rows":      func() { Gemm(blas.NoTrans, blas.NoTrans, 1, good, good, 0, m(3, 2, 2, 6)) },
		"columns":   func() { Gemm(blas.NoTrans, blas.NoTrans, 1, good, good, 0, m(2, 3, 3, 6)) },
		"stride":    func() { Gemm(blas.NoTrans, blas.NoTrans, 1, good, good, 0, m(2, 2, 1, 4)) },
		"short":     func() { Gemm(blas.NoTrans, blas.NoTrans, 1, good, good, 0, m(2, 2, 2, 3)) },
		"negative":  func() { Gemm(blas.NoTrans, blas.NoTrans, 1, m(-2, 2, 2, 4), good, 0, good) },
		"transpose": func() { Gemm('X', blas.NoTrans, 1, good, good, 0, good) },
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			call()
		})
	}
}

// poolsForget reports that a sync.Pool may allocate at any time.
var poolsForget bool

// A product allocates nothing after the first.
func TestGemmAllocatesNothing(t *testing.T) {
	if poolsForget {
		t.Skip("under the race detector buffers come from a pool that forgets: run without -race")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	a, b, c := randomMatrix(rng, 70, 50, 0), randomMatrix(rng, 50, 50, 0), randomMatrix(rng, 70, 50, 0)
	if n := testing.AllocsPerRun(50, func() { Gemm(blas.NoTrans, blas.NoTrans, -1, a, b, 1, c) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
