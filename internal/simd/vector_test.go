package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// functionCases are the functions with parameters, and their domains.
var functionCases = []struct {
	name   string
	f      Function
	p      [][]float64
	exact  bool // the same bits on every path
	domain func(x float64) bool
}{
	{"Scale", Scale, [][]float64{{0.3}, {-1e300}, {5e-324}}, true, nil},
	{"Affine", Affine, [][]float64{{0.3, -2}, {1e308, 1e308}}, true, nil},
	{"Relu", Relu, [][]float64{{}}, true, nil},
	{"Clamp", Clamp, [][]float64{{-1, 1}, {-0.25, 0.5}}, true, nil},
	{"Reciprocal", Reciprocal, [][]float64{{1}, {5e-324}, {math.MaxFloat64}}, true, nil},
	{"Root", Root, [][]float64{{1}, {5e-324}, {math.MaxFloat64}}, true, nil},
	{"InverseRoot", InverseRoot, [][]float64{{1}, {5e-324}, {math.MaxFloat64}}, true, nil},
	{"Bracket", Bracket, [][]float64{{1}, {3}, {5e-324}, {math.MaxFloat64}}, true, nil},
	{"ScaledExp", ScaledExp, [][]float64{{1}, {-0.7}, {5e-324}, {math.MaxFloat64}}, false, nil},
	{"Log1p", Log1p, [][]float64{{1}, {0.7}, {5e-324}, {math.MaxFloat64}}, false, nil},
	{"Tanh", Tanh, [][]float64{{1, 0}, {0.3, -2}, {math.MaxFloat64, -5}}, false, nil},
	{"Pow", Pow, [][]float64{{2.5}, {0.3}, {1}, {600.25}, {5e-324}, {1e300}}, false,
		func(x float64) bool { return !(math.Signbit(x) || x > 1) }},
}

// edges returns special and extreme numbers, at which vector code tends to fail.
func edges() []float64 {
	var all []float64
	for _, v := range []float64{0, math.SmallestNonzeroFloat64, 1e-310, 0x1p-1022, 1e-300, 1e-160, 1e-20, 0x1p-54, 0x1p-53,
		0x1p-52, 1e-10, 1e-3, 0.25, 0.3, math.Ln2 / 2, 0.5, math.Ln2, math.Sqrt2 / 2, 1, math.Sqrt2, 1.5, 2, 3, 10, 19, 20, 21.9,
		22, 22.1, 36.7, 37.5, 40, 40.1, 100, 700, 708.3, 709.78, 709.79, 710, 710.1, 744, 745, 745.2, 746, 747, 1e5, 1e15, 0x1p53,
		1e100, 1e154, 1e160, 1e300, 1e308, math.MaxFloat64, math.Inf(1)} {
		all = append(all, v, -v)
		for _, w := range []float64{math.Nextafter(v, 0), math.Nextafter(v, math.Inf(1))} {
			all = append(all, w, -w)
		}
	}
	return append(all, math.NaN())
}

// vectorInputs returns edges and numbers of all magnitudes.
func vectorInputs(rng *rand.Rand, n int) []float64 {
	all := edges()
	for range n {
		all = append(all, rng.NormFloat64(), rng.Float64(), rng.NormFloat64()*math.Exp2(float64(rng.IntN(40)-20)),
			math.Float64frombits(rng.Uint64()))
	}
	return all
}

// near reports whether got is within the given ulps of want, or equal to it if that is zero, infinite or NaN.
func near(got, want, units float64) bool {
	if math.Float64bits(got) == math.Float64bits(want) || got != got && want != want {
		return true
	}
	if want != want || math.IsInf(want, 0) || want == 0 {
		return false
	}
	return math.Abs(got-want) <= units*math.Abs(math.Nextafter(want, math.Inf(1))-want)
}

// Vector paths agree with the reference: bit for bit in plain arithmetic, otherwise within two errors of 2 ulp. Over-
// and underflow may differ by one rounding.
func TestFunctionsAgreeWithTheReference(t *testing.T) {
	x := vectorInputs(rand.New(rand.NewPCG(1, 1)), 3000)
	for _, path := range Available() {
		defer Use(path)()
		for _, c := range functionCases {
			for _, p := range c.p {
				got := make([]float64, len(x))
				c.f.Apply(got, x, p...)
				for i, g := range got {
					checkFunction(t, path, c.f, x[i], g, p)
				}
			}
		}
	}
}

