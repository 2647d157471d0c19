package simd

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

func products(dst, x blas64.General, p Packed)         { Fill(dst, x, p, Product, Profile{}) }
func squaredDistances(dst, x blas64.General, p Packed) { Fill(dst, x, p, Square, Profile{}) }
func l1Distances(dst, x blas64.General, p Packed)      { Fill(dst, x, p, Absolute, Profile{}) }

// primitives pairs every tile primitive with its definition for one entry, to the last bit. Assembly paths fuse the
// product with the addition.
var primitives = []struct {
	name  string
	fill  func(dst, x blas64.General, p Packed)
	entry func(x, y []float64) float64
}{
	{"products", products, func(x, y []float64) (s float64) {
		for k := range x {
			s = accumulate(x[k], y[k], s)
		}
		return s
	}},
	{"squared", squaredDistances, func(x, y []float64) (s float64) {
		for k := range x {
			s = accumulate(x[k]-y[k], x[k]-y[k], s)
		}
		return s
	}},
	{"l1", l1Distances, func(x, y []float64) (s float64) {
		for k := range x {
			s += math.Abs(x[k] - y[k])
		}
		return s
	}},
}

// accumulate returns s + a·b as the path in use rounds it.
func accumulate(a, b, s float64) float64 {
	if active == Go {
		return s + float64(a*b)
	}
	return math.FMA(a, b, s)
}

// guard is the value around a matrix, which a primitive must not overwrite.
const guard = -12345.678

// guarded returns a rows×cols matrix filled with guard, with more of it around and between its rows.
func guarded(rows, cols, pad int) (m blas64.General, all []float64) {
	all = make([]float64, rows*(cols+pad)+2*pad+8)
	for i := range all {
		all[i] = guard
	}
	m = blas64.General{Rows: rows, Cols: cols, Stride: cols + pad, Data: all[pad+4:]}
	return m, all
}

// checkGuards fails if a word outside the matrix was written.
func checkGuards(t *testing.T, m blas64.General, all []float64) {
	t.Helper()
	first := len(all) - len(m.Data)
	for i, v := range all {
		at := i - first
		inside := at >= 0 && at/m.Stride < m.Rows && at%m.Stride < m.Cols
		if !inside && v != guard {
			t.Fatalf("word %d outside the %d×%d tile was overwritten with %g", at, m.Rows, m.Cols, v)
		}
	}
}

// Tiles equal their definition for sizes around those of the micro-kernels: up to two tiles and a rest, four groups,
// and the largest call.
func TestTilesAgreeWithTheirDefinition(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 1))
		for _, n := range []int{0, 1, 2, 3, 4, 5, 8, 9, 19} {
			for _, m := range []int{0, 1, 3, 4, 7, 8, 9, 16, 17, 24, 25, 33, 50} {
				for _, d := range []int{0, 1, 2, 5, 17} {
					checkTiles(t, rng, n, m, d)
				}
			}
		}
		for _, d := range []int{1023, 1024, 1025, 2049} {
			checkTiles(t, rng, 9, 33, d)
		}
		checkTiles(t, rng, 300, 9, 3)
	})
}

// checkTiles compares all primitives for n×m tiles of d columns.
func checkTiles(t *testing.T, rng *rand.Rand, n, m, d int) {
	t.Helper()
	pad := rng.IntN(3) + 1
	x, y := randomMatrix(rng, n, d, pad), randomMatrix(rng, m, d, 2*pad)
	p := Pack(y)
	for _, f := range primitives {
		dst, all := guarded(n, m, pad)
		f.fill(dst, x, p)
		checkGuards(t, dst, all)
		for i := range n {
			for j := range m {
				if got, want := matrix.Row(dst, i)[j], f.entry(matrix.Row(x, i), matrix.Row(y, j)); got != want {
					t.Fatalf("%s %d×%d, d=%d: [%d,%d] = %v, want %v", f.name, n, m, d, i, j, got, want)
				}
			}
		}
	}
}

func TestSliceGivesTheSameEntries(t *testing.T) { eachPath(t, testSliceGivesTheSameEntries) }

func testSliceGivesTheSameEntries(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	x, y := randomMatrix(rng, 3, 5, 0), randomMatrix(rng, 11, 5, 0)
	p := Pack(y)
	for from := 0; from <= 11; from += Lanes {
		for to := from; to <= 11; to++ {
			dst, want := randomMatrix(rng, 3, to-from, 1), randomMatrix(rng, 3, 11, 0)
			squaredDistances(dst, x, p.Slice(from, to))
			squaredDistances(want, x, p)
			for i := range 3 {
				for j, v := range matrix.Row(dst, i) {
					if w := matrix.Row(want, i)[from+j]; v != w {
						t.Fatalf("slice [%d:%d]: entry [%d,%d] = %v, want %v", from, to, i, j, v, w)
					}
				}
			}
		}
	}
}

func TestSymmetricBits(t *testing.T) { eachPath(t, testSymmetricBits) }

func testSymmetricBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	x := randomMatrix(rng, 9, 13, 0)
	for _, f := range primitives {
		dst := randomMatrix(rng, 9, 9, 0)
		f.fill(dst, x, Pack(x))
		for i := range 9 {
			for j := range 9 {
				if a, b := matrix.Row(dst, i)[j], matrix.Row(dst, j)[i]; a != b {
					t.Errorf("%s: [%d,%d] = %v but [%d,%d] = %v", f.name, i, j, a, j, i, b)
				}
			}
		}
	}
}

func TestSquaredDistancesFarFromTheOrigin(t *testing.T) {
	eachPath(t, testSquaredDistancesFarFromTheOrigin)
}

