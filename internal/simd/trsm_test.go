package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// triangles are upper triangular matrices, some of them ill-conditioned.
var triangles = map[string]func(rng *rand.Rand, n int) blas64.General{
	"well conditioned": randomTriangle,
	"random": func(rng *rand.Rand, n int) blas64.General { // condition 2^n
		return upperOf(randomMatrix(rng, n, n, 1))
	},
	"graded columns": func(rng *rand.Rand, n int) blas64.General {
		return scaledTriangle(rng, n, func(i, j int) int { return (j*37)%97*8 - 400 })
	},
	"graded rows": func(rng *rand.Rand, n int) blas64.General { // as of a matrix of low rank
		return scaledTriangle(rng, n, func(i, j int) int { return -3 * i })
	},
	"rising rows": func(rng *rand.Rand, n int) blas64.General {
		return scaledTriangle(rng, n, func(i, j int) int { return 2 * i })
	},
	// |D||V||D| is about δ⁻² here, so inverses of its triangles are no good.
	"cascade": func(rng *rand.Rand, n int) blas64.General {
		r := randomTriangle(rng, n)
		for i := range n {
			clear(matrix.Row(r, i))
			matrix.Row(r, i)[i] = 1
			if i%3 < 2 {
				matrix.Row(r, i)[i] = 1e-6
				if i+1 < n {
					matrix.Row(r, i)[i+1] = 1 + rng.Float64()
				}
			}
		}
		return r
	},
}

// randomTriangle returns a well-conditioned triangle.
func randomTriangle(rng *rand.Rand, n int) blas64.General {
	r := upperOf(randomMatrix(rng, n, n, 2))
	for i := range n {
		for j := range matrix.Row(r, i) {
			matrix.Row(r, i)[j] /= float64(n)
		}
		matrix.Row(r, i)[i] = 1 + rng.Float64()
	}
	return r
}

// upperOf clears the part below the diagonal of r, and makes the diagonal positive.
func upperOf(r blas64.General) blas64.General {
	for i := range r.Rows {
		clear(matrix.Row(r, i)[:i])
		matrix.Row(r, i)[i] = math.Abs(matrix.Row(r, i)[i]) + 0.1
	}
	return r
}

func scaledTriangle(rng *rand.Rand, n int, exponent func(i, j int) int) blas64.General {
	r := randomTriangle(rng, n)
	for i := range n {
		for j := range n {
			matrix.Row(r, i)[j] = math.Ldexp(matrix.Row(r, i)[j], exponent(i, j))
		}
	}
	return r
}

// The residual of each row is within a small multiple of ε·‖w‖ times the norm of each column of R, however
// ill-conditioned R is (Higham 2002, §8.1).
func TestSolveIsBackwardStable(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	everyPath(t, func(t *testing.T) {
		var s UpperSolver
		for name, triangle := range triangles {
			for _, n := range []int{1, 2, 7, 8, 9, 23, 24, 25, 32, 50, 73} {
				for _, rows := range []int{0, 1, 5, 8, 67} {
					r, y := triangle(rng, n), randomMatrix(rng, rows, n, 1)
					if name == "graded columns" {
						for i := range rows {
							for j := range n {
								matrix.Row(y, i)[j] = math.Ldexp(matrix.Row(y, i)[j], (j*37)%97*8-400)
							}
						}
					}
					pr, w := paddedOf(r), paddedOf(y)
					if !s.Prepare(pr) {
						t.Fatalf("%s of %d was refused", name, n)
					}
					s.Solve(w)
					checkBehind(t, w, rows)
					checkSolution(t, fmt.Sprintf("%s, %d rows of %d", name, rows, n), w, r, y)
				}
			}
		}
	})
}

// checkSolution bounds the residuals, computed in twice the precision. Columns with extreme magnitudes are scaled
// first.
func checkSolution(t *testing.T, what string, w *Padded, r, y blas64.General) {
	t.Helper()
	const eps = 0x1p-52
	for j := range r.Cols {
		norm := 0.0
		for k := range j + 1 {
			norm = math.Hypot(norm, matrix.Row(r, k)[j])
		}
		for i := range y.Rows {
			length, d := 0.0, twofold{sum: -matrix.Row(y, i)[j] / norm}
			for k, v := range w.Row(i)[:j+1] {
				length = math.Hypot(length, v)
				d.add(v, matrix.Row(r, k)[j]/norm)
			}
			if e := math.Abs(d.sum + d.rest); !(e <= 40*eps*length) {
				t.Fatalf("%s: residual %.3g·ε in row %d, column %d", what, e/length/eps, i, j)
			}
		}
	}
}

// twofold accumulates a sum of products in twice the working precision.
type twofold struct{ sum, rest float64 }

func (f *twofold) add(a, b float64) {
	p := a * b
	s := f.sum + p
	t := s - f.sum
	f.rest += (f.sum - (s - t)) + (p - t) + math.FMA(a, b, -p)
	f.sum = s
}