// checkFunction compares one value of a path with the reference.
func checkFunction(t *testing.T, path Path, f Function, x, got float64, p []float64) {
	t.Helper()
	c := functionCases[f]
	if c.domain != nil && !c.domain(x) {
		return
	}
	var ab [2]float64
	copy(ab[:], p)
	want := definitions[f](x, 0, ab[0], ab[1])
	if f == ScaledExp && nearExp(got, ab[0]*x, 2) {
		return // the reference overflows a little early
	}
	units := 4.0
	if c.exact {
		units = 0
	}
	if !near(got, want, units) {
		t.Errorf("%v: %s%v of %v = %v, want %v", path, c.name, p, x, got, want)
	}
}

func TestFunctionCasesAreInOrder(t *testing.T) {
	for i, c := range functionCases {
		if int(c.f) != i {
			t.Errorf("%s is at %d of the cases", c.name, i)
		}
		for _, p := range c.p {
			if len(p) != parameters[c.f] {
				t.Errorf("%s is tried with %d parameters", c.name, len(p))
			}
		}
	}
	if len(functionCases) != int(add) {
		t.Errorf("%d functions are tried, there are %d", len(functionCases), add)
	}
}

func TestFunctionsOfTwoSlices(t *testing.T) {
	e := edges()
	for _, path := range Available() {
		defer Use(path)()
		for _, a := range e {
			x, sum, product := e, make([]float64, len(e)), make([]float64, len(e))
			for i := range e {
				sum[i], product[i] = a, a
			}
			Add(sum, x)
			Multiply(product, x)
			for i, b := range x {
				if want := a + b; !near(sum[i], want, 0) {
					t.Fatalf("%v: %v + %v = %v, want %v", path, a, b, sum[i], want)
				}
				if want := times(a, b); !near(product[i], want, 0) {
					t.Fatalf("%v: %v·%v = %v, want %v", path, a, b, product[i], want)
				}
			}
		}
	}
}

// The exponential of a slice has the same bits as that of a tile.
func TestScaledExpIsThatOfTiles(t *testing.T) {
	x := vectorInputs(rand.New(rand.NewPCG(4, 1)), 2000)
	for _, path := range Available() {
		defer Use(path)()
		got, want := make([]float64, len(x)), append([]float64{}, x...)
		ScaledExp.Apply(got, x, -0.7)
		Exponential(-0.7).Apply(want)
		for i, v := range got {
			if x[i] == x[i] && !near(v, want[i], 0) {
				t.Errorf("%v: e^(-0.7·%v) = %v, in a tile %v", path, x[i], v, want[i])
			}
		}
	}
}

func TestTimesOfZeroAndInfinity(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range [][3]float64{{0, inf, 0}, {-inf, 0, 0}, {nan, 0, nan}, {0, nan, nan}, {inf, inf, inf}, {2, -3, -6}, {nan, inf, nan}} {
		if got := times(c[0], c[1]); !near(got, c[2], 0) {
			t.Errorf("%v·%v = %v, want %v", c[0], c[1], got, c[2])
		}
	}
}

// Values do not depend on length and position, and nothing outside is written.
func TestFunctionsOfAnyLength(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	lengths := []int{valuesAtATime - 1, valuesAtATime, valuesAtATime + 9, 2*valuesAtATime + 3}
	for n := range 40 {
		lengths = append(lengths, n)
	}
	for _, path := range Available() {
		defer Use(path)()
		for f := range numFunctions {
			p := make([]float64, parameters[f])
			for i := range p {
				p[i] = 1.5
			}
			for _, n := range lengths {
				checkLength(t, f, p, n, rng)
			}
		}
	}
}

// checkLength applies a function to n numbers inside a longer slice.
func checkLength(t *testing.T, f Function, p []float64, n int, rng *rand.Rand) {
	t.Helper()
	at := 1 + rng.IntN(9)
	all, src := make([]float64, at+n+9), make([]float64, n)
	for i := range all {
		all[i] = guard
	}
	for i := range src {
		src[i] = rng.Float64()
	}
	before := append([]float64{}, src...)
	dst := all[at : at+n]
	for i := range dst {
		dst[i] = 2
	}
	var ab [2]float64
	copy(ab[:], p)
	f.apply(dst, src, &ab)
	for i, v := range all {
		if outside := i < at || i >= at+n; outside && v != guard {
			t.Fatalf("%v: function %d of %d values at %d: word %d outside is %v", active, f, n, at, i-at, v)
		}
	}
	for i, v := range src {
		y := []float64{2}
		f.apply(y, []float64{v}, &ab)
		if v != before[i] || math.Float64bits(dst[i]) != math.Float64bits(y[0]) {
			t.Fatalf("%v: function %d of %d values at %d: value %d is %v, alone %v", active, f, n, at, i, dst[i], y[0])
		}
	}
	if f < add { // in place
		f.apply(src, src, &ab)
		for i, v := range src {
			if v != dst[i] {
				t.Fatalf("%v: function %d in place gives %v, want %v", active, f, v, dst[i])
			}
		}
	}
}