// testSquaredDistancesFarFromTheOrigin checks that no digits cancel at 1e9: differences are squared, not norms
// subtracted.
func testSquaredDistancesFarFromTheOrigin(t *testing.T) {
	x := blas64.General{Rows: 1, Cols: 2, Stride: 2, Data: []float64{1e9 + 1, 1e9}}
	y := blas64.General{Rows: 1, Cols: 2, Stride: 2, Data: []float64{1e9, 1e9 + 0.5}}
	dst := blas64.General{Rows: 1, Cols: 1, Stride: 1, Data: []float64{0}}
	squaredDistances(dst, x, Pack(y))
	if dst.Data[0] != 1.25 {
		t.Errorf("squared distance %v, want 1.25", dst.Data[0])
	}
}

func TestProductsThatOverflowOnTheWay(t *testing.T) { eachPath(t, testProductsThatOverflowOnTheWay) }

// testProductsThatOverflowOnTheWay checks products whose partial sums overflow although the result is finite.
func testProductsThatOverflowOnTheWay(t *testing.T) {
	tests := []struct {
		x, y []float64
		want float64
	}{
		{[]float64{1e200, 1e200}, []float64{1e200, -1e200}, 0},
		{[]float64{1e200, 1e200, 3}, []float64{1e200, -1e200, 1}, 0}, // 3 is below the rounding of 1e400
		{[]float64{1e308, 1e308, -1e308}, []float64{1, 1, 1}, 1e308},
		{[]float64{1e308, 1e308}, []float64{1e308, 1e308}, math.Inf(1)},
		{[]float64{math.MaxFloat64, 1}, []float64{-2, 1}, math.Inf(-1)},
		{[]float64{math.Inf(1), 1}, []float64{1, 1}, math.Inf(1)},
		{[]float64{math.NaN(), 1}, []float64{1, 1}, math.NaN()},
		{[]float64{math.Inf(1), 1}, []float64{0, 1}, math.NaN()},
	}
	for _, test := range tests {
		dst := []float64{0, 0}
		d := len(test.x)
		y := blas64.General{Rows: 2, Cols: d, Stride: d, Data: append(make([]float64, d), test.y...)}
		products(blas64.General{Rows: 1, Cols: 2, Stride: 2, Data: dst},
			blas64.General{Rows: 1, Cols: d, Stride: d, Data: test.x}, Pack(y))
		if got := dst[1]; got != test.want && !(math.IsNaN(got) && math.IsNaN(test.want)) {
			t.Errorf("%v·%v = %v, want %v", test.x, test.y, got, test.want)
		}
	}
}

func TestNormalize(t *testing.T) {
	for _, scale := range []float64{1, 1e-300, 1e307, 5e-324} {
		x := []float64{3 * scale, 0, -4 * scale}
		Normalize(x, x)
		if math.Abs(x[0]-0.6) > 1e-16 || x[1] != 0 || math.Abs(x[2]+0.8) > 2e-16 {
			t.Errorf("scale %g: %v, want 0.6 0 -0.8", scale, x)
		}
	}
	zero := []float64{0, 0}
	Normalize(zero, zero)
	if zero[0] != 0 || zero[1] != 0 {
		t.Errorf("zero row became %v", zero)
	}
}

func TestShapeMismatchPanics(t *testing.T) {
	m := func(rows, cols int) blas64.General {
		return randomMatrix(rand.New(rand.NewPCG(1, 1)), rows, cols, 0)
	}
	calls := map[string]func(){
		"length":  func() { products(m(2, 2), m(2, 3), Pack(m(2, 4))) },
		"rows":    func() { products(m(3, 2), m(2, 3), Pack(m(2, 3))) },
		"columns": func() { squaredDistances(m(2, 3), m(2, 3), Pack(m(2, 3))) },
		"exp":     func() { ScaledExp.Apply(make([]float64, 2), make([]float64, 3), 1) },
		"slice":   func() { Pack(m(8, 1)).Slice(2, 4) },
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

// FuzzTiles compares tiles of arbitrary numbers, non-finite ones included, with
// the definition.
func FuzzTiles(f *testing.F) {
	f.Add(uint64(1), 3, 5, 2, uint64(0x7FF0000000000000))
	f.Add(uint64(2), 1, 1, 1, uint64(1))
	f.Add(uint64(3), 4, 9, 7, uint64(0x7FEFFFFFFFFFFFFF))
	f.Fuzz(func(t *testing.T, seed uint64, n, m, d int, special uint64) {
		n, m, d = n&31, m&63, d&31
		rng := rand.New(rand.NewPCG(seed, 1))
		x, y := randomMatrix(rng, n, d, 1), randomMatrix(rng, m, d, 2)
		for _, data := range [][]float64{x.Data, y.Data} {
			if len(data) > 0 {
				data[rng.IntN(len(data))] = math.Float64frombits(special)
			}
		}
		eachPath(t, func(t *testing.T) { fuzzTile(t, x, y) })
	})
}

func fuzzTile(t *testing.T, x, y blas64.General) {
	n, m := x.Rows, y.Rows
	for _, p := range primitives {
		dst, all := guarded(n, m, 1)
		p.fill(dst, x, Pack(y))
		checkGuards(t, dst, all)
		for i := range n {
			for j := range m {
				got, want := matrix.Row(dst, i)[j], p.entry(matrix.Row(x, i), matrix.Row(y, j))
				repaired := p.name == "products" && overflowed(want)
				if got != want && !repaired && !(got != got && want != want) {
					t.Fatalf("%s [%d,%d] = %v, want %v", p.name, i, j, got, want)
				}
			}
		}
	}
}
