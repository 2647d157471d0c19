package nyblas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/blas/testblas"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
)

// onEveryPath runs f on every arithmetic path of the machine.
func onEveryPath(t *testing.T, f func(t *testing.T)) {
	for _, p := range simd.Available() {
		t.Run(p.String(), func(t *testing.T) {
			defer simd.Use(p)()
			f(t)
		})
	}
}

// onKernel runs f with every operation on our kernels, except for argument checks.
func onKernel(f func()) {
	smallWork = 0
	defer func() { smallWork = leastWork }()
	f()
}

// TestConformance runs gonum's own tests, once as they are and, since their matrices are small, once with every routine
// on our kernels.
func TestConformance(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		for _, p := range []Implementation{{}, {Threads: 1}, {Threads: 3}} {
			conform(t, p)
			onKernel(func() { conform(t, p) })
		}
	})
}

// conform runs gonum's tests of level 3, Dgemv and Dsymv.
func conform(t *testing.T, p Implementation) {
	testblas.TestDgemm(t, p)
	testblas.DsyrkTest(t, p)
	testblas.Dsyr2kTest(t, p)
	testblas.DtrmmTest(t, p)
	testblas.DtrsmTest(t, p)
	testblas.DsymvTest(t, p)
	testblas.DgemvTest(t, p)
}

var (
	sides      = []blas.Side{blas.Left, blas.Right}
	triangles  = []blas.Uplo{blas.Upper, blas.Lower}
	transposes = []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans}
	diagonals  = []blas.Diag{blas.NonUnit, blas.Unit}
	factors    = []float64{1, -1, 0.5, 0, -3}
)

// arguments holds the arguments of any routine. Each routine uses some of them.
type arguments struct {
	s           blas.Side
	ul          blas.Uplo
	ta, tb      blas.Transpose
	d           blas.Diag
	m, n, k     int
	alpha, beta float64
	pad         int
	a, b, c     blas64.General
}

// String returns the options and sizes.
func (x arguments) String() string {
	return fmt.Sprintf("%c %c %c%c %c %d %d %d alpha=%v beta=%v", x.s, x.ul, x.ta, x.tb, x.d, x.m, x.n, x.k, x.alpha, x.beta)
}

// pick returns a random element.
func pick[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }

// randomArguments draws options, and sizes up to most.
func randomArguments(rng *rand.Rand, most int) arguments {
	return arguments{pick(rng, sides), pick(rng, triangles), pick(rng, transposes), pick(rng, transposes), pick(rng, diagonals),
		rng.IntN(most), rng.IntN(most), rng.IntN(most), pick(rng, factors), pick(rng, factors), rng.IntN(4),
		blas64.General{}, blas64.General{}, blas64.General{}}
}

// guard fills places that must not be written, and NaN those that must not be read.
const guard = -54321.125

// random returns a random matrix with fill between its rows and after them.
func random(rng *rand.Rand, rows, cols, pad int, fill float64) blas64.General {
	stride := max(1, cols+pad)
	m := view(rows, cols, make([]float64, rows*stride+pad), stride)
	for i := range m.Data {
		m.Data[i] = fill
	}
	for i := range rows {
		for j := range cols {
			m.Data[i*m.Stride+j] = rng.NormFloat64()
		}
	}
	return m
}

// oneTriangle writes fill to the other triangle, and makes the diagonal dominant for solving.
func oneTriangle(m blas64.General, ul blas.Uplo, fill float64) blas64.General {
	for i := range m.Rows {
		m.Data[i*m.Stride+i] += math.Copysign(4+math.Sqrt(float64(m.Rows)), m.Data[i*m.Stride+i])
		for j := range m.Cols {
			if j < i && ul == blas.Upper || j > i && ul == blas.Lower {
				m.Data[i*m.Stride+j] = fill
			}
		}
	}
	return m
}

// storedRandom returns a random matrix that is rows×cols under t.
func (x *arguments) storedRandom(rng *rand.Rand, t blas.Transpose, rows, cols int) blas64.General {
	rows, cols = stored(t, rows, cols)
	return random(rng, rows, cols, x.pad, math.NaN())
}

