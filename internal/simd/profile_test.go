package simd

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// profiles are those of the built-in kernels, each with a range of sums and the relative error that rounding allows.
var profiles = []struct {
	name    string
	f       Profile
	base    Base
	within  float64
	formula func(s float64) float64
}{
	{"identity", Profile{}, Square, 0, func(s float64) float64 { return s }},
	{"rbf", Exponential(-0.7), Square, 3e-14, func(s float64) float64 { return math.Exp(-0.7 * s) }},
	{"expdot", Exponential(0.3), Product, 3e-14, func(s float64) float64 { return math.Exp(0.3 * s) }},
	{"laplace", Exponential(-2), Absolute, 3e-14, func(s float64) float64 { return math.Exp(-2 * s) }},
	{"exponential", ExponentialOfRoot(-1.5, 0, 0), Square, 3e-14, func(s float64) float64 { return math.Exp(-1.5 * math.Sqrt(s)) }},
	{"matern52", ExponentialOfRoot(-2, -1, 1.0/3), Square, 3e-14, func(s float64) float64 {
		z := 2 * math.Sqrt(s)
		return (1 + z + z*z/3) * math.Exp(-z)
	}},
	{"poly1", Power(2, 1, 1), Product, 1e-13, func(s float64) float64 { return 2*s + 1 }},
	{"poly3", Power(0.5, 1, 3), Product, 1e-13, func(s float64) float64 { return math.Pow(0.5*s+1, 3) }},
	{"poly13", Power(0.5, -1, 13), Product, 1e-12, func(s float64) float64 { return math.Pow(0.5*s-1, 13) }},
}

// A tile with a profile has the same bits as the sums followed by the profile, wherever the entry is.
func TestFusedTilesHaveTheBitsOfTheirParts(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, p := range profiles {
			fusedAndParts(t, p.name, p.base, p.f)
		}
	})
}

// fusedAndParts compares a fused tile with its parts, for several shapes.
func fusedAndParts(t *testing.T, name string, base Base, f Profile) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 5))
	for _, shape := range [][3]int{{1, 1, 1}, {9, 25, 3}, {17, 51, 20}, {8, 24, 0}, {3, 7, 1100}} {
		n, m, d := shape[0], shape[1], shape[2]
		x, y := randomFloats(rng, n, d), randomFloats(rng, m, d)
		fused, parts := randomFloats(rng, n, m), randomFloats(rng, n, m)
		Fill(fused, x, Pack(y), base, f)
		Fill(parts, x, Pack(y), base, Profile{})
		f.Apply(parts.Data)
		for i, v := range fused.Data {
			if w := parts.Data[i]; v != w && (v == v || w == w) {
				t.Fatalf("%s %d×%d, d=%d: entry %d is %v in the tile, %v from its parts", name, n, m, d, i, v, w)
			}
		}
	}
}

// randomFloats returns normal numbers with standard deviation 0.3.
func randomFloats(rng *rand.Rand, rows, cols int) blas64.General {
	m := blas64.General{Rows: rows, Cols: cols, Stride: max(1, cols), Data: make([]float64, rows*max(1, cols))}
	for i := range m.Data {
		m.Data[i] = float64(rng.NormFloat64() * 0.3)
	}
	return m
}

// Profiles agree with their formulas, whatever the position of a number and its neighbours.
func TestProfilesAgreeWithTheirFormulas(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, p := range profiles {
			for _, n := range []int{0, 1, 3, 4, 7, 8, 23, 24, 25, 100} {
				all := make([]float64, n+2)
				want := make([]float64, n+2)
				for i := range all {
					all[i] = float64(i) * 0.37
					want[i] = p.formula(all[i])
				}
				want[0], want[n+1] = all[0], all[n+1]
				p.f.Apply(all[1 : n+1])
				for i, v := range all {
					if math.Abs(v-want[i]) > p.within*math.Abs(want[i]) {
						t.Fatalf("%s, %d values: f(%v) = %v, want %v", p.name, n, float64(i)*0.37, v, want[i])
					}
				}
			}
		}
	})
}

// Distances that overflow, and rows that are not finite, give the limits of the profiles.
func TestProfileLimits(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	eachPath(t, func(t *testing.T) {
		for _, test := range []struct {
			f       Profile
			s, want float64
		}{
			{Exponential(-1), inf, 0}, {Exponential(-1), 1e300, 0}, {Exponential(-1), 0, 1}, {Exponential(-1), nan, nan},
			{Exponential(1), inf, inf}, {Exponential(1), 800, inf}, {Exponential(1), -inf, 0}, {Exponential(1), -800, 0},
			{ExponentialOfRoot(-1, -1, 1.0/3), inf, 0}, {ExponentialOfRoot(-1, -1, 1.0/3), 1e300, 0},
			{ExponentialOfRoot(-1, -1, 1.0/3), 0, 1}, {ExponentialOfRoot(-1, -1, 1.0/3), nan, nan},
			{ExponentialOfRoot(-1, 0, 0), inf, 0},
			{Power(1, 1, 3), inf, inf}, {Power(1, 1, 3), -inf, -inf}, {Power(1, 1, 2), -inf, inf}, {Power(1, 0, 5), nan, nan},
		} {
			v := []float64{test.s}
			test.f.Apply(v)
			if got := v[0]; got != test.want && (got == got || test.want == test.want) {
				t.Errorf("%+v at %v is %v, want %v", test.f, test.s, got, test.want)
			}
		}
	})
}

func TestTilesAllocateNothing(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(9, 1))
		x, y := randomFloats(rng, 33, 20), randomFloats(rng, 201, 20)
		dst, p := randomFloats(rng, 33, 201), Pack(y)
		if n := testing.AllocsPerRun(5, func() { Fill(dst, x, p, Square, Exponential(-1)) }); n > 0 {
			t.Errorf("%v allocations a tile", n)
		}
	})
}

// NaN stays NaN whatever its payload and sign.
func TestProfilesKeepEveryNaN(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, p := range profiles {
			for i := range uint64(600) {
				v := []float64{math.Float64frombits(0x7FF8_0000_0000_0000 | i<<42 | i<<3 | i%2<<63)}
				p.f.Apply(v)
				if v[0] == v[0] {
					t.Fatalf("%s: NaN number %d becomes %v", p.name, i, v[0])
				}
			}
		}
	})
}