// An unstable triangle is solved by substitution, and a merely graded one by inverses of blocks.
func TestSolveChoosesSubstitution(t *testing.T) {
	if active == Go {
		t.Skip("plain Go knows substitution only: needs a vector path, and no -tags noasm")
	}
	rng := rand.New(rand.NewPCG(13, 1))
	for name, want := range map[string]bool{"well conditioned": false, "graded columns": false, "graded rows": false, "cascade": true} {
		var s UpperSolver
		s.Prepare(paddedOf(triangles[name](rng, 24)))
		for g, direct := range s.direct {
			if direct != want {
				t.Errorf("%s: group %d by substitution: %v", name, g, direct)
			}
		}
	}
}

func TestPrepareRefuses(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	everyPath(t, func(t *testing.T) {
		for _, bad := range []float64{0, math.Copysign(0, -1), -1, 0x1p-1001, 0x1p1001, math.Inf(1), math.NaN()} {
			r := randomTriangle(rng, 19)
			matrix.Row(r, 11)[11] = bad
			if new(UpperSolver).Prepare(paddedOf(r)) {
				t.Errorf("a diagonal entry of %g was taken", bad)
			}
		}
	})
}

// A row with NaN or infinity gives such a solution, and affects no other row.
func TestSolveKeepsNonFiniteRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 1))
	everyPath(t, func(t *testing.T) {
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			for j := range 19 {
				var s UpperSolver
				y := randomMatrix(rng, 30, 19, 0)
				matrix.Row(y, 13)[j] = bad
				w := paddedOf(y)
				s.Prepare(paddedOf(randomTriangle(rng, 19)))
				s.Solve(w)
				for i := range 30 {
					finite := true
					for _, v := range w.Row(i) {
						finite = finite && !overflowed(v)
					}
					if finite != (i != 13) || i == 13 && !overflowed(w.Row(i)[j]) {
						t.Errorf("%g in row 13, column %d: row %d is %v", bad, j, i, w.Row(i))
					}
				}
			}
		}
	})
}

// A solver may be reused for a smaller triangle.
func TestPrepareAgain(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 1))
	everyPath(t, func(t *testing.T) {
		var used UpperSolver
		for _, n := range []int{50, 9, 24, 50, 1} {
			r, y := paddedOf(triangles["random"](rng, n)), randomMatrix(rng, 20, n, 0)
			var fresh UpperSolver
			a, b := paddedOf(y), paddedOf(y)
			fresh.Prepare(r)
			fresh.Solve(a)
			used.Prepare(r)
			used.Solve(b)
			for i := range 20 {
				for j, v := range a.Row(i) {
					if v != b.Row(i)[j] {
						t.Fatalf("n = %d: [%d,%d] = %v, want %v", n, i, j, b.Row(i)[j], v)
					}
				}
			}
		}
		wrong := new(Padded)
		wrong.Reset(3, 4)
		checkPanic(t, "width", func() { used.Solve(wrong) })
		checkPanic(t, "triangle", func() { used.Prepare(wrong) })
	})
}

func TestSolveDoesNotAllocate(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 1))
	var s UpperSolver
	r, w, g := paddedOf(randomTriangle(rng, 50)), paddedOf(randomMatrix(rng, 60, 50, 0)), new(Padded)
	s.Prepare(r)
	g.Reset(50, 50)
	if n := testing.AllocsPerRun(10, func() { s.Prepare(r); s.Solve(w); Gram(g, w, true) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzSolve checks the residual for triangles of any grading.
func FuzzSolve(f *testing.F) {
	f.Add(uint64(1), uint8(50), uint8(20), uint8(0), uint8(0))
	f.Add(uint64(2), uint8(25), uint8(7), uint8(10), uint8(30))
	f.Add(uint64(3), uint8(9), uint8(64), uint8(3), uint8(90))
	f.Fuzz(func(t *testing.T, seed uint64, cols, rows, grade, density uint8) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := int(cols)%80 + 1
		r, y := upperOf(randomMatrix(rng, n, n, 0)), randomMatrix(rng, int(rows), n, 0)
		for i := range n {
			e := int(rng.NormFloat64() * float64(grade%32) / 4)
			for j := i; j < n; j++ {
				matrix.Row(r, i)[j] = math.Ldexp(matrix.Row(r, i)[j], e)
				if j > i && rng.IntN(100) < int(density) {
					matrix.Row(r, i)[j] = 0
				}
			}
		}
		for _, p := range Available() {
			restore := Use(p)
			var s UpperSolver
			w := paddedOf(y)
			ok := s.Prepare(paddedOf(r))
			if ok {
				s.Solve(w)
			}
			restore()
			if ok && finiteRows(w) {
				checkSolution(t, fmt.Sprintf("%v, seed %d", p, seed), w, r, y)
			}
		}
	})
}

// finiteRows reports whether the solution is far from overflow.
func finiteRows(w *Padded) bool {
	for i := range w.rows {
		for _, v := range w.Row(i) {
			if !(math.Abs(v) < 1e150) {
				return false
			}
		}
	}
	return true
}