// A routine is one of level 3, Dgemv or Dsymv: how to prepare its matrices and to call it. result is the output matrix.
type routine struct {
	name    string
	prepare func(x *arguments, rng *rand.Rand)
	call    func(p level3, x arguments)
	result  func(x *arguments) *blas64.General
}

type level3 interface {
	blas.Float64Level3
	Dgemv(tA blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int)
	Dsymv(ul blas.Uplo, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int)
}

// resultB returns B as the result.
func resultB(x *arguments) *blas64.General { return &x.b }

// resultC returns C as the result.
func resultC(x *arguments) *blas64.General { return &x.c }

// prepareTriangle draws a triangle A and a matrix B.
func prepareTriangle(x *arguments, rng *rand.Rand) {
	k := order(x.s, x.m, x.n)
	x.a = oneTriangle(random(rng, k, k, x.pad, math.NaN()), x.ul, math.NaN())
	if x.d == blas.Unit { // else the solution may overflow
		for i := range x.a.Data {
			x.a.Data[i] /= float64(8 + k)
		}
	}
	x.b = random(rng, x.m, x.n, x.pad, guard)
}

var routines = []routine{
	{"Dgemm", func(x *arguments, rng *rand.Rand) {
		x.a, x.b = x.storedRandom(rng, x.ta, x.m, x.k), x.storedRandom(rng, x.tb, x.k, x.n)
		x.c = random(rng, x.m, x.n, x.pad, guard)
	}, func(p level3, x arguments) {
		p.Dgemm(x.ta, x.tb, x.m, x.n, x.k, x.alpha, x.a.Data, x.a.Stride, x.b.Data, x.b.Stride, x.beta, x.c.Data, x.c.Stride)
	}, resultC},
	{"Dsyrk", func(x *arguments, rng *rand.Rand) {
		x.a = x.storedRandom(rng, x.ta, x.n, x.k)
		x.c = oneTriangle(random(rng, x.n, x.n, x.pad, guard), x.ul, guard)
	}, func(p level3, x arguments) {
		p.Dsyrk(x.ul, x.ta, x.n, x.k, x.alpha, x.a.Data, x.a.Stride, x.beta, x.c.Data, x.c.Stride)
	}, resultC},
	{"Dsyr2k", func(x *arguments, rng *rand.Rand) {
		x.a, x.b = x.storedRandom(rng, x.ta, x.n, x.k), x.storedRandom(rng, x.ta, x.n, x.k)
		x.c = oneTriangle(random(rng, x.n, x.n, x.pad, guard), x.ul, guard)
	}, func(p level3, x arguments) {
		p.Dsyr2k(x.ul, x.ta, x.n, x.k, x.alpha, x.a.Data, x.a.Stride, x.b.Data, x.b.Stride, x.beta, x.c.Data, x.c.Stride)
	}, resultC},
	{"Dtrmm", prepareTriangle, func(p level3, x arguments) {
		p.Dtrmm(x.s, x.ul, x.ta, x.d, x.m, x.n, x.alpha, x.a.Data, x.a.Stride, x.b.Data, x.b.Stride)
	}, resultB},
	{"Dtrsm", prepareTriangle, func(p level3, x arguments) {
		p.Dtrsm(x.s, x.ul, x.ta, x.d, x.m, x.n, x.alpha, x.a.Data, x.a.Stride, x.b.Data, x.b.Stride)
	}, resultB},
	{"Dsymv", func(x *arguments, rng *rand.Rand) { // vectors are matrices of one column
		x.a = oneTriangle(random(rng, x.n, x.n, x.pad, math.NaN()), x.ul, math.NaN())
		x.b, x.c = random(rng, x.n, 1, x.pad, math.NaN()), random(rng, x.n, 1, x.pad, guard)
	}, func(p level3, x arguments) {
		p.Dsymv(x.ul, x.n, x.alpha, x.a.Data, x.a.Stride, x.b.Data, x.b.Stride, x.beta, x.c.Data, x.c.Stride)
	}, resultC},
	{"Dgemv", func(x *arguments, rng *rand.Rand) {
		x.a = random(rng, x.m, x.n, x.pad, math.NaN())
		rows, cols := stored(x.ta, x.m, x.n)
		x.b, x.c = random(rng, cols, 1, x.pad, math.NaN()), random(rng, rows, 1, x.pad, guard)
	}, func(p level3, x arguments) {
		p.Dgemv(x.ta, x.m, x.n, x.alpha, x.a.Data, x.a.Stride, x.b.Data, x.b.Stride, x.beta, x.c.Data, x.c.Stride)
	}, resultC},
}

