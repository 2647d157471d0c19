package simd

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// bigExp returns e^x to about 200 bits: the series at x/2^32, squared 32 times.
func bigExp(x float64) *big.Float {
	const halvings, precision = 32, 300
	r := new(big.Float).SetPrec(precision).SetFloat64(x)
	r.SetMantExp(r, -halvings)
	sum, term := big.NewFloat(1).SetPrec(precision), big.NewFloat(1).SetPrec(precision)
	for n := 1; n < 40; n++ {
		term.Mul(term, r).Quo(term, big.NewFloat(float64(n)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// ulps returns the distance of got from want in units of the last place of want.
func ulps(got float64, want *big.Float) float64 {
	w, _ := want.Float64()
	ulp := math.Nextafter(w, math.Inf(1)) - w
	diff, _ := new(big.Float).Sub(want, big.NewFloat(got)).Float64()
	return math.Abs(diff) / ulp
}

// expBounds are the largest errors of each path in ulp.
var expBounds = map[Path]float64{Go: 0.55, AVX2: 1, AVX512: 1, NEON: 1}

// The largest error of each path stays within expBounds, against 200-bit arithmetic.
func TestExpAccuracy(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var x []float64
	for range 3000 {
		x = append(x, rng.Float64()*1416-708, rng.NormFloat64(), math.Ldexp(rng.NormFloat64(), -rng.IntN(60)))
	}
	for n := -1021; n <= 1021; n += 17 { // where the reductions change over
		v := (float64(n) + 0.5) * math.Ln2
		for _, v := range []float64{v / 128, v} {
			x = append(x, v, math.Nextafter(v, 1e9))
		}
	}
	want := make([]*big.Float, len(x))
	for i, v := range x {
		want[i] = bigExp(v)
	}
	for _, path := range Available() {
		defer Use(path)()
		got := make([]float64, len(x))
		ScaledExp.Apply(got, x, 1)
		worst, at := 0.0, 0
		for i, v := range got {
			if u := ulps(v, want[i]); !(u <= worst) {
				worst, at = u, i
			}
		}
		t.Logf("%-10s %-7v %.3f ulp at %v", "exp", path, worst, x[at])
		if !(worst <= expBounds[path]) {
			t.Errorf("%v: error of %.3f ulp at %v, want at most %v", path, worst, x[at], expBounds[path])
		}
	}
}

func TestExpEdges(t *testing.T) {
	tiny := math.SmallestNonzeroFloat64
	inputs := []float64{0, math.Copysign(0, -1), tiny, -tiny, 1e-310, 1, -1, 707.9999, -707.9999, 708, -708,
		709.78, 709.79, -708.5, -740, -745, -745.14, -746, -747, 1e9, -1e9, 1e308, -1e308,
		math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN()}
	for _, path := range Available() {
		defer Use(path)()
		got := make([]float64, len(inputs))
		ScaledExp.Apply(got, inputs, 1)
		for i, x := range inputs {
			if !nearExp(got[i], x, 1) {
				t.Errorf("%v: exp(%v) = %v, want %v", path, x, got[i], math.Exp(x))
			}
		}
		if got[0] != 1 || got[1] != 1 {
			t.Errorf("%v: exp(±0) = %v, %v, want 1", path, got[0], got[1])
		}
	}
}

// nearExp compares with math.Exp up to units ulp. On amd64 that function overflows from about 709.44 on, and on arm64
// it is zero from −744.5 on: both a little early.
func nearExp(got, x, units float64) bool {
	if near(got, math.Exp(x), units) {
		return true
	}
	if !(x > 709 && x < 710 || x > -746 && x < -744) {
		return false
	}
	want, _ := bigExp(x).Float64()
	return near(got, want, units)
}

func TestExpScale(t *testing.T) {
	for _, path := range Available() {
		defer Use(path)()
		src, dst := []float64{0, 1, 2, math.Inf(1)}, make([]float64, 4)
		ScaledExp.Apply(dst, src, -0.5)
		for i, want := range []float64{1, math.Exp(-0.5), math.Exp(-1), 0} {
			if math.Abs(dst[i]-want) > 1.2e-16 {
				t.Errorf("%v: exp(-0.5·%v) = %v, want %v", path, src[i], dst[i], want)
			}
		}
		if src[1] != 1 {
			t.Errorf("%v: Exp wrote to its source", path)
		}
	}
}

func FuzzExp(f *testing.F) {
	for _, x := range []float64{0, 1, -708, 709, math.Inf(-1), 5e-324} {
		f.Add(x)
	}
	f.Fuzz(func(t *testing.T, x float64) {
		if x != x {
			x = math.NaN()
		}
		for _, path := range Available() {
			defer Use(path)()
			v := []float64{x, x, x}
			ScaledExp.Apply(v, v, 1)
			if !nearExp(v[0], x, 2) || v[1] != v[0] && x == x {
				t.Errorf("%v: exp(%v) = %v, want %v", path, x, v[0], math.Exp(x))
			}
		}
	})
}

func BenchmarkPowersTable(b *testing.B) {
	for b.Loop() {
		newPowers()
	}
}
