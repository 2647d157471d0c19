package simd

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// References have 200 bits. Powers of two are split off first, so that the series are short.
const bigPrecision = 200

func bigNumber(x float64) *big.Float { return new(big.Float).SetPrec(bigPrecision).SetFloat64(x) }

func bigAdd(x *big.Float, y float64) *big.Float { return new(big.Float).Add(x, bigNumber(y)) }

// bigExpm1 returns e^x − 1: by its series for |x| < 1, which keeps all digits.
func bigExpm1(x *big.Float) *big.Float {
	if x.MantExp(nil) > 0 {
		return bigAdd(bigExpOf(x), -1)
	}
	sum, term := bigNumber(0), bigNumber(1)
	for n := 1; n < 50; n++ {
		term = new(big.Float).Mul(term, x)
		term.Quo(term, bigNumber(float64(n)))
		sum.Add(sum, term)
	}
	return sum
}

// bigExpOf returns bigExp of a number of any precision.
func bigExpOf(x *big.Float) *big.Float {
	const halvings = 32
	r := new(big.Float).SetMantExp(x, -halvings)
	e := bigAdd(bigExpm1(r), 1)
	for range halvings {
		e.Mul(e, e)
	}
	return e
}

// bigLog1p returns log(1 + x) = 2·artanh(x/(2 + x)) for x > −1. It first brings larger x near zero by powers of two.
func bigLog1p(x *big.Float) *big.Float {
	if x.MantExp(nil) > -2 {
		m := new(big.Float)
		k := bigAdd(x, 1).MantExp(m)
		log := bigArtanhLog(bigAdd(m, -1))
		ln2 := bigArtanhLog(bigNumber(1))
		return log.Add(log, ln2.Mul(ln2, bigNumber(float64(k))))
	}
	return bigArtanhLog(x)
}

func bigArtanhLog(x *big.Float) *big.Float {
	s := new(big.Float).Quo(x, bigAdd(x, 2))
	z, sum, power := new(big.Float).Mul(s, s), bigNumber(0), new(big.Float).Set(s)
	for n := 1; n < 90; n += 2 {
		sum.Add(sum, new(big.Float).Quo(power, bigNumber(float64(n))))
		power = new(big.Float).Mul(power, z)
	}
	return sum.Mul(sum, bigNumber(2))
}

func bigTanh(x float64) *big.Float {
	e := bigExpm1(new(big.Float).Mul(bigNumber(x), bigNumber(2)))
	return e.Quo(e, bigAdd(e, 2))
}

// bigPow returns x^a for a normal or subnormal x.
func bigPow(x, a float64) *big.Float {
	m := new(big.Float)
	k := bigNumber(x).MantExp(m)
	log := bigArtanhLog(bigAdd(m, -1))
	ln2 := bigArtanhLog(bigNumber(1))
	log.Add(log, ln2.Mul(ln2, bigNumber(float64(k))))
	return bigExpOf(log.Mul(log, bigNumber(a)))
}

// accuracies are the functions beyond plain arithmetic, with their inputs and bounds.
var accuracies = []struct {
	name   string
	f      Function
	p      []float64
	most   float64 // ulp
	inputs func(rng *rand.Rand, n int) []float64
	value  func(x float64) *big.Float
}{
	{"exp", ScaledExp, []float64{1}, 1, expInputs(-740, 709.4), func(x float64) *big.Float { return bigExpOf(bigNumber(x)) }},
	{"log1p", Log1p, []float64{1}, 2, logInputs, func(x float64) *big.Float { return bigLog1p(bigNumber(x)) }},
	{"tanh", Tanh, []float64{1, 0}, 2, expInputs(-20, 20), bigTanh},
	{"pow 0.3", Pow, []float64{0.3}, 2, powInputs(0.3), func(x float64) *big.Float { return bigPow(x, 0.3) }},
	{"pow 2.5", Pow, []float64{2.5}, 2, powInputs(2.5), func(x float64) *big.Float { return bigPow(x, 2.5) }},
	{"pow 600.7", Pow, []float64{600.7}, 2, powInputs(600.7), func(x float64) *big.Float { return bigPow(x, 600.7) }},
	{"pow 1e12", Pow, []float64{1e12}, 2, powInputs(1e12), func(x float64) *big.Float { return bigPow(x, 1e12) }},
}

// TestVectorAccuracy logs the largest error of every function on every path.
func TestVectorAccuracy(t *testing.T) {
	n := 1000
	if testing.Short() {
		n = 100
	}
	for _, c := range accuracies {
		x := c.inputs(rand.New(rand.NewPCG(5, 1)), n)
		want := make([]*big.Float, len(x))
		for i, v := range x {
			want[i] = c.value(v)
		}
		for _, path := range Available() {
			defer Use(path)()
			got := make([]float64, len(x))
			c.f.Apply(got, x, c.p...)
			worst, at := 0.0, 0
			for i := range got {
				if u := ulps(got[i], want[i]); !(u <= worst) {
					worst, at = u, i
				}
			}
			t.Logf("%-10s %-7v %.3f ulp at %v", c.name, path, worst, x[at])
			if !(worst <= c.most) {
				t.Errorf("%s on %v: error of %.3f ulp at %v: %v, want %v", c.name, path, worst, x[at], got[at], want[at])
			}
		}
	}
}

// smallInputs returns numbers of both signs from subnormal ones to one.
func smallInputs(rng *rand.Rand, n int) (x []float64) {
	for range n {
		v := math.Ldexp(1+rng.Float64(), -1-rng.IntN(60))
		x = append(x, v, -v)
	}
	for _, e := range []int{-1074, -1060, -1023, -1022, -1000, -500, -100, -54, -53, -52, -27} {
		v := math.Ldexp(1, e)
		x = append(x, v, -v, 1.5*v, -1.5*v)
	}
	return x
}