// run calls the routine on a copy of its output and returns it.
func (r routine) run(p level3, x arguments) blas64.General {
	m := r.result(&x)
	m.Data = append([]float64(nil), m.Data...)
	r.call(p, x)
	return *m
}

// repetitions returns the number of random arguments: full, or short with -short.
func repetitions(full, short int) int {
	if testing.Short() {
		return short
	}
	return full
}

// TestAgreesWithGonum compares every routine and option with gonum's plain loops, in every entry including guards.
func TestAgreesWithGonum(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		for _, r := range routines {
			t.Run(r.name, func(t *testing.T) {
				for seed := range uint64(repetitions(240, 60)) {
					rng := rand.New(rand.NewPCG(seed, 1))
					r.compare(t, rng, randomArguments(rng, []int{12, 30, 150}[seed%3]))
				}
			})
		}
	})
}

// compare runs both implementations and compares their results.
func (r routine) compare(t *testing.T, rng *rand.Rand, x arguments) {
	t.Helper()
	r.prepare(&x, rng)
	want, got := r.run(gonum.Implementation{}, x), r.run(Implementation{Threads: 1 + rng.IntN(3)}, x)
	const epsilon = 0x1p-52
	// Entries are below 6 in magnitude and sums have at most 150 terms. Solutions are no larger, since diagonals
	// dominate.
	bound := 6 * 6 * 150 * 10 * epsilon
	for i, w := range want.Data {
		if g := got.Data[i]; !(math.Abs(g-w) <= bound) && !(math.IsNaN(g) && math.IsNaN(w)) {
			t.Fatalf("%v %s %v: place %d (stride %d) = %v, want %v", simd.Active(), r.name, x, i, want.Stride, g, w)
		}
	}
}

func FuzzLevel3(f *testing.F) {
	f.Add(uint64(1), uint8(0))
	f.Add(uint64(2), uint8(5))
	f.Fuzz(func(t *testing.T, seed uint64, which uint8) {
		rng := rand.New(rand.NewPCG(seed, 9))
		routines[int(which)%len(routines)].compare(t, rng, randomArguments(rng, 120))
	})
}

// TestThreadsDoNotMatter: operations large enough to be divided have the same bits for any number of threads.
func TestThreadsDoNotMatter(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		for _, r := range routines {
			for n := range repetitions(4, 2) {
				rng := rand.New(rand.NewPCG(uint64(n), 2))
				x := randomArguments(rng, 2)
				x.m, x.n, x.k = 260, 270, 280
				r.prepare(&x, rng)
				want := r.run(Implementation{Threads: 1}, x)
				for _, threads := range []int{2, 5} {
					for i, g := range r.run(Implementation{Threads: threads}, x).Data {
						if w := want.Data[i]; math.Float64bits(g) != math.Float64bits(w) {
							t.Fatalf("%s %v, %d threads: place %d = %v, want %v", r.name, x, threads, i, g, w)
						}
					}
				}
			}
		}
	})
}

