package simd

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// bigExp is e^x to about 200 bits: the series at x/2^32, squared 32 times.
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

// ulps is the distance of got from want in units of the last place of want.
func ulps(got float64, want *big.Float) float64 {
	w, _ := want.Float64()
	ulp := math.Nextafter(w, math.Inf(1)) - w
	diff, _ := new(big.Float).Sub(want, big.NewFloat(got)).Float64()
	return math.Abs(diff) / ulp
}

func TestExpAccuracy(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	worst, at := 0.0, 0.0
	check := func(x float64) {
		v := []float64{x}
		Exp(v, v, 1)
		if u := ulps(v[0], bigExp(x)); u > worst {
			worst, at = u, x
		}
	}
	for range 3000 {
		check(rng.Float64()*1416 - 708)
		check(rng.NormFloat64())
		check(math.Ldexp(rng.NormFloat64(), -rng.IntN(60)))
	}
	for n := -1021; n <= 1021; n += 17 { // where the reduction changes over
		x := (float64(n) + 0.5) * math.Ln2 / 128
		check(x)
		check(math.Nextafter(x, 1e9))
	}
	if worst > 0.55 {
		t.Errorf("error of %.3f ulp at %v, want at most 0.55", worst, at)
	}
}

func TestExpEdges(t *testing.T) {
	tiny := math.SmallestNonzeroFloat64
	inputs := []float64{0, math.Copysign(0, -1), tiny, -tiny, 1e-310, 1, -1, 707.9999, -707.9999, 708, -708,
		709.78, 709.79, -708.5, -740, -745, -745.14, -746, -747, 1e9, -1e9, 1e308, -1e308,
		math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN()}
	got := make([]float64, len(inputs))
	Exp(got, inputs, 1)
	for i, x := range inputs {
		want := math.Exp(x)
		near := math.Abs(got[i]-want) <= 2e-16*want
		if got[i] != want && !near && !(math.IsNaN(got[i]) && math.IsNaN(want)) {
			t.Errorf("exp(%v) = %v, want %v", x, got[i], want)
		}
	}
	if got[0] != 1 || got[1] != 1 {
		t.Errorf("exp(±0) = %v, %v, want 1", got[0], got[1])
	}
}

func TestExpScale(t *testing.T) {
	src, dst := []float64{0, 1, 2, math.Inf(1)}, make([]float64, 4)
	Exp(dst, src, -0.5)
	for i, want := range []float64{1, math.Exp(-0.5), math.Exp(-1), 0} {
		if math.Abs(dst[i]-want) > 1e-16 {
			t.Errorf("exp(-0.5·%v) = %v, want %v", src[i], dst[i], want)
		}
	}
	if src[1] != 1 {
		t.Error("Exp wrote to its source")
	}
}

func FuzzExp(f *testing.F) {
	for _, x := range []float64{0, 1, -708, 709, math.Inf(-1), 5e-324} {
		f.Add(x)
	}
	f.Fuzz(func(t *testing.T, x float64) {
		v := []float64{x, x, x}
		Exp(v, v, 1)
		want := math.Exp(x)
		if diff := math.Abs(v[0] - want); diff > 4.5e-16*want && !math.IsInf(want, 1) {
			t.Errorf("exp(%v) = %v, want %v", x, v[0], want)
		}
		if math.IsNaN(want) != math.IsNaN(v[0]) || math.IsInf(want, 1) != math.IsInf(v[0], 1) {
			t.Errorf("exp(%v) = %v, want %v", x, v[0], want)
		}
	})
}

func BenchmarkPowersTable(b *testing.B) {
	for b.Loop() {
		newPowers()
	}
}
