package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestRounding32: what float32 makes of a profile lies within the bound, on
// every path.
func TestRounding32(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	for _, path := range Available() {
		restore := Use(path)
		for range 200 {
			scale := math.Exp(6 * rng.NormFloat64())
			for _, f := range []Profile{{}, Exponential(-scale), Exponential(scale), ExponentialOfRoot(-scale, -1, 1.0/3),
				ExponentialOfRoot(-scale, 0, 0), Power(scale, rng.NormFloat64(), 1+rng.IntN(9))} {
				checkRounding32(t, path, f, rng.Float64()*10/scale)
			}
		}
		restore()
	}
}

func checkRounding32(t *testing.T, path Path, f Profile, at float64) {
	t.Helper()
	v := []float32{float32(at)}
	s := float64(v[0])
	f.Apply32(v)
	argument, value := f.Rounding32(s)
	low, high := f.at(max(0, s-argument)), f.at(s+argument)
	if f.kind == power { // not of one sign
		low = f.at(s - argument)
	}
	allowed := value*max(math.Abs(low), math.Abs(high)) + 0x1p-126 + 1e-12*math.Abs(high)
	if got := float64(v[0]); got < min(low, high)-allowed || got > max(low, high)+allowed {
		t.Errorf("%v: %+v of %v is %v in float32, %v in float64: more than %.3g and %.3g away", path, f, s, got, f.at(s), argument, value)
	}
}

func TestRounding32Refuses(t *testing.T) {
	for _, f := range []Profile{Exponential(-1e300), Exponential(-1e-300), ExponentialOfRoot(-1, 1, 0), ExponentialOfRoot(-1, -1e40, 0), Power(1e-40, 1, 2)} {
		if _, value := f.Rounding32(1); !math.IsInf(value, 1) {
			t.Errorf("%+v: bound %v, want +Inf", f, value)
		}
	}
}