// TestPanicsAsGonum makes one argument after the other invalid.
func TestPanicsAsGonum(t *testing.T) {
	breaks := map[string]func(x *arguments){
		"nothing": func(x *arguments) {},
		"side":    func(x *arguments) { x.s = 'x' }, "uplo": func(x *arguments) { x.ul = 'x' },
		"ta": func(x *arguments) { x.ta = 'x' }, "tb": func(x *arguments) { x.tb = 'x' }, "diag": func(x *arguments) { x.d = 'x' },
		"m": func(x *arguments) { x.m = -1 }, "n": func(x *arguments) { x.n = -1 }, "k": func(x *arguments) { x.k = -1 },
		"m and n": func(x *arguments) { x.m, x.n = -30, -30 }, "n and k": func(x *arguments) { x.n, x.k = -30, -30 },
		"lda": func(x *arguments) { x.a.Stride = 3 }, "ldb": func(x *arguments) { x.b.Stride = 3 }, "ldc": func(x *arguments) { x.c.Stride = 3 },
		"a": func(x *arguments) { x.a.Data = x.a.Data[:50] }, "b": func(x *arguments) { x.b.Data = x.b.Data[:min(50, len(x.b.Data))] },
		"c": func(x *arguments) { x.c.Data = x.c.Data[:min(50, len(x.c.Data))] },
	}
	onEveryPath(t, func(t *testing.T) {
		for _, r := range routines {
			for name, spoil := range breaks {
				for _, alpha := range []float64{1, 0} {
					for _, s := range sides {
						for _, tr := range transposes {
							x := arguments{s: s, ul: blas.Lower, ta: tr, tb: tr, d: blas.NonUnit, m: 20, n: 21, k: 22, alpha: alpha, beta: 1}
							r.prepare(&x, rand.New(rand.NewPCG(1, 1)))
							spoil(&x)
							want, got := panicOf(func() { r.run(gonum.Implementation{}, x) }), panicOf(func() { r.run(Implementation{}, x) })
							if want != got {
								t.Errorf("%s %v, bad %s: panic %v, want %v", r.name, x, name, got, want)
							}
						}
					}
				}
			}
		}
	})
}

// panicOf returns the value of a panic of f, nil without one.
func panicOf(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// TestNotFinite writes an infinity and a NaN to inputs. They appear in the same entries as with gonum: all that depend
// on them and no others.
func TestNotFinite(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		for _, r := range routines {
			for seed := range uint64(repetitions(60, 15)) {
				rng := rand.New(rand.NewPCG(seed, 3))
				x := randomArguments(rng, 2)
				x.m, x.n, x.k = 40, 50, 30
				if x.alpha == 0 && r.result(&x) == &x.c {
					continue // gonum's Dgemm multiplies by alpha = 0
				}
				r.prepare(&x, rng)
				for _, v := range []float64{math.Inf(1), math.NaN()} {
					m := pick(rng, []*blas64.General{&x.a, &x.b, &x.c})
					if m.Rows > 0 {
						m.Data[rng.IntN(m.Rows)*m.Stride+rng.IntN(m.Cols)] = v
					}
				}
				want, got := r.run(gonum.Implementation{}, x), r.run(Implementation{}, x)
				for i, w := range want.Data {
					if g := got.Data[i]; kind(g) != kind(w) {
						t.Fatalf("%s %v: place %d (stride %d) = %v, want %v", r.name, x, i, want.Stride, g, w)
					}
				}
			}
		}
	})
}

// kind returns 0 for finite numbers, and different values for NaN and the infinities.
func kind(v float64) float64 {
	if matrix.IsFinite(v) {
		return 0
	}
	if math.IsNaN(v) {
		return 2
	}
	return math.Copysign(1, v)
}

// poolsForget reports that a sync.Pool may allocate at any time.
var poolsForget bool

func TestAllocatesNothing(t *testing.T) {
	if poolsForget {
		t.Skip("under the race detector buffers come from a pool that forgets: run without -race")
	}
	if simd.Active() == simd.Go {
		t.Skip("without assembly all is gonum's, whose Dgemm allocates: needs amd64 with AVX2, and no -tags noasm")
	}
	for _, r := range routines {
		x := arguments{s: blas.Right, ul: blas.Lower, ta: blas.NoTrans, tb: blas.NoTrans, d: blas.NonUnit, m: 90, n: 90, k: 90, alpha: -1, beta: 1}
		r.prepare(&x, rand.New(rand.NewPCG(1, 1)))
		var p level3 = Implementation{Threads: 1}
		if n := testing.AllocsPerRun(20, func() { r.call(p, x) }); n != 0 {
			t.Errorf("%s: %v allocations", r.name, n)
		}
	}
}