// expInputs returns small numbers, numbers over the whole range, and numbers where the reduction by ln 2 changes.
func expInputs(lo, hi float64) func(rng *rand.Rand, n int) []float64 {
	return func(rng *rand.Rand, n int) []float64 {
		x := smallInputs(rng, n/2)
		for range n {
			x = append(x, lo+(hi-lo)*rng.Float64(), 4*rng.Float64()-2)
		}
		for k := -120; k < 120; k++ {
			v := (float64(k) + 0.5) * math.Ln2 / 2
			if lo < v && v < hi {
				x = append(x, v, math.Nextafter(v, hi), math.Nextafter(v, lo))
			}
		}
		return x
	}
}

func logInputs(rng *rand.Rand, n int) []float64 {
	x := smallInputs(rng, n/2)
	for range n {
		x = append(x, 3*rng.Float64()-1, -rng.Float64(), math.Ldexp(1+rng.Float64(), rng.IntN(1023)), math.Ldexp(1+rng.Float64(), -1-rng.IntN(51))-1)
	}
	for k := range 60 { // where the exponent of 1 + x changes over
		v := math.Sqrt2*math.Ldexp(1, k-1) - 1
		x = append(x, v, math.Nextafter(v, -1), math.Nextafter(v, 1e9))
	}
	return append(x, math.MaxFloat64, 0x1p53, 0x1p54, 0x1p1000, 0x1p1001)
}

// powInputs returns numbers near one and of all magnitudes whose power does not underflow to zero.
func powInputs(a float64) func(rng *rand.Rand, n int) []float64 {
	return func(rng *rand.Rand, n int) (x []float64) {
		for range n {
			x = append(x, rng.Float64(), math.Exp(-rng.Float64()*740/a), math.Exp(-rng.Float64()/a), 1-math.Ldexp(1+rng.Float64(), -2-rng.IntN(50)))
		}
		x = append(x, 1-0x1p-53, math.Sqrt2/2, math.Nextafter(math.Sqrt2/2, 0), 1, 5e-324, 1e-310, 0x1p-1022)
		kept := x[:0]
		for _, v := range x {
			if v > 0 && v <= 1 && a*math.Log(v) > -745 {
				kept = append(kept, v)
			}
		}
		return kept
	}
}

func TestVectorLimits(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	payload := math.Float64frombits(0x7ff8dead_beefcafe)
	for _, c := range []struct {
		f Function
		p []float64
		// pairs of an argument and its value
		pairs [][2]float64
	}{
		{ScaledExp, []float64{1}, [][2]float64{{0, 1}, {zero, 1}, {-inf, 0}, {-746, 0}, {inf, inf}, {710, inf}, {1e300, inf}, {nan, nan}, {payload, nan}}},
		{Log1p, []float64{1}, [][2]float64{{0, 0}, {zero, zero}, {-1, -inf}, {-1.5, nan}, {-inf, nan}, {inf, inf}, {nan, nan}, {payload, nan}}},
		{Tanh, []float64{1, 0}, [][2]float64{{0, 0}, {-inf, -1}, {inf, 1}, {25, 1}, {-25, -1}, {1e308, 1}, {nan, nan}, {payload, nan}}},
		{Tanh, []float64{1, zero}, [][2]float64{{zero, zero}, {5e-324, 5e-324}, {-5e-324, -5e-324}}},
		{Pow, []float64{2.5}, [][2]float64{{0, 0}, {1, 1}, {0.25, 0x1p-5}, {5e-324, 0}, {nan, nan}, {payload, nan}}},
		{Pow, []float64{1e300}, [][2]float64{{0, 0}, {1, 1}, {1 - 0x1p-53, 0}, {nan, nan}}},
		{Pow, []float64{5e-324}, [][2]float64{{0, 0}, {1, 1}, {0.5, 1}, {5e-324, 1}, {nan, nan}}},
		{Pow, []float64{0.5}, [][2]float64{{5e-324, 0x1p-537}, {0x1p-1022, 0x1p-511}}},
		{Relu, nil, [][2]float64{{zero, 0}, {-3, 0}, {3, 3}, {inf, inf}, {nan, nan}}},
		{Clamp, []float64{-1, 1}, [][2]float64{{-3, -1}, {1 + 0x1p-52, 1}, {0.5, 0.5}, {inf, 1}, {-inf, -1}, {nan, nan}}},
		{Bracket, []float64{3}, [][2]float64{{0, 1}, {9, 0}, {10, 0}, {inf, 0}, {nan, nan}}},
		{Reciprocal, []float64{2}, [][2]float64{{0, 1}, {0.5, 0.5}, {inf, 0}, {nan, nan}}},
		{Root, []float64{2}, [][2]float64{{0, 1}, {1.5, 2}, {inf, inf}, {nan, nan}}},
		{InverseRoot, []float64{2}, [][2]float64{{0, 1}, {1.5, 0.5}, {inf, 0}, {nan, nan}}},
	} {
		for _, path := range Available() {
			defer Use(path)()
			for _, pair := range c.pairs {
				v := []float64{pair[0]}
				c.f.Apply(v, v, c.p...)
				if !near(v[0], pair[1], 0) {
					t.Errorf("%v: %s%v of %v = %v, want %v", path, functionCases[c.f].name, c.p, pair[0], v[0], pair[1])
				}
			}
		}
	}
}