func TestFunctionsPanic(t *testing.T) {
	for name, call := range map[string]func(){
		"lengths":    func() { Relu.Apply(make([]float64, 2), make([]float64, 3)) },
		"sum":        func() { Add(make([]float64, 2), make([]float64, 3)) },
		"parameters": func() { Tanh.Apply(nil, nil, 1) },
	} {
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

func TestFunctionsAllocateNothing(t *testing.T) {
	for _, path := range Available() {
		defer Use(path)()
		if n := testing.AllocsPerRun(10, func() {
			v := [13]float64{0.5}
			Pow.Apply(v[:], v[:], 2.5)
			Add(v[:], v[:])
			if MaxAbs(v[:]) > 1 || !finite(v[:]) {
				t.Error("sum is too large")
			}
		}); n > 0 {
			t.Errorf("%v: %v allocations", path, n)
		}
	}
}

func TestMaxAbs(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	specials := []float64{0, math.Copysign(0, -1), 5e-324, -7, math.MaxFloat64, -math.MaxFloat64, math.Inf(-1), math.Inf(1), math.NaN()}
	for _, path := range Available() {
		defer Use(path)()
		for _, n := range []int{0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 100, valuesAtATime + 5} {
			for _, special := range specials {
				x := make([]float64, n+1)
				for i := range x {
					x[i] = rng.Float64() - 0.5
				}
				x[n] = math.NaN() // outside
				x = x[:n]
				if n > 0 {
					x[rng.IntN(n)] = special
				}
				var want float64
				for _, v := range x {
					want = math.Max(want, math.Abs(v))
				}
				if got := MaxAbs(x); !near(got, want, 0) {
					t.Errorf("%v: largest of %d values with %v is %v, want %v", path, n, special, got, want)
				}
				if got := finite(x); got == (math.IsNaN(want) || math.IsInf(want, 0)) {
					t.Errorf("%v: %d values with %v finite: %v", path, n, special, got)
				}
			}
		}
	}
}

// FuzzFunctions compares all paths with the reference.
func FuzzFunctions(f *testing.F) {
	for _, x := range []float64{0, 1, -0.5, 5e-324, math.Inf(1), math.NaN()} {
		for which := range functionCases {
			f.Add(uint8(which), x, 0.5, 2.0, 3)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, x, a, b float64, n int) {
		c := functionCases[int(which)%len(functionCases)]
		switch c.f { // where the parameters make sense
		case Pow, Bracket:
			if a = math.Abs(a); !(a > 0) || math.IsInf(a, 1) {
				return
			}
		case Clamp:
			if !(a <= b) {
				return
			}
		}
		p := []float64{a, b}[:parameters[c.f]]
		v := make([]float64, 1+n&31)
		for i := range v {
			v[i] = x
		}
		for _, path := range Available() {
			defer Use(path)()
			got := make([]float64, len(v))
			c.f.Apply(got, v, p...)
			for _, g := range got {
				checkFunction(t, path, c.f, x, g, p)
			}
		}
	})
}

// BenchmarkFunctions reports the time in ns of each of 1024 values, for each path and for a loop over package math.
func BenchmarkFunctions(b *testing.B) {
	src, dst := make([]float64, 1024), make([]float64, 1024)
	for i := range src {
		src[i] = float64(i) / 1024
	}
	perValue := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1024, "ns/value")
	}
	for f := range numFunctions {
		p := [2]float64{1.5, 2.5}
		name := "add"
		if f < add {
			name = functionCases[f].name
		} else if f == multiply {
			name = "multiply"
		}
		for _, path := range Available() {
			b.Run(fmt.Sprintf("%s/%v", name, path), func(b *testing.B) {
				defer Use(path)()
				for b.Loop() {
					f.apply(dst, src, &p)
				}
				perValue(b)
			})
		}
	}
	for _, m := range []struct {
		name string
		f    func(float64) float64
	}{{"Log1p", math.Log1p}, {"Tanh", math.Tanh}, {"Exp", math.Exp},
		{"Pow", func(x float64) float64 { return math.Pow(x, 2.5) }}} {
		b.Run(m.name+"/math", func(b *testing.B) {
			for b.Loop() {
				for i, v := range src {
					dst[i] = m.f(v)
				}
			}
			perValue(b)
		})
	}
	for _, path := range Available() {
		b.Run(fmt.Sprintf("Finite/%v", path), func(b *testing.B) {
			defer Use(path)()
			for b.Loop() {
				if !finite(src) {
					b.Fatal("not finite")
				}
			}
			perValue(b)
		})
	}
}
