package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// A tileKernel is a base with a profile that suits rows drawn uniformly from [0,1]^d.
type tileKernel struct {
	name    string
	base    Base
	profile func(d float64) Profile
}

var tileKernels = []tileKernel{
	{"product", Product, func(float64) Profile { return Profile{} }},
	{"rbf", Square, func(d float64) Profile { return Exponential(-6 / d) }},
	{"laplace", Absolute, func(d float64) Profile { return Exponential(-3 / d) }},
	{"poly", Product, func(d float64) Profile { return Power(4/d, 1, 3) }},
	{"matern52", Square, func(d float64) Profile { return ExponentialOfRoot(-math.Sqrt(30/d), -1, 1.0/3) }},
}

// The shape of a solver's work: strips of rows against the landmarks of a sketch of 50 columns with 4
// nonzeros in each.
const (
	benchRows      = 32
	benchColumns   = 50
	benchLandmarks = 4 * benchColumns
)

// BenchmarkTile reports, for each entry of a strip: the least time of the tile, and of the tile and its
// fold into the sketch; the bound as a share of the tile's time; and the largest relative error of
// sampled entries. The bound is d multiply-adds at the peak (twice that rate in float32) and the profile
// of an entry in cache. It leaves out the difference of L1 and squared distances, which some cores
// compute beside the multiply-adds.
func BenchmarkTile(b *testing.B) {
	for _, p := range Available() {
		for _, k := range tileKernels {
			for _, d := range []int{3, 20, 128, 784} {
				b.Run(fmt.Sprintf("%v/float64/%s/d=%d", p, k.name, d), func(b *testing.B) { benchmarkTile[float64](b, p, k, d) })
				b.Run(fmt.Sprintf("%v/float32/%s/d=%d", p, k.name, d), func(b *testing.B) { benchmarkTile[float32](b, p, k, d) })
			}
		}
	}
}

func benchmarkTile[T Float](b *testing.B, p Path, k tileKernel, d int) {
	defer Use(p)()
	rng := rand.New(rand.NewPCG(1, 2))
	x, rows := uniformFloats[T](rng, benchRows, d), uniformFloats[T](rng, benchLandmarks, d)
	tile, folded := uniformFloats[T](rng, benchRows, benchLandmarks), uniformFloats[T](rng, benchRows, benchColumns)
	signs := make([]T, benchLandmarks)
	for i := range signs {
		signs[i] = T(1 - 2*(i%2))
	}
	f, packed := k.profile(float64(d)), PackRows(rows)
	var fill, both time.Duration
	for n := 0; b.Loop(); n++ {
		began := time.Now()
		Fill(tile, x, packed, k.base, f)
		middle := time.Since(began)
		Fold(folded, tile, signs, 0.5)
		if end := time.Since(began); n == 0 || end < both {
			both = end
		}
		if n == 0 || middle < fill {
			fill = middle
		}
	}
	entry := func(t time.Duration) float64 { return float64(t.Nanoseconds()) / (benchRows * benchLandmarks) }
	b.ReportMetric(0, "ns/op") // of both, with pauses
	b.ReportMetric(entry(fill), "ns/entry")
	b.ReportMetric(entry(both), "ns/folded")
	b.ReportMetric(tileBound[T](p, d, f)/entry(fill), "bound/tile")
	b.ReportMetric(k.largestError(x, rows, tile, f)/epsilon[T](), "max-err/ε")
}

// epsilon returns the distance from 1 to the next larger number.
func epsilon[T Float]() float64 {
	if _, single := any(T(0)).(float32); single {
		return 1.0 / (1 << 23)
	}
	return 1.0 / (1 << 52)
}

// tileBound returns the least nanoseconds of an entry: d multiply-adds at the peak, and a profile.
func tileBound[T Float](p Path, d int, f Profile) float64 {
	v := uniformFloats[T](rand.New(rand.NewPCG(3, 4)), 1, 1<<10).Data
	step, lanes := 2/peakOf(p), make([]T, len(v))
	if p != Go && epsilon[T]() > epsilon[float64]() { // twice as many lanes
		step /= 2
	}
	return float64(d)*step + leastOf(100, func() { copy(lanes, v); apply(f, lanes) })/float64(len(v))
}

// largestError returns the largest relative error of sampled entries of a tile. It sums the base with
// compensation (Kahan 1965) in float64 and applies the profile in plain Go.
func (k tileKernel) largestError(x, rows, tile any, f Profile) (worst float64) {
	in, to, got := float64s(x), float64s(rows), float64s(tile)
	for n := range 64 {
		i, j := n%benchRows, n*37%benchLandmarks
		var sum, lost float64
		for c, a := range in.row(i) {
			y := to.row(j)[c]
			term := [...]float64{Product: a * y, Square: (a - y) * (a - y), Absolute: math.Abs(a - y)}[k.base] - lost
			next := sum + term
			sum, lost = next, (next-sum)-term
		}
		want := f.at(sum)
		worst = max(worst, math.Abs(got.row(i)[j]-want)/want)
	}
	return worst
}

func float64s(m any) Matrix[float64] {
	if single, is := m.(Matrix[float32]); is {
		return widen(single)
	}
	return m.(Matrix[float64])
}

// uniformFloats returns a matrix with entries drawn uniformly from [0,1).
func uniformFloats[T Float](rng *rand.Rand, rows, cols int) Matrix[T] {
	m := Matrix[T]{Rows: rows, Cols: cols, Stride: cols, Data: make([]T, rows*cols)}
	for i := range m.Data {
		m.Data[i] = T(rng.Float64())
	}
	return m
}
